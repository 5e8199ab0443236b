// What modules become: registers, objects, tags, and which code is left.
#include <spirv-tools/libspirv.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "spirv_support.h"

namespace spirv_test {
namespace {

using prog::Kind;

std::vector<uint32_t> words_of(const std::string& text) {
  const spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
  spv_binary binary = nullptr;
  spv_diagnostic diagnostic = nullptr;
  EXPECT_EQ(spvTextToBinary(context, text.data(), text.size(), &binary, &diagnostic), SPV_SUCCESS);
  std::vector<uint32_t> words;
  if (binary != nullptr) words.assign(binary->code, binary->code + binary->wordCount);
  spvBinaryDestroy(binary);
  spvDiagnosticDestroy(diagnostic);
  spvContextDestroy(context);
  return words;
}
std::string bytes_of(const std::vector<uint32_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * 4};
}

const std::string k_mp = vulkan_threads("; @Config: 1, 1, 2\n; @Output: exists (%out[0][0] == 1 and %out[0][1] == 0)\n",
                                        {"OpAtomicStore %px %dv %relaxed %n1\nOpAtomicStore %py %dv %release %n1\n",
                                         "%a = OpAtomicLoad %uint %py %dv %acquire\n%b = OpAtomicLoad %uint %px %dv "
                                         "%relaxed\nOpStore %out0 %a\nOpStore %out1 %b\n"});

TEST(SpirvLowering, BinaryIsReadLikeText) {
  std::vector<uint32_t> words = words_of(k_mp);
  ASSERT_FALSE(words.empty());
  spirv::LaunchOptions launch;
  launch.grid = *spirv::parse_grid("1.1.2");
  const prog::Test text = read(k_mp);
  // Ids lose their names on the way; OpName keeps them.
  std::string named = k_mp;
  for (const char* v : {"x", "y", "z", "out"}) {
    named.insert(named.find("OpDecorate %gids"), std::string("OpName %") + v + " \"" + v + "\"\n");
    launch.inputs.push_back(std::string("%") + v + " = {{0, 0, 0, 0, 0, 0, 0, 0}}");
  }
  launch.condition = "exists (%out[0][0] == 1 and %out[0][1] == 0)";
  words = words_of(named);
  std::vector<uint32_t> swapped = words;
  for (uint32_t& w : swapped) w = __builtin_bswap32(w);
  for (const std::vector<uint32_t>& w : {words, swapped}) {
    auto t = spirv::parse_spirv(make_source("t.spv", bytes_of(w)), launch);
    ASSERT_TRUE(t.has_value()) << render(t.error());
    ASSERT_EQ(t->threads.size(), text.threads.size());
    for (uint32_t k = 0; k < 2; ++k) {
      ASSERT_EQ(t->instrs(k).size(), text.instrs(k).size());
      for (size_t i = 0; i < text.instrs(k).size(); ++i) {
        EXPECT_EQ(t->instrs(k)[i].tags, text.instrs(k)[i].tags);
        EXPECT_EQ(t->instrs(k)[i].kind, text.instrs(k)[i].kind);
      }
    }
    EXPECT_EQ(verdict(*t, check::Property::condition), Status::fails);
  }
}

TEST(SpirvLowering, DamagedBinary) {
  const std::vector<uint32_t> words = words_of(k_mp);
  for (size_t n = 1; n < words.size(); n += 3) {
    std::vector<uint32_t> cut(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(n));
    const auto t = spirv::parse_spirv(make_source("t.spv", bytes_of(cut)), {});
    if (!t) EXPECT_FALSE(t.error().list.empty());
  }
  EXPECT_FALSE(spirv::parse_spirv(make_source("t.spv", bytes_of(words).substr(0, 41)), {}).has_value());
  uint64_t seed = 7;
  for (int k = 0; k < 300; ++k) {
    std::vector<uint32_t> bad = words;
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    bad[5 + (seed >> 33) % (bad.size() - 5)] ^= 1u << ((seed >> 20) % 32);
    (void)spirv::parse_spirv(make_source("t.spv", bytes_of(bad)), {});
  }
}

TEST(SpirvLowering, KnownByContent) {
  EXPECT_TRUE(spirv::is_spirv("; SPIR-V\n; Version: 1.0\n"));
  EXPECT_TRUE(spirv::is_spirv("; a remark\n; @Config: 1, 1, 1\n"));
  EXPECT_TRUE(spirv::is_spirv("  OpCapability Shader\n"));
  EXPECT_TRUE(spirv::is_spirv(std::string("\x03\x02\x23\x07", 4)));
  EXPECT_FALSE(spirv::is_spirv("PTX a\n{ x=0; }\n P0@cta 0,gpu 0 ;\n ld.weak r0,x ;"));
  EXPECT_FALSE(spirv::is_spirv(""));
  EXPECT_TRUE(read::parse_one(make_source("mp", k_mp)).has_value());
}

TEST(SpirvLowering, TagsOfVulkan) {
  const prog::Test t = read(vulkan_all("; @Config: 1, 1, 1\n", R"(
%a = OpAtomicLoad %uint %px %wg %acquire
OpAtomicStore %px %dv %release %n1
%c = OpAtomicIAdd %uint %ps %sg %both_wg %n1
%d = OpLoad %uint %py MakePointerVisible|NonPrivatePointer %qf
OpStore %py %n1 NonPrivatePointer
OpStore %ps %n1
OpMemoryBarrier %dv %both
OpControlBarrier %wg %wg %relaxed
OpControlBarrier %sg %sg %both_wg
)"));
  std::vector<const prog::Instr*> events;
  for (const prog::Instr& i : t.instrs(0))
    if (i.kind != Kind::local) events.push_back(&i);
  ASSERT_EQ(events.size(), 9u);
  EXPECT_EQ(events[0]->tags,
            (TagSet{Tag::R, Tag::ATOM, Tag::NONPRIV, Tag::VIS, Tag::WG, Tag::SC0, Tag::ACQ, Tag::SEMSC0, Tag::SEMVIS}));
  EXPECT_EQ(events[1]->tags,
            (TagSet{Tag::W, Tag::ATOM, Tag::NONPRIV, Tag::AV, Tag::DV, Tag::SC0, Tag::REL, Tag::SEMSC0, Tag::SEMAV}));
  EXPECT_EQ(events[2]->tags, (TagSet{Tag::R, Tag::RMW, Tag::ATOM, Tag::NONPRIV, Tag::VIS, Tag::SG, Tag::SC1, Tag::ACQ,
                                     Tag::SEMSC1, Tag::SEMVIS}));
  EXPECT_EQ(events[2]->store_tags, (TagSet{Tag::W, Tag::RMW, Tag::ATOM, Tag::NONPRIV, Tag::AV, Tag::SG, Tag::SC1,
                                           Tag::REL, Tag::SEMSC1, Tag::SEMAV}));
  EXPECT_EQ(events[3]->tags, (TagSet{Tag::R, Tag::NONPRIV, Tag::VIS, Tag::QF, Tag::SC0}));
  EXPECT_EQ(events[4]->tags, (TagSet{Tag::W, Tag::NONPRIV, Tag::SC0}));
  EXPECT_EQ(events[5]->tags, (TagSet{Tag::W, Tag::SC1}));
  EXPECT_EQ(events[6]->tags, (TagSet{Tag::F, Tag::DV, Tag::ACQ, Tag::REL, Tag::SEMSC0, Tag::SEMAV, Tag::SEMVIS}));
  EXPECT_EQ(events[7]->tags, (TagSet{Tag::CBAR, Tag::B, Tag::WG}));
  EXPECT_EQ(events[7]->barrier.level, 2u);
  EXPECT_EQ(events[8]->tags,
            (TagSet{Tag::CBAR, Tag::B, Tag::F, Tag::SG, Tag::ACQ, Tag::REL, Tag::SEMSC1, Tag::SEMAV, Tag::SEMVIS}));
  EXPECT_EQ(events[8]->barrier.level, 3u);
}

TEST(SpirvLowering, TagsOfOpencl) {
  const prog::Test t = read(opencl_all("; @Config: 1, 1, 1\n", R"(
%a = OpAtomicLoad %uint %x %wg %acquire
%b = OpAtomicExchange %uint %x %all %sc %n1
%c = OpAtomicIIncrement %uint %x %dv %both
%d = OpLoad %uint %y
OpStore %y %n1
OpMemoryBarrier %dv %release
OpControlBarrier %wg %wg %sc
)"));
  std::vector<const prog::Instr*> e;
  for (const prog::Instr& i : t.instrs(0))
    if (i.kind != Kind::local) e.push_back(&i);
  ASSERT_EQ(e.size(), 7u);
  EXPECT_EQ(e[0]->tags, (TagSet{Tag::R, Tag::A, Tag::WG, Tag::ACQ}));
  EXPECT_EQ(e[1]->tags, (TagSet{Tag::R, Tag::RMW, Tag::A, Tag::ALL, Tag::SC}));
  EXPECT_EQ(e[1]->store_tags, (TagSet{Tag::W, Tag::RMW, Tag::A, Tag::ALL, Tag::SC}));
  EXPECT_EQ(e[2]->tags, (TagSet{Tag::R, Tag::RMW, Tag::A, Tag::DV, Tag::ACQ}));
  EXPECT_EQ(e[2]->store_tags, (TagSet{Tag::W, Tag::RMW, Tag::A, Tag::DV, Tag::REL}));
  EXPECT_EQ(e[3]->tags, (TagSet{Tag::R, Tag::NA}));
  EXPECT_EQ(e[4]->tags, (TagSet{Tag::W, Tag::NA, Tag::WI}));
  EXPECT_EQ(e[5]->tags, (TagSet{Tag::F, Tag::DV, Tag::REL, Tag::GLOBAL}));
  EXPECT_EQ(e[6]->tags, (TagSet{Tag::F, Tag::B, Tag::ACQ_REL, Tag::WG, Tag::GLOBAL}));
  EXPECT_TRUE(t.objects[0].tags.has(Tag::GLOBAL));
}

// The launch: every invocation writes its ids.
TEST(SpirvLowering, BuiltInIds) {
  const auto final_of = [](const std::string& grid, const std::string& value, const std::string& question) {
    return ask(vulkan_all("; @Config: " + grid + "\n; @Output: forall (" + question + ")\n",
                          value + "OpStore %pout %v\n", ""));
  };
  EXPECT_EQ(final_of("2, 1, 2", "%v = OpCopyObject %uint %id\n",
                     "%out[0][0] == 0 and %out[0][1] == 1 and %out[0][2] == 2 and %out[0][3] == 3"),
            Status::holds);
  EXPECT_EQ(final_of("2, 1, 2", "%v = OpCopyObject %uint %local\n",
                     "%out[0][0] == 0 and %out[0][1] == 1 and %out[0][2] == 0 and %out[0][3] == 1"),
            Status::holds);
}

TEST(SpirvLowering, GridsInThreeDimensions) {
  std::string text = vulkan_all("",
                                "%yy = OpCompositeExtract %uint %gid3 1\n%zz = OpCompositeExtract %uint %gid3 2\n%y2 = "
                                "OpIMul %uint %yy %n2\n%z4 = OpIMul %uint %zz %n4\n"
                                "%sum = OpIAdd %uint %id %y2\n%flat = OpIAdd %uint %sum %z4\n%q = OpAccessChain %p %x "
                                "%n0 %flat\nOpStore %q %flat\n");
  text.insert(text.find("OpDecorate %gids"), "OpExecutionMode %main LocalSize 2 2 1\n");
  spirv::LaunchOptions launch;
  launch.grid = *spirv::parse_grid("4.1.1x1x2");
  launch.condition = "forall (%x[0][0] == 0 and %x[0][3] == 3 and %x[0][5] == 5 and %x[0][7] == 7)";
  const prog::Test t = read(text, launch);
  EXPECT_EQ(t.threads.size(), 8u);
  EXPECT_EQ(verdict(t, check::Property::condition), Status::holds);
  EXPECT_EQ(verdict(t, check::Property::races), Status::holds);
  // Without a launch, one workgroup of LocalSize.
  EXPECT_EQ(read(text).threads.size(), 4u);
}

TEST(SpirvLowering, GridText) {
  EXPECT_EQ(spirv::to_string(*spirv::parse_grid("2.1.3")), "2.1.3");
  EXPECT_EQ(spirv::parse_grid("2.1.3.2.2")->threads(), 24u);
  EXPECT_EQ(spirv::to_string(*spirv::parse_grid("2.1.3x2")), "2.1.3x2");
  for (const char* bad : {"", "2", "2.1", "0.1.1", "2.1.x", "2.1.3.", "1.1.1.1.1.1", "a.b.c", "2.1.3x",
                          "1000.1000.1000", "65536.65536.1", "65536.65536.65536.65536.1", "2x2.1.1"})
    EXPECT_FALSE(spirv::parse_grid(bad).has_value()) << bad;
}

TEST(SpirvLowering, EqualInvocationsShareATemplate) {
  const prog::Test t = read(vulkan_all("; @Config: 1, 1, 3\n", "%a = OpAtomicIIncrement %uint %px %dv %relaxed\n"));
  EXPECT_EQ(t.threads.size(), 3u);
  EXPECT_EQ(t.templates.size(), 1u);
}

TEST(SpirvLowering, PrivateVariablesAreRegisters) {
  const prog::Test t = read(vulkan_all("; @Config: 1, 1, 1\n; @Output: forall (%out[0][0] == 7)\n", R"(
OpStore %fv %n3
%a = OpLoad %uint %fv
%e = OpAccessChain %pf %fa %n2
OpStore %e %n4
%b = OpLoad %uint %e
%c = OpIAdd %uint %a %b
OpStore %fv %c
%d = OpLoad %uint %fv
OpStore %out0 %d
)"));
  ASSERT_EQ(t.instrs(0).size(), 1u);  // one store of a constant
  EXPECT_TRUE(t.instrs(0)[0].value.is_const(7));
  EXPECT_EQ(verdict(t, check::Property::condition), Status::holds);
}

TEST(SpirvLowering, PrivateArraysUnderComputedIndicesAreMemory) {
  const std::string text =
      vulkan_all("; @Config: 1, 1, 2\n; @Output: forall (%out[0][0] == 9 and %out[0][1] == 9)\n", R"(
%i = OpLoad %uint %px
%e = OpAccessChain %pf %fa %i
OpStore %e %n9
%e0 = OpAccessChain %pf %fa %n0
%b = OpLoad %uint %e0
OpStore %pout %b
)");
  const prog::Test t = read(text);
  EXPECT_EQ(verdict(t, check::Property::condition), Status::holds);
  EXPECT_EQ(verdict(t, check::Property::races), Status::holds);  // each has its own
}

TEST(SpirvLowering, ComputedPlacesOutsideAreUndefinedBehaviour) {
  const std::string text = vulkan_all("; @Config: 1, 1, 1\n", R"(
%i = OpLoad %uint %px
%j = OpIAdd %uint %i %n4
%e = OpAccessChain %pw %shared %j
OpStore %e %n9
)");
  EXPECT_EQ(races(text), Status::fails);
  EXPECT_EQ(races(vulkan_all("; @Config: 1, 1, 1\n", "%e = OpAccessChain %pw %shared %n9\nOpStore %e %n9\n")),
            Status::fails);
  EXPECT_EQ(races(vulkan_all("; @Config: 1, 1, 1\n", "%e = OpAccessChain %pw %shared %n3\nOpStore %e %n9\n")),
            Status::holds);
}

// Buffers may be longer than their input: a race behind the end is found, other places stay apart.
TEST(SpirvLowering, OpenEndedBuffers) {
  EXPECT_EQ(races(vulkan_all("; @Config: 1, 1, 2\n", "%e = OpAccessChain %p %x %n0 %n9\nOpStore %e %n1\n")),
            Status::fails);
  EXPECT_EQ(races(vulkan_all("; @Config: 1, 1, 2\n",
                             "%k = OpIAdd %uint %id %n8\n%e = OpAccessChain %p %x %n0 %k\nOpStore %e %n1\n")),
            Status::holds);
  const std::string computed = vulkan_all("; @Config: 1, 1, 2\n", R"(
%i = OpAtomicLoad %uint %py %dv %relaxed
%j = OpIAdd %uint %i %n9
%e = OpAccessChain %p %x %n0 %j
OpStore %e %n1
)");
  EXPECT_EQ(races(computed), Status::fails);
}

TEST(SpirvLowering, UndefinedValuesAreAnything) {
  const std::string frame = "; @Config: 1, 1, 1\n; @Output: ";
  const auto both = [&](const std::string& question, const std::string& code) {
    const prog::Test t = read(vulkan_all(frame + question + "\n", code));
    const Status a = verdict(t, check::Property::condition, 1, check::Engine::enumerate);
    EXPECT_EQ(a, verdict(t, check::Property::condition, 1, check::Engine::solve));
    return a;
  };
  EXPECT_EQ(both("exists (%out[0][0] == 123456)", "%u = OpUndef %uint\nOpStore %out0 %u\n"), Status::holds);
  EXPECT_EQ(both("forall (%out[0][0] == 0)", "%u = OpUndef %uint\nOpStore %out0 %u\n"), Status::fails);
  EXPECT_EQ(both("forall (%out[0][0] == %out[0][1])", "%u = OpLoad %uint %fv\nOpStore %out0 %u\nOpStore %out1 %u\n"),
            Status::holds);  // one value
  const std::string unset = "%u = OpLoad %uint %fv\nOpStore %out0 %u\n";
  EXPECT_EQ(both("exists (%out[0][0] == 123456)", unset), Status::holds);
  EXPECT_EQ(both("forall (%out[0][0] == 0)", unset), Status::fails);
  EXPECT_EQ(races(vulkan_all("; @Config: 1, 1, 1\n", unset)), Status::holds);
  const std::string after = "OpStore %px %n7\n" + unset;  // and nothing that a store could reach
  EXPECT_EQ(both("exists (%out[0][0] == 8)", after), Status::holds);
  EXPECT_EQ(both("forall (%out[0][0] == 0 or %out[0][0] == 2)",
                 "%u = OpLoad %uint %ps\n%v = OpBitwiseAnd %uint %u %n2\nOpStore %out0 %v\n"),
            Status::holds);
  EXPECT_EQ(both("exists (%shared[1] == 5)", ""), Status::holds);
  EXPECT_EQ(both("forall (%shared[1] == 5)", ""), Status::fails);
}

// On each way that leaves it unset the variable is undefined by itself: no way uses what another one has made.
TEST(SpirvLowering, UndefinedOnEachOfSeveralWays) {
  const auto text = [](const std::string& question) {
    std::string t = vulkan_threads("; @Config: 1, 1, 3\n; @Output: " + question + "\n", {"OpStore %fv %n1\n", "", ""});
    return t.replace(t.find("OpReturn"), 0, "%v = OpLoad %uint %fv\nOpStore %pout %v\n");
  };
  for (const char* question : {"exists (%out[0][1] == 123456)", "exists (%out[0][2] == 123456)",
                               "exists (%out[0][1] == 5 and %out[0][2] == 7)", "forall (%out[0][0] == 1)"})
    EXPECT_EQ(ask(text(question)), Status::holds) << question;
}

// What clspv leaves to its run time is filled in from the launch: sizes, and offsets of 0.
TEST(SpirvLowering, PushConstantsOfClspv) {
  const auto text = [](const std::string& question, const std::string& notes) {
    std::string t = vulkan_all("; @Config: 2, 2, 3\n; @Output: " + question + "\n", R"(
%a = OpAccessChain %ppush %push %n0 %n0
%b = OpAccessChain %ppush %push %n0 %n1
%c = OpAccessChain %ppush %push %n1 %n0
%va = OpLoad %uint %a
%vb = OpLoad %uint %b
%vc = OpLoad %uint %c
OpStore %out0 %va
OpStore %out1 %vb
OpStore %out2 %vc
)",
                               "%pushes = OpTypeStruct %v3 %v3\n%p_pushes = OpTypePointer PushConstant %pushes\n"
                               "%ppush = OpTypePointer PushConstant %uint\n%push = OpVariable %p_pushes PushConstant\n"
                               "%n12 = OpConstant %uint 12\n%n16 = OpConstant %uint 16\n");
    t.replace(
        t.find("OpMemoryModel"), 0,
        "OpExtension \"SPV_KHR_non_semantic_info\"\n%clspv = OpExtInstImport \"NonSemantic.ClspvReflection.5\"\n");
    t.replace(t.find("OpDecorate %gids"), 0,
              "OpMemberDecorate %pushes 0 Offset 0\nOpMemberDecorate %pushes 1 Offset 16\nOpDecorate %pushes Block\n");
    return t + notes;
  };
  const std::string first = "%note1 = OpExtInst %void %clspv PushConstant",
                    second = "%note2 = OpExtInst %void %clspv PushConstant";
  const auto out = [](int a, int b, int c) {
    return "forall (%out[0][0] == " + std::to_string(a) + " and %out[0][1] == " + std::to_string(b) +
           " and %out[0][2] == " + std::to_string(c) + ")";
  };
  EXPECT_EQ(ask(text(out(12, 1, 0), first + "GlobalSize %n0 %n12\n" + second + "RegionOffset %n16 %n12\n")),
            Status::holds);
  EXPECT_EQ(ask(text(out(4, 1, 3), first + "EnqueuedLocalSize %n0 %n12\n" + second + "NumWorkgroups %n16 %n12\n")),
            Status::holds);
  EXPECT_EQ(ask(text(out(0, 0, 12), first + "GlobalOffset %n0 %n12\n" + second + "GlobalSize %n16 %n12\n")),
            Status::holds);
}

TEST(SpirvLowering, PhisThatSwap) {
  const std::string text =
      vulkan_all("; @Config: 1, 1, 1\n; @Output: forall (%out[0][0] == 2 and %out[0][1] == 1)\n", R"(
OpBranch %head
%head = OpLabel
%a = OpPhi %uint %n1 %entry %b %head
%b = OpPhi %uint %n2 %entry %a %head
%k = OpPhi %uint %n0 %entry %k1 %head
OpStore %out2 %k
%k1 = OpIAdd %uint %k %n1
%more = OpULessThan %bool %k1 %n4
OpLoopMerge %done %head None
OpBranchConditional %more %head %done
%done = OpLabel
OpStore %out0 %a
OpStore %out1 %b
)");
  EXPECT_EQ(ask(text, 4), Status::holds);
}

TEST(SpirvLowering, SwitchPhiAndUnreachable) {
  const std::string text = vulkan_all(
      "; @Config: 1, 1, 3\n; @Output: forall (%out[0][0] == 5 and %out[0][1] == 6 and %out[0][2] == 7)\n", R"(
OpSelectionMerge %m None
OpSwitch %id %other 0 %zero 1 %one
%zero = OpLabel
OpBranch %m
%one = OpLabel
OpBranch %m
%other = OpLabel
OpBranch %m
%m = OpLabel
%v = OpPhi %uint %n5 %zero %n6 %one %n7 %other
OpStore %pout %v
)");
  EXPECT_EQ(ask(text), Status::holds);
  const auto guarded = [](const char* c) {
    return vulkan_all("; @Config: 1, 1, 2\n", std::string("%c = OpIEqual %bool %id ") + c +
                                                  "\nOpSelectionMerge %m None\nOpBranchConditional %c %bad %m\n%bad = "
                                                  "OpLabel\nOpUnreachable\n%m = OpLabel\n");
  };
  EXPECT_EQ(races(guarded("%n1")), Status::fails);
  EXPECT_EQ(races(guarded("%n5")), Status::holds);
}

TEST(SpirvLowering, SwitchOnALoadedValue) {
  const std::string text =
      vulkan_threads("; @Config: 1, 1, 2\n; @Output: forall (%out[0][1] == 3 or %out[0][1] == 4 or %out[0][1] == 5)\n",
                     {"OpAtomicStore %px %dv %relaxed %n1\nOpAtomicStore %px %dv %relaxed %n2\n", R"(
%v = OpAtomicLoad %uint %px %dv %relaxed
OpSelectionMerge %m None
OpSwitch %v %dflt 0 %a 1 %b
%a = OpLabel
OpBranch %m
%b = OpLabel
OpBranch %m
%dflt = OpLabel
OpBranch %m
%m = OpLabel
%r = OpPhi %uint %n3 %a %n4 %b %n5 %dflt
OpStore %out1 %r
)"});
  EXPECT_EQ(ask(text), Status::holds);
  EXPECT_EQ(ask(std::string(text).replace(text.find("%out[0][1] == 3 or "), 19, "")), Status::fails);
}

TEST(SpirvLowering, PointersToSeveralVariables) {
  const std::string text = vulkan_all("; @Config: 1, 1, 2\n; @Output: forall (%x[0][0] == 1 and %y[0][1] == 1)\n", R"(
%first = OpIEqual %bool %id %n0
%one = OpAccessChain %p %y %n0 %n1
%q = OpSelect %p %first %px %one
OpStore %q %n1
)");
  EXPECT_EQ(ask(text), Status::holds);
  EXPECT_EQ(races(text), Status::holds);
  const std::string loaded = vulkan_all("; @Config: 1, 1, 1\n; @Output: exists (%y[0][0] == 1 and %x[0][0] == 0)\n", R"(
%u = OpUndef %uint
%c = OpIEqual %bool %u %n0
%q = OpSelect %p %c %px %py
OpStore %q %n1
%back = OpLoad %uint %q
OpStore %out0 %back
)");
  EXPECT_EQ(ask(loaded), Status::holds);
}

TEST(SpirvLowering, StructuresVectorsAndSmallerCells) {
  const std::string more = R"(
%half = OpTypeInt 16 0
%h5 = OpConstant %half 5
%pair = OpTypeStruct %uint %half %half
%p_pair = OpTypePointer Workgroup %pair
%ph = OpTypePointer Workgroup %half
%s = OpVariable %p_pair Workgroup
%p_v2 = OpTypePointer Workgroup %v2
%vec = OpVariable %p_v2 Workgroup
)";
  EXPECT_EQ(
      ask(vulkan_all(
          "; @Config: 1, 1, 1\n; @Output: forall (%s[0] == 9 and %s[1] == 5 and %vec[0] == 3 and %vec[1] == 9)\n", R"(
%a = OpAccessChain %pw %s %n0
%b = OpAccessChain %ph %s %n1
OpStore %a %n9
OpStore %b %h5
%va = OpLoad %uint %a
%v = OpCompositeConstruct %v2 %n3 %va
OpStore %vec %v
)",
          more)),
      Status::holds);
}

TEST(SpirvLowering, NarrowAccessesSplitCells) {
  const std::string functions = R"(
%half = OpTypeInt 16 0
%ph = OpTypePointer CrossWorkgroup %half
%h7 = OpConstant %half 7
)";
  const std::string text = opencl_all(
      "; @Config: 1, 1, 1\n; @Output: forall (%x[0] == 458753)\n",  // 7 * 65536 + 1
      "OpStore %x %n1\n%q = OpBitcast %ph %x\n%q1 = OpInBoundsPtrAccessChain %ph %q %n1\nOpStore %q1 %h7\n", functions);
  EXPECT_EQ(ask(text), Status::holds);
  EXPECT_EQ(ask(std::string(text).replace(text.find("458753"), 6, "458754")), Status::fails);
}

TEST(SpirvLowering, FloatingPointIsMoved) {
  const std::string more = R"(
%f32 = OpTypeFloat 32
%f1 = OpConstant %f32 1.5
%pfl = OpTypePointer Workgroup %f32
%fs = OpVariable %pfl Workgroup
%ft = OpVariable %pfl Workgroup
)";
  EXPECT_EQ(races(vulkan_all("; @Config: 1, 1, 1\n",
                             "OpStore %fs %f1\n%a = OpLoad %f32 %fs\n%b = OpFAdd %f32 %a %f1\nOpStore %ft %b\n", more)),
            Status::holds);
  EXPECT_EQ(races(vulkan_all("; @Config: 2, 1, 1\n", "%a = OpLoad %f32 %fs\n%b = OpFMul %f32 %a %f1\nOpStore %ft %b\n",
                             more)),
            Status::fails);
}

