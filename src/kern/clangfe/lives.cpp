// Lifetimes of a kernel's variables, for the room's other way out, plain.h. Two things follow from them. A variable
// of a loop's body holds nothing when it begins anew, though LLVM keeps one place for all rounds. And who accesses a
// variable after its end, through a pointer that was kept, does what nobody defines (C++ [basic.life],
// [basic.stc.general]).
//
// clang marks where each variable begins and ends (from -O1 on, which asks for no pass). Promotion to values drops the
// marks, so there are two steps. Before it, the marks of variables whose address goes elsewhere become calls, which
// keep such a variable in memory. After it, references and pointers that went through calls are gone, and there are two
// kinds. To some only their names lead: each gets a truth value, true between its marks, each access is preceded by a
// call that looks at it, and a second promotion makes constants of nearly all of them. To the others pointers are kept,
// in phis or in memory. The calls at their marks stay, and ptxmod, which follows values, marks the pointers themselves
// (ptxmod/cuda.cpp): only so a pointer into the last round is told from one into this round, which is the same address.
//
// Tried and lost: truth values for all of them, compared at each access with the place of the pointer; a pointer into
// the last round was taken for one into this.
#include "clangfe/lives.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace fencepost::clangfe {
namespace {

constexpr const char* k_named = "fencepost.named";  // of variables that nothing but their names leads to

llvm::AllocaInst* variable_of(const llvm::IntrinsicInst& mark) {
  return llvm::dyn_cast<llvm::AllocaInst>(mark.getArgOperand(1)->stripPointerCasts());
}

bool in_cycle(llvm::BasicBlock* block) {
  std::set<llvm::BasicBlock*> seen;
  std::vector<llvm::BasicBlock*> todo(llvm::succ_begin(block), llvm::succ_end(block));
  while (!todo.empty()) {
    llvm::BasicBlock* at = todo.back();
    todo.pop_back();
    if (at == block) return true;
    if (seen.insert(at).second) todo.insert(todo.end(), llvm::succ_begin(at), llvm::succ_end(at));
  }
  return false;
}

// Whether only loads, stores, copies and functions of CUDA use the variable's address: no pointer to it is kept.
bool by_name_only(const llvm::Value& address, bool inlined) {
  for (const llvm::Use& u : address.uses()) {
    const llvm::User* by = u.getUser();
    if (llvm::isa<llvm::LoadInst>(by)) continue;
    if (const auto* s = llvm::dyn_cast<llvm::StoreInst>(by); s != nullptr && u.getOperandNo() == 1) continue;
    if (const auto* c = llvm::dyn_cast<llvm::IntrinsicInst>(by);
        c != nullptr && (c->isLifetimeStartOrEnd() || llvm::isa<llvm::MemIntrinsic>(c)))
      continue;
    if (const auto* c = llvm::dyn_cast<llvm::CallInst>(by);
        inlined && c != nullptr && !llvm::isa<llvm::IntrinsicInst>(c))
      continue;
    if (const auto* g = llvm::dyn_cast<llvm::GetElementPtrInst>(by); g != nullptr && by_name_only(*g, inlined))
      continue;
    return false;
  }
  return true;
}

// What the variable holds where it begins: nothing. Frozen, for where an undefined value meets another one LLVM takes
// that one.
void forget(llvm::AllocaInst& a, llvm::Instruction& at) {
  llvm::Type* t = a.getAllocatedType();
  llvm::IRBuilder<> build(&at);
  if (t->isSingleValueType())
    build.CreateStore(build.CreateFreeze(llvm::UndefValue::get(t), a.getName()), &a);
  else if (in_cycle(at.getParent()))
    build.CreateStore(llvm::UndefValue::get(t), &a);
}

llvm::FunctionCallee function(llvm::Module& m, const char* name, llvm::ArrayRef<llvm::Type*> parameters) {
  return m.getOrInsertFunction(name, llvm::FunctionType::get(llvm::Type::getVoidTy(m.getContext()), parameters, false));
}

llvm::CallInst* call_of(llvm::Instruction& i, llvm::StringRef name) {
  auto* c = llvm::dyn_cast<llvm::CallInst>(&i);
  if (c == nullptr || c->getCalledFunction() == nullptr || c->getCalledFunction()->getName() != name) return nullptr;
  return c;
}

// The instructions that access memory at an address, which by_name_only holds of.
void accesses(llvm::Value& address, std::vector<llvm::Instruction*>& out) {
  for (llvm::User* by : address.users()) {
    auto* i = llvm::cast<llvm::Instruction>(by);
    if (llvm::isa<llvm::GetElementPtrInst>(i))
      accesses(*i, out);
    else
      out.push_back(i);
  }
}

void follow(llvm::Module& module, llvm::Function& kernel, llvm::AllocaInst& variable,
            const std::vector<llvm::CallInst*>& marks) {
  std::vector<llvm::CallInst*> begins, ends;
  for (llvm::CallInst* c : marks) (call_of(*c, k_begins) != nullptr ? begins : ends).push_back(c);
  std::vector<llvm::Instruction*> found;
  const bool named = by_name_only(variable, true);
  if (named) accesses(variable, found);
  for (llvm::CallInst* c : begins) forget(variable, *c->getNextNode());
  if (!named) return;
  llvm::IRBuilder<> build(&*kernel.getEntryBlock().getFirstInsertionPt());
  llvm::Type* bit = build.getInt1Ty();
  llvm::AllocaInst* alive = build.CreateAlloca(bit);
  build.CreateStore(build.getInt1(begins.empty()), alive);
  for (const auto& [calls, value] : {std::pair(&begins, true), std::pair(&ends, false)})
    for (llvm::CallInst* c : *calls) {
      build.SetInsertPoint(c);
      build.CreateStore(build.getInt1(value), alive);
    }
  for (llvm::Instruction* i : found) {
    if (std::find(marks.begin(), marks.end(), i) != marks.end()) continue;
    build.SetInsertPoint(i);
    build.CreateCall(function(module, k_alive, {bit}), {build.CreateLoad(bit, alive)});
  }
  for (llvm::CallInst* c : marks) c->eraseFromParent();
}

}  // namespace

