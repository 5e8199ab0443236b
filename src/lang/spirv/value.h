#pragma once
// A value in flight while a thread is lowered: a term, an undefined value, a composite, or pointers that are still
// known as variable plus byte offset.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "spirv/words.h"
#include "term/term.h"

namespace fencepost::spirv {

using term::Expr;

// A place in a variable: bytes + sum of scale * e; every e has the width of offsets (32 or 64). Steps keep what the
// indices were, outermost first: an index into an array remembers the number of its elements, and pointer arithmetic in
// units of an element goes on with the index of its array. So an access knows which element of which array it means,
// and whether that is outside; a sum of bytes would not tell s[0].a[2] from s[0].b.
struct Offset {
  struct Step {
    int64_t scale = 1;
    Expr e;
    uint64_t limit = 0;  // elements of the array that e chooses from; 0: it is not known to be one
    bool operator==(const Step&) const = default;
  };
  int64_t bytes = 0;  // of members
  std::vector<Step> steps;
  bool operator==(const Offset&) const = default;

  std::optional<int64_t> constant() const;  // the whole, where every step is constant
  // Pointer arithmetic: e times `scale` bytes further.
  void move(int64_t scale, const Expr& e);
  // The greatest number of bytes that `bytes` and every step are multiples of, at most `most`.
  uint64_t unit(uint64_t most) const;
  // The whole in such units.
  Expr in_units(uint64_t unit, uint8_t width) const;
};
// The limit of an index into a runtime array: as many elements as the variable has.
inline constexpr uint64_t k_runtime = ~uint64_t{0};

inline constexpr uint32_t k_null_root = 0;

struct Target {
  Expr when;  // width 1; empty: always. The conditions of one pointer exclude one another
  uint32_t root = k_null_root;
  Offset offset;
  bool ended = false;  // the variable has ended since the pointer was made
  bool operator==(const Target&) const = default;
};

struct Value {
  enum class Kind : uint8_t { none, scalar, undefined, opaque, composite, pointer };
  Kind kind = Kind::none;
  Id type = 0;
  Expr e;                       // scalar: width 1 for bool, else the type's
  std::string undefined;        // undefined: what it is; equal names are one value
  bool each_use = false;        // undefined: whatever uses it gets a value of its own
  std::vector<Value> parts;     // composite
  std::vector<Target> targets;  // pointer
  bool operator==(const Value&) const = default;

  bool is(Kind k) const { return kind == k; }
  static Value scalar(Id type, Expr e) { return {Kind::scalar, type, std::move(e), {}, false, {}, {}}; }
  static Value opaque(Id type) { return {Kind::opaque, type, {}, {}, false, {}, {}}; }
  static Value unknown(Id type, std::string what, bool each_use = false) {
    return {Kind::undefined, type, {}, std::move(what), each_use, {}, {}};
  }
  static Value composite(Id type, std::vector<Value> parts) {
    return {Kind::composite, type, {}, {}, false, std::move(parts), {}};
  }
  static Value pointer(Id type, std::vector<Target> t) {
    return {Kind::pointer, type, {}, {}, false, {}, std::move(t)};
  }
};

// Nodes of a term, as a tree, counted up to `most`.
uint32_t term_size(const Expr& e, uint32_t most);

}  // namespace fencepost::spirv
