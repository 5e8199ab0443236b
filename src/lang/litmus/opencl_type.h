#pragma once
// Types of OPENCL and CUDA litmus tests: the integer types of OpenCL C on a 64-bit device, and pointers to them. Names
// of one word are known here; `unsigned long int` and its like are put together by opencl_grammar.cpp. Structures, void
// pointers and floating point have no type: the grammar refuses them by name.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fencepost::litmus::opencl {

// An integer type, or a pointer to one. Sizes are those of OpenCL C on a 64-bit device.
struct CType {
  std::string base = "int";  // canonical name of the integer type, without atomic_
  uint8_t width = 32;        // of the integer type
  bool is_signed = true;     // of the integer type
  bool atomic = false;
  uint8_t stars = 0;
  bool flag = false;         // atomic_flag: an atomic_int that its own two functions alone reach
  bool is_volatile = false;  // CUDA, of the integer type: accesses are relaxed at system scope

  bool pointer() const { return stars > 0; }
  uint8_t value_width() const { return pointer() ? 64 : width; }
  bool value_signed() const { return !pointer() && is_signed; }
  CType pointee() const;
  CType plain() const;       // without atomic and volatile, for registers
  std::string text() const;  // "atomic_int*"
};

CType int_type();
CType long_type(bool is_signed = true);

inline constexpr uint64_t k_long_max = 0x7fffffffffffffff;

// The type of a number as written, without a sign before it (C11 6.4.4.1 p5): the first that holds it of int and long
// and, in hexadecimal or with u, their unsigned kin; u and l leave out those that are signed or shorter. Decimal
// numbers above k_long_max without u have no type; the grammar refuses them.
CType type_of_number(uint64_t v, bool hex, bool is_unsigned, bool is_long);

std::optional<CType> find_type(std::string_view word);  // one-word names
std::vector<std::string> type_names();

}  // namespace fencepost::litmus::opencl
