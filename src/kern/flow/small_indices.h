#pragma once
// Index arithmetic on unsigned numbers: `x + blockIdx.x * cols`, where blockIdx.x is unsigned and so the product, may
// wrap at 2^32 for some `cols`, and then rows of two blocks lie over each other. Programs mean a row for each block. A
// kernel is changed to one in which such arithmetic stays below 2^31; a proof about that kernel is one about the kernel
// itself under the assumption that it does (Assumption::small_indices), which is tried only where there is no proof
// without it.
//
// The same of 64 bits, `(size_t)z * h * w`, below 2^63.
//
// Which arithmetic: products of 32 and of 64 bits, of a number that comes from the launch and one that does not and is
// no constant, of which the source does not say that they do not wrap, and from which an address is made by nothing but
// sums, products and conversions; and these sums and products. So a hash, whose bits are mixed, is left as it is.
//
// A constant factor counts where the grid may have any size: `blockIdx.x * 1024` wraps from 2^22 blocks on, more than a
// program with such tiles launches. Of a grid that is given, the proof knows whether it wraps. A constant above 2^20 is
// meant to wrap. Of 64 bits it counts too where the other factor is given: `n / 16 * 16 + i`, behind whole vectors.
//
// And signed divisors from which positions are made, `y = i / n, x = i % n`, are not negative: programs mean lengths of
// rows. With n = -2, `y < h` keeps nothing out.
//
// And an update that claims a place, `atomicCAS(&level[v], -1, depth + 1) == -1`, writes another number than it looks
// for, where both are made of the kernel's arguments and constants alone: with depth = -2 nobody would claim anything.
//
// How: such an operation does not wrap as one of signed numbers, whatever the signs of its operands. What is widened
// as an unsigned number is not negative, nor is a factor that the source uses as an unsigned number and nowhere as a
// signed one. Runs of the changed kernel that do otherwise are impossible, as by `__builtin_assume`. Tried and lost:
// that every unknown factor is not negative; `blockIdx.x * d` of an int is a stride, and may go back.
#include <vector>

#include "flow/uniform.h"
#include "ir/ir.h"

namespace fencepost::flow {

// The places of what is changed, each once: products by their width.
struct SmallIndices {
  std::vector<ir::PlaceId> of_32, of_64;
  std::vector<ir::PlaceId> divisions;  // by signed numbers
  std::vector<ir::PlaceId> claims;
  bool any() const { return !of_32.empty() || !of_64.empty() || !divisions.empty() || !claims.empty(); }
};
// `reached`: by function.
SmallIndices keep_indices_small(ir::Module& m, const std::vector<uint8_t>& reached, const Launch& launch);

}  // namespace fencepost::flow
