#include <fmt/format.h>

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

#include "spirv/ops.h"

namespace fencepost::spirv {

using spv::Op;
using T = term::Op;

// ---- composites --------------------------------------------------------------------------------------

// OpenCL C asks work-item functions for dimensions that a launch has not: "other values of dimindx" give 1 for sizes
// and 0 for ids (OpenCL C 3.0, 6.15.1). In SPIR-V that is a part of a built-in vector that it has not.
std::optional<Value> Operations::other_dimension(const Operation& o) const {
  if (m_.dialect() != vocab::Dialect::opencl) return std::nullopt;
  const Instruction* load = m_.definition(o.word(0));
  if (load == nullptr || static_cast<Op>(load->op) != Op::OpLoad) return std::nullopt;
  const auto which = m_.built_in(load->word(0));
  if (!which) return std::nullopt;
  using B = spv::BuiltIn;
  const auto b = static_cast<B>(*which);
  const bool size =
      b == B::NumWorkgroups || b == B::WorkgroupSize || b == B::EnqueuedWorkgroupSize || b == B::GlobalSize;
  const bool id =
      b == B::WorkgroupId || b == B::LocalInvocationId || b == B::GlobalInvocationId || b == B::GlobalOffset;
  if (!size && !id) return std::nullopt;
  return Value::scalar(o.type, number(size ? 1 : 0, types_.bits(o.type, o.at)));
}

Value Operations::extract(const Operation& o) const {
  Value v = arg(o, 0);
  if (o.size() == 2 && v.is(Value::Kind::composite) && o.word(1) >= v.parts.size())
    if (const auto other = other_dimension(o)) return *other;
  for (size_t k = 1; k < o.size(); ++k) {
    if (!v.is(Value::Kind::composite) || o.word(k) >= v.parts.size())
      m_.fail(o.at, fmt::format("there is no part {} to extract", o.word(k)));
    Value part = v.parts[o.word(k)];
    v = std::move(part);
  }
  return v;
}

Value Operations::insert(const Operation& o) const {
  const Value object = arg(o, 0);
  Value whole = arg(o, 1);
  Value* at = &whole;
  for (size_t k = 2; k < o.size(); ++k) {
    if (!at->is(Value::Kind::composite) || o.word(k) >= at->parts.size())
      m_.fail(o.at, fmt::format("there is no part {} to replace", o.word(k)));
    at = &at->parts[o.word(k)];
  }
  *at = object;
  return whole;
}

Value Operations::construct(const Operation& o) const {
  const Type& t = m_.type(o.type, o.at);
  std::vector<Value> parts;
  for (size_t k = 0; k < o.size(); ++k) {
    Value v = arg(o, k);
    if (t.kind == Type::Kind::vector && v.is(Value::Kind::composite))
      parts.insert(parts.end(), v.parts.begin(), v.parts.end());
    else
      parts.push_back(std::move(v));
  }
  const uint64_t n = t.kind == Type::Kind::struct_                                 ? t.members.size()
                     : t.kind == Type::Kind::vector || t.kind == Type::Kind::array ? types_.count(o.type, o.at)
                                                                                   : 0;
  if (n == 0) m_.fail(o.at, fmt::format("{} is not a composite type", m_.name(o.type)));
  if (parts.size() != n)
    m_.fail(o.at, fmt::format("{} has {} parts, and {} are given", m_.name(o.type), n, parts.size()));
  return Value::composite(o.type, std::move(parts));
}

Value Operations::shuffle(const Operation& o) const {
  const Value a = arg(o, 0), b = arg(o, 1);
  std::vector<Value> all = a.parts, parts;
  all.insert(all.end(), b.parts.begin(), b.parts.end());
  const Type& t = m_.type(o.type, o.at);
  for (size_t k = 2; k < o.size(); ++k) {
    if (o.word(k) == 0xffffffffu)
      parts.push_back(Value::unknown(t.element, fmt::format("{}.{}", m_.name(o.at.result), k - 2), true));
    else if (o.word(k) >= all.size())
      m_.fail(o.at, fmt::format("there is no part {} to take", o.word(k)));
    else
      parts.push_back(all[o.word(k)]);
  }
  if (t.kind != Type::Kind::vector || parts.size() != t.count)
    m_.fail(o.at,
            fmt::format("{} components are selected, and the result type is not a vector of that many", parts.size()));
  return Value::composite(o.type, std::move(parts));
}

// OpVectorExtractDynamic, OpVectorInsertDynamic
Value Operations::dynamic(const Operation& o) const {
  Value v = arg(o, 0);
  const bool inserts = static_cast<Op>(o.op) == Op::OpVectorInsertDynamic;
  if (!v.is(Value::Kind::composite) || v.parts.empty()) m_.fail(o.at, "the first operand is a vector");
  const Expr index = term(arg(o, inserts ? 2 : 1), o.at);
  const auto here = [&](size_t k) { return term::binary(T::eq, index, number(k, index.width())); };
  if (inserts) {
    const Value part = arg(o, 1);
    for (size_t k = 0; k < v.parts.size(); ++k) v.parts[k] = select(here(k), part, v.parts[k], o.at);
    return v;
  }
  // "If Index is out of bounds, the value is undefined" (SPIR-V, OpVectorExtractDynamic).
  const auto below = [&](const Expr& e) { return e.is_const() && e.value() < v.parts.size(); };
  const bool inside =
      below(index) || (index.op() == T::and_ && std::any_of(index.kids().begin(), index.kids().end(), below));
  const auto other = inside ? std::nullopt : other_dimension(o);
  Value out = inside ? v.parts.back() : other ? *other : undefined(o.type, m_.name(o.at.result), o.at);
  for (size_t k = v.parts.size(); k-- > 0;) out = select(here(k), v.parts[k], out, o.at);
  return out;
}

Value Operations::copy_logical(Id type, const Value& v, const Instruction& user) const {
  Value out = v;
  out.type = type;
  const Type& t = m_.type(type, user);
  for (size_t k = 0; k < out.parts.size(); ++k) {
    const Id part = t.kind == Type::Kind::struct_ ? (k < t.members.size() ? t.members[k] : 0) : t.element;
    if (part == 0) m_.fail(user, "the two types do not match logically");
    out.parts[k] = copy_logical(part, v.parts[k], user);
  }
  return out;
}

Value Operations::select(const Expr& c, const Value& t, const Value& e, const Instruction& user) const {
  if (c.is_const()) return c.is_const(1) ? t : e;
  if (t == e) return t;
  if (t.is(Value::Kind::composite) && e.is(Value::Kind::composite) && t.parts.size() == e.parts.size()) {
    Value out = t;
    for (size_t k = 0; k < t.parts.size(); ++k) out.parts[k] = select(c, t.parts[k], e.parts[k], user);
    return out;
  }
  if (t.is(Value::Kind::pointer) && e.is(Value::Kind::pointer)) {
    std::vector<Target> targets;
    const auto add = [&](const Value& v, const Expr& when) {
      for (Target x : v.targets) {
        x.when = x.when ? term::binary(T::and_, when, x.when) : when;
        targets.push_back(std::move(x));
      }
    };
    add(t, c);
    add(e, term::unary(T::not_, c));
    return Value::pointer(t.type, std::move(targets));
  }
  if (any_opaque(t) || any_opaque(e)) return Value::opaque(t.type);
  const Expr a = term(t, user), b = term(e, user);
  if (a.width() != b.width()) m_.fail(user, "the two values differ in width");
  return Value::scalar(t.type, term::ite(c, a, b));
}

// ---- addresses -----------------------------------------------------------------------------------------

Expr Operations::offset_term(const Offset& o) const { return o.in_units(1, offset_width()); }

Expr Operations::address_term(const Value& p, const Instruction& user) const {
  if (!p.is(Value::Kind::pointer) || p.targets.empty()) m_.refuse(user, "an undefined pointer is used here");
  const uint8_t w = offset_width();
  Expr out;
  for (size_t k = p.targets.size(); k-- > 0;) {
    const Target& t = p.targets[k];
    const Expr here = t.root == k_null_root
                          ? offset_term(t.offset)
                          : term::binary(T::add, number(source_.address(t.root), w), offset_term(t.offset));
    out = !out || !t.when ? here : term::ite(t.when, here, out);
  }
  return out;
}

// A pointer that points into another storage class than the one that is named becomes null by the explicit cast, and by
// the other one something that nothing may be accessed through.
Value Operations::from_generic(const Operation& o) const {
  Value v = arg(o, 0);
  v.type = o.type;
  const uint32_t storage = m_.type(o.type, o.at).storage;
  for (Target& t : v.targets) {
    const auto its = t.root == k_null_root ? std::nullopt : source_.storage(t.root);
    if (!its || *its == storage) continue;
    if (static_cast<spv::Op>(o.op) == spv::Op::OpGenericCastToPtrExplicit)
      t = Target{t.when, k_null_root, {}, false};
    else
      t.ended = true;
  }
  return v;
}

Value Operations::pointer_compare(const Operation& o, term::Op op) const {
  return Value::scalar(o.type, term::binary(op, term(arg(o, 0), o.at), term(arg(o, 1), o.at)));
}

Value Operations::access_chain(const Operation& o, bool pointer) const {
  Value base = arg(o, 0);
  if (base.is(Value::Kind::undefined)) m_.refuse(o.at, "an undefined pointer is used here");
  if (!base.is(Value::Kind::pointer)) m_.fail(o.at, fmt::format("{} is not a pointer", m_.name(o.word(0))));
  const Type& p = m_.type(base.type, o.at);
  if (p.kind != Type::Kind::pointer) m_.fail(o.at, fmt::format("{} is not a pointer", m_.name(o.word(0))));
  const auto index = [&](Id id) { return term::resize(term(source_.value(id, o.at), o.at), offset_width(), true); };
  Value out = base;
  out.type = o.type;
  size_t k = 1;
  Id at = p.element;
  if (pointer) {
    const uint64_t n = types_.size(at, o.at);
    const uint64_t a = m_.dialect() == vocab::Dialect::opencl ? types_.alignment(at, o.at) : 1;
    const uint64_t scale = p.stride != 0 ? p.stride : (n + a - 1) / a * a;
    const Expr e = index(o.word(k++));
    for (Target& t : out.targets) t.offset.move(static_cast<int64_t>(scale), e);
  }
  for (; k < o.size(); ++k) {
    const Type& t = m_.type(at, o.at);
    if (t.kind == Type::Kind::struct_) {
      const Expr e = term(source_.value(o.word(k), o.at), o.at);
      if (!e.is_const()) m_.fail(o.at, "a member of a structure is chosen by a constant");
      const uint64_t member = e.value();
      for (Target& x : out.targets) x.offset.bytes += static_cast<int64_t>(types_.offset(at, member, o.at));
      at = t.members[member];
    } else if (t.composite()) {
      const uint64_t limit = t.kind == Type::Kind::runtime_array ? k_runtime : types_.count(at, o.at);
      const Expr e = index(o.word(k));
      for (Target& x : out.targets) x.offset.steps.push_back({static_cast<int64_t>(types_.stride(at, o.at)), e, limit});
      at = t.element;
    } else {
      m_.fail(o.at, fmt::format("{} has no parts to choose from", m_.name(at)));
    }
  }
  return out;
}

}  // namespace fencepost::spirv
