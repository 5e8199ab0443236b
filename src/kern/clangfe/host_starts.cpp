// What a counter holds when a kernel starts. Proofs by the last block of a grid take it for 0; this file looks for what
// says otherwise: a first value, what the host puts there, and a launch before that counted in it.
//
// Events of one activation and one loop are in the order of the text; between others the order is not known. So a
// launch finds zeros if the last event of its own loop is a clearing on every way to it, or if there is no other
// launch, none in a loop, and nothing that sets another value. In memory that nothing in the file touches, the printed
// assumption stands. Work of two streams has no order: a reset counts in the stream of the launch, or where it is none
// of a stream, and what each launch puts back counts where all are of one stream.
//
// A reset counts for the bytes that it clears, from the place on that the launch is given: all of them, where its size
// is not a number. Two places are held against each other by their distance from the beginning of the object, or as
// the same expression of variables that nothing changes in between.
#include <clang/AST/Mangle.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>
#include <optional>

#include "clangfe/origins.h"

namespace fencepost::clangfe {

using clang::FunctionDecl;
using clang::VarDecl;

namespace {

// Variables of file scope that a kernel names, itself or by what it calls.
class Names : public clang::RecursiveASTVisitor<Names> {
 public:
  bool shouldVisitLambdaBody() const { return true; }
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) { return use(e->getDecl()); }
  bool VisitMemberExpr(clang::MemberExpr* e) { return use(e->getMemberDecl()); }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* e) { return use(e->getConstructor()); }
  std::set<const VarDecl*> found;

 private:
  bool use(const clang::ValueDecl* d) {
    if (const auto* v = clang::dyn_cast<VarDecl>(d); v != nullptr && v->hasGlobalStorage())
      found.insert(v->getCanonicalDecl());
    const auto* f = clang::dyn_cast<FunctionDecl>(d);
    const FunctionDecl* whole = nullptr;
    if (f != nullptr && f->hasBody(whole) && whole->getBody() != nullptr && seen_.insert(whole).second)
      TraverseStmt(whole->getBody());
    return true;
  }
  std::set<const FunctionDecl*> seen_;
};

}  // namespace

const std::set<const VarDecl*>& Origins::named_by(const FunctionDecl* kernel) {
  const auto [it, fresh] = named_.try_emplace(kernel);
  const FunctionDecl* whole = nullptr;
  if (fresh && kernel != nullptr && kernel->hasBody(whole) && whole->getBody() != nullptr) {
    Names names;
    names.TraverseStmt(whole->getBody());
    it->second = std::move(names.found);
  }
  return it->second;
}

// The objects that a launch may write to.
const std::set<uint32_t>& Origins::touched(const clang::CallExpr* call, uint32_t frame) {
  const auto [it, fresh] = touched_.try_emplace({call, frame});
  const auto l = calls_.find(call);
  if (!fresh || l == calls_.end()) return it->second;
  for (const Given& g : gather(*l->second, frame))
    if (!g.reads)
      for (const Atom& a : g.values.atoms)
        if (a.kind == Atom::address) it->second.insert(a.place.object);
  for (const VarDecl* v : named_by(l->second->kernel)) it->second.insert(walk_.variable(v, 0).object);
  return it->second;
}

std::string Origins::place(clang::SourceLocation at) const {
  const clang::SourceManager& sm = context_.getSourceManager();
  const clang::PresumedLoc p = sm.getPresumedLoc(sm.getExpansionLoc(at));
  if (p.isInvalid()) return "another place";
  return std::string(p.getFilename()) + ":" + std::to_string(p.getLine()) + ":" + std::to_string(p.getColumn());
}

