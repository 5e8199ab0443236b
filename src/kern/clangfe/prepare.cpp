// LLVM's own passes that make SSA and loops canonical, and one of ours: conditional expressions inside annotations
// become selections, so that an annotation is straight-line code in its block.
//
// -O0 code with every variable in memory is the only form in which accesses, their places and annotations survive; SROA
// and mem2reg then touch private memory only. Tried elsewhere and lost: -O1 merges and drops accesses.
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/FixIrreducible.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

#include <map>

#include "clangfe/lives.h"
#include "clangfe/llvm_module.h"
#include "clangfe/ptx_text.h"
#include "clangfe/spins.h"
#include "clangfe/stages.h"
#include "clangfe/toolkit.h"
#include "clangfe/unset.h"

namespace fencepost::clangfe {
namespace {

const llvm::Function* callee(const llvm::Instruction& i) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
  return call != nullptr ? call->getCalledFunction() : nullptr;
}

bool is_call_of(const llvm::Instruction& i, llvm::StringRef name) {
  const llvm::Function* f = callee(i);
  return f != nullptr && f->getName() == name;
}

bool has_contract(const llvm::Function& f) {
  for (const llvm::BasicBlock& b : f)
    for (const llvm::Instruction& i : b)
      if (const llvm::Function* g = callee(i);
          g != nullptr &&
          (g->getName().starts_with("__fencepost_requires") ||
           g->getName().starts_with("__fencepost_global_requires") || g->getName().starts_with("__fencepost_ensures") ||
           g->getName().starts_with("__fencepost_global_ensures")))
        return true;
  return false;
}

bool recursive(const llvm::Function& f) {
  std::vector<const llvm::Function*> todo{&f};
  std::set<const llvm::Function*> seen;
  while (!todo.empty()) {
    const llvm::Function* at = todo.back();
    todo.pop_back();
    for (const llvm::BasicBlock& b : *at)
      for (const llvm::Instruction& i : b)
        if (const llvm::Function* g = callee(i); g != nullptr && !g->isDeclaration()) {
          if (g == &f) return true;
          if (seen.insert(g).second) todo.push_back(g);
        }
  }
  return false;
}

void mark_for_inlining(llvm::Module& m) {
  for (llvm::Function& f : m) {
    if (f.isDeclaration() || f.isInterposable() || f.getName().starts_with("__fencepost_axiom_") || has_contract(f) ||
        recursive(f))
      continue;
    f.removeFnAttr(llvm::Attribute::NoInline);
    f.removeFnAttr(llvm::Attribute::OptimizeNone);
    f.addFnAttr(llvm::Attribute::AlwaysInline);
  }
}

// The blocks from the one that holds `begin` to the one that holds the next spec_end become one block.
void flatten(llvm::Instruction* begin, bool straight_invariants) {
  llvm::BasicBlock* first = begin->getParent();
  const auto ends_in = [](llvm::BasicBlock* b, llvm::BasicBlock::iterator from) {
    for (auto it = from; it != b->end(); ++it)
      if (is_call_of(*it, "__fencepost_spec_end")) return true;
    return false;
  };
  if (ends_in(first, begin->getIterator())) return;
  // The region in topological order. It is acyclic: it came from &&, || and ?:.
  std::vector<llvm::BasicBlock*> order;
  std::map<llvm::BasicBlock*, unsigned> waiting;
  std::vector<llvm::BasicBlock*> ready{first};
  llvm::BasicBlock* last = nullptr;
  std::set<llvm::BasicBlock*> region;
  {
    std::vector<llvm::BasicBlock*> todo{first};
    while (!todo.empty()) {
      llvm::BasicBlock* b = todo.back();
      todo.pop_back();
      if (!region.insert(b).second) continue;
      if (region.size() > 256) return;  // not such a region: left as it is, lowering will refuse it
      if (b != first && ends_in(b, b->begin())) {
        last = b;
        continue;
      }
      for (llvm::BasicBlock* s : llvm::successors(b)) todo.push_back(s);
    }
  }
  if (last == nullptr || region.count(first) == 0) return;
  if (straight_invariants)
    for (const llvm::Instruction& i : *last)
      if (const llvm::Function* f = callee(i);
          f != nullptr && f->getName().starts_with("__fencepost_") && f->getName().ends_with("invariant"))
        return;
  for (llvm::BasicBlock* b : region)
    if (b != first)
      for (llvm::BasicBlock* p : llvm::predecessors(b)) {
        if (region.count(p) == 0) return;
        ++waiting[b];
      }
  std::map<llvm::BasicBlock*, llvm::Value*> reached;  // condition under which the block is reached
  std::map<std::pair<llvm::BasicBlock*, llvm::BasicBlock*>, llvm::Value*> taken;
  llvm::LLVMContext& c = first->getContext();
  reached[first] = llvm::ConstantInt::getTrue(c);
  llvm::Instruction* old_end = first->getTerminator();
  llvm::IRBuilder<> builder(old_end);
  const auto edge = [&](llvm::BasicBlock* from, llvm::BasicBlock* to, llvm::Value* when) {
    auto& t = taken[{from, to}];
    llvm::Value* both = builder.CreateAnd(reached[from], when);
    t = t == nullptr ? both : builder.CreateOr(t, both);
  };
  while (!ready.empty()) {
    llvm::BasicBlock* b = ready.back();
    ready.pop_back();
    order.push_back(b);
    if (b != first) {
      builder.SetCurrentDebugLocation(begin->getDebugLoc());
      llvm::Value* when = nullptr;
      for (llvm::BasicBlock* p : llvm::predecessors(b))
        when = when == nullptr ? taken[{p, b}] : builder.CreateOr(when, taken[{p, b}]);
      reached[b] = when;
      while (auto* phi = llvm::dyn_cast<llvm::PHINode>(&b->front())) {
        llvm::Value* v = phi->getIncomingValue(0);
        for (unsigned k = 1; k < phi->getNumIncomingValues(); ++k)
          v = builder.CreateSelect(taken[{phi->getIncomingBlock(k), b}], phi->getIncomingValue(k), v);
        phi->replaceAllUsesWith(v);
        phi->eraseFromParent();
      }
      if (b == last) break;
      while (&b->front() != b->getTerminator()) b->front().moveBefore(old_end);
    }
    llvm::Instruction* end = b->getTerminator();
    builder.SetCurrentDebugLocation(end->getDebugLoc());
    if (auto* br = llvm::dyn_cast<llvm::BranchInst>(end)) {
      if (br->isConditional() && br->getSuccessor(0) != br->getSuccessor(1)) {
        edge(b, br->getSuccessor(0), br->getCondition());
        edge(b, br->getSuccessor(1), builder.CreateNot(br->getCondition()));
      } else {
        edge(b, br->getSuccessor(0), llvm::ConstantInt::getTrue(c));
      }
    } else {
      return;
    }
    for (llvm::BasicBlock* s : llvm::successors(b))
      if (waiting[s] > 0 && --waiting[s] == 0) ready.push_back(s);
  }
  // `last` joins `first`.
  old_end->eraseFromParent();
  for (llvm::BasicBlock* s : llvm::successors(last)) s->replacePhiUsesWith(last, first);
  first->splice(first->end(), last);
  for (llvm::BasicBlock* b : region)
    if (b != first) b->dropAllReferences();
  for (llvm::BasicBlock* b : region)
    if (b != first) b->eraseFromParent();
}

void flatten_annotations(llvm::Function& f, bool straight_invariants) {
  // Blocks vanish while we walk: collect first, each annotation once.
  std::vector<llvm::Instruction*> begins;
  for (llvm::BasicBlock& b : f)
    for (llvm::Instruction& i : b)
      if (is_call_of(i, "__fencepost_spec_begin")) begins.push_back(&i);
  for (llvm::Instruction* b : begins) flatten(b, straight_invariants);
}

// __requires_fresh_array(p) of a variable of the function: p is set to a fresh array. Done before promotion, so that
// the variable can be promoted.
void set_fresh_pointers(llvm::Function& f) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::BasicBlock& b : f)
    for (llvm::Instruction& i : b)
      if (is_call_of(i, "__fencepost_requires_fresh_array") &&
          llvm::isa<llvm::AllocaInst>(llvm::cast<llvm::CallInst>(i).getArgOperand(0)->stripPointerCasts()))
        calls.push_back(llvm::cast<llvm::CallInst>(&i));
  for (llvm::CallInst* c : calls) {
    auto* slot = llvm::cast<llvm::AllocaInst>(c->getArgOperand(0)->stripPointerCasts());
    if (!slot->getAllocatedType()->isPointerTy()) continue;
    llvm::IRBuilder<> builder(c);
    const std::string name = "__fencepost_fresh." + std::to_string(slot->getAllocatedType()->getPointerAddressSpace());
    auto* fresh = llvm::cast<llvm::Function>(
        f.getParent()->getOrInsertFunction(name, llvm::FunctionType::get(slot->getAllocatedType(), false)).getCallee());
    llvm::CallInst* made = builder.CreateCall(fresh);
    made->setName(slot->getName());
    builder.CreateStore(made, slot);
    c->eraseFromParent();
  }
}

