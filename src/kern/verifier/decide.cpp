#include "verifier/decide.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <ranges>

#include "base/write_file.h"
#include "flow/endings.h"
#include "flow/small_indices.h"
#include "launch/toolkit.h"
#include "verifier/arguments.h"
#include "verifier/attack.h"
#include "verifier/bounds.h"
#include "verifier/engine_options.h"
#include "verifier/given.h"
#include "verifier/mutants.h"
#include "verifier/reference.h"
#include "verifier/related.h"
#include "verifier/service.h"

namespace fencepost::verifier {

const clangfe::HostKernel* host_kernel(const clangfe::Unit& unit, const ir::Function& f) {
  for (const clangfe::HostKernel& k : unit.kernels)
    if (k.symbol == f.symbol) return &k;
  return nullptr;
}

namespace {

constexpr double k_replay_seconds = 10;  // for all findings of a kernel
constexpr double k_patience = 8;         // wall time for one second of processor time, at most
constexpr double k_own_part = 0.9;       // of the --budget: after it no kernel is begun; what is over is for the report
constexpr double k_first_part = 0.5;     // of the time, before a second proof is tried,
constexpr double k_first_seconds = 4;    // and so many seconds at most
constexpr double k_related_part = 4;  // the kernel with the numbers of its launches, in times of what was spent before
constexpr double k_less_seconds = 0.3, k_less_part = 2;  // with the arguments alone, in times of what both took
constexpr size_t k_related = 4;                          // launches that give their numbers otherwise, at most
constexpr uint64_t k_most_blocks = 1u << 20;  // of which a run counts against small indices, where any number may be
constexpr double k_attack_seconds = 300;      // where no --timeout is given: the attack takes a fifth of it at most

double since(std::chrono::steady_clock::time_point t) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count();
}

std::vector<clangfe::OtherText> other_text(const clangfe::Unit& unit, const clangfe::HostKernel* host,
                                           const std::string& name) {
  if (host != nullptr) return host->other_text;
  const auto it = unit.other_text.find(name);
  return it == unit.other_text.end() ? std::vector<clangfe::OtherText>() : it->second;
}

// The length of `extern __shared__` arrays at this launch.
void set_shared(ir::Module& m, const launch::Size& bytes) {
  if (!bytes) return;
  for (ir::Region& r : m.regions)
    if (r.space == ir::Space::group && r.origin == ir::Origin::variable && !r.size) r.size = *bytes;
}

// Something may exclude it that the proof does not decide.
bool may_be_none(const prove::Finding& f) { return !f.perhaps.empty() || !f.apart.empty(); }

// Such a race that no run shows is no finding: the kernel is not decided, by the name of that.
void leave_open(const ir::Module& m, std::vector<FindingReport>& findings, prove::Result& r) {
  const auto open = [](const FindingReport& f) { return !f.confirmed && may_be_none(f.finding); };
  for (const FindingReport& x : findings) {
    if (!open(x)) continue;
    const prove::Finding& f = x.finding;
    const std::string first = ir::where(m, f.place), second = ir::where(m, f.other_place);
    if (f.kind == prove::Kind::barrier_divergence)
      r.unsupported.insert(fmt::format("whether {} at {}", f.apart, first));
    else if (f.perhaps.empty())
      r.unsupported.insert(fmt::format("whether {} {} and {} apart", f.apart, first, second));
    else
      r.unsupported.insert(fmt::format("whether {} order{} {} and {}", f.perhaps,
                                       f.perhaps.starts_with("messages") ? "" : "s", first, second));
  }
  if (std::erase_if(findings, open) == 0 || !findings.empty()) return;
  r.findings.clear();
  r.verdict = {.status = Status::unsupported};
}

// A proof that a run contradicts is our fault: what is needed to see it again, as a file in the folder for temporary
// files. What to say of it.
std::string reproducer(const launch::Options& o, const Source& file, const std::string& kernel, std::string run) {
  const bool cuda = *o.dialect == ir::Dialect::cuda;
  const auto sizes = [](const std::vector<launch::Size>& list) {
    std::string text;
    for (const launch::Size& s : list) text += (text.empty() ? "" : ",") + (s ? std::to_string(*s) : std::string("*"));
    return text;
  };
  std::string words =
      fmt::format("--{}={} --{}={} --pointer-bitwidth={}", cuda ? "blockDim" : "local_size", sizes(o.launch.local_size),
                  cuda ? "gridDim" : "num_groups", sizes(o.launch.num_groups), o.pointer_bits);
  for (const std::string& d : o.defines) words += " -D" + d;
  if (!o.inline_calls) words += " --no-inline";
  for (const launch::Arguments& a : o.kernel_args)
    words += fmt::format(" --kernel-args={},{}", a.kernel, fmt::join(a.values | std::views::transform(argument), ","));
  if (o.sub_group_size) words += fmt::format(" --sub-group-size={}", *o.sub_group_size);
  if (o.warp_size) words += o.volta ? " --warp-sync=volta" : fmt::format(" --warp-sync={}", *o.warp_size);
  if (!o.cuda_path.empty()) run += fmt::format("; with --cuda-path={}", o.cuda_path);
  for (size_t at = 0; (at = run.find('\n', at)) != std::string::npos; at += 3) run.replace(at, 1, "\n//");
  const std::string text =
      fmt::format("//xfail:NOT_ALL_VERIFIED\n//{}\n\n// kernel {}, profile {}, seed {}\n// {}\n{}", words, kernel,
                  o.profile == launch::Profile::standard ? "standard" : "gpuverify", o.seed, run, file.text);
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(failed);
  const std::string path =
      (folder / fmt::format("fencepost-reproducer-{:016x}.{}", std::hash<std::string>{}(text), cuda ? "cu" : "cl"))
          .string();
  if (failed || !write_file(path, text)) return "please report the file and the options";
  return fmt::format("please report {}", path);
}

// What an assumption of small indices keeps from being the answer.
std::string run_that_wraps(const prove::Finding& f) {
  std::string with;
  for (const auto& [name, value] : f.arguments) with += fmt::format("{}{} = {}", with.empty() ? "" : ", ", name, value);
  if (with.empty()) with = fmt::format("{} groups", uint64_t{f.num_groups[0]} * f.num_groups[1] * f.num_groups[2]);
  return "; a run shows a race where they do not, with " + with;
}

// --check-arrays: races on other arrays do not count.
void keep_arrays(const launch::Options& o, const ir::Module& m, prove::Result& r) {
  if (o.check_arrays.empty() || r.verdict.status != Status::fails) return;
  std::erase_if(r.findings, [&](const prove::Finding& x) {
    return x.kind == prove::Kind::race &&
           std::find(o.check_arrays.begin(), o.check_arrays.end(), m.region(x.region).name) == o.check_arrays.end();
  });
  if (r.findings.empty())
    r.verdict = {.status = !r.unsupported.empty() ? Status::unsupported : r.gave_up ? Status::gave_up : Status::holds};
}

}  // namespace

