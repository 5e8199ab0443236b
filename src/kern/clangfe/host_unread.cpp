// Calls of which nobody knows what is called: clang could not read all of the text, or our headers decide it.
#include "clangfe/host_doubts.h"
#include "clangfe/host_walk.h"
#include "clangfe/stand_ins.h"

namespace fencepost::clangfe {

using clang::Expr;
using clang::FunctionDecl;

bool Unread::may_be_another(const FunctionDecl* f) const {
  const bool by_operator = f->isOverloadedOperator() || clang::isa<clang::CXXConversionDecl>(f);
  return (operators && by_operator) || declared_otherwise(f, names);
}

bool HostWalk::may_be_another(const Expr* site, const FunctionDecl* f, const Expr* callee,
                              const std::vector<const Expr*>& arguments) {
  if (unread.may_be_another(f)) return true;
  const auto [it, first] = chosen_.try_emplace(site, false);
  if (first) it->second = chosen_by_stand_ins(context_, f, callee, arguments);
  return it->second;
}

// A function of that name which is not in the tree may do anything with what it is given, and so may that which is.
Values HostWalk::of_unread(const FunctionDecl* f, const Values& self, const std::vector<const Expr*>& arguments,
                           uint32_t frame) {
  if (const FunctionDecl* whole = body_of(f); whole != nullptr && !on_device_only(f))
    memory.changed = memory.loose_functions.insert(whole).second || memory.changed;
  memory.escape(self);
  return not_followed(arguments, frame);
}

// It may come back from anywhere, with anything.
void HostWalk::part_of(const FunctionDecl* f, uint32_t frame) {
  memory.store({memory.object(ObjectKind::result, f, frame), {}}, {.unknown = true});
  const uint32_t sequence = flow.within([&] { statement(f->getBody(), frame); });
  flow.add({.kind = Step::aside, .parts = {sequence}});
}

}  // namespace fencepost::clangfe
