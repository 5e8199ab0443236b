// What lanes of a warp give each other, held against an oracle that runs all lanes in step; what orders nothing, what
// is undefined and what is refused.
#include "cat/lanes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <optional>
#include <random>

#include "prog/lanes.h"
#include "prog/test.h"
#include "prog/weaken.h"
#include "ptxmod_support.h"

namespace {

using namespace ptxmod_test;

// ---- an oracle of its own: the pseudo code of the ISA, lane by lane ---------------------------------------------

using Lane = std::optional<uint32_t>;  // empty: undefined
struct Machine {
  uint32_t lanes = 0, ended = 0;  // a mask of those that have ended before the first step
  std::vector<std::array<Lane, 4>> r;
  std::string code;
  uint32_t predicates = 0;
};

struct Draw {
  std::mt19937 g;
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(g() % n); }
};

bool named(uint32_t mask, uint32_t lane) { return (mask >> lane & 1) != 0; }

// One step of the lanes of `written`, which is the mask of the instruction; the others jump over it, and those that
// have ended take no part.
void step(Machine& m, Draw& d, uint32_t written, uint32_t label) {
  const uint32_t to = d.below(4), a = d.below(4), b = d.below(4);
  const uint32_t all = (1u << m.lanes) - 1, mask = written & ~m.ended;
  const bool some = (written & all) != all;
  if (some) {
    m.code += fmt::format(
        "  mov.u32 %r20, %laneid;\n  shl.b32 %r21, 1, %r20;\n  and.b32 %r21, %r21, {};\n"
        "  setp.eq.u32 %p1, %r21, 0;\n  @%p1 bra S{};\n",
        written, label);
  }
  std::vector<std::array<Lane, 4>> now = m.r;
  uint32_t kind = d.below(12);
  if (m.ended != 0 && kind >= 3 && kind < 8) kind = 8 + kind % 4;  // what a shuffle takes from an ended lane is refused
  if (kind < 3) {
    static constexpr const char* ops[] = {"add.u32", "xor.b32", "sub.u32"};
    m.code += fmt::format("  {} %r1{}, %r1{}, %r1{};\n", ops[kind], to, a, b);
    for (uint32_t l = 0; l < m.lanes; ++l) {
      if (!named(mask, l)) continue;
      const Lane x = m.r[l][a], y = m.r[l][b];
      now[l][to] = !x || !y ? Lane{} : kind == 0 ? *x + *y : kind == 1 ? *x ^ *y : *x - *y;
    }
  } else if (kind < 8) {
    static constexpr const char* modes[] = {"idx", "up", "down", "bfly"};
    const uint32_t mode = d.below(4), part = d.below(3) == 0 ? 32u - (1u << d.below(6)) : 0;
    const uint32_t c = (part << 8) | (mode == 1 ? 0 : 31);
    const bool computed = d.below(3) == 0;
    const uint32_t by = d.below(5);
    const std::string from = computed ? fmt::format("%r1{}", b) : std::to_string(by);
    m.code += fmt::format("  shfl.sync.{}.b32 %r1{}, %r1{}, {}, {}, {};\n", modes[mode], to, a, from, c, written);
    for (uint32_t l = 0; l < m.lanes; ++l) {
      if (!named(mask, l)) continue;
      const Lane amount = computed ? m.r[l][b] : Lane(by);
      if (!amount) {
        now[l][to] = {};
        continue;
      }
      const int32_t lane = static_cast<int32_t>(l), bval = static_cast<int32_t>(*amount & 31),
                    seg = static_cast<int32_t>(c >> 8 & 31), clamp = static_cast<int32_t>(c & 31);
      const int32_t most = (lane & seg) | (clamp & ~seg), least = lane & seg;
      int32_t j = mode == 0 ? (least | (bval & ~seg)) : mode == 1 ? lane - bval : mode == 2 ? lane + bval : lane ^ bval;
      if (mode == 1 ? j < most : j > most) j = lane;
      now[l][to] = j >= 0 && j < static_cast<int32_t>(m.lanes) && named(mask, static_cast<uint32_t>(j))
                       ? m.r[static_cast<uint32_t>(j)][a]
                       : Lane{};
    }
  } else if (kind < 10) {
    static constexpr const char* modes[] = {"any", "all", "uni", "ballot"};
    const uint32_t mode = d.below(4), than = d.below(6);
    m.code += fmt::format("  setp.lt.u32 %p2, %r1{}, {};\n", a, than);
    if (mode == 3)
      m.code += fmt::format("  vote.sync.ballot.b32 %r1{}, %p2, {};\n", to, written);
    else
      m.code +=
          fmt::format("  vote.sync.{}.pred %p3, %p2, {};\n  selp.u32 %r1{}, 1, 0, %p3;\n", modes[mode], written, to);
    uint32_t ballot = 0;
    bool known = true;
    for (uint32_t l = 0; l < m.lanes; ++l)
      if (named(mask, l)) {
        known = known && m.r[l][a].has_value();
        if (m.r[l][a] && *m.r[l][a] < than) ballot |= 1u << l;
      }
    const uint32_t full = mask & all;
    const uint32_t out = mode == 0   ? ballot != 0
                         : mode == 1 ? ballot == full
                         : mode == 2 ? ballot == full || ballot == 0
                                     : ballot;
    for (uint32_t l = 0; l < m.lanes; ++l)
      if (named(mask, l)) now[l][to] = known ? Lane(out) : Lane{};
  } else if (kind == 10) {
    const bool of_all = d.below(2) == 0;
    m.code += of_all ? fmt::format("  match.all.sync.b32 %r1{}|%p3, %r1{}, {};\n", to, a, written)
                     : fmt::format("  match.any.sync.b32 %r1{}, %r1{}, {};\n", to, a, written);
    bool known = true, same = true;
    Lane first;
    for (uint32_t l = 0; l < m.lanes; ++l)
      if (named(mask, l)) {
        known = known && m.r[l][a].has_value();
        if (!first) first = m.r[l][a];
        same = same && m.r[l][a] == first;
      }
    for (uint32_t l = 0; l < m.lanes; ++l) {
      if (!named(mask, l)) continue;
      uint32_t out = 0;
      for (uint32_t k = 0; k < m.lanes; ++k)
        if (named(mask, k) && m.r[k][a] == m.r[l][a]) out |= 1u << k;
      if (of_all) out = same ? mask & all : 0;
      now[l][to] = known ? Lane(out) : Lane{};
    }
  } else {
    static constexpr const char* ops[] = {"add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32"};
    const uint32_t op = d.below(6);
    m.code += fmt::format("  redux.sync.{} %r1{}, %r1{}, {};\n", ops[op], to, a, written);
    Lane sum;
    bool known = true;
    for (uint32_t l = 0; l < m.lanes; ++l) {
      if (!named(mask, l)) continue;
      known = known && m.r[l][a].has_value();
      const uint32_t x = m.r[l][a].value_or(0);
      if (!sum) {
        sum = x;
        continue;
      }
      switch (op) {
        case 0:
          sum = *sum + x;
          break;
        case 1:
          sum = static_cast<uint32_t>(std::min(static_cast<int32_t>(*sum), static_cast<int32_t>(x)));
          break;
        case 2:
          sum = std::max(*sum, x);
          break;
        case 3:
          sum = *sum & x;
          break;
        case 4:
          sum = *sum | x;
          break;
        default:
          sum = *sum ^ x;
      }
    }
    for (uint32_t l = 0; l < m.lanes; ++l)
      if (named(mask, l)) now[l][to] = known ? sum : Lane{};
  }
  m.r = std::move(now);
  if (some) m.code += fmt::format("S{}:\n", label);
}

