#pragma once
// Programs as the enumeration handles them: small fixed arrays instead of axb::Test, and what of one thread's code
// matters to the other threads.
#include <array>
#include <cstdint>
#include <vector>

#include "synth/synth.h"

namespace fencepost::synth {

inline constexpr uint32_t k_max_threads = 8, k_max_instructions = 12, k_max_locations = 4, k_max_values = 8;
inline constexpr uint32_t k_max_states = 4096;
inline constexpr uint8_t k_no_exchange = 0xff;

struct Ins {
  uint8_t location = 0, check = 0, jump = 0, exchange = k_no_exchange;
  bool exchanges() const { return exchange != k_no_exchange; }
  bool branch(uint32_t pc) const { return jump != pc + 1; }
  auto operator<=>(const Ins&) const = default;
};
struct Code {
  uint8_t length = 0;
  std::array<Ins, k_max_instructions> ins{};
  auto operator<=>(const Code&) const = default;
};
using Program = std::vector<Code>;

// Every instruction that may stand at `pc` of a thread of `length`, over `locations` and `values`, in a fixed order.
std::vector<Ins> alphabet(uint32_t length, uint32_t pc, uint32_t locations, uint32_t values, Constraints constraints);

// What the others see of a thread, and all that the rules between threads need: codes of equal interface are one group.
struct Interface {
  std::array<uint8_t, k_max_locations> order{};   // locations in the order of their first use, each plus 1; then zeros
  uint8_t touched = 0;                            // bit x: names location x
  uint8_t branched = 0;                           // has a branch on x
  uint8_t exchanged = 0;                          // has an instruction on x that exchanges
  std::array<uint8_t, k_max_locations> writes{};  // bit v: may write v to x
  auto operator<=>(const Interface&) const = default;
};
Interface interface_of(const Code& code);

// Values that other threads may write to each location, k_max_values bits each.
using Environment = uint32_t;
static_assert(k_max_locations * k_max_values <= 32);
Environment writes_of(const Interface& i);

// The program with locations renamed so that they first appear in order. `used`: how many.
Program with_locations_in_order(const Program& p, uint32_t* used = nullptr);

bool has_shapes(const Program& p, const std::vector<Shape>& shapes);

axb::Test to_test(const Program& p, uint32_t locations);
Program from_test(const axb::Test& test);  // of a test within the k_max bounds
uint32_t locations_used(const Program& p);

}  // namespace fencepost::synth
