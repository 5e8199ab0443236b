#pragma once
// Models of strings, for the tests of this room.
#include <gtest/gtest.h>

#include <string>

#include "fair/expr.h"
#include "fair/model.h"

namespace fencepost::fair {

inline Expected<Model> parsed(const std::string& text) { return parse_model(make_source("m.progress", text)); }

// A model that must parse.
inline Model model_of(const std::string& text) {
  auto m = parsed(text);
  if (!m) {
    ADD_FAILURE() << render(m.error());
    return *parsed("model \"broken\"\nfair = {}\n");
  }
  return *m;
}
inline Model closed(const std::string& expression) { return model_of("model \"closed\"\nfair = " + expression + "\n"); }

inline ThreadSet all_of(uint32_t threads) { return threads == 64 ? ~ThreadSet{0} : (ThreadSet{1} << threads) - 1; }

}  // namespace fencepost::fair
