// Loops that do nothing but try an mbarrier until it says yes: `while (!ok) ok = test_wait(...)`, or a label and a jump
// in inline PTX, as in the headers of libcu++ and CUTLASS. They become one wait, "mbarrier.wait", behind which the
// phase that was waited for is complete (prove/mbarriers.h). A try that is not looped on stays a try: it orders
// nothing.
//
// A loop is one if
//  - it has one such try, for the same phase of the same mbarrier in each round, and no other access, call or value
//    that is used behind it;
//  - it goes on for ever while the try says no: found by going through it with that answer, from the values that it
//    begins with, until it comes back to its header with the same ones. So whoever has left it has had a yes;
//  - with a yes in the first round it is left, by a way that is known.
// Lost: to look for the shape of the blocks. Users write it with a flag, with `do`, with jumps, and with a pause.
#include "clangfe/spins.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/assembly.h"

namespace fencepost::clangfe {
namespace {

llvm::StringRef callee(const llvm::Instruction& i) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
  return call != nullptr && call->getCalledFunction() != nullptr ? call->getCalledFunction()->getName() : "";
}

bool begins(llvm::StringRef name, std::string_view kind) {
  return name.starts_with(std::string(ir::k_assembly) + std::string(kind));
}

class Spin {
 public:
  explicit Spin(llvm::Loop& loop) : loop_(loop) {}

  // False: it is none, and nothing was changed.
  bool collapse() {
    llvm::BasicBlock* before = loop_.getLoopPredecessor();
    if (before == nullptr || !loop_.getSubLoops().empty() || !parts()) return false;
    if (way(before, false) || ended_) return false;
    const auto out = way(before, true);
    if (!out) return false;
    replace(before, (*out)[out->size() - 2], out->back());
    return true;
  }

 private:
  using Values = std::map<const llvm::Value*, llvm::Constant*>;

  bool inside(const llvm::Instruction& i) const { return loop_.contains(i.getParent()); }

  // Nothing but a number or a pointer of another (lower_async.cpp).
  static bool makes_address(llvm::StringRef name) {
    return name == "__cvta_generic_to_shared" || name == "__nvvm_get_smem_pointer" ||
           name.starts_with("__fencepost_address.");
  }

  // The same in each round.
  bool stays(const llvm::Value* v) const {
    const auto* i = llvm::dyn_cast<llvm::Instruction>(v);
    if (i == nullptr || !inside(*i)) return true;
    if (llvm::isa<llvm::PHINode>(i)) return false;
    if (!makes_address(callee(*i)) && (i->mayReadOrWriteMemory() || llvm::isa<llvm::CallBase>(i))) return false;
    return std::all_of(i->op_begin(), i->op_end(), [&](const llvm::Use& u) { return stays(u.get()); });
  }

  bool parts() {
    for (llvm::BasicBlock* b : loop_.blocks())
      for (llvm::Instruction& i : *b) {
        const auto behind = [&](const llvm::User* u) {
          const auto* user = llvm::dyn_cast<llvm::Instruction>(u);
          return user != nullptr && !inside(*user);
        };
        if (std::any_of(i.user_begin(), i.user_end(), behind)) return false;
        if (!part(i)) return false;
      }
    return try_ != nullptr && yes_ != nullptr && touch_ != nullptr && yes_->getType()->isIntegerTy(1) &&
           try_->getParent() == yes_->getParent() && try_->comesBefore(yes_) &&
           touch_->getParent() == try_->getParent();
  }

  bool part(llvm::Instruction& i) {
    if (llvm::isa<llvm::DbgInfoIntrinsic>(i)) return true;
    auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
    if (call == nullptr) return !i.mayReadOrWriteMemory();
    if (call->isInlineAsm()) {
      const auto& text = llvm::cast<llvm::InlineAsm>(call->getCalledOperand())->getAsmString();
      if (touch_ != nullptr || !llvm::StringRef(text).starts_with("atom.relaxed.cta.exch.b64")) return false;
      touch_ = call;
      return stays(call->getArgOperand(0));
    }
    const llvm::StringRef name = callee(i);
    if (begins(name, "value mbarrier.answer ")) return std::exchange(yes_, call) == nullptr;
    if (begins(name, "value ") || makes_address(name) || name.contains("nanosleep")) return true;
    if (!begins(name, "barrier mbarrier.try_wait ") && !begins(name, "barrier mbarrier.test_wait ")) return false;
    const bool known = name.ends_with(" parity") || name.ends_with(" token");
    return std::exchange(try_, call) == nullptr && known && stays(call->getArgOperand(0));
  }

  llvm::Constant* of(const llvm::Value* v, const Values& now) const {
    if (auto* c = llvm::dyn_cast<llvm::Constant>(const_cast<llvm::Value*>(v))) return c;
    const auto it = now.find(v);
    return it == now.end() ? nullptr : it->second;
  }

