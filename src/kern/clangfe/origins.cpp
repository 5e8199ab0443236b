#include "clangfe/origins.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>

namespace fencepost::clangfe {

using clang::Expr;
using clang::FunctionDecl;
using clang::VarDecl;

namespace {

constexpr unsigned k_callers = 3;  // levels
const char k_unknown_element = 0;

// Elements by number, as steps of a path that are no declaration.
const void* element(uint64_t n) { return reinterpret_cast<const void*>(2 * n + 1); }

const Expr* bare(const Expr* e) {
  while (true) {
    e = e->IgnoreParenCasts();
    if (const auto* m = clang::dyn_cast<clang::MaterializeTemporaryExpr>(e))
      e = m->getSubExpr();
    else if (const auto* f = clang::dyn_cast<clang::FullExpr>(e))
      e = f->getSubExpr();
    else if (const auto* c = clang::dyn_cast<clang::CXXConstructExpr>(e);
             c != nullptr && c->getNumArgs() == 1 && c->getConstructor()->isCopyOrMoveConstructor())
      e = c->getArg(0);
    else
      return e;
  }
}

const VarDecl* variable(const Expr* e) {
  const auto* d = clang::dyn_cast<clang::DeclRefExpr>(bare(e));
  return d != nullptr ? clang::dyn_cast<VarDecl>(d->getDecl()) : nullptr;
}

// `to = from` as a statement; {} for others.
struct Move {
  const VarDecl *to = nullptr, *from = nullptr;
};
Move move(const clang::Stmt* s) {
  if (const auto* e = clang::dyn_cast<Expr>(s))
    if (const auto* b = clang::dyn_cast<clang::BinaryOperator>(e->IgnoreParens());
        b != nullptr && b->getOpcode() == clang::BO_Assign)
      return {variable(b->getLHS()), variable(b->getRHS())};
  if (const auto* d = clang::dyn_cast<clang::DeclStmt>(s); d != nullptr && d->isSingleDecl())
    if (const auto* v = clang::dyn_cast<VarDecl>(d->getSingleDecl()); v != nullptr && v->hasInit())
      return {v, variable(v->getInit())};
  return {};
}

}  // namespace

class Assignments : public clang::RecursiveASTVisitor<Assignments> {
 public:
  Assignments(Origins& origins, const FunctionDecl* host) : origins_(origins), host_(host) {}
  bool shouldVisitLambdaBody() const { return true; }

  // `t = a; a = b; b = t;` exchanges.
  bool VisitCompoundStmt(clang::CompoundStmt* block) {
    std::vector<const clang::Stmt*> s(block->body_begin(), block->body_end());
    for (size_t n = 0; n + 2 < s.size(); ++n) {
      const Move a = move(s[n]), b = move(s[n + 1]), c = move(s[n + 2]);
      if (a.to == nullptr || a.from == nullptr || b.from == nullptr || a.to != c.from || a.from != b.to ||
          b.from != c.to)
        continue;
      for (size_t k = 0; k < 3; ++k) exchanged_.insert(s[n + k]);
    }
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* b) {
    if (b->getOpcode() == clang::BO_Assign && !exchanged_.contains(b)) origins_.assign(b->getLHS(), b->getRHS());
    return true;
  }
  bool VisitDeclStmt(clang::DeclStmt* s) {
    if (exchanged_.contains(s))
      for (const clang::Decl* d : s->decls()) kept_.insert(d);
    return true;
  }
  bool VisitVarDecl(VarDecl* v) {
    if (v->hasInit() && v->getInit() != nullptr && !kept_.contains(v))
      origins_.assign(Origins::Slot{v, {}}, v->getInit());
    return true;
  }
  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* c) {
    if (c->getOperator() == clang::OO_Equal && c->getNumArgs() == 2) origins_.assign(c->getArg(0), c->getArg(1));
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* c) {
    const FunctionDecl* f = c->getDirectCallee();
    if (f == nullptr) return true;
    if (const auto* o = clang::dyn_cast<clang::CXXOperatorCallExpr>(c)) {  // a lambda: the first argument is itself
      if (o->getOperator() == clang::OO_Call && c->getNumArgs() > 0)
        origins_.calls_[f->getCanonicalDecl()].push_back({host_, {c->arg_begin() + 1, c->arg_end()}});
      return true;
    }
    // An array of file scope by its address.
    if (f->getIdentifier() != nullptr && f->getName() == "cudaGetSymbolAddress" && c->getNumArgs() == 2)
      if (const auto* to = clang::dyn_cast<clang::UnaryOperator>(bare(c->getArg(0)));
          to != nullptr && to->getOpcode() == clang::UO_AddrOf)
        origins_.assign(to->getSubExpr(), c->getArg(1));
    // The device's view of the host's memory.
    if (f->getIdentifier() != nullptr && f->getName() == "cudaHostGetDevicePointer" && c->getNumArgs() >= 2)
      if (const auto* to = clang::dyn_cast<clang::UnaryOperator>(bare(c->getArg(0)));
          to != nullptr && to->getOpcode() == clang::UO_AddrOf)
        origins_.assign(to->getSubExpr(), c->getArg(1));
    origins_.calls_[f->getCanonicalDecl()].push_back({host_, {c->arg_begin(), c->arg_end()}});
    return true;
  }