namespace {

using Event = HostWalk::Event;
using Events = std::vector<Event>;

// Whoever comes to the launch has come by the reset: it stands in no branch that the launch is not in, and there is no
// label between them.
bool always_before(Events::const_iterator reset, Events::const_iterator launch) {
  return reset->branches.size() <= launch->branches.size() &&
         std::equal(reset->branches.begin(), reset->branches.end(), launch->branches.begin()) &&
         std::none_of(reset, launch,
                      [&](const Event& e) { return e.what == Event::label && e.frame == launch->frame; });
}

// The beginning of the capture in which the launch stands; the end of events: it is made where it stands.
Events::const_iterator capture_of(const Events& events, Events::const_iterator launch) {
  for (auto e = launch; e != events.begin();) {
    --e;
    if (e->what == Event::capture_begins) return e;
    if (e->what == Event::capture_ends) break;
  }
  return events.end();
}

// The variable or member that a call names as its stream; {}: another expression, which may be any stream.
std::optional<const clang::ValueDecl*> stream_of(const clang::CallExpr* call, const clang::ASTContext& context) {
  const clang::Expr* e = nullptr;
  const FunctionDecl* f = call->getDirectCallee();
  const bool named = f != nullptr && f->getIdentifier() != nullptr;
  if (const auto* k = clang::dyn_cast<clang::CUDAKernelCallExpr>(call)) {
    if (k->getConfig() != nullptr && k->getConfig()->getNumArgs() > 3) e = k->getConfig()->getArg(3);
  } else if (named && (f->getName() == "cudaLaunchKernel" || f->getName() == "cudaLaunchCooperativeKernel")) {
    if (call->getNumArgs() > 5) e = call->getArg(5);
  } else if (named && f->getName().ends_with("Async")) {
    if (call->getNumArgs() > 0) e = call->getArg(call->getNumArgs() - 1);
  } else if (named && f->getName().starts_with("cudaLaunchKernelEx")) {
    return std::nullopt;
  }
  if (e != nullptr)
    if (const auto* d = clang::dyn_cast<clang::CXXDefaultArgExpr>(e)) e = d->getExpr();
  if (e == nullptr || e->isNullPointerConstant(const_cast<clang::ASTContext&>(context),
                                               clang::Expr::NPC_ValueDependentIsNotNull) != clang::Expr::NPCK_NotNull)
    return nullptr;
  e = e->IgnoreParenImpCasts();
  if (const auto* d = clang::dyn_cast<clang::DeclRefExpr>(e)) return d->getDecl();
  if (const auto* m = clang::dyn_cast<clang::MemberExpr>(e)) return m->getMemberDecl();
  return std::nullopt;
}

// Of two calls: what the first does is done when the second begins, if it stands before it.
bool in_order(const clang::CallExpr* first, const clang::CallExpr* second, const clang::ASTContext& context) {
  const auto a = stream_of(first, context), b = stream_of(second, context);
  return a && b && *a == *b;
}

// Variables of a function that some expression names, and whether anything but taking their values is done to one of
// them between two places, or cannot be seen.
class Changed : public clang::RecursiveASTVisitor<Changed> {
 public:
  Changed(const clang::SourceManager& sm, std::set<const VarDecl*> of, clang::SourceLocation from,
          clang::SourceLocation to)
      : sm_(sm), of_(std::move(of)), from_(from), to_(to) {}
  bool shouldVisitLambdaBody() const { return true; }
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* e) {
    if (e->getCastKind() == clang::CK_LValueToRValue || e->getCastKind() == clang::CK_ArrayToPointerDecay)
      reads_.insert(e->getSubExpr()->IgnoreParens());
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* b) {
    if (b->isAssignmentOp() && outside(b)) reads_.insert(b->getLHS()->IgnoreParens());
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* u) {
    if (u->isIncrementDecrementOp() && outside(u)) reads_.insert(u->getSubExpr()->IgnoreParens());
    // cudaMalloc(&p, n): before.
    if (u->getOpcode() == clang::UO_AddrOf && outside(u)) reads_.insert(u->getSubExpr()->IgnoreParens());
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) {
    if (const auto* v = clang::dyn_cast<VarDecl>(e->getDecl()); v != nullptr && of_.contains(v)) uses_.push_back(e);
    return true;
  }
  bool any() const {
    return std::any_of(uses_.begin(), uses_.end(), [&](const clang::Expr* e) { return !reads_.contains(e); });
  }

 private:
  bool outside(const clang::Expr* e) const {
    const clang::SourceLocation at = sm_.getExpansionLoc(e->getBeginLoc());
    return sm_.isBeforeInTranslationUnit(at, sm_.getExpansionLoc(from_)) ||
           sm_.isBeforeInTranslationUnit(sm_.getExpansionLoc(to_), at);
  }
  const clang::SourceManager& sm_;
  std::set<const VarDecl*> of_;
  clang::SourceLocation from_, to_;
  std::set<const clang::Expr*> reads_;
  std::vector<const clang::DeclRefExpr*> uses_;
};

class Variables : public clang::RecursiveASTVisitor<Variables> {
 public:
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) {
    const auto* v = clang::dyn_cast<VarDecl>(e->getDecl());
    local = local &&
            (v == nullptr || (v->isLocalVarDeclOrParm() && !v->isStaticLocal() && !v->getType()->isReferenceType()));
    if (v != nullptr) all.insert(v);
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr*) { return local = false; }
  bool VisitCXXThisExpr(clang::CXXThisExpr*) { return local = false; }
  std::set<const VarDecl*> all;
  bool local = true;
};

