// Laws that the reader of SPIR-V keeps whatever the module is: a text that is cut is read like its words that are cut,
// a number fits its type or is refused, built-in ids are those of one launch, and what is not tracked decides nothing.
#include <spirv-tools/libspirv.h>

#include <algorithm>
#include <array>
#include <regex>
#include <set>

#include "litmus/lexer.h"
#include "spirv/header.h"
#include "spirv_support.h"

namespace spirv_test {
namespace {

struct Words {
  bool whole = false;  // the assembler took the text
  std::string bytes;
};

Words assembled(const std::string& text) {
  const spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
  spv_binary binary = nullptr;
  spv_diagnostic diagnostic = nullptr;
  Words out;
  out.whole = spvTextToBinary(context, text.data(), text.size(), &binary, &diagnostic) == SPV_SUCCESS;
  if (binary != nullptr) out.bytes.assign(reinterpret_cast<const char*>(binary->code), binary->wordCount * 4);
  spvBinaryDestroy(binary);
  spvDiagnosticDestroy(diagnostic);
  spvContextDestroy(context);
  return out;
}

// The first sentence that is said of a module, without names and places; "" where it is read.
std::string said(const std::string& bytes) {
  spirv::LaunchOptions launch;
  launch.grid = *spirv::parse_grid("1.1.2");
  const auto t = spirv::parse_spirv(make_source("t", bytes), launch);
  if (t) return "";
  const std::string m = t.error().list.front().message;
  return std::regex_replace(std::regex_replace(m, std::regex("%\\w+"), "%"), std::regex(", word \\d+"), "");
}

const std::vector<std::string>& modules() {
  static const std::vector<std::string> all = {
      vulkan_all("", "%a = OpAtomicIAdd %uint %px %dv %relaxed %n1\nOpStore %pout %a\n",
                 "%k = OpSpecConstant %uint 3\n%k2 = OpSpecConstantOp %uint IAdd %k %n1\n%und = OpUndef %uint\n"),
      vulkan_threads("", {"OpControlBarrier %wg %wg %both_wg\n", "OpStore %ps %n1\n"}),
      opencl_all("", "OpStore %pout %n1\n%ev = OpLoad %uint %pout\n")};
  return all;
}

// A module whose last instructions are missing, as text and as words.
TEST(SpirvLaws, CutTextIsReadLikeCutWords) {
  size_t cuts = 0;
  for (const std::string& text : modules()) {
    std::string cut;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      const std::string line = text.substr(at, end - at);
      at = end;
      if (!line.starts_with(";")) cut += line;  // words have no headers
      if (line.find("Op") == std::string::npos) continue;
      const std::string bare = cut.substr(0, cut.size() - 1);  // nothing behind the last word
      const Words words = assembled(bare);
      if (!words.whole) continue;
      ++cuts;
      EXPECT_EQ(said(bare), said(words.bytes)) << "cut behind " << line;
      // Each line is an instruction, and what is pointed at is one or a part of it.
      const auto t = spirv::parse_spirv(make_source("t", bare));
      if (t || t.error().list.front().span.source == nullptr) continue;
      const Span& span = t.error().list.front().span;
      EXPECT_EQ(span.text().find('\n'), std::string::npos) << span.text() << "\n cut behind " << line;
      if (span.text().starts_with("Op")) EXPECT_TRUE(span.begin == 0 || bare[span.begin - 1] == '\n') << span.text();
    }
  }
  EXPECT_GT(cuts, 200u);
}

// Binary modules are known by their first word, however much of them there is.
TEST(SpirvLaws, EveryPartOfABinaryIsKnownForOne) {
  const std::string whole = assembled(modules()[0]).bytes;
  for (const bool swapped : {false, true}) {
    std::string bytes = whole;
    for (size_t i = 0; swapped && i < bytes.size(); i += 4) std::reverse(bytes.data() + i, bytes.data() + i + 4);
    for (size_t n = 4; n < bytes.size(); n += n < 24 ? 1 : 37) {
      const std::string part = bytes.substr(0, n);
      EXPECT_TRUE(spirv::is_spirv(part)) << n;
      const std::string answer = said(part);
      EXPECT_NE(answer, "") << n;
      EXPECT_EQ(answer.find("is not a SPIR-V instruction"), std::string::npos) << n << " bytes: " << answer;
    }
  }
}

// ---- numbers -----------------------------------------------------------------------------------------------------

using Wide = __int128;

// Does C or C++ take this number for a type of this width as it stands? Its values, and where it converts from int, a
// negative number of 32 and more bits without a sign, or one with a sign whose bits are written in hexadecimal.
bool fits(Wide n, bool hexadecimal, bool is_unsigned, uint32_t width) {
  const Wide values = Wide{1} << width, least = is_unsigned ? 0 : -(values / 2);
  if (least <= n && n < least + values) return true;
  if (width < 32) return false;
  return n < 0 ? is_unsigned && -n <= values / 2 : !is_unsigned && hexadecimal && n < values;
}

TEST(SpirvLaws, NumbersFitTheirTypes) {
  size_t taken = 0, refused = 0;
  const SourcePtr source = make_source("t", "number");
  for (const uint32_t width : {8u, 16u, 32u, 64u})
    for (const bool is_unsigned : {false, true}) {
      const Wide values = Wide{1} << width;
      for (const Wide middle : {Wide{0}, values / 2, values, -values / 2, -values})
        for (const int step : {-2, -1, 0, 1, 2})
          for (const bool hexadecimal : {false, true}) {
            const Wide n = middle + step;
            if ((n < 0 ? -n : n) > Wide{UINT64_MAX} || (n < 0 && hexadecimal)) continue;
            // A negative number of more than 64 bits has no two's complement to stand in.
            if (n < -(Wide{1} << 63)) continue;
            spirv::InputValue v;
            v.number = static_cast<uint64_t>(n);
            v.is_negative = n < 0;
            v.is_pattern = hexadecimal;
            v.span = Span{source, 0, 6};
            spirv::QuestionValue q;
            q.constant = v.number;
            q.is_negative = v.is_negative;
            q.is_pattern = v.is_pattern;
            q.span = v.span;
            const auto bits = static_cast<uint8_t>(width);
            const bool input =
                litmus::guarded([&] { return spirv::need_number_of(v, "t", is_unsigned, bits), 0; }).has_value();
            const bool question =
                litmus::guarded([&] { return spirv::need_number_of(q, "t", is_unsigned, bits), 0; }).has_value();
            const bool right = fits(n, hexadecimal, is_unsigned, width);
            ++(right ? taken : refused);
            EXPECT_EQ(input, right) << width << (is_unsigned ? " unsigned" : "") << (hexadecimal ? " hex " : " ")
                                    << static_cast<long long>(n / 4) << "*4+" << static_cast<int>(n % 4);
            EXPECT_EQ(question, input);
          }
    }
  EXPECT_GT(taken, 60u);
  EXPECT_GT(refused, 60u);
}

// Conversions that saturate give the nearest number of the type: all four kinds, of every two widths.
TEST(SpirvLaws, SaturatedConversionsGiveTheNearestNumber) {
  const std::vector<uint32_t> widths = {8, 16, 32, 64};
  std::string types;
  for (const uint32_t w : {8u, 16u, 64u})
    types += "%u" + std::to_string(w) + " = OpTypeInt " + std::to_string(w) + " 0\n";
  const auto type = [](uint32_t w) { return w == 32 ? std::string("%uint") : "%u" + std::to_string(w); };
  const auto literal = [](Wide n, uint32_t w) {  // of a type without a sign
    return std::to_string(static_cast<uint64_t>(n) & (w == 64 ? ~uint64_t{0} : (uint64_t{1} << w) - 1));
  };
  for (const bool from_signed : {false, true})
    for (const bool to_signed : {false, true})
      for (const uint32_t from : widths)
        for (const uint32_t to : widths) {
          if (from == to && from_signed == to_signed) continue;
          const Wide least = from_signed ? -(Wide{1} << (from - 1)) : 0, most = least + (Wide{1} << from) - 1;
          const Wide low = to_signed ? -(Wide{1} << (to - 1)) : 0, high = low + (Wide{1} << to) - 1;
          std::set<Wide> numbers;
          for (const Wide edge : {least, most, low, high, Wide{0}})
            for (const int step : {-1, 0, 1})
              if (edge + step >= least && edge + step <= most) numbers.insert(edge + step);
          std::string constants, code, decorations;
          std::vector<uint64_t> right;
          for (const Wide n : numbers) {
            const std::string k = std::to_string(right.size());
            constants += "%in" + k + " = OpConstant " + type(from) + " " + literal(n, from) + "\n";
            const char* op = from_signed == to_signed ? (from_signed ? "OpSConvert" : "OpUConvert")
                                                      : (from_signed ? "OpSatConvertSToU" : "OpSatConvertUToS");
            code += "%to" + k + " = " + op + " " + type(to) + " %in" + k + "\nOpStore %w %to" + k + "\n";
            if (from_signed == to_signed) decorations += "OpDecorate %to" + k + " SaturatedConversion\n";
            right.push_back(std::stoull(literal(std::clamp(n, low, high), to)));
          }
          std::string text = opencl_all(
              "; @Config: 1, 1, 1\n", code,
              types + constants + "%pt9 = OpTypePointer Workgroup " + type(to) + "\n%w = OpVariable %pt9 Workgroup\n");
          text.insert(text.find("OpDecorate %gids"), decorations);
          const auto t = spirv::parse_spirv(make_source("t", text));
          ASSERT_TRUE(t.has_value()) << render(t.error()) << text;
          std::vector<uint64_t> found;
          for (const prog::Instr& i : t->instrs(0))
            if (i.kind == prog::Kind::store && i.value.is_const()) found.push_back(i.value.value());
          EXPECT_EQ(found, right) << (from_signed ? "signed " : "unsigned ") << from << " to "
                                  << (to_signed ? "signed " : "unsigned ") << to;
        }
}

// ---- decorations -------------------------------------------------------------------------------------------------

// What stands in a group of decorations is as if it stood at each target.
TEST(SpirvLaws, GroupsOfDecorations) {
  for (const bool opencl : {false, true}) {
    const std::string plain =
        opencl ? opencl_all("; @Config: 2, 1, 2\n; @Output: forall (%out[0] == 1)\n", "OpStore %pout %id\n")
               : vulkan_all("; @Config: 2, 1, 2\n; @Output: forall (%out[0][0] == 1)\n", "OpStore %pout %local\n");
    std::string grouped = plain;
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"OpDecorate %gids BuiltIn GlobalInvocationId\n",
              "OpDecorate %ga BuiltIn GlobalInvocationId\n%ga = OpDecorationGroup\nOpGroupDecorate %ga %gids\n"},
             {"OpDecorate %lids BuiltIn LocalInvocationId\n",
              "OpDecorate %gb BuiltIn LocalInvocationId\n%gb = OpDecorationGroup\nOpGroupDecorate %gb %lids\n"},
             {"OpDecorate %ints ArrayStride 4\n",
              "OpDecorate %gc ArrayStride 4\n%gc = OpDecorationGroup\nOpGroupDecorate %gc %ints\n"},
             {"OpMemberDecorate %buffer 0 Offset 0\n",
              "OpDecorate %gd Offset 0\n%gd = OpDecorationGroup\nOpGroupMemberDecorate %gd %buffer 0\n"}}) {
      const size_t at = grouped.find(from);
      if (at != std::string::npos) grouped.replace(at, from.size(), to);
    }
    ASSERT_NE(grouped, plain);
    const auto a = spirv::parse_spirv(make_source("t", plain)), b = spirv::parse_spirv(make_source("t", grouped));
    ASSERT_TRUE(a.has_value()) << render(a.error());
    ASSERT_TRUE(b.has_value()) << render(b.error());
    EXPECT_EQ(*a, *b);
  }
}

