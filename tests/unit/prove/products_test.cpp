// Products of ids and sizes: what is stated of each, what sums of them become, and what they are for few threads, all
// of it as text.
#include "prove/products.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "../spirv/golden.h"

namespace fencepost::prove {
namespace {

using formula::Op;

// A launch whose sizes are fixed or open, with the ids of two threads; and what is written down of it.
class Sheet {
 public:
  explicit Sheet(const std::array<uint64_t, Products::k_axes>& fixed) : products(p) {
    products.launch(fixed, [this](Term t) { facts.push_back(t); });
    static constexpr const char* k_names[] = {"w", "h", "d", "n", "m", "l"};
    for (size_t a = 0; a < Products::k_axes; ++a) size[a] = products.size(a, k_names[a]);
    for (size_t a = 0; a < Products::k_axes; ++a)
      for (int t = 0; t < 2; ++t)
        id[a][static_cast<size_t>(t)] = products.id(a, t, fmt::format("{}{}", "xyzabc"[a], t));
    k = p.variable(32, "k");
    j = p.variable(32, "j");
    b = p.variable(8, "b");
    c = p.variable(1, "c");
  }
  std::string print(Term t) { return t ? p.print(t) : "none"; }
  void say(const std::string& line) { out += line + "\n"; }
  void show(const std::string& name, Term t) {
    say(name + " = " + print(t));
    news();
  }
  // What was stated and defined since.
  void news() {
    for (; told < facts.size(); ++told) {
      say("  " + print(facts[told]));
      if (!products.lemma(facts[told])) out.insert(out.size() - 1, " (of the launch)");
    }
    for (; defined < products.definitions().size(); ++defined) say("  := " + print(products.definitions()[defined]));
  }
  void split(const std::string& name, Term x, Term y) {
    say(name);
    for (const Products::Split& s : products.splits(x, y))
      say(fmt::format("  by {}: {} rest {}; {} rest {}", print(s.unit), print(s.quotient[0]), print(s.rest[0]),
                      print(s.quotient[1]), print(s.rest[1])));
    news();
  }
  void few(const Products::Sizes& sizes, bool exactly) {
    const auto& memo = products.small(sizes, exactly);
    for (Term t : products.replaced())
      if (const auto it = memo.find(t.id); it != memo.end())
        say(fmt::format("  {} -> {}", print(t), print(it->second)));
  }

