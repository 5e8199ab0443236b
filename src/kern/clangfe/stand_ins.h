#pragma once
// Internal to the room: what of the host's code rests on how our headers declare the standard library and CUDA.
//
// Our headers have other classes, members, overloads and exceptions than the real ones. Sizes and traits of their
// classes, and types that their functions give, decide constants, and which of several functions or specialisations of
// the user's is meant. Such a constant is not known, and such a function is nobody knows which. What is the same in
// every library stands in tables here: types of a fixed size, traits of the language's own types, functions of C and
// members with one type each.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <vector>

namespace fencepost::clangfe {

// The value of the constant may be another with the real headers.
bool rests_on_stand_ins(clang::ASTContext& context, const clang::Expr* e);
// With the real headers another function of the user's may be called. `callee`: the words that name it; null: none.
bool chosen_by_stand_ins(clang::ASTContext& context, const clang::FunctionDecl* f, const clang::Expr* callee,
                         const std::vector<const clang::Expr*>& arguments);

}  // namespace fencepost::clangfe
