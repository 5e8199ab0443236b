#pragma once
// Programs of one thread whose final values are known: declarations, assignments and arithmetic on types of 8 to 64
// bits, evaluated here by the rules of C (C17 6.3.1, 6.5), with nothing shared with the readers.
#include <string>

#include "base/job.h"

namespace fencepost::fuzz {

struct Known {
  std::string right;  // an OPENCL or CUDA test whose `forall` holds
  std::string wrong;  // the same with one value or comparison turned: it fails
};
Known known_numbers(Rng& rng);

}  // namespace fencepost::fuzz
