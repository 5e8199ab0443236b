// What is wrong with a module is said at its place (exit 2); what is not read is named with its opcode (exit 3).
#include <algorithm>
#include <fstream>
#include <iterator>

#include "golden.h"
#include "litmus/lexer.h"
#include "spirv_support.h"

namespace spirv_test {
namespace {

Diagnostic diagnose(const std::string& text, const spirv::LaunchOptions& launch = {}) {
  const auto t = spirv::parse_spirv(make_source("t.spvasm", text), launch);
  EXPECT_FALSE(t.has_value()) << text;
  if (t) return {};
  EXPECT_EQ(t.error().list.size(), 1u);
  return t.error().list.front();
}

struct Bad {
  const char* what;
  std::string text;
  const char* message;  // part of it
  const char* at;       // what the span covers begins so; "" = anywhere
};

// A frame in which the first `from` is replaced.
std::string changed(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// An array of this length is used.
std::string with_length(const std::string& length, const std::string& constant) {
  return vulkan_all("", "%e = OpAccessChain %pw %o %n0\nOpStore %e %n1\n",
                    constant + "%odd = OpTypeArray %uint " + length +
                        "\n%p_odd = OpTypePointer Workgroup %odd\n%o = OpVariable %p_odd Workgroup\n");
}

const std::string k_plain = vulkan_all("", "OpStore %pout %n1\n");

// Found by libFuzzer: following jumps round a circle of empty blocks never came to an end.
TEST(SpirvMalformed, EmptyBlocksThatJumpToEachOther) {
  std::ifstream file(FENCEPOST_SOURCE_DIR "/tests/corpus/malformed/jump-circle.spv", std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  ASSERT_GT(bytes.size(), 100u);
  bytes.replace(0, 4, "\x03\x02\x23\x07");
  spirv::LaunchOptions launch;
  launch.grid = spirv::Grid{1, 2, {2, 1, 1}};
  const auto t = spirv::parse_spirv(make_source("jump-circle.spv", std::move(bytes)), launch);
  ASSERT_FALSE(t.has_value());
  EXPECT_FALSE(render(t.error()).empty());
}

// SPIRV-Tools ends its messages with a period or a new line; ours are parts of a line.
TEST(SpirvMalformed, MessagesEndLikeOurs) {
  for (const char* code : {"OpMemoryModel Logical\n", "OpNope\n", "%x OpNop\n", "OpConstant\n"}) {
    const Diagnostic d = diagnose(std::string("; SPIR-V\nOpCapability Shader\n") + code);
    ASSERT_FALSE(d.message.empty()) << code;
    EXPECT_TRUE(d.message.back() != '.' && d.message.back() != '\n') << d.message;
  }
}

TEST(SpirvMalformed, ACharacterZeroIsPointedAt) {
  const Diagnostic d = diagnose(k_plain + std::string(1, '\0') + "OpNop\n");
  EXPECT_EQ(d.span.begin, k_plain.size());
  EXPECT_EQ(d.span.end, k_plain.size() + 1);
}

TEST(SpirvMalformed, LocatedErrors) {
  const std::vector<Bad> all = {
      {"no instruction", "; SPIR-V\nhello world\n", "not a SPIR-V instruction", "hello"},
      {"character 0", k_plain + std::string(1, '\0') + "OpNop\n", "a character 0", ""},
      {"unknown opcode", changed(k_plain, "OpStore %pout", "OpStroe %pout"), "pcode", "OpStroe"},
      {"missing operand", changed(k_plain, "OpStore %pout %n1", "OpStore %pout"), "perand", ""},
      {"undefined id", changed(k_plain, "OpStore %pout %n1", "OpStore %pout %nowhere"), "%nowhere is not defined",
       "OpStore"},
      {"defined twice", changed(k_plain, "OpStore %pout %n1", "%n1 = OpIAdd %uint %n2 %n3\nOpStore %pout %n1"),
       "defined more than once", "%n1"},
      {"no type", changed(k_plain, "OpTypeVector %uint 2", "OpTypeVector %n0x 2"), "is not a type", "%v2"},
      {"vector of nothing", changed(k_plain, "OpTypeVector %uint 2", "OpTypeVector %uint 0"), "a vector of 0 elements",
       "%v2"},
      {"a structure that contains itself",
       changed(k_plain, "%buffer = OpTypeStruct %ints", "%buffer = OpTypeStruct %buffer"), "declared before it",
       "%buffer"},
      {"two structures that contain each other",
       changed(k_plain, "%buffer = OpTypeStruct %ints", "%buffer = OpTypeStruct %other\n%other = OpTypeStruct %buffer"),
       "declared before it", "%other"},
      {"no memory model", changed(k_plain, "OpMemoryModel Logical Vulkan\n", ""), "no OpMemoryModel", ""},
      {"no entry point", changed(k_plain, "OpEntryPoint GLCompute %main \"main\" %gids %lids\n", ""), "no entry point",
       ""},
      {"entry is not a function", changed(k_plain, "GLCompute %main", "GLCompute %n1"), "is not a function",
       "OpEntryPoint"},
      {"no function end", changed(k_plain, "OpFunctionEnd\n", ""), "no OpFunctionEnd", "%main"},
      {"block without end", changed(k_plain, "OpReturn\n", ""), "does not end in a branch", ""},
      {"code behind the end", changed(k_plain, "OpReturn\n", "OpReturn\nOpStore %pout %n2\nOpReturn\n"),
       "follows the end of its block", "OpStore"},
      {"branch to nowhere", changed(k_plain, "OpReturn\n", "OpBranch %n1\n"), "is not a block of this function",
       "OpBranch"},
      {"store of a composite", changed(k_plain, "OpStore %pout %n1", "OpStore %pout %gid3"), "a scalar is needed",
       "OpStore"},
      {"store through a number", changed(k_plain, "OpStore %pout %n1", "OpStore %n1 %n1"), "", "OpStore"},
      {"load through a number", vulkan_all("", "%a = OpLoad %uint %n1\n"), "pointer", "%a"},
      {"member out of range", vulkan_all("", "%a = OpAccessChain %p %x %n3 %n0\n"), "member 3", "%a"},
      {"first member out of range", vulkan_all("", "%a = OpAccessChain %p %x %n1 %n0\n"), "member 1 is asked for",
       "%a"},
      {"a member by a register",
       vulkan_all("", "%l = OpLoad %uint %py\n%a = OpAccessChain %p %x %l %n0\nOpStore %a %n1\n"), "by a constant",
       "%a"},
      {"a chain from a number", vulkan_all("", "%a = OpAccessChain %p %n1 %n0 %n0\n"), "%n1 is not a pointer", "%a"},
      {"a length that is a composite", with_length("%two", "%two = OpConstantComposite %v2 %n1 %n1\n"),
       "%two is not an integer constant", "%"},
      {"a length that is undefined", with_length("%und", "%und = OpUndef %uint\n"), "%und is not an integer constant",
       "%"},
      {"a length that is a type", with_length("%uint", ""), "%uint is not a constant", "%"},
      {"a constant of itself",
       vulkan_all("", "OpStore %pout %self\n", "%self = OpSpecConstantOp %uint IAdd %self %n1\n"), "defined by itself",
       "%self"},
      {"a truth value that is a number", vulkan_all("", "OpStore %pout %t\n", "%t = OpConstantTrue %uint\n"),
       "boolean type", "%t"},
      {"part out of range", vulkan_all("", "%a = OpCompositeExtract %uint %gid3 7\n"), "no part 7", "%a"},
      {"path too long", vulkan_all("", "%a = OpAccessChain %p %x %n0 %n0 %n0\n"), "no parts to choose from", "%a"},
      {"operands of two widths", vulkan_all("", "%a = OpIAdd %uint %true %n1\n"), "differ", "%a"},
      {"no scope", vulkan_all("", "%a = OpAtomicLoad %uint %px %n9 %relaxed\n"), "9 is not a scope", "%a"},
      {"two orders", vulkan_all("", "%a = OpAtomicLoad %uint %px %dv %n6\n"), "more than one order", "%a"},
      {"order without class", vulkan_all("", "%a = OpAtomicLoad %uint %px %dv %n2\n"), "no storage class", "%a"},
      {"load that releases", vulkan_all("", "%a = OpAtomicLoad %uint %px %dv %release\n"), "cannot release", "%a"},
      {"store that acquires", vulkan_all("", "OpAtomicStore %px %dv %acquire %n1\n"), "cannot acquire",
       "OpAtomicStore"},
      {"failing exchange that releases",
       vulkan_all("", "%a = OpAtomicCompareExchange %uint %px %dv %both %both %n1 %n0\n"), "cannot release", "%a"},
      {"available load", vulkan_all("", "%a = OpLoad %uint %px MakePointerAvailable|NonPrivatePointer %dv\n"),
       "makes nothing available", "%a"},
      {"visible store", vulkan_all("", "OpStore %px %n1 MakePointerVisible|NonPrivatePointer %dv\n"),
       "makes nothing visible", "OpStore"},
      {"private and available", vulkan_all("", "OpStore %px %n1 MakePointerAvailable %dv\n"), "NonPrivatePointer",
       "OpStore"},
      {"write to a built-in", vulkan_all("", "OpStore %gids %gid3\n"), "read-only", "OpStore"},
      {"write to a push constant",
       vulkan_all(
           "", "%a = OpAccessChain %ppush %push %n0\nOpStore %a %n1\n",
           "%pushes = OpTypeStruct %uint\n%p_pushes = OpTypePointer PushConstant %pushes\n%ppush = OpTypePointer "
           "PushConstant %uint\n%push = OpVariable %p_pushes PushConstant\n"),
       "read-only", "OpStore"},
      {"use before definition", vulkan_all("", "OpStore %pout %later\n%later = OpIAdd %uint %n1 %n1\n"),
       "before it is defined", "OpStore"},
      {"recursion", vulkan_all("", "%c = OpFunctionCall %void %main\n"), "calls itself", "%c"},
      {"variable of two classes",
       changed(k_plain, "%x = OpVariable %p_buffer StorageBuffer", "%x = OpVariable %p_buffer Uniform"), "its pointer",
       "%x"},
      {"runtime array without input", changed(k_plain, "; @Input: %out = {{0, 0, 0, 0, 0, 0, 0, 0}}\n", ""),
       "length of this runtime array", "%out"},
      // Headers.
      {"two launches", "; @Config: 1, 1, 1\n; @Config: 1, 1, 1\n" + k_plain, "two @Config", "Config"},
      {"short launch", "; @Config: 1, 1\n" + k_plain, "three to five numbers", "1, 1"},
      {"empty launch", "; @Config: 0, 1, 1\n" + k_plain, "is not a launch", "0, 1, 1"},
      {"huge launch", "; @Config: 1000, 1000, 1000\n" + k_plain, "invocations", ""},
      {"mistyped header", "; @Ouput: forall (%x[0][0] == 1)\n" + k_plain, "no header @Ouput", "Ouput"},
      {"no question", "; @Output: always (%x[0][0] == 1)\n" + k_plain, "expected forall", "always"},
      {"open bracket", "; @Output: forall (%x[0][0] == 1\n" + k_plain, "expected ')'", ""},
      {"no comparison", "; @Output: forall (%x[0][0])\n" + k_plain, "expected a comparison", ")"},
      {"unknown id", "; @Output: forall (%nobody == 1)\n" + k_plain, "no %nobody", "%nobody"},
      {"a condition too deep",
       "; @Output: forall " + std::string(300, '(') + "true" + std::string(300, ')') + "\n" + k_plain,
       "nested too deeply", ""},
      {"a value too deep", "; @Input: %z = " + std::string(300, '{') + "1" + std::string(300, '}') + "\n" + k_plain,
       "nested too deeply", ""},
      {"an input of no id", "; @Input: x = 1\n" + k_plain, "expected an id", "x"},
      {"a part without end", "; @Input: %z[0 = 1\n" + k_plain, "expected ']'", "="},
      {"an input without =", "; @Input: %z 1\n" + k_plain, "expected '='", "1"},
      {"an input and more", "; @Input: %z = {{1}} 2\n" + k_plain, "expected ','", "2"},
      {"an index too large", "; @Input: %z[99999] = 1\n" + k_plain, "at most 65536 items", "%z[99999] = 1"},
      {"a comparison of nothing", "; @Output: forall ( == 1)\n" + k_plain, "expected a value", "=="},
      {"a question and more", "; @Output: forall (true) or\n" + k_plain, "expected a value", ""},
      {"a question with two ends", "; @Output: forall (true) true\n" + k_plain, "expected the end", "true"},
      {"not and no exists", "; @Output: not forall (true)\n" + k_plain, "expected 'exists'", "forall"},
      {"a number of 65 bits", "; @Output: forall (%x[0][0] == 0x10000000000000000)\n" + k_plain, "64 bits", ""},
      {"a header without text", "; @Output:\n" + k_plain, "expected forall", ""},
      {"a header without a colon", "; @Output forall (true)\n" + k_plain, "expected ':'", "Output"},
      {"no scalar", "; @Output: forall (%x == 1)\n" + k_plain, "compares scalars", "%x"},
      {"past the end", "; @Output: forall (%x[0][99] == 1)\n" + k_plain, "outside of the variable", "%x[0][99]"},
      {"private in a question", "; @Output: forall (%gids[0] == 1)\n" + k_plain, "each invocation", "%gids[0]"},
      {"one of several workgroups", "; @Config: 1, 1, 2\n; @Output: forall (%shared[0] == 1)\n" + k_plain,
       "once per workgroup", "%shared[0]"},
      {"exists twice", "; @Output: exists (%x[0][0] == 1)\n; @Output: exists (%y[0][0] == 1)\n" + k_plain,
       "stands alone", "exists"},
      {"two inputs", "; @Input: %x = {{1}}\n" + k_plain, "two inputs", "%x"},
      {"input without a value", changed(k_plain, "%x = {{0,", "%x = {{(0,"), "expected a value", "("},
      {"list for a number", changed(k_plain, "%x = {{0,", "%x = {{{1},"), "one number is needed", "{1}"},
      {"number for a list", changed(k_plain, "%x = {{0, 0, 0, 0, 0, 0, 0, 0}}", "%x = 5"), "", ""},
      {"input of an initialised variable",
       changed("; @Input: %w = 1\n" + vulkan_all("", "", "%w = OpVariable %pw Workgroup %n1\n"), "OpReturn\n",
               "OpStore %w %n2\nOpReturn\n"),
       "already has an initial value", "1"},
  };
  EXPECT_GE(all.size(), 50u);
  std::string said;
  for (const Bad& b : all) {
    SCOPED_TRACE(b.what);
    const Diagnostic d = diagnose(b.text);
    said += std::string("## ") + b.what + "\n" + render(d);
    EXPECT_EQ(d.fault, Fault::bad_input) << render(d);
    EXPECT_NE(d.message.find(b.message), std::string::npos) << render(d);
    if (*b.at != 0) {
      EXPECT_EQ(d.span.text().substr(0, std::string(b.at).size()), b.at) << render(d);
      EXPECT_GT(d.span.position().line, 0u);
    }
  }
  std::replace(said.begin(), said.end(), '\0', '?');  // so that the file is a text
  golden::compare("messages/spirv.txt", said);
}

struct Missing {
  std::string text;
  const char* message;
};

TEST(SpirvMalformed, MissingFeaturesAreNamed) {
  const std::vector<Missing> all = {
      {changed(k_plain, "Logical Vulkan", "Logical GLSL450"), "OpMemoryModel"},
      {changed(k_plain, "%ints ArrayStride 4", "%ints ArrayStride 8388612"), "bytes is not read"},
      {changed(k_plain, "OpEntryPoint GLCompute", "OpEntryPoint Vertex"), "OpEntryPoint"},
      {vulkan_all("", "%a = OpGroupNonUniformElect %bool %sg\n"), "OpGroupNonUniformElect"},
      {vulkan_all("", "%a = OpAtomicLoad %uint %px %n0 %relaxed\n"), "CrossDevice"},
      {vulkan_all("", "%a = OpAtomicLoad %uint %px %dv %sequential\n", "%sequential = OpConstant %uint 0x50\n"),
       "sequentially consistent"},
      {vulkan_all("", "%s = OpLoad %uint %py\n%a = OpAtomicLoad %uint %px %s %relaxed\n"),
       "the scope is not a constant"},
      {vulkan_all("", "%s = OpLoad %uint %py\nOpMemoryBarrier %dv %s\n"), "memory semantics is not a constant"},
      {vulkan_all("", "OpControlBarrier %dv %dv %both\n"), "OpControlBarrier"},
      {vulkan_all("",
                  "OpStore %pf32 %sum\n%c = OpFOrdLessThan %bool %f1 %sum\nOpSelectionMerge %m "
                  "None\nOpBranchConditional %c %m %t\n%t = OpLabel\nOpBranch %m\n%m = OpLabel\n",
                  "%f32 = OpTypeFloat 32\n%f1 = OpConstant %f32 1\n%pfl = OpTypePointer Workgroup %f32\n%pf32 = "
                  "OpVariable %pfl Workgroup\n%sum = OpSpecConstantOp %f32 FAdd %f1 %f1\n"),
       "floating point"},
      {changed(vulkan_all("", "OpStore %px %n1\nOpStore %py %n1\n"), "OpDecorate %ints",
               "OpDecorate %x Binding 3\nOpDecorate %y Binding 3\nOpDecorate %ints"),
       "one binding"},
      {vulkan_all("", "%u = OpUndef %p_buffer\n%a = OpAccessChain %p %u %n0 %n0\n"), "an undefined pointer is used"},
      {vulkan_all("", "%u = OpUndef %p\nOpStore %u %n1\n"), "an undefined pointer"},
      {vulkan_all("; @Input: %w = 1\n", "OpStore %w %px\n",
                  "%pp = OpTypePointer Workgroup %p\n%w = OpVariable %pp Workgroup\n"),
       "cannot be given as input"},
      {vulkan_all("", "%i = OpImageTexelPointer %p %x %n0 %n0\n"), "OpImageTexelPointer"},
  };
  std::string said;
  for (const Missing& m : all) {
    const Diagnostic d = diagnose(m.text);
    EXPECT_EQ(d.fault, Fault::unsupported) << render(d);
    EXPECT_NE(d.message.find(m.message), std::string::npos) << render(d);
    said += render(d);
  }
  golden::compare("messages/spirv-not-read.txt", said);
}

TEST(SpirvMalformed, SourceLinesAreNamed) {
  const std::string text = changed(vulkan_all("", "OpLine %file 12 3\n%a = OpGroupNonUniformElect %bool %sg\n"),
                                   "OpDecorate %gids", "%file = OpString \"kernel.comp\"\nOpDecorate %gids");
  EXPECT_NE(diagnose(text).message.find("kernel.comp:12"), std::string::npos);
}

// Cut short anywhere, the text is refused or read, never mishandled.
TEST(SpirvMalformed, CutText) {
  const std::string text =
      vulkan_threads("; @Config: 1, 1, 2\n; @Output: forall (%out[0][0] == 1)\n",
                     {"%a = OpAtomicIAdd %uint %px %dv %relaxed %n1\n", "OpStore %pout %n2 NonPrivatePointer\n"});
  for (size_t n = 0; n < text.size(); n += 7) (void)spirv::parse_spirv(make_source("t.spvasm", text.substr(0, n)), {});
}

// Words left out, doubled or exchanged.
TEST(SpirvMalformed, MutatedText) {
  const std::string text = vulkan_threads(
      "; @Config: 1, 1, 2\n; @Output: forall (%out[0][0] == 1)\n",
      {"%a = OpAtomicIAdd %uint %px %dv %relaxed %n1\nOpStore %pout %a\n", "OpControlBarrier %wg %wg %both_wg\n"});
  std::vector<std::pair<size_t, size_t>> words;
  for (size_t i = 0; i < text.size();) {
    while (i < text.size() && text[i] <= ' ') ++i;
    const size_t begin = i;
    while (i < text.size() && text[i] > ' ') ++i;
    if (i > begin) words.push_back({begin, i});
  }
  uint64_t seed = 12345;
  const auto random = [&] { return seed = seed * 6364136223846793005ull + 1442695040888963407ull, seed >> 33; };
  for (int k = 0; k < 400; ++k) {
    std::string t = text;
    const auto [a, b] = words[random() % words.size()];
    const auto [c, d] = words[random() % words.size()];
    const std::string other = text.substr(c, d - c);
    switch (random() % 3) {
      case 0:
        t.erase(a, b - a);
        break;
      case 1:
        t.replace(a, b - a, other);
        break;
      default:
        t.insert(b, " " + other);
        break;
    }
    (void)spirv::parse_spirv(make_source("t.spvasm", t), {});
  }
}

}  // namespace
}  // namespace spirv_test
