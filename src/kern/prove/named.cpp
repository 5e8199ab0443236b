// Barriers that only some threads of a group take part in: `bar.sync a, n` and `bar.arrive a, n` (PTX ISA 9.7.13.1).
// And `bar.sync a` of all threads that stands at several places: threads meet at one number, wherever they stand.
//
// Who takes part is counted: the guard of each such instruction, with the ids of each thread of the group in turn, must
// be true or false, whatever the rest is. In the order of the text the instructions of one barrier then make phases of
// n threads each. Nothing but that order comes about, because
//  - an instruction stands outside of loops, and no thread takes part in a phase twice;
//  - each thread of a phase but the first has waited in the phase before, and so comes to it when that is complete;
//  - each phase is complete: the threads that are counted are n, whole warps of them;
//  - no thread waits for one that waits for it, over all barriers of the group: phases and barriers of all threads can
//    be completed one after the other.
// What is not so is not decided. One that all threads of the group wait at is a barrier like any other; if some threads
// take part in the same one elsewhere (`bar.sync 0, 64` beside __syncthreads()), that is not decided.
// (Weft, PLDI 2015, decides more: phases of loops, and several barriers together.)
#include <fmt/format.h>

#include "prove/execute.h"

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

// 0: not known.
uint64_t Execution::threads_of_group() const {
  uint64_t threads = 1;
  for (const uint64_t n : options_.launch.local_size) threads *= n;
  return threads;
}

bool Execution::some_threads(Activation& a, const Barrier& b, Pair guard) {
  if (b.scope != Scope::group || (!b.arrive && !b.name && !b.count)) return false;
  const Pair name = b.name ? get(a, b.name) : Pair{}, count = b.count ? get(a, b.count) : Pair{};
  if (const std::string why =
          not_of_ptx(pool_, b.name ? &name : nullptr, b.count ? &count : nullptr, options_.warp_size);
      !why.empty())
    unsupported.insert(why);
  if (b.arrive || (b.name && !pool_.is_constant(get(a, b.name)[0]))) return true;
  // Others may arrive at it, here or at another place of the text, and who arrives is counted.
  if (arrives_ && b.count) return true;
  if (arrives_at_any_ || (b.name && arrives_at_.contains(pool_.value(get(a, b.name)[0])))) return true;
  const bool some = loops_around_.empty() && !always(guard);
  if (!b.count) return some && guard[0] != guard[1] && at_several_places(a, b);
  if (some) return true;
  const uint64_t threads = threads_of_group();
  return threads == 0 || !pool_.is_constant(get(a, b.count)[0], threads);
}

// All threads of the group meet at a barrier of that number, here or elsewhere.
bool Execution::at_several_places(Activation& a, const Barrier& b) {
  if (b.scope != Scope::group || !b.name || b.count || !pool_.is_constant(get(a, b.name)[0])) return false;
  const auto places = places_of_number_.find(pool_.value(get(a, b.name)[0]));
  return places != places_of_number_.end() && places->second > 1;
}

void Execution::named_barrier(Activation& a, const Barrier& b, Pair guard, Mode mode) {
  const Pair name = b.name ? get(a, b.name) : both(pool_.constant(0, 32));
  const uint64_t threads = threads_of_group();
  const Pair count = b.count ? get(a, b.count) : both(pool_.constant(threads, 32));
  if ((!b.count && (b.arrive || threads == 0)) || !pool_.is_constant(count[0]) || !pool_.is_constant(name[0]) ||
      !loops_around_.empty() || !b.local_fence || b.reduce != Barrier::none) {
    perhaps = "a barrier of some threads in a loop, or with a name or a count that is not constant";
    unsupported.insert(perhaps);
    return;
  }
  ++position_;
  if (mode.log && pairing_ == Pairing::same_group)
    trace.named.push_back({position_, guard, pool_.value(name[0]), pool_.value(count[0]), !b.arrive, 0});
  ++position_;
  if (b.arrive) return;
  // What others have written before they came is seen from here on.
  const flow::FunctionEffects& e = effects_.function(entry_);
  for (uint32_t x = 0; x < m_.regions.size(); ++x) {
    const Space s = m_.regions[x].space;
    if (e.writes[x] != 0 && !memory.adversarial({x}) && (s == Space::group || s == Space::global))
      memory.forget({x}, guard, false);
  }
}

