#pragma once
// Internal to the room: the translation of one LLVM module, shared by the files lower*.cpp. A thing that cannot be
// expressed calls `refuse`, which remembers the first such thing by name and place; the module is then not given out.
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "clangfe/llvm_module.h"
#include "ir/async.h"
#include "ir/ir.h"

namespace fencepost::clangfe {

// A scalar of an LLVM type: its own type, its offset in memory, the bytes that it takes there.
struct Leaf {
  ir::Type type;
  uint64_t offset = 0;
  uint32_t bytes = 0;
  llvm::Type* llvm = nullptr;
};

using Values = std::vector<ir::ValueId>;  // the leaves of one LLVM value, in order

// "_Z10atomic_addPU3AS1Vii": the name without mangling, and the letters of the parameters.
struct Demangled {
  std::string base;
  std::string parameters;  // "" when not mangled
};
Demangled demangle(llvm::StringRef name);
// Of a read of this pointer: of __ldg and its like (cuda.hdr: __fencepost_read_only, __fencepost_of_surface).
ir::Access::Cache cache_of(const llvm::Value& pointer);

class Lowering {
 public:
  // `withheld`: functions whose bodies cannot be expressed and were taken out. Who may call one is refused for its
  // reason.
  Lowering(const SourcePtr& file, const LlvmModule& in, const Options& options,
           const std::map<const llvm::Function*, Diagnostic>& withheld);
  // Errors: the first thing that cannot be expressed; refused() has one for each function where there is one.
  Expected<ir::Module> run();
  const std::map<const llvm::Function*, Diagnostic>& refused() const { return refused_; }
  bool is_kernel(const llvm::Function& f) const;

 private:
  // ---- module (lower.cpp) ------------------------------------------------------------------------------------
  void add_functions();
  void add_parameters(llvm::Function& f, ir::FunctionId id);
  ir::RegionId region_of(const llvm::GlobalVariable& g);
  bool built_in(const llvm::GlobalVariable& g) const;  // threadIdx and its like
  ir::ValueId built_in_address(const llvm::GlobalVariable& g);
  void fill_built_in();
  ir::RegionId fresh_region(const std::string& name, ir::FunctionId owner, ir::PlaceId place);
  void initial_contents(const llvm::Constant* c, uint64_t offset, ir::Region& r);
  void describe(ir::Region& r, llvm::Type* type, bool known_length);
  ir::Space space_of(unsigned address_space) const;
  std::vector<Leaf> leaves(llvm::Type* t);
  void lower_function(llvm::Function& f);
  void lower_block(llvm::BasicBlock& b);
  void finish_phis();
  void drop_unused();

  // ---- places ------------------------------------------------------------------------------------------------
  ir::PlaceId place_of(const llvm::DILocation* at);
  ir::PlaceId place_of(const llvm::Instruction& i) { return place_of(i.getDebugLoc().get()); }
  uint32_t source_index(const llvm::DIFile* f);
  std::nullopt_t refuse(const std::string& what, const std::string& hint = {});

  // ---- values (lower.cpp) ------------------------------------------------------------------------------------
  ir::Function& out() { return module_.functions[function_.index]; }
  ir::ValueId add_value(ir::Value v);
  ir::ValueId bits(uint64_t value, uint32_t width);
  ir::ValueId null();
  ir::ValueId pointer_to(ir::RegionId r);
  ir::Type type_of(ir::ValueId v) { return out().values[v.index].type; }
  std::optional<uint64_t> constant_of(ir::ValueId v);
  const Values& values(const llvm::Value* v);
  Values constant_values(const llvm::Constant* c);
  ir::ValueId value(const llvm::Value* v) { return values(v).at(0); }