// One row while it is decided.
class Row {
 public:
  Row(Decider& all, ir::FunctionId f, const Question& question)
      : all_(all),
        in_(all.in_),
        f_(f),
        question_(question),
        o_(*question.options),
        host_(host_kernel(in_.unit, in_.unit.module.function(f))),
        module_(&in_.unit.module) {
    const ir::Function& kernel = function();
    limits_ = *o_.dialect == ir::Dialect::cuda && o_.profile == launch::Profile::standard && kernel.kernel;
    said_ = {.function = f,
             .name = kernel.name,
             .symbol = kernel.symbol,
             .place = host_ != nullptr ? host_->place : Span{},
             .options = question.options,
             .launched_at = question.places,
             .any_size = question.any_size,
             .named_only = question.named_only};
  }

  // True: the proof counts, and `proof` has it.
  bool decide() {
    if (!begin()) return false;
    prepare();
    // Where index arithmetic may be kept small, a part of the time is for that.
    const double first = o_.timeout > 0 ? std::min(k_first_part * o_.timeout, k_first_seconds) : k_first_seconds;
    const bool more = products_.any() || !related_.empty();
    ask(more ? first : o_.timeout);
    const bool ended = proof_.verdict.status == Status::gave_up && more;
    const bool of_launches = as_launched(ended);
    assume_small_indices(ended);
    if (ended && proof_.verdict.status == Status::gave_up) ask(left());
    if (!of_launches) compare_with_launches();
    said_.status = proof_.verdict.status;
    said_.vacuous = proof_.verdict.vacuous;
    said_.seconds = proof_.effort.seconds;
    said_.effort = proof_.effort;
    said_.ends = proof_.verdict.status == Status::holds && flow::ends_by_itself(*module_, in_.effects, f_);
    if (const std::string why = why_it_does_not_count(); !why.empty()) return leave_open_for(Status::unknown, why);
    if (proof_.verdict.status == Status::holds) {
      grant();
      return true;
    }
    show();
    return false;
  }
  // Of a proof that counts, when `HandedOn` has it.
  void mutate() {
    if (!o_.mutants || proof_.verdict.vacuous) return;
    MutantReport tried = try_mutants(*module_, f_, engine_, job_, o_.timeout);
    said_.mutants = std::move(tried.counts);
    said_.mutants_text = std::move(tried.text);
  }
  const ir::Module& module() const { return *module_; }
  const prove::Result& proof() const { return proof_; }
  KernelReport take() { return std::move(said_); }

