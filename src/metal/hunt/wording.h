#pragma once
// The words of a report for one instruction and what is wrong with it.
#include <string>

#include "hunt/gate.h"
#include "hunt/ptx_test.h"

namespace fencepost::hunt {

// What the letter of its place means: "a variable in shared memory"; "" for an instruction without an address.
std::string address_of(const Instruction& i);
// Its address in the kernel of a test: "[%ap+64]"; "" for an instruction without one.
std::string operand_of(const Instruction& i);
// How two addresses of different letters can be one, by the text of the ISA. "" where that is plain, or they cannot.
std::string one_address(const Instruction& a, const Instruction& b);
// "`atom.relaxed.gpu.shared.add.noftz.f16x2` of the constant 1 (its result is unused)"
std::string words_of(const Instruction& i);
// What is wrong with it, as the end of a title: "does not acquire". `merged`: a weak load that has the value of an
// earlier one of its place, although an acquire stands between the two.
const char* title_of(Effect e, const Instruction& i, bool merged);
// What the ISA promises of it, as a sentence without its end.
std::string expected_of(Effect e, const Instruction& i, bool merged);

// In how many things two instructions differ: strength (order and scope, volatile, mmio), space, vector, type,
// operation (whose type goes with it), address, guard, constant, use of the result.
size_t parts_changed(const Instruction& a, const Instruction& b);

}  // namespace fencepost::hunt
