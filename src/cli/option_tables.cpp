#include <array>

#include "cli/options.h"

namespace fencepost::cli {
namespace {

constexpr uint32_t bit(Verb v) { return 1u << static_cast<uint32_t>(v); }
constexpr uint32_t k_check = bit(Verb::check), k_outcomes = bit(Verb::outcomes), k_explain = bit(Verb::explain),
                   k_diff = bit(Verb::diff_models), k_refine = bit(Verb::refine), k_lint = bit(Verb::lint_model),
                   k_expect = bit(Verb::expect), k_models = bit(Verb::models);
constexpr uint32_t k_deciding = k_check | k_outcomes | k_explain | k_diff | k_refine;

constexpr std::array<OptionInfo, static_cast<size_t>(OptionId::count_)> k_options = {{
    {OptionId::model, "--model", "-m", "NAME|FILE", Type::text, "by dialect: ptx-7.5, vulkan, opencl", "", 0, 0, "cat",
     k_check | k_outcomes | k_explain | k_refine,
     "The memory model: the name of a shipped one (see 'fencepost models') or a .cat file."},
    {OptionId::engine, "--engine", "-e", "ENGINE", Type::choice, "auto", "auto|enumerate|solve|both", 0, 0, "check",
     k_deciding | k_expect,
     "How to decide. 'enumerate' builds every execution, 'solve' asks a SAT solver, 'both' runs the two and treats a "
     "disagreement as an internal error, 'auto' picks."},
    {OptionId::property, "--property", "-p", "PROPERTY", Type::choice, "condition", "condition|races", 0, 0, "check",
     k_check | k_explain | k_diff,
     "What to decide: the test's own condition, or whether some execution raises a flag of the model (a data race)."},
    {OptionId::bound, "--bound", "-b", "N", Type::whole, "1", "1..1000", 1, 1000, "check", k_deciding,
     "How often the body of a loop may run. An answer that more iterations could change is 'unknown'."},
    {OptionId::budget, "--budget", "", "TIME", Type::seconds, "none", "for example 500ms, 60s, 2m", 0, 0, "check",
     k_deciding | k_expect, "Time for one test. When it is spent, the answer is 'gave_up'."},
    {OptionId::seed, "--seed", "", "N", Type::whole, "1", "0..2^64-1", 0, ~uint64_t{0}, "base", k_deciding | k_expect,
     "Seed of everything that is random. The same input, seed and version give the same output."},
    {OptionId::threads, "--jobs", "-j", "N", Type::whole, "one per processor", "1..1024", 1, 1024, "cli",
     k_check | k_diff | k_expect, "How many tests are decided at the same time."},
    {OptionId::json, "--json", "", "", Type::flag, "", "", 0, 0, "report", k_deciding | k_lint | k_expect | k_models,
     "Print JSON with a versioned schema instead of text. Several tests make one array."},
    {OptionId::witness, "--witness", "-w", "FILE", Type::text, "", "*.svg, *.dot, *.json or *.txt", 0, 0, "report",
     k_check | k_explain | k_refine,
     "Write the execution that the answer rests on to FILE; its ending picks the form. One test only."},
    {OptionId::candidates, "--candidates", "-n", "N", Type::whole, "3", "1..1000", 1, 1000, "report", k_explain,
     "How many rejected candidate executions to tell in full."},
    {OptionId::root, "--root", "", "DIR", Type::text, ".", "", 0, 0, "cli", k_expect,
     "The folder that the paths of the table start from."},
    {OptionId::suites, "--suites", "-s", "A,B", Type::list, "all", "", 0, 0, "cli", k_expect,
     "Only the rows of these suites."},
    {OptionId::model_dir, "--model-dir", "", "DIR", Type::text, "", "", 0, 0, "cli", k_expect,
     "Use DIR/MODEL.cat, with the table's spelling of MODEL, in place of the shipped models."},
    {OptionId::dialect, "--dialect", "-d", "DIALECT", Type::choice, "ptx", "ptx|vulkan|opencl", 0, 0,
     "cat", k_lint, "The dialect of a model whose file does not name one."},
}};

constexpr std::array<VerbInfo, static_cast<size_t>(Verb::count_)> k_verbs = {{
    {Verb::check, "check", "FILE|DIR...", 1, ~0u, "decide litmus tests under a memory model",
     "Decides each test and prints one line for it. A folder stands for the *.litmus and *.test files in it, at any depth, in "
     "the order of their names; '-' is standard input.\n\n"
     "'exists C' holds when some execution that the model allows ends in C, '~exists C' when none does, 'forall C' when all do.",
     "fencepost check mp.litmus\n"
     "fencepost check --model ptx-6.0 --engine both examples\n"
     "fencepost check --property races --witness race.svg mp.litmus",
     false},
    {Verb::outcomes, "outcomes", "FILE", 1, 1, "list everything that a test may end in",
     "Prints the final states of all executions that the model allows, in the format of herd, so that tools for herd's logs "
     "read it.\n\n"
     "The engine is 'enumerate' unless --engine says otherwise. The exit status is 0 when the list is complete and 3 when it is not.",
     "fencepost outcomes sb.litmus", false},
    {Verb::explain, "explain", "FILE", 1, 1, "say why a test is allowed or forbidden",
     "Allowed: the execution. Forbidden: for each candidate execution that meets the condition, the axiom that rejects it and "
     "the cycle, edge by edge with source lines, shortest first.\n\n"
     "The exit status is that of 'check'.",
     "fencepost explain mp.litmus\nfencepost explain --model vulkan --witness why.svg mp.litmus", false},
    {Verb::diff_models, "diff-models", "MODEL MODEL FILE|DIR...", 3, ~0u, "find tests on which two models differ",
     "Decides each test under both models and prints those whose answer differs, then their number. A model that is not made "
     "for the dialect of a test is an error.\n\n"
     "The exit status is 0 when no answer differs, 1 when one does, and 3 when none differs but one is undecided.",
     "fencepost diff-models ptx-6.0 ptx-7.5 examples", false},
    {Verb::refine, "refine", "SOURCE TARGET", 2, 2, "check that a changed program does nothing new",
     "Holds when every final state of TARGET is one of SOURCE's and every flag (data race) that TARGET can raise SOURCE can "
     "raise too, both under one model. States are compared over the observables that the two have in common, by their text. "
     "Otherwise the new outcome is printed with its execution.",
     "fencepost refine before.litmus after.litmus", false},
    {Verb::lint_model, "lint-model", "NAME|FILE...", 1, ~0u, "find mistakes in memory models",
     "Reports unknown names (with the nearest known one), type errors, unused definitions and expressions that are always empty.\n\n"
     "The exit status is 0 for clean models, 1 when there are warnings, 2 when there are errors.",
     "fencepost lint-model ptx-7.5 my.cat", false},
    {Verb::expect, "expect", "CSV|DIR|FILE", 1, 1, "hold expected verdicts against the tool",
     "Given a table, decides every row and prints the rows whose verdict is another than expected; the last line counts them. "
     "Columns, in any order: model, property, path, expected, and optionally suite, bound, grid.\n\n"
     "property is condition (or program_spec), races (or cat_spec); rows with other properties are skipped and counted aloud. "
     "expected is 1 or PASS when the property holds, 0 or FAIL when it does not, or UNKNOWN. bound is 1 where the table gives "
     "none, 4 in suites of liveness rows for Vulkan.\n\n"
     "Given a folder or a test, decides what stands beside each NAME.litmus in NAME.expect (lines 'model property verdict # "
     "why', verdict holds, fails or unknown) and what .test files say of their tests, under the default model.\n\n"
     "The exit status is 0 when every row that was decided agrees, 1 when one does not, and 3 when none was decided.",
     "fencepost expect examples/expected.csv --root examples\n"
     "fencepost expect table.csv --root corpus --suites PTXv6_0,VULKAN -j 4",
     false},
    {Verb::print, "print", "FILE", 1, 1, "parse a test and print it in its own language",
     "The output parses to the same test as the input.", "fencepost print mp.litmus", false},
    {Verb::models, "models", "", 0, 0, "list the memory models that come with the program",
     "Prints name, dialect and one sentence for each; --model takes the names.", "fencepost models", false},
    {Verb::help_markdown, "help-markdown", "", 0, 0, "print the page docs/options.md", "Made from the tables behind --help.", "",
     true},
}};

constexpr bool tables_in_order() {
  for (size_t i = 0; i < k_options.size(); ++i)
    if (static_cast<size_t>(k_options[i].id) != i) return false;
  for (size_t i = 0; i < k_verbs.size(); ++i)
    if (static_cast<size_t>(k_verbs[i].verb) != i) return false;
  return true;
}
static_assert(tables_in_order());

}  // namespace

std::span<const OptionInfo> option_table() { return k_options; }
std::span<const VerbInfo> verb_table() { return k_verbs; }
const VerbInfo& info(Verb v) { return k_verbs[static_cast<size_t>(v)]; }

}  // namespace fencepost::cli
