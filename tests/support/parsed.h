#pragma once
// A litmus test from its text, for unit tests. Where the text cannot be read the calling test fails with the
// diagnostics and the text, and the result is an empty test.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "prog/test.h"
#include "read/read.h"

namespace fencepost::support {

inline prog::Test parsed(const std::string& text, const std::string& name = "test.litmus") {
  auto t = read::parse_one(make_source(name, text));
  if (t) return *std::move(t);
  ADD_FAILURE() << render(t.error()) << text;
  return {};
}

}  // namespace fencepost::support
