#include "flow/small_indices.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace fencepost::flow {

using namespace ir;

namespace {

constexpr Type k_narrow{Type::bits, 32}, k_wide{Type::bits, 64};
constexpr uint64_t k_largest_tile = 1u << 20;

class Indices {
 public:
  Indices(Function& f, const Launch& launch) : f_(f), launch_(launch), made_(f.values.size()), users_(f.values.size()) {
    for (const Block& b : f.blocks)
      for (const Instruction& in : b.instructions) {
        for (const ValueId r : in.results) made_[r.index] = &in;
        for_each_operand(in.action, [&](ValueId o) { users_[o.index].push_back(&in); });
      }
  }

  void change(SmallIndices& changed) {
    find();
    for (Block& b : f_.blocks) {
      std::vector<Instruction> out;
      for (Instruction& in : b.instructions) {
        claim(in, changed.claims, out);
        auto* c = std::get_if<Compute>(&in.action);
        const bool widens = c != nullptr && c->op == Op::zext && marked(c->operands[0]);
        if (widens) {
          if (f_.value(c->operands[0]).type == k_narrow) not_negative(c->operands[0], in.place, out);
          c->op = Op::sext;
        }
        if (c == nullptr || in.results.empty() || !marked(in.results[0])) {
          if (c != nullptr && !in.results.empty() && positions_.contains(in.results[0].index)) {
            if (std::ranges::find(changed.divisions, in.place) == changed.divisions.end())
              changed.divisions.push_back(in.place);
            not_negative(c->operands[1], in.place, out);
          }
          out.push_back(std::move(in));
          continue;
        }
        c->no_signed_wrap = true;
        if (c->op == Op::mul || tiles(in)) {
          auto& places = f_.value(in.results[0]).type == k_wide ? changed.of_64 : changed.of_32;
          if (std::ranges::find(places, in.place) == places.end()) places.push_back(in.place);
          for (const ValueId o : factors_[in.results[0].index]) not_negative(o, in.place, out);
        }
        out.push_back(std::move(in));
      }
      b.instructions = std::move(out);
    }
  }

 private:
  const Compute* computed(ValueId v) const {
    const Instruction* in = made_[v.index];
    return in == nullptr ? nullptr : std::get_if<Compute>(&in->action);
  }
  bool marked(ValueId v) const { return v.index < marked_.size() && marked_[v.index] != 0; }

