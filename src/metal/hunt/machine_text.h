#pragma once
// Explains the machine code of a fault: by a sentence, by marks beside the rows of its listing, and by what two threads
// can observe if the fault happens. The input is a fault with its listing, the instruction that is wrong, and the
// source line of that instruction. Everything that is said follows from Fault::detail and from the rows.
//
// A row of a listing: address, line, scoreboard that is set, mask of those waited for, "| " and the text.
#include <cstdint>
#include <string>

#include "hunt/gate.h"
#include "hunt/ledger.h"
#include "hunt/ptx_test.h"

namespace fencepost::hunt {

// The effect of this name (name(Effect)).
Effect effect_of(const std::string& word);
// Whether a weak load has the value of an earlier one of its place, although an acquire stands between the two.
bool is_merged(Effect e, const Instruction& i, const PtxTest* t);
// How x is stored where the first load has another width than the second: a race with it is then of one size.
std::string writer_of_merged(Effect e, const Instruction& i, const PtxTest* t);
// What the machine code should have, where no path may go without it. Shared memory of a CTA is seen in its cluster
// alone, so that `.sys` is `.cluster` there (8.3).
std::string missing(Effect e, const Instruction& i);
// Line information of an instruction; of several that are alike, the last.
uint32_t line_of(const PtxTest& t, const Instruction& i);
// A generic address has a path for each space, and the path for shared memory is told by its instructions.
bool names_shared(const Fault& f);
// A MEMBAR that is too weak, and that is of another instruction: the one at fault has none.
bool is_of_another(const Fault& f, Effect e, uint32_t line);
// "goes from A to B", where a gate says "from the begin to B" and A stands on the straight way: an access of an earlier
// instruction behind the last MEMBAR tells more than the begin, before which nothing of the test stands.
Fault with_nearest(Fault f, uint32_t line);
// What the machine code has, in a sentence.
std::string actual_of(const Fault& f, Effect e, const Instruction& i, uint32_t line, bool merged);
// What two threads can observe if the fault happens; "" where that is plain.
std::string seen_of(const Fault& f, Effect e, const Instruction& i, const PtxTest* t, bool merged);
// The listing with a word at the places that the finding names.
std::string marked(const Fault& f, Effect e, const Instruction& i, uint32_t line, bool merged);
// Where a form that is right has what is missing.
std::string marked_right(const std::string& listing, Effect e, bool merged);
// Of the form that is right: says that one elected lane alone executes its MEMBAR, and that nobody tested whether this
// covers the stores of the other lanes. "" if the MEMBAR is not executed so.
std::string elected(const Fault& f, Effect e);
// Whether an instruction of the listing sets a scoreboard.
bool has_scoreboards(const std::string& listing);
// Says that nothing sets the predicate that guards the cache invalidation of an acquire; "" if an instruction of the
// listing does, or there is no such predicate.
std::string unset_predicate(const Fault& f);

}  // namespace fencepost::hunt
