// Values of LLVM IR as registers: constants, variables and parameters, addresses, and structures, which are one
// register for each number in them.
#include <fmt/format.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>

#include <algorithm>

#include "clangfe/plain_writer.h"

namespace fencepost::clangfe {

std::string said(const llvm::Type* t) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  t->print(stream);
  return out;
}

void Writer::numbers(llvm::Type* t, uint64_t at, std::vector<std::pair<uint64_t, llvm::Type*>>& out) const {
  if (auto* s = llvm::dyn_cast<llvm::StructType>(t)) {
    const llvm::StructLayout* l = layout_.getStructLayout(s);
    for (unsigned k = 0; k < s->getNumElements(); ++k) numbers(s->getElementType(k), at + l->getElementOffset(k), out);
  } else if (auto* a = llvm::dyn_cast<llvm::ArrayType>(t)) {
    const uint64_t each = layout_.getTypeAllocSize(a->getElementType());
    if (a->getNumElements() > 4096) refuse("an array of more than 4096 elements as a value");
    for (uint64_t k = 0; k < a->getNumElements(); ++k) numbers(a->getElementType(), at + k * each, out);
  } else {
    out.emplace_back(at, t);
  }
}

std::vector<std::pair<uint64_t, llvm::Type*>> Writer::numbers(llvm::Type* t) const {
  std::vector<std::pair<uint64_t, llvm::Type*>> out;
  numbers(t, 0, out);
  return out;
}

std::pair<size_t, size_t> Writer::part(llvm::Type* t, llvm::ArrayRef<unsigned> path) const {
  size_t first = 0;
  for (const unsigned k : path) {
    for (unsigned before = 0; before < k; ++before)
      first += numbers(llvm::GetElementPtrInst::getTypeAtIndex(t, before)).size();
    t = llvm::GetElementPtrInst::getTypeAtIndex(t, k);
  }
  return {first, numbers(t).size()};
}

std::vector<std::string> Writer::whole(llvm::Value* v) {
  if (!is_whole(v->getType())) return {value(v)};
  const auto of = numbers(v->getType());
  std::vector<std::string> out;
  if (auto* c = llvm::dyn_cast<llvm::Constant>(v)) {
    if (c->isNullValue()) return std::vector<std::string>(of.size(), "0");
    if (llvm::isa<llvm::UndefValue>(c)) {
      for (const auto& [at, t] : of) out.push_back(declare("undefined", bits_of(t)));
      return out;
    }
    for (unsigned k = 0; c->getAggregateElement(k) != nullptr; ++k)
      for (std::string& s : whole(c->getAggregateElement(k))) out.push_back(std::move(s));
    if (out.size() != of.size()) refuse(fmt::format("a constant of type {}", said(v->getType())));
    return out;
  }
  auto& known = wholes_[v];
  if (known.empty())
    for (const auto& [at, t] : of) known.push_back(declare("part", bits_of(t)));
  return known;
}

void Writer::move_whole(llvm::Instruction& to, const std::vector<std::string>& from) {
  const std::vector<std::string> parts = whole(&to);
  const auto of = numbers(to.getType());
  for (size_t k = 0; k < parts.size(); ++k)
    put(fmt::format("mov.{} {}, {}", type(bits_of(of[k].second)), parts[k], from[k]));
}

bool Writer::whole_instruction(llvm::Instruction& i) {
  if (auto* e = llvm::dyn_cast<llvm::ExtractValueInst>(&i)) {
    const auto [first, count] = part(e->getAggregateOperand()->getType(), e->getIndices());
    const std::vector<std::string> from = whole(e->getAggregateOperand());
    if (is_whole(i.getType()))
      move_whole(i,
                 {from.begin() + static_cast<ptrdiff_t>(first), from.begin() + static_cast<ptrdiff_t>(first + count)});
    else
      put(fmt::format("mov.{} {}, {}", type(bits_of(i.getType())), register_of(i), from[first]));
    return true;
  }
  if (auto* e = llvm::dyn_cast<llvm::InsertValueInst>(&i)) {
    const auto [first, count] = part(e->getType(), e->getIndices());
    std::vector<std::string> from = whole(e->getAggregateOperand());
    const std::vector<std::string> in = whole(e->getInsertedValueOperand());
    std::copy(in.begin(), in.end(), from.begin() + static_cast<ptrdiff_t>(first));
    move_whole(i, from);
    return true;
  }
  if (auto* s = llvm::dyn_cast<llvm::SelectInst>(&i); s != nullptr && is_whole(i.getType())) {
    const std::vector<std::string> yes = whole(s->getTrueValue()), no = whole(s->getFalseValue()), to = whole(s);
    const auto of = numbers(i.getType());
    const std::string p = predicate(s->getCondition());
    for (size_t k = 0; k < to.size(); ++k)
      put(fmt::format("selp.{} {}, {}, {}, {}", type(bits_of(of[k].second)), to[k], yes[k], no[k], p));
    return true;
  }
  if (auto* l = llvm::dyn_cast<llvm::LoadInst>(&i); l != nullptr && is_whole(i.getType())) {
    const std::string at = value(l->getPointerOperand());
    const std::vector<std::string> to = whole(l);
    const auto of = numbers(i.getType());
    for (size_t k = 0; k < to.size(); ++k)
      load_number(of[k].second, to[k], at, of[k].first, l->getAlign(), l->isVolatile());
    return true;
  }
  if (auto* s = llvm::dyn_cast<llvm::StoreInst>(&i); s != nullptr && is_whole(s->getValueOperand()->getType())) {
    const std::string at = value(s->getPointerOperand());
    const std::vector<std::string> from = whole(s->getValueOperand());
    const auto of = numbers(s->getValueOperand()->getType());
    for (size_t k = 0; k < from.size(); ++k)
      store_number(of[k].second, at, of[k].first, s->getAlign(), from[k], s->isVolatile());
    return true;
  }
  return false;
}

