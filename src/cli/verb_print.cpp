#include "cli/inputs.h"
#include "cli/one_test.h"
#include "cli/verbs.h"
#include "print/litmus.h"
#include "prog/test.h"

namespace fencepost::cli {

int run_print(const CommandLine& line, const Console& console) {
  const auto tests = tests_of(line.operands.front(), launch_of(line.settings));
  if (!tests) return report_errors(console, tests.error());
  for (size_t i = 0; i < tests->size(); ++i) console.out((i > 0 ? "\n" : "") + print::print((*tests)[i]));
  return k_exit_holds;
}

}  // namespace fencepost::cli
