#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/job.h"
#include "code/execute.h"
#include "device/backend.h"
#include "device/cpu/byte_code.h"
#include "kernels.h"

using namespace fencepost;
using namespace fencepost::device;
using namespace fencepost::device_test;

namespace {

std::unique_ptr<Backend> cpu_device() {
  auto d = open("cpu");
  EXPECT_TRUE(d.has_value());
  return std::move(*d);
}

struct Histogram {
  std::array<uint64_t, k_states> count{};
  uint64_t total = 0;
  double seconds = 0;
};

Histogram run_litmus(const Shape& shape, uint32_t batch, uint32_t batches, uint32_t stride = 1) {
  Histogram out;
  auto device = cpu_device();
  Litmus run = persistent(shape, batch, batches, stride);
  EXPECT_EQ(code::fault_of(run.kernel), "");
  const ModuleId m = device->load({Language::code, "", {run.kernel}}).value();
  std::vector<BufferId> buffers;
  for (const uint32_t words : {k_sync_words, run.memory_words, run.out_words, k_states}) {
    buffers.push_back(device->allocate(words).value());
    EXPECT_TRUE(device->fill(buffers.back(), 0, words, 0).has_value());
  }
  const auto o = device->launch({m, "litmus", 2, 1, 1, buffers, 60});
  EXPECT_TRUE(o.has_value());
  EXPECT_EQ(o->status, Outcome::Status::done) << o->message;
  std::array<uint32_t, k_states> counts{};
  EXPECT_TRUE(device->read(buffers[3], 0, counts).has_value());
  for (size_t s = 0; s < k_states; ++s) {
    out.count[s] = counts[s];
    out.total += counts[s];
  }
  out.seconds = o->seconds;
  return out;
}

constexpr size_t state(uint32_t r0, uint32_t r1, uint32_t x, uint32_t y) { return r0 + 4 * r1 + 16 * x + 64 * y; }

bool two_processors() { return open("cpu").value()->info().units >= 2; }

}  // namespace

TEST(CpuDevice, StoreBufferingIsSeenAndFencesForbidIt) {
  const Histogram h = run_litmus(k_sb, 64, 20000);
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
  const Histogram f = run_litmus(fenced, 64, 5000);
  EXPECT_EQ(f.count[state(0, 0, 1, 1)], 0u);
  EXPECT_EQ(f.total, 64u * 5000u);
}

// TSO: R is weak; LB, S and 2+2W are not.
TEST(CpuDevice, OnlyWhatTsoAllows) {
  uint64_t weak = 0;
  for (int tries = 0; tries < 8 && weak == 0; ++tries) weak = run_litmus(k_r, 64, 5000).count[state(0, 0, 1, 2)];
  if (two_processors()) {
    EXPECT_GT(weak, 0u) << "R";
  }
  const auto never = [](const Shape& s, std::initializer_list<size_t> forbidden) {
    const Histogram h = run_litmus(s, 64, 5000);
    EXPECT_EQ(h.total, 64u * 5000u);
    for (const size_t f : forbidden) EXPECT_EQ(h.count[f], 0u) << f;
  };
  never(k_lb, {state(1, 1, 1, 1)});
  never(k_s, {state(0, 1, 2, 1)});
  never(k_2p2w, {state(0, 0, 2, 2)});
}

namespace {

// One invocation: memory[0..] and registers after a list of read-modify-writes, on the device and in the executor.
struct Words2 {
  std::vector<uint32_t> device, executor;
};
Words2 run_both(const Kernel& k, uint32_t groups, uint32_t lanes, std::vector<std::vector<uint32_t>> contents,
                uint32_t shown) {
  EXPECT_EQ(code::fault_of(k), "");
  Words2 out;
  auto device = cpu_device();
  const auto m = device->load({Language::code, "", {k}});
  EXPECT_TRUE(m.has_value());
  std::vector<BufferId> ids;
  for (const auto& c : contents) {
    ids.push_back(device->allocate(c.size()).value());
    EXPECT_TRUE(device->write(ids.back(), 0, c).has_value());
  }
  const auto o = device->launch({*m, k.name, groups, lanes, 1, ids, 20});
  EXPECT_TRUE(o.has_value() && o->status == Outcome::Status::done);
  out.device.resize(contents[shown].size());
  EXPECT_TRUE(device->read(ids[shown], 0, out.device).has_value());
  std::vector<code::Words*> buffers;
  for (auto& c : contents) buffers.push_back(&c);
  const code::Execution e = code::Executable(k).run(groups, lanes, buffers, {});
  EXPECT_EQ(e.fault, "");
  out.executor = contents[shown];
  return out;
}

}  // namespace

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
    for (const uint32_t shown : {0u, 1u}) {
      const Words2 w = run_both(k, 1, 1, {memory, std::vector<uint32_t>(memory.size())}, shown);
      EXPECT_EQ(w.device, w.executor) << "width " << int{width} << " buffer " << shown;
    }
  }
}

