#pragma once
// What a test's registers and cells may hold: for each a finite list of values that contains every value of every
// execution without thin air. It makes the states of a run countable, so that a device can count them itself, and it
// says where computed addresses lead.
//
// Method: threads are run over sets of values along their control flow (joins unite, branches are followed as the
// values of their condition allow), loads read the cell's set, stores add to it, again and again. In a test without
// loops each store happens once, so a value passes through at most as many stores as there are: that many rounds
// suffice even if the sets would go on growing (x := x + 1 in both threads). With loops the sets must stop growing by
// themselves. Refused by name: more than k_most_values values, addresses stored to memory or observed, pointers that
// are not "address plus number", accesses outside their object, initial values that are addresses.
#include <cstdint>
#include <set>
#include <vector>

#include "base/diagnostic.h"
#include "prog/names.h"

namespace fencepost::plan {

inline constexpr size_t k_most_values = 64;
using ValueSet = std::set<uint64_t>;  // masked to the width of the register or cell

struct Reach {  // of one memory instruction
  prog::ObjectId object = 0;
  std::set<uint64_t> cells;
};

struct Values {
  std::vector<std::vector<ValueSet>> cells;      // [object][cell]
  std::vector<std::vector<ValueSet>> registers;  // [thread][register]: at the end of the thread
  std::vector<std::vector<bool>> pointer;        // [thread][register]: holds an address
  std::vector<std::vector<Reach>> targets;       // [thread][instruction]; loads, stores, rmw that can be reached
  bool loops = false;                            // some thread may jump back
  // Every value, operand and result fits 32 bits as a signed number, and so does the arithmetic: a run with 32-bit
  // words gives the same states as one with 64-bit words.
  bool narrow = false;
};
Expected<Values> possible_values(const prog::Test& test);

}  // namespace fencepost::plan
