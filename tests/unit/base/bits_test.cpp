// Bit rows against the plain definition: sets of pairs.
#include "base/bits.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/job.h"

using namespace fencepost;

namespace {

using Pair = std::pair<uint32_t, uint32_t>;
using Pairs = std::set<Pair>;
using Elements = std::set<uint32_t>;

constexpr uint32_t k_sizes[] = {0, 1, 5, 63, 64, 65, 130};

Pairs pairs_of(const Relation& r) {
  const auto list = r.pairs();
  return {list.begin(), list.end()};
}

Elements elements_of(const BitSet& s) {
  Elements out;
  s.for_each([&](uint32_t i) { out.insert(i); });
  return out;
}

Relation random_relation(uint32_t n, double density, Rng& rng) {
  Relation r(n);
  for (uint32_t i = 0; i < n; ++i)
    for (uint32_t j = 0; j < n; ++j)
      if (rng.chance(density)) r.set(i, j);
  return r;
}

BitSet random_set(uint32_t n, Rng& rng) {
  BitSet s(n);
  for (uint32_t i = 0; i < n; ++i)
    if (rng.chance(0.5)) s.set(i);
  return s;
}

Pairs naive_compose(const Pairs& a, const Pairs& b) {
  std::map<uint32_t, std::vector<uint32_t>> next;
  for (const auto& [x, y] : b) next[x].push_back(y);
  Pairs out;
  for (const auto& [x, y] : a)
    for (const uint32_t z : next[y]) out.insert({x, z});
  return out;
}

// Reachability by one depth-first walk per source.
Pairs naive_closure(const Pairs& r, uint32_t n) {
  std::vector<std::vector<uint32_t>> next(n);
  for (const auto& [x, y] : r) next[x].push_back(y);
  Pairs out;
  for (uint32_t s = 0; s < n; ++s) {
    std::vector<uint32_t> todo = next[s];
    std::vector<bool> seen(n);
    while (!todo.empty()) {
      const uint32_t x = todo.back();
      todo.pop_back();
      if (seen[x]) continue;
      seen[x] = true;
      out.insert({s, x});
      todo.insert(todo.end(), next[x].begin(), next[x].end());
    }
  }
  return out;
}

}  // namespace

TEST(Bits, FullAndIdentityStayInsideTheUniverse) {
  for (const uint32_t n : k_sizes) {
    EXPECT_EQ(BitSet(n, true).count(), n);
    EXPECT_EQ(BitSet(n).count(), 0u);
    EXPECT_EQ(BitSet(n).complement(), BitSet(n, true));
    EXPECT_EQ(Relation(n, true).count(), uint64_t{n} * n);
    EXPECT_EQ(Relation::identity(n).count(), n);
    EXPECT_EQ(Relation::identity(BitSet(n, true)), Relation::identity(n));
    EXPECT_EQ(Relation::product(BitSet(n, true), BitSet(n, true)), Relation(n, true));
    EXPECT_EQ(Relation(n, true).acyclic(), n == 0);
    EXPECT_TRUE(Relation(n).acyclic());
  }
}

TEST(Bits, SetsAgreeWithSetsOfElements) {
  Rng rng(7);
  for (const uint32_t n : k_sizes) {
    for (int round = 0; round < 10; ++round) {
      const BitSet a = random_set(n, rng), b = random_set(n, rng);
      const Elements x = elements_of(a), y = elements_of(b);
      Elements joined = x, both, without, outside;
      joined.insert(y.begin(), y.end());
      for (const uint32_t i : x) (y.count(i) != 0 ? both : without).insert(i);
      for (uint32_t i = 0; i < n; ++i)
        if (x.count(i) == 0) outside.insert(i);
      EXPECT_EQ(elements_of(a | b), joined);
      EXPECT_EQ(elements_of(a & b), both);
      EXPECT_EQ(elements_of(a - b), without);
      EXPECT_EQ(elements_of(a.complement()), outside);
      EXPECT_EQ(a.count(), x.size());
      EXPECT_EQ(a.empty(), x.empty());
      EXPECT_EQ(a.subset_of(b), without.empty());
      EXPECT_TRUE((a & b).subset_of(b));
      EXPECT_EQ(a == b, x == y);
    }
  }
}

