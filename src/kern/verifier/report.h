#pragma once
// What is said about one file, before it has a form. Every form is made of this value:
//   text   for the terminal, findings in the reference's words (text.cpp)
//   json   `fencepost.prove/1`, described in docs/json.md
//   sarif  SARIF 2.1.0 (OASIS): one result for each finding, both threads of a race as flows, for code-scanning viewers
//   html   one page (draw/document.h): the verdict, then every finding with the source lines of both threads
// Lines count from 1; columns count characters (SARIF: code points) from 1, bytes elsewhere.
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/verdict.h"
#include "formula/second.h"
#include "ir/ir.h"
#include "launch/answer.h"
#include "launch/options.h"
#include "prove/prove.h"

namespace fencepost::verifier {

struct FindingReport {
  prove::Finding finding;
  bool confirmed = false;  // a run of the kernel shows it; else it is only possible
  // A race that may be a false alarm: it is worded as possible, never as found.
  bool only_possible() const { return finding.kind == prove::Kind::race && !confirmed; }
  // The numbers are, or may be, of no launch of the file: what its launches give.
  std::string elsewhere;
  std::vector<std::string> given;                   // "pitch = 3 here; the launch at f.cu:3:5 gives `p.pitch`"
  std::string values;                               // races, confirmed: "a write of 3, then a read of 0"
  std::array<std::vector<ir::PlaceId>, 2> sources;  // races: further places of the one or the other access
  std::string title;                                // one sentence
  std::string text;                                 // as the text form has it
};

// A kernel at one launch; or a kernel that was not read.
struct KernelReport {
  ir::FunctionId function;
  std::string name;
  std::string symbol;                              // of a CUDA kernel, mangled
  Span place;                                      // of the kernel; none for OpenCL
  std::optional<Diagnostic> not_read;              // then nothing else is said
  std::shared_ptr<const launch::Options> options;  // with the launch; null: those of the report
  std::vector<Span> launched_at;                   // by the host, in the file
  bool any_size = false;                           // the file launches it nowhere
  bool named_only = false;                         // at these places its name stands, and no launch is seen
  Status status = Status::gave_up;
  bool vacuous = false;                  // no launch meets the requirements
  std::string why;                       // not decided: the reason
  std::string note;                      // verified: how little that says
  bool ends = false;                     // every thread ends by itself (flow/endings.h), if all come to its barriers
  std::vector<std::string> assumptions;  // sentences
  size_t own_assumptions = 0;            // the first of them; the others are of all kernels of the file
  std::vector<std::string> warps;        // verified: races that only lock-step excludes
  std::string remark;                    // a sentence that goes with any verdict
  std::string our_fault;                 // a proof that a run contradicts: what to report
  std::vector<FindingReport> findings;
  std::vector<std::pair<std::string, bool>> candidates;  // invariants that were proposed, and whether they were kept
  std::optional<uint32_t> barrier_intervals;             // none: the prover was not asked
  launch::Mutants mutants;                               // --mutants
  std::string mutants_text;
  prove::Effort effort;
  double seconds = 0;
  // Something was asked that has no answer: `why`.
  bool open() const { return !not_read && status != Status::holds && !why.empty(); }
};

struct Report {
  std::string file;
  const ir::Module* module = nullptr;  // null: the file was not understood
  const launch::Options* options = nullptr;
  int exit_code = 4;
  Diagnostics refusal;                          // not empty: the input or the command line is refused, and why
  Diagnostics warnings;                         // of the input and the command line
  std::vector<std::string> contradictions;      // what the source says otherwise than the options
  std::vector<std::string> not_found;           // included files, taken to hold nothing that a kernel needs
  std::vector<KernelReport> kernels;            // those that were not read come last
  bool proves_nothing = false;                  // --findbugs, and all would be verified
  std::optional<formula::Second::Told> second;  // another solver was asked
  double seconds = 0;

  size_t verified() const;
  size_t possible() const;          // races that no run shows; with --compat they are errors
  size_t errors() const;            // the other findings
  size_t open() const;              // what has no answer
  launch::Mutants mutants() const;  // of all kernels
  // 0 verified, 1 defect, 2 bad input, 3 not decided, 4 our fault.
  int verdict() const;
};

// "2 errors", "1 possible race, not confirmed", "1 error, 2 possible races, not confirmed".
std::string defects_text(size_t found, size_t possible);
// The model by which a verdict is given: "cuda", "ptx" or "opencl".
const char* model_name(const launch::Options& o);
struct Text {
  std::string out, err;
};
Text text(const Report& r);
std::string json(const Report& r);
std::string sarif(const Report& r);
std::string html(const Report& r);
// What is printed, in the form that the options ask for.
void put_into_form(const Report& r, launch::Answer& a);

}  // namespace fencepost::verifier
