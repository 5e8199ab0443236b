#pragma once
// The kernel IR: what `prove` verifies and what the interpreter runs. One Module is one translation unit for one
// launch dialect (OpenCL or CUDA), written for ONE thread; the thread's ids are symbolic (`Op::id`).
//
// Made by `clangfe` (source -> this), printed by ir/print.h, checked by ir/verify.h, analysed by ir/cfg.h, run by
// `interp`, proved by `prove`. Nothing of LLVM is visible here.
//
// Laws
//  1. SSA over scalars. A value is a bit-vector of 1..64 bits, or a pointer. Vectors and structures are taken apart by
//     the front end: a load of a float4 is four Loads that share one `site`; a function that returns a float4 has four
//     results. Floats are bit-vectors; float operations are uninterpreted to the prover (deterministic, nothing else
//     known, so equal operands give equal results) and IEEE 754 to the interpreter.
//  2. Memory is a set of regions that never overlap. A pointer is (region, byte offset), null, or a function's address.
//     Every Load, Store and Atomic lists the regions that its pointer may point into (flow-insensitive points-to over
//     the whole module); null is never listed: an access through null is an error that the prover must exclude. Kernel
//     parameters that are pointers have one region each: they are assumed not to alias (`Module::warnings` says so
//     where no `restrict` does).
//  3. Every block is reachable from the entry, the CFG is reducible, every loop has one latch and a preheader, and a
//     block's phis come first. Every use is dominated by its definition (phi uses: at the end of the predecessor).
//  4. Nothing is dropped in silence. What the front end cannot express is a diagnostic (fault `unsupported`) and no
//     Module; what it replaces by "any value" is an Op::any whose `note` names the construct.
//  5. Annotations are instructions at their place; the expressions in them are ordinary pure instructions, and loads in
//     them carry `spec`: evaluated in place, never an access for races or bounds. `&&`, `||` and `?:` inside an
//     annotation have become Op::ite, so that an invariant stays within its loop header.
//
// Units: offsets, sizes and widths of accesses in bytes; widths of values in bits. Little endian. Addresses have
// Module::pointer_bits.
// Sources: the reference's documentation for the annotations (names in comments below); OpenCL C 3.0; CUDA C++
// programming guide; PTX ISA for barriers with names and masks.
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"

