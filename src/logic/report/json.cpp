#include <nlohmann/json.hpp>
#include <string>

#include "prog/test.h"
#include "report/explain_parts.h"
#include "report/listing.h"
#include "report/naming.h"
#include "report/places.h"
#include "report/report.h"
#include "report/story.h"
#include "term/term.h"
#include "vocab/vocab.h"

namespace fencepost::report {

using reference::Execution;
using vocab::Base;
using Json = nlohmann::ordered_json;

namespace {

Json pairs(const prog::Test& test, const Execution& x, const Relation& r) {
  Json out = Json::array();
  r.for_each([&](uint32_t a, uint32_t b) { out.push_back({event_name(test, x, a), event_name(test, x, b)}); });
  return out;
}

Json reason(const prog::Test& test, const cat::Model& model, const Execution& x, const reference::Reason& r) {
  Json j;
  j["relation"] = r.label;
  j["from"] = event_name(test, x, r.from);
  if (model.nodes[r.node].type == cat::Type::rel) j["to"] = event_name(test, x, r.to);
  if (r.absent) j["absent"] = true;
  if (std::string p = definition_place(model, r.node); !p.empty()) j["defined"] = p;
  if (!r.because.empty()) {
    j["because"] = Json::array();
    for (const reference::Reason& k : r.because) j["because"].push_back(reason(test, model, x, k));
  }
  return j;
}

}  // namespace

static Json json_header(const std::string& kind, const std::string& path, const prog::Test& test,
                        const cat::Model& model) {
  Json j;
  j["schema"] = "fencepost." + kind + "/1";
  j["path"] = path;
  j["title"] = test.title;
  j["dialect"] = vocab::name(test.dialect);
  j["model"] = model_name(model);
  j["question"] = question_text(test);
  if (test.filter.kind != prog::Cond::Kind::always) j["filter"] = prog::to_string(test, test.filter);
  if (const std::string launch = launch_text(test); !launch.empty()) j["launch"] = launch;
  j["assumptions"] = assumptions(test);
  return j;
}

static Json to_json(const check::Result& r) {
  Json j;
  j["verdict"] = r.verdict.vacuous ? "vacuous" : name(r.verdict.status);
  j["detail"] = r.verdict.detail;
  j["vacuous"] = r.verdict.vacuous;
  if (r.bound.largest() != 0) j["bound"] = r.bound.largest();
  j["reachable"] = r.reachable;
  j["flags"] = r.flags;
  const auto counted = [&](uint64_t n) { return r.stats.effort_known ? Json(n) : Json(nullptr); };
  j["statistics"] = {{"seconds", r.stats.seconds},
                     {"engine", check::name(r.stats.decided_by)},
                     {"candidates", r.stats.candidates},
                     {"variables", r.stats.variables},
                     {"clauses", r.stats.clauses},
                     {"conflicts", counted(r.stats.effort.conflicts)},
                     {"decisions", counted(r.stats.effort.decisions)},
                     {"propagations", counted(r.stats.effort.propagations)},
                     {"queries", r.stats.queries},
                     {"settled", r.stats.settled},
                     {"rounds", r.stats.rounds}};
  const check::Phases& p = r.stats.phases;
  j["statistics"]["phases"] = {{"leave_out", p.leave_out}, {"program", p.program}, {"settle", p.settle},
                               {"model", p.model},         {"search", p.search},   {"replay", p.replay},
                               {"other", p.other}};
  return j;
}

static Json to_json(const prog::Test& test, const reference::RunResult& run) {
  const Execution& x = run.execution;
  Json j;
  j["complete"] = x.complete();
  j["threads"] = Json::array();
  for (uint32_t t = 0; t < test.threads.size(); ++t) {
    Json thread;
    thread["name"] = "P" + std::to_string(t);
    thread["scope"] = scope_text(test, t);
    if (t < run.threads.size()) thread["stop"] = reference::name(run.threads[t].stop);
    j["threads"].push_back(std::move(thread));
  }
  j["events"] = Json::array();
  for (uint32_t e = 0; e < x.events.size(); ++e) {
    const reference::Event& ev = x.events[e];
    Json v;
    v["name"] = event_name(test, x, e);
    v["text"] = event_body(test, x, e);
    if (ev.key.thread == reference::k_init) {
      v["thread"] = nullptr;
    } else {
      v["thread"] = ev.key.thread;
      v["instruction"] = instruction_text(test, x, e);
      if (std::string p = place_of(test, x, e); !p.empty()) v["place"] = p;
    }
    if (ev.is_memory) {
      v["location"] = location_of(test, x, e);
      v["value"] = number_text(test, ev);
      if (ev.spurious) v["spurious"] = true;
    }
    v["tags"] = Json::array();
    for (const vocab::TagInfo& t : vocab::tags())
      if (ev.tags.has(t.tag)) v["tags"].push_back(t.name);
    j["events"].push_back(std::move(v));
  }
  j["rf"] = pairs(test, x, x.rel(Base::rf));
  j["co"] = pairs(test, x, x.rel(Base::co));
  if (!x.rel(Base::fsc).empty()) j["fsc"] = pairs(test, x, x.rel(Base::fsc));
  if (!x.rel(Base::syncbar).empty()) j["syncbar"] = pairs(test, x, x.rel(Base::syncbar));
  if (x.complete()) j["final"] = state_text(test, x);
  return j;
}

static Json to_json(const prog::Test& test, const Execution& x, const std::vector<Cited>& lines) {
  Json out = Json::array();
  for (const Cited& c : lines) {
    Json one;
    one["section"] = c.section;
    one["events"] = Json::array();
    for (const uint32_t e : c.events) one["events"].push_back(event_name(test, x, e));
    if (!c.order.empty()) one["order"] = c.order;
    one["says"] = c.says;
    out.push_back(std::move(one));
  }
  return out;
}

static Json to_json(const prog::Test& test, const cat::Model& model, const Execution& x,
                    const reference::Explanation& e) {
  const cat::Axiom& a = model.axioms[e.axiom];
  Json j;
  j["axiom"] = a.name;
  j["kind"] = cat::name(a.kind);
  j["negated"] = a.negated;
  j["flag"] = a.flag;
  j["rule"] = axiom_rule(model, e.axiom);
  if (std::string p = place_of(a.span); !p.empty()) j["place"] = p;
  j["base_edges"] = e.base_edges;
  j["cycle"] = Json::array();
  for (uint32_t v : e.cycle) j["cycle"].push_back(event_name(test, x, v));
  Story story = tell(test, model, x, e);
  if (!story.brief.empty()) j["brief"] = chain_text(test, x, story.brief);
  j["edges"] = Json::array();
  for (const reference::Reason& r : e.edges) j["edges"].push_back(reason(test, model, x, r));
  if (const auto lines = cited(test, model, x, e); !lines.empty()) j["sections"] = to_json(test, x, lines);
  return j;
}

std::string check_json(const std::string& path, const prog::Test& test, const cat::Model& model,
                       const check::Options& options, const check::Result& result, const check::Beside& beside,
                       const std::vector<OtherReading>& readings) {
  Json j = json_header("check", path, test, model);
  const bool of_races = options.property == check::Property::races && result.verdict.status == Status::fails;
  const std::vector<Access> race = of_races ? racing(test, model, result) : std::vector<Access>();
  if (const Span at = place_of_answer(test, options.property, result, race); at.source) j["place"] = at.location();
  for (const Access& a : race)
    j["race"].push_back({{"event", a.name},
                         {"thread", a.thread},
                         {"text", a.text},
                         {"instruction", a.instruction},
                         {"place", a.span.source ? a.span.location() : ""}});
  j["property"] = check::name(options.property);
  j["engine"] = check::name(options.engine);
  const prog::LoopBounds& bounds = result.bound != 0 ? result.bound : options.bound;
  j["bound"] = bounds.largest();
  if (const std::string reached = bound_text(test, result); reached.ends_with(" reached"))
    j["bound_reached"] = !reached.ends_with(" not reached");
  if (const std::string loops = thin_air_text(test, model, result); !loops.empty()) j["assumptions"].push_back(loops);
  if (!bounds.loops.empty()) {
    j["bounds"] = Json::array();
    for (const auto& [loop, bound] : bounds.loops)
      j["bounds"].push_back(
          {{"thread", loop.first}, {"loop", test.code(loop.first).labels[loop.second].name}, {"bound", bound}});
  }
  j.update(to_json(result));
  if (options.property == check::Property::condition) {
    j["beside"] = {{"races", check::name(beside.races)},
                   {"flags", beside.flags},
                   {"undefined", beside.undefined},
                   {"blocks", check::name(beside.blocked)}};
    if (!beside.blocked_at.empty()) j["beside"]["blocked_at"] = beside.blocked_at;
  }
  using Said = check::Beside::Said;
  for (const auto& [what, said] :
       {std::pair("thin_air", beside.thin_air), std::pair("races_thin_air", beside.races_thin_air),
        std::pair("blocks_thin_air", beside.blocked_thin_air)})
    if (said == Said::yes || said == Said::unknown) j["beside"][what] = check::name(said);
  for (const OtherReading& r : readings)
    j["readings"].push_back({{"model", r.model},
                             {"verdict", fencepost::name(r.verdict.status)},
                             {"detail", r.verdict.detail},
                             {"vacuous", r.verdict.vacuous},
                             {"sentences", r.sentences}});
  if (options.property == check::Property::termination) {
    j["progress"] = options.progress.name;
    j["liveness"] = reference::name(options.fairness);
  }
  if (result.execution) j["execution"] = to_json(test, *result.execution);
  if (result.lasso) {
    j["lasso"] = Json::array();
    for (uint32_t t = 0; t < result.lasso->threads.size(); ++t) {
      Json one;
      one["thread"] = t;
      one["fate"] = reference::name(result.lasso->threads[t].fate);
      one["loop"] = Json::array();
      const auto& events = result.execution->execution.events;
      for (uint32_t e = 0; e < events.size(); ++e)
        if (events[e].key.thread == t && result.round[e] >= 0)
          one["loop"].push_back(
              {{"event", event_name(test, result.execution->execution, e)}, {"round", result.round[e]}});
      j["lasso"].push_back(std::move(one));
    }
  }
  return j.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string explain_json(const std::string& path, const prog::Test& test, const cat::Model& model,
                         const check::Result& result, const Candidates* candidates,
                         const std::vector<reference::Explanation>* flags) {
  Json j = json_header("explain", path, test, model);
  j.update(to_json(result));
  if (result.execution) j["execution"] = to_json(test, *result.execution);
  if (flags != nullptr && result.execution) {
    j["raised"] = Json::array();
    for (const reference::Explanation& e : *flags)
      j["raised"].push_back(to_json(test, model, result.execution->execution, e));
  }
  if (result.execution && flags == nullptr) {
    const Execution& x = result.execution->execution;
    const Withheld kept = withheld(test, model, x);
    if (!kept.orders.empty()) j["withheld"] = to_json(test, x, kept.orders);
    if (!kept.phases.empty()) j["phases"] = to_json(test, x, kept.phases);
  }
  if (candidates != nullptr) {
    Json c;
    c["seen"] = candidates->seen;
    c["complete"] = candidates->complete;
    c["by_axiom"] = Json::object();
    for (const auto& [axiom, count] : candidates->by_axiom) c["by_axiom"][axiom] = count;
    c["list"] = Json::array();
    for (const Candidate& k : candidates->list) {
      Json one;
      one["execution"] = to_json(test, k.run);
      one["rejected_by"] = Json::array();
      for (const reference::Explanation& e : k.why)
        one["rejected_by"].push_back(to_json(test, model, k.run.execution, e));
      c["list"].push_back(std::move(one));
    }
    j["candidates"] = std::move(c);
  }
  return j.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string outcomes_json(const std::string& path, const prog::Test& test, const cat::Model& model,
                          const check::Outcomes& o, double seconds, const check::ThinAirOfList& air) {
  Json j = json_header("outcomes", path, test, model);
  j["complete"] = o.status.status == Status::holds && o.states.complete;
  j["status"] = fencepost::name(o.status.status);
  j["detail"] = o.status.detail;
  if (const std::string loops = loops_text(test, model); o.states.complete && !loops.empty())
    j["assumptions"].push_back(loops);
  j["bound"] = o.bound.largest();
  j["bound_hit"] = o.bound_hit;
  j["loose"] = o.loose;
  j["observables"] = Json::array();
  for (const prog::Observable& v : o.observables) j["observables"].push_back({{"name", v.text}, {"width", v.width}});
  j["states"] = Json::array();
  for (const prog::State& s : o.states.states) {
    Json values = Json::array();
    for (size_t i = 0; i < s.size(); ++i) {
      if (s[i].free)
        values.push_back(nullptr);
      else
        values.push_back(prog::to_string(o.observables[i], s[i].value));
    }
    j["states"].push_back({{"text", prog::to_string(o.observables, s)}, {"values", std::move(values)}});
    if (air.states.contains(s)) j["states"].back()["thin_air"] = true;
  }
  j["thin_air"] = check::name(air.said);
  j["flags_thin_air"] = air.flags;
  j["positive"] = o.positive;
  j["negative"] = o.negative;
  j["validated"] = validated(test, o);
  j["flags"] = o.flags;
  j["findings"] = o.findings;
  j["seconds"] = seconds;
  return j.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace fencepost::report
