#include "tune/conduct.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <set>

#include "campaign/child.h"
#include "campaign/identity.h"
#include "device/backend.h"
#include "inspect/what_ran.h"
#include "stats/correlate.h"
#include "stats/sample.h"
#include "tune/wire.h"

namespace fencepost::tune {
namespace {

using plan::ParameterId;
using store::Trial;

constexpr size_t k_most_losses = 8;       // of one test, before it is given up
constexpr uint64_t k_most_redraws = 100;  // of a stretch
constexpr uint32_t k_confirm_turns = 10;  // winner, median and no stress take turns, so that a drift meets them alike
constexpr uint64_t k_round_words = 1u << 24;  // of a round's launch where nobody asks: short rounds, many draws
constexpr double k_silence = 120;             // seconds

std::string key_text(const Trial& t) {
  return fmt::format("{}\n{}\n{}\n{}\n{}", t.purpose, t.test_hash, t.device, t.configuration, t.part);
}

using Known = std::map<std::string, Trial>;

// What a part is to be measured under.
struct Wish {
  std::function<plan::Parameters(const Space&)> parameters;
  plan::Shape shape;
  uint32_t rounds = 0;
  uint64_t executions = 0;  // and at least so many
};

// Where trials come from: the store's memory, and in the child the device.
class Feed {
 public:
  explicit Feed(const Known& known) : known_(known) {}
  virtual ~Feed() = default;
  // None: it is not in the store, and there is no device here.
  Expected<const Trial*> get(const Trial& key, const Wish& wish) {
    if (const auto it = known_.find(key_text(key)); it != known_.end()) return &it->second;
    return measure(key, wish);
  }
  virtual void tell(const std::string&, double, double) {}

 protected:
  virtual Expected<const Trial*> measure(const Trial&, const Wish&) { return nullptr; }
  const Known& known_;
};

// ---- what is measured of a test --------------------------------------------------------------------------

Trial key_of(const Task& task, const prog::Test& test, const std::string& hash, std::string purpose) {
  Trial t;
  t.campaign = task.campaign;
  t.purpose = std::move(purpose);
  t.test = test.title;
  t.test_hash = hash;
  t.device = task.device_name;
  return t;
}

// Seeds are functions of what is measured, so that parts are samples of their own and a resumed task has the same.
uint64_t seed_of(const Task& task, const Trial& key) {
  uint64_t h = 0xcbf29ce484222325u ^ task.seed;
  for (const char c : key_text(key)) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return Rng(h).next();
}

// Rounds that a search may need; for the bar.
double expected_rounds(const Rule& r) {
  if (r.strategy != Strategy::halving) return static_cast<double>(r.configurations) * r.rounds;
  double sum = 0, alive = r.configurations;
  uint32_t have = 0, next = std::min(std::max(1u, r.first_rounds), r.rounds);
  while (true) {
    sum += alive * (next - have);
    if (next >= r.rounds) return sum;
    have = next;
    alive = std::max(1.0, std::ceil(alive / std::max(2u, r.keep)));
    next = alive <= 1 ? r.rounds : std::min(r.rounds, next * std::max(2u, r.keep));
  }
}

// The bench of a search: configurations by number.
class SearchBench : public Bench {
 public:
  SearchBench(const Task& task, Trial key, Feed& feed) : task_(task), key_(std::move(key)), feed_(feed) {}

  void derive(uint32_t configuration, uint32_t parent) override { parents_[configuration] = parent; }
  plan::Parameters drawn(const Space& space, uint32_t configuration) const {
    const auto parent = parents_.find(configuration);
    return parent == parents_.end() ? draw_configuration(space, task_.seed, configuration)
                                    : draw_neighbour(space, task_.seed, configuration, drawn(space, parent->second));
  }

  Expected<std::vector<Round>> measure(uint32_t configuration, uint32_t rounds) override {
    Trial key = key_;
    key.configuration = std::to_string(configuration);
    key.part = parts_[configuration]++;
    key.seed = seed_of(task_, key);
    Wish wish;
    wish.parameters = [&](const Space& space) { return drawn(space, configuration); };
    wish.shape = task_.shape;
    wish.rounds = rounds;
    const auto t = feed_.get(key, wish);
    if (!t) return std::unexpected(t.error());
    if (*t == nullptr) {
      stopped_ = true;
      return std::vector<Round>{};
    }
    seconds_ += (*t)->seconds;
    rounds_ += (*t)->rounds.size();
    what_ran_ = *t;
    parameters_[configuration] = (*t)->parameters;
    return (*t)->corrupt > 0 ? std::vector<Round>{} : (*t)->rounds;
  }
  double seconds() const override { return seconds_; }
  bool stopped() const override { return stopped_; }
  double rounds() const { return static_cast<double>(rounds_); }
  const std::string& parameters(uint32_t configuration) { return parameters_[configuration]; }
  const Trial* any() const { return what_ran_; }

