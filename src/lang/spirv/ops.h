#pragma once
// Instructions without memory: arithmetic, logic, conversions, composites, addresses. Used for constants
// (OpSpecConstantOp) and for code.
//
// Floating point: moved, selected and stored like any value; what arithmetic makes of it is *opaque*, and may be
// stored but not decide anything.
#include <functional>
#include <optional>

#include "spirv/layout.h"
#include "spirv/module.h"
#include "spirv/value.h"

namespace fencepost::spirv {

// An operation with operands that begin at some argument of its instruction.
struct Operation {
  const Instruction& at;
  uint32_t op = 0;   // spv::Op
  Id type = 0;       // of the result
  size_t first = 0;  // argument
  size_t size() const { return at.size() - first; }
  uint32_t word(size_t k) const { return at.word(first + k); }
};

// A constant, cut to its width.
inline Expr number(uint64_t v, uint8_t width) { return term::constant(v & term::mask(width), width); }

class Operations {
 public:
  struct Source {
    std::function<Value(Id, const Instruction& user)> value;
    std::function<Expr(const Value& undefined, const Instruction& user)> demand;  // an undefined scalar becomes a term
    std::function<uint64_t(uint32_t root)> address;                               // of a variable, as a number
    // Any value of this width, a new one each time that the code runs; asked for where `when` (width 1) holds.
    std::function<Expr(uint8_t width, const Expr& when, const Instruction& user)> any;
    std::function<std::optional<uint32_t>(uint32_t root)> storage;  // of a variable, spv::StorageClass
  };
  Operations(const Types& types, Source source) : types_(types), m_(types.module()), source_(std::move(source)) {}

  // Nothing: no operation of this kind.
  std::optional<Value> compute(const Operation& o) const;
  std::optional<Value> extended(const Operation& o, ExtendedSet set,
                                uint32_t number) const;  // operands after the number

  // The scalar as a term; an opaque value fails.
  Expr term(const Value& v, const Instruction& user) const;
  Expr truth(const Value& v, const Instruction& user) const;  // width 1
  Value select(const Expr& condition, const Value& t, const Value& e, const Instruction& user) const;
  Value null(Id type, const Instruction& user) const;
  Value undefined(Id type, const std::string& what, const Instruction& user, bool each_use = false) const;
  // Of a pointer: its byte offset from the variable, in the width of offsets.
  Expr offset_term(const Offset& o) const;
  Expr address_term(const Value& pointer, const Instruction& user) const;
  uint8_t offset_width() const { return m_.address32() ? 32 : 64; }
  // All leaves of a value hold.
  static bool any_opaque(const Value& v);

 private:
  Value arg(const Operation& o, size_t k) const;
  template <class F>
  Value lanes(const Operation& o, size_t operands, F&& f) const;
  Value arithmetic(const Operation& o, term::Op op) const;
  // `e` where the language says what the result is, and any value where `outside` holds, for there it says "undefined".
  Expr unless(const Expr& outside, const Expr& e, const Instruction& user) const;
  Expr bad_divisor(term::Op op, const Expr& a, const Expr& b) const;
  Value compare(const Operation& o, term::Op op) const;
  Value convert(const Operation& o, bool is_signed) const;
  Value saturated(const Operation& o, bool from_signed, bool to_signed) const;
  Value bitcast(const Operation& o) const;
  std::optional<Value> opencl(const Operation& o, uint32_t number) const;
  Value magnitude(const Operation& o) const;
  Value clamp(const Operation& o, bool is_signed) const;
  Value shuffled(const Operation& o, size_t vectors) const;
  Value carry(const Operation& o) const;
  std::optional<Value> other_dimension(const Operation& o) const;
  Value extract(const Operation& o) const;
  Value insert(const Operation& o) const;
  Value construct(const Operation& o) const;
  Value shuffle(const Operation& o) const;
  Value dynamic(const Operation& o) const;
  Value copy_logical(Id type, const Value& v, const Instruction& user) const;
  Value access_chain(const Operation& o, bool pointer) const;
  Value opaque_result(const Operation& o) const;
  bool takes_pointer(const Operation& o) const;
  Value opaque_of(Id type, const Instruction& user) const;
  Value from_generic(const Operation& o) const;
  Value pointer_compare(const Operation& o, term::Op op) const;
  Expr count_bits(const Expr& e) const;
  Expr lowest_bit(const Expr& e, uint8_t width) const;
  Expr highest_bit(const Expr& e, uint8_t width) const;

  const Types& types_;
  const Module& m_;
  Source source_;
};

}  // namespace fencepost::spirv
