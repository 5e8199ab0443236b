// Inline PTX as LLVM's instructions: statements, registers, predicates, labels and jumps. Done before promotion, so
// that registers become values. ptx_table.h says what each instruction is made of; what the table does not have is
// handed on alone, as inline PTX of one instruction, which lower_assembly() reads or refuses by its text.
//
// Laws
//  - A result that is computed is computed exactly, or is a function of the operands (lower_arithmetic.cpp).
//  - A result that is not known is any value. Runs of the interpreter that come to it show nothing (ir/assembly.h).
//  - An instruction that may access memory which its operands do not name (descriptors, tensor maps, other blocks of a
//    cluster), or whose accesses end when something else says so, is `unfollowed`: the kernel is read, and what the
//    proof finds or does not find beside it is not decided, by the name of the instruction.
//  - One that only makes threads wait, and so takes executions away, `waits`: what it orders is not used.
// Source: PTX ISA 9.7.
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <map>
#include <set>

#include "clangfe/assembly_operands.h"
#include "clangfe/lowering.h"
#include "clangfe/ptx_table.h"
#include "clangfe/ptx_text.h"
#include "ir/assembly.h"
#include "ir/async.h"

namespace fencepost::clangfe {
namespace {

constexpr const char* k_space = "fencepost.space";

class Expansion : AssemblyOperands {
 public:
  Expansion(llvm::CallInst* call, const std::vector<PtxStatement>& statements)
      : AssemblyOperands(call), statements_(statements) {}

  // False: nothing was changed.
  bool run() {
    if (!operands()) return false;
    for (const PtxStatement& s : statements_) {
      if (!s.label.empty() && !labels_.try_emplace(s.label, nullptr).second) return false;
      if (s.label.empty() && s.guard.empty() && s.parts.empty() && s.word != ".reg") return false;
    }
    for (const PtxStatement& s : statements_)
      if (is_jump(s) && (s.operands.size() != 1 || labels_.count(s.operands[0]) == 0)) return false;
    make_slots(statements_);
    llvm::BasicBlock* head = call_->getParent();
    llvm::BasicBlock* tail = head->splitBasicBlock(call_, "");
    head->getTerminator()->eraseFromParent();
    for (auto& [name, block] : labels_) block = llvm::BasicBlock::Create(context_, "", &f_, tail);
    b_.SetInsertPoint(head);
    b_.SetCurrentDebugLocation(call_->getDebugLoc());
    begin_tied();
    for (const PtxStatement& s : statements_) statement(s);
    b_.CreateBr(tail);
    b_.SetInsertPoint(call_);
    b_.SetCurrentDebugLocation(call_->getDebugLoc());
    hand_back();
    return true;
  }

 private:
  static bool is_jump(const PtxStatement& s) { return !s.parts.empty() && s.parts[0] == "bra"; }

  // ---- statements --------------------------------------------------------------------------------------------------

  void statement(const PtxStatement& s) {
    if (!s.label.empty()) {
      b_.CreateBr(labels_[s.label]);
      return at(labels_[s.label]);
    }
    if (s.word == ".reg") return;
    llvm::Value* guard = nullptr;
    if (!s.guard.empty()) {
      guard = width_at(s.guard) == 1 ? read(s.guard, 1) : nullptr;
      if (guard == nullptr) {  // refused by its text
        llvm::FunctionType* none = llvm::FunctionType::get(b_.getVoidTy(), false);
        b_.CreateCall(llvm::InlineAsm::get(none, s.text + ";", "", true), {});
        return;
      }
      if (s.unless) guard = b_.CreateNot(guard);
    }
    if (is_jump(s)) {
      llvm::BasicBlock* behind = fresh();
      if (guard != nullptr)
        b_.CreateCondBr(guard, labels_[s.operands[0]], behind);
      else
        b_.CreateBr(labels_[s.operands[0]]);
      return at(behind);
    }
    if (guard == nullptr) return instruction(s);
    llvm::BasicBlock *then = fresh(), *behind = fresh();
    b_.CreateCondBr(guard, then, behind);
    at(then);
    instruction(s);
    b_.CreateBr(behind);
    at(behind);
  }

  llvm::BasicBlock* fresh() { return llvm::BasicBlock::Create(context_, "", &f_, call_->getParent()); }
  void at(llvm::BasicBlock* block) {
    b_.SetInsertPoint(block);
    b_.SetCurrentDebugLocation(call_->getDebugLoc());
  }

  void instruction(const PtxStatement& s) {
    if (exact(s)) return;
    const auto does = row_of(s);
    if (!does || !by_row(s, *does)) alone(s);
  }