// `v.z = x` writes one component, and clang reads the vector, puts x in and writes it whole. Components that are
// written as they were read, from the same place with nothing in between, are no accesses of the source. This looks at
// the code before private variables become values: a source that copies a whole vector, changes the copy and writes it
// back does write every component, and looks the same afterwards.
void write_components_alone(llvm::Function& f) {
  std::vector<llvm::StoreInst*> stores;
  for (llvm::BasicBlock& b : f)
    for (llvm::Instruction& i : b)
      if (auto* s = llvm::dyn_cast<llvm::StoreInst>(&i);
          s != nullptr && s->isSimple() && llvm::isa<llvm::FixedVectorType>(s->getValueOperand()->getType()) &&
          !llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(s->getPointerOperand())))
        stores.push_back(s);
  for (llvm::StoreInst* s : stores) {
    llvm::Value* vector = s->getValueOperand();
    const auto* type = llvm::cast<llvm::FixedVectorType>(vector->getType());
    llvm::LoadInst* read = nullptr;
    // Where a component comes from: the load, or a scalar, or (`vector`) a component of another vector.
    enum class From : uint8_t { scalar, vector, read, undefined };
    struct Source {
      From from;
      llvm::Value* value = nullptr;
      unsigned lane = 0;
    };
    const auto source = [&](unsigned lane) -> Source {
      llvm::Value* v = vector;
      unsigned at = lane;
      while (true) {
        if (llvm::isa<llvm::UndefValue>(v)) return {From::undefined, nullptr};
        if (auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(v)) {
          const auto* index = llvm::dyn_cast<llvm::ConstantInt>(insert->getOperand(2));
          if (index == nullptr) return {From::vector, v, at};
          if (index->getZExtValue() == at) return {From::scalar, insert->getOperand(1)};
          v = insert->getOperand(0);
        } else if (auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(v)) {
          const int to = shuffle->getMaskValue(at);
          if (to < 0) return {From::undefined, nullptr};
          const unsigned size = llvm::cast<llvm::FixedVectorType>(shuffle->getOperand(0)->getType())->getNumElements();
          v = shuffle->getOperand(static_cast<unsigned>(to) < size ? 0 : 1);
          at = static_cast<unsigned>(to) < size ? static_cast<unsigned>(to) : static_cast<unsigned>(to) - size;
        } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(v)) {
          if (!load->isSimple() || load->getParent() != s->getParent() ||
              load->getPointerOperand() != s->getPointerOperand() || at != lane || (read != nullptr && read != load))
            return {From::vector, v, at};
          read = load;
          return {From::read, nullptr};
        } else {
          return {From::vector, v, at};
        }
      }
    };
    std::vector<Source> sources;
    for (unsigned k = 0; k < type->getNumElements(); ++k) sources.push_back(source(k));
    if (read == nullptr) continue;
    bool between = false;
    for (const llvm::Instruction* i = read->getNextNode(); i != s && !between; i = i->getNextNode())
      between = i == nullptr || i->mayWriteToMemory();
    if (between) continue;
    llvm::IRBuilder<> builder(s);
    for (unsigned k = 0; k < sources.size(); ++k) {
      if (sources[k].from == From::read || sources[k].from == From::undefined) continue;
      llvm::Value* x = sources[k].from == From::scalar
                           ? sources[k].value
                           : builder.CreateExtractElement(sources[k].value, sources[k].lane);
      llvm::Value* at = builder.CreateConstGEP1_32(type->getElementType(), s->getPointerOperand(), k);
      builder.CreateStore(x, at);
    }
    s->eraseFromParent();
    llvm::RecursivelyDeleteTriviallyDeadInstructions(vector);
  }
}