  // ---- emission ----------------------------------------------------------------------------------------------
  void emit(ir::Action a);
  ir::ValueId emit(ir::Type t, ir::Action a, std::string name = {});
  ir::ValueId compute(ir::Op op, Values operands, ir::Type t, uint64_t imm = 0);
  ir::ValueId compute(ir::Op op, Values operands, uint32_t width) {
    return compute(op, std::move(operands), {ir::Type::bits, static_cast<uint8_t>(width)});
  }
  ir::ValueId any(ir::Type t, const std::string& note);
  ir::ValueId function_of(const std::string& symbol, Values operands, ir::Type t);
  ir::ValueId resize(ir::ValueId v, uint32_t width, bool is_signed);
  ir::ValueId truth(ir::ValueId v);  // v != 0
  ir::ValueId offset_pointer(ir::ValueId p, ir::ValueId bytes);
  ir::ValueId offset_pointer(ir::ValueId p, uint64_t bytes);
  ir::ValueId pointer_width(uint64_t v) { return bits(v, module_.pointer_bits); }
  ir::ValueId load_leaf(ir::ValueId p, const Leaf& l, uint32_t site, uint32_t part, bool is_volatile);
  void store_leaf(ir::ValueId p, const Leaf& l, ir::ValueId v, uint32_t site, uint32_t part, bool is_volatile);
  Values load(ir::ValueId p, llvm::Type* t, bool is_volatile = false);
  void store(ir::ValueId p, llvm::Type* t, const Values& v, bool is_volatile = false);
  ir::Access access(ir::ValueId p, uint32_t bytes);
  ir::ValueId id(ir::IdKind k, uint32_t dimension, uint32_t width);

  // ---- instructions (lower_instruction.cpp) -----------------------------------------------------------------
  void lower_instruction(const llvm::Instruction& i);
  Values lower_operation(const llvm::Operator& o);  // instructions and constant expressions alike
  Values lower_binary(const llvm::Operator& o);
  Values lower_cast(const llvm::Operator& o);
  Values lower_bitcast(const Values& from, llvm::Type* from_type, llvm::Type* to_type);
  Values lower_gep(const llvm::GEPOperator& g);
  Values lower_compare(const llvm::CmpInst& c);
  Values lower_select(const llvm::SelectInst& s);
  Values lower_shuffle(const llvm::ShuffleVectorInst& s);
  Values lower_load(const llvm::LoadInst& l);
  Values lower_atomic(const llvm::AtomicRMWInst& a);
  Values lower_atomic(const llvm::AtomicCmpXchgInst& a);
  void lower_terminator(const llvm::Instruction& i);
  void lower_alloca(const llvm::AllocaInst& a);

  // ---- calls (lower_call.cpp and the two dialects) ------------------------------------------------------------
  Values lower_call(const llvm::CallBase& c);
  Values call_function(const llvm::CallBase& c, const llvm::Function* f);
  std::optional<Values> lower_intrinsic(const llvm::IntrinsicInst& c);
  void lower_copy(const llvm::MemTransferInst& c);
  void lower_fill(const llvm::MemSetInst& c);
  std::optional<Values> lower_arithmetic(const llvm::CallBase& c, const llvm::InlineAsm& a);
  Values lower_assembly(const llvm::CallBase& c, const llvm::InlineAsm& a);
  std::optional<Values> lower_annotation(const llvm::CallBase& c, const Demangled& d);
  std::optional<Values> lower_opencl(const llvm::CallBase& c, const Demangled& d);
  std::optional<Values> lower_group_function(const llvm::CallBase& c, const std::string& n);
  std::optional<Values> lower_opencl_atomic(const llvm::CallBase& c, const Demangled& d);
  std::optional<Values> lower_opencl_integer(const llvm::CallBase& c, const Demangled& d);
  std::optional<Values> lower_opencl_convert(const llvm::CallBase& c, const Demangled& d);
  std::optional<Values> lower_opencl_memory(const llvm::CallBase& c, const Demangled& d);
  std::optional<Values> lower_opencl_image(const llvm::CallBase& c, const Demangled& d);
  std::optional<Values> lower_cuda(const llvm::CallBase& c, const Demangled& d);
  std::optional<Values> lower_libdevice(const llvm::CallBase& c, const std::string& name);
  std::optional<Values> lower_async(const llvm::CallBase& c, const std::string& name);
  std::optional<Values> lower_async_assembly(const llvm::CallBase& c, const std::string& statement);
  std::optional<ir::ValueId> shared_address(const llvm::Value* v);
  // An access whose instruction of inline PTX names a state space, by its site. in_space() refuses those that access no
  // object of that space; it comes after ir::resolve_pointers.
  void say_space(uint32_t site, const std::string& instruction);
  void in_space();
  // Calls of addresses may lead to functions that are withheld.
  void without_withheld();
  // From OpenCL 2.0 on, images are memory of their own, which other fences do not order. Whether this kernel, or what
  // it calls, writes one and has a barrier that orders none.
  bool image_races_barrier(const llvm::Function& kernel) const;
  void own_copy(ir::ValueId to, ir::ValueId from, uint64_t bytes);
  void own_wait(ir::OwnCopies what, uint64_t pending);
  std::optional<Values> lower_pure(const llvm::CallBase& c, const Demangled& d);
  void requires_fresh_array(const llvm::CallBase& c);
  void without_limit(ir::Atomic& a);
  Values atomic(ir::AtomicOp op, ir::ValueId p, llvm::Type* t, Values operands, const std::string& spelling,
                ir::Order order, ir::Scope scope, bool result);
  void barrier(ir::Scope scope, ir::ValueId local, ir::ValueId global);
  // ---- clusters of blocks (lower_cluster.cpp)
  std::optional<Values> lower_cluster(const llvm::CallBase& c, const std::string& name);
  // `barrier.cluster.arrive` and `wait`; false: it is said otherwise than is read.
  bool cluster_assembly(const std::vector<std::string>& parts);
  // "%cluster_ctarank" and its like; none: it is another register.
  std::optional<ir::ValueId> cluster_register(const std::string& name);
  ir::ValueId cluster_flat(ir::IdKind k);
  std::array<uint32_t, 3> cluster_dimensions(const llvm::Function& kernel) const;
  ir::ValueId bit_of(ir::ValueId v, unsigned bit);
  std::vector<Leaf> copy_plan(const llvm::Value* a, const llvm::Value* b, uint64_t length, uint64_t alignment);
  llvm::Type* pointed_type(const llvm::Value* p);

