#pragma once
// A model's axioms as clauses over a program's clauses.
//
// Every pair of a node has up to two literals. `upper` is implied by membership (for places where growth can
// only forbid), `lower` implies membership (under a difference, a complement, in flags and negated axioms). A
// node of one polarity costs one-sided clauses only: an upper closure needs no support for its fixpoint, since
// a model may always choose the least one. Lower literals of closures and `let rec` may support each other in a
// circle; `unfounded()` finds such circles in a model of the clauses and adds the loop formulas that exclude
// them (F. Lin, Y. Zhao, "ASSAT", AIJ 2004), which is almost never needed: closures of co and po cannot circle.
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "bounds/bounds.h"
#include "bounds/rules.h"
#include "cat/model.h"
#include "encode/program.h"
#include "vocab/vocab.h"

namespace fencepost::encode {

ProgramNeeds needs_of(const cat::Model& m, vocab::Dialect d);
bool needs_dependencies(const cat::Model& m);

class ModelEncoding {
 public:
  // Reads bounds off the program's literals: propagate the circuit first.
  ModelEncoding(const cat::Model& m, ProgramEncoding& p, Circuit& c);

  // Decides without search what the axioms and the bounds decide (bounds/forbidden.h), in rounds, and adds it to the
  // circuit as units; what is built afterwards folds them. Before require_consistency(), or instead of it where the
  // circuit becomes contradictory. A query that does not assert the axioms must not be settled. Returns the rounds.
  uint32_t settle();
  // The rules that said something new in those rounds.
  const bounds::Fired& fired() const { return fired_; }
  // Adds every constraint axiom. The circuit becomes contradictory when the bounds alone violate one.
  void require_consistency();
  // Implies that the flag with this axiom index is raised.
  Lit raised(uint32_t axiom);

  // For LazyModel, and to choose between the two.
  const bounds::BaseBounds& base_bounds() const { return base_; }
  Lit base_literal(vocab::Base b, uint32_t i, uint32_t j) { return base(b, i, j); }
  uint64_t unordered_fences() const;  // pairs

  // For messages about our own faults: the first node (in dependency order) one of whose literals breaks its
  // promise, given the values of a model and the true members as the judge sees them; "" when all keep it.
  using Member = std::function<bool(cat::NodeId, uint32_t i, uint32_t j)>;  // sets: i == j
  std::string broken_promise(const std::function<bool(Lit)>& value, const Member& member);

  // Given the values of a model: true lower literals that only support each other get their loop formula. Returns
  // whether any clause was added (then the model must be thrown away).
  template <class Value>
  bool add_loop_formulas(Value&& value);

 private:
  using Pair = uint64_t;
  struct Table {
    std::vector<Lit> dense;  // n*n (or n) when small; 0 = not there yet
    std::unordered_map<uint64_t, Lit> sparse;
  };
  using Tables = std::vector<std::unique_ptr<Table>>;  // by node; most nodes have no literals
  struct Gate {
    bool any = false;  // or; else and
    std::vector<Lit> kids;
  };
  void read_bounds(bool deep);
  void read_last_sources();
  void read_tags();
  void read_tags(uint32_t event, Lit wrote);
  void read_base(vocab::Base b);
  void imply();
  bool probe();
  void plant(const std::vector<BitSet>& implied_by);
  void under_each(const std::function<bool(uint32_t)>& visit);
  bool agree();
  void order_writes();
  // Of a base whose pairs do not depend on the execution but for both events being there: whether it has this pair.
  std::optional<bool> fixed(vocab::Base b, uint32_t i, uint32_t j) const;
  void find_levels();
  Lit base(vocab::Base b, uint32_t i, uint32_t j);
  Lit upper(cat::NodeId id, uint32_t i, uint32_t j);
  Lit lower(cat::NodeId id, uint32_t i, uint32_t j);
  Lit upper_set(cat::NodeId id, uint32_t i);
  Lit lower_set(cat::NodeId id, uint32_t i);
  Lit& slot(Tables& tables, cat::NodeId id, uint64_t index, uint64_t size);
  Lit upper_rel_of(cat::NodeId id, uint32_t i, uint32_t j, Lit& mine);
  Lit any_upper(Lit& mine, std::vector<Lit> kids);
  Lit any_lower(std::vector<Lit> kids, Lit own = 0);
  Lit all_lower(std::vector<Lit> kids);
  // `when` implies that the predicate of the axiom is true / false.
  void assert_true(const cat::Axiom& a, Lit when);
  Lit violated(const cat::Axiom& a);

  const cat::Model& m_;
  ProgramEncoding& p_;
  Circuit& c_;
  uint32_t n_;
  std::array<uint32_t, vocab::k_bases> levels_{};  // of the bases that are scopes
  bounds::BaseBounds base_;
  bounds::Bounds bounds_;
  Tables upper_, lower_;
  std::unordered_map<Lit, Gate> gates_;
  std::map<uint32_t, Lit> raised_;
  std::set<std::pair<uint32_t, uint32_t>> agreed_;  // read, bit
  struct Block {                                    // of events that run under one literal
    std::vector<uint32_t> events, children;
  };
  std::vector<Block> blocks_;
  std::vector<uint32_t> roots_;
  bounds::Fired fired_;
  bool died_ = false;        // some event was found not to run
  uint32_t probe_from_ = 0;  // the read that probe() begins with
  bool circular_ = false;    // some lower literal belongs to a fixpoint
};

template <class Value>
bool ModelEncoding::add_loop_formulas(Value&& value) {
  if (!circular_) return false;
  // Founded: a true fact outside the gates, an or with a founded true kid, an and with founded kids only.
  std::unordered_map<Lit, bool> founded;
  std::vector<Lit> pending;
  for (const auto& [l, g] : gates_)
    if (value(l)) pending.push_back(l);
  auto is_founded = [&](Lit k) {
    const Lit f = c_.fold(k);
    if (f == sat::k_true) return true;
    if (!value(k)) return false;
    return !gates_.contains(k) || founded.contains(k);
  };
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<Lit> rest;
    for (Lit l : pending) {
      const Gate& g = gates_.at(l);
      bool ok = !g.any;
      for (Lit k : g.kids) {
        const bool f = is_founded(k);
        if (g.any && f) ok = true;
        if (!g.any && !f) ok = false;
      }
      if (ok) {
        founded[l] = true;
        changed = true;
      } else {
        rest.push_back(l);
      }
    }
    pending = std::move(rest);
  }
  if (pending.empty()) return false;
  std::unordered_map<Lit, bool> circle;
  for (Lit l : pending) circle[l] = true;
  std::vector<Lit> external;
  for (Lit l : pending)
    if (gates_.at(l).any)
      for (Lit k : gates_.at(l).kids)
        if (!circle.contains(k)) external.push_back(k);
  for (Lit l : pending) {
    if (!gates_.at(l).any) continue;
    std::vector<Lit> clause = external;
    clause.push_back(-l);
    c_.add(clause);
  }
  return true;
}

}  // namespace fencepost::encode
