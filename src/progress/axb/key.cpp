// Canonical keys. The key is a byte string: locations (initial values), then the code of each thread, every number in a
// prefix-free form, so that two keys are equal only if the tests are.
//
// - Threads in order, locations free: a location's number is its place in the order of first use (those never used come
//   last, by initial value). Linear.
// - Threads free, locations in order: the threads' codes are sorted.
// - Both free: the least key over all numberings of the locations. Up to four locations all are tried. With more,
// colour
//   refinement (a location's colour is its initial value and how threads of each colour use it, and so on until no
//   colour splits) leaves a choice only between locations that look alike; the time then grows with the number of such
//   choices.
#include <algorithm>
#include <array>
#include <numeric>

#include "axb/test.h"

namespace fencepost::axb {
namespace {

void put(std::string& out, uint32_t v) {
  if (v < 0xff) {
    out += static_cast<char>(v);
    return;
  }
  out += static_cast<char>(0xff);
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(v >> shift);
}

void put_thread(std::string& out, const Thread& t, const std::vector<uint32_t>& number) {
  put(out, static_cast<uint32_t>(t.code.size()));
  for (uint32_t pc = 0; pc < t.code.size(); ++pc) {
    const Instr& i = t.code[pc];
    put(out, number[i.location]);
    put(out, is_store(i, pc) ? 0 : i.check);
    put(out, i.jump);
    out += static_cast<char>(i.compares ? (i.unless ? 3 : 2) : i.exchanges ? 1 : 0);
    put(out, i.exchanges ? i.value : 0);
  }
}

// number[l]: the number that location l gets.
std::string key_under(const Test& test, const std::vector<uint32_t>& number, bool sort_threads) {
  std::string out;
  out.reserve(16 + test.threads.size() * 24);
  put(out, static_cast<uint32_t>(test.locations.size()));
  put(out, static_cast<uint32_t>(test.threads.size()));
  std::vector<uint32_t> location_of(number.size());
  for (uint32_t l = 0; l < number.size(); ++l) location_of[number[l]] = l;
  for (const uint32_t l : location_of) put(out, test.locations[l].init);
  if (!sort_threads) {
    for (const Thread& t : test.threads) put_thread(out, t, number);
    return out;
  }
  std::vector<std::string> threads(test.threads.size());
  for (size_t n = 0; n < threads.size(); ++n) put_thread(threads[n], test.threads[n], number);
  std::sort(threads.begin(), threads.end());
  for (const std::string& t : threads) out += t;
  return out;
}

std::vector<uint32_t> order_of_first_use(const Test& test) {
  std::vector<uint32_t> number(test.locations.size(), UINT32_MAX);
  uint32_t next = 0;
  for (const Thread& t : test.threads)
    for (const Instr& i : t.code)
      if (number[i.location] == UINT32_MAX) number[i.location] = next++;
  std::vector<uint32_t> unused;
  for (uint32_t l = 0; l < number.size(); ++l)
    if (number[l] == UINT32_MAX) unused.push_back(l);
  std::stable_sort(unused.begin(), unused.end(),
                   [&](uint32_t a, uint32_t b) { return test.locations[a].init < test.locations[b].init; });
  for (const uint32_t l : unused) number[l] = next++;
  return number;
}

uint64_t mix(uint64_t h, uint64_t v) {
  h = (h ^ v) * 0x9e3779b97f4a7c15u;
  return h ^ (h >> 29);
}

// Colours are hashes of what a location or a thread looks like from outside its name: equal for symmetric ones. Two
// different looks with one hash only leave a choice open that the least key then makes.
class LocationSearch {
 public:
  explicit LocationSearch(const Test& test) : test_(test) {}

