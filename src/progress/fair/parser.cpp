// Recursive descent; types are checked on the way, so that the first mistake is the only message. Names are declared
// before use. A `let` is expanded where it is used: its expression is copied with its binders renumbered to the depth
// of the place, and the size of the result is bounded, so that a chain of definitions cannot grow without limit.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "fair/impl.h"
#include "fair/lexer.h"

namespace fencepost::fair {
namespace {

using Kind = Token::Kind;

const std::vector<std::string> k_builtins = {"live", "started", "threads"};
const std::vector<std::string> k_operators = {"min", "max", "size", "id", "thread"};
const std::vector<std::string> k_constants = {"none", "true", "false"};
const std::vector<std::string> k_reserved = {"model",  "let",    "var", "fair", "on",  "if", "then",  "else",
                                             "forall", "exists", "in",  "not",  "and", "or", "subset"};
const std::vector<std::string> k_fields = {"location", "value", "compared", "exchanged", "jumped"};

bool among(const std::vector<std::string>& list, const std::string& s) {
  return std::find(list.begin(), list.end(), s) != list.end();
}

struct Let {
  std::string name;
  Expr value;
  uint32_t nodes = 0, binders = 0;
  Span span;
  bool used = false;
};

std::string article(Type t) { return fmt::format("{} {}", t == Type::integer ? "an" : "a", name(t)); }

// Unwinds to parse_model; does not leave the room.
struct Stop {
  Diagnostics why;
};

class Parser {
 public:
  explicit Parser(const SourcePtr& source, Lexed lexed) : source_(source), tokens_(std::move(lexed.tokens)) {
    m_.comment = std::move(lexed.comment);
  }

  Model::Impl run() {
    while (peek().kind != Kind::end) item();
    finish();
    return std::move(m_);
  }

 private:
  // ---- words ---------------------------------------------------------------------------------------------------
  const Token& peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  const Token& take() {
    const Token& t = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return t;
  }
  bool is(const char* text, size_t ahead = 0) const {
    const Token& t = peek(ahead);
    return (t.kind == Kind::word || t.kind == Kind::sign) && t.text == text;
  }
  bool accept(const char* text) { return is(text) ? (take(), true) : false; }
  [[noreturn]] static void stop(const Span& span, std::string message, std::string hint = {}) {
    throw Stop{error_at(span, std::move(message), std::move(hint)).error()};
  }
  static std::string shown(const Token& t) {
    return t.kind == Kind::end      ? "the end of the file"
           : t.kind == Kind::string ? "a text"
                                    : fmt::format("'{}'", t.text);
  }
  void expect(const char* text, const char* where, std::string hint = {}) {
    if (!accept(text))
      stop(peek().span, fmt::format("'{}' is expected {}, not {}", text, where, shown(peek())), std::move(hint));
  }
  Token name_word(const char* what) {
    const Token t = take();
    if (t.kind != Kind::word) stop(t.span, fmt::format("{} needs a name here, not {}", what, shown(t)));
    return t;
  }
  Span since(const Span& begin) const { return join(begin, tokens_[at_ == 0 ? 0 : at_ - 1].span); }

  // ---- names ---------------------------------------------------------------------------------------------------
  Variable* find_variable(const std::string& s) {
    for (Variable& v : m_.variables)
      if (v.name == s) return &v;
    return nullptr;
  }
  Let* find_let(const std::string& s) {
    for (Let& l : lets_)
      if (l.name == s) return &l;
    return nullptr;
  }

  // A new name may not hide another one: a reader of the model should never have to ask which is meant.
  void check_new(const Token& t) {
    const std::string& s = t.text;
    if (among(k_builtins, s))
      stop(t.span, fmt::format("'{}' is built in and cannot be declared", s), "choose another name");
    if (among(k_reserved, s) || among(k_operators, s) || among(k_constants, s))
      stop(t.span, fmt::format("'{}' is a word of the language and cannot be a name", s), "choose another name");
    Span first;
    if (const Variable* v = find_variable(s)) first = v->span;
    if (const Let* l = find_let(s)) first = l->span;
    if (first.source)
      stop(t.span, fmt::format("'{}' is declared twice", s),
           fmt::format("the first declaration is in line {}", first.position().line));
    if (among(bound_, s) || s == event_word_ || s == instr_word_)
      stop(t.span, fmt::format("'{}' already names something here", s), "choose another name for the inner one");
  }

