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

#include <string>
#include <utility>
#include <vector>

namespace fencepost::clangfe {
namespace {

constexpr const char* k_mark = "__fencepost_unset";  // void (ptr): this variable holds nothing from here on

// How the address of an aggregate is used.
struct Uses {
  bool constant = true;  // loads, stores, copies and constant offsets alone
  bool kept = false;     // it is stored somewhere: a capture of a lambda, which inlining and promotion may resolve
};
void look(const llvm::Value& address, Uses& out) {
  for (const llvm::Use& u : address.uses()) {
    const llvm::User* by = u.getUser();
    // Lowering refuses a fill with a value that is not constant. It is not to be taken apart before.
    if (const auto* m = llvm::dyn_cast<llvm::MemSetInst>(by); m != nullptr && !llvm::isa<llvm::Constant>(m->getValue()))
      out.constant = false;
    else if (llvm::isa<llvm::StoreInst>(by))
      out.kept = out.kept || u.getOperandNo() == 0;
    else if (llvm::isa<llvm::LoadInst>(by) || llvm::isa<llvm::MemIntrinsic>(by))
      continue;
    else if (const auto* c = llvm::dyn_cast<llvm::CallBase>(by))
      out.kept =
          out.kept || c->getCalledFunction() == nullptr || !c->getCalledFunction()->getName().starts_with(k_mark);
    else if (const auto* g = llvm::dyn_cast<llvm::GetElementPtrInst>(by); g != nullptr && g->hasAllConstantIndices())
      look(*g, out);
    else if (llvm::isa<llvm::AddrSpaceCastInst>(by))
      look(*by, out);
    else
      out.constant = false;
  }
}

using Path = std::vector<uint64_t>;

// The scalars and vectors of a type, as paths of members; false: there are too many.
bool leaves(llvm::Type* type, size_t most, Path& at, std::vector<std::pair<Path, llvm::Type*>>& out) {
  if (type->isSingleValueType()) {
    if (type->isIntegerTy() && type->getIntegerBitWidth() > 64)
      return false;  // lowering knows such by their words alone
    out.emplace_back(at, type);
    return out.size() <= most;
  }
  const auto* s = llvm::dyn_cast<llvm::StructType>(type);
  const auto* a = llvm::dyn_cast<llvm::ArrayType>(type);
  if (s == nullptr && a == nullptr) return false;
  const uint64_t n = s != nullptr ? s->getNumElements() : a->getNumElements();
  for (uint64_t k = 0; k < n; ++k) {
    at.push_back(k);
    const bool all =
        leaves(s != nullptr ? s->getElementType(static_cast<unsigned>(k)) : a->getElementType(), most, at, out);
    at.pop_back();
    if (!all) return false;
  }
  return true;
}

void forget(llvm::AllocaInst& a, llvm::Instruction& at) {
  constexpr size_t k_most = 4096, k_most_kept = 256;
  Uses uses;
  if (!a.getAllocatedType()->isSingleValueType()) look(a, uses);
  std::vector<std::pair<Path, llvm::Type*>> all;
  Path path;
  if (a.isArrayAllocation() || !uses.constant ||
      !leaves(a.getAllocatedType(), uses.kept ? k_most_kept : k_most, path, all))
    return;
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

void mark_unset(llvm::Module& module) {
  for (llvm::Function& f : module) {
    if (f.isDeclaration()) continue;
    auto marks = declarations(f);
    std::erase_if(marks, [&](const auto& m) { return m.second->getParent() == &f.getEntryBlock(); });
    std::vector<llvm::AllocaInst*> all;
    for (llvm::Instruction& i : f.getEntryBlock())
      if (auto* a = llvm::dyn_cast<llvm::AllocaInst>(&i)) all.push_back(a);
    for (llvm::AllocaInst* a : all) marks.emplace_back(a, all.back()->getNextNode());
    for (const auto& [a, at] : marks) {
      llvm::IRBuilder<> build(at);
      const std::string name = k_mark + std::to_string(a->getAddressSpace());
      build.CreateCall(module.getOrInsertFunction(name, build.getVoidTy(), a->getType()), {a});
    }
  }
}

void hold_unset(llvm::Function& f) {
  std::vector<llvm::CallInst*> marks;
  for (llvm::BasicBlock& b : f)
    for (llvm::Instruction& i : b)
      if (auto* c = llvm::dyn_cast<llvm::CallInst>(&i);
          c != nullptr && c->getCalledFunction() != nullptr && c->getCalledFunction()->getName().starts_with(k_mark))
        marks.push_back(c);
  for (llvm::CallInst* c : marks)
    if (auto* a = llvm::dyn_cast<llvm::AllocaInst>(c->getArgOperand(0)->stripPointerCasts())) forget(*a, *c);
  for (llvm::CallInst* c : marks) c->eraseFromParent();
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
