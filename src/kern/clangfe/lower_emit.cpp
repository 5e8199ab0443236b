// Making instructions of the kernel IR: emission into the current block, with folding of constants.
#include <algorithm>

#include "clangfe/lowering.h"
#include "ir/mapped.h"

namespace fencepost::clangfe {

using namespace ir;

void Lowering::emit(Action a) { out().blocks[block_.index].instructions.push_back({{}, std::move(a), place_}); }

ValueId Lowering::emit(Type t, Action a, std::string name) {
  const ValueId r = add_value({.kind = Value::result, .type = t, .name = std::move(name)});
  out().blocks[block_.index].instructions.push_back({{r}, std::move(a), place_});
  return r;
}

namespace {

uint64_t mask(uint32_t width) { return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }
int64_t sign(uint64_t v, uint32_t width) {
  return width >= 64 ? static_cast<int64_t>(v) : static_cast<int64_t>(v << (64 - width)) >> (64 - width);
}

// The value of an operation on constants; only what offsets and conditions are made of.
std::optional<uint64_t> fold(Op op, uint64_t a, uint64_t b, uint32_t width) {
  switch (op) {
    case Op::add:
      return (a + b) & mask(width);
    case Op::sub:
      return (a - b) & mask(width);
    case Op::mul:
      return (a * b) & mask(width);
    case Op::and_:
      return a & b;
    case Op::or_:
      return a | b;
    case Op::xor_:
      return a ^ b;
    case Op::shl:
      return b >= width ? 0 : (a << b) & mask(width);
    case Op::lshr:
      return b >= width ? 0 : a >> b;
    case Op::eq:
      return a == b;
    case Op::ne:
      return a != b;
    case Op::ult:
      return a < b;
    case Op::ule:
      return a <= b;
    case Op::ugt:
      return a > b;
    case Op::uge:
      return a >= b;
    case Op::slt:
      return sign(a, width) < sign(b, width);
    case Op::sle:
      return sign(a, width) <= sign(b, width);
    case Op::sgt:
      return sign(a, width) > sign(b, width);
    case Op::sge:
      return sign(a, width) >= sign(b, width);
    default:
      return std::nullopt;
  }
}

}  // namespace

ValueId Lowering::compute(Op op, Values operands, Type t, uint64_t imm) {
  if (operands.size() == 2) {
    const auto a = constant_of(operands[0]), b = constant_of(operands[1]);
    const uint32_t width = type_of(operands[0]).width;
    if (a && b)
      if (const auto v = fold(op, *a, *b, width)) return bits(*v, t.width);
    if (b && *b == 0 &&
        (op == Op::add || op == Op::sub || op == Op::or_ || op == Op::xor_ || op == Op::shl || op == Op::lshr))
      return operands[0];
    if (a && *a == 0 && (op == Op::add || op == Op::or_ || op == Op::xor_)) return operands[1];
    if (b && *b == 1 && op == Op::mul) return operands[0];
    if (a && *a == 1 && op == Op::mul) return operands[1];
    if (op == Op::xor_ && t.width == 1 && (a || b)) return compute(Op::not_, {operands[a ? 1 : 0]}, t);
    if (op == Op::and_ && t.width == 1) {
      if (a) return *a != 0 ? operands[1] : operands[0];
      if (b) return *b != 0 ? operands[0] : operands[1];
    }
    if (op == Op::pointer_add && b && *b == 0) return operands[0];
  }
  if (operands.size() == 1) {
    const auto a = constant_of(operands[0]);
    const uint32_t width = type_of(operands[0]).width;
    if (a && op == Op::zext) return bits(*a, t.width);
    if (a && op == Op::sext) return bits(static_cast<uint64_t>(sign(*a, width)), t.width);
    if (a && op == Op::trunc) return bits(*a, t.width);
    if (a && op == Op::not_) return bits(~*a, t.width);
    if (a && op == Op::neg) return bits(-*a, t.width);
    if (a && op == Op::extract) return bits(*a >> imm, t.width);
  }
  if (op == Op::ite)
    if (const auto c = constant_of(operands[0])) return operands[*c != 0 ? 1 : 2];
  return emit(t, Compute{.op = op, .operands = std::move(operands), .imm = imm});
}

ValueId Lowering::any(Type t, const std::string& note) { return emit(t, Compute{.op = Op::any, .note = note}); }

ValueId Lowering::function_of(const std::string& symbol, Values operands, Type t) {
  auto [it, fresh] = symbol_numbers_.try_emplace(symbol, SymbolId{static_cast<uint32_t>(module_.symbols.size())});
  if (fresh) module_.symbols.push_back(symbol);
  return emit(t, Compute{.op = Op::function, .operands = std::move(operands), .symbol = it->second});
}

ValueId Lowering::resize(ValueId v, uint32_t width, bool is_signed) {
  const uint32_t from = type_of(v).width;
  if (from == width) return v;
  return compute(from > width ? Op::trunc : is_signed ? Op::sext : Op::zext, {v}, width);
}

ValueId Lowering::truth(ValueId v) {
  return type_of(v).width == 1 ? v : compute(Op::ne, {v, bits(0, type_of(v).width)}, 1);
}
ValueId Lowering::bit_of(ValueId v, unsigned bit) { return compute(Op::extract, {v}, {Type::bits, 1}, bit); }

ValueId Lowering::offset_pointer(ValueId p, ValueId bytes) {
  return compute(Op::pointer_add, {p, resize(bytes, module_.pointer_bits, true)},
                 {Type::pointer, static_cast<uint8_t>(module_.pointer_bits)});
}
ValueId Lowering::offset_pointer(ValueId p, uint64_t bytes) {
  return bytes == 0 ? p : offset_pointer(p, pointer_width(bytes));
}

ValueId Lowering::id(IdKind k, uint32_t dimension, uint32_t width) {
  return emit({Type::bits, static_cast<uint8_t>(width)},
              Compute{.op = Op::id, .imm = static_cast<uint64_t>(k), .dimension = static_cast<uint8_t>(dimension)});
}

Access Lowering::access(ValueId p, uint32_t bytes) { return {.pointer = p, .bytes = bytes, .site = module_.sites++}; }

ValueId Lowering::load_leaf(ValueId p, const Leaf& l, uint32_t site, uint32_t part, bool is_volatile) {
  Load load{.access = {.pointer = offset_pointer(p, l.offset),
                       .bytes = l.bytes,
                       .site = site,
                       .part = part,
                       .is_volatile = is_volatile,
                       .cache = cache_},
            .spec = spec_};
  if (l.type.kind == Type::pointer || l.type.width == 8 * l.bytes) return emit(l.type, std::move(load));
  const ValueId whole = emit({Type::bits, static_cast<uint8_t>(8 * l.bytes)}, std::move(load));
  return resize(whole, l.type.width, false);
}

void Lowering::store_leaf(ValueId p, const Leaf& l, ValueId v, uint32_t site, uint32_t part, bool is_volatile) {
  if (l.type.kind == Type::bits && l.type.width != 8 * l.bytes) v = resize(v, 8 * l.bytes, false);
  const ValueId at = offset_pointer(p, l.offset);
  emit(Store{.access = {.pointer = at, .bytes = l.bytes, .site = site, .part = part, .is_volatile = is_volatile},
             .value = v});
}

Values Lowering::load(ValueId p, llvm::Type* t, bool is_volatile) {
  Values vs;
  const uint32_t site = module_.sites++;
  const auto parts = leaves(t);
  for (size_t i = 0; i < parts.size(); ++i)
    vs.push_back(load_leaf(p, parts[i], site, static_cast<uint32_t>(i), is_volatile));
  return vs;
}

void Lowering::store(ValueId p, llvm::Type* t, const Values& v, bool is_volatile) {
  const uint32_t site = module_.sites++;
  const auto parts = leaves(t);
  for (size_t i = 0; i < parts.size() && i < v.size(); ++i)
    store_leaf(p, parts[i], v[i], site, static_cast<uint32_t>(i), is_volatile);
}

void Lowering::say_space(uint32_t site, const std::string& instruction) { said_spaces_[site] = {place_, instruction}; }

// PTX ISA, "State Spaces", "ld", "st": through another space than the address's own the access is not defined. An
// address in another block is none of .shared::cta, which .shared alone means ("Shared State Space").
void Lowering::in_space() {
  const auto names = [](const std::string& instruction, const char* space) {
    return (instruction + ".").find(std::string(".") + space + ".") != std::string::npos;
  };
  std::vector<uint8_t> elsewhere;
  const auto look = [&](const Access& a) {
    const auto it = said_spaces_.find(a.site);
    if (it == said_spaces_.end()) return;
    const auto& [place, instruction] = it->second;
    const auto fits = [&](RegionId r) {
      switch (module_.region(r).space) {
        case Space::global:
          return names(instruction, "global");
        case Space::group:
          return names(instruction, "shared") || names(instruction, "shared::cta") ||
                 names(instruction, "shared::cluster");
        case Space::constant:
          return names(instruction, "const") || names(instruction, "global");
        case Space::private_:
          return names(instruction, "local");
      }
      return false;
    };
    if (elsewhere[a.pointer.index] != 0 && (names(instruction, "shared") || names(instruction, "shared::cta"))) {
      place_ = place;
      refuse("'" + instruction + "' through an address in another block of the cluster, which is not in that space,");
      return;
    }
    if (a.regions.empty() || std::any_of(a.regions.begin(), a.regions.end(), fits)) return;
    place_ = place;
    refuse("'" + instruction + "' of '" + module_.region(a.regions.front()).name +
           "', which lies in another state space,");
  };
  Diagnostics first;
  for (const llvm::Function& f : *in_.module) {
    const auto it = functions_.find(&f);
    if (it == functions_.end()) continue;
    if (said_spaces_.empty()) break;
    elsewhere = mapped(module_.function(it->second));
    for (const Block& b : module_.function(it->second).blocks)
      for (const Instruction& i : b.instructions) {
        if (const auto* l = std::get_if<Load>(&i.action)) look(l->access);
        if (const auto* s = std::get_if<Store>(&i.action)) look(s->access);
        if (const auto* x = std::get_if<Atomic>(&i.action)) look(x->access);
      }
    if (faults_.list.empty()) continue;
    refused_.try_emplace(&f, faults_.list.front());
    if (first.list.empty()) first = std::move(faults_);
    faults_ = {};
  }
  faults_ = std::move(first);
}

}  // namespace fencepost::clangfe
