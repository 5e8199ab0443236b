// The program around the module of ptx9.h: one file for a C++ compiler and the CUDA driver.
#include "standalone/ptx9_host.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "async/ptx9.h"
#include "print/litmus.h"
#include "prog/state.h"
#include "standalone/source_text.h"
#include "term/term.h"

namespace fencepost::standalone {
namespace {

using namespace async;

constexpr const char* k_host = R"HOST(#include <cuda.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

// ---- what the test is, as numbers ----
@TABLES@
typedef long long value;
// Whether a final state is one that the test asks about.
static bool asked(const value* v) {
  (void)v;
  return @CONDITION@;
}
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

// The module, or a cubin that was made of it.
static std::string module_of(const char* file) {
  if (file == nullptr) return std::string(module_text, sizeof module_text);
  std::string out;
  FILE* in = std::fopen(file, "rb");
  if (in == nullptr) {
    std::fprintf(stderr, "%s cannot be read\n", file);
    std::exit(2);
  }
  char buffer[65536];
  for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, in)) > 0;) out.append(buffer, n);
  std::fclose(in);
  return out;
}

static CUdeviceptr allocate(size_t bytes) {
  CUdeviceptr out;
  check(cuMemAlloc(&out, bytes), "cuMemAlloc");
  check(cuMemsetD8(out, 0, bytes), "cuMemsetD8");
  return out;
}
@EXTRA@
int main(int argc, char** argv) {
  const int launches = argc > 1 ? std::atoi(argv[1]) : 100;
  const unsigned instances = argc > 2 ? std::atoi(argv[2]) : 1024;
  if (launches < 1 || instances < 1 || argc > 4) {
    std::fprintf(stderr, "arguments: launches, instances of a launch, and a cubin in place of the text\n");
    return 2;
  }
  CUdevice device;
  CUcontext context;
  check(cuInit(0), "cuInit");
  check(cuDeviceGet(&device, 0), "cuDeviceGet");
  check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  check(cuCtxSetCurrent(context), "cuCtxSetCurrent");

  static char log[16384];
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values_of_options[] = {log, reinterpret_cast<void*>(sizeof log)};
  const std::string code = module_of(argc > 3 ? argv[3] : nullptr);
  CUmodule module;
  CUfunction function;
  const CUresult loaded = cuModuleLoadDataEx(&module, code.data(), 2, options, values_of_options);
  if (loaded != CUDA_SUCCESS) std::fprintf(stderr, "%s\n", log);
  check(loaded, "cuModuleLoadDataEx");
  check(cuModuleGetFunction(&function, module, "test"), "cuModuleGetFunction");

  struct {
    unsigned instances, delay, seed, traffic, touch, nothing;
    unsigned long long limit;
  } settings = {instances, 0, 0, 0, 0, 0, 5000000};
  const size_t memory_bytes = size_t{memory_record} * instances, out_bytes = size_t{out_record} * instances;
  CUdeviceptr memory, aliases;
  @MEMORY@
  CUdeviceptr values = allocate(16 * map_values), out = allocate(out_bytes),
              sync = allocate(size_t{sync_record} * instances), scratch = allocate(scratch_bytes),
              given = allocate(sizeof settings);
  std::vector<value> numbers(2 * map_values);
  for (unsigned v = 0; v < map_values; ++v) numbers[2 * v] = numbers[2 * v + 1] = v;
  check(cuMemcpyHtoD(values, numbers.data(), 16 * map_values), "cuMemcpyHtoD");
  std::vector<unsigned char> initial(memory_bytes);
  for (unsigned i = 0; i < instances; ++i) {
    std::memcpy(&initial[size_t{i} * memory_record], memory_words, sizeof memory_words);
    @MAPS@
  }

  static unsigned long long zeros[opaque_bytes / 8 + 1];
  void* arguments[] = {&memory, &aliases, &values, &out, &sync, &scratch, &given, zeros};
  static const unsigned delays[] = {0, 100, 400, 1500, 6000};

  std::map<std::vector<value>, unsigned long long> counts;
  unsigned long long ended = 0, incomplete = 0, lost = 0;
  std::vector<unsigned char> results(out_bytes), after(memory_bytes);
  double seconds = 0;
  CUevent begin, end;
  check(cuEventCreate(&begin, 0), "cuEventCreate");
  check(cuEventCreate(&end, 0), "cuEventCreate");
  for (int n = 0; n < launches; ++n) {
    settings.seed = 2654435761u * static_cast<unsigned>(n + 1);
    settings.delay = delays[n % 5];
    settings.touch = n / 5 % 2;
    const unsigned stress = n / 10 % 2 * 264;
    settings.traffic = stress > 0 ? 200 : 0;
    check(cuMemcpyHtoD(given, &settings, sizeof settings), "cuMemcpyHtoD");
    check(cuMemcpyHtoD(memory, initial.data(), memory_bytes), "cuMemcpyHtoD");
    check(cuMemsetD8(out, 0, out_bytes), "cuMemsetD8");
    check(cuMemsetD8(sync, 0, size_t{sync_record} * instances), "cuMemsetD8");
    check(cuEventRecord(begin, nullptr), "cuEventRecord");
    const unsigned groups = (instances + (stress + clusters * ranks - 1) / (clusters * ranks)) * clusters * ranks;
    check(cuLaunchKernel(function, groups, 1, 1, lanes, 1, 1, 0, nullptr, arguments, nullptr), "cuLaunchKernel");
    check(cuEventRecord(end, nullptr), "cuEventRecord");
    check(cuMemcpyDtoH(results.data(), out, out_bytes), "cuMemcpyDtoH");
    check(cuMemcpyDtoH(after.data(), memory, memory_bytes), "cuMemcpyDtoH");
    float milliseconds = 0;
    check(cuEventElapsedTime(&milliseconds, begin, end), "cuEventElapsedTime");
    seconds += milliseconds * 1e-3;
    for (unsigned i = 0; i < instances; ++i) {
      const unsigned char *r = &results[size_t{i} * out_record], *m = &after[size_t{i} * memory_record];
      int worst = 1;
      for (unsigned t = 0; t < threads; ++t) {
        value status;
        std::memcpy(&status, r + status_at[t], 8);
        worst = status != 1 && status != 3 ? 0 : std::max(worst, worst == 0 ? 0 : static_cast<int>(status));
      }
      lost += worst == 0, incomplete += worst == 3, ended += worst == 1;
      if (worst != 1) continue;
      std::vector<value> v(observables);
      for (unsigned k = 0; k < observables; ++k) std::memcpy(&v[k], (in_memory[k] ? m : r) + observable_at[k], 8);
      ++counts[v];
    }
  }

  unsigned long long met = 0;
  std::printf("Test @TITLE@\nHistogram\n");
  for (const auto& state : counts) {
    const bool is = asked(state.first.data());
    if (is) met += state.second;
    std::printf("%12llu %s>", state.second, is ? "*" : ":");
    for (unsigned k = 0; k < observables; ++k)
      std::printf(is_unsigned[k] ? " %s=%llu;" : " %s=%lld;", observable_names[k], state.first[k]);
    std::printf("\n");
  }
  std::printf("Condition met %llu times of %llu, in %.3f s on the device\n", met, ended, seconds);
  if (incomplete > 0) std::printf("%llu instances met the limit of their loops\n", incomplete);
  if (lost > 0) {
    std::printf("CORRUPT: %llu instances told nothing: do not trust the numbers above\n", lost);
    return 3;
  }
  return 0;
}
)HOST";

