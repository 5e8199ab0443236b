// Grammar of OPENCL litmus tests: tokens -> trees, by recursive descent and precedence climbing.
//
//   { init }  (Pn [@wg N, dev N] ( parameters ) { statements })+  question
//
// `(*` is a comment outside a thread and a dereference inside one, so the cursor changes its options at the
// parameter list and back at the closing brace. Operators bind as in C; the published GPU tool reads
// `a == 1 && c == 2` as `(a == (1 && c)) == 2`, which no test of its corpus depends on.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "litmus/opencl_ast.h"

namespace fencepost::litmus::opencl {
namespace {

constexpr LexOptions k_outside{true, true, false};
constexpr LexOptions k_inside{false, true, true};

// No test that a person wrote comes near these; they keep recursion and terms off the stack's end.
constexpr int k_max_depth = 100;
constexpr int k_max_operators = 1000;  // in one expression
constexpr uint64_t k_max_cells = 0x1000;

bool is_qualifier(const Token& t) {
  for (const char* w : {"volatile", "const", "restrict", "__restrict"})
    if (t.is(w)) return true;
  return false;
}

std::string_view space_of(const Token& t) {
  if (t.is("global") || t.is("__global")) return "global";
  if (t.is("local") || t.is("__local") || t.is("__shared__")) return "local";
  if (t.is("generic") || t.is("__generic")) return "generic";
  return "";
}

bool is_type_word(const Token& t) {
  return t.kind == Tok::word && (find_type(t.text) || t.is("struct") || t.is("void"));
}

int precedence(const Token& t) {
  if (t.kind != Tok::punct) return 0;
  constexpr std::array<std::pair<std::string_view, int>, 18> table = {{
      {"||", 1},
      {"&&", 2},
      {"|", 3},
      {"^", 4},
      {"&", 5},
      {"==", 6},
      {"!=", 6},
      {"<", 7},
      {">", 7},
      {"<=", 7},
      {">=", 7},
      {"<<", 8},
      {">>", 8},
      {"+", 9},
      {"-", 9},
      {"*", 10},
      {"/", 10},
      {"%", 10},
  }};
  for (const auto& [op, p] : table)
    if (t.text == op) return p;
  return 0;
}

class Grammar {
 public:
  Grammar(Cursor& c, bool cuda) : c_(c), cuda_(cuda) {}

  File file() {
    File f;
    c_.set_options(k_outside);
    init_block(f);
    while (c_.peek().kind == Tok::word && at_thread_id(c_)) f.threads.push_back(thread(f.threads.size()));
    if (f.threads.empty())
      c_.fail_expected(
          c_.peek(), "a thread such as P0",
          cuda_ ? "write P0@block 0, device 0 (int* x) { ... }" : "write P0 (global atomic_int* x) { ... }");
    return f;
  }

 private:
  struct Depth {
    Depth(Grammar& g, const char* what) : g_(g) {
      if (++g_.depth_ > k_max_depth)
        g_.c_.fail(g_.c_.peek(), fmt::format("this {} is nested too deeply", what), "flatten it");
    }
    ~Depth() { --g_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    Grammar& g_;
  };

  // ---- types -----------------------------------------------------------------------------------------

  void qualifiers(bool spaces = false) {
    while (is_qualifier(c_.peek()) || (spaces && !space_of(c_.peek()).empty())) {
      if (cuda_ && c_.at("volatile"))
        unsupported(c_.span(c_.peek()), "volatile stands with parameters here",
                    "declare the parameter: volatile int* x");
      c_.next();
    }
  }

