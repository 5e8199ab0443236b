// Instructions other than calls; operations also as constant expressions.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>

#include "clangfe/lowering.h"
#include "clangfe/ptx_text.h"

namespace fencepost::clangfe {

using namespace ir;

namespace {

std::optional<Op> binary_op(unsigned opcode) {
  switch (opcode) {
    case llvm::Instruction::Add:
      return Op::add;
    case llvm::Instruction::Sub:
      return Op::sub;
    case llvm::Instruction::Mul:
      return Op::mul;
    case llvm::Instruction::UDiv:
      return Op::udiv;
    case llvm::Instruction::SDiv:
      return Op::sdiv;
    case llvm::Instruction::URem:
      return Op::urem;
    case llvm::Instruction::SRem:
      return Op::srem;
    case llvm::Instruction::Shl:
      return Op::shl;
    case llvm::Instruction::LShr:
      return Op::lshr;
    case llvm::Instruction::AShr:
      return Op::ashr;
    case llvm::Instruction::And:
      return Op::and_;
    case llvm::Instruction::Or:
      return Op::or_;
    case llvm::Instruction::Xor:
      return Op::xor_;
    case llvm::Instruction::FAdd:
      return Op::fadd;
    case llvm::Instruction::FSub:
      return Op::fsub;
    case llvm::Instruction::FMul:
      return Op::fmul;
    case llvm::Instruction::FDiv:
      return Op::fdiv;
    case llvm::Instruction::FRem:
      return Op::frem;
    default:
      return std::nullopt;
  }
}

Op compare_op(llvm::CmpInst::Predicate p) {
  switch (p) {
    case llvm::CmpInst::ICMP_EQ:
      return Op::eq;
    case llvm::CmpInst::ICMP_NE:
      return Op::ne;
    case llvm::CmpInst::ICMP_SLT:
      return Op::slt;
    case llvm::CmpInst::ICMP_SLE:
      return Op::sle;
    case llvm::CmpInst::ICMP_SGT:
      return Op::sgt;
    case llvm::CmpInst::ICMP_SGE:
      return Op::sge;
    case llvm::CmpInst::ICMP_ULT:
      return Op::ult;
    case llvm::CmpInst::ICMP_ULE:
      return Op::ule;
    case llvm::CmpInst::ICMP_UGT:
      return Op::ugt;
    default:
      return Op::uge;
  }
}

std::string value_name(const llvm::Value& v) {
  llvm::StringRef n = v.getName();
  // "i.0" and "i.addr.0" are versions of the variable i; "call", "add" and the like are clang's own.
  if (!llvm::isa<llvm::PHINode>(v)) return {};
  const auto dot = n.find('.');
  return n.take_front(dot).str();
}

}  // namespace

void Lowering::lower_instruction(const llvm::Instruction& i) {
  if (const auto* a = llvm::dyn_cast<llvm::AllocaInst>(&i)) return lower_alloca(*a);
  if (const auto* s = llvm::dyn_cast<llvm::StoreInst>(&i)) {
    if (const auto* g = llvm::dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(s->getPointerOperand()));
        g != nullptr && built_in(*g)) {
      refuse("a write to the built-in variable '" + g->getName().str() + "'");
      return;
    }
    if (s->isAtomic()) {
      refuse("an atomic store whose scope the compiler does not tell",
             "use the functions of OpenCL's header or of CUDA");
      return;
    }
    const Values v = values(s->getValueOperand());
    const ValueId p = value(s->getPointerOperand());
    if (const auto said = space_said(*s)) say_space(module_.sites, *said);
    return store(p, s->getValueOperand()->getType(), v, s->isVolatile());
  }
  if (const auto* f = llvm::dyn_cast<llvm::FenceInst>(&i)) {
    (void)f;
    refuse("a fence whose scope the compiler does not tell", "use the functions of OpenCL's header or of CUDA");
    return;
  }
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&i)) {
    Values vs;
    for (const Leaf& l : leaves(phi->getType())) vs.push_back(emit(l.type, Phi{}, value_name(*phi)));
    values_[phi] = std::move(vs);
    phis_.push_back({phi, block_});
    return;
  }
  Values result;
  if (const auto* c = llvm::dyn_cast<llvm::CallBase>(&i)) {
    result = lower_call(*c);
  } else if (const auto* l = llvm::dyn_cast<llvm::LoadInst>(&i)) {
    result = lower_load(*l);
  } else if (const auto* a = llvm::dyn_cast<llvm::AtomicRMWInst>(&i)) {
    result = lower_atomic(*a);
  } else if (const auto* x = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&i)) {
    result = lower_atomic(*x);
  } else {
    result = lower_operation(*llvm::cast<llvm::Operator>(&i));
  }
  if (!i.getType()->isVoidTy()) values_[&i] = std::move(result);
}

