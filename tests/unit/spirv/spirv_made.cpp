// The parts of the reader of modules that make code, each over a table, word for word: tests/golden/lowered. The order
// of segments, offsets, layouts, and the tidying of code.
#include "golden.h"
#include "litmus/lexer.h"
#include "mutants.h"
#include "prog/syntax.h"
#include "spirv/constants.h"
#include "spirv/header.h"
#include "spirv/order.h"
#include "spirv/tidy.h"
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

// ---- order of segments -------------------------------------------------------------------------------------------

TEST(SpirvMade, OrderOfSegments) {
  using Graph = std::vector<std::vector<uint32_t>>;
  const std::vector<std::pair<const char*, Graph>> all = {
      {"one", {{}}},
      {"itself", {{0}}},
      {"in a row", {{1}, {2}, {}}},
      {"a branch", {{1, 2}, {3}, {3}, {}}},
      {"a branch whose second side is longer", {{1, 2}, {4}, {3}, {4}, {}}},
      {"a loop whose exit comes first", {{1}, {3, 2}, {1}, {}}},
      {"a loop whose exit comes last", {{1}, {2, 3}, {1}, {}}},
      {"a loop in a loop, exits first", {{1}, {5, 2}, {4, 3}, {2}, {1}, {}}},
      {"a loop in a loop, exits last", {{1}, {2, 5}, {3, 4}, {2}, {1}, {}}},
      {"a loop with two ways back", {{1}, {2, 3, 4}, {1}, {1}, {}}},
      {"a loop with a break within a branch", {{1}, {2}, {5, 3}, {6, 4}, {1}, {6}, {}}},
      {"two loops in a row", {{1}, {3, 2}, {1}, {5, 4}, {3}, {}}},
      {"a loop with two entries", {{1, 2}, {2, 3}, {1, 3}, {}}},
      {"one that is not reached", {{2}, {2}, {}}},
      {"a loop in each branch", {{1, 4}, {3, 2}, {1}, {7}, {6, 5}, {4}, {7}, {}}},
      {"three loops", {{1}, {9, 2}, {8, 3}, {7, 4}, {5, 6}, {3}, {3}, {2}, {1}, {}}},
      {"a break out of two loops", {{1}, {2, 6}, {3, 5}, {4, 6}, {2}, {1}, {}}},
  };
  std::string out;
  for (const auto& [what, graph] : all)
    for (const uint32_t start : {0u, 1u}) {
      if (start >= graph.size()) continue;
      out += std::string(what) + ", from " + std::to_string(start) + ":";
      for (const uint32_t s : spirv::loops_together(graph, start)) out += " " + std::to_string(s);
      out += "\n";
    }
  golden::compare("lowered/order.txt", out);
}

// ---- offsets -----------------------------------------------------------------------------------------------------

std::string named(uint64_t v) { return "r" + std::to_string(v); }
std::string shown(const spirv::Offset& o) {
  std::string out = std::to_string(o.bytes);
  for (const auto& s : o.steps)
    out += " + " + std::to_string(s.scale) + " * (" + term::to_string(s.e, named) + ")<" + std::to_string(s.limit);
  const auto c = o.constant();
  out += c ? " = " + std::to_string(*c) : "";
  for (const uint64_t most : {0u, 1u, 2u, 4u, 6u, 8u}) out += " " + std::to_string(o.unit(most));
  if (const uint64_t u = o.unit(0); u != 0)
    out += " | " + term::to_string(o.in_units(u, 32), named) + " | " + term::to_string(o.in_units(1, 32), named);
  return out + "\n";
}

