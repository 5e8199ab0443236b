#pragma once
// Internal to the room: one kernel at one launch, decided. The prover is asked, the kernel is run against its answer
// (attack.h), what was found is looked for in a run (service.h), and then the reasons are gone through for which a
// proof does not count: no two threads meet the preconditions, the host launches the kernel otherwise, a part of the
// text is compiled elsewhere, or --strict or the model do not grant what the proof takes for granted. A reason makes
// the row `unknown`, with the reason as a sentence.
//
// Callers come before those that they call: a function that is called is asked about at the arguments that calls were
// seen to have.
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "clangfe/clangfe.h"
#include "flow/effects.h"
#include "formula/second.h"
#include "prove/prove.h"
#include "verifier/report.h"
#include "verifier/rows.h"
#include "verifier/strict.h"
#include "verifier/understand.h"

namespace fencepost::verifier {

// What all rows of a file have in common. `begin`: of the command; --budget counts from there.
struct FileInput {
  const Source& file;
  const clangfe::Unit& unit;
  const Beside& beside;
  const flow::Effects& effects;
  std::vector<prove::Axiom> axioms;         // of --axioms
  std::shared_ptr<formula::Second> second;  // null: no other solver is asked
  std::chrono::steady_clock::time_point begin;
};

const clangfe::HostKernel* host_kernel(const clangfe::Unit& unit, const ir::Function& f);

class Decider {
 public:
  explicit Decider(FileInput in) : in_(std::move(in)) {}
  // All rows are named before the first is decided: a kernel puts back a counter in each of its launches, or not.
  void asked(const std::string& symbol) { handed_on_.asked(symbol); }
  // `row`: any number of the caller's, under which `broken` has it.
  KernelReport decide(size_t row, ir::FunctionId f, const Question& question);
  // When all are decided: rows whose proof rests on what another kernel does not do, and why.
  std::vector<std::pair<size_t, std::string>> broken() const { return handed_on_.broken(); }

 private:
  friend class Row;
  FileInput in_;
  prove::Contracts contracts_;  // of the functions that were called so far
  HandedOn handed_on_;
};

}  // namespace fencepost::verifier
