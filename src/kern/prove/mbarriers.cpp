#include "prove/mbarriers.h"

#include <algorithm>

namespace fencepost::prove {

using namespace ir;

void Mbarriers::announce(std::string name, std::string form, std::vector<Pair> operands) {
  next_ = Use{std::move(name), std::move(form), std::move(operands)};
}

void Mbarriers::written(RegionId r, const Pair& guard, const Pair& offset, uint32_t bytes) {
  if (possible_ && !in_use_ && run_.module().region(r).space == Space::group)
    overwrites_.push_back({r, guard, offset, bytes});
}

void Mbarriers::access(const Access& access, const Pair& guard, const Pair& pointer,
                       const std::vector<uint32_t>& meetings) {
  in_use_ = next_.has_value();
  if (!next_) return;
  const Use use = *std::exchange(next_, std::nullopt);
  const std::string name =
      access.regions.empty() ? "an mbarrier" : "'" + run_.module().region(access.regions[0]).name + "'";
  const auto open = [&](const std::string& what) { run_.unsupported.insert("whether " + name + " " + what); };
  const Pair at = run_.offsets_of(pointer);
  if (access.regions.size() != 1 || run_.module().region(access.regions[0]).space != Space::group || at[0] != at[1] ||
      !pool_.is_constant(at[0]))
    return open("is one barrier in shared memory for all threads of a group");
  Object& o = objects_[{access.regions[0].index, pool_.value(at[0])}];
  if (use.name == "mbarrier.init" && use.operands.size() == 1) {
    const bool first = run_.by_masters(guard) && run_.always(masters_.of_both(guard));
    if (!run_.loops_around().empty() || !first || o.begun != 0)
      return open("is initialised once, by the first thread of each group");
    o.begun = run_.position();
    o.count = use.operands[0];
    return;
  }
  const bool begun =
      o.begun != 0 && std::ranges::any_of(meetings, [&](uint32_t m) { return o.begun < m && m < run_.position(); });
  if (!begun) return open("is initialised before '" + use.name + "'");
  const Term threads = pool_.mul(run_.local_size[0], pool_.mul(run_.local_size[1], run_.local_size[2]));
  if (o.count != Run::both(threads)) return open("is initialised for as many arrivals as the group has threads");
  if (const std::string why = pass(o, use, guard); !why.empty()) open(why);
}

// What is not known of the phases of a use; "": nothing.
std::string Mbarriers::pass(Object& o, const Use& use, const Pair& guard) const {
  constexpr const char *k_phases = "is passed in phases that can be told apart",
                       *k_waits = "is waited at for the phase of the arrival before";
  if (use.name == k_arrive_and_wait) {
    o.met = true;
    return o.arrived[0] ? k_phases : "";
  }
  if (use.name == "mbarrier.arrive" && use.operands.size() == 2) {
    const bool all = run_.always(guard);
    if (!run_.loops_around().empty() || !all || !run_.every(use.operands[0], 1) || o.arrived[0]) return k_phases;
    o.arrived = use.operands[1];
    return "";
  }
  if (use.form == " token") return !o.arrived[0] || use.operands[0] != o.arrived ? k_waits : "";
  if (use.form == " parity") return !o.arrived[0] || o.met || !run_.every(use.operands[0], 0) ? k_waits : "";
  return "has the phases that arrivals and waiting alone give it, beside '" + use.name + "'";
}

void Mbarriers::conclude() {
  const uint8_t ow = run_.pointers.offset_bits;
  for (const auto& [place, o] : objects_) {
    const Term at = pool_.constant(place.second, ow);
    for (const Overwrite& w : overwrites_) {
      if (w.region.index != place.first) continue;
      for (const size_t t : k_both) {
        const Term near = pool_.any(pool_.ult(pool_.sub(w.offset[t], at), pool_.constant(8, ow)),
                                    pool_.ult(pool_.sub(at, w.offset[t]), pool_.constant(w.bytes, ow)));
        if (!pool_.is_false(pool_.all(w.guard[t], near)))
          run_.unsupported.insert("whether '" + run_.module().region(w.region).name +
                                  "' is written as a barrier alone");
      }
    }
  }
}

}  // namespace fencepost::prove
