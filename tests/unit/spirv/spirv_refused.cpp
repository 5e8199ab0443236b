// Modules that are not read, by what is wrong with them; what is said of each is in tests/golden/messages.
#include <spirv-tools/libspirv.h>

#include "golden.h"
#include "spirv_support.h"

namespace spirv_test {
namespace {

struct Case {
  const char* what;
  std::string text;
};

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string said_of(const std::vector<Case>& all) {
  std::string out;
  for (const Case& c : all) {
    const auto t = spirv::parse_spirv(make_source("t.spvasm", c.text), {});
    out += std::string("## ") + c.what + "\n" + (t ? "read\n" : render(t.error()));
  }
  return out;
}

// Code for one invocation, with what it needs among the types.
std::string code(const std::string& text, const std::string& more = "") { return vulkan_all("", text, more); }
const std::string k_plain = code("OpStore %pout %n1\n");
const std::string k_floats =
    "%f32 = OpTypeFloat 32\n%f1 = OpConstant %f32 1.5\n%pfl = OpTypePointer Workgroup %f32\n%fs = OpVariable %pfl "
    "Workgroup\n";
const std::string k_long = "%long = OpTypeInt 64 0\n%l1 = OpConstant %long 1\n";

// A variable of this type that is stored to.
std::string variable(const std::string& types, const std::string& type, const std::string& storage = "Workgroup") {
  return code("%value = OpLoad %" + type + " %var\nOpStore %var %value\n",
              types + "%pvar = OpTypePointer " + storage + " %" + type + "\n%var = OpVariable %pvar " + storage + "\n");
}

TEST(SpirvRefused, TypesAndConstants) {
  std::string nested = "%t0 = OpTypeArray %uint %n1\n", deep = "%c0 = OpSpecConstantOp %uint IAdd %n1 %n1\n";
  for (int k = 1; k < 70; ++k)
    nested += "%t" + std::to_string(k) + " = OpTypeArray %t" + std::to_string(k - 1) + " %n1\n";
  for (int k = 1; k < 1100; ++k)
    deep += "%c" + std::to_string(k) + " = OpSpecConstantOp %uint IAdd %c" + std::to_string(k - 1) + " %n1\n";
  const std::vector<Case> all = {
      {"integers of 128 bits", code("", "%huge = OpTypeInt 128 0\n")},
      {"numbers of 128 bits", code("", "%huge = OpTypeFloat 128\n")},
      {"a vector of structures", code("", "%odd = OpTypeVector %buffer 2\n")},
      {"an array without a stride", changed(k_plain, "ArrayStride 4", "ArrayStride 0")},
      {"an offset of no member", changed(k_plain, "OpMemberDecorate %buffer 0", "OpMemberDecorate %buffer 1")},
      {"arrays in arrays in arrays", variable(nested, "t69")},
      {"an array of no elements", variable("%none = OpTypeArray %uint %n0\n", "none")},
      {"an array of too many elements",
       variable("%many = OpConstant %uint 2000000\n%all = OpTypeArray %uint %many\n", "all")},
      {"too many numbers",
       variable("%many = OpConstant %uint 300\n%row = OpTypeArray %uint %many\n%all = OpTypeArray %row "
                "%many\n%more = OpTypeArray %all %n9\n",
                "more")},
      {"a runtime array beside others", code("%v = OpLoad %ints %var\n",
                                             "%pvar = OpTypePointer Workgroup %ints\n%var = "
                                             "OpVariable %pvar Workgroup\n")},
      {"members that overlap",
       changed(variable("%two = OpTypeStruct %uint %uint\n", "two"), "OpDecorate %buffer Block",
               "OpDecorate %buffer Block\nOpMemberDecorate %two 0 Offset 0\nOpMemberDecorate %two 1 Offset 2")},
      {"constants in constants in constants", code("OpStore %pout %c1099\n", deep)},
      {"a number that is a truth value", code("OpStore %pout %c\n", "%c = OpConstantFalse %uint\n")},
      {"a constant by memory", code("OpStore %pout %c\n", "%c = OpSpecConstantOp %uint Select %gids %n1 %n2\n")},
      {"a constant by an undefined value",
       code("OpStore %pout %c\n", "%u = OpUndef %bool\n%c = OpSpecConstantOp %uint Select %u %n1 %n2\n")},
      {"an input of too many values",
       "; @Input: %four4 = {1, 2, 3, 4, 5}\n" +
           code("%q = OpAccessChain %pw %four4 %n0\nOpStore %q %n1\n", "%four4 = OpVariable %p_four Workgroup\n")},
      {"an input of a constant", "; @Input: %n1 = 2\n" + k_plain},
      {"an input of a value", "; @Input: %id = 2\n" + k_plain},
      {"an initial composite of another type",
       code("%q = OpAccessChain %pw %w %n0\nOpStore %q %n1\n",
            "%c2 = OpConstantComposite %v2 %n1 %n2\n%w = OpVariable %p_four Workgroup %c2\n")},
      {"a variable of all work-items",
       code("OpStore %w %n1\n", "%pc = OpTypePointer CrossWorkgroup %uint\n%w = OpVariable %pc CrossWorkgroup\n")},
      {"a buffer in OpenCL",
       changed(opencl_all("", "OpStore %w %n1\n"), "%fn = OpTypeFunction",
               "%ps = OpTypePointer StorageBuffer %uint\n%w = OpVariable %ps StorageBuffer\n%fn = OpTypeFunction")},
      {"a variable twice", code("", "%x = OpVariable %p_buffer StorageBuffer\n")},
      {"a workgroup of nobody",
       changed(k_plain, "OpDecorate %gids", "OpExecutionMode %main LocalSize 0 1 1\nOpDecorate %gids")},
  };
  golden::compare("messages/spirv-types.txt", said_of(all));
}

TEST(SpirvRefused, Code) {
  std::string chain;
  for (int k = 0; k < 300; ++k) {
    const std::string n = std::to_string(k);
    chain += "%q" + n + " = OpAccessChain %p %x %n0 %k" + n + "\n";
  }
  const std::vector<Case> all = {
      {"a function without blocks",
       changed(k_plain, "%entry = OpLabel", "OpFunctionEnd\n%other = OpFunction %void None %fn\n%entry = OpLabel")},
      {"a function in a function", changed(k_plain, "OpReturn\n", "OpReturn\n%other = OpFunction %void None %fn\n")},
      {"code before the first block",
       changed(k_plain, "%entry = OpLabel", "OpNop\n%early = OpIAdd %uint %n1 %n1\n%entry = OpLabel")},
      {"a block in a block", changed(k_plain, "OpStore %pout %n1\n", "%again = OpLabel\nOpStore %pout %n1\n")},
      {"notes between the instructions are passed over",
       changed(k_plain, "OpStore %pout %n1\n", "OpNop\nOpNoLine\nOpStore %pout %n1\nOpNop\n")},
      {"too few arguments", opencl_all("", "%r = OpFunctionCall %void %add\n", R"(
%add = OpFunction %void None %fn1
%to = OpFunctionParameter %p
%begin = OpLabel
OpReturn
OpFunctionEnd
)")},
      {"a phi in the first block", code("%a = OpPhi %uint\nOpStore %pout %a\n")},
      {"a phi without one of its ways", code(R"(
%v = OpLoad %uint %py
%c = OpIEqual %bool %v %n0
OpSelectionMerge %m None
OpBranchConditional %c %t %m
%t = OpLabel
OpBranch %m
%m = OpLabel
%a = OpPhi %uint %n1 %t
OpStore %pout %a
)")},
      {"a loop with two entries", code(R"(
%v = OpLoad %uint %py
%c = OpIEqual %bool %v %n0
OpBranchConditional %c %one %two
%one = OpLabel
%l1 = OpLoad %uint %py
OpStore %pout %l1
OpBranch %two
%two = OpLabel
%l2 = OpLoad %uint %pz
%d = OpIEqual %bool %l2 %n0
OpBranchConditional %d %one %end
%end = OpLabel
)")},
      {"an undefined pointer", code("%u = OpUndef %p\n%v = OpLoad %uint %u\nOpStore %pout %v\n")},
      {"an undefined pointer into a member",
       code("%u = OpUndef %p_buffer\n%a = OpAccessChain %p %u %n0 %n0\nOpStore %a %n1\n")},
      {"a comparison of an undefined pointer",
       code("%u = OpUndef %p\n%c = OpPtrEqual %bool %u %px\n%s = OpSelect %uint %c %n1 %n2\nOpStore %pout %s\n")},
      {"a store of another type", code("OpStore %pout %true\n")},
      {"a store of a short composite", code("%two = OpCompositeConstruct %v2 %n1 %n2\nOpStore %w %two\n",
                                            "%pv3 = OpTypePointer Workgroup %v3\n%w = OpVariable %pv3 Workgroup\n")},
      {"a store of a number for a composite",
       code("OpStore %w %n1\n", "%pv3 = OpTypePointer Workgroup %v3\n%w = OpVariable %pv3 Workgroup\n")},
      {"memory that holds pointers", code("%q = OpLoad %p %var\nOpStore %q %n1\n",
                                          "%pp = OpTypePointer Workgroup %p\n%var = OpVariable %pp Workgroup\n")},
      {"a pointer into memory",
       code("OpStore %var %px\n", "%pp = OpTypePointer Workgroup %p\n%var = OpVariable %pp Workgroup\n")},
      {"a lane of a number", code("%a = OpVectorExtractDynamic %uint %n1 %n0\n")},
      {"a lane of what is not a vector", code("%a = OpVectorInsertDynamic %v2 %n1 %n1 %n0\n")},
      {"atomics on no pointer", code("%a = OpAtomicIAdd %uint %n1 %dv %relaxed %n1\n")},
      {"atomics on floating point numbers",
       code("%a = OpAtomicExchange %f32 %fs %dv %relaxed %f1\nOpStore %fs %a\n", k_floats)},
      {"atomics on composites", code("%a = OpAtomicLoad %four %shared %dv %relaxed\n")},
      {"an atomic operand of another width", code("%a = OpAtomicIAdd %uint %px %dv %relaxed %l1\n", k_long)},
      {"a weak exchange of the invocation's own",
       opencl_all("",
                  "%v = OpVariable %pf Function\n%r = OpAtomicCompareExchangeWeak %uint %v %dv %relaxed "
                  "%relaxed %n1 %n0\n")},
      {"a missing operand", code("%a = OpIAdd %uint %n1 %true\n")},
      {"a shift by a composite", code("%a = OpShiftLeftLogical %uint %n1 %gid3\n")},
      {"a vector with a number", code("%a = OpIAdd %v3 %gid3 %n1\n")},
      {"comparison of two widths", code("%a = OpULessThan %bool %n1 %l1\n", k_long)},
      {"a value that is none", code("OpStore %pout %entry\n")},
      {"a type as a value", code("OpStore %pout %uint\n")},
      {"numbers for pointers", code("%q = OpConvertUToPtr %p %n1\nOpStore %q %n1\n")},
      {"a bitcast to another size", code("%a = OpBitcast %long %n1\n", k_long)},
      {"a carry into a number", code("%a = OpIAddCarry %uint %n1 %n1\n")},
      {"a wide product of 64 bits",
       code("%a = OpUMulExtended %both2 %l1 %l1\n", k_long + "%both2 = OpTypeStruct %long %long\n")},
      {"a saturating conversion", opencl_all("", "%a = OpSatConvertSToU %uint %n1\nOpStore %pout %a\n")},
      {"a shuffle of numbers", code("%a = OpVectorShuffle %v2 %n1 %n2 0 1\n")},
      {"a shuffle into another size", code("%a = OpVectorShuffle %v3 %gid3 %gid3 0 1\n")},
      {"a construction of another size", code("%a = OpCompositeConstruct %v3 %n1 %n2\n")},
      {"extended instructions of no set", code("%a = OpExtInst %uint %nowhere 5 %n1\n")},
      {"an unknown set of instructions", changed(code("%a = OpExtInst %uint %set 5 %n1\n"), "OpMemoryModel",
                                                 "%set = OpExtInstImport \"Nobody.1\"\nOpMemoryModel")},
  };
  golden::compare("messages/spirv-code.txt", said_of(all));
}

TEST(SpirvRefused, OrdersAndQuestions) {
  const std::string more =
      "%avail = OpConstant %uint 0x2042\n%visible = OpConstant %uint 0x4044\n%both_orders = OpConstant %uint "
      "0x4a\n%call = "
      "OpConstant %uint 6\n%volatile_sc = OpConstant %uint 0x8042\n";
  const std::string floats = "OpStore %fs %sum\n";
  const std::vector<Case> all = {
      {"makes available without releasing", code("%a = OpAtomicLoad %uint %px %dv %avail\n", more)},
      {"makes visible without acquiring", code("OpAtomicStore %px %dv %visible %n1\n", more)},
      {"several orders", code("%a = OpAtomicIAdd %uint %px %dv %both_orders %n1\n", more)},
      {"a scope of shader calls", code("%a = OpAtomicLoad %uint %px %call %relaxed\n", more)},
      {"a fence of the invocation", code("OpMemoryBarrier %n4 %both\n")},
      {"a queue family in OpenCL", changed(opencl_all("", "%a = OpAtomicIAdd %uint %x %qf %relaxed %n1\n"),
                                           "%all = OpConstant", "%qf = OpConstant %uint 5\n%all = OpConstant")},
      {"a subgroup in OpenCL", changed(opencl_all("", "%a = OpAtomicIAdd %uint %x %sg %relaxed %n1\n"),
                                       "%all = OpConstant", "%sg = OpConstant %uint 3\n%all = OpConstant")},
      {"availability in OpenCL", opencl_all("", "OpStore %x %n1 MakePointerAvailable|NonPrivatePointer %dv\n")},
      {"a scope is missing", code("OpStore %px %n1 MakePointerAvailable|NonPrivatePointer\n")},
      {"the scope of a barrier is not a constant", code("%s = OpLoad %uint %py\nOpControlBarrier %s %wg %both_wg\n")},
      {"a member past the end",
       "; @Output: forall (%s[2] == 1)\n" + code("%q = OpAccessChain %pw %s %n1\nOpStore %q %n1\n",
                                                 "%two = OpTypeStruct %uint %uint\n%ptwo = OpTypePointer Workgroup "
                                                 "%two\n%s = OpVariable %ptwo Workgroup\n")},
      {"a path past a number", "; @Output: forall (%x[0][0][0] == 1)\n" + k_plain},
      {"a question about a constant", "; @Output: forall (%n1 == 1)\n" + k_plain},
      {"a question about a function", "; @Output: forall (%main == 1)\n" + k_plain},
      {"a question about a type", "; @Output: forall (%uint == 1)\n" + k_plain},
      {"a number that does not fit", "; @Output: forall (%x[0][0] == 0x1ffffffff)\n" + k_plain},
      {"a number that does not fit, at the left", "; @Output: forall (-2147483649 == %x[0][0])\n" + k_plain},
      {"two constants", "; @Output: forall (1 == 1)\n" + k_plain},
      {"a sum of floating point numbers",
       "; @Output: forall (%fs == 1)\n" + code("%sum = OpFAdd %f32 %f1 %f1\n" + floats, k_floats)},
      {"a filter about nobody", "; @Filter: %nobody == 1\n" + k_plain},
      {"an input of what is not a variable", "; @Input: %main = 1\n" + k_plain},
      {"a launch of two many parts", "; @Config: 1, 1, 1, 1, 1, 1\n" + k_plain},
      {"a launch of a queue", "; @Config: 1, 1, 2, 2, 1\n" + k_plain},
  };
  golden::compare("messages/spirv-orders.txt", said_of(all));
}

// The bytes of a text.
std::string assembled(const std::string& text) {
  spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_2);
  spv_binary binary = nullptr;
  EXPECT_EQ(spvTextToBinary(context, text.data(), text.size(), &binary, nullptr), SPV_SUCCESS);
  const std::string out =
      binary == nullptr ? "" : std::string(reinterpret_cast<const char*>(binary->code), 4 * binary->wordCount);
  spvBinaryDestroy(binary);
  spvContextDestroy(context);
  return out;
}

// Binary modules that are cut, padded or of an odd size; and whose instructions have no line, but a number.
TEST(SpirvRefused, BinaryModules) {
  std::string out;
  const std::string head("\x03\x02\x23\x07\x00\x05\x01\x00\x00\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00", 20);
  const std::vector<std::pair<const char*, std::string>> all = {
      {"three bytes too many", head + "abc"},
      {"a head alone", head},
      {"half a head", head.substr(0, 12)},
      {"an instruction of no words", head + std::string("\x11\x00\x00\x00", 4)},
      {"an instruction past the end", head + std::string("\x11\x00\x05\x00\x01\x00\x00\x00", 8)},
      {"an unknown instruction", head + std::string("\xff\xff\x01\x00", 4)},
      {"bytes turned round",
       [&] {
         std::string t = head;
         for (size_t k = 0; k + 3 < t.size(); k += 4) std::swap(t[k], t[k + 3]), std::swap(t[k + 1], t[k + 2]);
         return t;
       }()},
      {"a function in a function",
       assembled(changed(k_plain, "%main = OpFunction", "%other = OpFunction %void None %fn\n%main = OpFunction"))},
      {"a copy of too many bytes", assembled(opencl_all("", "OpCopyMemorySized %out %x %many Aligned 4\n",
                                                        "%many = OpConstant %uint 2000000000\n"))},
      {"a copy of as many bytes as a computed number",
       assembled(opencl_all("", "%size = OpLoad %uint %y\nOpCopyMemorySized %out %x %size Aligned 4\n"))},
  };
  for (const auto& [what, bytes] : all) {
    const auto t = spirv::parse_spirv(make_source("t.spv", bytes), {});
    out += std::string("## ") + what + "\n" + (t ? "read\n" : render(t.error()));
  }
  golden::compare("messages/spirv-binary.txt", out);
}

}  // namespace
}  // namespace spirv_test
