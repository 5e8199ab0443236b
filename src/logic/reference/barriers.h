#pragma once
// Control barriers: who waits for whom (docs/semantics.md, Control barriers). All questions are monotone in
// the arrivals, so that passing is a least fixpoint whatever the order in which threads are advanced.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prog/names.h"
#include "reference/execution.h"

namespace fencepost::reference {

// One arrival of a thread at an instance.
struct Arrival {
  EventKey key;
  const prog::Barrier* barrier = nullptr;
  uint32_t ordinal = 0;       // earlier arrivals of the thread at the instance; see count_earlier
  std::optional<int64_t> id;  // value of the id operand, if there is one
  std::optional<int64_t> quorum;
};

// Whether two arrivals are at one instance: equal text, and of one that is named by a value equal values.
bool same_instance(const Arrival& a, const Arrival& b);
// The ordinal of `a`, whose id has its value already. `arrived` has the earlier arrivals of its thread and not `a`.
uint32_t count_earlier(const Arrival& a, const std::vector<Arrival>& arrived);
// Same scope, instance and ordinal. An arrival of a thread without a place in the hierarchy is alone.
bool same_group(const prog::Test& test, const Arrival& a, const Arrival& b);
// Equal ids; two plain arrivals are equal, a plain one and one with an id never.
bool equal_ids(const Arrival& a, const Arrival& b);
// Whether `a` passes, given what has arrived so far (which includes `a`).
bool passes(const prog::Test& test, const Arrival& a, const std::vector<Arrival>& arrived);
// syncbar(a, b) of two passed arrivals, `a_in_quorum` says whether a is in the chosen set.
bool synchronizes(const prog::Test& test, const Arrival& a, const Arrival& b, bool a_in_quorum);

}  // namespace fencepost::reference
