#pragma once
// Inline assembly whose effect is not wholly known stands as calls of functions without a body, which are named
// "__fencepost_assembly KIND INSTRUCTION":
//   value       its results are any values; it accesses no memory but what stands beside it;
//   waits       and it may make a thread wait, so that it orders accesses in ways that are not used;
//   barrier     it uses an mbarrier, of which the access that comes next is the state; its arguments are numbers;
//   unfollowed  and it may access memory that its operands do not name. Nothing is proved of a kernel with one.
// A run that comes to one shows nothing: its values are made up.
#include <optional>
#include <string_view>

#include "ir/ir.h"

namespace fencepost::ir {

inline constexpr std::string_view k_assembly = "__fencepost_assembly ";

struct AssemblyEffect {
  std::string_view kind, instruction;
};

// None: it is another function.
inline std::optional<AssemblyEffect> assembly_effect(const Function& f) {
  std::string_view name = f.name;
  if (!name.starts_with(k_assembly)) return std::nullopt;
  name.remove_prefix(k_assembly.size());
  const size_t end = name.find(' ');
  AssemblyEffect e{name.substr(0, end), name.substr(end + 1)};
  return e;
}

}  // namespace fencepost::ir