class Managers {
 public:
  Managers() {
    builder_.registerModuleAnalyses(mam);
    builder_.registerCGSCCAnalyses(cgam_);
    builder_.registerFunctionAnalyses(fam);
    builder_.registerLoopAnalyses(lam_);
    builder_.crossRegisterProxies(lam_, fam, cgam_, mam);
  }

 private:  // destroyed from the last to the first: the outer managers know the inner ones
  llvm::LoopAnalysisManager lam_;

 public:
  llvm::FunctionAnalysisManager fam;

 private:
  llvm::CGSCCAnalysisManager cgam_;

 public:
  llvm::ModuleAnalysisManager mam;

 private:
  llvm::PassBuilder builder_;
};

// The calls of built-in functions of OpenCL whose mangled name has this in it.
std::vector<llvm::CallBase*> built_in_calls(llvm::Function& f, const char* name) {
  std::vector<llvm::CallBase*> calls;
  for (llvm::BasicBlock& b : f)
    for (llvm::Instruction& i : b)
      if (const llvm::Function* g = callee(i);
          g != nullptr && g->getName().starts_with("_Z") && g->getName().contains(name))
        calls.push_back(llvm::cast<llvm::CallBase>(&i));
  return calls;
}

// A call of a function of ours. Types of the arguments become part of its name.
llvm::Value* call_of(llvm::IRBuilder<>& build, std::string name, llvm::Type* result,
                     const std::vector<llvm::Value*>& arguments) {
  std::vector<llvm::Type*> types;
  llvm::raw_string_ostream text(name);
  for (const llvm::Value* v : arguments) {
    types.push_back(v->getType());
    text << '.' << *v->getType();
  }
  llvm::Module* m = build.GetInsertBlock()->getModule();
  return build.CreateCall(m->getOrInsertFunction(name, llvm::FunctionType::get(result, types, false)), arguments);
}

