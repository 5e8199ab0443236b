#pragma once
// Positions of records (records.h), compared.
#include <cstdint>

namespace fencepost::order {

// Does `at` lie behind `from` and before `to`? Whether it is one of them is never asked: a barrier, a fence, a wait or
// a meeting has a position of its own.
inline bool between(uint32_t from, uint32_t at, uint32_t to) { return from < at && at < to; }

}  // namespace fencepost::order