  [[noreturn]] void unknown(const Token& t) {
    for (size_t i = at_; i + 1 < tokens_.size(); ++i)
      if ((tokens_[i].text == "var" || tokens_[i].text == "let") && tokens_[i].kind == Kind::word &&
          tokens_[i + 1].text == t.text)
        stop(t.span, fmt::format("'{}' is used before it is declared", t.text),
             fmt::format("move its declaration in line {} above this line", tokens_[i + 1].span.position().line));
    std::vector<std::string> known = k_builtins;
    for (const auto* list : {&k_operators, &k_constants, &k_reserved})
      known.insert(known.end(), list->begin(), list->end());
    for (const Variable& v : m_.variables) known.push_back(v.name);
    for (const Let& l : lets_) known.push_back(l.name);
    known.insert(known.end(), bound_.begin(), bound_.end());
    for (const std::string& s : {event_word_, instr_word_})
      if (!s.empty()) known.push_back(s);
    const std::string near = nearest(t.text, known);
    std::string hint = near.empty() ? "sets: live, started, threads; then what the file declares"
                                    : fmt::format("did you mean '{}'?", near);
    if (t.text == "instr") hint = "an instruction is known in 'on step(t, instr)' only";
    stop(t.span, fmt::format("nothing is called '{}' here", t.text), std::move(hint));
  }

  // ---- items ---------------------------------------------------------------------------------------------------
  void item() {
    const Token t = take();
    if (t.kind == Kind::word) {
      if (t.text == "model") return model_line(t);
      if (t.text == "let") return let_line();
      if (t.text == "var") return var_line(t);
      if (t.text == "fair") return fair_line(t, false);
      if (t.text == "on") return handler(t);
    }
    if (t.text == ";")
      stop(t.span, "';' ends no statement here", "leave it out: lines of a file need no sign at their end");
    const std::string near = nearest(t.text, {"model", "let", "var", "fair", "on"});
    if (t.kind == Kind::word && near.empty() && is("="))
      stop(t.span, fmt::format("'{}' is assigned outside 'on step' and 'on terminate'", t.text),
           among(k_builtins, t.text)
               ? fmt::format("'{}' is built in and cannot be assigned", t.text)
               : fmt::format("a variable is declared with 'var {} = ...', a definition with 'let'", t.text));
    stop(t.span, fmt::format("{} begins no line of a model", shown(t)),
         near.empty() ? "a line begins with model, let, var, fair or on" : fmt::format("did you mean '{}'?", near));
  }

  void model_line(const Token& key) {
    if (named_) stop(key.span, "the model is named twice", "a file holds one model");
    const Token t = take();
    if (t.kind != Kind::string)
      stop(t.span, fmt::format("the name of the model is expected in quotes, not {}", shown(t)),
           "for example: model \"hsa\"");
    if (t.text.empty()) stop(t.span, "the name of the model is empty");
    m_.name = t.text;
    named_ = true;
  }

  void let_line() {
    const Token word = name_word("'let'");
    check_new(word);
    expect("=", "after the name", "for example: let first = min live");
    Let l{word.text, expression(), 0, 0, word.span, false};
    l.nodes = nodes_of(l.value);
    l.binders = binders_of(l.value);
    lets_.push_back(std::move(l));
  }

  void var_line(const Token& key) {
    if (is("fair")) return fair_line(take(), true);
    const Token word = name_word("'var'");
    check_new(word);
    Variable v;
    v.name = word.text;
    v.span = word.span;
    if (accept("[")) {
      expect("threads", "between the brackets",
             "a variable with one value per thread is declared as 'var n[threads] : 0..3 = 0'");
      expect("]", "after 'threads'");
      v.per_thread = true;
    }
    std::optional<Span> range;
    if (accept(":")) {
      const Span begin = peek().span;
      v.low = bound_of_range();
      expect("..", "between the bounds of the range", "for example: var n : 0..3 = 0");
      v.high = bound_of_range();
      range = since(begin);
      if (v.low > v.high) stop(*range, "this range is empty", "the lower bound comes first");
    }
    expect("=", "and an initial value", fmt::format("for example: var {} = none", word.text));
    v.init = expression();
    v.type = v.init.type;
    if (v.per_thread && v.type != Type::integer && v.type != Type::boolean)
      stop(v.init.span, fmt::format("a variable per thread holds integers or booleans, not {}s", name(v.type)),
           v.type == Type::set ? "a set is a variable without '[threads]'" : "keep a set of threads instead");
    if (v.type == Type::integer && !range)
      stop(word.span, fmt::format("the integer variable '{}' needs a range", word.text),
           fmt::format("bounded integers keep the number of states finite: var {} : 0..3 = ...", word.text));
    if (v.type != Type::integer && range)
      stop(*range, fmt::format("a range is for integers, and this initial value is {}", article(v.type)),
           "leave the range out");
    (void)key;
    m_.variables.push_back(std::move(v));
    read_.push_back(false);
    written_.push_back(false);
  }