  bool by_row(const PtxStatement& s, Does does) {
    switch (does) {
      case Does::nothing:
        return true;
      case Does::meets:
        warp_comes();
        return true;
      case Does::value:
        return unknown_results(s, "value");
      case Does::map:
        return map(s);
      case Does::warp_value:
        warp_comes();
        return unknown_results(s, "value");
      case Does::waits:
        return unknown_results(s, "waits");
      case Does::unfollowed:
        if (s.has("aligned")) warp_comes();
        return unknown_results(s, "unfollowed");
      case Does::bulk_copy:
        return bulk_copy(s);
      case Does::bulk_commit:
        own_wait(ir::OwnCopies::bulk_commit, 0);
        return true;
      case Does::bulk_wait:
        return bulk_wait(s);
      case Does::proxy_fence:
        return proxy_fence(s);
      case Does::thread_copy:
        return thread_copy(s);
      case Does::load_matrix:
      case Does::store_matrix:
        return matrix(s, does == Does::load_matrix);
      case Does::barrier_state:
      case Does::barrier_plain:
        return barrier(s, does == Does::barrier_plain);
      case Does::elect:
        return elect(s);
      case Does::shuffle:
        return shuffle(s);
      case Does::reduce:
        return reduce(s);
      case Does::vote:
        return vote(s);
      case Does::active_mask:
        if (s.operands.size() != 1 || !can_write(s.operands[0])) return false;
        write(s.operands[0], call_of("_Z12__activemaskv", b_.getInt32Ty(), {}));
        return true;
      case Does::load:
        return load(s);
      case Does::store:
        return store(s);
      case Does::trap: {
        if (!s.operands.empty()) return false;
        b_.CreateIntrinsic(llvm::Intrinsic::trap, {}, {});
        b_.CreateUnreachable();
        at(fresh());
        return true;
      }
    }
    return false;
  }

  llvm::Value* made_up(const std::string& name, const char* kind, unsigned width) {
    return call_of(std::string(ir::k_assembly) + kind + " " + name + " " + std::to_string(width), b_.getIntNTy(width),
                   {});
  }
  void told(const std::string& name, const char* kind) {
    call_of(std::string(ir::k_assembly) + kind + " " + name, b_.getVoidTy(), {});
  }

  // Any values for what an instruction gives. Its results stand first, and are no addresses.
  bool unknown_results(const PtxStatement& s, const char* kind) {
    told(short_name(s), kind);
    if (s.operands.empty()) return true;
    for (const std::string& e : ptx_elements(s.operands[0]))
      if (const unsigned width = width_at(e); width != 0) write(e, made_up(short_name(s), "value", width));
    return true;
  }

  // All lanes of the warp come, or the instruction is not defined.
  void warp_comes() { call_of("_Z13__ballot_syncji", b_.getInt32Ty(), {b_.getInt32(0xffffffffu), b_.getInt32(1)}); }

  bool bulk_copy(const PtxStatement& s) {
    if (s.operands.size() < 3 || s.has_like("multicast")) {
      told(short_name(s), "unfollowed");
      return true;
    }
    llvm::Value *to = address(s.operands[0]), *from = address(s.operands[1]), *size = read(s.operands[2], 32);
    if (to == nullptr || from == nullptr || size == nullptr) return false;
    call_of("__fencepost_bulk_copy", b_.getVoidTy(), {to, from, size});
    if (s.has_like("mbarrier::complete_tx") && s.operands.size() > 3) {
      llvm::Value* state = address(s.operands[3]);
      if (state == nullptr) return false;
      static const std::set<std::string> k_plain = {"cp",
                                                    "async",
                                                    "bulk",
                                                    "shared::cluster",
                                                    "shared::cta",
                                                    "global",
                                                    "mbarrier::complete_tx::bytes",
                                                    "L2::cache_hint"};
      if (only(s, k_plain) && s.has("global"))
        barrier_use("cp.async.bulk bytes", {size});
      else
        barrier_use("cp.async.bulk other", {});
      touch(state);
    }
    told(short_name(s), "waits");
    return true;
  }

  void own_wait(ir::OwnCopies what, uint32_t pending) {
    call_of("__fencepost_own_wait", b_.getVoidTy(), {b_.getInt32(static_cast<uint32_t>(what)), b_.getInt32(pending)});
  }

  // That it waits is not used, but for the end of the kernel.
  bool bulk_wait(const PtxStatement& s) {
    auto* pending =
        s.operands.size() == 1 ? llvm::dyn_cast_or_null<llvm::ConstantInt>(read(s.operands[0], 32)) : nullptr;
    if (pending != nullptr) own_wait(ir::OwnCopies::bulk_wait, static_cast<uint32_t>(pending->getZExtValue()));
    return unknown_results(s, "waits");
  }

  // Of the space that it names, or of all.
  bool proxy_fence(const PtxStatement& s) {
    const bool global = s.has("global"), shared = s.has_like("shared");
    own_wait(ir::OwnCopies::proxy_fence, shared ? 1 : global ? 2 : 3);
    return true;
  }

