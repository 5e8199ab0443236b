// serve: questions on standard input, one JSON object a line; answers on standard output, one a line, in the same order
// (docs/howto/serve.md has the form). For editors and agents, which pay the start of a process once.
//
// A question is a command line, so that what it means is written down once: it runs in a child of its own, as `run`
// would have run it. What an input does to a process (memory, time, an abort) is done to that child. Files that a
// question brings lie in a scratch folder, where the child works.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/child.h"
#include "base/process.h"
#include "cli/verbs.h"

namespace fencepost::cli {
namespace {

using json = nlohmann::json;

constexpr size_t k_longest_line = size_t{16} << 20, k_longest_answer = size_t{64} << 20;

// Verbs that answer from their input. The others run devices or compilers, or keep a store: a terminal is their place.
constexpr std::array k_answering = {"check",
                                    "outcomes",
                                    "explain",
                                    "diff-models",
                                    "refine",
                                    "lint-model",
                                    "expect",
                                    "print",
                                    "emit",
                                    "models",
                                    "relax",
                                    "lower",
                                    "prove",
                                    "progress check",
                                    "help",
                                    "progress lts",
                                    "progress classify",
                                    "progress compare",
                                    "progress print",
                                    "progress models"};

struct Question {
  json id;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> files;  // name, text
};

struct Said {
  int status = k_exit_internal;
  std::string out, err;
  bool cut = false;
};

// A plain relative path: it stays below the folder that it is in.
bool stays_below(const std::string& name) {
  const std::filesystem::path path(name);
  return !name.empty() && !name.contains('\0') && path.is_relative() && path.lexically_normal() == path &&
         path.has_filename() &&
         std::none_of(path.begin(), path.end(), [](const auto& part) { return part == ".." || part == "."; });
}

bool answers(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return false;
  const std::string two = arguments.size() > 1 ? arguments[0] + " " + arguments[1] : arguments[0];
  return std::any_of(k_answering.begin(), k_answering.end(),
                     [&](std::string_view v) { return v == arguments[0] || v == two; });
}

// Is the text nested so deeply that a reader which calls itself would use up the stack?
bool too_deep(const std::string& line) {
  constexpr int k_deepest = 64;
  int depth = 0;
  bool quoted = false;
  for (size_t k = 0; k < line.size(); ++k) {
    const char c = line[k];
    if (quoted && c == '\\')
      ++k;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '[' || c == '{') && ++depth > k_deepest)
      return true;
    else if (!quoted && (c == ']' || c == '}'))
      --depth;
  }
  return false;
}

// What the line asks, or why it asks nothing. `id` is filled as soon as it is known, so that the error carries it.
Expected<Question> parse_question(const std::string& line, json& id) {
  if (too_deep(line)) return error_at({}, "the line is nested too deeply", "64 levels at most");
  const json j = json::parse(line, nullptr, false);
  if (!j.is_object())
    return error_at({}, "the line is no JSON object", R"({"id":1,"arguments":["check","mp.litmus"]})");
  Question q;
  if (j.contains("id")) q.id = id = j["id"];
  for (const auto& [key, value] : j.items())
    if (key != "id" && key != "arguments" && key != "files")
      return error_at({}, fmt::format("unknown field '{}'", key), "a question has id, arguments and files");
  if (!j.contains("arguments") || !j["arguments"].is_array() || j["arguments"].empty())
    return error_at({}, "'arguments' is no list of words", R"("arguments":["check","mp.litmus"])");
  for (const json& a : j["arguments"]) {
    if (!a.is_string()) return error_at({}, "'arguments' is no list of words", R"("arguments":["check","mp.litmus"])");
    q.arguments.push_back(a);
    if (q.arguments.back().contains('\0')) return error_at({}, "a word of 'arguments' has a character 0 in it");
  }
  if (!answers(q.arguments))
    return error_at({}, fmt::format("'{}' is not asked here", q.arguments.front()),
                    "serve answers check, outcomes, explain, refine, relax, prove and others (docs/howto/serve.md)");
  if (std::find(q.arguments.begin(), q.arguments.end(), "-") != q.arguments.end())
    return error_at({}, "standard input has the questions", "give the text in 'files' and its name in 'arguments'");
  if (!j.contains("files")) return q;
  if (!j["files"].is_object()) return error_at({}, "'files' is no object", R"("files":{"mp.litmus":"PTX ..."})");
  for (const auto& [name, text] : j["files"].items()) {
    if (!stays_below(name))
      return error_at({}, fmt::format("'{}' is no name of a file", name), "a relative path without '.' and '..'");
    if (!text.is_string()) return error_at({}, fmt::format("the text of '{}' is no string", name));
    q.files.emplace_back(name, text);
  }
  return q;
}

Expected<void> write_files(const Question& q, const std::string& folder) {
  for (const auto& [name, text] : q.files) {
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    std::error_code failed;
    std::filesystem::create_directories(path.parent_path(), failed);
    std::ofstream to(path, std::ios::binary);
    to << text;
    if (!to.flush()) return error_at({}, fmt::format("'{}' cannot be written", name));
  }
  return {};
}

// The child: never returns.
[[noreturn]] void run_question(const Question& q, const std::string& folder, const std::array<int, 2>& ends) {
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing < 0 || ::dup2(nothing, 0) < 0 || ::dup2(ends[0], 1) < 0 || ::dup2(ends[1], 2) < 0 ||
      (!folder.empty() && ::chdir(folder.c_str()) != 0))
    ::_exit(k_exit_internal);
  const Console console = standard_console();
  int code = k_exit_internal;
  try {
    code = run(q.arguments, console);
  } catch (const std::exception& e) {
    console.err(std::string("fencepost: internal error: ") + e.what() + "\n");
  }
  ::_exit(finish_standard_streams() ? code : k_exit_internal);
}

