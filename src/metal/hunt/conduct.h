#pragma once
// A hunt: batches of tests through every configuration, judged and kept; then one reduced fault for each signature.
//
// Signature: effect, family of the instruction and what the compiler knew of its address, so that a form which fails
// in 50 types and scopes is a few lines, not 50 (signature_of).
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/job.h"
#include "hunt/fill.h"
#include "hunt/gate.h"
#include "hunt/ledger.h"
#include "hunt/toolchain.h"

namespace fencepost::hunt {

inline constexpr uint64_t k_batch = 200;  // tests of a module

struct Plan {
  std::vector<Configuration> configurations;
  uint64_t seed = 1, tests = 1000;  // whole batches: rounded up
  uint32_t threads = 1;
};
// Batches that the store lacks, until all are there or the job is out of time. False: time is out.
Expected<bool> fill(Ledger& ledger, const Plan& plan, const Job& job, const Told& told);
// Reduces the first test of each signature that the store lacks, and tries it in all configurations.
Expected<void> reduce_all(Ledger& ledger, const Plan& plan, const Job& job);

// One test in one configuration, kept nowhere.
struct Judged {
  std::string verdict;  // "right", "weakened", "fault", "named", "refused", "failed"
  std::string message;  // of a refusal or failure
  std::vector<Finding> findings;
  std::string listing;  // record (machine.h)
};
Judged judge_in(const Configuration& c, const PtxTest& test);

// What a report keeps of a test: its text, its target and the record of its machine code (machine.h), one after the
// other, a line for each of the first two. Errors name what is not so.
std::string recorded(const std::string& test, const std::string& target, const std::string& listing);
struct Recorded {
  PtxTest test;
  std::string target;
  Judged judged;
};
Expected<Recorded> judge_recorded(const std::string& text);

std::string signature_of(const std::string& effect, const Instruction& culprit);
// What is known of a known fault beside the program that shows it. "" for nothing.
struct KnownFault {
  // What a device showed, by which program (programs.h), and the argument of that program.
  const char *text = "", *program = "", *launches = "";
  const char* limits = "";  // a list: which compilers, levels and neighbouring forms were tried, and what came out
  const char *title = "", *cause = "";  // the end of the title; why it is wrong, or what the compiler does
  const char* unlisted = "";            // what is seen where the disassembler prints no listing
  const char* also = "";                // a neighbouring test with the same fault, for the folder
  const char* right = "";   // where it is right beyond the table of a hunt, a sentence that begins with the target
  const char* litmus = "";  // the test whose litmus tests a device ran
};
// Of the fault that known_fault says. `effect`: its name; a lost acquire and a lost release were measured apart.
KnownFault facts_of(const std::string& known, const std::string& effect);
// What BUGS-FOUND.md knows of a fault of this reduced test, "" for nothing. `culprit`: index of the instruction.
std::string known_fault(const std::string& effect, const PtxTest& test, size_t culprit,
                        const std::string& configuration);

}  // namespace fencepost::hunt