namespace fencepost::ir {

// ---- numbers of things -----------------------------------------------------------------------------------
// Value and block numbers are local to a function, the others to the module.
template <class Tag>
struct Number {
  uint32_t index = ~0u;
  explicit operator bool() const { return index != ~0u; }
  friend auto operator<=>(const Number&, const Number&) = default;
};
using ValueId = Number<struct ValueTag>;
using BlockId = Number<struct BlockTag>;
using FunctionId = Number<struct FunctionTag>;
using RegionId = Number<struct RegionTag>;
using SymbolId = Number<struct SymbolTag>;
using PlaceId = Number<struct PlaceTag>;

// ---- places ----------------------------------------------------------------------------------------------
// Where an instruction was written: the innermost place in a file of the user (frames of our own headers are
// dropped). `called_from`: where the function that holds it was called, if it has been inlined.
struct Place {
  uint32_t file = 0;    // index into Module::sources
  uint32_t line = 0;    // 1-based; 0: unknown
  uint32_t column = 0;  // 1-based, in bytes
  PlaceId called_from;
  friend bool operator==(const Place&, const Place&) = default;
};

// ---- types -----------------------------------------------------------------------------------------------
struct Type {
  enum Kind : uint8_t { bits, pointer } kind = bits;
  uint8_t width = 0;  // bits: 1..64; pointer: Module::pointer_bits
  friend bool operator==(const Type&, const Type&) = default;
};

// ---- memory ----------------------------------------------------------------------------------------------
enum class Space : uint8_t {
  global,    // one for the whole grid; races across groups
  group,     // OpenCL __local, CUDA __shared__: one for each group
  constant,  // one for the grid, written by no thread: a Store that may hit it is an error
  private_,  // one for each thread; no races
};

enum class Origin : uint8_t {
  parameter,  // what a kernel's pointer parameter points to; also of a function that no one calls
  by_value,   // a structure passed by value: private, with the same unknown contents in every thread
  variable,   // a variable of file scope, or a group-shared variable of a function
  automatic,  // a private variable of a function whose address matters; fresh contents each time the function is
              // entered
  fresh,      // __requires_fresh_array: the array behind a pointer variable, distinct from all others
  image,      // an image or texture object, accessed in texels
};

enum class Contents : uint8_t {
  unknown,  // whatever was there; for space group and private_: differing between groups and threads
  zero,
  given,  // Region::initial
};

// A pointer inside initial contents: at `offset` stands the address of `target` (or of a function) plus `addend`.
struct InitialPointer {
  uint64_t offset = 0;
  RegionId target;
  FunctionId function;
  int64_t addend = 0;
};

struct Region {
  std::string name;  // as in the source
  FunctionId owner;  // origin parameter, by_value, automatic and variables inside a function; else none
  Space space = Space::global;
  Origin origin = Origin::parameter;
  uint32_t element = 1;  // bytes of one element, as declared: a scalar, a vector, a structure
  std::vector<uint64_t>
      dimensions;                // `float4 A[4][8]`: 4, 8; outermost first; a leading 0 of a parameter: length unknown
  std::optional<uint64_t> size;  // bytes, when known
  Contents contents = Contents::unknown;
  std::vector<uint8_t> initial;          // contents given: `size` bytes
  std::vector<InitialPointer> pointers;  // laid over `initial`
  bool first_value = false;              // contents unknown: the text starts it with something else than zeros
  bool restrict_ = false;                // the parameter says restrict
  bool clustered = false;  // group memory that other groups of the cluster reach (flow/clusters.h says which)
  PlaceId place;
};

// ---- values ----------------------------------------------------------------------------------------------
// Operands are value numbers; constants and addresses are values too, so that an operand is always one number.
struct Value {
  enum Kind : uint8_t {
    constant,        // `constant` in the low `type.width` bits; a pointer constant 0 is null, others are raw addresses
    parameter,       // of the function; `index` counts Function::parameters
    result,          // of the instruction that has it in `results`
    region_address,  // offset 0 of `region`
    function_address,
  } kind = constant;
  Type type;
  uint64_t constant_bits = 0;
  uint32_t index = 0;
  RegionId region;
  FunctionId function;
  std::string name;  // of the source variable when known, for reports; not unique, may be empty
};

// ---- pure computation ------------------------------------------------------------------------------------
// Bit-vector operations have the meaning of SMT-LIB QF_BV and the same width for operands and result unless said.
enum class Op : uint8_t {
  // 1 or 2 operands
  not_,
  neg,
  add,
  sub,
  mul,
  sdiv,
  udiv,
  srem,
  urem,
  and_,
  or_,
  xor_,
  shl,
  lshr,
  ashr,
  smin,
  smax,
  umin,
  umax,
  clz,
  ctz,
  popcount,
  bitreverse,
  byteswap,  // clz(0) and ctz(0): the width
  // 2 operands -> 1 bit
  eq,
  ne,
  slt,
  sle,
  sgt,
  sge,
  ult,
  ule,
  ugt,
  uge,
  // others
  ite,  // condition (1 bit), then, else; of any type, pointers too
  zext,
  sext,
  trunc,
  extract,  // the `imm`-th bit and the type.width-1 above it
  concat,   // high, low
  // pointers
  pointer_add,      // pointer, bytes (pointer_bits wide, signed)
  pointer_eq,       // -> 1 bit. Pointers to different regions are unequal; null equals null
  pointer_ult,      // -> 1 bit. Same region: by offset; else any consistent order
  pointer_to_bits,  // an unknown multiple of 16 for each region, plus the offset; null is 0
  bits_to_pointer,  // the inverse where the bits came from pointer_to_bits in the same expression; else any pointer
  map_rank,         // pointer into group memory, 32 bits: the same place of the group with that rank in the cluster
  // float, uninterpreted to the prover. Width of operands: that of the first operand.
  fneg,
  fadd,
  fsub,
  fmul,
  fdiv,
  frem,
  fabs,
  fma,
  fcmp,  // -> 1 bit; `imm` is a FloatCompare
  float_to_sint,
  float_to_uint,
  sint_to_float,
  uint_to_float,
  float_to_float,
  function,  // `symbol`: a deterministic function without side effects (sqrt, DECLARE_UF_*), of all operands
  // the thread
  id,   // `imm` is an IdKind, `dimension` 0..2
  any,  // any value, chosen afresh at each execution by each thread (not uniform); `note` says for what
  // only in annotations -------------------------------------------------------------------------------------
  other,    // __other_*: the operand as the other thread of the pair has it
  enabled,  // __enabled(): this thread reaches here (meaningful under predicated execution)
  dominator_enabled,
  old,             // __old_*: the operand at the entry of the function
  return_value,    // __return_val_*; `imm` counts the results
  implies,         // 1 bit each
  accessed,        // pointer operand; `imm` is an AccessKind: some access of the kind to the pointer's region is in the
                   // current interval's set (__read, __write)
  access_offset,   // pointer, AccessKind: the byte offset of that access (__read_offset_bytes ...)
  pointer_base,    // pointer -> number of its region, width by type (__ptr_base)
  pointer_offset,  // pointer -> byte offset (__ptr_offset_bytes)
  no_overflow_add,  // operands, `imm` 1: signed: their sum does not wrap -> 1 bit (__add_noovfl_*_N predicates)
  taken_value,      // __atomic_has_taken_value(pointer, offset, value) -> 1 bit: this thread got the value from the
                    // location by a repetition-free atomic
};
const char* name(Op op);

enum class FloatCompare : uint8_t {
  never,
  oeq,
  ogt,
  oge,
  olt,
  ole,
  one,
  ord,
  uno,
  ueq,
  ugt,
  uge,
  ult,
  ule,
  une,
  always
};
const char* name(FloatCompare c);

enum class IdKind : uint8_t {
  local_id,
  group_id,
  local_size,
  num_groups,
  global_offset,  // get_global_offset; 0 in CUDA
  work_dim,
  cluster_rank,  // of the group in its cluster, along the dimension
  cluster_size,  // of the cluster, in groups
  lane,
  warp,
  warp_size,
  num_warps  // OpenCL sub-groups, PTX %laneid; rest on the flattened local id
};
const char* name(IdKind k);

enum class AccessKind : uint8_t { read, write, atomic };

struct Compute {
  Op op = Op::not_;
  std::vector<ValueId> operands;
  uint64_t imm = 0;
  uint8_t dimension = 0;
  SymbolId symbol;
  bool no_signed_wrap = false, no_unsigned_wrap = false;  // the source language says that it does not wrap
  std::string note;                                       // Op::any
};

// ---- memory accesses -------------------------------------------------------------------------------------
// `bytes` of memory from `pointer` on. For loads the result has 8*bytes bits, or is a pointer. `regions`: law 2.
// `site` numbers the access in the source: parts of one vector, structure or memcpy access share it, `part` counts
// them.
struct Access {
  ValueId pointer;
  uint32_t bytes = 0;
  std::vector<RegionId>
      regions;  // sorted; empty: points nowhere that is known (then every execution of it is an error)
  uint32_t site = 0, part = 0;
  bool is_volatile = false;
  // Past which caches it reads: stores of the same kernel do not reach __ldg and ld.global.nc (read_only), nor a read
  // of a surface.
  enum Cache : uint8_t { coherent, read_only, surface } cache = coherent;
  bool remote = false;  // it may be of group memory of another group of the cluster (flow/clusters.h)
};
struct Load {
  Access access;
  bool spec = false;  // law 5
};
struct Store {
  Access access;
  ValueId value;
};

enum class Order : uint8_t { relaxed, acquire, release, acq_rel, seq_cst, weak };  // weak: not atomic (PTX)
enum class Scope : uint8_t { thread, warp, group, cluster, device, system };
const char* name(Order o);
const char* name(Scope s);

enum class AtomicOp : uint8_t {
  load,
  store,
  exchange,
  compare_exchange,  // operands: -, value, value, (expected, desired)
  add,
  sub,
  and_,
  or_,
  xor_,
  nand,
  smin,
  smax,
  umin,
  umax,
  increment,
  decrement,  // by one, wrapping at the width (OpenCL atomic_inc)
  increment_to,
  decrement_from,  // CUDA atomicInc/atomicDec with their limit
  fadd,
  fsub,
  fmin,
  fmax,
};
const char* name(AtomicOp op);

struct Atomic {  // result: the old value (none for store and for a reduction whose result is not used)
  AtomicOp op = AtomicOp::load;
  Access access;
  std::vector<ValueId> operands;
  Order order = Order::relaxed, failure = Order::relaxed;
  Scope scope = Scope::device;
  std::string spelling;  // the function as the source calls it: "atomicAdd"
};

struct Fence {
  Order order = Order::seq_cst;
  Scope scope = Scope::device;
  bool local = true, global = true;  // which spaces it orders
};

// ---- meeting points --------------------------------------------------------------------------------------
// Who meets: `scope` warp (__syncwarp, sub_group_barrier), group (barrier, __syncthreads, bar.sync), cluster
// (barrier.cluster, of an arrival and a wait: either is half a meeting) or device (grid sync). The fence flags are
// values of one bit, since OpenCL's flags are an expression and may differ between threads.
struct Barrier {
  Scope scope = Scope::group;
  ValueId local_fence, global_fence;
  ValueId name;         // PTX bar.sync a: its number; none: barrier 0 of the scope
  ValueId count;        // bar.sync a, b: threads that meet; none: all
  ValueId mask;         // __syncwarp(mask): 32 bits; none: all of the warp
  bool arrive = false;  // bar.arrive: does not wait
  bool wait = false;    // barrier.cluster.wait: the thread has arrived before
  enum Reduce : uint8_t { none, count_true, all_true, any_true } reduce = none;  // __syncthreads_count/and/or
  ValueId predicate;  // of the reduction; its result is the instruction's
};

// Values that move between the lanes of a warp. To the prover the result is any value, but one of the operand's values
// of the warp for the shuffles, and equal in all lanes of the mask for votes.
struct WarpExchange {
  enum Kind : uint8_t {
    shuffle,
    shuffle_up,
    shuffle_down,
    shuffle_xor,
    vote_any,
    vote_all,
    ballot,
    match_any,
    match_all,
    reduce,
    active_mask,
    tile  // a matrix function: all threads of the warp come, with equal operands; no result, no mask
  } kind = shuffle;
  std::vector<ValueId> operands;  // value, lane or delta or lane mask, width; votes: predicate
  ValueId mask;                   // *_sync; none: all of the warp
  Op combine = Op::add;           // reduce; any: how is not said
};

// async_work_group_(strided_)copy: all threads of the group call it with the same operands, the group copies.
struct AsyncCopy {             // result: the event
  Access destination, source;  // bytes: of one element
  ValueId count;               // of elements
  ValueId stride;              // in elements; none: 1
  bool stride_is_source = true;
  ValueId event;  // to add to, or 0
};
struct WaitEvents {
  std::vector<ValueId> events;
};

// ---- calls -----------------------------------------------------------------------------------------------
struct Call {
  FunctionId callee;                // with or without a body; none: indirect
  ValueId pointer;                  // indirect
  std::vector<FunctionId> targets;  // indirect: who it may be, by points-to and type
  std::vector<ValueId> arguments;
};

// ---- annotations -----------------------------------------------------------------------------------------
enum class Note : uint8_t {
  assert_,
  assume,
  invariant,                // in the header of the loop that it is about
  function_wide_invariant,  // of every loop of the function
  requires_,
  ensures,  // of the function that holds it; operands are pure over parameters and spec loads
};
const char* name(Note n);

struct Annotation {
  Note note = Note::assert_;
  ValueId condition;       // 1 bit
  bool global = false;     // __global_*: also for a thread that is not enabled
  bool candidate = false;  // __candidate_*: true only if it can be proved; no error otherwise
};
// __barrier_invariant_N(cond, i...), __barrier_invariant_binary_N(cond, i, j, ...): asserted for this thread before
// the next barrier; after it assumed for the thread whose local id in dimension 0 is each instance (binary: pair).
// The condition is a pure expression; an instance replaces Op::id local_id 0 in it.
struct BarrierInvariant {
  ValueId condition;
  bool binary = false;
  std::vector<ValueId> instances;
};
struct ReadPermission {  // __read_permission: this thread reads the location, for barrier invariants
  Access access;
};
struct Snapshot {  // __array_snapshot(dst, src): dst has now the contents of src; a ghost
  Access destination, source;
};
// __reads_from, __writes_to, inside a bodiless `__spec_` function's prototype: which parameters it may access.
struct Frame {
  AccessKind kind = AccessKind::read;
  Access access;
  bool local = false;
};

// ---- instructions, blocks, functions ---------------------------------------------------------------------
struct Phi {
  struct Entry {
    BlockId from;
    ValueId value;
  };
  std::vector<Entry> entries;  // one for each predecessor
};

using Action = std::variant<Phi, Compute, Load, Store, Atomic, Fence, Barrier, WarpExchange, AsyncCopy, WaitEvents,
                            Call, Annotation, BarrierInvariant, ReadPermission, Snapshot, Frame>;

struct Instruction {
  std::vector<ValueId> results;  // none or one; a Call has as many as the callee has results
  Action action;
  PlaceId place;
};

struct Jump {
  BlockId to;
};
struct Branch {
  ValueId condition;
  BlockId then_, else_;
};
struct Switch {
  ValueId value;
  std::vector<std::pair<uint64_t, BlockId>> cases;
  BlockId otherwise;
};
struct Return {
  std::vector<ValueId> values;
};
struct Unreachable {};  // reaching it is an error, like a failing assertion
struct Trap {};         // __trap(), exit: the thread ends here, and so does the kernel: no error, no further access
using Terminator = std::variant<Jump, Branch, Switch, Return, Unreachable, Trap>;

struct Block {
  std::vector<Instruction> instructions;
  Terminator terminator;
  PlaceId place;  // of the terminator
};

struct Parameter {
  std::string name;
  Type type;
  uint32_t source_index = 0;  // the parameter of the source that it is (a part of)
  RegionId region;            // pointer of a kernel: what it points to, at offset 0
};

struct Function {
  std::string name;    // of the source, without mangling: "foo"
  std::string symbol;  // unique in the module
  bool kernel = false;
  bool body = false;   // false: bodiless; the result is any value, memory is unchanged except by its Frames
  bool axiom = false;  // __axiom(e): no parameters, one result of one bit that is true
  std::array<uint32_t, 3> cluster{};  // kernels: the groups of a cluster (__cluster_dims__); 0: the launch says
  std::vector<Parameter> parameters;
  std::vector<Type> results;
  std::vector<Value> values;
  std::vector<Block> blocks;  // blocks[0] is the entry and has no predecessor
  PlaceId place;

