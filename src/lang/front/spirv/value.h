#pragma once
// A value in flight while a thread is lowered: a term, an undefined value, a composite, or pointers that are still
// known as variable plus byte offset.
#include <cstdint>
#include <string>
#include <vector>

#include "front/spirv/words.h"
#include "term/term.h"

namespace fencepost::front::spirv {

using term::Expr;

// bytes + sum of scale * e; every e has the width of offsets (32 or 64).
struct Offset {
  struct Step {
    int64_t scale = 1;
    Expr e;
    bool operator==(const Step&) const = default;
  };
  int64_t bytes = 0;
  std::vector<Step> steps;
  bool operator==(const Offset&) const = default;
};

inline constexpr uint32_t k_null_root = 0;

struct Target {
  Expr when;               // width 1; empty: always. The conditions of one pointer exclude one another
  uint32_t root = k_null_root;
  Offset offset;
  bool operator==(const Target&) const = default;
};

struct Value {
  enum class Kind : uint8_t { none, scalar, undefined, opaque, composite, pointer };
  Kind kind = Kind::none;
  Id type = 0;
  Expr e;                      // scalar: width 1 for bool, else the type's
  std::string undefined;       // undefined: what it is; equal names are one value
  std::vector<Value> parts;    // composite
  std::vector<Target> targets;  // pointer
  bool operator==(const Value&) const = default;

  bool is(Kind k) const { return kind == k; }
  static Value scalar(Id type, Expr e) { return {Kind::scalar, type, std::move(e), {}, {}, {}}; }
  static Value opaque(Id type) { return {Kind::opaque, type, {}, {}, {}, {}}; }
  static Value unknown(Id type, std::string what) { return {Kind::undefined, type, {}, std::move(what), {}, {}}; }
  static Value composite(Id type, std::vector<Value> parts) { return {Kind::composite, type, {}, {}, std::move(parts), {}}; }
  static Value pointer(Id type, std::vector<Target> t) { return {Kind::pointer, type, {}, {}, {}, std::move(t)}; }
};

// Nodes of a term, as a tree, counted up to `most`.
uint32_t term_size(const Expr& e, uint32_t most);

}  // namespace fencepost::front::spirv
