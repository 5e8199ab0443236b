#include "prog/ptx_objects.h"

#include <algorithm>

#include "base/diagnostic.h"

namespace fencepost::prog {

namespace {
constexpr std::string_view k_map = "tensormap ";
}

bool is_tensor_map(const Object& o) { return o.declared.starts_with(k_map); }

std::vector<SymbolId> boxes_of(const Test& test, const Object& o) {
  std::vector<SymbolId> out;
  if (!is_tensor_map(o)) return out;
  for (size_t at = k_map.size(); at < o.declared.size();) {
    const size_t end = std::min(o.declared.find(", ", at), o.declared.size());
    const std::string name = o.declared.substr(at, end - at);
    const auto s =
        std::find_if(test.symbols.begin(), test.symbols.end(), [&](const Symbol& x) { return x.name == name; });
    FENCEPOST_INVARIANT(s != test.symbols.end(), "a box of a tensor map has no symbol");
    out.push_back(static_cast<SymbolId>(s - test.symbols.begin()));
    at = end + 2;
  }
  return out;
}

std::string tensor_map_of(const Test& test, const std::vector<SymbolId>& boxes) {
  std::string out;
  for (const SymbolId s : boxes) out += (out.empty() ? std::string(k_map) : ", ") + test.symbols[s].name;
  return out;
}

bool is_second_layout(const Object& o) { return o.declared == k_second_layout; }

}  // namespace fencepost::prog