// ---- built-in ids ------------------------------------------------------------------------------------------------

using Three = std::array<uint64_t, 3>;

struct Ids {
  Three groups, size, group, local, global, global_size, offset;
  uint64_t index, dimensions, linear, subgroup_size, subgroups, subgroup, lane;
};

// What a launch gives each of its invocations, by storing all ids to memory one after the other.
std::vector<Ids> ids_of(const std::string& grid, const Three& local) {
  std::string text = opencl_all("", "", "");
  std::string decorations = "OpExecutionMode %main LocalSize", types = "%pv = OpTypePointer Input %uint\n", code;
  for (const uint64_t n : local) decorations += " " + std::to_string(n);
  decorations += "\n";
  for (const char* three : {"NumWorkgroups", "WorkgroupSize", "WorkgroupId", "LocalInvocationId", "GlobalInvocationId",
                            "GlobalSize", "GlobalOffset"}) {
    const std::string v = std::string("%b") + three;
    decorations += "OpDecorate " + v + " BuiltIn " + three + "\n";
    types += v + " = OpVariable %p_v3 Input\n";
    code += v + "w = OpLoad %v3 " + v + "\n";
    for (const char* k : {"0", "1", "2"})
      code += v + k + " = OpCompositeExtract %uint " + v + "w " + k + "\nOpStore %pout " + v + k + "\n";
  }
  for (const char* one : {"LocalInvocationIndex", "WorkDim", "GlobalLinearId", "SubgroupSize", "NumSubgroups",
                          "SubgroupId", "SubgroupLocalInvocationId"}) {
    const std::string v = std::string("%b") + one;
    decorations += "OpDecorate " + v + " BuiltIn " + one + "\n";
    types += v + " = OpVariable %pv Input\n";
    code += v + "w = OpLoad %uint " + v + "\nOpStore %pout " + v + "w\n";
  }
  text = opencl_all("", code, types);
  text.insert(text.find("OpDecorate %gids"), decorations);
  spirv::LaunchOptions launch;
  launch.grid = *spirv::parse_grid(grid);
  const auto t = spirv::parse_spirv(make_source("t", text), launch);
  EXPECT_TRUE(t.has_value()) << (t ? "" : render(t.error()));
  std::vector<Ids> out;
  if (!t) return out;
  for (const prog::Thread& th : t->threads) {
    std::vector<uint64_t> n;
    for (const prog::Instr& i : t->instrs(th.id))
      if (i.kind == prog::Kind::store && i.value.is_const()) n.push_back(i.value.value());
    EXPECT_EQ(n.size(), 28u);
    if (n.size() != 28) return {};
    Ids ids{};
    size_t at = 0;
    for (Three* v : {&ids.groups, &ids.size, &ids.group, &ids.local, &ids.global, &ids.global_size, &ids.offset})
      for (uint64_t& x : *v) x = n[at++];
    for (uint64_t* v :
         {&ids.index, &ids.dimensions, &ids.linear, &ids.subgroup_size, &ids.subgroups, &ids.subgroup, &ids.lane})
      *v = n[at++];
    out.push_back(ids);
  }
  return out;
}

