// canonical_key against its definition: equal iff some renaming makes the tests equal, found by trying all of them.
#include <algorithm>
#include <chrono>
#include <numeric>

#include "axb_support.h"

using namespace axb_test;

namespace {

// number[l]: the new number of location l; order[n]: the old thread at n.
axb::Test renamed(const axb::Test& t, const std::vector<uint32_t>& number, const std::vector<uint32_t>& order) {
  axb::Test out = t;
  out.name = "renamed";
  for (uint32_t l = 0; l < number.size(); ++l) out.locations[number[l]] = t.locations[l];
  for (uint32_t n = 0; n < order.size(); ++n) {
    out.threads[n] = t.threads[order[n]];
    for (axb::Instr& i : out.threads[n].code) i.location = number[i.location];
  }
  return out;
}

std::vector<uint32_t> identity(size_t n) {
  std::vector<uint32_t> v(n);
  std::iota(v.begin(), v.end(), 0u);
  return v;
}

bool same_up_to(const axb::Test& a, const axb::Test& b, bool locations, bool threads) {
  if (a.locations.size() != b.locations.size() || a.threads.size() != b.threads.size()) return false;
  std::vector<uint32_t> number = identity(a.locations.size());
  do {
    std::vector<uint32_t> order = identity(a.threads.size());
    do {
      const axb::Test r = renamed(a, number, order);
      bool equal = r.threads == b.threads;
      for (size_t l = 0; l < number.size() && equal; ++l) equal = r.locations[l].init == b.locations[l].init;
      if (equal) return true;
    } while (threads && std::next_permutation(order.begin(), order.end()));
  } while (locations && std::next_permutation(number.begin(), number.end()));
  return false;
}

TEST(AxbKey, AgreesWithTheDefinition) {
  std::mt19937 rng(11);
  size_t equal = 0, different = 0;
  for (int k = 0; k < 1500; ++k) {
    // Few shapes, so that chance meets equal ones.
    const axb_test::Shape shape{.threads = 3, .locations = k % 3 == 0 ? 5u : 3u, .instructions = 2, .values = 2};
    const axb::Test a = random_test(rng, shape);
    axb::Test b = random_test(rng, shape);
    if (k % 2) {
      std::vector<uint32_t> number = identity(a.locations.size()), order = identity(a.threads.size());
      std::ranges::shuffle(number, rng);
      std::ranges::shuffle(order, rng);
      b = renamed(a, number, order);
      if (k % 4 == 3 && !b.threads[0].code.empty()) b.threads[0].code[0].location = 0;
    }
    for (const bool locations : {false, true})
      for (const bool threads : {false, true}) {
        const bool same = same_up_to(a, b, locations, threads);
        ASSERT_EQ(axb::canonical_key(a, locations, threads) == axb::canonical_key(b, locations, threads), same)
            << locations << threads << '\n'
            << axb::to_text(a) << axb::to_text(b);
        (same ? equal : different)++;
      }
  }
  EXPECT_GT(equal, 1000u);
  EXPECT_GT(different, 1000u);
}

// Ten philosophers: ten locations that look alike, and ten threads.
TEST(AxbKey, ManySymmetricLocations) {
  axb::Test t;
  constexpr uint32_t k_size = 10;
  for (uint32_t l = 0; l < k_size; ++l) t.locations.push_back({fmt::format("f{}", l), 0});
  for (uint32_t n = 0; n < k_size; ++n) {
    axb::Thread th;
    th.code.push_back({.location = n, .check = 1, .jump = 0, .exchanges = true, .value = 1});
    th.code.push_back({.location = (n + 1) % k_size, .check = 1, .jump = 1, .exchanges = true, .value = 1});
    t.threads.push_back(th);
  }
  std::mt19937 rng(5);
  const std::string key = axb::canonical_key(t, true, true);
  for (int k = 0; k < 20; ++k) {
    std::vector<uint32_t> number = identity(k_size), order = identity(k_size);
    std::ranges::shuffle(number, rng);
    std::ranges::shuffle(order, rng);
    EXPECT_EQ(axb::canonical_key(renamed(t, number, order), true, true), key);
  }
  t.threads[3].code[1].check = 0;
  EXPECT_NE(axb::canonical_key(t, true, true), key);
}

TEST(AxbKey, BigValuesStayApart) {
  axb::Test a = read_one("progress \"\" x = 255; thread 0 { x = 255; }");
  axb::Test b = read_one("progress \"\" x = 255; thread 0 { x = 511; }");
  EXPECT_NE(axb::canonical_key(a, true, true), axb::canonical_key(b, true, true));
}

}  // namespace
