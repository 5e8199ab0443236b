#pragma once
// A cycle laid out: which access stands in which thread, at which location, with which value, and the final state that
// shows the cycle. diy's rules, so that conditions are diy's too:
//
//   threads    change at external communications. Thread 0 begins with the first relation within a thread that follows
//              an external one, counted from the place where locations begin to be named; see layout.cpp
//   locations  x, y, z, ... change at `d` relations; naming begins behind the last change before the first thread's
//              begin
//   values     the writes of a location are 1, 2, ... along the cycle; a read expects the last value before it, at
//              first 0
//   condition  [x]=n where two writes are, then every read. Registers are r1, r3, ... by thread (diy's, which keeps
//              the even ones for addresses; here they serve dependencies)
//
// A location with three or more writes is refused: its final value does not tell their order.
#include <cstdint>
#include <vector>

#include "cycle/cycle.h"
#include "cycle/tree.h"

namespace fencepost::gen {

struct Access {
  Dir dir = Dir::read;
  bool both = false;  // a read-modify-write: `value` is what it writes
  uint32_t location = 0;
  uint64_t value = 0;        // write: written; read: expected
  uint64_t expected = 0;     // both: read
  uint32_t reg = 0;          // of a read
  Node node, store_node;     // both: of its write
  Rel dependency = Rel::po;  // addr, data or ctrl: on the read `depends_on`, an index into the thread's accesses
  uint32_t depends_on = 0;
  Span span;
};
struct Between {  // what stands before access `at` of the thread
  uint32_t at = 0;
  Edge edge;  // fence, proxy, bar, av_device or vis_device
};
struct ThreadLayout {
  std::vector<Access> accesses;
  std::vector<Between> between;
};
struct Layout {
  std::vector<ThreadLayout> threads;
  std::vector<Region> regions;          // by location
  std::vector<uint64_t> final_values;   // by location; 0: not part of the condition
  std::vector<uint32_t> thread_of;      // by edge of the cycle: thread of its source
  std::vector<uint32_t> location_of;    // by edge of the cycle: location of its source
  std::vector<Constraint> constraints;  // from @level
};
Expected<Layout> lay_out(const Cycle& c);

std::string location_name(uint32_t location);  // x y z w a b c ...
std::string print_condition(const Layout& l);  // "[x]=2 /\ 1:r1=0"

}  // namespace fencepost::gen