Values Lowering::lower_operation(const llvm::Operator& o) {
  if (const auto* g = llvm::dyn_cast<llvm::GEPOperator>(&o)) return lower_gep(*g);
  if (const auto* c = llvm::dyn_cast<llvm::CmpInst>(&o)) return lower_compare(*c);
  if (const auto* s = llvm::dyn_cast<llvm::SelectInst>(&o)) return lower_select(*s);
  if (const auto* s = llvm::dyn_cast<llvm::ShuffleVectorInst>(&o)) return lower_shuffle(*s);
  if (binary_op(o.getOpcode())) return lower_binary(o);
  if (llvm::Instruction::isCast(o.getOpcode())) return lower_cast(o);
  switch (o.getOpcode()) {
    case llvm::Instruction::FNeg: {
      Values vs;
      for (const ValueId v : Values(values(o.getOperand(0)))) vs.push_back(compute(Op::fneg, {v}, type_of(v)));
      return vs;
    }
    case llvm::Instruction::Freeze:
      return values(o.getOperand(0));
    case llvm::Instruction::ExtractElement: {
      const Values from = values(o.getOperand(0));
      const ValueId at = value(o.getOperand(1));
      if (const auto n = constant_of(at))
        return {*n < from.size() ? from[*n] : any(type_of(from[0]), "element outside the vector")};
      ValueId v = from[0];
      for (size_t k = 1; k < from.size(); ++k)
        v = compute(Op::ite, {compute(Op::eq, {at, bits(k, type_of(at).width)}, 1), from[k], v}, type_of(v));
      return {v};
    }
    case llvm::Instruction::InsertElement: {
      Values to = values(o.getOperand(0));
      const ValueId v = value(o.getOperand(1)), at = value(o.getOperand(2));
      const auto n = constant_of(at);
      for (size_t k = 0; k < to.size(); ++k) {
        if (n) {
          if (*n == k) to[k] = v;
        } else {
          to[k] = compute(Op::ite, {compute(Op::eq, {at, bits(k, type_of(at).width)}, 1), v, to[k]}, type_of(v));
        }
      }
      return to;
    }
    case llvm::Instruction::ExtractValue:
    case llvm::Instruction::InsertValue: {
      const bool insert = o.getOpcode() == llvm::Instruction::InsertValue;
      const auto indices = insert ? llvm::cast<llvm::InsertValueInst>(o).getIndices()
                                  : llvm::cast<llvm::ExtractValueInst>(o).getIndices();
      llvm::Type* t = o.getOperand(0)->getType();
      size_t first = 0;
      for (const unsigned index : indices) {
        for (unsigned k = 0; k < index; ++k)
          first +=
              leaves(llvm::isa<llvm::StructType>(t) ? t->getStructElementType(k) : t->getArrayElementType()).size();
        t = llvm::isa<llvm::StructType>(t) ? t->getStructElementType(index) : t->getArrayElementType();
      }
      Values whole = values(o.getOperand(0));
      if (!insert)
        return Values(whole.begin() + static_cast<long>(first),
                      whole.begin() + static_cast<long>(first + leaves(t).size()));
      const Values part = values(o.getOperand(1));
      std::copy(part.begin(), part.end(), whole.begin() + static_cast<long>(first));
      return whole;
    }
    default:
      break;
  }
  refuse(std::string("the instruction '") +
         (llvm::isa<llvm::Instruction>(o) ? llvm::cast<llvm::Instruction>(o).getOpcodeName() : "constant expression") +
         "'");
  return {};
}

Values Lowering::lower_binary(const llvm::Operator& o) {
  const Op op = *binary_op(o.getOpcode());
  const Values a = values(o.getOperand(0)), b = values(o.getOperand(1));
  bool nsw = false, nuw = false;
  if (const auto* w = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&o)) {
    nsw = w->hasNoSignedWrap();
    nuw = w->hasNoUnsignedWrap();
  }
  Values vs;
  for (size_t k = 0; k < a.size(); ++k) {
    ValueId y = b[k];
    // OpenCL and PTX mask the distance of a shift; clang has done so for OpenCL. Elsewhere a longer distance is
    // undefined.
    const ValueId r = compute(op, {a[k], y}, type_of(a[k]));
    auto& made = out().blocks[block_.index].instructions;
    if ((nsw || nuw) && !made.empty() && !made.back().results.empty() && made.back().results[0] == r)
      if (auto* c = std::get_if<Compute>(&made.back().action)) {
        c->no_signed_wrap = nsw;
        c->no_unsigned_wrap = nuw;
      }
    vs.push_back(r);
  }
  return vs;
}

