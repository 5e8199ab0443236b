#include "cli/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "base/job.h"
#include "base/printable.h"
#include "base/process.h"
#include "cli/output.h"

namespace fencepost::cli {
namespace {

constexpr int k_no_memory = 77;  // exit status of a worker that has run out of it
constexpr int k_no_cage = 78;    // exit status of a worker that could not be confined
constexpr rlim_t k_stack =
    rlim_t{100} << 20;  // the kernel leaves at least 128 MiB of addresses for the first thread's stack
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool k_memory_is_limited = false;  // the sanitizers reserve terabytes of addresses
#else
constexpr bool k_memory_is_limited = true;
#endif

using Clock = Job::Clock;

// ---- the worker's side -----------------------------------------------------------------------------------

enum class Kind : char { out = 'o', err = 'e', test = 't', exit = 'x', report = 'r', last = 'l' };

struct Side {  // of this process, when it is a worker
  int to = -1;
  bool caged = false;
  bool first = true;
  Clock::time_point begin;
  std::mutex writing;
} side;

void write_whole(int to, const char* data, size_t n) {
  while (n > 0) {
    const ssize_t done = ::write(to, data, n);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) ::_exit(3);  // nobody listens
    data += done;
    n -= static_cast<size_t>(done);
  }
}

void say(Kind kind, std::string_view text) {
  const std::lock_guard lock(side.writing);
  std::array<char, 9> head{static_cast<char>(kind)};
  const uint64_t size = text.size();
  std::memcpy(head.data() + 1, &size, sizeof size);
  write_whole(side.to, head.data(), head.size());
  write_whole(side.to, text.data(), text.size());
}

void put(std::string& to, const std::string& text) {
  const uint64_t size = text.size();
  to.append(reinterpret_cast<const char*>(&size), sizeof size);
  to += text;
}

std::string packed(const FileReport& r) {
  std::string out(1, static_cast<char>(r.code));
  for (const std::string* text : {&r.out, &r.err, &r.saved}) put(out, *text);
  for (const std::string& j : r.json) put(out, j);
  return out;
}

FileReport unpacked(const std::string& text) {
  FileReport r;
  r.code = text.at(0);
  size_t at = 1;
  const auto next = [&] {
    uint64_t size = 0;
    std::memcpy(&size, text.data() + at, sizeof size);
    at += sizeof size + size;
    return text.substr(at - size, size);
  };
  for (std::string* to : {&r.out, &r.err, &r.saved}) *to = next();
  while (at < text.size()) r.json.push_back(next());
  return r;
}

void limit(int what, rlim_t most) {
  rlimit now{};
  if (::getrlimit(what, &now) != 0) return;
  now.rlim_cur = now.rlim_max == RLIM_INFINITY ? most : std::min(now.rlim_max, most);
  ::setrlimit(what, &now);
}

void limit_this_process(const Limits& limits) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_STACK, k_stack);
  if (limits.memory > 0 && k_memory_is_limited) limit(RLIMIT_DATA, limits.memory);
}

void become_worker(const Limits& limits, int to) {
  side.to = to;
  side.first = true;
  side.begin = Clock::now();
  limit_this_process(limits);
  // Relations of large launches are given back and asked for again thousands of times: a quarter of their time went to
  // the system, which takes memory away and clears it again. A small test touches a few pages more (in_this_process).
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
  std::set_new_handler([] { ::_exit(k_no_memory); });
}

// ---- the parent's side -----------------------------------------------------------------------------------

struct Worker {
  pid_t pid = -1;
  int from = -1, to = -1;
  std::string held;
  Clock::time_point since;  // the test at hand
  std::optional<size_t> at;
  std::optional<FileReport> last;  // what it leaves if it is ended (if_ended)
};

