#pragma once
// One invocation as a template: symbolic execution of its segments, with the built-in ids as constants.
//
// Values are terms over registers; a register is the result of a load, of an atomic operation, or of a join where
// values differ. Variables of the invocation itself live in *slots*, one per scalar, and need no memory.
//
// Loops: at a header, what a slot or phi holds is assumed to be what it holds on the way in; when a latch brings
// something else the place is noted to need a register and the pass is repeated. The last pass has no assumption
// left that is wrong, and what does not change in a loop is no register of it, so that failed iterations of
// a spin loop are seen as such (docs/semantics.md, Loops). Each value refers to registers whose definition dominates
// it, which is why a term may be used long after it was built.
//
// Branches on constants have one way out; code that no way leads to is not lowered.
#include <map>
#include <set>

#include "spirv/flow.h"
#include "spirv/memory.h"
#include "vocab/vocab.h"

namespace fencepost::spirv {

class Lowering {
 public:
  Lowering(const Constants& constants, Memory& memory, const Flow& flow, uint32_t thread);

  prog::Template run();

 private:
  static constexpr uint64_t k_phi = uint64_t{1} << 63;
  struct Key {  // a place where values meet
    uint32_t segment = 0;
    uint64_t slot = 0;           // slot, or k_phi | result of a phi
    std::vector<uint32_t> path;  // part of a composite
    auto operator<=>(const Key&) const = default;
  };

  struct Root {
    const Variable* variable = nullptr;
    std::string key;  // instance
    bool in_slots = false;
    uint64_t first_slot = 0;
  };
  using Slots = std::map<uint64_t, Value>;

  // Pointers into one variable that differ in their indices only. Of a flat one only the sum is known, in units of
  // bytes.
  struct Shape {
    uint32_t root = 0;
    int64_t bytes = 0;
    std::vector<std::pair<int64_t, uint64_t>> steps;  // scale, limit
    bool flat = false;                                // one step; its scale is the unit
    bool ended = false;                               // as of a target
    bool like(const Target& t) const { return root == t.root && ended == t.ended; }
    bool operator==(const Shape&) const = default;
  };
  using Shapes = std::vector<Shape>;
  struct Join {  // values that meet in registers
    Key key;
    Id type = 0;
    prog::RegId reg = prog::k_none;  // scalar
    bool pointer = false;            // which shape (if there are several), and its indices
    prog::RegId choice = prog::k_none;
    std::vector<prog::RegId> indices;
    Shapes shapes;
    Span span;
  };

  struct Way {
    uint32_t to = 0;
    Expr when;  // width 1; empty: in all other cases (the last way)
  };
  struct State {  // of a segment in one pass
    bool reached = false, done = false;
    Slots in, out;
    std::map<uint64_t, Value> phis;
    std::vector<prog::Instr> code;
    std::vector<Join> joins;
    std::vector<uint32_t> from;  // segments whose ways lead here
    std::vector<Way> ways;       // empty: the end of the thread
  };

  // ---- passes (lower.cpp) ----
  bool pass();  // true: nothing was assumed wrongly
  void enter(uint32_t segment);
  Value meet(const Key& key, const std::vector<Value>& in, const std::string& name);
  Value meet_pointers(Join& j, const std::vector<Value>& in, const std::string& name);
  static Shape shape_of(const Target& t);
  static bool add_shape(Shapes& shapes, const Target& t);  // true: they have changed
  static bool add_shapes(Shapes& shapes, const Value& v);
  void copy_pointer(const Join& j, const Value& v, std::vector<std::pair<prog::RegId, Expr>>& pending);
  void check(const Key& key, const Value& assumed, const Value& brought);
  std::vector<prog::Instr> edge_code(uint32_t from, uint32_t to);
  Value incoming(uint32_t from, uint32_t to, uint64_t slot);
  const Instruction* phi_of(uint32_t segment, uint64_t slot) const;
  prog::Template linear();  // linear.cpp

  // ---- code (lower_code.cpp) ----
  void segment(uint32_t s);
  void instruction(const Instruction& i);
  void terminator(const Instruction& i);
  void call(const Instruction& i, uint32_t callee);
  Value own_copy(const Instruction& parameter, uint32_t callee, const Value& argument, const Instruction& call);
  void go(uint32_t to, Expr when);
  void phi(const Instruction& i);
  Value value(Id id, const Instruction& user);
  Value value_in(uint32_t frame, Id id, const Instruction& user);
  void define(const Instruction& i, Value v);
  Value settle(Value v, const Instruction& i);  // large terms become registers
  Expr demand(const Value& undefined, const Instruction& user);
  Expr any(uint8_t width, const std::string& what, const Expr& when, const Instruction& user);
  Value fixed(Value v, const Instruction& user);  // what each use could take otherwise is one value from here on
  const Operations& ops() const { return ops_; }

