#include "litmus/condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "prog/syntax.h"
#include "term/term.h"

namespace fencepost::litmus {
namespace {

using prog::Cond;
using prog::CondValue;

// Deeper nesting than this is no condition that a person wrote; the limits keep recursion off the stack's end. That of
// the value is the one that counts. A printed condition has up to two levels of text for one of the value, so that the
// limit on the text leaves room for whatever the printer writes.
constexpr int k_max_height = 128;
constexpr int k_max_depth = 2 * k_max_height + 8;

constexpr uint32_t k_work_group = 2;  // level of prog::Thread::scope: all, dev, wg
constexpr uint64_t k_largest = ~uint64_t{0} >> 1;

int height(const Cond& c) {
  int most = 0;
  for (const Cond& kid : c.kids) most = std::max(most, height(kid));
  return most + 1;
}

[[noreturn]] void fail_nested(Cursor& c, const Token& at) {
  c.fail(at, "the condition is nested too deeply", "remove parentheses or negations");
}

class Parser {
 public:
  Parser(Cursor& c, const prog::Test& test, const Resolver& r) : c_(c), test_(test), r_(r) {}

  Cond disjunction(int depth) {
    std::vector<Cond> kids;
    const uint32_t begin = c_.position();
    do kids.push_back(conjunction(depth));
    while (c_.accept("\\/") || (c_.options().c_operators && c_.accept("||")));
    return finish(Cond::Kind::or_, std::move(kids), begin);
  }

  CondValue value(bool right) {
    const Token t = c_.peek();
    CondValue v;
    if (c_.accept("&")) {
      const Token name = c_.expect_word("a location after '&'");
      location(v, name);
      v.kind = CondValue::Kind::address;
    } else if (c_.accept("[")) {
      location(v, c_.expect_word("a location after '['"));
      c_.expect("]");
    } else if (at_thread_id(c_) && c_.peek(1).is(":")) {
      const uint32_t thread = parse_thread_id(c_);
      if (thread >= r_.threads)
        c_.fail(t, fmt::format("there is no thread P{}", thread),
                r_.threads == 0 ? "the test has no threads" : fmt::format("threads are P0 to P{}", r_.threads - 1));
      c_.expect(":");
      const Token name = c_.expect_word("a register after ':'", "write a register of the thread, as in 0:r1");
      v.kind = CondValue::Kind::reg;
      v.thread = thread;
      v.reg = r_.reg(thread, name.text, c_.span(name));
    } else if (at_constant(c_)) {
      huge_ = huge_ || (!c_.at("-") && number_value(c_, c_.peek()) > k_largest);
      v.constant = parse_constant(c_);
    } else if (t.kind == Tok::word && r_.bare) {
      v = r_.bare(t.text, c_.span(t));
      c_.next();
    } else if (t.kind == Tok::word) {
      const Token name = c_.next();
      location(v, name);
      if (c_.accept("[")) {
        const Token k = c_.expect_number("a cell number");
        const uint64_t cells = test_.objects[test_.symbols[v.symbol].object].init.size();
        v.cell = number_value(c_, k);
        if (v.cell >= cells)
          c_.fail(k, fmt::format("{} has no cell {}", litmus::quoted(name.text), v.cell),
                  cells == 1 ? "it has one cell, 0" : fmt::format("its cells are 0 to {}", cells - 1));
        c_.expect("]");
      } else if (right) {
        v.kind = CondValue::Kind::address;
      }
    } else {
      c_.fail_expected(t, "a value", "compare a register (0:r1), a location (x) or a constant");
    }
    v.span = c_.since(t.begin);
    return v;
  }

 private:
  void location(CondValue& v, const Token& name) {
    v.kind = CondValue::Kind::location;
    v.symbol = r_.symbol(name.text, c_.span(name));
    const bool several = test_.symbols[v.symbol].instances != prog::k_none;
    if (c_.accept("@")) {
      const Token t = c_.peek();
      const uint32_t thread = parse_thread_id(c_);
      if (!several)
        c_.fail(t, fmt::format("there is one {}, and no other for a group of threads", litmus::quoted(name.text)),
                fmt::format("write {}", name.text));
      v.symbol = instance(v.symbol, thread, t);
    } else {
      v.any_group = several;
    }
  }

  // The location of the group that the thread belongs to.
  prog::SymbolId instance(prog::SymbolId first, uint32_t thread, const Token& at) {
    if (thread >= r_.threads)
      c_.fail(at, fmt::format("there is no thread P{}", thread), fmt::format("threads are P0 to P{}", r_.threads - 1));
    std::string known;
    for (prog::SymbolId s = first; s < test_.symbols.size(); ++s) {
      const prog::Symbol& x = test_.symbols[s];
      if (x.instances != first) continue;
      const auto& own = test_.threads[thread].scope;
      if (x.group_of == thread || prog::same_scope(test_.threads[x.group_of].scope, own, k_work_group)) return s;
      known += (known.empty() ? "" : ", ") + x.name;
    }
    c_.fail(at, fmt::format("the group of P{} has no such location", thread), "there are " + known);
  }