 private:
  Origins& origins_;
  const FunctionDecl* host_;
  std::set<const clang::Stmt*> exchanged_;
  std::set<const clang::Decl*> kept_;
};

Origins::Origins(clang::ASTContext& context, const std::vector<const FunctionDecl*>& hosts,
                 const std::vector<const VarDecl*>& variables)
    : context_(context) {
  for (const FunctionDecl* f : hosts) Assignments(*this, f).TraverseStmt(f->getBody());
  for (const VarDecl* v : variables) Assignments(*this, nullptr).VisitVarDecl(const_cast<VarDecl*>(v));
}

Origins::Slots Origins::part(Slots whole, const void* step) const {
  for (Slot& s : whole) s.path.push_back(step);
  return whole;
}

// The variables that hold a pointer, or lie where it points to. Steps inside of an array stay in it.
Origins::Slots Origins::slots(const Expr* e) const {
  e = bare(e);
  if (const auto* d = clang::dyn_cast<clang::DeclRefExpr>(e)) {
    const auto* v = clang::dyn_cast<VarDecl>(d->getDecl());
    return v != nullptr ? Slots{{v, {}}} : Slots{};
  }
  if (const auto* m = clang::dyn_cast<clang::MemberExpr>(e)) {
    if (!clang::isa<clang::FieldDecl>(m->getMemberDecl())) return {};
    if (clang::isa<clang::CXXThisExpr>(bare(m->getBase()))) return {{m->getMemberDecl(), {}}};
    return part(slots(m->getBase()), m->getMemberDecl());
  }
  if (const auto* b = clang::dyn_cast<clang::BinaryOperator>(e)) {
    if (b->getOpcode() == clang::BO_Comma || b->isAssignmentOp())
      return slots(b->getOpcode() == clang::BO_Comma ? b->getRHS() : b->getLHS());
    if (!b->isAdditiveOp()) return {};
    return slots(b->getLHS()->getType()->isPointerType() ? b->getLHS() : b->getRHS());
  }
  if (const auto* u = clang::dyn_cast<clang::UnaryOperator>(e)) {
    if (u->isIncrementDecrementOp()) return slots(u->getSubExpr());
    if (u->getOpcode() == clang::UO_Deref) return part(slots(u->getSubExpr()), element(0));
    if (u->getOpcode() != clang::UO_AddrOf) return {};
    const Expr* of = bare(u->getSubExpr());
    if (const auto* s = clang::dyn_cast<clang::ArraySubscriptExpr>(of)) return slots(s->getBase());
    return slots(of);
  }
  if (const auto* s = clang::dyn_cast<clang::ArraySubscriptExpr>(e)) {
    clang::Expr::EvalResult n;
    const Expr* index = s->getIdx();
    const bool known = !index->isValueDependent() && !index->containsErrors() && index->EvaluateAsInt(n, context_) &&
                       !n.Val.getInt().isNegative();
    return part(slots(s->getBase()), known ? element(n.Val.getInt().getZExtValue()) : &k_unknown_element);
  }
  if (const auto* c = clang::dyn_cast<clang::AbstractConditionalOperator>(e)) {
    Slots out = slots(c->getTrueExpr());
    const Slots more = slots(c->getFalseExpr());
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }
  return {};
}

