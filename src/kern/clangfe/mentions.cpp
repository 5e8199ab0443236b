#include "clangfe/mentions.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/StringSet.h>

#include <algorithm>
#include <utility>

#include "clangfe/host_doubts.h"
#include "clangfe/origins.h"
#include "clangfe/survey.h"

namespace fencepost::clangfe {
namespace {

using clang::FunctionDecl;
using clang::IdentifierInfo;
using clang::SourceLocation;

const FunctionDecl* kernel(const clang::NamedDecl* d) {
  d = d->getUnderlyingDecl();
  if (const auto* t = clang::dyn_cast<clang::FunctionTemplateDecl>(d)) d = t->getTemplatedDecl();
  const auto* f = clang::dyn_cast<FunctionDecl>(d);
  return f != nullptr && f->hasAttr<clang::CUDAGlobalAttr>() ? f : nullptr;
}

// Functions of the runtime that take a kernel and launch nothing (CUDA runtime API, "Execution Control", "Occupancy").
bool launches_nothing(const clang::CallExpr* c) {
  static const llvm::StringSet<> names = {"cudaFuncSetAttribute",
                                          "cudaFuncGetAttributes",
                                          "cudaFuncSetCacheConfig",
                                          "cudaFuncSetSharedMemConfig",
                                          "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
                                          "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
                                          "cudaOccupancyMaxPotentialBlockSize",
                                          "cudaOccupancyMaxPotentialBlockSizeWithFlags",
                                          "cudaOccupancyMaxPotentialBlockSizeVariableSMem",
                                          "cudaOccupancyAvailableDynamicSMemPerBlock",
                                          "cudaOccupancyMaxActiveClusters",
                                          "cudaOccupancyMaxPotentialClusterSize"};
  const FunctionDecl* f = c->getDirectCallee();
  if (f == nullptr || f->getIdentifier() == nullptr || !names.contains(f->getName())) return false;
  // One of the user's by that name may do anything. A toolkit has some with a body.
  const FunctionDecl* body = nullptr;
  const clang::ASTContext& context = f->getASTContext();
  return !f->isDefined(body) || !users_text(context.getSourceManager(), context.getTargetInfo(), body->getLocation());
}

// The kernels that a body names, itself or by templates of the host that it names and that have no instance for it.
class NamedKernels : public clang::RecursiveASTVisitor<NamedKernels> {
 public:
  bool shouldVisitLambdaBody() const { return true; }
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) { return use(e->getDecl(), e->getLocation()); }
  bool VisitMemberExpr(clang::MemberExpr* e) { return use(e->getMemberDecl(), e->getMemberLoc()); }
  bool VisitOverloadExpr(clang::OverloadExpr* e) {
    for (const clang::NamedDecl* d : e->decls()) use(d, e->getNameLoc());
    return true;
  }
  std::vector<std::pair<const FunctionDecl*, SourceLocation>> found;

 private:
  bool use(const clang::NamedDecl* d, SourceLocation at) {
    if (const FunctionDecl* k = kernel(d)) found.emplace_back(k, at);
    d = d->getUnderlyingDecl();
    const auto* t = clang::dyn_cast<clang::FunctionTemplateDecl>(d);
    const auto* f = t != nullptr ? t->getTemplatedDecl() : clang::dyn_cast<FunctionDecl>(d);
    const FunctionDecl* whole = nullptr;
    if (f != nullptr && kernel(f) == nullptr && f->hasBody(whole) && whole->getBody() != nullptr &&
        seen_.insert(whole).second)
      TraverseStmt(whole->getBody());
    return true;
  }
  std::set<const FunctionDecl*> seen_;
};

// Goes over declarations and bodies as clang has them, instances of templates in the place of their patterns.
class Sweep : public clang::RecursiveASTVisitor<Sweep> {
 public:
  Sweep(clang::ASTContext& context, const Doubts& doubts)
      : context_(context), doubts_(doubts), unconst_(written_through_const(context)) {}
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitLambdaBody() const { return true; }

