#include "prove/named.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace fencepost::prove {

using namespace ir;

namespace {

constexpr uint64_t k_all = ~uint64_t{0};  // no name: a barrier of all threads

// Threads come to a phase of a barrier: which warps, and whether they wait.
struct Coming {
  uint32_t position = 0;
  std::pair<uint64_t, uint32_t> phase;  // of the name; of a barrier of all threads, the position
  bool waits = false;
  std::vector<uint8_t> warps;
};

// Is each phase completed in the end? Whoever comes to it must be let go by all that it waits at before.
bool can_be_completed(const std::vector<Coming>& all) {
  std::set<std::pair<uint64_t, uint32_t>> completed, open;
  for (const Coming& c : all) open.insert(c.phase);
  const auto held_by = [&](const Coming& c, const Coming& before) {
    if (!before.waits || before.position >= c.position || completed.contains(before.phase)) return false;
    for (size_t i = 0; i < c.warps.size(); ++i)
      if (c.warps[i] != 0 && before.warps[i] != 0) return true;
    return false;
  };
  const auto held = [&](const std::pair<uint64_t, uint32_t>& phase) {
    return std::any_of(all.begin(), all.end(), [&](const Coming& c) {
      return c.phase == phase &&
             std::any_of(all.begin(), all.end(), [&](const Coming& before) { return held_by(c, before); });
    });
  };
  for (bool more = true; more;) {
    more = false;
    for (auto it = open.begin(); it != open.end();) {
      if (held(*it)) {
        ++it;
        continue;
      }
      completed.insert(*it);
      it = open.erase(it);
      more = true;
    }
  }
  return open.empty();
}

// Do threads wait at a barrier of this number elsewhere in the text, as another count says or at __syncthreads()?
bool counted_otherwise(const Module& m, const flow::FunctionEffects& effects, const order::NamedRecord& r,
                       uint64_t threads) {
  for (uint32_t i = 0; i < m.functions.size(); ++i) {
    if (effects.reached[i] == 0) continue;
    const Function& f = m.functions[i];
    const auto is = [&](ValueId v, uint64_t n) {
      return f.value(v).kind == Value::constant && f.value(v).constant_bits == n;
    };
    for (const Block& block : f.blocks)
      for (const Instruction& in : block.instructions) {
        const auto* b = std::get_if<Barrier>(&in.action);
        if (b == nullptr || b->scope != Scope::group || b->mask) continue;
        const bool alike = b->count ? is(b->count, r.count) : b->name && !b->arrive && r.count == threads;
        if ((b->name ? is(b->name, r.name) : r.name == 0) && !alike) return true;
      }
  }
  return false;
}

// What PTX does not have; "": it may have it. Barriers have the numbers 0 to 15, and a number of threads is one of
// whole warps. What a machine makes of others is not known, so it is not decided.
std::string not_of_ptx(formula::Pool& pool, const std::array<Term, 2>* name, const std::array<Term, 2>* count,
                       uint64_t warp_size) {
  for (const size_t t : k_both) {
    if (name != nullptr && pool.is_constant((*name)[t]) && pool.value((*name)[t]) > 15)
      return fmt::format("a barrier of the number {}, where PTX has 0 to 15", pool.value((*name)[t]));
    if (count == nullptr || !pool.is_constant((*count)[t])) continue;
    const uint64_t n = pool.value((*count)[t]);
    if (n == 0 || (warp_size != 0 && n % warp_size != 0))
      return fmt::format("a barrier of {} threads, which are no whole warps", n);
  }
  return "";
}

}  // namespace

void NamedBarriers::in_text(const Function& f, const Barrier& b, bool in_kernel) {
  const Value* name = b.name ? &f.value(b.name) : nullptr;
  const bool known = name != nullptr && name->kind == Value::constant;
  arrives_ = arrives_ || b.arrive;
  if (b.arrive && known)
    arrives_at_.insert(name->constant_bits);
  else if (b.arrive)
    arrives_at_any_ = true;
  // A function that is called may be called from several places.
  if (known) places_of_number_[name->constant_bits] += in_kernel ? 1 : 2;
}

bool NamedBarriers::some_threads(const Barrier& b, const Operands& o, const Pair& guard) {
  if (b.scope != Scope::group || (!b.arrive && !b.name && !b.count)) return false;
  if (const std::string why =
          not_of_ptx(pool_, o.name ? &*o.name : nullptr, o.count ? &*o.count : nullptr, run_.options().warp_size);
      !why.empty())
    run_.unsupported.insert(why);
  if (b.arrive || (o.name && !pool_.is_constant((*o.name)[0]))) return true;
  // Others may arrive at it, here or at another place of the text, and who arrives is counted.
  if (arrives_ && o.count) return true;
  if (arrives_at_any_ || (o.name && arrives_at_.contains(pool_.value((*o.name)[0])))) return true;
  const bool some = run_.loops_around().empty() && !run_.always(guard);
  if (!o.count) return some && guard[0] != guard[1] && at_several_places(b, o);
  if (some) return true;
  const uint64_t threads = run_.threads_of_group();
  return threads == 0 || !pool_.is_constant((*o.count)[0], threads);
}

