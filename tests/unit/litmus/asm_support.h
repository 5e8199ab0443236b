#pragma once
// Shared by the tests of the assembly front ends.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "print/litmus.h"
#include "prog/syntax.h"
#include "prog/test.h"
#include "read/read.h"

namespace asm_test {

using namespace fencepost;
using vocab::Tag;
using vocab::TagSet;

inline std::vector<prog::Test> parse_all(const std::string& text, const std::string& name = "t.litmus") {
  auto t = read::parse(make_source(name, text));
  EXPECT_TRUE(t.has_value()) << (t ? "" : render(t.error())) << text;
  return t ? std::move(*t) : std::vector<prog::Test>(1);
}

inline prog::Test parse(const std::string& text, const std::string& name = "t.litmus") {
  auto t = parse_all(text, name);
  EXPECT_EQ(t.size(), 1u) << text;
  return std::move(t.front());
}

// The law of the printers: reading the text back gives the same value.
inline std::string expect_round_trip(const prog::Test& t) {
  const std::string text = print::print(t);
  const bool notation = t.syntax == prog::Syntax::vulkan_test || t.syntax == prog::Syntax::mixedproxy_test;
  auto back = read::parse_one(make_source(notation ? "other.test" : "other.litmus", text));
  EXPECT_TRUE(back.has_value()) << (back ? "" : render(back.error())) << text;
  if (back) {
    EXPECT_EQ(*back, t) << text;
    EXPECT_EQ(print::print(*back), text);
  }
  return text;
}

// One thread with one instruction.
inline prog::Test ptx_of(const std::string& instruction) {
  return parse("PTX t\n{ x=0; y=0; }\n P0@cta 0,gpu 0 ;\n " + instruction + " ;\n");
}
inline prog::Test vulkan_of(const std::string& instruction) {
  return parse("VULKAN t\n{ x=0; y=0; }\n P0@sg 0,wg 0,qf 0 ;\n " + instruction + " ;\n");
}
inline const prog::Instr& first(const prog::Test& t) { return t.instrs(0).front(); }

}  // namespace asm_test
