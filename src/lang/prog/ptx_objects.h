#pragma once
// What PTX declares an object in memory as, beyond its place: Object::declared has it as text.
//   "tensormap x, y"  a tensor map (PTX ISA 9.4, 5.5.8) whose boxes are the locations x and y; its value is the number
//                     of the box that its global address is that of
//   "layout::v1"      an mbarrier object of the second layout (9.7.15.16.2)
#include <string>
#include <vector>

#include "prog/test.h"

namespace fencepost::prog {

bool is_tensor_map(const Object& o);
std::vector<SymbolId> boxes_of(const Test& test, const Object& o);  // empty: it is no tensor map
std::string tensor_map_of(const Test& test, const std::vector<SymbolId>& boxes);

bool is_second_layout(const Object& o);
inline constexpr const char* k_second_layout = "layout::v1";
inline constexpr uint64_t k_second_layout_most = (uint64_t{1} << 9) - 1;  // expected arrivals (9.7.15.16.3)

}  // namespace fencepost::prog
