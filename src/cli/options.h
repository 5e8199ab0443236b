#pragma once
// The command line as data. Two tables, verbs and options, make the parser, --help and docs/options.md; an
// option is spelt, ranged and explained in one place. Each value is checked against its range before a verb
// runs, so a verb never sees a bad one.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/job.h"
#include "check/check.h"
#include "reference/lasso.h"
#include "vocab/vocab.h"

namespace fencepost::cli {

enum class Verb : uint8_t {
  check,
  outcomes,
  explain,
  diff_models,
  refine,
  lint_model,
  expect,
  print,
  emit,
  models,
  progress_check,
  progress_lts,
  progress_classify,
  progress_compare,
  progress_expect,
  progress_synth,
  progress_account,
  progress_export,
  progress_print,
  progress_models,
  progress_run,
  relax,
  lower,
  run,
  devices,
  gen,
  suite,
  campaign,
  certify,
  merge,
  judge,
  stats,
  tune,
  report,
  hunt,
  hunt_report,
  serve,
  audit,
  prove,
  help_markdown,
  count_
};

enum class Type : uint8_t {
  flag,
  text,           // any non-empty text
  whole,          // decimal number within `least`..`most`
  whole_or_auto,  // the same, or "auto": 0
  seconds,        // decimal number with optional unit ms, s, m, h; positive
  choice,         // one of the words in `range`, separated by '|'
  list,           // words separated by commas
};

struct Settings;
// A value that has passed its check.
struct Value {
  std::string text;     // as given
  uint64_t number = 0;  // whole
  double time = 0;      // seconds
};

struct OptionInfo {
  const char* name;     // "--model"; two options of different verbs may share it
  const char* letter;   // "-j", or ""
  const char* metavar;  // "NAME|FILE"; "" for flags
  Type type;
  const char* preset;                              // the default, as text for people; "" for none
  const char* range;                               // choice: the words; whole, seconds: text for people
  uint64_t least, most;                            // whole
  const char* room;                                // whose behaviour it changes
  uint64_t verbs;                                  // bit mask 1 << Verb
  const char* help;                                // sentences
  Expected<void> (*put)(Settings&, const Value&);  // stores the value
};

struct CommandLine;
struct Console;
struct VerbInfo {
  Verb verb;
  const char* name;         // one word, or two: "progress check"
  const char* operands;     // "FILE|DIR..."
  uint32_t least, most;     // number of operands
  const char* summary;      // after "fencepost check - "
  const char* description;  // paragraphs separated by an empty line
  const char* examples;     // lines of shell
  bool hidden;
  int (*run)(const CommandLine&, const Console&);  // nullptr: cli::run sees to it
};

std::span<const OptionInfo> option_table();
std::span<const VerbInfo> verb_table();
const VerbInfo& info(Verb v);
inline bool takes(Verb v, const OptionInfo& o) { return (o.verbs >> static_cast<uint32_t>(v)) & 1; }

// Typed values of the options; members start at the defaults of the table.
struct Settings {
  std::vector<std::string> given;  // names of the options on the command line, "--model"
  bool has(std::string_view option) const { return std::find(given.begin(), given.end(), option) != given.end(); }
  std::string answer_file;      // of --output where a verb has no other: "" and "-": standard output
  bool quiet = false;           // nothing is printed where the exit status is 0
  std::string colour = "auto";  // auto, always, never
  std::string model;            // "": the default of the test's dialect
  std::string variants;         // of the model: "P2=strict,SC=no"; "": its own
  // What to ask the cache of models for.
  std::string model_name() const {
    return variants.empty() ? model : (model.empty() ? "ptx-9" : model) + "[" + variants + "]";
  }
  check::Engine engine = check::Engine::automatic;
  check::Property property = check::Property::condition;
  uint32_t bound = 1;                                          // 0: auto
  std::string bounds, save_bounds;                             // files; "": none
  double budget = 0;                                           // seconds per test; 0: none
  double total_budget = 0;                                     // seconds for the whole command; 0: none
  Job::Clock::time_point end = Job::Clock::time_point::max();  // when they are over
  std::string memory = "2G";                                   // of the process that works; worker.h reads it
  uint64_t seed = 1;
  uint32_t threads = 0;  // 0: one per processor
  bool json = false;
  bool untrusted = false;
  bool stdio = false;
  std::string format = "text";  // text, json, sarif, junit; json is set for all but text
  std::string witness;
  uint32_t candidates = 3;
  std::string root = ".";
  std::vector<std::string> suites;  // empty: all
  std::vector<std::string> inputs;  // of shaders
  std::string condition, filter, entry;
  bool no_spurious_failures = false;  // of weak compare-exchanges
  bool readings = false;              // ask other readings of the document too
  std::string grid;                   // "": the table's or the module's
  std::string model_dir;
  std::optional<vocab::Dialect> dialect;
  std::string progress = "FAIR";  // termination: what the scheduler promises
  reference::Fairness liveness = reference::Fairness::co;

