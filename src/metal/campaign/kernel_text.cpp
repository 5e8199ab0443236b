#include "campaign/kernel_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "device/cuda/cuda.h"
#include "emit/kernel_opencl.h"
#include "emit/kernel_spirv.h"

namespace fencepost::campaign {

bool takes_inline_ptx(const device::Info& info) {
  return std::any_of(info.properties.begin(), info.properties.end(),
                     [](const device::Property& p) { return p.name == "inline ptx" && p.value == "yes"; });
}

Expected<KernelText> text_of(const std::vector<code::Kernel>& kernels, device::Language language,
                             const device::Info& info, bool lock_step) {
  KernelText out{{language, "", kernels}, std::nullopt};
  switch (language) {
    case device::Language::code:
      break;
    case device::Language::ptx: {
      FENCEPOST_INVARIANT(kernels.size() == 1, "a module in PTX has one kernel");
      emit::PtxOptions o;
      if (const uint32_t sm = device::cuda::sm_of(info); sm != 0) o.sm = sm;
      o.lock_step = lock_step;
      auto text = emit::kernel_ptx(kernels.front(), o);
      if (!text) return std::unexpected(text.error());
      out.source.bytes = text->text;
      out.ptx = std::move(*text);
      break;
    }
    case device::Language::opencl_c: {
      const auto kind = takes_inline_ptx(info) ? emit::OpenclKind::inline_ptx : emit::OpenclKind::scoped;
      const auto text = emit::kernel_opencl(kernels, kind);
      if (!text) return std::unexpected(text.error());
      out.source.bytes = "// options: " + text->options + "\n" + text->text;
      break;
    }
    case device::Language::spirv: {
      auto text = emit::kernel_spirv(kernels);
      if (!text) return std::unexpected(text.error());
      out.source.bytes = std::move(text->words);
      break;
    }
  }
  return out;
}

inspect::WhatRanReport what_ran(const KernelText& text, const device::Binary& binary) {
  FENCEPOST_INVARIANT(text.ptx.has_value(), "only machine code of PTX is looked at");
  inspect::WhatRanReport out;
  if (std::string fault = emit::fault_of(*text.ptx, text.source.kernels.front()); !fault.empty()) {
    out.verdict = inspect::WhatRan::dropped;
    out.reason = std::move(fault);
  } else if (binary.kind == "cubin") {
    out = inspect::what_ran(*text.ptx, binary.bytes);
  } else {
    out.reason = fmt::format("the driver gave no machine code but {}", binary.kind);
  }
  return out;
}

}  // namespace fencepost::campaign
