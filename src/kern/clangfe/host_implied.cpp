#include "clangfe/host_implied.h"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/Builtins.h>
#include <llvm/ADT/StringSet.h>

#include <algorithm>

#include "clangfe/host_walk.h"

namespace fencepost::clangfe {

using clang::Expr;
using clang::FunctionDecl;
using clang::Stmt;

std::vector<std::pair<const clang::FieldDecl*, clang::QualType>> parts_that_end(const clang::CXXRecordDecl* of) {
  std::vector<std::pair<const clang::FieldDecl*, clang::QualType>> out;
  if (of->isUnion()) return out;
  for (const clang::FieldDecl* f : of->fields()) out.emplace_back(f, f->getType());
  std::reverse(out.begin(), out.end());
  std::vector<std::pair<const clang::FieldDecl*, clang::QualType>> bases;
  for (const clang::CXXBaseSpecifier& b : of->bases()) bases.emplace_back(nullptr, b.getType());
  out.insert(out.end(), bases.rbegin(), bases.rend());
  return out;
}

const clang::CXXRecordDecl* ends_with_text(clang::ASTContext& context, clang::QualType t) {
  if (t.isNull() || t->isDependentType()) return nullptr;
  const auto* r = context.getBaseElementType(t)->getAsCXXRecordDecl();
  return r != nullptr && r->hasDefinition() && !r->hasTrivialDestructor() ? r->getDefinition() : nullptr;
}

// ---- functions that act ------------------------------------------------------------------------------------------

namespace {

// Functions of the libraries that change nothing which a kernel or a pointer depends on.
bool idle(llvm::StringRef name) {
  static const llvm::StringSet<> names = {"cudaFree",
                                          "cudaFreeHost",
                                          "cudaFreeAsync",
                                          "cudaStreamDestroy",
                                          "cudaEventDestroy",
                                          "cudaEventRecord",
                                          "cudaDeviceSynchronize",
                                          "cudaStreamSynchronize",
                                          "cudaEventSynchronize",
                                          "cudaGetLastError",
                                          "cudaPeekAtLastError",
                                          "cudaGetErrorString",
                                          "cudaGetErrorName"};
  return names.contains(name);
}

bool writes_memory(llvm::StringRef name) {
  return name.starts_with("cu") || name.starts_with("hip") || name.starts_with("mem") ||
         name.starts_with("__builtin_mem");
}

// What an assignment changes is a variable of the function, or of its object.
bool own(const Expr* e) {
  while (true) {
    e = e->IgnoreParenImpCasts();
    if (const auto* m = clang::dyn_cast<clang::MemberExpr>(e)) {
      if (!clang::isa<clang::FieldDecl>(m->getMemberDecl()) || m->getMemberDecl()->getType()->isReferenceType())
        return false;
      if (m->isArrow()) return clang::isa<clang::CXXThisExpr>(m->getBase()->IgnoreParenImpCasts());
      e = m->getBase();
    } else if (const auto* s = clang::dyn_cast<clang::ArraySubscriptExpr>(e)) {
      if (!s->getBase()->IgnoreParenImpCasts()->getType()->isArrayType()) return false;
      e = s->getBase();
    } else {
      const auto* d = clang::dyn_cast<clang::DeclRefExpr>(e);
      const auto* v = d != nullptr ? clang::dyn_cast<clang::VarDecl>(d->getDecl()) : nullptr;
      return v != nullptr && !v->hasGlobalStorage() && !v->getType()->isReferenceType();
    }
  }
}

}  // namespace

class FactsOf : public clang::RecursiveASTVisitor<FactsOf> {
 public:
  FactsOf(Acts& acts, Acts::Facts& out) : acts_(acts), out_(out) {}
  bool shouldVisitImplicitCode() const { return true; }
  bool shouldVisitLambdaBody() const { return true; }
  bool VisitCallExpr(clang::CallExpr* c) {
    const FunctionDecl* f = c->getDirectCallee();
    if (clang::isa<clang::CUDAKernelCallExpr>(c)) out_.acts = true;
    if (f == nullptr && !clang::isa<clang::CXXPseudoDestructorExpr>(c->getCallee()->IgnoreParens())) out_.acts = true;
    if (f != nullptr) names(f);
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) { return use(e->getDecl()); }
  bool VisitMemberExpr(clang::MemberExpr* e) { return use(e->getMemberDecl()); }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* e) {
    ends(e->getType());
    return names(e->getConstructor());
  }
  bool VisitCXXInheritedCtorInitExpr(clang::CXXInheritedCtorInitExpr* e) { return names(e->getConstructor()); }
  bool VisitCXXBindTemporaryExpr(clang::CXXBindTemporaryExpr* e) { return ends(e->getType()); }
  bool VisitCXXNewExpr(clang::CXXNewExpr* e) { return names(e->getOperatorNew()) && names(e->getOperatorDelete()); }
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr* e) {
    ends(e->getDestroyedType());
    return names(e->getOperatorDelete());
  }
  bool VisitCXXDefaultArgExpr(clang::CXXDefaultArgExpr* e) { return default_of(e->getExpr()); }
  bool VisitCXXDefaultInitExpr(clang::CXXDefaultInitExpr* e) { return default_of(e->getExpr()); }
  bool VisitVarDecl(clang::VarDecl* v) { return ends(v->getType()); }
  bool VisitBindingDecl(clang::BindingDecl* b) {
    if (const clang::VarDecl* v = b->getHoldingVar(); v != nullptr && v->getInit() != nullptr)
      default_of(const_cast<Expr*>(v->getInit()));
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* b) {
    out_.acts = out_.acts || (b->isAssignmentOp() && !own(b->getLHS()));
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* u) {
    out_.acts = out_.acts || (u->isIncrementDecrementOp() && !own(u->getSubExpr()));
    return true;
  }
  bool VisitAsmStmt(clang::AsmStmt*) {
    out_.acts = true;
    return true;
  }
  bool names(const FunctionDecl* f) {
    if (f == nullptr) return true;
    if (const FunctionDecl* whole = body_of(f)) {
      out_.next.insert(whole);
    } else if (const auto* m = clang::dyn_cast<clang::CXXMethodDecl>(f); m != nullptr && m->isTrivial()) {
      return true;
    } else if (f->getIdentifier() != nullptr && writes_memory(f->getName())) {
      out_.acts = out_.acts || !idle(f->getName());
    } else if (f->getBuiltinID() == 0 && !f->isImplicit() && acts_.users_(f->getLocation())) {
      out_.acts = true;
    }
    return true;
  }
  bool ends(clang::QualType t) {
    const clang::CXXRecordDecl* r = ends_with_text(acts_.context_, t);
    if (r == nullptr) return true;
    if (const clang::CXXDestructorDecl* d = r->getDestructor();
        d != nullptr && (body_of(d) != nullptr || !d->isDefaulted()))
      return names(d);
    for (const auto& [field, type] : parts_that_end(r)) ends(type);
    return true;
  }

 private:
  bool use(const clang::ValueDecl* d) {
    const auto* f = clang::dyn_cast<FunctionDecl>(d);
    return f == nullptr || names(f);
  }
  // One may lead to itself.
  bool default_of(Expr* e) { return !seen_.insert(e).second || TraverseStmt(e); }
  Acts& acts_;
  Acts::Facts& out_;
  std::set<const Expr*> seen_;
};

