#pragma once
// Other readings of the model's document: what they say of the same test, and which sentence the two read differently.
#include <vector>

#include "base/job.h"
#include "cat/model.h"
#include "check/check.h"
#include "cli/inputs.h"
#include "report/report.h"

namespace fencepost::cli {

// Of the readings that the model's head names (cat::readings_of), each asked like the model itself. Sentences are those
// of the head whose tags the test has.
std::vector<report::OtherReading> other_readings(const prog::Test& test, const cat::Model& model,
                                                 const check::Options& options, const Settings& settings,
                                                 ModelCache& models);

}  // namespace fencepost::cli
