#include "clangfe/host_given.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclFriend.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <llvm/ADT/StringSet.h>

#include <algorithm>
#include <map>

#include "clangfe/host_walk.h"

namespace fencepost::clangfe {
namespace {

using clang::CXXRecordDecl;
using clang::Expr;
using clang::FunctionDecl;
using clang::QualType;
using clang::TemplateArgument;
using Classes = std::set<const CXXRecordDecl*>;

// They pass a reference on, and call nothing (ISO C++ [forward], [ptr.launder], [specialized.addressof]).
bool passes_on(const FunctionDecl* f) {
  static const llvm::StringSet<> names = {"move",     "forward", "forward_like", "addressof", "__addressof",
                                          "as_const", "declval", "launder",      "bit_cast"};
  if (f->getIdentifier() == nullptr) return false;
  const llvm::StringRef name = f->getName();
  // Of the runtime: bytes.
  const bool runtime = f->getDeclContext()->getRedeclContext()->isTranslationUnit() && name.starts_with("cuda");
  return names.contains(name) || runtime || f->getBuiltinID() != 0;
}

// It computes with types, and has no objects (ISO C++ [meta]).
bool trait(llvm::StringRef name) {
  static const llvm::StringSet<> names = {"enable_if",
                                          "conditional",
                                          "decay",
                                          "common_type",
                                          "type_identity",
                                          "tuple_size",
                                          "rank",
                                          "integral_constant",
                                          "underlying_type",
                                          "tuple_element",
                                          "extent",
                                          "numeric_limits",
                                          "invoke_result",
                                          "result_of",
                                          "void_t",
                                          "alignment_of",
                                          "iterator_traits",
                                          "basic_common_reference"};
  return names.contains(name) || name.starts_with("is_") || name.starts_with("remove_") || name.starts_with("add_") ||
         name.starts_with("make_") || name.starts_with("has_");
}

// Functions that libraries call by the classes of their arguments; operators are such, too (ISO C++ [customization],
// [iterator.range], [swappable.requirements], [tuple.apply]).
bool found_by_class(llvm::StringRef name) {
  static const llvm::StringSet<> names = {
      "swap",       "iter_swap", "iter_move", "begin",      "end",     "cbegin",    "cend",           "rbegin",
      "rend",       "crbegin",   "crend",     "size",       "ssize",   "data",      "empty",          "get",
      "hash_value", "distance",  "advance",   "tag_invoke", "to_json", "from_json", "make_error_code"};
  return names.contains(name);
}

// ---- classes in a type -------------------------------------------------------------------------------------------

// Collects the records that take part in a type, and templates of which no instance is meant yet.
class Parts {
 public:
  Classes classes;
  std::set<const clang::TemplateDecl*> templates;
  bool open = false;  // any class may take part: a parameter of a template
  void type(QualType t) {
    if (t.isNull()) return;
    const clang::Type* x = t.getCanonicalType().getTypePtr();
    if (!seen_.insert(x).second) return;
    if (const auto* p = x->getAs<clang::PointerType>()) return type(p->getPointeeType());
    if (const auto* r = x->getAs<clang::ReferenceType>()) return type(r->getPointeeType());
    if (const auto* m = x->getAs<clang::MemberPointerType>()) {
      type(QualType(m->getClass(), 0));
      return type(m->getPointeeType());
    }
    if (const auto* a = x->getAsArrayTypeUnsafe()) return type(a->getElementType());
    if (const auto* a = x->getAs<clang::AtomicType>()) return type(a->getValueType());
    if (const auto* f = x->getAs<clang::FunctionProtoType>()) {
      type(f->getReturnType());
      for (const QualType p : f->param_types()) type(p);
      return;
    }
    if (const auto* e = x->getAs<clang::PackExpansionType>()) return type(e->getPattern());
    if (x->isDependentType() && !clang::isa<clang::InjectedClassNameType>(x)) {
      if (const auto* s = x->getAs<clang::TemplateSpecializationType>()) {
        if (const clang::TemplateDecl* d = s->getTemplateName().getAsTemplateDecl()) templates.insert(d);
        for (const TemplateArgument& a : s->template_arguments()) argument(a);
      } else {
        open = true;
      }
    }
    if (const CXXRecordDecl* r = x->getAsCXXRecordDecl()) record(r);
  }
  void argument(const TemplateArgument& a) {
    switch (a.getKind()) {
      case TemplateArgument::Type:
        return type(a.getAsType());
      case TemplateArgument::Pack:
        for (const TemplateArgument& p : a.pack_elements()) argument(p);
        return;
      case TemplateArgument::Template:
      case TemplateArgument::TemplateExpansion:
        if (const clang::TemplateDecl* d = a.getAsTemplateOrTemplatePattern().getAsTemplateDecl()) templates.insert(d);
        return;
      case TemplateArgument::Declaration:
        return type(a.getAsDecl()->getType());
      case TemplateArgument::StructuralValue:
        return type(a.getStructuralValueType());
      default:
        return;
    }
  }
  void arguments(const clang::TemplateArgumentList* list) {
    if (list != nullptr)
      for (const TemplateArgument& a : list->asArray()) argument(a);
  }