TEST(SpirvLowering, SpecialisationConstants) {
  const std::string more = "%k = OpSpecConstant %uint 3\n%k2 = OpSpecConstantOp %uint IAdd %k %n1\n";
  const std::string code = "OpStore %out0 %k2\n";
  EXPECT_EQ(ask(vulkan_all("; @Config: 1, 1, 1\n; @Output: forall (%out[0][0] == 4)\n", code, more)), Status::holds);
  EXPECT_EQ(ask(vulkan_all("; @Config: 1, 1, 1\n; @Input: %k = 7\n; @Output: forall (%out[0][0] == 8)\n", code, more)),
            Status::holds);
}

// An invocation that returns early leaves the others waiting.
TEST(SpirvLowering, BarriersWaitForThoseThatNeverCome) {
  const std::string text = vulkan_all("; @Config: 2, 1, 1\n; @Output: exists (%out[0][0] == 1)\n", R"(
%first = OpIEqual %bool %local %n0
OpSelectionMerge %m None
OpBranchConditional %first %w %m
%w = OpLabel
OpControlBarrier %wg %wg %both_wg
OpStore %out0 %n1
OpBranch %m
%m = OpLabel
)");
  EXPECT_EQ(ask(text), Status::fails);
}

// Whose code leads to no barrier is counted where it belongs: two workgroups, of which one comes.
TEST(SpirvLowering, ABarrierIsOfTheWorkgroupsThatCome) {
  const auto text = [](const char* grid, const char* first, const char* scope, const char* semantics) {
    return vulkan_all(
        std::string("; @Config: ") + grid + "\n; @Output: exists (%out[0][2] == 1 and %out[0][3] == 1)\n",
        std::string("%comes = OpUGreaterThan %bool %id ") + first +
            "\nOpSelectionMerge %m None\nOpBranchConditional %comes %w %m\n%w = OpLabel\nOpControlBarrier " + scope +
            " " + scope + " " + semantics + "\nOpStore %pout %n1\nOpBranch %m\n%m = OpLabel\n");
  };
  EXPECT_EQ(ask(text("2, 1, 2", "%n1", "%wg", "%both_wg")), Status::holds);
  EXPECT_EQ(ask(text("2, 1, 2", "%n0", "%wg", "%both_wg")), Status::fails);  // invocation 1 waits for 0
  EXPECT_EQ(ask(text("2, 2, 1", "%n1", "%sg", "%both_wg")), Status::holds);
  EXPECT_EQ(ask(text("2, 2, 1", "%n1", "%wg", "%both_wg")), Status::fails);
}

