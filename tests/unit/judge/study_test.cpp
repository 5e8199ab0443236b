#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "campaign/conduct.h"
#include "campaign/identity.h"
#include "cat/library.h"
#include "chart/judge_chart.h"
#include "judge/conformance.h"
#include "judge/judge.h"
#include "read/read.h"

using namespace fencepost;
using namespace fencepost::campaign;
using namespace fencepost::judge;

namespace {

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "fencepost-study-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& file) const { return path_ + "/" + file; }

 private:
  std::string path_;
};

template <class T>
T value(Expected<T> e) {
  if (!e) throw std::runtime_error(render(e.error()));
  return std::move(*e);
}

const char* const k_sb =
    "PTX SB\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.relaxed.gpu x, 1 | st.relaxed.gpu y, 1 ;\n"
    " {} | {} ;\n ld.relaxed.gpu r0, y | ld.relaxed.gpu r0, x ;\n{} (0:r0 = 0 /\\ 1:r0 = 0)\n";

prog::Test sb(const char* fence, const char* question, const char* title = "SB") {
  std::string text = k_sb;
  text.replace(text.find("SB"), 2, title);
  for (const char* part : {fence, fence, question}) text.replace(text.find("{}"), 2, part);
  return value(read::parse_one(make_source("sb.litmus", text)));
}

const cat::Model& model() {
  static const cat::Model m = value(cat::load_model("ptx-7.5", vocab::Dialect::ptx));
  return m;
}

store::Record record(const prog::Test& t, uint32_t group, std::map<std::string, uint64_t> states,
                     const char* evidence = "as-written") {
  store::Record r;
  r.campaign = "c";
  r.test = t.title;
  r.test_hash = hash_of(t);
  r.device = "cuda X";
  r.configuration = "default";
  r.group = group;
  r.evidence = evidence;
  r.what_ran = r.evidence == "as-written" ? "as-written" : "unverified";
  r.seconds = 0.5;
  r.states = std::move(states);
  for (const auto& [s, n] : r.states) r.instances += n;
  return r;
}

Judged judged(store::Store& s) {
  Job job;
  Judge how;
  how.model_of = [](const prog::Test&) { return NamedModel{&model(), "ptx-7.5"}; };
  return judge::judge(value(observations(s)), how, job);
}

const std::string k_weak = "0:r0=0; 1:r0=0;", k_one = "0:r0=1; 1:r0=0;", k_both = "0:r0=1; 1:r0=1;";

TEST(Judge, StatesAreReadBack) {
  const prog::Test t = sb("fence.sc.gpu", "exists");
  const auto obs = prog::observables(t);
  const auto s = state_from(obs, k_one);
  ASSERT_TRUE(s);
  EXPECT_EQ(prog::to_string(obs, *s), k_one);
  EXPECT_EQ(prog::to_string(obs, *state_from(obs, "0:r0=-1; 1:r0=0;")), "0:r0=-1; 1:r0=0;");
  for (const char* bad :
       {"", "0:r0=1;", "0:r0=1; 1:r0=0; 1:r0=0;", "0:r0=1; 2:r0=0;", "0:r0=x; 1:r0=0;", "0:r0=; 1:r0=0;",
        "0:r0=1 1:r0=0", "0:r0=99999999999999999999; 1:r0=0;", "0:r0=-9223372036854775809; 1:r0=0;"})
    EXPECT_FALSE(state_from(obs, bad)) << bad;
}