  // One integer type in any of C's spellings, qualifiers skipped, without stars.
  CType base_type() {
    qualifiers();
    const Token t = c_.peek();
    if (t.is("struct")) unsupported(c_.span(t), "structures are not supported", "use one location per member");
    if (t.is("void")) unsupported(c_.span(t), "void pointers are not supported", "name the integer type of the object");
    if (t.is("float") || t.is("double") || t.is("half"))
      unsupported(c_.span(t), "floating point is not supported", "use int");
    if (t.kind != Tok::word)
      c_.fail_expected(t, "a type", "types are int, uint, char, long, atomic_int, intptr_t, ...");
    const auto found = find_type(t.text);
    if (!found)
      c_.fail(t, fmt::format("{} is not a type", litmus::quoted(t.text)),
              suggest(t.text, type_names(), "types are int, uint, char, long, atomic_int, intptr_t, ..."));
    c_.next();
    CType type = *found;
    if (t.is("unsigned") || t.is("signed")) {
      const bool is_signed = t.is("signed");
      for (const char* w : {"char", "short", "int", "long"})
        if (c_.accept(w)) {
          type = *find_type(is_signed ? std::string(w) : "u" + std::string(w));
          break;
        }
    }
    if (type.base == "long" || type.base == "ulong") c_.accept("long");
    if (type.base == "long" || type.base == "ulong" || type.base == "short" || type.base == "ushort") c_.accept("int");
    qualifiers();
    return type;
  }

  void stars(CType& type) {
    while (c_.at("*")) {
      const Token t = c_.next();
      if (++type.stars > 4) c_.fail(t, "too many levels of pointers", "at most four");
      qualifiers(true);
    }
  }

  // ---- init block ------------------------------------------------------------------------------------

  void init_block(File& f) {
    c_.expect("{", "the initial state stands in braces");
    while (!c_.accept("}")) {
      if (c_.accept(";") || c_.accept(",")) continue;
      f.init.push_back(init_entry());
      if (!c_.at(";") && !c_.at(",") && !c_.at("}"))
        c_.fail_expected(c_.peek(), "';' or '}'", "separate initial values with ';'");
    }
    c_.accept(";");
  }

  InitEntry init_entry() {
    InitEntry e;
    const uint32_t begin = c_.position();
    qualifiers(true);
    if (is_type_word(c_.peek()) && !c_.peek(1).is("=") && !c_.peek(1).is(";")) {
      e.type = base_type();
      stars(*e.type);
    }
    if (at_thread_id(c_) && c_.peek(1).is(":")) {
      e.is_register = true;
      e.thread = parse_thread_id(c_);
      c_.expect(":");
      if (!e.type && is_type_word(c_.peek())) {
        e.type = base_type();
        stars(*e.type);
      }
      e.name = std::string(c_.expect_word("a register", "write 0:r0 = 1").text);
    } else if (c_.accept("[")) {
      e.name = std::string(c_.expect_word("a location", "write [x] = 0").text);
      c_.expect("]");
    } else {
      const Token name = c_.expect_word("a location or a register", "write [x] = 0; or int x = 0; or 0:r0 = 1;");
      e.name = std::string(name.text);
      if (!e.type && c_.peek().kind == Tok::word)
        c_.fail(name, fmt::format("{} is not a type", litmus::quoted(name.text)),
                suggest(name.text, type_names(), "types are int, uint, char, long, atomic_int, intptr_t, ..."));
    }
    if (!e.is_register && c_.accept("[")) {
      e.list = true;
      if (!c_.at("]")) e.cells = number_value(c_, c_.expect_number("the number of cells"), k_max_cells);
      const Token close = c_.expect("]");
      if (e.cells == uint64_t{0})
        c_.fail(close, fmt::format("{} has no cells", litmus::quoted(e.name)), "an array needs at least one");
    }
    if (c_.accept("=")) {
      if (c_.at("{")) {
        if (e.is_register) c_.fail(c_.peek(), "a register holds one value", "write 0:r0 = 1");
        e.list = true;
        c_.next();
        while (!c_.accept("}")) {
          e.values.push_back(init_value());
          if (e.values.size() > k_max_cells)
            c_.fail(c_.peek(), "too many initial values", fmt::format("at most {}", k_max_cells));
          if (!c_.at("}")) c_.expect(",", "separate the values with ','");
        }
      } else {
        if (e.list) c_.fail_expected(c_.peek(), "'{'", "the initial values of an array stand in braces: {0, 1}");
        e.values.push_back(init_value());
      }
    }
    e.span = c_.since(begin);
    if (e.list && !e.cells) {
      if (e.values.empty())
        fail_at(e.span, fmt::format("the size of {} is missing", litmus::quoted(e.name)), "write it: x[2]");
      e.cells = e.values.size();
    }
    if (e.cells && !e.values.empty() && e.values.size() > *e.cells)
      fail_at(e.span,
              fmt::format("{} has {} cells and {} initial values", litmus::quoted(e.name), *e.cells, e.values.size()),
              "make them agree");
    return e;
  }

