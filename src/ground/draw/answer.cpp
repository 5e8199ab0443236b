#include "draw/answer.h"

#include <utility>

namespace fencepost::draw {

Verdict verdict_of(int exit_status, std::vector<std::string> why) {
  switch (exit_status) {
    case 0:
      return {Tone::good, "PASS", std::move(why)};
    case 1:
      return {Tone::bad, "FAIL", std::move(why)};
    case 2:
      return {Tone::open, "NOT READ", std::move(why)};
    default:
      return {Tone::open, "INCOMPLETE", std::move(why)};
  }
}

const char* level_of(int exit_status) {
  return exit_status == 0 ? "none" : exit_status == 1 || exit_status == 2 ? "error" : "warning";
}

}  // namespace fencepost::draw