// What there was no time for is undecided, and not left out.
TEST(Judge, WithoutTimeAllIsUndecided) {
  Folder dir;
  store::Store s = value(store::Store::open(dir / "a.db"));
  const prog::Test t = sb("fence.sc.gpu", "exists");
  ASSERT_TRUE(s.remember_test(hash_of(t), text_of(t)));
  value(s.add(record(t, 0, {{k_one, 90}, {k_both, 10}})));
  Job job;
  job.deadline = Job::Clock::now() - std::chrono::hours(1);
  Judge how;
  how.model_of = [](const prog::Test&) { return NamedModel{&model(), "ptx-7.5"}; };
  const Judged none = judge::judge(value(observations(s)), how, job);
  ASSERT_EQ(none.list.size(), judged(s).list.size());
  ASSERT_FALSE(none.list.empty());
  for (const Judgement& j : none.list) EXPECT_EQ(j.condition, Allowed::unknown);
  EXPECT_EQ(none.exit_code(), 3);
}

TEST(Judge, AForbiddenStateIsLoudOnlyWithEvidence) {
  Folder dir;
  store::Store s = value(store::Store::open(dir / "a.db"));
  const prog::Test t = sb("fence.sc.gpu", "exists");
  ASSERT_TRUE(s.remember_test(hash_of(t), text_of(t)));
  value(s.add(record(t, 0, {{k_one, 90}, {k_both, 10}})));
  EXPECT_EQ(judged(s).list.at(0).standing, Standing::consistent);
  EXPECT_EQ(judged(s).exit_code(), 0);
  value(s.add(record(t, 1, {{k_weak, 1}, {k_one, 99}}, "none")));
  EXPECT_EQ(judged(s).list.at(0).standing, Standing::suspected);  // the weakest claim of the groups counts
  EXPECT_EQ(judged(s).exit_code(), 3);
  store::Store loud = value(store::Store::open(dir / "b.db"));
  ASSERT_TRUE(loud.remember_test(hash_of(t), text_of(t)));
  value(loud.add(record(t, 0, {{k_weak, 1}, {k_one, 99}})));
  const Judged j = judged(loud);
  EXPECT_EQ(j.list.at(0).standing, Standing::violated);
  EXPECT_EQ(j.exit_code(), 1);
  EXPECT_NE(to_text(j).find("which ptx-7.5 forbids"), std::string::npos) << to_text(j);
  EXPECT_NE(chart::to_svg(j).find("1 seen"), std::string::npos);
}

// Two rows of one name are of two devices.
TEST(Judge, ThePictureNamesTheDeviceWhereThereAreSeveral) {
  Folder dir;
  store::Store s = value(store::Store::open(dir / "a.db"));
  const prog::Test t = sb("fence.sc.gpu", "exists");
  ASSERT_TRUE(s.remember_test(hash_of(t), text_of(t)));
  value(s.add(record(t, 0, {{k_one, 90}, {k_both, 10}})));
  EXPECT_EQ(chart::to_svg(judged(s)).find("default \u00B7 cuda X<"), std::string::npos);
  store::Record other = record(t, 0, {{k_one, 90}, {k_both, 10}});
  other.device = "cuda Y";
  value(s.add(other));
  const std::string svg = chart::to_svg(judged(s));
  EXPECT_NE(svg.find("default \u00B7 cuda X<"), std::string::npos) << svg;
  EXPECT_NE(svg.find("default \u00B7 cuda Y<"), std::string::npos) << svg;
}

// What a search saw counts against a device as much as what a campaign saw.
TEST(Judge, TrialsAreJudgedToo) {
  Folder dir;
  store::Store s = value(store::Store::open(dir / "a.db"));
  const prog::Test t = sb("fence.sc.gpu", "~exists");
  ASSERT_TRUE(s.remember_test(hash_of(t), text_of(t)));
  for (uint32_t c = 0; c < 3; ++c) {
    store::Trial x;
    x.campaign = "tune";
    x.purpose = "search";
    x.test = t.title;
    x.test_hash = hash_of(t);
    x.device = "cuda X";
    x.configuration = std::to_string(c);
    x.what_ran = x.evidence = "as-written";
    x.rounds = {{100, 0, 1000, 500}, {100, c == 2, 1000, 500}};
    x.states = c == 2 ? std::map<std::string, uint64_t>{{k_both, 199}, {k_weak, 1}}
                      : std::map<std::string, uint64_t>{{k_both, 200}};
    if (c == 1) x = {"tune", "search", t.title, x.test_hash, "cuda X", "1", 0};
    value(s.add(x));
  }
  const Judged j = judged(s);
  ASSERT_EQ(j.list.size(), 1u);
  EXPECT_EQ(j.list[0].standing, Standing::violated);
  EXPECT_EQ(j.list[0].seen.configuration, "search");
  EXPECT_EQ(j.list[0].seen.instances, 400u);
}