// The equations between ids of the OpenCL C specification (6.15.1) and of the SPIR-V environment.
TEST(SpirvLaws, IdsAreThoseOfOneLaunch) {
  uint64_t seed = 11;
  const auto draw = [&](uint64_t n) {
    return seed = seed * 6364136223846793005ull + 1442695040888963407ull, (seed >> 33) % n;
  };
  for (int round = 0; round < 60; ++round) {
    Three local{}, groups{};
    for (uint64_t& n : local) n = 1 + draw(3);
    for (uint64_t& n : groups) n = 1 + draw(3);
    const uint64_t size = local[0] * local[1] * local[2];
    uint64_t lanes = 1 + draw(size);
    while (size % lanes != 0) --lanes;
    const std::string grid = std::to_string(lanes) + "." + std::to_string(size / lanes) + "." +
                             std::to_string(groups[0]) + "x" + std::to_string(groups[1]) + "x" +
                             std::to_string(groups[2]);
    std::set<std::vector<uint64_t>> met;
    for (const Ids& v : ids_of(grid, local)) {
      EXPECT_EQ(v.groups, groups) << grid;
      EXPECT_EQ(v.size, local) << grid;
      EXPECT_EQ(v.offset, Three{}) << grid;
      uint64_t dimensions = 1;
      for (uint64_t d = 0; d < 3; ++d) {
        EXPECT_EQ(v.global_size[d], groups[d] * local[d]) << grid;
        EXPECT_EQ(v.global[d], v.group[d] * local[d] + v.local[d]) << grid;
        EXPECT_LT(v.group[d], groups[d]) << grid;
        EXPECT_LT(v.local[d], local[d]) << grid;
        if (v.global_size[d] > 1) dimensions = d + 1;
      }
      EXPECT_EQ(v.dimensions, dimensions) << grid;
      EXPECT_EQ(v.index, (v.local[2] * local[1] + v.local[1]) * local[0] + v.local[0]) << grid;
      EXPECT_EQ(v.linear, (v.global[2] * v.global_size[1] + v.global[1]) * v.global_size[0] + v.global[0]) << grid;
      EXPECT_EQ(v.subgroup_size, lanes) << grid;
      EXPECT_EQ(v.subgroups, size / lanes) << grid;
      EXPECT_EQ(v.subgroup * lanes + v.lane, v.index) << grid;
      EXPECT_LT(v.lane, lanes) << grid;
      met.insert({v.linear});
    }
    EXPECT_EQ(met.size(), size * groups[0] * groups[1] * groups[2]) << grid;
  }
}

