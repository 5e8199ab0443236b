#pragma once
// The portable winner of a table (stats/portable.h) as configurations of a campaign's plan, docs/campaigns.md.
#include <string>

#include "analysis/table.h"
#include "base/diagnostic.h"
#include "stats/portable.h"

namespace fencepost::analysis {

// TOML: `[[configuration]]` entries called "portable", or "portable for DEVICE" where each device has one; each for the
// tests that it was chosen for, and for those whose names begin with theirs. The choice is that of MLFS-F, and
// parameters that a test cannot meet give way.
// Errors: fewer than two configurations that can be compared, or results that do not say under which parameters they
// were made (only stores do).
using stats::Domain;
Expected<std::string> portable_plan(const Table& table, Domain domain);

}  // namespace fencepost::analysis
