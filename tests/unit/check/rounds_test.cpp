// The rounds of settle() (encode/model_bounds.cpp) end, and say what enumeration says.
#include "enumerate_support.h"

namespace fencepost::check {
namespace {

// r0 and r1 can only be 3: probing refutes the sources with 1, and rounds of the axioms alone follow. The model wants
// the two conditional writes ordered in both ways at once, or by what no pair is in: they do not both run.
TEST(Rounds, EndWhereAPairIsRequiredThatMayNotBe) {
  const prog::Test test = parse(R"(PTX rounds
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

}  // namespace
}  // namespace fencepost::check