  // ---- values and their types ------------------------------------------------------------------------

  struct Type {
    uint8_t width = 64;
    bool is_unsigned = false;
  };
  std::optional<Type> type_of(const CondValue& v) const {
    if (v.kind == CondValue::Kind::reg) {
      if (r_.bare || !r_.registers) return Type{};
      const prog::Register& r = r_.registers(v.thread, v.reg);
      return Type{r.width, r.is_unsigned};
    }
    if (v.kind != CondValue::Kind::location) return std::nullopt;
    const prog::Object& o = test_.objects[test_.symbols[v.symbol].object];
    return Type{o.width, o.is_unsigned};
  }

  static void unsigned_order(term::Op& op) {
    op = op == term::Op::slt   ? term::Op::ult
         : op == term::Op::sle ? term::Op::ule
         : op == term::Op::sgt ? term::Op::ugt
         : op == term::Op::sge ? term::Op::uge
                               : op;
  }

  // A constant beside a value: one of the type's values, or, as C converts it, the value of an unsigned type from int
  // up that is equal to it modulo its width.
  void fit_constant(CondValue& constant, const Type& t, term::Op& op, bool c, bool huge) {
    const auto s = static_cast<int64_t>(constant.constant);
    const uint64_t mask = term::mask(t.width);
    if (t.is_unsigned && t.width == 64) unsigned_order(op);
    if (t.width == 64 && (!c || t.is_unsigned || !huge)) return;
    if (t.is_unsigned && t.width >= 32 && s < 0 && !huge && s >= -(int64_t{1} << (t.width - 1))) {
      constant.constant &= mask;
      return;
    }
    const bool fits = t.is_unsigned
                          ? constant.constant <= mask
                          : !huge && s >= -(int64_t{1} << (t.width - 1)) && s <= static_cast<int64_t>(mask / 2);
    if (fits) return;
    const bool equality = op == term::Op::eq || op == term::Op::ne;
    if (!c && equality && constant.constant <= mask) {  // the bits of a register without a type
      constant.constant = static_cast<uint64_t>(term::to_signed(constant.constant, t.width));
      return;
    }
    const std::string least = t.is_unsigned ? "0" : std::to_string(-static_cast<int64_t>(mask / 2) - 1);
    fail_at(constant.span,
            fmt::format("{} is not a value of {} bits {} a sign", constant.span.text(), t.width,
                        t.is_unsigned ? "without" : "with"),
            fmt::format("values are {} to {}", least, t.is_unsigned ? mask : mask / 2));
  }

  // C's conversions of two values; without C both are extended by their own sign.
  void convert(Cond& out, const Type& a, const Type& b) {
    if (a.is_unsigned == b.is_unsigned) {
      if (a.is_unsigned && (a.width == 64 || b.width == 64)) unsigned_order(out.cmp);
      return;
    }
    const Type& u = a.is_unsigned ? a : b;
    const Type& s = a.is_unsigned ? b : a;
    if (u.width < 32 || u.width < s.width) return;  // both fit the signed type that they are converted to
    if (u.width == 64) {
      unsigned_order(out.cmp);
    } else if (s.width == u.width) {
      (a.is_unsigned ? out.rhs : out.lhs).is_unsigned = true;
    } else {
      fail_at(out.span,
              fmt::format("a value of {} bits with a sign is compared with one of {} without", s.width, u.width),
              "C converts the first to the second: compare each with a constant");
    }
  }

  void type_comparison(Cond& out, bool huge_left, bool huge_right) {
    const bool c =
        c_.options().c_operators || test_.syntax == prog::Syntax::opencl || test_.syntax == prog::Syntax::cuda;
    const auto a = type_of(out.lhs);
    const auto b = type_of(out.rhs);
    if (a) out.lhs.is_unsigned = a->is_unsigned;
    if (b) out.rhs.is_unsigned = b->is_unsigned;
    if (a && b) convert(out, *a, *b);
    if (a && out.rhs.kind == CondValue::Kind::constant) fit_constant(out.rhs, *a, out.cmp, c, huge_right);
    if (b && out.lhs.kind == CondValue::Kind::constant) fit_constant(out.lhs, *b, out.cmp, c, huge_left);
  }

  Cond finish(Cond::Kind kind, std::vector<Cond> kids, uint32_t begin) {
    Cond out = join_conditions(kind, std::move(kids));
    out.span = c_.since(begin);
    return out;
  }