TEST(SpirvMade, Offsets) {
  const auto r = [](uint64_t n) { return term::variable(n, 32); };
  const auto k = [](uint64_t n) { return term::constant(n & 0xffffffffu, 32); };
  std::string out;
  std::vector<spirv::Offset> all = {{0, {}},
                                    {8, {}},
                                    {-8, {}},
                                    {4, {{8, r(1), 3}}},
                                    {-4, {{-8, r(1), 3}}},
                                    {12, {{16, k(3), 4}, {4, k(0xffffffff), 4}}},
                                    {12, {{16, r(1), 4}, {4, k(2), 4}, {6, r(2), 0}}},
                                    {0, {{1, r(1), 0}}},
                                    {2, {{0, r(1), 0}}}};
  for (const auto& o : all) out += shown(o);
  for (const spirv::Offset& o : all)
    for (const int64_t scale : {1, 4, 8, 16, 24, -8})
      for (const auto& e : {k(0), k(2), r(5)}) {
        spirv::Offset moved = o;
        moved.move(scale, e);
        out += std::to_string(scale) + " " + term::to_string(e, named) + ": " + shown(moved);
      }
  golden::compare("lowered/offsets.txt", out);
  const term::Expr sum = term::binary(term::Op::add, r(1), term::binary(term::Op::mul, r(2), r(3)));
  for (uint32_t most = 1; most <= 7; ++most) EXPECT_EQ(spirv::term_size(sum, most), std::min(most, 5u));
  EXPECT_EQ(spirv::term_size({}, 9), 0u);
}

// ---- layouts -----------------------------------------------------------------------------------------------------

// %t0, %t1, ... are laid out.
const std::vector<std::vector<std::string>> k_types = {
    {"%uint"},
    {"%char"},
    {"%long"},
    {"%odd"},
    {"%half"},
    {"%bool"},
    {"OpTypeVector %uint 2"},
    {"OpTypeVector %uint 3"},
    {"OpTypeVector %uint 4"},
    {"OpTypeVector %char 3"},
    {"OpTypeVector %bool 5"},
    {"OpTypeArray %uint %n3"},
    {"OpTypeVector %char 3", "OpTypeArray %t0 %n2"},
    {"OpTypeArray %uint %n3", "OpTypeArray %t0 %n2"},
    {"OpTypeStruct %uint %uint"},
    {"OpTypeStruct %char %uint"},
    {"OpTypeStruct %uint %char"},
    {"OpTypeStruct %char %long %char"},
    {"OpTypeStruct %char %uint", "OpTypeArray %t0 %n2"},
    {"OpTypeVector %uint 3", "OpTypeStruct %char %t0 %char"},
    {"OpTypeStruct"},
    {"OpTypeStruct", "OpTypeArray %t0 %n3", "OpTypeStruct %t1 %uint"},
    {"OpTypeStruct %uint %char", "OpTypeStruct %t0 %t0", "OpTypeArray %t1 %n2", "OpTypeStruct %char %t2 %long"},
    {"OpTypeArray %char %n3", "OpTypeStruct %uint %t0"},
    {"OpTypeRuntimeArray %uint"},
    {"OpTypeStruct %char %uint", "OpTypeRuntimeArray %t0", "OpTypeStruct %uint %t1"},
    {"OpTypePointer Function %uint"},
    {"OpTypePointer Function %uint", "OpTypeStruct %char %t0"},
    {"%void"},
    {"OpTypeSampler"},
    {"OpTypeArray %uint %zero"},
    {"OpTypeArray %uint %most"},
    {"OpTypeArray %uint %beyond"},
    {"OpTypeArray %long %most", "OpTypeArray %t0 %n2"},
    {"OpTypeArray %long %most", "OpTypeArray %t0 %n3"},
    {"OpTypeArray %uint %n3", "OpTypeRuntimeArray %t0"},
    {"OpTypeStruct %char %bool %uint"},
};

std::string module_of(bool opencl, const std::string& decorations, const std::string& types) {
  return (opencl ? std::string("OpCapability Addresses\nOpCapability Kernel\nOpMemoryModel Physical64 OpenCL\n"
                               "OpEntryPoint Kernel %main \"main\"\n")
                 : std::string("OpCapability Shader\nOpMemoryModel Logical Vulkan\nOpEntryPoint GLCompute %main "
                               "\"main\"\n")) +
         decorations + R"(
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%char = OpTypeInt 8 0
%long = OpTypeInt 64 0
%odd = OpTypeInt 17 0
%half = OpTypeFloat 16
%fn = OpTypeFunction %void
%zero = OpConstant %uint 0
%n2 = OpConstant %uint 2
%n3 = OpConstant %uint 3
%most = OpConstant %uint 65536
%beyond = OpConstant %uint 65537
)" + types +
         "%main = OpFunction %void None %fn\n%entry = OpLabel\nOpReturn\nOpFunctionEnd\n";
}

