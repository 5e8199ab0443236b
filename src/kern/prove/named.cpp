#include "prove/named.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace fencepost::prove {

using namespace ir;
using order::NamedRounds;

namespace {

constexpr uint64_t k_no_number = 1u << 16;  // from here on: barriers of all threads that have none
constexpr uint64_t k_most_names = 6;        // that a barrier in a loop has in turn

constexpr const char* k_elsewhere = "others wait at the same one elsewhere, all threads or as another count says";
constexpr const char* k_ids = "who takes part does not follow from the ids alone";
constexpr const char* k_form = "a name or a count that is not constant";

// What PTX does not have; "": it may have it. Barriers have the numbers 0 to 15, and a number of threads is one of
// whole warps. What a machine makes of others is not known, so it is not decided.
std::string number_of_ptx(uint64_t name) {
  return name > 15 ? fmt::format("a barrier of the number {}, where PTX has 0 to 15", name) : "";
}

std::string not_of_ptx(formula::Pool& pool, const std::array<Term, 2>* name, const std::array<Term, 2>* count,
                       uint64_t warp_size) {
  for (const size_t t : k_both) {
    if (name != nullptr && pool.is_constant((*name)[t]))
      if (std::string why = number_of_ptx(pool.value((*name)[t])); !why.empty()) return why;
    if (count == nullptr || !pool.is_constant((*count)[t])) continue;
    const uint64_t n = pool.value((*count)[t]);
    if (n == 0 || (warp_size != 0 && n % warp_size != 0))
      return fmt::format("a barrier of {} threads, which are no whole warps", n);
  }
  return "";
}

std::optional<uint64_t> constant(const Function& f, ValueId v) {
  if (!v || f.value(v).kind != Value::constant) return std::nullopt;
  return f.value(v).constant_bits;
}

}  // namespace

// ---- the text ----------------------------------------------------------------------------------------------

void NamedBarriers::in_text(const Function& f, const Barrier& b, bool in_kernel) {
  const std::optional<uint64_t> name = constant(f, b.name);
  arrives_ = arrives_ || b.arrive;
  if (b.arrive && name)
    arrives_at_.insert(*name);
  else if (b.arrive)
    arrives_at_any_ = true;
  // A function that is called may be called from several places.
  if (name) places_of_number_[*name] += in_kernel ? 1 : 2;
}

// Is it one of some threads, of those in a loop? `by_all`: all threads of the group come to it if one does.
bool NamedBarriers::of_some(const Function& f, const Barrier& b, bool by_all) const {
  if (b.arrive) return true;
  const std::optional<uint64_t> name = constant(f, b.name), count = constant(f, b.count);
  if (!name || (count && *count != run_.threads_of_group())) return true;
  if (arrives_at_any_ || arrives_at_.contains(*name)) return true;
  const auto places = places_of_number_.find(*name);
  return !by_all && places != places_of_number_.end() && places->second > 1;
}

bool NamedBarriers::begin(const Function& f, const Cfg& cfg, uint32_t l, const Pair& entry, uint32_t number) {
  if (run_.threads_of_group() == 0) return false;
  bool some = false;
  for (const BlockId at : cfg.loops()[l].blocks)
    for (const Instruction& in : f.blocks[at.index].instructions) {
      if (const auto* c = std::get_if<Call>(&in.action))
        for (const FunctionId t : flow::targets(*c))
          if (run_.effects_of(t).group_barrier || run_.effects_of(t).device_barrier) return false;
      const auto* b = std::get_if<Barrier>(&in.action);
      if (b == nullptr || b->scope == Scope::warp) continue;
      // One of all threads; the loop is run in step.
      if (b->scope != Scope::group || b->mask || (!b->arrive && !b->name && !b->count)) return false;
      if (b->count && !constant(f, b->count)) return false;
      const bool by_all = entry[0] == entry[1] && cfg.dominates(at, cfg.loops()[l].latch);
      some = some || of_some(f, *b, by_all);
    }
  const std::vector<uint32_t>& around = run_.loops_around();
  if (some) loops_[number] = {.outer = around.size() > 1 ? around[around.size() - 2] : 0};
  return some;
}

