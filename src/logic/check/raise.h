#pragma once
// Bounds come to from below: with `auto` and with a bound that is given, what is decided with fewer iterations of some
// loop is decided, and only loops that an execution takes beyond their bounds get more.
#include "check/check.h"

namespace fencepost::check {

// As check(), of a test and a model that fit each other, and without what the model has to say about races for an
// answer to mean something.
Result check_from_below(const prog::Test& test, const cat::Model& model, const Options& options, Job& job);

}  // namespace fencepost::check
