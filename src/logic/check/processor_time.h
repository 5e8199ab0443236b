#pragma once
// A limit of processor time for a question, where the engines look at a clock on the wall (base/job.h): what is known
// after it shall not depend on what else the machine does.
#include <functional>

#include "base/job.h"

namespace fencepost::check {

// Processor seconds of this thread.
double processor_seconds();

// Whether ask(job) has an answer within `seconds` of this thread's processor time. `ask` gives up when its job is out
// of time and then returns false; an answer that took longer counts as none. On a busy machine it is asked again, from
// the start and with more time on the wall, so that at most about three times `seconds` of processor time are spent.
// The deadline and cancellation of `job` hold as always.
bool within_processor_time(const Job& job, double seconds, const std::function<bool(Job&)>& ask);

}  // namespace fencepost::check
