#include "clangfe/host_doubts.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <set>

#include "clangfe/host_walk.h"

namespace fencepost::clangfe {

using clang::FunctionDecl;
using clang::SourceLocation;
namespace tok = clang::tok;

namespace {

bool on_device(const FunctionDecl* f) {
  return f->hasAttr<clang::CUDAGlobalAttr>() || f->hasAttr<clang::CUDADeviceAttr>();
}

// Each declaration of file scope in this text is a function of the device alone; lines of directives do not count.
bool declares_for_device(clang::ASTContext& context, SourceLocation from, SourceLocation to) {
  bool device = false, host = false, any = false, ok = true;
  int depth = 0;
  const auto end = [&] {
    ok = ok && (!any || (device && !host));
    device = host = any = false;
  };
  const std::vector<clang::Token> words = words_between(context.getSourceManager(), context.getLangOpts(), from, to);
  for (size_t k = 0; k < words.size(); ++k) {
    const clang::Token& t = words[k];
    if (t.is(tok::hash) && t.isAtStartOfLine()) {
      while (k + 1 < words.size() && !words[k + 1].isAtStartOfLine()) ++k;
      continue;
    }
    if (t.is(tok::comment)) continue;
    if (t.is(tok::l_brace)) ++depth;
    if (t.is(tok::r_brace) && --depth == 0) {
      end();
      continue;
    }
    if (depth > 0) continue;
    if (depth < 0) return false;
    if (t.is(tok::semi)) {
      end();
      continue;
    }
    any = true;
    if (t.isNot(tok::raw_identifier)) continue;
    const llvm::StringRef word = t.getRawIdentifier();
    device = device || word == "__device__" || word == "__global__";
    host = host || word == "__host__" || word == "struct" || word == "class" || word == "enum" || word == "typedef" ||
           word == "using" || word == "constexpr";
  }
  end();
  return ok && depth == 0;
}

// Nothing in the function is a pointer that leads to data.
class WithoutPointers : public clang::RecursiveASTVisitor<WithoutPointers> {
 public:
  bool shouldVisitLambdaBody() const { return true; }
  bool VisitExpr(clang::Expr* e) {
    if (clang::isa<clang::CUDAKernelCallExpr>(e) || e->isTypeDependent()) holds = false;
    if (clang::isa<clang::CXXThisExpr>(e)) return type(e->getType()->getPointeeType());
    return type(e->getType());
  }
  bool VisitVarDecl(clang::VarDecl* v) { return type(v->getType()); }
  bool holds = true;

 private:
  bool type(clang::QualType t, unsigned depth = 0) {
    if (t.isNull() || depth > 8) return holds = false;
    t = t.getNonReferenceType().getCanonicalType();
    while (const clang::ArrayType* a = t->getAsArrayTypeUnsafe()) t = a->getElementType();
    const bool leads = t->isPointerType() && !t->getPointeeType()->isFunctionType();
    if (leads && !t->getPointeeType()->isCharType()) holds = false;  // texts are no arrays of kernels
    if (t->isMemberPointerType() || t->isDependentType()) holds = false;
    if (const auto* r = t->getAsCXXRecordDecl(); r != nullptr && r->hasDefinition()) {
      for (const clang::FieldDecl* f : r->fields()) type(f->getType(), depth + 1);
      for (const clang::CXXBaseSpecifier& b : r->bases()) type(b.getType(), depth + 1);
    }
    return holds;
  }
};

bool without_pointers(const FunctionDecl* f) {
  WithoutPointers look;
  for (clang::ParmVarDecl* p : f->parameters()) look.VisitVarDecl(p);
  look.TraverseStmt(f->getBody());
  return look.holds && !clang::isa<clang::CXXConstructorDecl>(f);
}

class Named : public clang::RecursiveASTVisitor<Named> {
 public:
  bool shouldVisitLambdaBody() const { return true; }
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) { return use(e->getDecl()); }
  bool VisitMemberExpr(clang::MemberExpr* e) { return use(e->getMemberDecl()); }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* e) { return use(e->getConstructor()); }
  bool VisitVarDecl(clang::VarDecl* v) {
    const auto* r = v->getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    return r == nullptr || !r->hasDefinition() || r->getDestructor() == nullptr || use(r->getDestructor());
  }
  void go_over(const FunctionDecl* f) {
    if (!met_.insert(f).second) return;
    found.push_back(f);
    TraverseStmt(f->getBody());
    if (const auto* c = clang::dyn_cast<clang::CXXConstructorDecl>(f))
      for (const clang::CXXCtorInitializer* i : c->inits()) TraverseStmt(i->getInit());
  }
  std::vector<const FunctionDecl*> found;

