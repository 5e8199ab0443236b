#include "judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/printable.h"
#include "campaign/identity.h"
#include "plan/plan.h"
#include "prog/weaken.h"
#include "read/read.h"
#include "refine/outcomes_of.h"
#include "term/term.h"

namespace fencepost::judge {

// ---- what was seen ----------------------------------------------------------------------------------

uint64_t Observation::positive() const {
  uint64_t n = 0;
  for (const auto& [s, count] : states)
    if (campaign::asked_about(test, observables, s)) n += count;
  return n;
}

namespace {

// The weakest claim wins: none, then language-level, then as-written.
int strength(const std::string& evidence) {
  return evidence == "as-written" ? 2 : evidence == "language-level" ? 1 : 0;
}

// All configurations of a trial's purpose are one: what was seen while tuning is judged, too.
store::Record as_record(const store::Trial& t) {
  store::Record r;
  r.campaign = t.campaign;
  r.test = t.test;
  r.test_hash = t.test_hash;
  r.device = t.device;
  r.configuration = t.purpose;
  r.driver = t.driver;
  r.what_ran = t.what_ran;
  r.evidence = t.evidence;
  r.instances = t.instances();
  r.states = t.states;
  r.corrupt = t.corrupt;
  r.incomplete = t.incomplete;
  r.filtered = t.filtered;
  r.waits = t.waits;
  r.time_outs = t.time_outs;
  r.seconds = t.seconds;
  for (const store::Round& x : t.rounds) r.device_seconds += static_cast<double>(x.device_nanoseconds) * 1e-9;
  return r;
}

}  // namespace

Expected<std::vector<Observation>> observations(const store::Store& store, const store::Filter& filter) {
  auto records = store.records(filter);
  if (!records) return std::unexpected(records.error());
  const auto trials = store.trials(filter);
  if (!trials) return std::unexpected(trials.error());
  for (const store::Trial& t : *trials)
    if (!t.rounds.empty()) records->push_back(as_record(t));
  std::vector<Observation> out;
  const auto same = [](const Observation& o, const store::Record& r) {
    return o.campaign == r.campaign && o.test_hash == r.test_hash && o.device == r.device &&
           o.configuration == r.configuration;
  };
  for (const store::Record& r : *records) {
    if (out.empty() || !same(out.back(), r)) {  // records come in the order of keys
      Observation o;
      const auto text = store.test(r.test_hash);
      if (!text) return std::unexpected(text.error());
      if (!*text)
        return error_at({}, fmt::format("the store lacks the text of test '{}'", r.test),
                        "it was written by hand, or by another program");
      auto test = read::parse_one(make_source(r.test, **text));
      if (!test) return std::unexpected(test.error());
      o.test = std::move(*test);
      o.campaign = r.campaign;
      o.test_hash = r.test_hash;
      o.device = r.device;
      o.driver = r.driver;
      o.configuration = r.configuration;
      o.what_ran = r.what_ran;
      o.evidence = r.evidence;
      o.observables = prog::observables(o.test);
      out.push_back(std::move(o));
    }
    Observation& o = out.back();
    if (strength(r.evidence) < strength(o.evidence)) {
      o.evidence = r.evidence;
      o.what_ran = r.what_ran;
    }
    uint64_t events = 0, sum = r.corrupt + r.incomplete + r.filtered;
    for (const auto& [text, count] : r.states) {
      sum += count;
      const auto s = campaign::state_from(o.observables, text);
      if (!s) return error_at({}, fmt::format("the store has a state '{}' that test '{}' does not have", text, r.test));
      o.states[*s] += count;
      if (campaign::asked_about(o.test, o.observables, *s)) events += count;
    }
    o.groups.push_back({static_cast<double>(events), static_cast<double>(r.instances), r.seconds});
    o.instances += r.instances;
    // A row that somebody changed is worth as little as a result that nobody can read.
    o.corrupt += r.corrupt + (sum > r.instances ? sum - r.instances : r.instances - sum);
    o.incomplete += r.incomplete;
    o.frame_missing = std::max(o.frame_missing, r.frame_missing);
    o.filtered += r.filtered;
    o.waits += r.waits;
    o.time_outs += r.time_outs;
    o.seconds += r.seconds;
    o.device_seconds += r.device_seconds;
  }
  // A store may come from anywhere, and these stand in lines of text.
  for (Observation& o : out)
    for (std::string* name : {&o.device, &o.driver, &o.configuration}) *name = printable_name(*name);
  return out;
}

// ---- weakenings ---------------------------------------------------------------------------------------
std::vector<Weakening> one_step_weakenings(const prog::Test& test) {
  std::vector<Weakening> out;
  const auto sites = prog::weakening_sites(test, {.together = false});
  for (size_t k = 0; k < sites.size(); ++k)
    for (const uint32_t form : sites[k].forms[0].weaker) {
      prog::Choice choice(sites.size(), 0);
      choice[k] = form;
      Weakening w;
      w.test = prog::apply(test, sites, choice).test;
      w.test.title += fmt::format("~{}", out.size() + 1);
      w.what = fmt::format("{} becomes {}", prog::describe(test, sites[k]), sites[k].forms[form].text);
      out.push_back(std::move(w));
    }
  return out;
}

// ---- the model ------------------------------------------------------------------------------------------
Oracle::Oracle(const prog::Test& test, const cat::Model& model, const check::Options& options, Job& job)
    : test_(test),
      model_(model),
      options_(options),
      job_(job),
      outcomes_(options.engine == check::Engine::solve ? check::outcomes_by_solving(test, model, options, job)
                                                       : check::outcomes(test, model, options, job)) {}

namespace {

// A free value of the model stands for every value.
bool is_covered(const prog::StateSet& states, const prog::State& s) {
  const auto covers = [&](const prog::State& m) {
    bool fits = m.size() == s.size();
    for (size_t i = 0; fits && i < s.size(); ++i) fits = m[i].free || m[i].value == s[i].value;
    return fits;
  };
  return states.states.contains(s) || std::any_of(states.states.begin(), states.states.end(), covers);
}

}  // namespace

Allowed Oracle::allowed(const prog::State& s) {
  if (is_covered(outcomes_.states, s)) return Allowed::yes;
  if (outcomes_.states.complete) return Allowed::no;
  if (const auto it = asked_.find(s); it != asked_.end()) return it->second;
  // Asked as a question of its own: is this state reachable?
  prog::Test query = test_;
  query.quantifier = prog::Quantifier::exists;
  query.condition = {};
  std::vector<prog::Cond> atoms;
  for (size_t i = 0; i < s.size(); ++i) {
    const prog::Observable& o = outcomes_.observables[i];
    prog::Cond atom;
    atom.kind = prog::Cond::Kind::atom;
    atom.lhs.kind = o.is_register ? prog::CondValue::Kind::reg : prog::CondValue::Kind::location;
    atom.lhs.thread = o.thread;
    atom.lhs.reg = o.reg;
    atom.lhs.symbol = o.symbol;
    atom.lhs.cell = o.cell;
    atom.rhs.constant = static_cast<uint64_t>(term::to_signed(s[i].value, o.width));
    atoms.push_back(std::move(atom));
  }
  if (atoms.size() == 1) {
    query.condition = std::move(atoms.front());
  } else if (!atoms.empty()) {
    query.condition.kind = prog::Cond::Kind::and_;
    query.condition.kids = std::move(atoms);
  }
  const check::Result r = check::check(query, model_, options_, job_);
  const Allowed a = r.verdict.status == Status::holds   ? Allowed::yes
                    : r.verdict.status == Status::fails ? Allowed::no
                                                        : Allowed::unknown;
  return asked_.emplace(s, a).first->second;
}

namespace {

Allowed reachable(prog::Test query, const cat::Model& model, const check::Options& options, Job& job) {
  if (query.quantifier == prog::Quantifier::none) return Allowed::unknown;
  if (query.quantifier == prog::Quantifier::forall) {
    prog::Cond negated;
    negated.kind = prog::Cond::Kind::not_;
    negated.kids.push_back(std::move(query.condition));
    query.condition = std::move(negated);
  }
  query.quantifier = prog::Quantifier::exists;
  const check::Result r = check::check(query, model, options, job);
  // That nothing is allowed forbids nothing in particular.
  return r.verdict.vacuous                   ? Allowed::unknown
         : r.verdict.status == Status::holds ? Allowed::yes
         : r.verdict.status == Status::fails ? Allowed::no
                                             : Allowed::unknown;
}

}  // namespace

Allows allows(const prog::Test& test, const Question& q, const std::map<prog::State, uint64_t>& seen) {
  Job job = Job::with_budget(q.seconds);
  Oracle oracle(test, *q.model.model, q.check, job);
  Allows out{q.model.name, oracle.outcomes()};
  if (oracle.complete()) return out;
  out.why = refine::why_incomplete(out.outcomes);
  for (const auto& [state, count] : seen) out.decided[state] = oracle.allowed(state);
  return out;
}

Allowed Allows::of(const prog::State& s) const {
  if (is_covered(outcomes.states, s)) return Allowed::yes;
  if (outcomes.states.complete) return Allowed::no;
  const auto found = decided.find(s);
  return found == decided.end() ? Allowed::unknown : found->second;
}

Allowed Oracle::condition() { return reachable(test_, model_, options_, job_); }

std::vector<prog::State> Oracle::states() const {
  if (!outcomes_.states.complete) return {};
  std::vector<prog::State> out;
  for (const prog::State& s : outcomes_.states.states)
    if (std::none_of(s.begin(), s.end(), [](const prog::StateValue& v) { return v.free; })) out.push_back(s);
  return out;
}

// ---- judging --------------------------------------------------------------------------------------------
bool Judgement::is_sensitive() const {
  return std::any_of(weakenings.begin(), weakenings.end(),
                     [](const SeenWeakening& t) { return t.allowed == Allowed::yes && t.seen > 0; });
}

uint32_t Judged::count(Standing s) const {
  return static_cast<uint32_t>(
      std::count_if(list.begin(), list.end(), [&](const Judgement& j) { return j.standing == s; }));
}

uint64_t Judged::instances() const {
  uint64_t n = 0;
  for (const Judgement& j : list) n += j.seen.instances;
  return n;
}

int Judged::exit_code() const {
  if (count(Standing::violated) + count(Standing::broken_run) > 0) return 1;
  return count(Standing::suspected) + count(Standing::undecided) > 0 || !owed.empty() ? 3 : 0;
}

namespace {

double dispersion_of(const std::vector<stats::Batch>& groups) {
  // Groups differ in size: counts are taken at the mean size, so that only the rates scatter.
  if (groups.size() < 2) return 1;
  double trials = 0;
  for (const stats::Batch& g : groups) trials += g.trials;
  const double typical = trials / static_cast<double>(groups.size());
  std::vector<double> counts;
  for (const stats::Batch& g : groups)
    if (g.trials > 0) counts.push_back(g.events / g.trials * typical);
  return std::max(1.0, stats::index_of_dispersion(counts));
}

void describe_standing(Judgement& j) {
  const Observation& o = j.seen;
  judge::Seen seen{o.device, j.model, o.what_ran, o.evidence, o.instances, o.corrupt, j.flags, {}};
  for (const StateRow& r : j.rows) seen.states.push_back({r.text, r.count, r.allowed});
  judge::Ruling ruling = judge::rule(seen);
  j.standing = ruling.standing;
  j.reason = std::move(ruling.reason);
  if (j.standing == Standing::consistent && j.flags.empty() && j.condition == Allowed::yes)
    j.reason =
        j.positive > 0 ? "the weak outcome is allowed and was seen" : "the weak outcome is allowed and was not seen";
}

}  // namespace

Judged judge(std::vector<Observation> seen, const Judge& how, Job& job) {
  Judged out;
  // What was seen of every text, for sensitivity.
  struct Seen {
    uint64_t positive = 0, instances = 0;
  };
  const auto key = [](const Observation& o, const std::string& hash) {
    return o.campaign + "\n" + hash + "\n" + o.device + "\n" + o.configuration;
  };
  std::map<std::string, Seen> by_key;
  for (const Observation& o : seen) {
    if (strength(o.evidence) == 0 && o.what_ran != "unverified") continue;  // another program ran
    Seen& s = by_key[key(o, o.test_hash)];
    s.positive += o.positive();
    s.instances += o.instances;
  }
  struct Known {  // of one text under one model
    std::optional<Oracle> oracle;
    Allowed condition = Allowed::unknown;
    std::vector<SeenWeakening> weakenings;
    std::vector<std::string> hashes;
    Job job;
    prog::Test test;
  };
  std::map<std::pair<std::string, const cat::Model*>, std::unique_ptr<Known>> known;
  std::map<std::pair<std::string, std::string>, bool> by_test;  // forbidden ones: whether a weakening was seen
  for (Observation& o : seen) {
    const NamedModel named = how.model_of(o.test);
    const cat::Model* model = named.model;
    if (model == nullptr) continue;
    auto& entry = known[{o.test_hash, model}];
    if (!entry) {
      entry = std::make_unique<Known>();
      Known& k = *entry;
      k.test = o.test;
      k.job = Job::with_budget(how.seconds_per_test);
      k.job.cancelled = job.cancelled;
      k.job.deadline = std::min(k.job.deadline, job.deadline);
      k.oracle.emplace(k.test, *model, how.check, k.job);
      k.condition = k.oracle->condition();
      if (k.condition == Allowed::no)
        for (Weakening& w : one_step_weakenings(k.test)) {
          Job brief = Job::with_budget(how.seconds_per_test);
          brief.cancelled = job.cancelled;
          brief.deadline = std::min(brief.deadline, job.deadline);
          SeenWeakening t;
          t.title = w.test.title;
          t.what = std::move(w.what);
          t.allowed = reachable(w.test, *model, how.check, brief);
          k.hashes.push_back(campaign::hash_of(w.test));
          k.weakenings.push_back(std::move(t));
        }
    }
    Known& k = *entry;
    Judgement j;
    j.model = named.name;
    j.condition = k.condition;
    j.flags = k.oracle->flags();
    j.dispersion = dispersion_of(o.groups);
    const auto rate = [&](uint64_t count) {
      if (count == 0) return stats::Interval{0, stats::zero_event_bound(o.instances)};
      return stats::wilson_dispersed(count, o.instances, j.dispersion);
    };
    std::map<prog::State, uint64_t> all = o.states;
    for (const prog::State& s : k.oracle->states()) all.emplace(s, 0);
    for (const auto& [s, count] : all) {
      StateRow row;
      row.state = s;
      row.text = prog::to_string(o.observables, s);
      row.count = count;
      row.allowed = k.oracle->allowed(s);
      row.positive = campaign::asked_about(o.test, o.observables, s);
      row.rate = rate(count);
      if (row.positive) j.positive += count;
      j.rows.push_back(std::move(row));
    }
    std::stable_sort(j.rows.begin(), j.rows.end(),
                     [](const StateRow& a, const StateRow& b) { return a.count > b.count; });
    j.positive_rate = rate(j.positive);
    if (o.seconds > 0)
      j.positive_per_second = j.positive == 0 ? stats::Interval{0, stats::zero_event_bound_per_second(o.seconds)}
                                              : stats::poisson_dispersed(j.positive, o.seconds, j.dispersion);
    j.weakenings = k.weakenings;
    for (size_t t = 0; t < j.weakenings.size(); ++t)
      if (const auto it = by_key.find(key(o, k.hashes[t])); it != by_key.end()) {
        j.weakenings[t].ran = true;
        j.weakenings[t].seen = it->second.positive;
        j.weakenings[t].instances = it->second.instances;
      }
    j.seen = std::move(o);
    describe_standing(j);
    const bool could_bite = std::any_of(j.weakenings.begin(), j.weakenings.end(),
                                        [](const SeenWeakening& t) { return t.allowed == Allowed::yes && t.ran; });
    if (j.condition == Allowed::no && could_bite) {
      bool& bites = by_test[{j.seen.campaign + "\n" + j.seen.test_hash + "\n" + j.seen.device, j.model}];
      bites = bites || j.is_sensitive();
    }
    out.list.push_back(std::move(j));
  }
  out.forbidden = static_cast<uint32_t>(by_test.size());
  for (const auto& [test, bites] : by_test) out.sensitive += bites;
  std::stable_sort(out.list.begin(), out.list.end(), [](const Judgement& a, const Judgement& b) {
    return std::tie(a.seen.test.title, a.seen.device, a.seen.configuration) <
           std::tie(b.seen.test.title, b.seen.device, b.seen.configuration);
  });
  return out;
}

}  // namespace fencepost::judge