  llvm::Constant* computed(llvm::Instruction& i, const Values& now, bool yes) const {
    if (&i == yes_) return llvm::ConstantInt::getBool(i.getContext(), yes);
    if (const auto* s = llvm::dyn_cast<llvm::SelectInst>(&i)) {
      const auto* c = llvm::dyn_cast_or_null<llvm::ConstantInt>(of(s->getCondition(), now));
      return c == nullptr ? nullptr : of(c->isZero() ? s->getFalseValue() : s->getTrueValue(), now);
    }
    if (const auto* z = llvm::dyn_cast<llvm::FreezeInst>(&i)) return of(z->getOperand(0), now);
    if (!llvm::isa<llvm::BinaryOperator, llvm::CmpInst, llvm::CastInst>(i)) return nullptr;
    std::vector<llvm::Constant*> operands;
    for (const llvm::Use& u : i.operands()) {
      operands.push_back(of(u.get(), now));
      if (operands.back() == nullptr) return nullptr;
    }
    const llvm::DataLayout& layout = i.getModule()->getDataLayout();
    if (const auto* c = llvm::dyn_cast<llvm::CmpInst>(&i))
      return llvm::ConstantFoldCompareInstOperands(c->getPredicate(), operands[0], operands[1], layout);
    llvm::Constant* r = llvm::ConstantFoldInstOperands(&i, operands, layout);
    return r == nullptr || llvm::isa<llvm::UndefValue>(r) ? nullptr : r;
  }

  // The blocks that are gone through, if each answer is this one, up to the first behind the loop. None: it goes on for
  // ever, or (`ended_`) it is not known which way it goes.
  std::optional<std::vector<llvm::BasicBlock*>> way(llvm::BasicBlock* before, bool yes) {
    ended_ = false;
    std::vector<llvm::BasicBlock*> blocks;
    std::set<std::vector<llvm::Constant*>> seen;
    Values now;
    llvm::BasicBlock *from = before, *at = loop_.getHeader();
    for (unsigned steps = 0; steps < 256; ++steps) {
      Values entered = now;
      std::vector<llvm::Constant*> state;
      for (const llvm::PHINode& p : at->phis()) {
        llvm::Constant* c = of(p.getIncomingValueForBlock(from), now);
        entered[&p] = c;
        state.push_back(c);
      }
      now = std::move(entered);
      if (at == loop_.getHeader() && !seen.insert(state).second) return std::nullopt;
      blocks.push_back(at);
      for (llvm::Instruction& i : *at)
        if (!llvm::isa<llvm::PHINode>(i) && !i.isTerminator()) now[&i] = computed(i, now, yes);
      const auto* jump = llvm::dyn_cast<llvm::BranchInst>(at->getTerminator());
      llvm::BasicBlock* to = nullptr;
      if (jump != nullptr && jump->isUnconditional()) {
        to = jump->getSuccessor(0);
      } else if (jump != nullptr) {
        if (const auto* c = llvm::dyn_cast_or_null<llvm::ConstantInt>(of(jump->getCondition(), now)))
          to = jump->getSuccessor(c->isZero() ? 1 : 0);
      }
      if (to == nullptr) break;
      from = at;
      at = to;
      if (loop_.contains(at)) continue;
      blocks.push_back(at);
      return blocks;
    }
    ended_ = true;
    return std::nullopt;
  }

  // A copy of what stays the same in each round, and of values that are made up.
  llvm::Value* again(llvm::Value* v, llvm::BasicBlock* to) {
    auto* i = llvm::dyn_cast<llvm::Instruction>(v);
    if (i == nullptr || !inside(*i)) return v;
    llvm::Instruction* copy = i->clone();
    for (llvm::Use& u : copy->operands())
      if (!llvm::isa<llvm::Function>(u.get())) u.set(again(u.get(), to));
    copy->insertInto(to, to->end());
    return copy;
  }

  // One wait in place of the loop, which ends where it is left.
  void replace(llvm::BasicBlock* before, llvm::BasicBlock* last, llvm::BasicBlock* behind) {
    llvm::Module& m = *try_->getModule();
    llvm::BasicBlock* header = loop_.getHeader();
    llvm::BasicBlock* wait = llvm::BasicBlock::Create(m.getContext(), "", header->getParent(), header);
    const bool parity = callee(*try_).ends_with(" parity");
    const std::string name = std::string(ir::k_assembly) + "barrier mbarrier.wait" + (parity ? " parity" : " token");
    try_->setCalledFunction(m.getOrInsertFunction(name, try_->getFunctionType()));
    again(try_, wait);
    again(touch_, wait);
    llvm::BranchInst::Create(behind, wait)->setDebugLoc(try_->getDebugLoc());
    for (llvm::PHINode& p : behind->phis()) p.addIncoming(p.getIncomingValueForBlock(last), wait);
    before->getTerminator()->replaceSuccessorWith(header, wait);
  }

  llvm::Loop& loop_;
  llvm::CallInst *try_ = nullptr, *yes_ = nullptr, *touch_ = nullptr;
  bool ended_ = false;
};

}  // namespace

bool collapse_spins(llvm::Function& f) {
  bool changed = false;
  for (bool more = true; more;) {
    more = false;
    const llvm::DominatorTree tree(f);
    const llvm::LoopInfo loops(tree);
    for (llvm::Loop* l : loops.getLoopsInPreorder())
      if (Spin(*l).collapse()) {
        more = changed = true;
        llvm::EliminateUnreachableBlocks(f);
        break;
      }
  }
  return changed;
}

}  // namespace fencepost::clangfe
