// Instructions of a segment: which change memory, which end it, and which are terms.
#include <fmt/format.h>

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

#include "spirv/lower.h"

namespace fencepost::spirv {

using prog::k_none;
using prog::Kind;
using spv::Op;
using T = term::Op;

namespace {

constexpr uint32_t k_most_nodes = 24;  // of a term that is not put into a register

}  // namespace

std::string Lowering::result_name(const Instruction& i) const {
  return flow_.frames[flow_.segments[here_].frame].path + m_.name(i.result);
}

void Lowering::segment(uint32_t s) {
  const Segment& g = flow_.segments[s];
  if (g.begin > 0) {
    const Instruction& c = *g.block->code[g.begin - 1];  // the call before
    uint32_t frame = 0;
    while (flow_.frames[frame].resume != s) ++frame;
    if (const auto it = return_slot_.find(frame); it != return_slot_.end() && slots_now_.contains(it->second))
      define(c, slots_now_.at(it->second));
  }
  for (size_t k = g.begin; k < g.end; ++k) {
    const Instruction& i = *g.block->code[k];
    at_ = &i;
    if (k + 1 < g.end)
      instruction(i);
    else if (g.callee != k_nowhere)
      call(i, g.callee);
    else
      terminator(i);
  }
}

void Lowering::go(uint32_t to, Expr when) {
  State& st = states_[here_];
  for (Way& w : st.ways)
    if (w.to == to) {
      // Two ways to one place are one: taken in either case.
      w.when = !w.when || !when ? Expr{} : term::binary(T::or_, w.when, when);
      return;
    }
  st.ways.push_back({to, std::move(when)});
  states_[to].from.push_back(here_);
  states_[to].reached = true;
}

void Lowering::terminator(const Instruction& i) {
  const Segment& g = flow_.segments[here_];
  const Frame& f = flow_.frames[g.frame];
  const auto segment_of = [&](Id label) {
    for (const uint32_t s : g.next)
      if (flow_.segments[s].block->label == label && flow_.segments[s].begin == 0 && flow_.segments[s].frame == g.frame)
        return s;
    m_.fail(i, fmt::format("{} is not a block of this function", m_.name(label)));
  };
  switch (static_cast<Op>(i.op)) {
    case Op::OpBranch:
      go(segment_of(i.word(0)), {});
      return;
    case Op::OpBranchConditional: {
      const Expr c = ops_.truth(value(i.word(0), i), i);
      const uint32_t yes = segment_of(i.word(1)), no = segment_of(i.word(2));
      const auto never = [&](uint32_t s) {
        const std::vector<const Instruction*>& code = flow_.segments[s].block->code;
        return code.size() == 1 && static_cast<Op>(code[0]->op) == Op::OpUnreachable;
      };
      if (yes == no)
        go(yes, {});
      else if (!c.is_const() && (never(yes) || never(no))) {  // the flag says it, and no way forks
        undefined_behaviour(never(yes) ? c : term::unary(T::not_, c), i);
        go(never(yes) ? no : yes, {});
      } else if (c.is_const())
        go(c.is_const(1) ? yes : no, {});
      else {
        go(yes, c);
        go(no, {});
      }
      return;
    }
    case Op::OpSwitch: {
      const Expr selector = ops_.term(value(i.word(0), i), i);
      const uint32_t otherwise = segment_of(i.word(1));
      for (size_t k = 2; k + 1 < i.size(); k += 2) {
        const uint32_t to = segment_of(i.word(k + 1));
        const Expr here =
            term::binary(T::eq, selector, term::constant(i.number(k) & term::mask(selector.width()), selector.width()));
        if (here.is_const(0)) continue;
        if (here.is_const(1)) {
          go(to, {});
          return;
        }
        if (to != otherwise) go(to, here);
      }
      go(otherwise, {});
      return;
    }
    case Op::OpReturnValue: {
      const auto [it, fresh] = return_slot_.try_emplace(g.frame, slots_);
      if (fresh) ++slots_;
      slots_now_[it->second] = value(i.word(0), i);
      [[fallthrough]];
    }
    case Op::OpReturn:
      end_frame(g.frame);
      if (f.resume != k_nowhere) go(f.resume, {});
      return;
    case Op::OpUnreachable:
      undefined_behaviour({}, i);
      return;
    case Op::OpKill:
    case Op::OpTerminateInvocation:
      return;
    default:
      m_.fail(i, "a block does not end like this");
  }
}

void Lowering::call(const Instruction& i, uint32_t callee) {
  const Function& f = *flow_.frames[callee].function;
  if (i.size() != f.parameters.size() + 1)
    m_.fail(i, fmt::format("{} has {} parameters, and {} are given", m_.name(f.id), f.parameters.size(), i.size() - 1));
  std::vector<Value> args;
  for (size_t k = 1; k < i.size(); ++k) args.push_back(value(i.word(k), i));
  for (size_t k = 0; k < args.size(); ++k) {
    const Instruction& p = *f.parameters[k];
    values_[callee][p.result] = m_.by_value(p.result) ? own_copy(p, callee, args[k], i) : std::move(args[k]);
  }
  if (const auto it = return_slot_.find(callee); it != return_slot_.end()) slots_now_.erase(it->second);
  go(flow_.frames[callee].entry, {});
}

// A structure that is passed by value comes as a pointer to the caller's, and what the function does to it the caller
// does not see: each call has a variable of its own, with a copy.
Value Lowering::own_copy(const Instruction& parameter, uint32_t callee, const Value& argument,
                         const Instruction& call) {
  const Type& t = m_.type(parameter.type, parameter);
  if (t.kind != Type::Kind::pointer || static_cast<spv::StorageClass>(t.storage) != spv::StorageClass::Function)
    m_.refuse(parameter, "what is passed by value lies in the memory of functions");
  const bool opencl = m_.dialect() == vocab::Dialect::opencl;
  const Value copied = load(argument, t.element, opencl ? prog::TagSet{vocab::Tag::NA} : prog::TagSet{}, call);
  const uint32_t id = root(parameter, flow_.frames[callee].path);
  const Root& r = roots_[id];
  if (r.in_slots)
    for (size_t k = 0; k < r.variable->init.size(); ++k) slots_now_[r.first_slot + k] = r.variable->init[k];
  else
    memory_.start(*r.variable, r.key, r.variable->init);
  Value own = Value::pointer(parameter.type, {Target{{}, id, {}}});
  store(own, t.element, copied, opencl ? prog::TagSet{vocab::Tag::NA, vocab::Tag::WI} : prog::TagSet{}, call);
  return own;
}

void Lowering::phi(const Instruction& i) {
  std::vector<Value> in;
  const uint64_t slot = k_phi | i.result;
  for (const uint32_t p : states_[here_].from)
    if (states_[p].done) in.push_back(incoming(p, here_, slot));
  if (in.empty()) m_.fail(i, "a phi stands in a block that nothing leads to");
  Value v = meet({here_, slot, {}}, in, result_name(i));
  states_[here_].phis[slot] = v;
  define(i, std::move(v));
}

Value Lowering::value(Id id, const Instruction& user) { return value_in(flow_.segments[here_].frame, id, user); }

Value Lowering::value_in(uint32_t frame, Id id, const Instruction& user) {
  const auto& known = values_[frame];
  if (const auto it = known.find(id); it != known.end()) return it->second;
  if (c_.has(id)) {
    Value v = c_.value(id, user);
    if (v.is(Value::Kind::undefined)) v.undefined += fmt::format("@{}", thread_);
    for (Value& p : v.parts)
      if (p.is(Value::Kind::undefined)) p.undefined += fmt::format("@{}", thread_);
    return v;
  }
  const Instruction* d = m_.definition(id);
  if (d == nullptr) m_.fail(user, fmt::format("{} is not defined", m_.name(id)));
  if (static_cast<Op>(d->op) == Op::OpVariable)
    return Value::pointer(d->type,
                          {Target{{},
                                  root(*d, static_cast<spv::StorageClass>(d->word(0)) == spv::StorageClass::Function
                                               ? flow_.frames[frame].path
                                               : std::string()),
                                  {}}});
  if (static_cast<Op>(d->op) == Op::OpFunctionParameter && frame == 0) {
    const Type& t = m_.type(d->type, *d);
    if (t.kind == Type::Kind::pointer) return Value::pointer(d->type, {Target{{}, root(*d, ""), {}}});
    if (const InputValue* in = c_.input(id)) {
      std::vector<Value> leaves;
      c_.flatten(d->type, *in, leaves, *d);
      size_t next = 0;
      const auto build = [&](auto&& self, Id type) -> Value {
        const Type& ty = m_.type(type, *d);
        if (ty.scalar()) return leaves[next++];
        std::vector<Value> parts;
        if (ty.kind == Type::Kind::struct_)
          for (const Id member : ty.members) parts.push_back(self(self, member));
        else
          for (uint64_t k = types_.count(type, *d); k > 0; --k) parts.push_back(self(self, ty.element));
        return Value::composite(type, std::move(parts));
      };
      return build(build, d->type);
    }
    return ops_.undefined(d->type, m_.name(id), *d);  // one value for the launch
  }
  if (static_cast<Op>(d->op) == Op::OpConstantSampler || static_cast<Op>(d->op) == Op::OpExtInst || d->type == 0)
    m_.fail(user, fmt::format("{} is not a value that is known here", m_.name(id)));
  m_.fail(user, fmt::format("{} is used before it is defined", m_.name(id)),
          "a definition stands on every way to its uses");
}

void Lowering::define(const Instruction& i, Value v) {
  if (i.result == 0) return;
  v.type = v.type == 0 ? i.type : v.type;
  if (static_cast<Op>(i.op) != Op::OpUndef) v = fixed(std::move(v), i);
  values_[flow_.segments[here_].frame][i.result] = std::move(v);
}

Value Lowering::settle(Value v, const Instruction& i) {
  if (v.is(Value::Kind::scalar) && term_size(v.e, k_most_nodes + 1) > k_most_nodes)
    v.e = var(set(v.e, result_name(i), i));
  for (Value& p : v.parts) p = settle(std::move(p), i);
  for (Target& t : v.targets) {
    if (t.when && term_size(t.when, k_most_nodes + 1) > k_most_nodes)
      t.when = var(set(t.when, result_name(i) + ".when", i));
    for (Offset::Step& s : t.offset.steps)
      if (term_size(s.e, k_most_nodes + 1) > k_most_nodes) s.e = var(set(s.e, result_name(i) + ".at", i));
    if (t.offset.steps.size() > 8) {
      const uint64_t unit = std::max<uint64_t>(t.offset.unit(0), 1);
      const Expr sum = var(set(t.offset.in_units(unit, ops_.offset_width()), result_name(i) + ".at", i));
      t.offset = {0, {{static_cast<int64_t>(unit), sum, 0}}};
    }
  }
  return v;
}

Expr Lowering::demand(const Value& v, const Instruction& user) {
  if (m_.type(v.type, user).kind == Type::Kind::pointer) m_.refuse(user, "an undefined pointer is used here");
  const uint8_t w = types_.bits(v.type, user);
  if (v.each_use) return any(w, v.undefined, {}, user);
  if (const auto it = demanded_.find(v.undefined); it != demanded_.end())
    return w == 1 ? term::truth(var(it->second)) : var(it->second);
  const uint8_t cell = w == 1 ? 8 : w;
  const prog::RegId r = reg(v.undefined, cell);
  prog::Instr& in = emit(Kind::load, user, "undefined");
  in.dst = r;
  in.addr.symbol = memory_.unknown(v.undefined, cell, user.span);
  if (m_.dialect() == vocab::Dialect::opencl) in.tags = {vocab::Tag::NA};
  demanded_[v.undefined] = r;
  return w == 1 ? term::truth(var(r)) : var(r);
}

// Any value: the initial one of a cell that nothing else reads. In a loop each round takes the next of several cells.
Expr Lowering::any(uint8_t w, const std::string& what, const Expr& when, const Instruction& user) {
  const uint8_t cell = w == 1 ? 8 : w;
  const std::string name = fmt::format("{}#{}@{}", what, anything_++, thread_);
  const bool repeats = in_loop_[here_];
  const prog::RegId r = reg(name, cell);
  prog::RegId predicate = k_none, round = k_none;
  if (when && !when.is_const(1)) {
    prog::Instr& clear = emit(Kind::local, user, "OpUndef");
    clear.dst = r;
    clear.value = term::constant(0, cell);
    predicate = set(when, "outside", user);
  }
  prog::Address a;
  a.symbol = memory_.unknown(name, cell, user.span, repeats ? k_rounds : 1);
  if (repeats) {
    round = reg(name + ".round", 64);
    a.index = term::binary(T::and_, var(round), term::constant(k_rounds - 1, 64));
  }
  prog::Instr& in = emit(Kind::load, user, "undefined");
  in.dst = r;
  in.addr = std::move(a);
  in.predicate = predicate;
  if (m_.dialect() == vocab::Dialect::opencl) in.tags = {vocab::Tag::NA};
  if (repeats) {
    prog::Instr& next = emit(Kind::local, user, "OpUndef");
    next.dst = round;
    next.value = term::binary(T::add, var(round), term::constant(1, 64));
  }
  return w == 1 ? term::truth(var(r)) : var(r);
}

Value Lowering::fixed(Value v, const Instruction& user) {
  if (v.is(Value::Kind::undefined) && v.each_use && m_.type(v.type, user).kind != Type::Kind::pointer)
    return Value::scalar(v.type, demand(v, user));
  for (Value& p : v.parts) p = fixed(std::move(p), user);
  return v;
}

void Lowering::instruction(const Instruction& i) {
  const auto op = static_cast<Op>(i.op);
  switch (op) {
    case Op::OpPhi:
      phi(i);
      return;
    case Op::OpSelectionMerge:
    case Op::OpLoopMerge:
    case Op::OpNop:
    case Op::OpAssumeTrueKHR:
    case Op::OpModuleProcessed:
      return;
    case Op::OpVariable:
      declare(i);
      return;
    case Op::OpLifetimeStart:
      begin_life(i);
      return;
    case Op::OpLifetimeStop: {
      const Value v = value(i.word(0), i);
      if (v.is(Value::Kind::pointer) && v.targets.size() == 1 && v.targets[0].root != k_null_root)
        end_life(v.targets[0].root);
      return;
    }
    case Op::OpUndef:
      define(i, ops_.undefined(i.type, fmt::format("{}@{}", result_name(i), thread_), i, true));
      return;
    case Op::OpLoad: {
      const Value p = value(i.word(0), i);
      define(i, load(p, i.type, memory_operands(i, 1, true, false).read, i));
      return;
    }
    case Op::OpStore: {
      const Value p = value(i.word(0), i);
      const Value v = value(i.word(1), i);
      store(p, pointee(p, i), v, memory_operands(i, 2, false, true).write, i);
      return;
    }
    case Op::OpCopyMemory: {
      const Value to = value(i.word(0), i), from = value(i.word(1), i);
      const Id type = pointee(from, i);
      const Accesses tags = copy_operands(i, 2);
      store(to, type, load(from, type, tags.read, i), tags.write, i);
      return;
    }
    case Op::OpCopyMemorySized:
      copy_sized(i);
      return;
    case Op::OpAtomicLoad:
    case Op::OpAtomicStore:
    case Op::OpAtomicExchange:
    case Op::OpAtomicCompareExchange:
    case Op::OpAtomicCompareExchangeWeak:
    case Op::OpAtomicIIncrement:
    case Op::OpAtomicIDecrement:
    case Op::OpAtomicIAdd:
    case Op::OpAtomicISub:
    case Op::OpAtomicSMin:
    case Op::OpAtomicUMin:
    case Op::OpAtomicSMax:
    case Op::OpAtomicUMax:
    case Op::OpAtomicAnd:
    case Op::OpAtomicOr:
    case Op::OpAtomicXor:
    case Op::OpAtomicFlagTestAndSet:
    case Op::OpAtomicFlagClear:
      atomic(i);
      return;
    case Op::OpMemoryBarrier:
    case Op::OpControlBarrier:
      barrier(i);
      return;
    case Op::OpExtInst: {
      const auto set = m_.extended(i.word(0));
      if (!set) m_.fail(i, fmt::format("{} is not a set of extended instructions", m_.name(i.word(0))));
      if (*set == ExtendedSet::clspv || *set == ExtendedSet::silent) return;
      if (auto v = ops_.extended({i, i.op, i.type, 2}, *set, i.word(1))) {
        define(i, settle(std::move(*v), i));
        return;
      }
      if (*set == ExtendedSet::opencl && vector_access(i)) return;
      m_.refuse(i, fmt::format("{} is not read", i.extended.empty()
                                                     ? fmt::format("instruction {} of this extended set", i.word(1))
                                                     : i.extended));
    }
    default:
      break;
  }
  if (c_.has(i.result)) return;  // constants may stand among the code
  if (auto v = ops_.compute({i, i.op, i.type, 0})) {
    v->type = v->type == 0 ? i.type : v->type;
    if ((op == Op::OpIEqual || op == Op::OpINotEqual) && v->is(Value::Kind::scalar))
      v->e = compared(i, std::move(v->e));
    define(i, settle(std::move(*v), i));
    return;
  }
  m_.refuse(i, fmt::format("{} is not read", opcode_name(i.op)), "docs/spirv.md lists what is");
}

}  // namespace fencepost::spirv
