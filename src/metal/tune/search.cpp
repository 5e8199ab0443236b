#include "tune/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "stats/peek.h"
#include "stats/sample.h"

namespace fencepost::tune {

const char* name(Strategy s) {
  switch (s) {
    case Strategy::exhaustive:
      return "exhaustive";
    case Strategy::peek:
      return "peek";
    case Strategy::halving:
      return "halving";
  }
  return "";
}

const char* name(Objective o) { return o == Objective::per_second ? "per-second" : "per-instance"; }

const char* name(Candidate::End e) {
  switch (e) {
    case Candidate::End::open:
      return "open";
    case Candidate::End::dropped:
      return "dropped";
    case Candidate::End::measured:
      return "measured";
    case Candidate::End::lost:
      return "lost";
    case Candidate::End::unstable:
      return "unstable";
  }
  return "";
}

uint32_t usual_first_rounds(uint32_t rounds) { return rounds < 80 ? 3 : 4; }

std::string to_string(const Rule& r) {
  std::string out =
      fmt::format("strategy = {}, objective = {}, configurations = {}, rounds = {}, restarts = {}, stability = {}",
                  name(r.strategy), name(r.objective), r.configurations, r.rounds, r.restarts, r.stability);
  if (r.strategy == Strategy::peek)
    out += r.published ? fmt::format(", published, peeks = {}", r.peeks) : fmt::format(", events = {:g}", r.events);
  if (r.strategy == Strategy::halving)
    out += fmt::format(", first-rounds = {}, keep = 1/{}, refine = {}", r.first_rounds, r.keep, r.refine);
  return out;
}

namespace {

constexpr size_t k_parents = 3;         // refining: neighbours of so many
constexpr uint32_t k_one_drawn_of = 3;  // and one set in so many is drawn as ever

double exposure(const Round& r, Objective o) {
  return o == Objective::per_second ? static_cast<double>(r.nanoseconds) : static_cast<double>(r.instances);
}

}  // namespace

Estimate estimate(const std::vector<Round>& rounds, Objective objective, double level) {
  Estimate e;
  double all = 0;
  for (const Round& r : rounds) {
    e.events += r.events;
    e.instances += r.instances;
    e.seconds += static_cast<double>(r.nanoseconds) * 1e-9;
    all += exposure(r, objective);
  }
  const double unit = objective == Objective::per_second ? 1e-9 : 1;
  if (all <= 0) return e;
  e.rate = static_cast<double>(e.events) / (all * unit);
  if (rounds.size() > 1) {
    // Rounds differ in size: counts are taken at the mean size, so that only the rates scatter.
    const double typical = all / static_cast<double>(rounds.size());
    std::vector<double> counts;
    for (const Round& r : rounds)
      if (const double x = exposure(r, objective); x > 0) counts.push_back(static_cast<double>(r.events) / x * typical);
    e.dispersion = std::max(1.0, stats::index_of_dispersion(counts));
  }
  e.interval = stats::poisson_dispersed(e.events, all * unit, e.dispersion, level);
  return e;
}

namespace {

class Search {
 public:
  Search(const Rule& rule, Bench& bench, const std::function<void(const Found&, const Candidate&)>& tell)
      : rule_(rule), bench_(bench), tell_(tell) {}

  Expected<Found> run() {
    do {
      const size_t first = found_.candidates.size();
      add_set(static_cast<uint32_t>(first));
      Expected<void> ok;
      if (rule_.strategy == Strategy::halving)
        ok = halve(first);
      else
        ok = one_by_one(first);
      if (!ok) return std::unexpected(ok.error());
      if (!over()) ++found_.sets;
    } while (rule_.budget > 0 && !over());
    found_.over = over() && found_.sets == 0;
    // What was never begun says nothing.
    std::erase_if(found_.candidates,
                  [](const Candidate& c) { return c.end == Candidate::End::open && c.rounds.empty(); });
    found_.winner = best();
    found_.median = middle();
    found_.seconds = bench_.seconds();
    return std::move(found_);
  }

 private:
  // Further candidates, numbered from `first`.
  void add_set(uint32_t first) {
    const bool drawn = !rule_.refine || rule_.strategy != Strategy::halving ||
                       first / std::max(1u, rule_.configurations) % k_one_drawn_of == 0;
    const std::vector<uint32_t> parents = drawn ? std::vector<uint32_t>{} : best_of_lineages();
    for (uint32_t k = 0; k < rule_.configurations; ++k) {
      Candidate c;
      c.configuration = first + k;
      if (!parents.empty()) {
        c.parent = parents[k % parents.size()];
        bench_.derive(c.configuration, *c.parent);
      }
      found_.candidates.push_back(std::move(c));
    }
  }

