// GLSL for Vulkan, alone (.comp, Vulkan memory model) and inside an Amber script (.amber, without it: Amber cannot
// be relied on to enable the feature). Locations are buffers of their own, because Amber fills a buffer with one value.
#include <fmt/format.h>

#include "export/plan.h"

namespace fencepost::exports {
namespace {

std::string shader(const Plan& p, const Options& o, bool vulkan_model) {
  const Dialect d{.index = "[at]"};
  const auto used = used_locations(*p.test);
  const bool scoped = vulkan_model || o.order != Order::relaxed || o.loads == Loads::load;
  std::string out = "#version 450\n";
  if (scoped) out += "#extension GL_KHR_memory_scope_semantics : require\n";
  if (vulkan_model) out += "#pragma use_vulkan_memory_model\n";
  out += heading({p}, o);
  out += fmt::format("layout(local_size_x = {}) in;\n", o.workgroup);
  for (size_t l = 0; l < p.locations.size(); ++l)
    out += fmt::format("layout(std430, set = 0, binding = {}) buffer Location{} {{ uint {}[{}]; }};  // initially {}\n",
                       l, l, p.locations[l], p.words, p.test->locations[l].init);
  out += fmt::format(
      "layout(std430, set = 0, binding = {}) buffer Counter {{ uint counter; }};  // initially 0, {} when all "
      "ended\n\n",
      p.locations.size(), p.layout.total);
  if (!scoped) {
    out += "#define exchange(word, value) atomicExchange(word, value)\n#define fetch(word) atomicAdd(word, 0u)\n\n";
  } else {
    const bool relaxed = o.order == Order::relaxed;
    const auto semantics = [&](bool load) {
      return relaxed ? std::string("gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed")
                     : fmt::format("gl_ScopeDevice, gl_StorageSemanticsBuffer, {}",
                                   load ? "gl_SemanticsAcquire" : "gl_SemanticsAcquireRelease");
    };
    out += fmt::format("#define exchange(word, value) atomicExchange(word, value, {})\n", semantics(false));
    out += o.loads == Loads::add ? fmt::format("#define fetch(word) atomicAdd(word, 0u, {})\n\n", semantics(false))
                                 : fmt::format("#define fetch(word) atomicLoad(word, {})\n\n", semantics(true));
  }
  out += hybrid_functions(o, d);
  out += "void main() {\n  const uint gid = gl_GlobalInvocationID.x;\n" + role(p, d) + "  if (takes_part) {\n";
  if (p.layout.mapping == Mapping::plain)
    out += "    const uint at = 0u;\n";
  else if (p.padding == 1)
    out += "    const uint at = instance;\n";
  else
    out += fmt::format("    const uint at = instance * {}u;\n", p.padding);
  return out + threads(p, d, 4) + "  }\n  atomicAdd(counter, 1u);\n}\n";
}

}  // namespace

std::string print_glsl(const Plan& p, const Options& o) {
  std::string out = shader(p, o, true);
  const std::string build = fmt::format(
      "//\n// Build: glslangValidator -V --target-env vulkan1.2 FILE.comp. Dispatch {} workgroups in x, with a "
      "time-out on the fence;\n"
      "// the device needs the features vulkanMemoryModel and vulkanMemoryModelDeviceScope.\n",
      p.layout.total / o.workgroup);
  return out.insert(out.find("layout("), build);
}

std::string print_amber(const Plan& p, const Options& o) {
  std::string out = fmt::format(
      "#!amber\n# Run: amber FILE.amber. One run: repeat it from outside, under an outer limit (timeout -k 5 SECONDS "
      "amber ...). A run that\n"
      "# the limit kills has failed as well: Amber prints nothing then, so count it by timeout's exit code, 124 or "
      "137.\n"
      "SET ENGINE_DATA fence_timeout_ms {}\n\nSHADER compute progress GLSL TARGET_ENV spv1.3\n",
      uint64_t{o.time_out} * 1000);
  out += shader(p, o, false) + "END\n\n";
  for (size_t l = 0; l < p.locations.size(); ++l)
    out +=
        fmt::format("BUFFER {} DATA_TYPE uint32 SIZE {} FILL {}\n", p.locations[l], p.words, p.test->locations[l].init);
  out += "BUFFER counter DATA_TYPE uint32 SIZE 1 FILL 0\n\nPIPELINE compute launch\n  ATTACH progress\n";
  for (size_t l = 0; l < p.locations.size(); ++l)
    out += fmt::format("  BIND BUFFER {} AS storage DESCRIPTOR_SET 0 BINDING {}\n", p.locations[l], l);
  out += fmt::format(
      "  BIND BUFFER counter AS storage DESCRIPTOR_SET 0 BINDING {}\nEND\n\nRUN launch {} 1 1\nEXPECT counter IDX 0 EQ "
      "{}\n",
      p.locations.size(), p.layout.total / o.workgroup, p.layout.total);
  return out;
}

}  // namespace fencepost::exports
