#pragma once
// Which arrays steer a kernel: what is read from them may decide a branch or is spoken of by an annotation. The others
// are nothing but data. A may-analysis over the functions that are reached: values flow through operations, calls,
// private memory and other arrays; what an address is made of does not count (the reference draws the line there too).
#include <cstdint>
#include <vector>

#include "ir/ir.h"

namespace fencepost::flow {

// By region: 1 if it steers. `reached`: by function.
std::vector<uint8_t> steering(const ir::Module& m, const std::vector<uint8_t>& reached);

}  // namespace fencepost::flow
