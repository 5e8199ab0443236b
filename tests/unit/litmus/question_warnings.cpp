// What the reader warns of in a question: a bare location on the right of a comparison is its address.
#include "asm_support.h"
#include "litmus/condition.h"

using namespace asm_test;

namespace {

std::string warnings(const std::string& text) { return render(litmus::question_warnings(parse(text))); }

std::string ptx(const std::string& question, const std::string& initial = "x = 3; y = 3;") {
  return "PTX t\n{ " + initial + " }\n P0@cta 0,gpu 0 ;\n ld.weak r0, x ;\n" + question + "\n";
}

TEST(QuestionWarnings, ABareLocationOnTheRightIsAnAddress) {
  const std::string shown = warnings(ptx("exists (x = y)"));
  EXPECT_NE(shown.find("t.litmus:5:13: warning: 'y' on the right is the address"), std::string::npos) << shown;
  EXPECT_NE(shown.find("write [y]"), std::string::npos) << shown;
  for (const char* q : {"forall (P0:r0 != y)", "~exists (P0:r0 = 1 /\\ ~(x = y))", "filter (x = y) exists (P0:r0 = 1)"})
    EXPECT_NE(warnings(ptx(q)).find("'y' on the right"), std::string::npos) << q;
  EXPECT_NE(
      warnings("OPENCL t\n{ [x] = 0; [y] = 0; }\nP0@wg 0, dev 0 (global int* x, global int* y) {\n  int r = *x;\n}\n"
               "exists (0:r = y)\n")
          .find("'y' on the right"),
      std::string::npos);
}

TEST(QuestionWarnings, NotWhereAnAddressIsMeant) {
  for (const char* q : {"exists (x = [y])", "exists (x = &y)", "exists (y = 1)", "exists (&x = y)"})
    EXPECT_EQ(warnings(ptx(q)), "") << q;
  EXPECT_EQ(warnings(ptx("exists (P0:r0 = y)", "y = 3; x = &y;")), "");
  EXPECT_EQ(warnings(ptx("exists (P0:r0 = y)", "y = 3; x = 1; P0:r5 = &y;")), "");
  EXPECT_EQ(
      warnings("OPENCL t\n{ [x] = 0; int* p = &x; }\nP0@wg 0, dev 0 (global int* x) {\n  *x = 1;\n}\nexists (p = x)\n"),
      "");
}

}  // namespace
