#include "shader/glsl.h"

#include <fmt/format.h>
#include <glslang/Include/glslang_c_interface.h>
#include <glslang/Public/resource_limits_c.h>
#include <pthread.h>
#include <spirv-tools/libspirv.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <unordered_map>

#include "litmus/lexer.h"
#include "prog/test.h"
#include "shader/assembly.h"

namespace fencepost::shader::glsl {
namespace {

constexpr size_t k_most_text = size_t{1} << 17;
constexpr size_t k_stack = size_t{8} << 20, k_stack_per_byte = 4096;  // a quarter has sufficed for all that was tried
constexpr std::string_view k_pragma = "#pragma use_vulkan_memory_model";

// The text with the pragma behind its "#version" line (which must be the first), where it is missing; lines keep their
// numbers.
std::string with_pragma(const std::string& text) {
  if (text.find(k_pragma) != std::string::npos) return text;
  const size_t version = text.starts_with("#version") ? 0 : text.find("\n#version");
  if (version == std::string::npos) return fmt::format("{}\n#line 1\n{}", k_pragma, text);
  const size_t end = std::min(text.find('\n', version + 1), text.size());
  const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
  return fmt::format("{}\n{}\n#line {}{}", text.substr(0, end), k_pragma, lines + 2, text.substr(end));
}

// The span of a line of the source, without its blanks at the left.
Span line_span(const SourcePtr& source, uint32_t line) {
  const std::string& text = source->text;
  size_t begin = 0;
  for (uint32_t at = 1; at < line && begin < text.size(); ++at) {
    const size_t next = text.find('\n', begin);
    if (next == std::string::npos) break;
    begin = next + 1;
  }
  size_t end = std::min(text.find('\n', begin), text.size());
  while (begin < end && (text[begin] == ' ' || text[begin] == '\t')) ++begin;
  return {source, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
}

// Lines of the compiler's log, "ERROR: 0:12: 'x' : undeclared identifier", as diagnostics; its closing count is left
// out.
Diagnostics diagnostics(const SourcePtr& source, std::string_view log) {
  Diagnostics out;
  while (!log.empty()) {
    const size_t end = log.find('\n');
    std::string_view line = log.substr(0, end);
    log.remove_prefix(end == std::string_view::npos ? log.size() : end + 1);
    if (!line.starts_with("ERROR: ")) continue;
    line.remove_prefix(7);
    uint32_t at = 1;
    const size_t colon = line.find(':');
    const size_t second = colon == std::string_view::npos ? colon : line.find(':', colon + 1);
    if (second != std::string_view::npos &&
        std::from_chars(line.data() + colon + 1, line.data() + second, at).ec == std::errc{})
      line.remove_prefix(second + 1);
    else if (line.find("compilation errors") != std::string_view::npos)
      continue;
    while (line.starts_with(' ')) line.remove_prefix(1);
    while (line.ends_with(' ')) line.remove_suffix(1);
    if (line.ends_with("compilation terminated") && out.has_errors()) continue;
    out.add({Severity::error, Fault::bad_input, line_span(source, at), std::string(line), ""});
  }
  if (!out.has_errors())
    out.add({Severity::error, Fault::bad_input, line_span(source, 1), "the shader does not compile", ""});
  return out;
}

template <class T, void (*release)(T*)>
struct Release {
  void operator()(T* p) const { release(p); }
};
using Shader = std::unique_ptr<glslang_shader_t, Release<glslang_shader_t, glslang_shader_delete>>;
using Program = std::unique_ptr<glslang_program_t, Release<glslang_program_t, glslang_program_delete>>;

// The source text that the compiler puts into the module would come out as lines of the assembly.
std::vector<uint32_t> without_source(const uint32_t* words, size_t count) {
  constexpr size_t k_header = 5;
  std::vector<uint32_t> out(words, words + std::min(count, k_header));
  for (size_t i = k_header; i < count;) {
    const uint32_t opcode = words[i] & 0xffff, length = std::max(words[i] >> 16, 1u);
    const bool source = opcode >= 2 && opcode <= 4;  // OpSourceContinued, OpSource, OpSourceExtension
    if (!source) out.insert(out.end(), words + i, words + std::min<size_t>(i + length, count));
    i += length;
  }
  return out;
}

std::string disassemble(const std::vector<uint32_t>& words) {
  spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_2);
  spv_text text = nullptr;
  const spv_result_t done =
      spvBinaryToText(context, words.data(), words.size(),
                      SPV_BINARY_TO_TEXT_OPTION_NO_HEADER | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES, &text, nullptr);
  std::string out = done == SPV_SUCCESS ? std::string(text->str, text->length) : "";
  spvTextDestroy(text);
  spvContextDestroy(context);
  FENCEPOST_INVARIANT(!out.empty(), "glslang makes modules that SPIRV-Tools can print");
  return out;
}

// ---- names of the shader -> ids of the module --------------------------------------------------------------------

constexpr uint32_t k_most_members = 16384;  // of a structure, as SPIR-V's limits have it

// "lock" -> "%_" member 0, "b.lock" -> "%b" member 0, "tile" -> "%tile"; and what each invocation has for itself.
void add_names(spirv::Compiled& out) {
  std::unordered_map<std::string, std::string> names, pointee;        // id -> OpName; pointer type -> its target
  std::unordered_map<std::string, std::vector<std::string>> members;  // struct -> member names
  std::string_view rest = out.module;
  while (!rest.empty()) {
    const auto w = words_of(next_statement(rest));
    if (w.size() >= 3 && w[0] == "OpName")
      names[w[1]] = unquoted(w[2]);
    else if (w.size() >= 4 && w[0] == "OpMemberName") {
      auto& list = members[w[1]];
      uint32_t index = 0;
      const auto read = std::from_chars(w[2].data(), w[2].data() + w[2].size(), index);
      if (read.ec != std::errc{} || index > k_most_members) continue;
      if (list.size() <= index) list.resize(index + 1);
      list[index] = unquoted(w[3]);
    } else if (w.size() >= 5 && w[2] == "OpTypePointer")
      pointee[w[0]] = w[4];
    else if (w.size() >= 5 && w[2] == "OpVariable") {
      const std::string name = names.contains(w[0]) ? names[w[0]] : "";
      if (w[4] == "Function" || w[4] == "Input" || w[4] == "Private") {
        if (!name.empty()) out.own.push_back(name);
        continue;
      }
      if (!name.empty()) out.variables.try_emplace(name, w[0], std::vector<uint64_t>{});
      const auto block = members.find(pointee[w[3]]);
      if (block == members.end()) continue;
      for (uint64_t m = 0; m < block->second.size(); ++m)
        out.variables.try_emplace(name.empty() ? block->second[m] : name + "." + block->second[m], w[0],
                                  std::vector<uint64_t>{m});
    }
  }
}

Expected<std::string> compiled(const SourcePtr& source) {
  static const bool ready = glslang_initialize_process() != 0;  // once per process, as the library asks
  FENCEPOST_INVARIANT(ready, "glslang starts");
  const std::string text = with_pragma(source->text);
  glslang_input_t input{};
  input.language = GLSLANG_SOURCE_GLSL;
  input.stage = GLSLANG_STAGE_COMPUTE;
  input.client = GLSLANG_CLIENT_VULKAN;
  input.client_version = GLSLANG_TARGET_VULKAN_1_2;
  input.target_language = GLSLANG_TARGET_SPV;
  input.target_language_version = GLSLANG_TARGET_SPV_1_5;
  input.code = text.c_str();
  input.default_version = 450;
  input.default_profile = GLSLANG_NO_PROFILE;
  input.messages = static_cast<glslang_messages_t>(GLSLANG_MSG_SPV_RULES_BIT | GLSLANG_MSG_VULKAN_RULES_BIT |
                                                   GLSLANG_MSG_DEBUG_INFO_BIT);
  input.resource = glslang_default_resource();

  const Shader shader(glslang_shader_create(&input));
  if (glslang_shader_preprocess(shader.get(), &input) == 0 || glslang_shader_parse(shader.get(), &input) == 0)
    return std::unexpected(diagnostics(source, glslang_shader_get_info_log(shader.get())));
  const Program program(glslang_program_create());
  glslang_program_add_shader(program.get(), shader.get());
  if (glslang_program_link(program.get(), input.messages) == 0)
    return std::unexpected(diagnostics(source, glslang_program_get_info_log(program.get())));
  glslang_spv_options_t options{};
  options.generate_debug_info = true;  // OpLine: messages name the shader's lines
  options.disable_optimizer = true;
  glslang_program_set_source_file(program.get(), GLSLANG_STAGE_COMPUTE, source->name.c_str());
  glslang_program_SPIRV_generate_with_options(program.get(), GLSLANG_STAGE_COMPUTE, &options);
  return disassemble(
      without_source(glslang_program_SPIRV_get_ptr(program.get()), glslang_program_SPIRV_get_size(program.get())));
}

struct Work {
  const SourcePtr& source;
  std::optional<Expected<std::string>> result;
};

}  // namespace

// glslang walks what it has parsed by recursion, and a long sum is a deep tree: "x + x + ..." of 20,000 terms overflows
// the usual stack. This one grows with the text.
Expected<std::string> compile(const SourcePtr& source) {
  if (source->text.size() > k_most_text)
    return unsupported_at(Span{source, 0, 0}, fmt::format("a shader of {} bytes is not read", source->text.size()),
                          fmt::format("at most {} are", k_most_text));
  Work work{source, std::nullopt};
  const size_t stack = k_stack + k_stack_per_byte * source->text.size();
  pthread_attr_t attributes;
  pthread_t thread;
  const auto run = [](void* w) -> void* {
    auto& job = *static_cast<Work*>(w);
    job.result = compiled(job.source);
    return nullptr;
  };
  pthread_attr_init(&attributes);
  const bool started =
      pthread_attr_setstacksize(&attributes, stack) == 0 && pthread_create(&thread, &attributes, run, &work) == 0;
  pthread_attr_destroy(&attributes);
  if (!started)
    return unsupported_at(Span{source, 0, 0}, "there is no memory for the shader compiler",
                          fmt::format("it wants {} MiB of address space for its stack", stack >> 20));
  pthread_join(thread, nullptr);
  return *std::move(work.result);
}

Expected<prog::Test> parse_glsl(const SourcePtr& source, const spirv::LaunchOptions& options) {
  auto assembly = compile(source);
  if (!assembly) return std::unexpected(std::move(assembly.error()));
  spirv::Compiled compiled{.source = source, .module = std::move(*assembly), .file = source->name};
  add_names(compiled);
  spirv::LaunchOptions launch = options;
  launch.zero = true;
  return spirv::parse_compiled(compiled, launch);
}

}  // namespace fencepost::shader::glsl
