// How many bytes the host clears. A reset counts for a number of bytes: constants, variables that are set once to one,
// products of them, what the one caller has given for a parameter. Else it counts if it is as large as the memory was
// made, by the same expression of variables that nothing changes in between.
//
// Two readings of "the same". Of variables that are only read after their declaration, each in the activation that
// declares it; then it does not matter where the two expressions stand. Or of one activation, word for word, with no
// change of a variable between the two places. A variable that lives for one round of a loop, or for one of several
// calls, says nothing of memory that has outlived it: the pointer has to live as long.
#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>
#include <optional>

#include "clangfe/origins.h"

namespace fencepost::clangfe {

using clang::Expr;
using clang::VarDecl;

namespace {

constexpr unsigned k_deep = 20;

// The value is a number of bytes that the type holds.
bool holds(clang::ASTContext& context, clang::QualType t, int64_t n) {
  if (t->isDependentType() || !t->isIntegralOrEnumerationType() || t->isIncompleteType()) return false;
  const uint64_t bits = context.getTypeSize(t);
  return n >= 0 && (bits > 40 || n < (int64_t{1} << (bits - 1)));
}

// The innermost loop around a place.
class LoopAround : public clang::RecursiveASTVisitor<LoopAround> {
 public:
  LoopAround(const clang::SourceManager& sm, clang::SourceLocation at) : sm_(sm), at_(sm.getExpansionLoc(at)) {}
  bool shouldVisitLambdaBody() const { return true; }
  bool VisitLabelStmt(clang::LabelStmt*) {
    labels = true;
    return true;
  }
  bool VisitStmt(clang::Stmt* s) {
    if (!clang::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(s)) return true;
    const clang::SourceLocation from = sm_.getExpansionLoc(s->getBeginLoc()),
                                to = sm_.getExpansionRange(s->getEndLoc()).getEnd();
    if (!sm_.isBeforeInTranslationUnit(at_, from) && !sm_.isBeforeInTranslationUnit(to, at_)) innermost = s;
    return true;
  }
  const clang::Stmt* innermost = nullptr;
  bool labels = false;

 private:
  const clang::SourceManager& sm_;
  clang::SourceLocation at_;
};

// What is done to some variables: between two places they are only read, and nobody keeps their addresses.
class Steady : public clang::RecursiveASTVisitor<Steady> {
 public:
  Steady(const clang::SourceManager& sm, std::set<const VarDecl*> of, clang::SourceLocation from,
         clang::SourceLocation to)
      : sm_(sm), of_(std::move(of)), from_(sm.getExpansionLoc(from)), to_(sm.getExpansionLoc(to)) {}
  bool shouldVisitLambdaBody() const { return true; }
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* e) {
    if (e->getCastKind() == clang::CK_LValueToRValue) fine_.insert(e->getSubExpr()->IgnoreParens());
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* b) {
    if (b->isAssignmentOp() && before(b)) fine_.insert(b->getLHS()->IgnoreParens());
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* u) {
    if (u->isIncrementDecrementOp() && before(u)) fine_.insert(u->getSubExpr()->IgnoreParens());
    return true;
  }
  // cudaGetDeviceCount(&n): it keeps no address.
  bool VisitCallExpr(clang::CallExpr* c) {
    const clang::FunctionDecl* f = c->getDirectCallee();
    if (f == nullptr || body_of(f) != nullptr || !before(c)) return true;
    for (const Expr* a : c->arguments())
      if (const auto* u = clang::dyn_cast<clang::UnaryOperator>(a->IgnoreParenCasts());
          u != nullptr && u->getOpcode() == clang::UO_AddrOf)
        fine_.insert(u->getSubExpr()->IgnoreParens());
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) {
    if (const auto* v = clang::dyn_cast<VarDecl>(e->getDecl()); v != nullptr && of_.contains(v)) uses_.push_back(e);
    return true;
  }
  bool TraverseLambdaExpr(clang::LambdaExpr* e) {
    ++lambdas_;
    const bool more = RecursiveASTVisitor::TraverseLambdaExpr(e);
    --lambdas_;
    return more;
  }
  bool holds() const {
    return std::all_of(uses_.begin(), uses_.end(), [&](const Expr* e) { return fine_.contains(e); });
  }

