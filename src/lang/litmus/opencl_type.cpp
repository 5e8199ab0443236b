#include "litmus/opencl_type.h"

#include <array>

#include "base/diagnostic.h"

namespace fencepost::litmus::opencl {
namespace {

struct NamedType {
  const char* name;
  const char* canonical;
  uint8_t width;
  bool is_signed;
};
constexpr std::array<NamedType, 24> k_types = {{
    {"bool", "bool", 1, false},
    {"char", "char", 8, true},
    {"uchar", "uchar", 8, false},
    {"short", "short", 16, true},
    {"ushort", "ushort", 16, false},
    {"int", "int", 32, true},
    {"uint", "uint", 32, false},
    {"long", "long", 64, true},
    {"ulong", "ulong", 64, false},
    {"size_t", "size_t", 64, false},
    {"ptrdiff_t", "ptrdiff_t", 64, true},
    {"intptr_t", "intptr_t", 64, true},
    {"uintptr_t", "uintptr_t", 64, false},
    {"int8_t", "char", 8, true},
    {"uint8_t", "uchar", 8, false},
    {"int16_t", "short", 16, true},
    {"uint16_t", "ushort", 16, false},
    {"int32_t", "int", 32, true},
    {"uint32_t", "uint", 32, false},
    {"int64_t", "long", 64, true},
    {"uint64_t", "ulong", 64, false},
    {"_Bool", "bool", 1, false},
    {"signed", "int", 32, true},
    {"unsigned", "uint", 32, false},
}};

}  // namespace

CType CType::pointee() const {
  CType t = *this;
  FENCEPOST_INVARIANT(t.stars > 0, "the pointee of an integer type was asked for");
  --t.stars;
  return t;
}

CType CType::plain() const {
  CType t = *this;
  if (!pointer()) t.atomic = t.is_volatile = t.flag = false;
  return t;
}

std::string CType::text() const { return (atomic ? "atomic_" : "") + base + std::string(stars, '*'); }

CType int_type() { return CType{}; }
CType long_type(bool is_signed) { return *find_type(is_signed ? "long" : "ulong"); }

CType type_of_number(uint64_t v, bool hex, bool is_unsigned, bool is_long) {
  constexpr uint64_t k_int_max = 0x7fffffff, k_uint_max = 0xffffffff;
  const bool may_be_unsigned = is_unsigned || hex;
  if (!is_long && !is_unsigned && v <= k_int_max) return int_type();
  if (!is_long && may_be_unsigned && v <= k_uint_max) return *find_type("uint");
  return long_type(!is_unsigned && v <= k_long_max);
}

std::optional<CType> find_type(std::string_view word) {
  if (word == "atomic_flag") return CType{.atomic = true, .flag = true};
  const bool atomic = word.substr(0, 7) == "atomic_";
  if (atomic) word.remove_prefix(7);
  for (const NamedType& t : k_types)
    if (word == t.name && (!atomic || t.width > 8)) return CType{t.canonical, t.width, t.is_signed, atomic, 0};
  return std::nullopt;
}

std::vector<std::string> type_names() {
  std::vector<std::string> out = {"atomic_int",      "atomic_uint",      "atomic_long", "atomic_ulong",
                                  "atomic_intptr_t", "atomic_uintptr_t", "atomic_flag"};
  for (const NamedType& t : k_types) out.emplace_back(t.name);
  return out;
}

}  // namespace fencepost::litmus::opencl
