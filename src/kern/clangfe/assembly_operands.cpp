#include "clangfe/assembly_operands.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <set>

namespace fencepost::clangfe {
namespace {

// Results of 128 bits are no values here: four words go where they are stored.
bool only_stored(const llvm::Value* v) {
  return std::all_of(v->user_begin(), v->user_end(), [&](const llvm::User* u) {
    if (llvm::isa<llvm::ExtractValueInst>(u)) return !u->getType()->isIntegerTy(128) || only_stored(u);
    const auto* s = llvm::dyn_cast<llvm::StoreInst>(u);
    return s != nullptr && s->getValueOperand() == v && s->isSimple();
  });
}

std::optional<uint64_t> literal(std::string token) {
  if (token.starts_with("0f") || token.starts_with("0F") || token.starts_with("0d") || token.starts_with("0D")) {
    uint64_t n = 0;
    const bool single = token[1] == 'f' || token[1] == 'F';
    if (llvm::StringRef(token).drop_front(2).getAsInteger(16, n) || token.size() != (single ? 10u : 18u))
      return std::nullopt;
    return n;
  }
  if (token.ends_with("U")) token.pop_back();
  int64_t n = 0;
  uint64_t u = 0;
  if (!llvm::StringRef(token).getAsInteger(0, u)) return u;
  if (!llvm::StringRef(token).getAsInteger(0, n)) return static_cast<uint64_t>(n);
  return std::nullopt;
}

// Where the value of 128 bits is stored, its words are.
void put_words(llvm::Value* words, llvm::Value* v) {
  for (llvm::User* u : llvm::make_early_inc_range(v->users())) {
    auto* s = llvm::cast<llvm::StoreInst>(u);
    llvm::IRBuilder<> b(s);
    for (unsigned k = 0; k < 4; ++k)
      b.CreateAlignedStore(b.CreateExtractElement(words, k),
                           b.CreateConstGEP1_64(b.getInt8Ty(), s->getPointerOperand(), 4 * k), llvm::Align(4));
    s->eraseFromParent();
  }
}

}  // namespace

unsigned AssemblyOperands::width_of(llvm::Type* t) const {
  return t->isPointerTy() ? layout_.getPointerSizeInBits() : static_cast<unsigned>(t->getPrimitiveSizeInBits());
}

bool AssemblyOperands::operands() {
  llvm::Type* t = call_->getType();
  if (auto* s = llvm::dyn_cast<llvm::StructType>(t)) {
    results_.assign(s->element_begin(), s->element_end());
  } else if (!t->isVoidTy()) {
    results_.push_back(t);
  }
  for (llvm::Type* r : results_)
    if (!(r->isIntegerTy() || r->isFloatingPointTy() || r->isPointerTy()) || width_of(r) == 0 ||
        (width_of(r) > 64 && !(r->isIntegerTy(128) && only_stored(call_))))
      return false;
  unsigned outputs = 0, argument = 0;
  for (const llvm::InlineAsm::ConstraintInfo& c : assembly_->ParseConstraints()) {
    if (c.Type == llvm::InlineAsm::isClobber) continue;
    if (c.Type == llvm::InlineAsm::isLabel || c.isIndirect) return false;
    if (c.Type == llvm::InlineAsm::isOutput) {
      ++outputs;
      continue;
    }
    unsigned to = 0;
    if (!c.Codes.empty() && !llvm::StringRef(c.Codes[0]).getAsInteger(10, to)) tied_.emplace_back(to, argument);
    llvm::Type* a = call_->getArgOperand(argument)->getType();
    if (!(a->isIntegerTy() || a->isFloatingPointTy() || a->isPointerTy()) ||
        (width_of(a) > 64 && !(a->isIntegerTy(128) && llvm::isa<llvm::LoadInst>(call_->getArgOperand(argument)))))
      return false;
    ++argument;
  }
  if (outputs != results_.size() || argument != call_->arg_size()) return false;
  for (const auto& [to, from] : tied_)
    if (to >= outputs || width_of(results_[to]) > 64) return false;
  return true;
}

llvm::Type* AssemblyOperands::kept_as(llvm::Type* t) {
  return width_of(t) == 128 ? llvm::cast<llvm::Type>(llvm::FixedVectorType::get(b_.getInt32Ty(), 4))
                            : b_.getIntNTy(width_of(t));
}

llvm::Value* AssemblyOperands::words_of(llvm::Value* input) {
  auto* l = llvm::dyn_cast_or_null<llvm::LoadInst>(input);
  if (l == nullptr || !l->getType()->isIntegerTy(128)) return nullptr;
  llvm::IRBuilder<> b(l);
  llvm::Value* words = llvm::PoisonValue::get(llvm::FixedVectorType::get(b.getInt32Ty(), 4));
  for (unsigned k = 0; k < 4; ++k)
    words = b.CreateInsertElement(
        words,
        b.CreateAlignedLoad(b.getInt32Ty(), b.CreateConstGEP1_64(b.getInt8Ty(), l->getPointerOperand(), 4 * k),
                            llvm::Align(4), l->isVolatile()),
        k);
  return words;
}

llvm::Value* AssemblyOperands::as_bits(llvm::Value* v, unsigned width) {
  llvm::Type* t = v->getType();
  if (t->isPointerTy()) v = b_.CreatePtrToInt(v, b_.getIntNTy(width_of(t)));
  if (t->isFloatingPointTy()) v = b_.CreateBitCast(v, b_.getIntNTy(width_of(t)));
  return b_.CreateZExtOrTrunc(v, b_.getIntNTy(width));
}

void AssemblyOperands::make_slots(const std::vector<PtxStatement>& statements) {
  b_.SetInsertPoint(&f_.getEntryBlock(), f_.getEntryBlock().getFirstInsertionPt());
  for (llvm::Type* r : results_) given_.push_back(b_.CreateAlloca(kept_as(r)));
  for (const PtxStatement& s : statements)
    for (const auto& [name, type] : s.registers) registers_[name] = b_.CreateAlloca(b_.getIntNTy(ptx_width(type)));
}

void AssemblyOperands::begin_tied() {
  for (const auto& [output, input] : tied_)
    b_.CreateStore(as_bits(call_->getArgOperand(input), width_of(results_[output])), given_[output]);
}

void AssemblyOperands::hand_back() {
  std::vector<llvm::Value*> values;
  for (size_t k = 0; k < results_.size(); ++k) {
    llvm::Value* v = b_.CreateLoad(given_[k]->getAllocatedType(), given_[k]);
    if (results_[k]->isPointerTy())
      v = pointer_of(v);
    else if (results_[k]->isFloatingPointTy())
      v = b_.CreateBitCast(v, results_[k]);
    values.push_back(v);
  }
  if (values.size() == 1 && !call_->getType()->isStructTy()) {
    if (width_of(call_->getType()) == 128)
      put_words(values[0], call_);
    else
      call_->replaceAllUsesWith(values[0]);
  } else if (!values.empty()) {
    llvm::Value* all = nullptr;
    for (llvm::User* u : llvm::make_early_inc_range(call_->users())) {
      if (auto* x = llvm::dyn_cast<llvm::ExtractValueInst>(u); x != nullptr && x->getNumIndices() == 1) {
        if (x->getType()->isIntegerTy(128))
          put_words(values[x->getIndices()[0]], x);
        else
          x->replaceAllUsesWith(values[x->getIndices()[0]]);
        x->eraseFromParent();
        continue;
      }
      if (all == nullptr) {
        all = llvm::PoisonValue::get(call_->getType());
        for (unsigned k = 0; k < values.size(); ++k) all = b_.CreateInsertValue(all, values[k], k);
      }
      u->replaceUsesOfWith(call_, all);
    }
  }
  const std::set<llvm::Value*> inputs(call_->arg_begin(), call_->arg_end());
  call_->eraseFromParent();
  for (llvm::Value* v : inputs)
    if (auto* l = llvm::dyn_cast<llvm::LoadInst>(v); l != nullptr && l->getType()->isIntegerTy(128) && l->use_empty())
      l->eraseFromParent();
}

std::optional<unsigned> AssemblyOperands::number_of_operand(const std::string& token) const {
  unsigned k = 0;
  if (!token.starts_with("$") || llvm::StringRef(token).drop_front().getAsInteger(10, k) ||
      k >= results_.size() + call_->arg_size())
    return std::nullopt;
  return k;
}

llvm::AllocaInst* AssemblyOperands::place(const std::string& token) const {
  if (const auto it = registers_.find(token); it != registers_.end()) return it->second;
  const auto k = number_of_operand(token);
  return k && *k < results_.size() ? given_[*k] : nullptr;
}

unsigned AssemblyOperands::width_at(const std::string& token) const {
  const llvm::AllocaInst* p = place(token);
  return p == nullptr || !p->getAllocatedType()->isIntegerTy() ? 0 : p->getAllocatedType()->getIntegerBitWidth();
}

llvm::Value* AssemblyOperands::input(const std::string& token) const {
  const auto k = number_of_operand(token);
  return k && *k >= results_.size() ? call_->getArgOperand(*k - static_cast<unsigned>(results_.size())) : nullptr;
}

llvm::Value* AssemblyOperands::read(const std::string& token, unsigned width) {
  if (token.starts_with("!")) {
    llvm::Value* v = read(token.substr(1), 1);
    return v == nullptr || width != 1 ? nullptr : b_.CreateNot(v);
  }
  if (llvm::AllocaInst* p = place(token); p != nullptr && width_at(token) == 0) return nullptr;
  if (llvm::AllocaInst* p = place(token))
    return b_.CreateZExtOrTrunc(b_.CreateLoad(p->getAllocatedType(), p), b_.getIntNTy(width));
  if (llvm::Value* v = input(token)) return width_of(v->getType()) > 64 ? nullptr : as_bits(v, width);
  if (const auto n = literal(token)) return llvm::ConstantInt::get(b_.getIntNTy(width), *n);
  return nullptr;
}

void AssemblyOperands::write(const std::string& token, llvm::Value* v, bool sign) {
  llvm::AllocaInst* p = place(token);
  if (p == nullptr) return;
  b_.CreateStore(sign ? b_.CreateSExtOrTrunc(v, p->getAllocatedType()) : b_.CreateZExtOrTrunc(v, p->getAllocatedType()),
                 p);
}

llvm::Value* AssemblyOperands::call_of(const std::string& name, llvm::Type* result,
                                       llvm::ArrayRef<llvm::Value*> arguments) {
  std::vector<llvm::Type*> types;
  for (const llvm::Value* a : arguments) types.push_back(a->getType());
  return b_.CreateCall(module_.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false)), arguments);
}

