// The kernel IR by hand: its text, its laws, its shape.
#include <gtest/gtest.h>

#include "ir/cfg.h"
#include "ir/print.h"
#include "ir/verify.h"

namespace fencepost::ir {
namespace {

constexpr Type k_int{Type::bits, 32}, k_bit{Type::bits, 1}, k_pointer{Type::pointer, 32};

// A module under construction: one kernel `foo(global int* A)`.
struct Draft {
  Module m;
  Function f;

  Draft() {
    m.sources.push_back(make_source("k.cl", "kernel void foo(global int *A) {\n  A[0] = 1;\n}\n"));
    f.name = f.symbol = "foo";
    f.kernel = f.body = true;
    Region a;
    a.name = "A";
    a.owner = {0};
    a.element = 4;
    m.regions.push_back(a);
    f.parameters.push_back({"A", k_pointer, 0, {0}});
    value({.kind = Value::parameter, .type = k_pointer, .name = "A"});
  }
  ValueId value(Value v) {
    f.values.push_back(std::move(v));
    return {static_cast<uint32_t>(f.values.size() - 1)};
  }
  ValueId constant(uint64_t bits, Type t = k_int) {
    return value({.kind = Value::constant, .type = t, .constant_bits = bits});
  }
  ValueId result(Type t) { return value({.kind = Value::result, .type = t}); }
  BlockId block(Terminator t = Return{}) {
    f.blocks.push_back({{}, std::move(t), {}});
    return {static_cast<uint32_t>(f.blocks.size() - 1)};
  }
  ValueId put(BlockId b, Type t, Action a) {
    const ValueId r = result(t);
    f.blocks[b.index].instructions.push_back({{r}, std::move(a), {}});
    return r;
  }
  void put(BlockId b, Action a, PlaceId p = {}) { f.blocks[b.index].instructions.push_back({{}, std::move(a), p}); }
  Module done() {
    m.functions = {f};
    return m;
  }
};

// for (i = 0; i < 10; i++) A[i] = i;
Draft counted_loop() {
  Draft d;
  const BlockId entry = d.block(Jump{{1}}), header = d.block(), body = d.block(Jump{{1}}), exit = d.block();
  const ValueId zero = d.constant(0), ten = d.constant(10), one = d.constant(1), four = d.constant(4);
  const ValueId i = d.result(k_int), next = d.result(k_int);
  d.f.blocks[header.index].instructions.push_back({{i}, Phi{{{entry, zero}, {body, next}}}, {}});
  const ValueId more = d.put(header, k_bit, Compute{.op = Op::slt, .operands = {i, ten}});
  d.f.blocks[header.index].terminator = Branch{more, body, exit};
  const ValueId offset = d.put(body, k_int, Compute{.op = Op::mul, .operands = {i, four}});
  const ValueId p = d.put(body, k_pointer, Compute{.op = Op::pointer_add, .operands = {{0}, offset}});
  d.m.places.push_back({0, 2, 8, {}});
  d.m.sites = 1;
  d.put(body, Store{{.pointer = p, .bytes = 4, .regions = {{0}}}, i}, {0});
  d.f.blocks[body.index].instructions.push_back(
      {{next}, Compute{.op = Op::add, .operands = {i, one}, .no_signed_wrap = true}, {}});
  return d;
}

TEST(Kir, prints_one_instruction_a_line) {
  EXPECT_EQ(print(counted_loop().done()),
            "module opencl pointers 32\n"
            "region foo.A global parameter element 4\n"
            "\n"
            "kernel @foo(%0 A: ptr -> foo.A)\n"
            "b0:\n"
            "  jump b1\n"
            "b1:\n"
            "  %5:32 = phi b0:0:32 b2:%6\n"
            "  %7:1 = slt %5 10:32\n"
            "  branch %7 b2 b3\n"
            "b2:\n"
            "  %8:32 = mul %5 4:32\n"
            "  %9:ptr = pointer_add %0 %8\n"
            "  store 4 %9 {foo.A} site 0 <- %5  ; k.cl:2:8\n"
            "  %6:32 = add %5 1:32 nsw\n"
            "  jump b1\n"
            "b3:\n"
            "  return\n");
}

TEST(Kir, a_lawful_module_has_no_faults) { EXPECT_EQ(faults(counted_loop().done()), std::vector<std::string>{}); }

TEST(Kir, faults_are_found) {
  auto broken = [](auto&& change) {
    Draft d = counted_loop();
    change(d);
    return faults(d.done()).size();
  };
  EXPECT_GT(broken([](Draft& d) { d.f.blocks[2].terminator = Jump{{0}}; }), 0u);  // the entry has a predecessor
  EXPECT_GT(broken([](Draft& d) { std::swap(d.f.blocks[2].instructions[0], d.f.blocks[2].instructions[1]); }),
            0u);  // use before definition
  EXPECT_GT(broken([](Draft& d) { std::get<Phi>(d.f.blocks[1].instructions[0].action).entries.pop_back(); }), 0u);
  EXPECT_GT(broken([](Draft& d) { std::get<Store>(d.f.blocks[2].instructions[2].action).access.bytes = 2; }), 0u);
  EXPECT_GT(broken([](Draft& d) { std::get<Store>(d.f.blocks[2].instructions[2].action).access.regions = {{7}}; }), 0u);
  EXPECT_GT(broken([](Draft& d) { d.f.blocks[1].terminator = Branch{{1}, {2}, {3}}; }), 0u);  // 32-bit condition
  EXPECT_GT(broken([](Draft& d) { d.f.blocks[3].terminator = Return{{{1}}}; }), 0u);
  EXPECT_GT(broken([](Draft& d) { d.block(); }), 0u);  // unreachable
}

TEST(Kir, places_have_text) {
  const Module m = counted_loop().done();
  EXPECT_EQ(where(m, {0}), "k.cl:2:8");
  EXPECT_EQ(source_line(m, {0}), "A[0] = 1;");
  EXPECT_EQ(span(m, {0}).location(), "k.cl:2:8");
  EXPECT_EQ(where(m, {}), "");
}

TEST(Cfg, loops_nest_and_dominators_are_right) {
  // 0 -> 1; 1: outer header -> 2 | 6; 2 -> 3; 3: inner header -> 4 | 5; 4 -> 3; 5 -> 1; 6 end
  Draft d;
  const ValueId c = d.constant(1, k_bit);
  d.block(Jump{{1}});
  d.block(Branch{c, {2}, {6}});
  d.block(Jump{{3}});
  d.block(Branch{c, {4}, {5}});
  d.block(Jump{{3}});
  d.block(Jump{{1}});
  d.block();
  const Cfg cfg(d.f);
  ASSERT_EQ(cfg.loops().size(), 2u);
  EXPECT_EQ(cfg.loops()[0].header, BlockId{1});
  EXPECT_EQ(cfg.loops()[0].latch, BlockId{5});
  EXPECT_EQ(cfg.loops()[0].blocks, (std::vector<BlockId>{{1}, {2}, {3}, {4}, {5}}));
  EXPECT_EQ(cfg.loops()[0].exits, std::vector<BlockId>{{6}});
  EXPECT_EQ(cfg.loops()[1].header, BlockId{3});
  EXPECT_EQ(cfg.loops()[1].parent, 0u);
  EXPECT_EQ(cfg.loops()[1].depth, 2u);
  EXPECT_EQ(cfg.innermost_loop({4}), 1u);
  EXPECT_EQ(cfg.innermost_loop({5}), 0u);
  EXPECT_EQ(cfg.innermost_loop({6}), ~0u);
  EXPECT_TRUE(cfg.in_loop({4}, 0));
  EXPECT_TRUE(cfg.dominates({1}, {4}));
  EXPECT_FALSE(cfg.dominates({4}, {5}));
  EXPECT_EQ(cfg.immediate_postdominator({4}), BlockId{3});
  EXPECT_TRUE(cfg.postdominates({6}, {0}));
  EXPECT_TRUE(cfg.reducible());
}

TEST(Cfg, a_loop_with_two_entries_is_irreducible) {
  Draft d;
  const ValueId c = d.constant(1, k_bit);
  d.block(Branch{c, {1}, {2}});
  d.block(Jump{{2}});
  d.block(Branch{c, {1}, {3}});
  d.block();
  EXPECT_FALSE(Cfg(d.f).reducible());
}

}  // namespace
}  // namespace fencepost::ir