TEST(Bits, RelationsAgreeWithSetsOfPairs) {
  Rng rng(11);
  for (const uint32_t n : k_sizes) {
    for (const double density : {0.0, 0.01, 0.05, 0.3, 0.9}) {
      const Relation a = random_relation(n, density, rng), b = random_relation(n, density, rng);
      const BitSet s = random_set(n, rng), t = random_set(n, rng);
      const Pairs x = pairs_of(a), y = pairs_of(b);

      Pairs joined = x, both, without, turned, from_s, to_s, product;
      Elements domain, range;
      joined.insert(y.begin(), y.end());
      bool irreflexive = true;
      for (const Pair& p : x) {
        (y.count(p) != 0 ? both : without).insert(p);
        turned.insert({p.second, p.first});
        domain.insert(p.first);
        range.insert(p.second);
        if (s.test(p.first)) from_s.insert(p);
        if (s.test(p.second)) to_s.insert(p);
        irreflexive = irreflexive && p.first != p.second;
      }
      for (const uint32_t i : elements_of(s))
        for (const uint32_t j : elements_of(t)) product.insert({i, j});

      EXPECT_EQ(pairs_of(a | b), joined);
      EXPECT_EQ(pairs_of(a & b), both);
      EXPECT_EQ(pairs_of(a - b), without);
      EXPECT_EQ(pairs_of(a.inverse()), turned);
      EXPECT_EQ(pairs_of(a.restrict_domain(s)), from_s);
      EXPECT_EQ(pairs_of(a.restrict_range(s)), to_s);
      EXPECT_EQ(pairs_of(Relation::product(s, t)), product);
      EXPECT_EQ(elements_of(a.domain()), domain);
      EXPECT_EQ(elements_of(a.range()), range);
      EXPECT_EQ(a.irreflexive(), irreflexive);
      EXPECT_EQ(a.count(), x.size());
      EXPECT_EQ(a.empty(), x.empty());
      EXPECT_EQ(a.subset_of(b), without.empty());
      EXPECT_EQ(pairs_of(a.compose(b)), naive_compose(x, y));

      const Pairs closed = naive_closure(x, n);
      EXPECT_EQ(pairs_of(a.closure()), closed);
      bool acyclic = true;
      for (uint32_t i = 0; i < n; ++i) acyclic = acyclic && closed.count({i, i}) == 0;
      EXPECT_EQ(a.acyclic(), acyclic);
      for (uint32_t i = 0; i < n; ++i) {
        Elements after, listed;
        for (const Pair& p : x)
          if (p.first == i) after.insert(p.second);
        a.for_each_in_row(i, [&](uint32_t j) { listed.insert(j); });
        EXPECT_EQ(elements_of(a.successors(i)), after);
        EXPECT_EQ(listed, after);
      }
    }
  }
}

TEST(Bits, SparseRelationsNearTheEdgeOfACycle) {
  // Random relations are nearly always cyclic; a chain through every element, with one edge back, is not.
  Rng rng(3);
  for (const uint32_t n : {2u, 63u, 64u, 65u, 130u}) {
    std::vector<uint32_t> order(n);
    for (uint32_t i = 0; i < n; ++i) order[i] = i;
    for (uint32_t i = n; i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
    Relation chain(n);
    for (uint32_t i = 0; i + 1 < n; ++i) chain.set(order[i], order[i + 1]);
    EXPECT_TRUE(chain.acyclic());
    EXPECT_EQ(chain.closure().count(), uint64_t{n} * (n - 1) / 2);
    Relation ring = chain;
    ring.set(order[n - 1], order[0]);
    EXPECT_FALSE(ring.acyclic());
    EXPECT_EQ(ring.closure(), Relation(n, true));
    Relation looped = chain;
    looped.set(order[n / 2], order[n / 2]);
    EXPECT_FALSE(looped.acyclic());
  }
}

TEST(BitsDeathTest, DifferentUniversesAreOurFault) {
  EXPECT_EXIT(Relation(3) |= Relation(4), testing::ExitedWithCode(4), "different universes");
}
