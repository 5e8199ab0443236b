#include <array>

#include "cli/options.h"

namespace fencepost::cli {
namespace {

constexpr uint64_t bit(Verb v) { return uint64_t{1} << static_cast<uint32_t>(v); }
constexpr uint64_t k_check = bit(Verb::check), k_outcomes = bit(Verb::outcomes), k_explain = bit(Verb::explain),
                   k_diff = bit(Verb::diff_models), k_refine = bit(Verb::refine), k_lint = bit(Verb::lint_model),
                   k_expect = bit(Verb::expect), k_models = bit(Verb::models);
constexpr uint64_t k_p_check = bit(Verb::progress_check), k_p_lts = bit(Verb::progress_lts), k_p_classify = bit(Verb::progress_classify),
                   k_p_compare = bit(Verb::progress_compare), k_p_expect = bit(Verb::progress_expect),
                   k_p_synth = bit(Verb::progress_synth), k_p_account = bit(Verb::progress_account), k_p_export = bit(Verb::progress_export),
                   k_p_print = bit(Verb::progress_print), k_p_models = bit(Verb::progress_models), k_p_run = bit(Verb::progress_run);
constexpr uint64_t k_relax = bit(Verb::relax), k_lower = bit(Verb::lower), k_emit = bit(Verb::emit), k_gen = bit(Verb::gen),
                   k_suite = bit(Verb::suite), k_run = bit(Verb::run), k_devices = bit(Verb::devices);
constexpr uint64_t k_campaign = bit(Verb::campaign), k_merge = bit(Verb::merge), k_judge = bit(Verb::judge);
constexpr uint64_t k_launch = k_check | k_outcomes | k_explain | bit(Verb::print);
constexpr uint64_t k_deciding = k_check | k_outcomes | k_explain | k_diff | k_refine;

constexpr std::array<OptionInfo, static_cast<size_t>(OptionId::count_)> k_options = {{
    {OptionId::model, "--model", "-m", "NAME|FILE", Type::text, "by dialect: ptx-7.5, vulkan, opencl", "", 0, 0, "cat",
     k_run | k_relax | k_lower | k_check | k_outcomes | k_explain | k_refine | k_gen | k_suite | k_judge,
     "The memory model: the name of a shipped one (see 'fencepost models') or a .cat file."},
    {OptionId::engine, "--engine", "-e", "ENGINE", Type::choice, "auto", "auto|enumerate|solve|both", 0, 0, "check",
     k_run | k_relax | k_lower | k_deciding | k_expect | k_gen | k_suite | k_judge,
     "How to decide. 'enumerate' builds every execution, 'solve' asks a SAT solver, 'both' runs the two and treats a "
     "disagreement as an internal error, 'auto' picks."},
    {OptionId::property, "--property", "-p", "PROPERTY", Type::choice, "condition", "condition|races|termination", 0, 0, "check",
     k_check | k_explain | k_diff,
     "What to decide: the test's own condition, whether some execution raises a flag of the model (a data race), or whether every "
     "execution ends (see --progress and --liveness)."},
    {OptionId::bound, "--bound", "-b", "N|auto", Type::whole, "1", "1..1000 or auto", 1, 1000, "check", k_run | k_relax | k_lower | k_deciding,
     "How often the body of a loop may run. An answer that more iterations could change is 'unknown'. 'auto' tries 1, 2, 4 and so on "
     "until the answer is another, the --budget is spent, or, without a budget, 32 has been tried."},
    {OptionId::budget, "--budget", "", "TIME", Type::seconds, "none", "for example 500ms, 60s, 2m", 0, 0, "check",
     k_p_run | k_run | k_relax | k_lower | k_deciding | k_expect | k_p_check | k_gen | k_suite | k_campaign | k_judge, "Time for one test (campaign, progress run: for this command). When it is spent, the answer is 'gave_up'."},
    {OptionId::seed, "--seed", "", "N", Type::whole, "1", "0..2^64-1", 0, ~uint64_t{0}, "base", k_p_run | k_run | k_relax | k_lower | k_deciding | k_expect | k_p_export | k_emit,
     "Seed of everything that is random. The same input, seed and version give the same output."},
    {OptionId::threads, "--jobs", "-j", "N", Type::whole, "one per processor", "1..1024", 1, 1024, "cli",
     k_lower | k_check | k_diff | k_expect | k_p_check | k_p_synth | k_gen | k_suite, "How many tests are decided at the same time."},
    {OptionId::json, "--json", "", "", Type::flag, "", "", 0, 0, "report",
     k_p_run | k_run | k_devices | k_relax | k_lower | k_deciding | k_lint | k_expect | k_models | k_p_check | k_p_lts | k_p_classify | k_p_compare | k_p_expect | k_p_synth | k_p_export |
         k_p_account | k_p_models | k_gen | k_suite | k_campaign | k_merge | k_judge,
     "Print JSON with a versioned schema instead of text. Several tests make one array."},
    {OptionId::witness, "--witness", "-w", "FILE", Type::text, "", "*.svg, *.dot, *.json or *.txt", 0, 0, "report",
     k_relax | k_check | k_explain | k_refine | k_p_check,
     "Write the execution (progress check: the schedule) that the answer rests on to FILE; its ending picks the form. One test only."},
    {OptionId::candidates, "--candidates", "-n", "N", Type::whole, "3", "1..1000", 1, 1000, "report", k_explain,
     "How many rejected candidate executions to tell in full."},
    {OptionId::root, "--root", "", "DIR", Type::text, ".", "", 0, 0, "cli", k_expect,
     "The folder that the paths of the table start from."},
    {OptionId::suites, "--suites", "-s", "A,B", Type::list, "all", "", 0, 0, "cli", k_expect,
     "Only the rows of these suites."},
    {OptionId::grid, "--grid", "", "T.S.W", Type::text, "", "", 0, 0, "front", k_expect | k_launch,
     "Launch a shader on this grid: invocations per subgroup, subgroups per workgroup, workgroups (AxB, AxBxC in more dimensions), "
     "queue families and devices if more than one. The default is what the table says, then what the module says."},
    {OptionId::inputs, "--input", "", "X=V;Y=V", Type::text, "", "", 0, 0, "front", k_launch,
     "Initial values of a shader's variables, in place of those that it gives in comments."},
    {OptionId::condition, "--condition", "", "QUESTION", Type::text, "", "", 0, 0, "front", k_launch,
     "The question about a shader: 'exists C', 'not exists C' or 'forall C', in place of its own."},
    {OptionId::exists, "--exists", "", "C", Type::text, "", "", 0, 0, "front", k_launch,
     "Short for --condition 'exists (C)'."},
    {OptionId::filter, "--filter", "", "C", Type::text, "", "", 0, 0, "front", k_launch,
     "Only executions of a shader that end in C count, in place of its own filter."},
    {OptionId::entry, "--entry", "", "NAME", Type::text, "", "", 0, 0, "front", k_launch,
     "The entry point of a module that has several."},
    {OptionId::model_dir, "--model-dir", "", "DIR", Type::text, "", "", 0, 0, "cli", k_expect,
     "Use DIR/MODEL.cat, with the table's spelling of MODEL, in place of the shipped models."},
    {OptionId::dialect, "--dialect", "-d", "DIALECT", Type::choice, "ptx", "ptx|vulkan|opencl", 0, 0,
     "cat", k_lint, "The dialect of a model whose file does not name one."},
    {OptionId::progress_models, "--model", "-m", "NAME|FILE,...", Type::list, "the six shipped ones", "", 0, 0, "fair",
     k_p_run | k_p_check | k_p_lts | k_p_classify,
     "Progress models: names of shipped ones (see 'fencepost progress models') or .progress files, separated by commas."},
    {OptionId::fairness, "--fairness", "-f", "FAIRNESS", Type::choice, "both", "weak|strong|both", 0, 0, "oracle",
     k_p_check | k_p_expect,
     "What a fairly scheduled thread is promised. 'weak': it steps again and again. 'strong': each step that it could take again and "
     "again is taken."},
    {OptionId::form, "--form", "", "FORM", Type::choice, "text", "text|pseudo|json|list", 0, 0, "axb", k_p_print | k_p_synth,
     "The form of printed tests: the .axb text, the published pseudo-code, JSON lines, or the bare lists whose digests are published."},
    {OptionId::raw, "--raw", "", "", Type::flag, "", "", 0, 0, "oracle", k_p_lts,
     "One edge for each instruction and each termination, with everything on its label. This is the default."},
    {OptionId::abstract, "--abstract", "", "", Type::flag, "", "", 0, 0, "oracle", k_p_lts,
     "Keep only who steps and who is fairly scheduled, and merge states that nobody could tell apart (strong bisimulation)."},
    {OptionId::output, "--output", "-o", "FILE|DIR", Type::text, "standard output", "", 0, 0, "cli", k_relax | k_lower | k_p_lts | k_p_synth | k_p_export | k_emit | k_gen | k_suite | k_judge,
     "Where to write. relax: the relaxed or repaired test. lower: a folder for counterexamples. gen, suite: a folder for the tests, made when missing. progress lts: the ending (.aut, .dot, .svg) picks the form. judge: the ending (.csv, .json, .md, .svg) picks the form. progress export: a folder, made when missing."},
    {OptionId::rule, "--rule", "", "RULE", Type::choice, "all", "all|literal|strict|script", 0, 0, "classify", k_p_classify,
     "Which definition of conformance and distinguishing tests to count by: the paper's sentences, the sentences with every other "
     "model excluded, or the order of the published script."},
    {OptionId::csv, "--csv", "", "", Type::flag, "", "", 0, 0, "cli", k_run | k_p_classify | k_p_check | k_judge,
     "Print comma-separated values: one row for each test, model and fairness (judge: for each state)."},
    {OptionId::tests, "--tests", "", "FILE", Type::text, "", "", 0, 0, "cli", k_p_expect | k_p_compare,
     "The tests that the table speaks of: .axb text, published pseudo-code or JSON lines. progress compare: look among these."},
    {OptionId::verdicts, "--verdicts", "", "", Type::flag, "", "", 0, 0, "synth", k_p_synth,
     "Also decide each test under the six models, weak and strong."},
    {OptionId::thread_count, "--threads", "-t", "N", Type::whole, "2", "1..8", 1, 8, "synth", k_p_synth, "Number of threads."},
    {OptionId::instructions, "--instructions", "-i", "N", Type::whole, "4", "1..12", 1, 12, "synth", k_p_synth | k_p_compare,
     "Number of instructions of all threads together. progress compare: tests of up to this many are made and tried."},
    {OptionId::per_thread, "--per-thread", "", "N,N,...", Type::list, "every split", "", 0, 0, "synth", k_p_synth,
     "Number of instructions of each thread, in place of --threads and --instructions."},
    {OptionId::locations, "--locations", "", "N", Type::whole, "2", "1..4", 1, 4, "synth", k_p_synth, "At most this many locations."},
    {OptionId::values, "--values", "", "N", Type::whole, "2", "1..8", 1, 8, "synth", k_p_synth, "Values are 0 to N-1."},
    {OptionId::constraints, "--constraints", "", "NAME,...", Type::text, "all", "", 0, 0, "synth", k_p_synth,
     "What a test must meet: all, none, or names; a name after '-' is taken away ('all,-interesting'). The names: ends, "
     "no-surplus-threads, no-surplus-locations, interesting, comparisons, stores, branches."},
    {OptionId::older_stores, "--older-stores", "", "", Type::flag, "", "", 0, 0, "synth", k_p_synth,
     "The constraint on stores as it was when the published tests of two threads and three instructions were made."},
    {OptionId::shapes, "--shapes", "", "SHAPE,...", Type::text, "", "", 0, 0, "synth", k_p_synth,
     "Only tests with an instruction of each of these shapes: store, check, exch_branch, chk_branch or any, then where it jumps: self, "
     "back, forward, end ('exch_branch self,store')."},
    {OptionId::symmetry, "--symmetry", "", "NAME,...", Type::text, "locations", "", 0, 0, "synth", k_p_synth,
     "Keep one of the tests that differ only by the names of locations, or also by the order of threads ('locations,threads') or "
     "the names of values other than 0 ('locations,values'); 'none' keeps all."},
    {OptionId::count, "--count", "", "", Type::flag, "", "", 0, 0, "synth", k_p_synth,
     "Print how many there are, canonical (up to the names of locations) and labelled (all), and nothing else."},
    {OptionId::resume, "--resume", "", "FILE", Type::text, "", "", 0, 0, "synth", k_p_synth,
     "Keep finished work in FILE and go on from there when it exists."},
    {OptionId::target, "--target", "", "TARGET,...", Type::list, "cpp", "", 0, 0, "export", k_p_export,
     "litmus-ptx, litmus-vulkan, litmus-opencl, cuda, opencl, glsl, amber, metal, cpp."},
    {OptionId::mapping, "--mapping", "", "MAPPING,...", Type::list, "plain", "", 0, 0, "export", k_p_run | k_p_export,
     "How test threads lie on launched ones: plain, round-robin, chunked, hybrid."},
    {OptionId::total, "--total", "", "N", Type::whole, "by target and mapping", "1..16777216", 1, 16777216, "export", k_p_run | k_p_export,
     "Number of launched threads (workgroups of one)."},
    {OptionId::order, "--order", "", "ORDER", Type::choice, "relaxed", "relaxed|acq_rel|seq_cst", 0, 0, "export", k_p_run | k_p_export,
     "Memory order of every atomic instruction. progress run: relaxed, or seq_cst, which puts a fence before and after each."},
    {OptionId::loads, "--loads", "", "KIND", Type::choice, "add", "add|load", 0, 0, "export", k_p_run | k_p_export,
     "A test instruction that only reads becomes an atomic addition of 0, as published, or an atomic load."},
    {OptionId::bundle, "--bundle", "", "", Type::flag, "", "", 0, 0, "export", k_p_export,
     "One source with all tests and a table of them, in place of one for each test."},
    {OptionId::progress, "--progress", "", "MODEL", Type::text, "FAIR", "", 0, 0, "fair", k_relax | k_check | k_explain | k_diff | k_expect,
     "Termination: which threads the scheduler promises to go on running. FAIR, UNFAIR, HSA, OBE, HSA_OBE, LOBE or a .progress file "
     "that is a closed form, for every scope level; or one model per level, QF=OBE,SG=HSA: SG names the choice among the threads of a "
     "subgroup, ROOT the choice among the widest groups, DEFAULT all other levels (FAIR if it is not given)."},
    {OptionId::liveness, "--liveness", "", "DEFINITION", Type::choice, "co", "co|scoped", 0, 0, "check",
     k_relax | k_check | k_explain | k_diff | k_expect,
     "Termination: which writes a loop that reads for ever is sure to see. 'co': every write that comes later in co. 'scoped': only "
     "those that are in scope of the read, and it of them."},
    {OptionId::keep, "--keep", "", "PROPERTY,...", Type::list, "condition,races,termination", "", 0, 0, "relax", k_relax,
     "The properties that a weaker test must keep, and that a repair must establish: condition, races, termination. A property other than the "
     "condition that does not hold as written is left alone unless it is named here."},
    {OptionId::forbid, "--forbid", "", "", Type::flag, "", "", 0, 0, "relax", k_relax,
     "Read 'exists C' as '~exists C': a test that reaches C is to be repaired."},
    {OptionId::each_thread, "--each-thread", "", "", Type::flag, "", "", 0, 0, "prog", k_relax,
     "Change threads one by one. Without it, threads whose code is the same up to operands change together, as those of one kernel do."},
    {OptionId::steps, "--steps", "", "STEPS", Type::choice, "all", "all|order|drop", 0, 0, "relax", k_relax,
     "Which weaker forms are tried: 'all'; 'order', those with the scope as written; 'drop', only the weakest one of each site."},
    {OptionId::exhaustive, "--exhaustive", "", "", Type::flag, "", "", 0, 0, "relax", k_relax,
     "Go through every combination of forms (at most 200000) and print all weakest correct ones."},
    {OptionId::changes, "--changes", "", "N", Type::whole, "3", "1..8", 1, 8, "relax", k_relax, "A repair changes at most this many sites."},
    {OptionId::site, "--site", "", "N", Type::whole, "", "1..10000", 1, 10000, "relax", k_relax,
     "Show the execution that makes site N needed."},
    {OptionId::generate, "--generate", "", "N", Type::whole, "", "1..6", 1, 6, "lower", k_lower,
     "Check every test of 2 and 3 threads with up to N accesses over the instructions that the table maps."},
    {OptionId::to_model, "--to-model", "", "NAME|FILE", Type::text, "by dialect", "", 0, 0, "cat", k_lower,
     "The memory model that lowered tests are judged by; --model is that of the tests as given."},
    {OptionId::emit_target, "--target", "", "TARGET", Type::choice, "cuda-source", "cuda-source|ptx|opencl-source|cpp|amber|metal|glsl|spirv", 0, 0, "reproduce", k_emit,
     "What to write. Runs: 'cuda-source', a program for nvcc with the PTX of the kernels in it; 'opencl-source', a C program with OpenCL; "
     "'cpp', C++ threads; 'amber', a script of Amber; 'metal' and 'ptx', the kernels with what their launch needs told in comments. One instance: "
     "'glsl' and 'spirv', shaders that 'check' reads back."},
    {OptionId::inline_ptx, "--inline-ptx", "", "", Type::flag, "", "", 0, 0, "reproduce", k_emit,
     "opencl-source: PTX tests as inline assembly, for NVIDIA's OpenCL, which has no atomics with orders and scopes."},
    {OptionId::parameters, "--parameters", "", "NAME=VALUE,...", Type::text, "drawn", "", 0, 0, "plan", k_emit | k_run,
     "Parameters of the run ('stride=8,stress=0', a range as 'groups=2..64'); the others are drawn with --seed. docs/run.md lists them."},
    {OptionId::mode, "--mode", "", "MODE", Type::choice, "parallel", "parallel|warp|single", 0, 0, "plan", k_emit | k_run,
     "How instances of the test lie on the device: as many as fit, one for each warp whose other lanes work on dummy addresses, or one."},
    {OptionId::region, "--region", "", "REGION", Type::choice, "as-written", "as-written|global|shared", 0, 0, "plan", k_emit | k_run,
     "Where locations lie: as the test says, all in global memory, or all in the memory of a workgroup."},
    {OptionId::device, "--device", "", "DEVICE", Type::text, "cpu", "", 0, 0, "device", k_p_run | k_run,
     "Where to run: a device that 'fencepost devices' lists, or 'reference', which interleaves and is slow."},
    {OptionId::iterations, "--iterations", "", "N", Type::whole, "", "1..10^18", 1, 1000000000000000000, "campaign", k_run,
     "Run each test until at least so many instances are over."},
    {OptionId::seconds, "--seconds", "", "TIME", Type::seconds, "1s", "for example 500ms, 60s, 2m", 0, 0, "campaign", k_run,
     "Run each test for so long. The default counts when neither --iterations nor --until-events is given."},
    {OptionId::events, "--until-events", "", "N", Type::whole, "", "1..10^18", 1, 1000000000000000000, "campaign", k_run,
     "Run each test until so many instances have met its condition (or one of the other limits is reached)."},
    {OptionId::schedule, "--schedule", "", "SCHEDULE", Type::choice, "drawn", "drawn|fused|split", 0, 0, "plan", k_run,
     "'fused': an invocation plays every role, each of another instance. 'split': an invocation plays one role. 'drawn': now this, now that."},
    {OptionId::rounds, "--rounds", "", "N", Type::whole, "by device", "1..65536", 1, 65536, "plan", k_run,
     "Rounds of one launch, each on memory of its own."},
    {OptionId::series, "--series", "", "N", Type::whole, "", "1..1000000", 1, 1000000, "campaign", k_run,
     "Keep launch, round and instance of the first N instances of each launch that meet the condition; with --json."},
    {OptionId::log, "--log", "", "FILE", Type::text, "", "", 0, 0, "campaign", k_run, "Write the log of litmus7 to FILE, which mcompare7 reads."},
    {OptionId::no_model, "--no-model", "", "", Type::flag, "", "", 0, 0, "check", k_run, "Do not ask a memory model which states are allowed."},
    {OptionId::cycle, "--cycle", "-c", "CYCLE", Type::text, "", "", 0, 0, "cycle", k_gen,
     "Make the test of this cycle of relations, such as 'PodWW Rfe PodRR Fre' (docs/gen.md has the vocabulary)."},
    {OptionId::families, "--families", "-f", "NAME,...|all", Type::list, "", "", 0, 0, "cycle", k_gen | k_suite,
     "Make all tests of these families (MP, SB, ..., or directions by thread, WW+RR), or of all families up to --threads."},
    {OptionId::family_size, "--threads", "-t", "N", Type::whole, "2", "2..6", 2, 6, "cycle", k_gen | k_suite,
     "Families of up to this many threads. suite: at most 3, besides IRIW."},
    {OptionId::relations, "--relations", "", "KIND,...", Type::list, "Po", "", 0, 0, "cycle", k_gen,
     "What may join two accesses of a thread: Po, Fence.sc.gpu, DpData, ...; every choice is made."},
    {OptionId::reads, "--reads", "", "ACCESS,...", Type::list, "the default access", "", 0, 0, "cycle", k_gen,
     "What a read may be: relaxed.gpu, acquire.cta, ...; every choice is made."},
    {OptionId::writes, "--writes", "", "ACCESS,...", Type::list, "the default access", "", 0, 0, "cycle", k_gen,
     "What a write may be."},
    {OptionId::uniform, "--uniform", "", "", Type::flag, "", "", 0, 0, "cycle", k_gen,
     "All reads of a test are the first of --reads and all writes the first of --writes, or all the second, and so on."},
    {OptionId::one_location, "--one-location", "", "", Type::flag, "", "", 0, 0, "cycle", k_gen,
     "Families of one location (CoRR, CoRW, ...) in place of those of several."},
    {OptionId::notation, "--dialect", "-d", "DIALECT", Type::choice, "PTX", "PTX|GPU_PTX|VULKAN|OPENCL|ptx|gpu_ptx|vulkan|opencl", 0, 0, "cycle",
     k_gen | k_suite, "The notation of the tests."},
    {OptionId::access, "--access", "", "ACCESS", Type::text, "weak; VULKAN, OPENCL: relaxed.sys", "", 0, 0, "cycle", k_gen,
     "What an access is that the cycle says nothing of."},
    {OptionId::placements, "--scopes", "-s", "all|TREE,...", Type::list, "each thread in a CTA of its own", "", 0, 0, "cycle", k_gen,
     "Where the threads run: '01.2' puts threads 0 and 1 into one CTA and 2 into another, '_' separates devices; 'all' makes every "
     "placement that an automorphism of the cycle does not make equal to another."},
    {OptionId::decide, "--decide", "", "", Type::flag, "", "", 0, 0, "suite", k_gen, "Say of each test whether --model allows its condition."},
    {OptionId::allowed, "--allowed", "", "", Type::flag, "", "", 0, 0, "suite", k_gen, "Keep only tests whose condition the model allows."},
    {OptionId::forbidden, "--forbidden", "", "", Type::flag, "", "", 0, 0, "suite", k_gen, "Keep only tests whose condition the model forbids."},
    {OptionId::minimal, "--minimal", "", "", Type::flag, "", "", 0, 0, "suite", k_gen,
     "Keep only forbidden tests of which every weakening by one step is allowed."},
    {OptionId::separating, "--separating", "", "MODEL,MODEL", Type::list, "", "", 0, 0, "suite", k_gen,
     "Keep only tests that one of these two models allows and the other forbids."},
    {OptionId::thesis, "--thesis", "", "", Type::flag, "", "", 0, 0, "cycle", k_gen,
     "The classic families in GPU_PTX with every membar, in the three configurations of the 2014 thesis: one CTA with shared memory, one "
     "CTA with global memory, two CTAs."},
    {OptionId::most, "--limit", "", "N", Type::whole, "none", "1..100000000", 1, 100000000, "cycle", k_gen, "Stop after this many tests."},
    {OptionId::mutants, "--mutants", "", "", Type::flag, "", "", 0, 0, "suite", k_suite,
     "Also make the mutants of each test and decide them."},
    {OptionId::store, "--store", "", "FILE", Type::text, "campaign.db", "", 0, 0, "store", k_campaign,
     "The store that the campaign adds to; made when missing. What it holds already is not run again."},
    {OptionId::shard, "--shard", "", "I/N", Type::text, "", "", 0, 0, "store", k_campaign,
     "Do the part of the work that falls to machine I of N. The stores of all parts are put together by 'fencepost merge'."},
    {OptionId::campaign, "--campaign", "", "NAME", Type::text, "", "", 0, 0, "store", k_judge, "Only the results of this campaign."},
    {OptionId::progress_store, "--store", "", "FILE", Type::text, "", "", 0, 0, "store", k_p_run,
     "Keep every run in this store; made when missing. Runs that it holds already are not run again."},
    {OptionId::progress_runs, "--runs", "", "N", Type::whole, "20", "1..1000000", 1, 1000000, "trial", k_p_run,
     "Run each test so often under each mapping."},
    {OptionId::early_stop, "--early-stop", "", "", Type::flag, "", "", 0, 0, "trial", k_p_run,
     "Leave a test when its first five runs ended alike."},
    {OptionId::variant, "--variant", "", "VARIANT", Type::choice, "inter-workgroup", "inter-workgroup|intra-warp|cooperative", 0, 0, "trial", k_p_run,
     "Where the threads of a test lie: each in a workgroup of its own; all of an instance in one subgroup; each in a workgroup of its own, in a "
     "launch that the device takes only when all workgroups are on it together."},
    {OptionId::contention, "--contention", "", "N", Type::whole, "0", "0..1000000", 0, 1000000, "trial", k_p_run,
     "Invocations without a role add 0 to the test's locations so often before they end. Plain mappings with a larger --total have many."},
    {OptionId::watchdog, "--watchdog", "", "TIME", Type::seconds, "100ms; processors: 1s", "for example 500ms, 60s, 2m", 0, 0, "trial", k_p_run,
     "How long a thread may take before it counts as starved."},
}};

constexpr std::array<VerbInfo, static_cast<size_t>(Verb::count_)> k_verbs = {{
    {Verb::check, "check", "FILE|DIR...", 1, ~0u, "decide litmus tests under a memory model",
     "Decides each test and prints one line for it. A folder stands for the *.litmus, *.test, *.comp (GLSL), *.cl (OpenCL C), *.spvasm and *.spv (SPIR-V) files in it, at any depth, in "
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
     "property is condition (or program_spec), races (or cat_spec), or termination[PROGRESS] (termination alone: what --progress says); "
     "rows with other properties are skipped and counted aloud. "
     "expected is 1 or PASS when the property holds, 0 or FAIL when it does not, or UNKNOWN. bound is 1 where the table gives "
     "none, 4 in suites of liveness rows for Vulkan.\n\n"
     "Given a folder or a test, decides what stands beside each NAME.litmus in NAME.expect (lines 'model property verdict # "
     "why', verdict holds, fails or unknown; termination with --bound auto) and what .test files say of their tests, under the default model.\n\n"
     "The exit status is 0 when every row that was decided agrees, 1 when one does not, and 3 when none was decided.",
     "fencepost expect examples/expected.csv --root examples\n"
     "fencepost expect table.csv --root corpus --suites PTXv6_0,VULKAN -j 4",
     false},
    {Verb::print, "print", "FILE", 1, 1, "parse a test and print it in its own language",
     "The output parses to the same test as the input.", "fencepost print mp.litmus", false},
    {Verb::emit, "emit", "FILE", 1, 1, "write a test, or a run of it, as a program of its own",
     "Writes one file that needs nothing of this program: the kernels that many instances of the test run in, one draw of the "
     "parameters (printed in the file), and code that launches them and prints the histogram of final states. It is meant for "
     "reports: whoever gets the file builds and runs it.\n\n"
     "Instructions are kept as written, so the target must be of the test's kind: cuda-source and ptx take PTX tests, opencl-source OPENCL tests "
     "(with --inline-ptx: PTX tests), amber, glsl and spirv VULKAN tests, cpp and metal any. Others are translated first: see 'fencepost lower'.",
     "fencepost emit --target cuda-source -o mp.cu mp.litmus\n"
     "fencepost emit --target ptx --parameters stress=0,stride=32 --seed 7 mp.litmus\n"
     "fencepost emit --target spirv -o sb.spvasm sb.litmus", false},
    {Verb::models, "models", "", 0, 0, "list the memory models that come with the program",
     "Prints name, dialect and one sentence for each; --model takes the names.", "fencepost models", false},
    {Verb::progress_check, "progress check", "FILE|DIR...", 1, ~0u, "decide whether tests end under progress models",
     "Prints one line for each test, model and fairness: 'holds' when every run that the model allows ends, 'fails' when some thread "
     "may starve. With one test, one model and one fairness a failure comes with the schedule: a prefix, then a cycle that can "
     "go on for ever.\n\n"
     "A folder stands for the *.axb files in it. Tests may also be published pseudo-code, JSON lines, or .litmus files whose threads only "
     "exchange, load, compare and jump.",
     "fencepost progress check examples/progress\n"
     "fencepost progress check --model hsa --fairness weak --witness starving.svg spin.axb",
     false},
    {Verb::progress_lts, "progress lts", "FILE", 1, 1, "draw the states and steps of a test",
     "The labelled transition system of the test, alone or under one model, whose fair set then stands on every edge. In the Aldebaran "
     "format, which tools for process algebra read, as DOT or as SVG.",
     "fencepost progress lts spin.axb --model obe -o spin.svg\nfencepost progress lts spin.axb --model hsa --abstract", false},
    {Verb::progress_classify, "progress classify", "FILE|DIR...", 1, ~0u, "find out which tests tell progress models apart",
     "Decides each test under each model, weak and strong, and counts conformance tests (a model must pass them) and distinguishing "
     "tests (they fail under every weaker or other model), by several definitions.",
     "fencepost progress classify examples/progress\nfencepost progress classify --csv tests.jsonl", false},
    {Verb::progress_compare, "progress compare", "MODEL MODEL", 2, 2, "find the smallest tests that separate two progress models",
     "Each model is a name or a .progress file, followed by ':weak' (the default) or ':strong'. Tests of 2 and 3 threads are made, "
     "smallest first, until some pass under one and fail under the other.\n\n"
     "The exit status is 1 when tests separate the two and 0 when none was found.",
     "fencepost progress compare hsa obe\nfencepost progress compare lobe:strong my.progress:strong", false},
    {Verb::progress_expect, "progress expect", "CSV", 1, 1, "hold expected progress verdicts against the tool",
     "A table with the columns config, id, model, fairness and verdict (PASS or FAIL), in any order. Prints the rows that disagree; the "
     "last line counts.",
     "fencepost progress expect verdicts.csv --tests tests.jsonl", false},
    {Verb::progress_synth, "progress synth", "", 0, 0, "make every progress test of a size",
     "All tests that meet the constraints, not a sample, in a fixed order.",
     "fencepost progress synth --threads 2 --instructions 4 --count\n"
     "fencepost progress synth --per-thread 2,1 --form json --verdicts",
     false},
    {Verb::progress_account, "progress account", "FILE|DIR...", 1, ~0u, "find given tests in the complete sets of their sizes",
     "For each size: how many of the tests are in the complete set, in that of the older constraint on stores only, or in neither, and how many "
     "repeat or rename an earlier one.",
     "fencepost progress account tests.jsonl", false},
    {Verb::progress_export, "progress export", "FILE|DIR...", 1, ~0u, "write progress tests as programs for devices",
     "Writes litmus files, or sources for CUDA, OpenCL C, Vulkan (GLSL, Amber), Metal and C++ threads into the folder of --output.",
     "fencepost progress export examples/progress --target cpp --mapping chunked -o out", false},
    {Verb::progress_print, "progress print", "FILE", 1, 1, "parse progress tests and print them in a chosen form",
     "Reads the .axb text, the published pseudo-code and JSON lines, and prints any of them.",
     "fencepost progress print tests.jsonl --form text", false},
    {Verb::progress_models, "progress models", "[FILE...]", 0, ~0u, "list the progress models, or check models of your own",
     "Without operands: the models that come with the program, weakest first. With files: parses and checks each, and prints its "
     "name and closed form.",
     "fencepost progress models\nfencepost progress models my.progress", false},
    {Verb::progress_run, "progress run", "FILE|DIR...", 1, ~0u, "run progress tests on a device and say who starves",
     "Runs each test on a device under each mapping. Every run ends as terminated, starved (the kernel's watchdog ended threads that did not "
     "come to their end) or hung (the launch did not end, and its process was killed). Prints a line for each test that starved, how many did "
     "under each mapping, and which progress models the device violates: those that guarantee the end of a test that starved.\n\n"
     "A starved test of several locations with relaxed instructions is no violation, because weak memory could explain it; --order seq_cst "
     "tells.\n\n"
     "The exit status is 0 when no model that --model names is violated, 1 when one is, and 3 when a test could not be run.",
     "fencepost progress run examples/progress --mapping round-robin,chunked --runs 5\n"
     "fencepost progress run tests.jsonl --device cuda --mapping chunked --store h200.db --early-stop",
     false},
    {Verb::relax, "relax", "FILE", 1, 1, "find fences, orders and scopes that are not needed, or a fix",
     "For each fence, memory order, scope and barrier of the test: whether it can be dropped or weakened so that the condition keeps its "
     "verdict and no race appears, or the change that breaks the test; then a set of changes that can be made together. A test that "
     "fails gets the smallest strengthening that makes it hold.\n\n"
     "The exit status is 0 when everything is needed, 1 when something can be weaker or a fix was found, and 3 when the test, or all "
     "that is left open, is undecided.",
     "fencepost relax lock.litmus\n"
     "fencepost relax --exhaustive --steps order lock.litmus\n"
     "fencepost relax --site 2 --witness broken.svg lock.litmus",
     false},
    {Verb::lower, "lower", "TABLE [FILE|DIR...]", 1, ~0u, "check that an instruction mapping adds no outcome",
     "TABLE is the name of a shipped mapping or a .map file (docs/lowering.md). Each test is rewritten by it into the target dialect; "
     "every outcome of the result under the target's model must be an outcome of the test under its own. With --generate, all small "
     "tests over the mapped instructions are checked as well. Counterexamples are written as two litmus files into --output.\n\n"
     "The exit status is 0 when no test gains an outcome, 1 when one does, and 3 when none does but one is undecided.",
     "fencepost lower opencl-ptx mp.litmus\nfencepost lower my.map --generate 4 -o counterexamples", false},
    {Verb::run, "run", "FILE|DIR...", 1, ~0u, "run litmus tests on a device and count what they end in",
     "Runs many instances of each test in a process of its own and prints how often each final state was seen, beside what the memory "
     "model says of it. All parameters of the run are drawn anew for each round group from one seed.\n\n"
     "The exit status is 1 when a state was seen that the model forbids and what ran is what was written, or when a result was unreadable; 3 when "
     "a test could not be run, a launch hung, or a forbidden state was seen but nobody could look at what ran. A state is called forbidden only "
     "when the model's states are completely known.",
     "fencepost run examples/thesis/SB.litmus\n"
     "fencepost run --device cuda --seconds 10s --parameters schedule=split,stride=8 mp.litmus\n"
     "fencepost run --iterations 100000000 --log out.log examples/thesis",
     false},
    {Verb::devices, "devices", "", 0, 0, "list the devices that tests can run on",
     "Prints each device that answers, with what matters for runs, and why an interface has none.", "fencepost devices\nfencepost devices --json", false},
    {Verb::gen, "gen", "[NAME...]", 0, ~0u, "make litmus tests from cycles of relations",
     "Makes the test of --cycle, those of NAMEs (as it prints them itself), or with --families all tests of a size. One test is printed; "
     "several are listed, or written into the folder of --output with a table of them, index.csv.\n\n"
     "With --decide, or a filter, each test is decided, and the last line counts the verdicts. The exit status is 3 when one of the "
     "tests is undecided.",
     "fencepost gen --cycle \"PodWW Rfe PodRR Fre\" --dialect PTX\n"
     "fencepost gen MP+po-release.gpu+acquire.gpu-po --dialect VULKAN\n"
     "fencepost gen --families all --relations Po,Fence.sc.gpu --scopes all --forbidden -o tests",
     false},
    {Verb::suite, "suite", "", 0, 0, "make a conformance suite: the smallest tests that a model forbids",
     "Below each cycle with the strongest accesses and fences, finds all weakest tests that the model still forbids; adds the five tests "
     "of sequential consistency per location, and IRIW in five placements. With --output: NAME.litmus, the reason for each in NAME.why.txt, "
     "and index.csv; with --mutants their mutants in mutants/ and mutants.csv.\n\n"
     "The exit status is 3 when part of the suite is undecided.",
     "fencepost suite --dialect PTX -o ptx-suite\nfencepost suite --dialect VULKAN --families MP,LB --mutants", false},
    {Verb::campaign, "campaign", "PLAN", 1, 1, "run a plan of tests, devices and configurations into a store",
     "PLAN is a TOML file (docs/campaigns.md). Every test is run on every device under every configuration until the plan's end, in child "
     "processes that can be killed; each finished round group is kept at once. The same command goes on where an interrupted one "
     "stopped, and does nothing when all is done.\n\n"
     "The exit status is 0 when the whole plan is in the store, and 3 when something was refused, lost, or stopped.",
     "fencepost campaign hopper.toml --store hopper.db\n"
     "fencepost campaign hopper.toml --store part3.db --shard 3/8 --budget 1h",
     false},
    {Verb::merge, "merge", "STORE STORE...", 2, ~0u, "add the results of other stores to the first",
     "A result that the first store has already is not counted twice; one that differs is left as it is and makes the exit status 1.",
     "fencepost merge all.db part1.db part2.db", false},
    {Verb::judge, "judge", "STORE", 1, 1, "hold what a campaign saw against a memory model",
     "For each test, device and configuration: every final state with its rate and interval, whether the model allows it, and for "
     "outcomes that were never seen the upper bound of the rate and whether the same stress showed the test's one-step weakenings.\n\n"
     "The exit status is 1 when a device showed a forbidden state in a test that ran as written, or results were corrupt; 3 when a "
     "forbidden state may be the compiler's doing or something is undecided; else 0.",
     "fencepost judge hopper.db\nfencepost judge hopper.db --model ptx-6.0 -o table.md\nfencepost judge hopper.db -o rates.svg", false},
    {Verb::prove, "prove", "FILE", 1, 1, "prove an OpenCL or CUDA kernel free of data races and barrier divergence",
     "Reads a kernel and decides for all pairs of threads and all schedules whether it has a data race, a barrier that not all threads of "
     "a group reach, or an assertion that fails. The launch is given as --local_size and --num_groups, or as --blockDim and --gridDim. "
     "'fencepost prove --help' lists the options, which have a table of their own (docs/prove.md).\n\n"
     "The exit status is 0 when the kernel is verified, 1 when it has or may have a defect, and 3 when it is not decided.",
     "fencepost prove --local_size=64 --num_groups=16 kernel.cl\nfencepost prove --blockDim=256 --gridDim=* kernel.cu\nfencepost prove --suite examples/kernels", false},
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
