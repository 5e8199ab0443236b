#pragma once
// A small program of two or three threads that a compiler is given: atomic operations, fences, plain and volatile
// accesses, each in one of the spellings that CUDA C++ has for it. One value, printed in several languages (texts.h).
//
// A program is written in one line, which is its name in a store and in a report, and which is read back:
//   block 0: st.plain d 1; st.release.device.ref x 1 | block 1: ld.acquire.device.ref x; ?1 ld.plain d
// A thread begins with its block; threads of one block have numbers in the order of the line. "?1 " makes a statement
// depend on the thread's last result of a statement without a condition: it runs if that was 1.
//   OPERATION   ld st add sub exch and or xor max min cas fence
//   ORDER       plain volatile relaxed acquire release acq_rel seq_cst
//   SCOPE       block device system; of atomic operations and fences
//   SPELLING    ref: cuda::atomic_ref, cuda::atomic_thread_fence; builtin: __scoped_atomic_* and __atomic_*, or
//               __nv_atomic_*; old: atomicAdd and its kin, __threadfence
//   PLACE       x y: 32 bits; u v: 64 bits; d e: 32 bits, for data. All start at 0.
// A compare-exchange has the value that it expects and the one that it writes; if it fails its order is without the
// releasing half.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace fencepost::translation {

enum class Op : uint8_t { ld, st, add, sub, exch, and_, or_, xor_, max, min, cas, fence };
enum class Order : uint8_t { plain, volatile_, relaxed, acquire, release, acq_rel, seq_cst };
enum class Scope : uint8_t { block, device, system };
enum class Spelling : uint8_t { ref, builtin, old };
const char* name(Op o);
const char* name(Order o);
const char* name(Scope s);
const char* name(Spelling s);

inline constexpr const char* k_places = "xyuvde";

struct Statement {
  Op op = Op::ld;
  Order order = Order::plain;
  Scope scope = Scope::device;
  Spelling spelling = Spelling::ref;
  char place = 'x';                 // of accesses
  uint32_t value = 0, written = 0;  // operand; of a cas: what it expects, and what it writes
  std::optional<uint32_t> guard;
  bool operator==(const Statement&) const = default;

  bool is_atomic() const { return order > Order::volatile_; }
  bool is_update() const { return op > Op::st && op < Op::fence; }
  bool has_result() const { return op != Op::st && op != Op::fence; }
  uint32_t bits() const { return place == 'u' || place == 'v' ? 64 : 32; }
};

struct Thread {
  uint32_t block = 0;
  std::vector<Statement> body;
  bool operator==(const Thread&) const = default;
};

struct Program {
  std::vector<Thread> threads;
  bool operator==(const Program&) const = default;

  uint32_t blocks() const;            // one more than the largest number of a block
  uint32_t threads_of_block() const;  // of the fullest
  uint32_t number_in_block(size_t thread) const;
  bool uses(char place) const;
  bool writes(char place) const;
};

std::string to_string(const Statement& s);
std::string to_string(const Program& p);
// Errors name the word that is wrong.
Expected<Program> parse_program(const std::string& text);

// Is there such a statement: a load does not release, atomicAdd has no order, ...?
bool is_possible(const Statement& s);
Order order_of_failure(Order o);

}  // namespace fencepost::translation
