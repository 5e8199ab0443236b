#include "driver/suite.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <map>
#include <new>
#include <sstream>

#include "base/csv.h"
#include "base/printable.h"
#include "base/process.h"
#include "base/read_file.h"
#include "draw/scatter.h"
#include "driver/gate.h"

namespace fencepost::driver {
namespace {

using launch::Answer;
using launch::Ending;

constexpr const char* k_heading = "file,expected,verdict,passed,seconds,processor_seconds,detail";
constexpr char k_separator = '\x1f';
constexpr rlim_t k_memory = rlim_t{6} << 30;  // of one file's process
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool k_memory_is_limited = false;  // the sanitizers reserve terabytes of addresses
#else
constexpr bool k_memory_is_limited = true;
#endif

const char* verdict(const Answer& a) {
  switch (a.exit_code) {
    case 0:
      return "verified";
    case 1:
      return "refuted";
    case 2:
      return "rejected";
    default:
      return "undecided";
  }
}

std::string first_line(const std::string& text) {
  const size_t undecided = text.find("not decided: ");
  const size_t from = undecided == std::string::npos ? 0 : text.rfind('\n', undecided) + 1;
  return text.substr(from, text.find('\n', from) - from);
}

constexpr const char* k_no_header = "no header";
constexpr double k_over = 1.1;     // of the processor time of a file, at which it is ended
constexpr double k_patience = 10;  // seconds of wall time for one of processor time
constexpr double k_at_least = 20;  // of wall time

// In the process of one file: its processor time is spent.
std::atomic<bool> g_spent{false};

void limit_processor_time(double seconds) {
  struct sigaction action{};
  action.sa_handler = [](int) { g_spent.store(true, std::memory_order_relaxed); };
  action.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>(1e6 * (seconds - static_cast<double>(timer.it_value.tv_sec)));
  setitimer(ITIMER_PROF, &timer, nullptr);
}

// What a process that runs has used.
double processor_seconds(pid_t pid) {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

// In the process of its own.
std::string one(const std::string& path, const std::vector<std::string>& words, launch::AnswerFunction verify) {
  const auto say = [](const char* expected, const char* what, bool passed, const std::string& why,
                      const std::string& detail, const launch::SecondOpinion& second = {}) {
    return fmt::format("{1}{0}{2}{0}{3}{0}{4}{0}{5}{0}{6} {7} {8} {9}", k_separator, expected, what, passed ? 1 : 0,
                       why, detail, second.agreed, second.disagreed, second.unanswered, second.seconds);
  };
  const auto file = read_file(path);
  if (!file) return say("", "rejected", false, "the file cannot be read", first_line(render(file.error())));
  const auto header = launch::read_header(*file);
  if (!header) return say("", "rejected", false, "its header is at fault", first_line(render(header.error())));
  if (!*header) return k_no_header;
  Answer a;
  if (auto o = launch::options_of(**header, words); !o) {
    a.exit_code = 2;
    a.ending = Ending::command_line_error;
    for (const Diagnostic& d : o.error().list) a.err += render(d);
  } else {
    o->compat = true;
    o->suite.clear();
    if (o->timeout > 0) {
      limit_processor_time(o->timeout);
      o->spent = &g_spent;
    }
    verify(*o, *file, a);
  }
  const std::string why = judge(**header, a);
  return say(launch::name((*header)->expected), verdict(a), why.empty(), why, first_line(a.err), a.second);
}

struct Child {
  pid_t pid = -1;
  int pipe = -1;
  size_t row = 0;
  std::chrono::steady_clock::time_point begin;
  std::string said;
  bool killed = false;
};

Child start(const std::string& path, const std::vector<std::string>& words, launch::AnswerFunction verify) {
  Child c;
  int ends[2];
  if (pipe(ends) != 0) return c;
  c.begin = std::chrono::steady_clock::now();
  name_scratch();
  const pid_t parent = getpid();
  c.pid = fork();
  if (c.pid == 0) {
    end_with_parent(parent, SIGKILL);
    close(ends[0]);
    const rlimit memory{k_memory, k_memory};
    if (k_memory_is_limited) setrlimit(RLIMIT_AS, &memory);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    // What clang prints of itself is not ours.
    const int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, 1);
    dup2(nothing, 2);
    std::string text;
    try {
      text = one(path, words, verify);
    } catch (const std::bad_alloc&) {
      _exit(77);
    }
    for (size_t at = 0; at < text.size();) {
      const ssize_t n = write(ends[1], text.data() + at, text.size() - at);
      if (n <= 0) _exit(78);
      at += static_cast<size_t>(n);
    }
    _exit(0);
  }
  close(ends[1]);
  if (c.pid > 0) charge(c.pid, false);
  c.pipe = ends[0];
  return c;
}

void finish(Child& c, Ran& row) {
  int status = 0;
  rusage used{};
  wait4(c.pid, &status, 0, &used);
  discharge(c.pid);
  close(c.pipe);
  row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - c.begin).count();
  const auto in_seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  row.processor_seconds = in_seconds(used.ru_utime) + in_seconds(used.ru_stime);
  std::vector<std::string> parts;
  size_t at = 0;
  for (size_t end = c.said.find(k_separator); end != std::string::npos; end = c.said.find(k_separator, at)) {
    parts.push_back(c.said.substr(at, end - at));
    at = end + 1;
  }
  parts.push_back(c.said.substr(at));
  if (parts.size() == 6) {
    std::istringstream counts(parts[5]);
    counts >> row.second.agreed >> row.second.disagreed >> row.second.unanswered >> row.second.seconds;
    row.expected = parts[0];
    row.verdict = parts[1];
    row.passed = parts[2] == "1";
    row.why = parts[3];
    row.detail = parts[4];
    return;
  }
  if (c.said == k_no_header && !c.killed && WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  row.verdict = c.killed ? "out of time" : "crashed";
  row.why = c.killed                                         ? "the time is spent"
            : WIFSIGNALED(status)                            ? fmt::format("signal {}", WTERMSIG(status))
            : WIFEXITED(status) && WEXITSTATUS(status) == 77 ? "the memory is spent"
                                                             : "no answer";
  row.detail = row.why;
}

std::string json_text(const std::string& s) {
  std::string out = "\"";
  for (const char c : printable(s)) {
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + "\"";
}

}  // namespace

std::vector<Ran> run_suite(const std::vector<std::string>& files, const std::vector<std::string>& words, uint32_t jobs,
                           double timeout, double budget, launch::AnswerFunction verify) {
  std::vector<Ran> rows(files.size());
  const auto begin = std::chrono::steady_clock::now();
  const auto since = [](std::chrono::steady_clock::time_point t) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count();
  };
  std::vector<Child> running;
  for (size_t next = 0; next < files.size() || !running.empty();) {
    const bool over = budget > 0 && since(begin) > budget;
    while (next < files.size() && (over || running.size() < std::max(1u, jobs))) {
      rows[next].file = files[next];
      if (over) {
        rows[next].verdict = "out of time";
        rows[next].why = rows[next].detail = "the budget of the suite is spent";
        ++next;
        continue;
      }
      Child c = start(files[next], words, verify);
      c.row = next++;
      if (c.pid < 0) {
        rows[c.row].verdict = "crashed";
        rows[c.row].why = rows[c.row].detail = "no process can be started";
        continue;
      }
      running.push_back(std::move(c));
    }
    std::vector<pollfd> fds;
    for (const Child& c : running) fds.push_back({c.pipe, POLLIN, 0});
    poll(fds.data(), fds.size(), 200);
    for (size_t i = running.size(); i-- > 0;) {
      Child& c = running[i];
      const bool late = timeout > 0 && (processor_seconds(c.pid) > k_over * timeout ||
                                        since(c.begin) > k_patience * timeout + k_at_least);
      if (!c.killed && (late || over)) {
        c.killed = true;
        kill(c.pid, SIGKILL);
      }
      if ((fds[i].revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
      char buffer[4096];
      const ssize_t n = read(c.pipe, buffer, sizeof buffer);
      if (n > 0) {
        c.said.append(buffer, static_cast<size_t>(n));
        continue;
      }
      finish(c, rows[c.row]);
      running.erase(running.begin() + static_cast<ptrdiff_t>(i));
    }
  }
  return rows;
}

std::string table(const std::vector<Ran>& rows, bool json) {
  std::string out = json ? "[" : std::string(k_heading) + "\n";
  bool first = true;
  for (const Ran& r : rows) {
    if (json) {
      out += fmt::format(
          "{}\n  {{\"file\": {}, \"expected\": {}, \"verdict\": {}, \"passed\": {}, \"seconds\": {:.3f}, "
          "\"processor_seconds\": {:.3f}, \"detail\": {}}}",
          first ? "" : ",", json_text(r.file), json_text(r.expected), json_text(r.verdict), r.passed, r.seconds,
          r.processor_seconds, json_text(r.detail));
    } else {
      out += fmt::format("{},{},{},{},{:.3f},{:.3f},{}\n", csv_field(r.file), r.expected, r.verdict,
                         r.passed ? "yes" : "no", r.seconds, r.processor_seconds, csv_field(r.detail));
    }
    first = false;
  }
  return json ? out + "\n]\n" : out;
}

namespace {

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"')
        out.back() += line[++i];
      else
        quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      out.emplace_back();
    } else {
      out.back() += line[i];
    }
  }
  return out;
}

// The same files of both tables.
std::vector<std::pair<const Ran*, const Ran*>> pairs(const std::vector<Ran>& before, const std::vector<Ran>& now) {
  std::map<std::string, const Ran*> by_name;
  for (const Ran& r : before) by_name.emplace(r.file, &r);
  std::vector<std::pair<const Ran*, const Ran*>> out;
  for (const Ran& r : now)
    if (const auto it = by_name.find(r.file); it != by_name.end()) out.emplace_back(it->second, &r);
  return out;
}

}  // namespace

