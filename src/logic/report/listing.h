#pragma once
// The execution itself as text: threads, values and where they come from, order of writes, final state. Internal.
#include <string>

#include "prog/names.h"
#include "reference/run.h"

namespace fencepost::report {

std::string listing_text(const prog::Test& test, const reference::RunResult& run, size_t indent);
// "init x, then a, then c" per location with more than one write; pairs when the order is partial.
std::string coherence_text(const prog::Test& test, const reference::Execution& x, size_t indent);
// Every comparison of the condition with the value it got and the event that made it.
std::string condition_text(const prog::Test& test, const reference::Execution& x, size_t indent);
std::string state_text(const prog::Test& test, const reference::Execution& x);  // "1:r0=1; 1:r1=0;"

}  // namespace fencepost::report