  int64_t bound_of_range() {
    const bool minus = accept("-");
    const Token t = take();
    if (t.kind != Kind::number)
      stop(t.span, fmt::format("a bound of the range is a number, not {}", shown(t)), "for example: var n : 0..3 = 0");
    return minus ? -t.number : t.number;
  }

  void fair_line(const Token& word, bool stored) {
    if (fair_given_)
      stop(word.span, "'fair' is given twice",
           fmt::format("it is already in line {}; join the two with '|'", m_.fair_span.position().line));
    if (handlers_begun_) stop(word.span, "'fair' is given after 'on'", "move this line above the first 'on'");
    expect("=", "after 'fair'");
    m_.fair = want(expression(), Type::set, "'fair'");
    m_.stores_fair = stored;
    m_.fair_span = m_.fair.span;
    fair_given_ = true;
  }

  void handler(const Token& on) {
    const Token which = take();
    if (which.kind != Kind::word || (which.text != "step" && which.text != "terminate")) {
      const std::string near = nearest(which.text, {"step", "terminate"});
      stop(which.span, fmt::format("there is no event {}", shown(which)),
           near.empty() ? "the events are step(t, instr) and terminate(t)" : fmt::format("did you mean '{}'?", near));
    }
    const bool step = which.text == "step";
    Handler& h = step ? m_.on_step : m_.on_terminate;
    if (h.present)
      stop(which.span, fmt::format("'on {}' is given twice", which.text),
           fmt::format("the first one is in line {}", h.span.position().line));
    if (!fair_given_)
      stop(on.span, "'on' comes before 'fair' is given", "write 'var fair = ...' or 'fair = ...' above it");
    handlers_begun_ = true;
    h.present = true;
    h.span = join(on.span, which.span);
    expect("(", fmt::format("after 'on {}'", which.text).c_str(),
           step ? "on step(t, instr) { ... }" : "on terminate(t) { ... }");
    const Token t = name_word("the thread of the event");
    check_new(t);
    event_word_ = h.thread_word = t.text;
    if (accept(",")) {
      const Token i = name_word("the instruction");
      if (!step)
        stop(i.span, "'on terminate' has no instruction",
             "write 'on terminate(t)'; what the last instruction did is seen in 'on step'");
      check_new(i);
      instr_word_ = h.instr_word = i.text;
    }
    expect(")", "after the names of the event");
    h.body = block();
    event_word_.clear();
    instr_word_.clear();
  }

  // ---- statements ------------------------------------------------------------------------------------------------
  struct Deeper {
    Parser& p;
    explicit Deeper(Parser& parser) : p(parser) {
      if (++p.depth_ > 200) stop(p.peek().span, "this nests too deep", "split it with 'let'");
    }
    ~Deeper() { --p.depth_; }
  };

  std::vector<Statement> block() {
    const Deeper deeper(*this);
    const Span open = peek().span;
    expect("{", "before statements");
    std::vector<Statement> out;
    while (!accept("}")) {
      if (peek().kind == Kind::end) stop(open, "this '{' is never closed", "a block ends with '}'");
      out.push_back(statement());
      while (accept(";")) {
      }
    }
    return out;
  }

