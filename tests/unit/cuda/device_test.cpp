// The CUDA backend, the printer and the gate on a real device. Skipped where there is none; tools/device_smoke runs
// them on a machine that has one. They print what they measure.
#include <fmt/format.h>

#include <cstdlib>

#include "campaign/runner.h"
#include "code/execute.h"
#include "device/cuda/cuda.h"
#include "emit/kernel_ptx.h"
#include "inspect/ptx_gate.h"
#include "kernels.h"
#include "read/read.h"

using namespace fencepost;
using namespace fencepost::device;
using term::Op;

namespace {

std::string words(const Diagnostics& ds) { return ds.list.empty() ? "" : ds.list.front().message; }

term::Expr c32(uint64_t v) { return term::constant(v, 32); }

// With ptxas where there is one, and with the driver's own compiler.
class CudaDevice : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam()) setenv("FENCEPOST_PTXAS", "", 1);
    auto b = cuda::open(0);
    if (!b) GTEST_SKIP() << "no CUDA device: " << words(b.error());
    backend = std::move(*b);
    if (!GetParam() && !cuda::find_assembler()) GTEST_SKIP() << "no ptxas: set FENCEPOST_PTXAS or put it on the PATH";
  }
  void TearDown() override {
    if (GetParam()) unsetenv("FENCEPOST_PTXAS");
  }
  Expected<ModuleId> load(const code::Kernel& k, emit::PtxText* text = nullptr) {
    const auto ptx = emit::kernel_ptx(k, {.sm = cuda::sm_of(backend->info())});
    if (!ptx) return std::unexpected(ptx.error());
    if (text != nullptr) *text = *ptx;
    return backend->load({Language::ptx, ptx->text, {k}});
  }
  std::unique_ptr<Backend> backend;
};

std::string mp(const std::string& st, const std::string& ld, const std::string& fence = "") {
  std::string rows = fmt::format(" {} x, 1 | {} r0, y ;\n", st, ld);
  if (!fence.empty()) rows += fmt::format(" {} | {} ;\n", fence, fence);
  return fmt::format(
      "PTX MP\n{{ x=0; y=0; P1:r0=0; P1:r1=0; }}\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n{} {} y, 1 | {} r1, x ;\n"
      "exists (P1:r0 == 1 /\\ P1:r1 == 0)\n",
      rows, st, ld);
}
std::string sb(const std::string& st, const std::string& ld) {
  return fmt::format(
      "PTX SB\n{{ x=0; y=0; P0:r0=0; P1:r1=0; }}\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n {0} x, 1 | {0} y, 1 ;\n"
      " {1} r0, y | {1} r1, x ;\nexists (P0:r0 == 0 /\\ P1:r1 == 0)\n",
      st, ld);
}
std::string lb(const std::string& st, const std::string& ld) {
  return fmt::format(
      "PTX LB\n{{ x=0; y=0; P0:r0=0; P1:r1=0; }}\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n {1} r0, x | {1} r1, y ;\n"
      " {0} y, 1 | {0} x, 1 ;\nexists (P0:r0 == 1 /\\ P1:r1 == 1)\n",
      st, ld);
}
std::string corr(const std::string& st, const std::string& ld) {
  return fmt::format(
      "PTX CoRR\n{{ x=0; P1:r0=0; P1:r1=0; }}\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n {0} x, 1 | {1} r0, x ;\n"
      " | {1} r1, x ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)\n",
      st, ld);
}

struct Row {
  const char* name;
  std::string text;
  bool forbidden;
};
std::vector<Row> families() {
  const std::string st = "st.relaxed.gpu", ld = "ld.relaxed.gpu";
  return {{"MP", mp(st, ld), false},
          {"MP+fences", mp(st, ld, "fence.acq_rel.gpu"), true},
          {"SB", sb(st, ld), false},
          {"LB", lb(st, ld), false},
          {"CoRR", corr(st, ld), true},
          {"MP weak", mp("st.weak", "ld.weak"), false},
          {"MP cta", mp("st.relaxed.cta", "ld.relaxed.cta"), false}};
}

}  // namespace

// The same tests where there is no device: few instances, on the sequential executor.
TEST(CudaFamilies, RunOnTheExecutor) {
  const auto reference = campaign::open_reference(1);
  for (const Row& row : families()) {
    const auto test = read::parse_one(make_source(row.name, row.text));
    ASSERT_TRUE(test) << words(test.error());
    campaign::Options o;
    o.memory_words = 1024;
    auto runner = campaign::Runner::make(*test, o, *reference);
    ASSERT_TRUE(runner) << words(runner.error());
    const auto group = runner->run_group(0);
    ASSERT_TRUE(group) << words(group.error());
    EXPECT_EQ(group->corrupt, 0u);
    EXPECT_EQ(campaign::positive(*test, runner->setup().observables, group->states), 0u) << row.name;
    EXPECT_GT(group->instances, 0u);
  }
}

