#pragma once
// Kernels as the text that a device takes. Whoever loads kernels comes here: runs of tests on one device (runner.h) and
// on several (together.h), and progress trials (trial/trial.h).
//
//   kernels -> text_of -> device::Source -> Backend::load -> machine code -> what_ran
#include <optional>
#include <vector>

#include "base/diagnostic.h"
#include "code/kernel.h"
#include "device/backend.h"
#include "emit/kernel_ptx.h"
#include "inspect/ptx_gate.h"

namespace fencepost::campaign {

// The device's OpenCL C has inline PTX; kernels for the others use the atomics of the language.
bool takes_inline_ptx(const device::Info& info);

struct KernelText {
  device::Source source;
  std::optional<emit::PtxText> ptx;  // what machine code is held against; none: not PTX
};

// PTX takes one kernel a module; the other languages take all. `lock_step`: see PtxOptions. Fails where the language
// lacks an instruction of a kernel, by name.
Expected<KernelText> text_of(const std::vector<code::Kernel>& kernels, device::Language language,
                             const device::Info& info, bool lock_step = false);

// What the machine code of a kernel in PTX makes of it; `unknown`, with the reason, where the driver shows none.
inspect::WhatRanReport what_ran(const KernelText& text, const device::Binary& binary);

}  // namespace fencepost::campaign
