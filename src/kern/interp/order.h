#pragma once
// Internal to the room: what a thread knows to have happened, in clocks, for kernels that order memory by fences and
// ordered atomics.
//
// A thread counts its releases; an access carries the count at which it was made. A clock holds for each thread up to
// which count its accesses happened before now. Clocks are kept for group and global memory apart, since OpenCL's
// fences name the memory that they order.
//
// What makes an edge, as in the memory models of C++ and OpenCL, and for CUDA that of PTX:
//  - a release (ordered atomic, or fence before an atomic of the same thread) and an acquire (ordered atomic, or fence
//    behind one) that reads what was released, or a read-modify-write of it;
//  - both atomics and both fences must have scopes that hold both threads;
//  - an ordered atomic of OpenCL orders the memory of its own address space only;
//  - in CUDA, two fences that are sequentially consistent, the first before a write and the second behind a read of it,
//    also where barriers lie between fence and atomic (PTX: Fence-SC order cannot contradict causality);
//  - in CUDA, an atomic and what follows an atomic of the same location that read it, or what came of it (PTX:
//    causality order holds observation order).
// Source: OpenCL 3.0 C specification 3.3; PTX ISA 8, memory consistency model, sections on causality order.
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "ir/ir.h"

namespace fencepost::interp {

using Clock = std::vector<uint32_t>;  // by thread; missing entries are 0
void join(Clock& to, const Clock& from);

// By space: 0 group, 1 global.
struct View {
  std::array<Clock, 2> known;
  std::array<Clock, 2> fenced;            // what sequentially consistent fences that happened before knew
  std::array<Clock, 2> heard;             // what such fences knew that come before what was read
  std::map<uint64_t, uint32_t> observed;  // by location: the last of its atomics that was read
  void join(const View& from);
};

// What one thread knows, has read and not yet acquired, and has released.
struct Knowledge {
  uint32_t epoch = 1;
  View now;
  View read_device, read_group;
  View released_device, released_group;
};

// What the value of a location carries, for readers of the whole device and of each group.
struct Carried {
  View device;
  std::map<uint32_t, View> group;
};

struct Synchronising {  // an atomic access, as far as ordering goes
  uint32_t thread = 0, group = 0;
  ir::Order order = ir::Order::relaxed;
  ir::Scope scope = ir::Scope::device;
  bool in_group_memory = false, reads = true, writes = true;
  uint64_t location = 0;
  uint32_t number = 0;  // of the atomics of this location, from 1 on
};

class Happened {
 public:
  Happened(size_t threads, ir::Dialect dialect) : threads_(threads), dialect_(dialect), of_(threads) {
    for (uint32_t t = 0; t < threads; ++t) advance(t, false);
  }
  uint32_t epoch(uint32_t thread) const { return of_[thread].epoch; }
  // Did what `earlier` did at `epoch` happen before what `now` does?
  bool before(uint32_t earlier, uint32_t epoch, uint32_t now, bool group_memory) const {
    const Clock& c = of_[now].now.known[group_memory ? 0 : 1];
    return earlier < c.size() && c[earlier] >= epoch;
  }
  // Is the atomic with this number among those of the location that the thread has come to know of?
  bool observed(uint64_t location, uint32_t number, uint32_t now) const {
    const auto it = of_[now].now.observed.find(location);
    return it != of_[now].now.observed.end() && it->second >= number;
  }
  void atomic(const Synchronising& a, Carried& location);
  void fence(uint32_t thread, const ir::Fence& f);
  // All threads given meet. `acquires`: what they have read without acquiring it is taken as acquired.
  void meet(const std::vector<uint32_t>& threads, bool group_memory, bool global_memory, bool acquires);
  // What a thread hands on that arrives at a barrier and goes on, and what one takes that waits there.
  View hand(uint32_t thread);
  void take(uint32_t thread, const View& v) { of_[thread].now.join(v); }

 private:
  void advance(uint32_t thread, bool step = true);
  size_t threads_;
  ir::Dialect dialect_;
  std::vector<Knowledge> of_;
};

}  // namespace fencepost::interp
