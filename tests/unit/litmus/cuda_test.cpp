// The words of CUDA tests: what they become, that they print back, and what is refused.
#include "asm_support.h"
#include "print/litmus.h"
#include "prog/syntax.h"

using namespace asm_test;
using prog::Kind;
using vocab::Tag;

namespace {

prog::Test cuda(const std::string& body, const std::string& parameters = "int* x, volatile int* y, __shared__ int* z") {
  return parse("CUDA t\n{ x = 0; y = 0; z = 0; }\nP0@block 1, device 2 (" + parameters + ") {\n" + body +
               "\n}\nexists (x = 1)\n");
}

std::string error(const std::string& text) {
  const auto t = read::parse(make_source("t.litmus", text));
  EXPECT_FALSE(t.has_value()) << text;
  return t ? "" : render(t.error().list.front());
}

// Local memory of two blocks is two objects, and prints as it was written.
TEST(Cuda, SharedMemoryOfSeveralBlocksPrintsBack) {
  for (const std::string question : {"exists (s@P0=1 /\\ s@P2=4)", "exists (s=1)", "locations [s@P2;]\nexists (1:r=0)"})
    for (const std::string init : {"s = 0;", "int s = 3;", "[s] = 7; 2:p = &s;", "int s[2] = {1, 2};"}) {
      const prog::Test t = parse("CUDA t\n{ " + init +
                                 " }\nP0@block 0, device 0 (__shared__ int* s) {\n  atomicExch(s, 1);\n}\nP1@block 0, "
                                 "device 0 (__shared__ int* "
                                 "s) {\n  int r = atomicAdd(s, 0);\n}\nP2@block 1, device 0 (__shared__ int* s) {\n  "
                                 "int r = atomicAdd(s, 4);\n"
                                 "}\n" +
                                 question + "\n");
      ASSERT_EQ(t.objects.size(), 2u);
      EXPECT_EQ(t.symbols[1].name, "s@P2");
      const std::string text = print::print(t);
      EXPECT_EQ(text.find("s@P2)"), std::string::npos) << text;
      EXPECT_EQ(parse(text), t) << text;
    }
}

TEST(Cuda, FencesAndBarriers) {
  const prog::Test t = cuda("__threadfence_block();\n__threadfence();\n__threadfence_system();\n__syncthreads();");
  ASSERT_EQ(t.instrs(0).size(), 4u);
  EXPECT_EQ(t.dialect, vocab::Dialect::opencl);
  EXPECT_EQ(t.syntax, prog::Syntax::cuda);
  const vocab::TagSet fence = {Tag::F, Tag::SC, Tag::GLOBAL, Tag::LOCAL};
  const Tag scopes[] = {Tag::WG, Tag::DV, Tag::ALL};
  for (size_t k = 0; k < 3; ++k) {
    vocab::TagSet tags = fence;
    EXPECT_EQ(t.instrs(0)[k].tags, tags.add(scopes[k]));
  }
  EXPECT_EQ(t.instrs(0)[3].kind, Kind::barrier);
  EXPECT_EQ(t.threads[0].scope, (prog::ScopePath{0, 2, 1}));
}

TEST(Cuda, AccessesAndAtomicFunctions) {
  const prog::Test t = cuda(
      "int r0 = *x;\n*x = 1;\nint r1 = *y;\n*y = 2;\nint r2 = atomicAdd(z, 3);\natomicExch_block(z, 4);\nint r3 = "
      "atomicCAS_system(z, 0, 5);");
  const auto& code = t.instrs(0);
  ASSERT_EQ(code.size(), 7u);
  EXPECT_EQ(code[0].tags, (vocab::TagSet{Tag::NA}));
  EXPECT_EQ(code[1].tags, (vocab::TagSet{Tag::NA, Tag::WI}));
  EXPECT_EQ(code[2].tags, (vocab::TagSet{Tag::A, Tag::RLX, Tag::ALL, Tag::VOLATILE}));
  EXPECT_EQ(code[3].tags, (vocab::TagSet{Tag::A, Tag::RLX, Tag::ALL, Tag::VOLATILE}));
  EXPECT_EQ(code[4].tags, (vocab::TagSet{Tag::A, Tag::RLX, Tag::DV}));
  EXPECT_EQ(code[5].tags, (vocab::TagSet{Tag::A, Tag::RLX, Tag::WG}));
  EXPECT_EQ(code[6].tags, (vocab::TagSet{Tag::A, Tag::RLX, Tag::ALL}));
  EXPECT_FALSE(code[5].guard);
  ASSERT_TRUE(code[6].guard);
  EXPECT_EQ(code[6].args.size(), 2u);
  // Only what is neither volatile nor in an atomic function is not atomic.
  EXPECT_TRUE(t.objects[0].tags.has(Tag::NAL));
  EXPECT_FALSE(t.objects[1].tags.has(Tag::NAL));
  EXPECT_FALSE(t.objects[2].tags.has(Tag::NAL));
  EXPECT_TRUE(t.objects[0].tags.has(Tag::GLOBAL));
  EXPECT_TRUE(t.objects[2].tags.has(Tag::LOCAL));
}

TEST(Cuda, PrintsBack) {
  for (const char* body :
       {"int r0 = *x;\n__threadfence();\n*y = r0 + 1;\nB1: __syncthreads();\n__syncthreads();",
        "int r0 = atomicCAS(z, 0, 1);\nwhile (r0 != 0) { r0 = atomicCAS(z, 0, 1); }\n*x = "
        "1;\n__threadfence_block();\natomicExch(z, 0);",
        "if (atomicAdd(z, 1) == 0) { *x = atomicMax(z, 3) + *y; } else { atomicSub(z, 1); }",
        "unsigned int r0 = atomicMin(z, 3);\natomicAnd(z, 1);\natomicOr_system(z, 2);\natomicXor_block(z, 3);"}) {
    const prog::Test t = cuda(body);
    const std::string text = print::print(t);
    EXPECT_TRUE(text.starts_with("CUDA t\n")) << text;
    const auto again = read::parse_one(make_source("again.litmus", text));
    ASSERT_TRUE(again.has_value()) << text << render(again.error());
    EXPECT_EQ(*again, t) << text;
  }
}

TEST(Cuda, BarriersOfWarps) {
  const prog::Test t = parse(
      "CUDA t\n{ x = 0; }\nP0@warp 3, block 1, device 0 (int* x) {\n__syncwarp();\n__syncthreads();\nB: "
      "__syncwarp();\n}\nP1@block 1, device 0 (int* x) {\n__syncthreads();\n}\nexists (x = 0)\n");
  EXPECT_EQ(t.threads[0].scope, (prog::ScopePath{0, 0, 1, 3}));
  const auto& code = t.instrs(0);
  ASSERT_EQ(code.size(), 3u);
  EXPECT_EQ(code[0].barrier.level, 3u);
  EXPECT_FALSE(code[0].tags.has(Tag::WG));
  EXPECT_EQ(code[1].barrier.level, 2u);
  EXPECT_EQ(code[1].barrier.instance, t.instrs(1)[0].barrier.instance);  // counted apart from those of warps
  EXPECT_EQ(code[2].barrier.instance, "B");
  EXPECT_NE(print::print(t).find("P0@block 1, device 0, warp 3 ("), std::string::npos) << print::print(t);
  EXPECT_TRUE(parse(print::print(t)) == t);
}

TEST(Cuda, PlacesInClusters) {
  const auto two = [](const char* a, const char* b) {
    return std::string("CUDA t\n{ x = 0; }\nP0@") + a + " (int* x) {\n*x = 1;\n}\nP1@" + b +
           " (int* x) {\n}\nexists (x = 1)\n";
  };
  const prog::Test t = parse(two("block 0, cluster 2, device 0", "block 1, device 0, cluster 2"));
  EXPECT_EQ(t.threads[0].scope, (prog::ScopePath{0, 0, 0}));
  EXPECT_EQ(t.threads[0].cluster, 2u);
  EXPECT_EQ(t.threads[1].cluster, 2u);
  EXPECT_NE(print::print(t).find("P1@block 1, cluster 2, device 0 ("), std::string::npos) << print::print(t);
  EXPECT_TRUE(parse(print::print(t)) == t);
  const std::string mixed = error(two("block 0, cluster 2, device 0", "block 1, device 0"));
  EXPECT_NE(mixed.find("t.litmus:6:1"), std::string::npos) << mixed;
  EXPECT_NE(mixed.find("thread P1 names no cluster, and P0 names one"), std::string::npos) << mixed;
  const std::string apart = error(two("block 0, cluster 0, device 0", "block 0, cluster 1, device 0"));
  EXPECT_NE(apart.find("block 0 of device 0 is in cluster 1 and, by P0, in cluster 0"), std::string::npos) << apart;
  const std::string opencl = error("OPENCL t\n{ x = 0; }\nP0@wg 0, cluster 0, dev 0 (global int* x) {\n}\n");
  EXPECT_NE(opencl.find("'cluster' is not a scope level"), std::string::npos) << opencl;
}

TEST(Cuda, FaultsAreLocatedAndHinted) {
  const auto fault = [](const std::string& thread, const std::string& body) {
    return error("CUDA t\n{ x = 0; }\nP0@" + thread + " {\n" + body + "\n}\n");
  };
  struct Case {
    std::string said;
    const char *place, *part;
  };
  const Case cases[] = {
      {fault("wg 0, dev 0 (int* x)", ""), "3:4", "'wg' is not a scope level"},
      {fault("block 0 (int* x)", ""), "3:1", "level 'device'"},
      {fault("block 0, device 0 (global int* x)", ""), "3:23", "word of OPENCL"},
      {fault("block 0, device 0 (atomic_int* x)", ""), "3:23", "no atomic types"},
      {fault("block 0, device 0 (int* x)", "__threadfense();"), "4:1", "did you mean '__threadfence'?"},
      {fault("block 0, device 0 (int* x)", "atomicAdd(x);"), "4:1", "takes 2 arguments"},
      {fault("block 0, device 0 (int* x)", "atomicCAS(x, 1);"), "4:1", "atomicCAS(p, compare, value)"},
      {fault("block 0, device 0 (int* x)", "__threadfence(1);"), "4:1", "takes 0 arguments"},
      {fault("block 0, device 0 (int* x)", "int r0 = __syncthreads();"), "4:10", "a barrier is a statement"},
      {fault("block 0, device 0 (int* x)", "barrier(CLK_GLOBAL_MEM_FENCE);"), "4:1", "__syncthreads()"},
      {fault("block 0, device 0 (int* x)", "int r0 = atomic_load(x);"), "4:10", "unknown function"},
      {fault("block 0, device 0 (int* x)", "__syncwarp();"), "4:1", "belongs to no warp"},
      {fault("warp 0, block 0, device 0 (int* x)", "__syncwarp(3);"), "4:12", "a mask of __syncwarp"},
      {fault("block 0, device 0 (int* x)", "int r0 = *(volatile int*)x;"), "4:12", "volatile stands with parameters"},
  };
  for (const Case& c : cases) {
    EXPECT_NE(c.said.find(std::string("t.litmus:") + c.place), std::string::npos) << c.said;
    EXPECT_NE(c.said.find(c.part), std::string::npos) << c.said;
    EXPECT_NE(c.said.find("hint"), std::string::npos) << c.said;
  }
}

}  // namespace
