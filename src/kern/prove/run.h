#pragma once
// What the parts of one symbolic run share: the launch and its two threads, where the run is, and what is known and
// said so far. The walk over the function is execute.h; each of proxies.h, mbarriers.h, named.h and master.h looks at
// one thing beside it and keeps its own notes.
#include <array>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "flow/effects.h"
#include "formula/pool.h"
#include "ir/ir.h"
#include "order/assumption.h"
#include "order/records.h"
#include "prove/memory.h"
#include "prove/products.h"
#include "prove/prove.h"

namespace fencepost::prove {

using order::AccessRecord;
using order::BarrierRecord;
using order::Fact;
using order::Groups;
using order::Lanes;
using order::LockRecord;
using order::Pairing;
using order::TicketRecord;

class Run {
 public:
  Run(Pool& pool, const ir::Module& m, const flow::Effects& effects, ir::FunctionId entry, const Options& options,
      Pairing pairing, Lanes lanes, Groups groups);
  Run(const Run&) = delete;

  // ---- the launch and the two threads: terms once `launch` has run
  std::array<std::array<Term, 3>, 2> local_id, group_id;
  std::array<Term, 3> local_size, num_groups;
  std::array<std::array<Term, 3>, 2> cluster_rank;  // of the thread's group in its cluster
  std::array<Term, 3> cluster_size;
  uint64_t launch_variables = 0;  // those below are of the launch
  uint64_t common_variables = 0;  // those below are of the launch and of the parameters
  // Warps of which nothing is known: each thread's number and lane, as variables.
  Pair warp_of, lane_of;
  Term warp_size, warp_count;
  Term same_warp;     // the two threads are of one warp; false without warps
  Term distinct;      // the two are different threads
  Products products;  // of sizes that are not fixed
  Pointers pointers;
  Memory memory;

  // ---- what is said
  order::Trace trace;  // what the order of the threads' accesses is read from
  order::Assumptions assumptions;
  std::set<std::string> unsupported;
  std::string perhaps;  // a barrier that may order threads of a group in ways that are not decided; "": none

  // ---- for the parts
  Pool& pool() const { return pool_; }
  const ir::Module& module() const { return m_; }
  const flow::FunctionEffects& effects() const { return effects_.function(entry_); }
  const flow::FunctionEffects& effects_of(ir::FunctionId f) const { return effects_.function(f); }
  ir::FunctionId entry() const { return entry_; }
  const Options& options() const { return options_; }
  bool of_one_cluster() const { return groups_ == Groups::of_one_cluster; }
  bool of_one_group() const { return pairing_ == Pairing::same_group; }
  uint32_t position() const { return position_; }
  const std::vector<uint32_t>& loops_around() const { return loops_around_; }

  // ---- terms
  static Pair both(Term t) { return {t, t}; }
  // Of both threads, without a question to the solver.
  bool always(const Pair& p) const {
    return std::ranges::all_of(p, [&](Term t) { return pool_.is_true(t); });
  }
  bool never(const Pair& p) const {
    return std::ranges::all_of(p, [&](Term t) { return pool_.is_false(t); });
  }
  bool every(const Pair& p, uint64_t n) const {
    return std::ranges::all_of(p, [&](Term t) { return pool_.is_constant(t, n); });
  }
  Pair all(Pair a, Pair b) const { return {pool_.all(a[0], b[0]), pool_.all(a[1], b[1])}; }
  // The one guard is a part of the other, as the terms have it.
  bool implied(const Pair& guard, const Pair& by) const;
  Term offset_of(Term pointer) const { return pool_.extract(pointer, 0, pointers.offset_bits); }
  Term base_of(Term pointer) const { return pool_.extract(pointer, pointers.offset_bits, 16); }
  Pair offsets_of(const Pair& pointer) const { return {offset_of(pointer[0]), offset_of(pointer[1])}; }
  // It leads into the region.
  Term leads_to(Term pointer, ir::RegionId r) const {
    return pool_.eq(base_of(pointer), pool_.constant(r.index + 1, 16));
  }
  // The guard says that the thread is the first of its group.
  bool by_master(Term guard, size_t thread) const { return order::made_by_first(pool_, trace, guard, thread); }
  bool by_masters(const Pair& guard) const {
    return std::ranges::all_of(order::k_both, [&](size_t t) { return by_master(guard[t], t); });
  }
  // The number of the thread in its group.
  Term flat_id(size_t thread) const;
  // A term of one of the two threads, with the ids of another one in the group.
  using Ids = std::array<uint64_t, 3>;
  Term with_ids(Term t, size_t thread, const Ids& ids) const;
  // All threads of a group; none: the launch does not say how many there are, or there are more than 1024.
  std::vector<Ids> threads_by_ids() const;
  // Of the thread's group among those of its cluster, and how many these are.
  Term flat_rank(size_t thread) const;
  Term blocks_of_cluster() const;
  // How many threads a group has; 0: the launch does not say.
  uint64_t threads_of_group() const;
  // What others have written to memory of these spaces is seen from here on.
  void forget_written(const Pair& guard, std::initializer_list<ir::Space> spaces);

 protected:
  // The numbers of the launch and the threads' ids; the trace gets the facts about them.
  void launch();

  Pool& pool_;
  const ir::Module& m_;
  const flow::Effects& effects_;
  const ir::FunctionId entry_;
  const Options& options_;
  const Pairing pairing_;
  const Lanes lanes_;
  const Groups groups_;
  uint32_t position_ = 1;
  std::vector<uint32_t> loops_around_;

 private:
  void clusters(const std::function<void(Term)>& state);
  void unknown_warps(const std::function<void(Term)>& state);
};

}  // namespace fencepost::prove
