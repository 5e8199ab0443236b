#pragma once
// ptxas of a CUDA toolkit as a child process: PTX text -> cubin with line information. It is optional; what it makes is
// preferred to the driver's own compiler because its version is known and line information is certain.
//
// The program is FENCEPOST_PTXAS if that is set (empty: none), else ptxas on the PATH, else /usr/local/cuda/bin/ptxas.
#include <cstdint>
#include <optional>
#include <string>

namespace fencepost::device::cuda {

struct Assembler {
  std::string program;  // path
  std::string version;  // "V13.0.88"
};
std::optional<Assembler> find_assembler();

struct Assembled {
  std::string cubin;    // empty: refused
  std::string message;  // the assembler's own words
};
// `sm`: compute capability * 10; the suffix `a` is added where the text's .target has it. Writes and removes a folder
// of its own under TMPDIR or /tmp.
Assembled assemble(const Assembler& a, const std::string& ptx, uint32_t sm, const std::string& options = "");

}  // namespace fencepost::device::cuda
