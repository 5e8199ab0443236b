#pragma once
// Internal to the room: the launches that a function of the host makes, and what their sizes and arguments are.
//
// A number is known if it follows from constants: literals, enumerators, constexpr, and variables of the function that
// are given a value where they are declared and are only read then. `Only read` is decided twice: by the tree, and
// by the words of the text. Where clang has dropped a statement that it did not understand, a word of the variable's
// name has no place in the tree, and the variable is then not known. A variable of type dim3 may also be given its
// members one by one in the block that declares it. Functions of the host with the one statement
// `return e;` are computed. What a missing include may decide is not known. Everything else is unknown: a size that
// is wrong would be a proof about another launch.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>

#include <set>
#include <vector>

#include "clangfe/clangfe.h"
#include "clangfe/conditions.h"

namespace fencepost::clangfe {

struct FoundLaunch {
  const clang::FunctionDecl* kernel = nullptr;  // null: computed by the host
  const clang::CallExpr* call = nullptr;
  const clang::Expr* callee = nullptr;    // the words that name it; null: a value that the host computes
  clang::SourceLocation at, config;       // config: of <<<
  HostLaunch launch;                      // without its place, and without what its pointers have in common
  std::vector<const clang::Expr*> given;  // the arguments, as far as they are seen
  const clang::FunctionDecl* host = nullptr;
};

// Types from which a cast of the user's text takes `const` away: a reference to const may write to such a variable.
struct Unconst {
  bool any = false;             // through `const void*`
  std::set<const void*> types;  // canonical, without qualifiers
  bool contains(clang::QualType t) const;
};
// All such types of the text, found by its casts.
Unconst written_through_const(clang::ASTContext& context);

// `nullptr`, NULL, 0 or {} as a pointer.
bool null_constant(clang::ASTContext& context, const clang::Expr* e);

// All launches in the body of a function or of an instance of a template.
std::vector<FoundLaunch> launches_of(clang::ASTContext& context, const clang::FunctionDecl& host, const Doubts& doubts,
                                     const Unconst& unconst);

// What the function does itself rests on text that is in doubt. Functions that it calls are not looked into, but for
// those that are computed when the text is compiled.
bool in_doubt(clang::ASTContext& context, const Doubts& doubts, const clang::FunctionDecl& f);

}  // namespace fencepost::clangfe