// ---- what is not tracked -----------------------------------------------------------------------------------------

// A result of floating point arithmetic goes some way; at the end something would be decided by it, which is refused by
// name. `from` makes %end of it.
TEST(SpirvLaws, WhatIsNotTrackedDecidesNothing) {
  const std::string more =
      "%f32 = OpTypeFloat 32\n%f1 = OpConstant %f32 1.5\n%pfl = OpTypePointer Workgroup %f32\n%fs = OpVariable %pfl "
      "Workgroup\n"
      "%fr = OpTypeArray %f32 %n4\n%pfr = OpTypePointer Workgroup %fr\n%fw = OpVariable %pfr Workgroup\n"
      "%st = OpTypeStruct %uint %f32\n%pst = OpTypePointer Workgroup %st\n%sw = OpVariable %pst Workgroup\n"
      "%ppv = OpTypePointer Private %fr\n%pp1 = OpTypePointer Private %f32\n%pv = OpVariable %ppv Private\n"
      "%v2f = OpTypeVector %f32 2\n%pv2 = OpTypePointer Workgroup %v2f\n%vw = OpVariable %pv2 Workgroup\n";
  const std::string made = "%made = OpConvertUToF %f32 %id\n%f = OpFMul %f32 %made %f1\n";
  const std::vector<std::pair<const char*, const char*>> ways = {
      {"as it is", "%end = OpCopyObject %f32 %f\n"},
      {"through memory", "OpStore %fs %f\n%end = OpLoad %f32 %fs\n"},
      {"through one item of memory", "%w0 = OpAccessChain %pfl %fw %n2\nOpStore %w0 %f\n%end = OpLoad %f32 %w0\n"},
      {"through any item of memory",
       "%l4 = OpUMod %uint %local %n4\n%w0 = OpAccessChain %pfl %fw %l4\nOpStore %w0 %f\n%end = OpLoad %f32 %w0\n"},
      {"through a member", "%w0 = OpAccessChain %pfl %sw %n1\nOpStore %w0 %f\n%end = OpLoad %f32 %w0\n"},
      {"through an array of the invocation",
       "%ld = OpAtomicLoad %uint %px %dv %relaxed\n%l4 = OpUMod %uint %ld %n4\n%w0 = OpAccessChain %pp1 %pv %l4\n"
       "OpStore %w0 %f\n%w1 = OpAccessChain %pp1 %pv %n1\n%end = OpLoad %f32 %w1\n"},
      {"through a vector",
       "%c = OpCompositeConstruct %v2f %f1 %f\nOpStore %vw %c\n%l = OpLoad %v2f %vw\n%end = OpCompositeExtract %f32 %l "
       "1\n"},
      {"through a choice",
       "%ld = OpAtomicLoad %uint %px %dv %relaxed\n%c = OpIEqual %bool %ld %n0\n%end = OpSelect %f32 %c %f %f1\n"},
      {"through two ways that meet",
       "%ld = OpAtomicLoad %uint %px %dv %relaxed\n%c = OpIEqual %bool %ld %n0\nOpSelectionMerge %met None\n"
       "OpBranchConditional %c %yes %met\n%yes = OpLabel\n%f2 = OpFAdd %f32 %f %f1\nOpBranch %met\n%met = OpLabel\n"
       "%end = OpPhi %f32 %f1 %entry %f2 %yes\n"}};
  const std::vector<std::pair<const char*, const char*>> ends = {
      {"a comparison",
       "%q = OpFOrdLessThan %bool %end %f1\nOpSelectionMerge %o None\nOpBranchConditional %q %t %o\n%t = "
       "OpLabel\nOpStore %px %n1\nOpBranch %o\n%o = OpLabel\n"},
      {"a number", "%q = OpConvertFToU %uint %end\nOpAtomicStore %px %dv %relaxed %q\n"},
      {"bits", "%q = OpBitcast %uint %end\nOpAtomicStore %px %dv %relaxed %q\n"},
      {"a place",
       "%q = OpConvertFToU %uint %end\n%m = OpUMod %uint %q %n4\n%e = OpAccessChain %p %x %n0 %m\nOpStore %e %n1\n"},
      {"a switch",
       "%q = OpConvertFToU %uint %end\nOpSelectionMerge %o None\nOpSwitch %q %o 1 %t\n%t = OpLabel\nOpStore %px "
       "%n1\nOpBranch %o\n%o = OpLabel\n"},
      {"an operand", "%q = OpConvertFToU %uint %end\n%g = OpAtomicIAdd %uint %px %dv %relaxed %q\n"}};
  for (const auto& [way, from] : ways)
    for (const auto& [end, use] : ends) {
      const std::string text =
          vulkan_all("; @Config: 1, 1, 1\n; @Output: exists (%x[0][0] == 0)\n", made + from + use, more);
      const auto t = spirv::parse_spirv(make_source("t", text));
      ASSERT_FALSE(t.has_value()) << way << ", " << end;
      EXPECT_EQ(t.error().list.front().fault, Fault::unsupported) << way << ", " << end << render(t.error());
      EXPECT_NE(t.error().list.front().message.find("floating point"), std::string::npos)
          << way << ", " << end << ": " << t.error().list.front().message;
    }
}

}  // namespace
}  // namespace spirv_test
