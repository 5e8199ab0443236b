#pragma once
// Internal to the room: the operands of one inline PTX text as LLVM's values. Results and registers are kept in slots
// of the function until the text is done; promotion makes values of them. expand_assembly.cpp has the instructions.
// Source: PTX ISA 9.7; LLVM language reference, "Inline Asm Constraint String".
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clangfe/ptx_text.h"

namespace fencepost::clangfe {

class AssemblyOperands {
 protected:
  explicit AssemblyOperands(llvm::CallInst* call)
      : call_(call),
        assembly_(llvm::cast<llvm::InlineAsm>(call->getCalledOperand())),
        f_(*call->getFunction()),
        module_(*f_.getParent()),
        context_(f_.getContext()),
        layout_(module_.getDataLayout()),
        b_(call) {}

  // ---- the text as a whole
  // What the constraints say: results, what is tied to them, and inputs. False: it is a text of another kind.
  bool operands();
  // Slots for results and registers, where the function begins.
  void make_slots(const std::vector<PtxStatement>& statements);
  // Results that are inputs, too, have their value.
  void begin_tied();
  // The results take the place of the call, which goes.
  void hand_back();

  // ---- one operand
  // Where a name is kept; none: it is no register and no result.
  llvm::AllocaInst* place(const std::string& token) const;
  // Of a register or a result; 0: it is none, or of 128 bits.
  unsigned width_at(const std::string& token) const;
  // An input as the source gave it; null: it is none.
  llvm::Value* input(const std::string& token) const;
  // The bits of an operand; null: it is none that has a value.
  llvm::Value* read(const std::string& token, unsigned width);
  bool can_write(const std::string& token) const { return token == "_" || width_at(token) != 0; }
  void write(const std::string& token, llvm::Value* v, bool sign = false);
  // "[a]", "[a+16]"; null: it is no such operand.
  llvm::Value* address(const std::string& operand);
  // The four words of an input of 128 bits, read where it is read.
  llvm::Value* words_of(llvm::Value* input);

  // ---- values
  unsigned width_of(llvm::Type* t) const;
  llvm::Value* as_bits(llvm::Value* v, unsigned width);
  llvm::Value* call_of(const std::string& name, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments);
  // A number as the address that it is (Lowering::shared_address).
  llvm::Value* pointer_of(llvm::Value* number);

  llvm::CallInst* call_;
  llvm::InlineAsm* assembly_;
  llvm::Function& f_;
  llvm::Module& module_;
  llvm::LLVMContext& context_;
  const llvm::DataLayout& layout_;
  llvm::IRBuilder<> b_;

 private:
  llvm::Type* kept_as(llvm::Type* t);
  std::optional<unsigned> number_of_operand(const std::string& token) const;

  std::vector<llvm::Type*> results_;
  std::vector<std::pair<unsigned, unsigned>> tied_;  // result, argument
  std::vector<llvm::AllocaInst*> given_;
  std::map<std::string, llvm::AllocaInst*> registers_;
};

}  // namespace fencepost::clangfe