  // ---- memory (lower_memory.cpp) ----
  uint32_t root(const Instruction& variable, const std::string& path);
  void declare(const Instruction& variable);
  void begin_life(const Instruction& i);
  void end_life(uint32_t root);
  void end_frame(uint32_t frame);
  Value load(const Value& pointer, Id type, const prog::TagSet& tags, const Instruction& i);
  void store(const Value& pointer, Id type, const Value& v, const prog::TagSet& tags, const Instruction& i);
  Value load_scalar(const Value& pointer, Id type, const prog::TagSet& tags, const Instruction& i);
  Id pointee(const Value& pointer, const Instruction& i) const;
  void store_scalar(const Value& pointer, Id type, const Value& v, const prog::TagSet& tags, const Instruction& i);
  Value part_pointer(const Value& pointer, Id type, size_t k, Id& part, const Instruction& i);
  void copy_sized(const Instruction& i);
  bool vector_access(const Instruction& i);  // vload, vstore; false: something else
  void atomic(const Instruction& i);
  Expr compared(const Instruction& i, Expr equal);  // of OpIEqual and OpINotEqual: their result
  void barrier(const Instruction& i);
  void undefined_behaviour(const Expr& when, const Instruction& i);
  // Runs `f` with the cells behind every target of a pointer; predicates are set up around it.
  struct Spot {
    uint32_t root = 0;
    Memory::Cells cells;
    Expr when;    // empty: always
    Expr inside;  // of an open-ended variable: the place is one of its cells
    prog::RegId predicate = prog::k_none;
  };
  std::vector<Spot> spots(const Value& pointer, uint32_t bytes, uint8_t bits, const Instruction& i);
  prog::Address address(const Spot& s, uint32_t part);
  Expr or_unknown(const Spot& s, Expr e, Id type, const Instruction& i);
  prog::Instr& emit(prog::Kind kind, const Instruction& i, std::string mnemonic);
  prog::TagSet class_tags(uint32_t root) const;

  // ---- tags (tags.cpp) ----
  struct Semantics {
    bool acquire = false, release = false, sequential = false;
    prog::TagSet tags;  // what they cover
    bool relaxed() const { return !acquire && !release; }
  };
  uint32_t constant(Id id, const char* what, const Instruction& i);
  Semantics semantics(Id id, const Instruction& i);
  std::optional<vocab::Tag> scope(Id id, const Instruction& i);
  struct Accesses {  // tags of a read and of a write under memory operands
    prog::TagSet read, write;
    size_t next = 0;  // the argument behind them
  };
  Accesses memory_operands(const Instruction& i, size_t first, bool reads, bool writes);
  Accesses copy_operands(const Instruction& i, size_t first);
  void add_order(prog::TagSet& tags, const Semantics& s, bool reads, bool writes) const;

  prog::RegId reg(const std::string& name, uint8_t width);
  Expr var(prog::RegId r) const { return term::variable(r, t_.registers[r].width); }
  std::string result_name(const Instruction& i) const;
  prog::RegId set(Expr e, const std::string& name, const Instruction& i);  // a register that holds the term

  const Constants& c_;
  const Module& m_;
  const Types& types_;
  Memory& memory_;
  const Flow& flow_;
  uint32_t thread_;
  Place place_;
  Operations ops_;

  // Kept from pass to pass.
  std::vector<Root> roots_;
  std::map<std::pair<Id, std::string>, uint32_t> root_of_;
  uint64_t slots_ = 0;
  std::map<uint32_t, uint64_t> return_slot_;  // by frame
  std::vector<const Instruction*> own_variables_;
  std::set<Key> needed_;
  std::map<Key, Shapes> join_shapes_;
  std::set<Key> opaque_joins_;
  std::vector<bool> in_loop_;  // by segment

  // Of one pass.
  prog::Template t_;
  std::vector<State> states_;
  std::vector<std::map<Id, Value>> values_;           // by frame
  std::map<std::pair<uint32_t, Id>, Expr> spurious_;  // by frame and weak exchange: whether it has failed spuriously
  uint32_t here_ = 0;                                 // segment
  Slots slots_now_;
  std::vector<prog::Instr>* code_ = nullptr;
  std::map<std::string, prog::RegId> demanded_;  // in this segment
  uint32_t anything_ = 0;                        // values that `any` has given
  const Instruction* at_ = nullptr;
  bool again_ = false;
};

}  // namespace fencepost::spirv
