#pragma once
// Open-ended arrays of kernels (docs/spirv.md): computed places beyond the elements that a launch tells apart share a
// few cells, so that what happens in them may not happen in the kernel.
#include <string>

#include "cat/model.h"
#include "prog/names.h"
#include "reference/execution.h"

namespace fencepost::check {

// The event is an access of such a cell.
bool in_shared_cells(const prog::Test& test, const reference::Event& e);

// Of an execution that raises a flag: what has to be said where both accesses of the flag lie in such cells; else "".
std::string beyond_its_array(const prog::Test& test, const cat::Model& model, const reference::Execution& x);

}  // namespace fencepost::check