 private:
  const ir::Function& function() const { return in_.unit.module.function(f_); }
  bool standard() const { return o_.profile == launch::Profile::standard; }
  bool leave_open_for(Status status, std::string why) {
    said_.status = status;
    said_.why = std::move(why);
    return false;
  }

  // Is there such a launch, and time? Then the module has what is known of the launch.
  bool begin() {
    const ir::Function& kernel = function();
    const bool bounds = host_ != nullptr && host_->most_threads && kernel.kernel;
    std::string no_launch = limits_ || bounds ? impossible(o_.launch, host_) : "";
    if (no_launch.empty() && kernel.kernel && standard()) no_launch = excluded(o_.launch, *module_, f_);
    if (!no_launch.empty()) return leave_open_for(Status::unknown, no_launch);
    if (o_.budget > 0) {
      const double left = k_own_part * o_.budget - since(in_.begin);
      if (left <= 0)
        return leave_open_for(
            Status::gave_up,
            fmt::format("gave up: the {:g} s for the whole file are spent (--budget, or --timeout for each kernel)",
                        o_.budget));
      o_.timeout = o_.timeout > 0 ? std::min(o_.timeout, left) : left;
    }
    sized_ = *module_;
    bounded_ = limits_ && bound_sizes(sized_, f_, o_.launch, host_);
    const bool lengths = o_.check_array_bounds && question_.shared;
    if (lengths) set_shared(sized_, question_.shared);
    if (bounded_ || lengths) module_ = &sized_;
    return true;
  }

  // A deadline. What is not wall time passes more slowly: there it stands for the case that it does not pass at all.
  Job job_of(double seconds) const {
    Job job = Job::with_budget(o_.spent != nullptr ? k_patience * seconds : seconds);
    job.cancelled = o_.spent;
    job.seed = o_.seed;
    return job;
  }

  void prepare() {
    engine_ = engine_options(o_, *module_, function());
    engine_.axioms = in_.axioms;
    engine_.second = in_.second;
    if (called())
      if (const auto it = all_.contracts_.find(f_.index); it != all_.contracts_.end()) engine_.contract = it->second;
    if (!o_.check_arrays.empty()) engine_.max_findings = 1u << 20;
    relate();
    if (o_.strict || !standard() || o_.compat || o_.loop_unwind || !function().kernel) return;
    small_ = *module_;
    products_ = flow::keep_indices_small(small_, in_.effects.function(f_).reached, engine_.launch);
  }
  // With the numbers that its launches give, if all of them say something of these.
  void relate() {
    if (!standard() || o_.compat || o_.loop_unwind || !function().kernel || question_.alike.size() > k_related) return;
    for (const Alike& a : question_.alike) {
      related_.emplace_back(*module_, f_, in_.effects.function(f_), a.relations);
      if (related_.back().any()) continue;
      related_.clear();
      return;
    }
  }
  bool called() const { return !function().kernel && in_.effects.called(f_); }

