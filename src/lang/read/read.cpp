#include "read/read.h"

#include <fmt/format.h>

#include <optional>

#include "base/printable.h"
#include "base/read_file.h"
#include "litmus/lexer.h"
#include "litmus/parse.h"
#include "prog/syntax.h"
#include "prog/test.h"
#include "ptxmod/cuda_cpp.h"
#include "ptxmod/ptxmod.h"
#include "shader/glsl.h"
#include "shader/opencl_c.h"

namespace fencepost::read {
namespace {

std::string upper(std::string_view s) {
  std::string out(s);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

std::string_view next_line(std::string_view& rest) {
  const size_t eol = rest.find('\n');
  std::string_view line = rest.substr(0, eol);
  rest.remove_prefix(eol == std::string_view::npos ? rest.size() : eol + 1);
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  return line;
}

// The two `.test` notations have no header; they are known by what their lines start with.
std::optional<prog::Syntax> notation_of(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    for (const char* w : {"NEWQF", "NEWWG", "NEWSG", "NEWTHREAD", "SATISFIABLE", "NOSOLUTION", "SLOC", "SSW"})
      if (line.starts_with(w)) return prog::Syntax::vulkan_test;
    for (const char* w : {".global", ".shared", ".texref", ".surfref"})
      if (line.starts_with(w)) return prog::Syntax::mixedproxy_test;
    if (line.size() > 1 && line[0] == 'd' && line[1] >= '0' && line[1] <= '9' &&
        line.find('{') != std::string_view::npos)
      return prog::Syntax::mixedproxy_test;
  }
  return std::nullopt;
}

Expected<std::vector<prog::Test>> one(Expected<prog::Test> t) {
  if (!t) return std::unexpected(std::move(t.error()));
  std::vector<prog::Test> out;
  out.push_back(std::move(*t));
  return out;
}

// A litmus test brings its threads, values and question along; what is said of them beside it would be without effect.
const char* only_for_shaders(const spirv::LaunchOptions& launch) {
  if (launch.grid) return "a launch";
  if (!launch.inputs.empty()) return "a value of an input";
  if (!launch.condition.empty()) return "a question";
  if (!launch.filter.empty()) return "a filter";
  if (!launch.entry.empty()) return "an entry point";
  return nullptr;
}
std::unexpected<Diagnostics> beside_a_litmus_test(const SourcePtr& source, const char* what) {
  return error_at(Span{source, 0, 0}, fmt::format("{} beside this file: a litmus test has its own", what),
                  "--grid, --input, --condition, --exists, --filter and --entry are for shaders and kernels");
}

Expected<std::vector<prog::Test>> parsed(const SourcePtr& source, const spirv::LaunchOptions& launch) {
  if (shader::glsl::is_glsl(source->text)) return one(shader::glsl::parse_glsl(source, launch));
  if (spirv::is_spirv(source->text)) return one(spirv::parse_spirv(source, launch));
  if (source->name.ends_with(".comp") || source->name.ends_with(".glsl"))
    return one(shader::glsl::parse_glsl(source, launch));
  if (ptxmod::is_ptx_module(source->text)) return one(ptxmod::parse_ptx_module(source, launch));
  if (source->name.ends_with(".cu") || source->name.ends_with(".cuh"))
    return one(ptxmod::parse_cuda_cpp(source, launch));
  if (source->name.ends_with(".cl")) return one(shader::opencl_c::parse_opencl_c(source, launch));
  const bool is_test_file = source->name.ends_with(".test");
  // Blanks and litmus comments may stand before the language.
  auto first = litmus::guarded([&] {
    litmus::Cursor c(source, {}, std::string_view(source->text).starts_with("\xef\xbb\xbf") ? 3 : 0);
    return c.peek();
  });
  const std::string language = first && first->kind == litmus::Tok::word ? upper(first->text) : std::string();
  if (!is_test_file) {
    if (language == "PTX" && ptxmod::is_ptx_litmus(source->text)) {
      if (const char* what = only_for_shaders(launch)) return beside_a_litmus_test(source, what);
      return one(ptxmod::parse_ptx_litmus(source));
    }
    if (language == "PTX") return one(litmus::parse_ptx(source));
    if (language == "VULKAN") return one(litmus::parse_vulkan(source));
    if (language == "OPENCL" || language == "CUDA") return one(litmus::parse_opencl(source));
    if (language == "GPU_PTX") return one(litmus::parse_gpu_ptx(source));
  }
  const std::optional<prog::Syntax> notation = notation_of(source->text);
  if (notation == prog::Syntax::vulkan_test) return litmus::parse_khronos_test(source);
  if (notation == prog::Syntax::mixedproxy_test) return litmus::parse_mixedproxy_test(source);
  if (is_test_file)
    return error_at(
        Span{source, 0, 0}, "this is neither of the two '.test' notations",
        "expected NEWWG/NEWTHREAD lines with SATISFIABLE or NOSOLUTION, or .global declarations with d0.b0.t0 { ... }");
  if (ptxmod::is_cuda_cpp(*source)) return one(ptxmod::parse_cuda_cpp(source, launch));
  if (shader::opencl_c::is_opencl_c(*source)) return one(shader::opencl_c::parse_opencl_c(source, launch));
  if (!first) return std::unexpected(std::move(first.error()));
  if (first->kind == litmus::Tok::end)
    return error_at(Span{source, first->begin, first->end}, "the text is empty",
                    "a litmus test starts with PTX, VULKAN, OPENCL, CUDA or GPU_PTX");
  return error_at(Span{source, first->begin, first->end},
                  fmt::format("{} is not a language of litmus tests", litmus::quoted(first->text)),
                  litmus::suggest(language, {"PTX", "VULKAN", "OPENCL", "CUDA", "GPU_PTX"},
                                  "start with PTX, VULKAN, OPENCL, CUDA or GPU_PTX"));
}

}  // namespace

Expected<std::vector<prog::Test>> parse(SourcePtr source, const spirv::LaunchOptions& launch) {
  auto tests = parsed(source, launch);
  if (const char* what = only_for_shaders(launch);
      tests && what != nullptr && !tests->empty() && tests->front().syntax != prog::Syntax::spirv)
    return beside_a_litmus_test(source, what);
  // Titles go into lines of text, documents and programs: they are made printable here, once.
  if (tests)
    for (prog::Test& t : *tests) {
      t.title = printable_name(t.title);
      if (!launch.spurious && prog::forbid_spurious_failures(t)) t.assumptions.emplace_back(k_never_spurious);
    }
  return tests;
}

Expected<prog::Test> parse_one(SourcePtr source) {
  auto tests = parse(source);
  if (!tests) return std::unexpected(std::move(tests.error()));
  if (tests->size() != 1)
    return error_at(Span{source, 0, 0}, fmt::format("this text holds {} tests where one is expected", tests->size()),
                    "give a file with one test, or use a verb that takes several");
  return std::move(tests->front());
}

Expected<std::vector<prog::Test>> parse_file(const std::string& path, const spirv::LaunchOptions& launch) {
  auto source = read_file(path);
  if (!source) return std::unexpected(std::move(source.error()));
  return parse(*std::move(source), launch);
}

}  // namespace fencepost::read
