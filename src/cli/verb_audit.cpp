// audit: every question about the kernels of files, on one page. The parts are in audit.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/child.h"
#include "base/printable.h"
#include "base/read_file.h"
#include "base/write_file.h"
#include "cli/audit.h"
#include "cli/ci_forms.h"
#include "cli/file_report.h"
#include "cli/help.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "cli/worker.h"
#include "litmus/lexer.h"
#include "spirv/spirv.h"

namespace fencepost::cli {
namespace {

using audit::Json;

constexpr double k_budget = 10;  // seconds of a question
// Two blocks; two threads of a block; both. Warps of one thread, so that no order comes from lock-step.
const std::vector<std::string> k_launches = {"1.1.2", "1.2.1", "1.2.2"};

struct Kernel {
  std::string name;
  std::string entry;  // what a small launch calls it: the symbol where there is one
  std::vector<Json> proved;
  std::vector<Json> small;
};
struct File {
  std::string path;
  FileKind kind = FileKind::unknown;
  std::vector<Kernel> kernels;
  std::string text;          // as it was read
  uint64_t arch = 0;         // the value of __CUDA_ARCH__ that prove took; 0: none
  std::string error;         // bad input
  bool unsupported = false;  // the error is a missing feature
};

Kernel& kernel_of(File& f, const std::string& name) {
  for (Kernel& k : f.kernels)
    if (k.name == name) return k;
  f.kernels.push_back({name, name, {}, {}});
  return f.kernels.back();
}

// The launch that the first comments of a kernel file say: "//--local_size=64 --num_groups=64".
std::vector<std::string> sizes_in(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line) && line.starts_with("//");) {
    std::istringstream words(line.substr(2));
    for (std::string w; words >> w;)
      for (const std::string_view size :
           {"--local_size=", "--global_size=", "--num_groups=", "--local-size=", "--global-size=", "--num-groups="})
        if (w.starts_with(size)) out.push_back(w);
  }
  return out;
}

