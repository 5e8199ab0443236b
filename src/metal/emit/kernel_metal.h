#pragma once
// code::Kernel -> a kernel in the Metal Shading Language 3.2. Metal's atomics are relaxed; orders come from
// atomic_thread_fence(mem_flags, order, scope) alone. So relaxed and plain accesses and fences of any dialect are
// printed (scopes: cta, wg, sg -> thread_scope_threadgroup; wider ones -> thread_scope_device), and accesses with an
// order are refused by name, as are 64-bit atomics, which Metal lacks. Buffer k is [[buffer(k)]]; plain accesses are
// plain. No Metal compiler has seen these texts in our tests.
#include <string>

#include "base/diagnostic.h"
#include "code/kernel.h"

namespace fencepost::emit {

Expected<std::string> kernel_metal(const code::Kernel& kernel);

}  // namespace fencepost::emit
