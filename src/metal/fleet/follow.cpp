#include "fleet/follow.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "fleet/task.h"

namespace fencepost::fleet {
namespace {

constexpr uint32_t k_refusals = 3;
constexpr size_t k_at_a_time = 100;  // stores of one merge

// The last thing that a task printed, for a person who asks why it ended.
std::string last_line(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  const auto size = in ? static_cast<int64_t>(in.tellg()) : 0;
  if (size <= 0) return "";
  in.seekg(std::max<int64_t>(size - 4096, 0));
  std::string last;
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line.find("= hint: ") == std::string::npos) last = line;
  return last;
}

struct One {  // what is known of a task
  bool over = false, given_up = false, started = false;
  uint32_t idle = 0;  // attempts in a row that brought nothing
  size_t rows = 0;
  Done done;
};

class Follower {
 public:
  Follower(const Folder& folder, const Tasks& tasks, std::string campaign, Engine& engine, const FollowOptions& options,
           Job& job, const std::function<void(const Standing&)>& on_look)
      : folder_(folder),
        tasks_(tasks),
        campaign_(std::move(campaign)),
        engine_(engine),
        options_(options),
        job_(job),
        on_look_(on_look),
        all_(tasks.tasks.size() + 1) {}

  Expected<Followed> run() {
    const auto begin = Job::Clock::now();
    out_.tasks = tasks_.tasks.size();
    // As a campaign that is given again asks again for what was refused or lost.
    for (const uint32_t k : folder_.finished())
      if (const auto d = folder_.done(k); k < all_.size() && (!d || !d->problems.empty())) folder_.forget_done(k);
    for (uint32_t k = 1; k < all_.size(); ++k) all_[k].rows = most_rows(k).second;
    settle({});
    out_.over_before = count([](const One& o) { return o.over; });
    auto heard = Job::Clock::now();
    uint32_t not_started = 0;
    while (left() > 0) {
      if (job_.out_of_time()) {
        out_.stopped = true;
        out_.left = engine_.leave();
        break;
      }
      std::string silent;
      if (const auto look = engine_.look(); !look) {
        silent = look.error().list.front().message;
      } else {
        settle(*look);
        std::vector<uint32_t> missing;
        for (uint32_t k = 1; k < all_.size(); ++k)
          if (!all_[k].over && !all_[k].given_up && !look->at_work.contains(k)) missing.push_back(k);
        say(*look, "");
        if (left() == 0) break;
        if (missing.empty()) {
          heard = Job::Clock::now();
        } else if (const auto started = engine_.start(missing); !started) {
          silent = started.error().list.front().message;
          if (!engine_.may_pass(started.error()) && ++not_started == k_refusals)
            return std::unexpected(started.error());
        } else {
          not_started = 0;
          heard = Job::Clock::now();
          out_.started += missing.size();
          for (const uint32_t k : missing) all_[k].started = true;
        }
      }
      if (!silent.empty()) {
        say({}, silent);
        if (std::chrono::duration<double>(Job::Clock::now() - heard).count() > options_.patience)
          return error_at({}, fmt::format("{} (for {:.0f} s)", silent, options_.patience),
                          "nothing is lost: the same command goes on when it can be asked again");
      }
      wait(engine_.pause());
    }
    for (const One& o : all_) out_.works += o.over ? o.done.works : 0;
    for (const One& o : all_)
      if (o.over) out_.problems.insert(out_.problems.end(), o.done.problems.begin(), o.done.problems.end());
    if (!out_.stopped)
      if (const auto merged = merge(); !merged) return std::unexpected(merged.error());
    out_.seconds = std::chrono::duration<double>(Job::Clock::now() - begin).count();
    return std::move(out_);
  }

 private:
  template <class F>
  size_t count(F f) const {
    return static_cast<size_t>(std::count_if(all_.begin() + 1, all_.end(), f));
  }
  size_t left() const {
    return count([](const One& o) { return !o.over && !o.given_up; });
  }

  // The attempt that has the most rows, and how many.
  std::pair<std::string, size_t> most_rows(uint32_t task) const {
    std::pair<std::string, size_t> best;
    for (const std::string& name : folder_.attempts(task))
      if (const size_t rows = rows_of(folder_.file(name), campaign_); rows > best.second) best = {name, rows};
    return best;
  }

