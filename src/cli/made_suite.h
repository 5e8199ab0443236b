#pragma once
// The tests of a conformance suite and their mutants, made and decided on several threads: for `suite`, which writes
// them, and `certify`, which runs them. Titles of mutants are those that judge/conformance.h reads.
#include <functional>
#include <string>
#include <vector>

#include "cat/model.h"
#include "cli/console.h"
#include "cli/options.h"
#include "prog/syntax.h"
#include "suite/conformance.h"
#include "suite/decide.h"
#include "suite/mutate.h"

namespace fencepost::cli {

struct SuiteTests {
  std::vector<gen::SuiteEntry> entries;
  size_t cycles = 0;         // that were asked
  uint64_t unreachable = 0;  // cycles that are not forbidden at their strongest
  uint64_t undecided = 0;    // cycles; each was said on console.err
};
// "--families async": the paths of asynchronous PTX (cycle/paths.h) in place of cycles.
bool of_paths(const gen::SuiteRequest& request);
// The minimal tests below each cycle of the request, then, where no family is named, those of coherence.
Expected<SuiteTests> suite_tests(const gen::SuiteRequest& request, const cat::Model& model, const Settings& s,
                                 const Console& console);

struct JudgedMutant {
  gen::Mutant mutant;  // its test is titled NAME--MUTATOR-NUMBER, asks `exists`, and says what it is a mutant of
  gen::Reach reach = gen::Reach::undecided;
  // The model allows the outcome. Of a racy program every outcome is allowed.
  bool allowed() const { return reach == gen::Reach::allowed || reach == gen::Reach::racy; }
};
// Of one test, in the order of the mutators.
std::vector<JudgedMutant> judged_mutants(const gen::SuiteEntry& entry, const cat::Model& model, const Settings& s,
                                         prog::Syntax syntax);

// The dialect whose model judges tests of this notation.
vocab::Dialect dialect_of(prog::Syntax syntax);

}  // namespace fencepost::cli
