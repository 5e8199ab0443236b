#pragma once
// The reachable states of a packed program, numbered breadth first, and their strongly connected components. All
// buffers are flat and are reused from one test to the next: a small test costs no allocation. Private to the room.
#include <cstdint>
#include <vector>

#include "base/diagnostic.h"
#include "base/job.h"
#include "oracle/program.h"

namespace fencepost::oracle {

class Space {
 public:
  enum class End : uint8_t { complete, too_many_states, out_of_time };

  // `machine` goes with Rider::machine. The errors are the machine's. `job` may be null.
  Expected<End> explore(const axb::Test& test, Rider rider, fair::Machine* machine, uint64_t max_states,
                        const Job* job);

  const Program& program() const { return program_; }
  uint32_t states() const { return count_; }
  uint64_t transitions() const { return transitions_; }
  const uint64_t* state(uint32_t s) const { return keys_.data() + static_cast<size_t>(s) * program_.words(); }
  // Where the step of t leads, or k_none when t has ended. Every live thread has exactly one step.
  uint32_t successor(uint32_t s, uint32_t t) const {
    return successors_[static_cast<size_t>(s) * program_.threads() + t];
  }

  // Tarjan's components, after explore. Members of one stand together in `members`.
  struct Component {
    uint32_t begin = 0, end = 0;
    fair::ThreadSet steppers = 0;  // threads with a step from the component into it; none: no cycle
  };
  void find_components();
  const std::vector<Component>& components() const { return components_; }
  const std::vector<uint32_t>& members() const { return members_; }
  uint32_t component_of(uint32_t s) const { return component_of_[s]; }

  // The states of component c that can never leave it by steps of `fair`: the greatest set of its states closed under
  // them. Valid until the next call.
  const std::vector<uint32_t>& closed_part(uint32_t c, fair::ThreadSet fair);

 private:
  template <bool one_word>
  Expected<End> run(const axb::Test& test, fair::Machine* machine, uint64_t max_states, const Job* job);
  template <bool one_word>
  uint32_t intern(const uint64_t* key);
  void grow_table();

  Program program_;
  uint32_t count_ = 0;
  uint64_t transitions_ = 0;
  std::vector<uint64_t> keys_;
  std::vector<uint32_t> successors_;

  // Open addressing. An entry counts when its stamp is of this run, so that a small test does not clear a big table.
  struct Slot {
    uint32_t stamp = 0, state = 0;
  };
  std::vector<Slot> table_;
  uint32_t table_bits_ = 0, stamp_ = 0;

  std::vector<Component> components_;
  std::vector<uint32_t> members_, component_of_, order_, low_, stack_;
  std::vector<uint32_t> place_;  // of a state, in members_
  struct Frame {
    uint32_t state, thread;
  };
  std::vector<Frame> frames_;

  std::vector<uint32_t> closed_;
  std::vector<uint32_t> leaves_;  // by state: the closed_part call that put it out
  uint32_t leaves_stamp_ = 0;
};

}  // namespace fencepost::oracle
