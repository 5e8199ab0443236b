// Recursive descent over the token list; binary operators by precedence climbing.
//
// Tightest first: application  f x ; product  A * B ; postfix  + * ? ^-1 ; prefix  ~ ; & ; \ ; ; ; | .
// That product binds tighter than postfix, so that `A * B+` is `(A * B)+`, is how the published GPU models
// are read. A '*' is a product when an operand follows it and a closure otherwise.
#include <fmt/format.h>

#include "cat/syntax.h"

namespace fencepost::cat {
namespace {

enum Power {
  k_lowest = 0,
  k_union = 1,
  k_seq = 2,
  k_diff = 3,
  k_inter = 4,
  k_prefix = 5,
  k_postfix = 6,
  k_product = 7
};
constexpr uint32_t k_max_nesting = 200;  // brackets inside brackets
constexpr uint32_t k_max_height = 1000;  // operators above operators, `a | b | c ...` counts each
constexpr size_t k_max_exprs = 2'000'000;

class Parser {
 public:
  Parser(Program& program, uint16_t file, std::vector<Token> tokens, Findings& findings)
      : program_(program), file_(file), tokens_(std::move(tokens)), findings_(findings) {}

  std::vector<Statement> run() {
    title();
    std::vector<Statement> out;
    // Behind an expression that is not supported, its remains would be blamed for what they are not.
    while (kind() != Tok::end && !findings_.full() && !lost_) {
      if (!statement(out)) recover();
    }
    return out;
  }

