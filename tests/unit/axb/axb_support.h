#pragma once
// Random progress tests, and short ways to read one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "axb/test.h"

namespace axb_test {

using namespace fencepost;

inline axb::Test read_one(const std::string& text, const std::string& name = "t.axb") {
  auto tests = axb::parse(make_source(name, text));
  EXPECT_TRUE(tests.has_value()) << (tests ? "" : render(tests.error())) << text;
  EXPECT_TRUE(!tests || tests->size() == 1) << text;
  return tests && !tests->empty() ? tests->front() : axb::Test{};
}

struct Shape {
  uint32_t threads = 2, locations = 2, instructions = 3, values = 2;  // at most
  bool forward = false;                                               // no loops
  bool initial = true;                                                // initial values other than 0
};

inline axb::Test random_test(std::mt19937& rng, const Shape& s) {
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(rng() % n); };
  axb::Test t;
  t.name = fmt::format("random {}", below(1000));
  const uint32_t locations = 1 + below(s.locations);
  for (uint32_t l = 0; l < locations; ++l)
    t.locations.push_back({std::string(1, static_cast<char>('a' + l)), s.initial ? below(s.values) : 0});
  const uint32_t threads = 1 + below(s.threads);
  for (uint32_t n = 0; n < threads; ++n) {
    axb::Thread th;
    const uint32_t size = below(s.instructions + 1);
    for (uint32_t pc = 0; pc < size; ++pc) {
      axb::Instr i{.location = below(locations), .check = below(s.values), .exchanges = below(3) != 0};
      i.jump = s.forward ? pc + 1 + below(size - pc) : below(size + 1);
      if (i.exchanges) i.value = below(s.values);
      if (axb::is_store(i, pc)) i.check = 0;
      th.code.push_back(i);
    }
    t.threads.push_back(th);
  }
  return t;
}

}  // namespace axb_test