std::string laid_out(const std::string& text, const std::string& type, const std::string& input, bool elements) {
  return made([&] {
    const SourcePtr source = make_source("t.spvasm", text);
    spirv::Header header = spirv::read_header(make_source("h", "; @Input: %main = " + input + "\n"), false, {});
    const spirv::InputValue value = header.inputs.front().value;
    header.inputs.clear();
    const spirv::Module m(spirv::read_words(source), "");
    spirv::Constants c(m, header);
    c.set_launch(header.grid, header.grid_span);
    const spirv::Id id = m.words().by_name.at(type);
    const spirv::Instruction& user = *m.entry().at;
    const spirv::InputValue* in = value.items.empty() ? nullptr : &value;
    const spirv::Layout l =
        elements ? c.types().layout_of_elements(id, 3, in, user) : c.types().layout(id, in, 4, user);
    std::string out = "size " + std::to_string(l.size) + " dense " + std::to_string(l.dense) + " element " +
                      std::to_string(l.element) + " aligned " + std::to_string(c.types().alignment(id, user)) +
                      (c.types().open_ended(id, user) ? " open\n" : "\n");
    for (const auto& k : l.classes) {
      out += "class at " + std::to_string(k.base) + " of " + std::to_string(k.bytes) + " bytes, " +
             std::to_string(k.cells) + " cells";
      for (const auto& d : k.dims) out += ", " + std::to_string(d.count) + " by " + std::to_string(d.stride);
      out += "\n";
    }
    size_t n = 0;
    for (const auto& s : l.scalars)
      if (++n <= 40)
        out += " " + std::to_string(s.offset) + ":" + std::to_string(s.bytes) + ":" + std::to_string(s.bits) + ":" +
               std::to_string(s.in_class) + "." + std::to_string(s.index);
    return out + (n > 40 ? " ... " + std::to_string(n) : "") + "\n";
  });
}

