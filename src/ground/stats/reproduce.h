#pragma once
// How sure we are to see an outcome again, and how long to run for it. Pure functions.
//
// An outcome seen n times among N iterations has, in another N, the probability 1 - (1 - n/N)^N ~ 1 - e^-n to show at
// all (OOPSLA 2020, section 4; MC Mutants, ASPLOS 2023, section 5): 3 sightings give 95 %, 12 give 99.999 %.
// Units: rates per iteration are fractions, rates per second 1/s, reproducibility r in [0, 1).
#include <cstdint>
#include <span>

namespace fencepost::stats {

double reproducibility(double events);                         // 1 - e^-n
double reproducibility(uint64_t events, uint64_t iterations);  // 1 - (1 - n/N)^N
uint64_t events_needed(double r);                              // ceil(-ln(1 - r)): 3 for 0.95
// Iterations until an outcome of this rate shows with probability r: ln(1 - r) / ln(1 - rate), rounded up. rate in (0,
// 1].
double iterations_needed(double rate, double r);
double target_rate(double r, double seconds);                   // per second, for a test that may run so long
double seconds_needed(double rate_per_second, double r);        // the budget of one test; infinite at rate 0
double suite_reproducibility(double r, uint32_t tests);         // r^n: all of n tests show
double per_test_reproducibility(double suite, uint32_t tests);  // r^(1/n): what each must have

// `count` runs that saw the outcome in a fraction events/iterations of theirs.
struct Seen {
  double count = 0, events = 0, iterations = 0;
};
// Expected number of runs, of those, that would miss it when repeated: sum of m (1 - i/N)^N.
double false_negatives(std::span<const Seen> runs);

// The rule for a test that was never seen: it must run at least as long as gives reproducibility r at every place where
// it (or its mutant) was seen. The largest of iterations_needed over the positive rates; infinite when there is none.
double iterations_for_absence(std::span<const double> rates_where_seen, double r = 0.95);
// Iterations beyond those needed for r: what a log shows to have been spent for nothing.
double redundant_iterations(uint64_t events, uint64_t iterations, double r = 0.95);

}  // namespace fencepost::stats
