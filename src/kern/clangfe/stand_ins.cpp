#include "clangfe/stand_ins.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/StringSet.h>

#include <algorithm>
#include <set>

#include "clangfe/embedded.h"

namespace fencepost::clangfe {
namespace {

using clang::Decl;
using clang::Expr;
using clang::FunctionDecl;
using clang::QualType;

bool ours(const Decl* d) {
  const clang::SourceManager& sm = d->getASTContext().getSourceManager();
  if (d->isImplicit() || d->getLocation().isInvalid()) return false;
  const auto file = sm.getFileEntryRefForID(sm.getFileID(sm.getExpansionLoc(d->getLocation())));
  return file && file->getName().starts_with(k_header_folder);
}

llvm::StringRef name_of(const Decl* d) {
  const auto* n = clang::dyn_cast<clang::NamedDecl>(d);
  return n != nullptr && n->getIdentifier() != nullptr ? n->getName() : "";
}

// CUDA's own handles, enumerations and structures are the same types everywhere.
bool of_cuda(llvm::StringRef name) {
  return name.starts_with("cuda") || name.starts_with("cu") || name.starts_with("CU");
}

// dim3, float4, half2: CUDA C++ Programming Guide, "Built-in Vector Types".
bool built_in_vector(llvm::StringRef name) {
  static const llvm::StringSet<> names = {"dim3",           "__half", "__half2", "__nv_bfloat16",
                                          "__nv_bfloat162", "half",   "half2"};
  if (names.contains(name)) return true;
  if (name.empty() || name.back() < '1' || name.back() > '4') return false;
  static const llvm::StringSet<> of = {"char", "uchar", "short", "ushort",   "int",       "uint",
                                       "long", "ulong", "float", "longlong", "ulonglong", "double"};
  return of.contains(name.drop_back());
}

// Types and traits that the language or the standard lays down (ISO C++ [meta], [support.types], [cstdint]).
bool sure_type(llvm::StringRef name) {
  static const llvm::StringSet<> names = {"size_t",
                                          "ptrdiff_t",
                                          "nullptr_t",
                                          "int8_t",
                                          "uint8_t",
                                          "int16_t",
                                          "uint16_t",
                                          "int32_t",
                                          "uint32_t",
                                          "int64_t",
                                          "uint64_t",
                                          "intptr_t",
                                          "uintptr_t",
                                          "byte",
                                          "ssize_t",
                                          "uint",
                                          "ulong",
                                          "ushort",
                                          "uchar",
                                          "type",
                                          "value_type",
                                          "integral_constant",
                                          "bool_constant",
                                          "true_type",
                                          "false_type",
                                          "remove_const",
                                          "remove_volatile",
                                          "remove_cv",
                                          "remove_reference",
                                          "remove_cvref",
                                          "remove_pointer",
                                          "remove_extent",
                                          "add_const",
                                          "add_pointer",
                                          "type_identity",
                                          "enable_if",
                                          "conditional",
                                          "is_same",
                                          "void",
                                          "make_unsigned",
                                          "make_signed",
                                          "underlying_type",
                                          "decay",
                                          "common_type",
                                          "is_integral",
                                          "is_floating_point",
                                          "is_arithmetic",
                                          "is_pointer",
                                          "is_signed",
                                          "is_unsigned",
                                          "is_const",
                                          "is_void",
                                          "is_enum",
                                          "is_class",
                                          "is_reference",
                                          "is_array",
                                          "is_trivially_copyable",
                                          "is_standard_layout",
                                          "is_trivial",
                                          "is_pod",
                                          "is_empty",
                                          "is_fundamental",
                                          "is_scalar",
                                          "is_lvalue_reference",
                                          "is_convertible",
                                          "is_base_of",
                                          "is_constructible",
                                          "integer_sequence",
                                          "index_sequence",
                                          "make_integer_sequence",
                                          "make_index_sequence",
                                          "numeric_limits",
                                          "FILE"};
  if (names.contains(name) || of_cuda(name) || built_in_vector(name)) return true;
  return (name.consume_back("_t") || name.consume_back("_v")) && names.contains(name);
}

// Functions with one type each in every library.
bool sure_function(const FunctionDecl* f) {
  static const llvm::StringSet<> names = {"size",    "length",   "capacity",  "empty",    "data",  "c_str",
                                          "front",   "back",     "at",        "count",    "min",   "max",
                                          "move",    "forward",  "swap",      "get",      "clamp", "lowest",
                                          "epsilon", "infinity", "quiet_NaN", "make_pair"};
  static const llvm::StringSet<> overloaded = {"abs", "div", "strchr", "strrchr", "strstr", "memchr", "strpbrk"};
  if (f->getIdentifier() == nullptr)
    return f->getOverloadedOperator() == clang::OO_Subscript || f->getOverloadedOperator() == clang::OO_Call ||
           clang::isa<clang::CXXConversionDecl>(f) || clang::isa<clang::CXXConstructorDecl>(f);
  const llvm::StringRef name = f->getName();
  if (names.contains(name) || of_cuda(name) || name.starts_with("make_") || name.starts_with("__")) return true;
  if (overloaded.contains(name)) return false;
  // Of C, and without another of its name.
  const auto all = f->getDeclContext()->getRedeclContext()->lookup(f->getDeclName());
  const bool alone = std::all_of(all.begin(), all.end(), [&](const clang::NamedDecl* d) {
    return d->getUnderlyingDecl()->getCanonicalDecl() == f->getCanonicalDecl();
  });
  const bool floating = f->getReturnType()->isFloatingType() && !name.ends_with("f") && !name.starts_with("ato");
  return f->isExternC() && alone && !floating && !clang::isa<clang::CXXMethodDecl>(f);
}

bool plain(const clang::TemplateArgument& a);

// A class of our headers takes part in the type; `layout`: its size counts.
bool mentions(QualType t, bool layout, unsigned depth = 0) {
  constexpr unsigned k_deep = 12;
  if (t.isNull() || t->isDependentType()) return false;
  if (depth > k_deep) return true;
  t = t.getCanonicalType();
  if (t->isReferenceType()) return mentions(t.getNonReferenceType(), layout, depth + 1);
  if (const clang::ArrayType* a = t->getAsArrayTypeUnsafe()) return mentions(a->getElementType(), layout, depth + 1);
  if (t->isPointerType()) return !layout && mentions(t->getPointeeType(), layout, depth + 1);
  if (const auto* b = t->getAs<clang::BuiltinType>())
    return layout ? b->getKind() == clang::BuiltinType::LongDouble
                  : b->getKind() == clang::BuiltinType::Int128 || b->getKind() == clang::BuiltinType::UInt128;
  if (const auto* e = t->getAs<clang::EnumType>()) return ours(e->getDecl()) && !sure_type(name_of(e->getDecl()));
  const clang::CXXRecordDecl* r = t->getAsCXXRecordDecl();
  if (r == nullptr) return false;
  if (ours(r)) return !built_in_vector(name_of(r)) && (layout || !sure_type(name_of(r)));
  if (const auto* s = clang::dyn_cast<clang::ClassTemplateSpecializationDecl>(r); s != nullptr && !layout)
    return !std::all_of(s->getTemplateArgs().asArray().begin(), s->getTemplateArgs().asArray().end(), plain);
  if (!layout || !r->hasDefinition()) return false;
  for (const clang::CXXBaseSpecifier& b : r->bases())
    if (mentions(b.getType(), layout, depth + 1)) return true;
  return std::any_of(r->field_begin(), r->field_end(),
                     [&](const clang::FieldDecl* f) { return mentions(f->getType(), layout, depth + 1); });
}

bool plain(const clang::TemplateArgument& a) {
  if (a.getKind() == clang::TemplateArgument::Type) return !mentions(a.getAsType(), false);
  if (a.getKind() != clang::TemplateArgument::Pack) return true;
  return std::all_of(a.pack_begin(), a.pack_end(), plain);
}

bool all_plain(const clang::TemplateArgumentList* a) {
  return a == nullptr || std::all_of(a->asArray().begin(), a->asArray().end(), plain);
}

// What an expression, or the head of a declaration, names.
class Uses : public clang::RecursiveASTVisitor<Uses> {
 public:
  bool found = false;
  bool VisitUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr* e) {
    return note(mentions(e->getTypeOfArgument(), true));
  }
  bool VisitTypeTraitExpr(clang::TypeTraitExpr* e) {
    for (const clang::TypeSourceInfo* t : e->getArgs()) note(mentions(t->getType(), false));
    return !found;
  }
  bool TraverseCXXNoexceptExpr(clang::CXXNoexceptExpr* e) {
    ++exact_;
    const bool more = RecursiveASTVisitor::TraverseCXXNoexceptExpr(e);
    --exact_;
    return more;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) { return use(e->getDecl()); }
  bool VisitMemberExpr(clang::MemberExpr* e) { return use(e->getMemberDecl()); }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* e) {
    return note(exact_ > 0 && ours(e->getConstructor())) &&
           note(chosen_by_stand_ins(e->getConstructor()->getASTContext(), e->getConstructor(), nullptr,
                                    {e->arg_begin(), e->arg_end()}));
  }
  bool VisitCallExpr(clang::CallExpr* c) {
    const FunctionDecl* f = c->getDirectCallee();
    return f == nullptr ||
           note(chosen_by_stand_ins(f->getASTContext(), f, c->getCallee(), {c->arg_begin(), c->arg_end()}));
  }
  bool VisitUnresolvedLookupExpr(clang::UnresolvedLookupExpr* e) {
    for (const clang::NamedDecl* d : e->decls()) note(ours(d->getUnderlyingDecl()) && !sure_type(name_of(d)));
    return !found;
  }
  bool VisitTypedefTypeLoc(clang::TypedefTypeLoc l) { return type(l.getTypedefNameDecl()); }
  bool VisitTagTypeLoc(clang::TagTypeLoc l) { return type(l.getDecl()); }
  bool VisitTemplateSpecializationTypeLoc(clang::TemplateSpecializationTypeLoc l) {
    const clang::TemplateDecl* t = l.getTypePtr()->getTemplateName().getAsTemplateDecl();
    return t == nullptr || type(t);
  }

