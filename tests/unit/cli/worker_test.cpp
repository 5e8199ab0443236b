// What an input can do to a process is done to the worker, and is never an answer.
#include "cli/worker.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace fencepost::cli {
namespace {

struct Said {
  std::string out, err;
  Console console() {
    return {[this](std::string_view s) { out += s; }, [this](std::string_view s) { err += s; }, false};
  }
};

// Memory that is used, lest it be optimised away.
void fill(size_t bytes) {
  std::vector<std::string> all;
  for (size_t n = 0; n < bytes; n += 1 << 20) all.emplace_back(1 << 20, 'x');
}

uint64_t deep(uint64_t n) {
  volatile char room[4096];
  room[n % sizeof room] = static_cast<char>(n);
  return n == 0 ? 0 : deep(n - 1) + static_cast<uint64_t>(room[n % sizeof room]);
}

TEST(Worker, SizesOfMemory) {
  EXPECT_EQ(parse_memory("2G"), uint64_t{2} << 30);
  EXPECT_EQ(parse_memory("512M"), uint64_t{512} << 20);
  EXPECT_EQ(parse_memory("none"), 0u);
  for (const char* bad : {"", "2", "G", "0G", "-1G", "1.5G", "63M", "2g", "2GB", "99999999999G", "999999999G"})
    EXPECT_FALSE(parse_memory(bad)) << bad;
  EXPECT_EQ(memory_text(uint64_t{2} << 30), "2 GiB");
  EXPECT_EQ(memory_text(uint64_t{1536} << 20), "1536 MiB");
}

TEST(Worker, OutputAndStatusArePassedOn) {
  for (const int code : {0, 1, 2, 3, 4}) {
    Said said;
    const int got = in_worker({}, said.console(), false, "a", [&](const Console& c) {
      c.out("one\n");
      c.err("two\n");
      c.out(std::string(200000, 'x'));
      return code;
    });
    EXPECT_EQ(got, code);
    EXPECT_EQ(said.out, "one\n" + std::string(200000, 'x'));
    EXPECT_EQ(said.err, "two\n");
  }
}

TEST(Worker, WhatEndsItIsGaveUp) {
  struct Case {
    std::function<void()> does;
    const char* said;
    double seconds = 300;  // short for one that does not end by itself
  };
  for (const Case& c : {
           Case{[] { std::abort(); }, "ended by signal 6"},
           Case{[] { ::raise(SIGSEGV); }, "ended by signal 11"},
           Case{[] { ::_exit(0); }, "ended by status 0"},
           Case{[] { std::this_thread::sleep_for(std::chrono::hours(1)); }, "the --budget of 0.2 s is spent", 0.2},
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
           Case{[] { fill(size_t{1} << 30); }, "the --memory of 128 MiB is spent"},
           Case{[] {
                  try {  // a library that makes an answer of every exception
                    fill(size_t{1} << 30);
                  } catch (...) {
                    ::_exit(0);
                  }
                },
                "the --memory of 128 MiB is spent"},
           Case{[] { std::thread([] { fill(size_t{1} << 30); }).join(); }, "the --memory of 128 MiB is spent"},
           Case{[] { deep(1 << 20); }, "ended by signal 11"},
#endif
       }) {
    for (const bool json : {false, true}) {
      Said said;
      const int got =
          in_worker({c.seconds, uint64_t{128} << 20}, said.console(), json, "a.litmus", [&](const Console&) {
            c.does();
            return 0;
          });
      EXPECT_EQ(got, 3) << c.said;
      EXPECT_NE(said.err.find(c.said), std::string::npos) << said.err;
      EXPECT_EQ(said.out.find("\"fencepost.error/1\"") != std::string::npos, json) << said.out;
    }
  }
}

// What a worker of a pool leaves for that case takes the place of an error; only until its report. The budget in words
// is the one that was given, where the worker has the time of several.
TEST(Worker, WhatItLeavesIsItsReport) {
  const auto name = [](size_t) { return std::string("a.cu"); };
  std::vector<FileReport> got;
  const auto work = [](size_t i) {
    FileReport r;
    r.json = {"{\"detail\": \"" + std::string(k_why_ended) + "\"}"};
    r.out = "gave_up: " + std::string(k_why_ended);
    r.code = k_exit_undecided;
    if (i != 1) if_ended(r);
    if (i < 2) std::this_thread::sleep_for(std::chrono::hours(1));
    return FileReport{"done", "", {}, k_exit_holds, ""};
  };
  in_workers(
      3, 1, {0.2, 0, 0.1}, name, work, true, [&](size_t, FileReport r) { got.push_back(std::move(r)); }, [](size_t) {});
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[0].json, std::vector<std::string>{"{\"detail\": \"the --budget of 0.1 s is spent\"}"});
  EXPECT_EQ(got[0].out, "gave_up: the --budget of 0.1 s is spent");
  EXPECT_EQ(got[0].err, "");
  EXPECT_EQ(got[0].code, k_exit_undecided);
  EXPECT_NE(got[1].json.at(0).find("fencepost.error/1"), std::string::npos);
  EXPECT_NE(got[1].err.find("the --budget of 0.1 s is spent"), std::string::npos) << got[1].err;
  EXPECT_EQ(got[2].out, "done");
  EXPECT_EQ(got[2].code, k_exit_holds);
}

