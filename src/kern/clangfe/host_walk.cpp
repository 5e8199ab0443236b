#include "clangfe/host_walk.h"

#include <clang/AST/Attr.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>
#include <utility>

#include "clangfe/stand_ins.h"

namespace fencepost::clangfe {

using clang::Expr;
using clang::FunctionDecl;
using clang::VarDecl;

namespace {

constexpr unsigned k_deep = 16;         // calls
constexpr size_t k_most_frames = 3000;  // beyond it a function has one activation for all calls
constexpr unsigned k_most_passes = 24;

// Functions that something names, so that a call may come to them which is not seen as one.
class Named : public clang::RecursiveASTVisitor<Named> {
 public:
  // `of_types`: in a pattern, calls are not resolved either.
  explicit Named(bool of_types = false) : of_types_(of_types) {}
  bool shouldVisitLambdaBody() const { return true; }
  bool VisitCallExpr(clang::CallExpr* c) {
    if (c->getCallee() != nullptr) called_.insert(c->getCallee()->IgnoreParenImpCasts());
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) { return use(e->getDecl(), e); }
  bool VisitMemberExpr(clang::MemberExpr* e) { return use(e->getMemberDecl(), e); }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* e) { return use(e->getConstructor(), nullptr); }
  bool VisitOverloadExpr(clang::OverloadExpr* e) {
    if (!called_.contains(e) || of_types_)
      for (const clang::NamedDecl* d : e->decls()) any_of(d->getUnderlyingDecl());
    return true;
  }
  std::set<const FunctionDecl*> all;
  std::map<const Expr*, const FunctionDecl*> taken;  // by the words that name it, and call nothing
  std::set<const FunctionDecl*> overloaded;          // one of several, and it is not known which

 private:
  bool use(const clang::ValueDecl* d, const Expr* e) {
    const auto* f = clang::dyn_cast<FunctionDecl>(d);
    if (f == nullptr) return true;
    all.insert(f->getCanonicalDecl());
    // A call is visited before what it calls.
    if (e != nullptr && !called_.contains(e)) taken.emplace(e, f);
    return true;
  }
  void any_of(const clang::NamedDecl* d) {
    if (const auto* f = clang::dyn_cast<FunctionDecl>(d)) overloaded.insert(f);
    if (const auto* t = clang::dyn_cast<clang::FunctionTemplateDecl>(d))
      for (const FunctionDecl* f : t->specializations()) overloaded.insert(f);
  }
  bool of_types_;
  std::set<const Expr*> called_;
};

}  // namespace

bool on_device_only(const FunctionDecl* f) {
  return f->hasAttr<clang::CUDAGlobalAttr>() ||
         (f->hasAttr<clang::CUDADeviceAttr>() && !f->hasAttr<clang::CUDAHostAttr>());
}

const FunctionDecl* body_of(const FunctionDecl* f) {
  const FunctionDecl* whole = nullptr;
  return f != nullptr && f->hasBody(whole) && whole->getBody() != nullptr ? whole : nullptr;
}