  bool thread_copy(const PtxStatement& s) {
    const bool copy = (s.has("ca") || s.has("cg")) && (s.has("shared") || s.has("shared::cta")) && s.has("global");
    if (!copy) return false;
    static const std::set<std::string> k_parts = {"cp", "async", "ca", "cg", "shared", "shared::cta", "global"};
    for (const std::string& p : s.parts)
      if (k_parts.count(p) == 0 && !p.starts_with("L2::") && !p.starts_with("level::")) return false;
    const size_t most = s.has("L2::cache_hint") ? 5 : 4;
    if (s.operands.size() < 3 || s.operands.size() > most) return false;
    llvm::Value *to = address(s.operands[0]), *from = address(s.operands[1]);
    auto* bytes = llvm::dyn_cast_or_null<llvm::ConstantInt>(read(s.operands[2], 32));
    if (to == nullptr || from == nullptr || bytes == nullptr) return false;
    const uint64_t n = bytes->getZExtValue();
    if (n != 4 && n != 8 && n != 16) return false;
    // So many bytes are read and the others are zero, or a predicate says that all are.
    if (s.operands.size() == (s.has("L2::cache_hint") ? 5u : 4u)) {
      const std::string& fill = s.operands[3];
      const bool ignores = width_at(fill) == 1 || fill.starts_with("!");
      llvm::Value* size = read(fill, ignores ? 1 : 32);
      if (size == nullptr) return false;
      llvm::Value* none = ignores ? size : b_.CreateICmpEQ(size, b_.getInt32(0));
      from = b_.CreateSelect(none, zeros(), from);
      if (!ignores && !llvm::isa<llvm::ConstantInt>(size)) told("cp.async of some bytes", "value");
    }
    call_of("__fencepost_async_copy", b_.getVoidTy(), {to, from, b_.getInt64(n)});
    return true;
  }

  // Sixteen bytes of the thread's own that are zero.
  llvm::Value* zeros() {
    llvm::IRBuilder<> entry(&f_.getEntryBlock(), f_.getEntryBlock().getFirstInsertionPt());
    llvm::AllocaInst* own = entry.CreateAlloca(llvm::ArrayType::get(entry.getInt32Ty(), 4));
    b_.CreateMemSet(own, b_.getInt8(0), 16, llvm::MaybeAlign(4));
    return own;
  }

  llvm::Value* vector_of(unsigned n, unsigned width, const std::string& name) {
    llvm::Value* v = llvm::PoisonValue::get(llvm::FixedVectorType::get(b_.getIntNTy(width), n));
    for (unsigned k = 0; k < n; ++k) v = b_.CreateInsertElement(v, made_up(name, "value", width), k);
    return v;
  }

  // A matrix has rows of 16 bytes, 8 of them or 16. The first lanes give the address of one each.
  bool matrix(const PtxStatement& s, bool loads) {
    const bool wide = s.has("m16n16") && s.has("b8"), small = s.has("m8n8") && s.has("b16");
    const uint32_t rows = (s.has("x1") ? 8 : s.has("x2") ? 16 : s.has("x4") ? 32 : 0) * (wide ? 2 : 1);
    if (rows == 0 || rows > 32 || !(wide || small) || s.operands.size() != 2 || s.has_like("shared::cluster"))
      return false;
    const std::string& place = s.operands[loads ? 1 : 0];
    llvm::Value* row = address(place);
    if (row == nullptr) return false;
    warp_comes();
    llvm::BasicBlock *then = fresh(), *behind = fresh();
    llvm::Value* lane = b_.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_laneid, {}, {});
    b_.CreateCondBr(rows == 32 ? b_.getTrue() : b_.CreateICmpULT(lane, b_.getInt32(rows)), then, behind);
    at(then);
    llvm::Type* four = llvm::FixedVectorType::get(b_.getInt32Ty(), 4);
    if (loads)
      b_.CreateAlignedLoad(four, row, llvm::Align(16));
    else
      b_.CreateAlignedStore(vector_of(4, 32, short_name(s)), row, llvm::Align(16));
    b_.CreateBr(behind);
    at(behind);
    return !loads || unknown_results(s, "value");
  }

  // An mbarrier is used: by which instruction, and a word and numbers for the prover (prove/mbarriers.cpp). Its state
  // is accessed next.
  void barrier_use(const std::string& what, llvm::ArrayRef<llvm::Value*> numbers) {
    call_of(std::string(ir::k_assembly) + "barrier " + what, b_.getVoidTy(), numbers);
  }

  static bool only(const PtxStatement& s, const std::set<std::string>& words) {
    return std::all_of(s.parts.begin(), s.parts.end(), [&](const std::string& p) { return words.count(p) != 0; });
  }

