#pragma once
// How far tests go together: correlation of their rates over configurations, the order in which to tune them, and the
// control of many tests at once. Pure functions.
//
// Sources: OOPSLA 2020, section 6.4 (tables 8 and 9: R^2 of weak rates between tests, and the order of tests by the sum
// of their R^2 with the others); MC Mutants, ASPLOS 2023 (Pearson's coefficient of bug against mutant rate);
// Benjamini and Hochberg 1995.
#include <span>
#include <vector>

namespace fencepost::stats {

double pearson(std::span<const double> x, std::span<const double> y);    // 0 when one of them is constant
double r_squared(std::span<const double> x, std::span<const double> y);  // of the straight line through them
double spearman(std::span<const double> x, std::span<const double> y);   // equal values share the mean of their ranks
std::vector<double> ranks(std::span<const double> xs);                   // 1-based

using Matrix = std::vector<std::vector<double>>;
// rates[test][configuration], all rows of one length -> symmetric, 1 on the diagonal.
Matrix r_squared_matrix(const Matrix& rates);
// Tests by decreasing sum of their R^2 with the others: tuning the first says most about the rest. Ties keep their
// order.
std::vector<size_t> priority_order(const Matrix& r2);
std::vector<double> priority_sums(const Matrix& r2);
// Sums over devices: the order that serves them all. Every matrix has the same tests.
std::vector<size_t> global_priority_order(std::span<const Matrix> devices);

// Which hypotheses may be rejected so that at most `rate` of the rejections are expected to be false. Parallel to p.
std::vector<bool> benjamini_hochberg(std::span<const double> p, double rate = 0.05);
std::vector<double> adjusted_p_values(std::span<const double> p);  // rejected at `rate` iff adjusted <= rate

}  // namespace fencepost::stats
