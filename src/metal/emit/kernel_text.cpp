#include "emit/kernel_text.h"

#include <fmt/format.h>

#include "prog/test.h"
#include "vocab/vocab.h"

namespace fencepost::emit {

Expected<void> refuse_clusters(const code::Kernel& kernel, const char* what) {
  for (const code::Operation& o : kernel.operations)
    if (o.instr.tags.has(vocab::Tag::CLUSTER) || o.instr.store_tags.has(vocab::Tag::CLUSTER))
      return unsupported_at(o.instr.span,
                            fmt::format("'{}' has the scope .cluster, which {} does not have", o.instr.mnemonic, what),
                            "the targets cuda-source and ptx, and CUDA devices of compute capability 9.0, have it");
  if (code::uses_clusters(kernel))
    return unsupported_at({},
                          fmt::format("the threads of this test are placed in clusters, which {} does not have", what),
                          "the targets cuda-source and ptx, and CUDA devices of compute capability 9.0, have them");
  return {};
}

using code::Statement;
using term::Expr;
using term::Op;

std::string CText::literal(uint64_t v, uint8_t width) const {
  if (width == 1) return v != 0 ? "true" : "false";
  const std::string digits = v > 0xffff ? fmt::format("{:#x}", v) : fmt::format("{}", v);
  return digits + (width == 64 ? syntax_.u64_suffix : "u");
}

std::string CText::resized(const std::string& x, uint8_t from, uint8_t to) const {
  if (from == to) return x;
  if (to == 1) return fmt::format("(({} & {}) != {})", x, literal(1, from), literal(0, from));
  if (from == 1) return fmt::format("({} ? {} : {})", x, literal(1, to), literal(0, to));
  return cast(type(to), x);
}

std::string CText::value(const Expr& e) const {
  const uint8_t w = e.width();
  switch (e.op()) {
    case Op::constant:
      return literal(e.value(), w);
    case Op::variable:
      if (e.value() == prog::k_old_value) return resized(old_value, old_width, w);
      return name(static_cast<code::Var>(e.value()));
    case Op::not_:
      return fmt::format("({}{})", w == 1 ? "!" : "~", value(e.kids()[0]));
    case Op::neg:
      return w == 1 ? value(e.kids()[0]) : fmt::format("({} - {})", literal(0, w), value(e.kids()[0]));
    case Op::ite:
      return fmt::format("({} ? {} : {})", value(e.kids()[0]), value(e.kids()[1]), value(e.kids()[2]));
    case Op::zext:
    case Op::trunc:
      return resized(value(e.kids()[0]), e.kids()[0].width(), w);
    case Op::sext: {
      const uint8_t from = e.kids()[0].width();
      if (from == 1) return fmt::format("({} ? {} : {})", value(e.kids()[0]), literal(term::mask(w), w), literal(0, w));
      return cast(syntax_.u64, cast(syntax_.i64, cast(syntax_.i32, value(e.kids()[0]))));
    }
    default:
      return binary(e);
  }
}

std::string CText::binary(const Expr& e) const {
  const uint8_t w = e.width(), from = e.kids()[0].width();
  const bool truth = from == 1;
  FENCEPOST_INVARIANT(truth || from == 32 || from == 64,
                      "a kernel has a value that is neither a truth value nor a word");
  std::string a = value(e.kids()[0]), b = value(e.kids()[1]);
  const Expr& right = e.kids()[1];
  const auto infix = [&](const char* op) { return fmt::format("({} {} {})", a, op, b); };
  if (truth && term::is_comparison(e.op()) && e.op() != Op::eq && e.op() != Op::ne) {
    // Of truth values: as numbers; the true one is -1 to the signed comparisons.
    a = resized(a, 1, 32), b = resized(b, 1, 32);
    if (e.op() >= Op::slt && e.op() <= Op::sge) std::swap(a, b);
  }
  const std::string& s = from == 64 ? syntax_.i64 : syntax_.i32;
  const auto compared = [&](const char* op) {
    return truth ? infix(op) : fmt::format("({} {} {})", cast(s, a), op, cast(s, b));
  };
  const auto chosen = [&](const std::string& c) { return fmt::format("({} ? {} : {})", c, a, b); };
  const std::string zero = truth ? "" : literal(0, from);
  const auto shift = [&](const std::string& shifted, const std::string& beyond) {
    if (right.is_const()) return right.value() < w ? shifted : beyond;
    return fmt::format("({} < {} ? {} : {})", b, literal(w, w), shifted, beyond);
  };
  switch (e.op()) {
    case Op::add:
    case Op::sub:
      return truth ? infix("!=") : infix(e.op() == Op::add ? "+" : "-");
    case Op::mul:
      return truth ? infix("&&") : infix("*");
    case Op::and_:
      return truth ? infix("&&") : infix("&");
    case Op::or_:
      return truth ? infix("||") : infix("|");
    case Op::xor_:
      return truth ? infix("!=") : infix("^");
    case Op::eq:
      return infix("==");
    case Op::ne:
      return infix("!=");
    case Op::ult:
      return infix("<");
    case Op::ule:
      return infix("<=");
    case Op::ugt:
      return infix(">");
    case Op::uge:
      return infix(">=");
    case Op::slt:
      return compared("<");
    case Op::sle:
      return compared("<=");
    case Op::sgt:
      return compared(">");
    case Op::sge:
      return compared(">=");
    case Op::umin:
      return chosen(infix("<"));
    case Op::umax:
      return chosen(infix(">"));
    case Op::smin:
      return chosen(compared("<"));
    case Op::smax:
      return chosen(compared(">"));
    default:
      break;
  }
  FENCEPOST_INVARIANT(!truth, "a kernel divides or shifts truth values");
  switch (e.op()) {
    case Op::shl:
      return shift(infix("<<"), zero);
    case Op::lshr:
      return shift(infix(">>"), zero);
    case Op::ashr: {
      const std::string last = literal(w - 1u, w);
      const std::string by = right.is_const() ? literal(std::min<uint64_t>(right.value(), w - 1u), w)
                                              : fmt::format("({} < {} ? {} : {})", b, last, b, last);
      return cast(type(w), fmt::format("({} >> {})", cast(s, a), by));
    }
    case Op::udiv:
      if (right.is_const() && right.value() != 0) return infix("/");
      return fmt::format("({} == {} ? {} : {})", b, zero, literal(term::mask(w), w), infix("/"));
    case Op::urem:
      if (right.is_const() && right.value() != 0) return infix("%");
      return fmt::format("({} == {} ? {} : {})", b, zero, a, infix("%"));
    case Op::sdiv:
    case Op::srem: {
      // Zero gives zero, and the division that overflows wraps.
      const bool rest = e.op() == Op::srem;
      const std::string all = literal(term::mask(w), w);
      std::string quotient = cast(type(w), fmt::format("({} / {})", cast(s, a), cast(s, b)));
      if (rest) quotient = fmt::format("({} - {} * {})", a, quotient, b);  // GLSL: % of negative numbers is undefined
      return fmt::format("({} == {} ? {} : {} == {} ? {} : {})", b, zero, zero, b, all,
                         rest ? zero : fmt::format("({} - {})", zero, a), quotient);
    }
    default:
      FENCEPOST_INVARIANT(false, "an operator has no text");
  }
  return {};
}

void CText::line(const std::string& text) {
  out.append(text.empty() ? 0 : indent_, ' ');
  out += text;
  out += '\n';
}

namespace {

class Printer {
 public:
  Printer(CText& text, const CFrame& frame) : t_(text), f_(frame) {}