// A quotient by zero, and of the least number by -1, is any value; so is what remains. Others are as in C.
TEST(SpirvLowering, DivisionsThatHaveNoValue) {
  const auto said = [](const std::string& op, const std::string& a, const std::string& b, const std::string& question) {
    return ask(
        vulkan_all("; @Config: 1, 1, 1\n; @Output: " + question + "\n; @Input: %va = " + a + ", %vb = " + b + "\n",
                   "%a = OpLoad %uint %va\n%b = OpLoad %uint %vb\n%q = " + op + " %uint %a %b\nOpStore %out0 %q\n",
                   "%va = OpVariable %pw Workgroup\n%vb = OpVariable %pw Workgroup\n"));
  };
  const auto is = [](const std::string& value) { return "(%out[0][0] == " + value + ")"; };
  for (const char* op : {"OpUDiv", "OpSDiv", "OpUMod", "OpSRem", "OpSMod"}) {
    EXPECT_EQ(said(op, "7", "0", "exists " + is("123456")), Status::holds) << op;
    EXPECT_EQ(said(op, "7", "2", "exists " + is("123456")), Status::fails) << op;
  }
  const std::string least = "0x80000000";
  for (const char* op : {"OpSDiv", "OpSRem", "OpSMod"})
    EXPECT_EQ(said(op, least, "-1", "exists " + is("123456")), Status::holds) << op;
  EXPECT_EQ(said("OpUDiv", least, "-1", "forall " + is("0")), Status::holds);
  EXPECT_EQ(said("OpUMod", least, "-1", "forall " + is(least)), Status::holds);
  EXPECT_EQ(said("OpSDiv", "-7", "2", "forall " + is("-3")), Status::holds);
  EXPECT_EQ(said("OpSRem", "-7", "2", "forall " + is("-1")), Status::holds);
  EXPECT_EQ(said("OpSMod", "-7", "2", "forall " + is("1")), Status::holds);
  EXPECT_EQ(said("OpSMod", "7", "-2", "forall " + is("-1")), Status::holds);
  EXPECT_EQ(said("OpUDiv", "-7", "2", "forall " + is("2147483644")), Status::holds);
  EXPECT_EQ(said("OpSDiv", least, "1", "forall " + is(least)), Status::holds);
  EXPECT_EQ(said("OpSDiv", "7", "-1", "forall " + is("-7")), Status::holds);
}