TEST(Judge, CorruptResultsSayNothing) {
  Folder dir;
  store::Store s = value(store::Store::open(dir / "a.db"));
  const prog::Test t = sb("fence.sc.gpu", "exists");
  ASSERT_TRUE(s.remember_test(hash_of(t), text_of(t)));
  store::Record r = record(t, 0, {{k_weak, 5}, {k_one, 90}});
  r.corrupt = 1;
  r.instances += 1;
  value(s.add(r));
  const Judged j = judged(s);
  EXPECT_EQ(j.list.at(0).standing, Standing::broken_run);
  EXPECT_EQ(j.exit_code(), 1);
}

// A fault of the store or of whoever wrote to it: counts that are no longer those of the run.
TEST(Judge, RowsWhoseCountsDoNotAddUpSayNothing) {
  const prog::Test t = sb("fence.sc.gpu", "exists");
  for (const int change : {-1, 1}) {
    Folder dir;
    store::Store s = value(store::Store::open(dir / "a.db"));
    ASSERT_TRUE(s.remember_test(hash_of(t), text_of(t)));
    store::Record r = record(t, 0, {{k_one, 90}, {k_both, 10}});
    r.states[k_one] = static_cast<uint64_t>(90 + change);
    value(s.add(r));
    const auto seen = observations(s);
    ASSERT_FALSE(seen);
    EXPECT_NE(seen.error().list.front().message.find("its counts do not add up to its instances"), std::string::npos);
  }
}

TEST(Judge, TeethAreWeakeningsSeenUnderTheSameStress) {
  Folder dir;
  store::Store s = value(store::Store::open(dir / "a.db"));
  const prog::Test t = sb("fence.sc.gpu", "~exists");
  const auto weaker = one_step_weakenings(t);
  ASSERT_GE(weaker.size(), 4u);  // two fences, each to acq_rel and to a narrower scope; two stores, two loads to .cta
  for (const Weakening& w : weaker) EXPECT_EQ(value(read::parse_one(make_source("w", text_of(w.test)))), w.test);
  ASSERT_TRUE(s.remember_test(hash_of(t), text_of(t)));
  value(s.add(record(t, 0, {{k_one, 1000}})));
  {
    const Judged j = judged(s);
    EXPECT_EQ(j.list.at(0).condition, Allowed::no);
    EXPECT_FALSE(j.list.at(0).is_sensitive());
    EXPECT_EQ(j.forbidden, 0u) << "none of its weakenings ran";
    EXPECT_EQ(j.sensitive, 0u);
    const StateRow& never = j.list[0].rows.back();
    EXPECT_EQ(never.count, 0u);
    EXPECT_NEAR(j.list[0].positive_rate.upper, 3.0 / 1000, 1e-4);  // the rule of three
  }
  const auto& w = *std::find_if(weaker.begin(), weaker.end(), [](const Weakening& x) {
    return x.what.find("becomes fence.acq_rel") != std::string::npos;
  });
  ASSERT_TRUE(s.remember_test(hash_of(w.test), text_of(w.test)));
  store::Record other = record(w.test, 0, {{k_weak, 7}, {k_one, 993}});
  other.configuration = "calm";
  value(s.add(other));
  EXPECT_EQ(judged(s).sensitive, 0u) << "another configuration is no evidence";
  value(s.add(record(w.test, 0, {{k_weak, 7}, {k_one, 993}})));
  const Judged j = judged(s);
  EXPECT_EQ(j.sensitive, 1u);
  EXPECT_NE(to_text(j).find("1 of "), std::string::npos);
  EXPECT_EQ(j.exit_code(), 0) << to_text(j);
}

