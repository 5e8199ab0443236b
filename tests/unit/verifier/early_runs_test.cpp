// Runs beside a proof that is under way (attack.h): what they find, and what they leave to the proof.
#include <chrono>
#include <thread>

#include "scenes.h"
#include "verifier/attack.h"
#include "verifier/engine_options.h"

namespace fencepost::verifier {
namespace {

class BesideAProof : public WithClang {};

// What is shown while nothing else ends the proof; `patience`: it is ended after so many seconds all the same.
std::optional<Attack> beside(const std::string& text, double patience, const std::vector<std::string>& words) {
  auto o = launch::parse(words);
  EXPECT_TRUE(o);
  o->dialect = ir::Dialect::cuda;
  clangfe::Options c;
  c.dialect = ir::Dialect::cuda;
  c.pointer_bits = 64;
  const auto unit = clangfe::read(make_source("k.cu", text), c);
  EXPECT_TRUE(unit);
  for (uint32_t f = 0; f < unit->module.functions.size(); ++f) {
    if (!unit->module.functions[f].kernel) continue;
    const prove::Options engine = engine_options(*o, unit->module, unit->module.functions[f]);
    const Job limit = Job::with_budget(patience);
    EarlyRuns runs(unit->module, {f}, *o, engine, Job());
    while (!runs.job().out_of_time() && !limit.out_of_time()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(runs.job().out_of_time(), !limit.out_of_time());
    return runs.shown();
  }
  return std::nullopt;
}

const std::vector<std::string> k_launch{"--blockDim=64", "--gridDim=4"};

// A solver looks long for y == h among products of three factors.
TEST_F(BesideAProof, EndTheProofOfWhatRaces) {
  const auto shown = beside(
      "__global__ void k(int *o, int w, int h) { int x = threadIdx.x % 8, y = threadIdx.x / 8;"
      "for (int z = 0; z < 4; z++) if (x < w && y <= h) o[z * w * h + y * w + x] = x + y + z; }",
      60, k_launch);
  ASSERT_TRUE(shown && shown->finding);
  EXPECT_EQ(shown->finding->kind, prove::Kind::race);
  // With the numbers that made it.
  ASSERT_EQ(shown->finding->arguments.size(), 2u);
  EXPECT_EQ(shown->finding->arguments[1].first, "h");
  EXPECT_LT(shown->finding->arguments[1].second, 8u);
}

// Only numbers of the ordinary kind: a proof may assume that unsigned indices stay small.
TEST_F(BesideAProof, LeaveWhatOnlyWildNumbersShow) {
  EXPECT_FALSE(
      beside("__global__ void k(int *o, unsigned n) { if (n > 100000000u) o[0] = threadIdx.x; else o[64 * blockIdx.x + "
             "threadIdx.x] = 1; }",
             1, k_launch));
}

// The last block reads what the others wrote behind a barrier alone, as CUDA's guide has it; a counter starts at 0.
TEST_F(BesideAProof, MeetWhatAProofMayAssume) {
  EXPECT_FALSE(
      beside("__device__ unsigned n; __global__ void k(int *p, int *o) { __shared__ bool last; if (threadIdx.x == 0) { "
             "p[blockIdx.x] = blockIdx.x; __threadfence(); last = atomicInc(&n, gridDim.x) == gridDim.x - 1; } "
             "__syncthreads(); "
             "if (last && threadIdx.x == 1) { int s = 0; for (int i = 0; i < gridDim.x; i++) s += p[i]; *o = s; } }",
             1, k_launch));
}

// A signal from outside ends the proof at once.
TEST_F(BesideAProof, HearWhoeverCancels) {
  const ir::Module none;
  const launch::Options o;
  const prove::Options engine;
  const std::atomic<bool> cancelled = true;
  Job job;
  job.cancelled = &cancelled;
  EarlyRuns runs(none, {}, o, engine, job);
  while (!runs.job().out_of_time()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(runs.shown());
}

// What the proof ends with is a race that is confirmed, and nothing is said to be an error of ours.
TEST_F(BesideAProof, AreTheAnswer) {
  decide({{"k.cu",
           "__global__ void k(int *o, int w, int h) { int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * "
           "blockDim.y + threadIdx.y;"
           "for (int z = 0; z < 4; z++) if (x <= w && y < h) o[z * w * h + y * w + x] = x + y + z; }",
           1,
           "race (confirmed by a run)",
           {"--blockDim=[16,16]", "--gridDim=[8,8]"}}});
}

}  // namespace
}  // namespace fencepost::verifier
