#pragma once
// The graph of a program on state sets: layout of the states, code compiled to masked moves, and the constraints that
// look at the graph. `Graph` is the whole program; `Solo` one thread in an environment that may at any time write any
// of a set of values, an over-approximation: what fails there fails in every program that offers no more.
#include <vector>

#include "synth/code.h"
#include "synth/state_set.h"

namespace fencepost::synth {

struct GraphRules {
  bool ends = false, interesting = false, branches = false, effective = false;
  static GraphRules of(const Request& r) {
    const Constraints c = r.constraints;
    return {c.has(Constraint::ends), c.has(Constraint::interesting), c.has(Constraint::branches),
            c.has(Constraint::stores) && !r.older_stores};
  }
};

template <uint32_t W>
struct Move {
  StateSet<W> from;
  int32_t by = 0;
};
template <uint32_t W>
struct Compiled {
  std::vector<Move<W>> moves;
  std::vector<StateSet<W>> needed;  // each must hold a reachable state
};

template <uint32_t W>
class Layout {
 public:
  Layout(const std::vector<uint32_t>& lengths, uint32_t locations, uint32_t values) : values_(values) {
    uint32_t memories = 1;
    for (uint32_t x = 0; x < locations; ++x) {
      digit_.push_back(memories);
      memories *= values;
    }
    uint32_t states = memories;
    for (const uint32_t n : lengths) {
      stride_.push_back(states);
      states *= n + 1;
    }
    for (size_t t = 0; t < lengths.size(); ++t) at_.emplace_back(lengths[t] + 1);
    read_.assign(locations, std::vector<StateSet<W>>(values));
    for (uint32_t s = 0; s < states; ++s) {
      for (size_t t = 0; t < lengths.size(); ++t) at_[t][s / stride_[t] % (lengths[t] + 1)].add(s);
      for (uint32_t x = 0; x < locations; ++x) read_[x][s / digit_[x] % values].add(s);
      all_.add(s);
    }
    end_ = all_;
    for (size_t t = 0; t < lengths.size(); ++t) end_ &= at_[t].back();
  }

  // Reuses the memory of `out`.
  void compile(uint32_t t, const Code& code, const GraphRules& rules, Compiled<W>& out) const {
    out.moves.clear();
    out.needed.clear();
    const auto stride = static_cast<int32_t>(stride_[t]);
    for (uint32_t pc = 0; pc < code.length; ++pc) {
      const Ins& i = code.ins[pc];
      const auto digit = static_cast<int32_t>(digit_[i.location]);
      const StateSet<W> here = at_[t][pc];
      const StateSet<W> equal = here & read_[i.location][i.check];
      const StateSet<W> different = here & ~read_[i.location][i.check];
      if (!i.exchanges()) {
        out.moves.push_back({equal, stride * (int32_t{i.jump} - static_cast<int32_t>(pc))});
        out.moves.push_back({different, stride});
      } else {
        for (uint32_t v = 0; v < values_; ++v) {
          const int32_t next = v == i.check ? int32_t{i.jump} : static_cast<int32_t>(pc) + 1;
          const int32_t by =
              stride * (next - static_cast<int32_t>(pc)) + digit * (int32_t{i.exchange} - static_cast<int32_t>(v));
          out.moves.push_back({here & read_[i.location][v], by});
        }
        if (rules.effective) out.needed.push_back(here & ~read_[i.location][i.exchange]);
      }
      if (rules.branches && i.branch(pc)) {
        out.needed.push_back(equal);
        out.needed.push_back(different);
      }
    }
  }

  std::vector<Move<W>> environment(Environment writes) const {
    std::vector<Move<W>> moves;
    for (uint32_t x = 0; x < digit_.size(); ++x)
      for (uint32_t w = 0; w < values_; ++w)
        if (writes >> (x * k_max_values + w) & 1)
          for (uint32_t v = 0; v < values_; ++v)
            if (v != w)
              moves.push_back(
                  {read_[x][v], static_cast<int32_t>(digit_[x]) * (static_cast<int32_t>(w) - static_cast<int32_t>(v))});
    return moves;
  }

  const StateSet<W>& end() const { return end_; }

 private:
  uint32_t values_;
  std::vector<uint32_t> digit_, stride_;
  std::vector<std::vector<StateSet<W>>> at_, read_;
  StateSet<W> all_, end_;
};

template <uint32_t W, class Moves>
StateSet<W> reachable(const Moves& for_each_move) {
  StateSet<W> r = StateSet<W>::single(0), before;
  do {
    before = r;
    for_each_move([&](const Move<W>& m) { r |= (r & m.from).moved(m.by); });
  } while (!(r == before));
  return r;
}

template <uint32_t W>
class Solo {
 public:
  Solo(uint32_t length, uint32_t locations, uint32_t values, const GraphRules& rules)
      : layout_({length}, locations, values), rules_(rules) {}
  // May the code have all its needs where others write only `writes`?
  void set(const Code& code) { layout_.compile(0, code, rules_, code_); }
  bool feasible(const std::vector<Move<W>>& environment) const {
    const auto r = reachable<W>([&](auto&& go) {
      for (const auto& m : code_.moves) go(m);
      for (const auto& m : environment) go(m);
    });
    for (const auto& n : code_.needed)
      if (!r.meets(n)) return false;
    return true;
  }
  const Layout<W>& layout() const { return layout_; }

 private:
  Layout<W> layout_;
  GraphRules rules_;
  Compiled<W> code_;
};

template <uint32_t W>
class Graph {
 public:
  Graph(const std::vector<uint32_t>& lengths, uint32_t locations, uint32_t values, const GraphRules& rules)
      : layout_(lengths, locations, values), rules_(rules), threads_(lengths.size(), nullptr) {}

  const Layout<W>& layout() const { return layout_; }
  // The compiled code must outlive the search.
  void set(uint32_t t, const Compiled<W>& code) { threads_[t] = &code; }

  // Do the constraints on the graph hold of the program that was set?
  bool accepted() {
    const auto moves = [&](auto&& go) {
      for (const auto& t : threads_)
        for (const auto& m : t->moves) go(m);
    };
    reachable_ = reachable<W>(moves);
    for (const auto& t : threads_)
      for (const auto& n : t->needed)
        if (!reachable_.meets(n)) return false;
    if (rules_.ends) {
      StateSet<W> b = layout_.end(), before;
      do {
        before = b;
        moves([&](const Move<W>& m) { b |= b.moved(-m.by) & m.from; });
      } while (!(b == before));
      if (!reachable_.within(b)) return false;
    }
    if (rules_.interesting) {
      // States with a successor that stays: what is left when there are none to take away holds a cycle.
      StateSet<W> c = reachable_, before;
      do {
        before = c;
        StateSet<W> p;
        moves([&](const Move<W>& m) { p |= c.moved(-m.by) & m.from; });
        c &= p;
      } while (!(c == before));
      if (!c.any()) return false;
    }
    return true;
  }

  oracle::Size size() const {  // after accepted()
    oracle::Size s{reachable_.count(), 0};
    for (const auto& t : threads_)
      for (const auto& m : t->moves) s.actions += (reachable_ & m.from).count();
    return s;
  }

 private:
  Layout<W> layout_;
  GraphRules rules_;
  std::vector<const Compiled<W>*> threads_;
  StateSet<W> reachable_;
};

}  // namespace fencepost::synth
