#pragma once
// A kept fault, judged again: what a store says of machine code was said by the gate of the version that made it, and a
// report says what today's gate says. No compiler is needed, since a fault keeps a record for each row of its table.
#include <optional>
#include <string>
#include <vector>

#include "hunt/gate.h"
#include "hunt/ledger.h"
#include "hunt/machine.h"
#include "hunt/ptx_test.h"

namespace fencepost::hunt {

// The fault of this signature that the test shows in this machine code, and what a table says of it: "fault", "right",
// "right: only one CTA sees its shared memory", "not judged: " and why, or another finding by its name.
struct RowOf {
  std::optional<Finding> shown;
  std::string what;
};
RowOf row_of(const PtxTest& test, const MachineKernel& machine, const std::string& signature);

struct Again {
  std::vector<Fault> faults;  // with today's findings, tables, and names of known faults
  struct Withdrawn {
    std::string signature, test, why;
  };
  std::vector<Withdrawn> withdrawn;  // kept as faults, and none by this gate
};
// Errors: a fault that was kept without records, by an earlier version; a record that cannot be read.
Expected<Again> judged_again(const std::string& store, const std::vector<Fault>& kept);

}  // namespace fencepost::hunt
