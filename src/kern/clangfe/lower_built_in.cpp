// CUDA's built-in variables where a program treats them as memory: `(&threadIdx.x)[i]`, a reference to blockIdx.
//
// PTX has them as special registers, so that they have no address. clang gives one to a private copy, and so does this:
// a function in which an address is used begins by filling a copy of its own. Plain reads of a component never come
// here (Lowering::lower_load), and a copy that nothing uses is not filled.
#include <algorithm>

#include "clangfe/lowering.h"

namespace fencepost::clangfe {

using namespace ir;

// CUDA's built-in variables are registers. Where a program takes the address of one, the function has a private copy.
bool Lowering::built_in(const llvm::GlobalVariable& g) const {
  const llvm::StringRef n = g.getName();
  return module_.dialect == Dialect::cuda && g.isDeclaration() &&
         (n == "threadIdx" || n == "blockIdx" || n == "blockDim" || n == "gridDim" || n == "warpSize");
}

ValueId Lowering::built_in_address(const llvm::GlobalVariable& g) {
  auto [it, fresh] = built_in_.try_emplace(&g);
  if (fresh) {
    Region r;
    r.name = g.getName().str();
    r.owner = function_;
    r.space = Space::private_;
    r.origin = Origin::automatic;
    r.place = place_;
    r.element = 4;
    r.size = g.getName() == "warpSize" ? 4 : 12;
    it->second = {static_cast<uint32_t>(module_.regions.size())};
    module_.regions.push_back(std::move(r));
  }
  return pointer_to(it->second);
}

// The copies that something uses are filled where the function begins.
void Lowering::fill_built_in() {
  if (built_in_.empty()) return;
  std::vector<uint8_t> used(out().values.size());
  const auto use = [&](ValueId v) { used[v.index] = 1; };
  for (const Block& b : out().blocks) {
    for (const Instruction& i : b.instructions) for_each_operand(i.action, use);
    for_each_operand(b.terminator, use);
  }
  block_ = {0};
  auto& entry = out().blocks[0].instructions;
  const size_t before = entry.size();
  for (const auto& [g, region] : built_in_) {
    const ValueId at = pointer_to(region);
    if (at.index >= used.size() || used[at.index] == 0) continue;
    const llvm::StringRef n = g->getName();
    const bool warp = n == "warpSize";
    const IdKind k = warp               ? IdKind::warp_size
                     : n == "threadIdx" ? IdKind::local_id
                     : n == "blockIdx"  ? IdKind::group_id
                     : n == "blockDim"  ? IdKind::local_size
                                        : IdKind::num_groups;
    const uint32_t site = module_.sites++;
    for (uint32_t d = 0; d < (warp ? 1u : 3u); ++d)
      store_leaf(at, {{Type::bits, 32}, 4 * d, 4, nullptr}, id(k, d, 32), site, d, false);
  }
  std::rotate(entry.begin(), entry.begin() + static_cast<ptrdiff_t>(before), entry.end());
}

}  // namespace fencepost::clangfe
