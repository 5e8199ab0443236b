#pragma once
// Compilers as child processes: a module of tests -> machine code of each. `ptxas` of a CUDA toolkit makes the binary
// and `nvdisasm` lists it.
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/job.h"
#include "hunt/machine.h"
#include "hunt/patience.h"
#include "hunt/ptx_test.h"

namespace fencepost::hunt {

struct Compiler {
  std::string path, disassembler;
  std::string version;  // "13.5.37"
  std::string disassembler_version;
  std::chrono::seconds run = Patience::k_run;  // that one run may take
};
// `path`: of ptxas. The disassembler: `disassembler`, or if that is empty the one beside it, else on the PATH. The
// error names what is missing.
Expected<Compiler> open_compiler(const std::string& path, const std::string& disassembler);

struct Configuration {
  Compiler compiler;
  std::string target;  // "sm_90"
  uint32_t level = 3;  // of optimisation
  std::string name() const { return "ptxas-" + compiler.version + " " + target + " -O" + std::to_string(level); }
};

struct Compiled {
  enum class State : uint8_t {
    good,
    refused,
    failed,   // the compiler ended badly, or what it made cannot be read
    illegal,  // the disassembler finds illegal instructions
    late,     // the job's time was over before the compiler ended
  } state = State::good;
  std::string message;  // why it was refused, or how it failed
  MachineKernel machine;
  bool timed_out = false;  // failed since a program did not end
};
// In the order of the tests. A test that the compiler refuses is left out and the others are compiled again; where it
// ends without naming a line, halves are tried, so that one bad test costs only itself. How long: patience.h.
std::vector<Compiled> compile(const Configuration& c, const std::vector<PtxTest>& tests, const Job& job = {});

}  // namespace fencepost::hunt
