#include "translation/compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <regex>
#include <set>

#include "base/child.h"
#include "base/read_file.h"
#include "base/write_file.h"
#include "hunt/patience.h"

namespace fencepost::translation {
namespace {

constexpr std::chrono::seconds k_form_limit(60);  // for one form alone

std::string file_text(const std::string& path) {
  const auto read = read_file(path);
  return read ? (*read)->text : std::string();
}

const char* ending_of(Language l) { return l == Language::llvm ? ".ll" : l == Language::opencl ? ".cl" : ".cu"; }

std::vector<std::string> arguments_of(const Configuration& c, const std::string& source, const std::string& target,
                                      bool headers) {
  const std::string level = fmt::format("-O{}", c.level);
  switch (c.compiler.language) {
    case Language::nvcc: {
      std::vector<std::string> out{c.compiler.path, "-arch=" + c.target, "-std=c++17", "-DNDEBUG"};
      // nvcc hands its own level to the compiler of the host; what the device gets is said to cicc.
      if (c.level != 3) out.insert(out.end(), {"-Xcicc", level});
      out.insert(out.end(), {"-ptx", source, "-o", target});
      return out;
    }
    case Language::clang: {
      std::vector<std::string> out{c.compiler.path,
                                   "-x",
                                   "cuda",
                                   "--cuda-device-only",
                                   "--cuda-gpu-arch=" + c.target,
                                   "-nocudalib",
                                   level,
                                   "-S",
                                   "-std=c++17",
                                   "-DNDEBUG",
                                   "-w",
                                   "-fno-crash-diagnostics",
                                   "-ferror-limit=0"};
      if (!headers) out.push_back("-nocudainc");
      if (headers && !c.compiler.cuda_path.empty()) out.push_back("--cuda-path=" + c.compiler.cuda_path);
      out.insert(out.end(), {source, "-o", target});
      return out;
    }
    case Language::llvm:
      return {c.compiler.path, level, "-march=nvptx64", "-mcpu=" + c.target, source, "-o", target};
    case Language::opencl:
      return {c.compiler.path, "-x", "cl", "-cl-std=CL2.0", "-target", "spir64", "-Xclang", "-finclude-default-header",
              level,           "-w", "-c", "-emit-llvm",    source,    "-o",     target};
  }
  return {};
}

// Lines at which the compiler finds an error, with its words.
std::map<uint32_t, std::string> errors_of(const std::string& output) {
  static const std::regex pattern("t\\.(?:cu|ll|cl)[(:]([0-9]+)[^\n]*?error *: *([^\n]*)");
  std::map<uint32_t, std::string> out;
  for (std::sregex_iterator at(output.begin(), output.end(), pattern), end; at != end; ++at)
    out.emplace(static_cast<uint32_t>(std::stoul((*at)[1])), (*at)[2]);
  return out;
}

// "Cannot select: 0x55b: i32,ch = AtomicLoad<(load acquire (s32) from ...)> 0x..." without what differs in each run.
std::string crash_of(const std::string& output) {
  static const std::regex pattern("(Cannot select|error in backend|LLVM ERROR)[^\n]*");
  std::smatch found;
  if (!std::regex_search(output, found, pattern)) return {};
  std::string out = found[0];
  static const std::regex pointers("0x[0-9a-f]+:? ?"), places(" (from|into) %[^,)]*|, addrspace [0-9]+");
  out = std::regex_replace(std::regex_replace(out, pointers, ""), places, "");
  return out.substr(0, out.find('>') == std::string::npos ? out.find(',') : out.find('>') + 1);
}

// What makes a statement another instruction: not its operands, place or condition.
Statement form_of(Statement s) {
  s.guard.reset();
  s.place = s.op == Op::fence ? 'x' : s.bits() == 64 ? 'u' : 'x';
  s.value = s.op == Op::ld || s.op == Op::fence ? 0 : 1;
  s.written = s.op == Op::cas ? 2 : 0;
  return s;
}

// How the compiler ends at this form alone, "" if it does not. Only what goes through instruction selection is asked.
std::string end_at(const Configuration& c, const Statement& form) {
  if (!form.is_atomic() || form.spelling == Spelling::ref) return {};
  if (c.compiler.language != Language::clang && c.compiler.language != Language::llvm) return {};
  if (c.compiler.language == Language::clang && form.spelling == Spelling::old) return {};
  const std::string key = fmt::format("{} {} {}", c.target, c.level, to_string(form));
  Forms& forms = *c.compiler.forms;
  {
    const std::lock_guard lock(forms.mutex);
    if (const auto at = forms.ends.find(key); at != forms.ends.end()) return at->second;
  }
  const ScratchFolder folder;
  const std::string source = folder.path() + "/t" + ending_of(c.compiler.language);
  const Text text = text_of({Program{{Thread{0, {form}}}}}, c.compiler.language, false);
  if (!write_file(source, text.text)) return {};
  const ChildResult done =
      run_child(arguments_of(c, source, folder.path() + "/t.out", false), folder.path() + "/log", k_form_limit);
  std::string end = done.good() ? "" : hunt::said(crash_of(done.output));
  // A form that the front end does not have: "use of undeclared identifier '__scoped_atomic_thread_fence'".
  if (const auto errors = errors_of(done.output); !done.good() && end.empty() && !errors.empty())
    end = hunt::said(errors.begin()->second);
  const std::lock_guard lock(forms.mutex);
  return forms.ends[key] = end;
}

class Work {
 public:
  Work(const Configuration& c, const std::vector<Program>& programs, const Job& job)
      : c_(c), programs_(programs), patience_(job), out_(programs.size()) {}