// Whether a pointer parameter leads to nothing but what it points at: `*p`, `p[0]`, `atomicAdd(p, n)`.
class FirstElement : public clang::RecursiveASTVisitor<FirstElement> {
 public:
  explicit FirstElement(const clang::ParmVarDecl* p) : p_(p) {}
  bool shouldVisitLambdaBody() const { return true; }
  bool VisitUnaryOperator(clang::UnaryOperator* u) {
    if (u->getOpcode() == clang::UO_Deref) fits(u->getSubExpr());
    return true;
  }
  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr* s) {
    const auto* n = clang::dyn_cast<clang::IntegerLiteral>(s->getIdx()->IgnoreParenImpCasts());
    if (n != nullptr && n->getValue().isZero()) fits(s->getBase());
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* c) {
    const FunctionDecl* f = c->getDirectCallee();
    if (f != nullptr && f->getIdentifier() != nullptr && f->getName().starts_with("atomic") && c->getNumArgs() > 0)
      fits(c->getArg(0));
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) {
    uses_ += e->getDecl() == p_ ? 1 : 0;
    return true;
  }
  bool alone() const { return uses_ == fit_.size(); }

 private:
  void fits(const clang::Expr* e) {
    const auto* d = clang::dyn_cast<clang::DeclRefExpr>(e->IgnoreParenImpCasts());
    if (d != nullptr && d->getDecl() == p_) fit_.insert(d);
  }
  const clang::ParmVarDecl* p_;
  size_t uses_ = 0;
  std::set<const clang::DeclRefExpr*> fit_;
};

constexpr uint64_t k_all = ~uint64_t{0};

}  // namespace

// The same pointer at both places of one activation.
bool Origins::one_place(const clang::Expr* a, const clang::Expr* b, clang::SourceLocation from,
                        clang::SourceLocation to, uint32_t frame) const {
  const FunctionDecl* f = walk_.frame(frame).function;
  if (a == nullptr || b == nullptr || f == nullptr || f->getBody() == nullptr) return false;
  if (a->HasSideEffects(context_) || b->HasSideEffects(context_)) return false;
  llvm::FoldingSetNodeID x, y;
  a->Profile(x, context_, true);
  b->Profile(y, context_, true);
  if (x != y) return false;
  Variables variables;
  variables.TraverseStmt(const_cast<clang::Expr*>(a));
  if (!variables.local) return false;
  Changed changed(context_.getSourceManager(), variables.all, from, to);
  changed.TraverseStmt(f->getBody());
  return !changed.any();
}

// Bytes of the object, where they are a number.
std::optional<uint64_t> Origins::size_of(uint32_t object) const {
  const HostMemory::Object& o = walk_.memory[object];
  if (o.kind == ObjectKind::variable) {
    const clang::QualType t = static_cast<const clang::ValueDecl*>(o.what)->getType();
    if (t->isDependentType() || t->isIncompleteType() || t->isReferenceType()) return std::nullopt;
    return static_cast<uint64_t>(context_.getTypeSizeInChars(t).getQuantity());
  }
  const auto* made = o.kind == ObjectKind::device_memory
                         ? clang::dyn_cast_or_null<clang::CallExpr>(static_cast<const clang::Stmt*>(o.what))
                         : nullptr;
  const FunctionDecl* f = made != nullptr ? made->getDirectCallee() : nullptr;
  if (f == nullptr || f->getIdentifier() == nullptr || made->getNumArgs() < 2 || f->getName().contains("Pitch") ||
      f->getName() == "cudaMalloc3D")
    return std::nullopt;
  const auto size = walk_.number(made->getArg(1));
  return size && *size >= 0 ? std::optional(static_cast<uint64_t>(*size)) : std::nullopt;
}

