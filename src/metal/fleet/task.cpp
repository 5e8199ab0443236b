#include "fleet/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/read_file.h"
#include "campaign/identity.h"
#include "device/backend.h"
#include "store/store.h"

namespace fencepost::fleet {
namespace {

// Copies the rows of these works. Of a row that is there already nothing is taken: two attempts at one time have
// measured the same round group twice.
Expected<void> take(store::Store& to, const std::string& from, const std::string& campaign,
                    const std::vector<Piece>& pieces) {
  const auto other = store::Store::read(from);
  if (!other) return std::unexpected(other.error());
  const auto rows = other->records({.campaign = campaign});
  if (!rows) return std::unexpected(rows.error());
  for (const store::Record& r : *rows) {
    // The name that a store has for a device is known where the device is; rows of another device harm nothing.
    if (std::none_of(pieces.begin(), pieces.end(), [&](const Piece& p) { return p.test_hash == r.test_hash; }))
      continue;
    if (const auto added = to.add(r); !added) return std::unexpected(added.error());
  }
  return {};
}

}  // namespace

size_t rows_of(const std::string& path, const std::string& campaign) {
  if (!store::is_database(path)) return 0;
  const auto store = store::Store::read(path);
  if (!store) return 0;
  const auto rows = store->records({.campaign = campaign});
  return rows ? rows->size() : 0;
}

Expected<TaskReport> run_task(const Folder& folder, const Tasks& tasks, uint32_t task, const ReadTest& read, Job& job,
                              const std::function<void(const campaign::Progress&)>& on_progress) {
  TaskReport out;
  if (task == 0 || task > tasks.tasks.size())
    return error_at({}, fmt::format("{}: has no task {}", folder.path(), task),
                    fmt::format("there are 1 to {}", tasks.tasks.size()));
  if (folder.finished().contains(task)) {
    out.over_before = true;
    return out;
  }
  const std::vector<Piece>& pieces = tasks.tasks[task - 1];
  const auto plan = campaign::read_plan(make_source(tasks.plan_name, tasks.plan));
  if (!plan) return std::unexpected(plan.error());
  std::vector<std::string> before;
  const auto name = folder.begin(task, before);
  if (!name) return std::unexpected(name.error());
  {
    auto store = store::Store::open(folder.file(*name));
    if (!store) return std::unexpected(store.error());
    std::vector<std::string> sources;
    for (const std::string& b : before) sources.push_back(folder.file(b));
    sources.push_back(tasks.store);
    for (const std::string& from : sources) {
      if (!store::is_database(from)) continue;  // not there, or an attempt that was ended before it had a table
      if (const auto taken = take(*store, from, plan->name, pieces); !taken)
        out.warnings.push_back(fmt::format("{}; what it has is done again", taken.error().list.front().message));
    }
    const bool only_reference =
        std::all_of(pieces.begin(), pieces.end(), [](const Piece& p) { return campaign::is_reference(p.device); });
    const device::Found found = only_reference ? device::Found{} : campaign::find_devices_apart(60);
    std::vector<campaign::Work> work;
    for (const std::string& device : plan->devices) {
      std::vector<prog::Test> tests;
      for (const Piece& p : pieces) {
        if (p.device != device) continue;
        auto test = read(tasks.tests.at(p.test_hash));
        if (!test) return std::unexpected(test.error());
        if (campaign::hash_of(*test) != p.test_hash)
          return error_at({},
                          fmt::format("{}: the text of '{}' is read as another test here", folder.path(), test->title),
                          "another version of this program made the folder");
        tests.push_back(std::move(*test));
      }
      if (tests.empty()) continue;
      campaign::Plan own = *plan;
      own.devices = {device};
      auto some = campaign::list_work(own, tests, found, {}, *store);
      if (!some) return std::unexpected(some.error());
      work.insert(work.end(), std::make_move_iterator(some->begin()), std::make_move_iterator(some->end()));
    }
    out.works = work.size();
    out.finished_before = static_cast<uint64_t>(
        std::count_if(work.begin(), work.end(), [](const campaign::Work& w) { return w.finished; }));
    auto report = campaign::conduct(*plan, std::move(work), *store, job, on_progress);
    if (!report) return std::unexpected(report.error());
    out.report = std::move(*report);
  }  // the store is closed, so that what `done` names does not change any more
  if (out.report.stopped) return out;
  if (const auto ok = folder.finish(task, {*name, out.works, out.report.problems}); !ok)
    return std::unexpected(ok.error());
  return out;
}

}  // namespace fencepost::fleet
