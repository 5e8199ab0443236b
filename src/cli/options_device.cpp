// The options of devices and of what they gave: emit, run, campaign, merge, judge, stats, report.
#include <fmt/format.h>

#include <charconv>

#include "cli/option_rows.h"

namespace fencepost::cli {
namespace {

Expected<void> put_schedule(Settings& s, const Value& v) {
  s.schedule = v.text == "drawn" ? "" : v.text;
  return {};
}

// "95", "99.999": stored as a fraction.
template <auto Member>
Expected<void> put_percent(Settings& s, const Value& v) {
  double percent = 0;
  const auto r = std::from_chars(v.text.data(), v.text.data() + v.text.size(), percent);
  if (r.ec != std::errc() || r.ptr != v.text.data() + v.text.size() || !(percent >= 50 && percent < 100))
    return error_at({}, fmt::format("'{}' is not a percentage from 50 to below 100", v.text),
                    "for example 95, 99.9 or 99.999");
  s.*Member = percent / 100;
  return {};
}

constexpr OptionInfo k_rows[] = {
    {"--target", "", "TARGET", Type::choice, "cuda-source", "cuda-source|ptx|opencl-source|cpp|amber|metal|glsl|spirv",
     0, 0, "reproduce", k_emit,
     "What to write. Runs: 'cuda-source', a program for nvcc with the PTX of the kernels in it; 'opencl-source', a C "
     "program with OpenCL; "
     "'cpp', C++ threads; 'amber', a script of Amber; 'metal' and 'ptx', the kernels with what their launch needs told "
     "in comments. One instance: "
     "'glsl' and 'spirv', shaders that 'check' reads back.",
     put<&Settings::emit_target>},
    {"--inline-ptx", "", "", Type::flag, "", "", 0, 0, "reproduce", k_emit,
     "opencl-source: PTX tests as inline assembly, for NVIDIA's OpenCL, which has no atomics with orders and scopes.",
     put<&Settings::inline_ptx>},
    {"--parameters", "", "NAME=VALUE,...", Type::text, "drawn", "", 0, 0, "plan", k_tune | k_emit | k_run,
     "Parameters of the run ('stride=8,stress=0', a range as 'groups=2..64'); the others are drawn with --seed. "
     "docs/run.md lists them.",
     put<&Settings::parameters>},
    {"--mode", "", "MODE", Type::choice, "parallel", "parallel|warp|single", 0, 0, "plan", k_tune | k_emit | k_run,
     "How instances of the test lie on the device: as many as fit, one for each warp whose other lanes work on dummy "
     "addresses, or one.",
     put<&Settings::mode>},
    {"--region", "", "REGION", Type::choice, "as-written", "as-written|global|shared|mixed-odd|mixed-even", 0, 0,
     "plan", k_tune | k_emit | k_run,
     "Where locations lie: as the test says, all in global memory, all in the memory of a workgroup, or every second "
     "one there whose threads "
     "share a workgroup.",
     put<&Settings::region>},
    {"--device", "", "DEVICE", Type::text, "cpu", "", 0, 0, "device", k_tune | k_p_run | k_run | k_certify,
     "Where to run: a device that 'fencepost devices' lists, 'reference', which interleaves and is slow, or several "
     "that "
     "work together, as in cuda:0+1, or cuda:0+host for a GPU and the processors of its host.",
     put<&Settings::device>},
    {"--iterations", "", "N", Type::whole, "", "1..10^18", 1, 1000000000000000000, "campaign", k_run,
     "Run each test until at least so many instances are over.", put<&Settings::iterations>},
    {"--seconds", "", "TIME", Type::seconds, "1s", "for example 500ms, 60s, 2m", 0, 0, "campaign", k_run,
     "Run each test for so long. The default counts when neither --iterations nor --until-events is given.",
     put<&Settings::seconds>},
    {"--until-events", "", "N", Type::whole, "", "1..10^18", 1, 1000000000000000000, "campaign", k_run,
     "Run each test until so many instances have met its condition (or one of the other limits is reached).",
     put<&Settings::events>},
    {"--schedule", "", "SCHEDULE", Type::choice, "drawn", "drawn|fused|split", 0, 0, "plan", k_run,
     "'fused': an invocation plays every role, each of another instance. 'split': an invocation plays one role. "
     "'drawn': now this, now that.",
     put_schedule},
    {"--rounds", "", "N", Type::whole, "by device", "1..65536", 1, 65536, "plan", k_run,
     "Rounds of one launch, each on memory of its own.", put<&Settings::rounds>},
    {"--cluster", "", "N", Type::whole, "by test", "1..16", 1, 16, "plan", k_run,
     "Workgroups of a cluster, a power of two, on devices that have clusters; the same as --parameters cluster=N.",
     put<&Settings::cluster>},
    {"--home", "", "LOCATION=MEMORY,...", Type::text, "drawn", "", 0, 0, "plan", k_run,
     "On several devices (--device cuda:0+1), in whose memory locations lie: gpu0, gpu1, ... or host, as in "
     "x=gpu1,y=host; the others are drawn.",
     put<&Settings::home>},
    {"--series", "", "N", Type::whole, "", "1..1000000", 1, 1000000, "campaign", k_run,
     "Keep launch, round and instance of the first N instances of each launch that meet the condition; with --json.",
     put<&Settings::series>},
    {"--log", "", "FILE", Type::text, "", "", 0, 0, "campaign", k_run,
     "Write the log of litmus7 to FILE, which mcompare7 reads.", put<&Settings::log>},
    {"--no-model", "", "", Type::flag, "", "", 0, 0, "check", k_run,
     "Do not ask a memory model which states are allowed.", put<&Settings::no_model>},
    {"--store", "", "FILE", Type::text, "campaign.db", "", 0, 0, "store", k_campaign,
     "The store that the campaign adds to; made when missing. What it holds already is not run again.",
     put<&Settings::store>},
    {"--store", "", "FILE", Type::text, "certify.db", "", 0, 0, "store", k_certify,
     "The store that the runs are kept in; made when missing. What it holds already is not run again.",
     put<&Settings::certify_store>},
    {"--most-mutants", "", "N", Type::whole, "3", "0..1000", 0, 1000, "judge", k_certify,
     "Mutants of each test that are run, of as many kinds of fault as there are. Without any no device passes.",
     put<&Settings::most_mutants>},
    {"--shard", "", "I/N", Type::text, "", "", 0, 0, "store", k_campaign,
     "Do the part of the work that falls to machine I of N. The stores of all parts are put together by 'fencepost "
     "merge'.",
     put<&Settings::shard>},
    {"--engine", "", "ENGINE", Type::choice, "", "local|slurm", 0, 0, "fleet", k_campaign,
     "Do the work in tasks that may be killed: 'local', as processes on this machine, or 'slurm', as a job array that "
     "sbatch submits. The command follows them, starts again what ended early, and puts all into the store "
     "(docs/cluster.md).",
     put<&Settings::tasks_by>},
    {"--tasks", "", "N", Type::whole, "100, or one for each test and device", "1..1000", 1, 1000, "fleet", k_campaign,
     "With --engine: into how many tasks the work is divided.", put<&Settings::task_count>},
    {"--jobs", "-j", "N", Type::whole, "1; of Slurm: as many as it starts", "1..1024", 1, 1024, "fleet", k_campaign,
     "With --engine: how many tasks run at the same time.", put<&Settings::threads>},
    {"--retries", "", "N", Type::whole, "5", "1..1000", 1, 1000, "fleet", k_campaign,
     "With --engine: a task is given up after so many attempts in a row that brought nothing new.",
     put<&Settings::retries>},
    {"--sbatch", "", "OPTIONS", Type::text, "", "", 0, 0, "fleet", k_campaign,
     "With --engine slurm: further options of sbatch, separated by spaces, as in '--partition=gpu --gres=gpu:1 "
     "--time=30'.",
     put<&Settings::sbatch>},
    {"--task", "", "K", Type::whole, "", "1..1000", 1, 1000, "fleet", k_campaign,
     "Do task K of a folder that --engine has made, in this process: PLAN is the folder. For schedulers other than "
     "Slurm.",
     put<&Settings::task>},
    {"--mutants", "", "", Type::flag, "", "", 0, 0, "study", k_judge,
     "Take tests called NAME--MUTATOR-NUMBER for mutants of NAME, as 'suite --mutants' writes them: pass or fail for "
     "each test of a suite, with what its "
     "silence is worth, and the mutants seen by mutator.",
     put<&Settings::mutants>},
    {"--tests", "", "FOLDER|FILE", Type::text, "the rows of the 2014 thesis", "", 0, 0, "judge", k_judge,
     "Of a log or table: the tests that it speaks of, by title or name of the file.", put<&Settings::tests>},
    {"--campaign", "", "NAME", Type::text, "", "", 0, 0, "store", k_judge | k_stats | k_report,
     "Only the results of this campaign.", put<&Settings::campaign>},
    {"--parts", "", "PART,...", Type::list, "all", "", 0, 0, "survey", k_stats,
     "Which parts to print: overview, rates, reproducibility, absence, stationarity, portable, correlation, mutants, "
     "peeking.",
     put<&Settings::parts>},
    {"--only-tests", "", "NAME,...", Type::list, "all", "", 0, 0, "survey", k_stats | k_report, "Only these tests.",
     put<&Settings::only_tests>},
    {"--only-devices", "", "NAME,...", Type::list, "all", "", 0, 0, "survey", k_stats | k_report, "Only these devices.",
     put<&Settings::only_devices>},
    {"--only-configurations", "", "NAME,...", Type::list, "all", "", 0, 0, "survey", k_stats | k_report,
     "Only these configurations.", put<&Settings::only_configurations>},
    {"--all", "", "", Type::flag, "", "", 0, 0, "survey", k_stats, "Print every row of long tables.",
     put<&Settings::all_rows>},
    {"--peek", "", "N", Type::whole, "", "10..10^12", 10, 1000000000000, "survey", k_stats,
     "Also simulate random search with data peeking on the measured rates, N samples a configuration.",
     put<&Settings::peek>},
    {"--domain", "", "WHAT", Type::choice, "global", "global|device|test|combination", 0, 0, "survey", k_stats,
     "With --output: one configuration for all tests and devices, for each device, for each test, or for each test on "
     "each device.",
     put<&Settings::domain>},
    {"--level", "", "PERCENT", Type::text, "95", "50 to below 100", 0, 0, "survey", k_stats | k_report,
     "Confidence level of all intervals and bounds.", put_percent<&Settings::level>},
    {"--reproducibility", "", "PERCENT", Type::text, "95", "50 to below 100", 0, 0, "survey", k_stats | k_report,
     "With what probability an outcome is to show again: the iterations that are needed, and the rule for tests never "
     "seen.",
     put_percent<&Settings::reproducibility>},
};

}  // namespace

std::span<const OptionInfo> device_options() { return k_rows; }

}  // namespace fencepost::cli