  // An attempt has ended and the task is not over.
  void failed(uint32_t task, const std::string& how) {
    One& o = all_[task];
    o.started = false;
    const size_t rows = most_rows(task).second;
    o.idle = rows > o.rows ? 0 : o.idle + 1;
    o.rows = std::max(o.rows, rows);
    out_.restarts.push_back(fmt::format("task {}: {}", task, how));
    if (o.idle < options_.retries) return;
    o.given_up = true;
    const std::string said = last_line(folder_.log(task));
    out_.given_up.push_back({task, fmt::format("{} attempts in a row brought no round group; the last: {}{}", o.idle,
                                               how, said.empty() ? "" : "; it printed: " + said)});
  }

  void settle(const Look& look) {
    // The folder after the look: what has left the queue without `done` by now has none.
    const std::set<uint32_t> finished = folder_.finished();
    for (uint32_t k = 1; k < all_.size(); ++k) {
      One& o = all_[k];
      if (o.over || o.given_up) continue;
      if (finished.contains(k)) {
        const auto d = folder_.done(k);
        const std::string why = !d ? d.error().list.front().message : unusable(*d);
        if (why.empty() && !d->lost()) {
          o.over = true;
          o.done = *d;
          continue;
        }
        if (look.at_work.contains(k)) continue;
        const std::string how = !why.empty() ? why : "a test was lost: " + d->problems.front().why.list.front().message;
        folder_.forget_done(k);
        failed(k, how);
        if (o.given_up && d && why.empty()) {  // its other tests count
          o.given_up = false;
          out_.given_up.pop_back();
          o.over = true;
          o.done = *d;
        }
        continue;
      }
      if (look.at_work.contains(k)) o.started = true;  // maybe by a follower before this one
      if (!o.started || look.at_work.contains(k)) continue;
      const auto how = look.ended.find(k);
      failed(k, how != look.ended.end() ? how->second : "it is not in the queue any more");
    }
  }

  std::string unusable(const Done& d) const {
    const auto store = store::Store::read(folder_.file(d.store));
    return store ? "" : store.error().list.front().message;
  }

  void say(const Look& look, const std::string& note) {
    if (!on_look_) return;
    const std::vector<std::string> news(out_.restarts.begin() + static_cast<ptrdiff_t>(said_), out_.restarts.end());
    said_ = out_.restarts.size();
    on_look_({tasks_.tasks.size(), count([](const One& o) { return o.over; }), look.running,
              look.at_work.size() - std::min(look.running, look.at_work.size()),
              count([](const One& o) { return o.given_up; }), note, look.waits_for, news});
  }

  void wait(double seconds) const {
    const auto end =
        Job::Clock::now() + std::chrono::duration_cast<Job::Clock::duration>(std::chrono::duration<double>(seconds));
    while (Job::Clock::now() < end && !job_.out_of_time())
      std::this_thread::sleep_for(
          std::min<Job::Clock::duration>(std::chrono::milliseconds(100), end - Job::Clock::now()));
  }

  Expected<void> merge() {
    std::vector<std::string> parts;
    for (uint32_t k = 1; k < all_.size(); ++k) {
      const std::string name = all_[k].over ? all_[k].done.store : most_rows(k).first;
      if (!name.empty()) parts.push_back(folder_.file(name));
    }
    // A few at a time, since each store that is open holds three files. What a merge that was killed has added is known
    // to the next one.
    for (size_t at = 0; at < parts.size(); at += k_at_a_time) {
      const size_t end = std::min(at + k_at_a_time, parts.size());
      std::string warning;
      const auto merged = store::merge_files(
          tasks_.store, {parts.begin() + static_cast<ptrdiff_t>(at), parts.begin() + static_cast<ptrdiff_t>(end)},
          warning);
      if (!merged) return std::unexpected(merged.error());
      out_.merged.added += merged->added;
      out_.merged.known += merged->known;
      out_.merged.different += merged->different;
    }
    for (uint32_t k = 1; k < all_.size(); ++k)
      if (all_[k].over && all_[k].done.problems.empty()) folder_.clear(k, all_[k].done.store);
    return {};
  }

  const Folder& folder_;
  const Tasks& tasks_;
  const std::string campaign_;
  Engine& engine_;
  const FollowOptions& options_;
  Job& job_;
  const std::function<void(const Standing&)>& on_look_;
  std::vector<One> all_;  // by the task's number; [0] is none
  size_t said_ = 0;       // restarts
  Followed out_;
};

}  // namespace

Expected<Followed> follow(const Folder& folder, const Tasks& tasks, const std::string& campaign, Engine& engine,
                          const FollowOptions& options, Job& job, const std::function<void(const Standing&)>& on_look) {
  return Follower(folder, tasks, campaign, engine, options, job, on_look).run();
}

}  // namespace fencepost::fleet
