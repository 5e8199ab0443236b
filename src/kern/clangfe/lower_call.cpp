// Calls: of functions with and without a body, of LLVM's intrinsics, and of the annotations.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <algorithm>

#include "clangfe/lowering.h"

namespace fencepost::clangfe {

using namespace ir;

Values Lowering::lower_call(const llvm::CallBase& c) {
  if (const auto* a = llvm::dyn_cast<llvm::InlineAsm>(c.getCalledOperand())) {
    const auto computed = module_.dialect == Dialect::cuda ? lower_arithmetic(c, *a) : std::nullopt;
    return computed ? *computed : lower_assembly(c, *a);
  }
  const llvm::Function* f = c.getCalledFunction();
  if (f == nullptr) f = llvm::dyn_cast<llvm::Function>(c.getCalledOperand()->stripPointerCasts());
  if (f == nullptr) return call_function(c, nullptr);
  if (const auto* i = llvm::dyn_cast<llvm::IntrinsicInst>(&c)) {
    if (auto v = lower_intrinsic(*i)) return *v;
    refuse("the built-in '" + f->getName().str() + "'");
    return {};
  }
  if (f->isDeclaration()) {
    const Demangled d = demangle(f->getName());
    if (auto v = lower_annotation(c, d)) return *v;
    // A function that is declared without side effects is known by its operands alone.
    if (functions_.count(f) != 0 && c.doesNotAccessMemory() && !c.getType()->isVoidTy())
      if (auto v = lower_pure(c, d)) return *v;
    if (functions_.count(f) == 0) {
      if (auto v = module_.dialect == Dialect::opencl ? lower_opencl(c, d) : lower_cuda(c, d)) return *v;
      if (!faults_.list.empty()) return {};
      if (auto v = lower_pure(c, d)) return *v;
      // new, delete and other operators have no name in their mangled form.
      const std::string whole = llvm::demangle(f->getName().str());
      refuse(whole.starts_with("operator ") ? "'" + whole.substr(0, whole.find('(')) + "'"
                                            : "the built-in function '" + d.base + "'");
      return {};
    }
  }
  return call_function(c, f);
}

Values Lowering::call_function(const llvm::CallBase& c, const llvm::Function* f) {
  Call call;
  if (c.getFunctionType()->isVarArg()) {
    refuse("a call of a function with a variable number of arguments");
    return {};
  }
  // Another file may define it otherwise, and its text is that of the program then.
  if (f != nullptr && f->isInterposable() && !f->isDeclaration()) {
    refuse("the weak function '" + demangle(f->getName()).base + "', of which another file may have its own,");
    return {};
  }
  if (f != nullptr) {
    if (const auto it = withheld_.find(f); it != withheld_.end()) {
      if (faults_.list.empty()) faults_.add(it->second);
      return {};
    }
    call.callee = functions_.at(f);
  } else {
    call.pointer = value(c.getCalledOperand());
  }
  for (unsigned k = 0; k < c.arg_size(); ++k) {
    const llvm::Value* a = c.getArgOperand(k);
    if (c.isByValArgument(k)) {
      const Values read = load(value(a), c.getParamByValType(k));
      call.arguments.insert(call.arguments.end(), read.begin(), read.end());
    } else {
      const Values given = values(a);
      call.arguments.insert(call.arguments.end(), given.begin(), given.end());
    }
  }
  Values results;
  if (!c.getType()->isVoidTy())
    for (const Leaf& l : leaves(c.getType())) results.push_back(add_value({.kind = Value::result, .type = l.type}));
  out().blocks[block_.index].instructions.push_back({results, std::move(call), place_});
  // A structure that a function without a body returns is any value, like its other results.
  if (f != nullptr && f->isDeclaration())
    for (unsigned k = 0; k < c.arg_size(); ++k)
      if (llvm::Type* t = c.getParamStructRetType(k)) {
        Values anything;
        for (const Leaf& l : leaves(t))
          anything.push_back(any(l.type, "result of '" + demangle(f->getName()).base + "'"));
        store(value(c.getArgOperand(k)), t, anything);
      }
  return results;
}

// By types alone: of a pointer that comes from memory nothing is known.
void Lowering::without_withheld() {
  if (withheld_.empty()) return;
  const auto fits = [&](const Function& g, const Function& f, const Call& c, const Values& results) {
    return std::ranges::equal(g.parameters, c.arguments, {}, &Parameter::type,
                              [&](ValueId v) { return f.value(v).type; }) &&
           std::ranges::equal(g.results, results, {}, {}, [&](ValueId v) { return f.value(v).type; });
  };
  for (const auto& [f, number] : functions_) {
    const Function& from = module_.function(number);
    for (const Block& b : from.blocks)
      for (const Instruction& i : b.instructions) {
        const auto* c = std::get_if<Call>(&i.action);
        if (c == nullptr || c->callee) continue;
        for (const auto& [g, why] : withheld_)
          if (fits(module_.function(functions_.at(g)), from, *c, i.results)) refused_.try_emplace(f, why);
      }
  }
  if (!refused_.empty()) faults_.add(refused_.begin()->second);
}

void Lowering::barrier(Scope scope, ValueId local, ValueId global) {
  emit(Barrier{.scope = scope, .local_fence = local, .global_fence = global});
}

// ---- copies -------------------------------------------------------------------------------------------------------

llvm::Type* Lowering::pointed_type(const llvm::Value* p) {
  p = p->stripPointerCasts();
  if (const auto* a = llvm::dyn_cast<llvm::AllocaInst>(p)) return a->getAllocatedType();
  if (const auto* g = llvm::dyn_cast<llvm::GlobalVariable>(p)) return g->getValueType();
  if (const auto* g = llvm::dyn_cast<llvm::GEPOperator>(p)) return g->getResultElementType();
  if (const auto* a = llvm::dyn_cast<llvm::Argument>(p); a != nullptr && a->hasByValAttr())
    return a->getParamByValType();
  return nullptr;
}

// The scalars that a copy of `length` bytes moves: those of a type of that size, else pieces as large as alignment
// allows.
std::vector<Leaf> Lowering::copy_plan(const llvm::Value* a, const llvm::Value* b, uint64_t length, uint64_t alignment) {
  for (const llvm::Value* p : {a, b}) {
    if (p == nullptr) continue;
    llvm::Type* t = pointed_type(p);
    while (t != nullptr && t->isSized() && layout_.getTypeAllocSize(t) > length && t->isArrayTy())
      t = t->getArrayElementType();
    if (t == nullptr || !t->isSized() || t->isIntegerTy(8)) continue;
    const uint64_t size = layout_.getTypeAllocSize(t);
    if (size == 0 || length % size != 0 || length / size > 4096) continue;
    std::vector<Leaf> plan;
    std::vector<Leaf> once;
    uint64_t covered = 0;  // padding is copied too, byte by byte
    const auto pad = [&](uint64_t to) {
      for (; covered < to; ++covered) once.push_back({{Type::bits, 8}, covered, 1, nullptr});
    };
    for (const Leaf& l : leaves(t)) {
      pad(l.offset);
      once.push_back(l);
      covered = l.offset + l.bytes;
    }
    if (once.empty()) continue;
    pad(size);
    for (uint64_t k = 0; k < length / size; ++k)
      for (Leaf l : once) {
        l.offset += k * size;
        plan.push_back(l);
      }
    return plan;
  }
  uint64_t piece = 8;
  while (piece > 1 && (alignment % piece != 0 || length % piece != 0)) piece /= 2;
  std::vector<Leaf> plan;
  for (uint64_t at = 0; at < length; at += piece)
    plan.push_back({{Type::bits, static_cast<uint8_t>(8 * piece)}, at, static_cast<uint32_t>(piece), nullptr});
  return plan;
}

Access::Cache cache_of(const llvm::Value& pointer) {
  const auto* c = llvm::dyn_cast<llvm::CallBase>(llvm::getUnderlyingObject(&pointer, 0));
  const llvm::StringRef n = c != nullptr && c->getCalledFunction() != nullptr ? c->getCalledFunction()->getName() : "";
  return n == "__fencepost_read_only"    ? Access::read_only
         : n == "__fencepost_of_surface" ? Access::surface
                                         : Access::coherent;
}

void Lowering::lower_copy(const llvm::MemTransferInst& c) {
  const auto* n = llvm::dyn_cast<llvm::ConstantInt>(c.getLength());
  if (n == nullptr) {
    refuse("memcpy with a length that is not constant");
    return;
  }
  if (n->getZExtValue() > 65536) {
    refuse("a copy of " + std::to_string(n->getZExtValue()) + " bytes");
    return;
  }
  // CUDA's built-in variables are no memory.
  if (const auto* g = llvm::dyn_cast<llvm::GlobalVariable>(c.getSource()->stripPointerCasts());
      g != nullptr && g->isDeclaration() && module_.dialect == Dialect::cuda) {
    const llvm::StringRef name = g->getName();
    if (name == "threadIdx" || name == "blockIdx" || name == "blockDim" || name == "gridDim") {
      const IdKind k = name == "threadIdx"  ? IdKind::local_id
                       : name == "blockIdx" ? IdKind::group_id
                       : name == "blockDim" ? IdKind::local_size
                                            : IdKind::num_groups;
      const uint32_t site = module_.sites++;
      for (uint32_t d = 0; d < 3 && 4 * d < n->getZExtValue(); ++d)
        store_leaf(value(c.getDest()), {{Type::bits, 32}, 4 * d, 4, nullptr}, id(k, d, 32), site, d, false);
      return;
    }
  }
  const uint64_t alignment = std::min(c.getDestAlign().valueOrOne().value(), c.getSourceAlign().valueOrOne().value());
  const auto plan = copy_plan(c.getDest(), c.getSource(), n->getZExtValue(), alignment);
  const ValueId to = value(c.getDest()), from = value(c.getSource());
  const uint32_t read = module_.sites++, write = module_.sites++;
  Values vs;
  cache_ = cache_of(*c.getSource());
  for (size_t k = 0; k < plan.size(); ++k)
    vs.push_back(load_leaf(from, plan[k], read, static_cast<uint32_t>(k), c.isVolatile()));
  cache_ = Access::coherent;
  for (size_t k = 0; k < plan.size(); ++k)
    store_leaf(to, plan[k], vs[k], write, static_cast<uint32_t>(k), c.isVolatile());
}

void Lowering::lower_fill(const llvm::MemSetInst& c) {
  const auto* n = llvm::dyn_cast<llvm::ConstantInt>(c.getLength());
  const auto* v = llvm::dyn_cast<llvm::ConstantInt>(c.getValue());
  if (n == nullptr || v == nullptr) {
    refuse(n == nullptr ? "memset with a length that is not constant" : "memset with a value that is not constant");
    return;
  }
  if (n->getZExtValue() > 65536) {
    refuse("a fill of " + std::to_string(n->getZExtValue()) + " bytes");
    return;
  }
  uint64_t pattern = 0;
  for (int k = 0; k < 8; ++k) pattern = pattern << 8 | (v->getZExtValue() & 0xff);
  const auto plan = copy_plan(c.getDest(), nullptr, n->getZExtValue(), c.getDestAlign().valueOrOne().value());
  const ValueId to = value(c.getDest());
  const uint32_t site = module_.sites++;
  for (size_t k = 0; k < plan.size(); ++k) {
    const Leaf& l = plan[k];
    ValueId fill = l.type.kind == Type::pointer
                       ? (pattern == 0 ? null() : compute(Op::bits_to_pointer, {pointer_width(pattern)}, l.type))
                       : bits(pattern, l.type.width);
    store_leaf(to, l, fill, site, static_cast<uint32_t>(k), c.isVolatile());
  }
}

// ---- intrinsics ----------------------------------------------------------------------------------------------------

std::optional<Values> Lowering::lower_intrinsic(const llvm::IntrinsicInst& c) {
  using namespace llvm;
  const auto each1 = [&](ir::Op op) {
    Values vs;
    for (const ValueId v : Values(values(c.getArgOperand(0)))) vs.push_back(compute(op, {v}, type_of(v)));
    return vs;
  };
  const auto each2 = [&](ir::Op op) {
    const Values a = values(c.getArgOperand(0)), b = values(c.getArgOperand(1));
    Values vs;
    for (size_t k = 0; k < a.size(); ++k) vs.push_back(compute(op, {a[k], b[k]}, type_of(a[k])));
    return vs;
  };
  const auto named = [&](const char* symbol) {
    std::vector<Values> args;
    for (unsigned k = 0; k < c.arg_size(); ++k) args.push_back(values(c.getArgOperand(k)));
    Values vs;
    for (size_t k = 0; k < args[0].size(); ++k) {
      Values operands;
      for (const Values& a : args) operands.push_back(a[a.size() == 1 ? 0 : k]);
      vs.push_back(function_of(symbol, operands, type_of(args[0][k])));
    }
    return vs;
  };
  switch (c.getIntrinsicID()) {
    case Intrinsic::dbg_declare:
    case Intrinsic::dbg_value:
    case Intrinsic::dbg_label:
    case Intrinsic::lifetime_start:
    case Intrinsic::lifetime_end:
    case Intrinsic::stacksave:
    case Intrinsic::stackrestore:
    case Intrinsic::experimental_noalias_scope_decl:
    case Intrinsic::prefetch:
      return Values{};
    case Intrinsic::assume: {
      // __builtin_assume_aligned(p, n, offset).
      for (unsigned k = 0; k < c.getNumOperandBundles(); ++k) {
        const llvm::OperandBundleUse b = c.getOperandBundleAt(k);
        const auto* n = b.Inputs.size() > 1 ? llvm::dyn_cast<llvm::ConstantInt>(b.Inputs[1]) : nullptr;
        if (b.getTagName() != "align" || n == nullptr || n->isZero() || n->getBitWidth() > 64) continue;
        const uint32_t w = module_.pointer_bits;
        ValueId address = compute(Op::pointer_to_bits, {value(b.Inputs[0])}, w);
        if (b.Inputs.size() > 2) address = compute(Op::sub, {address, resize(value(b.Inputs[2]), w, true)}, w);
        const ValueId rest = compute(Op::and_, {address, bits(n->getZExtValue() - 1, w)}, w);
        emit(Annotation{.note = Note::assume, .condition = compute(Op::eq, {rest, bits(0, w)}, 1)});
      }
      emit(Annotation{.note = Note::assume, .condition = value(c.getArgOperand(0))});
      return Values{};
    }
    case Intrinsic::expect:
      return values(c.getArgOperand(0));
    case Intrinsic::trap:
    case Intrinsic::debugtrap:
    case Intrinsic::ubsantrap:
      return Values{};  // the terminator that follows is the end of the thread, or the place that must not be reached
    case Intrinsic::memcpy:
    case Intrinsic::memcpy_inline:
    case Intrinsic::memmove:
      lower_copy(cast<MemTransferInst>(c));
      return Values{};
    case Intrinsic::memset:
    case Intrinsic::memset_inline:
      lower_fill(cast<MemSetInst>(c));
      return Values{};
    case Intrinsic::ctpop:
      return each1(ir::Op::popcount);
    case Intrinsic::ctlz:
      return each1(ir::Op::clz);
    case Intrinsic::cttz:
      return each1(ir::Op::ctz);
    case Intrinsic::bitreverse:
      return each1(ir::Op::bitreverse);
    case Intrinsic::bswap:
      return each1(ir::Op::byteswap);
    case Intrinsic::smin:
      return each2(ir::Op::smin);
    case Intrinsic::smax:
      return each2(ir::Op::smax);
    case Intrinsic::umin:
      return each2(ir::Op::umin);
    case Intrinsic::umax:
      return each2(ir::Op::umax);
    case Intrinsic::umul_with_overflow: {  // the bytes of `new T[n]`; the size of T is a constant
      const ValueId a = value(c.getArgOperand(0)), b = value(c.getArgOperand(1));
      const auto size = constant_of(b);
      const uint32_t width = type_of(a).width;
      if (!size || *size == 0) return std::nullopt;
      const uint64_t most = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
      return Values{compute(ir::Op::mul, {a, b}, type_of(a)),
                    compute(ir::Op::ult, {bits(most / *size, width), a}, {Type::bits, 1})};
    }
    case Intrinsic::abs: {
      Values vs;
      for (const ValueId v : Values(values(c.getArgOperand(0))))
        vs.push_back(compute(ir::Op::smax, {v, compute(ir::Op::neg, {v}, type_of(v))}, type_of(v)));
      return vs;
    }
    case Intrinsic::fabs:
      return each1(ir::Op::fabs);
    case Intrinsic::fma:
    case Intrinsic::fmuladd: {
      const Values a = values(c.getArgOperand(0)), b = values(c.getArgOperand(1)), d = values(c.getArgOperand(2));
      Values vs;
      for (size_t k = 0; k < a.size(); ++k) vs.push_back(compute(ir::Op::fma, {a[k], b[k], d[k]}, type_of(a[k])));
      return vs;
    }
    case Intrinsic::sqrt:
      return named("sqrt");
    case Intrinsic::sin:
      return named("sin");
    case Intrinsic::cos:
      return named("cos");
    case Intrinsic::exp:
      return named("exp");
    case Intrinsic::exp2:
      return named("exp2");
    case Intrinsic::log:
      return named("log");
    case Intrinsic::log2:
      return named("log2");
    case Intrinsic::log10:
      return named("log10");
    case Intrinsic::pow:
      return named("pow");
    case Intrinsic::floor:
      return named("floor");
    case Intrinsic::ceil:
      return named("ceil");
    case Intrinsic::trunc:
      return named("trunc");
    case Intrinsic::rint:
      return named("rint");
    case Intrinsic::round:
      return named("round");
    case Intrinsic::maxnum:
      return named("fmax");
    case Intrinsic::minnum:
      return named("fmin");
    case Intrinsic::copysign:
      return named("copysign");
    case Intrinsic::nvvm_barrier0:
      barrier(Scope::group, bits(1, 1), bits(1, 1));
      return Values{};
    case Intrinsic::nvvm_membar_cta:
      emit(Fence{.scope = Scope::group});
      return Values{};
    case Intrinsic::nvvm_membar_gl:
      emit(Fence{.scope = Scope::device});
      return Values{};
    case Intrinsic::nvvm_membar_sys:
      emit(Fence{.scope = Scope::system});
      return Values{};
    case Intrinsic::nvvm_bar_warp_sync: {
      emit(Barrier{.scope = Scope::warp,
                   .local_fence = bits(1, 1),
                   .global_fence = bits(1, 1),
                   .mask = value(c.getArgOperand(0))});
      return Values{};
    }
    case Intrinsic::nvvm_barrier_sync:
    case Intrinsic::nvvm_barrier_n: {
      emit(Barrier{.scope = Scope::group,
                   .local_fence = bits(1, 1),
                   .global_fence = bits(1, 1),
                   .name = value(c.getArgOperand(0))});
      return Values{};
    }
    case Intrinsic::nvvm_barrier_sync_cnt:
    case Intrinsic::nvvm_barrier: {
      const ValueId n = value(c.getArgOperand(0)), count = value(c.getArgOperand(1));
      emit(Barrier{
          .scope = Scope::group, .local_fence = bits(1, 1), .global_fence = bits(1, 1), .name = n, .count = count});
      return Values{};
    }
    case Intrinsic::nvvm_read_ptx_sreg_tid_x:
      return Values{id(IdKind::local_id, 0, 32)};
    case Intrinsic::nvvm_read_ptx_sreg_tid_y:
      return Values{id(IdKind::local_id, 1, 32)};
    case Intrinsic::nvvm_read_ptx_sreg_tid_z:
      return Values{id(IdKind::local_id, 2, 32)};
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
      return Values{id(IdKind::group_id, 0, 32)};
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
      return Values{id(IdKind::group_id, 1, 32)};
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
      return Values{id(IdKind::group_id, 2, 32)};
    case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
      return Values{id(IdKind::local_size, 0, 32)};
    case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
      return Values{id(IdKind::local_size, 1, 32)};
    case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
      return Values{id(IdKind::local_size, 2, 32)};
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
      return Values{id(IdKind::num_groups, 0, 32)};
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
      return Values{id(IdKind::num_groups, 1, 32)};
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
      return Values{id(IdKind::num_groups, 2, 32)};
    case Intrinsic::nvvm_read_ptx_sreg_laneid:
      return Values{id(IdKind::lane, 0, 32)};
    case Intrinsic::nvvm_read_ptx_sreg_warpid:  // which may change while a kernel runs
      return Values{any({Type::bits, 32}, "%warpid")};
    case Intrinsic::nvvm_read_ptx_sreg_warpsize:
      return Values{id(IdKind::warp_size, 0, 32)};
    default:
      break;
  }
  return std::nullopt;
}

// A function of the language or of our headers that has no side effects: a symbol of which nothing is known but that
// equal operands give equal results. Functions of vectors work lane by lane, but for those that mix lanes.
std::optional<Values> Lowering::lower_pure(const llvm::CallBase& c, const Demangled& d) {
  const bool user = d.base.starts_with("__uninterpreted_function_");
  if (!user && !c.doesNotAccessMemory()) return std::nullopt;
  static const std::set<std::string> k_mixing = {"cross",     "dot",           "distance",    "length",
                                                 "normalize", "fast_distance", "fast_length", "fast_normalize",
                                                 "shuffle",   "shuffle2"};
  std::vector<Values> args;
  for (const llvm::Use& a : c.args()) args.push_back(values(a.get()));
  const auto parts = leaves(c.getType());
  const std::string symbol = user ? d.base.substr(std::string("__uninterpreted_function_").size()) : d.base;
  Values vs;
  for (size_t k = 0; k < parts.size(); ++k) {
    Values operands;
    bool lanes = k_mixing.count(d.base) == 0;
    for (const Values& a : args) lanes = lanes && (a.size() == 1 || a.size() == parts.size());
    for (const Values& a : args) {
      if (lanes) {
        operands.push_back(a[a.size() == 1 ? 0 : k]);
      } else {
        operands.insert(operands.end(), a.begin(), a.end());
      }
    }
    vs.push_back(
        function_of(lanes || parts.size() == 1 ? symbol : symbol + "#" + std::to_string(k), operands, parts[k].type));
  }
  return vs;
}

// ---- annotations ---------------------------------------------------------------------------------------------------

void Lowering::requires_fresh_array(const llvm::CallBase& c) {
  const llvm::Value* at = c.getArgOperand(0);
  llvm::APInt offset(layout_.getIndexTypeSizeInBits(at->getType()), 0);
  const llvm::Value* base = at->stripAndAccumulateConstantOffsets(layout_, offset, true);
  RegionId slot;
  std::string name;
  if (const auto* g = llvm::dyn_cast<llvm::GlobalVariable>(base)) {
    slot = region_of(*g);
    name = module_.regions[slot.index].name;
  } else if (const auto* a = llvm::dyn_cast<llvm::Argument>(base); a != nullptr && a->hasByValAttr()) {
    slot = out().parameters[out().values[values(a)[0].index].index].region;
    name = module_.regions[slot.index].name;
  } else {
    refuse("__requires_fresh_array of an expression that is not a variable",
           "give it a pointer variable, or a pointer in a structure passed by value");
    return;
  }
  const uint64_t n = offset.getZExtValue();
  auto [it, fresh] = field_regions_.try_emplace({slot.index, n});
  if (fresh) {
    it->second = fresh_region(name, {}, place_);
    module_.regions[slot.index].pointers.push_back({.offset = n, .target = it->second});
  }
  module_.regions[it->second.index].origin = Origin::fresh;
}

namespace {

// No variable of the function and no call of the user's functions.
bool fixed_in_function(const llvm::Value* v) {
  if (llvm::isa<llvm::PHINode>(v)) return false;
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(v)) {
    const llvm::Function* f = call->getCalledFunction();
    if (f == nullptr ||
        !(f->isDeclaration() && (f->isIntrinsic() || f->getName().starts_with("_Z") || f->getName().starts_with("__"))))
      return false;
  }
  if (const auto* u = llvm::dyn_cast<llvm::User>(v))
    for (const llvm::Value* o : u->operands())
      if (!fixed_in_function(o)) return false;
  return true;
}

// All that is made of it goes into annotations.
bool only_annotates(const llvm::Value* v, unsigned depth = 0) {
  if (depth > 16) return false;
  for (const llvm::User* u : v->users()) {
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(u)) {
      const llvm::Function* f = call->getCalledFunction();
      const std::string n = f != nullptr ? demangle(f->getName()).base : "";
      if (n == "__assert" || n == "__global_assert" || n == "__candidate_assert" || n == "__candidate_global_assert")
        continue;
      if ((n != "__implies" && n != "__ite") || !only_annotates(u, depth + 1)) return false;
      continue;
    }
    if (!llvm::isa<llvm::CastInst, llvm::CmpInst, llvm::BinaryOperator, llvm::SelectInst, llvm::PHINode>(u) ||
        !only_annotates(u, depth + 1))
      return false;
  }
  return !v->use_empty();
}

}  // namespace

