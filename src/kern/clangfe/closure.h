#pragma once
// Internal to the room: what a kernel reaches, and the first error in it. A function reaches the functions that it
// calls (constructors and destructors too), the variables that it names, and the types of both. A declaration is at
// fault if clang says that it is invalid, if an error has its place between its first and its last token, or if clang
// was inside of it when it made the error. A record is at fault with any of its fields: a field that was dropped would
// move those behind it.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <map>
#include <set>
#include <vector>

#include "clangfe/collector.h"

namespace fencepost::clangfe {

class Closure {
 public:
  Closure(clang::ASTContext& context, const std::vector<Failure>& failures) : context_(context), failures_(failures) {}
  // The first error that the function depends on; null if there is none, and then `reached` has grown by what it needs.
  const Failure* fault(const clang::FunctionDecl* f, std::set<const clang::Decl*>& reached);

 private:
  friend class Visitor;
  struct Node {
    const Failure* fault = nullptr;
    std::vector<const clang::FunctionDecl*> functions;
    std::vector<const clang::VarDecl*> variables;
  };
  const Node& node(const clang::FunctionDecl* f);
  bool contains(clang::SourceRange range, clang::SourceLocation at) const;
  const Failure* within(clang::SourceRange range) const;
  const Failure* of_declaration(const clang::Decl* d);
  const Failure* of_type(clang::QualType t);
  const Failure* of_record(const clang::RecordDecl* r);

  clang::ASTContext& context_;
  const std::vector<Failure>& failures_;
  std::map<const clang::FunctionDecl*, Node> nodes_;
  std::map<const clang::Type*, const Failure*> types_;
  std::map<const clang::Decl*, const Failure*> declarations_;
};

}  // namespace fencepost::clangfe