const Acts::Facts& Acts::facts(const FunctionDecl* f) {
  const auto [it, fresh] = facts_.try_emplace(f);
  if (!fresh) return it->second;
  FactsOf look(*this, it->second);
  if (const auto* c = clang::dyn_cast<clang::CXXConstructorDecl>(f))
    for (const clang::CXXCtorInitializer* i : c->inits()) look.TraverseStmt(i->getInit());
  if (const auto* d = clang::dyn_cast<clang::CXXDestructorDecl>(f))
    for (const auto& [field, type] : parts_that_end(d->getParent())) look.ends(type);
  look.TraverseStmt(f->getBody());
  return it->second;
}

bool Acts::operator()(const FunctionDecl* f) {
  if (f == nullptr) return false;
  const auto [it, fresh] = known_.try_emplace(f);
  if (!fresh) return it->second;
  Facts first;
  FactsOf(*this, first).names(f);
  return known_[f] = any(first);
}

bool Acts::at_end_of(clang::QualType t) {
  Facts first;
  FactsOf(*this, first).ends(t);
  return any(first);
}

bool Acts::any(const Facts& first) {
  std::vector<const FunctionDecl*> todo(first.next.begin(), first.next.end());
  std::set<const FunctionDecl*> met(first.next);
  bool acts = first.acts;
  while (!todo.empty() && !acts) {
    const Facts& here = facts(todo.back());
    todo.pop_back();
    acts = here.acts;
    for (const FunctionDecl* n : here.next)
      if (met.insert(n).second) todo.push_back(n);
  }
  return acts;
}

// ---- what the walk has not come to -------------------------------------------------------------------------------

