// Programs are built and run where a compiler (and for OpenCL a device) is there.
#include "standalone/program.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "device/backend.h"
#include "read/read.h"

using namespace fencepost;
using namespace fencepost::standalone;

namespace {

prog::Test test_of(const std::string& path) {
  const auto t = read::parse_file(std::string(FENCEPOST_SOURCE_DIR) + path);
  EXPECT_TRUE(t.has_value()) << path;
  return t->front();
}

Expected<std::string> text_of(const prog::Test& test, ProgramKind kind,
                              const char* wishes = "stress=0,pre-stress=off,rounds=20") {
  const plan::Target target = usual_target(kind);
  const auto program = plan::make_program(test, target, {});
  if (!program) return std::unexpected(program.error());
  plan::Parameters parameters;
  EXPECT_TRUE(plan::set_parameters(parameters, wishes).has_value());
  const auto configuration = plan::draw(*program, target, parameters, 1, 0);
  if (!configuration) return std::unexpected(configuration.error());
  return program_text(kind, *program, *configuration, target, {"fencepost", "fencepost emit"});
}

struct Ran {
  int status = -1;
  std::string output;
};
Ran run(const std::string& command) {
  Ran out;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return out;
  std::array<char, 4096> buffer;
  while (const size_t n = fread(buffer.data(), 1, buffer.size(), pipe)) out.output.append(buffer.data(), n);
  const int status = pclose(pipe);
  out.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return out;
}

// Built and run; "" where that went well, with what it printed in `output`.
std::string build_and_run(const std::string& text, const std::string& name, const std::string& compiler,
                          const std::string& libraries, std::string& output) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("fencepost-program-{}-{}", name, getpid());
  std::filesystem::create_directories(folder);
  const std::string source = folder / name, program = folder / "program";
  std::ofstream(source) << text;
  const Ran build = run(fmt::format("{} {} -o {} {}", compiler, source, program, libraries));
  Ran done;
  if (build.status == 0) done = run(program + " 3");
  std::filesystem::remove_all(folder);
  output = done.output;
  if (build.status != 0) return "build: " + build.output;
  return done.status == 0 ? "" : fmt::format("status {}: {}", done.status, done.output);
}

bool there(const char* command) { return run(std::string("command -v ") + command).status == 0; }

}  // namespace

TEST(Program, CppRunsAndCountsEveryInstance) {
  if (!there("g++")) GTEST_SKIP() << "g++ is not here";
  for (const char* path : {"/tests/corpus/ptx/SB+sc.gpu+sc.gpu+dcta.litmus",
                           "/tests/corpus/opencl/MP+rel-acq.dev+dev.litmus", "/examples/locks/cas-lock.litmus"}) {
    const auto text = text_of(test_of(path), ProgramKind::cpp);
    ASSERT_TRUE(text.has_value()) << path << ": " << render(text.error());
    std::string output;
    EXPECT_EQ(
        build_and_run(*text, "test.cpp",
                      "g++ -O1 -std=c++20 -pthread -Wall -Wextra -Wno-unused-but-set-variable -Werror", "", output),
        "")
        << path;
    EXPECT_NE(output.find("positive 0 of "), std::string::npos) << path << "\n" << output;
    EXPECT_NE(output.find("corrupt 0, not ended 0"), std::string::npos) << path << "\n" << output;
  }
}

TEST(Program, OpenclRunsAndCountsEveryInstance) {
  if (!there("cc") || !std::filesystem::exists("/usr/include/CL/cl.h"))
    GTEST_SKIP() << "no C compiler or no headers of OpenCL (Debian: opencl-c-headers)";
  const auto found = device::find_devices();
  unsigned index = 0;
  bool scoped = false;
  for (const auto& d : found.devices) {
    if (d.api != device::Api::opencl) continue;
    if (!scoped && index == 0) scoped = d.device_scope;
    ++index;
  }
  if (!scoped) GTEST_SKIP() << "the first OpenCL device has no scoped atomics (Debian: pocl-opencl-icd)";
  const auto text = text_of(test_of("/tests/corpus/opencl/MP+rel-acq.dev+dev.litmus"), ProgramKind::opencl,
                            "stress=0,pre-stress=off,rounds=4,groups=2,lanes=32,ticket=on");
  ASSERT_TRUE(text.has_value()) << render(text.error());
  std::string output;
  EXPECT_EQ(build_and_run(*text, "test.c", "cc -std=c11 -Wall", "-l:libOpenCL.so.1", output), "");
  EXPECT_NE(output.find("positive 0 of "), std::string::npos) << output;
  EXPECT_NE(output.find("corrupt 0, not ended 0"), std::string::npos) << output;
}

TEST(Program, TextsSayWhatTheyAre) {
  const prog::Test vulkan = test_of("/examples/locks/exchange-lock.litmus");
  const auto amber = text_of(vulkan, ProgramKind::amber);
  ASSERT_TRUE(amber.has_value()) << render(amber.error());
  for (const char* part : {"#!amber\n", "SHADER compute test GLSL TARGET_ENV spv1.5", "PIPELINE compute run_test",
                           "REPEAT 100", "EXPECT counts IDX"})
    EXPECT_NE(amber->find(part), std::string::npos) << part;
  const auto inline_ptx = text_of(test_of("/tests/corpus/ptx/SB+sc.gpu+sc.gpu+dcta.litmus"), ProgramKind::opencl_ptx);
  ASSERT_TRUE(inline_ptx.has_value()) << render(inline_ptx.error());
  EXPECT_NE(inline_ptx->find("The kernels are inline PTX"), std::string::npos);
  EXPECT_NE(inline_ptx->find("fence.sc.gpu;"), std::string::npos);
  const auto metal = text_of(test_of("/tests/corpus/opencl/2+2W+rlx.litmus"), ProgramKind::metal);
  ASSERT_TRUE(metal.has_value()) << render(metal.error());
  EXPECT_NE(metal->find("kernel void test("), std::string::npos);
  const auto ordered = text_of(test_of("/tests/corpus/opencl/MP+rel-acq.dev+dev.litmus"), ProgramKind::metal);
  ASSERT_FALSE(ordered.has_value());
  EXPECT_EQ(ordered.error().list[0].message, "'atomic_store_explicit' has an order, and Metal's atomics are relaxed");
}
