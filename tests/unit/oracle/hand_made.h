#pragma once
// Programs with known verdicts, built by hand.
#include "axb/test.h"

namespace fencepost::oracle::hand_made {

inline axb::Instr store(uint32_t location, axb::Value v, uint32_t pc) { return {location, 0, pc + 1, true, v, {}}; }
inline axb::Instr branch(uint32_t location, axb::Value check, uint32_t to) {
  return {location, check, to, false, 0, {}};
}
inline axb::Instr exch(uint32_t location, axb::Value v, axb::Value check, uint32_t to) {
  return {location, check, to, true, v, {}};
}
inline axb::Test test_of(std::string name, uint32_t locations, std::vector<std::vector<axb::Instr>> threads) {
  axb::Test t;
  t.name = std::move(name);
  for (uint32_t l = 0; l < locations; ++l) t.locations.push_back({std::string(1, "xyz"[l]), 0});
  for (auto& code : threads) t.threads.push_back({std::move(code), {}});
  return t;
}
// Thread 0 waits for what thread 1 stores, or the other way round.
inline axb::Test waits_for_later() { return test_of("wait", 1, {{branch(0, 0, 0)}, {store(0, 1, 0)}}); }
inline axb::Test waits_for_earlier() { return test_of("wait back", 1, {{store(0, 1, 0)}, {branch(0, 0, 0)}}); }
inline axb::Test mutex() {
  return test_of("mutex", 1, {{exch(0, 1, 1, 0), store(0, 0, 1)}, {exch(0, 1, 1, 0), store(0, 0, 1)}});
}
// Each may undo the other's step: two threads that swap a value and are content only with the one they saw last.
inline axb::Test livelock() { return test_of("livelock", 1, {{exch(0, 0, 1, 0)}, {exch(0, 1, 0, 0)}}); }

}  // namespace fencepost::oracle::hand_made
