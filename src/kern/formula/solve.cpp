// Questions by bit-blasting. A session keeps the solver and the clauses of earlier questions: those about two threads
// share most of their terms, and a question is a set of assumptions over them. Once the clauses outgrow the first
// question's, the session is begun anew, since the solver then spends its time on what others asked.
//
// Uninterpreted functions (floating point, unknown memory) are variables at first. A model in which two applications
// have equal arguments and different results gives the congruence of that pair as a lemma, and the question is asked
// again (lazy Ackermann expansion; W. Ackermann, Solvable Cases of the Decision Problem, 1954). All pairs at once were
// not needed: a kernel has many applications, and most questions touch few of them.
//
// Division by a constant is a = q * c + r with r < c, in as many bits as the sum needs: a few additions instead of a
// divider of one row for each bit.
#include "formula/solve.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <map>
#include <unordered_set>

#include "base/diagnostic.h"
#include "formula/second.h"
#include "term/term.h"

namespace fencepost::formula {
namespace {

void collect_names(const Pool& pool, Term t, std::unordered_set<uint32_t>& seen, std::unordered_set<uint64_t>& names) {
  std::vector<Term> todo{t};
  while (!todo.empty()) {
    const Term u = todo.back();
    todo.pop_back();
    if (!seen.insert(u.id).second) continue;
    const Node& n = pool[u];
    if (n.op == Op::variable) names.insert(n.value);
    if (n.op == Op::apply) names.insert(n.value + k_function);
    for (Term k : n.kids) todo.push_back(k);
  }
}

term::Op operator_of(Op op) {
  switch (op) {
    case Op::ite:
      return term::Op::ite;
    case Op::mul:
      return term::Op::mul;
    case Op::udiv:
      return term::Op::udiv;
    case Op::urem:
      return term::Op::urem;
    case Op::sdiv:
      return term::Op::sdiv;
    case Op::srem:
      return term::Op::srem;
    case Op::and_:
      return term::Op::and_;
    case Op::or_:
      return term::Op::or_;
    case Op::xor_:
      return term::Op::xor_;
    case Op::shl:
      return term::Op::shl;
    case Op::lshr:
      return term::Op::lshr;
    case Op::ashr:
      return term::Op::ashr;
    case Op::eq:
      return term::Op::eq;
    case Op::ult:
      return term::Op::ult;
    case Op::slt:
      return term::Op::slt;
    case Op::zext:
      return term::Op::zext;
    case Op::sext:
      return term::Op::sext;
    default:
      break;
  }
  FENCEPOST_INVARIANT(false, "an operator without a counterpart was blasted");
  return term::Op::add;
}

// The bits of every node that a question needs.
class Blaster {
 public:
  explicit Blaster(const Pool& pool) : pool_(pool), bits_(circuit_) {}

  const sat::Bits& get(Term t) {
    // Iterative: terms are deep.
    std::vector<Term> todo{t};
    while (!todo.empty()) {
      const Term u = todo.back();
      if (done_.contains(u.id)) {
        todo.pop_back();
        continue;
      }
      bool ready = true;
      for (Term k : pool_[u].kids)
        if (!done_.contains(k.id)) {
          todo.push_back(k);
          ready = false;
        }
      if (!ready) continue;
      todo.pop_back();
      done_.emplace(u.id, make(u));
    }
    return done_.at(t.id);
  }

  sat::Circuit& circuit() { return circuit_; }
  sat::BitVectors& vectors() { return bits_; }
  const sat::Bits& bits(Term t) const { return done_.at(t.id); }

 private:
  sat::Bits scaled(const sat::Bits& a, uint64_t by) {
    // Shift and add over the set bits.
    const auto w = static_cast<uint8_t>(a.size());
    sat::Bits r(w, sat::k_false);
    bool first = true;
    for (uint8_t i = 0; i < w; ++i) {
      if (((by >> i) & 1) == 0) continue;
      sat::Bits row(w, sat::k_false);
      for (uint8_t j = 0; i + j < w; ++j) row[i + j] = a[j];
      r = first ? row : bits_.add(r, row);
      first = false;
    }
    return r;
  }

