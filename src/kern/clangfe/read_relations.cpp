#include "clangfe/read_relations.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecordLayout.h>

#include <algorithm>
#include <array>
#include <map>

#include "clangfe/survey.h"

namespace fencepost::clangfe {
namespace {

using clang::Expr;
using clang::VarDecl;
using ir::Op;
using Step = std::optional<uint32_t>;

constexpr unsigned k_deep = 48;
constexpr size_t k_steps = 256;
constexpr size_t k_members = 64;  // of one structure

class Reader {
 public:
  Reader(clang::ASTContext& context, const HostFacts& facts) : context_(context), facts_(facts) {}

  void target(HostRelations::Target::Kind kind, uint32_t number, const Expr* e) {
    if (e->getType()->isRecordType()) return structure(number, e);
    if (!e->getType()->isIntegralOrEnumerationType()) return;
    const size_t steps = out_.steps.size(), variables = out_.variables.size();
    const bool changes = out_.changes;
    const Step s = facts_.doubtful(e) ? Step{} : read(e, 0);
    if (s && out_.steps[*s].kind != HostStep::constant) {
      out_.targets.push_back({kind, number, *s});
      return;
    }
    // Nothing of it is left.
    out_.steps.resize(steps);
    out_.variables.resize(variables);
    out_.changes = changes;
    std::erase_if(variables_, [&](const auto& v) { return v.second >= variables; });
    std::erase_if(made_, [&](const auto& m) { return m.second >= steps; });
  }
  // A structure that is given by value: the numbers in it.
  void structure(uint32_t number, const Expr* e) {
    Members all;
    if (facts_.doubtful(e) || !members(e, 0, all, 0)) return;
    for (const auto& [offset, m] : all)
      out_.targets.push_back(
          {.kind = HostRelations::Target::member, .number = number, .step = m.step, .offset = offset, .name = m.name});
  }
  void sizes(HostRelations::Target::Kind kind, const Expr* e) {
    if (e == nullptr || facts_.doubtful(e)) return;
    const auto axes = extent(e, 0);
    if (!axes) return;
    const VarDecl* before = std::exchange(since_, axes->variable);
    for (uint32_t d = 0; d < 3; ++d) target(kind, d, axes->size[d]);
    since_ = before;
  }
  HostRelations take() { return std::move(out_); }

 private:
  struct Axes {
    std::array<const Expr*, 3> size{};
    const VarDecl* variable = nullptr;  // evaluated where it is declared
  };
  struct Member {
    uint32_t step = 0;
    uint64_t bytes = 0;
    std::string name;
  };
  using Members = std::map<uint64_t, Member>;  // by offset in bytes

  bool number_type(clang::QualType t) const {
    if (t.isNull() || t->isDependentType() || !t->isIntegralOrEnumerationType()) return false;
    const uint64_t w = context_.getTypeSize(t);
    return w == 8 || w == 16 || w == 32 || w == 64;
  }
  uint8_t width(clang::QualType t) const { return static_cast<uint8_t>(context_.getTypeSize(t)); }
  static bool is_signed(clang::QualType t) { return t->isSignedIntegerOrEnumerationType(); }

  Step add(HostStep s) {
    const auto it = std::ranges::find(out_.steps, s);
    if (it != out_.steps.end()) return static_cast<uint32_t>(it - out_.steps.begin());
    if (out_.steps.size() >= k_steps) return std::nullopt;
    out_.steps.push_back(std::move(s));
    return static_cast<uint32_t>(out_.steps.size() - 1);
  }
  Step constant(uint64_t bits, uint8_t w) {
    if (w < 64) bits &= (uint64_t{1} << w) - 1;
    return add({.kind = HostStep::constant, .width = w, .number = bits});
  }
  Step compute(Op op, std::vector<uint32_t> of, uint8_t w, bool no_wrap = false) {
    return add({.kind = HostStep::compute, .width = w, .op = op, .of = std::move(of), .no_signed_wrap = no_wrap});
  }
  Step convert(Step s, bool from_signed, uint8_t to) {
    if (!s) return s;
    const HostStep& x = out_.steps[*s];
    if (x.width == to) return s;
    if (x.kind == HostStep::constant && x.width < to) {
      const uint64_t top = uint64_t{1} << (x.width - 1);
      return constant(from_signed ? (x.number ^ top) - top : x.number, to);
    }
    if (x.kind == HostStep::constant) return constant(x.number, to);
    return compute(x.width > to ? Op::trunc : from_signed ? Op::sext : Op::zext, {*s}, to);
  }
  // One bit: it is not 0.
  Step truth(Step s) {
    if (!s) return s;
    const HostStep x = out_.steps[*s];
    if (x.kind == HostStep::compute && x.op == Op::zext && out_.steps[x.of[0]].width == 1) return x.of[0];
    const Step zero = constant(0, x.width);
    return zero ? compute(Op::ne, {*s, *zero}, 1) : zero;
  }
  Step as_bool(Step bit, clang::QualType t) { return bit ? compute(Op::zext, {*bit}, width(t)) : bit; }

