// Accesses to memory: numbers, members of packed structures in aligned pieces, copies piece by piece.
#include <fmt/format.h>

#include <algorithm>

#include "clangfe/plain_writer.h"

namespace fencepost::clangfe {

void Writer::local(llvm::AllocaInst& a) {
  if (a.isArrayAllocation()) refuse("an array whose size is not constant");
  const std::string name = fmt::format("{}.local{}", a.getName().empty() ? "local" : word_of(a.getName()), locals_++);
  registers_ += fmt::format(".local .align {} .b8 {}[{}];\n", a.getAlign().value(), name,
                            layout_.getTypeAllocSize(a.getAllocatedType()).getFixedValue());
  variable_names_[&a] = name;
  put(fmt::format("mov.b64 {}, {}", register_of(a), name));
}

std::optional<std::string> Writer::special(const llvm::Value* pointer) const {
  llvm::APInt offset(64, 0);
  const llvm::Value* base = pointer->stripAndAccumulateConstantOffsets(layout_, offset, true);
  while (const auto* e = llvm::dyn_cast<llvm::ConstantExpr>(base)) {
    if (e->getOpcode() != llvm::Instruction::AddrSpaceCast) break;
    base = e->getOperand(0)->stripAndAccumulateConstantOffsets(layout_, offset, true);
  }
  const auto* g = llvm::dyn_cast<llvm::GlobalVariable>(base);
  if (g == nullptr || !built_in(*g)) return std::nullopt;
  if (g->getName() == "warpSize") return "WARP_SZ";
  const uint64_t k = offset.getZExtValue();
  const char* name = g->getName() == "threadIdx"  ? "tid"
                     : g->getName() == "blockIdx" ? "ctaid"
                     : g->getName() == "blockDim" ? "ntid"
                                                  : "nctaid";
  if (k > 8 || k % 4 != 0) refuse(fmt::format("a part of {}", g->getName().str()));
  return fmt::format("%{}.{}", name, "xyz"[k / 4]);
}

void Writer::load(llvm::LoadInst& l) {
  if (l.isAtomic()) refuse("an atomic load of LLVM", "cuda::atomic_ref is read");
  if (const auto s = special(l.getPointerOperand())) {
    if (bits_of(l.getType()) != 32) refuse("a part of a built-in variable");
    return put(fmt::format("mov.u32 {}, {}", register_of(l), *s));
  }
  load_number(l.getType(), register_of(l), value(l.getPointerOperand()), 0, l.getAlign(), l.isVolatile());
}

unsigned Writer::aligned_bits(unsigned bits, llvm::Align base, uint64_t offset) {
  return std::min<unsigned>(bits, static_cast<unsigned>(8 * llvm::commonAlignment(base, offset).value()));
}

void Writer::load_number(llvm::Type* t, const std::string& to, const std::string& at, uint64_t offset, llvm::Align base,
                         bool is_volatile) {
  const unsigned n = bits_of(t);
  const char* order = is_volatile ? "volatile" : "plain";
  if (const unsigned piece = aligned_bits(n == 1 ? 8 : n, base, offset); n > piece) {
    if (is_volatile) refuse("a volatile access to a member that is not aligned");
    std::string whole = "0";
    for (unsigned bit = 0; bit < n; bit += piece) {
      const std::string part = declare("piece", piece), wide = declare("piece", n), next = declare("pieces", n);
      put(fmt::format("cuda.ld.plain.none.u{} {}, [{}+{}]", piece, part, at, offset + bit / 8));
      put(fmt::format("cvt.u{}.u{} {}, {}", n, piece, wide, part));
      if (bit != 0) put(fmt::format("shl.b{} {}, {}, {}", n, wide, wide, bit));
      put(fmt::format("or.b{} {}, {}, {}", n, next, whole, wide));
      whole = next;
    }
    return put(fmt::format("mov.b{} {}, {}", n, to, whole));
  }
  if (n == 1) {
    const std::string byte = declare("byte", 8);
    put(fmt::format("cuda.ld.{}.none.u8 {}, [{}+{}]", order, byte, at, offset));
    return put(fmt::format("setp.ne.u8 {}, {}, 0", to, byte));
  }
  put(fmt::format("cuda.ld.{}.none.{} {}, [{}+{}]", order, memory_type(n), to, at, offset));
}

void Writer::store(llvm::StoreInst& s) {
  if (s.isAtomic()) refuse("an atomic store of LLVM", "cuda::atomic_ref is read");
  const std::string x = value(s.getValueOperand());
  store_number(s.getValueOperand()->getType(), value(s.getPointerOperand()), 0, s.getAlign(), x, s.isVolatile());
}

void Writer::store_number(llvm::Type* t, const std::string& at, uint64_t offset, llvm::Align base, std::string x,
                          bool is_volatile) {
  const unsigned n = bits_of(t);
  if (const unsigned piece = aligned_bits(n == 1 ? 8 : n, base, offset); n > piece) {
    if (is_volatile) refuse("a volatile access to a member that is not aligned");
    for (unsigned bit = 0; bit < n; bit += piece) {
      const std::string part = declare("piece", piece), rest = declare("pieces", n);
      put(fmt::format("shr.u{} {}, {}, {}", n, rest, x, bit));
      put(fmt::format("cvt.u{}.u{} {}, {}", piece, n, part, rest));
      put(fmt::format("cuda.st.plain.none.u{} [{}+{}], {}", piece, at, offset + bit / 8, part));
    }
    return;
  }
  if (n == 1) {
    const std::string byte = declare("byte", 8), p = declare("condition", 1);
    put(fmt::format("mov.pred {}, {}", p, x));
    put(fmt::format("selp.b8 {}, 1, 0, {}", byte, p));
    x = byte;
  }
  put(fmt::format("cuda.st.{}.none.{} [{}+{}], {}", is_volatile ? "volatile" : "plain", memory_type(n == 1 ? 8 : n), at,
                  offset, x));
}

void Writer::pieces(llvm::Type* t, uint64_t at, std::vector<std::pair<uint64_t, unsigned>>& out) const {
  if (auto* s = llvm::dyn_cast<llvm::StructType>(t)) {
    const llvm::StructLayout* l = layout_.getStructLayout(s);
    for (unsigned k = 0; k < s->getNumElements(); ++k) pieces(s->getElementType(k), at + l->getElementOffset(k), out);
  } else if (auto* a = llvm::dyn_cast<llvm::ArrayType>(t)) {
    const uint64_t each = layout_.getTypeAllocSize(a->getElementType());
    if (a->getNumElements() > 4096) refuse("a copy of more than 4096 elements");
    for (uint64_t k = 0; k < a->getNumElements(); ++k) pieces(a->getElementType(), at + k * each, out);
  } else {
    const auto n = static_cast<unsigned>(layout_.getTypeStoreSize(t));
    if (n != 1 && n != 2 && n != 4 && n != 8) refuse(fmt::format("a copy of type {}", said(t)));
    out.emplace_back(at, n);
  }
}

llvm::Type* Writer::known_type(const llvm::Value* v) {
  v = v->stripPointerCasts();
  if (const auto* a = llvm::dyn_cast<llvm::AllocaInst>(v)) return a->getAllocatedType();
  if (const auto* g = llvm::dyn_cast<llvm::GlobalVariable>(v)) return g->getValueType();
  if (const auto* g = llvm::dyn_cast<llvm::GEPOperator>(v)) return g->getResultElementType();
  if (const auto* a = llvm::dyn_cast<llvm::Argument>(v)) return a->getParamByValType();
  return nullptr;
}

std::vector<std::pair<uint64_t, unsigned>> Writer::plan(uint64_t bytes, uint64_t align, const llvm::Value* a,
                                                        const llvm::Value* b) const {
  std::vector<std::pair<uint64_t, unsigned>> out;
  for (const llvm::Value* v : {a, b}) {
    llvm::Type* t = v == nullptr ? nullptr : known_type(v);
    if (t == nullptr || layout_.getTypeAllocSize(t) != bytes || (!t->isStructTy() && !t->isArrayTy())) continue;
    std::vector<std::pair<uint64_t, unsigned>> whole;
    pieces(t, 0, whole);
    for (const auto& [at, n] : whole) {
      const unsigned each = aligned_bits(8 * n, llvm::Align(align), at) / 8;
      for (unsigned k = 0; k < n; k += each) out.emplace_back(at + k, each);
    }
    return out;
  }
  const uint64_t each = std::min<uint64_t>({align, 4, bytes});
  if (bytes / each > 4096) refuse("a copy of more than 4096 pieces");
  for (uint64_t at = 0; at < bytes;) {
    uint64_t n = each;
    while (at + n > bytes) n /= 2;
    out.emplace_back(at, static_cast<unsigned>(n));
    at += n;
  }
  return out;
}

void Writer::copy(llvm::MemTransferInst& c) {
  const auto* length = llvm::dyn_cast<llvm::ConstantInt>(c.getLength());
  if (length == nullptr) refuse("a copy whose length is not constant");
  const std::string to = value(c.getDest());
  if (special(c.getSource())) return copy_built_in(c, to, length->getZExtValue());
  const std::string from = value(c.getSource());
  const uint64_t align = std::min(c.getDestAlign().valueOrOne().value(), c.getSourceAlign().valueOrOne().value());
  const char* order = c.isVolatile() ? "volatile" : "plain";
  std::vector<std::pair<std::string, std::pair<uint64_t, unsigned>>> read;
  for (const auto& [at, n] : plan(length->getZExtValue(), align, c.getDest(), c.getSource())) {
    const std::string r = declare("copy", 8 * n);
    put(fmt::format("cuda.ld.{}.none.u{} {}, [{}+{}]", order, 8 * n, r, from, at));
    read.push_back({r, {at, n}});
  }
  for (const auto& [r, piece] : read)
    put(fmt::format("cuda.st.{}.none.u{} [{}+{}], {}", order, 8 * piece.second, to, piece.first, r));
}

void Writer::copy_built_in(llvm::MemTransferInst& c, const std::string& to, uint64_t length) {
  const std::string first = *special(c.getSource());
  if (!first.ends_with(".x") || length != 12) refuse("a copy of a part of a built-in variable");
  for (unsigned k = 0; k < 3; ++k) {
    const std::string r = declare("copy", 32);
    put(fmt::format("mov.u32 {}, {}{}", r, first.substr(0, first.size() - 1), "xyz"[k]));
    put(fmt::format("cuda.st.plain.none.u32 [{}+{}], {}", to, 4 * k, r));
  }
}

void Writer::set(llvm::MemSetInst& c) {
  const auto* length = llvm::dyn_cast<llvm::ConstantInt>(c.getLength());
  const auto* byte = llvm::dyn_cast<llvm::ConstantInt>(c.getValue());
  if (length == nullptr || byte == nullptr) refuse("a memset whose value or length is not constant");
  const std::string to = value(c.getDest());
  for (const auto& [at, n] :
       plan(length->getZExtValue(), c.getDestAlign().valueOrOne().value(), c.getDest(), nullptr)) {
    uint64_t x = 0;
    for (unsigned k = 0; k < n; ++k) x |= byte->getZExtValue() << (8 * k);
    put(fmt::format("cuda.st.{}.none.u{} [{}+{}], {}", c.isVolatile() ? "volatile" : "plain", 8 * n, to, at, x));
  }
}

}  // namespace fencepost::clangfe