struct Drawn {
  std::string text;
  std::vector<Lane> out;
};

Drawn draw(uint32_t seed) {
  Draw d{std::mt19937(seed)};
  Machine m;
  m.lanes = 2 + d.below(3);
  m.r.resize(m.lanes);
  for (uint32_t k = 0; k < 4; ++k) {
    const uint32_t times = d.below(4), plus = d.below(3);
    m.code += fmt::format("  mov.u32 %r20, %laneid;\n  mad.lo.u32 %r1{}, %r20, {}, {};\n", k, times, plus);
    for (uint32_t l = 0; l < m.lanes; ++l) m.r[l][k] = l * times + plus;
  }
  if (d.below(3) == 0) m.ended = 1 + d.below((1u << m.lanes) - 2);
  if (m.ended != 0)
    m.code += fmt::format(
        "  mov.u32 %r20, %laneid;\n  shl.b32 %r21, 1, %r20;\n  and.b32 %r21, %r21, {};\n"
        "  setp.ne.u32 %p1, %r21, 0;\n  @%p1 bra END;\n",
        m.ended);
  const uint32_t steps = 3 + d.below(4);
  for (uint32_t k = 0; k < steps; ++k) {
    uint32_t mask = 0xffffffff;
    if (d.below(4) == 0) mask = 1 + d.below((1u << m.lanes) - 1);
    step(m, d, mask, k);
  }
  const uint32_t shown = d.below(4);
  m.code += fmt::format(
      "  mul.wide.u32 %rd10, %r2, 4;\n  add.s64 %rd11, %rd6, %rd10;\n  st.global.u32 [%rd11], %r1{};\nEND:\n", shown);
  std::string condition;
  Drawn out;
  for (uint32_t l = 0; l < m.lanes; ++l) {
    if (named(m.ended, l)) m.r[l][shown] = 0;  // stores nothing
    out.out.push_back(m.r[l][shown]);
    if (m.r[l][shown])
      condition += fmt::format("{}out.u32[{}] == {}", condition.empty() ? "" : " && ", l, *m.r[l][shown]);
  }
  if (condition.empty()) condition = "out.u32[7] == 0";
  out.text = kernel(fmt::format("// @Config: {}, 1, 1\n// @Output: forall ({})\n", m.lanes, condition), m.code);
  return out;
}

