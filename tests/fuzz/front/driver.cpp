// What the random programs of this folder ask of libraries, many at a time: which devices there are, what is in memory
// after a program ran on one, and what `check` says of a program. (interpreter.cpp asks what lies behind `prove`; it is
// another program, since its LLVM and that of an OpenCL driver do not bear each other in one process.)
//   front_driver devices          one line for each: id, tab, name, tab, platform
//   front_driver run|check|list   a JSON object on standard input, a JSON array on standard output
// The shapes of both are told at each function; differ.py writes and reads them.
#include <fmt/format.h>
#include <spirv-tools/libspirv.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "base/job.h"
#include "cat/library.h"
#include "check/check.h"
#include "device/backend.h"
#include "listing.h"
#include "read/read.h"
#include "shader/glsl.h"
#include "shader/opencl_c.h"
#include "spirv/spirv.h"

namespace fencepost {
namespace {

using nlohmann::json;

std::vector<uint8_t> bytes_of(const std::string& hex) {
  std::vector<uint8_t> out;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    out.push_back(static_cast<uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  return out;
}

std::string hex_of(std::span<const uint32_t> words, size_t bytes) {
  std::string out;
  for (size_t i = 0; i < bytes; ++i) out += fmt::format("{:02x}", (words[i / 4] >> (8 * (i % 4))) & 0xff);
  return out;
}

// ---- run -------------------------------------------------------------------------------------------------------
// {"device": "opencl:0", "modules": [{"language": "opencl" | "glsl" | "spirv", "text": TEXT,
//   "kernels": [{"name", "lanes", "groups", "buffers": [HEX]}]}]}
// -> for each kernel of each module a list of the buffers' last contents, or a string that says what went wrong.

std::string assemble(const std::string& text, std::string& why) {
  spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_2);
  spv_binary binary = nullptr;
  spv_diagnostic complaint = nullptr;
  const spv_result_t done = spvTextToBinaryWithOptions(context, text.data(), text.size(),
                                                       SPV_TEXT_TO_BINARY_OPTION_NONE, &binary, &complaint);
  std::string out;
  if (done == SPV_SUCCESS) {
    out.assign(reinterpret_cast<const char*>(binary->code), binary->wordCount * 4);
    spv_diagnostic invalid = nullptr;
    spv_validator_options options = spvValidatorOptionsCreate();
    spvValidatorOptionsSetScalarBlockLayout(options, true);
    spv_const_binary_t words{binary->code, binary->wordCount};
    if (spvValidateWithOptions(context, options, &words, &invalid) != SPV_SUCCESS) {
      why = fmt::format("not valid: {}", invalid != nullptr ? invalid->error : "");
      out.clear();
    }
    spvDiagnosticDestroy(invalid);
    spvValidatorOptionsDestroy(options);
  } else {
    why = complaint == nullptr ? "does not assemble"
                               : fmt::format("line {}: {}", complaint->position.line + 1, complaint->error);
  }
  spvDiagnosticDestroy(complaint);
  spvBinaryDestroy(binary);
  spvContextDestroy(context);
  return out;
}

std::string first_line(const Diagnostics& ds) {
  const std::string all = render(ds);
  return all.substr(0, all.find('\n'));
}

Expected<device::ModuleId> load(device::Backend& device, const json& module) {
  device::Source source;
  const std::string language = module.at("language"), text = module.at("text");
  for (const json& k : module.at("kernels")) {
    code::Kernel kernel;
    kernel.name = language == "opencl" ? k.at("name").get<std::string>() : "main";
    kernel.buffers.resize(k.at("buffers").size());
    source.kernels.push_back(std::move(kernel));
  }
  if (language == "opencl") {
    source.language = device::Language::opencl_c;
    source.bytes = text;
    return device.load(source);
  }
  std::string assembly = text, why;
  if (language == "glsl") {
    auto compiled = shader::glsl::compile(make_source("k.comp", text));
    if (!compiled) return std::unexpected(compiled.error());
    assembly = std::move(*compiled);
  }
  source.language = device::Language::spirv;
  source.bytes = assemble(assembly, why);
  if (source.bytes.empty()) return error_at({}, why);
  return device.load(source);
}

json run_kernel(device::Backend& device, device::ModuleId module, const std::string& name, const json& k) {
  device::Launch launch;
  launch.module = module;
  launch.kernel = name;
  launch.limit = 200;  // the machine may be full
  launch.lanes = k.at("lanes");
  launch.groups = k.at("groups");
  std::vector<size_t> sizes;
  json out = json::array();
  for (const json& hex : k.at("buffers")) {
    std::vector<uint8_t> bytes = bytes_of(hex);
    sizes.push_back(bytes.size());
    std::vector<uint32_t> words((bytes.size() + 3) / 4);
    std::memcpy(words.data(), bytes.data(), bytes.size());
    const auto buffer = device.allocate(words.size());
    if (!buffer) return first_line(buffer.error());
    if (const auto written = device.write(*buffer, 0, words); !written) return first_line(written.error());
    launch.buffers.push_back(*buffer);
  }
  const auto ended = device.launch(launch);
  if (!ended) return first_line(ended.error());
  if (ended->status != device::Outcome::Status::done) return "lost: " + ended->message;
  for (size_t b = 0; b < sizes.size(); ++b) {
    std::vector<uint32_t> words((sizes[b] + 3) / 4);
    if (const auto read = device.read(launch.buffers[b], 0, words); !read) return first_line(read.error());
    out.push_back(hex_of(words, sizes[b]));
    device.release(launch.buffers[b]);
  }
  return out;
}

json run(const json& job) {
  json out = json::array();
  auto device = device::open(job.at("device"));
  if (!device) {
    std::fprintf(stderr, "%s\n", first_line(device.error()).c_str());
    std::exit(1);
  }
  for (const json& module : job.at("modules")) {
    const auto loaded = load(**device, module);
    for (const json& k : module.at("kernels")) {
      const std::string name = module.at("language") == "opencl" ? k.at("name").get<std::string>() : "main";
      out.push_back(loaded ? run_kernel(**device, *loaded, name, k) : json(render(loaded.error())));
    }
  }
  return out;
}

// ---- check -----------------------------------------------------------------------------------------------------
// {"texts": [TEXT], "programs": [{"text": number, "file": NAME, "entry", "grid", "inputs": [TEXT],
//   "asks": ["forall (...)" | "races" | "as written"], "bound": N}], "patience": SECONDS}
// -> for each program a list with, for each question, "holds", "fails" or the verdict's name and detail; or a string.

std::optional<spirv::Grid> grid_of(const std::string& text) {
  const auto grid = spirv::parse_grid(text);
  return grid ? std::optional(*grid) : std::nullopt;
}

// Programs of one text are compiled together, as a user's file of several kernels is, but once.
class Reader {
 public:
  explicit Reader(const json& texts) : texts_(texts) {}

