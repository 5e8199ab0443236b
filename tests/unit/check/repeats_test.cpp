// Answers that rest on failed attempts left out under models that let only repeated ones go (encode/repeats.h).
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "cat/library.h"
#include "check/check.h"
#include "prog/test.h"
#include "read/read.h"

namespace fencepost::check {
namespace {

std::string ask(const std::string& text, const std::string& model, Property property) {
  const auto t = read::parse_one(make_source("test.litmus", text));
  const auto m = t ? cat::load_model(model, t->dialect) : Expected<cat::Model>(std::unexpected(t.error()));
  if (!t || !m) {
    ADD_FAILURE() << (t ? render(m.error()) : render(t.error()));
    return "";
  }
  Options o;
  o.property = property;
  o.auto_bound = true;
  o.explicit_state = false;
  Job job = Job::with_budget(60);
  return name(check(*t, *m, o, job).verdict.status);
}

std::string ptx(const std::string& take, const std::string& acquire, const std::string& release) {
  const std::string attempt = fmt::format("atom.{}.gpu.{}", acquire, take);
  return fmt::format(
      "PTX lock\n{{ x = 0; l = 0; }}\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n LC00: | LC01: ;\n {0} | {0} ;\n"
      " bne r0, 0, LC00 | bne r0, 0, LC01 ;\n ld.weak r1, x | ld.weak r1, x ;\n add r2, r1, 1 | add r2, r1, 1 ;\n"
      " st.weak x, r2 | st.weak x, r2 ;\n st.{1}.gpu l, 0 | st.{1}.gpu l, 0 ;\n~exists (P0:r1 = 0 /\\ P1:r1 = 0)\n",
      attempt, release);
}

TEST(Repeats, LocksOfPtx) {
  for (const std::string take : {"exch r0, l, 1", "cas r0, l, 0, 1"})
    for (const std::string model : {"ptx-7.5", "ptx-8", "sc"}) {
      EXPECT_EQ(ask(ptx(take, "acquire", "release"), model, Property::condition), "holds") << take << model;
      EXPECT_EQ(ask(ptx(take, "acquire", "release"), model, Property::termination), "holds") << take << model;
    }
  EXPECT_EQ(ask(ptx("exch r0, l, 1", "relaxed", "release"), "ptx-7.5", Property::condition), "fails");
  EXPECT_EQ(ask(ptx("exch r0, l, 1", "acquire", "relaxed"), "ptx-7.5", Property::condition), "fails");
}

TEST(Repeats, ALockThatIsNeverGivenBack) {
  const std::string shut =
      "PTX shut\n{ l = 1; }\n P0@cta 0,gpu 0 ;\n L0: ;\n atom.acquire.gpu.exch r0, l, 1 ;\n bne r0, 0, L0 ;\nexists (l "
      "= 1)\n";
  EXPECT_EQ(ask(shut, "ptx-7.5", Property::termination), "fails");
  EXPECT_EQ(ask(shut, "ptx-7.5", Property::condition), "fails");
}

std::string opencl(const std::string& acquire, const std::string& release,
                   const std::string& question = "~exists (0:r1=0 /\\ 1:r1=0)") {
  std::string out = "OPENCL lock\n{ [x] = 0; [l] = 0; }\n\n";
  for (int t : {0, 1})
    out += fmt::format(
        "P{0}@wg {0}, dev 0 (global int* x, global atomic_int* l) {{\n  int taken = 1;\n"
        "  while (taken != 0) {{ taken = atomic_exchange_explicit(l, 1, memory_order_{1}, memory_scope_device); }}\n"
        "  int r1 = *x;\n  *x = r1 + 1;\n  atomic_store_explicit(l, 0, memory_order_{2}, memory_scope_device);\n}}\n\n",
        t, acquire, release);
  return out + question + "\n";
}

TEST(Repeats, LocksOfOpenCl) {
  for (const Property p : {Property::condition, Property::races, Property::termination})
    EXPECT_EQ(ask(opencl("acquire", "release"), "opencl", p), "holds");
  EXPECT_EQ(ask(opencl("acquire", "release", "forall (x=2)"), "opencl", Property::condition), "holds");
  EXPECT_EQ(ask(opencl("acquire", "release", "exists (x=1)"), "opencl", Property::condition), "fails");
  EXPECT_EQ(ask(opencl("relaxed", "release"), "opencl", Property::races), "fails");
  EXPECT_EQ(ask(opencl("acquire", "relaxed"), "opencl", Property::races), "fails");
}

// The failed attempt is what makes the message visible: the successful one reads a relaxed write. Leaving it out loses
// r = 1.
TEST(Repeats, AFailedAttemptThatAcquiresIsKept) {
  const std::string text =
      "OPENCL failed\n{ [x] = 0; [l] = 0; }\n\nP0@wg 0, dev 0 (global int* x, global atomic_int* l) {\n  *x = 1;\n"
      "  atomic_store_explicit(l, 1, memory_order_release, memory_scope_device);\n}\n\n"
      "P1@wg 1, dev 0 (global int* x, global atomic_int* l) {\n  int first = 0;\n  int taken = 1;\n"
      "  while (taken != 2) {\n    taken = atomic_exchange_explicit(l, 1, memory_order_acquire, "
      "memory_scope_device);\n  }\n  int r = *x;\n}\n\n"
      "P2@wg 2, dev 0 (global int* x, global atomic_int* l) {\n  atomic_store_explicit(l, 2, memory_order_relaxed, "
      "memory_scope_device);\n}\n\n"
      "exists (1:r=1)\n";
  EXPECT_EQ(ask(text, "opencl", Property::condition), "holds");
}

// An iteration that counts does something.
TEST(Repeats, ALoopThatCountsIsNotCutShort) {
  const std::string text =
      "PTX counts\n{ l = 1; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n LC00: | st.relaxed.gpu l, 0 ;\n add r1, r1, 1 | ;\n"
      " atom.acquire.gpu.exch r0, l, 1 | ;\n bne r0, 0, LC00 | ;\nexists (P0:r1 = 5)\n";
  EXPECT_EQ(ask(text, "ptx-7.5", Property::condition), "holds");
  EXPECT_EQ(ask(text, "sc", Property::condition), "holds");
}

}  // namespace
}  // namespace fencepost::check