// The thread ends at a trap. clang does not mark `__trap()` as a call that never returns, so code may stand behind it.
void end_at_traps(llvm::Function& f) {
  std::vector<llvm::Instruction*> behind;
  for (llvm::BasicBlock& b : f)
    for (llvm::Instruction& i : b)
      if (is_call_of(i, "llvm.trap")) {
        if (!llvm::isa<llvm::UnreachableInst>(*i.getNextNode())) behind.push_back(i.getNextNode());
        break;
      }
  for (llvm::Instruction* i : behind) llvm::changeToUnreachable(i);
  if (!behind.empty()) llvm::EliminateUnreachableBlocks(f);
}

// A weak compare-exchange may fail though it finds what it expects, and is a load then (C11 7.17.7.4, to which OpenCL C
// 3.0, 6.15.12.7.5, refers). The other way is one that does not.
void let_weak_fail(llvm::Function& f) {
  for (llvm::CallBase* c : built_in_calls(f, "atomic_compare_exchange_weak")) {
    if (c->arg_size() < 3) continue;
    llvm::IRBuilder<> build(c);
    llvm::Type* word = build.getInt32Ty();
    llvm::Value* choice = build.CreateCall(f.getParent()->getOrInsertFunction("__fencepost_choice", word));
    llvm::Instruction *fails = nullptr, *tries = nullptr;
    llvm::SplitBlockAndInsertIfThenElse(build.CreateTrunc(choice, build.getInt1Ty()), c, &fails, &tries);
    llvm::Instruction* behind = &*c->getParent()->begin();
    build.SetInsertPoint(fails);
    build.SetCurrentDebugLocation(c->getDebugLoc());
    std::vector<llvm::Value*> arguments{c->getArgOperand(0)};
    for (unsigned k = 4; k < c->arg_size(); ++k) arguments.push_back(c->getArgOperand(k));
    llvm::Type* type = c->getArgOperand(2)->getType();
    const std::string name = "__fencepost_weak_load." + std::to_string(type->getPrimitiveSizeInBits());
    build.CreateStore(call_of(build, name, type, arguments), c->getArgOperand(1));
    build.SetInsertPoint(behind);
    llvm::PHINode* result = build.CreatePHI(c->getType(), 2);
    c->replaceAllUsesWith(result);
    result->addIncoming(llvm::ConstantInt::getFalse(c->getType()), fails->getParent());
    result->addIncoming(c, tries->getParent());
    c->moveBefore(tries);
  }
}

