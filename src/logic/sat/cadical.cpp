#include <cadical.hpp>

#include "sat/solver.h"

namespace fencepost::sat {
namespace {

class OutOfTime : public CaDiCaL::Terminator {
 public:
  explicit OutOfTime(const Job& job) : job_(job) {}
  bool terminate() override {
    // The clock is read on every 64th call: CaDiCaL asks often.
    return (++calls_ & 63) == 0 && job_.out_of_time();
  }

 private:
  const Job& job_;
  uint64_t calls_ = 0;
};

// One clause is learned from each conflict. (CaDiCaL 1.5 tells no decisions and no propagations.)
class Learned : public CaDiCaL::Learner {
 public:
  bool learning(int) override {
    ++count;
    return false;  // the literals are not wanted
  }
  void learn(int) override {}
  uint64_t count = 0;
};

class Cadical final : public Solver {
 public:
  Cadical() {
    solver_.set("quiet", 1);
    // Eliminating variables took 60 % of the time of a compare-and-swap lock under PTX (six threads, one iteration:
    // 28 s with it, 10 s without), and makes no difference on the published rows, the locks and the barriers.
    solver_.set("elim", 0);
    solver_.connect_learner(&learned_);
  }
  ~Cadical() override { solver_.disconnect_learner(); }
  void add_clause(std::span<const Lit> clause) override {
    for (Lit l : clause) solver_.add(l);
    solver_.add(0);
  }
  Answer solve(std::span<const Lit> assumptions, const Job& job) override {
    if (job.out_of_time()) return Answer::unknown;
    OutOfTime watch(job);
    solver_.connect_terminator(&watch);
    for (Lit l : assumptions) solver_.assume(l);
    const int r = solver_.solve();
    solver_.disconnect_terminator();
    return r == 10 ? Answer::sat : r == 20 ? Answer::unsat : Answer::unknown;
  }
  bool value(Lit l) const override { return const_cast<CaDiCaL::Solver&>(solver_).val(l) > 0; }
  uint64_t conflicts() const override { return learned_.count; }

 private:
  Learned learned_;
  CaDiCaL::Solver solver_;
};

}  // namespace

std::unique_ptr<Solver> make_cadical() { return std::make_unique<Cadical>(); }

}  // namespace fencepost::sat
