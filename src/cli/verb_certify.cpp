// certify: a conformance suite on one device, from nothing to one answer.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

#include "base/printable.h"
#include "campaign/conduct.h"
#include "cat/library.h"
#include "cli/campaign_bar.h"
#include "cli/generated.h"
#include "cli/help.h"
#include "cli/inputs.h"
#include "cli/interrupt.h"
#include "cli/judge_by.h"
#include "cli/made_suite.h"
#include "cli/output.h"
#include "cli/parallel.h"
#include "cli/verbs.h"
#include "device/backend.h"
#include "judge/certification.h"
#include "page/conformance.h"
#include "print/litmus.h"
#include "store/store.h"
#include "tune/bundled.h"

namespace fencepost::cli {
namespace {

struct Suite {
  std::vector<prog::Test> tests;  // each followed by its mutants
  uint64_t own = 0, mutants = 0;
  std::string hash;
};

// Up to `most` of the mutants that the model allows, of as many kinds as there are: the first of each kind, then the
// second of each, and so on.
std::vector<const JudgedMutant*> chosen(const std::vector<JudgedMutant>& all, size_t most) {
  std::vector<const JudgedMutant*> out;
  std::map<gen::Mutator, std::vector<const JudgedMutant*>> by;
  for (const JudgedMutant& m : all)
    if (m.allowed()) by[m.mutant.mutator].push_back(&m);
  for (size_t round = 0; out.size() < most; ++round) {
    const size_t before = out.size();
    for (const auto& [mutator, list] : by)
      if (round < list.size() && out.size() < most) out.push_back(list[round]);
    if (out.size() == before) break;
  }
  return out;
}

// Whether a launch can have the placement of a test: "MP+...@0_1" asks for two devices, "MP+...@0_H1" for one and the
// host. `device`: as --device says it, "cuda:0+1+host".
bool fits(const prog::Test& test, const std::string& device) {
  std::set<std::vector<uint32_t>> devices;  // the two widest levels of a scope path name one
  for (const prog::Thread& t : test.threads)
    if (!t.host) devices.insert({t.scope.begin(), t.scope.begin() + std::min<std::ptrdiff_t>(2, std::ssize(t.scope))});
  const bool host = device.ends_with("+host");
  const auto places = 1 + static_cast<size_t>(std::ranges::count(device, '+'));
  return devices.size() <= places - (host ? 1 : 0) && (host || prog::host_thread(test) == nullptr);
}

// A suite that was made in too little time lacks tests or mutants: it is another one, and none is run.
Expected<void> not_over(const Settings& s) {
  if (Job::Clock::now() < s.end) return {};
  return unsupported_at(
      {}, fmt::format("gave up: the --total-budget of {:g} s is spent before the suite is made", s.total_budget),
      "a longer --total-budget may do; --budget is of the device alone");
}

Expected<Suite> suite_of(const Settings& s, prog::Syntax syntax, const cat::Model& model, const Console& console) {
  gen::SuiteRequest request;
  request.syntax = syntax;
  request.most_threads = std::min(s.family_size, 3u);
  if (s.families != std::vector<std::string>{"all"}) request.families = s.families;
  auto made = suite_tests(request, model, s, console);
  if (!made) return std::unexpected(made.error());
  if (const auto in_time = not_over(s); !in_time) return std::unexpected(in_time.error());
  if (made->undecided > 0)
    return unsupported_at({}, "part of the suite is undecided, so it is not the same on every machine",
                          "give --families that are decided");
  std::erase_if(made->entries, [&](const gen::SuiteEntry& e) { return !fits(e.test, s.device); });
  if (made->entries.empty()) return error_at({}, "the suite has no tests: the model forbids none of these families");
  std::vector<std::vector<JudgedMutant>> mutants(made->entries.size());
  Progress progress(console, made->entries.size(), "tests with their mutants", true);
  in_order(
      made->entries.size(), s.threads, progress,
      [&](size_t i) { return judged_mutants(made->entries[i], model, s, syntax); },
      [&](size_t i, std::vector<JudgedMutant> list) { mutants[i] = std::move(list); });
  if (const auto in_time = not_over(s); !in_time) return std::unexpected(in_time.error());
  Suite out;
  std::string texts;
  for (size_t i = 0; i < made->entries.size(); ++i) {
    out.tests.push_back(made->entries[i].test);
    ++out.own;
    for (const JudgedMutant* m : chosen(mutants[i], s.most_mutants)) {
      out.tests.push_back(m->mutant.test);
      ++out.mutants;
    }
  }
  for (const prog::Test& t : out.tests) texts += print::print(t);
  out.hash = store::hash_of(texts);
  return out;
}

// Of several devices: of the first.
tune::Kind kind_of(const std::string& device, const device::Found& found) {
  const std::string id = device.substr(0, device.find('+'));
  for (const device::Info& d : found.devices)
    if (d.id == id || device::name(d.api) == id)
      return d.api == device::Api::cpu ? tune::Kind::processors
             : d.runs_groups_together  ? tune::Kind::gpu
                                       : tune::Kind::one_by_one;
  return tune::Kind::one_by_one;
}

// A refusal comes from another process as text with its place in the test; the test is named beside it.
std::string reason(const Diagnostics& why) {
  if (why.list.empty()) return "";
  const std::string& text = why.list.front().message;
  const size_t place = text.find(".litmus:"), end = place == std::string::npos ? place : text.find(": ", place);
  return end == std::string::npos ? text : text.substr(end + 2);
}

const char* notation_for(const std::string& device) {
  return device.starts_with("vulkan") ? "vulkan" : device.starts_with("opencl") ? "opencl" : "ptx";
}

std::string upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

// Half of the budget is for the tests themselves; the other half is for compiling them, for launches that are being
// measured, and for what a machine does besides.
std::string plan_text(const Settings& s, const Suite& suite, const std::string& model, const tune::Bundled& stress) {
  const double each = s.budget / 2 / static_cast<double>(suite.tests.size() * stress.count);
  return fmt::format(
      "name = \"certify {} {}\"\ntests = [\"suite {}\"]\ndevices = [\"{}\"]\n# model: {}\nseed = {}\nseconds = "
      "{:.6f}\ngroup_seconds = {:.6f}\n{}",
      s.notation, suite.hash, suite.hash, s.device, printable_name(model), s.seed, std::max(each, 1e-3),
      std::clamp(each / 4, 1e-3, 0.1), stress.text);
}

}  // namespace

int run_certify(const CommandLine& line, const Console& console) {
  Settings s = line.settings;
  const auto form = form_of_ending(s.output, {".html", ".json", ".xml"});
  if (!form) return report_errors(console, form.error());
  if (s.budget == 0) s.budget = 60;
  if (!s.has("--dialect")) s.notation = notation_for(s.device);
  const auto syntax = notation_of(s.notation);
  if (!syntax) return report_errors(console, syntax.error());
  if (*syntax == prog::Syntax::gpu_ptx)
    return report_errors(console, unsupported_at({}, "GPU_PTX has no conformance suite", "use PTX").error());
  if (s.device.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789:+") != std::string::npos)
    return report_errors(console, error_at({}, fmt::format("there is no device '{}'", printable_name(s.device)),
                                           "`fencepost devices` lists them")
                                      .error());
  if (s.seed > static_cast<uint64_t>(INT64_MAX))
    return report_errors(console, error_at({}, "the seed of a plan is at most 2^63 - 1", "take a smaller one").error());
  for (const std::string& f : s.families)
    if (f != "all")
      if (const auto known = gen::parse_name(f); !known) return report_errors(console, known.error());
  // The device is looked for first: a suite takes seconds to make, and a name may be mistyped.
  const double left = std::chrono::duration<double>(s.end - Job::Clock::now()).count();
  const device::Found found =
      campaign::is_reference(s.device) ? device::Found{} : campaign::find_devices_apart(std::clamp(left, 0.1, 60.0));
  if (const auto in_time = not_over(s); !in_time) return report_errors(console, in_time.error());
  ModelCache models;
  const vocab::Dialect dialect = dialect_of(*syntax);
  const std::string asked = !s.model.empty()              ? s.model
                            : s.device.ends_with("+host") ? "ptx-8-x86"
                                                          : cat::default_model(dialect);
  const auto& model = models.get(asked, dialect);
  if (!model) return report_errors(console, model.error());
  const std::string model_name = asked.ends_with(".cat") ? std::filesystem::path(asked).stem().string() : asked;
  const tune::Bundled stress = tune::bundled_stress(kind_of(s.device, found));
  {
    // An unknown device is an error of list_work's, which an empty list of tests does not need a suite for.
    auto probe =
        campaign::read_plan(make_source("certify", plan_text(s, Suite{{prog::Test{}}, 1, 0, "0"}, model_name, stress)));
    if (!probe) return report_errors(console, probe.error());
    auto store = store::Store::open(s.certify_store);
    if (!store) return report_errors(console, store.error());
    warn(console, store->warning());
    if (const auto there = campaign::list_work(*probe, {}, found, {}, *store); !there)
      return report_errors(console, there.error());
  }
  console.err("certify: the tests and their mutants are made first, which takes no time of --budget\n");
  Settings making = s;
  making.budget = 0;  // --budget is for the device; the suite is the same whatever it is
  const auto suite = suite_of(making, *syntax, *model, console);
  if (!suite) return report_errors(console, suite.error());
  const auto plan = campaign::read_plan(make_source("certify", plan_text(s, *suite, model_name, stress)));
  if (!plan) return report_errors(console, plan.error());
  auto store = store::Store::open(s.certify_store);
  if (!store) return report_errors(console, store.error());
  auto work = campaign::list_work(*plan, suite->tests, found, {}, *store);
  if (!work) return report_errors(console, work.error());
  Job job = job_of(s);
  const Interruptible guard;
  job.cancelled = guard.flag();
  // A minute or two without a word: what is to come, and how long it takes.
  console.err(fmt::format("certify: {} tests and {} weaker forms of them are run for {:g} s on {}, and then judged\n",
                          suite->own, suite->mutants, s.budget, s.device));
  CampaignBar bar(console);
  const auto report =
      campaign::conduct(*plan, std::move(*work), *store, job, [&](const campaign::Progress& p) { bar.at(p); });
  bar.clear();
  if (!report) return report_errors(console, report.error());

  std::vector<judge::NotRun> not_run;
  for (const campaign::Problem& p : report->problems)
    if (std::ranges::none_of(not_run, [&](const judge::NotRun& n) { return n.test == p.test; }))
      not_run.push_back({p.test, reason(p.why), p.lost || exit_code(p.why) != k_exit_undecided});
  auto seen = judge::observations(*store, {.campaign = plan->name});
  if (!seen) return report_errors(console, seen.error());
  auto owed = judge::owed(*store, *seen);
  if (!owed) return report_errors(console, owed.error());
  Settings judging = s;
  judging.budget = 20;  // seconds for each test
  const auto how = judge_by(judging, *seen, models);
  if (!how) return report_errors(console, how.error());
  Job rest;  // --budget is not of the judging
  rest.deadline = s.end;
  judge::Judged judged = judge::judge(std::move(*seen), *how, rest);
  judged.owed = std::move(*owed);
  judge::Provenance of;
  of.version = version();
  of.date =
      fmt::format("{:%FT%TZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
  of.device = s.device;
  of.suite = fmt::format("{}, {}", upper(s.notation),
                         s.families.empty() || s.families == std::vector<std::string>{"all"}
                             ? fmt::format("all families of up to {} threads and IRIW", std::min(s.family_size, 3u))
                             : fmt::format("{}", fmt::join(s.families, ", ")));
  of.suite_hash = suite->hash;
  of.model = model_name;
  of.plan_hash = store::hash_of(plan->text);
  of.store = s.certify_store;
  of.tests = suite->own;
  of.mutants = suite->mutants;
  of.seed = s.seed;
  const judge::Certification c = judge::certification(judged, std::move(of), std::move(not_run));
  const std::string text = s.json || *form == ".json" ? judge::to_json(c)
                           : *form == ".html"         ? page::html(c)
                           : *form == ".xml"          ? page::junit(c)
                                                      : judge::to_text(c);
  const int written = put(console, s.output, text);
  if (written == k_exit_holds && !s.output.empty() && s.output != "-")
    console.err(fmt::format("{}  {}\n", judge::name(c.grade), c.why.front()));
  return written != k_exit_holds ? written : c.exit_code();
}

}  // namespace fencepost::cli
