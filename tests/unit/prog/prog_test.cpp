#include <gtest/gtest.h>

#include <algorithm>

#include "prog/loop_bounds.h"
#include "prog/state.h"
#include "prog/syntax.h"
#include "prog/test.h"

using namespace fencepost;
using namespace fencepost::prog;
using term::Op;

namespace {

using Program = prog::Test;  // gtest's macros own the name Test

constexpr uint8_t W = 64;

Cond reg_is(uint32_t thread, RegId reg, uint64_t value, Op op = Op::eq) {
  Cond c;
  c.kind = Cond::Kind::atom;
  c.cmp = op;
  c.lhs.kind = CondValue::Kind::reg;
  c.lhs.thread = thread;
  c.lhs.reg = reg;
  c.rhs.constant = value;
  return c;
}

Cond cell_is(SymbolId symbol, uint64_t cell, uint64_t value, Op op = Op::eq) {
  Cond c = reg_is(0, 0, value, op);
  c.lhs = {CondValue::Kind::location};
  c.lhs.symbol = symbol;
  c.lhs.cell = cell;
  return c;
}

Cond join(Cond::Kind k, std::vector<Cond> kids) {
  Cond c;
  c.kind = k;
  c.kids = std::move(kids);
  return c;
}

// P0: st.weak x, 1 ; P1: ld r2, x ; ld r10, a[1] ; temporary register last. Array a of two 8-bit cells.
Program sample() {
  Program t;
  t.title = "sample";
  t.objects = {{.name = "x"}, {.name = "a", .width = 8, .init = {3, 0xff}}};
  t.symbols = {{.name = "x", .object = 0, .generic = 0},
               {.name = "a", .object = 1, .generic = 1},
               {.name = "y", .object = 0, .generic = 2, .aliased = 0}};
  Template p0;
  p0.code.push_back({.kind = Kind::store,
                     .mnemonic = "st.weak",
                     .args = {term::constant(1, W)},
                     .addr = {0, {}},
                     .value = term::constant(1, W),
                     .tags = {Tag::WEAK}});
  Template p1;
  p1.registers = {{"r10", 64, "", false}, {"r2", 64, "", false}, {"t0", 64, "", true}};
  p1.code.push_back({.kind = Kind::load, .mnemonic = "ld.weak", .dst = 1, .addr = {0, {}}});
  p1.code.push_back({.kind = Kind::load, .mnemonic = "ld.weak", .dst = 0, .addr = {1, term::constant(1, W)}});
  p1.code.push_back({.kind = Kind::local,
                     .mnemonic = "add",
                     .args = {term::variable(0, W), term::constant(1, W)},
                     .dst = 2,
                     .value = term::binary(Op::add, term::variable(0, W), term::constant(1, W))});
  t.threads.push_back({0, intern_template(t, p0), {0, 0, 0}, {}});
  t.threads.push_back({1, intern_template(t, p1), {0, 0, 1}, {}});
  return t;
}

std::vector<std::string> texts(const std::vector<Observable>& obs) {
  std::vector<std::string> out;
  for (const Observable& o : obs) out.push_back(o.text);
  return out;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST(Prog, EqualTemplatesAreShared) {
  Program t = sample();
  const Template copy = t.templates[0];
  EXPECT_EQ(intern_template(t, copy), 0u);
  Template other = copy;
  other.code[0].value = term::constant(2, W);
  EXPECT_EQ(intern_template(t, other), 2u);
  EXPECT_EQ(t.templates.size(), 3u);
}

TEST(Prog, EventsCountReadModifyWritesTwice) {
  Program t = sample();
  EXPECT_EQ(event_count(t), 3u);
  t.templates[0].code.push_back({.kind = Kind::rmw});
  t.templates[0].code.push_back({.kind = Kind::fence});
  t.templates[0].code.push_back({.kind = Kind::branch});
  EXPECT_EQ(event_count(t), 6u);
}

TEST(Prog, ScopesAgreeFromTheTopDown) {
  EXPECT_TRUE(same_scope(ScopePath{0, 1, 2}, ScopePath{0, 1, 3}, 1));
  EXPECT_FALSE(same_scope(ScopePath{0, 1, 2}, ScopePath{0, 1, 3}, 2));
  EXPECT_FALSE(same_scope(ScopePath{0, 1, 2}, ScopePath{0, 2, 2}, 2)) << "equal block numbers on different devices";
  EXPECT_FALSE(same_scope(ScopePath{}, ScopePath{}, 0));
  EXPECT_FALSE(same_scope(ScopePath{0, 1}, ScopePath{0, 1, 2}, 2))
      << "a thread without that level is in nobody's scope";
}

TEST(Prog, Addresses) {
  EXPECT_EQ(address_of(0), 0x1000u);
  EXPECT_EQ(address_of(2, 5), 0x3005u);
}

TEST(Prog, InstructionText) {
  Program t = sample();
  EXPECT_EQ(to_string(t, 0, t.instrs(0)[0]), "st.weak x, 1");
  EXPECT_EQ(to_string(t, 1, t.instrs(1)[0]), "ld.weak r2, x");
  EXPECT_EQ(to_string(t, 1, t.instrs(1)[1]), "ld.weak r10, a[1]");
  EXPECT_EQ(to_string(t, 1, t.instrs(1)[2]), "add t0, r10, 1");
  Template& p1 = t.templates[1];
  p1.labels = {{"LC00", 3}};
  EXPECT_EQ(to_string(t, 1, {.kind = Kind::label, .label = 0}), "LC00:");
  EXPECT_EQ(to_string(t, 1, {.kind = Kind::jump, .mnemonic = "goto", .label = 0}), "goto LC00");
  EXPECT_EQ(
      to_string(
          t, 1,
          {.kind = Kind::branch, .mnemonic = "bne", .args = {term::variable(1, W), term::constant(0, W)}, .label = 0}),
      "bne r2, 0, LC00");
  EXPECT_EQ(to_string(t, 1, {.kind = Kind::fence, .mnemonic = "fence.sc.gpu"}), "fence.sc.gpu");
  EXPECT_EQ(to_string(t, 1,
                      {.kind = Kind::barrier,
                       .mnemonic = "bar.cta.sync",
                       .barrier = {.instance = "1", .id = term::variable(1, W), .quorum = term::constant(2, W)}}),
            "bar.cta.sync 1, r2, 2");
  EXPECT_EQ(to_string(t, 1,
                      {.kind = Kind::store,
                       .mnemonic = "st",
                       .args = {term::constant(1, W)},
                       .addr = {0, {}},
                       .predicate = 1,
                       .predicate_negated = true}),
            "@!r2 st x, 1");
  t.syntax = Syntax::opencl;
  EXPECT_EQ(to_string(t, 1,
                      {.kind = Kind::load,
                       .mnemonic = "atomic_load_explicit",
                       .spelling = {"memory_order_acquire"},
                       .dst = 1,
                       .addr = {0, {}}}),
            "r2 = atomic_load_explicit(x, memory_order_acquire)");
  EXPECT_EQ(to_string(t, 1, {.kind = Kind::load, .dst = 1, .addr = {0, {}}}), "r2 = *x");
  for (const char* call : {"load_09", "_", "load_az"})
    EXPECT_EQ(to_string(t, 1, {.kind = Kind::load, .mnemonic = call, .dst = 1, .addr = {0, {}}}),
              std::string("r2 = ") + call + "(x)");
  for (const char* sign : {"+_", "load_/", "load_:", "load"})
    EXPECT_EQ(to_string(t, 1, {.kind = Kind::load, .mnemonic = sign, .dst = 1, .addr = {0, {}}}), "r2 = *x");
  EXPECT_EQ(to_string(t, 1, {.kind = Kind::barrier, .mnemonic = "barrier", .barrier = {.instance = "B"}}),
            "B: barrier()");
  EXPECT_EQ(to_string(t, 1, {.kind = Kind::barrier, .mnemonic = "barrier"}), "barrier()");
  EXPECT_EQ(to_string(t, 1, {.kind = Kind::fence, .mnemonic = "fence", .barrier = {.instance = "B"}}), "fence()");
  EXPECT_EQ(to_string(t, 1,
                      {.kind = Kind::branch,
                       .args = {term::binary(Op::eq, term::variable(1, W), term::constant(0, W))},
                       .form = Form::c_if}),
            "if (r2 == 0)");
}

TEST(Prog, ConditionText) {
  const Program t = sample();
  const Cond both = join(Cond::Kind::and_, {reg_is(1, 1, 1), cell_is(1, 1, static_cast<uint64_t>(-1), Op::ne)});
  EXPECT_EQ(to_string(t, both), "1:r2=1 /\\ a[1]!=-1");
  EXPECT_EQ(to_string(t, join(Cond::Kind::or_, {both, join(Cond::Kind::not_, {both})})),
            "(1:r2=1 /\\ a[1]!=-1) \\/ ~(1:r2=1 /\\ a[1]!=-1)");
  EXPECT_EQ(to_string(t, join(Cond::Kind::not_, {cell_is(0, 0, 2)})), "~(x=2)");
  EXPECT_EQ(to_string(t, Cond{}), "true");
}

TEST(State, ObservablesOfTheQuestion) {
  Program t = sample();
  t.quantifier = Quantifier::exists;
  t.condition = join(Cond::Kind::and_, {cell_is(1, 0, 3), reg_is(1, 0, 1), reg_is(1, 1, 1), reg_is(1, 1, 2)});
  EXPECT_EQ(texts(observables(t)), (Texts{"1:r2", "1:r10", "a[0]"}));
  t.filter = cell_is(0, 0, 1);
  EXPECT_EQ(texts(observables(t)), (Texts{"1:r2", "1:r10", "a[0]", "x"}));
  CondValue y{CondValue::Kind::location};
  y.symbol = 2;
  t.locations = {y};
  EXPECT_EQ(texts(observables(t)), (Texts{"1:r2", "1:r10", "a[0]", "x", "y"}));
}

TEST(State, WithoutAQuestionEverythingIsObserved) {
  EXPECT_EQ(texts(observables(sample())), (Texts{"1:r2", "1:r10", "a[0]", "a[1]", "x"}));
}

TEST(State, TextValuesAndHash) {
  const Program t = sample();
  const auto obs = observables(t);
  FinalValues f;
  f.registers = {{}, {7, static_cast<uint64_t>(-2), 0}};
  f.memory = {{1}, {3, 0xff}};
  const State s = state_of(t, obs, f);
  EXPECT_EQ(to_string(obs, s), "1:r2=-2; 1:r10=7; a[0]=3; a[1]=-1; x=1;");
  State unknown = s;
  unknown[1] = {true, 0};
  EXPECT_EQ(to_string(obs, unknown), "1:r2=-2; 1:r10=?; a[0]=3; a[1]=-1; x=1;");
  EXPECT_NE(hash(obs, s), hash(obs, unknown));
  EXPECT_EQ(hash({}, {}), 0xaf63c74c8601c8ddu) << "FNV-1a 64 of a newline";
}

TEST(State, ConditionsCompareSigned) {
  const Program t = sample();
  FinalValues f;
  f.registers = {{}, {7, static_cast<uint64_t>(-2), 0}};
  f.memory = {{1}, {3, 0xff}};
  EXPECT_TRUE(holds(t, Cond{}, f));
  EXPECT_TRUE(holds(t, reg_is(1, 1, static_cast<uint64_t>(-2)), f));
  EXPECT_TRUE(holds(t, reg_is(1, 1, 0, Op::slt), f));
  EXPECT_FALSE(holds(t, reg_is(1, 1, 0, Op::sge), f));
  EXPECT_TRUE(holds(t, cell_is(1, 1, static_cast<uint64_t>(-1)), f)) << "cells are sign-extended from their width";
  EXPECT_FALSE(holds(t, cell_is(1, 1, 255), f));
  EXPECT_TRUE(holds(t, cell_is(2, 0, 1), f)) << "an alias shows the memory of its object";
  EXPECT_FALSE(holds(t, join(Cond::Kind::and_, {reg_is(1, 0, 7), reg_is(1, 0, 8)}), f));
  EXPECT_TRUE(holds(t, join(Cond::Kind::or_, {reg_is(1, 0, 8), reg_is(1, 0, 7)}), f));
  EXPECT_TRUE(holds(t, join(Cond::Kind::not_, {reg_is(1, 0, 8)}), f));
  Cond address = cell_is(0, 0, 0);
  address.rhs = {CondValue::Kind::address};
  address.rhs.symbol = 2;
  EXPECT_FALSE(holds(t, address, f));
  f.memory[0][0] = address_of(0);
  EXPECT_TRUE(holds(t, address, f));
}

// Runs of digits are numbers, and a name that ends goes before a longer one; equal numbers go by their spelling.
TEST(State, NaturalOrderOfNames) {
  const std::vector<std::string> ordered = {"A",   "a",    "a01", "a1",  "a1b",  "a2", "a02b", "a9",
                                            "a10", "a10a", "a11", "a99", "a100", "ab", "b0",   "b00"};
  Program t;
  for (const std::string& name : ordered) {
    t.objects.push_back({.name = name});
    t.symbols.push_back(
        {.name = name, .object = uint32_t(t.objects.size() - 1), .generic = uint32_t(t.symbols.size())});
  }
  std::vector<std::string> found = texts(observables(t));
  std::vector<std::string> sorted = found;
  ASSERT_EQ(found.size(), ordered.size());
  std::string text;
  for (const std::string& s : found) text += s + " ";
  EXPECT_EQ(text, "A a a01 a1 a1b a2 a02b a9 a10 a10a a11 a99 a100 ab b0 b00 ");
  std::reverse(t.symbols.begin(), t.symbols.end());
  EXPECT_EQ(texts(observables(t)), found);
}

TEST(State, ValuesWithAndWithoutASign) {
  Program t = sample();
  t.objects[1].is_unsigned = true;
  const auto obs = observables(t);
  std::string all;
  for (const Observable& o : obs) all += o.text + "=" + to_string(o, 0xfe) + ";";
  EXPECT_EQ(all, "1:r2=254;1:r10=254;a[0]=254;a[1]=254;x=254;");
  t.objects[1].is_unsigned = false;
  all.clear();
  for (const Observable& o : observables(t)) all += o.text + "=" + to_string(o, 0xfe) + ";";
  EXPECT_EQ(all, "1:r2=254;1:r10=254;a[0]=-2;a[1]=-2;x=254;");
}

TEST(Prog, SpuriousFailures) {
  Program t = sample();
  EXPECT_FALSE(may_fail_spuriously(t));
  EXPECT_FALSE(forbid_spurious_failures(t));
  t.templates[1].code.push_back({.kind = Kind::rmw, .spurious = 2});
  EXPECT_TRUE(may_fail_spuriously(t));
  EXPECT_TRUE(forbid_spurious_failures(t));
  EXPECT_FALSE(may_fail_spuriously(t));
  EXPECT_FALSE(forbid_spurious_failures(t));
}

TEST(Prog, EveryKindHasAnEvent) {
  Program t = sample();
  const uint32_t before = event_count(t);
  const std::vector<std::pair<Kind, uint32_t>> all = {{Kind::local, 0}, {Kind::load, 1},  {Kind::store, 1},
                                                      {Kind::rmw, 2},   {Kind::fence, 1}, {Kind::barrier, 1},
                                                      {Kind::label, 0}, {Kind::jump, 0},  {Kind::branch, 0}};
  for (const auto& [kind, events] : all) {
    Program more = t;
    more.templates[0].code.push_back({.kind = kind});
    EXPECT_EQ(event_count(more), before + events) << name(kind);
  }
}

TEST(Prog, ClustersAreOnOneDevice) {
  const auto in = [](uint32_t gpu, uint32_t cta, uint32_t cluster) {
    Thread t;
    t.scope = {0, gpu, cta};
    t.cluster = cluster;
    return t;
  };
  const uint32_t level = vocab::k_level_cluster;
  EXPECT_TRUE(same_scope(in(0, 0, k_none), in(0, 0, k_none), level));
  EXPECT_FALSE(same_scope(in(0, 0, k_none), in(0, 1, k_none), level));
  EXPECT_TRUE(same_scope(in(0, 0, 3), in(0, 1, 3), level));
  EXPECT_FALSE(same_scope(in(0, 0, 3), in(0, 1, 4), level));
  EXPECT_FALSE(same_scope(in(0, 0, 3), in(1, 1, 3), level));
  EXPECT_TRUE(same_scope(in(0, 0, 3), in(0, 1, 4), 1));
  EXPECT_FALSE(same_scope(in(0, 0, 3), in(1, 0, 3), 2));
  Program t = sample();
  EXPECT_FALSE(has_clusters(t));
  EXPECT_FALSE(has_cluster_scope(t));
  t.threads[1].cluster = 0;
  EXPECT_TRUE(has_clusters(t));
  t.threads[1].cluster = k_none;
  t.templates[1].code[0].store_tags = {Tag::CLUSTER};
  EXPECT_TRUE(has_clusters(t));
  EXPECT_TRUE(has_cluster_scope(t));
  t.templates[1].code[0].store_tags = {};
  t.templates[0].code[0].tags = {Tag::CLUSTER};
  EXPECT_TRUE(has_cluster_scope(t));
}

// Registers by their names, runs of digits as numbers.
TEST(Prog, RegistersComeInNaturalOrder) {
  const std::vector<std::string> order = {"1",     "2",    "10",    "A2",   "A10",  "Z",   "a",   "a1",
                                          "a1a",   "a1b2", "a1b10", "a2",   "a9",   "a10", "a99", "a100",
                                          "a100b", "ab",   "b",     "b0c1", "b0c2", "b1",  "b1c0"};
  for (size_t i = 0; i < order.size(); ++i)
    for (size_t j = 0; j < order.size(); ++j) {
      if (i == j) continue;
      Program t = sample();
      t.threads.resize(1);
      t.quantifier = Quantifier::exists;
      t.condition = {};
      t.condition.kind = Cond::Kind::and_;
      auto& registers = t.templates[t.threads[0].templ].registers;
      registers.clear();
      for (const size_t k : {i, j}) {
        registers.push_back({order[k], 32, "", true});
        Cond atom;
        atom.kind = Cond::Kind::atom;
        atom.lhs.kind = CondValue::Kind::reg;
        atom.lhs.reg = static_cast<RegId>(registers.size() - 1);
        t.condition.kids.push_back(atom);
      }
      t.templates[t.threads[0].templ].code.clear();
      t.filter = {};
      const auto found = observables(t);
      ASSERT_GE(found.size(), 2u);
      EXPECT_EQ(found[0].text, "0:" + order[std::min(i, j)]) << order[i] << " " << order[j];
      EXPECT_EQ(found[1].text, "0:" + order[std::max(i, j)]) << order[i] << " " << order[j];
    }
}

TEST(Prog, BoundsOfLoopsAreRaised) {
  Program t = sample();
  Template& c = t.templates[0];  // a loop, a forward label, and a loop of one jump
  c.labels = {{"back", 0}, {"on", 3}, {"self", 4}};
  c.code = {{.kind = Kind::label, .label = 0}, {.kind = Kind::branch, .label = 0}, {.kind = Kind::jump, .label = 1},
            {.kind = Kind::label, .label = 1}, {.kind = Kind::label, .label = 2},  {.kind = Kind::jump, .label = 2}};
  t.threads.push_back({2, 0, {0, 0, 2}, {}});
  using Loops = std::vector<std::pair<uint32_t, LabelId>>;
  EXPECT_EQ(loops_of(t), (Loops{{0, 0}, {0, 2}, {2, 0}, {2, 2}}));
  LoopBounds two(2);
  EXPECT_EQ(to_string(two), "2");
  EXPECT_EQ(to_string(raised(t, two, {}, 1)), "4");
  EXPECT_EQ(to_string(raised(t, two, {}, 7)), "7");
  const LoopBounds one = raised(t, two, {{2, 0}}, 1);  // in both threads that share the code
  EXPECT_EQ(to_string(one), "2 to 4");
  for (const auto& [thread, label] : loops_of(t)) EXPECT_EQ(one.of(thread, label), label == 0 ? 4u : 2u);
  const LoopBounds all = raised(t, one, {{0, 2}}, 1);
  EXPECT_EQ(to_string(all), "4");
  EXPECT_TRUE(all.loops.empty());
  EXPECT_EQ(to_string(raised(t, one, {}, 1)), "4 to 8");
  const LoopBounds least = raised(t, one, {{0, 0}}, 3);
  EXPECT_EQ(to_string(least), "3 to 8");
  EXPECT_EQ(to_string(raised(t, least, {{0, 2}, {2, 2}}, 1)), "6 to 8");
  for (const auto& [thread, label] : loops_of(t)) EXPECT_EQ(least.of(thread, label), label == 0 ? 8u : 3u);
}
