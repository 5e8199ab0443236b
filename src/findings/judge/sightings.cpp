#include "judge/sightings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/csv.h"
#include "base/markdown.h"
#include "campaign/identity.h"

namespace fencepost::judge {
namespace {

// What one model says of one test: the condition, and the states that were seen, asked once.
class Asked {
 public:
  Asked(const prog::Test& test, const cat::Model& model, const Judge& how, const Job& job)
      : job_(Job::with_budget(how.seconds_per_test)), observables_(prog::observables(test)) {
    job_.cancelled = job.cancelled;
    job_.deadline = std::min(job_.deadline, job.deadline);
    oracle_.emplace(test, model, how.check, job_);
    condition_ = oracle_->condition();
    if (condition_ == Allowed::unknown) detail_ = oracle_->outcomes().status.detail;
  }
  Allowed condition() const { return condition_; }
  const std::string& detail() const { return detail_; }
  const std::vector<std::string>& flags() const { return oracle_->flags(); }
  const std::vector<prog::Observable>& observables() const { return observables_; }
  Allowed allowed(const prog::State& s) { return oracle_->allowed(s); }

 private:
  Job job_;
  std::vector<prog::Observable> observables_;
  std::optional<Oracle> oracle_;
  Allowed condition_ = Allowed::unknown;
  std::string detail_;
};

Expected<Sighted> judged(const Sighting& s, const std::string& model, Asked& asked) {
  Sighted out{s, model, asked.condition(), asked.detail(), Standing::undecided, ""};
  Seen seen{s.device,
            model,
            s.what_ran.empty() ? "as published" : s.what_ran,
            s.evidence,
            std::max(s.instances, s.weak),
            0,
            asked.flags(),
            {}};
  uint64_t asked_about = 0;
  if (s.states.empty()) {
    seen.states.push_back({"the outcome asked about", s.weak, asked.condition()});
    if (seen.instances == 0) seen.instances = 1;  // it ran, nobody says how often
  }
  for (const auto& [text, count] : s.states) {
    const auto state = campaign::state_from(asked.observables(), text);
    if (!state)
      return error_at({}, fmt::format("'{}' has no final state '{}'", s.name, text),
                      "the log is of another test of that name");
    seen.states.push_back({text, count, asked.allowed(*state)});
    if (campaign::asked_about(*s.test, asked.observables(), *state)) asked_about += count;
  }
  if (!s.states.empty() && asked_about != s.weak)
    return error_at({},
                    fmt::format("'{}': what the test asks about was seen {} times by the states of {}, and {} times by "
                                "its count of witnesses",
                                s.name, asked_about, s.device, s.weak),
                    "the log is of another test of that name, or it was changed");
  Ruling ruling = rule(seen);
  out.standing = ruling.standing;
  out.reason = std::move(ruling.reason);
  if (out.standing == Standing::undecided && !out.detail.empty()) out.reason += ": " + out.detail;
  return out;
}

struct Count {  // rows of one model and device
  uint32_t rows = 0, allowed_seen = 0, allowed_unseen = 0, forbidden_seen = 0, forbidden_unseen = 0, undecided = 0;
};

std::map<std::string, Count> counts_of(const SightedBy& by, std::vector<std::string>& order) {
  std::map<std::string, Count> out;
  for (const Sighted& s : by.list) {
    if (!out.contains(s.seen.device)) order.push_back(s.seen.device);
    Count& c = out[s.seen.device];
    ++c.rows;
    const bool seen = s.seen.weak > 0;
    if (s.condition == Allowed::unknown)
      ++c.undecided;
    else if (s.condition == Allowed::yes)
      ++(seen ? c.allowed_seen : c.allowed_unseen);
    else
      ++(seen ? c.forbidden_seen : c.forbidden_unseen);
  }
  return out;
}

}  // namespace

uint32_t SightedBy::count(Standing s) const {
  return static_cast<uint32_t>(
      std::count_if(list.begin(), list.end(), [&](const Sighted& x) { return x.standing == s; }));
}

Expected<std::vector<SightedBy>> judge_sightings(const std::vector<Sighting>& seen,
                                                 const std::vector<NamedModel>& models, const Judge& how, Job& job) {
  std::vector<SightedBy> out;
  for (const NamedModel& m : models) {
    SightedBy by{m.name, {}};
    std::map<const prog::Test*, std::unique_ptr<Asked>> asked;
    for (const Sighting& s : seen) {
      auto& a = asked[s.test];
      if (!a) a = std::make_unique<Asked>(*s.test, *m.model, how, job);
      auto one = judged(s, m.name, *a);
      if (!one) return std::unexpected(one.error());
      by.list.push_back(std::move(*one));
    }
    out.push_back(std::move(by));
  }
  return out;
}

int exit_code(const std::vector<SightedBy>& all) {
  int worst = 0;
  for (const SightedBy& by : all)
    for (const Sighted& s : by.list) {
      const int code = exit_code(s.standing);
      if (code == 1 || worst == 0) worst = code;
    }
  return worst;
}

std::string to_text(const std::vector<SightedBy>& all) {
  size_t model = 5, device = 6;
  for (const SightedBy& by : all) {
    model = std::max(model, by.model.size());
    for (const Sighted& s : by.list) device = std::max(device, s.seen.device.size());
  }
  std::string out =
      fmt::format("{:<{}}  {:<{}}  tests  allowed: seen  not seen  forbidden: seen  not seen  undecided\n", "model",
                  model, "device", device);
  for (const SightedBy& by : all) {
    std::vector<std::string> order;
    const auto counts = counts_of(by, order);
    for (const std::string& d : order) {
      const Count& c = counts.at(d);
      out += fmt::format("{:<{}}  {:<{}}  {:>5}  {:>13}  {:>8}  {:>15}  {:>8}  {:>9}\n", by.model, model, d, device,
                         c.rows, c.allowed_seen, c.allowed_unseen, c.forbidden_seen, c.forbidden_unseen, c.undecided);
    }
  }
  bool first = true;
  for (const SightedBy& by : all)
    for (const Sighted& s : by.list) {
      if (s.standing == Standing::consistent) continue;
      if (std::exchange(first, false)) out += "\n";
      out +=
          fmt::format("{} {} on {} under {}: {}\n", name(s.standing), s.seen.name, s.seen.device, by.model, s.reason);
    }
  return out;
}

std::string to_markdown(const std::vector<SightedBy>& all) {
  std::vector<std::string> devices, tests;
  std::map<std::pair<std::string, std::string>, std::string> seen;
  for (const Sighted& s : all.front().list) {
    if (std::find(devices.begin(), devices.end(), s.seen.device) == devices.end()) devices.push_back(s.seen.device);
    if (std::find(tests.begin(), tests.end(), s.seen.name) == tests.end()) tests.push_back(s.seen.name);
    seen[{s.seen.name, s.seen.device}] = std::to_string(s.seen.weak);
  }
  std::string head = "| test |", rule = "|---|";
  for (const std::string& d : devices) head += " " + markdown_text(d) + " |", rule += "---:|";
  for (const SightedBy& by : all) head += " " + markdown_text(by.model) + " |", rule += "---|";
  std::string out = head + "\n" + rule + "\n";
  for (const std::string& t : tests) {
    out += "| " + markdown_text(t) + " |";
    bool any = false;
    for (const std::string& d : devices) {
      const auto it = seen.find({t, d});
      out += it == seen.end() ? " |" : " " + it->second + " |";
      any = any || (it != seen.end() && it->second != "0");
    }
    for (const SightedBy& by : all) {
      const auto row = std::find_if(by.list.begin(), by.list.end(), [&](const Sighted& s) { return s.seen.name == t; });
      const std::string word = name(row->condition);
      out += row->condition == Allowed::no && any ? " **" + word + "** |" : " " + word + " |";
    }
    out += "\n";
  }
  return out;
}

std::string to_csv(const std::vector<SightedBy>& all) {
  std::string out = csv_line({"test", "device", "seen", "instances", "model", "outcome", "standing"});
  for (const SightedBy& by : all)
    for (const Sighted& s : by.list)
      out += csv_line({s.seen.name, s.seen.device, std::to_string(s.seen.weak),
                       s.seen.instances == 0 ? "" : std::to_string(s.seen.instances), by.model, name(s.condition),
                       name(s.standing)});
  return out;
}

std::string to_json(const std::vector<SightedBy>& all) {
  nlohmann::ordered_json models = nlohmann::ordered_json::array();
  for (const SightedBy& by : all) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const Sighted& s : by.list)
      rows.push_back(
          {{"test", s.seen.name},
           {"device", s.seen.device},
           {"seen", s.seen.weak},
           {"instances", s.seen.instances == 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(s.seen.instances)},
           {"outcome", name(s.condition)},
           {"standing", name(s.standing)},
           {"reason", s.reason}});
    models.push_back({{"model", by.model}, {"results", rows}});
  }
  const nlohmann::ordered_json out = {{"schema", "fencepost-sightings/1"}, {"models", models}};
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace fencepost::judge