  // What can be told of it; the rest goes by the instruction's name.
  void barrier_use(const PtxStatement& s, llvm::Value* token) {
    static const std::set<std::string> k_expect = {"mbarrier", "arrive", "expect_tx",   "release",
                                                   "cta",      "shared", "shared::cta", "b64"};
    static const std::set<std::string> k_init = {"mbarrier", "init", "shared", "shared::cta", "b64"};
    static const std::set<std::string> k_arrive = {"mbarrier", "arrive",      "release", "cta",
                                                   "shared",   "shared::cta", "b64"};
    static const std::set<std::string> k_wait = {"mbarrier", "try_wait", "test_wait", "parity",     "acquire",
                                                 "cta",      "shared",   "b64",       "shared::cta"};
    const size_t n = s.operands.size();
    const size_t place = n > 0 && s.operands[0].starts_with("[") ? 0 : 1;
    if (only(s, k_init) && n == 2) {
      if (llvm::Value* count = read(s.operands[1], 32); count != nullptr) return barrier_use("mbarrier.init", {count});
    } else if (only(s, k_arrive) && (n == place + 1 || n == place + 2)) {
      llvm::Value* count = n == place + 1 ? b_.getInt32(1) : read(s.operands[place + 1], 32);
      if (count != nullptr) return barrier_use("mbarrier.arrive", {count, token});
    } else if (only(s, k_expect) && s.has("arrive") && n == place + 2) {
      if (llvm::Value* bytes = read(s.operands[place + 1], 32); bytes != nullptr)
        return barrier_use("mbarrier.arrive expecting", {b_.getInt32(1), token, bytes});
    } else if (only(s, k_wait) && (n == 3 || n == 4)) {
      const bool parity = s.has("parity");
      if (llvm::Value* of = read(s.operands[2], parity ? 32 : 64); of != nullptr)
        return barrier_use(short_name(s) + (parity ? " parity" : " token"), {of});
    }
    barrier_use(short_name(s) + " other", {});
  }

  // The state of an mbarrier is read and written, as by an atomic operation that orders nothing.
  void touch(llvm::Value* state) {
    llvm::Type* type = b_.getInt64Ty();
    llvm::FunctionType* as = llvm::FunctionType::get(type, {b_.getPtrTy(), type}, false);
    b_.CreateCall(llvm::InlineAsm::get(as, "atom.relaxed.cta.exch.b64 $0, [$1], $2;", "=l,l,l", true),
                  {state, made_up("mbarrier", "value", 64)});
  }

  bool barrier(const PtxStatement& s, bool plain) {
    if (s.has("pending_count")) return unknown_results(s, "value");
    llvm::Value* state = nullptr;
    for (size_t k = 0; k < s.operands.size() && state == nullptr; ++k)
      if (s.operands[k].starts_with("[")) {
        state = address(s.operands[k]);
        if (state == nullptr) return false;
      }
    if (state == nullptr) return false;
    llvm::Value* token = made_up("mbarrier", "value", 64);
    barrier_use(s, token);
    if (plain)
      b_.CreateAlignedStore(made_up("mbarrier", "value", 64), state, llvm::Align(8));
    else
      touch(state);
    if (plain || s.operands.empty() || s.operands[0].starts_with("[")) return true;
    for (const std::string& e : ptx_elements(s.operands[0]))
      if (const unsigned width = width_at(e); width != 0)
        write(e, width == 64 ? token : made_up("mbarrier.answer", "value", width));
    return true;
  }

  bool elect(const PtxStatement& s) {
    if (s.operands.size() != 2) return false;
    const std::vector<std::string> to = ptx_elements(s.operands[0]);
    llvm::Value* mask = read(s.operands[1], 32);
    if (to.size() != 2 || !can_write(to[0]) || !can_write(to[1]) || mask == nullptr) return false;
    call_of("_Z13__ballot_syncji", b_.getInt32Ty(), {mask, b_.getInt32(1)});
    llvm::Value* leader = call_of("__fencepost_elected", b_.getInt32Ty(), {mask});
    llvm::Value* lane = b_.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_laneid, {}, {});
    // One of the mask.
    call_of("__fencepost_assume", b_.getVoidTy(), {b_.CreateTrunc(b_.CreateLShr(mask, leader), b_.getInt1Ty())});
    write(to[0], leader);
    write(to[1], b_.CreateICmpEQ(lane, leader));
    return true;
  }

  // Values of any type of 32 bits; whether the lane that gives one is in range is not known.
  bool shuffle(const PtxStatement& s) {
    if (s.operands.empty()) return false;
    const std::vector<std::string> to = ptx_elements(s.operands[0]);
    if (to.size() != 2 || width_at(to[1]) != 1) return false;
    PtxStatement one = s;
    one.operands[0] = to[0];
    alone(one);
    write(to[1], made_up("shfl.sync", "value", 1));
    return true;
  }

  bool reduce(const PtxStatement& s) {
    static const std::set<std::string> k_ops = {"add", "min", "max", "and", "or", "xor"};
    if (s.parts.size() != 4 || k_ops.count(s.parts[2]) == 0 || s.operands.size() != 3 || !can_write(s.operands[0]))
      return false;
    const std::string& type = s.parts[3];
    if (type != "u32" && type != "s32" && type != "b32") return false;
    const std::string name = "__reduce_" + s.parts[2] + "_sync";
    llvm::Value *v = read(s.operands[1], 32), *mask = read(s.operands[2], 32);
    if (v == nullptr || mask == nullptr) return false;
    write(s.operands[0], call_of("_Z" + std::to_string(name.size()) + name + (type == "s32" ? "ji" : "jj"),
                                 b_.getInt32Ty(), {mask, v}));
    return true;
  }

