#pragma once
// What a conformance suite showed on a device: pass or fail for each test, with what the silence of a passed test is
// worth. In: what judge() made of a store that holds a suite's tests and its mutants (titles NAME--MUTATOR-NUMBER, as
// `fencepost suite --mutants` writes them). Out: a verdict per test, device and configuration, and kills by mutator.
//
// A test passes when nothing that the model forbids was seen. How sure that is comes from its mutants, programs with
// the small fault that the test is there to catch, which the model allows: one that was seen at rate r under the same
// stress would have been seen in the test's own instances with probability 1 - e^(-r N). A test none of whose mutants
// was seen is `silent`: it passed, and that says little. The bound (3/N, 95 %) is always given.
//
// Laws. (1) Failed only by judge's `violated`; corrupt or suspected runs neither pass nor fail. (2) Only mutants that
// the model allows count. (3) Kills are compared under one configuration at a time. Source: MC Mutants (ASPLOS 2023);
// OOPSLA 2020, table 10.
#include <map>
#include <string>
#include <vector>

#include "judge/judge.h"

namespace fencepost::judge {

enum class Conforms : uint8_t { failed, open, silent, passed };
const char* name(Conforms c);

struct Mutants {
  uint32_t allowed = 0, ran = 0, killed = 0;  // killed: allowed, ran, and seen
};

struct ConformanceRow {
  std::string test, device, configuration, model;
  Conforms verdict = Conforms::open;
  std::string reason;  // failed, open: judge's
  std::string what_ran;
  uint64_t instances = 0, seen = 0;
  double bound = 1;  // of the rate of the forbidden outcome, 95 %
  Mutants mutants;
  double confidence = 0;  // that the rarest of its killed mutants would have been seen in so many instances
};

struct Campaign {  // one device, one configuration
  std::string device, configuration, model;
  uint32_t passed = 0, failed = 0, silent = 0, open = 0;
  Mutants all;
  std::map<std::string, Mutants> by_mutator;
  double seconds = 0;
};

struct Conformance {
  std::vector<ConformanceRow> rows;
  std::vector<Campaign> campaigns;
  std::vector<Owed> owed;  // judge's: with any, the suite is not over
  int exit_code() const;   // 1 failed, 3 open or something owed, else 0
};
Conformance conformance(const Judged& judged);

std::string to_text(const Conformance& c);
std::string to_markdown(const Conformance& c);
std::string to_csv(const Conformance& c);
std::string to_json(const Conformance& c);

}  // namespace fencepost::judge
