#pragma once
// Help texts, made from the tables of options.h.
#include <string>

#include "cli/options.h"

namespace fencepost::cli {

std::string help();                                  // the program: verbs, exit codes
std::string help(Verb verb);                         // one verb, in the shape of a manual page
std::string help_of_group(const std::string& word);  // the verbs whose first word it is
std::string markdown();                              // docs/options.md
std::string version();                               // "fencepost 0.2.0"

}  // namespace fencepost::cli
