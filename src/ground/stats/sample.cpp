#include "stats/sample.h"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "base/diagnostic.h"
#include "base/job.h"

namespace fencepost::stats {
namespace {

constexpr double k_pi = 3.14159265358979323846;

// P(D >= d) when no values are equal: lattice paths from (0,0) to (n,m) that leave the band |i/n - j/m| < d, by the
// recursion over the probability of staying inside (Hodges 1957). d is a multiple of 1/(n m): compared as integers.
double exact_tail(size_t n, size_t m, int64_t distance) {
  std::vector<double> inside(m + 1, 0.0);
  const auto outside = [&](size_t i, size_t j) {
    return std::abs(static_cast<int64_t>(i * m) - static_cast<int64_t>(j * n)) >= distance;
  };
  // inside[j] after row i: share of the paths to (i, j) that stay inside, as a probability under the uniform choice of
  // paths to (n, m) restricted to (i, j): weights i/(i+j) and j/(i+j) keep numbers within [0, 1].
  for (size_t i = 0; i <= n; ++i)
    for (size_t j = 0; j <= m; ++j) {
      if (i == 0 && j == 0)
        inside[j] = 1;
      else if (outside(i, j))
        inside[j] = 0;
      else {
        const double total = static_cast<double>(i + j);
        const double from_left = j > 0 ? inside[j - 1] * static_cast<double>(j) / total : 0;
        const double from_below = i > 0 ? inside[j] * static_cast<double>(i) / total : 0;
        inside[j] = from_left + from_below;
      }
    }
  return 1 - inside[m];
}

}  // namespace

double mean(std::span<const double> xs) {
  if (xs.empty()) return 0;
  double sum = 0;
  for (double x : xs) sum += x;
  return sum / static_cast<double>(xs.size());
}

double variance(std::span<const double> xs) {
  if (xs.size() < 2) return 0;
  const double m = mean(xs);
  double sum = 0;
  for (double x : xs) sum += (x - m) * (x - m);
  return sum / static_cast<double>(xs.size() - 1);
}

double quantile(std::vector<double> xs, double p) {
  FENCEPOST_INVARIANT(!xs.empty() && p >= 0 && p <= 1, "a quantile is of a sample and between 0 and 1");
  std::sort(xs.begin(), xs.end());
  const double at = p * static_cast<double>(xs.size() - 1);
  const auto below = static_cast<size_t>(at);
  if (below + 1 >= xs.size()) return xs.back();
  return xs[below] + (at - static_cast<double>(below)) * (xs[below + 1] - xs[below]);
}

double median(std::vector<double> xs) { return quantile(std::move(xs), 0.5); }

double geometric_mean(std::span<const double> xs) {
  double sum = 0;
  for (double x : xs) {
    FENCEPOST_INVARIANT(x > 0, "a geometric mean is of positive values");
    sum += std::log(x);
  }
  return xs.empty() ? 1 : std::exp(sum / static_cast<double>(xs.size()));
}

double index_of_dispersion(std::span<const double> counts) {
  const double m = mean(counts);
  return m > 0 ? variance(counts) / m : 0;
}

double dispersion_p_value(std::span<const double> counts) {
  if (counts.size() < 2 || mean(counts) <= 0) return 1;
  const double freedom = static_cast<double>(counts.size() - 1);
  return boost::math::gamma_q(freedom / 2, freedom * index_of_dispersion(counts) / 2);
}

double kolmogorov_tail(double x) {
  if (x <= 0) return 1;
  if (x < 1.18) {  // the theta series of the other side converges faster here
    const double t = -k_pi * k_pi / (8 * x * x);
    double sum = 0;
    for (int k = 1; k <= 9; k += 2) sum += std::exp(t * k * k);
    return 1 - std::sqrt(2 * k_pi) / x * sum;
  }
  double sum = 0;
  for (int k = 1; k <= 10; ++k) sum += (k % 2 == 1 ? 1 : -1) * std::exp(-2.0 * k * k * x * x);
  return std::clamp(2 * sum, 0.0, 1.0);
}

KsResult kolmogorov_smirnov(std::span<const double> a, std::span<const double> b) {
  KsResult out;
  if (a.empty() || b.empty()) return out;
  std::vector<double> x(a.begin(), a.end()), y(b.begin(), b.end());
  std::sort(x.begin(), x.end());
  std::sort(y.begin(), y.end());
  const size_t n = x.size(), m = y.size();
  int64_t most = 0;  // n * m times the distance
  bool ties = false;
  for (size_t i = 0, j = 0; i < n || j < m;) {
    const double at = j == m || (i < n && x[i] <= y[j]) ? x[i] : y[j];
    size_t here = 0;
    while (i < n && x[i] == at) ++i, ++here;
    while (j < m && y[j] == at) ++j, ++here;
    ties |= here > 1;
    most = std::max(most, std::abs(static_cast<int64_t>(i * m) - static_cast<int64_t>(j * n)));
  }
  const double size = static_cast<double>(n) * static_cast<double>(m);
  out.statistic = static_cast<double>(most) / size;
  out.exact = !ties && size <= 1e6;
  out.p_value = out.exact ? std::clamp(exact_tail(n, m, most), 0.0, 1.0)
                          : kolmogorov_tail(std::sqrt(size / static_cast<double>(n + m)) * out.statistic);
  return out;
}

std::vector<double> inter_arrival_counts(std::span<const uint64_t> positions) {
  std::vector<double> out;
  uint64_t before = 0;
  for (uint64_t p : positions) {
    FENCEPOST_INVARIANT(p >= before, "arrivals are in order of time");
    out.push_back(static_cast<double>(p - before));
    before = p;
  }
  return out;
}

Stationarity stationarity(std::span<const double> series, double first, double last) {
  FENCEPOST_INVARIANT(first > 0 && last > 0 && first + last <= 1, "the two ends of a series do not overlap");
  Stationarity out;
  out.first = static_cast<size_t>(first * static_cast<double>(series.size()));
  out.last = static_cast<size_t>(last * static_cast<double>(series.size()));
  out.enough = out.first >= k_least_arrivals && out.last >= k_least_arrivals;
  out.ks = kolmogorov_smirnov(series.first(out.first), series.last(out.last));
  return out;
}

Interval bootstrap_rate(std::span<const Batch> batches, bool per_second, uint64_t seed, uint32_t resamples,
                        double level) {
  FENCEPOST_INVARIANT(!batches.empty() && resamples > 0, "a bootstrap resamples batches");
  Rng rng(seed);
  std::vector<double> rates;
  rates.reserve(resamples);
  for (uint32_t r = 0; r < resamples; ++r) {
    double events = 0, exposure = 0;
    for (size_t k = 0; k < batches.size(); ++k) {
      const Batch& b = batches[rng.below(batches.size())];
      events += b.events;
      exposure += per_second ? b.seconds : b.trials;
    }
    rates.push_back(exposure > 0 ? events / exposure : 0);
  }
  const double tail = (1 - level) / 2;
  return {quantile(rates, tail), quantile(rates, 1 - tail)};
}

Interval bootstrap(std::span<const double> xs, const std::function<double(std::span<const double>)>& statistic,
                   uint64_t seed, uint32_t resamples, double level) {
  FENCEPOST_INVARIANT(!xs.empty() && resamples > 0, "a bootstrap resamples values");
  Rng rng(seed);
  std::vector<double> values, sample(xs.size());
  values.reserve(resamples);
  for (uint32_t r = 0; r < resamples; ++r) {
    for (double& v : sample) v = xs[rng.below(xs.size())];
    values.push_back(statistic(sample));
  }
  const double tail = (1 - level) / 2;
  return {quantile(values, tail), quantile(values, 1 - tail)};
}

}  // namespace fencepost::stats
