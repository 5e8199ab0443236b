// The text of a bug report for a person who knows the language and its assembly, and not this program.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "base/markdown.h"
#include "hunt/configuration.h"
#include "translation/conduct.h"
#include "translation/kept.h"
#include "translation/show.h"

namespace fencepost::translation {
namespace {

using hunt::compiler_of;
using hunt::Fault;
using hunt::level_of;
using hunt::ReportFile;
using hunt::target_of;

Language language_of(const std::string& configuration) {
  return configuration.starts_with("clang")    ? Language::clang
         : configuration.starts_with("llc")    ? Language::llvm
         : configuration.starts_with("opencl") ? Language::opencl
                                               : Language::nvcc;
}

// The source of a row: that of the fault, or, where a compiler has other words for it, one of its own.
std::string source_of_row(const std::string& configuration, Language fault);

std::string command(const std::string& configuration, Language l, const std::string& source) {
  const std::string target = target_of(configuration), level = level_of(configuration);
  switch (l) {
    case Language::nvcc:
      return fmt::format("nvcc -arch={} -std=c++17{} -ptx {} -o made.ptx", target,
                         level == "-O3" ? "" : " -Xcicc " + level, source);
    case Language::clang:
      return fmt::format(
          "clang++ -x cuda --cuda-device-only --cuda-gpu-arch={} --cuda-path=CUDA_TOOLKIT -nocudalib {} -S -std=c++17 "
          "{} -o made.ptx",
          target, level, source);
    case Language::llvm:
      return fmt::format("llc {} -march=nvptx64 -mcpu={} source.ll -o made.ptx", level, target);
    default:
      return fmt::format(
          "clang -x cl -cl-std=CL2.0 -target spir64 -Xclang -finclude-default-header {} -c -emit-llvm "
          "source.cl -o source.bc && llvm-spirv source.bc -o made.spv",
          level);
  }
}

const char* source_file(Language l) {
  return l == Language::llvm ? "source.ll" : l == Language::opencl ? "source.cl" : "source.cu";
}

std::string source_of_row(const std::string& configuration, Language fault) {
  const Language own = language_of(configuration);
  return own == fault ? source_file(own) : fmt::format("source-{}.cu", own == Language::nvcc ? "nvcc" : "clang");
}

// What each axiom of models/cuda.cat and models/opencl.cat says, and where it stands.
std::string sentence(const std::string& axiom) {
  static const std::map<std::string, std::string> sentences = {
      {"coherence",
       "what happens before a read or write of an object is seen by it: no older value, no earlier write (C++ "
       "[intro.races], write-read, read-read, read-write and write-write coherence)"},
      {"local-co", "a thread's writes to an object come after one another as its code has them (C++ [intro.races])"},
      {"local-future-read", "a thread does not read what it writes later (C++ [intro.races])"},
      {"local-past-read", "a thread does not read what it has overwritten itself (C++ [intro.races])"},
      {"visible-value", "a read that is not atomic takes the value of a visible side effect (C++ [intro.races])"},
      {"atomicity", "a read-modify-write reads the last value before its own write (C++ [atomics.order])"},
      {"sc-order",
       "seq_cst operations whose scopes include one another have one order, which agrees with what is read and with "
       "coherence (C++ [atomics.order])"}};
  const auto at = sentences.find(axiom);
  return at == sentences.end() ? "an axiom of the model" : at->second;
}

// An operation in words, for who does not know the notation of the hunt.
std::string words_of(const std::string& culprit, Language l) {
  const auto p = parse_program("block 0: " + culprit);
  if (!p) return "`" + culprit + "`";
  const Statement& s = p->threads[0].body[0];
  const std::string kind = s.op == Op::ld      ? "load"
                           : s.op == Op::st    ? "store"
                           : s.op == Op::fence ? "fence"
                           : s.op == Op::cas   ? "compare-exchange"
                                               : fmt::format("read-modify-write ({})", name(s.op));
  if (!s.is_atomic()) return fmt::format("the {} {} of {}", name(s.order), kind, s.place);
  std::string written = "cuda::atomic_ref or cuda::atomic_thread_fence";
  if (l == Language::llvm) written = s.spelling == Spelling::ref ? "inline PTX" : "an instruction of LLVM IR";
  if (l == Language::opencl) written = "a function of OpenCL C";
  if (l == Language::nvcc || l == Language::clang) {
    if (s.spelling == Spelling::builtin)
      written = l == Language::nvcc ? "__nv_atomic_*" : s.scope == Scope::system ? "__atomic_*" : "__scoped_atomic_*";
    if (s.spelling == Spelling::old) {
      const std::string text = text_of(s, l);
      written = text.substr(0, text.find('('));
      const bool plain = std::ranges::all_of(written, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
      if (!plain) written = text;
    }
  }
  return fmt::format("the atomic {} of {} with order {} and scope {}, written as {}", kind,
                     s.op == Op::fence ? "memory" : std::string(1, s.place), name(s.order), name(s.scope), written);
}

// What synchronises in the PTX of a kernel: its instructions with their qualifiers, without operands.
std::vector<std::string> synchronising(const std::string& ptx) {
  std::vector<std::string> out;
  std::istringstream lines(ptx);
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(" \t"));
    if (line.starts_with('@')) line.erase(0, std::min(line.find_first_of(" \t"), line.size()));
    line.erase(0, line.find_first_not_of(" \t"));
    line.resize(std::min(line.find_first_of(" \t;"), line.size()));
    const std::string head = line.substr(0, line.find('.'));
    const bool ordered = line.find(".acquire") != std::string::npos || line.find(".release") != std::string::npos ||
                         line.find(".relaxed") != std::string::npos;
    const bool access = head == "ld" || head == "st";  // plain ones differ by spelling, and synchronise nothing
    if (head == "atom" || head == "red" || head == "fence" || head == "membar" || (access && ordered))
      out.push_back(line);
  }
  return out;
}
// What the first list has more of than the second.
std::vector<std::string> without(std::vector<std::string> list, const std::vector<std::string>& other) {
  for (const std::string& o : other)
    if (const auto at = std::ranges::find(list, o); at != list.end()) list.erase(at);
  return list;
}
std::string quoted(const std::vector<std::string>& words) {
  return words.empty() ? "nothing" : fmt::format("`{}`", fmt::join(words, "`, `"));
}

// Does the operation at fault order anything? Else its order cannot be what is lost.
bool orders(const Fault& f) {
  const auto culprit = parse_program("block 0: " + f.culprit);
  return !culprit || culprit->threads[0].body[0].order > Order::relaxed;
}

// Has what was made no order of its own?
bool is_relaxed(const std::vector<std::string>& made) {
  return std::ranges::any_of(made, [](const std::string& m) {
    return (m.starts_with("atom") || m.starts_with("red")) && m.find(".acq") == std::string::npos &&
           m.find(".release") == std::string::npos;
  });
}

// What the PTX lacks, beside PTX that is right.
std::string missing(const Fault& f) {
  const auto made = synchronising(f.listing), right = synchronising(f.right_listing);
  const auto more = without(made, right), lacks = without(right, made);
  if (f.right_listing.empty() || (more.empty() && lacks.empty())) return {};
  std::string out =
      fmt::format("Where right PTX (below) has {}, the PTX that was made has {}.", quoted(lacks), quoted(more));
  if (is_relaxed(more) && orders(f))
    out +=
        " An `atom` or `red` without a qualifier of order is `.relaxed` (PTX ISA, chapter 9, atom and red, `.sem`), "
        "and no "
        "fence stands beside it.";
  return out + "\n\n";
}

const char* clause_of_ptx(const Fault& f) {
  if (f.listing.find(".target") == std::string::npos || !orders(f)) return "";
  if (is_relaxed(without(synchronising(f.listing), synchronising(f.right_listing))))
    return "For two threads to synchronise, the one needs a release pattern and the other an acquire pattern that "
           "observes it (PTX ISA, 8.8 Release and Acquire Patterns; 8.9.4 Memory synchronization). The instruction "
           "that was made is relaxed and no fence stands beside it, so there is none on its side, nothing orders what "
           "stands around it for other threads (8.9.5 Causality Order), and the outcome is allowed.\n\n";
  return "For two threads to synchronise, the one needs a release pattern and the other an acquire pattern that "
         "observes it (PTX ISA, 8.8 Release and Acquire Patterns; 8.9.4 Memory synchronization); a relaxed operation "
         "without a fence is neither. Without that nothing orders the accesses on its two sides for other threads "
         "(8.9.5 Causality Order), and the outcome is allowed.\n\n";
}

std::string of_source(Language l) {
  return l == Language::opencl ? "OpenCL C 3.0 (the OpenCL specification, memory consistency model)"
         : l == Language::llvm
             ? "LLVM IR (LangRef, Atomic Memory Ordering Constraints, which are those of C++; `syncscope` "
               "read as a thread scope of CUDA)"
             : "CUDA C++ (C++ [intro.races] and [atomics.order] with the thread scopes of libcu++)";
}

// The operation at fault as its source has it, "" where that is the whole program.
std::string source_words(const Fault& f, Language l) {
  const auto p = parse_program("block 0: " + f.culprit);
  return p && f.culprit != f.reduced && l != Language::llvm ? text_of(p->threads[0].body[0], l) : std::string();
}

// All words of the programs are unsigned.
bool is_signed(const std::string& ptx) {
  return ptx.ends_with("min.s32") || ptx.ends_with("max.s32") || ptx.ends_with("min.s64") || ptx.ends_with("max.s64");
}

std::string title_of(const Fault& f, Language l) {
  const std::string target = target_of(f.configuration);
  const std::string head = fmt::format("# {}, {}: ", compiler_of(f.configuration), target);
  if (f.culprit == f.reduced) return head + "a compiled program has an outcome that its source forbids";
  const auto made = synchronising(f.listing), right = synchronising(f.right_listing);
  const auto more = without(made, right);
  std::string words = source_words(f, l);
  if (words.empty()) words = f.culprit;
  if (!f.right_listing.empty() && more.size() == 1)
    return head + fmt::format("{}`{}` becomes {}`{}`{}", is_signed(more.front()) ? "unsigned " : "", words,
                              is_signed(more.front()) ? "the signed " : "", more.front(),
                              orders(f) ? ", which is relaxed" : "");
  return head + fmt::format("`{}` {}", words, orders(f) ? "loses its order or scope" : "becomes another operation");
}

std::string axioms_of(const Fault& f) {
  std::string out;
  const std::string axioms = f.reason.substr(0, f.reason.find('\n'));
  for (size_t from = 0; from < axioms.size();) {
    const size_t to = std::min(axioms.find(", ", from), axioms.size());
    const std::string axiom = axioms.substr(from, to - from);
    out += fmt::format("- {}: {}\n", axiom, sentence(axiom));
    from = to + 2;
  }
  return out;
}

// How the right form differs: another scope is no mere spelling.
std::string other_scope(const Fault& f, const Program& right) {
  const auto p = parse_program(f.reduced);
  if (p && p->threads.size() == right.threads.size())
    for (size_t t = 0; t < right.threads.size(); ++t)
      for (size_t k = 0; k < std::min(p->threads[t].body.size(), right.threads[t].body.size()); ++k)
        if (const Statement &one = p->threads[t].body[k], &two = right.threads[t].body[k];
            one.op == two.op && one.is_atomic() && two.is_atomic() && one.scope != two.scope)
          return fmt::format("with scope {} in place of {}", name(two.scope), name(one.scope));
  return "written otherwise";
}

constexpr size_t k_most_lines = 90, k_around = 4;  // of a listing that is shown whole; around a line at fault

// Lines of one text that the other lacks.
std::string lines_that_differ(const std::string& text, const std::string& other) {
  std::vector<std::string> there;
  std::istringstream b(other);
  for (std::string one; std::getline(b, one);) there.push_back(one);
  std::string out;
  std::istringstream a(text);
  for (std::string one; std::getline(a, one);)
    if (const auto at = std::ranges::find(there, one); at != there.end())
      there.erase(at);
    else
      out += one + "\n";
  return out;
}

std::string made_section(const Fault& f, Language l) {
  if (l == Language::opencl) return {};
  std::string out;
  const auto more = without(synchronising(f.listing), synchronising(f.right_listing));
  std::vector<std::string> marked;
  std::vector<size_t> here;
  std::istringstream lines(f.listing);
  for (std::string one; std::getline(lines, one);) {
    const bool at = !f.right_listing.empty() && std::ranges::any_of(more, [&](const std::string& m) {
      return one.find(m + " ") != std::string::npos;
    });
    if (at) here.push_back(marked.size());
    marked.push_back(one + (at ? "    // <<< here" : "") + "\n");
  }
  // Of a long text the lines around those at fault; the file has all.
  const bool cut = marked.size() > k_most_lines && !here.empty();
  std::string shown;
  for (size_t n = 0; n < marked.size(); ++n)
    if (!cut || std::ranges::any_of(here, [&](size_t at) { return n + k_around >= at && n <= at + k_around; }))
      shown += marked[n];
  if (!f.listing.empty())
    out += fmt::format("{} (`made.ptx`{}):\n\n```\n{}```\n\n", "What the compiler makes of it",
                       cut ? " has all of it" : "", shown);
  if (f.right_listing.empty()) return out;
  const size_t as = f.right_where.find(", as ");
  const auto right =
      as == std::string::npos ? std::nullopt : std::optional(parse_program(f.right_where.substr(as + 5)));
  const auto p = parse_program(f.reduced);
  out += "## Compiled right\n\n";
  if (right && *right)
    out += fmt::format(
        "The same operation {}, by the same compiler: `right{}` becomes `right.ptx`, which has {} in "
        "its place. It differs from the source above in\n\n```\n{}```\n\n",
        other_scope(f, **right), l == Language::llvm ? ".ll" : ".cu",
        quoted(without(synchronising(f.right_listing), synchronising(f.listing))),
        lines_that_differ(text_of({**right}, l).text, p ? text_of({*p}, l).text : ""));
  else
    out += fmt::format("The same source becomes `right.ptx` by {}, which has {} in its place.\n\n", f.right_where,
                       quoted(without(synchronising(f.right_listing), synchronising(f.listing))));
  return out;
}

// What a program of one thread ends with, in the notation of outcomes; "" where a condition decides.
std::string outcome_of(const Program& p) {
  std::map<char, uint64_t> places;
  std::string results;
  uint32_t number = 0;
  for (const Statement& s : p.threads[0].body) {
    if (s.guard) return {};
    if (s.op == Op::fence) continue;
    uint64_t& at = places[s.place];
    const uint64_t old = at, v = s.value;
    switch (s.op) {
      case Op::ld:
        break;
      case Op::st:
      case Op::exch:
        at = v;
        break;
      case Op::add:
        at = old + v;
        break;
      case Op::sub:
        at = old - v;
        break;
      case Op::and_:
        at = old & v;
        break;
      case Op::or_:
        at = old | v;
        break;
      case Op::xor_:
        at = old ^ v;
        break;
      case Op::max:
        at = std::max(old, v);
        break;
      case Op::min:
        at = std::min(old, v);
        break;
      case Op::cas:
        at = old == v ? s.written : old;
        break;
      default:
        return {};
    }
    if (s.bits() == 32) at &= 0xffffffff;
    if (s.has_result()) results += fmt::format(" 0:r{}={};", number++, old);
  }
  std::string out;
  for (const char c : std::string_view(k_places))
    if (p.writes(c)) out += fmt::format("{}{}={};", out.empty() ? "" : " ", c, places[c]);
  return out + results;
}

std::string why_section(const Fault& f, Language l);
std::string why_of_one_thread(const Fault& f, Language l);

std::string report_of(const Fault& f, uint64_t programs) {
  const Language l = language_of(f.configuration);
  const std::string target = target_of(f.configuration);
  const auto p = parse_program(f.reduced);
  const bool binary = l == Language::opencl;
  const bool one_thread = p && p->threads.size() == 1;
  std::string out = title_of(f, l) + "\n\n" + known_mended(f.known);
  const std::string ends = p && one_thread ? outcome_of(*p) : "";
  if (!ends.empty())
    out += fmt::format("- **Expected:** the program below, which has one thread, ends with `{}`.\n", ends);
  else
    out += fmt::format("- **Expected:** the program below never ends with `{}`, by the rules of {}.\n", f.detail,
                       of_source(l));
  if (!ends.empty())
    out += fmt::format(
        "- **Actual:** the compiled program ends with `{}`, by reading its code; it was not run on a device.\n\n",
        f.detail);
  else
    out +=
        "- **Actual:** the compiled program may end so, by the memory model of what it is compiled to. It was not run "
        "on a device.\n\n";
  out += fmt::format(
      "`{}r0` is variable r0 of {} of the source, `x` the final value of x; all places are 0 at first. Values are "
      "those of "
      "unsigned words.{}\n\n",
      one_thread ? "0:" : "1:", one_thread ? "the one thread" : "the second thread",
      f.culprit == f.reduced ? "" : fmt::format(" At fault is {}.", words_of(f.culprit, l)));
  out += fmt::format("Compiler: {}, {} for {}.{} No driver takes part.\n\n", compiler_of(f.configuration),
                     level_of(f.configuration), target, f.toolkit.empty() ? "" : " Programs: " + f.toolkit + ".");
  out += missing(f) + known_note(f.known);
  out += fmt::format("## How to see it\n\n```\n{}\n```\n\n", command(f.configuration, l, source_file(l)));
  if (p)
    out += fmt::format("The kernel is launched with {} block{} of {} thread{}. Source (`{}`):\n\n```\n{}```\n\n",
                       p->blocks(), p->blocks() == 1 ? "" : "s", p->threads_of_block(),
                       p->threads_of_block() == 1 ? "" : "s", source_file(l), text_of({*p}, l).text);
  out += made_section(f, l) + (ends.empty() ? why_section(f, l) : why_of_one_thread(f, l));
  out += "## Where\n\n" + hunt::table_of(
                              f, [](const std::string& what) { return what; },
                              [&](const std::string& configuration) {
                                const Language own = language_of(configuration);
                                return command(configuration, own, source_of_row(configuration, l));
                              });
  out += fmt::format(
      "\n## With Fencepost (optional)\n\nNothing above needs it. Found by `fencepost hunt`, which compiles small "
      "concurrent programs and compares the "
      "outcomes that the model of the source allows with those that the model of the result allows: {} drawn program{} "
      "fail{} for this reason. The first command compiles this program again and judges it, the second asks the model "
      "of "
      "the source for the outcome alone.\n\n```\nfencepost hunt --language {} --compiler {}=PATH{} --test "
      "'{}'\nfencepost "
      "check --model {} source.litmus\n```\n\nThe first drawn is `{}`.\n",
      programs, programs == 1 ? "" : "s", programs == 1 ? "s" : "",
      binary                ? "opencl"
      : l == Language::llvm ? "llvm"
                            : "cuda",
      l == Language::llvm   ? "llc"
      : l == Language::nvcc ? "nvcc"
                            : "clang",
      binary ? "" : " --targets " + target, f.reduced, binary ? "opencl" : "cuda", f.test);
  const size_t line = f.reason.find('\n');
  if (ends.empty() && line != std::string::npos && line + 1 < f.reason.size())
    out +=
        "\nEvery execution of the source with these values, and the axiom that rejects it, by the model that comes "
        "with "
        "Fencepost. A letter is an event: R a read, W a write; po is the order of the code, rf leads from a write to "
        "its reader, co orders the writes of one place, fr leads from a read to a later write.\n\n```\n" +
        f.reason.substr(line + 1) + "```\n";
  if (!f.known.empty())
    out += fmt::format("\nAlready known: {}.\n", f.known.substr(0, f.known.find(" (BUGS-FOUND.md)")));
  return out;
}

// A program of one thread has one outcome; the order of signed and unsigned words tells why another came out.
std::string why_of_one_thread(const Fault& f, Language l) {
  const auto made = without(synchronising(f.listing), synchronising(f.right_listing));
  if (made.size() != 1 || !is_signed(made.front())) return {};
  const std::string words = source_words(f, l);
  const bool most = words.starts_with("atomicMax");
  return fmt::format(
      "## Why it is wrong\n\nAll words of the program are unsigned. By the CUDA C++ Programming Guide (Atomic "
      "Functions, "
      "{}()) the function of unsigned words \"computes the {} of old and val\", which are unsigned. A word with the "
      "highest bit set is greater than one without it as unsigned, and less as signed: 4294967291, for instance, has "
      "the bits of -5.\n\n",
      most ? "atomicMax" : "atomicMin", most ? "maximum" : "minimum");
}

// The three steps by which a loop of one handover rejects the outcome. "" where the loop is another.
std::string steps_of(const std::string& reason) {
  static const std::regex loop(R"((\w) -po-> (\w) -fr-> (\w) -po-> (\w) -rf-> (\w)\n)");
  std::smatch at;
  if (!std::regex_search(reason, at, loop) || at[1] != at[5]) return {};
  if (reason.find(fmt::format("{} -by-atomics-> {}", at[4].str(), at[1].str())) == std::string::npos) return {};
  const auto event = [&](const std::string& letter) {  // "W x = 5" with its thread
    const size_t from = reason.find(fmt::format("\n    {}: ", letter));
    if (from == std::string::npos) return std::string();
    const size_t thread = reason.rfind("\n  P", from);
    const std::string words = reason.substr(from + 8, reason.find("  ", from + 8) - from - 8);
    const size_t end = thread == std::string::npos ? 0 : reason.find(' ', thread + 3);
    return end == 0 ? std::string()
                    : fmt::format("`{}` of thread {}", words, reason.substr(thread + 4, end - thread - 4));
  };
  const std::string acquire = event(at[1]), read = event(at[2]), write = event(at[3]), release = event(at[4]);
  if (acquire.empty() || read.empty() || write.empty() || release.empty()) return {};
  return fmt::format(
      "1. {} (a release) is what {} (an acquire) reads, so the first synchronises with the second (C++ "
      "[atomics.order]/2).\n"
      "2. {} stands before the one and {} behind the other, so the write happens before the read ([intro.races]).\n"
      "3. The read may then not give a value that is older than that write.\n\n",
      release, acquire, write, read);
}

std::string why_section(const Fault& f, Language l) {
  std::string out = std::string("## Why it is wrong\n\n") + clause_of_ptx(f);
  out += fmt::format("The memory model of the source, {}, forbids the outcome by\n\n{}\n", of_source(l), axioms_of(f));
  out += steps_of(f.reason);
  return out;
}

// The litmus test with the question whether the outcome is allowed.
std::string litmus(const Fault& f, const Program& p) {
  std::string text = litmus_of(p), condition;
  for (size_t from = 0, to = f.detail.find(';'); to != std::string::npos;
       from = to + 1, to = f.detail.find(';', from)) {
    std::string atom = f.detail.substr(from, to - from);
    atom.erase(0, atom.find_first_not_of(' '));
    condition += (condition.empty() ? "" : " /\\ ") + atom;
  }
  return text.replace(text.find("exists (true)"), 13, "exists (" + condition + ")");
}

}  // namespace

