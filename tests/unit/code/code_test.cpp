#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "code/execute.h"
#include "code/kernel.h"

using namespace fencepost;
using namespace fencepost::code;
using term::Op;

namespace {

term::Expr c32(uint64_t v) { return term::constant(v, 32); }

// Every invocation adds 1 to counter[0] and writes its ids to ids[group * lanes + lane].
Kernel counting() {
  Kernel k;
  k.name = "counting";
  k.buffers = {{"counter"}, {"ids"}};
  const Var g = add_variable(k, "g"), l = add_variable(k, "l"), n = add_variable(k, "n"),
            old = add_variable(k, "old_count");
  k.body = {read_builtin(g, Builtin::group), read_builtin(l, Builtin::lane), read_builtin(n, Builtin::lanes),
            atomic(AtomicOp::add, old, {0, c32(0)}, c32(1)),
            store({1, term::binary(Op::add, term::binary(Op::mul, value_of(k, g), value_of(k, n)), value_of(k, l))},
                  value_of(k, old))};
  return k;
}

Operation store_op(uint32_t role, Place p, uint64_t value) {
  Operation o;
  o.role = role;
  o.instr.kind = prog::Kind::store;
  o.instr.mnemonic = "st.relaxed.gpu";
  o.place = std::move(p);
  o.value = c32(value);
  return o;
}

Operation load_op(uint32_t role, Place p, Var v) {
  Operation o;
  o.role = role;
  o.instr.kind = prog::Kind::load;
  o.instr.mnemonic = "ld.relaxed.gpu";
  o.place = std::move(p);
  o.var = v;
  return o;
}

// Store buffering between workgroups 0 and 1; registers to out[group].
Kernel store_buffering() {
  Kernel k;
  k.name = "sb";
  k.buffers = {{"memory"}, {"out"}};
  const Var g = add_variable(k, "g"), r = add_variable(k, "r");
  k.operations = {store_op(0, {0, c32(0)}, 1), load_op(0, {0, c32(1)}, r), store_op(1, {0, c32(1)}, 1),
                  load_op(1, {0, c32(0)}, r)};
  k.body = {read_builtin(g, Builtin::group),
            branch(term::binary(Op::eq, value_of(k, g), c32(0)), {test(0), test(1)}, {test(2), test(3)}),
            store({1, value_of(k, g)}, value_of(k, r))};
  return k;
}

TEST(Kernel, WellFormedKernelsHaveNoFaultAndPrint) {
  EXPECT_EQ(fault_of(counting()), "");
  EXPECT_EQ(fault_of(store_buffering()), "");
  EXPECT_EQ(to_string(store_buffering()),
            "kernel sb(memory, out) lanes <= 1024\n"
            "  var g: 32\n"
            "  var r: 32\n"
            "  g := group\n"
            "  if (g == 0)\n"
            "    test P0 st.relaxed.gpu: memory[0] := 1\n"
            "    test P0 ld.relaxed.gpu: r := memory[1]\n"
            "  else\n"
            "    test P1 st.relaxed.gpu: memory[1] := 1\n"
            "    test P1 ld.relaxed.gpu: r := memory[0]\n"
            "  out[g] := r\n");
}

TEST(Kernel, FaultsAreNamed) {
  Kernel k = counting();
  k.body.push_back(leave_if());
  EXPECT_EQ(fault_of(k), "leave: outside of a loop");
  k = counting();
  k.body.push_back(set(0, term::constant(1, 64)));
  EXPECT_EQ(fault_of(k), "set g: a value of width 64 instead of 32");
  k = counting();
  k.buffers[0].read_only = true;
  EXPECT_EQ(fault_of(k), "atomic: buffer counter is read-only");
  k = counting();
  k.variables[1].name = "g";
  EXPECT_EQ(fault_of(k), "two buffers or variables are called g");
  k = counting();
  k.body.push_back(store({k_shared, c32(0)}, c32(0)));
  EXPECT_EQ(fault_of(k), "store: a buffer that is not declared");
  k = counting();
  k.body.push_back(test(0));
  EXPECT_EQ(fault_of(k), "test: an operation that is not declared");
  k = counting();
  k.body.push_back(branch(term::variable(99, 1), {}));
  EXPECT_EQ(fault_of(k), "branch: a variable that is not declared");
}

TEST(Execute, EveryInvocationRunsOnce) {
  const Executable e(counting());
  for (const uint32_t resident : {0u, 1u, 3u}) {
    Words counter(1, 0), ids(5 * 7, 999);
    const Execution x = e.run(5, 7, {&counter, &ids}, {.seed = 3, .resident = resident});
    EXPECT_EQ(x.fault, "");
    EXPECT_EQ(counter[0], 35u);
    std::sort(ids.begin(), ids.end());
    for (uint32_t i = 0; i < 35; ++i) EXPECT_EQ(ids[i], i);
  }
}

TEST(Execute, StoreBufferingShowsTheThreeInterleavedOutcomesOnly) {
  const Executable e(store_buffering());
  std::array<int, 4> seen{};
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    Words memory(2, 0), out(2, 9);
    EXPECT_EQ(e.run(2, 1, {&memory, &out}, {.seed = seed}).fault, "");
    ASSERT_LE(out[0] * 2 + out[1], 3u);
    ++seen[out[0] * 2 + out[1]];
  }
  EXPECT_EQ(seen[0], 0);
  EXPECT_GT(seen[1], 0);
  EXPECT_GT(seen[2], 0);
  EXPECT_GT(seen[3], 0);
}

