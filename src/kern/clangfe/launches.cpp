#include "clangfe/launches.h"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <map>
#include <set>

#include "clangfe/host_doubts.h"
#include "clangfe/read_relations.h"
#include "clangfe/stand_ins.h"
#include "clangfe/survey.h"
#include "clangfe/uses.h"

namespace fencepost::clangfe {
namespace {

using clang::Expr;
using clang::VarDecl;
using Number = std::optional<llvm::APSInt>;

// What an include that is not there, or the lack of __CUDA_ARCH__, may have decided: words whose macro is in doubt, and
// variables, constants, types and functions that are made of them.
class Doubtful : public clang::RecursiveASTVisitor<Doubtful> {
 public:
  // `calls`: what is called counts, too; else only what is computed when the text is compiled.
  Doubtful(clang::ASTContext& context, const Doubts& doubts, bool calls = true)
      : context_(context), sm_(context.getSourceManager()), doubts_(doubts), calls_(calls) {}
  bool shouldVisitLambdaBody() const { return true; }
  bool operator()(const Expr* e) {
    if (doubts_.none() && doubts_.names.empty()) return false;
    found_ = within(e->getSourceRange());
    if (!found_) TraverseStmt(const_cast<Expr*>(e));
    return found_;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) { return look(e->getDecl()); }
  bool VisitMemberExpr(clang::MemberExpr* e) { return look(e->getMemberDecl()); }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* e) { return look(e->getConstructor()); }
  bool VisitTypedefTypeLoc(clang::TypedefTypeLoc l) { return look(l.getTypedefNameDecl()); }
  bool VisitUsingTypeLoc(clang::UsingTypeLoc l) { return look(l.getFoundDecl()->getTargetDecl()); }
  bool VisitTagTypeLoc(clang::TagTypeLoc l) { return look(l.getDecl()); }
  bool VisitTemplateSpecializationTypeLoc(clang::TemplateSpecializationTypeLoc l) {
    return look(l.getTypePtr()->getTemplateName().getAsTemplateDecl());
  }
  bool function(const clang::FunctionDecl& f) {
    body(f);
    return found_;
  }
  bool type(const clang::CXXRecordDecl& r) {
    if (doubts_.none() && doubts_.names.empty()) return false;
    look(&r);
    return found_;
  }

