// Progress tests as kernels and their runs: the sequential executor and threads of this machine.
#include "trial/trial.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "campaign/runner.h"
#include "code/execute.h"
#include "device/cuda/assembler.h"
#include "emit/kernel_opencl.h"
#include "emit/kernel_ptx.h"
#include "emit/kernel_spirv.h"
#include "inspect/cubin.h"
#include "inspect/ptx_gate.h"
#include "oracle/oracle.h"

namespace fencepost::trial {
namespace {

using exports::Mapping;

constexpr Mapping k_mappings[] = {Mapping::plain, Mapping::round_robin, Mapping::chunked, Mapping::hybrid,
                                  Mapping::paired};

axb::Test read(const std::string& json) {
  auto tests = axb::parse(make_source("tests.jsonl", json + "\n"));
  if (!tests || tests->size() != 1) throw std::runtime_error(tests ? "not one test" : render(tests.error()));
  return tests->front();
}

// Thread 0 waits for 1, which thread 1 writes.
axb::Test consumer() { return read(R"({"config":"2t2i","id":4,"threads":[[[0,0,0,0,0]],[[0,0,1,1,1]]]})"); }
// Thread 1 waits for a value that nobody writes; 0 and 2 end.
axb::Test waits_for_ever() {
  return read(R"({"config":"stuck","id":1,"threads":[[[0,0,1,1,1]],[[1,0,0,0,0]],[[0,0,1,1,1]]]})");
}

std::unique_ptr<device::Backend> open(const std::string& id) {
  auto made = campaign::open_device(id, 1);
  if (!made) throw std::runtime_error(render(made.error()));
  return std::move(*made);
}

Run run_once(const axb::Test& test, const Options& options, device::Backend& backend) {
  auto trial = Trial::make(test, options, backend);
  if (!trial) throw std::runtime_error(render(trial.error()));
  const auto run = trial->run();
  if (!run) throw std::runtime_error(render(run.error()));
  return *run;
}

std::vector<axb::Test> bundled() {
  std::vector<axb::Test> all;
  std::vector<std::string> files;
  for (const auto& e : std::filesystem::recursive_directory_iterator(FENCEPOST_SOURCE_DIR "/examples/progress"))
    if (e.path().extension() == ".axb") files.push_back(e.path());
  std::sort(files.begin(), files.end());
  for (const std::string& f : files) {
    auto tests = axb::parse_file(f);
    if (!tests) throw std::runtime_error(render(tests.error()));
    for (axb::Test& t : *tests) {
      if (t.name.empty()) t.name = f;
      all.push_back(std::move(t));
    }
  }
  return all;
}

TEST(Kernel, IsWellFormedAndPrintableForEveryTestOrderAndKindOfLoad) {
  for (const axb::Test& test : bundled())
    for (const auto order : {exports::Order::relaxed, exports::Order::acq_rel, exports::Order::seq_cst})
      for (const auto loads : {exports::Loads::add, exports::Loads::load}) {
        const code::Kernel k = make_kernel(test, {order, loads});
        EXPECT_EQ(code::fault_of(k), "") << test.name;
        if (loads == exports::Loads::load && order == exports::Order::relaxed) continue;
        EXPECT_TRUE(emit::kernel_ptx(k)) << test.name;
        EXPECT_TRUE(emit::kernel_opencl({k})) << test.name;
        EXPECT_TRUE(emit::kernel_opencl({k}, emit::OpenclKind::inline_ptx)) << test.name;
      }
  EXPECT_TRUE(emit::kernel_spirv({make_kernel(consumer(), {})}));
  EXPECT_TRUE(emit::kernel_spirv({make_kernel(consumer(), {.order = exports::Order::acq_rel})}));
  const std::string ptx = emit::kernel_ptx(make_kernel(consumer(), {.order = exports::Order::acq_rel}))->text;
  EXPECT_NE(ptx.find("fence.acq_rel.gpu"), std::string::npos);
  EXPECT_EQ(ptx.find("fence.sc"), std::string::npos);
}

// Code for warps with one program counter: the assembler puts no YIELD (opcode 0x946 of Volta and later) into loops.
TEST(Kernel, LockStepBuildsDoNotYield) {
  const emit::PtxOptions lock_step{.lock_step = true};
  const code::Kernel k = make_kernel(consumer(), {.order = exports::Order::seq_cst});
  const auto text = emit::kernel_ptx(k, lock_step);
  ASSERT_TRUE(text);
  EXPECT_NE(text->text.find(".target sm_60"), std::string::npos);
  EXPECT_EQ(text->text.find("relaxed"), std::string::npos);
  const auto ptxas = device::cuda::find_assembler();
  if (!ptxas) GTEST_SKIP() << "no ptxas: set FENCEPOST_PTXAS";
  const auto yields = [&](const emit::PtxText& t) {
    const auto made = device::cuda::assemble(*ptxas, t.text, 90);
    EXPECT_NE(made.cubin, "") << made.message;
    EXPECT_EQ(inspect::what_ran(t, made.cubin).frame_missing, 0u);
    size_t n = 0;
    const auto kernels = inspect::read_cubin(made.cubin);
    for (const inspect::SassInstruction& i : kernels->front().code) n += (i.low & 0xfff) == 0x946;
    return n;
  };
  EXPECT_EQ(yields(*text), 0u);
  EXPECT_GT(yields(*emit::kernel_ptx(k)), 0u);
}

// Every atomic of the test, the flag and the counter are in the machine code.
TEST(Kernel, NothingIsLostInMachineCode) {
  const auto ptxas = device::cuda::find_assembler();
  if (!ptxas) GTEST_SKIP() << "no ptxas: set FENCEPOST_PTXAS";
  const auto tests = bundled();
  for (size_t i = 0; i < tests.size(); i += 12)
    for (const auto order : {exports::Order::relaxed, exports::Order::seq_cst})
      for (const auto loads : {exports::Loads::add, exports::Loads::load}) {
        const auto text = emit::kernel_ptx(make_kernel(tests[i], {order, loads}));
        ASSERT_TRUE(text);
        const auto made = device::cuda::assemble(*ptxas, text->text, 90);
        ASSERT_NE(made.cubin, "") << made.message;
        const auto report = inspect::what_ran(*text, made.cubin);
        size_t accesses = 4;  // at least: the flag read and raised, the counter, the contention
        for (const axb::Thread& t : tests[i].threads) accesses += t.code.size();
        EXPECT_GE(report.frame, accesses) << tests[i].name;
        EXPECT_EQ(report.frame_missing, 0u) << tests[i].name << ": " << report.first_missing;
      }
}

TEST(Kernel, RoleTableIsTheMapping) {
  for (const Mapping m : k_mappings) {
    const exports::Layout layout{m, 3, 20, 5};
    const auto table = role_table(layout);
    ASSERT_EQ(table.size(), 40u);
    for (uint32_t gid = 0; gid < 20; ++gid) {
      const auto role = exports::role_of(layout, gid);
      EXPECT_EQ(table[2 * gid], role ? role->thread : k_no_thread);
      if (role) {
        EXPECT_EQ(table[2 * gid + 1], role->instance);
        EXPECT_EQ(exports::gid_of(layout, *role), gid);
      }
    }
  }
}

// A file's mapping is what the kernel's table says, and the run launches what the file lists.
TEST(Kernel, RoleTableOfAFile) {
  const auto own = exports::parse_table(make_source("own.map", "mapping own\n1.0 0.0 - 0.1 1.1\n"));
  ASSERT_TRUE(own);
  const exports::Layout layout{Mapping::table, 2, 5, 1, *own};
  EXPECT_EQ(role_table(layout), (std::vector<uint32_t>{0, 1, 0, 0, k_no_thread, 0, 1, 0, 1, 1}));
  auto backend = open("reference");
  const Options options{.mapping = Mapping::table, .table = *own};
  auto trial = Trial::make(consumer(), options, *backend);
  ASSERT_TRUE(trial) << render(trial.error());
  EXPECT_EQ(trial->setup().total, 5u);
  EXPECT_EQ(trial->setup().instances, 2u);
  EXPECT_NE(trial->setup().variant.find("total=5 table="), std::string::npos) << trial->setup().variant;
  EXPECT_EQ(trial->run()->outcome, Outcome::terminated);
  EXPECT_EQ(mapping_text(options), "own");
  const auto refused = Trial::make(waits_for_ever(), options, *backend);
  ASSERT_FALSE(refused);
  EXPECT_NE(render(refused.error()).find("is for tests of 2 threads, and this one has 3"), std::string::npos);
}

// What the kernel does with the table: each thread of each instance writes into its own location's word.
TEST(Kernel, EveryInstanceRunsEveryThreadOnce) {
  const axb::Test test = read(R"({"config":"own","id":0,"threads":[[[0,0,1,1,10]],[[1,0,1,1,11]],[[2,0,1,1,12]]]})");
  const code::Executable run(make_kernel(test, {}));
  for (const Mapping m : k_mappings)
    for (const uint32_t lanes : {1u, 4u}) {
      const exports::Layout layout{m, 3, 20, 9};
      const uint32_t n = exports::instances(layout), padding = 2;
      code::Words parameters = {1000000, 0, k_most_steps, n, padding, 0}, roles = role_table(layout),
                  memory(3 * n * padding, 0), sync(k_sync_words, 0), ends(20, k_sentinel);
      const auto done = run.run(20 / lanes, lanes, {&parameters, &roles, &memory, &sync, &ends}, {.seed = 3});
      ASSERT_EQ(done.fault, "");
      EXPECT_EQ(sync[k_sync_counter], 20u);
      for (uint32_t l = 0; l < 3; ++l)
        for (uint32_t i = 0; i < n; ++i) {
          EXPECT_EQ(memory[word_of(l, i, n, padding)], 10 + l);
          EXPECT_EQ(memory[word_of(l, i, n, padding) + 1], 0u);
        }
      for (uint32_t gid = 0; gid < 20; ++gid)
        EXPECT_EQ(ends[gid], exports::role_of(layout, gid) ? (1u << 8 | 1u) : 4u) << gid;
    }
}

class Devices : public testing::TestWithParam<const char*> {};

TEST_P(Devices, ProducerAndConsumerEndUnderEveryMapping) {
  for (const Mapping m : k_mappings)
    for (const auto order : {exports::Order::relaxed, exports::Order::acq_rel, exports::Order::seq_cst})
      for (const auto loads : {exports::Loads::add, exports::Loads::load}) {
        const auto backend = open(GetParam());
        Options o;
        o.mapping = m;
        o.order = order;
        o.loads = loads;
        o.total = m == Mapping::plain ? 6 : 12;
        o.contention = 50;
        o.limit = backend->info().id == "cpu" ? 20 : 0;
        const auto run = run_once(consumer(), o, *backend);
        EXPECT_EQ(run.outcome, Outcome::terminated) << exports::to_string(m);
        EXPECT_EQ(run.starved(), 0u);
        EXPECT_EQ(run.instances, m == Mapping::plain ? 1u : 6u);
        EXPECT_EQ(run.starved_instances, 0u);
      }
}

TEST_P(Devices, WhoWaitsForEverIsNamedAndTheRunIsNotHung) {
  const auto backend = open(GetParam());
  for (const Mapping m : k_mappings) {
    Options o;
    o.mapping = m;
    o.total = m == Mapping::plain ? 0 : 12;
    o.limit = backend->info().id == "cpu" ? 0.3 : 0;
    auto trial = Trial::make(waits_for_ever(), o, *backend);
    ASSERT_TRUE(trial);
    for (int again = 0; again < 2; ++again) {
      const auto run = trial->run();
      ASSERT_TRUE(run) << render(run.error());
      EXPECT_EQ(run->outcome, Outcome::starved);
      EXPECT_EQ(threads_text(run->starved()), "1") << exports::to_string(m);
      EXPECT_EQ(run->starved_instances, m == Mapping::plain ? 1u : 4u);
    }
  }
}

// Without the watchdog what ends ends as before, and what starves hangs until the launch is given up.
TEST_P(Devices, WithoutAWatchdogStarvingIsHanging) {
  Options o;
  o.watchdog = false;
  o.mapping = Mapping::round_robin;
  o.total = 12;
  EXPECT_EQ(run_once(consumer(), o, *open(GetParam())).outcome, Outcome::terminated);
  if (std::string(GetParam()) == "reference") return;  // which has no clock to give up by
  o.total = 3;
  o.mapping = Mapping::plain;
  o.launch_limit = 0.3;
  EXPECT_EQ(run_once(waits_for_ever(), o, *open(GetParam())).outcome, Outcome::hung);
}

INSTANTIATE_TEST_SUITE_P(Trial, Devices, testing::Values("reference", "cpu"));

// 64 workgroups together: of 240 chunked ones those that wait hold every place, so the producers never begin.
TEST(Trial, OccupancyStarvesThoseWhoNeverBegan) {
  const auto backend = open("reference");
  Options o;
  o.mapping = Mapping::chunked;
  o.total = 240;
  const auto run = run_once(consumer(), o, *backend);
  EXPECT_EQ(run.outcome, Outcome::starved);
  EXPECT_EQ(threads_text(run.waiting), "0");
  EXPECT_EQ(run.unstarted & 2, 2u);
  EXPECT_EQ(run.starved_instances, 120u);
}

// Processors run every invocation again and again, so nothing starves that weak fairness guarantees.
TEST(Trial, NothingThatFairnessGuaranteesStarvesOnProcessors) {
  const auto fair = fair::load_model("fair");
  ASSERT_TRUE(fair);
  const auto backend = open("cpu");
  uint32_t guaranteed = 0;
  for (const axb::Test& test : bundled()) {
    const auto pair = oracle::decide_both(test, *fair, {});
    ASSERT_TRUE(pair && *pair);
    if (!(*pair)->weak) continue;
    ++guaranteed;
    // As many workgroups as processors, and many more.
    const auto threads = static_cast<uint32_t>(test.threads.size());
    const uint32_t full = std::max(backend->info().units / threads, 1u) * threads;
    for (const Mapping m : k_mappings)
      for (const uint32_t total : {full, 60 / threads * threads}) {
        if (m == Mapping::plain && total != full) continue;
        Options o;
        o.mapping = m;
        o.total = total;
        o.limit = 20;
        o.launch_limit = 60;
        EXPECT_EQ(run_once(test, o, *backend).outcome, Outcome::terminated)
            << test.name << " " << exports::to_string(m) << " " << total;
      }
  }
  EXPECT_GT(guaranteed, 5u);
}

TEST(Trial, RefusesWhatTheDeviceLacks) {
  const auto backend = open("cpu");
  const auto refused = [&](Options o) {
    const auto made = Trial::make(consumer(), o, *backend);
    return made ? std::string() : render(made.error());
  };
  EXPECT_NE(refused({.variant = Variant::cooperative}).find("cooperative"), std::string::npos);
  EXPECT_NE(refused({.mapping = Mapping::chunked, .variant = Variant::intra_warp}).find("subgroup"), std::string::npos);
  EXPECT_NE(refused({.total = 1}).find("2 threads"), std::string::npos);
  EXPECT_NE(refused({.variant = Variant::intra_warp_lock_step}).find("lock step"), std::string::npos);
  EXPECT_NE(refused({.mapping = Mapping::chunked, .total = 70000}).find("65535"), std::string::npos);
}

TEST(Trial, MappingsOfOneTestShareAModule) {
  const auto backend = open("reference");
  Modules modules;
  for (const Mapping m : k_mappings)
    EXPECT_EQ(Trial::make(consumer(), {.mapping = m}, *backend, &modules)->run()->outcome, Outcome::terminated);
  EXPECT_EQ(modules.size(), 1u);
  EXPECT_TRUE(Trial::make(consumer(), {.order = exports::Order::seq_cst}, *backend, &modules));
  EXPECT_EQ(modules.size(), 2u);
}

TEST(Trial, InstancesOfOneSubgroup) {
  const auto backend = open("reference");  // subgroups of 4
  const auto trial =
      Trial::make(consumer(), {.mapping = Mapping::round_robin, .variant = Variant::intra_warp}, *backend);
  ASSERT_TRUE(trial);
  EXPECT_EQ(trial->setup().lanes, 4u);
  EXPECT_EQ(trial->setup().total, 60u);
  EXPECT_EQ(trial->setup().variant, "intra-warp total=60");
  EXPECT_EQ(trial->setup().what_ran, "as-written");
}

TEST(Trial, InstancesOfOneWorkgroup) {
  const auto backend = open("reference");  // subgroups of 4
  for (const Mapping m : {Mapping::plain, Mapping::round_robin}) {
    auto trial = Trial::make(consumer(), {.mapping = m, .variant = Variant::intra_workgroup}, *backend);
    ASSERT_TRUE(trial);
    const uint32_t groups = m == Mapping::plain ? 1 : 7;
    EXPECT_EQ(trial->setup().lanes, 8u);  // two threads, a subgroup for each
    EXPECT_EQ(trial->setup().total, groups * 8);
    EXPECT_EQ(trial->setup().instances, groups);
    EXPECT_EQ(trial->run()->outcome, Outcome::terminated);
    const auto roles = role_table({m, 2, groups * 2, 1}, 4);
    for (uint32_t gid = 0; gid < groups * 8; ++gid) {
      EXPECT_EQ(roles[size_t{gid} * k_role_words], gid % 4 == 0 ? gid / 4 % 2 : k_no_thread);
      if (gid % 4 == 0) {
        EXPECT_EQ(roles[size_t{gid} * k_role_words + 1], gid / 8);
      }
    }
  }
  const auto chunked =
      Trial::make(consumer(), {.mapping = Mapping::chunked, .variant = Variant::intra_workgroup}, *backend);
  ASSERT_FALSE(chunked);
  EXPECT_NE(render(chunked.error()).find("one workgroup"), std::string::npos);
}

TEST(Words, ThreadsAndNamesReadBack) {
  EXPECT_EQ(threads_text(0b101), "0,2");
  EXPECT_EQ(threads_from("0,2"), 0b101u);
  EXPECT_EQ(threads_from(""), 0u);
  EXPECT_FALSE(threads_from("0;2"));
  EXPECT_FALSE(threads_from("64"));
  for (const std::string& n : variant_names()) EXPECT_EQ(to_string(*variant_from(n)), n);
  EXPECT_EQ(outcome_from("hung"), Outcome::hung);
  EXPECT_FALSE(outcome_from("lost"));
}

}  // namespace
}  // namespace fencepost::trial