Values Lowering::lower_bitcast(const Values& from, llvm::Type* from_type, llvm::Type* to_type) {
  const auto a = leaves(from_type), b = leaves(to_type);
  if (a.empty() || b.empty()) return {};
  const uint32_t wa = a[0].type.width, wb = b[0].type.width;
  if (wa == wb) return from;
  Values vs;
  if (wa < wb && wb % wa == 0) {
    for (size_t k = 0; k < b.size(); ++k) {
      ValueId v = from[k * (wb / wa)];
      for (size_t j = 1; j < wb / wa; ++j) v = compute(Op::concat, {from[k * (wb / wa) + j], v}, type_of(v).width + wa);
      vs.push_back(v);
    }
    return vs;
  }
  if (wa > wb && wa % wb == 0) {
    for (const ValueId v : from)
      for (uint32_t j = 0; j < wa / wb; ++j)
        vs.push_back(compute(Op::extract, {v}, {Type::bits, static_cast<uint8_t>(wb)}, j * wb));
    return vs;
  }
  refuse("a reinterpretation of " + std::to_string(wa) + "-bit elements as " + std::to_string(wb) + "-bit elements");
  return {};
}

Values Lowering::lower_cast(const llvm::Operator& o) {
  const Values from = values(o.getOperand(0));
  llvm::Type* target = o.getType();
  if (o.getOpcode() == llvm::Instruction::BitCast) return lower_bitcast(from, o.getOperand(0)->getType(), target);
  if (o.getOpcode() == llvm::Instruction::AddrSpaceCast) return from;
  const auto to = leaves(target);
  Values vs;
  for (size_t k = 0; k < from.size() && k < to.size(); ++k) {
    const Type t = to[k].type;
    switch (o.getOpcode()) {
      case llvm::Instruction::Trunc:
        vs.push_back(compute(Op::trunc, {from[k]}, t));
        break;
      case llvm::Instruction::ZExt:
        vs.push_back(compute(Op::zext, {from[k]}, t));
        break;
      case llvm::Instruction::SExt:
        vs.push_back(compute(Op::sext, {from[k]}, t));
        break;
      case llvm::Instruction::FPTrunc:
      case llvm::Instruction::FPExt:
        vs.push_back(compute(Op::float_to_float, {from[k]}, t));
        break;
      case llvm::Instruction::FPToSI:
        vs.push_back(compute(Op::float_to_sint, {from[k]}, t));
        break;
      case llvm::Instruction::FPToUI:
        vs.push_back(compute(Op::float_to_uint, {from[k]}, t));
        break;
      case llvm::Instruction::SIToFP:
        vs.push_back(compute(Op::sint_to_float, {from[k]}, t));
        break;
      case llvm::Instruction::UIToFP:
        vs.push_back(compute(Op::uint_to_float, {from[k]}, t));
        break;
      case llvm::Instruction::PtrToInt: {
        const ValueId n = compute(Op::pointer_to_bits, {from[k]}, module_.pointer_bits);
        vs.push_back(resize(n, t.width, false));
        break;
      }
      case llvm::Instruction::IntToPtr: {
        if (constant_of(from[k]) == 0) {
          vs.push_back(null());
        } else {
          vs.push_back(compute(Op::bits_to_pointer, {resize(from[k], module_.pointer_bits, false)}, t));
        }
        break;
      }
      default:
        refuse("a conversion of this kind");
        return {};
    }
  }
  return vs;
}

