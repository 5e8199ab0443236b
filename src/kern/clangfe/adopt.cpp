// A library's code in LLVM's form, before and after calls are put in place (toolkit.h).
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include <set>

#include "clangfe/lowering.h"
#include "clangfe/toolkit.h"

namespace fencepost::clangfe {
namespace {

// What lower_cuda knows by these names. Atomic functions are known by their beginning.
const std::set<std::string> k_known = {"__threadfence",
                                       "__threadfence_block",
                                       "__threadfence_system",
                                       "__syncwarp",
                                       "__syncthreads_count",
                                       "__syncthreads_and",
                                       "__syncthreads_or",
                                       "__shfl",
                                       "__shfl_up",
                                       "__shfl_down",
                                       "__shfl_xor",
                                       "__shfl_sync",
                                       "__shfl_up_sync",
                                       "__shfl_down_sync",
                                       "__shfl_xor_sync",
                                       "__any",
                                       "__all",
                                       "__ballot",
                                       "__any_sync",
                                       "__all_sync",
                                       "__ballot_sync",
                                       "__match_any_sync",
                                       "__reduce_add_sync",
                                       "__reduce_min_sync",
                                       "__reduce_max_sync",
                                       "__reduce_and_sync",
                                       "__reduce_or_sync",
                                       "__reduce_xor_sync",
                                       "__activemask",
                                       "__nanosleep",
                                       "clock",
                                       "clock64",
                                       "__assert_fail",
                                       "__cvta_generic_to_shared",
                                       "__pipeline_memcpy_async",
                                       "__pipeline_commit",
                                       "__pipeline_wait_prior"};

bool atomic_name(const std::string& name) {
  for (const char* op : {"Add", "Sub", "Exch", "Min", "Max", "Inc", "Dec", "CAS", "And", "Or", "Xor"})
    for (const char* scope : {"", "_block", "_system"})
      if (name == std::string("atomic") + op + scope) return true;
  return false;
}

// Numbers and pointers alone: structures (__half2) have bodies that say what becomes of their parts.
bool of_scalars(const llvm::Function& f) {
  const auto scalar = [](const llvm::Type* t) { return t->isIntegerTy() || t->isFloatTy() || t->isDoubleTy(); };
  if (!f.getReturnType()->isVoidTy() && !scalar(f.getReturnType())) return false;
  return std::all_of(f.arg_begin(), f.arg_end(), [&](const llvm::Argument& a) {
    return scalar(a.getType()) || (a.getType()->isPointerTy() && !a.hasByValAttr() && !a.hasStructRetAttr());
  });
}

// The mangled name is of basic types and pointers to them: `6__half` is none.
bool of_basic_types(const std::string& parameters) {
  return std::none_of(parameters.begin(), parameters.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The barrier of a grid spins on memory of the driver, which a kernel finds through registers of its environment. Tiles
// of several warps use shared memory that the driver reserves.
const char* grid_function(llvm::StringRef symbol) {
  if (!symbol.contains("18cooperative_groups")) return nullptr;
  if (symbol.contains("10grid_group4syncEv") || symbol.contains("7details4grid4syncE"))
    return "__fencepost_grid_barrier";
  if (symbol.contains("19reserved_shared_ptrEv")) return "__fencepost_reserved_shared";
  if (symbol.contains("18get_grid_workspaceEv")) return "__fencepost_any_pointer";
  if (symbol.contains("4grid14barrier_arrive")) return "grid_group::barrier_arrive";
  if (symbol.contains("4grid12barrier_wait")) return "grid_group::barrier_wait";
  return nullptr;
}

void take_body(llvm::Function& f, const char* name) {
  f.deleteBody();
  f.setComdat(nullptr);
  f.setLinkage(llvm::GlobalValue::ExternalLinkage);
  f.setSubprogram(nullptr);
  if (name != nullptr) f.setName(name);
}

bool is_trap(const llvm::Instruction& i) {
  const auto* c = llvm::dyn_cast<llvm::CallInst>(&i);
  const auto* a = c != nullptr ? llvm::dyn_cast<llvm::InlineAsm>(c->getCalledOperand()) : nullptr;
  return a != nullptr && llvm::StringRef(a->getAsmString()).trim(" \t\n;") == "trap";
}

// A read past the caches that are not coherent is a read.
bool is_cached_read(const llvm::IntrinsicInst& i) {
  switch (i.getIntrinsicID()) {
    case llvm::Intrinsic::nvvm_ldg_global_i:
    case llvm::Intrinsic::nvvm_ldg_global_f:
    case llvm::Intrinsic::nvvm_ldg_global_p:
    case llvm::Intrinsic::nvvm_ldu_global_i:
    case llvm::Intrinsic::nvvm_ldu_global_f:
    case llvm::Intrinsic::nvvm_ldu_global_p:
      return true;
    default:
      return false;
  }
}

void plain_instructions(llvm::Function& f) {
  std::vector<llvm::Instruction*> traps;
  std::vector<llvm::IntrinsicInst*> reads;
  for (llvm::BasicBlock& b : f)
    for (llvm::Instruction& i : b) {
      if (is_trap(i)) traps.push_back(&i);
      if (auto* n = llvm::dyn_cast<llvm::IntrinsicInst>(&i); n != nullptr && is_cached_read(*n)) reads.push_back(n);
    }
  for (llvm::IntrinsicInst* r : reads) {
    llvm::IRBuilder<> build(r);
    llvm::LoadInst* load = build.CreateLoad(r->getType(), r->getArgOperand(0));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(r->getContext(), std::nullopt));
    r->replaceAllUsesWith(load);
    r->eraseFromParent();
  }
  // The thread ends there. A block is cut behind its first trap.
  std::set<llvm::BasicBlock*> cut;
  for (llvm::Instruction* t : traps)
    if (cut.insert(t->getParent()).second) llvm::changeToUnreachable(t);
}

// 3: shared, 5: local, 1: global, 4: constant; none: it is not known.
std::optional<unsigned> space_of(const llvm::Value* pointer) {
  llvm::SmallVector<const llvm::Value*, 4> objects;
  llvm::getUnderlyingObjects(pointer, objects);
  std::optional<unsigned> space;
  for (const llvm::Value* o : objects) {
    std::optional<unsigned> mine;
    if (llvm::isa<llvm::AllocaInst>(o)) {
      mine = 5;
    } else if (const auto* g = llvm::dyn_cast<llvm::GlobalVariable>(o)) {
      mine = g->getAddressSpace() == 0 ? 1 : g->getAddressSpace();
    } else if (const auto* a = llvm::dyn_cast<llvm::Argument>(o)) {
      // Of a kernel: functions that are called were put in the place of their calls.
      if (!a->hasByValAttr() && a->getParent()->use_empty()) mine = 1;
    } else if (const auto* l = llvm::dyn_cast<llvm::LoadInst>(o)) {
      // The host gives no address of a thread's own memory.
      const auto* from = llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(l->getPointerOperand()));
      if (from != nullptr && from->hasByValAttr()) mine = 1;
    }
    if (!mine || (space && *space != *mine)) return std::nullopt;
    space = mine;
  }
  return space;
}

std::optional<bool> is_in_space(const llvm::IntrinsicInst& i) {
  unsigned asked = 0;
  switch (i.getIntrinsicID()) {
    case llvm::Intrinsic::nvvm_isspacep_local:
      asked = 5;
      break;
    case llvm::Intrinsic::nvvm_isspacep_shared:
      asked = 3;
      break;
    case llvm::Intrinsic::nvvm_isspacep_global:
      asked = 1;
      break;
    case llvm::Intrinsic::nvvm_isspacep_const:
      asked = 4;
      break;
    default:
      return std::nullopt;
  }
  const auto space = space_of(i.getArgOperand(0));
  return space ? std::optional(*space == asked) : std::nullopt;
}

// The number that an instruction always gives.
llvm::Constant* constant_result(llvm::Instruction& i, const llvm::DataLayout& layout) {
  if (!i.getType()->isIntegerTy() || i.getType()->getIntegerBitWidth() > 64) return nullptr;
  if (auto* p = llvm::dyn_cast<llvm::PHINode>(&i)) {
    auto* first = llvm::dyn_cast<llvm::ConstantInt>(p->getIncomingValue(0));
    for (const llvm::Value* v : p->incoming_values())
      if (v != first) return nullptr;
    return first;
  }
  if (const auto* n = llvm::dyn_cast<llvm::IntrinsicInst>(&i)) {
    if (const auto known = is_in_space(*n)) return llvm::ConstantInt::get(i.getType(), *known ? 1 : 0);
    return nullptr;
  }
  if (!llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::CmpInst, llvm::SelectInst>(i)) return nullptr;
  for (const llvm::Value* o : i.operands())
    if (!llvm::isa<llvm::ConstantInt>(o)) return nullptr;
  return llvm::dyn_cast_or_null<llvm::ConstantInt>(llvm::ConstantFoldInstruction(&i, layout));
}

// Structures that are taken apart again, and parts that nobody takes: an address that an object keeps and does not use
// is none of the code's then. Reads stay.
bool drop_idle_parts(llvm::Function& f, const llvm::DataLayout& layout) {
  bool changed = false;
  for (llvm::BasicBlock& b : f)
    for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::reverse(b))) {
      if (auto* x = llvm::dyn_cast<llvm::ExtractValueInst>(&i))
        if (llvm::Value* v =
                llvm::simplifyExtractValueInst(x->getAggregateOperand(), x->getIndices(), llvm::SimplifyQuery(layout)))
          i.replaceAllUsesWith(v);
      if (!i.use_empty() || !llvm::isa<llvm::ExtractValueInst, llvm::InsertValueInst, llvm::PHINode, llvm::CastInst,
                                       llvm::GetElementPtrInst, llvm::FreezeInst>(i))
        continue;
      i.eraseFromParent();
      changed = true;
    }
  return changed;
}

}  // namespace