TEST(SpirvLowering, FloatingPointInLoops) {
  const std::string text =
      vulkan_all("; @Config: 1, 1, 1\n; @Output: forall (%out[0][0] == 4)\n", R"(
OpBranch %head
%head = OpLabel
%sum = OpPhi %f32 %f1 %entry %more %head
%k = OpPhi %uint %n0 %entry %k1 %head
%more = OpFAdd %f32 %sum %f1
%k1 = OpIAdd %uint %k %n1
%again = OpULessThan %bool %k1 %n4
OpLoopMerge %done %head None
OpBranchConditional %again %head %done
%done = OpLabel
OpStore %fs %more
OpStore %out0 %k1
)",
                 "%f32 = OpTypeFloat 32\n%f1 = OpConstant %f32 1.5\n%pfl = OpTypePointer Workgroup "
                 "%f32\n%fs = OpVariable %pfl Workgroup\n");
  EXPECT_EQ(ask(text, 6), Status::holds);
}

TEST(SpirvLowering, OptionsGoBeforeHeaders) {
  spirv::LaunchOptions launch;
  launch.grid = *spirv::parse_grid("1.1.1");
  launch.condition = "forall (%x[0][0] == 5)";
  launch.inputs = {"%x = {{5}}"};
  const prog::Test t = read(vulkan_all("; @Config: 1, 1, 3\n; @Output: forall (%x[0][0] == 0)\n", ""), launch);
  EXPECT_EQ(t.threads.size(), 1u);
  EXPECT_EQ(verdict(t, check::Property::condition), Status::holds);
  launch.inputs = {"%nobody = 1"};
  EXPECT_FALSE(spirv::parse_spirv(make_source("t.spvasm", vulkan_all("", "")), launch).has_value());
}