void Origins::assign(const Expr* to, const Expr* from) {
  for (const Slot& s : slots(to)) assign(s, from);
}

void Origins::assign(const Slot& to, const Expr* from) {
  from = bare(from);
  const auto* list = clang::dyn_cast<clang::InitListExpr>(from);
  if (list == nullptr) {
    if (Slots s = slots(from); !s.empty()) made_of_[to].push_back(std::move(s));
    return;
  }
  const auto* record = list->getType()->getAsCXXRecordDecl();
  std::vector<const void*> steps;
  if (record != nullptr && record->hasDefinition())
    for (const clang::FieldDecl* f : record->fields()) steps.push_back(f);
  for (unsigned k = 0; k < list->getNumInits(); ++k) {
    if (record != nullptr && k >= steps.size()) break;
    Slot s = to;
    s.path.push_back(record != nullptr ? steps[k] : element(k));
    assign(s, list->getInit(k));
  }
}

std::set<Origins::Slot> Origins::reach(const Slots& from) const {
  constexpr size_t k_most = 256;
  std::set<Slot> out;
  std::vector<Slot> todo(from);
  while (!todo.empty() && out.size() < k_most) {
    const Slot s = todo.back();
    todo.pop_back();
    if (s.path.size() > 8 || !out.insert(s).second) continue;
    // A structure was copied with all that is in it.
    for (size_t n = 0; n <= s.path.size(); ++n) {
      const auto it = made_of_.find({s.of, {s.path.begin(), s.path.begin() + static_cast<ptrdiff_t>(n)}});
      if (it == made_of_.end()) continue;
      for (const Slots& made : it->second)
        for (Slot t : made) {
          t.path.insert(t.path.end(), s.path.begin() + static_cast<ptrdiff_t>(n), s.path.end());
          todo.push_back(std::move(t));
        }
    }
  }
  return out;
}

// With what a call gives in the place of the parameters.
Origins::Slots Origins::given(const Slots& s, const FunctionDecl* host, const Call& c) const {
  Slots out;
  for (const Slot& x : s) {
    const auto* p = clang::dyn_cast<clang::ParmVarDecl>(x.of);
    if (p == nullptr || p->getDeclContext() != host) {
      out.push_back(x);
      continue;
    }
    if (p->getFunctionScopeIndex() >= c.arguments.size()) continue;
    for (Slot y : slots(c.arguments[p->getFunctionScopeIndex()])) {
      y.path.insert(y.path.end(), x.path.begin(), x.path.end());
      out.push_back(std::move(y));
    }
  }
  return out;
}

bool Origins::overlap(const Slots& a, const Slots& b, const FunctionDecl* host, unsigned depth) const {
  const std::set<Slot> x = reach(a), y = reach(b);
  for (const Slot& s : x)
    if (y.contains(s) && std::find(s.path.begin(), s.path.end(), &k_unknown_element) == s.path.end()) return true;
  if (depth == 0) return false;
  // The function that launches, and the lambdas in it whose parameters are given.
  std::set<const FunctionDecl*> hosts;
  if (host != nullptr) hosts.insert(host);
  for (const auto* slots : {&x, &y})
    for (const Slot& s : *slots)
      if (const auto* p = clang::dyn_cast<clang::ParmVarDecl>(s.of))
        if (const auto* f = clang::dyn_cast<FunctionDecl>(p->getDeclContext())) hosts.insert(f);
  const Slots all_x(x.begin(), x.end()), all_y(y.begin(), y.end());
  for (const FunctionDecl* h : hosts) {
    const auto it = calls_.find(h->getCanonicalDecl());
    if (it == calls_.end()) continue;
    const FunctionDecl* whole = h->getDefinition() != nullptr ? h->getDefinition() : h;
    const bool any = std::any_of(it->second.begin(), it->second.end(), [&](const Call& c) {
      return c.caller != h && overlap(given(all_x, whole, c), given(all_y, whole, c), c.caller, depth - 1);
    });
    if (any) return true;
  }
  return false;
}

