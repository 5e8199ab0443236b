// Accesses, atomic operations and barriers.
#include <fmt/format.h>

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

#include "spirv/lower.h"

namespace fencepost::spirv {

using prog::k_none;
using prog::Kind;
using prog::TagSet;
using spv::Op;
using T = term::Op;
using vocab::Tag;

// ---- variables -----------------------------------------------------------------------------------------

uint32_t Lowering::root(const Instruction& variable, const std::string& path) {
  const auto [it, fresh] = root_of_.try_emplace({variable.result, path}, static_cast<uint32_t>(roots_.size()));
  if (!fresh) return it->second;
  Root r;
  r.variable = &memory_.variable(variable);
  switch (r.variable->sharing) {
    case Sharing::launch:
      break;
    case Sharing::workgroup:
      if (c_.launch().grid.workgroup_count() * c_.launch().grid.queue_families * c_.launch().grid.devices > 1)
        r.key = fmt::format("@wg{}", c_.launch().global_workgroup(place_));
      break;
    case Sharing::invocation:
      r.key = fmt::format("{}@{}", path.empty() ? "" : "@" + path, thread_);
      break;
  }
  if (r.variable->sharing == Sharing::invocation && !memory_.decisions().in_memory.contains(r.variable->id)) {
    r.in_slots = true;
    r.first_slot = slots_;
    slots_ += r.variable->layout.scalars.size();
  }
  roots_.push_back(std::move(r));
  return it->second;
}

// A variable of the invocation comes into being, with its initial value.
void Lowering::declare(const Instruction& variable) {
  const bool parameter = static_cast<Op>(variable.op) == Op::OpFunctionParameter;
  const bool function = !parameter && static_cast<spv::StorageClass>(variable.word(0)) == spv::StorageClass::Function;
  const Frame& f = flow_.frames[flow_.segments[here_].frame];
  const uint32_t id = root(variable, function ? f.path : "");
  const Root& r = roots_[id];
  std::vector<Value> init;
  if (const auto b = m_.built_in(variable.result)) {
    const auto v = c_.built_in(*b, m_.type(variable.type, variable).element, place_, variable);
    if (!v)
      m_.refuse(variable, fmt::format("the built-in of {} is not read", m_.name(variable.result)),
                "docs/spirv.md lists what is");
    c_.flatten(*v, init);
  } else {
    init = r.variable->init;
    for (Value& v : init)
      if (v.is(Value::Kind::undefined) && !parameter) {  // parameters are equal for the launch
        v.undefined += r.key;
        v.each_use = r.in_slots;
      }
  }
  if (r.in_slots) {
    for (size_t k = 0; k < init.size(); ++k) slots_now_[r.first_slot + k] = init[k];
    return;
  }
  // In memory: the objects start with their initial value, except when a function runs again.
  memory_.start(*r.variable, r.key, init);
  if (parameter || f.caller == k_nowhere || variable.size() < 2) return;
  const Id type = m_.type(variable.type, variable).element;
  store(Value::pointer(variable.type, {Target{{}, id, {}}}), type, c_.value(variable.word(1), variable),
        m_.dialect() == vocab::Dialect::opencl ? TagSet{Tag::NA, Tag::WI} : TagSet{}, variable);
}

// Lifetimes. Where a variable begins it holds nothing, and pointers to it that are still held when it ends point at
// nothing (C11 6.2.4): whoever goes through one does what nobody defines. Such pointers are marked; a new one to the
// variable's next life is not, though it is the same address. Only what variables of the invocation hold is marked:
// values without a name do not outlive the expression that they belong to.
//
// Tried and lost: to mark results of instructions too; what is not flow, a branch that ends the variable, then marks
// the pointers of another branch.
void Lowering::begin_life(const Instruction& i) {
  const Value v = value(i.word(0), i);
  if (!v.is(Value::Kind::pointer) || v.targets.size() != 1 || v.targets[0].root == k_null_root) return;
  const Root& r = roots_[v.targets[0].root];
  if (r.variable->sharing != Sharing::invocation) return;
  const Variable& x = *r.variable;
  if (r.in_slots) {
    for (size_t k = 0; k < x.layout.scalars.size(); ++k)
      slots_now_[r.first_slot + k] =
          ops_.undefined(x.layout.scalars[k].type, fmt::format("{}.{}{}", m_.name(x.id), k, r.key), i, true);
  } else if (in_loop_[here_]) {
    const TagSet tags = m_.dialect() == vocab::Dialect::opencl ? TagSet{Tag::NA, Tag::WI} : TagSet{};
    for (const Scalar& s : x.layout.scalars) {
      if (m_.type(s.type, i).kind == Type::Kind::pointer) continue;
      Value place = v;
      place.targets[0].offset.bytes += static_cast<int64_t>(s.offset);
      const Expr e = any(types_.bits(s.type, i), fmt::format("{}.{}", m_.name(x.id), s.offset), {}, i);
      store_scalar(place, s.type, Value::scalar(s.type, e), tags, i);
    }
  }
}

void Lowering::end_life(uint32_t root) {
  const auto mark = [&](auto&& self, Value& v) -> void {
    for (Target& t : v.targets) t.ended = t.ended || t.root == root;
    for (Value& p : v.parts) self(self, p);
  };
  for (auto& [slot, v] : slots_now_) mark(mark, v);
}

// Of a call: its parameters too.
void Lowering::end_frame(uint32_t frame) {
  const std::string& path = flow_.frames[frame].path;
  if (path.empty()) return;
  const std::string key = fmt::format("@{}@{}", path, thread_);
  for (uint32_t k = 1; k < roots_.size(); ++k)
    if (roots_[k].variable->sharing == Sharing::invocation && roots_[k].key == key) end_life(k);
}

TagSet Lowering::class_tags(uint32_t root) const {
  if (m_.dialect() != vocab::Dialect::vulkan) return {};
  switch (static_cast<spv::StorageClass>(roots_[root].variable->storage)) {
    case spv::StorageClass::Uniform:
    case spv::StorageClass::StorageBuffer:
    case spv::StorageClass::PhysicalStorageBuffer:
      return {Tag::SC0};
    case spv::StorageClass::Workgroup:
      return {Tag::SC1};
    case spv::StorageClass::Image:
      return {Tag::SC2};
    case spv::StorageClass::Output:
      return {Tag::SC3};
    default:
      return {};
  }
}

// ---- places ----------------------------------------------------------------------------------------------

prog::Instr& Lowering::emit(Kind kind, const Instruction& i, std::string mnemonic) {
  prog::Instr in;
  in.kind = kind;
  in.mnemonic = std::move(mnemonic);
  in.span = i.span;
  code_->push_back(std::move(in));
  return code_->back();
}

void Lowering::undefined_behaviour(const Expr& when, const Instruction& i) {
  if (when && when.is_const(0)) return;
  const prog::RegId p = when && !when.is_const() ? set(when, "outside", i) : k_none;
  prog::Instr& in = emit(Kind::fence, i, "undefined_behaviour");
  in.tags = {Tag::UB};
  in.predicate = p;
}

std::vector<Lowering::Spot> Lowering::spots(const Value& pointer, uint32_t bytes, uint8_t bits, const Instruction& i) {
  if (pointer.is(Value::Kind::undefined)) m_.refuse(i, "an undefined pointer is used here");
  if (!pointer.is(Value::Kind::pointer)) m_.fail(i, "an access goes through a pointer");
  std::vector<Spot> out;
  for (const Target& t : pointer.targets) {
    if (t.when && t.when.is_const(0)) continue;
    if (t.root == k_null_root || t.ended) {
      undefined_behaviour(t.when, i);
      continue;
    }
    const Root& r = roots_[t.root];
    if (r.in_slots) {  // reached through a computed place: it needs memory
      memory_.decisions().in_memory.insert(r.variable->id);
      throw Restart{};
    }
    Spot s;
    s.root = t.root;
    s.cells = memory_.cells(*r.variable, t.offset, bytes, bits, i);
    s.when = t.when;
    if (s.cells.within) {  // said of the execution; where the bytes are known, the access goes there as on a machine
      const Expr outside = term::unary(T::not_, s.cells.within);
      undefined_behaviour(s.when ? term::binary(T::and_, s.when, outside) : outside, i);
      if (s.cells.by_index) s.when = s.when ? term::binary(T::and_, s.when, s.cells.within) : s.cells.within;
    }
    if (s.cells.computed) {
      Expr inside = s.cells.limit < s.cells.count
                        ? term::constant(0, 1)
                        : term::binary(T::ult, s.cells.computed, term::constant(s.cells.limit - s.cells.count + 1, 64));
      if (s.cells.reaches) inside = term::binary(T::and_, inside, s.cells.reaches);
      if (s.cells.open) {
        const Expr before = term::binary(T::slt, s.cells.computed, term::constant(0, 64));
        undefined_behaviour(s.when ? term::binary(T::and_, s.when, before) : before, i);
        s.inside = settle(Value::scalar(0, inside), i).e;
        if (s.when && s.when.is_const(1)) s.when = {};
        if (s.when) s.predicate = set(s.when, "taken", i);
        out.push_back(std::move(s));
        continue;
      }
      const Expr outside = term::unary(T::not_, inside);
      undefined_behaviour(s.when ? term::binary(T::and_, s.when, outside) : outside, i);
      s.when = s.when ? term::binary(T::and_, s.when, inside) : inside;
    } else if (!s.cells.inside) {
      undefined_behaviour(t.when, i);
      continue;
    }
    if (s.when && s.when.is_const(1)) s.when = {};
    if (s.when) s.predicate = set(s.when, "inside", i);
    out.push_back(std::move(s));
  }
  return out;
}

prog::Address Lowering::address(const Spot& s, uint32_t part) {
  prog::Address a;
  const Root& r = roots_[s.root];
  a.symbol = memory_.symbol(*r.variable, r.key, s.cells.in_class);
  if (s.cells.computed) {
    a.index = s.cells.computed;
    if (s.inside) {
      const Expr beyond =
          term::binary(T::add, term::binary(T::and_, s.cells.computed, term::constant(memory_.elsewhere() - 1, 64)),
                       term::constant(s.cells.limit, 64));
      a.index = term::ite(s.inside, s.cells.computed, beyond);
    }
    if (part != 0) a.index = term::binary(T::add, a.index, term::constant(part, 64));
  } else if (s.cells.index + part != 0) {
    a.index = term::constant(s.cells.index + part, 64);
  }
  return a;
}

// What was read, or any value when the place lies elsewhere.
Expr Lowering::or_unknown(const Spot& s, Expr e, Id type, const Instruction& i) {
  if (!s.inside) return e;
  const uint8_t w = types_.bits(type, i);
  const uint8_t cell = w == 1 ? 8 : w;
  const std::string name = fmt::format("{}.elsewhere@{}", result_name(i), thread_);
  const prog::RegId r = reg(name, cell);
  prog::Instr& clear = emit(Kind::local, i, "OpUndef");
  clear.dst = r;
  clear.value = term::constant(0, cell);
  const prog::RegId outside = set(term::unary(T::not_, s.inside), "outside", i);
  prog::Instr& in = emit(Kind::load, i, "undefined");
  in.dst = r;
  in.addr.symbol = memory_.unknown(name, cell, i.span);
  in.predicate = outside;
  if (m_.dialect() == vocab::Dialect::opencl) in.tags = {Tag::NA};
  return term::ite(s.inside, std::move(e), w == 1 ? term::truth(var(r)) : var(r));
}

// ---- loads and stores --------------------------------------------------------------------------------------

Value Lowering::part_pointer(const Value& pointer, Id type, size_t k, Id& part, const Instruction& i) {
  const Type& t = m_.type(type, i);
  uint64_t at = 0;
  if (t.kind == Type::Kind::struct_) {
    at = types_.offset(type, k, i);
    part = t.members[k];
  } else {
    at = types_.stride(type, i) * k;
    part = t.element;
  }
  Value p = pointer;
  for (Target& x : p.targets) x.offset.bytes += static_cast<int64_t>(at);
  return p;
}

Value Lowering::load(const Value& pointer, Id type, const TagSet& tags, const Instruction& i) {
  const Type& t = m_.type(type, i);
  if (!t.composite()) return load_scalar(pointer, type, tags, i);
  std::vector<Value> parts;
  const uint64_t n = t.kind == Type::Kind::struct_ ? t.members.size() : types_.count(type, i);
  for (uint64_t k = 0; k < n; ++k) {
    Id part = 0;
    const Value p = part_pointer(pointer, type, k, part, i);
    parts.push_back(load(p, part, tags, i));
  }
  return Value::composite(type, std::move(parts));
}

Id Lowering::pointee(const Value& pointer, const Instruction& i) const {
  const Type* t = m_.find_type(pointer.type);
  if (t == nullptr || t->kind != Type::Kind::pointer) m_.fail(i, "an access goes through a pointer");
  return t->element;
}

void Lowering::store(const Value& pointer, Id type, const Value& v, const TagSet& tags, const Instruction& i) {
  const Type& t = m_.type(type, i);
  if (!t.composite()) {
    store_scalar(pointer, type, v, tags, i);
    return;
  }
  const uint64_t n = t.kind == Type::Kind::struct_ ? t.members.size() : types_.count(type, i);
  if (!v.is(Value::Kind::composite) || v.parts.size() != n)
    m_.fail(i, "the value is of another type than what the pointer points at");
  for (uint64_t k = 0; k < n; ++k) {
    Id part = 0;
    const Value p = part_pointer(pointer, type, k, part, i);
    store(p, part, v.parts[k], tags, i);
  }
}

Value Lowering::load_scalar(const Value& pointer, Id type, const TagSet& tags, const Instruction& i) {
  const uint8_t bits = types_.bits(type, i);
  const auto bytes = static_cast<uint32_t>(types_.size(type, i));
  if (pointer.targets.size() == 1 && pointer.targets[0].root != k_null_root && !pointer.targets[0].ended) {
    const Root& r = roots_[pointer.targets[0].root];
    if (r.in_slots || r.variable->read_only) {
      if (const auto k = memory_.scalar_at(*r.variable, pointer.targets[0].offset, bytes)) {
        if (r.in_slots) {
          const auto it = slots_now_.find(r.first_slot + *k);
          if (it == slots_now_.end())
            m_.fail(i, fmt::format("{} is used before it is declared", m_.name(r.variable->id)));
          Value v = it->second;
          if (v.is(Value::Kind::scalar) && v.e.width() != bits)
            m_.refuse(i, "a variable is read under another type than it was written");
          v.type = type;
          return v;
        }
        const Value& v = r.variable->init[*k];
        if (v.is(Value::Kind::scalar) && v.e.width() == bits && m_.type(type, i).kind != Type::Kind::pointer)
          return Value::scalar(type, v.e);
      } else if (const auto from = pointer.targets[0].offset.constant(); from && r.variable->read_only && !r.in_slots) {
        // A constant in smaller pieces: what a copy from an initialiser reads.
        uint64_t whole = 0;
        uint32_t k = 0;
        for (; k < bytes; ++k) {
          const Offset at{*from + k, {}};
          const auto piece = memory_.scalar_at(*r.variable, at, 1);
          if (!piece || !r.variable->init[*piece].is(Value::Kind::scalar) || !r.variable->init[*piece].e.is_const())
            break;
          whole |= r.variable->init[*piece].e.value() << (8 * k);
        }
        if (k == bytes && bits == 8 * bytes) return Value::scalar(type, term::constant(whole, bits));
      }
    }
  }
  if (m_.type(type, i).kind == Type::Kind::pointer)
    m_.refuse(i, "memory that holds pointers is not read", "pointers may stand in variables of the invocation");
  Expr result;
  bool opaque = false;
  for (const Spot& s : spots(pointer, bytes, bits, i)) {
    opaque = opaque || memory_.decisions().opaque.contains(roots_[s.root].variable->id);
    Expr whole;
    for (uint32_t part = 0; part < s.cells.count; ++part) {
      const prog::RegId r =
          reg(s.cells.count == 1 ? result_name(i) : fmt::format("{}.{}", result_name(i), part), s.cells.width);
      if (s.predicate != k_none) {  // a failed predicate must leave nothing of an earlier run
        prog::Instr& clear = emit(Kind::local, i, "OpUndef");
        clear.dst = r;
        clear.value = term::constant(0, s.cells.width);
      }
      prog::Address a = address(s, part);
      prog::Instr& in = emit(Kind::load, i, "OpLoad");
      in.dst = r;
      in.addr = std::move(a);
      in.predicate = s.predicate;
      in.tags = tags | class_tags(s.root);
      in.tags.add(Tag::R);
      const uint8_t w = s.cells.count == 1 ? s.cells.width : bits;
      const Expr e = term::resize(var(r), w, false);
      whole = part == 0 ? e
                        : term::binary(T::or_, whole,
                                       term::binary(T::shl, e, term::constant(uint64_t{part} * s.cells.width, w)));
    }
    whole = bits == 1 ? term::truth(whole) : term::resize(whole, bits, false);
    whole = or_unknown(s, std::move(whole), type, i);
    result = !result || !s.when ? whole : term::ite(s.when, whole, result);
  }
  if (opaque) return Value::opaque(type);
  if (!result) return Value::scalar(type, term::constant(0, bits));  // behaviour is undefined on every way
  return settle(Value::scalar(type, std::move(result)), i);
}

void Lowering::store_scalar(const Value& pointer, Id type, const Value& v, const TagSet& tags, const Instruction& i) {
  const uint8_t bits = types_.bits(type, i);
  const auto bytes = static_cast<uint32_t>(types_.size(type, i));
  if (pointer.targets.size() == 1 && pointer.targets[0].root != k_null_root && !pointer.targets[0].ended) {
    const Root& r = roots_[pointer.targets[0].root];
    if (r.variable->read_only)
      m_.fail(i, fmt::format("{} is written, and {} variables are read-only", m_.name(r.variable->id),
                             storage_name(r.variable->storage)));
    if (r.in_slots)
      if (const auto k = memory_.scalar_at(*r.variable, pointer.targets[0].offset, bytes)) {
        slots_now_[r.first_slot + *k] = fixed(v, i);
        return;
      }
  }
  if (v.is(Value::Kind::pointer))
    m_.refuse(i, "memory that holds pointers is not read", "pointers may stand in variables of the invocation");
  const bool opaque = v.is(Value::Kind::opaque);
  const Expr e = opaque ? term::constant(0, bits) : ops_.term(v, i);
  if (e.width() != bits) m_.fail(i, "the value is of another type than what the pointer points at");
  for (const Spot& s : spots(pointer, bytes, bits, i)) {
    if (opaque && memory_.decisions().opaque.insert(roots_[s.root].variable->id).second) throw Restart{};
    for (uint32_t part = 0; part < s.cells.count; ++part) {
      Expr piece = part == 0 ? e : term::binary(T::lshr, e, term::constant(uint64_t{part} * s.cells.width, bits));
      prog::Address a = address(s, part);
      prog::Instr& in = emit(Kind::store, i, "OpStore");
      in.addr = std::move(a);
      in.value = term::resize(std::move(piece), s.cells.width, false);
      in.predicate = s.predicate;
      in.tags = tags | class_tags(s.root);
      in.tags.add(Tag::W);
    }
  }
}

// ---- accesses of several scalars -----------------------------------------------------------------------------

// The bytes are copied scalar by scalar, as what the target or the source points at is made of; compilers make pointers
// to bytes of both first.
void Lowering::copy_sized(const Instruction& i) {
  const Value to = value(i.word(0), i), from = value(i.word(1), i);
  const uint64_t bytes = constant(i.word(2), "size of the copy", i);
  if (bytes > k_most_bytes) m_.refuse(i, fmt::format("a copy of {} bytes is not read", bytes));
  const auto pointee = [&](Id pointer) {
    const Instruction* d = m_.definition(pointer);
    if (d != nullptr && static_cast<Op>(d->op) == Op::OpBitcast) d = m_.definition(d->word(0));
    const Type* t = d == nullptr ? nullptr : m_.find_type(d->type);
    return t != nullptr && t->kind == Type::Kind::pointer ? t->element : Id{0};
  };
  Id type = 0;
  uint64_t size = 0;
  for (const Id pointer : {i.word(0), i.word(1)}) {
    const Id t = pointee(pointer);
    const uint64_t n = t == 0 ? 0 : types_.size(t, i);
    if (n == 0 || bytes % n != 0 || (type != 0 && n <= size)) continue;
    type = t;
    size = n;
  }
  if (type == 0) m_.refuse(i, fmt::format("a copy of {} bytes between these pointers is not read", bytes));
  const Layout layout = types_.layout(type, nullptr, 0, i);
  const Accesses tags = copy_operands(i, 3);
  const auto moved = [](Value p, uint64_t by) {
    for (Target& t : p.targets) t.offset.bytes += static_cast<int64_t>(by);
    return p;
  };
  for (uint64_t at = 0; at < bytes; at += size)
    for (const Scalar& s : layout.scalars)
      store_scalar(moved(to, at + s.offset), s.type, load_scalar(moved(from, at + s.offset), s.type, tags.read, i),
                   tags.write, i);
}

// vloadn(offset, p) and vstoren(v, offset, p): n scalars from p + n * offset on.
bool Lowering::vector_access(const Instruction& i) {
  const bool loads = i.extended == "vloadn";
  if (!loads && i.extended != "vstoren") return false;
  const Value pointer = value(i.word(loads ? 3 : 4), i);
  const Expr offset = ops_.term(value(i.word(loads ? 2 : 3), i), i);
  if (!pointer.is(Value::Kind::pointer)) m_.fail(i, "an access goes through a pointer");
  const Id vector = loads ? i.type : m_.type_id_of(i.word(2), i);
  const Id element = m_.type(vector, i).element;
  const uint64_t n = types_.count(vector, i), size = types_.size(element, i);
  const auto part = [&](uint64_t k) {
    Value p = pointer;
    const uint8_t w = ops_.offset_width();
    const Expr first = term::binary(T::mul, term::resize(offset, w, true), term::constant(n, w));
    for (Target& t : p.targets)
      t.offset.move(static_cast<int64_t>(size), term::binary(T::add, first, term::constant(k, w)));
    return p;
  };
  if (!loads) {
    const Value v = value(i.word(2), i);
    if (!v.is(Value::Kind::composite)) m_.fail(i, "a vector is needed here");
    for (uint64_t k = 0; k < n; ++k) store_scalar(part(k), element, v.parts[k], {Tag::NA, Tag::WI}, i);
    return true;
  }
  std::vector<Value> parts;
  for (uint64_t k = 0; k < n; ++k) parts.push_back(load_scalar(part(k), element, {Tag::NA}, i));
  define(i, Value::composite(vector, std::move(parts)));
  return true;
}

// ---- atomic operations ---------------------------------------------------------------------------------------

void Lowering::atomic(const Instruction& i) {
  const auto op = static_cast<Op>(i.op);
  const Value pointer = value(i.word(0), i);
  if (!pointer.is(Value::Kind::pointer)) m_.fail(i, "an atomic operation goes through a pointer");
  const Id type = pointee(pointer, i);
  const Type& t = m_.type(type, i);
  if (t.kind == Type::Kind::float_) m_.refuse(i, "atomic operations on floating point numbers are not read");
  if (t.kind != Type::Kind::int_) m_.fail(i, "atomic operations are on integers");
  const uint8_t w = types_.bits(type, i);
  const auto bytes = static_cast<uint32_t>(types_.size(type, i));
  const auto where = scope(i.word(1), i);
  const Semantics s = semantics(i.word(2), i);
  const bool weak = op == Op::OpAtomicCompareExchangeWeak;
  const bool exchange = op == Op::OpAtomicCompareExchange || weak;
  const bool loads = op == Op::OpAtomicLoad;
  const bool stores = op == Op::OpAtomicStore || op == Op::OpAtomicFlagClear;
  if (loads && s.release && !s.sequential) m_.fail(i, "a load cannot release", "use Acquire on loads");
  if (stores && s.acquire && !s.sequential) m_.fail(i, "a store cannot acquire", "use Release on stores");
  Semantics unequal;  // of a compare-exchange that fails: a read
  if (exchange) {
    unequal = semantics(i.word(3), i);
    if (unequal.release && !unequal.sequential)
      m_.fail(i, "a compare-exchange that fails cannot release", "use Acquire or None as unequal semantics");
  }
  const auto operand = [&](size_t k) {
    const Expr e = ops_.term(value(i.word(k), i), i);
    if (e.width() != w) m_.fail(i, "the operand is of another width than the memory");
    return e;
  };
  const auto combine = [&](const Expr& old) -> Expr {
    const Expr one = term::constant(1, w);
    switch (op) {
      case Op::OpAtomicStore:
      case Op::OpAtomicExchange:
        return operand(3);
      case Op::OpAtomicFlagClear:
        return term::constant(0, w);
      case Op::OpAtomicFlagTestAndSet:
        return one;
      case Op::OpAtomicCompareExchange:
      case Op::OpAtomicCompareExchangeWeak:
        return operand(4);
      case Op::OpAtomicIIncrement:
        return term::binary(T::add, old, one);
      case Op::OpAtomicIDecrement:
        return term::binary(T::sub, old, one);
      case Op::OpAtomicIAdd:
        return term::binary(T::add, old, operand(3));
      case Op::OpAtomicISub:
        return term::binary(T::sub, old, operand(3));
      case Op::OpAtomicSMin:
        return term::binary(T::smin, old, operand(3));
      case Op::OpAtomicUMin:
        return term::binary(T::umin, old, operand(3));
      case Op::OpAtomicSMax:
        return term::binary(T::smax, old, operand(3));
      case Op::OpAtomicUMax:
        return term::binary(T::umax, old, operand(3));
      case Op::OpAtomicAnd:
        return term::binary(T::and_, old, operand(3));
      case Op::OpAtomicOr:
        return term::binary(T::or_, old, operand(3));
      case Op::OpAtomicXor:
        return term::binary(T::xor_, old, operand(3));
      default:
        m_.refuse(i, fmt::format("{} is not read", opcode_name(i.op)));
    }
  };
  const auto result = [&](const Expr& old) {
    if (i.result == 0) return;
    define(i, Value::scalar(i.type, op == Op::OpAtomicFlagTestAndSet ? term::truth(old) : old));
  };

  if (pointer.targets.size() == 1 && pointer.targets[0].root != k_null_root && !pointer.targets[0].ended &&
      roots_[pointer.targets[0].root].in_slots) {
    const Root& r = roots_[pointer.targets[0].root];
    if (const auto k =
            memory_.scalar_at(*r.variable, pointer.targets[0].offset, bytes)) {  // its own: nobody else looks
      if (weak)
        m_.refuse(i, "a weak compare-exchange on memory of one invocation is not read", "use the strong one there");
      Value& slot = slots_now_[r.first_slot + *k];
      const Expr old = stores ? Expr{} : ops_.term(slot, i);
      if (!loads) {
        Expr next = combine(old);
        if (exchange) next = term::ite(term::binary(T::eq, old, operand(5)), next, old);
        slot = settle(Value::scalar(type, std::move(next)), i);
      }
      if (!stores) result(old);
      return;
    }
  }

  const bool opencl = m_.dialect() == vocab::Dialect::opencl;
  TagSet common = opencl ? TagSet{Tag::A} : TagSet{Tag::ATOM, Tag::NONPRIV};
  if (where) common.add(*where);
  TagSet read = common, write = common;
  read.add(Tag::R);
  write.add(Tag::W);
  if (!opencl) {
    read.add(Tag::VIS);
    write.add(Tag::AV);
  }
  add_order(read, s, true, false);
  add_order(write, s, false, true);
  TagSet failed = common;
  failed.add(Tag::R);
  if (!opencl) failed.add(Tag::VIS);
  add_order(failed, unequal, true, false);
  Expr out, spurious = term::constant(0, 1);
  for (const Spot& spot : spots(pointer, bytes, w, i)) {
    if (spot.cells.count != 1)
      m_.refuse(i, "an atomic operation on memory that is also accessed in smaller pieces is not read");
    const prog::RegId r = stores ? k_none : reg(result_name(i), w);
    const prog::RegId fails = weak ? reg(result_name(i) + ".spurious", 1) : k_none;
    for (const prog::RegId x : {r, fails}) {
      if (spot.predicate == k_none || x == k_none) continue;
      prog::Instr& clear = emit(Kind::local, i, "OpUndef");
      clear.dst = x;
      clear.value = term::constant(0, t_.registers[x].width);
    }
    if (weak) spurious = term::binary(T::or_, std::move(spurious), var(fails));
    prog::Address a = address(spot, 0);
    Expr value, guard;
    if (!loads) value = combine(term::variable(prog::k_old_value, w));
    if (exchange) guard = term::binary(T::eq, term::variable(prog::k_old_value, w), operand(5));
    prog::Instr& in = emit(loads ? Kind::load : stores ? Kind::store : Kind::rmw, i, opcode_name(i.op));
    in.dst = r;
    in.addr = std::move(a);
    in.value = std::move(value);
    in.guard = std::move(guard);
    in.predicate = spot.predicate;
    in.spurious = fails;
    in.tags = (stores ? write : read) | class_tags(spot.root);
    if (!loads && !stores) {
      in.tags.add(Tag::RMW);
      in.store_tags = write | class_tags(spot.root);
      in.store_tags.add(Tag::RMW);
      if (exchange && failed != read) {
        in.failed_tags = failed | class_tags(spot.root);
        in.failed_tags->add(Tag::RMW);
      }
    }
    if (!stores) {
      const Expr e = or_unknown(spot, var(r), type, i);
      out = !out || !spot.when ? e : term::ite(spot.when, e, out);
    }
  }
  if (!stores) result(out ? out : term::constant(0, w));
  if (weak) spurious_[{flow_.segments[here_].frame, i.result}] = std::move(spurious);
}

// A weak exchange that fails spuriously returns the value that it expects. Whether it has succeeded is what the
// comparison of the two says, here as in the code that the LLVM-SPIR-V translator makes for OpenCL C.
Expr Lowering::compared(const Instruction& i, Expr equal) {
  for (size_t k = 0; k < 2; ++k) {
    const Instruction* d = m_.definition(i.word(k));
    if (d == nullptr || static_cast<Op>(d->op) != Op::OpAtomicCompareExchangeWeak) continue;
    const auto it = spurious_.find({flow_.segments[here_].frame, i.word(k)});
    const Id other = i.word(1 - k), expected = d->word(5);
    const bool same =
        other == expected || (c_.has(other) && c_.has(expected) && c_.value(other, i) == c_.value(expected, i));
    if (it == spurious_.end() || !same) continue;
    return static_cast<Op>(i.op) == Op::OpIEqual
               ? term::binary(T::and_, std::move(equal), term::unary(T::not_, it->second))
               : term::binary(T::or_, std::move(equal), it->second);
  }
  return equal;
}

void Lowering::barrier(const Instruction& i) {
  const bool control = static_cast<Op>(i.op) == Op::OpControlBarrier;
  const size_t first = control ? 1 : 0;
  const auto where = scope(i.word(first), i);
  const Semantics s = semantics(i.word(first + 1), i);
  TagSet tags;
  if (where) tags.add(*where);
  const bool orders = !s.relaxed();
  if (orders) {
    tags.add(Tag::F);
    add_order(tags, s, false, false);
  }
  if (!control) {
    if (!orders) return;  // it orders nothing
    prog::Instr& in = emit(Kind::fence, i, "OpMemoryBarrier");
    in.tags = tags;
    return;
  }
  const uint32_t execution = constant(i.word(0), "execution scope", i);
  if (execution != static_cast<uint32_t>(spv::Scope::Workgroup) &&
      execution != static_cast<uint32_t>(spv::Scope::Subgroup))
    m_.refuse(i, "control barriers are read for the scopes Workgroup and Subgroup");
  if (m_.dialect() == vocab::Dialect::vulkan) {
    tags.add(Tag::CBAR);
  } else {  // OpenCL's barrier acquires and releases, no more and no less, in the regions that it names
    for (const Tag t : {Tag::SC, Tag::ACQ, Tag::REL, Tag::RLX}) tags.remove(t);
    tags |= {Tag::F, Tag::ACQ_REL};
    tags |= s.tags;
  }
  tags.add(Tag::B);
  prog::Instr& in = emit(Kind::barrier, i, "OpControlBarrier");
  in.tags = tags;
  in.barrier.instance = fmt::format("{}b{}", flow_.frames[flow_.segments[here_].frame].path, flow_.barriers.at(&i));
  in.barrier.level = execution == static_cast<uint32_t>(spv::Scope::Workgroup) ? 2 : 3;
}

}  // namespace fencepost::spirv