  bool vote(const PtxStatement& s) {
    if (s.parts.size() != 4 || s.operands.size() != 3 || !can_write(s.operands[0])) return false;
    const std::string& kind = s.parts[2];
    if (kind != "any" && kind != "all" && kind != "ballot") return false;
    const std::string name = "__" + kind + "_sync";
    llvm::Value *p = read(s.operands[1], 1), *mask = read(s.operands[2], 32);
    if (p == nullptr || mask == nullptr) return false;
    llvm::Value* r = call_of("_Z" + std::to_string(name.size()) + name + "ji", b_.getInt32Ty(),
                             {mask, b_.CreateZExt(p, b_.getInt32Ty())});
    write(s.operands[0], kind == "ballot" ? r : b_.CreateICmpNE(r, b_.getInt32(0)));
    return true;
  }

  // ---- accesses ----------------------------------------------------------------------------------------------------

  struct Shape {
    unsigned elements = 1, width = 0;
    bool words = false;  // one operand of 128 bits: four words
    bool is_volatile = false, sign = false;
  };

  // Plain accesses; others are lower_assembly's.
  static std::optional<Shape> shape(const PtxStatement& s) {
    static const std::set<std::string> k_parts = {
        "weak",  "volatile", "global", "shared", "shared::cta", "shared::cluster",
        "local", "const",    "nc",     "ca",     "cg",          "cs",
        "lu",    "cv",       "wb",     "wt",     "v2",          "v4",
        "v8",    "unified"};
    Shape out;
    for (size_t k = 1; k + 1 < s.parts.size(); ++k) {
      const std::string& p = s.parts[k];
      if (k_parts.count(p) == 0 && !p.starts_with("L1::") && !p.starts_with("L2::") && !p.starts_with("level::"))
        return std::nullopt;
      if (p == "v2" || p == "v4" || p == "v8") out.elements = static_cast<unsigned>(p[1] - '0');
      // Operations on the cache, as `cv`, are of weak accesses, and change nothing in the memory model.
      out.is_volatile = out.is_volatile || p == "volatile";
    }
    out.words = s.parts.back() == "b128";
    if (out.words && out.elements > 1) return std::nullopt;
    if (out.words) out.elements = 4;
    out.width = out.words ? 32 : ptx_width(s.parts.back());
    out.sign = s.parts.back()[0] == 's';
    if (out.width < 8) return std::nullopt;
    return out;
  }

