#include "prove/prove.h"

#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "flow/clusters.h"
#include "flow/stale.h"
#include "flow/writers.h"
#include "prove/pass.h"

namespace fencepost::prove {

using namespace ir;

const char* name(Kind k) {
  static constexpr const char* k_names[] = {
      "race",         "barrier divergence", "assertion",         "invariant on entry", "invariant",
      "precondition", "postcondition",      "barrier invariant", "null pointer",       "constant write",
      "group copy",   "matrix function",    "array bounds",      "unreachable",        "warp divergence"};
  return k_names[static_cast<uint8_t>(k)];
}

namespace {

// Of processor time, and twice that of the proof: to do without an assumption. What other work there is on the machine
// must not decide whether the assumption is named.
constexpr double k_plain_seconds = 0.5;

double seconds_of(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// A job that also ends when the thread that made this has used so much processor time.
class ProcessorBudget {
 public:
  ProcessorBudget(const Job& job, double seconds) : job_(job) {
    clockid_t clock{};
    pthread_getcpuclockid(pthread_self(), &clock);
    const double limit = seconds_of(clock) + seconds;
    job_.cancelled = &spent_;
    watch_ = std::thread([this, clock, limit, outer = job.cancelled] {
      std::unique_lock lock(mutex_);
      while (!over_.wait_for(lock, std::chrono::milliseconds(5), [this] { return done_; }))
        if (seconds_of(clock) >= limit || (outer != nullptr && outer->load(std::memory_order_relaxed))) spent_ = true;
    });
  }
  ProcessorBudget(const ProcessorBudget&) = delete;
  ProcessorBudget& operator=(const ProcessorBudget&) = delete;
  ~ProcessorBudget() {
    {
      const std::scoped_lock lock(mutex_);
      done_ = true;
    }
    over_.notify_one();
    watch_.join();
  }
  const Job& job() const { return job_; }

 private:
  Job job_;
  std::atomic<bool> spent_ = false;
  std::mutex mutex_;
  std::condition_variable over_;
  bool done_ = false;
  std::thread watch_;
};

class Prover {
 public:
  // `cluster`: the module as pairs of groups of one cluster see it (flow/clusters.h); none: it has no barrier of one,
  // nor group memory of others.
  Prover(const Module& m, FunctionId entry, const Options& options, const Job& job, flow::Effects effects,
         const Module* cluster)
      : m_(m), entry_(entry), options_(options), job_(job), cluster_(cluster), effects_(std::move(effects)) {
    if (cluster != nullptr) cluster_effects_ = std::make_unique<flow::Effects>(*cluster);
  }

  Result run() {
    const auto start = std::chrono::steady_clock::now();
    const double processor = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    Result r;
    if (specification(m_.function(entry_))) {
      r.verdict.status = Status::holds;  // only a contract
      return r;
    }
    const bool split = options_.warp_sync == 0 && options_.warp_barriers && effects_.function(entry_).warp_barrier;
    if (split || (options_.warp_sync > 0 && options_.warp_method == WarpMethod::two_pass)) {
      r = decide(true);
    } else {
      r = decide(false);
      const bool other = options_.warp_sync > 0 &&
                         (options_.warp_method == WarpMethod::both ||
                          (options_.warp_method == WarpMethod::automatic && r.verdict.status != Status::holds));
      if (other) {
        // Each method is a proof of its own.
        Result two = decide(true);
        two.effort += r.effort;
        if (two.verdict.status == Status::holds && r.verdict.status != Status::holds)
          r = std::move(two);
        else
          r.effort = two.effort;
      }
    }
    r = without_assumption(std::move(r), seconds_of(CLOCK_THREAD_CPUTIME_ID) - processor + second_seconds_);
    if (options_.abstraction == Abstraction::equality) {
      const flow::FunctionEffects& e = effects_.function(entry_);
      if (std::any_of(e.atomics.begin(), e.atomics.end(), [](uint8_t x) { return x != 0; })) {
        r.unsupported.insert("the equality abstraction of arrays that atomics update");
        if (r.verdict.status == Status::holds || r.verdict.status == Status::gave_up) {
          r.verdict.status = Status::unsupported;
          r.verdict.detail = *r.unsupported.begin();
        }
      }
    }
    r.effort.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return r;
  }

 private:
  // What a proof may take for granted, and the option that lets it.
  struct TakenForGranted {
    Assumption::Kind kind;
    bool Options::* allowed;
  };
  static constexpr TakenForGranted k_taken_for_granted[] = {{Assumption::loop_counter, &Options::counters_end},
                                                            {Assumption::late_exit, &Options::late_exits}};

  // A proof that rests on assumptions of the table is tried again without them, all at once. A kernel that is refuted
  // with them is refuted without them, so only proofs are. `taken`: processor time of the proof.
  Result without_assumption(Result r, double taken) const {
    if (r.verdict.status != Status::holds) return r;
    Options plain = options_;
    bool rests = false;
    for (const TakenForGranted& t : k_taken_for_granted) {
      if (!(options_.*t.allowed)) continue;
      if (std::ranges::find(r.assumptions, t.kind, &Assumption::kind) == r.assumptions.end()) continue;
      plain.*t.allowed = false;
      rests = true;
    }
    if (!rests) return r;
    plain.jobs = 1;  // so that one thread's time is all of it
    const ProcessorBudget budget(job_, 2 * taken + k_plain_seconds);
    Result p = Prover(m_, entry_, plain, budget.job(), effects_, cluster_).run();
    return p.verdict.status == Status::holds ? p : r;
  }

  Result decide(bool two_pass) {
    bool one_thread = true, one_group = true, one_warp = true;
    uint64_t threads = 1;
    for (const size_t d : k_dimensions) {
      one_thread = one_thread && options_.launch.local_size[d] == 1;
      one_group = one_group && options_.launch.num_groups[d] == 1;
      one_warp = one_warp && options_.launch.local_size[d] != 0;
      threads *= options_.launch.local_size[d];
    }
    // Of warps of unknown size even few threads may make several.
    const uint32_t lanes = options_.warp_sync > 0 ? options_.warp_sync : options_.warp_size;
    one_warp = one_warp && lanes > 0 && threads <= lanes;
    std::vector<std::unique_ptr<Pass>> passes;
    const auto add = [&](Pairing p, Lanes l, Refuted refuted, Groups g = Groups::any) {
      const bool together = g == Groups::of_one_cluster;
      passes.push_back(std::make_unique<Pass>(together ? *cluster_ : m_, entry_, options_, job_,
                                              together ? *cluster_effects_ : effects_, p, l, std::move(refuted), g));
    };
    if (two_pass) {
      add(Pairing::same_group, Lanes::same_warp, {});
      if (!one_warp) add(Pairing::same_group, Lanes::other_warp, {});
    } else {
      add(Pairing::same_group, Lanes::any, {});
    }
    const bool own = one_thread && copies();
    const auto within = [&](Pass& p) {
      p.infer();
      if (&p == passes.front().get() && p.vacuous()) return;
      if (own) p.alone();
      p.questions(options_.races && (!one_thread || own));
    };
    if (passes.size() > 1 && options_.jobs > 1) {
      std::thread second([&] {
        within(*passes[1]);
        second_seconds_ += seconds_of(CLOCK_THREAD_CPUTIME_ID);
      });
      within(*passes[0]);
      second.join();
    } else {
      for (const auto& p : passes) within(*p);
    }
    Result r;
    // Nothing is ever run. (Questions are asked with the facts they share names with; they might miss this.)
    if (passes.front()->vacuous()) {
      r.verdict.vacuous = true;
      r.verdict.status = Status::holds;
      return r;
    }
    if (!one_group && options_.across_groups) {
      Refuted all;
      for (const auto& p : passes) all.insert(p->refuted().begin(), p->refuted().end());
      if (cluster_ == nullptr) {
        add(Pairing::other_group, Lanes::any, std::move(all));
      } else {
        add(Pairing::other_group, Lanes::any, all, Groups::of_one_cluster);
        add(Pairing::other_group, Lanes::any, std::move(all), Groups::of_two_clusters);
      }
      for (size_t i = cluster_ == nullptr ? passes.size() - 1 : passes.size() - 2; i < passes.size(); ++i) {
        passes[i]->execute();
        passes[i]->questions(options_.races);
      }
    }
    // What speaks of pairs speaks of none.
    if (!one_thread || (!one_group && options_.across_groups)) {
      bool pair = false;
      for (size_t i = 0; i < passes.size() && !pair; ++i) {
        const size_t first = passes.size() - (cluster_ == nullptr ? 1 : 2);
        const bool groups = !one_group && options_.across_groups && i >= first;
        pair = (groups || !one_thread) && !passes[i]->no_pair();
      }
      if (!pair &&
          std::all_of(passes.begin(), passes.end(), [](const auto& p) { return p->result().findings.empty(); })) {
        r.verdict.vacuous = true;
        r.verdict.status = Status::holds;
        return r;
      }
    }
    if (std::all_of(passes.begin(), passes.end(), [](const auto& p) { return p->result().findings.empty(); }))
      for (const auto& p : passes)
        if (p->postponed()) p->ask_again(options_.races && (!one_thread || own));
    bool gave_up = false;
    std::set<Key> seen;
    for (const auto& p : passes) {
      const Result& part = p->result();
      gave_up = gave_up || p->gave_up();
      for (const Finding& f : part.findings) {
        int kind = static_cast<int>(f.kind);
        if (f.kind == Kind::race)
          kind = 100 + 4 * static_cast<int>(f.threads[0].access) + static_cast<int>(f.threads[1].access);
        if (r.findings.size() < options_.max_findings &&
            seen.emplace(kind, f.place.index, f.other_place.index, f.region.index).second)
          r.findings.push_back(f);
      }
      r.unsupported.insert(part.unsupported.begin(), part.unsupported.end());
      r.assumptions.insert(part.assumptions.begin(), part.assumptions.end());
      r.put_back.insert(part.put_back.begin(), part.put_back.end());
      r.small_offsets = r.small_offsets || part.small_offsets;
      r.warps.insert(part.warps.begin(), part.warps.end());
      r.nullable.insert(part.nullable.begin(), part.nullable.end());
      for (const auto& [f, c] : part.contracts) r.contracts[f].join(c);
      if (&p == &passes.front()) {
        r.barrier_intervals = part.barrier_intervals;
        r.candidates = part.candidates;
      }
      r.effort += part.effort;
      ++r.effort.passes;
    }
    for (const RegionId n : flow::stale_reads(m_, effects_, entry_))
      r.unsupported.insert("what a read past the caches (__ldg, ld.global.nc, of a surface) finds of '" +
                           m_.region(n).name + "', which the kernel writes");
    for (const RegionId n : flow::unfenced_images(m_, effects_, entry_))
      r.unsupported.insert("what a read of the image '" + m_.region(n).name +
                           "' finds behind a write by the same work item without "
                           "atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, ...) between them");
    r.gave_up = gave_up;
    if (!r.findings.empty())
      r.verdict.status = Status::fails;
    else if (!r.unsupported.empty()) {
      r.verdict.status = Status::unsupported;
      r.verdict.detail = *r.unsupported.begin();
    } else if (gave_up)
      r.verdict.status = Status::gave_up;
    else
      r.verdict.status = Status::holds;
    return r;
  }

  // Are there copies that go on while the thread does?
  bool copies() const {
    const flow::Writers writers(m_, effects_, entry_);
    for (uint32_t r = 0; r < m_.regions.size(); ++r)
      if (writers.any({r}, flow::Writer::copy)) return true;
    return false;
  }

  const Module& m_;
  FunctionId entry_;
  const Options& options_;
  const Job& job_;
  const Module* const cluster_;
  flow::Effects effects_;
  std::unique_ptr<flow::Effects> cluster_effects_;
  double second_seconds_ = 0;  // processor time of threads that have ended
};

// What is not read of clusters leaves the kernel undecided, and may be why something was found.
void leave_open(Result& r, const flow::Clusters& clusters) {
  // No count, lock or claim is looked at in such memory.
  for (Finding& f : r.findings)
    if (clusters.tickets && f.kind == Kind::race && f.perhaps.empty() && f.apart.empty())
      f.apart = "what atomics give of shared memory that other blocks access keeps";
  if (clusters.undecided.empty() && clusters.absent.empty()) return;
  r.unsupported.insert(clusters.undecided.begin(), clusters.undecided.end());
  r.unsupported.insert(clusters.absent.begin(), clusters.absent.end());
  for (Finding& f : r.findings)
    if (!clusters.undecided.empty() && f.perhaps.empty() && f.apart.empty())
      (f.kind == Kind::race ? f.perhaps : f.apart) = *clusters.undecided.begin();
  if (r.verdict.status == Status::fails) return;
  r.verdict = {.status = Status::unsupported, .detail = *r.unsupported.begin()};
}

}  // namespace

Result prove(const Module& module, FunctionId entry, const Options& options, const Job& job) {
  flow::Effects effects(module);
  const flow::Clusters clusters = flow::clusters(module, effects, entry);
  if (!clusters.two_kinds()) return Prover(module, entry, options, job, std::move(effects), nullptr).run();
  const Module group = flow::seen(module, effects, entry, Scope::group),
               cluster = flow::seen(module, effects, entry, Scope::device);
  Result r = Prover(group, entry, options, job, flow::Effects(group), &cluster).run();
  leave_open(r, clusters);
  return r;
}

}  // namespace fencepost::prove
