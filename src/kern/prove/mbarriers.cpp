// Barriers that lie in shared memory: mbarrier, of which cuda::barrier is made.
//
// What a use of one does is defined only behind its initialisation, and a phase ends when as many threads have arrived
// as it was initialised for (PTX ISA, mbarrier). What no one has initialised, or what waits for another number of
// threads than come, is no race; so a kernel is decided only if it is shown of each barrier that it uses:
//  - the first thread of each group initialises it, always and once, outside of loops, for as many arrivals as the
//    group has threads;
//  - a barrier of the whole group stands between that and every use;
//  - nothing else writes its bytes;
//  - all threads arrive at the same times. `arrive_and_wait` of the stand-in header is followed by a barrier of the
//    group: that all come to it is asked there. An arrival for itself is made by all threads, once, outside of loops
//    and behind all others, and who waits does so for the phase of that arrival.
// Else it is not decided, by the name of the array. What an arrival for itself orders is not used.
// Not tried: barriers for some of the threads (producers and consumers), transactions, phases in loops.
#include <algorithm>

#include "prove/execute.h"

namespace fencepost::prove {

using namespace ir;

void Execution::use_object(const Access& access, Pair guard, Pair pointer) {
  object_access_ = object_.has_value();
  if (!object_) return;
  const ObjectUse use = *std::exchange(object_, std::nullopt);
  const std::string name = access.regions.empty() ? "an mbarrier" : "'" + m_.region(access.regions[0]).name + "'";
  const auto open = [&](const std::string& what) { unsupported.insert("whether " + name + " " + what); };
  const Pair at{offset_of(pointer[0]), offset_of(pointer[1])};
  if (access.regions.size() != 1 || m_.region(access.regions[0]).space != Space::group || at[0] != at[1] ||
      !pool_.is_constant(at[0]))
    return open("is one barrier in shared memory for all threads of a group");
  Object& o = objects_[{access.regions[0].index, pool_.value(at[0])}];
  if (use.name == "mbarrier.init" && use.operands.size() == 1) {
    const bool first = by_masters(guard) && always(as_masters(guard));
    if (!loops_around_.empty() || !first || o.begun != 0)
      return open("is initialised once, by the first thread of each group");
    o.begun = position_;
    o.count = use.operands[0];
    return;
  }
  const bool begun = o.begun != 0 && std::any_of(meetings_of_all_.begin(), meetings_of_all_.end(),
                                                 [&](uint32_t m) { return o.begun < m && m < position_; });
  if (!begun) return open("is initialised before '" + use.name + "'");
  const Term threads = pool_.mul(local_size[0], pool_.mul(local_size[1], local_size[2]));
  if (o.count != both(threads)) return open("is initialised for as many arrivals as the group has threads");
  if (const std::string why = pass_object(o, use, guard); !why.empty()) open(why);
}

// What is not known of the phases of a use; "": nothing.
std::string Execution::pass_object(Object& o, const ObjectUse& use, Pair guard) {
  constexpr const char *k_phases = "is passed in phases that can be told apart",
                       *k_waits = "is waited at for the phase of the arrival before";
  if (use.name == k_arrive_and_wait) {
    o.met = true;
    return o.arrived[0] ? k_phases : "";
  }
  if (use.name == "mbarrier.arrive" && use.operands.size() == 2) {
    const bool all = always(guard);
    if (!loops_around_.empty() || !all || !every(use.operands[0], 1) || o.arrived[0]) return k_phases;
    o.arrived = use.operands[1];
    return "";
  }
  if (use.form == " token") return !o.arrived[0] || use.operands[0] != o.arrived ? k_waits : "";
  if (use.form == " parity") return !o.arrived[0] || o.met || !every(use.operands[0], 0) ? k_waits : "";
  return "has the phases that arrivals and waiting alone give it, beside '" + use.name + "'";
}

// The bytes of a barrier are written by its uses alone.
void Execution::objects_written() {
  const uint8_t ow = pointers.offset_bits;
  for (const auto& [place, o] : objects_) {
    const Term at = pool_.constant(place.second, ow);
    for (const Overwrite& w : overwrites_) {
      if (w.region.index != place.first) continue;
      for (const size_t t : k_both) {
        const Term near = pool_.any(pool_.ult(pool_.sub(w.offset[t], at), pool_.constant(8, ow)),
                                    pool_.ult(pool_.sub(at, w.offset[t]), pool_.constant(w.bytes, ow)));
        if (!pool_.is_false(pool_.all(w.guard[t], near)))
          unsupported.insert("whether '" + m_.region(w.region).name + "' is written as a barrier alone");
      }
    }
  }
}

}  // namespace fencepost::prove