bool NamedBarriers::at_several_places(const Barrier& b, const Operands& o) const {
  if (b.scope != Scope::group || !o.name || !pool_.is_constant((*o.name)[0])) return false;
  const auto places = places_of_number_.find(pool_.value((*o.name)[0]));
  return places != places_of_number_.end() && places->second > 1;
}

Pair NamedBarriers::name_of(const Operands& o) const { return o.name ? *o.name : Run::both(pool_.constant(0, 32)); }
Pair NamedBarriers::count_of(const Operands& o) const {
  return o.count ? *o.count : Run::both(pool_.constant(run_.threads_of_group(), 32));
}

bool NamedBarriers::decidable(const Barrier& b, const Operands& o) {
  if ((o.count || (!b.arrive && run_.threads_of_group() != 0)) && pool_.is_constant(count_of(o)[0]) &&
      pool_.is_constant(name_of(o)[0]) && run_.loops_around().empty() && b.local_fence && b.reduce == Barrier::none)
    return true;
  run_.perhaps = "a barrier of some threads in a loop, or with a name or a count that is not constant";
  run_.unsupported.insert(run_.perhaps);
  return false;
}

void NamedBarriers::come(const Barrier& b, const Operands& o, const Pair& guard) {
  run_.trace.named.push_back(
      {run_.position(), guard, pool_.value(name_of(o)[0]), pool_.value(count_of(o)[0]), !b.arrive, 0});
}

void NamedBarriers::conclude() {
  if (run_.trace.named.empty()) return;
  const std::vector<Run::Ids> threads = run_.threads_by_ids();
  std::map<uint64_t, std::vector<order::NamedRecord*>> by_name;
  for (order::NamedRecord& r : run_.trace.named) by_name[r.name].push_back(&r);
  std::set<std::string> whys;
  for (auto& [name, list] : by_name) {
    const std::string why = threads.empty() || run_.options().warp_size == 0 ? "groups or warps of any size"
                            : counted_otherwise(run_.module(), run_.effects(), *list.front(), threads.size())
                                ? "others wait at the same one elsewhere, all threads or as another count says"
                                : phases_of(list, threads);
    if (!why.empty()) whys.insert(why);
  }
  if (whys.empty()) {
    std::vector<Coming> all;
    for (const order::NamedRecord& r : run_.trace.named) {
      Coming c{r.position, {r.name, r.phase}, r.waits, {}};
      for (size_t i = 0; i < threads.size(); i += run_.options().warp_size)
        c.warps.push_back(pool_.is_true(run_.with_ids(r.guard[0], 0, threads[i])) ? 1 : 0);
      all.push_back(std::move(c));
    }
    const std::vector<uint8_t> every(all.front().warps.size(), 1);
    for (const BarrierRecord& b : run_.trace.barriers)
      if (b.by == order::Provider::barrier && !b.meets) all.push_back({b.position, {k_all, b.position}, true, every});
    if (!can_be_completed(all)) whys.insert("threads that it counts may wait for each other at several");
  }
  for (const std::string& why : whys) {
    run_.perhaps = "a barrier of some threads: " + why;
    run_.unsupported.insert(run_.perhaps);
  }
}

// What is not as it should be; "": the phases are.
std::string NamedBarriers::phases_of(std::vector<order::NamedRecord*>& list,
                                     const std::vector<Run::Ids>& threads) const {
  enum : uint8_t { absent, arrived, waited };
  std::vector<uint8_t> before(threads.size(), waited), now(threads.size(), absent);
  uint32_t phase = 0;
  uint64_t here = 0;
  for (order::NamedRecord* r : list) {
    std::vector<uint8_t> takes(threads.size());
    for (size_t i = 0; i < threads.size(); ++i) {
      const Term g = run_.with_ids(r->guard[0], 0, threads[i]);
      if (!pool_.is_constant(g)) return "who takes part does not follow from the ids alone";
      takes[i] = pool_.is_true(g) ? 1 : 0;
      if (takes[i] != takes[i - i % run_.options().warp_size]) return "threads of one warp part before it";
      if (takes[i] == 0) continue;
      if (now[i] != absent) return "a thread comes twice";
      if (before[i] != waited) return "a thread comes back that has not waited";
      now[i] = r->waits ? waited : arrived;
      ++here;
    }
    r->phase = phase;
    if (here > r->count || r->count % run_.options().warp_size != 0 || r->count != list[0]->count)
      return "not so many threads as its count come";
    if (here < r->count) continue;
    before = std::exchange(now, std::vector<uint8_t>(threads.size(), absent));
    here = 0;
    ++phase;
  }
  return here == 0 ? "" : "not so many threads as its count come";
}

}  // namespace fencepost::prove
