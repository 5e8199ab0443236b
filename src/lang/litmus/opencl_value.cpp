// Expressions of OPENCL threads: C's conversions and promotions over bit-vector terms, pointers to known
// locations kept symbolic, loads and stores.
#include <fmt/format.h>

#include <algorithm>

#include "litmus/opencl_lower.h"

namespace fencepost::litmus::opencl {

using prog::Instr;
using prog::k_none;
using prog::Kind;
using term::Op;

bool is_pure(const Expr& e) {
  switch (e.kind) {
    case Expr::Kind::number:
    case Expr::Kind::name:
      break;
    case Expr::Kind::unary:
      // `&*p` and `&p[i]` touch nothing, but they are rare enough to be treated as if they did.
      if (e.op == "*" || e.op == "&" || e.op == "++" || e.op == "--") return false;
      break;
    case Expr::Kind::call:
      if (e.op != "min" && e.op != "max") return false;
      break;
    case Expr::Kind::binary:
    case Expr::Kind::logical:
    case Expr::Kind::conditional:
    case Expr::Kind::cast:
      break;
    default:
      return false;
  }
  return std::all_of(e.kids.begin(), e.kids.end(), [](const ExprPtr& k) { return is_pure(*k); });
}

// ---- conversions -------------------------------------------------------------------------------------

term::Expr Lowering::word(const Value& v, const Span& span) const {
  if (v.is_void) fail_at(span, "this has no value", "only loads and read-modify-writes give one");
  if (v.symbolic()) {
    const term::Expr base = term::constant(prog::address_of(test_.symbols[v.symbol].object), 64);
    return v.index ? term::binary(Op::add, base, v.index) : base;
  }
  return v.e.width() == 1 ? term::resize(v.e, v.type.value_width(), false) : v.e;
}

term::Expr Lowering::truth(const Value& v, const Span& span) const {
  if (!v.symbolic() && !v.is_void && v.e.width() == 1) return v.e;
  return term::truth(word(v, span));
}

term::Expr Lowering::convert(const Value& v, const CType& to, const Span& span) const {
  const uint8_t w = to.value_width();
  if (w == 1) return truth(v, span);
  const term::Expr e = !v.symbolic() && !v.is_void && v.e.width() == 1 ? v.e : word(v, span);
  if (e.width() == 1) return term::resize(e, w, false);
  // A truth value made wide twice is made wide once: one term for one meaning, whatever the casts were.
  if (e.op() == Op::zext && e.kids()[0].width() == 1) return term::resize(e.kids()[0], w, false);
  return term::resize(e, w, v.type.value_signed());
}

// Integer promotion: what is narrower than int becomes int. Pointers stay.
Value Lowering::promoted(const Value& v, const Span& span) const {
  if (v.type.pointer()) return v;
  Value out;
  const CType type = v.type.width < 32 ? int_type() : v.type.plain();
  out.e = convert(v, type, span);
  out.type = type;
  return out;
}

// ---- places ------------------------------------------------------------------------------------------

Lowering::Place Lowering::place_of(const Value& pointer, const Span& span) {
  if (pointer.is_void) fail_at(span, "this has no value", "a pointer is expected here");
  Place p;
  p.type = pointer.type.pointer() ? pointer.type.pointee() : int_type();
  if (p.type.flag && !p.type.pointer())
    fail_at(span, "an atomic_flag is reached by its own functions alone",
            "write atomic_flag_test_and_set_explicit or atomic_flag_clear_explicit, or declare an atomic_int");
  if (pointer.symbolic()) {
    const prog::ObjectId id = test_.symbols[pointer.symbol].object;
    const prog::Object& object = test_.objects[id];
    if (p.type.value_width() != object.width)
      unsupported(span,
                  fmt::format("an access of {} bits to {}, which has {}", p.type.value_width(),
                              litmus::quoted(object.name), object.width),
                  "accesses must have the width of their location");
    p.addr.symbol = pointer.symbol;
    if (pointer.index && !pointer.index.is_const(0)) {
      p.addr.index = pointer.index;
      if (pointer.index.is_const() && pointer.index.value() >= object.init.size())
        fail_at(
            span,
            fmt::format("{} has no cell {}", litmus::quoted(object.name), static_cast<int64_t>(pointer.index.value())),
            object.init.size() == 1 ? "it has one cell, 0"
                                    : fmt::format("its cells are 0 to {}", object.init.size() - 1));
    }
    return p;
  }
  p.addr.index = convert(pointer, long_type(), span);
  if (p.addr.index.is_const()) {
    const uint64_t a = p.addr.index.value();
    bool known = false;
    for (prog::ObjectId o = 0; o < test_.objects.size(); ++o)
      known = known || (a >= prog::address_of(o) && a - prog::address_of(o) < test_.objects[o].init.size() &&
                        test_.objects[o].width == p.type.value_width());
    if (!known)
      fail_at(span, fmt::format("the constant {} is not the address of a location", static_cast<int64_t>(a)),
              "use a parameter of the thread");
  }
  return p;
}

Lowering::Place Lowering::place(const Expr& lvalue) {
  if (lvalue.kind == Expr::Kind::unary && lvalue.op == "*") return place_of(value(*lvalue.kids[0]), lvalue.span);
  if (lvalue.kind == Expr::Kind::index) {
    const Value p = value(*lvalue.kids[0]);
    const Value i = value(*lvalue.kids[1]);
    return place_of(combine("+", p, i, lvalue.span), lvalue.span);
  }
  fail_at(lvalue.span, "this cannot be assigned to", "assign to a variable, to *p or to p[i]");
}

Value Lowering::load(const Place& p, const Span& span, Dest* dest) {
  const CType type = p.type.plain();
  Instr i;
  i.kind = Kind::load;
  i.mnemonic = "load";
  i.addr = p.addr;
  i.tags = {vocab::Tag::NA};
  if (p.type.is_volatile) i.tags = {vocab::Tag::A, vocab::Tag::RLX, vocab::Tag::ALL, vocab::Tag::VOLATILE};
  i.dst = destination(dest, type);
  const prog::RegId reg = i.dst;
  emit(std::move(i), span);
  return register_value(reg, type);
}

void Lowering::store(const Place& p, const Value& v, const Span& span) {
  Instr i;
  i.kind = Kind::store;
  i.mnemonic = "store";
  i.addr = p.addr;
  i.value = convert(v, p.type, span);
  i.args = {i.value};
  // A plain store is visible to its own work-item only, until something orders it.
  i.tags = {vocab::Tag::NA, vocab::Tag::WI};
  if (p.type.is_volatile) i.tags = {vocab::Tag::A, vocab::Tag::RLX, vocab::Tag::ALL, vocab::Tag::VOLATILE};
  emit(std::move(i), span);
}

void Lowering::copy_to(prog::RegId reg, const CType& type, const Value& v, const Span& span) {
  Instr i;
  i.kind = Kind::local;
  i.dst = reg;
  i.value = convert(v, type, span);
  i.args = {i.value};
  emit(std::move(i), span);
}

// ---- expressions -------------------------------------------------------------------------------------

term::Expr Lowering::condition(const Expr& e) { return truth(value(e), e.span); }

Value Lowering::name_value(const Expr& e) {
  if (variables_.find(e.op) == variables_.end()) {
    if (const Parameter* p = parameter(e.op)) {
      Value v;
      v.type = p->type;
      ++v.type.stars;
      v.symbol = symbol_in(test_, ast_.id, p->name);
      FENCEPOST_INVARIANT(v.symbolic(), "a parameter has no location");
      return v;
    }
  }
  const Variable& x = variable(e.op, e.span);
  return register_value(x.reg, x.type);
}

Value Lowering::value(const Expr& e, Dest* dest) {
  switch (e.kind) {
    case Expr::Kind::number: {
      Value v;
      v.e = term::constant(e.number, e.type.width);
      v.type = e.type;
      return v;
    }
    case Expr::Kind::name:
      return name_value(e);
    case Expr::Kind::unary:
      return unary(e, dest);
    case Expr::Kind::postfix:
      return change_by_one(e, true, true);
    case Expr::Kind::binary:
      return binary(e);
    case Expr::Kind::logical:
      return logical(e);
    case Expr::Kind::assign:
      return assign(e);
    case Expr::Kind::conditional:
      return conditional(e);
    case Expr::Kind::index:
      return load(place(e), e.span, dest);
    case Expr::Kind::call:
      return call(e, true, dest);
    case Expr::Kind::comma:
      discard(*e.kids[0]);
      return value(*e.kids[1], dest);
    case Expr::Kind::block: {
      scopes_.emplace_back();
      for (const Stmt& s : e.body) statement(s);
      const Value v = value(*e.kids[0], dest);
      for (const std::string& name : scopes_.back()) variables_.find(name)->second.open = false;
      scopes_.pop_back();
      return v;
    }
    case Expr::Kind::cast: {
      Value v = value(*e.kids[0]);
      if (e.type.pointer() && v.symbolic()) {
        v.type = e.type;
        return v;
      }
      Value out;
      out.e = convert(v, e.type, e.span);
      out.type = e.type.plain();
      return out;
    }
  }
  return {};
}

void Lowering::discard(const Expr& e) {
  switch (e.kind) {
    case Expr::Kind::call:
      call(e, false, nullptr);
      return;
    case Expr::Kind::postfix:
      change_by_one(e, true, false);
      return;
    case Expr::Kind::comma:
      discard(*e.kids[0]);
      discard(*e.kids[1]);
      return;
    case Expr::Kind::unary:
      if (e.op == "++" || e.op == "--") {
        change_by_one(e, false, false);
        return;
      }
      break;
    case Expr::Kind::conditional: {
      const If i = begin_if(condition(*e.kids[0]), true, e.span);
      discard(*e.kids[1]);
      begin_else(i, e.span);
      discard(*e.kids[2]);
      end_if(i, e.span);
      return;
    }
    case Expr::Kind::block:
      scopes_.emplace_back();
      for (const Stmt& s : e.body) statement(s);
      discard(*e.kids[0]);
      for (const std::string& name : scopes_.back()) variables_.find(name)->second.open = false;
      scopes_.pop_back();
      return;
    default:
      break;
  }
  value(e);
}

Value Lowering::unary(const Expr& e, Dest* dest) {
  if (e.op == "*") return load(place(e), e.span, dest);
  if (e.op == "++" || e.op == "--") return change_by_one(e, false, true);
  if (e.op == "&") {
    const Expr& kid = *e.kids[0];
    if (kid.kind == Expr::Kind::unary && kid.op == "*") return value(*kid.kids[0]);
    if (kid.kind == Expr::Kind::index) {
      const Value p = value(*kid.kids[0]);
      const Value i = value(*kid.kids[1]);
      return combine("+", p, i, e.span);
    }
    if (kid.kind == Expr::Kind::name && parameter(kid.op))
      fail_at(e.span, fmt::format("{} is already a pointer", litmus::quoted(kid.op)), "remove the '&'");
    fail_at(e.span, "a variable has no address here", "only the expected value of a compare-exchange may be &r");
  }
  const Value v = value(*e.kids[0]);
  Value out;
  if (e.op == "!") {
    out.e = term::unary(Op::not_, truth(v, e.span));
    return out;
  }
  if (v.type.pointer())
    fail_at(e.span, fmt::format("{} of a pointer", litmus::quoted(e.op)), "cast it to intptr_t first");
  out = promoted(v, e.span);
  if (e.op == "-") out.e = term::unary(Op::neg, out.e);
  if (e.op == "~") out.e = term::unary(Op::not_, out.e);
  return out;
}

Value Lowering::binary(const Expr& e) {
  const Value a = value(*e.kids[0]);
  const Value b = value(*e.kids[1]);
  return combine(e.op, a, b, e.span);
}

// One cell is one unit of address, whatever its width (prog::address_of).
Value Lowering::pointer_sum(const Value& p, const Value& i, bool minus, const Span& span) {
  term::Expr step = convert(i, long_type(), span);
  if (minus) step = term::unary(Op::neg, step);
  Value out = p;
  if (p.symbolic()) {
    out.index = p.index ? term::binary(Op::add, p.index, step) : step;
    if (out.index.is_const(0)) out.index = {};
  } else {
    out.e = term::binary(Op::add, word(p, span), step);
  }
  return out;
}

Value Lowering::combine(std::string_view op, const Value& a, const Value& b, const Span& span) {
  if (op == "+" && a.type.pointer() && !b.type.pointer()) return pointer_sum(a, b, false, span);
  if (op == "+" && b.type.pointer() && !a.type.pointer()) return pointer_sum(b, a, false, span);
  if (op == "-" && a.type.pointer() && !b.type.pointer()) return pointer_sum(a, b, true, span);
  const bool comparison = op == "==" || op == "!=" || op == "<" || op == "<=" || op == ">" || op == ">=";
  const bool shift = op == "<<" || op == ">>";
  CType type = int_type();
  if (a.type.pointer() || b.type.pointer()) {
    if (!comparison && op != "-")
      fail_at(span, fmt::format("{} of pointers", litmus::quoted(op)), "cast them to intptr_t first");
    type = long_type(false);
    if (op == "-") type = long_type();
  } else {
    const CType pa = promoted(a, span).type;
    const CType pb = promoted(b, span).type;
    if (shift || pa.width > pb.width)
      type = pa;
    else if (pb.width > pa.width)
      type = pb;
    else
      type = pa.is_signed ? pb : pa;
    // Names are canonical per width and sign, so that int + intptr_t has one type.
    type = type.width == 64 ? long_type(type.is_signed) : *find_type(type.is_signed ? "int" : "uint");
  }
  const term::Expr x = convert(a, type, span);
  term::Expr y = convert(b, type, span);
  const bool s = type.is_signed;
  const auto below = [&](const term::Expr& e) {
    return e.is_const()
               ? e.value() < type.width
               : e.op() == Op::and_ &&
                     std::ranges::any_of(
                         e.kids(), [&](const term::Expr& k) { return k.is_const() && k.value() < type.width; });
  };
  if (shift && !below(y)) {
    // OpenCL C takes the low bits of the amount (6.3 j); in C++ behaviour is undefined from the width on (expr.shift).
    if (cuda())
      unsupported(span, fmt::format("a shift by what may be {} or more, which C++ leaves undefined", type.width),
                  "the amount is a constant below the width");
    y = term::binary(Op::and_, y, term::constant(type.width - 1u, type.width));
  }
  if ((op == "/" || op == "%") && (!y.is_const() || y.is_const(0)))
    unsupported(span, "a division by what may be 0, which has no defined result", "the divisor is a constant");
  Op o = Op::add;
  if (op == "+")
    o = Op::add;
  else if (op == "-")
    o = Op::sub;
  else if (op == "*")
    o = Op::mul;
  else if (op == "/")
    o = s ? Op::sdiv : Op::udiv;
  else if (op == "%")
    o = s ? Op::srem : Op::urem;
  else if (op == "&")
    o = Op::and_;
  else if (op == "|")
    o = Op::or_;
  else if (op == "^")
    o = Op::xor_;
  else if (op == "<<")
    o = Op::shl;
  else if (op == ">>")
    o = s ? Op::ashr : Op::lshr;
  else if (op == "==")
    o = Op::eq;
  else if (op == "!=")
    o = Op::ne;
  else if (op == "<")
    o = s ? Op::slt : Op::ult;
  else if (op == "<=")
    o = s ? Op::sle : Op::ule;
  else if (op == ">")
    o = s ? Op::sgt : Op::ugt;
  else
    o = s ? Op::sge : Op::uge;
  Value out;
  out.e = term::binary(o, x, y);
  if (!comparison) out.type = type;
  return out;
}

Value Lowering::logical(const Expr& e) {
  const bool is_and = e.op == "&&";
  const term::Expr a = condition(*e.kids[0]);
  Value out;
  if (is_pure(*e.kids[1])) {
    out.e = term::binary(is_and ? Op::and_ : Op::or_, a, condition(*e.kids[1]));
    return out;
  }
  // t = a; if (t) t = b;   or   t = a; if (!t) t = b;
  Value left;
  left.e = a;
  const prog::RegId t = temporary(int_type());
  copy_to(t, int_type(), left, e.span);
  const term::Expr now = term::truth(register_value(t, int_type()).e);
  const If i = begin_if(is_and ? now : term::unary(Op::not_, now), false, e.span);
  Value right;
  right.e = condition(*e.kids[1]);
  copy_to(t, int_type(), right, e.span);
  end_if(i, e.span);
  return register_value(t, int_type());
}

Value Lowering::conditional(const Expr& e) {
  const term::Expr c = condition(*e.kids[0]);
  if (is_pure(*e.kids[1]) && is_pure(*e.kids[2])) {
    const Value a = value(*e.kids[1]);
    const Value b = value(*e.kids[2]);
    Value out;
    if (a.type.pointer() || b.type.pointer()) {
      out.type = a.type.pointer() ? a.type : b.type;
      out.e = term::ite(c, convert(a, out.type, e.span), convert(b, out.type, e.span));
      return out;
    }
    const CType type = combine("+", a, b, e.span).type;
    out.type = type;
    out.e = term::ite(c, convert(a, type, e.span), convert(b, type, e.span));
    return out;
  }
  const If i = begin_if(c, true, e.span);
  const Value a = value(*e.kids[1]);
  if (a.is_void) fail_at(e.kids[1]->span, "this has no value", "use if and else");
  CType type = a.type.pointer() ? a.type : promoted(a, e.span).type;
  const prog::RegId t = temporary(type);
  copy_to(t, type, a, e.span);
  begin_else(i, e.span);
  const Value b = value(*e.kids[2]);
  if (!b.is_void && !b.type.pointer() && !type.pointer()) {
    const CType other = promoted(b, e.span).type;
    if (other.width > type.width)
      unsupported(e.kids[2]->span, "the second arm is wider than the first", "cast the first arm to the wider type");
    // Of two arms of one width the type without a sign is that of both.
    if (other.width == type.width && !other.is_signed && type.is_signed) {
      type = other;
      t_.registers[t].type = type.text();
      t_.registers[t].is_unsigned = true;
    }
  }
  copy_to(t, type, b, e.kids[2]->span);
  end_if(i, e.span);
  return register_value(t, type);
}

// `name = right`, straight into the register where the value allows it.
void Lowering::set(const std::string& name, const Span& span, const Expr& right) {
  const CType type = variable(name, span).type;
  Dest dest{type, name, false, false};
  const Value v = value(right, &dest);
  if (dest.used) return;
  copy_to(variable(name, span).reg, type, v, span);
}

Value Lowering::assign(const Expr& e) {
  const Expr& left = *e.kids[0];
  const bool plain = e.op == "=";
  const std::string op = e.op.substr(0, e.op.size() - 1);
  if (left.kind == Expr::Kind::name) {
    if (plain) {
      set(left.op, left.span, *e.kids[1]);
    } else {
      const Value now = name_value(left);
      const Value v = combine(op, now, value(*e.kids[1]), e.span);
      const Variable& x = variable(left.op, left.span);
      copy_to(x.reg, x.type, v, e.span);
    }
    const Variable& x = variable(left.op, left.span);
    return register_value(x.reg, x.type);
  }
  const Place p = place(left);
  Value v;
  if (plain) {
    v = value(*e.kids[1]);
  } else {
    const Value now = load(p, e.span, nullptr);
    v = combine(op, now, value(*e.kids[1]), e.span);
  }
  if (v.is_void) fail_at(e.kids[1]->span, "this has no value", "only loads and read-modify-writes give one");
  store(p, v, e.span);
  Value out;
  out.type = p.type.plain();
  out.e = convert(v, out.type, e.span);
  return out;
}

Value Lowering::change_by_one(const Expr& e, bool want_old, bool wanted) {
  const Expr& left = *e.kids[0];
  Value one;
  one.e = term::constant(1, 32);
  const std::string_view op = e.op == "++" ? "+" : "-";
  if (left.kind == Expr::Kind::name) {
    Value old = name_value(left);
    const Variable x = variable(left.op, left.span);
    if (want_old && wanted) {
      const prog::RegId t = temporary(x.type);
      copy_to(t, x.type, old, e.span);
      copy_to(x.reg, x.type, combine(op, old, one, e.span), e.span);
      return register_value(t, x.type);
    }
    copy_to(x.reg, x.type, combine(op, old, one, e.span), e.span);
    return register_value(x.reg, x.type);
  }
  const Place p = place(left);
  const Value old = load(p, e.span, nullptr);
  const Value changed = combine(op, old, one, e.span);
  store(p, changed, e.span);
  if (want_old) return old;
  Value now;  // what the location holds
  now.type = p.type.plain();
  now.e = convert(changed, now.type, e.span);
  return now;
}

Value Lowering::minmax(const Expr& e) {
  if (e.kids.size() != 2)
    fail_at(e.span, fmt::format("{} takes two values", litmus::quoted(e.op)), fmt::format("write {}(a, b)", e.op));
  const Value a = value(*e.kids[0]);
  const Value b = value(*e.kids[1]);
  Value out;
  out.type = combine("+", a, b, e.span).type;
  if (out.type.pointer()) fail_at(e.span, "minimum and maximum of pointers", "cast them to intptr_t first");
  const bool s = out.type.is_signed;
  const Op op = e.op == "min" ? (s ? Op::smin : Op::umin) : (s ? Op::smax : Op::umax);
  out.e = term::binary(op, convert(a, out.type, e.span), convert(b, out.type, e.span));
  return out;
}

}  // namespace fencepost::litmus::opencl