  InitValue init_value() {
    InitValue v;
    const Token t = c_.peek();
    if (t.kind == Tok::word && (t.is("ATOMIC_VAR_INIT") || t.is("ATOMIC_INIT") || t.is("atomic_init")) &&
        c_.peek(1).is("(")) {
      c_.next();
      c_.next();
      v = init_value();
      c_.expect(")");
      v.span = c_.since(t.begin);
      return v;
    }
    const bool paren = c_.accept("(");
    if (t.is("ATOMIC_FLAG_INIT")) {  // clear
      c_.next();
    } else if (at_constant(c_)) {
      v.constant = parse_constant(c_);
    } else {
      const bool star = c_.accept("*");
      if (!star) c_.accept("&");
      v.kind = star ? InitValue::Kind::copy : InitValue::Kind::address;
      v.name = std::string(c_.expect_word("a constant or a location", "write 1, &x or *x").text);
    }
    if (paren) c_.expect(")");
    v.span = c_.since(t.begin);
    return v;
  }

  // ---- threads ---------------------------------------------------------------------------------------

  Thread thread(size_t index) {
    Thread th;
    const Token first = c_.peek();
    th.id = parse_thread_id(c_);
    if (th.id != index)
      c_.fail(first, fmt::format("thread P{} stands where P{} belongs", th.id, index),
              "threads are numbered P0, P1, ... in order");
    if (c_.accept("@")) {
      do {
        const char* usage = cuda_ ? "write P0@block 0, device 0" : "write P0@wg 0, dev 0";
        const Token level = c_.expect_word(cuda_ ? "block or device" : "wg or dev", usage);
        const std::vector<std::string> known = cuda_ ? std::vector<std::string>{"warp", "block", "cluster", "device"}
                                                     : std::vector<std::string>{"wg", "dev", "sg"};
        if (std::find(known.begin(), known.end(), level.text) == known.end())
          c_.fail(level, fmt::format("{} is not a scope level", litmus::quoted(level.text)),
                  suggest(level.text, known, usage));
        const std::string name = level.is("block")    ? "wg"
                                 : level.is("device") ? "dev"
                                 : level.is("warp")   ? "sg"
                                                      : std::string(level.text);
        for (const auto& s : th.scope)
          if (s.first == name)
            c_.fail(level, fmt::format("the level {} stands here twice", litmus::quoted(level.text)),
                    "give every level once");
        th.scope.emplace_back(name, static_cast<uint32_t>(number_value(
                                        c_, c_.expect_number("a number", "scope ids are numbers"), 0xfffffffe)));
      } while (c_.accept(","));
      for (const char* level : {"wg", "dev"})
        if (std::none_of(th.scope.begin(), th.scope.end(), [&](const auto& s) { return s.first == level; }))
          c_.fail(first,
                  fmt::format("the level '{}' of thread P{} is missing",
                              !cuda_            ? level
                              : level[0] == 'w' ? "block"
                                                : "device",
                              th.id),
                  cuda_ ? "write P0@block 0, device 0" : "write P0@wg 0, dev 0");
    }
    c_.set_options(k_inside);
    c_.expect("(", "after the thread comes its parameter list");
    if (c_.at("void") && c_.peek(1).is(")")) c_.next();
    while (!c_.accept(")")) {
      th.parameters.push_back(parameter(th));
      if (!c_.at(")")) {
        c_.expect(",", "separate parameters with ','");
        if (c_.at(")")) c_.fail_expected(c_.peek(), "a parameter", "remove the ',' before it");
      }
    }
    th.span = c_.since(first.begin);
    c_.expect("{", "after the parameters comes the code in braces");
    while (!c_.at("}")) {
      if (c_.at_end()) c_.fail_expected(c_.peek(), "'}'", fmt::format("close the body of P{}", th.id));
      statement(th.body);
    }
    // The token after the brace lies outside: change what a comment is before it is looked at.
    c_.next();
    c_.set_options(k_outside);
    return th;
  }

