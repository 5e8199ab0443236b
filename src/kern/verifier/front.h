#pragma once
// Internal to the room: instructions in front of a kernel's first ones, such as preconditions of a launch.
#include <utility>
#include <vector>

#include "ir/ir.h"

namespace fencepost::verifier {

class Front {
 public:
  explicit Front(ir::Function& f) : f_(f) {}
  // The kernel has what was made.
  void done() {
    auto& entry = f_.blocks[0].instructions;
    entry.insert(entry.begin(), made_.begin(), made_.end());
  }
  bool any() const { return !made_.empty(); }

  ir::ValueId value(ir::Value v) {
    f_.values.push_back(std::move(v));
    return {static_cast<uint32_t>(f_.values.size() - 1)};
  }
  ir::ValueId number(uint64_t n) {
    return value({.kind = ir::Value::constant, .type = {ir::Type::bits, 32}, .constant_bits = n});
  }
  ir::ValueId size(ir::IdKind k, uint32_t d) {
    return make({.op = ir::Op::id, .imm = static_cast<uint64_t>(k), .dimension = static_cast<uint8_t>(d)}, 32);
  }
  ir::ValueId parameter(uint32_t k) {
    return value({.kind = ir::Value::parameter, .type = f_.parameters[k].type, .index = k});
  }
  ir::ValueId make(ir::Compute c, uint8_t width) {
    const ir::ValueId v = value({.kind = ir::Value::result, .type = {ir::Type::bits, width}});
    made_.push_back({.results = {v}, .action = std::move(c), .place = {}});
    return v;
  }
  void require(ir::ValueId condition) {
    made_.push_back({.results = {},
                     .action = ir::Annotation{.note = ir::Note::requires_, .condition = condition, .global = true},
                     .place = {}});
  }
  // What was this parameter is now that value.
  void replace(uint32_t parameter, ir::ValueId by, size_t values) {
    for (uint32_t x = 0; x < values; ++x) {
      if (f_.values[x].kind != ir::Value::parameter || f_.values[x].index != parameter) continue;
      f_.values[x] = {.kind = ir::Value::result, .type = f_.values[x].type, .name = f_.values[x].name};
      made_.push_back(
          {.results = {ir::ValueId{x}}, .action = ir::Compute{.op = ir::Op::or_, .operands = {by, by}}, .place = {}});
    }
  }

 private:
  ir::Function& f_;
  std::vector<ir::Instruction> made_;
};

}  // namespace fencepost::verifier
