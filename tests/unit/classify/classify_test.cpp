#include "classify/classify.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace fencepost::classify {
namespace {

using oracle::Fairness;
using oracle::Pair;

const std::vector<std::string> k_six = {"unfair", "hsa", "obe", "hsa+obe", "lobe", "fair"};

std::vector<fair::Model> models_named(const std::vector<std::string>& names) {
  std::vector<fair::Model> models;
  for (const std::string& n : names) models.push_back(fair::load_model(n).value());
  return models;
}

axb::Instr store(axb::Value v, uint32_t pc) { return {0, 0, pc + 1, true, v, {}}; }
axb::Instr spin(axb::Value check) { return {0, check, 0, false, 0, {}}; }
axb::Test test_of(std::string name, std::vector<std::vector<axb::Instr>> threads) {
  axb::Test t;
  t.name = std::move(name);
  t.locations = {{"x", 0}};
  for (auto& code : threads) t.threads.push_back({std::move(code), {}});
  return t;
}
// Passes fair only; hsa and what is above it; strong fairness only; everything.
std::vector<axb::Test> four_tests() {
  return {test_of("a/forward", {{spin(0)}, {store(1, 0)}}), test_of("a/back", {{store(1, 0)}, {spin(0)}}),
          test_of("a/livelock", {{{0, 1, 0, true, 0, {}}}, {{0, 0, 0, true, 1, {}}}}),
          test_of("a/straight", {{store(1, 0)}, {store(0, 0)}})};
}

TEST(Order, ThePublishedModelsStandAsInThePaper) {
  const Order o = order_of(models_named(k_six)).value();
  // [a][b]: a promises at most what b does.
  const char* expected[] = {"111111", "010111", "001111", "000111", "000011", "000001"};
  for (uint32_t a = 0; a < 6; ++a)
    for (uint32_t b = 0; b < 6; ++b) {
      EXPECT_EQ(o.at_most({a, Fairness::weak}, {b, Fairness::weak}), expected[a][b] == '1')
          << k_six[a] << ' ' << k_six[b];
      EXPECT_EQ(o.at_most({a, Fairness::strong}, {b, Fairness::strong}), expected[a][b] == '1');
      EXPECT_EQ(o.at_most({a, Fairness::weak}, {b, Fairness::strong}), expected[a][b] == '1');
      EXPECT_EQ(o.at_most({a, Fairness::strong}, {b, Fairness::weak}), a == 0) << k_six[a] << ' ' << k_six[b];
    }
  EXPECT_TRUE(o.weaker({1, Fairness::weak}, {1, Fairness::strong}));
  EXPECT_FALSE(o.weaker({1, Fairness::weak}, {1, Fairness::weak}));
}

TEST(Order, HoldsOnTheVerdictsOfUserModels) {
  std::vector<std::string> names = k_six;
  for (const char* own : {"window", "lock-holder", "token", "patience"})
    names.push_back(fmt::format("{}/examples/progress-models/{}.progress", FENCEPOST_SOURCE_DIR, own));
  const std::vector<fair::Model> models = models_named(names);
  const Order o = order_of(models).value();
  // hsa is within a window that begins at the lowest live thread; a model that looks at instructions is not related.
  EXPECT_TRUE(o.at_most({1, Fairness::weak}, {6, Fairness::weak}));
  EXPECT_FALSE(o.at_most({7, Fairness::weak}, {5, Fairness::weak}));
  EXPECT_TRUE(o.at_most({7, Fairness::weak}, {7, Fairness::strong}));
  // No test may pass a column and fail one that promises at least as much.
  Rng rng(12);
  oracle::Decider decide(models);
  for (int k = 0; k < 400; ++k) {
    axb::Test t;
    t.locations = {{"x", 0}};
    for (uint64_t n = 2 + rng.below(2); n > 0; --n) {
      axb::Thread thread;
      const auto length = 1 + static_cast<uint32_t>(rng.below(2));
      for (uint32_t pc = 0; pc < length; ++pc) {
        axb::Instr i{
            0, static_cast<axb::Value>(rng.below(2)), static_cast<uint32_t>(rng.below(length + 1)), rng.chance(0.7), 0,
            {}};
        if (i.exchanges) i.value = static_cast<axb::Value>(rng.below(2));
        thread.code.push_back(i);
      }
      t.threads.push_back(thread);
    }
    const auto v = decide(t).value().value();
    for (uint32_t a = 0; a < models.size(); ++a)
      for (uint32_t b = 0; b < models.size(); ++b)
        for (Fairness f : {Fairness::weak, Fairness::strong})
          for (Fairness g : {Fairness::weak, Fairness::strong})
            if (o.at_most({a, f}, {b, g}))
              ASSERT_TRUE(!passes(v[a], f) || passes(v[b], g)) << names[a] << ' ' << names[b];
  }
}

TEST(Suite, DecidesNamesAndPrints) {
  const Suite s = decide_all(four_tests(), models_named({"unfair", "hsa+obe"})).value();
  EXPECT_EQ(s.models, (std::vector<std::string>{"UNFAIR", "HSA_OBE"}));
  EXPECT_EQ(s.verdicts[1][1], (Pair{true, true}));
  EXPECT_EQ(s.verdicts[2][1], (Pair{false, true}));
  EXPECT_EQ(to_text(s),
            "test        UNFAIR  HSA_OBE\n"
            "            w s     w s\n"
            "a/forward   F F     F F\n"
            "a/back      F F     P P\n"
            "a/livelock  F F     F P\n"
            "a/straight  P P     P P\n");
  EXPECT_TRUE(to_csv(s).starts_with("config,id,model,fairness,verdict\na,forward,UNFAIR,weak,FAIL\n")) << to_csv(s);
  const auto j = nlohmann::json::parse(to_json(s));
  EXPECT_EQ(j["tests"][2]["verdicts"]["HSA_OBE"]["strong"], "pass");
  axb::Test nameless = four_tests()[0];
  nameless.name.clear();
  EXPECT_EQ(decide_all({nameless}, models_named({"hsa"}))->tests[0], "#1");
}

TEST(Suite, TooManyStatesIsSaid) {
  oracle::Options few;
  few.max_states = 2;
  const auto s = decide_all(four_tests(), models_named({"hsa"}), few);
  ASSERT_FALSE(s);
  EXPECT_NE(render(s.error()).find("a/forward has more than 2 states"), std::string::npos);
}

TEST(Rules, LiteralAndStrictDifferOnIncomparableModels) {
  const std::vector<fair::Model> models = models_named(k_six);
  const Order o = order_of(models).value();
  const Suite s = decide_all(four_tests(), models).value();
  const Column strong_obe{2, Fairness::strong}, strong_hsa{1, Fairness::strong}, weak_fair{5, Fairness::weak};
  // The livelock passes strong hsa and strong obe: literally it distinguishes either, strictly neither.
  EXPECT_TRUE(literally_distinguishes(o, s.verdicts[2], strong_obe));
  EXPECT_TRUE(literally_distinguishes(o, s.verdicts[2], strong_hsa));
  EXPECT_FALSE(strictly_distinguishes(o, s.verdicts[2], strong_obe));
  EXPECT_FALSE(strictly_distinguishes(o, s.verdicts[2], strong_hsa));
  EXPECT_TRUE(strictly_distinguishes(o, s.verdicts[0], weak_fair));
  EXPECT_TRUE(strictly_distinguishes(o, s.verdicts[1], {1, Fairness::weak}));
  // What passes everything distinguishes unfair alone, literally and strictly: nothing is weaker, nothing fails.
  EXPECT_FALSE(literally_distinguishes(o, s.verdicts[3], weak_fair));
}

TEST(Rules, AVectorMadeByHandStrictlyDistinguishesStrongObe) {
  const Order o = order_of(models_named(k_six)).value();
  const Pair none{false, false}, strong{false, true}, both{true, true};
  const Column strong_obe{2, Fairness::strong};
  EXPECT_TRUE(strictly_distinguishes(o, {none, none, strong, strong, strong, strong}, strong_obe));
  EXPECT_FALSE(strictly_distinguishes(o, {none, strong, strong, strong, strong, strong}, strong_obe));  // strong hsa
  EXPECT_FALSE(strictly_distinguishes(o, {none, none, strong, strong, strong, both}, strong_obe));      // weak fair
  EXPECT_FALSE(strictly_distinguishes(o, {none, none, both, both, both, both}, strong_obe));            // weak obe
  EXPECT_FALSE(strictly_distinguishes(o, {none, none, none, strong, strong, strong}, strong_obe));
}

TEST(Rules, TheScriptBooksEachTestOnce) {
  const std::vector<fair::Model> models = models_named(k_six);
  const Suite s = decide_all(four_tests(), models).value();
  const Table t = classify(s, order_of(models).value(), Rule::script).value();
  EXPECT_EQ(t.weak_tests, 3u);
  EXPECT_EQ(t.strong_tests, 1u);
  ASSERT_EQ(t.entries.size(), 8u);
  EXPECT_EQ(t.entries[0].distinguishing, (std::vector<uint32_t>{1, 3}));  // weak HSA
  EXPECT_EQ(t.entries[2].conformance, (std::vector<uint32_t>{}));         // weak OBE: straight was booked under HSA
  EXPECT_EQ(t.entries[6].distinguishing, (std::vector<uint32_t>{0}));     // weak FAIR
  EXPECT_EQ(t.entries[6].conformance, (std::vector<uint32_t>{0, 1, 3}));
  EXPECT_EQ(t.entries[1].distinguishing, (std::vector<uint32_t>{2}));  // strong HSA
  EXPECT_NE(to_text(t).find("4 tests, script rule: 3 weak, 1 strong"), std::string::npos) << to_text(t);
  EXPECT_NE(to_csv(t).find("script,HSA,weak,2,2\n"), std::string::npos) << to_csv(t);
  const auto j = nlohmann::json::parse(to_json(t));
  EXPECT_EQ(j["columns"][0]["distinguishing"]["tests"][0], "a/back");
}

TEST(Rules, TheScriptNeedsItsModels) {
  const std::vector<fair::Model> models = models_named({"hsa", "obe"});
  const Suite s = decide_all(four_tests(), models).value();
  const auto t = classify(s, order_of(models).value(), Rule::script);
  ASSERT_FALSE(t);
  EXPECT_NE(render(t.error()).find("needs the model LOBE"), std::string::npos);
  EXPECT_EQ(rule_named("strict"), Rule::strict);
  EXPECT_FALSE(rule_named("other"));
}

TEST(Compare, SmallestFirst) {
  const Side hsa{fair::load_model("hsa").value(), Fairness::weak},
      fair{fair::load_model("fair").value(), Fairness::weak};
  std::vector<axb::Test> tests = four_tests();
  axb::Test larger = tests[0];
  larger.name = "a/larger";
  larger.threads[1].code.push_back(store(1, 1));
  tests.insert(tests.begin(), larger);
  const auto d = compare(hsa, fair, tests, 10).value();
  ASSERT_EQ(d.size(), 2u);
  EXPECT_EQ(d[0].test.name, "a/forward");
  EXPECT_EQ(d[1].test.name, "a/larger");
  EXPECT_FALSE(d[0].a);
  EXPECT_TRUE(d[0].b);
  EXPECT_EQ(d[0].size, (oracle::Size{3, 3}));
  EXPECT_EQ(compare(hsa, fair, tests, 1)->size(), 1u);
  // A source is asked no further than needed.
  size_t asked = 0;
  const auto first = compare(
      hsa, fair,
      [&]() -> std::optional<axb::Test> { return asked < tests.size() ? std::optional(tests[asked++]) : std::nullopt; },
      1);
  EXPECT_EQ(first->at(0).test.name, "a/larger");
  EXPECT_EQ(asked, 1u);
}

std::string fault_of(const std::string& csv) {
  const auto rows = parse_expectations(make_source("v.csv", csv));
  if (!rows) return render(rows.error());
  const auto a = expect(*rows, four_tests());
  return a ? "" : render(a.error());
}

TEST(Expect, CountsAgreementAndNamesMismatches) {
  const auto rows = parse_expectations(make_source("v.csv",
                                                   "config,id,model,fairness,verdict\r\n"
                                                   "a,back,HSA,weak,PASS\r\n\r\n"
                                                   "a,livelock,hsa+obe,strong,PASS\n"
                                                   " a , livelock , HSA_OBE , weak , PASS\n"
                                                   "a,forward,FAIR,weak,PASS"))
                        .value();
  ASSERT_EQ(rows.size(), 4u);
  const Agreement a = expect(rows, four_tests()).value();
  EXPECT_EQ(a.passed, 3u);
  EXPECT_EQ(a.failed, 1u);
  ASSERT_EQ(a.mismatches.size(), 1u);
  EXPECT_EQ(a.mismatches[0].test, "a/livelock");
  EXPECT_EQ(a.mismatches[0].span.location(), "v.csv:5:2");
}

TEST(Expect, WhatClassifyPrintsAgrees) {
  const Suite s = decide_all(four_tests(), models_named(k_six)).value();
  const auto rows = parse_expectations(make_source("v.csv", to_csv(s))).value();
  const Agreement a = expect(rows, four_tests()).value();
  EXPECT_EQ(a.passed, 48u);
  EXPECT_EQ(a.failed, 0u);
}

TEST(Expect, ModelsOfOnesOwnMayBeNamed) {
  const std::vector<fair::Model> own = {
      fair::load_model(fmt::format("{}/examples/progress-models/window.progress", FENCEPOST_SOURCE_DIR)).value()};
  const auto rows =
      parse_expectations(make_source("v.csv", "config,id,model,fairness,verdict\na,forward,window,weak,PASS\n"))
          .value();
  EXPECT_EQ(expect(rows, four_tests(), own)->passed, 1u);
  EXPECT_FALSE(expect(rows, four_tests()));
}

TEST(Expect, FaultsAreLocated) {
  const std::string head = "config,id,model,fairness,verdict\n";
  EXPECT_NE(fault_of("id,model\n").find("v.csv:1:1: error: the first line is not the header"), std::string::npos);
  EXPECT_NE(fault_of("").find("has a header"), std::string::npos);
  EXPECT_NE(fault_of(head + "a,back,HSA,weak\n").find("v.csv:2:1: error: a row has 5 fields, this one has 4"),
            std::string::npos);
  EXPECT_NE(fault_of(head + "a,back,HSA,week,PASS\n").find("v.csv:2:12: error: fairness 'week'"), std::string::npos);
  EXPECT_NE(fault_of(head + "a,back,HSA,weak,pass\n").find("v.csv:2:17: error: verdict 'pass'"), std::string::npos);
  EXPECT_NE(fault_of(head + "a,,HSA,weak,PASS\n").find("the test's id is missing"), std::string::npos);
  EXPECT_NE(fault_of(head + "a,bakc,HSA,weak,PASS\n").find("did you mean 'a/back'?"), std::string::npos);
  EXPECT_NE(fault_of(head + "a,back,HSE,weak,PASS\n").find("v.csv:2:8: error: no model is called 'HSE'"),
            std::string::npos);
}

// FENCEPOST_PROGRESS_DATA: the folder with progress-tests.jsonl and progress-verdicts.csv.
class Published : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("FENCEPOST_PROGRESS_DATA");
    if (folder == nullptr) GTEST_SKIP() << "set FENCEPOST_PROGRESS_DATA to the folder with progress-tests.jsonl";
    folder_ = folder;
    tests_ = axb::parse_file(folder_ + "/progress-tests.jsonl").value();
  }
  Table table(const std::vector<std::string>& names, Rule rule) {
    const std::vector<fair::Model> models = models_named(names);
    return classify(decide_all(tests_, models).value(), order_of(models).value(), rule).value();
  }
  // "model weakD/weakC strongD/strongC"
  std::string row(const Table& t, const std::string& model) {
    std::string out;
    for (const Entry& e : t.entries)
      if (t.models[e.column.model] == model)
        out += fmt::format("{}{}/{}", out.empty() ? "" : " ", e.distinguishing.size(), e.conformance.size());
    return out;
  }
  std::string folder_;
  std::vector<axb::Test> tests_;
};

