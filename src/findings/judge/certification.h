#pragma once
// One answer about a device from a conformance suite: PASS, FAIL or INCOMPLETE, with why, and with what it rests on
// (device, driver, suite, model, plan, version, time), so that somebody else can repeat it.
//
// Laws. (1) FAIL only by `failed` of conformance.h: a state that the model forbids, in a test that ran as written.
// (2) PASS says that every test of the suite that the device supports ran to the plan's end, nothing forbidden was
// seen, and the stress did show mutants, programs with a small fault: without any of them silence proves nothing, and
// the answer is INCOMPLETE. (3) A test that the device refuses is `not supported` where the device lacks what it needs,
// and named beside every PASS; one that was lost, or refused for another reason, makes the answer INCOMPLETE. (4) A
// test ran under several configurations: its worst verdict counts, but `silent` only if it is silent under all.
#include <cstdint>
#include <string>
#include <vector>

#include "judge/conformance.h"

namespace fencepost::judge {

enum class Grade : uint8_t { pass, fail, incomplete };
const char* name(Grade g);  // "PASS"

struct Provenance {
  std::string version;               // of this program
  std::string date;                  // "2026-11-24T15:04:05Z": when the answer was given
  std::string device, driver;        // as the driver says
  std::string suite, suite_hash;     // "PTX, two threads and IRIW"; of all texts
  std::string model, plan_hash;      // of the text of the plan that is in the store
  std::string store;                 // file
  uint64_t tests = 0, mutants = 0;   // of the suite
  uint64_t instances = 0, seed = 0;  // of both
  double seconds = 0;                // of the device's time
};

// A test that did not run. `supported`: the device has what it needs, so it should have run.
struct NotRun {
  std::string test, why;
  bool supported = false;
};

struct TestVerdict {
  std::string test;
  Conforms verdict = Conforms::open;
  std::string reason;  // failed, open
  uint64_t instances = 0;
  double bound = 1;       // of the forbidden outcome's rate, 95 %: the least of the configurations
  Mutants mutants;        // killed under any configuration
  double confidence = 0;  // the best of the configurations
};

struct Certification {
  Grade grade = Grade::incomplete;
  std::vector<std::string> why;  // sentences; the first gives the grade
  Provenance of;
  std::vector<TestVerdict> tests;  // failed first, then open, silent, passed; by name
  std::vector<NotRun> not_run;     // by name
  Conformance conformance;
  int exit_code() const;  // 0 pass, 1 fail, 3 incomplete
};

// `judged` has what is owed; works of tests in `not_run` do not count among them.
Certification certification(const Judged& judged, Provenance of, std::vector<NotRun> not_run);

std::string to_text(const Certification& c);
std::string to_json(const Certification& c);  // schema fencepost.certification/1

}  // namespace fencepost::judge
