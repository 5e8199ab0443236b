// Lifetimes of a kernel's variables, for the room's other way out, plain.h. Two things follow from them. A variable
// of a loop's body holds nothing when it begins anew, though LLVM keeps one place for all rounds. And who accesses a
// variable after its end, through a pointer that was kept, does what nobody defines (C++ [basic.life],
// [basic.stc.general]).
//
// clang marks where each variable begins and ends (from -O1 on, which asks for no pass). Promotion to values drops the
// marks, so there are two steps. Before it, the marks of variables whose address goes elsewhere become calls, which
// keep such a variable in memory. After it, pointers lead to their variables by plain uses: each such variable gets a
// truth value, true between its marks, and each access that may reach it is preceded by a call that looks at it. A
// second promotion makes constants of nearly all of them, and calls with the constant true go away.
//
// Tried and lost: lifetimes as instructions of the notation that plain.h describes, followed by its reader. That needs
// the same analysis on flat code, without LLVM's dominators, and each join of pointers once more.
#include "clangfe/lives.h"

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <map>
#include <set>
#include <vector>

namespace fencepost::clangfe {
namespace {

constexpr const char* k_named = "fencepost.named";  // of variables that nothing but their names leads to
constexpr const char *k_begins = "__fencepost_life_begins", *k_ends = "__fencepost_life_ends";

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

// Whether only loads, stores and copies use the variable's address: no pointer to it can outlive it. Asked before calls
// are inlined, as a function may return the address.
bool by_name_only(const llvm::Value& address) {
  for (const llvm::Use& u : address.uses()) {
    const llvm::User* by = u.getUser();
    if (llvm::isa<llvm::LoadInst>(by)) continue;
    if (const auto* s = llvm::dyn_cast<llvm::StoreInst>(by); s != nullptr && u.getOperandNo() == 1) continue;
    if (const auto* c = llvm::dyn_cast<llvm::IntrinsicInst>(by);
        c != nullptr && (c->isLifetimeStartOrEnd() || llvm::isa<llvm::MemIntrinsic>(c)))
      continue;
    if (const auto* g = llvm::dyn_cast<llvm::GetElementPtrInst>(by); g != nullptr && by_name_only(*g)) continue;
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

// The pointers through which an instruction accesses memory.
std::vector<llvm::Value*> accessed(llvm::Instruction& i) {
  if (auto* l = llvm::dyn_cast<llvm::LoadInst>(&i)) return {l->getPointerOperand()};
  if (auto* s = llvm::dyn_cast<llvm::StoreInst>(&i)) return {s->getPointerOperand()};
  if (auto* m = llvm::dyn_cast<llvm::MemTransferInst>(&i)) return {m->getDest(), m->getSource()};
  if (auto* m = llvm::dyn_cast<llvm::MemSetInst>(&i)) return {m->getDest()};
  auto* c = llvm::dyn_cast<llvm::CallInst>(&i);
  if (c == nullptr || llvm::isa<llvm::IntrinsicInst>(c) || c->getCalledFunction() == nullptr) return {};
  std::vector<llvm::Value*> out;  // functions of CUDA: the atomic ones
  for (llvm::Value* v : c->args())
    if (v->getType()->isPointerTy()) out.push_back(v);
  return out;
}

struct Life {
  llvm::AllocaInst* variable = nullptr;
  llvm::AllocaInst* alive = nullptr;  // its truth value
  bool kept = false;                  // memory may hold its address
};

class Follower {
 public:
  Follower(llvm::Module& module, llvm::Function& kernel)
      : module_(module), kernel_(kernel), layout_(module.getDataLayout()) {}

  void run() {
    std::vector<llvm::CallInst*> marks;
    std::set<const llvm::Value*> begun;
    for (llvm::BasicBlock& b : kernel_)
      for (llvm::Instruction& i : b)
        for (const char* name : {k_begins, k_ends})
          if (llvm::CallInst* c = call_of(i, name)) {
            marks.push_back(c);
            if (name == k_begins) begun.insert(c->getArgOperand(0));
          }
    llvm::Type* bit = llvm::Type::getInt1Ty(module_.getContext());
    llvm::IRBuilder<> entry(&*kernel_.getEntryBlock().getFirstInsertionPt());
    for (llvm::CallInst* c : marks) {
      auto* a = llvm::cast<llvm::AllocaInst>(c->getArgOperand(0));
      auto [it, fresh] = at_.try_emplace(a, lives_.size());
      if (fresh) {
        lives_.push_back({a, entry.CreateAlloca(bit), false});
        entry.CreateStore(entry.getInt1(!begun.contains(a)), lives_.back().alive);
      }
      const bool begins = call_of(*c, k_begins) != nullptr;
      llvm::IRBuilder<> build(c);
      build.CreateStore(build.getInt1(begins), lives_[it->second].alive);
      if (begins) forget(*a, *c);
    }
    for (llvm::CallInst* c : marks) c->eraseFromParent();
    for (Life& l : lives_) l.kept = llvm::PointerMayBeCaptured(l.variable, true, true);
    std::vector<llvm::Instruction*> all;
    for (llvm::BasicBlock& b : kernel_)
      for (llvm::Instruction& i : b) all.push_back(&i);
    for (llvm::Instruction* i : all)
      for (llvm::Value* p : accessed(*i)) look(*i, p);
  }

 private:
  void look(llvm::Instruction& access, llvm::Value* pointer) {
    llvm::SmallVector<const llvm::Value*, 4> objects;
    llvm::getUnderlyingObjects(pointer, objects, nullptr, 0);
    for (const llvm::Value* o : objects) {
      if (const auto it = at_.find(o); it != at_.end()) {
        require(access, pointer, lives_[it->second]);
      } else if (!llvm::isa<llvm::AllocaInst>(o) && !llvm::isa<llvm::Argument>(o) && !llvm::isa<llvm::Constant>(o)) {
        for (const Life& l : lives_)
          if (l.kept) require(access, pointer, l);
      }
    }
  }
  void require(llvm::Instruction& access, llvm::Value* pointer, const Life& l) {
    llvm::IRBuilder<> build(&access);
    llvm::Type *bit = build.getInt1Ty(), *number = build.getInt64Ty();
    const uint64_t bytes = layout_.getTypeAllocSize(l.variable->getAllocatedType()).getFixedValue();
    if (pointer->getType() != l.variable->getType())
      pointer = build.CreateAddrSpaceCast(pointer, l.variable->getType());
    build.CreateCall(function(module_, k_alive, {bit, pointer->getType(), pointer->getType(), number}),
                     {build.CreateLoad(bit, l.alive), pointer, l.variable, build.getInt64(bytes)});
  }

  llvm::Module& module_;
  llvm::Function& kernel_;
  const llvm::DataLayout& layout_;
  std::vector<Life> lives_;
  std::map<const llvm::Value*, size_t> at_;
};

}  // namespace

void find_named(llvm::Module& module) {
  for (llvm::Function& f : module)
    for (llvm::BasicBlock& b : f)
      for (llvm::Instruction& i : b)
        if (llvm::isa<llvm::AllocaInst>(i) && by_name_only(i))
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

void follow_lives(llvm::Module& module, llvm::Function& kernel) { Follower(module, kernel).run(); }

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
