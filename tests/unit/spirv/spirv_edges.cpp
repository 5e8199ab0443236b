// Limits of modules from both sides, and what is said beyond: tests/golden/lowered/edges-*.txt. Also values from
// outside: inputs, specialisation constants, initial values, memory that starts at 0.
#include "golden.h"
#include "spirv_support.h"

namespace spirv_test {
namespace {

std::string code(const std::string& text, const std::string& more = "") { return vulkan_all("", text, more); }
std::string before(std::string text, const std::string& mark, const std::string& what) {
  return text.insert(text.find(mark), what);
}
const std::string k_long = "%long = OpTypeInt 64 0\n%l1 = OpConstant %long 1\n";

TEST(SpirvEdges, TypesAndConstants) {
  std::string out;
  const auto add = [&](const std::string& what, const std::string& text) { out += said_or_made(what, text); };
  for (const char* width : {"1", "8", "16", "32", "64"})
    add(std::string("integers of ") + width, code("", std::string("%t = OpTypeInt ") + width + " 0\n"));
  for (const char* width : {"16", "32", "64"})
    add(std::string("numbers of ") + width, code("", std::string("%t = OpTypeFloat ") + width + "\n"));
  for (const char* count : {"1", "2", "64", "65"})
    add(std::string("vectors of ") + count, code("", std::string("%t = OpTypeVector %uint ") + count + "\n"));
  for (const char* size :
       {"1 1 1", "65536 1 1", "65537 1 1", "1 0 1", "1 1 65537", "2 3 4", "1024 1 1", "1025 1 1", "32 32 1", "32 33 1"})
    add(std::string("LocalSize ") + size,
        before(code(""), "OpDecorate %gids", std::string("OpExecutionMode %main LocalSize ") + size + "\n"));
  for (const size_t n : {1001u, 1002u}) {
    std::string deep = "%c0 = OpSpecConstantOp %uint IAdd %n1 %n1\n";
    for (size_t k = 1; k < n; ++k)
      deep += "%c" + std::to_string(k) + " = OpSpecConstantOp %uint IAdd %c" + std::to_string(k - 1) + " %n1\n";
    add(std::to_string(n) + " constants", code("OpStore %out0 %c" + std::to_string(n - 1) + "\n", deep));
  }
  // The first of two launches binds; what is open follows it.
  const std::string sizes =
      "%sx = OpSpecConstant %uint 4\n%sy = OpSpecConstant %uint 2\n%none = OpConstant %uint 0\n%size = "
      "OpSpecConstantComposite %v3 %A %B %C\n";
  const auto size_of = [&](const std::string& a, const std::string& b, const std::string& c) {
    std::string s = sizes;
    s.replace(s.find("%A"), 2, a);
    s.replace(s.find("%B"), 2, b);
    s.replace(s.find("%C"), 2, c);
    return s;
  };
  for (const char* config :
       {"", "; @Config: 8, 1, 1\n", "; @Config: 6, 1, 1\n", "; @Config: 1, 1, 1\n", "; @Config: 5, 1, 1\n"})
    for (const auto& [a, b, c] : std::vector<std::tuple<const char*, const char*, const char*>>{{"%sx", "%sy", "%n1"},
                                                                                                {"%n3", "%sx", "%sy"},
                                                                                                {"%n4", "%n2", "%n1"},
                                                                                                {"%n0", "%sx", "%n1"},
                                                                                                {"%sx", "%n5", "%n1"}})
      for (const char* input : {"", "; @Input: %sx = 3\n"})
        for (const bool mode : {false, true})
          add(std::string(config) + input + a + " " + b + " " + c + (mode ? " by mode" : ""),
              std::string(config) + input +
                  before(code("%l = OpCompositeExtract %uint %lid3 1\nOpStore %pout %local\nOpStore %out0 %l\n",
                              size_of(a, b, c)),
                         "OpDecorate %gids",
                         mode ? std::string("OpExecutionModeId %main LocalSizeId ") + a + " " + b + " " + c + "\n"
                              : std::string("OpDecorate %size BuiltIn WorkgroupSize\n")));
  add("a select of two widths",
      code("%v = OpLoad %uint %px\n%c = OpIEqual %bool %v %n0\n%s = OpSelect %uint %c %n1 %l1\nOpStore %out0 %s\n",
           k_long));
  add("a loop that is entered behind its header", code(R"(
OpBranchConditional %true %two %one
%one = OpLabel
OpStore %out1 %n1
OpBranch %two
%two = OpLabel
%l2 = OpLoad %uint %pz
%d = OpIEqual %bool %l2 %n0
OpBranchConditional %d %one %end
%end = OpLabel
)"));
  add("a loop that is entered by both sides", code(R"(
%v = OpLoad %uint %py
%c = OpIEqual %bool %v %n0
OpBranchConditional %c %two %one
%one = OpLabel
OpStore %out1 %n1
OpBranch %two
%two = OpLabel
%l2 = OpLoad %uint %pz
%d = OpIEqual %bool %l2 %n0
OpBranchConditional %d %one %end
%end = OpLabel
)"));
  golden::compare("lowered/edges-types.txt", out);
}

TEST(SpirvEdges, InputsOfEveryType) {
  std::string out;
  const std::string types =
      "%char = OpTypeInt 8 0\n%short = OpTypeInt 16 1\n%long = OpTypeInt 64 0\n%f32 = OpTypeFloat 32\n%pair = "
      "OpTypeStruct %uint "
      "%char\n%pairs = OpTypeArray %pair %n2\n%rows = OpTypeArray %four %n2\n";
  for (const auto& [type, values] : std::vector<std::pair<const char*, std::vector<const char*>>>{
           {"char", {"0", "255", "256", "-128", "-129", "{1}", "0x80"}},
           {"short", {"65535", "65536", "-32768", "-32769"}},
           {"uint", {"4294967295", "4294967296", "-2147483648", "-2147483649"}},
           {"long", {"18446744073709551615", "-9223372036854775808", "-1"}},
           {"bool", {"0", "1", "2", "-1", "{}"}},
           {"f32", {"0x3f800000", "1"}},
           {"four", {"{1, 2, 3, 4}", "{1, 2, 3}", "{1, 2, 3, 4, 5}", "7", "{1, 2, 3, {4}}", "{}"}},
           {"pair", {"{1, 2}", "{1}", "{1, 256}", "1"}},
           {"pairs", {"{{1, 2}, {3, 4}}", "{{1, 2}}", "{{1, 2}, 3}"}},
           {"rows", {"{{1, 2, 3, 4}, {5, 6, 7, 8}}", "{{1, 2, 3, 4}, 5}"}}}) {
    const std::string variable = types + "%pt = OpTypePointer Workgroup %" + type + "\n%w = OpVariable %pt Workgroup\n";
    const std::string use = std::string("%got = OpLoad %") + type + " %w\nOpStore %w %got\n";
    for (const char* value : values) {
      out += said_or_made(std::string(type) + " = " + value,
                          std::string("; @Input: %w = ") + value + "\n" + code(use, variable));
      if (value[0] != '{' && std::string(type).size() != 5 && type[0] != 'p')
        out +=
            said_or_made(std::string("constant ") + type + " = " + value,
                         std::string("; @Input: %s = ") + value + "\n" +
                             code("OpStore %w %s\n",
                                  variable + (type[0] == 'b' ? std::string("%s = OpSpecConstantFalse %bool\n")
                                                             : std::string("%s = OpSpecConstant %") + type + " 9\n")));
    }
  }
  for (const char* parts : {"%w[0] = 1", "%w[3] = 1", "%w[4] = 1", "%w[1] = 1, %w[2] = 2", "%w[0][0] = 1"})
    out += said_or_made(parts,
                        std::string("; @Input: ") + parts + "\n" +
                            code("%got = OpLoad %four %w\nOpStore %w %got\n", "%w = OpVariable %p_four Workgroup\n"));
  // Whether memory starts at 0 depends on who could have filled it.
  for (const bool zero : {false, true})
    for (const char* storage :
         {"Workgroup", "Private", "Function", "Output", "StorageBuffer", "Uniform", "UniformConstant", "PushConstant",
          "Image", "CrossWorkgroup", "PhysicalStorageBuffer", "Generic", "AtomicCounter", "Input"})
      for (const bool opencl : {false, true}) {
        spirv::LaunchOptions o;
        o.zero = zero;
        const std::string s = storage, variable = "%w = OpVariable %pt " + s + "\n";
        const std::string types2 = "%four9 = OpTypeArray %uint %n4\n%pt = OpTypePointer " + s +
                                   " %four9\n%pe = OpTypePointer " + s + " %uint\n";
        const std::string use = (s == "Function" ? variable : "") +
                                "%e = OpAccessChain %pe %w %local\n%f = OpAccessChain %pe %w %n1\n%g1 = "
                                "OpLoad %uint %e\n%g2 = OpLoad %uint %f\nOpStore %pout %g1\nOpStore %pout %g2\n";
        const std::string more = types2 + (s == "Function" ? "" : variable);
        out += said_or_made(
            (opencl ? "OpenCL " : "Vulkan ") + s + (zero ? " zero" : ""),
            opencl ? opencl_all("; @Config: 1, 1, 1\n", use, more) : vulkan_all("; @Config: 1, 1, 1\n", use, more), o);
      }
  // Initialisers.
  for (const char* value : {"%n7", "%c4", "%u", "%n0 ", "%null", "%px9"})
    for (const char* storage : {"Workgroup", "Private"})
      out += said_or_made(
          std::string("initial ") + value + " " + storage,
          code("%got = OpLoad %four %w\n%g = OpCompositeExtract %uint %got 2\nOpStore %out0 %g\n",
               "%c4 = OpConstantComposite %four %n1 %n2 %n3 %n4\n%u = OpUndef %four\n%null = OpConstantNull %four\n"
               "%pq = OpTypePointer " +
                   std::string(storage) + " %four\n%px9 = OpVariable %pq " + storage + "\n%w = OpVariable %pq " +
                   storage + " " + value + "\n"));
  // A constant that is read in other pieces than it was written.
  for (const char* how :
       {"%k = OpBitcast %pc %w\n%b = OpLoad %char %k\n%r = OpUConvert %uint %b\n",
        "%k = OpBitcast %pl %w\n%b = OpLoad %long %k\n%r = OpUConvert %uint %b\n",
        "%k = OpBitcast %pc %w\n%m = OpPtrAccessChain %pc %k %n4\n%q = OpBitcast %pu %m\n%r = OpLoad %uint %q\n",
        "%k = OpBitcast %pc %w\n%m = OpPtrAccessChain %pc %k %n3\n%q = OpBitcast %pu %m\n%r = OpLoad %uint %q\n"})
    for (const char* array : {"%n4 %n3 %n2 %n1", "%n4 %n3 %n2 %und"})
      out += said_or_made(
          std::string("pieces of ") + array + " by " + how,
          opencl_all("; @Config: 1, 1, 1\n", std::string(how) + "OpStore %pout %r\n",
                     "%char = OpTypeInt 8 0\n%long = OpTypeInt 64 0\n%four9 = OpTypeArray %uint %n4\n%und = OpUndef "
                     "%uint\n%c4 = OpConstantComposite %four9 " +
                         std::string(array) +
                         "\n%pq = OpTypePointer UniformConstant %four9\n%pu = OpTypePointer UniformConstant "
                         "%uint\n%pc = OpTypePointer UniformConstant %char\n%pl = OpTypePointer UniformConstant "
                         "%long\n%w = OpVariable %pq UniformConstant %c4\n"));
  // Bytes of a constant, read as words.
  out += said_or_made(
      "bytes as a word",
      opencl_all("; @Config: 1, 1, 1\n", "%k = OpBitcast %pu %w\n%r = OpLoad %uint %k\nOpStore %pout %r\n",
                 "%char = OpTypeInt 8 0\n%b1 = OpConstant %char 1\n%b2 = OpConstant %char 200\n%four9 = OpTypeArray "
                 "%char %n4\n%c4 = OpConstantComposite %four9 %b1 %b2 %b1 %b2\n%pq = OpTypePointer UniformConstant "
                 "%four9\n%pu = OpTypePointer UniformConstant %uint\n%w = OpVariable %pq UniformConstant %c4\n"));
  golden::compare("lowered/edges-inputs.txt", out);
}

// A constant array of numbers of each width, read as numbers of each width at each byte: where it can be read, it has
// the value that the bytes make, low end first.
TEST(SpirvEdges, ConstantsInOtherPieces) {
  const auto number = [](uint64_t n) { return std::to_string(n); };
  std::string out;
  for (const uint32_t written : {8u, 16u, 32u, 64u})
    for (const uint32_t count : {1u, 2u, 4u, 8u, 9u}) {
      const uint32_t size = written / 8 * count;
      std::string elements, constants;
      for (uint32_t k = 0; k < count; ++k) {
        uint64_t value = 0;
        for (uint32_t b = 0; b < written / 8; ++b) value |= uint64_t{k * (written / 8) + b + 17} << (8 * b);
        constants += "%b" + number(k) + " = OpConstant %i" + number(written) + " " + number(value) + "\n";
        elements += " %b" + number(k);
      }
      std::string types = "%n9 = OpConstant %uint 9\n%n8 = OpConstant %uint 8\n";
      for (const uint32_t w : {8u, 16u, 64u}) types += "%i" + number(w) + " = OpTypeInt " + number(w) + " 0\n";
      for (const uint32_t w : {8u, 16u, 32u, 64u})
        types += "%pu" + number(w) + " = OpTypePointer UniformConstant %" + (w == 32 ? "uint" : "i" + number(w)) + "\n";
      const std::string element = written == 32 ? "%uint" : "%i" + number(written);
      if (written == 32)
        for (size_t at = 0; (at = constants.find("%i32", at)) != std::string::npos;) constants.replace(at, 4, "%uint");
      types += constants + "%all9 = OpTypeArray " + element + " %n" + number(count) +
               "\n%c9 = OpConstantComposite %all9" + elements +
               "\n%pq = OpTypePointer UniformConstant %all9\n%w = OpVariable %pq UniformConstant %c9\n";
      for (const uint32_t wanted : {8u, 16u, 32u, 64u}) {
        std::string all;
        uint64_t held = 0;
        for (uint32_t at = 0; at <= size; ++at) {
          const std::string type = wanted == 32 ? "%uint" : "%i" + number(wanted);
          const bool within = at + wanted / 8 <= size;
          uint64_t value = 0;
          for (uint32_t b = 0; b < 4 && b < wanted / 8; ++b) value |= uint64_t{at + b + 17} << (8 * b);
          const std::string convert = wanted == 32 ? "%r = OpCopyObject %uint %g\n" : "%r = OpUConvert %uint %g\n";
          const std::string text =
              opencl_all("; @Config: 1, 1, 1\n; @Output: forall (%out[0] == " + number(value) + ")\n",
                         "%k = OpBitcast %pu8 %w\n%m = OpPtrAccessChain %pu8 %k %at\n%q = OpBitcast %pu" +
                             number(wanted) + " %m\n%g = OpLoad " + type + " %q\n" + convert + "OpStore %pout %r\n",
                         types + "%at = OpConstant %uint " + number(at) + "\n");
          const std::string what =
              number(count) + " of " + number(written) + " as " + number(wanted) + " at " + number(at);
          all += said_or_made(what, text);
          const auto t = spirv::parse_spirv(make_source("t", text));
          if (!t || !within) continue;
          EXPECT_EQ(verdict(*t, check::Property::condition, 1), Status::holds) << what << text;
          ++held;
        }
        out += number(count) + " of " + number(written) + " as " + number(wanted) + ": " + number(held) + " read, " +
               digest(all) + "\n";
      }
    }
  golden::compare("lowered/edges-constants.txt", out);
}

// What clspv notes of sizes: specialisation constants of the workgroup and of local buffers.
TEST(SpirvEdges, NotesOfClspv) {
  std::string out;
  for (const char* input : {"", "; @Input: %tile = {1, 2, 3}\n", "; @Input: %wx = 2\n", "; @Input: %len = 5\n"})
    for (const char* config : {"; @Config: 2, 2, 1\n", "; @Config: 16, 1, 1\n"})
      for (const char* notes : {"", "%s = OpExtInst %void %clspv SpecConstantWorkgroupSize %n0 %n1 %n2\n",
                                "%a = OpExtInst %void %clspv ArgumentWorkgroup %n1 %n0 %n3 %n4\n",
                                "%s = OpExtInst %void %clspv SpecConstantWorkgroupSize %n0 %n1 %n2\n%a = OpExtInst "
                                "%void %clspv ArgumentWorkgroup %n1 "
                                "%n0 %n3 %n4\n"}) {
        std::string t =
            std::string(config) + input +
            vulkan_all(
                "",
                "%e = OpAccessChain %pw %tile %n1\nOpStore %e %len\n%l2 = OpCompositeExtract %uint %lid3 1\nOpStore "
                "%out0 %wx\nOpStore %out1 %wy\nOpStore %out2 %l2\n",
                "%wx = OpSpecConstant %uint 7\n%wy = OpSpecConstant %uint 1\n%wz = OpSpecConstant %uint 1\n%size = "
                "OpSpecConstantComposite %v3 %wx %wy %wz\n%len = OpSpecConstant %uint 3\n%tiles = OpTypeArray "
                "%uint %len\n%p_tiles = OpTypePointer Workgroup %tiles\n%tile = OpVariable %p_tiles Workgroup\n") +
            notes;
        t = before(
            t, "OpMemoryModel",
            "OpExtension \"SPV_KHR_non_semantic_info\"\n%clspv = OpExtInstImport \"NonSemantic.ClspvReflection.5\"\n");
        t = before(t, "OpDecorate %gids",
                   "OpDecorate %size BuiltIn WorkgroupSize\nOpDecorate %wx SpecId 0\nOpDecorate %wy SpecId 1\n"
                   "OpDecorate %wz SpecId 2\nOpDecorate %len SpecId 3\n");
        out += said_or_made(std::string(config) + input + notes, t);
      }
  for (const char* note :
       {"GlobalOffset %n0 %n12", "GlobalSize %n0 %n12", "EnqueuedLocalSize %n0 %n12", "NumWorkgroups %n0 %n12",
        "RegionOffset %n0 %n12", "RegionGroupOffset %n0 %n12", "GlobalSize %n4 %n8", "GlobalSize %n4 %n12",
        "GlobalSize %n0 %n16", "GlobalSize %n8 %n12", "GlobalSize %n0"}) {
    std::string t =
        vulkan_all("; @Config: 2, 2, 3\n", R"(
%a = OpAccessChain %ppush %push %n0
%b = OpAccessChain %ppush %push %n1
%c = OpAccessChain %ppush %push %n2
%d = OpAccessChain %ppush %push %n3
%va = OpLoad %uint %a
%vb = OpLoad %uint %b
%vc = OpLoad %uint %c
%vd = OpLoad %uint %d
OpStore %out0 %va
OpStore %out1 %vb
OpStore %out2 %vc
OpStore %out3 %vd
)",
                   "%pushes = OpTypeStruct %uint %uint %uint %uint\n%p_pushes = OpTypePointer PushConstant %pushes\n"
                   "%ppush = OpTypePointer PushConstant %uint\n%push = OpVariable %p_pushes PushConstant\n"
                   "%n12 = OpConstant %uint 12\n%n16 = OpConstant %uint 16\n") +
        "%note = OpExtInst %void %clspv PushConstant" + note + "\n";
    t = before(
        t, "OpMemoryModel",
        "OpExtension \"SPV_KHR_non_semantic_info\"\n%clspv = OpExtInstImport \"NonSemantic.ClspvReflection.5\"\n");
    out += said_or_made(note, t);
  }
  golden::compare("lowered/edges-clspv.txt", out);
}

TEST(SpirvEdges, ModulesAsAWhole) {
  std::string out;
  const std::string plain = code("OpStore %pout %n1\n");
  const std::string second = "OpEntryPoint GLCompute %main \"other\" %gids %lids\nOpDecorate %gids BuiltIn";
  std::string two = plain;
  two.replace(two.find("OpDecorate %gids BuiltIn"), 24, second);
  for (const char* entry : {"", "main", "other", "othr", "nothing"}) {
    spirv::LaunchOptions o;
    o.entry = entry;
    out += said_or_made(std::string("of two, '") + entry + "'", two, o);
    out += said_or_made(std::string("of one, '") + entry + "'", plain, o);
  }
  for (const char* input : {"%nobody = 1", "%uint = 1", "%main = 1", "%x9 = 1", "%n1 = 1"})
    for (const bool published : {false, true}) {
      spirv::LaunchOptions o;
      o.published = published;
      out += said_or_made(std::string(input) + (published ? " published" : ""),
                          std::string("; @Input: ") + input + "\n" + plain, o);
    }
  for (const char* decorations :
       {"OpDecorate %x Binding 1\nOpDecorate %y Binding 1\n", "OpDecorate %x Binding 1\nOpDecorate %y Binding 2\n",
        "OpDecorate %x Binding 1\nOpDecorate %x DescriptorSet 1\nOpDecorate %y Binding 1\n",
        "OpDecorate %x Binding 1\nOpDecorate %x DescriptorSet 0\nOpDecorate %y Binding 1\n",
        "OpDecorate %x DescriptorSet 1\nOpDecorate %y DescriptorSet 1\n"})
    out +=
        said_or_made(decorations, before(code("OpStore %px %n1\nOpStore %py %n1\n"), "OpDecorate %gids", decorations));
  for (const char* set :
       {"GLSL.std.450", "OpenCL.std", "NonSemantic.ClspvReflection.5", "NonSemantic.Shader.DebugInfo.100",
        "NonSemantic.DebugPrintf", "OpenCL.DebugInfo.100", "DebugInfo", "SPV_AMD_gcn_shader"})
    out += said_or_made(
        set,
        before(plain, "OpMemoryModel",
               std::string("OpExtension \"SPV_KHR_non_semantic_info\"\n%set = OpExtInstImport \"") + set + "\"\n"));
  for (const char* model : {"Logical Vulkan", "Physical32 OpenCL", "Physical64 OpenCL", "Logical GLSL450",
                            "Logical Simple", "PhysicalStorageBuffer64 Vulkan"}) {
    std::string t = plain;
    t.replace(t.find("Logical Vulkan"), 14, model);
    out += said_or_made(model, t);
  }
  for (const char* model : {"GLCompute", "Kernel", "Fragment", "TaskEXT"}) {
    std::string t = plain;
    t.replace(t.find("GLCompute"), 9, model);
    out += said_or_made(model, t);
  }
  golden::compare("lowered/edges-modules.txt", out);
}

TEST(SpirvEdges, KnownByContent) {
  std::string out;
  for (const std::string& text : {std::string("\x07\x23\x02\x03", 4),
                                  std::string("\x03\x02\x23\x07more", 8),
                                  std::string("\x03\x02\x23", 3),
                                  std::string("\xef\xbb\xbf; SPIR-V\n"),
                                  std::string("\xef\xbb; SPIR-V\n"),
                                  std::string(";SPIR-V"),
                                  std::string(";   @Input: x"),
                                  std::string(";@Output"),
                                  std::string("; @Filter"),
                                  std::string("; @Config"),
                                  std::string("; @Else\n"),
                                  std::string("; a\n; b\n"),
                                  std::string("; a\n\r\t OpMemoryModel"),
                                  std::string("OpCapability"),
                                  std::string("OpName"),
                                  std::string("%x = OpTypeVoid\n"),
                                  std::string("%x = 3\n"),
                                  std::string("%x = 3\n%y = OpTypeVoid\n"),
                                  std::string(" \n"),
                                  std::string("; no end"),
                                  std::string("x; SPIR-V")}) {
    std::string shown = text;
    for (char& c : shown)
      if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~') c = '?';
    out += shown + ": " + (spirv::is_spirv(text) ? "yes\n" : "no\n");
  }
  golden::compare("lowered/edges-known.txt", out);
}

}  // namespace
}  // namespace spirv_test