bool HostWalk::run(const std::vector<const FunctionDecl*>& hosts, const std::vector<const VarDecl*>& variables,
                   const std::vector<FoundLaunch>& launches) {
  variables_ = variables;
  Named named;
  for (const FunctionDecl* f : hosts) {
    named.TraverseStmt(f->getBody());
    if (const auto* c = clang::dyn_cast<clang::CXXConstructorDecl>(f))
      for (const clang::CXXCtorInitializer* i : c->inits()) named.TraverseStmt(i->getInit());
    if (!on_device_only(f)) hosts_.push_back(f);
  }
  for (const VarDecl* v : variables)
    if (v->hasInit()) named.TraverseStmt(const_cast<Expr*>(v->getInit()));
  for (const FoundLaunch& l : launches) {
    launches_.emplace(l.call, &l);
    if (l.host != nullptr && l.host->hasAttr<clang::CUDAGlobalAttr>())
      launching_kernels_.insert(l.host->getCanonicalDecl());
  }
  const auto never_named = [&](const FunctionDecl* f) {
    const auto* m = clang::dyn_cast<clang::CXXMethodDecl>(f);
    return !named.all.contains(f->getCanonicalDecl()) && !f->isUsed() && (m == nullptr || !m->isVirtual());
  };
  for (const FunctionDecl* f : hosts_) {
    if (never_named(f)) roots_.emplace_back(f, true);
    // A call that the tree lacks, perhaps by another thread.
    if (f->getIdentifier() != nullptr && memory.doubtful.contains(f->getIdentifier())) memory.loose_functions.insert(f);
    // What a base class calls whose text is not there.
    const auto* m = clang::dyn_cast<clang::CXXMethodDecl>(f);
    if (m != nullptr && m->isVirtual() &&
        (!clang::isa<clang::CXXDestructorDecl>(m) || m->size_overridden_methods() > 0))
      memory.loose_functions.insert(f);
    // `operator new` for all of the program: libraries allocate, too.
    if (f->isReplaceableGlobalAllocationFunction()) memory.loose_functions.insert(f);
  }
  for (const FunctionDecl* f : named.overloaded)
    if (!on_device_only(f)) memory.loose_functions.insert(f);
  memory.loose_functions.insert(given.functions.begin(), given.functions.end());
  if (given.not_followed || given.second_name) {
    not_followed_at = given.not_followed;
    return false;
  }
  // Kernels that launch are gone over where they are launched; then those that no call came to.
  for (unsigned round = 0; round < k_most_passes; ++round) {
    do {
      memory.changed = false;
      pass();
    } while (memory.changed && pass_ < k_most_passes);
    bool more = false;
    // Where the walk does not come to the words that take a function's address, anybody may have it.
    for (const auto& [e, f] : named.taken)
      if (!named_.contains(e) && !on_device_only(f) && memory.loose_functions.insert(f).second)
        more = memory.changed = true;
    for (const FunctionDecl* f : hosts)
      if (!entered_.contains(f->getCanonicalDecl()) &&
          (!on_device_only(f) || launching_kernels_.contains(f->getCanonicalDecl()))) {
        // What is used, and by no name in the text, may be run at any time.
        if (f->isUsed() && !named.all.contains(f->getCanonicalDecl()) && !on_device_only(f))
          memory.loose_functions.insert(f);
        else
          roots_.emplace_back(f, f->hasAttr<clang::CUDAGlobalAttr>());
        entered_.insert(f->getCanonicalDecl());
        more = memory.changed = true;
      }
    if (!more || pass_ >= k_most_passes) break;
  }
  flow.closed = true;
  return !memory.changed && came_to_all();
}

void HostWalk::pass() {
  ++pass_;
  events.clear();
  flow.clear();
  streams.clear();
  made_in_rounds.clear();
  loop_ = nullptr;
  flow.roots.push_back({});
  flow.roots.back().sequence = flow.within([&] {
    for (const VarDecl* v : variables_)
      if (v->hasInit() && v->getInit() != nullptr && v->getTSCSpec() == clang::TSCS_unspecified) declare(v, 0);
    // Each thread has its own, and makes it some time before the first use.
    for (const VarDecl* v : variables_)
      if (v->hasInit() && v->getInit() != nullptr && v->getTSCSpec() != clang::TSCS_unspecified)
        flow.add({.kind = Step::aside, .parts = {flow.within([&] { declare(v, 0); })}});
  });
  for (size_t k = 0; k < roots_.size(); ++k) root(roots_[k].first, 0, roots_[k].second);
  const std::set<const FunctionDecl*> loose = memory.loose_functions;
  for (const FunctionDecl* f : loose)
    if (const FunctionDecl* whole = body_of(f)) root(whole, 0, false, true);
  const std::set<uint32_t> closures = memory.loose_closures;
  for (const uint32_t c : closures) {
    const auto* l = static_cast<const clang::LambdaExpr*>(memory[c].what);
    if (const FunctionDecl* whole = body_of(l->getCallOperator())) root(whole, memory[c].frame, false, true);
    // One for any types: what its instances and its pattern name is called with it.
    const clang::FunctionTemplateDecl* t = l->getDependentCallOperator();
    if (t == nullptr) continue;
    for (const FunctionDecl* f : t->specializations())
      if (const FunctionDecl* whole = body_of(f)) root(whole, memory[c].frame, false, true);
    Named named(true);
    named.TraverseStmt(l->getCallOperator()->getBody());
    named.all.insert(named.overloaded.begin(), named.overloaded.end());
    for (const FunctionDecl* f : named.all)
      if (!on_device_only(f)) memory.changed = memory.loose_functions.insert(f).second || memory.changed;
  }
}

