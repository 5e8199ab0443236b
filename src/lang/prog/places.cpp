#include "prog/places.h"

#include <algorithm>
#include <optional>
#include <string>

#include "prog/syntax.h"
#include "term/term.h"
#include "vocab/vocab.h"

namespace fencepost::prog {
namespace {

using T = term::Op;

const std::string k_inside = "place.inside";

// Whether e is surely less than `n`, without a sign.
bool surely_below(const term::Expr& e, uint64_t n, int depth = 0) {
  if (e.is_const()) return e.value() < n;
  if (depth > 16) return false;
  const auto kid = [&](size_t k) { return surely_below(e.kids()[k], n, depth + 1); };
  switch (e.op()) {
    case T::and_:
    case T::umin:
      return std::ranges::any_of(e.kids(), [&](const term::Expr& k) { return surely_below(k, n, depth + 1); });
    case T::ite:
      return kid(1) && kid(2);
    case T::zext:
      return (e.kids()[0].width() < 64 && (uint64_t{1} << e.kids()[0].width()) <= n) || kid(0);
    case T::sext: {  // of what has no sign bit
      const uint64_t half = uint64_t{1} << (e.kids()[0].width() - 1);
      return surely_below(e.kids()[0], std::min(n, half), depth + 1);
    }
    case T::urem:
      return e.kids()[1].is_const() && e.kids()[1].value() != 0 && e.kids()[1].value() <= n;
    default:
      return false;
  }
}

uint8_t width_of(const Template& t, const Instr& i) {
  return i.kind == Kind::load ? t.registers[i.dst].width : i.value.width();
}

// Where the access is inside of memory; none: surely so.
std::optional<term::Expr> inside(const Template& t, const Instr& i, const std::vector<Object>& objects,
                                 const std::vector<Symbol>& symbols) {
  if ((i.kind != Kind::load && i.kind != Kind::store && i.kind != Kind::rmw) || !i.addr.index) return std::nullopt;
  const auto below = [](const term::Expr& e, uint64_t n) {
    return term::binary(T::ult, e, term::constant(n, e.width()));
  };
  if (i.addr.symbol != k_none) {
    const uint64_t cells = objects[symbols[i.addr.symbol].object].init.size();
    if (surely_below(i.addr.index, cells)) return std::nullopt;
    return below(i.addr.index, cells);
  }
  if (i.addr.index.is_const()) return std::nullopt;  // the reader has looked
  term::Expr any = term::constant(0, 1);
  for (ObjectId o = 0; o < objects.size(); ++o)
    if (objects[o].width == width_of(t, i))
      any = term::binary(
          T::or_, any,
          below(term::binary(T::sub, i.addr.index, term::constant(address_of(o), 64)), objects[o].init.size()));
  return any;
}

void insert(Template& t, size_t at, Instr i) {
  i.span = t.code[at].span;
  t.code.insert(t.code.begin() + static_cast<std::ptrdiff_t>(at), std::move(i));
  for (Label& l : t.labels)
    if (l.at >= at) ++l.at;
}

bool is_look(const Instr& i) { return i.hidden && i.mnemonic == k_inside; }

}  // namespace

void check_places(Template& t, const std::vector<Object>& objects, const std::vector<Symbol>& symbols) {
  uint32_t made = 0;
  const auto look = [&](size_t& at, const term::Expr& where, const Instr& access) {
    Instr i;
    i.kind = Kind::local;
    i.mnemonic = k_inside;
    i.hidden = true;
    i.dst = static_cast<RegId>(t.registers.size());
    i.value = where;
    if (access.predicate != k_none)  // for who takes it out again
      i.args = {term::variable(access.predicate, t.registers[access.predicate].width),
                term::constant(access.predicate_negated ? 1 : 0, 1)};
    t.registers.push_back({k_inside + std::to_string(made++), 1, "bool", true, true});
    const RegId reg = i.dst;
    insert(t, at++, std::move(i));
    return reg;
  };
  for (size_t k = 0; k < t.code.size(); ++k) {
    const auto where = inside(t, t.code[k], objects, symbols);
    if (!where) continue;
    const Instr access = t.code[k];
    term::Expr runs = term::constant(1, 1);
    if (access.predicate != k_none) {
      runs = term::truth(term::variable(access.predicate, t.registers[access.predicate].width));
      if (access.predicate_negated) runs = term::unary(T::not_, runs);
    }
    const RegId within = look(k, term::binary(T::and_, runs, *where), access);
    const RegId without = look(k, term::binary(T::and_, runs, term::unary(T::not_, *where)), access);
    Instr undefined;
    undefined.kind = Kind::fence;
    undefined.mnemonic = "undefined_behaviour";
    undefined.tags = {vocab::Tag::UB};
    undefined.predicate = without;
    insert(t, k++, std::move(undefined));
    t.code[k].predicate = within;
    t.code[k].predicate_negated = false;
  }
}

bool has_place_checks(const Test& test) {
  return std::ranges::any_of(test.templates, [](const Template& t) {
    return std::ranges::any_of(t.code, [](const Instr& i) { return is_look(i); });
  });
}

Test without_place_checks(const Test& test) {
  Test out = test;
  for (Template& t : out.templates) {
    for (size_t k = 0; k < t.code.size();) {
      if (!is_look(t.code[k])) {
        ++k;
        continue;
      }
      const RegId reg = t.code[k].dst;
      const std::vector<term::Expr> was = t.code[k].args;
      const auto erase = [&](size_t at) {
        t.code.erase(t.code.begin() + static_cast<std::ptrdiff_t>(at));
        for (Label& l : t.labels)
          if (l.at > at) --l.at;
      };
      erase(k);
      for (size_t i = k; i < t.code.size();) {
        if (t.code[i].predicate != reg) {
          ++i;
        } else if (t.code[i].tags.has(vocab::Tag::UB)) {
          erase(i);
        } else {
          t.code[i].predicate = was.empty() ? k_none : static_cast<RegId>(was[0].value());
          t.code[i].predicate_negated = !was.empty() && was[1].is_const(1);
          ++i;
        }
      }
    }
    while (!t.registers.empty() && t.registers.back().name.starts_with(k_inside)) t.registers.pop_back();
  }
  return out;
}

}  // namespace fencepost::prog
