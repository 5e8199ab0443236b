// Metal Shading Language. Its atomics on device memory are relaxed only.
#include <fmt/format.h>

#include "export/plan.h"

namespace fencepost::exports {

std::string print_metal(const std::vector<Plan>& plans, const Options& o) {
  const Dialect d{.function = "static inline "};
  std::string out = heading(plans, o);
  out += fmt::format(
      "//\n// Build: xcrun metal -std=metal3.0 FILE.metal -o FILE.metallib. Dispatch {} threadgroups of {} in x; "
      "buffer 0 holds the locations\n"
      "// one after the other, filled with their initial values before every run, buffer 1 the counter, 0 before every "
      "run.\n"
      "// A command buffer that ends with an error, or with another count, has not ended.\n",
      plans[0].layout.total / o.workgroup, o.workgroup);
  out += "#include <metal_stdlib>\nusing namespace metal;\n\n";
  out +=
      "static inline uint exchange(device atomic_uint* word, uint value) {\n"
      "  return atomic_exchange_explicit(word, value, memory_order_relaxed);\n}\n"
      "static inline uint fetch(device atomic_uint* word) {\n";
  out += o.loads == Loads::add ? "  return atomic_fetch_add_explicit(word, 0u, memory_order_relaxed);\n}\n\n"
                               : "  return atomic_load_explicit(word, memory_order_relaxed);\n}\n\n";
  out += hybrid_functions(o, d);
  for (const auto& p : plans) {
    const auto used = used_locations(*p.test);
    out += description(p);
    for (size_t l = 0; l < p.locations.size(); ++l)
      out += fmt::format("// {}: words {} to {} of buffer 0, initially {}\n", p.locations[l], l * p.words,
                         (l + 1) * p.words - 1, p.test->locations[l].init);
    out += fmt::format(
        "kernel void {}(device atomic_uint* memory [[buffer(0)]], device atomic_uint* counter [[buffer(1)]],\n"
        "                uint gid [[thread_position_in_grid]]) {{\n{}  if (takes_part) {{\n",
        p.name, role(p, d));
    for (size_t l = 0; l < used.size(); ++l)
      if (used[l]) out += fmt::format("    device atomic_uint* {} = {};\n", p.locations[l], word_of(p, l));
    out += threads(p, d, 4) + "  }\n  atomic_fetch_add_explicit(counter, 1u, memory_order_relaxed);\n}\n\n";
  }
  return out;
}

}  // namespace fencepost::exports