  Parameter parameter(const Thread& th) {
    Parameter p;
    const uint32_t begin = c_.position();
    std::string words;
    bool is_volatile = false;
    while (true) {
      const Token t = c_.peek();
      if (const std::string_view space = space_of(t); !space.empty()) {
        if (!p.space.empty()) c_.fail(t, "a second address space", "an object lies in one: global or local");
        if (cuda_ && space != "local")
          c_.fail(t, fmt::format("{} is a word of OPENCL tests", litmus::quoted(t.text)),
                  "in CUDA what is not __shared__ is global");
        p.space = std::string(space);
        words += cuda_ ? "__shared__ " : p.space + " ";
      } else if (is_qualifier(t)) {
        is_volatile = is_volatile || (cuda_ && t.is("volatile"));
        words += std::string(t.text) + " ";
      } else {
        break;
      }
      c_.next();
    }
    p.type = base_type();
    stars(p.type);
    const Token name = c_.expect_word("the name of the parameter", "a parameter is written: global atomic_int* x");
    p.name = std::string(name.text);
    if (c_.accept("[")) {
      if (c_.peek().kind == Tok::number) c_.next();
      c_.expect("]");
      ++p.type.stars;
    }
    p.span = c_.since(begin);
    if (!p.type.pointer())
      fail_at(p.span, fmt::format("the parameter {} is not a pointer", litmus::quoted(p.name)),
              fmt::format("write {}* {}", p.type.text(), p.name));
    for (const Parameter& other : th.parameters)
      if (other.name == p.name)
        fail_at(p.span, fmt::format("a second parameter {}", litmus::quoted(p.name)), "rename one");
    p.text = words + p.type.text() + " " + p.name;
    if (p.space == "generic") p.space.clear();
    if (cuda_ && p.type.atomic)
      fail_at(p.span, "CUDA has no atomic types",
              fmt::format("write {}, and atomicAdd({}, 1) where it is used", p.type.plain().text(), p.name));
    if (cuda_ && p.space.empty()) p.space = "global";
    p.type = p.type.pointee();
    p.type.is_volatile = is_volatile;
    return p;
  }

  // ---- statements ------------------------------------------------------------------------------------

  std::vector<Stmt> branch_body() {
    std::vector<Stmt> out;
    if (c_.accept("{")) {
      while (!c_.at("}")) {
        if (c_.at_end()) c_.fail_expected(c_.peek(), "'}'", "close the block");
        statement(out);
      }
      c_.next();
    } else {
      statement(out);
    }
    return out;
  }

  ExprPtr condition() {
    c_.expect("(", "the condition stands in parentheses");
    ExprPtr e = whole_expression();
    c_.expect(")", "close the condition");
    return e;
  }

  bool at_declaration() {
    if (!is_type_word(c_.peek()) && !is_qualifier(c_.peek())) {
      // An unknown word followed by a name can only be a mistyped type.
      const Token a = c_.peek();
      const Token b = c_.peek(1);
      if (a.kind == Tok::word && b.kind == Tok::word && !space_of(a).empty())
        unsupported(c_.span(a), "variables in global or local memory are not supported inside a thread",
                    "declare the location in the initial state");
      return a.kind == Tok::word && b.kind == Tok::word && !a.is("goto") && !a.is("else") && !a.is("return");
    }
    return true;
  }

