// Asynchronous copies of a group. All its threads come to a copy with the same operands, and the group makes it
// once: it begins when the first thread comes, and nothing but waiting for its event ends it (OpenCL 3.0 C
// specification, 6.15.11). A run lets the thread that comes first make all of it there and then; its accesses are
// ordered behind what that thread has done, and before what comes behind a wait: of any thread of the group, or of that
// thread alone with what orders its wait before others (Shape::group_waits). Other distributions over the threads show
// the same races for other seeds.
// A copy of one thread (ir/async.h) is made where the thread starts it, too, and lasts until the thread has waited for
// its group: until then its accesses are ordered before nothing, what its own thread does among it (PTX ISA 9.7.9.25:
// no order of cp.async operations with one another or with other accesses, but by waiting).
#include <algorithm>

#include "interp/run.h"

namespace fencepost::interp {

void Run::execute(Thread& t, const Instruction& i, const AsyncCopy& c) {
  const auto number = [&](const Val& v) { return v.kind == Val::number ? v.bits : memory_.address(v); };
  const auto given = [&](ValueId v) { return v ? number(get(t, v)) : 0; };
  for (const ValueId v : {c.destination.pointer, c.source.pointer, c.count, c.stride, c.event})
    if (v) decides(get(t, v));
  Copy now{.thread = t.number,
           .at = place_in_calls(t),
           .operands = {given(c.destination.pointer), given(c.source.pointer), given(c.count),
                        c.stride ? given(c.stride) : 1, given(c.event)},
           .place = place_};
  if (ir::by_thread(i)) {
    copies_.push_back(now);
    if (!ir::is_bulk(c)) t.uncommitted.push_back(static_cast<uint32_t>(copies_.size()));
    return make(t, c, now);
  }
  const auto [it, fresh] = copy_numbers_.try_emplace({t.group, t.copies++}, static_cast<uint32_t>(copies_.size() + 1));
  if (fresh) {
    now.handle = now.operands[4] != 0 ? now.operands[4] : 0x1000 + it->second;
    copies_.push_back(now);
    make(t, c, now);
  } else if (const Copy& first = copies_[it->second - 1]; first.at != now.at || first.operands != now.operands) {
    return defect(
        {.kind = DefectKind::group_copy, .place = place_, .thread = t.who, .other = threads_[first.thread].who});
  }
  if (!over()) set(t, i, {.bits = copies_[it->second - 1].handle});
}

void Run::make(Thread& t, const AsyncCopy& c, const Copy& made) {
  const uint64_t count = made.operands[2], stride = made.operands[3];
  copy_ = static_cast<uint32_t>(copies_.size());
  const Val to = get(t, c.destination.pointer), from = get(t, c.source.pointer);
  for (uint64_t n = 0; n < count && !over(); ++n) {
    if (++steps_ > limits_.steps) finish(Outcome::gave_up, "the limit of steps is reached");
    if (late()) break;
    const auto element = [&](const Val& base, bool strided) {
      Val p = base;
      p.bits = (p.bits + n * (strided ? stride : 1) * c.source.bytes) & mask(m_.pointer_bits);
      return p;
    };
    const Val source = element(from, c.stride && c.stride_is_source),
              destination = element(to, c.stride && !c.stride_is_source);
    if (!valid(t, source, c.source.bytes, AccessKind::read)) break;
    const Val v = memory_.read(source.instance, source.bits, c.source.bytes, false);
    const uint64_t bits = v.kind == Val::number ? v.bits : memory_.address(v);
    log(t, c.source, source, AccessKind::read, {.bits = bits}, bits, Scope::device);
    if (!valid(t, destination, c.destination.bytes, AccessKind::write)) break;
    const Val old = memory_.read(destination.instance, destination.bits, c.destination.bytes, false);
    memory_.write(destination.instance, destination.bits, c.destination.bytes, v);
    log(t, c.destination, destination, AccessKind::write, {.made_up = v.made_up, .bits = bits},
        old.kind == Val::number ? old.bits : memory_.address(old), Scope::device);
  }
  copy_ = 0;
}

void Run::end(Thread& t, uint32_t number) {
  Copy& c = copies_[number - 1];
  if (!t.waited.insert(number).second || c.thread != t.number) return;
  c.done = true;
  stamp(c.end, t);
  c.end.instant = t.instant;
}

void Run::wait(Thread& t, const OwnWait& w) {
  if (!of_groups(w.what)) return;
  if (w.what == OwnCopies::commit) {
    t.groups.push_back(std::move(t.uncommitted));
    t.uncommitted.clear();
    return;
  }
  size_t groups = t.groups.size();
  if (w.what == OwnCopies::wait_group) groups -= std::min<size_t>(groups, w.pending);
  if (w.what == OwnCopies::wait_oldest) groups = std::min(groups, ++t.oldest);
  for (size_t g = 0; g < groups; ++g)
    for (const uint32_t number : t.groups[g]) end(t, number);
  if (w.what == OwnCopies::wait_all)
    for (const uint32_t number : t.uncommitted) end(t, number);
}

void Run::execute(Thread& t, const Instruction&, const WaitEvents& w) {
  if (const auto own = ir::own_wait(m_.function(t.frames.back().function), w)) return wait(t, *own);
  for (const ValueId v : w.events) {
    const uint64_t handle = get(t, v).bits;
    for (uint32_t k = 0; k < t.copies; ++k) {
      const uint32_t number = copy_numbers_.at({t.group, k});
      if ((copies_[number - 1].handle & mask(m_.pointer_bits)) == handle) end(t, number);
    }
  }
}

void Run::copies_left_out() {
  if (copies_.empty()) return;
  std::map<uint32_t, const Thread*> first;
  for (const Thread& t : threads_) {
    if (t.state != Thread::done) continue;
    const auto [it, fresh] = first.try_emplace(t.group, &t);
    if (fresh || it->second->copies == t.copies) continue;
    const Thread &more = it->second->copies > t.copies ? *it->second : t, &less = &more == &t ? *it->second : t;
    const Copy& c = copies_[copy_numbers_.at({t.group, less.copies}) - 1];
    return defect({.kind = DefectKind::group_copy, .place = c.place, .thread = more.who, .other = less.who});
  }
}

}  // namespace fencepost::interp
