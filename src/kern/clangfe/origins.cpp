#include "clangfe/origins.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>
#include <map>

#include "clangfe/survey.h"

namespace fencepost::clangfe {

using clang::Expr;
using clang::FunctionDecl;
using clang::VarDecl;

namespace {

bool disjoint(const Values& a, const Values& b) {
  if (a.unknown || b.unknown) return false;
  std::set<uint32_t> objects;
  for (const Atom& x : a.atoms) objects.insert(x.place.object);
  return std::none_of(b.atoms.begin(), b.atoms.end(), [&](const Atom& x) { return objects.contains(x.place.object); });
}

// A distance alone is a plain number.
bool leads(const Values& v) {
  return std::any_of(v.atoms.begin(), v.atoms.end(), [](const Atom& a) { return a.kind != Atom::distance; });
}

// Each use of the parameter only takes its value.
class OnlyRead : public clang::RecursiveASTVisitor<OnlyRead> {
 public:
  explicit OnlyRead(const clang::ParmVarDecl* p) : p_(p) {}
  bool shouldVisitLambdaBody() const { return true; }
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* e) {
    if (e->getCastKind() == clang::CK_LValueToRValue && is(e->getSubExpr()->IgnoreParens())) ++reads_;
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) {
    if (is(e)) ++uses_;
    return true;
  }
  bool holds() const { return uses_ == reads_; }

 private:
  bool is(const Expr* e) const {
    const auto* d = clang::dyn_cast<clang::DeclRefExpr>(e);
    return d != nullptr && d->getDecl() == p_;
  }
  const clang::ParmVarDecl* p_;
  unsigned uses_ = 0, reads_ = 0;
};

// Each use of the variable takes its value, or gives its address to one list that only a launch is given.
class OnlyLaunched : public clang::RecursiveASTVisitor<OnlyLaunched> {
 public:
  explicit OnlyLaunched(const VarDecl* v) : v_(v) {}
  bool shouldVisitLambdaBody() const { return true; }
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* e) {
    if (e->getCastKind() == clang::CK_LValueToRValue) fine_.insert(e->getSubExpr()->IgnoreParens());
    return true;
  }
  bool VisitVarDecl(VarDecl* v) {
    const auto* list =
        v->hasInit() && v->getType()->isArrayType() ? clang::dyn_cast<clang::InitListExpr>(v->getInit()) : nullptr;
    if (list == nullptr || v->isStaticLocal()) return true;
    for (const Expr* e : list->inits()) {
      const auto* u = clang::dyn_cast<clang::UnaryOperator>(e->IgnoreParenCasts());
      if (u == nullptr || u->getOpcode() != clang::UO_AddrOf || reference(u->getSubExpr()) != v_) continue;
      fine_.insert(u->getSubExpr()->IgnoreParens());
      lists_.insert(v);
    }
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* c) {
    const FunctionDecl* f = c->getDirectCallee();
    if (f == nullptr || f->getIdentifier() == nullptr || c->getNumArgs() < 4 ||
        (f->getName() != "cudaLaunchKernel" && f->getName() != "cudaLaunchCooperativeKernel"))
      return true;
    fine_.insert(c->getArg(3)->IgnoreParenCasts());
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) {
    const auto* v = clang::dyn_cast<VarDecl>(e->getDecl());
    if (v != nullptr && (v == v_ || lists_.contains(v))) uses_.push_back(e);
    return true;
  }
  bool holds() const {
    return std::all_of(uses_.begin(), uses_.end(), [&](const Expr* e) { return fine_.contains(e); });
  }

 private:
  static const clang::ValueDecl* reference(const Expr* e) {
    const auto* d = clang::dyn_cast<clang::DeclRefExpr>(e->IgnoreParens());
    return d != nullptr ? d->getDecl() : nullptr;
  }
  const VarDecl* v_;
  std::set<const VarDecl*> lists_;
  std::set<const Expr*> fine_;
  std::vector<const Expr*> uses_;
};

bool only_launched(const VarDecl* v, clang::Stmt* body) {
  OnlyLaunched look(v);
  look.TraverseStmt(body);
  return look.holds();
}

