#pragma once
// A hunt for programs that a compiler gives outcomes which their source has not: batches through every configuration,
// judged and kept, then one reduced fault for each signature.
//
// Signature: compiler, kind of operation, its order and its spelling ("clang update.release.builtin"). The operation
// that is at fault is the one whose other spelling makes the reduced program right; if there is none, the fault is the
// program's. Every other program that fails is compiled once more with what is at fault spelt otherwise: if it is right
// then, the signature explains it. So a fault that hits one program in three is a line, and does not hide another.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/job.h"
#include "hunt/fill.h"
#include "translation/reduce.h"

namespace fencepost::translation {

inline constexpr uint64_t k_batch = 100;  // programs of a file

struct Plan {
  std::vector<Configuration> configurations;
  uint64_t seed = 1, tests = 1000;  // whole batches: rounded up
  uint32_t threads = 1;
  double seconds = 20;  // for one program
};

// Batches that the store lacks, until all are there or the job is out of time. False: time is out.
Expected<bool> fill(hunt::Ledger& ledger, const Plan& plan, const Job& job, const hunt::Told& told);
// Reduces faults until each program that fails has a signature, or the job is out of time.
Expected<void> explain_faults(hunt::Ledger& ledger, const Plan& plan, const Job& job);

std::string signature_of(const Configuration& c, const Statement& culprit);
// What BUGS-FOUND.md knows of it, "" for nothing.
std::string known_fault(const Configuration& c, const Statement& culprit);
// A section of the report of a known fault, as known_fault says it: a program of one line, where the fault lies, how
// far it goes, where it is mended. "" for nothing.
std::string known_note(const std::string& known);
// A sentence that says in which version the compiler was repaired; "" if no repair is known.
std::string known_mended(const std::string& known);

}  // namespace fencepost::translation
