#pragma once
// What the generators share: weighted choice, the shape of a program, and per-thread bookkeeping.
//
// A program has a theme now and then (barriers, proxies, availability, ...): without themes the rarer
// instruction classes would meet each other almost never.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "program.h"

namespace fencepost::fuzz {

// Index drawn with the given weights.
inline size_t weighted(Rng& rng, const std::vector<double>& weights) {
  double total = 0;
  for (double w : weights) total += w;
  double at = total * static_cast<double>(rng.below(1u << 30)) / static_cast<double>(1u << 30);
  for (size_t i = 0; i < weights.size(); ++i) {
    at -= weights[i];
    if (at < 0) return i;
  }
  return weights.size() - 1;
}

inline std::string one_of(Rng& rng, const std::vector<std::string>& texts) { return texts[rng.below(texts.size())]; }

// Threads and events per thread: enough for four threads to interact, few enough to enumerate. A third of the
// programs are classic shapes (message passing, store buffering, ...) with everything else random: cycles through
// several threads are where models and engines differ, and blind choice seldom closes one.
struct PlannedAccess {
  bool write;
  size_t location;
};
struct Shape {
  std::vector<size_t> sizes;
  size_t locations = 1;
  std::vector<std::vector<PlannedAccess>> plan;  // empty: none
};

// "W0 W1 | R1 R0"
inline std::vector<std::vector<PlannedAccess>> read_plan(std::string_view text) {
  std::vector<std::vector<PlannedAccess>> out(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '|') out.emplace_back();
    if (text[i] == 'W' || text[i] == 'R')
      out.back().push_back({text[i] == 'W', static_cast<size_t>(text[i + 1] - '0')});
  }
  return out;
}

inline Shape shape(Rng& rng) {
  static const char* const k_classics[] = {"W0 W1 | R1 R0",
                                           "W0 R1 | W1 R0",
                                           "R0 W1 | R1 W0",
                                           "W0 W1 | R1 W0",
                                           "W0 W1 | W1 R0",
                                           "W0 W1 | W1 W0",
                                           "W0 | R0 R0",
                                           "W0 | W1 | R0 R1 | R1 R0",
                                           "W0 | R0 W1 | R1 R0",
                                           "W0 W1 | R1 W2 | R2 R0",
                                           "R0 W1 | R1 W2 | R2 W0",
                                           "W0 | R0 R1 | W1 R0",
                                           "W0 R0 R1 | W1 R1 R0",
                                           "W0 R0 | W0 R0",
                                           "W0 W1 | R1 W1 | R1 R0",
                                           "W0 | R0 R1 | W1 W0",
                                           "W0 W1 | R1 R0 | R1 R0"};
  Shape s;
  if (rng.chance(0.35)) {
    s.plan = read_plan(k_classics[rng.below(std::size(k_classics))]);
    for (const auto& t : s.plan) {
      s.sizes.push_back(t.size());
      for (const PlannedAccess& a : t) s.locations = std::max(s.locations, a.location + 1);
    }
    return s;
  }
  const size_t threads = 1 + weighted(rng, {3, 37, 42, 18});
  for (size_t t = 0; t < threads; ++t) {
    if (threads == 1)
      s.sizes.push_back(2 + rng.below(4));
    else if (threads == 2)
      s.sizes.push_back(1 + weighted(rng, {1, 3, 4, 4, 3}));
    else if (threads == 3)
      s.sizes.push_back(1 + weighted(rng, {1, 4, 6, 2}));
    else
      s.sizes.push_back(1 + weighted(rng, {2, 7, 3}));
  }
  s.locations = 1 + weighted(rng, {15, 60, 25});
  return s;
}

// One thread under construction.
struct ThreadDraft {
  int location = -1;        // planned for the next access
  double dependent = 0.22;  // how often a stored value is one that was read
  std::vector<std::string> items;
  uint32_t registers = 0;
  uint32_t labels = 0;
  std::vector<std::string> read;         // registers that depend on a read
  std::vector<std::string> open_labels;  // jumped to, not placed yet
  std::string fresh() { return "r" + std::to_string(registers++); }
};