  // One proof, of the kernel or of a changed one; within so many seconds, where there is a limit. Its effort is that of
  // all proofs so far.
  // `runs`: it is run beside the proof if that takes long; what a run shows ends the proof.
  prove::Result prove_within(const ir::Module& m, double seconds, bool runs = false) {
    job_ = job_of(seconds);
    limit_ = seconds;
    if (o_.spent != nullptr) engine_.seconds = seconds;
    early_.reset();
    const auto beside = [&] {
      EarlyRuns early(m, f_, o_, engine_, job_);
      prove::Result r = prove::prove(m, f_, engine_, early.job());
      early_ = early.shown();
      return r;
    };
    prove::Result r = runs ? beside() : prove::prove(m, f_, engine_, job_);
    spent_ += r.effort.seconds;
    r.effort += proof_.effort;
    r.effort.seconds = spent_;
    keep_arrays(o_, m, r);
    for (const std::string& path : o_.axiom_files) r.assumptions.insert(fmt::format("the axioms of '{}' hold", path));
    return r;
  }

  // The kernel as it is.
  void ask(double seconds) {
    proof_ = prove_within(*module_, seconds, o_.attack && standard() && !o_.compat && function().kernel);
    said_.candidates = proof_.candidates;
    said_.barrier_intervals = proof_.barrier_intervals;
    if (!called())
      for (const auto& [g, c] : proof_.contracts) all_.contracts_[g].join(c);
    refute();
    replay();
  }
  // What is left of the time; 0: there is no limit.
  double left() const { return o_.timeout > 0 ? std::max(o_.timeout - spent_, 1e-3) : 0; }

  // A run that shows a defect outweighs a proof.
  void refute() {
    prove::Result& r = proof_;
    if (!o_.attack || r.verdict.status == Status::fails || r.verdict.vacuous) return;
    const Attack found =
        early_ ? *early_ : attack(*module_, f_, o_, engine_, r, o_.timeout > 0 ? o_.timeout : k_attack_seconds);
    if (!found.finding) return;
    // A proof that says what it takes for granted (a counter that does not wrap) is refuted by a run in which that
    // does not hold.
    if (r.verdict.status == Status::holds && o_.barrier_access_checks && prove::holds_in_runs(r.assumptions))
      said_.our_fault = fmt::format("internal error: the proof of '{}' missed what a run shows ({}); {}", said_.name,
                                    found.run, reproducer(o_, in_.file, said_.name, found.run));
    else if (r.verdict.status == Status::holds)
      said_.remark =
          fmt::format("what the proof of '{}' takes for granted does not hold in a run ({})", said_.name, found.run);
    r.verdict = {.status = Status::fails};
    r.findings = {*found.finding};
    shown_ = found.values;
  }

  // What was found, in a run where there is one.
  void replay() {
    said_.findings.clear();
    if (proof_.verdict.status == Status::holds) return;
    // Runs count into the time, of which a little is left for them in any case.
    double runs = o_.timeout > 0 ? std::max(0.05 * o_.timeout,
                                            std::min(k_replay_seconds, 0.9 * o_.timeout - proof_.effort.seconds))
                                 : k_replay_seconds;
    for (const prove::Finding& finding : proof_.findings) {
      const auto start = std::chrono::steady_clock::now();
      if (!shown_) {
        said_.findings.push_back(told(*module_, finding, confirm(*module_, f_, finding, o_, engine_, runs)));
      } else {
        said_.findings.push_back({.finding = finding, .confirmed = true, .values = *shown_});
      }
      runs -= since(start);
    }
  }