  // By a constant: a = q * c + r with r < c, in as many bits as the sum needs. A multiplication by a constant is a few
  // additions, where a divider has one for each bit.
  const std::pair<sat::Bits, sat::Bits>& divided(Term a, uint64_t c) {
    const auto key = std::make_pair(a.id, c);
    if (const auto it = divided_.find(key); it != divided_.end()) return it->second;
    const auto w = static_cast<uint8_t>(pool_.width(a));
    const uint64_t high = pool_[a].high, most = high / c;
    const auto bits_of = [](uint64_t v) { return static_cast<uint8_t>(std::max<int>(1, std::bit_width(v))); };
    const uint8_t qw = bits_of(most), rw = bits_of(c - 1);
    const auto wide = static_cast<uint8_t>(std::max<int>({bits_of(high), qw + bits_of(c), rw}) + 1);
    sat::Bits q = bits_.fresh(qw), r = bits_.fresh(rw);
    const auto extend = [](sat::Bits b, uint8_t to) {
      b.resize(to, sat::k_false);
      return b;
    };
    sat::Bits whole = done_.at(a.id);
    whole.resize(std::min<size_t>(whole.size(), bits_of(high)));
    const sat::Bits sum = bits_.add(scaled(extend(q, wide), c), extend(r, wide));
    circuit_.add({bits_.eq(sum, extend(whole, wide))});
    circuit_.add({bits_.ult(extend(r, static_cast<uint8_t>(rw + 1)), bits_.constant(c, static_cast<uint8_t>(rw + 1)))});
    return divided_.emplace(key, std::make_pair(extend(q, w), extend(r, w))).first->second;
  }

  sat::Bits make(Term t) {
    const Node& n = pool_[t];
    const auto kid = [&](size_t i) -> const sat::Bits& { return done_.at(n.kids[i].id); };
    switch (n.op) {
      case Op::constant:
        return bits_.constant(n.value, n.width);
      case Op::variable:
      case Op::apply:
        return bits_.fresh(n.width);
      case Op::not_:
        return {-kid(0)[0]};
      case Op::all: {
        std::vector<sat::Lit> ls;
        for (size_t i = 0; i < n.kids.size(); ++i) ls.push_back(kid(i)[0]);
        return {circuit_.and_(std::move(ls))};
      }
      case Op::sum: {
        sat::Bits plus, minus;
        const auto put = [&](sat::Bits& to, sat::Bits b) { to = to.empty() ? std::move(b) : bits_.add(to, b); };
        for (size_t i = 0; i < n.kids.size(); ++i) {
          const uint64_t c = n.coefficients[i], opposite = (0 - c) & ones(n.width);
          if (std::popcount(c) <= std::popcount(opposite))
            put(plus, scaled(kid(i), c));
          else
            put(minus, scaled(kid(i), opposite));
        }
        if (n.value != 0 || plus.empty()) put(plus, bits_.constant(n.value, n.width));
        if (minus.empty()) return plus;
        for (sat::Lit& l : minus) l = -l;
        return bits_.add(plus, minus, sat::k_true);
      }
      case Op::extract: {
        const sat::Bits& a = kid(0);
        return sat::Bits(a.begin() + static_cast<ptrdiff_t>(n.value),
                         a.begin() + static_cast<ptrdiff_t>(n.value + n.width));
      }
      case Op::concat: {
        sat::Bits r(kid(1));
        r.insert(r.end(), kid(0).begin(), kid(0).end());
        return r;
      }
      default:
        break;
    }
    // The sum of quotient and remainder has up to three bits more than the dividend.
    if ((n.op == Op::udiv || n.op == Op::urem) && pool_.is_constant(n.kids[1]) && pool_.value(n.kids[1]) != 0 &&
        pool_[n.kids[0]].high >> 59 == 0 && pool_.value(n.kids[1]) >> 59 == 0) {
      const auto& [quotient, remainder] = divided(n.kids[0], pool_.value(n.kids[1]));
      return n.op == Op::udiv ? quotient : remainder;
    }
    std::vector<sat::Bits> kids;
    for (size_t i = 0; i < n.kids.size(); ++i) kids.push_back(kid(i));
    return bits_.apply(operator_of(n.op), n.width, kids);
  }

