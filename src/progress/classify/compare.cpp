#include <algorithm>
#include <tuple>

#include "classify/classify.h"

namespace fencepost::classify {
namespace {

class Separator {
 public:
  Separator(const Side& a, const Side& b, const oracle::Options& options)
      : a_(a.fairness), b_(b.fairness), decide_({a.model, b.model}, options) {}

  // nullopt: they agree, or the test has too many states.
  Expected<std::optional<Difference>> operator()(const axb::Test& test) {
    auto verdicts = decide_(test);
    if (!verdicts) return std::unexpected(verdicts.error());
    if (!*verdicts) return std::nullopt;
    const bool a = passes((**verdicts)[0], a_), b = passes((**verdicts)[1], b_);
    if (a == b) return std::nullopt;
    return Difference{test, a, b, oracle::size_of(test)};
  }

 private:
  oracle::Fairness a_, b_;
  oracle::Decider decide_;
};

auto size_key(const Difference& d) {
  size_t instructions = 0;
  for (const axb::Thread& t : d.test.threads) instructions += t.code.size();
  return std::tuple(instructions, d.test.threads.size(), d.size.states);
}

}  // namespace

Expected<std::vector<Difference>> compare(const Side& a, const Side& b, const std::vector<axb::Test>& tests,
                                          size_t limit, const oracle::Options& options) {
  size_t at = 0;
  auto all = compare(
      a, b,
      [&]() -> std::optional<axb::Test> { return at == tests.size() ? std::nullopt : std::optional(tests[at++]); },
      SIZE_MAX, options);
  if (!all) return all;
  std::stable_sort(all->begin(), all->end(),
                   [](const Difference& x, const Difference& y) { return size_key(x) < size_key(y); });
  if (all->size() > limit) all->erase(all->begin() + static_cast<ptrdiff_t>(limit), all->end());
  return all;
}

Expected<std::vector<Difference>> compare(const Side& a, const Side& b, const Next& next, size_t limit,
                                          const oracle::Options& options) {
  Separator separate(a, b, options);
  std::vector<Difference> found;
  while (found.size() < limit) {
    const std::optional<axb::Test> test = next();
    if (!test) break;
    auto difference = separate(*test);
    if (!difference) return std::unexpected(difference.error());
    if (*difference) found.push_back(std::move(**difference));
  }
  return found;
}

}  // namespace fencepost::classify
