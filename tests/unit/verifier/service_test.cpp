// From a kernel's text to the answer that is printed.
#include "verifier/service.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "base/read_file.h"
#include "clangfe/clangfe.h"

namespace fencepost::verifier {
namespace {

launch::Answer ask(const std::vector<std::string>& words, const std::string& text, const std::string& name = "k.cl") {
  const auto o = launch::parse(words);
  EXPECT_TRUE(o) << (o ? "" : render(o.error()));
  return answer(*o, make_source(name, text));
}

class Service : public testing::Test {
 protected:
  void SetUp() override {
    if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  }
};

TEST_F(Service, a_kernel_without_races_is_verified) {
  const auto a =
      ask({"--local_size=64", "--num_groups=16"}, "__kernel void k(__global int *a) { a[get_global_id(0)] = 1; }");
  EXPECT_EQ(a.exit_code, 0) << a.err;
  EXPECT_EQ(a.ending, launch::Ending::success);
  EXPECT_NE(a.out.find("- no data races between work groups"), std::string::npos) << a.out;
}

TEST_F(Service, a_race_has_two_threads_two_lines_the_bytes_and_a_run) {
  const auto a =
      ask({"--local_size=8", "--num_groups=2"},
          "typedef struct { int x, y; } S;\n__kernel void k(__global S *a) {\n  a[3].y = get_global_id(0);\n}\n");
  EXPECT_EQ(a.exit_code, 1);
  EXPECT_EQ(a.ending, launch::Ending::not_all_verified);
  EXPECT_NE(a.err.find("k.cl: error: possible write-write race on a[3] (bytes 4..7):"), std::string::npos) << a.err;
  EXPECT_NE(a.err.find("k.cl:3:10:\n  a[3].y = get_global_id(0);"), std::string::npos) << a.err;
  EXPECT_NE(a.err.find("\n  race (confirmed by a run): a write of "), std::string::npos) << a.err;
}

TEST_F(Service, a_race_that_a_run_shows_is_told_with_the_threads_and_the_element_of_the_run) {
  // The threads t and t + 15 of one block meet at o[t % 15]; the value that each of them writes is its number.
  const auto a = ask({"--blockDim=16", "--gridDim=1"},
                     "__device__ int fold(int n) { return n < 15 ? n : fold(n - 15); }\n"
                     "__global__ void k(int* o) { o[fold(threadIdx.x)] = threadIdx.x; }\n",
                     "k.cu");
  EXPECT_NE(a.err.find("race on o[0]:"), std::string::npos) << a.err;
  EXPECT_NE(a.err.find("Write by thread 0 in thread block 0"), std::string::npos) << a.err;
  EXPECT_NE(a.err.find("Write by thread 15 in thread block 0"), std::string::npos) << a.err;
  EXPECT_NE(a.err.find("(confirmed by a run)"), std::string::npos) << a.err;
}

// What one kernel of an OpenCL file asks for that is not modelled leaves the others decided.
TEST_F(Service, an_opencl_kernel_that_is_not_read_is_a_row) {
  const std::string put = "void put(write_only image2d_t i) { write_imagef(i, (int2)(get_global_id(0), 0), 1.0f); }\n";
  const std::string one =
      "__kernel void one(__global int *o, write_only image2d_t i) {\n"
      "  o[get_global_id(0)] = 1; put(i); }\n";
  const std::string two = "__kernel void two(write_only image2d_t i) { put(i); barrier(CLK_LOCAL_MEM_FENCE); }\n";
  const std::string three = "__kernel void three(__global int *o) { barrier(CLK_LOCAL_MEM_FENCE); o[0] = 1; }\n";
  const std::vector<std::string> words{"--local_size=64", "--num_groups=2", "--std=CL2.0", "--no-benign-tolerance"};
  auto a = ask(words, put + one + two);
  EXPECT_EQ(a.exit_code, 3) << a.err;
  EXPECT_NE(a.out.find("  one  verified  local_size=64, num_groups=2"), std::string::npos) << a.out;
  EXPECT_NE(a.out.find("  two  not read  k.cl:4:1: an image that is written beside a barrier"), std::string::npos)
      << a.out;
  a = ask(words, put + one + two + three);
  EXPECT_EQ(a.exit_code, 1) << a.err;
  EXPECT_NE(a.out.find("  three  1 error"), std::string::npos) << a.out;
  // Where none is read, the file is not.
  a = ask(words, put + two);
  EXPECT_EQ(a.exit_code, 3) << a.err;
  EXPECT_NE(a.err.find("error: unsupported: an image that is written beside a barrier"), std::string::npos) << a.err;
  // By contract, functions are followed by themselves, and who calls which is not asked.
  std::vector<std::string> apart = words;
  apart.emplace_back("--no-inline");
  EXPECT_EQ(ask(apart, put + one + two).exit_code, 3);
}

// Sub-groups of another size do not exist for this kernel; which work items make one is still not said.
TEST_F(Service, the_size_of_sub_groups_that_a_kernel_asks_for_is_a_precondition) {
  const auto with = [](const std::string& other) {
    return "__attribute__((intel_reqd_sub_group_size(8)))\n__kernel void k(__global int *o, __local int *s) {\n"
           "  uint t = get_local_id(0); s[t] = t; sub_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
           "  o[get_global_id(0)] = s[" +
           other + "]; }\n";
  };
  const std::vector<std::string> words{"--local_size=64", "--num_groups=2", "--std=CL2.0"};
  const auto sized = [&](const char* size) {
    std::vector<std::string> out = words;
    out.push_back(std::string("--sub-group-size=") + size);
    return out;
  };
  EXPECT_EQ(ask(sized("8"), with("t ^ 7")).exit_code, 0);
  EXPECT_EQ(ask(sized("8"), with("t ^ 8")).exit_code, 1);
  const auto other = ask(sized("16"), with("t ^ 7"));
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_NE(other.err.find("vacuous"), std::string::npos) << other.err;
  const auto a = ask(words, with("t ^ 7"));
  EXPECT_EQ(a.exit_code, 1);
  EXPECT_EQ(a.err.find("confirmed by a run"), std::string::npos) << a.err;
  EXPECT_NE(ask(words, with("t ^ 8")).err.find("confirmed by a run"), std::string::npos);
}

TEST_F(Service, a_kernel_that_the_budget_does_not_reach_is_a_row_that_is_not_decided) {
  const std::string text =
      "__kernel void first(__global int* a) { a[get_global_id(0)] = 1; }\n"
      "__kernel void second(__global int* a) { a[get_global_id(0)] = 2; }\n";
  const auto a = ask({"--local_size=64", "--num_groups=16", "--budget=0.000001"}, text);
  EXPECT_EQ(a.exit_code, 3) << a.err;
  for (const char* name : {"first", "second"})
    EXPECT_NE(a.err.find(std::string("'") + name + "': gave up: the 1e-06 s for the whole file are spent"),
              std::string::npos)
        << a.err;
  const auto j = ask({"--local_size=64", "--num_groups=16", "--budget=0.000001", "--format=json"}, text);
  EXPECT_EQ(nlohmann::json::parse(j.out)["kernels"].size(), 2U);
}

TEST_F(Service, what_the_text_assumes_is_named_and_blames_its_own_kernel_alone) {
  const std::string text =
      "__global__ void plain(int* o) { o[blockIdx.x * 64 + threadIdx.x] = 1; }\n"
      "__device__ int less(int t) { __builtin_assume(t != 3); return t == 3 ? 2 : t; }\n"
      "__global__ void assumes(int* o) { o[blockIdx.x * 64 + less(threadIdx.x)] = 1 + threadIdx.x; }\n";
  const auto a = ask({"--blockDim=64", "--gridDim=4", "--no-attack"}, text, "k.cu");
  EXPECT_EQ(a.exit_code, 0) << a.err;
  EXPECT_NE(a.err.find("the proof of 'assumes' assumes that what is assumed at k.cu:2:"), std::string::npos) << a.err;
  EXPECT_EQ(a.err.find("the proof of 'plain' assumes"), std::string::npos) << a.err;
  const auto strict = ask({"--blockDim=64", "--gridDim=4", "--strict"}, text, "k.cu");
  EXPECT_EQ(strict.exit_code, 3);
  EXPECT_NE(strict.err.find("'assumes': under --strict"), std::string::npos) << strict.err;
  EXPECT_EQ(strict.err.find("'plain'"), std::string::npos) << strict.err;
}

TEST_F(Service, where_any_size_is_asked_for_the_launch_is_named_and_run) {
  const std::string text = "__kernel void k(__global int *a) {\n  a[get_local_id(0)] = get_global_id(0);\n}\n";
  const auto a = ask({"--local_size=*", "--num_groups=*"}, text);
  EXPECT_EQ(a.exit_code, 1);
  EXPECT_NE(a.err.find("race (confirmed by a run) at local_size="), std::string::npos) << a.err;
  ASSERT_EQ(a.launches.size(), 1u);
  EXPECT_EQ(a.launches[0].num_groups[0], launch::Size{2});
  const auto b =
      ask({"--blockDim=32", "--gridDim=*"}, "__global__ void k(int *a) { a[threadIdx.x] = blockIdx.x; }", "k.cu");
  EXPECT_NE(b.err.find("race (confirmed by a run) at gridDim=2: a write of 1, then a write of 0\n"), std::string::npos)
      << b.err;
  const auto j = ask({"--local_size=*", "--num_groups=*", "--format", "json"}, text);
  const auto launch = nlohmann::json::parse(j.out)["kernels"][0]["findings"][0]["launch"];
  EXPECT_EQ(launch["num_groups"], nlohmann::json::array({2}));
}

TEST_F(Service, what_is_not_modelled_is_never_verified) {
  const auto b =
      ask({"--blockDim=64", "--gridDim=1"}, "__global__ void k(int *a) { asm volatile(\"brkpt;\"); }", "k.cu");
  EXPECT_EQ(b.exit_code, 3);
  EXPECT_NE(b.err.find("k.cu:1:29: error: unsupported"), std::string::npos) << b.err;
  EXPECT_EQ(ask({"--local_size=4", "--num_groups=1", "--findbugs"},
                "__kernel void k(__global int *a) { a[get_global_id(0)] = 1; }")
                .exit_code,
            3);
}

TEST_F(Service, what_gives_up_says_so_in_words) {
  const std::string text =
      "__global__ void k(int *o, unsigned n, unsigned m) { o[(2 * n + 1) * (2 * m + 1) * threadIdx.x] = threadIdx.x; }";
  const auto a = answer(*launch::parse({"--blockDim=64", "--gridDim=1", "--timeout=0.001", "--no-attack", "--strict"}),
                        make_source("k.cu", text));
  EXPECT_EQ(a.exit_code, 3);
  EXPECT_NE(a.err.find("not decided: 'k': gave up: no answer within 0.001 s"), std::string::npos) << a.err;
  EXPECT_NE(a.err.find("a longer --timeout may do"), std::string::npos) << a.err;
}

TEST_F(Service, arguments_are_as_many_and_as_large_as_the_parameters) {
  const std::string text = "__kernel void k(__global int *a, int n, char c) { a[get_global_id(0)] = n + c; }";
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--local_size=8", "--num_groups=2"});
    return ask(words, text);
  };
  EXPECT_EQ(with({"--kernel-args=k,0xffffffff,*"}).exit_code, 0);
  EXPECT_EQ(with({"--kernel-args=k,-2147483648,-128"}).exit_code, 0);
  EXPECT_FALSE(launch::parse({"--kernel-args=k,-1x,0"}));
  const std::pair<std::vector<std::string>, const char*> wrong[] = {
      {{"--kernel-args=k,-2147483649,0"}, "-2147483649 is too small for 'n' of 'k', which has 32 bits"},
      {{"--kernel-args=k,1"}, "'k' has 2 of these, and 1 are given"},
      {{"--kernel-args=k,1,2,3"}, "'k' has 2 of these, and 3 are given"},
      {{"--kernel-args=k,1,2", "--kernel-args=k,3,4"}, "'k' is given twice"},
      {{"--kernel-args=k,4294967296,2"}, "4294967296 is too large for 'n' of 'k', which has 32 bits"},
      {{"--kernel-args=k,1,256"}, "256 is too large for 'c'"},
      {{"--kernel-arrays=k,4,4"}, "'k' has 1 of these, and 2 are given"}};
  for (const auto& [words, says] : wrong) {
    const auto a = with(words);
    EXPECT_EQ(a.exit_code, 2) << says;
    EXPECT_NE(a.err.find(says), std::string::npos) << a.err;
  }
}

TEST_F(Service, a_file_that_cannot_be_read_has_every_form) {
  launch::Options o;
  o.files = {"nowhere.cl"};
  o.form = launch::Form::json;
  const auto a = unreadable(o, Diagnostic{.message = "cannot read nowhere.cl"});
  EXPECT_EQ(a.exit_code, 2);
  const auto j = nlohmann::json::parse(a.out);
  EXPECT_EQ(j["answer"], "bad_input");
  EXPECT_EQ(j["path"], "nowhere.cl");
  EXPECT_EQ(j["diagnostics"][0]["message"], "cannot read nowhere.cl");
}

TEST_F(Service, bad_input) {
  EXPECT_EQ(ask({"--local_size=64"}, "__kernel void k() {}").exit_code, 2);
  EXPECT_EQ(ask({"--local_size=64", "--num_groups=1"}, "__kernel void k() { x = 1; }").exit_code, 2);
  EXPECT_EQ(ask({"--local_size=64", "--num_groups=1"}, "int x(void);").exit_code, 2);
  EXPECT_EQ(
      ask({"--local_size=64", "--num_groups=1", "--check-arrays=B"}, "__kernel void k(__global int *A) {}").exit_code,
      2);
  EXPECT_EQ(ask({"--local_size=64", "--num_groups=1", "--equality-abstraction"},
                "__kernel void k(__global int *A) { atomic_inc(A); }")
                .ending,
            launch::Ending::gpuverifyvcgen_error);
}

TEST_F(Service, arguments_are_for_kernels_that_are_there) {
  const std::string text = "__kernel void k(__global int *a, int n, __local int *s) { a[get_global_id(0) + n] = 1; }";
  const std::vector<std::string> launch{"--local_size=4", "--num_groups=2"};
  const auto with = [&](const std::string& word) {
    std::vector<std::string> words = launch;
    words.push_back(word);
    return ask(words, text);
  };
  EXPECT_NE(with("--kernel-args=kk,1").err.find("there is no kernel 'kk'"), std::string::npos);
  EXPECT_EQ(with("--kernel-args=kk,1").exit_code, 2);
  EXPECT_EQ(with("--kernel-args=k,1,2").exit_code, 2);
  EXPECT_EQ(with("--kernel-args=k,1").exit_code, 0);
  EXPECT_EQ(with("--kernel-arrays=k,32,*,4").exit_code, 2);
  EXPECT_EQ(with("--kernel-arrays=k,32,*").exit_code, 0);
  for (const char* size : {"36", "32"}) {
    const auto a = ask({"--local_size=4", "--num_groups=2", "--check-array-bounds", "--kernel-args=k,1",
                        std::string("--kernel-arrays=k,") + size},
                       text);
    EXPECT_EQ(a.exit_code, std::string(size) == "36" ? 0 : 1) << a.err;
  }
}

TEST_F(Service, races_on_other_arrays_do_not_count) {
  const std::string text =
      "__kernel void k(__global int *A, __global int *B) { A[get_global_id(0)] = 1; B[0] = get_global_id(0); }";
  EXPECT_EQ(ask({"--local_size=8", "--num_groups=1"}, text).exit_code, 1);
  EXPECT_EQ(ask({"--local_size=8", "--num_groups=1", "--check-arrays=A"}, text).exit_code, 0);
  EXPECT_EQ(ask({"--local_size=8", "--num_groups=1", "--vcgen-opt=/checkArrays:A,B"}, text).exit_code, 1);
}

TEST_F(Service, the_references_words_on_request) {
  const auto a = ask({"--local_size=8", "--num_groups=1", "--compat"},
                     "__kernel void k(int n) {\n  for (int i = 0; __invariant(i >= 0 && i <= n), i < n; i++) {}\n}\n");
  EXPECT_EQ(a.ending, launch::Ending::gpuverifyvcgen_error);
  EXPECT_NE(a.err.find("k.cl:2:19: user-specified invariant does not appear at loop head"), std::string::npos) << a.err;
  EXPECT_EQ(ask({"--local_size=8", "--num_groups=1"},
                "__kernel void k(int n) {\n  for (int i = 0; __invariant(i >= 0 && i <= 100), i < 100; i++) {}\n}\n")
                .exit_code,
            0);
  const auto b = ask({"--local_size=8", "--num_groups=1", "--compat"}, "__kernel void k() {}");
  EXPECT_NE(b.out.find("GPUVerify kernel analyser finished with 1 verified, 0 errors"), std::string::npos) << b.out;
}

TEST_F(Service, functions_are_verified_from_the_states_of_their_calls) {
  const std::string helper = "void set(__global int *p, int v) { p[get_local_id(0)] = v; }\n";
  const std::string call = "__kernel void k(__global int *a) { set(a, 3); }\n";
  const std::vector<std::string> words{"--local_size=64", "--num_groups=1", "--no-inline"};
  EXPECT_EQ(ask(words, helper + call).exit_code, 0) << ask(words, helper + call).err;
  // Nobody calls it: its pointer may be null, and may lie anywhere.
  EXPECT_EQ(ask(words, helper + "__kernel void k(__global int *a) { a[get_local_id(0)] = 1; }\n").exit_code, 1);
  // A contract of its own counts, not what the calls happen to be.
  const std::string half =
      "int half_of(int a) { __requires(a > 0); __ensures(__return_val_int() > 0); return a / 2; }\n";
  EXPECT_EQ(ask(words, half + "__kernel void k(__global int *a) { a[get_local_id(0)] = half_of(5); }\n").exit_code, 1);
}

TEST_F(Service, copies_of_one_element_by_many_threads_are_a_race) {
  const std::vector<std::string> words{"--local_size=8", "--num_groups=1"};
  const std::string text =
      "__kernel void k(__global int *a, __global int *b) { int i = get_local_id(0) / 2; a[i] = b[i]; }";
  EXPECT_EQ(ask(words, text).exit_code, 1);
  EXPECT_EQ(ask({"--local_size=8", "--num_groups=1", "--equality-abstraction"}, text).exit_code, 0);
  EXPECT_EQ(ask(words, "__kernel void k(__global int *a) { a[0] = 1; }").exit_code, 0);
  // One element, whoever the threads are.
  EXPECT_EQ(ask(words, "__kernel void k(__global int *a, __global int *b) { a[0] = b[0]; }").exit_code, 0);
  EXPECT_EQ(ask(words, "__kernel void k(__global int *a, __global int *b) { if (b[0] > 0) a[0] = b[0]; }").exit_code,
            0);
}

TEST_F(Service, closed_forms_are_inferred_too) {
  const std::string text =
      "__kernel void k(__global int *a) {\n  for (int i = 0; __invariant(i % 2 == 0), i < 10; i += 2) __assert(i >= "
      "0);\n}\n";
  EXPECT_EQ(ask({"--local_size=8", "--num_groups=1"}, text).exit_code, 0);
  EXPECT_EQ(ask({"--local_size=8", "--num_groups=1", "--no-infer"}, text).exit_code, 1);
}

TEST_F(Service, a_component_of_a_vector_is_written_alone) {
  const std::vector<std::string> words{"--local_size=4", "--num_groups=1"};
  const std::string head = "__kernel void k(__global float4 *a) { uint t = get_local_id(0);\n";
  EXPECT_EQ(ask(words, head + "if (t == 0) a[0].x = 1; if (t == 1) a[0].y = 2; if (t == 2) a[0].zw = (float2)(3, 4); }")
                .exit_code,
            0);
  const auto a = ask(words, head + "if (t == 0) a[0].x = 1; if (t == 1) a[0].xy = (float2)(3, 4); }");
  EXPECT_NE(a.err.find("write-write race on a[0] (bytes 0..3)"), std::string::npos) << a.err;
}

TEST_F(Service, a_parameter_that_is_a_function) {
  const std::string text =
      "__device__ void twice(float *v) { v[threadIdx.x] *= 2; }\n__device__ void first(float *v) { v[0] *= 2; }\n"
      "typedef void (*F)(float *);\n__global__ void k(float *v, F f) { __requires(f == ";
  EXPECT_EQ(ask({"--blockDim=4", "--gridDim=1"}, text + "twice); f(v); }", "k.cu").exit_code, 0);
  EXPECT_EQ(ask({"--blockDim=4", "--gridDim=1"}, text + "first); f(v); }", "k.cu").exit_code, 1);
  EXPECT_EQ(ask({"--blockDim=4", "--gridDim=1"}, text + "twice || true); f(v); }", "k.cu").exit_code, 1);
}

TEST_F(Service, mutants_that_go_wrong_are_refuted) {
  const auto a = ask({"--local_size=16", "--num_groups=2", "--mutants"},
                     "__kernel void k(__global int *a, __global int *c, __local int *s) {\n  uint t = "
                     "get_local_id(0);\n  s[t] = a[get_global_id(0)];\n"
                     "  barrier(CLK_LOCAL_MEM_FENCE);\n  a[get_global_id(0)] = s[15 - t];\n  atomic_add(c, 1);\n}\n");
  EXPECT_EQ(a.exit_code, 0) << a.err;
  EXPECT_EQ(a.mutants.kernels, 1u);
  EXPECT_EQ(a.mutants.made, 6u);
  EXPECT_GE(a.mutants.wrong, 3u);
  EXPECT_EQ(a.mutants.refuted, a.mutants.wrong) << a.err;
}

TEST_F(Service, json) {
  const std::string text = "__kernel void k(__global int *a, int n) {\n  a[n] = get_global_id(0);\n}\n";
  const auto a = ask({"--local_size=8", "--num_groups=*", "--format=json"}, text);
  EXPECT_EQ(a.exit_code, 1);
  const auto j = nlohmann::json::parse(a.out);
  EXPECT_EQ(j["schema"], "fencepost.prove/1");
  EXPECT_EQ(j["answer"], "defect");
  EXPECT_EQ(j["launch"]["num_groups"][0], "*");
  const auto& f = j["kernels"][0]["findings"][0];
  EXPECT_EQ(f["kind"], "data-race");
  EXPECT_EQ(f["array"], "a");
  EXPECT_EQ(f["threads"].size(), 2u);
  EXPECT_EQ(f["threads"][0]["place"]["line"], 2);
  EXPECT_TRUE(f["arguments"]["n"].is_string());
  const auto& effort = j["kernels"][0]["effort"];
  EXPECT_EQ(effort["passes"], 2) << "within a group, and between two";
  EXPECT_GE(effort["pairs"], 2);
  EXPECT_GE(effort["solved"].get<int>() + effort["folded"].get<int>(), 2);
  const auto bad = nlohmann::json::parse(
      ask({"--local_size=8", "--num_groups=1", "--format=json"}, "__kernel void k() { x = 1; }").out);
  EXPECT_EQ(bad["answer"], "bad_input");
  EXPECT_EQ(bad["diagnostics"][0]["location"], "k.cl:1:21");
}

// What SARIF 2.1.0 requires of each object that we write, and what code-scanning viewers ask for beyond it.
TEST_F(Service, sarif) {
  const std::string text =
      "__kernel void k(__global int *a) {\n  /* \xc3\xa4 */ a[0] = get_global_id(0);\n  if (get_local_id(0) > 2) "
      "barrier(1);\n}\n";
  const auto a = ask({"--local_size=8", "--num_groups=1", "--format=sarif"}, text, "my kernels/k.cl");
  EXPECT_EQ(a.exit_code, 1);
  EXPECT_EQ(a.err, "");
  const auto j = nlohmann::json::parse(a.out);
  EXPECT_EQ(j["version"], "2.1.0");
  ASSERT_EQ(j["runs"].size(), 1u);
  const auto& run = j["runs"][0];
  const auto& rules = run["tool"]["driver"]["rules"];
  EXPECT_TRUE(run["invocations"][0]["executionSuccessful"].get<bool>());
  ASSERT_GE(run["results"].size(), 2u);
  for (const auto& r : run["results"]) {
    EXPECT_EQ(rules[r["ruleIndex"].get<size_t>()]["id"], r["ruleId"]);
    EXPECT_FALSE(r["message"]["text"].get<std::string>().empty());
    EXPECT_EQ(r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "my%20kernels/k.cl");
    EXPECT_GE(r["locations"][0]["physicalLocation"]["region"]["startLine"], 1);
    EXPECT_TRUE(r["partialFingerprints"].is_object());
    if (r["ruleId"] == "data-race") {
      EXPECT_EQ(r["codeFlows"][0]["threadFlows"].size(), 2u);
      EXPECT_EQ(r["relatedLocations"].size(), 2u);
      EXPECT_EQ(r["locations"][0]["physicalLocation"]["region"]["startLine"], 2);
      EXPECT_EQ(r["locations"][0]["physicalLocation"]["region"]["startColumn"], 16);  // characters, not bytes
    }
  }
  const auto bad = nlohmann::json::parse(ask({"--local_size=8", "--num_groups=1", "--format=sarif"}, "int x;").out);
  EXPECT_FALSE(bad["runs"][0]["invocations"][0]["executionSuccessful"].get<bool>());
  EXPECT_EQ(bad["runs"][0]["results"].size(), 0u);
}

// An included file that is not there may hold anything: JSON and SARIF name it, as the text does.
TEST_F(Service, files_that_are_not_found_are_named_in_each_form) {
  const std::string text = "#include <nowhere.h>\n__global__ void k(int *a) { a[threadIdx.x] = 1; }\n";
  EXPECT_NE(ask({}, text, "k.cu").err.find("not found, and taken to hold nothing that a kernel needs: nowhere.h"),
            std::string::npos);
  const auto j = nlohmann::json::parse(ask({"--format=json"}, text, "k.cu").out);
  EXPECT_EQ(j["not_found"], nlohmann::json::array({"nowhere.h"}));
  const auto s = nlohmann::json::parse(ask({"--format=sarif"}, text, "k.cu").out);
  const auto& notes = s["runs"][0]["invocations"][0]["toolExecutionNotifications"];
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const nlohmann::json& n) {
    return n["level"] == "warning" &&
           n["message"]["text"] == "not found, and taken to hold nothing that a kernel needs: nowhere.h";
  })) << notes;
}

