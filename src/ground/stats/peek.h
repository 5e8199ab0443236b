#pragma once
// Data peeking: when to stop measuring a candidate that will not beat the best configuration so far. Pure functions;
// the loop that measures is campaign's.
//
// Two rules, both over `M` random configurations, of which the first is measured in full:
//   wald      the published one (OOPSLA 2020, section 5.3): N samples in P chunks; after each chunk the candidate is
//             dropped when its rate plus its 95 % half width lies below the incumbent's rate minus its own. Wald
//             intervals are empty at zero events, so one barren chunk drops a candidate: kept as published.
//   expected  the corrected one: Wilson intervals, and a look only after every k_events samples that the incumbent
//             would have turned into that many weak outcomes, so that a chunk holds information at any rate.
// Law: neither rule looks at samples that come later; `expected` never drops a candidate before the incumbent would
// have been seen `events` times in as many samples.
#include <cstdint>

#include "stats/interval.h"

namespace fencepost::stats {

struct Count {
  uint64_t events = 0, trials = 0;
  double dispersion = 1;  // var/mean of the counts of batches; widens the intervals of `expected`
  double rate() const { return trials == 0 ? 0 : static_cast<double>(events) / static_cast<double>(trials); }
};

struct PeekRule {
  enum class Kind : uint8_t { none, wald, expected } kind = Kind::expected;
  uint64_t samples = 10'000;  // N: of a candidate that is not dropped
  uint32_t peeks = 10;        // P: wald
  double events = 12;         // expected: between two looks, of the incumbent
  double level = k_level;
};

// Samples to take before the next look: at least 1, and never beyond `rule.samples` in total; 0 when the candidate has
// had them all.
uint64_t next_chunk(const PeekRule& rule, const Count& incumbent, const Count& candidate);
// Whether to stop measuring the candidate now.
bool drop(const PeekRule& rule, const Count& incumbent, const Count& candidate);

}  // namespace fencepost::stats
