// PASS, FAIL, INCOMPLETE: what each rests on.
#include "judge/certification.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

using namespace fencepost::judge;

namespace {

Judgement judgement(const std::string& title, Standing standing, Allowed condition, uint64_t positive,
                    const std::string& configuration = "tuned") {
  Judgement j;
  j.seen.test.title = title;
  j.seen.device = "cuda X";
  j.seen.driver = "1.0";
  j.seen.configuration = configuration;
  j.seen.what_ran = j.seen.evidence = "as-written";
  j.seen.instances = 1000;
  j.seen.seconds = 0.5;
  j.model = "ptx-7.5";
  j.standing = standing;
  j.reason = standing == Standing::violated ? "the device showed it" : "";
  j.condition = condition;
  j.positive = positive;
  return j;
}

// Two tests, each with a mutant; that of MP was seen.
Judged two_tests() {
  Judged j;
  j.list = {judgement("MP", Standing::consistent, Allowed::no, 0),
            judgement("MP--scope-1", Standing::consistent, Allowed::yes, 7),
            judgement("SB", Standing::consistent, Allowed::no, 0),
            judgement("SB--scope-1", Standing::consistent, Allowed::yes, 0)};
  return j;
}

Certification certified(const Judged& j, std::vector<NotRun> not_run = {}) {
  Provenance of;
  of.tests = 2;
  of.mutants = 2;
  of.date = "2026-01-02T03:04:05Z";
  return certification(j, of, std::move(not_run));
}

TEST(Certification, PassesWhenNothingForbiddenAndSomeMutantWasSeen) {
  const Certification c = certified(two_tests());
  EXPECT_EQ(c.grade, Grade::pass);
  EXPECT_EQ(c.exit_code(), 0);
  ASSERT_EQ(c.tests.size(), 2u);
  EXPECT_EQ(c.tests[0].test, "SB");  // silent comes before passed
  EXPECT_EQ(c.tests[0].verdict, Conforms::silent);
  EXPECT_EQ(c.tests[1].mutants.killed, 1u);
  ASSERT_EQ(c.why.size(), 2u);
  EXPECT_NE(c.why[1].find("1 test is silent"), std::string::npos) << c.why[1];
  EXPECT_EQ(c.of.driver, "1.0");
  EXPECT_EQ(c.of.instances, 4000u);
}

TEST(Certification, FailsWhateverElseIsMissing) {
  Judged j = two_tests();
  j.list[0] = judgement("MP", Standing::violated, Allowed::no, 1);
  j.owed.push_back({"c", "SB", "cuda X", "tuned", 0});
  const Certification c = certified(j, {{"SB--scope-1", "the child ended", true}});
  EXPECT_EQ(c.grade, Grade::fail);
  EXPECT_EQ(c.exit_code(), 1);
  EXPECT_EQ(c.why[0], "1 test showed what ptx-7.5 forbids.");
  EXPECT_EQ(c.tests[0].reason, "the device showed it");
}

TEST(Certification, NoMutantSeenIsIncomplete) {
  Judged j = two_tests();
  j.list[1].positive = 0;
  const Certification c = certified(j);
  EXPECT_EQ(c.grade, Grade::incomplete);
  EXPECT_EQ(c.exit_code(), 3);
  EXPECT_NE(c.why[0].find("proves nothing"), std::string::npos);
}

TEST(Certification, SomethingOwedIsIncomplete) {
  Judged j = two_tests();
  j.owed.push_back({"c", "SB", "cuda X", "tuned", 12});
  const Certification c = certified(j);
  EXPECT_EQ(c.grade, Grade::incomplete);
  EXPECT_EQ(c.why[0], "The suite is not over: 1 run is missing or too short. The same command goes on with it.");
}

// A test that the device lacks something for is named beside PASS; one that was lost is not excused.
TEST(Certification, TestsThatDidNotRun) {
  Judged j = two_tests();
  j.owed.push_back({"c", "LB", "cuda X", "tuned", 0});
  Certification c = certified(j, {{"LB", "no clusters here", false}});
  EXPECT_EQ(c.grade, Grade::pass);
  EXPECT_NE(c.why.back().find("1 test or mutant is not supported"), std::string::npos) << c.why.back();
  j.owed.clear();
  c = certified(j, {{"LB", "the child ended by signal 11", true}});
  EXPECT_EQ(c.grade, Grade::incomplete);
  EXPECT_NE(c.why[0].find("did not run though the device supports"), std::string::npos) << c.why[0];
}

TEST(Certification, AnOpenTestIsIncomplete) {
  Judged j = two_tests();
  j.list[2].standing = Standing::suspected;
  EXPECT_EQ(certified(j).grade, Grade::incomplete);
}

TEST(Certification, NothingRanIsIncomplete) {
  const Certification c = certified({});
  EXPECT_EQ(c.grade, Grade::incomplete);
  EXPECT_EQ(c.why[0], "No test of the suite ran.");
}

// The worst verdict of the configurations counts, but silence under one does not outweigh a seen mutant under another.
TEST(Certification, Configurations) {
  Judged j = two_tests();
  j.list.push_back(judgement("MP", Standing::consistent, Allowed::no, 0, "no stress"));
  j.list.push_back(judgement("MP--scope-1", Standing::consistent, Allowed::yes, 0, "no stress"));
  Certification c = certified(j);
  EXPECT_EQ(c.tests.back().test, "MP");
  EXPECT_EQ(c.tests.back().verdict, Conforms::passed);
  EXPECT_EQ(c.tests.back().mutants.allowed, 1u);  // one mutant, though it ran twice
  EXPECT_EQ(c.tests.back().instances, 2000u);
  j.list[4].standing = Standing::suspected;
  c = certified(j);
  EXPECT_EQ(c.tests.front().test, "MP");
  EXPECT_EQ(c.tests.front().verdict, Conforms::open);
}

TEST(Certification, Json) {
  const auto j = nlohmann::json::parse(to_json(certified(two_tests())));
  EXPECT_EQ(j["schema"], "fencepost.certification/1");
  EXPECT_EQ(j["grade"], "PASS");
  EXPECT_EQ(j["provenance"]["device"], "cuda X");
  EXPECT_EQ(j["tests"].size(), 2u);
}

}  // namespace
