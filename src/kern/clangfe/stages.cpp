// Loops around barrier objects in shared memory (mbarriers), made easier to read for the prover (prove/rings.h).
//
//  - A short loop that initialises objects, or arrives at them, is written out: `for (s = 0; s < 4; ++s) init(&full[s],
//    1)`. So is one that waits too, if another one is longer: it fills the first stages of that one.
//  - A number of the header that comes round, `if (++stage == 3) { stage = 0; phase ^= 1; }`, becomes a function of the
//    count of iterations: `c % 3` and `(c / 3) & 1`. It is found by going through the iterations with the numbers that
//    the loop begins with, until they come again, as long as nothing but such numbers decides what they become.
// Only functions that use such objects are changed.
// Lost: to look for the shape of the update. It is written with a branch, `?:`, a structure of its own (CUTLASS) and
// with the reset in front.
#include "clangfe/stages.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SCCP.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/assembly.h"

namespace fencepost::clangfe {
namespace {

constexpr unsigned k_written_out = 8, k_longest = 64;

// The instruction of an mbarrier that the call stands for; "": of none.
llvm::StringRef mbarrier(const llvm::Instruction& i) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
  if (call == nullptr || call->getCalledFunction() == nullptr) return "";
  llvm::StringRef name = call->getCalledFunction()->getName();
  return name.consume_front(std::string(ir::k_assembly) + "barrier mbarrier.") ? name : "";
}

bool waits(llvm::StringRef name) {
  return name.starts_with("wait") || name.starts_with("try_wait") || name.starts_with("test_wait");
}

// A loop outside of others that uses mbarriers.
struct Around {
  llvm::Loop* loop = nullptr;
  bool waits = false, is_short = false;
};

std::vector<Around> around(llvm::Function& f, llvm::FunctionAnalysisManager& analyses) {
  auto& scev = analyses.getResult<llvm::ScalarEvolutionAnalysis>(f);
  std::vector<Around> list;
  for (llvm::Loop* l : analyses.getResult<llvm::LoopAnalysis>(f).getLoopsInPreorder()) {
    l->setLoopID(nullptr);
    Around a{l};
    bool uses = false, others = !l->isOutermost() || !l->isInnermost();
    for (const llvm::BasicBlock* b : l->blocks())
      for (const llvm::Instruction& i : *b) {
        const llvm::StringRef name = mbarrier(i);
        uses = uses || !name.empty();
        a.waits = a.waits || waits(name);
        others = others || name.starts_with("arrive_and_wait");
      }
    const unsigned trips = scev.getSmallConstantTripCount(l);
    a.is_short = !others && trips != 0 && trips <= k_written_out + 1;
    if (uses) list.push_back(a);
  }
  return list;
}

// Loops that are written out get the mark of the pass that does it, and no other has one. One that waits is what fills
// the first stages of another one.
void write_out(llvm::Function& f, llvm::FunctionAnalysisManager& analyses) {
  const std::vector<Around> loops = around(f, analyses);
  const bool longer = std::ranges::any_of(loops, [](const Around& a) { return !a.is_short; });
  bool any = false;
  for (const Around& a : loops) {
    if (!a.is_short || (a.waits && !longer)) continue;
    llvm::addStringMetadataToLoop(a.loop, "llvm.loop.unroll.full", 1);
    any = true;
  }
  if (!any) return;
  llvm::FunctionPassManager pass;
  pass.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(2, true)));
  pass.addPass(llvm::SCCPPass());
  pass.run(f, analyses);
  llvm::EliminateUnreachableBlocks(f);
}

class Rounds {
 public:
  Rounds(llvm::Loop& loop, const llvm::LoopInfo& loops, const llvm::DominatorTree& tree)
      : loop_(loop), loops_(loops), tree_(tree), before_(loop.getLoopPredecessor()), latch_(loop.getLoopLatch()) {}

  // False: nothing comes round, and nothing was changed.
  bool number() {
    if (before_ == nullptr || latch_ == nullptr) return false;
    for (llvm::PHINode& p : loop_.getHeader()->phis())
      if (p.getNumIncomingValues() == 2 && p.getType()->isIntegerTy() && p.getType()->getIntegerBitWidth() <= 64 &&
          start(p) != nullptr)
        phis_.push_back(&p);
    // Those that hang on anything else go, and then those that hang on them.
    for (bool again = true; again && !phis_.empty();) again = !follow();
    bool changed = false;
    for (llvm::PHINode* p : phis_) changed = replace(*p) || changed;
    return changed;
  }

 private:
  using Values = std::map<const llvm::Value*, llvm::Constant*>;

  llvm::Constant* of(llvm::Value* v, Values& now, unsigned depth = 0) const {
    if (auto* c = llvm::dyn_cast<llvm::Constant>(v)) return llvm::isa<llvm::ConstantInt>(c) ? c : nullptr;
    if (const auto it = now.find(v); it != now.end()) return it->second;
    auto* i = llvm::dyn_cast<llvm::Instruction>(v);
    llvm::Constant* c = i == nullptr || depth > 100 ? nullptr : made(*i, now, depth + 1);
    if (c != nullptr && !llvm::isa<llvm::ConstantInt>(c)) c = nullptr;
    now[v] = c;
    return c;
  }

