#include "clangfe/survey.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Mangle.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/Template.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "clangfe/embedded.h"
#include "clangfe/host_doubts.h"
#include "clangfe/host_walk.h"

namespace fencepost::clangfe {
namespace {

using clang::FunctionDecl;
using clang::FunctionTemplateDecl;

bool is_kernel(const FunctionDecl* f) { return f->hasAttr<clang::CUDAGlobalAttr>(); }

// "reduce<float, 256>" as the source would name it, without namespaces.
std::string name_of(const FunctionDecl* f) {
  std::string out = f->getNameAsString();
  if (const clang::TemplateArgumentList* a = f->getTemplateSpecializationArgs()) {
    llvm::raw_string_ostream text(out);
    clang::PrintingPolicy policy(f->getASTContext().getPrintingPolicy());
    policy.SuppressTagKeyword = true;
    clang::printTemplateArgumentList(text, a->asArray(), policy);
  }
  return out;
}

// Places at which code takes the value of a variable, and nothing else; and places of its name that stand for others.
class ValuesOf : public clang::RecursiveASTVisitor<ValuesOf> {
 public:
  explicit ValuesOf(const clang::VarDecl* v) : v_(v->getCanonicalDecl()), name_(v->getIdentifier()) {}
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitLambdaBody() const { return true; }
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* e) {
    if (e->getCastKind() == clang::CK_LValueToRValue) part(e->getSubExpr());
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) {
    const auto* v = clang::dyn_cast<clang::VarDecl>(e->getDecl());
    if (e->getDecl()->getIdentifier() != name_) return true;
    // An expression is visited before its parts.
    if (v == nullptr || v->getCanonicalDecl() != v_ || read_.contains(e))
      fine.insert(e->getLocation());
    else
      kept.insert(e->getLocation());
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr* e) {
    fine.insert(e->getMemberLoc());
    return true;
  }
  bool VisitNamedDecl(clang::NamedDecl* d) {
    if (!d->isInvalidDecl()) fine.insert(d->getLocation());
    return true;
  }
  std::set<clang::SourceLocation> fine, kept;

 private:
  void part(const clang::Expr* e) {
    while (true) {
      e = e->IgnoreParens();
      if (const auto* m = clang::dyn_cast<clang::MemberExpr>(e); m != nullptr && !m->isArrow())
        e = m->getBase();
      else if (const auto* s = clang::dyn_cast<clang::ArraySubscriptExpr>(e))
        e = s->getBase();
      else if (const auto* c = clang::dyn_cast<clang::ImplicitCastExpr>(e);
               c != nullptr &&
               (c->getCastKind() == clang::CK_NoOp || c->getCastKind() == clang::CK_ArrayToPointerDecay))
        e = c->getSubExpr();
      else
        break;
    }
    if (const auto* d = clang::dyn_cast<clang::DeclRefExpr>(e)) read_.insert(d);
  }
  const clang::VarDecl* v_;
  const clang::IdentifierInfo* name_;
  std::set<const clang::Expr*> read_;
};

// A copy to a variable of the device whose name is not a word in the call.
bool copies_by_text(const std::vector<Word>& words, const std::set<const clang::IdentifierInfo*>& variables) {
  for (size_t n = 0; n + 1 < words.size(); ++n) {
    if (words[n].name == nullptr || words[n + 1].kind != clang::tok::l_paren) continue;
    const llvm::StringRef name = words[n].name->getName();
    if (!name.contains("ToSymbol") && !name.contains("SymbolAddress")) continue;
    bool named = false;
    int depth = 0;
    for (size_t k = n + 1; k < words.size(); ++k) {
      if (words[k].kind == clang::tok::l_paren) ++depth;
      if (words[k].kind == clang::tok::r_paren && --depth == 0) break;
      named = named || variables.contains(words[k].name);
    }
    if (!named) return true;
  }
  return false;
}

// Launches whose arguments clang does not understand leave the kernel's name unresolved; the arguments in <> stay.
class Named : public clang::RecursiveASTVisitor<Named> {
 public:
  explicit Named(clang::Sema& sema) : sema_(sema) {}
  bool VisitUnresolvedLookupExpr(clang::UnresolvedLookupExpr* e) {
    if (!e->hasExplicitTemplateArgs()) return true;
    for (const clang::NamedDecl* d : e->decls()) {
      const auto* t = clang::dyn_cast<FunctionTemplateDecl>(d->getUnderlyingDecl());
      if (t != nullptr && is_kernel(t->getTemplatedDecl())) instantiate(const_cast<FunctionTemplateDecl*>(t), e);
    }
    return true;
  }