  bool TraverseDecl(clang::Decl* d) {
    auto* f = clang::dyn_cast_or_null<FunctionDecl>(d);
    if (f == nullptr) return RecursiveASTVisitor::TraverseDecl(d);
    const auto* pattern = f->getDescribedFunctionTemplate();
    const bool sole = pattern != nullptr && pattern->spec_begin() == pattern->spec_end() &&
                      !f->getDeclContext()->isDependentContext();
    if (f->isDependentContext() && !sole) {
      patterns.push_back(f);
      return VisitNamedDecl(f);
    }
    const FunctionDecl* text = f;
    // Other instances have the words of the text for their own.
    const FunctionDecl* whole = f->isTemplateInstantiation() ? f->getTemplateInstantiationPattern() : nullptr;
    if (whole != nullptr && f->isInvalidDecl() && f->getBody() == nullptr && whole->getBody() != nullptr) {
      NamedKernels names;
      names.TraverseStmt(whole->getBody());
      for (const auto& [k, at] : names.found) lost.push_back({k, f, at});
    }
    // An instance that another file compiles (`extern template`), of the text that stands here.
    if (f->getTemplateSpecializationKind() == clang::TSK_ExplicitInstantiationDeclaration && f->getBody() == nullptr)
      if (const FunctionDecl* of = f->getTemplateInstantiationPattern()) text = of;
    if (text->isThisDeclarationADefinition() && text->getBody() != nullptr && hosts_.insert(text).second) {
      hosts.push_back(text);
      look_for_launches(*text);
    }
    return RecursiveASTVisitor::TraverseDecl(d);
  }
  // Instances of a lambda that is a template, in the place of its pattern.
  bool TraverseLambdaExpr(clang::LambdaExpr* e) {
    const clang::FunctionTemplateDecl* t = e->getDependentCallOperator();
    if (t == nullptr || t->spec_begin() == t->spec_end()) return RecursiveASTVisitor::TraverseLambdaExpr(e);
    auto init = e->capture_init_begin();
    for (const clang::LambdaCapture& c : e->captures())
      if (!TraverseLambdaCapture(e, &c, *init++)) return false;
    for (FunctionDecl* instance : t->specializations())
      if (!TraverseDecl(instance)) return false;
    return true;
  }
  bool VisitNamedDecl(clang::NamedDecl* d) {
    // `LAUNCH(k)` of a macro that is not there looks like a variable `k` of an unknown type.
    // So does `std::bind(f)()` look like a function `f` where nothing is known of std::bind.
    if (d->isInvalidDecl() && (!clang::isa<FunctionDecl>(d) || d->getLexicalDeclContext()->isFunctionOrMethod()))
      return true;
    seen.insert(d->getLocation());
    if (d->isInvalidDecl()) invalid.insert(d->getIdentifier());
    if (const IdentifierInfo* i = d->getIdentifier()) declared.insert(i);
    if (const auto* f = clang::dyn_cast<FunctionDecl>(d)) seen.insert(f->getNameInfo().getEndLoc());  // `~S`
    if (clang::isa<clang::RecordDecl, clang::ClassTemplateDecl, clang::TypedefNameDecl>(d))
      types.insert(d->getIdentifier());
    if (const auto* v = clang::dyn_cast<clang::VarDecl>(d); v != nullptr && v->isFileVarDecl()) variables.push_back(v);
    if (const auto* f = clang::dyn_cast<FunctionDecl>(d); f != nullptr && f->isTemplateInstantiation())
      if (clang::isTemplateExplicitInstantiationOrSpecialization(f->getTemplateSpecializationKind()))
        seen.insert(f->getPointOfInstantiation());
    return true;
  }
  bool VisitTypeLoc(clang::TypeLoc l) {
    seen.insert(l.getBeginLoc());
    return true;
  }
  bool VisitCXXThisExpr(clang::CXXThisExpr* e) {
    seen.insert(e->getLocation());
    return true;
  }
  bool VisitReturnStmt(clang::ReturnStmt* r) {
    seen.insert(r->getReturnLoc());
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* c) {
    if (launches_nothing(c))
      for (clang::Expr* a : c->arguments())
        if (const clang::DeclRefExpr* r = reference(a)) idle_.insert(r);
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) {
    // A call is visited before what it is given.
    return use(e, e->getDecl(), e->getLocation());
  }
  bool TraverseConstructorInitializer(clang::CXXCtorInitializer* i) {
    if (i->isWritten()) seen.insert(i->getMemberLocation());
    return RecursiveASTVisitor::TraverseConstructorInitializer(i);
  }
  bool VisitDesignatedInitExpr(clang::DesignatedInitExpr* e) {
    for (const clang::DesignatedInitExpr::Designator& d : e->designators())
      if (d.isFieldDesignator()) seen.insert(d.getFieldLoc());
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr* e) { return use(e, e->getMemberDecl(), e->getMemberLoc()); }
  bool VisitOverloadExpr(clang::OverloadExpr* e) {
    seen.insert(e->getNameLoc());
    // Which instance is launched is not known, even where its sizes are.
    for (const clang::NamedDecl* d : e->decls())
      if (const FunctionDecl* k = kernel(d)) {
        unclear.push_back({.name = k->getIdentifier(), .at = e->getNameLoc()});
        return true;
      }
    return true;
  }

