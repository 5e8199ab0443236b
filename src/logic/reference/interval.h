#pragma once
// Evaluates a model on partial executions: every base relation lies between a lower and an upper bound, the
// events are decided. With equal bounds the result is exact. Meant for searches that change a few relations
// at a time: a node is computed again only when a base relation below it has changed, and only as far as a
// question needs it.
//
// Bounds of operators: all are monotone but difference and complement, which swap the bounds of what they
// subtract. A fixpoint is bounded by the fixpoints of the bounds.
#include <cstdint>
#include <optional>
#include <vector>

#include "cat/model.h"
#include "reference/evaluate.h"

namespace fencepost::reference {

class IntervalEvaluator {
 public:
  explicit IntervalEvaluator(const cat::Model& model);

  // Starts with new events. `base`, indexed by vocab::Base: the lower bound of each relation, and its upper bound too.
  void start(const std::vector<Event>& events, std::vector<Relation> base);
  void set(vocab::Base b, Relation lo, Relation hi);
  // Promises that `b` is transitive in every completion, so that b+ is b. Without it the closure of an upper
  // bound may relate what the bound itself rules out (models that say "let co = co+").
  void assume_transitive(vocab::Base b) { transitive_ |= 1u << static_cast<uint32_t>(b); }
  const Relation& lower(vocab::Base b) const { return lower_[static_cast<size_t>(b)]; }
  const Relation& upper(vocab::Base b) const { return upper_[static_cast<size_t>(b)]; }

  // Some constraint is violated for every choice within the bounds: its axiom, else nullopt.
  std::optional<uint32_t> violated();
  // Some flag is raised for at least one choice within the bounds, as far as the bounds can tell.
  bool may_flag();
  // The flags raised; meaningful when the bounds are equal.
  std::vector<uint32_t> raised();
  uint64_t evaluations() const { return evaluations_; }  // nodes computed so far, a measure of cost

 private:
  struct Value {
    SetOrRel lo, hi;  // hi is not kept when `same`
    bool same = false;
    uint64_t stamp = 0;  // when it was computed; 0: never
  };
  bool fresh(cat::NodeId i) const;
  void need(cat::NodeId i);
  void solve_group(uint32_t g);
  void compute(cat::NodeId i);
  bool may_be(const cat::Axiom& a, bool outcome);  // whether the axiom's predicate can have this outcome

  const cat::Model& model_;
  uint32_t n_ = 0;
  uint64_t clock_ = 0;
  uint64_t evaluations_ = 0;
  const std::vector<Event>* events_ = nullptr;
  std::vector<Relation> lower_, upper_;
  uint32_t transitive_ = 0;        // mask of base relations
  std::vector<uint64_t> changed_;  // per base: when it last changed
  uint64_t started_ = 0;
  std::vector<Value> value_;                      // per node
  std::vector<uint32_t> below_;                   // per node: mask of base relations
  std::vector<std::vector<cat::NodeId>> inside_;  // per group: nodes that hang on it, below its definitions, in order
  std::vector<uint32_t> order_;                   // constraints, the last violated first
};

}  // namespace fencepost::reference
