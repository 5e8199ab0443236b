#pragma once
// Rings: the classic tests with any number of threads. A ring's condition is its one weak outcome, reached by a
// cycle through every thread, so the time to decide it shows how an engine grows.
//
//   mp    T0 writes data, then f1; Ti reads f(i) = 1, then writes f(i+1); the last reads its flag = 1, then data = 0
//   sb    Ti writes x(i) = 1, then reads x(i+1) = 0
//   lb    Ti reads x(i) = 1, then writes x(i+1) = 1
//   iriw  half of the threads write x(i) = 1; the others read x(i) = 1, then x(i+1) = 0. Even, at least 4
//
// relaxed: atomic accesses of the widest scope that order nothing else, in thread blocks of their own.
// synchronised: what the dialect has to forbid it. PTX: release and acquire accesses and fence.sc between them. OpenCL:
// sequentially consistent accesses. Vulkan has neither; there all threads are of one workgroup and a control barrier
// that releases and acquires stands between the two accesses.
#include <string>

#include "vocab/vocab.h"

namespace fencepost::bench {

enum class Family : uint8_t { mp, sb, lb, iriw };
inline constexpr Family k_families[] = {Family::mp, Family::sb, Family::lb, Family::iriw};
const char* name(Family f);

// Litmus text; "" when the family has no ring of that size.
std::string ring(Family family, vocab::Dialect dialect, uint32_t threads, bool synchronised);

}  // namespace fencepost::bench
