#include "spirv/constants.h"

#include <fmt/format.h>
#include <spirv/unified1/NonSemanticClspvReflection.h>

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

#include "litmus/lexer.h"

namespace fencepost::spirv {

using spv::Op;

namespace {

constexpr uint64_t k_least_buffer = 10;

bool is_constant(uint32_t op) {
  switch (static_cast<Op>(op)) {
    case Op::OpConstantTrue:
    case Op::OpConstantFalse:
    case Op::OpConstant:
    case Op::OpConstantComposite:
    case Op::OpConstantNull:
    case Op::OpSpecConstantTrue:
    case Op::OpSpecConstantFalse:
    case Op::OpSpecConstant:
    case Op::OpSpecConstantComposite:
    case Op::OpSpecConstantOp:
    case Op::OpUndef:
      return true;
    default:
      return false;
  }
}

}  // namespace

Constants::Constants(const Module& m, const Header& header)
    : m_(m),
      types_(m, [this](Id c, const Instruction& user) { return whole(c, user); }),
      ops_(types_, {[this](Id id, const Instruction& user) { return value(id, user); },
                    [this](const Value&, const Instruction& user) -> Expr {
                      m_.fail(user, "an undefined value decides a constant");
                    },
                    [](uint32_t) -> uint64_t { return 0; },
                    [this](uint8_t, const Expr&, const Instruction& user) -> Expr {
                      m_.fail(user, "an undefined value decides a constant");
                    },
                    [](uint32_t) -> std::optional<uint32_t> { return std::nullopt; }}) {
  zero_ = header.zero;
  for (const Input& in : header.inputs) {
    const auto it = m.words().by_name.find(in.id);
    if (it == m.words().by_name.end()) {
      if (header.published) {
        lost_.push_back(in.id);
        continue;
      }
      std::vector<std::string> names;
      for (const auto& [name, id] : m.words().by_name) names.push_back(name);
      std::sort(names.begin(), names.end());
      litmus::fail_at(in.span, fmt::format("there is no {} in this module", in.id),
                      litmus::suggest(in.id, names, "inputs name variables, parameters and specialisation constants"));
    }
    if (!takes_input(it->second)) {
      if (header.published) {
        lost_.push_back(in.id);
        continue;
      }
      litmus::fail_at(in.span, fmt::format("{} takes no value from outside", in.id),
                      "inputs are for variables, parameters of the entry point and specialisation constants");
    }
    if (inputs_.contains(it->second))
      litmus::fail_at(in.span, fmt::format("{} has two inputs", in.id), "write one @Input for it");
    inputs_[it->second] = &in;
  }
}

bool Constants::takes_input(Id id) const {
  const Instruction* d = m_.definition(id);
  if (d == nullptr) return false;
  switch (static_cast<Op>(d->op)) {
    case Op::OpVariable:
    case Op::OpSpecConstant:
    case Op::OpSpecConstantTrue:
    case Op::OpSpecConstantFalse:
      return true;
    case Op::OpFunctionParameter: {
      const auto& own = m_.entry().parameters;
      return std::find(own.begin(), own.end(), d) != own.end();
    }
    default:
      return false;
  }
}

const InputValue* Constants::input(Id id) const {
  const auto it = inputs_.find(id);
  return it == inputs_.end() ? nullptr : &it->second->value;
}

// The workgroup size that the module says, by dimension.
std::optional<std::array<Constants::Dimension, 3>> Constants::own_size() const {
  std::array<Dimension, 3> out;
  const Instruction& at = *m_.entry().at;
  const auto size = [&](Id id) -> Dimension {
    const Instruction* d = m_.definition(id);
    const bool open = d != nullptr && static_cast<Op>(d->op) == Op::OpSpecConstant && input(id) == nullptr;
    return {static_cast<uint32_t>(whole(id, at)), open};
  };
  // A constant of this built-in goes before the execution mode (SPIR-V 1.6, LocalSize).
  for (const Id id : m_.workgroup_sizes())
    if (const Instruction* d = m_.definition(id);
        d != nullptr && d->size() == 3 &&
        (static_cast<Op>(d->op) == Op::OpConstantComposite || static_cast<Op>(d->op) == Op::OpSpecConstantComposite)) {
      for (size_t k = 0; k < 3; ++k) out[k] = size(d->word(k));
      return out;
    }
  if (const auto mode = m_.local_size()) {
    for (size_t k = 0; k < 3; ++k) out[k] = {(*mode)[k], false};
    return out;
  }
  const auto ids = m_.local_size_ids();
  if (!ids) return std::nullopt;
  for (size_t k = 0; k < 3; ++k) out[k] = size((*ids)[k]);
  return out;
}

void Constants::set_launch(const std::optional<Grid>& grid, const Span& where) {
  const auto size = own_size();
  uint64_t product = 1, fixed = 1;
  bool open = false;
  if (size)
    for (const Dimension& d : *size) {
      product = std::min<uint64_t>(product * d.size, uint64_t{1} << 40);
      if (!d.open) fixed = std::min<uint64_t>(fixed * d.size, uint64_t{1} << 40);
      open = open || d.open;
    }
  if (grid) {
    launch_.grid = *grid;
  } else if (size) {
    if (product > k_most_threads)
      m_.refuse(*m_.entry().at, fmt::format("a workgroup of {} invocations", product),
                fmt::format("choose a launch of at most {}", k_most_threads));
    launch_.grid.subgroup = std::max(1u, static_cast<uint32_t>(product));
  }
  const uint32_t invocations = launch_.grid.workgroup_size();
  launch_.local = {invocations, 1, 1};
  if (size && product == invocations) {
    for (size_t k = 0; k < 3; ++k) launch_.local[k] = (*size)[k].size;
  } else if (size) {
    // Specialisation constants follow the launch: the first that gives a dimension takes all, the others are 1.
    if (!open || fixed == 0 || invocations % fixed != 0) {
      std::string text;
      for (const Dimension& d : *size)
        text += fmt::format("{}{}", text.empty() ? "" : " x ", d.open ? "?" : std::to_string(d.size));
      litmus::fail_at(
          where.source ? where : m_.entry().at->span,
          fmt::format("the launch has workgroups of {} invocations, and the module fixes them at {}", invocations,
                      text),
          fmt::format("the product of the first two numbers of a launch is the size of a workgroup, here {}", fixed));
    }
    auto rest = static_cast<uint32_t>(invocations / fixed);
    for (size_t k = 0; k < 3; ++k) {
      launch_.local[k] = (*size)[k].open ? rest : (*size)[k].size;
      if ((*size)[k].open) rest = 1;
    }
  }
  for (const Instruction* r : m_.reflection())
    if (r->word(1) == NonSemanticClspvReflectionSpecConstantWorkgroupSize && r->size() >= 5)
      for (uint32_t d = 0; d < 3; ++d) sizes_[static_cast<uint32_t>(whole(r->word(2 + d), *r))] = d;
  for (const Instruction* r : m_.reflection())
    if (r->word(1) == NonSemanticClspvReflectionArgumentWorkgroup && r->size() >= 5)
      buffers_.insert(static_cast<uint32_t>(whole(r->word(4), *r)));
  for (const Instruction* v : m_.variables()) {  // a local buffer with an input has its length
    const InputValue* in = input(v->result);
    if (in == nullptr || in->items.empty()) continue;
    const Type& t = m_.type(m_.type(v->type, *v).element, *v);
    if (t.kind != Type::Kind::array) continue;
    if (const auto id = m_.spec_id(t.length); id && buffers_.contains(*id)) lengths_[t.length] = in->items.size();
  }
  memo_.clear();
}

bool Constants::has(Id id) const {
  const Instruction* d = m_.definition(id);
  return d != nullptr && is_constant(d->op);
}

uint64_t Constants::whole(Id id, const Instruction& user) const {
  const Value v = value(id, user);
  if (!v.is(Value::Kind::scalar) || !v.e.is_const())
    m_.fail(user, fmt::format("{} is not an integer constant", m_.name(id)));
  return v.e.value();
}

Value Constants::value(Id id, const Instruction& user) const {
  if (const auto it = memo_.find(id); it != memo_.end()) return it->second;
  const Instruction* d = m_.definition(id);
  if (d == nullptr || !is_constant(d->op)) m_.fail(user, fmt::format("{} is not a constant", m_.name(id)));
  if (std::find(open_.begin(), open_.end(), id) != open_.end())
    m_.fail(*d, fmt::format("{} is defined by itself", m_.name(id)));
  if (open_.size() > 1000) m_.refuse(*d, "constants nested more than 1000 deep are not read");
  open_.push_back(id);
  Value v = compute(*d);
  open_.pop_back();
  return memo_[id] = std::move(v);
}

Value Constants::compute(const Instruction& i) const {
  const Type& t = m_.type(i.type, i);
  if (const auto b = m_.built_in(i.result))
    if (auto v = built_in(*b, i.type, Place{}, i)) return *v;
  const bool specialises = static_cast<Op>(i.op) == Op::OpSpecConstant ||
                           static_cast<Op>(i.op) == Op::OpSpecConstantTrue ||
                           static_cast<Op>(i.op) == Op::OpSpecConstantFalse;
  if (specialises) {
    if (const InputValue* v = input(i.result)) {
      std::vector<Value> parts;
      flatten(i.type, *v, parts, i);
      return parts.front();
    }
    if (const auto id = m_.spec_id(i.result))
      if (const auto it = sizes_.find(*id); it != sizes_.end())
        return Value::scalar(i.type, term::constant(launch_.local[it->second], types_.bits(i.type, i)));
    // The length of a local buffer that a kernel is given: the host chooses it, and makes it large enough.
    if (const auto given = lengths_.find(i.result); given != lengths_.end())
      return Value::scalar(i.type, term::constant(given->second, types_.bits(i.type, i)));
    if (const auto id = m_.spec_id(i.result); id && buffers_.contains(*id) && t.kind == Type::Kind::int_) {
      const uint64_t n = std::max<uint64_t>({i.number(0), k_least_buffer, launch_.grid.threads()});
      return Value::scalar(i.type, term::constant(n, types_.bits(i.type, i)));
    }
  }
  switch (static_cast<Op>(i.op)) {
    case Op::OpConstantTrue:
    case Op::OpSpecConstantTrue:
    case Op::OpConstantFalse:
    case Op::OpSpecConstantFalse:
      if (t.kind != Type::Kind::bool_) m_.fail(i, "truth values have a boolean type");
      return Value::scalar(
          i.type,
          term::constant(
              static_cast<Op>(i.op) == Op::OpConstantTrue || static_cast<Op>(i.op) == Op::OpSpecConstantTrue ? 1 : 0,
              1));
    case Op::OpConstant:
    case Op::OpSpecConstant: {
      if (t.kind != Type::Kind::int_ && t.kind != Type::Kind::float_)
        m_.fail(i, "a number has an integer or floating point type");
      const uint8_t w = types_.bits(i.type, i);
      return Value::scalar(i.type, term::constant(i.number(0) & term::mask(w), w));
    }
    case Op::OpConstantNull:
      return ops_.null(i.type, i);
    case Op::OpUndef:
      return ops_.undefined(i.type, m_.name(i.result), i, true);
    case Op::OpConstantComposite:
    case Op::OpSpecConstantComposite:
      return *ops_.compute({i, static_cast<uint32_t>(Op::OpCompositeConstruct), i.type, 0});
    case Op::OpSpecConstantOp:
      if (auto v = ops_.compute({i, i.word(0), i.type, 1})) return *v;
      m_.refuse(i, fmt::format("{} on constants is not read", opcode_name(i.word(0))));
    default:
      m_.fail(i, "this is not a constant");
  }
}

std::optional<Value> Constants::built_in(uint32_t which, Id type, const Place& p, const Instruction& user) const {
  const Type& t = m_.type(type, user);
  const Grid& g = launch_.grid;
  const auto one = [&](uint64_t n) -> Value {
    if (t.kind != Type::Kind::int_) m_.fail(user, "this built-in is an integer");
    return Value::scalar(type,
                         term::constant(n & term::mask(static_cast<uint8_t>(t.width)), static_cast<uint8_t>(t.width)));
  };
  const auto three = [&](const Triple& n) -> Value {
    if (t.kind != Type::Kind::vector || t.count != 3 || m_.type(t.element, user).kind != Type::Kind::int_)
      m_.fail(user, "this built-in is a vector of three integers");
    const uint8_t w = types_.bits(t.element, user);
    std::vector<Value> parts;
    for (const uint32_t x : n) parts.push_back(Value::scalar(t.element, term::constant(x, w)));
    return Value::composite(type, std::move(parts));
  };
  const Triple workgroups = {launch_.global_size()[0] / launch_.local[0], launch_.global_size()[1] / launch_.local[1],
                             launch_.global_size()[2] / launch_.local[2]};
  const uint32_t index = p.subgroup * g.subgroup + p.lane;
  using B = spv::BuiltIn;
  switch (static_cast<B>(which)) {
    case B::NumWorkgroups:
      return three(workgroups);
    case B::WorkgroupSize:
    case B::EnqueuedWorkgroupSize:
      return three(launch_.local);
    case B::WorkgroupId:
      return three(launch_.workgroup_id(p));
    case B::LocalInvocationId:
      return three(launch_.local_id(p));
    case B::GlobalInvocationId:
      return three(launch_.global_id(p));
    case B::LocalInvocationIndex:
      return one(index);
    case B::GlobalSize:
      return three(launch_.global_size());
    case B::GlobalOffset:
      return three({0, 0, 0});
    case B::WorkDim:
      return one(launch_.global_size()[2] > 1 ? 3 : launch_.global_size()[1] > 1 ? 2 : 1);
    case B::GlobalLinearId: {
      const Triple id = launch_.global_id(p), n = launch_.global_size();
      return one((uint64_t{id[2]} * n[1] + id[1]) * n[0] + id[0]);
    }
    case B::SubgroupSize:
    case B::SubgroupMaxSize:
      return one(g.subgroup);
    case B::NumSubgroups:
    case B::NumEnqueuedSubgroups:
      return one(g.subgroups);
    case B::SubgroupId:
      return one(p.subgroup);
    case B::SubgroupLocalInvocationId:
      return one(p.lane);
    case B::DeviceIndex:
      return one(p.device);
    default:
      return std::nullopt;
  }
}

void Constants::flatten(Id type, const InputValue& v, std::vector<Value>& out, const Instruction& user) const {
  const Type& t = m_.type(type, user);
  if (t.scalar() && v.absent) {
    out.push_back(initial(type, fmt::format("{}.{}", user.result != 0 ? m_.name(user.result) : "", out.size()), user));
    return;
  }
  if (t.scalar()) {
    if (v.is_list)
      litmus::fail_at(v.span, "a list stands where one number is needed", fmt::format("{} is a scalar", m_.name(type)));
    const uint8_t w = types_.bits(type, user);
    const uint64_t n = t.kind == Type::Kind::bool_ ? (v.number != 0 ? 1 : 0) : v.number;
    const int64_t s = static_cast<int64_t>(n);
    if (w < 64 && n > term::mask(w) && (s >= 0 || s < -(int64_t{1} << (w - 1))))
      litmus::fail_at(v.span, fmt::format("this number does not fit into {} bits", w));
    out.push_back(Value::scalar(type, term::constant(n & term::mask(w), w)));
    if (out.size() > k_most_cells)
      litmus::fail_at(v.span, fmt::format("an input has at most {} numbers", k_most_cells));
    return;
  }
  if (!t.composite()) m_.refuse(user, fmt::format("values of the type {} cannot be given as input", m_.name(type)));
  if (!v.is_list && !v.absent)
    litmus::fail_at(v.span, "a number stands where a list is needed",
                    fmt::format("{} is a composite: {{...}}", m_.name(type)));
  const uint64_t n = t.kind == Type::Kind::struct_         ? t.members.size()
                     : t.kind == Type::Kind::runtime_array ? v.items.size()
                                                           : types_.count(type, user);
  InputValue none;
  none.absent = true;
  none.span = v.span;
  const auto item = [&](uint64_t k) -> const InputValue& { return k < v.items.size() ? v.items[k] : none; };
  if (v.partial || v.absent ? v.items.size() > n : v.items.size() != n)
    litmus::fail_at(v.span, fmt::format("{} values are given, and {} has {}", v.items.size(), m_.name(type), n));
  for (uint64_t k = 0; k < n; ++k)
    flatten(t.kind == Type::Kind::struct_ ? t.members[k] : t.element, item(k), out, user);
}

Value Constants::initial(Id type, std::string name, const Instruction& user) const {
  // Nobody fills what an invocation has for itself, nor what a workgroup shares.
  const Type* at = user.type != 0 ? m_.find_type(user.type) : nullptr;
  bool filled = at == nullptr || at->kind != Type::Kind::pointer;
  if (!filled) {
    switch (static_cast<spv::StorageClass>(at->storage)) {
      case spv::StorageClass::Function:
      case spv::StorageClass::Private:
      case spv::StorageClass::Workgroup:
      case spv::StorageClass::Output:
        break;
      case spv::StorageClass::UniformConstant:
        filled = m_.dialect() == vocab::Dialect::vulkan;
        break;
      default:
        filled = true;
    }
  }
  if (!zero_ || !filled) return Value::unknown(type, std::move(name));
  took_zero_ = true;
  return Value::scalar(type, term::constant(0, types_.bits(type, user)));
}

void Constants::flatten(const Value& v, std::vector<Value>& out) const {
  if (!v.is(Value::Kind::composite)) {
    out.push_back(v);
    return;
  }
  for (const Value& p : v.parts) flatten(p, out);
}

}  // namespace fencepost::spirv