 private:
  bool before(const Expr* e) const {
    const clang::SourceLocation at = sm_.getExpansionLoc(e->getBeginLoc());
    return lambdas_ == 0 && (sm_.isBeforeInTranslationUnit(at, from_) || sm_.isBeforeInTranslationUnit(to_, at));
  }
  const clang::SourceManager& sm_;
  std::set<const VarDecl*> of_;
  clang::SourceLocation from_, to_;
  unsigned lambdas_ = 0;
  std::set<const Expr*> fine_;
  std::vector<const Expr*> uses_;
};

class SizeVariables : public clang::RecursiveASTVisitor<SizeVariables> {
 public:
  bool VisitExpr(clang::Expr* e) {
    if (clang::isa<clang::CallExpr, clang::MemberExpr, clang::CXXThisExpr, clang::ArraySubscriptExpr,
                   clang::LambdaExpr>(e))
      plain = false;
    if (const auto* u = clang::dyn_cast<clang::UnaryOperator>(e); u != nullptr && u->getOpcode() == clang::UO_Deref)
      plain = false;
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) {
    if (const auto* v = clang::dyn_cast<VarDecl>(e->getDecl()); v != nullptr) all.insert(v);
    return true;
  }
  std::set<const VarDecl*> all;
  bool plain = true;
};

// Without conversions that keep all numbers.
const Expr* widened(const Expr* e, clang::ASTContext& context) {
  while (true) {
    e = e->IgnoreParens();
    if (const auto* d = clang::dyn_cast<clang::CXXDefaultArgExpr>(e)) {
      e = d->getExpr();
      continue;
    }
    if (const auto* x = clang::dyn_cast<clang::FullExpr>(e)) {
      e = x->getSubExpr();
      continue;
    }
    const auto* c = clang::dyn_cast<clang::CastExpr>(e);
    if (c == nullptr) return e;
    const clang::QualType from = c->getSubExpr()->getType(), to = c->getType();
    const bool wider = c->getCastKind() == clang::CK_IntegralCast && !from->isDependentType() &&
                       !to->isDependentType() && context.getTypeSize(from) <= context.getTypeSize(to);
    if (!wider && c->getCastKind() != clang::CK_LValueToRValue && c->getCastKind() != clang::CK_NoOp) return e;
    e = c->getSubExpr();
  }
}

const VarDecl* named(const Expr* e) {
  const auto* d = clang::dyn_cast<clang::DeclRefExpr>(e);
  return d != nullptr ? clang::dyn_cast<VarDecl>(d->getDecl()) : nullptr;
}

}  // namespace

bool only_copied(const VarDecl* v, const clang::Stmt* body) {
  const auto is = [&](const Expr* e) { return named(e->IgnoreParenCasts()) == v; };
  if (const auto* c = clang::dyn_cast<clang::CallExpr>(body)) {
    const clang::FunctionDecl* f = c->getDirectCallee();
    if (f != nullptr && f->getIdentifier() != nullptr && c->getNumArgs() >= 3 && f->getName().contains("emcpy")) {
      for (unsigned k = 0; k < c->getNumArgs(); ++k) {
        const Expr* a = c->getArg(k)->IgnoreParenCasts();
        const auto* u = clang::dyn_cast<clang::UnaryOperator>(a);
        if (k == 1 && (is(a) || (u != nullptr && u->getOpcode() == clang::UO_AddrOf && is(u->getSubExpr())))) continue;
        if (!only_copied(v, a)) return false;
      }
      return true;
    }
  }
  if (const auto* c = clang::dyn_cast<clang::ImplicitCastExpr>(body);
      c != nullptr && c->getCastKind() == clang::CK_LValueToRValue && is(c->getSubExpr()))
    return true;
  if (const auto* d = clang::dyn_cast<clang::DeclRefExpr>(body); d != nullptr && d->getDecl() == v) return false;
  for (const clang::Stmt* s : body->children())
    if (s != nullptr && !only_copied(v, s)) return false;
  return true;
}

// A parameter or variable of the activation that keeps the value with which it begins.
bool HostWalk::keeps(const VarDecl* v, uint32_t frame) const {
  const clang::FunctionDecl* f = frames_[frame].function;
  return f != nullptr && f->getBody() != nullptr && v->getDeclContext() == f && v->isLocalVarDeclOrParm() &&
         !v->isStaticLocal() && !v->getType()->isReferenceType() && !v->getType().isVolatileQualified() &&
         !memory.doubtful.contains(v->getIdentifier()) && only_copied(v, f->getBody());
}