// ---- the run -----------------------------------------------------------------------------------------------

bool NamedBarriers::in_loop_of_some() const {
  const std::vector<uint32_t>& around = run_.loops_around();
  return !around.empty() && in_rounds(around.back());
}

bool NamedBarriers::some_threads(const Barrier& b, const Operands& o, const Pair& guard) {
  if (b.scope != Scope::group || (!b.arrive && !b.name && !b.count)) return false;
  if (const std::string why =
          not_of_ptx(pool_, o.name ? &*o.name : nullptr, o.count ? &*o.count : nullptr, run_.options().warp_size);
      !why.empty())
    run_.unsupported.insert(why);
  if (b.arrive || in_loop_of_some() || (o.name && !pool_.is_constant((*o.name)[0]))) return true;
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

Pair NamedBarriers::count_of(const Operands& o) const {
  return o.count ? *o.count : Run::both(pool_.constant(run_.threads_of_group(), 32));
}

std::string NamedBarriers::refused(const char* why) { return fmt::format("a barrier of some threads: {}", why); }

bool NamedBarriers::decidable(const Barrier& b, const Operands& o) {
  const std::vector<uint32_t>& around = run_.loops_around();
  const bool counted = (o.count || (!b.arrive && run_.threads_of_group() != 0)) && pool_.is_constant(count_of(o)[0]);
  const bool placed = around.size() <= 2 && std::ranges::all_of(around, [&](uint32_t l) { return in_rounds(l); });
  if (counted && placed && b.local_fence && b.reduce == Barrier::none) return true;
  run_.perhaps = refused(!placed   ? "in loops inside others, or beside other barriers in its loop"
                         : counted ? "one that says what all of them have"
                                   : k_form);
  run_.unsupported.insert(run_.perhaps);
  return false;
}

void NamedBarriers::come(const Barrier& b, const Operands& o, const Pair& guard, uint32_t second) {
  const uint32_t loop = run_.loops_around().empty() ? 0 : run_.loops_around().back();
  if (second != 0) {
    again_[{loop, second}].at.push_back(run_.position());
    again_[{loop, second}].guards.push_back(guard);
    return;
  }
  come_.push_back({run_.position(), loop, guard, name_of(o), pool_.value(count_of(o)[0]), !b.arrive});
}

void NamedBarriers::meeting(const Operands& o, const Pair& guard, bool fences) {
  std::optional<uint64_t> name = 0;
  if (o.name) name = pool_.is_constant((*o.name)[0]) ? std::optional(pool_.value((*o.name)[0])) : std::nullopt;
  meetings_.push_back({run_.position(), name, guard, fences && run_.loops_around().empty()});
}

void NamedBarriers::round(uint32_t number, const Pair& entry, const Pair& k, const Pair& latch, bool apart) {
  loops_[number] = {loops_.at(number).outer, entry, k, latch, apart};
}

// ---- the end -----------------------------------------------------------------------------------------------

// A condition in a loop for one thread of the group, as a function of the number of the round; none: a value of that
// thread is in it.
Term NamedBarriers::common(const Pair& of, const Run::Ids& ids, uint32_t loop) {
  std::array<Term, 2> out;
  for (const size_t t : k_both) {
    out[t] = run_.with_ids(of[t], t, ids);
    size_t depth = loop != 0 && loops_.at(loop).outer != 0 ? 1 : 0;
    for (uint32_t l = loop; l != 0; l = loops_.at(l).outer, --depth) {
      const Term k = loops_.at(l).k[t];
      if (!k) return {};
      const formula::Node n = pool_[k];
      const Term v = n.op == formula::Op::zext ? n.kids[0] : k;
      if (pool_.is_constant(v)) continue;
      auto [it, fresh] = iterations_.try_emplace({depth, pool_.width(v)});
      if (fresh) it->second = pool_.variable(pool_.width(v), depth == 0 ? "round" : "inner round");
      std::unordered_map<uint32_t, Term> memo{{v.id, it->second}};
      out[t] = pool_.substitute(out[t], memo);
    }
  }
  return out[0] == out[1] ? out[0] : Term{};
}

// Does the thread come to it, in each round?
std::string NamedBarriers::takes(const Come& c, const Run::Ids& ids, bool& comes) {
  const Term g = common(c.guard, ids, c.loop);
  if (!g) return k_ids;
  comes = !pool_.is_false(g);
  if (!comes) return "";
  if (c.loop == 0) {
    if (!round_.outside) round_.outside = g;
    return round_.outside == g ? "" : k_ids;
  }
  return takes_round(c.loop, g, ids);
}

// Equally often as all others, and in the same iterations.
std::string NamedBarriers::takes_round(uint32_t number, Term guard, const Run::Ids& ids) {
  const Loop& loop = loops_.at(number);
  Round now{common(loop.entry, ids, number), guard, common(loop.latch, ids, number), {}, {}, round_.outside};
  if (!now.entry || !now.latch) return k_ids;
  if (loop.outer != 0) {
    const Loop& around = loops_.at(loop.outer);
    // Of iterations one behind the other, which of both loops is followed is not told apart.
    if (!loop.apart || !around.apart) return "in loops inside others, or beside other barriers in its loop";
    now.outer_entry = common(around.entry, ids, loop.outer);
    now.outer_latch = common(around.latch, ids, loop.outer);
    if (!now.outer_entry || !now.outer_latch) return k_ids;
  }
  if (!round_.guard) round_ = now;
  if (round_ != now) return "threads go through its loop, or their loops, not equally often for all that is known";
  return pool_.is_false(pool_.all(now.latch, pool_.not_(guard))) ? "" : "not in each iteration of its loop";
}

// All of its threads, or none.
std::string NamedBarriers::takes(const Come& c, size_t warp, bool& comes) {
  const uint64_t size = run_.options().warp_size;
  const auto first = warp * size, last = std::min<uint64_t>(first + size, threads_.size());
  for (uint64_t i = first; i < last; ++i) {
    bool here = false;
    if (std::string why = takes(c, threads_[i], here); !why.empty()) return why;
    if (i == first)
      comes = here;
    else if (comes != here)
      return "threads of one warp part before it";
  }
  return comes && last - first != size ? "not so many threads as its count come" : "";
}

// Do all threads wait there wherever barriers of some threads are come to?
bool NamedBarriers::certain(const Meeting& m) {
  return m.once && m.name && std::ranges::all_of(threads_, [&](const Run::Ids& ids) {
           const Term g = common(m.guard, ids, 0);
           return g && (pool_.is_true(g) || g == round_.outside);
         });
}

// Its numbers for a warp, by the number of the round.
std::string NamedBarriers::names(const Come& c, size_t warp, std::vector<uint64_t>& out) {
  const uint64_t size = run_.options().warp_size;
  Term name;
  for (uint64_t i = warp * size; i < (warp + 1) * size; ++i) {
    const Term n = common(c.name, threads_[i], c.loop);
    if (!n || (name && name != n)) return k_form;
    name = n;
  }
  if (pool_.is_constant(name)) {
    out = {pool_.value(name)};
    return number_of_ptx(out[0]);
  }
  if (c.loop == 0 || loops_.at(c.loop).outer != 0) return k_form;
  // The number of one round in place of all.
  std::vector<uint64_t> first;
  for (uint64_t k = 0; k < 2 * k_most_names; ++k) {
    std::unordered_map<uint32_t, Term> memo;
    for (const auto& [of, v] : iterations_) memo.emplace(v.id, pool_.constant(k, of.second));
    const Term n = pool_.substitute(name, memo);
    if (!pool_.is_constant(n)) return k_form;
    first.push_back(pool_.value(n));
  }
  const auto circle = [&](size_t turn) {
    for (size_t k = turn; k < first.size(); ++k)
      if (first[k] != first[k - turn]) return false;
    return true;
  };
  size_t turn = 1;
  while (turn <= k_most_names && !circle(turn)) ++turn;
  if (turn > k_most_names) return k_form;
  out.assign(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(turn));
  for (const uint64_t n : out)
    if (std::string why = number_of_ptx(n); !why.empty()) return why;
  // That it is so in every round.
  const Term k = loops_.at(c.loop).k[0], rest = pool_.urem(k, pool_.constant(turn, pool_.width(k)));
  Term all = pool_.constant(out.back(), pool_.width(name));
  for (size_t i = turn - 1; i-- > 0;)
    all = pool_.ite(pool_.eq(rest, pool_.constant(i, pool_.width(k))), pool_.constant(out[i], pool_.width(name)), all);
  const Run::Ids& ids = threads_[warp * size];
  const Term failing = pool_.all(run_.with_ids(c.guard[0], 0, ids), pool_.ne(run_.with_ids(c.name[0], 0, ids), all));
  if (!pool_.is_false(failing) &&
      std::ranges::none_of(claims_, [&](const Claim& x) { return x.failing == failing && x.position == c.position; }))
    claims_.push_back({c.position, failing});
  return "";
}

// The barriers of some threads that a warp comes to.
std::string NamedBarriers::program(size_t warp, Warp& out) {
  const uint64_t size = run_.options().warp_size;
  for (const Come& c : come_) {
    bool comes = false;
    if (std::string why = takes(c, warp, comes); !why.empty()) return why;
    if (!comes) continue;
    if (c.count == 0 || c.count % size != 0) return "not so many threads as its count come";
    if (c.loop != 0 && out.loop != 0 && c.loop != out.loop) return "in several loops of one thread";
    if (c.loop != 0) out.loop = c.loop;
    NamedRounds::Operation o{{}, c.count / size, c.waits, true};
    if (std::string why = names(c, warp, o.names); !why.empty()) return why;
    for (const uint64_t n : o.names) counted_[n].insert(c.count);
    out.all.push_back({c.position, std::move(o), c.loop != 0});
    out.any = true;
  }
  return "";
}

// With those of all threads, in parts.
void NamedBarriers::in_parts(Warp& out, const std::vector<At>& meetings) {
  out.all.insert(out.all.end(), meetings.begin(), meetings.end());
  std::ranges::stable_sort(out.all, {}, &At::position);
  NamedRounds::Part part = NamedRounds::before;
  for (At& a : out.all) {
    if (a.in_loop)
      part = NamedRounds::round;
    else if (part == NamedRounds::round)
      part = NamedRounds::behind;
    out.program[part].push_back(std::move(a.operation));
    out.at[part].push_back(a.position);
  }
}

// Each number has one count, and all threads that wait there are followed.
std::string NamedBarriers::all_counted() {
  for (const auto& [name, counts] : counted_) {
    if (counts.size() != 1) return k_elsewhere;
    for (const Meeting& m : meetings_)
      if (!m.name || (*m.name == name && (!certain(m) || *counts.begin() != threads_.size()))) return k_elsewhere;
  }
  return "";
}

std::string NamedBarriers::programs(std::vector<Warp>& out) {
  threads_ = run_.threads_by_ids();
  const uint64_t size = run_.options().warp_size;
  if (threads_.empty() || size == 0) return "groups or warps of any size";
  out.resize((threads_.size() + size - 1) / size);
  for (size_t w = 0; w < out.size(); ++w)
    if (std::string why = program(w, out[w]); !why.empty()) return why;
  // Who goes round has come to what stands before.
  const Term entry = round_.outer_entry ? round_.outer_entry : round_.entry;
  if (entry && round_.outside && !pool_.is_false(pool_.all(entry, pool_.not_(round_.outside)))) return k_ids;
  if (std::string why = all_counted(); !why.empty()) return why;
  std::vector<At> meetings;
  for (size_t i = 0; i < meetings_.size(); ++i) {
    const bool sure = certain(meetings_[i]);
    meetings.push_back(
        {meetings_[i].position, {{sure ? *meetings_[i].name : k_no_number + i}, out.size(), true, sure}, false});
  }
  for (Warp& w : out) in_parts(w, meetings);
  return "";
}

// The thread is one of these warps, and the barriers are come to at all.
Pair NamedBarriers::member(const std::vector<size_t>& warps) const {
  const uint64_t size = run_.options().warp_size;
  Pair out;
  for (const size_t t : k_both) {
    const Term id = run_.flat_id(t);
    std::vector<Term> any;
    for (size_t i = 0; i < warps.size();) {
      size_t next = i + 1;
      while (next < warps.size() && warps[next] == warps[next - 1] + 1) ++next;
      const uint64_t low = warps[i] * size, high = (warps[next - 1] + 1) * size;
      any.push_back(pool_.all(pool_.ule(pool_.constant(low, 32), id), pool_.ult(id, pool_.constant(high, 32))));
      i = next;
    }
    out[t] = pool_.any(std::move(any));
    if (round_.outside) out[t] = pool_.all(out[t], round_.outside);
  }
  return out;
}

// Warps with one program.
void NamedBarriers::roles(const std::vector<Warp>& warps) {
  const auto same = [&](size_t v, size_t w) {
    for (const size_t part : {0, 1, 2})
      for (size_t i = 0; warps[v].at == warps[w].at && i < warps[v].at[part].size(); ++i)
        if (warps[v].program[part][i].names != warps[w].program[part][i].names) return false;
    return warps[v].at == warps[w].at;
  };
  std::vector<uint8_t> taken(warps.size(), 0);
  for (size_t v = 0; v < warps.size(); ++v) {
    if (taken[v] != 0 || !warps[v].any) continue;
    order::NamedRole r;
    for (size_t w = v; w < warps.size(); ++w)
      if (taken[w] == 0 && same(v, w)) {
        taken[w] = 1;
        r.warps.push_back(w);
      }
    r.loop = warps[v].loop;
    r.outer = r.loop == 0 ? 0 : loops_.at(r.loop).outer;
    r.at = warps[v].at;
    r.member = member(r.warps);
    if (r.loop != 0) iterations(r);
    run_.trace.named.roles.push_back(std::move(r));
  }
}

// Each iteration comes to the same barriers of the text.
void NamedBarriers::iterations(order::NamedRole& r) {
  run_.trace.named.counts[{r.loop, 0}] = loops_.at(r.loop).k;
  if (r.outer != 0) {
    run_.trace.named.counts[{r.outer, 0}] = loops_.at(r.outer).k;
    run_.perhaps = refused("what stands in the outer of two loops alone");
  }
  std::vector<uint32_t> first;
  for (const Come& c : come_) {
    if (c.loop == r.loop) first.push_back(c.position);
    if (c.position == r.at[NamedRounds::round].front()) r.comes[0] = c.guard;
  }
  for (const auto& [key, again] : again_) {
    if (key.first != r.loop || again.at.size() != first.size() || !again.k[0]) continue;
    for (size_t i = 0; i < first.size(); ++i)
      if (std::ranges::count(r.at[NamedRounds::round], first[i]) != 0) {
        r.again[key.second].push_back(again.at[i]);
        r.comes[key.second] = again.guards[i];
      }
    run_.trace.named.counts[key] = again.k;
  }
}

std::vector<NamedBarriers::Claim> NamedBarriers::conclude() {
  if (come_.empty()) return {};
  std::vector<Warp> warps;
  std::string why = programs(warps);
  if (why.empty()) {
    std::vector<NamedRounds::Program> all;
    for (const Warp& w : warps) all.push_back(w.program);
    run_.trace.named.rounds = NamedRounds(std::move(all));
    why = run_.trace.named.rounds.why();
  }
  if (why.empty()) {
    roles(warps);
    return claims_;
  }
  run_.perhaps = refused(why.c_str());
  run_.unsupported.insert(run_.perhaps);
  return {};
}

}  // namespace fencepost::prove
