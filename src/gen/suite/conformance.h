#pragma once
// Conformance suites: the tests that a model forbids, none of which could be weaker by one step and still be forbidden.
//
// Base: a cycle with every access and fence as strong as the dialect has them, at the narrowest scope that holds all
// its threads. Below each base that is forbidden, relax lists all weakest forbidden variants; where its lattice is too
// large, variants that keep the scopes, and each of these is then weakened step by step. What comes out is minimal by
// `check`: every one-step weakening is allowed, or has a data race. No test has one itself: of a racy program the model
// promises nothing, and no device could break it. Nor does one raise undefined-behavior: of PTX, where races are
// findings, that alone takes a test away.
//
// Besides: the five tests of sequential consistency per location with relaxed accesses, where they are forbidden. IRIW
// (multi-copy atomicity) is a family like the others, placed in five ways, and in two more with threads of the host.
// Under a model that knows them, threads of the host are on every side of a test: their accesses have one form, so only
// their mfence and what GPUs do can be weakened.
#include <optional>
#include <string>
#include <vector>

#include "base/job.h"
#include "cat/model.h"
#include "check/check.h"
#include "cycle/name.h"
#include "cycle/paths.h"
#include "cycle/test.h"
#include "prog/names.h"
#include "prog/syntax.h"

namespace fencepost::gen {

struct SuiteRequest {
  prog::Syntax syntax = prog::Syntax::ptx;  // ptx, vulkan, opencl
  uint32_t most_threads = 2;                // of families other than IRIW: 2..3
  bool iriw = true;
  std::vector<std::string> families;  // empty: all
  bool hosts = false;                 // ptx: also placements with x86 threads of the host
};
// One piece of work each, independent of the others.
Expected<std::vector<Spec>> suite_bases(const SuiteRequest& r);

struct SuiteEntry {
  std::string name;          // of the spec; also the title of the test
  std::string kind;          // "minimal" or "coherence"
  std::string family;        // "MP", "CoRR"
  std::optional<Spec> spec;  // minimal
  std::optional<Path> path;  // path
  prog::Test test;           // asks ~exists
};
struct SuitePart {
  std::vector<SuiteEntry> entries;
  bool base_forbidden = false;
  std::string undecided;  // why nothing, or not everything, below this base is known; "" when all is
};
SuitePart minimal_below(const Spec& base, prog::Syntax syntax, const cat::Model& model, const check::Options& options,
                        Job& job);

// The path, if it is forbidden and every weakening by one step, of an instruction or of an edge, allows what it asks
// for. Its weaker forms are paths of the enumeration themselves, so that nothing is looked for below it.
SuitePart minimal_path(const Path& path, const cat::Model& model, const check::Options& options, Job& job);

// Of each placement of two threads, and of one thread once; only those that are forbidden.
Expected<std::vector<SuiteEntry>> coherence_suite(prog::Syntax syntax, const cat::Model& model,
                                                  const check::Options& options, Job& job);

// What an instruction of a dialect says, as a description of an access or a fence.
Node node_of(const prog::Test& test, const prog::TagSet& tags);

}  // namespace fencepost::gen
