#pragma once
// The batches of a hunt that its store lacks: which they are, and who makes them. What a batch is made of is the
// caller's: PTX tests (conduct.h) or programs of a language (translation/conduct.h).
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/job.h"
#include "hunt/ledger.h"

namespace fencepost::hunt {

// told(done, all): after each batch of a configuration.
using Told = std::function<void(uint64_t, uint64_t)>;

struct Filling {
  std::vector<std::string> configurations;  // by the names under which the store keeps them
  uint64_t tests = 0;                       // whole batches: rounded up
  uint64_t batch = 1;                       // tests of a batch
  uint32_t threads = 1;
};

// For a plan with `configurations`, `tests` and `threads`.
template <class Plan>
Filling filling_of(const Plan& plan, uint64_t batch) {
  Filling out{{}, plan.tests, batch, plan.threads};
  for (const auto& c : plan.configurations) out.configurations.push_back(c.name());
  return out;
}

// make(k, first): the batch of configuration k that begins with that test; it is called by several threads at once.
// None is made where the job's time was over before the compiler ended; an error ends the hunt. A batch of which no
// test was compiled in its time is made again while no other is made, since load may be the reason; what ends by
// time-out then is kept as failed, by that name. Batches are kept as they come, so that a hunt that is ended goes on
// with those that are missing. False: time is out.
Expected<bool> fill_store(Ledger& ledger, const Filling& filling, const Job& job, const Told& told,
                          const std::function<Expected<std::optional<Batch>>(size_t, uint64_t)>& make);

// Of a compiler that compiles nothing: not even a store, or none of a whole batch. To go on would try test by test.
Diagnostics hopeless(const std::string& configuration, const std::string& message);

}  // namespace fencepost::hunt
