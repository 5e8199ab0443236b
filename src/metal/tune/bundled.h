#pragma once
// Stress that comes with the program, for `certify`: configurations of a campaign's plan (campaign/plan_file.h), as its
// text. On GPUs: what a search over 15 families on an NVIDIA H200 found best, the configuration with the largest
// MLFS-F of a data set of 1,000 there (docs/results/tune-h200.md, conformance-h200.md), and none. On processors: rounds
// whose invocations meet closely, which x86 needs to show its store buffers, parameters drawn anew for each round, and
// none. Where the groups of a launch may run one after another there is less to choose: drawn, and none.
#include <cstddef>
#include <string>

namespace fencepost::tune {

enum class Kind : uint8_t { gpu, processors, one_by_one };
// [[configuration]] tables, `count` of them.
struct Bundled {
  std::string text;
  size_t count = 0;
};
Bundled bundled_stress(Kind kind);

}  // namespace fencepost::tune
