// Names of cells go out and come back: OpenCL C and GLSL. CUDA C++: tests/unit/ptxmod/cuda_names_test.cpp.
#include <gtest/gtest.h>

#include "random_names.h"
#include "read/read.h"
#include "shader/opencl_c.h"
#include "spirv_support.h"

namespace {

using namespace fencepost;
using names_test::Language;

Expected<prog::Test> read_as(const char* name, const std::string& text, const spirv::LaunchOptions& launch) {
  auto tests = read::parse(make_source(name, text), launch);
  if (!tests) return std::unexpected(tests.error());
  return std::move(tests->front());
}

TEST(CellNames, OfShadersComeBack) {
  const auto read = [](const std::string& text, const spirv::LaunchOptions& o) { return read_as("t.comp", text, o); };
  size_t asked = 0;
  for (uint64_t seed = 1; seed <= 25 && !HasFailure(); ++seed)
    asked += names_test::names_come_back(read, names_test::Program(Language::glsl, seed).text());
  EXPECT_GT(asked, 500u);
}

TEST(CellNames, OfKernelsComeBack) {
  if (!shader::opencl_c::find_tools(make_source("t.cl", ""))) GTEST_SKIP() << "clang-15 is not installed";
  const auto read = [](const std::string& text, const spirv::LaunchOptions& o) { return read_as("t.cl", text, o); };
  size_t asked = 0;
  for (uint64_t seed = 1; seed <= 8 && !HasFailure(); ++seed)  // a reading compiles
    asked += names_test::names_come_back(read, names_test::Program(Language::opencl, seed).text(), {}, 6);
  EXPECT_GT(asked, 40u);
}

// Each workgroup's own memory, and a scalar that is accessed in pieces.
TEST(CellNames, OfWorkgroupsAndPiecesComeBack) {
  const auto read = [](const std::string& text, const spirv::LaunchOptions& o) { return read_as("t.comp", text, o); };
  spirv::LaunchOptions launch;
  launch.grid = spirv::Grid{.workgroups = {2, 1, 1}};
  EXPECT_GE(names_test::names_come_back(
                read,
                "#version 450\nlayout(local_size_x = 1) in;\nstruct S { int a; int b[2]; };\nshared S tile[2];\n"
                "layout(set = 0, binding = 0) buffer B { int x[2]; };\nvoid main() { tile[1].b[1] = 3; x[1] = 2; }\n",
                launch),
            14u);
  if (!shader::opencl_c::find_tools(make_source("t.cl", ""))) GTEST_SKIP() << "clang-15 is not installed";
  const auto kernel = [](const std::string& text, const spirv::LaunchOptions& o) { return read_as("t.cl", text, o); };
  EXPECT_GT(names_test::names_come_back(
                kernel, "// @Input: x = {1, 2}\n__kernel void k(__global int* x) { ((__global char*)x)[5] = 3; }\n"),
            7u);
}

// A module has no names but its ids.
TEST(CellNames, OfModulesComeBack) {
  const auto read = [](const std::string& text, const spirv::LaunchOptions& o) {
    return spirv::parse_spirv(make_source("t.spvasm", text), o);
  };
  EXPECT_GT(names_test::names_come_back(read, spirv_test::vulkan_all("", "OpStore %px %n3\nOpStore %ps %n1\n")), 10u);
}

TEST(CellNames, MembersAreNamedOrCounted) {
  const auto ask = [](const std::string& question) {
    const auto t =
        read_as("t.comp",
                "#version 450\n// @Output: forall (" + question +
                    ")\nlayout(local_size_x = 1) in;\nstruct S { int a; ivec2 b[2]; };\n"
                    "layout(set = 0, binding = 0) buffer B { S s[2]; } o;\nvoid main() { o.s[1].b[1].y = 7; }\n",
                {});
    EXPECT_TRUE(t.has_value()) << (t ? "" : render(t.error()));
    return t ? spirv_test::verdict(*t, check::Property::condition) : Status::unsupported;
  };
  EXPECT_EQ(ask("o.s[1].b[1][1] == 7 and o.s[1][1][1][1] == 7 and o.s[0].b[1][1] == 0"), Status::holds);
  EXPECT_EQ(ask("o.s[0].b[1][1] == 7"), Status::fails);
}

}  // namespace
