#pragma once
// What leaving out idle and silent iterations (reduction.h) does to the nodes of a model, by induction over the
// formula.
//
// Let X be an execution of a program that the model allows. D are events of X that make a rest X' which the program can
// do as well:
//   - reads and fences of idle iterations, which changed nothing;
//   - both halves R, W of a silent read-modify-write: it put back the value that it had read from w. In X' whoever read
//     W reads w. It is asked that nothing stands between w and W in co, and that co orders all writes of the cell.
// Silent ones go one by one; that co orders the cell, and that nothing stands between the others and their sources,
// stays true. Base relations on the events that stay are those of X, but for rf, which gains pairs (w, r) with (w, W)
// in co and (W, r) in rf before, and (w, R) in rf, (R, W) in amo, (W, r) in rf. data, addr and ctrl are not followed:
// nodes that need them count as unknown.
//
// Each node may lose pairs of events that stay (`loses`), and it gains none, or pairs (w, r) as rf does, or is unknown:
//   a ; b      loses pairs whose middle lies in D; [s] at an end is no middle. Of a gain (w, r) in b: if a has (x, W)
//              whenever it has (x, w), and b has (W, r), the pair was there before: a ; b gains nothing. Likewise for
//              (r, w) in a, if b has (W, x) whenever it has (w, x). co does both, as W is next after w; so does a
//              release sequence, with what ends it (`moves`). A gain in r ; (s; r)+ is no gain if R, W lie in s.
//   r+, r*     a gain is none if r+ had a way from w to r.
//   a | b      a gain is none if another operand has it.
//   a \ b      gains what b loses, loses what b gains.
//   a & b      gains pairs that both may have; others as their operands do.
// "Had a way": a path of base pairs that surely lie in the node (`contains`); what is sure of all events of two places
// is read off the bounds (places.h).
//
// A constraint is kept, so that X' satisfies it if X does, if its node gains nothing; acyclic r, if r+ gains nothing;
// irreflexive a ; b with a gain (w, r) in a, if another constraint that is kept forbids (r, w) in b: a cycle with w, W
// and r, or (W, w) in co. A flag that is raised in X is raised in X' if its node loses nothing and no pair of it lies
// in D.
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "bounds/bounds.h"
#include "cat/model.h"
#include "encode/folded.h"
#include "encode/places.h"

namespace fencepost::encode {

class LeavingOut {
 public:
  // `silent`: places of reads of read-modify-writes that always write, each in one cell.
  LeavingOut(const prog::Test& test, const cat::Model& m, const Folded& folded, const bounds::BaseBounds& base,
             const bounds::Bounds& bounds, const BetweenPlaces& between, const std::vector<uint32_t>& silent);

  // Whether the constraints `by` order the writes of each silent cell, and let nothing stand between the halves of a
  // silent read-modify-write and its source.
  bool has_next(const std::vector<cat::Axiom>& by);
  // Computes the effect on each node.
  void follow();
  bool keeps(const cat::Axiom& a);                                     // by itself
  bool keeps(const cat::Axiom& a, const std::vector<cat::Axiom>& by);  // with the help of others that are kept
  bool keeps_flag(const cat::Axiom& a) const;

 private:
  // Places that are alike: one instruction of each thread, or the initial write of a cell.
  struct Kind {
    std::vector<uint32_t> places;
    bool init = false, read = false, write = false;
    Cell cell;
  };
  // An event of some place of the kind; `thread` is a symbol. Two points with the same number are one event.
  struct Point {
    uint32_t kind = 0, thread = 0, number = 0;
  };
  enum class Step : uint8_t { none, rf, co, amo, po, node };
  struct Link {
    Step step = Step::none;
    bool back = false;
    cat::NodeId node = 0;
  };
  struct Path {
    std::vector<Point> points;
    std::vector<Link> links;  // between each two
  };
  struct Gain {
    bool unknown = false, back = false;
    BitSet pairs;  // of pairs_
    bool none() const { return !unknown && pairs.empty(); }
  };
  struct Rmw {
    uint32_t read = 0, write = 0;  // kinds
    Cell cell;
  };
  using Memo = std::map<std::tuple<cat::NodeId, size_t, size_t>, bool>;

  BetweenPlaces::Known known(cat::NodeId id, const Point& a, const Point& b);
  bool surely_in(cat::NodeId set, const Point& a) const;
  bool may_be_in(cat::NodeId set, const Point& a) const;
  bool contains(cat::NodeId id, const Path& p, size_t i, size_t j, Memo& memo);
  bool contains_new(cat::NodeId id, const Path& p, size_t i, size_t j, Memo& memo);
  bool contains(cat::NodeId id, const Path& p);
  bool closure_contains(cat::NodeId id, const Path& p, size_t i, size_t j, Memo& memo);
  bool all_contain(const std::vector<cat::NodeId>& factors, size_t from, const Path& p, size_t i, size_t j, Memo& memo);
  bool each_contains(cat::NodeId id, const std::vector<Path>& ways);
  bool forbids_cycle(const cat::Axiom& a, const Path& closed);

  void factors_of(cat::NodeId id, std::vector<cat::NodeId>& out) const;
  bool is_ident(cat::NodeId id) const { return m_.nodes[id].op == cat::NodeOp::ident; }
  bool within_co(cat::NodeId id) const;
  bool moves(cat::NodeId id, const Cell& cell, bool right);
  bool moves_as_it_is(cat::NodeId id, const Cell& cell, bool right);
  bool holds_next(cat::NodeId id, const Cell& cell);
  bool nothing_between(cat::NodeId kept, cat::NodeId away, const Cell& cell);
  bool split_at_middle(cat::NodeId id, std::vector<cat::NodeId>& first, std::vector<cat::NodeId>& second) const;

  std::pair<Gain, bool> effect(cat::NodeId id);
  Gain of_union(cat::NodeId id);
  Gain of_seq(cat::NodeId id, const std::vector<cat::NodeId>& factors);
  Gain narrowed(cat::NodeId id, Gain g);
  bool absorbed(const std::vector<cat::NodeId>& factors, size_t i);
  bool absorbed_by_neighbour(const std::vector<cat::NodeId>& factors, size_t i);
  bool absorbed_by_chain(const std::vector<cat::NodeId>& factors, size_t i);
  bool loses_middle(const std::vector<cat::NodeId>& factors) const;
  bool any_pair(cat::NodeId id, uint32_t place, bool ends) const;
  bool meets(const BitSet& s) const { return !(s & dropped_).empty(); }
  // Calls with the two ways from w to r, for every silent read-modify-write in every thread, until one says no.
  template <class F>
  bool for_each_way(size_t pair, F&& f);
  bool covered(cat::NodeId id, size_t pair, bool back, bool closure);
  bool cannot_close(cat::NodeId rest, size_t pair, bool back, const std::vector<cat::Axiom>& by);

  const prog::Test& test_;
  const cat::Model& m_;
  const Folded& folded_;
  const bounds::BaseBounds& base_;
  const bounds::Bounds& bounds_;
  const BetweenPlaces& between_;
  BitSet dropped_;
  std::vector<Kind> kinds_;
  std::vector<Rmw> silent_;
  std::vector<std::pair<Point, Point>> pairs_;  // (w, r) that rf may gain
  std::vector<Gain> gain_;
  std::vector<bool> loses_;
  std::map<std::tuple<cat::NodeId, uint32_t, uint32_t, uint8_t>, BetweenPlaces::Known> known_;
};

}  // namespace fencepost::encode
