#include "check/beside.h"

#include <gtest/gtest.h>

#include "cat/library.h"
#include "prog/test.h"
#include "read/read.h"

namespace fencepost::check {
namespace {

Beside of(const std::string& text, uint32_t bound = 1) {
  const auto t = read::parse_one(make_source("test.litmus", text));
  if (!t) {
    ADD_FAILURE() << render(t.error());
    return {};
  }
  const auto m = cat::load_model(cat::default_model(t->dialect), t->dialect);
  Options o;
  o.bound = bound;
  Job job;
  return beside(*t, *m, o, check(*t, *m, o, job), job);
}

const std::string k_head = "OPENCL racy\n{ [x] = 0; }\n\nP0@wg 0, dev 0 (global int* x) {\n  *x = 1;\n}\n\n";

TEST(Beside, ARacyProgramIsSaidToBe) {
  const Beside b = of(k_head + "P1@wg 1, dev 0 (global int* x) {\n  int r = *x;\n}\n\n~exists (1:r=1)\n");
  EXPECT_EQ(b.races, Beside::Said::yes);
  EXPECT_TRUE(b.undefined);
  EXPECT_EQ(b.flags, std::vector<std::string>{"data-race"});
  EXPECT_EQ(b.blocked, Beside::Said::none);
}

// PTX keeps its axioms in spite of races of accesses of one size (8.7.2).
TEST(Beside, ARaceOfPtxLeavesTheProgramDefined) {
  const Beside b =
      of("PTX racy\n{ x = 0; }\n P0@cta 0, gpu 0 | P1@cta 1, gpu 0 ;\n st.weak x, 1 | ld.weak r0, x ;\n"
         "exists (P1:r0 = 1)\n");
  EXPECT_EQ(b.races, Beside::Said::yes);
  EXPECT_FALSE(b.undefined);
  EXPECT_EQ(notes(b), std::vector<std::string>{"some execution raises data-race"});
}

TEST(Beside, AProgramWithoutRaces) {
  EXPECT_EQ(of(k_head + "P1@wg 1, dev 0 (global int* x) {\n  int r = 0;\n}\n\n~exists (1:r=1)\n").races,
            Beside::Said::no);
}

TEST(Beside, AModelWithoutTheNotionIsNotAsked) {
  EXPECT_EQ(of("PTX plain\n{ x = 0; }\n P0@cta 0, gpu 0 ;\n ld.relaxed.gpu r0, x ;\nexists (P0:r0 = 0)\n").blocked,
            Beside::Said::none);
}

TEST(Beside, AThreadThatWaitsForWhoDoesNotCome) {
  const std::string barrier =
      "VULKAN waits\n{ x = 0; }\n P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 0,qf 0 ;\n ld.atom.dv.sc0 r0, x | st.atom.dv.sc0 x, 1 "
      ";\n";
  const Beside b =
      of(barrier +
         " beq r0, 0, END0 | cbar.acq.wg.semsc0 0 ;\n cbar.acq.wg.semsc0 0 | ;\n END0: | ;\nexists (P0:r0 = 1)\n");
  EXPECT_EQ(b.blocked, Beside::Said::yes);
  EXPECT_EQ(b.blocked_at.substr(0, 2), "P1");
  EXPECT_EQ(of(barrier + " cbar.acq.wg.semsc0 0 | cbar.acq.wg.semsc0 0 ;\nexists (P0:r0 = 1)\n").blocked,
            Beside::Said::no);
}

}  // namespace
}  // namespace fencepost::check
