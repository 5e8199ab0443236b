#include "cli/verbs.h"
#include "gate/gate.h"

namespace fencepost::cli {

int run_prove(const std::vector<std::string>& args, const Console& console) {
  return gate::prove({args.begin() + 1, args.end()}, {.out = console.out, .err = console.err});
}

}  // namespace fencepost::cli