// Every statement, on the device and in the sequential executor.
TEST_P(CudaDevice, EveryStatementDoesWhatTheExecutorDoes) {
  const code::Kernel k = every_statement();
  const auto m = load(k);
  ASSERT_TRUE(m) << words(m.error());
  for (uint32_t seed = 0; seed < 20; ++seed) {
    code::Words memory(64), out(2048, 0xdeadbeef);
    for (uint32_t i = 0; i < 64; ++i)
      memory[i] = (i + 1 + seed * 64) * 2654435761u ^ (seed % 3 == 1 ? 0x80000000u : 0u);
    if (seed % 4 == 2) memory[1] = 0, memory[4] = memory[5] = 0xffffffffu;
    if (seed % 4 == 3) memory[0] = memory[3] = 0x80000000u, memory[1] = 0xffffffffu, memory[2] = 0;
    code::Words memory_there = memory, out_there = out;
    const auto run = code::Executable(k).run(1, 1, {&memory, &out}, {});
    ASSERT_EQ(run.fault, "");
    const auto mb = backend->allocate(64), ob = backend->allocate(2048);
    ASSERT_TRUE(backend->write(*mb, 0, memory_there) && backend->write(*ob, 0, out_there));
    const auto done = backend->launch({.module = *m, .kernel = k.name, .buffers = {*mb, *ob}});
    ASSERT_TRUE(done) << words(done.error());
    ASSERT_EQ(done->status, Outcome::Status::done) << done->message;
    ASSERT_TRUE(backend->read(*mb, 0, memory_there) && backend->read(*ob, 0, out_there));
    EXPECT_EQ(memory, memory_there) << seed;
    EXPECT_EQ(out, out_there) << seed;
    backend->release(*mb), backend->release(*ob);
  }
}

// Clusters and cooperative launches: every workgroup and invocation runs once.
TEST_P(CudaDevice, LaunchesReachEveryInvocation) {
  code::Kernel k;
  k.name = "ids";
  k.buffers = {{"out"}};
  const code::Var g = code::add_variable(k, "g"), l = code::add_variable(k, "l"), n = code::add_variable(k, "n");
  const term::Expr id =
      term::binary(Op::add, term::binary(Op::mul, code::value_of(k, g), code::value_of(k, n)), code::value_of(k, l));
  k.body = {code::read_builtin(g, code::Builtin::group), code::read_builtin(l, code::Builtin::lane),
            code::read_builtin(n, code::Builtin::lanes),
            code::atomic(code::AtomicOp::add, code::k_no_var, {0, id}, id)};
  const auto m = load(k);
  ASSERT_TRUE(m) << words(m.error());
  const uint32_t resident = backend->resident_groups(*m, "ids", 256);
  EXPECT_GE(resident, backend->info().units);
  const auto b = backend->allocate(64 * 256);
  for (const uint32_t cluster : {1u, 2u, 8u, 16u})
    for (const bool cooperative : {false, true}) {
      if (cluster > backend->info().max_cluster || (cooperative && cluster > 1)) continue;
      ASSERT_TRUE(backend->fill(*b, 0, 64 * 256, 1));
      const auto done = backend->launch({.module = *m,
                                         .kernel = "ids",
                                         .groups = 64,
                                         .lanes = 256,
                                         .cluster = cluster,
                                         .buffers = {*b},
                                         .cooperative = cooperative});
      ASSERT_TRUE(done) << cluster << " " << words(done.error());
      code::Words out(64 * 256);
      ASSERT_TRUE(backend->read(*b, 0, out));
      for (uint32_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], i + 1) << cluster;
    }
}

// What plans with clusters rest on: neighbours in number form a cluster, in the order of their ranks.
TEST_P(CudaDevice, ClustersAreNeighbours) {
  if (backend->info().max_cluster == 1) GTEST_SKIP() << "no clusters on this device";
  code::Kernel k;
  k.name = "places";
  k.buffers = {{"out"}};
  const code::Var g = code::add_variable(k, "g"), l = code::add_variable(k, "l");
  k.body = {code::read_builtin(g, code::Builtin::group), code::read_builtin(l, code::Builtin::lane)};
  uint32_t at = 0;
  for (const code::Builtin b : {code::Builtin::cluster, code::Builtin::rank, code::Builtin::ranks}) {
    const code::Var v = code::add_variable(k, fmt::format("v{}", at));
    k.body.push_back(code::read_builtin(v, b));
    const term::Expr word = term::binary(Op::add, term::binary(Op::mul, code::value_of(k, g), term::constant(3, 32)),
                                         term::constant(at++, 32));
    k.body.push_back(code::branch(term::binary(Op::eq, code::value_of(k, l), term::constant(0, 32)),
                                  {code::store({0, word}, code::value_of(k, v))}));
  }
  const auto m = load(k);
  ASSERT_TRUE(m) << words(m.error());
  const auto b = backend->allocate(3 * 48);
  for (const uint32_t cluster : {1u, 2u, 4u, 8u, 16u}) {
    if (cluster > backend->info().max_cluster) continue;
    ASSERT_TRUE(backend->fill(*b, 0, 3 * 48, 0xffffffffu));
    const auto done = backend->launch(
        {.module = *m, .kernel = "places", .groups = 48, .lanes = 64, .cluster = cluster, .buffers = {*b}});
    ASSERT_TRUE(done) << cluster << " " << words(done.error());
    code::Words out(3 * 48);
    ASSERT_TRUE(backend->read(*b, 0, out));
    for (uint32_t i = 0; i < 48; ++i) {
      ASSERT_EQ(out[3 * i], i / cluster) << cluster;
      ASSERT_EQ(out[3 * i + 1], i % cluster) << cluster;
      ASSERT_EQ(out[3 * i + 2], cluster);
    }
  }
}