  Step read(const Expr* e, unsigned depth);
  Step cast(const clang::CastExpr* c, unsigned depth);
  Step name(const clang::DeclRefExpr* d, unsigned depth);
  Step variable(const VarDecl* v);
  Step pitch(const VarDecl* v, const Expr* width, unsigned depth);
  Step binary(const clang::BinaryOperator* b, unsigned depth);
  Step unary(const clang::UnaryOperator* u, unsigned depth);
  Step choice(const clang::ConditionalOperator* c, unsigned depth);
  Step call(const clang::CallExpr* c, unsigned depth);
  Step axis(const clang::MemberExpr* m, unsigned depth);
  Step member(const clang::MemberExpr* m, unsigned depth);
  bool members(const Expr* e, uint64_t at, Members& out, unsigned depth);
  bool members_of(const VarDecl* v, const Expr* place, uint64_t at, Members& out, unsigned depth);
  bool made_by(const clang::CXXConstructExpr* c, uint64_t at, Members& out, unsigned depth);
  bool field(const clang::FieldDecl* f, const Expr* value, uint64_t at, Members& out, unsigned depth);
  std::optional<Axes> extent(const Expr* e, unsigned depth);
  // Evaluated or not, as the host's numbers have it.
  Step perhaps(const Expr* e, unsigned depth) {
    ++perhaps_;
    const Step s = read(e, depth);
    --perhaps_;
    return s;
  }
  // Evaluated where a variable is declared, before the launch.
  Step declared(const VarDecl* v, const Expr* init, unsigned depth) {
    const VarDecl* before = std::exchange(since_, v);
    const Step s = facts_.doubtful(init) ? Step{} : read(init, depth);
    since_ = before;
    return s;
  }