// So many bytes from the place on that is given are cleared, where `so_far` were before.
uint64_t Origins::covers(const HostWalk::Event& reset, const Reach& given, const clang::CallExpr* launch,
                         uint64_t so_far) {
  const bool plain = reset.to != nullptr && reset.call != nullptr;
  std::optional<int64_t> ahead;  // of what is given, the reset begins
  if (reset.from && given.offset)
    ahead = static_cast<int64_t>(*reset.from) - static_cast<int64_t>(*given.offset);
  else if (plain && one_place(reset.to, given.e, reset.call->getBeginLoc(), launch->getBeginLoc(), reset.frame))
    ahead = 0;
  const auto size = size_of(reset.object);
  if (reset.from == 0 && (!reset.bytes || (size && *size <= *reset.bytes))) return k_all;
  if (!ahead) return so_far;
  if (*ahead > 0 && static_cast<uint64_t>(*ahead) > so_far) return so_far;
  if (!reset.bytes) return k_all;
  const int64_t end = *ahead + static_cast<int64_t>(*reset.bytes);
  return end > 0 ? std::max(so_far, static_cast<uint64_t>(end)) : so_far;
}

// Where the kernel uses no more than the first element, that is all in which it counts. Of memory that a caller gives
// who is not there, nothing says how much there is, and the reset is taken to be of all that matters.
uint64_t Origins::counted(const FoundLaunch& l, uint32_t parameter, uint32_t object) const {
  const FunctionDecl* whole = nullptr;
  if (l.kernel == nullptr || parameter >= l.kernel->getNumParams() || !l.kernel->hasBody(whole)) return k_all;
  const clang::ParmVarDecl* p = whole->getParamDecl(parameter);
  if (!p->getType()->isPointerType()) return k_all;
  const clang::QualType of = p->getType()->getPointeeType();
  if (of->isIncompleteType() || of->isDependentType()) return k_all;
  FirstElement first(p);
  first.TraverseStmt(whole->getBody());
  const bool known = first.alone() || walk_.memory[object].kind == ObjectKind::unseen;
  return known ? static_cast<uint64_t>(context_.getTypeSizeInChars(of).getQuantity()) : k_all;
}

Origins::Reach Origins::reach(const FoundLaunch& l, const Given& g, uint32_t object, uint32_t frame) {
  if (g.e != nullptr) {
    const clang::Expr* e = g.e->IgnoreParenCasts();
    return {walk_.offset(e, object, frame), e, counted(l, g.parameter, object)};
  }
  Reach out;
  for (const Atom& a : g.values.atoms) {
    if (a.kind != Atom::address || a.place.object != object) continue;
    const auto here = walk_.offset(a.place, {});
    if (!here || (out.offset && *out.offset != *here)) return {};
    out.offset = here;
  }
  return out;
}

Start Origins::start_of(uint32_t object, const Reach& given, const clang::CallExpr* call, uint32_t frame) {
  const auto counts = [&](const Event& e) {
    return e.what == Event::launched ? touched(e.call, e.frame).contains(object) : e.object == object;
  };
  const Events events = walk_.events;
  const auto own = std::find_if(events.begin(), events.end(), [&](const Event& e) {
    return e.what == Event::launched && e.call == call && e.frame == frame;
  });
  if (own == events.end()) return {.why = "what the host does before is not known"};
  const auto graphs =
      std::count_if(events.begin(), events.end(), [&](const Event& e) { return e.what == Event::graph_launched; });
  const bool graph_again =
      graphs > 1 || std::any_of(events.begin(), events.end(), [&](const Event& e) {
        return e.what == Event::graph_launched && (e.loop != nullptr || walk_.frame(e.frame).repeated);
      });
  const auto captured = graph_again ? capture_of(events, own) : events.end();
  const Event* before = nullptr;
  // What functions do that are called on the way stands between.
  const auto resets = [&](Events::const_iterator e) {
    const FunctionDecl* f = e->call != nullptr ? e->call->getDirectCallee() : nullptr;
    const bool waits = f == nullptr || f->getIdentifier() == nullptr || !f->getName().ends_with("Async");
    return e->frame == frame && e->loop == own->loop && always_before(e, own) &&
           (waits || in_order(e->call, call, context_));
  };
  const Event* missed = nullptr;
  uint64_t reset = 0;
  for (auto e = captured != events.end() ? captured : events.begin(); e != own; ++e) {
    if (!counts(*e)) continue;
    if (e->what != Event::cleared) {
      before = &*e;
      reset = 0;
      missed = nullptr;
    } else if (resets(e)) {
      reset = covers(*e, given, call, reset);
      missed = &*e;
    }
  }
  const std::optional<uint64_t> size = size_of(object);
  const bool rest = size && given.offset && *given.offset <= *size && reset >= *size - *given.offset;
  if (reset >= given.counted || (reset > 0 && rest)) return {};
  Start found = not_reset(object, call, frame, events, own, captured, before);
  if (found.why.empty() && missed != nullptr && reset == 0)
    found.why = "the reset at " + place(missed->at) + " does not reach it";
  return found;
}