  const Value& value(ValueId v) const { return values[v.index]; }
};

enum class Dialect : uint8_t { opencl, cuda };

struct Module {
  Dialect dialect = Dialect::opencl;
  uint32_t pointer_bits = 32;
  std::vector<SourcePtr> sources;  // sources[0] is the file that was asked for
  std::vector<Place> places;
  std::vector<Region> regions;
  std::vector<Function> functions;
  std::vector<std::string> symbols;  // names of uninterpreted functions
  uint32_t sites = 0;                // Access::site < sites
  std::vector<Diagnostic> warnings;

  const Function& function(FunctionId f) const { return functions[f.index]; }
  const Region& region(RegionId r) const { return regions[r.index]; }
  const Place* place(PlaceId p) const { return p ? &places[p.index] : nullptr; }
  std::vector<FunctionId> kernels() const;
};

// "kernel.cl:12:3"; "" without a place.
std::string where(const Module& m, PlaceId p);
// The bytes of the line of the place, without its indentation; "" without one.
std::string source_line(const Module& m, PlaceId p);
// The byte range of the place in its source, for diagnostics.
Span span(const Module& m, PlaceId p);

// The values that an instruction or terminator reads, in order (phis: the entries' values).
void for_each_operand(const Action& a, const std::function<void(ValueId)>& f);
void for_each_operand(const Terminator& t, const std::function<void(ValueId)>& f);
std::vector<BlockId> successors(const Terminator& t);  // without repetition

}  // namespace fencepost::ir
