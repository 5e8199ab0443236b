#include "clangfe/closure.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

namespace fencepost::clangfe {

namespace {
// An expression that clang has put in the place of one that it did not understand, without an error that we can place.
const Failure k_unplaced = {.said = {.message = "clang does not understand a part of it"}};
}  // namespace

class Visitor : public clang::RecursiveASTVisitor<Visitor> {
 public:
  Visitor(Closure& closure, Closure::Node& node) : closure_(closure), node_(node) {}
  bool shouldVisitImplicitCode() const { return true; }
  bool shouldVisitLambdaBody() const { return true; }

  bool VisitExpr(clang::Expr* e) {
    if (e->containsErrors()) blame(&k_unplaced);
    type(e->getType());
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) { return name(e->getDecl()); }
  bool VisitMemberExpr(clang::MemberExpr* e) { return name(e->getMemberDecl()); }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* e) {
    destructor(e->getType());
    return name(e->getConstructor());
  }
  bool VisitCXXNewExpr(clang::CXXNewExpr* e) { return e->getOperatorNew() == nullptr || name(e->getOperatorNew()); }
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr* e) {
    destructor(e->getDestroyedType());
    return e->getOperatorDelete() == nullptr || name(e->getOperatorDelete());
  }
  bool VisitCXXDefaultArgExpr(clang::CXXDefaultArgExpr* e) { return TraverseStmt(e->getExpr()); }
  bool VisitCXXDefaultInitExpr(clang::CXXDefaultInitExpr* e) { return TraverseStmt(e->getExpr()); }
  bool VisitCXXInheritedCtorInitExpr(clang::CXXInheritedCtorInitExpr* e) { return name(e->getConstructor()); }
  bool VisitVarDecl(clang::VarDecl* v) {
    blame(closure_.of_declaration(v));
    type(v->getType());
    destructor(v->getType());
    return true;
  }
  bool VisitTypedefNameDecl(clang::TypedefNameDecl* d) {
    blame(closure_.of_declaration(d));
    return true;
  }

 private:
  void blame(const Failure* f) {
    // One with a place says more.
    if (f != nullptr && (node_.fault == nullptr || node_.fault == &k_unplaced)) node_.fault = f;
  }
  void type(clang::QualType t) { blame(closure_.of_type(t)); }
  void destructor(clang::QualType t) {
    if (t.isNull() || t->isDependentType()) return;
    if (const auto* r = closure_.context_.getBaseElementType(t)->getAsCXXRecordDecl())
      if (r->hasDefinition() && !r->hasTrivialDestructor())
        if (clang::CXXDestructorDecl* d = r->getDestructor()) name(d);
  }
  bool name(const clang::ValueDecl* d) {
    if (const auto* f = clang::dyn_cast<clang::FunctionDecl>(d)) {
      node_.functions.push_back(f);
    } else if (const auto* v = clang::dyn_cast<clang::VarDecl>(d)) {
      if (!v->isLocalVarDeclOrParm()) node_.variables.push_back(v);
    } else {
      blame(closure_.of_declaration(d));
    }
    type(d->getType());
    return true;
  }

  Closure& closure_;
  Closure::Node& node_;
};

bool Closure::contains(clang::SourceRange range, clang::SourceLocation at) const {
  if (range.isInvalid() || at.isInvalid()) return false;
  const clang::SourceManager& sm = context_.getSourceManager();
  const clang::SourceLocation begin = sm.getExpansionLoc(range.getBegin()),
                              end = sm.getExpansionRange(range.getEnd()).getEnd();
  return (at == begin || sm.isBeforeInTranslationUnit(begin, at)) &&
         (at == end || sm.isBeforeInTranslationUnit(at, end));
}

const Failure* Closure::within(clang::SourceRange range) const {
  for (const Failure& f : failures_)
    if (contains(range, f.at)) return &f;
  return nullptr;
}

