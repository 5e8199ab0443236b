#include "results/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "campaign/rate.h"
#include "device/backend.h"
#include "inspect/what_ran.h"
#include "plan/plan.h"

namespace fencepost::results {
namespace {

using prog::Quantifier;

bool satisfies(const Report& r, const prog::State& s) {
  return plan::holds(r.test, r.setup.observables, s, r.test.condition);
}

// Instances that count: neither incomplete nor thrown out by the filter.
uint64_t counted(const Report& r) {
  uint64_t n = 0;
  for (const auto& [s, count] : r.totals.states) n += count;
  return n;
}

bool validated(const Report& r, uint64_t yes, uint64_t no) {
  switch (r.test.quantifier) {
    case Quantifier::exists:
      return yes > 0;
    case Quantifier::not_exists:
      return yes == 0;
    case Quantifier::forall:
    case Quantifier::none:
      return no == 0;
  }
  return no == 0;
}

const char* kind(Quantifier q) {
  return q == Quantifier::not_exists ? "Forbidden" : q == Quantifier::exists ? "Allowed" : "Required";
}

std::string condition_text(const prog::Test& t) {
  const char* q = t.quantifier == Quantifier::not_exists ? "~exists"
                  : t.quantifier == Quantifier::exists   ? "exists"
                                                         : "forall";
  return fmt::format("{} ({})", q, prog::to_string(t, t.condition));
}

const char* often(uint64_t yes, uint64_t no) { return yes == 0 ? "Never" : no == 0 ? "Always" : "Sometimes"; }

double per_second(uint64_t n, double seconds) { return seconds > 0 ? static_cast<double>(n) / seconds : 0; }

// Blanks in a title would be read as further words of a log line.
std::string title_of(const Report& r) {
  std::string t = r.test.title.empty() ? r.name : r.test.title;
  std::replace(t.begin(), t.end(), ' ', '_');
  return t;
}

// A flagged test has no forbidden states, whatever the model's executions end in.
const char* verdict_word(const Report& r, const prog::State& s) {
  const judge::Allowed a = allowed(r, s);
  if (a == judge::Allowed::yes) return name(a);
  if (r.allows && !r.allows->outcomes.flags.empty()) return "undefined";
  return a == judge::Allowed::no ? name(a) : "unknown";
}

std::string stop_text(const campaign::Options& o) {
  std::string out;
  if (o.iterations > 0) out += fmt::format(" iterations={}", o.iterations);
  if (o.seconds > 0) out += fmt::format(" seconds={:g}", o.seconds);
  if (o.events > 0) out += fmt::format(" until-events={}", o.events);
  return out.empty() ? "" : out.substr(1);
}

// How many of the states that the model allows were seen.
std::string coverage(const judge::Allows& allows, const std::map<prog::State, uint64_t>& seen) {
  if (!allows.outcomes.states.complete)
    return "not all states known, and those that were seen are asked about one by one: " + allows.why;
  const auto& allowed = allows.outcomes.states.states;
  if (allowed.empty()) return "no state is allowed";
  const auto unseen = std::count_if(allowed.begin(), allowed.end(), [&](const auto& s) { return !seen.contains(s); });
  return fmt::format("{} states allowed, {}", allowed.size(),
                     unseen == 0 ? "all were observed" : fmt::format("{} not observed", unseen));
}

// Of a run that counts for nothing.
std::string why_no_evidence(const inspect::WhatRanReport& w) {
  if (w.verdict == inspect::WhatRan::unverified) return "the machine code could not be inspected";
  return fmt::format("the machine code is another program ({})", inspect::name(w.verdict));
}

}  // namespace

judge::Allowed allowed(const Report& r, const prog::State& s) {
  return r.allows ? r.allows->of(s) : judge::Allowed::unknown;
}

judge::Ruling ruling(const Report& r) {
  judge::Seen seen;
  seen.device = r.setup.device.id;
  seen.what_ran = inspect::name(r.setup.what_ran.verdict);
  seen.evidence = name(r.setup.evidence);
  seen.instances = r.totals.instances;
  seen.corrupt = r.totals.corrupt;
  if (r.allows) {
    seen.model = r.allows->model;
    seen.flags = r.allows->outcomes.flags;
  }
  for (const auto& [s, n] : r.totals.states)
    seen.states.push_back({prog::to_string(r.setup.observables, s), n, allowed(r, s)});
  return judge::rule(seen);
}

std::vector<prog::State> forbidden_states(const Report& r) {
  std::vector<prog::State> out;
  if (r.allows && !r.allows->outcomes.flags.empty()) return out;
  for (const auto& [s, n] : r.totals.states)
    if (n > 0 && allowed(r, s) == judge::Allowed::no) out.push_back(s);
  return out;
}

std::string text(const Report& r) {
  const campaign::Totals& t = r.totals;
  const uint64_t yes = campaign::positive(r.test, r.setup.observables, t.states), all = counted(r);
  std::string out = fmt::format("{}\n{} ({}), mode {}, {}, seed {}\n", r.name, r.setup.device.id, r.setup.device.name,
                                plan::name(r.options.shape.mode), r.setup.placement, r.options.seed);
  // Of several devices: what each may do with whose memory.
  for (const device::Property& p : r.setup.device.properties)
    if (p.name.find(" to memory of ") != std::string::npos) out += fmt::format("{}: {}\n", p.name, p.value);
  for (const auto& [s, n] : t.states)
    out += fmt::format("{:>14} {} {:<40} {}\n", n, satisfies(r, s) ? "*" : " ", prog::to_string(r.setup.observables, s),
                       verdict_word(r, s));
  if (r.allows) {
    out += fmt::format("model {}: {}\n", r.allows->model, coverage(*r.allows, t.states));
    if (!r.allows->outcomes.flags.empty())
      out += fmt::format("the test has {} under {}, which then promises nothing\n",
                         fmt::join(r.allows->outcomes.flags, ", "), r.allows->model);
  }
  if (r.test.condition.kind != prog::Cond::Kind::always)
    out += fmt::format("{}: {} of {}, {}\n", condition_text(r.test), yes, all,
                       campaign::rate_text(per_second(yes, t.seconds)));
  out += fmt::format(
      "{} instances in {:.2f} s, {}; {} round groups, {} launches; what ran: {}{}{}\n", t.instances, t.seconds,
      campaign::rate_text(per_second(t.instances, t.seconds)), t.groups, t.launches,
      inspect::name(r.setup.what_ran.verdict),
      r.setup.what_ran.reason.empty() ? "" : fmt::format(" ({})", r.setup.what_ran.reason),
      r.setup.evidence == campaign::Evidence::language_level ? ", evidence at the level of the language" : "");
  if (r.setup.what_ran.frame_missing > 0)
    out += fmt::format(
        "the machine code lacks {} of {} accesses of stress and alignment, first {}: the run is weaker than asked "
        "for\n",
        r.setup.what_ran.frame_missing, r.setup.what_ran.frame, r.setup.what_ran.first_missing);
  if (t.time_outs > 0)
    out += fmt::format("{} of {} waits for alignment met their limit ({:.2g} %)\n", t.time_outs, t.waits,
                       100.0 * static_cast<double>(t.time_outs) / static_cast<double>(std::max<uint64_t>(t.waits, 1)));
  if (t.incomplete > 0) out += fmt::format("{} instances did not leave their loops within the limit\n", t.incomplete);
  if (t.filtered > 0) out += fmt::format("{} instances ended outside of the filter and do not count\n", t.filtered);
  if (r.setup.merged_subgroups)
    out += "the device has no subgroups: threads of one subgroup ran as threads of one workgroup\n";
  if (t.corrupt > 0)
    out += fmt::format("CORRUPT: {} instances left no readable result; nothing of this run is evidence\n", t.corrupt);
  for (const prog::State& s : forbidden_states(r))
    out += fmt::format("FORBIDDEN: {} seen {} times, and {} forbids it{}\n", prog::to_string(r.setup.observables, s),
                       t.states.at(s), r.allows->model,
                       r.setup.evidence == campaign::Evidence::none
                           ? "; no evidence against the device: " + why_no_evidence(r.setup.what_ran)
                           : "");
  return out;
}

std::string litmus_log(const Report& r) {
  const campaign::Totals& t = r.totals;
  const uint64_t yes = campaign::positive(r.test, r.setup.observables, t.states), no = counted(r) - yes;
  const std::string title = title_of(r);
  std::string out = fmt::format("Test {} {}\nHistogram ({} states)\n", title, kind(r.test.quantifier), t.states.size());
  for (const auto& [s, n] : t.states)
    out += fmt::format("{:<8}{}>{}\n", n, satisfies(r, s) ? '*' : ':', prog::to_string(r.setup.observables, s));
  const bool ok = validated(r, yes, no);
  out += ok ? "Ok\n\n" : "No\n\n";
  out += fmt::format("Witnesses\nPositive: {}, Negative: {}\n", yes, no);
  out += fmt::format("Condition {} is {}validated\n", condition_text(r.test), ok ? "" : "NOT ");
  out +=
      fmt::format("Device={}\nMode={}\nPlacement={}\nSeed={}\nWhatRan={}\nTimeouts={}/{}\nCorrupt={}\nIncomplete={}\n",
                  r.setup.device.name, plan::name(r.options.shape.mode), r.setup.placement, r.options.seed,
                  inspect::name(r.setup.what_ran.verdict), t.time_outs, t.waits, t.corrupt, t.incomplete);
  if (r.allows) out += fmt::format("Model={}\n", r.allows->model);
  for (const prog::State& s : forbidden_states(r))
    out += fmt::format("ForbiddenState={}\n", prog::to_string(r.setup.observables, s));
  out += fmt::format("Observation {} {} {} {}\n", title, often(yes, no), yes, no);
  out += fmt::format("Time {} {:.2f}\n\n", title, t.seconds);
  return out;
}

std::string json(const Report& r) {
  using Json = nlohmann::ordered_json;
  const campaign::Totals& t = r.totals;
  Json states = Json::array();
  for (const auto& [s, n] : t.states)
    states.push_back({{"state", prog::to_string(r.setup.observables, s)},
                      {"instances", n},
                      {"condition", satisfies(r, s)},
                      {"verdict", verdict_word(r, s)}});
  Json groups = Json::array();
  for (const campaign::RoundGroup& g : r.groups) {
    Json own = Json::array();
    for (const auto& [s, n] : g.states)
      own.push_back({{"state", prog::to_string(r.setup.observables, s)}, {"instances", n}});
    Json j = {{"number", g.number},
              {"seed", g.seed},
              {"parameters", g.parameters},
              {"launches", g.launches},
              {"instances", g.instances},
              {"seconds", g.seconds},
              {"device_seconds", g.device_seconds},
              {"waits", g.waits},
              {"time_outs", g.time_outs},
              {"corrupt", g.corrupt},
              {"incomplete", g.incomplete},
              {"filtered", g.filtered},
              {"states", own}};
    if (r.options.series_room > 0) {
      Json series = Json::array();
      for (const campaign::Event& e : g.series)
        series.push_back({{"state", prog::to_string(r.setup.observables, e.state)},
                          {"launch", e.launch},
                          {"round", e.round},
                          {"instance", e.instance}});
      j["series"] = series;
      j["series_lost"] = g.series_lost;
    }
    groups.push_back(std::move(j));
  }
  Json sites = Json::array();
  for (const inspect::WhatRanSite& w : r.setup.what_ran.sites)
    sites.push_back({{"thread", w.role},
                     {"instruction", w.position},
                     {"written", w.written},
                     {"found", w.found},
                     {"verdict", inspect::name(w.verdict)}});
  const uint64_t yes = campaign::positive(r.test, r.setup.observables, t.states);
  const judge::Ruling ruled = ruling(r);
  Json out = {{"schema", "fencepost.run/1"},
              {"test", r.name},
              {"title", r.test.title},
              {"device",
               {{"id", r.setup.device.id},
                {"api", device::name(r.setup.device.api)},
                {"name", r.setup.device.name},
                {"driver", r.setup.device.driver}}},
              {"mode", plan::name(r.options.shape.mode)},
              {"placement", r.setup.placement},
              {"tree", r.setup.tree},
              {"word_bits", r.setup.word_bits},
              {"seed", r.options.seed},
              {"stop", stop_text(r.options)},
              {"plan_hash", r.setup.plan_hash},
              {"binary", {{"kind", r.setup.binary_kind}, {"hash", r.setup.binary_hash}}},
              {"what_ran",
               {{"verdict", inspect::name(r.setup.what_ran.verdict)},
                {"reason", r.setup.what_ran.reason},
                {"evidence", name(r.setup.evidence)},
                {"frame", r.setup.what_ran.frame},
                {"frame_missing", r.setup.what_ran.frame_missing},
                {"sites", sites}}},
              {"states", states},
              {"standing", r.allows ? name(ruled.standing) : ""},
              {"reason", r.allows ? ruled.reason : ""},
              {"condition", condition_text(r.test)},
              {"positive", yes},
              {"negative", counted(r) - yes},
              {"instances", t.instances},
              {"corrupt", t.corrupt},
              {"incomplete", t.incomplete},
              {"filtered", t.filtered},
              {"waits", t.waits},
              {"time_outs", t.time_outs},
              {"seconds", t.seconds},
              {"device_seconds", t.device_seconds},
              {"groups", groups}};
  if (r.allows) {
    Json unseen = Json::array();
    for (const prog::State& s : r.allows->outcomes.states.states)
      if (!t.states.contains(s)) unseen.push_back(prog::to_string(r.setup.observables, s));
    out["model"] = {{"name", r.allows->model},
                    {"complete", r.allows->outcomes.states.complete},
                    {"why", r.allows->why},
                    {"flags", r.allows->outcomes.flags},
                    {"allowed_not_seen", unseen}};
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string csv(const Report& r) {
  std::string out;
  for (const auto& [s, n] : r.totals.states)
    out += fmt::format("{},{},{},{},{},{:.6f},{},{},{},{},{},{}\n", csv_field(r.name), csv_field(r.setup.device.name),
                       csv_field(prog::to_string(r.setup.observables, s)), n, r.totals.instances, r.totals.seconds,
                       satisfies(r, s) ? 1 : 0, r.allows ? csv_field(r.allows->model) : "", verdict_word(r, s),
                       inspect::name(r.setup.what_ran.verdict), name(r.setup.evidence), r.options.seed);
  return out;
}

Told told(Report r, const std::optional<judge::Question>& asked, Form form) {
  if (asked) r.allows = judge::allows(r.test, *asked, r.totals.states);
  Told out;
  out.answer = form == Form::json ? json(r) : form == Form::csv ? csv(r) : text(r) + "\n";
  out.log = litmus_log(r);
  out.forbidden = !forbidden_states(r).empty();
  out.exit_code = r.allows ? judge::exit_code(ruling(r).standing) : r.totals.corrupt > 0 ? 1 : 0;
  return out;
}

}  // namespace fencepost::results
