// Copies that one thread starts for itself (ir/async.h): each lasts until the thread has waited for its group. Behind
// that a barrier passes it on to others, as it does what the thread has stored itself.
//
// Which groups a wait covers is counted in the order of the text. A copy is covered by `wait_group n` if it has been
// committed, and n groups more have been committed behind it for certain: outside of loops, by every thread. So a wait
// for all but the latest groups covers none that a loop has committed; nothing wrong is said, but less than there is.
#include "prove/execute.h"

namespace fencepost::prove {

using namespace ir;

void Execution::own_copy(Activation& a, const Instruction& in, const AsyncCopy& c, Pair guard, Mode mode) {
  const Pair to = get(a, c.destination.pointer), from = get(a, c.source.pointer), count = get(a, c.count);
  ++position_;
  pointer_checks(a, c.destination, to, guard, in.place, mode, true);
  pointer_checks(a, c.source, from, guard, in.place, mode, false);
  if (!counters_.empty() && std::any_of(counters_.begin(), counters_.end(), [](int8_t x) { return x != 0; }))
    unsupported.insert("asynchronous copies of one thread beside counters");
  OwnCopy copy;
  copy.event = both(pool_.constant(own_copies_.size() + 1, 16));
  if (own_copies_.size() > 1000) unsupported.insert("so many asynchronous copies");
  own_copies_.push_back(copy);
  if (!mode.log) return;
  const uint8_t ow = pointers.offset_bits;
  for (const bool writes : {true, false}) {
    const Access& access = writes ? c.destination : c.source;
    const Pair start = writes ? to : from;
    Pair pointer = start, g = guard;
    for (size_t t = 0; t < 2; ++t) {
      if (pool_.is_constant(count[t], 1)) continue;
      const Term index = pool_.variable(pool_.width(count[t]), "element");
      g[t] = pool_.all(g[t], pool_.ult(index, count[t]));
      const Term wide = pool_.width(index) > ow ? pool_.extract(index, 0, ow) : pool_.zext(index, ow);
      pointer[t] = pool_.concat(base_of(start[t]), pool_.add(offset_of(start[t]), pool_.scale(wide, access.bytes)));
    }
    for (RegionId r : access.regions) {
      const size_t before = trace.accesses.size();
      log(writes ? AccessKind::write : AccessKind::read, access, r, g, pointer, both(pool_.no()), false, in.place,
          nullptr);
      if (trace.accesses.size() == before) continue;
      trace.accesses.back().mode = order::Mode::asynchronous;
      trace.accesses.back().own = true;
      trace.accesses.back().event = copy.event;
    }
  }
}

void Execution::wait_for(const std::function<bool(size_t)>& which, Pair guard, Mode mode) {
  for (size_t i = 0; i < own_copies_.size() && mode.log; ++i) {
    if (!which(i)) continue;
    trace.waits.push_back({position_, all(guard, own_copies_[i].committed), own_copies_[i].event, loops_around_});
  }
}

void Execution::own_wait(const OwnWait& w, Pair guard, Mode mode) {
  const bool certain = loops_around_.empty() && pool_.is_true(guard[0]) && pool_.is_true(guard[1]);
  const auto alike = [&] { return stages_.guard == guard && stages_.loops == loops_around_; };
  switch (w.what) {
    case OwnCopies::commit:
      ++stages_.committed;
      stages_.counted = stages_.counted && certain;
      stages_.guard = guard;
      stages_.loops = loops_around_;
      for (OwnCopy& c : own_copies_) {
        if (c.in_group) {
          if (certain) ++c.later;
          continue;
        }
        c.in_group = true;
        c.committed = guard;
        c.number = stages_.committed;
      }
      return;
    case OwnCopies::wait_group:
      return wait_for([&](size_t i) { return own_copies_[i].in_group && own_copies_[i].later >= w.pending; }, guard,
                      mode);
    case OwnCopies::wait_all:
      // Whether they were committed or not; who does not come here has still to commit them.
      for (size_t k = 0; k < own_copies_.size() && mode.log; ++k)
        trace.waits.push_back({position_, guard, own_copies_[k].event, loops_around_});
      return;
    case OwnCopies::wait_oldest:
      ++stages_.waited;
      if (stages_.counted && certain)
        return wait_for([&](size_t i) { return own_copies_[i].in_group && own_copies_[i].number <= stages_.waited; },
                        guard, mode);
      if (stages_.committed != stages_.waited || !alike()) {
        unsupported.insert("a pipeline of several stages in a loop or under a condition");
        return;
      }
      return wait_for([&](size_t i) { return own_copies_[i].in_group; }, guard, mode);
  }
}

}  // namespace fencepost::prove