TEST(Lanes, ValuesAreThoseOfAnOracleThatRunsAllLanes) {
  uint32_t defined = 0, undefined = 0, told = 0;
  for (uint32_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    const Drawn p = draw(seed);
    EXPECT_EQ(ask(p.text, 1, check::Engine::both), Status::holds) << p.text;
    for (uint32_t l = 0; l < p.out.size(); ++l) {
      ++(p.out[l] ? defined : undefined);
      if (!p.out[l] || told > 20) continue;
      // Another value is not what the lane ends with.
      const std::string right = fmt::format("out.u32[{}] == {}", l, *p.out[l]),
                        wrong = fmt::format("out.u32[{}] == {}", l, *p.out[l] + 1);
      std::string text = p.text;
      const size_t at = text.find(right);
      ASSERT_NE(at, std::string::npos);
      text.replace(at, right.size(), wrong);
      EXPECT_EQ(ask(text, 1, check::Engine::both), Status::fails) << text;
      ++told;
    }
  }
  EXPECT_GT(defined, 100u);
  EXPECT_GT(undefined, 3u);
  EXPECT_GT(told, 20u);
}

// ---- memory ----------------------------------------------------------------------------------------------------

// Lane 0 stores x, both exchange, lane 1 loads it.
std::string message(const std::string& between) {
  return kernel("// @Config: 2, 1, 1\n// @Output: forall (out.u32[1] == 1)\n",
                R"(  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra AFTER;
  st.global.u32 [%rd4], 1;
AFTER:
)" + between + R"(
  @!%p1 bra DONE;
  ld.global.u32 %r3, [%rd4];
  st.global.u32 [%rd6+4], %r3;
DONE:
)");
}

