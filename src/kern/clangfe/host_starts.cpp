// What a counter holds when a kernel starts. Proofs by the last block of a grid take it for 0; this file looks for what
// says otherwise: a first value, what the host puts there, and a launch before that counted in it.
//
// Events of one activation and one loop are in the order of the text; between others the order is not known. So a
// launch finds zeros if the last event of its own loop is a clearing on every way to it, or if there is no other
// launch, none in a loop, and nothing that sets another value. In memory that nothing in the file touches, the printed
// assumption stands. Work of two streams has no order: a reset counts in the stream of the launch, or where it is none
// of a stream, and what each launch puts back counts where all are of one stream.
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

}  // namespace

Start Origins::start_of(uint32_t object, const clang::CallExpr* call, uint32_t frame) {
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
  for (auto e = captured != events.end() ? captured : events.begin(); e != own; ++e)
    if (counts(*e) && (e->what != Event::cleared || resets(e))) before = &*e;
  if (before != nullptr && before->what == Event::cleared) return {};
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
      Start s = start_of(a.place.object, l.call, frame);
      s.parameter = g.parameter;
      find_others(a.place.object, l, s);
      add(std::move(s));
    }
  for (const VarDecl* v : named_by(l.kernel)) {
    const uint32_t object = walk_.variable(v, 0).object;
    Start s = start_of(object, l.call, frame);
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