 private:
  void instantiate(FunctionTemplateDecl* t, clang::UnresolvedLookupExpr* e) {
    for (const clang::TemplateArgumentLoc& a : e->template_arguments())
      if (a.getArgument().isDependent() || a.getArgument().isPackExpansion()) return;
    clang::TemplateArgumentListInfo given;
    e->copyTemplateArgumentsInto(given);
    if (given.size() < t->getTemplateParameters()->getMinRequiredArguments()) return;
    llvm::SmallVector<clang::TemplateArgument, 4> sugared, canonical;
    if (sema_.CheckTemplateArgumentList(t, e->getBeginLoc(), given, false, sugared, canonical)) return;
    auto* list = clang::TemplateArgumentList::CreateCopy(sema_.Context, canonical);
    if (FunctionDecl* f = sema_.InstantiateFunctionDeclaration(t, list, e->getBeginLoc()))
      sema_.MarkFunctionReferenced(e->getBeginLoc(), f, true);
  }

  clang::Sema& sema_;
};

// The first number of __launch_bounds__.
std::optional<uint64_t> launch_bound(clang::ASTContext& context, const FunctionDecl* f) {
  std::optional<uint64_t> least;
  for (const FunctionDecl* d : f->redecls())
    if (const auto* a = d->getAttr<clang::CUDALaunchBoundsAttr>()) {
      clang::Expr::EvalResult r;
      const clang::Expr* e = a->getMaxThreads();
      if (e == nullptr || e->isValueDependent() || e->containsErrors() || !e->EvaluateAsInt(r, context)) continue;
      const uint64_t n = r.Val.getInt().getZExtValue();
      if (n > 0) least = std::min(least.value_or(n), n);
    }
  return least;
}

// Primitives of cub for blocks have the size of the block among their arguments ("BLOCK_DIM_X: the thread block length
// in threads along the X dimension"); in a block of another size what they do is not defined.
std::vector<BlockNeed> block_needs(clang::ASTContext& context, const std::set<const clang::Decl*>& reached) {
  std::map<std::string, BlockNeed> out;
  for (const clang::Decl* d : reached) {
    const auto* m = clang::dyn_cast<clang::CXXMethodDecl>(d);
    const auto* r = m != nullptr ? clang::dyn_cast<clang::ClassTemplateSpecializationDecl>(m->getParent()) : nullptr;
    if (r == nullptr || !r->getName().starts_with("Block") ||
        !llvm::StringRef(r->getQualifiedNameAsString()).contains("cub::"))
      continue;
    BlockNeed need{.size = {0, 1, 1}};
    const clang::TemplateParameterList* names = r->getSpecializedTemplate()->getTemplateParameters();
    for (unsigned k = 0; k < names->size() && k < r->getTemplateArgs().size(); ++k) {
      const clang::TemplateArgument& a = r->getTemplateArgs()[k];
      const llvm::StringRef n = names->getParam(k)->getName();
      if (a.getKind() != clang::TemplateArgument::Integral) continue;
      for (size_t axis = 0; axis < 3; ++axis) {
        const std::string letter(1, static_cast<char>('X' + axis));
        if (n == letter || n == "BLOCK_DIM_" + letter || n == "BlockDim" + letter)
          need.size[axis] = a.getAsIntegral().getZExtValue();
      }
    }
    if (need.size[0] == 0) continue;
    clang::PrintingPolicy policy(context.getPrintingPolicy());
    policy.SuppressTagKeyword = true;
    policy.SuppressDefaultTemplateArgs = true;
    need.what = clang::QualType(r->getTypeForDecl(), 0).getAsString(policy);
    out.emplace(need.what, need);
  }
  std::vector<BlockNeed> list;
  for (auto& [name, need] : out) list.push_back(std::move(need));
  return list;
}

}  // namespace

