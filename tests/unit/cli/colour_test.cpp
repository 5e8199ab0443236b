// --output, --quiet, --color and --json: alike in every verb.
#include "cli/colour.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/child.h"
#include "base/write_file.h"
#include "cli/options.h"
#include "ran.h"

namespace fencepost::cli {
namespace {

const std::string k_root = FENCEPOST_SOURCE_DIR;
const std::string k_mp = k_root + "/examples/ptx/MP.litmus";

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

const OptionInfo* option(Verb v, std::string_view name) {
  for (const OptionInfo& o : option_table())
    if (o.name == name && takes(v, o)) return &o;
  return nullptr;
}

// What every verb takes. A verb that is not here has a reason.
TEST(EveryVerb, TakesTheOptionsOfAll) {
  // Their options are read elsewhere; serve answers lines, each a command line of its own.
  const std::set<Verb> apart = {Verb::prove, Verb::help_markdown, Verb::serve};
  // What they print is a text of a language, and `report` makes a page: judge and stats have its numbers.
  const std::set<Verb> no_json = {Verb::print, Verb::progress_print, Verb::emit, Verb::report, Verb::hunt_report};
  for (const VerbInfo& v : verb_table()) {
    if (apart.contains(v.verb)) continue;
    for (const auto& [name, letter] : {std::pair("--output", "-o"), {"--quiet", "-q"}, {"--color", ""}}) {
      const OptionInfo* o = option(v.verb, name);
      ASSERT_NE(o, nullptr) << v.name << " " << name;
      EXPECT_STREQ(o->letter, letter) << v.name;
    }
    EXPECT_EQ(option(v.verb, "--json") == nullptr, no_json.contains(v.verb)) << v.name;
    int outputs = 0;
    for (const OptionInfo& o : option_table()) outputs += takes(v.verb, o) && std::string_view(o.name) == "--output";
    EXPECT_EQ(outputs, 1) << v.name;
  }
}

// In prove they are there too.
TEST(EveryVerb, ProveTakesThemToo) {
  ScratchFolder folder;
  const std::string kernel = k_root + "/examples/kernels/copy.cl", file = folder.path() + "/a.txt";
  const std::vector<std::string> sizes = {"--local_size=64", "--num_groups=64"};
  const auto prove = [&](std::vector<std::string> more) {
    more.insert(more.begin(), "prove");
    more.insert(more.end(), sizes.begin(), sizes.end());
    more.push_back(kernel);
    return run_with(more);
  };
  const Ran plain = prove({});
  EXPECT_EQ(prove({"-q"}).out, "") << plain.out;
  EXPECT_EQ(prove({"--color=never"}).out, plain.out);
  EXPECT_EQ(prove({"--color", "never"}).out, plain.out);
  EXPECT_EQ(prove({"--color=sometimes"}).code, k_exit_bad_input);
  EXPECT_EQ(prove({"-o", file}).out, "");
  EXPECT_EQ(content(file), plain.out);
  EXPECT_TRUE(has(prove({"--json"}).out, "fencepost.prove/1"));
}

class Answer : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  ScratchFolder folder_;
};

TEST_F(Answer, GoesToAFileWhoseEndingPicksTheForm) {
  const Ran plain = run_with({"check", k_mp});
  for (const char* name : {"a.txt", "a"}) {
    const Ran r = run_with({"check", "-o", path(name), k_mp});
    EXPECT_EQ(r.code, plain.code);
    EXPECT_EQ(r.out, "");
    EXPECT_EQ(content(path(name)), plain.out);
  }
  EXPECT_EQ(run_with({"check", "-o", "-", k_mp}).out, plain.out);
  run_with({"check", "-o", path("a.json"), k_mp});
  EXPECT_EQ(nlohmann::json::parse(content(path("a.json")))["schema"], "fencepost.check/1");
  run_with({"check", "-o", path("a.sarif"), k_mp});
  EXPECT_EQ(nlohmann::json::parse(content(path("a.sarif")))["version"], "2.1.0");
  run_with({"check", "-o", path("a.xml"), k_mp});
  EXPECT_TRUE(has(content(path("a.xml")), "<testsuite ")) << content(path("a.xml"));
  run_with({"outcomes", "-o", path("o.json"), k_mp});
  EXPECT_EQ(nlohmann::json::parse(content(path("o.json")))["schema"], "fencepost.outcomes/1");
  run_with({"print", "-o", path("p.litmus"), k_mp});
  EXPECT_EQ(content(path("p.litmus")), run_with({"print", k_mp}).out);
  // An ending that the answer does not have, a file that is read, a folder that is not there.
  EXPECT_EQ(run_with({"check", "-o", path("a.html"), k_mp}).code, k_exit_bad_input);
  EXPECT_FALSE(std::filesystem::exists(path("a.html")));
  ASSERT_TRUE(write_file(path("own.litmus"), content(k_mp)));
  const Ran own = run_with({"check", "-o", path("own.litmus"), path("own.litmus")});
  EXPECT_EQ(own.code, k_exit_bad_input);
  EXPECT_TRUE(has(own.err, "would write over")) << own.err;
  EXPECT_EQ(content(path("own.litmus")), content(k_mp));
  EXPECT_EQ(run_with({"check", "-o", path("none/a.txt"), k_mp}).code, k_exit_bad_input);
}

TEST_F(Answer, QuietSaysNothingOfWhatHolds) {
  const Ran holds = run_with({"check", "-q", k_mp});
  EXPECT_EQ(holds.code, k_exit_holds);
  EXPECT_EQ(holds.out + holds.err, "");
  ASSERT_TRUE(write_file(path("wrong.litmus"),
                         "PTX wrong\n{ x = 0; }\n P0@cta 0,gpu 0 ;\n ld.relaxed.gpu r0, x ;\n~exists (P0:r0 = 0)\n"));
  const Ran fails = run_with({"check", "--quiet", path("wrong.litmus")});
  EXPECT_EQ(fails.code, k_exit_fails);
  EXPECT_EQ(fails.out, run_with({"check", path("wrong.litmus")}).out);
  EXPECT_TRUE(has(run_with({"check", "-q", path("none.litmus")}).err, "error"));
  // What is asked to be written is written.
  EXPECT_EQ(run_with({"check", "-q", "-o", path("a.txt"), k_mp}).out, "");
  EXPECT_TRUE(has(content(path("a.txt")), "  holds  "));
}

TEST_F(Answer, ColoursAreOfVerdictsAndErrors) {
  const Ran r = run_with({"check", "--color", "always", k_mp});
  EXPECT_TRUE(has(r.out, "  \x1b[32mholds\x1b[0m  ")) << r.out;
  EXPECT_EQ(run_with({"check", "--color", "auto", k_mp}).out, run_with({"check", k_mp}).out);
  EXPECT_FALSE(has(run_with({"check", "--color", "always", "--json", k_mp}).out, "\x1b"));
  run_with({"check", "--color", "always", "-o", path("a.txt"), k_mp});
  EXPECT_FALSE(has(content(path("a.txt")), "\x1b"));
  EXPECT_TRUE(has(run_with({"check", "--color", "always", path("none.litmus")}).err, "\x1b[1;31merror:\x1b[0m"));
  EXPECT_EQ(run_with({"check", "--color", "sometimes", k_mp}).code, k_exit_bad_input);
  EXPECT_EQ(coloured("a.litmus  fails  the state\n"), "a.litmus  \x1b[1;31mfails\x1b[0m  the state\n");
  EXPECT_EQ(coloured("exists holds true\nit fails  here"), "exists holds true\nit fails  here");
  EXPECT_EQ(coloured("f.cu:1:2: warning: x"), "f.cu:1:2: \x1b[33mwarning:\x1b[0m x");
  EXPECT_EQ(coloured("PASS: all\n\n"), "\x1b[32mPASS\x1b[0m: all\n\n");
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(has_colours("auto", true));
  EXPECT_TRUE(has_colours("always", false));
  ::unsetenv("NO_COLOR");
  EXPECT_TRUE(has_colours("auto", true));
  EXPECT_FALSE(has_colours("never", true));
}

// A repair may be looked for for hours: relax says when it stops, and its --help tells no other verb's budget.
TEST_F(Answer, RelaxHasABudgetOfItsOwn) {
  const std::string help = run_with({"relax", "--help"}).out;
  EXPECT_TRUE(has(help, "--budget TIME\n        Time for the answer.")) << help;
  EXPECT_TRUE(has(help, "Default: 2m.")) << help;
  EXPECT_FALSE(has(help, "campaign")) << help;
}

TEST_F(Answer, WordsOfMistakesAreThoseOfPeople) {
  EXPECT_TRUE(has(run_with({"check", "--grid"}).err, "--grid needs a value"));
  EXPECT_TRUE(has(run_with({"gen", "--family", "SB"}).err, "did you mean '--families'?"));
  EXPECT_TRUE(has(run_with({"progres", "check", "x"}).err, "did you mean 'progress'?"));
  const Ran model = run_with({"check", "--model", k_mp, k_mp});
  EXPECT_EQ(model.code, k_exit_bad_input);
  EXPECT_TRUE(has(model.err, "is a litmus test, and no model")) << model.err;
  EXPECT_EQ(model.err.find("error"), model.err.rfind("error")) << model.err;
  ASSERT_TRUE(write_file(path("bad.cat"), "\"bad\"\n(* dialect: ptx *)\nlet x = po\nirreflexiv (x) as order\n"));
  const Ran lint = run_with({"lint-model", path("bad.cat")});
  EXPECT_TRUE(has(lint.out + lint.err, "did you mean 'irreflexive'?")) << lint.out << lint.err;
  const Ran column = run_with({"check", "--input", "x[0] = 2; inn = 1", k_root + "/examples/glsl/caslock.comp"});
  EXPECT_TRUE(has(column.err, "--input:1:11: error: there is no variable 'inn'")) << column.err;
}

}  // namespace
}  // namespace fencepost::cli