namespace {

// Nothing in it is evaluated.
bool unevaluated(const Stmt* s) {
  if (const auto* t = clang::dyn_cast<clang::CXXTypeidExpr>(s)) return !t->isPotentiallyEvaluated();
  if (const auto* t = clang::dyn_cast<clang::UnaryExprOrTypeTraitExpr>(s))
    return t->getKind() != clang::UETT_SizeOf || !t->getTypeOfArgument()->isVariablyModifiedType();
  return clang::isa<clang::CXXNoexceptExpr, clang::RequiresExpr, clang::TypeTraitExpr, clang::ConceptSpecializationExpr,
                    clang::OffsetOfExpr, clang::SizeOfPackExpr, clang::ExpressionTraitExpr, clang::ArrayTypeTraitExpr>(
      s);
}

// Forms that run nothing but what their parts run, and those whose functions `runs` knows.
bool known_form(const Stmt* s) {
  if (clang::isa<clang::CastExpr, clang::CallExpr, clang::OverloadExpr, clang::FullExpr>(s)) return true;
  switch (s->getStmtClass()) {
    case Stmt::ArrayInitIndexExprClass:
    case Stmt::ArrayInitLoopExprClass:
    case Stmt::ArraySubscriptExprClass:
    case Stmt::AttributedStmtClass:
    case Stmt::BinaryConditionalOperatorClass:
    case Stmt::BinaryOperatorClass:
    case Stmt::BreakStmtClass:
    case Stmt::CXXBindTemporaryExprClass:
    case Stmt::CXXBoolLiteralExprClass:
    case Stmt::CXXCatchStmtClass:
    case Stmt::CXXConstructExprClass:
    case Stmt::CXXDefaultArgExprClass:
    case Stmt::CXXDefaultInitExprClass:
    case Stmt::CXXDeleteExprClass:
    case Stmt::CXXDependentScopeMemberExprClass:
    case Stmt::CXXFoldExprClass:
    case Stmt::CXXForRangeStmtClass:
    case Stmt::CXXInheritedCtorInitExprClass:
    case Stmt::CXXNewExprClass:
    case Stmt::CXXNullPtrLiteralExprClass:
    case Stmt::CXXParenListInitExprClass:
    case Stmt::CXXPseudoDestructorExprClass:
    case Stmt::CXXRewrittenBinaryOperatorClass:
    case Stmt::CXXScalarValueInitExprClass:
    case Stmt::CXXStdInitializerListExprClass:
    case Stmt::CXXTemporaryObjectExprClass:
    case Stmt::CXXThisExprClass:
    case Stmt::CXXThrowExprClass:
    case Stmt::CXXTryStmtClass:
    case Stmt::CXXTypeidExprClass:
    case Stmt::CXXUnresolvedConstructExprClass:
    case Stmt::CaseStmtClass:
    case Stmt::CharacterLiteralClass:
    case Stmt::CompoundAssignOperatorClass:
    case Stmt::CompoundLiteralExprClass:
    case Stmt::CompoundStmtClass:
    case Stmt::ConditionalOperatorClass:
    case Stmt::ContinueStmtClass:
    case Stmt::ConvertVectorExprClass:
    case Stmt::DeclRefExprClass:
    case Stmt::DeclStmtClass:
    case Stmt::DefaultStmtClass:
    case Stmt::DependentScopeDeclRefExprClass:
    case Stmt::DesignatedInitExprClass:
    case Stmt::DesignatedInitUpdateExprClass:
    case Stmt::DoStmtClass:
    case Stmt::ExtVectorElementExprClass:
    case Stmt::FloatingLiteralClass:
    case Stmt::ForStmtClass:
    case Stmt::GCCAsmStmtClass:
    case Stmt::GNUNullExprClass:
    case Stmt::GotoStmtClass:
    case Stmt::IfStmtClass:
    case Stmt::ImaginaryLiteralClass:
    case Stmt::ImplicitValueInitExprClass:
    case Stmt::IndirectGotoStmtClass:
    case Stmt::AddrLabelExprClass:
    case Stmt::InitListExprClass:
    case Stmt::IntegerLiteralClass:
    case Stmt::LabelStmtClass:
    case Stmt::LambdaExprClass:
    case Stmt::MaterializeTemporaryExprClass:
    case Stmt::MemberExprClass:
    case Stmt::NoInitExprClass:
    case Stmt::NullStmtClass:
    case Stmt::OpaqueValueExprClass:
    case Stmt::PackExpansionExprClass:
    case Stmt::ParenExprClass:
    case Stmt::ParenListExprClass:
    case Stmt::PredefinedExprClass:
    case Stmt::RecoveryExprClass:
    case Stmt::ReturnStmtClass:
    case Stmt::ShuffleVectorExprClass:
    case Stmt::SourceLocExprClass:
    case Stmt::StmtExprClass:
    case Stmt::StringLiteralClass:
    case Stmt::SubstNonTypeTemplateParmExprClass:
    case Stmt::SwitchStmtClass:
    case Stmt::UnaryExprOrTypeTraitExprClass:
    case Stmt::UnaryOperatorClass:
    case Stmt::VAArgExprClass:
    case Stmt::WhileStmtClass:
    case Stmt::AtomicExprClass:
    case Stmt::GenericSelectionExprClass:
    case Stmt::ChooseExprClass:
      return true;
    default:
      return false;
  }
}

// Expressions that stand in the node and are no children of it.
std::vector<const Expr*> inside(const Stmt* s) {
  if (const auto* d = clang::dyn_cast<clang::CXXDefaultArgExpr>(s)) return {d->getExpr()};
  if (const auto* d = clang::dyn_cast<clang::CXXDefaultInitExpr>(s)) return {d->getExpr()};
  if (const auto* o = clang::dyn_cast<clang::OpaqueValueExpr>(s)) return {o->getSourceExpr()};
  if (const auto* l = clang::dyn_cast<clang::InitListExpr>(s))
    return {l->hasArrayFiller() ? l->getArrayFiller() : nullptr};
  if (const auto* n = clang::dyn_cast<clang::CXXNewExpr>(s)) return {n->getConstructExpr()};
  return {};
}

}  // namespace

