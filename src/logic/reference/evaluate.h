#pragma once
// The concrete evaluator of cat models: the judge. It knows nothing of bounds, clauses or solvers.
#include <variant>

#include "cat/model.h"
#include "reference/execution.h"
#include "vocab/vocab.h"

namespace fencepost::reference {

using SetOrRel = std::variant<BitSet, Relation>;

struct Evaluation {
  std::vector<SetOrRel> value;     // per model node
  std::vector<uint32_t> violated;  // indices of constraint axioms that are violated
  std::vector<uint32_t> raised;    // indices of flags that are raised
  bool consistent() const { return violated.empty(); }
};

Evaluation evaluate(const cat::Model& model, const Execution& x);

// Interval evaluation for partial executions is in interval.h.

// Whether the filter holds of the (possibly incomplete) execution's current registers and last writes.
bool satisfies_filter(const prog::Test& test, const Execution& x);
// Whether the execution is complete and its final state satisfies the condition.
bool satisfies_condition(const prog::Test& test, const Execution& x);

// Sets of base tags for evaluation.
BitSet tag_set(const std::vector<Event>& events, vocab::Tag t);

}  // namespace fencepost::reference