// Why the object may hold something else than 0, where no reset before the launch says that it does not.
Start Origins::not_reset(uint32_t object, const clang::CallExpr* call, uint32_t frame, const Events& events,
                         Events::const_iterator own, Events::const_iterator captured, const Event* before) {
  const auto counts = [&](const Event& e) {
    return e.what == Event::launched ? touched(e.call, e.frame).contains(object) : e.object == object;
  };
  for (const Event& e : events)
    if (e.what == Event::set && counts(e)) return {.why = "the host sets it otherwise at " + place(e.at)};
  for (const Event& e : events)
    if (e.what == Event::launched && counts(e) && !in_order(e.call, call, context_))
      if (e.call != call || e.frame != frame || own->loop != nullptr || walk_.frame(frame).repeated)
        return {.why = "the launch at " + place(e.at) + ", which may be of another stream, is given it, too"};
  if (before != nullptr) return {.why = "the launch at " + place(before->at) + " was given it before", .again = true};
  if (captured != events.end())
    return {.why = "its graph is launched again, and no reset is seen in it", .again = true};
  if (own->loop != nullptr || walk_.frame(frame).repeated)
    return {.why = "the launch is made again, and no reset is seen before it", .again = true};
  for (const Event& e : events)
    if (e.what == Event::launched && (e.call != call || e.frame != frame) && counts(e))
      return {.why = "the launch at " + place(e.at) + " is given it, too", .again = true};
  if (walk_.memory[object].escaped) return {.why = "it is given to functions whose text is not there"};
  return {};
}

// Who else is given the object. Other kernels are known by the variable that they name; an object that is given by two
// parameters, or to another kernel by one, is not followed.
void Origins::find_others(uint32_t object, const FoundLaunch& l, Start& s) {
  if (!s.again) return;
  std::set<std::string> others;
  const std::vector<HostWalk::Event> events = walk_.events;
  for (const HostWalk::Event& e : events) {
    if (e.what != HostWalk::Event::launched || !touched(e.call, e.frame).contains(object)) continue;
    const auto found = calls_.find(e.call);
    const FunctionDecl* kernel = found == calls_.end() ? nullptr : found->second->kernel;
    const bool own =
        kernel != nullptr && l.kernel != nullptr && kernel->getCanonicalDecl() == l.kernel->getCanonicalDecl();
    s.again = s.again && kernel != nullptr && (own || !s.variable.empty());
    if (!s.again) return;
    for (const Given& g : gather(*found->second, e.frame))
      for (const Atom& a : g.values.atoms)
        if (a.kind == Atom::address && a.place.object == object)
          s.again = s.again && s.variable.empty() && g.parameter == s.parameter;
    if (!own) others.insert(clang::ASTNameGenerator(context_).getName(kernel));
  }
  s.others.assign(others.begin(), others.end());
}

void Origins::starts(const FoundLaunch& l, uint32_t frame, HostLaunch& out) {
  const auto add = [&](Start s) {
    const bool said = std::any_of(out.not_zero.begin(), out.not_zero.end(), [&](const Start& o) {
      return o.parameter == s.parameter && o.variable == s.variable && (o.again == s.again || !o.again);
    });
    if (!s.why.empty() && !said) out.not_zero.push_back(std::move(s));
  };
  for (const Given& g : gather(l, frame))
    for (const Atom& a : g.values.atoms) {
      if (a.kind != Atom::address || g.reads) continue;
      Start s = start_of(a.place.object, reach(l, g, a.place.object, frame), l.call, frame);
      s.parameter = g.parameter;
      find_others(a.place.object, l, s);
      add(std::move(s));
    }
  for (const VarDecl* v : named_by(l.kernel)) {
    const uint32_t object = walk_.variable(v, 0).object;
    Start s = start_of(object, {.offset = 0, .e = nullptr}, l.call, frame);
    const VarDecl* with = nullptr;
    const clang::Expr* first = v->getAnyInitializer(with);
    clang::Expr::EvalResult r;
    if (first != nullptr && (s.why.empty() || s.again) && !first->isValueDependent() && v->getType()->isIntegerType() &&
        !(first->EvaluateAsInt(r, context_) && r.Val.getInt().isZero()))
      s = {.why = "its first value is another one, at " + place(v->getLocation())};
    s.variable = v->getNameAsString();
    find_others(object, l, s);
    add(std::move(s));
  }
}

}  // namespace fencepost::clangfe
