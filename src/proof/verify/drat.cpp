#include "verify/drat.h"

#include <algorithm>
#include <charconv>

namespace fencepost::verify {
namespace {

using Clause = std::vector<int32_t>;

class Checker {
 public:
  explicit Checker(uint32_t variables) : value_(variables + 1, 0), watches_(2 * variables + 2) {}

  bool refuted = false;

  // Takes a clause that holds.
  void add(Clause c) {
    if (refuted) return;
    std::sort(c.begin(), c.end());
    c.erase(std::unique(c.begin(), c.end()), c.end());
    const auto id = static_cast<int32_t>(clauses_.size());
    // The literals that are not false come first, so that they are watched.
    std::stable_partition(c.begin(), c.end(), [&](int32_t l) { return of(l) >= 0; });
    clauses_.push_back(std::move(c));
    const Clause& now = clauses_.back();
    if (now.size() >= 2) {
      watches_[index(now[0])].push_back(id);
      watches_[index(now[1])].push_back(id);
    }
    const auto open = static_cast<size_t>(std::count_if(now.begin(), now.end(), [&](int32_t l) { return of(l) >= 0; }));
    if (open == 0) {
      refuted = true;
    } else if (open == 1 && of(now[0]) == 0) {
      assign(now[0]);
      refuted = !propagate();
    }
    settled_ = trail_.size();
  }

  // Whether the clause may be added.
  bool follows(const Clause& c) {
    if (assume(c)) {
      undo();
      return true;
    }
    bool ok = !c.empty();
    undo();
    for (size_t id = 0; ok && id < clauses_.size(); ++id) {
      const Clause& other = clauses_[id];
      if (std::find(other.begin(), other.end(), -c[0]) == other.end()) continue;
      Clause resolvent = c;
      for (const int32_t l : other)
        if (l != -c[0]) resolvent.push_back(l);
      ok = assume(resolvent);
      undo();
    }
    return ok;
  }

 private:
  static size_t index(int32_t l) { return 2 * static_cast<size_t>(std::abs(l)) + (l < 0 ? 1 : 0); }
  int of(int32_t l) const { return l < 0 ? -value_[-l] : value_[l]; }
  void assign(int32_t l) {
    value_[std::abs(l)] = l < 0 ? -1 : 1;
    trail_.push_back(l);
  }
  // Takes the clause as false; true if that is a contradiction.
  bool assume(const Clause& c) {
    for (const int32_t l : c) {
      if (of(l) > 0) return true;
      if (of(l) == 0) assign(-l);
    }
    return !propagate();
  }
  void undo() {
    while (trail_.size() > settled_) {
      value_[std::abs(trail_.back())] = 0;
      trail_.pop_back();
    }
    head_ = settled_;
  }
  bool propagate() {
    for (; head_ < trail_.size(); ++head_) {
      const int32_t falsified = -trail_[head_];
      std::vector<int32_t>& list = watches_[index(falsified)];
      size_t kept = 0;
      for (size_t k = 0; k < list.size(); ++k) {
        const int32_t id = list[k];
        Clause& c = clauses_[id];
        if (c[0] == falsified) std::swap(c[0], c[1]);
        if (of(c[0]) > 0) {
          list[kept++] = id;
          continue;
        }
        size_t next = 2;
        while (next < c.size() && of(c[next]) < 0) ++next;
        if (next < c.size()) {
          std::swap(c[1], c[next]);
          watches_[index(c[1])].push_back(id);
          continue;
        }
        list[kept++] = id;
        if (of(c[0]) < 0) {
          while (++k < list.size()) list[kept++] = list[k];
          list.resize(kept);
          return false;
        }
        assign(c[0]);
      }
      list.resize(kept);
    }
    return true;
  }

  std::vector<Clause> clauses_;
  std::vector<int> value_;
  std::vector<std::vector<int32_t>> watches_;
  std::vector<int32_t> trail_;
  size_t head_ = 0,
         settled_ = 0;  // behind settled_: assumptions of one question
};

}  // namespace

std::string check_drat(uint32_t variables, const std::vector<std::vector<int32_t>>& clauses, std::istream& proof) {
  Checker checker(variables);
  for (const Clause& c : clauses) checker.add(c);
  std::string word;
  Clause c;
  uint64_t line = 1;
  bool forget = false, open = false;
  while (!checker.refuted && proof >> word) {
    const std::string where = "line " + std::to_string(line) + " of the proof";
    if (word == "d" && !open) {
      forget = open = true;
      continue;
    }
    int32_t v = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), v);
    if (error != std::errc() || end != word.data() + word.size() || std::abs(int64_t{v}) > int64_t{variables})
      return where + " has '" + word.substr(0, 20) + "', which is not a literal";
    open = true;
    if (v != 0) {
      c.push_back(v);
      continue;
    }
    if (!forget && !checker.follows(c)) return where + " does not follow";
    if (!forget) checker.add(c);
    ++line;
    c.clear();
    forget = open = false;
  }
  return checker.refuted ? "" : "the proof ends without a contradiction";
}

}  // namespace fencepost::verify
