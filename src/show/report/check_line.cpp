#include <fmt/core.h>

#include "report/explain_parts.h"
#include "report/report.h"

namespace fencepost::report {

using check::Property;
using prog::Quantifier;

namespace {

std::string finding(const prog::Test& test, const check::Options& options, const check::Result& r) {
  bool decided = r.verdict.status == Status::holds || r.verdict.status == Status::fails;
  if (!decided) return "";
  if (options.property == Property::races) {
    if (r.verdict.status == Status::holds) return "no data race";
    std::string list;
    for (const std::string& f : r.flags) list += (list.empty() ? "" : ", ") + f;
    return "flag raised: " + list;
  }
  if (options.property == Property::termination)
    return r.verdict.status == Status::holds ? "every execution ends" : "an execution does not end";
  switch (test.quantifier) {
    case Quantifier::exists:
    case Quantifier::not_exists: return r.reachable ? "the state is reachable" : "the state is not reachable";
    case Quantifier::forall: return r.reachable ? "some final state violates the condition" : "every final state meets the condition";
    case Quantifier::none: return "no condition";
  }
  return "";
}

}  // namespace

std::string check_line(const std::string& path, const prog::Test& test, const cat::Model&, const check::Options& options,
                       const check::Result& result) {
  std::string out = fmt::format("{}  {}", path, name(result.verdict.status));
  std::string what = finding(test, options, result);
  if (!what.empty()) out += "  " + what;
  if (result.verdict.vacuous) out += "  (vacuous: the program has no execution)";
  if (!result.verdict.detail.empty()) out += fmt::format("  ({})", result.verdict.detail);
  return out;
}

}  // namespace fencepost::report
