#include "campaign/wire.h"

#include <nlohmann/json.hpp>

namespace fencepost::campaign {
namespace {

using Json = nlohmann::json;

Json of(const prog::State& s) {
  Json out = Json::array();
  for (const prog::StateValue& v : s) out.push_back(v.value);
  return out;
}
prog::State state_of(const Json& j) {
  prog::State s;
  for (const Json& v : j) s.push_back({false, v.get<uint64_t>()});
  return s;
}

Json of(const std::map<prog::State, uint64_t>& states) {
  Json out = Json::array();
  for (const auto& [s, n] : states) out.push_back({of(s), n});
  return out;
}
std::map<prog::State, uint64_t> states_of(const Json& j) {
  std::map<prog::State, uint64_t> out;
  for (const Json& e : j) out[state_of(e[0])] = e[1].get<uint64_t>();
  return out;
}

Json of(const std::vector<device::Property>& list) {
  Json out = Json::array();
  for (const device::Property& p : list) out.push_back({p.name, p.value});
  return out;
}
std::vector<device::Property> properties_of(const Json& j) {
  std::vector<device::Property> out;
  for (const Json& p : j) out.push_back({p[0].get<std::string>(), p[1].get<std::string>()});
  return out;
}

Json of(const device::Info& i) {
  Json defects = Json::array();
  for (const device::Defect& d : i.defects) defects.push_back({d.name, d.what, d.refuses_loops});
  return {{"id", i.id},
          {"api", static_cast<int>(i.api)},
          {"name", i.name},
          {"driver", i.driver},
          {"units", i.units},
          {"subgroup", i.subgroup},
          {"max_lanes", i.max_lanes},
          {"max_groups", i.max_groups},
          {"shared_bytes", i.shared_bytes},
          {"max_cluster", i.max_cluster},
          {"memory_bytes", i.memory_bytes},
          {"line_bytes", i.line_bytes},
          {"together", i.runs_groups_together},
          {"device_scope", i.device_scope},
          {"properties", of(i.properties)},
          {"defects", defects}};
}
device::Info info_of(const Json& j) {
  device::Info i;
  i.id = j["id"];
  i.api = static_cast<device::Api>(j["api"].get<int>());
  i.name = j["name"];
  i.driver = j["driver"];
  i.units = j["units"];
  i.subgroup = j["subgroup"];
  i.max_lanes = j["max_lanes"];
  i.max_groups = j["max_groups"];
  i.shared_bytes = j["shared_bytes"];
  i.max_cluster = j["max_cluster"];
  i.memory_bytes = j["memory_bytes"];
  i.line_bytes = j["line_bytes"];
  i.runs_groups_together = j["together"];
  i.device_scope = j["device_scope"];
  i.properties = properties_of(j["properties"]);
  for (const Json& d : j["defects"])
    i.defects.push_back({d[0].get<std::string>(), d[1].get<std::string>(), d[2].get<bool>()});
  return i;
}

Json of(const Setup& s) {
  Json observables = Json::array(), sites = Json::array();
  for (const prog::Observable& o : s.observables)
    observables.push_back({o.is_register, o.thread, o.reg, o.symbol, o.cell, o.text, o.width});
  for (const inspect::WhatRanSite& w : s.what_ran.sites)
    sites.push_back({w.role, w.position, w.written, w.found, static_cast<int>(w.verdict)});
  return {{"device", of(s.device)},
          {"language", static_cast<int>(s.language)},
          {"placement", s.placement},
          {"tree", s.tree},
          {"merged", s.merged_subgroups},
          {"bits", s.word_bits},
          {"observables", observables},
          {"plan_hash", s.plan_hash},
          {"binary_kind", s.binary_kind},
          {"binary_hash", s.binary_hash},
          {"ran", static_cast<int>(s.what_ran.verdict)},
          {"reason", s.what_ran.reason},
          {"sites", sites},
          {"frame", s.what_ran.frame},
          {"frame_missing", s.what_ran.frame_missing},
          {"first_missing", s.what_ran.first_missing},
          {"evidence", static_cast<int>(s.evidence)}};
}
Setup setup_of(const Json& j) {
  Setup s;
  s.device = info_of(j["device"]);
  s.language = static_cast<device::Language>(j["language"].get<int>());
  s.placement = j["placement"];
  s.tree = j["tree"];
  s.merged_subgroups = j["merged"];
  s.word_bits = j["bits"];
  for (const Json& o : j["observables"])
    s.observables.push_back({o[0].get<bool>(), o[1].get<uint32_t>(), o[2].get<uint32_t>(), o[3].get<uint32_t>(),
                             o[4].get<uint64_t>(), o[5].get<std::string>(), o[6].get<uint8_t>()});
  s.plan_hash = j["plan_hash"];
  s.binary_kind = j["binary_kind"];
  s.binary_hash = j["binary_hash"];
  s.what_ran.verdict = static_cast<inspect::WhatRan>(j["ran"].get<int>());
  s.what_ran.reason = j["reason"];
  for (const Json& w : j["sites"])
    s.what_ran.sites.push_back({w[0].get<uint32_t>(), w[1].get<uint32_t>(), w[2].get<std::string>(),
                                w[3].get<std::string>(), static_cast<inspect::WhatRan>(w[4].get<int>())});
  s.what_ran.frame = j["frame"];
  s.what_ran.frame_missing = j["frame_missing"];
  s.what_ran.first_missing = j["first_missing"];
  s.evidence = static_cast<Evidence>(j["evidence"].get<int>());
  return s;
}

Json of(const RoundGroup& g) {
  Json series = Json::array();
  for (const Event& e : g.series) series.push_back({of(e.state), e.launch, e.round, e.instance});
  return {{"number", g.number},         {"seed", g.seed},
          {"parameters", g.parameters}, {"groups", g.groups},
          {"lanes", g.lanes},           {"rounds", g.rounds},
          {"launches", g.launches},     {"instances", g.instances},
          {"states", of(g.states)},     {"corrupt", g.corrupt},
          {"incomplete", g.incomplete}, {"filtered", g.filtered},
          {"waits", g.waits},           {"time_outs", g.time_outs},
          {"seconds", g.seconds},       {"device_seconds", g.device_seconds},
          {"series", series},           {"series_lost", g.series_lost}};
}
RoundGroup group_of(const Json& j) {
  RoundGroup g;
  g.number = j["number"];
  g.seed = j["seed"];
  g.parameters = j["parameters"];
  g.groups = j["groups"];
  g.lanes = j["lanes"];
  g.rounds = j["rounds"];
  g.launches = j["launches"];
  g.instances = j["instances"];
  g.states = states_of(j["states"]);
  g.corrupt = j["corrupt"];
  g.incomplete = j["incomplete"];
  g.filtered = j["filtered"];
  g.waits = j["waits"];
  g.time_outs = j["time_outs"];
  g.seconds = j["seconds"];
  g.device_seconds = j["device_seconds"];
  for (const Json& e : j["series"])
    g.series.push_back({state_of(e[0]), e[1].get<uint32_t>(), e[2].get<uint32_t>(), e[3].get<uint32_t>()});
  g.series_lost = j["series_lost"];
  return g;
}

Json of(const Totals& t) {
  return {{"states", of(t.states)},
          {"groups", t.groups},
          {"launches", t.launches},
          {"instances", t.instances},
          {"corrupt", t.corrupt},
          {"incomplete", t.incomplete},
          {"filtered", t.filtered},
          {"waits", t.waits},
          {"time_outs", t.time_outs},
          {"seconds", t.seconds},
          {"device_seconds", t.device_seconds}};
}
Totals totals_of(const Json& j) {
  Totals t;
  t.states = states_of(j["states"]);
  t.groups = j["groups"];
  t.launches = j["launches"];
  t.instances = j["instances"];
  t.corrupt = j["corrupt"];
  t.incomplete = j["incomplete"];
  t.filtered = j["filtered"];
  t.waits = j["waits"];
  t.time_outs = j["time_outs"];
  t.seconds = j["seconds"];
  t.device_seconds = j["device_seconds"];
  return t;
}

// Spans point into a text that the parent has too, but whose lines do not travel: the rendered place goes into the
// message.
Json of(const Diagnostics& ds) {
  Json out = Json::array();
  for (const Diagnostic& d : ds.list)
    out.push_back({static_cast<int>(d.severity), static_cast<int>(d.fault), d.span.location(), d.message, d.hint});
  return out;
}
Diagnostics diagnostics_of(const Json& j) {
  Diagnostics ds;
  for (const Json& d : j) {
    const auto place = d[2].get<std::string>();
    ds.add({static_cast<Severity>(d[0].get<int>()),
            static_cast<Fault>(d[1].get<int>()),
            {},
            (place.empty() ? "" : place + ": ") + d[3].get<std::string>(),
            d[4].get<std::string>()});
  }
  return ds;
}

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

std::string text(const Json& j) { return j.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string to_json(const Message& m) {
  return text(std::visit(
      Overloaded{
          [](const Started& s) { return Json{{"kind", "started"}, {"task", s.task}, {"setup", of(s.setup)}}; },
          [](const Grouped& g) { return Json{{"kind", "group"}, {"task", g.task}, {"group", of(g.group)}}; },
          [](const Finished& f) { return Json{{"kind", "finished"}, {"task", f.task}, {"totals", of(f.totals)}}; },
          [](const Refused& r) { return Json{{"kind", "refused"}, {"task", r.task}, {"why", of(r.why)}}; },
          [](const Lost& l) { return Json{{"kind", "lost"}, {"task", l.task}, {"why", l.why}}; },
      },
      m));
}

Message message_of(const std::string& json) {
  const Json j = Json::parse(json);
  const auto kind = j["kind"].get<std::string>();
  const auto task = j["task"].get<size_t>();
  if (kind == "started") return Started{task, setup_of(j["setup"])};
  if (kind == "group") return Grouped{task, group_of(j["group"])};
  if (kind == "finished") return Finished{task, totals_of(j["totals"])};
  if (kind == "refused") return Refused{task, diagnostics_of(j["why"])};
  return Lost{task, j["why"].get<std::string>()};
}

std::string to_json(const device::Found& f) {
  Json devices = Json::array();
  for (const device::Info& i : f.devices) devices.push_back(of(i));
  return text({{"devices", devices}, {"absent", of(f.absent)}});
}

device::Found found_of(const std::string& json) {
  const Json j = Json::parse(json);
  device::Found f;
  for (const Json& i : j["devices"]) f.devices.push_back(info_of(i));
  f.absent = properties_of(j["absent"]);
  return f;
}

}  // namespace fencepost::campaign
