// What two threads know of memory: stores that hide each other, in whole and in part; contents that the text gives.
#include "prove/memory.h"

#include <gtest/gtest.h>

#include "formula/solve.h"

namespace fencepost::prove {
namespace {

struct Arrays {
  ir::Module m;
  Pool pool;
  std::optional<Memory> memory;
  ir::RegionId region(ir::Space space, ir::Contents contents = ir::Contents::unknown, std::vector<uint8_t> bytes = {}) {
    ir::Region r;
    r.name = "r";
    r.space = space;
    r.element = 4;
    r.contents = contents;
    r.initial = std::move(bytes);
    m.regions.push_back(r);
    return {static_cast<uint32_t>(m.regions.size() - 1)};
  }
  void begin(bool same_group = true) { memory.emplace(pool, m, Pointers{}, same_group); }
  Term at(uint64_t o) { return pool.constant(o, 48); }
  Term word(uint64_t v) { return pool.constant(v, 32); }
};

TEST(MemoryOfTwo, TheNewestStoreIsRead) {
  Arrays a;
  const auto s = a.region(ir::Space::group);
  a.begin();
  Memory& m = *a.memory;
  const Term i = a.pool.shl(a.pool.zext(a.pool.variable(8, "i"), 48), a.at(2)), on = a.pool.variable(1, "on");
  m.write(s, 0, a.pool.yes(), a.at(4), 4, false, a.word(7));
  EXPECT_EQ(m.read(s, 0, a.at(4), 4, false), a.word(7));
  EXPECT_FALSE(a.pool.is_constant(m.read(s, 1, a.at(4), 4, false)));
  EXPECT_FALSE(a.pool.is_constant(m.read(s, 0, a.at(8), 4, false)));
  m.write(s, 0, on, a.at(4), 4, false, a.word(9));
  EXPECT_EQ(m.read(s, 0, a.at(4), 4, false), a.pool.ite(on, a.word(9), a.word(7)));
  m.write(s, 0, a.pool.no(), a.at(4), 4, false, a.word(11));
  EXPECT_EQ(m.read(s, 0, a.at(4), 4, false), a.pool.ite(on, a.word(9), a.word(7)));
  m.write(s, 0, a.pool.yes(), i, 4, false, a.word(3));
  EXPECT_EQ(m.read(s, 0, i, 4, false), a.word(3));
  EXPECT_EQ(m.read(s, 0, a.at(4), 4, false),
            a.pool.ite(a.pool.eq(i, a.at(4)), a.word(3), a.pool.ite(on, a.word(9), a.word(7))));
  m.forget(s, 0, a.pool.yes());
  EXPECT_FALSE(a.pool.is_constant(m.read(s, 0, a.at(4), 4, false)));
  EXPECT_EQ(m.read(s, 0, a.at(4), 4, false), m.read(s, 0, a.at(4), 4, false));
}

TEST(MemoryOfTwo, Parts) {
  Arrays a;
  const auto s = a.region(ir::Space::group);
  a.begin();
  Memory& m = *a.memory;
  const Term v = a.pool.variable(32, "v");
  m.write(s, 0, a.pool.yes(), a.at(4), 4, false, v);
  for (uint64_t o = 4; o < 8; ++o)
    EXPECT_EQ(m.read(s, 0, a.at(o), 1, false), a.pool.extract(v, static_cast<uint8_t>(8 * (o - 4)), 8));
  EXPECT_EQ(m.read(s, 0, a.at(6), 2, false), a.pool.extract(v, 16, 16));
  EXPECT_EQ(m.read(s, 0, a.at(4), 2, false), a.pool.extract(v, 0, 16));
  // Beyond its end, in front of its beginning, as a pointer: any value, another each time.
  for (const uint64_t o : {3, 5, 7})
    EXPECT_NE(
        m.read(s, 0, a.at(o), 2, false) == a.pool.extract(v, 8, 16) ? a.pool.no() : m.read(s, 0, a.at(o), 4, false),
        m.read(s, 0, a.at(o), 4, false));
  EXPECT_EQ(m.read(s, 0, a.at(2), 2, false), m.read(s, 0, a.at(2), 2, false));
  EXPECT_EQ(m.read(s, 0, a.at(8), 4, false), m.read(s, 0, a.at(8), 4, false));
  EXPECT_EQ(m.read(s, 0, a.at(0), 4, false), m.read(s, 0, a.at(0), 4, false));
  EXPECT_NE(m.read(s, 0, a.at(4), 4, true), m.read(s, 0, a.at(4), 4, true));
  m.write(s, 0, a.pool.yes(), a.at(16), 8, true, a.pool.variable(64, "p"));
  EXPECT_NE(m.read(s, 0, a.at(16), 4, false), m.read(s, 0, a.at(16), 4, false));
}

// Places that may overlap in part.
TEST(MemoryOfTwo, PlacesOfUnknownAlignment) {
  Arrays a;
  const auto s = a.region(ir::Space::group);
  a.begin();
  Memory& m = *a.memory;
  const Term i = a.pool.zext(a.pool.variable(8, "i"), 48), even = a.pool.shl(i, a.at(1)), four = a.pool.shl(i, a.at(2));
  const auto settled = [&](Term where, Term read) {
    m.write(s, 0, a.pool.yes(), where, 4, false, a.word(3));
    return m.read(s, 0, read, 4, false) == m.read(s, 0, read, 4, false);
  };
  EXPECT_TRUE(settled(four, a.at(4)));
  EXPECT_FALSE(settled(even, a.at(4)));
  EXPECT_FALSE(settled(i, a.at(4)));
  EXPECT_FALSE(settled(four, a.at(6)));
  EXPECT_TRUE(settled(even, even));
}

TEST(MemoryOfTwo, SharedContents) {
  Arrays a;
  const auto s = a.region(ir::Space::group), g = a.region(ir::Space::global), p = a.region(ir::Space::private_);
  a.begin(true);
  const auto alike = [&](ir::RegionId r) {
    return a.memory->read(r, 0, a.at(4), 4, false) == a.memory->read(r, 1, a.at(4), 4, false);
  };
  EXPECT_TRUE(alike(s));
  EXPECT_TRUE(alike(g));
  EXPECT_FALSE(alike(p));
  const Pair always{a.pool.yes(), a.pool.yes()};
  const Term before = a.memory->read(g, 0, a.at(4), 4, false);
  a.memory->forget(g, always, true);
  EXPECT_TRUE(alike(g));
  EXPECT_NE(a.memory->read(g, 0, a.at(4), 4, false), before);
  a.memory->forget(g, always, false);
  EXPECT_FALSE(alike(g));
  a.memory->settle(g);
  EXPECT_TRUE(alike(g));
  const Term settled = a.memory->read(g, 0, a.at(4), 4, false);
  a.memory->forget(g, always, false);
  a.memory->forget(g, 0, a.pool.yes());
  EXPECT_EQ(a.memory->read(g, 0, a.at(4), 4, false), settled);
  a.memory->make_adversarial(s);
  EXPECT_FALSE(alike(s));
  a.memory->settle(s);
  EXPECT_TRUE(alike(s));
  a.begin(false);
  EXPECT_FALSE(alike(s));
  EXPECT_TRUE(alike(g));
  EXPECT_FALSE(alike(p));
}

TEST(MemoryOfTwo, WhoForgets) {
  Arrays a;
  const auto g = a.region(ir::Space::global), p = a.region(ir::Space::private_);
  a.begin();
  Memory& m = *a.memory;
  const Term yes = a.pool.yes(), no = a.pool.no(), on = a.pool.variable(1, "on");
  for (const ir::RegionId r : {g, p})
    for (const bool shared : {true, false})
      for (const size_t who : {0u, 1u}) {
        const Pair before{m.read(r, 0, a.at(4), 4, false), m.read(r, 1, a.at(4), 4, false)};
        Pair guard{no, no};
        guard[who] = yes;
        m.forget(r, guard, shared);
        EXPECT_NE(m.read(r, static_cast<int>(who), a.at(4), 4, false), before[who]);
        EXPECT_EQ(m.read(r, static_cast<int>(1 - who), a.at(4), 4, false), before[1 - who]);
        // Under a guard: else it is what it was.
        m.write(r, static_cast<int>(who), yes, a.at(4), 4, false, a.word(7));
        guard[who] = on;
        m.forget(r, guard, shared);
        const Term now = m.read(r, static_cast<int>(who), a.at(4), 4, false);
        ASSERT_EQ(a.pool[now].op, formula::Op::ite);
        EXPECT_EQ(a.pool[now].kids[0], on);
        EXPECT_EQ(a.pool[now].kids[2], a.word(7));
      }
}

TEST(MemoryOfTwo, MoreStoresThanAreLookedThrough) {
  for (const int stores : {299, 300}) {
    Arrays a;
    const auto s = a.region(ir::Space::group);
    a.begin();
    for (int i = 0; i < stores; ++i)
      a.memory->write(s, 0, a.pool.variable(1, "on"), a.at(4), 4, false, a.word(static_cast<uint64_t>(i)));
    EXPECT_EQ(a.memory->read(s, 0, a.at(4), 4, false) == a.memory->read(s, 0, a.at(4), 4, false), stores == 299);
  }
}

TEST(MemoryOfTwo, WhatBothHaveComeTo) {
  Arrays a;
  const auto s = a.region(ir::Space::group), p = a.region(ir::Space::private_);
  a.begin();
  Memory& m = *a.memory;
  const auto of_both = [&](int t, uint64_t o, uint32_t bytes = 4, bool pointer = false) {
    return m.read_of_both(s, t, a.at(o), bytes, pointer);
  };
  const Term on = a.pool.variable(1, "on");
  EXPECT_EQ(of_both(0, 4), m.read(s, 0, a.at(4), 4, false));
  m.write(s, 0, a.pool.yes(), a.at(4), 4, false, a.word(7));
  m.write(s, 0, on, a.at(8), 4, false, a.word(9));
  EXPECT_EQ(of_both(0, 4), a.word(7));
  EXPECT_EQ(of_both(1, 4), a.word(7));
  EXPECT_EQ(of_both(1, 8), a.pool.ite(on, a.word(9), m.read(s, 1, a.at(8), 4, false)));
  EXPECT_EQ(of_both(1, 12), m.read(s, 1, a.at(12), 4, false));
  // Of other sizes, and as a pointer: any value.
  EXPECT_NE(of_both(1, 4, 2), of_both(1, 4, 2));
  EXPECT_NE(of_both(1, 4, 8, true), of_both(1, 4, 8, true));
  EXPECT_NE(of_both(1, 6, 2), of_both(1, 6, 2));
  EXPECT_EQ(of_both(1, 12, 2), of_both(1, 12, 2));
  EXPECT_EQ(of_both(1, 2, 2), of_both(1, 2, 2));
  // Places that may overlap in part.
  const Term i = a.pool.zext(a.pool.variable(8, "i"), 48);
  EXPECT_NE(m.read_of_both(s, 1, i, 4, false), m.read_of_both(s, 1, i, 4, false));
  const Term four = a.pool.shl(i, a.at(2));
  EXPECT_EQ(m.read_of_both(s, 1, four, 4, false), m.read_of_both(s, 1, four, 4, false));
  m.write(s, 0, a.pool.yes(), a.at(17), 4, false, a.word(1));
  EXPECT_NE(of_both(1, 16), of_both(1, 16));
  // What only the other has forgotten may be anything; what both have is alike.
  m.forget(s, 0, a.pool.yes());
  EXPECT_NE(of_both(1, 4), of_both(1, 4));
  m.forget(s, {a.pool.yes(), a.pool.yes()}, true);
  EXPECT_EQ(of_both(1, 4), m.read(s, 1, a.at(4), 4, false));
  EXPECT_EQ(of_both(1, 4), of_both(0, 4));
  m.write(p, 0, a.pool.yes(), a.at(4), 4, false, a.word(7));
  EXPECT_NE(m.read_of_both(p, 1, a.at(4), 4, false), a.word(7));
  m.write(s, 0, a.pool.yes(), a.at(32), 8, true, a.pool.variable(64, "p"));
  EXPECT_NE(of_both(1, 32, 8), of_both(1, 32, 8));
  m.make_adversarial(s);
  m.write(s, 0, a.pool.yes(), a.at(4), 4, false, a.word(7));
  EXPECT_NE(of_both(1, 4), a.word(7));
  EXPECT_NE(of_both(1, 4), of_both(1, 4));
}

TEST(MemoryOfTwo, ContentsOfTheText) {
  Arrays a;
  const auto z = a.region(ir::Space::global, ir::Contents::zero);
  const auto c = a.region(ir::Space::constant, ir::Contents::given, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const auto large = a.region(ir::Space::constant, ir::Contents::given, std::vector<uint8_t>(260, 1));
  const auto fits = a.region(ir::Space::constant, ir::Contents::given, std::vector<uint8_t>(256, 1));
  a.begin();
  Memory& m = *a.memory;
  EXPECT_EQ(m.read(z, 0, a.at(4), 4, false), a.word(0));
  EXPECT_EQ(m.read(c, 0, a.at(0), 4, false), a.word(0x04030201));
  EXPECT_EQ(m.read(c, 0, a.at(8), 4, false), a.word(0x0c0b0a09));
  EXPECT_EQ(m.read(c, 0, a.at(11), 1, false), a.pool.constant(12, 8));
  EXPECT_EQ(m.read(c, 0, a.at(3), 2, false), a.pool.constant(0x0504, 16));
  EXPECT_EQ(m.read(c, 0, a.at(0), 8, false), a.pool.constant(0x0807060504030201, 64));
  EXPECT_FALSE(a.pool.is_constant(m.read(c, 0, a.at(9), 4, false)));
  EXPECT_FALSE(a.pool.is_constant(m.read(c, 0, a.at(12), 1, false)));
  EXPECT_FALSE(a.pool.is_constant(m.read(c, 0, a.at(0), 8, true)));
  const Term index = a.pool.variable(8, "i"), i = a.pool.zext(index, 48), four = a.pool.shl(i, a.at(2)),
             two = a.pool.shl(i, a.at(1));
  const auto of = [&](Term read, uint64_t value) {
    formula::Model model;
    model.variables = {{a.pool.value(index), value}};
    return model.value(a.pool, read);
  };
  const Term read = m.read(c, 0, four, 4, false);
  EXPECT_EQ(of(read, 0), 0x04030201u);
  EXPECT_EQ(of(read, 1), 0x08070605u);
  EXPECT_EQ(of(read, 2), 0x0c0b0a09u);
  EXPECT_EQ(of(m.read(c, 0, two, 2, false), 5), 0x0c0bu);
  // Misaligned, or of many elements: a number for each place, of which nothing is known.
  EXPECT_EQ(a.pool[m.read(c, 0, two, 4, false)].op, formula::Op::apply);
  EXPECT_EQ(a.pool[m.read(large, 0, four, 4, false)].op, formula::Op::apply);
  EXPECT_NE(a.pool[m.read(fits, 0, four, 4, false)].op, formula::Op::apply);
  EXPECT_EQ(m.read(large, 0, a.at(256), 4, false), a.word(0x01010101));
}

TEST(MemoryOfTwo, PointersInTheText) {
  Arrays a;
  const auto t = a.region(ir::Space::constant, ir::Contents::given, std::vector<uint8_t>(24));
  const auto s = a.region(ir::Space::private_);
  a.m.pointer_bits = 64;
  a.m.regions[t.index].pointers = {{.offset = 8, .target = s, .addend = 4}};
  a.m.regions[s.index].pointers = {{.offset = 16, .target = t, .addend = 0}};
  a.begin();
  Memory& m = *a.memory;
  EXPECT_EQ(m.read(t, 0, a.at(8), 8, true), a.pool.constant((uint64_t{s.index} + 1) << 48 | 4, 64));
  EXPECT_EQ(m.read(t, 0, a.at(0), 8, true), a.pool.constant(0, 64));
  EXPECT_EQ(m.read(t, 0, a.at(16), 8, true), a.pool.constant(0, 64));
  EXPECT_EQ(m.read(t, 0, a.at(4), 4, false), a.word(0));
  EXPECT_EQ(m.read(t, 0, a.at(16), 4, false), a.word(0));
  for (const uint64_t o : {5, 8, 12, 15}) EXPECT_FALSE(a.pool.is_constant(m.read(t, 0, a.at(o), 4, false))) << o;
  for (const uint64_t o : {1, 9, 15}) EXPECT_FALSE(a.pool.is_constant(m.read(t, 0, a.at(o), 8, true))) << o;
  const Term there = a.pool.constant((uint64_t{t.index} + 1) << 48, 64);
  EXPECT_EQ(m.read(s, 0, a.at(16), 8, true), there);
  EXPECT_FALSE(a.pool.is_constant(m.read(s, 0, a.at(8), 8, true)));
  EXPECT_FALSE(a.pool.is_constant(m.read(s, 0, a.at(16), 4, false)));
  const Term null = a.pool.variable(1, "null");
  m.may_be_null(s, 16, null);
  EXPECT_EQ(m.read(s, 0, a.at(16), 8, true),
            a.pool.concat(a.pool.ite(null, a.pool.constant(0, 16), a.pool.constant(t.index + 1, 16)), a.at(0)));
}

TEST(MemoryOfTwo, Copies) {
  Arrays a;
  const auto from = a.region(ir::Space::global), to = a.region(ir::Space::global),
             given = a.region(ir::Space::global, ir::Contents::given, {1, 2, 3, 4});
  a.begin();
  Memory& m = *a.memory;
  m.write(from, 0, a.pool.yes(), a.at(4), 4, false, a.word(7));
  EXPECT_TRUE(m.copy(to, from, 0));
  EXPECT_EQ(m.read(to, 0, a.at(4), 4, false), a.word(7));
  EXPECT_NE(m.read(to, 1, a.at(4), 4, false), a.word(7));
  m.write(from, 0, a.pool.yes(), a.at(4), 4, false, a.word(8));
  EXPECT_EQ(m.read(to, 0, a.at(4), 4, false), a.word(7));
  EXPECT_FALSE(m.copy(to, given, 0));
  a.m.regions[from.index].pointers = {{.offset = 8, .target = to, .addend = 0}};
  EXPECT_FALSE(m.copy(to, from, 0));
  a.m.regions[from.index].pointers.clear();
  EXPECT_TRUE(m.copy(to, from, 0));
  m.make_adversarial(from);
  EXPECT_FALSE(m.copy(to, from, 0));
  EXPECT_FALSE(m.copy(from, to, 0));
}

TEST(MemoryOfTwo, NamesOfContents) {
  Arrays a;
  a.region(ir::Space::global);
  a.region(ir::Space::private_);
  a.region(ir::Space::group);
  EXPECT_EQ(Memory::contents(a.m, "m0.3w32"), ir::RegionId{0});
  EXPECT_EQ(Memory::contents(a.m, "m2.0"), ir::RegionId{2});
  for (const char* name : {"m1.0", "n0.3", "m.3", "m0", "m0w3", "", "m", "mx.0"})
    EXPECT_FALSE(Memory::contents(a.m, name)) << name;
}

}  // namespace
}  // namespace fencepost::prove
