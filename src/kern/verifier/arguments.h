#pragma once
// --kernel-args and --kernel-arrays: whether they fit the kernels of the module, and what they make of its regions.
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "ir/ir.h"
#include "launch/options.h"

namespace fencepost::verifier {

// A number as --kernel-args takes it: "*" for any, and below 0 what has the highest of 64 bits.
std::string argument(const launch::Size& v);
// Is it below 0, and are its lowest `bits` the same number?
bool fits_below_zero(uint64_t v, uint64_t bits);
// --kernel-args of structures that are passed by value: their bytes.
void fill_structures(ir::Module& m, const launch::Options& o);
// --kernel-arrays: how long the arrays of a kernel are.
void set_lengths(ir::Module& m, const launch::Options& o);
// Arguments are for a kernel that is there, as many as it takes, and given once; `arrays`: of --kernel-arrays.
void check_arguments(const ir::Module& m, const std::vector<launch::Arguments>& given, bool arrays, Diagnostics& wrong);

}  // namespace fencepost::verifier
