#pragma once
// How a variable lies in memory: its scalars by byte offset, and the objects that hold them.
//
// A variable becomes one object per *class* of scalars: those that differ only in array indices. When all scalars
// have one size and lie on multiples of it, it is *dense*: one object of cells of that size, padding included, so
// that computed byte offsets reach every one. A variable that is accessed in other sizes than it is declared
// becomes dense with smaller cells, and its scalars take several.
//
// Offsets: decorations where there are any; else for OpenCL the layout of C (a vector of three takes four), for
// Vulkan each scalar on a multiple of its size, vectors packed.
#include <functional>
#include <optional>

#include "spirv/header.h"
#include "spirv/module.h"
#include "spirv/value.h"

namespace fencepost::spirv {

inline constexpr uint64_t k_most_cells = 1u << 16;
inline constexpr uint64_t k_most_bytes = 1u << 20;  // of a variable, with the holes that strides and offsets leave

struct Scalar {
  uint64_t offset = 0;
  uint32_t bytes = 4;
  uint8_t bits = 32;  // of the value; bool: 1
  Id type = 0;
  uint32_t in_class = 0;
  uint64_t index = 0;  // within its class
};

struct Layout {
  struct Dim {
    uint64_t stride = 0, count = 1;
  };
  struct Class {
    uint64_t base = 0;
    uint32_t bytes = 4;
    Id type = 0;
    std::vector<Dim> dims;  // outermost first
    uint64_t cells = 0;
  };
  std::vector<Scalar> scalars;  // by offset within the declared order
  std::vector<Class> classes;
  uint64_t size = 0;     // bytes
  uint32_t dense = 0;    // cell bytes; 0: by class
  uint64_t element = 0;  // bytes of an element of the outermost open-ended array
  uint64_t dense_cells() const { return (size + dense - 1) / dense; }
};

class Types {
 public:
  using Length = std::function<uint64_t(Id constant, const Instruction& user)>;
  Types(const Module& m, Length length) : m_(m), length_(std::move(length)) {}

  const Module& module() const { return m_; }
  uint64_t size(Id type, const Instruction& user) const;  // bytes; a runtime array has none: fails
  uint64_t alignment(Id type, const Instruction& user) const;
  uint64_t stride(Id array, const Instruction& user) const;  // of vector, array, runtime array
  uint64_t offset(Id structure, size_t member, const Instruction& user) const;
  uint64_t count(Id array, const Instruction& user) const;  // of vector, array
  // Layout of a variable of this type; lengths of runtime arrays come from the initial value.
  // and are at least `least`.
  Layout layout(Id type, const InputValue* input, uint64_t least, const Instruction& user) const;
  // Of `items` elements of this type, as a pointer parameter has them.
  Layout layout_of_elements(Id element, uint64_t items, const InputValue* input, const Instruction& user) const;
  bool open_ended(Id type, const Instruction& user) const;  // ends in a runtime array
  uint8_t bits(Id scalar, const Instruction& user) const;

 private:
  struct Walk;
  void walk(Walk& w, Id type, uint64_t offset, const InputValue* input, const Instruction& user) const;
  Layout finish(Walk& w, uint64_t size, const Instruction& user) const;
  void check_depth(uint32_t depth, const Instruction& user) const;

  const Module& m_;
  Length length_;
};

}  // namespace fencepost::spirv
