#pragma once
// A second opinion on questions: the same formula as SMT-LIB 2 text (logic QF_UFBV), given to a solver that is found on
// PATH and run as a child process, and its answer held against ours; and the text in a folder, for whoever wants to
// look.
//
// What it covers: bit-blasting, the SAT solver, congruence of functions, facts that belong together. What it does not
// cover: the rewriting that made the terms, of which the text is written afterwards (tests hold that against
// evaluation), and questions that rewriting alone has answered, which leave no text.
//
// One Second is shared by all threads of a proof.
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/child.h"
#include "base/diagnostic.h"
#include "formula/solve.h"

namespace fencepost::formula {

// The conjunction as one SMT-LIB script that ends in (check-sat). Widths become bit-vectors, width 1 too.
std::string smt_text(const Pool& pool, const std::vector<Term>& conjunction);

class Second {
 public:
  struct Setup {
    std::string solver;     // z3, cvc5 or bitwuzla; "": none is asked
    std::string dump;       // a folder for the questions; "": none
    uint32_t seconds = 10;  // for one question
  };
  // An error when the solver is not on PATH or the folder cannot be made.
  static Expected<std::shared_ptr<Second>> make(const Setup& setup);

  // Called with what we have answered; `unknown` is not asked.
  void hear(const Pool& pool, const std::vector<Term>& conjunction, Answer ours);

  struct Told {
    uint64_t agreed = 0, disagreed = 0, unanswered = 0, dumped = 0;
    double seconds = 0;                      // of the solver
    std::vector<std::string> disagreements;  // "z3 says sat, we say unsat: FILE", the first few
    std::string fault;                       // the solver did not understand something: what it said
    std::string lost;                        // a question did not reach its file whole: why
  };
  Told told() const;

 private:
  explicit Second(const Setup& setup) : setup_(setup) {}
  Setup setup_;
  std::string program_;
  ScratchFolder scratch_;
  mutable std::mutex guard_;
  Told told_;
  uint64_t next_ = 0;
};

}  // namespace fencepost::formula
