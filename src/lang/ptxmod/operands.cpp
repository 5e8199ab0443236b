// Sizes and kinds of registers (PTX ISA, "Operand Type Checking" and "Operand Size Exceeding Instruction-Type Size"):
// a register has the size of the instruction's type, of `ld`, `st` and `cvt` at least that size; one of bits stands
// beside every type, an integer and a floating point number never beside each other. ptxas refuses the same.
//
// Each instruction has a pattern, a letter per operand:
//   t  the last type of the instruction     T  the same, or wider
//   d  the type before it                   D  the same, or wider
//   w  twice as wide as t                   u  32 bits            p  a predicate
//   .  anything (addresses, labels, what another file looks at)
// Instructions without a pattern are looked at by nobody here: what is read of them has its own checks.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "litmus/lexer.h"
#include "ptxmod/lower.h"

namespace fencepost::ptxmod {
namespace {

struct Shape {
  uint32_t width = 0;  // bits; 0: unknown, anything goes
  char kind = 'b';
};

Shape shape_of(const std::string& type) {
  static const std::map<std::string, Shape> shapes = {
      {"b8", {8, 'b'}},    {"u8", {8, 'i'}},     {"s8", {8, 'i'}},   {"b16", {16, 'b'}},    {"u16", {16, 'i'}},
      {"s16", {16, 'i'}},  {"b32", {32, 'b'}},   {"u32", {32, 'i'}}, {"s32", {32, 'i'}},    {"b64", {64, 'b'}},
      {"u64", {64, 'i'}},  {"s64", {64, 'i'}},   {"f16", {16, 'b'}}, {"bf16", {16, 'b'}},   {"f32", {32, 'f'}},
      {"f64", {64, 'f'}},  {"f16x2", {32, 'b'}}, {"pred", {1, 'b'}}, {"bf16x2", {32, 'b'}}, {"u16x2", {32, 'b'}},
      {"s16x2", {32, 'b'}}};
  const auto it = shapes.find(type);
  return it == shapes.end() ? Shape{} : it->second;
}

const char* pattern_of(const Node& n) {
  static const std::map<std::string, const char*> patterns = {
      {"add", "ttt"},   {"sub", "ttt"},      {"min", "tttt"},    {"max", "tttt"},  {"div", "ttt"},    {"rem", "ttt"},
      {"abs", "tt"},    {"neg", "tt"},       {"sad", "tttt"},    {"mul24", "ttt"}, {"mad24", "tttt"}, {"addc", "ttt"},
      {"subc", "ttt"},  {"madc", "tttt"},    {"popc", "ut"},     {"clz", "ut"},    {"bfind", "ut"},   {"brev", "tt"},
      {"bfe", "ttuu"},  {"bfi", "tttuu"},    {"bmsk", "tuu"},    {"szext", "ttu"}, {"and", "ttt"},    {"or", "ttt"},
      {"xor", "ttt"},   {"not", "tt"},       {"cnot", "tt"},     {"shl", "ttu"},   {"shr", "ttu"},    {"shf", "tttu"},
      {"prmt", "tttt"}, {"dp4a", "tttt"},    {"dp2a", "tttt"},   {"fma", "tttt"},  {"sqrt", "tt"},    {"rsqrt", "tt"},
      {"rcp", "tt"},    {"sin", "tt"},       {"cos", "tt"},      {"lg2", "tt"},    {"ex2", "tt"},     {"tanh", "tt"},
      {"testp", "pt"},  {"copysign", "ttt"}, {"setp", "pttp"},   {"set", "dttp"},  {"selp", "tttp"},  {"slct", "dddt"},
      {"mov", "tt"},    {"cvta", "tt"},      {"cvt", "DT"},      {"ld", "T."},     {"ldu", "T."},     {"st", ".T"},
      {"atom", "t.tt"}, {"red", ".t"},       {"activemask", "u"}};
  const std::string& head = n.words[0];
  if (head == "mul" || head == "mad") {
    const bool wide = std::find(n.words.begin(), n.words.end(), "wide") != n.words.end();
    return head == "mul" ? (wide ? "wtt" : "ttt") : (wide ? "wttw" : "tttt");
  }
  const std::string second = n.words.size() > 1 ? n.words[1] : "";
  if (head == "lop3") return n.words.size() == 2 ? "tttt" : nullptr;
  if (head == "shfl") return second == "sync" ? "ttuuu" : nullptr;
  if (head == "vote") return second != "sync" ? nullptr : n.words.size() > 2 && n.words[2] == "ballot" ? "upu" : "ppu";
  if (head == "bar" || head == "barrier") return second == "red" || second == "cluster" ? nullptr : "uu";
  if ((head == "red" || head == "st" || head == "mov") && (second == "async" || n.words.back() == "b128"))
    return nullptr;
  if (head == "cvt" && (second == "pack" || n.args.size() != 2)) return nullptr;
  const auto it = patterns.find(head);
  return it == patterns.end() ? nullptr : it->second;
}

class Checker {
 public:
  Checker(const Flat& flat, const Node& n) : flat_(flat), n_(n) {}

