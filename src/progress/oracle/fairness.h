#pragma once
// F of a closed form by look-up, and its well-formedness, which fair::Machine would otherwise check on every event: F
// holds live threads only, and loses a thread only when that thread ends. Private to the room.
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fair/model.h"
#include "oracle/space.h"

namespace fencepost::oracle {

class ClosedForm {
 public:
  // Up to k_table_threads threads everything is computed and checked here; beyond, as it is asked for.
  ClosedForm(const fair::Model& model, uint32_t threads);
  static constexpr uint32_t k_table_threads = 5;

  fair::ThreadSet look_up(fair::ThreadSet live, fair::ThreadSet started);
  bool well_formed() const { return well_formed_; }  // as far as it has looked
  bool check_all(const Space& space);                // looks at every state of an exploration with Rider::started

 private:
  bool check(fair::ThreadSet live, fair::ThreadSet started);
  struct Hash {
    size_t operator()(const std::pair<fair::ThreadSet, fair::ThreadSet>& p) const {
      return (p.first * 0x9e3779b97f4a7c15ull) ^ (p.second * 0xc2b2ae3d27d4eb4full >> 7);
    }
  };

  const fair::Model* model_;
  uint32_t threads_;
  bool well_formed_ = true;
  std::vector<fair::ThreadSet> table_;
  std::unordered_map<std::pair<fair::ThreadSet, fair::ThreadSet>, fair::ThreadSet, Hash> memo_;
  std::set<std::pair<fair::ThreadSet, fair::ThreadSet>> checked_;
};

}  // namespace fencepost::oracle
