#pragma once
// What a model says of data races, and what its flags do to a program. Flags of the prelude (undefined behaviour that
// the program reaches by itself) belong to no model and always make a program undefined.
//
// A flag of a Vulkan or OpenCL model makes the program undefined: nothing is promised of any of its executions. PTX
// keeps its axioms in spite of races of accesses of one size (ISA 7.5, 8.7.2), so a flag of a PTX model is a finding
// and no more. To take it for undefined behaviour would allow everything to a racy program, and silence every
// judgement.
#include "cat/model.h"

namespace fencepost::check {

enum class Races : uint8_t {
  unknown,    // the model raises no flag of its own: `--property races` has no answer
  reported,   // a race is a finding; conditions stand
  undefined,  // a race makes the program undefined
};
Races races_of(const cat::Model& model);

// Raising this flag makes the program undefined.
bool undefines(const cat::Model& model, const cat::Axiom& flag);

}  // namespace fencepost::check
