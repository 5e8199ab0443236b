// Conversions of the host's code. Kinds that are not listed have a value of which nothing is known.
#include "clangfe/host_walk.h"

namespace fencepost::clangfe {

using clang::Expr;

// Elements are counted in the pointer's own type.
Values HostWalk::pointer_cast(const clang::CastExpr* c, Values v) const {
  const clang::QualType from = c->getSubExpr()->getType(), to = c->getType();
  if (from->isPointerType() && to->isPointerType()) {
    const auto pointee = [&](clang::QualType t) { return t->getPointeeType().getCanonicalType().getUnqualifiedType(); };
    if (pointee(from) == pointee(to)) return v;
  }
  Values out{.unknown = v.unknown};
  for (Atom a : v.atoms) {
    if (a.kind == Atom::address && !a.place.path.empty() && is_element(a.place.path.back()) &&
        a.place.path.back() != element(0))
      a.place.path.back() = k_any_element;
    out.atoms.insert(std::move(a));
  }
  return out;
}

// With the distance of two pointers, or a pointer as a number, it may come to anywhere.
Values HostWalk::stepped(Values base, const Values& by, std::optional<int64_t> elements) {
  base.unknown = base.unknown || !by.atoms.empty();
  return shifted(base, elements);
}

// __builtin_bit_cast: the bytes of an object, as a value of another type.
Values HostWalk::bits(const clang::CastExpr* c, uint32_t frame) {
  const Places from = places(c->getSubExpr(), frame);
  const auto scalar = [](clang::QualType t) { return t->isPointerType() || t->isIntegerType(); };
  if (scalar(c->getSubExpr()->getType()) && scalar(c->getType())) return shifted(read(from), std::nullopt);
  memory.escape(copies(from));
  return {.unknown = true};
}

Values HostWalk::cast(const clang::CastExpr* c, uint32_t frame) {
  const Expr* sub = c->getSubExpr();
  switch (c->getCastKind()) {
    case clang::CK_LValueToRValue: {
      const Places from = places(sub, frame);
      return read(from);
    }
    case clang::CK_ArrayToPointerDecay: {
      const Places whole = places(sub, frame);
      Values out{.unknown = whole.unknown};
      for (const Place& p : whole.all) out.atoms.insert({Atom::address, with(p, element(0)), nullptr});
      return out;
    }
    case clang::CK_FunctionToPointerDecay:
    case clang::CK_BuiltinFnToFnPtr:
      return value(sub, frame);
    case clang::CK_NullToPointer:
    case clang::CK_NullToMemberPointer:
      return {};
    case clang::CK_BitCast:
    case clang::CK_AddressSpaceConversion:
    case clang::CK_CPointerToObjCPointerCast:
      return pointer_cast(c, value(sub, frame));
    case clang::CK_IntegralToPointer: {
      Values v = shifted(value(sub, frame), std::nullopt);
      if (v.atoms.empty() && number(sub) != 0) v.unknown = true;
      return v;
    }
    case clang::CK_PointerToIntegral:
      return shifted(value(sub, frame), std::nullopt);
    case clang::CK_PointerToBoolean:
    case clang::CK_ToVoid:
      value(sub, frame);
      return {};
    case clang::CK_LValueToRValueBitCast:
      return bits(c, frame);
    case clang::CK_NoOp:
    case clang::CK_DerivedToBase:
    case clang::CK_UncheckedDerivedToBase:
    case clang::CK_BaseToDerived:
    case clang::CK_Dynamic:
    case clang::CK_UserDefinedConversion:
    case clang::CK_ConstructorConversion:
    case clang::CK_IntegralCast:
    case clang::CK_IntegralToBoolean:
    case clang::CK_IntegralToFloating:
    case clang::CK_FloatingCast:
    case clang::CK_FloatingToIntegral:
    case clang::CK_FloatingToBoolean:
    case clang::CK_BooleanToSignedIntegral:
    case clang::CK_AtomicToNonAtomic:
    case clang::CK_NonAtomicToAtomic:
    case clang::CK_VectorSplat:
    case clang::CK_BaseToDerivedMemberPointer:
    case clang::CK_DerivedToBaseMemberPointer:
    case clang::CK_ReinterpretMemberPointer:
    case clang::CK_MemberPointerToBoolean:
      return value(sub, frame);
    default:
      return other(c, frame);
  }
}

}  // namespace fencepost::clangfe
