#include "check/enumerate_combination.h"

#include <algorithm>

#include "prog/test.h"
#include "reference/relations.h"
#include "vocab/vocab.h"

namespace fencepost::check {

using vocab::Base;
using vocab::Tag;

namespace {

// The one variable of a term, if there is exactly one.
std::optional<uint64_t> only_variable(const Expr& e) {
  std::optional<uint64_t> v;
  bool more = false;
  term::for_each_variable(e, [&](uint64_t x) {
    more = more || (v && *v != x);
    v = x;
  });
  return more ? std::nullopt : v;
}

// Drops writes whose constant value contradicts a constraint on the read alone.
bool drop_impossible(Combination& c) {
  for (const Constraint& k : c.constraints) {
    const auto v = only_variable(k.term);
    if (!v) continue;
    const uint32_t read = c.event_of_variable(*v);
    for (OpenRead& r : c.reads) {
      if (r.event != read) continue;
      std::erase_if(r.writes, [&](uint32_t w) {
        if (!c.value[w].is_const()) return false;
        const auto t = term::eval(k.term, [&](uint64_t) { return std::optional(c.value[w].value()); });
        return t && (*t != 0) != k.value;
      });
      if (r.writes.empty()) return false;
    }
  }
  return true;
}

}  // namespace

std::optional<Combination> combine(const prog::Test& test, std::vector<const Path*> paths) {
  Combination c;
  c.paths = std::move(paths);
  c.events = reference::init_events(test);
  for (const reference::Event& e : c.events) {
    const prog::Object& o = test.objects[e.object];
    const bool any = e.key.occurrence < o.undefined.size() && o.undefined[e.key.occurrence];
    c.value.push_back(any ? term::variable(read_variable(static_cast<uint32_t>(test.threads.size()),
                                                         static_cast<uint32_t>(c.value.size())),
                                           o.width)
                          : term::constant(e.value, o.width));
    c.locations.push_back({e.object, e.key.occurrence, static_cast<uint32_t>(c.locations.size()), {}});
  }
  reference::Dependencies deps;
  for (const Path* p : c.paths) {
    const uint32_t first = static_cast<uint32_t>(c.events.size());
    c.first.push_back(first);
    for (const PathEvent& e : p->events) {
      const uint32_t self = static_cast<uint32_t>(c.events.size());
      for (uint32_t s : e.data) deps.data.push_back({first + s, self});
      for (uint32_t s : e.addr) deps.addr.push_back({first + s, self});
      for (uint32_t s : e.ctrl) deps.ctrl.push_back({first + s, self});
      if (e.amo_read) deps.amo.push_back({first + *e.amo_read, self});
      c.events.push_back(e.event);
      c.value.push_back(e.value);
      if (e.read) c.reads.push_back({self, {}});
      if (e.write)
        for (OpenLocation& l : c.locations)
          if (c.events[l.init].address == e.event.address) l.writes.push_back(self);
    }
    for (const PathArrival& a : p->arrivals)
      c.arrivals.push_back({&a, a.event ? std::optional(first + *a.event) : std::nullopt});
    c.constraints.insert(c.constraints.end(), p->constraints.begin(), p->constraints.end());
  }
  for (OpenRead& r : c.reads)
    for (const OpenLocation& l : c.locations)
      if (c.events[l.init].address == c.events[r.event].address) {
        r.writes = l.writes;
        r.writes.push_back(l.init);
      }
  c.first.push_back(0);  // undefined initial values are variables of one more thread, by event
  if (!drop_impossible(c)) return std::nullopt;
  c.base = reference::fixed_relations(test, c.events, deps);

  if (reference::has_fence_order(test.dialect)) {
    const Relation& sr = c.base[static_cast<size_t>(Base::sr)];
    for (uint32_t i = 0; i < c.events.size(); ++i)
      for (uint32_t j = 0; j < c.events.size(); ++j) {
        if (i == j || !reference::is_sc_fence(c.events[i]) || !reference::is_sc_fence(c.events[j])) continue;
        if (!sr.test(i, j))
          c.free_fences.push_back({i, j});
        else if (i < j)
          c.fences.push_back({i, j});
      }
  }
  return c;
}

std::optional<BoundBarriers> bind_barriers(const prog::Test& test, const Combination& c, const term::Env& env) {
  BoundBarriers out;
  const uint32_t n = static_cast<uint32_t>(c.events.size());
  out.lower = out.upper = Relation(n);
  std::vector<reference::Arrival> all;
  for (const OpenArrival& o : c.arrivals) {
    reference::Arrival a{o.arrival->key, o.arrival->barrier, o.arrival->ordinal, std::nullopt, std::nullopt};
    const auto value = [&](const Expr& e, std::optional<int64_t>& to) {
      if (!e) return true;
      const auto v = term::eval(e, env);
      if (v) to = term::to_signed(*v, e.width());
      return v.has_value();
    };
    if (!value(o.arrival->id, a.id) || !value(o.arrival->quorum, a.quorum)) return std::nullopt;
    // Paths count arrivals by text; of an instance that is named by a value they cannot.
    if (a.barrier->by_value()) a.ordinal = reference::count_earlier(a, all);
    all.push_back(std::move(a));
  }
  // Play the arrivals: each thread goes on while its arrivals pass.
  std::vector<std::vector<uint32_t>> of_thread(test.threads.size());
  for (uint32_t k = 0; k < all.size(); ++k) of_thread[all[k].key.thread].push_back(k);
  std::vector<size_t> next(test.threads.size(), 0);
  std::vector<bool> here(all.size(), false);
  for (bool moved = true; moved;) {
    moved = false;
    for (uint32_t t = 0; t < test.threads.size(); ++t)
      while (next[t] < of_thread[t].size()) {
        const uint32_t k = of_thread[t][next[t]];
        if (!here[k]) {
          here[k] = moved = true;
          out.arrived.push_back(all[k]);
          out.event.push_back(c.arrivals[k].event);
        }
        if (!reference::passes(test, all[k], out.arrived)) break;
        if (!c.arrivals[k].event) return out;  // should be blocked, but passes
        ++next[t];
        moved = true;
      }
  }
  for (uint32_t t = 0; t < test.threads.size(); ++t) {
    const bool blocked = c.paths[t]->stop == reference::StopReason::blocked;
    if (next[t] + (blocked ? 1 : 0) != of_thread[t].size()) return out;
  }
  out.consistent = true;

  for (uint32_t i = 0; i < out.arrived.size(); ++i) {
    const reference::Arrival& a = out.arrived[i];
    if (!out.event[i] || !a.quorum) {
      out.always.push_back(i);
    } else {
      auto cls = std::find_if(out.classes.begin(), out.classes.end(), [&](const BoundBarriers::Class& k) {
        return reference::same_group(test, a, out.arrived[k.members[0]]) &&
               reference::equal_ids(a, out.arrived[k.members[0]]);
      });
      if (cls == out.classes.end()) cls = out.classes.insert(out.classes.end(), BoundBarriers::Class{});
      cls->members.push_back(i);
    }
    if (!out.event[i]) continue;
    for (uint32_t j = 0; j < out.arrived.size(); ++j) {
      if (!out.event[j]) continue;
      if (reference::synchronizes(test, a, out.arrived[j], true)) out.upper.set(*out.event[i], *out.event[j]);
      if (reference::synchronizes(test, a, out.arrived[j], false)) out.lower.set(*out.event[i], *out.event[j]);
    }
  }
  for (BoundBarriers::Class& k : out.classes) {
    int64_t given = 0;
    for (uint32_t i : out.always)
      if (reference::same_group(test, out.arrived[i], out.arrived[k.members[0]]) &&
          reference::equal_ids(out.arrived[i], out.arrived[k.members[0]]))
        ++given;
    for (uint32_t i : k.members)
      if (!out.arrived[i].barrier->arrive) k.need = std::max(k.need, *out.arrived[i].quorum - given);
  }
  return out;
}

}  // namespace fencepost::check
