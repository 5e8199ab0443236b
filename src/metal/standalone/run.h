#pragma once
// A whole run as a stand-alone reproducer (single.h: one instance): one file that a person builds and runs without us,
// and that does what `run` does with one draw of the parameters: the same three kernels, the same launch, the same
// counting of final states.
//
//   cuda-source  a .cu file for nvcc (or any C++ compiler, with cuda.h): host code over the CUDA driver API, and the
//                PTX of the kernels as a string, so that the instructions of the test are those that we print, whatever
//                the toolkit. Prints the histogram; ends with 0, or 2 for an error of the driver, 3 for corrupt
//                results.
//   ptx          the module of the three kernels, with what its launch needs told in comments
//
// The draw is for a device of the size that plan::Target says; it is printed in the file with its seed.
#include <string>

#include "base/diagnostic.h"
#include "plan/plan.h"

namespace fencepost::standalone {

struct Origin {
  std::string program;  // "fencepost 0.2.0"
  std::string command;  // the command line that made the file, or ""
};

// `sm`: compute capability * 10 of the PTX.
Expected<std::string> cuda_source(const plan::Program& p, const plan::Configuration& c, uint32_t sm,
                                  const Origin& origin);
Expected<std::string> ptx(const plan::Program& p, const plan::Configuration& c, uint32_t sm, const Origin& origin);

// An H200, as far as plans care: what reproducers are drawn for when nothing else is said.
plan::Target h200();

}  // namespace fencepost::standalone
