#pragma once
// Programs that must mean the same as another one, made on its text, so that the readers are held to it as well. What
// is observed goes by other names there; `called` leads back.
#include <functional>
#include <optional>

#include "program.h"

namespace fencepost::fuzz {

struct Variant {
  Program program;
  // An observable of the variant as the original calls it ("0:r1"); empty: the original has none.
  std::function<std::string(const std::string&)> called;
};

// Thread i is thread order[i] of `p`.
Variant permuted(const Program& p, const std::vector<size_t>& order);
// Locations, registers, labels, places and, where no register names one, barriers have other names.
Variant renamed(const Program& p);
// One more location that no thread touches. None: the notation has no way to declare one.
std::optional<Variant> with_location(const Program& p);
// PTX: barriers of one operand are named by a register that was set to the number before; behind a jump that is never
// taken, so that nobody can read the value off the code, if `hidden`. None: there are none, or others as well.
std::optional<Variant> with_register_barriers(const Program& p, bool hidden);
// OPENCL: every compare-exchange from a register expects a value that does not occur; and the same with loads of the
// failure order in their place. None: there is none, or the program writes values that it has read.
std::optional<std::pair<Program, Program>> with_failing_exchanges(const Program& p);

}  // namespace fencepost::fuzz
