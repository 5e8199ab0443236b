#pragma once
// Bulk copies read and write through the asynchronous proxy. What a thread has accessed in the usual way is not ordered
// with a copy that comes later by barriers alone: the thread has to come to a fence of both proxies behind its access,
// and the barrier has to come behind that (PTX ISA 8.1.1 "Proxies", and "Async proxy" of cp.async.bulk). And a thread
// that copies from shared memory has to wait until the copy has read it, before it ends: when all threads of a group
// have ended, its memory is no longer theirs.
//
// Looked for in one run of two threads, by guards that are the same terms or conjunctions of them. What is not found is
// not decided. Not tried: fences and copies in loops that the accesses are in, too, and fences behind other waits than
// barriers of the whole group.
#include <vector>

#include "ir/async.h"
#include "prove/run.h"

namespace fencepost::prove {

class Proxies {
 public:
  explicit Proxies(Run& run) : run_(run), pool_(run.pool()) {}

  // The kernel has bulk copies; without them nothing is noted.
  void expect_copies() { possible_ = true; }
  // An access in the usual way. `object`: a use of an mbarrier; `lasts`: by an asynchronous copy that is no bulk copy,
  // for which no fence is looked for.
  void access(ir::AccessKind kind, ir::RegionId r, const Pair& guard, const Pair& pointer, bool object, bool lasts);
  void copy(const ir::AsyncCopy& c, const Pair& guard, const Pair& to, const Pair& from);
  // A fence of both proxies, or a commit of bulk copies, or a wait for them.
  void wait(const ir::OwnWait& w, const Pair& guard);
  // All threads of a group meet.
  void meeting(const Pair& guard);
  // At the end: what is not found is not decided.
  void conclude();

 private:
  // An instruction that a thread comes to, or an access by it.
  struct Point {
    uint32_t position = 0;
    Pair guard;
    std::vector<uint32_t> loops;
    uint64_t pending = 0;  // of a wait; of a fence: the memory it names
  };
  struct Use {
    Point at;
    ir::AccessKind kind = ir::AccessKind::read;
    ir::RegionId region;
    bool object = false, lasts = false;
  };
  struct Copy {
    Point at;
    const ir::AsyncCopy* copy = nullptr;
    Pair to, from;
  };
  Point here(const Pair& guard, uint64_t pending = 0) const {
    return {run_.position(), guard, run_.loops_around(), pending};
  }
  bool fenced(const Use& g, const Copy& c) const;
  bool waited_for(const Copy& c) const;

  Run& run_;
  Pool& pool_;
  bool possible_ = false;
  std::vector<Use> uses_;
  std::vector<Copy> copies_;
  std::vector<Point> fences_, commits_, waits_, meetings_;
};

}  // namespace fencepost::prove
