// Barriers that a register names, in both engines: the value decides who meets whom, and arrivals are counted for each
// value.
#include <random>

#include "enumerate_support.h"
#include "prog/test.h"

namespace fencepost::check {
namespace {

// Engine both: a disagreement ends the process.
Status both(const prog::Test& t, const cat::Model& m, uint32_t bound = 1) {
  Options o;
  o.engine = Engine::both;
  o.bound = bound;
  Job job = Job::with_budget(20);
  return check(t, m, o, job).verdict.status;
}

bool vacuous(const prog::Test& t, const cat::Model& m) {
  Job job = Job::with_budget(20);
  return check(t, m, {}, job).verdict.vacuous;
}

const cat::Model& ptx() {
  static const cat::Model m = shipped("ptx-7.5", vocab::Dialect::ptx);
  return m;
}

// P0 and P1 store, wait, and load what the other stored; `one` and `two` are their barriers. z is 1.
std::string store_buffering(const std::string& one, const std::string& two) {
  return "PTX t\n{ z = 1; P0:r2 = 1; P1:r2 = 1; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n ld.weak r3, z | ld.weak r3, z "
         ";\n"
         " st.weak x, 1 | st.weak y, 1 ;\n " +
         one + " | " + two + " ;\n ld.weak r0, y | ld.weak r0, x ;\n";
}

TEST(BarrierNames, AreComparedAsValues) {
  const std::string ordered = "forall (P0:r0 == 1 /\\ P1:r0 == 1)\n";
  for (const auto& [a, b] : std::vector<std::pair<std::string, std::string>>{
           {"r2", "1"}, {"1", "r2"}, {"r2", "r2"}, {"r3", "1"}, {"r3", "r2"}, {"r3", "r3"}, {"0x1", "r3"}})
    EXPECT_EQ(both(parsed(store_buffering("bar.cta.sync " + a, "bar.cta.sync " + b) + ordered), ptx()), Status::holds)
        << a << " " << b;
  // Two constant names never meet: each waits for all threads of the CTA and never goes on (PTX ISA, bar). In the
  // published tables neither waits for the other.
  const prog::Test apart = parsed(store_buffering("bar.cta.sync r2", "bar.cta.sync 2") + ordered);
  EXPECT_EQ(both(apart, ptx()), Status::holds);
  EXPECT_TRUE(vacuous(apart, ptx()));
  EXPECT_EQ(both(apart, shipped("ptx-7.5-tables", vocab::Dialect::ptx)), Status::fails);
  // A name that is computed may be any: whoever waits at 2 waits for P0 as well, which comes to 1 alone.
  EXPECT_EQ(both(parsed(store_buffering("bar.cta.sync r3", "bar.cta.sync 2") + "exists (P0:r3 == 1)\n"), ptx()),
            Status::fails);
}

// Without a number of threads all of the CTA take part, whether the number stands in the text or in a register.
TEST(BarrierNames, AllThreadsOfTheCtaAreWaitedFor) {
  const auto ends = [](const std::string& one, const std::string& third, const std::string& place,
                       const cat::Model& m) {
    return both(parsed("PTX t\n{ z = 1; P0:r2 = 1; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@" + place +
                       " ;\n ld.weak r3, z | "
                       "bar.sync 1 | ld.weak r0, x ;\n " +
                       one + " | | " + third + " ;\nexists (P2:r0 == 0)\n"),
                m);
  };
  const cat::Model tables = shipped("ptx-7.5-tables", vocab::Dialect::ptx);
  for (const std::string one : {"bar.sync 1", "bar.cta.sync 1", "bar.cta.sync r2", "bar.sync r3", "barrier.sync 1"}) {
    EXPECT_EQ(ends(one, "", "cta 0,gpu 0", ptx()), Status::fails) << one;
    EXPECT_EQ(ends(one, "bar.sync 2", "cta 0,gpu 0", ptx()), Status::fails) << one;
    EXPECT_EQ(ends(one, "bar.sync 1", "cta 0,gpu 0", ptx()), Status::holds) << one;
    EXPECT_EQ(ends(one, "", "cta 1,gpu 0", ptx()), Status::holds) << one;
    EXPECT_EQ(ends(one, "", "cta 0,gpu 0", tables), Status::holds) << one;
  }
}

TEST(BarrierNames, ThereAreSixteen) {
  const auto error = [](const std::string& barrier) {
    const auto t = read::parse(make_source(
        "t.litmus", "PTX t\n{ P0:r2 = 16; }\n P0@cta 0,gpu 0 ;\n " + barrier + " ;\nexists (P0:r2 == 16)\n"));
    return t ? std::string() : t.error().list.front().message;
  };
  for (const std::string barrier : {"bar.sync 16", "bar.cta.sync 0x10", "barrier.sync 99, 32", "bar.cta.sync 16, 1",
                                    "bar.sync r2", "bar.cta.sync r2"})
    EXPECT_NE(error(barrier).find("there is no barrier "), std::string::npos) << barrier;
  EXPECT_EQ(error("bar.sync 15"), "");
}

TEST(BarrierNames, ArrivalsAreCountedForEachValue) {
  const auto ends = [](const std::string& rows) {
    return both(parsed("PTX t\n{ z = 1; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n ld.weak r3, z | ld.weak r3, z ;\n" +
                       rows + "exists (P0:r3 == 1)\n"),
                ptx());
  };
  EXPECT_EQ(ends(" bar.cta.sync r3 | bar.cta.sync 1 ;\n bar.cta.sync 2 | bar.cta.sync 2 ;\n"), Status::holds);
  EXPECT_EQ(ends(" bar.cta.sync r3 | bar.cta.sync 2 ;\n bar.cta.sync 2 | bar.cta.sync 1 ;\n"), Status::fails);
  EXPECT_EQ(ends(" bar.cta.arrive r3 | bar.cta.sync 2 ;\n bar.cta.sync 2 | bar.cta.sync 1 ;\n"), Status::holds);
  EXPECT_EQ(ends(" bar.cta.sync r3 | bar.cta.sync 1 ;\n bar.cta.sync r3 | ;\n"), Status::fails);
}

// Random threads whose barriers have names that are constants, known registers and read ones.
TEST(BarrierNames, EnginesAgreeOnRandomPrograms) {
  std::mt19937 rng(20260307);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(rng() % n); };
  uint32_t held = 0, failed = 0, by_value = 0;
  for (uint32_t round = 0; round < 120; ++round) {
    const uint32_t threads = 2 + below(2);
    std::string places, text;
    std::vector<std::vector<std::string>> code(threads);
    for (uint32_t t = 0; t < threads; ++t) {
      places += std::string(t == 0 ? "" : "|") + " P" + std::to_string(t) + "@cta " + (below(8) == 0 ? "1" : "0") +
                ", gpu 0 ";
      code[t].push_back("ld.relaxed.cta r9, z");
      const uint32_t n = 1 + below(2);
      for (uint32_t k = 0; k < n; ++k) {
        if (below(2) == 0)
          code[t].push_back("st.relaxed.cta " + std::string(below(2) ? "x" : "z") + ", " + std::to_string(below(2)));
        const char* names[] = {"0", "1", "0x1", "r8", "r9", "r9"};
        code[t].push_back(std::string(below(5) == 0 ? "bar.cta.arrive " : "bar.cta.sync ") + names[below(6)]);
      }
      code[t].push_back("ld.relaxed.cta r0, x");
    }
    for (size_t row = 0; row < 8; ++row) {
      for (uint32_t t = 0; t < threads; ++t)
        text += (t == 0 ? " " : " | ") + (row < code[t].size() ? code[t][row] : "");
      text += " ;\n";
    }
    std::string init = "z = " + std::to_string(below(2)) + "; ";
    for (uint32_t t = 0; t < threads; ++t) init += "P" + std::to_string(t) + ":r8 = 1; ";
    const prog::Test test =
        parsed("PTX t\n{ " + init + "}\n" + places + ";\n" + text + "exists (P0:r0 = " + std::to_string(below(2)) +
               " /\\ P1:r9 = " + std::to_string(below(2)) + ")\n");
    for (const auto& i : test.instrs(0)) by_value += i.kind == prog::Kind::barrier && i.barrier.by_value();
    const Status s = both(test, ptx());
    held += s == Status::holds;
    failed += s == Status::fails;
    Job one = Job::with_budget(20), two = Job::with_budget(20);
    const Outcomes a = outcomes(test, ptx(), {}, one), b = outcomes_by_solving(test, ptx(), {}, two);
    EXPECT_EQ(a.states.states, b.states.states) << text;
  }
  EXPECT_GE(held, 8u);
  EXPECT_GE(failed, 15u);
  EXPECT_GE(by_value, 40u);
}

}  // namespace
}  // namespace fencepost::check