TEST(Lanes, AnExchangeOrdersNoMemory) {
  const std::string by_shuffle = message("  shfl.sync.idx.b32 %r4, %r2, 0, 31, 0xffffffff;"),
                    by_vote = message("  vote.sync.any.pred %p2, %p1, 0xffffffff;"),
                    by_barrier = message("  bar.warp.sync 0xffffffff;");
  for (const std::string& text : {by_shuffle, by_vote}) {
    EXPECT_EQ(races(text), Status::fails);
    EXPECT_EQ(ask(text, 1, check::Engine::both), Status::fails);
  }
  EXPECT_EQ(races(by_barrier), Status::holds);
  EXPECT_EQ(ask(by_barrier, 1, check::Engine::both), Status::holds);
}

// Of the lanes that want a ticket one takes as many as they are, and gives each its own.
std::string tickets(const std::string& rank) {
  return kernel(
      "// @Config: 2, 2, 1\n// @Output: forall (x.u32[0] == 4 && out.u32[0] != out.u32[1] && out.u32[0] != "
      "out.u32[2] && out.u32[0] != out.u32[3] && out.u32[1] != out.u32[2] && out.u32[1] != out.u32[3] && "
      "out.u32[2] != out.u32[3])\n",
      R"(  mov.u32 %r3, %laneid;
  setp.eq.u32 %p1, %r3, %r3;
  vote.sync.ballot.b32 %r4, %p1, 0xffffffff;
  popc.b32 %r5, %r4;
  setp.ne.u32 %p2, %r3, 0;
  @%p2 bra TAKEN;
  atom.relaxed.gpu.global.add.u32 %r6, [%rd4], %r5;
TAKEN:
  shfl.sync.idx.b32 %r7, %r6, 0, 31, 0xffffffff;
)" + rank +
          R"(
  add.u32 %r10, %r7, %r9;
  mul.wide.u32 %rd10, %r2, 4;
  add.s64 %rd11, %rd6, %rd10;
  st.global.u32 [%rd11], %r10;
)");
}

TEST(Lanes, ALeaderTakesTicketsForItsWarp) {
  const std::string right = "  mov.u32 %r8, %lanemask_lt;\n  and.b32 %r8, %r8, %r4;\n  popc.b32 %r9, %r8;",
                    wrong =
                        "  mov.u32 %r8, %lanemask_le;\n  and.b32 %r8, %r8, %r4;\n  popc.b32 %r8, %r8;\n"
                        "  and.b32 %r9, %r8, 2;";
  EXPECT_EQ(ask(tickets(right), 1, check::Engine::both), Status::holds);
  EXPECT_EQ(ask(tickets("  mov.u32 %r9, 0;"), 1), Status::fails);
  EXPECT_EQ(ask(tickets(wrong), 1), Status::fails);  // 0 and 2 of one warp, 2 and 4 of the other
}

TEST(Lanes, ALoopExchangesOnceInEachRound) {
  const auto sum = [](uint32_t expected) {
    return kernel(fmt::format("// @Config: 4, 1, 1\n// @Output: forall (out.u32[0] == {})\n", expected),
                  R"(  mov.u32 %r3, 2;
  add.u32 %r4, %r2, 1;
LOOP:
  shfl.sync.down.b32 %r5, %r4, %r3, 31, 0xffffffff;
  add.u32 %r4, %r4, %r5;
  shr.u32 %r3, %r3, 1;
  setp.ne.u32 %p1, %r3, 0;
  @%p1 bra LOOP;
  mul.wide.u32 %rd10, %r2, 4;
  add.s64 %rd11, %rd6, %rd10;
  st.global.u32 [%rd11], %r4;
)");
  };
  EXPECT_EQ(ask(sum(10), 3, check::Engine::both), Status::holds);
  EXPECT_EQ(ask(sum(11), 3, check::Engine::both), Status::fails);
}