 private:
  bool use(const clang::ValueDecl* d) {
    const auto* f = clang::dyn_cast<FunctionDecl>(d);
    if (const FunctionDecl* whole = body_of(f); whole != nullptr && !on_device_only(f)) go_over(whole);
    return true;
  }
  std::set<const FunctionDecl*> met_;
};

}  // namespace

Doubts of_host_code(clang::ASTContext& context, const Doubts& all, const std::vector<const FunctionDecl*>& functions) {
  const clang::SourceManager& sm = context.getSourceManager();
  std::vector<const FunctionDecl*> device;
  for (const FunctionDecl* f : functions)
    if (on_device_only(f)) device.push_back(f);
  const auto in_device = [&](SourceLocation from, SourceLocation to) {
    return std::any_of(device.begin(), device.end(), [&](const FunctionDecl* f) {
      const clang::Stmt* body = f->getBody();
      return body != nullptr && sm.isBeforeInTranslationUnit(sm.getExpansionLoc(body->getBeginLoc()), from) &&
             sm.isBeforeInTranslationUnit(to, sm.getExpansionRange(body->getEndLoc()).getEnd());
    });
  };
  Doubts out;
  for (const Doubts::Region& r : all.regions)
    if (!in_device(r.begin, r.end) && !declares_for_device(context, r.begin, r.end)) out.regions.push_back(r);
  for (const Doubts::Use& u : all.uses)
    if (!in_device(u.at, u.at)) out.uses.push_back(u);
  out.skipped = all.skipped;
  for (const clang::SourceRange& r : all.skipped) {
    if (in_device(r.getBegin(), r.getEnd())) continue;
    for (const clang::Token& t : words_between(sm, context.getLangOpts(), r.getBegin(), r.getEnd()))
      if (t.is(tok::raw_identifier)) out.names.insert(&context.Idents.get(t.getRawIdentifier()));
  }
  return out;
}

bool declared_otherwise(const clang::Decl* d, const std::set<const clang::IdentifierInfo*>& names) {
  if (names.empty() || !clang::isa<FunctionDecl, clang::TypeDecl, clang::TemplateDecl, clang::VarDecl>(d) ||
      d->getDeclContext()->isFunctionOrMethod())
    return false;
  if (names.contains(clang::cast<clang::NamedDecl>(d)->getIdentifier())) return true;
  const auto* around = clang::dyn_cast<clang::CXXRecordDecl>(d->getDeclContext());
  return around != nullptr && declared_otherwise(around, names);
}

bool of_template(const FunctionDecl* f) {
  for (const clang::DeclContext* c = f; c != nullptr; c = c->getParent()) {
    if (const auto* x = clang::dyn_cast<FunctionDecl>(c); x != nullptr && x->isTemplateInstantiation()) return true;
    if (const auto* r = clang::dyn_cast<clang::CXXRecordDecl>(c);
        r != nullptr && r->getTemplateInstantiationPattern() != nullptr)
      return true;
  }
  return false;
}

HostDoubts weigh(clang::ASTContext& context, const Doubts& doubts, const std::vector<const FunctionDecl*>& hosts,
                 const std::vector<const clang::VarDecl*>& variables, const std::vector<FoundLaunch>& launches) {
  HostDoubts out;
  if (doubts.none() && doubts.names.empty()) return out;
  Named named;
  for (const FunctionDecl* f : hosts)
    if (!on_device(f) || (f->isConstexpr() && !on_device_only(f))) named.go_over(f);
  for (const FoundLaunch& l : launches)
    if (l.host != nullptr && !on_device_only(l.host)) named.go_over(l.host);
  for (const clang::VarDecl* v : variables)
    if (v->hasInit()) named.TraverseStmt(const_cast<clang::Expr*>(v->getInit()));
  for (const FunctionDecl* f : named.found) {
    if (!in_doubt(context, doubts, *f)) continue;
    const bool pointers = !without_pointers(f);
    out.pointers = out.pointers || pointers;
    out.instances = out.instances || pointers || f->isConstexpr();
  }
  // Outside of functions: defaults, types, specialisations.
  const clang::SourceManager& sm = context.getSourceManager();
  const auto in_function = [&](SourceLocation from, SourceLocation to) {
    return std::any_of(hosts.begin(), hosts.end(), [&](const FunctionDecl* f) {
      const clang::Stmt* body = f->getBody();
      return sm.isBeforeInTranslationUnit(sm.getExpansionLoc(body->getBeginLoc()), from) &&
             sm.isBeforeInTranslationUnit(to, sm.getExpansionRange(body->getEndLoc()).getEnd());
    });
  };
  for (const Doubts::Region& r : doubts.regions) out.instances = out.instances || !in_function(r.begin, r.end);
  for (const Doubts::Use& u : doubts.uses) out.instances = out.instances || !in_function(u.at, u.at);
  return out;
}

}  // namespace fencepost::clangfe
