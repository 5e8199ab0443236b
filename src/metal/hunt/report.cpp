// The text of a report, section by section, from the fault that was found: what was asked, what the machine code does
// instead and where (machine_text.h), what a device showed, and what was not tried. A sentence says only what the
// fault, its listings and the table of known faults (known.h) hold.
#include "hunt/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "base/markdown.h"
#include "hunt/conduct.h"
#include "hunt/configuration.h"
#include "hunt/gate.h"
#include "hunt/gate_print.h"
#include "hunt/litmus.h"
#include "hunt/machine_text.h"
#include "hunt/programs.h"
#include "hunt/ptx_test.h"
#include "hunt/wording.h"

namespace fencepost::hunt {
namespace {

// The earlier strong load that a load is moved before: the last one that its place may be that of.
const Instruction* earlier_load(const PtxTest& t, const Instruction& i) {
  const Instruction* out = nullptr;
  for (auto k = t.body.begin(); k != std::ranges::find(t.body, i); ++k)
    if (k->kind == Kind::load && k->is_strong()) out = &*k;
  return out;
}

// Where the `atom` lies that a fence does not wait for: " on a generic address".
std::string place_of_unawaited(const PtxTest& t, const Instruction& i) {
  if (i.is_access()) return {};
  const Instruction* last = nullptr;
  for (auto k = t.body.begin(); k != std::ranges::find(t.body, i); ++k)
    if (k->kind == Kind::atomic && k->unused) last = &*k;
  if (last == nullptr) return {};
  return last->in_shared()                                  ? " in shared memory"
         : last->place == 'c'                               ? " in shared memory of the cluster"
         : last->words.find(".global") != std::string::npos ? " in global memory"
                                                            : " on a generic address";
}

// The end of a title. Of two loads that change places it says whether their address is the same for the compiler too.
std::string titled(Effect e, const Instruction& i, const PtxTest* t, bool merged) {
  const Instruction* first =
      e == Effect::reordered && i.kind == Kind::load && t != nullptr ? earlier_load(*t, i) : nullptr;
  if (first != nullptr && (first->place != i.place || first->number != i.number))
    return "is moved before an earlier access of an address that may be the same";
  return title_of(e, i, merged) + (e == Effect::no_wait && t != nullptr ? place_of_unawaited(*t, i) : "");
}
// How one address can be that of two windows.
std::string one_window(Effect e, const Instruction& i, const PtxTest* t) {
  const Instruction* first =
      e == Effect::reordered && i.kind == Kind::load && t != nullptr ? earlier_load(*t, i) : nullptr;
  return first == nullptr ? "" : one_address(*first, i);
}

// Is this form one of those that a device ran? Tables of known faults name an operation in full, loads but by their
// strength: of those that change places 32 bits of global memory were run.
bool is_measured(const Fault& f) {
  const auto t = parse_test(f.reduced), culprit = parse_test(f.culprit);
  if (!t || !culprit) return false;
  const Instruction& i = culprit->body.front();
  const std::string words = "`" + f.culprit.substr(0, f.culprit.find('@')) + "`";
  std::istringstream rows(facts_of(f.known, f.effect).text);
  for (std::string row; std::getline(rows, row);)
    if (row.find("| at fault |") != std::string::npos && row.find(words) != std::string::npos) return true;
  if (effect_of(f.effect) != Effect::reordered || i.words != "ld.relaxed.gpu.global.b32") return false;
  const Instruction* first = earlier_load(*t, i);
  return first != nullptr && first->words == "ld.volatile.global.b32" && first->place != 'w' && i.place != 'w';
}
// Do the rows of what a device showed name forms in full, so that another one was not run?
bool names_forms(const Fault& f, const Instruction& i) {
  const Effect e = effect_of(f.effect);
  const bool in_full = i.kind >= Kind::atomic || (e == Effect::reordered && i.kind == Kind::load);
  return in_full && std::string(facts_of(f.known, f.effect).text).find("| at fault |") != std::string::npos;
}

const char* word_of(DeviceTest::Role r) {
  return r == DeviceTest::Role::fault     ? "at fault"
         : r == DeviceTest::Role::sibling ? "compiled right: must not be seen"
                                          : "allowed by the ISA, a control: seen where the device is sensitive";
}

// Why no device was asked. The ones at hand were of sm_90.
std::string unmeasured(const Fault& f) {
  std::set<std::string> wrong;
  for (const auto& [configuration, what] : f.table)
    if (what == "fault") wrong.insert(target_of(configuration));
  if (wrong.empty()) wrong.insert(target_of(f.configuration));
  if (wrong.contains("sm_90")) return "Not measured on a device: the fault is new, and no program measures it yet.\n\n";
  std::string targets;
  for (const std::string& t : wrong) targets += (targets.empty() ? "" : ", ") + t;
  return fmt::format(
      "Not measured on a device: the fault is in code for {} alone, and the devices at hand (H100, H200) are of sm_90, "
      "which cannot run it.\n\n",
      targets);
}

// The litmus tests of a folder. Where the form of the report can have none they are of the form that a device ran.
struct Litmus {
  Expected<std::vector<DeviceTest>> own;
  std::vector<DeviceTest> tests;
  std::string of;  // that form
};
Litmus litmus_of(const Fault& f) {
  Litmus out{device_tests(f), {}, ""};
  if (out.own) {
    out.tests = *out.own;
    return out;
  }
  const auto measured = parse_test(facts_of(f.known, f.effect).litmus);
  for (size_t k = measured ? measured->body.size() : 0; k-- > 0;) {
    Fault other = f;
    other.reduced = to_string(*measured);
    other.culprit = to_string(measured->body[k]);
    if (known_fault(f.effect, *measured, k, f.configuration) != f.known) continue;
    if (const auto tests = device_tests(other)) {
      out.tests = *tests;
      out.of = other.reduced;
      break;
    }
  }
  return out;
}
std::string why_none(const Litmus& l) { return markdown_text(l.own.error().list.front().message); }

std::string device_section(const Fault& f) {
  const KnownFault seen = facts_of(f.known, f.effect);
  const auto culprit = parse_test(f.culprit);
  std::string out = "## On a device\n\n";
  if (*seen.text != 0) out += std::string(seen.text) + "\n\n";
  if (culprit && names_forms(f, culprit->body.front()) && !is_measured(f))
    out += "The form above was not measured.\n\n";
  if (*seen.program != 0)
    out += fmt::format(
        "The program is in this folder: `nvcc -O2 -std=c++17 -arch=sm_90 -o counts device/{} && ./counts{}{}`; it "
        "needs "
        "a "
        "GPU of sm_90, and prints a line for each form with {}.\n\n",
        seen.program, *seen.launches == 0 ? "" : " ", seen.launches,
        effect_of(f.effect) == Effect::operation ? "the number of words that changed, and of weak outcomes for others"
        : effect_of(f.effect) == Effect::skipped ? "what was found"
                                                 : "the number of weak outcomes");
  if (*seen.program != 0 && target_of(f.configuration) != "sm_90")
    out += fmt::format("The code that was run is for sm_90; the machine code above is for {}.\n\n",
                       target_of(f.configuration));
  if (*seen.text == 0) out += unmeasured(f);
  const Litmus litmus = litmus_of(f);
  if (litmus.tests.empty()) return out;
  if (!litmus.of.empty())
    out += fmt::format("Of the form above there is no litmus test: {}. Those that follow are of `{}`.\n\n",
                       why_none(litmus), litmus.of);
  out +=
      "Litmus tests, each of which asks for an outcome that the ISA forbids for all but the control. They are for the "
      "program of the last section (optional): `fencepost run --device cuda --model ptx-9 --seconds 10 device` runs "
      "each many times and counts. They name no width: `run` takes words of 64 bits where a test has shared memory, "
      "else of 32.\n\n| test | the instruction "
      "is "
      "|\n|---|---|\n";
  for (const DeviceTest& t : litmus.tests) out += fmt::format("| `device/{}.litmus` | {} |\n", t.name, word_of(t.role));
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

// "ptxas -O3 -arch=sm_80 -lineinfo test-sm_80.ptx -o test.cubin"
std::string compile_command(const std::string& configuration, const std::string& from, const std::string& to) {
  return fmt::format("ptxas {} -arch={} -lineinfo {} -o {}", level_of(configuration), target_of(configuration), from,
                     to);
}
std::string command_of(const std::string& configuration) {
  return compile_command(configuration, "test-" + target_of(configuration) + ".ptx", "test.cubin");
}
// What makes a listing: `-g` tells lines, `-hex` the encoding that has scoreboards.
std::string listing_commands(const std::string& configuration, const std::string& from, const std::string& to) {
  return fmt::format("{}\nnvdisasm -c -g -hex {}", compile_command(configuration, from, to), to);
}

std::set<std::string> targets_of(const Fault& f) {
  std::set<std::string> out = {target_of(f.configuration)};
  for (const auto& [configuration, what] : f.table) out.insert(target_of(configuration));
  return out;
}

// The result of a row, in the words of the fault.
std::string result_of(const Fault& f, const std::string& what) {
  const Effect e = effect_of(f.effect);
  if (e == Effect::reordered && what == "right")
    return *facts_of(f.known, f.effect).limits == 0 ? "right: the accesses of this program stand in order"
                                                    : "right: the accesses of this program stand in order (of others: "
                                                      "\"Limits\")";
  if (e == Effect::overtaken && what.starts_with("right")) return "right: the later accesses stand behind it";
  if (what == "right: only one CTA sees its shared memory")
    return "right: this target has no clusters, so that only threads of its CTA reach the place (8.3)";
  // A gate names all findings, so this fault is none of them; without machine code it names none.
  const std::string_view another = "another finding, ";
  if (what.starts_with(another)) {
    const Effect other = effect_of(what.substr(another.size(), what.find(':') - another.size()));
    if (level_of(other) == Level::fault && other != Effect::illegal) return "not this fault; " + what;
  }
  return what;
}

// Where it was tried beyond the table.
std::string limits_of(const Fault& f) {
  const KnownFault facts = facts_of(f.known, f.effect);
  std::set<std::string> versions;
  for (const auto& [configuration, what] : f.table)
    if (configuration.starts_with("ptxas-")) versions.insert(compiler_of(configuration).substr(6));
  for (const char* version : {"12.9.86", "13.5.37"})
    if ((std::string(facts.text) + facts.limits).find(version) != std::string::npos) versions.insert(version);
  std::string untried =
      versions.empty()
          ? ""
          : fmt::format("- Not tried, since no other version was at hand: ptxas before {}", *versions.begin());
  if (versions.size() > 1)
    untried += fmt::format(", and versions between {} and {}", *versions.begin(), *versions.rbegin());
  const bool named = (std::string(facts.text) + facts.limits).find("13.0.88") != std::string::npos;
  if (!versions.empty()) untried += named ? ", but for 13.0.88 where it is named above.\n" : ".\n";
  if (*facts.also != 0)
    untried += fmt::format("- `also.ptx` has a store with the fault: `{}`.\n",
                           compile_command(f.configuration, "also.ptx", "also.cubin"));
  const std::string all = facts.limits + untried;
  return all.empty() ? "" : fmt::format("## Limits\n\n{}\n", all);
}

// What is not documented, and whence it is known what it does.
std::string inferred(const Fault& f, Effect e, const Instruction& i) {
  std::string what;
  if (e == Effect::no_membar || e == Effect::weak_membar) {
    what = missing(e, i);
  } else if (e == Effect::no_invalidate) {
    what = "`CCTL.IVALL`";
  } else if (e == Effect::no_wait) {
    what = "the scoreboards";
  } else {
    return {};
  }
  const bool counted = std::string(facts_of(f.known, f.effect).text).find("| at fault |") != std::string::npos;
  return fmt::format(
      "NVIDIA {}; what {} is inferred from {}{}.\n\n",
      e == Effect::no_wait ? "does not document " + what : "documents no more of " + what + " than the name",
      e == Effect::no_wait ? "they do" : "it does",
      f.right_listing.empty() ? "other forms of the same PTX instruction"
      : e == Effect::no_wait  ? "the form above"
                              : "the form above, which has it",
      counted ? ", and from the counts in the next section" : "");
}

std::string head_of(const Fault& f, Effect e, const Instruction& i, const PtxTest* t, const std::string& words,
                    uint32_t line, bool merged) {
  // What stands behind is moved before an operation whose result is used, too.
  Instruction subject = i;
  if (e == Effect::overtaken) subject.unused = false;
  const bool in_shared = (i.place == 'u' || i.place == 'c') && names_shared(f);
  const Effect named = is_of_another(f, e, line) ? Effect::no_membar : e;
  const bool increment = e == Effect::operation && f.detail.find(".INC") != std::string::npos;
  std::string out = fmt::format("# {}, {}: {} {}{}{}\n\n", compiler_of(f.configuration), target_of(f.configuration),
                                i.words.empty() ? "`" + words + "`" : words_of(subject),
                                increment ? "becomes an integer increment" : titled(named, i, t, merged),
                                in_shared ? " when the address is in the CTA's shared memory" : "",
                                e == Effect::no_wait && i.is_access() ? "" : facts_of(f.known, f.effect).title);
  const bool left_out = e == Effect::absent && !merged && i.is_access();
  const std::string family = i.words.substr(0, i.words.find('.'));
  const bool fence = i.words.starts_with("fence.acquire") || i.words.starts_with("fence.release");
  std::string sections =
      e == Effect::illegal && fence ? "`fence`, Target ISA Notes: \".acquire and .release qualifiers for fence "
                                      "instruction require sm_90 or higher\""
      : left_out                    ? fmt::format("chapter 9, `{}`", family)
      : e == Effect::operation && i.type.ends_with("x2")
          ? fmt::format("8.2.5 Memory Operations on Packed Data Types; chapter 9, `{}`: operation and type", family)
      : e == Effect::skipped && i.is_volatile
          ? "8.4.2 volatile Operation: \"The number of volatile instructions (not operations) executed by a program is "
            "preserved\", one of its \"extra implementation-specific constraints\"; see Limits"
      : e == Effect::skipped && i.mmio ? "8.4.1 mmio Operation: \"Reads are always performed\", one of its "
                                         "\"implementation-specific properties\"; see Limits"
      : e == Effect::no_wait && !i.is_access()
          ? "8.8 Release and Acquire Patterns; 8.9.4 Memory synchronization; 8.9.5 Causality Order; 8.10.6 Causality, "
            "1 (a store behind the fence) and 2 (a load); 8.11.1 Reductions do not form Acquire Patterns, which has a "
            "program like this with `red` and says that `atom` forbids the outcome"
      : e == Effect::reordered && i.kind == Kind::load
          ? "8.10.5 Sequential Consistency Per Location, litmus test \"CoRR\""
      : merged
          ? "8.8 Release and Acquire Patterns; 8.9.4 Memory synchronization; 8.9.5 Causality Order; 8.10.6 Causality, "
            "2; 8.7.2 Limitations on Mixed-size Data-races, by which the first load's race is no excuse: \"these "
            "axioms are sufficient to describe the behavior of a PTX program with only uniform-size data-races\""
      : e == Effect::overtaken ? std::string(clause(e)) + ", 1 (a later store) and 2 (a later load)"
                               : clause(e);
  if (i.vector > 1 && !left_out)
    sections +=
        "; 8.2.4 Memory Operations on Vector Data Types: each element is an operation of its own, as strong as the "
        "instruction";
  out += fmt::format("- **Expected:** {} (PTX ISA, {}).\n", expected_of(e, i, merged), sections);
  out += fmt::format("- **Actual:** {}.\n\n", actual_of(f, e, i, line, merged));
  return out;
}

// "sm_90 -O3: 12.9.86 and 13.5.37; sm_100 -O3: 13.5.37", of the rows that begin with this word. "" for none.
std::string where_of(const Fault& f, const char* word) {
  std::map<std::string, std::string> compilers;  // target -> its compilers
  for (const auto& [configuration, what] : f.table)
    if (what.starts_with(word)) {
      std::string& to = compilers[target_of(configuration) + " " + level_of(configuration)];
      to += (to.empty() ? "" : " and ") + compiler_of(configuration).substr(compiler_of(configuration).find(' ') + 1);
    }
  std::string out;
  for (const auto& [target, by] : compilers) out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", target, by);
  return out;
}

// Where a form is right, in a column: with what of the table, and else the form beside it that is.
std::string right_of_form(const Fault& f, size_t number) {
  std::string out = where_of(f, "right");
  if (out.empty()) out = "nothing that was tried";
  if (const std::string unknown = where_of(f, "not judged"); !unknown.empty()) out += "; not judged: " + unknown;
  if (!f.right_listing.empty() && right_of(f).test != f.reduced)
    out += fmt::format("; the form `form-{}/right.ptx` beside it is right", number);
  return out;
}

// Where the table has a right row, and what "Limits" knows beyond the table.
std::string right_rows(const Fault& f) {
  const std::string right = where_of(f, "right"), unknown = where_of(f, "not judged");
  std::string out = right.empty() ? "No row of the table under \"Where\" is right."
                                  : fmt::format("Right with {} (the table under \"Where\").", right);
  if (!unknown.empty()) out += fmt::format(" Not judged: {}.", unknown);
  const std::string beyond = facts_of(f.known, f.effect).right;
  if (!beyond.empty() && !targets_of(f).contains(beyond.substr(0, beyond.find(' '))))
    out += fmt::format(" Beyond the table {} (Limits).", beyond);
  return out;
}

bool is_message(Effect e) {
  return e == Effect::no_membar || e == Effect::weak_membar || e == Effect::no_invalidate || e == Effect::no_wait;
}

// Other signatures of the same fault, each found by itself.
std::string forms_of(const std::vector<const Fault*>& others) {
  if (others.empty()) return {};
  std::string out =
      "\n## Other forms\n\nThe same fault in other forms. Each was found by itself and reduced; its folder has the "
      "program, its machine code (`wrong.rec`), and, where there is one, another form that the same compiler gets "
      "right, with its code. The last two columns are of the form itself: targets, levels and versions. The line of "
      "the instruction at fault is that of its `.loc`.\n\n"
      "| folder | instruction at fault | on | line | what is so | at fault with | right with |\n"
      "|---|---|---|---|---|---|---|\n";
  for (size_t n = 0; n < others.size(); ++n) {
    const Fault f = for_markdown(*others[n]);
    const Effect e = effect_of(f.effect);
    const auto t = parse_test(f.reduced), parsed = parse_test(f.culprit);
    if (!t || !parsed) continue;
    const Instruction i = parsed->body.front();
    const uint32_t line = line_of(*t, i);
    const bool merged = is_merged(e, i, &*t);
    std::string actual = actual_of(f, e, i, line, merged);
    if (const size_t at = actual.find("machine code below"); at != std::string::npos) actual.erase(at + 12, 6);
    if (const std::string writer = writer_of_merged(e, i, &*t); !writer.empty()) actual += ". " + writer;
    if (const std::string window = one_window(e, i, &*t); !window.empty()) actual += ". " + window;
    if (i.is_access() && i.scope == Scope::cta && is_message(e)) actual += ". The other thread is in the same CTA";
    if (names_forms(f, i) && !is_measured(f)) actual += ". Not measured on a device";
    if (actual.ends_with('.')) actual.pop_back();
    out += fmt::format("| `form-{}` | {} | {} | {} | {}: {} | {} | {} |\n", n + 2, words_of(i), address_of(i), line,
                       titled(is_of_another(f, e, line) ? Effect::no_membar : e, i, &*t, merged), actual,
                       where_of(f, "fault"), right_of_form(f, n + 2));
  }
  return out;
}

// What is said of a kernel of one instruction, where the test is such a kernel.
std::string told_of(std::string text, size_t instructions) {
  const std::string alone = "in a kernel of this fence alone";
  if (const size_t at = text.find(alone); instructions == 1 && at != std::string::npos)
    text.replace(at, alone.size(), "in this kernel");
  return text;
}

std::string same_program(const Fault& f, const Right& r, Effect e) {
  std::string out = fmt::format(
      "## The same program {}\n\nBy {} for {}, {} (`right.rec`){}:\n\n```\n{}\n```\n\n```\n{}```\n\n",
      e == Effect::illegal && target_of(r.configuration) != target_of(f.configuration)
          ? "for a target that has the instruction"
          : "compiled right",
      compiler_of(r.configuration), target_of(r.configuration), level_of(r.configuration),
      e == Effect::illegal ? fmt::format("; for {} nothing is right but to refuse it", target_of(f.configuration)) : "",
      listing_commands(r.configuration, "test-" + target_of(r.configuration) + ".ptx", "right.cubin"), f.right_listing);
  if (e != Effect::illegal && !has_scoreboards(f.right_listing))
    out +=
        "No instruction of this code sets a scoreboard. How it waits was not found out; what is said of it here is "
        "where its instructions stand.\n\n";
  return out;
}

// In what two tests differ, in words: what the second has in its place, and what the first.
std::pair<std::string, std::string> differing(const PtxTest* other, const PtxTest* t, const Instruction& i) {
  const auto without = [](const PtxTest& one, const PtxTest& two) {
    std::vector<Instruction> left = two.body;
    std::string words;
    for (const Instruction& k : one.body)
      if (const auto at = std::ranges::find(left, k); at != left.end())
        left.erase(at);
      else
        words += (words.empty() ? "" : ", ") + words_of(k);
    return words;
  };
  std::string difference = other && t ? without(*other, *t) : "", instead = other && t ? without(*t, *other) : "";
  // Or only the use of a result.
  const std::string_view unused = " (its result is unused)";
  if (difference.ends_with(unused) && instead.ends_with(unused)) {
    difference.resize(difference.size() - unused.size());
    instead.resize(instead.size() - unused.size());
  } else if (other && t && instead == difference + std::string(unused)) {
    difference = fmt::format("a use of the result of `{}`", instead.substr(1, instead.find('`', 1) - 1)),
    instead = "none";
  }
  if (other && t && i.value != Value::parameter && i.kind >= Kind::atomic)
    if (PtxTest given = *t; true) {
      for (Instruction& k : given.body)
        if (k == i) k.value = Value::parameter;
      if (given.body == other->body)
        difference = i.operation == "add" ? "the addend from a register" : "the operand from a register",
        instead = "the constant";
    }
  return {difference, instead};
}

// The program, or another form of it, as the same compiler gets it right. "" where none is known.
std::string right_section(const Fault& f, Effect e, const Instruction& i, const PtxTest* t, bool merged) {
  if (f.right_listing.empty()) return {};
  const Right r = right_of(f);
  if (r.test == f.reduced) return same_program(f, r, e);
  const auto other = parse_test(r.test);
  const auto [difference, instead] = differing(other ? &*other : nullptr, t, i);
  return fmt::format(
             "## A form that the same compiler gets right\n\nWith {} in place of {}:\n\n```\n{}\n```\n\n{} "
             "(`right.rec`):\n\n```\n{}```\n\n",
             difference, instead, listing_commands(r.configuration, "right.ptx", "right.cubin"),
             e == Effect::overtaken || e == Effect::reordered ? "There the accesses stand in order"
             : e == Effect::operation                         ? "There the operation is that of the type"
                                                              : "It has what is missing above",
             marked_right(f.right_listing, e, merged)) +
         elected(f, e);
}

// The listing of the machine code at fault, with marks; or why there is none.
std::string listing_section(const Fault& f, Effect e, const Instruction& i, const PtxTest* t, uint32_t line,
                            bool merged) {
  if (f.listing.empty()) {
    const char* unlisted = facts_of(f.known, f.effect).unlisted;
    return *unlisted != 0
               ? told_of(unlisted, t != nullptr ? t->body.size() : 0) + "\n\n"
               : "The disassembler prints no listing of its machine code, and so there is no record of it here.\n\n";
  }
  const char* columns =
      "Columns: address; line of the PTX, as `nvdisasm -g` tells; scoreboard that it sets when its result is there "
      "(bits "
      "110-112; the one for its operands, bits 113-115, is not shown), and mask of those that it waits for (bits "
      "116-121 of its encoding, `nvdisasm -hex`); label and text.";
  return fmt::format("Its machine code (`wrong.rec` has it after two lines of head). {}\n\n```\n{}```\n\n", columns,
                     marked(f, e, i, line, merged));
}

std::string with_fencepost(const Fault& f) {
  const Litmus litmus = litmus_of(f);
  return fmt::format(
      "\n## With Fencepost (optional)\n\nNothing above needs it{}. Found by "
      "`fencepost hunt`, which compiles small PTX programs and reads the machine code. "
      "`fencepost hunt --compiler ptxas=PATH --targets {} --levels {} --test '{}'` compiles and judges this one{}.{}\n",
      litmus.tests.empty() ? "" : " but the litmus tests", target_of(f.configuration),
      level_of(f.configuration).substr(2), f.reduced,
      f.listing.empty() ? "" : "; `fencepost hunt wrong.rec` judges the listing without a compiler",
      litmus.tests.empty()
          ? fmt::format(" There is no litmus test of this fault for `fencepost run`: {}.", why_none(litmus))
          : "");
}

std::string report_of(const Fault& f, const std::vector<const Fault*>& others) {
  const Effect e = effect_of(f.effect);
  const auto t = parse_test(f.reduced), parsed = parse_test(f.culprit);
  const std::string words = f.culprit.substr(0, f.culprit.find('@'));
  const Instruction i = parsed ? parsed->body.front() : Instruction{};
  const uint32_t line = parsed && t ? line_of(*t, i) : 0;
  const std::string address = parsed ? address_of(i) : "";
  const PtxTest* whole = t ? &*t : nullptr;
  const bool merged = is_merged(e, i, whole);
  std::string out = head_of(f, e, i, whole, words, line, merged);
  if (const std::string seen = seen_of(f, e, i, whole, merged); !seen.empty()) out += seen + "\n\n";
  const KnownFault facts = facts_of(f.known, f.effect);
  if (*facts.cause != 0) out += std::string(facts.cause) + "\n\n";
  if (e == Effect::no_invalidate && i.unused) out += unset_predicate(f);
  out += fmt::format(
      "Compiler: {}, {} for {}.{} No driver takes part: the machine code is read. {} "
      "Sections are those of PTX ISA 9.4; older texts may lack some of them, or number them otherwise. The tests say "
      "`.version 8.8`.\n\n",
      compiler_of(f.configuration), level_of(f.configuration), target_of(f.configuration),
      f.toolkit.empty() ? "" : " Programs: " + f.toolkit + ".", right_rows(f));
  out += fmt::format("## How to see it\n\n```\n{}\n```\n\n",
                     listing_commands(f.configuration, "test-" + target_of(f.configuration) + ".ptx", "test.cubin"));
  if (t)
    out += fmt::format(
        "`test-{}.ptx` is this kernel with the head of a module. The instruction at fault is `{}`{}, behind `.loc 1 "
        "{}`; "
        "line {} is what is around the test.\n\n```\n{}```\n\n",
        target_of(f.configuration), words, address.empty() ? "" : ", on " + address, line, k_frame_line,
        kernel_of(*t, "t0"));
  out += listing_section(f, e, i, whole, line, merged);
  const auto has_end = [](const Fault& one) {
    return one.detail.find("the end") != std::string::npos || one.detail.find("the begin") != std::string::npos;
  };
  if (has_end(f) || std::ranges::any_of(others, [&](const Fault* one) { return has_end(*one); }))
    out +=
        "\"The begin\" and \"the end\" are those of the kernel: they stand for accesses of the thread before and "
        "behind "
        "the instruction, which a compiler must reckon with.\n\n";
  out += right_section(f, e, i, whole, merged);
  out += inferred(f, e, i);
  out += device_section(f);
  out += limits_of(f);
  out += "## Where\n\n" + table_of(f, [&](const std::string& what) { return result_of(f, what); }, command_of);
  out += forms_of(others);
  out += with_fencepost(f);
  return out;
}

}  // namespace

namespace {

// ---- one folder for each fault, whatever the number of its signatures ----

// What was measured on a device comes first, then what says most, then the smallest.
std::tuple<bool, bool, size_t, bool, std::string> rank(const Fault& f) {
  const Effect e = effect_of(f.effect);
  const auto t = parse_test(f.reduced), culprit = parse_test(f.culprit);
  const char place = culprit ? culprit->body.front().place : 0;
  return {!is_measured(f), e == Effect::weak_membar || e == Effect::reordered, t ? t->body.size() : 0,
          place == 'h' || place == 'c' || place == 'k', f.signature};
}

// Signatures of one known fault. A lost release that was measured apart from the lost acquire is a fault of its own.
std::vector<std::vector<const Fault*>> groups_of(const std::vector<Fault>& faults) {
  std::vector<std::vector<const Fault*>> out;
  std::map<std::string, size_t> at;
  for (const Fault& f : faults) {
    const std::string key = f.known.empty() ? "new " + f.signature : f.known + "\n" + facts_of(f.known, f.effect).text;
    const auto [found, fresh] = at.try_emplace(key, out.size());
    if (fresh) out.emplace_back();
    out[found->second].push_back(&f);
  }
  for (auto& group : out) std::ranges::stable_sort(group, {}, [](const Fault* f) { return rank(*f); });
  return out;
}

std::vector<ReportFile> files_of(const Fault& f, const std::string& folder) {
  std::vector<ReportFile> out;
  if (!f.listing.empty())
    out.push_back({folder + "/wrong.rec", recorded(f.reduced, target_of(f.configuration), f.listing)});
  if (const auto right = parse_test(right_of(f).test); right && right_of(f).test != f.reduced)
    out.push_back({folder + "/right.ptx", module_of({*right}, target_of(right_of(f).configuration)).text});
  if (!f.right_listing.empty())
    out.push_back(
        {folder + "/right.rec", recorded(right_of(f).test, target_of(right_of(f).configuration), f.right_listing)});
  return out;
}

std::vector<ReportFile> folder_of(const std::vector<const Fault*>& group, const std::string& folder) {
  const Fault& f = *group.front();
  const std::vector<const Fault*> others(group.begin() + 1, group.end());
  std::vector<ReportFile> out = {{folder + "/report.md", report_of(for_markdown(f), others)}};
  const auto add = [&](std::vector<ReportFile> more) { std::ranges::move(more, std::back_inserter(out)); };
  if (const auto t = parse_test(f.reduced))
    for (const std::string& target : targets_of(f))
      out.push_back({fmt::format("{}/test-{}.ptx", folder, target), module_of({*t}, target).text});
  for (const DeviceTest& d : litmus_of(f).tests)
    out.push_back({fmt::format("{}/device/{}.litmus", folder, d.name), d.text});
  const KnownFault facts = facts_of(f.known, f.effect);
  if (const auto also = parse_test(facts.also); *facts.also != 0 && also)
    out.push_back({folder + "/also.ptx", module_of({*also}, target_of(f.configuration)).text});
  if (const auto program = device_program(facts.program); !program.empty())
    out.push_back({fmt::format("{}/device/{}", folder, facts.program), std::string(program)});
  add(files_of(f, folder));
  for (size_t n = 0; n < others.size(); ++n) {
    const std::string form = fmt::format("{}/form-{}", folder, n + 2);
    const std::string target = target_of(others[n]->configuration);
    if (const auto t = parse_test(others[n]->reduced))
      out.push_back({fmt::format("{}/test-{}.ptx", form, target), module_of({*t}, target).text});
    add(files_of(*others[n], form));
  }
  return out;
}

// As a report shows it: the way from the nearest access, and a form that is right only where it differs in one thing.
Fault as_shown(Fault f) {
  const auto t = parse_test(f.reduced), culprit = parse_test(f.culprit), right = parse_test(right_of(f).test);
  if (!t || !culprit) return f;
  if (right) {
    std::vector<Instruction> left = right->body;
    size_t changed = 0;
    for (const Instruction& k : t->body)
      if (const auto at = std::ranges::find(left, k); at != left.end())
        left.erase(at);
      else
        ++changed;
    for (size_t k = 0; k < t->body.size() && t->body.size() == right->body.size(); ++k)
      if (parts_changed(t->body[k], right->body[k]) > 1) changed = 2;
    if (changed > 1) f.right_listing.clear(), f.right_where.clear();
  }
  return with_nearest(std::move(f), line_of(*t, culprit->body.front()));
}

// "[[what is known]]" as the folders of that fault, but for the one that the text is of.
std::string with_folders(std::string text, const std::multimap<std::string, std::string>& folders,
                         const std::string& own) {
  for (size_t from = text.find("[["); from != std::string::npos; from = text.find("[[", from)) {
    const size_t to = text.find("]]", from);
    if (to == std::string::npos) break;
    std::string of;
    const auto [first, last] = folders.equal_range(text.substr(from + 2, to - from - 2));
    for (auto at = first; at != last; ++at)
      if (at->second != own) of += (of.empty() ? "" : " and ") + at->second;
    text.replace(from, to + 2 - from, of.empty() ? "another fault, of which there is no report here" : "that is " + of);
  }
  return text;
}

}  // namespace

std::vector<ReportFile> report_files(const Summary& s, const std::vector<Again::Withdrawn>& withdrawn,
                                     bool of_this_gate) {
  std::vector<ReportFile> out;
  std::map<std::string, uint32_t> numbers;
  std::multimap<std::string, std::string> folders;  // of what is known
  std::vector<Fault> faults;
  for (const Fault& f : s.faults) faults.push_back(as_shown(f));
  std::string index = "# Faults\n\n| folder | report | known as | forms |\n|---|---|---|---|\n";
  for (const auto& group : groups_of(faults)) {
    const Fault shown = for_markdown(*group.front());
    const std::string folder = fmt::format("{}-{}", shown.effect, ++numbers[shown.effect]);
    const std::string known = group.front()->known.substr(0, group.front()->known.find(" (BUGS-FOUND.md)"));
    std::vector<ReportFile> files = folder_of(group, folder);
    const std::string title = files.front().text.substr(2, files.front().text.find('\n') - 2);
    index += fmt::format("| [{0}]({0}/report.md) | {1} | {2} | {3} |\n", folder, title,
                         known.empty() ? "new: " + shown.signature : markdown_text(known), group.size());
    folders.emplace(known, folder);
    std::ranges::move(files, std::back_inserter(out));
  }
  for (ReportFile& file : out)
    if (file.path.ends_with("/report.md"))
      file.text = with_folders(file.text, folders, file.path.substr(0, file.path.find('/')));
  const std::string version = fmt::format("Fencepost " FENCEPOST_VERSION " (gate {:.12})", gate_print());
  index += of_this_gate ? fmt::format("\nThe machine code of all tests was judged by {}.\n", version)
                        : fmt::format(
                              "\nThe machine code of the tests was judged by another version of Fencepost. That of the "
                              "faults was judged again by {}.\n",
                              version);
  if (!withdrawn.empty()) index += "\n## Kept as faults, and none by this version\n\n";
  for (const Again::Withdrawn& w : withdrawn)
    index += fmt::format("- {}: {}. It was said: {}.\n", markdown_text(w.signature), markdown_text(w.test),
                         markdown_text(w.why));
  out.push_back({"index.md", index});
  return out;
}

}  // namespace fencepost::hunt
