// What each instruction of a block does: values that move, and which rooms of the instruction set do the rest.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "litmus/lexer.h"
#include "ptxmod/lower.h"

namespace fencepost::ptxmod {

using prog::k_none;
using prog::Kind;
using T = term::Op;

namespace {

bool is_float(const std::string& w) {
  return w == "f16" || w == "f16x2" || w == "bf16" || w == "bf16x2" || w == "f32" || w == "f64" || w == "tf32" ||
         w == "f32x2" || w == "e4m3x2" || w == "e5m2x2";
}

}  // namespace

void Lowering::block(uint32_t b) {
  const Blocks::Block& g = flow_.blocks[b];
  const auto after = [&](const Node* last) {  // where the code goes on
    if (last != nullptr && last->kind == Node::Kind::jump && last->predicate == k_nothing) return;
    if (b + 1 < flow_.blocks.size()) go(b + 1, {});
  };
  for (size_t k = g.begin; k < g.end; ++k) {
    const Node& n = flat_.nodes[k];
    node_ = &n;
    guard_ = {};
    if (n.predicate != k_nothing) {
      Value v = register_now(n.predicate);
      if (!v.is(Value::Kind::scalar))  // one value for all that it guards
        v = now_[{false, n.predicate, 0, 0}] = Value::scalar(term(v));
      Expr p = v.e;
      if (n.negated) p = term::unary(T::not_, p);
      guard_ = p;
    }
    if (n.kind == Node::Kind::jump) {
      go(flow_.at_label[n.label], guard_);
      if (guard_ && !guard_.is_const(1)) after(&n);
      return;
    }
    if (guard_ && guard_.is_const(0)) {
      if (!n.table.empty()) break;
      continue;
    }
    if (guard_ && guard_.is_const(1)) guard_ = {};
    if (!n.table.empty()) {
      branch_table(n);
      return;
    }
    instruction(n);
  }
  after(nullptr);
}

void Lowering::branch_table(const Node& n) {
  const Expr index = number(n.args[0], 32);
  Expr inside = term::binary(T::ult, index, term::constant(n.table.size(), 32));
  Expr outside = term::unary(T::not_, inside);
  undefined_behaviour(guard_ ? term::binary(T::and_, guard_, outside) : outside);
  std::map<uint32_t, Expr> ways;  // a block once
  std::vector<uint32_t> order;
  for (size_t k = 0; k < n.table.size(); ++k) {
    const uint32_t to = flow_.at_label[n.table[k]];
    Expr here = term::binary(T::eq, index, term::constant(k, 32));
    const auto [it, fresh] = ways.try_emplace(to, here);
    if (fresh)
      order.push_back(to);
    else
      it->second = term::binary(T::or_, it->second, here);
  }
  if (guard_) {
    const auto next = static_cast<uint32_t>(here_ + 1);
    const Expr skip = term::unary(T::not_, guard_);
    const auto it = ways.find(next);
    if (it != ways.end()) {
      it->second = term::binary(T::or_, it->second, skip);
    } else {
      go(next, skip);
      if (skip.is_const(1)) return;
    }
  }
  for (size_t k = 0; k < order.size(); ++k) {
    const Expr when = ways.at(order[k]);
    go(order[k], k + 1 == order.size() ? Expr{} : when);
    if (when.is_const(1)) return;
  }
}

const Argument& Lowering::argument(size_t k) const {
  if (k >= node_->args.size()) fail(fmt::format("an operand is missing: there are {}", node_->args.size()));
  return node_->args[k];
}

void Lowering::arguments(size_t n) const {
  if (node_->args.size() != n) fail(fmt::format("it has {} operands, and takes {}", node_->args.size(), n));
}

Value Lowering::register_now(uint32_t r) const {
  const auto it = now_.find({false, r, 0, 0});
  if (it != now_.end()) return it->second;
  const bool carry = r >= flat_.registers.size();
  return Value::undefined(carry ? "CC.CF" : flat_.registers[r].name, carry ? uint8_t{1} : flat_.registers[r].width);
}

Value Lowering::value(const Argument& a, uint8_t width) {
  switch (a.kind) {
    case Argument::Kind::reg: {
      Value v = register_now(a.index);
      if (a.offset != 0) fail("an offset stands beside addresses only");
      if (a.negated) v = Value::scalar(term::unary(T::not_, term(resized(v, 1))));
      return resized(v, width);
    }
    case Argument::Kind::number:
      return Value::constant(a.number, width);
    case Argument::Kind::real: {
      if (a.is_double && width == 32) {
        const auto x = static_cast<float>(std::bit_cast<double>(a.number));
        return Value::constant(std::bit_cast<uint32_t>(x), 32);
      }
      if (!a.is_double && width == 64) {
        const double x = std::bit_cast<float>(static_cast<uint32_t>(a.number));
        return Value::constant(std::bit_cast<uint64_t>(x), 64);
      }
      return Value::constant(a.number, width);
    }
    case Argument::Kind::variable: {
      const RootKey key{a.index, k_itself};
      return Value::address({Target{{}, root(key), term::constant(static_cast<uint64_t>(a.offset), 64)}}, width);
    }
    case Argument::Kind::special:
      return special(a, width);
    default:
      fail("an operand of this form is not taken here");
  }
}

Value Lowering::special(const Argument& a, uint8_t width) {
  const std::string& n = a.name;
  const auto c = [&](uint64_t v) { return Value::constant(v, width); };
  const auto dimension = [&](const char* name, const spirv::Triple& t) -> std::optional<uint64_t> {
    for (int d = 0; d < 3; ++d)
      if (n == fmt::format("{}.{}", name, "xyz"[d])) return t[static_cast<size_t>(d)];
    if (n == fmt::format("{}.w", name)) return 0;
    return std::nullopt;
  };
  const spirv::Triple global = launch_.global_size();
  const spirv::Triple ctas = {global[0] / launch_.local[0], global[1] / launch_.local[1], global[2] / launch_.local[2]};
  if (const auto v = dimension("tid", launch_.local_id(place_))) return c(*v);
  if (const auto v = dimension("ntid", launch_.local)) return c(*v);
  if (const auto v = dimension("ctaid", launch_.workgroup_id(place_))) return c(*v);
  if (const auto v = dimension("nctaid", ctas)) return c(*v);
  const uint32_t lane = place_.lane;
  if (n == "laneid") return c(lane);
  if (n == "warpid") return c(place_.subgroup);
  if (n == "nwarpid") return c(launch_.grid.subgroups);
  if (n == "lanemask_eq") return c(uint64_t{1} << lane);
  if (n == "lanemask_lt") return c((uint64_t{1} << lane) - 1);
  if (n == "lanemask_le") return c((uint64_t{2} << lane) - 1);
  if (n == "lanemask_gt") return c(~((uint64_t{2} << lane) - 1) & 0xffffffff);
  if (n == "lanemask_ge") return c(~((uint64_t{1} << lane) - 1) & 0xffffffff);
  if (n == "WARP_SZ") return c(32);
  for (const char* clock : {"clock", "clock_hi", "clock64", "globaltimer", "globaltimer_lo", "globaltimer_hi", "smid",
                            "nsmid", "gridid", "total_smem_size", "dynamic_smem_size", "aggr_smem_size"})
    if (n == clock) {
      notes_.clocks = true;
      return Value::scalar(any(width, n, {}));
    }
  refuse(fmt::format("%{} is not read", n), "docs/ptx-modules.md lists the special registers that are");
}

void Lowering::define(const Argument& a, Value v, bool is_signed) {
  if (a.kind == Argument::Kind::sink) return;
  if (a.kind != Argument::Kind::reg) fail("the result goes to a register");
  const uint8_t w = a.index < flat_.registers.size() ? flat_.registers[a.index].width : uint8_t{1};
  const std::string& name = flat_.registers[a.index].name;
  v = resized(v, w, is_signed);
  if (guard_) v = select(guard_, v, register_now(a.index));
  now_[{false, a.index, 0, 0}] = settle(std::move(v), name);
}

void Lowering::instruction(const Node& n) {
  const std::string& head = n.words[0];
  if (head == "cuda") return cuda();
  if (head == "mov" || head == "selp" || head == "cvta" || head == "isspacep" || head == "slct") return moves();
  if (head == "ld" || head == "ldu") return access(true);
  if (head == "st") return access(false);
  if (head == "atom") return atomic(false);
  if (head == "red") return atomic(true);
  if (head == "membar" || head == "fence") return fence();
  if (head == "bar" || head == "barrier") return barrier();
  if (head == "shfl" || head == "vote" || head == "activemask" || head == "match" || head == "redux" || head == "elect")
    return warp();
  // Hints, and what has an effect on time only, or on other launches.
  if (head == "nanosleep" || head == "prefetch" || head == "prefetchu" || head == "applypriority" ||
      head == "pmevent" || head == "griddepcontrol")
    return;
  if (head == "tex" || head == "tld4") return texture();
  if (head == "trap") {  // jumped to the end behind it
    notes_.traps = true;
    return;
  }
  if (head == "call") {
    notes_.prints = true;
    for (const Argument& a : n.args) {
      if (a.kind == Argument::Kind::reg) {
        define(a, Value::undefined("printf", 32));
      } else if (a.kind == Argument::Kind::variable) {
        now_[{true, root({a.index, k_itself}), 0, 4}] = Value::undefined("printf", 32);
      }
    }
    return;
  }
  const bool floats = std::any_of(n.words.begin() + 1, n.words.end(), is_float);
  if (floats ? floating() : arithmetic()) return;
  refuse("this instruction is not read", "docs/ptx-modules.md lists the instructions that are");
}

// A texture is memory of its own, that the host has filled.
void Lowering::texture() {
  notes_.textures = true;
  const std::vector<std::string>& words = node_->words;
  const std::string type = words.size() < 3 ? "" : words[words.size() - 2];
  const uint32_t bytes = type == "f16x2" ? 4 : bytes_of(type);
  const Argument to = argument(0);
  if (bytes != 4 || to.kind != Argument::Kind::list) refuse("a texture of this type is not read");
  for (const Argument& lane : to.parts)
    define(lane, is_float(type) ? Value::opaque(32) : Value::scalar(any(32, "texel", {})));
}

// ---- moves ---------------------------------------------------------------------------------------------------

void Lowering::moves() {
  const std::string& head = node_->words[0];
  const std::string& type = node_->words.back();
  if (head == "isspacep") {
    arguments(2);
    const std::string& space = node_->words[1];
    const Value v = value(argument(1), 64);
    if (!v.is(Value::Kind::address)) refuse("the operand is not known to be an address");
    Expr out;
    for (const Target& t : v.targets) {
      if (t.root == k_number_root || (windowed(t) && !t.generic))
        refuse("the operand is not known to be a generic address");
      const RootKey& r = roots_[t.root];
      const std::string in = r.at != k_itself ? "global" : flat_.variables[r.variable].space;
      const Expr is = term::constant(in == space || (in == "shared" && space.starts_with("shared")) ? 1 : 0, 1);
      out = !out || !t.when ? is : term::ite(t.when, is, out);
    }
    define(argument(0), Value::scalar(out));
    return;
  }
  const uint8_t w = type == "pred" ? uint8_t{1} : static_cast<uint8_t>(8 * bytes_of(type));
  if (w == 0 || w > 64) refuse("this type is not read");
  if (head == "cvta") {  // one address for every state space
    arguments(2);
    const bool back = node_->words.size() > 2 && node_->words[1] == "to";
    const std::string& space = node_->words[back ? 2 : 1];
    define(argument(0), converted(value(argument(1), w), space.substr(0, space.find("::")), !back));
    return;
  }
  if (head == "selp") {
    arguments(4);
    const Value yes = value(argument(1), w), no = value(argument(2), w);
    define(argument(0), select(number(argument(3), 1), yes, no));
    return;
  }
  if (head == "slct") {
    arguments(4);
    if (is_float(type)) {
      define(argument(0), Value::opaque(static_cast<uint8_t>(8 * bytes_of(node_->words[node_->words.size() - 2]))));
      return;
    }
    const auto width = static_cast<uint8_t>(8 * bytes_of(node_->words[node_->words.size() - 2]));
    const Expr c = term::binary(T::sge, number(argument(3), 32), term::constant(0, 32));
    define(argument(0), select(c, value(argument(1), width), value(argument(2), width)));
    return;
  }
  arguments(2);
  const Argument &to = argument(0), &from = argument(1);
  if (to.kind == Argument::Kind::list) {  // a value taken apart
    if (to.parts.empty() || w % to.parts.size() != 0) fail("the parts have no common width");
    const auto each = static_cast<uint8_t>(w / to.parts.size());
    const Value whole = value(from, w);
    std::vector<Value> lanes;
    for (size_t k = 0; k < to.parts.size(); ++k)
      lanes.push_back(whole.is(Value::Kind::opaque)
                          ? Value::opaque(each)
                          : Value::scalar(term::resize(term::binary(T::lshr, term(whole), term::constant(k * each, w)),
                                                       each, false)));
    load_lanes(to, lanes, false);
    return;
  }
  if (from.kind == Argument::Kind::list) {  // or put together
    if (from.parts.empty() || w % from.parts.size() != 0) fail("the parts have no common width");
    const auto each = static_cast<uint8_t>(w / from.parts.size());
    Expr whole = term::constant(0, w);
    bool opaque = false;
    for (size_t k = 0; k < from.parts.size(); ++k) {
      const Value part = value(from.parts[k], each);
      opaque = opaque || part.is(Value::Kind::opaque);
      if (opaque) continue;
      whole = term::binary(T::or_, whole,
                           term::binary(T::shl, term::resize(term(part), w, false), term::constant(k * each, w)));
    }
    define(to, opaque ? Value::opaque(w) : Value::scalar(whole));
    return;
  }
  define(to, value(from, w));
}

// The register that gets the result, for a person who reads the answer.
std::string Lowering::result_name(size_t lane) const {
  if (node_->args.empty()) return "result";
  const Argument* a = &node_->args[0];
  if (a->kind == Argument::Kind::list && lane < a->parts.size()) a = &a->parts[lane];
  return a->kind == Argument::Kind::reg ? flat_.registers[a->index].name : "result";
}

void Lowering::load_lanes(const Argument& to, const std::vector<Value>& lanes, bool is_signed) {
  if (to.kind != Argument::Kind::list) {
    if (lanes.size() != 1) fail("the result goes to as many registers as the vector has elements");
    define(to, lanes[0], is_signed);
    return;
  }
  if (to.parts.size() != lanes.size()) fail("the result goes to as many registers as the vector has elements");
  for (size_t k = 0; k < lanes.size(); ++k) define(to.parts[k], lanes[k], is_signed);
}

}  // namespace fencepost::ptxmod