// Steps inside of an array stay in it.
const Expr* base(const Expr* e) {
  while (true) {
    e = e->IgnoreParenCasts();
    const auto* b = clang::dyn_cast<clang::BinaryOperator>(e);
    if (b == nullptr || !b->isAdditiveOp() || !b->getType()->isPointerType()) return e;
    e = b->getLHS()->getType()->isPointerType() ? b->getLHS() : b->getRHS();
  }
}

}  // namespace

Origins::Origins(clang::ASTContext& context, const std::vector<const FunctionDecl*>& hosts,
                 const std::vector<const VarDecl*>& variables, const std::vector<FoundLaunch>& launches,
                 std::set<const clang::IdentifierInfo*> lost, bool in_doubt, bool by_name, std::string comes_back,
                 std::set<clang::SourceLocation> shared, Unread unread, GivenToLibraries given)
    : context_(context),
      walk_(context,
            [&context](clang::SourceLocation at) {
              return users_text(context.getSourceManager(), context.getTargetInfo(), at);
            }),
      in_doubt_(in_doubt) {
  walk_.symbols_by_name = by_name;
  walk_.comes_back = std::move(comes_back);
  walk_.shared = std::move(shared);
  walk_.unread = std::move(unread);
  walk_.given = std::move(given);
  walk_.memory.doubtful = std::move(lost);
  for (const FoundLaunch& l : launches) calls_.emplace(l.call, &l);
  known_ = !calls_.empty() && !in_doubt && walk_.run(hosts, variables, launches);
}

void Origins::trace(FoundLaunch& l) {
  HostLaunch& out = l.launch;
  const uint32_t takes = l.kernel != nullptr ? l.kernel->getNumParams() : 0;
  for (uint32_t k = static_cast<uint32_t>(l.given.size()); k < takes; ++k) out.not_traced.push_back(k);
  const std::set<uint32_t> frames = walk_.frames_of(l.call);
  if (known_) find_nulls(l);
  if (!known_ || frames.empty())
    not_followed(l);
  else
    for (const uint32_t f : frames) trace(l, f, out);
  std::sort(out.not_traced.begin(), out.not_traced.end());
  out.not_traced.erase(std::unique(out.not_traced.begin(), out.not_traced.end()), out.not_traced.end());
  std::sort(out.one_array.begin(), out.one_array.end());
  out.one_array.erase(std::unique(out.one_array.begin(), out.one_array.end()), out.one_array.end());
}

// A null pointer by the text, also where a caller gives it: no other file may call the function, and each call gives
// null. `at_address`: of a variable whose address cudaLaunchKernel gets.
bool Origins::null(const Expr* e, uint32_t frame, bool at_address, unsigned depth) const {
  constexpr unsigned k_deep = 20;
  if (e == nullptr || depth > k_deep || e->isTypeDependent() || e->containsErrors()) return false;
  if (const auto* d = clang::dyn_cast<clang::CXXDefaultArgExpr>(e)) e = d->getExpr();
  if (null_constant(context_, e)) return true;
  const auto* d = clang::dyn_cast<clang::DeclRefExpr>(e->IgnoreParenCasts());
  const auto* v = d != nullptr ? clang::dyn_cast<VarDecl>(d->getDecl()) : nullptr;
  const FunctionDecl* f = walk_.frame(frame).function;
  if (v == nullptr || f == nullptr || f->getBody() == nullptr || !v->getType()->isPointerType()) return false;
  if (clang::isa<clang::ParmVarDecl>(v))
    return !f->isExternallyVisible() && null(walk_.given_for(v, frame), walk_.frame(frame).caller, false, depth + 1);
  if (v->getDeclContext() != f || !v->isLocalVarDecl() || v->isStaticLocal() || !v->hasInit() ||
      v->getType().isVolatileQualified() || walk_.memory.doubtful.contains(v->getIdentifier()))
    return false;
  const bool keeps = v->getType().isConstQualified() || walk_.keeps(v, frame);
  return (keeps || (at_address && only_launched(v, f->getBody()))) && null(v->getInit(), frame, false, depth + 1);
}

