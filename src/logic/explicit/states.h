#pragma once
// All states of a program that runs one instruction after the other on one memory, threads interleaved at will: exact
// for programs whose executions are the interleavings (the caller knows; check/liveness_states.cpp says when), as long
// as their states are finitely many and few enough.
//
// A state is every thread's position and live registers, the memory, and who has taken a step. A step of a thread runs
// up to its next memory access but one, its end, or the target of a backward jump: what happens in between is seen by
// nobody.
//
// The question is weak fairness: is there a set of states, strongly connected by steps, in which the threads that step
// keep the scheduler's promise (reference/progress.h)? The greatest such sets are the components of the graph, since
// the promise only grows with the threads that step, and who is alive or has started does not change within one.
//
// Barriers are not supported; the caller looks first. Fences are no-ops.
#include <cstdint>
#include <optional>
#include <vector>

#include "base/job.h"
#include "prog/names.h"
#include "reference/lasso.h"
#include "reference/progress.h"

namespace fencepost::explicit_state {

struct Step {
  uint32_t thread = 0;
  uint64_t instructions = 0;
};

// Steps from the start to a state, and from there back to it.
struct Schedule {
  std::vector<Step> prefix, cycle;
};

struct Exploration {
  enum class End : uint8_t { finished, too_many_states, out_of_time, misfit } end = End::finished;
  uint64_t states = 0, edges = 0;
  std::optional<Schedule> starving;  // finished: a run that goes on for ever although the promise is kept
};

Exploration explore(const prog::Test& test, const reference::Progress& progress, const Job& job,
                    uint64_t max_states = 200000);

// The execution of a schedule, the cycle twice: every read reads the last write before it.
reference::Lasso lasso_of(const prog::Test& test, const Schedule& schedule);

}  // namespace fencepost::explicit_state
