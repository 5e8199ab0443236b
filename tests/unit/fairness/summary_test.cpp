// What many runs say of progress models.
#include "fairness/summary.h"

#include <gtest/gtest.h>

namespace fencepost::fairness {
namespace {

axb::Test read(const std::string& json) {
  auto tests = axb::parse(make_source("tests.jsonl", json + "\n"));
  if (!tests || tests->size() != 1) throw std::runtime_error(tests ? "not one test" : render(tests.error()));
  return tests->front();
}
axb::Test consumer() { return read(R"({"config":"2t2i","id":4,"threads":[[[0,0,0,0,0]],[[0,0,1,1,1]]]})"); }
axb::Test two_places() {
  return read(R"({"config":"two","id":1,"threads":[[[0,0,0,0,0]],[[1,0,1,1,1],[0,0,2,1,1]]]})");
}
axb::Test livelock() {  // ends only when the other thread's write falls between two instructions
  return read(R"({"config":"strong","id":0,"threads":[[[0,0,1,1,1],[0,1,0,1,0]],[[0,0,1,1,0],[0,0,0,1,0]]]})");
}

TEST(Summary, CountsViolationsByModelAndSetsApartWhatWeakMemoryExplains) {
  std::vector<fair::Model> models;
  for (const fair::ModelInfo& m : fair::shipped_models()) models.push_back(*fair::load_model(m.name));
  std::vector<axb::Test> tests = {consumer(), two_places(), livelock()};
  Runs starved, fine;
  for (int n = 0; n < 4; ++n) {
    trial::Run r;
    fine.add(r);
    if (n > 0) r.outcome = trial::Outcome::starved;
    starved.add(r);
  }
  EXPECT_EQ(frequency(starved), Frequency::sometimes);
  EXPECT_EQ(frequency(fine), Frequency::never);
  std::vector<Result> results;
  for (uint32_t t = 0; t < 3; ++t) results.push_back({t, "chunked", exports::Order::relaxed, starved});
  results.push_back({0, "plain", exports::Order::relaxed, fine});
  const auto s = summarise(tests, results, models);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->weak_tests, 2u);
  EXPECT_EQ(s->strong_tests, 1u);
  ASSERT_EQ(s->models.size(), 5u) << "UNFAIR is left out";
  const ModelRow& fair = s->models.back();
  EXPECT_EQ(fair.model, "FAIR");
  EXPECT_EQ(fair.conformance, 2u);
  EXPECT_EQ(fair.violated, (std::vector<uint32_t>{0}));
  EXPECT_EQ(fair.explained, (std::vector<uint32_t>{1}));
  for (const ModelRow& m : s->models)
    if (m.model == "OBE") {
      EXPECT_EQ(m.violated.size(), 0u) << "a producer that never began is owed nothing";
    }
  ASSERT_EQ(s->mappings.size(), 2u);
  EXPECT_EQ(s->mappings[0].sometimes, 3u);
  EXPECT_EQ(s->mappings[0].beyond, 2u);
  EXPECT_EQ(s->mappings[0].beyond_starved, 2u);
  EXPECT_EQ(s->mappings[1].never, 1u);
  for (Result& r : results) r.order = exports::Order::seq_cst;
  EXPECT_EQ(summarise(tests, results, models)->models.back().violated, (std::vector<uint32_t>{0, 1}));
  EXPECT_NE(to_text(*s, tests).find("FAIR is violated by 2t2i/4"), std::string::npos);
  EXPECT_NE(to_json(*s, tests).find("maybe_weak_memory"), std::string::npos);
}

}  // namespace
}  // namespace fencepost::fairness
