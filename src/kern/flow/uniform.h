#pragma once
// Which values and branches are the same for all threads of a set that reach the same dynamic point: of one group, or
// of the whole grid. Sound: `uniform` is a promise, everything unknown is divergent.
//
// A value is uniform when its operands are. A phi also needs that the branches which choose between its predecessors
// are uniform; a loop that threads may leave after different numbers of iterations makes its header's phis divergent.
// A load is uniform when its address is and nothing that the entry function reaches writes the region.
#include <array>
#include <cstdint>
#include <vector>

#include "flow/effects.h"
#include "ir/ir.h"

namespace fencepost::flow {

enum class Threads : uint8_t { of_group, of_grid };

struct Launch {
  // 0: not fixed.
  std::array<uint64_t, 3> local_size{1, 1, 1};
  std::array<uint64_t, 3> num_groups{1, 1, 1};
};

// Each thread (or group) has one object of that name of its own. Its address is another one for each, or the same: of
// the address as a number, or held against another object's, nothing is known.
inline constexpr uint8_t k_own = 2;
bool own_object(const ir::Region& r, Threads threads);

struct Uniformity {
  // By value: 1 uniform; k_own: a pointer to the same place of each thread's own object; 0: not known to be either.
  std::vector<uint8_t> values;
  std::vector<uint8_t> branches;  // by block: its terminator goes the same way for all
  std::vector<uint8_t> loops;     // by loop: all threads that enter leave in the same iteration
  bool results = true;            // all returned values are uniform
};

// `parameters`: by parameter, as Uniformity::values. `root`: the function whose effects count as "written".
Uniformity uniformity(const ir::Module& m, const Effects& effects, ir::FunctionId f, ir::FunctionId root,
                      const std::vector<uint8_t>& parameters, Threads threads, const Launch& launch);

}  // namespace fencepost::flow
