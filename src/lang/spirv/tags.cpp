// Memory semantics, scopes and memory operands as event tags. The tables are those of docs/spirv.md.
#include <fmt/format.h>

#include <spirv/unified1/spirv.hpp11>

#include "spirv/lower.h"

namespace fencepost::spirv {

using vocab::Tag;

namespace {

enum Semantic : uint32_t {
  k_acquire = 0x2,
  k_release = 0x4,
  k_acquire_release = 0x8,
  k_sequential = 0x10,
  k_uniform = 0x40,
  k_subgroup = 0x80,
  k_workgroup = 0x100,
  k_cross_workgroup = 0x200,
  k_atomic_counter = 0x400,
  k_image = 0x800,
  k_output = 0x1000,
  k_make_available = 0x2000,
  k_make_visible = 0x4000,
  k_volatile = 0x8000,
  k_all = 0xffde,
};

enum Access : uint32_t {
  k_access_volatile = 0x1,
  k_aligned = 0x2,
  k_nontemporal = 0x4,
  k_pointer_available = 0x8,
  k_pointer_visible = 0x10,
  k_non_private = 0x20,
};

}  // namespace

uint32_t Lowering::constant(Id id, const char* what, const Instruction& i) {
  const Expr e = ops_.term(value(id, i), i);
  if (!e.is_const())
    m_.refuse(i, fmt::format("the {} is not a constant", what), "it must follow from constants and built-in ids");
  return static_cast<uint32_t>(e.value());
}

Lowering::Semantics Lowering::semantics(Id id, const Instruction& i) {
  const uint32_t bits = constant(id, "memory semantics", i);
  if ((bits & ~uint32_t{k_all}) != 0) m_.fail(i, fmt::format("memory semantics {:#x} have unknown bits", bits));
  const uint32_t order = bits & (k_acquire | k_release | k_acquire_release | k_sequential);
  if ((order & (order - 1)) != 0)
    m_.fail(i, fmt::format("memory semantics {:#x} name more than one order", bits),
            "one of Acquire, Release, AcquireRelease");
  Semantics s;
  s.sequential = order == k_sequential;
  s.acquire = order == k_acquire || order == k_acquire_release || s.sequential;
  s.release = order == k_release || order == k_acquire_release || s.sequential;
  if (m_.dialect() == vocab::Dialect::opencl) {
    if ((bits & (k_uniform | k_output | k_make_available | k_make_visible | k_volatile)) != 0)
      m_.refuse(i, fmt::format("memory semantics {:#x} do not belong to the OpenCL memory model", bits));
    if ((bits & (k_subgroup | k_workgroup)) != 0) s.tags.add(Tag::LOCAL);
    if ((bits & (k_cross_workgroup | k_atomic_counter)) != 0) s.tags.add(Tag::GLOBAL);
    return s;
  }
  if (s.sequential)
    m_.refuse(i, "the Vulkan memory model has no sequentially consistent order", "AcquireRelease is its strongest");
  if ((bits & k_uniform) != 0) s.tags.add(Tag::SEMSC0);
  if ((bits & k_workgroup) != 0) s.tags.add(Tag::SEMSC1);
  if ((bits & k_image) != 0) s.tags.add(Tag::SEMSC2);
  if ((bits & k_output) != 0) s.tags.add(Tag::SEMSC3);
  if (!s.relaxed() && s.tags.empty())
    m_.fail(i, fmt::format("memory semantics {:#x} have an order and no storage class", bits),
            "add UniformMemory, WorkgroupMemory, ImageMemory or OutputMemory");
  if ((bits & k_make_available) != 0) {
    if (!s.release) m_.fail(i, "MakeAvailable stands without a release", "Release or AcquireRelease makes available");
    s.tags.add(Tag::SEMAV);
  }
  if ((bits & k_make_visible) != 0) {
    if (!s.acquire) m_.fail(i, "MakeVisible stands without an acquire", "Acquire or AcquireRelease makes visible");
    s.tags.add(Tag::SEMVIS);
  }
  return s;
}

std::optional<Tag> Lowering::scope(Id id, const Instruction& i) {
  const uint32_t n = constant(id, "scope", i);
  const bool opencl = m_.dialect() == vocab::Dialect::opencl;
  switch (static_cast<spv::Scope>(n)) {
    case spv::Scope::CrossDevice:
      if (opencl) return Tag::ALL;
      m_.refuse(i, "the scope CrossDevice has no place in the Vulkan memory model", "Device is its widest");
    case spv::Scope::Device:
      return Tag::DV;
    case spv::Scope::Workgroup:
      return Tag::WG;
    case spv::Scope::Subgroup:
      if (opencl)
        m_.refuse(i, "the scope Subgroup has no place in the OpenCL memory model", "Workgroup is its narrowest");
      return Tag::SG;
    case spv::Scope::Invocation:
      if (opencl) return Tag::WI;
      return std::nullopt;
    case spv::Scope::QueueFamily:
      if (opencl) m_.refuse(i, "the scope QueueFamily has no place in the OpenCL memory model");
      return Tag::QF;
    case spv::Scope::ShaderCallKHR:
      m_.refuse(i, "the scope ShaderCall is not read");
    default:
      m_.fail(i, fmt::format("{} is not a scope", n));
  }
}

// Tags of the read or write part of an atomic operation (both false: of a barrier).
void Lowering::add_order(prog::TagSet& tags, const Semantics& s, bool reads, bool writes) const {
  const bool fence = !reads && !writes;
  const bool acquire = s.acquire && (reads || fence), release = s.release && (writes || fence);
  if (m_.dialect() == vocab::Dialect::opencl) {
    if (fence) tags |= s.tags;
    if (s.sequential)
      tags.add(Tag::SC);
    else if (acquire && release)
      tags.add(Tag::ACQ_REL);
    else if (acquire)
      tags.add(Tag::ACQ);
    else if (release)
      tags.add(Tag::REL);
    else
      tags.add(Tag::RLX);
    return;
  }
  if (!acquire && !release) return;
  for (const Tag t : {Tag::SEMSC0, Tag::SEMSC1, Tag::SEMSC2, Tag::SEMSC3})
    if (s.tags.has(t)) tags.add(t);
  if (acquire) tags.add(Tag::ACQ);
  if (release) tags.add(Tag::REL);
  if (acquire && s.tags.has(Tag::SEMVIS)) tags.add(Tag::SEMVIS);
  if (release && s.tags.has(Tag::SEMAV)) tags.add(Tag::SEMAV);
}

// One mask with its operands. Availability goes with the write and visibility with the read; NonPrivatePointer with
// both.
Lowering::Accesses Lowering::memory_operands(const Instruction& i, size_t first, bool reads, bool writes) {
  const bool opencl = m_.dialect() == vocab::Dialect::opencl;
  Accesses out;
  out.next = i.size();
  if (opencl) {
    out.read.add(Tag::NA);
    out.write |= {Tag::NA, Tag::WI};
  }
  if (i.size() <= first) return out;
  const uint32_t mask = i.word(first);
  constexpr uint32_t known =
      k_access_volatile | k_aligned | k_nontemporal | k_pointer_available | k_pointer_visible | k_non_private;
  if ((mask & ~known) != 0) m_.refuse(i, fmt::format("memory operands {:#x} are not read", mask));
  out.next = first + 1;
  const auto operand = [&]() -> uint32_t {
    if (out.next >= i.size()) m_.fail(i, "a memory operand is missing");
    return i.word(out.next++);
  };
  if ((mask & k_aligned) != 0) operand();
  if (opencl && (mask & (k_pointer_available | k_pointer_visible | k_non_private)) != 0)
    m_.refuse(i, "availability and visibility do not belong to the OpenCL memory model");
  const auto with_scope = [&](prog::TagSet& tags, Tag tag) {
    if ((mask & k_non_private) == 0)
      m_.fail(i, "MakePointerAvailable and MakePointerVisible need NonPrivatePointer", "add NonPrivatePointer");
    tags.add(tag);
    if (const auto s = scope(operand(), i)) tags.add(*s);
  };
  if ((mask & k_non_private) != 0) {
    out.read.add(Tag::NONPRIV);
    out.write.add(Tag::NONPRIV);
  }
  if ((mask & k_pointer_available) != 0) {
    if (!writes) m_.fail(i, "a load makes nothing available", "use MakePointerVisible on loads");
    with_scope(out.write, Tag::AV);
  }
  if ((mask & k_pointer_visible) != 0) {
    if (!reads) m_.fail(i, "a store makes nothing visible", "use MakePointerAvailable on stores");
    with_scope(out.read, Tag::VIS);
  }
  return out;
}

// Of a copy: one mask is for target and source; of two, the first is the target's and the second the source's
// (SPIR-V 1.6, OpCopyMemory).
Lowering::Accesses Lowering::copy_operands(const Instruction& i, size_t first) {
  Accesses both = memory_operands(i, first, true, true);
  if (both.next < i.size()) {
    const Accesses target = memory_operands(i, first, false, true),
                   source = memory_operands(i, target.next, true, false);
    both = {source.read, target.write, source.next};
  }
  if (both.next < i.size()) m_.fail(i, "there are more than two masks of memory operands");
  return both;
}

}  // namespace fencepost::spirv
