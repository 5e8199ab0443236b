#pragma once
// Progress litmus tests: threads of atomic exchange-branch instructions ("Specifying and Testing GPU Workgroup
// Progress Models", OOPSLA 2021, section 4.1). One instruction is one indivisible step:
//
//   AXB(checkLoc, checkVal, jumpInst, doExch, exchVal)
//     old := mem[checkLoc];  if doExch: mem[checkLoc] := exchVal;  pc := old == checkVal ? jumpInst : pc + 1
//
// A thread ends when its pc reaches the end of its code, by a jump or by falling off. A plain store is an exchange
// whose jump goes to the next instruction (its checkVal does not matter and is 0). Equality ignores spans.
//
// Beside the paper's instruction there is the compare-and-swap, as one step too:
//
//   CAS(checkLoc, checkVal, jumpInst, exchVal[, unless])
//     old := mem[checkLoc];  if old == checkVal: mem[checkLoc] := exchVal;
//     pc := (old == checkVal) != unless ? jumpInst : pc + 1
//
// Synthesis makes none. Barriers are notation: the reader writes them out as stores and checks (text.cpp).
#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"

namespace fencepost::axb {

using Value = uint32_t;

struct Instr {
  uint32_t location = 0;   // index into Test::locations
  Value check = 0;         // checkVal
  uint32_t jump = 0;       // pc within the same thread; code.size() is the end
  bool exchanges = false;  // doExch
  Value value = 0;         // exchVal; 0 when it does not exchange
  bool compares = false;   // a compare-and-swap: exchanges only where the old value is `check`
  bool unless = false;     // of a compare-and-swap: jumps where it did not exchange
  Span span;
  bool operator==(const Instr&) const = default;
};

struct Thread {
  std::vector<Instr> code;  // may be empty: such a thread has ended before it starts
  Span span;
  bool operator==(const Thread&) const = default;
};

struct Location {
  std::string name;
  Value init = 0;
  bool operator==(const Location&) const = default;
};

struct Test {
  std::string name;                  // "2t3i/22" for the published tests; may be empty
  std::string config;                // published configuration, "2t3i"; else empty
  std::vector<std::string> remarks;  // comment lines before the first thread, without their comment sign
  std::vector<Location> locations;
  std::vector<Thread> threads;  // thread ids are indices: the order that HSA, OBE and LOBE mean
  Span span;
  bool operator==(const Test&) const = default;
};

inline bool is_store(const Instr& i, uint32_t pc) { return i.exchanges && !i.compares && i.jump == pc + 1; }

// What an instruction does where its location holds `old`.
inline bool writes(const Instr& i, Value old) { return i.exchanges && (!i.compares || old == i.check); }
inline bool jumps(const Instr& i, Value old) { return (old == i.check) != i.unless; }
// Whether any thread has a compare-and-swap.
bool has_compare_and_swap(const Test& test);

// At most 64 threads, so that a set of threads is one word.
inline constexpr uint32_t k_max_threads = 64;

// ---- reading ---------------------------------------------------------------------------------------------------
// Reads any of the three forms, told apart by the text: our own (docs/progress.md), the published pseudo-code
// ("THREAD0", "atomic_exch_branch(...)"), or one or more JSON lines {"config","id","threads":[[[loc,check,jump,doExch,
// exch],...],...]} (also "name", "locations", "init", "remarks"; further fields ignored). Our own text may hold several
// tests. Locations that have only a number are named x y z w m4 m5 .... Errors are located.
Expected<std::vector<Test>> parse(const SourcePtr& source);
Expected<std::vector<Test>> parse_file(const std::string& path);  // "-": standard input

// What holds of every Test that the readers return and that callers may rely on: locations and jumps in range, 1 to 64
// threads, distinct location names that are no keywords, remarks of one line, value 0 where nothing is exchanged and
// check 0 at a store. For tests made by hand.
Expected<void> validate(const Test& test);

// ---- printing --------------------------------------------------------------------------------------------------
// Of valid tests. parse(to_text(t)) == t and parse(to_json_line(t)) == t. Pseudo-code has no names and no remarks; it
// keeps initial values in lines INIT(location,value), which it needs only for values other than 0 and unused locations.
std::string to_text(const Test& test);         // our own form
std::string to_pseudo_code(const Test& test);  // the published form
std::string to_json_line(const Test& test);    // one line without its newline; published tests come out as published
// One instruction as a person reads it: "if (exch(x, 1) == 1) goto 0;", "x = 1;", "if (x == 0) goto end;"
std::string to_string(const Test& test, uint32_t thread, uint32_t pc);

// A key equal for tests equal up to the names of locations, comments and the test's name. With `locations`, also up to
// a permutation of locations; with `threads`, also up to a permutation of threads.
std::string canonical_key(const Test& test, bool locations, bool threads);

}  // namespace fencepost::axb