// Behind the end of the command nothing is begun, and the budget that is spent is named.
TEST(Worker, NothingIsBegunBehindTheEndOfTheCommand) {
  const Limits over{.total = 7, .end = Job::Clock::now() - std::chrono::hours(1)};
  std::vector<FileReport> got;
  in_workers(
      3, 2, over, [](size_t i) { return "t" + std::to_string(i); },
      [](size_t) { return FileReport{"done", "", {}, k_exit_holds, ""}; }, true,
      [&](size_t, FileReport r) { got.push_back(std::move(r)); }, [](size_t) {});
  ASSERT_EQ(got.size(), 3u);
  for (const FileReport& r : got) {
    EXPECT_EQ(r.out, "");
    EXPECT_EQ(r.code, k_exit_undecided);
    EXPECT_NE(r.err.find("the --total-budget of 7 s is spent"), std::string::npos) << r.err;
    EXPECT_NE(r.json.at(0).find("the --total-budget of 7 s is spent"), std::string::npos);
  }
  Said said;
  const int code = in_worker(over, said.console(), false, "a", [](const Console&) {
    std::this_thread::sleep_for(std::chrono::hours(1));
    return 0;
  });
  EXPECT_EQ(code, k_exit_undecided);
  EXPECT_NE(said.err.find("the --total-budget of 7 s is spent"), std::string::npos) << said.err;
}

// The same of a verb that is one worker's: its JSON takes the place of an error's where a limit ends it, and only there
// (an end by a signal is an error).
TEST(Worker, WhatAVerbLeavesIsItsJson) {
  const FileReport left{.json = {fmt::format("{{\"detail\": \"{}\"}}\n", k_why_ended)}, .code = k_exit_undecided};
  const auto ended = [&](const std::function<void()>& by) {
    Said said;
    EXPECT_EQ(in_worker({0.2, uint64_t{128} << 20}, said.console(), true, "a.litmus",
                        [&](const Console&) {
                          if_ended(left);
                          by();
                          return 0;
                        }),
              k_exit_undecided);
    return said;
  };
  const Said late = ended([] { std::this_thread::sleep_for(std::chrono::hours(1)); });
  EXPECT_EQ(late.out, "{\"detail\": \"the --budget of 0.2 s is spent\"}\n");
  EXPECT_NE(late.err.find("the --budget of 0.2 s is spent"), std::string::npos) << late.err;
  EXPECT_NE(ended([] { ::raise(SIGKILL); }).out.find("fencepost.error/1"), std::string::npos);
  EXPECT_NE(ended([] {
              begin_test();
              begin_test();  // the next one: what was left is of the one before
              std::this_thread::sleep_for(std::chrono::hours(1));
            }).out.find("fencepost.error/1"),
            std::string::npos);
}