TEST(Judge, GroupsThatScatterWidenTheInterval) {
  Folder dir;
  store::Store even = value(store::Store::open(dir / "a.db")), uneven = value(store::Store::open(dir / "b.db"));
  const prog::Test t = sb("fence.acq_rel.gpu", "exists");
  for (store::Store* s : {&even, &uneven}) ASSERT_TRUE(s->remember_test(hash_of(t), text_of(t)));
  for (uint32_t g = 0; g < 10; ++g) {
    value(even.add(record(t, g, {{k_weak, 50}, {k_one, 950}})));
    value(uneven.add(record(t, g, {{k_weak, g % 2 == 0 ? 99u : 1u}, {k_one, g % 2 == 0 ? 901u : 999u}})));
  }
  const Judgement a = judged(even).list.at(0), b = judged(uneven).list.at(0);
  EXPECT_EQ(a.positive, b.positive);
  EXPECT_EQ(a.dispersion, 1);
  EXPECT_GT(b.dispersion, 20);
  EXPECT_GT(b.positive_rate.upper - b.positive_rate.lower, 3 * (a.positive_rate.upper - a.positive_rate.lower));
}

// ---- plans --------------------------------------------------------------------------------------------
TEST(PlanFile, WholePlan) {
  const Plan p = value(read_plan(
      make_source("dir/plan.toml",
                  "name = \"n\"\ntests = [\"a*.litmus\", \"/abs\"]\ndevices = \"cpu\"\nseed = 9\nweakenings = true\n"
                  "iterations = 1_000\ngroup_seconds = 0.5\nseries = 16\n[[configuration]]\nname = \"calm\"\n"
                  "parameters = \"stress=0\"\n[[configuration]]\nname = \"warp\"\nmode = \"warp\"\n")));
  EXPECT_EQ(p.name, "n");
  EXPECT_EQ(p.tests, (std::vector<std::string>{"dir/a*.litmus", "/abs"}));
  EXPECT_EQ(p.devices, std::vector<std::string>{"cpu"});
  EXPECT_TRUE(p.weakenings);
  ASSERT_EQ(p.configurations.size(), 2u);
  EXPECT_EQ(p.configurations[1].options.shape.mode, plan::Mode::warp);
  EXPECT_EQ(p.configurations[1].options.seed, 9u);
  EXPECT_EQ(p.configurations[0].options.iterations, 1000u);
  EXPECT_EQ(p.configurations[0].options.series_room, 16u);
}

// Stress that was tuned for each test: one name, and the first configuration whose pattern fits.
TEST(PlanFile, ConfigurationWithoutATestIsAnError) {
  const Plan p = value(read_plan(make_source("plan.toml",
                                             "name = \"n\"\ntests = [\"a\"]\ndevices = [\"cpu\"]\nseconds = 1\n"
                                             "[[configuration]]\nname = \"c\"\ntests = [\"MP*\", \"SB\"]\n")));
  const auto none = left_out(p, {"LB", "S"});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().list.front().message, "no test of the plan has a title for 'c'");
  EXPECT_EQ(none.error().list.front().span.begin, p.configurations.front().at.begin);
  EXPECT_EQ(value(left_out(p, {"MP+f", "LB"})), std::vector<std::string>{"LB"});
}

