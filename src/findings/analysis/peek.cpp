// What data peeking would have saved on a table, in simulation: each sample is a draw at the measured rate.
#include <algorithm>
#include <cmath>
#include <random>

#include "analysis/analyse.h"
#include "stats/reproduce.h"
#include "stats/sample.h"

namespace fencepost::analysis {
namespace {

using stats::Count;
using stats::PeekRule;

// Poisson below 30 expected events, else normal; the standard's own distributions differ between libraries.
uint64_t draw(std::mt19937_64& random, uint64_t n, double p) {
  if (p <= 0 || n == 0) return 0;
  const auto uniform = [&] { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; };
  const double mean = static_cast<double>(n) * p;
  double k = 0;
  if (mean < 30) {
    const double limit = std::exp(-mean);
    for (double q = uniform(); q > limit; q *= uniform()) ++k;
  } else {
    k = std::round(mean + stats::normal_quantile(uniform()) * std::sqrt(mean * (1 - p)));
  }
  return static_cast<uint64_t>(std::clamp(k, 0.0, static_cast<double>(n)));
}

struct Run {
  uint64_t samples = 0;
  double rate = 0;  // true rate of the winner
};

Run search(const std::vector<double>& rates, const std::vector<size_t>& order, const PeekRule& rule,
           std::mt19937_64& random) {
  Run run;
  Count incumbent;
  for (size_t i : order) {
    Count candidate;
    bool dropped = false;
    for (uint64_t chunk; !dropped && (chunk = stats::next_chunk(rule, incumbent, candidate)) > 0;) {
      candidate.events += draw(random, chunk, rates[i]);
      candidate.trials += chunk;
      dropped = stats::drop(rule, incumbent, candidate);
    }
    run.samples += candidate.trials;
    if (!dropped && (incumbent.trials == 0 || candidate.rate() > incumbent.rate())) {
      incumbent = candidate;
      run.rate = rates[i];
    }
  }
  return run;
}

}  // namespace

std::vector<PeekRow> replay_peeking(const Table& t, uint64_t samples, uint32_t peeks, uint32_t repeats, uint64_t seed) {
  std::vector<PeekRow> out;
  if (t.sightings) return out;
  std::mt19937_64 random(seed);
  for (uint32_t d = 0; d < t.devices.size(); ++d) {
    PeekRow row;
    row.device = d;
    std::vector<double> wald, expected;
    for (uint32_t k = 0; k < t.tests.size(); ++k) {
      std::vector<double> rates;
      for (uint32_t c = 0; c < t.configurations.size(); ++c)
        if (t.at(d, k, c).measured) rates.push_back(t.at(d, k, c).rate());
      if (rates.size() < 2) continue;
      const double best = *std::max_element(rates.begin(), rates.end());
      if (best <= 0) continue;
      ++row.tests;
      double used_wald = 0, used_expected = 0;
      for (uint32_t r = 0; r < repeats; ++r) {
        std::vector<size_t> order(rates.size());
        for (size_t i = 0; i < order.size(); ++i) order[i] = i;
        for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
        const auto with = [&](PeekRule::Kind kind) {
          PeekRule rule;
          rule.kind = kind;
          rule.samples = samples;
          rule.peeks = peeks;
          return search(rates, order, rule, random);
        };
        const Run none = with(PeekRule::Kind::none), w = with(PeekRule::Kind::wald), e = with(PeekRule::Kind::expected);
        used_wald += static_cast<double>(w.samples);
        used_expected += static_cast<double>(e.samples);
        row.lost_none += none.rate < 0.9 * best ? 1 : 0;
        row.lost_wald += w.rate < 0.9 * best ? 1 : 0;
        row.lost_expected += e.rate < 0.9 * best ? 1 : 0;
        ++row.runs;
      }
      const double full = static_cast<double>(rates.size()) * static_cast<double>(samples) * repeats;
      wald.push_back(full / used_wald);
      expected.push_back(full / used_expected);
    }
    if (row.tests == 0) continue;
    row.speed_up_wald = stats::geometric_mean(wald);
    row.speed_up_expected = stats::geometric_mean(expected);
    out.push_back(row);
  }
  return out;
}

}  // namespace fencepost::analysis
