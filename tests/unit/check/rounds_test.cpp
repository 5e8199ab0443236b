// The rounds of settle() (encode/model_bounds.cpp) end, and say what enumeration says.
#include "bounds/rules.h"
#include "cat/library.h"
#include "enumerate_support.h"

namespace fencepost::check {
namespace {

// r0 and r1 can only be 3: probing refutes the sources with 1, and rounds of the axioms alone follow. The model wants
// the two conditional writes ordered in both ways at once, or by what no pair is in: they do not both run.
TEST(Rounds, EndWhereAPairIsRequiredThatMayNotBe) {
  const prog::Test test = parsed(R"(PTX rounds
{ x = 1; y = 0; z = 0; q = 0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0       | P2@cta 2,gpu 0       | P3@cta 3,gpu 0      ;
 ld.relaxed.gpu r0, x | ld.relaxed.gpu r0, q | ld.relaxed.gpu r0, q | st.relaxed.gpu q, 1 ;
 ld.relaxed.gpu r1, y | beq r0, 0, LC1       | beq r0, 0, LC2       | st.relaxed.gpu x, 2 ;
                      | st.release.gpu z, 1  | st.release.gpu z, 2  |                     ;
                      | LC1:                 | LC2:                 |                     ;
                      | st.relaxed.gpu x, 3  | st.relaxed.gpu y, 3  |                     ;
exists (P0:r0 == P0:r1)
)");
  for (const char* order : {"co", "(co & po)"}) {
    const cat::Model model = model_text(std::string("empty (((W & REL) * (W & REL)) & ext & loc) \\ ") + order +
                                            " as told\nacyclic po | rf | co | (rf^-1; co) as sc",
                                        vocab::Dialect::ptx);
    Options o;
    o.engine = Engine::both;
    Job job;
    const Result r = check(test, model, o, job);
    EXPECT_EQ(r.verdict.status, Status::holds) << order << ": " << r.verdict.detail;
    EXPECT_GE(r.stats.rounds, 4u) << "probing has found something";
    EXPECT_LE(r.stats.rounds, 12u);
  }
}

// A compare-and-swap that writes where it fails, by three threads: that each read a free lock follows from its
// iteration having an effect, so that nothing is probed. 14 and 19 rounds where the two say it in literals of their
// own.
TEST(Rounds, WhoTakesALockReadThatItWasFree) {
  const prog::Test test = parsed(R"(PTX three
{ x = 0; lock = 0; }
 P0@cta 0,gpu 0                     | P1@cta 1,gpu 0                     | P2@cta 2,gpu 0                     ;
 LC00:                              | LC01:                              | LC02:                              ;
 atom.acquire.gpu.cas r0, lock, 0, 1 | atom.acquire.gpu.cas r0, lock, 0, 1 | atom.acquire.gpu.cas r0, lock, 0, 1 ;
 bne r0, 0, LC00                    | bne r0, 0, LC01                    | bne r0, 0, LC02                    ;
 ld.weak r1, x                      | ld.weak r1, x                      | ld.weak r1, x                      ;
 add r2, r1, 1                      | add r2, r1, 1                      | add r2, r1, 1                      ;
 st.weak x, r2                      | st.weak x, r2                      | st.weak x, r2                      ;
 st.release.gpu lock, 0             | st.release.gpu lock, 0             | st.release.gpu lock, 0             ;
~exists (P0:r1 = P1:r1 \/ P0:r1 = P2:r1 \/ P1:r1 = P2:r1)
)");
  const auto model = cat::load_model("ptx-8", vocab::Dialect::ptx);
  ASSERT_TRUE(model);
  for (const Property p : {Property::condition, Property::races}) {
    Options o;
    o.property = p;
    o.auto_bound = true;
    Job job;
    const Result r = check(test, *model, o, job);
    EXPECT_EQ(r.verdict.status, Status::holds) << name(p) << ": " << r.verdict.detail;
    EXPECT_LE(r.stats.rounds, 8u) << name(p);
    EXPECT_FALSE(r.stats.rules.test(static_cast<size_t>(bounds::Rule::probing))) << name(p);
    EXPECT_TRUE(r.stats.rules.test(static_cast<size_t>(bounds::Rule::acyclic))) << name(p);
  }
}

// P0 counts to 6 and P1 waits for it: one loop alone comes to the bound that is given. Asked is no more than `auto`
// asks, and what is said of it is what it was with more questions.
TEST(Rounds, AGivenBoundAsksNoMoreThanAuto) {
  const prog::Test test = parsed(R"(PTX counts
{ x = 0; y = 0; }
 P0@cta 0,gpu 0        | P1@cta 1,gpu 0         ;
 LC00:                 | LC01:                  ;
 add r0, r0, 1         | ld.acquire.gpu r0, y   ;
 st.relaxed.gpu x, r0  | beq r0, 0, LC01        ;
 bne r0, 6, LC00       | ld.relaxed.gpu r1, x   ;
 st.release.gpu y, 1   |                        ;
exists (P1:r1 = 5)
)");
  const auto model = cat::load_model("ptx-8", vocab::Dialect::ptx);
  ASSERT_TRUE(model);
  for (const Property p : {Property::condition, Property::races}) {
    Options o;
    o.property = p;
    Options automatic = o;
    automatic.auto_bound = true;
    Job job;
    const Result all = check(test, *model, automatic, job);
    EXPECT_EQ(all.verdict.status, p == Property::races ? Status::holds : Status::fails);
    for (const uint32_t bound : {2u, 3u, 4u}) {
      o.bound = bound;
      const Result r = check(test, *model, o, job);
      EXPECT_EQ(r.verdict.status, Status::unknown) << name(p) << " " << bound;
      EXPECT_EQ(r.verdict.detail, "a loop reached bound " + std::to_string(bound));
      EXPECT_EQ(r.bound, prog::LoopBounds(bound));
      EXPECT_LE(r.stats.queries, all.stats.queries) << name(p) << " " << bound;
    }
    o.bound = 8;
    EXPECT_EQ(check(test, *model, o, job).verdict.status, all.verdict.status) << name(p);
  }
}

}  // namespace
}  // namespace fencepost::check