// OpenCL's atomic_compare_exchange takes what it expects by pointer. With a load before the call and a store behind it,
// a variable of that name needs no memory, and is often seen to be a constant.
void take_expected_by_value(llvm::Function& f) {
  for (llvm::CallBase* c : built_in_calls(f, "atomic_compare_exchange_")) {
    if (c->arg_size() < 3) continue;
    auto* expected = llvm::dyn_cast<llvm::AllocaInst>(c->getArgOperand(1)->stripPointerCasts());
    llvm::Type* type = c->getArgOperand(2)->getType();
    if (expected == nullptr || expected->getAllocatedType() != type || !type->isSingleValueType()) continue;
    llvm::IRBuilder<> build(c);
    std::vector<llvm::Value*> arguments(c->arg_begin(), c->arg_end());
    llvm::Value* was = arguments[1] = build.CreateLoad(type, expected);
    llvm::Value* old = call_of(build, "__fencepost_compare_exchange", type, arguments);
    build.CreateStore(old, expected);
    llvm::Type* bits = llvm::Type::getIntNTy(f.getContext(), static_cast<unsigned>(type->getPrimitiveSizeInBits()));
    llvm::Value* same = build.CreateICmpEQ(build.CreateBitCast(old, bits), build.CreateBitCast(was, bits));
    c->replaceAllUsesWith(build.CreateZExtOrTrunc(same, c->getType()));
    c->eraseFromParent();
  }
}

// CUDA's memset and memcpy, of constant length, as the intrinsics that clang would make of C's. Done before promotion,
// so that what they fill can be promoted.
void take_library_fills(llvm::Function& f) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::BasicBlock& b : f)
    for (llvm::Instruction& i : b)
      if (is_call_of(i, "memset") || is_call_of(i, "memcpy")) calls.push_back(llvm::cast<llvm::CallInst>(&i));
  for (llvm::CallInst* c : calls) {
    if (!c->getCalledFunction()->isDeclaration() || c->arg_size() != 3 ||
        !llvm::isa<llvm::ConstantInt>(c->getArgOperand(2)) || !c->getArgOperand(0)->getType()->isPointerTy())
      continue;
    llvm::IRBuilder<> build(c);
    llvm::Value *to = c->getArgOperand(0), *what = c->getArgOperand(1), *length = c->getArgOperand(2);
    if (c->getCalledFunction()->getName() == "memset")
      build.CreateMemSet(to, build.CreateTrunc(what, build.getInt8Ty()), length, llvm::MaybeAlign());
    else
      build.CreateMemCpy(to, llvm::MaybeAlign(), what, llvm::MaybeAlign(), length);
    c->replaceAllUsesWith(to);
    c->eraseFromParent();
  }
}

// The low bits of a sum, difference or product are those of the low bits: int counters that go in steps of a size_t
// (`j += get_local_size(0)`) are sums of their own width then, as loops know them.
llvm::Value* low_bits(llvm::IRBuilder<>& build, llvm::Value* v, llvm::Type* type, int depth) {
  if (const auto* e = llvm::dyn_cast<llvm::CastInst>(v);
      e != nullptr && (llvm::isa<llvm::SExtInst>(e) || llvm::isa<llvm::ZExtInst>(e)) && e->getSrcTy() == type)
    return e->getOperand(0);
  const auto* b = llvm::dyn_cast<llvm::BinaryOperator>(v);
  if (depth == 0 || b == nullptr ||
      (b->getOpcode() != llvm::Instruction::Add && b->getOpcode() != llvm::Instruction::Sub &&
       b->getOpcode() != llvm::Instruction::Mul))
    return build.CreateTrunc(v, type);
  llvm::Value *left = low_bits(build, b->getOperand(0), type, depth - 1),
              *right = low_bits(build, b->getOperand(1), type, depth - 1);
  return build.CreateBinOp(b->getOpcode(), left, right);
}

void narrow_arithmetic(llvm::Function& f) {
  constexpr int k_most_depth = 4;
  std::vector<llvm::TruncInst*> cuts;
  for (llvm::BasicBlock& b : f)
    for (llvm::Instruction& i : b)
      if (auto* t = llvm::dyn_cast<llvm::TruncInst>(&i);
          t != nullptr && t->getType()->isIntegerTy() && llvm::isa<llvm::BinaryOperator>(t->getOperand(0)))
        cuts.push_back(t);
  for (llvm::TruncInst* t : cuts) {
    llvm::IRBuilder<> build(t);
    llvm::Value* low = low_bits(build, t->getOperand(0), t->getType(), k_most_depth);
    if (auto* made = llvm::dyn_cast<llvm::TruncInst>(low); made != nullptr && made->getOperand(0) == t->getOperand(0)) {
      made->eraseFromParent();
      continue;
    }
    low->takeName(t);
    llvm::Value* wide = t->getOperand(0);
    t->replaceAllUsesWith(low);
    t->eraseFromParent();
    llvm::RecursivelyDeleteTriviallyDeadInstructions(wide);
  }
}

