// Variables of every shape under every kind of index, joins of values and pointers, calls, exchanges, and questions
// about cells of every type: what each module becomes is in tests/golden/lowered, a digest for each, and in words
// where it is not read. Each has neighbours that differ in one edge alone.
#include <algorithm>

#include "golden.h"
#include "spirv_support.h"

namespace spirv_test {
namespace {

// ---- places ------------------------------------------------------------------------------------------------------

struct Shape {
  const char* what;
  std::string types;  // makes %T
  std::string decorations;
  std::vector<std::string> paths;  // of indices, each leads to a scalar
  std::string input;
};

// Names of constants are %n0 ... %n9; %i and %j are registers, %b one below 4, %far a constant far out, %neg -1.
const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"four numbers",
       "%T = OpTypeArray %uint %n4\n",
       "",
       {"%n0", "%n3", "%n4", "%n5", "%neg", "%far", "%i", "%b", "%i1"},
       ""},
      {"rows",
       "%row = OpTypeArray %uint %n3\n%T = OpTypeArray %row %n2\n",
       "",
       {"%n0 %n2", "%n0 %n3", "%n1 %n2", "%n2 %n0", "%i %n1", "%n1 %i", "%i %j", "%i %i", "%n0 %i1"},
       ""},
      {"a structure of numbers", "%T = OpTypeStruct %uint %uint %uint\n", "", {"%n0", "%n2", "%n3"}, ""},
      {"structures in a row",
       "%s = OpTypeStruct %char %uint\n%T = OpTypeArray %s %n3\n",
       "",
       {"%n0 %n0", "%n2 %n1", "%n3 %n0", "%i %n0", "%i %n1", "%b %n1", "%neg %n0"},
       ""},
      {"structures of rows",
       "%r = OpTypeArray %uint %n3\n%c = OpTypeArray %char %n2\n%s = OpTypeStruct %r %c "
       "%long\n%T = OpTypeArray %s %n2\n",
       "",
       {"%n0 %n0 %n2", "%n1 %n1 %n1", "%n1 %n2", "%i %n0 %n1", "%n1 %n0 %i", "%i %n1 %j", "%i %n2", "%n0 %n1 %i",
        "%n0 %n0 %n3", "%n1 %n1 %n2", "%b %n0 %b"},
       ""},
      {"vectors", "%T = OpTypeArray %v3 %n2\n", "", {"%n0 %n2", "%n1 %n0", "%i %n1", "%n1 %i", "%i %j", "%n2 %n0"}, ""},
      {"a vector", "%T = OpTypeVector %uint 4\n", "", {"%n0", "%n3", "%n4", "%i", "%b"}, ""},
      {"bytes", "%T = OpTypeArray %char %n5\n", "", {"%n0", "%n4", "%n5", "%i", "%b"}, ""},
      {"long numbers", "%T = OpTypeArray %long %n2\n", "", {"%n0", "%n1", "%n2", "%i"}, ""},
      {"truth values", "%T = OpTypeArray %bool %n3\n", "", {"%n0", "%n2", "%i"}, ""},
      {"one number", "%T = OpTypeArray %uint %n1\n", "", {"%n0", "%n1", "%i"}, ""},
      {"structures with a row of one",
       "%r = OpTypeArray %char %n1\n%s = OpTypeStruct %uint %r\n%T = OpTypeArray %s %n2\n",
       "",
       {"%i %n0", "%i %n1 %n0", "%n1 %n1 %i", "%i %n1 %j"},
       ""},
      {"numbers with holes",
       "%T = OpTypeArray %uint %n3\n",
       "OpDecorate %T ArrayStride 16\n",
       {"%n0", "%n2", "%n3", "%i"},
       ""},
      {"members out of order",
       "%T = OpTypeStruct %uint %char %uint\n",
       "OpMemberDecorate %T 0 Offset 8\nOpMemberDecorate %T 1 Offset 4\nOpMemberDecorate %T 2 Offset 0\n",
       {"%n0", "%n1", "%n2"},
       ""},
  };
  return all;
}

const char* k_scalars[][2] = {{"char", "8"}, {"long", "64"}};

std::string types_for(const Shape& s, const std::string& storage, const std::string& more = "") {
  std::string out;
  for (const auto& [name, bits] : k_scalars) out += std::string("%") + name + " = OpTypeInt " + bits + " 0\n";
  out += "%far = OpConstant %uint 1000000\n%neg = OpConstant %uint 0xffffffff\n" + s.types + "%pT = OpTypePointer " +
         storage + " %T\n";
  for (const char* t : {"uint", "char", "long", "bool"})
    out += std::string("%q") + t + " = OpTypePointer " + storage + " %" + t + "\n";
  return out + more;
}

// The scalar type that a path leads to, by its last steps.
std::string scalar_of(const Shape& s, const std::string& path) {
  const std::string what = s.what;
  const size_t depth = static_cast<size_t>(std::count(path.begin(), path.end(), '%'));
  if (what == "bytes") return "char";
  if (what == "long numbers") return "long";
  if (what == "truth values") return "bool";
  if (what == "structures in a row") return path.ends_with("%n0") ? "char" : "uint";
  if (what == "structures with a row of one") return depth == 2 ? "uint" : "char";
  if (what == "structures of rows") {
    if (depth == 2) return "long";
    const size_t member = path.find(' ') + 1;
    return path.substr(member, 3) == "%n1" ? "char" : "uint";
  }
  if (what == "members out of order") return path == "%n1" ? "char" : "uint";
  return "uint";
}

const std::string k_registers =
    "%i = OpAtomicLoad %uint %px %dv %relaxed\n%j = OpAtomicLoad %uint %py %dv %relaxed\n%b = OpBitwiseAnd %uint %i "
    "%n3\n%i1 = OpIAdd %uint %i %n1\n";

