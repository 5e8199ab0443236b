#include "translation/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/job.h"
#include "base/source.h"
#include "cat/library.h"
#include "check/check.h"
#include "prog/test.h"
#include "read/read.h"
#include "refine/refinement.h"
#include "report/report.h"
#include "spirv/spirv.h"
#include "vocab/vocab.h"

namespace fencepost::translation {
namespace {

SourcePtr source_of(std::string name, std::string text) {
  return std::make_shared<Source>(Source{std::move(name), std::move(text)});
}

// Ids of the parameters of the entry point of a SPIR-V binary in the byte order of this machine.
std::vector<uint32_t> parameter_ids(const std::string& binary) {
  constexpr uint32_t entry_point = 15, function = 54, parameter = 55, header = 5;
  std::vector<uint32_t> words(binary.size() / 4), out;
  std::memcpy(words.data(), binary.data(), words.size() * 4);
  uint32_t entry = 0, inside = 0;
  for (size_t at = header; at < words.size();) {
    const uint32_t opcode = words[at] & 0xffff, length = words[at] >> 16;
    if (length == 0 || at + length > words.size()) return {};
    if (opcode == entry_point && length > 2) entry = words[at + 2];
    if (opcode == function && length > 2) inside = words[at + 2];
    if (opcode == parameter && length > 2 && inside == entry) out.push_back(words[at + 2]);
    at += length;
  }
  return out;
}

// What the parameters of a kernel are called by its reader: x y u v d e o w. None: the kernel has not all of them.
std::vector<std::string> parameters_of(const Compiled& made, Language l) {
  std::vector<std::string> out;
  if (l == Language::opencl)
    for (const uint32_t id : parameter_ids(made.module)) out.push_back(fmt::format("%{}", id));
  else
    for (size_t k = 0; k < 8; ++k) out.push_back(fmt::format("{}_param_{}", made.kernel, k));
  if (out.size() != 8) out.clear();
  return out;
}

struct Asked {
  std::string condition;
  std::vector<std::string> inputs;
  refine::Names names;
};

Asked question(const Program& p, const std::vector<std::string>& parameters) {
  Asked out;
  const auto shows = [&](size_t k, uint32_t index, const std::string& source) {
    const std::string cell = fmt::format("{}[{}]", parameters[k], index);
    out.condition += fmt::format("{}{} == 0", out.condition.empty() ? "" : " && ", cell);
    out.names[cell] = source;
    if (index == 0) out.names[parameters[k]] = source;  // what an object of one cell is called
  };
  const std::string places = k_places;
  for (size_t k = 0; k < places.size(); ++k) {
    if (!p.uses(places[k])) continue;
    out.inputs.push_back(fmt::format("{} = {{0}}", parameters[k]));
    if (p.writes(places[k])) shows(k, 0, std::string(1, places[k]));
  }
  for (const Result& r : results_of(p)) shows(r.bits == 64 ? 7 : 6, r.index, fmt::format("{}:r{}", r.thread, r.number));
  out.condition = "exists (" + out.condition + ")";
  return out;
}

Expected<prog::Test> target_of(const Program& p, const Compiled& made, Language l, const Asked& asked) {
  spirv::LaunchOptions launch;
  launch.grid.emplace();
  launch.grid->subgroups = p.threads_of_block();
  launch.grid->workgroups[0] = p.blocks();
  launch.condition = asked.condition;
  launch.inputs = asked.inputs;
  launch.entry = made.kernel;
  auto tests = read::parse(source_of(l == Language::opencl ? "t.spv" : "t.ptx", made.module), launch);
  if (!tests) return std::unexpected(tests.error());
  return std::move(tests->front());
}

Expected<prog::Test> source_test(const Program& p) { return read::parse_one(source_of("t.litmus", litmus_of(p))); }

// "x=-5;" of an unsigned word of 32 bits: "x=4294967291;".
std::string unsigned_outcome(const Program& p, const std::string& outcome) {
  const auto results = results_of(p);
  const auto bits_of = [&](const std::string& name) -> uint32_t {
    if (name == "u" || name == "v") return 64;
    for (const Result& r : results)
      if (name == fmt::format("{}:r{}", r.thread, r.number)) return r.bits;
    return 32;
  };
  std::string out;
  for (size_t from = 0; from < outcome.size();) {
    const size_t to = std::min(outcome.find(';', from), outcome.size());
    std::string atom = outcome.substr(from, to - from);
    const size_t name = atom.find_first_not_of(' '), minus = atom.find("=-");
    if (minus != std::string::npos && name < minus) {
      const auto value = static_cast<uint64_t>(std::strtoll(atom.c_str() + minus + 1, nullptr, 10));
      const bool narrow = bits_of(atom.substr(name, minus - name)) == 32;
      atom = atom.substr(0, minus + 1) + std::to_string(narrow ? value & 0xffffffff : value);
    }
    out += atom + (to < outcome.size() ? ";" : "");
    from = to + 1;
  }
  return out;
}

std::string first_message(const Diagnostics& d) {
  return d.list.empty() ? std::string("no message") : d.list.front().message;
}

}  // namespace

Expected<Models> models_for(Language l) {
  auto source = cat::load_model(l == Language::opencl ? "opencl" : "cuda", vocab::Dialect::opencl);
  if (!source) return std::unexpected(source.error());
  auto target = l == Language::opencl ? cat::load_model("opencl", vocab::Dialect::opencl)
                                      : cat::load_model("ptx-8", vocab::Dialect::ptx);
  if (!target) return std::unexpected(target.error());
  auto newer = l == Language::opencl ? cat::load_model("opencl", vocab::Dialect::opencl)
                                     : cat::load_model("ptx-9", vocab::Dialect::ptx);
  if (!newer) return std::unexpected(newer.error());
  return Models{std::move(*source), std::move(*target), std::move(*newer)};
}

const char* word_of(char state) {
  switch (state) {
    case 'r':
      return "right";
    case 'f':
      return "fault";
    case 'v':
      return "vacuous";
    case 'u':
      return "undecided";
    case 'n':
      return "named";
    case 'x':
      return "refused";
    default:
      return "failed";
  }
}

Judged judge(const Program& p, const Compiled& made, Language language, const Models& models, double seconds) {
  if (made.state == Compiled::State::late) return {'-', made.message, ""};
  if (made.state != Compiled::State::good)
    return {made.state == Compiled::State::refused ? 'x' : 'c', made.message, ""};
  Judged out{'r', "", made.module};
  const std::vector<std::string> parameters = parameters_of(made, language);
  if (parameters.empty()) return {'n', "the kernel has not the parameters of its source", made.module};
  const Asked asked = question(p, parameters);
  const auto source = source_test(p);
  if (!source) return {'n', "the source: " + first_message(source.error()), made.module};
  const auto target = target_of(p, made, language, asked);
  if (!target) return {'n', first_message(target.error()), made.module};
  const cat::Model& model = check::fits(*target, models.target) ? models.target : models.newer;
  if (const auto fits = check::fits(*target, model); !fits) return {'n', first_message(fits.error()), made.module};
  Job job = Job::with_budget(seconds);
  const auto r = refine::refine(*source, models.source, *target, model, {}, job, asked.names);
  if (!r) return {'n', first_message(r.error()), made.module};
  out.detail = r->verdict.detail;
  if (r->undefined) {
    out.state = 'v';
  } else if (r->verdict.status == Status::fails) {
    out.state = 'f';
    if (!r->new_states.empty()) {
      std::vector<prog::Observable> shown = r->observables;
      for (prog::Observable& o : shown)
        if (const auto at = asked.names.find(o.text); at != asked.names.end()) o.text = at->second;
      out.detail = unsigned_outcome(p, prog::to_string(shown, r->new_states.front()));
    }
  } else if (r->verdict.status != Status::holds || r->verdict.vacuous) {
    out.state = 'u';
  }
  return out;
}

std::vector<Judged> judge_all(const Configuration& c, const std::vector<Program>& programs, const Models& models,
                              double seconds, const Job& job) {
  const auto made = compile(c, programs, job);
  std::vector<Judged> out;
  for (size_t n = 0; n < programs.size(); ++n)
    out.push_back(judge(programs[n], made[n], c.compiler.language, models, seconds));
  return out;
}

Reason why_forbidden(const Program& p, const std::string& outcome, const Models& models, double seconds) {
  // "0:r0=1; x=2;" as the question of the litmus test.
  std::string condition, text = litmus_of(p);
  for (size_t from = 0, to = outcome.find(';'); to != std::string::npos; from = to + 1, to = outcome.find(';', from)) {
    std::string atom = outcome.substr(from, to - from);
    atom.erase(0, atom.find_first_not_of(' '));
    condition += (condition.empty() ? "" : " /\\ ") + atom;
  }
  text.replace(text.find("exists (true)"), 13, "exists (" + condition + ")");
  const auto test = read::parse_one(source_of("source.litmus", text));
  if (!test) return {};
  Job job = Job::with_budget(seconds);
  const auto told = report::rejected_candidates(*test, models.source, {}, {}, job);
  Reason out;
  // Those that reject the most candidates, and so each of them where one axiom is enough.
  uint64_t most = 0;
  for (const auto& [axiom, count] : told.by_axiom) most = std::max<uint64_t>(most, count);
  for (const auto& [axiom, count] : told.by_axiom)
    if (count == most) out.axioms.push_back(axiom);
  out.story = report::explain("source.litmus", *test, models.source, {}, {}, job).report.text;
  return out;
}

}  // namespace fencepost::translation
