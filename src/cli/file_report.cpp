#include "cli/file_report.h"

#include <sys/stat.h>

#include <filesystem>

#include "base/printable.h"
#include "cli/ci_forms.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "cli/worker.h"

namespace fencepost::cli {
namespace {

// A litmus test that one looks at whole: its reader and the engines are ours, and start no program.
bool is_small_test(const std::string& path) {
  constexpr off_t k_small = 65536;
  struct stat s{};
  return (path.ends_with(".litmus") || path.ends_with(".test")) && ::stat(path.c_str(), &s) == 0 &&
         S_ISREG(s.st_mode) && s.st_size <= k_small;
}

}  // namespace

FileReport said_or_failed(const std::function<FileReport()>& work) {
  FileReport r;
  try {
    return work();
  } catch (const OutputLost& lost) {
    r.err = std::string("fencepost: ") + lost.what() + "\n";
  } catch (const std::exception& e) {
    r.err = std::string("fencepost: internal error: ") + e.what() + "\n";
  }
  r.code = k_exit_internal;
  return r;
}

void refuse(FileReport& r, const Settings& s, const std::string& path, const Diagnostics& ds) {
  r.err += render(ds);
  if (s.json) r.json.push_back(json_errors(path, ds));
  r.code = worse(r.code, exit_code(ds));
}

int refuse_operands(const CommandLine& line, const Settings& s, const std::string& output, const Console& console,
                    const Diagnostics& ds) {
  const int code = report_errors(console, ds);
  std::error_code failed;
  std::string path = line.operands.empty() ? "" : line.operands.front();
  for (const std::string& o : line.operands)
    if (!std::filesystem::exists(o, failed)) {
      path = o;
      break;
    }
  const std::vector<std::string> objects = {json_errors(printable_name(path), ds)};
  const std::string verb = info(line.verb).name;
  if (s.format == "sarif") return worse(code, put(console, output, sarif_of(verb, objects, code)));
  if (s.format == "junit") return worse(code, put(console, output, junit_of(verb, objects)));
  return s.json ? worse(code, put(console, output, json_list(objects))) : code;
}

int report_files(const std::vector<std::string>& files, const Settings& s, const Console& console,
                 const std::function<FileReport(const std::string&)>& work, std::vector<std::string>* saved) {
  Progress progress(console, files.size(), "files");
  int code = k_exit_holds;
  std::vector<std::string> json;
  const auto taken = [&](size_t, FileReport r) {
    if (!r.out.empty() || !r.err.empty()) progress.clear();
    if (!r.err.empty()) console.err(r.err);
    if (!r.out.empty()) console.out(r.out);
    for (std::string& j : r.json) json.push_back(std::move(j));
    if (saved != nullptr) saved->push_back(std::move(r.saved));
    code = worse(code, r.code);
  };
  if (files.size() == 1 && console.own_process && s.budget <= 0 && s.total_budget <= 0 &&
      (s.format == "text" || s.format == "json") && is_small_test(files[0]))
    taken(0, in_this_process(limits_of(s), files[0], [&] { return work(files[0]); }, s.json));
  else
    in_workers(
        files.size(), thread_count(s.threads, files.size()), limits_of(s), [&](size_t i) { return files[i]; },
        [&](size_t i) { return work(files[i]); }, s.json, taken, [&](size_t done) { progress.at(done); });
  if (s.format == "sarif")
    console.out(sarif_of("check", json, code));
  else if (s.format == "junit")
    console.out(junit_of("check", json));
  else if (s.json)
    console.out(json_list(json));
  return code;
}

}  // namespace fencepost::cli