TEST(SpirvShapes, PlacesInVariables) {
  std::string out;
  for (const Shape& s : shapes())
    for (const std::string& path : s.paths)
      for (const char* storage : {"Workgroup", "Function", "Private"}) {
        const std::string type = scalar_of(s, path), store = type == "uint"   ? "%n7"
                                                             : type == "bool" ? "%true"
                                                             : type == "char" ? "%c7"
                                                                              : "%l7";
        const std::string more = "%c7 = OpConstant %char 7\n%l7 = OpConstant %long 7\n";
        const bool function = std::string(storage) == "Function";
        const std::string variable = std::string("%tv = OpVariable %pT ") + storage + "\n";
        const std::string code = (function ? variable : "") + k_registers + "%e = OpAccessChain %q" + type + " %tv " +
                                 path + "\n%got = OpLoad %" + type + " %e\nOpStore %e " + store +
                                 "\n%all = OpLoad %T " + "%tv\n%d = OpAccessChain %q" + type + " %tv " + path +
                                 "\n%again = OpLoad %" + type + " %d\n%same = OpCopyObject %" + type + " %again\n" +
                                 (type == "uint"   ? "%sum = OpIAdd %uint %same %got\nOpStore %out0 %sum\n"
                                  : type == "bool" ? "%sum = OpSelect %uint %same %n1 %n2\nOpStore %out0 %sum\n"
                                                   : "%sum = OpUConvert %uint %same\nOpStore %out0 %sum\n");
        std::string text =
            vulkan_all("; @Config: 1, 1, 2\n", code, types_for(s, storage, more) + (function ? "" : variable));
        text.insert(text.find("OpDecorate %gids"), s.decorations);
        out += said_or_made(std::string(s.what) + " [" + path + "] " + storage, text);
      }
  golden::compare("lowered/shapes-places.txt", out);
}

// OpenCL: pointers that move, are cast to smaller and larger numbers, and copies of bytes; with 32 and 64 bits.
TEST(SpirvShapes, PointersThatMove) {
  std::string out;
  const std::vector<std::string> ways = {
      "%e = OpPtrAccessChain %p %x %n2\n",
      "%e = OpPtrAccessChain %p %x %n_1\n",
      "%e = OpPtrAccessChain %p %x %far\n",
      "%e = OpPtrAccessChain %p %x %n7\n",
      "%e = OpPtrAccessChain %p %x %n8\n",
      "%e = OpPtrAccessChain %p %x %n9\n",
      "%e = OpPtrAccessChain %p %x %i\n",
      "%d = OpPtrAccessChain %p %x %i\n%e = OpPtrAccessChain %p %d %n1\n",
      "%d = OpPtrAccessChain %p %x %n1\n%e = OpPtrAccessChain %p %d %i\n",
      "%d = OpPtrAccessChain %p %x %i\n%e = OpPtrAccessChain %p %d %i\n",
      "%d = OpBitcast %pc %x\n%f = OpPtrAccessChain %pc %d %n4\n%e = OpBitcast %p %f\n",
      "%d = OpBitcast %pc %x\n%f = OpPtrAccessChain %pc %d %n3\n%e = OpBitcast %p %f\n",
      "%d = OpBitcast %pc %x\n%f = OpPtrAccessChain %pc %d %i\n%e = OpBitcast %p %f\n",
      "%e = OpPtrAccessChain %p %l %n1\n",
      "%e = OpPtrAccessChain %p %l %i\n",
      "%e = OpAccessChain %p %ar %n1\n",
      "%e = OpAccessChain %p %ar %i\n",
      "%d = OpAccessChain %p %ar %i\n%e = OpPtrAccessChain %p %d %n1\n",
      "%d = OpAccessChain %p %ar %n0\n%e = OpPtrAccessChain %p %d %n3\n",
      "%d = OpAccessChain %p %ar %n0\n%e = OpPtrAccessChain %p %d %n4\n",
      "%c = OpIEqual %bool %i %n0\n%e = OpSelect %p %c %x %y\n",
      "%c = OpIEqual %bool %i %n0\n%d = OpPtrAccessChain %p %y %i\n%e = OpSelect %p %c %x %d\n",
      "%c = OpIEqual %bool %i %n0\n%d = OpSelect %p %c %x %null\n%e = OpPtrAccessChain %p %d %n1\n",
      "%e = OpCopyObject %p %null\n",
  };
  const std::vector<std::pair<const char*, std::string>> uses = {
      {"load", "%v = OpLoad %uint %e\nOpStore %pout %v\n"},
      {"store", "OpStore %e %n3\n"},
      {"atomic", "%v = OpAtomicIAdd %uint %e %dv %relaxed %n3\nOpStore %pout %v\n"},
      {"byte", "%k = OpBitcast %pc %e\n%v = OpLoad %char %k\n%w = OpUConvert %uint %v\nOpStore %pout %w\n"},
      {"long",
       "%k = OpBitcast %pl %e\nOpStore %k %l3\n%v = OpLoad %long %k\n%w = OpUConvert %uint %v\nOpStore %pout %w\n"},
      {"compare", "%v = OpPtrEqual %bool %e %x\n%w = OpSelect %uint %v %n1 %n2\nOpStore %pout %w\n"},
      {"number", "%v = OpConvertPtrToU %uint %e\nOpStore %pout %v\n"},
      {"copy", "OpCopyMemorySized %e %y %n8 Aligned 4\n"},
      {"copy of 6", "OpCopyMemorySized %y %e %n6 Aligned 4\n"},
      {"vload", "%v = OpExtInst %v2 %set vloadn %n1 %e 2\n%w = OpCompositeExtract %uint %v 1\nOpStore %pout %w\n"},
      {"vstore of nothing", "%w = OpExtInst %void %set vstoren %nothing %i %e\n"},
      {"vstore of a block", "%w = OpExtInst %void %set vstoren %entry %i %e\n"},
      {"vstore", "%v = OpCompositeConstruct %v2 %n3 %n4\n%w = OpExtInst %void %set vstoren %v %i %e\n"},
  };
  const std::string types =
      "%char = OpTypeInt 8 0\n%long = OpTypeInt 64 0\n%l3 = OpConstant %long 3\n%v2 = OpTypeVector %uint 2\n"
      "%pc = OpTypePointer CrossWorkgroup %char\n%pl = OpTypePointer CrossWorkgroup %long\n%null = OpConstantNull %p\n"
      "%n_1 = OpConstant %uint 0xffffffff\n%far = OpConstant %uint 5000\n%n6 = OpConstant %uint 6\n"
      "%n7 = OpConstant %uint 7\n%n8 = OpConstant %uint 8\n%n9 = OpConstant %uint 9\n%four = OpTypeArray %uint %n4\n"
      "%pfour = OpTypePointer CrossWorkgroup %four\n%ar = OpVariable %pfour CrossWorkgroup\n";
  for (const bool wide : {false, true})
    for (const std::string& way : ways)
      for (const auto& [use, code] : uses) {
        if (wide && std::string(use) != "load" && std::string(use) != "copy" && std::string(use) != "number") continue;
        std::string text =
            opencl_all("; @Config: 1, 1, 2\n", "%i = OpAtomicLoad %uint %y %dv %relaxed\n" + way + code, types);
        text.insert(text.find("OpMemoryModel"), "%set = OpExtInstImport \"OpenCL.std\"\n");
        if (wide) text.replace(text.find("Physical32"), 10, "Physical64");
        out += said_or_made(std::string(wide ? "64 " : "") + use + " of " + way, text);
      }
  golden::compare("lowered/shapes-pointers.txt", out);
}

