#pragma once
// A value in flight while a thread is lowered.
#include <cstdint>
#include <string>
#include <vector>

#include "term/term.h"

namespace fencepost::ptxmod {

using term::Expr;

inline constexpr uint32_t k_number_root = 0;  // no object: the offset is the number itself

// An address: so many bytes behind the beginning of a root (memory.h). PTX computes with addresses as with other
// integers; as long as only offsets are added the object stays known, and an access needs no more.
// The variable's own state space or the generic one: an address of a shared, local or constant variable is one number
// in its space and another as a generic address (6.4.1.1), `cvta` turns one into the other. Other variables have one.
struct Origin {
  uint32_t root = k_number_root;
  bool generic = false;
  bool ended =
      false;  // CUDA C++: of a variable of the thread whose lifetime is over, though another may be at its place
  auto operator<=>(const Origin&) const = default;
};

struct Target {
  Expr when;  // width 1; empty: always. The conditions of one address exclude one another
  uint32_t root = k_number_root;
  Expr offset;  // 64 bits
  bool generic = false;
  bool ended = false;
  Origin origin() const { return {root, generic, ended}; }
  bool is_beside(const Target& t) const { return root == t.root && generic == t.generic; }
  bool operator==(const Target&) const = default;
};

struct Value {
  enum class Kind : uint8_t {
    undefined,  // never set: each use may find another value
    unknown,    // one value that nobody gave, for all threads: a parameter without an input
    opaque,     // a result of floating point arithmetic
    scalar,
    address,
    distance,  // of two addresses in different objects: targets[0] - targets[1]
  };
  Kind kind = Kind::undefined;
  uint8_t width = 32;
  Expr e;                       // scalar
  std::string what;             // undefined, unknown: its name; equal names are one value
  std::vector<Target> targets;  // address, distance
  bool operator==(const Value&) const = default;

  bool is(Kind k) const { return kind == k; }
  static Value scalar(Expr e) {
    const uint8_t w = e.width();
    return {Kind::scalar, w, std::move(e), {}, {}};
  }
  static Value constant(uint64_t n, uint8_t width) { return scalar(term::constant(n & term::mask(width), width)); }
  static Value opaque(uint8_t width) { return {Kind::opaque, width, {}, {}, {}}; }
  static Value undefined(std::string what, uint8_t width) { return {Kind::undefined, width, {}, std::move(what), {}}; }
  static Value unknown(std::string what, uint8_t width) { return {Kind::unknown, width, {}, std::move(what), {}}; }
  static Value address(std::vector<Target> t, uint8_t width) { return {Kind::address, width, {}, {}, std::move(t)}; }
};

// A power of two, at most `most`, that divides the term whatever its variables are.
uint64_t divisor(const Expr& e, uint64_t most);

}  // namespace fencepost::ptxmod
