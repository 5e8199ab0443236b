// Copies that one thread starts for itself (ir/async.h): each lasts until the thread has waited for its group. Behind
// that a barrier passes it on to others, as it does what the thread has stored itself.
//
// Which groups a wait covers is counted from below. A copy is covered by `wait_group n` if it has been committed, and
// its thread has committed n groups more behind it: those whose guards hold, of the text and of the iterations that
// are run one behind the other. A loop of which any iteration stands for all may have committed none. Nothing wrong is
// said, but less than there is.
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
  // 0: what no wait names. An mbarrier may be waited at for a bulk copy, by its own number.
  constexpr uint64_t k_bulk = 0x8000;
  const uint64_t bulk = loops_around_.empty() && bulk_copies_ < 1000 ? k_bulk + ++bulk_copies_ : 0;
  copy.event = both(pool_.constant(is_bulk(c) ? bulk : own_copies_.size() + 1, 16));
  if (is_bulk(c)) mbarriers_.copied(bulk == 0 ? Pair{} : copy.event);
  if (own_copies_.size() > 1000) unsupported.insert("so many asynchronous copies");
  if (!is_bulk(c)) own_copies_.push_back(copy);
  if (!mode.log) return;
  if (is_bulk(c)) proxies_.copy(c, guard, to, from);
  made_by_copy_ = true;
  const uint8_t ow = pointers.offset_bits;
  for (const bool writes : {true, false}) {
    const Access& access = writes ? c.destination : c.source;
    const Pair start = writes ? to : from;
    Pair pointer = start, g = guard;
    for (const size_t t : k_both) {
      if (pool_.is_constant(count[t], 1)) continue;
      const Term index = pool_.variable(pool_.width(count[t]), "element");
      g[t] = pool_.all(g[t], pool_.ult(index, count[t]));
      const Term wide = pool_.width(index) > ow ? pool_.extract(index, 0, ow) : pool_.zext(index, ow);
      pointer[t] = pool_.concat(base_of(start[t]), pool_.add(offset_of(start[t]), pool_.scale(wide, access.bytes)));
    }
    for (RegionId r : access.regions) {
      const AccessKind kind = writes ? AccessKind::write : AccessKind::read;
      if (!is_bulk(c)) proxies_.access(kind, r, g, pointer, writes && mbarriers_.in_use(), true);
      const size_t before = trace.accesses.size();
      log(kind, access, r, g, pointer, both(pool_.no()), false, in.place, nullptr);
      if (trace.accesses.size() == before) continue;
      trace.accesses.back().mode = order::Mode::asynchronous;
      trace.accesses.back().own = true;
      trace.accesses.back().event = copy.event;
    }
  }
  made_by_copy_ = false;
}

void Execution::wait_for(const std::function<Pair(const OwnCopy&)>& when, Pair guard, Mode mode) {
  for (const OwnCopy& c : own_copies_) {
    if (!mode.log || !c.in_group) continue;
    const Pair done = all(all(guard, c.committed), when(c));
    if (!never(done)) trace.waits.push_back({position_, done, c.event, loops_around_});
  }
}

// That so many of the guards hold.
Pair Execution::at_least(uint64_t n, const std::vector<Pair>& guards) {
  if (n > guards.size()) return both(pool_.no());
  std::vector<Pair> so_far(n + 1, both(pool_.no()));
  so_far[0] = both(pool_.yes());
  for (const Pair& g : guards)
    for (uint64_t k = n; k > 0; --k)
      for (const size_t t : k_both) so_far[k][t] = pool_.any(so_far[k][t], pool_.all(g[t], so_far[k - 1][t]));
  return so_far[n];
}

void Execution::own_wait(const OwnWait& w, Pair guard, Mode mode) {
  const bool certain = loops_around_.empty() && always(guard);
  // Once for each time that the thread comes here.
  const bool counted = mode.log && std::none_of(loops_around_.begin(), loops_around_.end(),
                                                [&](uint32_t l) { return loose_loops_.contains(l); });
  const auto alike = [&] { return stages_.guard == guard && stages_.loops == loops_around_; };
  if (!of_groups(w.what)) {
    if (mode.log) proxies_.wait(w, guard);
    return;
  }
  switch (w.what) {
    case OwnCopies::commit:
      ++stages_.committed;
      stages_.counted = stages_.counted && certain;
      stages_.guard = guard;
      stages_.loops = loops_around_;
      for (OwnCopy& c : own_copies_) {
        if (c.in_group) {
          if (counted) c.later.push_back(guard);
          continue;
        }
        c.in_group = true;
        c.committed = guard;
        c.number = stages_.committed;
      }
      return;
    case OwnCopies::wait_group:
      return wait_for([&](const OwnCopy& c) { return at_least(w.pending, c.later); }, guard, mode);
    case OwnCopies::wait_all:
      // Whether they were committed or not; who does not come here has still to commit them.
      for (size_t k = 0; k < own_copies_.size() && mode.log; ++k)
        trace.waits.push_back({position_, guard, own_copies_[k].event, loops_around_});
      return;
    case OwnCopies::wait_oldest:
      ++stages_.waited;
      if (stages_.counted && certain)
        return wait_for([&](const OwnCopy& c) { return both(pool_.truth(c.number <= stages_.waited)); }, guard, mode);
      if (stages_.committed != stages_.waited || !alike()) {
        unsupported.insert("a pipeline of several stages in a loop or under a condition");
        return;
      }
      return wait_for([&](const OwnCopy&) { return both(pool_.yes()); }, guard, mode);
    default:
      return;
  }
}