std::optional<Values> Lowering::lower_annotation(const llvm::CallBase& c, const Demangled& d) {
  const std::string& n = d.base;
  if (!n.starts_with("__")) return std::nullopt;
  const auto arg = [&](unsigned k) { return value(c.getArgOperand(k)); };
  const auto note = [&](Note kind, bool global, bool candidate) -> Values {
    emit(Annotation{.note = kind, .condition = truth(arg(0)), .global = global, .candidate = candidate});
    return {};
  };
  if (n == "__fencepost_spec_begin") {
    spec_ = true;
    return Values{};
  }
  if (n == "__fencepost_spec_end") {
    spec_ = false;
    return Values{};
  }
  if (n == "__assert") return note(Note::assert_, false, false);
  if (n == "__global_assert") return note(Note::assert_, true, false);
  if (n == "__candidate_assert") return note(Note::assert_, false, true);
  if (n == "__candidate_global_assert") return note(Note::assert_, true, true);
  if (n == "__fencepost_assume") return note(Note::assume, false, false);
  if (n == "__fencepost_requires") return note(Note::requires_, false, false);
  if (n == "__fencepost_global_requires") return note(Note::requires_, true, false);
  if (n == "__fencepost_ensures") return note(Note::ensures, false, false);
  if (n == "__fencepost_global_ensures") return note(Note::ensures, true, false);
  if (n == "__fencepost_function_wide_invariant" || n == "__fencepost_function_wide_candidate_invariant") {
    // It holds at every loop of the function, so it may only speak of what is the same at all of them.
    const auto wrong = [&](const std::string& message, const std::string& hint) -> Values {
      if (faults_.list.empty()) faults_.add({.span = span(module_, place_), .message = message, .hint = hint});
      return {};
    };
    if (!fixed_in_function(c.getArgOperand(0)))
      return wrong(
          "a function-wide invariant may only be made of constants and of parameters that the function does not change",
          "use an invariant of each loop for what changes");
    if (!llvm::isa<llvm::ReturnInst>(c.getParent()->getTerminator()))
      return wrong("a function-wide invariant must stand at the end of its function",
                   "move it behind the last statement");
    return note(Note::function_wide_invariant, true, n.find("candidate") != std::string::npos);
  }
  const bool invariant = n == "__fencepost_invariant", global = n == "__fencepost_global_invariant",
             candidate = n == "__fencepost_candidate_invariant", both = n == "__fencepost_candidate_global_invariant";
  if (invariant || global || candidate || both) {
    if (loop_headers_.count(c.getParent()) == 0) {
      if (faults_.list.empty())
        faults_.add(
            {.span = span(module_, place_),
             .message = "user-specified invariant does not appear at loop head",
             .hint = "an invariant belongs into the condition of its loop: for (...; __invariant(e), condition; ...)"});
      return Values{};
    }
    return note(Note::invariant, global || both, candidate || both);
  }
  if (n.starts_with("__fencepost_fresh.")) {
    std::string name = c.getName().str();
    name = name.substr(0, name.find('.'));
    const RegionId r = fresh_region(name, function_, place_);
    module_.regions[r.index].space = space_of(c.getType()->getPointerAddressSpace());
    if (module_.regions[r.index].space == Space::private_) module_.regions[r.index].space = Space::global;
    return Values{pointer_to(r)};
  }
  if (n == "__fencepost_requires_fresh_array") {
    requires_fresh_array(c);
    return Values{};
  }
  const auto result = [&]() { return leaves(c.getType()); };
  if (n == "__enabled") return Values{compute(Op::enabled, {}, 1)};
  if (n == "__dominator_enabled") return Values{compute(Op::dominator_enabled, {}, 1)};
  if (n == "__implies") return Values{compute(Op::implies, {arg(0), arg(1)}, 1)};
  if (n == "__ite") return Values{compute(Op::ite, {arg(0), arg(1), arg(2)}, type_of(arg(1)))};
  if (n == "__add") return Values{compute(Op::add, {arg(0), arg(1)}, type_of(arg(0)))};
  if (n == "__add_noovfl") {
    Values operands;
    for (unsigned k = 0; k < c.arg_size(); ++k) operands.push_back(arg(k));
    return Values{compute(Op::no_overflow_add, operands, {Type::bits, 1}, 0)};
  }
  if (n.starts_with("__add_noovfl_")) {  // the sum, under the assumption that it does not wrap
    const bool is_signed = n.find("unsigned") == std::string::npos;
    const Values operands{arg(0), arg(1)};
    emit(Annotation{.note = Note::assume,
                    .condition = compute(Op::no_overflow_add, operands, {Type::bits, 1}, is_signed ? 1 : 0)});
    return Values{compute(Op::add, operands, type_of(operands[0]))};
  }
  if (n.starts_with("__return_val_") || n == "__fencepost_return_val_funptr") {
    const auto parts = result();
    const auto& declared = out().results;
    bool fits = parts.size() == declared.size();
    for (size_t k = 0; fits && k < parts.size(); ++k) fits = parts[k].type == declared[k];
    if (!fits) {
      if (faults_.list.empty())
        faults_.add(
            {.span = span(module_, place_),
             .message = "the type of '" + (n.starts_with("__fencepost") ? std::string("__return_val_funptr") : n) +
                        "' does not match return type of '" + out().name + "'",
             .hint =
                 "__return_val_int, __return_val_bool and __return_val_ptr are for functions that return that type"});
      return Values{};
    }
    Values vs;
    for (size_t k = 0; k < parts.size(); ++k) vs.push_back(compute(Op::return_value, {}, parts[k].type, k));
    return vs;
  }
  // CUDA's vote has the name of an annotation.
  if (n == "__fencepost_all") {
    if (!spec_ && !only_annotates(&c)) return std::nullopt;
    const ValueId mine = truth(arg(0));
    return Values{resize(compute(Op::and_, {mine, compute(Op::other, {mine}, 1)}, 1), 32, false)};
  }
  if (n == "__old_int" || n == "__old_bool") return Values{compute(Op::old, {arg(0)}, type_of(arg(0)))};
  if (n == "__other_int" || n == "__other_bool" || n == "__other_ptr_base")
    return Values{compute(Op::other, {arg(0)}, type_of(arg(0)))};
  if (n == "__read" || n == "__write")
    return Values{compute(Op::accessed, {arg(0)}, {Type::bits, 1},
                          static_cast<uint64_t>(n == "__read" ? AccessKind::read : AccessKind::write))};
  if (n == "__read_offset_bytes" || n == "__write_offset_bytes")
    return Values{compute(Op::access_offset, {arg(0)}, result()[0].type,
                          static_cast<uint64_t>(n == "__read_offset_bytes" ? AccessKind::read : AccessKind::write))};
  if (n == "__ptr_base") return Values{compute(Op::pointer_base, {arg(0)}, result()[0].type)};
  if (n == "__ptr_offset_bytes") return Values{compute(Op::pointer_offset, {arg(0)}, result()[0].type)};
  if (n == "__reads_from" || n == "__writes_to" || n == "__reads_from_local") {
    emit(Frame{.kind = n == "__writes_to" ? AccessKind::write : AccessKind::read,
               .access = access(arg(0), 1),
               .local = n == "__reads_from_local"});
    return Values{};
  }
  if (n == "__atomic_has_taken_value") return Values{compute(Op::taken_value, {arg(0), arg(1), arg(2)}, 1)};
  if (n == "__array_snapshot") {
    const ValueId to = arg(0), from = arg(1);
    const Access a = access(to, 1);
    emit(Snapshot{.destination = a, .source = access(from, 1)});
    return Values{};
  }
  if (n == "__fencepost_barrier_invariant" || n == "__fencepost_barrier_invariant_binary") {
    BarrierInvariant b{.condition = arg(0), .binary = n.ends_with("binary")};
    for (unsigned k = 1; k < c.arg_size(); ++k) b.instances.push_back(resize(arg(k), module_.pointer_bits, false));
    emit(std::move(b));
    return Values{};
  }
  return std::nullopt;
}

}  // namespace fencepost::clangfe