TEST_F(Published, TheScriptsRuleGivesTableFour) {
  const Table t = table(k_six, Rule::script);
  EXPECT_EQ(t.weak_tests, 323u);
  EXPECT_EQ(t.strong_tests, 160u);
  EXPECT_EQ(row(t, "HSA"), "90/90 94/94");
  EXPECT_EQ(row(t, "OBE"), "12/12 0/0");
  EXPECT_EQ(row(t, "LOBE"), "20/122 16/110");
  EXPECT_EQ(row(t, "FAIR"), "201/323 50/160");
}

TEST_F(Published, TheLiteralRuleWithAndWithoutHsaObe) {
  Table t = table({"hsa", "obe", "lobe", "fair"}, Rule::literal);
  EXPECT_EQ(row(t, "HSA"), "90/90 94/184");
  EXPECT_EQ(row(t, "OBE"), "24/24 89/113");
  EXPECT_EQ(row(t, "LOBE"), "20/122 16/232");
  EXPECT_EQ(row(t, "FAIR"), "201/323 50/483");
  t = table(k_six, Rule::literal);
  EXPECT_EQ(row(t, "UNFAIR"), "0/0 0/0");
  EXPECT_EQ(row(t, "HSA_OBE"), "9/111 16/221");
  EXPECT_EQ(row(t, "LOBE"), "11/122 0/232");
}

