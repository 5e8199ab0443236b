// The laws of weaker_laws.h break where a constraint is kept that should not be, or is stronger than one that is
// kept.
#include "weaker_laws.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "cat/library.h"
#include "left_out.h"
#include "read/read.h"

namespace fencepost::fuzz {
namespace {

using vocab::Dialect;

cat::Model model(const std::string& name, Dialect d) {
  auto m = cat::load_model(name, d);
  if (m) return std::move(*m);
  ADD_FAILURE() << render(m.error());
  return {};
}

// Only the failed attempt acquires what P0 releases: without it P1's read of y is of a write that does not happen
// before it.
const char* const k_acquired_by_failing = R"(OPENCL failing
{ x = 1; y = 0; }
P0@wg 0, dev 0 (global atomic_int* x, global int* y) {
  *y = 1;
  atomic_store_explicit(x, 1, memory_order_release, memory_scope_device);
}
P1@wg 1, dev 0 (global atomic_int* x, global int* y) {
  int r0 = atomic_exchange_explicit(x, 1, memory_order_acquire, memory_scope_device);
  while (r0 == 1) { r0 = atomic_exchange_explicit(x, 1, memory_order_acquire, memory_scope_device); }
  int r1 = *y;
}
P2@wg 2, dev 0 (global atomic_int* x) {
  atomic_store_explicit(x, 0, memory_order_relaxed, memory_scope_device);
}
exists (1:r1 == 1)
)";

std::optional<prog::Test> program(uint64_t seed, bool ptx) {
  Rng rng(seed);
  auto t = read::parse_one(make_source("takers", seed == 0 && !ptx ? k_acquired_by_failing : random_takers(rng, ptx)));
  EXPECT_TRUE(t.has_value());
  return t ? std::optional(std::move(*t)) : std::nullopt;
}

Kept ask(uint64_t seed, const cat::Model& m, std::function<void(encode::Weaker&)> alter, uint32_t rests = 80) {
  Kept none;
  const auto test = program(seed, m.dialect == Dialect::ptx);
  if (!test) return none;
  KeptOptions o;
  o.bound = seed == 0 ? 3 : 2;
  o.rests = seed == 0 ? 4000 : rests;
  o.formulas = 0;
  o.seconds = 5;
  o.alter = std::move(alter);
  Rng rng(seed);
  return hold_kept(*test, m, o, rng);
}

constexpr uint64_t k_programs = 60;
const std::vector<std::pair<const char*, Dialect>> k_models = {
    {"ptx-8", Dialect::ptx}, {"opencl", Dialect::opencl}, {"cuda", Dialect::opencl}};

TEST(WeakerLaws, HoldOfWhatIsKept) {
  for (const auto& [name, dialect] : k_models) {
    const cat::Model m = model(name, dialect);
    uint32_t silent = 0, flagged = 0;
    for (uint64_t seed = 0; seed < k_programs; ++seed) {
      const Kept k = ask(seed, m, {});
      EXPECT_EQ(k.wrong, "") << name << " " << seed;
      silent += k.silent_rests;
      flagged += k.flagged;
    }
    EXPECT_GT(silent, 200u) << name;
    EXPECT_GT(flagged, 100u) << name;
  }
}

// Each constraint that is dropped, kept after all: some are seen. no-thin-air of PTX is not: what leaving out gains
// of rf would have to close a cycle of dependencies through two locations.
TEST(WeakerLaws, BreakWhereADroppedConstraintIsKept) {
  const std::map<std::string, std::set<std::string>> to_see = {{"ptx-8", {"coherence", "causality", "sc-per-location"}},
                                                               {"opencl", {"visible-global"}},
                                                               {"cuda", {"visible-value"}}};
  for (const auto& [name, dialect] : k_models) {
    const cat::Model m = model(name, dialect);
    std::set<std::string> dropped, seen;
    for (uint64_t seed = 0; seed < 3 * k_programs; ++seed) {
      const Kept k = ask(
          seed, m,
          [&](encode::Weaker& w) {
            // Constraints of which a part is kept count as dropped.
            cat::Model more = m;
            std::erase_if(more.axioms, [&](const cat::Axiom& whole) {
              return std::any_of(w.model.axioms.begin(), w.model.axioms.end(),
                                 [&](const cat::Axiom& a) { return a.name == whole.name && a.node == whole.node; });
            });
            for (const cat::Axiom& a : more.axioms) dropped.insert(a.name);
            w.model = std::move(more);
          },
          40);
      seen.insert(k.violated.begin(), k.violated.end());
    }
    for (const std::string& s : to_see.at(name)) EXPECT_TRUE(seen.contains(s)) << name << " " << s;
    fmt::print("{}: dropped {}; seen {}\n", name, fmt::join(dropped, " "), fmt::join(seen, " "));
  }
}

// Each constraint that is kept, made stronger in one place. Those named are seen; the programs have no local
// memory, and nothing that is kept of no-thin-air can be made stronger. Most places are no stronger on these
// programs, as where `loc` is taken away beside relations that have it anyway.
TEST(WeakerLaws, BreakWhereAKeptConstraintIsStronger) {
  struct Expected {
    std::set<std::string> axioms;
    size_t least;
  };
  const std::map<std::string, Expected> to_see = {
      {"ptx-8", {{"atomicity", "causality", "coherence", "coherence-total", "fence-sc", "sc-per-location"}, 40}},
      {"opencl", {{"atomicity", "coherence-global", "hb-global", "sc-order", "visible-global", "write-order"}, 30}},
      {"cuda", {{"atomicity", "coherence", "sc-order", "visible-value"}, 15}}};
  for (const auto& [name, dialect] : k_models) {
    const cat::Model m = model(name, dialect);
    std::set<std::string> seen_of, all, seen;
    for (uint64_t seed = 0; seed < k_programs; ++seed) {
      const Kept k = ask(
          seed, m,
          [&](encode::Weaker& w) {
            w.model = stronger_than(w.model);
            for (const cat::Axiom& a : w.model.axioms)
              if (!a.flag) all.insert(a.name);
          },
          20);
      seen.insert(k.violated.begin(), k.violated.end());
    }
    for (const std::string& s : seen) seen_of.insert(s.substr(0, s.find(':')));
    for (const std::string& axiom : to_see.at(name).axioms)
      EXPECT_TRUE(seen_of.contains(axiom)) << name << " " << axiom;
    EXPECT_GE(seen.size(), to_see.at(name).least) << name;
    fmt::print("{}: {} of {} stronger constraints are seen\n", name, seen.size(), all.size());
  }
}

}  // namespace
}  // namespace fencepost::fuzz
