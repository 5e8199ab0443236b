// The models about whose formulas there are proofs, and how a model is told by its formulas.
#include "encode/reduction.h"

namespace fencepost::encode {
namespace {

using cat::Node;
using cat::NodeId;
using cat::NodeOp;

// docs/semantics.md proves that silent read-modify-writes may be left out.
constexpr Proven k_proven_silent[] = {
    {"vulkan", 0x52c15830118058e3},        {"vulkan-nochains", 0xa636aa6d4189b180},
    {"vulkan-alloy", 0x80bddb79ce5baa7e},  {"vulkan-alloy-nochains", 0x0075163d9665b1f7},
    {"vulkan-tables", 0x3351a11983189e2e}, {"vulkan-nochains-tables", 0xbb33f55a73a96c4d},
};

// repeats.h proves it by hand.
constexpr Proven k_proven_repeats[] = {
    {"opencl", 0x1b3a23ca763c8704},        {"opencl-3.1", 0x058d85e83c3312bf}, {"opencl-popl16", 0x903896541bf0a06c},
    {"opencl-tables", 0xb2d0c6e91ac23c00}, {"cuda", 0x65d8f1ad16b73aa2},       {"cuda-volatile", 0x42db123e6337ba46},
};

}  // namespace

std::span<const Proven> proven_silent() { return k_proven_silent; }
std::span<const Proven> proven_repeats() { return k_proven_repeats; }

uint64_t fingerprint(const cat::Model& model, bool flags) {
  uint64_t hash = 0xcbf29ce484222325ull;
  const auto put = [&](uint64_t v) {
    for (int k = 0; k < 8; ++k, v >>= 8) hash = (hash ^ (v & 0xff)) * 0x100000001b3ull;
  };
  std::vector<bool> seen(model.nodes.size(), false);
  std::vector<NodeId> number(model.nodes.size(), 0);
  NodeId next = 0;
  // Nodes in the order in which the axioms reach them, each once, after its number.
  const auto visit = [&](auto&& self, NodeId id) -> void {
    if (seen[id]) {
      put(number[id]);
      return;
    }
    seen[id] = true;
    number[id] = ++next;
    const Node& n = model.nodes[id];
    put(0x100 + static_cast<uint64_t>(n.op));
    put(static_cast<uint64_t>(n.type));
    if (n.op == NodeOp::base_rel) put(static_cast<uint64_t>(n.base));
    if (n.op == NodeOp::base_set) put(static_cast<uint64_t>(n.tag));
    if (n.op == NodeOp::rec_var) self(self, model.variables[n.rec].definition);
    put(n.kids.size());
    for (NodeId k : n.kids) self(self, k);
  };
  put(static_cast<uint64_t>(model.dialect));
  for (const cat::Axiom& a : model.axioms) {
    if (a.flag && !flags) continue;
    put(static_cast<uint64_t>(a.kind));
    put((a.negated ? 1 : 0) + (a.flag ? 2 : 0));
    visit(visit, a.node);
  }
  return hash;
}

}  // namespace fencepost::encode
