#pragma once
// The final states of a program whose threads take turns on one memory (sequential consistency), and among them those
// where whole threads run one after another: what figure 4 of OOPSLA 2020 calls interleaved and sequential. Whatever a
// device shows beside them is weak.
//
// Fences do nothing here. Laws: `sequential` is a part of `all`; an incomplete set says nothing about what is not in
// it. Not complete: barriers, cells that do not exist, initial values and spurious failures that the execution
// chooses, more states than allowed.
#include <cstdint>
#include <set>
#include <vector>

#include "prog/names.h"
#include "prog/state.h"

namespace fencepost::explicit_state {

struct Interleavings {
  bool complete = false;
  std::set<prog::State> all, sequential;
};

Interleavings interleavings(const prog::Test& test, const std::vector<prog::Observable>& observables,
                            uint64_t max_states = 100'000);

}  // namespace fencepost::explicit_state
