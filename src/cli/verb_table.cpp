// The verbs, and all options in the order in which help lists them.
#include <array>

#include "cli/option_rows.h"
#include "cli/verbs.h"

namespace fencepost::cli {
namespace {

constexpr std::array<VerbInfo, static_cast<size_t>(Verb::count_)> k_verbs = {{
    {Verb::check, "check", "FILE|DIR...", 1, ~0u, "decide litmus tests under a memory model",
     "Decides each test and prints one line for it. A folder stands for the *.litmus, *.test, *.comp (GLSL), *.cl "
     "(OpenCL C), *.cu (CUDA C++), *.ptx (PTX modules), *.spvasm and *.spv (SPIR-V) files in it, at any depth, in "
     "the order of their names; '-' is standard input.\n\n"
     "'exists C' holds when some execution that the model allows ends in C, '~exists C' when none does, 'forall C' "
     "when all do.",
     "fencepost check mp.litmus\n"
     "fencepost check --model ptx-6.0 --engine both examples\n"
     "fencepost check --property races --witness race.svg mp.litmus",
     false, run_check},
    {Verb::outcomes, "outcomes", "FILE", 1, 1, "list everything that a test may end in",
     "Prints the final states of all executions that the model allows, in the format of herd, so that tools for herd's "
     "logs "
     "read it.\n\n"
     "The engine is 'enumerate' unless --engine says otherwise. The exit status is 0 when the list is complete and 3 "
     "when it is not.",
     "fencepost outcomes sb.litmus\nfencepost outcomes --operational --steps examples/thesis/MP.litmus", false,
     run_outcomes},
    {Verb::explain, "explain", "FILE", 1, 1, "say why a test is allowed or forbidden",
     "Allowed: the execution. Forbidden: for each candidate execution that meets the condition, the axiom that rejects "
     "it and "
     "the cycle, edge by edge with source lines, shortest first.\n\n"
     "The exit status is that of 'check'.",
     "fencepost explain mp.litmus\nfencepost explain --model vulkan --witness why.svg mp.litmus", false, run_explain},
    {Verb::diff_models, "diff-models", "MODEL MODEL FILE|DIR...", 3, ~0u, "find tests on which two models differ",
     "Decides each test under both models and prints those whose answer differs, then their number. A model that is "
     "not made "
     "for the dialect of a test is an error.\n\n"
     "The exit status is 0 when no answer differs, 1 when one does, and 3 when none differs but one is undecided.",
     "fencepost diff-models ptx-6.0 ptx-7.5 examples", false, run_diff_models},
    {Verb::refine, "refine", "SOURCE TARGET", 2, 2, "check that a changed program does nothing new",
     "Holds when every final state of TARGET is one of SOURCE's and every flag (data race) that TARGET can raise "
     "SOURCE can "
     "raise too, both under one model. States are compared over the observables that the two have in common, by their "
     "text. "
     "Otherwise the new outcome is printed with its execution.\n\n"
     "A race under a VULKAN, OPENCL or CUDA model and undefined behaviour undefine a program. Where SOURCE does that, "
     "TARGET may do anything: the verdict is 'undefined', exit status 3, and what would be new besides is listed. "
     "Races "
     "under PTX models are findings, and compared.",
     "fencepost refine before.litmus after.litmus", false, run_refine},
    {Verb::lint_model, "lint-model", "NAME|FILE...", 1, ~0u, "find mistakes in memory models",
     "Reports unknown names (with the nearest known one), type errors, unused definitions and expressions that are "
     "always empty.\n\n"
     "The exit status is 0 for clean models, 1 when there are warnings, 2 when there are errors.",
     "fencepost lint-model ptx-7.5 my.cat", false, run_lint_model},
    {Verb::expect, "expect", "CSV|DIR|FILE", 1, 1, "hold expected verdicts against the tool",
     "Given a table, decides every row and prints the rows whose verdict is another than expected; the last line "
     "counts them. "
     "Columns, in any order: model, property, path, expected, and optionally suite, bound, grid.\n\n"
     "property is condition (or program_spec), races (or cat_spec), or termination[PROGRESS] (termination alone: what "
     "--progress says); "
     "rows with other properties are skipped and counted aloud. "
     "expected is 1 or PASS when the property holds, 0 or FAIL when it does not, or UNKNOWN. bound is 1 where the "
     "table gives "
     "none, 4 in suites of liveness rows for Vulkan.\n\n"
     "Given a folder or a test, decides what stands beside each NAME.litmus in NAME.expect (lines 'model property "
     "verdict # "
     "why', verdict holds, fails or unknown; termination with --bound auto) and what .test files say of their tests, "
     "under the default model.\n\n"
     "The exit status is 0 when every row that was decided agrees, 1 when one does not, and 3 when none was decided.",
     "fencepost expect examples/expected.csv --root examples\n"
     "fencepost expect table.csv --root corpus --suites PTXv6_0,VULKAN -j 4",
     false, run_expect},
    {Verb::print, "print", "FILE", 1, 1, "parse a test and print it in its own language",
     "The output parses to the same test as the input.", "fencepost print mp.litmus", false, run_print},
    {Verb::emit, "emit", "FILE", 1, 1, "write a test, or a run of it, as a program of its own",
     "Writes one file that needs nothing of this program: the kernels that many instances of the test run in, one draw "
     "of the "
     "parameters (printed in the file), and code that launches them and prints the histogram of final states. It is "
     "meant for "
     "reports: whoever gets the file builds and runs it.\n\n"
     "Instructions are kept as written, so the target must be of the test's kind: cuda-source and ptx take PTX tests, "
     "opencl-source OPENCL tests "
     "(with --inline-ptx: PTX tests), amber, glsl and spirv VULKAN tests, cpp and metal any. Others are translated "
     "first: see 'fencepost lower'.",
     "fencepost emit --target cuda-source -o mp.cu mp.litmus\n"
     "fencepost emit --target ptx --parameters stress=0,stride=32 --seed 7 mp.litmus\n"
     "fencepost emit --target spirv -o sb.spvasm sb.litmus",
     false, run_emit},
    {Verb::models, "models", "", 0, 0, "list the memory models that come with the program",
     "Prints name, dialect and one sentence for each; --model takes the names.", "fencepost models", false, run_models},
    {Verb::progress_check, "progress check", "FILE|DIR...", 1, ~0u, "decide whether tests end under progress models",
     "Prints one line for each test, model and fairness: 'holds' when every run that the model allows ends, 'fails' "
     "when some thread "
     "may starve. With one test, one model and one fairness a failure comes with the schedule: a prefix, then a cycle "
     "that can "
     "go on for ever.\n\n"
     "A folder stands for the *.axb files in it. Tests may also be published pseudo-code, JSON lines, or .litmus files "
     "whose threads only "
     "exchange, load, compare and jump.",
     "fencepost progress check examples/progress\n"
     "fencepost progress check --model hsa --fairness weak --witness starving.svg spin.axb",
     false, run_progress_check},
    {Verb::progress_lts, "progress lts", "FILE", 1, 1, "draw the states and steps of a test",
     "The labelled transition system of the test, alone or under one model, whose fair set then stands on every edge. "
     "In the Aldebaran "
     "format, which tools for process algebra read, as DOT or as SVG.",
     "fencepost progress lts spin.axb --model obe -o spin.svg\nfencepost progress lts spin.axb --model hsa --abstract",
     false, run_progress_lts},
    {Verb::progress_classify, "progress classify", "FILE|DIR...", 1, ~0u,
     "find out which tests tell progress models apart",
     "Decides each test under each model, weak and strong, and counts conformance tests (a model must pass them) and "
     "distinguishing "
     "tests (they fail under every weaker or other model), by several definitions.",
     "fencepost progress classify examples/progress\nfencepost progress classify --csv tests.jsonl", false,
     run_progress_classify},
    {Verb::progress_compare, "progress compare", "MODEL MODEL", 2, 2,
     "find the smallest tests that separate two progress models",
     "Each model is a name or a .progress file, followed by ':weak' (the default) or ':strong'. Tests of 2 and 3 "
     "threads are made, "
     "smallest first, until some pass under one and fail under the other.\n\n"
     "The exit status is 1 when tests separate the two and 0 when none was found.",
     "fencepost progress compare hsa obe\nfencepost progress compare lobe:strong my.progress:strong", false,
     run_progress_compare},
    {Verb::progress_expect, "progress expect", "CSV", 1, 1, "hold expected progress verdicts against the tool",
     "A table with the columns config, id, model, fairness and verdict (PASS or FAIL), in any order. Prints the rows "
     "that disagree; the "
     "last line counts.",
     "fencepost progress expect verdicts.csv --tests tests.jsonl", false, run_progress_expect},
    {Verb::progress_synth, "progress synth", "", 0, 0, "make every progress test of a size",
     "All tests that meet the constraints, not a sample, in a fixed order.",
     "fencepost progress synth --threads 2 --instructions 4 --count\n"
     "fencepost progress synth --per-thread 2,1 --form json --verdicts",
     false, run_progress_synth},
    {Verb::progress_account, "progress account", "FILE|DIR...", 1, ~0u,
     "find given tests in the complete sets of their sizes",
     "For each size: how many of the tests are in the complete set, in that of the older constraint on stores only, or "
     "in neither, and how many "
     "repeat or rename an earlier one.",
     "fencepost progress account tests.jsonl", false, run_progress_account},
    {Verb::progress_export, "progress export", "FILE|DIR...", 1, ~0u, "write progress tests as programs for devices",
     "Writes litmus files, or sources for CUDA, OpenCL C, Vulkan (GLSL, Amber), Metal and C++ threads into the folder "
     "of --output.",
     "fencepost progress export examples/progress --target cpp --mapping chunked -o out", false, run_progress_export},
    {Verb::progress_print, "progress print", "FILE", 1, 1, "parse progress tests and print them in a chosen form",
     "Reads the .axb text, the published pseudo-code and JSON lines, and prints any of them.",
     "fencepost progress print tests.jsonl --form text", false, run_progress_print},
    {Verb::progress_models, "progress models", "[FILE...]", 0, ~0u,
     "list the progress models, or check models of your own",
     "Without operands: the models that come with the program, weakest first. With files: parses and checks each, and "
     "prints its "
     "name and closed form.",
     "fencepost progress models\nfencepost progress models my.progress", false, run_progress_models},
    {Verb::progress_run, "progress run", "FILE|DIR...", 1, ~0u, "run progress tests on a device and say who starves",
     "Runs each test on a device under each mapping. Every run ends as terminated, starved (the kernel's watchdog "
     "ended threads that did not "
     "come to their end) or hung (the launch did not end, and its process was killed). Prints a line for each test "
     "that starved, how many did "
     "under each mapping, and which progress models the device violates: those that guarantee the end of a test that "
     "starved.\n\n"
     "A starved test of several locations with relaxed instructions is not a violation, because weak memory could "
     "explain "
     "it; --order seq_cst "
     "tells.\n\n"
     "The exit status is 0 when no model that --model names is violated, 1 when one is, and 3 when a test could not be "
     "run.",
     "fencepost progress run examples/progress --mapping round-robin,chunked --runs 5\n"
     "fencepost progress run tests.jsonl --device cuda --mapping chunked --store h200.db --early-stop",
     false, run_progress_run},
    {Verb::relax, "relax", "FILE", 1, 1, "find fences, orders and scopes that are not needed, or a fix",
     "For each fence, memory order, scope and barrier of the test: whether it can be dropped or weakened so that the "
     "condition keeps its "
     "verdict and no race appears, or the change that breaks the test; then a set of changes that can be made "
     "together. A test that "
     "fails gets the smallest strengthening that makes it hold.\n\n"
     "The exit status is 0 when everything is needed, 1 when something can be weaker or a fix was found, and 3 when "
     "the test, or all "
     "that is left open, is undecided.",
     "fencepost relax lock.litmus\n"
     "fencepost relax --exhaustive --steps order lock.litmus\n"
     "fencepost relax --site 2 --witness broken.svg lock.litmus",
     false, run_relax},
    {Verb::lower, "lower", "TABLE [FILE|DIR...]", 1, ~0u, "check that an instruction mapping adds no outcome",
     "TABLE is the name of a shipped mapping or a .map file (docs/lowering.md). Each test is rewritten by it into the "
     "target dialect; "
     "every outcome of the result under the target's model must be an outcome of the test under its own. With "
     "--generate, all small "
     "tests over the mapped instructions are checked as well. Counterexamples are written as two litmus files into "
     "--output.\n\n"
     "The exit status is 0 when no test gains an outcome, 1 when one does, and 3 when none does but one is undecided.",
     "fencepost lower opencl-ptx mp.litmus\nfencepost lower my.map --generate 4 -o counterexamples", false, run_lower},
    {Verb::run, "run", "FILE|DIR...", 1, ~0u, "run litmus tests on a device and count what they end in",
     "Runs many instances of each test in a process of its own and prints how often each final state was seen, beside "
     "what the memory "
     "model says of it. All parameters of the run are drawn anew for each round group from one seed.\n\n"
     "The exit status is 1 when a state was seen that the model forbids and what ran is what was written, or when a "
     "result was unreadable; 3 when "
     "a test could not be run, a launch hung, or a forbidden state was seen but the machine code could not be "
     "inspected. A state "
     "is called forbidden only "
     "when the model's states are completely known.",
     "fencepost run examples/thesis/SB.litmus\n"
     "fencepost run --device cuda --seconds 10s --parameters schedule=split,stride=8 mp.litmus\n"
     "fencepost run --iterations 100000000 --log out.log examples/thesis",
     false, run_run},
    {Verb::devices, "devices", "", 0, 0, "list the devices that tests can run on",
     "Prints each device that answers, with what matters for runs, and why an interface has none.",
     "fencepost devices\nfencepost devices --json", false, run_devices},
    {Verb::gen, "gen", "[NAME...]", 0, ~0u, "make litmus tests from cycles of relations",
     "Makes the test of --cycle, those of NAMEs (as it prints them itself), or with --families all tests of a size. "
     "One test is printed; "
     "several are listed, or written into the folder of --output with a table of them, index.csv.\n\n"
     "With --decide, or a filter, each test is decided, and the last line counts the verdicts. The exit status is 3 "
     "when one of the "
     "tests is undecided.",
     "fencepost gen --cycle \"PodWW Rfe PodRR Fre\" --dialect PTX\n"
     "fencepost gen MP+po-release.gpu+acquire.gpu-po --dialect VULKAN\n"
     "fencepost gen --families all --relations Po,Fence.sc.gpu --scopes all --forbidden -o tests",
     false, run_gen},
    {Verb::suite, "suite", "", 0, 0, "make a conformance suite: the smallest tests that a model forbids",
     "Below each cycle with the strongest accesses and fences, finds all weakest tests that the model still forbids; "
     "adds the five tests "
     "of sequential consistency per location, and IRIW in five placements. With --output: NAME.litmus, the reason for "
     "each in NAME.why.txt, "
     "and index.csv; with --mutants their mutants in mutants/ and mutants.csv.\n\n"
     "The exit status is 3 when part of the suite is undecided.",
     "fencepost suite --dialect PTX -o ptx-suite\nfencepost suite --dialect VULKAN --families MP,LB --mutants", false,
     run_suite},
    {Verb::campaign, "campaign", "PLAN", 1, 1, "run a plan of tests, devices and configurations into a store",
     "PLAN is a TOML file (docs/campaigns.md). Every test is run on every device under every configuration until the "
     "plan's end, in child "
     "processes that can be killed; each finished round group is kept at once. The same command goes on where an "
     "interrupted one "
     "stopped, and does nothing when all is done.\n\n"
     "--engine shares the work out among processes or the jobs of a cluster, and goes on with what was killed "
     "(docs/cluster.md).\n\n"
     "The exit status is 0 when the whole plan is in the store, and 3 when something was refused, lost, or stopped.",
     "fencepost campaign hopper.toml --store hopper.db\n"
     "fencepost campaign hopper.toml --store part3.db --shard 3/8 --budget 1h\n"
     "fencepost campaign hopper.toml --engine slurm --tasks 200 --sbatch '--gres=gpu:1 --time=30'",
     false, run_campaign},
    {Verb::certify, "certify", "", 0, 0, "run a conformance suite on a device and say PASS, FAIL or INCOMPLETE",
     "Makes the suite of the device's own language (the smallest tests that the model forbids, each with mutants that "
     "it allows), runs it under bundled stress within --budget, and gives one answer with what it rests on. FAIL: a "
     "forbidden state was seen in a test that ran as written. PASS: none was, every supported test ran to its end, and "
     "the stress showed mutants. INCOMPLETE: everything else. The same command goes on where an interrupted one "
     "stopped.\n\n"
     "--output FILE.html writes a page, FILE.xml JUnit's form, FILE.json JSON (docs/certify.md). The exit status is 0 "
     "for PASS, 1 for FAIL, 3 for INCOMPLETE.",
     "fencepost certify --device cuda --budget 10m -o certificate.html\nfencepost certify --device vulkan:0 --families "
     "MP,SB,LB",
     false, run_certify},
    {Verb::merge, "merge", "STORE STORE...", 2, ~0u, "add the results of other stores to the first",
     "A result that the first store has already is not counted twice; one that differs is left as it is and makes the "
     "exit status 1.",
     "fencepost merge all.db part1.db part2.db", false, run_merge},
    {Verb::judge, "judge", "STORE|FILE|DIR", 1, 1, "hold what a campaign saw against a memory model",
     "For each test, device and configuration: every final state with its rate and interval, whether the model allows "
     "it, and for "
     "outcomes that were never seen the upper bound of the rate and whether the same stress showed the test's one-step "
     "weakenings.\n\n"
     "Logs of litmus7 and tables of counts (docs/stats.md) are judged too, by several models at once: --model A,B. "
     "Their tests are those of --tests.\n\n"
     "The exit status is 1 when a device showed a forbidden state in a test that ran as written, or results were "
     "corrupt; 3 when a "
     "forbidden state may be the compiler's doing, something is undecided, or the campaign is not finished; else 0.",
     "fencepost judge hopper.db\nfencepost judge hopper.db --model ptx-6.0 -o table.md\nfencepost judge hopper.db -o "
     "rates.svg\nfencepost judge examples/thesis/observed.csv --model rmo-scoped,operational",
     false, run_judge},
    {Verb::stats, "stats", "STORE|FILE|DIR...", 1, ~0u, "say how sure results are, and what would make them surer",
     "Reads stores, logs of litmus7 and published result sets (docs/stats.md), each an answer of its own: rates with "
     "intervals, how likely an outcome "
     "shows again and how many iterations that needs, what the absence of an outcome is worth, whether rates were "
     "steady, which parameters serve many "
     "tests and devices, which tests go together, and which mutants were killed.",
     "fencepost stats campaign.db\nfencepost stats mp.log --parts reproducibility\nfencepost stats results/ --csv "
     "--only-tests MP,SB",
     false, run_stats},
    {Verb::tune, "tune", "[FILE|DIR...]", 0, ~0u, "find the stress under which a device shows weak outcomes most often",
     "Searches random configurations of the stress for each test, in child processes that can be killed, and keeps "
     "everything that was measured in a "
     "store: the same command goes on where an interrupted one stopped. What is found is measured again on fresh seeds "
     "beside the median random "
     "configuration and no stress. --output writes it for the plan of a campaign (docs/tune.md).\n\n"
     "--explore measures all configurations alike instead, and --replay says what each strategy would have found in "
     "such a store, and how fast. "
     "--ablate measures the incantations of the 2014 thesis one by one.\n\n"
     "The exit status is 0 when everything was measured, and 3 when something was refused, lost, or stopped.",
     "fencepost tune examples/thesis/SB.litmus --budget 60s -o tuned.toml\n"
     "fencepost tune --device cuda families --explore --configurations 1000 --store eds.db\n"
     "fencepost tune --replay eds.db --repeats 32\n"
     "fencepost tune --ablate examples/thesis/MP.litmus examples/thesis/SB.litmus",
     false, run_tune},
    {Verb::report, "report", "STORE|FILE|DIR...", 1, ~0u, "write one HTML page about what was measured",
     "Everything that 'stats' computes and 'judge' says (of stores), as one page with plots and a table under each, "
     "for a browser on a phone or a desk. "
     "The page loads nothing from anywhere. docs/stats.md describes it.",
     "fencepost report campaign.db -o report.html\nfencepost report hopper.db --model ptx-7.5 -o hopper.html", false,
     run_report},
    {Verb::hunt, "hunt", "[RECORD...]", 0, ~0u, "hold compilers against the PTX memory model, without a GPU",
     "Draws PTX tests, compiles them, and reads the machine code: is every access there, with its scope, in an order "
     "that the model allows, with the fences that its order needs on every path? What is missing is a fault; each "
     "signature of faults is shown by its smallest test, with the configurations where it is right. docs/hunt.md "
     "describes it.\n\n"
     "A store keeps what was done, and the same command goes on with it. RECORD: machine code that a report has kept "
     "is judged again, without a compiler.\n\n"
     "The exit status is 0 when there is no fault, 1 when there is one, and 3 when there is none but something could "
     "not be judged or the budget ended first.",
     "fencepost hunt --compiler ptxas=/usr/local/cuda/bin/ptxas --targets sm_80,sm_90 --tests 20000\n"
     "fencepost hunt --compiler ptxas=old/ptxas,ptxas=new/ptxas --levels 0,3 --seed 7 --json\n"
     "fencepost hunt --compiler ptxas=P --targets sm_90 "
     "--test 'atom.acquire.gpu.shared.add.u64@s1'",
     false, run_hunt},
    {Verb::hunt_report, "hunt report", "STORE", 1, 1, "write a folder for each fault of a hunt",
     "The machine code that the store keeps is judged again by the gate of this version; what is not a fault by it is "
     "listed. For each fault: the smallest test as PTX, the machine code where it is wrong and where it is right, a "
     "table of compilers and targets, its other forms, litmus tests for a device where the fault has a form for it, "
     "and the text of a bug report. Nothing is sent anywhere.",
     "fencepost hunt report hunt.db -o faults", false, run_hunt_report},
    {Verb::serve, "serve", "", 0, 0, "answer questions of an editor or an agent",
     "Reads one JSON object a line from standard input, {\"id\":1,\"arguments\":[\"check\",\"mp.litmus\"]}, runs the "
     "command line in it in a process of its own, and answers each with one JSON object a line, in the same order. "
     "'files' of a question brings texts along that are not on the disk. docs/howto/serve.md has both forms.\n\n"
     "The exit status is 0 at the end of the questions, whatever the answers are.",
     "fencepost serve --stdio", false, run_serve},
    {Verb::audit, "audit", "FILE|DIR...", 1, ~0u, "ask everything about the kernels of files, on one page",
     "Takes CUDA C++ (.cu), OpenCL C (.cl) and PTX modules (.ptx). Asks 'prove' about every kernel and launch of a "
     "file; and, at small launches (two blocks of one thread, one block of two, two of two), whether there are races "
     "under the memory model, whether every execution ends with fair scheduling and with blocks that are scheduled by "
     "occupancy, which fences are not needed, or which smallest change mends a race. Prints races, missing order, "
     "what may hang, fences not needed, and what is not decided and why (docs/audit.md).\n\n"
     "The exit status is 0 when nothing is found, 1 when something is, 3 when nothing is found and a question is not "
     "decided, and 2 when a file cannot be read.",
     "fencepost audit kernel.cu\n"
     "fencepost audit src --format sarif -o audit.sarif --baseline audit.known --cache .audit",
     false, run_audit},
    {Verb::prove, "prove", "FILE", 1, 1, "prove an OpenCL or CUDA kernel free of data races and barrier divergence",
     "Reads a kernel and decides for all pairs of threads and all schedules whether it has a data race, a barrier that "
     "not all threads of "
     "a group reach, or an assertion that fails. The launch is given as --local_size and --num_groups, or as "
     "--blockDim and --gridDim; a CUDA file may hold its launches. "
     "'fencepost prove --help' lists the options, which have a table of their own (docs/prove.md).\n\n"
     "The exit status is 0 when the kernel is verified, 1 when it has or may have a defect, and 3 when it is not "
     "decided.",
     "fencepost prove --local_size=64 --num_groups=16 kernel.cl\nfencepost prove --blockDim=256 --gridDim=* "
     "kernel.cu\nfencepost prove --suite examples/kernels",
     false, nullptr},
    {Verb::help_markdown, "help-markdown", "", 0, 0, "print the page docs/options.md",
     "Made from the tables behind --help.", "", true, nullptr},
}};

constexpr bool tables_in_order() {
  for (size_t i = 0; i < k_verbs.size(); ++i)
    if (static_cast<size_t>(k_verbs[i].verb) != i) return false;
  return true;
}
static_assert(tables_in_order());

}  // namespace

std::span<const OptionInfo> option_table() {
  static const std::vector<OptionInfo> all = [] {
    std::vector<OptionInfo> rows;
    for (const auto part :
         {check_options(), progress_options(), device_options(), tune_options(), gen_options(), hunt_options()})
      rows.insert(rows.end(), part.begin(), part.end());
    return rows;
  }();
  return all;
}
std::span<const VerbInfo> verb_table() { return k_verbs; }
const VerbInfo& info(Verb v) { return k_verbs[static_cast<size_t>(v)]; }

}  // namespace fencepost::cli