  Pool p;
  Products products;
  std::vector<Term> facts;
  std::array<Term, Products::k_axes> size;
  std::array<std::array<Term, 2>, Products::k_axes> id;
  Term k, j, b, c;
  std::string out;
  size_t told = 0, defined = 0;
};

std::string one_axis() {
  Sheet s({0, 1, 1, 0, 1, 1});
  Pool& p = s.p;
  s.news();
  const Term w = s.size[0], n = s.size[3];
  const auto &x = s.id[0], &a = s.id[3];
  s.show("a0 * w", p.mul(a[0], w));
  s.show("a1 * w", p.mul(a[1], w));
  s.show("n * w", p.mul(n, w));
  s.show("k * w", p.mul(s.k, w));
  s.show("j * w", p.mul(s.j, w));
  s.show("again", p.mul(s.k, w));
  s.show("w * w", p.mul(w, w));
  s.show("x0 * x1", p.mul(x[0], x[1]));
  s.show("b * w", p.mul(p.zext(s.b, 32), w));
  s.show("b * w in 16 bits", p.mul(p.zext(s.b, 16), p.extract(w, 0, 16)));
  s.show("of the low bits", p.mul(p.extract(p.zext(s.k, 64), 0, 32), n));
  s.show("of the low bits of 64", p.mul(p.extract(p.variable(64, "v"), 0, 32), n));
  s.show("of the high bits", p.mul(p.extract(p.variable(64, "v'"), 32, 32), n));
  s.show("of 16 of the low bits", p.mul(p.zext(p.extract(p.variable(64, "v''"), 0, 16), 32), n));
  s.show("wide", p.mul(p.zext(s.k, 64), p.zext(n, 64)));
  s.show("of unknown size", p.mul(p.variable(64, "u"), p.zext(w, 64)));
  s.show("k * j", p.mul(s.k, s.j));
  s.say(s.products.assumption());
  s.say("exactly 3 and 5");
  s.few({3, 1, 1, 5, 1, 1}, true);
  s.say("up to 4 and 8");
  s.few({4, 1, 1, 8, 1, 1}, false);
  return s.out;
}

std::string three_axes() {
  Sheet s({0, 0, 1, 0, 0, 1});
  Pool& p = s.p;
  s.told = s.facts.size();
  const Term w = s.size[0], h = s.size[1], n = s.size[3];
  const auto &x = s.id[0], &y = s.id[1], &a = s.id[3];
  const Term area = p.mul(w, h);
  s.show("y0 * w", p.mul(y[0], w));
  s.show("a0 * area", p.mul(a[0], area));
  s.show("y1 * w", p.mul(y[1], w));
  s.show("x0 * y1", p.mul(x[0], y[1]));
  s.show("k * area", p.mul(s.k, area));
  s.show("area * n * m", p.mul(p.mul(area, n), s.size[4]));
  s.say("up to 2, 3, 4 and 1");
  s.few({2, 3, 1, 4, 1, 1}, false);
  return s.out;
}

std::string sums() {
  Sheet s({0, 0, 1, 0, 1, 1});
  Pool& p = s.p;
  const Term w = s.size[0], h = s.size[1], n = s.size[3], area = p.mul(w, h);
  const auto &x = s.id[0], &y = s.id[1], &a = s.id[3];
  const auto number = [&](uint64_t v) { return p.constant(v, 32); };
  std::array<Term, 2> row, place, four, tile;
  const Term t = p.zext(s.b, 32), u = p.zext(p.variable(8, "e"), 32);
  for (size_t i = 0; i < 2; ++i) {
    row[i] = p.add(p.mul(y[i], w), x[i]);
    place[i] = p.add(p.mul(a[i], area), row[i]);
    four[i] = p.scale(place[i], 4);
    tile[i] = p.add(p.mul(i == 0 ? t : u, w), x[i]);
  }
  const auto line = [&](const std::string& name, Term term) { s.say(name + " = " + s.print(term)); };
  line("rows", p.eq(row[0], row[1]));
  line("places", p.eq(place[0], place[1]));
  line("places by 4", p.eq(four[0], four[1]));
  line("places by 4 and 3", p.eq(p.add(four[0], number(3)), four[1]));
  line("places by 4 and below 4", p.eq(p.add(four[0], p.and_(t, number(3))), p.add(four[1], p.and_(u, number(3)))));
  line("places by 4 and up to 4", p.eq(p.add(four[0], p.and_(t, number(7))), p.add(four[1], p.and_(u, number(7)))));
  line("row and column", p.eq(row[0], p.add(p.mul(x[1], h), y[1])));
  line("row and id", p.eq(row[0], x[1]));
  line("row and area", p.eq(row[0], area));
  line("area and row", p.eq(area, row[0]));
  line("row and width", p.eq(row[0], w));
  line("places and area", p.eq(place[0], area));
  line("places and all", p.eq(place[0], p.mul(area, n)));
  line("tiles", p.eq(tile[0], tile[1]));
  line("tile and row", p.eq(tile[0], row[1]));
  line("two counters",
       p.eq(p.add(p.add(p.mul(p.scale(t, 2), w), p.mul(p.and_(u, number(1)), w)), x[0]), p.add(p.mul(u, w), x[1])));
  line("ids", p.eq(x[0], x[1]));
  line("ids and 1", p.eq(p.add(x[0], number(1)), x[1]));
  line("of two axes", p.eq(p.add(x[0], y[0]), p.add(x[1], y[1])));
  line("twice an axis", p.eq(p.add(p.mul(x[0], w), x[0]), p.add(p.mul(x[1], w), x[1])));
  line("with a hole", p.eq(p.add(p.mul(a[0], area), x[0]), p.add(p.mul(a[1], area), x[1])));
  line("negative", p.eq(p.sub(row[0], number(1)), row[1]));
  line("numbers", p.eq(t, u));
  line("twice the width", p.eq(p.add(p.mul(y[0], p.scale(w, 2)), x[0]), p.add(p.mul(y[1], p.scale(w, 2)), x[1])));
  line("half the width", p.eq(p.add(p.mul(y[0], w), p.scale(x[0], 2)), p.add(p.mul(y[1], w), p.scale(x[1], 2))));
  line("large", p.eq(p.add(p.scale(y[0], 1 << 24), x[0]), p.add(p.scale(y[1], 1 << 24), x[1])));
  line("less large",
       p.eq(p.add(p.mul(y[0], w), p.scale(x[0], (1 << 24) - 1)), p.add(p.mul(y[1], w), p.scale(x[1], (1 << 24) - 1))));
  line("row < area", p.ult(row[0], area));
  line("row < width", p.ult(row[0], w));
  line("id < width", p.ult(x[0], w));
  line("id < height", p.ult(x[0], h));
  line("id < area", p.ult(x[0], area));
  line("id + 1 < width", p.ult(p.add(x[0], number(1)), w));
  line("place < all", p.ult(place[0], p.mul(area, n)));
  line("by 4 < all by 4", p.ult(four[0], p.scale(p.mul(area, n), 4)));
  line("by 4 < all by 3", p.ult(four[0], p.scale(p.mul(area, n), 3)));
  line("by 4 < all by 5", p.ult(four[0], p.scale(p.mul(area, n), 5)));
  line("area < row", p.ult(area, row[0]));
  line("0 < width", p.ult(number(0), w));
  line("tile < rows", p.ult(tile[0], p.scale(w, 256)));
  line("tile < fewer rows", p.ult(tile[0], p.scale(w, 255)));
  // Of 64 bits: nothing wraps that is said not to.
  const auto wide = [&](Term v) { return p.zext(v, 64); };
  const auto times = [&](uint64_t by, Term v) { return p.scale(v, by); };
  const auto bits = [&](uint8_t n, const char* name) { return wide(p.variable(n, name)); };
  std::array<Term, 2> e, k, far, near, k24, k23, kk;
  for (size_t i = 0; i < 2; ++i) {
    e[i] = p.zext(p.variable(4, i == 0 ? "e4" : "f4"), 32);
    k[i] = i == 0 ? wide(s.k) : wide(s.j);
    const Term in_row = p.mul(wide(y[i]), wide(w));
    far[i] = p.add(times(1 << 24, in_row), wide(x[i]));
    near[i] = p.add(times((1 << 24) - 1, in_row), wide(x[i]));
    k24[i] = p.add(p.mul(bits(24, i == 0 ? "k24" : "j24"), wide(w)), wide(x[i]));
    k23[i] = p.add(p.mul(bits(23, i == 0 ? "k23" : "j23"), wide(w)), wide(x[i]));
    kk[i] = p.add(times(2, p.mul(k[i], wide(w))), wide(x[i]));
  }
  line("by 8, which wraps", p.eq(times(8, place[0]), times(8, place[1])));
  line("far rows", p.eq(far[0], far[1]));
  line("less far rows", p.eq(near[0], near[1]));
  line("rows of 24 bits", p.eq(k24[0], k24[1]));
  line("rows of 23 bits", p.eq(k23[0], k23[1]));
  line("rows of 33 bits", p.eq(kk[0], kk[1]));
  line("33 bits < 2^40 widths", p.ult(kk[0], times(uint64_t{1} << 40, wide(w))));
  line("2^32 < 2^40 widths",
       p.ult(times(2, p.mul(p.add(bits(31, "k31"), p.constant(1, 64)), wide(w))), times(uint64_t{1} << 40, wide(w))));
  line("of any size", p.eq(p.add(p.mul(p.variable(64, "u0"), wide(w)), wide(x[0])),
                           p.add(p.mul(p.variable(64, "u1"), wide(w)), wide(x[1]))));
  line("33 bits", p.mul(p.add(k[0], p.constant(1, 64)), wide(h)));
  line("times an id", p.eq(p.mul(t, x[0]), p.mul(u, x[0])));
  line("times ids", p.eq(p.mul(t, x[0]), p.mul(u, x[1])));
  line("ids of two axes", p.eq(p.mul(x[0], y[0]), p.mul(x[1], y[1])));
  line("late digit", p.eq(p.add(times(16, x[0]), e[0]), p.add(times(16, x[1]), e[1])));
  line("late digit of a row", p.eq(p.add(times(16, row[0]), e[0]), p.add(times(16, row[1]), e[1])));
  line("two numbers", p.eq(p.add(times(16, t), e[0]), p.add(times(16, u), e[1])));
  line("two numbers of one unit", p.eq(p.add(x[0], p.mul(p.add(t, e[0]), w)), p.add(x[1], p.mul(p.add(u, e[1]), w))));
  line("row and place", p.eq(row[0], place[1]));
  line("place and row", p.eq(place[0], row[1]));
  line("starts of rows", p.eq(p.mul(y[0], w), p.mul(y[1], w)));
  line("twice ids", p.eq(times(2, x[0]), times(2, x[1])));
  line("twice starts of rows", p.eq(times(2, p.mul(y[0], w)), times(2, p.mul(y[1], w))));
  line("number and 16 ids", p.eq(e[0], p.add(times(16, x[0]), number(16))));
  line("number and 8 ids", p.eq(e[0], p.add(times(8, x[0]), number(8))));
  line("id < width + height", p.ult(x[0], p.add(w, h)));
  line("id < width - 1", p.ult(x[0], p.sub(w, number(1))));
  line("id < k widths", p.ult(x[0], p.mul(t, w)));
  line("id < id", p.ult(x[0], x[1]));
  line("row < id heights", p.ult(y[0], p.mul(x[1], h)));
  line("number < width", p.ult(e[0], w));
  line("number < 16 widths", p.ult(e[0], times(16, w)));
  line("number < 15 widths", p.ult(e[0], times(15, w)));
  line("5 / 8 widths", p.udiv(number(5), times(8, w)));
  line("place / (width + height)", p.udiv(place[0], p.add(w, h)));
  line("place / (width - 1)", p.udiv(place[0], p.sub(w, number(1))));
  line("place / k widths", p.udiv(place[0], p.mul(t, w)));
  line("7 ids / 7", p.udiv(p.add(times(7, x[0]), p.and_(t, number(3))), number(7)));
  line("place / id widths", p.udiv(place[0], p.mul(y[1], w)));
  for (const auto& [name, by] : {std::pair{"width", w},
                                 {"height", h},
                                 {"area", area},
                                 {"all", p.mul(area, n)},
                                 {"2 widths", p.scale(w, 2)},
                                 {"width + 1", p.add(w, number(1))},
                                 {"id", x[1]},
                                 {"7", number(7)},
                                 {"groups", n}}) {
    line(fmt::format("place / {}", name), p.udiv(place[0], by));
    line(fmt::format("place % {}", name), p.urem(place[0], by));
    line(fmt::format("tile / {}", name), p.udiv(tile[0], by));
    line(fmt::format("tile % {}", name), p.urem(tile[0], by));
  }
  line("by 4 / 4 areas", p.udiv(four[0], p.scale(area, 4)));
  line("by 4 / 2 areas", p.udiv(four[0], p.scale(area, 2)));
  line("by 4 / area", p.udiv(four[0], area));
  line("by 4 % area", p.urem(four[0], area));
  line("by 4 + 1 % 4 widths", p.urem(p.add(four[0], number(1)), p.scale(w, 4)));
  line("one of two / width", p.udiv(p.ite(s.c, row[0], place[0]), w));
  line("one of two % width", p.urem(p.ite(s.c, row[0], place[0]), w));
  line("one of two, wide, / width", p.udiv(p.zext(p.ite(s.c, x[0], row[0]), 64), p.zext(w, 64)));
  line("one of two, cut, / width", p.udiv(p.extract(p.ite(s.c, p.zext(x[0], 64), p.zext(row[0], 64)), 0, 32), w));
  line("k / width", p.udiv(s.k, w));
  line("k % width", p.urem(s.k, w));
  line("k * width / width", p.udiv(p.mul(t, w), w));
  line("k * width + id / width", p.udiv(p.add(p.mul(t, w), x[0]), w));
  line("row - 1 / width", p.udiv(p.sub(row[0], number(1)), w));
  s.told = s.facts.size();
  s.defined = s.products.definitions().size();
  s.split("places", place[0], place[1]);
  s.split("places by 4", p.add(four[0], number(2)), four[1]);
  s.split("rows by 4", p.add(p.scale(row[0], 4), number(2)), p.scale(row[1], 4));
  s.split("tiles and halves", p.add(p.scale(tile[0], 2), p.mul(u, p.scale(w, 3))), p.scale(tile[1], 6));
  s.split("starts of rows", p.mul(y[0], w), p.mul(y[1], w));
  s.split("start and row", p.mul(y[0], w), row[1]);
  s.split("two ways", p.add(p.mul(y[0], w), x[0]), p.add(p.mul(x[1], h), y[1]));
  s.split("rows and tiles", row[0], tile[1]);
  s.split("ids", x[0], x[1]);
  s.split("number and row", number(5), row[1]);
  s.split("negative", p.sub(x[0], number(1)), x[1]);
  s.split("negative too", x[0], p.sub(x[1], number(1)));
  s.split("numbers", t, p.add(u, number(1)));
  return s.out;
}

std::string questions() {
  Sheet s({0, 0, 1, 0, 1, 1});
  Pool& p = s.p;
  const Term w = s.size[0], h = s.size[1];
  const auto number = [&](uint64_t v) { return p.constant(v, 32); };
  const auto positive = [&](const std::string& name, Term t) {
    s.say(fmt::format("{} {}", name, s.products.positive(t)));
  };
  positive("w", w);
  positive("x0", s.id[0][0]);
  positive("w * h", p.mul(w, h));
  positive("w + 1", p.add(w, number(1)));
  positive("w + x0", p.add(w, s.id[0][0]));
  positive("w - 1", p.sub(w, number(1)));
  positive("k", s.k);
  positive("k * w", p.mul(p.zext(s.b, 32), w));
  positive("2 * all", p.scale(p.mul(p.mul(w, h), s.size[3]), 2));
  positive("4 * all", p.scale(p.mul(p.mul(w, h), s.size[3]), 4));
  positive("0", number(0));
  positive("1", number(1));
  positive("-1", number(0xffffffff));
  positive("b + 1", p.add(p.zext(s.b, 32), number(1)));
  const auto stepped = [&](const std::string& name, Term k, Term step, uint8_t bits) {
    s.say(name + " = " + s.print(s.products.stepped(k, step, bits)));
  };
  s.told = s.facts.size();
  s.defined = s.products.definitions().size();
  const Term wide = p.variable(32, "i");
  stepped("i by 3", wide, number(3), 32);
  stepped("i by w", wide, w, 32);
  s.news();
  stepped("i by w in 40 bits", p.variable(32, "i'"), w, 40);
  stepped("i by 2 * w", wide, p.scale(w, 2), 32);
  stepped("i by w + 1", wide, p.add(w, number(1)), 32);
  stepped("i by w - 1", wide, p.sub(w, number(1)), 32);
  stepped("i by x0", wide, s.id[0][0], 32);
  stepped("i by k", wide, s.k, 32);
  // What is no sum of sizes may be another number of each thread.
  stepped("i by b + 64", wide, p.add(p.zext(s.b, 32), number(64)), 32);
  stepped("i by b + w + 1", wide, p.add(p.add(p.zext(s.b, 32), w), number(1)), 32);
  stepped("i by x0 + 1", wide, p.add(s.id[0][0], number(1)), 32);
  const auto variable = [&](const std::string& name, Term t) {
    while (p[t].op == Op::zext) t = p[t].kids[0];
    s.say(fmt::format("{}: number {}, size {}", name, s.products.number(t), s.products.is_size(p[t].value)));
  };
  variable("w", w);
  variable("x0", s.id[0][0]);
  variable("w * h", p.mul(w, h));
  variable("x0 * h", p.mul(s.id[0][0], h));
  variable("k", s.k);
  variable("b * w", p.mul(p.zext(s.b, 32), w));
  return s.out;
}

// How many bits numbers have, by what is fixed; and that what is fixed stays a number.
std::string fixed() {
  std::string out;
  for (const std::array<uint64_t, Products::k_axes>& sizes :
       std::initializer_list<std::array<uint64_t, Products::k_axes>>{{0, 1, 1, 1, 1, 1},
                                                                     {1, 1, 1, 0, 1, 1},
                                                                     {32, 1, 1, 0, 1, 1},
                                                                     {33, 0, 1, 0, 1, 1},
                                                                     {0, 16, 4, 7, 1, 1},
                                                                     {1024, 1, 0, 0, 1, 1},
                                                                     {1, 1, 1, 1 << 20, 0, 1},
                                                                     {1, 1, 1, 1u << 19, 0, 1},
                                                                     {1, 1, 1, uint64_t{1} << 40, 0, uint64_t{1} << 40},
                                                                     {2, 3, 5, 7, 11, 13}}) {
    Sheet s(sizes);
    Pool& p = s.p;
    out += fmt::format("{} {}\n", s.products.any(), s.products.assumption());
    for (size_t a = 0; a < Products::k_axes; ++a)
      out += fmt::format("  {} {} {} {}", s.print(s.size[a]), s.print(s.id[a][0]), p[s.id[a][1]].high,
                         p.width(s.id[a][0]));
    out += "\n";
    for (Term t : s.facts) out += "  " + s.print(t) + "\n";
    out += "  " + s.print(p.mul(p.mul(s.id[3][0], s.size[4]), s.size[0])) + "\n";
  }
  return out;
}

// Numbers whose bits do not suffice for what is asked of `small`.
std::string many() {
  Sheet s({0, 0, 1, 0, 1, 1});
  s.p.mul(s.p.mul(s.id[1][0], s.size[0]), s.size[3]);
  s.p.mul(s.k, s.size[3]);
  s.say("exactly");
  s.few({1 << 10, 1 << 10, 1, 1 << 20, 1, 1}, true);
  s.say("up to");
  s.few({1 << 10, 1 << 10, 1, 1 << 20, 1, 1}, false);
  s.say("all but one");
  s.few({(1 << 15) - 1, 1, 1, 5, 1, 1}, true);
  s.say("with sizes where they are fixed");
  s.few({16, 16, 1 << 12, 16, 1 << 20, 2}, false);
  s.say("one");
  s.few({1, 1, 1, 1, 1, 1}, false);
  s.p.mul(s.id[0][1], s.size[3]);
  s.p.mul(s.j, s.size[3]);
  s.say("and later");
  s.few({1, 1, 1, 1, 1, 1}, false);
  return s.out;
}

// Every axis is open.
std::string six_axes() {
  Sheet s({0, 0, 0, 0, 0, 0});
  Pool& p = s.p;
  s.told = s.facts.size();
  for (size_t a = 3; a < 6; ++a) s.show(fmt::format("axis {}", a), p.mul(s.id[0][0], s.size[a]));
  s.show("whole rows", p.mul(s.id[5][0], s.size[2]));
  s.show("of the other", p.mul(s.id[5][1], s.size[2]));
  return s.out;
}

// Rows are told apart as long as there are few; and there may be sizes without ids.
std::string rows() {
  Sheet s({0, 1, 1, 1, 1, 1});
  for (int n = 0; n < 28; ++n) {
    const size_t before = s.facts.size();
    s.p.mul(s.p.variable(32, "k"), s.size[0]);
    s.say(std::to_string(s.facts.size() - before));
  }
  Pool p;
  Products products(p);
  products.launch({0, 0, 1, 1, 1, 1}, [](Term) {});
  products.size(1, "h");
  const Term w = products.size(0, "w"), x = products.id(0, 1, "x1");
  p.mul(w, p.zext(p.variable(8, "b"), 32));
  s.say(fmt::format("{}", products.small({4, 2, 1, 1, 1, 1}, false).size()) + " " + p.print(x));
  return s.out;
}

TEST(Products, what_is_stated_of_them_and_what_sums_become) {
  std::string said;
  const auto part = [&](const char* title, const std::string& text) {
    said += fmt::format("---- {}\n{}", title, text);
  };
  part("one axis", one_axis());
  part("three axes", three_axes());
  part("sums", sums());
  part("questions", questions());
  part("sizes that are fixed", fixed());
  part("six axes", six_axes());
  part("rows", rows());
  part("small launches of large sizes", many());
  golden::compare("prove/products.txt", said);
}

}  // namespace
}  // namespace fencepost::prove
