#include "order/named_rounds.h"

#include <algorithm>
#include <numeric>

namespace fencepost::order {

namespace {

constexpr uint64_t k_old = 8;        // rounds, or phases, that are remembered
constexpr uint64_t k_longest = 200;  // rounds that are played

void join(std::vector<uint64_t>& into, const std::vector<uint64_t>& from) {
  for (size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], from[i]);
}

void join(std::map<uint64_t, uint64_t>& into, const std::map<uint64_t, uint64_t>& from) {
  for (const auto& [name, phases] : from) into[name] = std::max(into[name], phases);
}

}  // namespace

NamedRounds::NamedRounds(std::vector<Program> programs) : programs_(std::move(programs)) {
  State s;
  s.warps.resize(programs_.size());
  for (Warp& w : s.warps) w.clock.assign(programs_.size(), 0);
  const bool any = std::ranges::any_of(programs_, [](const Program& p) { return !p[round].empty(); });
  begin(s, before, 0);
  play(s, before, 0);
  if (!any) {
    if (why_.empty() && !at_end(s, behind)) refuse("");
    return;
  }
  if (why_.empty() && !at_end(s, before)) refuse("");
  std::map<std::vector<uint64_t>, uint64_t> heads;
  const uint64_t turns = period();
  for (uint64_t number = 0; why_.empty(); ++number) {
    forget_old(s, number);
    std::vector<uint64_t> state = relative(s, number);
    state.push_back(number % turns);
    const auto [at, fresh] = heads.try_emplace(std::move(state), number);
    if (!fresh) {
      repeats_ = at->second;
      return;
    }
    if (number > k_longest) {
      refuse("the rounds of a loop do not come to be alike");
      return;
    }
    State end = s;
    begin(end, behind, number);
    play(end, behind, number);
    if (why_.empty() && !at_end(end, behind)) refuse("");
    begin(s, round, number);
    play(s, round, number);
    if (why_.empty() && !at_end(s, round)) refuse("");
  }
}

bool NamedRounds::refuse(const char* why) {
  if (!why_.empty()) return false;
  why_ = *why != 0       ? why
         : not_so_many() ? "not so many threads as its count come"
                         : "threads that it counts may wait for each other at several";
  return false;
}

// Do arrivals that somebody waits for not come out even?
bool NamedRounds::not_so_many() const {
  for (const size_t part : {0, 1, 2}) {
    std::map<uint64_t, size_t> come, counts;
    for (const Program& p : programs_)
      for (const Operation& o : p[part])
        for (const uint64_t name : o.names) {
          ++come[name];
          counts[name] = o.warps;
        }
    for (const auto& [name, n] : come)
      if (n % counts[name] != 0) return true;
  }
  return false;
}

uint64_t NamedRounds::period() const {
  uint64_t all = 1;
  for (const Program& p : programs_)
    for (const Operation& o : p[round]) all = std::lcm(all, static_cast<uint64_t>(o.names.size()));
  return all;
}

void NamedRounds::begin(State& s, Part part, uint64_t number) {
  for (size_t w = 0; w < s.warps.size(); ++w) {
    if (part != before && !loops(w)) continue;
    s.warps[w].part = part;
    s.warps[w].next = 0;
    note(s, w, number);
  }
}

bool NamedRounds::at_end(const State& s, Part part) const {
  for (size_t w = 0; w < s.warps.size(); ++w) {
    const Warp& x = s.warps[w];
    // One without a round may come to its end later.
    if (part != behind && !loops(w)) continue;
    if (x.waits || x.next < programs_[w][x.part].size()) return false;
  }
  return true;
}

void NamedRounds::play(State& s, Part part, uint64_t number) {
  for (bool more = true; more && why_.empty();) {
    more = false;
    for (size_t w = 0; w < s.warps.size() && why_.empty(); ++w) {
      if (loops(w) && s.warps[w].part != part) continue;
      while (why_.empty() && step(s, w, number)) more = true;
    }
  }
}

// The warp comes to its next operation.
bool NamedRounds::step(State& s, size_t w, uint64_t number) {
  Warp& x = s.warps[w];
  if (x.waits || x.next >= programs_[w][x.part].size()) return false;
  const Operation& o = programs_[w][x.part][x.next];
  const uint64_t name = o.names[number % o.names.size()];
  Barrier& b = s.barriers[name];
  if (b.clock.empty()) b.clock.assign(programs_.size(), 0);
  if (std::ranges::count(b.come, w) != 0) return refuse("a thread comes twice");
  if (x.known[name] != b.phases) return refuse("a thread comes that does not know that the phase before is complete");
  if (b.counts != 0 && b.counts != o.warps) return refuse("not so many threads as its count come");
  b.counts = o.warps;
  b.tells = b.tells && o.tells;
  b.come.push_back(w);
  ++x.next;
  ++x.done;
  join(b.clock, x.clock);
  b.clock[w] = std::max(b.clock[w], x.done);
  join(b.known, x.known);
  x.waits = o.waits;
  if (o.waits)
    b.waiting.push_back(w);
  else
    note(s, w, number);
  if (b.come.size() == b.counts) complete(s, b, number);
  return true;
}