TEST(PlanFile, ConfigurationsOfOneNameAreForTheirTests) {
  const std::string good = "name = \"n\"\ntests = [\"a\"]\ndevices = [\"reference\"]\niterations = 1\n";
  const Plan p = value(read_plan(make_source(
      "plan.toml", good + "[[configuration]]\nname = \"tuned\"\ntests = [\"SB\", \"SB+*\"]\nparameters = \"stride=2\"\n"
                          "[[configuration]]\nname = \"tuned\"\ntests = \"S*\"\nparameters = \"stride=4\"\n"
                          "[[configuration]]\nname = \"none\"\nparameters = \"stress=off\"\n")));
  Folder dir;
  store::Store s = value(store::Store::open(dir / "a.db"));
  const auto work = value(list_work(
      p, {sb("fence.sc.gpu", "exists"), sb("fence.sc.gpu", "exists", "S@01"), sb("fence.sc.gpu", "exists", "MP")}, {},
      {}, s));
  std::string seen;
  for (const Work& w : work)
    seen += fmt::format("{} {} {};", w.key.test, w.key.configuration, plan::to_string(w.task.options.parameters));
  EXPECT_EQ(seen, "SB tuned stride=2;SB none stress=off;S@01 tuned stride=4;S@01 none stress=off;MP none stress=off;");
  EXPECT_FALSE(read_plan(make_source(
      "plan.toml", good + "[[configuration]]\nname = \"a\"\ntests = \"x\"\n[[configuration]]\nname = \"a\"\n")));
}

// A suite's test passes when its outcome was never seen and a mutant of it was; without a mutant it is silent.
TEST(Conformance, MutantsGiveSilenceItsWorth) {
  Folder dir;
  store::Store s = value(store::Store::open(dir / "a.db"));
  const auto keep = [&](const prog::Test& t, std::map<std::string, uint64_t> states,
                        const char* evidence = "as-written") {
    ASSERT_TRUE(s.remember_test(hash_of(t), text_of(t)));
    value(s.add(record(t, 0, std::move(states), evidence)));
  };
  keep(sb("fence.sc.gpu", "~exists", "SB"), {{k_both, 1000}});
  keep(sb("fence.acq_rel.gpu", "exists", "SB--order-1"), {{k_both, 990}, {k_weak, 10}});
  keep(sb("fence.acq_rel.cta", "exists", "SB--order-2"), {{k_both, 1000}});
  keep(sb("fence.sc.sys", "exists", "SB--scope-3"), {{k_both, 1000}});  // still forbidden: no mutant
  keep(sb("fence.sc.gpu", "~exists", "quiet"), {{k_both, 1000}});
  keep(sb("fence.sc.cta", "exists", "quiet--scope-1"), {{k_both, 1000}});
  keep(sb("fence.sc.gpu", "~exists", "broken"), {{k_both, 999}, {k_weak, 1}});
  keep(sb("fence.sc.gpu", "~exists", "unseen"), {{k_both, 999}, {k_weak, 1}}, "none");
  const Conformance c = conformance(judged(s));
  std::map<std::string, const ConformanceRow*> rows;
  for (const ConformanceRow& r : c.rows) rows[r.test] = &r;
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows["SB"]->verdict, Conforms::passed);
  EXPECT_EQ(rows["SB"]->mutants.allowed, 2u);
  EXPECT_EQ(rows["SB"]->mutants.killed, 1u);
  EXPECT_NEAR(rows["SB"]->bound, 3e-3, 1e-4);
  EXPECT_NEAR(rows["SB"]->confidence, 1 - std::exp(-10), 1e-9);
  EXPECT_EQ(rows["quiet"]->verdict, Conforms::silent);
  EXPECT_EQ(rows["broken"]->verdict, Conforms::failed);
  EXPECT_EQ(rows["unseen"]->verdict, Conforms::open);
  EXPECT_EQ(c.exit_code(), 1);
  ASSERT_EQ(c.campaigns.size(), 1u);
  EXPECT_EQ(c.campaigns[0].by_mutator.at("order").killed, 1u);
  EXPECT_EQ(c.campaigns[0].by_mutator.at("order").allowed, 2u);
  EXPECT_EQ(c.campaigns[0].by_mutator.at("scope").allowed, 1u);
  EXPECT_NE(to_text(c).find("passed  SB on cuda X, default: never in 1000 instances"), std::string::npos) << to_text(c);
}

