#include "cli/phase_fixes.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "cli/fence_readings.h"
#include "print/litmus.h"
#include "prog/shape.h"
#include "read/read.h"

namespace fencepost::cli {
namespace {

using prog::Instr;
using prog::k_none;

std::vector<std::string> operands_of(const Instr& i) {
  std::vector<std::string> out(1);
  size_t depth = 0;
  for (const char c : i.operands.value_or("")) {
    depth += c == '[' || c == '{' ? 1 : 0;
    depth -= c == ']' || c == '}' ? 1 : 0;
    if (c == ',' && depth == 0)
      out.emplace_back();
    else if (c != ' ' || !out.back().empty())
      out.back() += c;
  }
  return out;
}
bool has(const std::vector<std::string>& words, std::string_view w) {
  return std::find(words.begin(), words.end(), w) != words.end();
}

// Bytes that an asynchronous operation announces to an mbarrier, and which: "[m]"; 0 of others.
std::pair<uint64_t, std::string> signal_of(const Instr& i) {
  const auto words = prog::words_of(i.mnemonic);
  const auto operands = operands_of(i);
  if (!has(words, "mbarrier::complete_tx::bytes")) return {0, ""};
  if (words[0] == "cp" && operands.size() == 4) return {std::strtoull(operands[2].c_str(), nullptr, 10), operands[3]};
  if ((words[0] == "st" || words[0] == "red") && operands.size() == 3 && words.back().size() == 3)
    return {words.back().ends_with("64") ? 8 : 4, operands[2]};
  return {0, ""};
}

bool is_plain_arrival(const Instr& i) {
  const auto words = prog::words_of(i.mnemonic);
  return words[0] == "mbarrier" && has(words, "arrive") && !has(words, "expect_tx") && !has(words, "noComplete") &&
         operands_of(i).size() == 2;
}
bool is_parity_wait(const Instr& i) {
  const auto words = prog::words_of(i.mnemonic);
  return words[0] == "mbarrier" && has(words, "parity") && operands_of(i).size() == 3;
}

std::string text_of(const Instr& i) { return i.mnemonic + " " + i.operands.value_or(""); }

struct Edit {
  uint32_t thread = 0, instr = 0;
  std::string mnemonic, operands;
};

// The places that break a rule of the header, in the order of the code.
std::vector<Edit> edits_of(const prog::Test& test) {
  std::vector<Edit> out;
  for (uint32_t t = 0; t < test.threads.size(); ++t) {
    const auto& code = test.instrs(t);
    std::map<std::string, uint64_t> waits;
    for (uint32_t k = 0; k < code.size(); ++k) {
      if (code[k].hidden) continue;
      if (is_parity_wait(code[k])) {
        auto operands = operands_of(code[k]);
        const std::string parity = std::to_string(waits[operands[1]]++ % 2);
        if (operands[2] == parity || (operands[2] != "0" && operands[2] != "1")) continue;
        out.push_back({t, k, code[k].mnemonic, fmt::format("{}, {}, {}", operands[0], operands[1], parity)});
      } else if (is_plain_arrival(code[k])) {
        const auto operands = operands_of(code[k]);
        uint64_t bytes = 0;
        for (uint32_t j = k + 1; j < code.size(); ++j) {
          if (code[j].hidden) continue;
          const auto others = operands_of(code[j]);
          if (prog::words_of(code[j].mnemonic)[0] == "mbarrier" && others.size() > 1 && others[1] == operands[1]) break;
          if (const auto [n, at] = signal_of(code[j]); at == operands[1]) bytes += n;
        }
        if (bytes == 0) continue;
        std::string mnemonic = code[k].mnemonic;
        mnemonic.insert(mnemonic.find(".arrive") + std::string(".arrive").size(), ".expect_tx");
        out.push_back({t, k, std::move(mnemonic), fmt::format("{}, {}, {}", operands[0], operands[1], bytes)});
      }
    }
  }
  return out;
}

// Edits of the same instruction, in the same place of the code of several threads.
std::vector<std::vector<Edit>> groups_of(const prog::Test& test, const std::vector<Edit>& edits) {
  std::vector<std::vector<Edit>> out;
  const auto text = [&](const Edit& e) { return text_of(test.instrs(e.thread)[e.instr]); };
  for (const Edit& e : edits) {
    const auto at = std::find_if(out.begin(), out.end(), [&](const auto& g) {
      return g.front().instr == e.instr && g.front().operands == e.operands && text(g.front()) == text(e);
    });
    if (at == out.end())
      out.push_back({e});
    else
      at->push_back(e);
  }
  return out;
}

std::optional<prog::Test> edited(const prog::Test& test, const std::vector<std::vector<Edit>>& groups) {
  prog::Test out = test;
  for (const auto& g : groups)
    for (const Edit& e : g) {
      prog::Template code = out.code(e.thread);
      code.code[e.instr].mnemonic = e.mnemonic;
      code.code[e.instr].operands = e.operands;
      out.threads[e.thread].templ = prog::intern_template(out, std::move(code));
    }
  auto read = read::parse_one(make_source(test.span.source ? test.span.source->name : "changed", print::print(out)));
  return read ? std::optional(std::move(*read)) : std::nullopt;
}

// Holds, fails or is open, over all properties.
Status status_of(const prog::Test& test, const cat::Model& model, const relax::Options& options, double seconds) {
  Status all = Status::holds;
  for (const check::Property p : options.keep) {
    if (p == check::Property::races && !options.keep_is_explicit) continue;
    check::Options o = options.check;
    o.property = p;
    Job job = Job::with_budget(seconds);
    const check::Result r = check::check(test, model, o, job);
    if (r.verdict.status == Status::fails) return Status::fails;
    if (r.verdict.status != Status::holds || r.verdict.vacuous) all = Status::unknown;
  }
  return all;
}

}  // namespace

std::optional<PhaseFix> phase_fix(const prog::Test& asked, const cat::Model& model, const relax::Options& options,
                                  double seconds, ModelCache& models) {
  if (prog::needs_ptx9(asked) == nullptr || asked.quantifier == prog::Quantifier::exists ||
      asked.quantifier == prog::Quantifier::none)
    return std::nullopt;
  std::vector<std::vector<Edit>> groups = groups_of(asked, edits_of(asked));
  if (groups.empty() || status_of(asked, model, options, seconds) != Status::fails) return std::nullopt;
  std::optional<prog::Test> best = edited(asked, groups);
  if (!best || status_of(*best, model, options, seconds) != Status::holds) return std::nullopt;
  for (size_t k = 0; k < groups.size();) {
    auto fewer = groups;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
    auto changed = fewer.empty() ? std::nullopt : edited(asked, fewer);
    if (!changed || status_of(*changed, model, options, seconds) != Status::holds) {
      ++k;
      continue;
    }
    groups = std::move(fewer);
    best = std::move(changed);
  }
  PhaseFix out;
  for (const auto& g : groups) {
    const Instr& i = asked.instrs(g.front().thread)[g.front().instr];
    PhaseChange c{{}, g.front().instr, text_of(i), g.front().mnemonic + " " + g.front().operands, i.span};
    for (const Edit& e : g) c.threads.push_back(e.thread);
    out.changes.push_back(std::move(c));
  }
  for (const Reading& r : readings_of(model, models)) {
    const Status s = status_of(*best, *r.model, options, seconds);
    if (s != Status::holds) (s == Status::fails ? out.not_under : out.unknown_under).push_back(r.answer);
  }
  out.test = std::move(*best);
  return out;
}

std::string phase_text(const PhaseFix& fix) {
  std::string out =
      fmt::format("phases: {} change{} of mbarrier operations, each needed, make{} it hold\n", fix.changes.size(),
                  fix.changes.size() == 1 ? "" : "s", fix.changes.size() == 1 ? "s" : "");
  for (const PhaseChange& c : fix.changes) {
    std::string threads, place;
    for (const uint32_t t : c.threads) threads += fmt::format("{}P{}", threads.empty() ? "" : ", ", t);
    if (c.span.source)
      place = fmt::format("{}:{}  ", std::filesystem::path(c.span.source->name).filename().string(),
                          c.span.position().line);
    out += fmt::format("    {}{}: {}  -> {}\n", place, threads, c.was, c.becomes);
  }
  if (fix.not_under.empty() && fix.unknown_under.empty())
    return out + "readings: the changes of phases are enough under every answer\n";
  std::string not_under, unknown;
  for (const std::string& a : fix.not_under) not_under += (not_under.empty() ? "" : ", ") + a;
  for (const std::string& a : fix.unknown_under) unknown += (unknown.empty() ? "" : ", ") + a;
  return out + fmt::format("readings: the changes of phases are {}{}{}\n",
                           not_under.empty() ? "" : "not enough under " + not_under,
                           not_under.empty() || unknown.empty() ? "" : "; ",
                           unknown.empty() ? "" : "undecided under " + unknown);
}

}  // namespace fencepost::cli
