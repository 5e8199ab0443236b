#include "print/opencl_text.h"

#include <fmt/format.h>

namespace fencepost::print::opencl {

using term::Op;

namespace {

Text cast(std::string_view type, const std::string& operand, uint8_t width, bool is_signed) {
  return {fmt::format("({}){}", type, operand), k_unary, width, is_signed};
}

Text literal(uint64_t value, uint8_t width, bool is_signed) {
  Text t{"", k_primary, width, is_signed};
  const bool wide = width > 32;
  const bool narrow = width < 32;
  const int64_t s = term::to_signed(value, width);
  t.s = is_signed ? fmt::format("{}{}", s, wide ? "L" : "") : fmt::format("{}{}", value, wide ? "UL" : "u");
  if (narrow)
    return cast(integer_type(width, is_signed), std::to_string(is_signed ? s : static_cast<int64_t>(value)), width,
                is_signed);
  // In C the sign is an operator: without one the number is a long, or fits no type at all.
  if (is_signed && s < 0 && value == uint64_t{1} << (width - 1))
    return cast(integer_type(width, true), fmt::format("0x{:x}", value), width, true);
  if (is_signed && s < 0) t.precedence = k_unary;
  return t;
}

}  // namespace

bool is_pointer_type(std::string_view type) { return type.ends_with("*"); }

bool is_signed_type(std::string_view type) {
  return !(is_pointer_type(type) || type.starts_with("u") || type == "size_t" || type == "bool");
}

std::string integer_type(uint8_t width, bool is_signed) {
  const std::string base = width <= 1    ? "bool"
                           : width <= 8  ? "char"
                           : width <= 16 ? "short"
                           : width <= 32 ? "int"
                                         : "long";
  return is_signed || width <= 1 ? base : "u" + base;
}

std::string type_of(const prog::Register& r) { return r.type.empty() ? integer_type(r.width, true) : r.type; }

std::string Writer::enclosed(const Text& t, int least) { return t.precedence >= least ? t.s : "(" + t.s + ")"; }

Text Writer::with_sign(Text t, bool is_signed) const {
  if (t.is_signed == is_signed) return t;
  return cast(integer_type(t.width, is_signed), enclosed(t, k_unary), t.width, is_signed);
}

Text Writer::variable(const term::Expr& e, bool raw_pointer) {
  const auto r = static_cast<prog::RegId>(e.value());
  const auto it = inlined.find(r);
  if (it != inlined.end()) {
    Text t = it->second();
    met.push_back(r);
    const std::string type = type_of(code_.registers[r]);
    if (is_pointer_type(type) && !raw_pointer) return cast("long", enclosed(t, k_unary), 64, true);
    t.width = e.width();
    t.is_signed = is_signed_type(type);
    return t;
  }
  if (r >= code_.registers.size()) return {"old", k_primary, e.width(), true};
  const std::string type = type_of(code_.registers[r]);
  if (is_pointer_type(type) && !raw_pointer) return cast("long", name(r), 64, true);
  return {name(r), k_primary, e.width(), is_signed_type(type)};
}

// What stands on the right of && or ||, or in an arm of ?:, must not hide a load: the front end would read it as
// control flow.
Text Writer::conditional_part(const term::Expr& e, bool is_truth) {
  const size_t before = met.size();
  Text t = is_truth ? truth(e) : value(e);
  misplaced = misplaced || met.size() != before;
  return t;
}

namespace {

// A comparison with zero that C computes without promotion to int, as in `if (c)` of a char.
bool is_narrow_truth(const term::Expr& e) {
  return e.op() == Op::ne && e.kids()[1].is_const(0) && e.kids()[0].width() > 1 && e.kids()[0].width() < 32;
}

}  // namespace

// Where C asks for a truth value, `x != 0` of a variable is x.
Text Writer::truth(const term::Expr& e) {
  if (e.op() == Op::ne && e.kids()[1].is_const(0) && e.kids()[0].is_var() && e.kids()[0].width() > 1)
    return variable(e.kids()[0], true);
  return is_narrow_truth(e) ? value(e.kids()[0]) : value(e);
}

std::string Writer::condition(const term::Expr& e) { return truth(e).s; }
std::string Writer::argument(const term::Expr& e) { return e.is_var() ? variable(e, true).s : value(e).s; }

std::string Writer::assigned(const term::Expr& e, std::string_view type) {
  if (e.is_var()) return variable(e, true).s;
  const Text t = value(e);
  return is_pointer_type(type) ? cast(type, enclosed(t, k_unary), 64, false).s : t.s;
}

Text Writer::binary(const term::Expr& e) {
  struct Form {
    const char* op;
    int precedence;
    int sign;  // 0: any; 1: signed; 2: unsigned
  };
  const auto form = [&]() -> Form {
    switch (e.op()) {
      case Op::mul:
        return {"*", 10, 0};
      case Op::sdiv:
        return {"/", 10, 1};
      case Op::udiv:
        return {"/", 10, 2};
      case Op::srem:
        return {"%", 10, 1};
      case Op::urem:
        return {"%", 10, 2};
      case Op::add:
        return {"+", 9, 0};
      case Op::sub:
        return {"-", 9, 0};
      case Op::shl:
        return {"<<", 8, 0};
      case Op::ashr:
        return {">>", 8, 1};
      case Op::lshr:
        return {">>", 8, 2};
      case Op::slt:
        return {"<", 7, 1};
      case Op::sle:
        return {"<=", 7, 1};
      case Op::sgt:
        return {">", 7, 1};
      case Op::sge:
        return {">=", 7, 1};
      case Op::ult:
        return {"<", 7, 2};
      case Op::ule:
        return {"<=", 7, 2};
      case Op::ugt:
        return {">", 7, 2};
      case Op::uge:
        return {">=", 7, 2};
      case Op::eq:
        return {"==", 6, 0};
      case Op::ne:
        return {"!=", 6, 0};
      case Op::and_:
        return {"&", 5, 0};
      case Op::xor_:
        return {"^", 4, 0};
      case Op::or_:
        return {"|", 3, 0};
      default:
        return {"", 0, 0};
    }
  }();
  Text a = value(e.kids()[0]);
  Text b = value(e.kids()[1]);
  if (form.sign != 0) {
    a = with_sign(std::move(a), form.sign == 1);
    b = with_sign(std::move(b), form.sign == 1);
  }
  Text out;
  out.s = fmt::format("{} {} {}", enclosed(a, form.precedence), form.op, enclosed(b, form.precedence + 1));
  out.precedence = form.precedence;
  out.width = e.width();
  const bool shift = form.precedence == 8;
  out.is_signed = term::is_comparison(e.op()) || (a.is_signed && (shift || b.is_signed));
  if (!term::is_comparison(e.op()) && e.width() < 32)  // C computes no narrower than int
    return cast(integer_type(e.width(), true), "(" + out.s + ")", e.width(), true);
  return out;
}

Text Writer::value(const term::Expr& e) {
  const uint8_t w = e.width();
  if (is_narrow_truth(e)) return cast("bool", enclosed(value(e.kids()[0]), k_unary), 1, true);
  switch (e.op()) {
    case Op::constant:
      return w == 1 ? Text{e.value() != 0 ? "1" : "0", k_primary, 1, true} : literal(e.value(), w, true);
    case Op::variable:
      return variable(e, false);
    case Op::not_: {
      const Text kid = w == 1 ? truth(e.kids()[0]) : value(e.kids()[0]);
      return {(w == 1 ? "!" : "~") + enclosed(kid, k_unary), k_unary, w, kid.is_signed};
    }
    case Op::neg: {
      const Text kid = value(e.kids()[0]);
      return {"-" + (kid.s.starts_with("-") ? "(" + kid.s + ")" : enclosed(kid, k_unary)), k_unary, w, kid.is_signed};
    }
    case Op::zext:
    case Op::sext: {
      const term::Expr& kid = e.kids()[0];
      if (kid.width() == 1) {
        Text t = value(kid);
        if (e.op() == Op::zext && w == 32) {
          t.width = 32;
          t.is_signed = true;
          return t;
        }
        return cast(integer_type(w, true), enclosed(t, k_unary), w, true);
      }
      const Text t = with_sign(value(kid), e.op() == Op::sext);
      return cast(integer_type(w, true), enclosed(t, k_unary), w, true);
    }
    case Op::trunc:
      return cast(integer_type(w, true), enclosed(value(e.kids()[0]), k_unary), w, true);
    case Op::ite: {
      const Text c = truth(e.kids()[0]);
      const Text a = conditional_part(e.kids()[1], false);
      const Text b = conditional_part(e.kids()[2], false);
      return {fmt::format("{} ? {} : {}", enclosed(c, 1), a.s, enclosed(b, 0)), 0, w, a.is_signed && b.is_signed};
    }
    case Op::smin:
    case Op::smax:
    case Op::umin:
    case Op::umax: {
      const bool s = e.op() == Op::smin || e.op() == Op::smax;
      const Text a = with_sign(value(e.kids()[0]), s);
      const Text b = with_sign(value(e.kids()[1]), s);
      const char* f = e.op() == Op::smin || e.op() == Op::umin ? "min" : "max";
      return {fmt::format("{}({}, {})", f, a.s, b.s), k_primary, w, s};
    }
    case Op::and_:
    case Op::or_:
      if (w == 1) {
        const bool is_and = e.op() == Op::and_;
        const Text a = truth(e.kids()[0]);
        const Text b = conditional_part(e.kids()[1], true);
        const int p = is_and ? 2 : 1;
        return {fmt::format("{} {} {}", enclosed(a, p), is_and ? "&&" : "||", enclosed(b, p + 1)), p, 1, true};
      }
      return binary(e);
    default:
      return binary(e);
  }
}

// The plain integer or pointer type of what a parameter points to: "atomic_int" of "global atomic_int* x" is int.
std::string Writer::pointee(prog::SymbolId symbol) const {
  const std::string name = prog::declared_name(test_.symbols[symbol]);
  for (const std::string& p : code_.parameters) {
    if (!p.ends_with(" " + name)) continue;
    std::string type = p.substr(0, p.size() - name.size() - 1);
    if (const size_t blank = type.rfind(' '); blank != std::string::npos) type = type.substr(blank + 1);
    if (type.ends_with("*")) type.pop_back();
    if (!is_pointer_type(type) && type.starts_with("atomic_")) type = type.substr(7);
    return type;
  }
  return {};
}

Text Writer::pointer(const prog::Address& addr, std::string_view type, bool exact) {
  if (addr.symbol != prog::k_none) {
    const std::string base = prog::declared_name(test_.symbols[addr.symbol]);
    Text t{base, k_primary, 64, false};
    if (addr.index) {
      const term::Expr& i = addr.index;
      Text index;
      if (i.is_const() && static_cast<int64_t>(i.value()) == term::to_signed(i.value(), 32))
        index = literal(i.value() & term::mask(32), 32, true);
      else if (i.op() == Op::sext && i.kids()[0].width() == 32)
        index = with_sign(value(i.kids()[0]), true);
      else
        index = value(i);
      t = {fmt::format("{} + {}", base, enclosed(index, 10)), 9, 64, false};
    }
    if (exact && pointee(addr.symbol) != type && !pointee(addr.symbol).empty())
      return cast(fmt::format("{}*", type), enclosed(t, k_unary), 64, false);
    return t;
  }
  if (addr.index.is_var()) {
    const auto r = static_cast<prog::RegId>(addr.index.value());
    const std::string have = r < code_.registers.size() ? type_of(code_.registers[r]) : "";
    if (is_pointer_type(have)) {
      std::string target = have.substr(0, have.size() - 1);
      if (!is_pointer_type(target) && target.starts_with("atomic_")) target = target.substr(7);
      const Text t = variable(addr.index, true);
      if (target == type) return t;
      return cast(fmt::format("{}*", type), enclosed(t, k_unary), 64, false);
    }
  }
  return cast(fmt::format("{}*", type), enclosed(value(addr.index), k_unary), 64, false);
}

std::string Writer::dereference(const prog::Address& addr, std::string_view type, bool exact) {
  return "*" + enclosed(pointer(addr, type, exact), k_unary);
}

}  // namespace fencepost::print::opencl
