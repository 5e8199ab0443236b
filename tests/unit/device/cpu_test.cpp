#include <fmt/format.h>
#include <gtest/gtest.h>

#include "device/cpu/byte_code.h"
#include "running.h"

using namespace fencepost;
using namespace fencepost::device;
using namespace fencepost::device_test;

namespace {

std::unique_ptr<Backend> cpu_device() {
  auto d = open("cpu");
  EXPECT_TRUE(d.has_value());
  return std::move(*d);
}

bool two_processors() { return cpu_device()->info().units >= 2; }

}  // namespace

TEST(CpuDevice, StoreBufferingIsSeenAndFencesForbidIt) {
  const Histogram h = run_litmus(*cpu_device(), Style::ptx, k_sb, 64, 20000);
  EXPECT_EQ(h.total, 64u * 20000u);
  const uint64_t weak = h.count[state(0, 0, 1, 1)];
  fmt::print("SB: {} instances in {:.3f} s: {:.3g}/s, weak {} ({:.3g}/s)\n", h.total, h.seconds, h.total / h.seconds,
             weak, weak / h.seconds);
  EXPECT_EQ(weak + h.count[state(0, 1, 1, 1)] + h.count[state(1, 0, 1, 1)] + h.count[state(1, 1, 1, 1)], h.total);
  if (two_processors()) {
    EXPECT_GT(weak, 0u);
  }
  Shape fenced = k_sb;
  fenced.fences = true;
  const Histogram f = run_litmus(*cpu_device(), Style::ptx, fenced, 64, 5000);
  EXPECT_EQ(f.count[state(0, 0, 1, 1)], 0u);
  EXPECT_EQ(f.total, 64u * 5000u);
}

// TSO: R is weak; LB, S and 2+2W are not.
TEST(CpuDevice, OnlyWhatTsoAllows) {
  uint64_t weak = 0;
  for (int tries = 0; tries < 8 && weak == 0; ++tries)
    weak = run_litmus(*cpu_device(), Style::ptx, k_r, 64, 5000).count[state(0, 0, 1, 2)];
  if (two_processors()) {
    EXPECT_GT(weak, 0u) << "R";
  }
  const auto never = [](const Shape& s, std::initializer_list<size_t> forbidden) {
    const Histogram h = run_litmus(*cpu_device(), Style::ptx, s, 64, 5000);
    EXPECT_EQ(h.total, 64u * 5000u);
    for (const size_t f : forbidden) EXPECT_EQ(h.count[f], 0u) << f;
  };
  never(k_lb, {state(1, 1, 1, 1)});
  never(k_s, {state(0, 1, 2, 1)});
  never(k_2p2w, {state(0, 0, 2, 2)});
}

// Every shape of read-modify-write, at both widths, gives what the executor gives.
TEST(CpuDevice, ReadModifyWritesAgreeWithTheExecutor) {
  for (const uint8_t width : {uint8_t{32}, uint8_t{64}}) {
    Kernel k;
    k.name = "rmws";
    k.buffers = {{"memory"}, {"out"}};
    const Expr old = term::variable(prog::k_old_value, width);
    const auto c = [&](uint64_t v) { return term::constant(v, width); };
    struct Case {
      Expr value, guard, result;
    };
    const Expr is5 = term::binary(Op::eq, old, c(5));
    const std::vector<Case> cases = {
        {c(9), {}, {}},                              // exchange
        {term::binary(Op::add, old, c(3)), {}, {}},  // add
        {term::binary(Op::sub, old, c(3)), {}, {}},  // any
        {term::binary(Op::xor_, old, old), {}, {}},
        {c(7), is5, {}},  // C's compare-exchange
        {c(7), term::binary(Op::eq, c(6), old), term::ite(is5, c(1), c(0))},
        {term::ite(is5, c(8), old), {}, {}},  // PTX cas
        {term::binary(Op::smax, old, c(~uint64_t{0})), {}, {}},
        {term::binary(Op::mul, old, old), term::binary(Op::ult, old, c(100)), term::binary(Op::add, old, c(1))},
        {term::binary(Op::add, old, old), {}, {}},
    };
    std::vector<uint32_t> memory(4 * cases.size());
    for (uint32_t n = 0; n < cases.size(); ++n)
      for (uint32_t word = 0; word < 2; ++word) {
        Operation o;
        o.instr.kind = prog::Kind::rmw;
        o.instr.mnemonic = "atom.relaxed.gpu";
        o.instr.tags = o.instr.store_tags = {vocab::Tag::RLX};
        const uint32_t at = 4 * n + 2 * word;
        memory[at] = 5 + word;
        o.place = {0, c32(at), width};
        o.value = cases[n].value;
        o.guard = cases[n].guard;
        o.result = cases[n].result;
        o.var = add_variable(k, fmt::format("r{}_{}", n, word), width);
        k.operations.push_back(o);
        k.body.push_back(code::test(static_cast<uint32_t>(k.operations.size() - 1)));
        k.body.push_back(store({1, c32(at), width}, value_of(k, o.var)));
      }
    expect_as_executed(*cpu_device(), k, 1, 1, {memory, std::vector<uint32_t>(memory.size())});
  }
}