  // Nothing is shown, and a proof under an assumption would be one.
  bool is_open() const {
    const prove::Result& r = proof_;
    return r.verdict.status == Status::gave_up || (r.verdict.status == Status::fails && !r.findings.empty());
  }
  // A proof of a changed kernel. What is said of the time is of the kernel as it is.
  prove::Result ask_instead(const ir::Module& m, double seconds) {
    const Job job = job_;
    const double limit = limit_;
    const double before = spent_;
    prove::Result again = prove_within(m, seconds);
    since_asked_ = spent_ - before;
    job_ = job;
    limit_ = limit;
    proof_.effort = again.effort;
    return again;
  }

  // Where there is no proof for all numbers, the kernel is asked about with those that its launches give
  // (verifier/related.h). A defect that is found is one of a launch. True: what is said is of the launches.
  // `more`: it is to be asked about as it is again.
  bool as_launched(bool more) {
    if (!is_open() || related_.empty()) return false;
    std::optional<prove::Result> all;
    for (size_t k = 0; k < related_.size(); ++k) {
      const double most = std::max(k_first_seconds, k_related_part * spent_);
      const double seconds = o_.timeout > 0 ? std::min((more || products_.any() ? 0.5 : 1.0) * left(), most) : most;
      prove::Result again = ask_instead(related_[k].module(), seconds);
      std::vector<FindingReport> found;
      if (again.verdict.vacuous || !stands(related_[k], again, found)) return false;
      if (again.verdict.status != Status::holds) return tell_of_launches(std::move(again), std::move(found));
      say_less(k, again);
      again.assumptions.insert({"its numbers are those of the launch" + of_launch(k)});
      if (!all) {
        all = std::move(again);
        continue;
      }
      all->assumptions.insert(again.assumptions.begin(), again.assumptions.end());
      std::erase_if(all->put_back, [&](const ir::RegionId r) { return !again.put_back.contains(r); });
      all->warps.insert(again.warps.begin(), again.warps.end());
      all->small_offsets = all->small_offsets || again.small_offsets;
      all->effort = again.effort;
    }
    proof_ = std::move(*all);
    said_.findings.clear();
    return true;
  }
  // What the launch says of its sizes is left out of the assumption where the arguments alone will do.
  void say_less(size_t k, prove::Result& proof) {
    if (!related_[k].of_sizes()) return;
    Related less(*module_, f_, in_.effects.function(f_), question_.alike[k].relations, false);
    if (!less.any()) return;
    const double most = std::max(k_less_seconds, k_less_part * since_asked_);
    prove::Result again = ask_instead(less.module(), o_.timeout > 0 ? std::min(0.5 * left(), most) : most);
    std::vector<FindingReport> found;
    if (again.verdict.status != Status::holds || again.verdict.vacuous || !stands(less, again, found) ||
        again.verdict.status != Status::holds)
      return;
    proof = std::move(again);
    related_[k] = std::move(less);
  }
  // " at f.cu:3:5: pitch == n + 8"
  std::string of_launch(size_t k) const {
    std::vector<std::string> places;
    for (const Span& s : question_.alike[k].places) places.push_back(s.location());
    return fmt::format(" at {}: {}", fmt::join(places, ", "), fmt::join(related_[k].said(), ", "));
  }
  // Runs with the launch's numbers: what they show is added. False: they contradict the relations, all of them.
  bool stands(const Related& launch, prove::Result& r, std::vector<FindingReport>& found) {
    const ir::Module& m = launch.module();
    if (r.verdict.status != Status::fails && (o_.attack || r.verdict.status == Status::holds)) {
      const Attack runs = attack(m, f_, o_, engine_, r, o_.timeout > 0 ? o_.timeout : k_attack_seconds, &launch);
      if (r.verdict.status == Status::holds && !runs.finding && runs.runs > 0 && runs.possible == 0) return false;
      if (!runs.finding) return true;
      r.verdict = {.status = Status::fails};
      r.findings = {*runs.finding};
      found.push_back({.finding = *runs.finding, .confirmed = true, .values = runs.values});
      launch.forget_variables(found.back().finding);
      return true;
    }
    double runs = k_replay_seconds;
    for (const prove::Finding& f : r.findings) {
      const auto start = std::chrono::steady_clock::now();
      const std::optional<Shown> run = confirm(m, f_, f, o_, engine_, runs, &launch);
      found.push_back(told(m, f, run));
      launch.forget_variables(found.back().finding);
      runs -= since(start);
    }
    return true;
  }
  // No proof of the launches: what is found in them, if it says more than what was found with any numbers.
  bool tell_of_launches(prove::Result again, std::vector<FindingReport> found) {
    const bool shown = std::ranges::any_of(found, &FindingReport::confirmed);
    if (found.empty() || (!shown && std::ranges::any_of(said_.findings, &FindingReport::confirmed))) return false;
    proof_ = std::move(again);
    said_.findings = std::move(found);
    return true;
  }

