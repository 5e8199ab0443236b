#pragma once
// What every run that counts keeps to, and what is not written into each question: signed arithmetic of the source does
// not overflow (C11 6.5p5: undefined, and so assumed absent), and offsets are less than 2^46 bytes.
//
// The solver is not told beforehand: for a product it costs a second multiplier, and most questions are decided without
// it. A model of a question is looked through instead; the promises that it breaks are added, and the question is asked
// once more. So a counterexample never overflows in the source's own arithmetic, and a question that only an overflow
// answers is answered by `unsat`.
//
// A product of w bits without overflow, in w bits (Gok, Schulte, Arnold: Integer multipliers with overflow detection,
// IEEE Transactions on Computers 55(8), 2006): no set bits i, j of the two magnitudes (one's complement) with
// i + j >= w - 1, and the sign of the result is that of the operands. Tried and lost: the product in 2w bits, which a
// SAT solver does not finish for w = 32, and which a Pool does not have for w = 64.
#include <array>
#include <cstdint>
#include <vector>

#include "formula/pool.h"
#include "formula/solve.h"
#include "ir/ir.h"

namespace fencepost::prove {

class Promises {
 public:
  explicit Promises(formula::Pool& pool) : pool_(pool) {}
  // `a op b` does not overflow where the guard holds: of the thread, at the position.
  void arithmetic(ir::Op op, formula::Term a, formula::Term b, formula::Term guard, int thread, uint32_t position);
  void offset(formula::Term offset, formula::Term guard, int thread, uint32_t position);
  size_t size() const { return all_.size(); }
  // Those from `first` on speak of variables that nothing behind `position` uses.
  void end(size_t first, uint32_t position);

  struct Broken {
    formula::Term claim;  // it is kept
    formula::Term small;  // and with room: sufficient, and easy for a solver
    bool offset = false;
  };
  // Where the guard holds, a * b does not overflow.
  struct Product {
    formula::Term a, b, guard;
  };
  // Those of products when thread t has come to limit[t].
  std::vector<Product> products(std::array<uint32_t, 2> limit) const;
  // Those that the model breaks when thread t has come to limit[t].
  std::vector<Broken> broken(const formula::Model& model, std::array<uint32_t, 2> limit) const;

 private:
  struct Promise {
    ir::Op op = ir::Op::add;
    formula::Term a, b, guard;  // an offset has no b
    uint32_t from = 0, until = ~0u;
    uint8_t thread = 0;
  };
  static bool holds_at(const Promise& p, std::array<uint32_t, 2> limit) {
    return p.from <= limit[p.thread] && limit[p.thread] <= p.until;
  }
  bool kept(const Promise& p, const formula::Model& model) const;
  formula::Term claim(const Promise& p) const;
  formula::Term product(formula::Term a, formula::Term b) const;
  formula::Term between(formula::Term t, int64_t low, int64_t high) const;

  formula::Pool& pool_;
  std::vector<Promise> all_;
};

}  // namespace fencepost::prove
