#pragma once
// Models that are abstract machines. A machine lists the final states of its runs; it has no candidate executions and
// no relations. A `.cat` file names one by an axiom that no execution meets, so that an engine that took the file for
// an axiomatic model would find nothing consistent and say `vacuous`, never `holds`:
//
//   empty _ as machine-2014                  the operational model of the 2014 thesis (explicit/operational.h)
//   empty _ as machine-2014-coherent-loads   the same without the load array
//
// A verdict about a condition rests on the complete set of final states, or on one run that ends in the state asked
// about; there is no execution to replay. Refused as `unsupported`: data races and termination, of which the machine
// says nothing, a choice of engine, and what the machine itself refuses.
#include "check/check.h"

namespace fencepost::check {

bool is_machine(const cat::Model& model);

// Both expect is_machine(model).
Result by_machine(const prog::Test& test, const cat::Model& model, const Options& options, Job& job);
Outcomes outcomes_by_machine(const prog::Test& test, const cat::Model& model, const Options& options, Job& job);

}  // namespace fencepost::check
