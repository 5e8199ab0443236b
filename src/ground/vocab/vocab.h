#pragma once
// The whole vocabulary that programs and models share: event tags, base relations, scope levels.
// Data only. The readers (`litmus`, `spirv`), which make events, and `cat`, which names them, share this and nothing
// else.
// Sources: PTX ISA 6.0/7.5 section "Memory Consistency Model"; Vulkan specification appendix "Memory
// Model"; OpenCL C 3.0 section 3.3.4; names as the published GPU .cat models write them.
#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fencepost::vocab {

// Which machine an execution belongs to; decides base relations, prelude and scope tree.
enum class Dialect : uint8_t { ptx, vulkan, opencl };
const char* name(Dialect d);

enum class Tag : uint8_t {
  // every dialect
  R,
  W,
  F,
  IW,
  RMW,
  B,
  UB,
  // orders
  RLX,
  ACQ,
  REL,
  ACQ_REL,
  SC,
  WEAK,
  // PTX scopes and proxies
  CTA,
  GPU,
  SYS,
  GEN,
  TEX,
  SUR,
  CON,
  ALIAS,
  // Vulkan
  ATOM,
  NONPRIV,
  AV,
  VIS,
  SEMAV,
  SEMVIS,
  SC0,
  SC1,
  SC2,
  SC3,
  SEMSC0,
  SEMSC1,
  SEMSC2,
  SEMSC3,
  SG,
  WG,
  QF,
  DV,
  CBAR,
  AVDEVICE,
  VISDEVICE,
  // OpenCL (WG and DV are shared with Vulkan)
  WI,
  ALL,
  GLOBAL,
  LOCAL,
  GENERIC,
  NAL,
  A,
  NA,
  // 2014 thesis dialect: cache operator, volatile, and the memory region of an access or Init
  VOLATILE,
  CA,
  CG,
  CV,
  WB,
  WT,
  SHARED,
  // PTX since 7.8: the scope of a cluster of CTAs
  CLUSTER,
  // PTX: the read of a reduction, which is no read operation (PTX ISA 8.4)
  RED,
  // PTX since 8.0: asynchronous operations, their proxies, mbarrier objects, restricted fences
  ASY,
  ASYNC,
  TMAP,
  MBAR,
  DONE,
  MINIT,
  OWN,
  READS,
  VEC,
  WARP,
  // PTX beside the processor of the host
  HOST,
  count_
};
inline constexpr size_t k_tags = static_cast<size_t>(Tag::count_);

class TagSet {
 public:
  constexpr TagSet() = default;
  TagSet(std::initializer_list<Tag> ts) {
    for (Tag t : ts) add(t);
  }
  bool has(Tag t) const { return bits_[static_cast<size_t>(t)]; }
  TagSet& add(Tag t) {
    bits_.set(static_cast<size_t>(t));
    return *this;
  }
  TagSet& remove(Tag t) {
    bits_.reset(static_cast<size_t>(t));
    return *this;
  }
  TagSet& operator|=(const TagSet& o) {
    bits_ |= o.bits_;
    return *this;
  }
  friend TagSet operator|(TagSet a, const TagSet& b) { return a |= b; }
  bool operator==(const TagSet&) const = default;
  bool empty() const { return bits_.none(); }

 private:
  std::bitset<k_tags> bits_;
};

struct TagInfo {
  Tag tag;
  const char* name;  // as models write it
  uint8_t dialects;  // bit mask 1 << Dialect
  const char* meaning;
};
std::span<const TagInfo> tags();
const char* name(Tag t);
std::optional<Tag> find_tag(std::string_view name);
std::string to_string(const TagSet& ts);  // names joined by ',' in table order

// Derived set names that are not tags: "_" (every visible event) and "M" (R | W).

enum class Base : uint8_t {
  po,
  int_,
  ext,
  id,
  loc,
  vloc,
  rf,
  co,
  amo,
  lxsx,
  addr,
  data,
  ctrl,
  sr,
  scta,
  ssg,
  swg,
  sqf,
  sdv,
  ssw,
  syncbar,
  sync_fence,
  fsc,
  swarp,     // same warp (thesis scope trees)
  sgpu,      // same device (thesis scope trees, scoped RMO)
  scluster,  // same cluster of CTAs (PTX since 7.8)
  si,        // same instruction or asynchronous operation (PTX since 8.0)
  await,     // from an asynchronous operation to what knows of its completion by a group (PTX since 8.0)
  home,      // from a thread's event to the accesses to shared memory of its block (PTX since 8.0)
  count_
};
inline constexpr size_t k_bases = static_cast<size_t>(Base::count_);

enum class BaseKind : uint8_t {
  fixed,        // known once the executed events are known
  existential,  // chosen by the execution: rf, co, sync_fence, fsc; syncbar where a quorum leaves a choice
  dynamic,      // depends on values: loc, vloc under computed addresses, syncbar under computed ids
};
struct BaseInfo {
  Base base;
  const char* name;
  BaseKind kind;
  uint8_t dialects;
  const char* meaning;
};
std::span<const BaseInfo> bases();
const char* name(Base b);
std::optional<Base> find_base(std::string_view name);

// Scope levels from the widest down, without the root that holds every thread of the test:
// ptx: sys gpu cta warp   vulkan: dv qf wg sg   opencl: all dv wg sg
// The cluster of PTX lies between gpu and cta, and most tests have none: it stands beside the path (prog::Thread) and
// has the number k_level_cluster. A CTA that names no cluster is a cluster of its own, as of a launch without clusters.
// A thread's scope path gives one id per level; "inside scope S" is equality of every id from the top
// down to S (ScopePath of length k covers levels 0..k-1).
std::span<const char* const> levels(Dialect d);
std::optional<uint32_t> level_of(Dialect d, std::string_view level);
inline constexpr uint32_t k_level_cluster = 98;
// The level a scope tag names, if it names one in this dialect (CTA -> cta, WG -> wg, WI -> thread itself).
inline constexpr uint32_t k_level_thread = 99;  // narrower than every level: the thread alone
std::optional<uint32_t> level_of(Dialect d, Tag scope_tag);

}  // namespace fencepost::vocab
