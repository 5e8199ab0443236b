// Asynchronous copies of one thread: cp.async and its groups, and the functions of the toolkit that are made of them.
// And the addresses that inline PTX gives as numbers.
// Source: PTX ISA 9.7.9.25; CUDA C++ programming guide, "Asynchronous Data Copies".
#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <bit>
#include <map>

#include "clangfe/lowering.h"
#include "ir/async.h"

namespace fencepost::clangfe {

using namespace ir;

namespace {

// The address in shared memory as a number; the second name is the toolkit's own.
bool is_shared_address(const std::string& function) {
  return function == "__cvta_generic_to_shared" || function == "__nvvm_get_smem_pointer";
}

}  // namespace

void Lowering::own_copy(ValueId to, ValueId from, uint64_t bytes) {
  emit(AsyncCopy{.destination = access(to, static_cast<uint32_t>(bytes)),
                 .source = access(from, static_cast<uint32_t>(bytes)),
                 .count = bits(1, 32)});
}

void Lowering::own_wait(OwnCopies what, uint64_t pending) {
  emit(WaitEvents{.events = {bits(static_cast<uint64_t>(what), 8), bits(pending, 32)}});
}

std::optional<Values> Lowering::lower_async(const llvm::CallBase& c, const std::string& name) {
  const auto arg = [&](unsigned k) { return value(c.getArgOperand(k)); };
  if (is_shared_address(name))
    return Values{
        resize(compute(Op::pointer_to_bits, {arg(0)}, module_.pointer_bits), leaves(c.getType())[0].type.width, false)};
  if (name == "__fencepost_async_copy" || name == "__pipeline_memcpy_async") {
    const auto bytes = constant_of(arg(2));
    // The last bytes may be filled with zeros.
    if (c.arg_size() > 3 && constant_of(arg(3)) != 0) return refuse("an asynchronous copy that is filled with zeros");
    if (!bytes || *bytes == 0 || *bytes > 16) return refuse("an asynchronous copy of so many bytes");
    own_copy(arg(0), arg(1), *bytes);
    return Values{};
  }
  if (name == "__fencepost_group_copy") {
    // By whichever thread of the group, of which each gives the same. Of an element of which a part is copied, all is.
    const auto unit = constant_of(arg(3));
    if (!unit || !std::has_single_bit(*unit)) return refuse("a copy of a group of elements of such a size");
    const auto width = std::min<uint32_t>(static_cast<uint32_t>(*unit), 16);
    const ValueId bytes = resize(arg(2), 64, false), more = compute(Op::add, {bytes, bits(width - 1, 64)}, 64);
    emit(Type{Type::bits, 64}, AsyncCopy{.destination = access(arg(0), width),
                                         .source = access(arg(1), width),
                                         .count = compute(Op::lshr, {more, bits(std::countr_zero(width), 64)}, 64)});
    return Values{};
  }
  if (name == "__fencepost_async_commit" || name == "__pipeline_commit") {
    own_wait(OwnCopies::commit, 0);
    return Values{};
  }
  if (name == "__fencepost_async_wait" || name == "__pipeline_wait_prior") {
    const auto pending = constant_of(arg(0));
    if (!pending) return refuse("waiting for a number of asynchronous copies that is not constant");
    own_wait(OwnCopies::wait_group, *pending);
    return Values{};
  }
  if (name.starts_with("__fencepost_address.")) return Values{*shared_address(c.getArgOperand(0))};
  if (name == "__fencepost_elected") {
    // Which lane it is, the mask alone decides (PTX ISA, elect.sync).
    const ValueId which = function_of("elect.sync", {arg(0)}, {Type::bits, 32});
    return Values{compute(Op::and_, {which, bits(31, 32)}, 32)};
  }
  if (name == "__fencepost_bulk_copy") {
    constexpr uint32_t k_piece = 16;  // sizes are multiples of it
    emit(AsyncCopy{.destination = access(arg(0), k_piece),
                   .source = access(arg(1), k_piece),
                   .count = compute(Op::lshr, {arg(2), bits(4, 32)}, 32),
                   .event = bits(1, 8)});
    return Values{};
  }
  if (name == "__fencepost_own_wait") {
    const auto what = constant_of(arg(0)), pending = constant_of(arg(1));
    if (!what || !pending) return refuse("waiting for a number of bulk copies that is not constant");
    own_wait(static_cast<OwnCopies>(*what), *pending);
    return Values{};
  }
  if (name == "__fencepost_async_wait_oldest") {
    own_wait(OwnCopies::wait_oldest, 0);
    return Values{};
  }
  return std::nullopt;
}

namespace {

// The variable or parameter whose address a number is made of, by adding to it, masking it and cutting it. What is made
// of two, or of none on some way, is of none that is known.
struct Origin {
  enum : uint8_t { none, cycle, object } kind = none;
  const llvm::Value* value = nullptr;
};

Origin either(const Origin& a, const Origin& b) {
  if (a.kind == Origin::cycle) return b;
  if (b.kind == Origin::cycle) return a;
  return a.kind == b.kind && a.value == b.value ? a : Origin{};
}

Origin origin_of(const llvm::Value* v, std::map<const llvm::Value*, Origin>& seen, int depth) {
  if (depth > 64) return {};
  const auto of = [&](const llvm::Value* x) { return origin_of(x, seen, depth + 1); };
  if (llvm::isa<llvm::UndefValue>(v)) return seen[v] = {Origin::cycle};
  if (llvm::isa<llvm::GlobalVariable, llvm::AllocaInst>(v) ||
      (llvm::isa<llvm::Argument>(v) && v->getType()->isPointerTy()))
    return {Origin::object, v};
  if (const auto* g = llvm::dyn_cast<llvm::GEPOperator>(v)) return of(g->getPointerOperand());
  if (const auto* o = llvm::dyn_cast<llvm::Operator>(v))
    if (const unsigned code = o->getOpcode(); code == llvm::Instruction::Trunc || code == llvm::Instruction::ZExt ||
                                              code == llvm::Instruction::SExt || code == llvm::Instruction::PtrToInt ||
                                              code == llvm::Instruction::IntToPtr ||
                                              code == llvm::Instruction::AddrSpaceCast ||
                                              code == llvm::Instruction::BitCast || code == llvm::Instruction::Freeze)
      return of(o->getOperand(0));
  if (const auto* p = llvm::dyn_cast<llvm::PHINode>(v)) {
    const auto [it, fresh] = seen.try_emplace(p, Origin{Origin::cycle});
    if (!fresh) return it->second;
    Origin all{Origin::cycle};
    for (const llvm::Value* x : p->incoming_values()) all = either(all, of(x));
    return seen[p] = all;
  }
  if (const auto* s = llvm::dyn_cast<llvm::SelectInst>(v)) return either(of(s->getTrueValue()), of(s->getFalseValue()));
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(v)) {
    const llvm::Function* f = call->getCalledFunction();
    if (f != nullptr && f->getName() == "__fencepost_map_rank") return {Origin::object, call};
    if (f == nullptr || call->arg_size() != 1) return {};
    return is_shared_address(demangle(f->getName()).base) || f->getName().starts_with("__fencepost_address.")
               ? of(call->getArgOperand(0))
               : Origin{};
  }
  if (const auto* b = llvm::dyn_cast<llvm::BinaryOperator>(v)) {
    const auto code = b->getOpcode();
    if (code == llvm::Instruction::Sub) {
      const Origin right = of(b->getOperand(1));
      return right.kind == Origin::none ? of(b->getOperand(0)) : Origin{};
    }
    if (code != llvm::Instruction::Add && code != llvm::Instruction::And && code != llvm::Instruction::Or &&
        code != llvm::Instruction::Xor)
      return {};
    const Origin left = of(b->getOperand(0)), right = of(b->getOperand(1));
    if (left.kind == Origin::none) return right;
    return right.kind == Origin::none ? left : Origin{};
  }
  return {};
}

}  // namespace

