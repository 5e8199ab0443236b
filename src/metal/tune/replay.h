#pragma once
// What searches would have found, and how fast, on a stored data set: the rules of search.h over stored rounds, in the
// time that those rounds took (figures 8 and 9 of OOPSLA 2020). In: trials in which configurations were measured alike
// (purpose "explore"). Out: for each test and device, and each method, how much faster than the exhaustive search it
// was, and how much worse what it found.
//
// One repeat is one order of the configurations and one place where each series begins (series are followed round the
// end), both drawn from the seed; all methods see the same. The rate of a configuration is that of all its rounds; the
// loss of a method is 1 - (rate of what it found) / (rate of the best). Stability is not tested: a series that is begun
// in its middle has no order.
#include <string>
#include <vector>

#include "base/job.h"
#include "store/store.h"
#include "tune/search.h"

namespace fencepost::tune {

struct DataSet {  // of one test on one device
  std::string campaign, test, test_hash, device;
  std::vector<std::string> parameters;     // by configuration
  std::vector<std::vector<Round>> rounds;  // by configuration; empty: lost
  std::vector<uint32_t> numbers;           // their names in the store
  double seconds() const;
};
// Sets of at least two configurations with as many rounds as `rounds` (or more), sorted by campaign, test and device.
std::vector<DataSet> data_sets(const std::vector<store::Trial>& trials, uint32_t rounds);

struct Method {
  std::string name;  // "peek, published"
  Rule rule;
};
// Exhaustive, both ways of peeking, halving; with the numbers of `rule`.
std::vector<Method> methods(const Rule& rule, uint32_t configurations);

struct Repeat {
  uint64_t seed = 0;
  double seconds = 0, loss = 0;
  uint32_t configuration = 0;
};
struct Replayed {  // one data set, one method
  std::string campaign, test, device, method;
  std::vector<Repeat> repeats;
  double exhaustive_seconds = 0, best_rate = 0;
  double speed_up() const;           // exhaustive seconds over the median seconds
  double within(double loss) const;  // part of the repeats that lost at most this
  double median_loss() const, worst_loss() const;
};

std::vector<Replayed> replay(const std::vector<DataSet>& sets, const Rule& rule, uint32_t repeats, uint64_t seed,
                             Job& job);

}  // namespace fencepost::tune
