#pragma once
// What the rules that leave iterations out must keep, held against executions (left_out.h). Of each consistent
// execution X of a program under a model, and what is left of it, X':
//   - X and X' satisfy every constraint of the weaker model (encode/weaker.h); X' raises a flag if X does and the rules
//     say so; the same of the model itself, where they say so (encode/reduction.h);
//   - any formula over the model's relations, and any that is made of them at random: if LeavingOut says that a
//     constraint on it is kept and X satisfies it, X' does; if it says that a flag is kept and X raises it, X' does.
// So a constraint that is wrongly kept is seen without the engines, and before an answer is wrong.
#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "base/job.h"
#include "cat/model.h"
#include "encode/weaker.h"
#include "prog/test.h"

namespace fencepost::fuzz {

struct Kept {
  bool weaker = false, silent = false;  // there is a weaker model; it leaves read-modify-writes out
  uint32_t rests = 0, silent_rests = 0, flagged = 0;
  uint64_t formulas = 0, instances = 0;  // constraints said to be kept; times that X satisfies one that is not trivial
  std::string wrong;                     // the first law that is broken; "": none
  std::set<std::string> violated;        // constraints of the weaker model that X or X' violates
};

struct KeptOptions {
  uint32_t bound = 2;
  uint32_t rests = 200;    // at most
  uint32_t formulas = 60;  // random ones, beside those of the model
  double seconds = 1;
  std::function<void(encode::Weaker&)>
      alter;  // faults to plant; then formulas are not asked about, and all rests are seen
};

Kept hold_kept(const prog::Test& test, const cat::Model& model, const KeptOptions& options, Rng& rng);

// The model with other constraints, each one of its own in which one node is replaced by a larger one, or by a
// smaller one where it is taken away; its name is that of the constraint, then which node. Flags stay.
cat::Model stronger_than(const cat::Model& model);

}  // namespace fencepost::fuzz
