#pragma once
// Strong fairness of a scheduler (docs/semantics.md, Strong fairness), which a progress model asks for by its name:
// "strong:OBE". Beside what the model promises (progress.h), a step that a promised thread could take again and again
// from one and the same state is taken. It speaks of who steps and not of what memory returns: a read returns the
// newest write of its location.
//
// Every strongly fair execution is fair in the plain sense, so that a test that ends without the word ends with it.
#include <optional>
#include <vector>

#include "reference/lasso.h"
#include "reference/progress.h"

namespace fencepost::reference {

inline constexpr const char* k_strong = "strong:";
inline constexpr const char* k_weak = "weak:";  // the default, said aloud

inline bool is_strong(const Progress& p) { return p.name.starts_with(k_strong); }
// The same promise without the word.
Progress weakly(Progress p);

// The threads that the scheduler promises to run whatever else it does. nullopt: the promise is no set of threads,
// since models choose among groups of several threads; strong fairness is not defined there.
std::optional<std::vector<bool>> promised(const ScopeTree& tree, const Progress& progress,
                                          const std::vector<bool>& schedulable, const std::vector<bool>& started);

// Whether a lasso that the judge confirms is strongly fair for a reason that can be read off it:
// - Nobody is promised anything, so nothing obliges the scheduler to leave any cycle.
// - One thread runs alone: from each state of its round the one step that is promised is in the round.
// - No round writes. Then the newest writes, and with them what each step reads and does, are the same for ever. Let
//   the threads that run take their steps in every order again and again: each goes round its own loop, which is the
//   same execution, and from each state every step of a promised thread is taken, for these are among those that run.
// Else nothing is said: what a step reads may depend on when it is taken.
bool surely_strong(const prog::Test& test, const Lasso& lasso, const Progress& progress,
                   const std::vector<bool>& schedulable, const std::vector<bool>& started);

}  // namespace fencepost::reference