  // What a run has shown is shown with numbers of a launch, or it is said that its numbers are of none.
  void compare_with_launches() {
    if (proof_.verdict.status != Status::fails || related_.empty()) return;
    for (FindingReport& x : said_.findings)
      if (x.confirmed) compare(x);
  }
  void compare(FindingReport& x) const {
    std::string launches;
    bool may = false;
    for (size_t k = 0; k < related_.size(); ++k) {
      const Related& launch = related_[k];
      const std::optional<bool> met = launch.met(x.finding);
      if (met.value_or(false)) return;
      if (const auto run = confirm(launch.module(), f_, x.finding, o_, engine_, 1, &launch)) {
        x = told(launch.module(), x.finding, run);
        return launch.forget_variables(x.finding);
      }
      may = may || !met;
      launches += (launches.empty() ? "" : ", and") + of_launch(k);
    }
    x.elsewhere = fmt::format("with numbers that {}{}",
                              may ? "may be of no launch of this file" : "no launch of this file gives", launches);
  }
  FindingReport told(const ir::Module& m, const prove::Finding& f, const std::optional<Shown>& run) const {
    FindingReport x{.finding = f, .confirmed = run.has_value()};
    if (!run) return x;
    x.values = values_text(run->defect);
    if (!o_.compat) tell_as_run(m, m.function(f_), *run, x.finding);
    return x;
  }

  // A number of elements that no array has: from 2^31 on, and of 64 bits from 2^62 on. Negative ones too.
  bool no_length(const std::pair<std::string, uint64_t>& argument) const {
    for (const ir::Parameter& p : function().parameters)
      if (!p.region && p.name == argument.first)
        return p.type.kind == ir::Type::bits && argument.second >> (p.type.width > 32 ? 62 : 31) != 0;
    return false;
  }