 private:
  bool note(bool doubt) {
    found = found || doubt;
    return !found;
  }
  bool type(const clang::NamedDecl* d) { return note(ours(d) && !sure_type(name_of(d))); }
  bool use(const clang::ValueDecl* d) {
    if (found || !seen_.insert(d).second) return !found;
    const auto* around = clang::dyn_cast<clang::CXXRecordDecl>(d->getDeclContext());
    if (ours(d)) return note(exact_ > 0 || !sure(d, around));
    if (around != nullptr) note(specialised(around));
    if (const auto* v = clang::dyn_cast<clang::VarDecl>(d)) {
      if (v->getType()->getContainedAutoType() != nullptr && v->getTypeSourceInfo() != nullptr)
        TraverseTypeLoc(v->getTypeSourceInfo()->getTypeLoc());
      const clang::VarDecl* whole = nullptr;
      if (const Expr* first = v->getAnyInitializer(whole); first != nullptr && !clang::isa<clang::ParmVarDecl>(v))
        TraverseStmt(const_cast<Expr*>(first));
    }
    if (const auto* c = clang::dyn_cast<clang::EnumConstantDecl>(d); c != nullptr)
      for (const clang::EnumConstantDecl* x : clang::cast<clang::EnumDecl>(c->getDeclContext())->enumerators())
        if (x->getInitExpr() != nullptr) TraverseStmt(const_cast<Expr*>(x->getInitExpr()));
    if (const auto* f = clang::dyn_cast<FunctionDecl>(d)) body(f);
    return !found;
  }
  // Only what can be computed from its text.
  void body(const FunctionDecl* f) {
    const FunctionDecl* whole = nullptr;
    if (!f->hasBody(whole) || whole->getBody() == nullptr) return;
    const auto* block = clang::dyn_cast<clang::CompoundStmt>(whole->getBody());
    if (f->isConstexpr() || (block != nullptr && block->size() == 1)) TraverseStmt(whole->getBody());
  }
  static bool sure(const clang::ValueDecl* d, const clang::CXXRecordDecl* around) {
    if (const auto* s = clang::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(around))
      if (sure_type(name_of(s)) && !all_plain(&s->getTemplateArgs())) return false;
    if (const auto* f = clang::dyn_cast<FunctionDecl>(d)) return sure_function(f);
    if (const auto* s = clang::dyn_cast<clang::VarTemplateSpecializationDecl>(d))
      return sure_type(name_of(s)) && all_plain(&s->getTemplateArgs());
    if (clang::isa<clang::VarDecl>(d) && around != nullptr) return sure_type(name_of(around));
    if (clang::isa<clang::FieldDecl>(d)) return true;  // no constant
    return of_cuda(name_of(d)) || name_of(d).starts_with("__");
  }

