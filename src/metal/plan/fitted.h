#pragma once
// Parameters that a test on a device cannot meet give way: a configuration that was found for one test serves others
// whose threads lie otherwise.
//
// In: wishes, and whether a draw under some wishes succeeds. Out: the wishes with the fewest changes that succeed, at
// both ends of a range of workgroups; among these, rounds change before workgroups, workgroups before invocations. A
// change is a factor of two, or leaving the choice to the plan. Where none of these helps, schedule=split; the wishes
// themselves where nothing does.
#include <functional>

#include "plan/parameters.h"

namespace fencepost::plan {

Parameters fitted(const Parameters& wish, const std::function<bool(const Parameters&)>& fits);

// From a quarter less to n: what a configuration with about n workgroups draws from.
Wish three_quarters(uint32_t n);

}  // namespace fencepost::plan
