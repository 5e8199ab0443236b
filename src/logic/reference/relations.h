#pragma once
// The base relations that follow from the executed events alone: everything but rf, co, syncbar, fsc and
// sync_fence (docs/semantics.md, Base relations).
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/bits.h"
#include "prog/names.h"
#include "reference/execution.h"

namespace fencepost::reference {

using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

// Dependencies between events, by index.
struct Dependencies {
  Pairs data, addr, ctrl, amo;
};

// Indexed by vocab::Base; the five relations above are left empty. Events of one thread are in program order.
std::vector<Relation> fixed_relations(const prog::Test& test, const std::vector<Event>& events,
                                      const Dependencies& deps);

// The Init events of a test, by object and cell.
std::vector<Event> init_events(const prog::Test& test);

// The symbol that an object was declared with (not an alias); k_none if there is none.
prog::SymbolId own_symbol(const prog::Test& test, prog::ObjectId object);

// Which cell a byte address names.
struct Cell {
  prog::ObjectId object = 0;
  uint64_t cell = 0;
};
std::optional<Cell> cell_at(const prog::Test& test, uint64_t address);

// Tags of the event that an instruction gives; part 1 is the write of a read-modify-write.
vocab::TagSet event_tags(const prog::Instr& instr, uint32_t part);
// Of the read of an rmw whose guard fails, so that it does not write.
vocab::TagSet failed_tags(const prog::Instr& instr);

// Whether two SC fences are ordered by fsc in every execution: distinct, tagged F and SC, in each other's scope.
bool is_sc_fence(const Event& e);

// Does the dialect have fsc and sync_fence?
bool has_fence_order(vocab::Dialect d);

}  // namespace fencepost::reference