Expected<std::vector<Ran>> read_table(const std::string& path) {
  const auto file = read_file(path);
  if (!file) return std::unexpected(file.error());
  std::vector<Ran> rows;
  std::istringstream lines((*file)->text);
  std::string line;
  if (!std::getline(lines, line) || line != k_heading)
    return error_at({*file, 0, static_cast<uint32_t>(line.size())}, "this is not a table of prove --suite",
                    fmt::format("--table writes one; its first line is {}", k_heading));
  uint32_t at = static_cast<uint32_t>(line.size()) + 1;
  for (; std::getline(lines, line); at += static_cast<uint32_t>(line.size()) + 1) {
    const std::vector<std::string> c = cells(line);
    char *end = nullptr, *engine_end = nullptr;
    Ran r;
    if (c.size() == 7) {
      r = {.file = c[0], .expected = c[1], .verdict = c[2], .passed = c[3] == "yes", .detail = c[6]};
      r.seconds = std::strtod(c[4].c_str(), &end);
      r.processor_seconds = std::strtod(c[5].c_str(), &engine_end);
    }
    if (end == nullptr || *end != 0 || *engine_end != 0 || c[4].empty() || c[5].empty())
      return error_at({*file, at, at + static_cast<uint32_t>(line.size())},
                      "a line of a table has seven cells, two of them times", k_heading);
    rows.push_back(std::move(r));
  }
  return rows;
}

