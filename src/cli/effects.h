#pragma once
// Options that could not have an effect are refused. What the command line alone shows is refused before the verb runs;
// what depends on the input is refused by the verb (options_of_shaders and the like in `read`, below for all tests).
#include "base/diagnostic.h"
#include "cli/options.h"
#include "prog/names.h"

namespace fencepost::cli {

// Exit code 2: an option that is given contradicts another one, or speaks of a question that is not asked.
Expected<void> all_have_effect(const CommandLine& line);

// The same of options that some tests have no use for; of one test, where one file is given.
Expected<void> have_effect_on(const Settings& s, const prog::Test& test);

// Something is asked of the test: a condition, or another property than the condition.
Expected<void> has_question(check::Property property, const prog::Test& test);

}  // namespace fencepost::cli
