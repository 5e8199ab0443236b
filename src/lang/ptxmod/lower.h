#pragma once
// One thread as a template: symbolic execution of the flat code, with %tid and its like as constants, block by block as
// spirv/lower.h does it for SPIR-V (joins, loops and the order of blocks are explained there; order.h and tidy.h are
// shared). What differs: registers are set many times, so that what is live where (here: `live_in_`) says what has to
// meet; an integer may be an address; predicates stand at every instruction.
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "ptxmod/memory.h"
#include "vocab/vocab.h"

namespace fencepost::ptxmod {

// What all threads of a test share while they are lowered.
struct Notes {
  bool opaque = false;     // a result of floating point arithmetic decided something
  bool addresses = false;  // addresses were used as numbers
  bool clocks = false, traps = false, prints = false, lanes = false;
  bool aligned = false;  // a barrier at which whole warps are to be
  bool sizes = false;    // an access of shared or global memory is also accessed in smaller pieces
  bool exits = false;    // a thread may end before a barrier of its CTA
  bool textures = false;
  std::map<const Node*, bool> alike;  // exchanges: whether all lanes of a warp get one result
};

struct Blocks {
  struct Block {
    size_t begin = 0, end = 0;  // nodes
    std::vector<uint32_t> next;
  };
  std::vector<Block> blocks;       // the first is the start
  std::vector<uint32_t> at_label;  // block that a label begins, or k_nothing
  std::vector<uint32_t> order, rank;
  std::vector<std::set<uint32_t>> live_in;  // registers
  std::vector<bool> in_loop;
};
Blocks blocks_of(const Flat& flat);
// Registers that an instruction reads and sets; `carry` stands for CC.CF. A predicated one may leave what was there.
void reads_and_writes(const Node& n, std::set<uint32_t>& reads, std::set<uint32_t>& writes, uint32_t carry);

struct Taken {  // of a block: where a thread may go on
  bool reached = false;
  std::set<uint32_t> next;
};
// A branch that memory decides before a barrier of the block: by one side the thread ends without any barrier, by the
// other it may come to one (exits.cpp).
struct EarlyEnd {
  Span span;
  bool in_loop = false;
};
// Whether all threads of a block come to this barrier: no number of threads stands beside it.
bool is_of_all(const prog::Instr& i, bool cuda);

// Lines of atomic operations, fences and barriers to which no thread of the launch can come, since numbers of threads
// and blocks decide it (exits.cpp). By thread.
std::set<uint32_t> lines_not_reached(const Flat& flat, const Blocks& flow,
                                     const std::vector<std::vector<Taken>>& taken);

// Refuses a barrier that is .aligned where some threads of a warp may go around it (uniform.cpp). By thread.
void check_aligned(const Flat& flat, const Blocks& flow, const spirv::Launch& launch,
                   const std::vector<std::vector<Taken>>& taken);
// As the source calls an exchange between lanes: "__shfl_sync", "shfl.sync.idx.b32".
std::string exchange_name(const Node& n, bool cuda);
// Refuses an exchange between lanes that memory decides whether each of them comes to (uniform.cpp). By thread.
void check_exchanges(const Flat& flat, const Blocks& flow, const spirv::Launch& launch,
                     const std::vector<std::vector<Taken>>& taken, const std::map<const Node*, bool>& alike);
// Lanes that never come to an exchange give any value; refuses one that they come to unequally often (lanes.cpp).
// Those of which it turns out that they have ended are noted in `decisions`. May throw Restart.
void settle_exchanges(prog::Test& test, std::vector<prog::Template>& threads, const spirv::Launch& launch,
                      Decisions& decisions);
// Refuses registers of another size or kind than the instruction has (operands.cpp).
void check_operands(const Flat& flat);

// CUDA C++: threads of a block whose code leads to different __syncthreads (cuda.cpp). One template for each thread.
void settle_barriers(std::vector<prog::Template>& threads, const spirv::Launch& launch);

// Above the roots: the number of a counter of exchanges, as a variable of the thread (Lowering::Key::id).
inline constexpr uint32_t k_counters = 0x80000000u;

// What an atomic operation of PTX (atom, red) writes over `old`; `y` is the new value of a compare-and-swap, which
// always writes: the old value where the comparison fails.
Expr combined(const std::string& operation, bool is_signed, const Expr& old, const Expr& x, const Expr& y);

class Lowering {
 public:
  struct Who {
    uint32_t thread = 0;  // of the test
    uint32_t at = 0;      // of the launch
  };
  // `flat` has the variables of the memory's, in the same order.
  Lowering(Memory& memory, const Flat& flat, const Blocks& flow, const spirv::Launch& launch, Who who, Notes& notes);
  prog::Template run();
  std::vector<Taken> taken() const;  // by block
  const std::vector<EarlyEnd>& early_ends() const { return early_ends_; }

