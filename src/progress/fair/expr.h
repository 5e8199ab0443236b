#pragma once
// Expressions of the progress-model language, typed and with every `let` expanded: what a model is made of, and what an
// encoder walks. docs/progress-models.md defines the meaning; evaluate() below is that definition as code (the machines
// run a faster translation of it, held against it by tests).
//
// Values. A set is a bit word; a thread is its id, or k_none; an integer is 64 bits wide and its arithmetic saturates;
// a boolean is 0 or 1. Every evaluation ends: there is no loop but over the threads of a set.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/source.h"
#include "fair/model.h"

namespace fencepost::fair {

enum class Type : uint8_t { set, thread, integer, boolean };
const char* name(Type t);  // "set", "thread", "integer", "boolean"

inline constexpr int64_t k_none = -1;

enum class Op : uint8_t {
  // Leaves. In a closed form only those of the first line and `bound` occur, besides constants.
  live,
  started,
  threads,  // sets; `threads`: all ids of the test
  number,
  truth,
  none,          // constants: `value` is the integer or the boolean
  bound,         // the thread bound by the enclosing quantifier or comprehension number `index` (outermost: 0)
  fair,          // set: F before this update; only where F is a variable
  variable,      // variable number `index`
  event_thread,  // the thread that steps or ends
  instr_location,
  instr_value,
  instr_compared,
  instr_exchanged,
  instr_jumped,
  // One child each.
  element,  // element of the per-thread variable `index`; child: thread (none: 0 or false)
  minimum,
  maximum,    // set -> thread; none of an empty set
  size,       // set -> integer
  id,         // thread -> integer; -1 of none
  thread_of,  // integer -> thread; none outside the ids of the test
  negate,     // integer
  logical_not,
  // Two children.
  unite,
  intersect,
  subtract,  // sets
  add,
  sub,
  mul,  // integers
  equal,
  not_equal,  // both of one type, any
  less,
  less_equal,
  greater,
  greater_equal,  // integers or threads; false where a side is none
  in,
  not_in,  // thread, set; none is in no set
  subset,  // set, set: left is within right
  logical_and,
  logical_or,
  // Binders: domain (a set), body (a boolean over one more bound thread, number `index`).
  comprehension,
  forall,
  exists,
  choose,  // condition, then, else; of one type
  set_of,  // any number of threads; none adds nothing
};

struct Expr {
  Op op = Op::none;
  Type type = Type::thread;
  uint32_t index = 0;
  int64_t value = 0;
  std::vector<Expr> children;
  std::string word;  // the name of a variable or bound thread; a bound one is for printing only
  Span span;
};
// Names of bound threads and layout do not count.
bool operator==(const Expr& a, const Expr& b);

// What an expression is evaluated in. Spans may be empty where an expression cannot need them (a closed form).
struct Environment {
  ThreadSet threads = 0, live = 0, started = 0, fair = 0;
  int64_t event_thread = k_none;
  Step step;
  std::span<const int64_t> variables;     // values; per-thread variables take one word per thread
  std::span<const uint32_t> variable_at;  // where variable i begins in `variables`
};
int64_t evaluate(const Expr& e, const Environment& env);

// As the language writes it, with no more parentheses than needed. `taken`: names that bound threads must not have.
std::string to_text(const Expr& e, const std::vector<std::string>& taken = {});

// Binders within binders at most, and nodes of one model at most, after `let` is expanded.
inline constexpr uint32_t k_max_binders = 6;
inline constexpr uint32_t k_max_nodes = 4'000;

}  // namespace fencepost::fair
