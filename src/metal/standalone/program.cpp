#include "standalone/program.h"

#include <fmt/format.h>

#include <algorithm>

#include "code/kernel.h"
#include "emit/kernel_cpp.h"
#include "emit/kernel_glsl.h"
#include "emit/kernel_metal.h"
#include "emit/kernel_opencl.h"
#include "prog/state.h"

namespace fencepost::standalone {
namespace {

using plan::BufferUse;

constexpr uint32_t k_launches = 100;

struct Made {
  const plan::Program& program;
  const plan::Configuration& configuration;
  const Origin& origin;
  std::vector<uint32_t> groups, lanes;  // by phase
  std::vector<std::string> states;      // text by state number
  std::vector<bool> positive;           // by state number: satisfies the condition
};

Made make(const plan::Program& p, const plan::Configuration& c, const plan::Target& target, bool host,
          const Origin& origin) {
  Made m{p, c, origin, {}, {}, {}, {}};
  const uint32_t lanes = host ? 1 : std::min(256u, target.max_lanes);
  const uint32_t groups = std::min(target.max_groups, host ? target.units : 8 * target.units);
  m.groups = {groups, c.groups, groups};
  m.lanes = {lanes, c.lanes, lanes};
  for (uint32_t s = 0; s < p.states; ++s) {
    const prog::State state = p.state(s);
    m.states.push_back(prog::to_string(p.observables, state));
    m.positive.push_back(p.test.condition.kind != prog::Cond::Kind::always &&
                         plan::holds(p.test, p.observables, state, p.test.filter) &&
                         plan::holds(p.test, p.observables, state, p.test.condition));
  }
  return m;
}

// Lines about what this is, each after `prefix`.
std::string heading(const Made& m, const std::string& prefix, const std::vector<std::string>& build) {
  const prog::Test& t = m.program.test;
  std::string out = fmt::format("{}Made by {}.\n", prefix, m.origin.program);
  if (!m.origin.command.empty()) out += fmt::format("{}  {}\n", prefix, m.origin.command);
  out += fmt::format("{}Litmus test {}, {} instances in each launch.\n", prefix, t.title, m.configuration.instances());
  if (t.quantifier != prog::Quantifier::none)
    out += fmt::format("{}Question: {} ({})\n", prefix, prog::name(t.quantifier), prog::to_string(t, t.condition));
  for (uint32_t th = 0; th < t.threads.size(); ++th) {
    out += fmt::format("{}P{}:", prefix, th);
    for (const prog::Instr& i : t.instrs(th)) out += fmt::format("  {};", prog::to_string(t, th, i));
    out += '\n';
  }
  out +=
      fmt::format("{}Seed {}. Parameters {}\n", prefix, m.configuration.seed, plan::to_string(m.configuration.drawn));
  for (const std::string& line : build) out += prefix + line + "\n";
  return out;
}

std::string numbers(const std::vector<uint32_t>& words, const char* suffix) {
  std::string out;
  for (size_t k = 0; k < words.size(); ++k)
    out += fmt::format("{}{}{}", words[k], suffix, k + 1 == words.size() ? "" : k % 12 == 11 ? ",\n    " : ", ");
  return out;
}

std::string in_quotes(const std::string& s) {
  std::string out = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string state_table(const Made& m) {
  std::string out;
  for (size_t s = 0; s < m.states.size(); ++s)
    out += fmt::format("    {{{}, {}}},\n", in_quotes(m.states[s]), m.positive[s] ? 1 : 0);
  return out;
}

uint64_t size_of(const Made& m, BufferUse u) {
  return std::max<uint64_t>(m.configuration.sizes[static_cast<size_t>(u)], 1);
}

// ---- C++ ----------------------------------------------------------------------------------------------------
constexpr const char* k_cpp_head = R"(#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace {

struct Ids {
  std::uint32_t group, lane, groups, lanes;
};

)";

constexpr const char* k_cpp_tail = R"(
// One thread for each invocation; a workgroup has a barrier and memory of its own.
void launch(std::uint32_t groups, std::uint32_t lanes, const std::function<void(const Ids&, std::barrier<>&, std::uint32_t*)>& kernel) {
  std::vector<std::unique_ptr<std::barrier<>>> meetings;
  std::vector<std::vector<std::uint64_t>> shared(groups, std::vector<std::uint64_t>(k_shared_words / 2 + 1));
  std::vector<std::thread> threads;
  std::atomic<std::uint32_t> ready{0};
  for (std::uint32_t g = 0; g < groups; ++g) meetings.push_back(std::make_unique<std::barrier<>>(static_cast<std::ptrdiff_t>(lanes)));
  for (std::uint32_t g = 0; g < groups; ++g)
    for (std::uint32_t l = 0; l < lanes; ++l)
      threads.emplace_back([&, g, l] {
        ready.fetch_add(1);
        while (ready.load() < groups * lanes) std::this_thread::yield();
        kernel(Ids{g, l, groups, lanes}, *meetings[g], reinterpret_cast<std::uint32_t*>(shared[g].data()));
        meetings[g]->arrive_and_drop();
      });
  for (std::thread& t : threads) t.join();
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned long launches = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : k_launches;
  std::vector<std::uint64_t> total(k_states + 2);
  const auto start = std::chrono::steady_clock::now();
  for (unsigned long n = 0; n < launches; ++n) {
    run_once();
    for (std::uint32_t s = 0; s < k_states + 2; ++s) total[s] += counts()[s];
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::uint64_t positive = 0;
  for (std::uint32_t s = 0; s < k_states; ++s) {
    if (total[s] == 0) continue;
    if (k_table[s].positive) positive += total[s];
    std::printf("%12llu %c> %s\n", static_cast<unsigned long long>(total[s]), k_table[s].positive ? '*' : ':', k_table[s].text);
  }
  std::printf("positive %llu of %llu in %.2f s, corrupt %llu, not ended %llu\n", static_cast<unsigned long long>(positive),
              static_cast<unsigned long long>(launches * k_instances), seconds, static_cast<unsigned long long>(total[k_states]),
              static_cast<unsigned long long>(total[k_states + 1]));
  return total[k_states] == 0 ? 0 : 3;
}
)";

Expected<std::string> cpp(const Made& m) {
  std::string out = heading(m, "// ", {"Build: g++ -O2 -std=c++20 -pthread FILE. Use: PROGRAM [LAUNCHES]."});
  out += k_cpp_head;
  uint32_t shared = 0;
  for (const code::Kernel& k : m.program.kernels) {
    auto text = emit::kernel_cpp(k);
    if (!text) return std::unexpected(text.error());
    out += *text + "\n";
    shared = std::max(shared, k.shared_words);
  }
  out += fmt::format(
      "constexpr std::uint32_t k_shared_words = {};\nconstexpr std::uint32_t k_states = {};\nconstexpr std::uint64_t "
      "k_instances = {};\n"
      "constexpr unsigned long k_launches = {};\n",
      shared, m.program.states, m.configuration.instances(), k_launches);
  out +=
      fmt::format("struct State {{\n  const char* text;\n  int positive;\n}};\nconstexpr State k_table[] = {{\n{}}};\n",
                  state_table(m));
  out += fmt::format("const std::uint32_t k_parameters[] = {{\n    {}}};\n", numbers(m.configuration.words, "u"));
  // Vectors of 64-bit words, so that 64-bit accesses are aligned.
  for (size_t u = 0; u < plan::k_buffer_uses; ++u) {
    const auto use = static_cast<BufferUse>(u);
    out += fmt::format(
        "std::uint32_t* {}() {{\n  static std::vector<std::uint64_t> words({});\n  return "
        "reinterpret_cast<std::uint32_t*>(words.data());\n}}\n",
        plan::name(use), size_of(m, use) / 2 + 1);
  }
  // Defined behind the kernels, whose parameters have other names.
  out +=
      "\nvoid launch(std::uint32_t groups, std::uint32_t lanes, const std::function<void(const Ids&, std::barrier<>&, "
      "std::uint32_t*)>& kernel);\n\n";
  out += "void run_once() {\n";
  out += fmt::format("  for (std::size_t k = 0; k < {}; ++k) {}()[k] = k_parameters[k];\n",
                     m.configuration.words.size(), plan::name(BufferUse::parameters));
  for (size_t p = 0; p < m.program.kernels.size(); ++p) {
    std::string arguments;
    for (const BufferUse u : m.program.uses[p]) arguments += fmt::format(", {}()", plan::name(u));
    out += fmt::format(
        "  launch({}, {}, [](const Ids& ids, std::barrier<>& meeting, std::uint32_t* shared) {{ {}(ids, meeting, "
        "shared{}); }});\n",
        m.groups[p], m.lanes[p], m.program.kernels[p].name, arguments);
  }
  return out + "}\n" + k_cpp_tail;
}

// ---- OpenCL -------------------------------------------------------------------------------------------------
constexpr const char* k_opencl_main = R"(
static void check(cl_int code, const char* what) {
  if (code == CL_SUCCESS) return;
  fprintf(stderr, "%s: OpenCL error %d\n", what, (int)code);
  exit(2);
}

int main(int argc, char** argv) {
  const unsigned long launches = argc > 1 ? strtoul(argv[1], NULL, 10) : LAUNCHES;
  const unsigned wanted = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
  cl_platform_id platforms[16];
  cl_uint platform_count = 0, seen = 0;
  cl_device_id device = NULL;
  cl_int code = clGetPlatformIDs(16, platforms, &platform_count);
  check(code, "clGetPlatformIDs");
  for (cl_uint p = 0; p < platform_count && p < 16 && device == NULL; ++p) {
    cl_device_id devices[16];
    cl_uint n = 0;
    if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &n) != CL_SUCCESS) continue;
    for (cl_uint d = 0; d < n && d < 16; ++d)
      if (seen++ == wanted) device = devices[d];
  }
  if (device == NULL) {
    fprintf(stderr, "there is no OpenCL device %u\n", wanted);
    return 2;
  }
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  check(code, "clCreateContext");
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
  check(code, "clCreateCommandQueue");
  const size_t lines = sizeof k_source / sizeof *k_source;
  cl_program program = clCreateProgramWithSource(context, (cl_uint)lines, k_source, NULL, &code);
  check(code, "clCreateProgramWithSource");
  if (clBuildProgram(program, 1, &device, OPTIONS, NULL, NULL) != CL_SUCCESS) {
    static char log[1 << 16];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    fprintf(stderr, "%s\n", log);
    return 2;
  }
  cl_mem buffers[BUFFERS];
  const cl_uint zero = 0;
  for (int b = 0; b < BUFFERS; ++b) {
    buffers[b] = clCreateBuffer(context, CL_MEM_READ_WRITE, k_sizes[b] * 4, NULL, &code);
    check(code, "clCreateBuffer");
    check(clEnqueueFillBuffer(queue, buffers[b], &zero, 4, 0, k_sizes[b] * 4, 0, NULL, NULL), "clEnqueueFillBuffer");
  }
  check(clEnqueueWriteBuffer(queue, buffers[PARAMETERS], CL_TRUE, 0, sizeof k_parameters, k_parameters, 0, NULL, NULL), "clEnqueueWriteBuffer");
  cl_kernel kernels[PHASES];
  for (int p = 0; p < PHASES; ++p) {
    kernels[p] = clCreateKernel(program, k_phases[p].name, &code);
    check(code, k_phases[p].name);
    for (int a = 0; a < k_phases[p].arguments; ++a)
      check(clSetKernelArg(kernels[p], (cl_uint)a, sizeof(cl_mem), &buffers[k_phases[p].buffers[a]]), "clSetKernelArg");
  }
  static unsigned long long total[STATES + 2];
  for (unsigned long n = 0; n < launches; ++n) {
    static cl_uint counts[STATES + 2];
    for (int p = 0; p < PHASES; ++p) {
      const size_t local = k_phases[p].lanes, global = local * k_phases[p].groups;
      check(clEnqueueNDRangeKernel(queue, kernels[p], 1, NULL, &global, &local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    }
    check(clEnqueueReadBuffer(queue, buffers[COUNTS], CL_TRUE, 0, sizeof counts, counts, 0, NULL, NULL), "clEnqueueReadBuffer");
    for (int s = 0; s < STATES + 2; ++s) total[s] += counts[s];
  }
  unsigned long long positive = 0;
  for (int s = 0; s < STATES; ++s) {
    if (total[s] == 0) continue;
    if (k_table[s].positive) positive += total[s];
    printf("%12llu %c> %s\n", total[s], k_table[s].positive ? '*' : ':', k_table[s].text);
  }
  printf("positive %llu of %llu, corrupt %llu, not ended %llu\n", positive, launches * INSTANCES, total[STATES], total[STATES + 1]);
  return total[STATES] == 0 ? 0 : 3;
}
)";

Expected<std::string> opencl(const Made& m, emit::OpenclKind kind) {
  const auto source = emit::kernel_opencl({m.program.kernels.begin(), m.program.kernels.end()}, kind);
  if (!source) return std::unexpected(source.error());
  std::vector<std::string> build = {"Build: cc -std=c11 FILE -lOpenCL. Use: PROGRAM [LAUNCHES [DEVICE]]."};
  if (kind == emit::OpenclKind::inline_ptx)
    build.emplace_back("The kernels are inline PTX: what runs are PTX instructions, not OpenCL's atomics.");
  std::string out = heading(m, "// ", build);
  out +=
      "#define CL_TARGET_OPENCL_VERSION 120\n#define CL_USE_DEPRECATED_OPENCL_1_2_APIS\n#include <CL/cl.h>\n#include "
      "<stdio.h>\n#include <stdlib.h>\n\n";
  out += fmt::format(
      "#define LAUNCHES {}\n#define INSTANCES {}ull\n#define STATES {}\n#define BUFFERS {}\n#define PARAMETERS "
      "{}\n#define COUNTS {}\n#define PHASES 3\n#define OPTIONS {}\n\n",
      k_launches, m.configuration.instances(), m.program.states, plan::k_buffer_uses,
      static_cast<int>(BufferUse::parameters), static_cast<int>(BufferUse::counts), in_quotes(source->options));
  out += fmt::format("static const struct {{\n  const char* text;\n  int positive;\n}} k_table[] = {{\n{}}};\n",
                     state_table(m));
  out += fmt::format("static const cl_uint k_parameters[] = {{\n    {}}};\n", numbers(m.configuration.words, "u"));
  std::string sizes;
  for (size_t u = 0; u < plan::k_buffer_uses; ++u)
    sizes += fmt::format("{}{}", u > 0 ? ", " : "", size_of(m, static_cast<BufferUse>(u)));
  out += fmt::format("static const size_t k_sizes[BUFFERS] = {{{}}};  // words\n", sizes);
  out += fmt::format(
      "static const struct {{\n  const char* name;\n  size_t groups, lanes;\n  int arguments, buffers[{}];\n}} "
      "k_phases[PHASES] = {{\n",
      plan::k_buffer_uses);
  for (size_t p = 0; p < 3; ++p) {
    std::string buffers;
    for (const BufferUse u : m.program.uses[p])
      buffers += fmt::format("{}{}", buffers.empty() ? "" : ", ", static_cast<int>(u));
    out += fmt::format("    {{\"{}\", {}, {}, {}, {{{}}}}},\n", m.program.kernels[p].name, m.groups[p], m.lanes[p],
                       m.program.uses[p].size(), buffers);
  }
  out += "};\nstatic const char* k_source[] = {\n";
  for (size_t at = 0; at < source->text.size();) {
    const size_t end = source->text.find('\n', at);
    std::string line = in_quotes(source->text.substr(at, end - at));
    line.insert(line.size() - 1, "\\n");
    out += "    " + line + ",\n";
    at = end + 1;
  }
  return out + "};\n" + k_opencl_main;
}

// ---- Amber --------------------------------------------------------------------------------------------------
Expected<std::string> amber(const Made& m) {
  std::string out =
      "#!amber\n" + heading(m, "# ",
                            {"Run: amber FILE. The device needs the features vulkanMemoryModel and "
                             "vulkanMemoryModelDeviceScope, which Amber",
                             "must be told to switch on; counts of states stand in the buffer `counts`."});
  out += "SET ENGINE_DATA fence_timeout_ms 60000\n\n";
  for (size_t p = 0; p < 3; ++p) {
    const auto shader = emit::kernel_glsl(m.program.kernels[p], {m.lanes[p], ""});
    if (!shader) return std::unexpected(shader.error());
    out += fmt::format("SHADER compute {} GLSL TARGET_ENV spv1.5\n{}END\n\n", m.program.kernels[p].name, *shader);
  }
  for (size_t u = 0; u < plan::k_buffer_uses; ++u) {
    const auto use = static_cast<BufferUse>(u);
    if (use == BufferUse::parameters) {
      std::string words;
      for (size_t k = 0; k < m.configuration.words.size(); ++k)
        words += fmt::format("{}{}", m.configuration.words[k], k % 12 == 11 ? "\n  " : " ");
      out += fmt::format("BUFFER {} DATA_TYPE uint32 DATA\n  {}\nEND\n", plan::name(use), words);
    } else {
      out += fmt::format("BUFFER {} DATA_TYPE uint32 SIZE {} FILL 0\n", plan::name(use), size_of(m, use));
    }
  }
  for (size_t p = 0; p < 3; ++p) {
    out += fmt::format("\nPIPELINE compute run_{0}\n  ATTACH {0}\n", m.program.kernels[p].name);
    for (size_t b = 0; b < m.program.uses[p].size(); ++b)
      out +=
          fmt::format("  BIND BUFFER {} AS storage DESCRIPTOR_SET 0 BINDING {}\n", plan::name(m.program.uses[p][b]), b);
    out += "END\n";
  }
  out += fmt::format("\nREPEAT {}\n", k_launches);
  for (size_t p = 0; p < 3; ++p) out += fmt::format("  RUN run_{} {} 1 1\n", m.program.kernels[p].name, m.groups[p]);
  out += fmt::format("  EXPECT counts IDX {} EQ 0  # corrupt instances\n", uint64_t{m.program.corrupt()} * 4);
  for (uint32_t s = 0; s < m.program.states; ++s)
    if (m.positive[s]) out += fmt::format("  EXPECT counts IDX {} EQ 0  # {}\n", uint64_t{s} * 4, m.states[s]);
  return out + "END\n";
}

Expected<std::string> metal(const Made& m) {
  std::vector<std::string> lines = {"Metal Shading Language 3.2. Launch one after another, in a loop:"};
  for (size_t p = 0; p < 3; ++p) {
    std::string buffers;
    for (const BufferUse u : m.program.uses[p]) buffers += fmt::format(" {}", plan::name(u));
    lines.push_back(fmt::format("  {}: {} threadgroups of {} threads; buffers{}", m.program.kernels[p].name,
                                m.groups[p], m.lanes[p], buffers));
  }
  for (size_t u = 0; u < plan::k_buffer_uses; ++u)
    lines.push_back(fmt::format("  buffer {}: {} words", plan::name(static_cast<BufferUse>(u)),
                                size_of(m, static_cast<BufferUse>(u))));
  lines.emplace_back(
      "  `parameters` begins with k_parameters below, the other buffers with 0. Then counts[k] instances ended in "
      "state k:");
  for (size_t s = 0; s < m.states.size(); ++s)
    lines.push_back(fmt::format("  {:4} {}{}", s, m.states[s], m.positive[s] ? "  *" : ""));
  lines.push_back(
      fmt::format("  {:4} corrupt\n//   {:4} loops that did not end", m.program.corrupt(), m.program.incomplete()));
  std::string out = heading(m, "// ", lines) + "#include <metal_stdlib>\nusing namespace metal;\n\n";
  out += fmt::format("constant uint k_parameters[] = {{\n    {}}};\n\n", numbers(m.configuration.words, "u"));
  for (const code::Kernel& k : m.program.kernels) {
    const auto text = emit::kernel_metal(k);
    if (!text) return std::unexpected(text.error());
    out += *text + "\n";
  }
  return out;
}

}  // namespace

plan::Target usual_target(ProgramKind kind) {
  plan::Target t;
  const bool host = kind == ProgramKind::cpp;
  t.units = host ? 2 : 32;
  t.subgroup = host ? 1 : 32;
  t.max_lanes = host ? 64 : 256;
  t.shared_words = 8192;
  t.line_words = 16;
  t.resident = {{1024, host ? 4u : 32u}};
  t.memory_words = uint64_t{1} << 20;
  if (host) t.usual_lanes = 1;
  return t;
}

Expected<std::string> program_text(ProgramKind kind, const plan::Program& p, const plan::Configuration& c,
                                   const plan::Target& target, const Origin& origin) {
  const Made m = make(p, c, target, kind == ProgramKind::cpp, origin);
  switch (kind) {
    case ProgramKind::cpp:
      return cpp(m);
    case ProgramKind::opencl:
      return opencl(m, emit::OpenclKind::scoped);
    case ProgramKind::opencl_ptx:
      return opencl(m, emit::OpenclKind::inline_ptx);
    case ProgramKind::amber:
      return amber(m);
    case ProgramKind::metal:
      return metal(m);
  }
  return std::string();
}

}  // namespace fencepost::standalone