  // ---- progress ----
  std::vector<std::string> progress_models;  // empty: the shipped ones
  std::string fairness = "both";             // weak, strong, both
  std::string form = "text";                 // text, pseudo, json, list
  bool raw = false, abstract = false;
  std::string output;
  std::string rule = "all";  // all, literal, strict, script
  bool csv = false;
  std::string tests;
  bool verdicts = false;
  uint32_t thread_count = 2, instructions = 4, locations = 2, values = 2;
  std::vector<std::string> per_thread;  // whole numbers
  std::string constraints = "all", shapes;
  bool older_stores = false, count = false;
  std::string symmetry = "locations";
  std::string resume;
  std::vector<std::string> targets, mappings;
  uint64_t total = 0;  // 0: the target's default
  std::string order = "relaxed", loads = "add";
  bool bundle = false;

  // ---- progress run ----
  std::string progress_store;  // empty: nothing is kept
  uint32_t progress_runs = 20, contention = 0;
  bool early_stop = false;
  std::string variant = "inter-workgroup";
  double watchdog = 0;  // seconds; 0: by device
  bool no_watchdog = false;
  double progress_launch_limit = 0;  // seconds; 0: by the watchdog

  // ---- relax, lower ----
  std::vector<std::string> keep;  // empty: condition,races
  bool forbid = false, each_thread = false, exhaustive = false, inline_ptx = false;
  std::string steps = "all";       // all, order, drop
  uint32_t changes = 3, site = 0;  // site 0: none
  uint32_t generate = 0;           // accesses; 0: none
  std::string to_model;

  // ---- campaign, merge, judge ----
  std::string store = "campaign.db", shard, campaign;
  std::string tasks_by;                            // local, slurm; "": this process does it all
  uint32_t task_count = 0, task = 0, retries = 5;  // 0: by default, none
  std::string sbatch;

  // ---- certify ----
  std::string certify_store = "certify.db";
  uint32_t most_mutants = 3;  // of a test

  // ---- outcomes ----
  bool operational = false, coherent_loads = false, steps_shown = false;

  // ---- stats, report ----
  std::string domain = "global";                                                  // stats --output
  std::vector<std::string> parts, only_tests, only_devices, only_configurations;  // empty: all
  bool all_rows = false;
  uint64_t peek = 0;  // samples of a configuration; 0: no replay
  double level = 0.95, reproducibility = 0.95;

  // ---- tune ----
  std::string strategy = "halving", objective = "per-second", replay, tune_store = "tune.db";
  bool explore = false, ablate = false;
  uint32_t configurations = 64, tune_rounds = 100, peeks = 10, look_events = 12, first_rounds = 4, keep_one_in = 2,
           restarts = 2;
  uint32_t confirm_rounds = 100, repeats = 32;
  uint64_t executions = 10'000;

  // ---- emit, run ----
  std::string emit_target = "cuda-source";
  std::string parameters;  // as plan::set_parameters reads them
  std::string mode = "parallel", region = "as-written";

  // ---- run ----
  std::string device = "cpu";
  uint64_t iterations = 0, events = 0;  // 0: not asked for
  double seconds = 0;
  std::string schedule, log;
  std::string home;
  uint32_t rounds = 0, series = 0, cluster = 0;
  bool no_model = false;

  // ---- hunt ----
  std::vector<std::string> compilers, hunt_targets, levels;  // empty: the defaults of the options
  std::string disassembler, hunt_test, hunt_store = "hunt.db";
  std::string hunt_language = "ptx", cuda_path, translator;
  uint64_t hunt_tests = 1000;

  // ---- audit ----
  std::vector<std::string> defines, include_folders;  // for the preprocessor
  std::string baseline, write_baseline, answer_cache;

  // ---- gen, suite ----
  std::string cycle, access;
  std::vector<std::string> families, relations, reads, writes, placements, separating;
  uint32_t family_size = 2;
  std::string notation = "ptx";  // ptx, gpu_ptx, vulkan, opencl
  bool uniform = false, one_location = false, decide = false, allowed = false, forbidden = false, minimal = false,
       thesis = false, rows = false, mutants = false;
  uint64_t most = 0;  // 0: no limit
};

// Checks `value` against the option's range and stores it. The error names the option, the range and, for a
// choice, the nearest word.
Expected<void> store(Settings& settings, const OptionInfo& option, const std::string& value);

struct CommandLine {
  Verb verb = Verb::check;
  Settings settings;
  std::vector<std::string> operands;
};
// Either a command to run, or a text to print and stop (--help, --version).
struct Parsed {
  std::optional<CommandLine> command;
  std::string text;
};
// `args` without the program's name. Errors carry a hint: the nearest verb or option, or what is missing.
Expected<Parsed> parse_command_line(const std::vector<std::string>& args);

}  // namespace fencepost::cli
