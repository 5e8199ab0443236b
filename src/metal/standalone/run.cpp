#include "standalone/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "emit/kernel_ptx.h"
#include "print/litmus.h"
#include "prog/state.h"
#include "standalone/source_text.h"

namespace fencepost::standalone {
namespace {

using plan::BufferUse;

Expected<std::string> module_of(const plan::Program& p, uint32_t sm) {
  return emit::kernels_ptx({p.kernels.begin(), p.kernels.end()}, {.sm = sm});
}

std::string head(const plan::Program& p, const plan::Configuration& c, const Origin& origin) {
  std::string out = fmt::format("// Made by {}.\n", origin.program);
  if (!origin.command.empty()) out += fmt::format("//   {}\n", origin.command);
  out += "//\n// The test:\n" + commented(print::print(p.test));
  out += fmt::format("//\n// Parameters, drawn with seed {}:\n//   {}\n", c.seed, plan::to_string(c.drawn));
  out += fmt::format("// A launch: {} workgroups of {} threads{}, {} rounds of {} instances.\n", c.groups, c.lanes,
                     c.cluster > 1 ? fmt::format(" in clusters of {}", c.cluster) : "", c.rounds, c.map.instances());
  return out;
}

std::string names_of_uses(const std::vector<BufferUse>& uses) {
  std::vector<std::string> names;
  for (const BufferUse u : uses) names.emplace_back(plan::name(u));
  return fmt::format("{}", fmt::join(names, ", "));
}

// The final state is one that the test asks about.
bool meets(const plan::Program& p, uint32_t number) {
  const prog::State s = p.state(number);
  return plan::holds(p.test, p.observables, s, p.test.filter) &&
         plan::holds(p.test, p.observables, s, p.test.condition);
}

std::string numbers(const auto& list) { return fmt::format("{}", fmt::join(list, ", ")); }

constexpr const char* k_host =
    R"HOST(#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

// ---- what the test is, as numbers ----
@TABLES@
static const char module_text[] =
@PTX@    ;

// ---- running it ----
static void check(CUresult r, const char* what) {
  if (r == CUDA_SUCCESS) return;
  const char *name = "?", *text = "?";
  cuGetErrorName(r, &name);
  cuGetErrorString(r, &text);
  std::fprintf(stderr, "%s: %s: %s\n", what, name, text);
  std::exit(2);
}

int main(int argc, char** argv) {
  const int launches = argc > 1 ? std::atoi(argv[1]) : 100;
  CUdevice device;
  CUcontext context;
  check(cuInit(0), "cuInit");
  check(cuDeviceGet(&device, 0), "cuDeviceGet");
  check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  int units = 1;
  check(cuDeviceGetAttribute(&units, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device), "cuDeviceGetAttribute");

  static char log[16384];
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  CUmodule module;
  const CUresult loaded = cuModuleLoadDataEx(&module, module_text, 2, options, values);
  if (loaded != CUDA_SUCCESS) std::fprintf(stderr, "%s\n", log);
  check(loaded, "cuModuleLoadDataEx");

  CUdeviceptr buffers[buffer_count];
  for (int b = 0; b < buffer_count; ++b) {
    check(cuMemAlloc(&buffers[b], buffer_words[b] * 4), "cuMemAlloc");
    check(cuMemsetD32(buffers[b], 0, buffer_words[b]), "cuMemsetD32");
  }
  check(cuMemcpyHtoD(buffers[0], parameters, sizeof parameters), "cuMemcpyHtoD");

  static unsigned long long zeros[512];  // `opaque` of the kernels: must be 0
  const auto launch = [&](const char* name, const int* uses, int count, unsigned groups, unsigned lanes@CLUSTER_PARAMETER@) {
    CUfunction function;
    check(cuModuleGetFunction(&function, module, name), "cuModuleGetFunction");
    std::vector<void*> arguments;
    for (int u = 0; u < count; ++u) arguments.push_back(&buffers[uses[u]]);
    arguments.push_back(zeros);
    @LAUNCH@
  };

  std::vector<unsigned long long> totals(count_words, 0);
  std::vector<unsigned> counts(count_words);
  CUevent begin, end;
  check(cuEventCreate(&begin, 0), "cuEventCreate");
  check(cuEventCreate(&end, 0), "cuEventCreate");
  double seconds = 0;
  for (int n = 0; n < launches; ++n) {
    launch(@INITIALISE@, initialise_uses, initialise_count, 8 * units, 256);
    check(cuEventRecord(begin, nullptr), "cuEventRecord");
    launch(@TEST@, test_uses, test_count, @GROUPS@, @LANES@@CLUSTER@);
    check(cuEventRecord(end, nullptr), "cuEventRecord");
    launch(@CLASSIFY@, classify_uses, classify_count, 8 * units, 256);
    check(cuMemcpyDtoH(counts.data(), buffers[counts_buffer], count_words * 4), "cuMemcpyDtoH");
    float milliseconds = 0;
    check(cuEventElapsedTime(&milliseconds, begin, end), "cuEventElapsedTime");
    seconds += milliseconds * 1e-3;
    for (int s = 0; s < count_words; ++s) totals[s] += counts[s];
  }

  unsigned long long sum = 0, met = 0;
  for (int s = 0; s < count_words; ++s) sum += totals[s];
  std::printf("Test @TITLE@\nHistogram\n");
  for (int s = 0; s < states; ++s) {
    if (totals[s] == 0) continue;
    std::printf("%12llu %s> %s\n", totals[s], state_meets[s] ? "*" : ":", state_names[s]);
    if (state_meets[s]) met += totals[s];
  }
  std::printf("Condition met %llu times of %llu, in %.3f s on the device (%.3g instances/s)\n", met, sum, seconds,
              seconds > 0 ? static_cast<double>(sum) / seconds : 0);
  if (totals[states + 1] > 0) std::printf("%llu instances met the limit of their loops\n", totals[states + 1]);
  const unsigned long long wanted = instances * static_cast<unsigned long long>(launches);
  if (totals[states] > 0 || sum != wanted) {
    std::printf("CORRUPT: %llu undecodable, %llu of %llu instances counted: do not trust the numbers above\n",
                totals[states], sum, wanted);
    return 3;
  }
  return 0;
}
)HOST";

constexpr const char* k_plain_launch =
    "check(cuLaunchKernel(function, groups, 1, 1, lanes, 1, 1, 0, nullptr, arguments.data(), nullptr), name);";
constexpr const char* k_cluster_launch = R"HOST(CUlaunchAttribute in_clusters = {};
    in_clusters.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    in_clusters.value.clusterDim.x = cluster;
    in_clusters.value.clusterDim.y = in_clusters.value.clusterDim.z = 1;
    CUlaunchConfig how = {};
    how.gridDimX = groups, how.gridDimY = how.gridDimZ = 1;
    how.blockDimX = lanes, how.blockDimY = how.blockDimZ = 1;
    how.attrs = &in_clusters;
    how.numAttrs = cluster > 1 ? 1 : 0;
    if (cluster > 8)
      check(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1), "cuFuncSetAttribute");
    check(cuLaunchKernelEx(&how, function, arguments.data(), nullptr), name);)HOST";

