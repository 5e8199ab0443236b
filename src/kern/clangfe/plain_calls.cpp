// Calls: intrinsics of LLVM, functions of CUDA, and the functions that our headers declare for libcu++.
#include <fmt/format.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <algorithm>

#include "clangfe/lives.h"
#include "clangfe/plain_writer.h"

namespace fencepost::clangfe {

void Writer::call(llvm::CallBase& c) {
  if (c.isInlineAsm())
    refuse(fmt::format("the inline assembly '{}'", llvm::cast<llvm::InlineAsm>(c.getCalledOperand())->getAsmString()),
           "a module of PTX is read: `fencepost check FILE.ptx`");
  llvm::Function* f = c.getCalledFunction();
  if (f == nullptr) refuse("a call through a pointer");
  if (f->isIntrinsic()) return intrinsic(c, *f);
  const Demangled d = demangle(f->getName());
  if (!f->isDeclaration()) refuse(fmt::format("the recursion of {}, or a call through a pointer to it,", d.base));
  if (function(c, d)) return;
  if (d.base == "__fencepost_grid_barrier") refuse("a barrier of the whole grid");
  if (d.base.starts_with("__fencepost_barrier_")) refuse("__syncthreads_" + d.base.substr(20));
  if (d.base.starts_with("__fencepost_")) refuse(fmt::format("the library function {}", d.base.substr(12)));
  refuse(fmt::format("the function {}", llvm::demangle(f->getName().str())));
}

std::optional<std::string> Writer::width_intrinsic(const llvm::CallBase& c) {
  switch (c.getIntrinsicID()) {
    case llvm::Intrinsic::smin:
      return "min.s";
    case llvm::Intrinsic::smax:
      return "max.s";
    case llvm::Intrinsic::umin:
      return "min.u";
    case llvm::Intrinsic::umax:
      return "max.u";
    default:
      return std::nullopt;
  }
}

void Writer::intrinsic(llvm::CallBase& c, llvm::Function& f) {
  if (c.isDebugOrPseudoInst() || c.isLifetimeStartOrEnd()) return;
  if (c.getIntrinsicID() == llvm::Intrinsic::experimental_noalias_scope_decl) return;  // of inlining
  if (const auto op = width_intrinsic(c)) {
    const unsigned n = bits_of(c.getType());
    return put(
        fmt::format("{}{} {}, {}, {}", *op, n, register_of(c), value(c.getArgOperand(0)), value(c.getArgOperand(1))));
  }
  switch (c.getIntrinsicID()) {
    case llvm::Intrinsic::memcpy:
    case llvm::Intrinsic::memmove:
      return copy(llvm::cast<llvm::MemTransferInst>(c));
    case llvm::Intrinsic::memset:
      return set(llvm::cast<llvm::MemSetInst>(c));
    case llvm::Intrinsic::nvvm_barrier0:
      return put(fmt::format("cuda.barrier.s{}", barriers_++));
    case llvm::Intrinsic::nvvm_read_ptx_sreg_laneid:
      return put(fmt::format("mov.u32 {}, %laneid", register_of(c)));
    case llvm::Intrinsic::trap:
    case llvm::Intrinsic::debugtrap:
      return put("trap");
    case llvm::Intrinsic::ubsantrap:
      return;  // what follows says that this place must not be reached
    case llvm::Intrinsic::expect:
      return put(fmt::format("mov.{} {}, {}", type(bits_of(c.getType())), register_of(c), value(c.getArgOperand(0))));
    case llvm::Intrinsic::assume: {
      if (c.getNumOperandBundles() > 0) return;
      const std::string no = declare("assumption", 1);
      put(fmt::format("xor.pred {}, {}, 1", no, value(c.getArgOperand(0))));
      return put(fmt::format("cuda.ub.assumption {}", no));
    }
    case llvm::Intrinsic::ctpop: {
      const unsigned n = bits_of(c.getType());
      if (n != 32 && n != 64) break;
      return narrow(c, fmt::format("popc.b{}", n));
    }
    default:
      break;
  }
  refuse(fmt::format("the intrinsic {}", f.getName().str()));
}

void Writer::narrow(llvm::CallBase& c, const std::string& op) {
  const std::string x = value(c.getArgOperand(0));
  const unsigned to = bits_of(c.getType());
  if (to == 32) return put(fmt::format("{} {}, {}", op, register_of(c), x));
  const std::string r = declare("count", 32);
  put(fmt::format("{} {}, {}", op, r, x));
  put(fmt::format("cvt.u{}.u32 {}, {}", to, register_of(c), r));
}

std::string Writer::scope_at(llvm::Value* v) const {
  const auto* c = llvm::dyn_cast<llvm::ConstantInt>(v);
  if (c == nullptr) refuse("a thread scope that is not constant");
  switch (c->getZExtValue()) {
    case 0:
      return "system";
    case 1:
      return "device";
    case 2:
      return "block";
    default:
      refuse("cuda::thread_scope_thread", "the scopes of block, device and system are read");
  }
}

std::string Writer::order_at(llvm::Value* v) const {
  const auto* c = llvm::dyn_cast<llvm::ConstantInt>(v);
  if (c == nullptr) refuse("a memory order that is not constant");
  static constexpr const char* k_orders[] = {"rlx", "acq", "acq", "rel", "acq_rel", "sc"};
  if (c->getZExtValue() > 5) refuse("a memory order that C++ does not have");
  return k_orders[c->getZExtValue()];
}

char Writer::sign_of(char letter) {
  return letter == 'i' || letter == 'x' || letter == 'l' || letter == 's' || letter == 'a' || letter == 'c' ? 's' : 'u';
}

bool Writer::function(llvm::CallBase& c, const Demangled& d) {
  const std::string& n = d.base;
  if (n.starts_with("atomic")) return named_atomic(c, d);
  if (n.starts_with("__fencepost_atomic_")) return scoped_atomic(c, d);
  if (n == "__fencepost_spurious") {
    const auto it = spurious_.find(c.getArgOperand(0));
    if (it == spurious_.end()) refuse("a weak compare-exchange of this form");
    put(fmt::format("mov.pred {}, {}", register_of(c), it->second));
    return true;
  }
  if (n == "__fencepost_scoped_fence") {
    const std::string order = order_at(c.getArgOperand(0)), scope = scope_at(c.getArgOperand(1));
    if (order != "rlx") put(fmt::format("cuda.fence.atomic_thread_fence.{}.{}", order, scope));
    return true;
  }
  if (n == "__threadfence" || n == "__threadfence_block" || n == "__threadfence_system") {
    put(fmt::format("cuda.fence.{}.sc.{}", n,
                    n == "__threadfence"         ? "device"
                    : n == "__threadfence_block" ? "block"
                                                 : "system"));
    return true;
  }
  if (n == k_alive) {
    const std::string alive = predicate(c.getArgOperand(0)), over = declare("over", 1);
    put(fmt::format("xor.pred {}, {}, 1", over, alive));
    put(fmt::format("cuda.ub.lifetime {}", over));
    return true;
  }
  if (n == k_begins || n == k_ends) {
    const auto& a = *llvm::cast<llvm::AllocaInst>(c.getArgOperand(0));
    if (n == k_begins)
      put(fmt::format("mov.b64 {}, {}", register_of(a), variable_names_.at(&a)));
    else
      put(fmt::format("cuda.life.end {}", variable_names_.at(&a)));
    return true;
  }
  // Of a bool that is neither 0 nor 1; an unreachable instruction follows.
  if (n == k_no_bool) return true;
  if (n == "__syncthreads") {
    put(fmt::format("cuda.barrier.s{}", barriers_++));
    return true;
  }
  if (n == "__syncwarp") {
    put(fmt::format("cuda.syncwarp {}", value(c.getArgOperand(0))));
    return true;
  }
  if (lanes(c, d)) return true;
  if (n == "__nanosleep") return true;
  if (n == "printf" || n == "vprintf") {
    put(fmt::format("cuda.printf {}", result(c)));
    return true;
  }
  if (n == "clock" || n == "clock64") {
    put(fmt::format("mov.u{} {}, %clock64", bits_of(c.getType()), register_of(c)));
    return true;
  }
  if (n == "__fencepost_assert_fail") {
    put("trap");
    return true;
  }
  if (n == "__clz" || n == "__clzll") return narrow(c, n == "__clz" ? "clz.b32" : "clz.b64"), true;
  if (n == "__popc" || n == "__popcll") return narrow(c, n == "__popc" ? "popc.b32" : "popc.b64"), true;
  if (n == "__brev" || n == "__brevll") {
    put(fmt::format("brev.b{} {}, {}", bits_of(c.getType()), register_of(c), value(c.getArgOperand(0))));
    return true;
  }
  if (n == "__mulhi" || n == "__umulhi" || n == "__mul64hi" || n == "__umul64hi") {
    put(fmt::format("mul.hi.{}{} {}, {}, {}", n[2] == 'u' ? 'u' : 's', bits_of(c.getType()), register_of(c),
                    value(c.getArgOperand(0)), value(c.getArgOperand(1))));
    return true;
  }
  // Functions of floating point numbers, and of nothing else.
  if (c.doesNotAccessMemory() && !c.getType()->isVoidTy() &&
      (c.getType()->isFloatingPointTy() ||
       std::any_of(c.arg_begin(), c.arg_end(), [](const llvm::Use& u) { return u->getType()->isFloatingPointTy(); }))) {
    opaque(c);
    return true;
  }
  return false;
}

// What lanes of a warp give each other, in the words of PTX.
bool Writer::lanes(llvm::CallBase& c, const Demangled& d) {
  const std::string& n = d.base;
  const auto operand = [&](unsigned k) { return value(c.getArgOperand(k)); };
  if (n == "__activemask") {
    put(fmt::format("activemask.b32 {}", result(c)));
    return true;
  }
  static const std::map<std::string, const char*> k_shuffles = {
      {"__shfl_sync", "idx"}, {"__shfl_up_sync", "up"}, {"__shfl_down_sync", "down"}, {"__shfl_xor_sync", "bfly"}};
  if (const auto it = k_shuffles.find(n); it != k_shuffles.end()) {
    const auto* width = llvm::dyn_cast<llvm::ConstantInt>(c.getArgOperand(3));
    if (width == nullptr) refuse("a shuffle whose width is computed");
    const uint64_t w = width->getZExtValue();
    if (w == 0 || w > 32 || (w & (w - 1)) != 0) refuse(fmt::format("a shuffle of width {}", w), "1, 2, 4, 8, 16 or 32");
    const uint64_t bounds = ((32 - w) << 8) | (n == "__shfl_up_sync" ? 0 : 31);
    put(fmt::format("shfl.sync.{}.b{} {}, {}, {}, {}, {}", it->second, bits_of(c.getType()), result(c), operand(1),
                    operand(2), bounds, operand(0)));
    return true;
  }
  if (n == "__any_sync" || n == "__all_sync" || n == "__ballot_sync") {
    const std::string mode = n.substr(2, n.size() - 7), p = declare("vote", 1);
    put(fmt::format("setp.ne.u32 {}, {}, 0", p, operand(1)));
    if (mode == "ballot") {
      put(fmt::format("vote.sync.ballot.b32 {}, {}, {}", result(c), p, operand(0)));
      return true;
    }
    const std::string q = declare(mode, 1);
    put(fmt::format("vote.sync.{}.pred {}, {}, {}", mode, q, p, operand(0)));
    if (!c.use_empty()) put(fmt::format("selp.u32 {}, 1, 0, {}", register_of(c), q));
    return true;
  }
  if (n == "__match_any_sync" || n == "__match_all_sync") {
    if (c.getArgOperand(1)->getType()->isFloatingPointTy()) refuse(n + " of floating point numbers");
    const unsigned bits = bits_of(c.getArgOperand(1)->getType());
    if (n == "__match_any_sync") {
      put(fmt::format("match.any.sync.b{} {}, {}, {}", bits, result(c), operand(1), operand(0)));
      return true;
    }
    const std::string same = declare("same", 1), number = declare("same", 32);
    put(fmt::format("match.all.sync.b{} {}|{}, {}, {}", bits, result(c), same, operand(1), operand(0)));
    put(fmt::format("selp.u32 {}, 1, 0, {}", number, same));
    put(fmt::format("cuda.st.plain.none.u32 [{}], {}", operand(2), number));
    return true;
  }
  if (n.starts_with("__reduce_") && n.ends_with("_sync")) {
    const std::string op = n.substr(9, n.size() - 14);
    const char* type = op == "and" || op == "or" || op == "xor"                       ? "b32"
                       : !d.parameters.empty() && sign_of(d.parameters.back()) == 's' ? "s32"
                                                                                      : "u32";
    put(fmt::format("redux.sync.{}.{} {}, {}, {}", op, type, result(c), operand(1), operand(0)));
    return true;
  }
  return false;
}

bool Writer::named_atomic(llvm::CallBase& c, const Demangled& d) {
  std::string op = d.base.substr(6), scope = "device";
  for (const char* s : {"block", "system"})
    if (op.ends_with(std::string("_") + s)) {
      scope = s;
      op.resize(op.size() - scope.size() - 1);
    }
  static const std::map<std::string, const char*> k_ops = {
      {"Add", "add"}, {"Sub", "sub"}, {"Exch", "exch"}, {"Min", "min"}, {"Max", "max"}, {"And", "and"},
      {"Or", "or"},   {"Xor", "xor"}, {"Inc", "inc"},   {"Dec", "dec"}, {"CAS", "cas"}};
  const auto it = k_ops.find(op);
  if (it == k_ops.end()) return false;
  const unsigned n = bits_of(c.getType());
  const bool real = c.getType()->isFloatingPointTy();
  const std::string t = fmt::format("{}{}", real ? 'f' : sign_of(d.parameters.empty() ? 'i' : d.parameters.back()), n);
  if (op == "CAS")
    put(fmt::format("cuda.cas.{}.rlx.rlx.strong.{}.{} {}, _, [{}], {}, {}", d.base, scope, t, result(c),
                    value(c.getArgOperand(0)), value(c.getArgOperand(1)), value(c.getArgOperand(2))));
  else
    put(fmt::format("cuda.rmw.{}.{}.rlx.{}.{} {}, [{}], {}", d.base, it->second, scope, t, result(c),
                    value(c.getArgOperand(0)), value(c.getArgOperand(1))));
  return true;
}

bool Writer::scoped_atomic(llvm::CallBase& c, const Demangled& d) {
  std::string op = d.base.substr(19);
  const unsigned last = c.arg_size() - 1;
  const std::string scope = scope_at(c.getArgOperand(last));
  const char letter = d.parameters.size() > 2 ? d.parameters[2] == 'K' ? d.parameters[3] : d.parameters[2] : 'i';
  const bool real = letter == 'f' || letter == 'd';
  llvm::Type* of = op == "store" ? c.getArgOperand(1)->getType() : c.getType();
  unsigned n = bits_of(of);
  if (n == 1) n = 8;
  const std::string t = fmt::format("{}{}", real ? 'f' : sign_of(letter), n), at = value(c.getArgOperand(0));
  if (of->isIntegerTy(1)) refuse("an atomic of type bool", "use an integer type");
  if (op == "load") {
    const std::string order = order_at(c.getArgOperand(last - 1));
    if (order == "rel" || order == "acq_rel") refuse("an atomic load that releases", "C++ leaves it undefined");
    put(fmt::format("cuda.ld.{}.{}.{} {}, [{}]", order, scope, memory_type(n), register_of(c), at));
    return true;
  }
  if (op == "store") {
    const std::string order = order_at(c.getArgOperand(last - 1));
    if (order == "acq" || order == "acq_rel") refuse("an atomic store that acquires", "C++ leaves it undefined");
    put(fmt::format("cuda.st.{}.{}.{} [{}], {}", order, scope, memory_type(n), at, value(c.getArgOperand(1))));
    return true;
  }
  const bool weak = op == "cas_weak";
  if (weak || op == "cas") {
    if (real) refuse("a compare-exchange of floating point numbers");
    const std::string order = order_at(c.getArgOperand(last - 2));
    const auto* f = llvm::dyn_cast<llvm::ConstantInt>(c.getArgOperand(last - 1));
    const std::string failure = f != nullptr && f->isMinusOne() ? (order == "acq_rel" ? "acq"
                                                                   : order == "rel"   ? "rlx"
                                                                                      : order)
                                                                : order_at(c.getArgOperand(last - 1));
    if (failure == "rel" || failure == "acq_rel")
      refuse("a compare-exchange whose failure releases", "C++ leaves it undefined");
    const std::string p = weak ? declare("spurious", 1) : "_";
    if (weak) spurious_[&c] = p;
    put(fmt::format("cuda.cas.compare_exchange_{}.{}.{}.{}.{}.{} {}, {}, [{}], {}, {}", weak ? "weak" : "strong", order,
                    failure, weak ? "weak" : "strong", scope, t, result(c), p, at, value(c.getArgOperand(1)),
                    value(c.getArgOperand(2))));
    return true;
  }
  static const std::map<std::string, const char*> k_ops = {{"exchange", "exch"}, {"add", "add"}, {"sub", "sub"},
                                                           {"and", "and"},       {"or", "or"},   {"xor", "xor"},
                                                           {"min", "min"},       {"max", "max"}};
  const auto it = k_ops.find(op);
  if (it == k_ops.end()) return false;
  put(fmt::format("cuda.rmw.{}.{}.{}.{}.{} {}, [{}], {}", op == "exchange" ? op : "fetch_" + op, it->second,
                  order_at(c.getArgOperand(last - 1)), scope, t, result(c), at, value(c.getArgOperand(1))));
  return true;
}

}  // namespace fencepost::clangfe
