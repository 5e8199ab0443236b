#include "reference/execution.h"

#include <algorithm>

#include "prog/test.h"

namespace fencepost::reference {

bool Execution::complete() const {
  return std::all_of(thread_complete.begin(), thread_complete.end(), [](bool b) { return b; });
}

std::optional<uint32_t> Execution::find(const EventKey& k) const {
  for (uint32_t i = 0; i < events.size(); ++i)
    if (events[i].key == k) return i;
  return std::nullopt;
}

std::string to_string(const prog::Test& test, const EventKey& k) {
  if (k.thread == k_init) {
    const prog::Object& o = test.objects[k.instr];
    return "the initial write of " + prog::cell_name(o, o.name, k.occurrence);
  }
  std::string s = "event " + std::to_string(k.occurrence) + "." + std::to_string(k.part) + " of instruction " +
                  std::to_string(k.instr) + " of thread " + std::to_string(k.thread);
  return s;
}

}  // namespace fencepost::reference
