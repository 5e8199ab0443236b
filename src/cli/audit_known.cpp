// Baselines, and answers that are kept.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "base/kernel_library.h"
#include "base/models_folder.h"
#include "base/printable.h"
#include "base/read_file.h"
#include "base/write_file.h"
#include "cli/audit.h"
#include "cli/help.h"
#include "verify/certificate.h"

namespace fencepost::cli::audit {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view k_head = "# fencepost audit baseline 1", k_kept = "fencepost audit answer 1 ";

std::string text(const Json& j, const char* key) { return j.contains(key) && j[key].is_string() ? j[key] : ""; }

// The line that a location names, without its blanks; "" where there is none.
std::string line_at(const std::string& location, std::map<std::string, std::vector<std::string>>& files) {
  std::string path = location, number;
  for (int k = 0; k < 2; ++k) {  // FILE:LINE:COLUMN or FILE:LINE
    const size_t colon = path.rfind(':');
    if (colon == std::string::npos || colon + 1 == path.size() ||
        path.find_first_not_of("0123456789", colon + 1) != std::string::npos)
      break;
    number = path.substr(colon + 1);
    path = path.substr(0, colon);
  }
  if (number.empty() || number.size() > 9) return "";
  if (!files.contains(path)) {
    std::vector<std::string> lines;
    if (const auto file = read_file(path)) {
      std::istringstream in((*file)->text);
      for (std::string l; std::getline(in, l);) lines.push_back(l);
    }
    files[path] = std::move(lines);
  }
  const std::vector<std::string>& lines = files[path];
  const size_t n = std::stoul(number);
  if (n == 0 || n > lines.size()) return "";
  std::string out;
  for (const char c : lines[n - 1])
    if (c != ' ' && c != '\t' && c != '\r') out += c;
  return out;
}

// Without the numbers, which change with the bound, the launch and the lines above.
std::string without_numbers(const std::string& s) {
  std::string out;
  for (const char c : s)
    if (c < '0' || c > '9') out += c;
  return out;
}

// Calls back with every finding of the page and its fingerprint.
template <class Visit>
void each_finding(Json& page, Visit&& visit) {
  std::map<std::string, std::vector<std::string>> files;
  for (Json& f : page["files"])
    for (Json& k : f["kernels"])
      for (Json& x : k["findings"]) {
        const std::string kind = text(x, "kind"), line = line_at(text(x, "location"), files);
        // Of races and the like the two accesses are told by the words around the numbers.
        const std::string what =
            kind == "race" || kind == "other-defect" ? without_numbers(text(x, "message")) : text(x, "progress");
        visit(f, k, x,
              verify::sha256(fmt::format("{}\n{}\n{}\n{}\n{}", kind, text(f, "path"), text(k, "name"), line, what))
                  .substr(0, 16));
      }
}

}  // namespace

Expected<std::vector<std::string>> read_baseline(const std::string& path) {
  const auto file = read_file(path);
  if (!file) return std::unexpected(file.error());
  std::istringstream in((*file)->text);
  std::vector<std::string> out;
  std::string line;
  if (!std::getline(in, line) || line != k_head)
    return error_at(Span{*file, 0, 0}, fmt::format("'{}' is not a baseline", path), "--write-baseline FILE makes one");
  for (uint32_t at = static_cast<uint32_t>(line.size()) + 1; std::getline(in, line);
       at += static_cast<uint32_t>(line.size()) + 1) {
    if (line.empty() || line[0] == '#') continue;
    const std::string print = line.substr(0, line.find(' '));
    if (print.size() != 16 || print.find_first_not_of("0123456789abcdef") != std::string::npos)
      return error_at(Span{*file, at, at + static_cast<uint32_t>(line.size())}, "this is not a line of a baseline",
                      "a line is FINGERPRINT KIND FILE KERNEL MESSAGE");
    out.push_back(print);
  }
  return out;
}

