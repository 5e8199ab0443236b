#pragma once
// What the two threads know about the contents of memory: for each region and thread a list of layers, newest first.
// A layer is a store under a guard, or "any contents" under a guard. Contents that both threads see alike (global
// memory and, within a group, group memory, between meeting points) are one uninterpreted function of the offset: this
// is the equality abstraction. Private memory and what loops leave behind have a function for each thread.
//
// Reading: a value that was stored with the same width at the same offset is found; a partial overlap gives any value.
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "formula/pool.h"
#include "ir/ir.h"
#include "order/records.h"

namespace fencepost::prove {

using formula::Pool;
using formula::Term;
using order::k_both;
using order::k_dimensions;
using order::Pair;

// A pointer is one term: 16 bits of base (0 null, region + 1, k_function_base + function), then the offset. Offsets
// have more bits than a 32-bit address: the language gives no meaning to an index whose offset leaves the address
// space, so that A[i] and A[i + 2^30] are different.
struct Pointers {
  uint8_t offset_bits = 48;
  uint8_t width() const { return static_cast<uint8_t>(16 + offset_bits); }
};
inline constexpr uint64_t k_function_base = 0x8000;

class Memory {
 public:
  Memory(Pool& pool, const ir::Module& m, Pointers pointers, bool same_group);
  // By region and thread the newest layer; copying it is a snapshot.
  using State = std::vector<std::array<uint32_t, 2>>;
  State state;

  Term read(ir::RegionId r, int thread, Term offset, uint32_t bytes, bool pointer) {
    return read_at(state[r.index][static_cast<size_t>(thread)], r, thread, offset, bytes, pointer);
  }
  // What a place holds once both threads have come here: what the other has written since both last saw the same, else
  // what this one sees. (If both wrote there, they race.)
  Term read_of_both(ir::RegionId r, int thread, Term offset, uint32_t bytes, bool pointer);
  Term read_at(uint32_t layer, ir::RegionId r, int thread, Term offset, uint32_t bytes, bool pointer);
  void write(ir::RegionId r, int thread, Term guard, Term offset, uint32_t bytes, bool pointer, Term value);
  // `shared`: both threads see the same new contents.
  void forget(ir::RegionId r, Pair guard, bool shared);
  void forget(ir::RegionId r, int thread, Term guard);
  // The thread sees in `to` what it sees in `from`. Not possible where the program text gives the contents of `from`.
  bool copy(ir::RegionId to, ir::RegionId from, int thread);
  // Whether the two threads could see the same contents of the region at all.
  bool common(ir::RegionId r) const;
  void make_adversarial(ir::RegionId r) { adversarial_[r.index] = 1; }
  // From here on nothing writes to it: new contents, the same for both threads where they have one array, that stay.
  void settle(ir::RegionId r);
  // The pointer that is there initially may be null.
  void may_be_null(ir::RegionId r, uint64_t offset, Term null) { nulls_[{r.index, offset}] = null; }
  bool adversarial(ir::RegionId r) const { return adversarial_[r.index] != 0; }
  Term any(uint8_t width);
  // The array that threads share whose contents this symbol is; none: it is something else.
  static ir::RegionId contents(const ir::Module& m, const std::string& symbol);

 private:
  struct Layer {
    enum Kind : uint8_t { store, unknown, initial, zero } kind = unknown;
    Term guard, offset, value;
    uint32_t bytes = 0;
    bool pointer = false;
    std::string name;  // of the function
    uint32_t below = ~0u;
  };
  uint8_t width_of(uint32_t bytes, bool pointer) const {
    return pointer ? pointers_.width() : static_cast<uint8_t>(8 * bytes);
  }
  Term initial(ir::RegionId r, int thread, Term offset, uint32_t bytes, bool pointer);
  Pool& pool_;
  const ir::Module& module_;
  Pointers pointers_;
  bool same_group_;
  std::vector<Layer> layers_;
  std::vector<uint8_t> adversarial_, settled_;
  std::map<std::pair<uint32_t, uint64_t>, Term> nulls_;
  uint32_t epoch_ = 0;
};

}  // namespace fencepost::prove