  void statement(std::vector<Stmt>& out) {
    Depth depth(*this, "statement");
    const Token t = c_.peek();
    if (c_.accept(";")) return;
    Stmt s;
    if (t.is("{")) {
      s.kind = Stmt::Kind::block;
      s.body = branch_body();
    } else if (t.is("if")) {
      c_.next();
      s.kind = Stmt::Kind::if_;
      s.value = condition();
      s.span = c_.since(t.begin);
      s.body = branch_body();
      if (c_.accept("else")) {
        s.has_else = true;
        s.otherwise = branch_body();
      }
      out.push_back(std::move(s));
      return;
    } else if (t.is("while")) {
      c_.next();
      s.kind = Stmt::Kind::while_;
      s.value = condition();
      s.span = c_.since(t.begin);
      s.body = branch_body();
      out.push_back(std::move(s));
      return;
    } else if (t.is("do")) {
      c_.next();
      s.kind = Stmt::Kind::do_;
      s.body = branch_body();
      c_.expect("while", "a do loop ends in while (condition);");
      s.value = condition();
      c_.expect(";");
    } else if (t.is("for")) {
      c_.next();
      s.kind = Stmt::Kind::for_;
      c_.expect("(", "write for (int i = 0; i < 2; i = i + 1)");
      if (!c_.accept(";")) {
        if (at_declaration()) {
          declaration(s.init);
        } else {
          Stmt e;
          e.value = whole_expression();
          e.span = e.value->span;
          s.init.push_back(std::move(e));
          c_.expect(";");
        }
      }
      if (!c_.at(";")) s.value = whole_expression();
      c_.expect(";");
      if (!c_.at(")")) s.step = whole_expression();
      c_.expect(")");
      s.span = c_.since(t.begin);
      s.body = branch_body();
      out.push_back(std::move(s));
      return;
    } else if (t.is("break") || t.is("continue")) {
      c_.next();
      s.kind = t.is("break") ? Stmt::Kind::break_ : Stmt::Kind::continue_;
      c_.expect(";");
    } else if (t.is("goto")) {
      c_.next();
      s.kind = Stmt::Kind::goto_;
      s.name = std::string(c_.expect_word("a label").text);
      c_.expect(";");
    } else if (t.is("return")) {
      unsupported(c_.span(t), "return is not supported in a thread", "use if and else");
    } else if (t.is("switch") || t.is("case")) {
      unsupported(c_.span(t), "switch is not supported", "use if and else");
    } else if (t.is("else")) {
      c_.fail(t, "this else has no if", "an else follows the statement or block of its if");
    } else if (t.kind == Tok::word && c_.peek(1).is(":")) {
      c_.next();
      c_.next();
      s.name = std::string(t.text);
      if (c_.at("barrier") || c_.at("work_group_barrier") || c_.at("sub_group_barrier") ||
          (cuda_ && (c_.at("__syncthreads") || c_.at("__syncwarp")))) {
        s.value = whole_expression();
        c_.expect(";");
      } else {
        s.kind = Stmt::Kind::label;
        if (c_.at("}")) c_.fail_expected(c_.peek(), "a statement after the label", "write an empty statement: ;");
      }
    } else if (at_declaration()) {
      declaration(out);
      return;
    } else {
      s.value = whole_expression();
      c_.expect(";", "a statement ends in ';'");
    }
    s.span = c_.since(t.begin);
    out.push_back(std::move(s));
  }

  void declaration(std::vector<Stmt>& out) {
    const uint32_t begin = c_.position();
    const CType base = base_type();
    do {
      Stmt s;
      s.kind = Stmt::Kind::declare;
      s.type = base;
      stars(s.type);
      s.name = std::string(c_.expect_word("the name of the variable").text);
      if (c_.at("["))
        unsupported(c_.span(c_.peek()), "arrays inside a thread are not supported",
                    "declare the array in the initial state");
      if (c_.accept("=")) s.value = whole(&Grammar::assignment);
      s.span = c_.since(begin);
      out.push_back(std::move(s));
    } while (c_.accept(","));
    c_.expect(";", "a declaration ends in ';'");
  }

  // ---- expressions -----------------------------------------------------------------------------------

  ExprPtr make(Expr::Kind kind, std::string_view op, uint32_t begin) {
    if (++operators_ > k_max_operators)
      c_.fail(c_.peek(), "this expression is too long", "use variables for its parts");
    auto e = std::make_unique<Expr>();
    e->kind = kind;
    e->op = std::string(op);
    e->span = c_.since(begin);
    return e;
  }

