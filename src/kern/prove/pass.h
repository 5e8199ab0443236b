#pragma once
// Internal to prove.cpp: one run of a kernel for one kind of pair of threads, and the questions about it. Which runs a
// verdict needs is said in prove.cpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <functional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "base/trace.h"
#include "flow/intervals.h"
#include "flow/steering.h"
#include "order/engine.h"
#include "order/messages.h"
#include "prove/doubts.h"
#include "prove/execute.h"
#include "prove/preparation.h"
#include "prove/prove.h"
#include "prove/quotients.h"

namespace fencepost::prove {

using namespace ir;
using formula::Answer;
using formula::Model;

inline constexpr double k_multiplier_seconds = 3;    // for all questions that need to know what a product is
inline constexpr double k_candidate_seconds = 2;     // for one question about one candidate, at most
inline constexpr double k_shortest_question = 0.02;  // and at least
inline constexpr double k_inference_part = 0.4;      // of the time that is left, for all candidates
inline constexpr double k_first_seconds = 1;         // for one question, before few threads are tried
inline constexpr double k_soon_seconds = 5;          // for one question without what is costly
inline constexpr double k_zero_seconds = 0.2;        // for one question whether a divisor is 0
inline constexpr double k_length_seconds = 0.5;      // for one question about divisors that are known
inline constexpr double k_all_length_seconds = 6;    // for all of these
inline constexpr double k_small_seconds = 1;         // for one question about few threads
inline constexpr double k_all_small_seconds = 10;    // for all of these
inline constexpr double k_split_seconds = 0.2;       // for one question whether a rest is below a unit
inline constexpr double k_all_split_seconds = 3;     // for all of these
inline constexpr double k_row_seconds = 2;           // for one question whether a rest is in its row
inline constexpr double k_message_seconds = 10;      // for one question about a third thread
inline constexpr double k_promise_seconds = 1;       // for one question about small numbers
inline constexpr size_t k_most_promises = 24;        // rounds in which promises are added
inline constexpr uint8_t k_wide = 20;                // bits of an equation that is worth it
inline constexpr size_t k_most_splits = 3;           // units that are tried
inline constexpr size_t k_most_cases = 200;

using Key = std::tuple<int, uint32_t, uint32_t, uint32_t>;

// One run for one kind of pair, and its questions.
class Pass {
 public:
  Pass(const Module& m, FunctionId entry, const Options& options, const Job& job, const flow::Effects& effects,
       Pairing pairing, Lanes lanes, Refuted refuted, Groups groups = Groups::any)
      : m_(m),
        entry_(entry),
        options_(options),
        job_(job),
        effects_(effects),
        pairing_(pairing),
        lanes_(lanes),
        groups_(groups),
        refuted_(std::move(refuted)) {}

  // Houdini: candidates that are not inductive with the others go, until all that are left are.
  // Those that take long are dropped, the sooner the more of the time for them is spent.
  void infer() {
    const auto begin = Job::Clock::now();
    const bool timed = job_.deadline != Job::Clock::time_point::max();
    const auto seconds = [](Job::Clock::duration d) { return std::chrono::duration<double>(d).count(); };
    const double most = timed ? seconds(job_.deadline - begin) : 0;
    const double whole = k_inference_part * (options_.seconds > 0 ? std::min(most, options_.seconds) : most);
    while (true) {
      ++result_.effort.rounds;
      execute();
      Execution& x = *execution_;
      if (!options_.infer && result_.effort.rounds == 1) {
        for (const std::string& c : x.candidates) refuted_.insert(c);
        if (!x.candidates.empty()) continue;
      }
      if (result_.effort.rounds == 1) result_.effort.candidates = x.candidates.size();
      std::set<std::string> out;
      for (const Obligation& o : x.obligations) {
        if (o.candidate.empty() || out.contains(o.candidate)) continue;
        std::vector<Term> goal{o.failing};
        if (o.both) goal.push_back(x.distinct);
        const double left = timed ? (whole - seconds(Job::Clock::now() - begin)) / 8 : k_candidate_seconds;
        if (ask_by_cases(*pool_, x, goal, o.position, o.both ? o.position : 0, nullptr,
                         std::clamp(left, k_shortest_question, k_candidate_seconds)) != Answer::unsat)
          out.insert(o.candidate);
      }
      if (trace::on(trace::Room::prove))
        trace::say(trace::Room::prove,
                   fmt::format("round {}: {} candidate invariants, {} refuted{}{}", result_.effort.rounds,
                               x.candidates.size(), out.size(), out.empty() ? "" : ": ", fmt::join(out, ", ")));
      if (out.empty() || gave_up_) break;
      refuted_.insert(out.begin(), out.end());
    }
    for (const std::string& c : execution_->candidates) {
      const bool kept = !refuted_.contains(c);
      result_.effort.kept += kept ? 1 : 0;
      result_.candidates.emplace_back(c, kept);
    }
  }