// Pointers whose places are long terms or many steps, as they are, of two, and round a loop; and steps that cancel out.
TEST(SpirvShapes, PlacesOfManySteps) {
  const auto number = [](size_t k) { return std::to_string(k); };
  std::string out, registers;
  for (size_t k = 0; k < 10; ++k) registers += "%s" + number(k) + " = OpAtomicLoad %uint %y %dv %relaxed\n";
  std::vector<std::pair<std::string, std::string>> ways = {
      {"there and back", "%m = OpSNegate %uint %s0\n%d = OpPtrAccessChain %p %x %s0\n%e = OpPtrAccessChain %p %d %m\n"},
      {"to the second", "%m = OpISub %uint %n2 %s0\n%d = OpPtrAccessChain %p %x %s0\n%e = OpPtrAccessChain %p %d %m\n"},
      {"far beyond", "%m = OpISub %uint %k900 %s0\n%d = OpPtrAccessChain %p %x %s0\n%e = OpPtrAccessChain %p %d %m\n"},
      {"below four", "%m = OpBitwiseAnd %uint %s0 %n3\n%e = OpPtrAccessChain %p %x %m\n"},
      {"remainder of four", "%m = OpUMod %uint %s0 %n4\n%e = OpPtrAccessChain %p %x %m\n"},
      {"one or two", "%c = OpIEqual %bool %s0 %n0\n%m = OpSelect %uint %c %n1 %n2\n%e = OpPtrAccessChain %p %x %m\n"},
  };
  for (const size_t length : {2u, 7u, 11u, 12u, 13u, 14u, 25u}) {
    std::string term = "%t0 = OpIMul %uint %s0 %s1\n";
    for (size_t k = 1; k < length; ++k)
      term += "%t" + number(k) + (k % 2 == 0 ? " = OpIMul" : " = OpBitwiseXor") + " %uint %t" + number(k - 1) + " %s" +
              number(k % 10) + "\n";
    const std::string last = "%t" + number(length - 1);
    ways.emplace_back("a term of " + number(length), term + "%e = OpPtrAccessChain %p %x " + last + "\n");
    ways.emplace_back("after one step, a term of " + number(length),
                      term + "%d = OpPtrAccessChain %p %x %s0\n%e = OpPtrAccessChain %p %d " + last + "\n");
    ways.emplace_back("chosen by a term of " + number(length),
                      term + "%c = OpIEqual %bool " + last +
                          " %n0\n%d = OpPtrAccessChain %p %y %s0\n%e = OpSelect %p %c "
                          "%x %d\n");
    ways.emplace_back("chosen, a term of " + number(length), term +
                                                                 "%c = OpIEqual %bool %s0 %n0\n%d = OpPtrAccessChain "
                                                                 "%p %y " +
                                                                 last + "\n%e = OpSelect %p %c %x %d\n");
  }
  for (const size_t steps : {2u, 7u, 8u, 9u, 10u}) {
    std::string chain = "%e0 = OpPtrAccessChain %p %x %s0\n";
    for (size_t k = 1; k < steps; ++k)
      chain += "%e" + number(k) + " = OpPtrAccessChain %p %e" + number(k - 1) + " %s" + number(k) + "\n";
    chain += "%e = OpCopyObject %p %e" + number(steps - 1) + "\n";
    ways.emplace_back(number(steps) + " steps", chain);
    ways.emplace_back(number(steps) + " steps of bytes",
                      "%b = OpBitcast %pc %x\n%f = OpPtrAccessChain %pc %b %s9\n%g = OpBitcast %p %f\n" +
                          std::string(chain).replace(chain.find("%x"), 2, "%g"));
  }
  for (const auto& [what, way] : ways)
    for (const auto& [use, code] : std::vector<std::pair<const char*, const char*>>{
             {"load", "%v = OpLoad %uint %e\nOpStore %pout %v\n"},
             {"store", "OpStore %e %n3\n"},
             {"atomic", "%v = OpAtomicIAdd %uint %e %dv %relaxed %n3\nOpStore %pout %v\n"},
             {"twice", "%v = OpLoad %uint %e\n%z = OpPtrAccessChain %p %e %n1\nOpStore %z %v\n"}}) {
      const std::string constants =
          "%k900 = OpConstant %uint 900\n%char = OpTypeInt 8 0\n%pc = OpTypePointer CrossWorkgroup %char\n";
      out += said_or_made(std::string(use) + ", " + what,
                          opencl_all("; @Config: 1, 1, 1\n", registers + way + code, constants));
      // The same pointer round a loop of two.
      if (std::string(use) != "twice") continue;
      out += said_or_made("in a loop, " + what, opencl_all("; @Config: 1, 1, 1\n", registers + way + R"(OpBranch %head
%head = OpLabel
%q = OpPhi %p %e %entry %q1 %head
%k = OpPhi %uint %n0 %entry %k1 %head
%v = OpLoad %uint %q
%k1 = OpIAdd %uint %k %n1
%q1 = OpPtrAccessChain %p %q %v
%more = OpULessThan %bool %k1 %n2
OpLoopMerge %done %head None
OpBranchConditional %more %head %done
%done = OpLabel
OpStore %q %n3
)",
                                                           constants));
    }
  golden::compare("lowered/shapes-steps.txt", out);
}

