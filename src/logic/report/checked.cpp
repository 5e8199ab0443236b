// The verb `check`: a test is decided and the answer told. Beside the question itself other readings of the model's
// document are asked, where somebody wants them, and the other answers to what the document leaves open: an answer that
// hangs on one of those is told with the sentence that it assumes.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cat/library.h"
#include "prog/test.h"
#include "report/report.h"
#include "vocab/vocab.h"

namespace fencepost::report {
namespace {

vocab::TagSet tags_of(const prog::Test& test) {
  vocab::TagSet all;
  for (const prog::Template& k : test.templates)
    for (const prog::Instr& i : k.code) all = all | i.tags | i.store_tags;
  return all;
}

bool has_all(const vocab::TagSet& tags, const std::vector<std::string>& needed) {
  return std::all_of(needed.begin(), needed.end(), [&](const std::string& name) {
    const auto tag = vocab::find_tag(name);
    return tag && tags.has(*tag);
  });
}

// Whether an instruction has all these tags, and none of those after a "~".
bool has_instruction(const prog::Test& test, const std::vector<std::string>& needed) {
  const auto meets = [&](const prog::Instr& i) {
    const vocab::TagSet tags = i.tags | i.store_tags;
    return std::all_of(needed.begin(), needed.end(), [&](const std::string& name) {
      const bool without = name.starts_with('~');
      const auto tag = vocab::find_tag(name.substr(without ? 1 : 0));
      return tag && tags.has(*tag) != without;
    });
  };
  return std::any_of(test.templates.begin(), test.templates.end(),
                     [&](const prog::Template& k) { return std::any_of(k.code.begin(), k.code.end(), meets); });
}

// The model with each other answer to the question, and that answer.
std::vector<std::pair<std::string, const cat::Model*>> other_answers(const cat::Model& model, const cat::Assumed& a,
                                                                     const Around& around) {
  std::vector<std::pair<std::string, const cat::Model*>> out;
  const std::string mine = fmt::format("{}-{}", a.name, a.answer);
  for (const auto& [set, node] : model.names) {
    if (!set.starts_with(a.name + "-") || set == mine) continue;
    std::string all;
    for (const auto& [question, answer] : model.variants)
      all += fmt::format("{}{}={}", all.empty() ? "" : ",", question,
                         question == a.name ? set.substr(a.name.size() + 1) : answer);
    const auto other = around.model(fmt::format("{}[{}]", model.path, all));
    if (other) out.emplace_back(set.substr(a.name.size() + 1), *other);
  }
  return out;
}

// Of the readings that the model's head names (cat::readings_of), each asked like the model itself. Sentences are those
// of the head whose tags the test has.
std::vector<OtherReading> other_readings(const prog::Test& test, const cat::Model& model, const check::Options& options,
                                         const Around& around) {
  const vocab::TagSet tags = tags_of(test);
  std::vector<OtherReading> out;
  for (const cat::Reading& r : cat::readings_of(model.path)) {
    auto at = std::find_if(out.begin(), out.end(), [&](const auto& o) { return o.model == r.model; });
    if (at == out.end()) {
      at = out.insert(out.end(), {r.model, {Status::unsupported, "the model cannot be read"}, {}});
      if (const auto other = around.model(r.model)) {
        Job job = around.job();
        at->verdict = check::check(test, **other, options, job).verdict;
      }
    }
    if (has_all(tags, r.needs)) at->sentences.push_back(r.sentence);
  }
  return out;
}

// Of the answers that the model's head says are assumed (cat::assumed_of), those on which `result` rests: under
// another answer to the same question, asked like the model itself, it is another one, or is not decided. Each as an
// assumption, "MM=meet: SENTENCE (MM=alias says holds)". None where the user names the answer, where the test has not
// the tags, or where `result` is undecided.
std::vector<std::string> assumed_answers(const prog::Test& test, const cat::Model& model, const check::Options& options,
                                         const check::Result& result, const Around& around) {
  std::vector<std::string> out;
  const Status mine = result.verdict.status;
  if (model.variants.empty() || (mine != Status::holds && mine != Status::fails)) return out;
  const auto named = cat::split_model_name(around.named).variants;
  for (const cat::Assumed& a : cat::assumed_of(model.path)) {
    if (a.flags_only && options.property != check::Property::races) continue;
    if (!has_instruction(test, a.needs)) continue;
    if (std::any_of(named.begin(), named.end(), [&](const auto& v) { return v.first == a.name; })) continue;
    std::string others;
    for (const auto& [answer, other] : other_answers(model, a, around)) {
      Job job = around.job();
      const check::Result r = check::check(test, *other, options, job);
      const bool same = r.verdict.status == mine && r.verdict.vacuous == result.verdict.vacuous;
      if (!same)
        others += fmt::format("{}{}={} says {}", others.empty() ? "" : ", ", a.name, answer, name(r.verdict.status));
    }
    if (!others.empty()) out.push_back(fmt::format("{}={}: {} ({})", a.name, a.answer, a.sentence, others));
  }
  return out;
}

}  // namespace

Checked checked(const std::string& path, const prog::Test& test, const cat::Model& model, const check::Options& options,
                const Around& around, bool json, Job& job) {
  Checked out;
  out.result = check::check(test, model, options, job);
  const check::Beside beside = check::beside(test, model, options, out.result, job);
  std::vector<OtherReading> readings;
  if (around.readings) readings = other_readings(test, model, options, around);
  out.other_readings = !readings.empty();
  prog::Test told = test;  // with what the answer takes for granted
  for (std::string& a : assumed_answers(test, model, options, out.result, around))
    told.assumptions.push_back(std::move(a));
  out.answer = json ? check_json(path, told, model, options, out.result, beside, readings)
                    : check_line(path, told, model, options, out.result, beside, readings) + "\n";
  return out;
}

}  // namespace fencepost::report
