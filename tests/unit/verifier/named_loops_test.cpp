// Barriers that some threads of a block take part in, in loops (prove/named.h): producers and consumers that hand
// buffers to each other. One condition at a time is taken away.
#include "scenes.h"

namespace fencepost::verifier {
namespace {

class NamedLoops : public WithClang {};

const std::string k_head =
    "#define SYNC(i, n) asm volatile(\"bar.sync %0, %1;\" :: \"r\"(i), \"r\"(n) : \"memory\")\n"
    "#define ARRIVE(i, n) asm volatile(\"bar.arrive %0, %1;\" :: \"r\"(i), \"r\"(n) : \"memory\")\n"
    "__global__ void k(int *o, const int *a, int n) { __shared__ int s[3][64]; int t = threadIdx.x, w = t / 32, x = "
    "0;\n";

// One buffer: empty 1, full 2.
const std::string k_one =
    k_head +
    "if (w == 0) { for (int i = 0; i < n; ++i) { SYNC(1, 64); s[0][t] = a[i * 32 + t]; ARRIVE(2, 64); } }\n"
    "else { ARRIVE(1, 64); for (int j = 0; j < n; ++j) { SYNC(2, 64); x += s[0][63 - t]; ARRIVE(1, 64); }\n"
    "o[blockIdx.x * 32 + t - 32] = x; } }";

// Two buffers by the number of the round: empty 1 and 2, full 3 and 4.
const std::string k_two = k_head +
                          "if (w == 0) { for (int i = 0; i < n; ++i) { int b = i & 1; SYNC(1 + b, 64); s[b][t] = a[i * "
                          "32 + t]; ARRIVE(3 + b, 64); } }\n"
                          "else { ARRIVE(1, 64); ARRIVE(2, 64); for (int j = 0; j < n; ++j) { int c = j & 1; SYNC(3 + "
                          "c, 64); x += s[c][63 - t];\n"
                          "ARRIVE(1 + c, 64); } o[blockIdx.x * 32 + t - 32] = x; } }";

struct Twin {
  Changes changes;
  bool verified = false;
};

void twins(const std::string& kernel, const std::vector<Twin>& all, const std::string& block = "64") {
  ASSERT_EQ(decided(kernel, block), 0) << kernel;
  for (const Twin& w : all) {
    const std::string text = changed(kernel, w.changes);
    EXPECT_EQ(decided(text, block) == 0, w.verified) << text;
  }
}

TEST_F(NamedLoops, one_buffer) {
  twins(k_one, {
                   // Who waits for nobody, or arrives for nobody.
                   {{{"SYNC(1, 64); s", "s"}}},
                   {{{"SYNC(2, 64); x", "x"}}},
                   {{{" ARRIVE(2, 64);", ""}}},
                   {{{" ARRIVE(1, 64); }", " }"}}},
                   {{{"{ ARRIVE(1, 64); for", "{ for"}}},
                   {{{"SYNC(1, 64); s", "ARRIVE(1, 64); s"}}},
                   {{{"SYNC(2, 64); x", "ARRIVE(2, 64); x"}}},
                   // Too late, and too early.
                   {{{"s[0][t] = a[i * 32 + t]; ARRIVE(2, 64);", "ARRIVE(2, 64); s[0][t] = a[i * 32 + t];"}}},
                   {{{"SYNC(1, 64); s[0][t] = a[i * 32 + t];", "s[0][t] = a[i * 32 + t]; SYNC(1, 64);"}}},
                   {{{"x += s[0][63 - t]; ARRIVE(1, 64);", "ARRIVE(1, 64); x += s[0][63 - t];"}}},
                   {{{"SYNC(2, 64); x += s[0][63 - t];", "x += s[0][63 - t]; SYNC(2, 64);"}}},
                   // Another number, and another count.
                   {{{"SYNC(1, 64); s", "SYNC(3, 64); s"}}},
                   {{{"ARRIVE(2, 64);", "ARRIVE(3, 64);"}}},
                   {{{"SYNC(1, 64); s", "SYNC(16, 64); s"},
                     {"ARRIVE(1, 64); for", "ARRIVE(16, 64); for"},
                     {"ARRIVE(1, 64); }", "ARRIVE(16, 64); }"}}},
                   {{{"SYNC(1, 64); s", "SYNC(15, 64); s"},
                     {"ARRIVE(1, 64); for", "ARRIVE(15, 64); for"},
                     {"ARRIVE(1, 64); }", "ARRIVE(15, 64); }"}},
                    true},
                   {{{"ARRIVE(2, 64);", "ARRIVE(2, 96);"}}},
                   {{{"ARRIVE(2, 64);", "ARRIVE(2, 32);"}}},
                   {{{"ARRIVE(2, 64);", "ARRIVE(2, n);"}}},
                   // Waiting where it would be enough to arrive.
                   {{{"ARRIVE(2, 64);", "SYNC(2, 64);"}}, true},
                   {{{"{ ARRIVE(1, 64); for", "{ SYNC(1, 64); for"}}},
               });
  // More threads of a role than it counts.
  EXPECT_NE(decided(k_one, "96"), 0);
}

TEST_F(NamedLoops, all_go_through_equally_many_rounds) {
  twins(k_one, {
                   {{{"j < n", "j < n - 1"}}},
                   {{{"j < n", "j <= n"}}},
                   {{{"int j = 0", "int j = 1"}}},
                   {{{"++j", "j += 2"}}},
                   {{{"i < n", "i < a[0]"}, {"j < n", "j < a[0]"}}, true},
                   {{{"i < n", "i < a[t]"}, {"j < n", "j < a[t]"}}},
                   {{{"i < n", "i < a[t / 32]"}, {"j < n", "j < a[t / 32]"}}},
                   {{{"i < n", "i < o[0]"}, {"j < n", "j < o[0]"}}},
                   {{{"i < n", "i < t"}, {"j < n", "j < t"}}},
                   // Each thread has a value of its own.
                   {{{"x = 0;", "x = 0; asm volatile(\"mov.u32 %0, %%warpid;\" : \"=r\"(n));"}}},
                   {{{"x = 0;", "x = 0; n = atomicAdd(o + 100000, 0);"}}},
                   {{{"i < n", "i < 5"}, {"j < n", "j < 5"}}, true},
                   {{{"i < n", "i < 5"}, {"j < n", "j < 6"}}},
                   {{{"i < n", "i < n * (int)blockIdx.x"}, {"j < n", "j < n * (int)blockIdx.x"}}, true},
                   // Left in the middle, or without a barrier.
                   {{{"SYNC(1, 64); s", "if (i == 7) break; SYNC(1, 64); s"}}},
                   {{{"ARRIVE(2, 64);", "ARRIVE(2, 64); if (i == 7) break;"}}},
                   {{{"ARRIVE(1, 64); }", "ARRIVE(1, 64); if (j == 7) break; }"}}},
                   {{{"SYNC(1, 64); s", "if (i == 7) continue; SYNC(1, 64); s"},
                     {"SYNC(2, 64); x", "if (j == 7) continue; SYNC(2, 64); x"}}},
                   {{{"SYNC(1, 64); s", "if (i != 7) SYNC(1, 64); s"}}},
                   {{{"ARRIVE(2, 64);", "if (i != 7) ARRIVE(2, 64);"}}},
                   {{{"SYNC(1, 64); s", "if (i == 7) return; SYNC(1, 64); s"}}},
                   {{{"ARRIVE(2, 64);", "if (t < 31) ARRIVE(2, 64);"}}},
                   {{{"for (int j", "if (n > 5) for (int j"}}},
                   {{{"for (int j", "if (n > 5) for (int j"}, {"for (int i", "if (n > 5) for (int i"}}, true},
                   {{{"for (int j", "if (t < 63) for (int j"}}},
               });
}

TEST_F(NamedLoops, barriers_outside_of_the_loops) {
  twins(k_one, {
                   {{{"x = 0;", "x = 0; if (n < 3) return;"}}, true},
                   {{{"x = 0;", "x = 0; if (a[blockIdx.x] < 3) return;"}}, true},
                   {{{"x = 0;", "x = 0; if (a[t] < 3) return;"}}},
                   {{{"x = 0;", "x = 0; if (t == 5) return;"}}},
                   // The one warp arrives only if the other may be gone.
                   {{{"{ ARRIVE(1, 64); for", "{ if (n > 3) ARRIVE(1, 64); for"}}},
                   {{{"{ ARRIVE(1, 64); for", "{ if (n > 0) ARRIVE(1, 64); for"}}},
                   // Behind the loop.
                   {{{"o[blockIdx", "SYNC(5, 32); o[blockIdx"}}, true},
                   {{{"o[blockIdx", "SYNC(5, 64); o[blockIdx"}}},
                   {{{"o[blockIdx", "SYNC(1, 64); o[blockIdx"}}},
               });
  // An array is used again, behind the loop and before it.
  const std::string around =
      changed(k_one, {{"x = 0;", "x = 0; s[0][t & 31] = 0; __syncthreads();"},
                      {"o[blockIdx.x * 32 + t - 32] = x; } }",
                       "}"
                       " __syncthreads(); o[blockIdx.x * 64 + t] = s[0][31 - (t & 31)] + x; }"}});
  twins(around, {{{{"__syncthreads(); o", "o"}}},
                 {{{"x = 0; s[0][t & 31] = 0; __syncthreads();", "x = 0; s[0][t & 31] = t;"}}}});
  // What all threads do under a condition tells only where it is true.
  const std::string perhaps = k_head +
                              "s[0][t] = t; if (n > 3) { if (w == 0) SYNC(1, 64); else SYNC(1, 64); x = s[0][63 - t]; }"
                              " o[blockIdx.x * 64 + t] = x; }";
  twins(perhaps, {{{{"x = s[0][63 - t]; }", "} x = s[0][63 - t];"}}}});
}

TEST_F(NamedLoops, two_buffers_by_the_number_of_the_round) {
  twins(k_two, {
                   {{{"int c = j & 1", "int c = j + 1 & 1"}}},
                   {{{"int c = j & 1", "int c = j >> 1 & 1"}}},
                   {{{"s[b][t]", "s[0][t]"}}},
                   {{{"s[c]", "s[1 - c]"}}},
                   {{{"s[c]", "s[0]"}}},
                   {{{"ARRIVE(3 + b, 64)", "ARRIVE(4 - b, 64)"}}},
                   {{{"ARRIVE(3 + b, 64)", "ARRIVE(3, 64)"}}},
                   {{{"ARRIVE(1 + c, 64)", "ARRIVE(2 - c, 64)"}}},
                   {{{"SYNC(1 + b, 64)", "SYNC(1, 64)"}}},
                   {{{"ARRIVE(2, 64); ", ""}}},
                   {{{"ARRIVE(1, 64); ARRIVE(2, 64);", "ARRIVE(1, 64); ARRIVE(1, 64);"}}},
                   {{{"ARRIVE(3 + b, 64);", "ARRIVE(3 + b, 64); s[b][t] = 0;"}}},
                   {{{"ARRIVE(1 + c, 64); }", "ARRIVE(1 + c, 64); x += s[c][63 - t]; }"}}},
                   // The buffer of the round before has been handed over too.
                   {{{"x += s[c][63 - t];", "x += s[1 - c][63 - t];"}}},
                   // A number that is no circle, or one of another length.
                   {{{"int b = i & 1", "int b = a[0] & 1"}, {"int c = j & 1", "int c = a[0] & 1"}}},
                   {{{"int b = i & 1", "int b = i > 5"}, {"int c = j & 1", "int c = j > 5"}}},
                   {{{"int b = i & 1", "int b = i > 20"}, {"int c = j & 1", "int c = j > 20"}}},
                   {{{"int b = i & 1", "int b = (i >> 1) & 1"}}},
                   {{{"int b = i & 1", "int b = t & 1"}}},
                   {{{"SYNC(1 + b, 64)", "SYNC(1 + b * 15, 64)"},
                     {"ARRIVE(2, 64); for", "ARRIVE(16, 64); for"},
                     {"ARRIVE(1 + c, 64)", "ARRIVE(1 + c * 15, 64)"}}},
               });
}

TEST_F(NamedLoops, in_one_loop_of_all) {
  const std::string one = k_head +
                          "if (w == 1) { ARRIVE(1, 64); ARRIVE(2, 64); } for (int i = 0; i < n; ++i) { int b = i & 1;\n"
                          "if (w == 0) { SYNC(1 + b, 64); s[b][t] = a[i * 32 + t]; ARRIVE(3 + b, 64); }\n"
                          "else { SYNC(3 + b, 64); x += s[b][63 - t]; ARRIVE(1 + b, 64); } } if (w == 1) o[blockIdx.x "
                          "* 32 + t - 32] = x; }";
  twins(one, {
                 {{{"i < n", "i < n + (int)blockIdx.x"}}, true},
                 {{{"i < n", "i < n + w"}}},
                 {{{"SYNC(1 + b, 64);", ""}}},
                 {{{"if (w == 1) {", "if (w == 0) {"}}},
                 {{{"else { SYNC", "else if (i != 7) { SYNC"}}},
                 // A barrier of all threads in the loop, or one of the warp: not followed.
                 {{{"int b = i & 1;", "int b = i & 1; __syncthreads();"}}},
                 {{{"for (int i = 0", "for (int q = 0; q < n; ++q) for (int i = 0"}}},
             });
  // Warps in groups of their own.
  const std::string own = k_head +
                          "int g = t / 64; for (int i = 0; i < n; ++i) { s[g][t % 64] = a[i]; SYNC(1 + g, 64);\n"
                          "x += s[g][63 - t % 64]; SYNC(1 + g, 64); } o[blockIdx.x * 128 + t] = x; }";
  twins(own,
        {
            {{{"x += s[g][63 - t % 64]; SYNC(1 + g, 64);", "x += s[g][63 - t % 64];"}}},
            {{{"x += s[g]", "x += s[1 - g]"}}},
            {{{"SYNC(1 + g, 64);", "SYNC(1, 64);"}}},
            {{{"g = t / 64", "g = t / 32 % 2"},
              {"s[g][t % 64]", "s[g][t / 64 * 32 + t % 32]"},
              {"63 - t % 64", "63 - (t / 64 * 32 + t % 32)"}},
             true},
        },
        "128");
}

// Many threads, three buffers, lanes that hand over to their own warp.
TEST_F(NamedLoops, more_threads_and_buffers) {
  const std::string three =
      k_head +
      "if (w < 2) { for (int i = 0; i < n; ++i) { int b = i % 3; SYNC(1 + b, 160); s[b][t] = a[i * 64 + t]; ARRIVE(4 + "
      "b, 160); } }\n"
      "else { for (int q = 1; q < 4; ++q) ARRIVE(q, 160); for (int j = 0; j < n; ++j) { int c = j % 3; SYNC(4 + c, "
      "160);\n"
      "for (int q = t - 64; q < 64; q += 96) x += s[c][q]; ARRIVE(1 + c, 160); } o[blockIdx.x * 96 + t - 64] = x; } }";
  const std::string first = changed(
      three, {{"for (int q = 1; q < 4; ++q) ARRIVE(q, 160);", "ARRIVE(1, 160); ARRIVE(2, 160); ARRIVE(3, 160);"}});
  twins(first,
        {
            {{{"160); s", "128); s"}}},
            {{{"w < 2", "w < 1"}}},
            {{{"ARRIVE(3, 160);", ""}}},
            {{{"s[b][t]", "s[(b + 1) % 3][t]"}}},
            {{{"i % 3", "i % 2"}}},
        },
        "160");
}

// Two loops of one thread are not one round of both.
TEST_F(NamedLoops, of_several_loops) {
  const std::string both = k_head +
                           "if (w == 0) { for (int i = 0; i < n; ++i) { SYNC(1, 64); SYNC(2, 64); } }\n"
                           "else { for (int j = 0; j < n; ++j) { SYNC(1, 64); SYNC(2, 64); } } }";
  twins(both,
        {{{{"SYNC(1, 64); SYNC(2, 64); } } }", "SYNC(1, 64); } for (int j = 0; j < n; ++j) { SYNC(2, 64); } } }"}}},
         {{{"SYNC(1, 64); SYNC(2, 64); } }\n", "SYNC(1, 64); } for (int i = 0; i < n; ++i) { SYNC(2, 64); } }\n"}}}});
}

// An iteration that a thread leaves before its barriers is no round.
TEST_F(NamedLoops, the_last_iteration_may_have_no_barriers) {
  const std::string left =
      k_head +
      "if (w == 0) { for (int i = 0;; ++i) { if (i >= n) break; s[0][t] = i; SYNC(1, 64); SYNC(2, 64); } }\n"
      "else { for (int j = 0;; ++j) { if (j >= n) break; SYNC(1, 64); x += s[0][63 - t]; SYNC(2, 64); }\n"
      "x += s[0][63 - t]; o[blockIdx.x * 32 + t - 32] = x; } }";
  twins(left,
        {
            {{{"if (i >= n) break; s[0][t] = i;", "x += s[0][31 - t]; if (i >= n) break; s[0][t] = i;"}}},
            {{{"if (i >= n) break; s[0][t] = i;", "x += s[1][31 - t]; if (i >= n) break; s[0][t] = i;"}}, true},
            {{{"if (i >= n) break; s[0][t] = i; SYNC(1, 64);",
               "x += s[0][31 - t]; if (i >= n) break; SYNC(1, 64); s[0][t] = i; SYNC(1, 64);"},
              {"if (j >= n) break; SYNC(1, 64);", "if (j >= n) break; SYNC(1, 64); SYNC(1, 64);"}},
             true},
            {{{"if (i >= n) break; s[0][t] = i;", "s[0][t] = i; if (i >= n) break;"}}},
            {{{"if (i >= n) break; s[0][t] = i; SYNC(1, 64);",
               "if (i < n) SYNC(1, 64); s[0][t] = i; if (i >= n) break;"}}},
            {{{"if (i >= n) break; s[0][t] = i; SYNC(1, 64); SYNC(2, 64);",
               "if (i < n) { SYNC(1, 64); SYNC(2, 64); } s[0][t] = i; if (i >= n) break;"}}},
            {{{"if (j >= n) break; SYNC(1, 64); x += s[0][63 - t]; SYNC(2, 64);",
               "if (j < n) SYNC(1, 64); x += s[0][63 - t]; if (j >= n) break; SYNC(2, 64);"},
              {"s[0][t] = i; SYNC(1, 64); SYNC(2, 64); }", "s[0][t] = i; SYNC(1, 64); SYNC(2, 64); } s[0][t] = 9;"}}},
        });
}

// A loop around the loop.
TEST_F(NamedLoops, inside_a_loop) {
  const std::string tiles = k_head +
                            "if (w == 0) { for (int p = blockIdx.x; p < n; p += gridDim.x) for (int i = 0; i < p; ++i) "
                            "{ SYNC(1, 64); s[0][t] = a[i * 32 + t]; ARRIVE(2, 64); } }\n"
                            "else { ARRIVE(1, 64); for (int q = blockIdx.x; q < n; q += gridDim.x) { x = 0; for (int j "
                            "= 0; j < q; ++j) { SYNC(2, 64); x += s[0][63 - t]; ARRIVE(1, 64); }\n"
                            "o[q * 32 + t - 32] = x; } } }";
  twins(tiles,
        {
            {{{"i < p", "i < n"}, {"j < q", "j < n"}}, true},
            {{{"i < p", "i < 9"}, {"j < q", "j < 9"}}, true},
            {{{"i < p", "i < n"}}},
            {{{"p < n", "p <= n"}}},
            {{{"p += gridDim.x", "p += gridDim.x + 1"}}},
            {{{"for (int j", "if (q != 7) for (int j"}}},
            {{{"for (int j", "if (q != 7) for (int j"}, {"for (int i", "if (p != 7) for (int i"}}, true},
            {{{"o[q * 32 + t - 32] = x;", "o[q * 32 + t - 32] = x; if (q == 7) break;"}}},
            {{{"o[q * 32 + t - 32] = x;", "o[q * 32 + t - 32] = x + s[0][63 - t];"}}},
            {{{"for (int i", "{ s[0][t] = 0; for (int i"}, {"ARRIVE(2, 64); } }", "ARRIVE(2, 64); } } }"}}},
            {{{"s[0][t] = a[i * 32 + t];", "s[i & 1][t] = a[i * 32 + t];"}, {"x += s[0]", "x += s[j & 1]"}}, true},
            {{{"SYNC(1, 64);", "SYNC(1 + (i & 1), 64);"}}},
            {{{"ARRIVE(1, 64); for (int q", "for (int q"}, {"x = 0; for", "x = 0; ARRIVE(1, 64); for"}}},
            {{{"ARRIVE(2, 64);", ""}}},
            {{{"ARRIVE(1, 64); }", "}"}}},
            {{{"x += s[0][63 - t]; ARRIVE(1, 64);", "ARRIVE(1, 64); x += s[0][63 - t];"}}},
        });
  // What the one warp reads between the loops has been written before; that is not followed, and no error.
  const std::string between =
      changed(tiles, {{"w == 0) { for", "w == 0) { int y = 0; for"},
                      {"for (int i", "{ for (int i"},
                      {"ARRIVE(2, 64); } }", "SYNC(2, 64); } y += s[0][31 - t]; } s[1][t] = y; }"}});
  decide({{"k.cu", between.c_str(), 3, "what stands in the outer of two loops alone", {"--no-attack"}}});
  // In the last iteration of the inner loop no barrier is come to, before the next one of the outer loop.
  const std::string left = changed(tiles, {{"for (int i = 0; i < p; ++i) { SYNC(1, 64);",
                                            "for (int i = 0;; ++i) { if (i >= p) break; SYNC(1, 64);"}});
  twins(left, {
                  {{{"if (i >= p) break; SYNC(1, 64); s[0][t] = a[i * 32 + t];",
                     "if (i < p) SYNC(1, 64); s[0][t] = a[i * 32 + t]; if (i >= p) break;"}}},
                  {{{"if (i >= p) break;", "s[0][t] = 5; if (i >= p) break;"}}},
              });
}

TEST_F(NamedLoops, with_barriers_of_warps) {
  const std::string lanes =
      changed(k_one, {{"s[0][t] = a[i * 32 + t];", "s[0][t] = a[i * 32 + t]; __syncwarp(); x += s[0][31 - t];"}});
  twins(lanes, {
                   {{{"__syncwarp(); ", ""}}},
                   {{{"x += s[0][31 - t];", "s[0][31 - t] += 1;"}}, true},
                   {{{"__syncwarp(); x += s[0][31 - t];", "s[0][31 - t] += 1; __syncwarp();"}}},
                   {{{"ARRIVE(2, 64);", "ARRIVE(2, 64); __syncwarp(); s[0][t] = 0;"}}},
                   {{{"SYNC(1, 64); s", "__syncwarp(); s"}}},
                   {{{"i < n", "i < n + 1"}}},
                   {{{"SYNC(1, 64); s[0][t] = a[i * 32 + t];", "s[0][t] = a[i * 32 + t]; SYNC(1, 64);"}}},
               });
}

// A copy of the producer's is over when the thread that has begun it has waited for it.
TEST_F(NamedLoops, copies_of_the_producer) {
  const std::string copies =
      "#include <cuda_pipeline.h>\n" +
      changed(
          k_two,
          {{"s[b][t] = a[i * 32 + t];",
            "__pipeline_memcpy_async(&s[b][t], &a[i * 32 + t], 4); __pipeline_commit(); __pipeline_wait_prior(0);"}});
  twins(copies,
        {
            {{{"__pipeline_wait_prior(0); ", ""}}},
            {{{"__pipeline_wait_prior(0); ARRIVE(3 + b, 64);", "ARRIVE(3 + b, 64); __pipeline_wait_prior(0);"}}},
            {{{"wait_prior(0)", "wait_prior(1)"}}},
            {{{"__pipeline_wait_prior(0);", "if (i != 3) __pipeline_wait_prior(0);"}}},
            {{{"__pipeline_wait_prior(0);", "__pipeline_wait_prior(0); __pipeline_memcpy_async(&s[b][t], &a[t], 4);"}}},
            {{{"SYNC(1 + b, 64);", ""}}},
            {{{"s[c]", "s[1 - c]"}}},
        });
}

// Loops of few iterations are written out.
TEST_F(NamedLoops, of_few_iterations) {
  const std::string few =
      changed(k_two, {{"ARRIVE(1, 64); ARRIVE(2, 64);", "for (int q = 1; q < 3; ++q) ARRIVE(q, 64);"}});
  twins(few, {
                 {{{"q < 3", "q < 2"}}},
                 {{{"q < 3", "q < 4"}}},
                 {{{"q = 1", "q = 0"}}, true},
                 {{{"q < 3", "q < n"}}},
                 {{{"ARRIVE(q, 64)", "ARRIVE(3 - q, 64)"}}, true},
                 {{{"ARRIVE(q, 64)", "ARRIVE(1, 64)"}}},
                 {{{"i < n", "i < 4"}, {"j < n", "j < 4"}}, true},
                 {{{"i < n", "i < 4"}, {"j < n", "j < 3"}}, true},
                 {{{"i < n", "i < 4"}, {"j < n", "j < 5"}}},
             });
}

}  // namespace
}  // namespace fencepost::verifier
