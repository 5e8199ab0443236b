// Modules that go through a construct systematically: every operation on the edges of its operands, every order in
// every class, every access operand, ids of every launch. What each becomes is in tests/golden/lowered, a line for a
// module.
#include <algorithm>

#include "golden.h"
#include "spirv_support.h"

namespace spirv_test {
namespace {

// The first line of what is said of a module, or what `show` makes of the test.
template <class F>
std::string outcome(const std::string& text, F&& show, const spirv::LaunchOptions& launch = {}) {
  const auto t = spirv::parse_spirv(make_source("t", text), launch);
  if (t) return show(*t);
  const std::string said = render(t.error());
  return said.substr(0, said.find('\n'));
}
std::string hex(uint64_t n) {
  char out[32];
  std::snprintf(out, sizeof out, "%#llx", static_cast<unsigned long long>(n));
  return out;
}

// ---- operations --------------------------------------------------------------------------------------------------

std::string integer(uint32_t bits, const std::vector<uint64_t>& values) {
  std::string out =
      bits == 32 ? std::string("%t = OpTypeInt 32 1\n") : "%t = OpTypeInt " + std::to_string(bits) + " 0\n";
  for (size_t k = 0; k < values.size(); ++k)
    out += "%k" + std::to_string(k) + " = OpConstant %t " +
           (bits == 32 ? std::to_string(static_cast<int32_t>(values[k])) : std::to_string(values[k])) + "\n";
  return out;
}

// Code that stores %r0, %r1, ... of type %t into a workgroup array.
std::string stores(size_t n) {
  std::string out;
  for (size_t k = 0; k < n; ++k)
    out += "%q" + std::to_string(k) + " = OpAccessChain %pt %tv %i" + std::to_string(k) + "\nOpStore %q" +
           std::to_string(k) + " %r" + std::to_string(k) + "\n";
  return out;
}
std::string array_of_t(size_t n) {
  std::string out = "%tt = OpTypeStruct %t %t\n%len = OpConstant %uint " + std::to_string(n) +
                    "\n%ta = OpTypeArray %t %len\n%pta = OpTypePointer Workgroup %ta\n%pt = OpTypePointer Workgroup "
                    "%t\n%tv = OpVariable %pta Workgroup\n";
  for (size_t k = 0; k < n; ++k) out += "%i" + std::to_string(k) + " = OpConstant %uint " + std::to_string(k) + "\n";
  return out;
}

// The values that the code stores, in order; of what is no constant the term.
std::string stored(const prog::Test& t) {
  std::string out;
  for (const prog::Instr& i : t.instrs(0)) {
    if (i.kind != prog::Kind::store) continue;
    out += i.value.is_const() ? " " + std::to_string(term::to_signed(i.value.value(), i.value.width()))
                              : " " + term::to_string(i.value, [](uint64_t v) { return "r" + std::to_string(v); });
  }
  return out;
}

std::vector<uint64_t> edges(uint32_t bits) {
  const uint64_t all = term::mask(static_cast<uint8_t>(bits)), least = uint64_t{1} << (bits - 1);
  return {0, 1, 2, 5, bits - 1, bits, least - 1, least, least + 1, all - 1, all};
}

const std::vector<std::string> k_binary = {"OpIAdd",
                                           "OpISub",
                                           "OpIMul",
                                           "OpUDiv",
                                           "OpSDiv",
                                           "OpUMod",
                                           "OpSRem",
                                           "OpSMod",
                                           "OpShiftLeftLogical",
                                           "OpShiftRightLogical",
                                           "OpShiftRightArithmetic",
                                           "OpBitwiseAnd",
                                           "OpBitwiseOr",
                                           "OpBitwiseXor"};
const std::vector<std::string> k_compare = {
    "OpIEqual",       "OpINotEqual",         "OpULessThan", "OpULessThanEqual", "OpUGreaterThan",
    "OpSGreaterThan", "OpUGreaterThanEqual", "OpSLessThan", "OpSLessThanEqual", "OpSGreaterThanEqual"};
const std::vector<std::string> k_unary = {"OpSNegate", "OpNot", "OpBitCount", "OpBitReverse"};

TEST(SpirvSweep, OperationsOnConstants) {
  std::string out;
  const auto table = [&](const std::string& what, uint32_t bits, const std::vector<std::string>& code) {
    std::string all;
    for (size_t k = 0; k < code.size(); ++k) all += code[k];
    out += what + " " + std::to_string(bits) + ":" +
           outcome(vulkan_all("", all + stores(code.size()), integer(bits, edges(bits)) + array_of_t(code.size())),
                   stored) +
           "\n";
  };
  for (const uint32_t bits : {8u, 32u, 64u}) {
    const size_t n = edges(bits).size();
    const auto pairs = [&](auto&& one) {
      std::vector<std::string> code;
      for (size_t a = 0; a < n; ++a)
        for (size_t b = 0; b < n; ++b)
          code.push_back(one(std::to_string(code.size()), "%k" + std::to_string(a), "%k" + std::to_string(b)));
      return code;
    };
    for (const std::string& op : k_binary)
      table(op, bits, pairs([&](const std::string& r, const std::string& a, const std::string& b) {
              return "%r" + r + " = " + op + " %t " + a + " " + b + "\n";
            }));
    for (const std::string& op : k_compare)
      table(op, bits, pairs([&](const std::string& r, const std::string& a, const std::string& b) {
              return "%c" + r + " = " + op + " %bool " + a + " " + b + "\n%r" + r + " = OpSelect %t %c" + r +
                     " %k1 %k0\n";
            }));
    for (const std::string& op : k_unary) {
      std::vector<std::string> code;
      for (size_t a = 0; a < n; ++a)
        code.push_back("%r" + std::to_string(a) + " = " + op + " %t %k" + std::to_string(a) + "\n");
      table(op, bits, code);
    }
    if (bits > 32) continue;
    for (const char* op : {"OpIAddCarry", "OpISubBorrow", "OpUMulExtended", "OpSMulExtended"})
      for (const char* part : {"0", "1"})
        table(std::string(op) + "." + part, bits,
              pairs([&](const std::string& r, const std::string& a, const std::string& b) {
                return "%c" + r + " = " + op + " %tt " + a + " " + b + "\n%r" + r + " = OpCompositeExtract %t %c" + r +
                       " " + part + "\n";
              }));
  }
  golden::compare("lowered/operations.txt", out);
}

// Instructions of an extended set, on constants and on a register.
TEST(SpirvSweep, ExtendedInstructions) {
  struct Set {
    const char* import;
    bool opencl;
    std::vector<std::pair<const char*, size_t>> instructions;
  };
  const std::vector<Set> sets = {
      {"GLSL.std.450",
       false,
       {{"UMin", 2},
        {"UMax", 2},
        {"SMin", 2},
        {"SMax", 2},
        {"SAbs", 1},
        {"SSign", 1},
        {"UClamp", 3},
        {"SClamp", 3},
        {"FindILsb", 1},
        {"FindUMsb", 1},
        {"FindSMsb", 1}}},
      {"OpenCL.std", true, {{"s_min", 2},     {"s_max", 2},     {"u_min", 2},     {"u_max", 2},      {"s_abs", 1},
                            {"s_clamp", 3},   {"u_clamp", 3},   {"s_add_sat", 2}, {"u_add_sat", 2},  {"s_sub_sat", 2},
                            {"u_sub_sat", 2}, {"popcount", 1},  {"s_mad24", 3},   {"u_mad24", 3},    {"s_mul24", 2},
                            {"u_mul24", 2},   {"s_mul_hi", 2},  {"u_mul_hi", 2},  {"s_abs_diff", 2}, {"u_abs_diff", 2},
                            {"s_mad_hi", 3},  {"u_mad_hi", 3},  {"s_hadd", 2},    {"u_hadd", 2},     {"s_rhadd", 2},
                            {"u_rhadd", 2},   {"s_mad_sat", 3}, {"u_abs", 1},     {"rotate", 2},     {"clz", 1},
                            {"ctz", 1},       {"bitselect", 3}, {"select", 3}}}};
  std::string out;
  for (const Set& s : sets)
    for (const auto& [name, operands] : s.instructions)
      for (const uint32_t bits : {8u, 32u, 64u}) {
        if (bits == 8 && !s.opencl) continue;
        const size_t n = edges(bits).size();
        std::string code;
        size_t r = 0;
        const auto one = [&](const std::string& arguments) {
          code += "%r" + std::to_string(r++) + " = OpExtInst %t %set " + name + arguments + "\n";
        };
        const auto k = [](size_t a) { return " %k" + std::to_string(a); };
        for (size_t a = 0; a < n; ++a) {
          if (operands == 1) one(k(a));
          for (size_t b = 0; b < n && operands > 1; ++b) {
            if (operands == 2) one(k(a) + k(b));
            if (operands == 3 && (a + b) % 3 == 0) one(k(a) + k(b) + k((2 * a + b) % n)), one(k(b) + k(2) + k(6));
          }
        }
        const std::string types = integer(bits, edges(bits)) + array_of_t(r);
        std::string text = s.opencl ? opencl_all("", code + stores(r), types) : vulkan_all("", code + stores(r), types);
        text.insert(text.find("OpMemoryModel"), std::string("%set = OpExtInstImport \"") + s.import + "\"\n");
        out += std::string(name) + " " + std::to_string(bits) + ":" + outcome(text, stored) + "\n";
      }
  golden::compare("lowered/extended.txt", out);
}

// The same on a register, as terms; and what is known of a divisor or a shift from the way it was made.
TEST(SpirvSweep, OperationsOnRegisters) {
  std::vector<std::pair<std::string, std::string>> all;  // code that defines %r0
  for (const std::string& op : k_binary)
    for (const char* operands : {"%a %b", "%a %n5", "%n5 %a"})
      all.push_back({op + operands, "%r0 = " + op + " %uint " + operands + "\n"});
  for (const std::string& op : k_compare)
    all.push_back({op, "%c = " + op + " %bool %a %b\n%r0 = OpSelect %uint %c %n7 %n8\n"});
  for (const std::string& op : k_unary) all.push_back({op, "%r0 = " + op + " %uint %a\n"});
  const std::vector<std::string> bounded = {
      "%s = OpBitwiseAnd %uint %a %n31\n",
      "%s = OpBitwiseAnd %uint %n31 %a\n",
      "%s = OpBitwiseAnd %uint %a %n32\n",
      "%s = OpUMod %uint %a %n32\n",
      "%s = OpUMod %uint %a %n33\n",
      "%s = OpUMod %uint %a %b\n",
      "%s = OpShiftRightLogical %uint %a %n27\n",
      "%s = OpShiftRightLogical %uint %a %n26\n",
      "%m = OpBitwiseAnd %uint %a %n31\n%s = OpShiftRightLogical %uint %m %b\n",
      "%m = OpUConvert %char %a\n%k = OpBitwiseAnd %char %m %c31\n%s = OpUConvert %uint %k\n",
      "%m = OpUConvert %char %a\n%s = OpUConvert %uint %m\n",
      "%m = OpUConvert %char %a\n%k = OpBitwiseAnd %char %m %c31\n%s = OpSConvert %uint %k\n",
      "%c = OpIEqual %bool %a %b\n%s = OpSelect %uint %c %n31 %n7\n",
      "%c = OpIEqual %bool %a %b\n%s = OpSelect %uint %c %n32 %n7\n",
      "%c = OpIEqual %bool %a %b\n%s = OpSelect %uint %c %n7 %n32\n",
      "%m = OpBitwiseAnd %uint %a %n15\n%k = OpBitwiseAnd %uint %b %n16\n%s = OpIAdd %uint %m %k\n",
      "%m = OpBitwiseAnd %uint %a %n16\n%k = OpBitwiseAnd %uint %b %n16\n%s = OpIAdd %uint %m %k\n",
      "%m = OpBitwiseOr %uint %a %n1\n%s = OpIAdd %uint %m %n0\n",
      "%m = OpBitwiseAnd %uint %a %n31\n%s = OpIAdd %uint %m %n1\n",
      "%s = OpIAdd %uint %a %n1\n",
      "%s = OpBitwiseOr %uint %n1 %a\n",
      "%s = OpBitwiseOr %uint %a %b\n",
      "%c = OpIEqual %bool %a %b\n%s = OpSelect %uint %c %a %n7\n",
      "%c = OpIEqual %bool %a %b\n%s = OpSelect %uint %c %n7 %a\n",
      "%c = OpIEqual %bool %a %b\n%s = OpSelect %uint %c %n0 %n7\n",
      "%m = OpUConvert %char %a\n%k = OpBitwiseOr %char %m %c31\n%s = OpSConvert %uint %k\n",
      "%m = OpBitwiseAnd %uint %a %least1\n%s = OpIAdd %uint %m %least1\n",
      "%m = OpBitwiseAnd %uint %a %least1\n%s = OpIAdd %uint %m %least2\n",
      "%s = OpBitwiseAnd %uint %a %least1\n",
      "%s = OpBitwiseAnd %uint %a %least2\n",
      "%s = OpExtInst %uint %set UMin %a %n31\n",
      "%s = OpExtInst %uint %set UMin %n32 %a\n"};
  for (const std::string& how : bounded)
    for (const char* use :
         {"OpShiftLeftLogical %uint %n5 %s", "OpUDiv %uint %a %s", "OpSDiv %uint %a %s", "OpSDiv %uint %s %n_1",
          "OpSRem %uint %s %b", "OpUMod %uint %n9 %s", "OpBitFieldUExtract %uint %a %s %n1",
          "OpBitFieldSExtract %uint %a %n1 %s", "OpBitFieldInsert %uint %a %b %s %n0"})
      all.push_back({how + use, how + "%r0 = " + use + "\n"});
  for (size_t depth : {7u, 8u, 9u}) {
    std::string how = "%s0 = OpBitwiseAnd %uint %a %n31\n", nonzero = "%z0 = OpBitwiseOr %uint %a %n1\n";
    for (size_t k = 1; k <= depth; ++k) {
      const std::string s = std::to_string(k), p = std::to_string(k - 1);
      how += "%c" + s + " = OpIEqual %bool %a %n" + s + "\n%s" + s + " = OpSelect %uint %c" + s + " %s" + p + " %n3\n";
      nonzero += "%s" + s + " = OpBitwiseOr %uint %b %z" + p + "\n%z" + s + " = OpBitwiseOr %uint %s" + s + " %b\n";
    }
    const std::string last = std::to_string(depth);
    all.push_back({"deep " + last, how + "%r0 = OpShiftLeftLogical %uint %n5 %s" + last + "\n"});
    all.push_back({"deep division " + last, nonzero + "%r0 = OpUDiv %uint %n5 %z" + last + "\n"});
  }
  std::string more =
      "%char = OpTypeInt 8 0\n%c31 = OpConstant %char 31\n%n15 = OpConstant %uint 15\n%n_1 = OpConstant "
      "%uint 0xffffffff\n%least1 = OpConstant %uint 0x7fffffff\n%least2 = OpConstant %uint 0x80000000\n";
  for (const char* n : {"16", "26", "27", "31", "32", "33"})
    more += std::string("%n") + n + " = OpConstant %uint " + n + "\n";
  std::string out;
  for (const auto& [what, code] : all) {
    std::string text =
        vulkan_all("",
                   "%a = OpAtomicLoad %uint %px %dv %relaxed\n%b = OpAtomicLoad %uint %py %dv %relaxed\n" + code +
                       "OpStore %out0 %r0\n",
                   more);
    text.insert(text.find("OpMemoryModel"), "%set = OpExtInstImport \"GLSL.std.450\"\n");
    std::string title = what;
    std::replace(title.begin(), title.end(), '\n', ';');
    out +=
        title + ":" +
        outcome(text, [](const prog::Test& t) { return stored(t) + " (" + std::to_string(t.instrs(0).size()) + ")"; }) +
        "\n";
  }
  golden::compare("lowered/terms.txt", out);
}

// ---- orders, scopes, operands ------------------------------------------------------------------------------------

std::string tags_of(const prog::Test& t) {
  std::string out;
  for (const prog::Instr& i : t.instrs(0)) {
    if (i.kind == prog::Kind::local) continue;
    out += " {" + to_string(i.tags) + "}";
    if (!i.store_tags.empty()) out += " {" + to_string(i.store_tags) + "}";
    if (i.failed_tags) out += " {" + to_string(*i.failed_tags) + "}";
    if (i.kind == prog::Kind::barrier) out += " " + std::to_string(i.barrier.level);
  }
  return out;
}

TEST(SpirvSweep, OrdersAndScopes) {
  std::string out;
  const auto row = [&](const std::string& what, const std::string& code, const std::string& constants, bool opencl) {
    const std::string text = opencl ? opencl_all("", code, constants) : vulkan_all("", code, constants);
    out += (opencl ? "OpenCL " : "Vulkan ") + what + ":" + outcome(text, tags_of) + "\n";
  };
  std::vector<uint32_t> masks;
  for (const uint32_t order : {0u, 2u, 4u, 8u, 16u, 6u})
    for (const uint32_t area : {0u, 0x40u, 0x80u, 0x100u, 0x200u, 0x400u, 0x800u, 0x1000u, 0x1940u, 0x300u})
      masks.push_back(order | area);
  for (const uint32_t order : {0u, 2u, 4u, 8u})
    for (const uint32_t more : {0x2000u, 0x4000u, 0x6000u, 0x8000u, 0x10000u, 1u, 0x20u})
      masks.push_back(order | more | 0x40);
  for (const bool opencl : {false, true}) {
    const std::string x = opencl ? "%x" : "%px";
    for (const uint32_t m : masks) {
      const std::string constant = "%m = OpConstant %uint " + std::to_string(m) + "\n";
      row(hex(m) + " load", "%a = OpAtomicLoad %uint " + x + " %dv %m\n", constant, opencl);
      row(hex(m) + " store", "OpAtomicStore " + x + " %dv %m %n1\n", constant, opencl);
      row(hex(m) + " add", "%a = OpAtomicIAdd %uint " + x + " %wg %m %n1\n", constant, opencl);
      row(hex(m) + " exchange", "%a = OpAtomicCompareExchange %uint " + x + " %dv %both %m %n1 %n2\n", constant,
          opencl);
      row(hex(m) + " fence", "OpMemoryBarrier %dv %m\n", constant, opencl);
      row(hex(m) + " barrier", "OpControlBarrier %wg %wg %m\n", constant, opencl);
    }
    for (uint32_t s = 0; s <= 7; ++s) {
      const std::string constant = "%s = OpConstant %uint " + std::to_string(s) + "\n";
      row("scope " + std::to_string(s) + " load", "%a = OpAtomicLoad %uint " + x + " %s %relaxed\n", constant, opencl);
      row("scope " + std::to_string(s) + " fence", "OpMemoryBarrier %s %both\n", constant, opencl);
      row("scope " + std::to_string(s) + " barrier", "OpControlBarrier %s %wg %both\n", constant, opencl);
    }
    for (uint32_t mask = 0; mask < 0x40; ++mask) {
      std::string operands;
      const std::vector<const char*> names = {
          "Volatile", "Aligned", "Nontemporal", "MakePointerAvailable", "MakePointerVisible", "NonPrivatePointer"};
      for (size_t k = 0; k < names.size(); ++k)
        if ((mask >> k & 1) != 0) operands += (operands.empty() ? "" : "|") + std::string(names[k]);
      if (operands.empty()) operands = "None";
      if ((mask & 2) != 0) operands += " 4";
      if ((mask & 8) != 0) operands += " %dv";
      if ((mask & 16) != 0) operands += " %wg";
      row(operands + " load", "%a = OpLoad %uint " + x + " " + operands + "\n", "", opencl);
      row(operands + " store", "OpStore " + x + " %n1 " + operands + "\n", "", opencl);
      const std::string y = opencl ? "%y" : "%py";
      row(operands + " copy", "OpCopyMemory " + y + " " + x + " " + operands + "\n", "", opencl);
      if (mask % 5 == 0) {
        row(operands + " two", "OpCopyMemory " + y + " " + x + " " + operands + " Aligned 8\n", "", opencl);
        row(operands + " two, turned", "OpCopyMemory " + y + " " + x + " None " + operands + "\n", "", opencl);
      }
    }
  }
  golden::compare("lowered/tags.txt", out);
}

// ---- built-in values ---------------------------------------------------------------------------------------------

TEST(SpirvSweep, BuiltInValues) {
  const std::vector<std::pair<const char*, const char*>> all = {{"NumWorkgroups", "v3"},
                                                                {"WorkgroupSize", "v3"},
                                                                {"WorkgroupId", "v3"},
                                                                {"LocalInvocationId", "v3"},
                                                                {"GlobalInvocationId", "v3"},
                                                                {"LocalInvocationIndex", "uint"},
                                                                {"GlobalSize", "v3"},
                                                                {"GlobalOffset", "v3"},
                                                                {"EnqueuedWorkgroupSize", "v3"},
                                                                {"WorkDim", "uint"},
                                                                {"GlobalLinearId", "uint"},
                                                                {"SubgroupSize", "uint"},
                                                                {"SubgroupMaxSize", "uint"},
                                                                {"NumSubgroups", "uint"},
                                                                {"NumEnqueuedSubgroups", "uint"},
                                                                {"SubgroupId", "uint"},
                                                                {"SubgroupLocalInvocationId", "uint"},
                                                                {"DeviceIndex", "uint"},
                                                                {"NumWorkgroups", "uint"},
                                                                {"WorkDim", "v3"},
                                                                {"WorkgroupId", "v2"},
                                                                {"LocalInvocationIndex", "bool"},
                                                                {"Position", "uint"},
                                                                {"GlobalInvocationId", "f3"},
                                                                {"SubgroupId", "char"}};
  const std::vector<std::pair<const char*, const char*>> launches = {
      {"2.2.3.2.2", ""},
      {"6.2.2x2x2", "OpExecutionMode %main LocalSize 3 2 2\n"},
      {"2.1.2x3.2", "OpExecutionMode %main LocalSize 1 2 1\n"},
      {"2.1.1x1x2.2", ""},
      {"300.1.1", ""}};
  std::string out;
  for (const bool opencl : {false, true})
    for (const auto& [grid, mode] : launches)
      for (const auto& [built_in, type] : all) {
        const std::string types =
            std::string("%f32 = OpTypeFloat 32\n%f3 = OpTypeVector %f32 3\n%char = OpTypeInt 8 0\n") +
            (opencl ? "%v2 = OpTypeVector %uint 2\n" : "") + "%pin = OpTypePointer Input %" + type +
            "\n%in = OpVariable %pin Input\n%pout9 = OpTypePointer Workgroup %" + type +
            "\n%to = OpVariable %pout9 Workgroup\n";
        const std::string code = std::string("%v = OpLoad %") + type + " %in\nOpStore %to %v\n";
        std::string text = opencl ? opencl_all("", code, types) : vulkan_all("", code, types);
        text.insert(text.find("OpDecorate %gids"), std::string(mode) + "OpDecorate %in BuiltIn " + built_in + "\n");
        spirv::LaunchOptions launch;
        launch.grid = *spirv::parse_grid(grid);
        out += (opencl ? "OpenCL " : "Vulkan ") + std::string(grid) + " " + built_in + " " + type + ":" +
               outcome(
                   text,
                   [](const prog::Test& t) {
                     std::string values;
                     for (const prog::Thread& th : t.threads) {
                       if (th.id % 5 != 0 && th.id + 1 != t.threads.size()) continue;
                       values += " |";
                       for (const prog::Instr& i : t.instrs(th.id))
                         if (i.kind == prog::Kind::store && i.value.is_const())
                           values += " " + std::to_string(i.value.value());
                       if (th.id > 12 && th.id + 1 != t.threads.size()) continue;
                       for (const uint32_t s : th.scope)
                         values += (values.back() == '|' ? " in " : ",") + std::to_string(s);
                     }
                     return values;
                   },
                   launch) +
               "\n";
      }
  golden::compare("lowered/built-in.txt", out);
}

}  // namespace
}  // namespace spirv_test
