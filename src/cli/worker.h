#pragma once
// Work in a process of its own, so that what an input can do to a process (more memory than there is, a library that
// aborts, a stack that ends, a loop that looks at no clock) is done to that one. The parent reads files' names and
// prints; parsing and deciding are the worker's. What the worker cannot finish within its limits is `gave up`, exit
// code 3, never an answer.
//
// Time: a test has the budget B from the moment that it is read. Engines look at their job's deadline; a worker that is
// still busy at 1.15 B + 0.6 s is killed, with the compilers that it started (base/process.h). The command as a whole
// has the time T of --total-budget: what is not begun at its end is not begun, and who is busy at 1.15 T + 0.6 s is
// killed. Memory: RLIMIT_DATA, which counts what a process may write and not what it maps; RLIMIT_AS would count the
// text of LLVM and every thread's reserve of addresses. A failed `new` ends the worker at once: no handler of
// exceptions makes an answer of it.
//
// Under --untrusted (cli/untrusted.h) the whole command is one worker's, in_cage(); it starts no others.
//
// Precondition: the calling process has no other thread (fork). Cost: about 0.6 ms for a worker, a third of what a
// small test takes. So the process of a command line that asks about one small litmus test is its own worker
// (in_this_process): it has no tools to start and no reader but ours, and without a budget nobody has to watch it.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/job.h"
#include "cage/cage.h"
#include "cli/console.h"
#include "cli/file_report.h"
#include "cli/options.h"

namespace fencepost::cli {

struct Limits {
  double seconds = 0;   // of one test; 0: none
  uint64_t memory = 0;  // bytes; 0: none
  double budget = 0;    // what --budget says, where a worker does the work of several; 0: `seconds`
  bool each = false;    // `seconds` are the --timeout of all kernels of a file
  double total = 0;     // what --total-budget says; 0: none
  Job::Clock::time_point end = Job::Clock::time_point::max();  // when `total` is over
};
Limits limits_of(const Settings& s);

// "2G", "512M", "none" (0). Nothing: no size.
std::optional<uint64_t> parse_memory(const std::string& text);
std::string memory_text(uint64_t bytes);

// The exit code of `body`, whose output is passed on as it comes. `json`: whoever reads the output wants an object also
// where the worker gave up, which is what the worker has left for that case (if_ended), or an error; `name` is what it
// was at work on.
int in_worker(const Limits& limits, const Console& console, bool json, const std::string& name,
              const std::function<int(const Console&)>& body);

// What a worker may do that works on a stranger's input (cage/cage.h): `seconds` is the wall time of the whole command.
struct Confinement {
  cage::Rules rules;
  Limits limits;
  bool standard_input = false;
  std::function<void()> before;  // in the worker, while it may still open everything: libraries are loaded
};
inline constexpr size_t k_most_output = size_t{16} << 20;  // bytes of an answer under a confinement

// As in_worker, for one worker that is confined; nothing is printed before it has ended by itself, and no answer where
// the input named what lies outside. Exit code 4 where the system cannot confine it: then `body` has not run.
int in_cage(const Confinement& c, const Console& console, bool json, const std::string& name,
            const std::function<int(const Console&)>& body);

// work(i) for 0..n-1 in `processes` workers; taken(i, report) here, in order of i.
void in_workers(size_t n, uint32_t processes, const Limits& limits, const std::function<std::string(size_t)>& name,
                const std::function<FileReport(size_t)>& work, bool json,
                const std::function<void(size_t, FileReport)>& taken, const std::function<void(size_t)>& waiting);

// work() in this process, under the same limits; for the only work of a process that does nothing after it. What would
// end a worker ends the process, which says the same and exits with 3; only of SIGKILL, which a system that has no
// memory sends, nothing is said. No limit of time: limits.seconds is not looked at.
FileReport in_this_process(const Limits& limits, const std::string& name, const std::function<FileReport()>& work,
                           bool json);

// In a worker: a test begins, and so does its budget. The seconds that it has used already: what reading the first test
// of an input took. 0 elsewhere.
double begin_test();

// In a worker: what its report is if the limits end it from here on. k_why_ended in its texts becomes the reason, which
// needs no escape in JSON. Until the next test, the report of its work, or the next one. Of in_worker's the JSON counts
// alone. Nothing elsewhere.
inline constexpr std::string_view k_why_ended = "[why it was ended]";
void if_ended(const FileReport& r);
bool is_worker();

}  // namespace fencepost::cli