constexpr const char* k_plain_memory = "memory = aliases = allocate(memory_bytes);";
// One piece of memory under two addresses.
constexpr const char* k_mapped_memory = R"HOST(CUmemAllocationProp property = {};
  property.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  property.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  property.location.id = 0;
  size_t step = 0;
  check(cuMemGetAllocationGranularity(&step, &property, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
        "cuMemGetAllocationGranularity");
  const size_t whole = (memory_bytes + step - 1) / step * step;
  CUmemGenericAllocationHandle piece;
  check(cuMemCreate(&piece, whole, &property, 0), "cuMemCreate");
  for (CUdeviceptr* at : {&memory, &aliases}) {
    check(cuMemAddressReserve(at, whole, 0, 0, 0), "cuMemAddressReserve");
    check(cuMemMap(*at, whole, 0, piece, 0), "cuMemMap");
    CUmemAccessDesc access = {};
    access.location = property.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    check(cuMemSetAccess(*at, whole, &access, 1), "cuMemSetAccess");
  })HOST";

constexpr const char* k_make_map = R"HOST(
// A map of the 16 bytes at `at`.
static void make_map(unsigned char* to, CUdeviceptr at) {
  CUtensorMap map;
  cuuint64_t size[1] = {2};
  cuuint32_t box[1] = {2}, step[1] = {1};
  check(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT64, 1, reinterpret_cast<void*>(at), size, nullptr, box,
                               step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        "cuTensorMapEncodeTiled");
  std::memcpy(to, &map, sizeof map);
}
)HOST";

