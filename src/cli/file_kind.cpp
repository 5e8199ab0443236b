#include "cli/file_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace fencepost::cli {
namespace {

struct Command {
  const char *verb, *options, *answer;
};
struct Row {
  FileKind kind;
  const char* name;
  std::vector<const char*> endings;
  std::vector<Command> commands;  // "%" in options stands for the file
  std::vector<const char*> also;  // further verbs that read it
};

constexpr const char* k_tests_too[] = {"print",  "emit",        "run",   "refine", "relax",
                                       "expect", "diff-models", "lower", "tune"};

const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
      {FileKind::litmus,
       "a litmus test",
       {".litmus", ".test"},
       {{"check", "%", "may its condition come true"},
        {"check", "% --property races", "is there a data race"},
        {"outcomes", "%", "all final states"},
        {"explain", "%", "why, with a picture"}},
       {"progress check", "progress lts", "progress print", "progress export", "progress run", "progress classify"}},
      {FileKind::shader,
       "a shader",
       {".comp", ".glsl", ".spvasm", ".spv"},
       {{"check", "% --property races", "is there a data race"},
        {"check", "% -p termination --bound auto", "do all invocations end"},
        {"outcomes", "%", "all final states"}},
       {}},
      {FileKind::opencl_kernel,
       "an OpenCL C kernel",
       {".cl"},
       {{"prove", "% --local_size=64 --num_groups=*", "races and barrier divergence"},
        {"check", "% --property races --grid 1.2.2", "races under the memory model, small launches"},
        {"check", "% -p termination --bound auto", "do all work-items end"}},
       {"audit"}},
      {FileKind::cuda_kernel,
       "CUDA source",
       {".cu", ".cuh"},
       {{"prove", "%", "races and barrier divergence"},
        {"check", "% --property races --grid 1.2.2", "races under the memory model, small launches"},
        {"check", "% -p termination --bound auto --grid 1.2.2", "do all threads end"}},
       {"audit"}},
      {FileKind::ptx_module,
       "a PTX module",
       {".ptx"},
       {{"check", "% --property races", "is there a data race"}, {"outcomes", "%", "all final states"}},
       {"audit"}},
      {FileKind::model,
       "a memory model",
       {".cat"},
       {{"lint-model", "%", "mistakes in it"}, {"check", "-m % TEST", "what it says of a test"}},
       {"diff-models"}},
      {FileKind::progress_test,
       "a progress test",
       {".axb"},
       {{"progress check", "%", "does it end, under which progress models"},
        {"progress lts", "% -o states.svg", "its states, drawn"}},
       {"progress classify", "progress print", "progress account", "progress export", "progress run",
        "progress compare"}},
      {FileKind::progress_model,
       "a progress model",
       {".progress"},
       {{"progress models", "%", "is it well formed"}, {"progress check", "--models % TEST", "what it says of a test"}},
       {}},
      {FileKind::plan, "a plan of a campaign", {".toml"}, {{"campaign", "%", "measures what it asks for"}}, {}},
      {FileKind::mapping,
       "a mapping of instructions",
       {".map"},
       {{"lower", "% TEST", "does the mapping add an outcome"}},
       {}},
      {FileKind::store,
       "a store of results",
       {".db"},
       {{"judge", "%", "what was seen, held against a model"},
        {"stats", "%", "how sure the results are"},
        {"report", "% -o page.html", "one page"}},
       {"merge", "hunt report"}},
      {FileKind::table,
       "a table",
       {".csv"},
       {{"expect", "%", "holds expected verdicts against the tool"}, {"stats", "%", "published results"}},
       {"report", "judge"}},
      {FileKind::record, "a record of machine code", {".rec"}, {{"hunt", "%", "judges it again"}}, {}},
  };
  return table;
}

const Row* row_of(FileKind k) {
  const auto at = std::ranges::find(rows(), k, &Row::kind);
  return at == rows().end() ? nullptr : &*at;
}