  Expected<prog::Test> read(const json& program, const spirv::LaunchOptions& launch) {
    const size_t number = program.at("text");
    const auto source = make_source(program.at("file"), texts_.at(number));
    if (source->name.ends_with(".cu") || !shader::opencl_c::is_opencl_c(*source)) {
      auto tests = read::parse(source, launch);
      if (!tests) return std::unexpected(tests.error());
      return std::move(tests->front());
    }
    auto known = compiled_.find(number);
    if (known == compiled_.end())
      known = compiled_.emplace(number, shader::opencl_c::compile(source, launch.entry)).first;
    if (!known->second) return std::unexpected(known->second.error());
    spirv::Compiled module = *known->second;
    shader::opencl_c::name_entry(module, launch.entry);
    spirv::LaunchOptions options = launch;
    options.zero = true;
    return spirv::parse_compiled(module, options);
  }

 private:
  const json& texts_;
  std::map<size_t, Expected<spirv::Compiled>> compiled_;
};

const cat::Model* model_for(vocab::Dialect d) {
  static std::map<vocab::Dialect, cat::Model> models;
  const auto known = models.find(d);
  if (known != models.end()) return &known->second;
  auto model = cat::load_model(cat::default_model(d), d);
  if (!model) {
    std::fprintf(stderr, "%s\n", render(model.error()).c_str());
    std::exit(1);
  }
  return &models.emplace(d, std::move(*model)).first->second;
}

bool is_unsupported(const Diagnostics& ds) {
  return std::any_of(ds.list.begin(), ds.list.end(), [](const Diagnostic& d) { return d.fault == Fault::unsupported; });
}

// Patience is processor time of this process: what is left undecided does not hang on the load of the machine.
std::atomic<bool> out_of_patience = false;

void wait_for(double seconds) {
  out_of_patience = false;
  struct sigaction action = {};
  action.sa_handler = [](int) { out_of_patience = true; };
  action.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  itimerval timer = {};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - static_cast<double>(timer.it_value.tv_sec)) * 1e6);
  setitimer(ITIMER_PROF, &timer, nullptr);
}

