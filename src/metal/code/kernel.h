#pragma once
// Kernels as values: the program that one launch runs on every device, written once and printed in each device's
// language (PTX, OpenCL C, GLSL for SPIR-V, C++) or executed as it stands (CPU threads, the sequential executor).
// The frame of a litmus run (who plays which role, alignment, stress, classification) is built as such a kernel by
// `plan`; the instructions of the test itself are `test` statements, which keep their prog::Instr, so that the
// printer of the test's own dialect writes exactly what the test says.
//
// A launch runs `groups` workgroups of `lanes` invocations. Memory is: buffers of 32-bit words that the host makes,
// fills and reads (a kernel's arguments, in order), and `shared_words` words of memory of one workgroup, whose first
// contents are undefined. Variables are private to an invocation and start at 0.
//
// Expressions are term::Expr whose variables are Var numbers; widths 1, 32 and 64. Arithmetic wraps.
//
// Laws. (1) Everything but `test` statements is race-free under every model: words that two invocations may touch
// at the same time are accessed with `relaxed` order only. (2) No printer may drop, merge or move a load, store or
// atomic; printers without such a promise say so in their header. (3) Every loop ends by itself: a wait carries a
// limit.
#include <cstdint>
#include <string>
#include <vector>

#include "prog/test.h"
#include "term/term.h"

namespace fencepost::code {

using Var = uint32_t;  // index into Kernel::variables; number of a term variable
inline constexpr Var k_no_var = 0xffffffffu;
inline constexpr uint32_t k_shared = 0xfffffffeu;  // Place::buffer: the workgroup's own memory

struct Variable {
  std::string name;    // an identifier; unique in the kernel
  uint8_t width = 32;  // 1, 32, 64
  bool operator==(const Variable&) const = default;
};

struct Buffer {
  std::string name;        // an identifier
  bool read_only = false;  // by this kernel
  bool operator==(const Buffer&) const = default;
};

// Words [index, index + width/32) of a buffer. 64-bit places are at even words.
struct Place {
  uint32_t buffer = 0;  // index into Kernel::buffers, or k_shared
  term::Expr index;     // width 32 or 64
  uint8_t width = 32;   // 32 or 64
  bool operator==(const Place&) const = default;
};

// How an access that is not the test's own is made.
enum class Order : uint8_t {
  plain,   // nobody else touches the word during this launch, or only reads it
  group,   // relaxed atomic, workgroup scope
  device,  // relaxed atomic, device scope
  system,  // relaxed atomic, for all devices and the host; PTX alone has it, elsewhere it is `device`
};

// Ids and sizes of the launch, width 32. A workgroup has a `cluster`, a `rank` in it, and `ranks` workgroups beside it
// there, itself included; without clusters each is a cluster of its own. Only PTX and the sequential executor have
// them.
enum class Builtin : uint8_t { group, lane, groups, lanes, cluster, rank, ranks };

enum class AtomicOp : uint8_t { add, exchange, compare_exchange, or_, max };

struct Statement {
  enum class Kind : uint8_t {
    set,      // var := value
    builtin,  // var := builtin
    load,     // var := [place], order
    store,    // [place] := value, order
    atomic,   // var := old of [place]; [place] := op(old, value[, compare]); order group or device, always relaxed
    test,     // one instruction of the test, see Operation
    fence,    // fence at device scope of the frame's own: sequentially consistent, or `partial`: acquire and release
    barrier,  // all invocations of the workgroup meet; orders their accesses to buffers and shared memory
    branch,   // if value (width 1) then body else other
    loop,     // body, again and again, until a leave
    leave,    // if value (width 1; empty: always) end the innermost loop
    clock,    // var (64) := nanoseconds of a device clock, or 0 where the device has none
    pause,    // a hint to wait about `value` nanoseconds; may do nothing
    note,     // a comment in printed code; does nothing
  } kind = Kind::note;

  Var var = k_no_var;
  Builtin builtin = Builtin::group;
  Order order = Order::plain;
  AtomicOp op = AtomicOp::add;
  Place place;
  term::Expr value;
  term::Expr compare;  // compare_exchange: the value that must be there
  std::vector<Statement> body, other;
  std::string text;        // note
  uint32_t operation = 0;  // test: index into Kernel::operations
  bool partial = false;    // fence
  bool operator==(const Statement&) const = default;
};

// One memory instruction, fence or barrier of the test (never local arithmetic, labels or branches: those become
// set, branch and loop). `instr` says what (mnemonic, tags, scopes); the members below say on what, in the kernel's
// terms.
struct Operation {
  uint32_t role = 0;      // test thread
  uint32_t position = 0;  // index of the instruction in the thread's code
  prog::Instr instr;      // as in the test; its registers and addresses are those of the test
  prog::Dialect dialect = prog::Dialect::ptx;
  Place place;         // of loads, stores, rmw
  term::Expr value;    // operand; rmw: new value, may mention prog::k_old_value
  term::Expr guard;    // rmw: empty: always writes; may mention prog::k_old_value
  term::Expr result;   // rmw: what var gets, empty: the old value
  Var var = k_no_var;  // destination
  bool operator==(const Operation&) const = default;
};

struct Kernel {
  std::string name;  // an identifier: the entry point
  std::vector<Buffer> buffers;
  std::vector<Variable> variables;
  std::vector<Operation> operations;
  std::vector<Statement> body;
  uint32_t shared_words = 0;
  uint32_t group_limit = 1024;  // most invocations of a workgroup it is launched with
  bool operator==(const Kernel&) const = default;
};

// ---- building -------------------------------------------------------------------------------------------
Statement set(Var v, term::Expr value);
Statement read_builtin(Var v, Builtin b);
Statement load(Var v, Place p, Order o = Order::plain);
Statement store(Place p, term::Expr value, Order o = Order::plain);
Statement atomic(AtomicOp op, Var old, Place p, term::Expr value, Order o = Order::device, term::Expr compare = {});
Statement branch(term::Expr condition, std::vector<Statement> then, std::vector<Statement> otherwise = {});
Statement loop(std::vector<Statement> body);
Statement leave_if(term::Expr condition = {});
Statement barrier();
Statement fence(bool partial = false);
Statement clock(Var v);
Statement pause(term::Expr nanoseconds);
Statement note(std::string text);
Statement test(uint32_t operation);

// A variable of the kernel under construction, and its value in expressions.
Var add_variable(Kernel& k, std::string name, uint8_t width = 32);
term::Expr value_of(const Kernel& k, Var v);

// Whether some statement reads the cluster of a workgroup: printers without clusters refuse such kernels by name.
bool uses_clusters(const Kernel& k);

// Widths, variables, operations and buffers are as declared, leaves are inside loops. An internal check: a
// description of the first fault, or "".
std::string fault_of(const Kernel& k);

// For people and tests: indented pseudo-code.
std::string to_string(const Kernel& k);

}  // namespace fencepost::code