TEST_P(CudaDevice, TheGateSeesWhatItsCompilerDid) {
  emit::PtxText text;
  const auto m = load(role_of({"st.relaxed.gpu x 1", "fence.acq_rel.gpu", "st.relaxed.gpu x 2", "ld.acquire.gpu y",
                               "fence.sc.sys", "atom.acq_rel.gpu.add z 1", "ld.relaxed.cta x", "st.release.gpu y 3"}),
                      &text);
  ASSERT_TRUE(m) << words(m.error());
  const auto r = inspect::what_ran(text, backend->binary(*m).bytes);
  fmt::print("  {}: {} {}\n", GetParam() ? "driver" : "ptxas", inspect::name(r.verdict), r.reason);
  for (const auto& s : r.sites) fmt::print("    {}: {} ({})\n", s.written, s.found, inspect::name(s.verdict));
  if (!GetParam()) EXPECT_EQ(r.verdict, inspect::WhatRan::as_written);  // the driver may keep no lines
}

// Short runs: rates, corrupt results, and that what coherence forbids does not appear.
TEST_P(CudaDevice, FamiliesRunAndCount) {
  for (const Row& row : families()) {
    const auto test = read::parse_one(make_source(row.name, row.text));
    ASSERT_TRUE(test) << words(test.error());
    campaign::Options o;
    o.seconds = 0.5;
    auto runner = campaign::Runner::make(*test, o, *backend);
    ASSERT_TRUE(runner) << words(runner.error());
    Job job;
    const auto total = campaign::run_groups(*runner, *test, o, job, 0, [](const auto&) { return true; });
    ASSERT_TRUE(total) << words(total.error());
    const uint64_t weak = campaign::positive(*test, runner->setup().observables, total->states);
    fmt::print(
        "  {:10} {:>12} instances, {:9.3e}/s end to end, {:9.3e}/s on the device, weak {} ({:.2e}/s), corrupt {}, "
        "incomplete {}, time-outs {:.2f} %, {} {}\n",
        row.name, total->instances, double(total->instances) / total->seconds,
        double(total->instances) / total->device_seconds, weak, double(weak) / total->seconds, total->corrupt,
        total->incomplete, 100.0 * double(total->time_outs) / double(std::max<uint64_t>(total->waits, 1)),
        inspect::name(runner->setup().what_ran.verdict), runner->setup().what_ran.reason);
    EXPECT_EQ(total->corrupt, 0u) << row.name;
    if (row.forbidden) EXPECT_EQ(weak, 0u) << row.name;
  }
}

// Last: the backend is dead afterwards, and the kernel ends by itself a second later.
TEST_P(CudaDevice, ZLongLaunchesTimeOut) {
  code::Kernel k;
  k.name = "long";
  k.buffers = {{"out"}};
  const code::Var start = code::add_variable(k, "start", 64), now = code::add_variable(k, "now", 64);
  const term::Expr passed = term::binary(Op::sub, code::value_of(k, now), code::value_of(k, start));
  k.body = {
      code::clock(start),
      code::loop({code::clock(now), code::leave_if(term::binary(Op::uge, passed, term::constant(1'000'000'000, 64)))}),
      code::store({0, c32(0)}, c32(1))};
  const auto m = load(k);
  ASSERT_TRUE(m) << words(m.error());
  const auto b = backend->allocate(1);
  const auto whole = backend->launch({.module = *m, .kernel = "long", .buffers = {*b}});
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->status, Outcome::Status::done);
  EXPECT_NEAR(whole->seconds, 1.0, 0.1);
  const auto cut = backend->launch({.module = *m, .kernel = "long", .buffers = {*b}, .limit = 0.2});
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->status, Outcome::Status::timed_out);
  EXPECT_FALSE(backend->allocate(1));
}

INSTANTIATE_TEST_SUITE_P(Compilers, CudaDevice, ::testing::Values(false, true),
                         [](const auto& i) { return i.param ? "Driver" : "Ptxas"; });