  std::set<SourceLocation> seen, configured;  // places of names; of launches' sizes
  std::set<const IdentifierInfo*> declared, invalid, types;
  std::vector<FoundLaunch> launches;
  std::vector<Mention> unclear;
  std::vector<LostLaunch> lost;
  std::vector<const FunctionDecl*> hosts, patterns;  // patterns: of templates
  std::vector<const clang::VarDecl*> variables;

 private:
  static const clang::DeclRefExpr* reference(const clang::Expr* e) {
    e = e->IgnoreParenCasts();
    if (const auto* u = clang::dyn_cast<clang::UnaryOperator>(e); u != nullptr && u->getOpcode() == clang::UO_AddrOf)
      e = u->getSubExpr()->IgnoreParenCasts();
    return clang::dyn_cast<clang::DeclRefExpr>(e);
  }
  bool use(const clang::Expr* e, const clang::NamedDecl* d, SourceLocation at) {
    seen.insert(at);
    const FunctionDecl* k = kernel(d);
    if (k != nullptr && !launched_.contains(e) && !idle_.contains(e)) unclear.push_back({k, k->getIdentifier(), at});
    return true;
  }
  void look_for_launches(const FunctionDecl& host) {
    for (FoundLaunch& l : launches_of(context_, host, doubts_, unconst_)) {
      if (l.config.isValid()) configured.insert(l.config);
      if (l.callee == nullptr) continue;
      // Instances of a template share what does not depend on its arguments, the name of the kernel among it: each
      // of them launches for itself.
      launched_.insert(l.callee);
      launches.push_back(std::move(l));
    }
  }

  clang::ASTContext& context_;
  const Doubts& doubts_;
  const Unconst unconst_;
  std::set<const clang::Expr*> launched_, idle_;
  std::set<const FunctionDecl*> hosts_;
};

// Where functions stand in the text.
class Ranges {
 public:
  Ranges(const clang::SourceManager& sm, const std::vector<const FunctionDecl*>& functions) : sm_(sm) {
    for (const FunctionDecl* f : functions) {
      const auto [file, from] = sm.getDecomposedExpansionLoc(f->getBeginLoc());
      const auto [last, to] = sm.getDecomposedExpansionLoc(f->getEndLoc());
      if (file == last) ranges_[file].emplace_back(from, to);
    }
  }
  bool hold(SourceLocation where) const {
    const auto [file, at] = sm_.getDecomposedExpansionLoc(where);
    const auto it = ranges_.find(file);
    return it != ranges_.end() && std::any_of(it->second.begin(), it->second.end(),
                                              [at = at](const auto& r) { return r.first <= at && at <= r.second; });
  }

