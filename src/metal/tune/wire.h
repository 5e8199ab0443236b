#pragma once
// What the child of conduct.h says, as text. Both ends are one program, so nothing is versioned.
#include <string>
#include <variant>

#include "tune/conduct.h"

namespace fencepost::tune {

struct Begun {  // this part is being measured now
  size_t test = 0;
  store::Trial key;  // key members, parameters, mode, seed
};
struct Measured {
  size_t test = 0;
  store::Trial trial;
};
struct Told {
  size_t test = 0;
  std::string now;
  double part = 0, best = -1;
};
struct Refused {
  size_t test = 0;
  Diagnostics why;
};
struct TestDone {
  size_t test = 0;
};
using Message = std::variant<Begun, Measured, Told, Refused, TestDone>;

std::string to_text(const Message& m);
Message message_of(const std::string& text);  // invariant: made by to_text

}  // namespace fencepost::tune
