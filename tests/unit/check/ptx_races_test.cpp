// Data races of PTX (ISA 7.5, 8.7.1), in both engines: conflicting, not morally strong, not ordered by causality. And
// that a model without the notion does not call a program free of races.
#include "enumerate_support.h"
#include "prog/test.h"

namespace fencepost::check {
namespace {

Verdict races(const std::string& text, const std::string& model) {
  const prog::Test t = parsed(text);
  Options o;
  o.engine = Engine::both;  // a disagreement ends the process
  o.property = Property::races;
  Job job = Job::with_budget(20);
  return check(t, shipped(model, t.dialect), o, job).verdict;
}

std::string two(const std::string& rows, const std::string& second = "cta 1", const std::string& init = "") {
  return "PTX t\n{ x = 0; f = 0; " + init + " }\n P0@cta 0,gpu 0 | P1@" + second + ",gpu 0 ;\n" + rows +
         "exists (x = 1)\n";
}

struct Case {
  const char* rows;
  const char* second;
  Status expected;
  const char* why;
  const char* init = "";
};
const Case k_cases[] = {
    {" st.weak x, 1 | ld.weak r0, x ;\n", "cta 1", Status::fails, "nothing orders them"},
    {" st.weak x, 1 | st.weak x, 1 ;\n", "cta 0", Status::fails, "two writes"},
    {" ld.weak r0, x | ld.weak r0, x ;\n", "cta 1", Status::holds, "two reads do not conflict"},
    {" st.weak x, 1 | ld.weak r0, f ;\n", "cta 1", Status::holds, "two locations"},
    {" st.relaxed.gpu x, 1 | ld.relaxed.gpu r0, x ;\n", "cta 1", Status::holds, "morally strong"},
    {" st.relaxed.gpu x, 1 | ld.relaxed.cta r0, x ;\n", "cta 1", Status::fails,
     "one scope does not hold the other thread"},
    {" st.relaxed.cta x, 1 | ld.relaxed.cta r0, x ;\n", "cta 0", Status::holds, "both scopes hold the other thread"},
    {" st.relaxed.gpu x, 1 | ld.weak r0, x ;\n", "cta 1", Status::fails, "a weak access is not strong"},
    {" atom.relaxed.gpu.add r0, x, 1 | red.relaxed.gpu.add x, 1 ;\n", "cta 1", Status::holds, "morally strong"},
    {" st.weak x, 1 | ;\n ld.weak r0, x | ;\n st.weak x, 2 | ;\n", "cta 1", Status::holds, "one thread"},
    {" st.weak x, 1 | bar.cta.sync 0 ;\n bar.cta.sync 0 | ld.weak r0, x ;\n", "cta 0", Status::holds,
     "a barrier orders them"},
    {" st.weak x, 1 | fence.sc.gpu ;\n fence.sc.gpu | ld.weak r0, x ;\n", "cta 1", Status::fails,
     "the fences may come in either order"},
    {" st.weak x, 1 | suld.weak r0, s ;\n", "cta 1", Status::fails, "another proxy", "s @ surface aliases x;"},
    {" st.weak x, 1 | ;\n suld.weak r0, s | ;\n", "cta 1", Status::fails, "one thread, two proxies, no fence",
     "s @ surface aliases x;"},
    {" st.weak x, 1 | ;\n fence.proxy.surface | ;\n suld.weak r0, s | ;\n", "cta 1", Status::holds,
     "the proxy fence orders them", "s @ surface aliases x;"},
};

TEST(PtxRaces, AreWhatTheTextSays) {
  for (const Case& c : k_cases)
    for (const char* model : {"ptx-7.5", "ptx-8"})
      EXPECT_EQ(races(two(c.rows, c.second, c.init), model).status, c.expected) << model << ": " << c.why;
  for (const Case& c : k_cases)
    if (*c.init == '\0') EXPECT_EQ(races(two(c.rows, c.second), "ptx-6.0").status, c.expected) << c.why;
}

TEST(PtxRaces, MessagePassingIsOrdered) {
  const std::string mp =
      " st.weak x, 1 | ld.acquire.gpu r0, f ;\n st.release.gpu f, 1 | bne r0, 1, LC00 ;\n | ld.weak r1, x ;\n | LC00: "
      ";\n";
  EXPECT_EQ(races(two(mp), "ptx-7.5").status, Status::holds);
  const std::string always = " st.weak x, 1 | ld.acquire.gpu r0, f ;\n st.release.gpu f, 1 | ld.weak r1, x ;\n";
  EXPECT_EQ(races(two(always), "ptx-7.5").status, Status::fails);  // where the flag was not seen
}

TEST(PtxRaces, AModelWithoutTheNotionDoesNotAnswer) {
  for (const char* model :
       {"sc", "ptx-6.0-tables", "ptx-7.5-tables", "ptx-7.5-isca22", "ptx-7.5-asplos24", "rmo-scoped"})
    for (const char* rows : {" st.weak x, 1 | ld.weak r0, x ;\n", " ld.weak r0, x | ld.weak r0, x ;\n"}) {
      const Verdict v = races(two(rows), model);
      EXPECT_EQ(v.status, Status::unsupported) << model;
      EXPECT_NE(v.detail.find(std::string("the model ") + model + " does not say what a data race is"),
                std::string::npos)
          << v.detail;
    }
}

// The condition is decided beside the race: the axioms hold for accesses of one size.
TEST(PtxRaces, LeaveTheConditionDecided) {
  const prog::Test t = parsed(two(" st.weak x, 1 | st.weak x, 2 ;\n"));
  Options o;
  o.engine = Engine::both;
  Job job = Job::with_budget(20);
  EXPECT_EQ(check(t, shipped("ptx-7.5", t.dialect), o, job).verdict.status, Status::holds);
}

}  // namespace
}  // namespace fencepost::check
