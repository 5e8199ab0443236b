// CaDiCaL 1.5 tells its counts to a reader of its standard output alone: statistics() calls Internal::message() for
// each. The linker puts our function in the place of that one (links.cmake), which takes the numbers themselves. A
// line of a count of zero is left out. Tried: one learnt clause is one conflict (Learner); it is not, since
// preprocessing learns too.
#include <cadical.hpp>
#include <chrono>
#include <cstdarg>
#include <string>
#include <string_view>
#include <utility>

#include "base/trace.h"
#include "sat/solver.h"

namespace {

thread_local bool listening = false;
thread_local std::optional<fencepost::sat::Effort> told;

}  // namespace

extern "C" void __wrap__ZN7CaDiCaL8Internal7messageEPKcz(void*, const char* format, ...);
extern "C" void __wrap__ZN7CaDiCaL8Internal7messageEPKcz(void*, const char* format, ...) {
  if (!listening) return;  // the solver is quiet
  if (!told) told.emplace();
  const std::pair<std::string_view, uint64_t*> counts[] = {
      {"conflicts:", &told->conflicts}, {"decisions:", &told->decisions}, {"propagations:", &told->propagations}};
  for (const auto& [name, count] : counts)
    if (std::string_view(format).starts_with(name)) {
      va_list numbers;
      va_start(numbers, format);
      *count = static_cast<uint64_t>(va_arg(numbers, int64_t));
      va_end(numbers);
    }
}

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

class Cadical final : public Solver {
 public:
  Cadical() {
    solver_.set("quiet", 1);
    // Eliminating variables took 60 % of the time of a compare-and-swap lock under PTX (six threads, one iteration:
    // 28 s with it, 10 s without), and makes no difference on the published rows, the locks and the barriers.
    solver_.set("elim", 0);
  }
  void add_clause(std::span<const Lit> clause) override {
    for (Lit l : clause) solver_.add(l);
    solver_.add(0);
  }
  Answer solve(std::span<const Lit> assumptions, const Job& job) override {
    if (job.out_of_time()) return Answer::unknown;
    const bool traced = trace::on(trace::Room::sat);
    const auto start = traced ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
    OutOfTime watch(job);
    solver_.connect_terminator(&watch);
    for (Lit l : assumptions) solver_.assume(l);
    const int r = solver_.solve();
    solver_.disconnect_terminator();
    const Answer answer = r == 10 ? Answer::sat : r == 20 ? Answer::unsat : Answer::unknown;
    if (traced) tell(answer, assumptions.size(), std::chrono::steady_clock::now() - start);
    return answer;
  }
  bool value(Lit l) const override { return const_cast<CaDiCaL::Solver&>(solver_).val(l) > 0; }
  std::optional<Effort> effort() override {
    told = {};
    listening = true;
    solver_.statistics();
    listening = false;
    return told;
  }

 private:
  // One question. A solver is asked several times, and keeps what it learnt: the effort is that of this one.
  void tell(Answer answer, size_t assumptions, std::chrono::steady_clock::duration took) {
    const char* word = answer == Answer::sat ? "sat" : answer == Answer::unsat ? "unsat" : "out of time";
    std::string line = "question " + std::to_string(++questions_) + ": " + word + ", " +
                       std::to_string(solver_.vars()) + " variables, " + std::to_string(solver_.irredundant()) +
                       " clauses left, " + std::to_string(assumptions) + " assumptions, " +
                       std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(took).count()) + " us";
    if (const auto now = effort()) {
      line += ", " + std::to_string(now->conflicts - before_.conflicts) + " conflicts, " +
              std::to_string(now->decisions - before_.decisions) + " decisions, " +
              std::to_string(now->propagations - before_.propagations) + " propagations";
      before_ = *now;
    }
    trace::say(trace::Room::sat, line);
  }

  CaDiCaL::Solver solver_;
  uint64_t questions_ = 0;  // that were traced
  Effort before_;           // of these
};

}  // namespace

std::unique_ptr<Solver> make_cadical() { return std::make_unique<Cadical>(); }

}  // namespace fencepost::sat
