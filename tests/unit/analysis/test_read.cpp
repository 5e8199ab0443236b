#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "analysis/analyse.h"
#include "analysis/portable_plan.h"
#include "analysis/read.h"
#include "analysis/tell.h"
#include "base/job.h"
#include "base/source.h"
#include "campaign/identity.h"
#include "campaign/plan_file.h"
#include "judge/judge.h"
#include "read/read.h"

using namespace fencepost;
using namespace fencepost::analysis;

namespace {

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "fencepost-survey-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string write(const char* file, const std::string& text) const {
    std::ofstream(path_ + "/" + file) << text;
    return path_ + "/" + file;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Expected<Table> table(const std::string& text) { return read_text(make_source("input", text), "device"); }

std::string message(const Expected<Table>& t) { return t ? "no error" : render(t.error()); }

const char* const k_log = R"(Test SB Allowed
Histogram (3 states)
90      :>0:r0=1; 1:r0=0;
7       *>0:r0=0; 1:r0=0;
3       :>0:r0=0; 1:r0=1;
Ok

Witnesses
Positive: 7, Negative: 93
Condition exists (0:r0=0 /\ 1:r0=0) is validated
Device=A chip
Observation SB Sometimes 7 93
Time SB 0.50

Test MP Allowed
Histogram (1 states)
50      :>1:r0=0; 1:r1=0;
No

Witnesses
Positive: 0, Negative: 50
Condition exists (1:r0=1 /\ 1:r1=0) is NOT validated
Observation MP Never 0 50
Time MP 0.25

Test SB Allowed
Histogram (1 states)
100     :>0:r0=1; 1:r0=1;
No

Witnesses
Positive: 0, Negative: 100
Observation SB Never 0 100
Time SB 0.50
)";

}  // namespace

TEST(ReadLitmusLog, AddsRunsOfOneTest) {
  auto t = table(k_log);
  ASSERT_TRUE(t) << message(t);
  EXPECT_EQ(t->format, "litmus7 log");
  ASSERT_EQ(t->tests.size(), 2u);
  EXPECT_EQ(t->devices, (std::vector<std::string>{"A chip", "device"}));  // the second and third run name none
  EXPECT_EQ(t->at(0, 0, 0).weak, 7u);
  EXPECT_EQ(t->at(0, 0, 0).instances, 100u);
  EXPECT_DOUBLE_EQ(t->at(0, 0, 0).seconds, 0.5);
  EXPECT_EQ(t->at(1, 1, 0).instances, 50u);
  EXPECT_EQ(t->at(1, 0, 0).weak, 0u);
  EXPECT_TRUE(t->at(1, 0, 0).measured);
  EXPECT_FALSE(t->at(0, 1, 0).measured);
}

TEST(ReadLitmusLog, RunsOfOneDeviceAreBatches) {
  std::string log = k_log;
  log.erase(log.find("Device=A chip\n"), 14);
  const auto t = table(log);
  ASSERT_TRUE(t) << message(t);
  const Cell& sb = t->at(0, 0, 0);
  EXPECT_EQ(sb.weak, 7u);
  EXPECT_EQ(sb.instances, 200u);
  ASSERT_EQ(sb.batches.size(), 2u);
  EXPECT_EQ(sb.batches[1].trials, 100);
}

TEST(ReadLitmusLog, HexadecimalValuesAreNumbers) {
  std::string log = k_log;
  log.replace(log.find("0:r0=1; 1:r0=0;"), 15, "0:r0=0x1; 1:r0=0x1f;");
  const auto t = table(log);
  ASSERT_TRUE(t) << message(t);
  EXPECT_TRUE(t->at(0, 0, 0).states.contains("0:r0=1; 1:r0=31;"));
}

TEST(ReadLitmusLog, RefusesWhatDoesNotAddUp) {
  std::string log = k_log;
  log.replace(log.find("Positive: 7, Negative: 93"), 25, "Positive: 7, Negative: 92");
  EXPECT_NE(message(table(log)).find("the histogram of 'SB' has 100 instances, and its witnesses are 99"),
            std::string::npos)
      << message(table(log));
  log = k_log;
  log.erase(log.find("Witnesses\nPositive: 0, Negative: 50"));
  EXPECT_NE(message(table(log)).find("'MP' ends before"), std::string::npos) << message(table(log));
  log = k_log;
  log.replace(log.find("Negative: 93"), 12, "Negative: xx");
  EXPECT_NE(message(table(log)).find("input:9:"), std::string::npos) << message(table(log));
}

