#pragma once
// The rules by which bounds decide without search, by name: those that forbidden.h states, and those of
// encode/model_bounds.cpp that go with them. Counted so that a test of random programs can say which it has met.
#include <bitset>
#include <cstddef>
#include <cstdint>

namespace fencepost::bounds {

enum class Rule : uint8_t {
  empty,  // forbidden.h, pairs that are handed down from an axiom or from an operator
  irreflexive,
  acyclic,  // closing a cycle of must pairs
  union_,
  inter,
  diff,
  first_step,   // of a composition: pairs of its second part
  second_step,  // pairs of its first part
  closure,
  inverse,
  required,     // `empty r \ s`
  total_order,  // encode/model_bounds.cpp: of two writes, one comes first
  last_source,  // one write is left that a read may read
  values,       // all writes that are left agree on a bit
  probing,      // a source that propagation refutes
  count_
};
inline constexpr size_t k_rules = static_cast<size_t>(Rule::count_);

const char* name(Rule r);

// Which have said something that was not known.
using Fired = std::bitset<k_rules>;

}  // namespace fencepost::bounds
