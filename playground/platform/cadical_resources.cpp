// What CaDiCaL asks the system for (its resources.cpp), from a system that tells of no memory.
#include <time.h>

#include "internal.hpp"

namespace CaDiCaL {

double absolute_real_time() {
  timespec now{};
  return clock_gettime(CLOCK_MONOTONIC, &now) == 0
             ? static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec)
             : 0;
}
double absolute_process_time() { return absolute_real_time(); }
double Internal::real_time() { return absolute_real_time() - stats.time.real; }
double Internal::process_time() { return absolute_process_time() - stats.time.process; }
uint64_t maximum_resident_set_size() { return 0; }
uint64_t current_resident_set_size() { return 0; }

}  // namespace CaDiCaL
