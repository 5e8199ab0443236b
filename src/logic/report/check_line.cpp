#include <fmt/core.h>

#include "prog/test.h"
#include "report/explain_parts.h"
#include "report/naming.h"
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
    // That an access is beyond its array goes before what it does there.
    return (r.verdict.detail.empty() ? "" : r.verdict.detail + "; ") + "flag raised: " + list;
  }
  if (options.property == Property::termination)
    return r.verdict.status == Status::holds ? "every execution ends" : "an execution does not end";
  switch (test.quantifier) {
    case Quantifier::exists:
    case Quantifier::not_exists:
      return r.reachable ? "the state is reachable" : "the state is not reachable";
    case Quantifier::forall:
      return r.reachable ? "some final state violates the condition" : "every final state meets the condition";
    case Quantifier::none:
      return "no condition";
  }
  return "";
}

std::string reading_text(const OtherReading& r, const Verdict& mine) {
  std::string out = fmt::format("\n  {} says {}", r.model, r.verdict.vacuous ? "vacuous" : name(r.verdict.status));
  if (r.verdict.status == mine.status && r.verdict.vacuous == mine.vacuous) return out + " too";
  if (r.verdict.status != Status::holds && r.verdict.status != Status::fails)
    return out + (r.verdict.detail.empty() ? "" : fmt::format(" ({})", r.verdict.detail));
  out += r.sentences.empty()       ? ": no sentence is known that decides"
         : r.sentences.size() == 1 ? "; what decides is"
                                   : "; what decides is one of";
  for (const std::string& s : r.sentences) out += "\n    " + s;
  return out;
}

}  // namespace

std::string check_line(const std::string& path, const prog::Test& test, const cat::Model& model,
                       const check::Options& options, const check::Result& result, const check::Beside& beside,
                       const std::vector<OtherReading>& readings) {
  std::string out = fmt::format("{}  {}", path, result.verdict.vacuous ? "vacuous" : name(result.verdict.status));
  std::string what =
      result.verdict.vacuous && options.property == Property::condition ? "" : finding(test, options, result);
  if (!what.empty()) out += "  " + what;
  if (result.verdict.vacuous)
    out +=
        options.property == Property::condition
            ? "  no complete execution" +
                  std::string(test.filter.kind != prog::Cond::Kind::always && options.filter ? " meets the filter" : "")
            : "  (no execution of the program ends)";
  const bool said = options.property == Property::races && result.verdict.status == Status::fails;
  const bool further = result.verdict.status == Status::unknown && !options.auto_bound && !result.reached.empty();
  if (!said && !result.verdict.detail.empty())
    out += fmt::format("  ({}{})", result.verdict.detail, further ? "; --bound auto looks further" : "");
  for (const std::string& note : check::notes(beside)) out += fmt::format("  [{}]", note);
  out += "  under " + model_name(model);
  if (const std::string launch = launch_text(test); !launch.empty()) out += ", launch " + launch;
  if (const std::string bound = bound_text(test, result); !bound.empty()) out += ", bound " + bound;
  std::string taken = assumptions_text(test);
  if (const std::string loops = thin_air_text(test, model, result); !loops.empty())
    taken += (taken.empty() ? "" : "; ") + loops;
  if (!taken.empty()) out += "\n  assumes: " + taken;
  for (const OtherReading& r : readings) out += reading_text(r, result.verdict);
  return out;
}

}  // namespace fencepost::report
