#pragma once
// Internal to the room: functions of the file that a library may run by itself, since it is given their class.
//
// A library calls comparators and functors, copies, moves and ends elements, asks for `begin` and `swap` by the classes
// of their arguments, and calls what the file specialises for it. No call of that is in the tree, and a list of what
// each library function calls would be as long as the libraries. So the rule goes by types: where a class of the file
// takes part in a type of a library, or in what a library function is given, all functions of the class, its friends
// and the functions that are found by it may be run at any time. What their arguments are is not known; the objects
// that lead there are out of sight already (HostMemory::escape).
//
// Taken out: functions of the language's library that only pass references on (std::move), traits, and what the CUDA
// runtime copies byte by byte.
//
// Tried and lost: leaving nothing known at every call of a library function that has no text; our headers have texts
// for some, and a container runs functions where no call stands.
#include <clang/AST/Decl.h>
#include <clang/Basic/IdentifierTable.h>

#include <functional>
#include <optional>
#include <set>
#include <vector>

namespace fencepost::clangfe {

struct GivenToLibraries {
  std::set<const clang::FunctionDecl*> functions;
  bool objects = false;  // of any function of a class: `this` stands in text that is not in the tree
  // A template of such a class, which a library may instantiate, does more than the walk can follow.
  std::optional<clang::SourceLocation> not_followed;
  // A variable or function of the file has a second name for the linker, by which anything may reach it.
  std::optional<clang::SourceLocation> second_name;
};

// `declarations`: the user's own, of file scope; `hosts`: all functions with a body; `lost`: names of which some use is
// not in the tree: what they stand for may be given to a library there. `lost_this`: so may any object be.
GivenToLibraries given_to_libraries(const std::function<bool(clang::SourceLocation)>& users,
                                    const std::vector<clang::Decl*>& declarations,
                                    const std::vector<const clang::FunctionDecl*>& hosts,
                                    const std::set<const clang::IdentifierInfo*>& lost, bool lost_this);

}  // namespace fencepost::clangfe
