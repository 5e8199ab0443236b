#pragma once
// The faults of a hunt as folders of files: for each signature what a bug report needs, and nothing that only this
// program understands. Facts only; nothing is sent.
#include <string>
#include <vector>

#include "hunt/show.h"

namespace fencepost::hunt {

struct ReportFile {
  std::string path, text;  // relative: "no-invalidate-1/report.md"
};
// A folder for each fault: report.md, test.ptx, wrong.rec, right.rec where there is one, fault.litmus with its
// sibling.litmus and control.litmus where the fault has a form for a device (silicon.h); and index.md.
std::vector<ReportFile> report_files(const Summary& s);

}  // namespace fencepost::hunt