  // The limit on operators counts those of one whole expression.
  ExprPtr whole_expression() { return whole(&Grammar::comma); }
  ExprPtr whole(ExprPtr (Grammar::*rule)()) {
    const int outer = operators_;
    operators_ = 0;
    ExprPtr e = (this->*rule)();
    operators_ = outer;
    return e;
  }

  ExprPtr comma() {
    const uint32_t begin = c_.position();
    ExprPtr e = assignment();
    while (c_.accept(",")) {
      ExprPtr right = assignment();
      ExprPtr both = make(Expr::Kind::comma, ",", begin);
      both->kids.push_back(std::move(e));
      both->kids.push_back(std::move(right));
      e = std::move(both);
    }
    return e;
  }

  ExprPtr assignment() {
    Depth depth(*this, "expression");
    const uint32_t begin = c_.position();
    ExprPtr left = conditional();
    const Token t = c_.peek();
    std::string op;
    if (t.is("=") || t.is("+=") || t.is("-=")) {
      op = std::string(t.text);
      c_.next();
    } else if ((precedence(t) == 10 || t.is("&") || t.is("|") || t.is("^") || t.is("<<") || t.is(">>")) &&
               c_.peek(1).is("=") && c_.peek(1).begin == t.end) {
      op = std::string(t.text) + "=";
      c_.next();
      c_.next();
    } else {
      return left;
    }
    ExprPtr right = assignment();
    ExprPtr e = make(Expr::Kind::assign, op, begin);
    e->kids.push_back(std::move(left));
    e->kids.push_back(std::move(right));
    return e;
  }

  ExprPtr conditional() {
    const uint32_t begin = c_.position();
    ExprPtr cond = binary(1);
    if (!c_.accept("?")) return cond;
    ExprPtr yes = comma();
    c_.expect(":", "a conditional expression is c ? a : b");
    Depth depth(*this, "expression");
    ExprPtr no = conditional();
    ExprPtr e = make(Expr::Kind::conditional, "?", begin);
    e->kids.push_back(std::move(cond));
    e->kids.push_back(std::move(yes));
    e->kids.push_back(std::move(no));
    return e;
  }

  ExprPtr binary(int least) {
    const uint32_t begin = c_.position();
    ExprPtr left = unary();
    while (true) {
      const Token op = c_.peek();
      const int p = precedence(op);
      if (p < least || p == 0) return left;
      // `a *= b`: the assignment is one level further out.
      if (c_.peek(1).is("=") && c_.peek(1).begin == op.end && p != 6 && p != 7) return left;
      c_.next();
      ExprPtr right = binary(p + 1);
      ExprPtr e = make(p <= 2 ? Expr::Kind::logical : Expr::Kind::binary, op.text, begin);
      e->kids.push_back(std::move(left));
      e->kids.push_back(std::move(right));
      left = std::move(e);
    }
  }

  ExprPtr unary() {
    Depth depth(*this, "expression");
    const Token t = c_.peek();
    const uint32_t begin = t.begin;
    // One constant, of the type that the number has without the sign: -2147483648 is a long.
    if (t.is("-") && c_.peek(1).kind == Tok::number) {
      c_.next();
      ExprPtr e = number(true);
      e->span = c_.since(begin);
      return postfix(std::move(e), begin);
    }
    for (const char* op : {"!", "-", "~", "+", "*", "&", "++", "--"})
      if (t.is(op)) {
        c_.next();
        ExprPtr kid = unary();
        ExprPtr e = make(Expr::Kind::unary, op, begin);
        e->kids.push_back(std::move(kid));
        return e;
      }
    if (t.is("&&")) c_.fail(t, "'&&' is not a prefix", "the address of a variable is &r");
    if (t.is("(") && (is_type_word(c_.peek(1)) || is_qualifier(c_.peek(1)) || !space_of(c_.peek(1)).empty())) {
      c_.next();
      qualifiers(true);
      CType type = base_type();
      stars(type);
      c_.expect(")", "a cast is written (int)");
      ExprPtr kid = unary();
      ExprPtr e = make(Expr::Kind::cast, "", begin);
      e->type = type;
      e->kids.push_back(std::move(kid));
      return e;
    }
    return postfix(primary(), begin);
  }