  void execute() {
    session_.reset();
    pool_ = std::make_unique<Pool>();
    quotients_ = std::make_unique<Quotients>(*pool_);
    session_ = std::make_unique<formula::Session>(*pool_, options_.second.get());
    execution_ =
        std::make_unique<Execution>(*pool_, m_, effects_, entry_, options_, pairing_, refuted_, lanes_, job_, groups_);
    execution_->run();
    gave_up_ = gave_up_ || execution_->stopped;
  }

  // Are the requirements satisfiable at all?
  bool vacuous() {
    return !pool_->is_true(execution_->required) &&
           ask(*pool_, *execution_, {execution_->required}, 0, 0, nullptr) == Answer::unsat;
  }

  // Or by two threads of this kind?
  bool no_pair() {
    return !pool_->is_true(execution_->required_of_both) &&
           ask(*pool_, *execution_, {execution_->required_of_both, execution_->distinct}, 0, 0, nullptr) ==
               Answer::unsat;
  }
  // The group is one thread: what may race with it is a copy that it has started.
  void alone() { alone_ = true; }

  void questions(bool races) {
    if (gave_up_) return;
    result_.barrier_intervals = flow::barrier_intervals(m_.function(entry_), effects_.cfg(entry_));
    result_.contracts = execution_->contracts;
    result_.unsupported.insert(execution_->unsupported.begin(), execution_->unsupported.end());
    result_.assumptions.insert(execution_->assumptions.begin(), execution_->assumptions.end());
    for (const auto& [name, null] : execution_->null_parameters) result_.nullable.insert(name);
    result_.nullable.insert(execution_->null_arguments.begin(), execution_->null_arguments.end());
    obligations(*pool_, *execution_);
    if (races) this->races(*pool_, *execution_);
    result_.effort.folded = statistics_.folded;
    result_.effort.solved = statistics_.solved;
    result_.effort.clauses = statistics_.clauses;
    result_.effort.solver_seconds = statistics_.seconds;
    if (trace::on(trace::Room::prove))
      trace::say(
          trace::Room::prove,
          fmt::format("questions: {} answered by rewriting, {} by the solver ({} clauses, {:.3f} s); {} findings",
                      statistics_.folded, statistics_.solved, statistics_.clauses, statistics_.seconds,
                      result_.findings.size()));
  }

  // Whether a question took too long and was put off: ask_again() asks those.
  bool postponed() const { return postponed_; }
  void ask_again(bool races) {
    patient_ = true;
    gave_up_ = execution_->stopped;
    questions(races);
  }

  const Result& result() const { return result_; }
  const Refuted& refuted() const { return refuted_; }
  bool gave_up() const { return gave_up_; }

 private:
  // Is the conjunction satisfiable when thread t has come to limit[t]?
  // `seconds`: at most, 0: what is left of the job. A model keeps to what every run keeps to (promises.h).
  Answer ask(Pool& pool, Execution& x, std::vector<Term> goal, uint32_t first_limit, uint32_t second_limit,
             Model* model, double seconds = 0) {
    Answer answer = once(pool, x, goal, first_limit, second_limit, model, job_, seconds);
    if (model == nullptr) return answer;
    std::vector<Term> room;
    for (size_t round = 0; answer == Answer::sat; ++round) {
      const std::vector<Promises::Broken> broken = x.promises.broken(*model, {first_limit, second_limit});
      if (broken.empty()) return answer;
      if (round == k_most_promises) return Answer::unknown;
      for (const Promises::Broken& b : broken) {
        goal.push_back(b.claim);
        room.push_back(b.small);
        result_.small_offsets = result_.small_offsets || b.offset;
      }
      // Small numbers are found sooner, and can be run.
      std::vector<Term> small = goal;
      small.insert(small.end(), room.begin(), room.end());
      Job brief = job_;
      brief.deadline = std::min(brief.deadline, Job::with_budget(k_promise_seconds).deadline);
      Model found;
      if (once(pool, x, std::move(small), first_limit, second_limit, &found, brief, 0) == Answer::sat) {
        *model = std::move(found);
        continue;
      }
      room.clear();
      *model = {};
      answer = once(pool, x, goal, first_limit, second_limit, model, job_, seconds);
    }
    return answer;
  }

