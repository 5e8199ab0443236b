// Answers that rest on iterations left out.
#include <gtest/gtest.h>

#include "cat/library.h"
#include "check/check.h"
#include "check/left_out.h"
#include "prog/test.h"
#include "read/read.h"

namespace fencepost::check {
namespace {

std::string ask(const std::string& text, Property property, bool reduce, uint32_t bound = 1) {
  const auto t = read::parse_one(make_source("test.litmus", text));
  const auto m = cat::load_model("vulkan", vocab::Dialect::vulkan);
  if (!t || !m) {
    ADD_FAILURE() << (t ? render(m.error()) : render(t.error()));
    return "";
  }
  Options o;
  o.property = property;
  o.bound = bound;
  o.engine = Engine::solve;
  o.reduce = reduce;
  o.explicit_state = false;
  Job job;
  return name(check(*t, *m, o, job).verdict.status);
}

// A lock that is tried with an exchange, by both.
const std::string k_lock =
    "VULKAN lock\n{ x = 0; y = 0; }\n P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 1,qf 0 ;\n LC00: | LC00: ;\n"
    " rmw.atom.acq.dv.sc0.semsc0.semvis r0, x, 1 | rmw.atom.acq.dv.sc0.semsc0.semvis r0, x, 1 ;\n bne r0, 0, LC00 | "
    "bne r0, 0, LC00 ;\n"
    " ld.nonpriv.sc0 r1, y | ld.nonpriv.sc0 r1, y ;\n add r2, r1, 1 | add r2, r1, 1 ;\n st.nonpriv.sc0 y, r2 | "
    "st.nonpriv.sc0 y, r2 ;\n"
    " st.atom.rel.dv.sc0.semsc0.semav x, 0 | st.atom.rel.dv.sc0.semsc0.semav x, 0 ;\n~exists (P0:r1 = 0 /\\ P1:r1 = "
    "0)\n";

TEST(Reduced, ALockIsDecidedWithoutItsFailedAttempts) {
  for (const Property p : {Property::condition, Property::races}) {
    EXPECT_EQ(ask(k_lock, p, false), "unknown");
    EXPECT_EQ(ask(k_lock, p, true), "holds");
  }
  EXPECT_EQ(ask(k_lock, Property::termination, true, 2), "holds");
}

// `n` threads in groups of two: each looks at the lock until it is open, tries to take it, adds one to y, and writes
// `left` to the lock.
std::string tried_after_a_look(int n, int left, const std::string& scope = "dv", const std::string& order = "rel") {
  const auto line = [n](const auto& cell) {
    std::string out;
    for (int t = 0; t < n; ++t) out.append(t == 0 ? " " : " | ").append(cell(t));
    return out + " ;\n";
  };
  const auto all = [&](const std::string& text) { return line([&](int) { return text; }); };
  const std::string at = "." + scope + ".sc0";
  return "VULKAN looked\n{ x = 0; y = 0; }\n" +
         line([](int t) { return "P" + std::to_string(t) + "@sg 0,wg " + std::to_string(t / 2) + ",qf 0"; }) +
         all("LC00:") + all("LC01:") + all("ld.atom" + at + " r0, x") + all("bne r0, 0, LC01") +
         all("rmw.atom.acq" + at + ".semsc0.semvis r0, x, 1") + all("bne r0, 0, LC00") + all("ld.nonpriv.sc0 r1, y") +
         all("add r2, r1, 1") + all("st.nonpriv.sc0 y, r2") +
         all("st.atom." + order + at + ".semsc0.semav x, " + std::to_string(left)) + "~exists (P0:r1 = P1:r1)\n";
}

// What may be left out is told once, and believed at the next bound.
TEST(Reduced, WhatMayBeLeftOutIsWorkedOutOnce) {
  const auto t = read::parse_one(make_source("test.litmus", k_lock));
  const auto m = cat::load_model("vulkan", vocab::Dialect::vulkan);
  ASSERT_TRUE(t && m);
  Options o;
  o.reduce = true;
  Job job;
  LeftOut known;
  EXPECT_EQ(solve(*t, *m, o, job, known).verdict.status, Status::holds);
  ASSERT_TRUE(known.reduction && known.weaker);
  EXPECT_TRUE(known.reduction->conditions);
  EXPECT_EQ(solve(*t, *m, o, job, known).verdict.status, Status::holds);
  LeftOut nothing;
  nothing.reduction.emplace();
  nothing.weaker.emplace();
  nothing.repeats.emplace();
  EXPECT_EQ(solve(*t, *m, o, job, nothing).verdict.status, Status::unknown);
  o.reduce = false;  // nothing is left out then, whatever is known
  EXPECT_EQ(solve(*t, *m, o, job, known).verdict.status, Status::unknown);
}

TEST(Reduced, NobodyWaitsForALockForEver) {
  for (const int n : {2, 3, 8}) {
    EXPECT_EQ(ask(tried_after_a_look(n, 0), Property::races, true), "holds") << n;
    EXPECT_EQ(ask(tried_after_a_look(n, 0), Property::termination, true), "holds") << n;
    EXPECT_EQ(ask(tried_after_a_look(n, 1), Property::races, true), "holds") << n << ": one of them gets in";
    EXPECT_NE(ask(tried_after_a_look(n, 1), Property::termination, true), "holds") << n;
    EXPECT_EQ(ask(tried_after_a_look(n, 1), Property::termination, true, 2), "fails") << n;
  }
  EXPECT_EQ(ask(tried_after_a_look(4, 0, "wg"), Property::races, true), "fails") << "two groups, one lock for each";
}

// Nobody opens it: silent iterations without end are an execution without end.
TEST(Reduced, ALockThatIsNeverOpenedIsNotTakenForOneThatIs) {
  const std::string shut =
      "VULKAN shut\n{ x = 1; }\n P0@sg 0,wg 0,qf 0 ;\n LC00: ;\n rmw.atom.acq.dv.sc0.semsc0 r0, x, 1 ;\n bne r0, 0, "
      "LC00 ;\nexists (x = 1)\n";
  EXPECT_NE(ask(shut, Property::termination, true, 1), "holds");
  EXPECT_EQ(ask(shut, Property::termination, true, 2), "fails");
  EXPECT_EQ(ask(shut, Property::condition, true), "fails");  // no complete execution
}

// The attempt that puts 1 back may come in co after the 0 that it did not see, if the two are not mutually ordered:
// then x is 1 in the end although P0 leaves without ever having found 0.
TEST(Reduced, AnExchangeThatIsNotOrderedWithAWriteIsKept) {
  const auto program = [](const std::string& exchange, const std::string& write) {
    return "VULKAN apart\n{ x = 1; y = 0; z = 0; }\n P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 1,qf 0 ;\n LC00: | " + write +
           " ;\n"
           " ld.atom.dv.sc0 r1, y | st.atom.dv.sc0 y, 1 ;\n bne r1, 0, LC02 | ;\n " +
           exchange +
           " r0, x, 1 | ;\n beq r0, 1, LC00 | ;\n"
           " st.atom.dv.sc0 z, 1 | ;\n LC02: | ;\nexists (x = 1 /\\ z = 0)\n";
  };
  for (const char* write : {"st.atom.wg.sc0 x, 0", "st.av.dv.sc0 x, 0", "st.atom.dv.sc0 x, 0"}) {
    const std::string text = program("rmw.atom.wg.sc0", write);
    EXPECT_EQ(ask(text, Property::condition, false, 2), "holds") << write;
    EXPECT_EQ(ask(text, Property::condition, true, 2), "holds") << write;
  }
  // In scope of each other they are.
  const std::string ordered = program("rmw.atom.dv.sc0", "st.atom.dv.sc0 x, 0");
  EXPECT_EQ(ask(ordered, Property::condition, false, 3), "unknown");
  EXPECT_EQ(ask(ordered, Property::condition, true, 1), "fails");
}

// A thread that gives up waiting races with its last look only; the first one must not be lost.
TEST(Reduced, ARaceOfAFailedLookIsFound) {
  const std::string look =
      "VULKAN look\n{ x = 0; y = 0; }\n P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 1,qf 0 ;\n LC00: | ld.atom.acq.dv.sc0.semsc0 "
      "r0, y ;\n ld.sc0 r0, x | st.sc0 x, 1 ;\n"
      " beq r0, 0, LC00 | ;\nexists (x = 1)\n";
  EXPECT_EQ(ask(look, Property::races, true), "fails");
}

TEST(Reduced, EffectsAreStillCounted) {
  const std::string count =
      "VULKAN count\n{ x = 0; }\n P0@sg 0,wg 0,qf 0 ;\n LC00: ;\n rmw.atom.dv.sc0.add r0, x, 1 ;\n blt r0, 2, LC00 "
      ";\nforall (x = 3)\n";
  EXPECT_EQ(ask(count, Property::condition, true, 2), "unknown");
  EXPECT_EQ(ask(count, Property::condition, true, 3), "holds");
}

}  // namespace
}  // namespace fencepost::check
