#pragma once
// One path per thread, put together: the events of all candidate executions that run these paths, their
// fixed relations, and what is still open.
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bits.h"
#include "check/enumerate_paths.h"
#include "prog/names.h"
#include "reference/barriers.h"
#include "reference/execution.h"
#include "term/term.h"

namespace fencepost::check {

struct OpenRead {
  uint32_t event = 0;
  std::vector<uint32_t> writes;  // it may read from
};

struct OpenLocation {
  prog::ObjectId object = 0;
  uint64_t cell = 0;
  uint32_t init = 0;             // event
  std::vector<uint32_t> writes;  // the others, by event
};

struct OpenArrival {
  const PathArrival* arrival = nullptr;
  std::optional<uint32_t> event;  // none: blocked
};

struct Combination {
  std::vector<const Path*> paths;  // by thread
  std::vector<uint32_t> first;     // first event of each thread; then 0, for variables that are Init writes
  std::vector<reference::Event> events;
  std::vector<Relation> base;  // fixed relations; the others empty
  std::vector<Expr> value;     // by event, in variables of the paths; empty for fences and barriers
  std::vector<OpenRead> reads;
  std::vector<OpenLocation> locations;
  std::vector<Constraint> constraints;
  std::vector<OpenArrival> arrivals;                       // by thread, in program order
  std::vector<std::pair<uint32_t, uint32_t>> fences;       // SC fences in each other's scope, i < j
  std::vector<std::pair<uint32_t, uint32_t>> free_fences;  // ordered pairs of SC fences that are not

  uint32_t event_of_variable(uint64_t v) const { return first[thread_of_variable(v)] + local_of_variable(v); }
};

// Nullopt: some read has no write left whose value the path's own constraints allow.
std::optional<Combination> combine(const prog::Test& test, std::vector<const Path*> paths);

// The barriers of a combination once all ids and quorums have values. Nullopt from `bind_barriers`: some
// operand is not known.
struct BoundBarriers {
  bool consistent = false;  // exactly the arrivals with an event pass
  std::vector<reference::Arrival> arrived;
  std::vector<std::optional<uint32_t>> event;  // parallel
  Relation lower, upper;                       // of syncbar, before quorum sets are chosen
  // Arrivals that choose: passed, with a quorum. Those of one group and id stand together; at least
  // `need` of them belong to the set.
  struct Class {
    std::vector<uint32_t> members;
    int64_t need = 0;
  };
  std::vector<Class> classes;
  std::vector<uint32_t> always;  // arrivals that are in the set anyway (no quorum operand, or blocked)
};
std::optional<BoundBarriers> bind_barriers(const prog::Test& test, const Combination& c, const term::Env& env);

}  // namespace fencepost::check
