#pragma once
// Of the room alone: an operation on scalars, done on each component of vectors.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "spirv/ops.h"

namespace fencepost::spirv {

inline Expr to_width(const Expr& e, uint8_t width, bool is_signed) { return term::resize(e, width, is_signed); }

template <class F>
Value Operations::lanes(const Operation& o, size_t operands, F&& f) const {
  std::vector<Value> in;
  for (size_t k = 0; k < operands; ++k) in.push_back(arg(o, k));
  const Type& t = m_.type(o.type, o.at);
  const auto one = [&](Id type, const std::vector<Value>& xs) {
    if (std::any_of(xs.begin(), xs.end(), any_opaque)) return Value::opaque(type);
    std::vector<Expr> es;
    for (const Value& x : xs) es.push_back(term(x, o.at));
    const uint8_t w = types_.bits(type, o.at);
    Expr e = f(es, w);
    if (e.width() != w) m_.fail(o.at, fmt::format("operands of this width do not give {} bits", w));
    return Value::scalar(type, std::move(e));
  };
  if (t.kind != Type::Kind::vector) return one(o.type, in);
  std::vector<Value> parts;
  for (uint32_t l = 0; l < t.count; ++l) {
    std::vector<Value> xs;
    for (const Value& v : in) {
      if (!v.is(Value::Kind::composite) || v.parts.size() != t.count)
        m_.fail(o.at, "operands of a vector operation are vectors of its size");
      xs.push_back(v.parts[l]);
    }
    parts.push_back(one(t.element, xs));
  }
  return Value::composite(o.type, std::move(parts));
}

}  // namespace fencepost::spirv
