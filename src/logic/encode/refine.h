#pragma once
// The lazy alternative to model.h for programs with very many undetermined pairs (a hundred threads of
// sequentially consistent fences): clauses for the program only; each model of them is evaluated, and every
// violation found is generalised to a clause over base literals by deriving the offending edges ("CAAT",
// T. Haas, R. Meyer, H. Ponce de Leon, OOPSLA 2022). Differences and complements are explained by absences.
//
// Clauses are consequences of the axioms, so unsatisfiability is final; a model without violation is
// consistent. Flags and models with `let rec` are not handled here: `suits` says so.
#include <functional>
#include <set>

#include "bounds/bounds.h"
#include "cat/model.h"
#include "encode/program.h"
#include "vocab/vocab.h"

namespace fencepost::encode {

class LazyModel {
 public:
  // `base`: bounds of the base relations; `literal`: the literal of a base pair.
  using BaseLiteral = std::function<Lit(vocab::Base, uint32_t, uint32_t)>;
  LazyModel(const cat::Model& m, ProgramEncoding& p, Circuit& c, const bounds::BaseBounds& base, BaseLiteral literal)
      : m_(m), p_(p), c_(c), base_(base), literal_(std::move(literal)), static_(bounds::compute(m, base)) {}

  static bool suits(const cat::Model& m) { return m.groups.empty(); }

  // Adds clauses against the violations of the assignment; false when there is none.
  bool refine(const std::function<bool(Lit)>& value);

 private:
  using Reason = std::set<Lit>;  // literals that hold in the assignment and together entail the fact
  void present(cat::NodeId id, uint32_t i, uint32_t j, Reason& why);
  void absent(cat::NodeId id, uint32_t i, uint32_t j, Reason& why);
  void present_set(cat::NodeId id, uint32_t i, Reason& why);
  void absent_set(cat::NodeId id, uint32_t i, Reason& why);
  void holds(Lit l, Reason& why) const;
  void path(cat::NodeId step, uint32_t i, uint32_t j, Reason& why);
  bool in(cat::NodeId id, uint32_t i, uint32_t j) const { return now_.node[id].may.test(i, j); }
  bool in_set(cat::NodeId id, uint32_t i) const { return now_.node[id].may_set.test(i); }
  void learn(const Reason& why, std::set<std::vector<Lit>>& learned);

  const cat::Model& m_;
  ProgramEncoding& p_;
  Circuit& c_;
  const bounds::BaseBounds& base_;
  BaseLiteral literal_;
  bounds::Bounds static_;  // bounds without an assignment: what lies outside may needs no reason
  bounds::Bounds now_;     // exact values under the current assignment (may == must)
  bounds::BaseBounds exact_;
};

}  // namespace fencepost::encode
