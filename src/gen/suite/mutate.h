#pragma once
// Mutants of a test that a model forbids: small faults of an implementation, made visible by a test whose outcome is
// then allowed. A suite that kills its mutants on a device would see such faults.
//
//   reverse-po-loc   two neighbouring accesses of one location change places (MC Mutants, ASPLOS 2023)
//   weaken-po-loc    accesses of one location within a thread go to two locations (the same)
//   weaken-sw        fences, orders of accesses: dropped in one thread, or in all (the same)
//   ld-acq-rlx ld-sc-acq ld-sc-rlx st-sc-rel st-sc-rlx st-rel-rlx
//                    the orders of all loads or all stores (OOPSLA 2020, section 5.4)
//   scope order semantics access presence
//                    one step of one instruction (prog/weaken.h), by what changes; `presence` drops a fence or barrier
//   proxy            a proxy fence is dropped
// weaken-po-loc, weaken-sw and the order mutators rewrite the cycle, so they need the spec; the others need the test.
#include <optional>
#include <string>
#include <vector>

#include "cycle/name.h"
#include "cycle/paths.h"
#include "cycle/test.h"
#include "prog/names.h"

namespace fencepost::gen {

enum class Mutator : uint8_t {
  reverse_po_loc,
  weaken_po_loc,
  weaken_sw,
  ld_acq_rlx,
  ld_sc_acq,
  ld_sc_rlx,
  st_sc_rel,
  st_sc_rlx,
  st_rel_rlx,
  scope,
  order,
  semantics,
  access,
  presence,
  proxy,
  count_
};
const char* name(Mutator m);
std::optional<Mutator> find_mutator(std::string_view name);

struct Mutant {
  Mutator mutator = Mutator::order;
  std::string what;  // "P0: fence.sc.gpu -> fence.acq_rel.gpu"
  prog::Test test;
};
// In the order of the mutators; none is equal to the test or to another mutant of the same mutator. `options`: those
// the test was made with.
std::vector<Mutant> mutants(const prog::Test& test, const std::optional<Spec>& spec, const TestOptions& options);

// Of a path: its weaker ones, as `order` where an edge is relaxed, `proxy` where a proxy fence is gone, else
// `presence`.
std::vector<Mutant> path_mutants(const Path& path, const TestOptions& options);

}  // namespace fencepost::gen
