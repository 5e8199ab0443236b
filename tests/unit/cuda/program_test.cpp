// The three kernels of a litmus run, as PTX: they assemble, and the machine code of the test is the test. Tests with a
// '+' in their name only if FENCEPOST_KERNELS_TO names a folder, which then gets the texts and the machine code.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "emit/kernel_ptx.h"
#include "inspect/ptx_gate.h"
#include "kernels.h"
#include "plan/plan.h"
#include "read/read.h"

using namespace fencepost;
namespace fs = std::filesystem;

namespace {

// An H200, as far as plans care.
plan::Target h200() {
  plan::Target t;
  t.units = 132, t.subgroup = 32, t.max_lanes = 1024, t.max_groups = 2147483647, t.shared_words = 12288,
  t.line_words = 32;
  t.resident = {{1024, 264}}, t.memory_words = uint64_t{1} << 30;
  return t;
}

}  // namespace

TEST(ProgramPtx, BundledExamplesAreAsWritten) {
  SKIP_WITHOUT_PTXAS();
  std::map<std::string, size_t> verdicts, refused;
  const bool to_all = std::getenv("FENCEPOST_KERNELS_TO") != nullptr;
  for (const char* folder : {"thesis", "asplos24", "locks"})
    for (const auto& e : fs::directory_iterator(fs::path(FENCEPOST_SOURCE_DIR "/examples") / folder)) {
      if (e.path().extension() != ".litmus") continue;
      const char* to = std::getenv("FENCEPOST_KERNELS_TO");
      if (to == nullptr && e.path().stem().string().find('+') != std::string::npos) continue;
      const auto tests = read::parse_file(e.path().string());
      ASSERT_TRUE(tests) << e.path();
      const prog::Test& t = tests->front();
      if (t.dialect != prog::Dialect::ptx) continue;
      for (const plan::Mode mode : {plan::Mode::parallel, plan::Mode::warp, plan::Mode::single}) {
        if (mode != plan::Mode::parallel && e.path().stem() != "MP" && e.path().stem() != "CoRR") continue;
        const auto program = plan::make_program(t, h200(), {.mode = mode});
        if (!program) {
          ++refused[program.error().list.front().message];
          continue;
        }
        for (size_t k = 0; k < 3; ++k) {
          const auto ptx = emit::kernel_ptx(program->kernels[k]);
          if (!ptx) {
            ++refused[ptx.error().list.front().message];
            break;
          }
          if (k != 1 && e.path().stem() != "MP") continue;
          const auto out = device::cuda::assemble(*ptxas(), ptx->text, 90);
          ASSERT_FALSE(out.cubin.empty()) << e.path() << "\n" << out.message;
          if (k != 1) continue;
          const auto r = inspect::what_ran(*ptx, out.cubin);
          ++verdicts[inspect::name(r.verdict)];
          EXPECT_GT(r.frame, 10u);
          EXPECT_EQ(r.frame_missing, 0u) << e.path() << " " << r.first_missing;
          if (r.verdict != inspect::WhatRan::as_written)
            std::cout << "  " << e.path().stem().string() << " " << plan::name(mode) << " is "
                      << inspect::name(r.verdict) << ": " << r.reason << "\n";
          if (to != nullptr) {
            std::ofstream(fs::path(to) / (e.path().stem().string() + "-" + plan::name(mode) + ".ptx")) << ptx->text;
            std::ofstream(fs::path(to) / (e.path().stem().string() + "-" + plan::name(mode) + ".cubin")) << out.cubin;
          }
        }
      }
    }
  for (const auto& [v, n] : verdicts) std::cout << "  " << n << " " << v << "\n";
  for (const auto& [why, n] : refused) std::cout << "  " << n << " refused: " << why << "\n";
  EXPECT_GE(verdicts["as-written"], to_all ? 80u : 25u);
}
