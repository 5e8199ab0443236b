#pragma once
// Why an execution is forbidden (or raises a flag): the violated axiom and a shortest witness of it, each
// derived edge unfolded to base edges.
//
// Shortest means, for `acyclic r`: no cycle of r has fewer edges, and among those with equally few edges none
// unfolds to less. For `irreflexive r` and `empty r`: no loop, pair or element unfolds to less. An unfolding is
// measured by its base edges, then by set memberships, then by steps. Every unfolding is a finite tree with base
// facts at its leaves, so that a fixpoint never explains itself.
#include <optional>
#include <string>
#include <vector>

#include "reference/evaluate.h"

namespace fencepost::reference {

// One step: an edge (or, from == to with a set node, a membership) and the steps that derive it.
struct Reason {
  cat::NodeId node = 0;
  uint32_t from = 0;
  uint32_t to = 0;
  std::string label;            // "sw", "rf", "[ACQ]", "not locord"
  std::vector<Reason> because;  // empty for base edges and absences
  bool absent = false;          // the edge (or membership) is *not* in the node: a right side of `\`, or `~`
  bool operator==(const Reason&) const = default;
};

struct Explanation {
  uint32_t axiom = 0;
  std::vector<uint32_t> cycle;  // events of the cycle, for acyclic and irreflexive (first not repeated)
  std::vector<Reason> edges;    // one per step of the cycle, or the single offending pair or element;
                                // empty when the axiom asks for something that is not there ("~empty r")
  uint32_t base_edges = 0;      // leaves that are base edges, over all edges
};

// The shortest explanation of each violated axiom (flags: of each raised flag), shortest first by number of base
// edges, then in the order of the model.
std::vector<Explanation> explain(const cat::Model& model, const Execution& x, const Evaluation& ev, bool flags);
// Re-derives every edge of an explanation from the evaluation; false means a bug of ours.
bool verify(const cat::Model& model, const Execution& x, const Evaluation& ev, const Explanation& e);
// The same for one reason: its edge is in the evaluator's value of its node, and its parts derive it.
bool verify(const cat::Model& model, const Execution& x, const Evaluation& ev, const Reason& r);

// The smallest derivation of one edge (or, with from == to, one membership), if it holds.
std::optional<Reason> derive(const cat::Model& model, const Execution& x, const Evaluation& ev, cat::NodeId node,
                             uint32_t from, uint32_t to);

// A smallest set of changes to the instructions under which something would hold that does not: what is missing when
// two accesses race, or what would forbid an execution. Only orders, scopes, semantics and availability are
// considered (never who reads from whom), and the answer has been tried: the evaluator agrees on the changed execution.
struct Remedy {
  struct Missing {
    uint32_t event = 0;
    vocab::Tag tag{};
    auto operator<=>(const Missing&) const = default;
  };
  std::vector<Missing> tags;                          // the event would carry the tag
  std::vector<std::pair<uint32_t, uint32_t>> scopes;  // the two would lie in each other's scope (`sr`)
  uint32_t axiom = 0;                                 // remedy_for_axioms: the axiom that would be violated
  bool operator==(const Remedy&) const = default;
};
// ... under which `from` would be related to `to`.
std::optional<Remedy> remedy_for_edge(const cat::Model& model, const Execution& x, const Evaluation& ev,
                                      cat::NodeId node, uint32_t from, uint32_t to);
// ... under which this consistent execution would violate an axiom.
std::optional<Remedy> remedy_for_axioms(const cat::Model& model, const Execution& x, const Evaluation& ev);

// A node as a person would write it: its name, or its expression with named parts ("rf^-1 ; co"), cut short with
// "..." after about `limit` characters. `unfold`: the expression even if the node has a name.
std::string expression(const cat::Model& model, cat::NodeId node, size_t limit = 100, bool unfold = false);

// "sw", "not locord".
std::string reason_label(const cat::Model& model, cat::NodeId node, bool absent);

}  // namespace fencepost::reference
