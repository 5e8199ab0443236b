// OpenCL C through clang and the LLVM-SPIR-V translator: names, inputs, lines of messages, the tools. Verdicts of whole
// kernels: examples/opencl-c/expected.csv.
#include "shader/opencl_c.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "prog/test.h"
#include "read/read.h"
#include "spirv_support.h"

namespace fencepost::shader {
namespace {

const std::string k_body =
    "__kernel void go(__global atomic_uint* lock, __global uint* x, uint n, __local uint* scratch) {\n"
    "  __local uint tile[2];\n"
    "  uint mine = atomic_fetch_add_explicit(lock, n, memory_order_relaxed, memory_scope_device);\n"
    "  tile[get_local_id(0)] = mine;\n"
    "  scratch[0] = mine;\n"
    "  x[get_global_id(0)] = mine;\n"
    "}\n";

class OpenClC : public testing::Test {
 protected:
  void SetUp() override {
    if (!opencl_c::find_tools(make_source("t.cl", "")))
      GTEST_SKIP()
          << "clang-15 and llvm-spirv-15 (Debian: clang-15 llvm-spirv-15) are not installed: OpenCL C was NOT tested";
  }
};

Expected<prog::Test> read(const std::string& text, const spirv::LaunchOptions& launch = {}) {
  auto tests = read::parse(make_source("t.cl", text), launch);
  if (!tests) return std::unexpected(tests.error());
  return std::move(tests->front());
}

std::string error_of(const std::string& text, const spirv::LaunchOptions& launch = {}) {
  const auto t = read(text, launch);
  EXPECT_FALSE(t.has_value()) << text;
  return t ? "" : render(t.error());
}

const prog::Object* object(const prog::Test& t, const std::string& name) {
  for (const prog::Object& o : t.objects)
    if (o.name == name) return &o;
  ADD_FAILURE() << "no object " << name;
  return nullptr;
}

TEST(OpenClCText, IsKnownByItsEndingOrAKernel) {
  EXPECT_TRUE(opencl_c::is_opencl_c(*make_source("a.cl", "")));
  EXPECT_TRUE(opencl_c::is_opencl_c(*make_source("-", "__kernel void f() {}")));
  EXPECT_TRUE(opencl_c::is_opencl_c(*make_source("-", "kernel void f() {}")));
  EXPECT_FALSE(opencl_c::is_opencl_c(*make_source("-", "OPENCL mp\n{ x = 0; }\nP0 (global atomic_int* x) { }")));
}

// Without the tools there is no verdict, and the message says what to install.
// A word ends where a sign stands that no name has.
TEST(OpenClCText, EverySignEndsAWord) {
  for (int c = 1; c < 128; ++c) {
    const bool in_names = c == '_' || std::isalnum(c) != 0;
    const std::string sign(1, static_cast<char>(c));
    for (const std::string& text : {sign + "kernel void f() {}", "x __kernel" + sign + "\n", "__kernel" + sign})
      EXPECT_EQ(opencl_c::is_opencl_c(*make_source("t", text)), !in_names) << c << text;
    if (in_names || c <= ' ' || c == '=' || c == ',') continue;
    const auto t = read("// @Define: N" + sign + "\n" + k_body);
    if (opencl_c::find_tools(make_source("t.cl", "")).has_value())
      EXPECT_NE((t ? "" : render(t.error())).find("a macro is NAME or NAME=VALUE"), std::string::npos) << c;
  }
}

// The tools that the environment names, for a while; then those that it named before.
class NamedTools {
 public:
  NamedTools(const std::string& clang, const std::string& translator) {
    for (const auto& [name, value] : {std::pair(k_clang, clang), std::pair(k_translator, translator)}) {
      const char* was = std::getenv(name);
      before_.emplace_back(name, was == nullptr ? std::nullopt : std::optional<std::string>(was));
      setenv(name, value.c_str(), 1);
    }
  }
  ~NamedTools() {
    for (const auto& [name, value] : before_) value ? setenv(name, value->c_str(), 1) : unsetenv(name);
  }
  NamedTools(const NamedTools&) = delete;
  NamedTools& operator=(const NamedTools&) = delete;

