#pragma once
// A test and the machine code that a compiler made of it, as tests/unit/hunt/listings keeps them.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "hunt/machine.h"
#include "hunt/places.h"

namespace fencepost::hunt {

struct Sample {
  PtxTest test;
  uint32_t sm = 0;
  std::string text;
};

inline Sample recorded(const std::string& name) {
  std::ifstream in(std::string(FENCEPOST_SOURCE_DIR) + "/tests/unit/hunt/listings/" + name + ".rec");
  std::string test, target;
  std::getline(in, test);
  std::getline(in, target);
  std::stringstream rest;
  rest << in.rdbuf();
  const auto t = parse_test(test);
  EXPECT_TRUE(t.has_value()) << name;
  return {*t, static_cast<uint32_t>(std::stoul(target.substr(3))), rest.str()};
}

}  // namespace fencepost::hunt
