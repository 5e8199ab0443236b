#pragma once
// What a run of two threads leaves, written by hand: a kernel's records without a kernel, so that each of them can be
// changed alone.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/job.h"
#include "formula/pool.h"
#include "formula/solve.h"
#include "ir/ir.h"
#include "order/records.h"

namespace fencepost::order {

struct Scene {
  static constexpr ir::RegionId k_counter{0}, k_data{1}, k_other{2}, k_shared{3};

  Scene() {
    m.dialect = ir::Dialect::cuda;
    for (const char* name : {"counter", "data", "other", "shared"}) m.regions.push_back({.name = name});
    m.regions[k_shared.index].space = ir::Space::group;
    for (const size_t t : k_both)
      for (const size_t d : k_dimensions) {
        x.local_id[t][d] = pool.variable(32, "lid");
        x.group_id[t][d] = pool.variable(32, "gid");
      }
    x.same_warp = pool.no();
    x.distinct = pool.yes();
    setting.pairing = Pairing::other_group;
  }

  Term number(uint64_t v, uint8_t width = 32) { return pool.constant(v, width); }
  Pair fresh(const char* name, uint8_t width = 32) { return {pool.variable(width, name), pool.variable(width, name)}; }
  Pair both(Term t) const { return {t, t}; }
  Pair yes() const { return both(pool.yes()); }
  // The thread is the first of its group.
  Pair first() {
    Pair r;
    for (const size_t t : k_both) {
      std::vector<Term> zero;
      for (const Term id : x.local_id[t]) zero.push_back(pool.eq(id, number(0)));
      r[t] = pool.all(std::move(zero));
    }
    return r;
  }
  Pair all(const Pair& a, const Pair& b) { return {pool.all(a[0], b[0]), pool.all(a[1], b[1])}; }
  Pair no_less(const Pair& a, uint64_t n) { return {pool.ule(number(n), a[0]), pool.ule(number(n), a[1])}; }
  Pair is(const Pair& a, uint64_t n) {
    return {pool.eq(a[0], number(n, pool.width(a[0]))), pool.eq(a[1], number(n, pool.width(a[1])))};
  }

  // Can no thread satisfy it that has come so far?
  bool impossible(std::vector<Term> goal, std::array<uint32_t, 2> limits) const {
    for (const Fact& f : x.facts) {
      bool holds = true;
      for (const size_t t : k_both)
        holds = holds && ((f.threads >> t & 1) == 0 || (f.from[t] <= limits[t] && limits[t] <= f.until[t]));
      if (holds) goal.push_back(f.term);
    }
    formula::Statistics s;
    return formula::solve(pool, goal, Job{}, nullptr, s) == formula::Answer::unsat;
  }
  void know(Term t, uint32_t from, uint8_t threads) {
    x.facts.push_back({.term = t, .from = {from, from}, .threads = threads, .names = formula::names(pool, t)});
  }
  // Of each thread alone.
  void know(const Pair& p, uint32_t from) {
    know(p[0], from, 1);
    know(p[1], from, 2);
  }

  AccessRecord access(ir::AccessKind kind, ir::RegionId r, uint32_t position, Pair guard, Pair offset) {
    AccessRecord a{.kind = kind, .region = r, .guard = guard, .offset = offset, .bytes = 4, .position = position};
    a.instant = position;
    a.space = m.region(r).space;
    return a;
  }
  // An atomic of this record; the operation has to outlive it.
  static AccessRecord by(AccessRecord a, const ir::Atomic& at) {
    a.mode = Mode::atomic;
    a.atomic = &at;
    return a;
  }
  BarrierRecord barrier(uint32_t position) {
    return {.position = position, .guard = yes(), .local = yes(), .global = yes()};
  }
  FenceRecord fence(uint32_t position, Pair guard) { return {.position = position, .guard = guard}; }

  formula::Pool pool;
  ir::Module m;
  Trace x;
  Setting setting;
};

}  // namespace fencepost::order
