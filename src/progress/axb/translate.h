#pragma once
// Progress tests as litmus tests and back, so that `check` may be asked about the test whose ending the oracle decides.
//
//                 PTX                    VULKAN                 OPENCL
//   store         st.relaxed.gpu x, v    st.atom.dv.sc0 x, v    atomic_store_explicit(x, v, relaxed, device)
//   check-branch  ld; beq r, check, L    ld.atom; beq           r = atomic_load_explicit(...); if (r == check) goto L;
//   exch-branch   atom.exch; beq         rmw.atom; beq          r = atomic_exchange_explicit(...); if ...
//
//   cas-branch    atom.cas; beq or bne   refused               refused
//
// Every access has the scope of the whole device, so that placement decides nothing but who shares a workgroup. A
// register is r<pc>, a label LC<pc>. Values are 32-bit patterns: 64-bit numbers from 0 to 2^32 - 1 in PTX and VULKAN,
// `int` in OPENCL (4294967295 is -1 there). Law: read::parse(print::print(to_prog(t))) == to_prog(t), and
// from_prog(to_prog(t)) == t but for remarks, configuration, and names that litmus cannot spell.
//
// The two differ in what a run is: AXB instructions take effect one by one (sequential consistency), a litmus test
// means what the model says. With one location every model with coherence agrees with AXB on final memory.
#include <optional>
#include <vector>

#include "axb/test.h"
#include "prog/test.h"
#include "vocab/vocab.h"

namespace fencepost::axb {

// Who shares what. PTX litmus knows no warps: there same_subgroup is same_workgroup.
enum class Placement : uint8_t { own_workgroup, same_workgroup, same_subgroup };
// acq_rel: loads acquire, stores release, exchanges both. sc: sequentially consistent accesses in OPENCL, a fence.sc
// before each access in PTX; VULKAN has none, and refuses.
enum class Order : uint8_t { relaxed, acq_rel, sc };

struct FinalValue {
  uint32_t location = 0;
  Value value = 0;
};

struct TranslateOptions {
  Placement placement = Placement::own_workgroup;
  Order order = Order::relaxed;
  bool loads_as_rmw = false;  // a check-branch reads by adding 0: on hardware that never returns a stale value
  // The question, over final memory: all of these values together. `none`: no condition. The final value of every
  // location is observed in any case.
  prog::Quantifier quantifier = prog::Quantifier::none;
  std::vector<FinalValue> final_values;
};

// Dialects ptx, vulkan and opencl. Errors: Order::sc in VULKAN (unsupported), an invalid test.
Expected<prog::Test> to_prog(const Test& test, vocab::Dialect dialect, const TranslateOptions& options = {});

// Recovers AXB: every memory access becomes one instruction, with what is done with the value read until the next
// access. The condition, scopes and orders are dropped; so are fences, which mean nothing where instructions take
// effect one by one. Refused, where it stands: accesses that are not atomic, barriers, other read-modify-writes than
// exchange, compare-and-swap that is compared with what it expects, and adding 0, stored values that are not
// constant, branches on an earlier value or on another comparison, three-way branches, and control flow that no order
// of the instructions gives (an unconditional jump backwards, or past code that is needed). A branch on "not equal"
// is turned round where only two values can be in the location.
Expected<Test> from_prog(const prog::Test& test);

}  // namespace fencepost::axb
