#pragma once
// Internal to the room: LLVM IR of one kernel -> the text that plain.h describes (plain.cpp says how). Whatever the
// class writes, it names registers, so that it is one class in four files.
#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "clangfe/lowering.h"
#include "clangfe/plain_table.h"

namespace fencepost::clangfe {

struct Refusal {
  std::string what, hint;
  const llvm::DILocation* at = nullptr;
};

std::string said(const llvm::Type* t);

// Called where a bool is neither 0 nor 1, by what -fsanitize=bool makes.
inline constexpr const char* k_no_bool = "__ubsan_handle_load_invalid_value_minimal_abort";

class Writer {
 public:
  Writer(llvm::Module& module, llvm::Function& kernel, std::string shown, std::string file)
      : layout_(module.getDataLayout()),
        kernel_(kernel),
        shown_(std::move(shown)),
        file_(std::move(file)),
        table_(file_) {}
  // Errors: throws a Refusal of what is not read.
  std::string run();

 private:
  // ---- names, blocks and instructions (plain.cpp) ----
  [[noreturn]] void refuse(std::string what, std::string hint = "") const;
  // The variable of the source that holds a value, where there is one.
  std::string launch_bounds() const;
  void name_values();
  std::string fresh(const std::string& wish);
  std::string declare(const std::string& wish, unsigned bits);
  // Bits of a register that holds values of the type.
  unsigned bits_of(llvm::Type* t) const;
  std::string register_of(const llvm::Value& v);
  static bool is_whole(const llvm::Type* t) { return t->isStructTy() || t->isArrayTy(); }
  std::string label(const llvm::BasicBlock& b);
  static std::string type(unsigned bits, char sign = 'b') {
    return bits == 1 ? "pred" : fmt::format("{}{}", sign, bits);
  }
  void put(const std::string& text);
  void block(llvm::BasicBlock& b);
  void copies(llvm::BasicBlock& from, llvm::BasicBlock& to);
  void branch(llvm::BranchInst& b);
  void choose(llvm::SwitchInst& s);
  void instruction(llvm::Instruction& i);
  void opaque(llvm::Instruction& i);
  void undefined(const char* what, const std::string& comparison, unsigned bits, const std::string& a,
                 const std::string& b);
  void binary(llvm::BinaryOperator& b);
  void compare(llvm::ICmpInst& c);
  void cast(llvm::CastInst& c);
  static std::string memory_type(unsigned bits) { return fmt::format("u{}", bits); }
  std::string result(llvm::CallBase& c) { return c.use_empty() ? "_" : register_of(c); }

  // ---- values, structures, addresses (plain_values.cpp) ----
  // Offsets and types of the numbers of a type.
  void numbers(llvm::Type* t, uint64_t at, std::vector<std::pair<uint64_t, llvm::Type*>>& out) const;
  std::vector<std::pair<uint64_t, llvm::Type*>> numbers(llvm::Type* t) const;
  // The numbers that a path of indices leads to: the first, and how many.
  std::pair<size_t, size_t> part(llvm::Type* t, llvm::ArrayRef<unsigned> path) const;
  std::vector<std::string> whole(llvm::Value* v);
  void move_whole(llvm::Instruction& to, const std::vector<std::string>& from);
  bool whole_instruction(llvm::Instruction& i);
  std::string value(llvm::Value* v);
  std::string expression(llvm::ConstantExpr& e);
  static bool built_in(const llvm::GlobalVariable& g);
  std::string variable(const llvm::GlobalVariable& g);
  void fill(const llvm::Constant* c, std::vector<uint8_t>& image, uint64_t at) const;
  std::string parameter(llvm::Argument& a);
  void subscript(llvm::GEPOperator& g, uint64_t elements, llvm::Value* index);
  std::string address(llvm::GEPOperator& g, const std::string& wish);
  std::string predicate(llvm::Value* v);

  // ---- memory (plain_memory.cpp) ----
  void local(llvm::AllocaInst& a);
  // A built-in variable, if the address is in one: "%tid.x".
  std::optional<std::string> special(const llvm::Value* pointer) const;
  void load(llvm::LoadInst& l);
  // Bytes in which a number is accessed: all of them, but for members of packed structures, whose alignment is less.
  // Compilers access these in pieces that are aligned.
  static unsigned aligned_bits(unsigned bits, llvm::Align base, uint64_t offset);
  // A number at a place: `at` plus `offset`, where `base` is the alignment of `at`.
  void load_number(llvm::Type* t, const std::string& to, const std::string& at, uint64_t offset, llvm::Align base,
                   bool is_volatile);
  void store(llvm::StoreInst& s);
  void store_number(llvm::Type* t, const std::string& at, uint64_t offset, llvm::Align base, std::string x,
                    bool is_volatile);
  // Pieces in which bytes are copied: the numbers of the type that is known of one side, else the widest that fit.
  void pieces(llvm::Type* t, uint64_t at, std::vector<std::pair<uint64_t, unsigned>>& out) const;
  static llvm::Type* known_type(const llvm::Value* v);
  std::vector<std::pair<uint64_t, unsigned>> plan(uint64_t bytes, uint64_t align, const llvm::Value* a,
                                                  const llvm::Value* b) const;
  void copy(llvm::MemTransferInst& c);
  // `dim3 where = blockIdx;`
  void copy_built_in(llvm::MemTransferInst& c, const std::string& to, uint64_t length);
  void set(llvm::MemSetInst& c);

  // ---- calls (plain_calls.cpp) ----
  void call(llvm::CallBase& c);
  static std::optional<std::string> width_intrinsic(const llvm::CallBase& c);
  void intrinsic(llvm::CallBase& c, llvm::Function& f);
  // An instruction of PTX whose result has 32 bits whatever its operand has.
  void narrow(llvm::CallBase& c, const std::string& op);
  std::string scope_at(llvm::Value* v) const;
  std::string order_at(llvm::Value* v) const;
  static char sign_of(char letter);
  bool function(llvm::CallBase& c, const Demangled& d);
  bool lanes(llvm::CallBase& c, const Demangled& d);
  // atomicAdd(p, x), with _block and _system: relaxed.
  bool named_atomic(llvm::CallBase& c, const Demangled& d);
  // Members of cuda::atomic and cuda::atomic_ref: the last operands are order and scope.
  bool scoped_atomic(llvm::CallBase& c, const Demangled& d);

  const llvm::DataLayout& layout_;
  llvm::Function& kernel_;
  std::string shown_, file_;
  Table table_;
  std::string variables_, registers_, code_;
  std::map<const llvm::Value*, std::string> names_, said_, spurious_;
  std::map<const llvm::Value*, std::vector<std::string>> wholes_;
  std::map<const llvm::GlobalVariable*, std::string> globals_;
  std::map<const llvm::AllocaInst*, std::string> variable_names_;
  std::map<const llvm::BasicBlock*, std::string> labels_;
  std::map<std::string, unsigned> often_;
  const llvm::DILocation *at_ = nullptr, *where_ = nullptr;
  unsigned edges_ = 0, locals_ = 0, barriers_ = 0;
};

}  // namespace fencepost::clangfe
