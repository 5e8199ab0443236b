#include "spirv/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <spirv/unified1/spirv.hpp11>

#include "litmus/lexer.h"

namespace fencepost::spirv {
namespace {

constexpr size_t k_most_decorations = 1 << 20;  // given by groups

}  // namespace

using spv::Op;

const char* storage_name(uint32_t c) {
  switch (static_cast<spv::StorageClass>(c)) {
    case spv::StorageClass::UniformConstant:
      return "UniformConstant";
    case spv::StorageClass::Input:
      return "Input";
    case spv::StorageClass::Uniform:
      return "Uniform";
    case spv::StorageClass::Output:
      return "Output";
    case spv::StorageClass::Workgroup:
      return "Workgroup";
    case spv::StorageClass::CrossWorkgroup:
      return "CrossWorkgroup";
    case spv::StorageClass::Private:
      return "Private";
    case spv::StorageClass::Function:
      return "Function";
    case spv::StorageClass::Generic:
      return "Generic";
    case spv::StorageClass::PushConstant:
      return "PushConstant";
    case spv::StorageClass::AtomicCounter:
      return "AtomicCounter";
    case spv::StorageClass::Image:
      return "Image";
    case spv::StorageClass::StorageBuffer:
      return "StorageBuffer";
    case spv::StorageClass::PhysicalStorageBuffer:
      return "PhysicalStorageBuffer";
    default:
      return "this storage class";
  }
}

Module::Module(Words words, const std::string& entry_name) : words_(std::move(words)) {
  scan();
  if (words_.compiled)
    for (const auto& [id, t] : types_) words_.names[id] = described(id, 0);
  read_entry(entry_name);
}

// A type as a person would write it who has not seen the module: "uint[2]", "vector of 3 uint", "structure Data".
std::string Module::described(Id id, int depth) const {
  constexpr int k_deepest = 8;
  const auto it = types_.find(id);
  if (it == types_.end() || depth > k_deepest) return "...";
  const Type& t = it->second;
  const auto part = [&](Id of) { return described(of, depth + 1); };
  switch (t.kind) {
    case Type::Kind::void_:
      return "void";
    case Type::Kind::bool_:
      return "bool";
    case Type::Kind::int_:
      return fmt::format("{}int{}", t.is_signed ? "" : "u", t.width == 32 ? "" : std::to_string(t.width));
    case Type::Kind::float_:
      return fmt::format("float{}", t.width == 32 ? "" : std::to_string(t.width));
    case Type::Kind::vector:
      return fmt::format("vector of {} {}", t.count, part(t.element));
    case Type::Kind::array: {
      const Instruction* length = definition(t.length);
      const bool known = length != nullptr && static_cast<Op>(length->op) == Op::OpConstant && length->size() > 0;
      return fmt::format("{}[{}]", part(t.element), known ? std::to_string(length->word(0)) : "...");
    }
    case Type::Kind::runtime_array:
      return part(t.element) + "[]";
    case Type::Kind::struct_: {
      const std::string name = words_.given_name(id);
      return name.empty() ? "structure" : "structure " + name;
    }
    case Type::Kind::pointer:
      return "pointer to " + part(t.element);
    case Type::Kind::function:
      return "function";
    case Type::Kind::opaque:
      break;
  }
  std::string kind = t.at == nullptr ? "OpTypeOpaque" : opcode_name(t.at->op);  // OpTypeSampledImage: "sampled image"
  std::string out;
  for (const char c : kind.substr(kind.starts_with("OpType") ? 6 : 0))
    if (c >= 'A' && c <= 'Z')
      out += (out.empty() ? std::string() : " ") + static_cast<char>(c + 32);
    else
      out += c;
  return out;
}

void Module::need_arguments(const Instruction& i, size_t n) const {
  if (i.size() < n) fail(i, fmt::format("this instruction needs {} operands and has {}", n, i.size()));
}

void Module::decorate(const Instruction& i, Id target) {
  switch (static_cast<spv::Decoration>(i.word(1))) {
    case spv::Decoration::BuiltIn:
      built_in_[target] = i.word(2);
      break;
    case spv::Decoration::SpecId:
      spec_id_[target] = i.word(2);
      break;
    case spv::Decoration::ArrayStride:
      if (i.word(2) == 0) fail(i, "an array stride of 0 bytes");
      stride_[target] = i.word(2);
      break;
    case spv::Decoration::DescriptorSet:
      set_[target] = i.word(2);
      break;
    case spv::Decoration::Binding:
      binding_[target] = i.word(2);
      break;
    case spv::Decoration::CPacked:
      packed_.insert(target);
      break;
    case spv::Decoration::SaturatedConversion:
      saturated_.insert(target);
      break;
    case spv::Decoration::FuncParamAttr:
      if (static_cast<spv::FunctionParameterAttribute>(i.word(2)) == spv::FunctionParameterAttribute::ByVal)
        by_value_.insert(target);
      break;
    default:
      break;
  }
}

// OpGroupDecorate and OpGroupMemberDecorate: what a group has been given, its targets have.
void Module::decorate_by_groups() {
  std::unordered_map<Id, std::vector<const Instruction*>> given;
  for (const Instruction& i : words_.instructions)
    if (static_cast<Op>(i.op) == Op::OpDecorate) given[i.word(0)].push_back(&i);
  size_t steps = 0;
  for (const Instruction& by : words_.instructions) {
    const bool members = static_cast<Op>(by.op) == Op::OpGroupMemberDecorate;
    if (!members && static_cast<Op>(by.op) != Op::OpGroupDecorate) continue;
    const auto group = given.find(by.word(0));
    if (group == given.end()) continue;
    if ((steps += group->second.size() * by.size()) > k_most_decorations)
      refuse(by, fmt::format("groups that decorate more than {} times are not read", k_most_decorations));
    for (const Instruction* i : group->second)
      for (size_t k = 1; k + (members ? 1 : 0) < by.size(); k += members ? 2 : 1)
        if (!members)
          decorate(*i, by.word(k));
        else if (static_cast<spv::Decoration>(i->word(1)) == spv::Decoration::Offset)
          offsets_[by.word(k)][by.word(k + 1)] = i->word(2);
  }
}

void Module::read_type(const Instruction& i) {
  Type t;
  t.at = &i;
  const auto known = [&](Id id) -> Id {
    if (!types_.contains(id))
      fail(i, fmt::format("{} is not a type", name(id)), "a type is declared before it is used");
    return id;
  };
  switch (static_cast<Op>(i.op)) {
    case Op::OpTypeVoid:
      t.kind = Type::Kind::void_;
      break;
    case Op::OpTypeBool:
      t.kind = Type::Kind::bool_;
      break;
    case Op::OpTypeInt:
      t.kind = Type::Kind::int_;
      t.width = i.word(0);
      t.is_signed = i.word(1) != 0;
      if (t.width == 0 || t.width > 64)
        refuse(i, fmt::format("integers of {} bits are not read", t.width), "1 to 64 bits are");
      break;
    case Op::OpTypeFloat:
      t.kind = Type::Kind::float_;
      t.width = i.word(0);
      if (t.width == 0 || t.width > 64)
        refuse(i, fmt::format("floating point numbers of {} bits are not read", t.width));
      break;
    case Op::OpTypeVector:
      t.kind = Type::Kind::vector;
      t.element = known(i.word(0));
      t.count = i.word(1);
      if (!types_.at(t.element).scalar()) fail(i, "the elements of a vector are scalars");
      if (t.count < 1 || t.count > 64) fail(i, fmt::format("a vector of {} elements", t.count));
      break;
    case Op::OpTypeArray:
      t.kind = Type::Kind::array;
      t.element = known(i.word(0));
      t.length = i.word(1);
      break;
    case Op::OpTypeRuntimeArray:
      t.kind = Type::Kind::runtime_array;
      t.element = known(i.word(0));
      break;
    case Op::OpTypeStruct:
      t.kind = Type::Kind::struct_;
      for (size_t k = 0; k < i.size(); ++k) {
        t.members.push_back(i.word(k));
        if (!types_.contains(i.word(k))) forward_.insert(i.word(k));
      }
      t.offsets.resize(t.members.size());
      if (const auto it = offsets_.find(i.result); it != offsets_.end())
        for (const auto& [m, offset] : it->second) {
          if (m >= t.offsets.size()) fail(i, fmt::format("this structure has no member {}, and an Offset for it", m));
          t.offsets[m] = offset;
        }
      t.packed = packed_.contains(i.result);
      break;
    case Op::OpTypePointer:
      t.kind = Type::Kind::pointer;
      t.storage = i.word(0);
      t.element = i.word(1);
      break;
    case Op::OpTypeFunction:
      t.kind = Type::Kind::function;
      t.element = known(i.word(0));
      for (size_t k = 1; k < i.size(); ++k) t.members.push_back(known(i.word(k)));
      break;
    default:
      t.kind = Type::Kind::opaque;
      break;
  }
  if (const auto it = stride_.find(i.result); it != stride_.end()) t.stride = it->second;
  // Only a pointer may be declared after a structure that has it; else a structure could contain itself.
  if (forward_.contains(i.result) && t.kind != Type::Kind::pointer)
    fail(i, fmt::format("{} is a member of a structure that was declared before it", name(i.result)),
         "a type is declared before it is used");
  types_.emplace(i.result, std::move(t));
}

void Module::read_function(size_t& k) {
  const auto& all = words_.instructions;
  Function f;
  f.at = &all[k];
  f.id = all[k].result;
  for (++k; k < all.size(); ++k) {
    const Instruction& i = all[k];
    const Op op = static_cast<Op>(i.op);
    if (op == Op::OpFunctionEnd) break;
    if (i.result != 0) definitions_[i.result] = &i;
    if (op == Op::OpFunctionParameter) {
      f.parameters.push_back(&i);
    } else if (op == Op::OpLabel) {
      if (!f.blocks.empty() && f.blocks.back().code.empty()) fail(i, "the block before has no end");
      f.block_of[i.result] = static_cast<uint32_t>(f.blocks.size());
      f.blocks.push_back({i.result, {}});
    } else if (op == Op::OpLine || op == Op::OpNoLine || op == Op::OpNop) {
    } else if (op == Op::OpFunction) {
      fail(i, "a function begins inside another one", "OpFunctionEnd ends a function");
    } else {
      if (f.blocks.empty()) fail(i, "this instruction stands outside of a block", "a block begins with OpLabel");
      f.blocks.back().code.push_back(&i);
    }
  }
  if (k == all.size()) fail(*f.at, "this function has no OpFunctionEnd");
  const auto ends = [](const Instruction& i) {
    switch (static_cast<Op>(i.op)) {
      case Op::OpBranch:
      case Op::OpBranchConditional:
      case Op::OpSwitch:
      case Op::OpReturn:
      case Op::OpReturnValue:
      case Op::OpKill:
      case Op::OpUnreachable:
      case Op::OpTerminateInvocation:
        return true;
      default:
        return false;
    }
  };
  for (const Block& b : f.blocks) {
    if (b.code.empty() || !ends(*b.code.back()))
      fail(b.code.empty() ? *f.at : *b.code.back(),
           fmt::format("the block {} does not end in a branch or return", name(b.label)));
    for (size_t n = 0; n + 1 < b.code.size(); ++n)
      if (ends(*b.code[n]))
        fail(*b.code[n + 1], "this instruction follows the end of its block", "a block begins with OpLabel");
  }
  function_of_[f.id] = functions_.size();
  functions_.push_back(std::move(f));
}

void Module::scan() {
  const auto& all = words_.instructions;
  bool has_model = false, grouped = false;
  for (const Instruction& i : all) {
    switch (static_cast<Op>(i.op)) {
      case Op::OpDecorate:
        decorate(i, i.word(0));
        break;
      case Op::OpGroupDecorate:
      case Op::OpGroupMemberDecorate:
        grouped = true;
        break;
      case Op::OpMemberDecorate:
        if (static_cast<spv::Decoration>(i.word(2)) == spv::Decoration::Offset)
          offsets_[i.word(0)][i.word(1)] = i.word(3);
        break;
      default:
        break;
    }
  }
  if (grouped) decorate_by_groups();
  for (size_t k = 0; k < all.size(); ++k) {
    const Instruction& i = all[k];
    if (i.result != 0) {
      if (definitions_.contains(i.result) || types_.contains(i.result))
        fail(i, fmt::format("{} is defined twice", name(i.result)));
    }
    switch (static_cast<Op>(i.op)) {
      case Op::OpMemoryModel: {
        has_model = true;
        const auto model = static_cast<spv::MemoryModel>(i.word(1));
        const auto addressing = static_cast<spv::AddressingModel>(i.word(0));
        if (model == spv::MemoryModel::Vulkan)
          dialect_ = vocab::Dialect::vulkan;
        else if (model == spv::MemoryModel::OpenCL)
          dialect_ = vocab::Dialect::opencl;
        else
          refuse(i, "only the Vulkan and OpenCL memory models are read",
                 "compile for the Vulkan memory model: glslang and clspv have an option for it");
        address32_ = addressing == spv::AddressingModel::Logical || addressing == spv::AddressingModel::Physical32;
        break;
      }
      case Op::OpEntryPoint:
        entries_.push_back(&i);
        break;
      case Op::OpExecutionMode:
      case Op::OpExecutionModeId:
        modes_.push_back(&i);
        break;
      case Op::OpExtInstImport: {
        const std::string set = i.string(0);
        if (set == "GLSL.std.450")
          sets_[i.result] = ExtendedSet::glsl;
        else if (set == "OpenCL.std")
          sets_[i.result] = ExtendedSet::opencl;
        else if (set.starts_with("NonSemantic.ClspvReflection."))
          sets_[i.result] = ExtendedSet::clspv;
        else if (set.starts_with("NonSemantic.") || set.starts_with("OpenCL.DebugInfo") || set == "DebugInfo")
          sets_[i.result] = ExtendedSet::silent;
        else
          refuse(i, fmt::format("the extended instructions of {} are not read", set));
        break;
      }
      case Op::OpExtInst:
        definitions_[i.result] = &i;
        if (extended(i.word(0)) == ExtendedSet::clspv) reflection_.push_back(&i);
        break;
      case Op::OpFunction:
        definitions_[i.result] = &i;
        read_function(k);
        break;
      case Op::OpVariable:
        definitions_[i.result] = &i;
        variables_.push_back(&i);
        break;
      case Op::OpTypeVoid:
      case Op::OpTypeBool:
      case Op::OpTypeInt:
      case Op::OpTypeFloat:
      case Op::OpTypeVector:
      case Op::OpTypeArray:
      case Op::OpTypeRuntimeArray:
      case Op::OpTypeStruct:
      case Op::OpTypePointer:
      case Op::OpTypeFunction:
      case Op::OpTypeMatrix:
      case Op::OpTypeImage:
      case Op::OpTypeSampler:
      case Op::OpTypeSampledImage:
      case Op::OpTypeOpaque:
      case Op::OpTypeEvent:
      case Op::OpTypeDeviceEvent:
      case Op::OpTypeReserveId:
      case Op::OpTypeQueue:
      case Op::OpTypePipe:
        read_type(i);
        break;
      default:
        if (i.result != 0) definitions_[i.result] = &i;
        break;
    }
  }
  if (!has_model)
    litmus::fail_at(Span{words_.source, 0, 0}, "this module has no OpMemoryModel",
                    "a module says 'OpMemoryModel Logical Vulkan' or the like");
}

void Module::read_entry(const std::string& wanted) {
  if (entries_.empty())
    litmus::fail_at(Span{words_.source, 0, 0}, "this module has no entry point",
                    "OpEntryPoint names the function that a launch runs");
  const Instruction* found = nullptr;
  for (const Instruction* e : entries_)
    if (wanted.empty() || e->string(2) == wanted) {
      if (found != nullptr && wanted.empty())
        refuse(*e, fmt::format("this module has {} entry points", entries_.size()),
               fmt::format("--entry {} chooses this one", e->string(2)));
      found = e;
    }
  if (found == nullptr) {
    std::vector<std::string> names;
    for (const Instruction* e : entries_) names.push_back(e->string(2));
    fail(*entries_.front(), fmt::format("there is no entry point '{}'", wanted),
         litmus::suggest(wanted, names, "the module has '" + names[0] + "'"));
  }
  const auto model = static_cast<spv::ExecutionModel>(found->word(0));
  if (model != spv::ExecutionModel::GLCompute && model != spv::ExecutionModel::Kernel)
    refuse(*found, "only compute shaders and kernels are read", "the execution model is GLCompute or Kernel");
  entry_name_ = found->string(2);
  const auto it = function_of_.find(found->word(1));
  if (it == function_of_.end()) fail(*found, fmt::format("{} is not a function", name(found->word(1))));
  entry_ = &functions_[it->second];
  if (entry_->blocks.empty()) fail(*found, "the entry point has no body");
  for (const Instruction* m : modes_) {
    if (m->word(0) != entry_->id) continue;
    const auto mode = static_cast<spv::ExecutionMode>(m->word(1));
    if (mode == spv::ExecutionMode::LocalSize && m->size() >= 5) {
      local_size_ = {m->word(2), m->word(3), m->word(4)};
      for (const uint32_t n : *local_size_)
        if (n == 0 || n > 1u << 16)
          fail(*m, "a workgroup has at least one invocation in every dimension, and at most 65536");
    } else if (mode == spv::ExecutionMode::LocalSizeId && m->size() >= 5) {
      local_size_ids_ = {m->word(2), m->word(3), m->word(4)};
    }
  }
}

const Type& Module::type(Id id, const Instruction& user) const {
  const auto it = types_.find(id);
  if (it == types_.end()) fail(user, fmt::format("{} is not a type", name(id)));
  return it->second;
}

const Type* Module::find_type(Id id) const {
  const auto it = types_.find(id);
  return it == types_.end() ? nullptr : &it->second;
}

const Instruction* Module::definition(Id id) const {
  const auto it = definitions_.find(id);
  return it == definitions_.end() ? nullptr : it->second;
}

Id Module::type_id_of(Id value, const Instruction& user) const {
  const Instruction* d = definition(value);
  if (d == nullptr || d->type == 0)
    fail(user, fmt::format("{} is not a value", name(value)), "every id is the result of an instruction");
  return d->type;
}

const Type& Module::type_of(Id value, const Instruction& user) const { return type(type_id_of(value, user), user); }

const Function* Module::find_function(Id id) const {
  const auto it = function_of_.find(id);
  return it == function_of_.end() ? nullptr : &functions_[it->second];
}

const Function& Module::function(Id id, const Instruction& user) const {
  const Function* f = find_function(id);
  if (f == nullptr) fail(user, fmt::format("{} is not a function", name(id)));
  return *f;
}

std::optional<uint32_t> Module::built_in(Id id) const {
  const auto it = built_in_.find(id);
  return it == built_in_.end() ? std::nullopt : std::optional(it->second);
}

std::vector<Id> Module::workgroup_sizes() const {
  std::vector<Id> out;
  for (const auto& [id, which] : built_in_)
    if (which == static_cast<uint32_t>(spv::BuiltIn::WorkgroupSize)) out.push_back(id);
  std::sort(out.begin(), out.end());
  return out;
}

std::optional<uint32_t> Module::spec_id(Id id) const {
  const auto it = spec_id_.find(id);
  return it == spec_id_.end() ? std::nullopt : std::optional(it->second);
}

std::optional<std::pair<uint32_t, uint32_t>> Module::binding(Id id) const {
  const auto b = binding_.find(id);
  if (b == binding_.end()) return std::nullopt;
  const auto s = set_.find(id);
  return std::pair{s == set_.end() ? 0 : s->second, b->second};
}

std::optional<ExtendedSet> Module::extended(Id set) const {
  const auto it = sets_.find(set);
  return it == sets_.end() ? std::nullopt : std::optional(it->second);
}

}  // namespace fencepost::spirv
