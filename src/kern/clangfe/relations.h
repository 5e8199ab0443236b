#pragma once
// What the arguments and the sizes of one launch have to do with one another. `k<<<(n + 255) / 256, 256>>>(out, n, n +
// 8)` gives three numbers of one n, and with any numbers the kernel may have races that no launch has.
//
// Input: a launch in the tree (read_relations.h). Output: the host's variables whose values are not known, a list of
// steps that compute numbers from them as the host does, by its types, and which step each argument, each size and each
// number in a structure that is given by value is; of those in structures constants, too.
// The steps are those of ir::Op, with their meaning there. A step that is not defined in C (a division by 0) has a
// value here, and no launch has such numbers.
#include <cstdint>
#include <string>
#include <vector>

#include "ir/ir.h"

namespace fencepost::clangfe {

struct HostStep {
  enum Kind : uint8_t { variable, constant, compute } kind = constant;
  uint8_t width = 0;
  ir::Op op = ir::Op::not_;     // compute
  std::vector<uint32_t> of;     // compute: steps before this one
  uint64_t number = 0;          // of the variable; or the constant's bits
  bool no_signed_wrap = false;  // the host's program has no meaning where it wraps
  friend bool operator==(const HostStep&, const HostStep&) = default;
};

struct HostRelations {
  struct Target {
    enum Kind : uint8_t { argument, grid, block, member } kind = argument;
    uint32_t number = 0;  // of the parameter in the source; or of the axis
    uint32_t step = 0;
    uint64_t offset = 0;    // of the member, in bytes from the beginning of the structure
    std::string name = {};  // "size.pitch"
    friend bool operator==(const Target&, const Target&) = default;
  };
  std::vector<std::string> variables;  // their names
  std::vector<HostStep> steps;
  std::vector<Target> targets;
  // Of a variable that the host changes elsewhere in the function.
  bool changes = false;
  friend bool operator==(const HostRelations&, const HostRelations&) = default;
};

}  // namespace fencepost::clangfe
