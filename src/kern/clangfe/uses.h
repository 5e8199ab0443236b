#pragma once
// Internal to the room: what a function of the host does with its variables, as far as sizes and arguments of launches
// are computed from them (launches.cpp, read_relations.h).
#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "clangfe/launches.h"
#include "clangfe/survey.h"

namespace fencepost::clangfe {

// What a function does with its variables.
class Uses : public clang::RecursiveASTVisitor<Uses> {
 public:
  Uses(clang::ASTContext& context, const Unconst& unconst) : context_(context), unconst_(unconst) {}
  bool shouldVisitLambdaBody() const { return true; }

  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* e) {
    if (e->getCastKind() == clang::CK_LValueToRValue) read(e->getSubExpr());
    // A reference to what may not be written through it.
    if (e->getCastKind() == clang::CK_NoOp && e->isLValue() && e->getType().isConstQualified() &&
        !unconst_.contains(e->getType()))
      read(e->getSubExpr());
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* e) {
    if (e->getConstructor()->isCopyOrMoveConstructor() && e->getNumArgs() == 1) read(e->getArg(0));
    return true;
  }
  // `cudaMallocPitch(&rows, &pitch, width, height)`
  bool VisitCallExpr(clang::CallExpr* c) {
    const clang::FunctionDecl* f = c->getDirectCallee();
    if (f == nullptr || f->getIdentifier() == nullptr || f->getName() != "cudaMallocPitch" || c->getNumArgs() != 4 ||
        users_text(context_.getSourceManager(), context_.getTargetInfo(), f->getLocation()))
      return true;
    const auto* u = clang::dyn_cast<clang::UnaryOperator>(c->getArg(1)->IgnoreParens());
    const auto* d = u != nullptr && u->getOpcode() == clang::UO_AddrOf
                        ? clang::dyn_cast<clang::DeclRefExpr>(u->getSubExpr()->IgnoreParens())
                        : nullptr;
    if (const auto* v = d != nullptr ? clang::dyn_cast<clang::VarDecl>(d->getDecl()) : nullptr)
      pitched_[v].push_back({d, c->getArg(2)});
    return true;
  }
  // `(void)n;`
  bool VisitCStyleCastExpr(clang::CStyleCastExpr* e) {
    if (e->getCastKind() == clang::CK_ToVoid) read(e->getSubExpr());
    return true;
  }
  // `.n = 3`
  bool VisitDesignatedInitExpr(clang::DesignatedInitExpr* e) {
    for (const clang::DesignatedInitExpr::Designator& d : e->designators())
      if (d.isFieldDesignator()) seen(d.getFieldLoc(), d.getFieldName());
    return true;
  }
  bool VisitUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr* e) {
    if (!e->isArgumentType()) read(e->getArgumentExpr());
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) {
    seen(e->getLocation(), e->getDecl()->getDeclName());
    const auto* v = clang::dyn_cast<clang::VarDecl>(e->getDecl());
    if (v != nullptr) uses_[v].insert(e);
    if (v != nullptr && lambdas_ > 0) in_lambdas_.insert(v);
    if (v != nullptr && changed_.contains(e)) changed_in_[v].insert(blocks_.begin(), blocks_.end());
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr* e) {
    seen(e->getMemberLoc(), e->getMemberDecl()->getDeclName());
    return true;
  }
  // `Cfg::load(b);` with a name that is not found is read as a declaration of another `b`, which is invalid. It is a
  // call that may change `b`, so that this word is not accounted for.
  bool VisitNamedDecl(clang::NamedDecl* d) {
    if (!d->isInvalidDecl()) seen(d->getLocation(), d->getDeclName());
    if (const auto* v = clang::dyn_cast<clang::VarDecl>(d)) own_.insert(v);
    return true;
  }

  // The width of the rows of which cudaMallocPitch says the distance, if the variable gets a value in no other way.
  const clang::Expr* row_width(const clang::VarDecl* v) const {
    const auto it = pitched_.find(v);
    const auto uses = uses_.find(v);
    const auto block = declared_.find(v);
    if (it == pitched_.end() || it->second.size() != 1 || uses == uses_.end() || v->hasInit() || !own_.contains(v) ||
        in_lambdas_.contains(v) || labels_ || block == declared_.end() || switches_.contains(block->second))
      return nullptr;
    for (const clang::DeclRefExpr* e : uses->second)
      if (!reads_.contains(e) && e != it->second[0].first) return nullptr;
    return it->second[0].second;
  }
  // Nothing is done to it but that it is read, and changed by statements that do nothing else. In an expression that
  // is no such statement it has one value.
  bool steady(const clang::VarDecl* v) const {
    const auto it = uses_.find(v);
    if (!own_.contains(v) || in_lambdas_.contains(v) || statements_in_expressions_ || it == uses_.end()) return false;
    return std::ranges::all_of(it->second,
                               [&](const clang::DeclRefExpr* e) { return reads_.contains(e) || changed_.contains(e); });
  }
  // `v` is steady, and no statement in the block that declares `since` changes it: while `since` lives, `v` keeps its
  // value.
  bool steady_since(const clang::VarDecl* v, const clang::VarDecl* since) const {
    const auto block = declared_.find(since);
    if (block == declared_.end() || labels_ || !steady(v)) return false;
    const auto it = changed_in_.find(v);
    return it == changed_in_.end() || !it->second.contains(block->second);
  }
  // All that is done to a variable of a function around this one, or of the template that it is an instance of, is not
  // seen here.
  bool only_read(const clang::VarDecl* v) const {
    if (!own_.contains(v)) return false;
    const auto it = uses_.find(v);
    if (it == uses_.end()) return true;
    for (const clang::DeclRefExpr* e : it->second)
      if (reads_.count(e) == 0) return false;
    return true;
  }
  // `v.x = e;`, or `v = e;` without a field, as a statement of its own. `v` is an integer or a structure.
  struct Assigned {
    const clang::DeclRefExpr* target = nullptr;
    const clang::FieldDecl* field = nullptr;
    const clang::Expr *whole = nullptr, *value = nullptr;
    const clang::CompoundStmt* block = nullptr;
  };
  // All that such a variable is given, in the order of the text, if nothing else is done to it, and each of
  // these statements stands in the block that declares it, so that the order of the text is the order of the program.
  // False: that is not so.
  bool assigned(const clang::VarDecl* v, std::vector<Assigned>& out) const {
    const auto block = declared_.find(v);
    if (labels_ || block == declared_.end() || in_lambdas_.contains(v) || switches_.contains(block->second))
      return false;
    std::set<const clang::DeclRefExpr*> written;
    if (const auto it = assigned_.find(v); it != assigned_.end())
      for (const Assigned& a : it->second) {
        if (a.block != block->second) return false;
        written.insert(a.target);
        out.push_back(a);
      }
    const auto it = uses_.find(v);
    if (it == uses_.end()) return true;
    return std::all_of(it->second.begin(), it->second.end(),
                       [&](const clang::DeclRefExpr* e) { return reads_.contains(e) || written.contains(e); });
  }
  bool VisitLabelStmt(clang::LabelStmt*) {
    labels_ = true;
    return true;
  }
  bool TraverseLambdaExpr(clang::LambdaExpr* e) {
    ++lambdas_;
    const bool more = RecursiveASTVisitor::TraverseLambdaExpr(e);
    --lambdas_;
    return more;
  }
  // As it is written, and as it is meant: where a value is read or bound is in the second.
  bool TraverseInitListExpr(clang::InitListExpr* e) {
    if (!RecursiveASTVisitor::TraverseInitListExpr(e)) return false;
    const clang::InitListExpr* meant = e->isSemanticForm() ? e : e->getSemanticForm();
    if (meant == nullptr || (e->isSemanticForm() && e->isSyntacticForm())) return true;
    for (const clang::Expr* x : meant->inits())
      if (x != nullptr && !TraverseStmt(const_cast<clang::Expr*>(x))) return false;
    return true;
  }
  bool VisitStmtExpr(clang::StmtExpr*) {
    statements_in_expressions_ = true;
    return true;
  }
  bool VisitForStmt(clang::ForStmt* f) {
    alone(f->getInc());
    return true;
  }
  // A `case` in it may be entered without what stands before it.
  bool VisitSwitchStmt(clang::SwitchStmt* s) {
    switches_.insert(s->getBody());
    return true;
  }
  bool TraverseCompoundStmt(clang::CompoundStmt* block) {
    blocks_.push_back(block);
    const bool more = RecursiveASTVisitor::TraverseCompoundStmt(block);
    blocks_.pop_back();
    return more;
  }
  bool VisitCompoundStmt(clang::CompoundStmt* block) {
    for (const clang::Stmt* s : block->body()) {
      alone(s);
      if (const auto* d = clang::dyn_cast<clang::DeclStmt>(s))
        for (const clang::Decl* x : d->decls())
          if (const auto* v = clang::dyn_cast<clang::VarDecl>(x)) declared_[v] = block;
      if (const auto* e = clang::dyn_cast<clang::Expr>(s)) assignment(e, block);
    }
    return true;
  }
  // The tree holds every word of this name that stands in the text.
  bool accounted(const clang::VarDecl* v, clang::SourceRange body) const;

 private:
  void assignment(const clang::Expr* e, const clang::CompoundStmt* block) {
    Assigned a{.whole = e, .block = block};
    e = e->IgnoreParens();
    if (const auto* x = clang::dyn_cast<clang::FullExpr>(e)) e = x->getSubExpr()->IgnoreParens();
    const clang::Expr* to = nullptr;
    if (const auto* b = clang::dyn_cast<clang::BinaryOperator>(e); b != nullptr && b->getOpcode() == clang::BO_Assign) {
      to = b->getLHS()->IgnoreParens();
      a.value = b->getRHS();
      if (const auto* m = clang::dyn_cast<clang::MemberExpr>(to)) {
        a.field = clang::dyn_cast<clang::FieldDecl>(m->getMemberDecl());
        if (m->isArrow() || a.field == nullptr) return;
        to = m->getBase()->IgnoreParens();
      }
    } else if (const auto* c = clang::dyn_cast<clang::CXXOperatorCallExpr>(e);
               c != nullptr && c->getOperator() == clang::OO_Equal && c->getNumArgs() == 2) {
      a.value = c->getArg(1);
      to = c->getArg(0)->IgnoreParens();
    }
    a.target = to != nullptr ? clang::dyn_cast<clang::DeclRefExpr>(to) : nullptr;
    const auto* v = a.target != nullptr ? clang::dyn_cast<clang::VarDecl>(a.target->getDecl()) : nullptr;
    const auto* record = v != nullptr ? v->getType()->getAsCXXRecordDecl() : nullptr;
    const bool integer = v != nullptr && a.field == nullptr && v->getType()->isIntegralOrEnumerationType();
    // An operator= of the user's does anything.
    const bool copied = record != nullptr && (a.field != nullptr || record->isTriviallyCopyable());
    if (integer || copied) assigned_[v].push_back(a);
  }
  // `n = 3`, `n += 2`, `++n` as statements of their own.
  void alone(const clang::Stmt* s) {
    const auto* e = clang::dyn_cast_or_null<clang::Expr>(s);
    if (e == nullptr) return;
    e = e->IgnoreParens();
    if (const auto* x = clang::dyn_cast<clang::FullExpr>(e)) e = x->getSubExpr()->IgnoreParens();
    const auto *b = clang::dyn_cast<clang::BinaryOperator>(e), *comma = b != nullptr && b->isCommaOp() ? b : nullptr;
    if (comma != nullptr) {
      alone(comma->getLHS());
      return alone(comma->getRHS());
    }
    const auto* u = clang::dyn_cast<clang::UnaryOperator>(e);
    const clang::Expr* to = b != nullptr && b->isAssignmentOp()           ? b->getLHS()
                            : u != nullptr && u->isIncrementDecrementOp() ? u->getSubExpr()
                                                                          : nullptr;
    if (const auto* d = to != nullptr ? clang::dyn_cast<clang::DeclRefExpr>(to->IgnoreParens()) : nullptr)
      changed_.insert(d);
  }
  void read(const clang::Expr* e) {
    e = e->IgnoreParens();
    while (true) {
      if (const auto* m = clang::dyn_cast<clang::MemberExpr>(e); m != nullptr && !m->isArrow()) {
        e = m->getBase()->IgnoreParens();
      } else if (const auto* c = clang::dyn_cast<clang::ImplicitCastExpr>(e);
                 c != nullptr && c->getCastKind() == clang::CK_NoOp) {
        e = c->getSubExpr()->IgnoreParens();
      } else {
        break;
      }
    }
    if (const auto* d = clang::dyn_cast<clang::DeclRefExpr>(e)) reads_.insert(d);
  }
  void seen(clang::SourceLocation at, clang::DeclarationName name) {
    if (const clang::IdentifierInfo* i = name.getAsIdentifierInfo())
      places_[i].insert(context_.getSourceManager().getSpellingLoc(at).getRawEncoding());
  }

  clang::ASTContext& context_;
  const Unconst& unconst_;
  std::map<const clang::VarDecl*, std::set<const clang::DeclRefExpr*>> uses_;
  std::set<const clang::DeclRefExpr*> reads_, changed_;
  std::map<const clang::IdentifierInfo*, std::set<unsigned>> places_;
  std::map<const clang::VarDecl*, std::vector<Assigned>> assigned_;
  std::map<const clang::VarDecl*, const clang::CompoundStmt*> declared_;
  std::map<const clang::VarDecl*, std::set<const clang::CompoundStmt*>>
      changed_in_;  // all blocks around the statements
  std::map<const clang::VarDecl*, std::vector<std::pair<const clang::DeclRefExpr*, const clang::Expr*>>> pitched_;
  std::vector<const clang::CompoundStmt*> blocks_;  // around what is looked at
  std::set<const clang::Stmt*> switches_;           // their bodies
  std::set<const clang::VarDecl*> own_, in_lambdas_;
  unsigned lambdas_ = 0;
  bool labels_ = false, statements_in_expressions_ = false;
};

}  // namespace fencepost::clangfe
