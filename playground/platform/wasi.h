#pragma once
// Read before every source of the page's program: what Debian's C++ library for WebAssembly leaves out because it is
// built without threads, and the one conversion that it has not. There is one thread: a lock is always free, and a
// thread cannot be started.
#include <time.h>
#include <unistd.h>

static inline void tzset(void) {}  // there is one zone

#ifdef __cplusplus
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <string>
#include <system_error>

namespace std {

struct mutex {
  constexpr mutex() = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;
  void lock() {}
  bool try_lock() { return true; }
  void unlock() {}
};

template <class Mutex>
struct unique_lock {
  explicit unique_lock(Mutex&) {}
};

// Whoever waits for another thread would wait for ever.
struct condition_variable {
  void notify_one() {}
  void notify_all() {}
  template <class Lock, class Time>
  void wait_for(Lock&, const Time&) {
    abort();
  }
};

struct thread {
  template <class Function, class... Arguments>
  explicit thread(Function&&, Arguments&&...) {
    throw system_error(make_error_code(errc::resource_unavailable_try_again), "a page has one thread");
  }
  void join() {}
  static unsigned hardware_concurrency() { return 1; }
};
using jthread = thread;

// What std::from_chars takes in the general form: no blanks, no plus, no hexadecimal digits.
inline from_chars_result from_chars(const char* first, const char* last, double& value) {
  const char* at = first;
  const auto digits = [&] {
    const char* begin = at;
    while (at != last && *at >= '0' && *at <= '9') ++at;
    return at - begin;
  };
  if (at != last && *at == '-') ++at;
  const string_view rest(at, static_cast<size_t>(last - at));
  if (rest.starts_with("inf") || rest.starts_with("nan")) {
    value = rest[0] == 'i' ? HUGE_VAL : NAN;
    if (*first == '-') value = -value;
    return {at + (rest.starts_with("infinity") ? 8 : 3), errc{}};
  }
  auto count = digits();
  if (at != last && *at == '.') {
    ++at;
    count += digits();
  }
  if (count == 0) return {first, errc::invalid_argument};
  if (at != last && (*at == 'e' || *at == 'E')) {
    const char* mark = at++;
    if (at != last && (*at == '-' || *at == '+')) ++at;
    if (digits() == 0) at = mark;
  }
  const double found = strtod(string(first, at).c_str(), nullptr);
  if (found == HUGE_VAL || found == -HUGE_VAL) return {at, errc::result_out_of_range};
  value = found;
  return {at, errc{}};
}

}  // namespace std
#endif