// Small constants; zero is rare since every location starts there.
inline std::string constant(Rng& rng) {
  return std::to_string(rng.chance(0.06) ? 0 : 1 + rng.below(rng.chance(0.7) ? 2 : 3));
}

// A stored value: a constant or, for a data dependency, something read.
inline std::string value(Rng& rng, ThreadDraft& t, Program& p) {
  if (t.read.empty() || !rng.chance(t.dependent)) return constant(rng);
  p.classes.insert("data dependency");
  return rng.pick(t.read);
}

// An instruction that touches no memory, over registers; assembly dialects.
inline void arithmetic(Rng& rng, ThreadDraft& t, Program& p) {
  static const std::vector<std::string> k_ops = {"add", "sub", "and", "or", "xor", "mul"};
  const bool from_read = !t.read.empty() && rng.chance(0.8);
  const std::string a = from_read ? rng.pick(t.read) : constant(rng);
  const std::string r = t.fresh();
  t.items.push_back(fmt::format("{} {}, {}, {}", k_ops[rng.below(k_ops.size())], r, a, rng.below(3)));
  if (from_read) t.read.push_back(r);
  p.classes.insert("local arithmetic");
}

// A forward jump over what follows; its label is placed by close_label.
inline void branch(Rng& rng, ThreadDraft& t, Program& p) {
  static const std::vector<std::string> k_jumps = {"beq", "bne", "blt", "bgt", "ble", "bge"};
  const std::string label = fmt::format("LC{:02}", t.labels++);
  if (!t.read.empty()) p.classes.insert("control dependency");
  t.items.push_back(fmt::format("{} {}, {}, {}", k_jumps[weighted(rng, {3, 3, 1, 1, 1, 1})],
                                t.read.empty() ? constant(rng) : rng.pick(t.read), rng.below(3), label));
  t.open_labels.push_back(label);
  p.classes.insert("branch");
}

inline void close_labels(Rng& rng, ThreadDraft& t, bool all) {
  while (!t.open_labels.empty() && (all || rng.chance(0.5))) {
    t.items.push_back(t.open_labels.back() + ":");
    t.open_labels.pop_back();
  }
}

// Reads until a value is seen: bound 1 is enough to be complete.
inline void spin(Rng& rng, ThreadDraft& t, Program& p, const std::string& load_into_register, const std::string& reg) {
  const std::string label = fmt::format("LC{:02}", t.labels++);
  t.items.push_back(label + ":");
  t.items.push_back(load_into_register);
  t.items.push_back(fmt::format("{} {}, {}, {}", rng.chance(0.7) ? "bne" : "beq", reg, rng.below(2), label));
  t.read.push_back(reg);
  p.classes.insert("spin loop");
  p.classes.insert("control dependency");
}

// A place for an item that must not fall between a label and its jump's target pairing: anywhere at the top
// level is fine, since labels only mark positions.
inline void insert_anywhere(Rng& rng, ThreadDraft& t, std::string item) {
  t.items.insert(t.items.begin() + static_cast<long>(rng.below(t.items.size() + 1)), std::move(item));
}

// Follows the plan of a thread: `access(write)` makes an access to t.location, `between()` something in between.
template <class Draft, class Access, class Between>
void follow(Rng& rng, Draft& t, const std::vector<PlannedAccess>& plan, Access access, Between between) {
  t.dependent = 0.45;
  const double often = rng.chance(0.5) ? 0.15 : 0.55;
  for (size_t i = 0; i < plan.size(); ++i) {
    if (i > 0 && rng.chance(often)) between();
    t.location = static_cast<int>(plan[i].location);
    access(plan[i].write);
    t.location = -1;
  }
}

inline const std::vector<std::string> k_locations = {"x", "y", "z"};

}  // namespace fencepost::fuzz