 private:
  const clang::SourceManager& sm_;
  std::map<clang::FileID, std::vector<std::pair<unsigned, unsigned>>> ranges_;
};

// Names in the host's code of which some use is not in the tree: clang has dropped what it stands in.
// Text that another outcome of a condition would compile is none of the tree's either.
std::set<const IdentifierInfo*> lost_names(clang::ASTContext& context, const Words& words, const Sweep& sweep,
                                           const Doubts& doubts) {
  const clang::SourceManager& sm = context.getSourceManager();
  const Ranges bodies(sm, sweep.hosts), patterns(sm, sweep.patterns);
  std::set<const IdentifierInfo*> out;
  // Outside of functions, too, clang may have dropped a whole function: who calls others is seen there, and which
  // classes a library is given.
  std::set<const IdentifierInfo*> functions = sweep.types;
  for (const FunctionDecl* f : sweep.hosts)
    if (f->getIdentifier() != nullptr && kernel(f) == nullptr) functions.insert(f->getIdentifier());
  for (const clang::VarDecl* v : sweep.variables)
    if (v->getType()->isPointerType() && v->getIdentifier() != nullptr) functions.insert(v->getIdentifier());
  for (const Word& w : words.list()) {
    if (w.kind != clang::tok::identifier || w.name == nullptr || sweep.seen.contains(w.at) || out.contains(w.name))
      continue;
    if (bodies.hold(w.at) || (functions.contains(w.name) && !patterns.hold(w.at))) out.insert(w.name);
  }
  for (const clang::SourceRange& r : doubts.skipped)
    for (const clang::Token& t : words_between(sm, context.getLangOpts(), r.getBegin(), r.getEnd()))
      if (t.is(clang::tok::raw_identifier)) out.insert(&context.Idents.get(t.getRawIdentifier()));
  return out;
}

// A use of `this` is not in the tree.
bool lost_objects(clang::ASTContext& context, const Words& words, const Sweep& sweep) {
  const Ranges patterns(context.getSourceManager(), sweep.patterns);
  return std::any_of(words.list().begin(), words.list().end(), [&](const Word& w) {
    return w.kind == clang::tok::kw_this && !sweep.seen.contains(w.at) && !patterns.hold(w.at);
  });
}

// A word of a coroutine: what its promise does, and when, is not in the tree (ISO C++ [dcl.fct.def.coroutine]).
const Word* suspends(const std::vector<Word>& words) {
  const auto it = std::find_if(words.begin(), words.end(), [](const Word& w) {
    return w.name != nullptr && (w.name->isStr("co_await") || w.name->isStr("co_yield") || w.name->isStr("co_return"));
  });
  return it == words.end() ? nullptr : &*it;
}

// What the text declares where clang could not read it. A function of such a name, or of a class of such a name, may be
// another one than that which the tree has.
Unread unread_text(clang::ASTContext& context, const Words& words, const Sweep& sweep,
                   const std::vector<SourceLocation>& errors) {
  Unread out;
  if (errors.empty()) return out;
  const clang::SourceManager& sm = context.getSourceManager();
  struct Body {
    const FunctionDecl* of;
    clang::FileID file;
    unsigned from, to;
    bool holds(clang::FileID in, unsigned at) const { return in == file && from <= at && at <= to; }
  };
  std::vector<Body> bodies;
  for (const auto* all : {&sweep.hosts, &sweep.patterns})
    for (const FunctionDecl* f : *all)
      if (const clang::Stmt* body = f->getBody()) {
        const auto [file, from] = sm.getDecomposedExpansionLoc(body->getBeginLoc());
        bodies.push_back({f, file, from, sm.getFileOffset(sm.getExpansionLoc(body->getEndLoc()))});
      }
  const std::vector<Word>& list = words.list();
  const auto keyword = [&](size_t n) { return clang::tok::getKeywordSpelling(list[n].kind) != nullptr; };
  const auto declares = [&](size_t n) {
    using namespace clang::tok;
    const auto is = [&](size_t k, std::initializer_list<TokenKind> kinds) {
      return std::find(kinds.begin(), kinds.end(), list[k].kind) != kinds.end();
    };
    return n > 0 && n + 1 < list.size() && (keyword(n - 1) || is(n - 1, {identifier, star, amp, ampamp, greater})) &&
           is(n + 1, {l_paren, less, equal, l_brace, semi, colon, l_square});
  };
  const auto note = [&](size_t n) {
    if (list[n].kind == clang::tok::kw_operator) out.operators = true;
    if (list[n].kind == clang::tok::identifier && list[n].name != nullptr && declares(n))
      out.names.insert(list[n].name);
  };
  const auto function_around = [&](SourceLocation where) {
    const auto [file, at] = sm.getDecomposedExpansionLoc(where);
    const auto it = std::find_if(bodies.begin(), bodies.end(), [&](const Body& b) { return b.holds(file, at); });
    return it == bodies.end() ? nullptr : it->of;
  };
  std::set<const FunctionDecl*> broken;
  for (const SourceLocation e : errors) {
    if (const FunctionDecl* f = function_around(e)) {
      broken.insert(f);
      continue;
    }
    // The declaration around it, as far as the words go.
    const auto [file, at] = sm.getDecomposedExpansionLoc(e);
    size_t n = 0;
    for (; n < list.size(); ++n)
      if (const auto [of, offset] = sm.getDecomposedExpansionLoc(list[n].at); of == file && offset >= at) break;
    const auto ends = [&](size_t k) {
      return list[k].kind == clang::tok::semi || list[k].kind == clang::tok::l_brace ||
             list[k].kind == clang::tok::r_brace;
    };
    size_t first = n;
    while (first > 0 && !ends(first - 1)) --first;
    for (size_t k = first; k < list.size() && (k < n || !ends(k)); ++k) note(k);
  }
  for (size_t n = 0; n < list.size(); ++n) {
    if (sweep.seen.contains(list[n].at)) continue;
    const FunctionDecl* f = function_around(list[n].at);
    if (f == nullptr)
      note(n);
    else if (list[n].kind == clang::tok::kw_return && broken.contains(f))
      out.without_return.insert(f);
  }
  for (const IdentifierInfo* i : sweep.invalid)
    if (i != nullptr) out.names.insert(i);
  return out;
}

// The name before `<<<` at this position of the words: "k" of `k`, `n::k` and `k<float>`.
const Word* launched_name(const std::vector<Word>& words, size_t at) {
  int depth = 0;
  while (at > 0) {
    const Word& w = words[--at];
    if (w.kind == clang::tok::greater) ++depth;
    if (w.kind == clang::tok::greatergreater) depth += 2;
    if (w.kind == clang::tok::less) --depth;
    if (depth < 0 || w.kind == clang::tok::semi || w.kind == clang::tok::l_brace) return nullptr;
    if (depth == 0 && w.kind != clang::tok::less) return w.kind == clang::tok::identifier ? &w : nullptr;
  }
  return nullptr;
}

// Text that a macro of an include that is not there may turn on.
void in_other_text(clang::ASTContext& context, const Doubts& doubts, const std::set<const IdentifierInfo*>& kernels,
                   std::vector<Mention>& out) {
  const clang::SourceManager& sm = context.getSourceManager();
  std::map<llvm::StringRef, const IdentifierInfo*> names;
  for (const IdentifierInfo* k : kernels) names.emplace(k->getName(), k);
  for (const clang::SourceRange& r : doubts.skipped) {
    bool global = false;  // the next kernel's name is declared
    for (const clang::Token& t : words_between(sm, context.getLangOpts(), r.getBegin(), r.getEnd())) {
      if (t.isNot(clang::tok::raw_identifier)) continue;
      if (t.getRawIdentifier() == "__global__") global = true;
      const auto it = names.find(t.getRawIdentifier());
      if (it == names.end()) continue;
      if (!std::exchange(global, false)) out.push_back({nullptr, it->second, t.getLocation()});
    }
  }
}

// By a function of the driver that nothing declares, so that no call of it is in the tree, the host turns to another
// device, or has what it asks for done later.
std::string calls_unread(const clang::ASTContext& context, const std::vector<Word>& words) {
  static const llvm::StringSet<> names = {
      "cuStreamBeginCapture", "cuStreamBeginCapture_v2", "cuStreamBeginCaptureToGraph",
      "cuCtxSetCurrent",      "cuCtxPushCurrent",        "cuCtxPopCurrent"};
  for (const Word& w : words)
    if (w.name != nullptr && names.contains(w.name->getName()) &&
        context.getTranslationUnitDecl()->lookup(w.name).empty())
      return w.name->getName().str();
  return "";
}

void forget_numbers(HostLaunch& l) {
  l.grid = l.block = {};
  l.grid_dimensions = l.block_dimensions = 3;
  l.shared = std::nullopt;
  for (Known& a : l.arguments) a = std::nullopt;
  l.relations = {};
}

}  // namespace

