#pragma once
// Barriers that only some threads of a group take part in: `bar.sync a, n` and `bar.arrive a, n` (PTX ISA 9.7.13.1).
// And `bar.sync a` of all threads that stands at several places: threads meet at one number, wherever they stand.
//
// Who takes part is counted: the guard of each such instruction, with the ids of each thread of the group in turn, must
// be false or one condition that is the same for all (`if (n == 0) return;`), whatever the rest is; whole warps come;
// and the number of the barrier follows in the same way. So each warp has a program of barriers, those of all threads
// among them, and order/named_rounds.h says whether the programs make the same phases in every schedule, and what is
// known where.
//
// Loops. A loop with such barriers and with none of all threads is looked at as one iteration of each thread (Execution
// runs it as a summary), its round; of lanes of one warp that meet there, as iterations one behind the other, of which
// the first is any. For equally many rounds of all warps, in one loop or in several:
//  - the loop is entered, an iteration comes to its barriers, and it comes back to the header under conditions that are
//    the same terms for all threads that take part, as functions of the number of iterations before: terms of what is
//    common to the group. Of both threads of the pair, so that no value of one thread alone is among them. Whoever
//    comes to barriers outside of loops does so under one condition too, which entering the loop implies.
//  - an iteration that comes back has come to the barriers, so that those that have are the first ones;
//  - all barriers of a warp that stand in loops stand in one. Of a loop around it the same is asked, and rounds are
//    told apart by the iterations of both; no further loop is around. The last iteration may be left before its
//    barriers, and is no round then: who is in it is ordered by what is known at its beginning alone.
// The number of a barrier in a loop may change from round to round, in a circle (`it & 1`). That it does is asked of
// the solver (Claim).
//
// One that all threads of the group wait at is a barrier like any other; if some threads take part in the same one
// elsewhere (`bar.sync 0, 64` beside __syncthreads()), with another count, that is not decided. Not tried: loops with
// barriers of all threads, what stands between an inner loop and the end of the outer one.
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/cfg.h"
#include "prove/run.h"

namespace fencepost::prove {

class NamedBarriers {
 public:
  explicit NamedBarriers(Run& run) : run_(run), pool_(run.pool()) {}

  // Before the run: a barrier of the text, in a function that is called or in the kernel itself.
  void in_text(const ir::Function& f, const ir::Barrier& b, bool in_kernel);
  // The operands of a barrier.
  struct Operands {
    std::optional<Pair> name, count;
  };
  // Do only some threads of the group take part in it?
  bool some_threads(const ir::Barrier& b, const Operands& o, const Pair& guard);
  // All threads of the group meet at a barrier of that number, here or elsewhere.
  bool at_several_places(const ir::Barrier& b, const Operands& o) const;
  // Have the barriers of a loop some threads, each of them? `number`: of the run of the loop.
  bool begin(const ir::Function& f, const ir::Cfg& cfg, uint32_t l, const Pair& entry, uint32_t number);
  bool in_rounds(uint32_t number) const { return loops_.contains(number); }
  // The one iteration of each thread has been run.
  // `apart`: of a summary, each thread in an iteration of its own.
  void round(uint32_t number, const Pair& entry, const Pair& k, const Pair& latch, bool apart);
  // And one that follows it, of threads in step (AccessRecord::second).
  void again(uint32_t number, uint32_t second, const Pair& k) { again_[{number, second}].k = k; }
  // The run comes to one that some threads take part in, between two positions. False: it is not followed.
  bool decidable(const ir::Barrier& b, const Operands& o);
  void come(const ir::Barrier& b, const Operands& o, const Pair& guard, uint32_t second);
  // All threads of the group wait, or none.
  void meeting(const Operands& o, const Pair& guard, bool fences);
  // That the number of a barrier is the one that is taken for it: must not be satisfiable.
  struct Claim {
    uint32_t position = 0;
    Term failing;
  };
  // At the end: which phases they make. What they do not make is not decided.
  std::vector<Claim> conclude();

 private:
  struct Come {
    uint32_t position = 0, loop = 0;  // 0: in none
    Pair guard, name;
    uint64_t count = 0;
    bool waits = false;
  };
  struct Loop {
    uint32_t outer = 0;  // the loop around it; 0: none
    Pair entry = {}, k = {}, latch = {};
    bool apart = false;
  };
  struct Again {
    Pair k = {};
    std::vector<uint32_t> at = {};  // positions, of whoever comes
    std::vector<Pair> guards = {};
  };
  struct Meeting {
    uint32_t position = 0;
    std::optional<uint64_t> name;  // none: not known
    Pair guard;
    bool once = false;  // if at all; and it orders all memory
  };
  // What is the same for all threads that have a round; none: not known yet.
  struct Round {
    Term entry, guard, latch;
    Term outer_entry, outer_latch;  // of the loop around; none: there is none
    Term outside;                   // of barriers outside of loops
    friend bool operator==(const Round&, const Round&) = default;
  };
  struct At {
    uint32_t position = 0;
    order::NamedRounds::Operation operation;
    bool in_loop = false;
  };
  // What one warp comes to.
  struct Warp {
    std::vector<At> all;
    order::NamedRounds::Program program;
    std::array<std::vector<uint32_t>, 3> at;
    uint32_t loop = 0;
    bool any = false;  // one of some threads
  };

  Pair name_of(const Operands& o) const { return o.name ? *o.name : Run::both(pool_.constant(0, 32)); }
  Pair count_of(const Operands& o) const;
  bool in_loop_of_some() const;
  static std::string refused(const char* why);
  // Of the text.
  bool of_some(const ir::Function& f, const ir::Barrier& b, bool by_all) const;
  // At the end.
  Term common(const Pair& of, const Run::Ids& ids, uint32_t loop);
  std::string takes(const Come& c, size_t warp, bool& comes);
  std::string takes(const Come& c, const Run::Ids& ids, bool& comes);
  std::string takes_round(uint32_t loop, Term guard, const Run::Ids& ids);
  bool certain(const Meeting& m);
  std::string names(const Come& c, size_t warp, std::vector<uint64_t>& out);
  std::string program(size_t warp, Warp& out);
  static void in_parts(Warp& out, const std::vector<At>& meetings);
  std::string programs(std::vector<Warp>& out);
  std::string all_counted();
  void roles(const std::vector<Warp>& warps);
  void iterations(order::NamedRole& r);
  Pair member(const std::vector<size_t>& warps) const;

  Run& run_;
  Pool& pool_;
  std::map<uint64_t, uint32_t> places_of_number_;  // of the text, by the number of the barrier
  bool arrives_ = false;                           // there is a barrier at which threads arrive without waiting
  std::set<uint64_t> arrives_at_;                  // its numbers, where they are constants
  bool arrives_at_any_ = false;                    // else
  std::vector<Come> come_;
  std::vector<Meeting> meetings_;
  std::map<uint32_t, Loop> loops_;
  std::map<std::pair<uint32_t, uint32_t>, Again> again_;
  std::vector<Run::Ids> threads_;
  Round round_;
  // The number of a round, and that of the iteration around it, by the depth of the loop and the width.
  std::map<std::pair<size_t, uint8_t>, Term> iterations_;
  std::map<uint64_t, std::set<uint64_t>> counted_;  // counts, by the number of the barrier
  std::vector<Claim> claims_;
};

}  // namespace fencepost::prove
