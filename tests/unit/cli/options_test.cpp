#include "cli/options.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "cli/file_kind.h"
#include "cli/help.h"
#include "cli/verbs.h"
#include "ran.h"

using namespace fencepost;
using namespace fencepost::cli;

namespace {

CommandLine parsed(const std::vector<std::string>& args) {
  auto p = parse_command_line(args);
  EXPECT_TRUE(p.has_value()) << render(p.error());
  EXPECT_TRUE(p && p->command);
  return p && p->command ? *p->command : CommandLine{};
}

}  // namespace

TEST(Options, ValuesReachTheirPlaces) {
  const CommandLine l = parsed({"check", "--engine=both", "-b", "4", "--budget", "1500ms", "-j2", "--property", "races",
                                "--json", "--model", "my.cat", "--witness", "w.svg", "a.litmus", "-", "dir"});
  EXPECT_EQ(l.verb, Verb::check);
  EXPECT_EQ(l.settings.engine, check::Engine::both);
  EXPECT_EQ(l.settings.bound, 4u);
  EXPECT_DOUBLE_EQ(l.settings.budget, 1.5);
  EXPECT_EQ(l.settings.threads, 2u);
  EXPECT_EQ(l.settings.property, check::Property::races);
  EXPECT_TRUE(l.settings.json);
  EXPECT_EQ(l.settings.model, "my.cat");
  EXPECT_EQ(parsed({"run", "--seed", "18446744073709551615", "a.litmus"}).settings.seed, ~uint64_t{0});
  EXPECT_EQ(l.settings.witness, "w.svg");
  EXPECT_EQ(l.operands, (std::vector<std::string>{"a.litmus", "-", "dir"}));
  EXPECT_EQ(parsed({"expect", "t.csv", "--suites", "A,B"}).settings.suites, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(parsed({"lint-model", "m.cat", "-d", "vulkan"}).settings.dialect, vocab::Dialect::vulkan);
  EXPECT_EQ(parsed({"check", "--", "--json"}).operands, (std::vector<std::string>{"--json"}));
}

TEST(Options, HelpNamesAllFilesThatCheckTakesOutOfAFolder) {
  const std::string text = info(Verb::check).description;
  for (const std::string& ending : program_endings())
    EXPECT_TRUE(std::regex_search(text, std::regex("\\*\\" + ending + "\\b"))) << ending;
}

TEST(Options, DefaultsAreThoseOfTheTable) {
  // A default in the table that `store` takes must give the settings that were there before.
  const Settings fresh;
  for (const OptionInfo& o : option_table()) {
    if (o.type != Type::choice && o.type != Type::whole && o.type != Type::whole_or_auto &&
        std::string_view(o.name) != "--root")
      continue;
    Settings s;
    if (store(s, o, o.preset)) {
      EXPECT_EQ(s.engine, fresh.engine);
      EXPECT_EQ(s.property, fresh.property);
      EXPECT_EQ(s.bound, fresh.bound);
      EXPECT_EQ(s.seed, fresh.seed);
      EXPECT_EQ(s.candidates, fresh.candidates);
      EXPECT_EQ(s.root, fresh.root);
      EXPECT_EQ(s.fairness, fresh.fairness);
      EXPECT_EQ(s.form, fresh.form);
      EXPECT_EQ(s.rule, fresh.rule);
      EXPECT_EQ(s.thread_count, fresh.thread_count);
      EXPECT_EQ(s.instructions, fresh.instructions);
      EXPECT_EQ(s.locations, fresh.locations);
      EXPECT_EQ(s.values, fresh.values);
      EXPECT_EQ(s.order, fresh.order);
      EXPECT_EQ(s.loads, fresh.loads);
      EXPECT_EQ(s.steps, fresh.steps);
      EXPECT_EQ(s.changes, fresh.changes);
      EXPECT_EQ(s.family_size, fresh.family_size);
      EXPECT_EQ(s.notation, fresh.notation);
    } else {
      // Whose default is words, not a value.
      const std::set<std::string> in_words = {
          "--jobs",   "--total", "--site", "--generate",     "--iterations", "--until-events", "--rounds", "--cluster",
          "--series", "--limit", "--peek", "--first-rounds", "--engine",     "--tasks",        "--task",   "--format"};
      EXPECT_TRUE(in_words.contains(o.name)) << o.name;
    }
  }
}

TEST(Options, EveryBadValueExitsTwoWithAHint) {
  const std::vector<std::vector<std::string>> bad = {{"check", "--engine", "solv", "x"},
                                                     {"check", "--engine", "", "x"},
                                                     {"check", "--bound", "0", "x"},
                                                     {"check", "--bound", "1001", "x"},
                                                     {"check", "--bound", "-1", "x"},
                                                     {"check", "--bound", "two", "x"},
                                                     {"check", "--bound", "1 ", "x"},
                                                     {"check", "--bound", "99999999999999999999", "x"},
                                                     {"check", "--budget", "0", "x"},
                                                     {"check", "--budget", "-3s", "x"},
                                                     {"check", "--budget", "inf", "x"},
                                                     {"check", "--budget", "nan", "x"},
                                                     {"check", "--budget", "3 days", "x"},
                                                     {"check", "--budget", "s", "x"},
                                                     {"check", "-j", "0", "x"},
                                                     {"check", "-j", "many", "x"},
                                                     {"check", "--property", "liveness", "x"},
                                                     {"run", "--seed", "-1", "x"},
                                                     {"run", "--seed", "0x10", "x"},
                                                     {"check", "--seed", "1", "x"},
                                                     {"check", "--model", "", "x"},
                                                     {"check", "--bound", "1", "--bound", "2", "x"},
                                                     {"explain", "--candidates", "0", "x"},
                                                     {"lint-model", "--dialect", "cuda", "x"},
                                                     {"expect", "--suites", "", "x"},
                                                     {"check", "--modle", "sc", "x"},
                                                     {"check", "--root", ".", "x"},
                                                     {"check", "x", "--bound"},
                                                     {"check"},
                                                     {"outcomes"},
                                                     {"outcomes", "a", "b"},
                                                     {"refine", "a"},
                                                     {"diff-models", "a", "b"},
                                                     {"models", "x"},
                                                     {"chekc", "x"},
                                                     {"mp.litmus"},
                                                     {"--json", "check", "x"},
                                                     {},
                                                     {"print", "x", "--json"},
                                                     {"check", "-z", "x"}};
  for (const auto& args : bad) {
    const Ran r = run_with(args);
    std::string shown;
    for (const std::string& a : args) shown += a + " ";
    EXPECT_EQ(r.code, 2) << shown;
    EXPECT_EQ(r.out, "") << shown;
    EXPECT_NE(r.err.find("error: "), std::string::npos) << shown << r.err;
    EXPECT_NE(r.err.find("hint: "), std::string::npos) << shown << r.err;
  }
}

TEST(Options, HintsNameTheLikelyWord) {
  EXPECT_NE(run_with({"check", "--engine", "solv", "x"}).err.find("did you mean 'solve'?"), std::string::npos);
  EXPECT_NE(run_with({"check", "--modle", "sc", "x"}).err.find("did you mean '--model'?"), std::string::npos);
  EXPECT_NE(run_with({"chekc", "x"}).err.find("did you mean 'check'?"), std::string::npos);
  EXPECT_NE(run_with({"check", "--root", ".", "x"}).err.find("'check' does not take --root"), std::string::npos);
  EXPECT_NE(run_with({"a/mp.litmus"}).err.find("fencepost check a/mp.litmus"), std::string::npos);
}

TEST(Options, HelpCoversEveryVerbAndOption) {
  const Ran all = run_with({"--help"});
  EXPECT_EQ(all.code, 0);
  EXPECT_EQ(all.err, "");
  const std::string page = run_with({"help-markdown"}).out;
  for (const VerbInfo& v : verb_table()) {
    const Ran r = run_with({v.name, "--help"});
    EXPECT_EQ(r.code, 0);
    EXPECT_EQ(r.out, run_with({"help", v.name}).out);
    if (!v.hidden) {
      EXPECT_NE(all.out.find(v.name), std::string::npos) << v.name;
      EXPECT_NE(page.find(std::string("### ") + v.name), std::string::npos) << v.name;
    }
    for (const OptionInfo& o : option_table()) {
      if (v.verb == Verb::prove) break;  // has a table of its own
      bool taken = false;                // by this option or another of the same name
      for (const OptionInfo& other : option_table())
        taken = taken || (std::string(other.name) == o.name && takes(v.verb, other));
      EXPECT_EQ(std::regex_search(r.out, std::regex("\n    (-., )?" + std::string(o.name) + "( [^ ]+)?\n")), taken)
          << v.name << ' ' << o.name;
    }
    for (size_t at = 0; at < r.out.size();) {
      const size_t end = r.out.find('\n', at);
      EXPECT_LE(end - at, 100u) << r.out.substr(at, end - at);
      at = end + 1;
    }
  }
  for (const OptionInfo& o : option_table()) {
    EXPECT_NE(page.find(o.name), std::string::npos) << o.name;
    EXPECT_NE(o.verbs, 0u) << o.name;
  }
  EXPECT_TRUE(run_with({"--version"}).out.starts_with("fencepost "));
}

TEST(Options, NamesAreUnique) {
  for (const VerbInfo& v : verb_table()) {
    std::set<std::string> seen;
    for (const OptionInfo& o : option_table()) {
      if (!takes(v.verb, o)) continue;
      EXPECT_TRUE(seen.insert(o.name).second);
      if (*o.letter != 0) {
        EXPECT_TRUE(seen.insert(o.letter).second) << o.letter;
      }
    }
  }
}

TEST(ExitCodes, TheWorseOfTwo) {
  const std::vector<int> order = {0, 3, 1, 2, 4};
  for (size_t i = 0; i < order.size(); ++i)
    for (size_t j = 0; j < order.size(); ++j) EXPECT_EQ(worse(order[i], order[j]), order[std::max(i, j)]);
  EXPECT_EQ(exit_code(error_at({}, "x").error()), 2);
  EXPECT_EQ(exit_code(unsupported_at({}, "x").error()), 3);
}