  // Does anything that the value is computed from satisfy this?
  bool comes_from(ValueId v, const std::function<bool(ValueId)>& what) const {
    std::vector<uint8_t> seen(f_.values.size());
    std::vector<ValueId> todo{v};
    while (!todo.empty()) {
      const ValueId x = todo.back();
      todo.pop_back();
      if (seen[x.index] != 0) continue;
      seen[x.index] = 1;
      if (what(x)) return true;
      const Instruction* in = made_[x.index];
      if (in != nullptr && (std::holds_alternative<Compute>(in->action) || std::holds_alternative<Phi>(in->action)))
        for_each_operand(in->action, [&](ValueId o) { todo.push_back(o); });
    }
    return false;
  }
  bool of_launch(ValueId v) const {
    return comes_from(v, [&](ValueId x) {
      const Compute* c = computed(x);
      return c != nullptr && c->op == Op::id;
    });
  }
  // Tiles of one length: of 32 bits as many as the grid has blocks, where that is any number; of 64 bits as many as a
  // parameter or the memory says (`n / 16 * 16 + i`).
  bool tiles(const Instruction& in) const {
    const auto* c = std::get_if<Compute>(&in.action);
    if (c == nullptr || c->operands.size() != 2) return false;
    const bool wide = f_.value(in.results[0]).type == k_wide;
    const auto length = [&](ValueId v) {
      const Value& x = f_.value(v);
      if (x.kind != Value::constant) return false;
      return c->op == Op::shl ? x.constant_bits <= 20 : c->op == Op::mul && x.constant_bits <= k_largest_tile;
    };
    const auto many = [&](ValueId v) { return wide ? of_others(v) : of_any_grid(v); };
    const ValueId x = c->operands[0], y = c->operands[1];
    return (length(y) && many(x)) || (c->op == Op::mul && length(x) && many(y));
  }
  bool of_any_grid(ValueId v) const {
    return comes_from(v, [&](ValueId x) {
      const Compute* id = computed(x);
      if (id == nullptr || id->op != Op::id || launch_.num_groups[id->dimension] != 0) return false;
      const auto kind = static_cast<IdKind>(id->imm);
      return kind == IdKind::group_id || kind == IdKind::num_groups;
    });
  }
  // A number that the launch alone does not give: a parameter, or what is read from memory.
  bool of_others(ValueId v) const {
    return comes_from(v, [&](ValueId x) {
      const Instruction* in = made_[x.index];
      return f_.value(x).kind == Value::parameter || (in != nullptr && std::holds_alternative<Load>(in->action));
    });
  }
  static bool of_index(Op op) {
    return op == Op::add || op == Op::sub || op == Op::mul || op == Op::shl || op == Op::zext || op == Op::sext;
  }
  // Is nothing but an address made of it, by sums, products and conversions, or a test?
  bool makes_addresses(ValueId v) const {
    std::vector<uint8_t> seen(f_.values.size());
    std::vector<ValueId> todo{v};
    bool address = false;
    while (!todo.empty()) {
      const ValueId x = todo.back();
      todo.pop_back();
      if (seen[x.index] != 0) continue;
      seen[x.index] = 1;
      for (const Instruction* in : users_[x.index]) {
        if (std::holds_alternative<Phi>(in->action)) {
          todo.push_back(in->results[0]);
          continue;
        }
        const auto* c = std::get_if<Compute>(&in->action);
        if (c == nullptr) continue;
        if (c->op == Op::pointer_add) address = true;
        if (c->op == Op::xor_ || c->op == Op::lshr || c->op == Op::ashr || c->op == Op::byteswap) return false;
        if (of_index(c->op)) todo.push_back(in->results[0]);
      }
    }
    return address;
  }
  // A row or a column of a number of the launch, by a length that is given.
  bool position(const Compute& c, ValueId result) const {
    return (c.op == Op::sdiv || c.op == Op::srem) && f_.value(c.operands[1]).kind != Value::constant &&
           of_launch(c.operands[0]) && of_others(c.operands[1]) && makes_addresses(result);
  }
  static bool may_wrap(const Compute& c, const Function& f, const Instruction& in) {
    if (in.results.empty() || c.no_signed_wrap || c.operands.size() != 2) return false;
    const Type type = f.value(in.results[0]).type;
    return type == k_narrow || type == k_wide;
  }

  void find() {
    marked_.assign(f_.values.size(), 0);
    for (const Block& b : f_.blocks)
      for (const Instruction& in : b.instructions)
        if (const auto* c = std::get_if<Compute>(&in.action);
            c != nullptr && !in.results.empty() && position(*c, in.results[0]))
          positions_.insert(in.results[0].index);
    const auto constant = [&](ValueId v) { return f_.value(v).kind == Value::constant; };
    for (const Block& b : f_.blocks)
      for (const Instruction& in : b.instructions) {
        const auto* c = std::get_if<Compute>(&in.action);
        if (c == nullptr || !may_wrap(*c, f_, in)) continue;
        const ValueId x = c->operands[0], y = c->operands[1];
        const bool rows = c->op == Op::mul && !constant(x) && !constant(y) && (of_launch(x) || of_launch(y)) &&
                          (of_others(x) || of_others(y));
        if (!rows && !tiles(in)) continue;
        if (makes_addresses(in.results[0])) marked_[in.results[0].index] = 1;
      }
    // And what is made of them.
    for (bool more = std::ranges::count(marked_, 1) > 0; more;) {
      more = false;
      for (const Block& b : f_.blocks)
        for (const Instruction& in : b.instructions) {
          const auto* c = std::get_if<Compute>(&in.action);
          if (c == nullptr || !may_wrap(*c, f_, in) || marked(in.results[0])) continue;
          const bool sum = c->op == Op::add || c->op == Op::sub || c->op == Op::mul ||
                           (c->op == Op::shl && constant(c->operands[1]));
          if (!sum || !(marked(c->operands[0]) || marked(c->operands[1]))) continue;
          marked_[in.results[0].index] = 1;
          more = true;
        }
    }
    for (const Block& b : f_.blocks)
      for (const Instruction& in : b.instructions)
        if (const auto* c = std::get_if<Compute>(&in.action);
            c != nullptr && c->op == Op::mul && !in.results.empty() && marked(in.results[0]))
          for (const ValueId o : c->operands)
            if (!constant(o) && !of_launch(o) && is_unsigned(o)) factors_[in.results[0].index].push_back(o);
  }

