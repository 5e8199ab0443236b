#pragma once
// Other readings of the model's document: what they say of the same test, and which sentence the two read differently.
#include <string>
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

// Of the answers that the model's head says are assumed (cat::assumed_of), those on which `result` rests: under
// another answer to the same question, asked like the model itself, it is another one, or is not decided. Each as an
// assumption, "MM=meet: SENTENCE (MM=alias says holds)". None where the user names the answer, where the test has not
// the tags, or where `result` is undecided.
std::vector<std::string> assumed_answers(const prog::Test& test, const cat::Model& model, const check::Options& options,
                                         const check::Result& result, const Settings& settings, ModelCache& models);

}  // namespace fencepost::cli