std::vector<std::string> prove_words(const std::string& path, FileKind kind, const std::string& text,
                                     const Settings& s) {
  std::vector<std::string> words = {"prove", "--format=json", fmt::format("--timeout={}", s.budget),
                                    "--memory=" + s.memory};
  for (const std::string& d : s.defines) words.push_back("-D" + d);
  for (const std::string& i : s.include_folders) words.push_back("-I" + i);
  if (kind == FileKind::cuda_kernel && !s.cuda_path.empty()) words.push_back("--cuda-path=" + s.cuda_path);
  // A file that says its own launch, and makes none, is about that launch.
  const bool launches = text.find("<<<") != std::string::npos || text.find("cudaLaunch") != std::string::npos;
  const size_t config = text.find("@Config:");
  if (config != std::string::npos && !launches) {
    uint64_t n[3] = {0, 0, 0};  // threads of a warp, warps of a block, blocks
    const char* at = text.c_str() + config + 8;
    for (uint64_t& x : n) {
      while (*at == ' ' || *at == ',') ++at;
      while (*at >= '0' && *at <= '9' && x < 100'000) x = 10 * x + static_cast<uint64_t>(*at++ - '0');
    }
    if (n[0] > 0 && n[1] > 0 && n[2] > 0) {
      const bool cuda = kind == FileKind::cuda_kernel;
      words.push_back(fmt::format("{}={}", cuda ? "--blockDim" : "--local_size", n[0] * n[1]));
      words.push_back(fmt::format("{}={}", cuda ? "--gridDim" : "--num_groups", n[2]));
    }
  }
  // OpenCL C has no host code, so that the launch stands in the first lines or is any.
  if (kind == FileKind::opencl_kernel && config == std::string::npos) {
    std::vector<std::string> sizes = sizes_in(text);
    if (sizes.empty()) sizes = {"--local_size=*", "--num_groups=*"};
    words.insert(words.end(), sizes.begin(), sizes.end());
  }
  words.push_back(path);
  return words;
}

// Whether the time of --total-budget is over. What was answered then may have been cut, so that it is not kept.
bool is_over(const Settings& s) { return Job::Clock::now() >= s.end; }

// What prove says of the file, into its kernels.
void ask_prove(File& f, const std::string& text, const Settings& s, const audit::Cache& cache) {
  auto words = prove_words(f.path, f.kind, text, s);
  const std::string key = cache.key(f.path, fmt::format("{}", fmt::join(words, "\n")));
  std::string out, err;
  if (const auto kept = cache.find(key)) {
    out = *kept;
  } else if (is_over(s)) {
    f.error = fmt::format("not asked: the --total-budget of {:g} s is spent", s.total_budget);
    f.unsupported = true;
    return;
  } else {
    if (s.total_budget > 0) {  // the file is the last word
      const double left = std::max(std::chrono::duration<double>(s.end - Job::Clock::now()).count(), 0.001);
      std::erase_if(words, [](const std::string& w) { return w.starts_with("--timeout="); });
      words.insert(words.end() - 1,
                   {fmt::format("--timeout={:.3f}", std::min(s.budget, left)), fmt::format("--budget={:.3f}", left)});
    }
    run_prove(words, {[&](std::string_view t) { out += t; }, [&](std::string_view t) { err += t; }});
  }
  const Json j = Json::parse(out, nullptr, false);
  if (!j.is_object() || !j.contains("kernels")) {
    f.error = err.empty() ? "prove gave no answer" : err.substr(0, err.find('\n'));
    f.unsupported = true;
    return;
  }
  if (j.contains("profile") && j["profile"].is_object()) f.arch = j["profile"].value("cuda_arch", uint64_t{0});
  for (const Json& k : j["kernels"]) {
    Kernel& kernel = kernel_of(f, k.value("name", ""));
    kernel.proved.push_back(k);
    if (const std::string symbol = k.value("symbol", ""); !symbol.empty()) kernel.entry = symbol;
  }
  const std::string answer = j.value("answer", "");
  if (answer == "internal_error") f.error = "prove: internal error", f.unsupported = true;
  if (f.kernels.empty())
    for (const Json& d : j.value("diagnostics", Json::array()))
      if (d.value("severity", "") == "error") {
        const std::string at = d.value("location", "");
        f.error = fmt::format("{}: {}", at.empty() ? f.path : at, d.value("message", ""));
        f.unsupported = answer != "bad_input";
        break;
      }
  // An answer that time or memory has ended may come out otherwise.
  if (f.error.empty() && out.find("gave_up") == std::string::npos && !is_over(s)) cache.keep(key, out);
}

// Where prove has found races: the line that mends them, looked for as long as a question may take.
void ask_mends(const File& f, Kernel& k, const std::string& text, const Settings& s, const audit::Cache& cache) {
  const bool races = std::ranges::any_of(k.proved, [](const Json& row) {
    return std::ranges::any_of(row.value("findings", Json::array()),
                               [](const Json& x) { return x.value("kind", "") == "data-race"; });
  });
  if (!races || is_over(s)) return;
  std::vector<std::string> words = prove_words(f.path, f.kind, text, s);
  if (k.name.find('<') == std::string::npos) words.insert(words.end() - 1, "--entry=" + k.name);
  const std::string key = cache.key(f.path, fmt::format("mend\n{}", fmt::join(words, "\n")));
  if (const auto kept = cache.find(key))
    if (const Json rows = Json::parse(*kept, nullptr, false); rows.is_array()) {
      k.proved = rows.get<std::vector<Json>>();
      return;
    }
  const ScratchFolder folder;
  if (folder.path().empty()) return;
  const auto beside = std::filesystem::path(f.path);
  const std::string copy = folder.path() + "/" + beside.filename().string();
  const std::string around = beside.has_parent_path() ? beside.parent_path().string() : ".";
  std::erase_if(words, [](const std::string& w) { return w.starts_with("--timeout="); });
  words.back() = copy;
  words.insert(words.begin() + 1, "-I" + around);
  const auto end = std::min(s.end, Job::Clock::now() + std::chrono::duration_cast<Job::Clock::duration>(
                                                           std::chrono::duration<double>(s.budget)));
  bool cut = false;
  audit::mend(k.proved, f.path, text, [&](const std::string& changed) -> std::vector<Json> {
    const double left = std::chrono::duration<double>(end - Job::Clock::now()).count();
    if (left <= 0 || !write_file(copy, changed)) return cut = true, std::vector<Json>{};
    std::vector<std::string> asked = words;
    asked.insert(asked.end() - 1, {fmt::format("--timeout={:.3f}", left), fmt::format("--budget={:.3f}", left)});
    std::string out, err;
    run_prove(asked, {[&](std::string_view t) { out += t; }, [&](std::string_view t) { err += t; }});
    cut = cut || out.find("gave_up") != std::string::npos;
    for (size_t at = out.find(copy); at != std::string::npos; at = out.find(copy, at + f.path.size()))
      out.replace(at, copy.size(), f.path);
    const Json j = Json::parse(out, nullptr, false);
    if (!j.is_object() || !j.contains("kernels")) return {};
    std::vector<Json> rows = j["kernels"];
    std::erase_if(rows, [&](const Json& row) { return row.value("name", "") != k.name; });
    return rows;
  });
  if (!cut) cache.keep(key, Json(k.proved).dump(-1, ' ', false, Json::error_handler_t::replace));
}

// The names behind .entry; of functions with a body or without.
void entries_of_module(File& f, const std::string& text) {
  size_t at = 0;
  while ((at = text.find(".entry", at)) != std::string::npos) {
    const size_t line = text.rfind('\n', at) + 1, comment = text.find("//", line);
    at += 6;
    if (comment < at) continue;
    const size_t begin = text.find_first_not_of(" \t\r\n", at);
    if (begin == std::string::npos || begin == at) continue;
    size_t end = begin;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_' ||
                                 text[end] == '$' || text[end] == '%'))
      ++end;
    kernel_of(f, text.substr(begin, end - begin));
  }
  if (f.kernels.empty()) f.error = "the module has no kernel";
}