// A loop that starts copies and is run a few times only, as what fills the stages of a pipeline: iteration by
// iteration, so that the groups that it commits are counted. False: nothing is done.
bool Execution::written_out(Activation& a, uint32_t l, Pair entry, Mode mode, bool in_rounds) {
  constexpr uint64_t k_most = 7;
  bool copies = false, commits = false;
  for (const BlockId b : a.cfg->loops()[l].blocks)
    for (const Instruction& in : a.f->blocks[b.index].instructions) {
      if (std::holds_alternative<Annotation>(in.action)) return false;
      copies = copies || (std::holds_alternative<AsyncCopy>(in.action) && by_thread(in));
      const auto* w = std::get_if<WaitEvents>(&in.action);
      const auto own = w == nullptr ? std::nullopt : ir::own_wait(*a.f, *w);
      commits = commits || (own && own->what == OwnCopies::commit);
    }
  if (!in_rounds && (!copies || !commits)) return false;
  const Phis start = incoming(a, l, false);
  uint64_t most = ~uint64_t{0};
  for (const auto& [v, first] : start)
    most = std::min(most, std::max(most_iterations(a, l, v, first[0], 0, mode).most,
                                   most_iterations(a, l, v, first[1], 1, mode).most));
  if (most > k_most) return false;
  // As if it were no loop.
  const uint32_t number = loops_around_.back();
  loops_around_.pop_back();
  const Loop& loop = a.cfg->loops()[l];
  LoopRun run;
  run.position = ++position_;
  run.entry = entry;
  run.k = both(pool_.constant(0, k_count_width));
  for (const auto& [v, now] : start) {
    set(a, v, now);
    a.wide.erase(v.index);
  }
  a.guards[loop.header.index] = a.guard = entry;
  a.block = loop.header;
  body(a, l, run, mode);
  std::vector<LoopRun> runs{std::move(run)};
  std::vector<std::vector<Pair>> values;
  while (runs.size() <= most && !never(runs.back().latch)) {
    values.push_back(a.values);
    LoopRun next = next_iteration(a, l, runs.back(), mode);
    runs.push_back(std::move(next));
  }
  masters.forget();
  for (const auto& [v, now] : start) a.wide.erase(v.index);
  std::map<std::pair<uint32_t, uint32_t>, Pair> left = runs.back().exits;
  for (const size_t t : k_both)
    for (size_t n = values.size(); n-- > 0;) {
      for (auto& [edge, g] : left) g[t] = pool_.any(runs[n].exits[edge][t], g[t]);
      for (const BlockId b : loop.blocks)
        for (const Instruction& in : a.f->blocks[b.index].instructions)
          for (const ValueId r : in.results)
            if (values[n][r.index][t] && a.values[r.index][t])
              a.values[r.index][t] = pool_.ite(runs[n].exit[t], values[n][r.index][t], a.values[r.index][t]);
    }
  for (const auto& [edge, g] : left) a.edges[edge] = g;
  a.edges[{loop.latch.index, loop.header.index}] = both(pool_.no());
  loops_around_.push_back(number);
  return true;
}

// How many iterations of a loop are run one behind the other: two, and as many more as a copy may last, by the waits in
// the loop and by whether one stands behind it.
uint32_t Execution::iterations_to_run(const Activation& a, uint32_t l) const {
  uint64_t pending = 0;
  bool waits = false, waited_behind = true;
  for (const BlockId b : a.cfg->loops()[l].blocks)
    for (const Instruction& in : a.f->blocks[b.index].instructions) {
      if (const auto* x = std::get_if<AsyncCopy>(&in.action); x != nullptr && by_thread(in) && !is_bulk(*x))
        waited_behind = false;
      const auto* w = std::get_if<WaitEvents>(&in.action);
      const auto own = w == nullptr ? std::nullopt : ir::own_wait(*a.f, *w);
      if (!own || own->what == OwnCopies::commit || !of_groups(own->what)) continue;
      waits = waited_behind = true;
      if (own->what == OwnCopies::wait_group) pending = std::max(pending, own->pending);
    }
  constexpr uint64_t k_most = 6;
  const uint64_t last = pending + (waited_behind ? 0 : 1);
  return waits && last <= k_most ? static_cast<uint32_t>(2 + last) : 2;
}

}  // namespace fencepost::prove
