// Token-threaded interpreter (computed goto): about a nanosecond for each instruction, which is what the rate of a
// litmus run on the CPU rests on. A switch was 1.6 times slower.
#include "device/cpu/machine.h"

#include <time.h>

#if defined(__x86_64__)
#include <immintrin.h>

#include "term/term.h"
#endif

namespace fencepost::device::cpu {

bool Meeting::arrive(uint32_t& ticket) {
  uint64_t s = state_.load(std::memory_order_relaxed);
  while (true) {
    ticket = generation(s);
    const bool last = arrived(s) + 1 >= expected(s);
    const uint64_t next = last ? pack(expected(s), 0, ticket + 1) : pack(expected(s), arrived(s) + 1, ticket);
    if (state_.compare_exchange_weak(s, next, std::memory_order_seq_cst)) return last;
  }
}

void Meeting::end() {
  uint64_t s = state_.load(std::memory_order_relaxed);
  while (true) {
    const uint64_t left = expected(s) - 1;
    const bool opens = left > 0 && arrived(s) >= left;
    const uint64_t next = opens ? pack(left, 0, generation(s) + 1) : pack(left, arrived(s), generation(s));
    if (state_.compare_exchange_weak(s, next, std::memory_order_seq_cst)) return;
  }
}

namespace {

inline void relax() {
#if defined(__x86_64__)
  _mm_pause();
#else
  std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

inline uint64_t now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}

// The instructions of a test. x86: each is one statement that the compiler neither merges nor moves (volatile, and
// memory is clobbered).
#if defined(__x86_64__)
template <class W, int Order>
inline W test_load(const W* p) {
  W v;
  if constexpr (sizeof(W) == 4)
    asm volatile("movl %1, %0" : "=r"(v) : "m"(*p) : "memory");
  else
    asm volatile("movq %1, %0" : "=r"(v) : "m"(*p) : "memory");
  return v;
}
template <class W>
inline W test_exchange(W* p, W v) {
  if constexpr (sizeof(W) == 4)
    asm volatile("xchgl %0, %1" : "+r"(v), "+m"(*p) : : "memory");
  else
    asm volatile("xchgq %0, %1" : "+r"(v), "+m"(*p) : : "memory");
  return v;
}
template <class W, int Order>
inline void test_store(W* p, W v) {
  if constexpr (Order == __ATOMIC_SEQ_CST)
    test_exchange(p, v);
  else if constexpr (sizeof(W) == 4)
    asm volatile("movl %1, %0" : "=m"(*p) : "r"(v) : "memory");
  else
    asm volatile("movq %1, %0" : "=m"(*p) : "r"(v) : "memory");
}
template <class W>
inline W test_add(W* p, W v) {
  if constexpr (sizeof(W) == 4)
    asm volatile("lock xaddl %0, %1" : "+r"(v), "+m"(*p) : : "memory", "cc");
  else
    asm volatile("lock xaddq %0, %1" : "+r"(v), "+m"(*p) : : "memory", "cc");
  return v;
}
template <class W>
inline W test_compare(W* p, W want, W v) {
  if constexpr (sizeof(W) == 4)
    asm volatile("lock cmpxchgl %2, %1" : "+a"(want), "+m"(*p) : "r"(v) : "memory", "cc");
  else
    asm volatile("lock cmpxchgq %2, %1" : "+a"(want), "+m"(*p) : "r"(v) : "memory", "cc");
  return want;
}
inline void test_fence_sc() { asm volatile("mfence" : : : "memory"); }
inline void test_fence_acq_rel() { asm volatile("" : : : "memory"); }
#else
template <class W, int Order>
inline W test_load(const W* p) {
  return __atomic_load_n(p, Order);
}
template <class W>
inline W test_exchange(W* p, W v) {
  return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);
}
template <class W, int Order>
inline void test_store(W* p, W v) {
  __atomic_store_n(p, v, Order);
}
template <class W>
inline W test_add(W* p, W v) {
  return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);
}
template <class W>
inline W test_compare(W* p, W want, W v) {
  __atomic_compare_exchange_n(p, &want, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return want;
}
inline void test_fence_sc() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void test_fence_acq_rel() { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
#endif

template <class W>
inline W max_at(W* p, W v) {
  W old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (old < v && !__atomic_compare_exchange_n(p, &old, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old;
}

}  // namespace

Stop execute(const Program& program, Invocation& invocation, const Conditions& on) {
  static const void* const k_labels[] = {
#define X(c) &&do_##c,
      FENCEPOST_CPU_CODES(X)
#undef X
  };
  const Ins* const code = program.code.data();
  const Ins* i = code + invocation.at;
  uint64_t* const r = invocation.registers;
  const Slot* const slots = invocation.group->slots.data();
  uint32_t edges = on.quantum;

#define NEXT goto* k_labels[static_cast<size_t>(i->code)]
#define STEP \
  ++i;       \
  NEXT
#define VALUE(c, e)                          \
  do_##c : {                                 \
    const uint64_t a = r[i->a], b = r[i->b]; \
    (void)b;                                 \
    r[i->dst] = (e);                         \
    STEP;                                    \
  }
// The word(s) at index a of slot b, or the fault.
#define PLACE(W)                                                                                \
  const uint64_t index = r[i->a];                                                               \
  const Slot& slot = slots[i->b];                                                               \
  if (__builtin_expect(index + sizeof(W) / 4 > slot.size || index >= slot.size, 0)) goto fault; \
  W* const p = reinterpret_cast<W*>(slot.words + index)
#define LOADS(c, W, e) \
  do_##c : {           \
    PLACE(W);          \
    r[i->dst] = (e);   \
    STEP;              \
  }
#define STORES(c, W, e)                    \
  do_##c : {                               \
    PLACE(W);                              \
    const W v = static_cast<W>(r[i->dst]); \
    e;                                     \
    STEP;                                  \
  }
#define ATOMICS(c, W, e)                                          \
  do_##c : {                                                      \
    PLACE(W);                                                     \
    const W v = static_cast<W>(r[static_cast<uint32_t>(i->imm)]); \
    const W want = static_cast<W>(r[i->imm >> 32]);               \
    (void)want;                                                   \
    r[i->dst] = (e);                                              \
    STEP;                                                         \
  }
