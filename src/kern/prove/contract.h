#pragma once
// What all calls of a function have in common: its inferred precondition. A function that is verified for itself
// (--no-inline) is verified from the states that its callers can make, as far as this says; kernels and functions that
// no one calls are verified from any state. Calls are looked at where they are made, with what is known there, and
// calls of calls in their place; so what is said here holds of every call that a launch can make.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "formula/pool.h"
#include "ir/ir.h"

namespace fencepost::prove {

struct ParameterFacts {
  bool pointer = false;
  // Pointers: the regions it may point to, as bases (region + 1; 0: null); `anywhere`: not known.
  std::set<uint64_t> bases;
  bool anywhere = false;
  // Numbers, and offsets of pointers.
  uint64_t low = ~uint64_t{0}, high = 0;
  uint8_t trailing_zeros = 64;
  std::array<bool, 2> same{true, true};            // for both threads: of a group; of different groups
  std::array<bool, 3> local_id{true, true, true};  // it is the thread's id in this dimension
};

struct Contract {
  uint32_t calls = 0;
  std::vector<ParameterFacts> parameters;
  void join(const Contract& other);
};

using Contracts = std::map<uint32_t, Contract>;  // by function

}  // namespace fencepost::prove