void Execution::phases() {
  if (trace.named.empty()) return;
  std::vector<std::array<uint64_t, 3>> threads;
  const auto& size = options_.launch.local_size;
  for (uint64_t z = 0; z < size[2]; ++z)
    for (uint64_t y = 0; y < size[1]; ++y)
      for (uint64_t x = 0; x < size[0] && threads.size() <= 1024; ++x) threads.push_back({x, y, z});
  std::map<uint64_t, std::vector<order::NamedRecord*>> by_name;
  for (order::NamedRecord& r : trace.named) by_name[r.name].push_back(&r);
  const auto guard_of = [&](const order::NamedRecord& r, const std::array<uint64_t, 3>& thread) {
    std::unordered_map<uint32_t, Term> memo;
    for (const size_t d : k_dimensions) {
      const Term id = local_id[0][d];
      const formula::Node n = pool_[id];
      const Term v = n.op == formula::Op::zext ? n.kids[0] : id;
      if (!pool_.is_constant(v)) memo.emplace(v.id, pool_.constant(thread[d], pool_.width(v)));
    }
    return pool_.substitute(r.guard[0], memo);
  };
  std::set<std::string> whys;
  for (auto& [name, list] : by_name) {
    const std::string why = threads.empty() || threads.size() > 1024 || options_.warp_size == 0
                                ? "groups or warps of any size"
                            : counted_otherwise(m_, effects_.function(entry_), *list.front(), threads.size())
                                ? "others wait at the same one elsewhere, all threads or as another count says"
                                : phases_of(list, threads);
    if (!why.empty()) whys.insert(why);
  }
  if (whys.empty()) {
    std::vector<Coming> all;
    for (const order::NamedRecord& r : trace.named) {
      Coming c{r.position, {r.name, r.phase}, r.waits, {}};
      for (size_t i = 0; i < threads.size(); i += options_.warp_size)
        c.warps.push_back(pool_.is_true(guard_of(r, threads[i])) ? 1 : 0);
      all.push_back(std::move(c));
    }
    const std::vector<uint8_t> every(all.front().warps.size(), 1);
    for (const BarrierRecord& b : trace.barriers)
      if (b.by == order::Provider::barrier && !b.meets) all.push_back({b.position, {k_all, b.position}, true, every});
    if (!can_be_completed(all)) whys.insert("threads that it counts may wait for each other at several");
  }
  for (const std::string& why : whys) {
    perhaps = "a barrier of some threads: " + why;
    unsupported.insert(perhaps);
  }
}

// What is not as it should be; "": the phases are.
std::string Execution::phases_of(std::vector<order::NamedRecord*>& list,
                                 const std::vector<std::array<uint64_t, 3>>& threads) {
  enum : uint8_t { absent, arrived, waited };
  std::vector<uint8_t> before(threads.size(), waited), now(threads.size(), absent);
  uint32_t phase = 0;
  uint64_t here = 0;
  for (order::NamedRecord* r : list) {
    std::vector<uint8_t> takes(threads.size());
    for (size_t i = 0; i < threads.size(); ++i) {
      std::unordered_map<uint32_t, Term> memo;
      for (const size_t d : k_dimensions) {
        const Term id = local_id[0][d];
        const formula::Node n = pool_[id];
        const Term v = n.op == formula::Op::zext ? n.kids[0] : id;
        if (!pool_.is_constant(v)) memo.emplace(v.id, pool_.constant(threads[i][d], pool_.width(v)));
      }
      const Term g = pool_.substitute(r->guard[0], memo);
      if (!pool_.is_constant(g)) return "who takes part does not follow from the ids alone";
      takes[i] = pool_.is_true(g) ? 1 : 0;
      if (takes[i] != takes[i - i % options_.warp_size]) return "threads of one warp part before it";
      if (takes[i] == 0) continue;
      if (now[i] != absent) return "a thread comes twice";
      if (before[i] != waited) return "a thread comes back that has not waited";
      now[i] = r->waits ? waited : arrived;
      ++here;
    }
    r->phase = phase;
    if (here > r->count || r->count % options_.warp_size != 0 || r->count != list[0]->count)
      return "not so many threads as its count come";
    if (here < r->count) continue;
    before = std::exchange(now, std::vector<uint8_t>(threads.size(), absent));
    here = 0;
    ++phase;
  }
  return here == 0 ? "" : "not so many threads as its count come";
}

}  // namespace fencepost::prove