// A mark of byte order must not hide the first test.
TEST(ReadLitmusLog, AMarkOfByteOrderIsSkipped) {
  const auto t = table(std::string("\xef\xbb\xbf") + k_log);
  ASSERT_TRUE(t) << message(t);
  EXPECT_EQ(t->tests.size(), 2u);
  EXPECT_TRUE(t->at(0, 0, 0).measured);
  EXPECT_EQ(t->at(0, 0, 0).weak, 7u);
  const auto counts = table("\xef\xbb\xbftest,chip\nMP,3\n");
  ASSERT_TRUE(counts) << message(counts);
  EXPECT_EQ(counts->at(0, 0, 0).weak, 3u);
}

// Of "forall" the log counts as positive what meets the condition; what is asked about is the rest.
TEST(ReadLitmusLog, OfForallTheNegativeOnesCount) {
  const auto t =
      table("Test T Required\nHistogram (2 states)\n9 *>1:r0=0;\n2 :>1:r0=1;\nNo\n\nPositive: 9, Negative: 2\n");
  ASSERT_TRUE(t) << message(t);
  EXPECT_EQ(t->at(0, 0, 0).weak, 2u);
  EXPECT_EQ(t->at(0, 0, 0).instances, 11u);
}

TEST(ReadWebGpu, TakesConfigurationsTestsAndTimes) {
  const auto t = table(R"({"0": {"MP": {"seq": 5, "interleaved": 3, "weak": 2, "durationSeconds": 0.5},
      "MP Coherency": {"seq": 10, "interleaved": 0, "weak": 0}, "params": {"stride": 4}}, "gpu": "x",
      "1": {"MP": {"seq": 9, "interleaved": 1, "weak": 0, "durationSeconds": 0.25}, "RR Mutations": {"seq": 1, "interleaved": 0, "weak": 1}}})");
  ASSERT_TRUE(t) << message(t);
  ASSERT_EQ(t->tests.size(), 3u);
  EXPECT_EQ(t->configurations, (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(t->at(0, 0, 0).instances, 10u);
  EXPECT_EQ(t->at(0, 0, 0).split->interleaved, 3u);
  EXPECT_DOUBLE_EQ(t->at(0, 0, 0).per_second(), 4);
  EXPECT_FALSE(t->at(0, 1, 1).measured);
  EXPECT_EQ(t->tests[0].mutator, "weaken-sw");
  EXPECT_EQ(t->tests[1].mutator, "weaken-po-loc");
  EXPECT_EQ(t->tests[2].mutator, "reverse-po-loc");
}

TEST(ReadWebGpu, RefusesWhatIsNone) {
  EXPECT_NE(message(table("{\"0\": ")).find("not a JSON object"), std::string::npos);
  EXPECT_NE(message(table("{\"a\": 1}")).find("has no results"), std::string::npos);
  EXPECT_NE(message(table(R"({"0": {"MP": {"seq": -1, "interleaved": 0, "weak": 0}}})")).find("is not a number"),
            std::string::npos);
  EXPECT_NE(message(table(R"({"0": {"MP": {"seq": "x", "interleaved": 0, "weak": 0}}})")).find("is not a number"),
            std::string::npos);
  EXPECT_NE(message(table(R"({"0": {"MP": {"seq": 1e30, "interleaved": 0, "weak": 0}}})")).find("is not a number"),
            std::string::npos);
  EXPECT_NE(message(table(R"({"0": {"MP": {"seq": 0.5, "interleaved": 0, "weak": 0}}})")).find("is not a number"),
            std::string::npos);
  EXPECT_NE(
      message(table("Test A Allowed\nHistogram (1 states)\n1 :>x=1;\nPositive: 99999999999999999999, Negative: 1\n"))
          .find("input:4:"),
      std::string::npos);
  EXPECT_NE(message(table("hello")).find("not a result set that this program knows"), std::string::npos);
  EXPECT_NE(message(table("")).find("not a result set"), std::string::npos);
}

TEST(ReadCudaLitmus, LogAndTable) {
  const auto t = table(
      "Compiling x\nIteration: 0\n  Test mp weak: 10, total: 1000, rate: 5 per second\n  Test sb weak: 0, total: 1000, "
      "rate: 0 per second\n"
      "Iteration: 1\n  Test mp weak: 0, total: 500, rate: 0 per second\n");
  ASSERT_TRUE(t) << message(t);
  EXPECT_EQ(t->format, "cuda-litmus log");
  EXPECT_EQ(t->configurations.size(), 2u);
  EXPECT_EQ(t->at(0, 0, 0).weak, 10u);
  EXPECT_DOUBLE_EQ(t->at(0, 0, 0).seconds, 2);
  EXPECT_EQ(t->at(0, 0, 1).instances, 500u);
  EXPECT_NE(message(table("Iteration: 0\n  Test mp weak: 10, total: 5, rate: 5 per second\n")).find("input:2:"),
            std::string::npos);

  const auto csv =
      table("test,base,strengthened,a,b\nmp,INSTANCE,UNSAT,not seen,not seen\nsb,INSTANCE,INSTANCE,seen,not seen\n");
  ASSERT_TRUE(csv) << message(csv);
  EXPECT_TRUE(csv->sightings);
  EXPECT_EQ(csv->tests[0].verdict, "allowed/forbidden");
  EXPECT_EQ(csv->at(0, 1, 0).weak, 1u);
  EXPECT_EQ(csv->at(1, 1, 0).weak, 0u);
  EXPECT_NE(message(table("test,base,strengthened,a\nmp,INSTANCE,UNSAT,maybe\n")).find("neither 'seen'"),
            std::string::npos);
  EXPECT_NE(message(table("test,base,strengthened,a\nmp,INSTANCE,UNSAT\n")).find("4 fields"), std::string::npos);
}

TEST(ReadFolder, AFileIsADevice) {
  Folder f;
  f.write("b.json", R"({"0": {"MP": {"seq": 5, "interleaved": 3, "weak": 2}}})");
  f.write(
      "a.json",
      R"({"0": {"MP": {"seq": 5, "interleaved": 5, "weak": 0}}, "1": {"MP": {"seq": 1, "interleaved": 0, "weak": 0}}})");
  f.write("notes.txt", "nothing");
  const auto t = analysis::read(f.path());
  ASSERT_TRUE(t) << message(t);
  EXPECT_EQ(t->devices, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(t->at(1, 0, 0).weak, 2u);
  ASSERT_EQ(t->remarks.size(), 1u);
  EXPECT_NE(t->remarks[0].find("notes.txt is left out"), std::string::npos);
  EXPECT_FALSE(analysis::read(f.path() + "/absent"));
}

TEST(ReadStore, CountsSplitsAndSeries) {
  Folder f;
  auto store = store::Store::open(f.path() + "/s.db");
  ASSERT_TRUE(store);
  const std::string text =
      "PTX SB\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.relaxed.gpu x, 1 | st.relaxed.gpu y, 1 ;\n"
      " ld.relaxed.gpu r0, y | ld.relaxed.gpu r0, x ;\nexists (0:r0 == 0 /\\ 1:r0 == 0)\n";
  const auto test = read::parse_one(make_source("sb", text));
  ASSERT_TRUE(test) << render(test.error());
  store::Record r;
  r.test = "SB";
  r.test_hash = campaign::hash_of(*test);
  r.device = "cpu";
  r.configuration = "default";
  ASSERT_TRUE(store->remember_test(r.test_hash, campaign::text_of(*test)));
  for (uint32_t g = 0; g < 3; ++g) {
    r.group = g;
    r.launches = 2;
    r.rounds = 5;
    r.instances = 100;
    r.seconds = 0.5;
    r.states = {{"0:r0=0; 1:r0=0;", 2}, {"0:r0=0; 1:r0=1;", 40}, {"0:r0=1; 1:r0=0;", 50}, {"0:r0=1; 1:r0=1;", 8}};
    r.series = {{0, 0, 3, 4}, {0, 1, 1, 9}};
    ASSERT_TRUE(store->add(r));
  }
  r.test = "SB~1";
  ASSERT_TRUE(store->add(r));
  const auto t = read_store(*store, {});
  ASSERT_TRUE(t) << message(t);
  const Cell& c = t->at(0, 0, 0);
  EXPECT_EQ(c.weak, 6u);
  EXPECT_EQ(c.instances, 300u);
  ASSERT_TRUE(c.split);
  EXPECT_EQ(*c.split, (Split{270, 24, 6}));  // one thread after the other; both stores first; no interleaving
  ASSERT_EQ(c.batches.size(), 3u);
  ASSERT_EQ(c.rounds.size(), 30u);
  EXPECT_EQ(c.rounds[3], 1);
  EXPECT_EQ(c.rounds[6], 1);
  ASSERT_EQ(c.gaps.size(), 6u);
  EXPECT_EQ(c.gaps[0], 35);  // round 3 of 10 instances, instance 4, is the 35th
  EXPECT_EQ(c.gaps[1], 35);  // launch 1, round 1, instance 9 is the 70th
  EXPECT_EQ(c.gaps[2], 35);
  EXPECT_EQ(t->tests[1].parent, "SB");
  EXPECT_EQ(t->tests[1].mutator, "one-step weakening");

  r.test = "SB";
  r.group = 3;
  r.series_lost = 1;  // a series that lost events is none
  ASSERT_TRUE(store->add(r));
  const auto cut = read_store(*store, {});
  ASSERT_TRUE(cut);
  EXPECT_TRUE(cut->at(0, 0, 0).rounds.empty());
  EXPECT_TRUE(cut->at(0, 0, 0).gaps.empty());
}

// Damaged input is refused with a sentence or read as something else; nothing else happens.
TEST(PortablePlan, AWinnerIsAConfigurationThatAPlanTakes) {
  Table t;
  t.name = "both.db";
  for (const char* device : {"cpu", "cuda"})
    for (const char* test : {"MP", "SB"})
      for (const char* configuration : {"1", "2"}) {
        Cell& c = t.at(t.device(device), t.test(test), t.configuration(configuration));
        c.measured = true;
        c.instances = 1000;
        // Configuration 2 shows less, and everywhere.
        c.weak = configuration[0] == '2' ? 10 : device[1] == 'p' ? 900 : 0;
        c.how =
            fmt::format("mode = \"parallel\"\nregion = \"as-written\"\nparameters = \"stride={}\"\n", configuration);
      }
  const auto plan = portable_plan(t, stats::Domain::global);
  ASSERT_TRUE(plan) << render(plan.error());
  EXPECT_NE(plan->find("4 of 4 combinations"), std::string::npos) << *plan;
  EXPECT_NE(plan->find("parameters = \"stride=2\""), std::string::npos) << *plan;
  EXPECT_EQ(plan->find("stride=1"), std::string::npos) << *plan;
  const auto each = portable_plan(t, stats::Domain::device);
  ASSERT_TRUE(each);
  EXPECT_NE(each->find("name = \"portable for cpu\"\ngive_way = true\nmode = \"parallel\"\nregion = \"as-written\"\n"
                       "parameters = \"stride=1\""),
            std::string::npos)
      << *each;
  // The text is a plan's.
  const std::string head = "name = \"p\"\ntests = [\"MP.litmus\"]\ndevices = [\"reference\"]\nseconds = 1\n";
  for (const auto domain :
       {stats::Domain::global, stats::Domain::device, stats::Domain::test, stats::Domain::combination}) {
    const auto text = portable_plan(t, domain);
    ASSERT_TRUE(text);
    const auto read = campaign::read_plan(make_source("plan.toml", head + *text));
    ASSERT_TRUE(read) << render(read.error()) << *text;
    EXPECT_TRUE(read->configurations.front().options.give_way);
  }
  // Logs do not say their parameters.
  t.at(0, 0, 1).how.clear();
  EXPECT_FALSE(portable_plan(t, stats::Domain::global));
}

// A test has the first configuration of a plan that fits, and the patterns of SB fit SB+fence.sc.gpus too.
TEST(PortablePlan, EachTestHasItsOwnConfiguration) {
  Table t;
  t.name = "one.db";
  const std::vector<std::string> tests = {"SB", "SB+fence.sc.gpus", "MP"};
  for (const std::string& test : tests)
    for (const char* configuration : {"1", "2"}) {
      Cell& c = t.at(t.device("cpu"), t.test(test), t.configuration(configuration));
      c.measured = true;
      c.instances = 1000;
      c.weak = (test == "SB") == (configuration[0] == '1') ? 900 : 10;
      c.how = fmt::format("mode = \"parallel\"\nregion = \"as-written\"\nparameters = \"stride={}\"\n", configuration);
    }
  const auto plan = portable_plan(t, stats::Domain::test);
  ASSERT_TRUE(plan) << render(plan.error());
  const auto read = campaign::read_plan(make_source(
      "plan.toml", "name = \"p\"\ntests = [\"*.litmus\"]\ndevices = [\"reference\"]\nseconds = 1\n" + *plan));
  ASSERT_TRUE(read) << render(read.error()) << *plan;
  for (const std::string& test : tests) {
    const auto first =
        std::ranges::find_if(read->configurations, [&](const campaign::Configuration& c) { return c.applies(test); });
    ASSERT_NE(first, read->configurations.end()) << test;
    const std::string parameters = plan::to_string(first->options.parameters);
    EXPECT_NE(parameters.find(test == "SB" ? "stride=1" : "stride=2"), std::string::npos) << test << "\n" << *plan;
  }
}

TEST(PortablePlan, WhereNothingWasSeenThatIsSaid) {
  Table t;
  t.name = "none.db";
  for (const char* configuration : {"1", "2"}) {
    Cell& c = t.at(t.device("cpu"), t.test("MP"), t.configuration(configuration));
    c.measured = true;
    c.instances = 1000;
  }
  const auto plan = portable_plan(t, stats::Domain::global);
  ASSERT_FALSE(plan);
  EXPECT_NE(render(plan.error()).find("no combination of test and device that shows the weak outcome"),
            std::string::npos)
      << render(plan.error());
}

TEST(Read, DamagedInputIsRefusedOrRead) {
  const std::string json =
      R"({"0": {"MP": {"seq": 5, "interleaved": 3, "weak": 2, "durationSeconds": 0.5}, "SB": {"seq": 9, "interleaved": 1, "weak": 0}},
      "1": {"MP": {"seq": 1, "interleaved": 1, "weak": 8, "durationSeconds": 0.25}}})";
  const std::string seeds[] = {
      k_log, json,
      "Iteration: 0\n  Test mp weak: 10, total: 1000, rate: 5 per second\nIteration: 1\n  Test mp weak: 3, total: 900, "
      "rate: 2 per second\n",
      "test,base,strengthened,a,b\nmp,INSTANCE,UNSAT,not seen,not seen\nsb,INSTANCE,INSTANCE,seen,not seen\n"};
  const std::string bits = "0123456789-:,>*{}[]\"\n eE.";
  Rng random(20201113);
  uint64_t read = 0;
  for (int n = 0; n < 3000; ++n) {
    std::string text = seeds[random.below(4)];
    for (uint64_t k = 0, edits = 1 + random.below(6); k < edits && !text.empty(); ++k) {
      const size_t at = random.below(text.size());
      switch (random.below(4)) {
        case 0:
          text[at] = bits[random.below(bits.size())];
          break;
        case 1:
          text.erase(at, 1 + random.below(20));
          break;
        case 2:
          text.insert(at, text.substr(random.below(text.size()), random.below(60)));
          break;
        default:
          text.insert(at, std::string(1 + random.below(20), static_cast<char>('0' + random.below(10))));
          break;
      }
    }
    const auto t = table(text);
    if (!t) {
      ASSERT_FALSE(render(t.error()).empty()) << text;
      continue;
    }
    ++read;
    const Analysis a = analyse(*t, {});
    ASSERT_FALSE(to_text(*t, a, {}, {}).empty());
    ASSERT_FALSE(to_json(*t, a, {}).empty());
    to_csv(*t, a);
    replay_peeking(*t, 100, 10, 1, 1);
  }
  EXPECT_GT(read, 300u);
}
