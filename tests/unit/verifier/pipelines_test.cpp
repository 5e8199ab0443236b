// Pipelines of a block, cuda::make_pipeline(block, &state): rings of barrier objects, to which threads arrive with the
// copies that they have begun (std.hdr, prove/rings.h).
#include "decide.h"

namespace fencepost::verifier {
namespace {

struct Change {
  const char *what, *by;
  int exit_code = 3;
};

void pipeline(const std::string& body, const std::vector<Change>& changes) {
  const std::string text =
      "#include <cooperative_groups.h>\n#include <cuda/pipeline>\nnamespace cg = cooperative_groups;\n"
      "constexpr auto block_scope = cuda::thread_scope_block;\n"
      "__global__ void k(float *out, const float *in, int n) { constexpr int S = 3; __shared__ float buf[S][64];"
      " __shared__ cuda::pipeline_shared_state<block_scope, S> state; auto block = cg::this_thread_block();"
      " const int t = threadIdx.x, lane = t & 31; float x = 0;\n" +
      body + "}\n";
  decide({{"k.cu", text.c_str(), 0}});
  for (const Change& c : changes) {
    std::string weaker = text;
    const size_t at = weaker.find(c.what);
    ASSERT_NE(at, std::string::npos) << c.what;
    weaker.replace(at, std::string(c.what).size(), c.by);
    decide({{"k.cu", weaker.c_str(), c.exit_code, "", {"--no-attack"}}});
  }
}

TEST(Pipelines, of_all_threads) {
  pipeline(R"(auto pipe = cuda::make_pipeline(block, &state);
  for (int it = 0; it < n; ++it) {
    pipe.producer_acquire();
    cuda::memcpy_async(&buf[it % S][t], &in[it * 64 + t], sizeof(float), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    x += buf[it % S][63 - t];
    pipe.consumer_release();
  }
  out[blockIdx.x * 64 + t] = x;)",
           {{"pipe.consumer_wait();", ""},
            {"pipe.producer_commit();\n", ""},
            {"cuda::memcpy_async(&buf", "pipe.producer_commit(); cuda::memcpy_async(&buf"},
            {"&buf[it % S][t]", "&buf[it % S][t / 2]"},
            {"x += buf[it % S]", "x += buf[(it + 1) % S]"},
            {"out[blockIdx.x * 64 + t] = x;", "pipe.quit();"},
            {"out[blockIdx.x * 64 + t] = x;", "out[blockIdx.x * 64 + t] = buf[0][63 - t];"}});
}

// The block copies together, and each thread waits for all of it.
TEST(Pipelines, of_copies_of_the_block) {
  pipeline(R"(auto pipe = cuda::make_pipeline(block, &state);
  for (int s = 0; s < S - 1; ++s) {
    pipe.producer_acquire();
    cuda::memcpy_async(block, buf[s], in + s * 64, sizeof(float) * 64, pipe);
    pipe.producer_commit();
  }
  for (int it = 0; it < n; ++it) {
    const int g = it + S - 1;
    pipe.producer_acquire();
    if (g < n) cuda::memcpy_async(block, buf[g % S], in + g * 64, sizeof(float) * 64, pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    x += buf[it % S][63 - t];
    pipe.consumer_release();
  }
  out[blockIdx.x * 64 + t] = x;)",
           {{"pipe.consumer_wait();", ""},
            {"s < S - 1", "s < S - 2"},
            {"if (g < n) cuda", "if (t < 32) cuda", 1},
            {"buf[g % S], in", "buf[g % S] + t, in", 1}});
  pipeline(R"(auto pipe = cuda::make_pipeline(block, &state);
  pipe.producer_acquire();
  cuda::memcpy_async(block, buf[0], in, sizeof(float) * 64, pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  out[blockIdx.x * 64 + t] = buf[0][63 - t];
  pipe.consumer_release();)",
           {{"pipe.consumer_wait();", ""},
            {"pipe.producer_commit();", "pipe.producer_commit(); buf[0][t] = 1;"},
            {"pipe.producer_acquire();", "buf[0][t] = 1; pipe.producer_acquire();"},
            {"auto pipe =",
             "__shared__ cuda::pipeline_shared_state<block_scope, 2> other; auto second = "
             "cuda::make_pipeline(block, &other); second.producer_acquire(); second.producer_commit();"
             " auto pipe ="}});
}

TEST(Pipelines, of_two_roles) {
  const std::string loops = R"(
  if (fills) {
    for (int it = 0; it < n; ++it) {
      pipe.producer_acquire();
      cuda::memcpy_async(&buf[it % S][lane], &in[it * 32 + lane], sizeof(float), pipe);
      pipe.producer_commit();
    }
  } else {
    for (int it = 0; it < n; ++it) {
      pipe.consumer_wait();
      x += buf[it % S][31 - lane];
      pipe.consumer_release();
    }
    out[blockIdx.x * 32 + lane] = x;
  })";
  pipeline(
      "const bool fills = t < 32; auto pipe = cuda::make_pipeline(block, &state, fills ?"
      " cuda::pipeline_role::producer : cuda::pipeline_role::consumer);" +
          loops,
      {{"pipe.consumer_wait();", ""},
       {"pipe.producer_acquire();", ""},
       {"pipe.consumer_release();", ""},
       {"x += buf[it % S][31 - lane];\n      pipe.consumer_release();",
        "pipe.consumer_release(); x += buf[it % S][31 - lane];"},
       {"pipe.producer_commit();", "pipe.producer_commit(); buf[it % S][lane] = 0;"},
       {"it < n; ++it) {\n      pipe.consumer_wait", "it <= n; ++it) {\n      pipe.consumer_wait"},
       {"if (fills)", "if (t < 31)"},
       {"&state, fills", "&state, t & 1"}});
  pipeline("const bool fills = t < 32; auto pipe = cuda::make_pipeline(block, &state, 32);" + loops,
           {{"&state, 32", "&state, 33"}, {"&state, 32", "&state"}});
}

TEST(Pipelines, of_other_groups_are_not_followed) {
  const std::string text =
      "#include <cooperative_groups.h>\n#include <cuda/pipeline>\nnamespace cg = cooperative_groups;\n"
      "__global__ void k(float *out, const float *in) { __shared__ float buf[64];"
      " __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state; auto block = "
      "cg::this_thread_block(); auto group = GROUP; auto pipe = cuda::make_pipeline(group, &state);"
      " pipe.producer_acquire(); cuda::memcpy_async(block, buf, in, 256, pipe); pipe.producer_commit();"
      " pipe.consumer_wait(); out[blockIdx.x * 64 + threadIdx.x] = buf[63 - threadIdx.x]; pipe.consumer_release(); }";
  decide({{"whole.cu", text.c_str(), 0, "", {"-DGROUP=block"}},
          {"tile.cu", text.c_str(), 3, "cuda::pipeline", {"-DGROUP=cg::tiled_partition<32>(block)"}}});
}

}  // namespace
}  // namespace fencepost::verifier