Values Lowering::lower_gep(const llvm::GEPOperator& g) {
  if (g.getType()->isVectorTy()) {
    refuse("a vector of pointers");
    return {};
  }
  const ValueId base = value(g.getPointerOperand());
  const uint32_t width = module_.pointer_bits;
  uint64_t fixed = 0;
  ValueId moving;
  // `inbounds`: the offset as an integer, before it is cut to the width of an address, is the one that is meant.
  const auto exact = [&](ValueId v) {
    auto& made = out().blocks[block_.index].instructions;
    if (g.isInBounds() && !made.empty() && !made.back().results.empty() && made.back().results[0] == v)
      if (auto* c = std::get_if<Compute>(&made.back().action)) c->no_signed_wrap = true;
    return v;
  };
  for (auto it = llvm::gep_type_begin(g), end = llvm::gep_type_end(g); it != end; ++it) {
    const llvm::Value* index = it.getOperand();
    if (llvm::StructType* s = it.getStructTypeOrNull()) {
      fixed += layout_.getStructLayout(s)->getElementOffset(llvm::cast<llvm::ConstantInt>(index)->getZExtValue());
      continue;
    }
    const uint64_t step = it.getSequentialElementStride(layout_);
    if (const auto* n = llvm::dyn_cast<llvm::ConstantInt>(index)) {
      fixed += static_cast<uint64_t>(n->getSExtValue()) * step;
      continue;
    }
    const ValueId i = resize(value(index), width, true);
    const ValueId scaled = step == 1 ? i : exact(compute(Op::mul, {i, bits(step, width)}, width));
    moving = moving ? exact(compute(Op::add, {moving, scaled}, width)) : scaled;
  }
  if (!moving) return {offset_pointer(base, fixed & (width == 32 ? 0xffffffffu : ~uint64_t{0}))};
  if (fixed != 0) moving = exact(compute(Op::add, {moving, bits(fixed, width)}, width));
  return {offset_pointer(base, moving)};
}

Values Lowering::lower_compare(const llvm::CmpInst& c) {
  const Values a = values(c.getOperand(0)), b = values(c.getOperand(1));
  Values vs;
  for (size_t k = 0; k < a.size(); ++k) {
    if (c.isFPPredicate()) {
      vs.push_back(compute(Op::fcmp, {a[k], b[k]}, {Type::bits, 1}, static_cast<uint64_t>(c.getPredicate())));
    } else if (type_of(a[k]).kind == Type::pointer) {
      switch (c.getPredicate()) {
        case llvm::CmpInst::ICMP_EQ:
          vs.push_back(compute(Op::pointer_eq, {a[k], b[k]}, 1));
          break;
        case llvm::CmpInst::ICMP_NE:
          vs.push_back(compute(Op::not_, {compute(Op::pointer_eq, {a[k], b[k]}, 1)}, 1));
          break;
        case llvm::CmpInst::ICMP_ULT:
          vs.push_back(compute(Op::pointer_ult, {a[k], b[k]}, 1));
          break;
        case llvm::CmpInst::ICMP_UGT:
          vs.push_back(compute(Op::pointer_ult, {b[k], a[k]}, 1));
          break;
        case llvm::CmpInst::ICMP_ULE:
          vs.push_back(compute(Op::not_, {compute(Op::pointer_ult, {b[k], a[k]}, 1)}, 1));
          break;
        case llvm::CmpInst::ICMP_UGE:
          vs.push_back(compute(Op::not_, {compute(Op::pointer_ult, {a[k], b[k]}, 1)}, 1));
          break;
        default:
          refuse("a signed comparison of pointers");
          return {};
      }
    } else {
      vs.push_back(compute(compare_op(c.getPredicate()), {a[k], b[k]}, 1));
    }
  }
  return vs;
}

Values Lowering::lower_select(const llvm::SelectInst& s) {
  const Values c = values(s.getCondition()), a = values(s.getTrueValue()), b = values(s.getFalseValue());
  Values vs;
  for (size_t k = 0; k < a.size(); ++k)
    vs.push_back(compute(Op::ite, {c[c.size() == 1 ? 0 : k], a[k], b[k]}, type_of(a[k])));
  return vs;
}

Values Lowering::lower_shuffle(const llvm::ShuffleVectorInst& s) {
  const Values a = values(s.getOperand(0)), b = values(s.getOperand(1));
  Values vs;
  for (const int m : s.getShuffleMask()) {
    if (m < 0) {
      vs.push_back(any(type_of(a[0]), "undefined element"));
    } else {
      vs.push_back(static_cast<size_t>(m) < a.size() ? a[static_cast<size_t>(m)]
                                                     : b[static_cast<size_t>(m) - a.size()]);
    }
  }
  return vs;
}

