#pragma once
// A verb over many files: each file's report is made in a worker (worker.h), and printed in the order of the files.
#include <functional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/parallel.h"

namespace fencepost::cli {

struct FileReport {
  std::string out, err;
  std::vector<std::string> json;
  int code = k_exit_holds;
  std::string saved;  // for the verb itself: what it writes elsewhere of this file
};

// What `work` says, or that it failed: output that was lost, or an internal error.
FileReport said_or_failed(const std::function<FileReport()>& work);

// Adds the errors of `path`, as text and with --json as an object, and the exit code that they ask for.
void refuse(FileReport& r, const Settings& s, const std::string& path, const Diagnostics& ds);

// What is wrong with the operands of a verb that answers in the forms of --format: as text on standard error, and in
// the form that was asked for where the answer would stand (`output`: a file, "" for standard output), so that its
// reader has a document. Returns the exit code.
int refuse_operands(const CommandLine& line, const Settings& s, const std::string& output, const Console& console,
                    const Diagnostics& ds);

// work(path) -> FileReport, in another process. Prints the reports and returns the worst exit code. `saved`: of each
// file.
int report_files(const std::vector<std::string>& files, const Settings& s, const Console& console,
                 const std::function<FileReport(const std::string&)>& work, std::vector<std::string>* saved = nullptr);

}  // namespace fencepost::cli