bool Unfollowed::runs(const Stmt* s) {
  if (const auto* c = clang::dyn_cast<clang::CallExpr>(s)) {
    if (const FunctionDecl* f = c->getDirectCallee()) return acts_(f);
    return !clang::isa<clang::CXXPseudoDestructorExpr>(c->getCallee()->IgnoreParens());
  }
  if (const auto* c = clang::dyn_cast<clang::CXXConstructExpr>(s))
    return acts_(c->getConstructor()) || acts_.at_end_of(c->getType());
  if (const auto* c = clang::dyn_cast<clang::CXXInheritedCtorInitExpr>(s)) return acts_(c->getConstructor());
  if (const auto* b = clang::dyn_cast<clang::CXXBindTemporaryExpr>(s)) return acts_.at_end_of(b->getType());
  if (const auto* n = clang::dyn_cast<clang::CXXNewExpr>(s))
    return acts_(n->getOperatorNew()) || acts_(n->getOperatorDelete());
  if (const auto* d = clang::dyn_cast<clang::CXXDeleteExpr>(s))
    return acts_(d->getOperatorDelete()) || acts_.at_end_of(d->getDestroyedType());
  return !known_form(s);
}

void Unfollowed::declared(const clang::Decl* d) {
  const auto* v = clang::dyn_cast<clang::VarDecl>(d);
  if (v == nullptr) return;
  if (v->getInit() != nullptr) look(v->getInit());
  // What takes it apart is not known.
  if (clang::isa<clang::DecompositionDecl>(v) && v->isInvalidDecl() && !found) found = v->getBeginLoc();
  if (const auto* parts = clang::dyn_cast<clang::DecompositionDecl>(v))
    for (const clang::BindingDecl* b : parts->bindings())
      if (const clang::VarDecl* held = b->getHoldingVar()) declared(held);
}

void Unfollowed::look(const Stmt* s) {
  std::vector<const Stmt*> todo{s};
  while (!todo.empty()) {
    const Stmt* at = todo.back();
    todo.pop_back();
    if (at == nullptr || unevaluated(at) || !seen_.insert(at).second) continue;
    if (!followed_.contains(at) && runs(at) && !found) found = at->getBeginLoc();
    if (const auto* l = clang::dyn_cast<clang::LambdaExpr>(at)) {  // its body is a function
      todo.insert(todo.end(), l->capture_init_begin(), l->capture_init_end());
      continue;
    }
    if (const auto* c = clang::dyn_cast<clang::CallExpr>(at))
      if (const FunctionDecl* f = c->getDirectCallee(); f != nullptr && f->getBuiltinID() != 0 &&
                                                        (context_.BuiltinInfo.isUnevaluated(f->getBuiltinID()) ||
                                                         f->getBuiltinID() == clang::Builtin::BI__builtin_assume))
        continue;
    todo.insert(todo.end(), at->child_begin(), at->child_end());
    for (const Expr* e : inside(at)) todo.push_back(e);
    if (const auto* d = clang::dyn_cast<clang::DeclStmt>(at))
      for (const clang::Decl* x : d->decls()) declared(x);
    if (const auto* c = clang::dyn_cast<clang::CXXCatchStmt>(at); c != nullptr && c->getExceptionDecl() != nullptr)
      declared(c->getExceptionDecl());
  }
}

void Unfollowed::body(const FunctionDecl* f) {
  if (const auto* c = clang::dyn_cast<clang::CXXConstructorDecl>(f))
    for (const clang::CXXCtorInitializer* i : c->inits()) look(i->getInit());
  look(f->getBody());
}

}  // namespace fencepost::clangfe
