#pragma once
// The faults of a hunt as folders of files: for each signature what a bug report needs, and nothing that only this
// program understands. Facts only; nothing is sent.
#include <string>
#include <vector>

#include "hunt/again.h"
#include "hunt/show.h"

namespace fencepost::hunt {

struct ReportFile {
  std::string path, text;  // relative: "no-invalidate-1/report.md"
};
// A folder for each fault: report.md, which names no file beside those of the folder; test-TARGET.ptx for each target
// of its table; also.ptx where a neighbouring test has the fault; wrong.rec; right.rec, and right.ptx where that is
// another program; device/ with litmus tests (litmus.h) and the program that measured it, where there are such; and
// index.md. Signatures of one known fault are one folder: what was measured, or else the smallest, is the report, and
// the others stand in its table "Other forms", with their tests and records in form-N/. `withdrawn` are told in
// index.md, and whether the gate of this program judged the tests.
std::vector<ReportFile> report_files(const Summary& s, const std::vector<Again::Withdrawn>& withdrawn = {},
                                     bool of_this_gate = true);

}  // namespace fencepost::hunt