 private:
  // ---- tokens
  const Token& token() const { return tokens_[at_]; }
  Tok kind() const { return tokens_[at_].kind; }
  Tok kind_after() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)].kind; }
  const Token& take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool accept(Tok k) {
    if (kind() != k) return false;
    take();
    return true;
  }
  Span span(const Token& t) const { return program_.span(file_, t.begin, t.end); }
  std::string shown(const Token& t) const {
    return t.kind == Tok::end ? "the end of the file" : fmt::format("'{}'", span(t).text());
  }
  bool fail(const Token& t, std::string message, std::string hint = {}) {
    findings_.error("syntax", span(t), std::move(message), std::move(hint));
    return false;
  }
  bool expect(Tok k, const char* what, const char* after) {
    if (accept(k)) return true;
    return fail(token(), fmt::format("expected {} after {}, found {}", what, after, shown(token())));
  }

  static bool starts_statement(Tok k) {
    switch (k) {
      case Tok::kw_let:
      case Tok::kw_acyclic:
      case Tok::kw_irreflexive:
      case Tok::kw_empty:
      case Tok::kw_flag:
      case Tok::kw_undefined_unless:
      case Tok::kw_include:
      case Tok::kw_show:
      case Tok::kw_unshow:
      case Tok::kw_procedure:
      case Tok::kw_call:
      case Tok::kw_enum:
      case Tok::kw_instructions:
      case Tok::kw_with:
      case Tok::kw_assert:
      case Tok::kw_forall:
      case Tok::kw_debug:
      case Tok::kw_if:
        return true;
      default:
        return false;
    }
  }
  void recover() {
    if (kind() != Tok::end) take();
    while (kind() != Tok::end && !starts_statement(kind())) take();
  }

  // ---- statements
  void title() {
    File& f = program_.files[file_];
    const auto bare = [&] {
      while (kind() == Tok::name) f.title_words.push_back(take());
    };
    bare();
    if (kind() == Tok::string) f.title = string_value(take());
    bare();
    if (f.title.empty())
      for (const Token& t : f.title_words) f.title += (f.title.empty() ? "" : " ") + std::string(span(t).text());
  }

  std::string string_value(const Token& t) const {
    const std::string_view quoted = span(t).text();
    return std::string(quoted.substr(1, quoted.size() - 2));
  }

  bool statement(std::vector<Statement>& out) {
    Statement s;
    s.file = file_;
    s.begin = token().begin;
    const Token start = token();
    bool ok = false;
    switch (kind()) {
      case Tok::kw_let:
        ok = let_statement(s);
        break;
      case Tok::kw_acyclic:
      case Tok::kw_irreflexive:
      case Tok::kw_empty:
      case Tok::kw_flag:
      case Tok::kw_undefined_unless:
      case Tok::tilde:
        ok = axiom(s);
        break;
      case Tok::kw_include:
        ok = include(s);
        break;
      case Tok::kw_show:
        ok = show(s);
        break;
      case Tok::kw_unshow:
        ok = unshow(s);
        break;
      case Tok::kw_procedure:
        ok = procedure(s);
        break;
      case Tok::kw_call:
        ok = call(s);
        break;
      case Tok::kw_enum:
      case Tok::kw_instructions:
        ok = declaration(s);
        break;
      case Tok::kw_with:
        findings_.unsupported(span(start), "'with ... from' is not supported here",
                              "rf, co and the other choices of an execution range over everything that the axioms "
                              "allow: leave the line out, or write what it asks as a constraint; herd's cos.cat need "
                              "not stand beside the model, one comes with the program");
        return false;
      case Tok::kw_if:
        findings_.unsupported(span(start), "'if' is not supported here",
                              "keep the branch that is meant; of herd's cos.cat, remove the copy beside the model: one "
                              "comes with the program");
        return false;
      case Tok::kw_assert:
      case Tok::kw_forall:
      case Tok::kw_debug:
        findings_.unsupported(span(start), fmt::format("'{}' is not supported here", span(start).text()),
                              "docs/cat.md lists the statements that are");
        return false;
      default:
        return fail(start, fmt::format("expected a statement, found {}", shown(start)), statement_hint(start));
    }
    if (!ok) return false;
    s.end = tokens_[at_ == 0 ? 0 : at_ - 1].end;
    out.push_back(std::move(s));
    return true;
  }

  const Token* first_of_line(const Token& t) const {
    const auto line = span(t).position().line;
    const auto first = std::find_if(tokens_.begin(), tokens_.end(), [&](const Token& k) {
      return k.kind != Tok::end && span(k).position().line == line;
    });
    return first == tokens_.end() ? nullptr : &*first;
  }

  std::string statement_hint(const Token& t) const {
    if (t.kind == Tok::kw_and) return "'and' continues a 'let' and stands right after the end of its expression";
    if (t.kind == Tok::kw_in) return "'let ... in' is an expression; put it on the right of a definition";
    if (t.kind == Tok::kw_rec) return "write 'let rec'";
    if (t.kind == Tok::rpar || t.kind == Tok::rbrack) return "nothing is open here that this could close";
    // A word for a statement, misspelt, reads as an operand: what is at fault is the first word of the line.
    if (const Token* first = first_of_line(t); first != nullptr && first->kind == Tok::name) {
      const std::string near =
          nearest(span(*first).text(), {"let", "acyclic", "irreflexive", "empty", "flag", "include", "show"});
      if (!near.empty()) return fmt::format("did you mean '{}'?", near);
    }
    if (t.kind == Tok::name || t.kind == Tok::lpar || t.kind == Tok::lbrack)
      return "an operator may be missing before it: | & \\ ; *";
    return "a statement begins with let, acyclic, irreflexive, empty, flag, include or show";
  }

  // `name`, not '_' or '0', which stand for fixed sets.
  bool binder_name(Token& out, const char* what) {
    if (kind() != Tok::name)
      return fail(token(), fmt::format("expected {}, found {}", what, shown(token())),
                  kind() > Tok::kw_let && kind() < Tok::end ? "this word is reserved" : "");
    out = take();
    const std::string_view text = span(out).text();
    if (text == "_" || text == "0")
      return fail(out, fmt::format("'{}' cannot be given another meaning", text),
                  text == "_" ? "'_' is the set of all events" : "'0' is the empty set or relation");
    return true;
  }

  bool parameter(std::vector<Parameter>& group, const char* what) {
    Token t;
    if (!binder_name(t, what)) return false;
    for (const Parameter& p : group)
      if (p.symbol == t.symbol)
        return fail(t, fmt::format("two parameters are called '{}'", span(t).text()), "rename one of them");
    group.push_back({t.symbol, t.begin, t.end, 0});
    return true;
  }

  bool parameter_list(std::vector<Parameter>& group) {  // after '('
    if (kind() == Tok::rpar)
      return fail(token(), "a function needs at least one parameter", "drop the brackets: let name = ...");
    do {
      if (!parameter(group, "a parameter")) return false;
    } while (accept(Tok::comma));
    return expect(Tok::rpar, "',' or ')'", "a parameter");
  }

  bool parameter_groups(std::vector<std::vector<Parameter>>& groups, Tok until) {
    while (kind() != until) {
      groups.emplace_back();
      if (accept(Tok::lpar)) {
        if (!parameter_list(groups.back())) return false;
      } else if (kind() == Tok::name) {
        if (!parameter(groups.back(), "a parameter")) return false;
      } else {
        return fail(token(),
                    fmt::format("expected {} here, found {}", until == Tok::eq ? "'='" : "'->'", shown(token())));
      }
    }
    return true;
  }

  bool binding(Binding& b) {
    if (kind() == Tok::lpar) {
      findings_.unsupported(span(token()), "a tuple on the left of '=' is not supported here",
                            "define each name on its own");
      return false;
    }
    Token t;
    if (!binder_name(t, "the name that is defined")) return false;
    b.symbol = t.symbol;
    b.begin = t.begin;
    b.end = t.end;
    if (!parameter_groups(b.groups, Tok::eq)) return false;
    if (!expect(Tok::eq, "'='", "the name that is defined")) return false;
    b.body = expression();
    return b.body != k_no_expr;
  }

  // After `let`: fills a new entry of `lets`.
  bool let_group(uint32_t& index) {
    Let group;
    group.file = file_;
    group.recursive = accept(Tok::kw_rec);
    do {
      group.bindings.emplace_back();
      if (!binding(group.bindings.back())) return false;
    } while (accept(Tok::kw_and));
    index = static_cast<uint32_t>(program_.lets.size());
    program_.lets.push_back(std::move(group));
    return true;
  }

  bool let_statement(Statement& s) {
    take();
    s.kind = StatementKind::let;
    return let_group(s.let);
  }

  bool label(Label& out) {
    if (!accept(Tok::kw_as)) return true;
    if (kind() != Tok::name)
      return fail(token(), fmt::format("expected a label after 'as', found {}", shown(token())),
                  "a label is one name, without quotes");
    const Token& t = take();
    out = {t.symbol, t.begin, t.end};
    return true;
  }

  bool axiom(Statement& s) {
    s.kind = StatementKind::axiom;
    if (accept(Tok::kw_flag)) {
      s.flag = true;
    } else if (accept(Tok::kw_undefined_unless)) {
      s.flag = true;
      s.negated = true;
    }
    while (accept(Tok::tilde)) s.negated = !s.negated;
    if (accept(Tok::kw_acyclic)) {
      s.axiom = AxiomKind::acyclic;
    } else if (accept(Tok::kw_irreflexive)) {
      s.axiom = AxiomKind::irreflexive;
    } else if (accept(Tok::kw_empty)) {
      s.axiom = AxiomKind::empty;
    } else {
      return fail(token(), fmt::format("expected acyclic, irreflexive or empty, found {}", shown(token())),
                  "for example: flag ~empty race as data-race");
    }
    s.expr = expression();
    return s.expr != k_no_expr && label(s.label);
  }

  bool include(Statement& s) {
    take();
    s.kind = StatementKind::include;
    if (kind() != Tok::string)
      return fail(token(), fmt::format("expected a file name after 'include', found {}", shown(token())),
                  "write it in double quotes");
    s.name_begin = token().begin;
    s.name_end = token().end;
    s.include = string_value(take());
    return true;
  }

  bool show(Statement& s) {
    take();
    s.kind = StatementKind::show;
    do {
      ShowItem item;
      item.expr = expression();
      if (item.expr == k_no_expr || !label(item.label)) return false;
      s.shows.push_back(item);
    } while (accept(Tok::comma));
    return true;
  }

  bool unshow(Statement& s) {
    take();
    s.kind = StatementKind::ignored;
    do {
      if (kind() != Tok::name)
        return fail(token(), fmt::format("expected a name after 'unshow', found {}", shown(token())));
      const Token& t = take();
      s.shows.push_back({k_no_expr, {t.symbol, t.begin, t.end}});
    } while (accept(Tok::comma));
    return true;
  }

  bool procedure(Statement& s) {
    take();
    s.kind = StatementKind::procedure;
    Token t;
    if (in_procedure_) return fail(token(), "a procedure cannot stand inside another", "define it before");
    if (!binder_name(t, "the name of the procedure")) return false;
    s.symbol = t.symbol;
    s.name_begin = t.begin;
    s.name_end = t.end;
    if (!expect(Tok::lpar, "'('", "the name of a procedure")) return false;
    if (kind() == Tok::rpar) {
      take();
    } else if (!parameter_list(s.parameters)) {
      return false;
    }
    if (!expect(Tok::eq, "'='", "the parameters of a procedure")) return false;
    in_procedure_ = true;
    bool ok = true;
    while (ok && kind() != Tok::kw_end) {
      if (kind() == Tok::end) {
        ok = fail(token(), "this procedure does not end", "close it with 'end'");
      } else if (kind() == Tok::kw_include) {
        ok = fail(token(), "a procedure cannot include a file", "include it before");
      } else {
        ok = statement(s.body);
      }
    }
    in_procedure_ = false;
    if (ok) take();
    return ok;
  }

  bool call(Statement& s) {
    take();
    s.kind = StatementKind::call;
    Token t;
    if (!binder_name(t, "the name of a procedure")) return false;
    s.symbol = t.symbol;
    s.name_begin = t.begin;
    s.name_end = t.end;
    if (!expect(Tok::lpar, "'('", "the name of a procedure")) return false;
    if (!accept(Tok::rpar)) {
      do {
        const ExprId e = expression();
        if (e == k_no_expr) return false;
        s.arguments.push_back(e);
      } while (accept(Tok::comma));
      if (!expect(Tok::rpar, "',' or ')'", "an argument")) return false;
    }
    return label(s.label);
  }

  // `enum` and `instructions` declare annotations of herd's bell language and constrain no execution.
  bool declaration(Statement& s) {
    s.kind = StatementKind::ignored;
    take();
    while (kind() != Tok::end && !starts_statement(kind())) take();
    return true;
  }

  // ---- expressions
  ExprId bad(const Token& t, std::string message, std::string hint = {}) {
    fail(t, std::move(message), std::move(hint));
    return k_no_expr;
  }
  ExprId unsupported(const Token& t, const char* what,
                     const char* hint = "docs/cat.md lists what the language here has") {
    findings_.unsupported(span(t), fmt::format("{} is not supported here", what), hint);
    lost_ = true;
    return k_no_expr;
  }

  ExprId make(ExprKind k, uint32_t begin, uint32_t end, uint32_t at, std::initializer_list<ExprId> kids) {
    return make(k, begin, end, at, std::vector<ExprId>(kids));
  }
  ExprId make(ExprKind k, uint32_t begin, uint32_t end, uint32_t at, const std::vector<ExprId>& kids) {
    Expr e;
    e.kind = k;
    e.file = file_;
    e.begin = begin;
    e.end = end;
    e.at = at;
    for (size_t i = 0; i < kids.size(); ++i) {
      Expr& kid = program_.exprs[kids[i]];
      if (i == 0) e.first = kids[i];
      if (i + 1 < kids.size()) kid.next = kids[i + 1];
      e.height = std::max<uint16_t>(e.height, kid.height + 1);
    }
    if (e.height > k_max_height || program_.exprs.size() > k_max_exprs) {
      findings_.error("syntax", program_.span(file_, begin, std::min(end, begin + 1)),
                      "this expression has too many operators", "give names to its parts with 'let'");
      return k_no_expr;
    }
    program_.exprs.push_back(e);
    return static_cast<ExprId>(program_.exprs.size() - 1);
  }
  const Expr& expr(ExprId e) const { return program_.exprs[e]; }

  // Whether the '*' here is a product. `~` may also begin the next statement, `~empty r`.
  bool operand_follows() const {
    switch (kind_after()) {
      case Tok::name:
      case Tok::tag:
      case Tok::lpar:
      case Tok::lbrack:
      case Tok::lbrace:
      case Tok::kw_begin:
      case Tok::kw_fun:
      case Tok::kw_try:
      case Tok::kw_match:
        return true;
      case Tok::tilde: {
        size_t i = at_ + 1;
        while (tokens_[i].kind == Tok::tilde) ++i;
        const Tok k = tokens_[i].kind;
        return k != Tok::kw_empty && k != Tok::kw_acyclic && k != Tok::kw_irreflexive;
      }
      default:
        return false;
    }
  }
  static bool starts_argument(Tok k) {
    return k == Tok::name || k == Tok::lpar || k == Tok::lbrack || k == Tok::lbrace || k == Tok::tag;
  }

  ExprId expression(int least = k_lowest) {
    if (++nesting_ > k_max_nesting) {
      --nesting_;
      return bad(token(), "this expression is nested too deeply", "give names to its parts with 'let'");
    }
    const ExprId e = climb(least);
    --nesting_;
    return e;
  }

  ExprId climb(int least) {
    ExprId left = prefix();
    while (left != k_no_expr) {
      const Token op = token();
      ExprKind k;
      int power;
      switch (op.kind) {
        case Tok::star:
          if (!operand_follows()) {
            if (least > k_postfix) return left;
            left = postfix(left);
            continue;
          }
          k = ExprKind::product;
          power = k_product;
          break;
        case Tok::plus:
        case Tok::opt:
        case Tok::hat:
        case Tok::minus_one:
          if (least > k_postfix) return left;
          left = postfix(left);
          continue;
        case Tok::amp:
          k = ExprKind::inter;
          power = k_inter;
          break;
        case Tok::backslash:
          k = ExprKind::diff;
          power = k_diff;
          break;
        case Tok::semi:
          k = ExprKind::seq;
          power = k_seq;
          break;
        case Tok::bar:
          k = ExprKind::union_;
          power = k_union;
          break;
        case Tok::plusplus:
          return unsupported(op, "'++' on sets of sets");
        case Tok::barbar:
          return bad(op, "unexpected '||'", "union is written '|'");
        default:
          return left;
      }
      if (power < least) return left;
      take();
      const ExprId right = expression(power + 1);
      if (right == k_no_expr) return k_no_expr;
      left = make(k, expr(left).begin, expr(right).end, op.begin, {left, right});
    }
    return left;
  }

  ExprId postfix(ExprId operand) {
    Token op = take();
    ExprKind k;
    const uint32_t at = op.begin;
    const bool hat = op.kind == Tok::hat;
    if (hat) {
      if (kind() == Tok::end) return bad(op, "expected -1, +, *, ? or 2 after '^'");
      op = take();
    }
    switch (op.kind) {
      case Tok::plus:
        k = ExprKind::plus;
        break;
      case Tok::star:
        k = ExprKind::star;
        break;
      case Tok::opt:
        k = ExprKind::opt;
        break;
      case Tok::minus_one:
        k = ExprKind::inverse;
        break;
      default:
        if (hat && op.kind == Tok::name && span(op).text() == "2") {
          k = ExprKind::square;
          break;
        }
        return bad(op, fmt::format("expected -1, +, *, ? or 2 after '^', found {}", shown(op)),
                   "inverse is written r^-1");
    }
    return make(k, expr(operand).begin, op.end, at, {operand});
  }

  ExprId prefix() {
    const Token t = token();
    if (t.kind == Tok::tilde) {
      take();
      const ExprId operand = expression(k_prefix);
      if (operand == k_no_expr) return k_no_expr;
      return make(ExprKind::complement, t.begin, expr(operand).end, t.begin, {operand});
    }
    return application();
  }

  ExprId application() {
    const bool named = kind() == Tok::name;
    ExprId e = primary();
    while (e != k_no_expr && named && starts_argument(kind())) {
      const Token open = token();
      std::vector<ExprId> operands{e};
      if (accept(Tok::lpar)) {
        if (kind() != Tok::rpar) {
          do {
            operands.push_back(expression());
            if (operands.back() == k_no_expr) return k_no_expr;
          } while (accept(Tok::comma));
        }
        if (!expect(Tok::rpar, "',' or ')'", "an argument")) return k_no_expr;
      } else {
        operands.push_back(primary());
        if (operands.back() == k_no_expr) return k_no_expr;
      }
      e = make(ExprKind::apply, expr(e).begin, tokens_[at_ - 1].end, open.begin, operands);
    }
    return e;
  }

  ExprId primary() {
    const Token t = token();
    switch (t.kind) {
      case Tok::name: {
        take();
        const ExprId e = make(ExprKind::name, t.begin, t.end, t.begin, {});
        if (e != k_no_expr) program_.exprs[e].symbol = t.symbol;
        return e;
      }
      case Tok::lpar:
        return bracketed(Tok::rpar, "')'");
      case Tok::kw_begin:
        return bracketed(Tok::kw_end, "'end'");
      case Tok::lbrack: {
        take();
        const ExprId inner = expression();
        if (inner == k_no_expr) return k_no_expr;
        const Token close = token();
        if (!expect(Tok::rbrack, "']'", "a set in brackets")) return k_no_expr;
        return make(ExprKind::ident, t.begin, close.end, t.begin, {inner});
      }
      case Tok::lbrace: {
        take();
        const Token close = token();
        if (!accept(Tok::rbrace)) return unsupported(t, "a set of sets '{ ... }'", "only '{}', the empty set, is");
        return make(ExprKind::empty_any, t.begin, close.end, t.begin, {});
      }
      case Tok::kw_let:
        return let_in();
      case Tok::kw_fun:
        return function();
      case Tok::kw_try:
        return try_with();
      case Tok::kw_match:
        return unsupported(t, "'match'",
                           "there are no sets of sets: write the union of the cases out; of herd's stdlib.cat and "
                           "cross.cat, remove the copies beside the model: the prelude has their names");
      case Tok::kw_if:
        return unsupported(t, "'if'", "keep the branch that is meant");
      case Tok::tag:
        return unsupported(t, "an annotation of an enumeration", "name the event tag without the quote");
      case Tok::string:
        return unsupported(t, "a string in an expression");
      case Tok::minus_one:
      case Tok::plus:
      case Tok::opt:
      case Tok::star:
      case Tok::hat:
        return bad(t, fmt::format("{} stands after its operand", shown(t)), "for example r+ or r^-1");
      default:
        break;
    }
    std::string hint = "a set or a relation was expected";
    if (t.kind > Tok::kw_let && t.kind < Tok::end) hint = fmt::format("{} is a reserved word", shown(t));
    return bad(t, fmt::format("expected an expression, found {}", shown(t)), hint);
  }

  // Brackets leave no trace in the tree except for the place.
  ExprId bracketed(Tok close, const char* shown_close) {
    const Token open = take();
    if (kind() == close)
      return bad(open, "nothing stands between these brackets", "the empty set is written {}, the empty relation 0");
    const ExprId inner = expression();
    if (inner == k_no_expr) return k_no_expr;
    if (kind() == Tok::comma) return unsupported(token(), "a tuple", "a function takes its arguments as f(a, b)");
    const Token last = token();
    if (!accept(close))
      return bad(last, fmt::format("expected {} before {}", shown_close, shown(last)),
                 fmt::format("it closes the bracket opened at line {}", span(open).position().line));
    program_.exprs[inner].begin = open.begin;
    program_.exprs[inner].end = last.end;
    return inner;
  }

  ExprId let_in() {
    const Token t = take();
    uint32_t index = 0;
    if (!let_group(index)) return k_no_expr;
    if (!expect(Tok::kw_in, "'in'", "the definitions of a local 'let'")) return k_no_expr;
    const ExprId body = expression();
    if (body == k_no_expr) return k_no_expr;
    uint16_t height = expr(body).height;
    for (const Binding& b : program_.lets[index].bindings) height = std::max(height, expr(b.body).height);
    return with_payload(make(ExprKind::let_in, t.begin, expr(body).end, t.begin, {body}), index, height);
  }

  ExprId function() {
    const Token t = take();
    Let group;
    group.file = file_;
    group.bindings.emplace_back();
    Binding& b = group.bindings.back();
    b.begin = t.begin;
    b.end = t.end;
    if (!parameter_groups(b.groups, Tok::arrow)) return k_no_expr;
    if (b.groups.empty()) return bad(token(), "a function needs at least one parameter", "write fun x -> ...");
    take();
    b.body = expression();
    if (b.body == k_no_expr) return k_no_expr;
    const uint32_t end = expr(b.body).end;
    const uint32_t index = static_cast<uint32_t>(program_.lets.size());
    const uint16_t height = expr(b.body).height;
    program_.lets.push_back(std::move(group));
    return with_payload(make(ExprKind::fun, t.begin, end, t.begin, {}), index, height);
  }

  ExprId try_with() {
    const Token t = take();
    const ExprId first = expression();
    if (first == k_no_expr) return k_no_expr;
    if (!expect(Tok::kw_with, "'with'", "the expression that is tried")) return k_no_expr;
    const ExprId second = expression();
    if (second == k_no_expr) return k_no_expr;
    return make(ExprKind::try_with, t.begin, expr(second).end, t.begin, {first, second});
  }

  // Definitions inside an expression count for its height like operands.
  ExprId with_payload(ExprId e, uint32_t index, uint16_t height) {
    if (e == k_no_expr) return e;
    Expr& x = program_.exprs[e];
    x.payload = index;
    x.height = std::max<uint16_t>(x.height, height + 1);
    if (x.height <= k_max_height) return e;
    findings_.error("syntax", program_.span(x), "this expression has too many operators",
                    "define its parts on their own");
    return k_no_expr;
  }

  Program& program_;
  uint16_t file_;
  std::vector<Token> tokens_;
  Findings& findings_;
  size_t at_ = 0;
  uint32_t nesting_ = 0;
  bool in_procedure_ = false;
  bool lost_ = false;
};

}  // namespace

std::vector<Statement> parse(Program& program, uint16_t file, Findings& findings) {
  const size_t before = findings.errors();
  Lexed lexed = lex(program.files[file].source, program.symbols, findings);
  program.files[file].headers = std::move(lexed.headers);
  if (findings.errors() > before) return {};
  return Parser(program, file, std::move(lexed.tokens), findings).run();
}

}  // namespace fencepost::cat
