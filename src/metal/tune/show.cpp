#include "tune/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "campaign/rate.h"
#include "stats/sample.h"

namespace fencepost::tune {
namespace {

using Json = nlohmann::ordered_json;

constexpr double k_near = 0.05;  // loss of a search that counts as having found the best

std::string rate(double r, Objective o) {
  return o == Objective::per_second ? campaign::rate_text(r) : fmt::format("{:.3g}", r);
}

std::string with_interval(const Confirmed& c, Objective o) {
  if (c.estimate.events == 0) return fmt::format("never seen, below {}", rate(c.interval.upper, o));
  return fmt::format("{} [{}, {}]", rate(c.estimate.rate, o), rate(c.interval.lower, o), rate(c.interval.upper, o));
}

uint64_t rounds_of(const Found& f) {
  uint64_t n = 0;
  for (const Candidate& c : f.candidates) n += c.rounds.size();
  return n;
}

std::string text_of(const Task& task, const Tuned& t) {
  const Found& f = t.found;
  const Objective o = task.rule.objective;
  std::string out =
      fmt::format("{} on {}: {} configurations, {} rounds in {:.2f} s ({}{}), what ran: {}\n", t.test.title,
                  task.device_name, f.candidates.size(), rounds_of(f), f.seconds, name(task.rule.strategy),
                  task.rule.published ? " as published" : "", t.what_ran.empty() ? "nothing" : t.what_ran);
  if (!f.winner || f.candidates[*f.winner].now.events == 0) {
    uint64_t instances = 0;
    for (const Candidate& c : f.candidates) instances += c.now.instances;
    return out +
           fmt::format(
               "  no configuration showed the weak outcome: never in {:.3g} instances, rate below {:.2g} (95 %)\n",
               static_cast<double>(instances), stats::zero_event_bound(instances));
  }
  for (const Confirmed& c : t.confirmed) {
    const std::string who =
        c.what == "none" ? "no stress" : fmt::format("{} (configuration {})", c.what, c.configuration);
    out += fmt::format("  {:<28} {}{}\n", who, with_interval(c, o),
                       c.estimate.events > 0
                           ? fmt::format(", {:.2g} % of instances",
                                         100.0 * static_cast<double>(c.estimate.events) /
                                             static_cast<double>(std::max<uint64_t>(c.estimate.instances, 1)))
                           : "");
  }
  if (!t.confirmed.empty())
    out += fmt::format(
        "  on fresh seeds, the winner is {}better than the median and {}better than no stress (95 % intervals apart)\n",
        t.better_than_median ? "" : "not shown to be ", t.better_than_none ? "" : "not shown to be ");
  uint32_t restarts = 0, aside = 0;
  for (const Candidate& c : f.candidates) {
    restarts += c.restarts;
    aside += c.end == Candidate::End::unstable;
  }
  if (restarts > 0)
    out += fmt::format("  {} measurements were not stationary and were begun again; {} configurations were set aside\n",
                       restarts, aside);
  return out + fmt::format("  --parameters {}\n", t.parameters[*f.winner]);
}

std::string text_of(const Ablated& a) {
  std::string out = fmt::format("{}: weak outcomes per 100,000 instances [95 %], what ran: {}\n  {:<10}", a.test.title,
                                a.what_ran, "");
  for (const char* extra : {"none", "random", "sync", "both"}) out += fmt::format("{:<26}", extra);
  for (size_t k = 0; k < a.cells.size(); ++k) {
    const Cell& c = a.cells[k];
    if (k % 4 == 0) out += fmt::format("\n  {:<10}", c.critical);
    out += fmt::format("{:<26}", c.per_instance.events == 0
                                     ? fmt::format("0 < {:.2g}", c.interval.upper)
                                     : fmt::format("{:.4g} [{:.3g}, {:.3g}]", c.per_instance.rate * 1e5,
                                                   c.interval.lower, c.interval.upper));
  }
  return out + "\n";
}

std::string text_of(const Task& task, const Explored& e) {
  return fmt::format(
      "{} on {}: {} of {} configurations showed the weak outcome; {} rounds, {:.3g} instances, {:.3g} weak in {:.2f} s "
      "({:.2f} s in the "
      "test's launches); not stationary: {} of {} tested; what ran: {}\n",
      e.test.title, task.device_name, e.with_events, e.configurations, e.rounds, static_cast<double>(e.instances),
      static_cast<double>(e.events), e.seconds, e.device_seconds, e.unstable, e.tested, e.what_ran);
}

Json json_of(const stats::Interval& i) { return Json::array({i.lower, i.upper}); }

Json json_of(const Estimate& e) {
  return {{"events", e.events}, {"instances", e.instances},   {"seconds", e.seconds},
          {"rate", e.rate},     {"dispersion", e.dispersion}, {"interval", json_of(e.interval)}};
}

Json json_of(const Tuned& t) {
  Json out = {{"test", t.test.title},
              {"what_ran", t.what_ran},
              {"evidence", t.evidence},
              {"seconds", t.found.seconds},
              {"sets", t.found.sets}};
  out["winner"] = nullptr;
  if (t.found.winner) {
    const Candidate& c = t.found.candidates[*t.found.winner];
    out["winner"] = {
        {"configuration", c.configuration}, {"parameters", t.parameters[*t.found.winner]}, {"search", json_of(c.now)}};
  }
  Json confirmed = Json::array(), candidates = Json::array(), curve = Json::array();
  for (const Confirmed& c : t.confirmed)
    confirmed.push_back({{"what", c.what},
                         {"configuration", c.configuration},
                         {"parameters", c.parameters},
                         {"estimate", json_of(c.estimate)},
                         {"interval", json_of(c.interval)},
                         {"stability", c.stability}});
  out["confirmed"] = confirmed;
  out["better_than_median"] = t.better_than_median;
  out["better_than_no_stress"] = t.better_than_none;
  for (size_t k = 0; k < t.found.candidates.size(); ++k) {
    const Candidate& c = t.found.candidates[k];
    candidates.push_back({{"configuration", c.configuration},
                          {"end", name(c.end)},
                          {"rounds", c.rounds.size()},
                          {"restarts", c.restarts},
                          {"rate", c.now.rate},
                          {"interval", json_of(c.now.interval)},
                          {"parameters", t.parameters[k]}});
    if (c.parent) candidates.back()["neighbour_of"] = *c.parent;
  }
  for (const Point& p : t.found.curve) curve.push_back({p.seconds, p.configuration, p.rate});
  out["candidates"] = candidates;
  out["curve"] = curve;
  return out;
}

std::string summary(const std::vector<Replayed>& all) {
  std::map<std::string, std::pair<size_t, size_t>> near;
  std::map<std::string, std::vector<double>> speed;
  std::vector<std::string> order;
  for (const Replayed& r : all) {
    if (r.best_rate <= 0) continue;
    if (!near.contains(r.method)) order.push_back(r.method);
    near[r.method].first += static_cast<size_t>(r.within(k_near) * static_cast<double>(r.repeats.size()) + 0.5);
    near[r.method].second += r.repeats.size();
    if (r.speed_up() > 0) speed[r.method].push_back(r.speed_up());
  }
  std::string out;
  for (const std::string& m : order)
    out += fmt::format(
        "{}: within {:g} % of the best in {} of {} repeats ({:.1f} %), {:.2f} times as fast (geometric mean)\n", m,
        100 * k_near, near[m].first, near[m].second,
        100.0 * static_cast<double>(near[m].first) / static_cast<double>(std::max<size_t>(near[m].second, 1)),
        stats::geometric_mean(speed[m]));
  return out;
}

}  // namespace

std::string to_text(const Task& task, const Report& r) {
  std::string out;
  for (const Tuned& t : r.tuned) out += text_of(task, t);
  for (const Explored& e : r.explored) out += text_of(task, e);
  for (const Ablated& a : r.ablated) out += text_of(a);
  out += fmt::format("{} stretches of rounds added, {} were there, {:.1f} s{}\n", r.trials_added, r.trials_before,
                     r.seconds, r.stopped ? "; stopped, the same command goes on" : "");
  return out;
}

std::string to_json(const Task& task, const Report& r) {
  Json out = {{"schema", "fencepost.tune/1"},
              {"campaign", task.campaign},
              {"device", task.device_name},
              {"objective", name(task.rule.objective)},
              {"strategy", name(task.rule.strategy)},
              {"seconds", r.seconds},
              {"added", r.trials_added},
              {"before", r.trials_before},
              {"stopped", r.stopped}};
  Json tuned = Json::array(), explored = Json::array(), ablated = Json::array(), problems = Json::array();
  for (const Tuned& t : r.tuned) tuned.push_back(json_of(t));
  for (const Explored& e : r.explored)
    explored.push_back({{"test", e.test.title},
                        {"what_ran", e.what_ran},
                        {"configurations", e.configurations},
                        {"with_events", e.with_events},
                        {"rounds", e.rounds},
                        {"instances", e.instances},
                        {"events", e.events},
                        {"seconds", e.seconds},
                        {"device_seconds", e.device_seconds},
                        {"tested", e.tested},
                        {"not_stationary", e.unstable}});
  for (const Ablated& a : r.ablated) {
    Json cells = Json::array();
    for (const Cell& c : a.cells)
      cells.push_back({{"critical", c.critical},
                       {"extra", c.extra},
                       {"per_second", json_of(c.per_second)},
                       {"per_instance", json_of(c.per_instance)},
                       {"per_100000", json_of(c.interval)}});
    ablated.push_back({{"test", a.test.title}, {"what_ran", a.what_ran}, {"cells", cells}});
  }
  for (const Problem& p : r.problems) problems.push_back({{"test", p.test}, {"lost", p.lost}, {"why", render(p.why)}});
  out["tuned"] = tuned;
  out["explored"] = explored;
  out["ablated"] = ablated;
  out["problems"] = problems;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_plan(const Task& task, const Report& r) {
  std::string out = fmt::format(
      "# Found by `fencepost tune` on {}, seed {}: most weak outcomes {}. For a campaign's plan (docs/campaigns.md).\n",
      task.device_name, task.seed, task.rule.objective == Objective::per_second ? "per second" : "per instance");
  // A test has the first configuration that fits, and "SB+*" fits what begins with "SB+": longer names come first.
  std::vector<const Tuned*> order;
  for (const Tuned& t : r.tuned) order.push_back(&t);
  std::ranges::stable_sort(order, std::ranges::greater{}, [](const Tuned* t) { return t->test.title.size(); });
  for (const Tuned* one : order) {
    const Tuned& t = *one;
    if (!t.found.winner || t.found.candidates[*t.found.winner].now.events == 0) {
      out += fmt::format("\n# {}: no configuration showed the weak outcome\n", t.test.title);
      continue;
    }
    const std::string& n = t.test.title;
    out += "\n";
    for (const Confirmed& c : t.confirmed)
      out += fmt::format("# {}: {}\n", c.what == "none" ? "no stress" : c.what, with_interval(c, task.rule.objective));
    out += fmt::format(
        "[[configuration]]\nname = \"tuned\"\ntests = [\"{0}\", \"{0}+*\", \"{0}@*\", \"{0}-*\"]\nmode = "
        "\"{1}\"\nregion = \"{2}\"\n"
        "give_way = true\nparameters = \"{3}\"\n",
        n, plan::name(task.shape.mode), plan::name(task.shape.region), t.parameters[*t.found.winner]);
  }
  return out;
}

std::string to_text(const std::vector<Replayed>& all, uint32_t repeats) {
  std::string out = fmt::format(
      "{} repeats of each method; loss: how far what was found is below the best\n{:<14} {:<28} {:<17} {:>9} {:>9} "
      "{:>11} {:>10} {:>11}\n",
      repeats, "test", "device", "method", "seconds", "speed-up", "median loss", "worst loss", "within 5 %");
  for (const Replayed& r : all) {
    if (r.best_rate <= 0) {
      if (r.method == "exhaustive")
        out += fmt::format("{:<14} {:<28} no configuration showed the weak outcome\n", r.test, r.device);
      continue;
    }
    out += fmt::format("{:<14} {:<28} {:<17} {:>9.3f} {:>9.2f} {:>9.2f} % {:>8.2f} % {:>9.1f} %\n", r.test, r.device,
                       r.method, r.speed_up() > 0 ? r.exhaustive_seconds / r.speed_up() : 0, r.speed_up(),
                       100 * r.median_loss(), 100 * r.worst_loss(), 100 * r.within(k_near));
  }
  return out + summary(all);
}

std::string to_json(const std::vector<Replayed>& all, uint32_t repeats) {
  Json list = Json::array();
  for (const Replayed& r : all) {
    Json each = Json::array();
    for (const Repeat& x : r.repeats)
      each.push_back({{"seed", x.seed}, {"seconds", x.seconds}, {"loss", x.loss}, {"configuration", x.configuration}});
    list.push_back({{"campaign", r.campaign},
                    {"test", r.test},
                    {"device", r.device},
                    {"method", r.method},
                    {"exhaustive_seconds", r.exhaustive_seconds},
                    {"best_rate", r.best_rate},
                    {"speed_up", r.speed_up()},
                    {"median_loss", r.median_loss()},
                    {"worst_loss", r.worst_loss()},
                    {"within_5_percent", r.within(k_near)},
                    {"repeats", each}});
  }
  const Json out = {{"schema", "fencepost.tune-replay/1"}, {"repeats", repeats}, {"replayed", list}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace fencepost::tune