  clang::ASTContext& context_;
  const HostFacts& facts_;
  HostRelations out_;
  std::map<const VarDecl*, uint32_t> variables_;         // by number
  std::map<const VarDecl*, uint32_t> made_;              // declared with a value that was read: its step
  std::map<const clang::ParmVarDecl*, uint32_t> given_;  // parameters of the functions that are being computed
  const VarDecl* since_ = nullptr;  // what is read now was evaluated where this one is declared; none: at the launch
  unsigned perhaps_ = 0;
};

Step Reader::read(const Expr* e, unsigned depth) {
  if (e == nullptr || depth > k_deep || e->containsErrors() || e->isValueDependent()) return std::nullopt;
  ++depth;
  if (const auto* p = clang::dyn_cast<clang::ParenExpr>(e)) return read(p->getSubExpr(), depth);
  if (const auto* x = clang::dyn_cast<clang::FullExpr>(e)) return read(x->getSubExpr(), depth);
  if (const auto* x = clang::dyn_cast<clang::MaterializeTemporaryExpr>(e)) return read(x->getSubExpr(), depth);
  if (!number_type(e->getType())) return std::nullopt;
  if (const auto n = facts_.number(e)) return constant(n->extOrTrunc(64).getZExtValue(), width(e->getType()));
  if (const auto* x = clang::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(e)) return read(x->getReplacement(), depth);
  if (const auto* l = clang::dyn_cast<clang::InitListExpr>(e); l != nullptr && l->getNumInits() == 1)
    return read(l->getInit(0), depth);
  if (const auto* c = clang::dyn_cast<clang::CastExpr>(e)) return cast(c, depth);
  if (const auto* d = clang::dyn_cast<clang::DeclRefExpr>(e)) return name(d, depth);
  if (const auto* b = clang::dyn_cast<clang::BinaryOperator>(e)) return binary(b, depth);
  if (const auto* u = clang::dyn_cast<clang::UnaryOperator>(e)) return unary(u, depth);
  if (const auto* c = clang::dyn_cast<clang::ConditionalOperator>(e)) return choice(c, depth);
  if (const auto* c = clang::dyn_cast<clang::CallExpr>(e)) return call(c, depth);
  if (const auto* m = clang::dyn_cast<clang::MemberExpr>(e)) return axis(m, depth);
  return std::nullopt;
}

Step Reader::cast(const clang::CastExpr* c, unsigned depth) {
  const Expr* from = c->getSubExpr();
  if (!number_type(from->getType())) return std::nullopt;
  switch (c->getCastKind()) {
    case clang::CK_LValueToRValue:
    case clang::CK_NoOp:
      return read(from, depth);
    case clang::CK_IntegralCast:
      return convert(read(from, depth), is_signed(from->getType()), width(c->getType()));
    case clang::CK_IntegralToBoolean:
      return as_bool(truth(read(from, depth)), c->getType());
    default:
      return std::nullopt;
  }
}

Step Reader::name(const clang::DeclRefExpr* d, unsigned depth) {
  const auto* v = clang::dyn_cast<VarDecl>(d->getDecl());
  if (v == nullptr) return std::nullopt;
  if (const auto* p = clang::dyn_cast<clang::ParmVarDecl>(v))
    if (const auto it = given_.find(p); it != given_.end()) return it->second;
  if (const auto it = made_.find(v); it != made_.end()) return it->second;
  if (!v->hasLocalStorage() || v->isInvalidDecl() || v->isInitCapture() || v->getType().isVolatileQualified() ||
      v->getType()->isReferenceType() || !number_type(v->getType()))
    return std::nullopt;
  if (const Expr* width = facts_.row_width(v)) return pitch(v, width, depth);
  if (!facts_.keeps(v))
    return (since_ == nullptr ? facts_.steady(v) : facts_.steady_since(v, since_)) ? variable(v) : std::nullopt;
  if (clang::isa<clang::ParmVarDecl>(v) || !v->hasInit() || variables_.contains(v)) return variable(v);
  const Step s = declared(v, v->getInit(), depth);
  if (!s) return variable(v);
  made_.emplace(v, *s);
  return s;
}

Step Reader::pitch(const VarDecl* v, const Expr* width, unsigned depth) {
  const Step row = declared(v, width, depth);
  if (!row || out_.steps[*row].width != 64 || context_.getTypeSize(v->getType()) != 64) return std::nullopt;
  const auto [it, fresh] = variables_.try_emplace(v, static_cast<uint32_t>(out_.variables.size()));
  if (fresh) out_.variables.push_back("what cudaMallocPitch adds");
  const Step more = convert(add({.kind = HostStep::variable, .width = 32, .number = it->second}), false, 64);
  const Step sum = more ? compute(Op::add, {*row, *more}, 64) : more;
  if (sum) made_.emplace(v, *sum);
  return sum;
}

// A variable that stands for itself.
Step Reader::variable(const VarDecl* v) {
  const auto [it, fresh] = variables_.try_emplace(v, static_cast<uint32_t>(out_.variables.size()));
  if (fresh) {
    out_.variables.push_back(v->getNameAsString());
    out_.changes = out_.changes || !facts_.keeps(v);
  }
  return add({.kind = HostStep::variable, .width = width(v->getType()), .number = it->second});
}

Step Reader::binary(const clang::BinaryOperator* b, unsigned depth) {
  if (b->isAssignmentOp() || b->isCommaOp() || b->isPtrMemOp()) return std::nullopt;
  const clang::QualType t = b->getLHS()->getType();
  if (!number_type(t) || !number_type(b->getRHS()->getType())) return std::nullopt;
  const Step x = read(b->getLHS(), depth);
  if (b->isLogicalOp()) {
    const Step p = truth(x), q = truth(perhaps(b->getRHS(), depth));
    if (!p || !q) return std::nullopt;
    return as_bool(compute(b->getOpcode() == clang::BO_LAnd ? Op::and_ : Op::or_, {*p, *q}, 1), b->getType());
  }
  Step y = read(b->getRHS(), depth);
  const bool sign = is_signed(t);
  if (b->isShiftOp()) {
    if (y && out_.steps[*y].kind != HostStep::constant && out_.steps[*y].width > width(t)) return std::nullopt;
    y = convert(y, is_signed(b->getRHS()->getType()), width(t));
    if (!x || !y) return std::nullopt;
    return compute(b->getOpcode() == clang::BO_Shl ? Op::shl : sign ? Op::ashr : Op::lshr, {*x, *y}, width(t));
  }
  if (!x || !y || width(t) != width(b->getRHS()->getType()) || sign != is_signed(b->getRHS()->getType()))
    return std::nullopt;
  const auto made = [&](Op op) { return compute(op, {*x, *y}, width(t)); };
  const auto whole = [&](Op op) { return compute(op, {*x, *y}, width(t), sign && perhaps_ == 0); };
  const auto test = [&](Op op) { return as_bool(compute(op, {*x, *y}, 1), b->getType()); };
  switch (b->getOpcode()) {
    case clang::BO_Add:
      return whole(Op::add);
    case clang::BO_Sub:
      return whole(Op::sub);
    case clang::BO_Mul:
      return whole(Op::mul);
    case clang::BO_Div:
      return made(sign ? Op::sdiv : Op::udiv);
    case clang::BO_Rem:
      return made(sign ? Op::srem : Op::urem);
    case clang::BO_And:
      return made(Op::and_);
    case clang::BO_Or:
      return made(Op::or_);
    case clang::BO_Xor:
      return made(Op::xor_);
    case clang::BO_LT:
      return test(sign ? Op::slt : Op::ult);
    case clang::BO_LE:
      return test(sign ? Op::sle : Op::ule);
    case clang::BO_GT:
      return test(sign ? Op::sgt : Op::ugt);
    case clang::BO_GE:
      return test(sign ? Op::sge : Op::uge);
    case clang::BO_EQ:
      return test(Op::eq);
    case clang::BO_NE:
      return test(Op::ne);
    default:
      return std::nullopt;
  }
}

Step Reader::unary(const clang::UnaryOperator* u, unsigned depth) {
  if (u->isIncrementDecrementOp() || !number_type(u->getSubExpr()->getType())) return std::nullopt;
  const Step x = read(u->getSubExpr(), depth);
  if (!x) return x;
  const uint8_t w = width(u->getType());
  switch (u->getOpcode()) {
    case clang::UO_Plus:
      return x;
    case clang::UO_Minus:
      return compute(Op::neg, {*x}, w);
    case clang::UO_Not:
      return compute(Op::not_, {*x}, w);
    case clang::UO_LNot: {
      const Step zero = constant(0, out_.steps[*x].width);
      return zero ? as_bool(compute(Op::eq, {*x, *zero}, 1), u->getType()) : zero;
    }
    default:
      return std::nullopt;
  }
}

Step Reader::choice(const clang::ConditionalOperator* c, unsigned depth) {
  if (const auto when = facts_.number(c->getCond()))
    return read(when->isZero() ? c->getFalseExpr() : c->getTrueExpr(), depth);
  const Step when = truth(read(c->getCond(), depth));
  const Step yes = perhaps(c->getTrueExpr(), depth), no = perhaps(c->getFalseExpr(), depth);
  if (!when || !yes || !no || out_.steps[*yes].width != out_.steps[*no].width) return std::nullopt;
  return compute(Op::ite, {*when, *yes, *no}, out_.steps[*yes].width);
}

// min and max of libraries, and a function that is the one statement `return e;`.
Step Reader::call(const clang::CallExpr* c, unsigned depth) {
  const clang::FunctionDecl* f = c->getDirectCallee();
  // Of a weak function another file may have its own.
  if (f == nullptr || clang::isa<clang::CXXMethodDecl>(f) || f->isWeak() || f->isMultiVersion()) return std::nullopt;
  if (f->getIdentifier() != nullptr && (f->getName() == "min" || f->getName() == "max") && c->getNumArgs() == 2 &&
      !users_text(context_.getSourceManager(), context_.getTargetInfo(), f->getLocation())) {
    const clang::QualType t = c->getType();
    for (const Expr* a : c->arguments())
      if (!number_type(a->getType()) || !context_.hasSameUnqualifiedType(a->getType(), t)) return std::nullopt;
    const Step x = read(c->getArg(0), depth), y = read(c->getArg(1), depth);
    const bool least = f->getName() == "min";
    if (!x || !y) return std::nullopt;
    return compute(is_signed(t) ? (least ? Op::smin : Op::smax) : (least ? Op::umin : Op::umax), {*x, *y}, width(t));
  }
  const clang::FunctionDecl* whole = nullptr;
  if (!f->hasBody(whole) || whole->isVariadic() || c->getNumArgs() != whole->getNumParams()) return std::nullopt;
  const auto* body = clang::dyn_cast_or_null<clang::CompoundStmt>(whole->getBody());
  if (body == nullptr || body->size() != 1) return std::nullopt;
  const auto* back = clang::dyn_cast<clang::ReturnStmt>(body->body_front());
  if (back == nullptr || back->getRetValue() == nullptr) return std::nullopt;
  std::map<const clang::ParmVarDecl*, uint32_t> given;
  for (unsigned k = 0; k < c->getNumArgs(); ++k) {
    const clang::ParmVarDecl* p = whole->getParamDecl(k);
    const clang::QualType t = p->getType().getNonReferenceType();
    const Step s = t.isVolatileQualified() || !number_type(t) ? Step{} : read(c->getArg(k), depth);
    if (!s || out_.steps[*s].width != width(t)) return std::nullopt;
    given.emplace(p, *s);
  }
  std::swap(given_, given);
  const Step s = facts_.doubtful(back->getRetValue()) ? Step{} : read(back->getRetValue(), depth);
  std::swap(given_, given);
  return s;
}

// `grid.x` of a dim3 that is only read.
Step Reader::axis(const clang::MemberExpr* m, unsigned depth) {
  const auto* record = m->getBase()->getType()->getAsCXXRecordDecl();
  if (m->isArrow() || record == nullptr) return std::nullopt;
  if (record->getName() != "dim3") return member(m, depth);
  const llvm::StringRef n = m->getMemberDecl()->getName();
  if (n != "x" && n != "y" && n != "z") return std::nullopt;
  const auto axes = extent(m->getBase(), depth);
  if (!axes) return std::nullopt;
  const Expr* e = axes->size[static_cast<size_t>(n[0] - 'x')];
  return axes->variable != nullptr ? declared(axes->variable, e, depth) : read(e, depth);
}

std::optional<Reader::Axes> Reader::extent(const Expr* e, unsigned depth) {
  if (e == nullptr || depth > k_deep || e->containsErrors() || e->isValueDependent()) return std::nullopt;
  ++depth;
  e = e->IgnoreParens();
  if (const auto* x = clang::dyn_cast<clang::FullExpr>(e)) return extent(x->getSubExpr(), depth);
  if (const auto* x = clang::dyn_cast<clang::MaterializeTemporaryExpr>(e)) return extent(x->getSubExpr(), depth);
  if (const auto* x = clang::dyn_cast<clang::CXXBindTemporaryExpr>(e)) return extent(x->getSubExpr(), depth);
  if (const auto* x = clang::dyn_cast<clang::CastExpr>(e)) return extent(x->getSubExpr(), depth);
  if (const auto* d = clang::dyn_cast<clang::DeclRefExpr>(e)) {
    const auto* v = clang::dyn_cast<VarDecl>(d->getDecl());
    if (v == nullptr || clang::isa<clang::ParmVarDecl>(v) || !v->hasLocalStorage() || v->isInvalidDecl() ||
        !v->hasInit() || v->getType()->isReferenceType() || v->getType().isVolatileQualified() || !facts_.keeps(v) ||
        facts_.doubtful(v->getInit()))
      return std::nullopt;
    auto axes = extent(v->getInit(), depth);
    if (axes) axes->variable = v;
    return axes;
  }
  const auto* c = clang::dyn_cast<clang::CXXConstructExpr>(e);
  if (c == nullptr || c->getConstructor()->getParent()->getName() != "dim3") return std::nullopt;
  if (c->getConstructor()->isCopyOrMoveConstructor()) return extent(c->getArg(0), depth);
  if (c->getNumArgs() != 3) return std::nullopt;
  return Axes{.size = {c->getArg(0), c->getArg(1), c->getArg(2)}};
}

// ---- numbers in structures -----------------------------------------------------------------------------------------

// Each of its members has a place of its own, and holds what it was given.
bool plain(const clang::CXXRecordDecl& r) {
  return r.hasDefinition() && !r.isInvalidDecl() && !r.isUnion() && !r.isDependentContext() && r.getNumBases() == 0 &&
         !r.isDynamicClass() && r.isTriviallyCopyable() && !r.hasVolatileMember() && !r.hasMutableFields();
}

const clang::CXXRecordDecl* plain_record(clang::QualType t) {
  const clang::CXXRecordDecl* r = t.isNull() || t.isVolatileQualified() ? nullptr : t->getAsCXXRecordDecl();
  return r != nullptr && plain(*r) ? r->getDefinition() : nullptr;
}

// `value` is what the member `f` of the structure at `at` holds now. False: not all of this can be followed.
bool Reader::field(const clang::FieldDecl* f, const Expr* value, uint64_t at, Members& out, unsigned depth) {
  if (f->isInvalidDecl() || out.size() > k_members) return false;
  const uint64_t place = at + context_.getFieldOffset(f) / 8;
  const uint64_t bytes = f->isBitField() ? 0 : context_.getTypeSizeInChars(f->getType()).getQuantity();
  // Two bit-fields share a byte.
  if (f->isBitField() || value == nullptr || value->containsErrors()) {
    std::erase_if(out, [&](const auto& m) { return f->isBitField() || (m.first >= place && m.first < place + bytes); });
    return true;
  }
  std::erase_if(out, [&](const auto& m) { return m.first >= place && m.first < place + bytes; });
  if (f->getType()->isRecordType()) {
    Members inner;
    if (!members(value, place, inner, depth)) return true;
    for (auto& [offset, m] : inner) {
      m.name = f->getNameAsString() + "." + m.name;
      out.insert_or_assign(offset, std::move(m));
    }
    return true;
  }
  if (!number_type(f->getType()) || !number_type(value->getType())) return true;
  const Step s = read(value, depth);
  if (!s || out_.steps[*s].width != width(f->getType())) return true;
  out.insert_or_assign(place, Member{.step = *s, .bytes = bytes, .name = f->getNameAsString()});
  return true;
}

bool Reader::members(const Expr* e, uint64_t at, Members& out, unsigned depth) {
  if (e == nullptr || depth > k_deep || e->containsErrors() || e->isValueDependent()) return false;
  ++depth;
  const clang::CXXRecordDecl* r = plain_record(e->getType());
  if (r == nullptr || facts_.doubtful_type(*r)) return false;
  e = e->IgnoreParens();
  if (const auto* x = clang::dyn_cast<clang::FullExpr>(e)) return members(x->getSubExpr(), at, out, depth);
  if (const auto* x = clang::dyn_cast<clang::MaterializeTemporaryExpr>(e))
    return members(x->getSubExpr(), at, out, depth);
  if (const auto* x = clang::dyn_cast<clang::CXXBindTemporaryExpr>(e)) return members(x->getSubExpr(), at, out, depth);
  if (const auto* c = clang::dyn_cast<clang::CastExpr>(e)) {
    const clang::CastKind k = c->getCastKind();
    const bool same = context_.hasSameUnqualifiedType(c->getType(), c->getSubExpr()->getType());
    return same && (k == clang::CK_NoOp || k == clang::CK_LValueToRValue || k == clang::CK_ConstructorConversion) &&
           members(c->getSubExpr(), at, out, depth);
  }
  if (const auto* d = clang::dyn_cast<clang::DeclRefExpr>(e)) {
    const auto* v = clang::dyn_cast<VarDecl>(d->getDecl());
    return v != nullptr && members_of(v, d, at, out, depth);
  }
  if (const auto* c = clang::dyn_cast<clang::CXXConstructExpr>(e)) return made_by(c, at, out, depth);
  const auto* list = clang::dyn_cast<clang::InitListExpr>(e);
  if (list == nullptr || list->isTransparent()) return false;
  if (const auto* semantic = list->isSemanticForm() ? nullptr : list->getSemanticForm(); semantic != nullptr)
    list = semantic;
  unsigned k = 0;
  for (const clang::FieldDecl* f : r->fields()) {
    if (f->isUnnamedBitField()) continue;
    if (k >= list->getNumInits()) return false;
    const Expr* value = list->getInit(k++);
    if (const auto* x = clang::dyn_cast_or_null<clang::CXXDefaultInitExpr>(value)) value = x->getExpr();
    if (!field(f, value, at, out, depth)) return false;
  }
  return true;
}

bool Reader::made_by(const clang::CXXConstructExpr* c, uint64_t at, Members& out, unsigned depth) {
  const clang::CXXConstructorDecl* f = c->getConstructor();
  if (f->isCopyOrMoveConstructor())
    return f->isTrivial() && c->getNumArgs() == 1 && members(c->getArg(0), at, out, depth);
  // Nothing is set, or it is set to 0; what is not read is any number.
  if (f->isDefaultConstructor() && f->isTrivial()) return true;
  const clang::FunctionDecl* found = nullptr;
  if (!f->hasBody(found) || found->isWeak() || found->isVariadic()) return false;
  const auto* whole = clang::cast<clang::CXXConstructorDecl>(found);
  const auto* body = clang::dyn_cast<clang::CompoundStmt>(whole->getBody());
  if (body == nullptr || !body->body_empty() || c->getNumArgs() != whole->getNumParams()) return false;
  std::map<const clang::ParmVarDecl*, uint32_t> given;
  for (unsigned k = 0; k < c->getNumArgs(); ++k) {
    const clang::ParmVarDecl* p = whole->getParamDecl(k);
    const clang::QualType t = p->getType().getNonReferenceType();
    const Expr* value = c->getArg(k);
    if (const auto* x = clang::dyn_cast<clang::CXXDefaultArgExpr>(value)) value = x->getExpr();
    const Step s = t.isVolatileQualified() || !number_type(t) ? Step{} : read(value, depth);
    if (s && out_.steps[*s].width == width(t)) given.emplace(p, *s);
  }
  std::swap(given_, given);
  bool all = true;
  for (const clang::CXXCtorInitializer* i : whole->inits()) {
    all = all && i->isMemberInitializer();
    if (!all) break;
    const Expr* value = i->getInit();
    if (const auto* x = clang::dyn_cast_or_null<clang::CXXDefaultInitExpr>(value)) value = x->getExpr();
    if (value != nullptr && facts_.doubtful(value)) value = nullptr;
    all = field(i->getMember(), value, at, out, depth);
  }
  std::swap(given_, given);
  return all;
}

// What it holds at a place.
bool Reader::members_of(const VarDecl* v, const Expr* place, uint64_t at, Members& out, unsigned depth) {
  if (clang::isa<clang::ParmVarDecl>(v) || !v->hasLocalStorage() || v->isInvalidDecl() || !v->hasInit() ||
      v->isInitCapture() || v->getType()->isReferenceType() || v->getType().isVolatileQualified() ||
      facts_.doubtful(v->getInit()))
    return false;
  const auto given = facts_.given(v, place);
  if (!given && !facts_.keeps(v)) return false;
  const VarDecl* before = std::exchange(since_, v);
  bool all = members(v->getInit(), at, out, depth);
  if (given)
    for (const HostFacts::Given& g : *given) {
      const bool open = facts_.doubtful(g.whole);
      if (g.field != nullptr) {
        all = all && field(g.field, open ? nullptr : g.value, at, out, depth);
      } else {
        out.clear();
        all = !open && members(g.value, at, out, depth);
      }
    }
  since_ = before;
  return all;
}

Step Reader::member(const clang::MemberExpr* m, unsigned depth) {
  const auto* f = clang::dyn_cast<clang::FieldDecl>(m->getMemberDecl());
  if (f == nullptr || f->isBitField() || !number_type(f->getType()) || plain_record(m->getBase()->getType()) == nullptr)
    return std::nullopt;
  Members all;
  if (!members(m->getBase(), 0, all, depth)) return std::nullopt;
  const auto it = all.find(context_.getFieldOffset(f) / 8);
  return it == all.end() ? Step{} : Step{it->second.step};
}

}  // namespace

HostRelations read_relations(clang::ASTContext& context, const HostFacts& facts, const Expr* grid, const Expr* block,
                             const std::vector<const Expr*>& arguments) {
  Reader reader(context, facts);
  for (uint32_t k = 0; k < arguments.size(); ++k) reader.target(HostRelations::Target::argument, k, arguments[k]);
  reader.sizes(HostRelations::Target::grid, grid);
  reader.sizes(HostRelations::Target::block, block);
  return reader.take();
}

}  // namespace fencepost::clangfe
