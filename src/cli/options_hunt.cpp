// The options of hunt.
#include "cli/option_rows.h"

namespace fencepost::cli {
namespace {

constexpr OptionInfo k_rows[] = {
    {"--compiler", "", "ptxas=PATH,...", Type::list, "ptxas=ptxas", "", 0, 0, "hunt", k_hunt,
     "The compilers, each ptxas=PATH. Several versions are compared with each other.", put<&Settings::compilers>},
    {"--disassembler", "", "PATH", Type::text, "nvdisasm beside the compiler, or on the PATH", "", 0, 0, "hunt", k_hunt,
     "The nvdisasm that reads what the compilers make.", put<&Settings::disassembler>},
    {"--targets", "", "sm_NN,...", Type::list, "sm_80,sm_90,sm_100,sm_120", "", 0, 0, "hunt", k_hunt,
     "The architectures to compile for.", put<&Settings::hunt_targets>},
    {"--levels", "", "N,...", Type::list, "3", "0 to 3", 0, 0, "hunt", k_hunt,
     "The levels of optimisation, -O0 to -O3.", put<&Settings::levels>},
    {"--tests", "", "N", Type::whole, "1000", "1..10^9", 1, 1000000000, "hunt", k_hunt,
     "How many tests to draw, rounded up to a multiple of 200.", put<&Settings::hunt_tests>},
    {"--test", "", "TEST", Type::text, "", "", 0, 0, "hunt", k_hunt,
     "Judge this test alone and print its machine code; nothing is drawn and nothing is stored. docs/hunt.md has the "
     "notation.",
     put<&Settings::hunt_test>},
    {"--store", "", "FILE", Type::text, "hunt.db", "", 0, 0, "hunt", k_hunt,
     "The store of the hunt; made when missing. What it holds already is not compiled again.",
     put<&Settings::hunt_store>},
};

}  // namespace

std::span<const OptionInfo> hunt_options() { return k_rows; }

}  // namespace fencepost::cli
