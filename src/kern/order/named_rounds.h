#pragma once
// Barriers of some threads, gone through round by round: which arrivals make a phase, and who knows then what others
// have done. Numbers alone; prove/named.h says how they are found in a kernel.
//
// Source: Weft (Sharma, Bauer, Aiken: Verification of Producer-Consumer Synchronization in GPU Programs, PLDI 2015),
// which writes loops out and asks for one result of all schedules. Here the same is asked with clocks, and loops are
// not written out, so that the number of their iterations need not be known.
//
// A warp has a program: operations before a loop, those of one iteration (a round), those behind it. All warps that
// have a round go through equally many rounds. One schedule is played: as far as each warp comes before the loop, then
// round by round, all warps through one before the next. A phase of a barrier is complete when as many warps have come
// as it counts. What is asked on the way:
//  - Whoever comes to a barrier for its second phase or a later one knows that the phase before is complete: it has
//    waited for it, or has waited where someone had come who knew. And no warp comes to one phase twice. So in every
//    schedule each phase is made of the same arrivals: the first that differed would be by someone who comes too early.
//  - Every warp comes to the end of each round, and to its own end. What is played is one order of all, in which each
//    waits only for what stands before it; so in no schedule do all wait.
// Arrivals that nobody waits for may be left at the end.
//
// A clock says how many operations of each warp have been come to, for certain, before a place. Who waits takes over
// the clocks of all who came. A clock is of other threads: lanes of one warp know of each other by barriers alone.
//
// Any number of rounds: the state at the head of a round is looked at relative to its number (what lags far behind
// counts as not known). Rounds are played until a state comes back, the end is played from each of them, and so all
// rounds of all numbers have been seen.
//
// Not tried: loops one behind the other or in each other, programs that begin a loop in different rounds.
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fencepost::order {

class NamedRounds {
 public:
  struct Operation {
    std::vector<uint64_t> names;  // by the number of the round, modulo how many they are; outside of the loop one
    size_t warps = 0;             // that make a phase
    bool waits = false;
    bool tells = true;  // false: it may be left out, or stand for several; it keeps threads, and tells nothing
  };
  enum Part : uint8_t { before, round, behind };
  using Program = std::array<std::vector<Operation>, 3>;  // by part; without a round all is `before`
  // A place in a program: behind so many operations of the part.
  struct Place {
    Part part = before;
    size_t operations = 0;
  };

  NamedRounds() = default;
  explicit NamedRounds(std::vector<Program> programs);

  // What is not as it should be; "": all is.
  const std::string& why() const { return why_; }
  // Has all that warp `v` did at a place been done when another thread, of warp `w`, is at a place of its own? Of two
  // places in the round: if v's round lies at least so many before w's. Of v's place before the loop and w's in the
  // round: if w's round has at least this number. Else 0 says yes. None: it is not known.
  std::optional<uint64_t> distance(size_t v, Place at, size_t w, Place then) const;

 private:
  using Clock = std::vector<uint64_t>;
  using Known = std::map<uint64_t, uint64_t>;  // by name: so many phases are complete
  struct Warp {
    Part part = before;
    size_t next = 0;    // operation of the part
    uint64_t done = 0;  // operations in all
    bool waits = false;
    Clock clock;
    Known known;
  };
  struct Barrier {
    uint64_t phases = 0;
    size_t counts = 0;
    std::vector<size_t> come, waiting;  // warps
    Clock clock;
    Known known;
    bool tells = true;
  };
  struct State {
    std::vector<Warp> warps;
    std::map<uint64_t, Barrier> barriers;
  };
  struct Seen {
    uint64_t round = 0;  // of a place behind the loop: how many there were
    Clock clock;
  };

  bool loops(size_t w) const { return !programs_[w][round].empty(); }
  // Every warp as far as it comes in the part; a warp without a round goes on with what it has.
  void play(State& s, Part part, uint64_t number);
  bool step(State& s, size_t w, uint64_t number);
  void complete(State& s, Barrier& b, uint64_t number);
  bool at_end(const State& s, Part part) const;
  void note(const State& s, size_t w, uint64_t number);
  void begin(State& s, Part part, uint64_t number);
  void forget_old(State& s, uint64_t number) const;
  std::vector<uint64_t> relative(const State& s, uint64_t number) const;
  uint64_t period() const;
  bool not_so_many() const;
  bool refuse(const char* why);

  std::vector<Program> programs_;
  std::string why_;
  uint64_t repeats_ = 0;  // the state at the head of this round is that at the end of those that were played
  std::map<std::pair<size_t, std::pair<Part, size_t>>, std::vector<Seen>> seen_;  // by warp and place
};

}  // namespace fencepost::order