 private:
  const Task& task_;
  Trial key_;
  Feed& feed_;
  std::map<uint32_t, uint32_t> parts_, parents_;
  std::map<uint32_t, std::string> parameters_;
  const Trial* what_ran_ = nullptr;
  double seconds_ = 0;
  uint64_t rounds_ = 0;
  bool stopped_ = false;
};

std::vector<double> rates_of(const std::vector<Round>& rounds, Objective o) {
  std::vector<double> out;
  for (const Round& r : rounds) {
    const auto x = static_cast<double>(o == Objective::per_second ? r.nanoseconds : r.instances);
    out.push_back(x > 0 ? static_cast<double>(r.events) / x : 0);
  }
  return out;
}

stats::Interval resampled(const std::vector<Round>& rounds, Objective o, uint64_t seed) {
  std::vector<stats::Batch> batches;
  for (const Round& r : rounds)
    batches.push_back(
        {static_cast<double>(r.events), static_cast<double>(r.instances), static_cast<double>(r.nanoseconds) * 1e-9});
  return stats::bootstrap_rate(batches, o == Objective::per_second, seed);
}

// Winner, median and no stress, in turns. False: not everything is there yet.
Expected<bool> confirm(const Task& task, Tuned& tuned, const Trial& base, const SearchBench& bench, Feed& feed) {
  const Found& f = tuned.found;
  if (!f.winner || !f.median || f.candidates[*f.winner].now.events == 0) return true;
  struct Side {
    std::string what, configuration;
    std::optional<uint32_t> number;
    std::vector<Round> rounds;
    std::string parameters;
  };
  std::vector<Side> sides = {
      {"winner", std::to_string(f.candidates[*f.winner].configuration), f.candidates[*f.winner].configuration, {}, {}},
      {"median", std::to_string(f.candidates[*f.median].configuration), f.candidates[*f.median].configuration, {}, {}},
      {"none", "none", std::nullopt, {}, {}}};
  const uint32_t turns = std::min(k_confirm_turns, task.confirm_rounds);
  for (uint32_t turn = 0; turn < turns; ++turn) {
    feed.tell("fresh seeds", static_cast<double>(turn) / turns, f.candidates[*f.winner].now.rate);
    for (Side& side : sides) {
      Trial key = base;
      key.purpose = "confirm";
      key.configuration = side.number ? fmt::format("{}-{}", side.what, side.configuration) : side.what;
      key.part = turn;
      key.seed = seed_of(task, key);
      Wish wish;
      wish.shape = task.shape;
      wish.rounds = (task.confirm_rounds + turns - 1) / turns;
      wish.parameters = [&](const Space& space) {
        return side.number ? bench.drawn(space, *side.number) : no_stress(space);
      };
      const auto t = feed.get(key, wish);
      if (!t) return std::unexpected(t.error());
      if (*t == nullptr) return false;
      side.rounds.insert(side.rounds.end(), (*t)->rounds.begin(), (*t)->rounds.end());
      side.parameters = (*t)->parameters;
    }
  }
  for (size_t k = 0; k < sides.size(); ++k) {
    Confirmed c;
    c.what = sides[k].what;
    c.configuration = sides[k].configuration;
    c.parameters = sides[k].parameters;
    c.estimate = estimate(sides[k].rounds, task.rule.objective);
    c.interval =
        c.estimate.events == 0 ? c.estimate.interval : resampled(sides[k].rounds, task.rule.objective, task.seed + k);
    c.stability = stats::stationarity(rates_of(sides[k].rounds, task.rule.objective)).ks.p_value;
    tuned.confirmed.push_back(std::move(c));
  }
  tuned.better_than_median = tuned.confirmed[0].interval.lower > tuned.confirmed[1].interval.upper;
  tuned.better_than_none = tuned.confirmed[0].interval.lower > tuned.confirmed[2].interval.upper;
  return true;
}

Expected<bool> search_test(const Task& task, const prog::Test& test, Feed& feed, Tuned& out) {
  out.test = test;
  out.test_hash = campaign::hash_of(test);
  const Trial base = key_of(task, test, out.test_hash, "search");
  SearchBench bench(task, base, feed);
  const double all = expected_rounds(task.rule);
  auto found = search(task.rule, bench, [&](const Found& f, const Candidate& c) {
    const double part = task.rule.budget > 0 ? f.seconds / task.rule.budget : bench.rounds() / all;
    feed.tell(fmt::format("configuration {}", c.configuration), part, f.curve.empty() ? -1 : f.curve.back().rate);
  });
  if (!found) return std::unexpected(found.error());
  out.found = std::move(*found);
  for (const Candidate& c : out.found.candidates) out.parameters.push_back(bench.parameters(c.configuration));
  if (bench.any() != nullptr) {
    out.what_ran = bench.any()->what_ran;
    out.evidence = bench.any()->evidence;
  }
  if (bench.stopped()) return false;
  return confirm(task, out, base, bench, feed);
}

Expected<bool> explore_test(const Task& task, const prog::Test& test, Feed& feed, Explored& out) {
  out.test = test;
  const Trial base = key_of(task, test, campaign::hash_of(test), "explore");
  std::vector<double> p_values;
  for (uint32_t c = 0; c < task.rule.configurations; ++c) {
    Trial key = base;
    key.configuration = std::to_string(c);
    key.seed = seed_of(task, key);
    Wish wish;
    wish.parameters = [&](const Space& space) { return draw_configuration(space, task.seed, c); };
    wish.shape = task.shape;
    wish.rounds = task.rule.rounds;
    wish.executions = task.executions;
    const auto t = feed.get(key, wish);
    if (!t) return std::unexpected(t.error());
    if (*t == nullptr) return false;
    feed.tell(fmt::format("configuration {}", c), static_cast<double>(c + 1) / task.rule.configurations, -1);
    out.what_ran = (*t)->what_ran;
    ++out.configurations;
    out.with_events += (*t)->events() > 0;
    out.rounds += static_cast<uint32_t>((*t)->rounds.size());
    out.instances += (*t)->instances();
    out.events += (*t)->events();
    out.seconds += (*t)->seconds;
    for (const Round& r : (*t)->rounds) out.device_seconds += static_cast<double>(r.device_nanoseconds) * 1e-9;
    const stats::Stationarity s = stats::stationarity(rates_of((*t)->rounds, Objective::per_instance));
    if (s.enough && (*t)->events() > 0) p_values.push_back(s.ks.p_value);
  }
  out.tested = static_cast<uint32_t>(p_values.size());
  for (const bool rejected : stats::benjamini_hochberg(p_values)) out.unstable += rejected;
  return true;
}

plan::Parameters cell_parameters(const Space& space, bool stressed, bool randomised, bool synchronised) {
  using enum ParameterId;
  plan::Parameters p;
  for (const ParameterId id : {rotate, pre_stress, touch, delay, churn}) p.fix(id, 0);
  p.fix(schedule, 1);
  p.fix(rounds, space.host ? 64 : 8);
  p.fix(stress, stressed ? 1 : 0);
  p.fix(shuffle, randomised ? 1 : 0);
  p.fix(align, synchronised ? 1 : 0);
  p.fix(align_every, 1);
  if (!randomised) {
    p.fix(groups, std::max(2u, space.target.units));
    p.fix(lanes, std::min(std::max(1u, space.target.subgroup) * 2,
                          std::min(space.target.max_lanes, space.target.usual_lanes)));
  }
  return p;
}

Expected<bool> ablate_test(const Task& task, const prog::Test& test, Feed& feed, Ablated& out) {
  out.test = test;
  const Trial base = key_of(task, test, campaign::hash_of(test), "ablate");
  for (const char* critical : {"none", "bank", "stress", "both"})
    for (const char* extra : {"none", "random", "sync", "both"}) {
      const auto on = [](const char* which, const char* name) {
        return std::string_view(which) == name || std::string_view(which) == "both";
      };
      Trial key = base;
      key.configuration = fmt::format("{}/{}", critical, extra);
      key.seed = seed_of(task, key);
      Wish wish;
      wish.shape = task.shape;
      wish.shape.mode = on(critical, "bank") ? plan::Mode::warp : plan::Mode::parallel;
      wish.rounds = task.cell_rounds;
      wish.parameters = [&](const Space& space) {
        return cell_parameters(space, on(critical, "stress"), on(extra, "random"), on(extra, "sync"));
      };
      const auto t = feed.get(key, wish);
      if (!t) return std::unexpected(t.error());
      if (*t == nullptr) return false;
      feed.tell(key.configuration, static_cast<double>(out.cells.size() + 1) / 16, -1);
      out.what_ran = (*t)->what_ran;
      Cell cell{critical,
                extra,
                estimate((*t)->rounds, Objective::per_second),
                estimate((*t)->rounds, Objective::per_instance),
                {}};
      cell.interval = cell.per_instance.events == 0 ? cell.per_instance.interval
                                                    : resampled((*t)->rounds, Objective::per_instance, task.seed);
      cell.interval.lower *= 1e5;
      cell.interval.upper *= 1e5;
      out.cells.push_back(std::move(cell));
    }
  return true;
}

// ---- the child -------------------------------------------------------------------------------------------

class DeviceFeed : public Feed {
 public:
  DeviceFeed(const Task& task, const Known& known, int to) : Feed(known), task_(task), to_(to) {}