// Random expressions agree with the executor's evaluation.
TEST(CpuDevice, ExpressionsAgreeWithTheExecutor) {
  const Expressions e = expressions(7, 300);
  expect_as_executed(*cpu_device(), e.kernel, 1, 1, {e.in, e.out});
}

TEST(CpuDevice, WorkgroupBarriersHold) {
  for (const auto& [groups, lanes] : {std::pair{1u, 2u}, {1u, 7u}, {2u, 1u}, {3u, 64u}, {300u, 5u}}) {
    expect_as_executed(*cpu_device(), reduction(lanes, 20), groups, lanes, {std::vector<uint32_t>(groups * lanes)});
  }
}

// Invocations that end leave the others' barriers alone.
TEST(CpuDevice, BarriersDoNotWaitForInvocationsThatEnded) {
  Kernel k;
  k.name = "leavers";
  k.buffers = {{"out"}};
  const Var l = add_variable(k, "l");
  k.body = {read_builtin(l, Builtin::lane), branch(term::binary(Op::ult, value_of(k, l), c32(3)),
                                                   {barrier(), barrier(), store({0, value_of(k, l)}, c32(1))})};
  const Ran r = run_on(*cpu_device(), k, 1, 8, {std::vector<uint32_t>(8)});
  ASSERT_TRUE(r.ok) << r.message;
  EXPECT_EQ(r.buffers[0], (std::vector<uint32_t>{1, 1, 1, 0, 0, 0, 0, 0}));
}

// Chains of waiting workgroups end, whichever way they wait and however many share a processor.
TEST(CpuDevice, NobodyStarves) {
  for (const uint32_t groups : {2u, 20u, 300u})
    for (const bool down : {false, true}) {
      auto device = cpu_device();
      const ModuleId m = device->load({Language::code, "", {chain(down)}}).value();
      const BufferId b = device->allocate(groups + 2).value();
      ASSERT_TRUE(device->fill(b, 0, groups + 2, 0).has_value());
      ASSERT_TRUE(device->fill(b, down ? 0 : groups + 1, 1, 1).has_value());
      const auto o = device->launch({m, "chain", groups, 1, 1, {b}, 60});
      ASSERT_TRUE(o.has_value());
      EXPECT_EQ(o->status, Outcome::Status::done) << groups << (down ? " down" : " up");
      std::vector<uint32_t> flags(groups);
      ASSERT_TRUE(device->read(b, 1, flags).has_value());
      EXPECT_EQ(flags, std::vector<uint32_t>(groups, 1));
    }
}

