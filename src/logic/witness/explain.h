#pragma once
// Why an execution is forbidden (or raises a flag): the violated axiom and a shortest witness of it, each
// derived edge unfolded to base edges.
#include "witness/evaluate.h"

namespace fencepost::witness {

// One step: an edge (or, from == to with a set node, a membership) and the steps that derive it.
struct Reason {
  cat::NodeId node = 0;
  uint32_t from = 0;
  uint32_t to = 0;
  std::string label;                 // "sw", "rf", "[ACQ]", "not locord"
  std::vector<Reason> because;       // empty for base edges and absences
};

struct Explanation {
  uint32_t axiom = 0;
  std::vector<uint32_t> cycle;       // events of the cycle, for acyclic and irreflexive (first not repeated)
  std::vector<Reason> edges;         // one per step of the cycle, or the single offending pair
};

// The shortest explanation of each violated (or raised) axiom, shortest first by number of base edges.
std::vector<Explanation> explain(const cat::Model& model, const Execution& x, const Evaluation& ev,
                                 bool flags);
// Re-derives every edge of an explanation from the evaluation; false means a bug of ours.
bool verify(const cat::Model& model, const Execution& x, const Evaluation& ev, const Explanation& e);

}  // namespace fencepost::witness