#define JUMPS(c, condition)                  \
  do_##c : {                                 \
    const uint64_t a = r[i->a], b = r[i->b]; \
    (void)b;                                 \
    i = (condition) ? code + i->imm : i + 1; \
    NEXT;                                    \
  }

  NEXT;
  VALUE(mov, a)
  VALUE(low32, static_cast<uint32_t>(a))
  VALUE(low1, a & 1)
  VALUE(add32, static_cast<uint32_t>(a + b))
  VALUE(sub32, static_cast<uint32_t>(a - b))
  VALUE(mul32, static_cast<uint32_t>(a * b))
  VALUE(and_, a & b)
  VALUE(or_, a | b)
  VALUE(xor_, a ^ b)
  VALUE(shl32, b >= 32 ? 0 : static_cast<uint32_t>(a << b))
  VALUE(lshr32, b >= 32 ? 0 : a >> b)
  VALUE(umin, a < b ? a : b)
  VALUE(umax, a > b ? a : b)
  VALUE(udiv32, b == 0 ? 0xffffffffu : static_cast<uint32_t>(a) / static_cast<uint32_t>(b))
  VALUE(urem32, b == 0 ? a : static_cast<uint32_t>(a) % static_cast<uint32_t>(b))
  VALUE(add64, a + b)
  VALUE(sub64, a - b)
  VALUE(mul64, a * b)
  VALUE(shl64, b >= 64 ? 0 : a << b)
  VALUE(lshr64, b >= 64 ? 0 : a >> b)
  VALUE(eq, a == b)
  VALUE(ne, a != b)
  VALUE(ult, a < b)
  VALUE(ule, a <= b)
  VALUE(slt32, static_cast<int32_t>(a) < static_cast<int32_t>(b))
  VALUE(sle32, static_cast<int32_t>(a) <= static_cast<int32_t>(b))
  VALUE(slt64, static_cast<int64_t>(a) < static_cast<int64_t>(b))
  VALUE(sle64, static_cast<int64_t>(a) <= static_cast<int64_t>(b))
  VALUE(choose, a != 0 ? b : r[static_cast<uint32_t>(i->imm)])
  VALUE(any, term::eval_op(static_cast<term::Op>(i->imm & 0xff), (i->imm >> 8) & 0xff, (i->imm >> 16) & 0xff, a, b, 0))

  JUMPS(jump_if, a != 0)
  JUMPS(jump_unless, a == 0)
  JUMPS(jump_eq, a == b)
  JUMPS(jump_ne, a != b)
  JUMPS(jump_ult, a < b)
  JUMPS(jump_ule, a <= b)
do_jump:
  i = code + i->imm;
  NEXT;
do_back:
  i = code + i->imm;
  if (__builtin_expect(--edges == 0, 0)) {
    if (on.abort->load(std::memory_order_relaxed)) goto aborted;
    if (!on.alone) goto pauses;
    edges = on.quantum;
  }
  NEXT;
