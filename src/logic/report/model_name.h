#pragma once
// How a model is called where an answer is told.
#include <string>

#include "cat/model.h"

namespace fencepost::report {

// "ptx-7.5"; "ptx-9[P2=strict]" with every answer that is not the default, since the verdict is theirs.
std::string model_name(const cat::Model& model);

}  // namespace fencepost::report
