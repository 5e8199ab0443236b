#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/printable.h"
#include "base/source.h"
#include "campaign/conduct.h"
#include "campaign/identity.h"
#include "campaign/plan_file.h"
#include "judge/judge.h"
#include "read/read.h"

namespace fencepost::judge {
namespace {

// "cuda:0", "cpu+host", "cuda NVIDIA H200" -> "cuda", "cpu", "cuda": a plan names devices by their place on a machine,
// a store by what they are.
std::string api_of(const std::string& device) { return device.substr(0, device.find_first_of(":+ ")); }

struct Kept {
  std::string hash, title;
};

// Titles of these tests.
Expected<std::vector<Kept>> tests_of(const store::Store& store, const std::set<std::string>& hashes) {
  std::vector<Kept> out;
  for (const std::string& hash : hashes) {
    const auto text = store.test(hash);
    if (!text) return std::unexpected(text.error());
    if (!*text) continue;
    const auto test = read::parse_one(make_source(hash, **text));
    if (!test) return std::unexpected(test.error());
    out.push_back({hash, test->title});
  }
  std::ranges::sort(out, {}, &Kept::title);
  return out;
}

// Tests that no run of any kind has measured: they belong to some campaign that was cut.
Expected<std::set<std::string>> never_run(const store::Store& store) {
  const auto hashes = store.test_hashes();
  if (!hashes) return std::unexpected(hashes.error());
  std::set<std::string> out(hashes->begin(), hashes->end());
  const auto records = store.records();
  const auto trials = store.trials();
  const auto progress = store.progress_records();
  if (!records) return std::unexpected(records.error());
  if (!trials) return std::unexpected(trials.error());
  if (!progress) return std::unexpected(progress.error());
  for (const auto& r : *records) out.erase(r.test_hash);
  for (const auto& r : *trials) out.erase(r.test_hash);
  for (const auto& r : *progress) out.erase(r.test_hash);
  return out;
}

}  // namespace

Expected<std::vector<Owed>> owed(const store::Store& store, const std::vector<Observation>& seen) {
  std::set<std::string> campaigns;
  for (const Observation& o : seen) campaigns.insert(o.campaign);
  std::vector<Owed> out;
  std::optional<std::set<std::string>> unowned;
  for (const std::string& name : campaigns) {
    const auto text = store.plan(name);
    if (!text) return std::unexpected(text.error());
    if (!*text) continue;
    // The text of a tuning task is not TOML with tests and devices; its searches end by rules of their own.
    const auto plan = campaign::read_plan(make_source(printable_name(name), **text));
    if (!plan) continue;
    if (!unowned) {
      auto found = never_run(store);
      if (!found) return std::unexpected(found.error());
      unowned = std::move(*found);
    }
    std::set<std::string> hashes = *unowned, devices;
    for (const Observation& o : seen)
      if (o.campaign == name) {
        hashes.insert(o.test_hash);
        devices.insert(o.device);
      }
    const auto tests = tests_of(store, hashes);
    if (!tests) return std::unexpected(tests.error());
    for (const std::string& id : plan->devices) {
      std::vector<std::string> stored;
      for (const std::string& d : devices)
        if (api_of(d) == api_of(id)) stored.push_back(d);
      if (stored.empty()) stored.push_back(id);  // nothing of it is there
      for (const std::string& device : stored)
        for (const Kept& test : *tests) {
          std::set<std::string> asked;  // of configurations that share a name a test has the first
          for (const campaign::Configuration& c : plan->configurations) {
            if (!c.applies(test.title) || !asked.insert(c.name).second) continue;
            const auto it = std::ranges::find_if(seen, [&](const Observation& o) {
              return o.campaign == name && o.test_hash == test.hash && o.device == device &&
                     o.configuration == printable_name(c.name);
            });
            if (it != seen.end() && campaign::is_finished(c.options, it->instances, it->seconds, it->positive()))
              continue;
            const Owed missing{name, test.title, device, c.name, it == seen.end() ? 0 : it->instances};
            // Two entries of one API, as "cuda:0" and "cuda:1", may be one kind of device to the store.
            if (std::ranges::none_of(out, [&](const Owed& x) {
                  return x.campaign == name && x.test == missing.test && x.device == device &&
                         x.configuration == c.name;
                }))
              out.push_back(missing);
          }
        }
    }
  }
  return out;
}

std::string sentence(const std::vector<Owed>& owed) {
  if (owed.empty()) return "";
  const Owed& o = owed.front();
  return fmt::format(
      "The campaign is not finished: {} of its works {} missing or too short, for example {} on {}, {}, "
      "with {} instances. The same `fencepost campaign` goes on with it.",
      owed.size(), owed.size() == 1 ? "is" : "are", printable_name(o.test), printable_name(o.device),
      printable_name(o.configuration), o.instances);
}

}  // namespace fencepost::judge
