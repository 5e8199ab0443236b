#pragma once
// Internal to the room: what clang gives, and what LLVM's passes leave of it, on the way to the kernel IR.
#include <llvm/IR/DebugInfoMetadata.h>
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
  // Functions that the user's own text declares or defines: by name; in CUDA by symbol, and templates as "name<".
  std::set<std::string> user_functions;
  std::map<std::string, std::vector<OtherText>> other_text;  // OpenCL: by the function's name
  std::vector<Diagnostic> warnings;
  std::vector<std::string> library;  // folders whose text is a library's: with a toolkit, its own and the host's
  ~LlvmModule() { module.reset(); }
};

// May lines of this file stand in a report about `file`? Those of its folder, of -I and our own may. Others can be
// opened by whoever runs the program, and belong to whoever wrote them.
bool may_be_quoted(const std::string& path, const Source& file, const Options& options);
// Runs clang's front end.
Expected<std::unique_ptr<LlvmModule>> parse(const SourcePtr& file, const Options& options);
// A CUDA file with its host code, before any pass of LLVM's.
struct Surveyed {
  std::unique_ptr<LlvmModule> parsed;
  std::vector<HostKernel> kernels;
  std::vector<std::string> missing;  // included files that are not there
  std::vector<Diagnostic> errors;    // all that clang found
  uint32_t cuda_arch = 0;            // the value that was taken
  bool arch_given = false;           // by whoever asks
};
Expected<Surveyed> survey(const SourcePtr& file, const Options& options);
// A file as debug information names it: absolute, or as the user wrote it.
std::string path_of(const llvm::DIFile& file);
// The text of a path like this is our own, or in one of the folders `library`.
bool of_library(const LlvmModule& m, llvm::StringRef path);
// Inlining and promotion for the room's other way out, plain.h: structures that a kernel gets by value become variables
// of the thread.
void make_values(llvm::Module& module, llvm::Function& kernel);
// Promotion, inlining, canonical loops, conditional expressions in annotations; no access is merged or dropped.
void prepare(llvm::Module& module, const Options& options);
// `refused` gets what we cannot express of kernels, by symbol; the module has them not. Null: errors.
// Errors: what concerns no kernel alone.
Expected<ir::Module> lower(const SourcePtr& file, LlvmModule& in, const Options& options,
                           std::map<std::string, Diagnostic>* refused = nullptr);

}  // namespace fencepost::clangfe