void NamedRounds::complete(State& s, Barrier& b, uint64_t number) {
  const auto name = std::ranges::find_if(s.barriers, [&](const auto& x) { return &x.second == &b; })->first;
  ++b.phases;
  b.known[name] = b.phases;
  b.come.clear();
  for (const size_t w : std::exchange(b.waiting, {})) {
    Warp& x = s.warps[w];
    x.waits = false;
    if (b.tells) {
      join(x.clock, b.clock);
      join(x.known, b.known);
    }
    note(s, w, number);
  }
  std::ranges::fill(b.clock, 0);
  b.known.clear();
  b.tells = true;
}

void NamedRounds::note(const State& s, size_t w, uint64_t number) {
  const Warp& x = s.warps[w];
  seen_[{w, {x.part, x.next}}].push_back({number, x.clock});
}

// What lies many rounds back counts as if only the program before the loop were known.
void NamedRounds::forget_old(State& s, uint64_t number) const {
  const auto forget = [&](Clock& clock) {
    for (size_t v = 0; v < clock.size(); ++v) {
      const uint64_t first = programs_[v][before].size(), each = programs_[v][round].size();
      if (number > k_old && clock[v] > first && clock[v] < first + each * (number - k_old)) clock[v] = first;
    }
  };
  const auto forget_phases = [&](Known& known) {
    for (auto& [name, phases] : known)
      if (phases + k_old < s.barriers[name].phases) phases = 0;
  };
  for (Warp& w : s.warps) {
    forget(w.clock);
    forget_phases(w.known);
  }
  for (auto& [name, b] : s.barriers) {
    forget(b.clock);
    forget_phases(b.known);
  }
}

std::vector<uint64_t> NamedRounds::relative(const State& s, uint64_t number) const {
  std::vector<uint64_t> out;
  const auto put = [&](const Clock& clock) {
    for (size_t v = 0; v < clock.size(); ++v) {
      const uint64_t first = programs_[v][before].size(), each = programs_[v][round].size();
      const bool in_loop = clock[v] > first;
      out.push_back(in_loop ? 1 : 0);
      out.push_back(in_loop ? first + each * number - clock[v] : clock[v]);
    }
  };
  const auto put_known = [&](const Known& known) {
    for (const auto& [name, b] : s.barriers) {
      const auto it = known.find(name);
      const uint64_t phases = it == known.end() ? 0 : it->second;
      out.push_back(std::min(b.phases - phases, k_old + 1));
    }
  };
  for (const Warp& w : s.warps) {
    out.push_back(w.part == before ? w.next : ~uint64_t{0});
    out.push_back(w.waits ? 1 : 0);
    put(w.clock);
    put_known(w.known);
  }
  for (const auto& [name, b] : s.barriers) {
    out.push_back(name);
    out.push_back(b.counts);
    out.push_back(b.tells ? 1 : 0);
    out.push_back(b.come.size());
    for (const size_t w : b.come) out.push_back(w);
    put(b.clock);
    put_known(b.known);
  }
  return out;
}

std::optional<uint64_t> NamedRounds::distance(size_t v, Place at, size_t w, Place then) const {
  const auto found = seen_.find({w, {then.part, then.operations}});
  // No one comes there, or what stands there has not been played.
  if (!why_.empty() || found == seen_.end()) return std::nullopt;
  const uint64_t first = programs_[v][before].size(), each = programs_[v][round].size();
  if (at.part != before && each == 0) return std::nullopt;
  // The operation behind the place has been come to.
  const uint64_t needed = at.operations + 1;
  uint64_t most = 0;
  for (const Seen& s : found->second) {
    const uint64_t known = s.clock[v];
    const bool in_loop = known > first, steady = s.round >= repeats_;
    if (at.part == before) {
      if (known >= needed) continue;
      // In the first rounds, perhaps; then it must be known of all that follow.
      if (then.part != round || steady) return std::nullopt;
      most = std::max(most, s.round + 1);
    } else if (at.part == behind) {
      if (then.part != behind || known < first + each * s.round + needed) return std::nullopt;
    } else if (then.part == behind) {
      if (s.round != 0 && known < first + each * (s.round - 1) + needed) return std::nullopt;
    } else if (then.part != round) {
      return std::nullopt;
    } else if (!in_loop) {
      if (steady) return std::nullopt;
      most = std::max(most, s.round + 1);
    } else {
      // The last of v's rounds of which it is known, as if rounds had begun long before.
      uint64_t behind_by = 0;
      while (known + each * behind_by < first + each * s.round + needed) ++behind_by;
      most = std::max(most, behind_by);
    }
  }
  return most;
}

}  // namespace fencepost::order