std::string Writer::value(llvm::Value* v) {
  if (auto* c = llvm::dyn_cast<llvm::ConstantInt>(v)) {
    bits_of(c->getType());
    return fmt::format("{}", c->getValue().getZExtValue());
  }
  if (auto* c = llvm::dyn_cast<llvm::ConstantFP>(v)) {
    bits_of(c->getType());
    return fmt::format("{}", c->getValueAPF().bitcastToAPInt().getZExtValue());
  }
  if (llvm::isa<llvm::ConstantPointerNull>(v)) return "0";
  if (llvm::isa<llvm::UndefValue>(v)) return declare("undefined", bits_of(v->getType()));  // poison too
  if (auto* g = llvm::dyn_cast<llvm::GlobalVariable>(v)) {
    const std::string r = declare(word_of(g->getName()), 64);
    put(fmt::format("mov.b64 {}, {}", r, variable(*g)));
    return r;
  }
  if (auto* a = llvm::dyn_cast<llvm::Argument>(v)) return names_.at(a);
  if (auto* e = llvm::dyn_cast<llvm::ConstantExpr>(v)) return expression(*e);
  if (llvm::isa<llvm::Instruction>(v)) return register_of(*v);
  if (llvm::isa<llvm::Function>(v)) refuse("the address of a function");
  refuse(fmt::format("a constant of type {}", said(v->getType())));
}

std::string Writer::expression(llvm::ConstantExpr& e) {
  switch (e.getOpcode()) {
    case llvm::Instruction::GetElementPtr:
      return address(*llvm::cast<llvm::GEPOperator>(&e), "address");
    case llvm::Instruction::AddrSpaceCast:
    case llvm::Instruction::IntToPtr:
    case llvm::Instruction::BitCast:
      return value(e.getOperand(0));
    case llvm::Instruction::PtrToInt:
      if (e.getType()->getIntegerBitWidth() == 64) return value(e.getOperand(0));
      break;
    default:
      break;
  }
  refuse(fmt::format("the constant expression '{}'", e.getOpcodeName()));
}

bool Writer::built_in(const llvm::GlobalVariable& g) {
  return g.getName() == "threadIdx" || g.getName() == "blockIdx" || g.getName() == "blockDim" ||
         g.getName() == "gridDim" || g.getName() == "warpSize";
}