TEST(PlanFile, MistakesAreNamedAtTheirPlace) {
  const std::string good = "name = \"n\"\ntests = [\"a\"]\ndevices = [\"cpu\"]\nseconds = 1\n";
  struct Bad {
    std::string text;
    uint32_t line;
    const char* message;
  };
  const Bad bad[] = {
      {good + "sed = 3\n", 5, "there is no key 'sed' here"},
      {"name = 3\n" + good.substr(good.find('\n') + 1), 1, "'name' is a string"},
      {good + "iterations = 0\n", 5, "'iterations' is a whole number from 1"},
      {good + "iterations = 1.5\n", 5, "'iterations' is a whole number"},
      {good + "group_seconds = \"1\"\n", 5, "'group_seconds' is a number of seconds"},
      {good + "configuration = 1\n", 5, "'configuration' is a list of tables"},
      {good + "[[configuration]]\nmode = \"warp\"\n", 5, "a configuration needs a name"},
      {good + "[[configuration]]\nname = \"a\"\nmode = \"wrap\"\n", 7, "'wrap' is not a mode"},
      {good + "[[configuration]]\nname = \"a\"\nparameters = \"strid=3\"\n", 7, "strid"},
      {good + "[[configuration]]\nname = \"a\"\n[[configuration]]\nname = \"a\"\n", 7, "the name 'a' is used twice"},
      {good + "unseen_seconds = 0.5\n", 1, "'unseen_seconds' is shorter"},
      {good + "x = \n", 5, "this is not TOML"},
      {"name = \"n\"\ntests = [\"a\"]\ndevices = [\"cpu\"]\n", 1, "the plan has no end"},
      {"tests = [\"a\"]\ndevices = [\"cpu\"]\nseconds = 1\n", 1, "the plan has no name"},
      {"name = \"n\"\ndevices = [\"cpu\"]\nseconds = 1\n", 1, "the plan names no tests"},
      {"name = \"n\"\ntests = [\"a\"]\nseconds = 1\n", 1, "the plan names no devices"},
  };
  for (const Bad& b : bad) {
    const auto p = read_plan(make_source("plan.toml", b.text));
    ASSERT_FALSE(p) << b.text;
    const Diagnostic& d = p.error().list.front();
    EXPECT_NE(d.message.find(b.message), std::string::npos) << render(d);
    EXPECT_EQ(d.span.position().line, b.line) << render(d);
  }
}

TEST(PlanFile, AHintNamesEachKeyOnce) {
  const auto p = read_plan(
      make_source("plan.toml",
                  "name = \"n\"\ntests = [\"a\"]\ndevices = [\"cpu\"]\nseconds = 1\n[[configuration]]\nname = "
                  "\"a\"\nqqqqqqqq = 1\n"));
  ASSERT_FALSE(p);
  EXPECT_EQ(p.error().list.front().hint, "the keys are name, mode, region, parameters, tests, give_way");
}

TEST(PlanFile, Patterns) {
  Folder dir;
  for (const char* f : {"b.litmus", "a.litmus", "c.txt", ".hidden.litmus"}) std::ofstream(dir / f) << "x";
  EXPECT_EQ(value(files_of(dir / "*.litmus")), (std::vector<std::string>{dir / "a.litmus", dir / "b.litmus"}));
  EXPECT_EQ(value(files_of(dir / "?.txt")), std::vector<std::string>{dir / "c.txt"});
  EXPECT_FALSE(files_of(dir / "*.none"));
  EXPECT_FALSE(files_of(dir / "none"));
}

// ---- conducting -----------------------------------------------------------------------------------------
Plan small_plan(uint64_t iterations) {
  return value(read_plan(
      make_source("plan.toml", fmt::format("name = \"c\"\ntests = [\"x\"]\ndevices = [\"reference\"]\niterations = {}\n"
                                           "group_seconds = 0.000001\n[[configuration]]\nname = \"a\"\n"
                                           "parameters = \"groups=2,lanes=4,rounds=2,stress=0,pre-stress=0\"\n"
                                           "[[configuration]]\nname = \"b\"\n"
                                           "parameters = \"groups=3,lanes=4,rounds=3,stress=0,pre-stress=0\"\n",
                                           iterations))));
}