  ExprPtr postfix(ExprPtr e, uint32_t begin) {
    while (true) {
      if (c_.accept("[")) {
        ExprPtr index = comma();
        c_.expect("]");
        ExprPtr out = make(Expr::Kind::index, "[]", begin);
        out->kids.push_back(std::move(e));
        out->kids.push_back(std::move(index));
        e = std::move(out);
      } else if (c_.at("++") || c_.at("--")) {
        const Token op = c_.next();
        ExprPtr out = make(Expr::Kind::postfix, op.text, begin);
        out->kids.push_back(std::move(e));
        e = std::move(out);
      } else if (c_.at(".") || c_.at("->")) {
        unsupported(c_.span(c_.peek()), "structures are not supported", "use one location per member");
      } else {
        return e;
      }
    }
  }

  ExprPtr number(bool negative) {
    const Token t = c_.next();
    Token digits = t;
    bool is_unsigned = false;
    bool is_long = false;
    while (!digits.text.empty()) {
      const char last = digits.text.back();
      if (last == 'u' || last == 'U')
        is_unsigned = true;
      else if (last == 'l' || last == 'L')
        is_long = true;
      else
        break;
      digits.text.remove_suffix(1);
    }
    const uint64_t v = number_value(c_, digits);
    const bool hex = digits.text.size() > 1 && (digits.text[1] == 'x' || digits.text[1] == 'X');
    if (!hex && !is_unsigned && v > k_long_max)
      c_.fail(t, "this number fits no type of C: it is larger than the largest long",
              "add u for a ulong; the least long is -9223372036854775807 - 1");
    ExprPtr e = make(Expr::Kind::number, "", t.begin);
    e->type = type_of_number(v, hex, is_unsigned, is_long);
    e->number = negative ? uint64_t{0} - v : v;
    return e;
  }

  ExprPtr primary() {
    const Token t = c_.peek();
    const uint32_t begin = t.begin;
    if (t.kind == Tok::number) return number(false);
    if (t.is("(")) {
      c_.next();
      if (c_.at("{")) {
        ExprPtr e = make(Expr::Kind::block, "({", begin);
        c_.next();
        while (!c_.at("}")) {
          if (c_.at_end()) c_.fail_expected(c_.peek(), "'})'", "close the statement expression");
          statement(e->body);
        }
        c_.next();
        c_.expect(")", "a statement expression ends in })");
        if (e->body.empty() || e->body.back().kind != Stmt::Kind::expr || !e->body.back().name.empty())
          fail_at(c_.since(begin), "this statement expression has no value",
                  "its last statement must be an expression");
        e->kids.push_back(std::move(e->body.back().value));
        e->body.pop_back();
        e->span = c_.since(begin);
        return e;
      }
      ExprPtr e = comma();
      c_.expect(")", "close the parenthesis");
      return e;
    }
    if (t.kind != Tok::word) c_.fail_expected(t, "an expression", "write a variable, a constant, *x or a call");
    c_.next();
    if (t.is("true") || t.is("false")) {
      ExprPtr e = make(Expr::Kind::number, "", begin);
      e->number = t.is("true") ? 1 : 0;
      e->type = int_type();
      return e;
    }
    if (t.is("NULL")) return make(Expr::Kind::number, "", begin);
    if (c_.accept("(")) {
      ExprPtr e = make(Expr::Kind::call, t.text, begin);
      while (!c_.accept(")")) {
        e->kids.push_back(assignment());
        if (!c_.at(")")) {
          c_.expect(",", "separate arguments with ','");
          if (c_.at(")")) c_.fail_expected(c_.peek(), "an argument", "remove the ',' before it");
        }
      }
      e->span = c_.since(begin);
      return e;
    }
    return make(Expr::Kind::name, t.text, begin);
  }

  Cursor& c_;
  bool cuda_;
  int depth_ = 0;
  int operators_ = 0;
};

}  // namespace

File parse_file(Cursor& c, bool cuda) { return Grammar(c, cuda).file(); }

}  // namespace fencepost::litmus::opencl