 private:
  bool look(const clang::Decl* d) {
    if (d == nullptr || !seen_.insert(d).second) return !found_;
    if (!users_text(sm_, context_.getTargetInfo(), d->getLocation())) return !found_;
    found_ = found_ || within(declaration(d)) || declared_otherwise(d, doubts_.names);
    if (found_) return false;
    if (const auto* v = clang::dyn_cast<VarDecl>(d); v != nullptr && v->hasInit() && v->getInit() != nullptr)
      TraverseStmt(const_cast<Expr*>(v->getInit()));
    if (const auto* t = clang::dyn_cast<clang::DeclaratorDecl>(d);
        t != nullptr && !clang::isa<clang::FunctionDecl>(d) && t->getTypeSourceInfo() != nullptr)
      TraverseTypeLoc(t->getTypeSourceInfo()->getTypeLoc());
    if (const auto* t = clang::dyn_cast<clang::TypedefNameDecl>(d); t != nullptr && t->getTypeSourceInfo() != nullptr)
      TraverseTypeLoc(t->getTypeSourceInfo()->getTypeLoc());
    if (const auto* r = clang::dyn_cast<clang::CXXRecordDecl>(d); r != nullptr) record(*r);
    if (const auto* c = clang::dyn_cast<clang::EnumConstantDecl>(d))
      look(clang::cast<clang::EnumDecl>(c->getDeclContext()));
    if (const auto* e = clang::dyn_cast<clang::EnumDecl>(d))
      for (const clang::EnumConstantDecl* c : e->enumerators())
        if (c->getInitExpr() != nullptr) TraverseStmt(const_cast<Expr*>(c->getInitExpr()));
    if (const auto* f = clang::dyn_cast<clang::FunctionDecl>(d); f != nullptr && (calls_ || f->isConstexpr())) body(*f);
    return !found_;
  }
  // Without the body of a function that is not looked into.
  clang::SourceRange declaration(const clang::Decl* d) const {
    const auto* f = clang::dyn_cast<clang::FunctionDecl>(d);
    if (f == nullptr || calls_ || f->isConstexpr() || !f->doesThisDeclarationHaveABody()) return d->getSourceRange();
    return {f->getBeginLoc(), f->getBody()->getBeginLoc()};
  }
  void record(const clang::CXXRecordDecl& r) {
    const clang::CXXRecordDecl* whole = r.hasDefinition() ? r.getDefinition() : nullptr;
    if (whole == nullptr || whole->isLambda()) return;
    found_ = found_ || within(whole->getSourceRange());
    for (const clang::FieldDecl* f : whole->fields()) {
      look(f);
      if (f->hasInClassInitializer() && f->getInClassInitializer() != nullptr)
        TraverseStmt(const_cast<Expr*>(f->getInClassInitializer()));
    }
  }
  void body(const clang::FunctionDecl& f) {
    const clang::FunctionDecl* whole = nullptr;
    const bool device =
        f.hasAttr<clang::CUDAGlobalAttr>() || (f.hasAttr<clang::CUDADeviceAttr>() && !f.hasAttr<clang::CUDAHostAttr>());
    if (device || !f.hasBody(whole) || whole->getBody() == nullptr) return;
    found_ = found_ || within(whole->getSourceRange());
    if (!found_) TraverseStmt(whole->getBody());
    if (const auto* c = clang::dyn_cast<clang::CXXConstructorDecl>(whole))
      for (const clang::CXXCtorInitializer* i : c->inits())
        if (!found_ && i->getInit() != nullptr) TraverseStmt(i->getInit());
  }
  bool within(clang::SourceRange r) const {
    if (r.isInvalid()) return false;
    const clang::SourceLocation begin = sm_.getExpansionLoc(r.getBegin()),
                                end = sm_.getExpansionRange(r.getEnd()).getEnd();
    const auto inside = [&](clang::SourceLocation at) {
      return (at == begin || sm_.isBeforeInTranslationUnit(begin, at)) &&
             (at == end || sm_.isBeforeInTranslationUnit(at, end));
    };
    for (const Doubts::Use& u : doubts_.uses)
      if (inside(u.at)) return true;
    for (const Doubts::Region& g : doubts_.regions)
      if (inside(g.begin) ||
          (sm_.isBeforeInTranslationUnit(g.begin, begin) && sm_.isBeforeInTranslationUnit(end, g.end)))
        return true;
    return false;
  }

  clang::ASTContext& context_;
  const clang::SourceManager& sm_;
  const Doubts& doubts_;
  const bool calls_;
  std::set<const clang::Decl*> seen_;
  bool found_ = false;
};

struct Dim3 {
  std::array<Number, 3> size;
  uint32_t dimensions = 3;
};

}  // namespace

bool null_constant(clang::ASTContext& context, const Expr* e) {
  e = e->IgnoreParenCasts();
  if (const auto* x = clang::dyn_cast<clang::FullExpr>(e)) e = x->getSubExpr()->IgnoreParenCasts();
  if (const auto* list = clang::dyn_cast<clang::InitListExpr>(e); list != nullptr && !list->getType().isNull()) {
    if (list->getNumInits() == 0) return list->getType()->isPointerType();
    return list->getNumInits() == 1 && list->getType()->isPointerType() && null_constant(context, list->getInit(0));
  }
  if (clang::isa<clang::ImplicitValueInitExpr, clang::CXXScalarValueInitExpr>(e)) return e->getType()->isPointerType();
  return e->isNullPointerConstant(context, Expr::NPC_ValueDependentIsNotNull) != Expr::NPCK_NotNull;
}

namespace {

class Evaluator {
 public:
  Evaluator(clang::ASTContext& context, const Uses& uses, clang::SourceRange body, const Doubts& doubts)
      : context_(context), uses_(uses), body_(body), doubts_(doubts) {}