const Failure* Closure::of_declaration(const clang::Decl* d) {
  const auto [it, fresh] = declarations_.try_emplace(d, nullptr);
  if (!fresh) return it->second;
  const Failure* found = nullptr;
  if (const auto* constant = clang::dyn_cast<clang::EnumConstantDecl>(d)) {
    found = within(clang::cast<clang::EnumDecl>(constant->getDeclContext())->getSourceRange());
  } else if (const auto* f = clang::dyn_cast<clang::FunctionDecl>(d)) {
    found = within(f->getSourceRange());
  } else if (clang::isa<clang::VarDecl, clang::FieldDecl, clang::TypedefNameDecl, clang::EnumDecl>(d)) {
    found = within(d->getSourceRange());
  }
  if (found == nullptr && d->isInvalidDecl()) found = &k_unplaced;
  return declarations_[d] = found;
}

const Failure* Closure::of_record(const clang::RecordDecl* r) {
  const auto [it, fresh] = declarations_.try_emplace(r, nullptr);
  if (!fresh) return it->second;  // also while it is being looked at: a list points to itself
  const clang::RecordDecl* whole = r->getDefinition();
  if (whole == nullptr) return nullptr;  // only pointers to it are possible
  // An error inside of a member function is that function's.
  const Failure* found = nullptr;
  std::vector<clang::SourceRange> bodies;
  const auto collect = [&](const clang::Decl* d) {
    if (const auto* t = clang::dyn_cast<clang::FunctionTemplateDecl>(d)) d = t->getTemplatedDecl();
    if (const auto* f = clang::dyn_cast<clang::FunctionDecl>(d);
        f != nullptr && f->hasBody() && f->getBody() != nullptr)
      bodies.push_back(f->getBody()->getSourceRange());
  };
  const auto* cxx = clang::dyn_cast<clang::CXXRecordDecl>(whole);
  const clang::CXXRecordDecl* pattern = cxx != nullptr ? cxx->getTemplateInstantiationPattern() : nullptr;
  const clang::RecordDecl* text = pattern != nullptr ? pattern : whole;
  for (const clang::Decl* d : text->decls()) collect(d);
  for (const Failure& f : failures_) {
    if (found != nullptr || f.at.isInvalid() || !contains(text->getSourceRange(), f.at)) continue;
    bool inner = false;
    for (const clang::SourceRange& b : bodies) inner = inner || contains(b, f.at);
    if (!inner) found = &f;
  }
  if (found == nullptr && whole->isInvalidDecl()) found = &k_unplaced;
  for (const clang::FieldDecl* field : whole->fields())
    if (found == nullptr) found = field->isInvalidDecl() ? &k_unplaced : of_type(field->getType());
  if (cxx != nullptr)
    for (const clang::CXXBaseSpecifier& b : cxx->bases())
      if (found == nullptr) found = of_type(b.getType());
  return declarations_[r] = found;
}

const Failure* Closure::of_type(clang::QualType q) {
  const Failure* found = nullptr;
  while (!q.isNull() && found == nullptr) {
    const clang::Type* t = q.getTypePtr();
    const auto [it, fresh] = types_.try_emplace(t, nullptr);
    if (!fresh) return it->second;
    clang::QualType next;
    if (const auto* p = clang::dyn_cast<clang::PointerType>(t)) {
      next = p->getPointeeType();
    } else if (const auto* r = clang::dyn_cast<clang::ReferenceType>(t)) {
      next = r->getPointeeTypeAsWritten();
    } else if (const auto* a = clang::dyn_cast<clang::ArrayType>(t)) {
      next = a->getElementType();
    } else if (const auto* d = clang::dyn_cast<clang::TypedefType>(t)) {
      found = of_declaration(d->getDecl());
      next = d->desugar();
    } else if (const auto* record = clang::dyn_cast<clang::RecordType>(t)) {
      found = of_record(record->getDecl());
    } else if (const auto* e = clang::dyn_cast<clang::EnumType>(t)) {
      found = of_declaration(e->getDecl());
    } else if (const auto* function = clang::dyn_cast<clang::FunctionProtoType>(t)) {
      for (const clang::QualType p : function->param_types())
        if (found == nullptr) found = of_type(p);
      next = function->getReturnType();
    } else {
      next = q.getSingleStepDesugaredType(context_);
      if (next.getTypePtr() == t) next = {};
    }
    types_[t] = found;
    if (found == nullptr && !next.isNull()) found = types_[t] = of_type(next);
    return found;
  }
  return found;
}