// Out of time nothing is known of the flags; a run in which they do not start at 0 is no race of the kernel.
TEST_F(Service, nothing_is_confirmed_from_a_start_that_a_proof_excludes) {
  const std::string scan = R"(__global__ void scan(const int *in, int *out, unsigned *next, int *pre, int *flag) {
  __shared__ unsigned s;
  __shared__ int base;
  if (threadIdx.x == 0) s = atomicAdd(next, 1u);
  __syncthreads();
  const unsigned b = s;
  if (threadIdx.x == 0) {
    int run = 0;
    if (b > 0) {
      cuda::atomic_ref<int, cuda::thread_scope_device> p(flag[b - 1]);
      while (p.load(cuda::memory_order_acquire) == 0);
      run = pre[b - 1];
    }
    pre[b] = run + in[b];
    cuda::atomic_ref<int, cuda::thread_scope_device> q(flag[b]);
    q.store(1, cuda::memory_order_release);
    base = run;
  }
  __syncthreads();
  out[b * blockDim.x + threadIdx.x] = in[b] + base;
}
)";
  for (const char* seconds : {"0.000001", "0.001", "0.005"}) {
    const auto a = ask({"--cuda", "--blockDim=64", "--gridDim=16", std::string("--timeout=") + seconds},
                       "#include <cuda/atomic>\n" + scan);
    EXPECT_NE(a.exit_code, 1) << seconds << a.err;
  }
}

