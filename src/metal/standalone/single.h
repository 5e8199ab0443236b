#pragma once
// One instance of a test as one kernel, without anything around it: each thread of the test is one invocation, placed
// by its scope path. For reproducers that a person reads and sends, and for texts that `check` reads back; to run a
// test, plan.h.
//
//   threads   block b of the tree is workgroup b; warp w, position p of a block is lane w * subgroup + p
//   memory    an object is a buffer of its own, named after it, where every access names its cell by a constant; else
//             all objects of the launch lie in the buffer `memory`. Objects in shared memory are set by lane 0 and
//             met at a barrier before, and copied to their observables after, the test
//   results   buffer `out`: the observed registers, then the observed cells of shared memory
//
// Loops are cut off after `spin_limit` rounds, as every loop of a kernel must end by itself.
// Errors: what plan.h refuses of a test; barriers that not all threads of a workgroup pass.
#include <string>
#include <vector>

#include "code/kernel.h"
#include "plan/tree.h"
#include "prog/state.h"

namespace fencepost::standalone {

struct Single {
  struct Buffer {
    std::vector<uint32_t> words;  // initial contents
  };
  struct Where {  // of an observable, in a buffer, after the launch
    uint32_t buffer = 0, word = 0;
    uint8_t width = 32;  // in the kernel
  };
  prog::Test test;
  code::Kernel kernel;
  plan::Tree tree;
  uint32_t groups = 1, subgroups = 1, subgroup = 1;  // lanes of a workgroup: subgroups * subgroup
  std::vector<Buffer> buffers;                       // parallel to Kernel::buffers
  std::vector<prog::Observable> observables;
  std::vector<Where> where;  // parallel to observables
  bool loops = false;
};

struct SingleOptions {
  uint32_t subgroup = 0;  // invocations of a subgroup; 0: as many as the test needs
  uint32_t spin_limit = 1u << 20;
  bool wide = false;  // keep 64-bit words where 32 would do
};
Expected<Single> single_kernel(const prog::Test& test, const SingleOptions& options = {});

}  // namespace fencepost::standalone
