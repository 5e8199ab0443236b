#include "ir/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "ir/cfg.h"
#include "ir/print.h"

namespace fencepost::ir {
namespace {

class Checker {
 public:
  Checker(const Module& m, const Function& f, std::vector<std::string>& faults)
      : m_(m), f_(f), cfg_(f), faults_(faults) {}

  void run() {
    if (!f_.body) {
      if (!f_.blocks.empty() && !only_frames()) fault(0, "a bodiless function has instructions");
      return;
    }
    if (f_.blocks.empty()) return fault(0, "a function with a body has no block");
    if (!cfg_.predecessors({0}).empty()) fault(0, "the entry has a predecessor");
    if (!cfg_.reducible()) fault(0, "the control flow is not reducible");
    collect_definitions();
    for (uint32_t b = 0; b < f_.blocks.size(); ++b) check_block(b);
    for (const Loop& l : cfg_.loops()) {
      uint32_t inside = 0, outside = 0;
      for (const BlockId p : cfg_.predecessors(l.header)) ++(cfg_.dominates(l.header, p) ? inside : outside);
      if (inside != 1) fault(l.header.index, "the loop has more than one latch");
      if (outside != 1) fault(l.header.index, "the loop has no preheader");
    }
  }

 private:
  void fault(uint32_t block, const std::string& what) {
    faults_.push_back(fmt::format("@{} b{}: {}", f_.symbol, block, what));
  }
  bool only_frames() const {
    return f_.blocks.size() == 1 &&
           std::all_of(f_.blocks[0].instructions.begin(), f_.blocks[0].instructions.end(), [](const Instruction& i) {
             return std::holds_alternative<Frame>(i.action) || std::holds_alternative<Compute>(i.action);
           });
  }

  void collect_definitions() {
    block_of_.assign(f_.values.size(), ~0u);
    order_of_.assign(f_.values.size(), 0);
    for (uint32_t b = 0; b < f_.blocks.size(); ++b)
      for (uint32_t i = 0; i < f_.blocks[b].instructions.size(); ++i)
        for (const ValueId r : f_.blocks[b].instructions[i].results) {
          if (r.index >= f_.values.size() || f_.value(r).kind != Value::result) {
            fault(b, fmt::format("instruction {} defines %{}, which is not a result", i, r.index));
            continue;
          }
          if (block_of_[r.index] != ~0u) fault(b, fmt::format("%{} is defined twice", r.index));
          block_of_[r.index] = b;
          order_of_[r.index] = i;
        }
  }

  // `at`: the instruction that uses it; ~0u for the end of the block.
  void use(uint32_t b, uint32_t at, ValueId v) {
    if (v.index >= f_.values.size()) return fault(b, fmt::format("%{} does not exist", v.index));
    if (f_.value(v).kind != Value::result) return;
    const uint32_t d = block_of_[v.index];
    if (d == ~0u) return fault(b, fmt::format("%{} is used and never defined", v.index));
    if (d == b ? order_of_[v.index] >= at : !cfg_.dominates({d}, {b}))
      fault(b, fmt::format("the definition of %{} does not dominate its use", v.index));
  }