// A function of which no call is seen.
void HostWalk::root(const FunctionDecl* f, uint32_t around, bool unseen, bool by_others) {
  entered_.insert(f->getCanonicalDecl());
  const uint32_t n = activation(unseen ? this : nullptr, f, 0, around);
  frames_[n].several = true;
  frames_[n].repeated = !unseen;
  const auto given = [&](const void* what) {
    Values v{.unknown = !unseen};
    if (unseen) v.atoms.insert({Atom::address, {memory.object(ObjectKind::unseen, what, 0), {}}, nullptr});
    return v;
  };
  for (const clang::ParmVarDecl* p : f->parameters()) {
    const Place at = variable(p, n);
    const clang::QualType t = p->getType();
    if (!unseen) {
      memory.store(at, {.unknown = true});
    } else if (t->isPointerType()) {
      memory.store(at, {.atoms = {{Atom::address, {memory.object(ObjectKind::unseen, p, 0), {element(0)}}, nullptr}}});
    } else if (t->isReferenceType()) {
      memory.store(at, given(p));
    } else if (t->isRecordType()) {
      memory.store(at, {.atoms = {{Atom::copy, {memory.object(ObjectKind::unseen, p, 0), {}}, nullptr}}});
    } else {
      memory.store(at, {.unknown = true});
    }
  }
  if (const auto* m = clang::dyn_cast<clang::CXXMethodDecl>(f); m != nullptr && m->isInstance() && around == 0)
    frames_[n].self = given(m->getParent()->getCanonicalDecl());
  // Many threads of the device run what a kernel launches.
  const size_t own = flow.roots.size();
  roots_of_[n] = own;
  flow.roots.push_back({.sometimes = !unseen, .by_others = by_others || on_device_only(f)});
  const uint32_t sequence = flow.within([&] { go_over(n); });
  flow.roots[own].sequence = sequence;
  if (!unseen) memory.escape(memory.read({memory.object(ObjectKind::result, f, n), {}}));  // whoever calls it has it
}

size_t HostWalk::root_of(uint32_t frame) const {
  while (frame != 0 && frames_[frame].caller != 0) frame = frames_[frame].caller;
  const auto it = roots_of_.find(frame);
  return it == roots_of_.end() ? 0 : it->second;
}

uint32_t HostWalk::activation(const void* site, const FunctionDecl* f, uint32_t caller, uint32_t around) {
  const bool recursive = std::find(active_.begin(), active_.end(), f) != active_.end();
  const bool shared = recursive || frames_[caller].depth >= k_deep || frames_.size() >= k_most_frames;
  const auto key =
      shared ? std::tuple(static_cast<const void*>(nullptr), f, 0u, around) : std::tuple(site, f, caller, around);
  const auto [it, fresh] = activations_.try_emplace(key, static_cast<uint32_t>(frames_.size()));
  if (fresh) {
    frames_.push_back({.function = f, .around = around, .caller = caller, .depth = frames_[caller].depth + 1});
    walked_.resize(frames_.size());
    memory.changed = true;
  }
  if (shared) frames_[it->second].several = frames_[it->second].repeated = true;
  if (loop_ != nullptr || frames_[caller].repeated) frames_[it->second].repeated = true;
  return it->second;
}

void HostWalk::go_over(uint32_t n) {
  // An expression that is looked at twice calls once.
  const bool again = !frames_[n].several && std::any_of(flow.now().begin(), flow.now().end(), [&](const Step& s) {
    return s.kind == Step::call && s.number == n;
  });
  if (!again) flow.add({.kind = Step::call, .number = n});
  if (walked_[n] == pass_) return;
  walked_[n] = pass_;
  const FunctionDecl* f = frames_[n].function;
  if (given.objects) memory.escape(frames_[n].self);
  entered_.insert(f->getCanonicalDecl());
  active_.push_back(f);
  const clang::Stmt* around = std::exchange(loop_, nullptr);
  const uint32_t body = flow.within([&] {
    if (const auto* c = clang::dyn_cast<clang::CXXConstructorDecl>(f)) {
      const Places self = addressed(frames_[n].self);
      for (const clang::CXXCtorInitializer* i : c->inits())
        for (const Place& p : self.all) {
          const clang::FieldDecl* field = i->getAnyMember();
          const Places at = field != nullptr ? fields({{p}}, field) : Places{{p}};
          for (const Place& q : at.all)
            init(q,
                 field != nullptr         ? field->getType()
                 : i->isBaseInitializer() ? clang::QualType(i->getBaseClass(), 0)
                                          : context_.getRecordType(c->getParent()),
                 i->getInit(), n);
        }
    }
    if (unread.without_return.contains(f))
      part_of(f, n);
    else
      statement(f->getBody(), n);
    if (const auto* d = clang::dyn_cast<clang::CXXDestructorDecl>(f))
      end_parts(addressed(frames_[n].self), d->getParent(), n);
  });
  flow.body(n, body);
  loop_ = around;
  active_.pop_back();
}

const std::set<uint32_t>& HostWalk::frames_of(const clang::CallExpr* launch) const {
  static const std::set<uint32_t> none;
  const auto it = reached_.find(launch);
  return it == reached_.end() ? none : it->second;
}

// ---- places ------------------------------------------------------------------------------------------------------

