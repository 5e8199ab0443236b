#pragma once
// Internal to the room: the consumer of clang's tree of a CUDA file with host code. It notes what clang hands out,
// waits until all of the file and all instances are there, and gives the code generator what the readable kernels reach
// and nothing else, so that a tree with errors in it never becomes code.
#include <clang/AST/ASTConsumer.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Token.h>

#include <set>

#include "clangfe/arch.h"
#include "clangfe/closure.h"
#include "clangfe/conditions.h"
#include "clangfe/launches.h"
#include "clangfe/mentions.h"

namespace clang {
class CodeGenerator;
}

namespace fencepost::clangfe {

struct Found {
  std::vector<HostKernel> kernels;
  std::vector<std::string> missing;
  std::vector<clang::SourceLocation> globals;  // where __global__ is expanded
  Words words;
  Differences elsewhere;
  uint32_t cuda_arch = 0;
  bool arch_given = false;
};

// The place is neither in our headers nor in clang's own, and with a toolkit in none of the toolkit's or the host's.
bool users_text(const clang::SourceManager& sm, const clang::TargetInfo& target, clang::SourceLocation at);

class Survey : public clang::ASTConsumer {
 public:
  Survey(clang::CompilerInstance& ci, Collector& collector, LlvmModule& out, Found& found, bool attributes_decide)
      : ci_(ci), collector_(collector), out_(out), found_(found), attributes_decide_(attributes_decide) {}
  void Initialize(clang::ASTContext& context) override;
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override;
  void HandleCXXStaticMemberVarInstantiation(clang::VarDecl* v) override { variables_.push_back(v); }
  void HandleTranslationUnit(clang::ASTContext& context) override;

 private:
  void visit(clang::Decl* d);
  bool users(clang::SourceLocation at) const { return users_text(ci_.getSourceManager(), ci_.getTarget(), at); }
  void add_attributes();
  void add_doubts();
  void add_doubts(clang::Decl* d);
  void put_on_device(clang::VarDecl* v);
  void instantiate_named(const clang::FunctionDecl* host);
  void add_kernel(const clang::FunctionDecl* f, Closure& closure);
  void add_launches();
  void add_unseen();
  bool keeps_first_value(const clang::VarDecl* v) const;
  void generate();
  void add_uses(const Mentions& found);
  HostKernel without_text(std::string name, clang::SourceLocation at, std::string message, std::string hint);
  void add_foreign(const Mentions& found);
  void add_lost(const Mentions& found);
  void add_launched_elsewhere(const Mentions& found);
  std::vector<HostKernel*> rows_of(const Mention& m);
  HostKernel* row(const clang::FunctionDecl* f);
  std::vector<const clang::FunctionDecl*> with_text() const;

  clang::CompilerInstance& ci_;
  Collector& collector_;
  std::vector<Failure> faults_;  // clang's, and what is in doubt
  LlvmModule& out_;
  Found& found_;
  bool attributes_decide_;
  clang::ASTContext* context_ = nullptr;
  std::vector<clang::FunctionDecl*> functions_;  // with a body, no patterns
  std::vector<clang::FunctionTemplateDecl*> templates_;
  std::vector<clang::VarDecl*> variables_;
  std::vector<clang::Decl*> top_;         // the user's own
  std::vector<clang::Decl*> handed_out_;  // functions and variables in clang's order
  std::map<const clang::FunctionDecl*, size_t> rows_;
  std::set<const clang::Decl*> reached_;
};

// Included files that are not there are written down, and so is each __global__.
class Includes : public Conditions {
 public:
  Includes(clang::Preprocessor& preprocessor, Found& found, const Reads& reads,
           std::function<bool(llvm::StringRef)> spoken_of, std::function<bool(clang::SourceLocation)> users)
      : Conditions(preprocessor, found.elsewhere, std::move(spoken_of), std::move(users)),
        found_(found),
        reads_(reads) {}
  bool FileNotFound(llvm::StringRef name) override {
    // One that is there, and of a kind that is not read, is an error.
    for (const auto& [path, why] : reads_.refused)
      if (path == name || llvm::StringRef(path).ends_with(("/" + name).str())) return false;
    found_.missing.push_back(name.str());
    Conditions::missing(name.str());
    return true;
  }
  void MacroExpands(const clang::Token& name, const clang::MacroDefinition& d, clang::SourceRange range,
                    const clang::MacroArgs* arguments) override {
    Conditions::MacroExpands(name, d, range, arguments);
    if (name.getIdentifierInfo() != nullptr && name.getIdentifierInfo()->isStr("__global__"))
      found_.globals.push_back(range.getBegin());
  }

 private:
  Found& found_;
  const Reads& reads_;
};

}  // namespace fencepost::clangfe