// `body` gets the end on which it is told what to do.
Worker start(const Limits& limits, const std::vector<Worker>& others, const std::function<void(int from)>& body) {
  Worker w;
  int up[2], down[2];
  if (::pipe2(up, O_CLOEXEC) != 0) return w;
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, down) != 0) {
    ::close(up[0]), ::close(up[1]);
    return w;
  }
  std::fflush(nullptr);  // what is buffered here must not be written twice
  name_scratch();
  const pid_t parent = ::getpid();
  w.pid = ::fork();
  if (w.pid == 0) {
    end_with_parent(parent, SIGKILL);
    ::close(up[0]), ::close(down[1]);
    for (const Worker& o : others)
      for (const int fd : {o.from, o.to})
        if (fd >= 0) ::close(fd);
    become_worker(limits, up[1]);
    body(down[0]);
    std::fflush(nullptr);
    ::_exit(0);
  }
  ::close(up[1]), ::close(down[0]);
  if (w.pid < 0) {
    ::close(up[0]), ::close(down[1]);
    return w;
  }
  charge(w.pid, false);
  w.from = up[0];
  w.to = down[1];
  w.since = Clock::now();
  return w;
}

int stop(Worker& w, bool kill) {
  if (kill) ::kill(w.pid, SIGKILL);
  int status = 0;
  while (::waitpid(w.pid, &status, 0) < 0 && errno == EINTR) {
  }
  discharge(w.pid);
  ::close(w.from), ::close(w.to);
  w.pid = w.from = w.to = -1;
  w.held.clear();
  return status;
}

// The next whole message, if one is there.
std::optional<std::pair<Kind, std::string>> message(Worker& w) {
  constexpr size_t k_head = 9;
  if (w.held.size() < k_head) return std::nullopt;
  uint64_t size = 0;
  std::memcpy(&size, w.held.data() + 1, sizeof size);
  if (w.held.size() - k_head < size) return std::nullopt;
  std::pair out{static_cast<Kind>(w.held[0]), w.held.substr(k_head, size)};
  w.held.erase(0, k_head + size);
  return out;
}

// False: the worker has closed its end.
bool hear(Worker& w) {
  std::array<char, 65536> buffer;
  const ssize_t n = ::read(w.from, buffer.data(), buffer.size());
  if (n < 0 && errno == EINTR) return true;
  if (n <= 0) return false;
  w.held.append(buffer.data(), static_cast<size_t>(n));
  return true;
}

bool is_late(const Worker& w, const Limits& limits) {
  const auto now = Clock::now();
  return (limits.seconds > 0 && std::chrono::duration<double>(now - w.since).count() > 1.15 * limits.seconds + 0.6) ||
         (limits.total > 0 && std::chrono::duration<double>(now - limits.end).count() > 0.15 * limits.total + 0.6);
}
int patience(const Limits& limits) { return limits.seconds > 0 || limits.total > 0 ? 20 : 200; }  // milliseconds

// What the time of --total-budget has been given to is over.
bool is_over(const Limits& limits) { return limits.total > 0 && Clock::now() >= limits.end; }

// "the --budget of 5 s is spent": of somebody who was late.
std::string time_is_spent(const Limits& limits) {
  if (limits.each && !is_over(limits))
    return fmt::format("the --timeout of its kernels, {:g} s in all, is spent", limits.seconds);
  return is_over(limits)
             ? fmt::format("the --total-budget of {:g} s is spent", limits.total)
             : fmt::format("the --budget of {:g} s is spent", limits.budget > 0 ? limits.budget : limits.seconds);
}

std::string gave_up_on(const std::string& name) {
  return name.empty() ? "gave up" : fmt::format("'{}': gave up", name);
}
std::string memory_of(const Limits& limits) {
  return limits.memory > 0 ? fmt::format("the --memory of {}", memory_text(limits.memory)) : "no limit of memory";
}

Diagnostics out_of_memory(const Limits& limits, const std::string& name) {
  return unsupported_at({}, fmt::format("{}: {} is spent", gave_up_on(name), memory_of(limits)),
                        "a larger --memory may do")
      .error();
}

// `end`: "signal 11 (Segmentation fault)"
Diagnostics ended_by(const Limits& limits, const std::string& end, const std::string& name) {
  return unsupported_at({},
                        fmt::format("{}: the process that worked on it ended by {}, under {} and a stack of {}",
                                    gave_up_on(name), end, memory_of(limits), memory_text(k_stack)),
                        "what it had printed is not a whole answer")
      .error();
}

Diagnostics gave_up(const Limits& limits, bool late, int status, const std::string& name) {
  if (late)
    return unsupported_at({}, fmt::format("{}: {}", gave_up_on(name), time_is_spent(limits)),
                          fmt::format("a longer {} may do", is_over(limits) ? "--total-budget"
                                                            : limits.each   ? "--timeout"
                                                                            : "--budget"))
        .error();
  if (WIFEXITED(status) && WEXITSTATUS(status) == k_no_memory) return out_of_memory(limits, name);
  return ended_by(limits,
                  WIFSIGNALED(status) ? fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                                      : fmt::format("status {}", WEXITSTATUS(status)),
                  name);
}