  void run(const char* pattern) {
    const bool typed = n_.words.size() > 1;
    const Shape last = typed ? shape_of(n_.words.back()) : Shape{};
    const Shape before = n_.words.size() > 2 ? shape_of(n_.words[n_.words.size() - 2]) : Shape{};
    for (size_t k = 0; k < n_.args.size() && pattern[k] != '\0'; ++k) {
      const char c = pattern[k];
      const Shape want = c == 't' || c == 'T'   ? last
                         : c == 'd' || c == 'D' ? before
                         : c == 'w'             ? Shape{2 * last.width, last.kind}
                         : c == 'u'             ? Shape{32, 'b'}
                         : c == 'p'             ? Shape{1, 'b'}
                                                : Shape{};
      if (want.width == 0) continue;
      operand(n_.args[k], want, c == 'T' || c == 'D', k);
    }
  }

 private:
  void operand(const Argument& a, Shape want, bool wider, size_t k) {
    if (a.kind == Argument::Kind::list) {
      parts(a, want, wider, k);
      return;
    }
    if (a.kind == Argument::Kind::special) {
      const bool wide = a.name == "clock64" || a.name == "globaltimer";
      if (wide ? want.width < 64 : want.width > 32 || want.width < 16)
        wrong(a, fmt::format("%{} has {} bits", a.name, wide ? 64 : 32), want);
      return;
    }
    if (a.kind != Argument::Kind::reg) return;
    const Register& r = flat_.registers[a.index];
    if (wider && want.width > 1 && r.width > 1 ? r.width < want.width : r.width != want.width)
      wrong(a, fmt::format("{} has {}", a.name, r.width == 1 ? "one bit" : fmt::format("{} bits", r.width)), want);
    if (want.kind != 'b' && r.kind != 'b' && r.kind != want.kind)
      wrong(a, fmt::format("{} is {}", a.name, r.kind == 'f' ? "a floating point number" : "an integer"), want);
  }
  // A vector has a register for each element, mov.b64 {%r1, %r2} takes a value apart, and "d|p" has a second result.
  void parts(const Argument& a, Shape want, bool wider, size_t k) {
    const std::string& head = n_.words[0];
    if (head == "shfl" && k == 0 && a.parts.size() == 2) {
      operand(a.parts[0], want, false, k);
      operand(a.parts[1], {1, 'b'}, false, k);
      return;
    }
    if (head == "mov" && !a.parts.empty() && want.width % a.parts.size() == 0)
      want = {static_cast<uint32_t>(want.width / a.parts.size()), 'b'};
    for (const Argument& p : a.parts) operand(p, want, wider, k);
  }
  [[noreturn]] void wrong(const Argument& a, const std::string& what, Shape want) const {
    litmus::fail_at(a.span.source ? a.span : n_.span,
                    fmt::format("{}: {}, and {} is needed here", n_.mnemonic(), what,
                                want.width == 1    ? "a predicate"
                                : want.kind == 'f' ? fmt::format("a floating point number of {} bits", want.width)
                                : want.kind == 'i' ? fmt::format("an integer of {} bits", want.width)
                                                   : fmt::format("one of {} bits", want.width)),
                    "registers have the type that .reg gives them");
  }

  const Flat& flat_;
  const Node& n_;
};

}  // namespace

void check_operands(const Flat& flat) {
  for (const Node& n : flat.nodes) {
    if (n.kind != Node::Kind::instruction || n.words.empty()) continue;
    if (const char* pattern = pattern_of(n)) Checker(flat, n).run(pattern);
  }
}

}  // namespace fencepost::ptxmod
