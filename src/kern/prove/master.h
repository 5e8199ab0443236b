#pragma once
// What one thread of a group does for all of it: `if (lid == 0) s = atomicAdd(&next, 1); barrier; ... s ...`.
//
// Pairs of different groups see group memory as unknown contents of their own. A store whose guard names the thread
// that makes it (it implies that the local id is a constant) is made by a third thread, the master of the group; after
// the barrier the others read what the master stored. Its terms are those of the thread with the master's local id, and
// with unknowns of its own where the thread's are its own: loads, tickets, iterations of loops.
//
// Why this is sound. The master goes through the same barriers as the thread (that is asked of pairs of one group), so
// between two barriers it makes the stores that the code between them says, under its own guards. If any other thread
// of the group stored to the same place between the same barriers, that would be a race, and is asked of pairs of one
// group as well; but not where locks, flags or named barriers put such stores in some order, so that with them one
// store of another thread leaves nothing known. Stores in loops without barriers are left out: the master may have
// gone through another iteration last. In a loop with barriers all threads of the group are in one iteration where they
// meet, so that its number is the master's too, and so are contents that no one changes any more (settle). Every other
// unknown of the master is a fresh variable, of which nothing is assumed but what holds of all threads: different
// threads take different tickets.
#include <array>
#include <set>
#include <unordered_map>
#include <vector>

#include "flow/writers.h"
#include "prove/run.h"

namespace fencepost::prove {

// Names of variables, of values that are told by them (not_followed).
inline constexpr const char* k_exchanged = "exchanged";
inline const std::string k_ticket = "ticket of ";

class Masters {
 public:
  Masters(Run& run, const flow::Writers& writers) : run_(run), pool_(run.pool()), writers_(writers) {}

  // What is stored between two barriers may be ordered in other ways: by locks, flags or named barriers.
  void in_any_order(bool yes) { in_any_order_ = yes; }
  bool in_any_order() const { return in_any_order_; }

  // A term of the thread as the master of its group has it.
  Term of(Term t, size_t thread);
  Pair of_both(const Pair& p);
  // All threads of a group have this term alike.
  void same_for_group(Term t, size_t thread);
  // A term as another thread has it: `memo` says of which id, and gains unknowns of its own.
  Term as_another(Term t, std::unordered_map<uint32_t, Term>& memo);

  void store(ir::RegionId r, const Pair& guard, const Pair& pointer, uint32_t bytes, bool pointer_value,
             const Pair& value);
  // Nothing is known of what the master has stored: to the array, or at all.
  void forget(ir::RegionId r);
  void forget() { stores_.clear(); }
  // After a barrier that ordered group memory: contents are unknown but for what the master stored.
  void contents(const Pair& barrier);
  // At a barrier of the group.
  void meet() { others_wrote_.clear(); }

  // In loops that no barrier keeps in step the master may be in another iteration.
  void enter_loose_loop() { ++loose_; }
  void leave_loose_loop() { --loose_; }
  bool in_step() const { return loose_ == 0; }

  // Arrays that threads may have written since the last barrier; what no one has written is what it was there.
  void touch(ir::RegionId r) { touched_.insert(r.index); }
  bool untouched(ir::RegionId r) const;
  const std::set<uint32_t>& touched() const { return touched_; }
  void touched(std::set<uint32_t> regions) { touched_ = std::move(regions); }

 private:
  struct Store {
    ir::RegionId region;
    Pair guard, offset, value;
    uint32_t bytes = 0;
    bool pointer = false;
  };
  Run& run_;
  Pool& pool_;
  const flow::Writers& writers_;
  bool in_any_order_ = false;
  std::vector<Store> stores_;        // since the last barrier, of a known thread of the group
  std::set<uint32_t> others_wrote_;  // group arrays that threads other than the master have written since then
  std::set<uint32_t> touched_;
  uint32_t loose_ = 0;
  std::array<std::unordered_map<uint32_t, Term>, 2> terms_;
};

}  // namespace fencepost::prove
