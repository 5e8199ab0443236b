#pragma once
// What is left of an execution without some of its idle and silent iterations, built by the interpreter: what the
// rules that leave them out (encode/reduction.h, encode/leaving_out.h, encode/weaker.h) are held to, one execution
// at a time.
//
// Nothing of those rules is used here. An iteration is what a thread did between two visits of the label that it
// jumped back to; it may go if all its events are reads and fences, or halves of read-modify-writes that are named
// and put back what they had read, and if the interpreter, given what is left of the choices, makes the events that
// are left. Who read a write that goes reads what its read-modify-write had read.
#include <functional>
#include <string>
#include <vector>

#include "base/job.h"
#include "cat/model.h"
#include "prog/loop_bounds.h"
#include "prog/test.h"
#include "reference/run.h"

namespace fencepost::fuzz {

struct Rest {
  reference::RunResult whole, rest;
  bool silent = false;  // some read-modify-write was left out
  std::string wrong;    // base relations of the events that stay are others, or a final value is; "": none
};

// Calls back with what is left of consistent executions, complete and not, without all such iterations or without
// some, until it returns false, the time is over, or no execution is left. `silent`: by thread and instruction.
void for_each_rest(const prog::Test& test, const cat::Model& model, const prog::LoopBounds& bound,
                   const std::vector<std::vector<bool>>& silent, Rng& rng, const Job& job,
                   const std::function<bool(const Rest&)>& visit);

// Threads that take a lock, or wait for a flag, in a loop that tries, looks, or has a fence, and threads that open
// the lock or write what the others look at. PTX and OPENCL text with a question about final values.
std::string random_takers(Rng& rng, bool ptx);

}  // namespace fencepost::fuzz
