// What a counter holds when a kernel starts. Proofs by the last block of a grid take it for 0; this file looks for what
// says otherwise: a first value, what the host puts there, and a launch before that counted in it.
//
// The host's code is gone over on all its ways (host_flow.h), with the bytes that are 0 at each place. In memory that
// nothing has touched the printed assumption stands; what others do at any time, or by text that is not there, ends it.
// Several calls of one function from outside are as many programs: then the assumption is its caller's.
//
// Work of the device is in order with other work where both are of one stream that is known to be one, or one is of the
// legacy stream and the other's stream was made to wait for it (CUDA C++ Programming Guide, "Explicit synchronization",
// "Default stream"), or the host has waited in between. What may be done beside the kernel leaves nothing known.
//
// A reset counts for the bytes that it clears (host_sizes.cpp), from the place on that the launch is given. Two places
// are held against each other by their distance from the beginning of the object, or as the same expression of
// variables that nothing changes in between.
#include <clang/AST/Attr.h>
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
  // Kernels follow pointers in the memory that they are given.
  for (const Given& g : gather(*l->second, frame))
    for (const Atom& a : g.values.atoms)
      if (a.kind == Atom::address)
        for (const uint32_t o : walk_.memory.reachable(a.place.object)) it->second.insert(o);
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

// The beginning of the capture in which the launch stands; the end of events: it is made where it stands.
Events::const_iterator capture_of(const Events& events, Events::const_iterator launch) {
  for (auto e = launch; e != events.begin();) {
    --e;
    if (e->what == Event::capture_begins) return e;
    if (e->what == Event::capture_ends) break;
  }
  return events.end();
}

// What a call names as its stream; null: none. `open`: it may be any.
const clang::Expr* stream_argument(const clang::CallExpr* call, bool& open) {
  const clang::Expr* e = nullptr;
  const FunctionDecl* f = call->getDirectCallee();
  const llvm::StringRef name = f != nullptr && f->getIdentifier() != nullptr ? f->getName() : "";
  if (const auto* k = clang::dyn_cast<clang::CUDAKernelCallExpr>(call)) {
    if (k->getConfig() != nullptr && k->getConfig()->getNumArgs() > 3) e = k->getConfig()->getArg(3);
  } else if (name == "cudaLaunchKernel" || name == "cudaLaunchCooperativeKernel") {
    if (call->getNumArgs() > 5) e = call->getArg(5);
  } else if (name == "cudaGraphLaunch") {
    if (call->getNumArgs() > 1) e = call->getArg(1);
  } else if (name == "cudaStreamSynchronize") {
    if (call->getNumArgs() > 0) e = call->getArg(0);
  } else if (name.contains("Async")) {
    if (call->getNumArgs() > 0) e = call->getArg(call->getNumArgs() - 1);
  } else if (!name.starts_with("cudaMem") && !name.starts_with("cuMem") && !name.starts_with("hipMem")) {
    open = true;
  }
  if (const auto* d = clang::dyn_cast_or_null<clang::CXXDefaultArgExpr>(e)) e = d->getExpr();
  return e;
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
  const clang::SourceManager& sm = context_.getSourceManager();
  // In a round before.
  if (sm.isBeforeInTranslationUnit(sm.getExpansionLoc(to), sm.getExpansionLoc(from))) {
    from = f->getBody()->getBeginLoc();
    to = f->getBody()->getEndLoc();
  }
  Changed changed(sm, variables.all, from, to);
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
  const auto size = walk_.amount(made->getArg(1), o.frame);
  return size && *size >= 0 ? std::optional(static_cast<uint64_t>(*size)) : std::nullopt;
}

