// Clusters of thread blocks: the barrier, the place of a block in its cluster, and shared memory of another block.
// Source: PTX ISA 9.7.13.4 (barrier.cluster), 9.7.9.23 (mapa); CUDA C++ programming guide, "Thread Block Clusters".
#include "clangfe/lowering.h"

namespace fencepost::clangfe {

using namespace ir;

std::optional<Values> Lowering::lower_cluster(const llvm::CallBase& c, const std::string& name) {
  const ValueId on = bits(1, 1);
  if (name == "__fencepost_cluster_barrier" || name == "__fencepost_cluster_arrive" ||
      name == "__fencepost_cluster_wait") {
    emit(Barrier{.scope = Scope::cluster,
                 .local_fence = on,
                 .global_fence = on,
                 .arrive = name.ends_with("arrive"),
                 .wait = name.ends_with("wait")});
    return Values{};
  }
  if (name == "__fencepost_cluster_rank" || name == "__fencepost_cluster_size") {
    const auto d = constant_of(value(c.getArgOperand(0)));
    if (!d || *d > 2) return refuse("a dimension of a cluster that is not constant");
    const IdKind k = name.ends_with("rank") ? IdKind::cluster_rank : IdKind::cluster_size;
    return Values{id(k, static_cast<uint32_t>(*d), 32)};
  }
  if (name != "__fencepost_map_rank") return std::nullopt;
  if (module_.pointer_bits < 64) return refuse("shared memory of another block, with addresses of 32 bits");
  const ValueId p = value(c.getArgOperand(0)), rank = resize(value(c.getArgOperand(1)), 32, false);
  return Values{compute(Op::map_rank, {p, rank}, type_of(p))};
}

// Of the block among those of its cluster, or their number.
ValueId Lowering::cluster_flat(IdKind k) {
  std::array<ValueId, 3> size, rank;
  for (uint32_t d = 0; d < 3; ++d) {
    size[d] = id(IdKind::cluster_size, d, 32);
    rank[d] = id(IdKind::cluster_rank, d, 32);
  }
  const auto times = [&](ValueId a, ValueId b) { return compute(Op::mul, {a, b}, 32); };
  const auto plus = [&](ValueId a, ValueId b) { return compute(Op::add, {a, b}, 32); };
  if (k == IdKind::cluster_size) return times(times(size[2], size[1]), size[0]);
  return plus(times(plus(times(rank[2], size[1]), rank[1]), size[0]), rank[0]);
}

std::optional<ValueId> Lowering::cluster_register(const std::string& name) {
  if (name == "%cluster_ctarank") return cluster_flat(IdKind::cluster_rank);
  if (name == "%cluster_nctarank") return cluster_flat(IdKind::cluster_size);
  const size_t dot = name.rfind('.');
  const size_t axis = dot == std::string::npos ? 3 : std::string_view("xyz").find(name.substr(dot + 1));
  if (axis > 2 || name.size() != dot + 2) return std::nullopt;
  const auto d = static_cast<uint32_t>(axis);
  const std::string start = name.substr(0, dot);
  if (start == "%cluster_ctaid") return id(IdKind::cluster_rank, d, 32);
  if (start == "%cluster_nctaid") return id(IdKind::cluster_size, d, 32);
  if (start != "%clusterid" && start != "%nclusterid") return std::nullopt;
  const ValueId of = id(start == "%clusterid" ? IdKind::group_id : IdKind::num_groups, d, 32);
  return compute(Op::udiv, {of, id(IdKind::cluster_size, d, 32)}, 32);
}

// The default of an arrival is .release, of a wait .acquire.
bool Lowering::cluster_assembly(const std::vector<std::string>& parts) {
  if (parts.size() < 3 || (parts[2] != "arrive" && parts[2] != "wait")) return false;
  const bool arrive = parts[2] == "arrive";
  for (size_t k = 3; k < parts.size(); ++k)
    if (parts[k] != "aligned" && parts[k] != (arrive ? "release" : "acquire")) return false;
  const ValueId on = bits(1, 1);
  emit(Barrier{.scope = Scope::cluster, .local_fence = on, .global_fence = on, .arrive = arrive, .wait = !arrive});
  return true;
}

// What __cluster_dims__ says (headers/cuda.hdr keeps its numbers in an annotation).
std::array<uint32_t, 3> Lowering::cluster_dimensions(const llvm::Function& kernel) const {
  const llvm::GlobalVariable* all = in_.module->getNamedGlobal("llvm.global.annotations");
  const auto* list = all == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantArray>(all->getInitializer());
  std::array<uint32_t, 3> size{};
  for (unsigned n = 0; list != nullptr && n < list->getNumOperands(); ++n) {
    const auto* one = llvm::dyn_cast<llvm::ConstantStruct>(list->getOperand(n));
    if (one == nullptr || one->getNumOperands() < 5 || one->getOperand(0)->stripPointerCasts() != &kernel) continue;
    const auto* word = llvm::dyn_cast<llvm::GlobalVariable>(one->getOperand(1)->stripPointerCasts());
    const auto* text = word == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantDataArray>(word->getInitializer());
    if (text == nullptr || !text->isString() || !text->getAsString().starts_with("__cluster_dims__")) continue;
    const auto* given = llvm::dyn_cast<llvm::GlobalVariable>(one->getOperand(4)->stripPointerCasts());
    const auto* numbers = given == nullptr ? nullptr : llvm::dyn_cast<llvm::ConstantStruct>(given->getInitializer());
    if (numbers == nullptr) continue;
    std::array<uint32_t, 3> here{1, 1, 1};
    for (unsigned d = 0; d < numbers->getNumOperands() && d < 3; ++d)
      if (const auto* v = llvm::dyn_cast<llvm::ConstantInt>(numbers->getOperand(d)))
        here[d] = static_cast<uint32_t>(v->getZExtValue());
    if (size != std::array<uint32_t, 3>{} && size != here) return {};  // two declarations that differ
    size = here;
  }
  return size;
}

}  // namespace fencepost::clangfe
