#include "base/verdict.h"

namespace fencepost {

const char* name(Status s) {
  switch (s) {
    case Status::holds:
      return "holds";
    case Status::fails:
      return "fails";
    case Status::unknown:
      return "unknown";
    case Status::unsupported:
      return "unsupported";
    case Status::gave_up:
      return "gave_up";
  }
  return "unknown";
}

int exit_code(Status s) {
  switch (s) {
    case Status::holds:
      return 0;
    case Status::fails:
      return 1;
    case Status::unknown:
    case Status::unsupported:
    case Status::gave_up:
      return 3;
  }
  return 3;
}

}  // namespace fencepost
