#pragma once
// A verb over many files: each file's report is made on any thread, and printed in the order of the files.
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
};

// Adds the errors of `path`, as text and with --json as an object, and the exit code that they ask for.
void refuse(FileReport& r, const Settings& s, const std::string& path, const Diagnostics& ds);

// work(path) -> FileReport, does not throw. Prints the reports and returns the worst exit code.
template <class Work>
int report_files(const std::vector<std::string>& files, const Settings& s, const Console& console, Work&& work) {
  Progress progress(console, files.size(), "files");
  int code = k_exit_holds;
  std::vector<std::string> json;
  in_order(
      files.size(), s.threads, progress, [&](size_t i) { return work(files[i]); },
      [&](size_t, FileReport r) {
        if (!r.out.empty() || !r.err.empty()) progress.clear();
        if (!r.err.empty()) console.err(r.err);
        if (!r.out.empty()) console.out(r.out);
        for (std::string& j : r.json) json.push_back(std::move(j));
        code = worse(code, r.code);
      });
  if (s.json) console.out(json_list(json));
  return code;
}

}  // namespace fencepost::cli
