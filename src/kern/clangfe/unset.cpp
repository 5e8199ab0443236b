// What a variable holds that nobody has set. C++ and OpenCL C leave its use undefined, and a prover must take it for
// any value. LLVM may choose the value: where promotion finds an undefined value and a constant (or a value that is
// there on both ways) behind two branches, it takes the second, `phi(undef, 1)` is 1. So a forgotten `__shared__`, or a
// variable that one branch does not set, had the value that hides the mistake, and the kernel was verified.
//
// A frozen undefined value is a value of its own to every pass. Each variable is given one where its function begins
// (before inlining, so that this is where each call begins) and where it is declared: a variable of a loop's body is a
// new one in every round, though its place is the same. After the last pass the frozen values are undefined ones again,
// which lowering takes for any value at each use.
//
// Structures and arrays are given one leaf by leaf where their address is used with constant offsets alone: those are
// the ones that become values. Others stay in memory, whose contents are any. Tried and lost: one value at the start
// of the kernel, which a second round of a loop does not see; -ftrivial-auto-var-init, which chooses a value as well.
#include "clangfe/unset.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <map>
#include <vector>

namespace fencepost::clangfe {
namespace {

constexpr size_t k_most_leaves = 256;

// Whether the address is used by loads, stores, copies and constant offsets alone.
bool becomes_values(const llvm::Value& address) {
  for (const llvm::Use& u : address.uses()) {
    const llvm::User* by = u.getUser();
    // Lowering refuses a fill with a value that is not constant. It is not to be taken apart before.
    if (const auto* m = llvm::dyn_cast<llvm::MemSetInst>(by); m != nullptr && !llvm::isa<llvm::Constant>(m->getValue()))
      return false;
    if (llvm::isa<llvm::LoadInst>(by) || llvm::isa<llvm::MemIntrinsic>(by)) continue;
    if (const auto* s = llvm::dyn_cast<llvm::StoreInst>(by); s != nullptr && u.getOperandNo() == 1) continue;
    if (const auto* c = llvm::dyn_cast<llvm::IntrinsicInst>(by); c != nullptr && c->isLifetimeStartOrEnd()) continue;
    // A function that is inlined later may use it in any of these ways.
    if (llvm::isa<llvm::CallBase>(by)) continue;
    const auto* g = llvm::dyn_cast<llvm::GetElementPtrInst>(by);
    if (g != nullptr && g->hasAllConstantIndices() && becomes_values(*g)) continue;
    if (llvm::isa<llvm::AddrSpaceCastInst>(by) && becomes_values(*by)) continue;
    return false;
  }
  return true;
}

using Path = std::vector<uint64_t>;

// The scalars and vectors of a type, as paths of members; false: there are too many.
bool leaves(llvm::Type* type, Path& at, std::vector<std::pair<Path, llvm::Type*>>& out) {
  if (type->isSingleValueType()) {
    if (type->isIntegerTy() && type->getIntegerBitWidth() > 64)
      return false;  // lowering knows such by their words alone
    out.emplace_back(at, type);
    return out.size() <= k_most_leaves;
  }
  const auto* s = llvm::dyn_cast<llvm::StructType>(type);
  const auto* a = llvm::dyn_cast<llvm::ArrayType>(type);
  if (s == nullptr && a == nullptr) return false;
  const uint64_t n = s != nullptr ? s->getNumElements() : a->getNumElements();
  for (uint64_t k = 0; k < n; ++k) {
    at.push_back(k);
    const bool all = leaves(s != nullptr ? s->getElementType(static_cast<unsigned>(k)) : a->getElementType(), at, out);
    at.pop_back();
    if (!all) return false;
  }
  return true;
}

void forget(llvm::AllocaInst& a, llvm::Instruction& at) {
  if (a.isArrayAllocation() || !becomes_values(a)) return;
  std::vector<std::pair<Path, llvm::Type*>> all;
  Path path;
  if (!leaves(a.getAllocatedType(), path, all)) return;
  llvm::IRBuilder<> build(&at);
  for (const auto& [members, type] : all) {
    llvm::Value* place = &a;
    if (!members.empty()) {
      std::vector<llvm::Value*> indices{build.getInt32(0)};
      for (const uint64_t m : members) indices.push_back(build.getInt32(static_cast<uint32_t>(m)));
      place = build.CreateInBoundsGEP(a.getAllocatedType(), &a, indices);
    }
    build.CreateStore(build.CreateFreeze(llvm::UndefValue::get(type)), place);
  }
}

// Where variables are declared that are no parameters: these have been stored to before.
std::vector<std::pair<llvm::AllocaInst*, llvm::Instruction*>> declarations(llvm::Function& f) {
  std::vector<std::pair<llvm::AllocaInst*, llvm::Instruction*>> out;
  for (llvm::BasicBlock& b : f)
    for (llvm::Instruction& i : b)
      for (llvm::DbgVariableRecord& r : llvm::filterDbgVars(i.getDbgRecordRange())) {
        if (!r.isDbgDeclare() || r.getVariable()->isParameter()) continue;
        if (auto* a = llvm::dyn_cast_or_null<llvm::AllocaInst>(r.getAddress())) out.emplace_back(a, &i);
      }
  return out;
}

}  // namespace

void hold_unset(llvm::Module& module) {
  for (llvm::Function& f : module) {
    if (f.isDeclaration()) continue;
    const auto declared = declarations(f);
    std::vector<llvm::AllocaInst*> all;
    for (llvm::Instruction& i : f.getEntryBlock())
      if (auto* a = llvm::dyn_cast<llvm::AllocaInst>(&i)) all.push_back(a);
    if (all.empty()) continue;
    for (llvm::AllocaInst* a : all) forget(*a, *all.back()->getNextNode());
    for (const auto& [a, at] : declared)
      if (at->getParent() != &f.getEntryBlock()) forget(*a, *at);
  }
}

void release_unset(llvm::Function& f) {
  std::vector<llvm::FreezeInst*> frozen;
  for (llvm::BasicBlock& b : f)
    for (llvm::Instruction& i : b)
      if (auto* z = llvm::dyn_cast<llvm::FreezeInst>(&i); z != nullptr && llvm::isa<llvm::UndefValue>(z->getOperand(0)))
        frozen.push_back(z);
  for (llvm::FreezeInst* z : frozen) {
    z->replaceAllUsesWith(llvm::UndefValue::get(z->getType()));
    z->eraseFromParent();
  }
}

}  // namespace fencepost::clangfe