  std::vector<Compiled> all() {
    std::vector<size_t> every(programs_.size());
    for (size_t n = 0; n < every.size(); ++n) every[n] = n;
    if (c_.compiler.language != Language::opencl) {
      some(every);
    } else {
      for (const size_t n : every) some({n});
    }
    return std::move(out_);
  }

 private:
  void fail(const std::vector<size_t>& which, const std::string& message) {
    for (const size_t n : which) out_[n] = {Compiled::State::failed, hunt::said(message), "", ""};
  }
  void give_up(const std::vector<size_t>& which) {
    const auto state = patience_.job_is_over() ? Compiled::State::late : Compiled::State::failed;
    for (const size_t n : which) out_[n] = {state, patience_.time_out(), "", ""};
  }

  void some(std::vector<size_t> which) {
    while (!which.empty()) {
      std::vector<Program> programs;
      for (const size_t n : which) programs.push_back(programs_[n]);
      const Text text = text_of(programs, c_.compiler.language);
      const ScratchFolder folder;
      if (folder.path().empty()) return fail(which, "no scratch folder could be made");
      const std::string source = folder.path() + "/t" + ending_of(c_.compiler.language),
                        target = folder.path() + "/t.out";
      if (!write_file(source, text.text)) return fail(which, "the scratch folder cannot be written");
      const ChildResult done =
          run_child(arguments_of(c_, source, target, true), folder.path() + "/log", patience_.left());
      if (done.good()) return read(which, folder.path(), target);
      patience_.heard(done);
      if (patience_.is_over()) return give_up(which);
      const size_t before = which.size();
      refuse(which, text, done.output);
      if (which.size() == before) drop_crashing(which, done.output);
      if (which.size() != before) continue;
      return halves(which, how_it_ended(done));
    }
  }

  void refuse(std::vector<size_t>& which, const Text& text, const std::string& output) {
    std::set<size_t> dropped;
    for (const auto& [line, message] : errors_of(output)) {
      const auto at = std::upper_bound(text.lines.begin(), text.lines.end(), line);
      if (at == text.lines.begin() || at == text.lines.end()) continue;
      const size_t n = which[static_cast<size_t>(at - text.lines.begin()) - 1];
      if (dropped.insert(n).second) out_[n] = {Compiled::State::refused, hunt::said(message), "", ""};
    }
    std::erase_if(which, [&](size_t n) { return dropped.contains(n); });
  }

