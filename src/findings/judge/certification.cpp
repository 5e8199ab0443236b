#include "judge/certification.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace fencepost::judge {
namespace {

// From the worst. A test that passed under one configuration has passed, though it was silent under another.
int place(Conforms c) {
  switch (c) {
    case Conforms::failed:
      return 0;
    case Conforms::open:
      return 1;
    case Conforms::silent:
      return 2;
    case Conforms::passed:
      return 3;
  }
  return 1;
}

void join(TestVerdict& t, const ConformanceRow& r) {
  const bool settled = t.verdict == Conforms::silent && r.verdict == Conforms::passed;
  if (settled || (place(r.verdict) < place(t.verdict) && r.verdict != Conforms::silent)) {
    t.verdict = r.verdict;
    t.reason = r.reason;
  }
  t.instances += r.instances;
  t.bound = std::min(t.bound, r.bound);
  t.confidence = std::max(t.confidence, r.confidence);
}

// A mutant was seen if it was under any configuration.
Mutants mutants_of(const Judged& judged, const std::string& test) {
  std::map<std::string, std::pair<bool, bool>> of;  // title -> ran, killed
  for (const Judgement& j : judged.list) {
    if (j.condition != Allowed::yes || !j.seen.test.title.starts_with(test + "--")) continue;
    auto& [ran, killed] = of[j.seen.test.title];
    ran |= j.seen.instances > 0;
    killed |= j.positive > 0;
  }
  Mutants m;
  for (const auto& [title, seen] : of) {
    ++m.allowed;
    m.ran += seen.first;
    m.killed += seen.second;
  }
  return m;
}

std::string plural(size_t n, const char* one, const char* many) { return fmt::format("{} {}", n, n == 1 ? one : many); }

}  // namespace

const char* name(Grade g) {
  switch (g) {
    case Grade::pass:
      return "PASS";
    case Grade::fail:
      return "FAIL";
    case Grade::incomplete:
      return "INCOMPLETE";
  }
  return "";
}

int Certification::exit_code() const { return grade == Grade::pass ? 0 : grade == Grade::fail ? 1 : 3; }

Certification certification(const Judged& judged, Provenance of, std::vector<NotRun> not_run) {
  Certification c;
  c.conformance = conformance(judged);
  std::ranges::sort(not_run, {}, &NotRun::test);
  std::set<std::string> excused;  // that the device cannot run
  for (const NotRun& n : not_run)
    if (!n.supported) excused.insert(n.test);
  std::erase_if(c.conformance.owed, [&](const Owed& o) { return excused.contains(o.test); });
  c.not_run = std::move(not_run);

  std::map<std::string, TestVerdict> tests;
  for (const ConformanceRow& r : c.conformance.rows) {
    const auto [it, first] = tests.try_emplace(r.test);
    TestVerdict& t = it->second;
    if (first) t = {r.test, r.verdict, r.reason, 0, 1, mutants_of(judged, r.test), 0};
    join(t, r);
  }
  size_t failed = 0, open = 0, silent = 0, passed = 0, killed = 0, allowed = 0, lost = 0;
  for (auto& [title, t] : tests) {
    ++(t.verdict == Conforms::failed   ? failed
       : t.verdict == Conforms::open   ? open
       : t.verdict == Conforms::silent ? silent
                                       : passed);
    killed += t.mutants.killed;
    allowed += t.mutants.allowed;
    c.tests.push_back(std::move(t));
  }
  std::ranges::stable_sort(c.tests, {}, [](const TestVerdict& t) { return place(t.verdict); });
  for (const NotRun& n : c.not_run) lost += n.supported;

  for (const Judgement& j : judged.list) {
    of.instances += j.seen.instances;
    of.seconds += j.seen.seconds;
    if (of.driver.empty()) of.driver = j.seen.driver;
    if (!j.seen.device.empty()) of.device = j.seen.device;
    if (of.model.empty()) of.model = j.model;
  }
  c.of = std::move(of);

  if (failed > 0) {
    c.grade = Grade::fail;
    c.why.push_back(fmt::format("{} showed what {} forbids.", plural(failed, "test", "tests"), c.of.model));
  } else if (c.tests.empty()) {
    c.why.push_back("No test of the suite ran.");
  } else if (!c.conformance.owed.empty()) {
    c.why.push_back(fmt::format("The suite is not over: {} missing or too short. The same command goes on with it.",
                                plural(c.conformance.owed.size(), "run is", "runs are")));
  } else if (lost > 0) {
    c.why.push_back(fmt::format("{} did not run though the device supports what is needed.",
                                plural(lost, "test or mutant", "tests and mutants")));
  } else if (open > 0) {
    c.why.push_back(fmt::format("{} not decided.", plural(open, "test is", "tests are")));
  } else if (killed == 0) {
    c.why.push_back(
        "None of the mutants was seen: the stress shows nothing weak on this device, so that nothing forbidden was "
        "seen "
        "proves nothing. A longer --budget may help.");
  } else {
    c.grade = Grade::pass;
    c.why.push_back(
        fmt::format("Nothing that {} forbids was seen in {}, and {} of {} mutants were seen under the same "
                    "stress.",
                    c.of.model, plural(c.tests.size(), "test", "tests"), killed, allowed));
  }
  if (silent > 0)
    c.why.push_back(fmt::format("{} silent: none of {} mutants was seen, so {} worth little.",
                                plural(silent, "test is", "tests are"), silent == 1 ? "its" : "their",
                                silent == 1 ? "its pass is" : "their passes are"));
  if (!excused.empty())
    c.why.push_back(fmt::format("{} not supported by the device and did not run.",
                                plural(excused.size(), "test or mutant is", "tests and mutants are")));
  return c;
}