  std::string least() {
    std::vector<uint64_t> colour(test_.locations.size());
    std::vector<bool> used(colour.size());
    for (const Thread& t : test_.threads)
      for (const Instr& i : t.code) used[i.location] = true;
    // Unused locations differ in nothing but their initial value: any order of equal ones gives the same key.
    uint64_t unused = 0;
    for (size_t l = 0; l < colour.size(); ++l)
      colour[l] = used[l] ? mix(1, test_.locations[l].init) : mix(mix(2, test_.locations[l].init), ++unused);
    number_unused(colour, used);
    search(std::move(colour));
    return best_;
  }

 private:
  // The k-th unused location among those of equal initial value, whatever its index is.
  void number_unused(std::vector<uint64_t>& colour, const std::vector<bool>& used) const {
    std::vector<std::pair<Value, uint64_t>> seen;
    for (size_t l = 0; l < colour.size(); ++l) {
      if (used[l]) continue;
      const Value init = test_.locations[l].init;
      auto it = std::find_if(seen.begin(), seen.end(), [&](const auto& s) { return s.first == init; });
      if (it == seen.end()) it = seen.insert(seen.end(), {init, 0});
      colour[l] = mix(mix(2, init), it->second++);
    }
  }

  void refine(std::vector<uint64_t>& colour) const {
    size_t classes = count(colour);
    while (true) {
      std::vector<uint64_t> next(colour.size(), 0);
      for (const Thread& t : test_.threads) {
        uint64_t h = 3;
        for (uint32_t pc = 0; pc < t.code.size(); ++pc) {
          const Instr& i = t.code[pc];
          h = mix(mix(mix(h, colour[i.location]), is_store(i, pc) ? 0 : i.check), i.jump);
          h = mix(h, i.exchanges ? uint64_t{i.value} + 1 : 0);
          if (i.compares) h = mix(h, i.unless ? 7 : 6);
        }
        for (uint32_t pc = 0; pc < t.code.size(); ++pc)
          next[t.code[pc].location] += mix(mix(h, pc), 5);  // a sum: no order
      }
      for (size_t l = 0; l < next.size(); ++l) next[l] = mix(colour[l], next[l]);
      const size_t now = count(next);
      if (now <= classes) return;
      classes = now;
      colour = std::move(next);
    }
  }

  static size_t count(std::vector<uint64_t> colour) {
    std::sort(colour.begin(), colour.end());
    return static_cast<size_t>(std::unique(colour.begin(), colour.end()) - colour.begin());
  }

  void search(std::vector<uint64_t> colour) {
    refine(colour);
    std::vector<uint32_t> order(colour.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return colour[a] < colour[b]; });
    for (size_t k = 0; k + 1 < order.size(); ++k) {
      if (colour[order[k]] != colour[order[k + 1]]) continue;
      const uint64_t shared = colour[order[k]];
      for (size_t j = k; j < order.size() && colour[order[j]] == shared; ++j) {
        std::vector<uint64_t> chosen = colour;
        chosen[order[j]] = mix(shared, 7);
        search(std::move(chosen));
      }
      return;
    }
    std::vector<uint32_t> number(order.size());
    for (uint32_t k = 0; k < order.size(); ++k) number[order[k]] = k;
    std::string key = key_under(test_, number, true);
    if (best_.empty() || key < best_) best_ = std::move(key);
  }

  const Test& test_;
  std::string best_;
};

}  // namespace

std::string canonical_key(const Test& test, bool locations, bool threads) {
  std::vector<uint32_t> number(test.locations.size());
  std::iota(number.begin(), number.end(), 0u);
  if (!locations || number.size() < 2) return key_under(test, number, threads);
  if (!threads) return key_under(test, order_of_first_use(test), false);
  constexpr size_t k_try_all = 4;
  if (number.size() > k_try_all) return LocationSearch(test).least();
  std::string best;
  do {
    std::string key = key_under(test, number, true);
    if (best.empty() || key < best) best = std::move(key);
  } while (std::next_permutation(number.begin(), number.end()));
  return best;
}

}  // namespace fencepost::axb
