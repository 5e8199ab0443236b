#include "suite/decide.h"

#include <fmt/format.h>

#include "check/races.h"
#include "prog/weaken.h"
#include "vocab/vocab.h"

namespace fencepost::gen {

const char* name(Reach r) {
  switch (r) {
    case Reach::allowed:
      return "allowed";
    case Reach::forbidden:
      return "forbidden";
    case Reach::racy:
      return "racy";
    case Reach::vacuous:
      return "vacuous";
    case Reach::undecided:
      return "undecided";
  }
  return "";
}

namespace {

bool may_be_undefined(const prog::Test& test) {
  for (const prog::Template& t : test.templates)
    for (const prog::Instr& i : t.code)
      if (i.tags.has(vocab::Tag::UB) || i.store_tags.has(vocab::Tag::UB)) return true;
  return false;
}

// Undefined behaviour of an instruction, as a wait for a phase that is over: nothing is promised of the program,
// whatever the model says of races. Of the flags those alone are asked that undefine.
Answer unless_undefined(const prog::Test& test, const cat::Model& model, check::Options options, Job& job) {
  cat::Model only = model;
  std::erase_if(only.axioms, [&](const cat::Axiom& a) { return a.flag && !check::undefines(model, a); });
  options.property = check::Property::races;
  options.companion = false;
  const check::Result r = check::solve(test, only, options, job);
  if (r.verdict.status == Status::holds) return {Reach::forbidden, ""};
  if (r.verdict.status == Status::fails) return {Reach::racy, r.verdict.detail};
  return {Reach::undecided, fmt::format("undefined behavior: {}", fencepost::name(r.verdict.status))};
}

// Of a program whose condition no execution reaches.
Answer unless_racy(const prog::Test& test, const cat::Model& model, check::Options options, Job& job) {
  if (check::races_of(model) != check::Races::undefined)
    return may_be_undefined(test) ? unless_undefined(test, model, options, job) : Answer{Reach::forbidden, ""};
  options.property = check::Property::races;
  const check::Result r = check::check(test, model, options, job);
  if (r.verdict.status == Status::holds) return {Reach::forbidden, ""};
  if (r.verdict.status == Status::fails) return {Reach::racy, r.verdict.detail};
  return {Reach::undecided, fmt::format("data races: {}", fencepost::name(r.verdict.status))};
}
}  // namespace

Answer ask(const prog::Test& test, const cat::Model& model, const check::Options& options, Job& job) {
  prog::Test asked = test;
  if (asked.quantifier == prog::Quantifier::forall) {  // "forall ~C" asks for C
    FENCEPOST_INVARIANT(asked.condition.kind == prog::Cond::Kind::not_, "a generated forall negates its state");
    prog::Cond inner = asked.condition.kids.front();
    asked.condition = std::move(inner);
  }
  asked.quantifier = prog::Quantifier::exists;
  check::Options o = options;
  o.property = check::Property::condition;
  const check::Result r = check::check(asked, model, o, job);
  Answer a;
  switch (r.verdict.status) {
    case Status::holds:
      a.reach = Reach::allowed;
      break;
    case Status::fails:
      a = r.verdict.vacuous ? Answer{Reach::vacuous, ""} : unless_racy(asked, model, o, job);
      break;
    default:
      a.detail = fmt::format("{}{}{}", fencepost::name(r.verdict.status), r.verdict.detail.empty() ? "" : ": ",
                             r.verdict.detail);
      break;
  }
  return a;
}

Minimality minimality(const prog::Test& test, const cat::Model& model, const check::Options& options, Job& job) {
  Minimality m;
  prog::SiteOptions each;
  each.together = false;
  const auto sites = prog::weakening_sites(test, each);
  for (size_t k = 0; k < sites.size(); ++k)
    for (uint32_t form : sites[k].forms[0].weaker) {
      prog::Choice choice(sites.size(), 0);
      choice[k] = form;
      prog::Test weaker = prog::apply(test, sites, choice).test;
      const Answer a = ask(weaker, model, options, job);
      ++m.steps;
      if (a.reach == Reach::allowed) continue;
      // Without executions at all the step breaks the program, not the rule that forbids; with a race, both.
      if (a.reach == Reach::vacuous || a.reach == Reach::racy) continue;
      const std::string step = fmt::format("{} -> {}", prog::describe(test, sites[k]), sites[k].forms[form].text);
      if (a.reach == Reach::forbidden) {
        m.kind = Minimality::Kind::not_minimal;
        m.step = step;
        m.weaker = std::move(weaker);
        return m;
      }
      m.kind = Minimality::Kind::undecided;
      m.step = step;
    }
  return m;
}

}  // namespace fencepost::gen
