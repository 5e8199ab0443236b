#include "oracle/space.h"

#include <algorithm>
#include <bit>

namespace fencepost::oracle {
namespace {

constexpr uint32_t k_first_table_bits = 8;

uint64_t mix(uint64_t x) {  // the finaliser of splitmix64
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

}  // namespace

template <bool one_word>
uint32_t Space::intern(const uint64_t* key) {
  const uint32_t words = one_word ? 1 : program_.words();
  uint64_t h = 0;
  if constexpr (one_word) {
    h = *key * 0x9e3779b97f4a7c15ull >> (64 - table_bits_);
  } else {
    for (uint32_t w = 0; w < words; ++w) h = mix(h ^ key[w]);
    h >>= 64 - table_bits_;
  }
  const size_t mask = table_.size() - 1;
  for (size_t k = h;; k = (k + 1) & mask) {
    Slot& slot = table_[k];
    if (slot.stamp != stamp_) {
      slot = {stamp_, count_};
      keys_.insert(keys_.end(), key, key + words);
      return count_++;
    }
    const uint64_t* other = keys_.data() + static_cast<size_t>(slot.state) * words;
    if (one_word ? *other == *key : std::equal(key, key + words, other)) return slot.state;
  }
}

void Space::grow_table() {
  const uint32_t words = program_.words();
  ++table_bits_;
  table_.assign(size_t{1} << table_bits_, Slot{});
  stamp_ = 1;
  const size_t mask = table_.size() - 1;
  for (uint32_t s = 0; s < count_; ++s) {
    const uint64_t* key = state(s);
    uint64_t h = 0;
    if (words == 1) {
      h = *key * 0x9e3779b97f4a7c15ull;
    } else {
      for (uint32_t w = 0; w < words; ++w) h = mix(h ^ key[w]);
    }
    size_t k = h >> (64 - table_bits_);
    while (table_[k].stamp == stamp_) k = (k + 1) & mask;
    table_[k] = {stamp_, s};
  }
}

Expected<Space::End> Space::explore(const axb::Test& test, Rider rider, fair::Machine* machine, uint64_t max_states,
                                    const Job* job) {
  FENCEPOST_INVARIANT((rider == Rider::machine) == (machine != nullptr), "a machine goes with its rider");
  program_.compile(test, rider);
  count_ = 0;
  transitions_ = 0;
  keys_.clear();
  successors_.clear();
  if (table_.empty() || ++stamp_ == 0) {
    table_bits_ = std::max(table_bits_, k_first_table_bits);
    table_.assign(size_t{1} << table_bits_, Slot{});
    stamp_ = 1;
  }
  // State numbers are 32 bits.
  max_states = std::min<uint64_t>(max_states, k_none - 1);
  return program_.words() == 1 ? run<true>(test, machine, max_states, job) : run<false>(test, machine, max_states, job);
}

template <bool one_word>
Expected<Space::End> Space::run(const axb::Test& test, fair::Machine* machine, uint64_t max_states, const Job* job) {
  const uint32_t words = one_word ? 1 : program_.words();
  const uint32_t threads = program_.threads();
  std::vector<uint64_t> wide(one_word ? 0 : 2 * words);
  uint64_t narrow[2] = {0, 0};
  uint64_t* from = one_word ? narrow : wide.data();
  uint64_t* to = one_word ? narrow + 1 : wide.data() + words;

  program_.initial(to);
  if (machine != nullptr) {
    auto first = machine->initial(program_.live_at_start());
    if (!first) return std::unexpected(first.error());
    program_.set_machine(to, *first);
  }
  intern<one_word>(to);
  for (uint32_t s = 0; s < count_; ++s) {
    if (count_ > max_states) return End::too_many_states;
    if ((s & 0xfff) == 0xfff && job != nullptr && job->out_of_time()) return End::out_of_time;
    std::copy(state(s), state(s) + words, from);  // keys_ may move
    for (uint32_t t = 0; t < threads; ++t) {
      if (!program_.live(from, t)) {
        successors_.push_back(k_none);
        continue;
      }
      if constexpr (one_word)
        program_.step_one_word(from, to, t);
      else
        program_.step(from, to, t);
      if (machine != nullptr) {
        auto next = machine->after(program_.machine(from), t, program_.describe(test, from, t), !program_.live(to, t));
        if (!next) return std::unexpected(next.error());
        program_.set_machine(to, *next);
      }
      successors_.push_back(intern<one_word>(to));
      ++transitions_;
      if (uint64_t{count_} * 2 > table_.size()) grow_table();
    }
  }
  return count_ > max_states ? End::too_many_states : End::complete;
}

// Tarjan's algorithm with an explicit stack. Every state is reachable from state 0.
void Space::find_components() {
  const uint32_t threads = program_.threads();
  components_.clear();
  members_.clear();
  members_.reserve(count_);
  component_of_.assign(count_, k_none);
  low_.resize(count_);
  place_.resize(count_);
  order_.assign(count_, k_none);
  stack_.clear();
  frames_.clear();
  uint32_t visited = 0;
  frames_.push_back({0, 0});
  order_[0] = low_[0] = visited++;
  stack_.push_back(0);
  while (!frames_.empty()) {
    Frame& f = frames_.back();
    const uint32_t s = f.state;
    if (f.thread < threads) {
      const uint32_t n = successor(s, f.thread++);
      if (n == k_none) continue;
      if (order_[n] == k_none) {
        order_[n] = low_[n] = visited++;
        stack_.push_back(n);
        frames_.push_back({n, 0});
      } else if (component_of_[n] == k_none) {
        low_[s] = std::min(low_[s], order_[n]);
      }
      continue;
    }
    frames_.pop_back();
    if (!frames_.empty()) low_[frames_.back().state] = std::min(low_[frames_.back().state], low_[s]);
    if (low_[s] != order_[s]) continue;
    const auto id = static_cast<uint32_t>(components_.size());
    Component c;
    c.begin = static_cast<uint32_t>(members_.size());
    uint32_t m = 0;
    do {
      m = stack_.back();
      stack_.pop_back();
      component_of_[m] = id;
      place_[m] = static_cast<uint32_t>(members_.size());
      members_.push_back(m);
    } while (m != s);
    c.end = static_cast<uint32_t>(members_.size());
    for (uint32_t k = c.begin; k < c.end; ++k)
      for (uint32_t t = 0; t < threads; ++t) {
        const uint32_t n = successor(members_[k], t);
        if (n != k_none && component_of_[n] == id) c.steppers |= fair::ThreadSet{1} << t;
      }
    components_.push_back(c);
  }
}

const std::vector<uint32_t>& Space::closed_part(uint32_t c, fair::ThreadSet fair) {
  const Component& part = components_[c];
  if (leaves_.size() < count_ || ++leaves_stamp_ == 0) {
    leaves_.assign(std::max<size_t>(count_, leaves_.size()), 0);
    leaves_stamp_ = 1;
  }
  auto is_out = [&](uint32_t s) { return component_of_[s] != c || leaves_[s] == leaves_stamp_; };
  const uint32_t size = part.end - part.begin;
  closed_.clear();
  if (size <= 64) {  // a few passes beat building the reverse graph
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t k = part.begin; k < part.end; ++k) {
        const uint32_t s = members_[k];
        if (leaves_[s] == leaves_stamp_) continue;
        for (fair::ThreadSet f = fair; f != 0; f &= f - 1) {
          const uint32_t n = successor(s, static_cast<uint32_t>(std::countr_zero(f)));
          if (n == k_none || !is_out(n)) continue;
          leaves_[s] = leaves_stamp_;
          changed = true;
          break;
        }
      }
    }
  } else {
    // Backwards from the states that leave directly, over the reversed fair steps of the component.
    auto position = [&](uint32_t s) { return place_[s] - part.begin; };
    std::vector<uint32_t> begin(size + 1, 0), before;
    auto each = [&](auto&& visit) {
      for (uint32_t k = part.begin; k < part.end; ++k)
        for (fair::ThreadSet f = fair; f != 0; f &= f - 1) {
          const uint32_t n = successor(members_[k], static_cast<uint32_t>(std::countr_zero(f)));
          if (n != k_none) visit(members_[k], n);
        }
    };
    each([&](uint32_t, uint32_t n) {
      if (component_of_[n] == c) ++begin[position(n) + 1];
    });
    for (uint32_t k = 0; k < size; ++k) begin[k + 1] += begin[k];
    before.resize(begin[size]);
    std::vector<uint32_t> fill(begin.begin(), begin.end() - 1), work;
    each([&](uint32_t s, uint32_t n) {
      if (component_of_[n] == c) {
        before[fill[position(n)]++] = s;
      } else if (leaves_[s] != leaves_stamp_) {
        leaves_[s] = leaves_stamp_;
        work.push_back(s);
      }
    });
    while (!work.empty()) {
      const uint32_t at = position(work.back());
      work.pop_back();
      for (uint32_t k = begin[at]; k < begin[at + 1]; ++k)
        if (leaves_[before[k]] != leaves_stamp_) {
          leaves_[before[k]] = leaves_stamp_;
          work.push_back(before[k]);
        }
    }
  }
  for (uint32_t k = part.begin; k < part.end; ++k)
    if (leaves_[members_[k]] != leaves_stamp_) closed_.push_back(members_[k]);
  return closed_;
}

}  // namespace fencepost::oracle