std::string Writer::variable(const llvm::GlobalVariable& g) {
  const auto [it, first] = globals_.try_emplace(&g, word_of(g.getName()));
  if (!first) return it->second;
  if (built_in(g)) refuse(fmt::format("the address of {}", g.getName().str()));
  const char* space = g.getAddressSpace() == 3 ? "shared" : g.getAddressSpace() == 4 ? "const" : "global";
  if (g.getAddressSpace() != 0 && g.getAddressSpace() != 1 && g.getAddressSpace() != 3 && g.getAddressSpace() != 4)
    refuse(fmt::format("the address space {} of {}", g.getAddressSpace(), g.getName().str()));
  llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> debug;
  g.getDebugInfo(debug);
  const llvm::DIGlobalVariable* d = debug.empty() ? nullptr : debug.front()->getVariable();
  if (g.getName().starts_with("__fencepost")) refuse("a surface or texture");
  const uint64_t bytes = layout_.getTypeAllocSize(g.getValueType());
  const bool open = g.getAddressSpace() == 3 && g.isDeclaration() && bytes == 0;
  if (g.isDeclaration() && !open && g.getAddressSpace() != 3)
    refuse(fmt::format("{} is a variable of another file", d == nullptr ? g.getName().str() : d->getName().str()));
  variables_ += fmt::format("{}.{} .align {} .b8 {}[{}]", g.isDeclaration() ? ".extern " : "", space,
                            layout_.getPreferredAlign(&g).value(), it->second, open ? "" : std::to_string(bytes));
  if (g.hasInitializer() && g.getAddressSpace() != 3 && !g.getInitializer()->isNullValue() &&
      !llvm::isa<llvm::UndefValue>(g.getInitializer())) {
    std::vector<uint8_t> image(bytes, 0);
    fill(g.getInitializer(), image, 0);
    std::string list;
    for (const uint8_t b : image) list += fmt::format("{}{}", list.empty() ? "" : ",", b);
    variables_ += fmt::format(" = {{{}}}", list);
  }
  variables_ += ";\n";
  table_.variable(it->second, d == nullptr ? word_of(g.getName()) : word_of(d->getName()),
                  d == nullptr ? nullptr : d->getFile(), d == nullptr ? 0 : d->getLine(),
                  d == nullptr ? nullptr : d->getType());
  return it->second;
}

void Writer::fill(const llvm::Constant* c, std::vector<uint8_t>& image, uint64_t at) const {
  if (c->isNullValue() || llvm::isa<llvm::UndefValue>(c)) return;
  const auto bytes = [&](const llvm::APInt& n) {
    for (unsigned k = 0; 8 * k < n.getBitWidth() && at + k < image.size(); ++k)
      image[at + k] = static_cast<uint8_t>(n.extractBitsAsZExtValue(std::min(8u, n.getBitWidth() - 8 * k), 8 * k));
  };
  if (const auto* i = llvm::dyn_cast<llvm::ConstantInt>(c)) return bytes(i->getValue());
  if (const auto* f = llvm::dyn_cast<llvm::ConstantFP>(c)) return bytes(f->getValueAPF().bitcastToAPInt());
  if (const auto* s = llvm::dyn_cast<llvm::ConstantStruct>(c)) {
    const llvm::StructLayout* l = layout_.getStructLayout(s->getType());
    for (unsigned k = 0; k < s->getNumOperands(); ++k) fill(s->getOperand(k), image, at + l->getElementOffset(k));
    return;
  }
  if (const auto* a = llvm::dyn_cast<llvm::ArrayType>(c->getType())) {
    const uint64_t each = layout_.getTypeAllocSize(a->getElementType());
    for (unsigned k = 0; k < a->getNumElements(); ++k)
      if (const llvm::Constant* e = c->getAggregateElement(k)) fill(e, image, at + k * each);
    return;
  }
  refuse(fmt::format("an initial value of type {}", said(c->getType())), "memory that holds addresses is not read");
}

std::string Writer::parameter(llvm::Argument& a) {
  const llvm::DILocalVariable* d = nullptr;
  for (llvm::BasicBlock& b : kernel_)
    for (llvm::Instruction& i : b)
      for (llvm::DbgVariableRecord& r : llvm::filterDbgVars(i.getDbgRecordRange()))
        if (r.getVariable()->getArg() == a.getArgNo() + 1 &&
            r.getVariable()->getScope()->getSubprogram() == kernel_.getSubprogram())
          d = r.getVariable();
  const std::string shown =
      d != nullptr && !d->getName().empty() ? word_of(d->getName()) : fmt::format("param_{}", a.getArgNo());
  const std::string name = fmt::format("{}.param{}", shown, a.getArgNo());
  table_.variable(name, shown, d == nullptr ? nullptr : d->getFile(), d == nullptr ? 0 : d->getLine(),
                  d == nullptr ? nullptr : d->getType());
  if (a.hasByValAttr()) {
    const std::string r = names_[&a] = declare(shown, 64);
    put(fmt::format("mov.b64 {}, {}", r, name));
    return fmt::format(".param .align {} .b8 {}[{}]", a.getParamAlign().valueOrOne().value(), name,
                       layout_.getTypeAllocSize(a.getParamByValType()).getFixedValue());
  }
  const unsigned bits = bits_of(a.getType());
  const std::string r = names_[&a] = declare(shown, bits);
  if (bits == 1) {
    const std::string byte = declare(shown, 8);
    put(fmt::format("ld.param.u8 {}, [{}]", byte, name));
    put(fmt::format("setp.ne.u8 {}, {}, 0", r, byte));
  } else {
    put(fmt::format("ld.param.u{} {}, [{}]", bits, r, name));
  }
  return fmt::format(".param .{}{} {}", type(bits == 1 ? 8 : bits, 'u'), a.getType()->isPointerTy() ? " .ptr" : "",
                     name);
}