// Of --entry: what is asked of the other kernels is left out. Values of --input are one kernel's.
Expected<void> choose_kernel(std::vector<File>& files, const Settings& s) {
  std::vector<std::string> names;
  bool found = false;
  for (File& f : files) {
    for (const Kernel& k : f.kernels) names.push_back(k.name);
    if (s.entry.empty()) continue;
    const auto other = [&](const Kernel& k) { return k.name != s.entry && k.entry != s.entry; };
    found = found || !std::ranges::all_of(f.kernels, other);
    std::erase_if(f.kernels, other);
  }
  if (!s.entry.empty() && !found && !names.empty())
    return error_at({}, fmt::format("there is no kernel '{}'", printable_name(s.entry)),
                    litmus::suggest(s.entry, names));
  if (s.entry.empty() && !s.inputs.empty() && names.size() > 1)
    return error_at({}, fmt::format("--input is of one kernel, and there are {}", names.size()),
                    "name it: --entry " + names.front());
  return {};
}

// Every thread of the kernel ends by itself, says prove of all its launches: whether it hangs need not be asked.
bool ends(const Kernel& k) {
  return !k.proved.empty() && std::all_of(k.proved.begin(), k.proved.end(), [](const Json& row) {
    return row.value("verdict", "") == "holds" && row.value("ends", false);
  });
}

struct Small {
  File* file;
  std::string kernel, entry, grid;
  audit::Ask question;
  std::string key;
  std::string kept;  // the answer, where there is one
};

std::string shown(const Json& page, const Settings& s, int code) {
  if (s.format == "html") return audit::html_of(page);
  if (s.format == "sarif")
    return sarif_of("audit", {page.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)}, code);
  if (s.format == "junit")
    return junit_of("audit", {page.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)});
  if (s.json) return page.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  return audit::text_of(page);
}