// What the one caller has given for it.
const Expr* HostWalk::given_for(const VarDecl* v, uint32_t frame) const {
  const auto* p = clang::dyn_cast<clang::ParmVarDecl>(v);
  const Frame& f = frames_[frame];
  if (p == nullptr || f.several || !keeps(v, frame) || p->getFunctionScopeIndex() >= f.arguments.size()) return nullptr;
  return f.arguments[p->getFunctionScopeIndex()];
}

std::optional<int64_t> HostWalk::amount(const Expr* e, uint32_t frame, unsigned depth) const {
  if (e == nullptr || depth > k_deep) return std::nullopt;
  if (const auto* d = clang::dyn_cast<clang::CXXDefaultArgExpr>(e)) e = d->getExpr();
  if (const auto n = number(e)) return n;
  e = widened(e, context_);
  if (const auto n = number(e)) return n;
  if (const auto* b = clang::dyn_cast<clang::BinaryOperator>(e);
      b != nullptr && (b->getOpcode() == clang::BO_Mul || b->getOpcode() == clang::BO_Add)) {
    const auto x = amount(b->getLHS(), frame, depth + 1), y = amount(b->getRHS(), frame, depth + 1);
    const bool product = b->getOpcode() == clang::BO_Mul;
    if (product && (x == 0 || y == 0)) return 0;
    constexpr int64_t k_most = int64_t{1} << 30;
    if (!x || !y || *x < 0 || *y < 0 || *x >= k_most || *y >= k_most) return std::nullopt;
    const int64_t n = product ? *x * *y : *x + *y;
    return holds(context_, b->getType(), n) ? std::optional(n) : std::nullopt;
  }
  const VarDecl* v = named(e);
  if (v == nullptr) return std::nullopt;
  std::optional<int64_t> n;
  if (const Expr* given = given_for(v, frame))
    n = amount(given, frames_[frame].caller, depth + 1);
  else if (!clang::isa<clang::ParmVarDecl>(v) && v->hasInit() && v->getInit() != nullptr && keeps(v, frame))
    n = amount(v->getInit(), frame, depth + 1);
  return n && holds(context_, v->getType(), *n) ? n : std::nullopt;
}

// The variable has the value that it had when the object was made.
bool Origins::lives_on(const VarDecl* v, uint32_t frame, uint32_t object) const {
  if (!walk_.keeps(v, frame)) return false;
  const clang::FunctionDecl* f = walk_.frame(frame).function;
  bool labels = false;
  const auto loop = [&](const VarDecl* x) {
    LoopAround look(context_.getSourceManager(), x->getLocation());
    look.TraverseStmt(f->getBody());
    labels = labels || look.labels;
    return look.innermost;
  };
  loop(v);
  if (labels) return false;  // a jump back makes it anew
  if (!walk_.frame(frame).repeated && loop(v) == nullptr) return true;
  const std::optional<Place> at = walk_.memory.made_for(object);
  if (!at || !at->path.empty() || walk_.memory[at->object].kind != ObjectKind::variable) return false;
  const auto* p = clang::dyn_cast<VarDecl>(static_cast<const clang::ValueDecl*>(walk_.memory[at->object].what));
  return p != nullptr && walk_.memory[at->object].frame == frame && p->isLocalVarDecl() && !p->isStaticLocal() &&
         walk_.memory.only_new(*at) && loop(p) == loop(v);
}