void adopt(LlvmModule& m) {
  std::vector<llvm::Function*> all;
  for (llvm::Function& f : *m.module) all.push_back(&f);
  for (llvm::Function* f : all) {
    if (f->isDeclaration()) continue;
    const llvm::DISubprogram* said = f->getSubprogram();
    const bool library = said != nullptr && said->getFile() != nullptr && of_library(m, path_of(*said->getFile()));
    if (!library) {
      plain_instructions(*f);
      continue;
    }
    if (const char* name = grid_function(f->getName())) {
      take_body(*f, name);
      continue;
    }
    const Demangled d = demangle(f->getName());
    const bool global = !f->getName().starts_with("_ZN");
    if (global && of_scalars(*f) && (k_known.contains(d.base) || (atomic_name(d.base) && of_basic_types(d.parameters))))
      take_body(*f, nullptr);
    else
      plain_instructions(*f);
  }
}

bool settle(llvm::Function& f) {
  const llvm::DataLayout& layout = f.getParent()->getDataLayout();
  bool changed = false;
  for (bool again = true; again; changed = changed || again) {
    again = false;
    for (llvm::BasicBlock& b : f)
      for (llvm::Instruction& i : llvm::make_early_inc_range(b))
        if (llvm::Constant* c = constant_result(i, layout)) {
          i.replaceAllUsesWith(c);
          i.eraseFromParent();
          again = true;
        }
    again = drop_idle_parts(f, layout) || again;
    bool cut = false;
    for (llvm::BasicBlock& b : f) cut = llvm::ConstantFoldTerminator(&b, true) || cut;
    if (cut) llvm::EliminateUnreachableBlocks(f);
    again = again || cut;
  }
  return changed;
}

}  // namespace fencepost::clangfe
