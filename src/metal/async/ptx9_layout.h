#pragma once
// Where a test with asynchronous PTX lies on a device, and which of its registers can be told. Inside async only;
// ptx9.h says what is made of it.
//
// One instance of the test has a cluster of CTAs for each cluster of the test, and each of its threads is a lane of its
// own. Objects in shared memory have the same place in every CTA; those of global memory lie in a record of the
// instance. Every object has 128 bytes: a bulk copy moves 16 of them, and a tensor map has 128. The two locations of a
// vector access (8.2.4) are neighbours in one such place.
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "plan/tree.h"
#include "prog/state.h"
#include "prog/test.h"

namespace fencepost::async::ptx9 {

inline constexpr uint32_t k_place_bytes = 128;
inline constexpr uint32_t k_most_map_values = 16;  // values that a tensor map can have

struct Place {
  bool shared = false;
  uint32_t at = 0;     // byte in the CTA's shared memory, or in the record of the instance
  uint32_t block = 0;  // shared: of the tree
};

struct Layout {
  plan::Tree tree;
  uint32_t ranks = 1;                         // CTAs of a cluster of the launch
  std::vector<Place> objects;                 // by object
  std::vector<bool> maps;                     // by object: read as a tensor map
  std::vector<std::set<prog::RegId>> tokens;  // by thread: registers that hold the opaque state of an mbarrier
  uint32_t shared_bytes = 0, memory_bytes = 0;
  std::vector<prog::Observable> observables;
  std::vector<std::string> untold;  // observables whose value is opaque: "m is an mbarrier object"
  std::string no_program;           // why no program launches the kernel, which is written all the same; "": one does
};

// Thrown inside async; ptx9.cpp makes it an error.
struct Refused {
  Diagnostics why;
};
[[noreturn]] void refuse(const Span& span, std::string what, std::string hint = {});

// The words of a written operand list: "[s], [g], 16, [m]" is "[s]" "[g]" "16" "[m]".
std::vector<std::string> operands_of(const prog::Instr& i);
prog::SymbolId symbol_of(const prog::Test& test, const std::string& bracket);  // of "[s]" and "[map, {0}]"; or k_none
std::vector<prog::SymbolId> symbols_of(const prog::Test& test, const std::string& bracket);  // of "[{s, t}]" all

Layout layout_of(const prog::Test& test);

}  // namespace fencepost::async::ptx9