TEST(CpuDevice, AHangingKernelTimesOutAndLeavesTheProcessUsable) {
  for (const uint32_t groups : {1u, 50u, 400u}) {
    auto device = cpu_device();
    const ModuleId m = device->load({Language::code, "", {chain(false)}}).value();
    const BufferId b = device->allocate(groups + 2).value();
    ASSERT_TRUE(device->fill(b, 0, groups + 2, 0).has_value());
    const auto o = device->launch({m, "chain", groups, 1, 1, {b}, 0.1});
    ASSERT_TRUE(o.has_value());
    EXPECT_EQ(o->status, Outcome::Status::timed_out);
    EXPECT_FALSE(device->launch({m, "chain", 1, 1, 1, {b}, 0.1}).has_value());
  }
  EXPECT_GT(run_litmus(*cpu_device(), Style::ptx, k_sb, 8, 10).total, 0u);
}

TEST(CpuDevice, AccessesOutsideABufferStopTheLaunch) {
  Kernel k;
  k.name = "outside";
  k.buffers = {{"small"}};
  k.body = {store({0, c32(4)}, c32(1))};
  auto device = cpu_device();
  const ModuleId m = device->load({Language::code, "", {k}}).value();
  const BufferId b = device->allocate(4).value();
  const auto o = device->launch({m, "outside", 1, 1, 1, {b}, 1});
  ASSERT_TRUE(o.has_value());
  EXPECT_EQ(o->status, Outcome::Status::lost);
  EXPECT_EQ(o->message, "kernel 'outside' accessed word 4 of small, which has 4 words");
}

TEST(CpuDevice, TheListingNamesTheMachineInstructionsOfTheTest) {
  auto device = cpu_device();
  Litmus run = persistent(k_sb, 8, 1);
  run.kernel.operations.push_back(fence_op(0, {vocab::Tag::F, vocab::Tag::SC}, "fence.sc.gpu"));
  run.kernel.operations.push_back(fence_op(0, {vocab::Tag::F, vocab::Tag::ACQ_REL}, "fence.acq_rel.gpu"));
  run.kernel.body.push_back(code::test(4));
  run.kernel.body.push_back(code::test(5));
  const ModuleId m = device->load({Language::code, "", {run.kernel}}).value();
  const Binary b = device->binary(m);
  EXPECT_EQ(b.kind, "code");
#if defined(__x86_64__)
  for (const char* what : {"mov (load)", "mov (store)", "mfence", "no instruction"})
    EXPECT_NE(b.bytes.find(what), std::string::npos) << what;
#endif
}

TEST(CpuDevice, FaultsOfTheCallerAreNamed) {
  auto device = cpu_device();
  const ModuleId m = device->load({Language::code, "", {chain(false)}}).value();
  const BufferId b = device->allocate(8).value();
  const auto message = [](const auto& e) { return e.has_value() ? std::string() : e.error().list[0].message; };
  EXPECT_EQ(message(device->launch({m, "other", 1, 1, 1, {b}, 1})), "cpu: the module has no kernel 'other'");
  EXPECT_EQ(message(device->launch({m, "chain", 1, 1, 1, {}, 1})), "cpu: kernel 'chain' takes 1 buffers, 0 are given");
  EXPECT_EQ(message(device->launch({m, "chain", 0, 1, 1, {b}, 1})),
            "cpu: 0 workgroups of 1 invocations; at most 65535 of 1024");
  EXPECT_EQ(message(device->launch({m, "chain", 1, 1, 2, {b}, 1})), "cpu: there are no clusters of workgroups");
  EXPECT_EQ(message(device->fill(b, 7, 2, 0)), "cpu: words 7 to 9 of a buffer of 8");
  EXPECT_EQ(message(device->load({Language::ptx, "", {}})), "cpu: modules are kernels as values, not ptx");
  Kernel k;
  k.name = "named_barrier";
  Operation o;
  o.instr.kind = prog::Kind::barrier;
  o.instr.barrier.arrive = true;
  k.operations = {o};
  k.body = {code::test(0)};
  EXPECT_EQ(message(device->load({Language::code, "", {k}})), "the CPU has no barrier that does not wait");
}

TEST(Devices, TheCpuIsAlwaysThere) {
  const Found f = find_devices();
  ASSERT_FALSE(f.devices.empty());
  EXPECT_EQ(f.devices[0].id, "cpu");
  EXPECT_GE(f.devices[0].units, 1u);
  EXPECT_FALSE(open("abacus").has_value());
}
