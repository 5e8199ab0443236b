#include "tune/replay.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "base/job.h"
#include "stats/sample.h"

namespace fencepost::tune {
namespace {

// A data set in another order, begun at other places.
class Virtual : public Bench {
 public:
  Virtual(const DataSet& set, Rng& rng, uint32_t rounds)
      : set_(set), order_(set.rounds.size()), start_(order_.size()), used_(order_.size()), most_(rounds) {
    std::iota(order_.begin(), order_.end(), 0u);
    for (size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[rng.below(i)]);
    for (size_t i = 0; i < order_.size(); ++i) start_[i] = set.rounds[i].empty() ? 0 : rng.below(set.rounds[i].size());
  }

  void derive(uint32_t, uint32_t) override {}  // a data set has what was drawn
  Expected<std::vector<Round>> measure(uint32_t configuration, uint32_t rounds) override {
    std::vector<Round> out;
    if (configuration >= order_.size()) return out;
    const uint32_t k = order_[configuration];
    const std::vector<Round>& all = set_.rounds[k];
    while (!all.empty() && rounds-- > 0 && used_[k] < most_) {
      out.push_back(all[(start_[k] + used_[k]++) % all.size()]);
      seconds_ += static_cast<double>(out.back().nanoseconds) * 1e-9;
    }
    return out;
  }
  double seconds() const override { return seconds_; }
  bool stopped() const override { return false; }
  uint32_t number(uint32_t configuration) const { return order_[configuration]; }

 private:
  const DataSet& set_;
  std::vector<uint32_t> order_;
  std::vector<size_t> start_;
  std::vector<uint32_t> used_;
  uint32_t most_;
  double seconds_ = 0;
};

std::vector<double> of(const std::vector<Repeat>& repeats, double Repeat::* member) {
  std::vector<double> out;
  for (const Repeat& r : repeats) out.push_back(r.*member);
  return out;
}

}  // namespace

double DataSet::seconds() const {
  double s = 0;
  for (const auto& list : rounds)
    for (const Round& r : list) s += static_cast<double>(r.nanoseconds) * 1e-9;
  return s;
}

double Replayed::speed_up() const {
  const double mine = repeats.empty() ? 0 : stats::median(of(repeats, &Repeat::seconds));
  return mine > 0 ? exhaustive_seconds / mine : 0;
}
double Replayed::within(double loss) const {
  if (repeats.empty()) return 0;
  const auto n = std::count_if(repeats.begin(), repeats.end(), [&](const Repeat& r) { return r.loss <= loss; });
  return static_cast<double>(n) / static_cast<double>(repeats.size());
}
double Replayed::median_loss() const { return repeats.empty() ? 0 : stats::median(of(repeats, &Repeat::loss)); }
double Replayed::worst_loss() const {
  double worst = 0;
  for (const Repeat& r : repeats) worst = std::max(worst, r.loss);
  return worst;
}

std::vector<DataSet> data_sets(const std::vector<store::Trial>& trials, uint32_t rounds) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>,
           std::map<uint32_t, std::pair<std::string, std::vector<Round>>>>
      by;
  for (const store::Trial& t : trials) {
    if (t.purpose != "explore" || t.configuration.find_first_not_of("0123456789") != std::string::npos) continue;
    auto& [parameters, list] =
        by[{t.campaign, t.test, t.test_hash, t.device}][static_cast<uint32_t>(std::stoul(t.configuration))];
    parameters = t.parameters;
    list.insert(list.end(), t.rounds.begin(), t.rounds.end());
  }
  std::vector<DataSet> out;
  for (auto& [key, configurations] : by) {
    DataSet set;
    std::tie(set.campaign, set.test, set.test_hash, set.device) = key;
    for (auto& [number, data] : configurations) {
      if (data.second.size() < rounds && !data.second.empty()) continue;
      set.numbers.push_back(number);
      set.parameters.push_back(std::move(data.first));
      set.rounds.push_back(std::move(data.second));
    }
    if (set.rounds.size() > 1) out.push_back(std::move(set));
  }
  return out;
}

std::vector<Method> methods(const Rule& rule, uint32_t configurations) {
  Rule r = rule;
  r.configurations = configurations;
  r.stability = false;
  r.budget = 0;
  std::vector<Method> out;
  r.strategy = Strategy::exhaustive;
  out.push_back({"exhaustive", r});
  r.strategy = Strategy::peek;
  r.published = true;
  out.push_back({"peek, published", r});
  r.published = false;
  out.push_back({"peek, corrected", r});
  r.strategy = Strategy::halving;
  out.push_back({"halving", r});
  return out;
}

std::vector<Replayed> replay(const std::vector<DataSet>& sets, const Rule& rule, uint32_t repeats, uint64_t seed,
                             Job& job) {
  std::vector<Replayed> out;
  for (const DataSet& set : sets) {
    std::vector<double> rates;
    for (const auto& rounds : set.rounds) rates.push_back(estimate(rounds, rule.objective).rate);
    const double best = *std::max_element(rates.begin(), rates.end());
    double exhaustive = 0;
    for (const Method& m : methods(rule, static_cast<uint32_t>(set.rounds.size()))) {
      Replayed r{set.campaign, set.test, set.device, m.name, {}, 0, best};
      for (uint32_t k = 0; k < repeats && !job.out_of_time(); ++k) {
        const uint64_t own = seed + 0x9e3779b97f4a7c15u * (k + 1);
        Rng rng(own);
        Virtual bench(set, rng, m.rule.rounds);
        const auto found = search(m.rule, bench);
        if (!found || !found->winner) continue;
        const uint32_t chosen = bench.number(found->candidates[*found->winner].configuration);
        r.repeats.push_back({own, bench.seconds(), best > 0 ? 1 - rates[chosen] / best : 0, set.numbers[chosen]});
      }
      if (m.rule.strategy == Strategy::exhaustive && !r.repeats.empty())
        exhaustive = stats::median(of(r.repeats, &Repeat::seconds));
      r.exhaustive_seconds = exhaustive;
      out.push_back(std::move(r));
    }
  }
  return out;
}

}  // namespace fencepost::tune
