// Barriers that some threads of a block take part in (prove/named.cpp): who comes, how often, in which order, and what
// is seen behind them. Where threads would wait for ever, or too many or too few come, that is said; it is no race.
#include "scenes.h"

namespace fencepost::verifier {
namespace {

const std::string k_head =
    "#define SYNC(n, c) asm volatile(\"bar.sync \" #n \", \" #c \";\" ::: \"memory\")\n"
    "#define ARRIVE(n, c) asm volatile(\"bar.arrive \" #n \", \" #c \";\" ::: \"memory\")\n"
    "#define ALL(n) asm volatile(\"bar.sync \" #n \";\" ::: \"memory\")\n"
    "__global__ void k(int *o, const int *a, int *b, int n) { __shared__ int s[128]; int t = threadIdx.x, w = t / 32,"
    " g = blockIdx.x * blockDim.x + t; ";

const char* const k_wait = "threads that it counts may wait for each other at several";
const char* const k_elsewhere = "others wait at the same one elsewhere, all threads or as another count says";
const char* const k_many = "not so many threads as its count come";
const char* const k_form = "a name or a count that is not constant";
const char* const k_loop = "in loops inside others, or beside other barriers in its loop";
const char* const k_rounds = "threads go through its loop, or their loops, not equally often for all that is known";
const char* const k_any = "groups or warps of any size";
const char* const k_part = "threads of one warp part before it";
const char* const k_ids = "who takes part does not follow from the ids alone";
const char* const k_twice = "a thread comes twice";
const char* const k_back = "a thread comes that does not know that the phase before is complete";

TEST(NamedBarriers, nobody_waits_for_who_waits_for_him) {
  rows(
      k_head,
      {
          {"if (w == 0) { SYNC(1, 64); SYNC(2, 64); } else { SYNC(1, 64); SYNC(2, 64); }", 0},
          {"if (w == 0) { SYNC(1, 64); SYNC(2, 64); } else { SYNC(2, 64); SYNC(1, 64); }", 3, k_wait},
          // Who only arrives goes on.
          {"if (w == 0) { ARRIVE(1, 64); SYNC(2, 64); } else { ARRIVE(2, 64); SYNC(1, 64); }", 0},
          {"if (w == 0) { ARRIVE(1, 64); SYNC(2, 64); } else { SYNC(1, 64); ARRIVE(2, 64); }", 0},
          {"if (w == 0) { SYNC(1, 64); ARRIVE(2, 64); } else { SYNC(2, 64); ARRIVE(1, 64); }", 3, k_wait},
          // Three warps, two by two: one after the other, and in a circle.
          {"if (w == 0) { SYNC(1, 64); SYNC(2, 64); } else if (w == 1) { SYNC(1, 64); SYNC(3, 64); }"
           " else { SYNC(3, 64); SYNC(2, 64); }",
           0, "", "96"},
          {"if (w == 0) { SYNC(1, 64); SYNC(2, 64); } else if (w == 1) { SYNC(3, 64); SYNC(1, 64); }"
           " else { SYNC(2, 64); SYNC(3, 64); }",
           3, k_wait, "96"},
          // What another warp waits at keeps nobody.
          {"if (w == 0) SYNC(1, 64); else if (w == 1) { SYNC(2, 64); SYNC(1, 64); } else SYNC(2, 64);", 0, "", "96"},
          {"if (w < 2) SYNC(1, 64); else SYNC(2, 64);", 0, "", "128"},
          // Phases of one number.
          {"if (w == 0) { SYNC(1, 64); SYNC(2, 64); SYNC(1, 64); } else { SYNC(1, 64); SYNC(2, 64); SYNC(1, 64); }", 0},
          {"if (w == 0) SYNC(1, 64); else SYNC(1, 64); if (w == 0) SYNC(2, 64); else SYNC(2, 64);"
           " if (w == 0) SYNC(1, 64); else SYNC(1, 64);",
           0},
          {"if (w == 0) SYNC(1, 64); else SYNC(1, 64); if (w == 0) { SYNC(2, 64); SYNC(1, 64); }"
           " else { SYNC(1, 64); SYNC(2, 64); }",
           3, k_wait},
          // And barriers of all threads between them.
          {"if (w == 0) SYNC(1, 64); __syncthreads(); if (w == 1) SYNC(1, 64);", 3, k_wait},
          {"if (w == 0) ARRIVE(1, 64); __syncthreads(); if (w == 1) SYNC(1, 64);", 0},
          {"if (w == 0) SYNC(1, 64); __syncthreads(); if (w == 1) ARRIVE(1, 64);", 3, k_wait},
          {"if (w == 0) SYNC(1, 64); else SYNC(1, 64); __syncthreads(); if (w == 0) SYNC(1, 64); else SYNC(1, 64);", 0},
          {"if (w == 0) SYNC(1, 64); __syncwarp(); if (w == 1) SYNC(1, 64);", 0},
      });
}

TEST(NamedBarriers, of_one_number_have_one_count) {
  rows(k_head, {
                   {"if (w < 2) SYNC(1, 64);", 0, "", "96"},
                   {"if (w < 2) SYNC(1, 64); SYNC(1, 96);", 3, k_elsewhere, "96"},
                   {"if (w < 2) SYNC(1, 64); SYNC(2, 96);", 0, "", "96"},
                   {"if (w < 2) SYNC(1, 64); ALL(1);", 3, k_elsewhere, "96"},
                   {"if (w < 2) SYNC(1, 64); ALL(2);", 0, "", "96"},
                   {"if (w < 2) SYNC(0, 64); __syncthreads();", 3, k_elsewhere, "96"},
                   {"if (w < 2) SYNC(1, 64); __syncthreads();", 0, "", "96"},
                   {"if (w < 2) SYNC(0, 64);", 0, "", "96"},
                   {"if (w < 2) SYNC(1, 64); __syncwarp();", 0, "", "96"},
                   {"if (w == 0) SYNC(1, 64); else if (w == 1) SYNC(1, 96);", 3, k_elsewhere, "96"},
                   {"if (w < 2) SYNC(1, 64); if (n > 3) SYNC(1, 64); ", 3, "", "96"},
                   // All threads are a count, too.
                   {"s[t] = t; if (w == 0) ARRIVE(1, 64); else { ALL(1); o[g] = s[t - 32]; }", 0},
                   {"s[t] = t; if (w == 0) ARRIVE(1, 64); else { o[g] = s[t - 32]; ALL(1); }", 1},
                   {"if (w == 0) ARRIVE(1, 32); ALL(1);", 3, k_elsewhere},
                   // In a function that nobody calls, and in one that is called.
                   {"} __device__ void f() { SYNC(1, 96); } __global__ void q() { if (threadIdx.x < 64) SYNC(1, 64);",
                    0, "", "96"},
               });
}

TEST(NamedBarriers, have_numbers_and_counts_of_ptx) {
  rows(k_head, {
                   {"if (w < 2) SYNC(15, 64);", 0, "", "96"},
                   {"if (w < 2) SYNC(16, 64);", 3, "", "96"},
                   {"if (w < 2) SYNC(1, 48);", 3, "", "96"},
                   {"if (w < 2) SYNC(1, 0);", 3, "", "96"},
                   {"if (w < 2) asm volatile(\"bar.sync %0, 64;\" :: \"r\"(15));", 0, "", "96"},
                   {"if (w < 2) asm volatile(\"bar.sync %0, 64;\" :: \"r\"(16));", 3,
                    "a barrier of the number 16, where PTX has 0 to 15", "96"},
                   {"if (w < 2) asm volatile(\"bar.sync 1, %0;\" :: \"r\"(64));", 0, "", "96"},
                   {"if (w < 2) asm volatile(\"bar.sync 1, %0;\" :: \"r\"(63));", 3,
                    "a barrier of 63 threads, which are no whole warps", "96"},
                   {"if (w < 2) asm volatile(\"bar.sync 1, %0;\" :: \"r\"(0));", 3,
                    "a barrier of 0 threads, which are no whole warps", "96"},
                   {"if (w < 2) asm volatile(\"bar.sync 1, %0;\" :: \"r\"(n));", 3, k_form, "96"},
                   {"if (w < 2) asm volatile(\"bar.sync %0, 64;\" :: \"r\"(n));", 3, k_form, "96"},
                   {"asm volatile(\"bar.sync %0, 96;\" :: \"r\"(n));", 3, k_form, "96"},
                   {"for (int i = 0; i < n; ++i) if (w < 2) SYNC(1, 64);", 0, "", "96"},
                   {"for (int i = 0; i < 4; ++i) if (w < 2) ARRIVE(1, 64);", 3, k_twice, "96"},
                   {"for (int i = 0; i < n; ++i) if (w < 2) ARRIVE(1, 64);", 3, k_back, "96"},
                   {"for (int q = 0; q < n; ++q) for (int i = 0; i < n; ++i) if (w < 2) SYNC(1, 64);", 0, "", "96"},
                   {"for (int r = 0; r < n; ++r) for (int q = 0; q < n; ++q) for (int i = 0; i < n; ++i) if (w < 2) "
                    "SYNC(1, 64);",
                    3, k_loop, "96"},
                   {"for (int i = 0; i < n; ++i) { __syncthreads(); if (w < 2) SYNC(1, 64); }", 3, k_loop, "96"},
                   {"for (int i = 0; i < a[t / 32]; ++i) if (w < 2) SYNC(1, 64);", 3, k_rounds, "96"},
                   {"for (int i = 0; i < n + w; ++i) if (w < 2) SYNC(1, 64);", 3, k_rounds, "96"},
                   {"if (w < 2) SYNC(1, 64);", 3, k_any, "*"},
                   {"if (threadIdx.y < 2) SYNC(1, 64);", 0, "", "[32,3]"},
                   {"if (threadIdx.y < 8) SYNC(1, 64);", 0, "", "[8,12]"},
                   {"if (threadIdx.z < 1) SYNC(1, 64);", 0, "", "[8,8,2]"},
                   {"if (threadIdx.y < 4) SYNC(1, 64);", 0, "", "[8,8,2]"},
                   {"if (threadIdx.y < 3) SYNC(1, 64);", 3, k_part, "[8,8,2]"},
                   {"if (threadIdx.y < 7) SYNC(1, 64);", 3, k_part, "[8,12]"},
                   {"if (w < 31) SYNC(1, 992);", 0, "", "1024"},
                   {"if (w < 2) SYNC(1, 64);", 0, "", "80"},
               });
}

TEST(NamedBarriers, are_come_to_by_so_many) {
  rows(
      k_head,
      {
          {"if (w == 0) SYNC(1, 64);", 3, k_many},
          {"if (w == 0) SYNC(1, 32);", 0},
          {"if (w == 0) SYNC(1, 64); else SYNC(1, 64);", 3, k_back, "96"},
          {"if (w < 2) SYNC(1, 96);", 3, k_many, "128"},
          {"if (w < 3) SYNC(1, 64);", 3, k_back, "128"},
          {"if (w == 0) SYNC(1, 64); else if (w == 1) SYNC(1, 64); if (w == 0) SYNC(1, 64);", 3, k_many},
          {"if (n > 3) SYNC(1, 64);", 0},
          {"if (a[t] > 3) SYNC(1, 64);", 3, k_ids},
          {"if (t < 16) SYNC(1, 32);", 3, k_part},
          {"if (t < 33) SYNC(1, 32);", 3, k_part},
          {"if (t >= 31) SYNC(1, 32);", 3, k_part},
          // Again before the others have come; without having waited; after having waited.
          {"if (w == 0) { ARRIVE(1, 64); ARRIVE(1, 64); }", 3, k_twice},
          {"if (w == 0) { ARRIVE(1, 64); ARRIVE(1, 64); } else { SYNC(1, 64); SYNC(1, 64); }", 3, k_twice},
          {"if (w == 0) ARRIVE(1, 64); else SYNC(1, 64); if (w == 0) ARRIVE(1, 64); else SYNC(1, 64);", 3, k_twice},
          {"if (w == 0) SYNC(1, 64); else SYNC(1, 64); if (w == 0) ARRIVE(1, 64); else SYNC(1, 64);", 0},
          {"if (w == 0) ARRIVE(1, 64); else SYNC(1, 64); if (w == 1) SYNC(1, 32);", 3, k_elsewhere},
          // All threads meet between them: for certain, or perhaps.
          {"if (w == 0) ARRIVE(1, 64); else SYNC(1, 64); __syncthreads(); if (w == 0) ARRIVE(1, 64); else SYNC(1, 64);",
           0},
          {"if (w == 0) ARRIVE(1, 64); else SYNC(1, 64); if (n > 3) __syncthreads(); if (w == 0) ARRIVE(1, 64); else "
           "SYNC(1, 64);",
           3, k_back},
          {"if (w == 0) ARRIVE(1, 64); else SYNC(1, 64); for (int i = 0; i < n; ++i) __syncthreads(); if (w == 0) "
           "ARRIVE(1, 64); else SYNC(1, 64);",
           3, k_back},
          {"if (w == 0) ARRIVE(1, 64); else SYNC(1, 64); __syncwarp(); if (w == 0) ARRIVE(1, 64); else SYNC(1, 64);", 3,
           k_twice},
          {"if (w == 0) ARRIVE(1, 64); else SYNC(1, 64); SYNC(2, 64); if (w == 0) ARRIVE(1, 64); else SYNC(1, 64);", 0},
          {"if (w == 0) ARRIVE(1, 64); else SYNC(1, 64); if (n > 3) SYNC(2, 64); if (w == 0) ARRIVE(1, 64); else "
           "SYNC(1, 64);",
           3, k_ids},
          {"if (w == 0) ARRIVE(1, 64); else if (w == 1) SYNC(1, 64); if (w == 1) SYNC(1, 64); else if (w == 2) SYNC(1, "
           "64);",
           3, k_back, "96"},
          // Who has never come may come to a later phase as the first.
          {"if (w == 0) ARRIVE(1, 64); else if (w == 1) SYNC(1, 64); if (w == 0) SYNC(1, 64); else if (w == 2) SYNC(1, "
           "64);",
           3, k_twice, "96"},
      });
}

// `bar.sync a` of all threads at several places.
TEST(NamedBarriers, of_all_threads_at_several_places) {
  rows(k_head,
       {
           {"s[t] = t; if (w == 0) ALL(1); else ALL(1); o[g] = s[63 - t];", 0},
           {"s[t] = t; if (w == 0) ALL(1); else ALL(2); o[g] = s[63 - t];", 1},
           {"if (w == 0) ALL(1); else ALL(2);", 1, "non-uniform"},
           {"if (w == 0) ALL(1);", 1, "non-uniform"},
           // Who has arrived at it comes twice, and the others do not come: each number is complete too early.
           {"if (w == 0) ARRIVE(1, 64); else ARRIVE(1, 64); ALL(1);", 3, k_twice},
           {"if (w == 0) ARRIVE(1, 64); ALL(1); if (w == 1) ALL(1);", 3, k_twice},
           {"s[t] = t; if (w == 0) ARRIVE(1, 64); else ARRIVE(1, 64); ALL(1); o[g] = s[63 - t];", 1, k_twice},
           {"s[t] = t; if (w == 0) ARRIVE(1, 64); ALL(1); o[g] = s[63 - t]; if (w == 1) ALL(1);", 1, k_twice},
           {"s[t] = t; if (w == 0) ARRIVE(1, 64); else SYNC(1, 64); ALL(2); o[g] = s[63 - t];", 0},
           {"for (int i = 0; i < n; ++i) ALL(2); if (w == 0) ARRIVE(1, 64); else SYNC(1, 64);", 0},
           {"for (int i = 0; i < n; ++i) ALL(1); if (w == 0) ARRIVE(1, 64); else SYNC(1, 64);", 0},
           {"for (int i = 0; i < n; ++i) ALL(1); if (w == 0) ARRIVE(1, 64);", 0},
           {"for (int i = 0; i < n; ++i) ALL(1); if (w == 0) SYNC(1, 64);", 3},
           {"for (int i = 0; i < n; ++i) ALL(2); if (w == 0) asm volatile(\"bar.arrive %0, 64;\" :: \"r\"(n));", 3,
            k_form},
           {"if (n > 3) ALL(1); else ALL(1);", 0},
           {"if (n > 3) ALL(1);", 0},
           {"if (t & 1) ALL(1); else ALL(1);", 3, k_part},
           {"if (w == 0) ALL(1); else ALL(1); if (w == 0) ALL(1);", 3, k_many},
           {"if (w == 0) ALL(1); else ALL(1); ALL(1);", 0},
           {"s[t] = t; if (w == 0) ALL(1); else ALL(1); o[g] = s[63 - t]; ALL(1); s[t] = 2;", 0},
           {"s[t] = t; if (w == 0) ALL(1); else ALL(1); o[g] = s[63 - t]; s[t] = 2; ALL(1);", 1},
           {"for (int i = 0; i < n; ++i) { if (w == 0) ALL(1); else ALL(1); }", 0},
           {"for (int i = 0; i < n; ++i) { if (w == 0) SYNC(1, 64); else SYNC(1, 64); }", 0},
           {"for (int i = 0; i < n; ++i) { if (w == 0) SYNC(1, 64); else SYNC(2, 64); }", 1, "non-uniform"},
           {"s[t] = t; if (w == 0) SYNC(1, 64); else SYNC(1, 64); o[g] = s[63 - t];", 0},
           {"s[t] = t; SYNC(1, 64); o[g] = s[63 - t];", 0},
           {"s[t] = t; if (w == 0) asm volatile(\"barrier.sync 1;\"); else asm volatile(\"barrier.sync 1;\"); o[g] = "
            "s[63 - "
            "t];",
            0},
       });
}

TEST(NamedBarriers, order_the_phases_of_one_number) {
  rows(k_head, {
                   {"if (w == 0) { s[t] = 1; SYNC(1, 64); } else { SYNC(1, 64); o[g] = s[t - 32]; }"
                    "if (w == 0) { SYNC(1, 64); s[t] = 2; } else SYNC(1, 64);",
                    0},
                   {"if (w == 0) { s[t] = 1; SYNC(1, 64); s[t] = 2; } else { SYNC(1, 64); o[g] = s[t - 32]; }"
                    "if (w == 0) SYNC(1, 64); else SYNC(1, 64);",
                    1},
                   {"if (w == 0) { s[t] = 1; ARRIVE(1, 64); } else { SYNC(1, 64); o[g] = s[t - 32]; }"
                    "if (w == 0) { SYNC(2, 64); s[t] = 2; } else ARRIVE(2, 64);",
                    0},
                   {"if (w == 0) { s[t] = 1; ARRIVE(1, 64); } else { SYNC(1, 64); o[g] = s[t - 32]; }"
                    "if (w == 0) { ARRIVE(2, 64); s[t] = 2; } else SYNC(2, 64);",
                    1},
                   // Of those who take part alone.
                   {"s[t] = t; if (w < 2) { SYNC(1, 64); o[g] = s[63 - t]; }", 0, "", "96"},
                   {"s[t] = t; if (w < 2) { SYNC(1, 64); o[g] = s[95 - t]; }", 1, "", "96"},
                   {"b[g] = t; if (w < 2) { SYNC(1, 64); o[g] = b[blockIdx.x * 96 + 63 - t]; }", 0, "", "96"},
                   {"b[g] = t; if (w < 2) { SYNC(1, 64); o[g] = b[blockIdx.x * 96 + 95 - t]; }", 1, "", "96"},
               });
}

// What others have written before they came is seen behind it: the two reads of one place may differ.
TEST(NamedBarriers, what_is_read_behind_them_may_be_another_value) {
  const auto kernel = [](const std::string& place, const std::string& change,
                         const std::string& barrier = "SYNC(2, 64);") {
    return "if (w == 0) { SYNC(1, 64); " + change + " " + barrier + " } else { int x = " + place + "; SYNC(1, 64); " +
           barrier + " int y = " + place + "; o[x == y ? g : 0] = t; }";
  };
  const std::string group = kernel("s[0]", "if (t == 0) s[0] = 7;"), same = kernel("s[0]", ""),
                    global = kernel("b[blockIdx.x]", "if (t == 0) b[blockIdx.x] = 7;"),
                    other = kernel("b[blockIdx.x]", "if (t == 0) s[blockIdx.x] = 7;"),
                    own =
                        "int p[4] = {1, 2, 3, 4}; int x = p[n & 3]; if (w == 0) SYNC(1, 64); else SYNC(1, 64);"
                        " p[n & 1] += 0; int y = p[n & 3]; o[x == y ? g : 0] = t;";
  rows(k_head, {{group.c_str(), 1}, {same.c_str(), 0}, {global.c_str(), 1}, {other.c_str(), 0}, {own.c_str(), 0}});
}

}  // namespace
}  // namespace fencepost::verifier