 public:
  // One of several specialisations of the user's, by types of ours or by what their heads say of ours.
  static bool specialised(const clang::CXXRecordDecl* r) {
    const auto* s = clang::dyn_cast<clang::ClassTemplateSpecializationDecl>(r);
    if (s == nullptr || ours(s)) return false;
    clang::ClassTemplateDecl* t = s->getSpecializedTemplate();
    llvm::SmallVector<clang::ClassTemplatePartialSpecializationDecl*, 4> parts;
    t->getPartialSpecializations(parts);
    const bool more = std::any_of(t->spec_begin(), t->spec_end(), [](const auto* x) {
      return x->getSpecializationKind() == clang::TSK_ExplicitSpecialization;
    });
    if (parts.empty() && !more) return false;
    if (!all_plain(&s->getTemplateArgs())) return true;
    return std::any_of(parts.begin(), parts.end(), [](clang::ClassTemplatePartialSpecializationDecl* p) {
      Uses head;
      if (const clang::ASTTemplateArgumentListInfo* a = p->getTemplateArgsAsWritten())
        for (const clang::TemplateArgumentLoc& l : a->arguments()) head.TraverseTemplateArgumentLoc(l);
      return head.found;
    });
  }

 private:
  std::set<const Decl*> seen_;
  unsigned exact_ = 0;
};

