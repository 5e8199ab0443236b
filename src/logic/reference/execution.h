#pragma once
// One concrete execution: events, base relations, final values. Built by running the program on chosen
// read values (run.h), never by an engine's encoding, so that it can testify against both engines.
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/bits.h"
#include "base/source.h"
#include "prog/names.h"
#include "prog/state.h"
#include "vocab/vocab.h"

namespace fencepost::reference {

// Engine-neutral name of an event: which instruction of which thread, the how-manieth time it ran, and
// for an rmw its read (0) or its write (1). Init writes: thread = k_init, instr = object, occurrence = cell.
inline constexpr uint32_t k_init = 0xffffffffu;
struct EventKey {
  uint32_t thread = 0;
  uint32_t instr = 0;
  uint32_t occurrence = 0;
  uint32_t part = 0;
  auto operator<=>(const EventKey&) const = default;
};

// "event 0.1 of instruction 3 of thread 2", for our own error messages.
std::string to_string(const prog::Test& test, const EventKey& k);

struct Event {
  EventKey key;
  vocab::TagSet tags;  // includes R / W / F / IW / RMW as appropriate
  bool is_memory = false;
  uint64_t address = 0;  // memory events
  prog::ObjectId object = prog::k_none;
  prog::SymbolId symbol = prog::k_none;  // as mentioned in the code; Init: the object's own symbol
  uint64_t value = 0;                    // read or written
  bool spurious = false;                 // read of an rmw that fails spuriously
  Span span;
};

struct Execution {
  std::vector<Event> events;          // Init first (by object, cell), then threads in order, in program order
  std::vector<Relation> base;         // indexed by vocab::Base, universe = events
  std::vector<bool> thread_complete;  // reached its end (not stuck in a loop cut or at a barrier)
  prog::FinalValues final;            // valid when every thread is complete
  bool complete() const;
  const Relation& rel(vocab::Base b) const { return base[static_cast<size_t>(b)]; }
  std::optional<uint32_t> find(const EventKey& k) const;
};

// The choices that make an execution out of a program.
struct Choices {
  std::map<EventKey, EventKey> rf;                         // read -> write
  std::map<EventKey, uint64_t> read_value;                 // must equal the value of the write
  std::map<EventKey, uint64_t> init_value;                 // of Init writes whose value is undefined; 0 where not named
  std::vector<std::pair<EventKey, EventKey>> co;           // generating pairs, closed transitively; Init->w implied
  std::vector<std::pair<EventKey, EventKey>> fence_order;  // fsc, and sync_fence for pairs in scope
  std::vector<std::pair<EventKey, EventKey>> sync_fence_free;  // sync_fence for pairs out of scope (prelude-ptx)
  std::set<EventKey> spurious;           // reads of rmws that fail spuriously (prog::Instr::spurious)
  std::vector<EventKey> quorum_members;  // barrier events with sync(e) under a quorum
  std::map<std::pair<prog::ObjectId, uint64_t>, EventKey> final_write;  // partial co: the co-maximal write taken
};

}  // namespace fencepost::reference
