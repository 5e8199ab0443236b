// Broken kernels keep the laws of the IR.
#include "ir/mutate.h"

#include <gtest/gtest.h>

#include "ir/verify.h"

namespace fencepost::ir {
namespace {

// s[lid] = 1; barrier; c = atomic_add(a, 2); x = s[0]
Module kernel() {
  Module m;
  m.sources.push_back(make_source("k.cl", "\n\n\n\n\n"));
  for (const Space space : {Space::global, Space::group}) {
    Region r;
    r.name = space == Space::global ? "a" : "s";
    r.space = space;
    r.element = 4;
    r.origin = space == Space::global ? Origin::parameter : Origin::variable;
    if (space == Space::group) r.size = 64;
    m.regions.push_back(r);
  }
  const Type word{Type::bits, 32}, bit{Type::bits, 1}, pointer{Type::pointer, 32};
  Function f;
  f.name = f.symbol = "k";
  f.kernel = f.body = true;
  f.parameters.push_back({"a", pointer, 0, {0}});
  f.values = {{.kind = Value::parameter, .type = pointer, .index = 0},
              {.kind = Value::region_address, .type = pointer, .region = {1}},
              {.kind = Value::constant, .type = word, .constant_bits = 2},
              {.kind = Value::constant, .type = bit, .constant_bits = 1},
              {.kind = Value::result, .type = word},
              {.kind = Value::result, .type = word}};
  for (uint32_t i = 0; i < 4; ++i) m.places.push_back({0, i + 1, 1, {}});
  Block b;
  b.terminator = Return{};
  b.instructions.push_back({{}, Store{{.pointer = {1}, .bytes = 4, .regions = {{1}}, .site = 0}, {2}}, {0}});
  b.instructions.push_back({{}, Barrier{.local_fence = {3}, .global_fence = {3}}, {1}});
  b.instructions.push_back(
      {{{4}},
       Atomic{
           .op = AtomicOp::add, .access = {.pointer = {0}, .bytes = 4, .regions = {{0}}, .site = 1}, .operands = {{2}}},
       {2}});
  b.instructions.push_back({{{5}}, Load{{.pointer = {1}, .bytes = 4, .regions = {{1}}, .site = 2}}, {3}});
  f.blocks.push_back(std::move(b));
  m.functions.push_back(std::move(f));
  m.sites = 3;
  return m;
}

TEST(Mutate, every_mutant_is_a_kernel) {
  const Module m = kernel();
  ASSERT_TRUE(faults(m).empty()) << faults(m).front();
  ASSERT_EQ(mutants(m, {0}), 4u);
  size_t barriers = 0, atomics = 0;
  for (size_t n = 0; n < 4; ++n) {
    const Mutant x = mutant(m, {0}, n);
    EXPECT_TRUE(faults(x.module).empty()) << n << ": " << faults(x.module).front();
    EXPECT_EQ(where(x.module, x.place), "k.cl:" + std::to_string(n + 1) + ":1");
    for (const Instruction& i : x.module.functions[0].blocks[0].instructions) {
      barriers += std::holds_alternative<Barrier>(i.action) ? 1 : 0;
      atomics += std::holds_alternative<Atomic>(i.action) ? 1 : 0;
    }
  }
  EXPECT_EQ(barriers, 3u);  // gone in one
  EXPECT_EQ(atomics, 3u);
}

}  // namespace
}  // namespace fencepost::ir
