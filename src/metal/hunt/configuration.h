#pragma once
// What was compiled, as stores and reports of a hunt name it: "ptxas-13.5.37 sm_90 -O3" is a compiler with its version,
// a target and a level. Input of all functions: such a text.
#include <functional>
#include <string>

#include "hunt/ledger.h"

namespace fencepost::hunt {

std::string compiler_of(const std::string& configuration);  // "ptxas 13.5.37"
std::string target_of(const std::string& configuration);    // "sm_90"
std::string level_of(const std::string& configuration);     // "-O3"

// The table of a report: every configuration that was tried, what came out, and the command that shows it.
std::string table_of(const Fault& f, const std::function<std::string(const std::string& what)>& result,
                     const std::function<std::string(const std::string& configuration)>& command);

}  // namespace fencepost::hunt