  Statement statement() {
    const Token word = take();
    if (word.kind == Kind::word && word.text == "if") return branch(word);
    Statement s;
    if (word.kind != Kind::word)
      stop(word.span, fmt::format("{} begins no statement", shown(word)),
           "a statement is 'name = expression' or 'if c { ... } else { ... }'");
    if (word.text == "var" || word.text == "let")
      stop(word.span, fmt::format("'{}' is not allowed within 'on'", word.text), "declare it above the first 'on'");
    if (word.text == "on")
      stop(word.span, "a new 'on' begins before the last one is closed", "close the block above with '}'");
    target(s, word);
    expect("=", fmt::format("after '{}'", word.text).c_str(), "a statement is 'name = expression'");
    const Type type = s.kind == Statement::Kind::set_fair ? Type::set : m_.variables[s.variable].type;
    reading_for_own_ = s.kind == Statement::Kind::set_fair ? UINT32_MAX : s.variable;
    s.value = want(expression(), type, fmt::format("'{}'", word.text));
    reading_for_own_ = UINT32_MAX;
    s.span = since(word.span);
    return s;
  }

  // What is assigned to: fair, a variable, or an element of one.
  void target(Statement& s, const Token& word) {
    if (word.text == "fair") {
      if (!m_.stores_fair)
        stop(word.span, "'fair' is defined for every point and cannot be assigned",
             fmt::format("write 'var fair = ...' in line {} to give its initial value only",
                         m_.fair_span.position().line));
      s.kind = Statement::Kind::set_fair;
      return;
    }
    if (among(k_builtins, word.text))
      stop(word.span, fmt::format("'{}' is built in and cannot be assigned", word.text),
           word.text == "live" ? "a thread leaves 'live' when it ends, by itself"
                               : "keep a set of your own: var mine = {}");
    if (find_let(word.text))
      stop(word.span, fmt::format("'{}' is a definition and cannot be assigned", word.text),
           "declare it with 'var' instead of 'let'");
    if (word.text == event_word_ || word.text == instr_word_)
      stop(word.span, fmt::format("'{}' belongs to the event and cannot be assigned", word.text),
           "declare a variable with 'var'");
    const Variable* v = find_variable(word.text);
    if (v == nullptr) unknown(word);
    s.kind = Statement::Kind::set_variable;
    s.variable = static_cast<uint32_t>(v - m_.variables.data());
    written_[s.variable] = true;
    if (is("[")) {
      if (!v->per_thread)
        stop(peek().span, fmt::format("'{}' is one value, not one per thread", v->name),
             fmt::format("declare it as 'var {}[threads] ...'", v->name));
      take();
      s.kind = Statement::Kind::set_element;
      s.index.push_back(want(expression(), Type::thread, "an index"));
      expect("]", "after the index");
    } else if (v->per_thread) {
      stop(word.span, fmt::format("'{}' has one value per thread", v->name),
           fmt::format("name the thread: {}[t] = ...", v->name));
    }
  }

  Statement branch(const Token& word) {
    const Deeper deeper(*this);
    Statement s;
    s.kind = Statement::Kind::branch;
    s.value = want(expression(), Type::boolean, "the condition of 'if'");
    if (is("then"))
      stop(peek().span, "'then' belongs to an expression", "a statement is written 'if c { ... } else { ... }'");
    s.span = since(word.span);
    s.then_part = block();
    if (accept("else")) {
      if (is("if")) {
        const Token inner = take();
        s.else_part.push_back(branch(inner));
      } else {
        s.else_part = block();
      }
    }
    return s;
  }

  // ---- expressions -----------------------------------------------------------------------------------------------
  Expr want(Expr e, Type type, const std::string& what) {
    if (e.type == type) return e;
    std::string hint;
    const std::string_view text = e.span.text();
    const std::string as_written =
        text.size() <= 30 && text.find('\n') == std::string_view::npos ? std::string(text) : "...";
    if (type == Type::set && e.type == Type::thread) hint = fmt::format("the set of it alone is {{{}}}", as_written);
    if (type == Type::thread && e.type == Type::set) hint = "min, max or a quantifier picks a thread of a set";
    if (type == Type::integer && e.type == Type::thread)
      hint = fmt::format("its id as an integer is 'id({})'", as_written);
    if (type == Type::integer && e.type == Type::set)
      hint = fmt::format("its number of threads is 'size({})'", as_written);
    if (type == Type::thread && e.type == Type::integer)
      hint = fmt::format("the thread with that id is 'thread({})'", as_written);
    if (type == Type::boolean && e.type == Type::set)
      hint = fmt::format("write '{} != {{}}' to ask whether it has a thread", as_written);
    if (type == Type::set && e.type == Type::boolean)
      hint = "booleans are joined with 'or' and 'and'; a set with a condition names its thread: { u in live | ... }";
    if (type == Type::integer && e.type == Type::set && (what.ends_with("'+'") || what.ends_with("'-'")))
      hint = "sets have '|' (union), '&' (intersection) and '\\' (difference)";
    stop(e.span, fmt::format("{} must be {}, and this is {}", what, article(type), article(e.type)), std::move(hint));
  }

