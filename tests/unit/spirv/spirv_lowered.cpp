// The code that small modules become, word for word: tests/golden/lowered/spirv.txt. Verdicts alone do not show that
// dead code goes, that jumps are short, or that a loop that waits is told from one that counts.
#include "golden.h"
#include "print/litmus.h"
#include "spirv_support.h"

namespace spirv_test {
namespace {

struct Case {
  const char* what;
  std::string text;
};

std::string choice(const char* value, const char* zero, const char* one, const char* other) {
  return std::string("OpSelectionMerge %m None\nOpSwitch ") + value + " %c 0 %a 1 %b\n%a = OpLabel\n" + zero +
         "OpBranch %m\n%b = OpLabel\n" + one + "OpBranch %m\n%c = OpLabel\n" + other + "OpBranch %m\n%m = OpLabel\n";
}

TEST(SpirvLowered, Code) {
  const std::string one = "; @Config: 1, 1, 1\n", two = "; @Config: 1, 1, 2\n";
  const std::string read = "%v = OpAtomicLoad %uint %py %dv %relaxed\n";
  const std::vector<Case> all = {
      {"what nobody reads goes",
       vulkan_all(one, "%d = OpIAdd %uint %id %n1\n%e = OpIMul %uint %d %d\nOpStore %out0 %n3\n")},
      {"what a loop alone reads goes", vulkan_all(one, R"(
OpBranch %head
%head = OpLabel
%k = OpPhi %uint %n0 %entry %k1 %head
%sum = OpPhi %uint %n0 %entry %s1 %head
%s1 = OpIAdd %uint %sum %n5
%k1 = OpIAdd %uint %k %n1
%more = OpULessThan %bool %k1 %n4
OpLoopMerge %done %head None
OpBranchConditional %more %head %done
%done = OpLabel
OpStore %out0 %k
)")},
      {"phis that change places", vulkan_all(one, R"(
OpBranch %head
%head = OpLabel
%a = OpPhi %uint %n1 %entry %b %head
%b = OpPhi %uint %n2 %entry %a %head
%k = OpPhi %uint %n0 %entry %k1 %head
%k1 = OpIAdd %uint %k %n1
%more = OpULessThan %bool %k1 %n4
OpLoopMerge %done %head None
OpBranchConditional %more %head %done
%done = OpLabel
OpStore %out0 %a
OpStore %out1 %b
)")},
      {"a switch",
       vulkan_all(one, read + choice("%v", "OpStore %out0 %n1\n", "OpStore %out0 %n2\n", "OpStore %out1 %n3\n"))},
      {"a switch whose cases do nothing", vulkan_all(one, read + choice("%v", "", "", "") + "OpStore %out0 %v\n")},
      {"a switch by the id", vulkan_all(two, choice("%id", "OpStore %out0 %n1\n", "OpStore %out1 %n2\n", ""))},
      {"a branch whose parts end alike", vulkan_all(one, read + R"(
%c = OpIEqual %bool %v %n1
OpSelectionMerge %m None
OpBranchConditional %c %t %f
%t = OpLabel
OpStore %out0 %n1
OpBranch %m
%f = OpLabel
OpBranch %m
%m = OpLabel
OpStore %out1 %n2
)")},
      {"a spin", vulkan_all(one, R"(
OpBranch %head
%head = OpLabel
%v = OpAtomicLoad %uint %py %dv %acquire
%c = OpIEqual %bool %v %n0
OpLoopMerge %done %head None
OpBranchConditional %c %head %done
%done = OpLabel
OpStore %out0 %v
)")},
      {"a lock that waits before it tries", vulkan_all(one, R"(
OpBranch %head
%head = OpLabel
OpLoopMerge %done %again None
OpBranch %wait
%wait = OpLabel
%v = OpAtomicLoad %uint %py %dv %relaxed
%c = OpIEqual %bool %v %n0
OpBranchConditional %c %try %again
%try = OpLabel
%old = OpAtomicExchange %uint %py %dv %acquire %n1
%got = OpIEqual %bool %old %n0
OpBranchConditional %got %done %again
%again = OpLabel
OpBranch %head
%done = OpLabel
OpAtomicStore %py %dv %release %n0
)")},
      {"a pointer to one of two", vulkan_all(one, read + R"(
%c = OpIEqual %bool %v %n0
%e = OpAccessChain %p %x %n0 %n3
%q = OpSelect %p %c %e %pz
OpStore %q %n1
%w = OpLoad %uint %q
OpStore %out0 %w
)")},
      {"a computed index", vulkan_all(one, read + R"(
%i = OpBitwiseAnd %uint %v %n3
%e = OpAccessChain %pw %shared %i
OpStore %e %n9
%f = OpAccessChain %pf %fa %i
OpStore %f %n8
%g = OpAccessChain %pf %fa %n1
%w = OpLoad %uint %g
OpStore %out0 %w
)")},
      {"a compare-exchange and arithmetic", vulkan_all(one, R"(
%old = OpAtomicCompareExchange %uint %px %dv %both %acquire %n2 %n0
%s = OpShiftLeftLogical %uint %old %n3
%n = OpNot %uint %s
%u = OpUDiv %uint %n %n7
%l = OpSLessThan %bool %u %old
%pick = OpSelect %uint %l %u %n9
OpAtomicStore %pout %dv %release %pick
%o2 = OpAtomicUMax %uint %py %wg %relaxed %pick
OpMemoryBarrier %dv %both
OpControlBarrier %wg %wg %both_wg
)")},
      {"a call and a pointer that moves",
       opencl_all(two,
                  "%r = OpFunctionCall %void %add %x\n%q = OpInBoundsPtrAccessChain %p %x %n1\n"
                  "%s = OpFunctionCall %void %add %q\n%t = OpPtrAccessChain %p %pout %n2\n"
                  "OpStore %t %n4 Aligned 4\n%u = OpLoad %uint %l\nOpStore %pout %u\n",
                  R"(
%add = OpFunction %void None %fn1
%to = OpFunctionParameter %p
%begin = OpLabel
%old = OpAtomicIAdd %uint %to %dv %relaxed %n2
%big = OpUGreaterThan %bool %old %n3
OpBranchConditional %big %yes %no
%yes = OpLabel
OpStore %to %n0
OpReturn
%no = OpLabel
OpReturn
OpFunctionEnd
)")},
  };
  std::string out;
  for (const Case& c : all) out += std::string("## ") + c.what + "\n" + print::print(spirv_test::read(c.text)) + "\n";
  golden::compare("lowered/spirv.txt", out);
}

}  // namespace
}  // namespace spirv_test
