#pragma once
// Values that come round with the iterations of a loop, read off their terms: `k % 3`, `(k / 3) & 1`, and what is
// computed of these and of constants, such as the address of one barrier of a ring.
//
// A term is one of: k + n; (k + n) / m + d, rounded down; values that come round; or nothing that is known. Numbers of
// a width may wrap where k is small or large: what is said then holds for a range of k alone, and whoever uses it shows
// that k keeps to it.
// Lost: to ask the solver whether k and k + 3 give the same rest. Rests of 32 bits took it minutes.
#include <cstdint>
#include <optional>
#include <vector>

#include "formula/pool.h"

namespace fencepost::prove {

struct Turn {
  std::vector<uint64_t> values;             // in iteration k: the one at k % size
  uint64_t least = 0, most = ~uint64_t{0};  // of k
};

// `k`: a variable, of as many bits as k needs. None: it is not known to come round, or not so soon.
std::optional<Turn> turn_of(formula::Pool& pool, formula::Term t, formula::Term k);

}  // namespace fencepost::prove