  // What the loop begins with; parts of a structure may be made of constants bit by bit.
  llvm::Constant* start(llvm::PHINode& p) const {
    Values none;
    return of(p.getIncomingValueForBlock(before_), none);
  }

  llvm::Constant* made(llvm::Instruction& i, Values& now, unsigned depth) const {
    const bool outside = !loop_.contains(i.getParent());
    if (!outside && loops_.getLoopFor(i.getParent()) != &loop_) return nullptr;
    if (auto* p = llvm::dyn_cast<llvm::PHINode>(&i)) {
      if (outside) return p->getNumIncomingValues() == 1 ? of(p->getIncomingValue(0), now, depth) : nullptr;
      const llvm::BasicBlock* from = came_from(p->getParent(), now, depth);
      return from == nullptr ? nullptr : of(p->getIncomingValueForBlock(from), now, depth);
    }
    if (auto* s = llvm::dyn_cast<llvm::SelectInst>(&i)) {
      const auto* c = llvm::dyn_cast_or_null<llvm::ConstantInt>(of(s->getCondition(), now, depth));
      return c == nullptr ? nullptr : of(c->isZero() ? s->getFalseValue() : s->getTrueValue(), now, depth);
    }
    if (auto* z = llvm::dyn_cast<llvm::FreezeInst>(&i)) return of(z->getOperand(0), now, depth);
    // Of a structure that a function gave.
    if (auto* e = llvm::dyn_cast<llvm::ExtractValueInst>(&i)) {
      llvm::Value* part = llvm::FindInsertedValue(e->getAggregateOperand(), e->getIndices());
      return part == nullptr || part == e ? nullptr : of(part, now, depth);
    }
    if (!llvm::isa<llvm::BinaryOperator, llvm::CmpInst, llvm::CastInst>(i)) return nullptr;
    std::vector<llvm::Constant*> operands;
    for (llvm::Use& u : i.operands()) {
      operands.push_back(of(u.get(), now, depth));
      if (operands.back() == nullptr) return nullptr;
    }
    const llvm::DataLayout& layout = i.getModule()->getDataLayout();
    if (const auto* c = llvm::dyn_cast<llvm::CmpInst>(&i))
      return llvm::ConstantFoldCompareInstOperands(c->getPredicate(), operands[0], operands[1], layout);
    return llvm::ConstantFoldInstOperands(&i, operands, layout);
  }

  // By which block the thread has come to this one; none: something else decides it.
  const llvm::BasicBlock* came_from(const llvm::BasicBlock* to, Values& now, unsigned depth) const {
    if (to == loop_.getHeader()) return nullptr;
    const llvm::BasicBlock* at = tree_.getNode(to)->getIDom()->getBlock();
    for (unsigned steps = 0; steps < 64 && loops_.getLoopFor(at) == &loop_; ++steps) {
      const auto* jump = llvm::dyn_cast<llvm::BranchInst>(at->getTerminator());
      if (jump == nullptr) return nullptr;
      const llvm::BasicBlock* next = jump->getSuccessor(0);
      if (jump->isConditional()) {
        const auto* c = llvm::dyn_cast_or_null<llvm::ConstantInt>(of(jump->getCondition(), now, depth));
        if (c == nullptr) return nullptr;
        next = jump->getSuccessor(c->isZero() ? 1 : 0);
      }
      if (next == to) return at;
      if (next == loop_.getHeader()) return nullptr;
      at = next;
    }
    return nullptr;
  }

  // Goes through the iterations. False: some number was dropped.
  bool follow() {
    lists_.clear();
    std::vector<llvm::Constant*> state, first;
    for (llvm::PHINode* p : phis_) first.push_back(start(*p));
    state = first;
    for (unsigned k = 0; k <= k_longest * 2; ++k) {
      if (k != 0 && state == first) return true;
      Values now;
      for (size_t n = 0; n < phis_.size(); ++n) {
        now[phis_[n]] = state[n];
        lists_[phis_[n]].push_back(llvm::cast<llvm::ConstantInt>(state[n])->getZExtValue());
      }
      for (size_t n = 0; n < phis_.size(); ++n) {
        state[n] = of(phis_[n]->getIncomingValueForBlock(latch_), now);
        if (state[n] != nullptr) continue;
        phis_.erase(phis_.begin() + static_cast<std::ptrdiff_t>(n));
        return false;
      }
    }
    // One that does not come round: the count of iterations itself, say.
    const auto counts = [&](llvm::PHINode* p) {
      const auto& list = lists_[p];
      return std::ranges::adjacent_find(list, [](uint64_t a, uint64_t b) { return b <= a; }) == list.end();
    };
    const auto gone = std::ranges::find_if(phis_, counts);
    phis_.erase(gone == phis_.end() ? phis_.begin() : gone);
    return false;
  }