// The number of threads or blocks of a row of prove; none: it is not fixed.
std::optional<uint64_t> size_of(const Json& row, const char* key) {
  if (!row.contains("launch") || !row["launch"].is_object() || !row["launch"].contains(key)) return std::nullopt;
  uint64_t n = 1;
  for (const Json& one : row["launch"][key]) {
    if (!one.is_number_unsigned()) return std::nullopt;
    n *= one.get<uint64_t>();
  }
  return n;
}

// The small launches of a kernel: with one block where some launch of the file has one, or may have, and with several
// where some has several; threads of a block likewise. A kernel that is launched with one block has no order to keep
// between blocks, and one for two may wait for the other for ever.
std::vector<std::string> launches_of(const Kernel& k) {
  const auto some = [&](const char* key, bool one) {
    return k.proved.empty() || std::ranges::any_of(k.proved, [&](const Json& row) {
             const auto n = size_of(row, key);
             return !n || (*n == 1) == one;
           });
  };
  std::vector<std::string> out;
  for (const std::string& grid : k_launches) {
    const auto g = spirv::parse_grid(grid);
    if (g && some("num_groups", g->workgroup_count() == 1) && some("local_size", g->workgroup_size() == 1))
      out.push_back(grid);
  }
  // Blocks of many threads are asked with one thread each, too: what is wrong between blocks shows there first.
  if (some("num_groups", false) && std::ranges::find(out, k_launches.front()) == out.end())
    out.insert(out.begin(), k_launches.front());
  return out.empty() ? k_launches : out;
}

// The small launches of all kernels, in workers.
void ask_small(std::vector<File>& files, const Settings& s, const Console& console, const audit::Cache& cache) {
  std::vector<Small> open;
  for (File& f : files) {
    const auto file = read_file(f.path);
    if (!file) continue;
    const bool own = s.grid.empty() && (*file)->text.find("@Config:") != std::string::npos;
    for (const Kernel& k : f.kernels) {
      const std::vector<std::string> launches = own               ? std::vector<std::string>{""}
                                                : !s.grid.empty() ? std::vector<std::string>{s.grid}
                                                                  : launches_of(k);
      for (const std::string& grid : launches)
        for (const audit::Ask q : audit::k_asks) {
          const auto parsed = spirv::parse_grid(grid);
          if (q != audit::Ask::races && ends(k)) continue;
          if (k.name.empty() || (q == audit::Ask::obe && !grid.empty() && parsed && parsed->workgroup_count() == 1))
            continue;
          // OpenCL C is compiled by a compiler of the machine, which the key does not know.
          const std::string key = f.kind == FileKind::opencl_kernel
                                      ? ""
                                      : cache.key(f.path, fmt::format("{}\n{}\n{}", k.entry, grid, int(q)));
          Small one{&f, k.name, k.entry, grid, q, key, ""};
          one.kept = cache.find(one.key).value_or("");
          open.push_back(std::move(one));
        }
    }
  }
  Progress progress(console, open.size(), "questions");
  Limits limits = limits_of(s);
  const auto work = [&](size_t i) {
    const Small& q = open[i];
    const auto report = [](const Json& j) {
      FileReport r;
      r.json.push_back(j.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
      return r;
    };
    if (q.kept.empty())
      return report(audit::at_launch(q.file->path, q.entry, q.grid, q.question, s,
                                     [&](const Json& so_far) { if_ended(report(so_far)); }));
    FileReport r;
    r.json.push_back(q.kept);
    return r;
  };
  const auto taken = [&](size_t i, FileReport r) {
    const Small& q = open[i];
    Json j = r.json.empty() ? Json() : Json::parse(r.json.front(), nullptr, false);
    if (!j.is_object() || !j.contains("launch")) {
      std::string why = r.err.substr(0, r.err.find('\n'));
      if (const size_t at = why.find("error: "); at != std::string::npos) why = why.substr(at + 7);
      j = audit::ended_at_launch(q.grid, q.question, why.empty() ? "the work ended" : why);
    } else if (!j.contains("error") && r.json.front().find("\"gave_up\"") == std::string::npos && !is_over(s)) {
      cache.keep(q.key, r.json.front());
    }
    std::vector<Json>& small = kernel_of(*q.file, q.kernel).small;
    const auto same = std::find_if(small.begin(), small.end(), [&](const Json& x) { return x["launch"] == q.grid; });
    if (same == small.end())
      small.push_back(std::move(j));
    else
      same->update(j);
  };
  in_workers(
      open.size(), thread_count(s.threads, open.size()), limits,
      [&](size_t i) { return fmt::format("{}, kernel {}", open[i].file->path, open[i].kernel); }, work, false, taken,
      [&](size_t done) { progress.at(done); });
}

}  // namespace