Place HostWalk::with(Place p, const void* step) {
  p.path.push_back(step);
  return p;
}

Places HostWalk::addressed(const Values& v) {
  Places out{.unknown = v.unknown};
  for (const Atom& a : v.atoms)
    if (a.kind == Atom::address)
      out.all.insert(a.place);
    else
      out.unknown = true;
  return out;
}

Values HostWalk::addresses(const Places& p) {
  Values out{.unknown = p.unknown};
  for (const Place& x : p.all) out.atoms.insert({Atom::address, x, nullptr});
  return out;
}

// Steps of a pointer stay in its array; beside a single variable they lead nobody knows where, and to the other members
// of what it is a part of (`(&x)[i]`, `container_of`).
Values HostWalk::shifted(const Values& v, std::optional<int64_t> by) {
  Values out{.unknown = v.unknown};
  for (Atom a : v.atoms) {
    if (a.kind == Atom::address && by != 0) {
      if (a.place.path.empty() || !is_element(a.place.path.back())) {
        out.unknown = true;
        memory.escape({.atoms = {{Atom::address, {a.place.object, {}}, nullptr}}});
      } else {
        const void*& last = a.place.path.back();
        const auto at = static_cast<int64_t>(reinterpret_cast<uintptr_t>(last) / 2);
        last = last == k_any_element || !by || at + *by < 0 ? k_any_element : element(static_cast<uint64_t>(at + *by));
      }
    }
    out.atoms.insert(std::move(a));
  }
  return out;
}

Places HostWalk::fields(Places whole, const clang::FieldDecl* f) const {
  if (f->getParent()->isUnion()) return whole;
  Places out{.unknown = whole.unknown};
  for (const Place& p : whole.all) out.all.insert(with(p, f));
  return out;
}

std::optional<int64_t> HostWalk::number(const Expr* e) const {
  Expr::EvalResult r;
  if (e->isValueDependent() || e->containsErrors() || !e->getType()->isIntegralOrEnumerationType() ||
      !e->EvaluateAsInt(r, context_) || r.Val.getInt().getSignificantBits() > 40 || rests_on_stand_ins(context_, e))
    return std::nullopt;
  return r.Val.getInt().getExtValue();
}

std::optional<uint64_t> HostWalk::offset(const Place& p, clang::QualType of) const {
  uint64_t bytes = 0;
  for (size_t n = 0; n < p.path.size(); ++n) {
    const void* step = p.path[n];
    if (step == k_any_element) return std::nullopt;
    if (!is_element(step)) {
      const auto* f = static_cast<const clang::FieldDecl*>(step);
      const clang::RecordDecl* r = f->getParent();
      if (r->isInvalidDecl() || r->isDependentContext() || r->getDefinition() == nullptr || f->isBitField())
        return std::nullopt;
      bytes += context_.getFieldOffset(f) / 8;
      continue;
    }
    const uint64_t k = reinterpret_cast<uintptr_t>(step) / 2;
    if (k == 0) continue;
    if (n + 1 < p.path.size() || of.isNull() || of->isIncompleteType() || of->isDependentType() || k > 1u << 30)
      return std::nullopt;
    bytes += k * context_.getTypeSizeInChars(of).getQuantity();
  }
  return bytes;
}

std::optional<uint64_t> HostWalk::offset(const Expr* pointer, uint32_t object, uint32_t frame) {
  const clang::QualType t = pointer->getType();
  if (!t->isPointerType() && !t->isArrayType()) return std::nullopt;
  const clang::QualType of =
      t->isPointerType() ? t->getPointeeType() : clang::QualType(t->getArrayElementTypeNoTypeQual(), 0);
  const Values v = loaded(pointer, frame);
  std::optional<uint64_t> found;
  for (const Atom& a : v.atoms) {
    if (a.kind != Atom::address || a.place.object != object) continue;
    const std::optional<uint64_t> here = offset(a.place, of);
    if (!here || (found && *found != *here)) return std::nullopt;
    found = here;
  }
  return found;
}

Place HostWalk::variable(const VarDecl* v, uint32_t frame) {
  const auto* what = static_cast<const clang::ValueDecl*>(v);
  if (v->hasGlobalStorage())  // `extern` in a function, too
    return {memory.object(ObjectKind::variable, static_cast<const clang::ValueDecl*>(v->getCanonicalDecl()), 0), {}};
  const auto* context = clang::dyn_cast_or_null<FunctionDecl>(v->getParentFunctionOrMethod());
  const auto is = [&](uint32_t f) {
    if (context == nullptr) return false;
    const FunctionDecl* pattern = frames_[f].function->getTemplateInstantiationPattern();
    return frames_[f].function->getCanonicalDecl() == context->getCanonicalDecl() ||
           (pattern != nullptr && pattern->getCanonicalDecl() == context->getCanonicalDecl());
  };
  uint32_t own = frame;
  while (own != 0 && !is(own)) own = frames_[own].around;
  // `[c = p]`: a variable of the lambda's function that holds what it got where the lambda was made.
  if (!v->isInitCapture())
    frame = own;
  else if (own != 0)
    frame = frames_[own].around;
  return {memory.object(ObjectKind::variable, what, frame), {}};
}

