// What is said of GLSL shaders and OpenCL C kernels that are not read, word for word, with place and hint:
// tests/golden/messages.
#include <gtest/gtest.h>

#include "golden.h"
#include "prog/test.h"
#include "read/read.h"
#include "shader/opencl_c.h"

namespace fencepost::shader {
namespace {

struct Case {
  const char* what;
  std::string text;
  spirv::LaunchOptions launch = {};
};

std::string said_of(const char* file, const std::vector<Case>& all) {
  std::string out;
  for (const Case& c : all) {
    const auto tests = read::parse(make_source(file, c.text), c.launch);
    out += std::string("## ") + c.what + "\n" + (tests ? "read\n" : render(tests.error()));
    if (out.back() != '\n') out += '\n';
  }
  return out;
}

spirv::LaunchOptions with_condition(const std::string& text) {
  spirv::LaunchOptions o;
  o.condition = text;
  return o;
}
spirv::LaunchOptions with_filter(const std::string& text) {
  spirv::LaunchOptions o;
  o.filter = text;
  return o;
}
spirv::LaunchOptions with_input(const std::string& text) {
  spirv::LaunchOptions o;
  o.inputs = {text};
  return o;
}
spirv::LaunchOptions with_entry(const std::string& text) {
  spirv::LaunchOptions o;
  o.entry = text;
  return o;
}

std::string glsl(const std::string& comments, const std::string& body = "  seen[gl_GlobalInvocationID.x] = x;\n",
                 const std::string& more = "") {
  return "#version 450\n#extension GL_KHR_memory_scope_semantics : require\n" + comments +
         "layout(local_size_x = 1) in;\n"
         "layout(binding = 0) buffer Data { uint lock; uint x; uint seen[2]; };\n"
         "layout(binding = 1) buffer Other { uint y; int z[]; } o;\n" +
         more + "void main() {\n" + body + "}\n";
}

// Types of every kind, as messages name them.
const std::string k_types =
    "struct Pair { uint a; int b; };\nlayout(binding = 1) buffer T { float f[2]; vec3 v; int16_t h[2]; uint64_t w[3]; "
    "Pair p; Pair q[2]; double d[2]; uvec2 u[3]; ivec4 i; float16_t e[2]; uint8_t z; };\n";

std::string typed(const std::string& name) {
  return glsl("#extension GL_EXT_shader_explicit_arithmetic_types : require\n// @Input: " + name + " = 3\n",
              "  f[0] = 1.0;\n", k_types);
}

TEST(Messages, Glsl) {
  const std::vector<Case> all = {
      {"an input of one value for floats", typed("f")},
      {"... for a vector of floats", typed("v")},
      {"... for short ones", typed("h")},
      {"... for long ones", typed("w")},
      {"... for a structure", typed("p")},
      {"... for structures", typed("q")},
      {"... for doubles", typed("d")},
      {"... for vectors", typed("u")},
      {"... for a vector", typed("i")},
      {"... for halves", typed("e")},
      {"an unknown name", glsl("", "  seen[0] = nothing;\n")},
      {"two unknown names", glsl("", "  seen[0] = nothing;\n  x = nobody + 1;\n")},
      {"a missing semicolon", glsl("", "  x = 1\n  lock = 2;\n")},
      {"no version", "layout(local_size_x = 1) in;\nvoid main() { oops; }\n", {}},
      {"a type that does not fit", glsl("", "  x = vec2(1.0);\n")},
      {"no main", "#version 450\nlayout(local_size_x = 1) in;\nuint f() { return 1; }\n"},
      {"a variable that is not there", glsl("// @Output: forall (lokc == 1)\n")},
      {"a variable of the invocation",
       glsl("// @Output: forall (mine == 1)\n", "  uint mine = x;\n  seen[0] = mine;\n")},
      {"a member of another block", glsl("// @Output: forall (o.x == 1)\n")},
      {"a whole array", glsl("// @Output: forall (seen == 1)\n")},
      {"an element past the end", glsl("// @Output: forall (seen[2] == 1)\n")},
      {"a length that is not known", glsl("", "  o.z[0] = 1;\n")},
      {"an input of two values for one", glsl("// @Input: x = {1, 2}\n")},
      {"an input of one value for two", glsl("// @Input: seen = 3\n")},
      {"an input that does not fit", glsl("// @Input: x = 0x100000000\n")},
      {"an input below the least", glsl("// @Input: x = -2147483649\n")},
      {"an input in octal", glsl("// @Input: x = 010\n")},
      {"an input that begins with 0", glsl("// @Input: x = 007\n")},
      {"a question in octal", glsl("// @Output: forall (x == -08)\n")},
      {"an input of no number", glsl("// @Input: x = y\n")},
      {"an input twice", glsl("// @Input: x = 1\n// @Input: x = 2\n")},
      {"a part of an input twice", glsl("// @Input: seen[0] = 1, seen[0] = 2\n")},
      {"a part of a whole input", glsl("// @Input: seen = {1, 2}\n// @Input: seen[0] = 2\n")},
      {"an input past 64 bits", glsl("// @Input: x = 99999999999999999999\n")},
      {"an input and more", glsl("// @Input: x = 1 2\n")},
      {"an input without =", glsl("// @Input: x 1\n")},
      {"an index without ]", glsl("// @Input: seen[0 = 1\n")},
      {"a list without }", glsl("// @Input: seen = {0, 1\n")},
      {"a launch of two numbers", glsl("// @Config: 1, 1\n")},
      {"a launch of six numbers", glsl("// @Config: 1, 1, 1, 1, 1, 1\n")},
      {"a launch of words", glsl("// @Config: one\n")},
      {"a launch and more", glsl("// @Config: 1, 1, 1 2\n")},
      {"a launch of nobody", glsl("// @Config: 1, 0, 1\n")},
      {"a launch that contradicts the shader", glsl("// @Config: 2, 1, 1\n")},
      {"two launches", glsl("// @Config: 1, 1, 1\n// @Config: 1, 1, 2\n")},
      {"an unknown header", glsl("// @Confg: 1, 1, 1\n")},
      {"a header that is far from all", glsl("// @Everything: 1\n")},
      {"a header without a colon", glsl("// @Config 1, 1, 1\n")},
      {"a header in a comment of documentation", glsl("/// @Outptu: forall (x == 1)\n")},
      {"a header in a block", glsl("/* first\n * @Outpt: forall (x == 1) */\n")},
      {"a question without a word", glsl("// @Output: x == 1\n")},
      {"a question without a comparison", glsl("// @Output: forall (x)\n")},
      {"a question with an open bracket", glsl("// @Output: forall (x == 1\n")},
      {"a question and more", glsl("// @Output: forall (x == 1) and then\n")},
      {"not without exists", glsl("// @Output: not (x == 1)\n")},
      {"a comparison with nothing", glsl("// @Output: forall (x == )\n")},
      {"exists beside forall", glsl("// @Output: exists (x == 1)\n// @Output: forall (lock == 1)\n")},
      {"two filters", glsl("// @Filter: x == 1\n// @Filter: x == 2\n")},
      {"a filter and more", glsl("// @Filter: x == 1 lock\n")},
      {"a condition of the command line", glsl(""), with_condition("forall (xx == 1)")},
      {"a condition that ends early", glsl(""), with_condition("exists (x ==")},
      {"a filter of the command line", glsl(""), with_filter("x = 1")},
      {"an input of the command line", glsl(""), with_input("y = 1")},
      {"another entry", glsl(""), with_entry("go")},
      {"double", glsl("", "  double d = 1.0lf * x;\n  if (d > 2.0lf) lock = 1u;\n")},
      {"an image", glsl("", "  imageStore(picture, ivec2(0), vec4(1));\n",
                        "layout(binding = 2, rgba8) uniform image2D picture;\n")},
      {"recursion", glsl("", "  x = f(x);\n", "uint f(uint a) { return a == 0u ? 0u : f(a - 1u); }\n")},
      {"a scope that is not a constant", glsl("", "  atomicAdd(lock, 1u, int(x), 0, 0);\n")},
      {"a barrier in divergent flow is read", glsl("", "  if (x == 1u) barrier();\n")},
      {"an empty shader is read", glsl("", "")},
  };
  golden::compare("messages/glsl.txt", said_of("t.comp", all));
}

std::string kernel(const std::string& comments, const std::string& body = "  x[0] = n;\n",
                   const std::string& more = "") {
  return comments + more +
         "__kernel void go(__global atomic_uint* lock, __global uint* x, uint n, __local uint* scratch) {\n" + body +
         "}\n";
}

TEST(Messages, OpenClC) {
  if (!opencl_c::find_tools(make_source("t.cl", "")))
    GTEST_SKIP() << "clang-15 and llvm-spirv-15 are not installed: OpenCL C was NOT tested";
  const std::vector<Case> all = {
      {"an unknown name", kernel("", "  x[0] = nothing;\n")},
      {"two unknown names", kernel("", "  x[0] = nothing;\n  x[1] = nobody;\n")},
      {"a missing semicolon", kernel("", "  x[0] = 1\n")},
      {"a missing brace", "__kernel void go(__global uint* x) { x[0] = 1;\n"},
      {"a missing include", kernel("", "  x[0] = n;\n", "#include \"missing.h\"\n")},
      {"an #error", kernel("", "  x[0] = n;\n", "#error not today\n")},
      {"a macro with a number for a name", kernel("// @Define: 2N=1\n")},
      {"a macro that begins with 0", kernel("// @Define: 0N=1\n")},
      {"a macro that begins with 9", kernel("// @Define: M, 9=1\n")},
      {"a macro without a name", kernel("// @Define: =1\n")},
      {"a macro with a blank", kernel("// @Define: N 1\n")},
      {"nothing defined", kernel("// @Define:\n")},
      {"macros", kernel("// @Define: N=2, M\n", "#ifdef M\n  x[N] = n;\n#else\n  nothing\n#endif\n")},
      {"an unknown header", kernel("// @Defin: N=2\n")},
      {"two kernels", kernel("") + "__kernel void stop(__global uint* x) { x[0] = 2; }\n"},
      {"a kernel that is not there", kernel(""), with_entry("goo")},
      {"no kernel", "void f(__global uint* x) { x[0] = 1; } // __kernel\n"},
      {"a variable that is not there", kernel("// @Output: forall (lokc[0] == 1)\n")},
      {"a variable of the invocation",
       kernel("// @Output: forall (mine == 1)\n", "  uint mine = n;\n  x[0] = mine;\n")},
      {"a whole array", kernel("// @Output: forall (x == 1)\n// @Input: x = {0, 0}\n")},
      {"an element past the end", kernel("// @Output: forall (x[2] == 1)\n// @Input: x = {0, 0}\n")},
      {"an input that does not fit", kernel("// @Input: n = 0x1ffffffff\n")},
      {"a list for a number", kernel("// @Input: n = {1}\n")},
      {"a number for a list", kernel("// @Input: x = 1\n")},
      {"a launch of a word", kernel("// @Config: many\n")},
      {"an image", "__kernel void go(__read_only image2d_t p, __global uint* x) { x[0] = get_image_width(p); }\n"},
      {"recursion", kernel("", "  x[0] = f(n);\n", "uint f(uint a) { return a == 0 ? 0 : f(a - 1); }\n")},
      {"a function without a body", kernel("", "  x[0] = f(n);\n", "uint f(uint a);\n")},
      {"floating point that decides", kernel("", "  if (sqrt((float)n) > 2.0f) x[0] = 1;\n")},
      {"a scope that is not a constant",
       kernel("", "  atomic_fetch_add_explicit(lock, 1, memory_order_relaxed, (memory_scope)n);\n")},
      {"an order that is not a constant",
       kernel("", "  atomic_fetch_add_explicit(lock, 1, (memory_order)n, memory_scope_device);\n")},
      {"inline assembly", kernel("", "  __asm__ volatile(\"nop\");\n")},
      {"a pipe", "__kernel void go(__read_only pipe int p, __global int* x) { read_pipe(p, x); }\n"},
  };
  golden::compare("messages/opencl-c.txt", said_of("t.cl", all));
}

}  // namespace
}  // namespace fencepost::shader
