#pragma once
// May and must bounds of every node of a model over the events of an unrolled program.
//
// may(i, j): some execution has the pair. must(i, j): every execution that runs both i and j has it. Composition
// of must edges needs the middle event to run whenever an end does (`implies`). Everything that is decided here
// costs no clause later: pairs outside may are false, must pairs are "both run".
#include <array>
#include <vector>

#include "base/bits.h"
#include "cat/model.h"
#include "vocab/vocab.h"

namespace fencepost::bounds {

struct BaseBounds {
  uint32_t n = 0;
  // An index that is not in `always` stands for any number of events, of all iterations of a loop: it is no must pair
  // with itself then, and nothing implies that it runs.
  bool folded = false;
  BitSet live;                     // events that may run
  BitSet always;                   // events that run in every execution
  Relation compatible;             // both may run in one execution (reflexive)
  std::vector<BitSet> implied_by;  // [k]: the events whose running implies that k runs (contains k)
  std::array<Relation, vocab::k_bases> may, must;
  std::vector<BitSet> tags;  // by tag: the events that may have it
  std::vector<BitSet>
      sometimes;  // by tag: of these, the ones that do not have it in every execution in which they run; or empty
};

struct NodeBounds {
  BitSet may_set, must_set;  // of set nodes
  Relation may, must;        // of relation nodes
};

struct Bounds {
  std::vector<NodeBounds> node;
  std::vector<bool> needed;  // nodes that some axiom depends on; the others are left empty
};

Bounds compute(const cat::Model& m, const BaseBounds& base);

// First composes must edges soundly: (i,k) in a, (k,j) in b, and k runs whenever i or j does.
Relation compose_must(const Relation& a, const Relation& b, const std::vector<BitSet>& implied_by);

}  // namespace fencepost::bounds
