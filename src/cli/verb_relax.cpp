#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "check/races.h"
#include "cli/effects.h"
#include "cli/fence_readings.h"
#include "cli/inputs.h"
#include "cli/json.h"
#include "cli/one_test.h"
#include "cli/output.h"
#include "cli/phase_fixes.h"
#include "cli/verbs.h"
#include "print/litmus.h"
#include "prog/syntax.h"
#include "relax/relax.h"
#include "report/model_name.h"
#include "report/report.h"

namespace fencepost::cli {
namespace {

using relax::Decision;
using relax::Outcome;
using relax::Report;
using relax::Session;
using relax::SiteReport;

// "the condition is reached" of a variant that is broken; "bound 1 reached" of one that is undecided.
std::string why(const Report& r, const Decision& d) {
  if (d.outcome == Outcome::undecided) return d.detail;
  if (!d.detail.empty()) return d.detail;
  switch (d.property) {
    case check::Property::races:
      return "a flag is raised (race)";
    case check::Property::condition:
      return r.asked.quantifier == prog::Quantifier::forall   ? "a final state violates the condition"
             : r.asked.quantifier == prog::Quantifier::exists ? "the condition is no longer reached"
                                                              : "the condition is reached";
    case check::Property::termination:
      return "some execution does not end";
  }
  return "";
}

std::string becomes(const prog::SiteForm& f) { return f.shape.absent ? "dropped" : f.text; }

std::string place(const prog::Site& s) {
  if (!s.span.source) return "";
  return fmt::format("{}:{}", std::filesystem::path(s.span.source->name).filename().string(), s.span.position().line);
}

const relax::Finding& finding(const SiteReport& r, uint32_t form) {
  return *std::find_if(r.findings.begin(), r.findings.end(), [&](const auto& f) { return f.form == form; });
}

std::string site_answer(const Report& r, size_t k) {
  const prog::Site& site = r.sites[k];
  const SiteReport& s = r.each[k];
  switch (s.kind) {
    case SiteReport::Kind::droppable:
      return "can be dropped";
    case SiteReport::Kind::weaker: {
      std::string out = "can be weakened to ";
      for (size_t i = 0; i < s.weakest.size(); ++i) out += (i > 0 ? " or to " : "") + site.forms[s.weakest[i]].text;
      return out;
    }
    case SiteReport::Kind::undecided: {
      for (const relax::Finding& f : s.findings)
        if (f.decision.outcome == Outcome::undecided)
          return fmt::format("undecided: {} ({})", becomes(site.forms[f.form]), f.decision.detail);
      return "undecided";
    }
    case SiteReport::Kind::needed:
      break;
  }
  const relax::Finding& f = finding(s, s.shown);
  const prog::SiteForm& form = site.forms[s.shown];
  return fmt::format("needed: {} {}", form.shape.absent ? "without it" : fmt::format("as {}", form.text),
                     why(r, f.decision));
}

std::string changes_text(const Report& r, const prog::Choice& c, const char* indent) {
  std::string out;
  for (size_t k = 0; k < c.size(); ++k) {
    if (c[k] == 0) continue;
    const prog::SiteForm& f = r.sites[k].forms[c[k]];
    const std::string what = r.sites[k].gap ? "insert " + f.text : f.shape.absent ? "drop it" : "-> " + f.text;
    out += fmt::format("{}{:>3}  {}  {}  {}\n", indent, k + 1, place(r.sites[k]), prog::describe(r.asked, r.sites[k]),
                       what);
  }
  return out.empty() ? fmt::format("{}  as written\n", indent) : out;
}

std::string kept_names(const Report& r) {
  std::string out;
  for (const relax::PropertyState& p : r.properties)
    if (p.kept) out += (out.empty() ? "" : ", ") + std::string(check::name(p.property));
  return out;
}

size_t count_weaker(const Report& r) {
  return static_cast<size_t>(std::count_if(r.each.begin(), r.each.end(), [](const SiteReport& s) {
    return s.kind == SiteReport::Kind::droppable || s.kind == SiteReport::Kind::weaker;
  }));
}

std::string weaken_text(const std::string& path, const Report& r, const std::string& model) {
  std::string out = fmt::format("{}  {} of {} sites can be weaker, each alone (kept: {}; {})\n", path, count_weaker(r),
                                r.sites.size(), kept_names(r), model);
  size_t wide = 0, places = 0;
  for (const prog::Site& s : r.sites)
    wide = std::max(wide, prog::describe(r.asked, s).size()), places = std::max(places, place(s).size());
  for (size_t k = 0; k < r.sites.size(); ++k)
    out += fmt::format("{:>3}  {:<{}}  {:<{}}  {}\n", k + 1, place(r.sites[k]), places,
                       prog::describe(r.asked, r.sites[k]), wide, site_answer(r, k));
  if (r.joint.changed > 0)
    out += fmt::format("together{}:\n{}", r.joint_minimal ? "" : " (whether more can go is undecided)",
                       changes_text(r, r.joint.choice, ""));
  if (r.lattice) {
    const relax::Lattice& l = *r.lattice;
    if (!l.complete)
      out += fmt::format("lattice: incomplete, {}{}\n", l.why_incomplete,
                         l.minimal.empty() ? "; try --steps order or --steps drop" : "");
    else
      out += fmt::format("lattice: {} variants, {} weakest correct:\n", l.variants, l.minimal.size());
    for (size_t i = 0; i < l.minimal.size(); ++i)
      out += fmt::format("  {}.\n{}", i + 1, changes_text(r, l.minimal[i].choice, "  "));
  }
  return out;
}

std::string repair_text(const std::string& path, const Report& r, const std::string& model, bool by_phases) {
  const relax::Fixes& f = *r.repair;
  if (f.fixes.empty() && by_phases && f.why_none.starts_with("none"))
    return fmt::format("{}  fails; 1 change of a fence or an order does not make it hold (to hold: {}; {})\n", path,
                       kept_names(r), model);
  if (f.fixes.empty())
    return fmt::format("{}  fails, and no fix was found: {}{} (to hold: {}; {})\n", path, f.why_none,
                       f.why_none == "out of time" ? "; a longer --budget looks further, --changes 1 ends sooner" : "",
                       kept_names(r), model);
  std::string out = fmt::format("{}  fails; {} {}fix{} with {} change{} (to hold: {}; {})\n", path, f.fixes.size(),
                                f.irreducible ? "" : "smallest ", f.fixes.size() == 1 ? "" : "es", f.changes,
                                f.changes == 1 ? "" : "s", kept_names(r), model);
  for (size_t i = 0; i < f.fixes.size(); ++i)
    out += fmt::format("  {}.\n{}", i + 1, changes_text(r, f.fixes[i].choice, "  "));
  if (f.irreducible)
    out += "one change is not enough, and each of these is needed beside the others\n";
  else if (f.changes > 1 && !f.proved_fewest)
    out += "that fewer changes do not suffice rests on stronger code never doing more\n";
  return out;
}

std::string verdict_words(Status s) { return s == Status::fails ? "fails" : std::string("is ") + fencepost::name(s); }

// Whether some answer turns a strong access into a weak one.
bool makes_weak(const Report& r) {
  for (size_t k = 0; k < r.each.size(); ++k)
    for (uint32_t f : r.each[k].weakest)
      if (r.sites[k].forms[f].shape.tags.has(prog::Tag::WEAK)) return true;
  return false;
}

// What makes an answer possible where there is none.
std::string what_to_ask(const Report& r) {
  const bool open = std::any_of(r.properties.begin(), r.properties.end(), [](const relax::PropertyState& p) {
    return p.result.verdict.status == Status::unknown || p.result.verdict.status == Status::gave_up;
  });
  std::string out;
  if (open) out += "note: a higher --bound, --bound auto or a longer --budget may decide it\n";
  if (r.asked.quantifier == prog::Quantifier::none)
    out +=
        "note: ask with --condition 'forall (x == 1)' or a question of the file, or name what is kept: --keep races\n";
  return out;
}

// What is not kept; what is wrong as written comes before the answer, which is about another property.
std::string left_alone(const Report& r, bool wrong) {
  std::string out;
  for (const relax::PropertyState& p : r.properties)
    if (!p.kept && (p.result.verdict.status == Status::fails) == wrong)
      out += fmt::format("note: {} {} as written and is left alone{}\n", check::name(p.property),
                         verdict_words(p.result.verdict.status),
                         wrong ? fmt::format("; --keep {} looks for a repair", check::name(p.property)) : "");
  return out;
}

std::string text_of(const std::string& path, const Report& r, const std::string& model, bool by_phases) {
  std::string out = left_alone(r, true);
  switch (r.mode) {
    case Report::Mode::nothing:
      return fmt::format("{}{}  undecided: {} ({})\n{}", out, path, r.trouble, model, what_to_ask(r));
    case Report::Mode::weaken:
      out += weaken_text(path, r, model);
      break;
    case Report::Mode::repair:
      out += repair_text(path, r, model, by_phases);
      break;
  }
  out += left_alone(r, false);
  const bool races_kept = std::any_of(r.properties.begin(), r.properties.end(), [](const relax::PropertyState& p) {
    return p.kept && p.property == check::Property::races;
  });
  if (r.asked.dialect == vocab::Dialect::ptx && makes_weak(r) && !races_kept)
    out +=
        "note: races are let in unless --keep names them: that a weak access keeps the condition does not make it safe "
        "to compile\n";
  if (r.mode == Report::Mode::weaken && r.asked.quantifier == prog::Quantifier::exists)
    out += "note: the condition is reachable as written and is kept so; --forbid repairs the test instead\n";
  return out;
}

// ---- JSON --------------------------------------------------------------------------------------------

std::string choice_json(const Report& r, const prog::Choice& c) {
  std::string out;
  for (size_t k = 0; k < c.size(); ++k)
    if (c[k] != 0)
      out += fmt::format("{}{{\"site\": {}, \"form\": {}}}", out.empty() ? "" : ", ", k + 1,
                         r.sites[k].forms[c[k]].shape.absent ? "null" : json_string(r.sites[k].forms[c[k]].text));
  return "[" + out + "]";
}

std::string site_json(const Report& r, size_t k) {
  const prog::Site& site = r.sites[k];
  std::string threads;
  for (const prog::Place& p : site.places) threads += fmt::format("{}{}", threads.empty() ? "" : ", ", p.thread);
  std::string out =
      fmt::format("    {{\"number\": {}, \"location\": {}, \"threads\": [{}], \"gap\": {}, \"text\": {}", k + 1,
                  json_string(site.span.location()), threads, site.gap, json_string(prog::describe(r.asked, site)));
  if (k < r.each.size()) {
    const SiteReport& s = r.each[k];
    static constexpr const char* k_kinds[] = {"needed", "weaker", "droppable", "undecided"};
    std::string weakest, findings;
    const auto form = [&](uint32_t f) {
      return site.forms[f].shape.absent ? std::string("null") : json_string(site.forms[f].text);
    };
    for (uint32_t f : s.weakest) weakest += (weakest.empty() ? "" : ", ") + form(f);
    for (const relax::Finding& f : s.findings)
      findings +=
          fmt::format("{}{{\"form\": {}, \"outcome\": \"{}\", \"property\": {}, \"detail\": {}}}",
                      findings.empty() ? "" : ", ", form(f.form), relax::name(f.decision.outcome),
                      f.decision.outcome == Outcome::kept ? "null" : json_string(check::name(f.decision.property)),
                      json_string(f.decision.outcome == Outcome::kept ? "" : why(r, f.decision)));
    out += fmt::format(", \"verdict\": \"{}\", \"weakest\": [{}], \"findings\": [{}]",
                       k_kinds[static_cast<size_t>(s.kind)], weakest, findings);
  }
  return out + "}";
}

std::string list_json(const Report& r, const std::vector<relax::Minimal>& list) {
  std::string out;
  for (const relax::Minimal& m : list) out += (out.empty() ? "" : ", ") + choice_json(r, m.choice);
  return "[" + out + "]";
}

std::string json_of(const std::string& path, const Report& r, const std::string& model, const relax::Options& asked,
                    const std::string& execution, const std::optional<PhaseFix>& phases) {
  static constexpr const char* k_modes[] = {"weaken", "repair", "undecided"};
  std::string properties, sites;
  for (const relax::PropertyState& p : r.properties)
    properties +=
        fmt::format("{}{{\"property\": \"{}\", \"verdict\": \"{}\", \"kept\": {}}}", properties.empty() ? "" : ", ",
                    check::name(p.property), fencepost::name(p.result.verdict.status), p.kept);
  for (size_t k = 0; k < r.sites.size(); ++k) sites += (k > 0 ? ",\n" : "\n") + site_json(r, k);
  std::string out = fmt::format(
      "{{\n  \"schema\": \"fencepost.relax/1\",\n  \"path\": {},\n  \"title\": {},\n  \"model\": {},\n  \"mode\": "
      "\"{}\",\n  \"detail\": {},\n"
      "  \"question\": {},\n  \"properties\": [{}],\n  \"sites\": [{}\n  ],\n",
      json_string(path), json_string(r.asked.title), json_string(model), k_modes[static_cast<size_t>(r.mode)],
      json_string(r.trouble),
      json_string(fmt::format("{} ({})", prog::name(r.asked.quantifier), prog::to_string(r.asked, r.asked.condition))),
      properties, sites);
  if (r.mode == Report::Mode::weaken)
    out += fmt::format("  \"together\": {{\"changes\": {}, \"minimal\": {}}},\n", choice_json(r, r.joint.choice),
                       r.joint_minimal);
  if (r.lattice)
    out += fmt::format("  \"lattice\": {{\"variants\": {}, \"complete\": {}, \"detail\": {}, \"minimal\": {}}},\n",
                       r.lattice->variants, r.lattice->complete, json_string(r.lattice->why_incomplete),
                       list_json(r, r.lattice->minimal));
  if (r.repair)
    out += fmt::format(
        "  \"repair\": {{\"changes\": {}, \"at_most\": {}, \"fewest\": {}, \"tried\": {}, \"detail\": {}, \"fixes\": "
        "{}}},\n",
        r.repair->changes, asked.max_changes, r.repair->changes <= 1 || r.repair->proved_fewest, r.repair->tried,
        json_string(r.repair->why_none), list_json(r, r.repair->fixes));
  if (phases) {
    std::string changes;
    for (const PhaseChange& c : phases->changes)
      changes += fmt::format("{}{{\"location\": {}, \"threads\": [{}], \"written\": {}, \"becomes\": {}}}",
                             changes.empty() ? "" : ", ", json_string(c.span.location()), fmt::join(c.threads, ", "),
                             json_string(c.was), json_string(c.becomes));
    out += fmt::format("  \"phases\": [{}],\n", changes);
  }
  out += fmt::format("  \"bound\": {}, \"each_thread\": {}, \"progress\": {}, \"liveness\": {},\n",
                     asked.check.bound.largest(), !asked.sites.together, json_string(asked.check.progress.name),
                     json_string(reference::name(asked.check.fairness)));
  out +=
      fmt::format("  \"statistics\": {{\"seconds\": {:.3f}, \"asked\": {}, \"replayed\": {}, \"remembered\": {}}},\n",
                  r.seconds, r.counts.asked, r.counts.replayed, r.counts.remembered);
  return out + fmt::format("  \"execution\": {}\n}}\n", execution.empty() ? "null" : execution);
}

// ---- the execution behind one site -------------------------------------------------------------------

struct Shown {
  report::Report report;
  std::string note;  // why there is none
};

Shown show(const Session& session, const cat::Model& model, const check::Options& options, const std::string& path,
           uint32_t site) {
  const Report& r = session.report();
  Shown out;
  if (r.mode != Report::Mode::weaken) {
    out.note = "only what is needed rests on an execution";
    return out;
  }
  for (size_t k = 0; k < r.each.size(); ++k) {
    if (site != 0 && k + 1 != site) continue;
    for (const relax::Finding& f : r.each[k].findings) {
      if (f.decision.outcome != Outcome::broken ||
          (f.form != r.each[k].shown && r.each[k].kind == SiteReport::Kind::needed))
        continue;
      const prog::Choice c = session.alone(static_cast<uint32_t>(k), f.form);
      const auto evidence = session.evidence(c, f.decision);
      if (!evidence) continue;
      check::Options o = options;
      o.property = f.decision.property;
      out.report = report::witness(
          fmt::format("{} with {} {}", path, prog::describe(r.asked, r.sites[k]), becomes(r.sites[k].forms[f.form])),
          session.variant(c), model, o, *evidence);
      return out;
    }
  }
  out.note = site == 0 ? "no site is needed" : fmt::format("no execution makes site {} needed", site);
  return out;
}

int code_of(const Report& r, bool by_phases) {
  switch (r.mode) {
    case Report::Mode::nothing:
      return k_exit_undecided;
    case Report::Mode::repair:
      return r.repair->fixes.empty() && !by_phases ? k_exit_undecided : k_exit_fails;
    case Report::Mode::weaken:
      break;
  }
  if (r.joint.changed > 0 || count_weaker(r) > 0) return k_exit_fails;
  const bool open = std::any_of(r.each.begin(), r.each.end(),
                                [](const SiteReport& s) { return s.kind == SiteReport::Kind::undecided; });
  return open || !r.joint_minimal || (r.lattice && !r.lattice->complete) ? k_exit_undecided : k_exit_holds;
}

Expected<std::vector<check::Property>> properties_of(const std::vector<std::string>& names) {
  std::vector<check::Property> out;
  for (const std::string& n : names) {
    bool found = false;
    for (int k = 0; k < 3; ++k)
      if (const auto p = static_cast<check::Property>(k); n == check::name(p)) {
        out.push_back(p);
        found = true;
        break;
      }
    if (!found)
      return error_at({}, fmt::format("'{}' is not a property to keep", n),
                      "known are condition, races and termination");
  }
  return out;
}

// Options of a repair say nothing of a test that is right, nor those of relaxing of one that is wrong.
Expected<void> have_effect_on(const Settings& s, const Report& r) {
  const bool repairs = r.repair.has_value();
  if (!repairs && s.has("--changes"))
    return error_at({}, "--changes is without effect: the test needs no repair", "leave it out");
  for (const char* option : {"--steps", "--exhaustive", "--site"})
    if (repairs && s.has(option))
      return error_at({}, fmt::format("{} is without effect: the test is wrong as written, and is repaired", option),
                      "leave it out; --changes is about repairs");
  return {};
}

}  // namespace

// Repairs with several changes may be looked for for hours, without a word. --budget says otherwise.
constexpr double k_preset_seconds = 120;
constexpr double k_reading_seconds = 2, k_phase_seconds = 5;

int run_relax(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  const std::string& path = line.operands[0];
  const auto test = one_test(path, launch_of(s));
  if (!test) return report_errors(console, test.error());
  if (const auto ok = have_effect_on(s, *test); !ok) return report_errors(console, ok.error());
  if (s.forbid && test->quantifier != prog::Quantifier::exists)
    return report_errors(console, error_at({}, "--forbid is without effect: the question is not 'exists'",
                                           "leave it out: the state is forbidden already, or another thing is asked")
                                      .error());
  if (test->syntax == prog::Syntax::spirv && !s.output.empty())
    return report_errors(console, unsupported_at(test->span, "a changed shader or module is not written",
                                                 "change the source where the sites say")
                                      .error());
  if (test->syntax == prog::Syntax::vulkan_test || test->syntax == prog::Syntax::mixedproxy_test)
    return report_errors(console, unsupported_at(test->span, "relax reads litmus files, not .test notations",
                                                 "write the test as a litmus file")
                                      .error());
  ModelCache models;
  const auto known = models.get(s.model_name(), *test);
  if (!known) return report_errors(console, known.error());
  const cat::Model* model = *known;
  relax::Options o;
  Settings asked = s;
  asked.property = check::Property::termination;  // reads --progress, too
  const auto check_with = check_options(asked, test->dialect);
  if (!check_with) return report_errors(console, check_with.error());
  o.check = *check_with;
  if (!s.keep.empty()) {
    const auto keep = properties_of(s.keep);
    if (!keep) return report_errors(console, keep.error());
    o.keep = *keep;
    o.keep_is_explicit = true;
  }
  // Under a model where races undefine, they are kept too, and are enough.
  if (o.keep_is_explicit ? std::count(o.keep.begin(), o.keep.end(), check::Property::condition) > 0
                         : check::races_of(*model) != check::Races::undefined)
    if (const auto asked = has_question(check::Property::condition, *test); !asked)
      return report_errors(console, error_at(test->span, "no condition is asked, so that none can be kept",
                                             "add one (--condition 'forall (x == 1)' for kernels), or name what is "
                                             "kept: --keep races")
                                        .error());
  o.forbid = s.forbid;
  o.sites.together = !s.each_thread;
  o.steps = s.steps == "drop" ? relax::Steps::drop : s.steps == "order" ? relax::Steps::order : relax::Steps::all;
  o.exhaustive = s.exhaustive;
  o.max_changes = s.changes;
  prog::Test question = *test;
  if (s.forbid) question.quantifier = prog::Quantifier::not_exists;
  const auto phases = phase_fix(question, *model, o, k_phase_seconds, models);
  if (phases && !s.has("--changes")) o.max_changes = 1;
  Settings timed = s;
  if (timed.budget <= 0) timed.budget = k_preset_seconds;
  Job job = job_of(timed);
  const Session session(*test, *model, o, job);
  const Report& r = session.report();
  if (const auto ok = have_effect_on(s, r); !ok) return report_errors(console, ok.error());
  if (s.site > r.sites.size())
    return report_errors(
        console, error_at({}, fmt::format("there is no site {}: {} has {}", s.site, path, r.sites.size())).error());

  Shown shown;
  if (s.site != 0 || !s.witness.empty()) shown = show(session, *model, o.check, path, s.site);
  if (s.json)
    console.out(json_of(path, r, report::model_name(*model), o, shown.report.json, phases));
  else
    console.out(text_of(path, r, report::model_name(*model), phases.has_value()) +
                fence_readings(session, *model, o.check, k_reading_seconds, models) +
                (phases ? phase_text(*phases) : "") + (s.site != 0 ? shown.report.text : ""));
  if (!shown.note.empty()) console.err(fmt::format("{}: note: {}\n", path, shown.note));
  if (!s.witness.empty() && shown.note.empty())
    if (const auto written = write_made(s.witness, report::file_text(s.witness, shown.report)); !written)
      return report_errors(console, written.error());
  if (!s.output.empty()) {
    const prog::Choice* best = r.mode == Report::Mode::weaken         ? &r.joint.choice
                               : r.repair && !r.repair->fixes.empty() ? &r.repair->fixes.front().choice
                                                                      : nullptr;
    if (best == nullptr && phases) {
      prog::Test changed = phases->test;
      changed.quantifier = test->quantifier;
      if (const auto written = write_output(s.output, print::print(changed)); !written)
        return report_errors(console, written.error());
    } else if (best == nullptr) {
      console.err(fmt::format("{}: note: there is nothing to write to {}\n", path, s.output));
    } else {
      prog::Test changed = session.variant(*best);
      changed.quantifier = test->quantifier;
      if (const auto written = write_output(s.output, print::print(changed)); !written)
        return report_errors(console, written.error());
    }
  }
  return code_of(r, phases.has_value());
}

}  // namespace fencepost::cli
