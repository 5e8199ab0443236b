#pragma once
// Axioms about functions that a kernel declares (DECLARE_UF_*), written in a file of their own (--boogie-file):
//   type T = bv32;
//   function {:bvbuiltin "bvule"} ULE(T, T) : bool;
//   axiom (forall x, y : T :: { A(x, y) } ULE(x, A(x, y)));
// The notation is the part of Boogie that the reference's users write: types of bit-vectors and truth, functions that
// are SMT-LIB's (`bvbuiltin`), the reference's names of machine operations (BV32_ADD, FADD32 ...), comparisons and
// connectives, `if then else`, and axioms that are universally quantified at their top.
//
// Meaning: an axiom is taken for granted. It is instantiated where a pattern { ... } occurs among the terms of the
// kernel, again for what instances bring, up to a limit: fewer instances can only cost a proof, never make one.
// Pointers to functions and other pointers are one kind here, so casts between them (FUNCPTR_TO_PTR, PTR_TO_FUNCPTR)
// change nothing. Errors: what does not parse, has widths that do not fit, or is outside the part (`exists`, arithmetic
// of integers, a quantifier below the top, an axiom without a usable pattern) is a diagnostic with its place.
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "formula/pool.h"

namespace fencepost::prove {

struct AxiomTerm {
  enum Kind : uint8_t { variable, constant, apply } kind = constant;
  uint32_t number = 0;   // variable
  uint64_t bits = 0;     // constant
  uint8_t width = 0;     // 1: truth
  std::string function;  // apply: of the kernel, or "=bvule": an operation of SMT-LIB, "=ite", "=and", "=extract" ...
  std::vector<AxiomTerm> kids;
};

struct Axiom {
  std::vector<uint8_t> variables;                // their widths
  std::vector<std::vector<AxiomTerm>> patterns;  // each a set of terms that holds all variables
  AxiomTerm body;
  Span span;
};

Expected<std::vector<Axiom>> parse_axioms(const SourcePtr& file);

// Instances for the terms that the pool holds now, each of width 1 and true. `most`: no more than so many.
std::vector<formula::Term> instances(formula::Pool& pool, const std::vector<Axiom>& axioms, size_t most = 2000);
// The pool's name of a function of the kernel.
std::string function_symbol(const std::string& name, uint8_t width, const std::vector<uint8_t>& operands);

}  // namespace fencepost::prove
