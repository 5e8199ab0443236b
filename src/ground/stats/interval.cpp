#include "stats/interval.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "base/diagnostic.h"

namespace fencepost::stats {
namespace {

void check_level(double level) {
  FENCEPOST_INVARIANT(level > 0 && level < 1, "a confidence level lies between 0 and 1");
}

// Wilson's interval for real-valued counts.
Interval wilson_real(double events, double trials, double level) {
  if (trials <= 0) return {0, 1};
  const double z = two_sided_z(level), z2 = z * z, p = events / trials;
  const double centre = (p + z2 / (2 * trials)) / (1 + z2 / trials);
  const double half = z / (1 + z2 / trials) * std::sqrt(p * (1 - p) / trials + z2 / (4 * trials * trials));
  // The ends are exact where the count is: rounding must not exclude the estimate.
  return {events <= 0 ? 0.0 : std::clamp(centre - half, 0.0, p),
          events >= trials ? 1.0 : std::clamp(centre + half, p, 1.0)};
}

Interval poisson_real(double events, double exposure, double level) {
  const double tail = (1 - level) / 2;
  return {events <= 0 ? 0.0 : boost::math::gamma_p_inv(events, tail) / exposure,
          boost::math::gamma_q_inv(events + 1, tail) / exposure};
}

}  // namespace

double normal_quantile(double p) {
  FENCEPOST_INVARIANT(p > 0 && p < 1, "a quantile is asked for a probability between 0 and 1");
  return boost::math::quantile(boost::math::normal_distribution<double>(0, 1), p);
}

double two_sided_z(double level) {
  check_level(level);
  return normal_quantile(0.5 + level / 2);
}

Interval wilson(uint64_t events, uint64_t trials, double level) {
  FENCEPOST_INVARIANT(events <= trials, "there are not more events than trials");
  return wilson_real(static_cast<double>(events), static_cast<double>(trials), level);
}

Interval wilson_dispersed(uint64_t events, uint64_t trials, double dispersion, double level) {
  FENCEPOST_INVARIANT(events <= trials, "there are not more events than trials");
  const double d = std::max(1.0, dispersion);
  return wilson_real(static_cast<double>(events) / d, static_cast<double>(trials) / d, level);
}

Interval clopper_pearson(uint64_t events, uint64_t trials, double level) {
  check_level(level);
  FENCEPOST_INVARIANT(events <= trials, "there are not more events than trials");
  if (trials == 0) return {0, 1};
  const double k = static_cast<double>(events), n = static_cast<double>(trials), tail = (1 - level) / 2;
  return {events == 0 ? 0.0 : boost::math::ibeta_inv(k, n - k + 1, tail),
          events == trials ? 1.0 : boost::math::ibetac_inv(k + 1, n - k, tail)};
}

Interval wald(uint64_t events, uint64_t trials, double level) {
  FENCEPOST_INVARIANT(events <= trials, "there are not more events than trials");
  if (trials == 0) return {0, 1};
  const double n = static_cast<double>(trials), p = static_cast<double>(events) / n;
  const double half = two_sided_z(level) * std::sqrt(p * (1 - p) / n);
  return {std::max(0.0, p - half), std::min(1.0, p + half)};
}

Interval poisson(uint64_t events, double exposure, double level) {
  check_level(level);
  FENCEPOST_INVARIANT(exposure > 0, "a rate needs an exposure above zero");
  return poisson_real(static_cast<double>(events), exposure, level);
}

Interval poisson_dispersed(uint64_t events, double exposure, double dispersion, double level) {
  check_level(level);
  FENCEPOST_INVARIANT(exposure > 0, "a rate needs an exposure above zero");
  const double d = std::max(1.0, dispersion);
  return poisson_real(static_cast<double>(events) / d, exposure / d, level);
}

double zero_event_bound(uint64_t trials, double level) {
  check_level(level);
  if (trials == 0) return 1;
  return -std::expm1(std::log1p(-level) / static_cast<double>(trials));
}

double zero_event_bound_per_second(double seconds, double level) {
  check_level(level);
  FENCEPOST_INVARIANT(seconds > 0, "a rate needs an exposure above zero");
  return -std::log1p(-level) / seconds;
}

}  // namespace fencepost::stats