// As above, in a few words: nothing where the process has ended by itself, in whatever way.
std::string limit_that_is_spent(const Limits& limits, bool late, int status) {
  if (late) return time_is_spent(limits);
  return WIFEXITED(status) && WEXITSTATUS(status) == k_no_memory ? memory_of(limits) + " is spent" : "";
}

FileReport with_reason(FileReport r, const std::string& why) {
  const auto put_in = [&](std::string& text) {
    for (size_t at = text.find(k_why_ended); at != std::string::npos; at = text.find(k_why_ended, at + why.size()))
      text.replace(at, k_why_ended.size(), why);
  };
  put_in(r.out), put_in(r.err);
  for (std::string& j : r.json) put_in(j);
  return r;
}

bool is_internal(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == k_exit_internal; }

}  // namespace

bool is_worker() { return side.to >= 0; }

void if_ended(const FileReport& r) {
  if (is_worker()) say(Kind::last, packed(r));
}

double begin_test() {
  if (side.to < 0) return 0;
  const auto now = Clock::now();
  if (std::exchange(side.first, false)) return std::chrono::duration<double>(now - side.begin).count();
  say(Kind::test, "");
  return 0;
}

int in_worker(const Limits& limits, const Console& console, bool json, const std::string& name,
              const std::function<int(const Console&)>& body) {
  if (side.to >= 0) return body(console);  // it is one already
  Worker w = start(limits, {}, [&](int) {
    Console c;
    c.out = [](std::string_view s) { say(Kind::out, s); };
    c.err = [](std::string_view s) { say(Kind::err, s); };
    c.err_is_terminal = console.err_is_terminal;
    int code = k_exit_internal;
    try {
      code = body(c);
    } catch (const OutputLost& lost) {
      say_lost(c, lost);
    } catch (const std::exception& e) {
      c.err(std::string("fencepost: internal error: ") + e.what() + "\n");
    }
    say(Kind::exit, std::string(1, static_cast<char>(code)));
  });
  if (w.pid < 0) return body(console);
  std::optional<int> code;
  bool late = false, printed = false;
  while (true) {
    pollfd p{w.from, POLLIN, 0};
    if (::poll(&p, 1, patience(limits)) > 0 && !hear(w)) break;
    while (const auto m = message(w)) {
      if (m->first == Kind::out) console.out(m->second), printed = true;
      if (m->first == Kind::err) console.err(m->second);
      if (m->first == Kind::test) w.since = Clock::now(), w.last.reset();
      if (m->first == Kind::last) w.last = unpacked(m->second);
      if (m->first == Kind::exit) code = m->second.at(0);
    }
    if (!code && (late = is_late(w, limits))) break;
  }
  const int status = stop(w, late);
  if (code) return *code;
  if (is_internal(status)) return k_exit_internal;
  const Diagnostics why = gave_up(limits, late, status, name);
  for (const Diagnostic& d : why.list) console.err("fencepost: " + render(d));
  if (json && !printed) {
    const std::string limit = limit_that_is_spent(limits, late, status);
    console.out(json_list(w.last && !limit.empty() ? with_reason(std::move(*w.last), limit).json
                                                   : std::vector<std::string>{json_errors(name, why)}));
  }
  return k_exit_undecided;
}

namespace {

// A worker of a pool: it is told numbers, and answers with reports.
void serve(int from, const std::function<FileReport(size_t)>& work) {
  while (true) {
    uint64_t i = 0;
    const ssize_t n = ::read(from, &i, sizeof i);
    if (n < 0 && errno == EINTR) continue;
    if (n != sizeof i) return;
    side.first = true;
    side.begin = Clock::now();
    const FileReport r = said_or_failed([&] { return work(i); });
    say(Kind::report, packed(r));
  }
}

}  // namespace

namespace {

// What a process says that works itself, when it is ended; made before the work, as then nothing can be made any more.
struct Last {
  std::string out, err;  // up to the signal, if it is one
  std::string out_rest, err_rest;
};
struct {
  Last by_signal, by_memory;
} last;

void write_last(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(to, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<size_t>(n));
  }
}