// Variables of an invocation begin and end: once, again, in a loop, through one pointer or one of two.
TEST(SpirvShapes, Lifetimes) {
  std::string out;
  const std::string start = "OpLifetimeStart %v 0\n", stop = "OpLifetimeStop %v 0\n";
  const std::string put = "OpStore %v %n3\n", get = "%g = OpLoad %uint %v\nOpStore %pout %g\n";
  const std::string by = "%r = OpLoad %p0 %q\n%g = OpLoad %uint %r\nOpStore %pout %g\n";
  const std::string choice = "%i = OpLoad %uint %x\n%c = OpIEqual %bool %i %n0\n%e = OpSelect %p0 %c %v %u\n";
  for (const std::string& body :
       {start + put + get + stop, put + get, start + put + stop + get, start + put + stop + start + get,
        start + put + stop + start + put + get, start + put + "OpStore %q %v\n" + by,
        start + put + "OpStore %q %v\n" + stop + by, start + put + "OpStore %q %v\n" + stop + start + by,
        start + put + "OpStore %q %u\nOpStore %u %n2\n" + stop + by,
        choice + put + "OpStore %u %n2\nOpStore %q %v\nOpLifetimeStop %e 0\n" + by,
        choice + put + "OpStore %u %n2\nOpStore %q %e\n" + stop + by,
        choice + put + "OpStore %u %n2\nOpLifetimeStart %e 0\n" + get,
        put + "OpStore %q %v\nOpLifetimeStop %none 0\nOpLifetimeStart %none 0\n" + by})
    for (const bool loop : {false, true}) {
      const std::string head =
          "OpBranch %head\n%head = OpLabel\n%k = OpPhi %uint %n0 %entry %k1 %head\n%k1 = OpIAdd %uint %k %n1\n";
      const std::string tail =
          "%more = OpULessThan %bool %k1 %n2\nOpLoopMerge %done %head None\nOpBranchConditional %more %head %done\n"
          "%done = OpLabel\n";
      const std::string variables =
          "%v = OpVariable %p0 Function\n%u = OpVariable %p0 Function\n%q = OpVariable %pp0 Function\n";
      std::string text = opencl_all("; @Config: 1, 1, 1\n", (loop ? head : "") + body + (loop ? tail : ""),
                                    "%p0 = OpTypePointer Function %uint\n%pp0 = OpTypePointer Function %p0\n%none = "
                                    "OpConstantNull %p0\n");
      text.insert(text.find("%entry = OpLabel\n") + 17, variables);
      out += said_or_made(body + (loop ? "in a loop" : ""), text);
    }
  golden::compare("lowered/shapes-lifetimes.txt", out);
}

// With addresses of 32 bits, -1 and 2^32 - 1 are one index: that none is negative is assumed, and said.
TEST(SpirvShapes, NegativeIndicesAreAssumedAwayWhereTheyCannotBeTold) {
  const std::string computed =
      opencl_all("; @Config: 1, 1, 1\n",
                 "%i = OpAtomicLoad %uint %y %dv %relaxed\n%e = OpPtrAccessChain %p %x %i\nOpStore %e %n1\n", "");
  const std::string constant =
      opencl_all("; @Config: 1, 1, 1\n", "%e = OpPtrAccessChain %p %x %n2\nOpStore %e %n1\n", "");
  const auto assumed = [](std::string text, const char* addressing) {
    text.replace(text.find("Physical32"), 10, addressing);
    const auto t = spirv::parse_spirv(make_source("t.spvasm", text));
    EXPECT_TRUE(t.has_value()) << (t ? "" : render(t.error()));
    return t && std::any_of(t->assumptions.begin(), t->assumptions.end(),
                            [](const std::string& a) { return a.find("no computed index is negative") == 0; });
  };
  EXPECT_TRUE(assumed(computed, "Physical32"));
  EXPECT_FALSE(assumed(computed, "Physical64"));
  EXPECT_FALSE(assumed(constant, "Physical32"));
}

// Buffers whose length is that of the input, or more.
TEST(SpirvShapes, OpenEndedBuffers) {
  std::string out;
  const std::vector<std::pair<std::string, std::vector<std::string>>> buffers = {
      {"%S = OpTypeStruct %ints\n",
       {"%n0 %n3", "%n0 %n4", "%n0 %n9", "%n0 %i", "%n0 %b", "%n0 %neg", "%n0 %c4095", "%n0 %c4096"}},
      {"%S = OpTypeStruct %uint %ints\n", {"%n0", "%n1 %n0", "%n1 %n2", "%n1 %n3", "%n1 %i"}},
      {"%pair = OpTypeStruct %uint %char\n%pairs = OpTypeRuntimeArray %pair\n%S = OpTypeStruct %pairs\n",
       {"%n0 %n1 %n0", "%n0 %n4 %n0", "%n0 %i %n0", "%n0 %b %n0"}},
      {"%pair = OpTypeArray %uint %n2\n%pairs = OpTypeRuntimeArray %pair\n%S = OpTypeStruct %uint %pairs\n",
       {"%n1 %n1 %n0", "%n1 %n4 %n1", "%n1 %i %n0", "%n1 %n0 %i", "%n1 %i %j", "%n0"}},
  };
  for (const auto& [types, paths] : buffers)
    for (const std::string& path : paths)
      for (const char* grid : {"1, 1, 1", "3, 1, 1", "70, 1, 1"})
        for (const char* use : {"%got = OpLoad %uint %e\nOpStore %out0 %got\n", "OpStore %e %n7\n",
                                "%got = OpAtomicIAdd %uint %e %dv %relaxed %n1\nOpStore %out0 %got\n"}) {
          const size_t at = &types - &buffers[0].first;
          const std::string input =
              types.find("pair") == std::string::npos
                  ? (types.find("%uint %ints") != std::string::npos ? "{5, {1, 2, 3}}" : "{{1, 2, 3, 4}}")
              : types.find("%char") != std::string::npos ? "{{{1, 2}, {3, 4}}}"
                                                         : "{9, {{1, 2}, {3, 4}}}";
          (void)at;
          std::string text =
              std::string("; @Config: ") + grid + "\n; @Input: %B = " + input + "\n" +
              vulkan_all("", k_registers + "%e = OpAccessChain %p %B " + path + "\n" + use,
                         "%char = OpTypeInt 8 0\n%neg = OpConstant %uint 0xffffffff\n%c4095 = OpConstant "
                         "%uint 4095\n%c4096 = OpConstant %uint 4096\n" +
                             types + "%pS = OpTypePointer StorageBuffer %S\n%B = OpVariable %pS StorageBuffer\n");
          out += said_or_made(types + "[" + path + "] " + grid + " " + std::string(use).substr(0, 12), text);
        }
  // Far places of a buffer lengthen it while it stays within the most bytes of a variable.
  for (const char* index : {"%n2", "%k3494", "%k3495", "%k3496", "%k3497"})
    out += said_or_made(
        std::string("far ") + index, "; @Input: %B = {{{1, 2}, {3, 4}}}\n" + [&] {
          std::string t =
              vulkan_all("", std::string("%e = OpAccessChain %p %B %n0 ") + index + " %n0\nOpStore %e %n7\n",
                         "%char = OpTypeInt 8 0\n%k3494 = OpConstant %uint 3494\n%k3495 = OpConstant %uint "
                         "3495\n%k3496 = OpConstant %uint 3496\n%k3497 = OpConstant %uint 3497\n%pair = OpTypeStruct "
                         "%uint %char\n%pairs = OpTypeRuntimeArray %pair\n%S = OpTypeStruct %pairs\n%pS = "
                         "OpTypePointer StorageBuffer %S\n%B = OpVariable %pS StorageBuffer\n");
          return t.insert(t.find("OpDecorate %gids"), "OpDecorate %pairs ArrayStride 300\n");
        }());
  golden::compare("lowered/shapes-open.txt", out);
}

