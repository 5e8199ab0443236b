// Blocks of up to 512 bytes that the first thread gives back are kept by it, in a list for each size, and taken from
// there again. Deciding a small test makes and ends ten thousand sets, vectors and strings; malloc keeps seven of a
// size, so that merging and splitting the others took a fourth of its instructions.
//
// Each block is one of malloc, so that it may be made by either and given back to either (a library that is opened at
// run time has operators of its own). Its size is asked of malloc, not of the caller. At most k_most blocks of a size
// are kept, 8 MiB in all. Other threads have malloc alone. Not in builds with sanitizers, which have their own.
#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

constexpr size_t k_step = 16, k_largest = 512;
constexpr uint32_t k_most = 1000;

struct List {
  void* first;  // each block begins with the address of the next
  uint32_t count;
};
constinit List lists[k_largest / k_step + 1] = {};
constinit thread_local bool keeps = false;  // this thread

__attribute__((constructor(101))) void begin() { keeps = true; }

void* from_malloc(size_t n) {
  for (;;) {
    if (void* block = std::malloc(n)) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

}  // namespace

void* operator new(size_t n) {
  if (n > k_largest || !keeps) return from_malloc(n == 0 ? 1 : n);
  const size_t steps = n <= k_step ? 1 : (n + k_step - 1) / k_step;
  List& list = lists[steps];
  if (list.first == nullptr) return from_malloc(steps * k_step);
  void* block = list.first;
  std::memcpy(&list.first, block, sizeof block);
  --list.count;
  return block;
}

void operator delete(void* block) noexcept {
  if (block == nullptr) return;
  const size_t steps = ::malloc_usable_size(block) / k_step;
  if (steps > k_largest / k_step || !keeps || lists[steps].count >= k_most) return std::free(block);
  List& list = lists[steps];
  std::memcpy(block, &list.first, sizeof block);
  list.first = block;
  ++list.count;
}

void operator delete(void* block, size_t) noexcept { operator delete(block); }
