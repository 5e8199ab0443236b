#include "vocab/vocab.h"

#include <array>

namespace fencepost::vocab {
namespace {

constexpr uint8_t P = 1 << static_cast<int>(Dialect::ptx);
constexpr uint8_t V = 1 << static_cast<int>(Dialect::vulkan);
constexpr uint8_t C = 1 << static_cast<int>(Dialect::opencl);
constexpr uint8_t all = P | V | C;

// In the order of the enumerations: the lookup by value is an index (checked below).
constexpr std::array<TagInfo, k_tags> k_tag_table = {{
    {Tag::R, "R", all, "reads"},
    {Tag::W, "W", all, "writes, Init writes included"},
    {Tag::F, "F", all, "fences, and control barriers that order memory"},
    {Tag::IW, "IW", all, "Init writes, one per memory cell"},
    {Tag::RMW, "RMW", all, "both halves of a read-modify-write"},
    {Tag::B, "B", all, "control barriers, and arrivals at mbarrier objects"},
    {Tag::UB, "UB", all, "undefined behaviour reached"},
    {Tag::RLX, "RLX", P | C, "relaxed order"},
    {Tag::ACQ, "ACQ", all, "acquire order"},
    {Tag::REL, "REL", all, "release order"},
    {Tag::ACQ_REL, "ACQ_REL", P | C, "acquire and release order"},
    {Tag::SC, "SC", P | C, "sequentially consistent order"},
    {Tag::WEAK, "WEAK", P, "weak accesses (no order, no scope)"},
    {Tag::CTA, "CTA", P, "scope: the block of threads (cooperative thread array)"},
    {Tag::GPU, "GPU", P, "scope: the device"},
    {Tag::SYS, "SYS", P, "scope: all devices and the host"},
    {Tag::GEN, "GEN", P, "generic proxy"},
    {Tag::TEX, "TEX", P, "texture proxy"},
    {Tag::SUR, "SUR", P, "surface proxy"},
    {Tag::CON, "CON", P, "constant proxy"},
    {Tag::ALIAS, "ALIAS", P, "alias proxy fences, and accesses by a multimem address"},
    {Tag::ATOM, "ATOM", V, "atomic accesses"},
    {Tag::NONPRIV, "NONPRIV", V, "non-private accesses"},
    {Tag::AV, "AV", V, "writes that perform an availability operation"},
    {Tag::VIS, "VIS", V, "reads that perform a visibility operation"},
    {Tag::SEMAV, "SEMAV", V, "releases that make available"},
    {Tag::SEMVIS, "SEMVIS", V, "acquires that make visible"},
    {Tag::SC0, "SC0", V, "accesses to storage class 0"},
    {Tag::SC1, "SC1", V, "accesses to storage class 1"},
    {Tag::SC2, "SC2", V, "accesses to storage class 2"},
    {Tag::SC3, "SC3", V, "accesses to storage class 3"},
    {Tag::SEMSC0, "SEMSC0", V, "synchronisation that covers storage class 0"},
    {Tag::SEMSC1, "SEMSC1", V, "synchronisation that covers storage class 1"},
    {Tag::SEMSC2, "SEMSC2", V, "synchronisation that covers storage class 2"},
    {Tag::SEMSC3, "SEMSC3", V, "synchronisation that covers storage class 3"},
    {Tag::SG, "SG", V, "scope: subgroup"},
    {Tag::WG, "WG", V | C, "scope: workgroup"},
    {Tag::QF, "QF", V, "scope: queue family"},
    {Tag::DV, "DV", V | C, "scope: device"},
    {Tag::CBAR, "CBAR", V, "control barriers"},
    {Tag::AVDEVICE, "AVDEVICE", V, "device-domain availability operations"},
    {Tag::VISDEVICE, "VISDEVICE", V, "device-domain visibility operations"},
    {Tag::WI, "WI", C, "scope: work-item"},
    {Tag::ALL, "ALL", C, "scope: all SVM devices"},
    {Tag::GLOBAL, "GLOBAL", P | C, "global memory: fences that cover it, Init writes of its objects"},
    {Tag::LOCAL, "LOCAL", C, "local memory: fences that cover it, Init writes of its objects"},
    {Tag::GENERIC, "GENERIC", C, "objects of the generic address space (their Init writes)"},
    {Tag::NAL, "NAL", C, "objects of non-atomic type (their Init writes)"},
    {Tag::A, "A", C, "atomic accesses"},
    {Tag::NA, "NA", C, "non-atomic accesses"},
    {Tag::VOLATILE, "VOLATILE", P | C, "volatile accesses (2014 dialect, CUDA)"},
    {Tag::CA, "CA", P, "cache at all levels (2014 dialect)"},
    {Tag::CG, "CG", P, "cache at the global level (2014 dialect)"},
    {Tag::CV, "CV", P, "do not cache, fetch again (2014 dialect)"},
    {Tag::WB, "WB", P, "write back (2014 dialect)"},
    {Tag::WT, "WT", P, "write through (2014 dialect)"},
    {Tag::SHARED, "SHARED", P, "shared memory: accesses, Init writes, fences that cover it"},
    {Tag::CLUSTER, "CLUSTER", P, "scope: the cluster of blocks (PTX since 7.8)"},
    {Tag::RED, "RED", P, "the reading half of a reduction"},
    {Tag::ASY, "ASY", P, "what an asynchronous operation does: it is in no program order"},
    {Tag::ASYNC, "ASYNC", P, "async proxy: accesses through it, fences of it"},
    {Tag::TMAP, "TMAP", P, "tensormap proxy: accesses through it, fences of it"},
    {Tag::MBAR, "MBAR", P, "operations on mbarrier objects; the end of a phase, which neither reads nor writes"},
    {Tag::DONE, "DONE", P, "a wait that was successful: for a phase of an mbarrier, or for groups"},
    {Tag::MINIT, "MINIT", P, "fences that cover initialisations of mbarriers only"},
    {Tag::OWN, "OWN", P, "fences that cover shared memory of the own block only"},
    {Tag::READS, "READS", P, "fences and waits that cover reads only"},
    {Tag::VEC, "VEC", P, "scalar accesses of one vector access"},
    {Tag::WARP, "WARP", P, "barriers of a warp; without B, what its lanes give each other"},
    {Tag::HOST, "HOST", P, "events of x86 threads of the host"},
}};

constexpr std::array<BaseInfo, k_bases> k_base_table = {{
    {Base::po, "po", BaseKind::fixed, all, "program order: same thread, earlier to later"},
    {Base::int_, "int", BaseKind::fixed, all, "same thread, reflexive; every Init write is a thread of its own"},
    {Base::ext, "ext", BaseKind::fixed, all, "different threads"},
    {Base::id, "id", BaseKind::fixed, all, "identity on executed events"},
    {Base::loc, "loc", BaseKind::dynamic, all, "memory events with equal physical address, reflexive"},
    {Base::vloc, "vloc", BaseKind::dynamic, P | V, "memory events with equal virtual address, reflexive"},
    {Base::rf, "rf", BaseKind::existential, all, "reads-from: from a write to a read of its value"},
    {Base::co, "co", BaseKind::existential, all, "coherence: order of the writes of one location"},
    {Base::amo, "amo", BaseKind::fixed, all, "from the read to the write of one read-modify-write"},
    {Base::lxsx, "lxsx", BaseKind::fixed, all, "load-exclusive to store-exclusive: empty on every GPU dialect"},
    {Base::addr, "addr", BaseKind::fixed, all, "address dependency"},
    {Base::data, "data", BaseKind::fixed, all, "data dependency"},
    {Base::ctrl, "ctrl", BaseKind::fixed, all, "control dependency"},
    {Base::sr, "sr", BaseKind::fixed, all, "each event's thread lies inside the other event's scope, reflexive"},
    {Base::scta, "scta", BaseKind::fixed, P, "threads of one block (CTA), reflexive"},
    {Base::ssg, "ssg", BaseKind::fixed, V, "threads of one subgroup, reflexive"},
    {Base::swg, "swg", BaseKind::fixed, V | C, "threads of one workgroup, reflexive"},
    {Base::sqf, "sqf", BaseKind::fixed, V, "threads of one queue family, reflexive"},
    {Base::sdv, "sdv", BaseKind::fixed, V | C, "threads of one device, reflexive"},
    {Base::ssw, "ssw", BaseKind::fixed, V, "system-synchronises-with, as the test declares it"},
    {Base::syncbar, "syncbar", BaseKind::dynamic, all, "from a barrier arrival to a barrier that waited for it"},
    {Base::sync_fence, "sync_fence", BaseKind::existential, P,
     "order of SC fences: as fsc for pairs in each other's scope, any set of pairs for the others"},
    {Base::fsc, "fsc", BaseKind::existential, P, "acyclic order of SC fences that are in each other's scope"},
    {Base::swarp, "swarp", BaseKind::fixed, P, "threads of one warp, reflexive"},
    {Base::sgpu, "sgpu", BaseKind::fixed, P, "threads of one device, reflexive"},
    {Base::scluster, "scluster", BaseKind::fixed, P, "threads of one cluster of blocks, reflexive"},
    {Base::si, "si", BaseKind::fixed, P, "events of one instruction or of one asynchronous operation, reflexive"},
    {Base::await, "await", BaseKind::fixed, P,
     "from an event of an asynchronous operation to what waited for its group, or is ordered after it"},
    {Base::home, "home", BaseKind::fixed, P, "from an event to the accesses to shared memory of its block"},
}};

template <class Table, class Field>
constexpr bool in_order(const Table& t, Field f) {
  for (size_t i = 0; i < t.size(); ++i)
    if (static_cast<size_t>(t[i].*f) != i || t[i].name == nullptr) return false;
  return true;
}
static_assert(in_order(k_tag_table, &TagInfo::tag));
static_assert(in_order(k_base_table, &BaseInfo::base));

constexpr std::array<const char*, 4> k_ptx_levels = {"sys", "gpu", "cta", "warp"};
constexpr std::array<const char*, 4> k_vulkan_levels = {"dv", "qf", "wg", "sg"};
constexpr std::array<const char*, 4> k_opencl_levels = {"all", "dv", "wg", "sg"};

}  // namespace

const char* name(Dialect d) {
  switch (d) {
    case Dialect::ptx:
      return "ptx";
    case Dialect::vulkan:
      return "vulkan";
    case Dialect::opencl:
      return "opencl";
  }
  return "ptx";
}

std::span<const TagInfo> tags() { return k_tag_table; }
const char* name(Tag t) { return k_tag_table[static_cast<size_t>(t)].name; }

std::optional<Tag> find_tag(std::string_view name) {
  for (const TagInfo& t : k_tag_table)
    if (name == t.name) return t.tag;
  return std::nullopt;
}

std::string to_string(const TagSet& ts) {
  std::string out;
  for (const TagInfo& t : k_tag_table) {
    if (!ts.has(t.tag)) continue;
    if (!out.empty()) out += ',';
    out += t.name;
  }
  return out;
}

std::span<const BaseInfo> bases() { return k_base_table; }
const char* name(Base b) { return k_base_table[static_cast<size_t>(b)].name; }

std::optional<Base> find_base(std::string_view name) {
  for (const BaseInfo& b : k_base_table)
    if (name == b.name) return b.base;
  return std::nullopt;
}

std::span<const char* const> levels(Dialect d) {
  switch (d) {
    case Dialect::ptx:
      return k_ptx_levels;
    case Dialect::vulkan:
      return k_vulkan_levels;
    case Dialect::opencl:
      return k_opencl_levels;
  }
  return k_ptx_levels;
}

std::optional<uint32_t> level_of(Dialect d, std::string_view level) {
  const auto names = levels(d);
  for (uint32_t i = 0; i < names.size(); ++i)
    if (level == names[i]) return i;
  if (d == Dialect::ptx && level == "cluster") return k_level_cluster;
  return std::nullopt;
}

std::optional<uint32_t> level_of(Dialect d, Tag scope_tag) {
  switch (d) {
    case Dialect::ptx:
      if (scope_tag == Tag::SYS) return 0;
      if (scope_tag == Tag::GPU) return 1;
      if (scope_tag == Tag::CTA) return 2;
      if (scope_tag == Tag::CLUSTER) return k_level_cluster;
      break;
    case Dialect::vulkan:
      if (scope_tag == Tag::DV) return 0;
      if (scope_tag == Tag::QF) return 1;
      if (scope_tag == Tag::WG) return 2;
      if (scope_tag == Tag::SG) return 3;
      break;
    case Dialect::opencl:
      if (scope_tag == Tag::ALL) return 0;
      if (scope_tag == Tag::DV) return 1;
      if (scope_tag == Tag::WG) return 2;
      if (scope_tag == Tag::WI) return k_level_thread;
      break;
  }
  return std::nullopt;
}

}  // namespace fencepost::vocab