std::string to_text(const Certification& c) {
  std::string out = fmt::format("{}  {}\n", name(c.grade), c.of.device);
  for (const std::string& w : c.why) out += "  " + w + "\n";
  const auto row = [&](const char* what, const std::string& value) {
    if (!value.empty()) out += fmt::format("{:<10} {}\n", what, value);
  };
  out += "\n";
  row("driver", c.of.driver);
  row("model", c.of.model);
  row("suite", fmt::format("{}: {} tests, {} mutants, hash {}", c.of.suite, c.of.tests, c.of.mutants, c.of.suite_hash));
  row("ran", fmt::format("{} instances in {:.3g} s, seed {}, plan {}", c.of.instances, c.of.seconds, c.of.seed,
                         c.of.plan_hash));
  row("store", c.of.store);
  row("by", fmt::format("{}, {}", c.of.version, c.of.date));
  out += "\n";
  for (const TestVerdict& t : c.tests) {
    out += fmt::format("{:<7} {}: ", name(t.verdict), t.test);
    if (t.verdict == Conforms::failed || t.verdict == Conforms::open)
      out += t.reason + "\n";
    else
      out += fmt::format("never in {} instances, rate below {:.2g}; {} of {} mutants seen\n", t.instances, t.bound,
                         t.mutants.killed, t.mutants.allowed);
  }
  for (const NotRun& n : c.not_run)
    out += fmt::format("{} {}: {}\n", n.supported ? "lost   " : "not supported", n.test, n.why);
  return out;
}

std::string to_json(const Certification& c) {
  using Json = nlohmann::ordered_json;
  Json tests = Json::array(), not_run = Json::array();
  for (const TestVerdict& t : c.tests)
    tests.push_back({{"test", t.test},
                     {"verdict", name(t.verdict)},
                     {"reason", t.reason},
                     {"instances", t.instances},
                     {"bound", t.bound},
                     {"mutants_allowed", t.mutants.allowed},
                     {"mutants_seen", t.mutants.killed},
                     {"confidence", t.confidence}});
  for (const NotRun& n : c.not_run) not_run.push_back({{"test", n.test}, {"why", n.why}, {"supported", n.supported}});
  Json missing = Json::array();
  for (const Owed& o : c.conformance.owed)
    missing.push_back({{"test", o.test}, {"configuration", o.configuration}, {"instances", o.instances}});
  const Json out = {{"schema", "fencepost.certification/1"},
                    {"grade", name(c.grade)},
                    {"why", c.why},
                    {"provenance",
                     {{"version", c.of.version},
                      {"date", c.of.date},
                      {"device", c.of.device},
                      {"driver", c.of.driver},
                      {"suite", c.of.suite},
                      {"suite_hash", c.of.suite_hash},
                      {"tests", c.of.tests},
                      {"mutants", c.of.mutants},
                      {"model", c.of.model},
                      {"plan_hash", c.of.plan_hash},
                      {"store", c.of.store},
                      {"seed", c.of.seed},
                      {"instances", c.of.instances},
                      {"seconds", c.of.seconds}}},
                    {"tests", std::move(tests)},
                    {"not_run", std::move(not_run)},
                    {"missing", std::move(missing)}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fencepost::judge