// What a process says and exits with that is its own worker.
struct Alone {
  std::string out, err;
  int code = -1;
};
Alone alone(const Limits& limits, bool json, const std::function<FileReport()>& work) {
  int out[2], err[2];
  EXPECT_EQ(::pipe(out), 0);
  EXPECT_EQ(::pipe(err), 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    for (const int fd : {out[0], out[1], err[0], err[1]}) ::close(fd);
    const FileReport r = in_this_process(limits, "a.litmus", work, json);
    for (const auto& [to, text] : {std::pair(STDOUT_FILENO, &r.out), std::pair(STDERR_FILENO, &r.err)})
      if (::write(to, text->data(), text->size()) < 0) ::_exit(99);
    ::_exit(r.code);
  }
  ::close(out[1]), ::close(err[1]);
  Alone a;
  const auto all = [](int fd, std::string& text) {
    char buffer[4096];
    for (ssize_t n = 0; (n = ::read(fd, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(n));
    ::close(fd);
  };
  all(err[0], a.err);
  all(out[0], a.out);
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (WIFEXITED(status)) a.code = WEXITSTATUS(status);
  return a;
}

TEST(Worker, AProcessThatWorksItselfSaysTheSame) {
  const Limits limits{0, uint64_t{128} << 20};
  for (const std::function<void()>& does : std::vector<std::function<void()>>{
           [] { std::abort(); },
           [] { ::raise(SIGSEGV); },
           [] { ::raise(SIGFPE); },
           [] { ::raise(SIGBUS); },
           [] { ::raise(SIGILL); },
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
           [] { fill(size_t{1} << 30); },
           [] {
             try {
               fill(size_t{1} << 30);
             } catch (...) {
               ::_exit(0);
             }
           },
           [] { deep(1 << 20); },
#endif
       })
    for (const bool json : {false, true}) {
      Said said;
      const int code = in_worker(limits, said.console(), json, "a.litmus", [&](const Console&) {
        does();
        return 0;
      });
      const Alone a = alone(limits, json, [&] {
        does();
        return FileReport{};
      });
      EXPECT_EQ(a.code, code);
      EXPECT_EQ(a.err, said.err);
      EXPECT_EQ(a.out, said.out);
    }
  const Alone thrown = alone(limits, false, []() -> FileReport { throw std::runtime_error("a fault of ours"); });
  EXPECT_EQ(thrown.code, 4);
  EXPECT_EQ(thrown.err, "fencepost: internal error: a fault of ours\n");
  const Alone fine = alone(limits, false, [] {
    FileReport r;
    r.out = "holds";
    r.code = deep(15000) == 1 ? 4 : 0;
    return r;
  });
  EXPECT_EQ(fine.out, "holds");
  EXPECT_EQ(fine.code, 0);
}

TEST(Worker, ADeepStackThatFitsIsNoFault) {
  Said said;
  EXPECT_EQ(in_worker({}, said.console(), false, "", [](const Console&) { return deep(15000) == 1 ? 4 : 0; }), 0);
}

TEST(Worker, APoolLosesOneItemAtATimeAndKeepsTheOrder) {
  for (const uint32_t processes : {1u, 3u}) {
    std::vector<size_t> order;
    std::vector<int> codes;
    in_workers(
        20, processes, {0.3, uint64_t{128} << 20}, [](size_t i) { return "file " + std::to_string(i); },
        [](size_t i) {
          if (i == 3) std::abort();
          if (i == 5) std::this_thread::sleep_for(std::chrono::hours(1));
          if (i == 7) throw std::runtime_error("a fault of ours");
          FileReport r;
          r.out = std::to_string(i);
          r.saved = "s" + r.out;
          r.json = {"a", ""};
          r.code = i == 9 ? 1 : 0;
          return r;
        },
        false,
        [&](size_t i, const FileReport& r) {
          order.push_back(i);
          codes.push_back(r.code);
          if (i == 3 || i == 5)
            EXPECT_NE(r.err.find("'file " + std::to_string(i) + "': gave up"), std::string::npos) << r.err;
          if (r.code > 1) return;
          EXPECT_EQ(r.out, std::to_string(i));
          EXPECT_EQ(r.saved, "s" + r.out);
          EXPECT_EQ(r.json, (std::vector<std::string>{"a", ""}));
        },
        [](size_t) {});
    std::vector<int> expected(20, 0);
    expected[3] = expected[5] = 3;
    expected[7] = 4;
    expected[9] = 1;
    EXPECT_EQ(codes, expected);
    for (size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i);
  }
}

TEST(Worker, TheFirstTestPaysForItsReading) {
  Said said;
  const int got = in_worker({10, 0}, said.console(), false, "", [](const Console&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const double first = begin_test(), second = begin_test();
    return first >= 0.05 && second == 0 ? 0 : 1;
  });
  EXPECT_EQ(got, 0);
  EXPECT_EQ(begin_test(), 0) << "here is not a worker";
}

// What a worker may try that an input has taken over: the parent says that it gave up, soon, and prints nothing of it.
TEST(Worker, OneThatIsConfinedCannotHoldItsParent) {
  // Only one that does not end by itself has a short time: on a busy machine the others would meet that end first.
  constexpr double k_short = 0.3, k_long = 300;  // seconds
  const auto end_of = [](double seconds, const std::function<int(const Console&)>& deed, std::string& err,
                         std::string& out) {
    Confinement c;
    c.limits = {seconds, uint64_t{256} << 20};
    Said said;
    const int code = in_cage(c, said.console(), false, "a.litmus", deed);
    err = said.err;
    out = said.out;
    return code;
  };
  std::string err, out;
  if (end_of(k_long, [](const Console&) { return 0; }, err, out) == k_exit_internal) GTEST_SKIP() << err;
  EXPECT_EQ(end_of(k_long, [](const Console& c) { return c.out("fine"), 1; }, err, out), 1);
  EXPECT_EQ(out, "fine");
  const auto sleep = [] {
    for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
  };
  struct Deed {
    const char* word;
    double seconds;
    std::function<int(const Console&)> deed;
  };
  const std::vector<Deed> deeds = {{"--budget", k_short,
                                    [&](const Console& c) {
                                      c.out("half");
                                      sleep();
                                      return 0;
                                    }},
                                   {"gave up", k_short,
                                    [&](const Console&) {  // it closes its ends, and does not end
                                      for (int fd = 3; fd < 64; ++fd) ::close(fd);
                                      sleep();
                                      return 0;
                                    }},
                                   {"longer than 16 MiB", k_long,
                                    [&](const Console& c) {
                                      for (int i = 0; i < 40; ++i) c.out(std::string(1 << 20, 'x'));
                                      return 0;
                                    }},
                                   {"gave up", k_short,
                                    [&](const Console&) {  // a message that is longer than memory
                                      for (int fd = 3; fd < 64; ++fd)
                                        static_cast<void>(::write(fd, "o\xff\xff\xff\xff\xff\xff\xff\x7f", 9));
                                      sleep();
                                      return 0;
                                    }},
                                   {"gave up", k_short,
                                    [&](const Console&) {  // no message at all
                                      for (int fd = 3; fd < 64; ++fd)
                                        static_cast<void>(::write(fd, "x\0\0\0\0\0\0\0\0", 9));
                                      for (int fd = 3; fd < 64; ++fd)
                                        static_cast<void>(::write(fd, "x\1\0\0\0\0\0\0\0M", 10));
                                      for (int fd = 3; fd < 64; ++fd) static_cast<void>(::write(fd, "x\2\0\0", 4));
                                      for (int fd = 3; fd < 64; ++fd) ::close(fd);
                                      sleep();
                                      return 0;
                                    }},
                                   {"system call", k_long, [&](const Console&) { return ::fork() == 0 ? 0 : 1; }},
                                   {"signal 6", k_long, [&](const Console&) -> int { ::abort(); }},
                                   {"--memory", k_long, [&](const Console&) { return fill(size_t{1} << 30), 0; }}};
  for (const auto& [word, seconds, deed] : deeds) {
    EXPECT_EQ(end_of(seconds, deed, err, out), k_exit_undecided) << word << ": " << err;
    EXPECT_NE(err.find(word), std::string::npos) << word << ": " << err;
    EXPECT_EQ(out, "") << word;
  }
}

}  // namespace
}  // namespace fencepost::cli
