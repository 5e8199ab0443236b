// Names and types that a kernel's debug information gives, from a module that is kept
// (tests/golden/lowered/kernel.spvasm, made by clang 15 and llvm-spirv 15 of kernel.cl beside it), so that the tools
// need not be there; and how texts and statements are told apart. Word for word: tests/golden/lowered/names.txt,
// texts.txt.
#include <fstream>
#include <sstream>

#include "golden.h"
#include "mutants.h"
#include "shader/assembly.h"
#include "shader/glsl.h"
#include "shader/opencl_c.h"
#include "spirv_support.h"

namespace fencepost::shader {
namespace {

std::string file(const char* name) {
  std::ifstream in(std::string(FENCEPOST_SOURCE_DIR "/tests/golden/lowered/") + name, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

std::string shown(const spirv::SourceType& t) {
  if (t.is_list) return "list of " + shown(t.parts.front());
  std::string out = (t.is_unsigned ? "u" : "i") + std::to_string(t.bits);
  if (t.parts.empty()) return out;
  out = "{";
  for (const auto& p : t.parts) out += std::to_string(p.offset) + ": " + shown(p) + "; ";
  return out + "}";
}
std::string shown(const spirv::Compiled& c) {
  std::string out;
  for (const auto& [name, v] : c.variables) {
    out += name + " = " + v.id;
    for (const uint64_t k : v.path) out += "." + std::to_string(k);
    out += "\n";
  }
  for (const auto& name : c.own) out += "own " + name + "\n";
  for (const auto& [id, t] : c.types) out += id + ": " + shown(t) + "\n";
  return out;
}

TEST(Names, OfAKernel) {
  std::string out;
  spirv::Compiled c;
  c.source = make_source("kernel.cl", file("kernel.cl"));
  c.module = file("kernel.spvasm");
  c.file = "k.cl";
  for (const char* entry : {"", "go", "stop", "nobody"}) {
    opencl_c::name_entry(c, entry);
    out += std::string("## ") + entry + "\n" + shown(c);
  }
  // Questions and inputs count members as the text does.
  opencl_c::name_entry(c, "go");
  for (const char* headers : {"// @Input: n = 3, p[0] = {{1, {2, 3}}, 4, 5}, by = {7, {8, 9}}",
                              "// @Input: p = {{{1, {2, 3}}, 4, 5}}",
                              "// @Input: p = {{{1, {2, 3}}, 4}}",
                              "// @Input: p = {{{1, {2, 3}}, 4, 5, 6}}",
                              "// @Input: p = {{1, 4, 5}}",
                              "// @Input: un = {{1, 2}}",
                              "// @Input: un[0][0] = 1",
                              "// @Input: un[0][1] = 4294967295",
                              "// @Input: un[0][2] = 1",
                              "// @Input: p[0][1] = 9\n// @Input: p[0][0][1][1] = 4",
                              "// @Input: vec = {1, 2, 3, 4}",
                              "// @Input: vec = 1",
                              "// @Input: flags = {1, 0, 2}",
                              "// @Input: q = {0, 1}",
                              "// @Output: forall (p[0][2] == 4294967295)",
                              "// @Output: forall (p[0][0][0] < 200)",
                              "// @Output: forall (p[0][0][1][1] < -1)",
                              "// @Output: forall (p[0][1] > 5)",
                              "// @Output: forall (p[0][3] == 1)",
                              "// @Output: forall (p[0][0][1][2] == 1)",
                              "// @Output: forall (p[0] == 1)",
                              "// @Output: exists (un[0][0] == -1)",
                              "// @Output: exists (un[0][1] == -1)",
                              "// @Output: exists (flags[0] == 1)",
                              "// @Output: exists (q[0] > 3000000000)",
                              "// @Output: exists (tile[1][2] == 3000000000)",
                              "// @Output: exists (table[3] < 4000000000)",
                              "// @Output: exists (mine == 1)",
                              "// @Output: exists (mine2 == 1)",
                              "// @Output: exists (here == 1)",
                              "// @Output: exists (n == 1)",
                              "// @Input: table = {1, 2, 3, 4}"}) {
    c.source = make_source("kernel.cl", file("kernel.cl") + headers + "\n");
    spirv::LaunchOptions o;
    o.entry = "go";
    o.zero = true;
    const auto t = spirv::parse_compiled(c, o);
    out += std::string("## ") + headers + "\n" + (t ? spirv_test::summary(*t) + "\n" : render(t.error()));
  }
  golden::compare("lowered/names.txt", out);
}

// The debug information with small changes.
TEST(Names, OfMutants) {
  const std::string headers =
      "// @Config: 1, 1, 2\n// @Input: n = 3, p[0] = {{1, {2, 3}}, 4, 5}, by = {7, {8, 9}}, un[0][1] = 42, vec = {1, "
      "2}\n"
      "// @Output: forall (p[0][0][1][1] < 4 and tile[1][2] == 30 or q[0] > 3 and not flags[0] == 1)\n";
  const std::string text = file("kernel.cl");
  mutants::compare("names", file("kernel.spvasm"), 600, [&](const std::string& module) {
    spirv::Compiled c;
    c.source = make_source("kernel.cl", headers + text);
    c.module = module;
    c.file = "k.cl";
    opencl_c::name_entry(c, "go");
    return shown(c);
  });
  mutants::compare("questions", headers, 600, [&](const std::string& header) {
    spirv::Compiled c;
    c.source = make_source("kernel.cl", text + header);
    c.module = file("kernel.spvasm");
    c.file = "k.cl";
    opencl_c::name_entry(c, "go");
    spirv::LaunchOptions o;
    o.entry = "go";
    o.zero = true;
    const auto t = spirv::parse_compiled(c, o);
    return t ? spirv_test::summary(*t) + prog::to_string(*t, t->condition) : render(t.error());
  });
}

TEST(Names, TextsAreToldApart) {
  std::string out;
  for (const char* text :
       {"#version 450", "  \t\r#version 450", "#extension x", "#pragma use_vulkan_memory_model", "#pragma once",
        "// a\n#version 450", "//a\n\n/* b */\n#version 450", "/* b\n#extension\n*/\n#version 450",
        "/* b */ #version 450", "/* b */ void", "/* no end\n#version 450", "/*/\n#version 450\n*/\nvoid", "void main()",
        "", "\n\n", "/", "/* a *//* b */\n#extension", "/**/#version", "x #version 450"})
    out += std::string(glsl::is_glsl(text) ? "GLSL " : "none ") + text + "\n--\n";
  for (const char* text :
       {"__kernel", "a __kernel", "a__kernel", "__kernel_", "__kernelx __kernel", "kernel void", "kernel  void",
        "a_kernel void", "kernel void_ kernel void", "kernel", "//kernel void", "9__kernel", "Z__kernel", "(__kernel)"})
    out += std::string(opencl_c::is_opencl_c(*make_source("t", text)) ? "OpenCL C " : "none ") + text + "\n";
  for (const char* text : {"%a = OpString \"x\ny\"\nOpNop", "OpString \"a\\\"\nb\" c\nd", "one", "\n\nx", "\"open\nend",
                           "a \"b c\" d", "a\\\"b\"c\nd\"", " a  b ", "\"\" x", "\"a\\\\\" b", "\"", "a\"b c\"d"}) {
    std::string_view rest = text;
    while (!rest.empty()) {
      out += "<";
      for (const std::string& w : words_of(next_statement(rest))) out += "[" + w + "]" + "(" + unquoted(w) + ")";
      out += ">";
    }
    out += "\n";
  }
  golden::compare("lowered/texts.txt", out);
}

}  // namespace
}  // namespace fencepost::shader
