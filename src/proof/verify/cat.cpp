// A reader and an evaluator of cat, from docs/cat.md. Every operator is its
// definition; r+ is Warshall's algorithm over literals, which has a pair if and
// only if some path makes it.
#include "verify/cat.h"

#include <algorithm>

namespace fencepost::verify {
namespace {

class CatReader {
 public:
  CatReader(const std::string& text, CatModel& out) : out_(out), c_(text, 0, Tokens::Style::cat, &out.headers) {}

  void read() {
    // Words and a title before the first statement.
    while (!c_.at("let") && !is_test() && !c_.ended()) {
      if (c_.at("include") || c_.at("procedure") || c_.at("call")) refuse(c_.peek().text);
      c_.next();
    }
    while (!c_.ended()) statement();
  }

 private:
  static bool is_name(const Token& t) { return t.kind == Token::Kind::word && !is_word_of_grammar(t.text); }
  [[noreturn]] static void refuse(const std::string& what) { throw NotCertified("'" + what + "' in a model"); }
  static bool is_word_of_grammar(const std::string& s) {
    static const std::string k =
        " let rec and as flag undefined_unless acyclic irreflexive empty show unshow include procedure call enum "
        "instructions in fun begin end match with from try if then else forall do assert debug ";
    return k.find(" " + s + " ") != std::string::npos;
  }
  bool is_test() const {
    for (const char* s : {"acyclic", "irreflexive", "empty", "flag", "undefined_unless", "~", "show"})
      if (c_.at(s)) return true;
    return false;
  }
  std::string identifier() {
    if (!is_name(c_.peek()) || c_.at("_")) c_.bad("a name is missing before '" + c_.peek().text + "'");
    return c_.next().text;
  }

  void statement() {
    CatStatement s;
    s.line = c_.peek().line;
    if (c_.accept("let")) {
      if (c_.at("rec")) refuse("let rec");
      for (;;) {
        s.name = identifier();
        if (is_name(c_.peek())) refuse("a function with several groups of parameters");
        if (c_.accept("(")) {
          do s.parameters.push_back(identifier());
          while (c_.accept(","));
          c_.expect(")");
        }
        c_.expect("=");
        s.value = expression();
        out_.statements.push_back(s);
        if (c_.at("in")) refuse("in");
        if (!c_.at("and")) return;
        refuse("and");  // definitions side by side see the names from before all
                        // of them
      }
    }
    if (c_.accept("show")) {
      do {
        expression();
        if (c_.accept("as")) identifier();
      } while (c_.accept(","));
      return;
    }
    const bool undefined = c_.accept("undefined_unless");
    s.flag = undefined || c_.accept("flag");
    s.negated = c_.accept("~") != undefined;
    if (!c_.at("acyclic") && !c_.at("irreflexive") && !c_.at("empty")) refuse(c_.peek().text);
    s.test = c_.next().text;
    s.value = expression();
    s.name = c_.accept("as") ? identifier() : "line " + std::to_string(s.line);
    out_.statements.push_back(s);
  }

  ExprPtr node(const std::string& op, std::vector<ExprPtr> kids, const std::string& text = "") const {
    return make(op, std::move(kids), 64, text, c_.peek().line);
  }
  ExprPtr expression(size_t level = 0) {
    static const std::vector<std::string> k_operators = {"|", ";", "\\", "&"};  // the loosest first
    if (level == k_operators.size()) return complement();
    ExprPtr out = expression(level + 1);
    while (c_.accept(k_operators[level])) out = node(k_operators[level], {out, expression(level + 1)});
    return out;
  }
  ExprPtr complement() {
    const Deeper here(depth_, "a model of this depth");
    return c_.accept("~") || c_.accept("!") ? node("~", {complement()}) : postfix();
  }
  bool starts_operand(size_t ahead = 0) const {
    const Token& t = c_.peek(ahead);
    return is_name(t) || t.text == "(" || t.text == "[" || t.text == "{}";
  }
  ExprPtr postfix() {
    ExprPtr out = application();
    while (c_.at("*") && starts_operand(1)) {
      c_.next();
      out = node("product", {out, application()});
    }
    for (;;) {
      std::string op = c_.accept("^-1") ? "^-1" : "";
      for (const std::string s : {"+", "*", "?"})
        if (op.empty() && (c_.accept(s) || c_.accept("^" + s))) op = s;
      if (op.empty()) return out;
      out = node(op, {out});
    }
  }
  ExprPtr application() {
    if (c_.accept("(")) {
      ExprPtr out = expression();
      c_.expect(")");
      if (starts_operand()) c_.bad("an operator is missing");
      return out;
    }
    if (c_.accept("[")) {
      ExprPtr out = expression();
      c_.expect("]");
      return node("[]", {out});
    }
    if (c_.accept("{}")) return node("empty", {});
    if (c_.accept("0")) return node("empty", {});
    if (c_.accept("_")) return node("name", {}, "_");
    const std::string name = identifier();
    if (!c_.accept("(")) {
      if (starts_operand()) throw NotCertified("an application without brackets in a model");
      return node("name", {}, name);
    }
    std::vector<ExprPtr> arguments;
    if (!c_.at(")")) {
      do arguments.push_back(expression());
      while (c_.accept(","));
    }
    c_.expect(")");
    return node("call", std::move(arguments), name);
  }

