#pragma once
// Litmus tests of a fault, for a device: does hardware show what the machine code lacks? They are tests of `run`
// (docs/run.md), which brings locations into the first-level cache before the test, delays its threads, and makes
// traffic beside it.
//
// One test has the instruction at fault; others have a form in its place that is compiled right, and must not show the
// outcome; one has a form for which the model allows the outcome, and must show it: without that nothing is said of the
// device.
//   lost acquire         P0: x = 1; release y   | P1: the instruction on y; read x
//   lost release         P0: x = 1; the instruction on y   | P1: acquire y; read x
//   fence                the same with the fence and relaxed accesses of y; fence.sc: store buffering
//   loads change places  P0: x = 1   | P1: two reads of x; the second must not return an older value than the first
//   access lost          P0: the write of x; x must not be 0
//   done twice           P0: one addition to x; x must not be 2
//   several accesses     P0: both halves of x = 1   | P1: read x: no half without the other
//   narrower scope       P0: x = 1   | P1: a strong read of x, then the instruction on x: no older value
// An instruction on shared memory gets its place in the shared memory of its own CTA, and the other thread is another
// CTA of the cluster. Places of such a test have 64 bits; an operation of 64 bits on global memory gets it by a shared
// place that nobody names.
//
// Where there is no test the error says why: what `run` does not have (other widths, types, generic addresses, two
// accesses with one address, which it keeps apart), or that no count of final states can tell.
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "hunt/ledger.h"

namespace fencepost::hunt {

struct DeviceTest {
  enum class Role : uint8_t { fault, sibling, control } role = Role::fault;
  std::string name, text;  // "MP+acquire+atom.acquire.gpu.shared.add.b64", a litmus test
};
// The one with the fault first. Errors say why there are none.
Expected<std::vector<DeviceTest>> device_tests(const Fault& f);

}  // namespace fencepost::hunt