namespace {

// Whether a place is only read and written there: `a[i]`, and not `&a[i]`, which may be the end of the array.
bool is_accessed_only(const llvm::Value& address) {
  return std::all_of(address.use_begin(), address.use_end(), [](const llvm::Use& u) {
    if (llvm::isa<llvm::LoadInst>(u.getUser())) return true;
    if (llvm::isa<llvm::StoreInst>(u.getUser())) return u.getOperandNo() == 1;
    return llvm::isa<llvm::GetElementPtrInst>(u.getUser()) && is_accessed_only(*u.getUser());
  });
}

// The array of a subscript is a whole object, whose bounds are looked at where it is accessed.
bool is_whole_object(const llvm::GEPOperator& g) {
  const llvm::Value* base = g.getPointerOperand()->stripPointerCasts();
  const llvm::Type* t = nullptr;
  if (const auto* v = llvm::dyn_cast<llvm::GlobalVariable>(base)) t = v->getValueType();
  if (const auto* a = llvm::dyn_cast<llvm::AllocaInst>(base)) t = a->getAllocatedType();
  return t == g.getSourceElementType() && g.getNumIndices() == 2;
}

}  // namespace

// A subscript outside of an array inside of a larger object is undefined, though an element of something else lies
// there (C++ [expr.add]). Arrays of one element at the end of a structure may be longer, as compilers have it.
void Writer::subscript(llvm::GEPOperator& g, uint64_t elements, llvm::Value* index) {
  if (elements < 2 || is_whole_object(g)) return;
  const uint64_t most = is_accessed_only(g) ? elements - 1 : elements;
  if (const auto* c = llvm::dyn_cast<llvm::ConstantInt>(index)) {
    if (c->getValue().ugt(most)) put("cuda.ub.subscript");
    return;
  }
  undefined("subscript", "gt.u", bits_of(index->getType()), value(index), std::to_string(most));
}

std::string Writer::address(llvm::GEPOperator& g, const std::string& wish) {
  if (g.getType()->isVectorTy()) refuse("a vector of addresses");
  std::string at = value(g.getPointerOperand());
  uint64_t offset = 0;
  llvm::Type* within = nullptr;  // what the next index chooses from; the first counts objects
  for (auto it = llvm::gep_type_begin(g), end = llvm::gep_type_end(g); it != end; ++it) {
    llvm::Value* index = it.getOperand();
    if (llvm::StructType* s = it.getStructTypeOrNull()) {
      within = llvm::GetElementPtrInst::getTypeAtIndex(within, index);
      offset += layout_.getStructLayout(s)->getElementOffset(
          static_cast<unsigned>(llvm::cast<llvm::ConstantInt>(index)->getZExtValue()));
      continue;
    }
    if (const auto* a = llvm::dyn_cast_or_null<llvm::ArrayType>(within)) subscript(g, a->getNumElements(), index);
    within = within == nullptr ? g.getSourceElementType() : llvm::GetElementPtrInst::getTypeAtIndex(within, index);
    const uint64_t each = it.getSequentialElementStride(layout_).getFixedValue();
    if (const auto* c = llvm::dyn_cast<llvm::ConstantInt>(index)) {
      offset += static_cast<uint64_t>(c->getSExtValue()) * each;
      continue;
    }
    std::string n = value(index);
    if (const unsigned bits = bits_of(index->getType()); bits != 64) {
      const std::string wide = declare("index", 64);
      put(fmt::format("cvt.s64.s{} {}, {}", bits, wide, n));
      n = wide;
    }
    if (each != 1) {
      const std::string scaled = declare("offset", 64);
      put(fmt::format("mul.lo.u64 {}, {}, {}", scaled, n, each));
      n = scaled;
    }
    const std::string sum = declare(wish, 64);
    put(fmt::format("add.u64 {}, {}, {}", sum, at, n));
    at = sum;
  }
  if (offset == 0) return at;
  const std::string sum = declare(wish, 64);
  put(fmt::format("add.u64 {}, {}, {}", sum, at, offset));
  return sum;
}

std::string Writer::predicate(llvm::Value* v) {
  if (!llvm::isa<llvm::Constant>(v)) return value(v);
  const std::string p = declare("condition", 1);
  put(fmt::format("mov.pred {}, {}", p, value(v)));
  return p;
}

}  // namespace fencepost::clangfe
