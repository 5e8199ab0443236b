// Faults that are known and have an entry in BUGS-FOUND.md, so that new ones stand out.
#include <string>

#include "hunt/conduct.h"

namespace fencepost::hunt {
namespace {

// Operations that shared memory does not have, so that they become a loop of ATOMS.CAST.
bool is_loop_in_shared(const Instruction& i) {
  if (i.kind != Kind::atomic && i.kind != Kind::reduction) return false;
  if (i.operation == "exch" || i.operation == "cas") return false;
  return i.bits() == 64 || i.type.starts_with("f") || i.type.starts_with("bf");
}

const char* provenance(char place) {
  switch (place) {
    case 's':
    case 't':
      return "shared";
    case 'h':
      return "generic, known to be shared";
    case 'c':
      return "shared of the cluster";
    case 'u':
      return "generic";
    case 'k':
      return "generic, known to be global";
    case 'l':
      return "local";
    default:
      return "global";
  }
}

}  // namespace

std::string signature_of(const std::string& effect, const Instruction& i) {
  std::string family = i.words.substr(0, i.words.find('.'));
  if (!i.is_access()) return effect + " " + i.words;
  if (i.kind >= Kind::atomic) family = is_loop_in_shared(i) ? "atom or red, a loop in shared memory" : "atom or red";
  if (i.mmio) family += ".mmio";
  if (i.is_volatile) family += ".volatile";
  if (i.vector > 1) family += ", vector";
  const bool order =
      effect == "no-membar" || effect == "weak-membar" || effect == "no-invalidate" || effect == "no-wait";
  const std::string scope = !order ? "" : i.scope == Scope::cta ? ", scope cta" : ", scope above cta";
  return effect + " " + family + ", " + provenance(i.place) + scope +
         (i.kind >= Kind::atomic || order ? "" : ", " + std::to_string(i.bits()) + " bits");
}

std::string known_fault(const std::string& effect, const Instruction& i, const std::string& configuration) {
  if (!is_loop_in_shared(i)) return {};
  const bool old = configuration.find(" sm_7") != std::string::npos || configuration.find(" sm_8") != std::string::npos;
  if (old) return {};
  const bool in_shared = i.place == 's' || i.place == 't' || i.place == 'h';
  if (in_shared && (effect == "no-membar" || effect == "weak-membar" || effect == "no-invalidate"))
    return "atomic operations on shared memory that become a loop lose their fences from sm_90 on (BUGS-FOUND.md)";
  if ((i.place == 'u' || i.place == 'c') && effect == "no-invalidate")
    return "the acquire of generic atomic operations stands before the path for shared memory from sm_90 on "
           "(BUGS-FOUND.md)";
  return {};
}

}  // namespace fencepost::hunt