Places HostWalk::places(const Expr* e, uint32_t frame) {
  e = e->IgnoreParens();
  if (e->getType().isNull()) {
    other(e, frame);
    return {.unknown = true};
  }
  if (const auto* x = clang::dyn_cast<clang::FullExpr>(e)) return places(x->getSubExpr(), frame);
  if (const auto* x = clang::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(e))
    return places(x->getReplacement(), frame);
  if (const auto* x = clang::dyn_cast<clang::OpaqueValueExpr>(e); x != nullptr && x->getSourceExpr() != nullptr)
    return places(x->getSourceExpr(), frame);
  if (const auto* x = clang::dyn_cast<clang::CXXDefaultArgExpr>(e)) return places(x->getExpr(), frame);
  if (const auto* d = clang::dyn_cast<clang::DeclRefExpr>(e)) {
    if (const auto* b = clang::dyn_cast<clang::BindingDecl>(d->getDecl()); b != nullptr && b->getBinding() != nullptr)
      return places(b->getBinding(), frame);
    const auto* v = clang::dyn_cast<VarDecl>(d->getDecl());
    if (v == nullptr) return {.unknown = true};
    const Place at = variable(v, frame);
    return v->getType()->isReferenceType() ? addressed(memory.read(at)) : Places{{at}};
  }
  if (const auto* m = clang::dyn_cast<clang::MemberExpr>(e)) {
    if (const auto* v = clang::dyn_cast<VarDecl>(m->getMemberDecl())) {
      value(m->getBase(), frame);
      return {{variable(v, 0)}};
    }
    const auto* f = clang::dyn_cast<clang::FieldDecl>(m->getMemberDecl());
    const Places whole = m->isArrow() ? addressed(value(m->getBase(), frame)) : places(m->getBase(), frame);
    if (f == nullptr) return {.unknown = true};
    Places at = fields(whole, f);
    return f->getType()->isReferenceType() ? addressed(read(at)) : at;
  }
  if (const auto* s = clang::dyn_cast<clang::ArraySubscriptExpr>(e)) {
    const Values by = value(s->getIdx(), frame);
    return addressed(stepped(value(s->getBase(), frame), by, number(s->getIdx())));
  }
  if (const auto* u = clang::dyn_cast<clang::UnaryOperator>(e)) {
    if (u->getOpcode() == clang::UO_Deref) return addressed(value(u->getSubExpr(), frame));
    if (u->isPrefix() && u->isIncrementDecrementOp()) {
      unary(u, frame);
      return places(u->getSubExpr(), frame);
    }
    if (u->getOpcode() == clang::UO_Extension) return places(u->getSubExpr(), frame);
  }
  if (const auto* b = clang::dyn_cast<clang::BinaryOperator>(e)) {
    if (b->getOpcode() == clang::BO_Comma) {
      value(b->getLHS(), frame);
      return places(b->getRHS(), frame);
    }
    if (b->isAssignmentOp()) {
      binary(b, frame);
      return places(b->getLHS(), frame);
    }
  }
  if (const auto* c = clang::dyn_cast<clang::AbstractConditionalOperator>(e)) {
    value(c->getCond(), frame);
    Places out, more;
    choose([&] { out = places(c->getTrueExpr(), frame); }, [&] { more = places(c->getFalseExpr(), frame); });
    out.all.insert(more.all.begin(), more.all.end());
    out.unknown = out.unknown || more.unknown;
    return out;
  }
  if (const auto* m = clang::dyn_cast<clang::MaterializeTemporaryExpr>(e)) return {{copied(m->getSubExpr(), frame)}};
  if (const auto* c = clang::dyn_cast<clang::CastExpr>(e); c != nullptr && e->isGLValue()) {
    switch (c->getCastKind()) {
      case clang::CK_NoOp:
      case clang::CK_LValueBitCast:
      case clang::CK_DerivedToBase:
      case clang::CK_UncheckedDerivedToBase:
      case clang::CK_BaseToDerived:
      case clang::CK_Dynamic:
        return places(c->getSubExpr(), frame);
      default:
        break;
    }
  }
  if (const auto* c = clang::dyn_cast<clang::CallExpr>(e); c != nullptr && e->isGLValue())
    return addressed(call(c, frame));
  if (clang::isa<clang::StringLiteral>(e)) return {{{memory.object(ObjectKind::temporary, e, 0), {}}}};
  if (clang::isa<clang::CompoundLiteralExpr>(e))
    return {{copied(clang::cast<clang::CompoundLiteralExpr>(e)->getInitializer(), frame)}};
  if (e->isPRValue() && e->getType()->isRecordType()) return {{copied(e, frame)}};
  other(e, frame);
  return {.unknown = true};
}

