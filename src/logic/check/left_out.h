#pragma once
// What may be left out of a program's executions under a model (encode/reduction.h, weaker.h, repeats.h), worked out
// once for all bounds at which a property is asked: none of it depends on the bound.
#include <optional>
#include <vector>

#include "check/check.h"
#include "encode/reduction.h"
#include "encode/weaker.h"

namespace fencepost::check {

// Of one test, model, property and filter, as far as it was asked for.
struct LeftOut {
  std::optional<encode::Reduction> reduction;
  std::optional<std::optional<encode::Weaker>> weaker;
  std::optional<std::vector<std::vector<bool>>> repeats;  // by thread and instruction
};

// As solve(). `known` is told what was worked out, and believed.
Result solve(const prog::Test& test, const cat::Model& model, const Options& options, Job& job, LeftOut& known);

}  // namespace fencepost::check
