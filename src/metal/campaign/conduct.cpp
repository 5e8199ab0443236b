#include "campaign/conduct.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "campaign/identity.h"
#include "device/several.h"

namespace fencepost::campaign {

std::string stored_name(const device::Info& info) {
  return info.name.empty() || info.name == device::name(info.api)
             ? info.id
             : fmt::format("{} {}", device::name(info.api), info.name);
}

bool is_finished(const Options& o, uint64_t instances, double seconds, uint64_t events) {
  const double limit = events == 0 ? std::max(o.seconds, o.unseen_seconds) : o.seconds;
  return (o.iterations > 0 && instances >= o.iterations) || (o.seconds > 0 && seconds >= limit) ||
         (o.events > 0 && events >= o.events);
}

store::Record record_of(const store::Record& key, const campaign::Setup& setup, const campaign::RoundGroup& g) {
  store::Record r = key;
  r.group = static_cast<uint32_t>(g.number);
  r.driver = setup.device.driver;
  r.binary_hash = setup.binary_hash;
  r.plan_hash = setup.plan_hash;
  r.what_ran = inspect::name(setup.what_ran.verdict);
  r.evidence = campaign::name(setup.evidence);
  r.parameters = g.parameters;
  r.seed = g.seed;
  r.launches = g.launches;
  r.rounds = g.rounds;
  r.instances = g.instances;
  r.corrupt = g.corrupt;
  r.incomplete = g.incomplete;
  r.filtered = g.filtered;
  r.waits = g.waits;
  r.time_outs = g.time_outs;
  r.seconds = g.seconds;
  r.device_seconds = g.device_seconds;
  r.finished_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  for (const auto& [s, count] : g.states) r.states[prog::to_string(setup.observables, s)] += count;
  for (const campaign::Event& e : g.series) {
    const auto it = r.states.find(prog::to_string(setup.observables, e.state));
    if (it == r.states.end()) continue;
    r.series.push_back({static_cast<uint32_t>(std::distance(r.states.begin(), it)), e.launch, e.round, e.instance});
  }
  r.series_lost = g.series_lost;
  r.frame_missing = setup.what_ran.frame_missing;
  return r;
}

Expected<std::vector<Work>> list_work(const Plan& plan, const std::vector<prog::Test>& tests,
                                      const device::Found& devices, const store::Shard& shard,
                                      const store::Store& store) {
  std::vector<Work> out;
  for (const std::string& id : plan.devices) {
    std::string stored = id;
    if (!is_reference(id)) {
      const auto it = device::device_of(devices, id);
      if (!it) {
        std::string there, why;
        for (const device::Info& d : devices.devices) there += (there.empty() ? "" : ", ") + d.id;
        for (const device::Property& p : devices.absent)
          if (id.starts_with(p.name)) why = fmt::format(" ({})", p.value);
        return error_at({}, fmt::format("there is no device '{}' on this machine{}", id, why),
                        "there are " + there + ", reference");
      }
      stored = stored_name(*it);
    }
    for (const prog::Test& test : tests)
      for (const Configuration& c : plan.configurations) {
        if (!c.applies(test.title)) continue;
        Work w;
        w.key.campaign = plan.name;
        w.key.test = test.title;
        w.key.test_hash = hash_of(test);
        w.key.device = stored;
        w.key.configuration = c.name;
        if (!shard.takes(w.key.test_hash + "/" + w.key.device))
          continue;  // configurations of one test share its module
        const bool twice = std::any_of(out.begin(), out.end(), [&](const Work& o) {
          return o.key.test_hash == w.key.test_hash && o.key.device == w.key.device &&
                 o.key.configuration == w.key.configuration;
        });
        if (twice) continue;  // one text under two file names, or a later configuration of this name
        w.task = {test, id, c.options, 0};
        out.push_back(std::move(w));
      }
  }
  const auto records = store.records({.campaign = plan.name});
  if (!records) return std::unexpected(records.error());
  for (const store::Record& r : *records)
    for (Work& w : out)
      if (w.key.test_hash == r.test_hash && w.key.device == r.device && w.key.configuration == r.configuration) {
        w.task.first_group = std::max<uint64_t>(w.task.first_group, r.group + 1);
        w.instances += r.instances;
        w.seconds += r.seconds;
        const auto obs = prog::observables(w.task.test);
        for (const auto& [text, count] : r.states)
          if (const auto s = state_from(obs, text); s && plan::holds(w.task.test, obs, *s, w.task.test.condition))
            w.events += count;
      }
  for (Work& w : out) {
    campaign::Options& o = w.task.options;
    // The ends count what was done before.
    w.finished = is_finished(o, w.instances, w.seconds, w.events);
    if (w.finished) continue;
    if (o.iterations > 0) o.iterations -= w.instances;
    if (w.events > 0) o.unseen_seconds = 0;
    if (o.seconds > 0) o.seconds = std::max(o.seconds - w.seconds, 1e-3);
    if (o.unseen_seconds > 0) o.unseen_seconds = std::max(o.unseen_seconds - w.seconds, 1e-3);
    if (o.events > 0) o.events -= w.events;
  }
  return out;
}

Expected<Report> conduct(const Plan& plan, std::vector<Work> work, store::Store& store, Job& job,
                         const std::function<void(const Progress&)>& on_progress) {
  if (auto kept = store.remember_plan(plan.name, plan.text); !kept) return std::unexpected(kept.error());
  for (const Work& w : work)
    if (auto kept = store.remember_test(w.key.test_hash, text_of(w.task.test)); !kept)
      return std::unexpected(kept.error());
  Report report;
  Progress progress;
  progress.all = work.size();
  progress.done =
      static_cast<size_t>(std::count_if(work.begin(), work.end(), [](const Work& w) { return w.finished; }));
  std::erase_if(work, [](const Work& w) { return w.finished; });
  std::vector<campaign::Task> tasks;
  for (const Work& w : work) tasks.push_back(w.task);
  std::vector<std::optional<campaign::Setup>> setups(work.size());
  Diagnostics failed;
  const auto begin = Job::Clock::now();
  const auto say = [&](size_t task, double part) {
    if (!on_progress) return;
    const Work& w = work[task];
    progress.now = fmt::format("{} on {}, {}", w.key.test, w.key.device, w.key.configuration);
    progress.part = (static_cast<double>(progress.done) + std::min(part, 1.0)) /
                    static_cast<double>(std::max<size_t>(progress.all, 1));
    on_progress(progress);
  };
  std::vector<campaign::Totals> so_far(work.size());
  const bool whole = campaign::run_tasks(tasks, {}, job, [&](const campaign::Message& m) {
    if (const auto* s = std::get_if<campaign::Started>(&m)) {
      setups[s->task] = s->setup;
      say(s->task, 0);
    } else if (const auto* g = std::get_if<campaign::Grouped>(&m)) {
      const Work& w = work[g->task];
      const auto added = store.add(record_of(w.key, *setups[g->task], g->group));
      if (!added) {
        failed = added.error();
        return false;
      }
      if (*added) ++report.added;
      report.instances += g->group.instances;
      campaign::Totals& t = so_far[g->task];
      t.add(g->group);
      const uint64_t events = campaign::positive(w.task.test, setups[g->task]->observables, g->group.states);
      progress.instances += g->group.instances;
      progress.events += events;
      const campaign::Options& o = w.task.options;
      double part = 0;
      if (o.iterations > 0) part = std::max(part, static_cast<double>(t.instances) / static_cast<double>(o.iterations));
      if (o.seconds > 0) part = std::max(part, t.seconds / std::max(o.seconds, events == 0 ? o.unseen_seconds : 0));
      say(g->task, part);
    } else if (const auto* f = std::get_if<campaign::Finished>(&m)) {
      ++progress.done;
      say(f->task, 0);
    } else if (const auto* r = std::get_if<campaign::Refused>(&m)) {
      ++progress.done;
      report.problems.push_back(
          {work[r->task].key.test, work[r->task].key.device, work[r->task].key.configuration, r->why, false});
    } else if (const auto* l = std::get_if<campaign::Lost>(&m)) {
      ++progress.done;
      report.problems.push_back({work[l->task].key.test, work[l->task].key.device, work[l->task].key.configuration,
                                 error_at({}, l->why).error(), true});
    }
    return !job.out_of_time();
  });
  if (failed.has_errors()) return std::unexpected(failed);
  report.stopped = !whole;
  report.seconds = std::chrono::duration<double>(Job::Clock::now() - begin).count();
  return report;
}

}  // namespace fencepost::campaign
