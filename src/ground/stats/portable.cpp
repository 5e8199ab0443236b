#include "stats/portable.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "base/diagnostic.h"

namespace fencepost::stats {
namespace {

// Larger is better, first part first.
std::pair<double, double> score(const std::vector<const Combination*>& part, Metric metric, size_t configuration) {
  double sum = 0, logs = 0, missing = 0;
  for (const Combination* c : part) {
    const double f = c->counts[configuration];
    FENCEPOST_INVARIANT(f == 0 || f >= 1, "portable parameters are chosen by counts");
    sum += f;
    if (f > 0) logs += std::log(f);
    missing += f == 0 ? 1 : 0;
  }
  switch (metric) {
    case Metric::mfs:
      return {sum, 0};
    case Metric::mlfs:
      return {logs, 0};
    case Metric::mlfs_f:
      return {-missing, logs};
  }
  return {};
}

}  // namespace

const char* name(Metric m) {
  switch (m) {
    case Metric::mfs:
      return "MFS";
    case Metric::mlfs:
      return "MLFS";
    case Metric::mlfs_f:
      return "MLFS-F";
  }
  return "";
}

const char* name(Domain d) {
  switch (d) {
    case Domain::global:
      return "global";
    case Domain::device:
      return "device";
    case Domain::test:
      return "test";
    case Domain::combination:
      return "combination";
  }
  return "";
}

Portable portable(const std::vector<Combination>& combinations, Metric metric, Domain domain) {
  Portable out;
  out.configuration.resize(combinations.size(), 0);
  std::map<std::pair<uint32_t, uint32_t>, std::vector<size_t>> parts;
  for (size_t k = 0; k < combinations.size(); ++k) {
    const Combination& c = combinations[k];
    FENCEPOST_INVARIANT(c.counts.size() == combinations.front().counts.size() && !c.counts.empty(),
                        "every combination has all configurations");
    switch (domain) {
      case Domain::global:
        parts[{0, 0}].push_back(k);
        break;
      case Domain::device:
        parts[{c.device, 0}].push_back(k);
        break;
      case Domain::test:
        parts[{0, c.test}].push_back(k);
        break;
      case Domain::combination:
        parts[{c.device, c.test}].push_back(k);
        break;
    }
  }
  // Of one combination the highest rate is the best whatever the metric (section 5.2 of OOPSLA 2020). MLFS ignores
  // zeros, and so would take a zero for as good as a count of one.
  const Metric by = domain == Domain::combination ? Metric::mfs : metric;
  for (const auto& [key, members] : parts) {
    std::vector<const Combination*> part;
    for (size_t k : members) part.push_back(&combinations[k]);
    uint32_t best = 0;
    for (uint32_t f = 1; f < part.front()->counts.size(); ++f)
      if (score(part, by, f) > score(part, by, best)) best = f;
    for (size_t k : members) out.configuration[k] = best;
  }
  for (size_t k = 0; k < combinations.size(); ++k) {
    const auto& counts = combinations[k].counts;
    out.weak += counts[out.configuration[k]] > 0 ? 1 : 0;
    out.possible += std::any_of(counts.begin(), counts.end(), [](double f) { return f > 0; }) ? 1 : 0;
  }
  return out;
}

std::optional<uint32_t> merge_by_target(const std::vector<std::vector<double>>& rates, double target) {
  std::optional<uint32_t> best;
  std::pair<size_t, double> best_score{0, 0};
  const size_t configurations = rates.empty() ? 0 : rates.front().size();
  for (uint32_t f = 0; f < configurations; ++f) {
    std::pair<size_t, double> s{0, std::numeric_limits<double>::infinity()};
    for (const auto& device : rates) {
      FENCEPOST_INVARIANT(device.size() == configurations, "every device has all configurations");
      if (device[f] < target || device[f] <= 0) continue;
      ++s.first;
      s.second = std::min(s.second, device[f]);
    }
    if (s.first > 0 && (!best || s > best_score)) best = f, best_score = s;
  }
  return best;
}

}  // namespace fencepost::stats
