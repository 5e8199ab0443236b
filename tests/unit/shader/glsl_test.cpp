// GLSL through glslang: names, inputs, lines of messages. Verdicts of whole shaders: examples/glsl/expected.csv.
#include "shader/glsl.h"

#include <gtest/gtest.h>

#include "prog/test.h"
#include "read/read.h"

namespace fencepost::shader {
namespace {

const std::string k_head = "#version 450\n#extension GL_KHR_memory_scope_semantics : require\n";
const std::string k_body =
    "layout(local_size_x = 1) in;\n"
    "layout(binding = 0) buffer Data { uint lock; uint x; uint seen[2]; };\n"
    "layout(binding = 1) buffer Other { uint y; } o;\n"
    "void main() {\n  seen[gl_GlobalInvocationID.x] = atomicAdd(lock, 1u, gl_ScopeDevice, 0, 0);\n  o.y = x;\n}\n";

Expected<prog::Test> read(const std::string& comments, const spirv::LaunchOptions& launch = {}) {
  auto tests = read::parse(make_source("t.comp", k_head + comments + k_body), launch);
  if (!tests) return std::unexpected(tests.error());
  return std::move(tests->front());
}

std::string error_of(const std::string& text) {
  const auto tests = read::parse(make_source("t.comp", text));
  EXPECT_FALSE(tests.has_value());
  return tests ? "" : render(tests.error());
}

// The initial value of cell `at` of the only object of `cells` cells.
uint64_t initial(const prog::Test& t, size_t cells, size_t at) {
  for (const prog::Object& o : t.objects)
    if (o.init.size() == cells) return o.init[at];
  ADD_FAILURE() << "no object of " << cells << " cells";
  return 0;
}

TEST(Glsl, IsKnownByItsFirstLine) {
  EXPECT_TRUE(glsl::is_glsl("#version 450\n"));
  EXPECT_TRUE(glsl::is_glsl("// a lock\n\n  #version 450\n"));
  EXPECT_FALSE(glsl::is_glsl("PTX mp\n{ x = 0; }\n"));
  EXPECT_FALSE(glsl::is_glsl(""));
}

TEST(Glsl, CommentsGiveLaunchInputsAndQuestion) {
  const auto t = read(
      "// @Config: 1, 1, 2\n// @Input: x = 5, seen[1] = 9, o.y = 3\n// @Output: exists (o.y == 5 and seen[0] == 1)\n");
  ASSERT_TRUE(t.has_value()) << render(t.error());
  EXPECT_EQ(t->threads.size(), 2u);
  EXPECT_EQ(t->quantifier, prog::Quantifier::exists);
  EXPECT_EQ(initial(*t, 4, 0), 0u);  // what nobody gives starts at 0
  EXPECT_EQ(initial(*t, 4, 1), 5u);
  EXPECT_EQ(initial(*t, 4, 3), 9u);
  EXPECT_EQ(initial(*t, 1, 0), 3u);
}

// Comments that follow each other without a space between.
TEST(Glsl, HeadersInNeighbouringComments) {
  const auto t = read("/* a lock *//* @Config: 1, 1, 2 *//* two *///* @Output: forall (lock == 2) \n");
  ASSERT_TRUE(t) << render(t.error());
  EXPECT_EQ(t->threads.size(), 2u);
  EXPECT_EQ(t->quantifier, prog::Quantifier::forall);
}

TEST(Glsl, OptionsGoFirst) {
  spirv::LaunchOptions launch;
  launch.grid = *spirv::parse_grid("1.1.3");
  launch.inputs = {"x = 6"};
  launch.condition = "forall (o.y == 6)";
  const auto t = read("// @Config: 1, 1, 2\n// @Output: exists (x == 0)\n", launch);
  ASSERT_TRUE(t.has_value()) << render(t.error());
  EXPECT_EQ(t->threads.size(), 3u);
  EXPECT_EQ(t->quantifier, prog::Quantifier::forall);
  EXPECT_EQ(initial(*t, 4, 1), 6u);
}

TEST(Glsl, FaultsHavePlaces) {
  EXPECT_NE(error_of("#version 450\nvoid main() {\n  z = 1;\n}\n").find("t.comp:3:3: error:"), std::string::npos);
  EXPECT_NE(error_of("// a\n// b\n#version 450\nvoid main() {\n  z = 1;\n}\n").find("t.comp:5:3: error:"),
            std::string::npos);
  EXPECT_NE(error_of("#version 450\nvoid main() {\n").find("error:"), std::string::npos);
  EXPECT_NE(error_of("#version 450\n").find("error:"), std::string::npos);
  EXPECT_NE(error_of(k_head + "// @Config: 1, 1\n" + k_body).find("error:"), std::string::npos);
  EXPECT_NE(error_of(k_head + "// @Config: 1, 1, 2\n// @Input: x = 1, x = 2\n" + k_body).find("two inputs"),
            std::string::npos);
  EXPECT_NE(error_of(k_head + "// @Config: 1, 1, 2\n// @Output: exists (nowhere == 1)\n" + k_body).find("error:"),
            std::string::npos);
}

// What the reader of modules says stands at lines of the shader, and so does what an instruction of the test came from.
TEST(Glsl, MessagesNameLinesOfTheShader) {
  const std::string e =
      error_of(k_head +
               "layout(local_size_x = 1) in;\nlayout(binding = 0) buffer Data { uint x; };\nvoid main() {\n"
               "  float f = float(x);\n  if (f > 0.5)  // twice\n    x = 1u;\n}\n");
  EXPECT_NE(e.find("t.comp:7:3: error: unsupported: "), std::string::npos) << e;
  EXPECT_NE(e.find("7 |   if (f > 0.5)"), std::string::npos) << e;
  EXPECT_EQ(e.find("spvasm"), std::string::npos) << e;
  const auto t = read("");
  ASSERT_TRUE(t.has_value());
  size_t atomics = 0;
  for (const prog::Instr& i : t->templates.front().code)
    if (i.kind == prog::Kind::rmw) {
      ++atomics;
      EXPECT_EQ(i.span.location(), "t.comp:7:3");
    }
  EXPECT_EQ(atomics, 1u);
}

TEST(Glsl, UnknownNamesGetTheNearest) {
  const std::string launch = "// @Config: 1, 1, 2\n";
  const std::string question = error_of(k_head + launch + "// @Output: exists (sen[0] == 1)\n" + k_body);
  EXPECT_NE(question.find("t.comp:4:21: error: there is no variable 'sen'"), std::string::npos) << question;
  EXPECT_NE(question.find("did you mean 'seen'?"), std::string::npos) << question;
  const std::string input = error_of(k_head + launch + "// @Input: o.yy = 1\n" + k_body);
  EXPECT_NE(input.find("t.comp:4:12: error: there is no variable 'o.yy'"), std::string::npos) << input;
  EXPECT_NE(input.find("did you mean 'o.y'?"), std::string::npos) << input;
  EXPECT_NE(error_of(k_head + "// @Ouput: exists (x == 1)\n" + k_body).find("did you mean @Output?"),
            std::string::npos);
  spirv::LaunchOptions given;
  given.condition = "exists (quite_different == 1)";
  const auto option = read(launch, given);
  ASSERT_FALSE(option.has_value());
  EXPECT_NE(render(option.error()).find("--condition:1:9: error: there is no variable 'quite_different'"),
            std::string::npos)
      << render(option.error());
  EXPECT_NE(render(option.error()).find("lock"), std::string::npos);
  const std::string own = error_of(
      "#version 450\n// @Output: exists (mine == 1)\nlayout(local_size_x = 1) in;\n"
      "layout(binding = 0) buffer Data { uint x; };\nvoid main() {\n  uint mine = x;\n  x = mine + mine;\n}\n");
  EXPECT_NE(own.find("'mine' belongs to each invocation by itself"), std::string::npos) << own;
}

// An option replaces what the comment says of the same member, and not of the others of its block.
// It would come out as lines of the assembly, of which some may look like headers.
TEST(Glsl, TheTextIsNoPartOfTheModule) {
  const auto module = glsl::compile(
      make_source("t.comp",
                  "#version 450\n#extension GL_KHR_memory_scope_semantics : enable\n// \"; @Input: no = 1\n"
                  "layout(binding = 0) buffer B { uint number; };\nvoid main() { number = 1; }\n"));
  ASSERT_TRUE(module.has_value()) << render(module.error());
  EXPECT_EQ(module->find("OpSource"), std::string::npos);
  EXPECT_EQ(module->find("@Input"), std::string::npos);
  EXPECT_NE(module->find("\"number\""), std::string::npos);
  EXPECT_NE(module->find("OpFunctionEnd"), std::string::npos);
}

TEST(Glsl, InputsReplaceMemberByMember) {
  spirv::LaunchOptions launch;
  launch.inputs = {"x = 6", "seen[0] = 4"};
  const auto t = read("// @Config: 1, 1, 2\n// @Input: x = 5, lock = 2, seen[1] = 9\n", launch);
  ASSERT_TRUE(t.has_value()) << render(t.error());
  EXPECT_EQ(initial(*t, 4, 0), 2u);
  EXPECT_EQ(initial(*t, 4, 1), 6u);
  EXPECT_EQ(initial(*t, 4, 2), 4u);
  EXPECT_EQ(initial(*t, 4, 3), 9u);
}

// The compiler walks deep trees by recursion; the usual stack would not do.
TEST(Glsl, DeepExpressionsAreRead) {
  std::string sum = "x";
  for (int k = 0; k < 20000; ++k) sum += "+x";
  const std::string text =
      "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0) buffer Data { uint x; };\nvoid main() {\n  x "
      "= " +
      sum + ";\n}\n";
  EXPECT_TRUE(glsl::compile(make_source("deep.comp", text)).has_value());
  const auto large = glsl::compile(make_source("large.comp", text + std::string(1 << 17, '\n')));
  ASSERT_FALSE(large.has_value());
  EXPECT_EQ(large.error().list.front().fault, Fault::unsupported);
}

}  // namespace
}  // namespace fencepost::shader