bool users_text(const clang::SourceManager& sm, const clang::TargetInfo& target, clang::SourceLocation at) {
  if (at.isInvalid()) return false;
  const clang::FileID id = sm.getFileID(sm.getExpansionLoc(at));
  const auto file = sm.getFileEntryRefForID(id);
  // By the folder that the file was found in: a pragma in the user's text does not make it the system's.
  if (file && !target.getSDKVersion().empty() && sm.getSLocEntry(id).isFile() &&
      clang::SrcMgr::isSystem(sm.getSLocEntry(id).getFile().getFileCharacteristic()))
    return false;
  return file && !file->getName().starts_with(k_header_folder) &&
         !file->getName().starts_with(FENCEPOST_CLANG_RESOURCES);
}

// Variables of file scope are on the device, whatever their attributes: a kernel that is looked at alone often names
// textures and tables that its host code declares plainly. What a constructor or a function would have to fill is not.
void Survey::put_on_device(clang::VarDecl* v) {
  if (!users(v->getLocation()) || v->hasAttr<clang::CUDADeviceAttr>() || v->hasAttr<clang::CUDAConstantAttr>() ||
      v->hasAttr<clang::CUDASharedAttr>() || v->isInvalidDecl() || v->getType()->isDependentType() ||
      v->getType()->isReferenceType())
    return;
  const auto* record = v->getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  if (record != nullptr && (!record->hasDefinition() || !record->hasTrivialDestructor())) return;
  if (v->hasInit() && v->getInit() != nullptr &&
      (v->getInit()->containsErrors() || v->getInit()->isValueDependent() ||
       !v->getInit()->isConstantInitializer(*context_, false)))
    return;
  v->addAttr(clang::CUDADeviceAttr::CreateImplicit(*context_));
}

void Survey::visit(clang::Decl* d) {
  if (auto* context = clang::dyn_cast<clang::LinkageSpecDecl>(d)) {
    for (clang::Decl* inner : context->decls()) visit(inner);
  } else if (auto* space = clang::dyn_cast<clang::NamespaceDecl>(d)) {
    for (clang::Decl* inner : space->decls()) visit(inner);
  } else if (auto* f = clang::dyn_cast<FunctionDecl>(d)) {
    if (users(d->getLocation()) && f->getIdentifier() != nullptr)
      out_.user_functions.insert(clang::ASTNameGenerator(*context_).getName(f));
    handed_out_.push_back(d);
    if (f->isThisDeclarationADefinition() && !f->isDependentContext()) {
      functions_.push_back(f);
      instantiate_named(f);
    }
  } else if (auto* t = clang::dyn_cast<FunctionTemplateDecl>(d)) {
    if (users(d->getLocation()) && t->getIdentifier() != nullptr) out_.user_functions.insert(t->getName().str() + "<");
    templates_.push_back(t);
  } else if (auto* record = clang::dyn_cast<clang::CXXRecordDecl>(d)) {
    if (!record->isDependentContext())
      for (clang::Decl* inner : record->decls())
        if (auto* m = clang::dyn_cast<FunctionDecl>(inner); m != nullptr && m->isThisDeclarationADefinition())
          functions_.push_back(m);
  } else if (auto* v = clang::dyn_cast<clang::VarDecl>(d)) {
    put_on_device(v);
    handed_out_.push_back(d);
  }
}

void Survey::Initialize(clang::ASTContext& context) {
  context_ = &context;
  found_.words.watch(ci_.getPreprocessor(), [this](clang::SourceLocation at) { return users(at); });
}

bool Survey::HandleTopLevelDecl(clang::DeclGroupRef group) {
  for (clang::Decl* d : group) {
    visit(d);
    if (users(d->getLocation())) top_.push_back(d);
  }
  return true;
}

void Survey::instantiate_named(const FunctionDecl* host) {
  if (host->hasAttr<clang::CUDAGlobalAttr>() || host->hasAttr<clang::CUDADeviceAttr>() || host->getBody() == nullptr)
    return;
  Named(ci_.getSema()).TraverseStmt(host->getBody());
}

