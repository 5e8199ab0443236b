// What all calls of a function have in common (prove/contract.h): a function that is verified for itself is verified
// from the states of all of its calls. Each fact from both sides, and with the calls in both orders.
#include "decide.h"

namespace fencepost::verifier {
namespace {

// Of two calls of f, in one order and in the other: the kernel follows its calls, and f is verified for itself, from
// what is known of each parameter alone. So many of the two are verified.
void calls(const std::string& f, const std::string& one, const std::string& other, int verified) {
  for (const bool turned : {false, true}) {
    const std::string text =
        "void f(__global int *p, __global int *q, int v) { int t = get_local_id(0); " + f +
        " }\n__kernel void k(__global int *a, __global int *b, __global int *c, int n) { int t = get_local_id(0); f(" +
        (turned ? other : one) + "); barrier(CLK_GLOBAL_MEM_FENCE); f(" + (turned ? one : other) + "); }\n";
    const std::string says = std::to_string(verified) + " verified";
    decide({{"k.cl", text.c_str(), verified == 2 ? 0 : 1, says.c_str(), {"--num_groups=1", "--no-inline"}}});
  }
}

TEST(Contracts, numbers_of_a_range) {
  const std::string above = "if (v > 5) p[0] = t; else p[t] = 1;", below = "if (v < 3) p[0] = t; else p[t] = 1;";
  calls(above, "a, b, 3", "a, b, 5", 2);
  calls(above, "a, b, 3", "a, b, 7", 0);
  calls(below, "a, b, 3", "a, b, 5", 2);
  calls(below, "a, b, 2", "a, b, 5", 0);
}

TEST(Contracts, multiples) {
  const std::string odd = "if (v & 1) p[0] = t; else p[t] = 1;", half = "if (v & 2) p[0] = t; else p[t] = 1;";
  calls(odd, "a, b, 4 * n", "a, b, 2 * n", 2);
  calls(odd, "a, b, 4 * n", "a, b, n", 0);
  calls(half, "a, b, 4 * n", "a, b, 8 * n", 2);
  calls(half, "a, b, 4 * n", "a, b, 2 * n", 0);
}

TEST(Contracts, multiples_of_a_range) {
  calls("if (v > 252) p[0] = t; else p[t] = 1;", "a, b, 4 * t", "a, b, 4 * t", 2);
  calls("if (v > 252) p[0] = t; else p[t] = 1;", "a, b, 4 * t", "a, b, 4 * t + 128", 0);
  calls("if (v < 4) p[0] = t; else p[t] = 1;", "a, b, 4 * t + 4", "a, b, 4 * t + 8", 2);
  calls("if (v < 4) p[0] = t; else p[t] = 1;", "a, b, 4 * t + 4", "a, b, 4 * t", 1);
  calls("if ((uint)v < 8) p[0] = t; else p[t] = 1;", "a, b, n | 8", "a, b, n | 12", 2);
  calls("if ((uint)v < 9) p[0] = t; else p[t] = 1;", "a, b, n | 8", "a, b, n | 12", 0);
}

TEST(Contracts, pointers_to_arrays) {
  const std::string shift = "p[t] = q[t ^ 1];";
  calls(shift, "a, b, 1", "a, b, 2", 2);
  calls(shift, "a, b, 1", "a, a, 2", 0);
  calls(shift, "a, b, 1", "b, b, 2", 0);
  calls(shift, "a, c, 1", "b, c, 2", 2);
  const std::string own = "p[t] = q[t];";
  calls(own, "a, b, 1", "b, a, 2", 2);
  calls(own, "a, b, 1", "b, a + 1, 2", 1);
}

TEST(Contracts, what_is_the_same_for_all) {
  const std::string meet = "if (v) barrier(CLK_GLOBAL_MEM_FENCE); p[t] = v;";
  calls(meet, "a, b, n", "a, b, n + 5", 2);
  calls(meet, "a, b, n", "a, b, b[t]", 0);
  calls("p[v + t] = 1 + t;", "a, b, n", "b, a, n + 64", 2);
  calls("p[v + t] = 1 + t;", "a, b, n", "b, a, n + (t & 1)", 0);
}

TEST(Contracts, of_pointers_that_threads_choose) {
  const std::string own = "p[t] = q[t];", shift = "p[t] = q[t ^ 1];";
  calls(own, "n ? a : b, n ? a : b, 1", "b, a, 2", 2);
  calls(shift, "n ? a : b, n ? b : a, 1", "a, b, 2", 1);
  calls(shift, "n ? a : b, c, 1", "n ? b : a, c, 2", 2);
  for (const char* either : {"n ? a : b, b, 1", "n ? b : a, b, 1", "n ? a : n > 1 ? c : b, b, 1"})
    calls(shift, either, "a, b, 2", 0);
  calls("p[t + v] = 1;", "a + 1, b, n", "b + 3, a, n", 2);
  calls("p[0] = p == 0 ? 1 : 1;", "a, b, n", "b, a, n", 2);
}

TEST(Contracts, ids) {
  calls("p[v] = 1 + t;", "a, b, t", "b, a, t", 2);
  calls("p[v] = 1 + t;", "a, b, t", "b, a, t / 2", 0);
  calls("p[v] = 1 + t;", "a, b, t", "b, a, 5", 0);
}

}  // namespace
}  // namespace fencepost::verifier