// So many bytes from the place on that is given are cleared, where `so_far` were before.
uint64_t Origins::covers(const HostWalk::Event& reset, const Reach& given, const clang::CallExpr* launch,
                         uint32_t frame, uint64_t so_far) {
  const auto own = std::find_if(walk_.events.begin(), walk_.events.end(), [&](const Event& e) {
    return e.what == Event::launched && e.call == launch && e.frame == frame;
  });
  const bool plain = reset.to != nullptr && reset.call != nullptr && reset.frame == frame &&
                     own != walk_.events.end() && reset.loop == own->loop;
  const bool one = !walk_.made_in_rounds.contains(reset.object) && !walk_.memory[reset.object].several;
  std::optional<int64_t> ahead;  // of what is given, the reset begins
  if (one && reset.from && given.offset)
    ahead = static_cast<int64_t>(*reset.from) - static_cast<int64_t>(*given.offset);
  else if (plain && one_place(reset.to, given.e, reset.call->getBeginLoc(), launch->getBeginLoc(), reset.frame))
    ahead = 0;
  const auto size = size_of(reset.object);
  // `new int[n]()`, by the host
  const bool by_new =
      reset.call == nullptr && !reset.bytes && walk_.memory[reset.object].kind == ObjectKind::host_memory;
  const bool whole = by_new || (reset.bytes && size ? *size <= *reset.bytes : as_made(reset));
  if (whole && ((one && reset.from == 0) || ahead == 0)) return k_all;
  if (!ahead || !reset.bytes) return so_far;
  if (*ahead > 0 && static_cast<uint64_t>(*ahead) > so_far) return so_far;
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

// Of two pieces of work that begin one behind the other: the first is done when the second begins.
bool Origins::in_order(const HostWalk::Event& first, const HostWalk::Event& second) {
  if (by_host(first)) return true;
  if (by_host(second)) return false;
  const Stream a = stream_of(first), b = stream_of(second);
  return one_stream(first, second) || (a.legacy && b.blocking) || (b.legacy && a.blocking);
}

bool Origins::one_stream(const HostWalk::Event& first, const HostWalk::Event& second) {
  const Stream a = stream_of(first), b = stream_of(second);
  return (a.legacy && b.legacy) || (a.one && a.one == b.one);
}

// The host's own work is done at once.
bool Origins::by_host(const HostWalk::Event& e) const {
  if (e.what == Event::launched || e.what == Event::graph_launched) return false;
  const FunctionDecl* f = e.call != nullptr ? e.call->getDirectCallee() : nullptr;
  if (f == nullptr || f->getIdentifier() == nullptr) return true;
  const llvm::StringRef name = f->getName();
  return !name.starts_with("cu") && !name.starts_with("hip");
}

// The variable has one value for as long as the activation lasts: nothing sets it but what made it, and that once.
bool Origins::constant(const Place& p, uint32_t frame) const {
  const HostMemory::Object& o = walk_.memory[p.object];
  if (std::find(p.path.begin(), p.path.end(), k_any_element) != p.path.end() || o.escaped) return false;
  const bool own = o.kind == ObjectKind::variable;
  if (!own && o.kind != ObjectKind::unseen) return false;
  if (own && o.frame != 0 && walk_.frame(o.frame).repeated) return false;
  const size_t root = walk_.root_of(frame);
  unsigned sets = 0;
  for (const Event& e : walk_.events) {
    if ((e.what != Event::set && e.what != Event::cleared) || e.object != p.object) continue;
    if (!own && e.root != root) continue;  // before
    if (e.loop != nullptr || walk_.frame(e.frame).repeated) return false;
    ++sets;
  }
  return sets <= (own ? 1U : 0U);
}

const Origins::Stream& Origins::stream_of(const HostWalk::Event& e) {
  const auto [it, fresh] = streams_.try_emplace({e.call, e.frame});
  Stream& out = it->second;
  if (!fresh || e.call == nullptr) return out;
  bool open = false;
  const clang::Expr* s = stream_argument(e.call, open);
  if (open) return out;
  // Each thread of the host has one of its own instead.
  const bool per_thread = context_.Idents.get("CUDA_API_PER_THREAD_DEFAULT_STREAM").hadMacroDefinition();
  if (s == nullptr) {
    out.legacy = !per_thread;
    if (per_thread) out.one = Place{};
    out.blocking = true;
    return out;
  }
  if (const auto n = walk_.number(s->IgnoreParenCasts());
      n || s->IgnoreParenCasts()->isNullPointerConstant(context_, clang::Expr::NPC_ValueDependentIsNotNull) !=
               clang::Expr::NPCK_NotNull) {
    // cudaStreamLegacy, cudaStreamPerThread
    const bool own = n == 2 || (per_thread && n.value_or(0) == 0);
    out.legacy = !own && n.value_or(0) < 2;
    out.blocking = own || out.legacy;
    if (own) out.one = Place{};
    return out;
  }
  const Values v = walk_.loaded(s, e.frame);
  if (v.atoms.empty() && !v.unknown) {
    out.legacy = !per_thread;  // never given a value but 0
    if (per_thread) out.one = Place{};
    out.blocking = true;
    return out;
  }
  const auto made = [&](const Atom& a) { return walk_.streams.find(a.place.object); };
  out.blocking = !v.unknown && std::all_of(v.atoms.begin(), v.atoms.end(), [&](const Atom& a) {
    return made(a) != walk_.streams.end() && made(a)->second.blocking;
  });
  if (!v.unknown && v.atoms.size() == 1) {
    const Atom& a = *v.atoms.begin();
    const bool any = std::find(a.place.path.begin(), a.place.path.end(), k_any_element) != a.place.path.end();
    const bool unseen = walk_.memory[a.place.object].kind == ObjectKind::unseen && !any;
    if (unseen || (made(a) != walk_.streams.end() && made(a)->second.one)) {
      out.one = a.place;
      return out;
    }
  }
  if (const clang::Expr* of = s->IgnoreParenImpCasts(); of->isGLValue()) {
    const Places at = walk_.places(of, e.frame);
    if (at.all.size() == 1 && !at.unknown && constant(*at.all.begin(), e.frame)) out.one = *at.all.begin();
  }
  return out;
}

Start Origins::start_of(uint32_t object, const Reach& given, const clang::CallExpr* call, uint32_t frame) {
  const Events& events = walk_.events;
  const auto counts = [&](const Event& e) {
    if (e.what == Event::launched) return touched(e.call, e.frame).contains(object);
    return (e.what == Event::set || e.what == Event::cleared) && e.object == object;
  };
  const auto is_own = [&](const Event& e) { return e.what == Event::launched && e.call == call && e.frame == frame; };
  const auto own = std::find_if(events.begin(), events.end(), is_own);
  const Start not_known{.why = "what the host does before is not known"};
  if (own == events.end()) return not_known;
  const HostMemory::Object o = walk_.memory[object];
  const bool of_device = of_the_device(object);
  if (!walk_.comes_back.empty()) return {.why = walk_.comes_back};
  if (of_device && walk_.symbols_by_name) return {.why = "the host asks for a variable of the device by its name"};
  if (of_device && walk_.memory.doubtful.contains(static_cast<const clang::ValueDecl*>(o.what)->getIdentifier()))
    return {.why = "its name stands in text that is not followed"};
  // Captured work is done where its graph is launched.
  const Events::const_iterator captured = capture_of(events, own);
  std::vector<const Event*> graphs;
  for (const Event& e : events)
    if (e.what == Event::graph_launched) graphs.push_back(&e);
  const bool graph_again = captured != events.end() &&
                           (graphs.size() != 1 || graphs[0]->loop != nullptr || walk_.frame(graphs[0]->frame).repeated);
  if (captured != events.end())
    for (const Event* a : graphs)
      for (const Event* b : graphs)
        if (graph_again && !in_order(*a, *b))
          return {.why = "its graph is launched at " + place(b->at) + " in what may be another stream"};
  const bool several = o.several || walk_.made_in_rounds.contains(object);
  std::vector<bool> concerns(events.size()), only(events.size());
  std::vector<uint32_t> counted;
  const bool captures =
      std::any_of(events.begin(), events.end(), [](const Event& e) { return e.what == Event::capture_begins; });
  for (size_t n = 0; n < events.size(); ++n) {
    const Event& e = events[n];
    const auto here = events.begin() + static_cast<ptrdiff_t>(n);
    only[n] = counts(e);
    concerns[n] = only[n] || e.what == Event::synced || (e.what == Event::device && !several) ||
                  (graph_again && here == captured);
    if (!only[n]) continue;
    counted.push_back(static_cast<uint32_t>(n));
    const auto in = captures ? capture_of(events, here) : events.end();
    const bool behind = captured != events.end() && in == events.end() && own < here;
    if ((in != events.end() && in != captured) || behind)
      return {.why = "what is done at " + place(e.at) + " has no order with a graph"};
  }
  Standing at_start;
  uint32_t clash = k_no_event;
  const auto done = [&](uint32_t n, Standing& s) {
    const Event& e = events[n];
    if (e.what == Event::capture_begins) {
      s.first = false;
      s.zero = 0;
      s.by = s.missed = k_no_event;
      s.running.clear();
      s.elsewhere.clear();
      return;
    }
    if (e.what == Event::device) {
      s.elsewhere = s.running;
      return;
    }
    if (e.what == Event::synced) {
      const FunctionDecl* f = e.call->getDirectCallee();
      const bool all = f->getName() != "cudaStreamSynchronize";
      std::erase_if(s.running,
                    [&](uint32_t r) { return !s.elsewhere.contains(r) && (all || one_stream(events[r], e)); });
      return;
    }
    std::set<uint32_t> beside;
    for (const uint32_t r : s.running)
      if (!in_order(events[r], e) || (s.elsewhere.contains(r) && (stream_of(e).legacy || stream_of(events[r]).legacy)))
        beside.insert(r);
    if (is_own(e)) {
      at_start.join(s);
      if (!beside.empty()) clash = *beside.begin();
    } else if (std::any_of(beside.begin(), beside.end(), [&](uint32_t r) { return is_own(events[r]); })) {
      clash = n;
    }
    if (e.what == Event::cleared && beside.empty()) {
      // How much a caller gives who is not there is his to say, and so is that it is 0.
      const bool callers = o.kind == ObjectKind::unseen && !e.bytes;
      const uint64_t before = s.first && !of_device && !callers ? 0 : s.zero;
      s.zero = covers(e, given, call, frame, before);
      if (s.zero == 0) s.missed = n;
    } else {
      s.zero = 0;
      s.by = n;
      s.missed = k_no_event;
    }
    s.first = false;
    s.running = std::move(beside);
    if (!by_host(e)) s.running.insert(n);
    s.elsewhere.erase(n);
    std::erase_if(s.elsewhere, [&](uint32_t r) { return !s.running.contains(r); });
  };
  const Ways aside(walk_.flow, only, nullptr);
  Ways ways(walk_.flow, concerns, done);
  const size_t home = walk_.root_of(o.frame);
  for (size_t r = 0; r < walk_.flow.roots.size(); ++r) {
    const HostFlow::Root& root = walk_.flow.roots[r];
    // What an activation makes for itself is none of its other activations'.
    const bool by_itself = o.kind == ObjectKind::device_memory && o.frame != 0 && home == r;
    const uint32_t by_others = root.by_others && !by_itself ? aside.event_in(root.sequence) : k_no_event;
    if (const uint32_t n = by_others != k_no_event ? by_others : aside.done_aside(root.sequence); n != k_no_event)
      return {.why = "what is done at " + place(events[n].at) + " may be done at any time"};
    if (!aside.touches(root.sequence)) continue;
    Standing first{.reached = true, .first = true, .zero = k_all};
    for (const uint32_t n : counted)
      if (events[n].what != Event::cleared && (events[n].root != r || (root.sometimes && !by_itself))) {
        first = {.reached = true, .first = false, .zero = 0, .by = n};
        break;
      }
    if (!ways.go_over(root.sequence, first)) return not_known;
  }
  if (clash != k_no_event)
    return {.why = (events[clash].what == Event::launched ? "the launch at " : "what is done at ") +
                   place(events[clash].at) + ", which may be of another stream" +
                   (events[clash].what == Event::launched ? ", is given it, too" : ", may be done beside it")};
  if (!at_start.reached) return not_known;
  if (o.escaped) return {.why = "it is given to functions whose text is not there"};
  const std::optional<uint64_t> size = size_of(object);
  const bool rest = size && given.offset && *given.offset <= *size && at_start.zero >= *size - *given.offset;
  if (at_start.zero >= given.counted || (at_start.zero > 0 && rest)) return {};
  const Event* before = at_start.by != k_no_event ? &events[at_start.by] : nullptr;
  Start found = not_reset(object, call, frame, own, graph_again, before);
  if (found.why.empty() && at_start.missed != k_no_event)
    found.why = "the reset at " + place(events[at_start.missed].at) + " does not reach it";
  return found.why.empty() ? not_known : found;
}

bool Origins::of_the_device(uint32_t object) const {
  const HostMemory::Object& o = walk_.memory[object];
  const auto* d = o.kind == ObjectKind::variable ? static_cast<const clang::ValueDecl*>(o.what) : nullptr;
  return d != nullptr && (d->hasAttr<clang::CUDADeviceAttr>() || d->hasAttr<clang::HIPManagedAttr>());
}

// Why the object may hold something else than 0, where no reset before the launch says that it does not.
Start Origins::not_reset(uint32_t object, const clang::CallExpr* call, uint32_t frame, Events::const_iterator own,
                         bool graph_again, const Event* before) {
  const Events& events = walk_.events;
  const auto counts = [&](const Event& e) {
    if (e.what == Event::launched) return touched(e.call, e.frame).contains(object);
    return e.object == object;
  };
  for (const Event& e : events)
    if (e.what == Event::set && counts(e)) return {.why = "the host sets it otherwise at " + place(e.at)};
  const bool repeated = own->loop != nullptr || walk_.frame(frame).repeated;
  for (const Event& e : events)
    if (e.what == Event::launched && counts(e) && !(in_order(e, *own) && in_order(*own, e)))
      if (e.call != call || e.frame != frame || repeated)
        return {.why = "the launch at " + place(e.at) + ", which may be of another stream, is given it, too"};
  if (graph_again) return {.why = "its graph is launched again, and no reset is seen in it", .again = true};
  if (before != nullptr && before->what == Event::launched && before->call != call)
    return {.why = "the launch at " + place(before->at) + " was given it before", .again = true};
  if (repeated) return {.why = "the launch is made again, and no reset is seen before it", .again = true};
  for (const Event& e : events)
    if (e.what == Event::launched && (e.call != call || e.frame != frame) && counts(e))
      return {.why = "the launch at " + place(e.at) + " is given it, too", .again = true};
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
    s.variable = v->getNameAsString();
    find_others(object, l, s);
    add(std::move(s));
  }
}

}  // namespace fencepost::clangfe
