#pragma once
// Kernels for the tests of the PTX printer, the gate and the backend.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "code/kernel.h"
#include "device/cuda/assembler.h"
#include "prog/test.h"

// The assembler of this machine; tests that need it say SKIP_WITHOUT_PTXAS first.
const std::optional<fencepost::device::cuda::Assembler>& ptxas();
#define SKIP_WITHOUT_PTXAS() \
  if (!ptxas()) GTEST_SKIP() << "no ptxas: set FENCEPOST_PTXAS or put it on the PATH"

// Every statement kind, operator, width, order, operation and space of the frame, over one buffer `memory` of words,
// `out` for results and 64 words of shared memory. Deterministic for one invocation.
fencepost::code::Kernel every_statement();

// The instructions of a test, one thread after another, jumps and labels left out: workgroup t runs thread t. Places
// are words of `memory` whose indices come from `where`, and registers are stored to `out`. `why`: what has no place
// here.
std::optional<fencepost::code::Kernel> straight_kernel(const fencepost::prog::Test& test, std::string& why);

// One role of these PTX instructions on 32-bit locations: "st x 1", "ld x", "fence.sc.gpu" in PTX spelling
// ("st.relaxed.gpu x 1"). Loaded values are stored to out[k].
fencepost::code::Kernel role_of(const std::vector<std::string>& instructions, bool shared = false, uint8_t width = 32);