std::string tables(const plan::Program& p, const plan::Configuration& c) {
  std::string out;
  const auto line = [&](std::string s) { out += s + "\n"; };
  line(fmt::format("static const int states = {}, count_words = {}, counts_buffer = {}, buffer_count = {};", p.states,
                   p.count_words(), static_cast<size_t>(BufferUse::counts), plan::k_buffer_uses));
  line(fmt::format("static const unsigned long long instances = {}ull;  // of one launch", c.instances()));
  std::vector<std::string> sizes;
  for (const uint64_t s : c.sizes) sizes.push_back(fmt::format("{}ull", std::max<uint64_t>(s, 1)));
  line(fmt::format("static const unsigned long long buffer_words[] = {{{}}};", numbers(sizes)));
  std::vector<std::string> words;
  for (const uint32_t w : c.words) words.push_back(fmt::format("{}u", w));
  line(fmt::format("static const unsigned parameters[] = {{{}}};", numbers(words)));
  static constexpr const char* phases[] = {"initialise", "test", "classify"};
  for (size_t k = 0; k < 3; ++k) {
    std::vector<size_t> uses;
    for (const BufferUse u : p.uses[k]) uses.push_back(static_cast<size_t>(u));
    line(fmt::format("static const int {0}_uses[] = {{{1}}}, {0}_count = {2};  // {3}", phases[k], numbers(uses),
                     uses.size(), names_of_uses(p.uses[k])));
  }
  std::vector<std::string> names, asked;
  for (uint32_t s = 0; s < p.states; ++s) {
    names.push_back(literal(prog::to_string(p.observables, p.state(s))));
    asked.emplace_back(meets(p, s) ? "1" : "0");
  }
  line(fmt::format("static const char* const state_names[] = {{{}}};", numbers(names)));
  line(fmt::format("static const char state_meets[] = {{{}}};", numbers(asked)));
  return out;
}

}  // namespace