std::vector<ReportFile> report_files(const Summary& s) {
  std::vector<ReportFile> out;
  uint32_t number = 0;
  std::string index =
      "# Faults\n\n| folder | signature | programs | smallest program | known |\n|---|---|---|---|---|\n";
  for (const Fault& f : s.faults) {
    const std::string folder = fmt::format("new-outcome-{}", ++number);
    const auto n = s.explained.find(f.signature);
    const uint64_t programs = n == s.explained.end() ? 0 : n->second;
    const Fault shown = hunt::for_markdown(f);
    index += fmt::format("| [{0}]({0}/report.md) | {1} | {2} | `{3}` | {4} |\n", folder, shown.signature, programs,
                         shown.reduced, f.known.empty() ? "new" : markdown_text(f.known));
    out.push_back({folder + "/report.md", report_of(shown, programs)});
    const Language l = language_of(f.configuration);
    std::set<Language> others;
    for (const auto& [configuration, what] : f.table)
      if (const auto p = parse_program(f.reduced); p && language_of(configuration) != l)
        if (const Language own = language_of(configuration); others.insert(own).second)
          out.push_back({folder + "/" + source_of_row(configuration, l), text_of({*p}, own).text});
    if (const auto p = parse_program(f.reduced)) {
      out.push_back({fmt::format("{}/{}", folder, source_file(l)), text_of({*p}, l).text});
      out.push_back({folder + "/source.litmus", litmus(f, *p)});
    }
    const char* ending = l == Language::opencl ? "spv" : "ptx";
    if (!f.listing.empty()) out.push_back({fmt::format("{}/made.{}", folder, ending), taken_out(f.listing, l)});
    const size_t as = f.right_where.find(", as ");
    if (const auto right = parse_program(as == std::string::npos ? "" : f.right_where.substr(as + 5)); right)
      out.push_back(
          {fmt::format("{}/right{}", folder, std::string(source_file(l)).substr(6)), text_of({*right}, l).text});
    if (!f.right_listing.empty())
      out.push_back({fmt::format("{}/right.{}", folder, ending), taken_out(f.right_listing, l)});
  }
  out.push_back({"index.md", index});
  return out;
}

}  // namespace fencepost::translation