HostKernel* Survey::row(const FunctionDecl* f) {
  const auto it = rows_.find(f->getCanonicalDecl());
  return it == rows_.end() ? nullptr : &found_.kernels[it->second];
}

// The functions of the text that have a body there.
std::vector<const FunctionDecl*> Survey::with_text() const {
  std::vector<const FunctionDecl*> out(functions_.begin(), functions_.end());
  for (const FunctionTemplateDecl* t : templates_) out.push_back(t->getTemplatedDecl());
  return out;
}

void Survey::add_kernel(const FunctionDecl* f, Closure& closure) {
  if (!rows_.try_emplace(f->getCanonicalDecl(), found_.kernels.size()).second) return;
  HostKernel k{.name = name_of(f),
               .symbol = clang::ASTNameGenerator(*context_).getName(f),
               .place = collector_.place(ci_.getSourceManager(), f->getLocation())};
  std::set<const clang::Decl*> mine;
  if (const Failure* bad = closure.fault(f, mine)) {
    k.not_read = bad->said;
    if (!k.not_read->span.source) k.not_read->span = k.place;
  }
  reached_.insert(mine.begin(), mine.end());
  const std::vector<const FunctionDecl*> functions = with_text();
  k.other_text =
      arch_notes(ci_.getSourceManager(), found_.elsewhere.arch, mine, functions, found_.cuda_arch, found_.arch_given);
  CompilerNotes(*context_, found_.elsewhere.compilers, functions).of_kernel(f, mine, k.other_text);
  k.most_threads = launch_bound(*context_, f);
  k.needs = block_needs(*context_, mine);
  found_.kernels.push_back(std::move(k));
}

// All rows that may be meant.
std::vector<HostKernel*> Survey::rows_of(const Mention& m) {
  if (m.kernel != nullptr)
    if (HostKernel* k = row(m.kernel)) return {k};
  std::vector<HostKernel*> out;
  for (const auto& [f, n] : rows_)
    if (f->getIdentifier() == m.name) out.push_back(&found_.kernels[n]);
  return out;
}

void Survey::add_uses(const Mentions& found) {
  for (const Mention& m : found.unclear)
    for (HostKernel* k : rows_of(m)) {
      const Span place = collector_.place(ci_.getSourceManager(), m.at);
      if (std::any_of(k->launches.begin(), k->launches.end(),
                      [&](const HostLaunch& l) { return l.named_only && l.place.begin == place.begin; }))
        continue;
      k->launches.push_back({.place = place, .shared = std::nullopt, .cooperative = std::nullopt, .named_only = true});
    }
}

// Launches of kernels that nothing in the text declares: their text is in a file that is not there.
// A row of a kernel of which there is nothing to read.
HostKernel Survey::without_text(std::string name, clang::SourceLocation at, std::string message, std::string hint) {
  HostKernel k{.name = std::move(name), .place = collector_.place(ci_.getSourceManager(), at)};
  k.not_read = Diagnostic{.span = k.place, .message = std::move(message), .hint = std::move(hint)};
  k.not_read->fault = Fault::unsupported;
  return k;
}

void Survey::add_foreign(const Mentions& found) {
  std::set<const clang::IdentifierInfo*> said;
  for (const Mention& m : found.foreign) {
    if (!said.insert(m.name).second) continue;
    found_.kernels.push_back(without_text(m.name->getName().str(), m.at,
                                          "this is launched, and nothing in what was read declares it",
                                          "-I names a folder for includes"));
  }
}

// Kernels that are launched here and whose text is in another file. Each is a row at its first launch.
void Survey::add_launched_elsewhere(const Mentions& found) {
  std::set<const FunctionDecl*> said;
  for (const FoundLaunch& l : found.launches) {
    if (l.kernel == nullptr || row(l.kernel) != nullptr || l.kernel->isInvalidDecl()) continue;
    const FunctionDecl* text = l.kernel->getTemplateInstantiationPattern();
    if (text == nullptr) text = l.kernel;
    if (text->isDefined() || !said.insert(text->getCanonicalDecl()).second) continue;
    found_.kernels.push_back(without_text(l.kernel->getNameAsString(), l.at,
                                          "this is launched, and only declared in what was read",
                                          "ask for the file that has its text"));
  }
}

