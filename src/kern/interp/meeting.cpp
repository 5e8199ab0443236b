// Barriers: of warps, of groups, of the grid.
#include <algorithm>

#include "interp/run.h"

namespace fencepost::interp {

bool Run::open_barriers() {
  bool waiting = false, opened = false;
  for (const Thread& t : threads_) waiting = waiting || t.state == Thread::waiting || t.state == Thread::exchanging;
  if (!waiting) return false;
  if (open_exchanges()) return true;
  // Warp barriers first, since they ask the least.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Thread*>> warps;
  for (Thread& t : threads_) warps[{t.group, t.warp}].push_back(&t);
  for (auto& [key, members] : warps) {
    std::vector<Thread*> here;
    for (Thread* t : members)
      if (t->state == Thread::waiting && t->barrier->scope == Scope::warp) here.push_back(t);
    for (Thread* t : here) {
      std::vector<Thread*> meet;
      bool all = true;
      for (Thread* u : members) {
        if ((t->mask >> (u->flat % std::max(1u, shape_.warp_size) % 64) & 1) == 0) continue;
        if (u->state == Thread::done) {
          // All of the sub-group must come.
          if (!t->barrier->mask || went_on(*t, *u)) return diverge(*t, *u);
          continue;
        }
        if (u->state == Thread::waiting && u->barrier->scope == Scope::warp && u->mask == t->mask)
          meet.push_back(u);
        else
          all = false;
      }
      if (!all || meet.empty() || t->state != Thread::waiting) continue;
      ++meetings_;
      this->meet(meet, true, true);
      for (Thread* u : meet) {
        u->warp_meetings.push_back(meetings_);
        u->state = Thread::running;
      }
      opened = true;
    }
  }
  if (opened) return true;
  // Barriers of groups.
  bool grid = true;
  for (uint32_t g = 0; g < group_count_; ++g) {
    std::vector<Thread*> here, ended;
    for (Thread& t : threads_) {
      if (t.group != g) continue;
      (t.state == Thread::waiting ? here : ended).push_back(&t);
      grid = grid && (t.state == Thread::done || (t.state == Thread::waiting && t.barrier->scope == Scope::device));
    }
    for (Thread* t : ended)
      if (t->state == Thread::exchanging) return diverge(*t, here.empty() ? *ended[0] : *here[0]);
    if (here.empty()) continue;
    if (here[0]->barrier->scope == Scope::cluster) {
      for (Thread* t : here)
        if (t->barrier->scope != Scope::cluster) return diverge(*here[0], *t);
      continue;
    }
    if (here[0]->barrier->scope == Scope::device) {
      for (Thread* t : here)
        if (t->at_barrier != here[0]->at_barrier) return diverge(*here[0], *t);
      continue;
    }
    if (here[0]->barrier->scope == Scope::warp) return stuck(*here[0]);
    for (Thread* t : here)
      if (t->counted) return stuck(*t);
    for (Thread* t : here)
      if (!by_number(*here[0], *t) &&
          (t->at_barrier != here[0]->at_barrier || t->barrier_name != here[0]->barrier_name))
        return diverge(*here[0], *t);
    if (parted_warp(here)) {
      finish(Outcome::unsupported, "a warp whose threads come to one barrier at several places");
      return false;
    }
    if (!ended.empty()) return diverge(*here[0], *ended[0]);
    open(here);
    opened = true;
  }
  if (opened || open_clusters()) return true;
  if (over()) return false;
  if (!grid)
    return stuck(
        *std::find_if(threads_.begin(), threads_.end(), [](const Thread& t) { return t.state == Thread::waiting; }));
  // All that is left waits for the grid.
  if (!shape_.groups.empty()) {
    finish(Outcome::gave_up, "a barrier of the grid, of which only some groups run");
    return false;
  }
  Thread* first = nullptr;
  for (Thread& t : threads_)
    if (t.state == Thread::waiting) first = first == nullptr ? &t : first;
  for (Thread& t : threads_)
    if (t.state == Thread::done || t.at_barrier != first->at_barrier) return diverge(*first, t);
  std::vector<Thread*> everyone;
  for (Thread& t : threads_) everyone.push_back(&t);
  meet(everyone, true, true);
  for (Thread& t : threads_) {
    ++t.grid_epoch;
    t.passed.push_back(t.flags);
    t.state = Thread::running;
  }
  return true;
}

// The document counts threads that have exited as arrived, and arrivals at any barrier of the cluster as one; the guide
// asks that all threads come to the same one. Where these differ, a run tells nothing.
bool Run::open_clusters() {
  std::map<uint32_t, std::vector<Thread*>> clusters;
  for (Thread& t : threads_) clusters[t.cluster].push_back(&t);
  bool opened = false;
  for (auto& [number, members] : clusters) {
    const auto here = [](const Thread* t) {
      return t->state == Thread::waiting && t->barrier->scope == Scope::cluster;
    };
    if (std::ranges::none_of(members, here)) continue;
    const Thread* first = *std::ranges::find_if(members, here);
    if (std::ranges::any_of(members, [&](const Thread* t) {
          return t->state == Thread::done || (here(t) && t->at_barrier != first->at_barrier);
        })) {
      finish(Outcome::unsupported, "a barrier of the cluster that not all of its threads come to");
      return false;
    }
    if (!std::ranges::all_of(members, here)) continue;
    meet(members, true, true);
    for (Thread* t : members) {
      ++t->cluster_epoch;
      t->passed.push_back(t->flags);
      t->state = Thread::running;
    }
    opened = true;
  }
  return opened;
}

// Barriers of PTX meet by their number, wherever they stand (PTX ISA 9.7.13.1); __syncthreads() has none.
bool Run::by_number(const Thread& a, const Thread& b) {
  return a.barrier->name && b.barrier->name && a.barrier_name == b.barrier_name &&
         a.barrier->reduce == b.barrier->reduce;
}

// `bar` and `barrier.aligned` want a whole warp at one instruction, `barrier` does not: here the two are one.
bool Run::parted_warp(const std::vector<Thread*>& group) {
  std::map<uint32_t, uint64_t> place;
  return std::ranges::any_of(
      group, [&](const Thread* t) { return place.try_emplace(t->warp, t->at_barrier).first->second != t->at_barrier; });
}

void Run::open(const std::vector<Thread*>& group) {
  uint64_t count = 0;
  for (const Thread* t : group) count += t->predicate ? 1 : 0;
  const bool made_up = std::any_of(group.begin(), group.end(), [](const Thread* t) { return t->made_up; });
  for (const bool local : {true, false}) {
    std::vector<Thread*> fenced;
    for (Thread* t : group)
      if (local ? t->flags.local : t->flags.global) fenced.push_back(t);
    // Where one thread's flags stand for another's, it is enough that one names the memory.
    meet(shape_.first_fences && !fenced.empty() ? group : fenced, local, !local);
  }
  for (Thread* t : group) {
    t->passed.push_back(t->flags);
    t->state = Thread::running;
    if (t->barrier_result) {
      const auto how = t->barrier->reduce;
      t->frames.back().values[t->barrier_result.index] = {.made_up = made_up,
                                                          .bits = how == ir::Barrier::count_true ? count
                                                                  : how == ir::Barrier::all_true ? count == group.size()
                                                                                                 : count > 0};
    }
  }
}

// Who has met knows what the others know.
void Run::meet(const std::vector<Thread*>& threads, bool local, bool global) {
  if (happened_ == nullptr) return;
  std::vector<uint32_t> numbers;
  for (const Thread* t : threads) numbers.push_back(t->number);
  happened_->meet(numbers, local, global, shape_.barriers_acquire);
}

bool Run::diverge(const Thread& a, const Thread& b) {
  defect({.kind = DefectKind::divergence, .place = a.barrier_place, .thread = a.who, .other = b.who});
  return false;
}

bool Run::went_on(const Thread& t, const Thread& ended) {
  return ended.quiet && way_out_ != nullptr && way_out_->reaches(t.frames[0].block, ended.quiet);
}

bool Run::stuck(const Thread& t) {
  defect({.kind = DefectKind::deadlock, .place = t.barrier_place, .thread = t.who});
  return false;
}

uint64_t Run::place_in_calls(const Thread& t) {
  uint64_t h = 17;
  for (const Frame& f : t.frames) h = mix(h, mix(f.function.index, mix(f.block.index, f.next)));
  return h;
}

void Run::execute(Thread& t, const Instruction& i, const ir::Barrier& b) {
  // At a barrier of all threads others may have arrived by its number, and that counts.
  if (b.arrive && b.scope == Scope::cluster) return;
  if (b.arrive || b.count || (b.name && arrivals_)) return arrive(t, b);
  if (b.scope == Scope::warp && shape_.lock_step) return;  // the warp waits for no one: it is together or apart
  t.state = Thread::waiting;
  t.counted = false;
  t.barrier = &b;
  t.barrier_place = place_;
  t.barrier_result = i.results.empty() ? ValueId{} : i.results[0];
  t.flags = {get(t, b.local_fence).bits != 0, get(t, b.global_fence).bits != 0};
  t.barrier_name = b.name ? get(t, b.name).bits : 0;
  t.mask = b.mask ? get(t, b.mask).bits : ~uint64_t{0};
  t.predicate = b.predicate && get(t, b.predicate).bits != 0;
  t.made_up = b.predicate && get(t, b.predicate).made_up;
  for (const ValueId v : {b.local_fence, b.global_fence, b.name, b.mask})
    if (v) decides(get(t, v));
  t.at_barrier = place_in_calls(t);
}

// PTX ISA, `bar`: the barrier opens when as many threads as it says have come, whether they wait or not; those who wait
// then know what all of them had done. The number is of threads, and the warp of a thread counts as a whole: runs count
// threads, which is the same where warps come whole, as the document asks.
void Run::arrive(Thread& t, const ir::Barrier& b) {
  const uint64_t all = uint64_t{shape_.local_size[0]} * shape_.local_size[1] * shape_.local_size[2];
  const uint64_t count = b.count ? get(t, b.count).bits : all, name = b.name ? get(t, b.name).bits : 0;
  for (const ValueId v : {b.count, b.name})
    if (v) decides(get(t, v));
  if (happened_ == nullptr) return finish(Outcome::unsupported, "a barrier with a number, of too many threads");
  if (b.reduce != ir::Barrier::none) return finish(Outcome::unsupported, "a reduction over a number of threads");
  Meeting& m = counted_[{t.group, name}];
  if (count == 0 || count > all || (m.come != 0 && m.count != count))
    return defect({.kind = DefectKind::deadlock, .place = place_, .thread = t.who});
  m.count = count;
  ++m.come;
  if (b.arrive) {
    m.brought.join(happened_->hand(t.number));
  } else {
    t.state = Thread::waiting;
    t.counted = true;
    t.barrier = &b;
    t.barrier_place = place_;
    t.at_barrier = place_in_calls(t);
    m.waiting.push_back(t.number);
  }
  if (m.come < count) return;
  for (const uint32_t n : m.waiting) happened_->take(n, m.brought);
  if (m.waiting.size() > 1) happened_->meet(m.waiting, true, true, shape_.barriers_acquire);
  for (const uint32_t n : m.waiting) threads_[n].state = Thread::running;
  m = {};
}

}  // namespace fencepost::interp
