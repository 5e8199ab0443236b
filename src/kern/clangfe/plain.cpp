// LLVM IR of one kernel -> the text that plain.h describes. clang runs as it does for `prove`; calls are inlined, and
// variables of a thread whose address does not escape become values (mem2reg). No other pass of LLVM's runs: SROA,
// which `prove` has as well, makes one number of members that are copied together, of 24 or 56 bits and with what
// lies between them; structures stay memory of the thread here, and ptxmod knows what they hold.
//
// The notation is that of PTX because ptxmod reads it already: registers that are set many times, byte addresses,
// branches, and objects whose cells are found by how they are accessed are what LLVM IR has too. Tried and lost: SPIR-V
// made of the IR, as the OpenCL path has it; its pointers have types, and LLVM's do not, so that every pointer's type
// had to be guessed. A grammar of C++ of our own was not tried: templates and overloads are clang's work.
//
// One class writes one kernel, and is longer than a file should be: whatever it writes, it names registers.
//
// Undefined behaviour of C++ that PTX defines (a shift by the width or more, a division by zero, the end of a function
// without a value) is an instruction of its own, `cuda.ub`. A phi becomes copies on the ways that lead to it, through
// registers of their own, since all phis of a block happen at once.
#include "clangfe/plain.h"

#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <map>
#include <set>

#include "clangfe/embedded.h"
#include "clangfe/lives.h"
#include "clangfe/llvm_module.h"
#include "clangfe/lowering.h"
#include "clangfe/plain_table.h"

namespace fencepost::clangfe {
namespace {

struct Refusal {
  std::string what, hint;
  const llvm::DILocation* at = nullptr;
};

std::string said(const llvm::Type* t) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  t->print(stream);
  return out;
}

// The place in the file itself: of what stands in our headers, or in an included file, the place of the call.
const llvm::DILocation* in_file(const llvm::DILocation* at, llvm::StringRef file) {
  while (at != nullptr && (!is_file(at->getFile(), file) || at->getLine() == 0)) at = at->getInlinedAt();
  return at;
}

// ---- code --------------------------------------------------------------------------------------------------------

class Writer {
 public:
  Writer(llvm::Module& module, llvm::Function& kernel, std::string shown, std::string file)
      : layout_(module.getDataLayout()),
        kernel_(kernel),
        shown_(std::move(shown)),
        file_(std::move(file)),
        table_(file_) {}

  std::string run() {
    name_values();
    std::string parameters;
    for (llvm::Argument& a : kernel_.args()) parameters += (parameters.empty() ? "" : ", ") + parameter(a);
    table_.kernel(word_of(kernel_.getName()), shown_, kernel_.getSubprogram());
    for (llvm::BasicBlock& b : kernel_) block(b);
    std::string out = ".version 8.5\n.target sm_70\n.address_size 64\n";
    out += variables_;
    out += fmt::format(".visible .entry {}({})\n{{\n", word_of(kernel_.getName()), parameters);
    out += registers_ + code_ + "}\n";
    return table_.text() + "%%\n" + out;
  }

 private:
  [[noreturn]] void refuse(std::string what, std::string hint = "") const {
    throw Refusal{std::move(what), std::move(hint), at_};
  }

