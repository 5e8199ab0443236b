// Local memory (`local`, `__shared__`) is one object per work-group: what one group writes another does not read, and a
// question says whose it means. Models of the published tables take it for one object, as their tests do.
#include "enumerate_support.h"
#include "prog/test.h"

namespace fencepost::check {
namespace {

Status both(const prog::Test& t, const cat::Model& m) {
  Options o;
  o.engine = Engine::both;
  Job job = Job::with_budget(20);
  return check(t, m, o, job).verdict.status;
}

const cat::Model& opencl() {
  static const cat::Model m = shipped("opencl", vocab::Dialect::opencl);
  return m;
}
const cat::Model& tables() {
  static const cat::Model m = shipped("opencl-tables", vocab::Dialect::opencl);
  return m;
}

// P0 and P1 are in one block, P2 in another.
std::string cuda(const std::string& question, const std::string& init = "s = 0;") {
  return "CUDA t\n{ " + init +
         " }\nP0@block 0, device 0 (__shared__ int* s) {\n  atomicExch(s, 1);\n}\nP1@block 0, device 0 (__shared__ "
         "int* s) {\n  int r = atomicAdd(s, 0);\n}\nP2@block 1, device 0 (__shared__ int* s) {\n  int r = "
         "atomicAdd(s, 4);\n}\n" +
         question + "\n";
}

TEST(LocalGroups, EachHasItsOwn) {
  const auto ask = [&](const std::string& question) { return both(parsed(cuda(question)), opencl()); };
  EXPECT_EQ(ask("exists (1:r=1)"), Status::holds);
  EXPECT_EQ(ask("exists (2:r=1)"), Status::fails);
  EXPECT_EQ(ask("forall (2:r=0)"), Status::holds);
  EXPECT_EQ(ask("forall (s@P0=1 /\\ s@P1=1 /\\ [s@P2]=4)"), Status::holds);
  EXPECT_EQ(ask("exists (s@P2=1)"), Status::fails);
  EXPECT_EQ(both(parsed(cuda("exists (2:r=9 /\\ s@P0=1)", "s = 9;")), opencl()), Status::holds);
}

TEST(LocalGroups, TheSameNumberOnAnotherDeviceIsAnotherGroup) {
  const std::string text =
      "OPENCL t\n{ s = 0; }\nP0@wg 0, dev 0 (local atomic_int* s) {\n  atomic_store(s, 1);\n}\nP1@wg 0, dev 1 (local "
      "atomic_int* s) {\n  int r = atomic_load(s);\n}\nexists (1:r=1)\n";
  EXPECT_EQ(both(parsed(text), opencl()), Status::fails);
  EXPECT_EQ(both(parsed(text), tables()), Status::holds);
}

TEST(LocalGroups, OutcomesNameTheGroup) {
  Job job = Job::with_budget(20);
  const prog::Test t = parsed(cuda("exists (s@P0=1 /\\ s@P2=4)"));
  const Outcomes o = outcomes(t, opencl(), {}, job);
  ASSERT_EQ(o.states.states.size(), 1u);
  EXPECT_EQ(prog::to_string(o.observables, *o.states.states.begin()), "s@P0=1; s@P2=4;");
}

TEST(LocalGroups, AQuestionSaysWhose) {
  for (const std::string question : {"exists (s=1)", "exists (1:r=0 /\\ ~(s=1))", "filter (s=1)\nexists (1:r=0)",
                                     "locations [s;]\nexists (1:r=0)"}) {
    const prog::Test t = parsed(cuda(question));
    const auto refused = fits(t, opencl());
    ASSERT_FALSE(refused) << question;
    EXPECT_EQ(refused.error().list.front().fault, Fault::bad_input);
    EXPECT_EQ(refused.error().list.front().message, "each block has a 's' of its own");
    EXPECT_EQ(refused.error().list.front().hint, "say whose: s@P0 or s@P2");
    EXPECT_TRUE(fits(t, tables())) << question;
  }
  EXPECT_EQ(both(parsed(cuda("exists (s=5)")), tables()), Status::holds);
}

TEST(LocalGroups, WhatCannotBeMeantIsRefused) {
  const auto error = [](const std::string& text) {
    const auto t = read::parse(make_source("t.litmus", text));
    return t ? std::string("read") : t.error().list.front().message;
  };
  EXPECT_EQ(error(cuda("exists (s@P7=1)")), "there is no thread P7");
  EXPECT_EQ(error(cuda("exists (1:r=0)", "s = 0; p = &s;")), "each block has a 's' of its own");
  const std::string one = "P0@block 0, device 0 (__shared__ int* s, int* x) {\n  atomicExch(s, 1);\n}\n";
  EXPECT_EQ(error("CUDA t\n{ s = 0; }\n" + one + "exists (s@P0=1)\n"),
            "there is one 's', and no other for a group of threads");
  EXPECT_EQ(error("CUDA t\n{ s = 0; }\n" + one + "exists (s=1)\n"), "read");
  EXPECT_EQ(error("CUDA t\n{ s = 0; }\n" + one + "P1 (__shared__ int* s) {\n  int r = *s;\n}\nexists (1:r=1)\n"),
            "'s' is memory of a block, and P1 belongs to none");
}

TEST(LocalGroups, AThreadKnowsTheAddressOfItsOwn) {
  const std::string text =
      "CUDA t\n{ s = 0; 1:p = &s; }\nP0@block 0, device 0 (__shared__ int* s) {\n  *s = 1;\n}\n"
      "P1@block 1, device 0 (__shared__ int* s) {\n  *p = 2;\n}\nforall (s@P0=1 /\\ s@P1=2)\n";
  EXPECT_EQ(both(parsed(text), opencl()), Status::holds);
}

}  // namespace
}  // namespace fencepost::check
