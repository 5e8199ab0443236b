// A file without a verb, or with a verb that cannot read it: the right command is named.
#include "cli/file_kind.h"

#include <gtest/gtest.h>

#include "base/child.h"
#include "base/write_file.h"
#include "cli/console.h"
#include "ran.h"

namespace fencepost::cli {
namespace {

const std::string k_root = FENCEPOST_SOURCE_DIR;

TEST(FileKind, BundledFilesAreWhatTheyAre) {
  const std::pair<const char*, FileKind> files[] = {
      {"examples/thesis/SB.litmus", FileKind::litmus},
      {"examples/glsl/caslock-relaxed-acquire.comp", FileKind::shader},
      {"examples/kernels/copy.cl", FileKind::opencl_kernel},
      {"examples/kernels/divergence.cu", FileKind::cuda_kernel},
      {"models/ptx-8.cat", FileKind::model},
      {"examples/progress/ticket.axb", FileKind::progress_test},
      {"examples/campaigns/cpu.toml", FileKind::plan},
      {"examples/hunt/shared-u64.rec", FileKind::record},
      {"examples/lowering/opencl-ptx-unfenced.map", FileKind::mapping},
      {"README.md", FileKind::unknown},
      {"examples", FileKind::unknown},
      {"no/such.file", FileKind::unknown},
  };
  for (const auto& [path, kind] : files) EXPECT_EQ(kind_of_file(k_root + "/" + path), kind) << path;
}

// A fault of another file is not the kernel's.
TEST(FileKind, AuditReadsKernels) {
  for (const FileKind kind : {FileKind::ptx_module, FileKind::cuda_kernel, FileKind::opencl_kernel})
    EXPECT_TRUE(reads("audit", kind)) << name(kind);
  EXPECT_FALSE(reads("audit", FileKind::litmus));
}

// Without the ending that is usual.
TEST(FileKind, TheTextIsLookedAtWhereTheEndingSaysNothing) {
  const ScratchFolder folder;
  const auto kind = [&](const std::string& text) {
    const std::string path = folder.path() + "/file";
    EXPECT_TRUE(write_file(path, text));
    return kind_of_file(path);
  };
  EXPECT_EQ(kind("PTX MP\n{ x = 0; }\n"), FileKind::litmus);
  EXPECT_EQ(kind("// a shader\n#version 450\nvoid main() {}\n"), FileKind::shader);
  EXPECT_EQ(kind("/* __kernel */ __global__ void k() {}\n"), FileKind::cuda_kernel);
  EXPECT_EQ(kind("__kernel void k() {}\n"), FileKind::opencl_kernel);
  EXPECT_EQ(kind("//\n// Generated\n.version 8.0\n.target sm_70\n"), FileKind::ptx_module);
  EXPECT_EQ(kind("progress \"two\"\n"), FileKind::progress_test);
  EXPECT_EQ(kind(""), FileKind::unknown);
  EXPECT_EQ(kind("/* never closed"), FileKind::unknown);
}

// No command that is named is refused for what it is given.
TEST(FileKind, EveryCommandThatIsNamedIsUnderstood) {
  for (const char* path :
       {"examples/ptx/MP.litmus", "examples/glsl/caslock-relaxed-acquire.comp", "examples/kernels/copy.cl",
        "examples/progress/ticket.axb", "models/ptx-8.cat", "examples/hunt/shared-u64.rec"}) {
    const std::string file = k_root + "/" + path;
    for (const WayOut& q : ways_out(kind_of_file(file), file)) {
      if (q.command.find("TEST") != std::string::npos || q.command.find(".svg") != std::string::npos) continue;
      std::vector<std::string> words;
      for (size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
        end = q.command.find(' ', at);
        words.push_back(q.command.substr(at, end - at));
      }
      EXPECT_EQ(words.front(), "fencepost");
      words.erase(words.begin());
      SCOPED_TRACE(q.command);
      if (words.front() == "prove") continue;  // the kernel library is not part of this test
      EXPECT_NE(run_with(words).code, k_exit_bad_input) << q.command;
    }
  }
}

TEST(FileKind, WrongVerbsAreAnsweredWithTheRightOne) {
  const auto says = [](std::vector<std::string> words, const std::string& path, const char* expected) {
    words.push_back(k_root + "/" + path);
    const Ran r = run_with(words);
    EXPECT_EQ(r.code, k_exit_bad_input) << path;
    EXPECT_NE(r.err.find(expected), std::string::npos) << r.err;
  };
  says({}, "examples/kernels/copy.cl", "fencepost prove");
  says({}, "examples/thesis/SB.litmus", "fencepost check");
  says({"check"}, "examples/kernels/divergence.cu", "fencepost prove");
  says({"check"}, "examples/progress/ticket.axb", "fencepost progress check");
  says({"check"}, "models/ptx-8.cat", "fencepost lint-model");
  says({"judge"}, "examples/thesis/SB.litmus", "which 'judge' does not read");
  // One answer, and the right one.
  for (const std::string verb : {"prove", "judge"}) {
    const Ran r = run_with({verb, k_root + "/examples/thesis/SB.litmus"});
    EXPECT_TRUE(r.err.starts_with("fencepost: ")) << r.err;
    EXPECT_EQ(r.err.find("error"), std::string::npos) << r.err;
  }
  says({"progress", "check"}, "examples/campaigns/cpu.toml", "fencepost campaign");
  EXPECT_NE(run_with({}).err.find("fencepost FILE"), std::string::npos);
  EXPECT_NE(run_with({"chek"}).err.find("unknown command 'chek'"), std::string::npos);
}

}  // namespace
}  // namespace fencepost::cli