// Random expressions over three variables agree with the executor's evaluation.
TEST(CpuDevice, ExpressionsAgreeWithTheExecutor) {
  Rng rng(7);
  Kernel k;
  k.name = "expressions";
  k.buffers = {{"in"}, {"out"}};
  std::vector<Var> narrow, wide;
  std::vector<uint32_t> in;
  for (int n = 0; n < 4; ++n) {
    narrow.push_back(add_variable(k, fmt::format("a{}", n)));
    wide.push_back(add_variable(k, fmt::format("b{}", n), 64));
    k.body.push_back(load(narrow.back(), {0, c32(in.size())}));
    in.push_back(n == 0 ? 0 : n == 1 ? 0x80000000u : static_cast<uint32_t>(rng.next() >> (rng.below(32) + 32)));
    in.push_back(0);
    k.body.push_back(load(wide.back(), {0, c32(in.size()), 64}));
    in.push_back(static_cast<uint32_t>(rng.next()));
    in.push_back(n == 3 ? 0xffffffffu : static_cast<uint32_t>(rng.below(3)));
  }
  const std::function<Expr(uint8_t, int)> make = [&](uint8_t w, int depth) -> Expr {
    if (depth == 0 || rng.chance(0.1)) {
      if (w == 1) return term::truth(value_of(k, narrow[rng.below(4)]));
      if (rng.chance(0.3)) return term::constant(rng.chance(0.5) ? rng.below(70) : rng.next(), w);
      return value_of(k, w == 32 ? narrow[rng.below(4)] : wide[rng.below(4)]);
    }
    const uint64_t pick = rng.below(10);
    if (w == 1) {
      const uint8_t from = rng.chance(0.5) ? 32 : 64;
      if (pick < 8)
        return term::binary(static_cast<Op>(static_cast<int>(Op::eq) + rng.below(10)), make(from, depth - 1),
                            make(from, depth - 1));
      if (pick == 8) return term::unary(Op::not_, make(1, depth - 1));
      return term::binary(Op::and_, make(1, depth - 1), make(1, depth - 1));
    }
    if (pick == 0) return term::resize(make(w == 32 ? 64 : 32, depth - 1), w, rng.chance(0.5));
    if (pick == 1) return term::resize(make(1, depth - 1), w, rng.chance(0.5));
    if (pick == 2) return term::ite(make(1, depth - 1), make(w, depth - 1), make(w, depth - 1));
    if (pick == 3) return term::unary(rng.chance(0.5) ? Op::neg : Op::not_, make(w, depth - 1));
    return term::binary(static_cast<Op>(static_cast<int>(Op::add) + rng.below(17)), make(w, depth - 1),
                        make(w, depth - 1));
  };
  std::vector<uint32_t> out;
  for (int n = 0; n < 300; ++n) {
    const uint8_t w = n % 2 == 0 ? 32 : 64;
    const Expr e = make(w, 4);
    k.body.push_back(store({1, c32(out.size()), w}, e));
    out.resize(out.size() + 2);
    // The same as a condition: jumps are compiled apart.
    k.body.push_back(branch(make(1, 3), {store({1, c32(out.size())}, c32(1))}, {store({1, c32(out.size())}, c32(2))}));
    out.resize(out.size() + 2);
  }
  const Words2 r = run_both(k, 1, 1, {in, out}, 1);
  EXPECT_EQ(r.device, r.executor);
}

namespace {

// Every lane writes its id to shared memory, meets, adds up what all have written, meets, and again; the sum to out.
Kernel reduction(uint32_t lanes, uint32_t rounds) {
  Kernel k;
  k.name = "reduction";
  k.buffers = {{"out"}};
  k.shared_words = lanes;
  const Var g = add_variable(k, "g"), l = add_variable(k, "l"), n = add_variable(k, "n"), i = add_variable(k, "i"),
            v = add_variable(k, "v"), sum = add_variable(k, "sum"), round = add_variable(k, "round");
  const auto val = [&](Var x) { return value_of(k, x); };
  k.body = {read_builtin(g, Builtin::group), read_builtin(l, Builtin::lane), read_builtin(n, Builtin::lanes),
            loop({
                store({k_shared, val(l)}, add(add(val(l), val(round)), val(g))),
                barrier(),
                set(i, c32(0)),
                loop({load(v, {k_shared, val(i)}), set(sum, add(val(sum), val(v))), set(i, add(val(i), c32(1))),
                      leave_if(uge(val(i), val(n)))}),
                barrier(),
                set(round, add(val(round), c32(1))),
                leave_if(uge(val(round), c32(rounds))),
            }),
            store({0, add(mul(val(g), val(n)), val(l))}, val(sum))};
  return k;
}

}  // namespace

TEST(CpuDevice, WorkgroupBarriersHold) {
  for (const auto& [groups, lanes] : {std::pair{1u, 2u}, {1u, 7u}, {2u, 1u}, {3u, 64u}, {300u, 5u}}) {
    const Words2 w = run_both(reduction(lanes, 20), groups, lanes, {std::vector<uint32_t>(groups * lanes)}, 0);
    EXPECT_EQ(w.device, w.executor) << groups << " x " << lanes;
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
  const Words2 w = run_both(k, 1, 8, {std::vector<uint32_t>(8)}, 0);
  EXPECT_EQ(w.device, (std::vector<uint32_t>{1, 1, 1, 0, 0, 0, 0, 0}));
}

namespace {

// Workgroup g waits until word g+1 (down: g-1) is set, then sets its own: a chain through all workgroups.
Kernel chain(bool down) {
  Kernel k;
  k.name = "chain";
  k.buffers = {{"flags"}};
  const Var g = add_variable(k, "g"), n = add_variable(k, "n"), v = add_variable(k, "v");
  const auto val = [&](Var x) { return value_of(k, x); };
  const Expr place = down ? val(g) : add(val(g), c32(2));
  k.body = {read_builtin(g, Builtin::group), read_builtin(n, Builtin::groups),
            loop({load(v, {0, place}, Order::device), leave_if(eq(val(v), c32(1)))}),
            store({0, add(val(g), c32(1))}, c32(1), Order::device)};
  return k;
}

}  // namespace

// Chains of waiting workgroups end, whichever way they wait and however many share a processor.
TEST(CpuDevice, NobodyStarves) {
  for (const uint32_t groups : {2u, 40u, 1000u})
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
  EXPECT_GT(run_litmus(k_sb, 8, 10).total, 0u);
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