// ---- ways that meet ----------------------------------------------------------------------------------------------

TEST(SpirvShapes, WaysThatMeet) {
  std::string out;
  const auto add = [&](const std::string& what, const std::string& code, const std::string& more = "",
                       const std::string& header = "; @Config: 1, 1, 2\n") {
    out += said_or_made(
        what, vulkan_all(header,
                         "%v = OpAtomicLoad %uint %px %dv %relaxed\n%w = OpAtomicLoad %uint %py %dv %relaxed\n" + code,
                         more));
  };
  const std::string two =
      "%c = OpIEqual %bool %v %n0\nOpSelectionMerge %m None\nOpBranchConditional %c %t %f\n%t = OpLabel\n%T%OpBranch "
      "%m\n%f = OpLabel\n%F%OpBranch %m\n%m = OpLabel\n%M%";
  const auto branch = [&](std::string t, std::string f, std::string m) {
    std::string s = two;
    for (const auto& [from, to] : {std::pair{"%T%", t}, std::pair{"%F%", f}, std::pair{"%M%", m}})
      s.replace(s.find(from), 3, to);
    return s;
  };
  add("equal values", branch("", "", "%a = OpPhi %uint %n1 %t %n1 %f\nOpStore %out0 %a\n"));
  add("two values", branch("", "", "%a = OpPhi %uint %n1 %t %n2 %f\nOpStore %out0 %a\n"));
  add("two vectors",
      branch("%x1 = OpCompositeConstruct %v2 %n1 %n2\n", "%x2 = OpCompositeConstruct %v2 %n1 %v\n",
             "%a = OpPhi %v2 %x1 %t %x2 %f\n%a0 = OpCompositeExtract %uint %a 0\n%a1 = OpCompositeExtract %uint %a "
             "1\nOpStore %out0 %a0\nOpStore %out1 %a1\n"));
  add("two pointers", branch("", "", "%a = OpPhi %p %px %t %py %f\nOpStore %a %n1\n"));
  add("a pointer with two indices", branch("%x1 = OpAccessChain %p %x %n0 %v\n", "%x2 = OpAccessChain %p %x %n0 %w\n",
                                           "%a = OpPhi %p %x1 %t %x2 %f\nOpStore %a %n1\n"));
  add("a pointer that is undefined on one way",
      branch("%x1 = OpUndef %p\n", "", "%a = OpPhi %p %x1 %t %py %f\nOpStore %a %n1\n"));
  add("variables that meet",
      branch("OpStore %fv %n1\n", "OpStore %fv %n2\n", "%a = OpLoad %uint %fv\nOpStore %out0 %a\n"));
  add("variables that meet alike",
      branch("OpStore %fv %n1\n", "OpStore %fv %n1\n", "%a = OpLoad %uint %fv\nOpStore %out0 %a\n"));
  add("a variable on one way", branch("OpStore %fv %n1\n", "", "%a = OpLoad %uint %fv\nOpStore %out0 %a\n"));
  add("floating point on one way",
      branch("%s = OpFAdd %f32 %f1 %f1\n", "", "%a = OpPhi %f32 %s %t %f1 %f\nOpStore %fs %a\n"),
      "%f32 = OpTypeFloat 32\n%f1 = OpConstant %f32 1.5\n%pfl = OpTypePointer Workgroup %f32\n%fs = OpVariable %pfl "
      "Workgroup\n");
  for (const char* index : {"%n2", "%n3", "%v", "%m2", "%m3", "%m4"})
    for (const char* use : {"%a = OpVectorExtractDynamic %uint %gid3 @\n",
                            "%b = OpVectorInsertDynamic %v3 %gid3 %w "
                            "@\n%a = OpCompositeExtract %uint %b 2\n"}) {
      std::string text = use;
      text.replace(text.find('@'), 1, index);
      add(std::string("a part of a vector at ") + index + (text[1] == 'b' ? " is replaced" : ""),
          "%m2 = OpBitwiseAnd %uint %v %n2\n%m3 = OpBitwiseAnd %uint %n3 %v\n%m4 = OpBitwiseAnd %uint %v %n4\n" + text +
              "OpStore %out0 %a\n");
    }
  const auto loop = [](const std::string& phis, const std::string& body, const std::string& after) {
    return "OpBranch %h\n%h = OpLabel\n%k = OpPhi %uint %n0 %entry %k1 %b\n" + phis +
           "OpLoopMerge %d %b None\nOpBranch %g\n%g = OpLabel\n%more = OpULessThan %bool %k %n4\nOpBranchConditional "
           "%more "
           "%b %d\n%b = OpLabel\n%k1 = OpIAdd %uint %k %n1\n" +
           body + "OpBranch %h\n%d = OpLabel\n" + after;
  };
  add("a counter", loop("", "", "OpStore %out0 %k\n"));
  add("a counter and a sum",
      loop("%s = OpPhi %uint %v %entry %s1 %b\n", "%s1 = OpIAdd %uint %s %k\n", "OpStore %out0 %s\n"));
  add("a value that does not change", loop("%s = OpPhi %uint %v %entry %s %b\n", "", "OpStore %out0 %s\n"));
  add("a value that changes its place", loop("%s = OpPhi %uint %v %entry %r %b\n%r = OpPhi %uint %w %entry %s %b\n", "",
                                             "OpStore %out0 %s\nOpStore %out1 %r\n"));
  add("three values that change places",
      loop("%s = OpPhi %uint %v %entry %r %b\n%r = OpPhi %uint %w %entry %q %b\n%q = OpPhi %uint %n1 %entry %s %b\n",
           "", "OpStore %out0 %s\nOpStore %out1 %r\nOpStore %out2 %q\n"));
  add("a chain of values",
      loop("%s = OpPhi %uint %v %entry %r %b\n%r = OpPhi %uint %w %entry %q %b\n%q = OpPhi %uint %n1 %entry %k %b\n",
           "", "OpStore %out0 %s\nOpStore %out1 %r\nOpStore %out2 %q\n"));
  add("a pointer that moves in a loop",
      loop("%s = OpPhi %p %px %entry %s1 %b\n", "%s1 = OpAccessChain %p %x %n0 %k1\nOpStore %s %n1\n",
           "OpStore %s %n2\n"));
  add("a pointer that changes its variable",
      loop("%s = OpPhi %p %px %entry %py %b\n", "OpStore %s %n1\n", "OpStore %s %n2\n"));
  add("a variable in a loop",
      "OpStore %fv %n0\n" + loop("", "%o = OpLoad %uint %fv\n%o1 = OpIAdd %uint %o %n2\nOpStore %fv %o1\n",
                                 "%z9 = OpLoad %uint %fv\nOpStore %out0 %z9\n"));
  add("a variable that a loop does not change",
      "OpStore %fv %v\n" + loop("", "OpStore %out1 %k\n", "%z9 = OpLoad %uint %fv\nOpStore %out0 %z9\n"));
  add("an undefined value in a loop",
      loop("", "%u = OpUndef %uint\nOpStore %out1 %u\n", "%u2 = OpUndef %uint\nOpStore %out0 %u2\n"));
  add("a division by nothing in a loop",
      loop("", "%u = OpUDiv %uint %n5 %v\nOpStore %out1 %u\n", "%u2 = OpUDiv %uint %n5 %w\nOpStore %out0 %u2\n"));
  for (const size_t shapes : {5u, 6u, 7u, 8u}) {  // a switch whose ways bring pointers of as many shapes
    std::string code = "OpSelectionMerge %m None\nOpSwitch %v %l0", phi = "%a = OpPhi %p";
    for (size_t k = 1; k < shapes; ++k) code += " " + std::to_string(k) + " %l" + std::to_string(k);
    code += "\n";
    for (size_t k = 0; k < shapes; ++k) {
      const std::string n = std::to_string(k);
      code += "%l" + n + " = OpLabel\n%e" + n + " = OpAccessChain %p %x %n0 %n" + std::to_string(k) + "\nOpBranch %m\n";
      phi += " %e" + n + " %l" + n;
    }
    add("pointers of " + std::to_string(shapes) + " shapes",
        code + "%m = OpLabel\n" + phi + "\nOpStore %a %n1\n%got = OpLoad %uint %a\nOpStore %out1 %got\n");
  }
  // Terms of 23 to 26 nodes stay terms or become registers; sums of more than eight steps become one.
  for (const size_t n : {10u, 11u, 12u, 13u}) {
    std::string code = "%s0 = OpIAdd %uint %v %w\n";
    for (size_t k = 1; k <= n; ++k)
      code += "%s" + std::to_string(k) + " = OpBitwiseXor %uint %s" + std::to_string(k - 1) +
              (k % 2 != 0 ? " %v\n" : " %w\n");
    add("a sum of " + std::to_string(n),
        code + "OpStore %out0 %s" + std::to_string(n) + "\nOpStore %out1 %s" + std::to_string(n) + "\n");
    add("a condition of " + std::to_string(n),
        code + "%q = OpIEqual %bool %s" + std::to_string(n) + " %n1\n%e = OpSelect %p %q %px %py\nOpStore %e %n1\n");
    add("an index of " + std::to_string(n),
        code + "%e = OpAccessChain %p %x %n0 %s" + std::to_string(n) + "\nOpStore %e %n1\n");
  }
  for (const size_t depth : {8u, 9u, 10u}) {
    std::string types = "%a0 = OpTypeArray %uint %n2\n", path;
    for (size_t k = 1; k < depth; ++k)
      types += "%a" + std::to_string(k) + " = OpTypeArray %a" + std::to_string(k - 1) + " %n2\n";
    for (size_t k = 0; k < depth; ++k) path += k % 2 != 0 ? " %v" : " %w";
    const std::string top = "%a" + std::to_string(depth - 1);
    add("an index of " + std::to_string(depth) + " steps", "%e = OpAccessChain %pw %dv9" + path + "\nOpStore %e %n1\n",
        types + "%pd = OpTypePointer Workgroup " + top + "\n%dv9 = OpVariable %pd Workgroup\n");
  }
  golden::compare("lowered/shapes-ways.txt", out);
}