  Number number(const Expr* e) { return doubtful(e) ? Number{} : number(e, 0); }
  Dim3 extent(const Expr* e) { return doubtful(e) ? Dim3{} : extent(e, 0); }
  HostFacts facts() {
    return {
        .number = [this](const Expr* e) { return number(e); },
        .doubtful = [this](const Expr* e) { return doubtful(e); },
        .keeps = [this](const VarDecl* v) { return v->getType().isConstQualified() || keeps(v); },
        .steady =
            [this](const VarDecl* v) { return uses_.steady(v) && uses_.accounted(v, body_) && !written_in_doubt(); },
        .steady_since =
            [this](const VarDecl* v, const VarDecl* since) {
              return uses_.steady_since(v, since) && uses_.accounted(v, body_) && !written_in_doubt();
            },
        .row_width =
            [this](const VarDecl* v) {
              return uses_.accounted(v, body_) && !written_in_doubt() ? uses_.row_width(v) : nullptr;
            },
        .given = [this](const VarDecl* v, const Expr* at) { return given(v, at); },
        .doubtful_type = [this](const clang::CXXRecordDecl& r) { return Doubtful(context_, doubts_).type(r); }};
  }
  // `nullptr`, NULL or 0 as a pointer, or a variable that keeps one.
  bool null(const Expr* e) const {
    if (e->isTypeDependent() || !e->getType()->isPointerType() || doubtful(e)) return false;
    const auto constant = [&](const Expr* x) { return null_constant(context_, x); };
    const auto* d = clang::dyn_cast<clang::DeclRefExpr>(e->IgnoreParenCasts());
    const auto* v = d != nullptr ? clang::dyn_cast<VarDecl>(d->getDecl()) : nullptr;
    const Expr* init =
        v != nullptr && v->getType()->isPointerType() && !clang::isa<clang::ParmVarDecl>(v) ? kept(v) : nullptr;
    return constant(e) || (init != nullptr && !doubtful(init) && constant(init));
  }

 private:
  static constexpr unsigned k_deep = 64;
  bool doubtful(const Expr* e) const { return Doubtful(context_, doubts_)(e); }
  // The host's own macro may write to any variable of the function.
  bool written_in_doubt() const {
    const clang::SourceManager& sm = context_.getSourceManager();
    const clang::SourceLocation begin = sm.getExpansionLoc(body_.getBegin()),
                                end = sm.getExpansionRange(body_.getEnd()).getEnd();
    return std::any_of(doubts_.uses.begin(), doubts_.uses.end(), [&](const Doubts::Use& u) {
      return u.of_host && sm.isBeforeInTranslationUnit(begin, u.at) && sm.isBeforeInTranslationUnit(u.at, end);
    });
  }
  Number fit(const llvm::APSInt& v, clang::QualType t) const {
    if (!t->isIntegralOrEnumerationType() || t->isDependentType()) return std::nullopt;
    llvm::APSInt out = v.extOrTrunc(static_cast<uint32_t>(context_.getTypeSize(t)));
    out.setIsSigned(t->isSignedIntegerOrEnumerationType());
    return out;
  }
  bool keeps(const VarDecl* v) const { return uses_.only_read(v) && uses_.accounted(v, body_) && !written_in_doubt(); }
  // The initial value of a variable that keeps it.
  const Expr* kept(const VarDecl* v) const {
    if (!v->hasInit() || v->isInvalidDecl() || v->getType()->isReferenceType() || v->getType().isVolatileQualified())
      return nullptr;
    const VarDecl* whole = nullptr;
    const Expr* init = v->getAnyInitializer(whole);
    if (init == nullptr || init->isValueDependent() || init->containsErrors()) return nullptr;
    if (!v->isLocalVarDecl() || v->isStaticLocal()) return v->getType().isConstQualified() ? init : nullptr;
    return v->getType().isConstQualified() || keeps(v) ? init : nullptr;
  }
  Number number(const Expr* e, unsigned depth);
  Number binary(const clang::BinaryOperator* b, unsigned depth);
  Number call(const clang::CallExpr* c, unsigned depth);
  Number member(const clang::MemberExpr* m, unsigned depth);
  Dim3 extent(const Expr* e, unsigned depth);
  bool steps(const VarDecl* v, std::vector<Uses::Assigned>& out) const;
  std::optional<std::vector<HostFacts::Given>> given(const VarDecl* v, const Expr* at) const;
  Number put(const VarDecl* v, const Expr* at, unsigned depth);
  Dim3 assembled(const VarDecl* v, const Expr* at, unsigned depth);