// Words, brackets and comparisons of a question, and what several lines of one mean together. The final state is
// x[0] = 7, x[1] = 2, y[0] = -1.
TEST(SpirvLowering, QuestionsMeanWhatTheySay) {
  const std::string code =
      "%x1 = OpAccessChain %p %x %n0 %n1\nOpStore %px %n7\nOpStore %x1 %n2\n%m = OpISub %uint %n0 %n1\n"
      "OpStore %py %m\n";
  const auto said = [&](const std::vector<std::string>& lines) {
    std::string header = "; @Config: 1, 1, 1\n";
    for (const std::string& l : lines) header += "; @Output: " + l + "\n";
    return ask(vulkan_all(header, code));
  };
  const std::string a = "%x[0][0]", b = "%x[0][1]", c = "%y[0][0]", yes = "(" + a + " == 7)", no = "(" + a + " == 8)";
  for (const std::string& right : std::vector<std::string>{a + " == 7",
                                                           a + " != 8",
                                                           b + " < " + a,
                                                           b + " <= " + a,
                                                           b + " <= 2",
                                                           a + " > 6",
                                                           a + " >= 7",
                                                           "7 == " + a,
                                                           "not " + a + " == 8",
                                                           "!" + no,
                                                           "true",
                                                           "not false",
                                                           yes + " or " + no + " and " + no,
                                                           no + " and " + no + " or " + yes,
                                                           "(" + yes + " or " + no + ") and " + yes,
                                                           "not " + no + " and " + yes,
                                                           yes + " && not " + no,
                                                           no + " || " + yes,
                                                           c + " == -1",
                                                           c + " == 4294967295",
                                                           c + " == 0xffffffff",
                                                           a + " == 0x7"}) {
    EXPECT_EQ(said({"forall (" + right + ")"}), Status::holds) << right;
    EXPECT_EQ(said({"exists (" + right + ")"}), Status::holds) << right;
    EXPECT_EQ(said({"not exists (" + right + ")"}), Status::fails) << right;
    EXPECT_EQ(said({"~exists (" + right + ")"}), Status::fails) << right;
  }
  for (const std::string& wrong :
       std::vector<std::string>{a + " == 8", a + " != 7", a + " < " + b, a + " <= 6", b + " > " + a, b + " >= 3",
                                a + " < 7", a + " > 7", "not " + yes, "false", yes + " and " + no, no + " or " + no,
                                "(" + yes + " or " + no + ") and " + no, "not " + yes + " or " + no}) {
    EXPECT_EQ(said({"forall (" + wrong + ")"}), Status::fails) << wrong;
    EXPECT_EQ(said({"exists (" + wrong + ")"}), Status::fails) << wrong;
    EXPECT_EQ(said({"not exists (" + wrong + ")"}), Status::holds) << wrong;
  }
  for (const bool first : {true, false})
    for (const bool second : {true, false})
      for (const char* one : {"forall ", "not exists "})
        for (const char* two : {"forall ", "not exists "}) {
          const auto line = [&](const char* word, bool holds) {
            return std::string(word) + (holds == (*word == 'f') ? yes : no);
          };
          EXPECT_EQ(said({line(one, first), line(two, second)}), first && second ? Status::holds : Status::fails)
              << line(one, first) << " | " << line(two, second);
        }
}

