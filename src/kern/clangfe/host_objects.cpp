// How objects of the host begin, are copied, and end: functions that are run without a call in the text.
#include <clang/AST/StmtCXX.h>

#include "clangfe/host_walk.h"

namespace fencepost::clangfe {

using clang::Expr;
using clang::FunctionDecl;
using clang::VarDecl;

// ---- beginnings --------------------------------------------------------------------------------------------------

// A copy that the compiler may leave out (ISO C++ [class.copy.elision]) is perhaps not made.
void HostWalk::construct(const Place& to, const clang::CXXConstructExpr* e, uint32_t frame) {
  if (e->isElidable())
    choose([&] { constructed(to, e, frame); }, nullptr);
  else
    constructed(to, e, frame);
}

void HostWalk::constructed(const Place& to, const clang::CXXConstructExpr* e, uint32_t frame) {
  followed_.insert(e);
  const clang::CXXConstructorDecl* f = e->getConstructor();
  const clang::QualType type = e->getType();
  Place at = to;
  if (type->isArrayType()) at = with(to, k_any_element);
  const bool plain = f->isImplicit() || f->isDefaulted() || f->isTrivial();
  if (f->isCopyOrMoveConstructor() && plain && e->getNumArgs() >= 1) {
    const Places from = places(e->getArg(0), frame);
    Values v{.unknown = from.unknown};
    for (const Place& p : from.all) v.atoms.insert({Atom::copy, p, nullptr});
    memory.store(at, v);
    copy_by_text(f, e, addresses({{at}}), {e->arg_begin(), e->arg_end()}, frame);
    return;
  }
  const FunctionDecl* whole = nullptr;
  if (may_be_another(e, f, nullptr, {e->arg_begin(), e->arg_end()})) {
    of_unread(f, addresses({{at}}), {e->arg_begin(), e->arg_end()}, frame);
    return;
  }
  if (f->hasBody(whole) && whole->getBody() != nullptr) {
    enter(e, whole, addresses({{at}}), {e->arg_begin(), e->arg_end()}, frame);
    return;
  }
  if (plain && e->getNumArgs() == 0) return;  // it has nothing to do
  for (const Expr* a : e->arguments()) escape(a, frame);
  memory.store(at, {.unknown = true});
}

// A copy that clang has written, of members that have copies of their own: the copy as a whole is followed better, and
// what the text of the members does is not to be missed.
void HostWalk::copy_by_text(const FunctionDecl* f, const Expr* site, const Values& self,
                            const std::vector<const Expr*>& arguments, uint32_t frame) {
  if (const FunctionDecl* whole = body_of(f); whole != nullptr && acts_(whole))
    enter(site, whole, self, arguments, frame);
}

// `using A::A;`: the base's constructor gets what this one has got.
void HostWalk::inherit(const Place& to, const clang::CXXInheritedCtorInitExpr* e, uint32_t frame) {
  followed_.insert(e);
  const FunctionDecl *own = frames_[frame].function, *f = body_of(e->getConstructor());
  if (own == nullptr) return memory.store(to, {.unknown = true});
  if (f == nullptr) {
    for (const clang::ParmVarDecl* p : own->parameters()) memory.escape(memory.read(variable(p, frame)));
    return memory.store(to, {.unknown = true});
  }
  const uint32_t n = activation(e, f, frame, 0);
  for (unsigned k = 0; k < f->getNumParams(); ++k) {
    const Place at = variable(f->getParamDecl(k), n);
    const bool given = k < own->getNumParams();
    const bool whole = given && f->getParamDecl(k)->getType()->isRecordType();
    if (whole)
      memory.store(at, copies({{variable(own->getParamDecl(k), frame)}}));
    else
      memory.store(at, given ? memory.read(variable(own->getParamDecl(k), frame)) : Values{.unknown = true});
  }
  if (frames_[n].self.atoms.empty()) memory.changed = true;
  frames_[n].self.add(addresses({{to}}));
  go_over(n);
}

// A copy of what was thrown, or a name for it.
void HostWalk::catch_one(const VarDecl* v, uint32_t frame) {
  memory.store(variable(v, frame), {.unknown = true});
  if (v->getInit() != nullptr) choose([&] { init(variable(v, frame), v->getType(), v->getInit(), frame); }, nullptr);
}

Values HostWalk::closure(const clang::LambdaExpr* l, uint32_t frame) {
  followed_.insert(l);
  auto given = l->capture_init_begin();
  for (const clang::LambdaCapture& c : l->captures()) {
    const Expr* e = *given++;
    if (c.capturesVariable() && l->isInitCapture(&c))
      declare(clang::cast<VarDecl>(c.getCapturedVar()), frame);
    else if (e != nullptr && !e->getType().isNull() && e->isPRValue() &&
             context_.getBaseElementType(e->getType())->isRecordType())
      copied(e, frame);
  }
  return {.atoms = {{Atom::copy, {memory.object(ObjectKind::closure, l, frame), {}}, nullptr}}};
}

Values HostWalk::made(const clang::CXXNewExpr* n, uint32_t frame) {
  followed_.insert(n);
  for (const Expr* p : n->placement_arguments()) {
    note(Event::set, addressed(value(p, frame)), n, frame);
    escape(p, frame);
  }
  if (n->isArray() && n->getArraySize()) value(*n->getArraySize(), frame);
  const bool elsewhere = n->getNumPlacementArgs() > 0 || body_of(n->getOperatorNew()) != nullptr ||
                         (n->getOperatorNew() != nullptr && users_(n->getOperatorNew()->getLocation()));
  Values where;
  if (elsewhere) where = allocated(n, frame);
  given_back(n, frame);
  Place at{memory.object(ObjectKind::host_memory, n, frame), {element(0)}};
  // Where it lies is not known, and so is who else has it.
  if (elsewhere) memory.escape({.atoms = {{Atom::address, at, nullptr}}});
  if (n->hasInitializer() || n->getConstructExpr() != nullptr) {
    if (const Expr* given = n->getInitializer(); given != nullptr && !n->getAllocatedType()->isRecordType())
      note(all_zero(given) ? Event::cleared : Event::set, {{at}}, n, frame,
           {.from = 0, .bytes = {}, .to = nullptr, .size = nullptr});
    Place first = at;
    if (n->isArray()) first.path.back() = k_any_element;
    const Expr* e = n->getInitializer() != nullptr ? n->getInitializer() : n->getConstructExpr();
    if (!clang::isa<clang::ImplicitValueInitExpr>(e)) init(first, n->getAllocatedType(), e, frame);
  }
  if (elsewhere) return {.unknown = true};
  return {.atoms = {{Atom::address, std::move(at), nullptr}}};
}

// The class's own function, or the program's.
Values HostWalk::allocated(const clang::CXXNewExpr* n, uint32_t frame) {
  Values out{.unknown = true};
  if (const FunctionDecl* f = body_of(n->getOperatorNew())) {
    out = memory.read({memory.object(ObjectKind::result, f, run_blind(n, f, frame)), {}});
    memory.escape(out);
  }
  return out;
}

// If the constructor throws. Clang names the function only where exceptions are code.
void HostWalk::given_back(const clang::CXXNewExpr* n, uint32_t frame) {
  const auto operation = n->isArray() ? clang::OO_Array_Delete : clang::OO_Delete;
  const auto* of = context_.getBaseElementType(n->getAllocatedType())->getAsCXXRecordDecl();
  if (of == nullptr || !of->hasDefinition()) return;
  for (const FunctionDecl* f : hosts_) {
    if (f->getOverloadedOperator() != operation) continue;
    const auto* m = clang::dyn_cast<clang::CXXMethodDecl>(f);
    if (m != nullptr && m->getParent()->getCanonicalDecl() != of->getCanonicalDecl() &&
        !of->isDerivedFrom(m->getParent()))
      continue;
    const uint32_t sequence = flow.within([&] { run_blind(n, f, frame); });
    flow.add({.kind = Step::aside, .parts = {sequence}});
  }
}

// What it is given is not followed, but for the first.
uint32_t HostWalk::run_blind(const void* site, const FunctionDecl* f, uint32_t frame, const Values& first) {
  const uint32_t own = activation(site, f, frame, 0);
  for (const clang::ParmVarDecl* p : f->parameters())
    memory.store(variable(p, own), p->getFunctionScopeIndex() == 0 ? first : Values{.unknown = true});
  go_over(own);
  return own;
}

// ---- ends --------------------------------------------------------------------------------------------------------

// What the destructor of an object does, some time.
void HostWalk::destroy(const Values& it, clang::QualType type, const Expr* site, uint32_t frame) {
  if (ends_with_text(context_, type) == nullptr) return;
  Places at{.unknown = it.unknown};
  for (const Atom& a : it.atoms)
    if (a.kind != Atom::function) at.all.insert(a.place);
  const uint32_t sequence = flow.within([&] { end(at, type, reinterpret_cast<const char*>(site) + 1, frame); });
  flow.add({.kind = Step::aside, .parts = {sequence}});
}

void HostWalk::destroy(const Place& it, clang::QualType type, const Expr* site, uint32_t frame) {
  destroy(addresses({{it}}), type, site, frame);
}

// The destructor's text, and its members' and bases'.
void HostWalk::end(const Places& it, clang::QualType type, const void* site, uint32_t frame) {
  const clang::CXXRecordDecl* of = ends_with_text(context_, type);
  if (of == nullptr) return;
  const clang::CXXDestructorDecl* d = of->getDestructor();
  if (const FunctionDecl* whole = body_of(d))
    enter(site, whole, addresses(it), {}, frame);
  else
    end_parts(it, of, frame);
}

void HostWalk::end_parts(const Places& it, const clang::CXXRecordDecl* of, uint32_t frame) {
  for (const auto& [field, type] : parts_that_end(of)) {
    Places at = field != nullptr ? fields(it, field) : it;
    if (field != nullptr && type->isArrayType()) {
      Places elements{.unknown = at.unknown};
      for (const Place& p : at.all) elements.all.insert(with(p, k_any_element));
      at = elements;
    }
    end(at, type, field != nullptr ? static_cast<const void*>(field) : type.getAsOpaquePtr(), frame);
  }
}

void HostWalk::deleted(const clang::CXXDeleteExpr* d, uint32_t frame) {
  followed_.insert(d);
  const clang::QualType t = d->getDestroyedType();
  const Values v = value(d->getArgument(), frame);
  if (!t.isNull() && t->isRecordType()) destroy(v, t, d, frame);
  const FunctionDecl* f = body_of(d->getOperatorDelete());
  if (f == nullptr) return;
  run_blind(d, f, frame, v);
}

// ---- all of them -------------------------------------------------------------------------------------------------

bool HostWalk::came_to_all() {
  Unfollowed rest(context_, followed_, acts_);
  for (const Frame& f : frames_)
    if (f.function != nullptr && entered_.contains(f.function->getCanonicalDecl())) rest.body(f.function);
  for (const VarDecl* v : variables_)
    if (v->hasInit() && v->getInit() != nullptr) rest.look(v->getInit());
  not_followed_at = rest.found;
  return !rest.found;
}

}  // namespace fencepost::clangfe
