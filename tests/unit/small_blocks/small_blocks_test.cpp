// The program's own operators new and delete (cmake/small_blocks.cpp): no two blocks in use overlap, whoever made them
// and whoever gives them back.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

#include "base/job.h"

using namespace fencepost;

namespace {

struct Block {
  unsigned char* at = nullptr;
  size_t size = 0;
  unsigned char fill = 0;
};

Block make(size_t size, unsigned char fill, bool by_malloc) {
  Block b{static_cast<unsigned char*>(by_malloc ? std::malloc(size) : ::operator new(size)), size, fill};
  std::memset(b.at, fill, size);
  return b;
}

bool whole(const Block& b) {
  for (size_t k = 0; k < b.size; ++k)
    if (b.at[k] != b.fill) return false;
  return true;
}

// Makes and ends blocks of 0 to 700 bytes in any order; each has its own bytes until its end.
bool blocks_stay_whole(uint64_t seed, uint32_t steps) {
  Rng rng(seed);
  std::vector<Block> in_use;
  bool good = true;
  for (uint32_t step = 0; step < steps && good; ++step) {
    if (in_use.size() < 40 || rng.chance(0.5)) {
      const auto size = static_cast<size_t>(rng.below(rng.chance(0.1) ? 700 : 90));
      in_use.push_back(make(size, static_cast<unsigned char>(step), rng.chance(0.1)));
      good = reinterpret_cast<uintptr_t>(in_use.back().at) % 16 == 0;
    } else {
      std::swap(in_use[static_cast<size_t>(rng.below(in_use.size()))], in_use.back());
      good = whole(in_use.back());
      if (rng.chance(0.1))
        std::free(in_use.back().at);
      else
        ::operator delete(in_use.back().at);
      in_use.pop_back();
    }
  }
  for (const Block& b : in_use) {
    good = good && whole(b);
    ::operator delete(b.at);
  }
  return good;
}

TEST(SmallBlocks, HaveTheirOwnBytesUntilTheyEnd) { EXPECT_TRUE(blocks_stay_whole(1, 200000)); }

TEST(SmallBlocks, OtherThreadsMakeAndEndThemToo) {
  std::vector<unsigned char*> made;
  for (size_t n = 0; n < 3000; ++n) made.push_back(static_cast<unsigned char*>(::operator new(n % 600)));
  bool good[3] = {};
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 3; ++t) threads.emplace_back([&, t] { good[t] = blocks_stay_whole(t + 2, 50000); });
  threads.emplace_back([&] {
    for (unsigned char*& b : made) {
      ::operator delete(b);
      b = static_cast<unsigned char*>(::operator new(40));
    }
  });
  const bool here = blocks_stay_whole(7, 50000);
  for (std::thread& t : threads) t.join();
  for (unsigned char* b : made) ::operator delete(b);
  EXPECT_TRUE(here && good[0] && good[1] && good[2]);
}

TEST(SmallBlocks, TooMuchIsRefusedAsEverywhere) {
  volatile size_t most = SIZE_MAX - 8;  // rounded up it would be small
  EXPECT_THROW(static_cast<void>(::operator new(most)), std::bad_alloc);
  EXPECT_EQ(::operator new(most, std::nothrow), nullptr);
}

#ifdef FENCEPOST_SMALL_BLOCKS
TEST(SmallBlocks, AreTakenAgain) {
  std::vector<void*> blocks;  // more than are kept, so that none are kept then
  for (int n = 0; n < 1500; ++n) blocks.push_back(::operator new(48));
  for (size_t n = 0; n < 100; ++n) ::operator delete(blocks[n]);
  bool same = true;
  for (size_t n = 100; n-- > 0;) same = ::operator new(48) == blocks[n] && same;
  EXPECT_TRUE(same);
  for (void* b : blocks) ::operator delete(b);
}

// What many gave back at once goes to malloc again.
TEST(SmallBlocks, AreNotKeptWithoutEnd) {
  std::vector<void*> blocks;
  for (int n = 0; n < 200000; ++n) blocks.push_back(::operator new(500));
  const size_t before = ::mallinfo2().uordblks;
  for (void* b : blocks) ::operator delete(b);
  EXPECT_LT(::mallinfo2().uordblks + size_t{98000} * 1000, before);
}
#endif

}  // namespace