do_end:
  invocation.group->meeting.end();
  return Stop::ended;

  // A kernel's plain accesses may race (stress does, on purpose). Here they are relaxed atomics: the same instructions,
  // and defined.
  LOADS(load32, uint32_t, __atomic_load_n(p, __ATOMIC_RELAXED))
  LOADS(load64, uint64_t, __atomic_load_n(p, __ATOMIC_RELAXED))
  STORES(store32, uint32_t, __atomic_store_n(p, v, __ATOMIC_RELAXED))
  STORES(store64, uint64_t, __atomic_store_n(p, v, __ATOMIC_RELAXED))
  LOADS(rload32, uint32_t, __atomic_load_n(p, __ATOMIC_RELAXED))
  LOADS(rload64, uint64_t, __atomic_load_n(p, __ATOMIC_RELAXED))
  STORES(rstore32, uint32_t, __atomic_store_n(p, v, __ATOMIC_RELAXED))
  STORES(rstore64, uint64_t, __atomic_store_n(p, v, __ATOMIC_RELAXED))
  ATOMICS(add_at32, uint32_t, __atomic_fetch_add(p, v, __ATOMIC_RELAXED))
  ATOMICS(add_at64, uint64_t, __atomic_fetch_add(p, v, __ATOMIC_RELAXED))
  ATOMICS(xchg_at32, uint32_t, __atomic_exchange_n(p, v, __ATOMIC_RELAXED))
  ATOMICS(xchg_at64, uint64_t, __atomic_exchange_n(p, v, __ATOMIC_RELAXED))
  ATOMICS(cas_at32, uint32_t, test_compare(p, want, v))
  ATOMICS(cas_at64, uint64_t, test_compare(p, want, v))
  ATOMICS(or_at32, uint32_t, __atomic_fetch_or(p, v, __ATOMIC_RELAXED))
  ATOMICS(or_at64, uint64_t, __atomic_fetch_or(p, v, __ATOMIC_RELAXED))
  ATOMICS(max_at32, uint32_t, max_at(p, v))
  ATOMICS(max_at64, uint64_t, max_at(p, v))

  LOADS(t_load32, uint32_t, (test_load<uint32_t, __ATOMIC_RELAXED>(p)))
  LOADS(t_load64, uint64_t, (test_load<uint64_t, __ATOMIC_RELAXED>(p)))
  LOADS(t_load_acq32, uint32_t, (test_load<uint32_t, __ATOMIC_ACQUIRE>(p)))
  LOADS(t_load_acq64, uint64_t, (test_load<uint64_t, __ATOMIC_ACQUIRE>(p)))
  LOADS(t_load_sc32, uint32_t, (test_load<uint32_t, __ATOMIC_SEQ_CST>(p)))
  LOADS(t_load_sc64, uint64_t, (test_load<uint64_t, __ATOMIC_SEQ_CST>(p)))
  STORES(t_store32, uint32_t, (test_store<uint32_t, __ATOMIC_RELAXED>(p, v)))
  STORES(t_store64, uint64_t, (test_store<uint64_t, __ATOMIC_RELAXED>(p, v)))
  STORES(t_store_rel32, uint32_t, (test_store<uint32_t, __ATOMIC_RELEASE>(p, v)))
  STORES(t_store_rel64, uint64_t, (test_store<uint64_t, __ATOMIC_RELEASE>(p, v)))
  STORES(t_store_sc32, uint32_t, (test_store<uint32_t, __ATOMIC_SEQ_CST>(p, v)))
  STORES(t_store_sc64, uint64_t, (test_store<uint64_t, __ATOMIC_SEQ_CST>(p, v)))
  ATOMICS(t_xchg32, uint32_t, test_exchange(p, v))
  ATOMICS(t_xchg64, uint64_t, test_exchange(p, v))
  ATOMICS(t_xadd32, uint32_t, test_add(p, v))
  ATOMICS(t_xadd64, uint64_t, test_add(p, v))
  ATOMICS(t_cas32, uint32_t, test_compare(p, want, v))
  ATOMICS(t_cas64, uint64_t, test_compare(p, want, v))
do_t_fence_sc:
  test_fence_sc();
  STEP;
do_t_fence_acq_rel:
  test_fence_acq_rel();
  STEP;

do_fence:
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  STEP;
do_clock:
  r[i->dst] = now();
  STEP;
do_pause: {
  const uint64_t nanoseconds = r[i->a];
  ++i;
  if (on.abort->load(std::memory_order_relaxed)) goto aborted;
  if (!on.alone) goto pauses;
  for (uint64_t k = 0; k <= (nanoseconds >> 4) && k < 256; ++k) relax();
  NEXT;
}
do_barrier: {
  ++i;
  if (!invocation.group->meeting.arrive(invocation.ticket)) {
    if (!on.alone) {
      invocation.at = static_cast<uint32_t>(i - code);
      invocation.waits = true;
      return Stop::waits;
    }
    while (!invocation.group->meeting.past(invocation.ticket)) {
      if (on.abort->load(std::memory_order_relaxed)) goto aborted;
      relax();
    }
  }
  NEXT;
}

pauses:
  invocation.at = static_cast<uint32_t>(i - code);
  return Stop::pauses;
aborted:
  invocation.at = static_cast<uint32_t>(i - code);
  return Stop::aborted;
fault:
  invocation.at = static_cast<uint32_t>(i - code);
  return Stop::fault;

#undef NEXT
#undef STEP
#undef VALUE
#undef PLACE
#undef LOADS
#undef STORES
#undef ATOMICS
#undef JUMPS
}

}  // namespace fencepost::device::cpu
