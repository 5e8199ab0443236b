// herd's log format. mcompare7 reads it line by line (its lexer is lexLog_tools.mll): a test name may hold letters,
// digits and / . - + [ ] : _ only, a state is "loc=value;" items on one line, then the verdict, the witnesses and the
// condition. A free value ("?") is no value to mcompare7; only executions with values on a circle of reads and data
// dependencies have any.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "report/explain_parts.h"
#include "report/json.h"
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
    case Quantifier::not_exists: return "Forbidden";
    case Quantifier::forall: return "Required";
    default: return "Allowed";
  }
}

bool validated(const prog::Test& test, const check::Outcomes& o) {
  switch (test.quantifier) {
    case Quantifier::exists: return o.positive > 0;
    case Quantifier::not_exists: return o.positive == 0;
    case Quantifier::forall: return o.negative == 0;
    case Quantifier::none: return true;
  }
  return false;
}

}  // namespace

std::string outcomes_text(const prog::Test& test, const check::Outcomes& o, double seconds) {
  std::string name = log_name(test);
  bool complete = o.status.status == Status::holds;
  std::string out = fmt::format("Test {} {}\nStates {}\n", name, kind(test.quantifier), o.states.states.size());
  for (const prog::State& s : o.states.states) out += prog::to_string(o.observables, s) + "\n";
  bool ok = validated(test, o);
  // An incomplete set decides only what one execution can decide.
  bool decided = complete || (test.quantifier == Quantifier::exists ? ok : test.quantifier == Quantifier::none ? false : !ok);
  out += decided ? (ok ? "Ok" : "No") : "??";
  out += fmt::format("\nWitnesses\nPositive: {} Negative: {}\n", o.positive, o.negative);
  for (const std::string& f : o.flags) out += fmt::format("Flag {}\n", f);
  if (test.quantifier != Quantifier::none) {
    const char* q = test.quantifier == Quantifier::not_exists ? "~exists" : test.quantifier == Quantifier::forall ? "forall" : "exists";
    out += fmt::format("Condition {} ({})\n", q, prog::to_string(test, test.condition));
  }
  const char* often = o.positive == 0 ? "Never" : o.negative == 0 ? "Always" : "Sometimes";
  out += fmt::format("Observation {} {} {} {}\n", name, often, o.positive, o.negative);
  out += fmt::format("Time {} {:.2f}\n", name, seconds);
  if (!complete) out += fmt::format("Incomplete={}{}\n", fencepost::name(o.status.status), o.status.detail.empty() ? "" : " " + o.status.detail);
  return out + "\n";
}

std::string outcomes_json(const std::string& path, const prog::Test& test, const cat::Model& model, const check::Outcomes& o,
                          double seconds) {
  nlohmann::ordered_json j = json_header("outcomes", path, test, model);
  j["complete"] = o.status.status == Status::holds && o.states.complete;
  j["status"] = fencepost::name(o.status.status);
  j["detail"] = o.status.detail;
  j["bound_hit"] = o.bound_hit;
  j["observables"] = nlohmann::ordered_json::array();
  for (const prog::Observable& v : o.observables) j["observables"].push_back({{"name", v.text}, {"width", v.width}});
  j["states"] = nlohmann::ordered_json::array();
  for (const prog::State& s : o.states.states) {
    nlohmann::ordered_json values = nlohmann::ordered_json::array();
    for (size_t i = 0; i < s.size(); ++i) {
      if (s[i].free)
        values.push_back(nullptr);
      else
        values.push_back(std::to_string(term::to_signed(s[i].value, o.observables[i].width)));
    }
    j["states"].push_back({{"text", prog::to_string(o.observables, s)}, {"values", std::move(values)}});
  }
  j["positive"] = o.positive;
  j["negative"] = o.negative;
  j["validated"] = validated(test, o);
  j["flags"] = o.flags;
  j["seconds"] = seconds;
  return j.dump(2) + "\n";
}

}  // namespace fencepost::report
