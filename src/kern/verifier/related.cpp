#include "verifier/related.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/job.h"
#include "interp/value.h"
#include "verifier/front.h"

namespace fencepost::verifier {

using namespace ir;
using clangfe::HostStep;

namespace {

constexpr uint32_t k_draws = 400;
constexpr uint64_t k_threads = 1024, k_blocks = 0xffff;  // of a block, of a grid along an axis

bool widens(Op op) { return op == Op::zext || op == Op::sext; }

IdKind size_of(clangfe::HostRelations::Target::Kind k) {
  return k == clangfe::HostRelations::Target::grid ? IdKind::num_groups : IdKind::local_size;
}

}  // namespace

Related::Related(const Module& m, FunctionId kernel, const flow::FunctionEffects& does,
                 clangfe::HostRelations relations, bool sizes)
    : kernel_(kernel), r_(std::move(relations)) {
  if (!sizes)
    std::erase_if(r_.targets, [](const Target& t) { return t.kind == Target::grid || t.kind == Target::block; });
  if (r_.targets.empty() || m.function(kernel).blocks.empty()) return;
  module_ = m;
  find_places();
  define_variables();
  find_members(does);
  std::erase_if(places_, [&](const Place& p) { return trivial(p); });
  if (places_.empty() && members_.empty()) return;
  build();
  say();
}

bool Related::of_sizes() const {
  return std::ranges::any_of(places_, [](const Place& p) { return p.target.kind != Target::argument; });
}

bool Related::is_variable(uint32_t step) const { return r_.steps[step].kind == HostStep::variable; }

// The arguments and sizes that the kernel has a number for.
void Related::find_places() {
  const Function& f = module_.function(kernel_);
  for (const Target& t : r_.targets) {
    const uint8_t width = r_.steps[t.step].width;
    if (t.kind == Target::member) continue;
    if (t.kind != Target::argument) {
      if (width == 32 && t.number < 3) places_.push_back({.target = t, .width = width});
      continue;
    }
    const auto of = [&](const Parameter& p) { return p.source_index == t.number; };
    if (std::ranges::count_if(f.parameters, of) != 1) continue;
    const auto p = std::ranges::find_if(f.parameters, of);
    if (p->region || p->type != Type{Type::bits, width}) continue;
    places_.push_back({.target = t, .parameter = static_cast<uint32_t>(p - f.parameters.begin()), .width = width});
  }
}

namespace {

// Where in the structure that parameter `parameter` is the pointer leads to, by constants alone.
std::optional<uint64_t> offset_in(const Function& f, const std::map<uint32_t, const Compute*>& computed,
                                  ValueId pointer, uint32_t parameter) {
  uint64_t offset = 0;
  for (int steps = 0; steps < 64; ++steps) {
    const Value& v = f.value(pointer);
    if (v.kind == Value::parameter) return v.index == parameter ? std::optional(offset) : std::nullopt;
    const auto it = computed.find(pointer.index);
    if (it == computed.end() || it->second->op != Op::pointer_add) return std::nullopt;
    const Value& by = f.value(it->second->operands[1]);
    if (by.kind != Value::constant || by.type.width != 64) return std::nullopt;
    offset += by.constant_bits;
    pointer = it->second->operands[0];
  }
  return std::nullopt;
}

}  // namespace

// The numbers in structures that the kernel reads, and that have to do with another number or are constants.
void Related::find_members(const flow::FunctionEffects& does) {
  const Function& f = module_.function(kernel_);
  for (const Target& t : r_.targets) {
    if (t.kind != Target::member) continue;
    for (uint32_t k = 0; k < f.parameters.size(); ++k) {
      const Parameter& p = f.parameters[k];
      if (p.source_index != t.number || !p.region || module_.region(p.region).origin != Origin::by_value) continue;
      if (does.writes[p.region.index] != 0 || does.atomics[p.region.index] != 0) continue;
      members_.push_back({.target = t, .parameter = k, .width = r_.steps[t.step].width, .read = {}});
    }
  }
  std::map<uint32_t, const Compute*> computed;
  for (const Block& b : f.blocks)
    for (const Instruction& i : b.instructions)
      if (const auto* c = std::get_if<Compute>(&i.action)) computed[i.results[0].index] = c;
  for (const Block& b : f.blocks)
    for (const Instruction& i : b.instructions) {
      const auto* l = std::get_if<Load>(&i.action);
      if (l == nullptr || l->access.is_volatile || l->access.regions.size() != 1) continue;
      for (Member& m : members_) {
        if (l->access.regions[0] != f.parameters[m.parameter].region || l->access.bytes * 8U != m.width ||
            f.value(i.results[0]).type != Type{Type::bits, m.width})
          continue;
        if (offset_in(f, computed, l->access.pointer, m.parameter) == m.target.offset) m.read.push_back(i.results[0]);
      }
    }
  std::erase_if(members_, [](const Member& m) { return m.read.empty(); });
  // A variable that nothing else is made of is any number, as the member is.
  std::map<uint64_t, size_t> uses;
  const auto count = [&](uint32_t step) {
    std::set<uint32_t> used{step};
    for (uint32_t s = step + 1; s-- > 0;)
      if (used.contains(s)) used.insert(r_.steps[s].of.begin(), r_.steps[s].of.end());
    for (const uint32_t s : used)
      if (is_variable(s)) ++uses[r_.steps[s].number];
  };
  for (const Place& p : places_) count(p.target.step);
  for (const Member& m : members_) count(m.target.step);
  std::erase_if(members_, [&](const Member& m) {
    return is_variable(m.target.step) && uses[r_.steps[m.target.step].number] == 1;
  });
}

void Related::replace_members(const std::vector<ValueId>& made) {
  std::map<uint32_t, ValueId> by;
  for (const Member& m : members_)
    for (const ValueId v : m.read) by[v.index] = made[m.target.step];
  for (Block& b : module_.functions[kernel_.index].blocks)
    for (Instruction& i : b.instructions)
      if (std::holds_alternative<Load>(i.action))
        if (const auto it = by.find(i.results[0].index); it != by.end())
          i.action = Compute{.op = Op::or_, .operands = {it->second, it->second}};
}

// A variable that is given as it is, or wider, is what it is given as.
void Related::define_variables() {
  for (const bool wider : {false, true})
    for (const Place& p : places_) {
      uint32_t s = p.target.step;
      if (wider && r_.steps[s].kind == HostStep::compute && widens(r_.steps[s].op)) s = r_.steps[s].of[0];
      if (is_variable(s)) defined_.try_emplace(r_.steps[s].number, p);
    }
}

bool Related::trivial(const Place& p) const {
  if (!is_variable(p.target.step)) return false;
  const auto it = defined_.find(r_.steps[p.target.step].number);
  return it != defined_.end() && it->second.target == p.target;
}

void Related::build() {
  Function& f = module_.functions[kernel_.index];
  const size_t values = f.values.size();
  std::set<uint32_t> used;
  for (const Place& p : places_) used.insert(p.target.step);
  for (const Member& m : members_) used.insert(m.target.step);
  for (uint32_t s = static_cast<uint32_t>(r_.steps.size()); s-- > 0;)
    if (used.contains(s)) used.insert(r_.steps[s].of.begin(), r_.steps[s].of.end());
  uint32_t further = 0;
  for (const Parameter& p : f.parameters) further = std::max(further, p.source_index + 1);
  Front front(f);
  const auto given = [&](const Place& p) {
    return p.target.kind == Target::argument ? front.parameter(p.parameter)
                                             : front.make({.op = Op::id,
                                                           .imm = static_cast<uint64_t>(size_of(p.target.kind)),
                                                           .dimension = static_cast<uint8_t>(p.target.number)},
                                                          32);
  };
  std::vector<ValueId> made(r_.steps.size());
  for (const uint32_t s : used) {
    const HostStep& step = r_.steps[s];
    if (step.kind == HostStep::constant) {
      made[s] = front.value({.kind = Value::constant, .type = {Type::bits, step.width}, .constant_bits = step.number});
    } else if (step.kind == HostStep::compute) {
      Compute c;
      c.op = step.op;
      for (const uint32_t o : step.of) c.operands.push_back(made[o]);
      c.no_signed_wrap = step.no_signed_wrap;
      made[s] = front.make(std::move(c), step.width);
    } else if (const auto it = defined_.find(step.number); it != defined_.end()) {
      made[s] = given(it->second);
      if (it->second.width > step.width) made[s] = front.make({.op = Op::trunc, .operands = {made[s]}}, step.width);
    } else {
      const auto k = static_cast<uint32_t>(f.parameters.size());
      f.parameters.push_back({.name = fmt::format("{} of the host ({})", r_.variables[step.number], further_.size()),
                              .type = {Type::bits, step.width},
                              .source_index = further++});
      further_[step.number] = k;
      made[s] = front.parameter(k);
    }
  }
  for (const Place& p : places_) {
    front.require(front.make({.op = Op::eq, .operands = {given(p), made[p.target.step]}}, 1));
    if (p.target.kind != Target::argument) continue;
    front.replace(p.parameter, made[p.target.step], values);
  }
  front.done();
  replace_members(made);
}

// ---- words ---------------------------------------------------------------------------------------------------------

namespace {

struct Sign {
  const char* text;
  int binds;  // more: closer
};
Sign sign(Op op) {
  switch (op) {
    case Op::mul:
      return {"*", 9};
    case Op::sdiv:
    case Op::udiv:
      return {"/", 9};
    case Op::srem:
    case Op::urem:
      return {"%", 9};
    case Op::add:
      return {"+", 8};
    case Op::sub:
      return {"-", 8};
    case Op::shl:
      return {"<<", 7};
    case Op::lshr:
    case Op::ashr:
      return {">>", 7};
    case Op::slt:
    case Op::ult:
      return {"<", 6};
    case Op::sle:
    case Op::ule:
      return {"<=", 6};
    case Op::sgt:
    case Op::ugt:
      return {">", 6};
    case Op::sge:
    case Op::uge:
      return {">=", 6};
    case Op::eq:
      return {"==", 5};
    case Op::ne:
      return {"!=", 5};
    case Op::and_:
      return {"&", 4};
    case Op::xor_:
      return {"^", 3};
    case Op::or_:
      return {"|", 2};
    default:
      return {"", 0};
  }
}

const char* type_of(uint8_t width) {
  return width == 8 ? "char" : width == 16 ? "short" : width == 32 ? "int" : "long long";
}

}  // namespace

// `around`: how closely what stands around it binds.
std::string Related::words(uint32_t s, int around) const {
  const HostStep& step = r_.steps[s];
  const auto closed = [&](int binds, std::string text) { return binds < around ? "(" + text + ")" : text; };
  if (step.kind == HostStep::constant) {
    const int64_t n = interp::to_signed(step.number, step.width);
    return n < 0 && n > -4096 ? closed(10, std::to_string(n)) : std::to_string(step.number);
  }
  if (step.kind == HostStep::variable) {
    const Function& f = module_.function(kernel_);
    if (const auto it = defined_.find(step.number); it != defined_.end()) {
      const Target& t = it->second.target;
      if (t.kind == Target::argument) return f.parameters[it->second.parameter].name;
      return fmt::format("{}.{}", t.kind == Target::grid ? "gridDim" : "blockDim", "xyz"[t.number]);
    }
    const std::string& name = r_.variables[step.number];
    const bool taken = std::ranges::any_of(f.parameters, [&](const Parameter& p) { return p.name == name; });
    return taken ? fmt::format("(the host's {})", name) : name;
  }
  const auto& of = step.of;
  switch (step.op) {
    case Op::zext:
    case Op::sext:
      return words(of[0], around);
    case Op::trunc:
      return fmt::format("({}){}", type_of(step.width), words(of[0], 10));
    case Op::neg:
      return closed(10, "-" + words(of[0], 11));
    case Op::not_:
      return closed(10, "~" + words(of[0], 11));
    case Op::smin:
    case Op::umin:
    case Op::smax:
    case Op::umax:
      return fmt::format("{}({}, {})", step.op == Op::smin || step.op == Op::umin ? "min" : "max", words(of[0], 0),
                         words(of[1], 0));
    case Op::ite:
      return closed(1, fmt::format("{} ? {} : {}", words(of[0], 2), words(of[1], 2), words(of[2], 1)));
    default: {
      // Bits among sums are put into parentheses, as everybody does.
      const Sign by = sign(step.op);
      const bool bits = by.binds <= sign(Op::and_).binds || step.op == Op::shl || step.op == Op::lshr;
      return closed(by.binds, fmt::format("{} {} {}", words(of[0], bits ? 10 : by.binds), by.text,
                                          words(of[1], bits ? 10 : by.binds + 1)));
    }
  }
}

void Related::say() {
  const Function& f = module_.function(kernel_);
  for (const Place& p : places_) {
    const std::string left =
        p.target.kind == Target::argument
            ? f.parameters[p.parameter].name
            : fmt::format("{}.{}", p.target.kind == Target::grid ? "gridDim" : "blockDim", "xyz"[p.target.number]);
    const HostStep& step = r_.steps[p.target.step];
    const std::string right = words(p.target.step, 6);
    said_.push_back(left == right ? fmt::format("{} is a number of {} bits", left, r_.steps[step.of[0]].width)
                                  : left + " == " + right);
  }
  for (const Member& m : members_)
    said_.push_back(fmt::format("{}.{} == {}", f.parameters[m.parameter].name, m.target.name, words(m.target.step, 6)));
}

// ---- numbers -------------------------------------------------------------------------------------------------------

std::optional<std::vector<uint64_t>> Related::compute(const std::vector<uint64_t>& variables) const {
  std::vector<uint64_t> out;
  for (const HostStep& s : r_.steps) {
    if (s.kind != HostStep::compute) {
      out.push_back(s.kind == HostStep::constant ? s.number : variables[s.number] & interp::mask(s.width));
      continue;
    }
    Compute c;
    c.op = s.op;
    std::vector<uint64_t> of;
    for (const uint32_t o : s.of) of.push_back(out[o]);
    const bool divides = s.op == Op::sdiv || s.op == Op::udiv || s.op == Op::srem || s.op == Op::urem;
    if (divides && of[1] == 0) return std::nullopt;
    if (s.op == Op::ite)
      out.push_back(of[0] != 0 ? of[1] : of[2]);
    else
      out.push_back(interp::evaluate(c, of, r_.steps[s.of[0]].width, s.width) & interp::mask(s.width));
  }
  return out;
}

// What the options say that it is.
std::optional<uint64_t> Related::fixed(const prove::Options& engine, const Place& p) const {
  if (p.target.kind == Target::argument) {
    const uint32_t at = module_.function(kernel_).parameters[p.parameter].source_index;
    return at < engine.arguments.size() ? engine.arguments[at] : std::nullopt;
  }
  const uint64_t size =
      (p.target.kind == Target::grid ? engine.launch.num_groups : engine.launch.local_size)[p.target.number];
  return size > 0 ? std::optional<uint64_t>(size) : std::nullopt;
}

bool Related::give(prove::Options& engine, uint64_t seed) const {
  const Function& f = module_.function(kernel_);
  Rng rng(seed);
  for (uint32_t n = 0; n < k_draws; ++n) {
    std::vector<uint64_t> variables;
    for (size_t v = 0; v < r_.variables.size(); ++v) variables.push_back(rng.below(uint64_t{2} << rng.below(12)));
    for (const auto& [v, p] : defined_)
      if (const auto known = fixed(engine, p)) variables[v] = *known;
    const auto steps = compute(variables);
    if (!steps) continue;
    prove::Options with = engine;
    bool fits = true;
    const auto set = [&](const Place& p, uint64_t value) {
      const bool grid = p.target.kind == Target::grid;
      fits = fits && fixed(with, p).value_or(value) == value;
      if (p.target.kind == Target::argument) {
        const uint32_t at = f.parameters[p.parameter].source_index;
        if (with.arguments.size() <= at) with.arguments.resize(at + 1);
        with.arguments[at] = value;
      } else {
        fits = fits && value > 0 && value <= (grid ? k_blocks : k_threads);
        (grid ? with.launch.num_groups : with.launch.local_size)[p.target.number] = value;
      }
    };
    for (const Place& p : places_) set(p, (*steps)[p.target.step]);
    for (const auto& [v, p] : defined_)
      if (is_variable(p.target.step)) set(p, variables[v] & interp::mask(p.width));
    for (const auto& [v, k] : further_)
      set({.target = {.kind = Target::argument}, .parameter = k},
          variables[v] & interp::mask(f.parameters[k].type.width));
    uint64_t threads = 1;
    for (const uint64_t size : with.launch.local_size) threads *= std::max<uint64_t>(size, 1);
    if (!fits || threads > k_threads) continue;
    engine = std::move(with);
    return true;
  }
  return false;
}

std::optional<bool> Related::met(const prove::Finding& x) const {
  const Function& f = module_.function(kernel_);
  const auto value = [&](const Place& p) -> std::optional<uint64_t> {
    if (p.target.kind != Target::argument) {
      const uint64_t size = (p.target.kind == Target::grid ? x.num_groups : x.local_size)[p.target.number];
      return size > 0 ? std::optional<uint64_t>(size) : std::nullopt;
    }
    for (const auto& [name, v] : x.arguments)
      if (!name.empty() && name == f.parameters[p.parameter].name) return v & interp::mask(p.width);
    return std::nullopt;
  };
  std::vector<std::optional<uint64_t>> variables(r_.variables.size());
  for (const auto& [v, p] : defined_) variables[v] = value(p);
  std::vector<bool> known;
  std::vector<uint64_t> numbers;
  for (const auto& v : variables) numbers.push_back(v.value_or(1));
  for (const HostStep& s : r_.steps) {
    bool all = s.kind != HostStep::variable || variables[s.number].has_value();
    for (const uint32_t o : s.of) all = all && known[o];
    known.push_back(all);
  }
  const auto steps = compute(numbers);
  if (!steps) return std::nullopt;
  bool open = false;
  for (const Place& p : places_) {
    const auto v = value(p);
    if (!v || !known[p.target.step])
      open = true;
    else if (*v != (*steps)[p.target.step])
      return false;
  }
  // What the structures of the run hold is not told.
  return open || !members_.empty() ? std::nullopt : std::optional<bool>(true);
}

void Related::forget_variables(prove::Finding& x) const {
  const Function& f = module_.function(kernel_);
  std::erase_if(x.arguments, [&](const auto& a) {
    return std::ranges::any_of(further_, [&](const auto& v) { return f.parameters[v.second].name == a.first; });
  });
}

}  // namespace fencepost::verifier
