// Work units over worker threads, delivery in the order of units, the journal.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "synth/family.h"
#include "synth/journal.h"
#include "synth/symmetry.h"

namespace fencepost::synth {
namespace {

std::string request_line(const Request& r, bool count_only) {
  std::vector<std::string> shapes;
  for (const Shape& s : r.shapes) shapes.push_back(to_string(s));
  return fmt::format("{} locations {} values {} constraints {}{} symmetry {}{}{} shapes {} ({})", config_name(r),
                     r.locations, r.values, to_string(r.constraints), r.older_stores ? " older-stores" : "",
                     r.symmetry.locations ? "locations" : "none", r.symmetry.threads ? ",threads" : "",
                     r.symmetry.values ? ",values" : "", fmt::join(shapes, ","), count_only ? "counts" : "tests");
}

class Run {
 public:
  Run(const Request& request, const Options& options, Job& job, const std::function<void(const Found&)>& each)
      : request_(request), options_(options), job_(job), each_(each), families_(families(request)) {
    if (!families_.empty()) summary_.units = families_.back().first_unit + families_.back().units;
  }

  Expected<Summary> go() {
    if (!options_.state_file.empty()) {
      if (auto e = journal_.open(options_.state_file, request_line(request_, options_.count_only), summary_.units); !e)
        return std::unexpected(e.error());
      resumed_ = journal_.take_finished();
    }
    const uint32_t jobs = std::max(1u, options_.jobs);
    if (jobs == 1) {
      work();
    } else {
      std::vector<std::thread> threads;
      for (uint32_t i = 0; i < jobs; ++i) threads.emplace_back([this] { work(); });
      for (auto& t : threads) t.join();
    }
    if (fault_) return std::unexpected(*fault_);
    return summary_;
  }

 private:
  // One worker: takes the next unit until there is none.
  void work() {
    std::unique_ptr<Search> search;
    const Family* family = nullptr;
    std::optional<oracle::Decider> decider;
    if (!options_.models.empty()) decider.emplace(options_.models);
    while (!stop_.load(std::memory_order_relaxed)) {
      const uint64_t unit = next_unit_.fetch_add(1);
      if (unit >= summary_.units) return;
      if (job_.out_of_time()) return;
      UnitResult result;
      const auto old = resumed_.find(unit);  // the map is not changed while workers run
      const bool resumed = old != resumed_.end();
      if (resumed) {
        result = std::move(old->second);
      } else {
        const Family& f = *std::prev(std::upper_bound(families_.begin(), families_.end(), unit,
                                                      [](uint64_t u, const Family& x) { return u < x.first_unit; }));
        if (&f != family) {
          search = make_search(request_, f);
          family = &f;
        }
        const auto accept = [&](const Program& p, oracle::Size size) { take(p, f.used, size, result); };
        if (!search->run(unit - f.first_unit, job_, accept, result.graphs)) return;
        if (!journal_.append(unit, result))
          return fail("the state file '" + options_.state_file + "' cannot be written");
      }
      if (decider && !decide(*decider, result)) return;
      deliver(unit, std::move(result), resumed);
    }
  }

  void take(const Program& p, uint32_t used, oracle::Size size, UnitResult& result) const {
    const Orbit orbit = orbit_of(p, request_);
    if (!orbit.first) return;
    for (const uint32_t declared : declared_locations(used, request_)) {
      const uint64_t names = renamings(used, declared);
      result.labelled += names * orbit.size;
      result.canonical += request_.symmetry.locations ? 1 : names;
      if (options_.count_only) continue;
      if (request_.symmetry.locations) {
        result.hits.push_back({p, declared, names * orbit.size, size, {}});
      } else {
        for (Program& q : renamed(p, used, declared)) result.hits.push_back({std::move(q), declared, 1, size, {}});
      }
    }
  }

  bool decide(oracle::Decider& decider, UnitResult& result) {
    for (Hit& h : result.hits) {
      auto verdicts = decider(to_test(h.program, h.locations));
      if (!verdicts) return fail(verdicts.error()), false;
      FENCEPOST_INVARIANT(verdicts->has_value(), "a synthesised test is small enough to decide");
      h.verdicts.assign((*verdicts)->begin(), (*verdicts)->end());
    }
    return true;
  }

  void deliver(uint64_t unit, UnitResult result, bool resumed) {
    const std::lock_guard lock(mutex_);
    if (fault_) return;
    ++summary_.units_done;
    if (resumed) ++summary_.units_resumed;
    summary_.canonical += result.canonical;
    summary_.labelled += result.labelled;
    summary_.graphs += result.graphs;
    if (!options_.count_only && each_) {
      waiting_.emplace(unit, std::move(result));
      for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_delivery_;
           first = waiting_.erase(first), ++next_delivery_)
        for (Hit& h : first->second.hits) hand_over(h);
    }
    if (options_.progress) options_.progress(summary_.units_done, summary_.units);
  }

  void hand_over(Hit& h) {
    Found f;
    f.test = to_test(h.program, h.locations);
    f.test.config = config_name(request_);
    f.test.name = f.test.config + "/s" + std::to_string(delivered_++);
    f.labelled = h.labelled;
    f.size = h.size;
    f.verdicts = std::move(h.verdicts);
    f.idiom = idiom_of(f.test);
    each_(f);
  }

  void fail(Diagnostics d) {
    const std::lock_guard lock(mutex_);
    if (!fault_) fault_ = std::move(d);
    stop_.store(true);
  }
  void fail(const std::string& what) { fail(error_at(Span{}, what).error()); }

  const Request& request_;
  const Options& options_;
  Job& job_;
  const std::function<void(const Found&)>& each_;
  const std::vector<Family> families_;
  Journal journal_;
  std::map<uint64_t, UnitResult> resumed_;
  std::atomic<uint64_t> next_unit_ = 0;
  std::atomic<bool> stop_ = false;

  std::mutex mutex_;  // all below
  Summary summary_;   // units is set before the workers start
  std::map<uint64_t, UnitResult> waiting_;
  uint64_t next_delivery_ = 0, delivered_ = 0;
  std::optional<Diagnostics> fault_;
};

}  // namespace

Expected<Summary> synthesise(const Request& request, const Options& options, Job& job,
                             const std::function<void(const Found&)>& each) {
  if (auto e = validate(request); !e) return std::unexpected(e.error());
  return Run(request, options, job, each).go();
}

}  // namespace fencepost::synth
