// Modules with small changes, word by word (mutants.h).
#include "mutants.h"
#include "spirv_support.h"

namespace spirv_test {
namespace {

constexpr size_t k_count = 1000;

void hold(const std::string& name, const std::string& module) {
  const auto base = spirv::parse_spirv(make_source("t", module));
  ASSERT_TRUE(base.has_value()) << render(base.error());
  mutants::compare(name, module, k_count, [](const std::string& text) {
    std::string out = said_or_made("", text);
    if (const auto t = spirv::parse_spirv(make_source("t", text))) {
      for (const std::string& a : t->assumptions) out += a + "\n";
      out += prog::to_string(*t, t->condition) + prog::to_string(*t, t->filter);
    }
    return out;
  });
}

const std::string k_two =
    "; @Config: 1, 1, 2\n; @Output: forall (%x[0][0] == 1 and (%y[0][1] != -1 or not (%z[0][2] >= 7)))\n; @Filter: "
    "%out[0][0] < 4294967295\n";

TEST(SpirvMutants, BranchesAndLoops) {
  hold("branches", vulkan_all(k_two, R"(%v = OpAtomicLoad %uint %py %dv %acquire
OpBranch %head
%head = OpLabel
%k = OpPhi %uint %n0 %entry %k1 %next
%s = OpPhi %uint %v %entry %s1 %next
OpLoopMerge %done %next None
%more = OpULessThan %bool %k %n3
OpBranchConditional %more %body %done
%body = OpLabel
%c = OpSGreaterThan %bool %s %n1
OpSelectionMerge %m None
OpSwitch %s %d 0 %a 1 %b 4294967295 %a
%a = OpLabel
OpStore %pout %k
OpBranch %m
%b = OpLabel
OpReturn
%d = OpLabel
OpBranch %m
%m = OpLabel
%t = OpPhi %uint %n1 %a %s %d
%u = OpSelect %uint %c %t %n9
OpBranch %next
%next = OpLabel
%s1 = OpIAdd %uint %u %id
%k1 = OpIAdd %uint %k %n1
OpBranch %head
%done = OpLabel
OpStore %out0 %s
)"));
}

TEST(SpirvMutants, Atomics) {
  hold("atomics", vulkan_all(k_two, R"(%a = OpAtomicCompareExchange %uint %px %dv %both %acquire %n1 %n0
%b = OpAtomicIAdd %uint %py %wg %release %a
%c = OpAtomicExchange %uint %ps %wg %both_wg %b
%d = OpAtomicUMax %uint %pz %qf %relaxed %c
%e = OpAtomicISub %uint %pz %dv %relaxed %n2
%f = OpAtomicXor %uint %pz %dv %acquire %d
OpAtomicStore %px %dv %release %f
OpMemoryBarrier %dv %both
OpControlBarrier %wg %wg %both_wg
%g = OpLoad %uint %pz MakePointerVisible|NonPrivatePointer %dv
OpStore %pout %g MakePointerAvailable|NonPrivatePointer %dv
OpStore %out0 %e Volatile|Aligned 4
OpCopyMemory %out1 %pz MakePointerAvailable|NonPrivatePointer %dv MakePointerVisible|NonPrivatePointer %dv
%same = OpIEqual %bool %a %n0
OpSelectionMerge %m None
OpBranchConditional %same %t %m
%t = OpLabel
OpStore %out2 %n3
OpBranch %m
%m = OpLabel
)"));
}

TEST(SpirvMutants, Values) {
  hold("values", vulkan_all(k_two, R"(%v = OpAtomicLoad %uint %py %dv %relaxed
%w = OpCompositeConstruct %v2 %v %n3
%y1 = OpVectorShuffle %v2 %w %w 1 2
%z1 = OpCompositeInsert %v2 %v %y1 1
%i = OpCompositeExtract %uint %z1 0
%j = OpVectorExtractDynamic %uint %z1 %i
%sum = OpIAdd %uint %i %j
%dif = OpISub %uint %sum %n7
%mul = OpIMul %uint %dif %n5
%div = OpUDiv %uint %mul %n3
%rem = OpUMod %uint %div %n4
%sh = OpShiftLeftLogical %uint %rem %n2
%sr = OpShiftRightArithmetic %uint %sh %n1
%and = OpBitwiseAnd %uint %sr %n6
%not = OpNot %uint %and
%neg = OpSNegate %uint %not
%cast = OpBitcast %int %neg
%long = OpSConvert %i64 %cast
%back = OpUConvert %uint %long
%cmp = OpSLessThanEqual %bool %back %n8
%or = OpLogicalOr %bool %cmp %false
%nb = OpLogicalNot %bool %or
%r = OpSelect %uint %nb %v %n2
%spec = OpIAdd %uint %r %sc
%arr = OpAccessChain %pf %fa %spec
OpStore %arr %r
%back2 = OpLoad %uint %arr
OpStore %fv %back2
%l = OpLoad %uint %fv
OpStore %out0 %l
%bf = OpBitFieldUExtract %uint %l %n1 %n4
%bc = OpBitCount %uint %bf
OpStore %out1 %bc
)",
                            "OpDecorate %sc SpecId 3\n%sc = OpSpecConstant %uint 2\n%i64 = OpTypeInt 64 1\n"));
}

TEST(SpirvMutants, StructuresAndCalls) {
  const std::string types = R"(%pair = OpTypeStruct %uint %int
%trio = OpTypeArray %pair %n3
%whole = OpTypeStruct %uint %trio %v3
OpMemberDecorate %pair 0 Offset 0
OpMemberDecorate %pair 1 Offset 4
OpDecorate %trio ArrayStride 8
OpMemberDecorate %whole 0 Offset 0
OpMemberDecorate %whole 1 Offset 8
OpMemberDecorate %whole 2 Offset 32
OpDecorate %whole Block
%pwhole = OpTypePointer StorageBuffer %whole
%ppair = OpTypePointer StorageBuffer %pair
%pint = OpTypePointer StorageBuffer %int
%st = OpVariable %pwhole StorageBuffer
%f_ = OpTypeFunction %uint %ppair %uint
%call = OpFunction %uint None %f_
%arg = OpFunctionParameter %ppair
%num = OpFunctionParameter %uint
%in = OpLabel
%m1 = OpAccessChain %pint %arg %n1
%o1 = OpLoad %int %m1
%o2 = OpBitcast %uint %o1
%small = OpULessThan %bool %num %n2
OpSelectionMerge %out_ None
OpBranchConditional %small %yes %out_
%yes = OpLabel
OpReturnValue %n7
%out_ = OpLabel
%o3 = OpIAdd %uint %o2 %num
OpReturnValue %o3
OpFunctionEnd
)";
  hold("structures",
       vulkan_all("; @Config: 1, 1, 2\n; @Input: %st = {1, {{2, -3}, {4, 5}, {6, 7}}, {8, 9, 10}}\n; @Output: exists "
                  "(%st[1][2][1] == -3 and %st[2][1] > 4)\n",
                  R"(%q = OpAccessChain %ppair %st %n1 %id
%r1 = OpFunctionCall %uint %call %q %id
OpStore %out0 %r1
%all = OpLoad %pair %q
%part = OpCompositeExtract %int %all 1
%pp = OpAccessChain %p %st %n2 %r1
%w = OpLoad %uint %pp
%again = OpFunctionCall %uint %call %q %w
OpStore %pout %again
OpStore %q %all
)",
                  types));
}

TEST(SpirvMutants, Kernels) {
  hold("kernels", opencl_all("; @Config: 2, 1, 2\n; @Output: forall (%out[0] == 3 or %x[1] > 2)\n",
                             R"(%v = OpLoad %uint %y Aligned 4
%e = OpPtrAccessChain %p %x %v
%e2 = OpInBoundsPtrAccessChain %p %e %n1
OpStore %e2 %n3 Volatile|Aligned 4
%a = OpAtomicLoad %uint %e %dv %acquire
%sel = OpULessThan %bool %a %n2
%ptr = OpSelect %p %sel %x %y
%n = OpConvertPtrToU %uint %ptr
%same = OpPtrEqual %bool %ptr %x
%c = OpAtomicCompareExchangeWeak %uint %ptr %dv %both %acquire %n4 %n1
OpControlBarrier %wg %wg %both_local
%pl = OpInBoundsPtrAccessChain %pw %l %local
OpStore %pl %c
%f = OpAtomicFlagTestAndSet %bool %pl %wg %both_local
OpAtomicFlagClear %pl %wg %rel_local
%r = OpSelect %uint %f %c %n
%wide = OpUConvert %long %r
%low = OpUConvert %uint %wide
%sum = OpIAdd %uint %r %low
OpStore %pout %sum
OpCopyMemorySized %out %x %n4 Aligned 4
)",
                             "%rel_local = OpConstant %uint 0x104\n%long = OpTypeInt 64 0\n"));
}

}  // namespace
}  // namespace spirv_test
