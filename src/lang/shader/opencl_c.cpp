#include "shader/opencl_c.h"

#include <fmt/format.h>
#include <spirv-tools/libspirv.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unordered_map>

#include "base/child.h"
#include "base/folder.h"
#include "base/read_file.h"
#include "litmus/lexer.h"
#include "prog/test.h"
#include "shader/assembly.h"
#include "spirv/comments.h"

namespace fencepost::shader::opencl_c {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds k_limit(60);
constexpr size_t k_most_text = size_t{1} << 20;

bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

std::string_view next_line(std::string_view& rest) {
  const size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return line;
}

Span line_span(const SourcePtr& source, uint32_t line, uint32_t column) {
  const std::string& text = source->text;
  size_t begin = 0;
  for (uint32_t at = 1; at < line; ++at) {
    const size_t next = text.find('\n', begin);
    if (next == std::string::npos) break;
    begin = next + 1;
  }
  const size_t eol = std::min(text.find('\n', begin), text.size());
  begin = std::min(begin + (column == 0 ? 0 : column - 1), eol);
  size_t end = begin;
  while (end < eol && is_name(text[end])) ++end;
  if (end == begin && end < eol) ++end;
  return {source, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
}

// "FILE:12:3: error: text" as diagnostics; what stands in another file names it. `folders`: whose files may be spoken
// of. An include may name any file that its reader could open, and the compiler quotes words of what it does not
// understand.
Diagnostics complaints(const SourcePtr& source, const std::string& file, const std::vector<std::string>& folders,
                       std::string_view log) {
  Diagnostics out;
  while (!log.empty()) {
    const std::string_view line = next_line(log);
    size_t kind = line.find(": error: "), length = 9;
    if (kind == std::string_view::npos) {
      kind = line.find(": fatal error: ");
      length = 15;
    }
    if (kind == std::string_view::npos) {
      if (line.starts_with("error: "))
        out.add({Severity::error, Fault::bad_input, Span{source, 0, 0}, std::string(line.substr(7)), ""});
      continue;
    }
    const std::string_view place = line.substr(0, kind);
    std::string message(line.substr(kind + length));
    uint32_t at = 0, column = 0;
    const size_t second = place.rfind(':');
    const size_t first =
        second == std::string_view::npos || second == 0 ? std::string_view::npos : place.rfind(':', second - 1);
    if (first != std::string_view::npos) {
      std::from_chars(place.data() + first + 1, place.data() + second, at);
      std::from_chars(place.data() + second + 1, place.data() + place.size(), column);
    }
    const std::string_view where = place.substr(0, first);
    const bool own = std::any_of(folders.begin(), folders.end(),
                                 [&](const std::string& f) { return is_below(std::string(where), f); });
    if (where != file && !own) {
      if (!out.has_errors())
        out.add({Severity::error, Fault::bad_input, Span{source, 0, 0},
                 fmt::format("the included file '{}' does not compile here", where),
                 "its text is not shown, since it lies outside of the kernel's folder"});
      continue;
    }
    if (where != file) message += fmt::format(" (in {})", place);
    out.add({Severity::error, Fault::bad_input, where == file ? line_span(source, at, column) : Span{source, 0, 0},
             std::move(message), ""});
  }
  return out;
}

// The files that a compilation has read, from the makefile rule that clang writes of them ("a.o: a.cl b\\ c.h \\").
std::vector<std::string> files_of_rule(const std::string& rule) {
  std::vector<std::string> out;
  std::string word;
  const size_t begin = rule.find(": ");
  for (size_t i = begin == std::string::npos ? rule.size() : begin + 2; i <= rule.size(); ++i) {
    const char c = i < rule.size() ? rule[i] : '\n', next = i + 1 < rule.size() ? rule[i + 1] : '\n';
    if ((c == '\\' && (next == ' ' || next == '#')) || (c == '$' && next == '$')) {
      word += next;
      ++i;
    } else if (c == ' ' || c == '\n' || (c == '\\' && next == '\n')) {
      if (!word.empty()) out.push_back(word);
      word.clear();
    } else {
      word += c;
    }
  }
  return out;
}

// What pipes, terminals and devices give is not the text of a program: it is gone when it is read again, or never ends.
Expected<void> only_files(const SourcePtr& source, const std::string& rule_file) {
  const auto rule = read_file(rule_file);
  if (!rule) return {};  // nothing was read, and clang has said why
  for (const std::string& name : files_of_rule((*rule)->text))
    if (auto ok = can_be_read(name); !ok) {
      Diagnostic d = ok.error().list.front();
      const size_t at = source->text.find(name);
      const auto begin = static_cast<uint32_t>(at == std::string::npos ? 0 : at);
      d.span = {source, begin, static_cast<uint32_t>(begin + (at == std::string::npos ? 0 : name.size()))};
      d.message = "this include is not read: " + d.message;
      return std::unexpected(Diagnostics(std::move(d)));
    }
  return {};
}

// "// @Define: A=1, B" as options of the preprocessor.
Expected<std::vector<std::string>> defines(const SourcePtr& source) {
  std::vector<std::string> out;
  const auto headers = litmus::guarded(
      [&] { return spirv::comment_headers(source, false, {"Config", "Input", "Output", "Filter", "Define"}); });
  if (!headers) return std::unexpected(headers.error());
  for (const spirv::CommentHeader& header : *headers) {
    if (header.word != "Define") continue;
    std::string_view line = std::string_view(source->text).substr(header.begin, header.end - header.begin);
    for (bool more = true; more;) {
      while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
      size_t end = 0;
      while (end < line.size() && is_name(line[end])) ++end;
      const std::string_view word = line.substr(0, end);
      const auto from = static_cast<uint32_t>(line.data() - source->text.data());
      if (word.empty() || (word[0] >= '0' && word[0] <= '9'))
        return error_at(Span{source, from, from + static_cast<uint32_t>(std::max<size_t>(end, line.empty() ? 0 : 1))},
                        "expected the name of a macro", "for example: // @Define: TILE=2, DEBUG");
      const size_t comma = std::min(line.find(','), line.size());
      std::string_view value = line.substr(end, comma - end);
      while (!value.empty() && (value.back() == ' ' || value.back() == '\t' || value.back() == '\r'))
        value.remove_suffix(1);
      if (!value.empty() && value.front() != '=')
        return error_at(Span{source, from, from + static_cast<uint32_t>(comma)}, "a macro is NAME or NAME=VALUE",
                        "several are separated by ','");
      out.push_back(fmt::format("-D{}{}", word, value));
      more = comma < line.size();
      line.remove_prefix(std::min(comma + 1, line.size()));
    }
  }
  return out;
}

// ---- names of the source -> ids of the module ------------------------------------------------------------------

// What the names of a module are made of. The translator wraps a kernel into an entry point without names, which calls
// it; parameters have names in the debug information alone.
struct Names {
  std::unordered_map<std::string, std::string> strings, names;
  std::vector<std::pair<std::string, std::string>> variables;  // id, storage class
  std::unordered_map<std::string, std::vector<std::string>> parameters,
      arguments;                                           // by function: ids; of its last call
  std::unordered_map<std::string, std::string> callee;     // of a function that calls one other
  std::unordered_map<std::string, std::string> described;  // DebugFunction -> function
  struct Local {
    std::string name, type, scope;
    uint32_t argument = 0;  // from 1; 0: a variable
  };
  std::vector<Local> locals;
  std::vector<std::pair<std::string, std::string>> entries;         // id, name
  std::unordered_map<std::string, uint32_t> numbers;                // OpConstant
  std::unordered_map<std::string, std::vector<std::string>> debug;  // DebugType...: its words, from the instruction on
  std::vector<std::pair<std::string, std::string>> typed;           // variable, debug type
};

Names read_names(std::string_view assembly) {
  Names n;
  std::string function;
  while (!assembly.empty()) {
    const auto w = words_of(next_statement(assembly));
    if (w.size() < 2) continue;
    const bool result = w.size() > 2 && w[1] == "=";
    const std::string& op = result ? w[2] : w[0];
    if (op == "OpString" && w.size() > 3)
      n.strings[w[0]] = unquoted(w[3]);
    else if (op == "OpName" && w.size() > 2)
      n.names[w[1]] = unquoted(w[2]);
    else if (op == "OpEntryPoint" && w.size() > 3)
      n.entries.emplace_back(w[2], unquoted(w[3]));
    else if (op == "OpVariable" && w.size() > 4)
      n.variables.emplace_back(w[0], w[4]);
    else if (op == "OpFunction")
      function = w[0];
    else if (op == "OpFunctionParameter")
      n.parameters[function].push_back(w[0]);
    else if (op == "OpFunctionCall" && w.size() > 4) {
      n.callee[function] = w[4];
      n.arguments[function] = {w.begin() + 5, w.end()};
    } else if (op == "OpExtInst" && w.size() > 5 && w[5] == "DebugFunction" && w.size() > 15)
      n.described[w[0]] = w[15];
    else if (op == "OpExtInst" && w.size() > 5 && w[5] == "DebugLocalVariable" && w.size() > 12) {
      Names::Local l{n.strings[w[6]], w[7], w[11], 0};
      if (w.size() > 13) l.argument = static_cast<uint32_t>(std::strtoul(w[13].c_str(), nullptr, 10));
      n.locals.push_back(std::move(l));
    } else if (op == "OpExtInst" && w.size() > 13 && w[5] == "DebugGlobalVariable") {
      n.typed.emplace_back(w[13], w[7]);
    } else if (op == "OpExtInst" && w.size() > 6 && w[5].starts_with("DebugType")) {
      n.debug[w[0]] = {w.begin() + 5, w.end()};
    } else if (op == "OpConstant" && w.size() > 4) {
      n.numbers[w[0]] = static_cast<uint32_t>(std::strtoul(w[4].c_str(), nullptr, 10));
    }
  }
  return n;
}

// The integers of a type of the text, which say what those of SPIR-V kernels do not: whether they have a sign. What
// lies behind a pointer in memory is left out, for no question goes there.
class SourceTypes {
 public:
  explicit SourceTypes(const Names& n) : n_(n) {}

  spirv::SourceType of(const std::string& id) { return read(id, 0, true); }

 private:
  static constexpr uint32_t k_deepest = 32, k_most = 10000;

  spirv::SourceType read(const std::string& id, uint32_t depth, bool outermost) {
    const auto it = n_.debug.find(id);
    if (it == n_.debug.end() || depth > k_deepest || ++read_ > k_most) return {};
    const std::vector<std::string>& w = it->second;
    const std::string& kind = w[0];
    const auto list = [](spirv::SourceType of) {
      spirv::SourceType t;
      t.is_list = true;
      t.parts.push_back(std::move(of));
      return t;
    };
    if (kind == "DebugTypeBasic" && w.size() > 3)
      return scalar(w[1], w[2], w[3].starts_with("Unsigned") || w[3] == "Boolean");
    if ((kind == "DebugTypedef" || kind == "DebugTypeEnum") && w.size() > 2) return read(w[2], depth + 1, outermost);
    if (kind == "DebugTypeMember" && w.size() > 2) return read(w[2], depth + 1, false);
    if (kind == "DebugTypeQualifier") return read(w[1], depth + 1, outermost);
    if (kind == "DebugTypePointer") return outermost ? list(read(w[1], depth + 1, false)) : spirv::SourceType{};
    if (kind == "DebugTypeVector") return list(read(w[1], depth + 1, false));
    if (kind == "DebugTypeArray") {  // per dimension a count, and then a lower bound
      spirv::SourceType t = read(w[1], depth + 1, false);
      for (size_t k = (w.size() - 2) / 2; k > 0; --k) t = list(std::move(t));
      return t;
    }
    spirv::SourceType t;
    if (kind == "DebugTypeComposite")
      for (size_t k = 10; k < w.size(); ++k) {
        t.parts.push_back(read(w[k], depth + 1, false));
        const auto m = n_.debug.find(w[k]);
        const auto at = m == n_.debug.end() || m->second.size() < 8 ? n_.numbers.end() : n_.numbers.find(m->second[7]);
        t.parts.back().offset = at == n_.numbers.end() ? 0 : at->second;
        if (m == n_.debug.end() || m->second.size() < 2) continue;
        if (const auto name = n_.strings.find(m->second[1]); name != n_.strings.end())
          t.parts.back().name = name->second;
      }
    return t;
  }
  spirv::SourceType scalar(const std::string& name, const std::string& size, bool is_unsigned) const {
    spirv::SourceType t;
    if (const auto it = n_.strings.find(name); it != n_.strings.end()) t.spelled = it->second;
    const auto bits = n_.numbers.find(size);
    t.bits = bits == n_.numbers.end() ? 0 : bits->second;
    t.is_unsigned = is_unsigned;
    return t;
  }

  const Names& n_;
  uint32_t read_ = 0;
};

void add_names(spirv::Compiled& out, const std::string& wanted) {
  const Names n = read_names(out.module);
  SourceTypes types(n);
  std::string entry, kernel;
  for (const auto& [id, name] : n.entries)
    if (wanted.empty() ? n.entries.size() == 1 : name == wanted) {
      entry = id;
      kernel = name;
    }
  std::string body = entry;
  if (const auto call = n.callee.find(entry); call != n.callee.end()) {
    const auto own = n.parameters.find(entry);
    if (own != n.parameters.end() && own->second == n.arguments.at(entry)) body = call->second;
  }
  for (const Names::Local& l : n.locals) {
    const auto f = n.described.find(l.scope);
    const auto parameters = n.parameters.find(entry);
    if (f != n.described.end() && f->second == body && l.argument > 0 && parameters != n.parameters.end() &&
        l.argument <= parameters->second.size()) {
      const std::string& id = parameters->second[l.argument - 1];
      out.variables.try_emplace(l.name, id, std::vector<uint64_t>{});
      out.types.try_emplace(id, types.of(l.type));
    } else {
      out.own.push_back(l.name);
    }
  }
  for (const auto& [id, type] : n.typed) out.types.try_emplace(id, types.of(type));
  for (const auto& [id, storage] : n.variables) {
    const auto name = n.names.find(id);
    if (name == n.names.end() || storage == "Function" || storage == "Input") continue;
    const bool local = name->second.starts_with(kernel + ".");  // "kernel.tile": a __local variable of the kernel
    out.variables.try_emplace(local ? name->second.substr(kernel.size() + 1) : name->second, id,
                              std::vector<uint64_t>{});
  }
}

// ---- compilation -----------------------------------------------------------------------------------------------

bool write_file(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  return static_cast<bool>(file.flush());
}

// Assembly with ids as the module has them; or nothing, and why.
std::string disassemble(const std::string& path, std::string& why) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
  spv_text text = nullptr;
  spv_diagnostic complaint = nullptr;
  const spv_result_t done =
      spvBinaryToText(context, words.data(), words.size(), SPV_BINARY_TO_TEXT_OPTION_NO_HEADER, &text, &complaint);
  if (complaint != nullptr && complaint->error != nullptr) why = complaint->error;
  spvDiagnosticDestroy(complaint);
  std::string out = done == SPV_SUCCESS ? std::string(text->str, text->length) : "";
  spvTextDestroy(text);
  spvContextDestroy(context);
  return out;
}

// Takes the calls of a function out of a module.
void drop_calls(std::string& assembly, std::string_view function) {
  std::string id, out;
  for (std::string_view rest = assembly; !rest.empty();) {
    const std::string_view line = next_line(rest);
    const auto w = words_of(line);
    if (w.size() > 2 && w[0] == "OpName" && unquoted(w[2]) == function) id = w[1];
    const bool call = !id.empty() && w.size() > 4 && w[2] == "OpFunctionCall" && w[4] == id;
    if (!call) out.append(line).append("\n");
  }
  assembly = std::move(out);
}

std::unexpected<Diagnostics> tool_failed(const SourcePtr& source, const std::string& tool, const ChildResult& r) {
  std::string said = r.output.substr(0, r.output.find('\n'));
  const std::string name = fs::path(tool).filename().string();
  if (r.timed_out)
    return unsupported_at(Span{source, 0, 0},
                          fmt::format("{} needs more than {} s for this kernel", name, k_limit.count()));
  if (!r.started) return error_at(Span{source, 0, 0}, fmt::format("{} cannot be started", tool));
  return unsupported_at(Span{source, 0, 0},
                        fmt::format("{} ends with status {}{}", name, r.status, said.empty() ? "" : ": " + said),
                        "the kernel is beyond what this tool can do");
}

}  // namespace