[[noreturn]] void end_here(const Last& l, std::string_view signal) {
  write_last(STDERR_FILENO, l.err);
  write_last(STDERR_FILENO, signal);
  write_last(STDERR_FILENO, l.err_rest);
  write_last(STDOUT_FILENO, l.out);
  if (!l.out.empty()) write_last(STDOUT_FILENO, signal);
  write_last(STDOUT_FILENO, l.out_rest);
  ::_exit(k_exit_undecided);
}

extern "C" void on_fault(int signal) {
  std::array<char, 96> text{};
  char* end = text.data();
  const auto put_text = [&](const char* s) {
    while (*s != 0 && end < text.data() + text.size()) *end++ = *s++;
  };
  const char digits[] = {static_cast<char>('0' + signal / 10), static_cast<char>('0' + signal % 10), 0};
  put_text(signal < 10 ? digits + 1 : digits);
  put_text(" (");
  const char* name = ::sigdescr_np(signal);
  put_text(name != nullptr ? name : "unknown");
  put_text(")");
  end_here(last.by_signal, {text.data(), end});
}

Last last_words(const Diagnostics& why, const std::string& name, bool json, std::string_view placeholder) {
  Last out;
  for (const Diagnostic& d : why.list) out.err += printable("fencepost: " + render(d));
  if (json) out.out = json_list({json_errors(name, why)});
  for (const auto& [text, rest] : {std::pair(&out.err, &out.err_rest), std::pair(&out.out, &out.out_rest)}) {
    const size_t at = placeholder.empty() ? std::string::npos : text->rfind(placeholder);
    if (at == std::string::npos) continue;
    *rest = text->substr(at + placeholder.size());
    text->resize(at);
  }
  return out;
}

}  // namespace

