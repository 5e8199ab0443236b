#include "print/question.h"

#include "prog/test.h"
#include "term/term.h"

namespace fencepost::print {
namespace {

using prog::Cond;
using prog::CondValue;

std::string value(const prog::Test& test, const CondValue& v, bool right) {
  std::string text = prog::to_string(test, v);
  const bool cell = text.ends_with("]");
  if (right && v.kind == CondValue::Kind::location && !cell) return "[" + text + "]";
  return text;
}

const char* comparison(term::Op op) {
  switch (op) {
    case term::Op::ne:
      return "!=";
    case term::Op::slt:
      return "<";
    case term::Op::sle:
      return "<=";
    case term::Op::sgt:
      return ">";
    case term::Op::sge:
      return ">=";
    default:
      return "=";
  }
}

}  // namespace

std::string print_condition(const prog::Test& test, const Cond& c) {
  switch (c.kind) {
    case Cond::Kind::always:
      return "true";
    case Cond::Kind::atom: {
      std::string right = value(test, c.rhs, true);
      if (c.rhs.kind == CondValue::Kind::address) right.erase(0, 1);  // a bare name on the right is the address
      return value(test, c.lhs, false) + comparison(c.cmp) + right;
    }
    case Cond::Kind::not_:
      return "~(" + print_condition(test, c.kids.front()) + ")";
    case Cond::Kind::and_:
    case Cond::Kind::or_: {
      std::string out;
      for (const Cond& kid : c.kids) {
        if (!out.empty()) out += c.kind == Cond::Kind::and_ ? " /\\ " : " \\/ ";
        const bool compound = kid.kind == Cond::Kind::and_ || kid.kind == Cond::Kind::or_;
        out += compound ? "(" + print_condition(test, kid) + ")" : print_condition(test, kid);
      }
      return out;
    }
  }
  return "";
}

std::string print_question(const prog::Test& test) {
  std::string out;
  if (!test.locations.empty()) {
    out += "locations [";
    for (const CondValue& v : test.locations) out += prog::to_string(test, v) + "; ";
    out.back() = ']';
    out += "\n";
  }
  if (test.filter.kind != Cond::Kind::always) out += "filter (" + print_condition(test, test.filter) + ")\n";
  if (test.quantifier != prog::Quantifier::none)
    out += std::string(prog::name(test.quantifier)) + " (" + print_condition(test, test.condition) + ")\n";
  return out;
}

}  // namespace fencepost::print
