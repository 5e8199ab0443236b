#include "check/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/trace.h"
#include "explicit/operational.h"
#include "prog/test.h"
#include "vocab/vocab.h"

namespace fencepost::check {
namespace {

constexpr const char* k_machine = "machine-2014";
constexpr const char* k_coherent = "machine-2014-coherent-loads";

// The predicate speaks of relations, and the identity on all events is that of `_`.
bool is_everything(const cat::Node& n) { return n.op == cat::NodeOp::base_rel && n.base == vocab::Base::id; }

const cat::Axiom* axiom_of(const cat::Model& model) {
  const auto it = std::find_if(model.axioms.begin(), model.axioms.end(), [&](const cat::Axiom& a) {
    return (a.name == k_machine || a.name == k_coherent) && a.kind == cat::AxiomKind::empty && !a.negated && !a.flag &&
           is_everything(model.nodes[a.node]);
  });
  return it == model.axioms.end() ? nullptr : &*it;
}

std::string refused(const Options& options) {
  if (options.property == Property::races) return "the abstract machine does not say what a data race is";
  if (options.property == Property::termination) return "the abstract machine runs tests without loops only";
  if (options.engine != Engine::automatic)
    return std::string("an abstract machine has no engine '") + name(options.engine) + "'";
  return "";
}

Expected<explicit_state::OperationalOutcomes> explored(const prog::Test& test, const cat::Model& model,
                                                       const Options& options, Job& job) {
  return explicit_state::operational_outcomes(
      test, {.load_array = axiom_of(model)->name == k_machine, .filter = options.filter}, job);
}

}  // namespace

bool is_machine(const cat::Model& model) { return axiom_of(model) != nullptr; }

Result by_machine(const prog::Test& test, const cat::Model& model, const Options& options, Job& job) {
  using prog::Quantifier;
  Result r;
  r.bound = options.bound;
  if (const std::string why = refused(options); !why.empty()) {
    r.verdict = {Status::unsupported, why, false};
    return r;
  }
  const auto start = Job::Clock::now();
  const auto found = explored(test, model, options, job);
  if (found && trace::on(trace::Room::explicit_state))
    trace::say(trace::Room::explicit_state,
               fmt::format("the abstract machine: {} states explored{}, {} final states", found->explored,
                           found->states.complete ? "" : ", not all", found->states.states.size()));
  r.stats.seconds = std::chrono::duration<double>(Job::Clock::now() - start).count();
  if (!found) {
    r.verdict = {Status::unsupported, found.error().list[0].message, false};
    return r;
  }
  r.stats.candidates = found->explored;
  r.reachable = found->steps.has_value();
  const bool for_one = test.quantifier == Quantifier::exists;
  if (r.reachable)
    r.verdict = {for_one ? Status::holds : Status::fails, "", false};
  else if (!found->states.complete)
    r.verdict = {Status::gave_up, "the runs of the machine were not all seen", false};
  else
    r.verdict = {for_one ? Status::fails : Status::holds, "", found->states.states.empty()};
  return r;
}

Outcomes outcomes_by_machine(const prog::Test& test, const cat::Model& model, const Options& options, Job& job) {
  Outcomes out;
  out.bound = options.bound;
  out.observables = prog::observables(test);
  Options asked = options;
  asked.property = Property::condition;
  if (const std::string why = refused(asked); !why.empty()) {
    out.status = {Status::unsupported, why, false};
    return out;
  }
  auto found = explored(test, model, options, job);
  if (!found) {
    out.status = {Status::unsupported, found.error().list[0].message, false};
    return out;
  }
  out.positive = found->positive;
  out.negative = found->states.states.size() - found->positive;
  out.states = std::move(found->states);
  if (out.states.complete)
    out.status = {Status::holds, {}, out.states.states.empty()};
  else
    out.status = {Status::gave_up, "the runs of the machine were not all seen", false};
  return out;
}

}  // namespace fencepost::check
