// LLVM module -> kernel IR: functions, regions, values. Instructions and calls are in the other files lower_*.cpp.
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>

#include <algorithm>
#include <filesystem>

#include "base/read_file.h"
#include "clangfe/embedded.h"
#include "clangfe/lowering.h"
#include "ir/assembly.h"
#include "ir/points_to.h"
#include "ir/verify.h"

namespace fencepost::clangfe {

using namespace ir;

Demangled demangle(llvm::StringRef name) {
  if (!name.consume_front("_Z")) return {name.str(), ""};
  unsigned length = 0;
  name.consume_front("L");      // of internal linkage
  if (name.starts_with("N")) {  // nested names are the user's or C++ headers'; the last part is enough
    name = name.drop_front();
    llvm::StringRef last;
    while (!name.empty() && std::isdigit(name.front())) {
      if (name.consumeInteger(10, length) || length > name.size()) return {name.str(), ""};
      last = name.take_front(length);
      name = name.drop_front(length);
    }
    return {last.str(), name.str()};
  }
  if (name.consumeInteger(10, length) || length > name.size()) return {name.str(), ""};
  return {name.take_front(length).str(), name.drop_front(length).str()};
}

Lowering::Lowering(const SourcePtr& file, const LlvmModule& in, const Options& options,
                   const std::map<const llvm::Function*, Diagnostic>& withheld)
    : file_(file), in_(in), options_(options), withheld_(withheld), layout_(in.module->getDataLayout()) {
  module_.dialect = options.dialect;
  module_.pointer_bits = options.pointer_bits;
  module_.sources.push_back(file);
  source_numbers_[file->name] = 0;
  module_.warnings = in.warnings;
}

std::nullopt_t Lowering::refuse(const std::string& what, const std::string& hint) {
  if (faults_.list.empty()) {
    Diagnostic d;
    d.fault = Fault::unsupported;
    d.span = span(module_, place_);
    if (!d.span.source) d.span = {file_, 0, 0};
    d.message = what + " is not supported";
    d.hint = hint;
    faults_.add(std::move(d));
  }
  return std::nullopt;
}

// ---- places ---------------------------------------------------------------------------------------------------

uint32_t Lowering::source_index(const llvm::DIFile* f) {
  std::string name = f->getFilename().str();
  if (name == "<stdin>" || name.empty()) name = file_->name;
  auto [it, fresh] = source_numbers_.try_emplace(name, static_cast<uint32_t>(module_.sources.size()));
  if (fresh) {
    // Clang splits a name at what it shares with the working directory. An absolute name stays one.
    const std::string path = (std::filesystem::path(f->getDirectory().str()) / name).string();
    // "./kernel.cl" and "dir/kernel.cl" are the file that was asked for.
    std::error_code ec;
    if (std::filesystem::weakly_canonical(path, ec) == std::filesystem::weakly_canonical(file_->name, ec)) {
      it->second = 0;
    } else {
      // Also a #line can name any file.
      auto text = may_be_quoted(path, *file_, options_) ? read_file(path) : make_source(name, "");
      module_.sources.push_back(text ? *text : make_source(name, ""));
    }
  }
  return it->second;
}

PlaceId Lowering::place_of(const llvm::DILocation* at) {
  // Frames in our own headers and in a library's are dropped: what they do is done where they are called. A kernel of a
  // library keeps its places.
  const llvm::DILocation* outer = at;
  while (outer != nullptr && of_library(in_, path_of(*outer->getFile()))) outer = outer->getInlinedAt();
  if (outer == nullptr && !in_.library.empty()) outer = at;
  at = outer;
  if (at == nullptr || at->getLine() == 0) return {};
  if (const auto it = place_numbers_.find(at); it != place_numbers_.end()) return it->second;
  Place p;
  p.file = source_index(at->getFile());
  p.line = at->getLine();
  p.column = at->getColumn();
  p.called_from = place_of(at->getInlinedAt());
  const PlaceId id{static_cast<uint32_t>(module_.places.size())};
  module_.places.push_back(p);
  place_numbers_[at] = id;
  return id;
}

// ---- types ----------------------------------------------------------------------------------------------------

std::vector<Leaf> Lowering::leaves(llvm::Type* t) {
  std::vector<Leaf> found;
  const auto visit = [&](auto&& self, llvm::Type* at, uint64_t offset) -> void {
    if (at->isIntegerTy()) {
      const unsigned w = at->getIntegerBitWidth();
      if (w > 64) {
        refuse("an integer of " + std::to_string(w) + " bits");
        return;
      }
      found.push_back({{Type::bits, static_cast<uint8_t>(w)}, offset, (w + 7) / 8, at});
    } else if (at->isHalfTy() || at->isBFloatTy() || at->isFloatTy() || at->isDoubleTy()) {
      const auto w = static_cast<uint8_t>(at->getScalarSizeInBits());
      found.push_back({{Type::bits, w}, offset, w / 8u, at});
    } else if (at->isPointerTy() || at->isTargetExtTy()) {
      found.push_back(
          {{Type::pointer, static_cast<uint8_t>(module_.pointer_bits)}, offset, module_.pointer_bits / 8, at});
    } else if (auto* v = llvm::dyn_cast<llvm::FixedVectorType>(at)) {
      const uint64_t step = layout_.getTypeStoreSize(v->getElementType());
      for (unsigned i = 0; i < v->getNumElements(); ++i) self(self, v->getElementType(), offset + i * step);
    } else if (auto* a = llvm::dyn_cast<llvm::ArrayType>(at)) {
      if (a->getNumElements() > 65536) {
        refuse("a value of " + std::to_string(a->getNumElements()) + " elements");
        return;
      }
      const uint64_t step = layout_.getTypeAllocSize(a->getElementType());
      for (uint64_t i = 0; i < a->getNumElements(); ++i) self(self, a->getElementType(), offset + i * step);
    } else if (auto* s = llvm::dyn_cast<llvm::StructType>(at)) {
      const llvm::StructLayout* l = layout_.getStructLayout(s);
      for (unsigned i = 0; i < s->getNumElements(); ++i)
        self(self, s->getElementType(i), offset + l->getElementOffset(i));
    } else if (!at->isVoidTy()) {
      std::string text;
      llvm::raw_string_ostream os(text);
      at->print(os);
      refuse("the type '" + text + "'");
    }
  };
  visit(visit, t, 0);
  return found;
}

Space Lowering::space_of(unsigned as) const {
  if (module_.dialect == Dialect::opencl) {
    switch (as) {
      case 1:
        return Space::global;
      case 2:
        return Space::constant;
      case 3:
        return Space::group;
      case 4:
        return Space::global;  // generic
      default:
        return Space::private_;
    }
  }
  switch (as) {
    case 3:
      return Space::group;
    case 4:
      return Space::constant;
    case 5:
      return Space::private_;
    default:
      return Space::global;
  }
}

// Element and dimensions of a region that is declared with this type.
void Lowering::describe(Region& r, llvm::Type* type, bool known_length) {
  if (known_length) r.size = layout_.getTypeAllocSize(type).getFixedValue();
  while (auto* a = llvm::dyn_cast<llvm::ArrayType>(type)) {
    r.dimensions.push_back(a->getNumElements());
    type = a->getElementType();
  }
  if (r.size == 0) r.size.reset();  // `extern __shared__ T x[]`
  r.element = type->isSized() ? std::max<uint32_t>(1, layout_.getTypeAllocSize(type).getFixedValue()) : 1;
}

void Lowering::initial_contents(const llvm::Constant* c, uint64_t offset, Region& r) {
  if (c->isNullValue() || llvm::isa<llvm::UndefValue>(c)) return;
  if (const auto* n = llvm::dyn_cast<llvm::ConstantInt>(c)) {
    for (unsigned i = 0; i < (n->getBitWidth() + 7) / 8; ++i)
      r.initial[offset + i] =
          static_cast<uint8_t>(n->getValue().extractBitsAsZExtValue(std::min(8u, n->getBitWidth() - 8 * i), 8 * i));
  } else if (const auto* f = llvm::dyn_cast<llvm::ConstantFP>(c)) {
    const llvm::APInt n = f->getValueAPF().bitcastToAPInt();
    for (unsigned i = 0; i < n.getBitWidth() / 8; ++i)
      r.initial[offset + i] = static_cast<uint8_t>(n.extractBitsAsZExtValue(8, 8 * i));
  } else if (const auto* d = llvm::dyn_cast<llvm::ConstantDataSequential>(c)) {
    const uint64_t step = layout_.getTypeStoreSize(d->getElementType());
    for (unsigned i = 0; i < d->getNumElements(); ++i)
      initial_contents(d->getElementAsConstant(i), offset + i * step, r);
  } else if (const auto* s = llvm::dyn_cast<llvm::ConstantStruct>(c)) {
    const llvm::StructLayout* l = layout_.getStructLayout(s->getType());
    for (unsigned i = 0; i < s->getNumOperands(); ++i)
      initial_contents(s->getOperand(i), offset + l->getElementOffset(i), r);
  } else if (llvm::isa<llvm::ConstantArray>(c) || llvm::isa<llvm::ConstantVector>(c)) {
    llvm::Type* element = llvm::isa<llvm::ConstantArray>(c)
                              ? llvm::cast<llvm::ArrayType>(c->getType())->getElementType()
                              : llvm::cast<llvm::VectorType>(c->getType())->getElementType();
    const uint64_t step = layout_.getTypeAllocSize(element);
    for (unsigned i = 0; i < c->getNumOperands(); ++i)
      initial_contents(llvm::cast<llvm::Constant>(c->getOperand(i)), offset + i * step, r);
  } else if (c->getType()->isPointerTy()) {
    llvm::APInt addend(layout_.getIndexTypeSizeInBits(c->getType()), 0);
    const llvm::Value* base = c->stripAndAccumulateConstantOffsets(layout_, addend, true);
    InitialPointer p{.offset = offset, .addend = addend.getSExtValue()};
    const auto* f = llvm::dyn_cast<llvm::Function>(base);
    // What a table of virtual functions has for one without a body: a call of it is undefined (C++, [class.abstract]),
    // and is refuted as one through a null pointer.
    if (f != nullptr && (f->getName() == "__cxa_pure_virtual" || f->getName() == "__cxa_deleted_virtual")) return;
    if (f != nullptr && functions_.count(f) != 0) {
      p.function = functions_[f];
    } else if (const auto* g = llvm::dyn_cast<llvm::GlobalVariable>(base)) {
      p.target = region_of(*g);
    } else {
      refuse("an address of this kind in an initialiser");
      return;
    }
    r.pointers.push_back(p);
  } else {
    refuse("an initialiser of this kind");
  }
}

RegionId Lowering::region_of(const llvm::GlobalVariable& g) {
  if (const auto it = globals_.find(&g); it != globals_.end()) return it->second;
  const bool dynamic = module_.dialect == Dialect::cuda && g.getAddressSpace() == 3 && g.isDeclaration();
  if (dynamic && dynamic_shared_) return globals_[&g] = dynamic_shared_;
  const RegionId id{static_cast<uint32_t>(module_.regions.size())};
  globals_[&g] = id;
  if (dynamic) dynamic_shared_ = id;
  module_.regions.emplace_back();
  Region r;
  r.name = g.getName().str();
  r.origin = Origin::variable;
  r.space = space_of(g.getAddressSpace());
  llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> debug;
  g.getDebugInfo(debug);
  if (!debug.empty()) {
    const llvm::DIGlobalVariable* v = debug[0]->getVariable();
    r.name = v->getName().str();
    Place p;
    p.file = source_index(v->getFile());
    p.line = v->getLine();
    p.column = 1;
    r.place = {static_cast<uint32_t>(module_.places.size())};
    module_.places.push_back(p);
    if (const auto* sp = llvm::dyn_cast_or_null<llvm::DISubprogram>(
            v->getScope() != nullptr ? llvm::dyn_cast<llvm::DILocalScope>(v->getScope()) != nullptr
                                           ? llvm::cast<llvm::DILocalScope>(v->getScope())->getSubprogram()
                                           : nullptr
                                     : nullptr))
      for (const auto& [f, number] : functions_)
        if (f->getSubprogram() == sp) r.owner = number;
  }
  if (r.name == "__fencepost_textures") r.name = k_textures;
  if (r.name == "__fencepost_surfaces") r.name = k_surfaces;
  // OpenCL names a local variable of a kernel "kernel.name".
  if (const auto dot = r.name.find('.'); dot != std::string::npos && dot > 0)
    for (const auto& [f, number] : functions_)
      if (r.name.substr(0, dot) == f->getName().str()) {
        r.owner = number;
        r.name = r.name.substr(dot + 1);
        break;
      }
  describe(r, g.getValueType(), true);
  // A constant of the program is what its text says. The host may write CUDA's __constant__ and __device__ variables
  // before the launch; a constant of C++ it may not.
  const bool fixed = g.isConstant() &&
                     (module_.dialect == Dialect::opencl || g.getAddressSpace() != 4 || !g.isExternallyInitialized());
  if (fixed && g.hasInitializer() && !llvm::isa<llvm::UndefValue>(g.getInitializer())) {
    if (module_.dialect == Dialect::cuda) r.space = Space::constant;
    if (r.size) {
      r.contents = g.getInitializer()->isNullValue() ? Contents::zero : Contents::given;
      if (r.contents == Contents::given) {
        r.initial.assign(*r.size, 0);
        initial_contents(g.getInitializer(), 0, r);
      }
    }
  } else if (g.hasInitializer() && !llvm::isa<llvm::UndefValue>(g.getInitializer())) {
    r.first_value = !g.getInitializer()->isNullValue();
  }
  module_.regions[id.index] = std::move(r);
  return id;
}

RegionId Lowering::fresh_region(const std::string& name, FunctionId owner, PlaceId place) {
  Region r;
  r.name = name;
  r.owner = owner;
  r.space = Space::global;
  r.origin = Origin::fresh;
  r.place = place;
  module_.regions.push_back(std::move(r));
  return {static_cast<uint32_t>(module_.regions.size() - 1)};
}

// ---- functions --------------------------------------------------------------------------------------------------

bool Lowering::is_kernel(const llvm::Function& f) const {
  return f.getCallingConv() == llvm::CallingConv::SPIR_KERNEL || kernels_.count(&f) != 0;
}

void Lowering::add_functions() {
  if (const llvm::NamedMDNode* md = in_.module->getNamedMetadata("nvvm.annotations"))
    for (const llvm::MDNode* n : md->operands())
      if (n->getNumOperands() >= 2)
        if (const auto* f = llvm::mdconst::dyn_extract_or_null<llvm::Function>(n->getOperand(0)))
          if (const auto* kind = llvm::dyn_cast<llvm::MDString>(n->getOperand(1));
              kind != nullptr && kind->getString() == "kernel")
            kernels_.insert(f);
  // Functions that were put in the place of all their calls are gone.
  std::set<const llvm::Function*> dropped;
  for (const llvm::Function& f : *in_.module)
    if (options_.inline_calls || f.hasFnAttribute(llvm::Attribute::AlwaysInline))
      if (!f.isDeclaration() && !is_kernel(f) && f.use_empty() && !f.getName().starts_with("__fencepost_axiom_"))
        dropped.insert(&f);
  for (llvm::Function& f : *in_.module) {
    if (f.isIntrinsic() || dropped.count(&f) != 0) continue;
    const Demangled d = demangle(f.getName());
    const bool ours = f.getSubprogram() != nullptr && f.getSubprogram()->getFile() != nullptr &&
                      of_library(in_, path_of(*f.getSubprogram()->getFile()));
    const bool axiom = f.getName().starts_with("__fencepost_axiom_");
    // A function of the user's may have the name of a built-in one, for other types.
    const bool users = options_.dialect == Dialect::cuda
                           ? in_.user_functions.contains(f.getName().str()) ||
                                 (d.parameters.starts_with("I") && in_.user_functions.contains(d.base + "<"))
                           : in_.user_functions.contains(d.base);
    if (f.isDeclaration() && !users && !f.getName().starts_with(k_assembly)) continue;  // built-in
    if (ours && !axiom && f.use_empty()) continue;
    const FunctionId id{static_cast<uint32_t>(module_.functions.size())};
    functions_[&f] = id;
    Function g;
    g.symbol = f.getName().str();
    g.name = f.getSubprogram() != nullptr ? f.getSubprogram()->getName().str() : d.base;
    g.kernel = is_kernel(f);
    g.body = !f.isDeclaration();
    g.axiom = axiom;
    if (g.kernel) g.cluster = cluster_dimensions(f);
    module_.functions.push_back(std::move(g));
  }
}

namespace {

// ".p[4]": how the source names what lies at an offset of a variable of this type; "" when the debug information is
// silent.
std::string member_path(const llvm::DIType* t, uint64_t offset) {
  std::string path;
  while (t != nullptr) {
    if (const auto* d = llvm::dyn_cast<llvm::DIDerivedType>(t)) {
      if (d->getTag() == llvm::dwarf::DW_TAG_pointer_type) break;
      t = d->getBaseType();
      continue;
    }
    const auto* c = llvm::dyn_cast<llvm::DICompositeType>(t);
    if (c == nullptr) break;
    if (c->getTag() == llvm::dwarf::DW_TAG_array_type) {
      const llvm::DIType* element = c->getBaseType();
      uint64_t size = c->getSizeInBits() / 8;
      for (const auto* e : c->getElements()) {
        const auto* range = llvm::dyn_cast<llvm::DISubrange>(e);
        const auto* count =
            range != nullptr ? llvm::dyn_cast_if_present<llvm::ConstantInt*>(range->getCount()) : nullptr;
        if (count == nullptr || count->isZero()) return path;
        size /= count->getZExtValue();
        path += "[" + std::to_string(offset / size) + "]";
        offset %= size;
      }
      t = element;
      continue;
    }
    const llvm::DIType* next = nullptr;
    for (const auto* e : c->getElements()) {
      const auto* m = llvm::dyn_cast<llvm::DIDerivedType>(e);
      if (m == nullptr || (m->getTag() != llvm::dwarf::DW_TAG_member && m->getTag() != llvm::dwarf::DW_TAG_inheritance))
        continue;
      const uint64_t at = m->getOffsetInBits() / 8, size = std::max<uint64_t>(1, m->getSizeInBits() / 8);
      if (offset < at || offset >= at + size) continue;
      if (m->getTag() == llvm::dwarf::DW_TAG_member) path += "." + m->getName().str();
      offset -= at;
      next = m->getBaseType();
      break;
    }
    t = next;
  }
  return path;
}

// A pointer to a function, through typedefs.
bool is_function_pointer(const llvm::DIType* t) {
  bool pointer = false;
  while (const auto* d = llvm::dyn_cast_or_null<llvm::DIDerivedType>(t)) {
    if (d->getTag() == llvm::dwarf::DW_TAG_pointer_type) {
      if (pointer) return false;
      pointer = true;
    } else if (d->getTag() != llvm::dwarf::DW_TAG_typedef && d->getTag() != llvm::dwarf::DW_TAG_const_type &&
               d->getTag() != llvm::dwarf::DW_TAG_volatile_type && d->getTag() != llvm::dwarf::DW_TAG_restrict_type) {
      return false;
    }
    t = d->getBaseType();
  }
  return pointer && llvm::isa_and_nonnull<llvm::DISubroutineType>(t);
}

}  // namespace

void Lowering::add_parameters(llvm::Function& f, FunctionId id) {
  function_ = id;
  // Elements of arrays behind pointers, from the debug information.
  std::map<unsigned, const llvm::DIType*> declared;
  for (llvm::Instruction& i : llvm::instructions(f))
    for (llvm::DbgVariableRecord& r : llvm::filterDbgVars(i.getDbgRecordRange()))
      if (const llvm::DILocalVariable* v = r.getVariable();
          v->getArg() != 0 && v->getScope()->getSubprogram() == f.getSubprogram())
        declared[v->getArg() - 1] = v->getType();
  const auto strip = [](const llvm::DIType* t) {
    while (const auto* d = llvm::dyn_cast_or_null<llvm::DIDerivedType>(t)) {
      if (d->getTag() == llvm::dwarf::DW_TAG_pointer_type || d->getTag() == llvm::dwarf::DW_TAG_reference_type) break;
      t = d->getBaseType();
    }
    return t;
  };
  if (f.getSubprogram() != nullptr) {
    place_ = {static_cast<uint32_t>(module_.places.size())};
    module_.places.push_back({source_index(f.getSubprogram()->getFile()), f.getSubprogram()->getLine(), 1, {}});
    module_.functions[id.index].place = place_;
  }
  const auto* kinds = f.getMetadata("kernel_arg_type");
  for (llvm::Argument& a : f.args()) {
    const unsigned n = a.getArgNo();
    std::string name = a.getName().str();
    if (const auto dot = name.find('.'); dot != std::string::npos && dot > 0) name = name.substr(0, dot);
    Values vs;
    const bool copied = a.hasByValAttr();
    const auto parameter = [&](const std::string& text, Type t, RegionId region) {
      Function& g = module_.functions[id.index];
      const auto index = static_cast<uint32_t>(g.parameters.size());
      g.parameters.push_back({text, t, n, region});
      return add_value({.kind = Value::parameter, .type = t, .index = index, .name = text});
    };
    const Type pointer{Type::pointer, static_cast<uint8_t>(module_.pointer_bits)};
    if (copied) {
      Region r;
      r.name = name;
      r.owner = id;
      r.space = Space::private_;
      r.origin = Origin::by_value;
      r.place = place_;
      describe(r, a.getParamByValType(), true);
      const RegionId region{static_cast<uint32_t>(module_.regions.size())};
      module_.regions.push_back(std::move(r));
      if (is_kernel(f)) {
        // Each pointer in it points to an array of its own, as a parameter would.
        for (const Leaf& l : leaves(a.getParamByValType())) {
          if (l.type.kind != Type::pointer) continue;
          const RegionId target =
              fresh_region(name + member_path(declared.count(n) != 0 ? declared[n] : nullptr, l.offset), id, place_);
          module_.regions[target.index].origin = Origin::parameter;
          module_.regions[target.index].space = space_of(l.llvm->getPointerAddressSpace());
          if (module_.regions[target.index].space == Space::private_)
            module_.regions[target.index].space = Space::global;
          module_.regions[region.index].pointers.push_back({.offset = l.offset, .target = target});
          field_regions_[{region.index, l.offset}] = target;
        }
        vs.push_back(parameter(name, pointer, region));
      } else {
        // The callee's own copy, made of the values that the caller has read: see call_function.
        module_.regions[region.index].origin = Origin::automatic;
        const std::vector<Leaf> parts = leaves(a.getParamByValType());
        Values given;
        for (size_t k = 0; k < parts.size(); ++k)
          given.push_back(parameter(name + "." + std::to_string(k), parts[k].type, {}));
        vs.push_back(pointer_to(region));
        if (module_.functions[id.index].body) {
          block_ = {0};
          const uint32_t site = module_.sites++;
          for (size_t k = 0; k < parts.size(); ++k)
            store_leaf(vs[0], parts[k], given[k], site, static_cast<uint32_t>(k), false);
        }
      }
    } else {
      const std::vector<Leaf> parts = leaves(a.getType());
      for (size_t k = 0; k < parts.size(); ++k) {
        RegionId region;
        const bool function = declared.count(n) != 0 && is_function_pointer(declared[n]);
        if (parts[k].type.kind == Type::pointer && !function &&
            (is_kernel(f) || (f.use_empty() && !f.isDeclaration() && !module_.functions[id.index].axiom))) {
          Region r;
          r.name = name;
          r.owner = id;
          r.origin = Origin::parameter;
          r.place = place_;
          r.restrict_ = a.hasNoAliasAttr();
          r.space = parts[k].llvm->isPointerTy() ? space_of(parts[k].llvm->getPointerAddressSpace()) : Space::global;
          if (is_kernel(f) && r.space == Space::private_) r.space = Space::global;
          r.dimensions.push_back(0);
          if (const auto* t =
                  llvm::dyn_cast_or_null<llvm::DIDerivedType>(strip(declared.count(n) != 0 ? declared[n] : nullptr))) {
            const llvm::DIType* element = strip(t->getBaseType());
            if (element != nullptr && element->getSizeInBits() >= 8)
              r.element = static_cast<uint32_t>(element->getSizeInBits() / 8);
            while (const auto* c = llvm::dyn_cast_or_null<llvm::DICompositeType>(element)) {
              if (c->getTag() != llvm::dwarf::DW_TAG_array_type || c->isVector()) break;
              for (const auto* e : c->getElements())
                if (const auto* range = llvm::dyn_cast<llvm::DISubrange>(e))
                  if (const auto* count = llvm::dyn_cast_if_present<llvm::ConstantInt*>(range->getCount()))
                    r.dimensions.push_back(count->getZExtValue());
              element = strip(c->getBaseType());
              if (element != nullptr && element->getSizeInBits() >= 8)
                r.element = static_cast<uint32_t>(element->getSizeInBits() / 8);
            }
          }
          if (kinds != nullptr && n < kinds->getNumOperands())
            if (const auto* text = llvm::dyn_cast<llvm::MDString>(kinds->getOperand(n));
                text != nullptr && text->getString().starts_with("image")) {
              r.origin = Origin::image;
              r.space = Space::global;
              r.element = 16;
              r.dimensions = {0};
            }
          region = {static_cast<uint32_t>(module_.regions.size())};
          module_.regions.push_back(std::move(r));
        }
        ValueId given = parameter(parts.size() == 1 ? name : name + "." + std::to_string(k), parts[k].type, region);
        // Whoever calls a function that nobody calls here may give each thread another place of the array.
        if (region && !is_kernel(f)) {
          block_ = {0};
          given = offset_pointer(
              given, any({Type::bits, static_cast<uint8_t>(module_.pointer_bits)}, "where the argument points to"));
        }
        vs.push_back(given);
      }
    }
    values_[&a] = vs;
  }
  if (!f.getReturnType()->isVoidTy())
    for (const Leaf& l : leaves(f.getReturnType())) module_.functions[id.index].results.push_back(l.type);
}

// ---- values -----------------------------------------------------------------------------------------------------

ValueId Lowering::add_value(Value v) {
  out().values.push_back(std::move(v));
  return {static_cast<uint32_t>(out().values.size() - 1)};
}

ValueId Lowering::bits(uint64_t v, uint32_t width) {
  if (width < 64) v &= (uint64_t{1} << width) - 1;
  ValueId& id = constants_[{v, width}];
  if (!id)
    id = add_value({.kind = Value::constant, .type = {Type::bits, static_cast<uint8_t>(width)}, .constant_bits = v});
  return id;
}

ValueId Lowering::null() {
  if (!null_)
    null_ = add_value({.kind = Value::constant, .type = {Type::pointer, static_cast<uint8_t>(module_.pointer_bits)}});
  return null_;
}

ValueId Lowering::pointer_to(RegionId r) {
  ValueId& id = addresses_[r.index];
  if (!id)
    id = add_value({.kind = Value::region_address,
                    .type = {Type::pointer, static_cast<uint8_t>(module_.pointer_bits)},
                    .region = r,
                    .name = module_.regions[r.index].name});
  return id;
}

std::optional<uint64_t> Lowering::constant_of(ValueId v) {
  const Value& x = out().values[v.index];
  if (x.kind != Value::constant || x.type.kind != Type::bits) return std::nullopt;
  return x.constant_bits;
}

const Values& Lowering::values(const llvm::Value* v) {
  if (const auto it = values_.find(v); it != values_.end()) return it->second;
  scratch_.clear();
  if (const auto* c = llvm::dyn_cast<llvm::Constant>(v)) {
    scratch_ = constant_values(c);
  } else {
    refuse("a value of this kind");
  }
  // One value at least, so that a refused construct does not stop the walk half way.
  if (scratch_.empty() && !v->getType()->isVoidTy())
    for (const Leaf& l : leaves(v->getType()))
      scratch_.push_back(l.type.kind == Type::pointer ? null() : bits(0, l.type.width));
  if (scratch_.empty()) scratch_.push_back(bits(0, 1));
  return scratch_;
}

Values Lowering::constant_values(const llvm::Constant* c) {
  if (llvm::isa<llvm::UndefValue>(c)) {
    Values vs;
    for (const Leaf& l : leaves(c->getType())) vs.push_back(any(l.type, "undefined value"));
    return vs;
  }
  if (c->isNullValue()) {
    Values vs;
    for (const Leaf& l : leaves(c->getType()))
      vs.push_back(l.type.kind == Type::pointer ? null() : bits(0, l.type.width));
    return vs;
  }
  if (const auto* n = llvm::dyn_cast<llvm::ConstantInt>(c)) {
    if (n->getBitWidth() > 64) {
      refuse("an integer of " + std::to_string(n->getBitWidth()) + " bits");
      return {};
    }
    return {bits(n->getZExtValue(), n->getBitWidth())};
  }
  if (const auto* f = llvm::dyn_cast<llvm::ConstantFP>(c)) {
    const llvm::APInt n = f->getValueAPF().bitcastToAPInt();
    return {bits(n.getZExtValue(), n.getBitWidth())};
  }
  if (const auto* f = llvm::dyn_cast<llvm::Function>(c)) {
    const auto it = functions_.find(f);
    if (it == functions_.end()) {
      refuse("the address of the built-in function '" + demangle(f->getName()).base + "'");
      return {};
    }
    return {add_value({.kind = Value::function_address,
                       .type = {Type::pointer, static_cast<uint8_t>(module_.pointer_bits)},
                       .function = it->second})};
  }
  if (const auto* g = llvm::dyn_cast<llvm::GlobalVariable>(c))
    return {built_in(*g) ? built_in_address(*g) : pointer_to(region_of(*g))};
  if (const auto* a = llvm::dyn_cast<llvm::GlobalAlias>(c)) return constant_values(a->getAliasee());
  if (const auto* d = llvm::dyn_cast<llvm::ConstantDataSequential>(c)) {
    Values vs;
    for (unsigned i = 0; i < d->getNumElements(); ++i) vs.push_back(constant_values(d->getElementAsConstant(i)).at(0));
    return vs;
  }
  if (llvm::isa<llvm::ConstantAggregate>(c)) {
    Values vs;
    for (const llvm::Use& u : c->operands()) {
      const Values part = constant_values(llvm::cast<llvm::Constant>(u.get()));
      vs.insert(vs.end(), part.begin(), part.end());
    }
    return vs;
  }
  if (const auto* e = llvm::dyn_cast<llvm::ConstantExpr>(c)) return lower_operation(*llvm::cast<llvm::Operator>(e));
  refuse("a constant of this kind");
  return {};
}

// ---- bodies -----------------------------------------------------------------------------------------------------

void Lowering::lower_function(llvm::Function& f) {
  function_ = functions_.at(&f);
  values_.clear();
  constants_.clear();
  addresses_.clear();
  built_in_.clear();
  null_ = {};
  blocks_.clear();
  phis_.clear();
  spec_ = false;
  place_ = {};
  if (!f.isDeclaration()) {
    llvm::ReversePostOrderTraversal<llvm::Function*> order(&f);
    for (llvm::BasicBlock* b : order) {
      blocks_[b] = {static_cast<uint32_t>(out().blocks.size())};
      out().blocks.emplace_back();
    }
  }
  add_parameters(f, function_);
  if (f.isDeclaration()) return;
  llvm::DominatorTree tree(f);
  llvm::LoopInfo loops(tree);
  loop_headers_.clear();
  for (llvm::Loop* l : loops.getLoopsInPreorder()) loop_headers_.insert(l->getHeader());
  llvm::ReversePostOrderTraversal<llvm::Function*> order(&f);
  for (llvm::BasicBlock* b : order) {
    if (!faults_.list.empty()) return;
    lower_block(*b);
  }
  finish_phis();
  drop_unused();
  fill_built_in();
}

void Lowering::lower_block(llvm::BasicBlock& b) {
  block_ = blocks_.at(&b);
  for (const llvm::Instruction& i : b) {
    if (!faults_.list.empty()) return;
    if (const PlaceId p = place_of(i)) place_ = p;
    if (i.isTerminator()) {
      lower_terminator(i);
      out().blocks[block_.index].place = place_of(i);
    } else {
      lower_instruction(i);
    }
  }
}

// Pure instructions whose results nobody reads: parts of vectors that were never used, conditions of branches that are
// gone.
void Lowering::drop_unused() {
  std::vector<uint32_t> uses(out().values.size());
  const auto each = [&](auto&& f) {
    for (Block& b : out().blocks) {
      for (const Instruction& i : b.instructions) for_each_operand(i.action, f);
      for_each_operand(b.terminator, f);
    }
  };
  each([&](ValueId v) { ++uses[v.index]; });
  for (bool changed = true; changed;) {
    changed = false;
    for (Block& b : out().blocks)
      std::erase_if(b.instructions, [&](const Instruction& i) {
        const auto* l = std::get_if<Load>(&i.action);
        const bool pure = std::holds_alternative<Compute>(i.action) || std::holds_alternative<Phi>(i.action) ||
                          (l != nullptr && l->spec);
        if (!pure || i.results.empty() || uses[i.results[0].index] > 0) return false;
        for_each_operand(i.action, [&](ValueId v) { --uses[v.index]; });
        changed = true;
        return true;
      });
  }
}

void Lowering::finish_phis() {
  for (const auto& [phi, at] : phis_) {
    const Values results = values_.at(phi);
    std::vector<Phi> made(results.size());
    for (unsigned k = 0; k < phi->getNumIncomingValues(); ++k) {
      const auto from = blocks_.find(phi->getIncomingBlock(k));
      if (from == blocks_.end()) continue;
      block_ = from->second;  // an undefined value or a constant expression is computed at the end of the predecessor
      place_ = out().blocks[block_.index].place;
      const Values given = values(phi->getIncomingValue(k));
      for (size_t leaf = 0; leaf < results.size(); ++leaf)
        if (std::none_of(made[leaf].entries.begin(), made[leaf].entries.end(),
                         [&](const Phi::Entry& e) { return e.from == from->second; }))
          made[leaf].entries.push_back({from->second, given.at(leaf)});
    }
    for (size_t leaf = 0; leaf < results.size(); ++leaf)
      for (Instruction& i : out().blocks[at.index].instructions)
        if (!i.results.empty() && i.results[0] == results[leaf]) i.action = made[leaf];
  }
}

Expected<Module> Lowering::run() {
  if (const llvm::NamedMDNode* md = in_.module->getNamedMetadata("opencl.ocl.version");
      md != nullptr && md->getNumOperands() > 0)
    if (const auto* v = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(md->getOperand(0)->getOperand(0)))
      opencl_version_ = static_cast<uint32_t>(v->getZExtValue());
  add_functions();
  Diagnostics first;
  const auto refuse_for = [&](const llvm::Function& f) {
    if (faults_.list.empty()) return;
    refused_.try_emplace(&f, faults_.list.front());
    if (first.list.empty()) first = std::move(faults_);
    faults_ = {};
  };
  for (llvm::Function& f : *in_.module)
    if (functions_.count(&f) != 0) {
      of_images_ = {};
      lower_function(f);
      if (of_images_.written) image_writers_.insert(&f);
      if (of_images_.barrier) barriers_without_images_.insert(&f);
      refuse_for(f);
    }
  for (const auto& [k, id] : functions_)
    if (opencl_version_ >= 2 && is_kernel(*k) && image_races_barrier(*k)) {
      place_ = module_.function(id).place;
      refuse("an image that is written beside a barrier without CLK_IMAGE_MEM_FENCE | CLK_GLOBAL_MEM_FENCE");
      refuse_for(*k);
    }
  if (!first.list.empty()) return std::unexpected(std::move(first));
  resolve_pointers(module_);
  in_space();
  if (!faults_.list.empty()) return std::unexpected(std::move(faults_));
  without_withheld();
  if (!faults_.list.empty()) return std::unexpected(std::move(faults_));
  const std::vector<std::string> broken = faults(module_);
  if (!broken.empty())
    invariant_failed(__FILE__, __LINE__, ("the kernel IR breaks its laws: " + broken.front()).c_str());
  for (const FunctionId k : module_.kernels()) {
    std::vector<const Region*> plain;
    for (const Parameter& p : module_.function(k).parameters)
      if (p.region && !module_.region(p.region).restrict_ && module_.region(p.region).origin == Origin::parameter)
        plain.push_back(&module_.region(p.region));
    if (plain.size() < 2) continue;
    std::string names;
    for (size_t i = 0; i < plain.size(); ++i)
      names += (i == 0 ? "'" : i + 1 == plain.size() ? " and '" : ", '") + plain[i]->name + "'";
    module_.warnings.push_back(
        {.severity = Severity::warning,
         .span = span(module_, module_.function(k).place),
         .message = "the arguments " + names + " of '" + module_.function(k).name + "' are assumed not to alias",
         .hint = "say restrict"});
  }
  return std::move(module_);
}

}  // namespace fencepost::clangfe