// Launches by an instance of a template whose body has an error: which instances of the kernel there are is not known.
void Survey::add_lost(const Mentions& found) {
  std::set<std::pair<const FunctionDecl*, const FunctionDecl*>> said;
  for (const LostLaunch& l : found.lost) {
    if (!said.emplace(l.kernel->getCanonicalDecl(), l.host->getCanonicalDecl()).second) continue;
    HostKernel k = without_text(l.kernel->getNameAsString(), l.at,
                                "this is launched by '" + name_of(l.host) + "', whose body is not compiled", "");
    for (const Failure& x : faults_)
      if (x.inside == l.host ||
          (x.inside == nullptr && x.at.isValid() &&
           ci_.getSourceManager().isPointWithin(x.at, l.host->getBeginLoc(), l.host->getEndLoc()))) {
        k.not_read->message += ": " + x.said.message;
        break;
      }
    found_.kernels.push_back(std::move(k));
  }
}

void Survey::add_launches() {
  std::set<const clang::IdentifierInfo*> names;
  for (const auto& [f, n] : rows_)
    if (f->getIdentifier() != nullptr) names.insert(f->getIdentifier());
  const std::vector<const FunctionDecl*> functions = with_text();
  std::vector<clang::SourceLocation> errors;
  for (const Failure& f : collector_.failures)
    if (f.at.isValid() && users(f.at)) errors.push_back(f.at);
  Mentions found = mentions(*context_, top_, found_.words, found_.elsewhere.missing,
                            of_host_code(*context_, found_.elsewhere.host, functions), names, errors);
  for (FoundLaunch& l : found.launches) {
    HostKernel* k = l.kernel != nullptr ? row(l.kernel) : nullptr;
    if (k == nullptr) continue;
    l.launch.place = collector_.place(ci_.getSourceManager(), l.at);
    k->launches.push_back(std::move(l.launch));
  }
  add_launched_elsewhere(found);
  const CompilerNotes notes(*context_, found_.elsewhere.compilers, functions);
  for (const auto& [f, n] : rows_) notes.of_launches(f, found.launches, found.hosts, found_.kernels[n].other_text);
  add_uses(found);
  for (HostKernel& k : found_.kernels)
    std::stable_sort(k.launches.begin(), k.launches.end(), [](const HostLaunch& a, const HostLaunch& b) {
      return a.place.source == b.place.source && a.place.begin < b.place.begin;
    });
  add_foreign(found);
  add_lost(found);
}

