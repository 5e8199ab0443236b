#include "cli/effects.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/option_rows.h"
#include "prog/loop_bounds.h"
#include "prog/syntax.h"
#include "prog/test.h"
#include "read/read.h"

namespace fencepost::cli {
namespace {

struct Rule {
  const char* option;
  uint64_t verbs;
  bool (*idle)(const Settings&);
  const char* why;
  const char* hint;
};

bool no_termination(const Settings& s) { return s.property != check::Property::termination; }
bool nothing_kept_ends(const Settings& s) {
  return !s.keep.empty() && std::find(s.keep.begin(), s.keep.end(), "termination") == s.keep.end();
}
bool no_condition(const Settings& s) { return s.property != check::Property::condition; }
bool with(const Settings& s, std::initializer_list<const char*> any) {
  return std::any_of(any.begin(), any.end(), [&](const char* o) { return s.has(o); });
}
bool machine(const Settings& s) { return s.operational; }
bool undecided(const Settings& s) { return !(s.decide || s.allowed || s.forbidden || s.minimal); }
bool unjudged(const Settings& s) { return undecided(s) && s.separating.empty(); }
bool one_cycle(const Settings& s) { return !s.cycle.empty(); }
bool no_engine(const Settings& s) { return s.tasks_by.empty(); }
bool one_task(const Settings& s) { return s.task > 0; }
bool no_json(const Settings& s) { return !s.json; }
bool no_model(const Settings& s) { return s.no_model; }
bool as_csv(const Settings& s) { return s.csv; }
bool by_thread(const Settings& s) { return !s.per_thread.empty(); }
bool only_counts(const Settings& s) { return s.count; }
bool of_thesis(const Settings& s) { return s.thesis; }
bool of_rows(const Settings& s) { return s.rows; }
bool no_families(const Settings& s) { return s.families.empty(); }
bool replays(const Settings& s) { return !s.replay.empty(); }
bool no_search(const Settings& s) { return s.explore || s.ablate; }
bool no_replay(const Settings& s) { return s.replay.empty(); }
bool no_explore(const Settings& s) { return !s.explore; }
// Each strategy has options of its own; a replay tries all of them.
bool other_strategy(const Settings& s, std::string_view own) { return s.replay.empty() && s.strategy != own; }
bool no_halving(const Settings& s) { return other_strategy(s, "halving"); }
bool no_peek(const Settings& s) { return other_strategy(s, "peek"); }
bool no_published_peek(const Settings& s) { return other_strategy(s, "peek-published"); }

constexpr uint64_t k_asks = k_check | k_explain | k_diff;
constexpr const char* k_measures = "is about measuring, and --replay reads what a store has";
constexpr const char* k_searches = "belongs to a search, and --explore and --ablate measure all alike";

constexpr Rule k_rules[] = {
    {"--progress", k_asks, no_termination, "says what the scheduler promises, which only termination rests on",
     "add --property termination"},
    {"--liveness", k_asks, no_termination, "says what a loop is sure to read, which only termination rests on",
     "add --property termination"},
    {"--progress", k_relax, nothing_kept_ends, "says what the scheduler promises, and --keep does not name termination",
     "add termination to --keep"},
    {"--liveness", k_relax, nothing_kept_ends, "says what a loop is sure to read, and --keep does not name termination",
     "add termination to --keep"},
    {"--condition", k_asks, no_condition, "is a question about final states, and --property asks another one",
     "leave out one of the two"},
    {"--exists", k_asks, no_condition, "is a question about final states, and --property asks another one",
     "leave out one of the two"},
    {"--condition", k_launch, [](const Settings& s) { return s.has("--exists"); }, "and --exists are two questions",
     "give one of the two"},
    {"--engine", k_outcomes, machine, "belongs to memory models, and --operational is asked in place of one",
     "leave out one of the two"},
    {"--bound", k_outcomes, machine, "belongs to memory models, and --operational is asked in place of one",
     "leave out one of the two"},
    {"--bounds", k_outcomes, machine, "belongs to memory models, and --operational is asked in place of one",
     "leave out one of the two"},
    {"--model", k_gen, undecided, "judges the tests, and nothing asks for that",
     "add --decide, --allowed, --forbidden or --minimal"},
    {"--engine", k_gen, unjudged, "decides the tests, and nothing asks for that",
     "add --decide, --allowed, --forbidden, --minimal or --separating"},
    {"--relations", k_gen, one_cycle, "chooses among families, and --cycle is one test", "leave out one of the two"},
    {"--reads", k_gen, one_cycle, "chooses among families, and --cycle is one test", "leave out one of the two"},
    {"--writes", k_gen, one_cycle, "chooses among families, and --cycle is one test", "leave out one of the two"},
    {"--one-location", k_gen, one_cycle, "chooses among families, and --cycle is one test", "leave out one of the two"},
    {"--uniform", k_gen, [](const Settings& s) { return !with(s, {"--reads", "--writes"}); },
     "pairs the choices of --reads and --writes, and none is given", "add --reads or --writes"},
    {"--dialect", k_gen, of_thesis, "chooses a notation, and the tests of the thesis are GPU_PTX",
     "leave it out, or use --families"},
    {"--access", k_gen, of_rows, "says what an access is, and the rows of the thesis say it themselves",
     "leave it out"},
    {"--threads", k_gen, no_families, "is about --families, which is not given", "add --families all, or leave it out"},
    {"--device", k_tune, replays, k_measures, "leave it out"},
    {"--store", k_tune, replays, k_measures, "leave it out"},
    {"--executions", k_tune, replays, k_measures, "leave it out"},
    {"--configurations", k_tune, replays, k_measures, "leave it out"},
    {"--confirm-rounds", k_tune, replays, k_measures, "leave it out"},
    {"--restarts", k_tune, replays, k_measures, "leave it out"},
    {"--parameters", k_tune, replays, k_measures, "leave it out"},
    {"--mode", k_tune, replays, k_measures, "leave it out"},
    {"--region", k_tune, replays, k_measures, "leave it out"},
    {"--budget", k_tune, replays, k_measures, "leave it out"},
    {"--output", k_tune, replays, "is for the winner of a search, and --replay has none", "leave it out"},
    {"--strategy", k_tune, replays, "chooses one strategy, and --replay compares all", "leave it out"},
    {"--objective", k_tune, [](const Settings& s) { return s.explore; },
     "says what is best, and --explore measures all alike", "leave it out"},
    {"--repeats", k_tune, no_replay, "is about --replay, which is not given", "add --replay STORE, or leave it out"},
    {"--executions", k_tune, no_explore, "is about --explore, which is not given", "add --explore, or leave it out"},
    {"--strategy", k_tune, no_search, k_searches, "leave it out"},
    {"--first-rounds", k_tune, no_search, k_searches, "leave it out"},
    {"--keep-one-in", k_tune, no_search, k_searches, "leave it out"},
    {"--peeks", k_tune, no_search, k_searches, "leave it out"},
    {"--look-events", k_tune, no_search, k_searches, "leave it out"},
    {"--restarts", k_tune, no_search, k_searches, "leave it out"},
    {"--confirm-rounds", k_tune, no_search, k_searches, "leave it out"},
    {"--output", k_tune, no_search, "is for the winner of a search, and --explore and --ablate have none",
     "`fencepost stats STORE -o plan.toml` chooses one among what --explore measured"},
    {"--first-rounds", k_tune, no_halving, "belongs to the strategy halving",
     "add --strategy halving, or leave it out"},
    {"--keep-one-in", k_tune, no_halving, "belongs to the strategy halving", "add --strategy halving, or leave it out"},
    {"--look-events", k_tune, no_peek, "belongs to the strategy peek", "add --strategy peek, or leave it out"},
    {"--peeks", k_tune, no_published_peek, "belongs to the strategy peek-published",
     "add --strategy peek-published, or leave it out"},
    {"--engine", k_campaign, one_task, "shares the work out, and --task does one share", "give one of the two"},
    {"--store", k_campaign, one_task, "is where all tasks come together, and --task does one", "leave it out"},
    {"--shard", k_campaign, one_task, "and --task are two ways to share the work out", "give one of the two"},
    {"--shard", k_campaign, [](const Settings& s) { return !s.tasks_by.empty(); },
     "and --engine are two ways to share the work out", "give one of the two"},
    {"--tasks", k_campaign, no_engine, "is about --engine, which is not given", "add --engine local or --engine slurm"},
    {"--jobs", k_campaign, no_engine, "is about --engine, which is not given", "add --engine local or --engine slurm"},
    {"--retries", k_campaign, no_engine, "is about --engine, which is not given",
     "add --engine local or --engine slurm"},
    {"--sbatch", k_campaign, [](const Settings& s) { return s.tasks_by != "slurm"; }, "is for --engine slurm",
     "add --engine slurm, or leave it out"},
    {"--series", k_run, no_json, "goes into the JSON answer", "add --json"},
    {"--model", k_run, no_model, "and --no-model contradict each other", "leave out one of the two"},
    {"--engine", k_run, no_model, "and --no-model contradict each other", "leave out one of the two"},
    {"--bound", k_run, no_model, "and --no-model contradict each other", "leave out one of the two"},
    {"--json", k_run | k_p_check | k_p_classify | k_judge | k_stats, as_csv, "and --csv are two forms of one answer",
     "give one of the two"},
    {"--inline-ptx", k_emit, [](const Settings& s) { return s.emit_target != "opencl-source"; },
     "is about OpenCL's source", "add --target opencl-source"},
    {"--raw", k_p_lts, [](const Settings& s) { return s.abstract; }, "and --abstract contradict each other",
     "give one of the two"},
    {"--raw", k_p_lts, only_counts, "is one form, and --count shows the sizes of all", "leave out one of the two"},
    {"--abstract", k_p_lts, only_counts, "is one form, and --count shows the sizes of all", "leave out one of the two"},
    {"--output", k_p_lts, only_counts, "is for one transition system, and --count prints sizes", "leave it out"},
    {"--threads", k_p_synth, by_thread, "is what --per-thread replaces", "give one of the two"},
    {"--instructions", k_p_synth, by_thread, "is what --per-thread replaces", "give one of the two"},
    {"--verdicts", k_p_synth, only_counts, "decides tests, and --count shows none", "leave out one of the two"},
    {"--form", k_p_synth, only_counts, "is that of tests, and --count shows none", "leave out one of the two"},
    {"--json", k_audit, [](const Settings& s) { return s.has("--format") && s.format != "json"; },
     "and --format are two forms of one page", "give one of the two"},
    {"--watchdog", k_p_run, [](const Settings& s) { return s.no_watchdog; }, "and --no-watchdog contradict each other",
     "give one of the two"},
};

}  // namespace

Expected<void> all_have_effect(const CommandLine& line) {
  const Settings& s = line.settings;
  for (const Rule& r : k_rules)
    if ((r.verbs & bit(line.verb)) != 0 && s.has(r.option) && r.idle(s))
      return error_at({}, fmt::format("{} {}", r.option, r.why), r.hint);
  return {};
}

Expected<void> have_effect_on(const Settings& s, const prog::Test& test) {
  if (s.no_spurious_failures &&
      std::find(test.assumptions.begin(), test.assumptions.end(), read::k_never_spurious) == test.assumptions.end())
    return error_at({}, "--no-spurious-failures is without effect: the test has no weak compare-exchange",
                    "leave it out");
  if (s.has("--cuda-arch") && (!test.span.source || test.span.source->text.find("__global__") == std::string::npos))
    return error_at({}, "--cuda-arch is without effect: the test is not in CUDA C++", "leave it out");
  if (!s.bounds.empty() && prog::loops_of(test).empty())
    return error_at({}, "--bounds is without effect: the test has no loops", "leave it out");
  return {};
}

Expected<void> has_question(check::Property property, const prog::Test& test) {
  if (property != check::Property::condition || test.quantifier != prog::Quantifier::none) return {};
  const std::string name = test.span.source ? test.span.source->name : "";
  const bool kernel = name.ends_with(".cu") || name.ends_with(".cl");
  return error_at(test.span, "no question is asked",
                  test.syntax == prog::Syntax::spirv
                      ? std::string("add --condition 'forall (x == 1)', a comment of the program that asks, or "
                                    "--property races") +
                            (kernel ? "; 'fencepost prove' asks for data races of kernels at every launch" : "")
                      : "end the test with exists, ~exists or forall, or add --property races");
}

}  // namespace fencepost::cli
