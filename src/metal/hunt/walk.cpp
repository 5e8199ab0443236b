#include "hunt/walk.h"

#include <algorithm>

namespace fencepost::hunt {

Expected<std::vector<Fault>> walk(const Ledger& ledger, const Walker& walker) {
  const auto configurations = ledger.configurations();
  if (!configurations) return std::unexpected(configurations.error());
  for (const std::string& c : *configurations) {
    const auto states = ledger.states(c);
    if (!states) return std::unexpected(states.error());
    walker.batches(c, *states);
    const auto rows = ledger.findings(c);
    if (!rows) return std::unexpected(rows.error());
    for (const Row& r : *rows) walker.row(c, r);
  }
  auto faults = ledger.faults();
  if (!faults) return std::unexpected(faults.error());
  std::stable_sort(faults->begin(), faults->end(),
                   [](const Fault& a, const Fault& b) { return a.known.empty() && !b.known.empty(); });
  return faults;
}

}  // namespace fencepost::hunt