  const SourcePtr& file_;
  const LlvmModule& in_;
  const Options& options_;
  const std::map<const llvm::Function*, Diagnostic>& withheld_;
  const llvm::DataLayout& layout_;
  ir::Module module_;
  Diagnostics faults_;
  std::map<const llvm::Function*, Diagnostic> refused_;
  std::map<const llvm::Function*, ir::FunctionId> functions_;
  std::map<const llvm::GlobalVariable*, ir::RegionId> globals_;
  ir::RegionId dynamic_shared_;  // all `extern __shared__` arrays of CUDA start at one address
  struct OfImages {
    bool written = false, barrier = false;  // an image; a barrier that does not order images
  };
  OfImages of_images_;  // of the current function
  std::set<const llvm::Function*> image_writers_, barriers_without_images_;
  uint32_t opencl_version_ = 0;
  std::map<std::string, uint32_t> source_numbers_;
  std::map<const llvm::DILocation*, ir::PlaceId> place_numbers_;
  std::map<std::string, ir::SymbolId> symbol_numbers_;
  std::set<const llvm::Function*> kernels_;
  std::map<uint32_t, std::pair<ir::PlaceId, std::string>> said_spaces_;
  std::map<std::pair<uint32_t, uint64_t>, ir::RegionId>
      field_regions_;  // what a pointer in a region at an offset points to
  // of the current function
  ir::FunctionId function_;
  ir::BlockId block_;
  ir::PlaceId place_;
  bool spec_ = false;
  ir::Access::Cache cache_ = ir::Access::coherent;  // of the current load
  std::unordered_map<const llvm::Value*, Values> values_;
  std::map<std::pair<uint64_t, uint32_t>, ir::ValueId> constants_;
  std::map<uint32_t, ir::ValueId> addresses_;
  ir::ValueId null_;
  std::map<const llvm::GlobalVariable*, ir::RegionId> built_in_;  // copies of this function
  std::map<const llvm::BasicBlock*, ir::BlockId> blocks_;
  std::vector<std::pair<const llvm::PHINode*, ir::BlockId>> phis_;
  std::set<const llvm::BasicBlock*> loop_headers_;
  Values scratch_;
};

}  // namespace fencepost::clangfe
