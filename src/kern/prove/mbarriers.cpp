// Barriers that lie in shared memory: mbarrier, of which cuda::barrier is made.
//
// What a use of one does is defined only behind its initialisation, and a phase ends when as many threads have arrived
// as it was initialised for (PTX ISA, mbarrier). What no one has initialised, or what waits for another number of
// threads than come, is no race; so a kernel is decided only if it is shown of each barrier that it uses:
//  - the first thread of each group initialises it, always and once, outside of loops, for as many arrivals as the
//    group has threads;
//  - a barrier of the whole group stands between that and every use;
//  - nothing else writes the array that it lies in;
//  - all threads arrive at the same times. `arrive_and_wait` of the stand-in header is followed by a barrier of the
//    group: that all come to it is asked there. An arrival for itself is made by all threads, once, outside of loops
//    and behind all others, and who waits does so for the phase of that arrival.
// Else it is not decided, by the name of the array. What an arrival for itself orders is not used.
// Not tried: barriers for some of the threads (producers and consumers), transactions, phases in loops.
#include <algorithm>

#include "prove/execute.h"

namespace fencepost::prove {

using namespace ir;

void Execution::use_object(const Instruction& in, const Access& access, Pair guard, Pair pointer) {
  if (!object_) return;
  const ObjectUse use = *std::exchange(object_, std::nullopt);
  object_writers_.insert(&in);
  for (const RegionId r : access.regions) object_regions_.insert(r.index);
  const std::string name = access.regions.empty() ? "an mbarrier" : "'" + m_.region(access.regions[0]).name + "'";
  const auto open = [&](const std::string& what) { unsupported.insert("whether " + name + " " + what); };
  const Term at[2] = {offset_of(pointer[0]), offset_of(pointer[1])};
  if (access.regions.size() != 1 || m_.region(access.regions[0]).space != Space::group || at[0] != at[1] ||
      !pool_.is_constant(at[0]))
    return open("is one barrier in shared memory for all threads of a group");
  Object& o = objects_[{access.regions[0].index, pool_.value(at[0])}];
  const bool outside = loops_around_.empty(), all = pool_.is_true(guard[0]) && pool_.is_true(guard[1]);
  if (use.what == "mbarrier.init" && use.operands.size() == 1) {
    const bool first = by_master(guard[0], 0) && by_master(guard[1], 1) && pool_.is_true(as_master(guard[0], 0)) &&
                       pool_.is_true(as_master(guard[1], 1));
    if (!outside || !first || o.begun != 0) return open("is initialised once, by the first thread of each group");
    o.begun = position_;
    o.count = use.operands[0];
    return;
  }
  const bool begun = o.begun != 0 && std::any_of(meetings_of_all_.begin(), meetings_of_all_.end(),
                                                 [&](uint32_t m) { return o.begun < m && m < position_; });
  if (!begun) return open("is initialised before '" + use.what + "'");
  const Term threads = pool_.mul(local_size[0], pool_.mul(local_size[1], local_size[2]));
  if (pool_.width(o.count[0]) != pool_.width(threads) || o.count[0] != threads || o.count[1] != threads)
    return open("is initialised for as many arrivals as the group has threads");
  if (use.what == "mbarrier.arrive_and_wait") {
    if (o.arrived[0]) open("is passed in phases that can be told apart");
  } else if (use.what == "mbarrier.arrive" && use.operands.size() == 2) {
    const bool one = pool_.is_constant(use.operands[0][0], 1) && pool_.is_constant(use.operands[0][1], 1);
    if (!outside || !all || !one || o.arrived[0]) return open("is passed in phases that can be told apart");
    o.arrived = use.operands[1];
  } else if (use.what == "mbarrier.wait" && use.operands.size() == 1) {
    if (!o.arrived[0] || use.operands[0] != o.arrived) open("is waited at for the phase of the arrival before");
  } else {
    open("is as 'mbarrier.arrive' and waiting leave it, beside '" + use.what + "'");
  }
}

void Execution::objects_written() {
  for (const uint32_t r : object_regions_)
    for (const flow::Writer& w : writers_.of({r}))
      if (!object_writers_.contains(w.instruction))
        unsupported.insert("whether '" + m_.region({r}).name + "' is written as a barrier alone");
}

}  // namespace fencepost::prove
