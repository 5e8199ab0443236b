// Reports of random programs: explanations of what the models reject hold word by word, outcomes keep herd's grammar,
// JSON has its fields, files go where their ending says.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "cat/library.h"
#include "condition.h"
#include "front/litmus.h"
#include "program.h"
#include "report/report.h"

namespace fencepost::report {
namespace {

cat::Model load(const std::string& name, vocab::Dialect d) {
  auto m = cat::load_model(name, d);
  EXPECT_TRUE(m) << render(m.error());
  return std::move(*m);
}

prog::Test parse(const std::string& name, const std::string& text) {
  auto t = front::parse_one(make_source(name, text));
  EXPECT_TRUE(t) << render(t.error());
  return std::move(*t);
}

prog::Test golden(const std::string& name) {
  std::ifstream in(FENCEPOST_SOURCE_DIR "/tests/golden/explain/" + name + ".litmus");
  std::stringstream s;
  s << in.rdbuf();
  return parse(name + ".litmus", s.str());
}

size_t brute_shortest_cycle(const Relation& r) {
  uint32_t n = r.universe();
  size_t best = 0;
  std::vector<bool> on(n, false);
  std::function<void(uint32_t, uint32_t, size_t)> walk = [&](uint32_t start, uint32_t at, size_t length) {
    if (best != 0 && length + 1 >= best) return;
    for (uint32_t next = start; next < n; ++next) {
      if (!r.test(at, next)) continue;
      if (next == start) {
        best = length + 1;
        return;
      }
      if (on[next]) continue;
      on[next] = true;
      walk(start, next, length + 1);
      on[next] = false;
    }
  };
  for (uint32_t s = 0; s < n; ++s) walk(s, s, 0);
  return best;
}

// Random programs of every syntax, asked for states that only the model without axioms reaches.
TEST(Report, RandomForbiddenTestsAreExplainedByShortestCyclesThatVerify) {
  Rng rng(4);
  std::map<vocab::Dialect, std::pair<cat::Model, cat::Model>> models;  // the real one, the one without axioms
  for (vocab::Dialect d : {vocab::Dialect::ptx, vocab::Dialect::vulkan, vocab::Dialect::opencl}) {
    cat::Model model = load(cat::default_model(d), d);
    cat::Model free = model;
    std::erase_if(free.axioms, [](const cat::Axiom& a) { return !a.flag; });
    models.emplace(d, std::make_pair(std::move(model), std::move(free)));
  }
  uint32_t forbidden = 0, candidates = 0, cycles = 0, longest = 0;
  for (uint32_t round = 0; round < 4000 && forbidden < 220; ++round) {
    fuzz::Program p = fuzz::generate(rng);
    auto plain = fuzz::parse(p);
    if (!plain || prog::event_count(*plain) > 7) continue;
    const auto& [model, free] = models.at(plain->dialect);
    check::Options options;
    options.engine = check::Engine::enumerate;
    Job job = Job::with_budget(0.1);
    check::Outcomes allowed = check::outcomes(*plain, model, options, job);
    check::Outcomes all = check::outcomes(*plain, free, options, job);
    if (allowed.status.status != Status::holds || all.status.status != Status::holds) continue;
    std::vector<prog::State> only;
    for (const prog::State& s : all.states.states)
      if (!allowed.states.states.contains(s)) only.push_back(s);
    if (only.empty()) continue;
    fuzz::Allowed states{all.observables, {only.begin(), only.end()}, {}};
    p.question = fuzz::choose_question(rng, states, true);
    auto test = fuzz::parse(p);
    if (!test || test->quantifier != prog::Quantifier::exists) continue;
    ExplainOptions few;
    few.search_limit = 12;
    Job own = Job::with_budget(5);
    Explained e = explain("random.litmus", *test, model, options, few, own);
    if (e.result.reachable || e.result.verdict.status != Status::fails) continue;
    ++forbidden;
    ASSERT_FALSE(e.report.text.empty());
    uint32_t here = 0;
    Job again = Job::with_budget(5);
    check::forbidden_candidates(*test, model, options, again, [&](const witness::RunResult& run, const witness::Choices&) {
      const witness::Execution& x = run.execution;
      witness::Evaluation ev = witness::evaluate(model, x);
      for (const witness::Explanation& why : witness::explain(model, x, ev, false)) {
        EXPECT_TRUE(witness::verify(model, x, ev, why));
        const cat::Axiom& a = model.axioms[why.axiom];
        if (a.kind == cat::AxiomKind::acyclic) {
          size_t shortest = brute_shortest_cycle(std::get<Relation>(ev.value[a.node]));
          EXPECT_EQ(why.cycle.size(), shortest);
          longest = std::max(longest, static_cast<uint32_t>(shortest));
          ++cycles;
        }
      }
      ++candidates;
      return ++here < 4;
    });
    EXPECT_GT(here, 0u) << e.report.text;
  }
  EXPECT_GE(forbidden, 200u);
  EXPECT_GE(candidates, 300u);
  EXPECT_GE(cycles, 100u);
  EXPECT_GE(longest, 2u);
}

// The grammar of mcompare7's lexer (herdtools7, tools/lexLog_tools.mll) as regular expressions.
void expect_herd_log(const std::string& text) {
  std::istringstream in(text);
  std::string line;
  auto next = [&] { return static_cast<bool>(std::getline(in, line)); };
  std::smatch m;
  ASSERT_TRUE(next());
  ASSERT_TRUE(std::regex_match(line, std::regex("Test [A-Za-z0-9_/.\\-+\\[\\]:]+ (Allowed|Required|Forbidden)"))) << line;
  ASSERT_TRUE(next());
  ASSERT_TRUE(std::regex_match(line, m, std::regex("States ([0-9]+)"))) << line;
  size_t states = std::stoul(m[1]);
  std::regex state("( ?([0-9]+:[A-Za-z_.$][A-Za-z0-9_.]*|[A-Za-z_.$][A-Za-z0-9_.]*(\\[[0-9]+\\])?)=-?[0-9]+;)*");
  for (size_t k = 0; k < states; ++k) {
    ASSERT_TRUE(next());
    EXPECT_TRUE(std::regex_match(line, state)) << line;
  }
  ASSERT_TRUE(next());
  EXPECT_TRUE(line == "Ok" || line == "No" || line == "??") << line;
  ASSERT_TRUE(next());
  EXPECT_EQ(line, "Witnesses");
  ASSERT_TRUE(next());
  EXPECT_TRUE(std::regex_match(line, std::regex("Positive: [0-9]+ Negative: [0-9]+"))) << line;
  ASSERT_TRUE(next());
  while (line.starts_with("Flag "))
    if (!next()) return;
  if (line.starts_with("Condition ") && !next()) line.clear();
  EXPECT_TRUE(std::regex_match(line, std::regex("Observation [^ ]+ (Never|Sometimes|Always) [0-9]+ [0-9]+"))) << line;
  ASSERT_TRUE(next());
  EXPECT_TRUE(std::regex_match(line, std::regex("Time [^ ]+ [0-9]+\\.[0-9]+"))) << line;
}

TEST(Report, OutcomesKeepHerdsGrammar) {
  for (const char* name : {"mp-relaxed", "mp-release-acquire", "sb-fence-sc", "vulkan-race", "opencl-sb-sc", "proxy-constant"}) {
    prog::Test test = golden(name);
    cat::Model model = load(cat::default_model(test.dialect), test.dialect);
    check::Options options;
    Job job = Job::with_budget(20);
    check::Outcomes o = check::outcomes(test, model, options, job);
    std::string text = outcomes_text(test, o, 0.25);
    expect_herd_log(text);
    // Written logs can be handed to mcompare7 itself: FENCEPOST_LOGS=DIR.
    if (const char* dir = std::getenv("FENCEPOST_LOGS"))
      std::ofstream(std::string(dir) + "/log.txt", std::ios::app) << text;
  }
  prog::Test test = golden("mp-relaxed");
  test.title = "MP (all) & more";
  cat::Model model = load("ptx-7.5", test.dialect);
  Job job = Job::with_budget(20);
  std::string text = outcomes_text(test, check::outcomes(test, model, {}, job), 0);
  expect_herd_log(text);
  EXPECT_TRUE(text.starts_with("Test MP__all____more Allowed\nStates 4\n")) << text;
  EXPECT_NE(text.find("\nOk\nWitnesses\nPositive: 1 Negative: 3\nCondition exists (1:r0=1 /\\ 1:r1=0)\n"), std::string::npos) << text;
}

TEST(Report, AFreeValueIsASymbolInTheLog) {
  prog::Test test = golden("mp-relaxed");
  check::Outcomes o;
  o.observables = prog::observables(test);
  o.states.states.insert({{true, 0}, {false, 1}});
  o.status.status = Status::holds;
  EXPECT_NE(outcomes_text(test, o, 0).find("\n1:r0=any; 1:r1=1; # any: nothing fixes this value\n"), std::string::npos);
}

TEST(Report, AnIncompleteSetDecidesOnlyWhatOneExecutionDecides) {
  prog::Test test = golden("mp-relaxed");
  check::Outcomes o;
  o.observables = prog::observables(test);
  o.status.status = Status::gave_up;
  EXPECT_NE(outcomes_text(test, o, 0).find("\n??\n"), std::string::npos);   // exists, none found yet
  o.positive = 1;
  EXPECT_NE(outcomes_text(test, o, 0).find("\nOk\n"), std::string::npos);   // one found: enough
  test.quantifier = prog::Quantifier::not_exists;
  EXPECT_NE(outcomes_text(test, o, 0).find("\nNo\n"), std::string::npos);
  o.positive = 0;
  EXPECT_NE(outcomes_text(test, o, 0).find("\n??\n"), std::string::npos);
  test.quantifier = prog::Quantifier::forall;
  o.negative = 0;
  EXPECT_NE(outcomes_text(test, o, 0).find("\n??\n"), std::string::npos);
}

TEST(Report, CheckLine) {
  prog::Test test = golden("mp-release-acquire");
  cat::Model model = load("ptx-7.5", test.dialect);
  check::Options options;
  check::Result r;
  r.verdict.status = Status::fails;
  EXPECT_EQ(check_line("a/mp.litmus", test, model, options, r), "a/mp.litmus  fails  the state is not reachable");
  r.verdict = {Status::unknown, "bound 1 reached", false};
  EXPECT_EQ(check_line("mp.litmus", test, model, options, r), "mp.litmus  unknown  (bound 1 reached)");
  options.property = check::Property::races;
  r.verdict = {Status::fails, "", false};
  r.flags = {"racy"};
  EXPECT_EQ(check_line("mp.litmus", test, model, options, r), "mp.litmus  fails  flag raised: racy");
  r.verdict = {Status::holds, "", true};
  EXPECT_EQ(check_line("mp.litmus", test, model, options, r), "mp.litmus  holds  no data race  (vacuous: the program has no execution)");
}

TEST(Report, JsonHasItsFields) {
  prog::Test test = golden("mp-release-acquire");
  cat::Model model = load("ptx-7.5", test.dialect);
  check::Options options;
  Job job = Job::with_budget(20);
  Explained e = explain("mp.litmus", test, model, options, {}, job);
  nlohmann::json j = nlohmann::json::parse(e.report.json);
  EXPECT_EQ(j["schema"], "fencepost.explain/1");
  EXPECT_EQ(j["verdict"], "fails");
  ASSERT_EQ(j["candidates"]["list"].size(), 1u);
  const auto& why = j["candidates"]["list"][0]["rejected_by"][0];
  EXPECT_EQ(why["axiom"], "causality");
  EXPECT_EQ(why["brief"], "a -po-> b -synchronizes-> c -po-> d -fr-> a");
  EXPECT_FALSE(why["edges"][0]["because"].empty());
  prog::Test relaxed = golden("mp-relaxed");
  Job job2 = Job::with_budget(20);
  check::Result r = check::check(relaxed, model, options, job2);
  j = nlohmann::json::parse(check_json("mp.litmus", relaxed, model, options, r));
  EXPECT_EQ(j["schema"], "fencepost.check/1");
  EXPECT_EQ(j["verdict"], "holds");
  EXPECT_EQ(j["execution"]["final"], "1:r0=1; 1:r1=0;");
  EXPECT_EQ(j["execution"]["events"].size(), 6u);
  Job job3 = Job::with_budget(20);
  j = nlohmann::json::parse(outcomes_json("mp.litmus", relaxed, model, check::outcomes(relaxed, model, options, job3), 0.5));
  EXPECT_EQ(j["schema"], "fencepost.outcomes/1");
  EXPECT_EQ(j["states"].size(), 4u);
  EXPECT_EQ(j["complete"], true);
}

TEST(Report, WitnessFilesByEnding) {
  prog::Test test = golden("mp-relaxed");
  cat::Model model = load("ptx-7.5", test.dialect);
  check::Options options;
  Job job = Job::with_budget(20);
  check::Result r = check::check(test, model, options, job);
  Report report = witness("mp.litmus", test, model, options, r);
  std::string dir = testing::TempDir();
  auto head = [&](const std::string& ending) {
    auto written = write_report(dir + "/w" + ending, report);
    EXPECT_TRUE(written);
    std::ifstream in(dir + "/w" + ending);
    std::string line;
    std::getline(in, line);
    std::filesystem::remove(dir + "/w" + ending);
    return line;
  };
  EXPECT_TRUE(head(".svg").starts_with("<svg "));
  EXPECT_TRUE(head(".dot").starts_with("digraph "));
  EXPECT_EQ(head(".json"), "{");
  EXPECT_EQ(head(".txt"), "mp-relaxed");
  EXPECT_FALSE(write_report(dir + "/w.png", report));
  EXPECT_FALSE(write_report(dir + "/no/such/folder/w.svg", report));
  EXPECT_FALSE(write_report(dir + "/w.svg", Report{}));
  check::Result none;
  EXPECT_TRUE(witness("mp.litmus", test, model, options, none).text.empty());
}

}  // namespace
}  // namespace fencepost::report