Place HostWalk::copied(const Expr* e, uint32_t frame) {
  Place at{memory.object(ObjectKind::temporary, e, frame), {}};
  if (e->getType().isNull())
    memory.store(at, other(e, frame));
  else if (e->isGLValue())
    memory.store(at, copies(places(e, frame)));
  else
    init(at, e->getType(), e, frame);
  return at;
}

Values HostWalk::loaded(const Expr* e, uint32_t frame) {
  if (!e->isGLValue()) return value(e, frame);
  const Places at = places(e, frame);
  if (!e->getType()->isArrayType()) return read(at);
  Values out{.unknown = at.unknown};
  for (const Place& p : at.all) out.atoms.insert({Atom::address, with(p, element(0)), nullptr});
  return out;
}

Places HostWalk::pointed(const Expr* array, uint64_t k, uint32_t frame) {
  return addressed(read(addressed(shifted(value(array, frame), static_cast<int64_t>(k)))));
}

Values HostWalk::copies(const Places& of) {
  Values out{.unknown = of.unknown};
  for (const Place& p : of.all) out.atoms.insert({Atom::copy, p, nullptr});
  return out;
}

void HostWalk::store(const Places& to, const Values& v) {
  for (const Place& p : to.all) memory.store(p, v);
  if (to.unknown) memory.escape(v);
}

Values HostWalk::read(const Places& from) {
  Values out{.unknown = from.unknown};
  for (const Place& p : from.all) out.add(memory.read(p));
  return out;
}

// ---- values ------------------------------------------------------------------------------------------------------

Values HostWalk::value(const Expr* e, uint32_t frame) {
  e = e->IgnoreParens();
  if (e->getType().isNull()) return other(e, frame);  // a list in an expression with errors
  if (!in_assert_ && made_by_assert(e)) return in_assert(e, frame);
  if (const auto* x = clang::dyn_cast<clang::FullExpr>(e)) return value(x->getSubExpr(), frame);
  if (const auto* x = clang::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(e)) return value(x->getReplacement(), frame);
  if (const auto* x = clang::dyn_cast<clang::CXXDefaultArgExpr>(e)) return value(x->getExpr(), frame);
  if (const auto* x = clang::dyn_cast<clang::CXXDefaultInitExpr>(e)) return value(x->getExpr(), frame);
  if (const auto* x = clang::dyn_cast<clang::CXXBindTemporaryExpr>(e)) {
    followed_.insert(x);
    Values v = value(x->getSubExpr(), frame);
    destroy(v, x->getType(), x, frame);
    return v;
  }
  if (const auto* x = clang::dyn_cast<clang::OpaqueValueExpr>(e); x != nullptr && x->getSourceExpr() != nullptr)
    return value(x->getSourceExpr(), frame);
  if (clang::isa<clang::IntegerLiteral, clang::FloatingLiteral, clang::CharacterLiteral, clang::CXXBoolLiteralExpr,
                 clang::CXXNullPtrLiteralExpr, clang::GNUNullExpr, clang::UnaryExprOrTypeTraitExpr,
                 clang::ImplicitValueInitExpr, clang::CXXScalarValueInitExpr, clang::TypeTraitExpr,
                 clang::SizeOfPackExpr, clang::PredefinedExpr, clang::OffsetOfExpr, clang::CXXNoexceptExpr,
                 clang::SourceLocExpr>(e))
    return {};
  if (e->isGLValue() && e->getType()->isFunctionType()) return function(e, frame);
  if (e->isGLValue()) return addresses(places(e, frame));
  if (const auto* d = clang::dyn_cast<clang::DeclRefExpr>(e))
    return {.unknown = !clang::isa<clang::EnumConstantDecl>(d->getDecl())};
  if (const auto* t = clang::dyn_cast<clang::CXXThisExpr>(e)) {
    uint32_t f = frame;
    while (f != 0 && frames_[f].around != 0) f = frames_[f].around;
    Values self = frames_[f].self;
    if (self.atoms.empty()) self.unknown = true;
    (void)t;
    return self;
  }
  if (const auto* l = clang::dyn_cast<clang::LambdaExpr>(e)) return closure(l, frame);
  if (const auto* c = clang::dyn_cast<clang::CastExpr>(e)) return cast(c, frame);
  if (const auto* u = clang::dyn_cast<clang::UnaryOperator>(e)) return unary(u, frame);
  if (const auto* b = clang::dyn_cast<clang::BinaryOperator>(e)) return binary(b, frame);
  if (const auto* b = clang::dyn_cast<clang::CXXRewrittenBinaryOperator>(e)) return value(b->getSemanticForm(), frame);
  if (const auto* c = clang::dyn_cast<clang::AbstractConditionalOperator>(e)) {
    value(c->getCond(), frame);
    Values out;
    choose([&] { out.add(value(c->getTrueExpr(), frame)); }, [&] { out.add(value(c->getFalseExpr(), frame)); });
    return out;
  }
  if (const auto* c = clang::dyn_cast<clang::CallExpr>(e)) return call(c, frame);
  if (const auto* n = clang::dyn_cast<clang::CXXNewExpr>(e)) return made(n, frame);
  if (clang::isa<clang::CXXThrowExpr>(e)) {
    choose([&] { other(e, frame); }, nullptr);  // a copy that may be left out
    flow.add({.kind = Step::throws});
    return {.unknown = true};
  }
  if (const auto* d = clang::dyn_cast<clang::CXXDeleteExpr>(e)) {
    deleted(d, frame);
    return {};
  }
  if (e->getType()->isRecordType())
    if (clang::isa<clang::CXXConstructExpr, clang::InitListExpr>(e))
      return {.atoms = {{Atom::copy, copied(e, frame), nullptr}}};
  if (const auto* l = clang::dyn_cast<clang::InitListExpr>(e)) {
    if (l->getNumInits() == 0) return {};
    if (l->getNumInits() == 1 && !e->getType()->isArrayType()) return value(l->getInit(0), frame);
  }
  return other(e, frame);
}