// ---- calls -------------------------------------------------------------------------------------------------------

TEST(SpirvShapes, Calls) {
  const std::string add_one =
      "%f1 = OpFunction %uint None %fnu\n%fa1 = OpFunctionParameter %uint\n%fb1 = OpLabel\n%fl = OpVariable %pf "
      "Function %n3\n"
      "%fr1 = OpIAdd %uint %fa1 %n1\n%fo = OpLoad %uint %fl\nOpStore %fl %fr1\n%fs1 = OpIAdd %uint %fr1 "
      "%fo\nOpReturnValue %fs1\nOpFunctionEnd\n";
  const std::string twice =
      "%f2 = OpFunction %uint None %fnu\n%fa2 = OpFunctionParameter %uint\n%fb2 = OpLabel\n%fc2 = OpFunctionCall %uint "
      "%f1 "
      "%fa2\n%fd2 = OpFunctionCall %uint %f1 %fc2\nOpReturnValue %fd2\nOpFunctionEnd\n";
  const std::string chooses =
      "%f3 = OpFunction %uint None %fnu\n%fa3 = OpFunctionParameter %uint\n%fb3 = OpLabel\n%fq3 = OpIEqual %bool %fa3 "
      "%n0\nOpSelectionMerge %fm3 None\nOpBranchConditional %fq3 %ft3 %fm3\n%ft3 = OpLabel\nOpReturnValue %n7\n%fm3 = "
      "OpLabel\nOpReturnValue %fa3\nOpFunctionEnd\n";
  const std::string waits =
      "%f4 = OpFunction %void None %fn\n%fb4 = OpLabel\nOpControlBarrier %wg %wg %both_wg\nOpReturn\nOpFunctionEnd\n";
  const std::string array =
      "%f5 = OpFunction %uint None %fnu\n%fa5 = OpFunctionParameter %uint\n%fb5 = OpLabel\n%fl5 = OpVariable %pf_four "
      "Function %four0\n%fe5 = OpAccessChain %pf %fl5 %fa5\n%fo5 = OpLoad %uint %fe5\nOpStore %fe5 %n9\nOpReturnValue "
      "%fo5\nOpFunctionEnd\n";
  const std::string itself =
      "%f6 = OpFunction %uint None %fnu\n%fa6 = OpFunctionParameter %uint\n%fb6 = OpLabel\n%fc6 = OpFunctionCall %uint "
      "%f6 "
      "%fa6\nOpReturnValue %fc6\nOpFunctionEnd\n";
  const std::string mixed =
      "%f9 = OpFunction %uint None %fnu\n%fa9 = OpFunctionParameter %uint\n%fb9 = OpLabel\n%fq9 = OpIEqual %bool %fa9 "
      "%n0\nOpBranchConditional %fq9 %ft9 %fm9\n%ft9 = OpLabel\nOpReturnValue %n7\n%fm9 = OpLabel\nOpReturn\n"
      "OpFunctionEnd\n";
  const std::string never =
      "%f7 = OpFunction %void None %fn\n%fb7 = OpLabel\nOpUnreachable\nOpFunctionEnd\n%f8 = OpFunction %void None "
      "%fn\n%fb8 "
      "= OpLabel\nOpKill\nOpFunctionEnd\n";
  const std::string types = "%fnu = OpTypeFunction %uint %uint\n%four0 = OpConstantComposite %four %n1 %n2 %n3 %n4\n";
  std::string out;
  for (const char* code : {
           "%a = OpFunctionCall %uint %f1 %n4\nOpStore %out0 %a\n",
           "%a = OpFunctionCall %uint %f1 %v\n%b = OpFunctionCall %uint %f1 %a\nOpStore %out0 %b\n",
           "%a = OpFunctionCall %uint %f2 %v\nOpStore %out0 %a\n",
           "%a = OpFunctionCall %uint %f2 %v\n%b = OpFunctionCall %uint %f2 %v\nOpStore %out0 %b\nOpStore %out1 %a\n",
           "%a = OpFunctionCall %uint %f3 %v\nOpStore %out0 %a\n",
           "%a = OpFunctionCall %uint %f3 %n0\nOpStore %out0 %a\n",
           "%a = OpFunctionCall %uint %f3 %n5\n%b = OpFunctionCall %uint %f3 %a\nOpStore %out0 %b\n",
           "%a = OpFunctionCall %void %f4\n%b = OpFunctionCall %void %f4\n",
           "%a = OpFunctionCall %uint %f5 %v\n%b = OpFunctionCall %uint %f5 %v\nOpStore %out0 %b\n",
           "%a = OpFunctionCall %uint %f5 %n2\n%b = OpFunctionCall %uint %f5 %n2\nOpStore %out0 %b\n",
           "%a = OpFunctionCall %uint %f6 %n2\n",
           "%a = OpFunctionCall %uint %f9 %v\nOpStore %out0 %n1\n",
           "%a = OpFunctionCall %uint %f9 %v\nOpStore %out0 %a\n",
           "%a = OpFunctionCall %uint %f1\n",
           "%a = OpFunctionCall %uint %f1 %n1 %n2\n",
           "%a = OpFunctionCall %uint %n1 %n2\n",
           "%c = OpIEqual %bool %v %n0\nOpSelectionMerge %m None\nOpBranchConditional %c %t %m\n%t = OpLabel\n%a = "
           "OpFunctionCall %void %f7\nOpBranch %m\n%m = OpLabel\nOpStore %out0 %n1\n",
           "%c = OpIEqual %bool %v %n0\nOpSelectionMerge %m None\nOpBranchConditional %c %t %m\n%t = OpLabel\n%a = "
           "OpFunctionCall %void %f8\nOpBranch %m\n%m = OpLabel\nOpStore %out0 %n1\n",
           "%c = OpIEqual %bool %id %n0\nOpSelectionMerge %m None\nOpBranchConditional %c %t %m\n%t = OpLabel\n%a = "
           "OpFunctionCall %void %f4\nOpBranch %m\n%m = OpLabel\nOpStore %out0 %n1\n",
       })
    out += said_or_made(code, vulkan_all("; @Config: 1, 2, 2\n",
                                         std::string("%v = OpAtomicLoad %uint %px %dv %relaxed\n") + code, types) +
                                  add_one + twice + chooses + waits + array + itself + mixed + never);
  golden::compare("lowered/shapes-calls.txt", out);
}