TEST(SpirvLowering, FilterRestrictsRaces) {
  const std::string code =
      "OpStore %px %id NonPrivatePointer\n%a = OpAtomicExchange %uint %py %dv %relaxed %n1\nOpStore %pout %a\n";
  EXPECT_EQ(races(vulkan_all("; @Config: 1, 1, 2\n", code)), Status::fails);
  EXPECT_EQ(races(vulkan_all("; @Config: 1, 1, 2\n; @Filter: %out[0][0] == 1 and %out[0][1] == 1\n", code)),
            Status::holds);
}

// ---- the published corpus ---------------------------------------------------------------------------------

TEST(SpirvCorpus, PublishedVerdicts) {
  const char* corpus = std::getenv("FENCEPOST_PEER_CORPUS");
  const char* data = std::getenv("FENCEPOST_EXPECTED_DATA");
  if (corpus == nullptr) GTEST_SKIP() << "set FENCEPOST_PEER_CORPUS to a checkout of hernanponcedeleon/Dat3M";
  if (data == nullptr) GTEST_SKIP() << "set FENCEPOST_EXPECTED_DATA to the folder with spirv-expected.csv";
  std::ifstream table(std::string(data) + "/spirv-expected.csv");
  ASSERT_TRUE(table.good());
  std::string line;
  std::getline(table, line);
  int agreed = 0, stronger = 0, other = 0;
  while (std::getline(table, line)) {
    std::istringstream fields(line);
    std::string path, model, property, bound, grid, expected;
    for (std::string* f : {&path, &model, &property, &bound, &grid, &expected}) std::getline(fields, *f, ',');
    if (!expected.empty() && expected.back() == '\r') expected.pop_back();
    if (property.starts_with("termination")) continue;
    const bool filter = property.find("ignore_filter") == std::string::npos;
    spirv::LaunchOptions launch;
    launch.grid = *spirv::parse_grid(grid);
    const auto tests = read::parse_file(std::string(corpus) + "/" + path, launch);
    ASSERT_TRUE(tests.has_value()) << render(tests.error());
    const prog::Test& t = tests->front();
    const auto m = cat::load_model(model, t.dialect);
    ASSERT_TRUE(m.has_value());
    check::Options o;
    o.property = property.starts_with("cat_spec") ? check::Property::races : check::Property::condition;
    o.bound = static_cast<uint32_t>(std::atoi(bound.c_str()));
    o.filter = filter;
    Job job;
    const Status found = check::check(t, *m, o, job).verdict.status;
    const Status wanted = expected == "PASS" ? Status::holds : expected == "FAIL" ? Status::fails : Status::unknown;
    if (found == wanted)
      ++agreed;
    else if (wanted == Status::unknown)
      ++stronger;
    else {
      ++other;
      // A uniform kernel argument needs one turn more than one per invocation; and a counter that GPUVerify passes too.
      EXPECT_TRUE(path.ends_with("opencl/gpuverify/atomics/forloop.spvasm") ||
                  path.ends_with("opencl/gpuverify/atomics/counter.spvasm"))
          << line;
    }
  }
  EXPECT_GE(agreed, 354);
  EXPECT_LE(stronger, 5);
  EXPECT_LE(other, 2);
}

}  // namespace
}  // namespace spirv_test
