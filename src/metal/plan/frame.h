#pragma once
// The three kernels of a Program. Inside plan only; plan.h says what they do.
#include "plan/plan.h"
#include "plan/role.h"

namespace fencepost::plan {

Expected<void> build_kernels(Program& p);

// Objects that thread `t` accesses, in order.
std::vector<prog::ObjectId> objects_of(const Program& p, uint32_t t);
inline uint32_t object_words(const Program& p, prog::ObjectId o) {
  return word_width(p.test.objects[o].width, p.narrow) / 32;
}
// Words of one instance's copy of an object.
inline uint32_t footprint(const Program& p, prog::ObjectId o) {
  return object_words(p, o) * static_cast<uint32_t>(p.test.objects[o].init.size());
}

inline constexpr uint32_t k_most_targets = 16;   // stressed lines
inline constexpr uint32_t k_dummy_words = 1024;  // of one operation and subgroup: 32 lanes x 32 banks
// The same in shared memory, of one subgroup: a word of one bank for each lane, two of its own for each lane, and words
// that are only read.
inline constexpr uint32_t k_shared_dummy_own = 1024, k_shared_dummy_read = k_shared_dummy_own + 64,
                          k_shared_dummy_words = k_shared_dummy_read + 32;
inline constexpr uint32_t k_histogram_in_shared = 1024;  // states; more are counted in the buffer itself

}  // namespace fencepost::plan
