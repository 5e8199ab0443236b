#pragma once
#pragma GCC system_header
// Faults that are chosen at run time (rewrite.cc puts the calls in). FENCEPOST_PLANT is the number of the fault, or
// empty; FENCEPOST_PLANT_HITS a file with a byte for each place: bit 0: executed, bit 1: its fault would have given
// another value there. FENCEPOST_PLANT_LATE is a file that comes into being when this process runs out of processor time.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <type_traits>

namespace plant {

inline const char* late = nullptr;
inline void out_of_time(int) {
  const int f = ::open(late, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (f >= 0) ::close(f);
  ::_exit(128 + SIGXCPU);
}

struct State {
  long chosen = -1;
  unsigned char* hits = nullptr;
  long sites = 0;
  State() {
    if (const char* n = std::getenv("FENCEPOST_PLANT"); n != nullptr && *n != 0) chosen = std::atol(n);
    late = std::getenv("FENCEPOST_PLANT_LATE");
    if (late != nullptr) ::signal(SIGXCPU, out_of_time);
    const char* path = std::getenv("FENCEPOST_PLANT_HITS");
    if (path == nullptr) return;
    const int f = ::open(path, O_RDWR | O_CLOEXEC);
    struct stat s{};
    if (f < 0 || ::fstat(f, &s) != 0) return;
    void* m = ::mmap(nullptr, static_cast<size_t>(s.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
    ::close(f);
    if (m == MAP_FAILED) return;
    hits = static_cast<unsigned char*>(m);
    sites = s.st_size;
  }
};

inline State& state() {
  static State s;
  return s;
}

inline bool chosen(long n, bool differs) {
  State& s = state();
  if (s.hits != nullptr && n < s.sites) s.hits[n] = static_cast<unsigned char>(s.hits[n] | (differs ? 3 : 1));
  return s.chosen == n;
}

constexpr bool at(long n) {
  if (std::is_constant_evaluated()) return false;
  return chosen(n, true);
}

#define FENCEPOST_PLANT_BINARY(name, op, other)                                           \
  template <class A, class B>                                                             \
  constexpr auto name(long n, const A& a, const B& b) -> std::decay_t<decltype(a op b)> { \
    if (std::is_constant_evaluated()) return a op b;                                      \
    const auto right = a op b;                                                            \
    const auto wrong = static_cast<std::decay_t<decltype(a op b)>>(a other b);            \
    return chosen(n, right != wrong) ? wrong : right;                                     \
  }
FENCEPOST_PLANT_BINARY(less, <, <=)
FENCEPOST_PLANT_BINARY(less_equal, <=, <)
FENCEPOST_PLANT_BINARY(greater, >, >=)
FENCEPOST_PLANT_BINARY(greater_equal, >=, >)
FENCEPOST_PLANT_BINARY(equal, ==, !=)
FENCEPOST_PLANT_BINARY(unequal, !=, ==)
FENCEPOST_PLANT_BINARY(plus, +, -)
FENCEPOST_PLANT_BINARY(minus, -, +)
FENCEPOST_PLANT_BINARY(times, *, +)
FENCEPOST_PLANT_BINARY(bit_and, &, |)
FENCEPOST_PLANT_BINARY(bit_or, |, &)
FENCEPOST_PLANT_BINARY(left, <<, >>)
FENCEPOST_PLANT_BINARY(right, >>, <<)
#undef FENCEPOST_PLANT_BINARY

template <class T>
constexpr bool no(long n, const T& x) {
  if (std::is_constant_evaluated()) return !x;
  return chosen(n, true) ? static_cast<bool>(x) : !x;
}

template <class T>
constexpr T number(long n, T x) {
  if (std::is_constant_evaluated()) return x;
  return chosen(n, true) ? static_cast<T>(x + 1) : x;
}

}  // namespace plant
