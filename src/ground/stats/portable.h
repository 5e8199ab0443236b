#pragma once
// Portable stress parameters: one configuration for many tests and devices (OOPSLA 2020, section 6.5; figure 11), and
// the merge by budget of MC Mutants (ASPLOS 2023, algorithm 1). Pure functions.
//
// Input: weak counts, by combination (a test on a device) and configuration; every combination has all configurations,
// measured equally long. A zero is a measurement, never a gap. Output: a configuration for every combination.
//   mfs     largest sum of counts: one frequent test decides
//   mlfs    largest sum of ln(count) over positive counts. Counts are at least 1 there, so a rare outcome never scores
//           below a missing one
//   mlfs_f  fewest combinations without an outcome; among these the largest mlfs score
// Domains: one configuration for all, for each device, for each test, or for each combination (there the largest count,
// whatever the metric).
// Laws: a narrower domain never scores worse on its part; ties go to the configuration with the lower number.
#include <cstdint>
#include <optional>
#include <vector>

namespace fencepost::stats {

struct Combination {
  uint32_t device = 0, test = 0;
  std::vector<double> counts;  // by configuration; 0, or at least 1
};

enum class Metric : uint8_t { mfs, mlfs, mlfs_f };
enum class Domain : uint8_t { global, device, test, combination };
const char* name(Metric m);
const char* name(Domain d);

struct Portable {
  std::vector<uint32_t> configuration;  // by combination
  uint32_t weak = 0;                    // combinations with an outcome there
  uint32_t possible = 0;                // combinations with an outcome under some configuration
};
Portable portable(const std::vector<Combination>& combinations, Metric metric, Domain domain);

// Algorithm 1: for one test, the configuration that meets `target` (a rate) on most devices; among these the one whose
// smallest rate that meets it is largest; none when no device meets it anywhere. rates[device][configuration].
std::optional<uint32_t> merge_by_target(const std::vector<std::vector<double>>& rates, double target);

}  // namespace fencepost::stats
