#include "hunt/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "hunt/configuration.h"
#include "hunt/gate.h"
#include "hunt/walk.h"

namespace fencepost::hunt {
namespace {

using Json = nlohmann::ordered_json;

Effect effect_of(const std::string& word) {
  for (uint8_t e = 0; e < static_cast<uint8_t>(Effect::count_); ++e)
    if (word == name(static_cast<Effect>(e))) return static_cast<Effect>(e);
  return Effect::count_;
}

void count(Counts& c, const std::string& states) {
  for (const char s : states) {
    ++c.tests;
    ++(s == 'r'   ? c.right
       : s == 'a' ? c.allowed
       : s == 'f' ? c.fault
       : s == 'n' ? c.named
       : s == 'x' ? c.refused
                  : c.failed);
  }
}

// What each test has, as one text, so that two configurations can be compared.
using Marks = std::map<uint64_t, std::string>;

Difference compare(const std::string& one, const std::string& other, const std::map<uint64_t, std::string>& a,
                   const std::map<uint64_t, std::string>& b, const Marks& marks_a, const Marks& marks_b) {
  Difference d{one, other};
  for (const auto& [batch, states] : a) {
    const auto there = b.find(batch);
    if (there == b.end()) continue;
    for (size_t n = 0; n < std::min(states.size(), there->second.size()); ++n) {
      const char x = states[n], y = there->second[n];
      if (x == 'x' || y == 'x' || x == 'c' || y == 'c') continue;
      ++d.both;
      const uint64_t test = batch * states.size() + n;
      const auto of = [&](const Marks& m) {
        const auto at = m.find(test);
        return at == m.end() ? std::string() : at->second;
      };
      if (x == 'f' && y != 'f')
        ++d.fault_in_one;
      else if (y == 'f' && x != 'f')
        ++d.fault_in_other;
      else if (of(marks_a) != of(marks_b))
        ++d.weakened_otherwise;
      else
        ++d.same;
    }
  }
  return d;
}

std::string table(const Summary& s) {
  std::string out = fmt::format("{:<26} {:>7} {:>7} {:>8} {:>6} {:>6} {:>8} {:>7}\n", "configuration", "tests", "right",
                                "weakened", "fault", "named", "refused", "failed");
  for (const auto& [configuration, c] : s.counts)
    out += fmt::format("{:<26} {:>7} {:>7} {:>8} {:>6} {:>6} {:>8} {:>7}\n", configuration, c.tests, c.right, c.allowed,
                       c.fault, c.named, c.refused, c.failed);
  return out;
}

std::string fault_text(const Fault& f) {
  std::string out =
      fmt::format("\n{}: {}\n  test     {}\n  at       {}: {}\n", f.known.empty() ? "NEW FAULT" : "known fault",
                  f.signature, f.reduced, f.culprit, f.detail);
  out += fmt::format("  clause   {}\n", clause(effect_of(f.effect)));
  std::string wrong, right;
  for (const auto& [configuration, what] : f.table) {
    if (what == "fault") wrong += (wrong.empty() ? "" : ", ") + configuration;
    if (what.starts_with("right")) right += (right.empty() ? "" : ", ") + configuration;
  }
  out += fmt::format("  wrong    {}\n", wrong);
  if (!right.empty()) out += fmt::format("  right    {}\n", right);
  if (!f.known.empty()) out += fmt::format("  known    {}\n", f.known);
  return out;
}

}  // namespace

Expected<Summary> summary_of(const Ledger& ledger, const std::string& store) {
  Summary s;
  s.store = store;
  s.seed = ledger.seed();
  std::map<std::string, std::map<uint64_t, std::string>> states;
  std::map<std::string, Marks> marks;
  Walker w;
  w.batches = [&](const std::string& c, const std::map<uint64_t, std::string>& of) {
    Counts counts;
    for (const auto& [batch, letters] : of) count(counts, letters);
    s.counts.emplace_back(c, counts);
    states[c] = of;
  };
  w.row = [&](const std::string& c, const Row& r) {
    const Effect e = effect_of(r.effect);
    if (r.effect == "refused") {
      ++s.refusals[r.detail];
      return;
    }
    if (e == Effect::count_ || level_of(e) == Level::named) ++s.unread[r.effect + ": " + r.detail];
    if (e != Effect::count_ && level_of(e) == Level::allowed) {
      ++s.effects[r.effect];
      marks[c][r.test] += r.effect + " " + r.culprit + ";";
    }
  };
  auto faults = walk(ledger, w);
  if (!faults) return std::unexpected(faults.error());
  s.faults = std::move(*faults);
  for (size_t i = 0; i < s.counts.size(); ++i)
    for (size_t j = i + 1; j < s.counts.size(); ++j) {
      const std::string &one = s.counts[i].first, &other = s.counts[j].first;
      if (target_of(one) == target_of(other))
        s.differences.push_back(compare(one, other, states[one], states[other], marks[one], marks[other]));
    }
  return s;
}

std::string text_of(const Summary& s) {
  std::string out = table(s);
  for (const Fault& f : s.faults) out += fault_text(f);
  if (!s.effects.empty()) out += "\nWeakenings that the model allows (findings):\n";
  for (const auto& [word, n] : s.effects)
    out += fmt::format("  {:<15} {:>8}  {}. ({})\n", word, n, sentence(effect_of(word)), clause(effect_of(word)));
  if (!s.unread.empty()) out += "\nNot judged:\n";
  for (const auto& [what, n] : s.unread) out += fmt::format("  {:>8}  {}\n", n, what);
  if (!s.differences.empty())
    out += fmt::format("\n{:<26} {:<26} {:>7} {:>7} {:>10} {:>10} {:>9}\n", "one", "other", "both", "same", "only one",
                       "only other", "weakened");
  for (const Difference& d : s.differences)
    out += fmt::format("{:<26} {:<26} {:>7} {:>7} {:>10} {:>10} {:>9}\n", d.one, d.other, d.both, d.same,
                       d.fault_in_one, d.fault_in_other, d.weakened_otherwise);
  if (!s.differences.empty())
    out +=
        "both: compiled by both; only one, only other: tests with a fault in that one alone; weakened: allowed, but "
        "not alike\n";
  const auto fresh = std::ranges::count_if(s.faults, [](const Fault& f) { return f.known.empty(); });
  out += fmt::format("\n{} signature{} of faults, {} of them new{}\n", s.faults.size(), s.faults.size() == 1 ? "" : "s",
                     fresh, s.complete ? "" : "; the budget ended before the tests did");
  return out;
}

std::string json_of(const PtxTest& test, const std::string& configuration, const Judged& j) {
  Json out = {{"schema", "fencepost.hunt-test/1"},
              {"test", to_string(test)},
              {"configuration", configuration},
              {"verdict", j.verdict},
              {"message", j.message},
              {"listing", j.listing},
              {"findings", Json::array()}};
  for (const Finding& f : j.findings)
    out["findings"].push_back({{"effect", name(f.effect)},
                               {"culprit", to_string(test.body[f.culprit])},
                               {"sentence", sentence(f.effect)},
                               {"detail", f.detail}});
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string json_of(const Summary& s) {
  Json j = {{"schema", "fencepost.hunt/1"}, {"store", s.store}, {"seed", s.seed}, {"complete", s.complete}};
  j["configurations"] = Json::array();
  for (const auto& [configuration, c] : s.counts)
    j["configurations"].push_back({{"name", configuration},
                                   {"tests", c.tests},
                                   {"right", c.right},
                                   {"weakened", c.allowed},
                                   {"fault", c.fault},
                                   {"named", c.named},
                                   {"refused", c.refused},
                                   {"failed", c.failed}});
  j["faults"] = Json::array();
  for (const Fault& f : s.faults) {
    Json one = {{"signature", f.signature},
                {"effect", f.effect},
                {"known", f.known},
                {"test", f.reduced},
                {"drawn", f.test},
                {"culprit", f.culprit},
                {"configuration", f.configuration},
                {"detail", f.detail},
                {"clause", clause(effect_of(f.effect))},
                {"listing", f.listing},
                {"right_listing", f.right_listing},
                {"right_configuration", f.right_where}};
    one["configurations"] = f.table;
    j["faults"].push_back(one);
  }
  j["weakenings"] = Json::array();
  for (const auto& [word, n] : s.effects)
    j["weakenings"].push_back({{"effect", word},
                               {"findings", n},
                               {"sentence", sentence(effect_of(word))},
                               {"clause", clause(effect_of(word))}});
  j["not_judged"] = Json::array();
  for (const auto& [what, n] : s.unread) j["not_judged"].push_back({{"what", what}, {"findings", n}});
  j["refusals"] = Json::array();
  for (const auto& [what, n] : s.refusals) j["refusals"].push_back({{"message", what}, {"tests", n}});
  j["differences"] = Json::array();
  for (const Difference& d : s.differences)
    j["differences"].push_back({{"one", d.one},
                                {"other", d.other},
                                {"both", d.both},
                                {"same", d.same},
                                {"fault_in_one", d.fault_in_one},
                                {"fault_in_other", d.fault_in_other},
                                {"weakened_otherwise", d.weakened_otherwise}});
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fencepost::hunt