  // Of those that were measured in full and come from one drawn configuration the best, of the best few lineages.
  std::vector<uint32_t> best_of_lineages() const {
    std::map<uint32_t, std::pair<double, uint32_t>> best;  // by the drawn one: minus the rate, configuration
    for (const Candidate& c : found_.candidates) {
      if (c.end != Candidate::End::measured || c.now.events == 0) continue;
      uint32_t root = c.configuration;
      while (found_.candidates[root].parent) root = *found_.candidates[root].parent;
      const std::pair<double, uint32_t> mine{-c.now.rate, c.configuration};
      const auto [at, fresh] = best.emplace(root, mine);
      if (!fresh) at->second = std::min(at->second, mine);
    }
    std::vector<std::pair<double, uint32_t>> order;
    for (const auto& [root, b] : best) order.push_back(b);
    std::ranges::sort(order);
    std::vector<uint32_t> out;
    for (size_t k = 0; k < std::min(order.size(), k_parents); ++k) out.push_back(order[k].second);
    return out;
  }

  bool over() const { return bench_.stopped() || (rule_.budget > 0 && bench_.seconds() >= rule_.budget); }

  static bool out(const Candidate& c) { return c.end == Candidate::End::lost || c.end == Candidate::End::unstable; }

  // Until the candidate has `rounds` of them. A restart begins again from none.
  Expected<void> measure(size_t at, uint32_t rounds) {
    while (!over()) {
      Candidate& c = found_.candidates[at];
      if (out(c) || c.rounds.size() >= rounds) break;
      auto more = bench_.measure(c.configuration, rounds - static_cast<uint32_t>(c.rounds.size()));
      if (!more) return std::unexpected(more.error());
      if (more->empty()) {
        if (!bench_.stopped()) c.end = Candidate::End::lost;
        break;
      }
      c.rounds.insert(c.rounds.end(), more->begin(), more->end());
      c.now = estimate(c.rounds, rule_.objective);
      if (c.rounds.size() >= rule_.rounds) check_stability(c);
      note(c);
    }
    return {};
  }

  void check_stability(Candidate& c) {
    c.end = Candidate::End::measured;
    if (!rule_.stability) return;
    std::vector<double> series;
    for (const Round& r : c.rounds) {
      const double x = exposure(r, rule_.objective);
      series.push_back(x > 0 ? static_cast<double>(r.events) / x : 0);
    }
    const stats::Stationarity s = stats::stationarity(series);
    if (!s.enough) return;
    c.stability = s.ks.p_value;
    if (c.stability >= k_unstable) return;
    if (c.restarts >= rule_.restarts) {
      c.end = Candidate::End::unstable;
      return;
    }
    ++c.restarts;
    c.rounds.clear();
    c.end = Candidate::End::open;
  }

  void note(const Candidate& c) {
    if (const auto b = best()) {
      const Candidate& winner = found_.candidates[*b];
      found_.curve.push_back({bench_.seconds(), winner.configuration, winner.now.rate});
    }
    found_.seconds = bench_.seconds();
    if (tell_) tell_(found_, c);
  }

  // Of those measured in full the best rate; where there is none yet, the best lower bound. What was set aside comes
  // last.
  std::optional<uint32_t> best() const {
    std::optional<uint32_t> found;
    std::tuple<int, double> score;
    for (uint32_t k = 0; k < found_.candidates.size(); ++k) {
      const Candidate& c = found_.candidates[k];
      if (c.rounds.empty() || c.end == Candidate::End::lost) continue;
      const Estimate& e = c.now;
      const int rank = c.end == Candidate::End::unstable ? 0 : c.end == Candidate::End::measured ? 2 : 1;
      const std::tuple<int, double> s{rank, rank == 1 ? e.interval.lower : e.rate};
      if (!found || s > score) {
        found = k;
        score = s;
      }
    }
    return found;
  }

