#pragma once
// Searches for the configuration that shows a weak outcome most often. Pure: rounds come from a Bench, which is a
// device (conduct.h), a stored data set in virtual time (replay.h), or a test's own numbers; the rules cannot tell.
//
//   exhaustive  every configuration in full: N rounds
//   peek        the first in full; each other one in chunks, and dropped when it will not beat the best so far.
//               `published`: OOPSLA 2020's rule (P chunks of N, Wald intervals). Else the corrected one: a look only
//               after every stretch in which the best so far shows `events` outcomes, intervals that are never empty,
//               and widened by the dispersion between rounds
//   halving     all configurations get a few rounds; the better half (one in `keep`) twice as many, and so on until the
//               last are measured in full
//
// The score is weak outcomes per second of wall time, or per instance. Stability: a configuration measured in full
// whose last tenth of rounds differs from its first fifth (Kolmogorov-Smirnov, k_unstable) is begun again from nothing;
// after `restarts` times it is set aside. With a budget, further sets of configurations are searched until it is spent,
// and the best of all is the winner; without one, one set. `refine` (halving): of three sets one is drawn as ever, and
// the configurations of the others are neighbours (space.h) of the best of three lineages. A lineage is a drawn
// configuration that won its set, with the neighbours that came from it: several regions are followed at a time.
//
// Laws. (1) What is chosen depends on nothing but the rule and the rounds that the bench gave, in order: a search over
// stored rounds makes the decisions that the search that stored them made. (2) No decision looks at rounds that come
// later. (3) A configuration that was lost, or was set aside, never wins while another has been measured.
// Units: seconds. Errors: the bench's.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "stats/interval.h"
#include "store/store.h"

namespace fencepost::tune {

using store::Round;

enum class Strategy : uint8_t { exhaustive, peek, halving };
enum class Objective : uint8_t { per_second, per_instance };
const char* name(Strategy s);
const char* name(Objective o);

inline constexpr double k_unstable = 0.001;    // below this p-value a configuration counts as unstable
inline constexpr uint32_t k_least_rounds = 3;  // of a look of the corrected rule: fewer have no dispersion

struct Rule {
  Strategy strategy = Strategy::halving;
  Objective objective = Objective::per_second;
  uint32_t configurations = 64;  // M, of a set
  uint32_t rounds = 100;         // N, of a configuration measured in full
  bool published = false;        // peek
  uint32_t peeks = 10;           // P, published
  double events = 12;            // corrected
  uint32_t first_rounds = 4;     // halving: of every configuration
  uint32_t keep = 2;             // halving: one in so many goes on
  bool refine = true;            // halving, with a budget
  uint32_t restarts = 2;
  bool stability = true;
  double budget = 0;  // seconds of the bench; 0: one set
};
// Halving's first look where nobody says otherwise: 3, from 80 rounds on 4. With 1 or 2 the best configuration is often
// among the half that goes, since outcomes come in bursts (docs/tune.md).
uint32_t usual_first_rounds(uint32_t rounds);
// The rule as text; a store keeps it, so that a search is resumed under the same rule (the budget may grow).
std::string to_string(const Rule& r);

class Bench {
 public:
  virtual ~Bench() = default;
  // Called before a configuration is measured: it was made from `parent`, an earlier one, by changing a few values.
  virtual void derive(uint32_t configuration, uint32_t parent) = 0;
  // More rounds of a configuration, in the order of time. None: it was lost (a hang, a parameter that cannot be met).
  virtual Expected<std::vector<Round>> measure(uint32_t configuration, uint32_t rounds) = 0;
  virtual double seconds() const = 0;  // spent so far
  virtual bool stopped() const = 0;    // by the user
};

struct Estimate {
  uint64_t events = 0, instances = 0;
  double seconds = 0;
  double rate = 0;           // by the objective
  double dispersion = 1;     // between rounds, at least 1
  stats::Interval interval;  // of the rate, widened by the dispersion
};
Estimate estimate(const std::vector<Round>& rounds, Objective objective, double level = stats::k_level);

struct Candidate {
  uint32_t configuration = 0;
  std::optional<uint32_t> parent;  // the configuration whose neighbour it is
  std::vector<Round> rounds;       // since its last beginning
  enum class End : uint8_t { open, dropped, measured, lost, unstable } end = End::open;
  uint32_t restarts = 0;
  double stability = 1;  // p-value of the last test
  Estimate now;          // of these rounds
};
const char* name(Candidate::End e);

struct Point {         // of the curve of a search
  double seconds = 0;  // spent
  uint32_t configuration = 0;
  double rate = 0;  // of the best so far, as known then
};

struct Found {
  std::optional<uint32_t> winner;  // into candidates
  std::optional<uint32_t> median;  // by their rates, of the drawn ones; those without outcomes count as 0
  std::vector<Candidate> candidates;
  std::vector<Point> curve;
  double seconds = 0;
  uint32_t sets = 0;  // that were finished
  bool over = false;  // the budget or the user ended it inside a set
};

// `tell`, where given, hears of every candidate after it was measured further.
Expected<Found> search(const Rule& rule, Bench& bench,
                       const std::function<void(const Found&, const Candidate&)>& tell = {});

}  // namespace fencepost::tune