int run_audit(const CommandLine& line, const Console& console) {
  Settings s = line.settings;
  if (s.budget <= 0) s.budget = k_budget;
  if (!s.has("--format") && !s.has("--json")) {
    const auto form = form_of_ending(s.output, {".html", ".json", ".sarif", ".xml"});
    if (!form) return report_errors(console, form.error());
    s.format = form->empty() ? "text" : *form == ".xml" ? "junit" : form->substr(1);
    s.json = s.format == "json";
  }
  const auto paths = expand(line.operands, {".cu", ".cl", ".ptx"});
  if (!paths) return refuse_operands(line, s, s.output, console, paths.error());
  std::vector<std::string> baseline;
  if (!s.baseline.empty()) {
    auto read = audit::read_baseline(s.baseline);
    if (!read) return report_errors(console, read.error());
    baseline = std::move(*read);
  }
  const audit::Cache cache(s.answer_cache, s);
  std::vector<File> files;
  for (const std::string& path : *paths) {
    File f{printable_name(path), kind_of_file(path), {}, "", 0, "", false};
    const auto file = read_file(path);
    if (file) f.text = (*file)->text;
    if (!file) {
      f.error = file.error().list.front().message;
    } else if (f.kind == FileKind::ptx_module) {
      entries_of_module(f, (*file)->text);
    } else if (f.kind == FileKind::cuda_kernel || f.kind == FileKind::opencl_kernel) {
      ask_prove(f, (*file)->text, s, cache);
    } else {
      f.error =
          fmt::format("this is {}: audit takes CUDA C++ (.cu), OpenCL C (.cl) and PTX modules (.ptx)", name(f.kind));
    }
    files.push_back(std::move(f));
  }
  if (const auto chosen = choose_kernel(files, s); !chosen) return report_errors(console, chosen.error());
  for (File& f : files)
    for (Kernel& k : f.kernels) ask_mends(f, k, f.text, s, cache);
  ask_small(files, s, console, cache);

  Json page = {{"schema", "fencepost.audit/1"}, {"version", version()}, {"budget", s.budget}, {"files", Json::array()}};
  for (const File& f : files) {
    Json one = {{"path", f.path}, {"kernels", Json::array()}};
    if (f.arch != 0) one["cuda_arch"] = f.arch;
    if (!f.error.empty()) one[f.unsupported ? "not_read" : "error"] = f.error;
    for (const Kernel& k : f.kernels) {
      Json e = audit::kernel_entry(f.path, k.name, k.proved, k.small);
      audit::quote(e, f.path, f.text);
      if (f.kind == FileKind::ptx_module)
        e["silent"].push_back("races at every launch: not asked, prove does not read PTX modules");
      one["kernels"].push_back(std::move(e));
    }
    page["files"].push_back(std::move(one));
  }
  const size_t gone = audit::mark_known(page, baseline);
  if (!s.baseline.empty()) page["baseline"] = {{"path", s.baseline}, {"not_found", gone}};
  audit::count(page);
  const int code = page["exit_code"];
  if (!s.write_baseline.empty())
    if (const auto written = write_output(s.write_baseline, audit::baseline_of(page)); !written)
      return report_errors(console, written.error());
  return worse(code, put(console, s.output, shown(page, s, code)));
}

}  // namespace fencepost::cli