// ---- exchanges ---------------------------------------------------------------------------------------------------

TEST(SpirvShapes, WeakExchanges) {
  std::string out;
  for (const char* exchange : {"OpAtomicCompareExchangeWeak", "OpAtomicCompareExchange"})
    for (const char* to : {"%x", "%q"})
      for (const char* use :
           {"%c = OpIEqual %bool %old %n1\n", "%c = OpIEqual %bool %n1 %old\n", "%c = OpINotEqual %bool %old %n1\n",
            "%c = OpINotEqual %bool %other1 %old\n", "%c = OpIEqual %bool %old %n2\n",
            "%c = OpIEqual %bool %old %old\n", "%c = OpIEqual %bool %n3 %n1\n", "%c = OpUGreaterThan %bool %old %n1\n"})
        out += said_or_made(
            std::string(exchange) + " " + to + " " + use,
            opencl_all("; @Config: 1, 1, 1\n",
                       std::string("%v = OpAtomicLoad %uint %y %dv %relaxed\n%z = OpIEqual %bool %v %n0\n%q = OpSelect "
                                   "%p %z %x %y\n%old = ") +
                           exchange + " %uint " + to + " %dv %both %acquire %n2 %n1\n" + use +
                           "%r = OpSelect %uint %c %n3 %n4\nOpStore %pout %r\n",
                       "%other1 = OpConstant %uint 1\n"));
  for (const char* op :
       {"%a = OpAtomicIIncrement %uint %e %dv %relaxed\n", "%a = OpAtomicIDecrement %uint %e %dv %relaxed\n",
        "%a = OpAtomicIAdd %uint %e %dv %relaxed %n3\n", "%a = OpAtomicISub %uint %e %dv %relaxed %n3\n",
        "%a = OpAtomicSMin %uint %e %dv %relaxed %n3\n", "%a = OpAtomicUMin %uint %e %dv %relaxed %n3\n",
        "%a = OpAtomicSMax %uint %e %dv %relaxed %n3\n", "%a = OpAtomicUMax %uint %e %dv %relaxed %n3\n",
        "%a = OpAtomicAnd %uint %e %dv %relaxed %n3\n", "%a = OpAtomicOr %uint %e %dv %relaxed %n3\n",
        "%a = OpAtomicXor %uint %e %dv %relaxed %n3\n", "%a = OpAtomicExchange %uint %e %dv %relaxed %n3\n",
        "%a = OpAtomicLoad %uint %e %dv %relaxed\n", "OpAtomicStore %e %dv %relaxed %n3\n%a = OpCopyObject %uint %n1\n",
        "%a = OpAtomicCompareExchange %uint %e %dv %relaxed %relaxed %n3 %n2\n",
        "%g = OpAtomicFlagTestAndSet %bool %e %dv %relaxed\n%a = OpSelect %uint %g %n1 %n2\n",
        "OpAtomicFlagClear %e %dv %relaxed\n%a = OpCopyObject %uint %n1\n"})
    for (const char* where : {"%e = OpCopyObject %p %x\n", "%e = OpPtrAccessChain %p %x %i\n",
                              "%e = OpSelect %p %z %x %y\n", "%e = OpVariable %pf Function %n2\n"}) {
      const std::string place = std::string(where).find("OpVariable") != std::string::npos ? where : "";
      out += said_or_made(std::string(where) + op,
                          opencl_all("; @Config: 1, 1, 1\n",
                                     place + "%i = OpAtomicLoad %uint %y %dv %relaxed\n%z = OpIEqual %bool %i %n0\n" +
                                         (place.empty() ? where : "") + op + "OpStore %pout %a\n"));
    }
  golden::compare("lowered/shapes-atomic.txt", out);
}