TEST(SpirvMade, Layouts) {
  std::string out;
  const auto add = [&](bool opencl, const std::string& decorations, const std::vector<std::string>& types,
                       const std::string& input, bool elements) {
    std::string text, last;
    for (size_t k = 0; k < types.size(); ++k) {
      last = types[k];
      if (types[k][0] == '%') continue;
      last = "%t" + std::to_string(k);
      text += last + " = " + types[k] + "\n";
    }
    out += std::string("## ") + (opencl ? "OpenCL " : "Vulkan ") + (elements ? "elements " : "") + decorations;
    for (const std::string& t : types) out += " " + t + ";";
    out += "\n" + laid_out(module_of(opencl, decorations, text), last, input, elements);
  };
  for (const bool opencl : {false, true})
    for (const auto& t : k_types)
      add(opencl, "", t, t.back().find("Runtime") == std::string::npos ? "{}" : "{1, 2}", false);
  for (const bool opencl : {false, true}) {
    for (const auto& t : {k_types[0], k_types[7], k_types[9], k_types[15], k_types[16]}) add(opencl, "", t, "{}", true);
    add(opencl, "", k_types[24], "{1, 2, 3, 4, 5, 6}", false);
    add(opencl, "", k_types[24], "{}", false);
    add(opencl, "", k_types[25], "{7, {{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 1}}}", false);
    add(opencl, "", k_types[35], "{{1, 2, 3}}", false);
    add(opencl, "OpDecorate %t0 CPacked\n", k_types[15], "{}", false);
    add(opencl, "OpDecorate %t0 CPacked\n", k_types[16], "{}", true);
    add(opencl, "OpDecorate %t0 ArrayStride 16\n", k_types[11], "{}", false);
    add(opencl, "OpDecorate %t0 ArrayStride 6\n", k_types[11], "{}", false);
    add(opencl, "OpDecorate %t0 ArrayStride 2\n", k_types[11], "{}", false);
    add(opencl, "OpMemberDecorate %t0 0 Offset 4\nOpMemberDecorate %t0 1 Offset 0\n", k_types[14], "{}", false);
    add(opencl, "OpMemberDecorate %t0 1 Offset 8\n", k_types[14], "{}", false);
    add(opencl, "OpMemberDecorate %t0 1 Offset 3\n", k_types[14], "{}", false);
    add(opencl, "OpMemberDecorate %t0 1 Offset 2\n", k_types[15], "{}", false);
    add(opencl, "OpMemberDecorate %t0 1 Offset 1048572\n", k_types[14], "{}", false);
    add(opencl, "OpMemberDecorate %t0 1 Offset 1048573\n", k_types[14], "{}", false);
    add(opencl, "OpMemberDecorate %t0 0 Offset 6\n", k_types[17], "{}", false);
    add(opencl, "OpMemberDecorate %t1 0 Offset 0\nOpMemberDecorate %t1 1 Offset 8\n",
        {"OpTypeRuntimeArray %uint", "OpTypeStruct %t0 %uint"}, "{{1, 2}, 3}", false);
    std::vector<std::string> deep = {"OpTypeArray %uint %n2"};
    for (const size_t n : {63u, 64u, 65u}) {
      deep = {"OpTypeStruct %uint"};
      while (deep.size() < n) deep.push_back("OpTypeStruct %t" + std::to_string(deep.size() - 1));
      out += "## " + std::to_string(n) + " deep\n";
      std::string text;
      for (size_t k = 0; k < deep.size(); ++k) text += "%t" + std::to_string(k) + " = " + deep[k] + "\n";
      out += laid_out(module_of(opencl, "", text), "%t" + std::to_string(n - 1), "{}", false);
    }
  }
  golden::compare("lowered/layouts.txt", out);
}

// ---- tidying -----------------------------------------------------------------------------------------------------

struct Code {
  prog::Template t;
  Code() {
    for (int k = 0; k < 6; ++k) t.registers.push_back({"r" + std::to_string(k), uint8_t(k == 5 ? 1 : 32), "", true});
    for (const char* l : {"a", "b", "c", "d"}) t.labels.push_back({l, 0});
  }
  Code& put(prog::Kind kind, const char* mnemonic) {
    prog::Instr i;
    i.kind = kind;
    i.mnemonic = mnemonic;
    t.code.push_back(i);
    return *this;
  }
  prog::Instr& last() { return t.code.back(); }
  Code& label(uint32_t l) { return put(prog::Kind::label, ""), last().label = l, *this; }
  Code& jump(uint32_t l) { return put(prog::Kind::jump, "goto"), last().label = l, *this; }
  Code& branch(uint32_t r, uint32_t l) {
    put(prog::Kind::branch, "if");
    last().label = l;
    last().value = var(r);
    return *this;
  }
  Code& set(uint32_t r, term::Expr e) { return put(prog::Kind::local, "set"), last().dst = r, last().value = e, *this; }
  Code& load(uint32_t r, const char* what = "OpLoad") {
    return put(prog::Kind::load, what), last().dst = r, last().addr.symbol = 0, *this;
  }
  Code& store(term::Expr e) {
    return put(prog::Kind::store, "OpStore"), last().addr.symbol = 0, last().value = e, *this;
  }
  Code& barrier() { return put(prog::Kind::barrier, "OpControlBarrier"), last().barrier.instance = "b0", *this; }
  Code& predicate(uint32_t r) { return last().predicate = r, *this; }
  static term::Expr var(uint32_t r) { return term::variable(r, r == 5 ? 1 : 32); }
};
term::Expr k32(uint64_t n) { return term::constant(n, 32); }
term::Expr plus_one(uint32_t r) { return term::binary(term::Op::add, Code::var(r), k32(1)); }

