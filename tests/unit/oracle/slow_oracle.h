#pragma once
// The verdicts again, slowly and by other means, written from the definitions: explicit states in ordered maps, no
// packing, no components. It shares with the room only axb's instructions and, for models that are not one of the six
// published ones, fair::Machine.
//   weak    for each candidate set G: the greatest set Z of states with F = G such that every thread of G can, staying
//           in Z, be led to a step of its own into Z (Emerson and Lei 1986). Some Z is not empty: it starves. For an
//           empty G, the states that can go on for ever with F empty.
//   strong  the least set of states that hold the end, the states with F empty, and every state with a step of F into
//           the set. A reachable state outside starves, and so does a cycle with F empty.
#include <optional>
#include <string>
#include <vector>

#include "axb/test.h"
#include "base/job.h"
#include "fair/model.h"
#include "oracle/oracle.h"

namespace fencepost::oracle::slow {

// One of "UNFAIR" "HSA" "OBE" "HSA_OBE" "LOBE" "FAIR", written by hand here. nullopt: more than max_states.
std::optional<std::vector<Pair>> decide_published(const axb::Test& test, size_t max_states);  // in that order
std::optional<Pair> decide(const axb::Test& test, const fair::Model& model, size_t max_states);

struct Shape {
  uint32_t min_threads = 2, max_threads = 3, max_instructions = 3, locations = 2, values = 2;
  double exchanges = 0.6, self = 0.3,
         stores = 0.3,  // shares: exchanging, jumping to itself, of the exchanging ones plain stores
      swaps = 0;        // of the exchanging ones, compare-and-swaps
};
axb::Test random_test(Rng& rng, const Shape& shape);

}  // namespace fencepost::oracle::slow