void Origins::find_nulls(FoundLaunch& l) const {
  const std::set<uint32_t>& frames = walk_.frames_of(l.call);
  const clang::FunctionDecl* by = l.call->getDirectCallee();
  const bool address = by != nullptr && by->getIdentifier() != nullptr && by->getName().starts_with("cudaLaunch") &&
                       !clang::isa<clang::CUDAKernelCallExpr>(l.call);
  for (uint32_t k = 0; k < l.given.size() && !frames.empty(); ++k) {
    const auto gives_null = [&](uint32_t f) {
      return walk_.frame(f).function == l.host && null(l.given[k], f, address, 0);
    };
    if (l.given[k]->getType()->isPointerType() && std::all_of(frames.begin(), frames.end(), gives_null) &&
        std::find(l.launch.null.begin(), l.launch.null.end(), k) == l.launch.null.end())
      l.launch.null.push_back(k);
  }
}

void Origins::not_followed(FoundLaunch& l) {
  for (uint32_t k = 0; k < l.given.size(); ++k) l.launch.not_traced.push_back(k);
  const std::string why = in_doubt_ ? "host code has no __CUDA_ARCH__, and what it does before is not known"
                          : !walk_.comes_back.empty() ? walk_.comes_back
                          : walk_.given.second_name
                              ? "what is declared at " + place(*walk_.given.second_name) + " has a second name"
                          : walk_.not_followed_at ? "what runs at " + place(*walk_.not_followed_at) + " is not followed"
                                                  : "what the host does before is not known";
  const uint32_t takes = l.kernel != nullptr ? l.kernel->getNumParams() : 0;
  for (uint32_t k = 0; k < takes; ++k)
    if (!l.kernel->getParamDecl(k)->getType()->isArithmeticType())
      l.launch.not_zero.push_back({.parameter = k, .why = why});
  for (const VarDecl* v : named_by(l.kernel))
    l.launch.not_zero.push_back({.variable = v->getNameAsString(), .why = why});
}

std::vector<Origins::Given> Origins::gather(const FoundLaunch& l, uint32_t frame) {
  std::vector<Given> all;
  // cudaLaunchKernel takes the addresses of the arguments.
  const clang::FunctionDecl* by = l.call->getDirectCallee();
  const bool addresses = by != nullptr && by->getIdentifier() != nullptr &&
                         (by->getName() == "cudaLaunchKernel" || by->getName() == "cudaLaunchCooperativeKernel");
  const Expr* array = addresses && l.call->getNumArgs() > 3 ? l.call->getArg(3) : nullptr;
  for (uint32_t k = 0; k < l.given.size(); ++k) {
    const Expr* e = l.given[k];
    clang::QualType t = e->getType();
    if (l.kernel != nullptr && k < l.kernel->getNumParams() && l.kernel->getParamDecl(k)->getType()->isPointerType())
      t = l.kernel->getParamDecl(k)->getType();
    Given g{.parameter = k, .e = e};
    // The text may have put other addresses there since.
    const Places there = array != nullptr ? walk_.pointed(array, k, frame) : Places{};
    if (array != nullptr && (there.unknown || there.all != walk_.places(e, frame).all)) {
      g.e = nullptr;
      g.values.unknown = true;
      all.push_back(g);
    } else if (e->containsErrors() || e->isTypeDependent()) {
      g.values.unknown = true;
      all.push_back(g);
    } else if (e->getType()->isRecordType()) {
      g.e = nullptr;
      collect(given_by_value(e, frame), e->getType(), g, all, 0);
    } else {
      g.values = walk_.loaded(e, frame);
      const bool pointer = t->isPointerType() || t->isArrayType();
      g.reads = t->isPointerType() && t->getPointeeType().isConstQualified();
      // A pointer as a number; other numbers are none.
      if (!pointer && !leads(g.values)) continue;
      if (g.values.atoms.empty() && !g.values.unknown)
        g.values.unknown =
            e->isNullPointerConstant(context_, Expr::NPC_ValueDependentIsNotNull) == Expr::NPCK_NotNull &&
            std::find(l.launch.null.begin(), l.launch.null.end(), k) == l.launch.null.end();
      all.push_back(std::move(g));
    }
  }
  return all;
}