  Cond conjunction(int depth) {
    std::vector<Cond> kids;
    const uint32_t begin = c_.position();
    do kids.push_back(negation(depth));
    while (c_.accept("/\\") || (c_.options().c_operators && c_.accept("&&")) ||
           (test_.syntax == prog::Syntax::gpu_ptx && c_.accept("&")));
    return finish(Cond::Kind::and_, std::move(kids), begin);
  }

  Cond negation(int depth) {
    if (depth > k_max_depth) fail_nested(c_, c_.peek());
    const Token t = c_.peek();
    if (t.is("~") || t.is("not")) {
      c_.next();
      Cond out = negate(negation(depth + 1));
      out.span = c_.since(t.begin);
      return out;
    }
    if (c_.accept("(")) {
      Cond out = disjunction(depth + 1);
      c_.expect(")", "close the parenthesis, or join the parts with /\\ or \\/");
      return out;
    }
    if ((t.is("true") || t.is("false")) && !is_comparison(c_.peek(1))) {
      c_.next();
      Cond out;
      out.span = c_.span(t);
      return t.is("true") ? out : negate(out);
    }
    return comparison();
  }

  static bool is_comparison(const Token& t) {
    for (const char* op : {"=", "==", "!=", "<", "<=", ">", ">="})
      if (t.is(op)) return true;
    return false;
  }

  Cond comparison() {
    Cond out;
    out.kind = Cond::Kind::atom;
    const uint32_t begin = c_.position();
    huge_ = false;
    out.lhs = value(false);
    const bool huge_left = std::exchange(huge_, false);
    const Token op = c_.peek();
    if (!is_comparison(op)) c_.fail_expected(op, "a comparison", "write one of = == != < <= > >= between two values");
    c_.next();
    if (op.is("!="))
      out.cmp = term::Op::ne;
    else if (op.is("<"))
      out.cmp = term::Op::slt;
    else if (op.is("<="))
      out.cmp = term::Op::sle;
    else if (op.is(">"))
      out.cmp = term::Op::sgt;
    else if (op.is(">="))
      out.cmp = term::Op::sge;
    out.rhs = value(true);
    out.span = c_.since(begin);
    type_comparison(out, huge_left, huge_);
    return out;
  }