Mentions mentions(clang::ASTContext& context, const std::vector<clang::Decl*>& declarations, const Words& words,
                  const Doubts& missing, const Doubts& of_host, const std::set<const IdentifierInfo*>& kernels,
                  const std::vector<SourceLocation>& errors) {
  Doubts doubts = missing;
  doubts.add(of_host);
  Unread unread;
  if (!errors.empty()) {
    Sweep first(context, doubts);
    for (clang::Decl* d : declarations) first.TraverseDecl(d);
    unread = unread_text(context, words, first, errors);
    doubts.names.insert(unread.names.begin(), unread.names.end());
  }
  Sweep sweep(context, doubts);
  for (clang::Decl* d : declarations) sweep.TraverseDecl(d);
  const HostDoubts host = weigh(context, of_host, sweep.hosts, sweep.variables, sweep.launches);
  if (host.instances)
    for (FoundLaunch& l : sweep.launches)
      if (l.host != nullptr && of_template(l.host)) forget_numbers(l.launch);
  // In a region of OpenMP a variable may be another one of the same name. A variable that has changed since setjmp has
  // any value behind longjmp.
  const bool again = !comes_back(words.list()).empty();
  for (FoundLaunch& l : sweep.launches)
    if (!words.shared().empty() || (again && l.launch.relations.changes)) l.launch.relations = {};
  std::string lost;
  if (const std::string f = comes_back(words.list()); !f.empty())
    lost = "the host calls " + f + ", and may come back to where it was";
  else if (const std::string g = calls_unread(context, words.list()); !g.empty())
    lost = "nothing declares " + g + ", and when the host calls it is not known";
  std::set<const IdentifierInfo*> names = lost_names(context, words, sweep, doubts);
  names.insert(unread.names.begin(), unread.names.end());
  const auto users = [&context](SourceLocation at) {
    return users_text(context.getSourceManager(), context.getTargetInfo(), at);
  };
  GivenToLibraries given =
      given_to_libraries(users, declarations, sweep.hosts, names, lost_objects(context, words, sweep));
  if (const Word* w = suspends(words.list())) given.not_followed = w->at;
  Origins origins(context, sweep.hosts, sweep.variables, sweep.launches, std::move(names), host.pointers,
                  asks_for_variables(words.list()), std::move(lost), words.shared(), std::move(unread),
                  std::move(given));
  for (FoundLaunch& l : sweep.launches) origins.trace(l);
  Mentions out{.launches = std::move(sweep.launches),
               .unclear = std::move(sweep.unclear),
               .lost = std::move(sweep.lost),
               .hosts = sweep.hosts};
  in_other_text(context, doubts, kernels, out.unclear);
  const std::vector<Word>& list = words.list();
  for (const Asked& a : asks_for_kernels(list))
    for (const IdentifierInfo* k : kernels)
      if (a.text.empty() || llvm::StringRef(a.text).contains(k->getName())) out.unclear.push_back({nullptr, k, a.at});
  for (size_t n = 0; n < list.size(); ++n) {
    const Word& w = list[n];
    if (w.kind == clang::tok::lesslessless && !sweep.configured.contains(w.at)) {
      const Word* k = launched_name(list, n);
      if (k != nullptr && !sweep.declared.contains(k->name)) out.foreign.push_back({nullptr, k->name, k->at});
    }
    if (w.kind == clang::tok::identifier && kernels.contains(w.name) && !sweep.seen.contains(w.at))
      out.unclear.push_back({nullptr, w.name, w.at});
  }
  return out;
}

}  // namespace fencepost::clangfe
