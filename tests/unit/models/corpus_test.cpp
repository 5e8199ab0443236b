// Every line of every bundled .expect, decided by both engines; and what the bundled tests are as texts.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "base/source.h"
#include "cat/library.h"
#include "check/check.h"
#include "check/progress_option.h"
#include "expectations.h"
#include "print/litmus.h"
#include "prog/test.h"
#include "read/read.h"

namespace fencepost {
namespace {

const std::vector<corpus::Case>& cases() {
  static const std::vector<corpus::Case> k = corpus::bundled(FENCEPOST_SOURCE_DIR);
  return k;
}

const cat::Model* model(const std::string& name, vocab::Dialect d) {
  static std::map<std::pair<std::string, vocab::Dialect>, Expected<cat::Model>> loaded;
  auto it = loaded.find({name, d});
  if (it == loaded.end()) it = loaded.emplace(std::pair{name, d}, cat::load_model(name, d)).first;
  if (it->second) return &*it->second;
  ADD_FAILURE() << render(it->second.error());
  return nullptr;
}

std::string at(const corpus::Case& c, const corpus::Line& l) {
  return std::filesystem::relative(c.expect, FENCEPOST_SOURCE_DIR).string() + ":" + std::to_string(l.number) + ": " +
         l.model + " " + l.property;
}

TEST(Corpus, IsLargeEnough) {
  size_t lines = 0;
  for (const auto& c : cases()) lines += c.lines.size();
  EXPECT_GE(cases().size(), 150u);
  EXPECT_GE(lines, 600u);
}

TEST(Corpus, EveryLineIsWellFormedAndHasAReason) {
  const std::set<std::string> verdicts = {"holds", "fails", "unknown"};
  for (const auto& c : cases()) {
    EXPECT_FALSE(c.lines.empty()) << c.expect;
    std::set<std::pair<std::string, std::string>> seen;
    for (const auto& l : c.lines) {
      EXPECT_FALSE(l.model.empty()) << at(c, l) << "a line is: model property verdict # provenance";
      EXPECT_TRUE(l.property == "condition" || l.property == "races" || l.property.starts_with("termination["))
          << at(c, l);
      EXPECT_TRUE(verdicts.contains(l.verdict)) << at(c, l);
      EXPECT_GT(l.provenance.size(), 3u) << at(c, l) << ": say why";
      EXPECT_TRUE(seen.insert({l.model, l.property}).second) << at(c, l) << ": said twice";
    }
  }
}

TEST(Corpus, ParsePrintParseIsTheIdentity) {
  for (const auto& c : cases()) {
    auto tests = read::parse_file(c.litmus);
    ASSERT_TRUE(tests) << render(tests.error());
    for (const prog::Test& t : *tests) {
      const std::string text = print::print(t);
      auto again = read::parse_one(make_source("printed.litmus", text));
      ASSERT_TRUE(again) << c.litmus << "\n" << text << render(again.error());
      EXPECT_EQ(*again, t) << c.litmus << "\n" << text;
    }
  }
}

// Weak memory matters for liveness: at least 40 bundled tests end under sequential consistency and need not under the
// model of their dialect, for some of six progress models, and say what holds for all six. Their lines are decided
// below.
TEST(Corpus, FortyTestsWhereSequentialConsistencyAndTheModelDisagreeOnTermination) {
  size_t disagree = 0;
  for (const auto& c : cases()) {
    std::map<std::string, std::map<std::string, std::string>> by_model;
    for (const auto& l : c.lines)
      if (l.property.starts_with("termination[")) by_model[l.model][l.property] = l.verdict;
    const auto sc = by_model.find("sc");
    if (sc == by_model.end() || sc->second.size() != 6) continue;
    bool differs = false;
    for (const auto& [name, verdicts] : by_model)
      differs = differs || (name != "sc" && verdicts.size() == 6 && verdicts != sc->second);
    disagree += differs ? 1 : 0;
  }
  EXPECT_GE(disagree, 40u);
}

// As `fencepost expect` does it: as many iterations as it takes.
void expect_termination(const prog::Test& test, const cat::Model& m, const corpus::Case& c, const corpus::Line& l) {
  check::Options options;
  options.property = check::Property::termination;
  options.auto_bound = true;
  const auto progress = check::parse_progress(l.property.substr(12, l.property.size() - 13), test.dialect);
  ASSERT_TRUE(progress) << at(c, l) << render(progress.error());
  options.progress = *progress;
  for (const check::Engine e : {check::Engine::automatic, check::Engine::both}) {
    options.engine = e;
    // That strong fairness ends a loop which writes is known by the states of the test alone (reference/strong.h), and
    // the engines that look for lassos say unknown, at every bound, and never another verdict.
    const bool by_states = e == check::Engine::both && progress->name.starts_with("strong:") && l.verdict == "holds";
    if (by_states) {
      options.auto_bound = false;
      options.bound = 2;
    }
    Job job = Job::with_budget(20);
    const check::Result r = check::check(test, m, options, job);
    if (by_states && r.verdict.status == Status::unknown) {
      EXPECT_NE(r.verdict.detail.find("whether strong fairness ends them"), std::string::npos) << r.verdict.detail;
      continue;
    }
    EXPECT_EQ(name(r.verdict.status), l.verdict)
        << at(c, l) << " " << check::name(e) << " " << r.verdict.detail << " #" << l.provenance;
    EXPECT_EQ(r.verdict.status == Status::fails, r.lasso.has_value()) << at(c, l);
  }
}

TEST(Corpus, BothEnginesGiveTheExpectedVerdict) {
  check::Options options;
  options.engine = check::Engine::both;
  Job job;
  size_t decided = 0;
  for (const auto& c : cases()) {
    auto test = read::parse_file(c.litmus);
    ASSERT_TRUE(test) << render(test.error());
    for (const auto& l : c.lines) {
      const cat::Model* m = model(l.model, test->front().dialect);
      ASSERT_NE(m, nullptr) << at(c, l);
      if (l.property.starts_with("termination[")) {
        expect_termination(test->front(), *m, c, l);
        ++decided;
        continue;
      }
      options.property = l.property == "races" ? check::Property::races : check::Property::condition;
      const check::Result r = check::check(test->front(), *m, options, job);
      EXPECT_EQ(name(r.verdict.status), l.verdict) << at(c, l) << " " << r.verdict.detail << " #" << l.provenance;
      ++decided;
    }
  }
  RecordProperty("verdicts", static_cast<int>(decided));
}

}  // namespace
}  // namespace fencepost