// A number as the pointer that it is. Made of the address of one variable or parameter it points into that, as far
// behind its beginning as the numbers say; else it may point anywhere.
std::optional<ValueId> Lowering::shared_address(const llvm::Value* number) {
  if (number->getType()->isPointerTy()) return value(number);
  const ValueId n = value(number);
  std::map<const llvm::Value*, Origin> seen;
  Origin from = origin_of(number, seen, 0);
  // A mapped address is made in one place. On a way that does not come by there, the number is of no address.
  const auto undefined = [](const auto& s) { return llvm::isa<llvm::UndefValue>(s.first); };
  if (from.value != nullptr && llvm::isa<llvm::CallBase>(from.value) && std::ranges::any_of(seen, undefined)) from = {};
  if (from.kind != Origin::object)
    return compute(Op::bits_to_pointer, {resize(n, module_.pointer_bits, false)},
                   {Type::pointer, static_cast<uint8_t>(module_.pointer_bits)});
  const ValueId base = value(from.value);
  const uint32_t width = type_of(n).width;
  const ValueId first = resize(compute(Op::pointer_to_bits, {base}, module_.pointer_bits), width, false);
  return offset_pointer(base, resize(compute(Op::sub, {n, first}, width), module_.pointer_bits, true));
}

// One instruction `cp.async...`; none: it is not read.
std::optional<Values> Lowering::lower_async_assembly(const llvm::CallBase& c, const std::string& statement) {
  const llvm::StringRef text(statement);
  const auto [word, rest] = text.split(' ');
  llvm::SmallVector<llvm::StringRef, 4> operands;
  rest.split(operands, ',');
  for (llvm::StringRef& o : operands) o = o.trim(" \t[]");
  const auto given = [&](llvm::StringRef o) -> const llvm::Value* {
    unsigned k = 0;
    if (!o.consume_front("$") || o.getAsInteger(10, k) || k >= c.arg_size()) return nullptr;
    return c.getArgOperand(k);
  };
  const auto number = [&](llvm::StringRef o) -> std::optional<uint64_t> {
    if (const llvm::Value* v = given(o)) return constant_of(value(v));
    uint64_t n = 0;
    return o.getAsInteger(0, n) ? std::nullopt : std::optional(n);
  };
  if (!c.getType()->isVoidTy()) return std::nullopt;
  if (text.trim() == "cp.async.commit_group" || text.trim() == "cp.async.wait_all") {
    own_wait(text.contains("commit") ? OwnCopies::commit : OwnCopies::wait_all, 0);
    return Values{};
  }
  if (word == "cp.async.wait_group" && operands.size() == 1) {
    const auto n = number(operands[0]);
    if (!n) return std::nullopt;
    own_wait(OwnCopies::wait_group, *n);
    return Values{};
  }
  return std::nullopt;
}

}  // namespace fencepost::clangfe
