// A certification as a page and as JUnit's XML: nothing but PASS reads as a pass, and texts of a driver stay texts.
#include "page/conformance.h"

#include <gtest/gtest.h>

using namespace fencepost;
using judge::Conforms;
using judge::Grade;

namespace {

judge::Certification sample(Grade grade) {
  judge::Certification c;
  c.grade = grade;
  c.why = {"Because."};
  c.of.device = "cuda <b>\"X\"&";
  c.of.date = "2026-01-02T03:04:05Z";
  c.tests = {{"SB", Conforms::failed, "it was <seen>", 10, 1, {}, 0},
             {"R", Conforms::open, "undecided", 10, 1, {}, 0},
             {"LB", Conforms::silent, "", 10, 0.3, {2, 2, 0}, 0},
             {"MP", Conforms::passed, "", 10, 0.3, {2, 2, 1}, 0.9}};
  c.not_run = {{"S", "no such scope", false}, {"2+2W", "the child ended", true}};
  return c;
}

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(ConformancePage, SaysTheGradeFirstAndEscapes) {
  const std::string page = page::html(sample(Grade::incomplete));
  EXPECT_NE(page.find("<strong>INCOMPLETE</strong>"), std::string::npos);
  EXPECT_LT(page.find("<strong>INCOMPLETE</strong>"), page.find("Because."));
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  EXPECT_EQ(page.find("<seen>"), std::string::npos);
  EXPECT_NE(page.find("it was &lt;seen&gt;"), std::string::npos);
  EXPECT_EQ(count(page, "<body>"), 1u);
  EXPECT_EQ(count(page, "</html>"), 1u);
}

TEST(ConformancePage, JunitHasEachTestOnce) {
  const std::string xml = page::junit(sample(Grade::fail));
  EXPECT_NE(xml.find("tests=\"6\" failures=\"1\" errors=\"2\" skipped=\"1\""), std::string::npos) << xml;
  EXPECT_EQ(count(xml, "<testcase "), 6u);
  EXPECT_EQ(count(xml, "<failure "), 1u);
  EXPECT_EQ(xml.find("<b>"), std::string::npos);
}

// Without a failing test a reader of JUnit's counts would take what is incomplete for a pass.
TEST(ConformancePage, JunitOfAnIncompleteSuiteHasAnError) {
  judge::Certification c = sample(Grade::incomplete);
  c.tests = {c.tests[3]};
  c.not_run.clear();
  EXPECT_NE(page::junit(c).find("tests=\"2\" failures=\"0\" errors=\"1\""), std::string::npos);
  c.grade = Grade::pass;
  EXPECT_NE(page::junit(c).find("tests=\"1\" failures=\"0\" errors=\"0\""), std::string::npos);
}

}  // namespace