  // Where nothing but index arithmetic that wraps may make a race, and no run shows it, the kernel is asked about once
  // more without that (flow/small_indices.h), with any numbers and with those of its launches.
  // `more`: it is to be asked about as it is again.
  void assume_small_indices(bool more) {
    prove::Result& r = proof_;
    // A run of some blocks of a grid that no program launches, or with a number of elements that no array has, shows
    // the wrap, and nothing else.
    const auto wraps = [&](const FindingReport& f) {
      uint64_t any = 1;
      for (size_t d = 0; d < 3; ++d)
        if (engine_.launch.num_groups[d] == 0)
          any = std::min<uint64_t>(any * f.finding.num_groups[d], k_most_blocks + 1);
      const bool huge = std::ranges::any_of(f.finding.arguments, [&](const auto& a) { return no_length(a); });
      return f.only_possible() || (f.finding.kind == prove::Kind::race && (huge || any > k_most_blocks));
    };
    if (!is_open() || !products_.any() || !std::ranges::all_of(said_.findings, wraps)) return;
    const double part = more || !related_.empty() ? 0.5 : 1.0;
    prove::Result again = ask_instead(small_, o_.timeout > 0 ? part * left() : more ? k_first_seconds : 0);
    // What is not decided then is the obstacle; that unsigned numbers wrap beside it is of no use to the reader.
    const bool undecided = again.verdict.status == Status::unsupported ||
                           (again.verdict.status == Status::fails && std::ranges::all_of(again.findings, may_be_none));
    if (undecided && r.verdict.status == Status::fails) {
      proof_ = std::move(again);
      said_.findings.clear();
      for (const prove::Finding& f : proof_.findings) said_.findings.push_back({.finding = f});
      return;
    }
    if (keeps_small(small_, nullptr, std::move(again), "") || related_.size() != 1) return;
    const Related both(small_, f_, in_.effects.function(f_), question_.alike.front().relations);
    if (!both.any()) return;
    const double rest = o_.timeout > 0 ? (more ? 0.5 : 1.0) * left() : k_first_seconds;
    keeps_small(both.module(), &both, ask_instead(both.module(), rest), of_launch(0));
  }
  // Is it a proof, of a kernel whose index arithmetic is kept small? Then it is the answer.
  bool keeps_small(const ir::Module& m, const Related* launch, prove::Result again, const std::string& of_launch) {
    if (again.verdict.status != Status::holds || again.verdict.vacuous) return false;
    // What is assumed must leave something: some run, where the launch can be run.
    const Attack runs = attack(m, f_, o_, engine_, again, o_.timeout > 0 ? left() : k_attack_seconds, launch);
    if (runs.finding || (runs.runs > 0 && runs.possible == 0)) return false;
    const auto assume = [&](const std::vector<ir::PlaceId>& at, const char* what, const std::string& run) {
      std::vector<std::string> places;
      for (const ir::PlaceId p : at) places.push_back(ir::where(*module_, p));
      if (!places.empty())
        again.assumptions.insert(
            {fmt::format("{} (at {}){}", what, fmt::join(places, ", "), run), prove::Assumption::small_indices});
    };
    std::string shown;
    for (const FindingReport& f : said_.findings)
      if (f.confirmed && shown.empty()) shown = run_that_wraps(f.finding);
    assume(products_.of_32, "index arithmetic on unsigned numbers stays below 2^31", shown);
    assume(products_.of_64, "index arithmetic of 64 bits stays below 2^63", shown);
    assume(products_.divisions, "numbers that index arithmetic divides by are not negative", shown);
    assume(products_.claims, "an update that claims a place writes another number than it looks for", shown);
    if (launch != nullptr) again.assumptions.insert({"its numbers are those of the launch" + of_launch});
    proof_ = std::move(again);
    said_.findings.clear();
    return true;
  }

  // "": it counts, or there is none. A proof's assumptions are complete then.
  std::string why_it_does_not_count() {
    prove::Result& r = proof_;
    if (r.verdict.vacuous && standard()) return "vacuous: no two threads meet the preconditions, so nothing is proved";
    if (r.verdict.status != Status::holds) return "";
    if (limits_ && !question_.cooperative.value_or(false) && question_.no_proof.empty() && meets_grid(*module_, f_))
      r.assumptions.insert({"the launch is cooperative: else a barrier of the grid is not defined"});
    const bool free_block = !(o_.launch.local(0) && o_.launch.local(1) && o_.launch.local(2));
    if (bounded_ && free_block && host_ != nullptr && !host_->needs.empty())
      r.assumptions.insert(fmt::format("blocks have the size that '{}' asks for", host_->needs.front().what));
    if (std::string why = other_start(*module_, r, question_); !why.empty()) return why;
    if (!question_.no_proof.empty()) return question_.no_proof;
    idle_ = function().kernel && without_effect(*module_, f_);
    other_ = other_text(in_.unit, host_, said_.name);
    const auto counts = [](const prove::Assumption& a) { return a.kind == prove::Assumption::starts_at_zero; };
    if (std::ranges::none_of(r.assumptions, counts)) std::erase_if(other_, [](const auto& t) { return t.of_resets; });
    if (std::string why = left_out(other_, in_.unit.arch_given, idle_); !why.empty()) return why;
    if (o_.model == launch::Model::ptx) std::erase_if(r.assumptions, prove::said_by_ptx);
    // Files that were not found could have a macro of a name that the text defines otherwise.
    if (!in_.unit.missing.empty())
      absent_ = fmt::format("what it uses is defined in none of the files that were not found ({})",
                            fmt::join(in_.unit.missing, ", "));
    for (const clangfe::OtherText& t : other_)
      if (t.by_compiler || !in_.unit.arch_given) r.assumptions.insert(assumption(t));
    if (standard() && !o_.strict)
      for (const std::string& a : assumed_by_user(*module_, f_)) r.assumptions.insert(a);
    std::vector<std::string> granted;
    if (o_.strict) granted = taken_for_granted(*module_, f_, o_, r, in_.unit.arch_given ? "" : in_.file.text);
    if (o_.strict && !absent_.empty()) granted.push_back(absent_);
    if (std::string missing = not_granted(o_, r); !missing.empty()) return missing;
    return granted.empty() ? "" : fmt::format("under --strict: a proof assumes that {}", fmt::join(granted, "; that "));
  }

