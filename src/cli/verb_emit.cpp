#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "async/ptx9.h"
#include "cli/one_test.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "plan/plan.h"
#include "standalone/program.h"
#include "standalone/ptx9_host.h"
#include "standalone/run.h"
#include "standalone/single_text.h"

namespace fencepost::cli {
namespace {

constexpr uint32_t k_sm = 90;

// What a target writes, and which tests it can hold as they are.
struct Row {
  const char* name;
  std::optional<vocab::Dialect> dialect;  // none: any
  std::optional<standalone::ProgramKind> program;
};
constexpr std::array<Row, 8> k_rows = {{
    {"cuda-source", vocab::Dialect::ptx, {}},
    {"ptx", vocab::Dialect::ptx, {}},
    {"opencl-source", vocab::Dialect::opencl, standalone::ProgramKind::opencl},
    {"cpp", {}, standalone::ProgramKind::cpp},
    {"amber", vocab::Dialect::vulkan, standalone::ProgramKind::amber},
    {"metal", {}, standalone::ProgramKind::metal},
    {"glsl", vocab::Dialect::vulkan, {}},
    {"spirv", vocab::Dialect::vulkan, {}},
}};

plan::Shape shape_of(const Settings& s) {
  plan::Shape out;
  for (const auto m : {plan::Mode::parallel, plan::Mode::warp, plan::Mode::single})
    if (s.mode == plan::name(m)) out.mode = m;
  for (const auto r : plan::k_regions)
    if (s.region == plan::name(r)) out.region = r;
  return out;
}

// The command that makes the same file.
std::string command_of(const CommandLine& line) {
  const Settings& s = line.settings;
  std::string out = fmt::format("fencepost emit --target {}{} --mode {} --region {} --seed {}", s.emit_target,
                                s.inline_ptx ? " --inline-ptx" : "", s.mode, s.region, s.seed);
  if (!s.parameters.empty()) out += " --parameters " + s.parameters;
  return out + " " + line.operands.front();
}

Expected<std::string> run_text(const CommandLine& line, const prog::Test& test, const Row& row) {
  const Settings& s = line.settings;
  plan::Parameters parameters;
  if (!s.parameters.empty())
    if (const auto ok = plan::set_parameters(parameters, s.parameters); !ok) return std::unexpected(ok.error());
  auto kind = row.program;
  if (kind == standalone::ProgramKind::opencl && s.inline_ptx) kind = standalone::ProgramKind::opencl_ptx;
  const plan::Target target = kind ? standalone::usual_target(*kind) : standalone::h200();
  const auto program = plan::make_program(test, target, plan::with_clusters(shape_of(s), parameters));
  if (!program) return std::unexpected(program.error());
  const auto configuration = plan::draw(*program, target, parameters, s.seed, 0);
  if (!configuration) return std::unexpected(configuration.error());
  const standalone::Origin origin{"fencepost " FENCEPOST_VERSION, command_of(line)};
  if (kind) return standalone::program_text(*kind, *program, *configuration, target, origin);
  return s.emit_target == "ptx" ? standalone::ptx(*program, *configuration, k_sm, origin)
                                : standalone::cuda_source(*program, *configuration, k_sm, origin);
}

// Tests of asynchronous PTX have launches of their own, which draw nothing beforehand.
Expected<std::string> asynchronous_text(const CommandLine& line, const prog::Test& test) {
  const Settings& s = line.settings;
  const char* option = !s.parameters.empty()           ? "--parameters"
                       : s.mode != Settings().mode     ? "--mode"
                       : s.region != Settings().region ? "--region"
                       : s.seed != Settings().seed     ? "--seed"
                                                       : nullptr;
  if (option != nullptr)
    return error_at({}, fmt::format("{} is not for tests with asynchronous PTX or shared memory of their own", option),
                    "the program that is written varies its launches itself");
  const standalone::Origin origin{"fencepost " FENCEPOST_VERSION,
                                  fmt::format("fencepost emit --target {} {}", s.emit_target, line.operands.front())};
  return s.emit_target == "ptx" ? standalone::ptx9_text(test, origin) : standalone::ptx9_cuda_source(test, origin);
}

Expected<std::string> text_of(const CommandLine& line) {
  const Settings& s = line.settings;
  const Row& row = *std::find_if(k_rows.begin(), k_rows.end(), [&](const Row& r) { return s.emit_target == r.name; });
  if (s.inline_ptx && s.emit_target != "opencl-source")
    return error_at({}, fmt::format("--inline-ptx is for --target opencl-source, not for {}", s.emit_target),
                    "remove it");
  const auto test = one_test(line.operands.front());
  if (!test) return std::unexpected(test.error());
  const auto wanted = s.inline_ptx ? std::optional(vocab::Dialect::ptx) : row.dialect;
  if (wanted && test->dialect != *wanted)
    return unsupported_at(
        test->span, fmt::format("a {} test is not written as {}", vocab::name(test->dialect), s.emit_target),
        test->dialect == vocab::Dialect::ptx && s.emit_target == "opencl-source"
            ? "add --inline-ptx, for NVIDIA's OpenCL"
            : fmt::format("translate it first (fencepost lower), or write a {} test", vocab::name(*wanted)));
  if (async::is_ptx9(*test) && (s.emit_target == "ptx" || s.emit_target == "cuda-source"))
    return asynchronous_text(line, *test);
  if (s.emit_target != "glsl" && s.emit_target != "spirv") return run_text(line, *test, row);
  const auto single = standalone::single_kernel(*test);
  if (!single) return std::unexpected(single.error());
  return s.emit_target == "glsl" ? standalone::glsl_text(*single) : standalone::spirv_text(*single);
}

}  // namespace

int run_emit(const CommandLine& line, const Console& console) {
  const auto text = text_of(line);
  if (!text) return report_errors(console, text.error());
  return put(console, line.settings.output, *text);
}

}  // namespace fencepost::cli