const Closure::Node& Closure::node(const clang::FunctionDecl* f) {
  auto [it, fresh] = nodes_.try_emplace(f);
  Node& n = it->second;
  if (!fresh) return n;
  Visitor visit(*this, n);
  for (const clang::ParmVarDecl* p : f->parameters()) visit.VisitVarDecl(const_cast<clang::ParmVarDecl*>(p));
  const clang::FunctionDecl* whole = nullptr;
  n.fault = n.fault != nullptr ? n.fault : of_type(f->getReturnType());
  if (f->hasBody(whole)) {
    visit.TraverseStmt(whole->getBody());
    if (const auto* c = clang::dyn_cast<clang::CXXConstructorDecl>(whole))
      for (const clang::CXXCtorInitializer* i : c->inits())
        if (i->getInit() != nullptr) visit.TraverseStmt(i->getInit());
  }
  // What clang said while it was in this function, or in the template that it was made of.
  const clang::FunctionDecl* pattern = f->getTemplateInstantiationPattern();
  for (const Failure& x : failures_) {
    if (x.inside == nullptr || (n.fault != nullptr && n.fault != &k_unplaced)) continue;
    const clang::FunctionDecl* at = x.inside->getCanonicalDecl();
    if (at == f->getCanonicalDecl() || (pattern != nullptr && at == pattern->getCanonicalDecl())) n.fault = &x;
  }
  // An error of another instance of the same template has its place in the same text, but is known to be that one's.
  if (n.fault == nullptr || n.fault == &k_unplaced) {
    const clang::FunctionDecl* text = pattern != nullptr ? pattern : whole != nullptr ? whole : f;
    for (const Failure& x : failures_) {
      const bool other = x.inside != nullptr && pattern != nullptr &&
                         x.inside->getTemplateInstantiationPattern() == pattern &&
                         x.inside->getCanonicalDecl() != f->getCanonicalDecl();
      if (other || !contains(text->getSourceRange(), x.at)) continue;
      n.fault = &x;
      break;
    }
  }
  if (n.fault == nullptr && f->isInvalidDecl()) n.fault = &k_unplaced;
  return n;
}

const Failure* Closure::fault(const clang::FunctionDecl* kernel, std::set<const clang::Decl*>& reached) {
  std::set<const clang::Decl*> mine;
  std::vector<const clang::FunctionDecl*> todo{kernel};
  while (!todo.empty()) {
    const clang::FunctionDecl* f = todo.back();
    todo.pop_back();
    if (!mine.insert(f->getCanonicalDecl()).second) continue;
    const Node& n = node(f);
    if (n.fault != nullptr) return n.fault;
    for (const clang::VarDecl* v : n.variables) {
      if (const Failure* x = of_declaration(v)) return x;
      if (mine.insert(v->getCanonicalDecl()).second && v->hasInit() && v->getInit() != nullptr) {
        Node initial;
        Visitor(*this, initial).TraverseStmt(const_cast<clang::Expr*>(v->getInit()));
        if (initial.fault != nullptr) return initial.fault;
        todo.insert(todo.end(), initial.functions.begin(), initial.functions.end());
      }
    }
    todo.insert(todo.end(), n.functions.begin(), n.functions.end());
  }
  reached.insert(mine.begin(), mine.end());
  return nullptr;
}

}  // namespace fencepost::clangfe