  // The same, with the facts alone.
  Answer once(Pool& pool, Execution& x, std::vector<Term> goal, uint32_t first_limit, uint32_t second_limit,
              Model* model, const Job& within, double seconds) {
    for (Term t : goal)
      if (pool.is_false(t)) {
        ++statistics_.folded;
        return Answer::unsat;
      }
    Job job = within;
    if (seconds > 0) job.deadline = std::min(job.deadline, Job::with_budget(seconds).deadline);
    if (job.out_of_time()) return Answer::unknown;
    const std::array<uint32_t, 2> limit{first_limit, second_limit};
    std::unordered_set<uint64_t> known;
    for (Term t : goal)
      for (uint64_t n : formula::names(pool, t)) known.insert(n);
    std::vector<uint8_t> taken(x.trace.facts.size());
    std::vector<Term> late;
    const bool divides = quotients_->any(goal);
    for (bool again = true; again;) {
      again = false;
      for (size_t i = 0; i < x.trace.facts.size(); ++i) {
        const Fact& f = x.trace.facts[i];
        if (taken[i] != 0 || (f.of_quotients && !divides)) continue;
        bool applies = true;
        for (const size_t t : k_both)
          if ((f.threads >> t & 1) != 0) applies = applies && f.from[t] <= limit[t] && limit[t] <= f.until[t];
        if (!applies || (!f.names.empty() &&
                         std::none_of(f.names.begin(), f.names.end(), [&](uint64_t n) { return known.contains(n); })))
          continue;
        taken[i] = 1;
        if (f.late) {
          late.push_back(f.term);
          continue;
        }
        again = true;
        known.insert(f.names.begin(), f.names.end());
        goal.push_back(f.term);
      }
    }
    if (divides || !late.empty()) {
      Model guess;
      Quotients::Apart soon{goal, {}};
      // Promises count where a model is asked for, as in ask().
      if (divides)
        soon =
            quotients_->apart(goal, model == nullptr ? std::vector<Promises::Product>() : x.promises.products(limit));
      const Answer answer = decided_soon(pool, x, std::move(soon), job, divides ? &guess : nullptr);
      if (answer == Answer::unsat) return answer;
      goal.insert(goal.end(), late.begin(), late.end());
      if (answer == Answer::sat && divides && with_lengths(pool, x, goal, guess, job, model)) return answer;
    }

    if (x.products.any()) {
      goal = prepared(pool, x.products, std::move(goal));
      if (pool.is_false(pool.all(goal)) || decided_by_digits(pool, x, goal, job)) {
        ++statistics_.folded;
        return Answer::unsat;
      }
    }
    if (!x.products.any() || seconds > 0) return session_->solve(goal, job, model, statistics_);
    double first_seconds = k_first_seconds;
    Answer first = timed(first_seconds, goal, job, model);
    if (first == Answer::unsat) return first;
    // A launch of few threads is as good as any, and can be run; and then products are no unknowns.
    if (few_threads(pool, x, goal, job, model)) return Answer::sat;
    if (first == Answer::unknown) {
      // Others may refute the kernel sooner.
      postponed_ = postponed_ || !patient_;
      if (!patient_) return first;
      first = session_->solve(goal, job, model, statistics_);
    }
    if (first != Answer::sat) return first;
    if (x.products.definitions().empty() || multiplier_seconds_ <= 0) return first;
    // With multipliers now; a time of their own, since the first model is not for nothing.
    goal.insert(goal.end(), x.products.definitions().begin(), x.products.definitions().end());
    Model exact;
    const Answer second = timed(multiplier_seconds_, goal, job, model != nullptr ? &exact : nullptr);
    if (second == Answer::unsat) return Answer::unsat;
    if (second == Answer::sat && model != nullptr) *model = std::move(exact);
    return Answer::sat;
  }

  // Without what is asked late; only `unsat` is an answer to the question.
  Answer decided_soon(Pool& pool, Execution& x, Quotients::Apart apart, const Job& job, Model* model) {
    std::vector<Term> goal = std::move(apart.goal);
    for (const Term t : apart.zeros) {
      std::vector<Term> question = goal;
      question.push_back(t);
      if (session_->solve(question, within(job, k_zero_seconds), nullptr, statistics_) == Answer::unsat)
        goal.push_back(pool.not_(t));
    }
    if (x.products.any() || !apart.zeros.empty()) {
      goal = prepared(pool, x.products, std::move(goal));
      if (pool.is_false(pool.all(goal)) || decided_by_digits(pool, x, goal, job)) return Answer::unsat;
    }
    return session_->solve(goal, within(job, k_soon_seconds), model, statistics_);
  }

  static Job within(Job job, double seconds) {
    job.deadline = std::min(job.deadline, Job::with_budget(seconds).deadline);
    return job;
  }

  // Is there a model in which divisors have the numbers of `guess`, or small ones?
  bool with_lengths(Pool& pool, Execution& x, const std::vector<Term>& goal, const Model& guess, const Job& job,
                    Model* model) {
    for (const uint64_t n : {0, 2, 3}) {
      const std::vector<Term> fixed = quotients_->with_lengths(goal, [&](Term v) {
        return x.products.number(v) ? std::nullopt : std::optional(n == 0 ? guess.value(pool, v) : n);
      });
      const bool found = x.products.any() ? few_threads(pool, x, fixed, job, model)
                                          : timed(length_seconds_, fixed, job, model, k_length_seconds) == Answer::sat;
      if (found) return true;
    }
    return false;
  }

  // A question that takes its time from a budget.
  Answer timed(double& left, const std::vector<Term>& goal, const Job& job, Model* model, double most = 1e9) {
    if (left <= 0) return Answer::unknown;
    Job limited = job;
    limited.deadline = std::min(job.deadline, Job::with_budget(std::min(left, most)).deadline);
    const auto begin = std::chrono::steady_clock::now();
    const Answer a = session_->solve(goal, limited, model, statistics_);
    left -= std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return a;
  }