Expected<Tools> find_tools(const SourcePtr& source) {
  if (!programs_can_be_started())
    return unsupported_at(Span{source, 0, 0},
                          "OpenCL C is compiled by programs of their own, which --untrusted does not start",
                          "fencepost prove --untrusted reads kernels in its own process");
  Tools out;
  const char* clang = std::getenv("FENCEPOST_CLANG");
  const char* translator = std::getenv("FENCEPOST_LLVM_SPIRV");
  std::string lacks;
  for (const char* version : {"15", "14"}) {
    const std::vector<std::string> folders = {fmt::format("/usr/lib/llvm-{}/bin", version)};
    const std::string suffix = std::string("-") + version;
    Tools t;
    if (clang != nullptr && !fs::exists(clang)) clang = "";
    if (translator != nullptr && !fs::exists(translator)) translator = "";
    t.clang = clang != nullptr ? clang : find_program("clang" + suffix, folders);
    if (t.clang.empty() && clang == nullptr && fs::exists(folders[0] + "/clang")) t.clang = folders[0] + "/clang";
    t.translator = translator != nullptr ? translator : find_program("llvm-spirv" + suffix, folders);
    if (t.translator.empty() && translator == nullptr && fs::exists(folders[0] + "/llvm-spirv"))
      t.translator = folders[0] + "/llvm-spirv";
    if (!t.clang.empty() && !t.translator.empty()) return t;
    if (lacks.empty())
      lacks = t.clang.empty() && t.translator.empty() ? "neither is installed"
              : t.clang.empty()                       ? "clang-15 is not installed"
                                                      : "llvm-spirv-15 is not installed";
  }
  return error_at(Span{source, 0, 0},
                  fmt::format("OpenCL C is compiled by clang 15 and the LLVM-SPIR-V translator, and {}", lacks),
                  "Debian has them: apt install clang-15 llvm-spirv-15");
}