  // The source uses it as an unsigned number, and nowhere as a signed one.
  bool is_unsigned(ValueId v) const {
    bool with = false, without = false;
    const Value& value = f_.value(v);
    for (uint32_t x = 0; x < f_.values.size(); ++x) {
      const Value& other = f_.values[x];
      const bool same = x == v.index || (value.kind == Value::parameter && other.kind == Value::parameter &&
                                         other.index == value.index);
      if (!same || x >= users_.size()) continue;
      for (const Instruction* in : users_[x]) {
        const auto* c = std::get_if<Compute>(&in->action);
        if (c == nullptr) continue;
        switch (c->op) {
          case Op::slt:
          case Op::sle:
          case Op::sgt:
          case Op::sge:
          case Op::sext:
          case Op::sdiv:
          case Op::srem:
          case Op::ashr:
          case Op::smin:
          case Op::smax:
            with = true;
            break;
          case Op::ult:
          case Op::ule:
          case Op::ugt:
          case Op::uge:
          case Op::zext:
          case Op::udiv:
          case Op::urem:
          case Op::umin:
          case Op::umax:
            without = true;
            break;
          default:
            with = with || c->no_signed_wrap;
        }
      }
    }
    return without && !with;
  }

  // One number in a launch: of the kernel's arguments and constants.
  bool of_arguments(ValueId v) const {
    return f_.kernel && !comes_from(v, [&](ValueId x) {
             const Value& value = f_.value(x);
             if (value.kind == Value::constant) return false;
             if (value.kind == Value::parameter) return value.type.kind != Type::bits;
             const Compute* c = computed(x);
             return c == nullptr || c->op == Op::id;
           });
  }
  // `atomicCAS(&level[v], -1, depth + 1)`
  void claim(const Instruction& in, std::vector<PlaceId>& places, std::vector<Instruction>& out) {
    const auto* a = std::get_if<Atomic>(&in.action);
    if (a == nullptr || a->op != AtomicOp::compare_exchange || a->operands.size() != 2) return;
    const ValueId expected = a->operands[0], written = a->operands[1];
    const auto constant = [&](ValueId v) { return f_.value(v).kind == Value::constant; };
    if (f_.value(written).type.kind != Type::bits || (constant(expected) && constant(written)) ||
        !of_arguments(expected) || !of_arguments(written))
      return;
    if (std::ranges::find(places, in.place) == places.end()) places.push_back(in.place);
    assume(Op::ne, written, expected, in.place, out);
  }

  ValueId number(uint64_t bits, Type type) {
    f_.values.push_back({.kind = Value::constant, .type = type, .constant_bits = bits});
    return {static_cast<uint32_t>(f_.values.size() - 1)};
  }

  void not_negative(ValueId v, PlaceId place, std::vector<Instruction>& out) {
    const Type type = f_.value(v).type;
    if (type == k_narrow || type == k_wide) assume(Op::sge, v, number(0, type), place, out);
  }
  void assume(Op op, ValueId x, ValueId y, PlaceId place, std::vector<Instruction>& out) {
    f_.values.push_back({.kind = Value::result, .type = {Type::bits, 1}});
    const ValueId holds{static_cast<uint32_t>(f_.values.size() - 1)};
    Compute test;
    test.op = op;
    test.operands = {x, y};
    out.push_back({{holds}, std::move(test), place});
    out.push_back({{}, Annotation{.note = Note::assume, .condition = holds}, place});
  }

  Function& f_;
  const Launch& launch_;
  std::vector<const Instruction*> made_;
  std::vector<std::vector<const Instruction*>> users_;
  std::vector<uint8_t> marked_;   // by value
  std::set<uint32_t> positions_;  // values: quotients and rests by a length
  std::map<uint32_t, std::vector<ValueId>>
      factors_;  // of products, by value: unsigned ones that the launch does not give
};

}  // namespace

SmallIndices keep_indices_small(Module& m, const std::vector<uint8_t>& reached, const Launch& launch) {
  SmallIndices changed;
  for (uint32_t i = 0; i < m.functions.size(); ++i)
    if (reached[i] != 0 && m.functions[i].body) Indices(m.functions[i], launch).change(changed);
  return changed;
}

}  // namespace fencepost::flow