// Were cells used again, a lane could take what the other gave 32 or 64 exchanges before.
TEST(Lanes, NoRoundTakesWhatAnEarlierOneGave) {
  const std::string give = "  shfl.sync.bfly.b32 %r5, %r4, 1, 31, 3;\n  add.u32 %r4, %r5, 1;\n";
  const auto looped = [&](uint32_t rounds, bool inner) {
    std::string code = "  mov.u32 %r4, %r2;\n  mov.u32 %r3, 0;\nLOOP:\n";
    code += inner ? "  mov.u32 %r6, 0;\nINNER:\n" + give +
                        "  add.u32 %r6, %r6, 1;\n  setp.lt.u32 %p2, %r6, 4;\n  @%p2 bra INNER;\n"
                  : give;
    code += fmt::format("  add.u32 %r3, %r3, 1;\n  setp.lt.u32 %p1, %r3, {};\n  @%p1 bra LOOP;\n", rounds);
    code +=
        "  mul.wide.u32 %rd10, %r2, 4;\n  add.s64 %rd11, %rd6, %rd10;\n  st.global.u32 [%rd11], %r4;\n"
        "  setp.ne.u32 %p3, %r2, 0;\n";
    return kernel(
        fmt::format("// @Config: 2, 1, 1\n// @Output: exists (out.u32[0] != {})\n", inner ? 4 * rounds : rounds), code);
  };
  EXPECT_EQ(ask(looped(40, false), 40), Status::fails);
  EXPECT_EQ(ask(looped(64, false), 64), Status::fails);
  // More than there are cells: no answer, and no wrong one. With fewer rounds the bound is not reached.
  for (const check::Engine engine : {check::Engine::automatic, check::Engine::solve, check::Engine::enumerate}) {
    EXPECT_EQ(ask(looped(32, false), 64, engine), Status::fails);
    const Status s = ask(looped(70, false), 70, engine), nested = ask(looped(18, true), 18, engine);
    EXPECT_TRUE(s == Status::unknown || s == Status::unsupported) << name(s);
    EXPECT_TRUE(nested == Status::unknown || nested == Status::unsupported) << name(nested);
  }
  const auto said = prog::too_many_exchanges(module_of(looped(18, true)), 18);
  ASSERT_TRUE(said.has_value());
  EXPECT_NE(said->find("may exchange 324 times"), std::string::npos) << *said;
  // Without a loop each exchange has its own cell, however many there are.
  std::string straight = "  mov.u32 %r4, %r2;\n";
  for (int k = 0; k < 70; ++k) straight += give;
  straight += "  mul.wide.u32 %rd10, %r2, 4;\n  add.s64 %rd11, %rd6, %rd10;\n  st.global.u32 [%rd11], %r4;\n";
  EXPECT_EQ(ask(kernel("// @Config: 2, 1, 1\n// @Output: exists (out.u32[0] != 70)\n", straight), 1), Status::fails);
}

TEST(Lanes, ALaneThatNeverComesGivesAnyValue) {
  const auto text = [](const std::string& condition) {
    return kernel("// @Config: 2, 1, 1\n// @Output: " + condition + "\n", R"(  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra DONE;
  shfl.sync.idx.b32 %r3, %r2, 1, 31, 0xffffffff;
  st.global.u32 [%rd6], %r3;
DONE:
)");
  };
  EXPECT_EQ(ask(text("forall (out.u32[0] == 1)"), 1, check::Engine::both), Status::fails);
  EXPECT_EQ(ask(text("exists (out.u32[0] == 77)"), 1, check::Engine::both), Status::holds);
}

TEST(Lanes, AMaskWithoutTheLaneItselfIsUndefinedBehaviour) {
  const std::string text = kernel("// @Config: 2, 1, 1\n", "  shfl.sync.idx.b32 %r3, %r2, 0, 31, 1;\n");
  EXPECT_EQ(races(text), Status::fails);
}

// Lane 0 waits at the exchange and lane 1 at a barrier of the warp.
TEST(Lanes, LanesThatWaitForEachOtherNeverEnd) {
  const std::string apart = kernel("// @Config: 2, 1, 1\n", R"(  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra OTHER;
  shfl.sync.idx.b32 %r3, %r2, 1, 31, 0xffffffff;
  bar.warp.sync 0xffffffff;
  bra DONE;
OTHER:
  bar.warp.sync 0xffffffff;
  shfl.sync.idx.b32 %r3, %r2, 1, 31, 0xffffffff;
DONE:
)");
  EXPECT_EQ(verdict(module_of(apart), check::Property::termination, 1), Status::fails);
  EXPECT_EQ(
      verdict(module_of(message("  shfl.sync.idx.b32 %r4, %r2, 0, 31, 0xffffffff;")), check::Property::termination, 1),
      Status::holds);
}

