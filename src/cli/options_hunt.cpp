// The options of hunt.
#include "cli/option_rows.h"

namespace fencepost::cli {
namespace {

constexpr OptionInfo k_rows[] = {
    {"--language", "", "LANGUAGE", Type::choice, "ptx", "ptx|cuda|llvm|opencl", 0, 0, "hunt", k_hunt,
     "What is compiled: PTX to machine code; CUDA C++ or LLVM IR to PTX; OpenCL C to SPIR-V.",
     put<&Settings::hunt_language>},
    {"--compiler", "", "NAME=PATH,...", Type::list, "ptxas=ptxas", "", 0, 0, "hunt", k_hunt,
     "The compilers, each NAME=PATH: ptxas for ptx, nvcc or clang for cuda, llc for llvm, clang for opencl. Several "
     "are compared with each other.",
     put<&Settings::compilers>},
    {"--cuda-path", "", "DIR", Type::text, "where clang looks", "", 0, 0, "translation", k_hunt | k_audit,
     "The CUDA toolkit whose headers clang takes: hunt, for --language cuda; audit, for prove.",
     put<&Settings::cuda_path>},
    {"--translator", "", "PATH", Type::text, "llvm-spirv on the PATH", "", 0, 0, "translation", k_hunt,
     "The llvm-spirv that translates what clang makes of OpenCL C.", put<&Settings::translator>},
    {"--disassembler", "", "PATH", Type::text, "nvdisasm beside the compiler, or on the PATH", "", 0, 0, "hunt", k_hunt,
     "The nvdisasm that reads what the compilers make.", put<&Settings::disassembler>},
    {"--targets", "", "sm_NN,...", Type::list, "sm_80,sm_90,sm_100,sm_120; cuda, llvm: sm_90", "", 0, 0, "hunt", k_hunt,
     "The architectures to compile for. Not for opencl, which is compiled to SPIR-V.", put<&Settings::hunt_targets>},
    {"--levels", "", "N,...", Type::list, "3", "0 to 3", 0, 0, "hunt", k_hunt,
     "The levels of optimisation, -O0 to -O3.", put<&Settings::levels>},
    {"--tests", "", "N", Type::whole, "1000", "1..10^9", 1, 1000000000, "hunt", k_hunt,
     "How many tests to draw, rounded up to a multiple of 200; of programs, of 100.", put<&Settings::hunt_tests>},
    {"--test", "", "TEST", Type::text, "", "", 0, 0, "hunt", k_hunt,
     "Judge this test alone and print what the compilers make of it; nothing is drawn and nothing is stored. "
     "docs/hunt.md has the "
     "notation.",
     put<&Settings::hunt_test>},
    {"--store", "", "FILE", Type::text, "hunt.db", "", 0, 0, "hunt", k_hunt,
     "The store of the hunt; made when missing. What it holds already is not compiled again.",
     put<&Settings::hunt_store>},
};

}  // namespace

std::span<const OptionInfo> hunt_options() { return k_rows; }

}  // namespace fencepost::cli
