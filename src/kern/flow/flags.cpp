#include "flow/flags.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include "flow/recurrence.h"
#include "ir/cfg.h"

namespace fencepost::flow {

using namespace ir;

namespace {

// constant + a multiple of `unit`; unit 0: the constant alone, 1: nothing is known.
struct Place {
  uint64_t constant = 0, unit = 0;
};

struct Touch {
  Access* access = nullptr;
  Instruction* instruction = nullptr;
  Place place;
  bool load = false, atomic = false, is_volatile = false, polled = false;
};

class Shapes {
 public:
  explicit Shapes(const Function& f) : f_(f), made_(instructions(f)) {}
  Place pointer(ValueId v, int depth = 0) const {
    const auto* c = compute(v);
    if (c == nullptr || c->op != Op::pointer_add || depth > 20) {
      const Value::Kind kind = f_.value(v).kind;
      // The start of an array; what else a pointer may be is not known.
      const bool start = kind == Value::region_address ||
                         (kind == Value::parameter && f_.kernel && f_.parameters[f_.value(v).index].region);
      return {0, start ? 0u : 1u};
    }
    return sum(pointer(c->operands[0], depth + 1), number(c->operands[1], 0));
  }

 private:
  const Compute* compute(ValueId v) const {
    const Instruction* in = made_[v.index];
    return in == nullptr ? nullptr : std::get_if<Compute>(&in->action);
  }
  static Place sum(Place a, Place b) { return {a.constant + b.constant, std::gcd(a.unit, b.unit)}; }
  static Place times(Place a, uint64_t by) { return {a.constant * by, a.unit * by}; }
  // Constants and units stay small, so that nothing wraps.
  Place number(ValueId v, int depth) const {
    const Place p = any_number(v, depth);
    const auto size = static_cast<int64_t>(p.constant);
    return p.unit < 1u << 30 && size < 1 << 30 && -size < 1 << 30 ? p : Place{0, 1};
  }
  Place any_number(ValueId v, int depth) const {
    const Value& value = f_.value(v);
    if (value.kind == Value::constant) {
      const auto w = value.type.width;
      const uint64_t bits = value.constant_bits;
      const bool negative = w < 64 && w > 0 && (bits >> (w - 1) & 1) != 0;
      return {negative ? bits | ~uint64_t{0} << w : bits, 0};
    }
    const auto* c = compute(v);
    if (c == nullptr || depth > 20) return {0, 1};
    const auto operand = [&](size_t i) { return number(c->operands[i], depth + 1); };
    if (c->op == Op::add) return sum(operand(0), operand(1));
    if (c->op == Op::mul)
      for (const size_t i : {0, 1})
        if (f_.value(c->operands[i]).kind == Value::constant)
          return times(operand(1 - i), f_.value(c->operands[i]).constant_bits);
    if (c->op == Op::shl && f_.value(c->operands[1]).kind == Value::constant &&
        f_.value(c->operands[1]).constant_bits < 32)
      return times(operand(0), uint64_t{1} << f_.value(c->operands[1]).constant_bits);
    // A number that is made wider may have wrapped: powers of two divide it all the same.
    if (c->op == Op::sext || c->op == Op::zext) {
      const Place p = operand(0);
      if (p.unit == 0 && c->op == Op::sext) return p;
      const uint64_t two = p.unit & (~p.unit + 1);
      return two == 0 ? Place{0, 1} : Place{p.constant % two, two};
    }
    return {0, 1};
  }
  const Function& f_;
  std::vector<const Instruction*> made_;
};

bool may_overlap(const Touch& a, const Touch& b) {
  const uint64_t unit = std::gcd(a.place.unit, b.place.unit);
  const auto apart = static_cast<int64_t>(a.place.constant - b.place.constant);
  if (unit == 0) return apart < int64_t{b.access->bytes} && -apart < int64_t{a.access->bytes};
  const auto u = static_cast<int64_t>(unit), ahead = (apart % u + u) % u;
  return ahead < int64_t{b.access->bytes} || u - ahead < int64_t{a.access->bytes};
}

bool same_place(const Touch& a, const Touch& b) {
  return a.place.unit == 0 && b.place.unit == 0 && a.place.constant == b.place.constant;
}

// The loads whose value says whether a loop around them is left.
std::set<uint32_t> decide_loops(const Function& f) {
  const Cfg cfg(f);
  const std::vector<BlockId> at = definitions(f);
  const std::vector<const Instruction*> made = instructions(f);
  std::set<uint32_t> out;
  for (uint32_t b = 0; b < f.blocks.size(); ++b) {
    const auto* br = std::get_if<Branch>(&f.blocks[b].terminator);
    if (br == nullptr || !cfg.reachable({b})) continue;
    for (uint32_t l = cfg.innermost_loop({b}); l != ~0u; l = cfg.loops()[l].parent) {
      if (cfg.in_loop(br->then_, l) && cfg.in_loop(br->else_, l)) continue;
      std::vector<ValueId> todo{br->condition};
      std::set<uint32_t> seen;
      while (!todo.empty()) {
        const ValueId v = todo.back();
        todo.pop_back();
        if (made[v.index] == nullptr || !seen.insert(v.index).second || !cfg.in_loop(at[v.index], l)) continue;
        if (std::holds_alternative<Load>(made[v.index]->action)) out.insert(v.index);
        if (std::holds_alternative<Compute>(made[v.index]->action) ||
            std::holds_alternative<Phi>(made[v.index]->action))
          for_each_operand(made[v.index]->action, [&](ValueId o) { todo.push_back(o); });
      }
    }
  }
  return out;
}

// All that touch global arrays, by array. An access that may go to several, or in ways that are none of these, makes
// its arrays unfit.
std::vector<std::vector<Touch>> touches(Module& m, std::vector<uint8_t>& unfit) {
  std::vector<std::vector<Touch>> out(m.regions.size());
  for (Function& f : m.functions) {
    if (!f.body) continue;
    const Shapes shapes(f);
    const std::set<uint32_t> deciding = decide_loops(f);
    for (Block& b : f.blocks)
      for (Instruction& in : b.instructions) {
        Touch t{.instruction = &in};
        const auto spoil = [&](const Access& a) {
          for (RegionId r : a.regions) unfit[r.index] = 1;
        };
        if (auto* l = std::get_if<Load>(&in.action)) {
          t.access = &l->access;
          t.load = true;
          t.polled = l->access.is_volatile && !l->spec && deciding.contains(in.results[0].index) &&
                     f.value(in.results[0]).type == Type{Type::bits, static_cast<uint8_t>(8 * l->access.bytes)};
        } else if (auto* s = std::get_if<Store>(&in.action)) {
          t.access = &s->access;
          t.is_volatile = f.value(s->value).type == Type{Type::bits, static_cast<uint8_t>(8 * s->access.bytes)};
        } else if (auto* at = std::get_if<Atomic>(&in.action)) {
          t.access = &at->access;
          t.atomic = true;
        } else if (auto* c = std::get_if<AsyncCopy>(&in.action)) {
          spoil(c->destination);
          spoil(c->source);
          continue;
        } else {
          continue;
        }
        t.is_volatile = t.access->is_volatile && (t.load || t.is_volatile);
        t.place = shapes.pointer(t.access->pointer);
        if (t.access->regions.size() != 1) {
          spoil(*t.access);
          continue;
        }
        out[t.access->regions[0].index].push_back(t);
      }
  }
  return out;
}

void strengthen(Instruction& in) {
  if (auto* l = std::get_if<Load>(&in.action)) {
    Atomic a{.op = AtomicOp::load, .access = l->access, .scope = Scope::system, .spelling = k_volatile_load};
    in.action = std::move(a);
  } else if (auto* s = std::get_if<Store>(&in.action)) {
    Atomic a{.op = AtomicOp::store,
             .access = s->access,
             .operands = {s->value},
             .scope = Scope::system,
             .spelling = k_volatile_store};
    in.action = std::move(a);
  }
}

// A volatile access of one word.
bool strong_in_ptx(const Module& m, const Function& f, const Instruction& in) {
  const auto* l = std::get_if<Load>(&in.action);
  const auto* s = std::get_if<Store>(&in.action);
  if ((l == nullptr || l->spec) && s == nullptr) return false;
  const Access& a = l != nullptr ? l->access : s->access;
  const Type type = f.value(l != nullptr ? in.results[0] : s->value).type;
  const bool word = a.bytes == 1 || a.bytes == 2 || a.bytes == 4 || a.bytes == 8;
  return a.is_volatile && word && type == Type{Type::bits, static_cast<uint8_t>(8 * a.bytes)} && !a.regions.empty() &&
         std::ranges::all_of(a.regions, [&](RegionId r) {
           return m.region(r).space == Space::global || m.region(r).space == Space::group;
         });
}

}  // namespace

void strengthen_volatile(Module& m) {
  if (m.dialect != Dialect::cuda) return;
  for (Function& f : m.functions)
    for (Block& b : f.blocks)
      for (Instruction& in : b.instructions)
        if (strong_in_ptx(m, f, in)) strengthen(in);
}

void strengthen_flags(Module& m) {
  if (m.dialect != Dialect::cuda) return;
  std::vector<uint8_t> unfit(m.regions.size());
  std::vector<std::vector<Touch>> by_region = touches(m, unfit);
  for (uint32_t r = 0; r < m.regions.size(); ++r) {
    if (unfit[r] != 0 || m.regions[r].space != Space::global) continue;
    const std::vector<Touch>& all = by_region[r];
    std::set<const Instruction*> flags;
    for (const Touch& t : all) {
      if (!t.polled || flags.contains(t.instruction)) continue;
      // Loads alone do not race, whatever they are.
      const bool written =
          std::any_of(all.begin(), all.end(), [&](const Touch& o) { return !o.load && may_overlap(t, o); });
      const bool fit = std::all_of(all.begin(), all.end(), [&](const Touch& o) {
        return (!o.load && !o.atomic) || !may_overlap(t, o) ||
               ((o.polled || o.atomic || (written && same_place(t, o))) && o.access->bytes == t.access->bytes);
      });
      if (!fit) continue;
      for (const Touch& o : all)
        if (may_overlap(t, o) && o.is_volatile && (o.polled || !o.load) && o.access->bytes == t.access->bytes)
          flags.insert(o.instruction);
    }
    for (const Touch& t : all)
      if (flags.contains(t.instruction)) strengthen(*t.instruction);
  }
}

}  // namespace fencepost::flow
