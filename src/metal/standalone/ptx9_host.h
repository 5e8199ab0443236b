#pragma once
// A test with asynchronous PTX (async/ptx9.h) as a stand-alone file: its module, or a program over the CUDA driver API
// that launches it and prints the histogram of final states.
#include <string>

#include "base/diagnostic.h"
#include "prog/names.h"
#include "standalone/run.h"

namespace fencepost::standalone {

// With what its launch needs told in comments.
Expected<std::string> ptx9_text(const prog::Test& test, const Origin& origin);
// Launches and instances are the program's arguments. Refused where the question names what is untold.
Expected<std::string> ptx9_cuda_source(const prog::Test& test, const Origin& origin);

}  // namespace fencepost::standalone
