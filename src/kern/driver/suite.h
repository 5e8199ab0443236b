#pragma once
// `prove --suite DIR`: many kernel files, each by its own header lines, each in a process of its own, so that a file
// that takes the verifier down or runs away costs that file only.
//
// Input: files (launch/header.h), and the words of the command line, which are read behind the words of
// each file's header: `--suite DIR --only-requires` asks every file without its loop invariants.
// Output: one Ran for each file, in their order; a table of them as CSV or JSON.
// Laws: a process that ends without an answer is `crashed` or `out of time`, never a pass.
// Units: seconds of wall clock (`seconds`) and of processor time (`processor_seconds`), for the file as a whole.
// Comparisons go by processor time, which other work on the machine changes little.
#include <string>
#include <vector>

#include "launch/answer.h"

namespace fencepost::driver {

struct Ran {
  std::string file;
  std::string expected;  // "pass", "NOT_ALL_VERIFIED" ...
  std::string verdict;   // verified, refuted, rejected, undecided, crashed, out of time; "": the file has no header
  bool passed = false;
  double seconds = 0, processor_seconds = 0;
  launch::SecondOpinion second;  // --second-opinion
  std::string why;               // it did not pass: in the words of `judge`
  std::string detail;            // the first thing that the verifier said on the error stream
};

// The file itself is at fault: it cannot be read, or its header. That is no verdict.
inline bool bad_input(const Ran& r) { return r.verdict == "rejected" && r.expected.empty(); }

// `jobs` processes at a time. `words`: of the command line, without the suite. `timeout`: seconds of processor time of
// one file, its compilation and its runs included, after which it is not decided; a file that goes on is ended when it
// has used a tenth more. `budget`: seconds of wall time for all files; those that are left are out of time. 0: none.
std::vector<Ran> run_suite(const std::vector<std::string>& files, const std::vector<std::string>& words, uint32_t jobs,
                           double timeout, double budget, launch::AnswerFunction verify);
// One line for each, a heading first; `json`: an array of objects with the same names.
std::string table(const std::vector<Ran>& rows, bool json);
// An earlier table, as `table` writes it (CSV). Errors: another heading, a line of another length.
Expected<std::vector<Ran>> read_table(const std::string& path);
// What changed since: files whose verdict is another one, and the ratio of the times of those with the same verdict.
std::string compare(const std::vector<Ran>& before, const std::vector<Ran>& now);
// Both times of each file, as a scatter plot whose axes bear the names of the tables; marked: another verdict.
std::string plot(const std::vector<Ran>& before, const std::vector<Ran>& now, const std::string& before_name,
                 const std::string& now_name);
// "median 0.020 s, mean 0.056 s, 95th percentile 0.210 s, longest 1.200 s a file"
std::string times(const std::vector<Ran>& rows);

}  // namespace fencepost::driver
