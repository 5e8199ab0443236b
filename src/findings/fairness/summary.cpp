#include "fairness/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>

#include "oracle/oracle.h"

namespace fencepost::fairness {
namespace {

using Verdicts = std::vector<oracle::Pair>;  // of one test, by model

std::string upper(std::string name) {
  for (char& c : name) c = c == '+' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

// A model of that name among those given, or the shipped one.
Expected<fair::Model> model_called(const std::vector<fair::Model>& models, const std::string& name) {
  for (const fair::Model& m : models)
    if (upper(m.name()) == upper(name)) return m;
  return fair::load_model(name);
}

std::string names_of(const std::vector<uint32_t>& which, const std::vector<axb::Test>& tests) {
  constexpr size_t k_most = 12;
  std::string out;
  for (size_t i = 0; i < std::min(which.size(), k_most); ++i) out += (i > 0 ? "; " : "") + tests[which[i]].name;
  if (which.size() > k_most) out += fmt::format(" and {} more", which.size() - k_most);
  return out;
}

}  // namespace

void Runs::add(const trial::Run& r) {
  ++total;
  starved += r.outcome == trial::Outcome::starved;
  hung += r.outcome == trial::Outcome::hung;
  threads |= r.starved();
}

const char* name(Frequency f) {
  switch (f) {
    case Frequency::never:
      return "never";
    case Frequency::sometimes:
      return "sometimes";
    case Frequency::always:
      return "always";
  }
  return "never";
}

Frequency frequency(const Runs& r) {
  return r.bad() == 0 ? Frequency::never : r.bad() == r.total ? Frequency::always : Frequency::sometimes;
}

uint32_t used_locations(const axb::Test& test) {
  std::set<uint32_t> used;
  for (const axb::Thread& t : test.threads)
    for (const axb::Instr& i : t.code) used.insert(i.location);
  return static_cast<uint32_t>(used.size());
}

Expected<Summary> summarise(const std::vector<axb::Test>& tests, const std::vector<Result>& results,
                            const std::vector<fair::Model>& models) {
  std::vector<fair::Model> asked;
  for (const fair::Model& m : models)
    if (upper(m.name()) != "UNFAIR") asked.push_back(m);
  const size_t own = asked.size();
  for (const char* name : {"fair", "lobe"}) {
    auto m = model_called(models, name);
    if (!m) return std::unexpected(m.error());
    asked.push_back(std::move(*m));
  }
  oracle::Decider decider(asked);
  std::map<uint32_t, Verdicts> verdicts;
  for (const Result& r : results) {
    if (verdicts.contains(r.test)) continue;
    const auto decided = decider(tests[r.test]);
    if (!decided) return std::unexpected(decided.error());
    if (!*decided)
      return unsupported_at(tests[r.test].span, fmt::format("{} has too many states to decide", tests[r.test].name));
    verdicts[r.test] = Verdicts((*decided)->begin(), (*decided)->end());
  }
  const auto is_weak = [&](uint32_t test) { return verdicts.at(test)[own].weak; };
  Summary out;
  for (const auto& [test, v] : verdicts) ++(v[own].weak ? out.weak_tests : out.strong_tests);
  for (size_t m = 0; m < own; ++m) {
    ModelRow row;
    row.model = upper(asked[m].name());
    for (const auto& [test, v] : verdicts) {
      row.conformance += is_weak(test) && v[m].weak;
      row.strong_conformance += !is_weak(test) && v[m].strong;
    }
    std::set<uint32_t> violated, explained, strong;
    for (const Result& r : results) {
      if (r.runs.bad() == 0 || (r.any_order && row.model != "OBE" && row.model != "FAIR")) continue;
      const oracle::Pair& v = verdicts.at(r.test)[m];
      if (is_weak(r.test) && v.weak)
        (used_locations(tests[r.test]) > 1 && r.order != exports::Order::seq_cst ? explained : violated).insert(r.test);
      else if (!is_weak(r.test) && v.strong)
        strong.insert(r.test);
    }
    for (const uint32_t t : violated) explained.erase(t);
    row.violated.assign(violated.begin(), violated.end());
    row.explained.assign(explained.begin(), explained.end());
    row.strong.assign(strong.begin(), strong.end());
    out.models.push_back(std::move(row));
  }
  for (const Result& r : results) {
    auto at = std::find_if(out.mappings.begin(), out.mappings.end(),
                           [&](const MappingRow& row) { return row.mapping == r.mapping; });
    if (at == out.mappings.end()) {
      out.mappings.push_back({r.mapping});
      at = out.mappings.end() - 1;
    }
    const Frequency f = frequency(r.runs);
    ++at->tests;
    ++(f == Frequency::never ? at->never : f == Frequency::always ? at->always : at->sometimes);
    at->hung += r.runs.hung > 0;
    if (!is_weak(r.test) || verdicts.at(r.test)[own + 1].weak) continue;
    ++at->beyond;
    at->beyond_starved += f != Frequency::never;
  }
  return out;
}

std::string to_text(const Summary& s, const std::vector<axb::Test>& tests) {
  std::string out = fmt::format("{:<12} {:>6} {:>7} {:>10} {:>7} {:>6} {:>22}\n", "mapping", "tests", "never",
                                "sometimes", "always", "hung", "starved beyond LOBE");
  for (const MappingRow& r : s.mappings)
    out += fmt::format("{:<12} {:>6} {:>7} {:>10} {:>7} {:>6} {:>22}\n", r.mapping, r.tests, r.never, r.sometimes,
                       r.always, r.hung, fmt::format("{} of {}", r.beyond_starved, r.beyond));
  out +=
      fmt::format("\n{:<12} {:>18} {:>20} {:>18}\n", "model", "weak violated", "maybe weak memory", "strong starved");
  for (const ModelRow& r : s.models)
    out +=
        fmt::format("{:<12} {:>18} {:>20} {:>18}\n", r.model, fmt::format("{} of {}", r.violated.size(), r.conformance),
                    r.explained.size(), fmt::format("{} of {}", r.strong.size(), r.strong_conformance));
  for (const ModelRow& r : s.models) {
    if (!r.violated.empty()) out += fmt::format("{} is violated by {}\n", r.model, names_of(r.violated, tests));
    if (!r.explained.empty())
      out += fmt::format("{}: weak memory could explain {}; --order seq_cst tells\n", r.model,
                         names_of(r.explained, tests));
  }
  return out;
}

std::string to_json(const Summary& s, const std::vector<axb::Test>& tests) {
  using Json = nlohmann::ordered_json;
  const auto names = [&](const std::vector<uint32_t>& which) {
    Json list = Json::array();
    for (const uint32_t t : which) list.push_back(tests[t].name);
    return list;
  };
  Json mappings = Json::array(), models = Json::array();
  for (const MappingRow& r : s.mappings)
    mappings.push_back({{"mapping", r.mapping},
                        {"tests", r.tests},
                        {"never", r.never},
                        {"sometimes", r.sometimes},
                        {"always", r.always},
                        {"hung", r.hung},
                        {"beyond_lobe", r.beyond},
                        {"beyond_lobe_starved", r.beyond_starved}});
  for (const ModelRow& r : s.models)
    models.push_back({{"model", r.model},
                      {"conformance", r.conformance},
                      {"violated", names(r.violated)},
                      {"maybe_weak_memory", names(r.explained)},
                      {"strong_conformance", r.strong_conformance},
                      {"strong_starved", names(r.strong)}});
  const Json all = {
      {"weak_tests", s.weak_tests}, {"strong_tests", s.strong_tests}, {"mappings", mappings}, {"models", models}};
  return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace fencepost::fairness