  const Pool& pool_;
  sat::Circuit circuit_;
  sat::BitVectors bits_;
  std::unordered_map<uint32_t, sat::Bits> done_;
  std::map<std::pair<uint32_t, uint64_t>, std::pair<sat::Bits, sat::Bits>> divided_;
};

uint64_t read(const sat::Solver& solver, const sat::Circuit& circuit, const sat::Bits& bits) {
  uint64_t v = 0;
  for (size_t i = 0; i < bits.size(); ++i) {
    const sat::Lit l = circuit.fold(bits[i]);
    if (l == sat::k_true || (l != sat::k_false && solver.value(l))) v |= uint64_t{1} << i;
  }
  return v;
}

}  // namespace

uint64_t Model::value(const Pool& pool, Term t) const {
  std::vector<Term> todo{t};
  while (!todo.empty()) {
    const Term u = todo.back();
    if (memo_.contains(u.id)) {
      todo.pop_back();
      continue;
    }
    const Node& n = pool[u];
    bool ready = true;
    for (Term k : n.kids)
      if (!memo_.contains(k.id)) {
        todo.push_back(k);
        ready = false;
      }
    if (!ready) continue;
    todo.pop_back();
    const auto kid = [&](size_t i) { return i < n.kids.size() ? memo_.at(n.kids[i].id) : 0; };
    uint64_t v = 0;
    switch (n.op) {
      case Op::constant:
        v = n.value;
        break;
      case Op::variable:
        if (const auto it = variables.find(n.value); it != variables.end()) v = it->second;
        break;
      case Op::apply: {
        std::vector<uint64_t> arguments;
        for (size_t i = 0; i < n.kids.size(); ++i) arguments.push_back(kid(i));
        for (const Application& a : applications)
          if (a.symbol == n.value && a.arguments == arguments) v = a.value & ones(n.width);
        break;
      }
      case Op::all:
        v = 1;
        for (size_t i = 0; i < n.kids.size(); ++i) v &= kid(i);
        break;
      case Op::sum:
        v = n.value;
        for (size_t i = 0; i < n.kids.size(); ++i) v += n.coefficients[i] * kid(i);
        v &= ones(n.width);
        break;
      default:
        v = evaluate(n.op, pool.width(n.kids[0]), n.width, kid(0), kid(1), kid(2), n.value);
    }
    memo_.emplace(u.id, v);
  }
  return memo_.at(t.id);
}

std::vector<uint64_t> names(const Pool& pool, Term t) {
  std::unordered_set<uint32_t> seen;
  std::unordered_set<uint64_t> found;
  collect_names(pool, t, seen, found);
  std::vector<uint64_t> r(found.begin(), found.end());
  std::sort(r.begin(), r.end());
  return r;
}

// The clauses of what has been asked so far, kept while they are few: questions about two threads share most of their
// terms. A question is a set of assumptions, and lemmas about functions hold for all.
struct Session::State {
  explicit State(const Pool& pool) : blaster(pool), solver(sat::make_cadical()) {}
  Blaster blaster;
  std::unique_ptr<sat::Solver> solver;
  uint64_t first = 0;  // clauses of the first question
};

Session::Session(const Pool& pool, Second* second) : pool_(pool), second_(second) {}
Session::~Session() = default;

namespace {

// More than these, and than a few times the first question's, are begun anew: others' clauses take time.
constexpr uint64_t k_session_clauses = 60000;
constexpr uint64_t k_session_growth = 2;

// The applications and variables in a conjunction.
void leaves(const Pool& pool, const std::vector<Term>& conjunction, std::map<uint64_t, std::vector<Term>>& applications,
            std::vector<Term>& variables) {
  std::unordered_set<uint32_t> seen;
  std::vector<Term> todo(conjunction);
  while (!todo.empty()) {
    const Term u = todo.back();
    todo.pop_back();
    if (!seen.insert(u.id).second) continue;
    const Node& n = pool[u];
    if (n.op == Op::variable) variables.push_back(u);
    if (n.op == Op::apply) applications[n.value].push_back(u);
    for (Term k : n.kids) todo.push_back(k);
  }
  for (auto& [symbol, terms] : applications) std::sort(terms.begin(), terms.end());
}

}  // namespace

Answer Session::solve(const std::vector<Term>& conjunction, const Job& job, Model* model, Statistics& statistics) {
  for (Term t : conjunction)
    if (pool_.is_false(t)) {
      ++statistics.folded;
      return Answer::unsat;
    }
  ++statistics.solved;
  const auto start = std::chrono::steady_clock::now();
  if (state_ == nullptr ||
      state_->blaster.circuit().clause_count() > std::max(k_session_clauses, k_session_growth * state_->first))
    state_ = std::make_unique<State>(pool_);
  Blaster& blaster = state_->blaster;
  sat::Solver& solver = *state_->solver;
  const uint64_t clauses_before = blaster.circuit().clause_count();
  std::vector<sat::Lit> assumptions;
  bool contradictory = false;
  for (Term t : conjunction) {
    const sat::Lit l = blaster.circuit().fold(blaster.get(t)[0]);
    if (l == sat::k_false) contradictory = true;
    if (l != sat::k_true) assumptions.push_back(l);
  }
  if (state_->first == 0) state_->first = blaster.circuit().clause_count();
  Answer answer = Answer::unknown;
  if (contradictory) {
    answer = Answer::unsat;
  } else {
    std::map<uint64_t, std::vector<Term>> applications;
    std::vector<Term> variables;
    leaves(pool_, conjunction, applications, variables);
    while (true) {
      blaster.circuit().feed(solver);
      const sat::Answer a = solver.solve(assumptions, job);
      if (a != sat::Answer::sat) {
        answer = a == sat::Answer::unsat ? Answer::unsat : Answer::unknown;
        break;
      }
      // Applications of one function to equal arguments must have equal results.
      std::vector<std::pair<Term, Term>> broken;
      for (const auto& [symbol, terms] : applications) {
        std::map<std::vector<uint64_t>, Term> table;
        for (Term t : terms) {
          std::vector<uint64_t> key{pool_.width(t)};
          for (Term k : pool_[t].kids) key.push_back(read(solver, blaster.circuit(), blaster.bits(k)));
          const auto [it, fresh] = table.emplace(key, t);
          if (!fresh && read(solver, blaster.circuit(), blaster.bits(t)) !=
                            read(solver, blaster.circuit(), blaster.bits(it->second)))
            broken.emplace_back(it->second, t);
        }
      }
      if (broken.empty()) {
        answer = Answer::sat;
        break;
      }
      for (const auto& [s, t] : broken) {
        std::vector<sat::Lit> same;
        for (size_t i = 0; i < pool_[s].kids.size(); ++i)
          same.push_back(blaster.vectors().eq(blaster.get(pool_[s].kids[i]), blaster.get(pool_[t].kids[i])));
        blaster.vectors().equal_if(blaster.circuit().and_(std::move(same)), blaster.bits(s), blaster.bits(t));
      }
    }
    if (answer == Answer::sat && model != nullptr) {
      *model = {};
      for (Term v : variables) model->variables[pool_[v].value] = read(solver, blaster.circuit(), blaster.bits(v));
      for (const auto& [symbol, terms] : applications)
        for (Term t : terms) {
          Model::Application a{symbol, {}, read(solver, blaster.circuit(), blaster.bits(t))};
          for (Term k : pool_[t].kids) a.arguments.push_back(read(solver, blaster.circuit(), blaster.bits(k)));
          model->applications.push_back(std::move(a));
        }
    }
  }
  statistics.clauses += blaster.circuit().clause_count() - std::min(clauses_before, blaster.circuit().clause_count());
  statistics.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (second_ != nullptr) second_->hear(pool_, conjunction, answer);
  return answer;
}

Answer solve(const Pool& pool, const std::vector<Term>& conjunction, const Job& job, Model* model,
             Statistics& statistics) {
  return Session(pool).solve(conjunction, job, model, statistics);
}

}  // namespace fencepost::formula
