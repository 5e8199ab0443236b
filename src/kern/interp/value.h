#pragma once
// Internal to the room: values of a run and the pure operations on them.
#include <cstdint>
#include <string>
#include <vector>

#include "ir/ir.h"

namespace fencepost::interp {

// A number, or a pointer into an instance of a region (offset in `bits`), or a function. `unknown`: depends on what a
// run does not know (access sets, the other thread of a pair); only annotations make such values. `made_up`: depends on
// a result of which no more is known than that the function has one (Outcome::made_up).
struct Val {
  enum Kind : uint8_t { number, pointer, function } kind = number;
  bool unknown = false, made_up = false;
  uint32_t instance = 0;  // pointer: 0 is null
  uint64_t bits = 0;
};

uint64_t mask(uint32_t width);
int64_t to_signed(uint64_t v, uint32_t width);
uint64_t mix(uint64_t a, uint64_t b);  // a hash
// Integer and float operations of ir::Op up to Op::float_to_float, without those on pointers.
uint64_t evaluate(const ir::Compute& c, const std::vector<uint64_t>& operands, uint32_t operand_width,
                  uint32_t result_width);
// A usual function of mathematics by its name; `known` says whether it is one.
uint64_t evaluate_function(const std::string& name, const std::vector<uint64_t>& operands,
                           const std::vector<uint32_t>& widths, uint32_t result_width, bool& known);

}  // namespace fencepost::interp