plan::Target h200() {
  plan::Target t;
  t.units = 132;
  t.subgroup = 32;
  t.max_lanes = 1024;
  t.max_groups = 65535;
  t.shared_words = 12288;
  t.line_words = 32;
  t.resident = {{1024, 132}};
  t.max_cluster = 16;
  t.memory_words = uint64_t{1} << 28;
  return t;
}

Expected<std::string> cuda_source(const plan::Program& p, const plan::Configuration& c, uint32_t sm,
                                  const Origin& origin) {
  const auto module = module_of(p, sm);
  if (!module) return std::unexpected(module.error());
  std::string host = k_host;
  std::string title = literal(p.test.title);
  title = title.substr(1, title.size() - 2);
  replace(title, "%", "%%");
  replace(host, "@TITLE@", title);
  replace(host, "@GROUPS@", std::to_string(c.groups));
  replace(host, "@LANES@", std::to_string(c.lanes));
  replace(host, "@CLUSTER_PARAMETER@", c.cluster > 1 ? ", unsigned cluster = 1" : "");
  replace(host, "@CLUSTER@", c.cluster > 1 ? fmt::format(", {}", c.cluster) : "");
  replace(host, "@LAUNCH@", c.cluster > 1 ? k_cluster_launch : k_plain_launch);
  static constexpr const char* slots[] = {"@INITIALISE@", "@TEST@", "@CLASSIFY@"};
  for (size_t k = 0; k < 3; ++k) replace(host, slots[k], literal(p.kernels[k].name));
  replace(host, "@TABLES@", tables(p, c));
  replace(host, "@PTX@", as_literals(*module));
  return "// Build: nvcc -O2 -o reproducer THIS_FILE -lcuda      Run: ./reproducer [LAUNCHES]\n" + head(p, c, origin) +
         "\n" + host;
}

Expected<std::string> ptx(const plan::Program& p, const plan::Configuration& c, uint32_t sm, const Origin& origin) {
  const auto module = module_of(p, sm);
  if (!module) return std::unexpected(module.error());
  std::string out = head(p, c, origin);
  out +=
      "//\n// Each entry takes the 64-bit addresses of its buffers, then a block of zeros. Launch in this order; "
      "`counts` then\n"
      "// holds the number of instances of each final state, then those with undecodable results, then those whose "
      "loops\n"
      "// met their limit.\n";
  for (size_t k = 0; k < 3; ++k)
    out += fmt::format("//   {}({}): {}\n", p.kernels[k].name, names_of_uses(p.uses[k]),
                       k == 1 ? fmt::format("{} workgroups of {}{}", c.groups, c.lanes,
                                            c.cluster > 1 ? fmt::format(", in clusters of {}", c.cluster) : "")
                              : "any number of workgroups");
  out += "// Buffers, in 32-bit words, all 0 but `parameters`:\n";
  for (size_t u = 0; u < plan::k_buffer_uses; ++u)
    out += fmt::format("//   {} {}\n", plan::name(static_cast<BufferUse>(u)), std::max<uint64_t>(c.sizes[u], 1));
  out += fmt::format("// Contents of `parameters`:\n//   {}\n// Final states:\n", numbers(c.words));
  for (uint32_t s = 0; s < p.states; ++s)
    out += fmt::format("//   {} {}{}\n", s, prog::to_string(p.observables, p.state(s)), meets(p, s) ? "  *" : "");
  return out + "\n" + *module;
}

}  // namespace fencepost::standalone