  // A bounded number of parts also bounds the depth of every walk over an expression.
  void count_parts(uint32_t n, const Span& at) {
    if ((parts_ += n) > k_max_nodes)
      stop(at, fmt::format("the model has more than {} parts, definitions filled in", k_max_nodes),
           "definitions that use one another several times grow quickly");
  }
  Expr node(Op op, Type type, std::vector<Expr> children, Span span) {
    count_parts(1, span);
    Expr e;
    e.op = op;
    e.type = type;
    e.children = std::move(children);
    e.span = std::move(span);
    return e;
  }
  template <class... E>
  static std::vector<Expr> list(E&&... e) {
    std::vector<Expr> out;
    (out.push_back(std::forward<E>(e)), ...);
    return out;
  }

  Expr expression() {
    const Deeper deeper(*this);
    return logical_or();
  }

  Expr logical_or() {
    Expr a = logical_and();
    while (accept("or")) {
      a = want(std::move(a), Type::boolean, "the left side of 'or'");
      Expr b = want(logical_and(), Type::boolean, "the right side of 'or'");
      const Span s = join(a.span, b.span);
      a = node(Op::logical_or, Type::boolean, list(std::move(a), std::move(b)), s);
    }
    return a;
  }

  Expr logical_and() {
    Expr a = logical_not();
    while (accept("and")) {
      a = want(std::move(a), Type::boolean, "the left side of 'and'");
      Expr b = want(logical_not(), Type::boolean, "the right side of 'and'");
      const Span s = join(a.span, b.span);
      a = node(Op::logical_and, Type::boolean, list(std::move(a), std::move(b)), s);
    }
    return a;
  }

  Expr logical_not() {
    if (!is("not")) return comparison();
    const Deeper deeper(*this);
    const Span begin = take().span;
    Expr a = want(logical_not(), Type::boolean, "what follows 'not'");
    return node(Op::logical_not, Type::boolean, list(std::move(a)), since(begin));
  }

  std::optional<Op> comparison_sign() {
    if (is("not") && is("in", 1)) return take(), take(), Op::not_in;
    if (is("=")) {
      // Within a comprehension or a condition '=' can only mean '=='; after a whole statement it cannot come.
      stop(peek().span, "'=' assigns; it does not compare", "write '=='");
    }
    static const std::vector<std::pair<const char*, Op>> signs = {
        {"==", Op::equal},  {"!=", Op::not_equal},     {"<", Op::less}, {"<=", Op::less_equal},
        {">", Op::greater}, {">=", Op::greater_equal}, {"in", Op::in},  {"subset", Op::subset}};
    for (const auto& [sign, op] : signs)
      if (accept(sign)) return op;
    return std::nullopt;
  }

  Expr comparison() {
    Expr a = unions();
    const Span sign = peek().span;
    const auto op = comparison_sign();
    if (!op) return a;
    Expr b = unions();
    const std::string word(sign.text());
    switch (*op) {
      case Op::in:
      case Op::not_in:
        a = want(std::move(a), Type::thread, "the left side of 'in'");
        b = want(std::move(b), Type::set, "the right side of 'in'");
        break;
      case Op::subset:
        a = want(std::move(a), Type::set, "the left side of 'subset'");
        b = want(std::move(b), Type::set, "the right side of 'subset'");
        break;
      default:
        b = want(std::move(b), a.type, fmt::format("the right side of this '{}'", word));
        if (*op != Op::equal && *op != Op::not_equal && a.type != Type::integer && a.type != Type::thread)
          stop(sign, fmt::format("'{}' orders integers and threads, not {}s", word, name(a.type)),
               a.type == Type::set ? "for sets there is 'subset'" : "booleans have 'and', 'or', 'not', '=='");
    }
    const Span s = join(a.span, b.span);
    a = node(*op, Type::boolean, list(std::move(a), std::move(b)), s);
    const size_t here = at_;
    if (const Span again = peek().span; comparison_sign()) {
      at_ = here;
      stop(again, "comparisons do not chain", "write 'a < b and b < c'");
    }
    return a;
  }

