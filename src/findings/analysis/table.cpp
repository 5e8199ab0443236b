#include "analysis/table.h"

#include <algorithm>

namespace fencepost::analysis {
namespace {

const Cell k_unmeasured;

uint32_t number_of(std::vector<std::string>& names, const std::string& name) {
  const auto it = std::find(names.begin(), names.end(), name);
  if (it != names.end()) return static_cast<uint32_t>(it - names.begin());
  names.push_back(name);
  return static_cast<uint32_t>(names.size() - 1);
}

}  // namespace

uint32_t Table::device(const std::string& n) { return number_of(devices, n); }
uint32_t Table::configuration(const std::string& n) { return number_of(configurations, n); }

uint32_t Table::test(const std::string& n) {
  for (uint32_t k = 0; k < tests.size(); ++k)
    if (tests[k].name == n) return k;
  tests.push_back({n, "", "", ""});
  return static_cast<uint32_t>(tests.size() - 1);
}

Cell& Table::at(uint32_t d, uint32_t t, uint32_t c) {
  if (cells_.size() <= d) cells_.resize(d + 1);
  if (cells_[d].size() <= t) cells_[d].resize(t + 1);
  if (cells_[d][t].size() <= c) cells_[d][t].resize(c + 1);
  return cells_[d][t][c];
}

const Cell& Table::at(uint32_t d, uint32_t t, uint32_t c) const {
  if (d >= cells_.size() || t >= cells_[d].size() || c >= cells_[d][t].size()) return k_unmeasured;
  return cells_[d][t][c];
}

uint64_t Table::instances() const {
  uint64_t n = 0;
  for (const auto& d : cells_)
    for (const auto& t : d)
      for (const Cell& c : t) n += c.instances;
  return n;
}

uint64_t Table::weak() const {
  uint64_t n = 0;
  for (const auto& d : cells_)
    for (const auto& t : d)
      for (const Cell& c : t) n += c.weak;
  return n;
}

double Table::seconds() const {
  double s = 0;
  for (const auto& d : cells_)
    for (const auto& t : d)
      for (const Cell& c : t) s += c.seconds;
  return s;
}

size_t Table::measured() const {
  size_t n = 0;
  for (const auto& d : cells_)
    for (const auto& t : d)
      for (const Cell& c : t) n += c.measured ? 1 : 0;
  return n;
}

Table select(const Table& t, const std::vector<std::string>& tests, const std::vector<std::string>& devices,
             const std::vector<std::string>& configurations) {
  const auto wanted = [](const std::vector<std::string>& list, const std::string& name) {
    return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
  };
  Table out;
  out.name = t.name;
  out.format = t.format;
  out.sightings = t.sightings;
  out.remarks = t.remarks;
  const auto copied = [&](uint32_t c) {
    const uint32_t to = out.configuration(t.configurations[c]);
    if (t.incomparable.contains(c)) out.incomparable.insert(to);
    return to;
  };
  for (uint32_t d = 0; d < t.devices.size(); ++d) {
    if (!wanted(devices, t.devices[d])) continue;
    const uint32_t device = out.device(t.devices[d]);
    if (d < t.facts.size()) {
      out.facts.resize(out.devices.size());
      out.facts[device] = t.facts[d];
    }
    for (uint32_t k = 0; k < t.tests.size(); ++k) {
      if (!wanted(tests, t.tests[k].name)) continue;
      const uint32_t test = out.test(t.tests[k].name);
      out.tests[test] = t.tests[k];
      for (uint32_t c = 0; c < t.configurations.size(); ++c)
        if (wanted(configurations, t.configurations[c]) && t.at(d, k, c).measured)
          out.at(device, test, copied(c)) = t.at(d, k, c);
    }
  }
  return out;
}

}  // namespace fencepost::analysis
