#pragma once
// One test of a compiler: a few PTX instructions of one thread, in a shape, and the kernel that holds them.
//
// A test is written in one line, which is its name in a store and in a report, and which is read back:
//   [late: ][loop: ]INSTRUCTION@PLACE; ...          a leading "?p " or "?b " puts an instruction behind a predicate, or
//                                                   behind a branch on one; "late: " wants the last result first, for
//                                                   which a scheduler may move the reads
// PLACE is a letter, which says what the compiler knows about the address, and a number from 1 to 15:
//   p  global memory, a parameter plus a multiple of the lane     w  the same without the lane (one place for a warp)
//   q  global memory, another parameter: may be p's memory       k  generic, known to be p (cvta.global)
//   u  generic, nothing known                                    h  generic, known to be shared (cvta.shared)
//   s  a shared variable, no register                            t  shared, an address from a register
//   c  shared memory of a CTA of the cluster (mapa)              l  a variable of local memory
// Behind a place "=0", "=1", "=-1" or "=1.0" is the value that an access writes or takes, a constant (Value), and
// " unused" says that nothing uses the result: atom.acquire.gpu.shared.add.u64@s1=1 unused
// Number n is the offset 64 n: accesses of one letter and different numbers never overlap, and the offset leads from a
// machine instruction back to the place that it accesses.
// "barrier.cluster.ARRIVE+WAIT" (release+acquire, relaxed+acquire) stands for an arrival and a wait.
#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace fencepost::hunt {

enum class Kind : uint8_t { load, store, atomic, reduction, fence, proxy_fence, barrier, cluster_barrier };
enum class Order : uint8_t { weak, relaxed, acquire, release, acq_rel, sc };
enum class Scope : uint8_t { none, cta, cluster, gpu, sys };
enum class Guard : uint8_t { none, predicate, branch };
// What a store or an atomic operation writes or takes: a parameter of the kernel, or a constant, which the compiler
// knows: no bit set, the lowest one, all, and 1.0 of a floating-point type. Of a compare-and-swap the expected value.
enum class Value : uint8_t { parameter, zero, one, ones, real };

struct Instruction {
  std::string words;  // "atom.acquire.gpu.shared.add.u64"
  char place = 0;     // letter, 0: no address
  uint32_t number = 0;
  Guard guard = Guard::none;
  Value value = Value::parameter;
  bool unused = false;  // nothing uses the result
  // ---- what the words say ----
  Kind kind = Kind::load;
  Order order = Order::weak;
  Scope scope = Scope::none;
  bool is_volatile = false, mmio = false;
  std::string operation, type;  // "add", "u64"
  uint32_t vector = 1;          // elements

  bool is_access() const { return kind <= Kind::reduction; }
  bool reads() const { return kind == Kind::load || kind == Kind::atomic; }
  bool writes() const { return kind == Kind::store || kind == Kind::atomic || kind == Kind::reduction; }
  bool acquires() const { return order == Order::acquire || order == Order::acq_rel || order == Order::sc; }
  bool releases() const { return order == Order::release || order == Order::acq_rel || order == Order::sc; }
  bool is_strong() const { return order != Order::weak; }
  bool is_real() const { return type.find('f') != std::string::npos; }  // of a floating-point type
  bool in_shared() const { return place == 's' || place == 't'; }       // of the CTA, and the compiler knows it
  uint32_t bits() const;                                                // of one element
  friend bool operator==(const Instruction& a, const Instruction& b) {
    return a.words == b.words && a.place == b.place && a.number == b.number && a.guard == b.guard &&
           a.value == b.value && a.unused == b.unused;
  }
};

struct PtxTest {
  bool loop = false;  // the instructions are the body of a loop that is not unrolled
  std::vector<Instruction> body;
  bool late = false;  // the results are stored in the other order
  friend bool operator==(const PtxTest&, const PtxTest&) = default;
};

// From words and place; an error names the word that is not known.
Expected<Instruction> instruction_of(const std::string& words, char place, uint32_t number, Guard guard);
std::string to_string(const Instruction& i);  // with place and guard
std::string to_string(const PtxTest& t);
Expected<PtxTest> parse_test(const std::string& text);

inline constexpr uint32_t k_first_line = 10;    // line information: instruction n of a test has this line plus n
inline constexpr uint32_t k_frame_line = 9000;  // whatever is not of the test
inline constexpr uint32_t k_stride = 1024;      // bytes for a lane; a multiple of all offsets' range

// A module with one kernel for each test, "t0", "t1", ...; sm: compute capability * 10. lines[n] is the first line of
// the text that belongs to kernel n, and lines.back() the first behind the last one.
struct Module {
  std::string text;
  std::vector<uint32_t> lines;
};
Module module_of(const std::vector<PtxTest>& tests, const std::string& target);
// The kernel alone, for people.
std::string kernel_of(const PtxTest& test, const std::string& name);

}  // namespace fencepost::hunt
