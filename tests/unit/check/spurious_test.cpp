// A weak compare-exchange may fail although it finds what it expects: in both engines, in the interpreter that replays
// them, and never for ever.
#include "check/liveness.h"
#include "check/progress_option.h"
#include "enumerate_support.h"
#include "prog/test.h"

namespace fencepost::check {
namespace {

// One thread per body, each in a work-group of its own.
std::string opencl(const std::vector<std::string>& bodies, const std::string& condition) {
  std::string s = "OPENCL t\n{ [x] = 0; [y] = 0; [d] = 0; }\n";
  for (size_t t = 0; t < bodies.size(); ++t)
    s += "P" + std::to_string(t) + "@wg " + std::to_string(t) +
         ", dev 0 (global atomic_int* x, global atomic_int* y, global int* d) {\n" + bodies[t] + "\n}\n";
  return s + condition + "\n";
}

std::string exchange(const std::string& strength, const std::string& rest = "") {
  return "  int e = 0;\n  int r0 = atomic_compare_exchange_" + strength +
         "_explicit(x, &e, 1, memory_order_acq_rel, memory_order_relaxed, memory_scope_device);\n" + rest;
}

std::string verdict(const prog::Test& t, Property p = Property::condition, uint32_t bound = 2) {
  const cat::Model m = shipped("opencl", t.dialect);
  const Status a = ask(t, m, Engine::enumerate, p, bound).verdict.status;
  const Status b = ask(t, m, Engine::solve, p, bound).verdict.status;
  EXPECT_EQ(a, b) << name(a) << " by enumerate, " << name(b) << " by solve";
  return name(a);
}
std::string verdict(const std::vector<std::string>& bodies, const std::string& condition,
                    Property p = Property::condition) {
  return verdict(parsed(opencl(bodies, condition)), p);
}

TEST(Spurious, AWeakExchangeMayFailThoughItFindsWhatItExpects) {
  EXPECT_EQ(verdict({exchange("weak")}, "exists (0:r0 = 0 /\\ x = 0)"), "holds");
  EXPECT_EQ(verdict({exchange("weak")}, "exists (0:r0 = 1 /\\ x = 1)"), "holds");
  EXPECT_EQ(verdict({exchange("weak")}, "exists (0:r0 = 1 /\\ x = 0)"), "fails");
  EXPECT_EQ(verdict({exchange("weak")}, "exists (0:r0 = 0 /\\ x = 1)"), "fails");
  EXPECT_EQ(verdict({exchange("weak")}, "exists (~(0:e = 0))"), "fails") << "it gives the value that it has read";
  EXPECT_EQ(verdict({exchange("strong")}, "forall (0:r0 = 1 /\\ x = 1)"), "holds");
}

TEST(Spurious, TheValueGoesBackToExpectedMemory) {
  const std::string body = "  int r0 = atomic_compare_exchange_weak(x, y, 1);";
  EXPECT_EQ(verdict({body}, "exists (0:r0 = 0 /\\ x = 0 /\\ y = 0)"), "holds");
  EXPECT_EQ(verdict({body}, "exists (~(y = 0))"), "fails");
}

TEST(Spurious, IsCountedOnce) {
  const prog::Test t = parsed(opencl({exchange("weak")}, "exists (x = 1)"));
  EXPECT_EQ(texts(all(t, shipped("opencl", t.dialect))).size(), 2u);
  EXPECT_EQ(executions(opencl({exchange("weak")}, "exists (x = 1)"), k_sc), 2u);
  EXPECT_EQ(executions(opencl({exchange("strong")}, "exists (x = 1)"), k_sc), 1u);
}

TEST(Spurious, CanBeTurnedOff) {
  prog::Test t = parsed(opencl({exchange("weak")}, "forall (0:r0 = 1 /\\ x = 1)"));
  EXPECT_EQ(verdict(t), "fails");
  EXPECT_TRUE(prog::forbid_spurious_failures(t));
  EXPECT_EQ(verdict(t), "holds");
  EXPECT_FALSE(prog::forbid_spurious_failures(t));
}

// The failure is a load with the order of failure, so it acquires nothing.
TEST(Spurious, HasTheOrderOfFailure) {
  const auto race = [](const std::string& strength, const std::string& failure) {
    return verdict(
        {"  *d = 1;\n  atomic_store_explicit(x, 1, memory_order_release, memory_scope_device);",
         "  int e = 1;\n  int r0 = atomic_compare_exchange_" + strength + "_explicit(x, &e, 2, memory_order_acq_rel, " +
             failure + ", memory_scope_device);\n  if (e == 1) { int r1 = *d; }"},
        "exists (x = 1)", Property::races);
  };
  EXPECT_EQ(race("strong", "memory_order_relaxed"), "holds");
  EXPECT_EQ(race("weak", "memory_order_relaxed"), "fails");
  EXPECT_EQ(race("weak", "memory_order_acquire"), "holds");
}

TEST(Spurious, IsShownInTheExecution) {
  const prog::Test t = parsed(opencl({exchange("weak")}, "exists (0:r0 = 0)"));
  for (const Engine e : {Engine::enumerate, Engine::solve}) {
    const Result r = ask(t, shipped("opencl", t.dialect), e);
    ASSERT_TRUE(r.execution.has_value());
    int seen = 0;
    for (const reference::Event& ev : r.execution->execution.events) seen += ev.spurious;
    EXPECT_EQ(seen, 1);
    EXPECT_EQ(r.choices->spurious.size(), 1u);
  }
}

// What fails spuriously must be able to: the interpreter refuses a choice that fits no instruction.
TEST(Spurious, TheInterpreterRefusesWhatCannotBe) {
  const prog::Test t = parsed(opencl({exchange("strong")}, "exists (0:r0 = 1)"));
  const Result r = ask(t, shipped("opencl", t.dialect));
  ASSERT_TRUE(r.execution.has_value());
  reference::Choices c = *r.choices;
  ASSERT_TRUE(reference::run(t, c, {}).has_value());
  for (const auto& [read, write] : c.rf) c.spurious.insert(read);
  EXPECT_FALSE(reference::run(t, c, {}).has_value());
}

// ---- termination -----------------------------------------------------------------------------------
std::string ends(const std::vector<std::string>& bodies, const std::string& progress = "FAIR", uint32_t bound = 3) {
  const prog::Test t = parsed(opencl(bodies, "exists (x = 0)"));
  const cat::Model m = shipped("opencl", t.dialect);
  Options o;
  o.property = Property::termination;
  o.bound = bound;
  o.progress = *parse_progress(progress, t.dialect);
  Job job;
  const Result a = solve_termination(t, m, o, job);
  const Result b = enumerate_termination(t, m, o, job);
  EXPECT_EQ(name(a.verdict.status), std::string(name(b.verdict.status)));
  const Result c = check(t, m, o, job);
  EXPECT_EQ(name(a.verdict.status), std::string(name(c.verdict.status))) << "by automatic choice";
  return name(a.verdict.status);
}

std::string lock(const std::string& strength) {
  return "  int e = 0;\n  while (atomic_compare_exchange_" + strength +
         "_explicit(x, &e, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device) == 0) { e = 0; }\n"
         "  int r1 = *d;\n  *d = r1 + 1;\n  atomic_store_explicit(x, 0, memory_order_release, memory_scope_device);";
}

TEST(SpuriousForEver, ALockEndsAsIfItWereStrong) {
  for (const char* strength : {"strong", "weak"}) {
    EXPECT_EQ(ends({lock(strength)}), "holds") << strength;
    EXPECT_EQ(ends({lock(strength), lock(strength)}), "holds") << strength;
    EXPECT_EQ(ends({lock(strength), lock(strength)}, "UNFAIR"), "fails") << strength;
    EXPECT_EQ(verdict({lock(strength), lock(strength)}, "~exists (0:r1 = 0 /\\ 1:r1 = 0)"), "holds") << strength;
    EXPECT_EQ(verdict({lock(strength), lock(strength)}, "exists (x = 0)", Property::races), "holds") << strength;
  }
}

TEST(SpuriousForEver, OneFailureMayLeadToALoop) {
  const std::string gives_up = "  while (r0 == 0) { }";
  EXPECT_EQ(ends({exchange("strong", gives_up)}), "holds");
  EXPECT_EQ(ends({exchange("weak", gives_up)}), "fails");
}

// The loop goes on for ever with real failures; a spurious one is not needed.
TEST(SpuriousForEver, RealFailuresMayBeInfinite) {
  const std::string waits =
      "  int e = 5;\n  while (atomic_compare_exchange_weak_explicit(x, &e, 1, memory_order_acquire, "
      "memory_order_relaxed, memory_scope_device) == 0) { e = 5; }";
  EXPECT_EQ(ends({waits}), "fails");
}

}  // namespace
}  // namespace fencepost::check