  void begin(size_t test) {
    test_ = test;
    runners_.clear();
  }
  bool dead() const { return dead_; }

  void tell(const std::string& now, double part, double best) override {
    const auto t = Job::Clock::now();
    if (t - told_ < std::chrono::milliseconds(100)) return;
    told_ = t;
    campaign::send(to_, to_text(Told{test_, now, part, best}));
  }

 protected:
  Expected<const Trial*> measure(const Trial& key, const Wish& wish) override {
    const auto runner = runner_for(wish.shape);
    if (!runner) return std::unexpected(runner.error());
    campaign::Runner& r = **runner;
    Space space;
    space.target = r.target();
    space.host = campaign::is_reference(task_.device) || space.target.usual_lanes < 32 || !space.target.groups_together;
    space.given = task_.given;
    Trial t = key;
    r.set(wish.parameters(space), key.seed);
    t.parameters = plan::to_string(r.parameters());
    t.mode = plan::name(wish.shape.mode);
    const campaign::Setup& setup = r.setup();
    t.driver = setup.device.driver;
    t.binary_hash = setup.binary_hash;
    t.plan_hash = setup.plan_hash;
    t.what_ran = inspect::name(setup.what_ran.verdict);
    t.evidence = campaign::name(setup.evidence);
    campaign::send(to_, to_text(Begun{test_, t}));
    if (auto ok = run(r, wish, t); !ok) return std::unexpected(ok.error());
    campaign::send(to_, to_text(Measured{test_, t}));
    return &here_.insert_or_assign(key_text(t), std::move(t)).first->second;
  }

