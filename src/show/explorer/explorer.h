#pragma once
// One HTML page about runs of progress tests: devices by variants as a bar chart and tables, what they say of progress
// models, and every test with its code, its verdicts, a schedule in which it starves, and what each device did.
//
// Like page/page.h: one file that loads nothing and has no script (tests are opened and filtered with what HTML and CSS
// have), every text escaped, same input, same bytes.
#include <string>

#include "axb/test.h"
#include "base/diagnostic.h"
#include "fairness/kept.h"

namespace fencepost::explorer {

struct Options {
  std::string title = "Progress tests on devices";
  std::string made_by;  // "fencepost 0.2.0"
};

// `survey` is that of `kept`, with the shipped models among its models. Errors: those of the models.
Expected<std::string> html(const fairness::Kept& kept, const fairness::Survey& survey, const Options& options);

// The strongest column under which the test starves, for its schedule: weak FAIR, LOBE, HSA+OBE, OBE, HSA, then UNFAIR;
// text of oracle/oracle.h. "" when it ends under all of them.
Expected<std::string> schedule_of(const axb::Test& test);

}  // namespace fencepost::explorer
