#pragma once
// Types of the source that a kernel was compiled from, as far as names, inputs and questions need them. PTX has none;
// kernels of CUDA C++ bring theirs along (cuda_kernel.h).
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fencepost::ptxmod {

struct DataType {
  enum class Kind : uint8_t { unknown, number, list, members, pointer };
  Kind kind = Kind::unknown;
  uint64_t bytes = 0;
  bool is_unsigned = false, is_float = false, is_bool = false;  // number
  uint64_t count = 0;                                           // list; 0: no known end
  std::vector<DataType> parts;     // list: the element; members: each; pointer: a list without an end
  std::vector<std::string> names;  // of members
  std::vector<uint64_t> offsets;   // of members

  bool is(Kind k) const { return kind == k; }
};

// The number or pointer that holds the byte, and where it begins. Null: none is known.
std::pair<const DataType*, uint64_t> leaf_at(const DataType& type, uint64_t at);
// "[2].next" of that leaf, as a question names it; "[2].next+4" of what lies inside of it.
std::string leaf_name(const DataType& type, uint64_t at);
// "unsigned char"; "" of what is no number.
std::string type_name(const DataType& type);

}  // namespace fencepost::ptxmod
