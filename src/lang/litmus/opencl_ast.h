#pragma once
// Syntax trees of OPENCL litmus tests: what opencl_grammar.cpp reads and opencl_lower.cpp turns into a
// prog::Test. The language is the C of litmus tests (docs/litmus-opencl.md): integers, pointers, structured
// control flow, goto, and the atomic functions of C11 and OpenCL C 2.0.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/source.h"
#include "litmus/lexer.h"
#include "litmus/opencl_type.h"

namespace fencepost::litmus::opencl {

struct Stmt;
struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Expr {
  enum class Kind : uint8_t {
    number,       // number, type
    name,         // op
    unary,        // op: ! - ~ + * & ++ --
    postfix,      // op: ++ --
    binary,       // op: arithmetic and comparisons
    logical,      // op: && ||
    assign,       // op: = += -= ...
    conditional,  // kids: condition, then, else
    cast,         // type, kids[0]
    call,         // op: callee; kids: arguments
    index,        // kids[0][kids[1]]
    comma,        // kids[0], kids[1]
    block,        // ({ body; value; }), the value is kids[0] if there is one
  };
  Kind kind = Kind::number;
  std::string op;
  uint64_t number = 0;
  CType type;
  std::vector<ExprPtr> kids;
  std::vector<Stmt> body;
  Span span;
};

struct Stmt {
  enum class Kind : uint8_t { expr, declare, block, if_, while_, do_, for_, break_, continue_, goto_, label };
  Kind kind = Kind::expr;
  std::string name;             // declare: variable; goto, label: label; expr: label of a barrier, or ""
  CType type;                   // declare
  ExprPtr value;                // expr; declare: initialiser or null; condition (for: may be null)
  ExprPtr step;                 // for
  std::vector<Stmt> init;       // for
  std::vector<Stmt> body;       // block; if: then
  std::vector<Stmt> otherwise;  // if
  bool has_else = false;
  Span span;
};

struct Parameter {
  CType type;         // of the object: the declared type without its last star
  std::string space;  // "global", "local" or ""
  std::string name;
  std::string text;  // "global atomic_int* x"
  Span span;
};

struct Thread {
  uint32_t id = 0;
  std::vector<std::pair<std::string, uint32_t>> scope;  // ("wg", 0), ("dev", 1) as written
  std::vector<Parameter> parameters;
  std::vector<Stmt> body;
  Span span;
};

struct InitValue {
  enum class Kind : uint8_t { constant, address, copy } kind = Kind::constant;
  uint64_t constant = 0;  // 64-bit two's complement
  std::string name;       // address: &name; copy: *name, its initial value
  Span span;
};

struct InitEntry {
  bool is_register = false;
  uint32_t thread = 0;
  std::string name;
  std::optional<CType> type;
  std::optional<uint64_t> cells;  // x[cells]
  bool list = false;              // { .. } given
  std::vector<InitValue> values;  // none: zero
  Span span;
};

struct File {
  std::vector<InitEntry> init;
  std::vector<Thread> threads;
};

// From the first '{' to the question; the cursor is left there.
// `cuda`: the words of CUDA tests (docs/litmus-cuda.md).
File parse_file(Cursor& c, bool cuda);

}  // namespace fencepost::litmus::opencl
