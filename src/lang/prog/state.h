#pragma once
// Final states: what of an execution can be observed, its order, its text and its hash. Defined once;
// outcomes, logs and devices share it.
//
// Order: registers by thread number, then by register name (natural order, r2 before r10); then memory
// locations by name. Text as herd prints it: "0:r0=1; x=2;" with values in decimal of the register's or object's width,
// signed unless its declared type has no sign. Hash: FNV-1a 64 over the text of the observables, a newline, and the
// text.
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "prog/names.h"

namespace fencepost::prog {

struct Observable {
  bool is_register = true;
  uint32_t thread = 0;
  RegId reg = 0;
  SymbolId symbol = 0;
  uint64_t cell = 0;
  std::string text;  // "0:r0", "x", "a[2]"
  uint8_t width = 64;
  bool is_unsigned = false;
  bool operator==(const Observable&) const = default;
};

// Those named by the condition, the filter and `locations`; every non-temporary register that the code
// writes and every location if none is named.
std::vector<Observable> observables(const Test& test);

struct StateValue {
  bool free = false;   // a value on an rf-data cycle that nothing fixes: printed "?"
  uint64_t value = 0;  // masked to the observable's width
  auto operator<=>(const StateValue&) const = default;
};
using State = std::vector<StateValue>;  // parallel to the observables

std::string to_string(const Observable& o, uint64_t value);  // the value in decimal
std::string to_string(const std::vector<Observable>& obs, const State& s);
uint64_t hash(const std::vector<Observable>& obs, const State& s);

struct StateSet {
  std::set<State> states;
  bool complete = false;  // never use an incomplete set to call something forbidden
};

// A lookup of final values: register of a thread, or memory cell; 64-bit masked values.
struct FinalValues {
  std::vector<std::vector<uint64_t>> registers;  // [thread][register]
  std::vector<std::vector<uint64_t>> memory;     // [object][cell]
  bool operator==(const FinalValues&) const = default;
};
bool holds(const Test& test, const Cond& c, const FinalValues& f);
State state_of(const Test& test, const std::vector<Observable>& obs, const FinalValues& f);

}  // namespace fencepost::prog
