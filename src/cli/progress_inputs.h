#pragma once
// Operands of the progress verbs: tests and models, and how the output names them.
#include <string>
#include <vector>

#include "axb/test.h"
#include "base/diagnostic.h"
#include "cli/options.h"
#include "fair/model.h"
#include "oracle/oracle.h"

namespace fencepost::cli {

struct NamedTest {
  std::string label;  // the path, and what tells the test from the others of its file
  axb::Test test;
};
// The tests of one file.
Expected<std::vector<NamedTest>> progress_tests_of(const std::string& path);
// The tests of files, and of the *.axb files of folders, in order.
Expected<std::vector<NamedTest>> progress_tests(const std::vector<std::string>& operands);

// The named models, or the shipped ones, weakest first.
Expected<std::vector<fair::Model>> progress_models(const std::vector<std::string>& names);

// The fairnesses that --fairness names.
std::vector<oracle::Fairness> fairnesses(const std::string& word);

}  // namespace fencepost::cli