namespace {

// The kernel that runs: the one of that name, or the only one.
Expected<void> one_kernel(const spirv::Compiled& module, const std::string& entry) {
  std::vector<std::string> kernels;
  for (const auto& [id, name] : read_names(module.module).entries) kernels.push_back(name);
  const Span start{module.source, 0, 0};
  if (entry.empty() && kernels.size() > 1)
    return error_at(start, fmt::format("this file has {} kernels", kernels.size()),
                    fmt::format("--entry {} chooses the first", kernels.front()));
  if (!entry.empty() && std::find(kernels.begin(), kernels.end(), entry) == kernels.end())
    return error_at(start, fmt::format("there is no kernel '{}'", entry),
                    litmus::suggest(entry, kernels, fmt::format("the kernels are {}", fmt::join(kernels, ", "))));
  return {};
}

}  // namespace

Expected<spirv::Compiled> compile(const SourcePtr& source, const std::string& entry) {
  if (source->text.size() > k_most_text)
    return unsupported_at(Span{source, 0, 0}, fmt::format("a kernel of {} bytes is not read", source->text.size()),
                          fmt::format("at most {} are", k_most_text));
  const auto macros = defines(source);
  if (!macros) return std::unexpected(macros.error());
  const auto tools = find_tools(source);
  if (!tools) return std::unexpected(tools.error());
  const ScratchFolder folder;
  const std::string file = folder.path() + "/kernel.cl", bitcode = folder.path() + "/kernel.bc",
                    module = folder.path() + "/kernel.spv", rule = folder.path() + "/kernel.d";
  if (folder.path().empty() || !write_file(file, source->text))
    return error_at(Span{source, 0, 0}, "there is no place for the compiler's files",
                    "TMPDIR names a folder that can be written");
  // Typed pointers are what these versions of the translator read; the type of a pointer says what it points at.
  std::vector<std::string> command = {tools->clang,
                                      "-x",
                                      "cl",
                                      "-cl-std=CL2.0",
                                      "-target",
                                      "spir64",
                                      "-Xclang",
                                      "-no-opaque-pointers",
                                      "-Xclang",
                                      "-finclude-default-header",
                                      "-O1",  // marks of lifetimes; no pass runs
                                      "-Xclang",
                                      "-disable-llvm-passes",
                                      "-Xclang",
                                      "-fsanitize=bool",  // who reads a bool that is neither 0 nor 1 comes to
                                      "-Xclang",          // OpUnreachable, behind a call
                                      "-fsanitize-minimal-runtime",
                                      "-g",
                                      "-w",
                                      "-fno-color-diagnostics",
                                      "-fno-caret-diagnostics"};
  const std::string home = source->name == "-" ? "." : fs::path(source->name).parent_path().string();
  command.push_back("-I" + (home.empty() ? std::string(".") : home));
  command.insert(command.end(), macros->begin(), macros->end());
  for (const std::string& word : {std::string("-MD"), std::string("-MF"), rule, std::string("-c"),
                                  std::string("-emit-llvm"), file, std::string("-o"), bitcode})
    command.push_back(word);
  const ChildResult compiled = run_child(command, folder.path() + "/clang.log", k_limit);
  if (auto ok = only_files(source, rule); !ok) return std::unexpected(std::move(ok.error()));
  if (!compiled.good()) {
    Diagnostics all =
        complaints(source, file, {folder.path(), home.empty() ? std::string(".") : home}, compiled.output);
    if (all.has_errors()) return std::unexpected(std::move(all));
    return tool_failed(source, tools->clang, compiled);
  }
  const ChildResult translated =
      run_child({tools->translator, bitcode, "-o", module}, folder.path() + "/translator.log", k_limit);
  if (!translated.good()) return tool_failed(source, tools->translator, translated);
  spirv::Compiled out{.source = source, .module = "", .file = file};
  out.headers = {"Define"};
  std::string why;
  out.module = disassemble(module, why);
  drop_calls(out.module, "__ubsan_handle_load_invalid_value_minimal_abort");
  if (out.module.empty())
    return unsupported_at(Span{source, 0, 0}, fmt::format("the module that {} makes of this kernel is malformed: {}",
                                                          fs::path(tools->translator).filename().string(), why));
  if (auto ok = one_kernel(out, entry); !ok) return std::unexpected(ok.error());
  add_names(out, entry);
  return out;
}

void name_entry(spirv::Compiled& module, const std::string& entry) {
  module.variables.clear();
  module.own.clear();
  module.types.clear();
  add_names(module, entry);
}

Expected<prog::Test> parse_opencl_c(const SourcePtr& source, const spirv::LaunchOptions& options) {
  const auto compiled = compile(source, options.entry);
  if (!compiled) return std::unexpected(compiled.error());
  spirv::LaunchOptions launch = options;
  launch.zero = true;
  return spirv::parse_compiled(*compiled, launch);
}

}  // namespace fencepost::shader::opencl_c