 private:
  Expected<void> run(campaign::Runner& r, const Wish& wish, Trial& t) {
    const prog::Test& test = task_.tests[test_];
    const auto start = Job::Clock::now();
    std::map<prog::State, uint64_t> states;
    uint64_t instances = 0, redraws = 0;
    for (uint64_t n = 0; t.rounds.size() < wish.rounds || instances < wish.executions; ++n) {
      const auto g = r.run_group(n);
      if (!g) {
        const std::string& why = g.error().list.front().message;
        if (why.starts_with(r.setup().device.id)) {
          dead_ = true;
          return std::unexpected(g.error());
        }
        // A draw that cannot be met (memory, mostly, for what the configuration leaves open); the next may be.
        if (++redraws <= k_most_redraws) continue;
        t.lost = why;
        t.rounds.clear();
        states.clear();
        break;
      }
      Round round{g->instances, 0, static_cast<uint64_t>(g->seconds * 1e9),
                  static_cast<uint64_t>(g->device_seconds * 1e9)};
      for (const auto& [s, count] : g->states) {
        states[s] += count;
        if (campaign::asked_about(test, r.setup().observables, s)) round.events += count;
      }
      t.rounds.push_back(round);
      instances += round.instances;
      t.corrupt += g->corrupt;
      t.incomplete += g->incomplete;
      t.filtered += g->filtered;
      t.waits += g->waits;
      t.time_outs += g->time_outs;
      if (t.corrupt > 0) {
        t.lost = "results were corrupt";
        break;
      }
    }
    for (const auto& [s, count] : states) t.states[prog::to_string(r.setup().observables, s)] += count;
    t.seconds = std::chrono::duration<double>(Job::Clock::now() - start).count();
    t.finished_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count();
    return {};
  }

