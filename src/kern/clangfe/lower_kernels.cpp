// One module of LLVM's to one of ours, kernel by kernel.
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

// All functions from which a call of an address leads somewhere.
std::set<llvm::Function*> callers_by_address(llvm::Module& m) {
  std::set<llvm::Function*> out;
  for (llvm::Function& f : m)
    for (const llvm::BasicBlock& b : f)
      for (const llvm::Instruction& i : b)
        if (const auto* c = llvm::dyn_cast<llvm::CallBase>(&i); c != nullptr && c->isIndirectCall())
          out.merge(callers(&f));
  return out;
}

}  // namespace

// Kernels that cannot be expressed are taken out, and what is left is lowered again: a function that was left half way
// has values and regions that break the laws of the module.
Expected<Module> lower(const SourcePtr& file, LlvmModule& in, const Options& options,
                       std::map<std::string, Diagnostic>* refused) {
  while (true) {
    Lowering lowering(file, in, options);
    auto module = lowering.run();
    if (module || refused == nullptr || lowering.refused().empty()) return module;
    std::set<llvm::Function*> out;
    for (const auto& [f, why] : lowering.refused()) {
      std::set<llvm::Function*> reach = callers(const_cast<llvm::Function*>(f));
      // Who calls through an address may call what stands in a table.
      if (std::any_of(f->user_begin(), f->user_end(), [&](const llvm::User* u) {
            const auto* c = llvm::dyn_cast<llvm::CallBase>(u);
            return c == nullptr || c->getCalledOperand() != f;
          }))
        reach.merge(callers_by_address(*in.module));
      bool any = false;
      for (llvm::Function* g : reach) {
        if (!lowering.is_kernel(*g)) continue;
        refused->try_emplace(g->getName().str(), why);
        out.insert(g);
        any = true;
      }
      if (!any && !options.inline_calls) return module;
      out.insert(const_cast<llvm::Function*>(f));
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
