#include <fmt/format.h>

#include <fstream>

#include "cli/one_test.h"
#include "cli/verbs.h"
#include "reproduce/run.h"

namespace fencepost::cli {
namespace {

constexpr uint32_t k_sm = 90;

plan::Shape shape_of(const Settings& s) {
  plan::Shape out;
  for (const auto m : {plan::Mode::parallel, plan::Mode::warp, plan::Mode::single})
    if (s.mode == plan::name(m)) out.mode = m;
  for (const auto r : {plan::Region::as_written, plan::Region::shared, plan::Region::global})
    if (s.region == plan::name(r)) out.region = r;
  return out;
}

// The command that makes the same file.
std::string command_of(const CommandLine& line) {
  const Settings& s = line.settings;
  std::string out = fmt::format("fencepost emit --target {} --mode {} --region {} --seed {}", s.emit_target, s.mode,
                                s.region, s.seed);
  if (!s.parameters.empty()) out += " --parameters " + s.parameters;
  return out + " " + line.operands.front();
}

Expected<std::string> text_of(const CommandLine& line) {
  const Settings& s = line.settings;
  const auto test = one_test(line.operands.front());
  if (!test) return std::unexpected(test.error());
  if (test->dialect != vocab::Dialect::ptx)
    return unsupported_at(test->span,
                          fmt::format("a {} test is not written as {}", vocab::name(test->dialect), s.emit_target),
                          "translate it first (fencepost lower), or write a PTX test");
  plan::Parameters parameters;
  if (!s.parameters.empty())
    if (const auto ok = plan::set_parameters(parameters, s.parameters); !ok) return std::unexpected(ok.error());
  const plan::Target target = reproduce::h200();
  const auto program = plan::make_program(*test, target, shape_of(s));
  if (!program) return std::unexpected(program.error());
  const auto configuration = plan::draw(*program, target, parameters, s.seed, 0);
  if (!configuration) return std::unexpected(configuration.error());
  const reproduce::Origin origin{"fencepost " FENCEPOST_VERSION, command_of(line)};
  return s.emit_target == "ptx" ? reproduce::ptx(*program, *configuration, k_sm, origin)
                                : reproduce::cuda_source(*program, *configuration, k_sm, origin);
}

}  // namespace

int run_emit(const CommandLine& line, const Console& console) {
  const auto text = text_of(line);
  if (!text) return report_errors(console, text.error());
  const std::string& file = line.settings.output;
  if (file.empty() || file == "-") {
    console.out(*text);
    return k_exit_holds;
  }
  std::ofstream out(file, std::ios::binary);
  out << *text;
  out.flush();
  if (!out) return report_errors(console, error_at({}, fmt::format("'{}' cannot be written", file)).error());
  return k_exit_holds;
}

}  // namespace fencepost::cli
