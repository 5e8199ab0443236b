#pragma once
// Internal to the room: which pointers that a launch gives may come from one array of the host's.
//
// A proof takes two pointers of a kernel for two arrays. Most hosts give two, and do not say so. This room looks for
// those that give otherwise: `q = p + 1`, `q = &p[n]`, a member that was set from another one, a function
// of the host that hands its parameters on. Every assignment of a pointer is noted, whatever the order in which it is
// made (flow-insensitive); a pointer reaches all that it was made of; two that reach a common one may be of one array.
// Values that are exchanged (`std::swap(a, b)`, or with a third variable) stay as different as they were: double
// buffers are no overlap. Parameters of a function of the host are replaced by what each call gives, all at a time.
//
// What is not seen (memory of a library, an address that is written elsewhere) is not known to overlap: then
// the assumption stands that the profile names.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <compare>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "clangfe/launches.h"

namespace fencepost::clangfe {

class Origins {
 public:
  // `hosts`: all functions with a body; `variables`: of file scope.
  Origins(clang::ASTContext& context, const std::vector<const clang::FunctionDecl*>& hosts,
          const std::vector<const clang::VarDecl*>& variables);
  // The parameters, by number, that may be given places of one array; a number twice: of one structure;
  // k_of_the_file: an array of the device that the file declares.
  std::vector<std::pair<uint32_t, uint32_t>> overlaps(const FoundLaunch& l) const;

 private:
  friend class Assignments;
  // A variable, or a part of one: members by their declaration, elements by number, `unknown_element` for the others.
  struct Slot {
    const clang::ValueDecl* of = nullptr;
    std::vector<const void*> path;
    friend auto operator<=>(const Slot&, const Slot&) = default;
  };
  using Slots = std::vector<Slot>;
  struct Call {
    const clang::FunctionDecl* caller;
    std::vector<const clang::Expr*> arguments;
  };

  void assign(const clang::Expr* to, const clang::Expr* from);
  void assign(const Slot& to, const clang::Expr* from);
  Slots slots(const clang::Expr* e) const;
  Slots part(Slots whole, const void* step) const;
  std::set<Slot> reach(const Slots& from) const;
  bool overlap(const Slots& a, const Slots& b, const clang::FunctionDecl* host, unsigned depth) const;
  bool of_file(const Slots& s, const clang::FunctionDecl* host, unsigned depth) const;
  Slots given(const Slots& s, const clang::FunctionDecl* host, const Call& c) const;

  clang::ASTContext& context_;
  std::map<Slot, std::vector<Slots>> made_of_;
  std::map<const clang::FunctionDecl*, std::vector<Call>> calls_;
};

}  // namespace fencepost::clangfe
