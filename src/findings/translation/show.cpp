#include "translation/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hunt/walk.h"

namespace fencepost::translation {
namespace {

using hunt::Fault;
using Json = nlohmann::ordered_json;

void count(Counts& c, const std::string& states) {
  for (const char s : states) {
    ++c.tests;
    ++(s == 'r'   ? c.right
       : s == 'f' ? c.fault
       : s == 'v' ? c.vacuous
       : s == 'u' ? c.undecided
       : s == 'n' ? c.named
       : s == 'x' ? c.refused
                  : c.failed);
  }
}

std::string list(const char* title, const std::map<std::string, uint64_t>& rows) {
  if (rows.empty()) return {};
  std::string out = fmt::format("\n{}:\n", title);
  std::vector<std::pair<std::string, uint64_t>> sorted(rows.begin(), rows.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr size_t most = 20;
  for (size_t k = 0; k < std::min(most, sorted.size()); ++k)
    out += fmt::format("  {:>8}  {}\n", sorted[k].second, sorted[k].first);
  if (sorted.size() > most)
    out += fmt::format("            and {} more messages; --json has all\n", sorted.size() - most);
  return out;
}

std::string where(const Fault& f, const std::string& word) {
  std::string out;
  for (const auto& [configuration, what] : f.table)
    if (what == word) out += (out.empty() ? "" : ", ") + configuration;
  return out;
}

std::string fault_text(const Fault& f, uint64_t programs) {
  std::string out = fmt::format("\n{}: {}, {} program{}\n  smallest {}\n  at       {}\n  outcome  {}\n",
                                f.known.empty() ? "NEW FAULT" : "known fault", f.signature, programs,
                                programs == 1 ? "" : "s", f.reduced, f.culprit, f.detail);
  out += fmt::format("  forbids  {}\n", f.reason.substr(0, f.reason.find('\n')));
  out += fmt::format("  wrong    {}\n", where(f, "fault"));
  if (const std::string right = where(f, "right"); !right.empty()) out += fmt::format("  right    {}\n", right);
  if (!f.repair.empty()) out += fmt::format("  right as {}\n", f.repair);
  if (!f.known.empty()) out += fmt::format("  known    {}\n", f.known);
  return out;
}

}  // namespace

Expected<Summary> summary_of(const hunt::Ledger& ledger, const std::string& store) {
  Summary s;
  s.store = store;
  s.language = ledger.language();
  s.seed = ledger.seed();
  uint64_t failing = 0, explained = 0;
  hunt::Walker w;
  w.batches = [&](const std::string& c, const std::map<uint64_t, std::string>& states) {
    Counts counts;
    for (const auto& [batch, letters] : states) count(counts, letters);
    failing += counts.fault;
    s.counts.emplace_back(c, counts);
  };
  w.row = [&](const std::string&, const hunt::Row& r) {
    if (r.effect == "named") ++s.named[r.detail];
    if (r.effect == "undecided") ++s.undecided[r.detail];
    if (r.effect == "refused") ++s.refusals[r.detail];
    if (r.effect == "failed") ++s.failures[r.detail];
    if (r.effect == "respelt") ++s.respelt[fmt::format("{}: {}", r.culprit, r.detail)];
    if (r.effect == "explained") ++s.explained[r.culprit], ++explained;
  };
  auto faults = walk(ledger, w);
  if (!faults) return std::unexpected(faults.error());
  s.faults = std::move(*faults);
  s.unexplained = failing - std::min(failing, explained);
  return s;
}

std::string text_of(const Summary& s) {
  std::string out = fmt::format("{:<24} {:>8} {:>7} {:>6} {:>8} {:>10} {:>6} {:>8} {:>7}\n", "configuration",
                                "programs", "right", "fault", "vacuous", "undecided", "named", "refused", "failed");
  for (const auto& [configuration, c] : s.counts)
    out += fmt::format("{:<24} {:>8} {:>7} {:>6} {:>8} {:>10} {:>6} {:>8} {:>7}\n", configuration, c.tests, c.right,
                       c.fault, c.vacuous, c.undecided, c.named, c.refused, c.failed);
  out += "vacuous: the source has a race, so that everything is allowed\n";
  for (const Fault& f : s.faults) {
    const auto n = s.explained.find(f.signature);
    out += fault_text(f, n == s.explained.end() ? 0 : n->second);
  }
  out += list("Not read (programs)", s.named) + list("Undecided (programs)", s.undecided) +
         list("Not compiled in their spelling, so spelt ref (statements)", s.respelt) +
         list("Refused by a compiler (programs)", s.refusals) + list("Failed (programs)", s.failures);
  const auto fresh = std::ranges::count_if(s.faults, [](const Fault& f) { return f.known.empty(); });
  out += fmt::format("\n{} signature{} of faults, {} of them new; {} failing program{} without a signature{}\n",
                     s.faults.size(), s.faults.size() == 1 ? "" : "s", fresh, s.unexplained,
                     s.unexplained == 1 ? "" : "s", s.complete ? "" : "; the budget ended before the programs did");
  return out;
}

std::string json_of(const Summary& s) {
  Json j = {{"schema", "fencepost.hunt-translation/1"},
            {"store", s.store},
            {"language", s.language},
            {"seed", s.seed},
            {"complete", s.complete},
            {"unexplained", s.unexplained}};
  j["configurations"] = Json::array();
  for (const auto& [configuration, c] : s.counts)
    j["configurations"].push_back({{"name", configuration},
                                   {"programs", c.tests},
                                   {"right", c.right},
                                   {"fault", c.fault},
                                   {"vacuous", c.vacuous},
                                   {"undecided", c.undecided},
                                   {"named", c.named},
                                   {"refused", c.refused},
                                   {"failed", c.failed}});
  j["faults"] = Json::array();
  for (const Fault& f : s.faults) {
    const auto n = s.explained.find(f.signature);
    Json one = {{"signature", f.signature},
                {"known", f.known},
                {"program", f.reduced},
                {"drawn", f.test},
                {"culprit", f.culprit},
                {"right_as", f.repair},
                {"configuration", f.configuration},
                {"outcome", f.detail},
                {"reason", f.reason},
                {"programs", n == s.explained.end() ? 0 : n->second},
                {"module", f.listing},
                {"right_module", f.right_listing},
                {"right_configuration", f.right_where}};
    one["configurations"] = f.table;
    j["faults"].push_back(one);
  }
  const auto listed = [&](const char* key, const std::map<std::string, uint64_t>& rows) {
    j[key] = Json::array();
    for (const auto& [what, n] : rows) j[key].push_back({{"message", what}, {"programs", n}});
  };
  listed("not_read", s.named);
  listed("undecided", s.undecided);
  listed("refusals", s.refusals);
  listed("failures", s.failures);
  j["respelt"] = Json::array();
  for (const auto& [what, n] : s.respelt) j["respelt"].push_back({{"message", what}, {"statements", n}});
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string json_of(const Program& p, const std::string& configuration, const Judged& j) {
  const Json out = {{"schema", "fencepost.hunt-program/1"}, {"program", to_string(p)}, {"configuration", configuration},
                    {"verdict", word_of(j.state)},          {"detail", j.detail},      {"module", j.module}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fencepost::translation
