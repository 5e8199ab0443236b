#include "export/plan.h"

namespace fencepost::exports {

Expected<std::string> print_litmus(const axb::Test& test, const Options&) {
  return unsupported_at(test.span, "litmus files cannot be exported yet");
}

}  // namespace fencepost::exports