// The first words, without comments and blank lines.
std::string_view without_comments(std::string_view t) {
  while (!t.empty()) {
    const size_t text = t.find_first_not_of(" \t\r\n");
    if (text == std::string_view::npos) return {};
    t.remove_prefix(text);
    const bool line = t.starts_with("//") || t.starts_with(";"), block = t.starts_with("/*"), cat = t.starts_with("(*");
    if (!line && !block && !cat) return t;
    const size_t end = t.find(line ? "\n" : block ? "*/" : "*)");
    if (end == std::string_view::npos) return {};
    t.remove_prefix(end + (line ? 1 : 2));
  }
  return t;
}

FileKind by_content(std::string_view text) {
  if (text.starts_with("SQLite format 3")) return FileKind::store;
  if (text.starts_with("\x03\x02\x23\x07")) return FileKind::shader;
  const std::string_view first = without_comments(text);
  for (const char* w : {"PTX", "VULKAN", "OPENCL", "CUDA", "GPU_PTX"})
    if (first.starts_with(w) && first.size() > std::strlen(w) &&
        (first[std::strlen(w)] == ' ' || first[std::strlen(w)] == '\n'))
      return FileKind::litmus;
  if (first.starts_with("#version") || first.starts_with("OpCapability")) return FileKind::shader;
  if (first.starts_with(".version")) return FileKind::ptx_module;
  if (first.starts_with("progress \"")) return FileKind::progress_test;
  if (text.find("__global__") != std::string_view::npos) return FileKind::cuda_kernel;
  if (text.find("__kernel") != std::string_view::npos) return FileKind::opencl_kernel;
  return FileKind::unknown;
}

std::string filled(const Command& c, const std::string& path) {
  std::string options = c.options;
  options.replace(options.find('%'), 1, path);
  return fmt::format("fencepost {} {}", c.verb, options);
}

}  // namespace

const char* name(FileKind k) {
  const Row* r = row_of(k);
  return r == nullptr ? "a file of no known kind" : r->name;
}

const std::vector<std::string>& program_endings() {
  static const std::vector<std::string> endings = [] {
    std::vector<std::string> out;
    for (const Row& r : rows())
      for (const FileKind k :
           {FileKind::litmus, FileKind::shader, FileKind::opencl_kernel, FileKind::cuda_kernel, FileKind::ptx_module})
        if (r.kind == k)
          for (const std::string ending : r.endings)
            if (ending != ".glsl" && ending != ".cuh") out.push_back(ending);  // included by others
    return out;
  }();
  return endings;
}

FileKind kind_of_file(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return FileKind::unknown;
  // The ending says more than the text: a model may speak of kernels in a comment.
  for (const Row& r : rows())
    for (const char* ending : r.endings)
      if (path.ends_with(ending)) return r.kind;
  std::ifstream in(path, std::ios::binary);
  std::string text(16 << 10, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  return by_content(text);
}

std::vector<WayOut> ways_out(FileKind kind, const std::string& path) {
  std::vector<WayOut> out;
  if (const Row* r = row_of(kind))
    for (const Command& c : r->commands) out.push_back({filled(c, path), c.answer});
  return out;
}

std::string hint_for(FileKind kind, const std::string& path) {
  std::string out;
  for (const WayOut& q : ways_out(kind, path))
    out += fmt::format("{}{} ({})", out.empty() ? "" : "\n             ", q.command, q.answer);
  return out;
}

bool reads(const std::string& verb, FileKind kind) {
  const Row* r = row_of(kind);
  if (r == nullptr) return true;
  const auto is = [&](const char* v) { return verb == v; };
  const bool test = kind == FileKind::litmus || kind == FileKind::shader || kind == FileKind::opencl_kernel ||
                    kind == FileKind::cuda_kernel || kind == FileKind::ptx_module;
  const auto takes = [&](const Command& c) { return verb == c.verb && c.options[0] == '%'; };
  return std::ranges::any_of(r->commands, takes) || std::ranges::any_of(r->also, is) ||
         (test && (std::ranges::any_of(k_tests_too, is) || verb == "check" || verb == "outcomes" || verb == "explain"));
}

}  // namespace fencepost::cli