// Both streams to their ends; what is longer than an answer may be is read and dropped.
void gather(std::array<pollfd, 2> from, Said& said) {
  std::array<char, 1 << 16> block;
  const std::array<std::string*, 2> to = {&said.out, &said.err};
  while (from[0].fd >= 0 || from[1].fd >= 0) {
    if (::poll(from.data(), from.size(), -1) < 0 && errno != EINTR) return;
    for (size_t k = 0; k < 2; ++k) {
      if (from[k].fd < 0 || from[k].revents == 0) continue;
      const ssize_t n = ::read(from[k].fd, block.data(), block.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        ::close(from[k].fd);
        from[k].fd = -1;
      } else if (to[k]->size() + static_cast<size_t>(n) <= k_longest_answer) {
        to[k]->append(block.data(), static_cast<size_t>(n));
      } else {
        said.cut = true;
      }
    }
  }
}

Expected<Said> ask(const Question& q) {
  std::optional<ScratchFolder> folder;
  if (!q.files.empty()) {
    folder.emplace();
    if (folder->path().empty()) return error_at({}, "there is no folder for the files");
    if (const auto ok = write_files(q, folder->path()); !ok) return std::unexpected(ok.error());
  }
  int out[2], err[2];
  if (::pipe2(out, O_CLOEXEC) != 0) return error_at({}, "no pipe can be made");
  if (::pipe2(err, O_CLOEXEC) != 0) {
    ::close(out[0]), ::close(out[1]);
    return error_at({}, "no pipe can be made");
  }
  name_scratch();
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    end_with_parent(parent, SIGTERM);
    run_question(q, folder ? folder->path() : "", {out[1], err[1]});
  }
  ::close(out[1]), ::close(err[1]);
  if (child < 0) {
    ::close(out[0]), ::close(err[0]);
    return error_at({}, "no process can be started");
  }
  charge(child, false);
  Said said;
  gather({pollfd{out[0], POLLIN, 0}, pollfd{err[0], POLLIN, 0}}, said);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  discharge(child);
  if (WIFEXITED(status)) said.status = WEXITSTATUS(status);
  return said;
}

// The output as values, where it is JSON, one after the other; null where it is not.
json values_of(const std::string& text) {
  const json whole = json::parse(text, nullptr, false);
  if (!whole.is_discarded()) return json::array({whole});
  json all = json::array();
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    json one = json::parse(text.begin() + static_cast<ptrdiff_t>(at), text.begin() + static_cast<ptrdiff_t>(end),
                           nullptr, false);
    if (one.is_discarded()) return nullptr;
    all.push_back(std::move(one));
    at = end + 1;
  }
  return all;
}

json refusal(const json& id, const Diagnostics& why) {
  std::string words;
  for (const Diagnostic& d : why.list) words += render(d);
  return {{"schema", "fencepost.serve/1"}, {"id", id}, {"status", k_exit_bad_input}, {"messages", words}};
}

json answer_to(const std::string& line) {
  json id;
  const auto q = parse_question(line, id);
  if (!q) return refusal(id, q.error());
  const auto said = ask(*q);
  if (!said) return refusal(id, said.error());
  if (said->cut) {
    return refusal(id, error_at({}, fmt::format("the answer is longer than {} MiB", k_longest_answer >> 20)).error());
  }
  json a = {{"schema", "fencepost.serve/1"}, {"id", q->id}, {"status", said->status}, {"messages", said->err}};
  if (json values = said->out.empty() ? json() : values_of(said->out); values.is_array())
    a["answers"] = std::move(values);
  else
    a["output"] = said->out;
  return a;
}

// The next line without its end, from standard input: nothing at the end of it. A line that is too long is read to its
// end, and `too_long` says so.
class Lines {
 public:
  std::optional<std::string> next(bool& too_long) {
    too_long = false;
    for (;;) {
      if (const size_t end = buffer_.find('\n', looked_); end != std::string::npos) {
        std::string line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        looked_ = 0;
        return line;
      }
      looked_ = buffer_.size();
      if (looked_ > k_longest_line) {
        too_long = true;
        buffer_.clear();
        looked_ = 0;
      }
      std::array<char, 1 << 16> block;
      const ssize_t n = ::read(0, block.data(), block.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        if (buffer_.empty()) return std::nullopt;
        return std::exchange(buffer_, {});
      }
      buffer_.append(block.data(), static_cast<size_t>(n));
    }
  }

 private:
  std::string buffer_;
  size_t looked_ = 0;  // there is no end of a line before it
};

}  // namespace

int run_serve(const CommandLine& line, const Console& console) {
  if (!line.settings.stdio)
    return report_errors(console, error_at({}, "serve needs --stdio", "questions come on standard input").error());
  Lines lines;
  bool too_long = false;
  while (const auto next = lines.next(too_long)) {
    if (next->find_first_not_of(" \t\r") == std::string::npos && !too_long) continue;
    const json a =
        too_long ? refusal(nullptr,
                           error_at({}, fmt::format("the line is longer than {} MiB", k_longest_line >> 20)).error())
                 : answer_to(*next);
    console.out(a.dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
    if (!finish_standard_streams()) return k_exit_internal;
  }
  return k_exit_holds;
}

}  // namespace fencepost::cli
