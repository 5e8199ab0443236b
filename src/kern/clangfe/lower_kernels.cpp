// One module of LLVM's to one of ours, kernel by kernel.
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

}  // namespace

// Kernels that cannot be expressed are taken out, and what is left is lowered again: a function that was left half way
// has values and regions that break the laws of the module. A function whose address is taken stays without its body:
// who may call it, at once or through an address, is refused in the next round.
Expected<Module> lower(const SourcePtr& file, LlvmModule& in, const Options& options,
                       std::map<std::string, Diagnostic>* refused) {
  std::map<const llvm::Function*, Diagnostic> withheld;
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