  std::optional<uint32_t> middle() const {
    std::vector<std::pair<double, uint32_t>> rates;
    for (uint32_t k = 0; k < found_.candidates.size(); ++k)
      if (const Candidate& c = found_.candidates[k]; !c.rounds.empty() && !c.parent) rates.emplace_back(c.now.rate, k);
    if (rates.empty()) return std::nullopt;
    std::sort(rates.begin(), rates.end());
    return rates[rates.size() / 2].second;
  }

  Expected<void> halve(size_t first) {
    std::vector<size_t> alive(rule_.configurations);
    std::iota(alive.begin(), alive.end(), first);
    uint32_t rounds = std::min(std::max(1u, rule_.first_rounds), rule_.rounds);
    const uint32_t keep = std::max(2u, rule_.keep);
    while (!over()) {
      for (const size_t k : alive)
        if (auto ok = measure(k, rounds); !ok) return ok;
      if (over() || rounds >= rule_.rounds) break;
      std::erase_if(alive, [&](size_t k) { return out(found_.candidates[k]); });
      std::vector<std::pair<double, size_t>> order;
      for (const size_t k : alive) order.emplace_back(-found_.candidates[k].now.rate, k);
      std::sort(order.begin(), order.end());
      const size_t stay = std::max<size_t>(1, (order.size() + keep - 1) / keep);
      alive.clear();
      for (size_t i = 0; i < order.size(); ++i) {
        if (i < stay)
          alive.push_back(order[i].second);
        else
          found_.candidates[order[i].second].end = Candidate::End::dropped;
      }
      // One that is alone is measured in full: its rate is a result.
      rounds = alive.size() <= 1 ? rule_.rounds : std::min(rule_.rounds, rounds * keep);
    }
    return {};
  }

  stats::Count count(const Estimate& e) const {
    stats::Count c;
    c.events = e.events;
    c.trials = rule_.objective == Objective::per_second ? static_cast<uint64_t>(e.seconds * 1e9) : e.instances;
    if (!rule_.published) c.dispersion = e.dispersion;
    return c;
  }

  Expected<void> one_by_one(size_t first) {
    for (size_t k = first; k < found_.candidates.size() && !over(); ++k) {
      std::optional<uint32_t> incumbent;
      if (rule_.strategy == Strategy::peek) incumbent = best();
      if (!incumbent || found_.candidates[*incumbent].end != Candidate::End::measured) {
        if (auto ok = measure(k, rule_.rounds); !ok) return ok;
        continue;
      }
      const Candidate& reference = found_.candidates[*incumbent];
      if (auto ok = peek(k, count(reference.now), reference.rounds.size()); !ok) return ok;
    }
    return {};
  }

  Expected<void> peek(size_t k, const stats::Count& incumbent, size_t incumbent_rounds) {
    stats::PeekRule rule;
    rule.kind = rule_.published ? stats::PeekRule::Kind::wald : stats::PeekRule::Kind::expected;
    rule.peeks = rule_.peeks;
    rule.events = rule_.events;
    while (!over()) {
      const Candidate& c = found_.candidates[k];
      if (out(c) || c.rounds.size() >= rule_.rounds) break;
      uint32_t more = std::max(1u, (rule_.rounds + rule_.peeks - 1) / std::max(1u, rule_.peeks));
      if (!rule_.published) {
        // As many rounds as the best so far needs for so many outcomes.
        const double per_round =
            static_cast<double>(incumbent.events) / static_cast<double>(std::max<size_t>(incumbent_rounds, 1));
        const double wanted = per_round > 0 ? std::ceil(rule_.events / per_round) : rule_.rounds;
        more = static_cast<uint32_t>(std::clamp<double>(wanted, k_least_rounds, rule_.rounds));
      }
      const uint32_t restarts = c.restarts;
      if (auto ok = measure(k, std::min(rule_.rounds, static_cast<uint32_t>(c.rounds.size()) + more)); !ok) return ok;
      Candidate& now = found_.candidates[k];
      if (now.restarts != restarts || now.end != Candidate::End::open || now.rounds.empty()) continue;
      if (stats::drop(rule, incumbent, count(now.now))) {
        now.end = Candidate::End::dropped;
        break;
      }
    }
    return {};
  }

  const Rule& rule_;
  Bench& bench_;
  const std::function<void(const Found&, const Candidate&)>& tell_;
  Found found_;
};

}  // namespace

Expected<Found> search(const Rule& rule, Bench& bench,
                       const std::function<void(const Found&, const Candidate&)>& tell) {
  return Search(rule, bench, tell).run();
}

}  // namespace fencepost::tune
