#pragma once
// Loops of a thread's code and the counting of their iterations (docs/semantics.md, Loops). A loop is a
// label with a backward jump to it; its extent reaches from the label to the last such jump, and to the end
// of every loop that begins inside it.
#include <cstdint>
#include <optional>
#include <vector>

#include "prog/names.h"
#include "reference/run.h"

namespace fencepost::reference {

struct Loop {
  prog::LabelId label = 0;
  uint32_t begin = 0;      // position of the label
  uint32_t end = 0;        // last position of its extent
  std::vector<bool> live;  // registers that may be read before they are written, at the label
};

// `observable`: registers that are live at the end of the thread.
std::vector<Loop> find_loops(const prog::Template& code, const std::vector<bool>& observable);

// The registers that may be read before they are written, before each position and at the end (size + 1 entries).
std::vector<std::vector<bool>> live_registers(const prog::Template& code, const std::vector<bool>& observable);

// Which registers of each thread are observable (prog::observables).
std::vector<std::vector<bool>> observable_registers(const prog::Test& test);

// Follows one thread through its loops.
class LoopTracker {
 public:
  explicit LoopTracker(const std::vector<Loop>* loops)
      : loops_(loops), taken_(loops->size(), 0), effect_(loops->size(), true) {}

  void at(uint32_t position);  // before the instruction there runs
  void effect();               // a write event or a barrier
  // Whether the iteration since the last time at the label executed no write event and no barrier. It was idle if
  // besides every register that is live at the label has the value that it had then.
  bool quiet(prog::LabelId label) const { return !effect_[index(label)]; }
  size_t index(prog::LabelId label) const;
  // A jump to `label`, which lies at or before the current position: nullopt if it may be taken (and it is
  // counted), else why the thread stops here.
  std::optional<StopReason> jump_back(prog::LabelId label, uint32_t bound, bool idle);
  bool is_last(prog::LabelId label, uint32_t bound) const { return taken_[index(label)] + 1 >= bound; }

 private:
  const std::vector<Loop>* loops_;
  std::vector<uint32_t> taken_;  // backward jumps since the extent was entered
  std::vector<bool> effect_;     // since the last time at the label; true when the extent was entered elsewhere
};

}  // namespace fencepost::reference