  void check_block(uint32_t b) {
    if (!cfg_.reachable({b})) return fault(b, "the block is not reachable");
    bool phis = true;
    for (uint32_t i = 0; i < f_.blocks[b].instructions.size(); ++i) {
      const Instruction& in = f_.blocks[b].instructions[i];
      if (const auto* phi = std::get_if<Phi>(&in.action)) {
        if (!phis) fault(b, "a phi stands behind another instruction");
        if (phi->entries.size() != cfg_.predecessors({b}).size())
          fault(b, "a phi has not one entry for each predecessor");
        for (const Phi::Entry& e : phi->entries) {
          const auto& preds = cfg_.predecessors({b});
          if (std::find(preds.begin(), preds.end(), e.from) == preds.end())
            fault(b, "a phi names a block that is not a predecessor");
          use(e.from.index, ~0u, e.value);
          if (e.value.index < f_.values.size() && !in.results.empty() &&
              !(f_.value(e.value).type == f_.value(in.results[0]).type))
            fault(b, fmt::format("the phi %{} mixes types", in.results[0].index));
        }
      } else {
        phis = false;
        for_each_operand(in.action, [&](ValueId v) { use(b, i, v); });
        check_types(b, in);
      }
    }
    for_each_operand(f_.blocks[b].terminator, [&](ValueId v) { use(b, ~0u, v); });
    for (const BlockId to : successors(f_.blocks[b].terminator))
      if (to.index >= f_.blocks.size()) fault(b, "a jump leads to no block");
    if (const auto* br = std::get_if<Branch>(&f_.blocks[b].terminator))
      if (!is_bits(br->condition, 1)) fault(b, "the condition of a branch is not one bit");
    if (const auto* r = std::get_if<Return>(&f_.blocks[b].terminator)) {
      if (r->values.size() != f_.results.size())
        return fault(b, "a return has not as many values as the function has results");
      for (size_t i = 0; i < r->values.size(); ++i)
        if (!(f_.value(r->values[i]).type == f_.results[i]))
          fault(b, "a returned value has not the type of the result");
    }
  }

  bool is_bits(ValueId v, uint32_t width) const {
    return v && f_.value(v).type == Type{Type::bits, static_cast<uint8_t>(width)};
  }
  bool is_pointer(ValueId v) const { return v && f_.value(v).type.kind == Type::pointer; }

  void check_access(uint32_t b, const Access& a) {
    if (!is_pointer(a.pointer)) fault(b, "an access is not through a pointer");
    if (a.bytes == 0) fault(b, "an access has no bytes");
    if (a.site >= m_.sites) fault(b, "a site is out of range");
    if (!std::is_sorted(a.regions.begin(), a.regions.end())) fault(b, "the regions of an access are not sorted");
    for (const RegionId r : a.regions)
      if (r.index >= m_.regions.size()) fault(b, "a region does not exist");
  }

  void check_types(uint32_t b, const Instruction& in) {
    const auto result_width = [&]() -> uint32_t { return in.results.empty() ? 0 : f_.value(in.results[0]).type.width; };
    std::visit(
        [&](const auto& x) {
          using T = std::decay_t<decltype(x)>;
          if constexpr (std::is_same_v<T, Compute>) {
            if (in.results.size() != 1) return fault(b, fmt::format("'{}' has not one result", name(x.op)));
            check_compute(b, x, f_.value(in.results[0]).type);
          } else if constexpr (std::is_same_v<T, Load>) {
            check_access(b, x.access);
            if (in.results.size() != 1 || result_width() != 8 * x.access.bytes)
              fault(b, "a load's result has not its width");
          } else if constexpr (std::is_same_v<T, Store>) {
            check_access(b, x.access);
            if (f_.value(x.value).type.width != 8 * x.access.bytes)
              fault(b, "a stored value has not the access's width");
          } else if constexpr (std::is_same_v<T, Atomic>) {
            check_access(b, x.access);
          } else if constexpr (std::is_same_v<T, Barrier>) {
            if (!is_bits(x.local_fence, 1) || !is_bits(x.global_fence, 1)) fault(b, "a fence flag is not one bit");
          } else if constexpr (std::is_same_v<T, Annotation> || std::is_same_v<T, BarrierInvariant>) {
            if (!is_bits(x.condition, 1)) fault(b, "an annotation's condition is not one bit");
          } else if constexpr (std::is_same_v<T, Call>) {
            if (x.callee) check_call(b, in, x, m_.function(x.callee));
            for (const FunctionId t : x.targets) check_call(b, in, x, m_.function(t));
          }
        },
        in.action);
  }