TEST(Lanes, WhatIsNotModelledIsRefusedByName) {
  const auto says = [](const std::string& code, const std::string& what) {
    const std::string all = refusal(kernel("// @Config: 2, 1, 1\n", code));
    EXPECT_NE(all.find(what), std::string::npos) << all;
  };
  says(
      "  ld.global.u32 %r3, [%rd4];\n  setp.eq.u32 %p1, %r3, 0;\n  @%p1 bra OVER;\n"
      "  shfl.sync.idx.b32 %r4, %r2, 0, 31, 0xffffffff;\nOVER:\n",
      "shfl.sync.idx.b32: memory decides which lanes of a warp come to this exchange");
  says("  ld.global.u32 %r3, [%rd4];\n  shfl.sync.idx.b32 %r4, %r2, 0, 31, %r3;\n", "a mask of lanes that is computed");
  says("  activemask.b32 %r3;\n  mov.u32 %r4, %r3;\n  vote.sync.any.pred %p1, %p1, %r4;\n",
       "vote.sync.any.pred: a mask that activemask gives is not read");
  says(
      "  setp.eq.u32 %p1, %r2, 0;\n  @%p1 bra OVER;\n  vote.sync.any.pred %p2, %p1, 0xffffffff;\nOVER:\n"
      "  vote.sync.any.pred %p2, %p1, 0xffffffff;\n",
      "lanes of a warp come to this exchange unequally often");
}

// What may keep lanes apart, and is not memory by itself. Were one of these taken for alike in all lanes, the lane that
// waits for the other would never end, and conditions would skip the execution.
TEST(Lanes, WhatDiffersBetweenLanesDecidesNoExchange) {
  const auto apart = [](const std::string& before, const std::string& exchange) {
    const std::string all =
        refusal(kernel("// @Config: 2, 1, 1\n", "  ld.global.u32 %r3, [%rd4];\n  setp.eq.u32 %p1, %r3, 0;\n" + before +
                                                    "  @%p3 bra OVER;\n" + exchange + "OVER:\n"));
    EXPECT_NE(all.find("memory decides which lanes of a warp come to this exchange"), std::string::npos) << all;
  };
  const std::string shuffle = "  shfl.sync.idx.b32 %r4, %r2, 0, 31, 0xffffffff;\n";
  apart("  mov.pred %p3, %p1;\n", "  elect.sync %r4|%p2, 0xffffffff;\n");
  // The lane chose the value by a branch, and memory says whether it counts.
  apart(
      "  mov.u32 %r5, 0;\n  setp.ne.u32 %p4, %r2, 0;\n  @%p4 bra L;\n  mov.u32 %r5, 1;\nL:\n"
      "  vote.sync.any.pred %p2, %p1, 0xffffffff;\n  selp.u32 %r6, %r5, 0, %p2;\n  setp.ne.u32 %p3, %r6, 0;\n",
      shuffle);
  // Each lane keeps its own value: the index is beyond the clamp.
  apart("  shfl.sync.idx.b32 %r6, %r3, 1, 0, 0xffffffff;\n  setp.ne.u32 %p3, %r6, 0;\n", shuffle);
  // The launch has no such lane, so that each gets any value.
  apart("  shfl.sync.idx.b32 %r6, %r3, 31, 31, 0xffffffff;\n  setp.ne.u32 %p3, %r6, 0;\n", shuffle);
}