spirv::LaunchOptions launch_of(const json& program, const std::string& question) {
  spirv::LaunchOptions launch;
  launch.entry = program.at("entry");
  launch.grid = grid_of(program.at("grid"));
  for (const json& i : program.at("inputs")) launch.inputs.push_back(i);
  if (question != "races" && question != "as written") launch.condition = question;
  return launch;
}

json ask(Reader& reader, const json& program, const std::string& question, double patience) {
  const spirv::LaunchOptions launch = launch_of(program, question);
  const auto test = reader.read(program, launch);
  if (!test) return (is_unsupported(test.error()) ? "unsupported: " : "refused: ") + first_line(test.error());
  check::Options options;
  options.bound = program.at("bound").get<uint32_t>();
  options.property = question == "races" ? check::Property::races : check::Property::condition;
  Job job = Job::with_budget(0);
  job.cancelled = &out_of_patience;
  wait_for(patience);
  const check::Result r = check::check(*test, *model_for(test->dialect), options, job);
  wait_for(0);
  std::string said = name(r.verdict.status);
  if (r.verdict.status == Status::holds || r.verdict.status == Status::fails) return said;
  return said + ": " + r.verdict.detail;
}

json check_all(const json& job) {
  json out = json::array();
  Reader reader(job.at("texts"));
  for (const json& program : job.at("programs")) {
    json answers = json::array();
    for (const json& question : program.at("asks"))
      answers.push_back(ask(reader, program, question, job.at("patience")));
    out.push_back(std::move(answers));
  }
  return out;
}

// ---- list ------------------------------------------------------------------------------------------------------
// As for check, without "patience" -> for each program a list with, for each question, all that is read, or what is
// said of it.
json list_all(const json& job) {
  json out = json::array();
  Reader reader(job.at("texts"));
  for (const json& program : job.at("programs")) {
    json listings = json::array();
    for (const json& question : program.at("asks")) {
      const auto test = reader.read(program, launch_of(program, question));
      listings.push_back(test ? spirv_test::listing(*test) : render(test.error()));
    }
    out.push_back(std::move(listings));
  }
  return out;
}

int main_of(const std::string& mode) {
  if (mode == "devices") {
    for (const device::Info& i : device::find_devices().devices) {
      std::string platform;
      for (const device::Property& p : i.properties)
        if (p.name == "platform") platform = p.value;
      fmt::print("{}\t{}\t{}\n", i.id, i.name, platform);
    }
    return 0;
  }
  if (mode != "run" && mode != "check" && mode != "list") {
    std::fprintf(stderr, "front_driver devices | run | check | list\n");
    return 2;
  }
  const json job = json::parse(std::string(std::istreambuf_iterator<char>(std::cin), {}));
  const std::string out = (mode == "run" ? run(job) : mode == "list" ? list_all(job) : check_all(job)).dump();
  fmt::print("{}\n", out);
  std::fflush(stdout);
  _exit(0);  // threads of OpenCL drivers do not survive the end of main
}

}  // namespace
}  // namespace fencepost

int main(int argc, char** argv) { return fencepost::main_of(argc > 1 ? argv[1] : ""); }