  CatModel& out_;
  Tokens c_;
  int depth_ = 0;
};

}  // namespace

CatModel read_cat(const std::string& text) {
  CatModel out;
  CatReader(text, out).read();
  return out;
}

// ---- evaluation ----------------------------------------------------------------------------------------

const Relation& CatEvaluator::typed(const Value& v, Value::Kind kind, const Expr& e) const {
  if (v.kind != kind && v.kind != Value::Kind::empty)
    throw BadText("model, line " + std::to_string(e.line) +
                  ": a set, relation or function stands where another of these is wanted");
  return v.pairs;
}

CatEvaluator::Value CatEvaluator::name(const Expr& e, const Scope& scope) {
  for (auto at = scope.rbegin(); at != scope.rend(); ++at)
    if (at->first == e.text) return at->second;
  Value out{Value::Kind::set, nothing()};
  if (const auto s = base_.sets.find(e.text); s != base_.sets.end()) {
    for (size_t i = 0; i < n_; ++i) out.pairs[i][i] = s->second[i];
  } else if (const auto r = base_.relations.find(e.text); r != base_.relations.end()) {
    out = {Value::Kind::relation, r->second};
  } else if (e.text != "emptyset") {
    throw NotCertified("the name '" + e.text + "' of a model");
  }
  return out;
}

CatEvaluator::Value CatEvaluator::call(const Expr& e, const Scope& scope) {
  std::vector<Value> arguments;
  for (const ExprPtr& k : e.kids) arguments.push_back(evaluate(*k, scope));
  if (arguments.size() == 1 && e.text == "toid")
    return {Value::Kind::relation, typed(arguments[0], Value::Kind::set, e)};
  if (arguments.size() == 1 && (e.text == "domain" || e.text == "range")) {
    const Relation& r = typed(arguments[0], Value::Kind::relation, e);
    Value out{Value::Kind::set, nothing()};
    for (size_t i = 0; i < n_; ++i) {
      std::vector<Lit> some;
      for (size_t j = 0; j < n_; ++j) some.push_back(e.text == "domain" ? r[i][j] : r[j][i]);
      c_.instance(i, i);
      out.pairs[i][i] = c_.any(std::move(some));
    }
    return out;
  }
  const Value f = name(e, scope);
  typed(f, Value::Kind::function, e);
  if (f.function == nullptr || f.function->parameters.size() != arguments.size())
    throw BadText("model: '" + e.text + "' has another number of arguments");
  Scope inner(globals_.begin(), globals_.begin() + f.known);
  for (size_t k = 0; k < arguments.size(); ++k) inner.emplace_back(f.function->parameters[k], std::move(arguments[k]));
  return evaluate(*f.function->value, inner);
}

CatEvaluator::Value CatEvaluator::evaluate(const Expr& e, const Scope& scope) {
  const Deeper here(depth_, "a model of this depth");
  if (e.op == "name") return name(e, scope);
  if (e.op == "call") return call(e, scope);
  if (e.op == "empty") return {Value::Kind::empty, nothing()};
  const Value a = evaluate(*e.kids[0], scope);
  if (a.kind == Value::Kind::function) typed(a, Value::Kind::relation, e);
  if (e.op == "[]") return {Value::Kind::relation, typed(a, Value::Kind::set, e)};
  if (e.op == "+" || e.op == "*" || e.op == "?")
    return {Value::Kind::relation, closed(typed(a, Value::Kind::relation, e), e.op)};
  Value out{e.op == "product" || a.kind == Value::Kind::empty ? Value::Kind::relation : a.kind, nothing()};
  if (e.op == "^-1" || e.op == "~") {
    const bool set = out.kind == Value::Kind::set;
    if (e.op == "^-1") typed(a, Value::Kind::relation, e);
    for (size_t i = 0; i < n_; ++i)
      for (size_t j = 0; j < n_; ++j) {
        c_.instance(i, j);
        if (e.op == "^-1")
          out.pairs[i][j] = a.pairs[j][i];
        else if (i == j || !set)
          out.pairs[i][j] = c_.all({base_.events[i], base_.events[j], negated(a.pairs[i][j])});
      }
    return out;
  }
  return combined(e, a, evaluate(*e.kids[1], scope), std::move(out));
}

CatEvaluator::Value CatEvaluator::combined(const Expr& e, const Value& a, const Value& b, Value out) {
  const bool product = e.op == "product";
  if (product || e.op == ";") {
    typed(a, product ? Value::Kind::set : Value::Kind::relation, e);
    typed(b, product ? Value::Kind::set : Value::Kind::relation, e);
  } else {
    if (a.kind == Value::Kind::empty && b.kind != a.kind) out.kind = b.kind;
    typed(a, out.kind, e);
    typed(b, out.kind, e);
  }
  for (size_t i = 0; i < n_; ++i)
    for (size_t j = 0; j < n_; ++j) {
      const Lit x = a.pairs[i][j], y = b.pairs[i][j];
      if (x == k_false && y == k_false && !product && e.op != ";") continue;
      c_.instance(i, j);
      std::vector<Lit> some;
      for (size_t k = 0; e.op == ";" && k < n_; ++k)
        if (a.pairs[i][k] != k_false && b.pairs[k][j] != k_false) some.push_back(c_.both(a.pairs[i][k], b.pairs[k][j]));
      out.pairs[i][j] = product       ? c_.both(a.pairs[i][i], b.pairs[j][j])
                        : e.op == ";" ? c_.any(std::move(some))
                        : e.op == "|" ? c_.either(x, y)
                        : e.op == "&" ? c_.both(x, y)
                                      : c_.both(x, negated(y));
    }
  return out;
}

Relation CatEvaluator::closed(Relation r, const std::string& op) {
  for (size_t k = 0; op != "?" && k < n_; ++k)
    for (size_t i = 0; i < n_; ++i)
      for (size_t j = 0; r[i][k] != k_false && j < n_; ++j) {
        if (r[k][j] == k_false) continue;
        c_.instance(i, j);
        r[i][j] = c_.either(r[i][j], c_.both(r[i][k], r[k][j]));
      }
  for (size_t i = 0; op != "+" && i < n_; ++i) {
    c_.instance(i, i);
    r[i][i] = c_.either(r[i][i], base_.events[i]);
  }
  return r;
}

void CatEvaluator::judge(const CatModel& model, const std::string& file, std::vector<Lit>& flags) {
  for (const CatStatement& s : model.statements) {
    const bool let = s.test.empty();
    const std::string rule = (let      ? "let "
                              : s.flag ? "flag "
                                       : "axiom ") +
                             s.name + " (" + file + ":" + std::to_string(s.line) + ")";
    c_.label(rule);
    if (let && !s.parameters.empty()) {
      globals_.emplace_back(s.name, Value{Value::Kind::function, {}, &s, globals_.size()});
      continue;
    }
    Value v = evaluate(*s.value, globals_);
    if (let) {
      globals_.emplace_back(s.name, std::move(v));
      continue;
    }
    if (s.test != "empty" || v.kind == Value::Kind::function) typed(v, Value::Kind::relation, *s.value);
    const bool demanded = !s.flag && !s.negated;
    if (demanded && s.test == "acyclic") {
      c_.demand_acyclic(v.pairs);
      continue;
    }
    if (s.test == "acyclic") v.pairs = closed(std::move(v.pairs), "+");
    std::vector<Lit> some;  // the pairs that the test forbids
    for (size_t i = 0; i < n_; ++i)
      for (size_t j = 0; j < n_; ++j) {
        if (v.pairs[i][j] == k_false || (s.test != "empty" && i != j)) continue;
        c_.instance(i, j);
        if (demanded) c_.demand(negated(v.pairs[i][j]));
        some.push_back(v.pairs[i][j]);
      }
    c_.label(rule);
    const Lit fails = c_.any(some);
    if (s.flag)
      flags.push_back(s.negated ? fails : negated(fails));
    else if (s.negated)
      c_.demand(fails);
  }
}

}  // namespace fencepost::verify