// Both are one number whenever the object is there.
bool Origins::one_amount(const Expr* a, uint32_t of_a, const Expr* b, uint32_t of_b, uint32_t object,
                         unsigned depth) const {
  if (a == nullptr || b == nullptr || depth > k_deep) return false;
  if (const auto x = walk_.amount(a, of_a), y = walk_.amount(b, of_b); x || y) return x && y && *x == *y;
  a = widened(a, context_);
  b = widened(b, context_);
  const VarDecl *v = named(a), *w = named(b);
  if (v != nullptr && v == w && of_a == of_b && lives_on(v, of_a, object)) return true;
  const auto* x = clang::dyn_cast<clang::BinaryOperator>(a);
  const auto* y = clang::dyn_cast<clang::BinaryOperator>(b);
  if (x != nullptr && y != nullptr && x->getOpcode() == y->getOpcode() && !x->isAssignmentOp() && !x->isCommaOp()) {
    // Unsigned numbers wrap, each at its own width.
    const bool alike = context_.hasSameUnqualifiedType(x->getType(), y->getType());
    const auto both = [&](const Expr* p, const Expr* q) {
      return one_amount(x->getLHS(), of_a, p, of_b, object, depth + 1) &&
             one_amount(x->getRHS(), of_a, q, of_b, object, depth + 1);
    };
    const bool either_way = x->getOpcode() == clang::BO_Mul || x->getOpcode() == clang::BO_Add;
    return alike && (both(y->getLHS(), y->getRHS()) || (either_way && both(y->getRHS(), y->getLHS())));
  }
  const auto behind = [&](const VarDecl* n, uint32_t frame) -> const Expr* {
    if (n == nullptr || clang::isa<clang::ParmVarDecl>(n) || !n->hasInit() || !lives_on(n, frame, object))
      return nullptr;
    return n->getInit();
  };
  if (const Expr* e = v != nullptr ? walk_.given_for(v, of_a) : nullptr; e != nullptr && !walk_.frame(of_a).repeated)
    return one_amount(e, walk_.frame(of_a).caller, b, of_b, object, depth + 1);
  if (const Expr* e = w != nullptr ? walk_.given_for(w, of_b) : nullptr; e != nullptr && !walk_.frame(of_b).repeated)
    return one_amount(a, of_a, e, walk_.frame(of_b).caller, object, depth + 1);
  if (const Expr* e = behind(v, of_a)) return one_amount(e, of_a, b, of_b, object, depth + 1);
  if (const Expr* e = behind(w, of_b)) return one_amount(a, of_a, e, of_b, object, depth + 1);
  return false;
}

// The size of a reset is that with which its memory was made.
bool Origins::as_made(const HostWalk::Event& reset) const {
  const HostMemory::Object& o = walk_.memory[reset.object];
  const auto* made = o.kind == ObjectKind::device_memory
                         ? clang::dyn_cast_or_null<clang::CallExpr>(static_cast<const clang::Stmt*>(o.what))
                         : nullptr;
  const clang::FunctionDecl* by = made != nullptr ? made->getDirectCallee() : nullptr;
  if (by == nullptr || by->getIdentifier() == nullptr || made->getNumArgs() < 2 || by->getName().contains("Pitch") ||
      by->getName() == "cudaMalloc3D" || reset.size == nullptr || reset.call == nullptr)
    return false;
  const Expr *a = made->getArg(1), *b = reset.size;
  if (one_amount(a, o.frame, b, reset.frame, reset.object, 0)) return true;
  // Word for word, of one activation.
  const clang::FunctionDecl* f = walk_.frame(reset.frame).function;
  if (o.frame != reset.frame || f == nullptr || f->getBody() == nullptr || walk_.frame(reset.frame).repeated ||
      walk_.made_in_rounds.contains(reset.object) || a->HasSideEffects(context_) || b->HasSideEffects(context_))
    return false;
  llvm::FoldingSetNodeID x, y;
  widened(a, context_)->Profile(x, context_, true);
  widened(b, context_)->Profile(y, context_, true);
  const clang::SourceManager& sm = context_.getSourceManager();
  if (x != y || !sm.isBeforeInTranslationUnit(sm.getExpansionLoc(made->getBeginLoc()),
                                              sm.getExpansionLoc(reset.call->getBeginLoc())))
    return false;
  SizeVariables variables;
  variables.TraverseStmt(const_cast<Expr*>(a));
  for (const VarDecl* v : variables.all)
    variables.plain = variables.plain && v->getDeclContext() == f && v->isLocalVarDeclOrParm() && !v->isStaticLocal() &&
                      !v->getType()->isReferenceType() && !v->getType().isVolatileQualified() &&
                      !walk_.memory.doubtful.contains(v->getIdentifier());
  if (!variables.plain) return false;
  const clang::SourceLocation end = reset.loop != nullptr ? f->getBody()->getEndLoc() : reset.call->getBeginLoc();
  Steady steady(sm, variables.all, made->getBeginLoc(), end);
  steady.TraverseStmt(f->getBody());
  return steady.holds();
}

}  // namespace fencepost::clangfe
