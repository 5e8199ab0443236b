#pragma once
// An expression made ready to run: flat nodes, and binders turned into word operations where that is possible, so that
// { t in live | t <= max started } is a mask, not a loop. Equal to evaluate() of the expression it was made from, for
// sets `live`, `started`, `fair` within `threads`.
//
// How a binder goes away. For a condition P over the bound thread u, word(P) has bit u set iff P(u):
//   P without u             all bits or none          u in S                   S
//   u < T, T without u      the bits below T          P and Q, P or Q, not P   &, |, ~
//   exists v in S : u <= v  the bits up to max S      forall v in S : u <= v   the bits up to min S; all if S is empty
// then { u in D | P } is D & word(P), and exists / forall ask whether D & word(P) / D & ~word(P) has a bit. A condition
// that fits no line keeps its loop over the threads of D.
#include <cstdint>
#include <optional>
#include <vector>

#include "base/diagnostic.h"
#include "fair/expr.h"

namespace fencepost::fair {

class Code {
 public:
  Code() = default;
  explicit Code(const Expr& e);
  int64_t run(const Environment& env) const;
  bool loops() const;  // some binder kept its loop

  enum class Act : uint8_t {
    constant,
    live,
    started,
    threads,
    fair,
    bound,
    variable,
    event_thread,
    location,
    value,
    compared,
    exchanged,
    jumped,
    element,
    minimum,
    maximum,
    size,
    thread_of,
    negate,
    logical_not,
    singleton,
    complement,
    mask,
    nonempty,
    empty,
    below,
    up_to,
    above,
    from,
    unite,
    intersect,
    subtract,
    add,
    sub,
    mul,
    equal,
    not_equal,
    less,
    less_equal,
    thread_less,
    thread_less_equal,
    in,
    subset,
    logical_and,
    logical_or,
    loop_set,
    loop_forall,
    loop_exists,
    choose
  };
  struct Node {
    Act act = Act::constant;
    uint32_t index = 0;            // variable, or bound thread
    uint32_t a = 0, b = 0, c = 0;  // children
    int64_t value = 0;
  };

 private:
  uint32_t emit(Act act, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0);
  uint32_t constant(int64_t value);
  uint32_t compile(const Expr& e);
  uint32_t leaf(const Expr& e);
  uint32_t compare(const Expr& e);
  uint32_t binder(const Expr& e);
  std::optional<uint32_t> word(const Expr& p, uint32_t u);
  std::optional<uint32_t> word_of_order(Op op, const Expr& limit);
  std::optional<uint32_t> word_of_inner(const Expr& p, uint32_t u);

  std::vector<Node> nodes_;
  uint32_t root_ = 0;
};

}  // namespace fencepost::fair