void Origins::trace(const FoundLaunch& l, uint32_t frame, HostLaunch& out) {
  const std::vector<Given> all = gather(l, frame);
  starts(l, frame, out);
  for (const Given& g : all) {
    const bool textures = !walk_.textured.atoms.empty() || walk_.textured.unknown;
    if (textures && !disjoint(g.values, walk_.textured)) out.one_array.emplace_back(g.parameter, k_of_a_texture);
    if (g.values.unknown) out.not_traced.push_back(g.parameter);
    for (const Atom& a : g.values.atoms) {
      const HostMemory::Object& o = walk_.memory[a.place.object];
      if (a.kind != Atom::address || o.kind != ObjectKind::variable) continue;
      const auto* v = clang::dyn_cast<VarDecl>(static_cast<const clang::ValueDecl*>(o.what));
      if (v != nullptr && v->isFileVarDecl()) out.one_array.emplace_back(g.parameter, k_of_the_file);
    }
  }
  for (size_t j = 0; j < all.size(); ++j)
    for (size_t i = 0; i < j; ++i) {
      const Given &x = all[i], &y = all[j];
      if ((x.reads && y.reads) || x.values.unknown || y.values.unknown) continue;
      if (!apart(x, y, frame)) out.one_array.emplace_back(x.parameter, y.parameter);
    }
}

// A structure that is given by value: the variable that is copied, or the copy.
Place Origins::given_by_value(const Expr* e, uint32_t frame) {
  const Place copy = walk_.copied(e, frame);
  const auto* c = clang::dyn_cast<clang::CXXConstructExpr>(e->IgnoreImplicit());
  if (c == nullptr || c->getNumArgs() != 1 || !c->getConstructor()->isCopyOrMoveConstructor() ||
      !c->getConstructor()->isTrivial() || !c->getArg(0)->isGLValue())
    return copy;
  const Places from = walk_.places(c->getArg(0), frame);
  return from.all.size() == 1 && !from.unknown ? *from.all.begin() : copy;
}

// The pointers in a structure that is given by value.
void Origins::collect(const Place& at, clang::QualType type, Given& like, std::vector<Given>& out, unsigned depth) {
  constexpr unsigned k_deep = 8;
  constexpr size_t k_most = 200;
  if (depth > k_deep || out.size() > k_most) {
    like.values = {.unknown = true};
    out.push_back(like);
    return;
  }
  if (const clang::ArrayType* a = context_.getAsArrayType(type)) {
    // Each element is a pointer of its own. Of many, two stand for any two.
    constexpr uint64_t k_each = 16;
    const clang::QualType of = context_.getBaseElementType(type);
    const bool leads = of->isRecordType() || of->isPointerType() || context_.getTypeSize(of) == 64;
    const auto* sized = clang::dyn_cast<clang::ConstantArrayType>(a);
    const uint64_t all = sized != nullptr ? sized->getSize().getZExtValue() : k_each + 1;
    for (uint64_t k = 0; leads && k < (all > k_each ? 2 : all); ++k) {
      Place one = at;
      one.path.push_back(all > k_each ? k_any_element : element(k));
      collect(one, a->getElementType(), like, out, depth + 1);
    }
    return;
  }
  if (const auto* record = type->getAsCXXRecordDecl()) {
    if (!record->hasDefinition()) return;
    if (record->isLambda()) return collect_captures(at, like, out, depth);
    for (const clang::CXXBaseSpecifier& b : record->bases()) collect(at, b.getType(), like, out, depth + 1);
    for (const clang::FieldDecl* f : record->fields()) {
      Place part = at;
      if (!record->isUnion()) part.path.push_back(f);
      collect(part, f->getType(), like, out, depth + 1);
    }
    return;
  }
  const bool pointer = type->isPointerType() || type->isReferenceType();
  if (!pointer && !(type->isIntegerType() && context_.getTypeSize(type) == 64)) return;
  like.values = walk_.memory.read(at);
  like.at = at;
  if (!leads(like.values) && (!pointer || !like.values.unknown)) return;
  like.reads = type->isPointerType() && type->getPointeeType().isConstQualified();
  out.push_back(like);
}

