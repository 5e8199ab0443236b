#pragma once
// Internal to the room: how GPUVerify counts and words what it finds (--compat, and the stages that its tests name).
#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "ir/ir.h"
#include "launch/answer.h"
#include "verifier/report.h"

namespace fencepost::verifier {

// Races on one array that differ in the place of one access are one, with several sources.
void merge_sources(const ir::Module& m, std::vector<FindingReport>& findings);
// What is found in a function that is verified for itself is not said again of those who call it. A kernel that has
// nothing left that was said of it is verified.
void drop_callees_findings(const ir::Module& m, std::vector<KernelReport>& kernels);
// What the reference says where it refuses the same.
std::string reference_wording(const Diagnostics& ds);
// Which stage of the reference would have refused this: its tests tell the stages apart.
launch::Ending stage(const Diagnostics& ds);

}  // namespace fencepost::verifier
