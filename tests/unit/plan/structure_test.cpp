// Control flow of test threads as structured statements: random programs of jumps, run on the executor and by a plain
// interpreter of the jumps themselves, leave the same registers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "plan/plan.h"
#include "read/read.h"
#include "run_on_executor.h"

using namespace fencepost;
using namespace fencepost::plan;

namespace {

// One thread of `n` lines over registers r0, r1, r2; branches forward, and backward over a counter so that loops end.
std::string random_program(Rng& rng, bool loops) {
  const auto n = static_cast<uint32_t>(3 + rng.below(9));
  std::string code = " add r0, r0, 0 ;\n add r1, r1, 0 ;\n add r2, r2, 0 ;\n";
  for (uint32_t i = 0; i < n; ++i) {
    code += fmt::format(" L{}: ;\n", i);
    const auto r = static_cast<uint32_t>(rng.below(3));
    switch (rng.below(6)) {
      case 0:
        code += fmt::format(" add r{}, r{}, {} ;\n", r, rng.below(3), 1 + rng.below(2));
        break;
      case 1:
        code += fmt::format(" beq r{}, {}, L{} ;\n", r, rng.below(3), i + 1 + rng.below(n - i));
        break;
      case 2:
        code += fmt::format(" bne r{}, {}, L{} ;\n", r, rng.below(3), i + 1 + rng.below(n - i));
        break;
      case 3:
        code += fmt::format(" goto L{} ;\n", i + 1 + rng.below(n - i));
        break;
      case 4:
        code += fmt::format(" ld.weak r{}, x ;\n", r);
        break;
      default:
        if (loops && i > 0)
          code += fmt::format(" add r3, r3, 1 ;\n bne r3, {}, L{} ;\n", 2 + rng.below(3), rng.below(i + 1));
        else
          code += fmt::format(" add r{}, r{}, 1 ;\n", r, r);
    }
  }
  code += fmt::format(" L{}: ;\n", n);
  return "PTX T\n{ x = 1; }\n P0@cta 0,gpu 0 ;\n" + code + "exists (P0:r0 = 0 /\\ P0:r1 = 0 /\\ P0:r2 = 0)\n";
}

// Registers at the end, or nothing when `backward` jumps were not enough.
std::optional<std::vector<uint64_t>> interpret(const prog::Test& t, uint32_t backward) {
  const prog::Template& code = t.code(0);
  std::vector<uint64_t> r(code.registers.size(), 0);
  const term::Env env = [&](uint64_t v) -> std::optional<uint64_t> { return r[v]; };
  for (uint32_t p = 0; p < code.code.size();) {
    const prog::Instr& i = code.code[p];
    bool jump = i.kind == prog::Kind::jump;
    if (i.kind == prog::Kind::local) r[i.dst] = *term::eval(i.value, env);
    if (i.kind == prog::Kind::load) r[i.dst] = 1;
    if (i.kind == prog::Kind::branch) jump = *term::eval(i.value, env) != 0;
    if (!jump) {
      ++p;
      continue;
    }
    const uint32_t to = code.labels[i.label].at;
    if (to <= p && backward-- == 0) return std::nullopt;
    p = to;
  }
  return r;
}

TEST(Structure, JumpsKeepTheirMeaning) {
  Rng rng(99);
  uint32_t compared = 0, looped = 0, refused = 0;
  for (int round = 0; round < 400; ++round) {
    const std::string text = random_program(rng, round % 2 == 1);
    const auto test = read::parse_one(make_source("t.litmus", text));
    ASSERT_TRUE(test.has_value()) << render(test.error()) << text;
    Target t;
    t.memory_words = 1 << 12;
    const auto p = make_program(*test, t, {});
    if (!p) {
      ASSERT_EQ(p.error().list[0].fault, Fault::unsupported) << render(p.error());
      ++refused;
      continue;
    }
    Parameters wishes;
    ASSERT_TRUE(
        set_parameters(wishes,
                       "groups=1,lanes=1,rounds=2,stress=off,pre-stress=off,align=off,spin-limit=60,schedule=split")
            .has_value());
    const auto c = draw(*p, t, wishes, 1, 0);
    ASSERT_TRUE(c.has_value()) << render(c.error());
    const Ran r = run_on_executor(*p, *c, {.limit = 1000000});
    ASSERT_EQ(r.fault, "") << text;
    ASSERT_EQ(r.total(), 2u) << text;
    const auto expected = interpret(*test, 59);
    if (!expected) {
      ASSERT_EQ(r.counts[p->incomplete()], 2u) << text;
      continue;
    }
    ++compared;
    looped += p->loops;
    prog::FinalValues f;
    f.registers = {*expected};
    f.memory = {{1}};
    const prog::State want = prog::state_of(*test, p->observables, f);
    uint64_t right = 0;
    for (uint32_t s = 0; s < p->states; ++s)
      if (p->state(s) == want) right = r.counts[s];
    ASSERT_EQ(right, 2u) << text << prog::to_string(p->observables, want) << "\n" << code::to_string(p->kernels[1]);
  }
  EXPECT_GT(compared, 180u);
  EXPECT_GT(looped, 25u);
  EXPECT_LT(refused, 190u) << compared << " " << looped;
}

TEST(Structure, LoopsAreCutAtTheLimitAndCounted) {
  const auto test = read::parse_one(make_source(
      "t.litmus",
      "PTX T\n{ x = 0; }\n P0@cta 0,gpu 0 ;\n L0: ;\n ld.relaxed.gpu r0, x ;\n beq r0, 0, L0 ;\nexists (P0:r0 = 0)\n"));
  ASSERT_TRUE(test.has_value()) << render(test.error());
  Target t;
  t.memory_words = 1 << 12;
  const auto p = make_program(*test, t, {});
  ASSERT_TRUE(p.has_value());
  Parameters wishes;
  ASSERT_TRUE(
      set_parameters(wishes, "groups=1,lanes=1,rounds=3,stress=off,pre-stress=off,align=off,spin-limit=5").has_value());
  const auto c = draw(*p, t, wishes, 1, 0);
  ASSERT_TRUE(c.has_value());
  const Ran r = run_on_executor(*p, *c, {});
  EXPECT_EQ(r.fault, "");
  EXPECT_EQ(r.counts[p->incomplete()], 3u);
  EXPECT_EQ(r.total(), 3u);
}

}  // namespace