  void grant() {
    for (const prove::Assumption& assumed : proof_.assumptions) said_.assumptions.push_back(assumed.text);
    if (!absent_.empty()) said_.assumptions.push_back(absent_);
    said_.own_assumptions = said_.assumptions.size();
    std::ranges::copy(assumptions(in_.beside), std::back_inserter(said_.assumptions));
    said_.warps.assign(proof_.warps.begin(), proof_.warps.end());
    if (!idle_) return;
    said_.note = "the kernel makes no access";
    for (const clangfe::OtherText& t : other_) said_.note += "; " + t.text;
  }

  // What was found, that is not.
  void show() {
    prove::Result& r = proof_;
    leave_open(*module_, said_.findings, r);
    if (!question_.alike.empty() && host_ != nullptr && !o_.compat)
      for (FindingReport& x : said_.findings)
        if (x.finding.kind == prove::Kind::race)
          x.given = given_by_host(*module_, function(), x.finding, host_->launches, question_.places);
    said_.status = r.verdict.status;
    if (o_.compat) merge_sources(*module_, said_.findings);
    if (r.verdict.status != Status::fails || r.findings.empty()) {
      std::string why = r.verdict.detail;
      for (const std::string& u : r.unsupported)
        if (u != r.verdict.detail) why += (why.empty() ? "" : ", ") + u;
      said_.why = r.verdict.status == Status::gave_up && why.empty()
                      ? "gave up: " + not_looked_at(r, job_.out_of_time(), o_.timeout)
                      : fmt::format("{}{}", fencepost::name(r.verdict.status), why.empty() ? "" : ": " + why);
    } else if (const std::string rest = not_looked_at(r, job_.out_of_time(), limit_); !rest.empty() && !o_.compat) {
      said_.why = "further defects: " + rest;
    }
  }

  Decider& all_;
  const FileInput& in_;
  const ir::FunctionId f_;
  const Question& question_;
  launch::Options o_;  // of the row, with the time that is left
  const clangfe::HostKernel* const host_;
  bool limits_ = false;   // those of CUDA's launches hold
  bool bounded_ = false;  // sizes that are not fixed have bounds
  ir::Module sized_;
  ir::Module small_;              // with index arithmetic that is kept small
  flow::SmallIndices products_;   // which
  const ir::Module* module_;      // with what is known of the launch
  std::vector<Related> related_;  // with the numbers of each launch; none: not all say something
  prove::Options engine_;
  Job job_;
  prove::Result proof_;
  double spent_ = 0;                  // on proofs
  double since_asked_ = 0;            // on the last one, of a changed kernel
  double limit_ = 0;                  // of the proof of the kernel as it is; 0: none
  std::optional<Attack> early_;       // what runs beside the proof showed
  std::optional<std::string> shown_;  // what is found was found by a run, with these values
  bool idle_ = false;                 // the kernel makes no access
  std::vector<clangfe::OtherText> other_;
  std::string absent_;  // what a proof assumes of files that were not found
  KernelReport said_;
};

KernelReport Decider::decide(size_t row, ir::FunctionId f, const Question& question) {
  Row r(*this, f, question);
  if (r.decide()) {
    handed_on_.proved(row, in_.unit.module.function(f).symbol, r.module(), r.proof(), question);
    r.mutate();
  }
  return r.take();
}

}  // namespace fencepost::verifier
