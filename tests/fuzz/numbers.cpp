#include "numbers.h"

#include <fmt/format.h>

#include <vector>

#include "draft.h"

namespace fencepost::fuzz {

namespace {

struct Type {
  const char* name;
  unsigned bits;
  bool sign;
};
constexpr Type k_types[] = {{"char", 8, true}, {"uchar", 8, false}, {"short", 16, true}, {"ushort", 16, false},
                            {"int", 32, true}, {"uint", 32, false}, {"long", 64, true},  {"ulong", 64, false}};
constexpr Type k_int = k_types[4], k_uint = k_types[5], k_long = k_types[6];

// Bits above the type's repeat its sign, or are zero.
struct Number {
  Type type = k_int;
  uint64_t bits = 0;
};
Number converted(Number n, Type to) {
  uint64_t b = n.bits;
  if (to.bits < 64) {
    b &= (uint64_t{1} << to.bits) - 1;
    if (to.sign && (b >> (to.bits - 1) & 1) != 0) b |= ~uint64_t{0} << to.bits;
  }
  return {to, b};
}
std::string text(const Number& n) {
  return n.type.sign ? std::to_string(static_cast<int64_t>(n.bits)) : std::to_string(n.bits);
}

Type promoted(Type t) { return t.bits < 32 ? k_int : t; }
Type common(Type a, Type b) {
  a = promoted(a), b = promoted(b);
  if (a.bits != b.bits) return a.bits > b.bits ? a : b;
  return a.sign ? b : a;
}

struct Expression {
  std::string text;
  Number value;
};

struct Numbers {
  Rng& rng;
  bool cuda;
  std::vector<Expression> known = {};  // registers and what they hold

  Type type() { return k_types[rng.below(std::size(k_types))]; }
  std::string spelt(const Type& t) {
    const std::string n = t.name;
    return cuda && n[0] == 'u' ? "unsigned " + n.substr(1) : n;
  }
  Expression constant() {
    static const int k_edges[] = {0, 1, 2, 3, 100, 127, 128, 200, 255, 256, 32767, 32768, 65535, 65536, 2147483647};
    const int v = k_edges[rng.below(std::size(k_edges))];
    return {std::to_string(v), {k_int, static_cast<uint64_t>(v)}};
  }
  Expression leaf() { return known.empty() || rng.chance(0.3) ? constant() : known[rng.below(known.size())]; }

  // Signed overflow has no value in C: it is computed in `long`, where these operands cannot overflow but by chance.
  Expression expression(int depth) {
    if (depth == 0 || rng.chance(0.25)) return leaf();
    const Expression a = expression(depth - 1), b = expression(depth - 1);
    const size_t kind = rng.below(4);
    const Type t = common(a.value.type, b.value.type);
    const uint64_t x = converted(a.value, t).bits, y = converted(b.value, t).bits;
    if (kind == 0) {
      static const char* const k_ops[] = {"&", "|", "^"};
      const size_t op = rng.below(3);
      return {fmt::format("({} {} {})", a.text, k_ops[op], b.text), converted({t, op == 0   ? x & y
                                                                                  : op == 1 ? x | y
                                                                                            : x ^ y},
                                                                              t)};
    }
    if (kind == 1) {
      const size_t op = rng.below(4);
      static const char* const k_ops[] = {"<", ">", "==", "!="};
      const bool less = t.sign ? static_cast<int64_t>(x) < static_cast<int64_t>(y) : x < y;
      const bool truth = op == 0 ? less : op == 1 ? !less && x != y : op == 2 ? x == y : x != y;
      return {fmt::format("({} {} {})", a.text, k_ops[op], b.text), {k_int, truth ? 1u : 0u}};
    }
    const size_t op = rng.below(3);
    static const char* const k_ops[] = {"+", "-", "*"};
    const Type wide = t.sign ? k_long : t;
    const uint64_t r = op == 0 ? x + y : op == 1 ? x - y : x * y;
    if (t.sign) {
      __int128 exact = static_cast<int64_t>(x);
      const __int128 other = static_cast<int64_t>(y);
      exact = op == 0 ? exact + other : op == 1 ? exact - other : exact * other;
      const auto most = static_cast<__int128>(t.bits == 64 ? INT64_MAX : INT32_MAX);
      if (exact > most || exact < -most - 1) return a;
    }
    return {fmt::format("({} {} {})", a.text, k_ops[op], b.text), converted({wide, r}, t)};
  }
};

}  // namespace

Known known_numbers(Rng& rng) {
  Numbers g{rng, rng.chance(0.4)};
  const size_t cells = 1 + rng.below(3);
  std::string head, parameters, body, question;
  std::vector<Expression> finals;
  for (size_t l = 0; l < cells; ++l) {
    const Type t = g.type();
    const Number start = converted(g.constant().value, t);
    head += fmt::format("{} = {}; ", g.cuda ? k_locations[l] : fmt::format("[{}]", k_locations[l]), text(start));
    parameters += fmt::format("{}{}{}* {}", l == 0 ? "" : ", ", g.cuda ? "" : "global ", g.spelt(t), k_locations[l]);
    finals.push_back({k_locations[l], start});
  }
  for (uint32_t r = 0, n = 2 + static_cast<uint32_t>(rng.below(4)); r < n; ++r) {
    const Type t = g.type();
    const size_t l = rng.below(cells);
    Expression e = rng.chance(0.3) ? Expression{"*" + finals[l].text, finals[l].value} : g.expression(2);
    body += fmt::format("  {} r{} = {};\n", g.spelt(t), r, e.text);
    g.known.push_back({fmt::format("r{}", r), converted(e.value, t)});
    if (!rng.chance(0.5)) continue;
    e = g.expression(1);
    body += fmt::format("  *{} = {};\n", finals[l].text, e.text);
    finals[l].value = converted(e.value, finals[l].value.type);
  }
  for (const Expression& k : g.known) finals.push_back({"0:" + k.text, k.value});
  const size_t turned = rng.below(finals.size());
  std::string other;
  for (size_t i = 0; i < finals.size(); ++i) {
    const Number& v = finals[i].value;
    // An equation, or a comparison with a number that has the same bits under another sign.
    const bool negative = v.type.sign && static_cast<int64_t>(v.bits) < 0;
    const char* sign = rng.chance(0.5) ? "=" : negative ? "<" : ">=";
    const std::string right = sign[0] == '=' ? text(v) : "0";
    question += fmt::format("{}{} {} {}", i == 0 ? "" : " /\\ ", finals[i].text, sign, right);
    const char* turn = sign[0] == '=' ? "!=" : sign[0] == '<' ? ">=" : "<";
    other += fmt::format("{}{} {} {}", i == 0 ? "" : " /\\ ", finals[i].text, i == turned ? turn : sign, right);
  }
  const std::string text = fmt::format("{} numbers\n{{ {}}}\nP0@{} ({}) {{\n{}}}\n", g.cuda ? "CUDA" : "OPENCL", head,
                                       g.cuda ? "block 0, device 0" : "wg 0, dev 0", parameters, body);
  return {text + "forall (" + question + ")\n", text + "forall (" + other + ")\n"};
}

}  // namespace fencepost::fuzz
