#pragma once
// Answers in the forms that continuous integration reads: SARIF 2.1.0 for code-scanning viewers, JUnit's XML for test
// reports. Both are made of the JSON objects of the verb (docs/json.md), so that nothing is said twice.
//
// An answer that is not decided is never a pass: SARIF has it as a warning, JUnit as an error. A file that cannot be
// read is a result of SARIF (rule `input`), which viewers show, and a notification of its invocation.
#include <string>
#include <vector>

namespace fencepost::cli {

// `objects`: of the schemas fencepost.check/1, fencepost.error/1, fencepost.audit/1, fencepost.prove/1, and
// fencepost.expected/1, which the verb expect makes for this room alone: path, model, property, expected, outcome
// (passed, failed, skipped, unreadable), found. `verb`: whose they are.
std::string sarif_of(const std::string& verb, const std::vector<std::string>& objects, int exit_code);
std::string junit_of(const std::string& verb, const std::vector<std::string>& objects);

}  // namespace fencepost::cli