  Expr infix(Expr (Parser::*next)(), std::initializer_list<std::pair<const char*, Op>> signs, Type type) {
    Expr a = (this->*next)();
    for (bool more = true; more;) {
      more = false;
      for (const auto& [sign, op] : signs) {
        if (!accept(sign)) continue;
        a = want(std::move(a), type, fmt::format("the left side of '{}'", sign));
        Expr b = want((this->*next)(), type, fmt::format("the right side of '{}'", sign));
        const Span s = join(a.span, b.span);
        a = node(op, type, list(std::move(a), std::move(b)), s);
        more = true;
        break;
      }
    }
    return a;
  }
  Expr unions() { return infix(&Parser::subtractions, {{"|", Op::unite}}, Type::set); }
  Expr subtractions() { return infix(&Parser::intersections, {{"\\", Op::subtract}}, Type::set); }
  Expr intersections() { return infix(&Parser::sums, {{"&", Op::intersect}}, Type::set); }
  Expr sums() { return infix(&Parser::products, {{"+", Op::add}, {"-", Op::sub}}, Type::integer); }
  Expr products() { return infix(&Parser::applied, {{"*", Op::mul}}, Type::integer); }

  Expr applied() {
    struct Operator {
      const char* word;
      Op op;
      Type from, to;
    };
    static const std::vector<Operator> operators = {
        {"min", Op::minimum, Type::set, Type::thread},          {"max", Op::maximum, Type::set, Type::thread},
        {"size", Op::size, Type::set, Type::integer},           {"id", Op::id, Type::thread, Type::integer},
        {"thread", Op::thread_of, Type::integer, Type::thread}, {"-", Op::negate, Type::integer, Type::integer}};
    for (const Operator& o : operators) {
      if (!is(o.word)) continue;
      const Deeper deeper(*this);
      const Span begin = take().span;
      Expr a = want(applied(), o.from, fmt::format("what follows '{}'", o.word));
      return node(o.op, o.to, list(std::move(a)), since(begin));
    }
    return primary();
  }

  Expr primary() {
    const Deeper deeper(*this);
    const Token t = take();
    if (t.kind == Kind::number) {
      Expr e = node(Op::number, Type::integer, {}, t.span);
      e.value = t.number;
      return e;
    }
    if (t.text == "(" && t.kind == Kind::sign) {
      Expr e = expression();
      expect(")", "to close the bracket");
      e.span = since(t.span);
      return e;
    }
    if (t.text == "{" && t.kind == Kind::sign) return braces(t);
    if (t.kind != Kind::word) stop(t.span, fmt::format("an expression is expected, not {}", shown(t)));
    if (t.text == "if") return conditional(t);
    if (t.text == "forall" || t.text == "exists") {
      const Token word = name_word("a quantifier");
      return quantified(t, word, t.text == "forall" ? Op::forall : Op::exists);
    }
    return named(t);
  }

  Expr conditional(const Token& word) {
    Expr c = want(expression(), Type::boolean, "the condition of 'if'");
    expect("then", "after the condition", "an expression is written 'if c then a else b'");
    Expr a = expression();
    expect("else", "after the first value", "an expression needs both values: if c then a else b");
    Expr b = want(expression(), a.type, "what follows 'else'");
    const Type type = a.type;
    return node(Op::choose, type, list(std::move(c), std::move(a), std::move(b)), since(word.span));
  }

