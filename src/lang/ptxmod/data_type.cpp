#include "ptxmod/data_type.h"

#include <fmt/format.h>

#include <algorithm>

namespace fencepost::ptxmod {

using Kind = DataType::Kind;

std::pair<const DataType*, uint64_t> leaf_at(const DataType& type, uint64_t at) {
  const DataType* t = &type;
  uint64_t begin = 0;
  for (;;) {
    if (t->is(Kind::number) || t->is(Kind::pointer))
      return at - begin < t->bytes ? std::pair{t, begin} : std::pair<const DataType*, uint64_t>{nullptr, 0};
    if (t->is(Kind::list)) {
      const DataType& element = t->parts.front();
      if (element.bytes == 0) return {nullptr, 0};
      const uint64_t k = (at - begin) / element.bytes;
      if (t->count != 0 && k >= t->count) return {nullptr, 0};
      begin += k * element.bytes;
      t = &element;
      continue;
    }
    const DataType* inside = nullptr;
    if (t->is(Kind::members))
      for (size_t k = 0; k < t->parts.size() && inside == nullptr; ++k)
        if (const uint64_t from = begin + t->offsets[k]; at >= from && at < from + t->parts[k].bytes) {
          inside = &t->parts[k];
          begin = from;
        }
    if (inside == nullptr) return {nullptr, 0};
    t = inside;
  }
}

std::string leaf_name(const DataType& type, uint64_t at) {
  std::string out;
  const DataType* t = &type;
  for (uint64_t left = at;;) {
    if (t->is(Kind::list) && t->parts.front().bytes != 0) {
      out += fmt::format("[{}]", left / t->parts.front().bytes);
      left %= t->parts.front().bytes;
      t = &t->parts.front();
    } else if (t->is(Kind::members)) {
      size_t k = 0;
      while (k < t->parts.size() && (left < t->offsets[k] || left >= t->offsets[k] + t->parts[k].bytes)) ++k;
      if (k == t->parts.size()) return out + fmt::format("+{}", left);
      const bool alone = std::count(t->names.begin(), t->names.end(), t->names[k]) == 1;
      out += alone ? "." + t->names[k] : fmt::format("[{}]", k);
      left -= t->offsets[k];
      t = &t->parts[k];
    } else {
      return left == 0 ? out : out + fmt::format("+{}", left);
    }
  }
}

std::string type_name(const DataType& type) {
  if (!type.is(Kind::number) || type.is_float) return "";
  if (type.is_bool) return "bool";
  const char* name = type.bytes == 1 ? "char" : type.bytes == 2 ? "short" : type.bytes == 4 ? "int" : "long long";
  return fmt::format("{}{}", type.is_unsigned ? "unsigned " : type.bytes == 1 ? "signed " : "", name);
}

}  // namespace fencepost::ptxmod
