#include "spirv/value.h"

#include <numeric>

namespace fencepost::spirv {

using T = term::Op;

namespace {
uint64_t magnitude(int64_t n) { return n < 0 ? 0 - static_cast<uint64_t>(n) : static_cast<uint64_t>(n); }
}  // namespace

std::optional<int64_t> Offset::constant() const {
  uint64_t sum = static_cast<uint64_t>(bytes);
  for (const Step& s : steps) {
    if (!s.e.is_const()) return std::nullopt;
    sum += static_cast<uint64_t>(s.scale) * static_cast<uint64_t>(term::to_signed(s.e.value(), s.e.width()));
  }
  return static_cast<int64_t>(sum);
}

void Offset::move(int64_t scale, const Expr& e) {
  if (e.is_const(0)) return;
  if (!steps.empty() && steps.back().scale != 0 && scale % steps.back().scale == 0) {
    Step& last = steps.back();
    const int64_t times = scale / last.scale;
    const uint8_t w = e.width();
    const Expr by =
        times == 1 ? e : term::binary(T::mul, e, term::constant(static_cast<uint64_t>(times) & term::mask(w), w));
    last.e = term::binary(T::add, last.e, by);
    return;
  }
  steps.push_back({scale, e, 0});
}

uint64_t Offset::unit(uint64_t most) const {
  uint64_t g = std::gcd(most, magnitude(bytes));
  for (const Step& s : steps) g = std::gcd(g, magnitude(s.scale));
  return g;
}

Expr Offset::in_units(uint64_t unit, uint8_t width) const {
  const auto by = static_cast<int64_t>(unit);
  Expr sum = term::constant(static_cast<uint64_t>(bytes / by) & term::mask(width), width);
  for (const Step& s : steps) {
    const int64_t scale = s.scale / by;
    const Expr e =
        scale == 1 ? s.e
                   : term::binary(T::mul, s.e, term::constant(static_cast<uint64_t>(scale) & term::mask(width), width));
    sum = term::binary(T::add, sum, e);
  }
  return sum;
}

}  // namespace fencepost::spirv