// The expression has a type that our headers alone give it.
bool typed_by_stand_ins(clang::ASTContext& context, const Expr* e, unsigned depth = 0) {
  constexpr unsigned k_deep = 32;
  if (e == nullptr || depth > k_deep || e->getType().isNull() || e->isTypeDependent()) return false;
  e = e->IgnoreParenImpCasts();
  if (mentions(e->getType(), false)) return true;
  const auto any = [&](auto&& all) {
    return std::any_of(all.begin(), all.end(),
                       [&](const Expr* x) { return typed_by_stand_ins(context, x, depth + 1); });
  };
  if (const auto* x = clang::dyn_cast<clang::FullExpr>(e))
    return typed_by_stand_ins(context, x->getSubExpr(), depth + 1);
  if (const auto* x = clang::dyn_cast<clang::MaterializeTemporaryExpr>(e))
    return typed_by_stand_ins(context, x->getSubExpr(), depth + 1);
  if (const auto* c = clang::dyn_cast<clang::CallExpr>(e)) {
    const FunctionDecl* f = c->getDirectCallee();
    if (f == nullptr) return false;
    if (ours(f) && f->getBuiltinID() == 0 && !sure_function(f)) return true;
    const bool by_arguments =
        f->getPrimaryTemplate() != nullptr || f->getReturnType()->getContainedAutoType() != nullptr;
    return (by_arguments && !clang::isa<clang::CXXMethodDecl>(f) && any(c->arguments())) ||
           chosen_by_stand_ins(context, f, c->getCallee(), {c->arg_begin(), c->arg_end()});
  }
  if (const auto* d = clang::dyn_cast<clang::DeclRefExpr>(e)) {
    const auto* v = clang::dyn_cast<clang::VarDecl>(d->getDecl());
    return v != nullptr && v->getType()->getContainedAutoType() != nullptr && v->hasInit() &&
           typed_by_stand_ins(context, v->getInit(), depth + 1);
  }
  if (const auto* b = clang::dyn_cast<clang::BinaryOperator>(e)) {
    if (b->isComparisonOp() || b->isLogicalOp()) return false;
    if (b->isAssignmentOp()) return typed_by_stand_ins(context, b->getLHS(), depth + 1);
    return typed_by_stand_ins(context, b->getLHS(), depth + 1) || typed_by_stand_ins(context, b->getRHS(), depth + 1);
  }
  if (const auto* u = clang::dyn_cast<clang::UnaryOperator>(e))
    return u->getOpcode() != clang::UO_Deref && u->getOpcode() != clang::UO_LNot &&
           typed_by_stand_ins(context, u->getSubExpr(), depth + 1);
  if (const auto* c = clang::dyn_cast<clang::ConditionalOperator>(e))
    return typed_by_stand_ins(context, c->getTrueExpr(), depth + 1) ||
           typed_by_stand_ins(context, c->getFalseExpr(), depth + 1);
  return false;
}

// Parts of the head of a template that decide whether it is taken at all.
class Head : public clang::RecursiveASTVisitor<Head> {
 public:
  bool found = false;
  bool VisitDecltypeTypeLoc(clang::DecltypeTypeLoc l) {
    return look([&](Uses& u) { u.TraverseStmt(l.getUnderlyingExpr()); });
  }
  bool VisitDependentNameTypeLoc(clang::DependentNameTypeLoc l) {
    return look([&](Uses& u) { u.TraverseNestedNameSpecifierLoc(l.getQualifierLoc()); });
  }
  bool VisitTemplateSpecializationTypeLoc(clang::TemplateSpecializationTypeLoc l) {
    return look([&](Uses& u) {
      for (unsigned k = 0; k < l.getNumArgs(); ++k)
        if (l.getArgLoc(k).getArgument().getKind() == clang::TemplateArgument::Expression)
          u.TraverseTemplateArgumentLoc(l.getArgLoc(k));
    });
  }