// All but the times of this machine; of the reference device's own time, which is counted, that too.
void expect_same(std::vector<store::Record> a, std::vector<store::Record> b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    for (store::Record* r : {&a[i], &b[i]}) {
      r->seconds = 0;
      r->finished_ms = 0;
    }
    EXPECT_EQ(a[i], b[i]) << a[i].test << " " << a[i].configuration << " " << a[i].group;
  }
}

TEST(Conduct, ResumingGivesTheGroupsOfAnUninterruptedRun) {
  Folder dir;
  const std::vector<prog::Test> tests = {sb("fence.sc.gpu", "~exists"),
                                         sb("fence.acq_rel.gpu", "exists", "SB+acq_rel")};
  const Plan plan = small_plan(150);
  const auto go_on = [&](store::Store& s, uint64_t groups) {
    Job job;
    std::atomic<bool> cancelled = false;
    job.cancelled = &cancelled;
    uint64_t seen = 0;
    return value(conduct(plan, value(list_work(plan, tests, {}, {}, s)), s, job, [&](const Progress& p) {
      EXPECT_EQ(p.all, 4u);
      if (p.instances > seen && groups > 0 && --groups == 0) cancelled = true;
      seen = p.instances;
    }));
  };
  store::Store whole = value(store::Store::open(dir / "whole.db"));
  const Report r = go_on(whole, 0);
  EXPECT_TRUE(r.problems.empty());
  EXPECT_FALSE(r.stopped);
  store::Store pieces = value(store::Store::open(dir / "pieces.db"));
  uint32_t processes = 0;
  while (go_on(pieces, 1).added > 0) ASSERT_LT(++processes, 1000u);
  EXPECT_GT(processes, 3u);
  const auto a = value(whole.records()), b = value(pieces.records());
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].group, b[i].group);
    EXPECT_EQ(a[i].seed, b[i].seed);
    EXPECT_EQ(a[i].parameters, b[i].parameters);
    EXPECT_EQ(a[i].instances, b[i].instances);
    EXPECT_EQ(a[i].corrupt, 0u);
  }
  expect_same(a, b);
  EXPECT_EQ(go_on(whole, 0).added, 0u) << "a finished campaign has nothing left to do";
}

TEST(Conduct, OutcomesThatDoNotShowRunLonger) {
  Folder dir;
  // An interleaving, which the executor shows at once, and one that it never shows.
  std::vector<prog::Test> tests = {sb("fence.sc.gpu", "exists"), sb("fence.sc.gpu", "exists", "SB+shown")};
  tests[1].condition = tests[1].condition.kids.front();
  const Plan plan = value(read_plan(
      make_source("plan.toml",
                  "name = \"c\"\ntests = [\"x\"]\ndevices = [\"reference\"]\nseconds = 0.01\nunseen_seconds = 0.3\n"
                  "group_seconds = 0.000001\n[[configuration]]\nname = \"a\"\n"
                  "parameters = \"groups=2,lanes=4,rounds=2,stress=0,pre-stress=0\"\n")));
  store::Store s = value(store::Store::open(dir / "a.db"));
  Job job;
  const auto go_on = [&] { return value(conduct(plan, value(list_work(plan, tests, {}, {}, s)), s, job, {})); };
  EXPECT_GT(go_on().added, 1u);
  std::map<std::string, uint64_t> groups;
  for (const store::Record& r : value(s.records())) ++groups[r.test];
  EXPECT_LT(groups.at("SB+shown"), groups.at("SB"));
  for (const Work& w : value(list_work(plan, tests, {}, {}, s))) EXPECT_EQ(w.events > 0, w.key.test == "SB+shown");
}