TEST(SpirvMade, TidiedCode) {
  const std::vector<std::pair<const char*, Code>> all = {
      {"nothing", Code()},
      {"values that nobody reads", Code().set(0, k32(1)).set(1, Code::var(0)).load(2).store(k32(3))},
      {"an undefined value that nobody reads", Code().load(0, "undefined").load(1, "undefined").store(Code::var(1))},
      {"a counter that itself alone reads", Code().label(0).set(0, plus_one(0)).load(5).branch(5, 0).store(k32(1))},
      {"a counter that another reads",
       Code().label(0).set(0, plus_one(0)).set(1, Code::var(0)).load(5).branch(5, 0).store(Code::var(1))},
      {"a value that is overwritten", Code().set(0, k32(1)).set(0, k32(2)).store(Code::var(0))},
      {"a value that is overwritten under a predicate",
       Code().load(5).set(0, k32(1)).load(0, "undefined").predicate(5).store(Code::var(0))},
      {"a value for the next round",
       Code().set(0, k32(1)).label(0).store(Code::var(0)).set(0, k32(2)).load(5).branch(5, 0).set(0, k32(3))},
      {"a value of one of two ways", Code()
                                         .load(5)
                                         .set(0, k32(1))
                                         .set(1, k32(2))
                                         .branch(5, 0)
                                         .store(Code::var(0))
                                         .jump(1)
                                         .label(0)
                                         .store(Code::var(1))
                                         .label(1)},
      {"labels that nobody jumps to", Code().label(0).store(k32(1)).label(1).label(2)},
      {"a jump to the next", Code().store(k32(1)).jump(1).label(0).label(1).store(k32(2)).label(2)},
      {"a branch to the next", Code().load(5).branch(5, 1).label(1).store(k32(2))},
      {"a jump over code", Code().jump(0).store(k32(1)).label(0).store(k32(2))},
      {"a jump over a barrier", Code().jump(0).barrier().label(0).store(k32(2))},
      {"a branch over a jump", Code().load(5).branch(5, 0).jump(1).label(0).store(k32(1)).label(1).store(k32(2))},
      {"a branch over a jump and labels",
       Code().load(5).branch(5, 0).jump(1).label(2).label(0).store(k32(1)).label(1).store(k32(2)).branch(5, 2)},
      {"a branch over a jump and code",
       Code().load(5).branch(5, 0).jump(1).label(2).store(k32(3)).label(0).store(k32(1)).label(1).store(k32(2))},
      {"jumps to jumps", Code()
                             .load(5)
                             .branch(5, 0)
                             .store(k32(1))
                             .jump(3)
                             .label(0)
                             .jump(1)
                             .label(2)
                             .store(k32(2))
                             .jump(3)
                             .label(1)
                             .jump(2)
                             .label(3)},
      {"a circle of jumps", Code().load(5).branch(5, 3).label(0).jump(1).label(1).jump(0).label(3).store(k32(1))},
      {"a jump to itself", Code().load(5).branch(5, 3).label(0).jump(0).label(3).store(k32(1))},
      {"a register for one branch",
       Code().load(0).set(5, term::truth(Code::var(0))).branch(5, 0).store(k32(1)).label(0)},
      {"a register for a branch and more", Code()
                                               .load(0)
                                               .set(5, term::truth(Code::var(0)))
                                               .branch(5, 0)
                                               .store(term::resize(Code::var(5), 32, false))
                                               .label(0)},
      {"a register for a branch that is not the next",
       Code().load(0).set(5, term::truth(Code::var(0))).store(k32(4)).branch(5, 0).store(k32(1)).label(0)},
      {"a spin before an effect",
       Code().label(0).load(0).branch(0, 0).store(k32(1)).load(1).branch(1, 0).store(k32(2))},
      {"a spin that is alone", Code().label(0).load(0).branch(0, 0).store(k32(1))},
      {"two spins", Code().label(0).load(0).branch(0, 0).load(1).branch(1, 0).store(k32(1)).load(2).branch(2, 0)},
      {"an effect before the way back",
       Code().label(0).store(k32(1)).load(0).branch(0, 0).store(k32(1)).load(1).branch(1, 0).store(k32(2))},
      {"a loop that carries a register",
       Code().label(0).set(0, plus_one(0)).load(5).branch(5, 0).store(Code::var(0)).load(5).branch(5, 0)},
      {"a loop that sets before it reads",
       Code().label(0).load(0).set(1, plus_one(0)).branch(1, 0).store(Code::var(1)).load(2).branch(2, 0)},
      {"a spin with a barrier", Code().label(0).barrier().load(0).branch(0, 0).store(k32(1)).load(1).branch(1, 0)},
      {"a spin under a predicate",
       Code().load(5).label(0).load(0).predicate(5).branch(0, 0).store(k32(1)).load(1).branch(1, 0)},
      {"registers by first use", Code().load(4).load(2).store(Code::var(2)).store(Code::var(4)).store(plus_one(0))},
  };
  std::string out;
  for (const auto& [what, code] : all) {
    prog::Test t;
    t.dialect = vocab::Dialect::vulkan;
    t.syntax = prog::Syntax::spirv;
    t.objects.emplace_back().name = "x";
    t.symbols.push_back({"x", 0, 0, prog::k_none, "", {}});
    t.templates = {spirv::tidied(code.t)};
    t.threads.push_back({});
    out += std::string("## ") + what + "\n";
    for (const prog::Label& l : t.templates[0].labels) out += "label " + l.name + " " + std::to_string(l.at) + "\n";
    out += listing(t);
  }
  golden::compare("lowered/tidied.txt", out);
}