  Expected<campaign::Runner*> runner_for(const plan::Shape& shape) {
    for (auto& [s, r] : runners_)
      if (s == shape) return r.get();
    if (!backend_) {
      auto made = campaign::open_device(task_.device, task_.seed);
      if (!made) return std::unexpected(made.error());
      backend_ = std::move(*made);
    }
    campaign::Options o;
    o.shape = shape;
    o.seed = task_.seed;
    o.group_seconds = 0;  // a round is one launch
    o.most_launches = 1;
    o.give_way = true;
    o.launch_limit = task_.launch_limit;
    o.memory_words = task_.memory_words != 0                    ? task_.memory_words
                     : task_.kind == Task::Kind::ablate         ? 0
                     : backend_->info().api == device::Api::cpu ? 0
                     : !backend_->info().runs_groups_together   ? 0
                                                                : k_round_words;
    auto made = campaign::Runner::make(task_.tests[test_], o, *backend_);
    if (!made) return std::unexpected(made.error());
    runners_.emplace_back(shape, std::make_unique<campaign::Runner>(std::move(*made)));
    return runners_.back().second.get();
  }

  const Task& task_;
  int to_;
  size_t test_ = 0;
  bool dead_ = false;
  std::unique_ptr<device::Backend> backend_;
  std::vector<std::pair<plan::Shape, std::unique_ptr<campaign::Runner>>> runners_;  // of the test at hand
  Known here_;
  Job::Clock::time_point told_{};
};

// Everything that a task wants of one test; where it goes is of no interest in the child.
Expected<bool> do_test(const Task& task, size_t k, Feed& feed, Report& report) {
  const prog::Test& test = task.tests[k];
  switch (task.kind) {
    case Task::Kind::search:
      return search_test(task, test, feed, report.tuned.emplace_back());
    case Task::Kind::explore:
      return explore_test(task, test, feed, report.explored.emplace_back());
    case Task::Kind::ablate:
      return ablate_test(task, test, feed, report.ablated.emplace_back());
  }
  return true;
}

[[noreturn]] void child(const Task& task, const Known& known, const std::set<size_t>& skip, int to) {
  DeviceFeed feed(task, known, to);
  for (size_t k = 0; k < task.tests.size(); ++k) {
    if (skip.contains(k)) continue;
    feed.begin(k);
    Report here;
    const auto ok = do_test(task, k, feed, here);
    if (feed.dead()) _exit(7);  // the parent sees the part that was begun
    if (!ok)
      campaign::send(to, to_text(Refused{k, ok.error()}));
    else
      campaign::send(to, to_text(TestDone{k}));
  }
  _exit(0);
}

// ---- the parent ------------------------------------------------------------------------------------------

class Conductor {
 public:
  Conductor(const Task& task, store::Store& store, Job& job, const std::function<void(const Progress&)>& tell)
      : task_(task), store_(store), job_(job), tell_(tell) {}

  Expected<Report> run() {
    if (auto ok = store_.remember_plan(task_.campaign, plan_text(task_)); !ok) return std::unexpected(ok.error());
    for (const prog::Test& t : task_.tests)
      if (auto ok = store_.remember_test(campaign::hash_of(t), campaign::text_of(t)); !ok)
        return std::unexpected(ok.error());
    auto trials = store_.trials({.campaign = task_.campaign, .device = task_.device_name});
    if (!trials) return std::unexpected(trials.error());
    for (Trial& t : *trials) known_.emplace(key_text(t), std::move(t));
    report_.trials_before = known_.size();
    progress_.all = task_.tests.size();
    const auto start = Job::Clock::now();
    while (ended_.size() < task_.tests.size() && !report_.stopped)
      if (auto ok = one_child(); !ok) return std::unexpected(ok.error());
    report_.seconds = std::chrono::duration<double>(Job::Clock::now() - start).count();
    // From the store's rows alone.
    Feed memory(known_);
    for (size_t k = 0; k < task_.tests.size(); ++k) {
      if (failed_.contains(k)) continue;
      if (auto ok = do_test(task_, k, memory, report_); !ok) return std::unexpected(ok.error());
    }
    return std::move(report_);
  }