  // After the bound name: "in domain : body", or "in domain | body }".
  Expr quantified(const Token& begin, const Token& word, Op op) {
    check_new(word);
    expect("in", "after the bound name",
           op == Op::comprehension ? "for example: { u in live | u <= t }" : "for example: exists u in live : u < t");
    Expr domain = want(subtractions(), Type::set, "what a thread is taken from");
    if (op == Op::comprehension) {
      if (!accept("|")) expect(":", "between the set and the condition", "for example: { u in live | u <= t }");
    } else {
      if (is("|"))
        stop(peek().span, "a quantifier writes ':' before its condition",
             "put a union in brackets: exists u in (a | b) : ...");
      expect(":", "between the set and the condition", "for example: exists u in live : u < t");
    }
    if (bound_.size() >= k_max_binders)
      stop(begin.span, fmt::format("more than {} quantifiers within each other", k_max_binders),
           "every level looks at all threads again");
    bound_.push_back(word.text);
    Expr body = want(expression(), Type::boolean, "the condition");
    bound_.pop_back();
    if (op == Op::comprehension) expect("}", "after the condition");
    Expr e = node(op, op == Op::comprehension ? Type::set : Type::boolean, list(std::move(domain), std::move(body)),
                  since(begin.span));
    e.index = static_cast<uint32_t>(bound_.size());
    e.word = word.text;
    return e;
  }

  Expr braces(const Token& open) {
    if (peek().kind == Kind::word && is("in", 1)) {
      const Token word = take();
      return quantified(open, word, Op::comprehension);
    }
    std::vector<Expr> members;
    if (!accept("}")) {
      do {
        members.push_back(want(expression(), Type::thread, "a member of a set"));
      } while (accept(","));
      if (is("|"))
        stop(peek().span, "a condition needs a named thread before it", "for example: { u in live | u <= t }");
      expect("}", "after the members of the set", "members are separated by ','");
    }
    return node(Op::set_of, Type::set, std::move(members), since(open.span));
  }

  Expr named(const Token& t) {
    const std::string& s = t.text;
    for (size_t i = 0; i < bound_.size(); ++i)
      if (bound_[i] == s) {
        Expr e = node(Op::bound, Type::thread, {}, t.span);
        e.index = static_cast<uint32_t>(i);
        e.word = s;
        return e;
      }
    if (s == "live") return node(Op::live, Type::set, {}, t.span);
    if (s == "started") return node(Op::started, Type::set, {}, t.span);
    if (s == "threads") return node(Op::threads, Type::set, {}, t.span);
    if (s == "none") return node(Op::none, Type::thread, {}, t.span);
    if (s == "true" || s == "false") {
      Expr e = node(Op::truth, Type::boolean, {}, t.span);
      e.value = s == "true";
      return e;
    }
    if (s == event_word_) {
      Expr e = node(Op::event_thread, Type::thread, {}, t.span);
      e.word = s;
      return e;
    }
    if (s == instr_word_) return instruction(t);
    if (s == "fair") return fair_word(t);
    if (Let* l = find_let(s)) return expand(t, *l);
    if (find_variable(s) != nullptr) return variable(t);
    if (among(k_reserved, s)) stop(t.span, fmt::format("an expression is expected, not '{}'", s));
    unknown(t);
  }

  Expr instruction(const Token& t) {
    expect(".", fmt::format("after '{}'", t.text).c_str(),
           "an instruction is asked for location, value, compared, exchanged or jumped");
    const Token field = name_word("the part of the instruction");
    struct Field {
      Op op;
      Type type;
      uint8_t bit;
    };
    static const std::vector<Field> fields = {{Op::instr_location, Type::integer, k_location},
                                              {Op::instr_value, Type::integer, k_value},
                                              {Op::instr_compared, Type::integer, k_compared},
                                              {Op::instr_exchanged, Type::boolean, k_exchanged},
                                              {Op::instr_jumped, Type::boolean, k_jumped}};
    for (size_t i = 0; i < k_fields.size(); ++i)
      if (k_fields[i] == field.text) {
        m_.instr_fields |= fields[i].bit;
        Expr e = node(fields[i].op, fields[i].type, {}, join(t.span, field.span));
        e.word = t.text;
        return e;
      }
    const std::string near = nearest(field.text, k_fields);
    stop(field.span, fmt::format("an instruction has no '{}'", field.text),
         near.empty() ? "it has location, value, compared, exchanged and jumped"
                      : fmt::format("did you mean '{}'?", near));
  }

  Expr fair_word(const Token& t) {
    if (!m_.stores_fair)
      stop(t.span, "'fair' has no value of its own here",
           fair_given_ ? "it is defined by its line; write 'var fair = ...' to update it"
                       : "write its definition instead");
    if (event_word_.empty())
      stop(t.span, "'fair' is read only within 'on'", "a definition that needs it is written out where it is used");
    return node(Op::fair, Type::set, {}, t.span);
  }