  clang::ASTContext& context_;
  const Uses& uses_;
  clang::SourceRange body_;
  const Doubts& doubts_;
  std::map<const clang::ParmVarDecl*, llvm::APSInt> bound_;  // parameters of the functions that are being computed
};

Number Evaluator::binary(const clang::BinaryOperator* b, unsigned depth) {
  if (b->isAssignmentOp() || b->isCommaOp() || b->isPtrMemOp()) return std::nullopt;
  const Number x = number(b->getLHS(), depth), y = number(b->getRHS(), depth);
  if (!x || !y) return std::nullopt;
  const auto truth = [&](bool v) { return fit(llvm::APSInt(llvm::APInt(64, v ? 1 : 0), false), b->getType()); };
  if (b->isLogicalOp())
    return truth(b->getOpcode() == clang::BO_LAnd ? !x->isZero() && !y->isZero() : !x->isZero() || !y->isZero());
  if (b->isShiftOp()) {
    if (y->isNegative() || y->getZExtValue() >= x->getBitWidth()) return std::nullopt;
    const auto n = static_cast<unsigned>(y->getZExtValue());
    return b->getOpcode() == clang::BO_Shl ? *x << n : *x >> n;
  }
  if (x->getBitWidth() != y->getBitWidth() || x->isSigned() != y->isSigned()) return std::nullopt;
  if (b->isComparisonOp()) {
    switch (b->getOpcode()) {
      case clang::BO_LT:
        return truth(*x < *y);
      case clang::BO_GT:
        return truth(*x > *y);
      case clang::BO_LE:
        return truth(*x <= *y);
      case clang::BO_GE:
        return truth(*x >= *y);
      case clang::BO_EQ:
        return truth(*x == *y);
      case clang::BO_NE:
        return truth(*x != *y);
      default:
        return std::nullopt;
    }
  }
  bool overflow = false;
  const bool sign = x->isSigned();
  llvm::APInt r;
  switch (b->getOpcode()) {
    case clang::BO_Add:
      r = sign ? x->sadd_ov(*y, overflow) : *x + *y;
      break;
    case clang::BO_Sub:
      r = sign ? x->ssub_ov(*y, overflow) : *x - *y;
      break;
    case clang::BO_Mul:
      r = sign ? x->smul_ov(*y, overflow) : *x * *y;
      break;
    case clang::BO_And:
      r = *x & *y;
      break;
    case clang::BO_Or:
      r = *x | *y;
      break;
    case clang::BO_Xor:
      r = *x ^ *y;
      break;
    case clang::BO_Div:
    case clang::BO_Rem:
      if (y->isZero() || (sign && x->isMinSignedValue() && y->isAllOnes())) return std::nullopt;
      r = b->getOpcode() == clang::BO_Div ? (sign ? x->sdiv(*y) : x->udiv(*y)) : (sign ? x->srem(*y) : x->urem(*y));
      break;
    default:
      return std::nullopt;
  }
  if (overflow) return std::nullopt;  // the host's own program has no meaning then
  return llvm::APSInt(r, !sign);
}

// A function that is the one statement `return e;`.
Number Evaluator::call(const clang::CallExpr* c, unsigned depth) {
  const clang::FunctionDecl* f = c->getDirectCallee();
  const clang::FunctionDecl* whole = nullptr;
  if (f == nullptr || !f->hasBody(whole) || clang::isa<clang::CXXMethodDecl>(f)) return std::nullopt;
  // Another file may have its own, or our headers say that it is this one.
  if (f->isWeak() || f->isMultiVersion() || rests_on_stand_ins(context_, c)) return std::nullopt;
  const auto* body = clang::dyn_cast_or_null<clang::CompoundStmt>(whole->getBody());
  if (body == nullptr || body->size() != 1) return std::nullopt;
  const auto* back = clang::dyn_cast<clang::ReturnStmt>(body->body_front());
  if (back == nullptr || back->getRetValue() == nullptr || c->getNumArgs() != whole->getNumParams())
    return std::nullopt;
  std::map<const clang::ParmVarDecl*, llvm::APSInt> given;
  for (unsigned k = 0; k < c->getNumArgs(); ++k) {
    const clang::ParmVarDecl* p = whole->getParamDecl(k);
    const Expr* a = c->getArg(k);
    const clang::QualType t = p->getType().getNonReferenceType();
    const auto v = number(a, depth);
    const auto fitted = v ? fit(*v, t) : Number{};
    if (!fitted) return std::nullopt;
    given.emplace(p, *fitted);
  }
  std::swap(bound_, given);
  Number out = number(back->getRetValue(), depth);
  std::swap(bound_, given);
  return out;
}

Number Evaluator::member(const clang::MemberExpr* m, unsigned depth) {
  const Expr* base = m->getBase()->IgnoreParenImpCasts();
  const auto* record = base->getType()->getAsCXXRecordDecl();
  if (m->isArrow() || record == nullptr || record->getName() != "dim3") return std::nullopt;
  const llvm::StringRef n = m->getMemberDecl()->getName();
  if (n != "x" && n != "y" && n != "z") return std::nullopt;
  const Number v = extent(base, depth).size[static_cast<size_t>(n[0] - 'x')];
  return v ? fit(*v, m->getType()) : v;
}

Number Evaluator::number(const Expr* e, unsigned depth) {
  if (e == nullptr || depth > k_deep || e->containsErrors() || e->isValueDependent()) return std::nullopt;
  ++depth;
  if (clang::Expr::EvalResult r; e->getType()->isIntegralOrEnumerationType() && e->EvaluateAsInt(r, context_))
    return rests_on_stand_ins(context_, e) ? Number{} : Number{r.Val.getInt()};
  if (const auto* p = clang::dyn_cast<clang::ParenExpr>(e)) return number(p->getSubExpr(), depth);
  if (const auto* x = clang::dyn_cast<clang::FullExpr>(e)) return number(x->getSubExpr(), depth);
  if (const auto* x = clang::dyn_cast<clang::MaterializeTemporaryExpr>(e)) return number(x->getSubExpr(), depth);
  if (const auto* x = clang::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(e))
    return number(x->getReplacement(), depth);
  if (const auto* x = clang::dyn_cast<clang::CXXDefaultArgExpr>(e)) return number(x->getExpr(), depth);
  if (const auto* l = clang::dyn_cast<clang::InitListExpr>(e); l != nullptr && l->getNumInits() == 1)
    return number(l->getInit(0), depth);
  if (const auto* c = clang::dyn_cast<clang::CastExpr>(e)) {
    const clang::CastKind k = c->getCastKind();
    if (k != clang::CK_LValueToRValue && k != clang::CK_NoOp && k != clang::CK_IntegralCast &&
        k != clang::CK_IntegralToBoolean)
      return std::nullopt;
    const Number v = number(c->getSubExpr(), depth);
    if (!v) return v;
    if (k == clang::CK_IntegralToBoolean)
      return fit(llvm::APSInt(llvm::APInt(8, v->isZero() ? 0 : 1), true), e->getType());
    return fit(*v, e->getType());
  }
  if (const auto* d = clang::dyn_cast<clang::DeclRefExpr>(e)) {
    if (const auto* p = clang::dyn_cast<clang::ParmVarDecl>(d->getDecl())) {
      const auto it = bound_.find(p);
      return it == bound_.end() ? Number{} : Number{it->second};
    }
    const auto* v = clang::dyn_cast<VarDecl>(d->getDecl());
    const Expr* init = v != nullptr ? kept(v) : nullptr;
    const Number known = init != nullptr ? number(init, depth) : v != nullptr ? put(v, d, depth) : Number{};
    return known ? fit(*known, v->getType()) : known;
  }
  if (const auto* m = clang::dyn_cast<clang::MemberExpr>(e)) return member(m, depth);
  if (const auto* b = clang::dyn_cast<clang::BinaryOperator>(e)) return binary(b, depth);
  if (const auto* u = clang::dyn_cast<clang::UnaryOperator>(e)) {
    const Number v =
        u->getOpcode() == clang::UO_Minus || u->getOpcode() == clang::UO_Plus || u->getOpcode() == clang::UO_Not
            ? number(u->getSubExpr(), depth)
            : Number{};
    if (!v) return v;
    if (u->getOpcode() == clang::UO_Plus) return v;
    if (u->getOpcode() == clang::UO_Minus && v->isSigned() && v->isMinSignedValue()) return std::nullopt;
    return u->getOpcode() == clang::UO_Not ? ~*v : -*v;
  }
  if (const auto* c = clang::dyn_cast<clang::ConditionalOperator>(e)) {
    const Number when = number(c->getCond(), depth);
    return when ? number(when->isZero() ? c->getFalseExpr() : c->getTrueExpr(), depth) : when;
  }
  if (const auto* c = clang::dyn_cast<clang::CallExpr>(e)) return call(c, depth);
  return std::nullopt;
}

// What a variable is given, step by step; false: not all of it is known.
bool Evaluator::steps(const VarDecl* v, std::vector<Uses::Assigned>& out) const {
  return v->isLocalVarDecl() && !v->isStaticLocal() && !v->isInvalidDecl() && !v->getType()->isReferenceType() &&
         !v->getType().isVolatileQualified() && uses_.assigned(v, out) && uses_.accounted(v, body_) &&
         !written_in_doubt();
}

std::optional<std::vector<HostFacts::Given>> Evaluator::given(const VarDecl* v, const Expr* at) const {
  std::vector<Uses::Assigned> all;
  if (!steps(v, all)) return std::nullopt;
  std::vector<HostFacts::Given> out;
  for (const Uses::Assigned& a : all)
    if (context_.getSourceManager().isBeforeInTranslationUnit(a.whole->getEndLoc(), at->getBeginLoc()))
      out.push_back({.field = a.field, .whole = a.whole, .value = a.value});
  return out;
}

// What an integer holds at a place: `int n; n = 64;`.
Number Evaluator::put(const VarDecl* v, const Expr* at, unsigned depth) {
  std::vector<Uses::Assigned> given;
  if (!v->getType()->isIntegralOrEnumerationType() || !steps(v, given)) return std::nullopt;
  Number out = v->hasInit() && !doubtful(v->getInit()) ? number(v->getInit(), depth) : Number{};
  for (const Uses::Assigned& a : given) {
    if (!context_.getSourceManager().isBeforeInTranslationUnit(a.whole->getEndLoc(), at->getBeginLoc())) continue;
    out = doubtful(a.whole) ? Number{} : number(a.value, depth);
    if (out) out = fit(*out, v->getType());
  }
  return out;
}

// What a variable holds at a place, that is given its sizes one by one: `dim3 g; g.x = 4; g.y = n / 16;`.
Dim3 Evaluator::assembled(const VarDecl* v, const Expr* at, unsigned depth) {
  std::vector<Uses::Assigned> given;
  if (!v->hasInit() || !steps(v, given)) return {};
  const clang::SourceManager& sm = context_.getSourceManager();
  Dim3 out = doubtful(v->getInit()) ? Dim3{} : extent(v->getInit(), depth);
  for (const Uses::Assigned& a : given) {
    if (!sm.isBeforeInTranslationUnit(a.whole->getEndLoc(), at->getBeginLoc())) continue;
    const bool open = doubtful(a.whole);
    if (a.field == nullptr) {
      out = open ? Dim3{} : extent(a.value, depth);
      continue;
    }
    const llvm::StringRef n = a.field->getName();
    if (n != "x" && n != "y" && n != "z") return {};
    const auto m = static_cast<size_t>(n[0] - 'x');
    out.size[m] = open ? Number{} : number(a.value, depth);
    if (out.size[m]) out.size[m] = fit(*out.size[m], context_.UnsignedIntTy);
    out.dimensions = std::max(out.dimensions, static_cast<uint32_t>(m) + 1);
  }
  while (out.dimensions > 1 && out.size[out.dimensions - 1] && *out.size[out.dimensions - 1] == 1) --out.dimensions;
  return out;
}

Dim3 Evaluator::extent(const Expr* e, unsigned depth) {
  if (e == nullptr || depth > k_deep || e->containsErrors() || e->isValueDependent()) return {};
  ++depth;
  e = e->IgnoreParens();
  if (const auto* x = clang::dyn_cast<clang::FullExpr>(e)) return extent(x->getSubExpr(), depth);
  if (const auto* x = clang::dyn_cast<clang::MaterializeTemporaryExpr>(e)) return extent(x->getSubExpr(), depth);
  if (const auto* x = clang::dyn_cast<clang::CXXBindTemporaryExpr>(e)) return extent(x->getSubExpr(), depth);
  if (const auto* x = clang::dyn_cast<clang::CastExpr>(e)) return extent(x->getSubExpr(), depth);
  if (const auto* x = clang::dyn_cast<clang::CXXDefaultArgExpr>(e)) return extent(x->getExpr(), depth);
  if (const auto* d = clang::dyn_cast<clang::DeclRefExpr>(e)) {
    const auto* v = clang::dyn_cast<VarDecl>(d->getDecl());
    if (v == nullptr || clang::isa<clang::ParmVarDecl>(v)) return {};
    const Expr* init = kept(v);
    return init != nullptr ? extent(init, depth) : assembled(v, d, depth);
  }
  if (const auto* c = clang::dyn_cast<clang::ConditionalOperator>(e)) {
    const Number when = number(c->getCond(), depth);
    return when ? extent(when->isZero() ? c->getFalseExpr() : c->getTrueExpr(), depth) : Dim3{};
  }
  const auto* c = clang::dyn_cast<clang::CXXConstructExpr>(e);
  if (c == nullptr || c->getConstructor()->getParent()->getName() != "dim3") return {};
  if (c->getConstructor()->isCopyOrMoveConstructor()) return extent(c->getArg(0), depth);
  if (c->getNumArgs() != 3) return {};
  Dim3 out{.dimensions = 1};
  for (unsigned k = 0; k < 3; ++k) {
    out.size[k] = number(c->getArg(k), depth);
    if (!clang::isa<clang::CXXDefaultArgExpr>(c->getArg(k))) out.dimensions = k + 1;
  }
  // `dim3(n, 1, 1)` has one dimension.
  while (out.dimensions > 1 && out.size[out.dimensions - 1] && *out.size[out.dimensions - 1] == 1) --out.dimensions;
  return out;
}

// ---- where kernels are launched ----------------------------------------------------------------------------------

// The words that name a kernel in an expression: those of `k`, `&k`, `(const void*)k`, and of a template argument.
const Expr* naming(const Expr* e) {
  while (true) {
    e = e->IgnoreParenCasts();
    if (const auto* u = clang::dyn_cast<clang::UnaryOperator>(e);
        u != nullptr && (u->getOpcode() == clang::UO_AddrOf || u->getOpcode() == clang::UO_Deref)) {
      e = u->getSubExpr();
    } else if (const auto* x = clang::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(e)) {
      e = x->getReplacement();
    } else {
      return e;
    }
  }
}

const clang::FunctionDecl* kernel_of(const Expr* e) {
  const auto* d = clang::dyn_cast<clang::DeclRefExpr>(naming(e));
  const auto* f = d != nullptr ? clang::dyn_cast<clang::FunctionDecl>(d->getDecl()) : nullptr;
  return f != nullptr && f->hasAttr<clang::CUDAGlobalAttr>() ? f : nullptr;
}

// Written down for each: the kernel, the sizes, the numbers among the arguments.
class Launches : public clang::RecursiveASTVisitor<Launches> {
 public:
  Launches(clang::ASTContext& context, Evaluator& evaluate) : context_(context), evaluate_(evaluate) {}
  bool shouldVisitLambdaBody() const { return true; }
  // A function of a local class is one of its own.
  bool TraverseDecl(clang::Decl* d) {
    return clang::isa_and_nonnull<clang::FunctionDecl>(d) || RecursiveASTVisitor::TraverseDecl(d);
  }
  // The instances of a lambda that is a template are functions of their own.
  bool TraverseLambdaExpr(clang::LambdaExpr* e) {
    const clang::FunctionTemplateDecl* t = e->getDependentCallOperator();
    return (t != nullptr && t->spec_begin() != t->spec_end()) || RecursiveASTVisitor::TraverseLambdaExpr(e);
  }

  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr* e) {
    FoundLaunch l{
        .kernel = kernel_of(e->getCallee()), .call = e, .callee = naming(e->getCallee()), .at = e->getBeginLoc()};
    if (const clang::CallExpr* c = e->getConfig()) l.config = c->getBeginLoc();
    if (const clang::CallExpr* c = e->getConfig(); c != nullptr && c->getNumArgs() >= 2) {
      sizes(l.launch, c->getArg(0), c->getArg(1));
      l.launch.relations =
          read_relations(context_, evaluate_.facts(), c->getArg(0), c->getArg(1), {e->arg_begin(), e->arg_end()});
      if (c->getNumArgs() > 2) l.launch.shared = known(evaluate_.number(c->getArg(2)));
    }
    arguments(l, {e->arg_begin(), e->arg_end()});
    found.push_back(std::move(l));
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* c) {
    const clang::FunctionDecl* f = c->getDirectCallee();
    if (f == nullptr || f->getIdentifier() == nullptr) return true;
    const llvm::StringRef n = f->getName();
    if ((n == "cudaLaunchKernel" || n == "cudaLaunchCooperativeKernel") && c->getNumArgs() >= 5) {
      FoundLaunch l{
          .kernel = kernel_of(c->getArg(0)), .call = c, .callee = naming(c->getArg(0)), .at = c->getBeginLoc()};
      sizes(l.launch, c->getArg(1), c->getArg(2));
      l.launch.shared = known(evaluate_.number(c->getArg(4)));
      l.launch.cooperative = n == "cudaLaunchCooperativeKernel";
      l.given = pointed(c->getArg(3));
      found.push_back(std::move(l));
    } else if ((n == "cudaLaunchKernelEx" || n == "cudaLaunchKernelExC") && c->getNumArgs() >= 2) {
      FoundLaunch l{
          .kernel = kernel_of(c->getArg(1)), .call = c, .callee = naming(c->getArg(1)), .at = c->getBeginLoc()};
      l.launch.shared = std::nullopt;
      l.launch.cooperative = std::nullopt;  // an attribute says it
      if (n == "cudaLaunchKernelEx") l.given = {c->arg_begin() + 2, c->arg_end()};
      found.push_back(std::move(l));
    }
    return true;
  }

