#include "relax/judge.h"

#include <algorithm>

#include "reference/evaluate.h"
#include "reference/relations.h"
#include "vocab/vocab.h"

namespace fencepost::relax {
namespace {

using check::Property;
using prog::k_none;
using reference::EventKey;

constexpr uint32_t k_inserted = 0x80000000u;

// From places as written to places in the variant, and back.
struct Places {
  const prog::Variant& variant;
  std::vector<std::map<uint32_t, uint32_t>> back;

  Places(const prog::Variant& v, const std::vector<prog::Site>& sites, const prog::Choice& choice) : variant(v) {
    back.resize(v.position.size());
    for (uint32_t t = 0; t < v.position.size(); ++t)
      for (uint32_t i = 0; i < v.position[t].size(); ++i)
        if (v.position[t][i] != k_none) back[t][v.position[t][i]] = i;
    for (size_t k = 0; k < sites.size(); ++k)
      if (sites[k].gap && choice[k] != 0)
        for (const prog::Place& p : sites[k].places)
          back[p.thread][v.position[p.thread][p.instr] - 1] = k_inserted + p.instr;
  }
  std::optional<EventKey> written(EventKey k) const {
    if (k.thread == reference::k_init) return k;
    const auto at = back[k.thread].find(k.instr);
    if (at == back[k.thread].end()) return std::nullopt;
    k.instr = at->second;
    return k;
  }
  std::optional<EventKey> now(EventKey k) const {
    if (k.thread == reference::k_init) return k;
    if (k.instr >= k_inserted) {
      for (const auto& [to, from] : back[k.thread])
        if (from == k.instr) {
          k.instr = to;
          return k;
        }
      return std::nullopt;
    }
    const uint32_t to = variant.position[k.thread][k.instr];
    if (to == k_none) return std::nullopt;
    k.instr = to;
    return k;
  }
};

template <class Map>
std::vector<std::pair<EventKey, EventKey>> mapped(const std::vector<std::pair<EventKey, EventKey>>& pairs, Map&& map) {
  std::vector<std::pair<EventKey, EventKey>> out;
  for (const auto& [a, b] : pairs)
    if (const auto x = map(a), y = map(b); x && y) out.emplace_back(*x, *y);
  return out;
}

template <class Map>
reference::Choices mapped(const reference::Choices& c, Map&& map) {
  reference::Choices out;
  for (const auto& [r, w] : c.rf)
    if (const auto x = map(r), y = map(w); x && y) out.rf[*x] = *y;
  for (const auto& [r, v] : c.read_value)
    if (const auto x = map(r)) out.read_value[*x] = v;
  out.co = mapped(c.co, map);
  out.fence_order = mapped(c.fence_order, map);
  out.sync_fence_free = mapped(c.sync_fence_free, map);
  for (const EventKey& k : c.quorum_members)
    if (const auto x = map(k)) out.quorum_members.push_back(*x);
  for (const auto& [cell, w] : c.final_write)
    if (const auto x = map(w)) out.final_write[cell] = *x;
  return out;
}

std::optional<uint32_t> sc_level(const prog::Test& test, const EventKey& k) {
  const prog::Instr& i = test.instrs(k.thread)[k.instr];
  if (i.kind != prog::Kind::fence || !i.tags.has(prog::Tag::SC)) return std::nullopt;
  for (size_t t = 0; t < vocab::k_tags; ++t)
    if (const auto tag = static_cast<prog::Tag>(t); i.tags.has(tag))
      if (const auto level = vocab::level_of(test.dialect, tag)) return level;
  return std::nullopt;
}

// Orders between fences that are no longer SC, or no longer in each other's scope, are left out: they were choices of
// an execution that had them.
void drop_orders(const prog::Test& test, reference::Choices& c) {
  const auto both_sc = [&](const EventKey& a, const EventKey& b) { return sc_level(test, a) && sc_level(test, b); };
  const auto in_scope = [&](const EventKey& a, const EventKey& b) {
    if (a.thread == b.thread) return true;
    const auto &x = test.threads[a.thread], &y = test.threads[b.thread];
    const uint32_t la = *sc_level(test, a), lb = *sc_level(test, b);
    return (la == 0 || prog::same_scope(x, y, la)) && (lb == 0 || prog::same_scope(x, y, lb));
  };
  std::erase_if(c.fence_order,
                [&](const auto& p) { return !both_sc(p.first, p.second) || !in_scope(p.first, p.second); });
  std::erase_if(c.sync_fence_free,
                [&](const auto& p) { return !both_sc(p.first, p.second) || in_scope(p.first, p.second); });
}

bool decided(Status s) { return s == Status::holds || s == Status::fails; }

}  // namespace

const char* name(Outcome o) { return o == Outcome::kept ? "kept" : o == Outcome::broken ? "broken" : "undecided"; }

Judge::Judge(const prog::Test& test, const cat::Model& model, const check::Options& options, std::vector<Property> keep,
             const std::vector<prog::Site>& sites, Job& job)
    : test_(test), model_(model), options_(options), keep_(std::move(keep)), sites_(sites), job_(job) {}

void Judge::learn(const check::Result& r, Property property) {
  if (!r.choices) return;
  witnesses_.push_back({*r.choices, property, r.bound != 0 ? r.bound : options_.bound});
  recent_.insert(recent_.begin(), static_cast<uint32_t>(witnesses_.size() - 1));
}

Witness Judge::carried_back(const prog::Choice& choice, const prog::Variant& v, const check::Result& r,
                            Property p) const {
  const Places places(v, sites_, choice);
  return {mapped(*r.choices, [&](const EventKey& k) { return places.written(k); }), p,
          r.bound != 0 ? r.bound : options_.bound};
}

std::optional<check::Result> Judge::replay(const prog::Variant& v, const Witness& w) const {
  check::Result r;
  r.choices = w.choices;
  if (test_.dialect == vocab::Dialect::ptx) drop_orders(v.test, *r.choices);
  auto run = reference::run(v.test, *r.choices, {w.bound});
  if (!run) return std::nullopt;
  const reference::Evaluation e = reference::evaluate(model_, run->execution);
  if (!e.consistent()) return std::nullopt;
  const bool complete = run->execution.complete();
  if (w.property == Property::condition) {
    if (!complete || !prog::holds(v.test, v.test.filter, run->execution.final)) return std::nullopt;
    const bool wanted = test_.quantifier != prog::Quantifier::forall;
    if (test_.quantifier == prog::Quantifier::none || test_.quantifier == prog::Quantifier::exists ||
        prog::holds(v.test, v.test.condition, run->execution.final) != wanted)
      return std::nullopt;
    r.reachable = true;
  } else {
    if (e.raised.empty()) return std::nullopt;
    if (options_.filter && !(complete ? prog::holds(v.test, v.test.filter, run->execution.final)
                                      : v.test.filter.kind == prog::Cond::Kind::always))
      return std::nullopt;
    for (uint32_t a : e.raised) r.flags.push_back(model_.axioms[a].name);
  }
  r.verdict.status = Status::fails;
  r.bound = w.bound;
  r.execution = std::move(*run);
  return r;
}

std::optional<check::Result> Judge::evidence(const prog::Choice& choice, const Decision& d) const {
  if (d.outcome != Outcome::broken) return std::nullopt;
  const prog::Variant v = prog::apply(test_, sites_, choice);
  if (d.property == Property::termination) {
    check::Options o = options_;
    o.property = d.property;
    check::Result r = check::check(v.test, model_, o, job_);
    if (r.verdict.status != Status::fails) return std::nullopt;
    return r;
  }
  if (!d.witness) return std::nullopt;
  const Places places(v, sites_, choice);
  Witness w{mapped(witnesses_[*d.witness].choices, [&](const EventKey& k) { return places.now(k); }), d.property,
            witnesses_[*d.witness].bound};
  return replay(v, w);
}

Decision Judge::decide(const prog::Choice& choice) {
  if (const auto at = known_.find(choice); at != known_.end()) {
    ++counts_.remembered;
    return at->second;
  }
  const prog::Variant v = prog::apply(test_, sites_, choice);
  const Places places(v, sites_, choice);
  Decision d;
  for (size_t i = 0; i < recent_.size(); ++i) {
    const Witness& known = witnesses_[recent_[i]];
    if (!replay(v,
                {mapped(known.choices, [&](const EventKey& k) { return places.now(k); }), known.property, known.bound}))
      continue;
    d = {Outcome::broken, known.property, "", recent_[i]};
    std::rotate(recent_.begin(), recent_.begin() + static_cast<std::ptrdiff_t>(i),
                recent_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    ++counts_.replayed;
    return known_[choice] = d;
  }
  d.outcome = Outcome::kept;
  for (Property p : keep_) {
    if (job_.out_of_time()) {
      d = {Outcome::undecided, p, "out of time", {}};
      return d;
    }
    check::Options o = options_;
    o.property = p;
    const check::Result r = check::check(v.test, model_, o, job_);
    ++counts_.asked;
    if (r.verdict.status == Status::fails) {
      d = {Outcome::broken, p, "", {}};
      if (r.choices && p != Property::termination) {
        witnesses_.push_back(carried_back(choice, v, r, p));
        d.witness = static_cast<uint32_t>(witnesses_.size() - 1);
        recent_.insert(recent_.begin(), *d.witness);
      } else {
        d.detail = p == Property::termination ? ""
                   : r.verdict.detail.empty() ? "no execution reaches it any longer"
                                              : r.verdict.detail;
      }
      break;
    }
    if (r.verdict.status == Status::holds && r.verdict.vacuous) {
      d = {Outcome::broken, p, "no execution comes to its end", {}};
      break;
    }
    // One property without an answer does not hide that another is broken.
    if (!decided(r.verdict.status) && d.outcome == Outcome::kept)
      d = {Outcome::undecided, p, r.verdict.detail.empty() ? fencepost::name(r.verdict.status) : r.verdict.detail, {}};
  }
  return known_[choice] = d;
}

}  // namespace fencepost::relax