  Expected<void> body(const std::vector<Statement>& list) {
    for (const Statement& s : list)
      if (auto e = statement(s); !e) return e;
    return {};
  }

 private:
  Expected<void> block(const std::vector<Statement>& list, const std::string& end) {
    auto e = body(list);
    t_.close(end);
    return e;
  }

  Expected<void> statement(const Statement& s) {
    using K = Statement::Kind;
    switch (s.kind) {
      case K::set:
        t_.line(fmt::format("{} = {};", t_.name(s.var), t_.value(s.value)));
        break;
      case K::builtin:
        t_.line(fmt::format("{} = {};", t_.name(s.var), f_.builtin(s.builtin)));
        break;
      case K::load:
        f_.load(t_, s);
        break;
      case K::store:
        f_.store(t_, s);
        break;
      case K::atomic:
        f_.atomic(t_, s);
        break;
      case K::test:
        return f_.test(t_, t_.kernel().operations[s.operation]);
      case K::fence:
        f_.fence(t_, s.partial);
        break;
      case K::barrier:
        f_.barrier(t_);
        break;
      case K::branch: {
        t_.open(fmt::format("if ({}) {{", t_.value(s.value)));
        auto e = block(s.body, s.other.empty() ? "}" : "} else {");
        if (!e || s.other.empty()) return e;
        t_.open_again();
        return block(s.other, "}");
      }
      case K::loop:
        t_.open("while (true) {");
        return block(s.body, "}");
      case K::leave:
        t_.line(s.value ? fmt::format("if ({}) break;", t_.value(s.value)) : "break;");
        break;
      case K::clock:
        f_.clock(t_, t_.name(s.var));
        break;
      case K::pause:
        f_.pause(t_, s.value ? t_.value(s.value) : "0u");
        break;
      case K::note:
        t_.line("// " + s.text);
        break;
    }
    return {};
  }

