#include <clang/AST/RecursiveASTVisitor.h>

#include "clangfe/launches.h"
#include "clangfe/survey.h"

namespace fencepost::clangfe {
namespace {

// Types of which some place of the text is written through a pointer or reference to const.
class ConstCasts : public clang::RecursiveASTVisitor<ConstCasts> {
 public:
  explicit ConstCasts(clang::ASTContext& context) : context_(context) {}
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitLambdaBody() const { return true; }
  bool VisitExplicitCastExpr(clang::ExplicitCastExpr* e) {
    clang::QualType to = e->getTypeAsWritten(), from = e->getSubExprAsWritten()->getType();
    if (from.isNull()) return true;
    if (to->isDependentType() || from->isDependentType()) return true;  // its instances are looked at
    if (!to->isReferenceType() && !from->isPointerType()) return true;
    if (!to->isReferenceType() && !to->isPointerType()) return true;
    to = to->getPointeeType();
    if (from->isPointerType()) from = from->getPointeeType();
    if (!from.isConstQualified() || to.isConstQualified()) return true;
    if (!users_text(context_.getSourceManager(), context_.getTargetInfo(), e->getBeginLoc())) return true;
    if (from->isVoidType())
      found.any = true;
    else
      found.types.insert(from.getCanonicalType().getUnqualifiedType().getAsOpaquePtr());
    return true;
  }
  Unconst found;

 private:
  clang::ASTContext& context_;
};

}  // namespace

bool Unconst::contains(clang::QualType t) const {
  return any || types.contains(t.getCanonicalType().getUnqualifiedType().getAsOpaquePtr());
}

Unconst written_through_const(clang::ASTContext& context) {
  ConstCasts v(context);
  v.TraverseAST(context);
  return std::move(v.found);
}

}  // namespace fencepost::clangfe