  // ---- names ----
  // The variable of the source that holds a value, where there is one.
  void name_values() {
    for (llvm::BasicBlock& b : kernel_)
      for (llvm::Instruction& i : b)
        for (llvm::DbgVariableRecord& r : llvm::filterDbgVars(i.getDbgRecordRange())) {
          const llvm::DILocalVariable* v = r.getVariable();
          if (v->getFilename().starts_with(k_header_folder) || v->getName().empty()) continue;
          if (r.isDbgDeclare() || r.getNumVariableLocationOps() != 1) {
            table_.own(word_of(v->getName()));
            continue;
          }
          if (llvm::Value* x = r.getVariableLocationOp(0); x != nullptr && !llvm::isa<llvm::Argument>(x))
            if (llvm::isa<llvm::Instruction>(x)) said_.try_emplace(x, word_of(v->getName()));
          if (v->getArg() == 0 || v->getScope()->getSubprogram() != kernel_.getSubprogram())
            table_.own(word_of(v->getName()));
        }
  }
  std::string fresh(const std::string& wish) {
    std::string name = "%" + (wish.empty() ? "v" : wish);
    const unsigned n = often_[name]++;
    if (n > 0) name += fmt::format(".{}", n);
    return name;
  }
  std::string declare(const std::string& wish, unsigned bits) {
    const std::string name = fresh(wish);
    registers_ += fmt::format(".reg .{} {};\n", bits == 1 ? "pred" : fmt::format("b{}", bits), name);
    return name;
  }
  // Bits of a register that holds values of the type.
  unsigned bits_of(llvm::Type* t) const {
    if (t->isPointerTy()) return 64;
    if (t->isIntegerTy() || t->isFloatingPointTy()) {
      const auto n = static_cast<unsigned>(t->getPrimitiveSizeInBits());
      if (n == 1 || n == 8 || n == 16 || n == 32 || n == 64) return n;
    }
    refuse(fmt::format("a value of type {}", said(t)),
           "numbers of 8, 16, 32 and 64 bits, pointers, and structures and arrays in memory are read");
  }
  std::string register_of(const llvm::Value& v) {
    auto it = names_.find(&v);
    if (it != names_.end()) return it->second;
    const auto named = said_.find(&v);
    const std::string wish = named != said_.end()            ? named->second
                             : llvm::isa<llvm::CallBase>(&v) ? "value"
                                                             : word_of(v.getName());
    return names_[&v] = declare(wish, bits_of(v.getType()));
  }
  // ---- structures as values: one register for each number in them ----
  static bool is_whole(const llvm::Type* t) { return t->isStructTy() || t->isArrayTy(); }
  // Offsets and types of the numbers of a type.
  void numbers(llvm::Type* t, uint64_t at, std::vector<std::pair<uint64_t, llvm::Type*>>& out) const {
    if (auto* s = llvm::dyn_cast<llvm::StructType>(t)) {
      const llvm::StructLayout* l = layout_.getStructLayout(s);
      for (unsigned k = 0; k < s->getNumElements(); ++k)
        numbers(s->getElementType(k), at + l->getElementOffset(k), out);
    } else if (auto* a = llvm::dyn_cast<llvm::ArrayType>(t)) {
      const uint64_t each = layout_.getTypeAllocSize(a->getElementType());
      if (a->getNumElements() > 4096) refuse("an array of more than 4096 elements as a value");
      for (uint64_t k = 0; k < a->getNumElements(); ++k) numbers(a->getElementType(), at + k * each, out);
    } else {
      out.emplace_back(at, t);
    }
  }
  std::vector<std::pair<uint64_t, llvm::Type*>> numbers(llvm::Type* t) const {
    std::vector<std::pair<uint64_t, llvm::Type*>> out;
    numbers(t, 0, out);
    return out;
  }
  // The numbers that a path of indices leads to: the first, and how many.
  std::pair<size_t, size_t> part(llvm::Type* t, llvm::ArrayRef<unsigned> path) const {
    size_t first = 0;
    for (const unsigned k : path) {
      for (unsigned before = 0; before < k; ++before)
        first += numbers(llvm::GetElementPtrInst::getTypeAtIndex(t, before)).size();
      t = llvm::GetElementPtrInst::getTypeAtIndex(t, k);
    }
    return {first, numbers(t).size()};
  }
  std::vector<std::string> whole(llvm::Value* v) {
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
  void move_whole(llvm::Instruction& to, const std::vector<std::string>& from) {
    const std::vector<std::string> parts = whole(&to);
    const auto of = numbers(to.getType());
    for (size_t k = 0; k < parts.size(); ++k)
      put(fmt::format("mov.{} {}, {}", type(bits_of(of[k].second)), parts[k], from[k]));
  }
  bool whole_instruction(llvm::Instruction& i) {
    if (auto* e = llvm::dyn_cast<llvm::ExtractValueInst>(&i)) {
      const auto [first, count] = part(e->getAggregateOperand()->getType(), e->getIndices());
      const std::vector<std::string> from = whole(e->getAggregateOperand());
      if (is_whole(i.getType()))
        move_whole(
            i, {from.begin() + static_cast<ptrdiff_t>(first), from.begin() + static_cast<ptrdiff_t>(first + count)});
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
  std::string label(const llvm::BasicBlock& b) {
    const auto [it, fresh] = labels_.try_emplace(&b, "");
    if (fresh) it->second = fmt::format("$L{}", labels_.size());
    return it->second;
  }
  static std::string type(unsigned bits, char sign = 'b') {
    return bits == 1 ? "pred" : fmt::format("{}{}", sign, bits);
  }

  void put(const std::string& text) {
    if (at_ != where_) {
      where_ = at_;
      if (at_ != nullptr)
        code_ += fmt::format(".loc {} {} {}\n", table_.file(at_->getFile()), at_->getLine(), at_->getColumn());
    }
    code_ += text + ";\n";
  }

  // ---- values ----
  std::string value(llvm::Value* v) {
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
  std::string expression(llvm::ConstantExpr& e) {
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
  static bool built_in(const llvm::GlobalVariable& g) {
    return g.getName() == "threadIdx" || g.getName() == "blockIdx" || g.getName() == "blockDim" ||
           g.getName() == "gridDim" || g.getName() == "warpSize";
  }
  std::string variable(const llvm::GlobalVariable& g) {
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
  void fill(const llvm::Constant* c, std::vector<uint8_t>& image, uint64_t at) const {
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
  std::string parameter(llvm::Argument& a) {
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

  std::string address(llvm::GEPOperator& g, const std::string& wish) {
    if (g.getType()->isVectorTy()) refuse("a vector of addresses");
    std::string at = value(g.getPointerOperand());
    uint64_t offset = 0;
    for (auto it = llvm::gep_type_begin(g), end = llvm::gep_type_end(g); it != end; ++it) {
      llvm::Value* index = it.getOperand();
      if (llvm::StructType* s = it.getStructTypeOrNull()) {
        offset += layout_.getStructLayout(s)->getElementOffset(
            static_cast<unsigned>(llvm::cast<llvm::ConstantInt>(index)->getZExtValue()));
        continue;
      }
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

  // ---- blocks ----
  void block(llvm::BasicBlock& b) {
    code_ += label(b) + ":\n";
    where_ = nullptr;
    for (llvm::Instruction& i : b) {
      if (const llvm::DILocation* d = in_file(i.getDebugLoc().get(), file_)) at_ = d;
      if (llvm::isa<llvm::PHINode>(i)) continue;
      instruction(i);
    }
  }
  void copies(llvm::BasicBlock& from, llvm::BasicBlock& to) {
    std::vector<std::string> moves;
    for (llvm::PHINode& p : to.phis()) {
      const std::vector<std::string> source = whole(p.getIncomingValueForBlock(&from));
      const bool is_one = !is_whole(p.getType());
      const std::vector<std::string> target = is_one ? std::vector<std::string>{register_of(p)} : whole(&p);
      const auto of = numbers(p.getType());
      for (size_t k = 0; k < source.size(); ++k) {
        const unsigned bits = bits_of(of[k].second);
        const std::string aside = declare("phi", bits);
        put(fmt::format("mov.{} {}, {}", type(bits), aside, source[k]));
        moves.push_back(fmt::format("mov.{} {}, {}", type(bits), target[k], aside));
      }
    }
    for (const std::string& text : moves) put(text);
    put(fmt::format("bra {}", label(to)));
  }
  void branch(llvm::BranchInst& b) {
    if (b.isUnconditional()) return copies(*b.getParent(), *b.getSuccessor(0));
    const std::string yes = fmt::format("$E{}", edges_++);
    put(fmt::format("@{} bra {}", predicate(b.getCondition()), yes));
    copies(*b.getParent(), *b.getSuccessor(1));
    code_ += yes + ":\n";
    copies(*b.getParent(), *b.getSuccessor(0));
  }
  void choose(llvm::SwitchInst& s) {
    const unsigned bits = bits_of(s.getCondition()->getType());
    const std::string on = value(s.getCondition());
    std::vector<std::pair<std::string, llvm::BasicBlock*>> ways;
    for (const auto& c : s.cases()) {
      const std::string p = declare("case", 1), way = fmt::format("$E{}", edges_++);
      put(fmt::format("setp.eq.u{} {}, {}, {}", bits, p, on, c.getCaseValue()->getZExtValue()));
      put(fmt::format("@{} bra {}", p, way));
      ways.emplace_back(way, c.getCaseSuccessor());
    }
    copies(*s.getParent(), *s.getDefaultDest());
    for (const auto& [way, to] : ways) {
      code_ += way + ":\n";
      copies(*s.getParent(), *to);
    }
  }
  std::string predicate(llvm::Value* v) {
    if (!llvm::isa<llvm::Constant>(v)) return value(v);
    const std::string p = declare("condition", 1);
    put(fmt::format("mov.pred {}, {}", p, value(v)));
    return p;
  }

  // ---- instructions ----
  void instruction(llvm::Instruction& i) {
    if (whole_instruction(i)) return;
    if (auto* b = llvm::dyn_cast<llvm::BinaryOperator>(&i)) return binary(*b);
    if (auto* c = llvm::dyn_cast<llvm::CastInst>(&i)) return cast(*c);
    if (auto* c = llvm::dyn_cast<llvm::CallBase>(&i)) return call(*c);
    if (auto* g = llvm::dyn_cast<llvm::GetElementPtrInst>(&i)) {
      const std::string at = address(*llvm::cast<llvm::GEPOperator>(g), "address");
      return put(fmt::format("mov.b64 {}, {}", register_of(i), at));
    }
    switch (i.getOpcode()) {
      case llvm::Instruction::Ret:
        return put("ret");
      case llvm::Instruction::Br:
        return branch(llvm::cast<llvm::BranchInst>(i));
      case llvm::Instruction::Switch:
        return choose(llvm::cast<llvm::SwitchInst>(i));
      case llvm::Instruction::Unreachable:
        put("cuda.ub.unreachable");
        return put("exit");
      case llvm::Instruction::ICmp:
        return compare(llvm::cast<llvm::ICmpInst>(i));
      case llvm::Instruction::FCmp:
      case llvm::Instruction::FNeg:
        return opaque(i);
      case llvm::Instruction::Select: {
        const std::string no = value(i.getOperand(2)), yes = value(i.getOperand(1)), p = predicate(i.getOperand(0));
        return put(fmt::format("selp.{} {}, {}, {}, {}", type(bits_of(i.getType())), register_of(i), yes, no, p));
      }
      case llvm::Instruction::Freeze:
        if (i.use_empty()) return;
        return put(fmt::format("cuda.freeze {}, {}", register_of(i), value(i.getOperand(0))));
      case llvm::Instruction::Alloca:
        return local(llvm::cast<llvm::AllocaInst>(i));
      case llvm::Instruction::Load:
        return load(llvm::cast<llvm::LoadInst>(i));
      case llvm::Instruction::Store:
        return store(llvm::cast<llvm::StoreInst>(i));
      default:
        refuse(fmt::format("the instruction '{}' of LLVM", i.getOpcodeName()));
    }
  }
  void opaque(llvm::Instruction& i) {
    put(fmt::format("cuda.opaque.{} {}", type(bits_of(i.getType())), register_of(i)));
  }
  void undefined(const char* what, const std::string& comparison, unsigned bits, const std::string& a,
                 const std::string& b) {
    const std::string p = declare(what, 1);
    put(fmt::format("setp.{}{} {}, {}, {}", comparison, bits, p, a, b));
    put(fmt::format("cuda.ub.{} {}", what, p));
  }
  void binary(llvm::BinaryOperator& b) {
    if (b.getType()->isFloatingPointTy()) return opaque(b);
    const unsigned n = bits_of(b.getType());
    std::string x = value(b.getOperand(0)), y = value(b.getOperand(1));
    const auto simple = [&](const std::string& op) { put(fmt::format("{} {}, {}, {}", op, register_of(b), x, y)); };
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(b.getOperand(1));
    if (n == 1) {
      switch (b.getOpcode()) {
        case llvm::Instruction::And:
        case llvm::Instruction::Mul:
          return simple("and.pred");
        case llvm::Instruction::Or:
          return simple("or.pred");
        case llvm::Instruction::Xor:
        case llvm::Instruction::Add:
        case llvm::Instruction::Sub:
          return simple("xor.pred");
        default:
          refuse(fmt::format("'{}' of single bits", b.getOpcodeName()));
      }
    }
    switch (b.getOpcode()) {
      case llvm::Instruction::Add:
        return simple(fmt::format("add.u{}", n));
      case llvm::Instruction::Sub:
        return simple(fmt::format("sub.u{}", n));
      case llvm::Instruction::Mul:
        return simple(fmt::format("mul.lo.u{}", n));
      case llvm::Instruction::And:
        return simple(fmt::format("and.b{}", n));
      case llvm::Instruction::Or:
        return simple(fmt::format("or.b{}", n));
      case llvm::Instruction::Xor:
        return simple(fmt::format("xor.b{}", n));
      case llvm::Instruction::UDiv:
      case llvm::Instruction::URem:
      case llvm::Instruction::SDiv:
      case llvm::Instruction::SRem: {
        const bool sign = b.getOpcode() == llvm::Instruction::SDiv || b.getOpcode() == llvm::Instruction::SRem;
        const bool rest = b.getOpcode() == llvm::Instruction::URem || b.getOpcode() == llvm::Instruction::SRem;
        if (constant == nullptr || constant->isZero()) undefined("division", "eq.u", n, y, "0");
        if (sign && (constant == nullptr || constant->isMinusOne())) {  // the least number by -1
          const std::string least = fmt::format("{}", uint64_t{1} << (n - 1)),
                            minus = fmt::format("{}", n == 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1);
          const std::string p = declare("least", 1), q = declare("minus", 1), both = declare("overflow", 1);
          put(fmt::format("setp.eq.u{} {}, {}, {}", n, p, x, least));
          put(fmt::format("setp.eq.u{} {}, {}, {}", n, q, y, minus));
          put(fmt::format("and.pred {}, {}, {}", both, p, q));
          put(fmt::format("cuda.ub.division {}", both));
        }
        return simple(fmt::format("{}.{}{}", rest ? "rem" : "div", sign ? 's' : 'u', n));
      }
      case llvm::Instruction::Shl:
      case llvm::Instruction::LShr:
      case llvm::Instruction::AShr: {
        if (constant == nullptr || constant->getValue().uge(n)) undefined("shift", "ge.u", n, y, std::to_string(n));
        if (n != 32 && constant == nullptr) {  // PTX takes amounts of 32 bits
          const std::string amount = declare("amount", 32);
          put(fmt::format("cvt.u32.u{} {}, {}", n, amount, y));
          y = amount;
        }
        const bool left = b.getOpcode() == llvm::Instruction::Shl;
        return simple(fmt::format("{}.{}{}", left ? "shl" : "shr",
                                  b.getOpcode() == llvm::Instruction::AShr ? 's'
                                  : left                                   ? 'b'
                                                                           : 'u',
                                  n));
      }
      default:
        refuse(fmt::format("the instruction '{}' of LLVM", b.getOpcodeName()));
    }
  }
  void compare(llvm::ICmpInst& c) {
    const unsigned n = bits_of(c.getOperand(0)->getType());
    const std::string x = value(c.getOperand(0)), y = value(c.getOperand(1)), r = register_of(c);
    if (n == 1) {
      if (!c.isEquality()) refuse("an order of truth values");
      put(fmt::format("xor.pred {}, {}, {}", r, x, y));
      if (c.getPredicate() == llvm::CmpInst::ICMP_EQ) put(fmt::format("xor.pred {}, {}, 1", r, r));
      return;
    }
    const std::string p = llvm::CmpInst::getPredicateName(c.getPredicate()).str();  // "eq", "ult", "sge"
    const std::string op = c.isEquality() ? p : p.substr(1);
    put(fmt::format("setp.{}.{}{} {}, {}, {}", op, c.isSigned() ? 's' : 'u', n, r, x, y));
  }
  void cast(llvm::CastInst& c) {
    switch (c.getOpcode()) {
      case llvm::Instruction::ZExt:
      case llvm::Instruction::SExt: {
        const bool sign = c.getOpcode() == llvm::Instruction::SExt;
        const unsigned from = bits_of(c.getSrcTy()), to = bits_of(c.getDestTy());
        const std::string x = from == 1 ? predicate(c.getOperand(0)) : value(c.getOperand(0));
        if (from == 1)
          return put(fmt::format("selp.b{} {}, {}, 0, {}", to, register_of(c),
                                 !sign ? "1" : fmt::format("{}", to == 64 ? ~uint64_t{0} : (uint64_t{1} << to) - 1),
                                 x));
        return put(fmt::format("cvt.{0}{1}.{0}{2} {3}, {4}", sign ? 's' : 'u', to, from, register_of(c), x));
      }
      case llvm::Instruction::Trunc: {
        const unsigned from = bits_of(c.getSrcTy()), to = bits_of(c.getDestTy());
        const std::string x = value(c.getOperand(0));
        if (to == 1) {
          const std::string low = declare("low", from);
          put(fmt::format("and.b{} {}, {}, 1", from, low, x));
          return put(fmt::format("setp.ne.u{} {}, {}, 0", from, register_of(c), low));
        }
        return put(fmt::format("cvt.u{}.u{} {}, {}", to, from, register_of(c), x));
      }
      case llvm::Instruction::PtrToInt:
      case llvm::Instruction::IntToPtr: {
        const unsigned from = bits_of(c.getSrcTy()), to = bits_of(c.getDestTy());
        const std::string x = value(c.getOperand(0));
        return put(from == to ? fmt::format("mov.b64 {}, {}", register_of(c), x)
                              : fmt::format("cvt.u{}.u{} {}, {}", to, from, register_of(c), x));
      }
      case llvm::Instruction::BitCast:
        return put(fmt::format("mov.{} {}, {}", type(bits_of(c.getType())), register_of(c), value(c.getOperand(0))));
      case llvm::Instruction::AddrSpaceCast: {
        const unsigned from = c.getSrcTy()->getPointerAddressSpace(), to = c.getDestTy()->getPointerAddressSpace();
        if (from > 5 || from == 2 || (to != 0 && to != from))
          refuse(fmt::format("a cast from address space {} to {}", from, to));
        return put(fmt::format("mov.b64 {}, {}", register_of(c), value(c.getOperand(0))));
      }
      default:
        return opaque(c);  // of floating point numbers
    }
  }
  void local(llvm::AllocaInst& a) {
    if (a.isArrayAllocation()) refuse("an array whose size is not constant");
    const std::string name = fmt::format("{}.local{}", a.getName().empty() ? "local" : word_of(a.getName()), locals_++);
    registers_ += fmt::format(".local .align {} .b8 {}[{}];\n", a.getAlign().value(), name,
                              layout_.getTypeAllocSize(a.getAllocatedType()).getFixedValue());
    put(fmt::format("mov.b64 {}, {}", register_of(a), name));
  }
  // A built-in variable, if the address is in one: "%tid.x".
  std::optional<std::string> special(const llvm::Value* pointer) const {
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
  static std::string memory_type(unsigned bits) { return fmt::format("u{}", bits); }
  void load(llvm::LoadInst& l) {
    if (l.isAtomic()) refuse("an atomic load of LLVM", "cuda::atomic_ref is read");
    if (const auto s = special(l.getPointerOperand())) {
      if (bits_of(l.getType()) != 32) refuse("a part of a built-in variable");
      return put(fmt::format("mov.u32 {}, {}", register_of(l), *s));
    }
    load_number(l.getType(), register_of(l), value(l.getPointerOperand()), 0, l.getAlign(), l.isVolatile());
  }
  // Bytes in which a number is accessed: all of them, but for members of packed structures, whose alignment is less.
  // Compilers access these in pieces that are aligned.
  static unsigned aligned_bits(unsigned bits, llvm::Align base, uint64_t offset) {
    return std::min<unsigned>(bits, static_cast<unsigned>(8 * llvm::commonAlignment(base, offset).value()));
  }
  // A number at a place: `at` plus `offset`, where `base` is the alignment of `at`.
  void load_number(llvm::Type* t, const std::string& to, const std::string& at, uint64_t offset, llvm::Align base,
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
  void store(llvm::StoreInst& s) {
    if (s.isAtomic()) refuse("an atomic store of LLVM", "cuda::atomic_ref is read");
    const std::string x = value(s.getValueOperand());
    store_number(s.getValueOperand()->getType(), value(s.getPointerOperand()), 0, s.getAlign(), x, s.isVolatile());
  }
  void store_number(llvm::Type* t, const std::string& at, uint64_t offset, llvm::Align base, std::string x,
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
    put(fmt::format("cuda.st.{}.none.{} [{}+{}], {}", is_volatile ? "volatile" : "plain", memory_type(n == 1 ? 8 : n),
                    at, offset, x));
  }

  // ---- calls ----
  void call(llvm::CallBase& c) {
    if (c.isInlineAsm())
      refuse(fmt::format("the inline assembly '{}'", llvm::cast<llvm::InlineAsm>(c.getCalledOperand())->getAsmString()),
             "a module of PTX is read: `fencepost check FILE.ptx`");
    llvm::Function* f = c.getCalledFunction();
    if (f == nullptr) refuse("a call through a pointer");
    if (f->isIntrinsic()) return intrinsic(c, *f);
    const Demangled d = demangle(f->getName());
    if (!f->isDeclaration()) refuse(fmt::format("the recursion of {}", d.base));
    if (function(c, d)) return;
    if (d.base == "__fencepost_grid_barrier") refuse("a barrier of the whole grid");
    if (d.base.starts_with("__fencepost_barrier_")) refuse("__syncthreads_" + d.base.substr(20));
    if (d.base.starts_with("__fencepost_")) refuse(fmt::format("the library function {}", d.base.substr(12)));
    refuse(fmt::format("the function {}", llvm::demangle(f->getName().str())));
  }
  std::string result(llvm::CallBase& c) { return c.use_empty() ? "_" : register_of(c); }

  static std::optional<std::string> width_intrinsic(const llvm::CallBase& c) {
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
  void intrinsic(llvm::CallBase& c, llvm::Function& f) {
    if (c.isDebugOrPseudoInst() || c.isLifetimeStartOrEnd()) return;
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
  // An instruction of PTX whose result has 32 bits whatever its operand has.
  void narrow(llvm::CallBase& c, const std::string& op) {
    const std::string x = value(c.getArgOperand(0));
    const unsigned to = bits_of(c.getType());
    if (to == 32) return put(fmt::format("{} {}, {}", op, register_of(c), x));
    const std::string r = declare("count", 32);
    put(fmt::format("{} {}, {}", op, r, x));
    put(fmt::format("cvt.u{}.u32 {}, {}", to, register_of(c), r));
  }

  // Pieces in which bytes are copied: the numbers of the type that is known of one side, else the widest that fit.
  void pieces(llvm::Type* t, uint64_t at, std::vector<std::pair<uint64_t, unsigned>>& out) const {
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
  static llvm::Type* known_type(const llvm::Value* v) {
    v = v->stripPointerCasts();
    if (const auto* a = llvm::dyn_cast<llvm::AllocaInst>(v)) return a->getAllocatedType();
    if (const auto* g = llvm::dyn_cast<llvm::GlobalVariable>(v)) return g->getValueType();
    if (const auto* g = llvm::dyn_cast<llvm::GEPOperator>(v)) return g->getResultElementType();
    if (const auto* a = llvm::dyn_cast<llvm::Argument>(v)) return a->getParamByValType();
    return nullptr;
  }
  std::vector<std::pair<uint64_t, unsigned>> plan(uint64_t bytes, uint64_t align, const llvm::Value* a,
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
  void copy(llvm::MemTransferInst& c) {
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
  // `dim3 where = blockIdx;`
  void copy_built_in(llvm::MemTransferInst& c, const std::string& to, uint64_t length) {
    const std::string first = *special(c.getSource());
    if (!first.ends_with(".x") || length != 12) refuse("a copy of a part of a built-in variable");
    for (unsigned k = 0; k < 3; ++k) {
      const std::string r = declare("copy", 32);
      put(fmt::format("mov.u32 {}, {}{}", r, first.substr(0, first.size() - 1), "xyz"[k]));
      put(fmt::format("cuda.st.plain.none.u32 [{}+{}], {}", to, 4 * k, r));
    }
  }
  void set(llvm::MemSetInst& c) {
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

  // ---- functions of CUDA ----
  static bool is_float(const Demangled& d) {
    return !d.parameters.empty() && (d.parameters.back() == 'f' || d.parameters.back() == 'd');
  }
  std::string scope_at(llvm::Value* v) const {
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
  std::string order_at(llvm::Value* v) const {
    const auto* c = llvm::dyn_cast<llvm::ConstantInt>(v);
    if (c == nullptr) refuse("a memory order that is not constant");
    static constexpr const char* k_orders[] = {"rlx", "acq", "acq", "rel", "acq_rel", "sc"};
    if (c->getZExtValue() > 5) refuse("a memory order that C++ does not have");
    return k_orders[c->getZExtValue()];
  }
  static char sign_of(char letter) {
    return letter == 'i' || letter == 'x' || letter == 'l' || letter == 's' || letter == 'a' || letter == 'c' ? 's'
                                                                                                              : 'u';
  }

  bool function(llvm::CallBase& c, const Demangled& d) {
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
      const std::string alive = predicate(c.getArgOperand(0)), at = value(c.getArgOperand(1)),
                        variable = value(c.getArgOperand(2)), over = declare("over", 1), inside = declare("inside", 1),
                        p = declare("ended", 1);
      put(fmt::format("cuda.inside.{} {}, {}, {}", llvm::cast<llvm::ConstantInt>(c.getArgOperand(3))->getZExtValue(),
                      inside, at, variable));
      put(fmt::format("xor.pred {}, {}, 1", over, alive));
      put(fmt::format("and.pred {}, {}, {}", p, over, inside));
      put(fmt::format("cuda.ub.lifetime {}", p));
      return true;
    }
    if (n == "__syncthreads") {
      put(fmt::format("cuda.barrier.s{}", barriers_++));
      return true;
    }
    if (n == "__syncwarp") {
      put(fmt::format("cuda.syncwarp {}", value(c.getArgOperand(0))));
      return true;
    }
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
        (c.getType()->isFloatingPointTy() || std::any_of(c.arg_begin(), c.arg_end(), [](const llvm::Use& u) {
           return u->getType()->isFloatingPointTy();
         }))) {
      opaque(c);
      return true;
    }
    return false;
  }
  // atomicAdd(p, x), with _block and _system: relaxed.
  bool named_atomic(llvm::CallBase& c, const Demangled& d) {
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
    const std::string t =
        fmt::format("{}{}", real ? 'f' : sign_of(d.parameters.empty() ? 'i' : d.parameters.back()), n);
    if (op == "CAS")
      put(fmt::format("cuda.cas.{}.rlx.rlx.strong.{}.{} {}, _, [{}], {}, {}", d.base, scope, t, result(c),
                      value(c.getArgOperand(0)), value(c.getArgOperand(1)), value(c.getArgOperand(2))));
    else
      put(fmt::format("cuda.rmw.{}.{}.rlx.{}.{} {}, [{}], {}", d.base, it->second, scope, t, result(c),
                      value(c.getArgOperand(0)), value(c.getArgOperand(1))));
    return true;
  }
  // Members of cuda::atomic and cuda::atomic_ref: the last operands are order and scope.
  bool scoped_atomic(llvm::CallBase& c, const Demangled& d) {
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
      put(fmt::format("cuda.cas.compare_exchange_{}.{}.{}.{}.{}.{} {}, {}, [{}], {}, {}", weak ? "weak" : "strong",
                      order, failure, weak ? "weak" : "strong", scope, t, result(c), p, at, value(c.getArgOperand(1)),
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

  const llvm::DataLayout& layout_;
  llvm::Function& kernel_;
  std::string shown_, file_;
  Table table_;
  std::string variables_, registers_, code_;
  std::map<const llvm::Value*, std::string> names_, said_, spurious_;
  std::map<const llvm::Value*, std::vector<std::string>> wholes_;
  std::map<const llvm::GlobalVariable*, std::string> globals_;
  std::map<const llvm::BasicBlock*, std::string> labels_;
  std::map<std::string, unsigned> often_;
  const llvm::DILocation *at_ = nullptr, *where_ = nullptr;
  unsigned edges_ = 0, locals_ = 0, barriers_ = 0;
};

Span line_of(const SourcePtr& file, const llvm::DILocation* at) {
  if (at == nullptr) return {file, 0, 0};
  const SourcePtr& source = file;
  size_t begin = 0;
  for (unsigned k = 1; k < at->getLine() && begin != std::string::npos; ++k) {
    begin = source->text.find('\n', begin);
    if (begin != std::string::npos) ++begin;
  }
  if (begin == std::string::npos) return {file, 0, 0};
  const size_t eol = std::min(source->text.find('\n', begin), source->text.size());
  const size_t first = std::min<size_t>(begin + (at->getColumn() > 0 ? at->getColumn() - 1 : 0), eol);
  size_t end = first;
  while (end < eol && (llvm::isAlnum(source->text[end]) || source->text[end] == '_')) ++end;
  return {file, static_cast<uint32_t>(first), static_cast<uint32_t>(std::max(end, std::min(first + 1, eol)))};
}

// The kernel that is meant.
Expected<const HostKernel*> chosen(const SourcePtr& file, const std::vector<HostKernel>& kernels,
                                   const std::string& entry) {
  const Span start{file, 0, 0};
  std::string names;
  for (const HostKernel& k : kernels) names += (names.empty() ? "" : ", ") + k.name;
  if (kernels.empty()) return error_at(start, "this file has no kernel", "a kernel is a __global__ function");
  if (entry.empty()) {
    if (kernels.size() == 1) return &kernels.front();
    return error_at(start, fmt::format("this file has {} kernels: {}", kernels.size(), names),
                    fmt::format("--entry '{}' chooses the first", kernels.front().name));
  }
  const HostKernel* found = nullptr;
  for (const HostKernel& k : kernels)
    if (k.name == entry || k.symbol == entry) return &k;
  for (const HostKernel& k : kernels)
    if (k.name.starts_with(entry + "<")) {
      if (found != nullptr)
        return error_at(start, fmt::format("several kernels are instances of '{}': {}", entry, names),
                        "--entry names one with its arguments");
      found = &k;
    }
  if (found == nullptr) return error_at(start, fmt::format("there is no kernel '{}'", entry), "the file has " + names);
  return found;
}

}  // namespace

Expected<std::string> kernel_text(const SourcePtr& file, const std::vector<std::string>& words) {
  Options options;
  options.dialect = ir::Dialect::cuda;
  options.pointer_bits = 64;
  // The types of all that pointers point at, also where the kernel does not look; and where variables begin, which
  // clang says from -O1 on. No pass runs at any level.
  options.clang_arguments = {"-D__FENCEPOST_CHECK", "-debug-info-kind=standalone", "-O1"};
  std::string entry;
  for (const std::string& w : words) {
    if (w.starts_with("entry=")) entry = w.substr(6);
    if (w.starts_with("-D")) options.defines.push_back(w.substr(2));
  }
  auto surveyed = survey(file, options);
  if (!surveyed) return std::unexpected(std::move(surveyed.error()));
  const auto kernel = chosen(file, surveyed->kernels, entry);
  if (!kernel) return std::unexpected(kernel.error());
  if ((*kernel)->not_read) {
    Diagnostics ds;
    ds.add(*(*kernel)->not_read);
    return std::unexpected(std::move(ds));
  }
  llvm::Module& module = *surveyed->parsed->module;
  llvm::Function* f = module.getFunction((*kernel)->symbol);
  if (f == nullptr || f->isDeclaration())
    return unsupported_at((*kernel)->place, fmt::format("clang makes no code of the kernel '{}'", (*kernel)->name));
  make_values(module, *f);
  try {
    return Writer(module, *f, (*kernel)->name, file->name).run();
  } catch (const Refusal& r) {
    return unsupported_at(r.at == nullptr ? (*kernel)->place : line_of(file, r.at), r.what + " is not read", r.hint);
  }
}

}  // namespace fencepost::clangfe