// Kernels that no row has yet: templates that nothing instantiates, and functions that the parser lost.
void Survey::add_unseen() {
  const clang::SourceManager& sm = ci_.getSourceManager();
  std::set<clang::SourceLocation> seen;
  const auto mark = [&](const FunctionDecl* f) {
    for (const FunctionDecl* d : f->redecls())
      for (const auto* a : d->specific_attrs<clang::CUDAGlobalAttr>())
        seen.insert(sm.getExpansionLoc(a->getLocation()));
  };
  for (const FunctionTemplateDecl* t : templates_) {
    const FunctionDecl* f = t->getTemplatedDecl();
    if (!is_kernel(f)) continue;
    mark(f);
    if (!f->isThisDeclarationADefinition() || !users(f->getLocation())) continue;
    bool instantiated = false;
    for (const FunctionDecl* s : t->specializations())
      instantiated = instantiated || rows_.count(s->getCanonicalDecl()) != 0;
    if (instantiated) continue;
    const std::string name = f->getNameAsString();
    HostKernel k =
        without_text(name, f->getLocation(), "this template has no arguments: nothing in the file launches it",
                     "add `template __global__ void " + name + "<...>(...);` to the file");
    // Clang makes no instance of a template whose own text has an error.
    for (const Failure& x : faults_) {
      if (!x.at.isValid() || !sm.isPointWithin(x.at, f->getBeginLoc(), f->getEndLoc())) continue;
      k.not_read = x.said;
      break;
    }
    found_.kernels.push_back(std::move(k));
  }
  for (clang::Decl* d : handed_out_)
    if (const auto* f = clang::dyn_cast<FunctionDecl>(d)) mark(f);
  for (const clang::SourceLocation word : found_.globals) {
    if (seen.count(sm.getExpansionLoc(word)) != 0 || !users(word)) continue;
    // The name is the last word before the first '('.
    clang::SourceLocation at = sm.getExpansionLoc(word);
    std::string name, last;
    for (unsigned k = 0; k < 64; ++k) {
      const auto t = clang::Lexer::findNextToken(at, sm, ci_.getLangOpts());
      if (!t) break;
      at = t->getLocation();
      if (t->is(clang::tok::raw_identifier)) {
        last = t->getRawIdentifier().str();
      } else if (t->is(clang::tok::l_paren)) {
        if (last == "__launch_bounds__" || last == "__cluster_dims__" || last == "__attribute__" ||
            last == "__align__") {
          for (int depth = 1; depth > 0;) {
            const auto u = clang::Lexer::findNextToken(at, sm, ci_.getLangOpts());
            if (!u || u->is(clang::tok::eof)) break;
            at = u->getLocation();
            depth += u->is(clang::tok::l_paren) ? 1 : u->is(clang::tok::r_paren) ? -1 : 0;
          }
          continue;
        }
        name = last;
        break;
      } else if (t->isOneOf(clang::tok::semi, clang::tok::l_brace, clang::tok::eof)) {
        break;
      }
    }
    if (name.empty()) continue;
    HostKernel k{.name = name, .place = collector_.place(sm, word)};
    k.not_read = Diagnostic{.span = k.place, .message = "clang lost this function behind an earlier error"};
    for (const Failure& f : collector_.failures)
      if (f.at.isValid() && sm.isBeforeInTranslationUnit(f.at, sm.getExpansionLoc(word)))
        k.not_read->message = "clang lost this function; the error before it is: " + f.said.message;
    found_.kernels.push_back(std::move(k));
  }
}

// A __constant__ variable that no other file knows has its first value if this file does not write it either: each word
// of its name, in the text and in what conditions leave out, is its declaration or stands in code of the device, which
// takes the value there and not the address. A file that is not there may have such a word; and a name may be put
// together where functions find variables by their names.
bool Survey::keeps_first_value(const clang::VarDecl* v) const {
  if (!v->hasAttr<clang::CUDAConstantAttr>() || !v->hasInit() || v->getIdentifier() == nullptr ||
      v->getFormalLinkage() != clang::Linkage::Internal || !found_.missing.empty() ||
      asks_for_variables(found_.words.list()))
    return false;
  const clang::SourceManager& sm = ci_.getSourceManager();
  const auto within = [&](clang::SourceLocation at, clang::SourceLocation begin, clang::SourceLocation end) {
    at = sm.getExpansionLoc(at);
    return !sm.isBeforeInTranslationUnit(at, sm.getExpansionLoc(begin)) &&
           !sm.isBeforeInTranslationUnit(sm.getExpansionRange(end).getEnd(), at);
  };
  const std::vector<const FunctionDecl*> functions = with_text();
  const auto of_device = [&](clang::SourceLocation at) {
    return std::any_of(functions.begin(), functions.end(), [&](const FunctionDecl* f) {
      const clang::Stmt* body = on_device_only(f) ? f->getBody() : nullptr;
      return body != nullptr && within(at, body->getBeginLoc(), body->getEndLoc());
    });
  };
  std::set<const clang::IdentifierInfo*> variables;
  for (const clang::Decl* d : handed_out_)
    if (const auto* x = clang::dyn_cast<clang::VarDecl>(d);
        x != nullptr && (x->hasAttr<clang::CUDAConstantAttr>() || x->hasAttr<clang::CUDADeviceAttr>()))
      variables.insert(x->getIdentifier());
  if (copies_by_text(found_.words.list(), variables)) return false;
  ValuesOf values(v);
  values.TraverseAST(*context_);
  for (const Word& w : found_.words.list()) {
    if (w.kind == clang::tok::identifier && w.name == v->getIdentifier() && w.at != v->getLocation() &&
        (values.kept.contains(w.at) || !values.fine.contains(w.at)))
      return false;
    // Asked for by name, as C++ or as the object file has it.
    if (w.text == v->getName() || (w.text.starts_with("_Z") && w.text.find(v->getName().str()) != std::string::npos))
      return false;
    if (w.kind == clang::tok::identifier && w.name == v->getIdentifier() && w.at != v->getLocation() &&
        !of_device(w.at))
      return false;
  }
  // What conditions leave out, and what macros stand for.
  for (unsigned n = 0; n < sm.local_sloc_entry_size(); ++n) {
    const clang::SrcMgr::SLocEntry& e = sm.getLocalSLocEntry(n);
    if (!e.isFile()) continue;
    const clang::FileID file = sm.getFileID(clang::SourceLocation::getFromRawEncoding(e.getOffset()));
    const clang::SourceLocation begin = sm.getLocForStartOfFile(file), end = sm.getLocForEndOfFile(file);
    if (!users(begin)) continue;
    for (const clang::Token& t : words_between(sm, ci_.getLangOpts(), begin, end))
      if (t.is(clang::tok::raw_identifier) && t.getRawIdentifier() == v->getName() &&
          t.getLocation() != v->getLocation() && !of_device(t.getLocation()))
        return false;
  }
  return true;
}

