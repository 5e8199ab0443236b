#pragma once
// What an answer is called in reports, by its exit status: 0, 1, 2 or 3. One place, so that a page, a code-scanning
// viewer and the shell say the same of one answer.
#include <string>
#include <vector>

#include "draw/document.h"

namespace fencepost::draw {

// PASS, FAIL, NOT READ (2), INCOMPLETE (3 and everything else), with its tone. `why`: sentences.
Verdict verdict_of(int exit_status, std::vector<std::string> why);

// The level of a result in SARIF, and of its line in a report: "none", "error" for what makes the status 1 or 2,
// "warning" for what is open.
const char* level_of(int exit_status);

}  // namespace fencepost::draw
