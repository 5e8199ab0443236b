#include "ptxmod/cuda_cpp.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/kernel_library.h"
#include "litmus/lexer.h"
#include "prog/test.h"
#include "ptxmod/cuda_kernel.h"
#include "spirv/comments.h"

namespace fencepost::ptxmod {
namespace {

using TextFunction = void (*)(const SourcePtr&, const std::vector<std::string>&, Expected<std::string>&);

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// "// @Define: A=1, B" as options of the preprocessor.
std::vector<std::string> defines(const SourcePtr& source) {
  std::vector<std::string> out;
  for (const spirv::CommentHeader& header :
       spirv::comment_headers(source, false, {"Config", "Input", "Output", "Filter", "Define"})) {
    if (header.word != "Define") continue;
    std::string_view line = std::string_view(source->text).substr(header.begin, header.end - header.begin);
    for (bool more = true; more;) {
      while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
      size_t end = 0;
      while (end < line.size() && is_word(line[end])) ++end;
      const std::string_view word = line.substr(0, end);
      const auto from = static_cast<uint32_t>(line.data() - source->text.data());
      if (word.empty() || (word[0] >= '0' && word[0] <= '9'))
        litmus::fail_at({source, from, from + static_cast<uint32_t>(std::max<size_t>(end, line.empty() ? 0 : 1))},
                        "expected the name of a macro", "for example: // @Define: TILE=2, DEBUG");
      const size_t comma = std::min(line.find(','), line.size());
      std::string_view value = line.substr(end, comma - end);
      while (!value.empty() && (value.back() == ' ' || value.back() == '\t' || value.back() == '\r'))
        value.remove_suffix(1);
      if (!value.empty() && value.front() != '=')
        litmus::fail_at({source, from, from + static_cast<uint32_t>(comma)}, "a macro is NAME or NAME=VALUE",
                        "several are separated by ','");
      out.push_back(fmt::format("-D{}{}", word, value));
      more = comma < line.size();
      line.remove_prefix(std::min(comma + 1, line.size()));
    }
  }
  return out;
}

// ---- the table of names and types ----------------------------------------------------------------------------------

std::string_view take(std::string_view& rest, char end) {
  const size_t at = std::min(rest.find(end), rest.size());
  const std::string_view word = rest.substr(0, at);
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return word;
}
uint64_t number(std::string_view s) {
  uint64_t n = 0;
  std::from_chars(s.data(), s.data() + s.size(), n);
  return n;
}

// As clangfe/plain.cpp writes them: "u32", "b8" (bool), "[4 s32", "{16 a 0 u32;b 8 *f32;}", "*u32", "p", "?".
DataType type_of(std::string_view& rest) {
  using Kind = DataType::Kind;
  DataType t;
  const char c = rest.empty() ? '?' : rest.front();
  if (!rest.empty()) rest.remove_prefix(1);
  if (c == 'u' || c == 's' || c == 'f' || c == 'b') {
    size_t digits = 0;
    while (digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9') ++digits;
    t.bytes = number(rest.substr(0, digits)) / 8;
    rest.remove_prefix(digits);
    t.is_unsigned = c == 'u' || c == 'b';
    t.is_bool = c == 'b';
    t.is_float = c == 'f';
    t.kind = t.bytes == 1 || t.bytes == 2 || t.bytes == 4 || t.bytes == 8 ? Kind::number : Kind::unknown;
  } else if (c == '[') {
    t.kind = Kind::list;
    t.count = number(take(rest, ' '));
    t.parts.push_back(type_of(rest));
    t.bytes = t.count * t.parts.front().bytes;
  } else if (c == '*' || c == 'p') {
    t.kind = Kind::pointer;
    t.bytes = 8;
    DataType pointed;
    pointed.kind = Kind::list;
    pointed.parts.push_back(c == '*' ? type_of(rest) : DataType{});
    t.parts.push_back(std::move(pointed));
  } else if (c == '{') {
    t.kind = Kind::members;
    t.bytes = number(take(rest, ' '));
    while (!rest.empty() && rest.front() != '}') {
      t.names.emplace_back(take(rest, ' '));
      t.offsets.push_back(number(take(rest, ' ')));
      t.parts.push_back(type_of(rest));
      if (!rest.empty() && rest.front() == ';') rest.remove_prefix(1);
    }
    if (!rest.empty()) rest.remove_prefix(1);
    // cuda::atomic<int> is an int.
    if (t.parts.size() == 1 && t.names.front().starts_with("__") && t.offsets.front() == 0) {
      DataType inner = std::move(t.parts.front());
      return inner;
    }
  }
  return t;
}

CudaKernel kernel_of(const SourcePtr& source, const std::string& text) {
  CudaKernel out;
  out.source = source;
  std::string_view rest = text;
  std::string own_file;  // the number of the file itself
  while (!rest.empty()) {
    std::string_view line = take(rest, '\n');
    if (line == "%%") break;
    const std::string_view kind = take(line, ' ');
    if (kind == "own") {
      out.own.emplace_back(line);
      continue;
    }
    if (kind == "absent") {
      out.absent.emplace_back(line);
      continue;
    }
    if (kind == "arch") {
      out.arch.emplace_back(line);
      continue;
    }
    if (kind == "file") {
      const std::string n(take(line, ' '));
      if (line == source->name) own_file = n;
      continue;
    }
    const std::string name(take(line, ' ')), file(take(line, ' '));
    const auto at = static_cast<uint32_t>(number(take(line, ' ')));
    const uint32_t where = file == own_file ? at : 0;
    if (kind == "kernel") {
      out.title = std::string(line);
      out.line = where;
    } else if (kind == "var") {
      const std::string shown(take(line, ' '));
      out.variables[name] = {shown, where, type_of(line)};
    }
  }
  out.module = std::string(rest);
  return out;
}

}  // namespace

bool is_cuda_cpp(const Source& source) {
  return source.name.ends_with(".cu") || source.name.ends_with(".cuh") ||
         source.text.find("__global__") != std::string::npos;
}

Expected<prog::Test> parse_cuda_cpp(const SourcePtr& source, const spirv::LaunchOptions& options) {
  auto words = litmus::guarded([&] { return defines(source); });
  if (!words) return std::unexpected(std::move(words.error()));
  words->insert(words->end(), options.preprocessor.begin(), options.preprocessor.end());
  if (!options.entry.empty()) words->push_back("entry=" + options.entry);
  const auto library = kernel_library();
  if (!library) return std::unexpected(library.error());
  const auto compile = reinterpret_cast<TextFunction>(kernel_function(*library, "fencepost_kern_text"));
  FENCEPOST_INVARIANT(compile != nullptr, "the library of this build gives no text of kernels");
  Expected<std::string> text = std::string();
  compile(source, *words, text);
  if (!text) return std::unexpected(std::move(text.error()));
  spirv::LaunchOptions launch = options;
  launch.zero = true;
  return ptxmod::parse_cuda_kernel(kernel_of(source, *text), launch);
}

}  // namespace fencepost::ptxmod