  Expr expand(const Token& t, Let& l) {
    l.used = true;
    if (bound_.size() + l.binders > k_max_binders)
      stop(t.span,
           fmt::format("with '{}' filled in, more than {} quantifiers are within each other", l.name, k_max_binders),
           "every level looks at all threads again");
    count_parts(l.nodes, t.span);
    Expr e = l.value;
    deepen(e, static_cast<uint32_t>(bound_.size()));
    e.span = t.span;
    return e;
  }

  Expr variable(const Token& t) {
    const Variable* v = find_variable(t.text);
    const auto index = static_cast<uint32_t>(v - m_.variables.data());
    if (reading_for_own_ != index) read_[index] = true;  // n = n + 1 alone does not use n
    Expr e = node(Op::variable, v->type, {}, t.span);
    e.index = index;
    e.word = t.text;
    if (!v->per_thread) return e;
    const std::string name = v->name;
    const Type type = v->type;
    expect("[", fmt::format("after '{}', which has one value per thread", name).c_str(),
           fmt::format("name the thread: {}[u]", name));
    Expr i = want(expression(), Type::thread, "an index");
    expect("]", "after the index");
    e = node(Op::element, type, list(std::move(i)), since(t.span));
    e.index = index;
    e.word = name;
    return e;
  }

  // ---- the whole file --------------------------------------------------------------------------------------------
  static bool mentions_live(const Expr& e) {
    return e.op == Op::live || std::any_of(e.children.begin(), e.children.end(), mentions_live);
  }
  static bool assigns_fair(const std::vector<Statement>& body) {
    return std::any_of(body.begin(), body.end(), [](const Statement& s) {
      return s.kind == Statement::Kind::set_fair || assigns_fair(s.then_part) || assigns_fair(s.else_part);
    });
  }

  void finish() {
    const Span end = peek().span;
    if (!named_) stop(tokens_.front().span, "the model has no name", "begin with: model \"name\"");
    if (!fair_given_) stop(end, "the model does not say which threads are fair", "add 'fair = live', for example");
    for (const Let& l : lets_)
      if (!l.used) stop(l.span, fmt::format("'{}' is defined and never used", l.name), "remove it");
    for (size_t i = 0; i < m_.variables.size(); ++i) {
      const Variable& v = m_.variables[i];
      if (!read_[i])
        stop(v.span, fmt::format("the variable '{}' is never read", v.name),
             "it cannot matter to the model; remove it");
      // One that keeps the threads that were live at the start is of use.
      if (!written_[i] && !mentions_live(v.init))
        stop(v.span, fmt::format("the variable '{}' never changes", v.name),
             fmt::format("write 'let {} = ...', or assign it in 'on step' or 'on terminate'", v.name));
    }
    for (const Handler* h : {&m_.on_step, &m_.on_terminate})
      if (h->present && h->body.empty()) stop(h->span, "this event changes nothing", "leave it out");
    if (m_.stores_fair && !m_.on_step.present && !m_.on_terminate.present)
      stop(m_.fair_span, "this 'var fair' is never updated",
           "write 'fair = ...' without 'var' for a set that holds at every point");
    if (m_.stores_fair && !assigns_fair(m_.on_terminate.body))
      stop(m_.on_terminate.present ? m_.on_terminate.span : m_.fair_span,
           "a thread that ends must leave 'fair', and no 'on terminate' says so",
           "add 'fair = fair & live' to 'on terminate(t) { ... }'");
  }

  SourcePtr source_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  uint32_t parts_ = 0;
  Model::Impl m_;
  std::vector<Let> lets_;
  std::vector<bool> read_, written_;
  uint32_t reading_for_own_ = UINT32_MAX;
  std::vector<std::string> bound_;
  std::string event_word_, instr_word_;
  bool named_ = false, fair_given_ = false, handlers_begun_ = false;
};

}  // namespace

Expected<Model> parse_model(const SourcePtr& source) {
  auto lexed = lex(source);
  if (!lexed) return std::unexpected(lexed.error());
  try {
    auto impl = std::make_shared<Model::Impl>(Parser(source, std::move(*lexed)).run());
    prepare(*impl);
    return Model(std::move(impl));
  } catch (Stop& s) {
    return std::unexpected(std::move(s.why));
  }
}

}  // namespace fencepost::fair