 private:
  void record(const CXXRecordDecl* r) {
    if (const CXXRecordDecl* d = r->getDefinition()) r = d;
    classes.insert(r);
    if (const auto* s = clang::dyn_cast<clang::ClassTemplateSpecializationDecl>(r)) arguments(&s->getTemplateArgs());
  }
  std::set<const clang::Type*> seen_;
};

// ---- text without an instance ------------------------------------------------------------------------------------

// What the text of a template may run when it is instantiated, as far as it concerns more than what it is given.
class Pattern : public clang::RecursiveASTVisitor<Pattern> {
 public:
  bool shouldVisitLambdaBody() const { return true; }
  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr*) { return lost(); }
  bool VisitAsmStmt(clang::AsmStmt*) { return lost(); }
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) { return use(e->getDecl()); }
  bool VisitMemberExpr(clang::MemberExpr* e) { return use(e->getMemberDecl()); }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* e) { return use(e->getConstructor()); }
  bool VisitOverloadExpr(clang::OverloadExpr* e) {
    names.insert(e->getName());
    for (const clang::NamedDecl* d : e->decls()) {
      d = d->getUnderlyingDecl();
      if (const auto* f = clang::dyn_cast<FunctionDecl>(d)) use(f);
      if (const auto* t = clang::dyn_cast<clang::FunctionTemplateDecl>(d)) {
        use(t->getTemplatedDecl());
        for (const FunctionDecl* f : t->specializations()) use(f);
      }
    }
    return true;
  }
  bool VisitCXXDependentScopeMemberExpr(clang::CXXDependentScopeMemberExpr* e) {
    names.insert(e->getMember());
    return true;
  }
  bool VisitDependentScopeDeclRefExpr(clang::DependentScopeDeclRefExpr* e) {
    names.insert(e->getDeclName());
    return true;
  }
  bool VisitExpr(Expr* e) {
    operators = operators || e->isTypeDependent();
    if (!e->getType().isNull()) parts.type(e->getType());
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* v) {
    parts.type(v->getType());
    return true;
  }
  bool not_followed = false;
  bool operators = false;  // any operator, by the types of an instance
  std::set<const FunctionDecl*> functions;
  std::set<clang::DeclarationName> names;
  Parts parts;

 private:
  bool lost() { return not_followed = true; }
  bool use(const clang::ValueDecl* d) {
    if (const auto* f = clang::dyn_cast<FunctionDecl>(d)) functions.insert(f);
    const auto* v = clang::dyn_cast<clang::VarDecl>(d);
    if (v != nullptr && v->hasGlobalStorage() && !v->getType().isConstQualified()) lost();
    return true;
  }
};

// ---- the rule ----------------------------------------------------------------------------------------------------

class Rule : public clang::RecursiveASTVisitor<Rule> {
 public:
  Rule(const std::function<bool(clang::SourceLocation)>& users, const std::vector<const FunctionDecl*>& hosts,
       const std::set<const clang::IdentifierInfo*>& lost, bool lost_this, GivenToLibraries& out)
      : users_(users), hosts_(hosts), lost_(lost), lost_this_(lost_this), out_(out) {}
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitLambdaBody() const { return true; }
  bool shouldVisitImplicitCode() const { return true; }

