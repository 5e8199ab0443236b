#pragma once
// The price of the cheapest derivation of every edge of every node, and the derivation itself.
//
// Prices: a base edge 4096, a set membership 16, an absence 16, an operator 1; identity and Init-free sets
// are nearly free. They satisfy Knuth's condition (a derivation costs more than each of its parts), so the least
// solution of the price equations exists for recursive nodes too, is found by iteration, and the tree that
// follows the prices down is finite (D. Knuth, A generalization of Dijkstra's algorithm, 1977).
#include "reference/explain.h"
#include "vocab/vocab.h"

namespace fencepost::reference {

inline constexpr uint32_t k_never = 0x3fffffffu;
inline constexpr uint32_t k_base_edge_price = 4096;
inline constexpr uint32_t k_missing_price = 1u << 17;

class Derivations {
 public:
  // `roots`: the nodes whose edges will be asked for. `suppose`: tags that an event does not carry may be used at
  // k_missing_price each; likewise pairs of `sr`; used for remedies.
  Derivations(const cat::Model& model, const Execution& x, const Evaluation& ev, const std::vector<cat::NodeId>& roots,
              bool suppose = false);
  uint32_t price(cat::NodeId node, uint32_t from, uint32_t to) const;  // k_never: does not hold
  Reason derive(cat::NodeId node, uint32_t from, uint32_t to) const;   // the edge must hold

 private:
  using Prices = std::vector<uint32_t>;  // n*n for a relation, n for a set
  void need(cat::NodeId node);
  bool update(cat::NodeId node);  // true: some price fell
  bool in(cat::NodeId node, uint32_t from, uint32_t to) const;
  uint32_t absence(cat::NodeId node, uint32_t from, uint32_t to) const;
  uint32_t absence_price(cat::NodeId set, uint32_t e) const;
  void absence_tags(cat::NodeId set, uint32_t e, Reason& into) const;
  Prices row(cat::NodeId node, uint32_t from) const;
  Reason path(cat::NodeId node, uint32_t from, uint32_t to) const;
  Reason leaf(cat::NodeId node, uint32_t from, uint32_t to) const;
  Reason absent(cat::NodeId node, uint32_t from, uint32_t to) const;

  const cat::Model& model_;
  const Execution& x_;
  const Evaluation& ev_;
  bool suppose_;
  uint32_t n_;
  std::vector<bool> needed_;
  std::vector<bool> recursive_;  // mentions a fixpoint variable
  std::vector<Prices> prices_;   // per node, empty when not needed
};

// Events of a shortest cycle of the node, cheapest among the shortest; empty: acyclic.
std::vector<uint32_t> shortest_cycle(const Derivations& d, cat::NodeId node, uint32_t n);

// Whether an instruction like this one could carry the tag: orders fit reads, writes or fences, semantics need an
// atomic.
bool may_suppose(const Event& e, vocab::Tag t);

}  // namespace fencepost::reference
