#pragma once
// A parsed model, and the parts of the room that work on it. Private to the room and its tests.
#include "fair/code.h"
#include "fair/expr.h"
#include "fair/model.h"

namespace fencepost::fair {

struct Variable {
  std::string name;
  Type type = Type::set;
  bool per_thread = false;
  int64_t low = 0, high = 0;  // of an integer: values outside are a fault of the model
  Expr init;
  Code init_code;
  Span span;
  bool operator==(const Variable& o) const {
    return name == o.name && type == o.type && per_thread == o.per_thread && low == o.low && high == o.high &&
           init == o.init;
  }
};

struct Statement {
  enum class Kind : uint8_t { set_fair, set_variable, set_element, branch };
  Kind kind = Kind::set_fair;
  uint32_t variable = 0;
  std::vector<Expr> index;  // set_element: the one thread expression
  Expr value;               // branch: the condition
  Code index_code, value_code;
  std::vector<Statement> then_part, else_part;
  Span span;
  bool operator==(const Statement& o) const {
    return kind == o.kind && variable == o.variable && index == o.index && value == o.value &&
           then_part == o.then_part && else_part == o.else_part;
  }
};

struct Handler {
  bool present = false;
  std::string thread_word, instr_word;
  std::vector<Statement> body;
  Span span;
};

// Which parts of a model's surroundings it reads.
inline constexpr uint8_t k_location = 1, k_value = 2, k_compared = 4, k_exchanged = 8, k_jumped = 16;
enum class StartedUse : uint8_t { never, maximum_only, any };

struct Model::Impl {
  std::string name, summary, comment;  // comment: the lines before the first word, without their signs
  bool stores_fair = false;            // var fair = ...: changed by assignments only
  Expr fair;                           // initial F, or F at every point
  Code fair_code;
  Span fair_span;
  std::vector<Variable> variables;
  Handler on_step, on_terminate;
  uint8_t instr_fields = 0;
  StartedUse started_use = StartedUse::never;

  bool machine() const { return stores_fair || !variables.empty(); }
};

uint32_t nodes_of(const Expr& e);
uint32_t binders_of(const Expr& e);  // how many are within one another
void deepen(Expr& e, uint32_t by);   // renumbers binders for a place within `by` further ones

// Fills in what follows from the parsed parts: summary, started_use, all code.
void prepare(Model::Impl& m);

}  // namespace fencepost::fair
