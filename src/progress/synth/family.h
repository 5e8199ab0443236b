#pragma once
// The tests of one split of the instructions over the threads that use exactly `used` locations: how they are divided
// into work units and how one unit is searched.
//
// Technique. The codes of each thread but the longest are listed once and grouped by their Interface. The codes of the
// longest are streamed; for each, the combinations of groups are looked up that satisfy the rules between threads
// (demands of `stores`, order of first use of locations). Within a combination it is known what the others may write to
// a thread, so each code is tried alone against that environment (graph.h, Solo): few survive. Only for what is left is
// the graph of the whole program built. Nothing is dropped except by a constraint of the request, or an
// over-approximation of one.
#include <functional>
#include <memory>
#include <vector>

#include "base/job.h"
#include "synth/code.h"

namespace fencepost::synth {

struct Family {
  std::vector<uint32_t> lengths;
  uint32_t used = 1;     // locations 0..used-1, each named by some instruction, first uses in order
  uint32_t longest = 0;  // the thread whose codes are streamed
  uint32_t fixed = 0;    // its leading instructions that a unit fixes
  uint64_t first_unit = 0, units = 0;
};
// In the order of units. Depends on the request alone.
std::vector<Family> families(const Request& request);

class Search {
 public:
  virtual ~Search() = default;
  // All accepted programs of unit `index` (from 0) of the family, in a fixed order. False: stopped by the job.
  virtual bool run(uint64_t index, Job& job, const std::function<void(const Program&, oracle::Size)>& accept,
                   uint64_t& graphs) = 0;
};
std::unique_ptr<Search> make_search(const Request& request, const Family& family);

}  // namespace fencepost::synth