void find_named(llvm::Module& module) {
  for (llvm::Function& f : module)
    for (llvm::BasicBlock& b : f)
      for (llvm::Instruction& i : b)
        if (llvm::isa<llvm::AllocaInst>(i) && by_name_only(i, false))
          i.setMetadata(k_named, llvm::MDNode::get(module.getContext(), {}));
}

void keep_lives(llvm::Module& module, llvm::Function& kernel) {
  std::vector<llvm::IntrinsicInst*> marks;
  for (llvm::BasicBlock& b : kernel)
    for (llvm::Instruction& i : b)
      if (auto* mark = llvm::dyn_cast<llvm::IntrinsicInst>(&i); mark != nullptr && mark->isLifetimeStartOrEnd())
        marks.push_back(mark);
  for (llvm::IntrinsicInst* mark : marks) {
    llvm::AllocaInst* a = variable_of(*mark);
    const bool begins = mark->getIntrinsicID() == llvm::Intrinsic::lifetime_start;
    if (a != nullptr && !a->hasMetadata(k_named)) {
      llvm::IRBuilder<> build(mark);
      build.CreateCall(function(module, begins ? k_begins : k_ends, {a->getType()}), {a});
    } else if (a != nullptr && begins) {
      forget(*a, *mark);
    }
    mark->eraseFromParent();
  }
}

void follow_lives(llvm::Module& module, llvm::Function& kernel) {
  std::vector<std::pair<llvm::AllocaInst*, std::vector<llvm::CallInst*>>> variables;
  for (llvm::BasicBlock& b : kernel)
    for (llvm::Instruction& i : b) {
      if (call_of(i, k_begins) == nullptr && call_of(i, k_ends) == nullptr) continue;
      auto& call = llvm::cast<llvm::CallInst>(i);
      auto* a = llvm::cast<llvm::AllocaInst>(call.getArgOperand(0));
      const auto same = [&](const auto& v) { return v.first == a; };
      auto it = std::find_if(variables.begin(), variables.end(), same);
      if (it == variables.end()) it = variables.insert(it, {a, {}});
      it->second.push_back(&call);
    }
  for (auto& [variable, marks] : variables) follow(module, kernel, *variable, marks);
}

void drop_decided_lives(llvm::Function& kernel) {
  std::vector<llvm::CallInst*> decided;
  for (llvm::BasicBlock& b : kernel)
    for (llvm::Instruction& i : b)
      if (llvm::CallInst* c = call_of(i, k_alive))
        if (const auto* alive = llvm::dyn_cast<llvm::ConstantInt>(c->getArgOperand(0));
            alive != nullptr && alive->isOne())
          decided.push_back(c);
  for (llvm::CallInst* c : decided) c->eraseFromParent();
}

}  // namespace fencepost::clangfe