  bool load(const PtxStatement& s) {
    const auto a = shape(s);
    if (!a || s.operands.size() < 2 || s.operands.size() > (s.has("L2::cache_hint") ? 3u : 2u)) return false;
    const std::vector<std::string> to = ptx_elements(s.operands[0]);
    llvm::AllocaInst* whole = a->words ? place(s.operands[0]) : nullptr;
    if (a->words && (whole == nullptr || !whole->getAllocatedType()->isVectorTy())) return false;
    if (!a->words &&
        (to.size() != a->elements || !std::all_of(to.begin(), to.end(), [&](const auto& t) { return can_write(t); })))
      return false;
    llvm::Value* p = address(s.operands[1]);
    if (p == nullptr) return false;
    llvm::Type* one = b_.getIntNTy(a->width);
    const llvm::Align align(a->elements * a->width / 8);
    llvm::Type* all = a->elements == 1 ? one : llvm::FixedVectorType::get(one, a->elements);
    llvm::LoadInst* v = b_.CreateAlignedLoad(all, p, align, a->is_volatile);
    if (s.has("nc"))
      v->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(v->getContext(), std::nullopt));
    say_space(v, s);
    if (a->elements == 1) {
      write(to[0], v, a->sign);
      return true;
    }
    if (a->words)
      b_.CreateStore(v, whole);
    else
      for (unsigned k = 0; k < a->elements; ++k) write(to[k], b_.CreateExtractElement(v, k), a->sign);
    return true;
  }

  bool store(const PtxStatement& s) {
    const auto a = shape(s);
    if (!a || s.operands.size() < 2 || s.operands.size() > (s.has("L2::cache_hint") ? 3u : 2u)) return false;
    const std::vector<std::string> from = ptx_elements(s.operands[1]);
    if (from.size() != (a->words ? 1 : a->elements)) return false;
    llvm::Value* p = address(s.operands[0]);
    llvm::Value* v = a->words ? words_of(input(from[0])) : nullptr;
    if (p == nullptr || (a->words && v == nullptr)) return false;
    std::vector<llvm::Value*> values;
    for (size_t k = 0; k < from.size() && !a->words; ++k) {
      values.push_back(read(from[k], a->width));
      if (values.back() == nullptr) return false;
    }
    const llvm::Align align(a->elements * a->width / 8);
    if (a->elements == 1) v = values[0];
    if (a->elements > 1 && !a->words) {
      v = llvm::PoisonValue::get(llvm::FixedVectorType::get(b_.getIntNTy(a->width), a->elements));
      for (unsigned k = 0; k < a->elements; ++k) v = b_.CreateInsertElement(v, values[k], k);
    }
    say_space(b_.CreateAlignedStore(v, p, align, a->is_volatile), s);
    return true;
  }

  void say_space(llvm::Instruction* access, const PtxStatement& s) {
    if (s.has("global") || s.has_like("shared") || s.has("local") || s.has("const"))
      access->setMetadata(k_space, llvm::MDNode::get(context_, llvm::MDString::get(context_, s.word)));
  }

  // The address of shared memory of another block, or of its window: the one is as good as the other here.
  bool map(const PtxStatement& s) {
    static const std::set<std::string> k_parts = {"mapa", "shared::cluster", "u32", "u64"};
    if (!only(s, k_parts) || s.operands.size() != 3 || !can_write(s.operands[0])) return unknown_results(s, "value");
    const unsigned width = ptx_width(s.parts.back());
    llvm::Value *from = read(s.operands[1], width), *rank = read(s.operands[2], 32);
    if (from == nullptr || rank == nullptr) return false;
    llvm::Value* there = call_of("__fencepost_map_rank", b_.getPtrTy(), {pointer_of(from), rank});
    write(s.operands[0], b_.CreatePtrToInt(there, b_.getIntNTy(width)));
    return true;
  }

  // ---- arithmetic --------------------------------------------------------------------------------------------------

  // Integers, and moves of bits. True: it is done.
  bool exact(const PtxStatement& s) {
    const std::string& op = s.parts[0];
    const unsigned width = ptx_width(s.parts.back());
    if (op == "cvta") return cvta(s);
    if (width == 0 || s.operands.size() < 2 || s.operands.size() > 4) return false;
    if (op == "mov") return s.parts.size() == 2 && move(s, width);
    if (op == "cvt") return s.parts.size() == 3 && convert(s);
    if (op == "setp") return compare(s, width);
    const char kind = s.parts.back()[0];
    if (!can_write(s.operands[0]) || s.operands[0] == "_") return false;
    const bool sign = kind == 's';
    const auto in = [&](size_t k, unsigned w) { return read(s.operands[k], w); };
    if (op == "selp" && s.parts.size() == 2 && s.operands.size() == 4) {
      llvm::Value *a = in(1, width), *b = in(2, width), *p = in(3, 1);
      if (a == nullptr || b == nullptr || p == nullptr) return false;
      write(s.operands[0], b_.CreateSelect(p, a, b));
      return true;
    }
    if (kind == 'f') return false;
    const bool low = s.parts.size() == 3 && s.parts[1] == "lo", wide = s.parts.size() == 3 && s.parts[1] == "wide";
    if ((op == "mul" || op == "mad") && (low || wide) && s.operands.size() == (op == "mul" ? 3u : 4u)) {
      llvm::Value *a = in(1, width), *b = in(2, width);
      const unsigned to = wide ? 2 * width : width;
      llvm::Value* c = op == "mad" && to <= 64 ? in(3, to) : nullptr;
      if (a == nullptr || b == nullptr || to > 64 || (op == "mad" && c == nullptr)) return false;
      const auto widened = [&](llvm::Value* v) {
        return sign ? b_.CreateSExt(v, b_.getIntNTy(to)) : b_.CreateZExt(v, b_.getIntNTy(to));
      };
      llvm::Value* r = b_.CreateMul(widened(a), widened(b));
      write(s.operands[0], c != nullptr ? b_.CreateAdd(r, c) : r);
      return true;
    }
    if (s.parts.size() != 2) return false;
    llvm::Value* a = in(1, width);
    if (a == nullptr) return false;
    if (s.operands.size() == 2) {
      if (op == "not") return write(s.operands[0], b_.CreateNot(a)), true;
      if (op == "neg" && sign) return write(s.operands[0], b_.CreateNeg(a)), true;
      return false;
    }
    if (s.operands.size() != 3) return false;
    const bool shift = op == "shl" || op == "shr";
    llvm::Value* b = in(2, shift ? 32 : width);
    if (b == nullptr) return false;
    llvm::Value* r = nullptr;
    if (shift) {
      // Amounts are clamped.
      llvm::Value* last = b_.getInt32(width - 1);
      llvm::Value* past = b_.CreateICmpUGT(b, last);
      llvm::Value* by = b_.CreateZExtOrTrunc(b_.CreateSelect(past, last, b), a->getType());
      r = op == "shl" ? b_.CreateShl(a, by) : sign ? b_.CreateAShr(a, by) : b_.CreateLShr(a, by);
      if (op == "shl" || !sign) r = b_.CreateSelect(past, llvm::ConstantInt::get(a->getType(), 0), r);
    } else if (op == "add") {
      r = b_.CreateAdd(a, b);
    } else if (op == "sub") {
      r = b_.CreateSub(a, b);
    } else if (op == "and") {
      r = b_.CreateAnd(a, b);
    } else if (op == "or") {
      r = b_.CreateOr(a, b);
    } else if (op == "xor") {
      r = b_.CreateXor(a, b);
    } else if (op == "min" || op == "max") {
      const bool less = op == "min";
      llvm::Value* first = sign ? b_.CreateICmpSLT(a, b) : b_.CreateICmpULT(a, b);
      r = b_.CreateSelect(first, less ? a : b, less ? b : a);
    }
    if (r == nullptr) return false;
    write(s.operands[0], r);
    return true;
  }

  bool move(const PtxStatement& s, unsigned width) {
    if (s.operands.size() != 2) return false;
    const std::vector<std::string> to = ptx_elements(s.operands[0]), from = ptx_elements(s.operands[1]);
    if (!std::all_of(to.begin(), to.end(), [&](const auto& t) { return can_write(t); })) return false;
    if (to.size() > 1 && from.size() > 1) return false;
    if (to.size() > 1) {
      if (s.operands[0][0] != '{' || width % to.size() != 0) return false;
      llvm::Value* v = read(from[0], width);
      if (v == nullptr) return false;
      const auto part = static_cast<unsigned>(width / to.size());
      for (size_t k = 0; k < to.size(); ++k)
        write(to[k], b_.CreateTrunc(b_.CreateLShr(v, part * k), b_.getIntNTy(part)));
      return true;
    }
    if (from.size() > 1) {
      if (s.operands[1][0] != '{' || width % from.size() != 0) return false;
      const auto part = static_cast<unsigned>(width / from.size());
      llvm::Value* all = llvm::ConstantInt::get(b_.getIntNTy(width), 0);
      for (size_t k = 0; k < from.size(); ++k) {
        llvm::Value* v = read(from[k], part);
        if (v == nullptr) return false;
        all = b_.CreateOr(all, b_.CreateShl(b_.CreateZExt(v, b_.getIntNTy(width)), part * k));
      }
      write(to[0], all);
      return true;
    }
    llvm::Value* v = read(from[0], width);
    if (v == nullptr) return false;
    write(to[0], v);
    return true;
  }

  bool convert(const PtxStatement& s) {
    const std::string &to = s.parts[1], &from = s.parts[2];
    const auto whole = [](const std::string& t) { return ptx_width(t) > 1 && (t[0] == 'u' || t[0] == 's'); };
    if (!whole(to) || !whole(from) || s.operands.size() != 2 || !can_write(s.operands[0])) return false;
    llvm::Value* v = read(s.operands[1], ptx_width(from));
    if (v == nullptr) return false;
    llvm::Type* t = b_.getIntNTy(ptx_width(to));
    write(s.operands[0], from[0] == 's' ? b_.CreateSExtOrTrunc(v, t) : b_.CreateZExtOrTrunc(v, t), to[0] == 's');
    return true;
  }

  bool compare(const PtxStatement& s, unsigned width) {
    if (s.parts.size() != 3 || s.operands.size() != 3 || s.parts[2][0] == 'f' || !can_write(s.operands[0]))
      return false;
    using P = llvm::CmpInst::Predicate;
    const bool sign = s.parts[2][0] == 's';
    static const std::map<std::string, std::pair<P, P>> k_orders = {
        {"eq", {P::ICMP_EQ, P::ICMP_EQ}},   {"ne", {P::ICMP_NE, P::ICMP_NE}},   {"lt", {P::ICMP_ULT, P::ICMP_SLT}},
        {"le", {P::ICMP_ULE, P::ICMP_SLE}}, {"gt", {P::ICMP_UGT, P::ICMP_SGT}}, {"ge", {P::ICMP_UGE, P::ICMP_SGE}},
        {"lo", {P::ICMP_ULT, P::ICMP_ULT}}, {"ls", {P::ICMP_ULE, P::ICMP_ULE}}, {"hi", {P::ICMP_UGT, P::ICMP_UGT}},
        {"hs", {P::ICMP_UGE, P::ICMP_UGE}}};
    const auto it = k_orders.find(s.parts[1]);
    llvm::Value *a = read(s.operands[1], width), *b = read(s.operands[2], width);
    if (it == k_orders.end() || a == nullptr || b == nullptr) return false;
    write(s.operands[0], b_.CreateICmp(sign ? it->second.second : it->second.first, a, b));
    return true;
  }

  // The number of an address is one in all spaces here: each variable lies in one of them.
  bool cvta(const PtxStatement& s) {
    if (s.operands.size() != 2 || !can_write(s.operands[0]) || s.has_like("shared::cluster")) return false;
    const unsigned width = ptx_width(s.parts.back());
    if (width < 32) return false;
    llvm::Value* v = read(s.operands[1], width);
    if (v == nullptr) return false;
    write(s.operands[0], v);
    return true;
  }

  // ---- others ------------------------------------------------------------------------------------------------------

  // Inline PTX of one instruction, over the same values.
  void alone(const PtxStatement& s) {
    static const std::set<std::string> k_without_result = {"st",  "red",  "bar", "barrier", "membar", "fence",  "cp",
                                                           "bra", "exit", "ret", "trap",    "brkpt",  "discard"};
    const bool has_result = k_without_result.count(s.parts[0]) == 0 && !s.operands.empty();
    std::vector<std::string> outputs;
    if (has_result)
      for (const std::string& e : ptx_elements(s.operands[0]))
        if (width_at(e) != 0) outputs.push_back(e);
    std::vector<llvm::Value*> inputs;
    std::vector<llvm::Type*> types;
    std::string constraints;
    for (size_t k = 0; k < outputs.size(); ++k) constraints += constraints.empty() ? "=r" : ",=r";
    std::string text = s.word;
    for (size_t n = 0; n < s.operands.size(); ++n) {
      text += n == 0 ? " " : ", ";
      if (n == 0 && has_result) {
        std::string shown = s.operands[0];
        for (size_t k = 0; k < outputs.size(); ++k)
          if (const size_t where = shown.find(outputs[k]); where != std::string::npos)
            shown.replace(where, outputs[k].size(), "$" + std::to_string(k));
        text += shown;
        continue;
      }
      const std::string& o = s.operands[n];
      if (o.starts_with("[")) {
        llvm::Value* p = address(o);
        if (p != nullptr) {
          text += "[$" + std::to_string(outputs.size() + inputs.size()) + "]";
          inputs.push_back(p);
          continue;
        }
      }
      std::string token;
      const auto finish = [&] {
        llvm::Value* v = input(token);
        if (v != nullptr && v->getType()->isFloatingPointTy()) v = as_bits(v, width_of(v->getType()));
        if (v == nullptr && width_at(token) != 0) v = read(token, width_at(token));
        if (v != nullptr) {
          text += "$" + std::to_string(outputs.size() + inputs.size());
          inputs.push_back(v);
        } else {
          text += token;
        }
        token.clear();
      };
      for (const char c : o) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string("_%$@.:").find(c) != std::string::npos) {
          token += c;
          continue;
        }
        finish();
        text += c;
      }
      finish();
    }
    for (const llvm::Value* v : inputs) {
      constraints += constraints.empty() ? "r" : ",r";
      types.push_back(v->getType());
    }
    std::vector<llvm::Type*> given;
    for (const std::string& o : outputs) given.push_back(b_.getIntNTy(width_at(o)));
    llvm::Type* result = given.empty()       ? b_.getVoidTy()
                         : given.size() == 1 ? given[0]
                                             : llvm::StructType::get(context_, given);
    llvm::InlineAsm* one =
        llvm::InlineAsm::get(llvm::FunctionType::get(result, types, false), text + ";", constraints, true);
    llvm::CallInst* c = b_.CreateCall(one, inputs);
    for (unsigned k = 0; k < outputs.size(); ++k)
      write(outputs[k], outputs.size() == 1 ? static_cast<llvm::Value*>(c) : b_.CreateExtractValue(c, k));
  }

  const std::vector<PtxStatement>& statements_;
  std::map<std::string, llvm::BasicBlock*> labels_;
};

