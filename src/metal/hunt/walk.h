#pragma once
// What a store holds, told configuration by configuration: the loop under the summaries of PTX tests (show.h) and of
// programs (translation/show.h).
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "hunt/ledger.h"

namespace fencepost::hunt {

struct Walker {
  std::function<void(const std::string& configuration, const std::map<uint64_t, std::string>& states)> batches;
  std::function<void(const std::string& configuration, const Row&)> row;
};
// The batches of a configuration come before its rows. Its faults, new ones first.
Expected<std::vector<Fault>> walk(const Ledger& ledger, const Walker& walker);

}  // namespace fencepost::hunt