  // The back end says at which function it ended.
  void drop_crashing(std::vector<size_t>& which, const std::string& output) {
    static const std::regex pattern("(?:In function: |on function '@)t([0-9]+)");
    std::smatch found;
    if (!std::regex_search(output, found, pattern)) return;
    const size_t at = std::stoul(found[1]);
    if (at >= which.size()) return;
    const size_t culprit = which[at];
    std::set<size_t> dropped;
    for (const size_t n : which)
      for (const Thread& t : programs_[n].threads)
        for (const Statement& s : t.body) {
          const std::string end = end_at(c_, form_of(s));
          if (end.empty() || !dropped.insert(n).second) continue;
          out_[n] = {Compiled::State::refused, end, "", ""};
        }
    if (dropped.insert(culprit).second) out_[culprit] = {Compiled::State::failed, crash_of(output), "", ""};
    std::erase_if(which, [&](size_t n) { return dropped.contains(n); });
  }

  void halves(const std::vector<size_t>& which, const std::string& message) {
    if (which.size() == 1) return fail(which, message);
    const auto middle = which.begin() + static_cast<std::ptrdiff_t>(which.size() / 2);
    some({which.begin(), middle});
    some({middle, which.end()});
  }
  std::string how_it_ended(const ChildResult& done) const {
    if (!done.started) return "the compiler could not be started";
    if (done.timed_out) return patience_.time_out();
    const std::string crash = crash_of(done.output);
    if (!crash.empty()) return crash;
    std::string line = done.output.substr(0, done.output.find('\n'));
    if (const size_t at = line.rfind("error: "); at != std::string::npos) line = line.substr(at);
    return fmt::format("the compiler ended with status {}: {}", done.status, line);
  }

  void read(const std::vector<size_t>& which, const std::string& folder, const std::string& target) {
    if (c_.compiler.language == Language::opencl) return translate(which.front(), folder, target);
    std::vector<std::string> names;
    for (size_t n = 0; n < which.size(); ++n) names.push_back(fmt::format("t{}", n));
    const auto modules = split_module(file_text(target), names);
    for (size_t n = 0; n < which.size(); ++n)
      out_[which[n]] = modules[n].empty() ? Compiled{Compiled::State::failed, "the module has no such kernel", "", ""}
                                          : Compiled{Compiled::State::good, "", names[n], modules[n]};
  }

  void translate(size_t n, const std::string& folder, const std::string& bitcode) {
    const ChildResult made =
        run_child({c_.compiler.translator, bitcode, "-o", folder + "/t.spv"}, folder + "/log", patience_.left());
    patience_.heard(made);
    if (!made.good() && patience_.is_over()) return give_up({n});
    if (!made.good()) return fail({n}, "llvm-spirv: " + made.output.substr(0, made.output.find('\n')));
    out_[n] = {Compiled::State::good, "", "t0", file_text(folder + "/t.spv")};
  }

