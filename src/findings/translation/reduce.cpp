#include "translation/reduce.h"

#include <algorithm>

#include "hunt/smallest.h"

namespace fencepost::translation {
namespace {

// A statement in a simpler form, one step each.
std::vector<Statement> simpler(const Statement& s) {
  std::vector<Statement> out;
  const auto with = [&](auto change) {
    Statement other = s;
    change(other);
    if (!(other == s)) out.push_back(other);
  };
  with([](Statement& o) { o.guard.reset(); });
  if (s.order == Order::volatile_) with([](Statement& o) { o.order = Order::plain; });
  if (!s.is_atomic()) return out;
  with([](Statement& o) { o.spelling = Spelling::ref; });
  if (s.op != Op::fence) with([](Statement& o) { o.order = Order::relaxed; });
  if (s.order == Order::seq_cst || s.order == Order::acq_rel) {
    with([](Statement& o) { o.order = Order::acquire; });
    with([](Statement& o) { o.order = Order::release; });
  }
  with([](Statement& o) { o.scope = Scope::device; });
  if (s.is_update()) with([](Statement& o) { o.op = Op::add; });
  return out;
}

// One step smaller, the largest steps first.
std::vector<Program> smaller(const Program& p) {
  std::vector<Program> out;
  const auto add = [&](const Program& other) {
    if (is_well_formed(other)) out.push_back(other);
  };
  for (size_t t = 0; t < p.threads.size() && p.threads.size() > 1; ++t) {
    Program other = p;
    other.threads.erase(other.threads.begin() + static_cast<std::ptrdiff_t>(t));
    add(other);
  }
  // One thread in place of two: a fault that needs no other thread shows in one. Not of three, whose threads are taken
  // away first, since a thread that does what two did reads like none that somebody wrote.
  for (size_t t = 0; t < 2 && p.threads.size() == 2; ++t) {
    Program other{{p.threads[t]}};
    const auto& more = p.threads[1 - t].body;
    other.threads[0].body.insert(other.threads[0].body.end(), more.begin(), more.end());
    add(other);
  }
  for (size_t t = 0; t < p.threads.size(); ++t)
    for (size_t k = 0; k < p.threads[t].body.size(); ++k) {
      Program other = p;
      auto& body = other.threads[t].body;
      body.erase(body.begin() + static_cast<std::ptrdiff_t>(k));
      if (body.empty()) other.threads.erase(other.threads.begin() + static_cast<std::ptrdiff_t>(t));
      add(other);
    }
  Program narrow = p;
  for (Thread& t : narrow.threads)
    for (Statement& s : t.body) s.place = s.place == 'u' ? 'x' : s.place == 'v' ? 'y' : s.place;
  if (!(narrow == p)) add(narrow);
  Program apart = p;
  for (size_t t = 0; t < apart.threads.size(); ++t) apart.threads[t].block = static_cast<uint32_t>(t);
  if (!(apart == p)) add(apart);
  for (size_t t = 0; t < p.threads.size(); ++t)
    for (size_t k = 0; k < p.threads[t].body.size(); ++k)
      for (const Statement& s : simpler(p.threads[t].body[k])) {
        Program other = p;
        other.threads[t].body[k] = s;
        add(other);
      }
  return out;
}

// Is every fault of the weaker order one of the stronger order as well?
bool contains(Order stronger, Order weaker) {
  if (stronger == weaker || weaker == Order::relaxed || stronger == Order::seq_cst) return true;
  return stronger == Order::acq_rel && (weaker == Order::acquire || weaker == Order::release);
}

bool is_update_but_cas(const Statement& s) { return s.is_update() && s.op != Op::cas; }

}  // namespace

bool covers(const Statement& culprit, const Statement& s) {
  if (!culprit.is_atomic() || !s.is_atomic() || culprit.spelling != s.spelling) return false;
  const bool kind = culprit.op == s.op || (is_update_but_cas(culprit) && s.is_update());
  return kind && contains(s.order, culprit.order);
}

bool is_of_kind(const Statement& culprit, const Statement& s) {
  return covers(culprit, s) && culprit.order == s.order && (culprit.op == Op::cas) == (s.op == Op::cas);
}

Statement weakened(Statement s, const Statement& culprit) {
  s.order = culprit.order;
  if (s.op != Op::cas || culprit.op == Op::cas) return s;
  s.op = culprit.op;
  s.value = s.written;
  s.written = 0;
  return s;
}

bool is_well_formed(const Program& p) {
  for (const Thread& t : p.threads) {
    bool result = false;
    for (const Statement& s : t.body) {
      if (!is_possible(s) || (s.guard && !result)) return false;
      result = result || (!s.guard && s.has_result());
    }
    if (t.body.empty()) return false;
  }
  return !p.threads.empty();
}

Reduced reduced(const Configuration& c, const Program& p, const Models& models, double seconds, const Job& job) {
  Reduced out{p, judge_all(c, {p}, models, seconds).front(), {}, {}};
  if (out.judged.state != 'f') return out;
  out.program =
      hunt::smallest(out.program, job, smaller, [&](const std::vector<Program>& candidates) -> std::optional<size_t> {
        const auto made = compile(c, candidates);
        for (size_t n = 0; n < candidates.size(); ++n) {
          Judged j = judge(candidates[n], made[n], c.compiler.language, models, seconds);
          if (j.state != 'f') continue;
          out.judged = std::move(j);
          return n;
        }
        return {};
      });
  // Alone, so that the kernel is called as in the source of a report.
  if (const Judged alone = judge_all(c, {out.program}, models, seconds).front(); alone.state == 'f') out.judged = alone;
  std::vector<Program> others;
  std::vector<Statement> culprits;
  std::vector<Spelling> spellings;
  for (size_t t = 0; t < out.program.threads.size(); ++t)
    for (size_t k = 0; k < out.program.threads[t].body.size(); ++k)
      for (const Spelling s : {Spelling::ref, Spelling::builtin, Spelling::old}) {
        Program other = out.program;
        Statement& one = other.threads[t].body[k];
        if (!one.is_atomic() || one.spelling == s) continue;
        Statement culprit = one;
        culprit.guard.reset();
        one.spelling = s;
        if (!is_well_formed(other)) continue;
        others.push_back(other);
        culprits.push_back(culprit);
        spellings.push_back(s);
      }
  const auto judged = judge_all(c, others, models, seconds);
  for (size_t n = 0; n < others.size() && !out.culprit; ++n)
    if (judged[n].state == 'r') out.culprit = culprits[n], out.repair = spellings[n];
  return out;
}

}  // namespace fencepost::translation
