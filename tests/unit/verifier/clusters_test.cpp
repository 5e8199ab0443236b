// Clusters of thread blocks: what their barrier orders and what not, and shared memory of other blocks
// (flow/clusters.h, prove/clusters.cpp). Each condition has a kernel that misses it alone.
#include "decide.h"

namespace fencepost::verifier {
namespace {

// The body of a kernel of clusters: `dims` is __cluster_dims__ or nothing.
std::string kernel(const std::string& body, const std::string& dims = "__cluster_dims__(2, 1, 1)",
                   const std::string& before = "") {
  return "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n" + before + "__global__ void " + dims +
         " k(int *o, int *a, const int *in, int n) {\n  __shared__ int s[64], u[64];\n"
         "  cg::cluster_group c = cg::this_cluster();\n"
         "  int t = threadIdx.x, b = blockIdx.x, r = c.block_rank(), g = b * 64 + t;\n" +
         body + "\n}\n";
}

struct Row {
  std::string body;
  int exit_code;
  const char* says = "";
  std::string dims = "__cluster_dims__(2, 1, 1)";
  std::string before = "";
  std::vector<std::string> options = {};
};

void rows(const std::vector<Row>& list) {
  for (const Row& r : list) {
    const std::string text = kernel(r.body, r.dims, r.before);
    decide({{"k.cu", text.c_str(), r.exit_code, r.says, r.options}});
  }
}

const char* const k_confirmed = "race (confirmed by a run)";
const char* const k_started = "has started: no barrier of the cluster stands before the access on every way";
const char* const k_ended = "has not ended: no barrier of the cluster stands behind the access on every way";
const char* const k_between = "what is done between an arrival at the barrier of the cluster and the wait";

TEST(Clusters, their_barrier_orders_blocks_of_one_cluster_alone) {
  rows({
      {"a[g] = t; c.sync(); o[g] = a[(b ^ 1) * 64 + t];", 0},
      {"a[g] = t; __syncthreads(); o[g] = a[(b ^ 1) * 64 + t];", 1, k_confirmed},
      // The neighbour of another cluster.
      {"a[g] = t; c.sync(); o[g] = a[(b ^ 2) * 64 + t];", 1, k_confirmed},
      {"a[g] = t; c.sync(); o[g] = a[(b ^ 2) * 64 + t];", 0, "", "__cluster_dims__(4)"},
      // Without __cluster_dims__ a cluster may be one block.
      {"a[g] = t; c.sync(); o[g] = a[(b ^ 1) * 64 + t];", 1, k_confirmed, ""},
      {"a[g] = t; c.sync(); o[g] = a[(b - r) * 64 + t];", 0, "", ""},
      {"a[g] = t; c.sync(); o[g] = a[(b - r + c.num_blocks() - 1) * 64 + t];", 0, "", ""},
      {"a[g] = t; c.sync(); o[g] = a[(b - r + c.num_blocks()) * 64 + t];", 1, k_confirmed, ""},
      // It is a barrier of the block, too.
      {"s[t] = t; c.sync(); o[g] = s[63 - t];", 0},
      // One result of each cluster.
      {"if (r == 0 && t == 0) o[b / 2] = 1;", 0},
      {"if (r == 0 && t == 0) o[b / 4] = b;", 1, k_confirmed},
      // In each iteration.
      {"for (int i = 0; i < n; ++i) { a[g] = i; c.sync(); o[g] += a[(b ^ 1) * 64 + t]; c.sync(); }", 0},
      {"for (int i = 0; i < n; ++i) { a[g] = i; c.sync(); o[g] += a[(b ^ 1) * 64 + t]; }", 1, k_confirmed},
      // Rows of two dimensions.
      {"a[g] = t; c.sync(); o[g] = a[(b - r + (r ^ 3)) * 64 + t];", 0, "", "__cluster_dims__(4, 1, 1)"},
  });
}

TEST(Clusters, atomics_of_their_scope_are_atomic_in_one_cluster) {
  const std::string add = "asm volatile(\"red.relaxed.cluster.global.add.u32 [%0], 1;\" :: \"l\"(&a[X]) : \"memory\");";
  rows({{add, 0, "", "__cluster_dims__(2, 1, 1)", "#define X b / 2\n", {}},
        {"c.sync(); " + add, 0, "", "__cluster_dims__(2, 1, 1)", "#define X b / 2\n", {}},
        {"c.sync(); " + add, 1, k_confirmed, "__cluster_dims__(2, 1, 1)", "#define X b / 4\n", {}}});
}

TEST(Clusters, shared_memory_of_other_blocks_is_told_apart) {
  const std::string begin = "s[t] = in[g]; c.sync(); ", end = " c.sync(); ";
  const std::string next = "c.map_shared_rank(s, (r + 1) % c.num_blocks())";
  rows({
      // A halo.
      {begin + "int v = " + next + "[t];" + end + "o[g] = v;", 0, "", ""},
      {begin + "int v = " + next + "[t];" + end + "o[g] = v; s[t] = 0;", 0, "", ""},
      {begin + "int v = " + next + "[t]; s[t] = 0;" + end + "o[g] = v;", 1, k_confirmed, ""},
      // The block that is written is not the own one: no two threads write one place.
      {begin + next + "[t] = 1;" + end + "o[g] = s[t];", 0, "", ""},
      {begin + next + "[t] = t; s[t] = t + 1;" + end, 1, k_confirmed, ""},
      {begin + "c.map_shared_rank(s, 0)[t] = r;" + end, 1, k_confirmed},
      {begin + "c.map_shared_rank(s, 0)[2 * (t / 2) + r] = t & 1;" + end, 1, k_confirmed},
      {begin + "if (t < 32) c.map_shared_rank(s, 0)[2 * t + r] = t;" + end, 0},
      {begin + "atomicAdd(&c.map_shared_rank(s, 0)[t], 1);" + end, 0},
      {begin + "atomicAdd(&c.map_shared_rank(s, 0)[t], 1); o[g] = s[t];" + end, 1, k_confirmed},
      {begin + "atomicAdd_block(&c.map_shared_rank(s, 0)[t], 1);" + end, 1, k_confirmed},
      // Another array, whose blocks do not meet.
      {begin + next + "[t] = 1; u[t] = 1;" + end + "o[g] = u[63 - t];", 0, "", ""},
      // The own block, mapped.
      {begin + "c.map_shared_rank(s, r)[t] = 1;" + end, 0, "", ""},
      {begin + "c.map_shared_rank(s, r)[t] = 1; o[g] = s[63 - t];" + end, 1, k_confirmed, ""},
      // A pointer that is own or mapped.
      {begin + "int *p = r ? s : " + next + "; p[t] = r;" + end, 1, k_confirmed},
      {begin + "int *p = r ? s : c.map_shared_rank(s, 0); p[t] = r;" + end, 0},
  });
}

TEST(Clusters, what_other_blocks_may_write_is_any_value) {
  const std::string other = "c.map_shared_rank(s, r ^ 1)", store = " if (s[t] != 7) a[0] = g;";
  const std::string take = "if (t == 0) s[0] = 0; c.sync(); int k = atomicAdd(&s[0], 1); ";
  rows({
      {"if (t == 0) s[0] = 7; c.sync(); if (s[0] != 7 && t == 0) a[0] = g;", 0},
      {"if (t == 0) s[0] = 7; c.sync(); if (t == 0) " + other + "[0] = 8; c.sync(); if (s[0] != 7 && t == 0) a[0] = g;",
       1, k_confirmed},
      {"s[t] = 7; c.sync(); " + other + "[t] = 8; c.sync();" + store, 1, k_confirmed},
      // Tickets.
      {take + "if (k == 5) o[b] = t;", 0},
      {take + "if (k == 5) o[b] = t; c.sync(); " + other + "[t] = 8; c.sync();", 3,
       "what atomics give of shared memory that other blocks access"},
  });
}

TEST(Clusters, the_other_block_has_started_and_not_ended) {
  const std::string read = "int v = c.map_shared_rank(s, r ^ 1)[t]; ";
  const std::string write = "c.map_shared_rank(s, r ^ 1)[t] = 1; ";
  rows({
      {"c.sync(); " + write + "c.sync();", 0},
      {write + "c.sync();", 3, k_started},
      {"c.sync(); " + write, 3, k_ended},
      {"if (n) c.sync(); " + write + "c.sync();", 3, k_started},
      {"c.sync(); if (n) return; " + write + "c.sync();", 0},
      {"c.sync(); " + write + "if (n) return; c.sync();", 3, k_ended},
      {"c.sync(); for (int i = 0; i < n; ++i) { " + write + " } c.sync();", 0},
      {"for (int i = 0; i < n; ++i) { c.sync(); " + write + " c.sync(); }", 0},
      {"for (int i = 0; i < n; ++i) { " + write + " c.sync(); }", 3, k_started},
      {"for (int i = 0; i < n; ++i) { c.sync(); " + write + " }", 3, k_ended},
      {"__syncthreads(); " + read + "o[g] = v; __syncthreads();", 3, k_started},
  });
}

TEST(Clusters, the_rank_is_one_of_the_cluster_or_that_is_said) {
  const char* const k_rank = "is below the number of blocks of the cluster";
  const std::string read = "s[t] = t; c.sync(); int v = c.map_shared_rank(s, RANK)[t]; c.sync(); o[g] = v;";
  const auto with = [&](const char* rank) { return std::string("#define RANK ") + rank + "\n"; };
  rows({{read, 0, "!is below the number", "", with("(r + 1) % c.num_blocks()")},
        {read, 0, "!is below the number", "__cluster_dims__(4)", with("r ^ 3")},
        {read, 0, k_rank, "", with("r ^ 1")},
        {read, 0, k_rank, "", with("n")},
        {read, 3, k_rank, "", with("n"), {"--strict"}}});
}

TEST(Clusters, an_arrival_and_its_wait_are_one_barrier_if_nothing_is_done_between) {
  const std::string arrive = " { auto x = c.barrier_arrive(); ",
                    wait = " c.barrier_wait(cg::cluster_group::arrival_token(x)); } ";
  const std::string first = "a[g] = t;", behind = "o[g] = a[(b ^ 1) * 64 + t];";
  rows({
      {first + arrive + "int w = in[t]; n += w;" + wait + behind, 0},
      {first + "__cluster_barrier_arrive(); __cluster_barrier_wait(); " + behind, 0},
      {first +
           "asm volatile(\"barrier.cluster.arrive.release.aligned;\" ::: \"memory\");"
           " asm volatile(\"barrier.cluster.wait.acquire.aligned;\" ::: \"memory\"); " +
           behind,
       0},
      {first + arrive + "o[g + 1024] = 1;" + wait + behind, 3, k_between},
      {first + arrive + "n += a[g];" + wait + behind, 3, k_between},
      {first + arrive + "__threadfence();" + wait + behind, 3, k_between},
      {first + arrive + "__syncthreads();" + wait + behind, 3, k_between},
      {first + arrive + "atomicAdd(&o[999], 1);" + wait + behind, 3, k_between},
      {first + "c.barrier_arrive();", 3, "an arrival at the barrier of the cluster that no wait follows"},
      {first + "c.barrier_wait(); " + behind, 3, "a wait at the barrier of the cluster without an arrival before it"},
      {first + "c.barrier_arrive(); c.barrier_arrive(); c.barrier_wait(); " + behind, 3,
       "before the wait of the last one"},
      {first + "if (n) c.barrier_arrive(); c.barrier_wait(); " + behind, 3, "on some ways only"},
      {first +
           "asm volatile(\"barrier.cluster.arrive.relaxed.aligned;\" ::: \"memory\");"
           " asm volatile(\"barrier.cluster.wait.aligned;\" ::: \"memory\"); " +
           behind,
       3, "barrier.cluster.arrive"},
      {first + "__cluster_barrier_arrive_relaxed(); __cluster_barrier_wait(); " + behind, 3,
       "__cluster_barrier_arrive_relaxed"},
  });
}

// The guide asks for all threads; PTX waits for those that have not exited.
TEST(Clusters, a_barrier_that_some_threads_do_not_come_to_is_not_decided) {
  const char* const k_all = "whether all threads of the cluster come to its barrier";
  rows({{"if (t < 32) c.sync();", 3, k_all},
        {"if (r == 0) c.sync();", 3, k_all},
        {"if (b < 2) c.sync();", 0},
        {"if (b < 1) c.sync();", 3, k_all},
        {"if (t == 0) return; c.sync();", 3, k_all},
        {"for (int i = 0; i < r; ++i) c.sync();", 3, k_all},
        {"for (int i = 0; i < b / 2; ++i) c.sync();", 0},
        {"if (t < 32) c.sync(); else __syncthreads();", 1, "barrier may be reached by non-uniform control flow"}});
}

TEST(Clusters, what_is_not_followed_is_named) {
  const std::string begin = "s[t] = in[g]; c.sync(); ", end = " c.sync();";
  const std::string other = "c.map_shared_rank(s, r ^ 1)";
  rows({
      {begin + "int *p[2] = {s, " + other + "}; p[n & 1][t] = 1;" + end, 3, "an address in another block that is kept"},
      {begin + "c.map_shared_rank(a, r ^ 1)[g] = 1;" + end, 3, "which is no shared memory"},
      {begin + "o[g] = c.query_shared_rank(" + other + ");" + end, 3, "query_shared_rank"},
      {begin + "__pipeline_memcpy_async(&s[t], &in[g], 4); __pipeline_commit(); __pipeline_wait_prior(0);" + end +
           other + "[t] = 1;" + end,
       3, "a copy, or an annotation, of shared memory that other blocks access"},
      {begin +
           "__shared__ unsigned long long bar; unsigned at = (unsigned)__cvta_generic_to_shared(&bar);"
           " if (t == 0) asm volatile(\"mbarrier.init.shared.b64 [%0], 64;\" :: \"r\"(at) : \"memory\"); c.sync();" +
           other + "[t] = 1;" + end,
       3, "barrier objects beside shared memory that other blocks access"},
  });
}

TEST(Clusters, inline_ptx_is_read) {
  const std::string sync =
      "#define SYNC asm volatile(\"barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\" ::: \"memory\")\n";
  const std::string map =
      "unsigned at = (unsigned)__cvta_generic_to_shared(&s[t]), q, w; asm(\"mov.u32 %0, %%cluster_ctarank;\" : "
      "\"=r\"(w));"
      " asm volatile(\"mapa.shared::cluster.u32 %0, %1, %2;\" : \"=r\"(q) : \"r\"(at), \"r\"(w ^ 1)); ";
  const std::string load = "asm volatile(\"ld.shared::cluster.u32 %0, [%1];\" : \"=r\"(w) : \"r\"(q) : \"memory\"); ";
  const std::string store =
      "asm volatile(\"st.shared::cluster.u32 [%0], %1;\" :: \"r\"(q), \"r\"(t + 1) : \"memory\"); ";
  const std::string add = "asm volatile(\"red.shared::cluster.add.u32 [%0], 1;\" :: \"r\"(q) : \"memory\"); ";
  const std::string dims = "__cluster_dims__(2, 1, 1)";
  rows({{"s[t] = t; SYNC; " + map + load + "SYNC; o[g] = w; s[t] = 0;", 0, "", dims, sync},
        {"s[t] = t; SYNC; " + map + load + "s[t] = 0; SYNC; o[g] = w;", 1, k_confirmed, dims, sync},
        {"s[t] = t; SYNC; " + map + store + "SYNC; o[g] = s[t];", 0, "", dims, sync},
        {"s[t] = t; SYNC; " + map + store + "o[g] = s[t]; SYNC;", 1, k_confirmed, dims, sync},
        {"s[t] = t; SYNC; " + map + add + "SYNC; o[g] = s[t];", 0, "", dims, sync},
        {"s[t] = t; SYNC; " + map + add + "s[t] = 1; SYNC;", 1, k_confirmed, dims, sync},
        {"s[t] = t; SYNC; " + map + "unsigned z = w < 9 ? q + 4 : q; z = 0; SYNC; o[g] = z;", 0, "", dims, sync}});
}

// CUDA C++ programming guide, "Distributed Shared Memory".
TEST(Clusters, the_histogram_of_the_guide_is_verified) {
  const auto text = [](const char* first, const char* second) {
    return std::string(
               "#include <cooperative_groups.h>\n__global__ void hist(int *bins, const int nbins, const int per_block,"
               " const int *__restrict__ input, size_t size) {\n  extern __shared__ int smem[];\n"
               "  namespace cg = cooperative_groups;\n  int tid = cg::this_grid().thread_rank();\n"
               "  cg::cluster_group cluster = cg::this_cluster();\n"
               "  for (int i = threadIdx.x; i < per_block; i += blockDim.x) smem[i] = 0;\n  ") +
           first +
           ";\n  for (int i = tid; i < size; i += blockDim.x * gridDim.x) {\n"
           "    int id = input[i];\n    if (id < 0) id = 0; else if (id >= nbins) id = nbins - 1;\n"
           "    int *to = cluster.map_shared_rank(smem, (int)(id / per_block));\n"
           "    atomicAdd(to + id % per_block, 1);\n  }\n  " +
           second +
           ";\n  int *lbins = bins + cluster.block_rank() * per_block;\n"
           "  for (int i = threadIdx.x; i < per_block; i += blockDim.x) atomicAdd(&lbins[i], smem[i]);\n}\n";
  };
  const std::string sync = "cluster.sync()", right = text(sync.c_str(), sync.c_str()),
                    early = text("__syncthreads()", sync.c_str()), late = text(sync.c_str(), "__syncthreads()");
  decide({{"k.cu", right.c_str(), 0, "is below the number of blocks of the cluster"},
          {"k.cu", early.c_str(), 1, k_confirmed},
          {"k.cu", late.c_str(), 1, "atomic-read race on smem"}});
}

// What fences and ordered atomics of the scope of a cluster order between its blocks is not followed, and no run shows
// a race by them.
TEST(Clusters, orders_of_their_scope_are_not_followed) {
  const auto message = [](const std::string& fence) {
    return "int f = b / 2;\n  if (t == 0 && r == 0) { o[f] = in[g]; " + fence + " atomicExch(&a[f], 1); }\n" +
           "  if (t == 0 && r == 1) { while (atomicAdd(&a[f], 0) != 1); " + fence + " u[0] = o[f]; }";
  };
  const auto lock = [](const std::string& scope) {
    return "if (t == 0) { unsigned z; int *l = a + b / 2;\n"
           "  do { asm volatile(\"atom.acquire." +
           scope +
           ".global.cas.b32 %0, [%1], 0, 1;\" : \"=r\"(z) : \"l\"(l) : \"memory\"); } while (z != 0);\n"
           "  o[b / 2] += g;\n"
           "  asm volatile(\"atom.release." +
           scope + ".global.exch.b32 %0, [%1], 0;\" : \"=r\"(z) : \"l\"(l) : \"memory\"); }";
  };
  rows({
      {message("asm volatile(\"fence.acq_rel.cluster;\" ::: \"memory\");"), 1, "!confirmed by a run"},
      {message("asm volatile(\"fence.acq_rel.cta;\" ::: \"memory\");"), 1, k_confirmed},
      {message("__threadfence();"), 0},
      {lock("cluster"), 1, "!confirmed by a run"},
      {lock("cta"), 1, k_confirmed},
      {lock("gpu"), 0},
  });
}

// PTX: `.shared` alone is `.shared::cta`, and an address in another block is not in that space.
TEST(Clusters, another_block_is_in_the_space_of_the_cluster_alone) {
  const auto store = [](const std::string& space) {
    return "unsigned to, from = __cvta_generic_to_shared(&s[t]); c.sync();\n"
           "  asm volatile(\"mapa.shared::cluster.u32 %0, %1, %2;\" : \"=r\"(to) : \"r\"(from), \"r\"(r ^ 1));\n"
           "  asm volatile(\"st." +
           space + ".u32 [%0], %1;\" :: \"r\"(to), \"r\"(g) : \"memory\"); c.sync(); o[g] = s[t];";
  };
  const char* const another = "which is not in that space";
  rows({
      {store("shared::cluster"), 0},
      {store("shared::cta"), 3, another},
      {store("shared"), 3, another},
      {store("relaxed.cluster.shared"), 3, another},
  });
}

TEST(Clusters, the_bounds_of_an_array_are_those_in_each_block) {
  const std::vector<std::string> bounds = {"--check-array-bounds"};
  const std::string dims = "__cluster_dims__(2, 1, 1)";
  const auto read = [](const std::string& of) {
    return "s[t & 63] = t; c.sync(); int x = c.map_shared_rank(s, r ^ 1)[" + of +
           "]; c.sync(); o[0] = 1; u[x & 63] = 1;";
  };
  for (const auto& [index, code] :
       {std::pair<std::string, int>{"t & 63", 0}, {"(t & 63) + 1", 1}, {"(t & 63) - 1", 1}}) {
    const std::string text = kernel(read(index), dims);
    std::vector<std::string> with = bounds;
    with.push_back("--check-arrays=s");
    decide({{"k.cu", text.c_str(), code, code == 0 ? "" : "out-of-bounds", with}});
  }
}

}  // namespace
}  // namespace fencepost::verifier
