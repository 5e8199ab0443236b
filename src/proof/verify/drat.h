#pragma once
// A checker of DRAT proofs in text form (N. Wetzler, M. Heule, W. Hunt,
// "DRAT-trim", SAT 2014). Lines are clauses that follow, ended by 0, or "d" and
// a clause that is forgotten.
//
// Forwards: each clause must follow by unit propagation (RUP); where it does
// not, every resolvent on its first literal must (RAT). Nothing is forgotten:
// with more clauses RUP proves nothing wrong, and RAT has more to show.
#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace fencepost::verify {

// Why the proof does not refute the clauses, in a few words; "" if it does. Literals beyond `variables` are refused.
std::string check_drat(uint32_t variables, const std::vector<std::vector<int32_t>>& clauses, std::istream& proof);

}  // namespace fencepost::verify
