// Reports of random programs: explanations of what the models reject hold word by word, outcomes keep herd's grammar,
// JSON has its fields, files go where their ending says.
#include "report/report.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "cat/library.h"
#include "prog/test.h"
#include "read/read.h"
#include "report/naming.h"

namespace fencepost::report {
namespace {

cat::Model load(const std::string& name, vocab::Dialect d) {
  auto m = cat::load_model(name, d);
  EXPECT_TRUE(m) << render(m.error());
  return std::move(*m);
}

prog::Test parse(const std::string& name, const std::string& text) {
  auto t = read::parse_one(make_source(name, text));
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

// A small random program, without its question. Every choice is counted, so that the test takes the same path on every
// machine whatever its speed.
std::string random_program(Rng& rng, vocab::Dialect d) {
  bool ptx = d == vocab::Dialect::ptx;
  uint32_t threads = 2 + static_cast<uint32_t>(rng.below(2));
  std::vector<std::string> ptx_scopes = {"cta", "gpu", "gpu", "sys"}, vulkan_scopes = {"wg", "qf", "dv", "dv"};
  std::vector<std::string> head, rows(3);
  for (uint32_t t = 0; t < threads; ++t) {
    head.push_back(ptx ? fmt::format("P{}@cta {},gpu 0", t, rng.below(2))
                       : fmt::format("P{}@sg 0,wg {},qf 0", t, rng.below(2)));
    uint32_t regs = 0;
    for (uint32_t row = 0; row < 3; ++row) {
      std::string x(1, static_cast<char>('x' + rng.below(2))), i, scope = rng.pick(ptx ? ptx_scopes : vulkan_scopes);
      bool fence = row == 1;
      if (fence && rng.chance(0.6)) {
        i = ptx ? fmt::format("fence.{}.{}", rng.chance(0.5) ? "sc" : "acq_rel", scope)
                : fmt::format("membar.acq_rel.{}.semsc0.semav.semvis", scope);
      } else if (rng.chance(0.5)) {
        const char* orders[] = {"weak", "relaxed", "release"};
        std::string o = orders[rng.below(3)];
        i = ptx              ? fmt::format("st.{}{} {}, {}", o, o == "weak" ? "" : "." + scope, x, 1 + rng.below(2))
            : o == "weak"    ? fmt::format("st.av.{}.sc0 {}, {}", scope, x, 1 + rng.below(2))
            : o == "relaxed" ? fmt::format("st.atom.{}.sc0 {}, {}", scope, x, 1 + rng.below(2))
                             : fmt::format("st.atom.rel.{}.sc0.semsc0 {}, {}", scope, x, 1 + rng.below(2));
      } else {
        const char* orders[] = {"weak", "relaxed", "acquire"};
        std::string o = orders[rng.below(3)];
        i = ptx              ? fmt::format("ld.{}{} r{}, {}", o, o == "weak" ? "" : "." + scope, regs, x)
            : o == "weak"    ? fmt::format("ld.vis.{}.sc0 r{}, {}", scope, regs, x)
            : o == "relaxed" ? fmt::format("ld.atom.{}.sc0 r{}, {}", scope, regs, x)
                             : fmt::format("ld.atom.acq.{}.sc0.semsc0 r{}, {}", scope, regs, x);
        ++regs;
      }
      rows[row] += (t == 0 ? " " : " | ") + i;
    }
  }
  std::string out = fmt::format("{} random\n{{\n x = 0;\n y = 0;\n}}\n", ptx ? "PTX" : "VULKAN");
  for (uint32_t t = 0; t < threads; ++t) out += (t == 0 ? " " : " | ") + head[t];
  out += " ;\n";
  for (const std::string& row : rows) out += row + " ;\n";
  return out;
}

// Asked for states that only the model without axioms reaches.
TEST(Report, RandomForbiddenTestsAreExplainedByShortestCyclesThatVerify) {
  Rng rng(4);
  uint32_t forbidden = 0, candidates = 0, cycles = 0, loops = 0, others = 0, longest = 0;
  for (vocab::Dialect d : {vocab::Dialect::ptx, vocab::Dialect::vulkan}) {
    cat::Model model = load(cat::default_model(d), d);
    cat::Model free = model;
    std::erase_if(free.axioms, [](const cat::Axiom& a) { return !a.flag; });
    check::Options options;
    options.engine = check::Engine::enumerate;
    for (uint32_t found = 0, round = 0; found < 110 && round < 2000; ++round) {
      std::string text = random_program(rng, d);
      prog::Test plain = parse("random.litmus", text);
      uint32_t writes[2] = {0, 0};
      for (uint32_t t = 0; t < plain.threads.size(); ++t)
        for (const prog::Instr& i : plain.instrs(t))
          if (i.kind == prog::Kind::store) ++writes[i.addr.symbol % 2];
      if (writes[0] > 2 || writes[1] > 2) continue;  // keeps the number of orders small
      Job job;
      check::Outcomes allowed = check::outcomes(plain, model, options, job),
                      all = check::outcomes(plain, free, options, job);
      ASSERT_TRUE(allowed.states.complete && all.states.complete);
      std::vector<prog::State> only;
      for (const prog::State& s : all.states.states)
        if (!allowed.states.states.contains(s)) only.push_back(s);
      if (only.empty()) continue;
      const prog::State& state = rng.pick(only);
      std::string condition;
      for (size_t k = 0; k < state.size(); ++k)
        condition += fmt::format("{}{}{} == {}", k == 0 ? "" : " /\\ ", all.observables[k].is_register ? "P" : "",
                                 all.observables[k].text, state[k].value);
      prog::Test test = parse("random.litmus", text + "exists\n(" + condition + ")\n");
      ++found;
      ++forbidden;
      ExplainOptions few;
      few.search_limit = 12;
      Explained e = explain("random.litmus", test, model, options, few, job);
      ASSERT_EQ(e.result.verdict.status, Status::fails) << text << condition;
      ASSERT_NE(e.report.text.find("rejected by axiom"), std::string::npos) << e.report.text;
      uint32_t here = 0;
      check::forbidden_candidates(
          test, model, options, job, [&](const reference::RunResult& run, const reference::Choices&) {
            const reference::Execution& x = run.execution;
            reference::Evaluation ev = reference::evaluate(model, x);
            for (const reference::Explanation& why : reference::explain(model, x, ev, false)) {
              EXPECT_TRUE(reference::verify(model, x, ev, why));
              const cat::Axiom& a = model.axioms[why.axiom];
              if (a.kind == cat::AxiomKind::acyclic) {
                size_t shortest = brute_shortest_cycle(std::get<Relation>(ev.value[a.node]));
                EXPECT_EQ(why.cycle.size(), shortest);
                longest = std::max(longest, static_cast<uint32_t>(shortest));
              }
              ++(a.kind == cat::AxiomKind::acyclic ? cycles : a.kind == cat::AxiomKind::irreflexive ? loops : others);
            }
            ++candidates;
            return ++here < 4;
          });
      EXPECT_GT(here, 0u) << e.report.text;
    }
  }
  EXPECT_GE(forbidden, 220u);
  EXPECT_GE(candidates, 300u);
  EXPECT_GE(cycles, 50u);
  EXPECT_GE(loops, 50u);
  EXPECT_GE(others, 20u);
  EXPECT_GE(longest, 2u);
}

// The grammar of mcompare7's lexer (herdtools7, tools/lexLog_tools.mll) as regular expressions.
void expect_herd_log(const std::string& text) {
  std::istringstream in(text);
  std::string line;
  auto next = [&] { return static_cast<bool>(std::getline(in, line)); };
  std::smatch m;
  ASSERT_TRUE(next());
  ASSERT_TRUE(std::regex_match(line, std::regex("Test [A-Za-z0-9_/.\\-+\\[\\]:]+ (Allowed|Required|Forbidden)")))
      << line;
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

// Events that have no line of their own are told by the instruction, and mbarriers by their phase.
TEST(Report, PartsOfAsynchronousOperationsAreNamed) {
  auto t = read::parse_file(std::string(FENCEPOST_SOURCE_DIR) + "/examples/ptx9/bulk+mbarrier.litmus");
  ASSERT_TRUE(t && t->size() == 1);
  const auto m = cat::load_model("ptx-9", vocab::Dialect::ptx);
  ASSERT_TRUE(m.has_value());
  prog::Test test = t->front();
  test.condition = {};
  test.condition.kind = prog::Cond::Kind::always;
  Job job = Job::with_budget(60);
  check::Options o;
  const check::Result r = check::check(test, *m, o, job);
  ASSERT_EQ(r.verdict.status, Status::holds);
  const std::string text = witness("t", test, *m, o, r).text;
  EXPECT_EQ(text.find("lshr"), std::string::npos) << text;
  EXPECT_NE(text.find("1 of 1 pending, tx 0"), std::string::npos) << text;
  EXPECT_NE(text.find("[m]  (its signal, written)"), std::string::npos) << text;
  EXPECT_NE(text.find("[m]  (its write)"), std::string::npos) << text;
}

std::string explained(const std::string& name, const std::string& model_name = "ptx-9") {
  const auto tests = read::parse_file(std::string(FENCEPOST_SOURCE_DIR) + "/examples/ptx9/" + name + ".litmus");
  EXPECT_TRUE(tests.has_value()) << name;
  const cat::Model model = load(model_name, vocab::Dialect::ptx);
  Job job = Job::with_budget(60);
  ExplainOptions options;
  options.max_candidates = 3;
  return explain(name, tests->front(), model, {}, options, job).report.text;
}

// The sections of the ISA that decide: causality, proxy fences, completion, phases of mbarriers. `lines`: regular
// expressions of lines, each of which must be there; `never`: none of which may be.
TEST(Report, ExplanationsNameTheSectionsOfTheDocument) {
  struct Row {
    const char* test;
    const char* model;
    std::vector<std::string> lines, never;
  };
  const std::string phase = " +9\\.7\\.15\\.16\\.8 +[a-z] +the phase of m that it waits for is ";
  const Row rows[] = {
      // Forbidden: a rendezvous by mbarrier.
      {"MP+mbarrier",
       "ptx-9",
       {" +8\\.10\\.6 +a read sees no write that causality has overwritten.*",
        " +8\\.9\\.5 +a -> f +proxy-preserved: same address.*", " +8\\.9\\.4 +c -> e +synchronizes: .*",
        " +8\\.8 +c +release pattern 1.*", " +9\\.7\\.15\\.16\\.19 +d -> e +acquire pattern 1.*",
        phase + "complete: c left no arrival and .*"},
       {".*give no order.*", ".*9\\.7\\.15\\.4.*"}},
      // Forbidden: completion by a group, and a proxy fence of two directions.
      {"bulk-store+writer-fences",
       "ptx-9",
       {" +9\\.7\\.10\\.28\\.1\\.1 +f -> h +a wait for its group .*",
        " +9\\.7\\.10\\.28\\.2 +f +an implicit proxy fence .*",
        " +9\\.7\\.15\\.4, 8\\.9\\.5 +a -> e +a proxy fence of two directions .*",
        " +8\\.9\\.4 +c -> d +a barrier of the CTA .*"},
       {".*give no order.*"}},
      // Forbidden: completion by an mbarrier.
      {"bulk+mbarrier",
       "ptx-9",
       {" +8\\.9\\.1\\.1 +[a-z] -> [a-z] +parts of one asynchronous operation.*", phase + "complete: .*"},
       {".*give no order.*"}},
      {"one-way+both",
       "ptx-9",
       {" +9\\.7\\.15\\.4, 8\\.9\\.5 +[a-z] -> [a-z] +a releasing and an acquiring proxy fence .*"},
       {}},
      {"cp.async.mbarrier.arrive.noinc",
       "ptx-9",
       {" +9\\.7\\.15\\.16\\.18 +[a-z] -> [a-z] +the arrival of cp\\.async\\.mbarrier.*"},
       {}},
      {"MP+barrier.cluster",
       "ptx-9",
       {" +8\\.9\\.4, 9\\.7\\.15\\.3 +[a-z] -> [a-z] +barrier\\.cluster\\.arrive .*"},
       {}},
      {"ISA+restricted-release-of-mbarrier",
       "ptx-9",
       {" +9\\.7\\.15\\.4 +[a-z] -> [a-z] +fences that cover some objects .*"},
       {}},
      // Allowed: the same without the fence, and under the reading that knows no proxy fences.
      {"bulk-store+barrier",
       "ptx-9",
       {" +8\\.9\\.5 +a -po-> b -sync_barrier-> c -po-> d -fr-> a"},
       {" +8\\.9\\.1\\.1 .*"}},
      {"bulk-store+writer-fences",
       "ptx-9[P2=strict]",
       {" +8\\.9\\.5 +a -po-> c -sync_barrier-> d -po-> e -fr-> a"},
       {}},
      // Allowed: what stands before a copy is not told of by its completion.
      {"bulk-does-not-carry",
       "ptx-9",
       {" +8\\.9\\.1\\.1 +a -po-> e -synchronizes-> i -po-> j -fr-> a", phase + "complete: g left .*"},
       {" +8\\.9\\.5 .*"}},
      // Allowed: a relaxed wait acquires nothing.
      {"bulk+relaxed-wait", "ptx-9", {" +8\\.8 +.*-rf->.*-fr->.*"}, {}},
      {"pipeline-no-fence", "ptx-9", {" +8\\.9\\.5 +.*-rf->.*-synchronizes->.*"}, {}},
      {"cp.async-no-wait", "ptx-9", {" +8\\.9\\.1\\.1 +.*-po->.*-fr->.*"}, {}},
  };
  for (const Row& row : rows) {
    const std::string text = explained(row.test, row.model);
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    const auto there = [&](const std::string& pattern) {
      const std::regex re(pattern);
      return std::any_of(lines.begin(), lines.end(), [&](const std::string& l) { return std::regex_match(l, re); });
    };
    for (const std::string& p : row.lines) EXPECT_TRUE(there(p)) << row.test << " lacks " << p << "\n" << text;
    for (const std::string& p : row.never) EXPECT_FALSE(there(p)) << row.test << " has " << p << "\n" << text;
  }
}

// A wait that fails, and one that is answered by the phase before the first.
TEST(Report, ExplanationsTellWhichPhaseAWaitSees) {
  const auto told = [](const char* arrivals, const char* parity) {
    const prog::Test test =
        parse("t.litmus", fmt::format("PTX t\n{{ m @ mbarrier P0 = {}; }}\n P0@cta 0, gpu 0 | P1@cta 0, gpu 0 ;\n"
                                      " mbarrier.arrive.shared::cta.b64 _, [m] | "
                                      "mbarrier.test_wait.parity.shared::cta.b64 r0, [m], {} ;\n"
                                      "forall (P1:r0 = 2)",
                                      arrivals, parity));
    Job job = Job::with_budget(60);
    check::Options o;
    return explain("t", test, load("ptx-9", vocab::Dialect::ptx), o, {}, job).report.text;
  };
  EXPECT_NE(told("2", "0").find("the phase of m that it waits for is not complete: it sees (phase 0, "),
            std::string::npos);
  EXPECT_NE(told("2", "1").find("it waits for the phase before the first of m, which counts as complete"),
            std::string::npos);
}

// Every clause is of a definition or axiom of the model, and every withheld order is an expression of it, whatever the
// answers to its questions.
TEST(Report, ClausesOfModelsAreTheirs) {
  const cat::Model model = load("ptx-9", vocab::Dialect::ptx);
  const auto clauses = cat::clauses_of(model.path);
  ASSERT_GE(clauses.size(), 30u);
  for (const cat::Axiom& a : model.axioms)
    if (place_of(a.span).starts_with("ptx-9.cat"))
      EXPECT_TRUE(std::any_of(clauses.begin(), clauses.end(), [&](const cat::Clause& c) { return c.name == a.name; }))
          << a.name;
  for (const char* name : {"ptx-9", "ptx-9[P2=strict]", "ptx-9[A2=ordered,SC=no]"}) {
    const auto flags = cat::with_withheld_flags(load(name, vocab::Dialect::ptx));
    ASSERT_TRUE(flags.has_value()) << name << render(flags.error());
    EXPECT_EQ(flags->axioms.size(), model.axioms.size() + cat::withheld_of(model.path).size());
  }
  EXPECT_TRUE(cat::clauses_of(load("ptx-7.5", vocab::Dialect::ptx).path).empty());
}

TEST(Report, OutcomesKeepHerdsGrammar) {
  for (const char* name :
       {"mp-relaxed", "mp-release-acquire", "sb-fence-sc", "vulkan-race", "opencl-sb-sc", "proxy-constant"}) {
    prog::Test test = golden(name);
    cat::Model model = load(cat::default_model(test.dialect), test.dialect);
    check::Options options;
    Job job = Job::with_budget(20);
    check::Outcomes o = check::outcomes(test, model, options, job);
    std::string text = outcomes_text(test, o, 0.25, "ptx-7.5");
    EXPECT_NE(text.find("\nModel=ptx-7.5\n"), std::string::npos);
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
  EXPECT_NE(
      text.find("\nOk\nWitnesses\nPositive: 1 Negative: 3\nFlag data-race\nCondition exists (1:r0=1 /\\ 1:r1=0)\n"),
      std::string::npos)
      << text;
}

TEST(Report, AFreeValueIsASymbolInTheLog) {
  prog::Test test = golden("mp-relaxed");
  check::Outcomes o;
  o.observables = prog::observables(test);
  o.states.states.insert({{true, 0}, {false, 1}});
  o.status.status = Status::holds;
  EXPECT_NE(outcomes_text(test, o, 0).find("\n1:r0=any; 1:r1=1; # any: nothing fixes this value\n"), std::string::npos);
  check::ThinAirOfList air;
  air.said = check::Beside::Said::yes;
  air.states = o.states.states;
  EXPECT_NE(outcomes_text(test, o, 0, "", air)
                .find("\n1:r0=any; 1:r1=1; # any: nothing fixes this value; out of thin air alone\n"),
            std::string::npos);
}

TEST(Report, StatesAndFlagsOutOfThinAirHaveARemark) {
  prog::Test test = golden("mp-relaxed");
  const cat::Model model = load("ptx-7.5", test.dialect);
  check::Outcomes o;
  o.observables = prog::observables(test);
  o.states.states = {{{false, 0}, {false, 1}}, {{false, 1}, {false, 1}}};
  o.findings = {"data-race", "other"};
  check::ThinAirOfList air;
  air.said = check::Beside::Said::yes;
  air.states.insert({{false, 1}, {false, 1}});
  air.flags = {"data-race"};
  const std::string text = outcomes_text(test, o, 0, "", air);
  EXPECT_NE(text.find("\n1:r0=0; 1:r1=1;\n1:r0=1; 1:r1=1; # out of thin air alone\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nFlag data-race # out of thin air alone\nFlag other\n"), std::string::npos) << text;
  const auto json = nlohmann::json::parse(outcomes_json("t", test, model, o, 0, air));
  EXPECT_EQ(json["thin_air"], "yes");
  EXPECT_EQ(json["flags_thin_air"], nlohmann::json::parse("[\"data-race\"]"));
  EXPECT_FALSE(json["states"][0].contains("thin_air"));
  EXPECT_EQ(json["states"][1]["thin_air"], true);
}

TEST(Report, AnIncompleteSetDecidesOnlyWhatOneExecutionDecides) {
  prog::Test test = golden("mp-relaxed");
  check::Outcomes o;
  o.observables = prog::observables(test);
  o.status.status = Status::gave_up;
  EXPECT_NE(outcomes_text(test, o, 0).find("\n??\n"), std::string::npos);  // exists, none found yet
  o.positive = 1;
  EXPECT_NE(outcomes_text(test, o, 0).find("\nOk\n"), std::string::npos);  // one found: enough
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
  EXPECT_EQ(check_line("a/mp.litmus", test, model, options, r),
            "a/mp.litmus  fails  the state is not reachable  under ptx-7.5");
  r.verdict = {Status::unknown, "bound 1 reached", false};
  EXPECT_EQ(check_line("mp.litmus", test, model, options, r), "mp.litmus  unknown  (bound 1 reached)  under ptx-7.5");
  options.property = check::Property::races;
  r.verdict = {Status::fails, "", false};
  r.flags = {"racy"};
  EXPECT_EQ(check_line("mp.litmus", test, model, options, r), "mp.litmus  fails  flag raised: racy  under ptx-7.5");
  r.verdict = {Status::holds, "", true};
  EXPECT_EQ(check_line("mp.litmus", test, model, options, r),
            "mp.litmus  vacuous  no data race  (no execution of the program ends)  under ptx-7.5");
}

TEST(Report, LaunchAndBoundStandBesideTheVerdict) {
  const auto line = [](const prog::Test& test, const std::string& model_name, uint32_t bound, check::Engine engine) {
    cat::Model model = load(model_name, test.dialect);
    check::Options options;
    options.bound = bound;
    options.engine = engine;
    Job job = Job::with_budget(20);
    return check_line("t", test, model, options, check::check(test, model, options, job));
  };
  const prog::Test shader =
      parse("t.comp",
            "#version 450\n// @Config: 2, 1, 3\n// @Output: forall (x == 1)\nlayout(local_size_x = 2) "
            "in;\nlayout(binding = 0) buffer B { uint x; };\nvoid main() { atomicExchange(x, 1u); }\n");
  const std::string loop =
      "PTX loop\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n LC00: | st.weak x, 1 ;\n ld.weak r0, x | ;\n bne r0, "
      "1, "
      "LC00 | ;\n";
  for (const check::Engine e : {check::Engine::solve, check::Engine::enumerate}) {
    EXPECT_NE(line(shader, "vulkan", 1, e).find("  under vulkan, launch 2.1.3\n"), std::string::npos)
        << line(shader, "vulkan", 1, e);
    const auto ends = [&](const std::string& question, const std::string& end) {
      const std::string said = line(parse("t.litmus", loop + question), "ptx-7.5", 2, e);
      EXPECT_TRUE(said.ends_with(end)) << said;
    };
    ends("exists (P0:r0 = 1)", "under ptx-7.5, bound 2");
    ends("exists (P0:r0 = 2)", "under ptx-7.5, bound 2 not reached");
  }
}

TEST(Report, WhatTheFrontEndAssumesStandsBesideTheVerdict) {
  prog::Test test = golden("mp-release-acquire");
  test.assumptions = {"memory starts at 0", "loops are short", "memory starts at 0"};
  cat::Model model = load("ptx-7.5", test.dialect);
  check::Options options;
  Job job = Job::with_budget(20);
  Explained e = explain("mp.litmus", test, model, options, {}, job);
  EXPECT_NE(e.report.text.find("\nAssumes: memory starts at 0; loops are short.\n"), std::string::npos);
  const std::vector<std::string> once = {"memory starts at 0", "loops are short"};
  EXPECT_EQ(nlohmann::json::parse(e.report.json)["assumptions"], once);
  check::Result r;
  r.verdict.status = Status::fails;
  EXPECT_EQ(
      check_line("mp.litmus", test, model, options, r),
      "mp.litmus  fails  the state is not reachable  under ptx-7.5\n  assumes: memory starts at 0; loops are short");
  EXPECT_EQ(nlohmann::json::parse(check_json("mp.litmus", test, model, options, e.result))["assumptions"], once);
  Job job2 = Job::with_budget(20);
  const auto o = check::outcomes(test, model, options, job2);
  EXPECT_EQ(nlohmann::json::parse(outcomes_json("mp.litmus", test, model, o, 0.5))["assumptions"], once);
}

// What the text says of the model's document, as fields.
// Bound 1 of these loops holds no end, and two ends that justify each other need none before: what the verdict rests on
// is said, where the model does not forbid it and there are two loops.
TEST(Report, EndsOfLoopsOutOfThinAirAreAnAssumption) {
  const auto said = [](const std::string& first, const std::string& model_name, uint32_t bound) {
    const prog::Test test = parse(
        "t.litmus",
        "OPENCL loops\n{}\nP0@wg 0, dev 0 (global atomic_int* x, global atomic_int* y) {\n  int r0 = 0;\n  " + first +
            " (r0 == 0) { r0 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device); }\n"
            "  atomic_store_explicit(y, 1, memory_order_relaxed, memory_scope_device);\n}\n"
            "P1@wg 1, dev 0 (global atomic_int* x, global atomic_int* y) {\n  int r1 = 0;\n"
            "  while (r1 == 0) { r1 = atomic_load_explicit(y, memory_order_relaxed, memory_scope_device); }\n"
            "  atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device);\n}\n"
            "exists (0:r0 = 1 /\\ 1:r1 = 1)\n");
    cat::Model model = load(model_name, test.dialect);
    check::Options options;
    options.bound = bound;
    Job job = Job::with_budget(20);
    const check::Result r = check::check(test, model, options, job);
    const auto json = nlohmann::json::parse(check_json("t", test, model, options, r))["assumptions"];
    const std::string line = check_line("t", test, model, options, r);
    EXPECT_EQ(json.size(), line.contains("thin air") ? 1u : 0u) << line;
    Job more = Job::with_budget(20);
    const check::Outcomes all = check::outcomes(test, model, options, more);
    const auto listed = nlohmann::json::parse(outcomes_json("t", test, model, all, 0))["assumptions"];
    EXPECT_EQ(listed.size(), all.states.complete && model_name == "opencl" && first == "while" ? 1u : 0u) << line;
    return line;
  };
  EXPECT_TRUE(
      said("while", "opencl", 1).ends_with("bound 1 not reached\n  assumes: no loop ends on a value out of thin air"));
  EXPECT_TRUE(said("while", "opencl", 2).contains("holds  the state is reachable")) << said("while", "opencl", 2);
  EXPECT_FALSE(said("while", "opencl", 2).contains("assumes"));
  EXPECT_FALSE(said("while", "sc", 1).contains("assumes"));
  EXPECT_FALSE(said("if", "opencl", 1).contains("assumes")) << "one loop";
}

TEST(Report, SectionsOfTheDocumentAreInJson) {
  const auto told = [](const std::string& name) {
    const auto tests = read::parse_file(std::string(FENCEPOST_SOURCE_DIR) + "/examples/ptx9/" + name + ".litmus");
    EXPECT_TRUE(tests) << name;
    const cat::Model model = load("ptx-9", vocab::Dialect::ptx);
    Job job = Job::with_budget(20);
    const Explained e = explain(name, tests->front(), model, {}, {}, job);
    return std::pair{e.report.text, nlohmann::json::parse(e.report.json)};
  };
  const auto [forbidden, why] = told("bulk-store+writer-fences");
  const auto& sections = why["candidates"]["list"][0]["rejected_by"][0]["sections"];
  ASSERT_EQ(sections.size(), 6u);
  for (const auto& s : sections) {
    EXPECT_NE(forbidden.find(s["section"].get<std::string>()), std::string::npos);
    EXPECT_NE(forbidden.find(s["says"].get<std::string>()), std::string::npos);
  }
  EXPECT_EQ(sections[0]["events"].size(), 0u) << "the axiom";
  EXPECT_EQ(sections[1]["events"], (std::vector<std::string>{"f", "i"}));
  EXPECT_FALSE(why.contains("withheld"));

  const auto [allowed, kept] = told("bulk-does-not-carry");
  ASSERT_EQ(kept["withheld"].size(), 1u);
  EXPECT_EQ(kept["withheld"][0]["section"], "8.9.1.1");
  EXPECT_EQ(kept["withheld"][0]["events"], (std::vector<std::string>{"j"})) << "the read that would be refuted";
  EXPECT_NE(allowed.find(kept["withheld"][0]["order"].get<std::string>()), std::string::npos);
  ASSERT_EQ(kept["phases"].size(), 1u);
  EXPECT_EQ(kept["phases"][0]["events"], (std::vector<std::string>{"h"}));
  // Models that say nothing of their document have none of these.
  prog::Test older = golden("mp-release-acquire");
  Job job = Job::with_budget(20);
  const Explained e = explain("mp.litmus", older, load("ptx-7.5", older.dialect), {}, {}, job);
  const auto j = nlohmann::json::parse(e.report.json);
  EXPECT_FALSE(j["candidates"]["list"][0]["rejected_by"][0].contains("sections"));
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
  const auto& s = j["statistics"];
  double seconds = 0;
  for (const char* phase : {"leave_out", "program", "settle", "model", "search", "replay", "other"})
    seconds += s["phases"].at(phase).get<double>();
  EXPECT_EQ(s["phases"].size(), 7u);
  EXPECT_NEAR(seconds, r.stats.phases.sum(), 1e-9);
  for (const char* count : {"conflicts", "decisions", "propagations"}) EXPECT_TRUE(s[count].is_number()) << count;
  EXPECT_EQ(s["propagations"], r.stats.effort.propagations);
  EXPECT_GT(s["propagations"], 0u);
  r.stats.effort_known = false;
  j = nlohmann::json::parse(check_json("mp.litmus", relaxed, model, options, r));
  for (const char* count : {"conflicts", "decisions", "propagations"})
    EXPECT_TRUE(j["statistics"][count].is_null()) << count;
  Job job3 = Job::with_budget(20);
  j = nlohmann::json::parse(
      outcomes_json("mp.litmus", relaxed, model, check::outcomes(relaxed, model, options, job3), 0.5));
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
  auto head = [&](const std::string& ending) {
    auto text = file_text("w" + ending, report);
    EXPECT_TRUE(text);
    return text->substr(0, text->find('\n'));
  };
  EXPECT_TRUE(head(".svg").starts_with("<svg "));
  EXPECT_TRUE(head(".dot").starts_with("digraph "));
  EXPECT_EQ(head(".json"), "{");
  EXPECT_EQ(head(".txt"), "mp-relaxed");
  EXPECT_FALSE(file_text("w.png", report));
  EXPECT_FALSE(file_text("w.svg", Report{}));
  check::Result none;
  EXPECT_TRUE(witness("mp.litmus", test, model, options, none).text.empty());
}

// A violation witness of software verification: a path from the entry to the violation, an edge for each instruction.
class Automaton : public testing::Test {
 protected:
  void SetUp() override { setenv("SOURCE_DATE_EPOCH", "86400", 1); }
  void TearDown() override { unsetenv("SOURCE_DATE_EPOCH"); }
  static std::string of(const std::string& text, check::Property property) {
    const prog::Test t = parse("t.litmus", text);
    const cat::Model m = load(cat::default_model(t.dialect), t.dialect);
    check::Options options;
    options.property = property;
    Job job = Job::with_budget(60);
    const check::Result r = check::check(t, m, options, job);
    const std::string out = automaton("t.litmus", t, m, options, r);
    EXPECT_EQ(out, automaton("t.litmus", t, m, options, r));
    return out;
  }
  static size_t count(const std::string& text, const std::string& what) {
    size_t n = 0;
    for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++n;
    return n;
  }
};

TEST_F(Automaton, AWeakExecutionIsAPathThatSaysWhereValuesComeFrom) {
  const std::string out =
      of("PTX mp\n{ x = 0; y = 0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | ld.weak r0, y ;\n"
         " st.weak y, 1 | ld.weak r1, x ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)\n",
         check::Property::condition);
  for (const char* said : {"<data key=\"witness-type\">violation_witness</data>", "<data key=\"producer\">fencepost ",
                           "<data key=\"creationtime\">1970-01-02T00:00:00Z</data>",
                           "<data key=\"fencepost.order\">po and rf: not sequentially consistent</data>",
                           "<node id=\"N0\"><data key=\"entry\">true</data></node>",
                           "<node id=\"N7\"><data key=\"violation\">true</data></node>",
                           "<data key=\"loaded-value\">0</data><data key=\"fencepost.reads-from\">init x</data>",
                           "<data key=\"startline\">5</data>"})
    EXPECT_NE(out.find(said), std::string::npos) << said << out;
  EXPECT_EQ(count(out, "<edge "), 7u);  // main, two threads, four instructions
  EXPECT_EQ(count(out, "createThread\">"), 2u);
  EXPECT_EQ(count(out, "threadId\">2<"), 2u);
}

// Writes that coherence leaves unordered may be seen in either order, by which nobody could have interleaved them.
TEST_F(Automaton, APartialCoherenceOrderIsNoInterleaving) {
  const std::string head =
      "PTX seen-both-ways\n{ x = 0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 | P2@cta 2,gpu 0 | P3@cta 3,gpu 0 ;\n"
      " st.weak x, 1 | st.weak x, 2 | ld.acquire.sys r0, x | ld.acquire.sys r2, x ;\n"
      " | | ld.acquire.sys r1, x | ld.acquire.sys r3, x ;\n";
  const std::string both =
      of(head + "exists (P2:r0 == 1 /\\ P2:r1 == 2 /\\ P3:r2 == 2 /\\ P3:r3 == 1)\n", check::Property::condition);
  EXPECT_NE(both.find("po and rf: not sequentially consistent"), std::string::npos) << both;
  const std::string one =
      of(head + "exists (P2:r0 == 1 /\\ P2:r1 == 2 /\\ P3:r2 == 1 /\\ P3:r3 == 2)\n", check::Property::condition);
  EXPECT_NE(one.find(": sequentially consistent"), std::string::npos) << one;
}

TEST_F(Automaton, AReadModifyWriteHasOneEdge) {
  const std::string out =
      of("VULKAN rmw\n{ x = 0; }\n P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 1,qf 0 ;\n"
         " rmw.atom.dv.sc0 r0, x, 1 | rmw.atom.dv.sc0 r0, x, 2 ;\n"
         "exists (P0:r0 == 2 /\\ P1:r0 == 0)\n",
         check::Property::condition);
  EXPECT_NE(out.find(": sequentially consistent"), std::string::npos) << out;
  EXPECT_EQ(count(out, "<edge "), 5u) << out;
  EXPECT_EQ(count(out, "stored-value\">"), 2u);
  EXPECT_EQ(out.find("(its read)"), std::string::npos);
}

TEST_F(Automaton, AnExecutionThatDoesNotEndGoesRoundItsLoop) {
  const std::string out =
      of("PTX spin\n{ x = 0; }\n P0@cta 0,gpu 0 ;\n LC00: ;\n ld.relaxed.gpu r0, x ;\n bne r0, 1, LC00 ;\n",
         check::Property::termination);
  EXPECT_NE(out.find("LTL(F end)"), std::string::npos) << out;
  EXPECT_NE(out.find("<node id=\"N3\"><data key=\"cyclehead\">true</data></node>"), std::string::npos) << out;
  EXPECT_NE(out.find("<edge source=\"N3\" target=\"N3\">"), std::string::npos) << out;
  EXPECT_EQ(out.find("violation\">true"), std::string::npos);
}

TEST_F(Automaton, IsChosenByTheEndingAndNeedsAnExecution) {
  Report r;
  r.automaton = "<graphml/>";
  EXPECT_EQ(file_text("a.witness.graphml", r).value_or(""), "<graphml/>");
  EXPECT_FALSE(file_text("a.graphml", r));  // no picture
  r.automaton.clear();
  EXPECT_FALSE(file_text("a.witness.graphml", r));
}

}  // namespace
}  // namespace fencepost::report