std::string compare(const std::vector<Ran>& before, const std::vector<Ran>& now) {
  std::string out;
  std::vector<double> ratios;
  double sum_before = 0, sum_now = 0;
  size_t differ = 0, faster = 0;
  for (const auto& [b, n] : pairs(before, now)) {
    if (b->verdict != n->verdict) {
      ++differ;
      out += fmt::format("{}: {} before, now {}\n", n->file, b->verdict, n->verdict);
      continue;
    }
    faster += n->processor_seconds < b->processor_seconds ? 1 : 0;
    sum_before += b->processor_seconds;
    sum_now += n->processor_seconds;
    if (b->processor_seconds > 0) ratios.push_back(n->processor_seconds / b->processor_seconds);
  }
  out += fmt::format("{} files in both tables, {} with another verdict\n", ratios.size() + differ, differ);
  if (ratios.empty()) return out;
  std::sort(ratios.begin(), ratios.end());
  return out + fmt::format(
                   "processor time of the others: {:.2f} s before, now {:.2f} s: ratio {:.3f}; median ratio {:.3f}; "
                   "faster now: {}\n",
                   sum_before, sum_now, sum_now / sum_before, ratios[ratios.size() / 2], faster);
}

std::string plot(const std::vector<Ran>& before, const std::vector<Ran>& now, const std::string& before_name,
                 const std::string& now_name) {
  draw::Scatter s{.title = "Processor seconds for each file", .x_label = before_name, .y_label = now_name};
  for (const auto& [b, n] : pairs(before, now))
    s.points.push_back(
        {b->processor_seconds, n->processor_seconds, n->file.substr(n->file.rfind('/') + 1), b->verdict != n->verdict});
  return draw::to_svg(s);
}

std::string times(const std::vector<Ran>& rows) {
  if (rows.empty()) return "";
  std::vector<double> s;
  double sum = 0;
  for (const Ran& r : rows) {
    s.push_back(r.seconds);
    sum += r.seconds;
  }
  std::sort(s.begin(), s.end());
  const auto at = [&](double part) {
    return s[std::min(s.size() - 1, static_cast<size_t>(part * static_cast<double>(s.size())))];
  };
  double processor = 0;
  for (const Ran& r : rows) processor += r.processor_seconds;
  return fmt::format(
      "median {:.3f} s, mean {:.3f} s, 95th percentile {:.3f} s, longest {:.3f} s a file; {:.3f} s of processor time a "
      "file\n",
      at(0.5), sum / static_cast<double>(s.size()), at(0.95), s.back(), processor / static_cast<double>(rows.size()));
}

}  // namespace fencepost::driver