  void check_call(uint32_t b, const Instruction& in, const Call& c, const Function& g) {
    if (c.arguments.size() != g.parameters.size())
      return fault(b, fmt::format("the call of @{} has not as many arguments as it has parameters", g.symbol));
    if (in.results.size() != g.results.size())
      return fault(b, fmt::format("the call of @{} has not its results", g.symbol));
    for (size_t i = 0; i < c.arguments.size(); ++i)
      if (!(f_.value(c.arguments[i]).type == g.parameters[i].type))
        fault(b, fmt::format("argument {} of @{} has not the parameter's type", i, g.symbol));
  }

  void check_compute(uint32_t b, const Compute& c, Type result) {
    const auto bad = [&] { fault(b, fmt::format("the operands of '{}' do not fit", name(c.op))); };
    const auto type = [&](size_t i) { return f_.value(c.operands[i]).type; };
    const size_t n = c.operands.size();
    if (result.kind == Type::bits && (result.width < 1 || result.width > 64))
      fault(b, "a result is not 1 to 64 bits wide");
    if (c.op >= Op::add && c.op <= Op::umax) {
      if (n != 2 || !(type(0) == result) || !(type(1) == result) || result.kind != Type::bits) bad();
    } else if (c.op >= Op::eq && c.op <= Op::uge) {
      if (n != 2 || !(type(0) == type(1)) || type(0).kind != Type::bits || result.width != 1) bad();
    } else {
      switch (c.op) {
        case Op::not_:
        case Op::neg:
          if (n != 1 || !(type(0) == result)) bad();
          break;
        case Op::ite:
          if (n != 3 || type(0).width != 1 || !(type(1) == result) || !(type(2) == result)) bad();
          break;
        case Op::zext:
        case Op::sext:
          if (n != 1 || type(0).width >= result.width) bad();
          break;
        case Op::trunc:
          if (n != 1 || type(0).width <= result.width) bad();
          break;
        case Op::extract:
          if (n != 1 || c.imm + result.width > type(0).width) bad();
          break;
        case Op::concat:
          if (n != 2 || type(0).width + type(1).width != result.width) bad();
          break;
        case Op::pointer_add:
          if (n != 2 || type(0).kind != Type::pointer ||
              type(1) != Type{Type::bits, static_cast<uint8_t>(m_.pointer_bits)} || result.kind != Type::pointer)
            bad();
          break;
        case Op::map_rank:
          if (n != 2 || type(0).kind != Type::pointer || type(1) != Type{Type::bits, 32} || result != type(0)) bad();
          break;
        case Op::pointer_eq:
        case Op::pointer_ult:
          if (n != 2 || type(0).kind != Type::pointer || type(1).kind != Type::pointer || result.width != 1) bad();
          break;
        case Op::fadd:
        case Op::fsub:
        case Op::fmul:
        case Op::fdiv:
        case Op::frem:
          if (n != 2 || !(type(0) == result) || !(type(1) == result)) bad();
          break;
        case Op::other:
        case Op::old:
          if (n != 1 || !(type(0) == result)) bad();
          break;
        default:
          break;
      }
    }
  }

  const Module& m_;
  const Function& f_;
  Cfg cfg_;
  std::vector<std::string>& faults_;
  std::vector<uint32_t> block_of_, order_of_;
};

}  // namespace

std::vector<std::string> faults(const Module& m) {
  std::vector<std::string> found;
  for (const Function& f : m.functions) Checker(m, f, found).run();
  for (const Region& r : m.regions) {
    if (r.contents == Contents::given && (!r.size || r.initial.size() != *r.size))
      found.push_back("region " + r.name + ": the initial contents have not its size");
    for (const InitialPointer& p : r.pointers)
      if (!r.size || p.offset + m.pointer_bits / 8 > *r.size)
        found.push_back("region " + r.name + ": a pointer lies outside");
  }
  return found;
}

}  // namespace fencepost::ir
