#pragma once
// Internal to the room: what host code may do otherwise, since it is compiled without __CUDA_ARCH__.
//
// The text is read once, as for the device. Host code whose text rests on __CUDA_ARCH__ (a condition in it, a macro, a
// type, a function that it names) is another in the host's own compilation. Numbers that rest on it are not known
// (launches.cpp). Where it takes part in what pointers lead to, no pointer of the file is traced; where arguments of
// templates may rest on it, the launches of instances have no sizes and no arguments that are known.
//
// Left out of sight: code of the device alone, functions for both sides that no host code names, and functions that
// have to do with no pointer.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <functional>
#include <set>
#include <vector>

#include "clangfe/conditions.h"
#include "clangfe/launches.h"

namespace fencepost::clangfe {

// The doubts whose text host code can reach. `functions`: every function of the file that has a body.
Doubts of_host_code(clang::ASTContext& context, const Doubts& all,
                    const std::vector<const clang::FunctionDecl*>& functions);

struct HostDoubts {
  bool pointers = false;   // what pointers lead to is not known
  bool instances = false;  // with which arguments templates are instantiated is not known
};
// `doubts`: those of host code.
HostDoubts weigh(clang::ASTContext& context, const Doubts& doubts, const std::vector<const clang::FunctionDecl*>& hosts,
                 const std::vector<const clang::VarDecl*>& variables, const std::vector<FoundLaunch>& launches);

// The declaration of file scope, or a class around it, has a name that text declares which was not read.
bool declared_otherwise(const clang::Decl* d, const std::set<const clang::IdentifierInfo*>& names);

// The function is an instance of a template, or lies in one.
bool of_template(const clang::FunctionDecl* f);

}  // namespace fencepost::clangfe
