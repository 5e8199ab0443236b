#pragma once
// Asks both engines the same and says where they differ.
#include <optional>
#include <string>
#include <vector>

#include "cat/model.h"
#include "check/check.h"
#include "prog/names.h"

namespace fencepost::fuzz {

struct CompareOptions {
  double seconds = 2;  // for each query of each engine
  uint32_t bound = 1;
  bool outcomes = false;                  // also compare the complete sets of final states
  std::optional<bool> lazy;               // of check::Options
  const cat::Model* reference = nullptr;  // what `enumerate` reads instead of the model (tools/mutate)
};

struct Comparison {
  // Verdicts where both engines answered; none where one gave up.
  std::optional<Status> condition;
  std::optional<Status> races;
  bool outcomes_compared = false;
  bounds::Fired rules;                     // by which `solve` decided without search (bounds/rules.h)
  uint32_t symmetric = 0;                  // queries that looked at one execution of several; asked again of all
  uint32_t gave_up = 0;                    // queries that an engine did not answer in time
  std::vector<std::string> disagreements;  // one sentence each, empty if all is well
};

Comparison compare(const prog::Test& test, const cat::Model& model, const CompareOptions& options);

}  // namespace fencepost::fuzz