TEST_F(Service, html) {
  const auto a = ask({"--local_size=8", "--num_groups=1", "--format=html"},
                     "__kernel void k(__global int *a) {\n  int x = a[1 & 3 < 4];\n  a[1] = x + 1;\n}\n");
  EXPECT_NE(a.out.find("<figure class=\"first\">"), std::string::npos);
  EXPECT_NE(a.out.find("<figure class=\"second\">"), std::string::npos);
  EXPECT_NE(a.out.find("a[1 &amp; 3 &lt; 4]"), std::string::npos) << a.out;
  EXPECT_NE(a.out.find("<strong>FAIL</strong>"), std::string::npos);
  EXPECT_EQ(a.out.find("<script", a.out.find("<script") + 1), std::string::npos) << "but the page's own";
}

TEST_F(Service, the_intermediate_code_on_request) {
  const auto a =
      ask({"--local_size=8", "--num_groups=1", "--print-ir"}, "__kernel void k(__global int *A) { A[0] = 1; }");
  EXPECT_EQ(a.exit_code, 0);
  EXPECT_EQ(a.out.substr(0, 27), "module opencl pointers 64\nr");
}

TEST(Report, elements_of_arrays) {
  ir::Region r;
  r.name = "L";
  r.element = 16;
  r.dimensions = {2, 3, 4, 5};
  const uint64_t at = 16 * (((1 * 3 + 2) * 4 + 3) * 5 + 3);
  EXPECT_EQ(element_text(r, at, at, at + 15), "L[1][2][3][3]");
  EXPECT_EQ(element_text(r, at + 8, at + 8, at + 11), "L[1][2][3][3] (bytes 8..11)");
  EXPECT_EQ(element_text(r, at + 2, at + 2, at + 2), "L[1][2][3][3] (byte 2)");
  r.dimensions = {4, 0, 4};
  EXPECT_EQ(element_text(r, 0, 0, 15), "0-sized array L");
  r.dimensions = {0};
  EXPECT_EQ(element_text(r, 48, 48, 63), "L[3]");
  r.origin = ir::Origin::variable;
  EXPECT_EQ(element_text(r, 48, 48, 63), "L[3]") << "extern __shared__";
  r.size = 0;
  EXPECT_EQ(element_text(r, 48, 48, 63), "0-sized array L");
}

