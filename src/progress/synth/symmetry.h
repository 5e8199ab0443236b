#pragma once
// Orbits of programs under the requested symmetries.
#include "synth/code.h"

namespace fencepost::synth {

// The class of a program whose locations are in order: size counts its members with locations in order (other orders of
// threads and other names of values), and `first` says whether the program is its least member.
struct Orbit {
  uint64_t size = 1;
  bool first = true;
};
// Permutations of threads are those that lead to a split of the request.
Orbit orbit_of(const Program& p, const Request& request);

// Numbers of locations that a program with `used` of them may declare, under the request.
std::vector<uint32_t> declared_locations(uint32_t used, const Request& request);
// Programs with `declared` locations that differ from one with `used` of them by names alone.
uint64_t renamings(uint32_t used, uint32_t declared);
// All of them, in order.
std::vector<Program> renamed(const Program& p, uint32_t used, uint32_t declared);

}  // namespace fencepost::synth
