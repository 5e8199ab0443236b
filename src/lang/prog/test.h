#pragma once
// One concurrent program and what is asked of it: the value that every front end makes and every engine
// reads. A thread is a template (code) plus initial registers plus a scope path, so symmetry is known and
// not searched for. Instructions are already lowered (the shape of compare-and-swap is decided here), and
// keep their dialect spelling, so that a printer gives back the text that a person would write.
// Equality ignores spans: parse -> print -> parse is the identity on this type.
// Many sources wait for this header: who only passes a test on includes prog/names.h.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/source.h"
#include "prog/names.h"
#include "term/term.h"
#include "vocab/vocab.h"

namespace fencepost::prog {

using vocab::Dialect;
using vocab::Tag;
using vocab::TagSet;

// ---- memory ----------------------------------------------------------------------------------------
// An object is physical memory: `cells` values of `width` bits. Every cell has one Init write (its own
// pseudo-thread, tags IW, W and `tags`).
struct Cell {
  std::string
      name;  // as the source calls it and a question may ("q[1].b[2]"); "": it has no name, or only a piece of one
  bool is_unsigned = false;
  bool operator==(const Cell&) const = default;
};
struct Object {
  std::string name;
  uint8_t width = 64;
  std::vector<uint64_t> init = {0};  // one value per cell; its size is the number of cells
  TagSet tags;                       // carried by the Init events: NAL, GLOBAL, LOCAL, GENERIC, SHARED, ...
  std::vector<SymbolId>
      init_address;             // per cell: the symbol whose address is the initial value, or k_none; empty = none
  std::vector<bool> undefined;  // cells whose initial value the execution chooses; empty: none
  std::string declared;         // declared type as written ("int", "atomic_int"), or ""
  Span span;
  bool is_unsigned = false;  // its declared type has no sign: questions and outcomes read it so
  // OPENCL: the first thread that declares it local, and global; k_none: none does. At most one, but for published
  // tests (check::fits).
  uint32_t local_in = 0xffffffffu, global_in = 0xffffffffu;
  uint32_t home = k_none;   // PTX: the object lies in shared memory of this thread's CTA; none: in global memory
  bool mbarrier = false;    // PTX: an mbarrier object (prog/mbarrier.h)
  std::vector<Cell> cells;  // of what a compiler laid out; empty: they are NAME, or NAME[k] where there are several
  bool operator==(const Object&) const = default;
};

// A name for an object. Aliases: another symbol of the same object. `generic` is the symbol that stands
// for its virtual address: accesses through symbols with equal `generic` are related by vloc.
//   "y @ surface aliases x" -> object of x, generic = generic of x     (virtual alias through a proxy)
//   "y @ generic aliases x", VULKAN "y aliases x" -> object of x, generic = y itself
// OPENCL: local memory is one object per work-group. A location that threads of several groups declare local has a
// symbol for each of them, called after the first of the group's threads that declares it (s@P0, s@P2).
struct Symbol {
  std::string name;
  ObjectId object = 0;
  SymbolId generic = 0;
  SymbolId aliased = k_none;  // the symbol named after "aliases"
  std::string proxy;          // "generic", "surface", "texture", "constant" or "" (no alias, or VULKAN)
  Span span;
  SymbolId instances = k_none;  // the first of the symbols of one such location
  uint32_t group_of = k_none;   // that thread
  bool operator==(const Symbol&) const = default;
};

// Addresses as values: object k lives at k_object_stride * (k + 1), cells follow one another.
inline constexpr uint64_t k_object_stride = 0x1000;
uint64_t address_of(ObjectId object, uint64_t cell = 0);

// base symbol + index (in cells), or, without a symbol, a computed pointer.
struct Address {
  SymbolId symbol = k_none;
  term::Expr index;  // with a symbol: cell index, empty = 0; without: the pointer's value (64 bits)
  bool operator==(const Address&) const = default;
  bool direct() const { return symbol != k_none && !index; }
};

// ---- code ------------------------------------------------------------------------------------------
enum class Kind : uint8_t {
  local,    // dst := value
  load,     // dst := mem[addr]                                       one event, tags
  store,    // mem[addr] := value                                     one event, tags
  rmw,      // old := mem[addr]; if guard: mem[addr] := value         two events, tags / store_tags, related by amo
            //   value and guard may mention k_old_value, the value just read; dst := value of `result`
  fence,    // one event with `tags` (also avdevice, visdevice, proxy fences)
  barrier,  // control barrier, see Barrier                           one event with `tags` when passed
  label,    // position `label`
  jump,     // goto `label`
  branch,   // if value != 0 goto `label`
};
const char* name(Kind k);

// Variables in expressions are register numbers; this one is the value an rmw has just read.
inline constexpr uint64_t k_old_value = 0xffffffffu;

struct Barrier {
  std::string instance;   // compared as text; empty: named by the value of `id`, each value an instance of its own
  term::Expr id;          // empty: plain barrier
  term::Expr quorum;      // empty: all participants
  bool arrive = false;    // arrives without waiting
  bool everyone = false;  // all threads of the group take part, whether or not their code has the barrier
  uint32_t level = 1;     // scope level of the waiting group (ptx: cta, vulkan/opencl: workgroup)
  bool by_value() const { return instance.empty() && id; }
  bool operator==(const Barrier&) const = default;
};

// How far a branch's control dependency reaches.
enum class CtrlReach : uint8_t {
  rest_of_thread,  // every later event (assembly)
  to_label,        // events up to `ctrl_end` (structured if / while)
};

// What the branch or jump was in a structured language, so that a printer can give it back.
enum class Form : uint8_t { plain, c_if, c_else, c_while, c_while_back, c_end };

struct Instr {
  Kind kind = Kind::local;
  std::string mnemonic;  // canonical dotted mnemonic or C function ("ld.relaxed.gpu", "atomic_load_explicit")
  std::vector<std::string>
      spelling;                  // further modifiers a printer needs (C: order, scope, flags; declared type of dst)
  std::vector<term::Expr> args;  // source operands as written (values), for the printer
  RegId dst = k_none;
  Address addr;
  term::Expr value;
  term::Expr guard;   // rmw: empty = always writes
  term::Expr result;  // rmw: empty = old value; compare-exchange may give success
  TagSet tags;
  TagSet store_tags;                  // rmw: tags of its write
  std::optional<TagSet> failed_tags;  // rmw with a guard: tags of its read where it does not write; none: `tags`
  // rmw with a guard, of a weak compare-exchange: becomes 1 where the execution chooses that nothing is written
  // although the guard holds (a spurious failure), and else 0. None: it never fails so.
  RegId spurious = k_none;
  Barrier barrier;
  LabelId label = k_none;
  CtrlReach reach = CtrlReach::rest_of_thread;
  LabelId ctrl_end = k_none;
  Form form = Form::plain;
  RegId predicate = k_none;  // "@p": executes only if the register is non-zero (predicate_negated: zero)
  bool predicate_negated = false;
  // PTX: an instruction of several events is several Instr. Those of one instruction or asynchronous operation have
  // the same number, counted in the template; none: a number of its own. The first is printed, with `operands` as they
  // were written, and the others are hidden.
  uint32_t operation = k_none;
  std::vector<uint32_t> awaits;  // operations that are complete where this one is done
  std::optional<std::string> operands;
  bool hidden = false;
  Span span;
  bool operator==(const Instr&) const = default;
};

struct Register {
  std::string name;
  uint8_t width = 64;
  std::string type;          // as declared ("s32", "int"), or ""
  bool temporary = false;    // made by the front end; never observable
  bool is_unsigned = false;  // as an Object's
  bool operator==(const Register&) const = default;
};

struct Label {
  std::string name;
  uint32_t at = 0;  // index into Template::code of its Kind::label instruction
  bool operator==(const Label&) const = default;
};

struct Template {
  std::vector<Register> registers;
  std::vector<Label> labels;
  std::vector<Instr> code;
  std::vector<std::string> parameters;  // OPENCL: "global atomic_int* x", in order; else empty
  bool operator==(const Template&) const = default;
};

// Ids from the widest level down (vocab::levels): ptx {sys, gpu, cta[, warp]}, vulkan {dv, qf, wg, sg},
// opencl {all, dv, wg[, sg]}. Empty: the thread has no place in the hierarchy and is in nobody's scope.
using ScopePath = std::vector<uint32_t>;

struct InitValue {
  RegId reg = 0;
  uint64_t value = 0;
  SymbolId address = k_none;  // the register starts as this symbol's address
  bool operator==(const InitValue&) const = default;
};

struct Thread {
  uint32_t id = 0;     // as written: P<id>; equals its index
  uint32_t templ = 0;  // index into Test::templates
  ScopePath scope;
  std::vector<InitValue> init;  // registers not named start at 0
  uint32_t cluster =
      k_none;         // PTX: number of the cluster of its CTA, counted on its device; none: the CTA is one of its own
  bool host = false;  // PTX: an x86 thread of the host. Its scope path is {sys}: it is in no GPU's scope
  bool operator==(const Thread&) const = default;
};

// ---- question --------------------------------------------------------------------------------------
struct CondValue {
  enum class Kind : uint8_t { reg, location, constant, address } kind = Kind::constant;
  uint32_t thread = 0;  // reg
  RegId reg = 0;
  SymbolId symbol = 0;       // location, address
  uint64_t cell = 0;         // location
  uint64_t constant = 0;     // 64-bit two's complement
  bool is_unsigned = false;  // register, location: its value is zero-extended, not sign-extended
  Span span;
  bool any_group = false;  // location with instances: the name was written without saying whose
  bool operator==(const CondValue&) const = default;
};

struct Cond {
  enum class Kind : uint8_t { always, atom, not_, and_, or_ } kind = Kind::always;
  term::Op cmp = term::Op::
      eq;  // atom: a comparison of 64 bits; values are extended first, by their sign unless CondValue says else
  CondValue lhs, rhs;
  std::vector<Cond> kids;  // not: 1; and, or: 2 or more, flattened
  Span span;
  bool operator==(const Cond&) const = default;
};

// What a `.test` file says of itself; litmus files leave it empty.
struct Expectation {
  std::string text;  // the clause as written, e.g. "SATISFIABLE consistent[X] && #dr=0"
  // "condition", "races" (no execution that meets the filter raises a flag), "race_free" (some execution that
  // meets the filter raises none), or "" for a clause that no property expresses.
  std::string property;
  bool holds = true;
  std::string variant;  // "" or "nochains": judged under that variant of the model
  bool operator==(const Expectation&) const = default;
};

struct Test {
  std::string title;
  Syntax syntax = {};  // ptx
  Dialect dialect = Dialect::ptx;
  std::vector<std::string> remarks;  // quoted strings of the header
  std::vector<Object> objects;
  std::vector<Symbol> symbols;
  std::vector<Template> templates;
  std::vector<Thread> threads;
  std::vector<std::pair<uint32_t, uint32_t>> ssw;  // VULKAN system-synchronizes-with, by thread
  Cond filter;                                     // always: none
  Quantifier quantifier = Quantifier::none;
  Cond condition;
  std::vector<CondValue> locations;  // "locations [...]": further observables
  std::vector<Expectation> expectations;
  std::vector<std::string> assumptions;  // what the front end took for granted, one sentence each, without a full stop
  Span span;
  bool operator==(const Test&) const = default;

