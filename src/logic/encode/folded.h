#pragma once
// A program with its loops folded: one place for each instruction of a thread that makes an event, whichever iteration
// it runs in, and one for each initial write. What may and must be between places is what may and must be between their
// events in every execution, whatever its bound; so what is shown of places is shown of all iterations (reduction.h,
// weaker.h).
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "bounds/bounds.h"
#include "cat/model.h"
#include "encode/skeleton.h"

namespace fencepost::encode {

using Cell = std::pair<prog::ObjectId, uint64_t>;
inline constexpr uint32_t k_nobody = 0xffffffffu;

// One instruction's event, whichever iteration it runs in; or an initial write.
struct Place {
  uint32_t thread = k_nobody;
  uint32_t instr = 0;
  uint32_t part = 0;
  vocab::TagSet tags;
  std::optional<vocab::TagSet> failed_tags;  // of the read of an rmw that does not write
  bool read = false, write = false, barrier = false;
  std::set<Cell> cells;  // that it may access
  prog::SymbolId symbol = prog::k_none;
  uint32_t partner = k_nobody;
};

// Of a loop: the first and the last position.
struct Extent {
  uint32_t from = 0, to = 0;
};

class Folded {
 public:
  explicit Folded(const prog::Test& test);

  const std::vector<Place>& places() const { return places_; }
  bool in_loop(uint32_t p) const;

  // Reads and fences of loops: what an idle iteration may have done.
  BitSet dropped() const;

  // Whether every two events of a place, in two iterations, are related.
  std::function<bool(vocab::Base, uint32_t)> always() const;

  bounds::BaseBounds bounds(const cat::Model& model) const;

  // Of a read: in one cell that the text names, in an innermost loop. With `dependencies` the loop must not write a
  // register that its label needs: what was read before the loop might be what a later event depends on, in place of
  // the iteration.
  bool one_access(uint32_t p, const Skeleton& once, bool dependencies) const;

  // All accesses that may meet the cell are of it alone, and all reads of it are halves of rmws that always write.
  bool read_by_exchanges_alone(const Cell& cell) const;

  bool in_scope_of_each_other(const Place& a, const Place& b) const;

  // Whether some event of i may come before some of j in the program order of one thread.
  bool may_precede(uint32_t i, uint32_t j) const { return before(i, j); }

 private:
  void add_thread(uint32_t t);

  std::set<Cell> cells(const prog::Address& a, const std::vector<std::optional<uint64_t>>& constant) const;

  static bool overlap(const Place& a, const Place& b);

  bool same_level(const Place& a, const Place& b, uint32_t level) const;

  bool before(uint32_t i, uint32_t j) const;

  bool may(vocab::Base base, uint32_t i, uint32_t j) const;

  // Of a pair that may be: every two events of the two places are related.
  bool must(vocab::Base base, uint32_t i, uint32_t j) const;

  const prog::Test& test_;
  std::array<uint32_t, vocab::k_bases> levels_{};  // of the bases that are scopes
  std::vector<Place> places_;
  std::vector<std::vector<Extent>> loops_;
};

}  // namespace fencepost::encode