std::string operand(const Ptx9Module& m, const prog::CondValue& v) {
  using Kind = prog::CondValue::Kind;
  if (v.kind == Kind::constant) return fmt::format("static_cast<value>({}ull)", v.constant);
  for (size_t k = 0; k < m.observables.size(); ++k) {
    const prog::Observable& o = m.observables[k];
    const bool same = v.kind == Kind::reg
                          ? o.is_register && o.thread == v.thread && o.reg == v.reg
                          : v.kind == Kind::location && !o.is_register && o.symbol == v.symbol && o.cell == v.cell;
    if (same) return fmt::format("v[{}]", k);
  }
  return {};
}

// The condition as C++; empty: it compares with addresses.
std::string condition(const Ptx9Module& m, const prog::Cond& c) {
  using Kind = prog::Cond::Kind;
  if (c.kind == Kind::always) return "true";
  if (c.kind == Kind::atom) {
    const std::string a = operand(m, c.lhs), b = operand(m, c.rhs);
    if (a.empty() || b.empty()) return {};
    const bool unsigned_order =
        c.cmp == term::Op::ult || c.cmp == term::Op::ule || c.cmp == term::Op::ugt || c.cmp == term::Op::uge;
    const char* sign = c.cmp == term::Op::eq                              ? "=="
                       : c.cmp == term::Op::ne                            ? "!="
                       : c.cmp == term::Op::slt || c.cmp == term::Op::ult ? "<"
                       : c.cmp == term::Op::sle || c.cmp == term::Op::ule ? "<="
                       : c.cmp == term::Op::sgt || c.cmp == term::Op::ugt ? ">"
                                                                          : ">=";
    const char* as = unsigned_order ? "static_cast<unsigned long long>" : "";
    return fmt::format("({}({}) {} {}({}))", as, a, sign, as, b);
  }
  std::string out;
  for (const prog::Cond& kid : c.kids) {
    const std::string one = condition(m, kid);
    if (one.empty()) return {};
    if (c.kind == Kind::not_) return "!" + one;
    out += (out.empty() ? "(" : c.kind == Kind::and_ ? " && " : " || ") + one;
  }
  return out + ")";
}

// What the question counts: states that it speaks of, and of a `forall` those too that it promises.
std::string question(const Ptx9Module& m, const prog::Test& test) {
  if (test.condition.kind == prog::Cond::Kind::always) return "false";
  const std::string filter = condition(m, test.filter), asked = condition(m, test.condition);
  return filter.empty() || asked.empty() ? std::string() : filter == "true" ? asked : filter + " && " + asked;
}

template <class List>
std::string numbers(const List& list) {
  return fmt::format("{}", fmt::join(list, ", "));
}

std::string tables(const Ptx9Module& m) {
  std::string out = fmt::format(
      "static const unsigned lanes = {}, clusters = {}, ranks = {}, memory_record = {}, out_record = {},\n"
      "                      opaque_bytes = {}, sync_record = {}, scratch_bytes = {}, map_values = {};\n",
      m.lanes, m.clusters, m.ranks, m.memory_bytes, m.out_bytes, m.opaque_bytes, k_ptx9_sync_bytes,
      k_ptx9_scratch_bytes, k_ptx9_values);
  std::vector<std::string> words, names, at, memory, is_unsigned;
  for (const uint64_t w : m.memory) words.push_back(fmt::format("{}ull", w));
  out += fmt::format("static const unsigned long long memory_words[] = {{{}}};\n", numbers(words));
  out += fmt::format("static const unsigned threads = {}, status_at[] = {{{}}};\n", m.status_at.size(),
                     numbers(m.status_at));
  for (size_t k = 0; k < m.where.size(); ++k) {
    names.push_back(literal(m.observables[k].text));
    at.push_back(std::to_string(m.where[k].at));
    memory.emplace_back(m.where[k].in_memory ? "true" : "false");
    is_unsigned.emplace_back(m.observables[k].is_unsigned ? "true" : "false");
  }
  if (names.empty()) names = {"\"\""}, at = {"0"}, memory = {"false"}, is_unsigned = {"false"};
  out +=
      fmt::format("static const unsigned observables = {}, observable_at[] = {{{}}};\n", m.where.size(), numbers(at));
  out += fmt::format("static const bool in_memory[] = {{{}}}, is_unsigned[] = {{{}}};\n", numbers(memory),
                     numbers(is_unsigned));
  return out + fmt::format("static const char* const observable_names[] = {{{}}};\n", numbers(names));
}