// ---- questions ---------------------------------------------------------------------------------------------------

TEST(SpirvShapes, Questions) {
  std::string out;
  const std::string types =
      "%char = OpTypeInt 8 0\n%schar = OpTypeInt 8 1\n%short = OpTypeInt 16 0\n%long = OpTypeInt 64 0\n%slong = "
      "OpTypeInt 64 "
      "1\n%f32 = OpTypeFloat 32\n";
  for (const char* type : {"uint", "int", "char", "schar", "short", "long", "slong", "bool", "f32"})
    for (const char* question : {"%a[0] == 0",
                                 "%a[1] != 255",
                                 "%a[0] < 256",
                                 "%a[0] <= -1",
                                 "%a[0] > -128",
                                 "%a[0] >= -129",
                                 "200 == %a[1]",
                                 "-1 > %a[0]",
                                 "3 <= %a[0]",
                                 "%a[0] == 65535",
                                 "%a[0] == 65536",
                                 "%a[0] < 4294967295",
                                 "%a[0] == 4294967296",
                                 "%a[0] > -2147483648",
                                 "%a[0] < -2147483649",
                                 "%a[0] == 18446744073709551615",
                                 "%a[0] > 9223372036854775807",
                                 "%a[0] == %a[1]",
                                 "%a[0] < %a[1]",
                                 "%a[0] >= %x[0][0]",
                                 "%x[0][1] == %a[1]",
                                 "%a[0] != %l[0]",
                                 "%l[1] < %a[0]",
                                 "%m[0] <= %a[1]",
                                 "%a[1] > %m[1]",
                                 "1 < 2",
                                 "%a == 1",
                                 "%a[2] == 1",
                                 "%a[0][0] == 1"})
      for (const char* split : {"", "%h = OpBitcast %pc %e\n"}) {
        const bool opencl = *split != 0;
        if (opencl && (type[0] == 'b' || std::string(question).find("%x") != std::string::npos)) continue;
        const std::string variables =
            types + (opencl ? "%n5 = OpConstant %uint 5\n%pc = OpTypePointer CrossWorkgroup %char\n" : "") +
            "%two = OpTypeArray %" + type + " %n2\n%lt = OpTypeArray %long %n2\n%mt = OpTypeArray %" +
            (opencl ? "uint" : "slong") + " %n2\n";
        const std::string storage = opencl ? "CrossWorkgroup" : "Workgroup";
        std::string more = variables + "%ptwo = OpTypePointer " + storage + " %two\n%plt = OpTypePointer " + storage +
                           " %lt\n%pmt = OpTypePointer " + storage + " %mt\n%pe = OpTypePointer " + storage + " %" +
                           type + "\n%a = OpVariable %ptwo " + storage + "\n%l9 = OpVariable %plt " + storage +
                           "\n%m = OpVariable %pmt " + storage + "\n";
        std::string q = question;
        if (const size_t at = q.find("%l["); at != std::string::npos) q.replace(at, 3, "%l9[");
        const std::string header = "; @Config: 1, 1, 1\n; @Output: exists (" + q + ")\n; @Filter: not " + q + "\n";
        const std::string code =
            std::string("%e = OpAccessChain %pe %a %n0\n%old = OpLoad %") + type + " %e\nOpStore %e %old\n" +
            (opencl ? std::string(split) + "%one = OpLoad %char %h\n%k = OpUConvert %uint %one\nOpStore %pout %k\n"
                    : "");
        out += said_or_made(std::string(type) + (opencl ? " in bytes " : " ") + question,
                            opencl ? opencl_all(header, code, more) : vulkan_all(header, code, more));
      }
  golden::compare("lowered/shapes-questions.txt", out);
}

}  // namespace
}  // namespace spirv_test
