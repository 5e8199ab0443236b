// The parts of the reader of modules that read text, each over a table, word for word: tests/golden/lowered. Comments,
// headers, launches, places of words.
#include "golden.h"
#include "litmus/lexer.h"
#include "spirv/comments.h"
#include "spirv/grid.h"
#include "spirv/header.h"
#include "spirv/words.h"
#include "spirv_support.h"

namespace spirv_test {
namespace {

// What `f` makes, or what is said of its input.
template <class F>
std::string made(F&& f) {
  const Expected<std::string> out = litmus::guarded([&]() -> std::string { return f(); });
  std::string text = out ? *out : render(out.error());
  if (text.empty() || text.back() != '\n') text += '\n';
  return text;
}

// ---- comments ----------------------------------------------------------------------------------------------------

TEST(SpirvParts, Comments) {
  const std::vector<std::pair<bool, std::string>> all = {
      {true, "; @Config: 1\n"},
      {true, ";@Config:1"},
      {true, ";; \t ;*/! @Config \t\r: 1\n; @Input: a ; @Output: b"},
      {true, "OpString \"; @Config: 1\" ; @Input: 2"},
      {true, "OpString \"a\\\"; @Config: 1\" ; @Input: 2"},
      {true, "OpString \"over\n; @Config: 1\"\n; @Input: 2"},
      {true, "OpString \"no end; @Input: 2"},
      {true, "' ; @Config: 1"},
      {true, "// @Config: 1\n/* @Config: 1 */"},
      {true, "; @ Config: 1"},
      {true, "; Config: 1\n; a@Config: 1\n;"},
      {true, "; @Config"},
      {true, "; @Config 1"},
      {true, "; @Confih: 1"},
      {true, "; @Nothing: 1"},
      {true, "; @"},
      {true, "; @Con_fig: 1"},
      {true, "; @Config2: 1"},
      {false, "// @Config: 1\n"},
      {false, "//@Config:1"},
      {false, "/// @Config: 1\n//! @Input: 2\n////// @Output: 3"},
      {false, "/// @brief text\n//! @brief text\n/** @brief text */ /*! @brief text */"},
      {false, "/// @brief: text"},
      {false, "//! @Confg text"},
      {false, "// @brief text"},
      {false, "/* @brief text */"},
      {false, "/// @Config text"},
      {false, "/* @Config: 1 */ /* @Input: 2 */"},
      {false, "/* first\n * @Config: 1\n\t** @Input: 2\n@Output: 3*/ @Filter: 4"},
      {false, "/* @Config: 1"},
      {false, "/*"},
      {false, "//"},
      {false, "//!"},
      {false, "/*/ @Config: 1 */"},
      {false, "/**/ @Config: 1"},
      {false, "/* a *//* @Config: 1 *///@Input: 2"},
      {false, "x = \"// @Config: 1\"; // @Input: 2"},
      {false, "x = \"\\\"// @Config: 1\"; // @Input: 2"},
      {false, "x = \"no end\n// @Config: 1"},
      {false, "x = '\"'; // @Config: 1"},
      {false, "x = '// @Config: 1\n// @Input: 2"},
      {false, "\"\\\n// @Config: 1"},
      {false, "; @Config: 1"},
      {false, "a / b /x @Config: 1 // @Input: 2 // @Output: 3"},
      {false, "// \\\n// @Config: 1\\"},
      {true, "; @CONFIG: 1"},
      {true, "; @config: 1"},
      {true, "; @_Config: 1"},
      {true, "; @Config\t:1"},
      {true, "; @Config\r: 1"},
      {false, "/* @Config"},
      {false, "//@"},
      {false, "/*!@Input: 1*/"},
      {false, "/**"},
      {false, "///"},
      {false, "//\n/ @Input: 1"},
  };
  std::string out;
  for (const auto& [assembly, text] : all) {
    out += "## " + std::string(assembly ? "assembly" : "C") + "\n" + text + "\n--\n" + made([&] {
             std::string said;
             const std::vector<std::string> known = {"Config", "Input", "Output", "Filter"};
             for (const auto& h : spirv::comment_headers(make_source("t", text), assembly, known))
               said += h.word + " " + std::to_string(h.word_begin) + " " + std::to_string(h.begin) + ".." +
                       std::to_string(h.end) + "\n";
             return said;
           });
  }
  golden::compare("lowered/comments.txt", out);
}

// ---- headers -----------------------------------------------------------------------------------------------------

std::string shown(const spirv::InputValue& v) {
  std::string out = place_of(v.span) + " ";
  if (v.absent) out += "absent ";
  if (v.partial) out += "partial ";
  if (!v.is_list) return out + std::to_string(v.number);
  out += "{";
  for (const auto& k : v.items) out += shown(k) + "; ";
  return out + "}";
}
std::string shown(const spirv::QuestionValue& v) {
  std::string out = v.is_constant ? std::to_string(v.constant) : v.id;
  for (const uint64_t k : v.path) out += "[" + std::to_string(k) + "]";
  return out + " at " + place_of(v.span);
}
std::string shown(const spirv::QuestionCond& c) {
  std::string out = "(" + std::to_string(static_cast<int>(c.kind)) + " " + place_of(c.span);
  if (c.kind == prog::Cond::Kind::atom)
    out += " " + std::to_string(static_cast<int>(c.cmp)) + " " + shown(c.lhs) + " " + shown(c.rhs);
  for (const auto& k : c.kids) out += " " + shown(k);
  return out + ")";
}
std::string shown(const spirv::Header& h) {
  std::string out;
  if (h.grid) out += "grid " + spirv::to_string(*h.grid) + " at " + place_of(h.grid_span) + "\n";
  for (const auto& in : h.inputs) out += in.id + " at " + place_of(in.span) + ": " + shown(in.value) + "\n";
  out += std::string(prog::name(h.question.quantifier));
  out += " " + shown(h.question.condition) + "\nfilter " + shown(h.question.filter) + "\n";
  return out + (h.zero ? "zero " : "") + (h.published ? "published" : "");
}
std::string nested(size_t n, const std::string& open, const std::string& inside, const std::string& close) {
  std::string out;
  for (size_t k = 0; k < n; ++k) out += open;
  out += inside;
  for (size_t k = 0; k < n; ++k) out += close;
  return out;
}
std::string cut(std::string text) { return text.size() > 200 ? text.substr(0, 200) + "...\n" : text; }

const std::vector<std::string> k_headers = {
    "; @Config: 1, 1, 1",
    "; @Config: 2,3 , 4",
    "; @Config: 1, 1, 1, 2",
    "; @Config: 1, 1, 1, 2, 3\r",
    "; @Config: 0x2, 1, 1",
    "; @Config: 1, 1",
    "; @Config: 1, 1, 1, 1, 1, 1",
    "; @Config: 1024, 1, 1",
    "; @Config: 1025, 1, 1",
    "; @Config: 65537, 1, 1",
    "; @Config: 0, 1, 1",
    "; @Config: -1, 1, 1",
    "; @Config: 1 1 1",
    "; @Config: 1, 1, 1 x",
    "; @Config: 1, 1,",
    "; @Config:",
    "; @Config: 1, 1, 1\n; @Config: 1, 1, 1",
    "; @Input: %x = 18446744073709551615",
    "; @Input: %x = 18446744073709551616",
    "; @Input: %x = -9223372036854775808",
    "; @Input: %x = -9223372036854775809",
    "; @Input: %x = 0xffffffffffffffff",
    "; @Input: %x = -0x10",
    "; @Input: %x = 0x",
    "; @Input: %x = -",
    "; @Input: %x = - 1",
    "; @Input: %x = 12a",
    "; @Input: %x",
    "; @Input: %x 1",
    "; @Input: x = 1",
    "; @Input: 1 = %x",
    "; @Input: %x = %y",
    "; @Input: %x.1_a[2][3] = 4, %17 = {}, %z={1,{2,3},-1}",
    "; @Input: %x = {1, 2",
    "; @Input: %x = {1 2}",
    "; @Input: %x[1 = 2",
    "; @Input: %x[%y] = 2",
    "; @Input: %x = 1, %x = 2",
    "; @Input: %x[0] = 1, %x = 2",
    "; @Input: %x = 1, %x[0] = 2",
    "; @Input: %x = {1}, %x[0] = 2",
    "; @Input: %x[1] = 1, %x[0] = 2, %x[3][1] = 5",
    "; @Input: %x[1] = 1, %x[1] = 2",
    "; @Input: %x[1] = 1, %x[1][0] = 2",
    "; @Input: %x[1][0] = 1, %x[1] = 2",
    "; @Input: %x[1] = {5, 6}, %x[1][0] = 2",
    "; @Input: %x[1][0] = 1, %x[1][1] = 2",
    "; @Input: %x[65537] = 1",
    "; @Output: forall (%x == 1)",
    "; @Output: exists %x != 1",
    "; @Output: not exists (%x <= 1 and %y[0][1] >= 2 and 3 < %z)",
    "; @Output: ~exists (%x > 1 or -4 == %y or %a != %b)",
    "; @Output: forall not %x == 1 && !%y == 2 || true and false",
    "; @Output: forall (%x == 1 or %y == 2) and (%z == 3)",
    "; @Output: forall (true)",
    "; @Output: forall trueish == 1",
    "; @Output: forall%x == 1",
    "; @Output: forally == 1",
    "; @Output: maybe (%x == 1)",
    "; @Output: not (%x == 1)",
    "; @Output: %x == 1",
    "; @Output: forall (%x == 1",
    "; @Output: forall (%x = 1)",
    "; @Output: forall (%x == )",
    "; @Output: forall (%x[1 == 2)",
    "; @Output: forall (%x == 1) and",
    "; @Output: forall (%x == 1) or %y",
    "; @Output: forall (%x == 1) %y == 2",
    "; @Output: forall %x == 1 orr %y == 2",
    "; @Output: forall (%x == 1)\n; @Output: forall (%y == 2)\n; @Output: not exists (%z == 3)",
    "; @Output: not exists (%x == 1)\n; @Output: not exists (%y == 2)\n; @Output: not exists (%z == 3)",
    "; @Output: not exists (%x == 1)\n; @Output: forall (%y == 2)",
    "; @Output: exists (%x == 1)\n; @Output: forall (%y == 2)",
    "; @Output: forall (%x == 1)\n; @Output: exists (%y == 2)",
    "; @Output: exists (%x == 1)\n; @Output: not exists (%y == 2)",
    "; @Filter: %x == 1 and %y == 2",
    "; @Filter: %x == 1\n; @Filter: %y == 1",
    "; @Filter: %x == 1 1",
};

TEST(SpirvParts, Headers) {
  std::string out;
  for (const std::string& text : k_headers)
    out += "## " + text + "\n--\n" +
           made([&] { return shown(spirv::read_header(make_source("t", text + "\n"), false, {})); });
  const auto deep = [&](const std::string& text) {
    out += "## " + cut(text) + "\n--\n" +
           cut(made([&] { return shown(spirv::read_header(make_source("t", text + "\n"), false, {})); }));
  };
  for (const size_t n : {200u, 201u}) {
    deep("; @Input: %x = " + nested(n, "{", "1", "}"));
    deep("; @Output: forall " + nested(n, "(", "%x == 1", ")"));
    deep("; @Output: forall " + nested(n, "not ", "%x == 1", ""));
  }
  deep("; @Input: %x[65536] = 1");
  out += made([&] { return shown(spirv::read_header(make_source("t", "; @Config: 1, 1, 1\n"), true, {})); });
  golden::compare("lowered/headers.txt", out);
}

TEST(SpirvParts, HeadersAndOptions) {
  struct Case {
    const char* text;
    std::vector<std::string> inputs;
    std::string condition, filter;
    bool more = false;
  };
  const std::vector<Case> all = {
      {"; @Input: %x = 1, %y = 2", {"%x = 3"}, "", ""},
      {"; @Input: %x = 1, %y = 2", {"%x = 3, %z = 4", "%y = 5"}, "", ""},
      {"; @Input: %x[0] = 1, %x[2] = 2", {"%x[1] = 3"}, "", ""},
      {"; @Input: %x = 1", {"%x = 3", "%x = 4"}, "", ""},
      {"; @Input: %x = 1", {"%x[0] = 3", "%x[1] = 4"}, "", ""},
      {"; @Input: %x = 1", {"%x = "}, "", ""},
      {"; @Output: forall (%x == 1)", {}, "exists (%y == 2)", ""},
      {"; @Output: nonsense", {}, "exists (%y == 2)", ""},
      {"; @Output: forall (%x == 1)", {}, "exists (%y == 2", ""},
      {"; @Filter: %x == 1", {}, "", "%y == 2"},
      {"; @Filter: nonsense", {}, "", "%y == 2"},
      {"; @Filter: %x == 1", {}, "", "%y == "},
      {"; @Config: 1, 1, 2", {}, "", "", true},
  };
  std::string out;
  for (const Case& c : all) {
    spirv::LaunchOptions o;
    o.inputs = c.inputs;
    o.condition = c.condition;
    o.filter = c.filter;
    o.zero = o.published = c.more;
    if (c.more) o.grid = spirv::Grid{3, 1, {1, 1, 1}};
    out += std::string("## ") + c.text + "\n" +
           made([&] { return shown(spirv::read_header(make_source("t", c.text), false, o)); });
  }
  golden::compare("lowered/headers-options.txt", out);
}

// Headers of a text that was compiled: names, and members of blocks.
TEST(SpirvParts, HeadersOfACompiledText) {
  spirv::Compiled c;
  c.variables["x"] = {"%_", {0}};
  c.variables["s"] = {"%_", {1}};
  c.variables["o.y"] = {"%o", {0}};
  c.variables["tile"] = {"%tile", {}};
  c.variables["Tile"] = {"%Tile", {}};
  c.variables["_t"] = {"%_t", {}};
  c.variables["ZZ9.a_"] = {"%zz9", {4}};
  c.variables["zz"] = {"%zz", {}};
  c.own = {"mine"};
  c.headers = {"Define"};
  const std::vector<std::string> all = {
      "// @Input: x = 1, s[2] = 3, tile = {1}, %_[3] = 4",
      "// @Input: o.y = 1\n// @Define: whatever it says",
      "// @Input: o. y = 1",
      "// @Input: Tile = 1, _t = 2, ZZ9.a_ = 3, zz = {1}",
      "// @Input: 9x = 1",
      "// @Output: forall (Tile == 1 and zz[0] == 2)",
      "// @Input: mine = 1",
      "// @Input: nobody = 1",
      "// @Input: til = 1",
      "// @Input: tile 1",
      "// @Input: tile[1 = 1",
      "// @Input: tile = 1\n// @Input: tile = 2",
      "// @Input: x = 1\n// @Input: x = 2",
      "// @Input: = 2",
      "// @Input: x = {1, 2}, x[0] = 2",
      "// @Output: forall (x == 1 and s[1] != tile[0] or o.y < 4)",
      "// @Output: x == 1",
      "// @Output: forall (x == )",
      "// @Define 1",
      "; @Config: 1, 1, 1",
  };
  std::string out;
  for (const std::string& text : all) {
    c.source = make_source("t.comp", text + "\n");
    out += "## " + text + "\n" + made([&] { return shown(spirv::read_header(c, {})); });
  }
  const std::vector<std::pair<std::string, std::string>> given = {
      {"x = 5, s[0] = 1", "s[1] = 7, x = 6"},      {"s = {1, 2}", "s[1] = 7"},   {"s[1] = 7", "s = {1, 2}"},
      {"tile[1] = 1", "tile[0] = 2, tile[3] = 4"}, {"tile = {1}", "tile = {2}"}, {"s[1][1] = 4", "s[1][0] = 3"}};
  for (const auto& [text, option] : given) {
    c.source = make_source("t.comp", "// @Input: " + text + "\n");
    spirv::LaunchOptions o;
    o.inputs = {option};
    out += "## " + text + " | " + option + "\n" + made([&] { return shown(spirv::read_header(c, o)); });
  }
  for (size_t k = 0; k < 20; ++k) c.variables["v" + std::to_string(k)] = {"%v", {k}};
  for (const size_t keep : {12u, 13u}) {
    while (c.variables.size() > keep) c.variables.erase(std::prev(c.variables.end()));
    c.source = make_source("t.comp", "// @Input: unheard_of = 1\n");
    out += made([&] { return shown(spirv::read_header(c, {})); });
    for (size_t k = 0; keep == 12 && k < 1; ++k) c.variables["v9"] = {"%v", {9}}, c.variables["v8"] = {"%v", {8}};
  }
  c.variables.clear();
  out += made([&] { return shown(spirv::read_header(c, {})); });
  golden::compare("lowered/headers-compiled.txt", out);
}

// ---- launches ----------------------------------------------------------------------------------------------------

TEST(SpirvParts, Launches) {
  std::string out;
  for (const char* text :
       {"1.1.1",         "2.1.3",     "1.1.1.1",   "1.1.1.2",       "1.1.1.2.2",   "1.1.1.1.2", "4.1.2x2x1",
        "1.1.1x2",       "1.1.1x1x2", "1.1.2x1x1", "1.1.2x2x2.2.2", "1.1.2x2x2x2", "1.1",       "1",
        "1.1.1.1.1.1",   "1.1.1.",    ".1.1.1",    "1..1",          "0.1.1",       "1.1.0",     "1.1.1x0",
        "1.1.1.1.0",     "1024.1.1",  "1025.1.1",  "32.32.1",       "32.32.2",     "1.1.65536", "65537.1.1",
        "1.1.1024x1x1",  "2x2.1.1",   "1.1.1x",    "1.1.1 ",        "1,1,1",       "1.1.1.1x1", "8.4.4x4x1.2.1",
        "8.4.4x4x2.1.2", "",          "-1.1.1",    "1.1.1x1x1x1",   "2.2.2x2.1.2"}) {
    const auto g = spirv::parse_grid(text);
    out += std::string("## ") + text + "\n";
    out += g ? spirv::to_string(*g) + " " + std::to_string(g->threads()) + " " + std::to_string(g->workgroup_size()) +
                   " " + std::to_string(g->workgroup_count()) + "\n"
             : render(g.error());
  }
  const std::vector<std::pair<const char*, spirv::Triple>> shapes = {{"4.2.1x1x1.2.2", {2, 2, 2}},
                                                                     {"2.1.2x1x1.2.2", {2, 1, 1}},
                                                                     {"3.2.1x2x1.2.1", {1, 3, 2}},
                                                                     {"1.1.2x3x2.2.1", {1, 1, 1}},
                                                                     {"6.1.1x1x2", {3, 2, 1}}};
  for (const auto& [text, local] : shapes) {
    const spirv::Launch l{*spirv::parse_grid(text), local};
    const auto triple = [](const spirv::Triple& t) {
      return " " + std::to_string(t[0]) + "," + std::to_string(t[1]) + "," + std::to_string(t[2]);
    };
    out += std::string("## ") + text + triple(l.global_size()) + "\n";
    for (uint32_t t = 0; t < l.grid.threads(); ++t) {
      const spirv::Place p = l.place(t);
      for (const uint32_t n : {t, p.device, p.queue_family, p.workgroup, p.subgroup, p.lane, l.global_workgroup(p)})
        out += std::to_string(n) + " ";
      out += triple(l.workgroup_id(p)) + triple(l.local_id(p)) + triple(l.global_id(p)) + "\n";
    }
  }
  golden::compare("lowered/launches.txt", out);
}

// ---- places of words ---------------------------------------------------------------------------------------------

TEST(SpirvParts, WordsOfText) {
  const std::vector<std::string> all = {
      "OpSource ESSL 310\nOpSource Slang 1\nOpSource Nobody 12 %f\nOpMemoryModel Logical Vulkan\n",
      "%u8 = OpTypeInt 8 0\n%a = OpConstant %u8 -1\n%b = OpConstant %u8 -128 ; a remark\n%c = OpConstant %u8 255\n",
      "%u32 = OpTypeInt 32 0\n%a = OpConstant %u32 -1\n%b = OpSpecConstant %u32 -2147483648\n",
      "%u64 = OpTypeInt 64 0\n%a = OpConstant %u64 -1\n%i = OpTypeInt 32 1\n%b = OpConstant %i -1\n",
      "%u32 = OpTypeInt 32 0\n%a = OpConstant %u32 -x\n",
      "OpString\n",
      "%a\n",
      "hello\n",
      "%s = OpString \"a ; OpNop \\\" b\"   \n   OpNop ; OpNop\n",
      "%u = OpTypeInt 32 0\n%n = OpConstant %u 1\n%a = OpSpecConstantOp %u IAdd %n %n\n",
      "%u = OpTypeInt 32 0\n%a = OpNope %u\n",
      "%u = OpTypeInt 32 0 7\n",
      "%u = OpTypeInt 32 0 OpNop\n",
      "OpNop extra\n",
      "%u = OpTypeVoid\nOpNop",
      "OpNop;",
      "OpString \"no end",
      "%s = OpString \"a\\",
      "%u = OpTypeInt 128 0\n%a = OpConstant %u -1\n",
      "%u = OpTypeInt 0 0\n%a = OpConstant %u -1\n",
      "%u = OpTypeInt 64 0\n%a = OpConstant %u -9223372036854775808\n%b = OpConstant %u -1 1\n",
      "%u = OpTypeInt 32 0\n%a = OpSpecConstant %u -1\n%b = OpConstant -1\n%c = OpConstant %nothing -1\n",
      "OpSource\n",
      "OpSource Odd 1\n%u = OpTypeInt 8 0\n%a = OpConstant %u -1\nOpSource Odder 2 \n%b = OpConstant %u -2\n",
      "OpMemoryModel Logical\n",
      "%x = OpTypeVoid %y\n",
      "OpExtInst\n",
      "%v = OpTypeVoid\n%s = OpExtInstImport \"OpenCL.std\"\n%e = OpExtInst %v %s clz %v\n%g = OpExtInst %v %s nothing "
      "%v\n",
      "\n\n  %u = OpTypeInt 32\n",
      "OpCapability Shader\n\n   OpFoo Bar\n",
      "OpName %x \"x\"\nOpName %y \"x\"\nOpName %z \"z\"\nOpName %w \"\"\n%x = OpTypeVoid\n%y = OpTypeBool\n%z = "
      "OpTypeInt 32 0\n%w = OpTypeInt 16 0\n",
  };
  std::string out;
  for (const std::string& text : all)
    out += "## " + text + "--\n" + made([&] {
             const spirv::Words w = spirv::read_words(make_source("t.spvasm", text));
             std::string said = "bound " + std::to_string(w.bound) + "\n";
             for (const auto& i : w.instructions) {
               said += place_of(i.span) + " " + std::to_string(i.offset) + " " + spirv::opcode_name(i.op) + " " +
                       w.name(i.type) + " " + w.name(i.result);
               for (size_t k = 0; k < i.size(); ++k)
                 said += (i.args[k].is_id ? " id " : " ") + std::to_string(i.number(k));
               said += "\n";
             }
             for (const auto& [name, id] : std::map<std::string, spirv::Id>(w.by_name.begin(), w.by_name.end()))
               said += name + " " + std::to_string(id) + "\n";
             return said;
           });
  golden::compare("lowered/words.txt", out);
}

TEST(SpirvParts, PlacesOfACompiledText) {
  spirv::Compiled c;
  c.source = make_source("k.cl",
                         "// x main helper\n"
                         "uint x, xs;\r\n"
                         "\tvoid helper() {  \n"
                         "  x = 1;  // twice\n"
                         "  // alone\n"
                         "\n"
                         "}\n"
                         "void main() { helper(); x = 2; }");
  c.file = "k.cl";
  c.variables["x"] = {"%v", {}};
  c.variables["xs"] = {"%w", {1}};
  c.module = R"(OpCapability Shader
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %3 "main"
%1 = OpString "k.cl"
%2 = OpString "other.h"
OpName %3 "main"
OpName %4 "helper(u1;"
OpName %v "x"
OpName %w "struct.xs"
OpName %un "unheard"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%p = OpTypePointer Workgroup %uint
%fn = OpTypeFunction %void
%v = OpVariable %p Workgroup
%w = OpVariable %p Workgroup
%un = OpVariable %p Workgroup
OpLine %1 2 6
%lv = OpVariable %p Workgroup
OpNoLine
%n = OpConstant %uint 1
%4 = OpFunction %void None %fn
%l4 = OpLabel
OpLine %1 4 0
OpStore %v %n
OpLine %1 4 3
OpStore %v %n
OpLine %1 4 99
OpStore %v %n
OpLine %1 5 0
OpStore %v %n
OpLine %1 6 0
OpStore %v %n
OpLine %1 0 0
OpStore %v %n
OpLine %1 9 1
OpStore %v %n
OpLine %2 4 3
OpStore %v %n
OpLine %1 3 2
OpStore %v %n
OpNoLine
OpStore %v %n
OpReturn
OpFunctionEnd
OpLine %1 8 6
%3 = OpFunction %void None %fn
%l3 = OpLabel
OpLine %1 8 15
%r = OpFunctionCall %void %4
OpLine %1 8 27
OpStore %v %n
OpReturn
OpFunctionEnd
)";
  const spirv::Words w = spirv::read_words(c);
  std::string out;
  for (const auto& i : w.instructions)
    out += place_of(i.span) + " '" + std::string(i.span.text()) + "' [" + i.line + "] " + spirv::opcode_name(i.op) +
           " " + (i.result != 0 ? w.name(i.result) + " " + w.given_name(i.result) : "") + "\n";
  // Where a name stands first: as a word of its own, outside of comments.
  for (const char* text :
       {"x",       "xs, x",   "ax; x",   "Xx x",       "xX x", "x9 x", "9x x", "_x x",   "x_ x",    "zx x",
        "xz x",    "xA xa x", "// x\nx", "a // x\n x", "y",    "(x)",  "xx",   "x/*x*/", "//\nx x", "//x\nx",
        "// c\nx", "{x x}",   "x| x",    "@x",         "[x",   "`x`",  "/x",   ":x",     "\nx"}) {
    c.source = make_source("k.cl", text);
    for (const auto& i : spirv::read_words(c).instructions)
      if (i.result != 0 && spirv::read_words(c).given_name(i.result) == "x")
        out += std::string("first of ") + text + ": " + place_of(i.span) + "\n";
  }
  golden::compare("lowered/words-compiled.txt", out);
}

}  // namespace
}  // namespace spirv_test