  std::vector<FoundLaunch> found;

 private:
  static Known known(const Number& n) {
    if (!n || (n->isSigned() && n->isNegative()) || n->getActiveBits() > 64) return std::nullopt;
    return n->getZExtValue();
  }
  void sizes(HostLaunch& l, const Expr* grid, const Expr* block) {
    const Dim3 g = evaluate_.extent(grid), b = evaluate_.extent(block);
    l.grid_dimensions = g.dimensions;
    l.block_dimensions = b.dimensions;
    for (size_t d = 0; d < 3; ++d) {
      l.grid[d] = known(g.size[d]);
      l.block[d] = known(b.size[d]);
    }
  }
  // The variables of `void* args[] = {&p, &n}`.
  std::vector<const Expr*> pointed(const Expr* e) const {
    std::vector<const Expr*> out;
    const auto* d = clang::dyn_cast<clang::DeclRefExpr>(e->IgnoreParenCasts());
    const auto* v = d != nullptr ? clang::dyn_cast<VarDecl>(d->getDecl()) : nullptr;
    const auto* list = v != nullptr && v->hasInit() ? clang::dyn_cast<clang::InitListExpr>(v->getInit()) : nullptr;
    if (list == nullptr) return out;
    for (const Expr* x : list->inits()) {
      const auto* u = clang::dyn_cast<clang::UnaryOperator>(x->IgnoreParenCasts());
      if (u == nullptr || u->getOpcode() != clang::UO_AddrOf) return {};
      out.push_back(u->getSubExpr());
    }
    return out;
  }
  void arguments(FoundLaunch& l, std::vector<const Expr*> given) {
    for (const Expr* e : given) {
      if (evaluate_.null(e)) l.launch.null.push_back(static_cast<uint32_t>(l.launch.arguments.size()));
      const bool integer = e->getType()->isIntegralOrEnumerationType();
      const Number n = integer ? evaluate_.number(e) : Number{};
      l.launch.arguments.push_back(n ? Known{n->extOrTrunc(64).getZExtValue()} : Known{});
    }
    l.given = std::move(given);
  }

  clang::ASTContext& context_;
  Evaluator& evaluate_;
};

}  // namespace

std::vector<FoundLaunch> launches_of(clang::ASTContext& context, const clang::FunctionDecl& host, const Doubts& doubts,
                                     const Unconst& unconst) {
  clang::Stmt* body = host.getBody();
  if (body == nullptr) return {};
  Uses uses(context, unconst);
  uses.TraverseStmt(body);
  for (clang::ParmVarDecl* p : host.parameters()) uses.TraverseDecl(p);
  Evaluator evaluate(context, uses, body->getSourceRange(), doubts);
  Launches launches(context, evaluate);
  launches.TraverseStmt(body);
  for (FoundLaunch& l : launches.found) l.host = &host;
  return std::move(launches.found);
}

bool in_doubt(clang::ASTContext& context, const Doubts& doubts, const clang::FunctionDecl& f) {
  return Doubtful(context, doubts, false).function(f);
}

}  // namespace fencepost::clangfe