llvm::Value* AssemblyOperands::pointer_of(llvm::Value* number) {
  return call_of("__fencepost_address." + std::to_string(number->getType()->getIntegerBitWidth()), b_.getPtrTy(),
                 {number});
}

llvm::Value* AssemblyOperands::address(const std::string& operand) {
  if (operand.size() < 3 || operand.front() != '[' || operand.back() != ']') return nullptr;
  std::string base = operand.substr(1, operand.size() - 2), more;
  if (const size_t sign = base.find_first_of("+-"); sign != std::string::npos && sign > 0) {
    more = base.substr(base[sign] == '+' ? sign + 1 : sign);
    base = base.substr(0, sign);
  }
  const auto bare = [](const std::string& s) { return llvm::StringRef(s).trim().str(); };
  base = bare(base);
  more = bare(more);
  int64_t offset = 0;
  if (!more.empty()) {
    if (more[0] == '-') more = "-" + bare(more.substr(1));
    if (llvm::StringRef(more).getAsInteger(0, offset)) return nullptr;
  }
  llvm::Value* p = input(base);
  if (p == nullptr || !p->getType()->isPointerTy()) {
    const unsigned width = p != nullptr ? width_of(p->getType()) : width_at(base);
    if (width != 32 && width != 64) return nullptr;
    p = pointer_of(read(base, width));
  }
  return offset == 0 ? p : b_.CreateConstGEP1_64(b_.getInt8Ty(), p, static_cast<uint64_t>(offset));
}

}  // namespace fencepost::clangfe
