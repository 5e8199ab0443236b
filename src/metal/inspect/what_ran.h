#pragma once
// What ran against what was written: the verdict on the machine code of one kernel, whatever looked at it.
//   as_written   every instruction of the test is there, as the table expects it, in the order of the test
//   merged       an access was answered by another one to the same place (two loads made one, an overwritten store)
//   dropped      an access or a fence is missing, or is there in a weaker form
//   reordered    all are there, in another order
//   unverified   the machine code could not be inspected, or more is there than was written
// Only as_written is evidence against a device.
#include <cstdint>
#include <string>
#include <vector>

namespace fencepost::inspect {

enum class WhatRan : uint8_t { as_written, merged, dropped, reordered, unverified };
const char* name(WhatRan w);  // "as-written"

struct WhatRanSite {
  uint32_t role = 0, position = 0;  // of the instruction in the test
  std::string written;              // "st.relaxed.gpu.global.b32"
  std::string found;                // "STG.32.STRONG.GPU", several separated by "; ", "" when none
  WhatRan verdict = WhatRan::as_written;
};

struct WhatRanReport {
  WhatRan verdict = WhatRan::unverified;
  std::string reason;              // one sentence unless as_written
  std::vector<WhatRanSite> sites;  // empty when the machine code could not be inspected
  // Relaxed accesses of the frame (stress, alignment), and how many of them are not in the machine code. They are no
  // part of the verdict: a lost one makes a run weaker, not wrong.
  uint32_t frame = 0, frame_missing = 0;
  std::string first_missing;  // "st.relaxed.gpu.global.b32"
};

}  // namespace fencepost::inspect
