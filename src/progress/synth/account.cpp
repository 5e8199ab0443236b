#include <fmt/format.h>

#include <map>
#include <set>

#include "synth/code.h"

namespace fencepost::synth {
namespace {

bool within_bounds(const axb::Test& t, uint32_t& instructions) {
  instructions = 0;
  for (const auto& th : t.threads) {
    instructions += static_cast<uint32_t>(th.code.size());
    for (const auto& i : th.code)
      if (i.check > 1 || i.value > 1 || i.compares) return false;
  }
  for (const auto& l : t.locations)
    if (l.init != 0) return false;
  return t.threads.size() <= k_max_threads && t.locations.size() <= 2 && instructions > 0 &&
         instructions <= k_max_instructions;
}

}  // namespace

Expected<std::vector<Account>> account(const std::vector<axb::Test>& tests, Job& job) {
  struct Sets {
    std::set<std::string> current, older;
  };
  std::map<std::pair<uint32_t, uint32_t>, Sets> complete;
  std::map<std::string, std::string> first_text, first_class;
  std::vector<Account> all;
  for (const axb::Test& t : tests) {
    Account a;
    a.test = t.name;
    a.config = t.config;
    const std::string text = list_line(t);
    uint32_t instructions = 0;
    if (within_bounds(t, instructions)) {
      Request r;
      r.threads = static_cast<uint32_t>(t.threads.size());
      r.instructions = instructions;
      const auto [sets, fresh] = complete.try_emplace({r.threads, r.instructions});
      for (const bool older : {false, true}) {
        if (!fresh || !validate(r)) break;
        r.older_stores = older;
        auto& set = older ? sets->second.older : sets->second.current;
        const auto done = synthesise(r, {}, job, [&](const Found& f) { set.insert(list_line(f.test)); });
        if (!done) return std::unexpected(done.error());
        if (!done->complete())
          return unsupported_at(t.span, "the complete set for this test was not finished in time", "give it more time");
      }
      const Program in_order = with_locations_in_order(from_test(t));
      const std::string canonical = list_line(to_test(in_order, locations_used(in_order)));
      a.current = sets->second.current.contains(canonical);
      a.older = sets->second.older.contains(canonical);
      a.renamed = canonical != text;
      const auto [first, unseen] = first_class.try_emplace(canonical, t.name);
      if (!unseen) a.renaming_of = first->second;
    }
    if (const auto [first, unseen] = first_text.try_emplace(text, t.name); !unseen) {
      a.duplicate_of = first->second;
      a.renaming_of.clear();
    }
    all.push_back(std::move(a));
  }
  return all;
}

std::string to_table(const std::vector<Account>& accounts) {
  struct Row {
    uint32_t tests = 0, found = 0, older = 0, other = 0, duplicates = 0, renamed = 0, distinct = 0;
  };
  std::map<std::string, Row> rows;
  Row total;
  for (const Account& a : accounts)
    for (Row* r : {&rows[a.config], &total}) {
      ++r->tests;
      ++(a.current ? r->found : a.older ? r->older : r->other);
      if (!a.duplicate_of.empty()) ++r->duplicates;
      if (!a.renaming_of.empty()) ++r->renamed;
      if (a.duplicate_of.empty() && a.renaming_of.empty()) ++r->distinct;
    }
  std::string s = fmt::format("{:<8}{:>7}{:>10}{:>12}{:>11}{:>12}{:>10}{:>10}\n", "", "tests", "complete", "only older",
                              "in neither", "same text", "renamed", "distinct");
  const auto line = [&](const std::string& name, const Row& r) {
    s += fmt::format("{:<8}{:>7}{:>10}{:>12}{:>11}{:>12}{:>10}{:>10}\n", name, r.tests, r.found, r.older, r.other,
                     r.duplicates, r.renamed, r.distinct);
  };
  for (const auto& [name, r] : rows) line(name, r);
  line("all", total);
  return s;
}

}  // namespace fencepost::synth
