#include "tune/wire.h"

#include <nlohmann/json.hpp>

namespace fencepost::tune {
namespace {

using Json = nlohmann::json;

Json of(const store::Trial& t) {
  Json rounds = Json::array(), states = Json::array();
  for (const store::Round& r : t.rounds) rounds.push_back({r.instances, r.events, r.nanoseconds, r.device_nanoseconds});
  for (const auto& [s, n] : t.states) states.push_back({s, n});
  return {{"campaign", t.campaign},
          {"purpose", t.purpose},
          {"test", t.test},
          {"hash", t.test_hash},
          {"device", t.device},
          {"configuration", t.configuration},
          {"part", t.part},
          {"driver", t.driver},
          {"binary", t.binary_hash},
          {"plan", t.plan_hash},
          {"ran", t.what_ran},
          {"evidence", t.evidence},
          {"parameters", t.parameters},
          {"mode", t.mode},
          {"seed", t.seed},
          {"lost", t.lost},
          {"rounds", rounds},
          {"states", states},
          {"corrupt", t.corrupt},
          {"incomplete", t.incomplete},
          {"filtered", t.filtered},
          {"waits", t.waits},
          {"time_outs", t.time_outs},
          {"seconds", t.seconds},
          {"finished", t.finished_ms}};
}

store::Trial trial_of(const Json& j) {
  store::Trial t;
  j.at("campaign").get_to(t.campaign);
  j.at("purpose").get_to(t.purpose);
  j.at("test").get_to(t.test);
  j.at("hash").get_to(t.test_hash);
  j.at("device").get_to(t.device);
  j.at("configuration").get_to(t.configuration);
  j.at("part").get_to(t.part);
  j.at("driver").get_to(t.driver);
  j.at("binary").get_to(t.binary_hash);
  j.at("plan").get_to(t.plan_hash);
  j.at("ran").get_to(t.what_ran);
  j.at("evidence").get_to(t.evidence);
  j.at("parameters").get_to(t.parameters);
  j.at("mode").get_to(t.mode);
  j.at("seed").get_to(t.seed);
  j.at("lost").get_to(t.lost);
  for (const Json& r : j.at("rounds"))
    t.rounds.push_back({r[0].get<uint64_t>(), r[1].get<uint64_t>(), r[2].get<uint64_t>(), r[3].get<uint64_t>()});
  for (const Json& s : j.at("states")) t.states[s[0].get<std::string>()] = s[1].get<uint64_t>();
  j.at("corrupt").get_to(t.corrupt);
  j.at("incomplete").get_to(t.incomplete);
  j.at("filtered").get_to(t.filtered);
  j.at("waits").get_to(t.waits);
  j.at("time_outs").get_to(t.time_outs);
  j.at("seconds").get_to(t.seconds);
  j.at("finished").get_to(t.finished_ms);
  return t;
}

Json of(const Diagnostics& ds) {
  Json out = Json::array();
  for (const Diagnostic& d : ds.list) out.push_back({static_cast<int>(d.fault), d.message, d.hint});
  return out;
}

Diagnostics diagnostics_of(const Json& j) {
  Diagnostics ds;
  for (const Json& d : j) {
    Diagnostic one;
    one.fault = static_cast<Fault>(d[0].get<int>());
    one.message = d[1].get<std::string>();
    one.hint = d[2].get<std::string>();
    ds.list.push_back(std::move(one));
  }
  return ds;
}

}  // namespace

std::string to_text(const Message& m) {
  Json j;
  if (const auto* b = std::get_if<Begun>(&m)) j = {{"kind", 0}, {"test", b->test}, {"trial", of(b->key)}};
  if (const auto* d = std::get_if<Measured>(&m)) j = {{"kind", 1}, {"test", d->test}, {"trial", of(d->trial)}};
  if (const auto* t = std::get_if<Told>(&m))
    j = {{"kind", 2}, {"test", t->test}, {"now", t->now}, {"part", t->part}, {"best", t->best}};
  if (const auto* r = std::get_if<Refused>(&m)) j = {{"kind", 3}, {"test", r->test}, {"why", of(r->why)}};
  if (const auto* d = std::get_if<TestDone>(&m)) j = {{"kind", 4}, {"test", d->test}};
  return j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Message message_of(const std::string& text) {
  const Json j = Json::parse(text);
  const auto test = j.at("test").get<size_t>();
  switch (j.at("kind").get<int>()) {
    case 0:
      return Begun{test, trial_of(j.at("trial"))};
    case 1:
      return Measured{test, trial_of(j.at("trial"))};
    case 2:
      return Told{test, j.at("now").get<std::string>(), j.at("part").get<double>(), j.at("best").get<double>()};
    case 3:
      return Refused{test, diagnostics_of(j.at("why"))};
    default:
      return TestDone{test};
  }
}

}  // namespace fencepost::tune
