#include "encode/repeats.h"

#include <algorithm>

#include "encode/model.h"
#include "sat/solver.h"

namespace fencepost::encode {
namespace {

using prog::k_none;

// One loop of one thread, by iteration.
class Iterations {
 public:
  Iterations(ProgramEncoding& p, Circuit& c, uint32_t thread, uint32_t loop)
      : p_(p), c_(c), s_(p.skeleton()), thread_(s_.threads[thread]), loop_(loop), bv_(c) {}

  void forbid(uint32_t instr) {
    for (uint32_t e = thread_.first_event; e < thread_.last_event; ++e) {
      const SymEvent& first = s_.events[e];
      if (first.instr != instr || !first.read) continue;
      for (uint32_t f = e + 1; f < thread_.last_event; ++f) {
        const SymEvent& second = s_.events[f];
        if (second.instr == instr && second.read && follows(first.node, second.node)) forbid(e, f);
      }
    }
  }

 private:
  const std::vector<uint32_t>& counters(uint32_t node) const { return thread_.nodes[node].counters; }
  bool inside(uint32_t node) const {
    const SymLoop& l = thread_.loops[loop_];
    return thread_.nodes[node].position >= l.from && thread_.nodes[node].position <= l.to;
  }
  // In the iteration `later` ones behind that of the other node, in the same stay.
  bool follows(uint32_t before, uint32_t node, uint32_t later = 1) const {
    if (!inside(before) || !inside(node)) return false;
    for (size_t k = 0; k < thread_.loops.size(); ++k)
      if (counters(node)[k] != counters(before)[k] + (k == loop_ ? later : 0)) return false;
    return true;
  }

  // Clause literals that say that the iteration of the read does something besides it, and does not go back.
  void unless_alone(uint32_t read, std::vector<Lit>& clause) {
    const uint32_t node = s_.events[read].node;
    clause.push_back(-p_.exec(read));
    for (uint32_t e = thread_.first_event; e < thread_.last_event; ++e)
      if (e != read && e != s_.events[read].partner && follows(node, s_.events[e].node, 0)) {
        const Lit runs = s_.events[e].barrier != nullptr ? p_.lit(s_.events[e].guard) : p_.exec(e);
        if (!c_.is_false(runs)) clause.push_back(runs);
      }
  }
  Lit goes_back(uint32_t node) {
    std::vector<Lit> any;
    const uint32_t label = thread_.loops[loop_].from;
    for (uint32_t n = 0; n < thread_.nodes.size(); ++n)
      if (thread_.nodes[n].position == label && thread_.nodes[n].guard && follows(node, n))
        any.push_back(p_.lit(thread_.nodes[n].guard));
    for (const Exit& x : thread_.exits)
      if (x.kind == Exit::Kind::stopped && x.loop == loop_ && follows(node, x.node, 0)) any.push_back(p_.lit(x.guard));
    return c_.or_(std::move(any));
  }

  const std::vector<Expr>* registers_at_label(uint32_t node) const {
    for (const auto& [n, registers] : thread_.head_registers)
      if (thread_.nodes[n].position == thread_.loops[loop_].from && follows(node, n, 0)) return &registers;
    return nullptr;
  }

  void forbid(uint32_t r1, uint32_t r2) {
    std::vector<Lit> unless{-goes_back(s_.events[r2].node)};
    const auto* before = registers_at_label(s_.events[r1].node);
    const auto* after = registers_at_label(s_.events[r2].node);
    if (before == nullptr || after == nullptr) return;
    for (size_t r = 0; r < before->size(); ++r)
      if (thread_.loops[loop_].live[r]) unless.push_back(-bv_.eq(p_.bits((*before)[r]), p_.bits((*after)[r])));
    unless_alone(r1, unless);
    unless_alone(r2, unless);
    const uint32_t w1 = s_.events[r1].partner;
    const uint32_t w2 = s_.events[r2].partner;
    if (w1 != k_none) {
      const Lit back = bv_.eq(p_.bits(s_.events[w1].value), p_.bits(s_.events[r1].value));
      std::vector<Lit> clause = unless;
      clause.insert(clause.end(), {-p_.exec(w1), -p_.exec(w2), -back, -p_.rf(w1, r2)});
      c_.add(clause);
      unless.insert(unless.end(), {p_.exec(w1), p_.exec(w2)});
    }
    for (const auto& [w, first] : p_.rf_candidates(r1)) {
      std::vector<Lit> clause = unless;
      clause.insert(clause.end(), {-first, -p_.rf(w, r2)});
      c_.add(clause);
    }
  }

