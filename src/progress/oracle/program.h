#pragma once
// A test packed for exploration. A state is one word, or a few: pc of each thread, an index into each location's value
// set (initial value and exchanged values: nothing else can ever be there), then what the progress model has to
// remember, either the set of threads that have taken a step or a 32-bit state of a fair::Machine. A step is then one
// comparison and two masked writes, all prepared here. Fields do not cross words. Private to the room.
#include <cstdint>
#include <vector>

#include "axb/test.h"
#include "fair/model.h"

namespace fencepost::oracle {

inline constexpr uint32_t k_none = UINT32_MAX;

// What rides along with pcs and memory: nothing (the program alone), the started threads, or a Machine's state.
enum class Rider : uint8_t { nothing, started, machine };

struct Op {
  uint64_t check = 0;  // the value index that jumps; all ones when the location never holds that value
  uint64_t location_mask = 0;
  uint64_t pc_clear = 0, pc_jump = 0, pc_next = 0;         // in pc_word
  uint64_t location_clear = 0, location_set = 0;           // in location_word; both 0 when it does not exchange
  uint64_t kept = ~uint64_t{0};                            // where check differs: a compare-and-swap sets nothing, 0
  uint64_t started = 0;                                    // in started_word
  uint64_t clear = 0, clear_next = 0, jump = 0, next = 0;  // all of it, for states of one word
  uint32_t location_shift = 0;
  uint32_t location_word = 0, pc_word = 0, started_word = 0;
};

class Program {
 public:
  void compile(const axb::Test& test, Rider rider);

  uint32_t threads() const { return threads_; }
  uint32_t words() const { return words_; }
  uint32_t bits() const { return bits_; }  // of a state of one word
  Rider rider() const { return rider_; }
  fair::ThreadSet live_at_start() const { return live_at_start_; }

  void initial(uint64_t* state) const;
  uint32_t pc(const uint64_t* state, uint32_t t) const { return static_cast<uint32_t>(get(state, pcs_[t])); }
  bool live(const uint64_t* state, uint32_t t) const { return pc(state, t) != pcs_[t].last; }
  fair::ThreadSet live(const uint64_t* state) const;
  fair::ThreadSet started(const uint64_t* state) const;
  uint32_t machine(const uint64_t* state) const { return static_cast<uint32_t>(get(state, machine_)); }
  void set_machine(uint64_t* state, uint32_t id) const {
    state[machine_.word] = (state[machine_.word] & ~(machine_.mask << machine_.shift)) | uint64_t{id} << machine_.shift;
  }
  axb::Value value(const uint64_t* state, uint32_t location) const {
    return values_[value_base_[location] + static_cast<uint32_t>(get(state, locations_[location]))];
  }
  const Op& op(uint32_t t, uint32_t pc) const { return ops_[op_base_[t] + pc]; }
  // t must be live. The machine's state, where there is one, is left as it was.
  void step_one_word(const uint64_t* from, uint64_t* to, uint32_t t) const {
    const Op& o = op(t, pc(from, t));
    const bool jumps = ((*from >> o.location_shift) & o.location_mask) == o.check;
    *to = jumps ? (*from & ~o.clear) | o.jump : (*from & ~o.clear_next) | o.next;
  }
  void step(const uint64_t* from, uint64_t* to, uint32_t t) const;
  // What a Machine is told about the step of t from `from`.
  fair::Step describe(const axb::Test& test, const uint64_t* from, uint32_t t) const;

 private:
  struct Field {
    uint32_t word = 0, shift = 0;
    uint64_t mask = 0;
    uint32_t last = 0;  // pcs: the pc of the end
  };
  static uint64_t get(const uint64_t* state, const Field& f) { return (state[f.word] >> f.shift) & f.mask; }
  Field place(uint32_t bits);

  uint32_t threads_ = 0, words_ = 0, bits_ = 0;
  Rider rider_ = Rider::nothing;
  fair::ThreadSet live_at_start_ = 0;
  std::vector<Field> pcs_, locations_, started_;
  Field machine_;
  std::vector<Op> ops_;
  std::vector<uint32_t> op_base_, value_base_;
  std::vector<axb::Value> values_;  // of location l: from value_base_[l] to value_base_[l + 1], the initial value first
};

}  // namespace fencepost::oracle
