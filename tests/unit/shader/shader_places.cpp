// Where accesses of shaders and kernels land, and what their questions, headers and launches mean: verdicts of small
// texts.
#include <gtest/gtest.h>

#include <map>

#include "prog/test.h"
#include "read/read.h"
#include "shader/opencl_c.h"
#include "spirv_support.h"

namespace fencepost::shader {
namespace {

using check::Engine;
using check::Property;

Expected<prog::Test> parsed(const std::string& name, const std::string& text, const spirv::LaunchOptions& launch = {}) {
  auto tests = read::parse(make_source(name, text), launch);
  if (!tests) return std::unexpected(tests.error());
  return std::move(tests->front());
}

// Both engines say the same.
Status answer(const Expected<prog::Test>& t, Property property, uint32_t bound) {
  EXPECT_TRUE(t.has_value()) << (t ? "" : render(t.error()));
  if (!t) return Status::unsupported;
  const Status a = spirv_test::verdict(*t, property, bound, Engine::enumerate);
  EXPECT_EQ(a, spirv_test::verdict(*t, property, bound, Engine::solve));
  return a;
}

std::string error_of(const Expected<prog::Test>& t) {
  EXPECT_FALSE(t.has_value());
  return t ? "" : render(t.error());
}

Status glsl(const std::string& question, const std::string& head, const std::string& body,
            Property property = Property::condition, uint32_t bound = 5) {
  return answer(parsed("t.comp", "#version 450\n// @Config: 1, 1, 1\n// @Output: " + question +
                                     "\nlayout(local_size_x = 1) in;\n" + head + "\nvoid main() { " + body + " }\n"),
                property, bound);
}
const std::string k_x = "layout(binding = 0) buffer D { uint x; uint d; int i; uint y; };";

class Kernels : public testing::Test {
 protected:
  void SetUp() override {
    if (!opencl_c::find_tools(make_source("t.cl", "")))
      GTEST_SKIP() << "clang-15 and llvm-spirv-15 are not installed: OpenCL C was NOT tested";
  }
  static Status ask(const std::string& headers, const std::string& types, const std::string& parameters,
                    const std::string& body, Property property = Property::condition, uint32_t bound = 5) {
    return answer(parsed("t.cl", "// @Config: 1, 1, 1\n" + headers + types + "\nkernel void k(" + parameters + ") {\n" +
                                     body + "\n}\n"),
                  property, bound);
  }
};

// ---- places ------------------------------------------------------------------------------------------------

TEST(ShaderPlaces, OneIndexInTwoDimensions) {
  const std::string head =
      "struct S { uint a[2]; double d; };\nlayout(std430, binding = 0) buffer D { uint x; uint j; };\n"
      "layout(std430, binding = 1) buffer E { S s[8]; };\n";
  EXPECT_EQ(glsl("forall (x == 4)", head,
                 "s[1].a[1] = 4u; s[3].a[1] = 99u; s[2].a[1] = 77u; uint k = j + 1u; x = s[k].a[k];"),
            Status::holds);
  EXPECT_EQ(glsl("forall (x == 77)", head,
                 "s[1].a[1] = 4u; s[3].a[1] = 99u; s[2].a[1] = 77u; uint k = j + 1u; x = s[k].a[k];"),
            Status::fails);
}

TEST(ShaderPlaces, AnIndexFarOutWrapsNowhere) {
  const std::string head =
      "layout(std430, binding = 0) buffer D { uint x; uint j; };\nlayout(std430, binding = 1) buffer E { uint s[]; "
      "};\n";
  // 4 * 0x40000000 is 0 in 32 bits; what lies out there is anything, and not s[0].
  EXPECT_EQ(answer(parsed("t.comp",
                          "#version 450\n// @Config: 1, 1, 1\n// @Input: j = 0x40000000, s[0] = 5, s[1] = 6\n// "
                          "@Output: forall (x == 5)\n"
                          "layout(local_size_x = 1) in;\n" +
                              head + "void main() { x = s[j]; }\n"),
                   Property::condition, 1),
            Status::fails);
}

const std::string k_node = "typedef struct { int keys[4]; long next; } Node;";

// A runtime array behind another member, whose elements have members of two sizes: the computed index is that of its
// first dimension, and each access stays one event.
TEST(ShaderPlaces, AMemberOfARuntimeArrayBehindAnotherMemberIsOneAccess) {
  const auto t =
      parsed("t.comp",
             "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : require\n// @Config: 1, 1, 1\n"
             "// @Input: at = 1, tail = {{1, 2}, {3, 4}, {5, 6}}\n"
             "// @Output: forall (seen == 4 and tail[1].b == 9 and tail[2].b == 6)\n"
             "layout(local_size_x = 1) in;\nstruct Pair { uint16_t a; uint b; };\n"
             "layout(std430, binding = 0) buffer I { uint at; uint seen; };\n"
             "layout(std430, binding = 1) buffer B { uint head; Pair tail[]; };\n"
             "void main() { seen = tail[at].b; tail[at].b = 9; }\n");
  EXPECT_EQ(answer(t, Property::condition, 1), Status::holds);
  ASSERT_TRUE(t.has_value());
  std::map<std::string, int> stores;
  for (const prog::Instr& i : t->instrs(0))
    if (i.kind == prog::Kind::store && i.mnemonic == "OpStore") ++stores[prog::to_string(*t, 0, i)];
  EXPECT_EQ(stores["OpStore tail[...], 9"], 1);
  EXPECT_EQ(stores.size(), 2u);
}

TEST_F(Kernels, ALoopCarriedPointerToAStructure) {
  const std::string body =
      "n[1].keys[0] = 10; n[1].keys[2] = 77; n[0].keys[0] = 1; global Node* p = n;\n"
      "for (int i = 0; i < 1; i++) p++;\no[0] = p->keys[0]; p->next = 3; o[1] = n[1].next;";
  EXPECT_EQ(ask("// @Output: forall (o[0] == 10 and o[1] == 3)\n", k_node, "global int* o, global Node* n", body),
            Status::holds);
  EXPECT_EQ(ask("// @Output: forall (o[0] == 77)\n", k_node, "global int* o, global Node* n", body), Status::fails);
}

TEST_F(Kernels, PointersThatMeet) {
  const std::string body =
      "n[1].keys[3] = 10; n[0].keys[1] = 8; n[1].keys[1] = 5; n[0].keys[3] = 4;\n"
      "int j = o[2]; global int* p;\nif (j == 0) p = &n[1].keys[3]; else p = &n[j].keys[1];\no[0] = *p; *p = 9; o[1] = "
      "n[1].keys[3];";
  EXPECT_EQ(ask("// @Output: forall (o[0] == 10 and o[1] == 9)\n", k_node, "global int* o, global Node* n", body),
            Status::holds);
  const std::string choice =
      "n[1].keys[3] = 10; n[0].keys[1] = 8; int j = o[2];\n"
      "global int* p = j ? n[j].keys : n[j + 1].keys; p += 3; o[0] = p[0]; o[1] = p[j];";
  EXPECT_EQ(ask("// @Output: forall (o[0] == 10 and o[1] == 10)\n", k_node, "global int* o, global Node* n", choice),
            Status::holds);
}

TEST_F(Kernels, AnAccessOfABigMemberIsOneEventBesideAComputedOne) {
  const std::string types = "typedef struct { uint a[2]; atomic_ulong b; } S;";
  const std::string body =
      "int j = o[1]; s[1].a[1] = 4; atomic_store_explicit(&s[1].b, 7ul, memory_order_relaxed, memory_scope_device);\n"
      "global S* p = s; for (int i = 0; i < 1; i++) p++;\n"
      "o[0] = p->a[j + 1] + (int)atomic_load_explicit(&p->b, memory_order_relaxed, memory_scope_device);";
  EXPECT_EQ(ask("// @Output: forall (o[0] == 11)\n", types, "global int* o, global S* s", body), Status::holds);
}

TEST_F(Kernels, AnIndexPastTheInnerArray) {
  const std::string types = "typedef struct { int a[2]; long b; } S;",
                    parameters = "global int* i, global int* o, global S* s";
  EXPECT_EQ(ask("// @Input: i = {2}\n", types, parameters, "o[0] = s[0].a[i[0]];", Property::races), Status::fails);
  EXPECT_EQ(ask("// @Input: i = {2}\n", types, parameters, "global int* p = s[0].a; o[0] = p[i[0]];", Property::races),
            Status::fails);
  EXPECT_EQ(ask("", types, parameters, "o[0] = s[0].a[2];", Property::races), Status::fails);
  EXPECT_EQ(ask("// @Input: i = {1}\n", types, parameters, "o[0] = s[0].a[i[0]];", Property::races), Status::holds);
  EXPECT_EQ(ask("// @Input: i = {2}\n", "", "global int* i, global int* o",
                "int m[2][2] = {{1, 2}, {3, 4}}; o[0] = m[0][i[0]];", Property::races),
            Status::fails);
  EXPECT_EQ(ask("// @Input: i = {1}\n", "", "global int* i, global int* o",
                "int m[2][2] = {{1, 2}, {3, 4}}; o[0] = m[1][i[0]];", Property::races),
            Status::holds);
}

// A variable of the work-item in pieces, and pieces as one.
TEST_F(Kernels, VariablesUnderOtherSizes) {
  const auto says = [](const std::string& question, const std::string& body) {
    return ask("// @Output: forall (" + question + ")\n// @Input: o = {0, 0}\n", "", "global uint* o", body);
  };
  EXPECT_EQ(
      says("o[0] == 0x5678 and o[1] == 0x1234", "uint v = 0x12345678; o[0] = *(ushort*)&v; o[1] = ((ushort*)&v)[1];"),
      Status::holds);
  EXPECT_EQ(says("o[0] == 0x12345678",
                 "uint v = 0; ((uchar*)&v)[3] = 0x12; ((uchar*)&v)[2] = 0x34; ((ushort*)&v)[0] = "
                 "0x5678; o[0] = v;"),
            Status::holds);
  EXPECT_EQ(says("o[0] == 0x20001", "ushort v[2] = {1, 2}; o[0] = *(uint*)v;"), Status::holds);
}

TEST_F(Kernels, TwoArraysOfOneTypeBesideEachOther) {
  EXPECT_EQ(ask("// @Output: forall (o[0] == 5 and o[1] == 8)\n", "typedef struct { long m[3]; long n[3]; char c; } S;",
                "global long* o",
                "S s; for (int i = 0; i < 3; i++) { s.m[i] = i; s.n[i] = 4 + i; } long* p = s.n; p++; o[0] = *p; s.c = "
                "2; o[1] = s.m[s.c] + s.n[s.c];"),
            Status::holds);
}

// The compiler puts bytes between the members, and the question counts them as the text does.
TEST_F(Kernels, MembersAreCountedAsWritten) {
  const std::string types = "typedef struct { char c; int4 v; int d; } S;";
  EXPECT_EQ(ask("// @Input: s = {{1, {2, 3, 4, 5}, 6}}\n// @Output: forall (s[0][2] == 9 and s[0][1][3] == 5 and "
                "s[0][0] == 1)\n",
                types, "global S* s", "s[0].d += 3;"),
            Status::holds);
  EXPECT_NE(error_of(parsed("t.cl", "// @Config: 1, 1, 1\n// @Input: s = {{1, {2, 3, 4, 5}}}\n" + types +
                                        "\nkernel void k(global S* s) { s[0].d = 3; }\n"))
                .find("the structure has 3"),
            std::string::npos);
}

// Of memory that is accessed in pieces, the one at the end of a signed number has its sign, and the others have none.
TEST_F(Kernels, OnePieceOfANumberHasItsSign) {
  const std::string body = "global uchar* b = (global uchar*)x; for (int k = 0; k < 8; k++) b[k] = 255 - k;";
  for (const char* holds :
       {"x[0] + 3 < 0 and x[0] + 3 == -4", "x[0] + 1 > 0 and x[0] + 1 == 254", "x[0] + 2 > 0 and x[0] + 2 == 253",
        "x[1] + 1 > 0 and x[1] + 1 == 250", "x[1] + 3 < 0 and x[1] + 3 == -8", "x[0] + 4 > 0 and x[0] + 7 < 0"})
    EXPECT_EQ(ask(std::string("// @Input: x = {0, 0}\n// @Output: forall (") + holds + ")\n", "", "global int* x", body,
                  Property::condition, 9),
              Status::holds)
        << holds;
  EXPECT_EQ(ask("// @Input: x = {0, 0}\n// @Output: forall (x[0] + 3 == 252 and x[0] + 3 > 0)\n", "", "global uint* x",
                body, Property::condition, 9),
            Status::holds);
  EXPECT_NE(error_of(parsed("t.cl",
                            "// @Config: 1, 1, 1\n// @Input: x = {0, 0}\n// @Output: forall (x[0] + 8 == 0)\n"
                            "kernel void k(global int* x) { " +
                                body + " }\n"))
                .find("no cell of the memory begins here"),
            std::string::npos);
}

// Two places, each accessed as a whole or in pieces of 1 or 2 bytes: the comparison means that of the numbers, or is
// refused by name where the pieces differ in size or sign.
TEST_F(Kernels, PlacesInPiecesCompareAsNumbers) {
  struct Kind {
    const char* type;
    bool is_signed;
    int bytes, piece;  // of the number, and of each access
  };
  const std::vector<Kind> kinds = {{"int", true, 4, 4},   {"uint", false, 4, 4},   {"int", true, 4, 1},
                                   {"uint", false, 4, 1}, {"int", true, 4, 2},     {"uint", false, 4, 2},
                                   {"short", true, 2, 1}, {"ushort", false, 2, 1}, {"short", true, 2, 2}};
  const std::vector<std::pair<int64_t, int64_t>> values = {{-2, -2}, {-2, 0x102}, {0x102, 0x201}};
  const auto text_of = [](const Kind& k, const std::string& name, int64_t value) {
    std::string out;
    for (int at = 0; at < k.bytes; at += k.piece)
      out += "((global " +
             std::string(k.piece == 1   ? "uchar"
                         : k.piece == 2 ? "ushort"
                                        : "uint") +
             "*)" + name + ")[" + std::to_string(at / k.piece) +
             "] = " + std::to_string((value >> (8 * at)) & ((int64_t{1} << (8 * k.piece)) - 1)) + "; ";
    return out;
  };
  const auto number = [](const Kind& k, int64_t value) {
    return k.is_signed ? value : value & ((int64_t{1} << (8 * k.bytes)) - 1);
  };
  for (size_t m = 0; m < kinds.size(); ++m)
    for (size_t n = m; n < kinds.size(); ++n) {
      const Kind &a = kinds[m], &b = kinds[n];
      const auto& [x, y] = values[(m + n) % values.size()];
      const bool several = a.bytes > a.piece || b.bytes > b.piece;
      const bool alike = a.bytes == b.bytes && a.piece == b.piece && a.is_signed == b.is_signed;
      for (const char* op : {"==", "<"}) {
        if (several && !alike && (m + n) % 2 == (op[0] == '<' ? 0 : 1))
          continue;  // refused alike, and compiling takes time
        const auto t = parsed("t.cl", std::string("// @Config: 1, 1, 1\n// @Input: a = {0}\n// @Input: b = {0}\n"
                                                  "// @Output: forall (a[0] ") +
                                          op + " b[0])\nkernel void k(global " + a.type + "* a, global " + b.type +
                                          "* b) { " + text_of(a, "a", x) + text_of(b, "b", y) + "}\n");
        const std::string what = std::string(a.type) + " by " + std::to_string(a.piece) + " " + op + " " + b.type +
                                 " by " + std::to_string(b.piece);
        EXPECT_EQ(t.has_value(), !several || alike) << what;
        if (!t) {
          EXPECT_NE(render(t.error()).find("in pieces of different sizes or signs"), std::string::npos) << what;
          continue;
        }
        const bool right = op[0] == '<' ? number(a, x) < number(b, y) : number(a, x) == number(b, y);
        EXPECT_EQ(spirv_test::verdict(*t, Property::condition, 2), right ? Status::holds : Status::fails) << what;
      }
    }
}

// ---- questions ---------------------------------------------------------------------------------------------

TEST(ShaderQuestions, UnsignedLocationsCompareWithoutASign) {
  EXPECT_EQ(glsl("forall (x < 10)", k_x, "x = 0u - 1u;"), Status::fails);
  EXPECT_EQ(glsl("forall (x > 10 and x >= 4294967295 and x == 4294967295 and x == -1)", k_x, "x = 0u - 1u;"),
            Status::holds);
  EXPECT_EQ(glsl("forall (i < 10 and i == -1)", k_x, "i = -1;"), Status::holds);
  EXPECT_EQ(glsl("exists (10 > x)", k_x, "x = 0x80000000u;"), Status::fails);
  EXPECT_EQ(glsl("forall (x > y)", k_x, "x = 0x80000000u; y = 5u;"), Status::holds);
  EXPECT_EQ(glsl("forall (x != i)", k_x, "x = 0xffffffffu; i = -1;"), Status::holds);
  EXPECT_NE(
      error_of(parsed("t.comp", "#version 450\n// @Output: forall (x < 4294967296)\nlayout(local_size_x = 1) in;\n" +
                                    k_x + "\nvoid main() {}\n"))
          .find("this is compared with 'uint', which has no number 4294967296"),
      std::string::npos);
}

TEST_F(Kernels, SignsComeFromTheText) {
  EXPECT_EQ(ask("// @Output: forall (x[0] > 5 and i[0] < 5)\n", "", "global uint* x, global int* i",
                "x[0] = 0u - 1u; i[0] = -1;"),
            Status::holds);
  EXPECT_EQ(ask("// @Output: forall (x[0] > 5 and i[0] < 5 and x[0] > i[0])\n", "", "global ulong* x, global long* i",
                "x[0] = 0ul - 1; i[0] = -1;"),
            Status::holds);
  EXPECT_EQ(ask("// @Output: forall (s[0][1][1] == 200)\n", "typedef struct { char c; uchar u[2]; } S;", "global S* s",
                "s[0].u[1] = 200;"),
            Status::holds);
  EXPECT_EQ(ask("// @Output: forall (s[0][0] < 0 and s[0][0] != s[0][1][0])\n",
                "typedef struct { char c; uchar u[2]; } S;", "global S* s", "s[0].c = -1; s[0].u[0] = 255;"),
            Status::holds);
}

// ---- headers and launches ----------------------------------------------------------------------------------

std::string shader(const std::string& comments, const std::string& size = "1") {
  return "#version 450\n" + comments + "\nlayout(local_size_x = " + size + ") in;\n" + k_x +
         "\nvoid main() { x = 4u; }\n";
}

TEST(ShaderHeaders, UnknownOnesAreErrors) {
  EXPECT_NE(error_of(parsed("t.comp", shader("// @Expect: forall (x == 4)"))).find("there is no header @Expect"),
            std::string::npos);
  EXPECT_NE(error_of(parsed("t.comp", shader("// @expect forall (x == 4)"))).find("there is no header @expect"),
            std::string::npos);
  EXPECT_NE(error_of(parsed("t.comp", shader("// @Define: A"))).find("there is no header @Define"), std::string::npos);
  EXPECT_NE(
      error_of(parsed("t.comp", shader("const int z = 1; // @Outputs: forall (x == 4)"))).find("did you mean @Output?"),
      std::string::npos);
  EXPECT_NE(error_of(parsed("t.comp", shader("// @Output forall (x == 4)"))).find("expected ':'"), std::string::npos);
  EXPECT_TRUE(parsed("t.comp", shader("/** @brief stores\n * @param x where\n */")).has_value());
}

// What could be meant is listed: blocks, their members, and members of blocks without a name.
TEST(ShaderHeaders, NamesThatAreThereAreListed) {
  const std::string said = error_of(
      parsed("t.comp",
             "#version 450\n// @Config: 1, 1, 1\n// @Output: forall (zzzz == 4)\nlayout(local_size_x = 1) in;\n"
             "layout(std430, binding = 0) buffer I { uint x; };\nlayout(std430, binding = 1) buffer J { uint y; } q;\n"
             "void main() { x = 1; q.y = 2; }\n"));
  EXPECT_NE(said.find("hint: there are q, q.y, x\n"), std::string::npos) << said;
}

TEST(ShaderHeaders, AreReadWhereverTheyStand) {
  EXPECT_EQ(
      answer(parsed("t.comp", shader("/* @Config: 1, 1, 1\n   @Output: forall (x == 3) */")), Property::condition, 1),
      Status::fails);
  EXPECT_EQ(answer(parsed("t.comp", "/* @Output: forall (x == 3) */\n" + shader("")), Property::condition, 1),
            Status::fails);
  EXPECT_EQ(answer(parsed("t.comp", shader("const int k = 1; // @Output: forall (x == 4)")), Property::condition, 1),
            Status::holds);
  EXPECT_EQ(spirv_test::ask(spirv_test::vulkan_all("; @Config: 1, 1, 1\n",
                                                   "OpStore %out0 %n9\n; @Output: forall (%out[0][0] == 8)\n")),
            Status::fails);
}

TEST(ShaderHeaders, ALaunchAgreesWithTheShader) {
  EXPECT_NE(error_of(parsed("t.comp", shader("// @Config: 1, 1, 1", "64"))).find("the module fixes them at 64 x 1 x 1"),
            std::string::npos);
  spirv::LaunchOptions launch;
  launch.grid = *spirv::parse_grid("3.1.2");
  EXPECT_NE(error_of(parsed("t.comp", shader("", "2"), launch)).find("3 invocations"), std::string::npos);
  launch.grid = *spirv::parse_grid("1.2.2");
  EXPECT_TRUE(parsed("t.comp", shader("", "2"), launch).has_value());
}

TEST(ShaderHeaders, InputsNameWhatTheModuleHas) {
  const auto error = [](const std::string& input) {
    return error_of(parsed(
        "t.spvasm", spirv_test::vulkan_all("; @Config: 1, 1, 1\n; @Input: " + input + "\n", "OpStore %out0 %n9\n")));
  };
  EXPECT_NE(error("%xs = 9").find("there is no %xs"), std::string::npos);
  EXPECT_NE(error("%uint = 9").find("takes no value from outside"), std::string::npos);
}

TEST_F(Kernels, TheWorkGroupSizeOfTheTextBinds) {
  const std::string text =
      "\n__attribute__((reqd_work_group_size(4, 1, 1))) kernel void k(global int* o) { o[0] = 1; }\n";
  EXPECT_NE(error_of(parsed("t.cl", "// @Config: 2, 1, 1" + text)).find("the module fixes them at 4 x 1 x 1"),
            std::string::npos);
  EXPECT_TRUE(parsed("t.cl", "// @Config: 2, 2, 1" + text).has_value());
}

// ---- undefined values --------------------------------------------------------------------------------------

TEST(ShaderUndefined, SharedMemoryAndVariablesHoldAnything) {
  EXPECT_EQ(glsl("forall (x == 0)", k_x + "\nshared uint s;", "x = s;"), Status::fails);
  EXPECT_EQ(glsl("exists (x == 77)", k_x + "\nshared uint s;", "x = s;"), Status::holds);
  EXPECT_EQ(glsl("forall (x == 0)", k_x, "uint l; x = l;"), Status::fails);
  EXPECT_EQ(glsl("exists (x == 77)", k_x, "uint l; x = l;"), Status::holds);
  EXPECT_EQ(glsl("exists (x == 77)", k_x + "\nuint p;", "x = p;"), Status::holds);
  EXPECT_EQ(glsl("exists (x == 77)", k_x, "uint l[2]; x = l[d];"), Status::holds);
  EXPECT_EQ(glsl("forall (x == 7 or x == 8)", k_x, "uint l; x = 7u; if (l == 5u) x = 8u;"), Status::holds);
  EXPECT_EQ(glsl("exists (x == 8)", k_x, "uint l; x = 7u; if (l == 5u) x = 8u;"), Status::holds);
  EXPECT_EQ(glsl("forall (x == 7)", k_x, "uint l; l = 7u; x = l;"), Status::holds);
  EXPECT_EQ(glsl("forall (x == 0)", k_x, "uint l[2]; l[d] = 0u; x = l[1u - d];"), Status::fails);
  EXPECT_EQ(glsl("forall (x == 0)", k_x, "x = d;"), Status::holds);  // buffers start at 0
  EXPECT_EQ(parsed("t.comp", shader(""))->assumptions,
            (std::vector<std::string>{"buffers without an input start at 0"}));
}

TEST_F(Kernels, LocalMemoryAndVariablesHoldAnything) {
  EXPECT_EQ(ask("// @Output: forall (o[0] == 0)\n", "", "global int* o", "local int t; o[0] = t;"), Status::fails);
  EXPECT_EQ(ask("// @Output: forall (o[0] == 0)\n", "", "global int* o", "int t; o[0] = t;"), Status::fails);
  EXPECT_EQ(ask("// @Output: forall (o[0] == 0)\n", "", "global int* o", "int t; if (o[1] == 0) t = 0; o[0] = t;"),
            Status::holds);
  EXPECT_EQ(ask("// @Output: forall (o[0] == 0)\n", "", "global int* o", "int t; if (o[1] == 1) t = 0; o[0] = t;"),
            Status::fails);
}

TEST(ShaderUndefined, EachUseMayDiffer) {
  const auto question = [](const std::string& q, const std::string& code) {
    return answer(spirv_test::read(spirv_test::vulkan_all("; @Config: 1, 1, 1\n; @Output: " + q + "\n", code)),
                  Property::condition, 4);
  };
  const std::string two = "%u = OpUndef %uint\nOpStore %out0 %u\nOpStore %px %u\n";
  EXPECT_EQ(question("exists (%out[0][0] != %x[0][0])", two), Status::holds);
  const std::string copied = "%u = OpUndef %uint\n%v = OpIAdd %uint %u %n0\nOpStore %out0 %v\nOpStore %px %v\n";
  EXPECT_EQ(question("exists (%out[0][0] != %x[0][0])", copied), Status::fails);
}

TEST(ShaderUndefined, RoundsOfALoopDiffer) {
  EXPECT_EQ(glsl("exists (x == 1 and y == 2)", k_x,
                 "for (uint k = 0u; k < 2u; k++) { uint l; if (k == 0u) x = l; else y = l; }"),
            Status::holds);
  EXPECT_EQ(
      glsl("exists (x == 1 and y == 2)", "layout(binding = 0) buffer D { uint x; uint y; uint d; };\nshared uint a[2];",
           "for (uint k = 0u; k < 2u; k++) a[k] = 1u << (32u + d); x = a[0]; y = a[1];"),
      Status::holds);
}

TEST(ShaderUndefined, ResultsThatTheLanguageLeavesOpen) {
  EXPECT_EQ(glsl("forall (x == 0)", k_x, "x = 5u << (32u + d);"), Status::fails);
  EXPECT_EQ(glsl("forall (x == 10)", k_x, "x = 5u << (1u + d);"), Status::holds);
  EXPECT_EQ(glsl("forall (x == 0)", k_x, "x = 5u / d;"), Status::fails);
  EXPECT_EQ(glsl("forall (x == 0)", k_x, "x = 5u % d;"), Status::fails);
  EXPECT_EQ(glsl("forall (x == 2)", k_x, "x = 5u / (d + 2u);"), Status::holds);
  EXPECT_EQ(glsl("exists (i == 17)", k_x, "int m = int(0x80000000u); i = m / (int(d) - 1);"), Status::holds);
  EXPECT_EQ(glsl("forall (x == 9)", k_x, "x = bitfieldInsert(9u, 3u, int(d) + 31, 2);"), Status::fails);
}

TEST_F(Kernels, ShiftsMaskTheirAmount) {
  EXPECT_EQ(ask("// @Input: n = 33\n// @Output: forall (o[0] == 10)\n", "", "global int* o, int n", "o[0] = 5 << n;"),
            Status::holds);
  EXPECT_EQ(ask("// @Input: n = 33\n// @Output: forall (o[0] == 10)\n", "", "global long* o, int n", "o[0] = 5l << n;"),
            Status::fails);
  EXPECT_EQ(ask("// @Input: n = 0\n// @Output: forall (o[0] == 0)\n", "", "global int* o, int n", "o[0] = 5 / n;"),
            Status::fails);
}

// A generic pointer knows where it points: to_global and its like are null elsewhere (OpenCL C 6.15.9.1), and nothing
// is accessed through a cast to another address space.
TEST_F(Kernels, GenericPointersKnowTheirAddressSpace) {
  for (const int chosen : {0, 1, 2})
    EXPECT_EQ(ask("// @Input: g = {" + std::to_string(chosen) +
                      "}\n// @Output: forall (o[0] == " + std::to_string(1 << chosen) + ")\n",
                  "", "global int* g, global int* o",
                  "local int l; int v = 3; int* p = g[0] == 0 ? (int*)g : g[0] == 1 ? (int*)&l : &v;\n"
                  "o[0] = (to_global(p) != 0) + (to_local(p) != 0) * 2 + (to_private(p) != 0) * 4;"),
              Status::holds);
  const std::string set =
      "void set(int* p, int v) { local int* l = to_local(p); global int* g = to_global(p);\n"
      "  if (l) *l = v; else if (g) *g = v + 1; else *p = v + 2; }\n";
  EXPECT_EQ(ask("// @Output: forall (o[0] == 10 and o[1] == 32 and g[0] == 21)\n", set, "global int* g, global int* o",
                "local int l; int v; set(&l, 10); set(g, 20); set(&v, 30); o[0] = l; o[1] = v;"),
            Status::holds);
  const std::string cast = "local int l; int* p = n == 0 ? (int*)&l : (int*)g; global int* q = (global int*)p; *q = 1;";
  EXPECT_EQ(ask("// @Input: n = 0\n", "", "global int* g, int n", cast, Property::races), Status::fails);
  EXPECT_EQ(ask("// @Input: n = 1\n", "", "global int* g, int n", cast, Property::races), Status::holds);
}

// A pointer that the host gives is refused by name, wherever it comes from.
TEST(ShaderPlaces, PointersFromTheHostAreRefused) {
  for (const char* holder : {"layout(push_constant) uniform C { P p; };", "layout(binding = 1) uniform C { P p; };",
                             "layout(binding = 1) buffer C { P p; };"}) {
    const std::string said = error_of(parsed(
        "t.comp", std::string("#version 450\n#extension GL_EXT_buffer_reference : require\n// @Config: 1, 1, 1\n"
                              "// @Output: forall (x == 1)\nlayout(local_size_x = 1) in;\n"
                              "layout(buffer_reference, std430, buffer_reference_align = 4) buffer P { uint v; };\n") +
                      holder + "\n" + k_x + "\nvoid main() { p.v = 1; x = p.v; }\n"));
    EXPECT_NE(said.find("unsupported: memory that holds pointers is not read"), std::string::npos) << said;
  }
}

// ---- copies ------------------------------------------------------------------------------------------------

// The tags of the read and the write of a copy with these operands.
std::pair<vocab::TagSet, vocab::TagSet> copy(const std::string& operands) {
  const prog::Test t =
      spirv_test::read(spirv_test::vulkan_all("; @Config: 1, 1, 1\n", "OpCopyMemory %out0 %px " + operands + "\n"));
  std::pair<vocab::TagSet, vocab::TagSet> out;
  for (const prog::Instr& i : t.instrs(0)) {
    if (i.kind == prog::Kind::load) out.first = i.tags;
    if (i.kind == prog::Kind::store) out.second = i.tags;
  }
  return out;
}

TEST(ShaderCopies, AvailabilityGoesWithTheWriteAndVisibilityWithTheRead) {
  using vocab::Tag;
  const auto one = copy("NonPrivatePointer|MakePointerAvailable|MakePointerVisible %dv %wg");
  EXPECT_EQ(one.first, (vocab::TagSet{Tag::R, Tag::NONPRIV, Tag::VIS, Tag::WG, Tag::SC0}));
  EXPECT_EQ(one.second, (vocab::TagSet{Tag::W, Tag::NONPRIV, Tag::AV, Tag::DV, Tag::SC0}));
  const auto two = copy("NonPrivatePointer|MakePointerAvailable %dv None");
  EXPECT_EQ(two.first, (vocab::TagSet{Tag::R, Tag::SC0}));
  EXPECT_EQ(two.second, (vocab::TagSet{Tag::W, Tag::NONPRIV, Tag::AV, Tag::DV, Tag::SC0}));
}

}  // namespace
}  // namespace fencepost::shader
