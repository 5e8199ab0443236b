#include <algorithm>
#include <map>
#include <utility>

#include "classify/classify.h"

namespace fencepost::classify {
namespace {

constexpr size_t k_max_joint_states = 100'000;

struct Joint {
  fair::Machine::StateId a = 0, b = 0;
  auto operator<=>(const Joint&) const = default;
};

// Two machines side by side over all events: step of t, and step of t that ends it.
class Product {
 public:
  Product(const fair::Model& a, const fair::Model& b, uint32_t threads)
      : threads_(threads), a_(a, threads, all(threads)), b_(b, threads, all(threads)) {}

  // nullopt: too many joint states.
  Expected<std::optional<bool>> within() {
    auto a0 = a_.initial();
    if (!a0) return std::unexpected(a0.error());
    auto b0 = b_.initial();
    if (!b0) return std::unexpected(b0.error());
    intern({*a0, *b0});
    for (size_t s = 0; s < states_.size(); ++s) {
      if (states_.size() > k_max_joint_states) return std::nullopt;
      repeats_.emplace_back();
      const Joint at = states_[s];
      const fair::ThreadSet live = a_.live(at.a);
      for (uint32_t t = 0; t < threads_; ++t) {
        if ((live >> t & 1) == 0) continue;
        for (bool ends : {false, true}) {
          auto a = a_.after(at.a, t, {}, ends);
          if (!a) return std::unexpected(a.error());
          auto b = b_.after(at.b, t, {}, ends);
          if (!b) return std::unexpected(b.error());
          const uint32_t to = intern({*a, *b});
          // A thread ends once, so only steps that end nothing can be repeated for ever.
          if (!ends) repeats_[s].push_back(to);
        }
      }
    }
    for (uint32_t s = 0; s < states_.size(); ++s)
      if ((a_.fair(states_[s].a) & ~b_.fair(states_[s].b)) != 0 && on_cycle(s)) return false;
    return true;
  }

 private:
  static fair::ThreadSet all(uint32_t threads) {
    return threads == 64 ? ~fair::ThreadSet{0} : (fair::ThreadSet{1} << threads) - 1;
  }
  uint32_t intern(Joint j) {
    auto [at, fresh] = ids_.try_emplace(j, static_cast<uint32_t>(states_.size()));
    if (fresh) states_.push_back(j);
    return at->second;
  }
  // Few states need this: those where the fair sets disagree.
  bool on_cycle(uint32_t s) const {
    std::vector<bool> seen(states_.size());
    std::vector<uint32_t> work = {s};
    while (!work.empty()) {
      const uint32_t at = work.back();
      work.pop_back();
      for (uint32_t to : repeats_[at]) {
        if (to == s) return true;
        if (seen[to]) continue;
        seen[to] = true;
        work.push_back(to);
      }
    }
    return false;
  }

  uint32_t threads_;
  fair::Machine a_, b_;
  std::vector<Joint> states_;
  std::map<Joint, uint32_t> ids_;
  std::vector<std::vector<uint32_t>> repeats_;
};

// No reachable state has anybody in F.
Expected<bool> never_promises(const fair::Model& model, uint32_t threads) {
  const fair::ThreadSet all = threads == 64 ? ~fair::ThreadSet{0} : (fair::ThreadSet{1} << threads) - 1;
  fair::Machine machine(model, threads, all);
  auto first = machine.initial();
  if (!first) return std::unexpected(first.error());
  std::vector<fair::Machine::StateId> work = {*first};
  std::map<fair::Machine::StateId, bool> seen = {{*first, true}};
  while (!work.empty()) {
    const auto at = work.back();
    work.pop_back();
    if (machine.fair(at) != 0) return false;
    if (seen.size() > k_max_joint_states) return false;
    for (uint32_t t = 0; t < threads; ++t) {
      if ((machine.live(at) >> t & 1) == 0) continue;
      for (bool ends : {false, true}) {
        auto to = machine.after(at, t, {}, ends);
        if (!to) return std::unexpected(to.error());
        if (seen.try_emplace(*to, true).second) work.push_back(*to);
      }
    }
  }
  return true;
}

}  // namespace

bool Order::at_most(Column a, Column b) const {
  using oracle::Fairness;
  if (empty_[a.model]) return true;
  if (!within_[a.model][b.model]) return false;
  return a.fairness == b.fairness || a.fairness == Fairness::weak;
}

Expected<Order> order_of(const std::vector<fair::Model>& models, uint32_t threads) {
  threads = std::clamp(threads, 1u, k_most_order_threads);
  Order o;
  const size_t n = models.size();
  o.within_.assign(n, std::vector<bool>(n, false));
  o.empty_.assign(n, false);
  for (size_t a = 0; a < n; ++a) {
    o.within_[a][a] = true;
    if (models[a].reads_instructions()) continue;
    auto empty = never_promises(models[a], threads);
    if (!empty) return std::unexpected(empty.error());
    o.empty_[a] = *empty;
    for (size_t b = 0; b < n; ++b) {
      if (b == a || models[b].reads_instructions()) continue;
      bool within = true;
      for (uint32_t k = 1; k <= threads && within; ++k) {
        auto here = Product(models[a], models[b], k).within();
        if (!here) return std::unexpected(here.error());
        within = here->value_or(false);
      }
      o.within_[a][b] = within;
    }
  }
  return o;
}

}  // namespace fencepost::classify