// What a lambda takes with it.
void Origins::collect_captures(const Place& at, Given& like, std::vector<Given>& out, unsigned depth) {
  const Values held = walk_.memory.read(at);
  bool all = !held.unknown && !held.atoms.empty();
  for (const Atom& a : held.atoms) {
    const HostMemory::Object o = walk_.memory[a.place.object];
    if (a.kind != Atom::copy || o.kind != ObjectKind::closure) {
      all = false;
      continue;
    }
    for (const clang::LambdaCapture& c : static_cast<const clang::LambdaExpr*>(o.what)->captures()) {
      const auto* v = c.capturesVariable() ? clang::dyn_cast<VarDecl>(c.getCapturedVar()) : nullptr;
      if (v == nullptr || c.getCaptureKind() != clang::LCK_ByCopy) {
        all = false;
        continue;
      }
      Place there = walk_.variable(v, o.frame);
      if (!v->getType()->isReferenceType()) {
        collect(there, v->getType(), like, out, depth + 1);
        continue;
      }
      for (const Atom& x : walk_.memory.read(there).atoms)
        collect(x.place, v->getType().getNonReferenceType(), like, out, depth + 1);
    }
  }
  if (all) return;
  like.values = {.unknown = true};
  like.at.reset();
  like.reads = false;
  out.push_back(like);
}

// Two places of a structure that allocations alone have filled, as a loop over an array of pointers does. Two elements
// of what comes from outside are two arrays, as the profile says.
bool Origins::elements_apart(const Given& a, const Given& b) const {
  if (!a.at || !b.at) return false;
  const std::vector<const void*>& path = a.at->path;
  const bool any = std::find(path.begin(), path.end(), k_any_element) != path.end();
  if (a.at == b.at && !any) return false;
  const auto& given = a.values.atoms;
  if (any && given.size() == 1 && given.begin()->kind == Atom::address && given == b.values.atoms &&
      walk_.memory[given.begin()->place.object].kind == ObjectKind::unseen)
    return true;
  return walk_.memory.only_new(*a.at) && walk_.memory.only_new(*b.at);
}

bool Origins::apart(const Given& a, const Given& b, uint32_t frame) {
  return disjoint(a.values, b.values) || elements_apart(a, b) ||
         (a.e != nullptr && b.e != nullptr && apart(a.e, b.e, frame));
}

// All that take part in the exchange had different arrays to begin with.
bool Origins::exchanged(const Place& a, const Place& b) {
  const std::vector<Place> all = walk_.memory.exchanged(a);
  if (a == b || std::find(all.begin(), all.end(), b) == all.end()) return false;
  std::vector<Values> own;
  for (const Place& p : all) own.push_back(walk_.memory.own(p));
  for (size_t j = 0; j < own.size(); ++j)
    for (size_t i = 0; i < j; ++i)
      if (!disjoint(own[i], own[j])) return false;
  return true;
}

// The value that the call has given for a parameter that stays as it is.
const Expr* Origins::given_for(const Expr* e, uint32_t frame) const {
  const auto* d = clang::dyn_cast<clang::DeclRefExpr>(e);
  const auto* p = d != nullptr ? clang::dyn_cast<clang::ParmVarDecl>(d->getDecl()) : nullptr;
  const HostWalk::Frame& f = walk_.frame(frame);
  if (p == nullptr || f.several || f.function == nullptr || p->getDeclContext() != f.function ||
      p->getType()->isReferenceType() || p->getFunctionScopeIndex() >= f.arguments.size())
    return nullptr;
  OnlyRead reads(p);
  reads.TraverseStmt(f.function->getBody());
  return reads.holds() ? f.arguments[p->getFunctionScopeIndex()] : nullptr;
}

// Both are given at one moment.
bool Origins::apart(const Expr* left, const Expr* right, uint32_t frame) {
  const Expr *a = base(left), *b = base(right);
  const auto* c = clang::dyn_cast<clang::ConditionalOperator>(a);
  const auto* d = clang::dyn_cast<clang::ConditionalOperator>(b);
  const auto same = [&](const Expr* x, const Expr* y) {
    llvm::FoldingSetNodeID of_x, of_y;
    x->Profile(of_x, context_, true);
    y->Profile(of_y, context_, true);
    return of_x == of_y && !x->HasSideEffects(context_);
  };
  if (c != nullptr && d != nullptr && same(c->getCond(), d->getCond()))
    return apart(c->getTrueExpr(), d->getTrueExpr(), frame) && apart(c->getFalseExpr(), d->getFalseExpr(), frame);
  if (a->isGLValue() && b->isGLValue() && !a->HasSideEffects(context_) && !b->HasSideEffects(context_)) {
    const Places x = walk_.places(a, frame), y = walk_.places(b, frame);
    if (x.all.size() == 1 && y.all.size() == 1 && !x.unknown && !y.unknown) {
      const Place &p = *x.all.begin(), &q = *y.all.begin();
      if (exchanged(p, q)) return true;
      const auto* s = clang::dyn_cast<clang::ArraySubscriptExpr>(a);
      const auto* t = clang::dyn_cast<clang::ArraySubscriptExpr>(b);
      if (s != nullptr && t != nullptr && walk_.memory.only_new(p) && walk_.memory.only_new(q) &&
          same(s->getBase(), t->getBase()) && unlike(s->getIdx(), t->getIdx()))
        return true;
    }
  }
  const Expr *above = given_for(a, frame), *beside = given_for(b, frame);
  if (above != nullptr && beside != nullptr) return apart(above, beside, walk_.frame(frame).caller);
  return disjoint(walk_.loaded(left, frame), walk_.loaded(right, frame));
}