// The same of code that is drawn: every label in one place, jumps to any of them.
TEST(SpirvMade, TidiedCodeThatIsDrawn) {
  mutants::Draw draw(7);
  std::string out;
  for (size_t n = 0; n < 1500; ++n) {
    Code c;
    std::vector<uint32_t> labels = {0, 1, 2, 3};
    const size_t size = 3 + draw.below(10);
    const auto r = [&] { return static_cast<uint32_t>(draw.below(6)); };
    const auto value = [&](uint32_t to) {
      const uint32_t from = r();
      if (to == 5) return from == 5 ? Code::var(5) : term::truth(Code::var(from));
      if (draw.below(3) == 0 || from == 5) return k32(draw.below(3));
      return draw.below(2) == 0 ? Code::var(from) : plus_one(from);
    };
    for (size_t k = 0; k < size; ++k) switch (draw.below(9)) {
        case 0:
        case 1:
          if (labels.empty()) break;
          c.label(labels.back());
          labels.pop_back();
          break;
        case 2:
          c.jump(static_cast<uint32_t>(draw.below(4)));
          break;
        case 3:
        case 4:
          c.branch(r(), static_cast<uint32_t>(draw.below(4)));
          break;
        case 5: {
          const uint32_t to = r();
          c.set(to, value(to));
          break;
        }
        case 6:
          c.load(r(), draw.below(4) == 0 ? "undefined" : "OpLoad");
          if (draw.below(4) == 0) c.predicate(5);
          break;
        case 7:
          c.store(value(static_cast<uint32_t>(draw.below(5))));
          if (draw.below(4) == 0) c.predicate(5);
          break;
        default:
          if (draw.below(4) == 0) c.barrier();
      }
    while (!labels.empty()) {
      c.label(labels.back());
      labels.pop_back();
    }
    prog::Test t;
    t.dialect = vocab::Dialect::vulkan;
    t.syntax = prog::Syntax::spirv;
    t.objects.emplace_back().name = "x";
    t.symbols.push_back({"x", 0, 0, prog::k_none, "", {}});
    for (size_t at = 0; at < c.t.code.size(); ++at)
      if (c.t.code[at].kind == prog::Kind::label) c.t.labels[c.t.code[at].label].at = static_cast<uint32_t>(at);
    t.templates = {spirv::tidied(c.t)};
    t.threads.push_back({});
    std::string all = listing(t);
    for (const prog::Label& l : t.templates[0].labels) all += l.name + " " + std::to_string(l.at) + "\n";
    out += std::to_string(n) + " " + mutants::digest(all) + "\n";
  }
  golden::compare("mutants/tidied.txt", out);
}

}  // namespace
}  // namespace spirv_test
