#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "classify/classify.h"

namespace fencepost::classify {
namespace {

using oracle::Fairness;
constexpr Fairness k_fairness[] = {Fairness::weak, Fairness::strong};
constexpr const char* k_script_models[] = {"HSA", "OBE", "LOBE", "FAIR"};  // in the order of booking

bool passes_column(const std::vector<oracle::Pair>& verdicts, Column c) {
  return passes(verdicts[c.model], c.fairness);
}

template <class Must>
bool distinguishes(const Order& order, const std::vector<oracle::Pair>& verdicts, Column column,
                   const Must& must_fail) {
  if (!passes_column(verdicts, column)) return false;
  for (uint32_t m = 0; m < order.models(); ++m)
    for (Fairness f : k_fairness)
      if (must_fail(Column{m, f}) && passes_column(verdicts, {m, f})) return false;
  return true;
}

Expected<std::vector<uint32_t>> script_models(const Suite& suite) {
  std::vector<uint32_t> found;
  for (const char* name : k_script_models) {
    const auto at = std::find(suite.models.begin(), suite.models.end(), name);
    if (at == suite.models.end())
      return error_at({}, fmt::format("the published script's rule needs the model {}", name),
                      "classify under HSA, OBE, LOBE and FAIR, or use the literal or the strict rule");
    found.push_back(static_cast<uint32_t>(at - suite.models.begin()));
  }
  return found;
}

Expected<Table> by_script(const Suite& suite, const Order& order, Table table) {
  const auto models = script_models(suite);
  if (!models) return std::unexpected(models.error());
  const uint32_t fair = models->back();
  for (uint32_t m : *models)
    for (Fairness f : k_fairness) table.entries.push_back({{m, f}, {}, {}});
  auto entry = [&](size_t k, Fairness f) -> Entry& { return table.entries[2 * k + (f == Fairness::strong)]; };
  for (uint32_t t = 0; t < suite.tests.size(); ++t) {
    const std::vector<oracle::Pair>& v = suite.verdicts[t];
    const Fairness f = v[fair].weak ? Fairness::weak : Fairness::strong;
    ++(f == Fairness::weak ? table.weak_tests : table.strong_tests);
    // A test that passes none of the four, not even strong FAIR, is booked under FAIR too: the script does so.
    size_t booked = models->size() - 1;
    for (size_t k = 0; k + 1 < models->size(); ++k)
      if (passes(v[(*models)[k]], f)) {
        booked = k;
        break;
      }
    entry(booked, f).distinguishing.push_back(t);
    for (size_t k = 0; k < models->size(); ++k)
      if (order.at_most({(*models)[booked], f}, {(*models)[k], f})) entry(k, f).conformance.push_back(t);
  }
  return table;
}

}  // namespace

const char* name(Rule r) {
  switch (r) {
    case Rule::literal:
      return "literal";
    case Rule::strict:
      return "strict";
    case Rule::script:
      return "script";
  }
  return "literal";
}

std::optional<Rule> rule_named(std::string_view word) {
  for (Rule r : {Rule::literal, Rule::strict, Rule::script})
    if (word == name(r)) return r;
  return std::nullopt;
}

bool literally_distinguishes(const Order& order, const std::vector<oracle::Pair>& verdicts, Column column) {
  return distinguishes(order, verdicts, column, [&](Column other) { return order.weaker(other, column); });
}

bool strictly_distinguishes(const Order& order, const std::vector<oracle::Pair>& verdicts, Column column) {
  return distinguishes(order, verdicts, column, [&](Column other) { return !order.at_most(column, other); });
}

Expected<Table> classify(const Suite& suite, const Order& order, Rule rule) {
  FENCEPOST_INVARIANT(order.models() == suite.models.size(), "an order is of the models of its suite");
  Table table;
  table.rule = rule;
  table.models = suite.models;
  table.tests = suite.tests;
  if (rule == Rule::script) return by_script(suite, order, std::move(table));
  table.weak_tests = table.strong_tests = static_cast<uint32_t>(suite.tests.size());
  for (uint32_t m = 0; m < suite.models.size(); ++m)
    for (Fairness f : k_fairness) {
      Entry e{{m, f}, {}, {}};
      for (uint32_t t = 0; t < suite.tests.size(); ++t) {
        const std::vector<oracle::Pair>& v = suite.verdicts[t];
        if (passes(v[m], f)) e.conformance.push_back(t);
        if (rule == Rule::strict ? strictly_distinguishes(order, v, e.column)
                                 : literally_distinguishes(order, v, e.column))
          e.distinguishing.push_back(t);
      }
      table.entries.push_back(std::move(e));
    }
  return table;
}

std::string to_text(const Table& t) {
  size_t width = 5;
  for (const Entry& e : t.entries) width = std::max(width, t.models[e.column.model].size());
  std::string out = fmt::format("{} tests, {} rule", t.tests.size(), name(t.rule));
  if (t.rule == Rule::script) out += fmt::format(": {} weak, {} strong", t.weak_tests, t.strong_tests);
  out += fmt::format("\n\n{:<{}}  {:<31}{}\n", "", width, "weak fairness", "strong fairness");
  const char* columns = "distinguishing     conformance";
  out += fmt::format("{:<{}}  {}  {}\n", "model", width, columns, columns);
  auto share = [](size_t n, uint32_t of) { return of == 0 ? 0.0 : 100.0 * static_cast<double>(n) / of; };
  for (size_t k = 0; k + 1 < t.entries.size(); k += 2) {
    const Entry& weak = t.entries[k];
    const Entry& strong = t.entries[k + 1];
    out += fmt::format("{:<{}}", t.models[weak.column.model], width);
    for (const Entry* e : {&weak, &strong})
      out += fmt::format("  {:>4} ({:>5.2f} %){:>16}", e->distinguishing.size(),
                         share(e->distinguishing.size(), e == &weak ? t.weak_tests : t.strong_tests),
                         e->conformance.size());
    out += '\n';
  }
  return out;
}

std::string to_csv(const Table& t) {
  std::string out = "rule,model,fairness,distinguishing,conformance\n";
  for (const Entry& e : t.entries)
    out += fmt::format("{},{},{},{},{}\n", name(t.rule), t.models[e.column.model], oracle::name(e.column.fairness),
                       e.distinguishing.size(), e.conformance.size());
  return out;
}

std::string to_json(const Table& t) {
  nlohmann::ordered_json j;
  j["rule"] = name(t.rule);
  j["tests"] = t.tests.size();
  if (t.rule == Rule::script) {
    j["weak_tests"] = t.weak_tests;
    j["strong_tests"] = t.strong_tests;
  }
  j["columns"] = nlohmann::ordered_json::array();
  auto names = [&](const std::vector<uint32_t>& tests) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (uint32_t k : tests) list.push_back(t.tests[k]);
    return list;
  };
  for (const Entry& e : t.entries) {
    nlohmann::ordered_json c;
    c["model"] = t.models[e.column.model];
    c["fairness"] = oracle::name(e.column.fairness);
    c["distinguishing"] = {{"count", e.distinguishing.size()}, {"tests", names(e.distinguishing)}};
    c["conformance"] = {{"count", e.conformance.size()}, {"tests", names(e.conformance)}};
    j["columns"].push_back(std::move(c));
  }
  return j.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace fencepost::classify
