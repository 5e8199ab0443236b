// The published tests and verdicts: FENCEPOST_PROGRESS_DATA is a folder with progress-tests.jsonl and
// progress-verdicts.csv.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "oracle/oracle.h"
#include "slow_oracle.h"

namespace fencepost::oracle {
namespace {

class Published : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("FENCEPOST_PROGRESS_DATA");
    if (folder == nullptr) GTEST_SKIP() << "set FENCEPOST_PROGRESS_DATA to the folder with progress-tests.jsonl";
    folder_ = folder;
    auto tests = axb::parse_file(folder_ + "/progress-tests.jsonl");
    ASSERT_TRUE(tests) << render(tests.error());
    tests_ = std::move(*tests);
    for (size_t k = 0; k < tests_.size(); ++k) at_[tests_[k].name] = k;
    for (const char* name : {"UNFAIR", "HSA", "OBE", "HSA_OBE", "LOBE", "FAIR"}) {
      model_[name] = models_.size();
      models_.push_back(fair::load_model(name).value());
    }
  }
  std::string folder_;
  std::vector<axb::Test> tests_;
  std::map<std::string, size_t> at_, model_;
  std::vector<fair::Model> models_;
};

TEST_F(Published, EveryVerdictAgrees) {
  ASSERT_EQ(tests_.size(), 483u);
  std::ifstream in(folder_ + "/progress-verdicts.csv");
  std::string line;
  ASSERT_TRUE(std::getline(in, line));
  Decider decider(models_);
  uint64_t rows = 0;
  while (std::getline(in, line)) {
    std::stringstream fields(line);
    std::string config, id, model, fairness, verdict;
    std::getline(fields, config, ',');
    std::getline(fields, id, ',');
    std::getline(fields, model, ',');
    std::getline(fields, fairness, ',');
    std::getline(fields, verdict, ',');
    const auto verdicts = decider(tests_.at(at_.at(config + "/" + id)));
    const Pair p = (**verdicts)[model_.at(model)];
    EXPECT_EQ(passes(p, fairness == "weak" ? Fairness::weak : Fairness::strong), verdict.substr(0, 4) == "PASS")
        << line;
    ++rows;
  }
  EXPECT_EQ(rows, 2460u);
}

TEST_F(Published, TheSlowOracleAgreesOnAllTests) {
  Decider decider(models_);
  for (const axb::Test& t : tests_) {
    const auto verdicts = decider(t);
    const auto slow = slow::decide_published(t, 100'000).value();
    ASSERT_TRUE(std::equal(slow.begin(), slow.end(), (*verdicts)->begin())) << t.name;
  }
}

// Actions and states of the five idioms of table 3.
TEST_F(Published, IdiomsHaveTheirSizes) {
  auto size = [&](const char* name) { return size_of(tests_.at(at_.at(name))); };
  EXPECT_EQ(size("2t2i/4"), (Size{3, 3}));
  EXPECT_EQ(size("2t2i/5"), (Size{3, 3}));
  EXPECT_EQ(size("2t4i/67"), (Size{5, 7}));
  EXPECT_EQ(size("2t3i/22"), (Size{6, 7}));
  EXPECT_EQ(size("2t2i/0"), (Size{8, 8}));
}

TEST_F(Published, EveryStarvingVerdictHasALassoThatReplays) {
  Decider decider(models_);
  uint64_t lassos = 0;
  for (const axb::Test& t : tests_) {
    const auto verdicts = decider(t);
    const std::vector<Pair> pairs((*verdicts)->begin(), (*verdicts)->end());
    for (size_t m = 0; m < models_.size(); ++m)
      for (Fairness f : {Fairness::weak, Fairness::strong}) {
        Job job;
        const auto answer = decide(t, models_[m], f, {}, job).value();
        EXPECT_EQ(answer.verdict.status == Status::holds, passes(pairs[m], f)) << t.name;
        lassos += answer.lasso.has_value();
      }
  }
  EXPECT_EQ(lassos, 3893u);
}

// No test of the 483 fails the stronger and passes the weaker of two ordered columns.
TEST_F(Published, StrongerModelsPassWhatWeakerOnesPass) {
  const std::pair<const char*, const char*> ordered[] = {
      {"UNFAIR", "HSA"}, {"HSA", "HSA_OBE"}, {"OBE", "HSA_OBE"}, {"HSA_OBE", "LOBE"}, {"LOBE", "FAIR"}};
  Decider decider(models_);
  for (const axb::Test& t : tests_) {
    const auto verdicts = decider(t);
    for (auto [low, high] : ordered) {
      const Pair a = (**verdicts)[model_.at(low)], b = (**verdicts)[model_.at(high)];
      EXPECT_TRUE((!a.weak || b.weak) && (!a.strong || b.strong) && (!a.weak || a.strong)) << t.name;
    }
  }
}

}  // namespace
}  // namespace fencepost::oracle
