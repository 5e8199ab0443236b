// The text of a bug report for a person who knows the language and its assembly, and not this program.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "translation/kept.h"
#include "translation/show.h"

namespace fencepost::translation {
namespace {

using hunt::Fault;
using hunt::ReportFile;

Language language_of(const std::string& configuration) {
  return configuration.starts_with("clang")    ? Language::clang
         : configuration.starts_with("llc")    ? Language::llvm
         : configuration.starts_with("opencl") ? Language::opencl
                                               : Language::nvcc;
}

struct Parts {  // "clang-19.1.7 sm_90 -O3"
  std::string compiler, target, level;
};
Parts parts_of(const std::string& configuration) {
  const size_t one = configuration.find(' '), two = configuration.rfind(' ');
  return {configuration.substr(0, one), configuration.substr(one + 1, two - one - 1), configuration.substr(two + 1)};
}

std::string command(const std::string& configuration, Language l) {
  const Parts p = parts_of(configuration);
  switch (l) {
    case Language::nvcc:
      return fmt::format("nvcc -arch={} -std=c++17{} -ptx source.cu -o made.ptx", p.target,
                         p.level == "-O3" ? "" : " -Xcicc " + p.level);
    case Language::clang:
      return fmt::format(
          "clang++ -x cuda --cuda-device-only --cuda-gpu-arch={} --cuda-path=CUDA_TOOLKIT -nocudalib {} -S -std=c++17 "
          "source.cu -o made.ptx",
          p.target, p.level);
    case Language::llvm:
      return fmt::format("llc {} -march=nvptx64 -mcpu={} source.ll -o made.ptx", p.level, p.target);
    default:
      return fmt::format(
          "clang -x cl -cl-std=CL2.0 -target spir64 -Xclang -finclude-default-header {} -c -emit-llvm "
          "source.cl -o source.bc && llvm-spirv source.bc -o made.spv",
          p.level);
  }
}

const char* source_file(Language l) {
  return l == Language::llvm ? "source.ll" : l == Language::opencl ? "source.cl" : "source.cu";
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
      written = l == Language::nvcc ? "__nv_atomic_*" : "__scoped_atomic_* or __atomic_*";
    if (s.spelling == Spelling::old) written = "atomicAdd and its kin, or __threadfence";
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

// What the PTX lacks, beside PTX that is right.
std::string missing(const Fault& f) {
  const auto made = synchronising(f.listing), right = synchronising(f.right_listing);
  const auto more = without(made, right), lacks = without(right, made);
  if (f.right_listing.empty() || (more.empty() && lacks.empty())) return {};
  std::string out =
      fmt::format("Where right PTX (below) has {}, the PTX that was made has {}.", quoted(lacks), quoted(more));
  const bool no_order = std::ranges::any_of(more, [](const std::string& m) {
    return (m.starts_with("atom") || m.starts_with("red")) && m.find(".acq") == std::string::npos &&
           m.find(".release") == std::string::npos;
  });
  if (no_order && orders(f))
    out +=
        " An `atom` or `red` without a qualifier of order is `.relaxed` (PTX ISA, chapter 9, atom and red, `.sem`), "
        "and no "
        "fence stands beside it.";
  return out + "\n\n";
}

const char* clause_of_ptx(const Fault& f) {
  if (f.listing.find(".target") == std::string::npos || !orders(f)) return "";
  return "In PTX two threads synchronise only by a release pattern in the one that an acquire pattern in the other "
         "observes "
         "(PTX ISA, chapter 8: 8.8, release and acquire patterns; 8.9.4, synchronizes-with); a relaxed operation "
         "without a "
         "fence is neither. Without that nothing orders the accesses on its two sides for other threads (8.9.5, "
         "causality "
         "order), and the outcome is allowed.\n\n";
}

std::string of_source(Language l) {
  return l == Language::opencl ? "OpenCL C 3.0 (the OpenCL specification, memory consistency model)"
         : l == Language::llvm
             ? "LLVM IR (LangRef, Atomic Memory Ordering Constraints, which are those of C++; `syncscope` "
               "read as a thread scope of CUDA)"
             : "CUDA C++ (C++ [intro.races] and [atomics.order] with the thread scopes of libcu++)";
}

std::string report_of(const Fault& f, uint64_t programs) {
  const Language l = language_of(f.configuration);
  const Parts where = parts_of(f.configuration);
  const auto p = parse_program(f.reduced);
  const bool binary = l == Language::opencl, has_culprit = f.culprit != f.reduced;
  std::string out = has_culprit
                        ? fmt::format("# {} ({}): {} {}\n\n", where.compiler, where.target, words_of(f.culprit, l),
                                      orders(f) ? "loses its order or scope" : "becomes another operation")
                        : fmt::format("# {} ({}): a program gains an outcome\n\n", where.compiler, where.target);
  out += fmt::format(
      "Compiler, target, level: {}. Found by `fencepost hunt`, which compiles small concurrent programs and compares "
      "the "
      "outcomes that the memory model of the source allows with those that the memory model of the result allows.\n\n",
      f.configuration);
  if (!f.known.empty()) out += fmt::format("Known: {}.\n\n", f.known);
  out += fmt::format(
      "## What is wrong\n\nThe compiled program can end with an outcome that the source cannot: `{}`. `1:r0` is "
      "variable r0 "
      "of the second thread of the source below (threads are counted from 0), and `x` the final value of x; all places "
      "are 0 "
      "at first.",
      f.detail);
  if (has_culprit) out += fmt::format(" The operation at fault is {}.", words_of(f.culprit, l));
  out += "\n\n" + missing(f) + clause_of_ptx(f);
  const size_t line = f.reason.find('\n');
  const std::string axioms = f.reason.substr(0, line);
  out += fmt::format("The memory model of the source, {}, forbids it by\n\n", of_source(l));
  for (size_t from = 0; from < axioms.size();) {
    const size_t to = std::min(axioms.find(", ", from), axioms.size());
    const std::string axiom = axioms.substr(from, to - from);
    out += fmt::format("- {}: {}\n", axiom, sentence(axiom));
    from = to + 2;
  }
  if (has_culprit && !f.repair.empty())
    out += fmt::format("\nWith that operation written otherwise ({}) the program is right.\n",
                       f.repair == "ref"   ? "cuda::atomic_ref, or inline PTX in LLVM IR"
                       : f.repair == "old" ? "atomicAdd and its kin"
                                           : "the compiler's own builtin");
  out += fmt::format("\n## How to see it\n\n```\n{}\n```\n\n", command(f.configuration, l));
  if (p) {
    out += fmt::format("The kernel is launched with {} block{} of {} thread{}. Source (`{}`):\n\n```\n{}```\n\n",
                       p->blocks(), p->blocks() == 1 ? "" : "s", p->threads_of_block(),
                       p->threads_of_block() == 1 ? "" : "s", source_file(l), text_of({*p}, l).text);
  }
  if (!binary && !f.listing.empty())
    out += "What the compiler makes of it (`made.ptx`):\n\n```\n" + f.listing + "```\n\n";
  if (!binary && !f.right_listing.empty()) {
    const size_t as = f.right_where.find(", as ");
    out += fmt::format("Right{} (`right.ptx`):\n\n```\n{}```\n\n",
                       as == std::string::npos ? ", made by " + f.right_where
                                               : ": the same compiler, with the operation at fault written otherwise",
                       f.right_listing);
  }
  out += fmt::format(
      "With Fencepost the first command compiles the program again and judges it, and the second asks the model of the "
      "source for the outcome alone:\n\n```\nfencepost hunt --language {} --compiler {}=PATH{} --test '{}'\nfencepost "
      "check "
      "--model {} source.litmus\n```\n\n",
      binary                ? "opencl"
      : l == Language::llvm ? "llvm"
                            : "cuda",
      l == Language::llvm   ? "llc"
      : l == Language::nvcc ? "nvcc"
                            : "clang",
      binary ? "" : " --targets " + where.target, f.reduced, binary ? "opencl" : "cuda");
  out += "## Where\n\n| compiler, target, level | result |\n|---|---|\n";
  for (const auto& [configuration, what] : f.table) out += fmt::format("| {} | {} |\n", configuration, what);
  out += fmt::format(
      "\n{} drawn program{} fail{} for this reason. In the notation of the hunt (docs/hunt.md) the first drawn is "
      "`{}`, and "
      "the smallest `{}`.\n",
      programs, programs == 1 ? "" : "s", programs == 1 ? "s" : "", f.test, f.reduced);
  if (line != std::string::npos && line + 1 < f.reason.size())
    out +=
        "\n## Why the source cannot end so\n\nEvery execution of the source with these values, and the axiom that "
        "rejects it. "
        "A letter is an event: R a read, W a write; po is the order of the code, rf leads from a write to its reader, "
        "co "
        "orders the writes of one place, fr leads from a read to a later write.\n\n```\n" +
        f.reason.substr(line + 1) + "```\n";
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
    index += fmt::format("| [{0}]({0}/report.md) | {1} | {2} | `{3}` | {4} |\n", folder, f.signature, programs,
                         f.reduced, f.known.empty() ? "new" : f.known);
    out.push_back({folder + "/report.md", report_of(f, programs)});
    const Language l = language_of(f.configuration);
    if (const auto p = parse_program(f.reduced)) {
      out.push_back({fmt::format("{}/{}", folder, source_file(l)), text_of({*p}, l).text});
      out.push_back({folder + "/source.litmus", litmus(f, *p)});
    }
    const char* ending = l == Language::opencl ? "spv" : "ptx";
    if (!f.listing.empty()) out.push_back({fmt::format("{}/made.{}", folder, ending), taken_out(f.listing, l)});
    if (!f.right_listing.empty())
      out.push_back({fmt::format("{}/right.{}", folder, ending), taken_out(f.right_listing, l)});
  }
  out.push_back({"index.md", index});
  return out;
}

}  // namespace fencepost::translation
