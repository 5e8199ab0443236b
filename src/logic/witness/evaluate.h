#pragma once
// The concrete evaluator of cat models: the judge. It knows nothing of bounds, clauses or solvers.
#include <variant>

#include "cat/model.h"
#include "witness/execution.h"

namespace fencepost::witness {

using SetOrRel = std::variant<BitSet, Relation>;

struct Evaluation {
  std::vector<SetOrRel> value;          // per model node
  std::vector<uint32_t> violated;       // indices of constraint axioms that are violated
  std::vector<uint32_t> raised;         // indices of flags that are raised
  bool consistent() const { return violated.empty(); }
};

Evaluation evaluate(const cat::Model& model, const Execution& x);

// Interval evaluation for partial executions: every base relation is between `lo` and `hi`, events are all
// decided. A constraint is `definite` violated when it is violated for every completion.
struct IntervalEvaluation { std::vector<uint32_t> definitely_violated; };
IntervalEvaluation evaluate_interval(const cat::Model& model, const std::vector<Event>& events,
                                     const std::vector<Relation>& lo, const std::vector<Relation>& hi);

// Sets of base tags for evaluation.
BitSet tag_set(const std::vector<Event>& events, vocab::Tag t);

}  // namespace fencepost::witness
