// One module of LLVM's to one of ours, kernel by kernel.
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>

#include <algorithm>
#include <set>

#include "clangfe/lowering.h"

namespace fencepost::clangfe {

using namespace ir;

namespace {

// All functions from which a call leads to this one, and it.
std::set<llvm::Function*> callers(llvm::Function* f) {
  std::set<llvm::Function*> seen{f};
  std::vector<llvm::Function*> todo{f};
  while (!todo.empty()) {
    const llvm::Function* at = todo.back();
    todo.pop_back();
    for (const llvm::User* u : at->users())
      if (const auto* i = llvm::dyn_cast<llvm::Instruction>(u))
        if (auto* g = const_cast<llvm::Function*>(i->getFunction()); seen.insert(g).second) todo.push_back(g);
  }
  return seen;
}

// It stands in a table, or is handed on.
bool has_address(const llvm::Function& f) {
  return std::any_of(f.user_begin(), f.user_end(), [&](const llvm::User* u) {
    const auto* c = llvm::dyn_cast<llvm::CallBase>(u);
    return c == nullptr || c->getCalledOperand() != &f;
  });
}

// `reqd_work_group_size(X, Y, Z)`: no other launch exists (OpenCL C 3.0, 6.13.2), so it is a precondition. So is
// `intel_reqd_sub_group_size(N)` (cl_intel_required_subgroup_size). work_group_size_hint is none.
void require_sizes(llvm::Module& m) {
  for (llvm::Function& f : m) {
    if (f.isDeclaration()) continue;
    const llvm::MDNode* group = f.getMetadata("reqd_work_group_size");
    const llvm::MDNode* sub_group = f.getMetadata("intel_reqd_sub_group_size");
    if (group == nullptr && sub_group == nullptr) continue;
    llvm::IRBuilder<> b(&*f.getEntryBlock().getFirstInsertionPt());
    if (const llvm::DISubprogram* s = f.getSubprogram())
      b.SetCurrentDebugLocation(
          llvm::DILocation::get(m.getContext(), s->getLine(), 1, const_cast<llvm::DISubprogram*>(s)));
    const auto requires_ = m.getOrInsertFunction("_Z20__fencepost_requiresb",
                                                 llvm::FunctionType::get(b.getVoidTy(), {b.getInt1Ty()}, false));
    const auto require = [&](llvm::Value* size, const llvm::MDOperand& is) {
      if (const auto* n = llvm::mdconst::dyn_extract<llvm::ConstantInt>(is))
        b.CreateCall(requires_, {b.CreateICmpEQ(size, llvm::ConstantInt::get(size->getType(), n->getZExtValue()))});
    };
    if (group != nullptr && group->getNumOperands() == 3) {
      llvm::Type* size = b.getIntNTy(m.getDataLayout().getPointerSizeInBits());
      const auto asks =
          m.getOrInsertFunction("_Z14get_local_sizej", llvm::FunctionType::get(size, {b.getInt32Ty()}, false));
      for (unsigned d = 0; d < 3; ++d) require(b.CreateCall(asks, {b.getInt32(d)}), group->getOperand(d));
    }
    if (sub_group != nullptr && sub_group->getNumOperands() == 1) {
      const auto asks =
          m.getOrInsertFunction("_Z22get_max_sub_group_sizev", llvm::FunctionType::get(b.getInt32Ty(), false));
      require(b.CreateCall(asks), sub_group->getOperand(0));
    }
  }
}

}  // namespace

bool Lowering::image_races_barrier(const llvm::Function& kernel) const {
  const auto reached = [&](const std::set<const llvm::Function*>& some) {
    return std::any_of(some.begin(), some.end(), [&](const llvm::Function* f) {
      // By contract, functions are followed by themselves, and one with an address may be called from anywhere.
      return !options_.inline_calls || has_address(*f) ||
             callers(const_cast<llvm::Function*>(f)).contains(const_cast<llvm::Function*>(&kernel));
    });
  };
  return reached(image_writers_) && reached(barriers_without_images_);
}

// Kernels that cannot be expressed are taken out, and what is left is lowered again: a function that was left half way
// has values and regions that break the laws of the module. A function whose address is taken stays without its body:
// who may call it, at once or through an address, is refused in the next round.
Expected<Module> lower(const SourcePtr& file, LlvmModule& in, const Options& options,
                       std::map<std::string, Diagnostic>* refused) {
  std::map<const llvm::Function*, Diagnostic> withheld;
  require_sizes(*in.module);
  while (true) {
    Lowering lowering(file, in, options, withheld);
    auto module = lowering.run();
    if (module || refused == nullptr || lowering.refused().empty()) return module;
    std::set<llvm::Function*> out;
    for (const auto& [f, why] : lowering.refused()) {
      auto* g = const_cast<llvm::Function*>(f);
      if (!lowering.is_kernel(*f) && has_address(*f)) {
        if (f->isDeclaration() || !withheld.try_emplace(f, why).second) return module;
        g->deleteBody();
        llvm::IRBuilder<>(llvm::BasicBlock::Create(g->getContext(), "", g)).CreateUnreachable();
        continue;
      }
      bool any = false;
      for (llvm::Function* k : callers(g)) {
        if (!lowering.is_kernel(*k)) continue;
        refused->try_emplace(k->getName().str(), why);
        out.insert(k);
        any = true;
      }
      if (!any && !options.inline_calls) return module;
      out.insert(g);
    }
    for (llvm::Function* f : out) {
      if (f->isDeclaration()) return module;
      f->deleteBody();
      f->replaceAllUsesWith(llvm::PoisonValue::get(f->getType()));
      f->eraseFromParent();
    }
  }
}

}  // namespace fencepost::clangfe