  CText& t_;
  const CFrame& f_;
};

bool mentions_old(const Expr& e) {
  bool found = false;
  term::for_each_variable(e, [&](uint64_t v) { found = found || v == prog::k_old_value; });
  return found;
}
bool is_old(const Expr& e) {
  if (e.op() == Op::zext || e.op() == Op::trunc) return is_old(e.kids()[0]);
  return e.is_var() && e.value() == prog::k_old_value;
}
// The other operand of `old op x`, or of `x op old` where op commutes.
Expr partner(const Expr& e, bool commutes = true) {
  if (!e || e.kids().size() != 2) return {};
  if (is_old(e.kids()[0]) && !mentions_old(e.kids()[1])) return e.kids()[1];
  if (commutes && is_old(e.kids()[1]) && !mentions_old(e.kids()[0])) return e.kids()[0];
  return {};
}

}  // namespace

std::vector<bool> mentioned_variables(const code::Kernel& k) {
  std::vector<bool> out(k.variables.size());
  const auto use = [&](const Expr& e) {
    if (!e) return;
    term::for_each_variable(e, [&](uint64_t v) {
      if (v < out.size()) out[v] = true;
    });
  };
  const auto set = [&](code::Var v) {
    if (v != code::k_no_var) out[v] = true;
  };
  const std::function<void(const std::vector<Statement>&)> look = [&](const std::vector<Statement>& list) {
    for (const Statement& s : list) {
      set(s.var), use(s.value), use(s.compare), use(s.place.index);
      if (s.kind == Statement::Kind::test) {
        const code::Operation& o = k.operations[s.operation];
        set(o.var), use(o.place.index), use(o.value), use(o.guard), use(o.result);
      }
      look(s.body);
      look(s.other);
    }
  };
  look(k.body);
  return out;
}

Expected<void> print_statements(CText& text, const CFrame& frame) {
  const std::vector<bool> mentioned = mentioned_variables(text.kernel());
  for (code::Var v = 0; v < mentioned.size(); ++v) {
    if (!mentioned[v]) continue;
    const uint8_t w = text.kernel().variables[v].width;
    text.line(fmt::format("{} {} = {};", text.type(w), text.name(v), text.value(term::constant(0, w))));
  }
  return Printer(text, frame).body(text.kernel().body);
}

RmwShape shape_of(const code::Operation& o) {
  RmwShape s;
  using K = RmwShape::Kind;
  if (o.guard) {
    if (o.guard.op() == Op::eq && !mentions_old(o.value))
      if (const Expr want = partner(o.guard)) return {K::compare, want, o.value, false};
    return s;
  }
  if (!mentions_old(o.value)) return {K::exchange, o.value, {}, true};
  if (o.value.op() == Op::ite && o.value.kids()[0].op() == Op::eq && is_old(o.value.kids()[2]) &&
      !mentions_old(o.value.kids()[1]))
    if (const Expr want = partner(o.value.kids()[0])) return {K::compare, want, o.value.kids()[1], true};
  const auto simple = [&]() -> K {
    switch (o.value.op()) {
      case Op::add:
        return K::add;
      case Op::sub:
        return K::sub;
      case Op::and_:
        return K::and_;
      case Op::or_:
        return K::or_;
      case Op::xor_:
        return K::xor_;
      case Op::smin:
        return K::smin;
      case Op::smax:
        return K::smax;
      case Op::umin:
        return K::umin;
      case Op::umax:
        return K::umax;
      default:
        return K::other;
    }
  }();
  if (simple != K::other)
    if (const Expr x = partner(o.value, simple != K::sub)) return {simple, x, {}, true};
  return s;
}

const char* name(RmwShape::Kind k) {
  using K = RmwShape::Kind;
  switch (k) {
    case K::exchange:
      return "exchange";
    case K::add:
      return "add";
    case K::sub:
      return "sub";
    case K::and_:
      return "and";
    case K::or_:
      return "or";
    case K::xor_:
      return "xor";
    case K::smin:
      return "smin";
    case K::smax:
      return "smax";
    case K::umin:
      return "umin";
    case K::umax:
      return "umax";
    case K::compare:
      return "compare";
    case K::other:
      return "other";
  }
  return "other";
}

}  // namespace fencepost::emit