  // Equations of positions, q * unit + r on both sides: if the question keeps both rests below the unit, the quotients
  // are equal, and so are the rests. That is added; true if it contradicts the rest.
  bool decided_by_digits(Pool& pool, Execution& x, std::vector<Term>& goal, const Job& job) {
    for (size_t i = 0; i < goal.size(); ++i) {
      const formula::Node e = pool[goal[i]];
      if (e.op != formula::Op::eq || pool.width(e.kids[0]) < k_wide) continue;
      size_t tried = 0;
      for (const Products::Split& s : x.products.splits(e.kids[0], e.kids[1])) {
        if (++tried > k_most_splits) break;
        bool apart = true;
        for (const Term rest : s.rest) {
          if (!apart) break;
          const Term over = pool.ule(s.unit, rest);
          if (pool.is_false(over)) continue;
          const std::vector<Term> question = about(pool, x.products, goal, i, over);
          apart = pool.is_false(pool.all(question)) ||
                  timed(split_seconds_, question, job, nullptr, k_split_seconds) == Answer::unsat;
        }
        if (!apart) continue;
        goal[i] = pool.all(pool.eq(s.quotient[0], s.quotient[1]), pool.eq(s.rest[0], s.rest[1]));
        const Term together = pool.all(goal);
        if (pool.is_false(together)) return true;
        goal = pool.conjuncts(together);
        i = ~size_t{0};  // from the start
        break;
      }
    }
    return false;
  }

