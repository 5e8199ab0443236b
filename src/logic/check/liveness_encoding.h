#pragma once
// "This execution shows how the program goes on for ever", as clauses over an unrolling for liveness
// (docs/semantics.md, Liveness). A thread that jumps back for the last time has one of these fates:
//   spin          its last iteration had no effect; it does it again for ever. Its reads are fair and read no loop's
//                 second round
//   repeat(c, d)  its iterations c .. c+d-1 and c+d .. c+2d-1 of the loop do the same, from the same registers: rounds
//                 0 and 1
// Rounds of different threads are aligned: round 1 of everybody follows round 0 of everybody in co.
#include <map>
#include <optional>
#include <vector>

#include "encode/program.h"
#include "reference/lasso.h"
#include "sat/circuit.h"

namespace fencepost::check {

using encode::Lit;

class LivenessEncoding {
 public:
  LivenessEncoding(encode::ProgramEncoding& p, sat::Circuit& c, const reference::Progress& progress,
                   reference::Fairness fairness)
      : p_(p), c_(c), bv_(c), s_(p.skeleton()), progress_(progress), fairness_(fairness) {}

  // Adds the clauses. nullopt, or what is not supported.
  std::optional<std::string> require();

  using Value = std::function<bool(Lit)>;
  // The fates of the threads in a model of the clauses.
  std::vector<reference::ThreadLasso> threads(const Value& value);
  // Literals that hold and tell this candidate from every other: its fates, what is read, what is ordered.
  std::vector<Lit> signature(const Value& value);

 private:
  struct FateLit {
    uint32_t thread = 0;
    uint32_t exit = 0;
    bool spin = false;
    uint32_t first = 0, length = 0;  // repeat(c, d); spin: the iteration and 1
    Lit lit = 0;
  };
  void make_fates();
  void repeat_rounds(const FateLit& f);
  void place_events();
  void fair_reads();
  void ordered_rounds();
  std::optional<std::string> keep_promise();
  std::optional<std::string> serve(const reference::ScopeTree::Node& n, Lit served, const std::vector<Lit>& serves,
                                   const std::vector<Lit>& schedulable, const std::vector<Lit>& started);
  // Which iteration of the exit's loop a node lies in, if it lies in the same stay.
  std::optional<uint32_t> iteration(uint32_t thread, const encode::Exit& x, uint32_t node) const;
  std::optional<uint32_t> head(uint32_t thread, const encode::Exit& x, uint32_t iteration) const;
  // The event that stands for `e` in another iteration of the exit's loop.
  std::optional<uint32_t> moved(const encode::Exit& x, uint32_t e, uint32_t iteration) const;
  const encode::Exit& exit(const FateLit& f) const { return s_.threads[f.thread].exits[f.exit]; }
  bool may_miss(uint32_t r, uint32_t w) const;

  encode::ProgramEncoding& p_;
  sat::Circuit& c_;
  sat::BitVectors bv_;
  const encode::Skeleton& s_;
  const reference::Progress& progress_;
  reference::Fairness fairness_;
  std::vector<FateLit> fates_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, std::vector<uint32_t>>, uint32_t>
      event_at_;                                                   // thread, position, part, counters
  std::vector<std::vector<std::pair<size_t, int>>> in_;            // by event: (fate, round)
  std::vector<Lit> loops_, second_;                                // by event: runs in some loop; in a round 1
  std::vector<Lit> ended_, blocked_, halted_, running_, started_;  // by thread
};

}  // namespace fencepost::check
