#include "spirv/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <spirv/unified1/spirv.hpp11>

namespace fencepost::spirv {

using prog::k_none;
using spv::Op;
using T = term::Op;

namespace {

constexpr int k_most_passes = 5000;
constexpr size_t k_most_shapes = 6;  // of pointers into one variable that meet

const Value& part_of(const Value& v, const std::vector<uint32_t>& path) {
  const Value* at = &v;
  for (const uint32_t k : path) at = &at->parts[k];
  return *at;
}

}  // namespace

Lowering::Lowering(const Constants& constants, Memory& memory, const Flow& flow, uint32_t thread)
    : c_(constants),
      m_(constants.module()),
      types_(constants.types()),
      memory_(memory),
      flow_(flow),
      thread_(thread),
      place_(constants.launch().place(thread)),
      ops_(types_, {[this](Id id, const Instruction& user) { return value(id, user); },
                    [this](const Value& v, const Instruction& user) { return demand(v, user); },
                    [](uint32_t root) { return 2 * k_most_bytes * root; },  // apart, whatever their sizes
                    [this](uint8_t w, const Expr& when, const Instruction& user) {
                      return any(w, result_name(user) + ".undefined", when, user);
                    },
                    [this](uint32_t root) -> std::optional<uint32_t> { return roots_[root].variable->storage; }}) {
  roots_.emplace_back();  // the null pointer
  in_loop_.assign(flow.segments.size(), false);
  for (uint32_t s = 0; s < flow.segments.size(); ++s)
    for (const uint32_t to : flow.segments[s].next)
      if (flow.rank[s] < flow.order.size() && flow.rank[to] < flow.order.size() && flow.backward(s, to))
        for (uint32_t k = flow.rank[to]; k <= flow.rank[s]; ++k) in_loop_[flow.order[k]] = true;
  std::set<Id> used;
  std::set<const Function*> functions;
  for (const Frame& f : flow.frames)
    if (functions.insert(f.function).second)
      for (const Block& b : f.function->blocks)
        for (const Instruction* i : b.code)
          for (size_t k = 0; k < i->size(); ++k)
            if (i->args[k].is_id) used.insert(i->word(k));
  for (const Instruction* v : m_.variables()) {
    if (!used.contains(v->result)) continue;
    const auto c = static_cast<spv::StorageClass>(v->word(0));
    if (c == spv::StorageClass::Private || c == spv::StorageClass::Input) own_variables_.push_back(v);
  }
}

prog::Template Lowering::run() {
  for (int k = 0; !pass(); ++k)
    FENCEPOST_INVARIANT(k < k_most_passes, "the passes over a kernel do not come to an end");
  return linear();
}

bool Lowering::pass() {
  t_ = {};
  again_ = false;
  anything_ = 0;
  states_.assign(flow_.segments.size(), {});
  values_.assign(flow_.frames.size(), {});
  spurious_.clear();
  const uint32_t start = flow_.frames[0].entry;
  states_[start].reached = true;
  for (const uint32_t s : flow_.order) {
    if (!states_[s].reached) continue;
    enter(s);
    segment(s);
    states_[s].out = std::move(slots_now_);
    states_[s].done = true;
  }
  for (uint32_t s = 0; s < states_.size(); ++s) {
    if (states_[s].reached && !states_[s].done)
      m_.refuse(*flow_.segments[s].block->code.front(), "a loop with several entries is not read",
                "structured control flow has one");
    if (!states_[s].done) continue;
    for (const uint32_t p : states_[s].from) {
      if (!flow_.backward(p, s)) continue;
      for (const auto& [slot, v] : states_[s].in) {
        const auto it = states_[p].out.find(slot);
        if (it != states_[p].out.end()) check({s, slot, {}}, v, it->second);
      }
      for (const auto& [slot, v] : states_[s].phis) check({s, slot, {}}, v, incoming(p, s, slot));
    }
  }
  return !again_;
}

void Lowering::enter(uint32_t s) {
  here_ = s;
  State& st = states_[s];
  code_ = &st.code;
  demanded_.clear();
  slots_now_.clear();
  if (st.from.empty()) {  // the start
    at_ = m_.entry().at;
    for (const Instruction* v : own_variables_) declare(*v);
    for (const Instruction* v : m_.entry().parameters) {  // structures by value come as private memory
      const Type& t = m_.type(v->type, *v);
      if (t.kind == Type::Kind::pointer && static_cast<spv::StorageClass>(t.storage) == spv::StorageClass::Function)
        declare(*v);
    }
  } else {
    at_ = flow_.segments[s].block->code.front();
    std::vector<const Slots*> known;
    for (const uint32_t p : st.from)
      if (states_[p].done) known.push_back(&states_[p].out);
    for (const auto& [slot, first] : *known.front()) {
      std::vector<Value> in;
      for (const Slots* o : known)
        if (const auto it = o->find(slot); it != o->end()) in.push_back(it->second);
      if (in.size() == known.size()) slots_now_[slot] = meet({s, slot, {}}, in, fmt::format("s{}", slot));
    }
  }
  st.in = slots_now_;
}

Value Lowering::meet(const Key& key, const std::vector<Value>& in, const std::string& name) {
  const Value& first = in.front();
  const auto all = [&](auto&& f) { return std::all_of(in.begin(), in.end(), f); };
  if (first.is(Value::Kind::composite)) {
    if (!all([&](const Value& v) { return v.parts.size() == first.parts.size(); }))
      m_.fail(*at_, "values of different types meet here");
    Value out = first;
    for (uint32_t k = 0; k < first.parts.size(); ++k) {
      std::vector<Value> parts;
      for (const Value& v : in) parts.push_back(v.parts[k]);
      Key sub = key;
      sub.path.push_back(k);
      out.parts[k] = meet(sub, parts, fmt::format("{}.{}", name, k));
    }
    return out;
  }
  if (opaque_joins_.contains(key) || !all([](const Value& v) { return !v.is(Value::Kind::opaque); }))
    return Value::opaque(first.type);
  if (!needed_.contains(key) && all([&](const Value& v) { return v == first; })) return first;
  Join j;
  j.key = key;
  j.type = first.type;
  j.span = at_->span;
  Value out;
  if (m_.type(first.type, *at_).kind == Type::Kind::pointer) {
    out = meet_pointers(j, in, name);
  } else {
    j.reg = reg(name, types_.bits(first.type, *at_));
    out = Value::scalar(first.type, var(j.reg));
  }
  states_[key.segment].joins.push_back(std::move(j));
  return out;
}

Lowering::Shape Lowering::shape_of(const Target& t) {
  Shape s;
  s.root = t.root;
  s.bytes = t.offset.bytes;
  s.ended = t.ended;
  for (const Offset::Step& x : t.offset.steps) s.steps.emplace_back(x.scale, x.limit);
  return s;
}

// A variable that is pointed into in too many ways gets one flat shape.
bool Lowering::add_shape(Shapes& shapes, const Target& t) {
  const Shape s = shape_of(t);
  if (std::find(shapes.begin(), shapes.end(), s) != shapes.end()) return false;
  size_t alike = 0;
  for (Shape& x : shapes) {
    if (!x.like(t)) continue;
    ++alike;
    if (!x.flat) continue;
    const uint64_t unit = t.offset.unit(static_cast<uint64_t>(x.steps[0].first));
    const bool changed = unit != static_cast<uint64_t>(x.steps[0].first);
    x.steps[0].first = static_cast<int64_t>(unit);
    return changed;
  }
  if (alike < k_most_shapes) {
    shapes.push_back(s);
    return true;
  }
  uint64_t unit = t.offset.unit(0);
  for (const Shape& x : shapes) {
    if (!x.like(t)) continue;
    unit = std::gcd(unit, static_cast<uint64_t>(x.bytes < 0 ? -x.bytes : x.bytes));
    for (const auto& step : x.steps)
      unit = std::gcd(unit, static_cast<uint64_t>(step.first < 0 ? -step.first : step.first));
  }
  std::erase_if(shapes, [&](const Shape& x) { return x.like(t); });
  shapes.push_back({t.root, 0, {{static_cast<int64_t>(std::max<uint64_t>(unit, 1)), 0}}, true, t.ended});
  return true;
}

bool Lowering::add_shapes(Shapes& shapes, const Value& v) {
  if (v.is(Value::Kind::undefined))
    return add_shape(shapes, Target{});  // to go through it is undefined behaviour, as through null
  bool changed = false;
  for (const Target& t : v.targets) changed = add_shape(shapes, t) || changed;
  return changed;
}

Value Lowering::meet_pointers(Join& j, const std::vector<Value>& in, const std::string& name) {
  j.pointer = true;
  Shapes& shapes = join_shapes_[j.key];
  for (const Value& v : in) add_shapes(shapes, v);
  j.shapes = shapes;
  if (shapes.size() > 250) m_.refuse(*at_, "a pointer that may point to more than 250 places");
  if (shapes.size() > 1) j.choice = reg(name + ".which", 8);
  size_t most = 0;
  for (const Shape& s : shapes) most = std::max(most, s.steps.size());
  for (size_t k = 0; k < most; ++k)
    j.indices.push_back(reg(k == 0 ? name + ".at" : fmt::format("{}.at{}", name, k), ops_.offset_width()));
  std::vector<Target> targets;
  for (size_t n = 0; n < shapes.size(); ++n) {
    Target t;
    if (shapes.size() > 1) t.when = term::binary(T::eq, var(j.choice), term::constant(n, 8));
    t.root = shapes[n].root;
    t.ended = shapes[n].ended;
    t.offset.bytes = shapes[n].bytes;
    for (size_t k = 0; k < shapes[n].steps.size(); ++k)
      t.offset.steps.push_back({shapes[n].steps[k].first, var(j.indices[k]), shapes[n].steps[k].second});
    targets.push_back(std::move(t));
  }
  return Value::pointer(j.type, std::move(targets));
}

// What the registers of a join get on a way that brings `v`.
void Lowering::copy_pointer(const Join& j, const Value& v, std::vector<std::pair<prog::RegId, Expr>>& pending) {
  const uint8_t w = ops_.offset_width();
  std::vector<Target> targets = v.targets;
  if (v.is(Value::Kind::undefined)) targets = {Target{}};
  Expr choice;
  std::vector<Expr> indices(j.indices.size());
  for (size_t n = targets.size(); n-- > 0;) {
    const Target& t = targets[n];
    auto shape = std::find(j.shapes.begin(), j.shapes.end(), shape_of(t));
    if (shape == j.shapes.end())
      shape = std::find_if(j.shapes.begin(), j.shapes.end(), [&](const Shape& s) { return s.flat && s.like(t); });
    if (shape == j.shapes.end()) {  // found out in this pass: there is another
      again_ = true;
      continue;
    }
    const auto put = [&](Expr& to, const Expr& e) { to = !to || !t.when ? e : term::ite(t.when, e, to); };
    put(choice, term::constant(static_cast<uint64_t>(shape - j.shapes.begin()), 8));
    for (size_t k = 0; k < shape->steps.size(); ++k)
      put(indices[k],
          shape->flat ? t.offset.in_units(static_cast<uint64_t>(shape->steps[0].first), w) : t.offset.steps[k].e);
  }
  if (j.choice != k_none && choice) pending.push_back({j.choice, choice});
  for (size_t k = 0; k < indices.size(); ++k)
    if (indices[k]) pending.push_back({j.indices[k], indices[k]});
}

// What a latch brings against what the header assumed.
void Lowering::check(const Key& key, const Value& assumed, const Value& brought) {
  if (assumed.is(Value::Kind::composite) && brought.parts.size() == assumed.parts.size()) {
    for (uint32_t k = 0; k < assumed.parts.size(); ++k) {
      Key sub = key;
      sub.path.push_back(k);
      check(sub, assumed.parts[k], brought.parts[k]);
    }
    return;
  }
  if (assumed.is(Value::Kind::opaque)) return;
  if (brought.is(Value::Kind::opaque)) {
    opaque_joins_.insert(key);
    again_ = true;
    return;
  }
  const auto& joins = states_[key.segment].joins;
  const auto j = std::find_if(joins.begin(), joins.end(), [&](const Join& x) { return x.key == key; });
  if (j == joins.end()) {
    if (assumed == brought) return;
    needed_.insert(key);
    again_ = true;
    return;
  }
  if (j->pointer && add_shapes(join_shapes_[key], brought)) again_ = true;
}

const Instruction* Lowering::phi_of(uint32_t s, uint64_t slot) const {
  for (const Instruction* i : flow_.segments[s].block->code)
    if (static_cast<Op>(i->op) == Op::OpPhi && (k_phi | i->result) == slot) return i;
  return nullptr;
}

Value Lowering::incoming(uint32_t from, uint32_t to, uint64_t slot) {
  if ((slot & k_phi) == 0) return states_[from].out.at(slot);
  const Instruction* i = phi_of(to, slot);
  FENCEPOST_INVARIANT(i != nullptr, "a phi has gone");
  const Id label = flow_.segments[from].block->label;
  for (size_t k = 0; k + 1 < i->size(); k += 2)
    if (i->word(k + 1) == label) return value_in(flow_.segments[to].frame, i->word(k), *i);
  m_.fail(*i, fmt::format("this phi has no value for the way from {}", m_.name(label)));
}

// The copies on the way from one segment to another, in an order in which none overwrites what another still reads.
std::vector<prog::Instr> Lowering::edge_code(uint32_t from, uint32_t to) {
  std::vector<prog::Instr> out;
  code_ = &out;
  here_ = from;
  demanded_.clear();
  std::vector<std::pair<prog::RegId, Expr>> pending;
  for (const Join& j : states_[to].joins) {
    at_ = flow_.segments[to].block->code.front();
    const Value whole = incoming(from, to, j.key.slot);
    const Value& v = part_of(whole, j.key.path);
    if (!j.pointer) {
      pending.push_back({j.reg, ops_.term(v, *at_)});
      continue;
    }
    copy_pointer(j, v, pending);
  }
  std::erase_if(pending, [](const auto& p) { return p.second.is_var() && p.second.value() == p.first; });
  const auto reads = [](const Expr& e, prog::RegId r) {
    bool found = false;
    term::for_each_variable(e, [&](uint64_t x) { found = found || x == r; });
    return found;
  };
  const auto move = [&](prog::RegId r, Expr e) {
    prog::Instr i;
    i.kind = prog::Kind::local;
    i.mnemonic = "OpPhi";
    i.dst = r;
    i.value = std::move(e);
    i.span = at_->span;
    out.push_back(std::move(i));
  };
  while (!pending.empty()) {
    bool moved = false;
    for (size_t k = 0; k < pending.size() && !moved; ++k) {
      bool free = true;
      for (size_t n = 0; n < pending.size(); ++n)
        free = free && (n == k || !reads(pending[n].second, pending[k].first));
      if (!free) continue;
      move(pending[k].first, pending[k].second);
      pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(k));
      moved = true;
    }
    if (moved) continue;
    // A cycle: the old value of one register moves aside.
    const prog::RegId r = pending.front().first;
    const prog::RegId aside = reg(t_.registers[r].name + ".old", t_.registers[r].width);
    move(aside, var(r));
    for (auto& [dst, e] : pending)
      e = term::substitute(e, [&](uint64_t x, uint8_t) { return x == r ? var(aside) : Expr{}; });
  }
  return out;
}

prog::RegId Lowering::reg(const std::string& name, uint8_t width) {
  std::string unique = name;
  // Names repeat for what is lowered several times (inlined calls): numbers tell them apart.
  t_.registers.push_back({unique, width, "", true});
  return static_cast<prog::RegId>(t_.registers.size() - 1);
}

prog::RegId Lowering::set(Expr e, const std::string& name, const Instruction& i) {
  const prog::RegId r = reg(name, e.width());
  prog::Instr& in = emit(prog::Kind::local, i, opcode_name(i.op));
  in.dst = r;
  in.value = std::move(e);
  return r;
}

}  // namespace fencepost::spirv