  // Is there a model of a launch of few threads, or of one of some others?
  bool few_threads(Pool& pool, Execution& x, const std::vector<Term>& goal, const Job& job, Model* model) {
    size_t axes = 0;
    for (const size_t d : k_dimensions)
      axes += (pool.is_constant(x.local_size[d]) ? 0 : 1) + (pool.is_constant(x.num_groups[d]) ? 0 : 1);
    const uint32_t n = axes > 4 ? 2 : axes > 2 ? 4 : 8;
    struct Try {
      Products::Sizes sizes;
      bool exactly;
    };
    const bool products = !x.products.definitions().empty();
    for (const Try& t :
         {Try{{n, n, n, 2, 2, 2}, false}, Try{{2048, 4, 2, 4, 2, 2}, false}, Try{{250, 2, 2, 600'000, 2, 2}, true},
          Try{{33, 2, 2, 5'000'000, 1, 1}, true}, Try{{1000, 1, 1, 1'000'000, 1, 1}, true}}) {
      if (t.exactly && !products) break;  // the model that is there is exact
      auto& memo = x.products.small(t.sizes, t.exactly);
      std::vector<Term> smaller;
      for (const Term u : goal)
        if (!x.products.lemma(u)) smaller.push_back(pool.substitute(u, memo));
      Model found;
      if (timed(small_seconds_, smaller, job, model != nullptr ? &found : nullptr, k_small_seconds) != Answer::sat)
        continue;
      if (model != nullptr) {
        Model whole;
        whole.variables = found.variables;
        whole.applications = found.applications;
        for (const Term v : x.products.replaced())
          if (const auto it = memo.find(v.id); it != memo.end())
            whole.variables[pool[v].value] = found.value(pool, it->second);
        *model = std::move(whole);
      }
      return true;
    }
    return false;
  }

  // A question about access sets, one access after the other: which one is in the set is settled before anything is
  // encoded, and the rest is then often decided by rewriting.
  Answer ask_by_cases(Pool& pool, Execution& x, const std::vector<Term>& goal, uint32_t first_limit,
                      uint32_t second_limit, Model* model, double seconds = 0) {
    std::set<uint64_t> numbers;
    for (Term t : goal)
      for (uint64_t n : formula::names(pool, t))
        if (x.choices.contains(n)) numbers.insert(n);
    if (numbers.size() < (x.products.any() ? 1u : 2u) || numbers.size() > k_most_cases)
      return ask(pool, x, goal, first_limit, second_limit, model, seconds);
    // The latest access decides; those before it then do not matter.
    std::vector<Term> rest = goal;
    bool unknown = false;
    for (auto n = numbers.rbegin();; ++n) {
      std::vector<Term> now;
      const Term choice = n == numbers.rend() ? Term{} : x.choices.at(*n);
      for (Term t : rest) {
        std::unordered_map<uint32_t, Term> memo;
        if (choice) memo.emplace(choice.id, pool.yes());
        now.push_back(pool.substitute(t, memo));
      }
      if (choice) now.push_back(choice);
      const Answer a = ask(pool, x, simplified(pool, std::move(now)), first_limit, second_limit, model, seconds);
      if (a == Answer::sat) return a;
      unknown = unknown || a == Answer::unknown;
      if (!choice) break;
      for (Term& t : rest) {
        std::unordered_map<uint32_t, Term> memo{{choice.id, pool.no()}};
        t = pool.substitute(t, memo);
      }
      rest.push_back(pool.not_(choice));
    }
    return unknown ? Answer::unknown : Answer::unsat;
  }

  Side side(const Pool& pool, const Execution& x, const Model& model, size_t t) const {
    Side s;
    for (const size_t d : k_dimensions) {
      s.local_id[d] = model.value(pool, x.local_id[t][d]);
      s.group_id[d] = model.value(pool, x.group_id[t][d]);
    }
    return s;
  }

  void arguments(const Pool& pool, const Execution& x, const Model& model, Finding& f) const {
    for (const auto& [n, v] : x.scalars) f.arguments.emplace_back(n, model.value(pool, v[0]));
    for (const auto& [n, null] : x.null_parameters)
      if (model.value(pool, null) != 0) f.null_parameters.push_back(n);
    f.null_parameters.insert(f.null_parameters.end(), x.null_arguments.begin(), x.null_arguments.end());
    for (const size_t d : k_dimensions) {
      // Of what the question did not speak of, the least.
      f.local_size[d] = std::max<uint64_t>(1, model.value(pool, x.local_size[d]));
      f.num_groups[d] = std::max<uint64_t>(1, model.value(pool, x.num_groups[d]));
      if (x.cluster_size[d]) f.cluster[d] = std::max<uint64_t>(1, model.value(pool, x.cluster_size[d]));
    }
  }

  // What happens in no run, by an assumption, if it is possible at all.
  void assume(Pool& pool, Execution& x, const Obligation& o) {
    if ((o.if_tested && !x.tested_null.contains(*o.if_tested)) || result_.assumptions.contains({o.assumes})) return;
    if (ask_by_cases(pool, x, {o.failing}, o.position, 0, nullptr) != Answer::unsat)
      result_.assumptions.insert({o.assumes});
  }

  void obligations(Pool& pool, Execution& x) {
    for (const Obligation& o : x.obligations) {
      if (!o.candidate.empty() || result_.findings.size() >= options_.max_findings) continue;
      if (pairing_ == Pairing::other_group && !o.both) continue;  // one thread: asked before
      if (!o.assumes.empty()) {
        assume(pool, x, o);
        continue;
      }
      const Key key(static_cast<int>(o.kind), o.place.index, o.other_place.index, o.region.index);
      if (seen_.contains(key)) continue;
      std::vector<Term> goal{o.failing};
      if (o.both) goal.push_back(x.distinct);
      Model model;
      const Answer answer = ask_by_cases(pool, x, goal, o.position, o.both ? o.position : 0, &model);
      gave_up_ = gave_up_ || answer == Answer::unknown;
      if (answer != Answer::sat) continue;
      seen_.insert(key);
      Finding f;
      f.kind = o.kind;
      f.place = o.place;
      f.other_place = o.other_place;
      f.region = o.region;
      f.bytes = o.bytes;
      if (o.offset) f.offset = formula::as_signed(model.value(pool, o.offset), pool.width(o.offset));
      for (size_t t = 0; t < (o.both ? 2 : 1); ++t) f.threads.push_back(side(pool, x, model, t));
      f.apart = o.open;
      if (o.kind == Kind::barrier_divergence && f.apart.empty() && not_followed(pool, goal).starts_with("what lanes"))
        f.apart = "what lanes of a warp give each other makes them meet";
      arguments(pool, x, model, f);
      result_.findings.push_back(std::move(f));
    }
  }

  void races(Pool& pool, Execution& x) {
    order::Setting setting;
    setting.dialect = m_.dialect;
    setting.pairing = pairing_;
    setting.lanes = lanes_;
    setting.groups = groups_;
    setting.one_group = std::all_of(std::begin(options_.launch.num_groups), std::end(options_.launch.num_groups),
                                    [](uint64_t n) { return n == 1; });
    setting.both_fences = options_.both_fences;
    setting.group_waits = options_.group_waits;
    setting.lockstep = options_.warp_sync > 0;
    order::Engine engine(pool, m_, x.trace, setting, [&](std::vector<Term> goal, uint32_t position) {
      return ask(pool, x, std::move(goal), position, position, nullptr) == Answer::unsat;
    });
    order::Messages messages(
        pool, m_, x.trace, setting,
        [&](std::vector<Term> goal, std::array<uint32_t, 2> limits) {
          const Answer answer = ask(pool, x, std::move(goal), limits[0], limits[1], nullptr, k_message_seconds);
          message_unknown_ = message_unknown_ || answer == Answer::unknown;
          return answer == Answer::unsat;
        },
        others(pool, x), engine.last_group());
    const std::vector<AccessRecord>& accesses = x.trace.accesses;
    if (trace::on(trace::Room::prove))
      trace::say(trace::Room::prove, fmt::format("races: {} accesses are compared in pairs", accesses.size()));
    for (const AccessRecord& a : accesses)
      if (engine.copy_outlives_iterations(a))
        result_.unsupported.insert("an asynchronous copy in a loop that is not waited for in the iterations behind it");
    for (size_t i = 0; i < accesses.size(); ++i)
      for (size_t j = i; j < accesses.size() && result_.findings.size() < options_.max_findings; ++j)
        race(pool, x, engine, messages, accesses[i], accesses[j]);
    for (const AccessRecord& a : accesses)
      for (const AccessRecord& b : accesses)
        if (a.own && result_.findings.size() < options_.max_findings) own_copy_race(pool, x, engine, a, b);
    for (const order::Assumptions& taken : {engine.assumptions(), messages.assumptions})
      for (const Assumption& a : taken) {
        result_.assumptions.insert(a);
        if (a.kind == Assumption::starts_at_zero && engine.last_group().puts_back(a.region))
          result_.put_back.insert(a.region);
      }
  }

  // Terms of threads that are not of the pair, for messages. What speaks of the ids of a thread in a way that renaming
  // does not reach (products of ids and sizes that are not fixed) is any value.
  order::Messages::Others others(Pool& pool, Execution& x) const {
    std::set<uint64_t> sizes;
    std::array<std::set<uint64_t>, 2> groups;
    for (const size_t d : k_dimensions) {
      for (const Term t : {x.local_size[d], x.num_groups[d]})
        for (uint64_t n : formula::names(pool, t)) sizes.insert(n);
      for (const size_t t : k_both)
        for (uint64_t n : formula::names(pool, x.group_id[t][d])) groups[t].insert(n);
    }
    const auto checked = [&pool, &x, sizes](Term t, const std::set<uint64_t>& also) {
      for (uint64_t n : formula::names(pool, t))
        if (n < x.launch_variables && !sizes.contains(n) && !also.contains(n) && !x.products.is_size(n))
          return pool.variable(pool.width(t), "not known");
      return t;
    };
    return {[&x, checked](Term t, order::Messages::Renaming& renaming) {
              return checked(x.masters.as_another(t, renaming), {});
            },
            [&x, checked, groups](Term t, int thread) {
              return checked(x.masters.of(t, static_cast<size_t>(thread)), groups[static_cast<size_t>(thread)]);
            }};
  }

  bool hidden(const std::string& symbol) const {
    const RegionId r = Memory::contents(m_, symbol);
    return r && steering_[r.index] == 0;
  }
  // The value with the contents of shared arrays as this thread alone might see them. That two writes are of one value
  // counts only if it does not hang on what was read from arrays that are nothing but data: two threads that copy the
  // same element do not do so by intent. Arrays that steer the kernel, and all if the user asks for equality, are
  // known to hold the same for both. So is an element that is one and the same whichever threads they are: `other`, the
  // first thread's value, reads it by the same term, which then has no id of a thread in it. (That both see the same
  // contents rests on the reads being free of races, as everywhere.)
  Term apart(Pool& pool, Term value, Term other) {
    if (options_.abstraction == Abstraction::equality) return value;
    if (steering_.empty()) steering_ = flow::steering(m_, effects_.function(entry_).reached);
    std::unordered_set<uint32_t> common;
    const std::function<void(Term)> note = [&](Term t) {
      if (!common.insert(t.id).second) return;
      const std::vector<Term> kids = pool[t].kids;
      for (Term k : kids) note(k);
    };
    note(other);
    std::vector<Term> order;
    std::unordered_set<uint32_t> seen;
    const std::function<void(Term)> visit = [&](Term t) {
      if (common.contains(t.id) || !seen.insert(t.id).second) return;
      const std::vector<Term> kids = pool[t].kids;
      for (Term k : kids) visit(k);
      if (pool[t].op == formula::Op::apply && hidden(pool.symbol_name(pool[t].value))) order.push_back(t);
    };
    visit(value);
    std::unordered_map<uint32_t, Term> memo;
    for (const Term t : order) {
      const formula::Node n = pool[t];
      std::vector<Term> kids;
      for (Term k : n.kids) kids.push_back(pool.substitute(k, memo));
      memo[t.id] = pool.apply(pool.symbol(pool.symbol_name(n.value) + "'"), n.width, std::move(kids));
    }
    return pool.substitute(value, memo);
  }

  // Two groups meet by atomics of OpenCL 1.x.
  void note_legacy_scope(Pool& pool, Execution& x, const AccessRecord& a, const AccessRecord& b) {
    if (m_.dialect != Dialect::opencl || pairing_ != Pairing::other_group || a.atomic == nullptr ||
        b.atomic == nullptr || a.region != b.region ||
        (!order::of_opencl_1(*a.atomic) && !order::of_opencl_1(*b.atomic)))
      return;
    const Assumption taken = order::legacy_scope();
    if (result_.assumptions.contains(taken)) return;
    const std::vector<Term> goal{a.guard[0], b.guard[1], x.distinct, pool.eq(a.offset[0], b.offset[1])};
    if (ask(pool, x, goal, a.position, b.position, nullptr) != Answer::unsat) result_.assumptions.insert(taken);
  }

  void race(Pool& pool, Execution& x, order::Engine& engine, order::Messages& messages, const AccessRecord& a,
            const AccessRecord& b) {
    const order::Engine::Conflict conflict = engine.conflict(a, b);
    note_legacy_scope(pool, x, a, b);
    if (pool.is_false(conflict.possible)) return;
    // A thread alone comes to its own accesses in the order of the program, but for copies that are under way.
    if (alone_ && (!a.async() || b.position <= a.position)) return;
    if (a.second != 0 && a.second == b.second) return;  // as in the first iteration
    // One copy is made by the whole group; of a loop, by two iterations.
    const bool same_copy = &a == &b && a.async() && !a.own && pairing_ == Pairing::same_group;
    if (same_copy && !a.iteration[0]) return;
    const auto key = std::make_tuple(100 + 4 * static_cast<int>(a.kind) + static_cast<int>(b.kind), a.place.index,
                                     b.place.index, a.region.index);
    if (seen_.contains(key)) return;
    const order::Engine::Edges edges = engine.edges(a, b);
    if (edges.settled) return;
    ++result_.effort.pairs;
    std::vector<Term> goal{a.guard[0], b.guard[1], alone_ ? pool.yes() : x.distinct, conflict.possible};
    if (alone_) goal.push_back(pool.not_(engine.waited(a, b.position)));
    if (same_copy) goal.push_back(pool.ne(a.iteration[0], a.iteration[1]));
    for (Term o : edges.orders) goal.push_back(pool.not_(o));
    for (Term t : goal)
      if (pool.is_false(t)) return;
    std::vector<Term> in_step = goal;
    for (Term o : edges.by_lock_step) in_step.push_back(pool.not_(o));
    // Where the values matter: of two writes, and of a write that changes what was read.
    Term differ = pool.yes();
    const bool values = options_.benign && a.mode == order::Mode::plain && b.mode == order::Mode::plain &&
                        a.bytes == b.bytes && a.pointer == b.pointer &&
                        pool.width(a.value[0]) == pool.width(b.value[1]);
    const bool at_one_place = !alone_ && !same_copy && conflict.possible == conflict.same &&
                              without_rows(pool, x, conflict.same, a, b, goal, in_step);
    if (values) {
      const Term other = pool.ne(a.value[0], apart(pool, b.value[1], a.value[0]));
      differ = at_one_place ? other : pool.any(pool.not_(conflict.same), other);
    }
    Model model;
    Answer answer = ask(pool, x, in_step, a.position, b.position, &model);
    if (answer != Answer::unsat && !pool.is_true(differ)) {
      goal.push_back(differ);
      in_step.push_back(differ);
      answer = ask(pool, x, in_step, a.position, b.position, &model);
    }
    if (answer == Answer::unsat && in_step.size() > goal.size() &&
        ask(pool, x, goal, a.position, b.position, nullptr) != Answer::unsat)
      result_.warps.insert(m_.region(a.region).name + ": " + where(m_, a.place) + " and " + where(m_, b.place));
    if (answer == Answer::sat && !pool.is_false(engine.read_before_matrix(a, b))) {
      std::vector<Term> arrived = in_step;
      arrived.push_back(pool.not_(engine.read_before_matrix(a, b)));
      if (ask(pool, x, std::move(arrived), a.position, b.position, nullptr) == Answer::unsat) {
        result_.assumptions.insert(order::matrix_stores_wait());
        return;
      }
    }
    if (answer != Answer::unsat) {
      message_unknown_ = false;
      if (messages.ordered(a, b, goal)) return;
      // Whether a message orders them could not be found out in time.
      if (message_unknown_) {
        gave_up_ = true;
        return;
      }
    }
    gave_up_ = gave_up_ || answer == Answer::unknown;
    if (answer != Answer::sat) return;
    seen_.insert(key);
    Finding f = race_of(pool, x, model, a, b, 1);
    f.other_offset = offset_in_array(pool, x, model, b.offset[1], b.region);
    f.threads[0].spec = a.spec;
    f.threads[1].spec = b.spec;
    f.threads[0].by_contract = a.by_contract;
    f.threads[1].by_contract = b.by_contract;
    if (m_.dialect == Dialect::opencl && m_.region(a.region).origin == Origin::image && !x.trace.fences.empty())
      f.perhaps = "messages by fences of images";
    else if (const RegionId flag = messages.perhaps(a, b, goal))
      f.perhaps = "messages through '" + m_.region(flag).name + "'";
    else if (const RegionId lock = engine.perhaps(a, b))
      f.perhaps = "what atomics do to '" + m_.region(lock).name + "'";
    else if (pairing_ == Pairing::same_group || unfollowed(x.unsupported))
      f.perhaps = x.perhaps;
    if (f.perhaps.empty()) f.apart = not_followed(pool, goal);
    if (f.perhaps.empty() && f.apart.empty() && !options_.bodiless)
      f.apart = computed(pool, m_, effects_.function(entry_), {a.offset[0], b.offset[1]});
    arguments(pool, x, model, f);
    result_.findings.push_back(std::move(f));
  }

  // Without the number of the group whose array it is (compute.cpp: Op::map_rank).
  int64_t offset_in_array(Pool& pool, const Execution& x, const Model& model, Term offset, RegionId r) const {
    return formula::as_signed(model.value(pool, offset),
                              m_.region(r).clustered ? Execution::k_group_bits : x.pointers.offset_bits);
  }

  // A race at one place, of thread 0 by access `a` and thread `other` by access `b`, with the values of the model.
  Finding race_of(Pool& pool, Execution& x, Model& model, const AccessRecord& a, const AccessRecord& b, size_t other) {
    Finding f;
    f.kind = Kind::race;
    f.place = a.place;
    f.other_place = b.place;
    f.region = a.region;
    f.offset = f.other_offset = offset_in_array(pool, x, model, a.offset[0], a.region);
    f.bytes = a.bytes;
    f.other_bytes = b.bytes;
    f.threads = {side(pool, x, model, 0), side(pool, x, model, other)};
    f.threads[0].access = a.kind;
    f.threads[0].place = a.place;
    f.threads[1].access = b.kind;
    f.threads[1].place = b.place;
    return f;
  }

  // A thread's own access to what a copy of its own, that it has not waited for, still reads or writes.
  void own_copy_race(Pool& pool, Execution& x, order::Engine& engine, const AccessRecord& a, const AccessRecord& b) {
    if (pairing_ != Pairing::same_group || lanes_ == Lanes::other_warp || a.region != b.region ||
        (a.kind == AccessKind::read && b.kind == AccessKind::read))
      return;
    const auto key = std::make_tuple(200 + 4 * static_cast<int>(a.kind) + static_cast<int>(b.kind), a.place.index,
                                     b.place.index, a.region.index);
    if (seen_.contains(key)) return;
    const uint8_t w = pool.width(a.offset[0]);
    const auto overlap = [&](Term first, Term second) {
      const Term d = pool.sub(second, first);
      return pool.any(pool.ult(d, pool.constant(a.bytes, w)), pool.ult(pool.neg(d), pool.constant(b.bytes, w)));
    };
    Model model;
    Answer answer = Answer::unsat;
    if (b.position > a.position)
      answer = ask(pool, x,
                   {a.guard[0], b.guard[0], overlap(a.offset[0], b.offset[0]), pool.not_(engine.waited(a, b.position)),
                    pool.not_(engine.known_complete(a, b, 0))},
                   b.position, 0, &model);
    // Of another iteration of a loop around both.
    const bool around = std::any_of(a.loops.begin(), a.loops.end(), [&](uint32_t l) {
      return !engine.in_step(l) && std::find(b.loops.begin(), b.loops.end(), l) != b.loops.end();
    });
    if (answer == Answer::unsat && around && !engine.ends_in_iteration(a)) {
      std::vector<Term> goal{a.guard[0], b.guard[1], overlap(a.offset[0], b.offset[1])};
      for (const size_t d : k_dimensions) goal.push_back(pool.eq(x.local_id[0][d], x.local_id[1][d]));
      // What the thread did in iterations before came before the copy.
      if (a.iteration[0] && b.iteration[1])
        goal.push_back(a.loops.size() == 1 && a.loops == b.loops ? pool.ult(a.iteration[0], b.iteration[1])
                                                                 : pool.ne(a.iteration[0], b.iteration[1]));
      goal.push_back(pool.not_(engine.known_complete(a, b, 1)));
      answer = ask(pool, x, goal, a.position, b.position, &model);
    }
    gave_up_ = gave_up_ || answer == Answer::unknown;
    if (answer != Answer::sat) return;
    seen_.insert(key);
    Finding f = race_of(pool, x, model, a, b, 0);
    f.perhaps = x.perhaps;
    arguments(pool, x, model, f);
    result_.findings.push_back(std::move(f));
  }

  // That both accesses are at the same place, said without products of unknowns (rows.h). False: nothing is changed.
  bool without_rows(Pool& pool, Execution& x, Term same, const AccessRecord& a, const AccessRecord& b,
                    std::vector<Term>& goal, std::vector<Term>& in_step) {
    const auto at = std::find(goal.begin(), goal.end(), same);
    if (at == goal.end()) return false;
    std::vector<Term> rest = goal;
    rest.erase(rest.begin() + (at - goal.begin()));
    const std::vector<Term> said = x.rows.split(a.offset[0], b.offset[1], [&](const std::vector<Term>& so_far, Term t) {
      std::vector<Term> question = rest;
      question.insert(question.end(), so_far.begin(), so_far.end());
      question.push_back(t);
      Model model;  // in which a guard may hold by an overflow
      const double seconds = quotients_->any(question) ? k_soon_seconds : k_row_seconds;
      return ask(pool, x, question, a.position, b.position, &model, seconds) == Answer::unsat;
    });
    if (said.empty()) return false;
    result_.small_offsets = true;
    for (std::vector<Term>* list : {&goal, &in_step}) {
      std::erase(*list, same);
      list->insert(list->end(), said.begin(), said.end());
    }
    return true;
  }

  const Module& m_;
  FunctionId entry_;
  const Options& options_;
  const Job& job_;
  const flow::Effects& effects_;
  Pairing pairing_;
  Lanes lanes_;
  Groups groups_;
  Refuted refuted_;
  std::unique_ptr<Pool> pool_;
  std::unique_ptr<Execution> execution_;
  std::unique_ptr<Quotients> quotients_;
  std::unique_ptr<formula::Session> session_;
  formula::Statistics statistics_;
  std::set<Key> seen_;
  std::vector<uint8_t> steering_;  // by region; made when first asked for
  bool message_unknown_ = false;
  bool gave_up_ = false, patient_ = false, postponed_ = false, alone_ = false;
  double multiplier_seconds_ = k_multiplier_seconds;  // left
  double length_seconds_ = k_all_length_seconds;
  double small_seconds_ = k_all_small_seconds, split_seconds_ = k_all_split_seconds;
  Result result_;
};

}  // namespace fencepost::prove