TEST(Execute, BarriersHoldTheWholeWorkgroup) {
  // Every lane writes shared[lane], meets the others, and reads its neighbour.
  Kernel k;
  k.name = "neighbour";
  k.buffers = {{"out"}};
  k.shared_words = 8;
  const Var g = add_variable(k, "g"), l = add_variable(k, "l"), v = add_variable(k, "v"), i = add_variable(k, "i");
  const term::Expr neighbour = term::binary(Op::urem, term::binary(Op::add, value_of(k, l), c32(1)), c32(8));
  k.body = {read_builtin(g, Builtin::group), read_builtin(l, Builtin::lane),
            loop({leave_if(term::binary(Op::eq, value_of(k, i), c32(3))),
                  store({k_shared, value_of(k, l)}, term::binary(Op::add, value_of(k, l), value_of(k, i))), barrier(),
                  load(v, {k_shared, neighbour}),
                  store({0, term::binary(Op::add, term::binary(Op::mul, value_of(k, g), c32(8)), value_of(k, l))},
                        value_of(k, v)),
                  barrier(), set(i, term::binary(Op::add, value_of(k, i), c32(1)))})};
  ASSERT_EQ(fault_of(k), "");
  const Executable e(k);
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    Words out(16, 99);
    EXPECT_EQ(e.run(2, 8, {&out}, {.seed = seed}).fault, "");
    for (uint32_t n = 0; n < 16; ++n) EXPECT_EQ(out[n], (n % 8 + 1) % 8 + 2);
  }
}

TEST(Execute, AccessesOutsideAndEndlessLoopsAreFaults) {
  Kernel k;
  k.name = "bad";
  k.buffers = {{"b"}};
  k.body = {store({0, c32(4)}, c32(1))};
  Words b(4, 0);
  EXPECT_EQ(Executable(k).run(1, 1, {&b}, {}).fault, "bad: word 4 of b (4 words) by lane 0 of workgroup 0: outside");
  k.body = {store({0, c32(1), 64}, term::constant(1, 64))};
  EXPECT_EQ(Executable(k).run(1, 1, {&b}, {}).fault, "bad: word 1 of b (4 words) by lane 0 of workgroup 0: misaligned");
  k.body = {loop({store({0, c32(0)}, c32(1))})};
  EXPECT_EQ(Executable(k).run(1, 1, {&b}, {.limit = 1000}).fault, "bad: did not end within the limit of statements");
}

TEST(Execute, CompareExchangeAndWideWords) {
  Kernel k;
  k.name = "cas";
  k.buffers = {{"b"}};
  const Var old = add_variable(k, "seen", 64);
  k.body = {atomic(AtomicOp::compare_exchange, old, {0, c32(0), 64}, term::constant(0x500000001ull, 64), Order::device,
                   term::constant(7, 64)),
            store({0, c32(2), 64}, value_of(k, old))};
  Words b = {7, 0, 1, 1};
  EXPECT_EQ(Executable(k).run(1, 1, {&b}, {}).fault, "");
  EXPECT_EQ(b, (Words{1, 5, 7, 0}));
  EXPECT_EQ(Executable(k).run(1, 1, {&b}, {}).fault, "");
  EXPECT_EQ(b, (Words{1, 5, 1, 5}));
}

}  // namespace
