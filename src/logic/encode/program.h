#pragma once
// The program part of a query as clauses: which events execute, values, rf, co, fence order, barriers,
// final states. No memory model here. Everything that the clauses say is defined in docs/semantics.md.
//
// Values: a load's bits are those of the write it reads, bit by bit under the rf literal; bits on which
// every candidate write agrees are constants, unless the load lies on a data cycle, where they are free
// variables (thin air must stay possible). Widths are never narrowed.
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

#include "encode/skeleton.h"
#include "sat/circuit.h"
#include "term/term.h"

namespace fencepost::encode {

using sat::Bits;
using sat::Circuit;
using sat::Lit;

struct ProgramNeeds {
  bool total_co = true;          // vulkan, opencl; ptx: any strict partial order
  bool fence_order = false;      // the model names fsc or sync_fence
  bool free_sync_fence = false;  // the model names sync_fence
  bool free_values = false;      // reads return what they like, whatever they read from: every path is open
};

class ProgramEncoding {
  struct Cell {
    prog::ObjectId object;
    uint32_t cell;
    auto operator<=>(const Cell&) const = default;
  };

 public:
  ProgramEncoding(const Skeleton& s, const ProgramNeeds& needs, Circuit& c);

  uint32_t size() const { return static_cast<uint32_t>(s_.events.size()); }
  const Skeleton& skeleton() const { return s_; }
  Lit exec(uint32_t e) const { return c_.fold(exec_[e]); }
  // Of the read of an rmw: whether it also writes.
  // Whether what a read returns is the value of the write that it reads.
  bool ties_values() const { return !free_values_; }
  Lit wrote(uint32_t e) const { return exec(skeleton().events[e].partner); }
  Lit both(uint32_t a, uint32_t b) { return a == b ? exec(a) : c_.and_(exec(a), exec(b)); }

  Lit rf(uint32_t w, uint32_t r) const;
  Lit co(uint32_t a, uint32_t b) const;
  Lit fsc(uint32_t a, uint32_t b) const;
  Lit sync_fence(uint32_t a, uint32_t b) const;
  Lit same_location(uint32_t a, uint32_t b);  // equal addresses; says nothing of execution
  Lit same_virtual(uint32_t a, uint32_t b);   // and equal generic symbols
  Lit syncbar(uint32_t a, uint32_t b) const;
  Lit depends(const std::vector<Dependency>& on, uint32_t load);
  bool in_scope_of_each_other(uint32_t a, uint32_t b) const;  // sr
  bool same_level(uint32_t a, uint32_t b, uint32_t level) const;
  const std::vector<std::pair<uint32_t, Lit>>& rf_candidates(uint32_t r) const { return rf_[r]; }
  const std::vector<uint32_t>& writes() const { return writes_; }
  const std::vector<uint32_t>& sc_fences() const { return sc_fences_; }
  const std::vector<uint32_t>& barriers() const { return barriers_; }

  Lit complete();  // every thread reached its end
  Lit blocked();   // some thread waits at a barrier, and all others do or reached their end
  Lit cut();       // some thread stopped at the bound after an iteration with an effect
  // C of the final state; incomplete executions: of the current registers and co-maximal values.
  Lit condition(const prog::Cond& c, bool complete_only);

  // Literals of final-state observables, for enumerating states.
  Bits observable(const prog::Observable& o);

  Lit lit(const Expr& e);  // width 1
  Bits bits(const Expr& e);

  // The co-maximal write taken as the final value of a cell.
  const std::vector<std::pair<uint32_t, Lit>>& final_picks(prog::ObjectId object, uint64_t cell);
  bool has_final_picks(prog::ObjectId object, uint64_t cell) const {
    return picks_.contains(Cell{object, static_cast<uint32_t>(cell)});
  }
  const std::map<uint32_t, Lit>& quorum_members() const { return members_; }

 private:
  void encode_addresses();
  void encode_rf();
  void encode_co(bool total);
  void encode_fences(bool free_pairs);
  void encode_barriers();
  bool meet(uint32_t a, uint32_t b) const;
  Lit may_name(uint32_t t, uint32_t e);
  void count_by_value(const std::function<Lit(uint32_t, uint32_t)>& same_id,
                      std::vector<std::map<uint32_t, Lit>>& arrived);
  void order_by_tournament(const std::vector<uint32_t>& nodes, std::map<std::pair<uint32_t, uint32_t>, Lit>& order);
  Bits load_bits(uint32_t e);
  Bits final_register(uint32_t thread, prog::RegId r, bool complete_only);
  Bits final_memory(prog::ObjectId object, uint64_t cell);
  Bits value_of(const prog::CondValue& v, bool complete_only);
  Lit at(uint32_t e, const Cell& cell) const;

  const Skeleton& s_;
  const prog::Test& test_;
  bool free_values_;
  Circuit& c_;
  sat::BitVectors bv_;
  std::vector<Lit> exec_;
  std::vector<std::map<Cell, Lit>> cells_;                 // by event: possible cells
  std::vector<std::vector<std::pair<uint32_t, Lit>>> rf_;  // by read: (write, literal)
  std::vector<Bits> load_bits_;
  std::vector<uint8_t> load_state_;  // 0 open, 1 in progress, 2 done
  std::unordered_map<const term::Node*, Bits> memo_;
  std::vector<Expr> keep_;  // keeps memo_ keys alive
  std::unordered_map<uint64_t, Lit> co_, fsc_, sync_fence_, syncbar_, loc_;
  std::vector<uint32_t> writes_, reads_, sc_fences_, barriers_;
  std::map<Cell, std::vector<std::pair<uint32_t, Lit>>> picks_;
  std::map<uint32_t, Lit> members_;
  uint64_t key(uint32_t a, uint32_t b) const { return uint64_t{a} * s_.events.size() + b; }
};

}  // namespace fencepost::encode
