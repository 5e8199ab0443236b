#pragma once
// --trace ROOM: what an engine does, and why, as lines on standard error. For people who ask why an answer takes long,
// or why it is `unknown`; the words may change, and no program reads them (--json has the statistics).
//
//   if (trace::on(trace::Room::check)) trace::say(trace::Room::check, fmt::format("bound {}: {}", ...));
//
// Off, a place that traces costs the look at one word. Which rooms trace is set once, while the command line is read,
// and no answer depends on it; it stands beside Job and not in it, so that a function without one can be traced. Lines
// of threads that work at once may alternate; each is written whole.
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fencepost::trace {

enum class Room : uint8_t { check, encode, oracle, prove, explicit_state, sat };
inline constexpr const char* k_names[] = {"check", "encode", "oracle", "prove", "explicit", "sat"};

inline std::vector<std::string> room_names() { return {std::begin(k_names), std::end(k_names)}; }
inline std::optional<Room> room_of(std::string_view word) {
  for (size_t k = 0; k < std::size(k_names); ++k)
    if (word == k_names[k]) return static_cast<Room>(k);
  return std::nullopt;
}

inline std::atomic<uint32_t> rooms{0};  // a bit for each
inline bool on(Room r) { return (rooms.load(std::memory_order_relaxed) >> static_cast<uint32_t>(r)) & 1; }
inline void turn_on(Room r) { rooms.fetch_or(uint32_t{1} << static_cast<uint32_t>(r), std::memory_order_relaxed); }
inline void turn_off() { rooms.store(0, std::memory_order_relaxed); }

// "trace check: LINE"
inline void say(Room r, const std::string& line) {
  const std::string whole = std::string("trace ") + k_names[static_cast<size_t>(r)] + ": " + line + "\n";
  // A line that cannot be written is lost: the answer does not depend on it.
  if (::write(STDERR_FILENO, whole.data(), whole.size()) < 0) return;
}

}  // namespace fencepost::trace