// Which function it is.
Values HostWalk::function(const Expr* e, uint32_t frame) {
  if (const auto* d = clang::dyn_cast<clang::DeclRefExpr>(e)) {
    if (const auto* f = clang::dyn_cast<FunctionDecl>(d->getDecl())) {
      named_.insert(d);
      return {.atoms = {{Atom::function, {}, f}}};
    }
    if (const auto* v = clang::dyn_cast<VarDecl>(d->getDecl())) return memory.read(variable(v, frame));
  }
  if (const auto* u = clang::dyn_cast<clang::UnaryOperator>(e); u != nullptr && u->getOpcode() == clang::UO_Deref)
    return value(u->getSubExpr(), frame);
  if (const auto* c = clang::dyn_cast<clang::CastExpr>(e); c != nullptr && c->getCastKind() == clang::CK_NoOp)
    return value(c->getSubExpr(), frame);
  if (const auto* c = clang::dyn_cast<clang::AbstractConditionalOperator>(e)) {
    value(c->getCond(), frame);
    Values out;
    choose([&] { out.add(value(c->getTrueExpr(), frame)); }, [&] { out.add(value(c->getFalseExpr(), frame)); });
    return out;
  }
  return other(e, frame);
}

Values HostWalk::unary(const clang::UnaryOperator* u, uint32_t frame) {
  const Expr* sub = u->getSubExpr();
  if (u->getOpcode() == clang::UO_AddrOf) {
    const auto* d = clang::dyn_cast<clang::DeclRefExpr>(sub->IgnoreParens());
    if (const auto* f = d != nullptr ? clang::dyn_cast<FunctionDecl>(d->getDecl()) : nullptr; f != nullptr) {
      named_.insert(d);
      return {.atoms = {{Atom::function, {}, f}}};
    }
    if (sub->getType()->isFunctionType()) return value(sub, frame);
    return addresses(places(sub, frame));
  }
  if (u->isIncrementDecrementOp()) {
    const Places at = places(sub, frame);
    const Values before = read(at);
    store(at, shifted(before, std::nullopt));
    note(Event::set, at, u, frame);
    return shifted(before, std::nullopt);
  }
  return value(sub, frame);
}

