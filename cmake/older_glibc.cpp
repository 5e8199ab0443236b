// The C++ library that is linked into the program asks glibc 2.36 for random numbers, which machines with GPUs often lack
// (Ubuntu 22.04 has 2.35). The same from the kernel, so that the program starts there (tools/make_runner).
#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

extern "C" uint32_t arc4random() noexcept {
  uint32_t value = 0;
  if (::getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value)) std::abort();
  return value;
}