namespace {

// x + n, with x null for a plain number.
struct Sum {
  const Expr* x = nullptr;
  int64_t n = 0;
  bool negative = false;  // n - x
};

}  // namespace

// Two numbers that differ whatever the variables are: x and x + n, x and n - x for odd n, x and x ^ n, x and !x, and
// such numbers modulo 2.
bool Origins::unlike(const Expr* a, const Expr* b) const {
  const auto constant = [&](const Expr* e) -> std::optional<int64_t> {
    Expr::EvalResult r;
    if (e->isValueDependent() || !e->EvaluateAsInt(r, context_) || r.Val.getInt().getSignificantBits() > 31)
      return std::nullopt;
    return r.Val.getInt().getExtValue();
  };
  const auto same = [&](const Expr* x, const Expr* y) {
    if (x->HasSideEffects(context_)) return false;
    llvm::FoldingSetNodeID left, right;
    x->Profile(left, context_, true);
    y->Profile(right, context_, true);
    return left == right;
  };
  const auto sum = [&](const Expr* e) {
    Sum out{.x = e};
    const auto* o = clang::dyn_cast<clang::BinaryOperator>(e);
    if (o == nullptr || !o->isAdditiveOp()) return out;
    const Expr *l = o->getLHS()->IgnoreParenImpCasts(), *r = o->getRHS()->IgnoreParenImpCasts();
    const bool minus = o->getOpcode() == clang::BO_Sub;
    if (const auto n = constant(r)) return Sum{.x = l, .n = minus ? -*n : *n};
    if (const auto n = constant(l)) return Sum{.x = r, .n = *n, .negative = minus};
    return out;
  };
  a = a->IgnoreParenImpCasts();
  b = b->IgnoreParenImpCasts();
  if (const auto x = constant(a), y = constant(b); x && y) return *x != *y;
  const auto modulo_two = [&](const Expr* e) -> const Expr* {
    const auto* o = clang::dyn_cast<clang::BinaryOperator>(e);
    if (o == nullptr) return nullptr;
    const auto n = constant(o->getRHS());
    if ((o->getOpcode() == clang::BO_Rem && n == 2) || (o->getOpcode() == clang::BO_And && n == 1))
      return o->getLHS()->IgnoreParenImpCasts();
    return nullptr;
  };
  if (const Expr *x = modulo_two(a), *y = modulo_two(b); x != nullptr && y != nullptr) {
    const Sum s = sum(x), t = sum(y);
    return same(s.x, t.x) && ((s.n - t.n) % 2 != 0);
  }
  for (const auto& [x, y] : {std::pair(a, b), std::pair(b, a)}) {
    const Sum t = sum(y);
    if (t.x != y && same(x, t.x) && (t.negative ? t.n % 2 != 0 : t.n != 0)) return true;
    const auto* o = clang::dyn_cast<clang::BinaryOperator>(y);
    if (o != nullptr && o->getOpcode() == clang::BO_Xor && same(x, o->getLHS()->IgnoreParenImpCasts()) &&
        constant(o->getRHS()).value_or(0) != 0)
      return true;
    const auto* u = clang::dyn_cast<clang::UnaryOperator>(y);
    if (u != nullptr && u->getOpcode() == clang::UO_LNot && same(x, u->getSubExpr()->IgnoreParenImpCasts()))
      return true;
  }
  const Sum s = sum(a), t = sum(b);
  return s.negative == t.negative && s.n != t.n && same(s.x, t.x);
}

}  // namespace fencepost::clangfe