// Load buffering whose one thread hands the value to the lane that stores: data that goes round is out of thin air,
// through lanes as through registers.
TEST(Lanes, NoValueComesRoundThroughAnExchange) {
  const std::string text = kernel("// @Config: 2, 1, 2\n// @Output: ~exists (x.u32[0] == 7)\n",
                                  R"(  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra BACK;
  mov.u32 %r3, 0;
  setp.ne.u32 %p2, %r2, 0;
  @%p2 bra GIVE;
  ld.relaxed.gpu.global.u32 %r3, [%rd4];
GIVE:
  shfl.sync.idx.b32 %r4, %r3, 0, 31, 0xffffffff;
  @!%p2 bra DONE;
  st.relaxed.gpu.global.u32 [%rd5], %r4;
  bra DONE;
BACK:
  setp.ne.u32 %p2, %r2, 0;
  @%p2 bra DONE;
  ld.relaxed.gpu.global.u32 %r5, [%rd5];
  st.relaxed.gpu.global.u32 [%rd4], %r5;
DONE:
)");
  EXPECT_EQ(ask(text, 1, check::Engine::solve), Status::holds);
}

// A lane waits for those that its mask names until they end. Were those that have no such exchange left out, a kernel
// whose lanes wait for each other would end.
TEST(Lanes, ALaneThatMayWaitElsewhereIsNotLeftOut) {
  const auto says = [](const std::string& config, const std::string& one, const std::string& other,
                       const std::string& what) {
    const std::string all =
        refusal(kernel("// @Config: " + config + "\n", "  setp.ne.u32 %p1, %r2, 0;\n  @%p1 bra OTHER;\n" + one +
                                                           "  bra DONE;\nOTHER:\n" + other + "DONE:\n"));
    EXPECT_NE(all.find(what), std::string::npos) << all;
  };
  const std::string shuffle = "  shfl.sync.idx.b32 %r3, %r2, 1, 31, 0xffffffff;\n", waits = "may wait there";
  says("2, 1, 1", shuffle, "  bar.sync 0;\n", waits);
  says("2, 1, 1", shuffle, "  bar.warp.sync 2;\n", waits);
  says("2, 1, 1", shuffle, "AGAIN:\n  ld.global.u32 %r3, [%rd4];\n  setp.eq.u32 %p2, %r3, 0;\n  @%p2 bra AGAIN;\n",
       waits);
  says("2, 1, 1", "  bar.warp.sync 3;\n", "  bar.sync 0;\n", waits);
  says("2, 1, 1", "  elect.sync %r3|%p2, 0xffffffff;\n", "", "has ended, or never comes");
  says("2, 1, 1", "  vote.sync.any.pred %p2, %p1, 0xffffffff;\n", "  bar.sync 0;\n", waits);
  says("3, 1, 1", "", "  shfl.sync.idx.b32 %r3, %r2, 0, 31, 0xffffffff;\n", "each may find another value");
}

// "All non-exited threads in membermask": who has ended gives nothing, as if the mask did not name it.
TEST(Lanes, ALaneThatHasEndedTakesNoPartInAVote) {
  const auto text = [](const std::string& exchange, uint32_t expected) {
    return kernel(
        fmt::format("// @Config: 4, 1, 1\n// @Output: forall (out.u32[0] == {0} && out.u32[1] == {0})\n", expected),
        "  setp.ge.u32 %p1, %r2, 2;\n  @%p1 bra DONE;\n  setp.lt.u32 %p2, %r2, 3;\n" + exchange +
            "  mul.wide.u32 %rd10, %r2, 4;\n  add.s64 %rd11, %rd6, %rd10;\n  st.global.u32 [%rd11], %r3;\nDONE:\n");
  };
  const std::string chosen = "  selp.u32 %r3, 1, 0, %p3;\n";
  const std::vector<std::pair<std::string, uint32_t>> all = {
      {"  vote.sync.ballot.b32 %r3, %p2, 0xffffffff;\n", 3},
      {"  vote.sync.ballot.b32 %r3, !%p2, 0xffffffff;\n", 0},
      {"  vote.sync.all.pred %p3, %p2, 0xffffffff;\n" + chosen, 1},
      {"  vote.sync.any.pred %p3, !%p2, 0xffffffff;\n" + chosen, 0},
      {"  vote.sync.uni.pred %p3, %p2, 0xffffffff;\n" + chosen, 1},
      {"  add.u32 %r4, %r2, 5;\n  redux.sync.min.u32 %r3, %r4, 0xffffffff;\n", 5},
      {"  add.u32 %r4, %r2, 5;\n  redux.sync.add.u32 %r3, %r4, 0xffffffff;\n", 11},
      {"  mov.u32 %r4, 0;\n  match.any.sync.b32 %r3, %r4, 0xffffffff;\n", 3},
      {"  mov.u32 %r4, 0;\n  match.all.sync.b32 %r3|%p3, %r4, 0xffffffff;\n", 3},
  };
  for (const auto& [exchange, result] : all) {
    EXPECT_EQ(ask(text(exchange, result), 1, check::Engine::both), Status::holds) << exchange;
    EXPECT_EQ(ask(text(exchange, result + 1), 1), Status::fails) << exchange;
  }
}

