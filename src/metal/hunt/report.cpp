#include "hunt/report.h"

#include <fmt/format.h>

#include <map>

#include "hunt/conduct.h"
#include "hunt/gate.h"
#include "hunt/litmus.h"
#include "hunt/ptx_test.h"

namespace fencepost::hunt {
namespace {

Effect effect_of(const std::string& word) {
  for (uint8_t e = 0; e < static_cast<uint8_t>(Effect::count_); ++e)
    if (word == name(static_cast<Effect>(e))) return static_cast<Effect>(e);
  return Effect::absent;
}

std::string table_of(const Fault& f) {
  std::string out = "| compiler, target, level | result |\n|---|---|\n";
  for (const auto& [configuration, what] : f.table) out += fmt::format("| {} | {} |\n", configuration, what);
  return out;
}

std::string target_of(const std::string& configuration) {
  const size_t from = configuration.find(' '), to = configuration.rfind(' ');
  return configuration.substr(from + 1, to - from - 1);
}
std::string level_of(const std::string& configuration) { return configuration.substr(configuration.rfind(' ') + 1); }

// What the letter of a place means, in words.
std::string address_of(const Instruction& i) {
  if (!i.is_access()) return "";
  switch (i.place) {
    case 's':
      return "a variable in shared memory";
    case 't':
      return "an address in shared memory, from a register";
    case 'h':
      return "a generic address, which cvta.shared made";
    case 'c':
      return "shared memory of a CTA of the cluster (mapa)";
    case 'u':
      return "a generic address of which the compiler knows nothing";
    case 'k':
      return "a generic address of global memory (cvta.global)";
    case 'l':
      return "local memory";
    default:
      return "global memory";
  }
}

// What another thread can see of it, for a reader of the ISA.
const char* consequence_of(Effect e) {
  switch (e) {
    case Effect::no_membar:
    case Effect::weak_membar:
      return "The release is no release: a thread that acquires the value may still read what stood in memory before "
             "the "
             "earlier writes of this thread (message passing: flag 1, data 0). The sibling forms, which have a MEMBAR "
             "of "
             "the scope there, show what is missing.";
    case Effect::no_invalidate:
      return "The acquire is no acquire above scope .cta: a later load of this thread may be answered by its "
             "first-level "
             "cache with a value from before the release (message passing: flag 1, data 0). The sibling forms have "
             "CCTL.IVALL behind the read, which throws such lines away.";
    case Effect::no_wait:
      return "The acquire is no acquire: a later access may be done before the acquiring read has its value. The "
             "sibling "
             "forms wait for the scoreboard of the read.";
    case Effect::weaker:
      return "Threads outside of the narrower scope race with the access, although the program names a scope that has "
             "them.";
    case Effect::reordered:
      return "Two threads can see the two accesses in an order that no execution of the program has.";
    case Effect::absent:
    case Effect::skipped:
      return "Other threads wait for, or build on, an access that is never done.";
    default:
      return "";
  }
}

const char* word_of(DeviceTest::Role r) {
  return r == DeviceTest::Role::fault     ? "at fault"
         : r == DeviceTest::Role::sibling ? "compiled right: never seen"
                                          : "relaxed, a control: seen where the device is sensitive";
}

std::string device_section(const Fault& f) {
  const std::string seen = device_counts(f.known);
  std::string out = "## On a device\n\n" + (seen.empty() ? std::string() : seen + "\n\n");
  const auto tests = device_tests(f);
  if (!tests)
    return out + fmt::format("No litmus test of this fault is here: {}.\n\n", tests.error().list.front().message);
  out +=
      "Litmus tests, of which all but the control ask for an outcome that the model forbids (the flag is seen, and the "
      "data "
      "behind it is not). `fencepost run --device cuda --seconds 10 device` runs each many times and counts.\n\n| test "
      "| "
      "the instruction is |\n|---|---|\n";
  for (const DeviceTest& t : *tests) out += fmt::format("| device/{}.litmus | {} |\n", t.name, word_of(t.role));
  return out + "\n";
}

// "ptxas-13.5.37 sm_90 -O3, as TEST": the same configuration with another form of the instruction.
struct Right {
  std::string configuration, test;
};
Right right_of(const Fault& f) {
  const size_t as = f.right_where.find(", as ");
  if (as == std::string::npos) return {f.right_where, f.reduced};
  return {f.right_where.substr(0, as), f.right_where.substr(as + 5)};
}

// What the machine code should have, where no path may go without it.
std::string missing(Effect e, const Instruction& i) {
  const char* scope = i.scope == Scope::cta       ? "CTA"
                      : i.scope == Scope::sys     ? "SYS"
                      : i.scope == Scope::cluster ? "GPU (which serves .cluster)"
                                                  : "GPU";
  switch (e) {
    case Effect::no_membar:
    case Effect::weak_membar:
      return fmt::format("Between the two a `MEMBAR.{}.{}` is missing (or one of a wider scope)",
                         i.order == Order::sc ? "SC" : "ALL", scope);
    case Effect::no_invalidate:
      return "Between the two a `CCTL.IVALL` is missing";
    case Effect::no_wait:
      return "The second does not wait for the scoreboard of the first";
    default:
      return "";
  }
}

// Line information of an instruction; of several that are alike, the last.
uint32_t line_of(const PtxTest& t, const Instruction& i) {
  uint32_t out = k_first_line;
  for (uint32_t k = 0; k < t.body.size(); ++k)
    if (t.body[k] == i) out = k_first_line + k;
  return out;
}

std::string report_of(const Fault& f) {
  const Effect e = effect_of(f.effect);
  const auto t = parse_test(f.reduced), culprit = parse_test(f.culprit);
  const std::string words = f.culprit.substr(0, f.culprit.find('@'));
  const std::string address = culprit ? address_of(culprit->body.front()) : "";
  std::string out = fmt::format("# `{}`{}: {}\n\n", words, address.empty() ? "" : " on " + address, sentence(e));
  out += fmt::format(
      "Compiler, target, level: {}. Found by `fencepost hunt`, which compiles small PTX programs and reads the machine "
      "code.\n\n",
      f.configuration);
  if (!f.known.empty()) out += fmt::format("Known: {}.\n\n", f.known);
  out += "## What is wrong\n\n";
  const uint32_t line = culprit && t ? line_of(*t, culprit->body.front()) : 0;
  const bool lost_load = e == Effect::absent && culprit && culprit->body.front().kind == Kind::load;
  out += lost_load ? fmt::format(
                         "The load of line {} is not in the machine code below: its result is the value of an earlier "
                         "access of the same place, though an acquire stands between.",
                         line)
                   : fmt::format("{}. In the machine code below: {}.", sentence(e), f.detail);
  if (culprit)
    if (const std::string lacks = missing(e, culprit->body.front()); !lacks.empty()) out += " " + lacks + ".";
  if (f.detail.find("the end") != std::string::npos || f.detail.find("the begin") != std::string::npos)
    out +=
        " \"The begin\" and \"the end\" are those of the kernel: they stand for accesses of the thread before and "
        "after the "
        "instruction, which a compiler must reckon with: this is the smallest test, and with an access there nothing "
        "more "
        "stands between.";
  out += "\n\n";
  if (lost_load)
    out +=
        "Let another thread write the place and then release, and let the acquire see that release. The write comes "
        "before the "
        "load in causality order, so the load must not have an older value (message passing: flag 1, data 0, where the "
        "data "
        "was looked at before the flag as well).\n\n";
  else if (*consequence_of(e) != 0)
    out += std::string(consequence_of(e)) + "\n\n";
  out +=
      fmt::format("PTX ISA, chapter 8 (memory consistency model): {}.\n\n",
                  lost_load ? "8.9.4, synchronizes-with; 8.9.5, causality order; 8.10, axioms: causality" : clause(e));
  out +=
      "NVIDIA documents no machine instruction: that these are needed is read off other forms of the same PTX "
      "instruction, "
      "and was measured on an H100 where an entry of BUGS-FOUND.md says so.\n\n";
  out += device_section(f);
  out += fmt::format(
      "## How to see it\n\n```\nptxas {0} -arch={1} -lineinfo test.ptx -o test.cubin\nnvdisasm -c "
      "test.cubin\n```\n\nOr with "
      "Fencepost, which compiles and judges: `fencepost hunt --compiler ptxas=PATH --targets {1} --levels {2} --test "
      "'{3}'`. "
      "`fencepost hunt wrong.rec` judges the machine code below again, without a compiler.\n\n",
      level_of(f.configuration), target_of(f.configuration), level_of(f.configuration).substr(2), f.reduced);
  out += fmt::format(
      "The smallest program with the fault (`test.ptx` has it with the head of a module). The instruction at fault is "
      "`{}`, "
      "behind `.loc 1 {}`; line 9000 is what is around the test:\n\n",
      words, line);
  if (t) out += "```\n" + kernel_of(*t, "t0") + "```\n\n";
  const char* columns =
      "Columns: address; line of the PTX; scoreboard that the instruction sets; mask of the scoreboards that it waits "
      "for; "
      "label and text.";
  if (!f.listing.empty())
    out += fmt::format("Its machine code (`wrong.rec`). {}\n\n```\n{}```\n\n", columns, f.listing);
  if (!f.right_listing.empty()) {
    const Right r = right_of(f);
    if (r.test == f.reduced)
      out += fmt::format("The same program is right with {} (`right.rec`):\n\n```\n{}```\n\n", r.configuration,
                         f.right_listing);
    else
      out += fmt::format(
          "For comparison, another form of the instruction that the same compiler gets right (`right.rec`, `{}`):\n\n"
          "```\n{}```\n\n",
          r.test, f.right_listing);
  }
  out += "## Where\n\n" + table_of(f);
  out +=
      fmt::format("\nIn the notation of the hunt (docs/hunt.md): `{}`. It was reduced from `{}`.\n", f.reduced, f.test);
  return out;
}

}  // namespace

std::vector<ReportFile> report_files(const Summary& s) {
  std::vector<ReportFile> out;
  std::map<std::string, uint32_t> numbers;
  std::string index = "# Faults\n\n| folder | signature | smallest test | known |\n|---|---|---|---|\n";
  for (const Fault& f : s.faults) {
    const std::string folder = fmt::format("{}-{}", f.effect, ++numbers[f.effect]);
    index += fmt::format("| [{0}]({0}/report.md) | {1} | `{2}` | {3} |\n", folder, f.signature, f.reduced,
                         f.known.empty() ? "new" : f.known);
    out.push_back({folder + "/report.md", report_of(f)});
    if (const auto t = parse_test(f.reduced))
      out.push_back({folder + "/test.ptx", module_of({*t}, target_of(f.configuration)).text});
    if (const auto tests = device_tests(f))
      for (const DeviceTest& d : *tests) out.push_back({fmt::format("{}/device/{}.litmus", folder, d.name), d.text});
    if (!f.listing.empty())
      out.push_back({folder + "/wrong.rec", recorded(f.reduced, target_of(f.configuration), f.listing)});
    if (!f.right_listing.empty())
      out.push_back(
          {folder + "/right.rec", recorded(right_of(f).test, target_of(right_of(f).configuration), f.right_listing)});
  }
  out.push_back({"index.md", index});
  return out;
}

}  // namespace fencepost::hunt
