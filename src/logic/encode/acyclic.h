#pragma once
// "This graph has no cycle" as clauses, by vertex elimination (M. Rankooh, J. Rintanen, "Propositional
// encodings of acyclicity and reachability by using vertex elimination", AAAI 2022): vertices are removed in
// order of least degree; a path u -> v -> w through a removed v becomes an edge u -> w. The number of clauses
// follows the width of the graph, so rings stay linear where transitivity would be cubic.
//
// One-sided: a model of the clauses may set fill edges freely to true, which only makes it harder to satisfy.
#include <vector>

#include "sat/circuit.h"

namespace fencepost::encode {

struct WeightedEdge {
  uint32_t from = 0;
  uint32_t to = 0;
  sat::Lit lit = sat::k_true;
};

// If `when` holds, the edges whose literals hold form no cycle.
void forbid_cycles(sat::Circuit& c, uint32_t nodes, std::vector<WeightedEdge> edges, sat::Lit when);

}  // namespace fencepost::encode