// How many kernels of a folder reach the kernel IR, and why the others do not.
void count_kernels(const char* variable, size_t least) {
  const char* folder = std::getenv(variable);
  if (folder == nullptr) GTEST_SKIP() << variable << " names no folder of kernels";
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  size_t reached = 0, total = 0;
  const auto files = launch::kernel_files(folder);
  ASSERT_TRUE(files) << render(files.error());
  for (const std::string& path : *files) {
    const auto file = read_file(path);
    ASSERT_TRUE(file);
    const auto header = launch::read_header(*file);
    if (!header || !*header) continue;
    const auto o = launch::parse((*header)->words, *file);
    if (!o) continue;
    ++total;
    clangfe::Options c;
    c.dialect = path.ends_with(".cu") ? ir::Dialect::cuda : ir::Dialect::opencl;
    c.defines = o->defines;
    c.include_folders = o->include_folders;
    c.inline_calls = o->inline_calls;
    const auto m = clangfe::compile(*file, c);
    if (m)
      ++reached;
    else
      printf("%s", render(m.error().list[0]).c_str());
  }
  printf("%zu of %zu kernels reach the kernel IR\n", reached, total);
  EXPECT_GE(reached, least);
}
TEST(Corpus, the_reference_suite_reaches_the_ir) { count_kernels("FENCEPOST_GPUVERIFY_SUITE", 650); }
TEST(Corpus, the_reference_benchmarks_reach_the_ir) { count_kernels("FENCEPOST_GPUVERIFY_BENCHMARKS", 640); }

}  // namespace
}  // namespace fencepost::verifier
