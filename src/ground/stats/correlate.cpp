#include "stats/correlate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/diagnostic.h"
#include "stats/sample.h"

namespace fencepost::stats {

double pearson(std::span<const double> x, std::span<const double> y) {
  FENCEPOST_INVARIANT(x.size() == y.size(), "a correlation is of pairs");
  const double mx = mean(x), my = mean(y);
  double xy = 0, xx = 0, yy = 0;
  for (size_t k = 0; k < x.size(); ++k) {
    xy += (x[k] - mx) * (y[k] - my);
    xx += (x[k] - mx) * (x[k] - mx);
    yy += (y[k] - my) * (y[k] - my);
  }
  return xx > 0 && yy > 0 ? std::clamp(xy / std::sqrt(xx) / std::sqrt(yy), -1.0, 1.0) : 0;
}

double r_squared(std::span<const double> x, std::span<const double> y) {
  const double r = pearson(x, y);
  return r * r;
}

std::vector<double> ranks(std::span<const double> xs) {
  std::vector<size_t> order(xs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return xs[a] < xs[b]; });
  std::vector<double> out(xs.size());
  for (size_t i = 0; i < order.size();) {
    size_t j = i;
    while (j < order.size() && xs[order[j]] == xs[order[i]]) ++j;
    for (size_t k = i; k < j; ++k) out[order[k]] = (static_cast<double>(i + j) + 1) / 2;
    i = j;
  }
  return out;
}

double spearman(std::span<const double> x, std::span<const double> y) { return pearson(ranks(x), ranks(y)); }

Matrix r_squared_matrix(const Matrix& rates) {
  Matrix out(rates.size(), std::vector<double>(rates.size(), 1));
  for (size_t a = 0; a < rates.size(); ++a)
    for (size_t b = 0; b < a; ++b) out[a][b] = out[b][a] = r_squared(rates[a], rates[b]);
  return out;
}

std::vector<double> priority_sums(const Matrix& r2) {
  std::vector<double> out(r2.size(), 0);
  for (size_t a = 0; a < r2.size(); ++a)
    for (size_t b = 0; b < r2.size(); ++b)
      if (a != b) out[a] += r2[a][b];
  return out;
}

namespace {
std::vector<size_t> decreasing(const std::vector<double>& sums) {
  std::vector<size_t> order(sums.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return sums[a] > sums[b]; });
  return order;
}
}  // namespace

std::vector<size_t> priority_order(const Matrix& r2) { return decreasing(priority_sums(r2)); }

std::vector<size_t> global_priority_order(std::span<const Matrix> devices) {
  std::vector<double> sums;
  for (const Matrix& m : devices) {
    FENCEPOST_INVARIANT(sums.empty() || sums.size() == m.size(), "all devices ran the same tests");
    sums.resize(m.size(), 0);
    const std::vector<double> s = priority_sums(m);
    for (size_t k = 0; k < s.size(); ++k) sums[k] += s[k];
  }
  return decreasing(sums);
}

std::vector<double> adjusted_p_values(std::span<const double> p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p[a] < p[b]; });
  std::vector<double> out(p.size(), 1);
  double least = 1;
  for (size_t k = order.size(); k-- > 0;) {
    least = std::min(least, p[order[k]] * static_cast<double>(p.size()) / static_cast<double>(k + 1));
    out[order[k]] = least;
  }
  return out;
}

std::vector<bool> benjamini_hochberg(std::span<const double> p, double rate) {
  std::vector<bool> out;
  for (double a : adjusted_p_values(p)) out.push_back(a <= rate);
  return out;
}

}  // namespace fencepost::stats
