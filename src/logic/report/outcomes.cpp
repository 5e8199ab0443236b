// herd's log format. mcompare7 reads it line by line (its lexer is lexLog_tools.mll): a test name may hold letters,
// digits and / . - + [ ] : _ only, a state is "loc=value;" items on one line, then the verdict, the witnesses and the
// condition. It refuses a log with "?" in it, so a free value (on a circle of reads and data dependencies, fixed by
// nothing) is the symbol `any` here, with a comment that mcompare7 skips.
#include <fmt/core.h>

#include <algorithm>

#include "prog/test.h"
#include "report/explain_parts.h"
#include "report/report.h"

namespace fencepost::report {

using prog::Quantifier;

namespace {

std::string log_name(const prog::Test& test) {
  std::string out;
  for (char c : test.title) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out += plain || std::string_view("_/.-+[]:").find(c) != std::string_view::npos ? c : '_';
  }
  return out.empty() ? "test" : out;
}

const char* kind(Quantifier q) {
  switch (q) {
    case Quantifier::not_exists:
      return "Forbidden";
    case Quantifier::forall:
      return "Required";
    default:
      return "Allowed";
  }
}

}  // namespace

bool validated(const prog::Test& test, const check::Outcomes& o) {
  switch (test.quantifier) {
    case Quantifier::exists:
      return o.positive > 0;
    case Quantifier::not_exists:
      return o.positive == 0;
    case Quantifier::forall:
      return o.negative == 0;
    case Quantifier::none:
      return true;
  }
  return false;
}

std::string outcomes_text(const prog::Test& test, const check::Outcomes& o, double seconds, const std::string& model,
                          const check::ThinAirOfList& air) {
  constexpr const char* k_alone = "out of thin air alone";
  std::string name = log_name(test);
  bool complete = o.status.status == Status::holds;
  std::string out = fmt::format("Test {} {}\nStates {}\n", name, kind(test.quantifier), o.states.states.size());
  for (const prog::State& s : o.states.states) {
    std::string line = prog::to_string(o.observables, s);
    bool free = false;
    for (size_t at; (at = line.find("=?;")) != std::string::npos; free = true) line.replace(at, 3, "=any;");
    out += line + (!free     ? ""
                   : o.loose ? " # any: not one value, and perhaps not all"
                             : " # any: nothing fixes this value");
    out += !air.states.contains(s) ? "\n" : fmt::format("{} {}\n", free ? ";" : " #", k_alone);
  }
  bool ok = validated(test, o);
  // An incomplete set decides only what one execution can decide.
  bool decided = complete || (test.quantifier == Quantifier::exists ? ok
                              : test.quantifier == Quantifier::none ? false
                                                                    : !ok);
  out += decided ? (ok ? "Ok" : "No") : "??";
  out += fmt::format("\nWitnesses\nPositive: {} Negative: {}\n", o.positive, o.negative);
  for (const auto* list : {&o.flags, &o.findings})
    for (const std::string& f : *list)
      out += fmt::format("Flag {}{}\n", f, std::ranges::count(air.flags, f) > 0 ? fmt::format(" # {}", k_alone) : "");
  if (test.quantifier != Quantifier::none) {
    const char* q = test.quantifier == Quantifier::not_exists ? "~exists"
                    : test.quantifier == Quantifier::forall   ? "forall"
                                                              : "exists";
    out += fmt::format("Condition {} ({})\n", q, prog::to_string(test, test.condition));
  }
  const char* often = o.positive == 0 ? "Never" : o.negative == 0 ? "Always" : "Sometimes";
  // "Never" and "Always" are claims about every execution.
  if (complete || (o.positive > 0 && o.negative > 0))
    out += fmt::format("Observation {} {} {} {}\n", name, often, o.positive, o.negative);
  out += fmt::format("Time {} {:.2f}\n", name, seconds);
  if (!model.empty()) out += fmt::format("Model={}\n", model);
  if (!complete)
    out += fmt::format("Incomplete={}{}\n", fencepost::name(o.status.status),
                       o.status.detail.empty() ? "" : " " + o.status.detail);
  return out + "\n";
}

}  // namespace fencepost::report