  ProgramEncoding& p_;
  Circuit& c_;
  const Skeleton& s_;
  const SymThread& thread_;
  uint32_t loop_;
  sat::BitVectors bv_;
};

}  // namespace

void forbid_repeats(ProgramEncoding& p, Circuit& c, const std::vector<std::vector<bool>>& which) {
  const Skeleton& s = p.skeleton();
  for (uint32_t t = 0; t < which.size(); ++t) {
    const auto& loops = s.threads[t].loops;
    for (uint32_t k = 0; k < loops.size(); ++k) {
      if (std::any_of(loops.begin(), loops.end(),
                      [&](const SymLoop& x) { return x.from > loops[k].from && x.from <= loops[k].to; }))
        continue;
      for (uint32_t i = loops[k].from; i <= loops[k].to && i < which[t].size(); ++i)
        if (which[t][i]) Iterations(p, c, t, k).forbid(i);
    }
  }
}

std::optional<bool> may_be_incoherent(const prog::Test& test, const cat::Model& model, prog::ObjectId object,
                                      uint64_t cell, const Job& job,
                                      const std::function<void(const std::optional<sat::Effort>&)>& spent) {
  auto skeleton = unroll(test, 2, needs_dependencies(model), Unrolling::all_fragments, {}, &job);
  if (!skeleton) return std::nullopt;
  const auto& events = skeleton->events;
  Circuit c;
  ProgramNeeds needs = needs_of(model, test.dialect);
  needs.free_values = true;
  ProgramEncoding p(*skeleton, needs, c);
  std::vector<uint32_t> reads, writes;  // of the cell, without Init
  for (uint32_t e = skeleton->init_events; e < events.size(); ++e) {
    const prog::Address& a = events[e].address;
    if (!events[e].memory() || a.symbol == k_none || test.symbols[a.symbol].object != object) continue;
    if (a.index && !a.index.is_const(cell)) continue;
    if (!a.index && cell != 0) continue;
    (events[e].read ? reads : writes).push_back(e);
  }
  std::vector<Lit> shapes;
  const auto shape = [&](std::vector<Lit> parts) {
    const Lit l = c.and_(std::move(parts));
    if (!c.is_false(l)) shapes.push_back(l);
  };
  for (uint32_t a : writes)
    for (uint32_t b : writes) {
      if (a == b) continue;
      if (skeleton->program_order(a, b)) shape({p.co(b, a)});
      if (a < b && skeleton->compatible(a, b) && !needs.total_co) shape({p.both(a, b), -p.co(a, b), -p.co(b, a)});
    }
  for (uint32_t r : reads)
    for (const auto& [w, rf] : p.rf_candidates(r)) {
      if (skeleton->program_order(r, w)) shape({rf});
      for (uint32_t v : writes) {
        if (v == w) continue;
        if (skeleton->program_order(v, r)) shape({rf, p.co(w, v)});  // r misses an earlier write of its thread
        if (skeleton->program_order(r, v)) shape({rf, p.co(v, w)});  // or sees one that comes after a later write
        if (const uint32_t own = events[r].partner; own != k_none && v != own) shape({rf, p.co(w, v), p.co(v, own)});
      }
      for (uint32_t s : reads)
        if (skeleton->program_order(r, s))
          for (const auto& [v, rf2] : p.rf_candidates(s))
            if (v != w) shape({rf, rf2, p.co(v, w)});
    }
  if (shapes.empty()) return false;
  c.add(shapes);
  if (!c.propagate()) return false;
  ModelEncoding m(model, p, c);
  m.require_consistency();
  if (c.contradictory()) return false;
  auto solver = sat::make_cadical();
  c.feed(*solver);
  // No loop formulas: executions that they would exclude only make the answer more careful.
  const sat::Answer a = solver->solve({}, job);
  if (spent) spent(solver->effort());
  if (a == sat::Answer::unknown) return std::nullopt;
  return a == sat::Answer::sat;
}

}  // namespace fencepost::encode