FileReport in_this_process(const Limits& limits, const std::string& name, const std::function<FileReport()>& work,
                           bool json) {
  constexpr std::string_view k_signal = "[?]";
  last.by_signal = last_words(ended_by(limits, fmt::format("signal {}", k_signal), name), name, json, k_signal);
  last.by_memory = last_words(out_of_memory(limits, name), name, json, {});
  std::set_new_handler([] { end_here(last.by_memory, {}); });
  alignas(16) static std::array<char, 16384> stack;  // for the handler, where the other one has ended
  const stack_t other{stack.data(), 0, stack.size()};
  ::sigaltstack(&other, nullptr);
  struct sigaction action{};
  action.sa_handler = on_fault;
  action.sa_flags = SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  for (const int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::sigaction(s, &action, nullptr);
  limit_this_process(limits);
  return said_or_failed(work);
}

namespace {

// The worker's side of in_cage. Never returns.
[[noreturn]] void work_in_cage(const Confinement& c, int broker, const std::function<int(const Console&)>& body) {
  Console console;
  console.out = [](std::string_view s) { say(Kind::out, s); };
  console.err = [](std::string_view s) { say(Kind::err, s); };
  int code = k_exit_internal;
  try {
    if (c.before) c.before();
    side.caged = true;
    const cage::Limits limits{.processor_seconds = static_cast<uint64_t>(c.limits.seconds) + 2};
    if (const auto why = cage::enter(limits, broker, {side.to}, c.standard_input)) {
      console.err(*why);
      ::_exit(k_no_cage);
    }
    code = body(console);
  } catch (const OutputLost& lost) {
    say_lost(console, lost);
  } catch (const std::exception& e) {
    console.err(std::string("fencepost: internal error: ") + e.what() + "\n");
  }
  say(Kind::exit, std::string(1, static_cast<char>(code)));
  ::_exit(0);
}

// What is said of places outside, where the answer may hang on them.
std::string outside_text(const cage::Broker& broker) {
  std::string out;
  for (const std::string& path : broker.refused())
    out += fmt::format("fencepost: note: --untrusted: {} is outside the input's folder, and was not opened\n",
                       printable_name(path));
  if (broker.too_large())
    out += fmt::format("fencepost: note: --untrusted: inputs have at most {} MiB together\n", cage::k_most_input >> 20);
  return out;
}

enum class Held : uint8_t { whole, too_large, late, unreadable };

// Standard input up to its end, in a file in its place: so it is counted before anybody reads in it.
Held hold_standard_input(uint64_t most, double seconds) {
  const int file = ::memfd_create("standard input", MFD_CLOEXEC);
  if (file < 0) return Held::unreadable;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  std::vector<char> block(1 << 16);
  for (uint64_t size = 0;;) {
    pollfd p{STDIN_FILENO, POLLIN, 0};
    const int ready = ::poll(&p, 1, 100);
    if (Clock::now() > end) return Held::late;
    if (ready <= 0) continue;
    const ssize_t n = ::read(STDIN_FILENO, block.data(), block.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0) return Held::unreadable;
    if (n == 0) break;
    if ((size += static_cast<uint64_t>(n)) > most) return Held::too_large;
    write_whole(file, block.data(), static_cast<size_t>(n));
  }
  const bool there = ::lseek(file, 0, SEEK_SET) == 0 && ::dup2(file, STDIN_FILENO) == STDIN_FILENO;
  ::close(file);
  return there ? Held::whole : Held::unreadable;
}

}  // namespace

int in_cage(const Confinement& c, const Console& console, bool json, const std::string& name,
            const std::function<int(const Console&)>& body) {
  if (c.standard_input) switch (hold_standard_input(c.rules.most_input, c.limits.seconds)) {
      case Held::whole:
        break;
      case Held::too_large:
        console.err(fmt::format("fencepost: error: --untrusted: standard input is longer than {} MiB\n",
                                c.rules.most_input >> 20));
        return k_exit_bad_input;
      case Held::late:
        console.err("fencepost: error: --untrusted: standard input did not end in time\n");
        return k_exit_undecided;
      case Held::unreadable:
        console.err("fencepost: error: standard input cannot be read\n");
        return k_exit_bad_input;
    }
  const auto cannot = [&](const std::string& why) {
    console.err(
        fmt::format("fencepost: --untrusted: the process that reads the input cannot be confined: {}\n"
                    "     = hint: nothing was read; docs/untrusted.md says what the system must have\n",
                    why));
    return k_exit_internal;
  };
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return cannot(std::strerror(errno));
  cage::Broker broker(c.rules, ends[0]);
  Worker w = start(c.limits, {}, [&](int) {
    ::close(ends[0]);
    work_in_cage(c, ends[1], body);
  });
  ::close(ends[1]);
  if (w.pid < 0) {
    ::close(ends[0]);
    return cannot("no process can be started");
  }
  const auto end = w.since + std::chrono::duration_cast<Clock::duration>(
                                 std::chrono::duration<double>(1.15 * c.limits.seconds + 0.6));
  std::string out, err;
  std::optional<int> code;
  bool late = false, long_winded = false, open = true, asks = true;
  while (open && !late && !long_winded) {
    std::array<pollfd, 2> fds{pollfd{w.from, POLLIN, 0}, pollfd{asks ? ends[0] : -1, POLLIN, 0}};
    ::poll(fds.data(), fds.size(), 20);
    if (fds[1].revents != 0) asks = broker.answer();
    if (fds[0].revents != 0) open = hear(w);
    while (const auto m = message(w)) {
      if (m->first == Kind::out) out += m->second;
      if (m->first == Kind::err) err += m->second;
      if (m->first == Kind::exit && m->second.size() == 1) code = m->second[0];
    }
    long_winded = out.size() + err.size() + w.held.size() > k_most_output;
    late = !code && Clock::now() > end;
  }
  // Also where it has closed its end: it need not have ended. The status of one that has is not changed by the signal.
  const int status = stop(w, true);
  ::close(ends[0]);
  if (WIFEXITED(status) && WEXITSTATUS(status) == k_no_cage) return cannot(err);
  if (code && !long_winded && *code >= k_exit_holds && *code <= k_exit_internal) {
    console.err(err);
    console.err(outside_text(broker));
    // Where a part of the input was not there, what is said of the rest is not said of the input: a missing header is a
    // warning only, where nothing seems to come from it.
    if (*code <= k_exit_fails && !broker.refused().empty()) {
      const Diagnostics why =
          unsupported_at({}, fmt::format("{}: not all that the input names was read", gave_up_on(name))).error();
      for (const Diagnostic& d : why.list) console.err("fencepost: " + render(d));
      if (json) console.out(json_list({json_errors(name, why)}));
      return k_exit_undecided;
    }
    console.out(out);
    return *code;
  }
  Diagnostics why = gave_up(c.limits, late, status, name);
  if (long_winded)
    why = unsupported_at({}, fmt::format("{}: the answer is longer than {} MiB", gave_up_on(name), k_most_output >> 20))
              .error();
  else if (!late && WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
    why = unsupported_at(
              {},
              fmt::format("{}: it made a system call that --untrusted does not allow, and was ended", gave_up_on(name)),
              "what it wants is not there under --untrusted, or its input attacks it")
              .error();
  for (const Diagnostic& d : why.list) console.err("fencepost: " + render(d));
  if (json) console.out(json_list({json_errors(name, why)}));
  return k_exit_undecided;
}

void in_workers(size_t n, uint32_t processes, const Limits& limits, const std::function<std::string(size_t)>& name,
                const std::function<FileReport(size_t)>& work, bool json,
                const std::function<void(size_t, FileReport)>& taken, const std::function<void(size_t)>& waiting) {
  if (side.caged) {
    for (size_t i = 0; i < n; ++i) taken(i, said_or_failed([&] { return work(i); }));
    return;
  }
  std::vector<Worker> pool(std::min<size_t>(std::max(1u, processes), n));
  std::map<size_t, FileReport> ready;
  size_t next = 0, emitted = 0;
  const auto not_done = [&](size_t i, bool late, int status) {
    FileReport r;
    const Diagnostics why = gave_up(limits, late, status, name(i));
    for (const Diagnostic& d : why.list) r.err += "fencepost: " + render(d);
    if (json) r.json.push_back(json_errors(name(i), why));
    r.code = k_exit_undecided;
    return r;
  };
  const auto ended = [&](Worker& w, bool late) {
    const std::optional<size_t> at = std::exchange(w.at, std::nullopt);
    const int status = stop(w, late);
    if (!at) return;
    FileReport r;
    const std::optional<FileReport> left = std::exchange(w.last, std::nullopt);
    const std::string limit = limit_that_is_spent(limits, late, status);
    if (is_internal(status)) {
      r.code = k_exit_internal;
    } else if (left && !limit.empty()) {
      r = with_reason(*left, limit);
    } else {
      r = not_done(*at, late, status);
    }
    ready[*at] = std::move(r);
  };
  const auto give = [&](Worker& w) {
    while (next < n && is_over(limits)) {
      ready[next] = not_done(next, true, 0);
      ++next;
    }
    if (w.at || next == n) return;
    if (w.pid < 0) w = start(limits, pool, [&](int from) { serve(from, work); });
    if (w.pid < 0) {  // no process can be had: here, then
      ready[next] = work(next);
      ++next;
      return;
    }
    const uint64_t i = next++;
    w.at = i;
    w.since = Clock::now();
    // A worker that is gone already is heard of below.
    static_cast<void>(::send(w.to, &i, sizeof i, MSG_NOSIGNAL));
  };
  while (emitted < n) {
    for (Worker& w : pool) give(w);
    std::vector<pollfd> fds;
    for (const Worker& w : pool) fds.push_back({w.at ? w.from : -1, POLLIN, 0});
    if (!ready.contains(emitted)) ::poll(fds.data(), fds.size(), patience(limits));
    for (size_t k = 0; k < pool.size(); ++k) {
      Worker& w = pool[k];
      if (!w.at) continue;
      if (fds[k].revents != 0 && !hear(w)) {
        ended(w, false);
        continue;
      }
      while (const auto m = message(w)) {
        if (m->first == Kind::test) w.since = Clock::now();
        if (m->first == Kind::last) w.last = unpacked(m->second);
        if (m->first == Kind::report) {
          w.last.reset();
          ready[*std::exchange(w.at, std::nullopt)] = unpacked(m->second);
        }
      }
      if (w.at && is_late(w, limits)) ended(w, true);
    }
    for (auto it = ready.find(emitted); it != ready.end(); it = ready.find(emitted)) {
      FileReport r = std::move(it->second);
      ready.erase(it);
      taken(emitted++, std::move(r));
    }
    waiting(emitted);
  }
  for (Worker& w : pool)
    if (w.pid >= 0) {
      ::close(w.to);
      w.to = -1;
      stop(w, true);
    }
}

}  // namespace fencepost::cli