 private:
  static constexpr const char *k_clang = "FENCEPOST_CLANG", *k_translator = "FENCEPOST_LLVM_SPIRV";
  std::vector<std::pair<const char*, std::optional<std::string>>> before_;
};

TEST(OpenClCText, MissingToolsAreNamed) {
  const NamedTools none("/nowhere/clang", "/nowhere/llvm-spirv");
  const auto t = read::parse(make_source("t.cl", k_body));
  ASSERT_FALSE(t.has_value());
  EXPECT_EQ(t.error().list.front().fault, Fault::bad_input);
  EXPECT_NE(render(t.error()).find("clang"), std::string::npos);
  EXPECT_NE(render(t.error()).find("apt install clang-15 llvm-spirv-15"), std::string::npos) << render(t.error());
}

// One of the two that is named and missing is no reason to look for the other elsewhere.
TEST_F(OpenClC, OneMissingToolIsNamed) {
  const opencl_c::Tools tools = *opencl_c::find_tools(make_source("t.cl", ""));
  const auto found = [](const std::string& clang, const std::string& translator) {
    const NamedTools named(clang, translator);
    return opencl_c::find_tools(make_source("t.cl", ""));
  };
  const auto translator = found(tools.clang, "/nowhere/llvm-spirv");
  const auto clang = found("/nowhere/clang", tools.translator);
  const auto both = found(tools.clang, tools.translator);
  ASSERT_FALSE(translator.has_value());
  EXPECT_NE(render(translator.error()).find("llvm-spirv-15 is not installed"), std::string::npos);
  ASSERT_FALSE(clang.has_value());
  EXPECT_NE(render(clang.error()).find("clang-15 is not installed"), std::string::npos);
  EXPECT_TRUE(both.has_value());
}

TEST_F(OpenClC, CommentsGiveLaunchInputsAndQuestion) {
  const auto t = read(
      "// @Config: 2, 1, 1\n// @Input: n = 3, lock = 5, x = {0, 1, 7}\n// @Output: exists (x[0] == 5 and tile[1] == "
      "8)\n" +
      k_body);
  ASSERT_TRUE(t.has_value()) << render(t.error());
  EXPECT_EQ(t->dialect, vocab::Dialect::opencl);
  EXPECT_EQ(t->threads.size(), 2u);
  EXPECT_EQ(t->quantifier, prog::Quantifier::exists);
  EXPECT_EQ(object(*t, "lock")->init, (std::vector<uint64_t>{5}));
  EXPECT_EQ(object(*t, "x")->init, (std::vector<uint64_t>{0, 1, 7}));
  EXPECT_FALSE(object(*t, "tile")->undefined.empty());  // local memory holds anything
}

// Global memory starts at 0, what else there is at any value.
TEST_F(OpenClC, OptionsGoFirst) {
  spirv::LaunchOptions launch;
  launch.grid = *spirv::parse_grid("1.1.3");
  launch.inputs = {"x[1] = 6"};
  launch.condition = "forall (lock[0] == 6)";
  const auto t = read("// @Config: 1, 1, 2\n// @Input: x[0] = 2\n// @Output: exists (x[0] == 0)\n" + k_body, launch);
  ASSERT_TRUE(t.has_value()) << render(t.error());
  EXPECT_EQ(t->threads.size(), 3u);
  EXPECT_EQ(t->quantifier, prog::Quantifier::forall);
  EXPECT_EQ(object(*t, "x")->init[0], 2u);
  EXPECT_EQ(object(*t, "x")->init[1], 6u);
  EXPECT_TRUE(object(*t, "lock")->undefined.empty());
}

// What a parameter without an input holds is read once, out of a cell that holds anything.
TEST_F(OpenClC, AParameterWithoutAnInputIsAnyValue) {
  const auto t = read(
      "// @Config: 1, 1, 1\n// @Output: exists (x[0] == 0)\nkernel void k(global int* x, int n) { x[0] = n; x[1] = n; "
      "}\n");
  ASSERT_TRUE(t.has_value()) << render(t.error());
  size_t reads = 0;
  for (const prog::Instr& i : t->templates.front().code)
    if (i.kind == prog::Kind::load) {
      ++reads;
      ASSERT_NE(i.addr.symbol, prog::k_none);
      EXPECT_FALSE(t->objects[t->symbols[i.addr.symbol].object].undefined.empty());
    }
  EXPECT_EQ(reads, 1u);
}

// Where everything that comes from the text stands, and how it is called.
TEST_F(OpenClC, InstructionsHaveLinesOfTheKernel) {
  const auto t = read("// @Input: n = 1\n" + k_body);
  ASSERT_TRUE(t.has_value()) << render(t.error());
  std::vector<std::string> lines;
  for (const prog::Instr& i : t->templates.front().code)
    if (i.kind == prog::Kind::rmw || i.kind == prog::Kind::store) lines.push_back(i.span.location().substr(0, 6));
  EXPECT_EQ(lines, (std::vector<std::string>{"t.cl:4", "t.cl:5", "t.cl:6", "t.cl:7"}));
}

TEST_F(OpenClC, FaultsHavePlaces) {
  EXPECT_NE(error_of("__kernel void f(__global int* x) {\n  x[0] = y;\n}\n")
                .find("t.cl:2:10: error: use of undeclared identifier 'y'"),
            std::string::npos);
  EXPECT_NE(error_of("#include \"/dev/null\"\n__kernel void k() {}\n")
                .find("t.cl:1:11: error: this include is not read: cannot read /dev/null: it is a device"),
            std::string::npos);
  EXPECT_NE(error_of("#include \"nowhere.h\"\n").find("t.cl:1:10: error: 'nowhere.h' file not found"),
            std::string::npos);
  const std::string real =
      error_of("__kernel void f(__global float* x) {\n  if (x[0] + 1.0f > 2.0f)\n    x[1] = 0.0f;\n}\n");
  EXPECT_NE(real.find("t.cl:2:"), std::string::npos) << real;
  EXPECT_NE(real.find("unsupported"), std::string::npos) << real;
  const std::string name = error_of("// @Output: exists (tyle[0] == 1)\n" + k_body);
  EXPECT_NE(name.find("t.cl:1:21: error: there is no variable 'tyle'"), std::string::npos) << name;
  EXPECT_NE(name.find("did you mean 'tile'?"), std::string::npos) << name;
  EXPECT_NE(error_of("// @Output: exists (mine == 1)\n" + k_body).find("'mine' belongs to each invocation by itself"),
            std::string::npos);
  const std::string two = error_of("__kernel void f() {}\n__kernel void g() {}\n");
  EXPECT_NE(two.find("2 kernels"), std::string::npos) << two;
  EXPECT_NE(two.find("--entry"), std::string::npos) << two;
  EXPECT_NE(error_of("// @Define: 7\n" + k_body).find("t.cl:1:13: error: expected the name of a macro"),
            std::string::npos);
}

// What is pointed at is the word at the place that the compiler names, or one sign, or nothing at the end of a line.
TEST_F(OpenClC, FaultsPointAtTheirWord) {
  const auto pointed = [](const std::string& body) {
    const auto t = read("__kernel void f(__global int* x) {\n" + body + "\n}\n");
    EXPECT_FALSE(t.has_value()) << body;
    if (t) return std::string();
    const Span& s = t.error().list.front().span;
    return s.source->text.substr(s.begin, s.end - s.begin);
  };
  const std::string word = "nothing_Az09";
  for (const char* body : {"x[0] = @;", "int v[1] = {@};", "x[0] = @|1;", "x[0] = @^1;", "x[0] = (@);", "x[@] = 1;",
                           "x[0] = @-1;", "x[0] = @/1;", "x[0] = @%1;", "x[0] = @<1;", "x[0] = @?1:2;", "x[0] = @&1;",
                           "x[0] = @*1;", "x[0] = 1?@:2;", "x[0] = ~@;", "x[0] = @ ;", "if (@){}", "@\n= 1;"}) {
    std::string text = body;
    text.replace(text.find('@'), 1, word);
    EXPECT_EQ(pointed(text), word) << body;
  }
  for (const char* sign : {";", ")", "]", "}", "|", "/", ":", "%", "<", "?", ","})
    EXPECT_EQ(pointed(std::string("  x[0] = ") + sign + " 1;"), sign);
  EXPECT_EQ(pointed("  x[0] = 1"), "");  // after the last word of a line
}

TEST_F(OpenClC, MacrosComeFromComments) {
  const std::string text =
      "__kernel void f(__global atomic_int* x) {\n  atomic_store_explicit(x, VALUE + OTHER, memory_order_relaxed, "
      "memory_scope_device);\n}\n";
  EXPECT_NE(error_of("// @Define: TILE^2\n" + k_body).find("t.cl:1:13: error: a macro is NAME or NAME=VALUE"),
            std::string::npos);
  EXPECT_TRUE(read("// @Define: VALUE=40, OTHER_2=2, OTHER=OTHER_2\n" + text).has_value());
  const auto t = read("// @Define: VALUE=40, OTHER=2\n// @Output: forall (x[0] == 42)\n" + text);
  ASSERT_TRUE(t.has_value()) << render(t.error());
  EXPECT_NE(error_of(text).find("VALUE"), std::string::npos);
}

// One of two kernels is chosen by name, and its parameters are the ones that questions mean.
TEST_F(OpenClC, MacrosNeedNoBlanksBetweenThem) {
  for (const char* line :
       {"// @Define: A=1,B=2,C\n", "// @Define:A=1 , B=2 , C \n", "// @Define: A=1\n// @Define: B=2,C\r\n"}) {
    const auto t =
        read(std::string(line) +
             "#ifdef C\n// @Config: 1, 1, 1\n// @Output: forall (x[0] == 12)\n__kernel void go(__global uint* x) "
             "{ x[0] = A * 10 + B; }\n#endif\n");
    ASSERT_TRUE(t.has_value()) << line << render(t.error());
    EXPECT_EQ(spirv_test::verdict(*t, check::Property::condition, 1), Status::holds) << line;
  }
}

TEST_F(OpenClC, EntryChoosesTheKernel) {
  const std::string text =
      "__kernel void f(__global int* a) { a[0] = 1; }\n__kernel void g(__global int* b, __global int* a) { a[0] = 2; "
      "b[0] = 3; }\n";
  spirv::LaunchOptions launch;
  launch.entry = "g";
  launch.condition = "forall (a[0] == 2 and b[0] == 3)";
  const auto t = read(text, launch);
  ASSERT_TRUE(t.has_value()) << render(t.error());
  EXPECT_EQ(t->title, "g");
  EXPECT_EQ(prog::to_string(*t, t->condition.kids[0]), "a[0]=2");
}

TEST_F(OpenClC, AKernelThatIsNotThereIsNamed) {
  const std::string text =
      "// @Output: forall (a[0] == 1)\n__kernel void f(__global int* a) { a[0] = 1; }\n__kernel void g(__global int* "
      "a) { "
      "a[0] = 2; }\n";
  spirv::LaunchOptions launch;
  EXPECT_NE(error_of(text).find("this file has 2 kernels"), std::string::npos) << error_of(text);
  launch.entry = "foo";
  EXPECT_NE(error_of(text, launch).find("there is no kernel 'foo'"), std::string::npos) << error_of(text, launch);
}

// OpenCL C 3.0, 6.15.1: dimensions that a launch has not have one group of one work item.
TEST_F(OpenClC, OtherDimensionsAreOneAndZero) {
  const auto t = read(
      "// @Config: 1, 1, 2\n// @Input: n = 9\n// @Output: forall (a[0] == 1 and a[1] == 0 and a[2] == 1 and a[3] == 0 "
      "and "
      "a[4] == 1)\n__kernel void f(__global uint* a, uint n) {\n  a[0] = get_num_groups(7);\n  a[1] = "
      "get_group_id(3);\n"
      "  a[2] = get_global_size(4);\n  a[3] = get_local_id(n);\n  a[4] = get_local_size(n);\n}\n");
  ASSERT_TRUE(t.has_value()) << render(t.error());
  EXPECT_EQ(spirv_test::verdict(*t, check::Property::condition, 2, check::Engine::automatic), Status::holds);
}

// Functions whose result is a float may access memory all the same: a race must not vanish in "some floating point
// value".
TEST_F(OpenClC, FloatFunctionsThatTakePointersAreAccesses) {
  spirv::LaunchOptions launch;
  launch.grid = spirv::Grid{.subgroup = 2};
  const auto t =
      read("__kernel void f(__global float* a) { float4 v = vload4(0, a); a[get_global_id(0)] = 1.0f; }\n", launch);
  ASSERT_TRUE(t.has_value()) << render(t.error());
  EXPECT_EQ(spirv_test::verdict(*t, check::Property::races, 2, check::Engine::automatic), Status::fails);
  EXPECT_NE(
      error_of("__kernel void f(__global float* a) { a[1] = sincos(a[0], a); }\n", launch).find("sincos is not read"),
      std::string::npos);
}

// Whoever sends a kernel may name any file in an #include: an error in a file of another folder shows no text of it.
TEST_F(OpenClC, TextOfOtherFoldersIsNotShown) {
  std::string name = (std::filesystem::temp_directory_path() / "fencepost-include-XXXXXX").string();
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  std::ofstream(name + "/other.h") << "int secret = hidden_name;\n";
  const std::string said = error_of("#include \"" + name + "/other.h\"\n__kernel void k() {}\n");
  std::filesystem::remove_all(name);
  EXPECT_NE(said.find("other.h' does not compile here"), std::string::npos) << said;
  EXPECT_EQ(said.find("hidden_name"), std::string::npos) << said;
}

// A computed place before a buffer is outside of it, though nobody says how many elements the buffer has.
TEST_F(OpenClC, PlacesBeforeABufferAreUndefined) {
  const auto races = [&](const std::string& index) {
    const auto t = read("// @Config: 1, 1, 1\nkernel void f(global int* a) { a[a[0] - " + index + "] = 1; }\n");
    EXPECT_TRUE(t.has_value()) << (t ? "" : render(t.error()));
    return spirv_test::verdict(*t, check::Property::races, 2, check::Engine::automatic);
  };
  EXPECT_EQ(races("0"), Status::holds);
  EXPECT_EQ(races("1"), Status::fails);
}

// Compilers store a vector of three as one of four: the fourth part is padding, which belongs to the vector.
TEST_F(OpenClC, VectorsOfThreeTakeTheRoomOfFour) {
  spirv::LaunchOptions launch;
  launch.grid = spirv::Grid{.subgroup = 2};
  const auto races = [&](const std::string& body) {
    const auto t = read("__kernel void f(__global float3* a, __global float* b) {" + body + "}\n", launch);
    EXPECT_TRUE(t.has_value()) << (t ? "" : render(t.error()));
    return spirv_test::verdict(*t, check::Property::races, 2, check::Engine::automatic);
  };
  EXPECT_EQ(races("a[get_global_id(0)] = (float3)(1.0f, 2.0f, 3.0f);"), Status::holds);
  EXPECT_EQ(races("float3 v = a[get_global_id(0)]; b[get_global_id(0)] = v.x + v.z;"), Status::holds);
  EXPECT_EQ(races("__local float3 s[2]; s[get_local_id(0)] = a[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);"
                  " a[get_global_id(0)] = s[1 - get_local_id(0)];"),
            Status::holds);
  EXPECT_EQ(races("a[0] = (float3)(b[get_global_id(0)]);"), Status::fails);
  EXPECT_EQ(races("vstore3((float3)(1.0f, 2.0f, 3.0f), get_global_id(0), b);"), Status::holds);
  EXPECT_EQ(races("__local float3 s[2]; s[get_local_id(0) + 2] = (float3)(1.0f);"), Status::fails);  // outside
}

// Copies of structures and arrays, vectors in memory, and integer functions, as values: everything but the inputs
// follows.
TEST_F(OpenClC, ComputesWhatTheKernelDoes) {
  const auto t = read(R"(
// @Input: x = {12, 0x80000001, 7, 3, 0xfffffff0, 0, 1}, c = {1, 2, 3, 4, 5, 6, 7, 8}
// @Output: forall (y[0] == 28 and y[1] == 3 and y[2] == 2 and y[3] == 4 and y[4] == 6 and y[5] == 11 and y[6] == 0 and y[7] == 32)
// @Output: forall (y[8] == 10 and y[9] == 26 and y[10] == 7 and y[11] == 5 and y[12] == 9 and y[13] == 0x0403 and y[14] == 2)
typedef struct { int a; uchar b[4]; long c; } P;
__kernel void f(__global uint* x, __global uint* y, __global uchar* c) {
  y[0] = clz(x[0]);
  y[1] = rotate(x[1], 1u);
  y[2] = ctz(x[0]);
  y[3] = abs_diff(x[2], x[3]);
  y[4] = mul_hi(x[2], x[4]);
  y[5] = select(10u, 11u, x[6]);
  y[6] = select(0u, 1u, x[5]);
  y[7] = clz(x[5]);
  uchar4 v = vload4(1, c);
  vstore4(v, 0, c);
  y[8] = c[0] + c[0];
  int a[4] = {5, 6, 7, 8};
  y[9] = a[0] + a[1] + a[2] + a[x[3]];
  P p = {3, {1, 2, 3, 4}, 7}, q;
  q = p;
  y[10] = q.c;
  y[11] = q.b[x[3]] + q.b[0];
  int z[3] = {0};
  y[12] = z[1] + 9 + printf("%d", 3);
  y[13] = (q.b[3] << 8) | q.b[2];
  y[14] = bitselect(1u, 6u, 3u);
}
)");
  ASSERT_TRUE(t.has_value()) << render(t.error());
  EXPECT_EQ(spirv_test::verdict(*t, check::Property::condition, 2, check::Engine::automatic), Status::holds);
}

// Structures in structures, fourteen deep, with other names of types and qualifiers between: the innermost
// one is signed, and its name is known.
TEST_F(OpenClC, TypesDeepInsideKeepSignAndName) {
  std::string types = "typedef const volatile char deepest;\nstruct s0 { deepest c[2][3]; uchar u; };\n", at = "x[0]";
  for (int k = 1; k < 14; ++k) {
    types += "struct s" + std::to_string(k) + " { struct s" + std::to_string(k - 1) + " m; };\n";
    at += ".m";
  }
  const auto t = read("// @Config: 1, 1, 1\n// @Output: forall (" + at + ".c[1][2] == -1 and " + at + ".u == 255)\n" +
                      types + "kernel void k(global struct s13* x) { *(global char*)&x[0]" + at.substr(4) +
                      ".c[1][2] = -1; x[0]" + at.substr(4) + ".u = 255; }\n");
  ASSERT_TRUE(t.has_value()) << render(t.error());
  EXPECT_EQ(spirv_test::verdict(*t, check::Property::condition, 2, check::Engine::automatic), Status::holds);
}

// What no other work-item sees is a variable, by atomic operations as well.
TEST_F(OpenClC, AtomicsOfOneWorkItem) {
  const auto t = read(R"(
// @Config: 1, 1, 1
// @Output: forall (x[0] == 5 and x[1] == 5 and x[2] == 9 and x[3] == 7)
kernel void k(global uint* x) {
  atomic_uint a;
  atomic_init(&a, 2u);
  atomic_store_explicit(&a, 5u, memory_order_relaxed, memory_scope_work_item);
  x[0] = atomic_load_explicit(&a, memory_order_relaxed, memory_scope_work_item);
  x[1] = atomic_fetch_add_explicit(&a, 4u, memory_order_relaxed, memory_scope_work_item);
  x[2] = atomic_exchange_explicit(&a, 7u, memory_order_relaxed, memory_scope_work_item);
  x[3] = atomic_load_explicit(&a, memory_order_relaxed, memory_scope_work_item);
})");
  ASSERT_TRUE(t.has_value()) << render(t.error());
  EXPECT_EQ(spirv_test::verdict(*t, check::Property::condition, 2, check::Engine::automatic), Status::holds);
}

// What is passed by value is the function's own: the caller's structure stays as it was, also where the function reads
// the caller's meanwhile, is called in a loop, returns a structure, or gets a member of one in memory that others see.
TEST_F(OpenClC, AStructureByValueIsACopy) {
  const auto t = read(R"(
// @Input: g = {{{1, {2, 3}}, 4}}
// @Output: forall (x[0] == 5 and x[1] == 9 and x[2] == 6 and x[3] == 5 and x[4] == 7 and x[5] == 1 and x[6] == 3)
// @Output: forall (x[7] == 30 and x[8] == 5 and x[9] == 1 and x[10] == 8 and x[11] == 3 and g[0][0][1][1] == 3)
// @Output: forall (x[12] == 7 and x[13] == 5 and x[14] == 8 and x[15] == 11)
typedef struct { int a; int b[2]; } S;
typedef struct { S s; int c; } N;
int f(S s) { s.a = 9; s.b[1] = 3; return s.a; }
S g1(S s) { s.a += 1; return s; }
int inner(S s, S* callers) { s.a = 7; return callers->a * 10 + (s.a == 7 ? 0 : 1); }
int nested(N n) { n.s.b[n.c & 1] = 8; f(n.s); return n.s.b[1] + n.s.b[0]; }
int computed(S s, int i) { s.b[i & 1] = 11; return s.b[0] + s.b[1]; }
int twice(S p, S q) { p.a = 1; return q.a; }
__kernel void k(__global int* x, __global N* g, __local N* l, int n) {
  S s = {5, {1, 3}};
  x[1] = f(s);
  x[0] = s.a;
  S t = g1(s);
  x[2] = t.a;
  x[3] = s.a;
  t = g1(t);
  x[4] = t.a;
  x[5] = s.b[0];
  x[6] = s.b[1];
  x[7] = inner((S){3, {0, 0}}, &(S){3, {0, 0}});
  for (int i = 0; i < 2; i++) f(s);
  x[8] = s.a;
  f(g[0].s);
  x[9] = g[0].s.a;
  *l = g[0];
  l->c = 1;
  x[10] = nested(*l) - 2;
  x[11] = l->s.b[1];
  S a[2] = {{7, {0, 0}}, {8, {0, 0}}};
  computed(a[n & 1], n);
  x[12] = a[0].a + a[0].b[0] + a[0].b[1];
  x[13] = twice(s, s);
  x[14] = a[1].a + a[1].b[0] + a[1].b[1];
  x[15] = computed(a[0], n);
}
)");
  ASSERT_TRUE(t.has_value()) << render(t.error());
  EXPECT_EQ(spirv_test::verdict(*t, check::Property::condition, 4, check::Engine::solve), Status::holds);
  EXPECT_EQ(spirv_test::verdict(*t, check::Property::races, 4, check::Engine::solve), Status::holds);
}

// Who goes through a pointer to a variable that has ended does what nobody defines (C11 6.2.4).
TEST_F(OpenClC, VariablesEndWithTheirBlock) {
  const auto races = [&](const std::string& body) {
    const auto t = read(
        "// @Input: x = {0, 2}\nint* local_of(int a) { int y = a; return &y; }\n"
        "int* parameter_of(int a) { return &a; }\ntypedef struct { int a[2]; } S;\n"
        "int* of_structure(S s) { return &s.a[1]; }\nint* same(int* p) { return p; }\n"
        "int through(int* p) { int y = *p; return y; }\n"
        "__kernel void k(__global int* x) {" +
        body + "}\n");
    EXPECT_TRUE(t.has_value()) << (t ? "" : render(t.error()));
    return spirv_test::verdict(*t, check::Property::races, 4, check::Engine::automatic);
  };
  EXPECT_EQ(races("x[0] = *local_of(3);"), Status::fails);
  EXPECT_EQ(races("*parameter_of(3) = 1;"), Status::fails);
  EXPECT_EQ(races("S s = {{1, 2}}; x[0] = *of_structure(s);"), Status::fails);
  EXPECT_EQ(races("int* p; { int y = 1; p = &y; } x[0] = *p;"), Status::fails);
  EXPECT_EQ(races("int* p; { int y[2] = {1, 2}; p = &y[x[0] & 1]; } x[0] = *p;"), Status::fails);
  EXPECT_EQ(races("int* p = 0; for (int i = 0; i < 2; i++) { int y = i; if (p) x[0] = *p; p = &y; }"), Status::fails);
  EXPECT_EQ(races("int z = 1; int* p = &z; if (x[1] == x[0]) { int y = 1; p = &y; } x[0] = *p;"), Status::holds);
  EXPECT_EQ(races("int z = 1; int* p = &z; if (x[1] != x[0]) { int y = 1; p = &y; } x[0] = *p;"), Status::fails);
  EXPECT_EQ(races("int* p = 0; { int y; p = &y; } { int y = 2; x[0] = p == 0; }"), Status::holds);  // not accessed
  EXPECT_EQ(races("int* p; for (int i = 0; i < 2; i++) { int y = i; p = &y; x[0] = *p; }"), Status::holds);
  EXPECT_EQ(races("for (int i = 0; i < 2; i++) { int y = i; int* p = &y; if (i == x[0]) continue; x[0] = *p; }"),
            Status::holds);
  EXPECT_EQ(races("int y = 1; x[0] = *same(&y) + through(same(&y));"), Status::holds);
  EXPECT_EQ(races("int y = 1; int* p = &y; if (x[0]) { int* q = p; p = q; } for (int i = 0; i < 2; i++) x[0] += *p;"),
            Status::holds);
  EXPECT_EQ(races("switch (x[1]) { int y; case 2: y = 1; int* p = &y; x[0] = *p; break; default: y = 2; x[0] = y; }"),
            Status::holds);
}

// A variable of a loop's body holds nothing when it begins anew, in registers or in memory.
TEST_F(OpenClC, AVariableOfALoopsBodyIsAnotherInEachRound) {
  const auto asked = [&](const std::string& question, const std::string& body) {
    const auto t =
        read("// @Input: x = {0, 0}, y = {0}\n// @Output: " + question +
             "\n__kernel void k(__global int* x, __global int* y) { for (int i = 0; i < 2; i++) {" + body + "} }\n");
    EXPECT_TRUE(t.has_value()) << (t ? "" : render(t.error()));
    return spirv_test::verdict(*t, check::Property::condition, 4, check::Engine::solve);
  };
  EXPECT_EQ(asked("exists (x[1] == 77)", "int z; x[i] = z; z = 5;"), Status::holds);
  EXPECT_EQ(asked("exists (x[1] == 77)", "int z[2]; x[i] = z[y[0] & 1]; z[y[0] & 1] = 5;"), Status::holds);
  EXPECT_EQ(asked("forall (x[1] == 6)", "int z; z = 5 + i; x[i] = z;"), Status::holds);
}

// A byte that is neither 0 nor 1 is no bool (C11 6.2.6.1): its lowest bit decides nothing.
TEST_F(OpenClC, AByteThatIsNoBool) {
  const auto races = [&](const std::string& body) {
    const auto t =
        read("// @Input: u = {2, 1}\n__kernel void k(__global uchar* u, __global bool* b, __global int* x) {" + body +
             "}\n");
    EXPECT_TRUE(t.has_value()) << (t ? "" : render(t.error()));
    return spirv_test::verdict(*t, check::Property::races, 2, check::Engine::automatic);
  };
  EXPECT_EQ(races("if (((__global bool*)u)[0]) x[0] = 1;"), Status::fails);
  EXPECT_EQ(races("x[0] = ((__global bool*)u)[0];"), Status::fails);
  EXPECT_EQ(races("if (((__global bool*)u)[1] && !b[0]) x[0] = 1;"), Status::holds);
  EXPECT_EQ(races("bool c = x[0] > 1, d = u[0]; b[0] = c || d; if (b[0] == d) x[0] = 1;"), Status::holds);
  EXPECT_NE(error_of("// @Input: b = {0, 2}\n__kernel void k(__global bool* b) { b[0] = b[1]; }\n")
                .find("the input of a 'bool', which has no number 2"),
            std::string::npos);
}

// A number that the type does not have would be decided by the type alone.
// A bool has no sign, whatever its byte holds.
TEST_F(OpenClC, ABoolHasNoSign) {
  for (const char* question : {"b[0] > 0", "b[0] >= 1", "b[0] != 1", "b[0] > b[1]", "not (b[0] < b[1])"}) {
    const auto t = read(std::string("// @Input: b = {0, 1}\n// @Output: forall (") + question +
                        ")\n__kernel void k(__global bool* b) { ((__global uchar*)b)[0] = 200; }\n");
    ASSERT_TRUE(t.has_value()) << render(t.error());
    EXPECT_EQ(spirv_test::verdict(*t, check::Property::condition, 1, check::Engine::automatic), Status::holds)
        << question;
  }
}

TEST_F(OpenClC, NumbersOfAQuestionAreOfTheType) {
  const auto asked = [](const std::string& question) {
    return "// @Output: forall (" + question +
           ")\ntypedef struct { char c; uchar u; } S;\n__kernel void k(__global S* s, __global int* i, __global uint* "
           "n,"
           " __global bool* b, __global long* l) { s[0].c = -56; i[0] = -1; n[0] = -1; b[0] = true; l[0] = -1; }\n";
  };
  const auto refused = [&](const std::string& question, const std::string& type) {
    const std::string said = error_of(asked(question));
    EXPECT_NE(said.find("this is compared with '" + type + "', which has no number"), std::string::npos) << said;
  };
  refused("s[0].c == 200", "char");
  refused("200 != s[0].c", "char");
  refused("s[0].c < 128", "char");
  refused("s[0].c == 0xc8", "char");
  refused("s[0].u == -1", "unsigned char");
  refused("i[0] == 4294967295", "int");
  refused("n[0] == 4294967296", "unsigned int");
  refused("b[0] == 2", "bool");
  refused("l[0] == 18446744073709551615", "long");
  const auto t =
      read(asked("s[0].c == -56 and i[0] == -1 and i[0] == 0xffffffff and n[0] == -1 and n[0] == 4294967295 and "
                 "b[0] == 1 and l[0] == -1 and l[0] == 0xffffffffffffffff and s[0].u < 255"));
  ASSERT_TRUE(t.has_value()) << render(t.error());
  EXPECT_EQ(spirv_test::verdict(*t, check::Property::condition, 2, check::Engine::automatic), Status::holds);
}

// To copy a structure in memory that others write is to read it.
// An input is a number of its type, as one in a question is; a structure by value is its members.
TEST_F(OpenClC, InputsHaveTheTypesOfTheSource) {
  const auto with = [](const std::string& inputs) {
    return "// @Input: " + inputs +
           "\ntypedef struct { int a[2]; uchar b; } P;\n__kernel void k(__global char* c, __global ushort* s, __global "
           "uint* u, P p, __global int* x) { c[0] = s[0] + u[0]; x[0] = p.a[1] * 1000 + p.b; }\n";
  };
  const auto says = [&](const std::string& inputs, const std::string& what) {
    const std::string all = error_of(with(inputs));
    EXPECT_NE(all.find(what), std::string::npos) << inputs << ": " << all;
  };
  says("c = {200}", "the input of a 'char', which has no number 200");
  says("c[1] = -129", "the input of a 'char', which has no number -129");
  says("c = {0xc8}", "the input of a 'char', which has no number 0xc8");
  says("s = {-1}", "which has no number -1");
  says("u = {4294967296}", "which has no number 4294967296");
  says("p = {{1, 2}, 256}", "which has no number 256");
  says("p = {{{1, 2}, 3}}", "1 values are given, and the structure has 2");
  for (const char* right : {"c = {-128, 127}", "s = {65535}", "u = {-1}", "u = {0xffffffff}"})
    EXPECT_TRUE(read(with(right)).has_value()) << right;
  // A pattern in hexadecimal stands for the bits of a number of 32 and more bits; in decimal it does not fit.
  for (const auto& [pattern, number] : {std::pair("i = {0xffffffff}", "i = {4294967295}"),
                                        {"l = {0xffffffffffffffff}", "l = {18446744073709551615}"}}) {
    const auto of = [&](const char* input) {
      return std::string("// @Input: ") + input +
             "\n__kernel void k(__global int* i, __global long* l) { i[0] = l[0]; }\n";
    };
    EXPECT_TRUE(read(of(pattern)).has_value()) << pattern;
    EXPECT_NE(error_of(of(number)).find("which has no number"), std::string::npos) << number;
  }
  const auto t = read("// @Output: forall (x[0] == 2255)\n" + with("p = {{1, 2}, 255}"));
  ASSERT_TRUE(t.has_value()) << render(t.error());
  EXPECT_EQ(spirv_test::verdict(*t, check::Property::condition, 2, check::Engine::automatic), Status::holds);
  const auto parts = read("// @Output: forall (x[0] == 2255)\n" + with("p[0][1] = 2, p[1] = 255"));
  ASSERT_TRUE(parts.has_value()) << render(parts.error());
  EXPECT_EQ(spirv_test::verdict(*parts, check::Property::condition, 2, check::Engine::automatic), Status::holds);
}

TEST_F(OpenClC, TheCopyOfAStructureByValueRaces) {
  spirv::LaunchOptions launch;
  launch.grid = spirv::Grid{.subgroup = 2};
  const auto t = read(
      "typedef struct { int a, b; } S;\nint f(S s) { return 0; }\n"
      "__kernel void k(__global S* x) { if (get_global_id(0)) x->b = 1; else f(*x); }\n",
      launch);
  ASSERT_TRUE(t.has_value()) << render(t.error());
  EXPECT_EQ(spirv_test::verdict(*t, check::Property::races, 2, check::Engine::automatic), Status::fails);
}

}  // namespace
}  // namespace fencepost::shader
