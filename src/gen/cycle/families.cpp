#include "cycle/families.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_set>

namespace fencepost::gen {
namespace {

// Directions of one thread's accesses.
using Word = std::vector<Dir>;

const std::vector<Word>& words() {
  static const std::vector<Word> all = {
      {Dir::write}, {Dir::write, Dir::write}, {Dir::write, Dir::read}, {Dir::read, Dir::write}, {Dir::read, Dir::read}};
  return all;
}

Rel communication(Dir from, Dir to) { return from == Dir::read ? Rel::fr : to == Dir::read ? Rel::rf : Rel::co; }

bool fits(const Edge& relation, Dir from, Dir to, bool same_location) {
  switch (relation.rel) {
    case Rel::addr:
    case Rel::ctrl:
      return from == Dir::read;
    case Rel::data:
      return from == Dir::read && to == Dir::write;
    case Rel::rmw:
      return from == Dir::read && to == Dir::write && same_location;
    default:
      return true;
  }
}

class Enumerator {
 public:
  Enumerator(const FamilyRequest& r, const std::function<bool(const Spec&)>& visit) : r_(r), visit_(visit) {
    reads_ = r.reads.empty() ? std::vector<Node>(1) : r.reads;
    writes_ = r.writes.empty() ? std::vector<Node>(1) : r.writes;
  }

  Expected<uint64_t> run() {
    for (uint32_t n = r_.least_threads; n <= r_.most_threads && !stop_; ++n) {
      if (auto ok = placements(n); !ok) return std::unexpected(ok.error());
      if (trees_.empty()) continue;
      std::vector<Word> chosen;
      families(n, chosen);
    }
    return made_;
  }

 private:
  Expected<void> placements(uint32_t n) {
    trees_.clear();
    switch (r_.placement) {
      case FamilyRequest::Placement::spread:
        trees_ = {spread(n)};
        break;
      case FamilyRequest::Placement::all:
        trees_ = all_trees(n, false);
        if (r_.hosts) std::ranges::copy(host_trees(n), std::back_inserter(trees_));
        break;
      case FamilyRequest::Placement::given:
        for (const std::string& text : r_.trees) {
          const auto size = static_cast<size_t>(std::ranges::count_if(
              text, [](char c) { return std::string_view("._=~H").find(c) == std::string_view::npos; }));
          auto t = parse_tree(text, size);
          if (!t) return std::unexpected(t.error());
          if (size == n) trees_.push_back(*t);
        }
        break;
    }
    return {};
  }

  void families(uint32_t n, std::vector<Word>& chosen) {
    if (chosen.size() == n) return family(chosen);
    for (const Word& w : words()) {
      if (!chosen.empty() && chosen.back().back() == Dir::read && w.front() == Dir::read) continue;
      chosen.push_back(w);
      if (!stop_) families(n, chosen);
      chosen.pop_back();
    }
  }

  void family(const std::vector<Word>& chosen) {
    const auto n = chosen.size();
    size_t changes = 0;
    for (size_t t = 0; t < n; ++t) {
      const Word &w = chosen[t], &next = chosen[(t + 1) % n], &before = chosen[(t + n - 1) % n];
      if (w.back() == Dir::read && next.front() == Dir::read) return;
      changes += w.size() - 1;
      // A write alone in its thread is there to be read; else the communications around it say no more than one.
      if (w.size() == 1 && (next.front() != Dir::read || before.size() == 1)) return;
    }
    if (r_.same_location ? changes == 0 : changes < 2) return;
    Cycle c;
    for (size_t t = 0; t < n; ++t) {
      for (size_t k = 0; k < chosen[t].size(); ++k) {
        Edge e;
        e.from = chosen[t][k];
        const bool last = k + 1 == chosen[t].size();
        e.to = last ? chosen[(t + 1) % n].front() : chosen[t][k + 1];
        e.external = last;
        e.same_location = last || r_.same_location;
        if (last) e.rel = communication(e.from, e.to);
        c.edges.push_back(e);
        c.nodes.emplace_back();
      }
    }
    if (!check(c) || !spec_of(c)) return;
    // One of each family: the rotations make the same tests.
    const std::string text = print(canonical({c, spread(n)}).cycle);
    if (!families_.insert(text).second) return;
    if (!r_.families.empty()) {
      const std::string nick = family_name(c);
      if (std::find(r_.families.begin(), r_.families.end(), nick) == r_.families.end()) return;
    }
    Cycle base = canonical({c, spread(n)}).cycle;
    relations(base, 0);
  }

  void relations(Cycle& c, size_t k) {
    if (stop_) return;
    if (k == c.size()) {
      if (!r_.uniform) return accesses(c, 0);
      for (size_t i = 0; i < std::max(reads_.size(), writes_.size()); ++i) {
        for (size_t a = 0; a < c.size(); ++a) {
          const auto& from = c.edges[a].from == Dir::read ? reads_ : writes_;
          c.nodes[a] = from[std::min(i, from.size() - 1)];
        }
        placed(c);
      }
      for (Node& n : c.nodes) n = Node{};
      return;
    }
    if (c.edges[k].external) return relations(c, k + 1);
    const Edge old = c.edges[k];
    for (const Edge& relation : r_.relations) {
      if (!fits(relation, old.from, old.to, old.same_location)) continue;
      Edge e = relation;
      e.from = old.from;
      e.to = old.to;
      e.external = false;
      e.same_location = old.same_location;
      c.edges[k] = e;
      relations(c, k + 1);
    }
    c.edges[k] = old;
  }

  void accesses(Cycle& c, size_t k) {
    if (stop_) return;
    if (k == c.size()) return placed(c);
    for (const Node& n : c.edges[k].from == Dir::read ? reads_ : writes_) {
      c.nodes[k] = n;
      accesses(c, k + 1);
    }
    c.nodes[k] = Node{};
  }

  void placed(const Cycle& c) {
    for (const Tree& t : trees_) {
      if (stop_) return;
      const Spec s = canonical({c, t});
      std::string key = print(s.cycle);
      key += '@';
      key += print(s.tree);
      if (!seen_.insert(std::move(key)).second) continue;
      ++made_;
      stop_ = !visit_(s) || (r_.limit > 0 && made_ >= r_.limit);
    }
  }

  const FamilyRequest& r_;
  const std::function<bool(const Spec&)>& visit_;
  std::vector<Node> reads_, writes_;
  std::vector<Tree> trees_;
  std::unordered_set<std::string> families_, seen_;
  uint64_t made_ = 0;
  bool stop_ = false;
};

}  // namespace

Expected<uint64_t> enumerate(const FamilyRequest& r, const std::function<bool(const Spec&)>& visit) {
  if (r.relations.empty()) return error_at({}, "no relations to join accesses with", "for example Po, Fence.sc.gpu");
  if (r.least_threads < 2 || r.most_threads > 6 || r.least_threads > r.most_threads)
    return error_at({}, fmt::format("{} to {} threads", r.least_threads, r.most_threads),
                    "cycles have two to six threads");
  return Enumerator(r, visit).run();
}

}  // namespace fencepost::gen
