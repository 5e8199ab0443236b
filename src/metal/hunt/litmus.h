#pragma once
// Litmus tests of a fault, for a device: does hardware show what the machine code lacks? They are tests of `run`
// (docs/run.md), which brings locations into the first-level cache before the test, delays its threads, and makes
// traffic beside it.
//
// One test has the instruction at fault; others have a form in its place that is compiled right (cas, exch, an explicit
// fence), and must not show the outcome; one has a relaxed form, and must show it: without that nothing is said of the
// device.
//   lost acquire   P0: x = 1; release y   | P1: the instruction on y; read x
//   lost release   P0: x = 1; the instruction on y   | P1: acquire y; read x
// An instruction on shared memory gets y in the shared memory of its own CTA, and the other thread is another CTA of
// the cluster.
//
// Made for a release or an acquire that is lost, by atomic operations and accesses of 64 bits on global or shared
// memory: the tests of `run` with shared memory have 64 bits and no generic addresses.
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