bool irreducible(llvm::Function& f) {
  llvm::DominatorTree tree(f);
  std::map<const llvm::BasicBlock*, unsigned> position;
  unsigned n = 0;
  llvm::ReversePostOrderTraversal<llvm::Function*> order(&f);
  for (llvm::BasicBlock* b : order) position[b] = n++;
  for (llvm::BasicBlock* b : order)
    for (llvm::BasicBlock* s : llvm::successors(b))
      if (position[s] <= position[b] && !tree.dominates(s, b)) return true;
  return false;
}

}  // namespace

void prepare(llvm::Module& module, const Options& options) {
  mark_unset(module);
  if (options.inline_calls) mark_for_inlining(module);
  Managers managers;
  llvm::ModulePassManager inliner;
  inliner.addPass(llvm::AlwaysInlinerPass(false));
  inliner.run(module, managers.mam);
  for (llvm::Function& f : module) {
    if (f.isDeclaration()) continue;
    f.removeFnAttr(llvm::Attribute::OptimizeNone);
    llvm::EliminateUnreachableBlocks(f);
    end_at_traps(f);
    hold_unset(f);
    set_fresh_pointers(f);
    take_library_fills(f);
    let_weak_fail(f);
    take_expected_by_value(f);
    write_components_alone(f);
    if (options.dialect == ir::Dialect::cuda) {
      expand_assembly(f);
      llvm::EliminateUnreachableBlocks(f);
    }
    llvm::FunctionPassManager promote;
    promote.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
    promote.addPass(llvm::PromotePass());
    promote.run(f, managers.fam);
    while (!options.cuda_path.empty() && settle(f)) {
      managers.fam.invalidate(f, llvm::PreservedAnalyses::none());
      promote.run(f, managers.fam);
    }
    if (options.dialect == ir::Dialect::cuda && collapse_spins(f))
      managers.fam.invalidate(f, llvm::PreservedAnalyses::none());
    if (options.dialect == ir::Dialect::cuda && number_stages(f, managers.fam))
      managers.fam.invalidate(f, llvm::PreservedAnalyses::none());
    if (options.pointer_bits == 64) narrow_arithmetic(f);
    flatten_annotations(f, options.straight_invariants);
    managers.fam.invalidate(f, llvm::PreservedAnalyses::none());
    llvm::FunctionPassManager shape;
    if (irreducible(f)) {
      shape.addPass(llvm::LowerSwitchPass());
      shape.addPass(llvm::FixIrreduciblePass());
    }
    shape.addPass(llvm::LoopSimplifyPass());
    shape.run(f, managers.fam);
    llvm::EliminateUnreachableBlocks(f);
    release_unset(f);
    managers.fam.invalidate(f, llvm::PreservedAnalyses::none());
  }
}

void make_values(llvm::Module& module, llvm::Function& kernel) {
  find_named(module);
  mark_for_inlining(module);
  Managers managers;
  llvm::ModulePassManager inliner;
  inliner.addPass(llvm::AlwaysInlinerPass(true));
  inliner.run(module, managers.mam);
  kernel.removeFnAttr(llvm::Attribute::OptimizeNone);
  llvm::EliminateUnreachableBlocks(kernel);
  keep_lives(module, kernel);
  take_library_fills(kernel);
  llvm::IRBuilder<> build(&*kernel.getEntryBlock().getFirstInsertionPt());
  const llvm::DataLayout& layout = module.getDataLayout();
  for (llvm::Argument& a : kernel.args()) {
    if (!a.hasByValAttr()) continue;
    llvm::Type* type = a.getParamByValType();
    llvm::AllocaInst* own = build.CreateAlloca(type, nullptr, a.getName());
    own->setAlignment(a.getParamAlign().valueOrOne());
    a.replaceAllUsesWith(own);
    build.CreateMemCpy(own, own->getAlign(), &a, a.getParamAlign(), layout.getTypeAllocSize(type).getFixedValue());
  }
  const auto promote = [&] {
    managers.fam.clear();
    llvm::FunctionPassManager pass;
    pass.addPass(llvm::PromotePass());
    pass.run(kernel, managers.fam);
  };
  promote();
  llvm::EliminateUnreachableBlocks(kernel);
  follow_lives(module, kernel);
  promote();
  drop_decided_lives(kernel);
}

}  // namespace fencepost::clangfe