 private:
  // What a block hands on: the value of a register, or of some bytes of a variable of the thread.
  struct Key {
    bool memory = false;
    uint32_t id = 0;  // register, root
    int64_t at = 0;
    uint32_t bytes = 0;
    auto operator<=>(const Key&) const = default;
  };
  using Values = std::map<Key, Value>;
  using Place = std::pair<uint32_t, Key>;  // a block, and what meets at its beginning
  struct Join {
    Key key;
    uint8_t width = 32;
    bool address = false;               // which root (if there are several), and the offset
    prog::RegId reg = prog::k_none;     // the value, or the offset in units
    prog::RegId choice = prog::k_none;  // of the roots
    std::map<Origin, uint64_t> roots;   // and the unit of their offsets
    Span span;
  };
  struct Way {
    uint32_t to = 0;
    Expr when;  // width 1; empty: in all other cases (the last way)
  };
  struct State {
    bool reached = false, done = false;
    Values in, out;
    std::vector<prog::Instr> code;
    std::vector<Join> joins;
    std::vector<uint32_t> from;
    std::vector<Way> ways;  // empty: the end of the thread
  };

  // ---- passes (lower.cpp) ----
  bool pass();
  void enter(uint32_t block);
  Value meet(const Place& place, const std::vector<Value>& in);
  Value meet_addresses(Join& j, const Place& place, const std::vector<Value>& in);
  void check(const Place& place, const Value& assumed, const Value& brought);
  bool add_roots(const Place& place, const Value& v);
  Value incoming(uint32_t from, const Key& key) const;
  std::vector<prog::Instr> edge_code(uint32_t from, uint32_t to);
  void copy_address(const Join& j, const Value& v, std::vector<std::pair<prog::RegId, Expr>>& pending);
  void go(uint32_t to, Expr when);
  prog::Template linear();
  std::vector<EarlyEnd> find_early_ends() const;  // exits.cpp
  std::string key_name(const Key& key) const;

  // ---- values (lower.cpp) ----
  prog::RegId reg(const std::string& name, uint8_t width);
  Expr var(prog::RegId r) const { return term::variable(r, t_.registers[r].width); }
  prog::Instr& emit(prog::Kind kind, std::string mnemonic);
  prog::RegId set(Expr e, const std::string& name);
  Value settle(Value v, const std::string& name);
  Expr any(uint8_t width, const std::string& what, const Expr& when);
  Expr term(const Value& v);  // as a number, in the value's width
  Expr number_of(const Target& t);
  Value resized(const Value& v, uint8_t width, bool is_signed = false);
  Value select(const Expr& when, const Value& yes, const Value& no);
  std::vector<Target> targets_of(const Value& v);
  [[noreturn]] void refuse(std::string why, std::string hint = {}) const;
  [[noreturn]] void fail(std::string why, std::string hint = {}) const;

  // ---- instructions (code.cpp) ----
  void block(uint32_t b);
  void instruction(const Node& n);
  void branch_table(const Node& n);
  Value value(const Argument& a, uint8_t width);
  Expr number(const Argument& a, uint8_t width) { return term(value(a, width)); }
  Value special(const Argument& a, uint8_t width);
  void define(const Argument& a, Value v, bool is_signed = false);
  Value register_now(uint32_t r) const;
  const Argument& argument(size_t k) const;
  void arguments(size_t n) const;
  void moves();
  void texture();
  std::string result_name(size_t lane = 0) const;
  void load_lanes(const Argument& to, const std::vector<Value>& lanes, bool is_signed);