TEST_F(Published, StrictlyNoTestDistinguishesStrongObe) {
  const Table t = table(k_six, Rule::strict);
  EXPECT_EQ(row(t, "HSA"), "78/90 5/184");
  EXPECT_EQ(row(t, "OBE"), "12/24 0/113");
  EXPECT_EQ(row(t, "HSA_OBE"), "9/111 16/221");
  EXPECT_EQ(row(t, "LOBE"), "11/122 0/232");
  EXPECT_EQ(row(t, "FAIR"), "201/323 50/483");
}

TEST_F(Published, AllExpectedVerdictsAgree) {
  FILE* f = std::fopen((folder_ + "/progress-verdicts.csv").c_str(), "rb");
  ASSERT_NE(f, nullptr);
  std::string text;
  char buffer[1 << 16];
  for (size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, f)) > 0;) text.append(buffer, n);
  std::fclose(f);
  const auto rows = parse_expectations(make_source("progress-verdicts.csv", text));
  ASSERT_TRUE(rows) << render(rows.error());
  const auto a = expect(*rows, tests_);
  ASSERT_TRUE(a) << render(a.error());
  EXPECT_EQ(a->passed, 2460u);
  EXPECT_EQ(a->failed, 0u);
}

}  // namespace
}  // namespace fencepost::classify