Values HostWalk::binary(const clang::BinaryOperator* b, uint32_t frame) {
  if (b->getOpcode() == clang::BO_Assign) {
    const Values v = value(b->getRHS(), frame);
    const Places at = places(b->getLHS(), frame);
    store(at, v);
    Extent extent;
    const clang::QualType t = b->getLHS()->getType();
    if (!t->isDependentType() && !t->isIncompleteType()) extent.bytes = context_.getTypeSizeInChars(t).getQuantity();
    if (at.all.size() == 1) extent.from = offset(*at.all.begin(), t);
    note(is_zero(b->getRHS()) ? Event::cleared : Event::set, at, b, frame, extent);
    return v;
  }
  if (b->isCompoundAssignmentOp()) {
    const Places at = places(b->getLHS(), frame);
    const Values before = read(at), by = value(b->getRHS(), frame);
    Values v = stepped(before, by, std::nullopt);
    if (!b->getLHS()->getType()->isPointerType()) v.add(shifted(by, std::nullopt));
    store(at, v);
    note(Event::set, at, b, frame);
    return v;
  }
  const Values x = value(b->getLHS(), frame);
  Values y;
  if (b->isLogicalOp())
    choose([&] { y = value(b->getRHS(), frame); }, nullptr);
  else
    y = value(b->getRHS(), frame);
  if (b->getOpcode() == clang::BO_Comma) return y;
  if (b->isComparisonOp() || b->isLogicalOp()) return {};
  if (b->isPtrMemOp()) return {.unknown = true};
  if (b->isAdditiveOp() && b->getType()->isPointerType()) {
    const bool left = b->getLHS()->getType()->isPointerType();
    auto by = number(left ? b->getRHS() : b->getLHS());
    if (by && b->getOpcode() == clang::BO_Sub) by = -*by;
    return left ? stepped(x, y, by) : stepped(y, x, by);
  }
  if (b->getLHS()->getType()->isPointerType() && b->getRHS()->getType()->isPointerType()) {
    // A distance: with another pointer it may come to anywhere.
    memory.escape(x);
    memory.escape(y);
    return {.atoms = {{Atom::distance, {}, nullptr}}, .unknown = true};
  }
  Values both = shifted(x, std::nullopt);
  both.add(shifted(y, std::nullopt));
  return both;
}

bool HostWalk::is_zero(const Expr* e) const {
  if (e->isValueDependent() || e->containsErrors()) return false;
  Expr::EvalResult r;
  return e->EvaluateAsRValue(r, context_) && !r.HasSideEffects && !rests_on_stand_ins(context_, e) &&
         ((r.Val.isInt() && r.Val.getInt().isZero()) || (r.Val.isFloat() && r.Val.getFloat().isPosZero()));
}

void HostWalk::note(Event::What what, const Places& at, const Expr* e, uint32_t frame, Extent extent) {
  std::set<uint32_t> objects;
  for (const Place& p : at.all) objects.insert(p.object);
  // Of several places one is cleared, and it is not known which.
  if (what == Event::cleared && (at.unknown || objects.size() != 1)) return;
  for (const uint32_t o : objects) note(what, e->getBeginLoc(), frame, clang::dyn_cast<clang::CallExpr>(e), o, extent);
}

void HostWalk::note(Event::What what, clang::SourceLocation at, uint32_t frame, const clang::CallExpr* call,
                    uint32_t object, const Extent& extent) {
  if (flow.closed) return;
  // An expression that is looked at twice launches once.
  if (what == Event::launched)
    for (const Step& s : flow.now())
      if (s.kind == Step::event && events[s.number].what == what && events[s.number].call == call) return;
  flow.add({.kind = Step::event, .number = static_cast<uint32_t>(events.size())});
  events.push_back({what, object, call, frame, flow.roots.empty() ? 0 : flow.roots.size() - 1, loop_, at, extent.from,
                    extent.bytes, extent.to, extent.size});
}

void HostWalk::choose(const std::function<void()>& one, const std::function<void()>& other) {
  Step s{.kind = Step::choice};
  for (const auto* way : {&one, &other}) s.parts.push_back(*way ? flow.within(*way) : 0);
  flow.add(std::move(s));
}

void HostWalk::choose(const void* site, const std::vector<std::function<void()>>& ways, bool none) {
  if (ways.size() == 1 && !none) return ways.front()();
  Step s{.kind = Step::choice, .what = site};
  for (const auto& way : ways) s.parts.push_back(flow.within(way));
  if (none) s.parts.push_back(0);
  // An expression that is looked at twice goes one way once.
  const bool again = std::any_of(flow.now().begin(), flow.now().end(),
                                 [&](const Step& o) { return o.kind == Step::choice && o.what == site; });
  if (!again) flow.add(std::move(s));
}

// What is given to something that is not in the lists.
void HostWalk::escape(const Expr* e, uint32_t frame) { memory.escape(value(e, frame)); }

Values HostWalk::other(const clang::Stmt* s, uint32_t frame) {
  for (const clang::Stmt* child : s->children()) {
    if (child == nullptr) continue;
    if (const auto* e = clang::dyn_cast<Expr>(child))
      escape(e, frame);
    else
      statement(child, frame);
  }
  return {.unknown = true};
}

}  // namespace fencepost::clangfe
