#pragma once
// Cycles as litmus tests of a dialect. A test is written as text and read by the dialect's front end, so that it is
// what a person's file of that text would be; the text is plain, emit prints it in columns.
//
// What an access without description means is given by `access`; its preset (default_access) makes sense of the cycle
// alone: weak in PTX and GPU_PTX, relaxed at the widest scope in VULKAN and OPENCL, whose plain accesses would be
// races.
//
//             PTX                     GPU_PTX               VULKAN                        OPENCL
//   warp      -                       same warp             sg                            -
//   cta       cta                     cta, membar.cta       wg                            work_group
//   gpu       gpu                     device, membar.gl     qf                            device
//   sys       sys                     membar.sys            dv                            all_svm_devices
//   weak      ld.weak                 ld.cg                 ld, ld.vis.S with a scope     *x
//   shared    -                       shared                -                             local
//   sc        fences                  fences only           -                             accesses and fences
//   DpAddr    -                       yes                   -                             yes
// Where the table says nothing the combination is refused: unsupported, by its name, at its place in the cycle.
#include <optional>
#include <string>

#include "cycle/name.h"
#include "prog/syntax.h"
#include "prog/test.h"

namespace fencepost::gen {

struct TestOptions {
  prog::Syntax syntax = prog::Syntax::ptx;  // ptx, gpu_ptx, vulkan, opencl
  std::optional<Node> access;               // empty: default_access(syntax)
  prog::Quantifier quantifier = prog::Quantifier::exists;
  std::string title;                 // empty: the name of the spec
  std::vector<std::string> remarks;  // after the cycle, which is always the first remark
};
Node default_access(prog::Syntax syntax);

Expected<std::string> litmus_text(const Spec& s, const TestOptions& o);
Expected<prog::Test> make_test(const Spec& s, const TestOptions& o);

// The five tests of sequential consistency per location, with their published forms (CoRR, CoRW1, CoRW2, CoWR, CoWW).
// Two of them are one thread's, which no cycle of external communications says. `placement`: of the tests of two
// threads.
struct Coherence {
  std::string name;
  prog::Test test;
};
Expected<std::vector<Coherence>> coherence_tests(const TestOptions& o, const Tree& placement);
// One of them by its name. `placement`: of its threads; a test of one thread has one.
Expected<prog::Test> coherence_test(const std::string& name, const TestOptions& o, const Tree& placement);

}  // namespace fencepost::gen
