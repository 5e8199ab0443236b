#include "prog/operations.h"

#include <map>

namespace fencepost::prog {

void number_operations(Template& t) {
  std::map<uint32_t, uint32_t> now;
  for (const Instr& i : t.code)
    if (i.operation != k_none) now.try_emplace(i.operation, static_cast<uint32_t>(now.size()));
  for (Instr& i : t.code) {
    if (i.operation != k_none) i.operation = now.at(i.operation);
    std::vector<uint32_t> awaits;
    for (const uint32_t o : i.awaits)
      if (const auto it = now.find(o); it != now.end()) awaits.push_back(it->second);
    i.awaits = std::move(awaits);
  }
}

}  // namespace fencepost::prog