  const Template& code(uint32_t thread) const { return templates[threads[thread].templ]; }
  const std::vector<Instr>& instrs(uint32_t thread) const { return code(thread).code; }
};

// Adds a template, reusing an equal one, and returns its index.
uint32_t intern_template(Test& test, Template t);

// Weak compare-exchanges become strong ones: none fails spuriously. False: there was none.
bool forbid_spurious_failures(Test& test);
bool may_fail_spuriously(const Test& test);

// Number of events if every instruction ran once, without Init: a size for reports and limits.
uint32_t event_count(const Test& test);

// Of two threads: same_scope, and for vocab::k_level_cluster whether their CTAs are one or in one cluster.
bool same_scope(const Thread& a, const Thread& b, uint32_t level);
// Some thread names a cluster, or some instruction has the scope of one.
bool has_clusters(const Test& test);
bool has_cluster_scope(const Test& test);  // an instruction has
// The first thread that is on the host; none: there is none.
const Thread* host_thread(const Test& test);
// The first instruction of PTX 8.0 or later of which models before ptx-9 say nothing: asynchronous operations, phases,
// fences of one direction, barriers of clusters and warps, vectors. None: there is none.
const Instr* needs_ptx9(const Test& test);

// True when thread a's scope path equals b's from the top down to `level` (both must reach it).
bool same_scope(const ScopePath& a, const ScopePath& b, uint32_t level);

// As the source calls it: without the thread of an instance.
std::string declared_name(const Symbol& s);
// The first location of the question (condition, filter, locations) that has instances and does not say whose.
const CondValue* named_of_any_group(const Test& test);
// All instances of a location are one object, as some published tests take it. False: no location has several.
bool join_groups(Test& test);

// How the source calls a cell: "x", "x[2]", "q[1].b[2]".
std::string cell_name(const Test& test, SymbolId symbol, uint64_t cell);
std::string cell_name(const Object& object, const std::string& called, uint64_t cell);
bool is_unsigned(const Object& object, uint64_t cell);
// Human text of one instruction in its dialect, one line ("st.weak x, 1").
std::string to_string(const Test& test, uint32_t thread, const Instr& instr);
std::string to_string(const Test& test, const Cond& c);
std::string to_string(const Test& test, const CondValue& v);

}  // namespace fencepost::prog
