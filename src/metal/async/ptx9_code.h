#pragma once
// The PTX of one thread of a test with asynchronous instructions. Inside async only; ptx9.h says what is made of
// it.
//
// Instructions are written as the test has them, qualifier by qualifier, with registers in place of locations. Every
// one of them adds its own parameter, 0 in every launch, to its addresses, so that no assembler knows two to be equal.
// A jump back ends with the limit of the launch; what such a thread has read is then not told. `.loc` gives the
// instruction itself a line of its own, as in kernel_ptx.h; what makes its operands, and all else, has k_frame_line.
#include <cstdint>
#include <string>
#include <vector>

#include "async/ptx9_layout.h"
#include "emit/kernel_ptx.h"

namespace fencepost::async::ptx9 {

// Slots of `opaque`, 8 bytes each: the zero of kept dependencies (emit/ptx_code.h), then one for each instruction.
inline constexpr uint32_t k_zero_slot = 0, k_first_slot = 1;

// What a text needs: PTX ISA version * 10, and the compute capability * 10 of a target with the suffix `a`.
struct Needs {
  uint32_t version = 80, sm = 90;
  void also(const Needs& n) {
    version = version > n.version ? version : n.version;
    sm = sm > n.sm ? sm : n.sm;
  }
};
Needs needs_of(const std::string& mnemonic);

struct Code {
  std::string text;  // in a scope of its own; ends by falling through
  Needs needs;
  uint32_t slots = 0;  // the first that is free afterwards
  std::vector<emit::PtxSite> sites;
};

// The caller's scope has %lane (b32), %memory, %aliases, %values (b64: addresses of this instance's record, of the same
// memory under its other addresses, and of the table of map values), %limit (b64: nanoseconds), %gaveup (b32) and the
// variable shared_memory. `record`: the byte in `out` of each observable register, by its number; the address is %out.
struct Told {
  prog::RegId reg = 0;
  uint32_t at = 0;
};
Code code_of(const prog::Test& test, const Layout& layout, uint32_t thread, const std::vector<Told>& told,
             uint32_t first_slot);

}  // namespace fencepost::async::ptx9
