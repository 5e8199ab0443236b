#pragma once
// Which iterations of a program's loops may be left out without losing an answer (docs/semantics.md, Iterations left
// out).
//
// An iteration is idle if it wrote nothing, passed no barrier, and leaves the registers that its loop needs as it found
// them: a failed attempt to take a lock. Without it the program does the same. Whether the memory model agrees is a
// question about its formula: leaving out the events D of idle iterations must not make a relation larger on the
// others, where the axioms forbid, nor smaller, where a flag is raised. Bases on the other events do not change, so
// only compositions whose middle lies in D, and domains and ranges of pairs with D, can lose something; only
// differences and complements can turn that into a gain. `bounds` say which compositions can pass through D.
//
// A silent iteration is one that wrote, but only by read-modify-writes that put back the value which they had read.
// Leaving it out makes their readers read what they had read. For models whose constraints are, letter by letter, those
// for which docs/semantics.md has the proof (`k_proven`), this too loses nothing, if all accesses of the cell are
// mutually ordered. Under other models they are left out of a weaker one (weaker.h).
#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "cat/model.h"
#include "prog/names.h"

namespace fencepost::encode {

struct Reduction {
  bool conditions = false;                // idle iterations may be left out of complete executions
  bool races = false;                     // and of those that raise a flag
  std::vector<std::vector<bool>> silent;  // thread, instruction: an rmw that may be left out when it changes nothing
  bool any_silent() const {
    return std::any_of(silent.begin(), silent.end(),
                       [](const std::vector<bool>& t) { return std::find(t.begin(), t.end(), true) != t.end(); });
  }
};

Reduction reduction_of(const prog::Test& test, const cat::Model& model);

// Instructions whose repeated iterations may be left out (repeats.h), by thread and instruction.
struct Repeats {
  std::vector<std::vector<bool>> conditions;  // out of complete executions, and of endless ones
  std::vector<std::vector<bool>> races;       // and of those that raise a flag
  bool any() const { return any_of(conditions); }
  static bool any_of(const std::vector<std::vector<bool>>& which) {
    return std::any_of(which.begin(), which.end(),
                       [](const std::vector<bool>& t) { return std::find(t.begin(), t.end(), true) != t.end(); });
  }
};

// As far as the formulas and the text of the program say; of read-modify-writes only if `coherent` says of their cell
// (object, index) that no consistent execution interrupts one or shows the cell's accesses out of order.
Repeats repeats_of(const prog::Test& test, const cat::Model& model,
                   const std::function<bool(prog::ObjectId, uint64_t)>& coherent);

// A model about whose formulas there is a proof, told by their fingerprint.
struct Proven {
  const char* model;
  uint64_t fingerprint;
};
std::span<const Proven> proven_silent();   // with flags: silent iterations
std::span<const Proven> proven_repeats();  // constraints alone: repeated iterations
inline bool is_proven(std::span<const Proven> list, uint64_t fingerprint) {
  return std::any_of(list.begin(), list.end(), [&](const Proven& p) { return p.fingerprint == fingerprint; });
}

// A number that two models share only if their constraints and flags (or, without them, their constraints) are the same
// formulas.
uint64_t fingerprint(const cat::Model& model, bool flags = true);

}  // namespace fencepost::encode