 private:
  template <class F>
  bool look(F f) {
    Uses uses;
    f(uses);
    found = found || uses.found;
    return !found;
  }
};

bool head_asks(const FunctionDecl* f) {
  Head head;
  if (f->getTypeSourceInfo() != nullptr) head.TraverseTypeLoc(f->getTypeSourceInfo()->getTypeLoc());
  if (const clang::FunctionTemplateDecl* t = f->getDescribedFunctionTemplate())
    for (clang::NamedDecl* p : *t->getTemplateParameters()) head.TraverseDecl(p);
  return head.found;
}

class ConstexprIf : public clang::RecursiveASTVisitor<ConstexprIf> {
 public:
  bool found = false, asks = false;
  bool VisitIfStmt(clang::IfStmt* s) {
    if (!s->isConstexpr()) return true;
    found = true;
    Uses uses;
    uses.TraverseStmt(s->getCond());
    asks = asks || uses.found;
    return true;
  }
};

// Functions of the user's that a name may mean, patterns in the place of templates.
std::vector<const FunctionDecl*> candidates(const FunctionDecl* f) {
  std::set<const FunctionDecl*> all;
  for (const clang::DeclContext* c = f->getDeclContext(); c != nullptr; c = c->getParent())
    for (const clang::NamedDecl* d : c->getRedeclContext()->lookup(f->getDeclName())) {
      d = d->getUnderlyingDecl();
      if (ours(d) || d->isImplicit()) continue;
      const auto* t = clang::dyn_cast<clang::FunctionTemplateDecl>(d);
      const auto* x = t != nullptr ? t->getTemplatedDecl() : clang::dyn_cast<FunctionDecl>(d);
      if (x != nullptr) all.insert(x->getCanonicalDecl());
      if (t != nullptr)
        for (const FunctionDecl* s : t->specializations())
          if (s->getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization)
            all.insert(s->getCanonicalDecl());
    }
  return {all.begin(), all.end()};
}

}  // namespace

bool rests_on_stand_ins(clang::ASTContext&, const Expr* e) {
  if (clang::isa<clang::IntegerLiteral>(e->IgnoreParenImpCasts())) return false;
  Uses uses;
  uses.TraverseStmt(const_cast<Expr*>(e));
  return uses.found;
}

bool chosen_by_stand_ins(clang::ASTContext& context, const FunctionDecl* f, const Expr* callee,
                         const std::vector<const Expr*>& arguments) {
  if (f->getBuiltinID() != 0 || f->isImplicit() || ours(f)) return false;
  if (const auto* r = clang::dyn_cast<clang::CXXRecordDecl>(f->getDeclContext()); r != nullptr && Uses::specialised(r))
    return true;
  const std::vector<const FunctionDecl*> all = candidates(f);
  const FunctionDecl* pattern = f->getTemplateInstantiationPattern();
  ConstexprIf inside;
  if (pattern != nullptr && pattern->getBody() != nullptr) inside.TraverseStmt(pattern->getBody());
  if (inside.asks) return true;
  const bool templates = std::any_of(all.begin(), all.end(), [](const FunctionDecl* x) {
    return x->getDescribedFunctionTemplate() != nullptr || x->isTemplateInstantiation();
  });
  if (all.size() < 2 && pattern == nullptr) return false;
  if (all.size() > 1 && std::any_of(all.begin(), all.end(), head_asks)) return true;
  for (unsigned k = 0; k < arguments.size(); ++k) {
    if (!typed_by_stand_ins(context, arguments[k])) continue;
    const QualType given = arguments[k]->IgnoreParenImpCasts()->getType().getCanonicalType().getUnqualifiedType();
    const bool whole = given->isRecordType();
    if (whole && all.size() < 2 && !inside.found) continue;
    if (whole && !templates && k < f->getNumParams() &&
        f->getParamDecl(k)->getType().getNonReferenceType().getCanonicalType().getUnqualifiedType() == given)
      continue;
    return true;
  }
  if (callee == nullptr || (all.size() < 2 && !inside.found)) return false;
  const auto* d = clang::dyn_cast<clang::DeclRefExpr>(callee->IgnoreParenImpCasts());
  Uses uses;
  if (d != nullptr)
    for (const clang::TemplateArgumentLoc& a : d->template_arguments()) uses.TraverseTemplateArgumentLoc(a);
  return uses.found;
}

}  // namespace fencepost::clangfe