  const Configuration& c_;
  const std::vector<Program>& programs_;
  hunt::Patience patience_;
  std::vector<Compiled> out_;
};

}  // namespace

const char* Compiler::name() const {
  return language == Language::nvcc    ? "nvcc"
         : language == Language::clang ? "clang"
         : language == Language::llvm  ? "llc"
                                       : "opencl";
}

std::string Configuration::name() const {
  return fmt::format("{}-{} {} -O{}", compiler.name(), compiler.version, target, level);
}

std::string command_of(const Configuration& c, const std::string& source, const std::string& target) {
  return fmt::format("{}", fmt::join(arguments_of(c, source, target, true), " "));
}

namespace {

// What cuda.h of a toolkit says of itself.
std::string toolkit_of(const std::string& cuda_path) {
  const auto header = cuda_path.empty() ? nullptr : read_file(cuda_path + "/include/cuda.h").value_or(nullptr);
  static const std::regex pattern("#define CUDA_VERSION ([0-9]+)");
  std::smatch found;
  if (header == nullptr || !std::regex_search(header->text, found, pattern)) return {};
  const unsigned long version = std::stoul(found[1]);
  return fmt::format("headers of CUDA {}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace

Expected<Compiler> open_compiler(const std::string& word, const std::string& cuda_path, const std::string& translator) {
  const size_t equals = word.find('=');
  const std::string kind = word.substr(0, equals);
  static const std::map<std::string, Language> kinds = {
      {"nvcc", Language::nvcc}, {"clang", Language::clang}, {"llc", Language::llvm}, {"opencl", Language::opencl}};
  const auto at = kinds.find(kind);
  if (equals == std::string::npos || at == kinds.end() || equals + 1 == word.size())
    return error_at(
        {}, fmt::format("--compiler '{}' is not of the form nvcc=PATH, clang=PATH, llc=PATH or opencl=PATH", word));
  Compiler out{at->second, word.substr(equals + 1), "", cuda_path, translator, ""};
  if (out.language == Language::clang) out.toolkit = toolkit_of(cuda_path);
  if (out.path.find('/') == std::string::npos)
    if (const std::string found = find_program(out.path, {"/usr/local/cuda/bin"}); !found.empty()) out.path = found;
  const ScratchFolder folder;
  const ChildResult said = run_child({out.path, "--version"}, folder.path() + "/log", std::chrono::seconds(20));
  if (!said.good()) return error_at({}, fmt::format("'{}' is not a {} that runs", out.path, kind), kind + "=PATH");
  static const std::regex nvidia("V([0-9]+\\.[0-9]+\\.[0-9]+)"), llvm("version ([0-9]+\\.[0-9]+\\.[0-9]+)");
  std::smatch found;
  if (!std::regex_search(said.output, found, out.language == Language::nvcc ? nvidia : llvm))
    return error_at({}, fmt::format("'{}' does not tell its version as {} does", out.path, kind));
  out.version = found[1];
  if (out.language != Language::opencl) return out;
  if (out.translator.empty()) out.translator = "llvm-spirv";
  for (const std::string& name : {out.translator, std::string("llvm-spirv-15")})
    if (out.translator.find('/') == std::string::npos)
      if (const std::string there = find_program(name, {}); !there.empty()) out.translator = there;
  if (out.translator.find('/') == std::string::npos)
    return error_at({}, "there is no llvm-spirv on the PATH", "--translator PATH");
  return out;
}

std::vector<std::string> split_module(const std::string& ptx, const std::vector<std::string>& kernels) {
  // Where the line of each ".entry NAME(" begins.
  static const std::regex pattern("[^\n]*\\.entry +([A-Za-z0-9_]+)");
  std::map<std::string, size_t> begins;
  std::vector<size_t> all;
  for (std::sregex_iterator at(ptx.begin(), ptx.end(), pattern), end; at != end; ++at) {
    begins[(*at)[1]] = static_cast<size_t>(at->position(0));
    all.push_back(static_cast<size_t>(at->position(0)));
  }
  all.push_back(ptx.size());
  std::vector<std::string> out;
  for (const std::string& name : kernels) {
    const auto at = begins.find(name);
    if (at == begins.end()) {
      out.emplace_back();
      continue;
    }
    const size_t end = *std::upper_bound(all.begin(), all.end(), at->second);
    out.push_back(ptx.substr(0, all.front()) + ptx.substr(at->second, end - at->second));
  }
  return out;
}

std::vector<Respelt> respell(const Configuration& c, Program& p) {
  std::vector<Respelt> out;
  for (Thread& t : p.threads)
    for (Statement& s : t.body) {
      const std::string end = end_at(c, form_of(s));
      if (end.empty()) continue;
      Statement other = s;
      other.spelling = Spelling::ref;
      if (!is_possible(other)) continue;
      out.push_back({to_string(form_of(s)), end});
      s = other;
    }
  return out;
}

std::vector<Compiled> compile(const Configuration& c, const std::vector<Program>& programs, const Job& job) {
  return Work(c, programs, job).all();
}

}  // namespace fencepost::translation