// An array or number of file scope, which the kernel may use by its name.
bool Origins::of_file(const Slots& s, const FunctionDecl* host, unsigned depth) const {
  const std::set<Slot> all = reach(s);
  const bool here = std::any_of(all.begin(), all.end(), [](const Slot& x) {
    const auto* v = clang::dyn_cast<VarDecl>(x.of);
    return v != nullptr && v->isFileVarDecl() && x.path.empty() && v->hasAttr<clang::CUDADeviceAttr>();
  });
  if (here || host == nullptr || depth == 0) return here;
  const auto it = calls_.find(host->getCanonicalDecl());
  if (it == calls_.end()) return false;
  const FunctionDecl* whole = host->getDefinition() != nullptr ? host->getDefinition() : host;
  return std::any_of(it->second.begin(), it->second.end(), [&](const Call& c) {
    return c.caller != host && of_file(given({all.begin(), all.end()}, whole, c), c.caller, depth - 1);
  });
}

std::vector<std::pair<uint32_t, uint32_t>> Origins::overlaps(const FoundLaunch& l) const {
  // Each pointer that is given, alone or in a structure.
  struct Given {
    uint32_t parameter;
    Slots slots;
    const Expr* e;
    bool reads;
  };
  std::vector<Given> all;
  for (uint32_t k = 0; k < l.given.size(); ++k) {
    const Expr* e = l.given[k];
    const auto reads = [](clang::QualType t) { return t->getPointeeType().isConstQualified(); };
    if (e->getType()->isPointerType()) {
      const bool typed =
          l.kernel != nullptr && k < l.kernel->getNumParams() && l.kernel->getParamDecl(k)->getType()->isPointerType();
      all.push_back({k, slots(e), e, reads(typed ? l.kernel->getParamDecl(k)->getType() : e->getType())});
    }
    if (const auto* record = e->getType()->getAsCXXRecordDecl(); record != nullptr && record->hasDefinition())
      for (const clang::FieldDecl* f : record->fields())
        if (f->getType()->isPointerType()) all.push_back({k, part(slots(e), f), e, reads(f->getType())});
  }
  std::vector<std::pair<uint32_t, uint32_t>> out;
  for (const Given& g : all)
    if (of_file(g.slots, l.host, k_callers)) out.emplace_back(g.parameter, k_of_the_file);
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const Given &x = all[j], &y = all[i];
      if ((x.reads && y.reads) || x.slots.empty() || y.slots.empty()) continue;
      // `c ? p : q` beside `c ? q : p`.
      const auto* c = clang::dyn_cast<clang::ConditionalOperator>(bare(x.e));
      const auto* d = clang::dyn_cast<clang::ConditionalOperator>(bare(y.e));
      bool same = false;
      if (c != nullptr && d != nullptr) {
        llvm::FoldingSetNodeID left, right;
        c->getCond()->Profile(left, context_, true);
        d->getCond()->Profile(right, context_, true);
        same = left == right && !c->getCond()->HasSideEffects(context_);
      }
      const bool may = same ? overlap(slots(c->getTrueExpr()), slots(d->getTrueExpr()), l.host, k_callers) ||
                                  overlap(slots(c->getFalseExpr()), slots(d->getFalseExpr()), l.host, k_callers)
                            : overlap(x.slots, y.slots, l.host, k_callers);
      if (may) out.emplace_back(x.parameter, y.parameter);
    }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace fencepost::clangfe
