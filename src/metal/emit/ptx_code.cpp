#include "emit/ptx_code.h"

#include <fmt/format.h>

#include "prog/test.h"

namespace fencepost::emit {
namespace {

using term::Expr;
using term::Op;

size_t kind_of(uint8_t width) {
  switch (width) {
    case 1:
      return 0;
    case 32:
      return 1;
    case 64:
      return 2;
    default:
      throw PtxUnsupported{fmt::format("values of {} bits are not printed as PTX", width), "use 32 or 64 bits"};
  }
}

const char* simple(Op op) {
  switch (op) {
    case Op::not_:
      return "not.b";
    case Op::neg:
      return "neg.s";
    case Op::add:
      return "add.s";
    case Op::sub:
      return "sub.s";
    case Op::mul:
      return "mul.lo.s";
    case Op::and_:
      return "and.b";
    case Op::or_:
      return "or.b";
    case Op::xor_:
      return "xor.b";
    case Op::smin:
      return "min.s";
    case Op::smax:
      return "max.s";
    case Op::umin:
      return "min.u";
    case Op::umax:
      return "max.u";
    case Op::eq:
      return "setp.eq.s";
    case Op::ne:
      return "setp.ne.s";
    case Op::slt:
      return "setp.lt.s";
    case Op::sle:
      return "setp.le.s";
    case Op::sgt:
      return "setp.gt.s";
    case Op::sge:
      return "setp.ge.s";
    case Op::ult:
      return "setp.lt.u";
    case Op::ule:
      return "setp.le.u";
    case Op::ugt:
      return "setp.gt.u";
    case Op::uge:
      return "setp.ge.u";
    default:
      return nullptr;
  }
}

}  // namespace

std::string PtxCode::fresh(uint8_t width) {
  static constexpr const char* prefix[] = {"%p", "%r", "%d"};
  const size_t k = kind_of(width);
  return fmt::format("{}{}", prefix[k], count_[k]++);
}

std::string PtxCode::label() { return fmt::format("L{}", labels_++); }
void PtxCode::line(const std::string& statement) { text_ += "\t" + statement + ";\n"; }
void PtxCode::place(const std::string& label) { text_ += label + ":\n"; }
void PtxCode::directive(const std::string& text) { text_ += "\t" + text + "\n"; }

void PtxCode::comment(const std::string& text) {
  std::string one = text;
  for (char& c : one)
    if (c == '\n' || c == '\r') c = ' ';
  text_ += "\t// " + one + "\n";
}

std::string PtxCode::declarations() const {
  std::string out;
  if (count_[0] > 0) out += fmt::format("\t.reg .pred %p<{}>;\n", count_[0]);
  if (count_[1] > 0) out += fmt::format("\t.reg .b32 %r<{}>;\n", count_[1]);
  if (count_[2] > 0) out += fmt::format("\t.reg .b64 %d<{}>;\n", count_[2]);
  return out;
}

std::string PtxCode::value(const Expr& e) {
  FENCEPOST_INVARIANT(static_cast<bool>(e), "an empty term was printed as PTX");
  if (e.is_const() && e.width() != 1) {
    kind_of(e.width());
    return fmt::format("{}", term::to_signed(e.value(), e.width()));
  }
  if (e.is_var()) {
    if (e.value() == prog::k_old_value) {
      FENCEPOST_INVARIANT(!old_.empty(), "a term mentions the old value where none was read");
      return old_;
    }
    FENCEPOST_INVARIANT(e.value() < variables_.size(), "a term mentions a variable that the kernel lacks");
    return variables_[e.value()];
  }
  const auto at = known_.find(e.identity());
  if (at != known_.end()) return at->second.second;
  const std::string reg = compute(e);
  known_.emplace(e.identity(), std::pair{e, reg});
  return reg;
}

std::string PtxCode::in_register(const Expr& e) {
  const std::string v = value(e);
  if (!e.is_const() || e.width() == 1) return v;
  const std::string r = fresh(e.width());
  line(fmt::format("mov.b{} {}, {}", e.width(), r, v));
  return r;
}

bool PtxCode::kept(const Expr& e) const {
  bool out = false;
  term::for_each_variable(e, [&](uint64_t v) { out = out || v >= observed_.size() || observed_[v]; });
  return out;
}

std::string PtxCode::kept_dependency(const Expr& of) {
  const std::string zero = fresh(of.width()), out = fresh(of.width());
  line(fmt::format("ld.param.b{} {}, [{}]", of.width(), zero, zero_));
  line(fmt::format("and.b{} {}, {}, {}", of.width(), out, value(of), zero));
  return out;
}

std::string PtxCode::compute(const Expr& e) {
  const uint8_t w = e.width();
  if (e.is_const()) {
    const std::string r = fresh(1);
    line(fmt::format("mov.pred {}, {}", r, e.value()));
    return r;
  }
  const uint8_t operand = e.kids()[0].width();
  if (e.op() == Op::zext || e.op() == Op::sext || e.op() == Op::trunc) return resized(e);
  if (e.op() == Op::ite) {
    const std::string c = value(e.kids()[0]), t = value(e.kids()[1]), f = value(e.kids()[2]), r = fresh(w);
    if (w != 1) {
      line(fmt::format("selp.b{} {}, {}, {}, {}", w, r, t, f, c));
      return r;
    }
    const std::string a = fresh(1), n = fresh(1), b = fresh(1);
    line(fmt::format("and.pred {}, {}, {}", a, c, t));
    line(fmt::format("not.pred {}, {}", n, c));
    line(fmt::format("and.pred {}, {}, {}", b, n, f));
    line(fmt::format("or.pred {}, {}, {}", r, a, b));
    return r;
  }
  if (operand == 1) return of_bit(e);
  switch (e.op()) {
    case Op::shl:
    case Op::lshr:
    case Op::ashr:
      return shifted(e);
    case Op::sdiv:
    case Op::udiv:
    case Op::srem:
    case Op::urem:
      return divided(e);
    case Op::xor_:
    case Op::sub:
      if (e.kids()[0] == e.kids()[1] && kept(e.kids()[0])) return kept_dependency(e.kids()[0]);
      break;
    case Op::and_:
    case Op::mul:
      if (e.kids()[1].is_const(0) && kept(e.kids()[0])) return kept_dependency(e.kids()[0]);
      if (e.kids()[0].is_const(0) && kept(e.kids()[1])) return kept_dependency(e.kids()[1]);
      break;
    default:
      break;
  }
  const char* name = simple(e.op());
  FENCEPOST_INVARIANT(name != nullptr, "an operation of terms has no PTX instruction");
  const std::string a = value(e.kids()[0]);
  const std::string b = e.kids().size() > 1 ? ", " + value(e.kids()[1]) : std::string();
  const std::string r = fresh(w);
  line(fmt::format("{}{} {}, {}{}", name, operand, r, a, b));
  return r;
}

// PTX clamps the distance at the width, as terms do; it is a 32-bit number there.
std::string PtxCode::shifted(const Expr& e) {
  const uint8_t w = e.width();
  const char* name = e.op() == Op::shl ? "shl.b" : e.op() == Op::lshr ? "shr.u" : "shr.s";
  const std::string a = value(e.kids()[0]);
  std::string by = value(e.kids()[1]);
  if (w == 64) {
    const std::string least = fresh(64), narrow = fresh(32);
    line(fmt::format("min.u64 {}, {}, 64", least, by));
    line(fmt::format("cvt.u32.u64 {}, {}", narrow, least));
    by = narrow;
  }
  const std::string r = fresh(w);
  line(fmt::format("{}{} {}, {}, {}", name, w, r, a, by));
  return r;
}

std::string PtxCode::divided(const Expr& e) {
  const uint8_t w = e.width();
  const bool is_signed = e.op() == Op::sdiv || e.op() == Op::srem;
  const bool quotient = e.op() == Op::sdiv || e.op() == Op::udiv;
  const char sign = is_signed ? 's' : 'u';
  if (const Expr& by = e.kids()[1]; by.is_const() && !by.is_const(0) && !(is_signed && by.is_const(term::mask(w)))) {
    const std::string a = value(e.kids()[0]), r = fresh(w);
    line(fmt::format("{}.{}{} {}, {}, {}", quotient ? "div" : "rem", sign, w, r, a, value(by)));
    return r;
  }
  const std::string a = in_register(e.kids()[0]), b = in_register(e.kids()[1]);
  // Divide by 1 where the divisor is 0 (or -1, which overflows), then choose.
  const std::string is_zero = fresh(1), safe = fresh(w), r = fresh(w);
  line(fmt::format("setp.eq.s{} {}, {}, 0", w, is_zero, b));
  line(fmt::format("selp.b{} {}, 1, {}, {}", w, safe, b, is_zero));
  std::string minus;
  if (is_signed) {
    minus = fresh(1);
    line(fmt::format("setp.eq.s{} {}, {}, -1", w, minus, b));
    const std::string again = fresh(w);
    line(fmt::format("selp.b{} {}, 1, {}, {}", w, again, safe, minus));
    line(fmt::format("{}.s{} {}, {}, {}", quotient ? "div" : "rem", w, r, a, again));
  } else {
    line(fmt::format("{}.{}{} {}, {}, {}", quotient ? "div" : "rem", sign, w, r, a, safe));
  }
  std::string result = r;
  if (is_signed && quotient) {
    const std::string negative = fresh(w), chosen = fresh(w);
    line(fmt::format("neg.s{} {}, {}", w, negative, a));
    line(fmt::format("selp.b{} {}, {}, {}, {}", w, chosen, negative, result, minus));
    result = chosen;
  }
  const std::string out = fresh(w);
  const std::string by_zero = is_signed ? "0" : quotient ? "-1" : a;
  line(fmt::format("selp.b{} {}, {}, {}, {}", w, out, by_zero, result, is_zero));
  return out;
}

std::string PtxCode::resized(const Expr& e) {
  const uint8_t from = e.kids()[0].width(), to = e.width();
  kind_of(from), kind_of(to);
  const std::string a = in_register(e.kids()[0]), r = fresh(to);
  if (from == 1) {
    line(fmt::format("selp.b{} {}, {}, 0, {}", to, r, e.op() == Op::sext ? -1 : 1, a));
  } else if (to == 1) {
    const std::string low = fresh(from);
    line(fmt::format("and.b{} {}, {}, 1", from, low, a));
    line(fmt::format("setp.ne.s{} {}, {}, 0", from, r, low));
  } else if (to < from) {
    line(fmt::format("cvt.u32.u64 {}, {}", r, a));
  } else {
    line(fmt::format("cvt.{0}64.{0}32 {1}, {2}", e.op() == Op::sext ? 's' : 'u', r, a));
  }
  return r;
}

// Truth values: 1 is also -1, so signed comparisons turn round.
std::string PtxCode::of_bit(const Expr& e) {
  const std::string a = value(e.kids()[0]);
  const auto inverse = [&](const std::string& of) {
    const std::string r = fresh(1);
    line(fmt::format("not.pred {}, {}", r, of));
    return r;
  };
  const auto combine = [&](const char* op, const std::string& x, const std::string& y) {
    const std::string r = fresh(1);
    line(fmt::format("{}.pred {}, {}, {}", op, r, x, y));
    return r;
  };
  if (e.kids().size() == 1) return e.op() == Op::not_ ? inverse(a) : a;  // -a is a
  const std::string b = value(e.kids()[1]);
  switch (e.op()) {
    case Op::add:
    case Op::sub:
    case Op::xor_:
    case Op::ne:
      return combine("xor", a, b);
    case Op::eq:
      return inverse(combine("xor", a, b));
    case Op::and_:
    case Op::mul:
    case Op::umin:
    case Op::smax:
    case Op::sdiv:  // by 0: 0
      return combine("and", a, b);
    case Op::or_:
    case Op::umax:
    case Op::smin:
      return combine("or", a, b);
    case Op::ult:
    case Op::sgt:
      return combine("and", inverse(a), b);
    case Op::ule:
    case Op::sge:
      return combine("or", inverse(a), b);
    case Op::ugt:
    case Op::slt:
    case Op::shl:
    case Op::lshr:
    case Op::urem:
      return combine("and", a, inverse(b));
    case Op::uge:
    case Op::sle:
    case Op::udiv:  // by 0: all ones
      return combine("or", a, inverse(b));
    case Op::ashr:
      return a;
    case Op::srem:
      return combine("and", a, inverse(a));
    default:
      FENCEPOST_INVARIANT(false, "an operation on truth values has no PTX instruction");
      return a;
  }
}

}  // namespace fencepost::emit
