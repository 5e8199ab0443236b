#include "stats/peek.h"

#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"

namespace fencepost::stats {

uint64_t next_chunk(const PeekRule& rule, const Count& incumbent, const Count& candidate) {
  if (candidate.trials >= rule.samples) return 0;
  const uint64_t left = rule.samples - candidate.trials;
  if (incumbent.trials == 0 || rule.kind == PeekRule::Kind::none) return left;
  if (rule.kind == PeekRule::Kind::wald) {
    FENCEPOST_INVARIANT(rule.peeks > 0, "a peeking rule has at least one chunk");
    return std::min(left, std::max<uint64_t>(1, (rule.samples + rule.peeks - 1) / rule.peeks));
  }
  const double rate = incumbent.rate();
  if (rate <= 0 || rule.events / rate >= static_cast<double>(left)) return left;
  return std::max<uint64_t>(1, static_cast<uint64_t>(std::ceil(rule.events / rate)));
}

bool drop(const PeekRule& rule, const Count& incumbent, const Count& candidate) {
  if (rule.kind == PeekRule::Kind::none || incumbent.trials == 0 || candidate.trials == 0) return false;
  if (rule.kind == PeekRule::Kind::wald)
    return wald(candidate.events, candidate.trials, rule.level).upper <
           wald(incumbent.events, incumbent.trials, rule.level).lower;
  if (static_cast<double>(candidate.trials) * incumbent.rate() < rule.events) return false;
  return wilson_dispersed(candidate.events, candidate.trials, candidate.dispersion, rule.level).upper <
         wilson_dispersed(incumbent.events, incumbent.trials, incumbent.dispersion, rule.level).lower;
}

}  // namespace fencepost::stats