// A carry goes from one instruction to the next without a name: their text stays together.
bool carries(const std::vector<PtxStatement>& statements) {
  return std::any_of(statements.begin(), statements.end(),
                     [](const PtxStatement& s) { return s.has("cc") || ptx_reads_carry(s); });
}

// One instruction that is read as it stands.
bool stands(const std::vector<PtxStatement>& statements) {
  unsigned instructions = 0;
  for (const PtxStatement& s : statements) {
    if (!s.label.empty() || !s.guard.empty() || !s.registers.empty()) return false;
    if (++instructions > 1) return false;
    if (row_of(s) || s.parts[0] == "cvta") return false;
    static const std::set<std::string> k_numbers = {"add", "sub", "mul", "mad", "and", "or",  "xor", "not",
                                                    "neg", "shl", "shr", "min", "max", "div", "rem", "cvt"};
    if (k_numbers.contains(s.parts[0])) return false;  // which Expansion::exact() may compute
    for (const std::string& o : s.operands)
      if (o.starts_with("[") && o.find_first_of("+-") != std::string::npos) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> space_said(const llvm::Instruction& access) {
  const llvm::MDNode* node = access.getMetadata(k_space);
  if (node == nullptr) return std::nullopt;
  return llvm::cast<llvm::MDString>(node->getOperand(0))->getString().str();
}

void expand_assembly(llvm::Function& f) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::BasicBlock& b : f)
    for (llvm::Instruction& i : b)
      if (auto* c = llvm::dyn_cast<llvm::CallInst>(&i); c != nullptr && c->isInlineAsm()) calls.push_back(c);
  for (llvm::CallInst* c : calls) {
    const auto statements = ptx_statements(llvm::cast<llvm::InlineAsm>(c->getCalledOperand())->getAsmString());
    if (!statements || carries(*statements) || stands(*statements)) continue;
    Expansion(c, *statements).run();
  }
}

}  // namespace fencepost::clangfe
