// Barriers of some threads, round by round (order/named_rounds.h): what is said of them, held against schedules.
#include "order/named_rounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace fencepost::order {
namespace {

using Operation = NamedRounds::Operation;
using Program = NamedRounds::Program;
using Place = NamedRounds::Place;

Operation sync(std::vector<uint64_t> names, size_t warps = 2) { return {std::move(names), warps, true, true}; }
Operation arrive(std::vector<uint64_t> names, size_t warps = 2) { return {std::move(names), warps, false, true}; }
constexpr auto before = NamedRounds::before, round = NamedRounds::round, behind = NamedRounds::behind;

// ---- schedules ----------------------------------------------------------------------------------------------

// A program written out, with the place that stands before each operation.
struct Written {
  struct At {
    Operation operation;
    uint64_t name;
  };
  std::vector<At> all;
  size_t first = 0, each = 0, rounds = 0, last = 0;

  Written(const Program& p, size_t n)
      : first(p[before].size()), each(p[round].size()), rounds(n), last(p[behind].size()) {
    for (const Operation& o : p[before]) all.push_back({o, o.names[0]});
    for (size_t i = 0; i < n; ++i)
      for (const Operation& o : p[round]) all.push_back({o, o.names[i % o.names.size()]});
    for (const Operation& o : p[behind]) all.push_back({o, o.names[0]});
  }
  // So many operations stand before it.
  size_t at(Place p, size_t i) const {
    return p.operations + (p.part == before ? 0 : first) +
           (p.part == round    ? i * each
            : p.part == behind ? rounds * each
                               : 0);
  }
};

// Who has come how far when a warp stands behind so many operations, in one schedule. Empty: some wait for ever.
using Clocks = std::vector<std::vector<std::vector<uint64_t>>>;
Clocks scheduled(const std::vector<Written>& programs, std::mt19937& draw) {
  const size_t n = programs.size();
  struct Barrier {
    size_t come = 0;
    std::vector<uint64_t> clock;
    std::vector<size_t> waits;
  };
  std::map<uint64_t, Barrier> barriers;
  Clocks out(n);
  std::vector<uint8_t> waiting(n, 0);
  for (size_t w = 0; w < n; ++w) out[w] = {std::vector<uint64_t>(n, 0)};
  // `done`: operations that have been come to.
  std::vector<size_t> done(n, 0);
  while (true) {
    std::vector<size_t> ready;
    for (size_t w = 0; w < n; ++w)
      if (waiting[w] == 0 && done[w] < programs[w].all.size()) ready.push_back(w);
    if (ready.empty()) break;
    const size_t w = ready[draw() % ready.size()];
    const Written::At& o = programs[w].all[done[w]];
    Barrier& b = barriers[o.name];
    b.clock.resize(n, 0);
    for (size_t v = 0; v < n; ++v) b.clock[v] = std::max(b.clock[v], out[w].back()[v]);
    b.clock[w] = std::max<uint64_t>(b.clock[w], ++done[w]);
    if (o.operation.waits) {
      waiting[w] = 1;
      b.waits.push_back(w);
    } else {
      out[w].push_back(out[w].back());
    }
    if (++b.come < o.operation.warps) continue;
    for (const size_t v : b.waits) {
      waiting[v] = 0;
      out[v].push_back(out[v].back());
      if (o.operation.tells)
        for (size_t u = 0; u < n; ++u) out[v].back()[u] = std::max(out[v].back()[u], b.clock[u]);
    }
    b = {};
  }
  for (size_t w = 0; w < n; ++w)
    if (done[w] < programs[w].all.size() || waiting[w] != 0) return {};
  return out;
}

std::vector<Place> places(const Program& p) {
  std::vector<Place> out;
  for (const auto part : {before, round, behind}) {
    if (part != before && p[round].empty()) continue;
    for (size_t i = 0; i <= p[part].size(); ++i) out.push_back({part, i});
  }
  return out;
}

// Is every order that is said kept in a schedule of n rounds?
void kept(const NamedRounds& r, const std::vector<Program>& programs, size_t n, const Clocks& clocks,
          const std::vector<Written>& written) {
  for (size_t v = 0; v < programs.size(); ++v)
    for (size_t w = 0; w < programs.size(); ++w)
      for (const Place at : places(programs[v]))
        for (const Place then : places(programs[w])) {
          const auto d = r.distance(v, at, w, then);
          if (!d) continue;
          for (size_t i = 0; i < (at.part == round ? n : 1); ++i)
            for (size_t j = 0; j < (then.part == round ? n : 1); ++j) {
              if (then.part == round && (at.part == round ? i + *d > j : j < *d)) continue;
              ASSERT_GT(clocks[w][written[w].at(then, j)][v], written[v].at(at, i))
                  << v << ":" << at.part << "." << at.operations << "@" << i << " " << w << ":" << then.part << "."
                  << then.operations << "@" << j << " of " << n << " distance " << *d;
            }
        }
}

// In some schedules of up to so many rounds.
void held_against_schedules(const std::vector<Program>& programs, std::mt19937& draw) {
  const NamedRounds r(programs);
  if (!r.why().empty()) return;
  for (const size_t n : {0, 1, 2, 3, 5, 14}) {
    std::vector<Written> written;
    for (const Program& p : programs) written.emplace_back(p, n);
    for (int i = 0; i < 6; ++i) {
      const Clocks clocks = scheduled(written, draw);
      ASSERT_FALSE(clocks.empty()) << "all wait, in " << n << " rounds";
      kept(r, programs, n, clocks, written);
    }
  }
}

// ---- forms --------------------------------------------------------------------------------------------------

TEST(NamedRounds, one_buffer) {
  // The producer: empty 1, full 2.
  const std::vector<Program> p{{{{}, {sync({1}), arrive({2})}, {}}}, {{{arrive({1})}, {sync({2}), arrive({1})}, {}}}};
  const NamedRounds r(p);
  ASSERT_EQ(r.why(), "");
  const Place fill{round, 1}, use{round, 1};
  EXPECT_EQ(r.distance(0, fill, 1, use), 0);
  EXPECT_EQ(r.distance(1, use, 0, fill), 1);
  EXPECT_EQ(r.distance(1, {round, 2}, 0, fill), 2);
  EXPECT_EQ(r.distance(0, {before, 0}, 1, use), 0);
  EXPECT_EQ(r.distance(1, {before, 0}, 0, fill), 0);
  EXPECT_EQ(r.distance(1, {before, 1}, 0, fill), 1);
  EXPECT_EQ(r.distance(0, fill, 1, {behind, 0}), 0);
  EXPECT_EQ(r.distance(1, use, 0, {behind, 0}), std::nullopt);
  // Lanes of one warp know of each other by way of the other one.
  EXPECT_EQ(r.distance(0, fill, 0, fill), 1);
  std::mt19937 draw(1);
  held_against_schedules(p, draw);
}

TEST(NamedRounds, of_one_operation) {
  const std::vector<Program> p{{{{}, {sync({1})}, {}}}, {{{}, {sync({1})}, {}}}};
  const NamedRounds r(p);
  ASSERT_EQ(r.why(), "");
  EXPECT_EQ(r.distance(0, {round, 0}, 1, {round, 1}), 0);
  EXPECT_EQ(r.distance(0, {round, 0}, 1, {round, 0}), 1);
  EXPECT_EQ(r.distance(0, {round, 1}, 1, {round, 1}), 1);
  EXPECT_EQ(r.distance(0, {round, 0}, 1, {behind, 0}), 0);
  EXPECT_EQ(r.distance(0, {before, 0}, 1, {round, 0}), 1);
}

TEST(NamedRounds, two_buffers_by_number) {
  const std::vector<Program> p{{{{}, {sync({1, 2}), arrive({3, 4})}, {}}},
                               {{{arrive({1}), arrive({2})}, {sync({3, 4}), arrive({1, 2})}, {}}}};
  const NamedRounds r(p);
  ASSERT_EQ(r.why(), "");
  EXPECT_EQ(r.distance(0, {round, 1}, 1, {round, 1}), 0);
  EXPECT_EQ(r.distance(1, {round, 1}, 0, {round, 1}), 2);
  // Lanes of one warp meet where they wait.
  EXPECT_EQ(r.distance(0, {round, 1}, 0, {round, 1}), 1);
  std::mt19937 draw(1);
  held_against_schedules(p, draw);
}

TEST(NamedRounds, what_is_not_as_it_should_be) {
  const auto why = [](std::vector<Program> p) { return NamedRounds(std::move(p)).why(); };
  const char *wait = "threads that it counts may wait for each other at several",
             *many = "not so many threads as its count come",
             *early = "a thread comes that does not know that the phase before is complete",
             *twice = "a thread comes twice";
  // Nobody arrives at `empty` at first.
  EXPECT_EQ(why({{{{}, {sync({1}), arrive({2})}, {}}}, {{{}, {sync({2}), arrive({1})}, {}}}}), wait);
  // The producer does not wait for `empty`.
  EXPECT_EQ(why({{{{}, {arrive({2})}, {}}}, {{{}, {sync({2})}, {}}}}), early);
  // Nor the consumer for `full`.
  EXPECT_EQ(why({{{{}, {sync({1})}, {}}}, {{{}, {arrive({1})}, {}}}}), early);
  EXPECT_EQ(why({{{{}, {sync({1}), arrive({2})}, {}}}, {{{arrive({1})}, {sync({2})}, {}}}}), many);
  // Too many, too few, and of two counts.
  EXPECT_EQ(why({{{{sync({1})}, {}, {}}}}), many);
  EXPECT_EQ(why({{{{sync({1}, 3)}, {}, {}}}, {{{sync({1}, 3)}, {}, {}}}}), many);
  EXPECT_EQ(why({{{{sync({1}, 2)}, {}, {}}}, {{{sync({1}, 3)}, {}, {}}}}), many);
  EXPECT_EQ(why({{{{arrive({1}), arrive({1})}, {}, {}}}, {{{sync({1})}, {}, {}}}}), twice);
  EXPECT_EQ(why({{{{arrive({1})}, {}, {}}}, {{{arrive({1})}, {}, {}}}, {{{arrive({1})}, {}, {}}}}), early);
  // Of two counts, of which one would come out even.
  EXPECT_EQ(why({{{{arrive({1}, 2)}, {}, {}}}, {{{sync({1}, 3)}, {}, {}}}, {{{sync({1}, 3)}, {}, {}}}}), many);
  // In the fourth round alone two numbers.
  EXPECT_EQ(why({{{{}, {sync({1, 1, 1, 2})}, {}}}, {{{}, {sync({1, 1, 1, 2})}, {}}}}), "");
  EXPECT_EQ(why({{{{}, {sync({1, 1, 1, 2})}, {}}}, {{{}, {sync({1, 1, 1, 3})}, {}}}}), many);
  // Numbers that come round so late are not followed.
  const std::vector<uint64_t> late(300, 1);
  EXPECT_EQ(why({{{{}, {sync(late)}, {}}}, {{{}, {sync(late)}, {}}}}), "the rounds of a loop do not come to be alike");
  // What nobody waits for may be left.
  EXPECT_EQ(why({{{{arrive({1})}, {}, {}}}, {{{}, {}, {}}}}), "");
  // A barrier that may be left out tells nothing.
  const Operation perhaps{{9}, 2, true, false};
  EXPECT_EQ(why({{{{arrive({1}), perhaps, arrive({1})}, {}, {}}}, {{{sync({1}), perhaps, sync({1})}, {}, {}}}}), early);
  const Operation always{{9}, 2, true, true};
  EXPECT_EQ(why({{{{arrive({1}), always, arrive({1})}, {}, {}}}, {{{sync({1}), always, sync({1})}, {}, {}}}}), "");
}

TEST(NamedRounds, drawn_programs_in_schedules) {
  std::mt19937 draw(7);
  size_t followed = 0;
  for (int i = 0; i < 12000; ++i) {
    const size_t warps = 2 + draw() % 2, names = 1 + draw() % 3;
    std::vector<size_t> counts(names + 1);
    for (size_t& c : counts) c = 2 + draw() % (warps - 1);
    std::vector<Program> p(warps);
    const auto operation = [&](bool in_loop) {
      Operation o;
      o.names = {1 + draw() % names};
      o.warps = counts[o.names[0]];
      o.waits = draw() % 3 != 0;
      o.tells = true;
      const uint64_t other = 1 + draw() % names;
      if (in_loop && draw() % 3 == 0 && counts[other] == o.warps) o.names.push_back(other);
      return o;
    };
    const bool loop = draw() % 4 != 0;
    for (Program& x : p) {
      for (size_t n = draw() % 3; n > 0; --n) x[before].push_back(operation(false));
      if (loop)
        for (size_t n = 1 + draw() % 3; n > 0; --n) x[round].push_back(operation(true));
      if (loop)
        for (size_t n = draw() % 2; n > 0; --n) x[behind].push_back(operation(false));
    }
    followed += NamedRounds(p).why().empty() ? 1 : 0;
    held_against_schedules(p, draw);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(followed, 300u);
}

}  // namespace
}  // namespace fencepost::order
