// CUDA. Atomics are inline PTX, so that what runs is what the options say: nvcc may turn atomicAdd(p, 0) into something
// else.
#include <fmt/format.h>

#include <algorithm>

#include "export/plan.h"

namespace fencepost::exports {
namespace {

std::string access(std::string_view function, std::string_view parameters, std::string_view ptx,
                   std::string_view operands) {
  return fmt::format(
      "static __device__ __forceinline__ unsigned {}({}) {{\n  unsigned old;\n  asm volatile(\"{}\" : \"=r\"(old) : {} "
      ": \"memory\");\n"
      "  return old;\n}}\n",
      function, parameters, ptx, operands);
}

constexpr std::string_view k_main = R"(
// One run. Returns how many invocations ended, or -1 after the time-out, when the kernel may still be running.
static long long run_once(const Test& test, unsigned seconds, Buffers& b) {
  std::vector<unsigned> start(static_cast<size_t>(test.locations) * test.words);
  for (unsigned l = 0; l < test.locations; ++l)
    std::fill_n(start.begin() + static_cast<size_t>(l) * test.words, test.words, test.initial[l]);
  if (start.size() > b.size) {
    if (b.memory) CHECK(cudaFree(b.memory));
    CHECK(cudaMalloc(&b.memory, start.size() * sizeof(unsigned)));
    b.size = start.size();
  }
  if (!b.counter) CHECK(cudaMalloc(&b.counter, sizeof(unsigned)));
  if (!b.stop) CHECK(cudaHostAlloc(&b.stop, sizeof(unsigned), cudaHostAllocMapped));
  *b.stop = 0;
  if (!start.empty()) CHECK(cudaMemcpy(b.memory, start.data(), start.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(b.counter, 0, sizeof(unsigned)));
  CHECK(cudaDeviceSynchronize());
  test.kernel<<<k_total / k_block, k_block>>>(b.memory, b.counter, b.stop);
  CHECK(cudaGetLastError());
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  bool stopped = false;
  for (;;) {
    const cudaError_t state = cudaStreamQuery(0);
    if (state == cudaSuccess) break;
    if (state != cudaErrorNotReady) CHECK(state);
    if (std::chrono::steady_clock::now() >= deadline) {
      if (!k_watchdog || stopped) return -1;
      stopped = true;
      *static_cast<volatile unsigned*>(b.stop) = 1;
      deadline += std::chrono::seconds(5);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  unsigned counted = 0;
  CHECK(cudaMemcpy(&counted, b.counter, sizeof counted, cudaMemcpyDeviceToHost));
  return counted;
}

// Shared between the parent and the children that use the device, so that a hung kernel costs one child.
struct Progress {
  unsigned next, failed;
};

static void run_tests(Progress& progress, unsigned runs, unsigned seconds, const char* only) {
  Buffers buffers;
  for (unsigned i = progress.next; i < k_tests_count; ++i) {
    const Test& test = k_tests[i];
    if (only && std::strcmp(only, test.name) != 0) continue;
    bool all_ended = true;
    for (unsigned run = 1; run <= runs && all_ended; ++run) {
      const long long counted = run_once(test, seconds, buffers);
      if (counted == static_cast<long long>(k_total)) continue;
      all_ended = false;
      ++progress.failed;
      progress.next = i + 1;
      if (counted < 0) {
        std::printf("%s: timed out after %u s in run %u\n", test.name, seconds, run);
        std::fflush(stdout);
        _exit(1);  // the kernel never ends: leave it to the driver
      }
      std::printf("%s: %lld of %u ended in run %u%s\n", test.name, counted, k_total, run, k_watchdog ? ", then it timed out" : "");
    }
    if (all_ended) std::printf("%s: all %u ended, %u of %u runs\n", test.name, k_total, runs, runs);
    std::fflush(stdout);
  }
  progress.next = k_tests_count;
}

static int usage(const char* program) {
  std::fprintf(stderr, "usage: %s [--runs N] [--seconds S] [--test NAME]\n", program);
  return 2;
}

int main(int argc, char** argv) {
  unsigned runs = k_runs, seconds = k_seconds;
  const char* only = nullptr;
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) return usage(argv[0]);
    if (!std::strcmp(argv[i], "--runs")) runs = static_cast<unsigned>(std::strtoul(argv[i + 1], nullptr, 10));
    else if (!std::strcmp(argv[i], "--seconds")) seconds = static_cast<unsigned>(std::strtoul(argv[i + 1], nullptr, 10));
    else if (!std::strcmp(argv[i], "--test")) only = argv[i + 1];
    else return usage(argv[0]);
  }
  if (runs == 0 || seconds == 0) return usage(argv[0]);
  unsigned tests = 0;
  for (const Test& test : k_tests) tests += !only || !std::strcmp(only, test.name);
  if (tests == 0) {
    std::fprintf(stderr, "no test is called '%s'\n", only);
    return 2;
  }
  auto* progress = static_cast<Progress*>(mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (progress == MAP_FAILED) return 2;
  while (progress->next < k_tests_count) {
    const pid_t child = fork();
    if (child < 0) return 2;
    if (child == 0) {
      run_tests(*progress, runs, seconds, only);
      std::fflush(stdout);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) <= 1) continue;
    std::fprintf(stderr, "the device or its driver failed; giving up\n");
    return 2;
  }
  std::printf("%u tests, %u failed\n", tests, progress->failed);
  return progress->failed == 0 ? 0 : 1;
}
)";

}  // namespace

std::string print_cuda(const std::vector<Plan>& plans, const Options& o) {
  const Dialect d{.uint = "unsigned",
                  .function = "static __device__ ",
                  .going = o.watchdog ? std::string_view(" && !*stop") : std::string_view()};
  size_t most = 1;
  for (const auto& p : plans) most = std::max(most, p.test->locations.size());
  std::string out = heading(plans, o);
  out +=
      "//\n// Build: nvcc -arch=sm_90 FILE.cu, or any other architecture from sm_70 on.   Run: ./a.out [--runs N] "
      "[--seconds S]\n"
      "// [--test NAME]. Exit code: 0 when every run ended, 1 when one timed out, 2 when used wrongly or without a "
      "device.\n"
      "// A kernel that starves is left behind in a child process; if the driver cannot get rid of it, the program "
      "hangs, so\n"
      "// run it under an outer limit: timeout -k 5 SECONDS ./a.out (124 or 137 then means the same as 1).\n";
  out +=
      "#include <cuda_runtime.h>\n#include <sys/mman.h>\n#include <sys/wait.h>\n#include <unistd.h>\n\n#include "
      "<algorithm>\n#include <chrono>\n"
      "#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <thread>\n#include <vector>\n\n";
  out += fmt::format(
      "constexpr unsigned k_total = {}, k_block = {};  // invocations launched, and how many of them in a block\n"
      "constexpr unsigned k_runs = {}, k_seconds = {};\nconstexpr bool k_watchdog = {};  // the loops read a stop "
      "flag\n\n",
      plans[0].layout.total, o.workgroup, o.runs, o.time_out, o.watchdog);
  const std::string_view fence = o.order == Order::seq_cst ? "fence.sc.gpu; " : "";
  const std::string_view rmw = o.order == Order::relaxed ? "relaxed" : "acq_rel",
                         load = o.order == Order::relaxed ? "relaxed" : "acquire";
  out += access("exchange", "unsigned* word, unsigned value",
                fmt::format("{}atom.{}.gpu.exch.b32 %0, [%1], %2;", fence, rmw), "\"l\"(word), \"r\"(value)");
  out += o.loads == Loads::add
             ? access("fetch", "unsigned* word", fmt::format("{}atom.{}.gpu.add.u32 %0, [%1], 0;", fence, rmw),
                      "\"l\"(word)")
             : access("fetch", "unsigned* word", fmt::format("{}ld.{}.gpu.u32 %0, [%1];", fence, load), "\"l\"(word)");
  out += fmt::format("\n{}", hybrid_functions(o, d));
  for (const auto& p : plans) {
    const auto used = used_locations(*p.test);
    out += description(p);
    out += fmt::format(
        "static __global__ void {}(unsigned* memory, unsigned* counter, const volatile unsigned* stop) {{\n"
        "  const unsigned gid = blockIdx.x * blockDim.x + threadIdx.x;\n{}",
        p.name, role(p, d));
    if (o.watchdog) out += "  bool ended = true;\n";
    out += "  if (takes_part) {\n";
    for (size_t l = 0; l < used.size(); ++l)
      if (used[l]) out += fmt::format("    unsigned* {} = {};\n", p.locations[l], word_of(p, l));
    out += threads(p, d, 4) + "  }\n";
    out += o.watchdog ? "  if (ended) atomicAdd(counter, 1u);\n}\n\n" : "  atomicAdd(counter, 1u);\n}\n\n";
  }
  out += fmt::format(
      "struct Test {{\n  const char* name;\n  void (*kernel)(unsigned* memory, unsigned* counter, const volatile "
      "unsigned* stop);\n"
      "  unsigned locations, words;  // words: of one location over all instances\n  unsigned initial[{}];\n}};\n"
      "static const Test k_tests[] = {{\n",
      most);
  for (const auto& p : plans) {
    std::string initial;
    for (const auto& l : p.test->locations) initial += fmt::format("{}{}u", initial.empty() ? "" : ", ", l.init);
    out +=
        fmt::format("    {{\"{0}\", {0}, {1}, {2}, {{{3}}}}},\n", p.name, p.test->locations.size(), p.words, initial);
  }
  out +=
      "};\nconstexpr unsigned k_tests_count = sizeof k_tests / sizeof *k_tests;\n\n"
      "struct Buffers {\n  unsigned* memory = nullptr;\n  unsigned* counter = nullptr;\n  unsigned* stop = nullptr;\n  "
      "size_t size = 0;\n};\n\n"
      "#define CHECK(call)                                                       \\\n"
      "  do {                                                                    \\\n"
      "    const cudaError_t error = (call);                                     \\\n"
      "    if (error != cudaSuccess) {                                           \\\n"
      "      std::fprintf(stderr, \"CUDA: %s\\n\", cudaGetErrorString(error));       \\\n"
      "      _exit(2);                                                           \\\n"
      "    }                                                                     \\\n"
      "  } while (0)\n";
  return out + std::string(k_main);
}

}  // namespace fencepost::exports
