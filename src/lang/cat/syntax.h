#pragma once
// Private to the room: the syntax tree of cat files. Expressions live in one pool and refer to each other by
// index; the operands of an expression are a linked list (`first`, then `next` of each).
#include <deque>

#include "cat/lexer.h"

namespace fencepost::cat {

enum class Role : uint8_t { main, included, stdlib, prelude };

struct File {
  SourcePtr source;
  Role role = Role::main;
  std::vector<Header> headers;
  std::vector<Token> title_words;  // bare words before and after the quoted title
  std::string title;
};

using ExprId = uint32_t;
inline constexpr ExprId k_no_expr = 0;  // expression 0 is never a real one

enum class ExprKind : uint8_t {
  name,       // see Resolution
  empty_any,  // {}
  union_,
  inter,
  diff,
  seq,
  product,  // two operands
  complement,
  inverse,
  plus,
  star,
  opt,
  square,
  ident,     // one operand
  apply,     // operand 0 is the function, the others one group of arguments
  fun,       // `lets[payload]` has one binding: parameters and body
  let_in,    // `lets[payload]`, operand 0 is the body
  try_with,  // operand 0, or operand 1 when a name in operand 0 is unknown
};

// What a name stands for; filled in by `resolve`.
enum class Resolution : uint8_t {
  unresolved,
  global,  // value: binder
  local,   // value: slot, depth: frames to go up
  tag,
  base,  // value: the enumerator
  everything,
  memory,
  zero,
  emptyset,
  fn_domain,
  fn_range,
  fn_toid,
  fn_new_set,
  fn_new_relation,
  unknown,  // reported
};

struct Expr {
  ExprKind kind = ExprKind::name;
  Resolution resolution = Resolution::unresolved;
  uint16_t depth = 0;
  uint16_t file = 0;
  uint16_t height = 0;  // of the tree below; bounded by the parser
  uint32_t begin = 0;   // in the file's text
  uint32_t end = 0;
  uint32_t at = 0;  // the operator, for messages about it
  ExprId first = k_no_expr;
  ExprId next = k_no_expr;
  Symbol symbol = 0;     // name
  uint32_t value = 0;    // of the resolution
  uint32_t payload = 0;  // fun, let_in: index into `lets`
};

using BinderId = uint32_t;

struct Parameter {
  Symbol symbol = 0;
  uint32_t begin = 0;
  uint32_t end = 0;
  BinderId binder = 0;
};

// `name group... = body`, as in  let f (a, b) c = body : two groups. No groups: a value.
struct Binding {
  Symbol symbol = 0;
  uint32_t begin = 0;  // the name
  uint32_t end = 0;
  BinderId binder = 0;
  std::vector<std::vector<Parameter>> groups;
  ExprId body = k_no_expr;
};

struct Let {
  bool recursive = false;
  uint16_t file = 0;
  std::vector<Binding> bindings;  // `and` joins them
};

struct Label {
  Symbol symbol = 0;
  uint32_t begin = 0;
  uint32_t end = 0;
  bool present() const { return end != 0; }
};

struct ShowItem {
  ExprId expr = k_no_expr;
  Label label;
};

enum class StatementKind : uint8_t { let, axiom, show, include, procedure, call, ignored };

struct Statement {
  StatementKind kind = StatementKind::let;
  uint16_t file = 0;
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t let = 0;  // let
  AxiomKind axiom = AxiomKind::acyclic;
  bool negated = false;  // undefined_unless has been folded in
  bool flag = false;
  ExprId expr = k_no_expr;  // axiom
  Label label;              // axiom, call
  std::vector<ShowItem> shows;
  std::string include;  // without quotes
  Symbol symbol = 0;    // procedure, call
  uint32_t name_begin = 0;
  uint32_t name_end = 0;
  std::vector<Parameter> parameters;  // procedure
  std::vector<Statement> body;        // procedure
  std::vector<ExprId> arguments;      // call
  uint32_t procedure = 0;             // call: index into Program::procedures, filled in by `resolve`
};

// Every place that binds a name. `uses` counts occurrences outside the binding's own recursion.
enum class BinderKind : uint8_t { definition, parameter, local, procedure };
struct Binder {
  BinderKind kind = BinderKind::definition;
  Symbol symbol = 0;
  uint16_t file = 0;
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t uses = 0;
  uint32_t replaces = 0;  // the definition of the same name that this one hides, + 1; or 0
};

struct Program {
  Symbols symbols;
  std::vector<File> files;
  std::vector<Expr> exprs{1};
  std::deque<Let> lets;  // references stay valid while parsing goes on
  std::vector<Binder> binders;
  std::deque<Statement> statements;  // of all files, includes replaced by what they include, in order
  std::vector<const Statement*> procedures;
  std::vector<std::pair<std::string, std::string>> variants;  // question, answer

  Span span(uint16_t file, uint32_t begin, uint32_t end) const { return {files[file].source, begin, end}; }
  Span span(const Expr& e) const { return span(e.file, e.begin, e.end); }
  Span span(const Binder& b) const { return span(b.file, b.begin, b.end); }
  std::string name(Symbol s) const { return std::string(symbols.text(s)); }
};

// Adds the expressions of the file to `program` and returns its statements; title and headers go into the File.
// After a syntax error parsing goes on at the next statement, so that one run reports several.
std::vector<Statement> parse(Program& program, uint16_t file, Findings& findings);

}  // namespace fencepost::cat
