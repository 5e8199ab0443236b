#pragma once
// Small modules for the tests of the PTX reader, and their verdicts.
#include <gtest/gtest.h>

#include <string>

#include "cat/library.h"
#include "check/check.h"
#include "ptxmod/ptxmod.h"
#include "read/read.h"

namespace ptxmod_test {

using namespace fencepost;

inline const char* k_top = ".version 8.0\n.target sm_80\n.address_size 64\n";

// A kernel with buffers x, y, out, which start at 0, and registers of every kind.
inline std::string kernel(const std::string& header, const std::string& code, const std::string& outside = "") {
  return header + "// @Input: x = {0,0,0,0,0,0,0,0}, y = {0,0,0,0,0,0,0,0}, out = {0,0,0,0,0,0,0,0}\n" + k_top +
         outside + R"(
.visible .entry k(.param .u64 x, .param .u64 y, .param .u64 out)
{
  .reg .pred %p<9>;
  .reg .b16 %h<9>;
  .reg .b32 %r<30>;
  .reg .f32 %f<9>;
  .reg .b64 %rd<30>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.u64 %rd3, [out];
  cvta.to.global.u64 %rd4, %rd1;
  cvta.to.global.u64 %rd5, %rd2;
  cvta.to.global.u64 %rd6, %rd3;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
)" + code +
         "\n  ret;\n}\n";
}

inline prog::Test read(const std::string& text, const spirv::LaunchOptions& launch = {}) {
  auto t = ptxmod::parse_ptx_module(make_source("t.ptx", text), launch);
  EXPECT_TRUE(t.has_value()) << (t ? "" : render(t.error())) << text;
  return t ? std::move(*t) : prog::Test{};
}
// The message of a module that is not read.
inline std::string refusal(const std::string& text, const spirv::LaunchOptions& launch = {}) {
  auto t = ptxmod::parse_ptx_module(make_source("t.ptx", text), launch);
  EXPECT_FALSE(t.has_value()) << text;
  return t ? "" : render(t.error());
}

inline Status verdict(const prog::Test& t, check::Property property, uint32_t bound = 2,
                      check::Engine engine = check::Engine::automatic, const std::string& model = "ptx-7.5") {
  const auto m = cat::load_model(model, t.dialect);
  EXPECT_TRUE(m.has_value()) << (m ? "" : render(m.error()));
  check::Options o;
  o.property = property;
  o.bound = bound;
  o.engine = engine;
  Job job;
  return check::check(t, *m, o, job).verdict.status;
}
inline Status ask(const std::string& text, uint32_t bound = 2, check::Engine engine = check::Engine::automatic) {
  return verdict(read(text), check::Property::condition, bound, engine);
}
inline Status races(const std::string& text, uint32_t bound = 2) {
  return verdict(read(text), check::Property::races, bound);
}

}  // namespace ptxmod_test
