// Asynchronous copies of one thread: cp.async and its groups, and the functions of the toolkit that are made of them.
// Source: PTX ISA 9.7.9.25; CUDA C++ programming guide, "Asynchronous Data Copies".
#include <llvm/ADT/StringExtras.h>

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
  if (name == "__fencepost_async_wait_oldest") {
    own_wait(OwnCopies::wait_oldest, 0);
    return Values{};
  }
  return std::nullopt;
}

// The address in shared memory as a pointer: what __cvta_generic_to_shared made a number of, and offsets added to it.
std::optional<ValueId> Lowering::shared_address(const llvm::Value* v) {
  std::vector<const llvm::Value*> added;
  for (int steps = 0; steps < 20; ++steps) {
    if (v->getType()->isPointerTy()) {
      ValueId p = value(v);
      for (const llvm::Value* a : added) p = offset_pointer(p, resize(value(a), module_.pointer_bits, true));
      return p;
    }
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(v)) {
      const llvm::Function* f = call->getCalledFunction();
      if (f == nullptr || !is_shared_address(demangle(f->getName()).base)) return std::nullopt;
      v = call->getArgOperand(0);
    } else if (llvm::isa<llvm::TruncInst>(v) || llvm::isa<llvm::ZExtInst>(v) || llvm::isa<llvm::PtrToIntInst>(v)) {
      v = llvm::cast<llvm::CastInst>(v)->getOperand(0);
    } else if (const auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(v);
               sum != nullptr && sum->getOpcode() == llvm::Instruction::Add) {
      const bool first = llvm::isa<llvm::CastInst>(sum->getOperand(0)) || llvm::isa<llvm::CallBase>(sum->getOperand(0));
      added.push_back(sum->getOperand(first ? 1 : 0));
      v = sum->getOperand(first ? 0 : 1);
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
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
  const bool copy = word.starts_with("cp.async.ca.shared.global") || word.starts_with("cp.async.cg.shared.global");
  if (!copy || operands.size() != 3) return std::nullopt;
  const llvm::Value *to = given(operands[0]), *from = given(operands[1]);
  const auto bytes = number(operands[2]);
  if (to == nullptr || from == nullptr || !from->getType()->isPointerTy() || !bytes ||
      (*bytes != 4 && *bytes != 8 && *bytes != 16))
    return std::nullopt;
  const auto destination = shared_address(to);
  if (!destination) return std::nullopt;
  own_copy(*destination, value(from), *bytes);
  return Values{};
}

}  // namespace fencepost::clangfe
