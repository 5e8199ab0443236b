#pragma once
// What may and must be between two places of a program whose loops are folded (bounds::BaseBounds::folded): a place is
// an instruction in all iterations of its thread, so that a pair of one place with itself is of one event or of two,
// and bounds of nodes know nothing sure of either. Here the two cases are taken apart, and `[s]; r; [t]` is read as r
// between members of s and t; so that a race of two iterations of an atomic access is seen to be none where morally
// strong or inclusive says so.
#include <functional>

#include "bounds/bounds.h"
#include "cat/model.h"
#include "vocab/vocab.h"

namespace fencepost::encode {

class BetweenPlaces {
 public:
  // `always`: whether every two events of the place are in the base relation.
  BetweenPlaces(const cat::Model& m, const bounds::BaseBounds& base, const bounds::Bounds& bounds,
                std::function<bool(vocab::Base, uint32_t)> always)
      : m_(m), base_(base), bounds_(bounds), always_(std::move(always)) {}

  // Whether some event of place i may be related to some of place j.
  bool may(cat::NodeId id, uint32_t i, uint32_t j) const {
    return at(id, i, j, false).may || (i == j && at(id, i, j, true).may);
  }

  struct Known {
    bool may = true, must = false;
  };
  Known at(cat::NodeId id, uint32_t i, uint32_t j, bool same) const;  // `same`: the two events are one

 private:
  Known joined(const cat::Node& node, uint32_t i, uint32_t j, bool same) const;
  Known composed(cat::NodeId id, uint32_t i, uint32_t j, bool same) const;
  Known based(cat::NodeId id, uint32_t i, uint32_t j, bool same) const;
  Known member(cat::NodeId set, uint32_t i) const {
    return {bounds_.node[set].may_set.test(i), bounds_.node[set].must_set.test(i)};
  }

  const cat::Model& m_;
  const bounds::BaseBounds& base_;
  const bounds::Bounds& bounds_;
  std::function<bool(vocab::Base, uint32_t)> always_;
};

}  // namespace fencepost::encode