  // ---- arithmetic (alu.cpp) ----
  bool arithmetic();  // false: no such instruction
  bool floating();
  Expr unless(const Expr& outside, const Expr& e);
  Expr high_product(const Expr& a, const Expr& b, bool is_signed);
  Expr count_bits(const Expr& e);
  Expr leading(const Expr& e);  // place of the highest bit that is set, in 32 bits; all ones if there is none
  Expr shifted(term::Op op, const Expr& e, Expr by);
  Expr saturated(const Expr& e, bool from_signed, uint8_t width, bool is_signed);
  Expr compare(const std::string& op, const Expr& a, const Expr& b, bool is_signed);
  Value add_values(const Value& a, const Value& b, bool subtract);
  std::optional<Value> add_to_distance(const Value& a, const Value& b, bool subtract);
  Value and_values(const Value& a, const Value& b);
  std::optional<Expr> compare_addresses(const std::string& op, const Value& a, const Value& b);
  void convert();
  void fields();
  void dot_product();
  void permute();
  void carries(const std::string& op);

  // ---- lanes of a warp (lanes.cpp) ----
  struct Gathered {
    std::vector<Expr> of;  // by lane: what it gave; empty: nobody asked for it, or nobody can
    bool opaque = false;
  };
  void warp();
  bool comes_from(uint32_t reg, const char* head) const;
  uint64_t named_lanes(const Argument& mask);
  Gathered exchange(const Value& own, uint64_t named, uint64_t asked);
  void shuffle();
  void vote();
  void match();
  void reduce();

  // ---- memory (access.cpp) ----
  struct Spot {
    uint32_t root = 0;
    Expr when;    // empty: always
    Expr inside;  // of an open-ended object: the place is one of its cells
    prog::Address first;
    uint32_t count = 1;  // cells
    uint8_t width = 32;  // of one
    prog::RegId predicate = prog::k_none;
  };
  uint32_t root(const RootKey& key);
  bool windowed(const Target& t) const;  // its state space is a window of the generic one
  Value converted(const Value& v, const std::string& space, bool to_generic);
  bool surely_address(const Target& t);  // and no number that a parameter may be as well
  static std::optional<Value> composed(const Values& values, const Key& key);
  Value own_bytes(const Key& key);  // of a variable in registers, whatever pieces it was written in
  void set_own_bytes(const Key& key, Value v);
  bool own(uint32_t root) const;  // a variable of the thread, in registers
  std::string instance(uint32_t root) const;
  Value pointer(const Argument& a, const std::string& space);
  void in_space(const Value& address, const std::string& space, uint32_t bytes);
  void misaligned(const Target& t, uint32_t bytes);
  std::vector<Spot> spots(const Value& address, uint32_t bytes, bool strong, bool writes);
  Value load(const Value& address, uint32_t bytes, const prog::TagSet& tags, const std::string& mnemonic, bool strong,
             const std::string& name);
  void store(const Value& address, uint32_t bytes, const Value& v, const prog::TagSet& tags,
             const std::string& mnemonic, bool strong);
  Value parameter(uint32_t root, int64_t at, uint32_t bytes);
  void undefined_behaviour(const Expr& when);
  Expr guarded(const Expr& e) const;  // and the predicate of the instruction
  void access(bool loads);
  void atomic(bool reduces);
  void fence();
  void barrier();
  void warp_barrier(uint64_t mask);

  // ---- CUDA C++ (cuda.cpp) ----
  void cuda();
  void cuda_access(bool loads);
  void cuda_atomic(bool exchanges);
  void cuda_syncwarp();
  void end_life();
  void require_life(const Value& address);

  Memory& memory_;
  const Flat& flat_;
  const Blocks& flow_;
  const spirv::Launch& launch_;
  uint32_t thread_;
  spirv::Place place_;
  Notes& notes_;

  std::vector<EarlyEnd> early_ends_;  // of the last pass

  // Kept from pass to pass.
  std::vector<RootKey> roots_;
  std::map<RootKey, uint32_t> root_of_;
  std::set<Place> needed_, opaque_joins_;
  std::map<Place, std::map<Origin, uint64_t>> join_roots_;
  std::map<std::string, uint32_t> exchanges_;  // number of a counter by the name of the exchange
  std::set<Place> carried_;  // bytes of variables of the thread that only a later round of a loop has written

  // Of one pass.
  prog::Template t_;
  std::vector<State> states_;
  uint32_t here_ = 0;
  Values now_;
  std::vector<prog::Instr>* code_ = nullptr;
  std::map<std::string, prog::RegId> demanded_;  // in this block
  uint32_t anything_ = 0;
  const Node* node_ = nullptr;
  Expr guard_;  // of the instruction; empty: always
  bool again_ = false;
};

}  // namespace fencepost::ptxmod