void Survey::generate() {
  ci_.getDiagnostics().Reset(true);
  std::unique_ptr<clang::CodeGenerator> gen(
      clang::CreateLLVMCodeGen(ci_.getDiagnostics(), "kernel", &ci_.getVirtualFileSystem(), ci_.getHeaderSearchOpts(),
                               ci_.getPreprocessorOpts(), ci_.getCodeGenOpts(), *out_.context));
  gen->Initialize(*context_);
  for (clang::Decl* d : handed_out_)
    if (reached_.count(d->getCanonicalDecl()) != 0) gen->HandleTopLevelDecl(clang::DeclGroupRef(d));
  for (clang::VarDecl* v : variables_)
    if (reached_.count(v->getCanonicalDecl()) != 0) gen->HandleCXXStaticMemberVarInstantiation(v);
  gen->HandleTranslationUnit(*context_);
  out_.module.reset(gen->ReleaseModule());
  if (out_.module == nullptr) return;
  for (const clang::Decl* d : handed_out_)
    if (const auto* v = clang::dyn_cast<clang::VarDecl>(d); v != nullptr && keeps_first_value(v))
      if (auto* g = out_.module->getGlobalVariable(clang::ASTNameGenerator(*context_).getName(v), true))
        g->setConstant(true);
}

// A condition is a fault of what holds it, and of each declaration that lies in it.
void Survey::add_doubts(clang::Decl* d) {
  if (auto* space = clang::dyn_cast<clang::DeclContext>(d);
      space != nullptr && (clang::isa<clang::NamespaceDecl>(d) || clang::isa<clang::LinkageSpecDecl>(d))) {
    for (clang::Decl* inner : space->decls()) add_doubts(inner);
    return;
  }
  const clang::SourceManager& sm = ci_.getSourceManager();
  for (const Doubts::Region& r : found_.elsewhere.missing.regions)
    if (const auto at = sm.getExpansionLoc(d->getLocation());
        sm.isBeforeInTranslationUnit(r.begin, at) && sm.isBeforeInTranslationUnit(at, r.end)) {
      faults_.push_back({.said = {.span = collector_.place(sm, r.begin), .message = r.why}, .at = at});
      break;
    }
}

// The declarations that an attribute may belong to: those around it; between two of them both, since it stands before
// the one or behind the other.
static void owners_of(clang::SourceLocation at, const std::vector<clang::Decl*>& decls, const clang::SourceManager& sm,
                      std::vector<clang::Decl*>& out) {
  clang::Decl *before = nullptr, *behind = nullptr;
  bool around = false;
  for (clang::Decl* d : decls) {
    const clang::SourceRange range = d->getSourceRange();
    if (d->isImplicit() || range.isInvalid()) continue;
    const clang::SourceLocation begin = sm.getExpansionLoc(range.getBegin()),
                                end = sm.getExpansionRange(range.getEnd()).getEnd();
    if (sm.isBeforeInTranslationUnit(end, at)) {
      before = d;
    } else if (sm.isBeforeInTranslationUnit(at, begin)) {
      if (behind == nullptr) behind = d;
    } else {
      around = true;
      const bool holder = clang::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(d);
      if (!holder) out.push_back(d);
      if (holder || clang::isa<clang::RecordDecl>(d)) {
        auto* context = clang::cast<clang::DeclContext>(d);
        owners_of(at, {context->decls_begin(), context->decls_end()}, sm, out);
      }
    }
  }
  if (around) return;
  // Nothing that stands behind the body of a function belongs to it.
  const auto* f = before != nullptr ? before->getAsFunction() : nullptr;
  if (f != nullptr && f->isThisDeclarationADefinition()) before = nullptr;
  for (clang::Decl* d : {before, behind})
    if (d != nullptr) out.push_back(d);
}

