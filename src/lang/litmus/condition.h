#pragma once
// The question at the end of a litmus test:
//   [locations [ v ; v ... ]] [filter C] [exists C | ~exists C | not exists C | forall C | final C with ...]
//   C := C \/ C | C /\ C | ~C | not C | ( C ) | true | false | v op v      binding: ~ over /\ over \/
// GPU_PTX also writes C & C for C /\ C, as the 2014 thesis does (section 3.1).
//   op := = == != < <= > >=                  on 64 bits, after extension by the sign of the declared type
//   v := P0:r1 | 0:r1 | x | [x] | x[3] | s@P0 | &x | constant (decimal, 0x..)
// s@P0 is the s of P0's work-group, of local memory that each has for itself (prog::Symbol::instances).
// In C the two sides are converted as C's usual arithmetic conversions do, and a constant that is no value of the type
// on the other side is an error: the comparison would be true or false by itself.
// A location on the left is its final value; a bare location on the right is its *address*, as in the
// corpora of the published GPU tool. `&x` is the address on either side.
#include <functional>

#include "litmus/lexer.h"
#include "prog/test.h"

namespace fencepost::litmus {

// How names become values. Both throw ParseError (fail_at) for a name that does not exist.
struct Resolver {
  std::function<prog::RegId(uint32_t thread, std::string_view name, const Span&)> reg;  // thread < number of threads
  std::function<prog::SymbolId(std::string_view name, const Span&)> symbol;
  // A register that `reg` has found; if not set, registers have 64 bits and a sign.
  std::function<const prog::Register&(uint32_t thread, prog::RegId reg)> registers;
  // If set, every bare name is what this says, on either side (notations whose registers need no thread).
  std::function<prog::CondValue(std::string_view name, const Span&)> bare;
  uint32_t threads = 0;
};

// Names as they stand in a test whose threads and symbols are complete. The test must outlive the resolver.
Resolver resolver_of(const prog::Test& test);

// One condition, from the cursor to where it ends.
prog::Cond parse_condition(Cursor& c, const prog::Test& test, const Resolver& r);

// All that may follow the code, to the end of the text; fills locations, filter, quantifier, condition.
void parse_question(Cursor& c, prog::Test& test, const Resolver& r);

// Warnings about the question: a bare location on the right of a comparison, where nothing in the test holds an
// address.
Diagnostics question_warnings(const prog::Test& test);

// True at a word that starts the question: locations filter exists forall final not ~
bool at_question(Cursor& c);

// Conjunction or disjunction, flattened: nested kids of the same kind are merged, one kid stays alone.
prog::Cond join_conditions(prog::Cond::Kind kind, std::vector<prog::Cond> kids);
prog::Cond negate(prog::Cond c);

}  // namespace fencepost::litmus