  Cursor& c_;
  const prog::Test& test_;
  const Resolver& r_;
  bool huge_ = false;  // a constant above the largest signed number of 64 bits was read
};

}  // namespace

Cond join_conditions(Cond::Kind kind, std::vector<Cond> kids) {
  if (kids.size() == 1) return std::move(kids.front());
  Cond out;
  out.kind = kind;
  for (Cond& k : kids) {
    if (k.kind == kind)
      for (Cond& inner : k.kids) out.kids.push_back(std::move(inner));
    else
      out.kids.push_back(std::move(k));
  }
  return out;
}

Cond negate(Cond c) {
  Cond out;
  out.kind = Cond::Kind::not_;
  out.kids.push_back(std::move(c));
  return out;
}

Resolver resolver_of(const prog::Test& test) {
  Resolver r;
  r.threads = static_cast<uint32_t>(test.threads.size());
  r.reg = [&test](uint32_t thread, std::string_view name, const Span& span) -> prog::RegId {
    const auto& regs = test.code(thread).registers;
    for (prog::RegId i = 0; i < regs.size(); ++i)
      if (!regs[i].temporary && regs[i].name == name) return i;
    std::vector<std::string> names;
    for (const auto& x : regs)
      if (!x.temporary) names.push_back(x.name);
    std::string all;
    for (const auto& n : names) all += (all.empty() ? "" : ", ") + n;
    fail_at(span, fmt::format("thread P{} has no register {}", thread, litmus::quoted(name)),
            suggest(name, names, names.empty() ? "this thread uses no register" : "its registers are " + all));
  };
  r.registers = [&test](uint32_t thread, prog::RegId reg) -> const prog::Register& {
    return test.code(thread).registers[reg];
  };
  r.symbol = [&test](std::string_view name, const Span& span) -> prog::SymbolId {
    for (prog::SymbolId i = 0; i < test.symbols.size(); ++i)
      if (prog::declared_name(test.symbols[i]) == name) return i;
    if (is_register_name(name))
      fail_at(span, fmt::format("register {} needs its thread here", litmus::quoted(name)),
              fmt::format("write 0:{0} or P0:{0}", name));
    std::vector<std::string> names;
    for (const auto& s : test.symbols) names.push_back(prog::declared_name(s));
    fail_at(span, fmt::format("there is no location {}", litmus::quoted(name)),
            suggest(name, names, "a location in a condition must be initialised or used by a thread"));
  };
  return r;
}

Cond parse_condition(Cursor& c, const prog::Test& test, const Resolver& r) {
  const Token begin = c.peek();
  Cond out = Parser(c, test, r).disjunction(0);
  if (height(out) > k_max_height) fail_nested(c, begin);
  return out;
}

bool at_question(Cursor& c) {
  for (const char* w : {"locations", "filter", "exists", "forall", "final", "not", "~"})
    if (c.at(w)) return true;
  return false;
}

void parse_question(Cursor& c, prog::Test& test, const Resolver& r) {
  bool has_filter = false;
  while (!c.at_end()) {
    const Token t = c.next();
    if (t.is("locations")) {
      c.expect("[");
      while (!c.accept("]")) {
        if (c.accept(";")) continue;
        test.locations.push_back(Parser(c, test, r).value(false));
        if (!c.at(";") && !c.at("]")) c.fail_expected(c.peek(), "';' or ']'", "separate observed values with ';'");
      }
      c.accept(";");
      continue;
    }
    if (t.is("filter")) {
      if (has_filter) c.fail(t, "a second filter", "join the two with /\\");
      has_filter = true;
      test.filter = parse_condition(c, test, r);
      c.accept(";");
      continue;
    }
    prog::Quantifier q = prog::Quantifier::none;
    if (t.is("exists"))
      q = prog::Quantifier::exists;
    else if (t.is("forall"))
      q = prog::Quantifier::forall;
    else if (t.is("final"))
      q = prog::Quantifier::exists;
    else if (t.is("~") || t.is("not")) {
      c.expect("exists", "a negated question is written ~exists");
      q = prog::Quantifier::not_exists;
    } else {
      c.fail_expected(t, "a question",
                      suggest(t.text, {"exists", "forall", "filter", "locations", "~exists"},
                              "after the code come locations, filter, and exists, ~exists or forall"));
    }
    if (test.quantifier != prog::Quantifier::none)
      c.fail(t, "a second question", "a test asks one thing; write a second file");
    test.quantifier = q;
    test.condition = parse_condition(c, test, r);
    c.accept(";");
    if (t.is("final") && c.accept("with")) {
      // "final C with tso: ~exists; cc: exists;" lists verdicts for other models; the question stays `exists`.
      while (c.peek().kind == Tok::word && c.peek(1).is(":")) {
        c.next();
        c.next();
        if (!c.accept("~")) c.accept("not");
        c.expect("exists");
        c.accept(";");
      }
    }
  }
}

namespace {

// Some register or location starts as an address, so that values may be addresses.
bool has_addresses(const prog::Test& test) {
  const auto is_address = [](prog::SymbolId s) { return s != prog::k_none; };
  return std::any_of(test.objects.begin(), test.objects.end(),
                     [&](const prog::Object& o) {
                       return std::any_of(o.init_address.begin(), o.init_address.end(), is_address);
                     }) ||
         std::any_of(test.threads.begin(), test.threads.end(), [&](const prog::Thread& t) {
           return std::any_of(t.init.begin(), t.init.end(),
                              [&](const prog::InitValue& v) { return is_address(v.address); });
         });
}

// C: the declared type says whether the value can be an address.
bool may_hold_address(const prog::Test& test, const CondValue& v) {
  std::string type;
  if (v.kind == CondValue::Kind::reg)
    type = test.code(v.thread).registers[v.reg].type;
  else if (v.kind == CondValue::Kind::location)
    type = test.objects[test.symbols[v.symbol].object].declared;
  return type.find('*') != std::string::npos || type.find("ptr") != std::string::npos ||
         type.find("long") != std::string::npos;
}

void warn(const prog::Test& test, const Cond& c, Diagnostics& out) {
  for (const Cond& kid : c.kids) warn(test, kid, out);
  if (c.kind != Cond::Kind::atom || c.rhs.kind != CondValue::Kind::address || c.lhs.kind == CondValue::Kind::address)
    return;
  const Span& at = c.rhs.span;
  if (at.source == nullptr || at.begin >= at.source->text.size() || at.source->text[at.begin] == '&') return;
  if (may_hold_address(test, c.lhs)) return;
  const std::string& name = test.symbols[c.rhs.symbol].name;
  out.add({Severity::warning, Fault::bad_input, at,
           fmt::format("{} on the right is the address of the location, as in herd", litmus::quoted(name)),
           fmt::format("write [{0}] for its value, or &{0} for the address", name)});
}

}  // namespace

Diagnostics question_warnings(const prog::Test& test) {
  Diagnostics out;
  if (has_addresses(test)) return out;
  warn(test, test.filter, out);
  warn(test, test.condition, out);
  return out;
}

}  // namespace fencepost::litmus
