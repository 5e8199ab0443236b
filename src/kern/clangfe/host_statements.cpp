// Statements, initialisers and calls of the host's code; host_walk.cpp has the expressions.
#include <clang/AST/Attr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/Builtins.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>

#include "clangfe/host_walk.h"

namespace fencepost::clangfe {

using clang::Expr;
using clang::FunctionDecl;
using clang::VarDecl;

// ---- initialisers ------------------------------------------------------------------------------------------------

void HostWalk::init(const Place& to, clang::QualType type, const Expr* e, uint32_t frame) {
  if (e == nullptr) return;
  if (type->isReferenceType()) {
    memory.store(to, e->isGLValue() ? value(e, frame) : addresses({{copied(e, frame)}}));
    return;
  }
  e = e->IgnoreParens();
  while (true) {
    if (const auto* x = clang::dyn_cast<clang::FullExpr>(e))
      e = x->getSubExpr()->IgnoreParens();
    else if (const auto* b = clang::dyn_cast<clang::CXXBindTemporaryExpr>(e)) {
      followed_.insert(b);
      e = b->getSubExpr()->IgnoreParens();
    } else if (const auto* d = clang::dyn_cast<clang::CXXDefaultArgExpr>(e))
      e = d->getExpr()->IgnoreParens();
    else if (const auto* i = clang::dyn_cast<clang::CXXDefaultInitExpr>(e))
      e = i->getExpr()->IgnoreParens();
    else if (const auto* c = clang::dyn_cast<clang::CastExpr>(e);
             c != nullptr && type->isRecordType() &&
             (c->getCastKind() == clang::CK_NoOp || c->getCastKind() == clang::CK_ConstructorConversion ||
              c->getCastKind() == clang::CK_UserDefinedConversion))
      e = c->getSubExpr()->IgnoreParens();
    else
      break;
  }
  if (const auto* c = clang::dyn_cast<clang::CXXConstructExpr>(e)) {
    construct(to, c, frame);
  } else if (const auto* h = clang::dyn_cast<clang::CXXInheritedCtorInitExpr>(e)) {
    inherit(to, h, frame);
  } else if (const auto* l = clang::dyn_cast<clang::InitListExpr>(e);
             l != nullptr && (type->isRecordType() || type->isArrayType())) {
    list(to, l, frame);
  } else if (clang::isa<clang::StringLiteral, clang::ImplicitValueInitExpr, clang::NoInitExpr>(e)) {
    return;
  } else if (type->isArrayType()) {
    other(e, frame);
    memory.store(to, {.unknown = true});
  } else {
    memory.store(to, value(e, frame));
  }
  destroy(to, type, e, frame);
}

void HostWalk::list(const Place& to, const clang::InitListExpr* e, uint32_t frame) {
  const auto* record = e->getType()->getAsCXXRecordDecl();
  if (e->isTransparent() && e->getNumInits() == 1) return init(to, e->getType(), e->getInit(0), frame);
  if (record == nullptr) {
    const clang::QualType element_type = context_.getAsArrayType(e->getType()) != nullptr
                                             ? context_.getAsArrayType(e->getType())->getElementType()
                                             : e->getType();
    for (unsigned k = 0; k < e->getNumInits(); ++k) init(with(to, element(k)), element_type, e->getInit(k), frame);
    if (e->hasArrayFiller()) init(with(to, k_any_element), element_type, e->getArrayFiller(), frame);
    return;
  }
  if (const clang::FieldDecl* f = e->getInitializedFieldInUnion(); f != nullptr && e->getNumInits() == 1)
    return init(to, f->getType(), e->getInit(0), frame);
  std::vector<const clang::FieldDecl*> all;
  if (record->hasDefinition())
    for (const clang::FieldDecl* f : record->fields())
      if (!f->isUnnamedBitField()) all.push_back(f);
  const auto* whole = clang::dyn_cast<clang::CXXRecordDecl>(record);
  if (whole->isUnion() || whole->getNumBases() > 0 || e->getNumInits() > all.size()) {
    for (const Expr* x : e->inits()) escape(x, frame);
    memory.store(to, {.unknown = true});
    return;
  }
  for (unsigned k = 0; k < e->getNumInits(); ++k)
    for (const Place& p : fields({{to}}, all[k]).all) init(p, all[k]->getType(), e->getInit(k), frame);
}

void HostWalk::declare(const VarDecl* v, uint32_t frame) {
  if (const auto* d = clang::dyn_cast<clang::DecompositionDecl>(v))
    for (const clang::BindingDecl* b : d->bindings())
      if (const VarDecl* held = b->getHoldingVar()) declare(held, frame);
  if (!v->hasInit() || v->getInit() == nullptr) {
    if (lost_first_value(v)) memory.store(variable(v, frame), {.unknown = true});
    return;
  }
  const Place at = variable(v, frame);
  init(at, v->getType(), v->getInit(), frame);
  // Kernels may be given a variable of the host, too; streams are variables.
  const clang::QualType t = v->getType();
  if (t->isReferenceType() || t->isDependentType() || t->isIncompleteType()) return;
  if (v->hasAttr<clang::CUDADeviceAttr>() && t->isIntegerType()) return;  // the first value has a word of its own
  if (const clang::QualType of = context_.getBaseElementType(t); of->isArithmeticType() || of->isEnumeralType()) {
    const Extent whole{
        .from = 0, .bytes = context_.getTypeSizeInChars(t).getQuantity(), .to = nullptr, .size = nullptr};
    note(all_zero(v->getInit()) ? Event::cleared : Event::set, {{at}}, v->getInit(), frame, whole);
  } else if (t->isPointerType()) {
    note(Event::set, {{at}}, v->getInit(), frame);
  }
}

// The text gives it a first value, and clang could not read that.
bool HostWalk::lost_first_value(const VarDecl* v) const {
  const clang::SourceManager& sm = context_.getSourceManager();
  if (v->isImplicit() || v->isCXXForRangeDecl() || v->getEndLoc().isInvalid()) return false;
  const auto next =
      clang::Lexer::findNextToken(sm.getExpansionRange(v->getEndLoc()).getEnd(), sm, context_.getLangOpts());
  return next && next->isOneOf(clang::tok::equal, clang::tok::l_brace, clang::tok::l_paren);
}

bool HostWalk::all_zero(const Expr* first) const {
  first = first->IgnoreParenImpCasts();
  if (clang::isa<clang::ImplicitValueInitExpr>(first)) return true;
  const auto* list = clang::dyn_cast<clang::InitListExpr>(first);
  if (list == nullptr) return is_zero(first);
  return std::all_of(list->inits().begin(), list->inits().end(), [&](const Expr* e) { return all_zero(e); });
}

// ---- statements --------------------------------------------------------------------------------------------------

namespace {

// `to = from` as a statement, or a new variable with its value; {} for others.
struct Move {
  const Expr *to = nullptr, *from = nullptr;
  const VarDecl* fresh = nullptr;
};
Move move(const clang::Stmt* s) {
  if (const auto* e = clang::dyn_cast<Expr>(s))
    if (const auto* b = clang::dyn_cast<clang::BinaryOperator>(e->IgnoreParens());
        b != nullptr && b->getOpcode() == clang::BO_Assign)
      return {b->getLHS()->IgnoreParens(), b->getRHS()->IgnoreParenCasts(), nullptr};
  if (const auto* d = clang::dyn_cast<clang::DeclStmt>(s); d != nullptr && d->isSingleDecl())
    if (const auto* v = clang::dyn_cast<VarDecl>(d->getSingleDecl()); v != nullptr && v->hasInit())
      return {nullptr, v->getInit()->IgnoreParenCasts(), v};
  return {};
}

}  // namespace

// `t = a; a = b; b = t;`
bool HostWalk::exchanges(const clang::CompoundStmt* block, std::set<const clang::Stmt*>& done, uint32_t frame) {
  const std::vector<const clang::Stmt*> s(block->body_begin(), block->body_end());
  const auto same = [&](const Expr* a, const Expr* b) {
    if (a->HasSideEffects(context_) || b->HasSideEffects(context_)) return false;
    llvm::FoldingSetNodeID x, y;
    a->Profile(x, context_, true);
    b->Profile(y, context_, true);
    return x == y;
  };
  const auto one = [](const Places& p) {
    return p.all.size() == 1 && !p.unknown &&
           std::find(p.all.begin()->path.begin(), p.all.begin()->path.end(), k_any_element) ==
               p.all.begin()->path.end();
  };
  for (size_t n = 0; n + 2 < s.size(); ++n) {
    const Move a = move(s[n]), b = move(s[n + 1]), c = move(s[n + 2]);
    if (a.from == nullptr || b.to == nullptr || b.from == nullptr || c.to == nullptr || c.from == nullptr) continue;
    if (a.from->containsErrors() || b.from->containsErrors() || !a.from->isGLValue() || !b.from->isGLValue()) continue;
    const auto* third = clang::dyn_cast<clang::DeclRefExpr>(c.from);
    const bool of_third =
        a.fresh != nullptr ? third != nullptr && third->getDecl() == a.fresh : a.to != nullptr && same(a.to, c.from);
    if (!of_third || !same(a.from, b.to) || !same(b.from, c.to)) continue;
    if (a.fresh != nullptr && a.fresh->getType()->isReferenceType()) continue;
    const Places x = places(b.to, frame), y = places(c.to, frame);
    if (!one(x) || !one(y) || x.all == y.all) continue;
    memory.exchange(*x.all.begin(), *y.all.begin());
    const Places t = a.fresh != nullptr ? Places{{variable(a.fresh, frame)}} : places(a.to, frame);
    store(t, read(x));
    for (size_t k = 0; k < 3; ++k) done.insert(s[n + k]);
  }
  return !done.empty();
}

void HostWalk::statement(const clang::Stmt* s, uint32_t frame) {
  if (s == nullptr) return;
  if (shared.contains(s->getBeginLoc())) {
    const uint32_t sequence = flow.within([&] { control(s, frame); });
    flow.add({.kind = Step::aside, .parts = {sequence}});
    return;
  }
  control(s, frame);
}

namespace {

bool has_default(const clang::SwitchStmt* s) {
  for (const clang::SwitchCase* c = s->getSwitchCaseList(); c != nullptr; c = c->getNextSwitchCase())
    if (clang::isa<clang::DefaultStmt>(c)) return true;
  return false;
}

}  // namespace

// `do { .. } while (0)`, as macros have it: no loop, if nothing leaves it.
bool HostWalk::once(const clang::DoStmt* d) const {
  class Leaves : public clang::RecursiveASTVisitor<Leaves> {
   public:
    bool VisitBreakStmt(clang::BreakStmt*) { return !(found = true); }
    bool VisitContinueStmt(clang::ContinueStmt*) { return !(found = true); }
    bool TraverseLambdaExpr(clang::LambdaExpr*) { return true; }
    bool found = false;
  } leaves;
  if (number(d->getCond()) != 0) return false;
  leaves.TraverseStmt(const_cast<clang::Stmt*>(d->getBody()));
  return !leaves.found;
}

void HostWalk::round(const clang::Stmt* s, const std::function<void()>& condition, const std::function<void()>& body,
                     const std::function<void()>& next, bool body_first) {
  const clang::Stmt* around = std::exchange(loop_, s);
  Step step{.kind = Step::loop, .first = body_first};
  for (const auto* part : {&condition, &body, &next}) step.parts.push_back(flow.within(*part));
  flow.add(std::move(step));
  loop_ = around;
}

void HostWalk::control(const clang::Stmt* s, uint32_t frame) {
  const auto go_over = [&](const clang::Stmt* part) { return [this, part, frame] { statement(part, frame); }; };
  if (const auto* e = clang::dyn_cast<Expr>(s)) {
    value(e, frame);
  } else if (const auto* d = clang::dyn_cast<clang::DeclStmt>(s)) {
    for (const clang::Decl* x : d->decls())
      if (const auto* v = clang::dyn_cast<VarDecl>(x)) {
        if (v->isStaticLocal())
          choose([&] { declare(v, frame); }, nullptr);  // by the first who comes
        else
          declare(v, frame);
      }
  } else if (const auto* r = clang::dyn_cast<clang::ReturnStmt>(s)) {
    if (const FunctionDecl* f = frames_[frame].function; r->getRetValue() != nullptr && f != nullptr) {
      const auto give = [&] {
        init({memory.object(ObjectKind::result, f, frame), {}}, f->getReturnType(), r->getRetValue(), frame);
      };
      // The copy of a variable of the function may be left out.
      r->getNRVOCandidate() != nullptr ? choose(give, nullptr) : give();
    }
    flow.add({.kind = Step::returns});
  } else if (const auto* t = clang::dyn_cast<clang::CXXTryStmt>(s)) {
    Step step{.kind = Step::attempt, .parts = {flow.within(go_over(t->getTryBlock()))}};
    for (unsigned k = 0; k < t->getNumHandlers(); ++k) step.parts.push_back(flow.within(go_over(t->getHandler(k))));
    flow.add(std::move(step));
  } else if (const auto* c = clang::dyn_cast<clang::CXXCatchStmt>(s)) {
    if (c->getExceptionDecl() != nullptr) catch_one(c->getExceptionDecl(), frame);
    statement(c->getHandlerBlock(), frame);
  } else if (clang::isa<clang::AsmStmt>(s)) {
    for (const clang::Stmt* x : s->children())
      if (const auto* e = clang::dyn_cast<Expr>(x)) {
        memory.escape(e->isGLValue() ? addresses(places(e, frame)) : value(e, frame));
      }
  } else if (const auto* i = clang::dyn_cast<clang::IfStmt>(s)) {
    statement(i->getInit(), frame);
    statement(i->getConditionVariableDeclStmt(), frame);
    statement(i->getCond(), frame);
    choose(go_over(i->getThen()), go_over(i->getElse()));
  } else if (const auto* w = clang::dyn_cast<clang::SwitchStmt>(s)) {
    statement(w->getInit(), frame);
    statement(w->getConditionVariableDeclStmt(), frame);
    statement(w->getCond(), frame);
    flow.add({.kind = Step::cases, .parts = {flow.within(go_over(w->getBody()))}, .first = has_default(w)});
  } else if (const auto* k = clang::dyn_cast<clang::SwitchCase>(s)) {
    flow.add({.kind = Step::case_label});
    statement(k->getSubStmt(), frame);
  } else if (const auto* l = clang::dyn_cast<clang::ForStmt>(s)) {
    statement(l->getInit(), frame);
    const auto condition = [&] {
      statement(l->getConditionVariableDeclStmt(), frame);
      statement(l->getCond(), frame);
    };
    round(s, condition, go_over(l->getBody()), go_over(l->getInc()), false);
  } else if (const auto* x = clang::dyn_cast<clang::WhileStmt>(s)) {
    const auto condition = [&] {
      statement(x->getConditionVariableDeclStmt(), frame);
      statement(x->getCond(), frame);
    };
    round(s, condition, go_over(x->getBody()), go_over(nullptr), false);
  } else if (const auto* y = clang::dyn_cast<clang::DoStmt>(s); y != nullptr && once(y)) {
    statement(y->getBody(), frame);
    statement(y->getCond(), frame);
  } else if (y != nullptr) {
    round(s, go_over(y->getCond()), go_over(y->getBody()), go_over(nullptr), true);
  } else if (const auto* z = clang::dyn_cast<clang::CXXForRangeStmt>(s)) {
    statement(z->getInit(), frame);
    for (const clang::Stmt* part :
         {static_cast<const clang::Stmt*>(z->getRangeStmt()), static_cast<const clang::Stmt*>(z->getBeginStmt()),
          static_cast<const clang::Stmt*>(z->getEndStmt())})
      statement(part, frame);
    const auto body = [&] {
      statement(z->getLoopVarStmt(), frame);
      statement(z->getBody(), frame);
    };
    round(s, go_over(z->getCond()), body, go_over(z->getInc()), false);
  } else if (clang::isa<clang::BreakStmt>(s)) {
    flow.add({.kind = Step::leaves});
  } else if (clang::isa<clang::ContinueStmt>(s)) {
    flow.add({.kind = Step::next});
  } else if (const auto* g = clang::dyn_cast<clang::GotoStmt>(s)) {
    frames_[frame].repeated = true;
    flow.add({.kind = Step::jump, .what = g->getLabel()});
  } else if (clang::isa<clang::IndirectGotoStmt>(s)) {
    frames_[frame].repeated = true;
    for (const clang::Stmt* child : s->children()) statement(child, frame);
    flow.add({.kind = Step::jump});
  } else if (const auto* m = clang::dyn_cast<clang::LabelStmt>(s)) {
    flow.add({.kind = Step::label, .what = m->getDecl()});
    statement(m->getSubStmt(), frame);
  } else {
    std::set<const clang::Stmt*> done;
    if (const auto* block = clang::dyn_cast<clang::CompoundStmt>(s)) exchanges(block, done, frame);
    for (const clang::Stmt* child : s->children())
      if (!done.contains(child)) statement(child, frame);
  }
}

// ---- assertions ---------------------------------------------------------------------------------------------------

// All of the expression is what the macro `assert` has made of its argument.
bool HostWalk::made_by_assert(const Expr* e) const {
  const clang::SourceManager& sm = context_.getSourceManager();
  clang::SourceLocation at = e->getBeginLoc(), end = e->getEndLoc();
  while (at.isMacroID() && end.isMacroID()) {
    const bool assert = clang::Lexer::getImmediateMacroName(at, sm, context_.getLangOpts()) == "assert";
    at = sm.getImmediateMacroCallerLoc(at);
    end = sm.getImmediateMacroCallerLoc(end);
    if (assert) return true;
  }
  return false;
}

// With NDEBUG it is not evaluated.
Values HostWalk::in_assert(const Expr* e, uint32_t frame) {
  Values out;
  in_assert_ = true;
  choose([&] { out = value(e, frame); }, nullptr);
  in_assert_ = false;
  return out;
}

// ---- calls -------------------------------------------------------------------------------------------------------

namespace {

std::optional<HostWalk::Event::What> graphs(const FunctionDecl* f) {
  if (f->getIdentifier() == nullptr) return std::nullopt;
  const llvm::StringRef name = f->getName();
  if (name.starts_with("cudaStreamBeginCapture") || name.starts_with("cuStreamBeginCapture"))
    return HostWalk::Event::capture_begins;
  if (name == "cudaStreamEndCapture" || name == "cuStreamEndCapture") return HostWalk::Event::capture_ends;
  if (name == "cudaGraphLaunch" || name == "cuGraphLaunch") return HostWalk::Event::graph_launched;
  if (name == "cudaDeviceSynchronize" || name == "cudaThreadSynchronize" || name == "cudaStreamSynchronize")
    return HostWalk::Event::synced;
  if (name == "cudaSetDevice" || name == "cuCtxSetCurrent" || name == "cuCtxPushCurrent" || name == "cuCtxPopCurrent")
    return HostWalk::Event::device;
  return std::nullopt;
}

}  // namespace

Values HostWalk::enter(const void* site, const FunctionDecl* f, const Values& self,
                       const std::vector<const Expr*>& arguments, uint32_t frame) {
  // By a pointer to a function it is one without captures.
  const bool by_pointer = self.atoms.empty() && !self.unknown;
  if (const auto* m = clang::dyn_cast<clang::CXXMethodDecl>(f);
      m != nullptr && m->getParent()->isLambda() && m->getOverloadedOperator() == clang::OO_Call && !by_pointer) {
    // The lambda's variables are those of where it was made.
    Values out;
    std::set<uint32_t> made_in;
    for (const Place& p : addressed(self).all)
      for (const Atom& a : memory.read(p).atoms)
        if (a.kind == Atom::copy && memory[a.place.object].kind == ObjectKind::closure)
          made_in.insert(memory[a.place.object].frame);
    // It was made from its type (`decltype(l){}`): one without captures, or clang could not have compiled it.
    if (made_in.empty()) {
      if (const FunctionDecl* whole = body_of(f))
        memory.changed = memory.loose_functions.insert(whole).second || memory.changed;
      return not_followed(arguments, frame);
    }
    std::vector<std::function<void()>> ways;
    for (const uint32_t of : made_in)
      ways.emplace_back([&, of] {
        const uint32_t n = activation(site, f, frame, of);
        for (unsigned k = 0; k < f->getNumParams() && k < arguments.size(); ++k)
          init(variable(f->getParamDecl(k), n), f->getParamDecl(k)->getType(), arguments[k], frame);
        if (frames_[n].arguments.empty()) frames_[n].arguments = arguments;
        go_over(n);
        out.add(memory.read({memory.object(ObjectKind::result, f, n), {}}));
      });
    choose(site, ways, false);
    return out;
  }
  const uint32_t n = activation(site, f, frame, 0);
  for (unsigned k = 0; k < arguments.size(); ++k)
    if (k < f->getNumParams())
      init(variable(f->getParamDecl(k), n), f->getParamDecl(k)->getType(), arguments[k], frame);
    else
      escape(arguments[k], frame);
  if (frames_[n].arguments.empty()) frames_[n].arguments = arguments;
  Values mine = frames_[n].self;
  mine.add(self);
  if (mine.atoms != frames_[n].self.atoms || mine.unknown != frames_[n].self.unknown) memory.changed = true;
  frames_[n].self = mine;
  go_over(n);
  const Place result{memory.object(ObjectKind::result, f, n), {}};
  if (f->getReturnType()->isRecordType()) return {.atoms = {{Atom::copy, result, nullptr}}};
  return memory.read(result);
}

Values HostWalk::not_followed(const std::vector<const Expr*>& arguments, uint32_t frame) {
  for (const Expr* a : arguments) escape(a, frame);
  return {.unknown = true};
}

// A function of another file of the program sees what this file gives to all: what its pointers lead to, it may set.
void HostWalk::by_other_files(const clang::CallExpr* c, const FunctionDecl* f, uint32_t frame) {
  if (flow.closed || f->getBuiltinID() != 0 || f->isImplicit() || !f->isExternallyVisible() ||
      !users_(f->getLocation()))
    return;
  std::set<uint32_t> seen;
  for (const VarDecl* v : variables_) {
    // Device code of other files is linked with this one's only where it is asked for.
    const auto* d = v->getAttr<clang::CUDADeviceAttr>();
    if (!v->isExternallyVisible() || (d != nullptr && !d->isImplicit()) || v->hasAttr<clang::CUDAConstantAttr>())
      continue;
    const uint32_t all = variable(v, 0).object;
    if (seen.insert(all).second) note(Event::set, c->getBeginLoc(), frame, c, all);
    for (const uint32_t o : memory.reachable(all))
      if (seen.insert(o).second) note(Event::set, c->getBeginLoc(), frame, c, o);
  }
}

// A call by a value: of one of the functions that it may be.
Values HostWalk::through(const Values& callee, const clang::CallExpr* c, uint32_t frame, const Values& self) {
  const std::vector<const Expr*> arguments(c->arg_begin(), c->arg_end());
  Values out;
  bool all = !callee.unknown && !callee.atoms.empty();
  std::vector<std::function<void()>> ways;
  for (const Atom& a : callee.atoms) {
    const FunctionDecl* whole = nullptr;
    if (a.kind != Atom::function)
      all = false;
    else if (a.code->hasBody(whole) && whole->getBody() != nullptr)
      ways.emplace_back([&, whole] { out.add(enter(c, whole, self, arguments, frame)); });
    else
      ways.emplace_back([&, f = a.code] {
        by_other_files(c, f, frame);
        out.add(not_followed(arguments, frame));
      });
  }
  choose(c, ways, !all);
  if (!all) {
    memory.escape(self);
    out.add(not_followed(arguments, frame));
  }
  return out;
}

// `(o.*m)()`, `(p->*m)()`
Values HostWalk::by_member_pointer(const clang::CallExpr* c, const clang::BinaryOperator* member, uint32_t frame) {
  const Expr* object = member->getLHS();
  const bool arrow = member->getOpcode() == clang::BO_PtrMemI;
  const Values self = arrow ? value(object, frame) : addresses(places(object, frame));
  Values callee = value(member->getRHS(), frame);
  // Of virtual functions it is the object's.
  for (const Atom& a : callee.atoms)
    if (const auto* m = clang::dyn_cast_or_null<clang::CXXMethodDecl>(a.code); m != nullptr && m->isVirtual())
      callee.unknown = true;
  return through(callee, c, frame, self);
}

// What a launch is given, its sizes and its stream are evaluated before it.
Values HostWalk::call(const clang::CallExpr* c, uint32_t frame) {
  followed_.insert(c);
  const bool launch = launches_.contains(c);
  if (launch) reached_[c].insert(frame);
  Values v = called(c, frame);
  if (launch) note(Event::launched, c->getBeginLoc(), frame, c);
  return v;
}

Values HostWalk::called(const clang::CallExpr* c, uint32_t frame) {
  if (const auto* k = clang::dyn_cast<clang::CUDAKernelCallExpr>(c)) {
    followed_.insert(k->getConfig());
    if (k->getConfig() != nullptr)
      for (const Expr* a : k->getConfig()->arguments()) value(a, frame);
    const FunctionDecl* f = c->getDirectCallee();
    const FunctionDecl* whole = nullptr;
    if (f != nullptr && launching_kernels_.contains(f->getCanonicalDecl()) && f->hasBody(whole)) {
      Values v;
      const uint32_t sequence = flow.within([&] { v = enter(c, whole, {}, {c->arg_begin(), c->arg_end()}, frame); });
      flow.add({.kind = Step::aside, .parts = {sequence}});
      return v;
    }
    value(c->getCallee(), frame);
    for (const Expr* a : c->arguments()) a->getType()->isRecordType() ? (void)copied(a, frame) : (void)value(a, frame);
    return {};
  }
  const FunctionDecl* f = c->getDirectCallee();
  // cudaLaunchKernel and its like: the runtime only copies what it finds at the addresses.
  if (const auto l = launches_.find(c); l != launches_.end() && l->second->kernel != nullptr &&
                                        !launching_kernels_.contains(l->second->kernel->getCanonicalDecl())) {
    for (const Expr* a : c->arguments()) loaded(a, frame);
    return {};
  }
  if (f == nullptr) {
    if (const auto* m = clang::dyn_cast<clang::BinaryOperator>(c->getCallee()->IgnoreParens());
        m != nullptr && m->isPtrMemOp())
      return by_member_pointer(c, m, frame);
    if (clang::isa<clang::CXXMemberCallExpr>(c) || clang::isa<clang::CXXPseudoDestructorExpr>(c->getCallee()))
      return other(c, frame);
    return through(value(c->getCallee(), frame), c, frame);
  }
  // __builtin_assume and its like
  const unsigned built_in = f->getBuiltinID();
  if (built_in == clang::Builtin::BI__builtin_assume || (built_in != 0 && context_.BuiltinInfo.isUnevaluated(built_in)))
    return {.unknown = true};
  std::vector<const Expr*> arguments(c->arg_begin(), c->arg_end());
  Values self;
  const auto* method = clang::dyn_cast<clang::CXXMethodDecl>(f);
  if (const auto* m = clang::dyn_cast<clang::CXXMemberCallExpr>(c)) {
    const Expr* object = m->getImplicitObjectArgument();
    if (object == nullptr) return other(c, frame);
    self = object->getType()->isPointerType() ? value(object, frame) : addresses(places(object, frame));
  } else if (method != nullptr && !arguments.empty() && method->isImplicitObjectMemberFunction()) {
    self = addresses(places(arguments.front(), frame));
    arguments.erase(arguments.begin());
  } else if (method != nullptr && !arguments.empty() && method->isStatic() &&
             clang::isa<clang::CXXOperatorCallExpr>(c)) {
    loaded(arguments.front(), frame);  // the object says which operator it is, and is not given
    arguments.erase(arguments.begin());
  }
  // Of a lambda that is given itself, the variables that it has taken with it are not found.
  if (method != nullptr && method->isExplicitObjectMemberFunction() && method->getParent()->isLambda())
    return not_followed(arguments, frame);
  if (method != nullptr && method->isImplicitObjectMemberFunction()) {
    const bool plain = method->isImplicit() || method->isDefaulted() || method->isTrivial();
    if (plain && (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator()) && arguments.size() == 1) {
      const Places from = places(arguments[0], frame);
      Values v{.unknown = from.unknown};
      for (const Place& p : from.all) v.atoms.insert({Atom::copy, p, nullptr});
      store(addressed(self), v);
      note(Event::set, addressed(self), c, frame);
      copy_by_text(f, c, self, arguments, frame);
      return self;
    }
    if (method->isVirtual() && !method->hasAttr<clang::FinalAttr>()) {
      memory.escape(self);
      return not_followed(arguments, frame);
    }
  }
  if (clang::isa<clang::CXXConversionDecl>(f) && method->getParent()->isLambda()) {
    if (!method->getParent()->isGenericLambda())
      return {.atoms = {{Atom::function, {}, method->getParent()->getLambdaCallOperator()}}};
    memory.escape(self);
    return {.unknown = true};
  }
  const FunctionDecl* whole = nullptr;
  const bool body = f->hasBody(whole) && whole->getBody() != nullptr && !whole->isDependentContext();
  if (may_be_another(c, f, c->getCallee(), {c->arg_begin(), c->arg_end()})) return of_unread(f, self, arguments, frame);
  if (const auto what = graphs(f)) note(*what, c->getBeginLoc(), frame, c);
  if (Values result; !(body && users_(whole->getLocation())) && Library(*this, c, frame).models(f, result))
    return result;
  if (body) return enter(c, whole, self, arguments, frame);
  by_other_files(c, f, frame);
  memory.escape(self);
  return not_followed(arguments, frame);
}

}  // namespace fencepost::clangfe