void Survey::add_attributes() {
  const clang::SourceManager& sm = ci_.getSourceManager();
  for (const Failure& a : collector_.attributes) {
    std::vector<clang::Decl*> owners;
    owners_of(a.at, top_, sm, owners);
    const std::string name = a.said.message.substr(0, a.said.message.rfind('\'') + 1);
    for (clang::Decl* d : owners) {
      if (auto* t = clang::dyn_cast<clang::TemplateDecl>(d); t != nullptr && t->getTemplatedDecl() != nullptr)
        d = t->getTemplatedDecl();
      clang::SourceLocation at = d->getLocation();
      if (const auto* tag = clang::dyn_cast<clang::TagDecl>(d); tag != nullptr && tag->getDefinition() != nullptr)
        at = tag->getDefinition()->getLocation();
      if (const auto* v = clang::dyn_cast<clang::VarDecl>(d); v != nullptr && v->getDefinition() != nullptr)
        at = v->getDefinition()->getLocation();
      Failure f{.said = {.span = a.said.span,
                         .message = "the attribute " + name.substr(name.find('\'')),
                         .hint = "leave it out if it says nothing of what the kernel does; without cluster_dims the "
                                 "blocks are not clusters"},
                .at = sm.getExpansionLoc(at),
                .inside = clang::dyn_cast<FunctionDecl>(d)};
      f.said.fault = Fault::unsupported;
      faults_.push_back(std::move(f));
    }
  }
}

void Survey::add_doubts() {
  faults_ = collector_.failures;
  if (attributes_decide_) add_attributes();
  if (found_.elsewhere.missing.none()) return;
  const size_t first = faults_.size();
  const clang::SourceManager& sm = ci_.getSourceManager();
  for (const Doubts::Region& r : found_.elsewhere.missing.regions)
    faults_.push_back({.said = {.span = collector_.place(sm, r.begin), .message = r.why}, .at = r.begin});
  for (const Doubts::Use& u : found_.elsewhere.missing.uses)
    faults_.push_back({.said = {.span = collector_.place(sm, u.at), .message = u.why}, .at = u.at});
  for (clang::Decl* d : top_) add_doubts(d);
  for (size_t k = first; k < faults_.size(); ++k) {
    faults_[k].said.fault = Fault::unsupported;
    faults_[k].said.hint =
        "-I names a folder for the include; -DNAME=VALUE or --clang-opt=-UNAME says what the macro is";
  }
}

void Survey::HandleTranslationUnit(clang::ASTContext& context) {
  collector_.watch(nullptr);
  add_doubts();
  Closure closure(context, faults_);
  for (const FunctionDecl* f : functions_)
    if (is_kernel(f)) add_kernel(f, closure);
  // Axioms, and functions that a pointer may point to or that are looked at for themselves.
  for (const FunctionDecl* f : functions_)
    if (!is_kernel(f) && f->hasAttr<clang::CUDADeviceAttr>() && users(f->getLocation())) closure.fault(f, reached_);
  add_launches();
  add_unseen();
  generate();
  const auto order = [](const HostKernel& k) {
    return std::tuple(k.place.source != nullptr ? k.place.source->name : "", k.place.begin);
  };
  std::stable_sort(found_.kernels.begin(), found_.kernels.end(),
                   [&](const HostKernel& a, const HostKernel& b) { return order(a) < order(b); });
}

}  // namespace fencepost::clangfe
