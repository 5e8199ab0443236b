// Answers that do not arrive, and work that fails on another thread.
#include "cli/output.h"

#include <gtest/gtest.h>

#include "cli/inputs.h"
#include "cli/parallel.h"
#include "cli/verbs.h"
#include "prog/test.h"

namespace fencepost::cli {
namespace {

TEST(Output, an_answer_that_is_lost_is_exit_code_four) {
  std::string err;
  Console c;
  c.out = [](std::string_view) { throw OutputLost("the output cannot be written"); };
  c.err = [&](std::string_view s) { err += s; };
  EXPECT_EQ(run({"models"}, c), k_exit_internal);
  EXPECT_NE(err.find("cannot be written"), std::string::npos);
  const std::string test = FENCEPOST_SOURCE_DIR "/examples/thesis/SB.litmus";
  c.out = [](std::string_view) {};
  EXPECT_EQ(run({"emit", test, "--target", "cuda-source", "-o", "/dev/full"}, c), k_exit_internal);
  EXPECT_NE(err.find("No space left"), std::string::npos) << err;
  EXPECT_EQ(run({"emit", test, "--target", "cuda-source", "-o", "/no/such/folder/x"}, c), k_exit_bad_input);
  EXPECT_EQ(run({"check", test, "--save-bounds", "/dev/full"}, c), k_exit_internal);
}

TEST(Output, an_ending_that_names_no_form_is_refused_before_any_work) {
  std::string err;
  Console c;
  c.out = [](std::string_view) {};
  c.err = [&](std::string_view s) { err += s; };
  const std::string log = FENCEPOST_SOURCE_DIR "/examples/thesis/observed.csv";
  EXPECT_EQ(run({"judge", log, "-o", "judged.html"}, c), k_exit_bad_input);
  EXPECT_NE(err.find("the ending of 'judged.html' names no form of this answer"), std::string::npos) << err;
  EXPECT_NE(err.find("'fencepost report'"), std::string::npos) << err;
  err.clear();
  EXPECT_EQ(run({"certify", "--device", "cpu", "-o", "page.pdf"}, c), k_exit_bad_input);
  EXPECT_NE(err.find("*.html, *.json, *.xml or *.txt"), std::string::npos) << err;
  ASSERT_TRUE(form_of_ending("-", {}));
  EXPECT_EQ(*form_of_ending("a.b/c", {".csv"}), "");
  EXPECT_EQ(*form_of_ending("c.txt", {".csv"}), "");
  EXPECT_EQ(*form_of_ending("c.csv", {".csv"}), ".csv");
  EXPECT_FALSE(form_of_ending("c.CSV.gz", {".csv"}));
}

TEST(InOrder, what_is_thrown_comes_out_after_the_results_before_it) {
  Console c;
  c.err = c.out = [](std::string_view) {};
  for (const uint32_t threads : {1u, 4u}) {
    Progress progress(c, 50, "things");
    std::vector<size_t> seen;
    const auto work = [](size_t i) {
      if (i == 7) throw std::runtime_error("seven");
      return i;
    };
    EXPECT_THROW(in_order(50, threads, progress, work, [&](size_t, size_t r) { seen.push_back(r); }),
                 std::runtime_error);
    EXPECT_EQ(seen, (std::vector<size_t>{0, 1, 2, 3, 4, 5, 6})) << threads;
    const auto full = [](size_t, size_t r) {
      if (r == 3) throw OutputLost("full");
    };
    EXPECT_THROW(in_order(50, threads, progress, [](size_t i) { return i; }, full), OutputLost);
  }
}

// Without a terminal, long work says how far it is: first after 30 s, then each time that it took half as long again.
TEST(SlowLines, come_after_half_a_minute_and_then_less_and_less_often) {
  const auto start = Job::Clock::now();
  const auto at = [&](int tenths) { return start + std::chrono::milliseconds(100 * tenths); };
  SlowLines lines(start);
  EXPECT_FALSE(lines.due(at(299)));
  EXPECT_TRUE(lines.due(at(300)));
  EXPECT_FALSE(lines.due(at(449)));
  EXPECT_TRUE(lines.due(at(450)));
  EXPECT_FALSE(lines.due(at(674)));
  EXPECT_TRUE(lines.due(at(675)));
}

TEST(Console, names_cannot_end_a_line) {
  prog::Test test;
  test.title = "a\nb: holds";
  EXPECT_EQ(label("x.test", test, 2).find('\n'), std::string::npos);
  EXPECT_EQ(label("x\n.test", test, 1).find('\n'), std::string::npos);
}

}  // namespace
}  // namespace fencepost::cli
