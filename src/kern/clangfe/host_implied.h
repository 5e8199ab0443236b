#pragma once
// Internal to the room: what the host's code runs without a call of it, and whether the walk over it (host_walk.h) has
// come to all that is run.
//
// The walk marks each node of the tree that runs functions when it has gone into them. Behind the walk all bodies that
// it entered are gone over again, by this list of nodes and not by the walk's own: a node that runs something which
// acts, and that has no mark, or a form that is not in the list at all, leaves nothing known.
#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace fencepost::clangfe {

// What ends with an object of the class, behind the destructor's own text: members last to first, then bases; field
// null: a base.
std::vector<std::pair<const clang::FieldDecl*, clang::QualType>> parts_that_end(const clang::CXXRecordDecl* of);
// The class of an object, or of the elements of an array, with whose end something is done; null: nothing is.
const clang::CXXRecordDecl* ends_with_text(clang::ASTContext& context, clang::QualType t);

// Whether a function launches, writes to more than variables of its own and members of its object, or calls what may.
class Acts {
 public:
  Acts(clang::ASTContext& context, std::function<bool(clang::SourceLocation)> users)
      : context_(context), users_(std::move(users)) {}
  bool operator()(const clang::FunctionDecl* f);
  // What ends an object of the type.
  bool at_end_of(clang::QualType t);

 private:
  struct Facts {
    bool acts = false;
    std::set<const clang::FunctionDecl*> next;
  };
  friend class FactsOf;
  const Facts& facts(const clang::FunctionDecl* f);
  bool any(const Facts& first);
  clang::ASTContext& context_;
  std::function<bool(clang::SourceLocation)> users_;
  std::map<const clang::FunctionDecl*, Facts> facts_;
  std::map<const clang::FunctionDecl*, bool> known_;
};

// A place in the text or its initialisers that runs something which acts, and that has no mark.
class Unfollowed {
 public:
  Unfollowed(clang::ASTContext& context, const std::set<const clang::Stmt*>& followed, Acts& acts)
      : context_(context), followed_(followed), acts_(acts) {}
  void body(const clang::FunctionDecl* f);
  void look(const clang::Stmt* s);
  std::optional<clang::SourceLocation> found;

 private:
  bool runs(const clang::Stmt* s);
  void declared(const clang::Decl* d);
  clang::ASTContext& context_;
  const std::set<const clang::Stmt*>& followed_;
  Acts& acts_;
  std::set<const clang::Stmt*> seen_;
};

}  // namespace fencepost::clangfe