// A vote of all lanes has one result, so that what it decides keeps them together.
TEST(Lanes, AVoteOfAllKeepsTheLanesTogether) {
  const std::string text = kernel("// @Config: 2, 1, 1\n// @Output: forall (out.u32[0] == out.u32[1])\n",
                                  R"(  ld.global.u32 %r3, [%rd4];
  setp.eq.u32 %p1, %r3, 0;
  mov.u32 %r5, 7;
  vote.sync.any.pred %p2, %p1, 0xffffffff;
  @!%p2 bra OVER;
  shfl.sync.idx.b32 %r5, %r2, 1, 31, 0xffffffff;
OVER:
  mul.wide.u32 %rd10, %r2, 4;
  add.s64 %rd11, %rd6, %rd10;
  st.global.u32 [%rd11], %r5;
)");
  EXPECT_EQ(ask(text, 1, check::Engine::both), Status::holds);
}

// Without its barrier an exchange would still give the right values, by its axiom: advice to drop it would be wrong.
TEST(Lanes, NothingOfAnExchangeIsWeakenedOrDropped) {
  const prog::Test t = module_of(message("  shfl.sync.idx.b32 %r4, %r2, 0, 31, 0xffffffff;\n  fence.acq_rel.cta;"));
  size_t sites = 0;
  for (const auto& list : {prog::weakening_sites(t, {}), prog::strengthening_sites(t, {})})
    for (const prog::Site& s : list)
      for (const prog::Place& p : s.places) {
        EXPECT_FALSE(prog::is_lane(t.instrs(p.thread)[p.instr].tags));
        ++sites;
      }
  EXPECT_GT(sites, 0u) << "the fence is one";
}

TEST(Lanes, TheModelKnowsNoEventOfAnExchange) {
  const prog::Test t = module_of(message("  shfl.sync.idx.b32 %r4, %r2, 0, 31, 0xffffffff;"));
  EXPECT_TRUE(prog::has_lanes(t));
  EXPECT_EQ(prog::needs_ptx9(t), nullptr);
  const auto m = cat::load_model("ptx-7.5", vocab::Dialect::ptx);
  ASSERT_TRUE(m.has_value());
  EXPECT_FALSE(cat::knows_lanes(*m));
  const cat::Model hidden = cat::with_lanes(*m);
  EXPECT_TRUE(cat::knows_lanes(hidden));
  EXPECT_EQ(hidden.axioms.size(), m->axioms.size() + 2)
      << "none reads the initial value, and none comes out of thin air";
  EXPECT_EQ(cat::with_lanes(hidden).axioms.size(), hidden.axioms.size());
  for (const char* model : {"ptx-6.0", "ptx-8", "ptx-9", "sc"})
    EXPECT_EQ(verdict(module_of(message("  bar.warp.sync 0xffffffff;\n  shfl.sync.idx.b32 %r4, %r2, 0, 31, -1;")),
                      check::Property::condition, 1, check::Engine::both, model),
              Status::holds)
        << model;
}

}  // namespace