 private:
  Expected<void> one_child() {
    const campaign::Child c = campaign::start_child([&](int to) { child(task_, known_, ended_, to); });
    campaign::MessageReader reader(c.from);
    begun_.reset();
    double quiet = 0;
    constexpr double k_look = 0.2;
    while (true) {
      if (job_.out_of_time()) {
        campaign::stop_child(c, true);
        report_.stopped = true;
        return {};
      }
      std::string text;
      const campaign::ReadStatus status = reader.next(text, k_look);
      if (status == campaign::ReadStatus::text) {
        quiet = 0;
        const Message m = message_of(text);
        const auto ok = std::visit([&](const auto& x) { return hear(x); }, m);
        if (!ok) {
          campaign::stop_child(c, true);
          return ok;
        }
        continue;
      }
      if (status == campaign::ReadStatus::garbled) {
        campaign::stop_child(c, true);
        if (auto ok = lose("a message of the process that ran it came garbled"); !ok) return ok;
        return {};
      }
      if (status == campaign::ReadStatus::silence && (quiet += k_look) < k_silence + 3 * task_.launch_limit) continue;
      const bool silent = status == campaign::ReadStatus::silence;
      const std::string end = campaign::stop_child(c, silent);
      if (ended_.size() == task_.tests.size()) return {};
      return lose(silent ? fmt::format("its process reported nothing for {:.0f} s and was killed", quiet) : end);
    }
  }

  Expected<void> lose(const std::string& why) {
    size_t test = 0;
    while (ended_.contains(test)) ++test;
    if (begun_) {
      test = begun_->test;
      Trial t = begun_->key;
      t.lost = why;
      if (auto ok = keep(t); !ok) return ok;
    }
    if (!begun_ || ++losses_[test] >= k_most_losses) {
      report_.problems.push_back({task_.tests[test].title, error_at({}, why).error(), true});
      ended_.insert(test);
      failed_.insert(test);
    }
    return {};
  }

  Expected<void> keep(const Trial& t) {
    const auto added = store_.add(t);
    if (!added) return std::unexpected(added.error());
    if (*added) ++report_.trials_added;
    known_.insert_or_assign(key_text(t), t);
    return {};
  }

  Expected<void> hear(const Begun& m) {
    begun_ = m;
    return {};
  }
  Expected<void> hear(const Measured& m) {
    begun_.reset();
    progress_.instances += m.trial.instances();
    say();
    return keep(m.trial);
  }
  Expected<void> hear(const Told& m) {
    progress_.test = task_.tests[m.test].title;
    progress_.now = m.now;
    progress_.part = std::min(m.part, 1.0);
    progress_.best = m.best;
    say();
    return {};
  }
  Expected<void> hear(const Refused& m) {
    report_.problems.push_back({task_.tests[m.test].title, m.why, false});
    failed_.insert(m.test);
    ended_.insert(m.test);
    return {};
  }
  Expected<void> hear(const TestDone& m) {
    ended_.insert(m.test);
    progress_.done = ended_.size();
    return {};
  }

  void say() const {
    if (tell_) tell_(progress_);
  }

  const Task& task_;
  store::Store& store_;
  Job& job_;
  const std::function<void(const Progress&)>& tell_;
  Known known_;
  Report report_;
  Progress progress_;
  std::optional<Begun> begun_;
  std::set<size_t> ended_, failed_;
  std::map<size_t, size_t> losses_;
};

}  // namespace

std::string plan_text(const Task& t) {
  const char* kinds[] = {"search", "explore", "ablate"};
  std::string out = fmt::format("tune: {}\nseed = {}\nmode = {}\nregion = {}\nparameters = {}\nmemory = {}\n",
                                kinds[static_cast<size_t>(t.kind)], t.seed, plan::name(t.shape.mode),
                                plan::name(t.shape.region), plan::to_string(t.given), t.memory_words);
  if (t.kind == Task::Kind::search) out += to_string(t.rule) + fmt::format(", confirm-rounds = {}\n", t.confirm_rounds);
  if (t.kind == Task::Kind::explore) out += fmt::format("rounds = {}, executions = {}\n", t.rule.rounds, t.executions);
  if (t.kind == Task::Kind::ablate) out += fmt::format("rounds = {}\n", t.cell_rounds);
  return out;
}

Expected<Report> conduct(const Task& task, store::Store& store, Job& job,
                         const std::function<void(const Progress&)>& on_progress) {
  return Conductor(task, store, job, on_progress).run();
}

}  // namespace fencepost::tune