TEST(Conduct, ShardsTogetherAreTheWhole) {
  Folder dir;
  std::vector<prog::Test> tests;
  for (int k = 0; k < 6; ++k) tests.push_back(sb("fence.sc.gpu", "~exists", fmt::format("SB{}", k).c_str()));
  const Plan plan = small_plan(60);
  store::Store whole = value(store::Store::open(dir / "whole.db")),
               merged = value(store::Store::open(dir / "merged.db"));
  Job job;
  value(conduct(plan, value(list_work(plan, tests, {}, {}, whole)), whole, job, {}));
  for (uint32_t i = 1; i <= 3; ++i) {
    const std::string path = dir / fmt::format("{}.db", i);
    {
      store::Store part = value(store::Store::open(path));
      value(conduct(plan, value(list_work(plan, tests, {}, {i, 3}, part)), part, job, {}));
    }
    const auto m = value(merged.merge(path));
    EXPECT_EQ(m.known + m.different, 0u);
  }
  expect_same(value(merged.records()), value(whole.records()));
}

// Round groups of several launches: how many is a matter of the group's time.
TEST(Conduct, ResumedGroupsHaveTheLaunchesOfTheUninterruptedOnes) {
  Folder dir;
  Plan plan = small_plan(4000);
  for (Configuration& c : plan.configurations) c.options.group_seconds = 4e-3;
  const std::vector<prog::Test> tests = {sb("fence.acq_rel.gpu", "exists")};
  store::Store whole = value(store::Store::open(dir / "whole.db")),
               pieces = value(store::Store::open(dir / "pieces.db"));
  const auto go_on = [&](store::Store& s, bool stop) {
    Job job;
    std::atomic<bool> cancelled = false;
    job.cancelled = &cancelled;
    return value(conduct(plan, value(list_work(plan, tests, {}, {}, s)), s, job,
                         [&](const Progress& p) {
                           if (stop && p.instances > 0) cancelled = true;
                         }))
        .added;
  };
  go_on(whole, false);
  for (int k = 0; k < 1000 && go_on(pieces, true) > 0; ++k) {
  }
  const auto a = value(whole.records());
  ASSERT_GT(a.size(), 4u);
  EXPECT_GT(a.front().launches, 1u);
  expect_same(a, value(pieces.records()));
}

TEST(Conduct, UnknownDevicesAreNamed) {
  Folder dir;
  store::Store s = value(store::Store::open(dir / "a.db"));
  Plan plan = small_plan(60);
  plan.devices = {"cuda"};
  device::Found found;
  found.absent.push_back({"cuda", "libcuda.so.1 is missing"});
  const auto w = list_work(plan, {sb("fence.sc.gpu", "exists")}, found, {}, s);
  ASSERT_FALSE(w);
  EXPECT_NE(w.error().list.front().message.find("libcuda.so.1 is missing"), std::string::npos);
}

TEST(Conduct, ATestThatIsRefusedDoesNotStopTheOthers) {
  Folder dir;
  store::Store s = value(store::Store::open(dir / "a.db"));
  Plan plan = small_plan(60);
  plan.configurations.resize(1);
  auto bad = plan.configurations[0];
  bad.name = "impossible";
  bad.options.parameters.fix(plan::ParameterId::groups, 1);
  bad.options.shape.region = plan::Region::shared;  // roles of two workgroups share no workgroup memory
  plan.configurations.insert(plan.configurations.begin(), bad);
  Job job;
  const Report r = value(conduct(plan, value(list_work(plan, {sb("fence.sc.gpu", "exists")}, {}, {}, s)), s, job, {}));
  ASSERT_EQ(r.problems.size(), 1u);
  EXPECT_EQ(r.problems[0].configuration, "impossible");
  EXPECT_FALSE(r.problems[0].lost);
  EXPECT_GT(r.added, 0u);
}

}  // namespace
