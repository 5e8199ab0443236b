#pragma once
// Internal to the room: what clang gives, and what LLVM's passes leave of it, on the way to the kernel IR.
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <map>
#include <memory>
#include <set>
#include <string>

#include "clangfe/clangfe.h"

namespace fencepost::clangfe {

struct LlvmModule {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::set<std::string> user_functions;  // names of functions that the user's own text declares or defines
  std::vector<Diagnostic> warnings;
  ~LlvmModule() { module.reset(); }
};

// May lines of this file stand in a report about `file`? Those of its folder, of -I and our own may. Others can be
// opened by whoever runs the program, and belong to whoever wrote them.
bool may_be_quoted(const std::string& path, const Source& file, const Options& options);
// Runs clang's front end.
Expected<std::unique_ptr<LlvmModule>> parse(const SourcePtr& file, const Options& options);
// Promotion, inlining, canonical loops, conditional expressions in annotations; no access is merged or dropped.
void prepare(llvm::Module& module, const Options& options);
// `refused` gets what we cannot express of kernels, by symbol; the module has them not. Null: errors.
// Errors: what concerns no kernel alone.
Expected<ir::Module> lower(const SourcePtr& file, LlvmModule& in, const Options& options,
                           std::map<std::string, Diagnostic>* refused = nullptr);

}  // namespace fencepost::clangfe