std::string baseline_of(const Json& page) {
  std::string out = std::string(k_head) + "\n";
  std::set<std::string> seen;
  Json copy = page;
  each_finding(copy, [&](const Json& f, const Json& k, const Json& x, const std::string& print) {
    if (seen.insert(print).second)
      out += fmt::format("{} {} {} {} {}\n", print, text(x, "kind"), printable_name(text(f, "path")),
                         printable_name(text(k, "name")), printable_name(text(x, "message")));
  });
  return out;
}

size_t mark_known(Json& page, const std::vector<std::string>& baseline) {
  std::set<std::string> open(baseline.begin(), baseline.end());
  const std::set<std::string> known = open;
  each_finding(page, [&](const Json&, const Json&, Json& x, const std::string& print) {
    x["fingerprint"] = print;
    x["known"] = known.contains(print);
    open.erase(print);
  });
  return open.size();
}

// ---- answers that are kept

namespace {

// What tells one build from another: name, size and time of the program and of what stands beside it.
std::string program_identity() {
  std::string out = version() + k_kernel_library_stamp;
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  if (failed || !fs::is_regular_file(self, failed)) return "";  // replaced while it runs: what is there is another
  std::vector<fs::path> parts = {self};
  for (const char* folder : {"", "../lib", "../lib/fencepost"})
    parts.push_back(self.parent_path() / folder / "libfencepost_kern.so");
  for (const fs::path& p : parts) {
    struct stat s{};
    if (::stat(p.c_str(), &s) == 0)
      out += fmt::format("\n{} {} {}.{}", p.string(), s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
  }
  return out;
}

// The files that a text of a model may include: whatever stands between two quotation marks.
std::vector<std::string> included_models(const std::string& text) {
  std::vector<std::string> out;
  for (size_t begin = text.find('"'); begin != std::string::npos;) {
    const size_t end = text.find('"', begin + 1);
    if (end == std::string::npos) break;
    if (end > begin + 1 && end - begin < 4096) out.push_back(text.substr(begin + 1, end - begin - 1));
    begin = end;
  }
  return out;
}

// The texts that answers may rest on beside the program: every file in the folder of the models, and what these include
// from elsewhere. No list of the models that a question needs: one too many changes a key, and nothing else. "": not
// all could be read.
std::string models_identity() {
  constexpr size_t k_most_files = 10'000;
  const fs::path folder = models_folder();
  std::error_code failed;
  std::vector<fs::path> open;
  fs::recursive_directory_iterator it(folder, fs::directory_options::follow_directory_symlink, failed);
  for (; !failed && it != fs::recursive_directory_iterator(); it.increment(failed)) {
    std::error_code none;
    if (fs::is_regular_file(it->path(), none)) open.push_back(it->path());
    if (open.size() > k_most_files) return "";
  }
  if (failed) return "";
  std::map<std::string, std::string> texts;  // by path, so that the order of a folder does not matter
  while (!open.empty()) {
    const std::string name = open.back().lexically_normal().string();
    open.pop_back();
    if (texts.contains(name)) continue;
    const auto file = read_file(name);
    if (!file || texts.size() > k_most_files) return "";
    texts[name] = verify::sha256((*file)->text);
    for (const std::string& include : included_models((*file)->text))
      for (const fs::path& from : {fs::path(name).parent_path(), folder, fs::path()})
        if (const fs::path there = from / include; fs::is_regular_file(there, failed)) open.push_back(there);
  }
  std::string all;
  for (const auto& [name, hash] : texts) all += fmt::format("{} {}\n", name, hash);
  return all.empty() ? "" : verify::sha256(all);
}

// The files that a text includes, as far as its own lines say. False: a line says it in a way that is not followed.
bool includes_of(const std::string& text, std::vector<std::pair<std::string, bool>>& out) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    size_t at = line.find_first_not_of(" \t");
    if (line.ends_with("\\") && line.find("include") != std::string::npos) return false;
    if (line.find("__has_include") != std::string::npos || line.find("?\?=") != std::string::npos ||
        line.find("%:") != std::string::npos)
      return false;
    if (at == std::string::npos || line[at] != '#') continue;
    at = line.find_first_not_of(" \t", at + 1);
    if (at == std::string::npos || line.compare(at, 6, "import") == 0 || line.compare(at, 5, "embed") == 0) {
      if (at == std::string::npos) continue;
      return false;
    }
    if (line.compare(at, 7, "include") != 0) continue;
    at = line.find_first_not_of(" \t", line.find_first_of(" \t<\"", at));
    if (at == std::string::npos || (line[at] != '"' && line[at] != '<')) return false;
    const size_t end = line.find(line[at] == '"' ? '"' : '>', at + 1);
    if (end == std::string::npos) return false;
    out.emplace_back(line.substr(at + 1, end - at - 1), line[at] == '"');
  }
  return true;
}

}  // namespace