std::string head(const prog::Test& test, const Origin& origin) {
  std::string out = fmt::format("// Made by {}.\n", origin.program);
  if (!origin.command.empty()) out += fmt::format("//   {}\n", origin.command);
  return out + "//\n// The test:\n" + commented(print::print(test));
}

}  // namespace

Expected<std::string> ptx9_text(const prog::Test& test, const Origin& origin) {
  const auto m = ptx9_module(test);
  if (!m) return std::unexpected(m.error());
  std::string out = head(test, origin);
  out += fmt::format(
      "//\n// An instance has {} of {} CTA{} of {} threads. Its records have {} bytes of `memory` and {} of `out`;\n"
      "// `opaque` is 0. Settings: instances, most cycles of delay, seed, rounds of\n"
      "// traffic, read before the test (32 bits each), 0, nanoseconds for loops (64 bits).\n// `memory`, initially, "
      "in "
      "words of 64 bits:\n//   {}\n",
      m->clusters == 1 ? "a cluster" : fmt::format("{} clusters", m->clusters), m->ranks, m->ranks == 1 ? "" : "s",
      m->lanes, m->memory_bytes, m->out_bytes, numbers(m->memory));
  for (const uint32_t at : m->map_at)
    out += fmt::format("//   at byte {}: a tensor map of 16 bytes, at 16 x that word in `values`\n", at);
  if (m->aliases) out += "// `aliases` is `memory` under another address.\n";
  out += "// Final values, by byte of the record:\n";
  for (size_t k = 0; k < m->where.size(); ++k)
    out += fmt::format("//   {}: {} {}\n", m->observables[k].text, m->where[k].in_memory ? "memory" : "out",
                       m->where[k].at);
  for (const std::string& u : m->untold) out += fmt::format("//   {}: no program can tell its value\n", u);
  return out + "\n" + m->text;
}

Expected<std::string> ptx9_cuda_source(const prog::Test& test, const Origin& origin) {
  const auto m = ptx9_module(test);
  if (!m) return std::unexpected(m.error());
  if (!m->no_program.empty())
    return unsupported_at(test.span, m->no_program + ", which the program does not make",
                          "--target ptx writes the kernel");
  const std::string asked = question(*m, test);
  if (asked.empty() && !m->untold.empty())
    return unsupported_at(test.span, fmt::format("{}, whose value no program can tell", m->untold.front()),
                          "ask for other registers and locations, or write --target ptx, which asks nothing");
  if (asked.empty()) return unsupported_at(test.span, "the condition compares with an address", "compare with values");
  std::string host = k_host;
  std::string title = literal(test.title);
  title = title.substr(1, title.size() - 2);
  replace(title, "%", "%%");
  std::string maps;
  for (const uint32_t at : m->map_at)
    maps += fmt::format("make_map(&initial[size_t{{i}} * memory_record + {0}], values + 16 * memory_words[{1}]);", at,
                        at / 8);
  replace(host, "@TITLE@", title);
  replace(host, "@EXTRA@", m->map_at.empty() ? "" : k_make_map);
  replace(host, "    @MAPS@\n", maps.empty() ? "" : "    " + maps + "\n");
  replace(host, "@MEMORY@", m->aliases ? k_mapped_memory : k_plain_memory);
  replace(host, "@CONDITION@", asked);
  replace(host, "@TABLES@", tables(*m));
  replace(host, "@PTX@", as_literals(m->text));
  return "// Build: nvcc -O2 -o reproducer THIS_FILE -lcuda      Run: ./reproducer [LAUNCHES [INSTANCES [CUBIN]]]\n" +
         head(test, origin) + "\n" + host;
}

}  // namespace fencepost::standalone
