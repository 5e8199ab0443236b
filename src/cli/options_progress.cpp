// The options of the progress verbs.
#include "cli/option_rows.h"

namespace fencepost::cli {
namespace {

constexpr OptionInfo k_rows[] = {
    {"--model", "-m", "NAME|FILE,...", Type::list, "the six shipped ones", "", 0, 0, "fair",
     k_p_run | k_p_check | k_p_lts | k_p_classify,
     "Progress models: names of shipped ones (see 'fencepost progress models') or .progress files, separated by "
     "commas.",
     put<&Settings::progress_models>},
    {"--fairness", "-f", "FAIRNESS", Type::choice, "both", "weak|strong|both", 0, 0, "oracle", k_p_check | k_p_expect,
     "What a fairly scheduled thread is promised. 'weak': it steps again and again. 'strong': each step that it could "
     "take again and "
     "again is taken.",
     put<&Settings::fairness>},
    {"--form", "", "FORM", Type::choice, "text", "text|pseudo|json|list", 0, 0, "axb", k_p_print | k_p_synth,
     "The form of printed tests: the .axb text, the published pseudo-code, JSON lines, or the bare lists whose digests "
     "are published.",
     put<&Settings::form>},
    {"--raw", "", "", Type::flag, "", "", 0, 0, "oracle", k_p_lts,
     "One edge for each instruction and each termination, with everything on its label. This is the default.",
     put<&Settings::raw>},
    {"--abstract", "", "", Type::flag, "", "", 0, 0, "oracle", k_p_lts,
     "Keep only who steps and who is fairly scheduled, and merge states that cannot be told apart (strong "
     "bisimulation).",
     put<&Settings::abstract>},
    {"--output", "-o", "FILE", Type::text, "standard output", "", 0, 0, "cli", k_relax, "The relaxed or repaired test.",
     put<&Settings::output>},
    {"--output", "-o", "DIR", Type::text, "standard output", "", 0, 0, "cli", k_lower,
     "A folder for counterexamples, made when missing.", put<&Settings::output>},
    {"--output", "-o", "DIR", Type::text, "standard output", "", 0, 0, "cli", k_gen | k_suite,
     "A folder for the tests, made when missing.", put<&Settings::output>},
    {"--output", "-o", "FILE", Type::text, "standard output", "", 0, 0, "cli", k_p_lts,
     "The ending (.aut, .dot, .svg) picks the form.", put<&Settings::output>},
    {"--output", "-o", "FILE", Type::text, "standard output", "", 0, 0, "cli", k_p_synth, "Where to write the tests.",
     put<&Settings::output>},
    {"--output", "-o", "DIR", Type::text, "standard output", "", 0, 0, "cli", k_p_export,
     "A folder, made when missing.", put<&Settings::output>},
    {"--output", "-o", "FILE", Type::text, "standard output", "", 0, 0, "cli", k_emit, "Where to write the code.",
     put<&Settings::output>},
    {"--output", "-o", "FILE", Type::text, "standard output", "", 0, 0, "cli", k_certify,
     "The ending (.html, .json, .xml for JUnit, else text) picks the form.", put<&Settings::output>},
    {"--output", "-o", "FILE", Type::text, "standard output", "", 0, 0, "cli", k_judge,
     "The ending (.csv, .json, .md, .svg, else text) picks the form.", put<&Settings::output>},
    {"--output", "-o", "FILE", Type::text, "standard output", "", 0, 0, "cli", k_tune | k_stats,
     "Configurations for a plan of a campaign.", put<&Settings::output>},
    {"--output", "-o", "FILE", Type::text, "standard output", "", 0, 0, "cli", k_report, "The page.",
     put<&Settings::output>},
    {"--output", "-o", "DIR", Type::text, "standard output", "", 0, 0, "cli", k_hunt_report,
     "A folder, made when missing.", put<&Settings::output>},
    {"--output", "-o", "FILE", Type::text, "standard output", "", 0, 0, "cli", k_audit,
     "The page; its ending (.html, .json, .sarif, .xml for JUnit, else text) picks the form where --format names none.",
     put<&Settings::output>},
    {"--rule", "", "RULE", Type::choice, "all", "all|literal|strict|script", 0, 0, "classify", k_p_classify,
     "Which definition of conformance and distinguishing tests to count by: the paper's sentences, the sentences with "
     "every other "
     "model excluded, or the order of the published script.",
     put<&Settings::rule>},
    {"--csv", "", "", Type::flag, "", "", 0, 0, "cli", k_run | k_p_classify | k_p_check | k_judge | k_stats,
     "Print comma-separated values: one row for each test, model and fairness (judge: for each state; stats: for each "
     "test, device and configuration).",
     put<&Settings::csv>},
    {"--tests", "", "FILE", Type::text, "", "", 0, 0, "cli", k_p_expect | k_p_compare,
     "The tests that the table speaks of: .axb text, published pseudo-code or JSON lines. progress compare: look among "
     "these.",
     put<&Settings::tests>},
    {"--verdicts", "", "", Type::flag, "", "", 0, 0, "synth", k_p_synth,
     "Also decide each test under the six models, weak and strong.", put<&Settings::verdicts>},
    {"--threads", "-t", "N", Type::whole, "2", "1..8", 1, 8, "synth", k_p_synth, "Number of threads.",
     put<&Settings::thread_count>},
    {"--instructions", "-i", "N", Type::whole, "4", "1..12", 1, 12, "synth", k_p_synth | k_p_compare,
     "Number of instructions of all threads together. progress compare: tests of up to this many are made and tried.",
     put<&Settings::instructions>},
    {"--per-thread", "", "N,N,...", Type::list, "every split", "", 0, 0, "synth", k_p_synth,
     "Number of instructions of each thread, in place of --threads and --instructions.", put<&Settings::per_thread>},
    {"--locations", "", "N", Type::whole, "2", "1..4", 1, 4, "synth", k_p_synth, "At most this many locations.",
     put<&Settings::locations>},
    {"--values", "", "N", Type::whole, "2", "1..8", 1, 8, "synth", k_p_synth, "Values are 0 to N-1.",
     put<&Settings::values>},
    {"--constraints", "", "NAME,...", Type::text, "all", "", 0, 0, "synth", k_p_synth,
     "What a test must meet: all, none, or names; a name after '-' is taken away ('all,-interesting'). The names: "
     "ends, "
     "no-surplus-threads, no-surplus-locations, interesting, comparisons, stores, branches.",
     put<&Settings::constraints>},
    {"--older-stores", "", "", Type::flag, "", "", 0, 0, "synth", k_p_synth,
     "The constraint on stores as it was when the published tests of two threads and three instructions were made.",
     put<&Settings::older_stores>},
    {"--shapes", "", "SHAPE,...", Type::text, "", "", 0, 0, "synth", k_p_synth,
     "Only tests with an instruction of each of these shapes: store, check, exch_branch, chk_branch or any, then where "
     "it jumps: self, "
     "back, forward, end ('exch_branch self,store').",
     put<&Settings::shapes>},
    {"--symmetry", "", "NAME,...", Type::text, "locations", "", 0, 0, "synth", k_p_synth,
     "Keep one of the tests that differ only by the names of locations, or also by the order of threads "
     "('locations,threads') or "
     "the names of values other than 0 ('locations,values'); 'none' keeps all.",
     put<&Settings::symmetry>},
    {"--count", "", "", Type::flag, "", "", 0, 0, "synth", k_p_synth | k_p_lts,
     "Print how many there are, canonical (up to the names of locations) and labelled (all), and nothing else. "
     "progress "
     "lts: print how many states and transitions there are, without a model and under each, in every form.",
     put<&Settings::count>},
    {"--resume", "", "FILE", Type::text, "", "", 0, 0, "synth", k_p_synth,
     "Keep finished work in FILE and go on from there when it exists.", put<&Settings::resume>},
    {"--target", "", "TARGET,...", Type::list, "cpp", "", 0, 0, "export", k_p_export,
     "litmus-ptx, litmus-vulkan, litmus-opencl, cuda, opencl, glsl, amber, metal, cpp.", put<&Settings::targets>},
    {"--mapping", "", "MAPPING,...", Type::list, "plain", "", 0, 0, "export", k_p_run | k_p_export,
     "How test threads lie on launched ones: plain, round-robin, chunked, hybrid, paired; progress run: or a file that "
     "lists the roles (a path with '.' or '/').",
     put<&Settings::mappings>},
    {"--total", "", "N", Type::whole, "by target and mapping", "1..16777216", 1, 16777216, "export",
     k_p_run | k_p_export, "Number of launched threads (workgroups of one).", put<&Settings::total>},
    {"--order", "", "ORDER", Type::choice, "relaxed", "relaxed|acq_rel|seq_cst", 0, 0, "export", k_p_run | k_p_export,
     "Memory order of every atomic instruction. progress run: acq_rel and seq_cst put a fence before and after each.",
     put<&Settings::order>},
    {"--loads", "", "KIND", Type::choice, "add", "add|load", 0, 0, "export", k_p_run | k_p_export,
     "A test instruction that only reads becomes an atomic addition of 0, as published, or an atomic load.",
     put<&Settings::loads>},
    {"--bundle", "", "", Type::flag, "", "", 0, 0, "export", k_p_export,
     "One source with all tests and a table of them, in place of one for each test.", put<&Settings::bundle>},
    {"--store", "", "FILE", Type::text, "", "", 0, 0, "store", k_p_run,
     "Keep every run in this store; made when missing. Runs that it holds already are not run again.",
     put<&Settings::progress_store>},
    {"--runs", "", "N", Type::whole, "20", "1..1000000", 1, 1000000, "trial", k_p_run,
     "Run each test so often under each mapping.", put<&Settings::progress_runs>},
    {"--early-stop", "", "", Type::flag, "", "", 0, 0, "trial", k_p_run,
     "Leave a test when its first five runs ended alike.", put<&Settings::early_stop>},
    {"--variant", "", "VARIANT", Type::choice, "inter-workgroup",
     "inter-workgroup|intra-workgroup|intra-warp|intra-warp-lock-step|cooperative", 0, 0, "trial", k_p_run,
     "Where the threads of a test lie: each in a workgroup of its own; all of an instance in one workgroup, each in a "
     "subgroup of its own; all in one subgroup (lock-step: built for lanes that share a program counter, CUDA); each "
     "in a workgroup of its own, in a "
     "launch that the device takes only when all workgroups are on it together.",
     put<&Settings::variant>},
    {"--contention", "", "N", Type::whole, "0", "0..1000000", 0, 1000000, "trial", k_p_run,
     "Invocations without a role add 0 to the test's locations so often before they end. Plain mappings with a larger "
     "--total have many.",
     put<&Settings::contention>},
    {"--watchdog", "", "TIME", Type::seconds, "100ms; processors: 1s", "for example 500ms, 60s, 2m", 0, 0, "trial",
     k_p_run, "How long a thread may take before it counts as starved.", put<&Settings::watchdog>},
    {"--no-watchdog", "", "", Type::flag, "", "", 0, 0, "trial", k_p_run,
     "Leave the watchdog out of the kernel: a run that starves hangs until --launch-limit, and its process is killed.",
     put<&Settings::no_watchdog>},
    {"--launch-limit", "", "TIME", Type::seconds, "20s and ten times the watchdog's", "for example 500ms, 60s, 2m", 0,
     0, "trial", k_p_run, "How long a launch may take before it counts as hung.",
     put<&Settings::progress_launch_limit>},
};

}  // namespace

std::span<const OptionInfo> progress_options() { return k_rows; }

}  // namespace fencepost::cli