Values Lowering::lower_load(const llvm::LoadInst& l) {
  if (l.isAtomic()) {
    refuse("an atomic load whose scope the compiler does not tell", "use the functions of OpenCL's header or of CUDA");
    return {};
  }
  // CUDA's built-in variables.
  if (module_.dialect == Dialect::cuda) {
    llvm::APInt offset(layout_.getIndexTypeSizeInBits(l.getPointerOperandType()), 0);
    const llvm::Value* base = l.getPointerOperand()->stripAndAccumulateConstantOffsets(layout_, offset, true);
    if (const auto* g = llvm::dyn_cast<llvm::GlobalVariable>(base); g != nullptr && built_in(*g)) {
      const llvm::StringRef n = g->getName();
      const uint64_t at = offset.getZExtValue();
      const uint64_t size = layout_.getTypeStoreSize(l.getType());
      if (n == "warpSize" && at == 0 && size == 4) return {id(IdKind::warp_size, 0, 32)};
      if (n != "warpSize" && at % 4 == 0 && size == 4 && at <= 8) {
        const IdKind k = n == "threadIdx"  ? IdKind::local_id
                         : n == "blockIdx" ? IdKind::group_id
                         : n == "blockDim" ? IdKind::local_size
                                           : IdKind::num_groups;
        return {id(k, static_cast<uint32_t>(at / 4), 32)};
      }
    }
  }
  const ValueId p = value(l.getPointerOperand());
  if (const auto said = space_said(l)) say_space(module_.sites, *said);
  cache_ = l.hasMetadata(llvm::LLVMContext::MD_invariant_load) ? Access::read_only : cache_of(*l.getPointerOperand());
  Values out = load(p, l.getType(), l.isVolatile());
  cache_ = Access::coherent;
  return out;
}

Values Lowering::lower_atomic(const llvm::AtomicRMWInst&) {
  refuse("an atomic operation whose scope the compiler does not tell",
         "use the functions of OpenCL's header or of CUDA");
  return {};
}

Values Lowering::lower_atomic(const llvm::AtomicCmpXchgInst&) {
  refuse("an atomic operation whose scope the compiler does not tell",
         "use the functions of OpenCL's header or of CUDA");
  return {};
}

void Lowering::lower_alloca(const llvm::AllocaInst& a) {
  const auto* count = llvm::dyn_cast<llvm::ConstantInt>(a.getArraySize());
  if (count == nullptr) {
    refuse("an array whose length is not constant");
    return;
  }
  Region r;
  r.name = a.getName().str();
  if (const auto dot = r.name.find('.'); dot != std::string::npos && dot > 0) r.name = r.name.substr(0, dot);
  r.owner = function_;
  r.space = Space::private_;
  r.origin = Origin::automatic;
  r.place = place_;
  describe(r, a.getAllocatedType(), true);
  if (!count->isOne() && r.size) {
    r.dimensions.insert(r.dimensions.begin(), count->getZExtValue());
    *r.size *= count->getZExtValue();
  }
  module_.regions.push_back(std::move(r));
  values_[&a] = {pointer_to({static_cast<uint32_t>(module_.regions.size() - 1)})};
}

void Lowering::lower_terminator(const llvm::Instruction& i) {
  const auto finish = [&](Terminator t) { out().blocks[block_.index].terminator = std::move(t); };
  if (const auto* b = llvm::dyn_cast<llvm::BranchInst>(&i)) {
    if (b->isUnconditional() || b->getSuccessor(0) == b->getSuccessor(1))
      return finish(Jump{blocks_.at(b->getSuccessor(0))});
    return finish(Branch{value(b->getCondition()), blocks_.at(b->getSuccessor(0)), blocks_.at(b->getSuccessor(1))});
  }
  if (const auto* s = llvm::dyn_cast<llvm::SwitchInst>(&i)) {
    Switch out{.value = value(s->getCondition()), .otherwise = blocks_.at(s->getDefaultDest())};
    for (const auto& c : s->cases())
      out.cases.push_back({c.getCaseValue()->getZExtValue(), blocks_.at(c.getCaseSuccessor())});
    return finish(std::move(out));
  }
  if (const auto* r = llvm::dyn_cast<llvm::ReturnInst>(&i)) {
    Return out;
    if (r->getReturnValue() != nullptr) out.values = values(r->getReturnValue());
    return finish(std::move(out));
  }
  if (llvm::isa<llvm::UnreachableInst>(i)) {
    const llvm::Instruction* before = i.getPrevNonDebugInstruction();
    const auto* call = llvm::dyn_cast_or_null<llvm::CallBase>(before);
    const bool trap =
        call != nullptr && call->getCalledFunction() != nullptr && call->getCalledFunction()->getName() == "llvm.trap";
    return finish(trap ? Terminator{Trap{}} : Terminator{Unreachable{}});
  }
  refuse(std::string("the instruction '") + i.getOpcodeName() + "'");
}

}  // namespace fencepost::clangfe
