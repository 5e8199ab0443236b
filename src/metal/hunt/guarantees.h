#pragma once
// What an instruction of NVIDIA's machine code is to memory, sm_75 to sm_121: the table of the hunt. NVIDIA documents
// no instruction, so each row has its source: what ptxas makes of PTX whose meaning is documented ("sibling"), and
// counts on a device (BUGS-FOUND.md, docs/hunt.md). An opcode that stands in neither list is unknown, and a kernel that
// has one is not judged.
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "hunt/machine.h"

namespace fencepost::hunt {

enum class Role : uint8_t {
  arithmetic,  // registers only, constants, control; no memory that others see
  read,        // LD LDG LDS LDL
  write,       // ST STG STS STL
  both,        // ATOM ATOMG ATOMS RED REDG
  membar,      // orders all earlier accesses of the thread before all later ones, up to a scope
  invalidate,  // later reads miss in the first-level cache
  barrier,     // BAR, UCGABAR
  view,        // fences of proxies
  control,     // of caches, of errors: no order
};

struct Meaning {
  const char* opcode;  // the part before the first dot
  Role role;
  const char* says;    // a sentence
  const char* source;  // observation or siblings
};
std::span<const Meaning> memory_table();

// Nothing: the opcode is unknown.
std::optional<Role> role_of(const MachineInstruction& i);

// How far an access or a fence reaches: 0 the thread itself (weak), 1 CTA, 2 GPU (and cluster), 3 system, 4 system and
// exactly once (MMIO).
uint32_t reach_of(const MachineInstruction& i);
bool is_sequential(const MachineInstruction& membar);  // MEMBAR.SC
uint32_t width_of(const MachineInstruction& i);        // bits of an access

}  // namespace fencepost::hunt