  bool VisitNamedDecl(clang::NamedDecl* d) {
    if (d->hasAttr<clang::AsmLabelAttr>() || d->hasAttr<clang::AliasAttr>() || d->hasAttr<clang::WeakRefAttr>() ||
        d->hasAttr<clang::IFuncAttr>())
      if (users_(d->getLocation())) out_.second_name = d->getLocation();
    return true;
  }
  bool VisitValueDecl(clang::ValueDecl* v) {
    of_type(v->getType());
    if (missed(v)) give(v->getType());
    return true;
  }
  // `__attribute__((cleanup(f)))`: with the end of the variable.
  bool VisitVarDecl(clang::VarDecl* v) {
    if (const auto* a = v->getAttr<clang::CleanupAttr>()) run(a->getFunctionDecl());
    return true;
  }
  bool VisitTypedefNameDecl(clang::TypedefNameDecl* d) {
    if (missed(d)) give(d->getUnderlyingType());
    return true;
  }
  bool VisitFunctionDecl(FunctionDecl* f) {
    if (missed(f)) give(f->getReturnType());
    if (f->isDependentContext()) return true;
    if (const clang::FunctionTemplateDecl* t = f->getPrimaryTemplate()) {
      missed_parameters(t->getTemplateParameters(), f->getTemplateSpecializationArgs());
      // The file's own text for a template of the library.
      if (!users_(t->getLocation()) && users_(f->getLocation())) run(f);
    }
    // The file's own text in the library's namespace.
    for (const clang::DeclContext* c = f->getDeclContext(); c != nullptr; c = c->getParent())
      if (const auto* n = clang::dyn_cast<clang::NamespaceDecl>(c))
        if (std::any_of(n->redecls_begin(), n->redecls_end(),
                        [&](const clang::NamespaceDecl* r) { return !users_(r->getLocation()); }))
          run(f);
    return true;
  }
  bool VisitCXXRecordDecl(CXXRecordDecl* r) {
    if (!r->isThisDeclarationADefinition() || r->isDependentContext()) return true;
    for (const clang::CXXBaseSpecifier& b : r->bases()) {
      of_type(b.getType());
      if (const CXXRecordDecl* base = b.getType()->getAsCXXRecordDecl())
        derived_[base->getCanonicalDecl()].push_back(r);
    }
    if (missed(r) || lost_this_) give(r);
    if (const auto* s = clang::dyn_cast<clang::ClassTemplateSpecializationDecl>(r)) {
      const clang::ClassTemplateDecl* t = s->getSpecializedTemplate();
      if (!users_(t->getLocation())) give(r);
      missed_parameters(t->getTemplateParameters(), &s->getTemplateArgs());
    }
    return true;
  }
  bool VisitClassTemplatePartialSpecializationDecl(clang::ClassTemplatePartialSpecializationDecl* p) {
    if (users_(p->getSpecializedTemplate()->getLocation())) return true;
    for (const clang::Decl* d : p->decls()) member(d);
    return true;
  }
  bool VisitExpr(Expr* e) {
    if (!e->getType().isNull()) of_type(e->getType());
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) { return use(e->getDecl()); }
  bool VisitMemberExpr(clang::MemberExpr* e) { return use(e->getMemberDecl()); }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* e) {
    if (library(e->getConstructor()))
      for (const Expr* a : e->arguments()) give(a->getType());
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* c) {
    const FunctionDecl* f = c->getDirectCallee();
    if (f != nullptr ? library(f) : c->containsErrors())
      for (const Expr* a : c->arguments()) give(a->getType());
    return true;
  }
  // Of what clang does not know, the arguments.
  bool VisitOverloadExpr(clang::OverloadExpr* e) { return arguments(e->template_arguments()); }
  bool VisitCXXDependentScopeMemberExpr(clang::CXXDependentScopeMemberExpr* e) {
    return arguments(e->template_arguments());
  }
  bool VisitDependentScopeDeclRefExpr(clang::DependentScopeDeclRefExpr* e) {
    return arguments(e->template_arguments());
  }
  bool VisitRecoveryExpr(clang::RecoveryExpr* e) {
    for (const Expr* x : e->subExpressions()) give(x->getType());
    return true;
  }

  bool VisitFunctionTemplateDecl(clang::FunctionTemplateDecl* t) {
    patterns_.push_back(t->getTemplatedDecl());
    return true;
  }

  void close() {
    for (const FunctionDecl* f : hosts_)
      if (!f->isDependentContext()) by_class(f);
    for (const FunctionDecl* f : patterns_) by_class(f);
    if (!todo_.empty())
      for (const FunctionDecl* f : by_any_class_) run(f);
    while (!todo_.empty()) {
      const CXXRecordDecl* r = todo_.back();
      todo_.pop_back();
      all_of(r);
    }
  }

 private:
  bool missed(const clang::NamedDecl* d) const {
    return !lost_.empty() && d->getIdentifier() != nullptr && lost_.contains(d->getIdentifier());
  }
  void missed_parameters(const clang::TemplateParameterList* names, const clang::TemplateArgumentList* args) {
    if (lost_.empty() || args == nullptr) return;
    for (unsigned k = 0; k < names->size() && k < args->size(); ++k)
      if (missed(names->getParam(k))) give(args->get(k));
  }
  // A library's call with an object of such a class may come to it: always, or as nothing else names the function.
  void by_class(const FunctionDecl* f) {
    if (clang::isa<clang::CXXMethodDecl>(f)) return;
    const bool called = f->getIdentifier() != nullptr && named_.contains(f->getCanonicalDecl());
    if (!f->isOverloadedOperator() && called && !found_by_class(f->getName())) return;
    Parts parts;
    for (const clang::ParmVarDecl* p : f->parameters()) parts.type(p->getType());
    for (const CXXRecordDecl* r : parts.classes) by_class_[r->getCanonicalDecl()].push_back(f);
    for (const clang::TemplateDecl* t : parts.templates) by_template_[t->getCanonicalDecl()].push_back(f);
    if (parts.open) by_any_class_.push_back(f);
  }
  bool library(const FunctionDecl* f) const { return !users_(f->getLocation()) && !f->isImplicit() && !passes_on(f); }
  bool arguments(llvm::ArrayRef<clang::TemplateArgumentLoc> list) {
    for (const clang::TemplateArgumentLoc& a : list) give(a.getArgument());
    return true;
  }
  // Classes of the file among the arguments of library templates that take part in the type.
  void of_type(QualType t) {
    if (!types_.insert(t.getCanonicalType().getTypePtr()).second) return;
    Parts parts;
    parts.type(t);
    for (const CXXRecordDecl* r : parts.classes) of_library(r);
  }
  void of_library(const CXXRecordDecl* r) {
    const auto* s = clang::dyn_cast<clang::ClassTemplateSpecializationDecl>(r);
    if (s == nullptr || users_(s->getSpecializedTemplate()->getLocation()) || trait(s->getName())) return;
    for (const TemplateArgument& a : s->getTemplateArgs().asArray()) give(a);
  }
  bool use(const clang::ValueDecl* d) {
    const auto* f = clang::dyn_cast<FunctionDecl>(d);
    if (f != nullptr) named_.insert(f->getCanonicalDecl());
    if (f == nullptr || !library(f)) return true;
    if (const clang::TemplateArgumentList* a = f->getTemplateSpecializationArgs())
      for (const TemplateArgument& x : a->asArray()) give(x);
    if (const auto* m = clang::dyn_cast<clang::CXXMethodDecl>(f)) of_library(m->getParent());
    return true;
  }
  void give(const Parts& parts) {
    for (const CXXRecordDecl* r : parts.classes) give(r);
    for (const clang::TemplateDecl* t : parts.templates)
      if (const auto* c = clang::dyn_cast<clang::ClassTemplateDecl>(t)) {
        for (const CXXRecordDecl* r : c->specializations()) give(r);
        if (users_(c->getLocation())) of_template(c);
      }
  }
  // Nobody has asked for an instance of it, and which specialisation that would be is not known.
  void of_template(const clang::ClassTemplateDecl* t) {
    if (!templates_.insert(t->getCanonicalDecl()).second) return;
    llvm::SmallVector<clang::ClassTemplatePartialSpecializationDecl*> parts;
    const_cast<clang::ClassTemplateDecl*>(t)->getPartialSpecializations(parts);
    std::vector<const CXXRecordDecl*> all(parts.begin(), parts.end());
    all.push_back(t->getTemplatedDecl());
    for (const CXXRecordDecl* r : all) {
      if (!r->hasDefinition()) continue;
      for (const clang::CXXBaseSpecifier& b : r->getDefinition()->bases()) give(b.getType());
      for (const clang::Decl* d : r->getDefinition()->decls()) member(d);
    }
  }
  void give(QualType t) {
    Parts parts;
    parts.type(t);
    give(parts);
  }
  void give(const TemplateArgument& a) {
    Parts parts;
    parts.argument(a);
    give(parts);
  }
  void give(const CXXRecordDecl* r) {
    if (!users_(r->getLocation())) return of_library(r);
    if (given_.insert(r->getCanonicalDecl()).second) todo_.push_back(r);
  }

  void all_of(const CXXRecordDecl* r) {
    if (const auto it = derived_.find(r->getCanonicalDecl()); it != derived_.end())
      for (const CXXRecordDecl* d : it->second) give(d);
    for (const FunctionDecl* f : by_class_[r->getCanonicalDecl()]) run(f);
    if (const auto* s = clang::dyn_cast<clang::ClassTemplateSpecializationDecl>(r)) {
      for (const TemplateArgument& a : s->getTemplateArgs().asArray()) give(a);
      const clang::ClassTemplateDecl* t = s->getSpecializedTemplate();
      for (const FunctionDecl* f : by_template_[t->getCanonicalDecl()]) run(f);
      if (!r->hasDefinition()) return of_template(t);
    }
    if (!r->hasDefinition()) return;
    r = r->getDefinition();
    for (const clang::CXXBaseSpecifier& b : r->bases()) give(b.getType());
    // A lambda that has taken variables with it is given as a value, and the walk knows which.
    const bool closure = r->isLambda() && r->capture_size() > 0;
    for (const clang::Decl* d : r->decls())
      if (!closure || clang::isa<clang::FieldDecl>(d)) member(d);
  }
  void member(const clang::Decl* d) {
    if (const auto* f = clang::dyn_cast<clang::FriendDecl>(d)) d = f->getFriendDecl();
    if (d == nullptr) return;
    if (const auto* f = clang::dyn_cast<FunctionDecl>(d)) {
      give(f->getType());
      run(f);
    } else if (const auto* t = clang::dyn_cast<clang::FunctionTemplateDecl>(d)) {
      run(t->getTemplatedDecl());
      for (const FunctionDecl* s : t->specializations()) {
        give(s->getType());
        run(s);
      }
    } else if (const auto* v = clang::dyn_cast<clang::FieldDecl>(d)) {
      give(v->getType());
      if (v->hasInClassInitializer() && v->getInClassInitializer() != nullptr) text(v->getInClassInitializer());
    }
  }
  // The library may call it.
  void run(const FunctionDecl* f) {
    if (on_device_only(f) || !users_(f->getLocation()) || !run_.insert(f->getCanonicalDecl()).second) return;
    for (const clang::ParmVarDecl* p : f->parameters())
      if (p->hasDefaultArg() && !p->hasUnparsedDefaultArg() && !p->hasUninstantiatedDefaultArg())
        text(p->getDefaultArg());
    const FunctionDecl* whole = body_of(f);
    if (whole != nullptr && !whole->isDependentContext()) {
      out_.functions.insert(whole);
      return;
    }
    // An instance that nobody has asked for yet, or the template.
    if (whole == nullptr) whole = f->getTemplateInstantiationPattern();
    if (whole == nullptr || (whole = body_of(whole)) == nullptr) return;
    if (const auto* c = clang::dyn_cast<clang::CXXConstructorDecl>(whole))
      for (const clang::CXXCtorInitializer* i : c->inits()) text(i->getInit());
    text(whole->getBody());
  }
  void text(const clang::Stmt* s) {
    if (s == nullptr) return;
    Pattern look;
    look.TraverseStmt(const_cast<clang::Stmt*>(s));
    if (look.not_followed && !out_.not_followed) out_.not_followed = s->getBeginLoc();
    for (const FunctionDecl* f : look.functions) run(f);
    for (const CXXRecordDecl* r : look.parts.classes) give(r);
    if (!look.operators && look.names.empty()) return;
    for (const FunctionDecl* f : hosts_) {
      const bool by_operator = f->isOverloadedOperator() || clang::isa<clang::CXXConversionDecl>(f);
      if ((by_operator && look.operators) || look.names.contains(f->getDeclName())) run(f);
    }
  }

  const std::function<bool(clang::SourceLocation)>& users_;
  const std::vector<const FunctionDecl*>& hosts_;
  const std::set<const clang::IdentifierInfo*>& lost_;
  bool lost_this_;
  GivenToLibraries& out_;
  std::map<const CXXRecordDecl*, std::vector<const CXXRecordDecl*>> derived_;
  std::map<const CXXRecordDecl*, std::vector<const FunctionDecl*>> by_class_;
  std::map<const clang::Decl*, std::vector<const FunctionDecl*>> by_template_;
  std::vector<const FunctionDecl*> patterns_;
  std::set<const FunctionDecl*> named_;
  std::vector<const FunctionDecl*> by_any_class_;  // templates for arguments of any type
  Classes given_;
  std::set<const clang::Decl*> templates_;
  std::vector<const CXXRecordDecl*> todo_;
  std::set<const clang::Type*> types_;
  std::set<const FunctionDecl*> run_;
};

}  // namespace

GivenToLibraries given_to_libraries(const std::function<bool(clang::SourceLocation)>& users,
                                    const std::vector<clang::Decl*>& declarations,
                                    const std::vector<const FunctionDecl*>& hosts,
                                    const std::set<const clang::IdentifierInfo*>& lost, bool lost_this) {
  GivenToLibraries out{.objects = lost_this};
  Rule rule(users, hosts, lost, lost_this, out);
  for (clang::Decl* d : declarations) rule.TraverseDecl(d);
  rule.close();
  return out;
}

}  // namespace fencepost::clangfe