Cache::Cache(std::string folder, const Settings& s) : folder_(std::move(folder)), include_folders_(s.include_folders) {
  if (folder_.empty()) {
    off_ = true;
    return;
  }
  const std::string models = models_identity();
  program_ = program_identity();
  options_ = fmt::format("budget {} memory {}", s.budget, s.memory);
  for (const std::string& d : s.defines) options_ += "\n-D" + d;
  for (const std::string& i : s.include_folders) options_ += "\n-I" + i;
  for (const std::string& i : s.inputs) options_ += "\n--input " + i;
  if (s.has("--bound")) options_ += fmt::format("\n--bound {}", s.bound);
  // The headers of a toolkit and of the machine are not followed.
  off_ = program_.empty() || models.empty() || !s.cuda_path.empty();
  program_ += "\nmodels " + models;
}

std::string Cache::key(const std::string& path, const std::string& question) const {
  if (off_) return "";
  std::string all = fmt::format("{}\n{}\n{}\n", program_, options_, question);
  std::vector<std::string> open = {path};
  std::set<std::string> seen;
  while (!open.empty()) {
    const std::string name = open.back();
    open.pop_back();
    if (!seen.insert(name).second) continue;
    const auto file = read_file(name);
    if (!file || seen.size() > 1000) return "";
    all += fmt::format("{} {}\n", name, verify::sha256((*file)->text));
    std::vector<std::pair<std::string, bool>> includes;
    if (!includes_of((*file)->text, includes)) return "";
    for (const auto& [include, quoted] : includes) {
      std::vector<fs::path> folders;
      folders.push_back(fs::path(name).parent_path());  // also of <...>: one too many changes a key, and nothing else
      folders.push_back(fs::path(path).parent_path());
      for (const std::string& i : include_folders_) folders.emplace_back(i);
      for (const fs::path& f : folders) {
        std::error_code failed;
        const fs::path there = fs::path(include).is_absolute() ? fs::path(include) : f / include;
        if (fs::is_regular_file(there, failed)) open.push_back(there.string());
      }
    }
  }
  return verify::sha256(all);
}

std::optional<std::string> Cache::find(const std::string& key) const {
  if (key.empty()) return std::nullopt;
  std::error_code failed;
  const std::string path = (fs::path(folder_) / key).string();
  if (!fs::is_regular_file(path, failed)) return std::nullopt;
  const auto file = read_file(path);
  if (!file) return std::nullopt;
  const std::string& all = (*file)->text;
  const size_t end = all.find('\n');
  if (end == std::string::npos) return std::nullopt;
  const std::string answer = all.substr(end + 1);
  // The key is hashed too: a file under another's name is no answer either.
  if (all.substr(0, end) != std::string(k_kept) + verify::sha256(key + answer)) return std::nullopt;
  return answer;
}

void Cache::keep(const std::string& key, const std::string& answer) const {
  if (key.empty()) return;
  std::error_code failed;
  fs::create_directories(folder_, failed);
  const fs::path path = fs::path(folder_) / key, half = path.string() + "." + std::to_string(::getpid());
  if (write_file(half.string(), std::string(k_kept) + verify::sha256(key + answer) + "\n" + answer))
    fs::rename(half, path, failed);
}

}  // namespace fencepost::cli::audit
