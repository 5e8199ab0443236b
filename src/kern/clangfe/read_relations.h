#pragma once
// Internal to the room: the relations of a launch (relations.h), read from the tree.
//
// Why they hold. All arguments and sizes of a launch are evaluated in one expression. A variable has one value in all
// of it if nothing in the expression can write to it: it is local to the function and not static, volatile or a
// reference, and each place of its name in the function reads its value; or changes it in a statement of its own,
// outside of lambdas (a name whose address is taken, that is bound to a reference or that stands in text which clang
// dropped is neither). Those of the first kind keep the value that they have from their declaration on; a local
// variable that is declared `int t = n + 8;` and only read then is n + 8 where it is seen, if all variables in that
// are of the first kind: they are in scope where t is declared, so that they cannot be declared again while t lives. A
// variable of the second kind may have changed since: it stands for itself, and in what another variable is made of
// only where no statement that changes it stands in the block that declares that other one. That block cannot be left
// and entered again without a new declaration, so that nothing in between has changed it.
//
// A number in a structure of the host's is what the structure is made of: of a list of values, of a constructor that
// does nothing but initialise, or of statements `p.n = e;` in the block that declares it, if nothing else is done to
// it but that it is read (the order of the text is the order of the program then). Bases, unions, bit-fields, mutable
// and volatile members are not read.
//
// The distance of rows that cudaMallocPitch gives (CUDA runtime API, "Memory Management") is their width and what is
// added to it, which is a variable of its own, of 32 bits: no alignment comes near that. The host's variable has no
// value where the call is not made.
//
// What is computed is what the tree says, conversion by conversion. A sum, difference or product of signed numbers
// that is surely evaluated does not wrap: the host's program has no meaning then. Expressions with any other part (a
// call of a function that is more than `return e;`, memory, a float), and those that rest on text in doubt,
// are not read: the argument stays any number.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>

#include <functional>
#include <optional>
#include <vector>

#include "clangfe/relations.h"

namespace fencepost::clangfe {

// What is known of the function that launches (launches.cpp).
struct HostFacts {
  std::function<std::optional<llvm::APSInt>(const clang::Expr*)> number;  // a constant
  std::function<bool(const clang::Expr*)> doubtful;
  std::function<bool(const clang::VarDecl*)> keeps;   // only read, from its declaration on
  std::function<bool(const clang::VarDecl*)> steady;  // read, and changed by statements of their own
  // The same, of the first, and none of these statements stands in the block that declares the second.
  std::function<bool(const clang::VarDecl*, const clang::VarDecl*)> steady_since;
  // The width in bytes of rows of which this is the distance, as cudaMallocPitch gives it, and nothing else; or null.
  std::function<const clang::Expr*(const clang::VarDecl*)> row_width;
  // All that a structure is given behind its declaration and before a place, in order; none: not all of it is known.
  struct Given {
    const clang::FieldDecl* field = nullptr;  // none: all of it
    const clang::Expr *whole = nullptr, *value = nullptr;
  };
  std::function<std::optional<std::vector<Given>>(const clang::VarDecl*, const clang::Expr*)> given;
  std::function<bool(const clang::CXXRecordDecl&)> doubtful_type;
};

HostRelations read_relations(clang::ASTContext& context, const HostFacts& facts, const clang::Expr* grid,
                             const clang::Expr* block, const std::vector<const clang::Expr*>& arguments);

}  // namespace fencepost::clangfe
