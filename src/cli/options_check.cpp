// The options of deciding: check, outcomes, explain, refine, expect, relax, lower, and what other verbs share with
// them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/trace.h"
#include "cli/option_rows.h"
#include "cli/worker.h"
#include "spirv/spirv.h"

namespace fencepost::cli {
namespace {

Expected<void> put_engine(Settings& s, const Value& v) {
  s.engine = v.text == "enumerate" ? check::Engine::enumerate
             : v.text == "solve"   ? check::Engine::solve
             : v.text == "both"    ? check::Engine::both
                                   : check::Engine::automatic;
  return {};
}

Expected<void> put_trace(Settings&, const Value& v) {
  for (const std::string& word : split(v.text, ',')) {
    const auto room = trace::room_of(word);
    if (!room)
      return error_at({}, fmt::format("'{}' is not a room that can be traced", word),
                      fmt::format("rooms are {}", fmt::join(trace::room_names(), ", ")));
    trace::turn_on(*room);
  }
  return {};
}

Expected<void> put_property(Settings& s, const Value& v) {
  s.property = v.text == "races"         ? check::Property::races
               : v.text == "termination" ? check::Property::termination
                                         : check::Property::condition;
  return {};
}

Expected<void> put_inputs(Settings& s, const Value& v) {
  s.inputs = split(v.text, ';');
  // Columns of messages are those of the whole text.
  size_t at = 0;
  for (std::string& part : s.inputs) {
    const size_t size = part.size();
    part.insert(0, at, ' ');
    at += size + 1;
  }
  return {};
}
Expected<void> put_exists(Settings& s, const Value& v) {
  s.condition = "exists (" + v.text + ")";
  return {};
}
Expected<void> put_liveness(Settings& s, const Value& v) {
  s.liveness = v.text == "scoped" ? reference::Fairness::scoped : reference::Fairness::co;
  return {};
}

Expected<void> put_dialect(Settings& s, const Value& v) {
  for (const auto d : {vocab::Dialect::ptx, vocab::Dialect::vulkan, vocab::Dialect::opencl})
    if (v.text == vocab::name(d)) s.dialect = d;
  return {};
}

Expected<void> put_defines(Settings& s, const Value& v) {
  for (std::string& d : split(v.text, ',')) s.defines.push_back(std::move(d));
  return {};
}
// A macro like any other; what may be said of it is known.
Expected<void> put_cuda_arch(Settings& s, const Value& v) {
  static constexpr std::string_view k_known[] = {"500", "520", "530", "600", "610", "620", "700",
                                                 "720", "750", "800", "860", "870", "890", "900"};
  if (std::find(std::begin(k_known), std::end(k_known), v.text) == std::end(k_known))
    return error_at({}, fmt::format("'{}' is not a value of __CUDA_ARCH__", v.text),
                    fmt::format("one of {}; 800 is sm_80", fmt::join(k_known, ", ")));
  s.defines.push_back("__CUDA_ARCH__=" + v.text);
  return {};
}

Expected<void> put_memory(Settings& s, const Value& v) {
  if (!parse_memory(v.text))
    return error_at({}, fmt::format("'{}' is not a size of memory", v.text),
                    "64M or more, for example 512M or 8G; or none");
  s.memory = v.text;
  return {};
}

Expected<void> put_format(Settings& s, const Value& v) {
  if (v.text != "text" && v.text != "json" && v.text != "sarif" && v.text != "junit")
    return error_at({}, fmt::format("'{}' is not a form", v.text), "text, json, sarif or junit");
  s.format = v.text;
  s.json = v.text != "text";
  return {};
}

Expected<void> put_audit_format(Settings& s, const Value& v) {
  s.format = v.text;
  s.json = v.text == "json";
  return {};
}

// All verbs that neither run devices nor only list.
constexpr uint64_t k_working = k_audit | k_relax | k_lower | k_deciding | k_expect | k_p_check | k_gen | k_suite |
                               k_judge | k_report | k_lint | bit(Verb::print) | k_emit | k_merge | k_stats | k_p_lts |
                               k_p_classify | k_p_compare | k_p_expect | k_p_synth | k_p_account | k_p_export |
                               k_p_print;

Expected<void> put_grid(Settings& s, const Value& v) {
  if (const auto grid = spirv::parse_grid(v.text); !grid) return std::unexpected(grid.error());
  s.grid = v.text;
  return {};
}

// Those among them that start nothing and write no store; the others say why (untrusted.h).
constexpr uint64_t k_confined = k_working & ~(k_audit | k_merge | k_p_synth);

constexpr OptionInfo k_rows[] = {
    {"--model", "-m", "NAME|FILE", Type::text, "by dialect: ptx-7.5, vulkan, opencl; cuda for CUDA tests", "", 0, 0,
     "cat",
     k_run | k_relax | k_lower | k_check | k_outcomes | k_explain | k_refine | k_gen | k_suite | k_certify | k_judge |
         k_report,
     "The memory model: the name of a shipped one (see 'fencepost models') or a .cat file.", put<&Settings::model>},
    {"--variant", "", "NAME=ANSWER,...", Type::text, "the model's defaults", "", 0, 0, "cat",
     k_check | k_outcomes | k_explain | k_relax,
     "Answers to questions that the model's document leaves open, as in P2=strict,SC=no; without --model, of ptx-9 "
     "(docs/models.md). A model name takes them too: ptx-9[P2=strict].",
     put<&Settings::variants>},
    {"--engine", "-e", "ENGINE", Type::choice, "auto", "auto|enumerate|solve|both", 0, 0, "check",
     k_run | k_relax | k_lower | k_deciding | k_expect | k_gen | k_suite | k_certify | k_judge,
     "How to decide. 'enumerate' builds every execution, 'solve' asks a SAT solver, 'both' runs the two and treats a "
     "disagreement as an internal error, 'auto' picks.",
     put_engine},
    {"--trace", "", "ROOM,...", Type::list, "", "", 0, 0, "base", k_check | k_p_check,
     "Tell on standard error what the engines do and why: 'check' which bounds and questions are asked and what each "
     "answers, 'encode' what was left out, how large the clauses are and what decided without search, 'sat' each "
     "question to the SAT solver with its answer, size and effort, 'explicit' how many states an exploration has, or "
     "why termination is not decided by states; of progress check 'oracle' how many states there are and which of "
     "them may go round for ever. The words may change; programs read the statistics of --json.",
     put_trace},
    {"--property", "-p", "PROPERTY", Type::choice, "condition", "condition|races|termination", 0, 0, "check",
     k_check | k_explain | k_diff,
     "What to decide: the test's own condition, whether some execution raises a flag of the model (a data race), or "
     "whether every "
     "execution ends (see --progress and --liveness).",
     put_property},
    {"--operational", "", "", Type::flag, "", "", 0, 0, "machine", k_outcomes,
     "In place of a memory model, the abstract machine of the 2014 thesis: per-address queues, a load array, views "
     "with block and device marks "
     "(docs/operational.md). GPU_PTX tests without loops.",
     put<&Settings::operational>},
    {"--coherent-loads", "", "", Type::flag, "", "", 0, 0, "machine", k_outcomes,
     "With --operational: without the load array, so that loads of one address keep their order.",
     put<&Settings::coherent_loads>},
    {"--steps", "", "", Type::flag, "", "", 0, 0, "machine", k_outcomes,
     "With --operational: also the steps of the machine to a final state that the test asks about.",
     put<&Settings::steps_shown>},
    {"--bound", "-b", "N|auto", Type::whole_or_auto, "1", "1..1000 or auto", 1, 1000, "check",
     k_run | k_relax | k_lower | k_deciding | k_audit,
     "How often the body of a loop may run. An answer that more iterations could change is 'unknown'. 'auto' tries 1, "
     "then twice as much for "
     "the loops that reached their bound, and so on, until the answer is another, the --budget is spent, or, without a "
     "budget, 32 has been tried. "
     "With 'auto' iterations that change nothing (a failed attempt to take a lock) do not count, so that it may decide "
     "what no N does.",
     put<&Settings::bound>},
    {"--bounds", "", "FILE", Type::text, "", "", 0, 0, "check", k_check | k_outcomes | k_explain,
     "Take the bounds of loops from FILE, which --save-bounds has made and people may edit; --bound is for the loops "
     "that it does not list. "
     "As with auto, iterations that change nothing do not count.",
     put<&Settings::bounds>},
    {"--save-bounds", "", "FILE", Type::text, "", "", 0, 0, "check", k_check,
     "Write to FILE, for each loop, the bound at which the answer was given.", put<&Settings::save_bounds>},
    {"--budget", "", "TIME", Type::seconds, "none", "for example 500ms, 60s, 2m", 0, 0, "check",
     k_run | k_lower | k_deciding | k_expect | k_p_check | k_gen | k_suite | k_judge | k_report,
     "Time for one test (--total-budget, where the verb has it, bounds a command of many). When it is spent, the "
     "answer "
     "is 'gave_up'; work that is not over a little later is ended.",
     put<&Settings::budget>},
    {"--budget", "", "TIME", Type::seconds, "none", "for example 500ms, 60s, 2m", 0, 0, "check",
     k_p_run | k_campaign | k_hunt | k_lint | bit(Verb::print) | k_emit | k_merge | k_stats | k_p_lts | k_p_classify |
         k_p_compare | k_p_expect | k_p_account | k_p_export | k_p_print,
     "Time for this command. When it is spent, it stops, or the answer is 'gave_up'.", put<&Settings::budget>},
    {"--budget", "", "TIME", Type::seconds, "2m", "for example 500ms, 60s, 2m", 0, 0, "check", k_relax,
     "Time for the answer. What is not decided when it is spent is said to be so.", put<&Settings::budget>},
    {"--budget", "", "TIME", Type::seconds, "none", "for example 500ms, 60s, 2m", 0, 0, "check", k_tune,
     "Time of measuring each test. When it is spent, the best of what was measured is the answer.",
     put<&Settings::budget>},
    {"--total-budget", "", "TIME", Type::seconds, "none", "for example 500ms, 60s, 2m", 0, 0, "check",
     k_check | k_diff | k_expect | k_p_check | k_gen | k_suite | k_lower | k_judge | k_report | k_audit | k_certify,
     "Time for the whole command, however many tests it decides. A test has at most what is left of it; when it is "
     "spent, all tests that are not decided are 'gave up', and what is not over a little later is ended, exit status "
     "3. certify: making the suite, the device and judging; a suite that is not made by then has no answer.",
     put<&Settings::total_budget>},
    {"--budget", "", "TIME", Type::seconds, "10s", "for example 500ms, 60s, 2m", 0, 0, "check", k_audit,
     "Time for each question about a kernel at a small launch, and for prove of each kernel. What is not decided then "
     "is listed.",
     put<&Settings::budget>},
    {"--budget", "", "TIME", Type::seconds, "60s", "for example 500ms, 60s, 2m", 0, 0, "check", k_certify,
     "Time on the device. Making the suite and its mutants before, and judging what was seen after, is not part of it; "
     "the suite is the same whatever the time.",
     put<&Settings::budget>},
    {"--memory", "", "SIZE", Type::text, "2G", "64M or more, for example 512M, 8G; or none", 0, 0, "cli", k_working,
     "The memory of the process that does the work (of each, with --jobs). When it is spent, the answer is 'gave up'.",
     put_memory},
    {"--untrusted", "", "", Type::flag, "", "", 0, 0, "cage", k_confined,
     "The input is a stranger's: it is read by one process that may open nothing but the input's folder and what comes "
     "with the program, write nothing but the outputs that are named, and start nothing; of at most 1 MiB, within 60 s "
     "or the --budget, which is of the whole command then (docs/untrusted.md). Exit code 4 where the system cannot "
     "confine a process.",
     put<&Settings::untrusted>},
    {"--seed", "", "N", Type::whole, "1", "0..2^64-1", 0, ~uint64_t{0}, "base",
     k_tune | k_p_run | k_run | k_p_export | k_emit | k_stats | k_certify | k_hunt,
     "Seed of everything that is random. The same input, seed and version give the same output.", put<&Settings::seed>},
    {"--jobs", "-j", "N", Type::whole, "one per processor", "1..1024", 1, 1024, "cli",
     k_lower | k_check | k_diff | k_expect | k_p_check | k_p_synth | k_gen | k_suite | k_certify | k_hunt | k_audit,
     "How many tests are decided (hunt: compiled) at the same time.", put<&Settings::threads>},
    {"--json", "", "", Type::flag, "", "", 0, 0, "report",
     k_tune | k_p_run | k_run | k_devices | k_relax | k_lower | k_deciding | k_lint | k_expect | k_models | k_p_check |
         k_p_lts | k_p_classify | k_p_compare | k_p_expect | k_p_synth | k_p_export | k_p_account | k_p_models | k_gen |
         k_suite | k_campaign | k_certify | k_merge | k_judge | k_stats | k_hunt | k_audit,
     "Print JSON with a versioned schema instead of text. Several tests make one array.", put<&Settings::json>},
    {"--output", "-o", "FILE", Type::text, "standard output", "", 0, 0, "cli", k_every & ~k_own_output,
     "Write the answer to FILE in place of standard output.", put<&Settings::answer_file>},
    {"--quiet", "-q", "", Type::flag, "", "", 0, 0, "cli", k_every,
     "Print nothing where the exit status is 0. What is asked to be written to files is written.",
     put<&Settings::quiet>},
    {"--color", "", "WHEN", Type::choice, "auto", "auto|always|never", 0, 0, "cli", k_every,
     "Colours of verdicts and errors. 'auto': on a terminal, unless the variable NO_COLOR is set. Never in JSON, files "
     "and pages.",
     put<&Settings::colour>},
    {"--stdio", "", "", Type::flag, "", "", 0, 0, "cli", k_serve,
     "Questions come on standard input, answers go to standard output.", put<&Settings::stdio>},
    {"--format", "", "FORM", Type::text, "text", "text, json, sarif or junit", 0, 0, "cli", k_check | k_expect,
     "The form of the answers. sarif is SARIF 2.1.0, for code-scanning viewers, junit the XML of test reports; in both "
     "an answer that is not decided is not a pass. json is --json.",
     put_format},
    {"--format", "", "FORM", Type::choice, "by the ending of --output, else text", "text|json|sarif|junit|html", 0, 0,
     "cli", k_audit,
     "The form of the page; the endings are .json, .sarif, .xml (junit), .html and .txt. sarif is SARIF 2.1.0, for "
     "code-scanning viewers, junit the XML of test reports; in both "
     "what is not decided is not a pass. html is one file that loads nothing. json is --json.",
     put_audit_format},
    {"--define", "", "NAME=VALUE,...", Type::list, "", "", 0, 0, "cli", k_audit,
     "Macros for the preprocessor, as -D of compilers.", put_defines},
    {"--cuda-arch", "", "N", Type::text, "", "", 0, 0, "front", k_audit | k_launch,
     "The value of __CUDA_ARCH__ in CUDA C++: 800 for sm_80. Without it 700, or a newer one that the file has code "
     "for.",
     put_cuda_arch},
    {"--include", "", "DIR,...", Type::list, "", "", 0, 0, "cli", k_audit,
     "Folders of included files, as -I of compilers.", put<&Settings::include_folders>},
    {"--baseline", "", "FILE", Type::text, "", "", 0, 0, "cli", k_audit,
     "Findings that FILE has are known: they are marked, and the exit code does not count them. They are told by kind, "
     "file, kernel and the text of their line, not by its number.",
     put<&Settings::baseline>},
    {"--write-baseline", "", "FILE", Type::text, "", "", 0, 0, "cli", k_audit,
     "Write all findings to FILE, for --baseline.", put<&Settings::write_baseline>},
    {"--cache", "", "DIR", Type::text, "", "", 0, 0, "cli", k_audit,
     "Keep answers in the folder DIR, by the hash of what they depend on: the file and what it includes, options, and "
     "this program. An answer whose file was changed is not believed. With --cuda-path nothing is kept.",
     put<&Settings::answer_cache>},
    {"--witness", "-w", "FILE", Type::text, "", "*.svg, *.dot, *.graphml, *.witness.graphml, *.json or *.txt", 0, 0,
     "report", k_relax | k_check | k_explain | k_refine | k_p_check,
     "Write the execution (progress check: the schedule) that the answer rests on to FILE; its ending picks the form: "
     ".graphml is the picture as a graph, .witness.graphml a violation witness as tools of software verification "
     "exchange it (progress check: the picture, too). One test only.",
     put<&Settings::witness>},
    {"--certificate", "", "DIR", Type::text, "", "", 0, 0, "certify", k_check,
     "Write into the folder DIR what fencepost-verify needs to check the answer without this program: the texts and a "
     "statement, and the execution where the answer is reachable or a proof where it is not (docs/certificates.md). "
     "One test only.",
     put<&Settings::output>},
    {"--candidates", "-n", "N", Type::whole, "3", "1..1000", 1, 1000, "report", k_explain,
     "How many rejected candidate executions to tell in full.", put<&Settings::candidates>},
    {"--root", "", "DIR", Type::text, ".", "", 0, 0, "cli", k_expect,
     "The folder that the paths of the table start from.", put<&Settings::root>},
    {"--suites", "-s", "A,B", Type::list, "all", "", 0, 0, "cli", k_expect, "Only the rows of these suites.",
     put<&Settings::suites>},
    {"--grid", "", "T.S.W", Type::text, "", "", 0, 0, "front", k_expect | k_launch | k_refine | k_audit,
     "Launch a shader or kernel on this grid: threads of a subgroup (warp), subgroups of a workgroup (block), "
     "workgroups (AxB, AxBxC in more "
     "dimensions), "
     "queue families and devices if more than one. The default is what the table says, then what the module says.",
     put_grid},
    {"--no-spurious-failures", "", "", Type::flag, "", "", 0, 0, "front",
     k_check | k_outcomes | k_explain | k_relax | k_expect,
     "Take it that a weak compare-exchange fails only where it does not find what it expects. Without this option it "
     "may "
     "also fail spuriously, "
     "finitely often.",
     put<&Settings::no_spurious_failures>},
    {"--readings", "", "", Type::flag, "", "", 0, 0, "cat", k_check,
     "Ask the other readings of the model's document as well, each for as long as the model itself, and say which "
     "sentences the two read differently where they disagree.",
     put<&Settings::readings>},
    {"--input", "", "X=V;Y=V", Type::text, "", "", 0, 0, "front", k_launch | k_audit,
     "Initial values of a shader's variables, or of what a kernel's parameters are and point at, in place of those "
     "that "
     "it gives in comments. audit: of the kernel of --entry, at its small launches.",
     put_inputs},
    {"--condition", "", "QUESTION", Type::text, "", "", 0, 0, "front", k_launch,
     "The question about a shader: 'exists C', 'not exists C' or 'forall C', in place of its own.",
     put<&Settings::condition>},
    {"--exists", "", "C", Type::text, "", "", 0, 0, "front", k_launch, "Short for --condition 'exists (C)'.",
     put_exists},
    {"--filter", "", "C", Type::text, "", "", 0, 0, "front", k_launch,
     "Only executions of a shader that end in C count, in place of its own filter.", put<&Settings::filter>},
    {"--entry", "", "NAME", Type::text, "", "", 0, 0, "front", k_launch | k_audit,
     "The entry point of a module that has several. audit: the one kernel that is asked about.", put<&Settings::entry>},
    {"--model-dir", "", "DIR", Type::text, "", "", 0, 0, "cli", k_expect,
     "Use DIR/MODEL.cat, with the table's spelling of MODEL, in place of the shipped models.",
     put<&Settings::model_dir>},
    {"--dialect", "-d", "DIALECT", Type::choice, "ptx", "ptx|vulkan|opencl", 0, 0, "cat", k_lint,
     "The dialect of a model whose file does not name one.", put_dialect},
    {"--progress", "", "MODEL", Type::text, "FAIR", "", 0, 0, "fair", k_relax | k_check | k_explain | k_diff | k_expect,
     "Termination: which threads the scheduler promises to go on running. FAIR, UNFAIR, HSA, OBE, HSA_OBE, LOBE or a "
     ".progress file "
     "that is a closed form, for every scope level; or one model per level, QF=OBE,SG=HSA: SG names the choice among "
     "the threads of a "
     "subgroup, ROOT the choice among the widest groups, DEFAULT all other levels (FAIR if it is not given). 'strong:' "
     "before all of it asks for strong fairness: a step that could be taken again and again from one state is taken.",
     put<&Settings::progress>},
    {"--liveness", "", "DEFINITION", Type::choice, "co", "co|scoped", 0, 0, "check",
     k_relax | k_check | k_explain | k_diff | k_expect,
     "Termination: which writes a loop that reads for ever is sure to see. 'co': every write that comes later in co. "
     "'scoped': only "
     "those that are in scope of the read, and it of them.",
     put_liveness},
    {"--keep", "", "PROPERTY,...", Type::list, "condition,races,termination", "", 0, 0, "relax", k_relax,
     "The properties that a weaker test must keep, and that a repair must establish: condition, races, termination. A "
     "property other than the "
     "condition that does not hold as written is left alone unless it is named here; so are races that leave a program "
     "defined (PTX).",
     put<&Settings::keep>},
    {"--forbid", "", "", Type::flag, "", "", 0, 0, "relax", k_relax,
     "Read 'exists C' as '~exists C': a test that reaches C is to be repaired.", put<&Settings::forbid>},
    {"--each-thread", "", "", Type::flag, "", "", 0, 0, "prog", k_relax,
     "Change threads one by one. Without it, threads whose code is the same up to operands change together, as those "
     "of one kernel do.",
     put<&Settings::each_thread>},
    {"--steps", "", "STEPS", Type::choice, "all", "all|order|drop", 0, 0, "relax", k_relax,
     "Which weaker forms are tried: 'all'; 'order', those with the scope as written; 'drop', only the weakest one of "
     "each site.",
     put<&Settings::steps>},
    {"--exhaustive", "", "", Type::flag, "", "", 0, 0, "relax", k_relax,
     "Go through every combination of forms (at most 200000) and print all weakest correct ones.",
     put<&Settings::exhaustive>},
    {"--changes", "", "N", Type::whole, "3", "1..8", 1, 8, "relax", k_relax,
     "A repair changes at most this many sites.", put<&Settings::changes>},
    {"--site", "", "N", Type::whole, "", "1..10000", 1, 10000, "relax", k_relax,
     "Show the execution that makes site N needed.", put<&Settings::site>},
    {"--generate", "", "N", Type::whole, "", "1..6", 1, 6, "lower", k_lower,
     "Check every test of 2 and 3 threads with up to N accesses over the instructions that the table maps.",
     put<&Settings::generate>},
    {"--to-model", "", "NAME|FILE", Type::text, "by dialect", "", 0, 0, "cat", k_lower,
     "The memory model that lowered tests are judged by; --model is that of the tests as given.",
     put<&Settings::to_model>},
};

}  // namespace

std::span<const OptionInfo> check_options() { return k_rows; }

}  // namespace fencepost::cli
