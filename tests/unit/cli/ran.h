#pragma once
// The program run in this process: its exit code and what it printed.
#include <string>
#include <vector>

#include "cli/verbs.h"

namespace fencepost::cli {

struct Ran {
  int code = 0;
  std::string out, err;
};

inline Ran run_with(const std::vector<std::string>& args) {
  Ran r;
  const Console console{[&](std::string_view s) { r.out += s; }, [&](std::string_view s) { r.err += s; }, false};
  r.code = run(args, console);
  return r;
}

}  // namespace fencepost::cli