  llvm::PHINode* counter() {
    if (counter_ != nullptr) return counter_;
    llvm::Type* wide = llvm::Type::getInt64Ty(loop_.getHeader()->getContext());
    counter_ = llvm::PHINode::Create(wide, 2, "iteration");
    counter_->insertBefore(loop_.getHeader()->begin());
    llvm::IRBuilder<> build(latch_->getTerminator());
    llvm::Value* next = build.CreateAdd(counter_, llvm::ConstantInt::get(wide, 1), "", true, true);
    counter_->addIncoming(llvm::ConstantInt::get(wide, 0), before_);
    counter_->addIncoming(next, latch_);
    return counter_;
  }

  bool replace(llvm::PHINode& p) {
    std::vector<uint64_t>& list = lists_[&p];
    // As short as it can be.
    for (size_t n = 1; n < list.size(); ++n) {
      if (list.size() % n != 0) continue;
      bool alike = true;
      for (size_t i = n; i < list.size(); ++i) alike = alike && list[i] == list[i - n];
      if (!alike) continue;
      list.resize(n);
      break;
    }
    const size_t size = list.size();
    if (size < 2 || size > k_longest) return false;
    const size_t shift = list[0];
    bool stage = true;
    for (size_t i = 0; i < size; ++i) stage = stage && list[i] == (i + shift) % size;
    llvm::Value* now = stage ? stage_of(p, size, shift) : phase_of(p, list);
    if (now == nullptr) return false;
    p.replaceAllUsesWith(now);
    p.eraseFromParent();
    return true;
  }

  llvm::Value* shifted(llvm::IRBuilder<>& build, size_t by) {
    llvm::Value* c = counter();
    return by == 0 ? c : build.CreateAdd(c, build.getInt64(by), "", true, true);
  }

  llvm::Value* stage_of(llvm::PHINode& p, size_t size, size_t shift) {
    llvm::IRBuilder<> build(&*loop_.getHeader()->getFirstInsertionPt());
    return build.CreateZExtOrTrunc(build.CreateURem(shifted(build, shift), build.getInt64(size)), p.getType());
  }

  // Two values, each of so many iterations one behind the other.
  llvm::Value* phase_of(llvm::PHINode& p, const std::vector<uint64_t>& list) {
    const size_t half = list.size() / 2;
    const auto change = std::ranges::find_if(list, [&](uint64_t v) { return v != list[0]; });
    const size_t run = static_cast<size_t>(change - list.begin());
    if (list.size() % 2 != 0 || run > half) return nullptr;
    const size_t shift = half - run;
    for (size_t i = 0; i < list.size(); ++i)
      if (list[i] != ((i + shift) / half % 2 == 0 ? list[0] : *change)) return nullptr;
    llvm::IRBuilder<> build(&*loop_.getHeader()->getFirstInsertionPt());
    llvm::Value* laps = build.CreateUDiv(shifted(build, shift), build.getInt64(half));
    llvm::Value* odd = build.CreateAnd(laps, build.getInt64(1));
    if (list[0] == 0 && *change == 1) return build.CreateZExtOrTrunc(odd, p.getType());
    if (list[0] == 1 && *change == 0)
      return build.CreateZExtOrTrunc(build.CreateXor(odd, build.getInt64(1)), p.getType());
    return build.CreateSelect(build.CreateICmpEQ(odd, build.getInt64(0)), llvm::ConstantInt::get(p.getType(), list[0]),
                              llvm::ConstantInt::get(p.getType(), *change));
  }

  llvm::Loop& loop_;
  const llvm::LoopInfo& loops_;
  const llvm::DominatorTree& tree_;
  llvm::BasicBlock *before_, *latch_;
  std::vector<llvm::PHINode*> phis_;
  std::map<const llvm::PHINode*, std::vector<uint64_t>> lists_;
  llvm::PHINode* counter_ = nullptr;
};

}  // namespace

bool number_stages(llvm::Function& f, llvm::FunctionAnalysisManager& analyses) {
  const auto uses = [](const llvm::BasicBlock& b) {
    return std::any_of(b.begin(), b.end(), [](const llvm::Instruction& i) { return !mbarrier(i).empty(); });
  };
  if (std::none_of(f.begin(), f.end(), uses)) return false;
  llvm::FunctionPassManager shape;
  shape.addPass(llvm::LoopSimplifyPass());
  shape.run(f, analyses);
  write_out(f, analyses);
  analyses.invalidate(f, llvm::PreservedAnalyses::none());
  const llvm::DominatorTree tree(f);
  const llvm::LoopInfo loops(tree);
  for (llvm::Loop* l : loops.getLoopsInPreorder()) {
    const auto in_blocks = l->blocks();
    if (std::any_of(in_blocks.begin(), in_blocks.end(), [&](const llvm::BasicBlock* b) { return uses(*b); }))
      Rounds(*l, loops, tree).number();
  }
  return true;
}

}  // namespace fencepost::clangfe
