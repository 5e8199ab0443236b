// Faults that are known and have an entry in BUGS-FOUND.md, so that new ones stand out.
#include <cstdlib>
#include <string>

#include "hunt/conduct.h"

namespace fencepost::hunt {
namespace {

// Operations that shared memory does not have, so that they become a loop of ATOMS.CAST.
bool is_loop_in_shared(const Instruction& i) {
  if (i.kind != Kind::atomic && i.kind != Kind::reduction) return false;
  if (i.operation == "exch" || i.operation == "cas") return false;
  return i.bits() == 64 || i.type.starts_with("f") || i.type.starts_with("bf");
}

const char* provenance(char place) {
  switch (place) {
    case 's':
    case 't':
      return "shared";
    case 'h':
      return "generic, known to be shared";
    case 'c':
      return "shared of the cluster";
    case 'u':
      return "generic";
    case 'k':
      return "generic, known to be global";
    case 'l':
      return "local";
    default:
      return "global";
  }
}

}  // namespace

std::string signature_of(const std::string& effect, const Instruction& i) {
  std::string family = i.words.substr(0, i.words.find('.'));
  if (!i.is_access()) return effect + " " + i.words;
  if (i.kind >= Kind::atomic) family = is_loop_in_shared(i) ? "atom or red, a loop in shared memory" : "atom or red";
  if (i.mmio) family += ".mmio";
  if (i.is_volatile) family += ".volatile";
  if (i.vector > 1) family += ", vector";
  const bool order =
      effect == "no-membar" || effect == "weak-membar" || effect == "no-invalidate" || effect == "no-wait";
  const std::string scope = !order ? "" : i.scope == Scope::cta ? ", scope cta" : ", scope above cta";
  const bool any_width = i.kind >= Kind::atomic || order || (effect == "reordered" && i.kind == Kind::load);
  return effect + " " + family + ", " + provenance(i.place) + scope +
         (any_width ? "" : ", " + std::to_string(i.bits()) + " bits");
}

namespace {

// What a rule looks at: a reduced test, its culprit, and where it is wrong.
struct Case {
  const std::string& effect;
  const PtxTest& test;
  size_t culprit;
  uint32_t release, target;  // 12 of ptxas 12.9.86, 90 of sm_90
  const Instruction& at() const { return test.body[culprit]; }
  bool lost_order() const {
    return effect == "no-membar" || effect == "weak-membar" || effect == "no-invalidate" || effect == "no-wait";
  }
};

bool loop_in_shared_loses_fences(const Case& c) {
  const Instruction& i = c.at();
  const bool ordered = i.acquires() || i.releases();  // without the fence the scheduler moves accesses over it as well
  return c.target >= 90 && is_loop_in_shared(i) && i.in_shared() &&
         ((c.lost_order() && c.effect != "no-wait") || (c.effect == "reordered" && ordered));
}

bool accesses_move_before_loop_in_shared(const Case& c) {
  const Instruction& i = c.at();
  return c.effect == "overtaken" && c.target >= 90 && is_loop_in_shared(i) && i.acquires() && i.in_shared();
}

bool packed_sum_of_bit_one(const Case& c) {
  const Instruction& i = c.at();
  const bool result = i.kind == Kind::atomic && !i.unused;
  return c.effect == "operation" && i.type.ends_with("x2") && i.value == Value::one && !result &&
         (i.in_shared() || i.place == 'h');
}

// An atom without a scoreboard before a fence.acquire, or before an acquiring load that was left out.
bool unused_atom_is_not_awaited(const Case& c) {
  const Instruction& i = c.at();
  const bool fence = i.words.starts_with("fence.acquire"), load = i.kind == Kind::load && i.unused && i.acquires();
  if (c.effect != "no-wait" || !(fence || load)) return false;
  for (size_t k = 0; k < c.culprit; ++k) {
    const Instruction& before = c.test.body[k];
    if (before.kind == Kind::atomic && before.unused && before.words.find(".global") == std::string::npos) return true;
  }
  return false;
}

// A read that nobody uses, moved behind the branch of a guarded atomic operation.
bool unused_read_moves_behind_branch(const Case& c) {
  const Instruction& i = c.at();
  if (c.effect != "skipped" || i.kind != Kind::load || !i.unused) return false;
  for (size_t k = c.culprit + 1; k < c.test.body.size(); ++k) {
    const Instruction& behind = c.test.body[k];
    const bool update = behind.kind == Kind::atomic || behind.kind == Kind::reduction;
    if (update && behind.guard != Guard::none) return true;
  }
  return false;
}

bool mmio_read_moves_behind_branch(const Case& c) { return c.at().mmio && unused_read_moves_behind_branch(c); }
bool volatile_read_moves_behind_branch(const Case& c) {
  return c.at().is_volatile && unused_read_moves_behind_branch(c);
}

// What is left of an acquiring load that nobody uses: CCTL.IVALL behind a predicate that nothing sets.
bool unused_guarded_acquire_is_lost(const Case& c) {
  const Instruction& i = c.at();
  return c.effect == "no-invalidate" && i.kind == Kind::load && i.unused && i.acquires() && i.guard != Guard::none;
}

bool generic_loop_loses_acquire(const Case& c) {
  const Instruction& i = c.at();
  const bool generic = i.place == 'u' || i.place == 'h' || i.place == 'c';  // cvta.shared changes nothing
  return c.target >= 90 && is_loop_in_shared(i) && generic && c.effect == "no-invalidate";
}

bool is_wide(const Instruction& i) { return i.kind <= Kind::store && i.bits() * i.vector == 256; }

// What is left of an acquiring load of 256 bits that nobody uses: the load, from an address that nothing sets.
bool wide_unused_load_goes_astray(const Case& c) {
  const Instruction& i = c.at();
  return c.target >= 100 && c.effect == "elsewhere" && is_wide(i) && i.kind == Kind::load && i.unused && i.acquires();
}

bool wide_of_cluster_is_left_out(const Case& c) {
  return c.release <= 12 && c.target >= 100 && is_wide(c.at()) && c.at().scope == Scope::cluster &&
         c.effect == "absent";
}

bool wide_loses_order(const Case& c) { return c.target >= 100 && is_wide(c.at()) && c.lost_order(); }

bool plain_load(const Instruction& i) { return i.kind == Kind::load && i.order == Order::weak && !i.is_volatile; }

// ld.weak x; an acquire; ld.weak x.
bool loads_merged_over_acquire(const Case& c) {
  if (c.target < 80 || c.effect != "absent" || !plain_load(c.at())) return false;
  bool acquired = false;
  for (size_t k = c.culprit; k-- > 0;) {
    const Instruction& i = c.test.body[k];
    if (acquired && plain_load(i) && i.place == c.at().place && i.number == c.at().number) return true;
    acquired = acquired || (i.reads() && i.acquires());
  }
  return false;
}

// Two strong loads of one place, or through pointers of which the compiler does not know that they differ.
bool strong_loads_change_places(const Case& c) {
  if (c.target < 80 || c.effect != "reordered" || c.at().kind != Kind::load || !c.at().is_strong()) return false;
  for (size_t k = 0; k < c.test.body.size(); ++k) {
    const Instruction& i = c.test.body[k];
    const bool may_be_one = i.place != c.at().place || i.number == c.at().number;
    if (k != c.culprit && i.kind == Kind::load && i.is_strong() && may_be_one && i.bits() == c.at().bits()) return true;
  }
  return false;
}

bool fence_of_zeros(const Case& c) {
  // 13.5 refuses them.
  return c.release <= 13 && c.target < 90 && c.effect == "illegal" &&
         (c.at().words.starts_with("fence.acquire") || c.at().words.starts_with("fence.release"));
}

constexpr const char* k_shared_limits =
    "- `.acquire` has no CCTL.IVALL, `.release` no MEMBAR, `.acq_rel` neither: it loses its release as well as its "
    "acquire. A lost release by itself: "
    "[[atomic operations on shared memory that become a loop lose their fences from sm_90 on]].\n"
    "- ptxas 12.9.86 and 13.5.37 alike, `-O0` as `-O3`, sm_90, sm_100 and sm_120; `min.u64` and `add.f32` as "
    "`add.u64` (tried for sm_90).\n"
    "- Right: `exch.b64` and `cas.b64`, which become one instruction and have MEMBAR and CCTL.IVALL (sm_90); sm_80 has "
    "the MEMBAR, and needs no CCTL.IVALL: it has no clusters (`.cluster` and `.shared::cluster` need sm_90), and by "
    "8.3 no thread outside the same cluster accesses the place, so that only threads of its CTA do, on the same SM.\n";

constexpr const char* k_shared_release_limits =
    "- A `red` with `.release` releases: it is a write operation where it writes (8.4), and a release pattern by "
    "itself "
    "(8.8, 1). 8.11.1 (reductions do not form acquire patterns) is about acquire.\n"
    "- `atom.release` and `atom.acq_rel` likewise: with `add.u64` none has a MEMBAR, with `add.u32` each has (12.9.86 "
    "and 13.5.37, sm_90, `-O3`).\n"
    "- ptxas 12.9.86 and 13.5.37 alike, `-O0` as `-O3`, sm_90, sm_100 and sm_120; `min.u64` and `add.f32` as "
    "`add.u64` (tried for sm_90).\n"
    "- Right: `exch.b64` and `cas.b64`, which become one instruction and have the MEMBAR (sm_90), and every form for "
    "sm_80.\n";

constexpr const char* k_wide_order_limits =
    "- An `ld.acquire` has no CCTL.IVALL, and at `-O1` to `-O3` what stands behind it does not wait for its "
    "scoreboard, "
    "so that the two are not even in order.\n"
    "- An `st.release` has no MEMBAR.\n"
    "- `.v8.b32` and `.v4.b64` alike; `-O0` to `-O3`, sm_100 and sm_120, ptxas 12.9.86 and 13.5.37; likewise with "
    "`.sys`, and with `.cluster` for 13.5.37. With `.cta` a store lacks MEMBAR.ALL.CTA, and a load, which needs no "
    "CCTL.IVALL, lacks the wait at `-O1` to `-O3`; at `-O0` the wait was not judged.\n"
    "- Right: `.v4.b32` and `.v2.b64`, and `ld.relaxed` of 256 bits with `fence.acquire` or `fence.acq_rel` behind "
    "it.\n"
    "- With the scope `.cluster` ptxas 12.9.86 has not even the access: "
    "[[loads and stores of 256 bits with the scope .cluster are left out by 12.9]].\n";

struct Rule {
  bool (*fits)(const Case&);
  const char* what;  // the entry in BUGS-FOUND.md
  KnownFault facts = {};
  KnownFault of_release = {};  // of a lost release, where it was measured apart
};
constexpr Rule k_rules[] = {
    {loop_in_shared_loses_fences,
     "atomic operations on shared memory that become a loop lose their fences from sm_90 on",
     {"NVIDIA H100 80GB HBM3, driver 580, nvcc 13.5 (ptxas 13.5.37), clusters of two CTAs. What was measured is "
      "`.acquire`. Weak: the "
      "flag is seen, and the data is old. The counts are those of the lines `acquireN` of the program, where one, "
      "five or nine warps poll one word (in its lines `acquire1` each lane of one warp polls a word of its own).\n\n"
      "| instruction | is | weak |\n|---|---|---|\n"
      "| `atom.acquire.gpu.shared.add.u64` | at fault | 25,689,984 of 25,690,112 |\n"
      "| `atom.acquire.gpu.shared.cas.b64` | compiled right | 0 of 25,690,112 |\n"
      "| `atom.relaxed.gpu.shared.add.u64; fence.acq_rel.gpu` | compiled right | 0 of 25,690,112 |\n"
      "| `atom.relaxed.gpu.shared.add.u64` | allowed, the control | 25,690,080 of 25,690,112 |\n\n"
      "By litmus tests as below (another run: driver 580.159.04, ptxas 13.0.88, 4 s each): "
      "`atom.acquire.gpu.shared.add.u64` 21,418 "
      "of 7,012,352, `cas.b64` and the fence 0 of 6,946,816 each, relaxed 20,983 of 7,143,424.",
      "silicon.cu", "40", k_shared_limits, "", "", "", "", "sm_80 is right",
      "atom.acquire.gpu.shared.add.u64@s1; ld.weak.global.u32@p2"},
     {"NVIDIA H100 80GB HBM3, driver 580, nvcc 13.5 (ptxas 13.5.37), clusters of two CTAs. Weak: the flag is seen, and "
      "the data is "
      "old. The counts are those of the lines `release` of the program, which gives each lane an address of its own, "
      "so "
      "that its code merges no lanes (VOTEU, UPOPC), as a listing of one address for all does. It stores x by "
      "`st.relaxed.gpu`, and reads it by `ld.relaxed.gpu`.\n\n"
      "| instruction | is | weak |\n|---|---|---|\n"
      "| `red.release.gpu.shared.add.u64` | at fault | 197 of 10,485,760 |\n"
      "| `atom.release.gpu.shared.exch.b64` | compiled right | 0 of 10,485,760 |\n"
      "| `fence.acq_rel.gpu; red.relaxed.gpu.shared.add.u64` | compiled right | 0 of 10,485,760 |\n"
      "| `red.relaxed.gpu.shared.add.u64` | allowed, the control | 159 of 10,485,760 |\n\n"
      "By litmus tests as below (another run: driver 580.159.04, ptxas 13.0.88, 4 s each): "
      "`red.release.gpu.shared.add.u64` 632 of "
      "7,012,352, `exch.b64` 0 of 7,143,424, the fence 0 of 6,684,672, relaxed 623 of 6,881,280.",
      "silicon.cu", "40", k_shared_release_limits, "", "", "", "", "sm_80 is right",
      "st.weak.global.u32@p2; red.release.gpu.shared.add.u64@s1"}},
    {accesses_move_before_loop_in_shared,
     "accesses behind an acquiring operation on shared memory that becomes a loop are moved before it",
     {"NVIDIA H200, driver 580.159.04, nvcc 13.5 (ptxas 13.5.37); in brackets the same program by nvcc 13.0 (ptxas "
      "13.0.88). 13,516,800 instances for each count. What was measured is `.acquire`, with `.gpu` and `.cta`; of an "
      "unused `add.u64` with a weak store behind it ptxas 13.5.37 makes the same code with `.acq_rel`, to the letter "
      "(sm_90). "
      "Warp 1 of a block does the operation on y in shared memory "
      "and then loads (or stores) x in global memory; a thread of warp 0 stores (or loads) x, then has a fence, and "
      "then exchanges y. "
      "Weak: the operation has acquired what warp 0 released, and the load has the older value, or warp 0 has seen the "
      "store.\n\n"
      "| operation | is | weak, then a load | weak, then a store |\n|---|---|---|---|\n"
      "| `atom.acquire.gpu.shared.add.u64`, unused | at fault | 1,679,302 (1,678,494) | 1,224,361 "
      "(1,226,432) |\n"
      "| `atom.acquire.cta.shared.add.u64`, unused | at fault | 1,677,813 (1,679,469) | 1,225,200 (1,225,075) |\n"
      "| `atom.acquire.gpu.shared.add.u64`, used | the load is at fault | 2,112,868 (2,114,475) | 0 (0) |\n"
      "| `atom.relaxed.gpu.shared.add.u64; fence.acq_rel.gpu` | compiled right | 0 (0) | 0 (0) |\n"
      "| `atom.acquire.gpu.shared.cas.b64`, unused | compiled right | 0 (0) | 0 (0) |\n"
      "| `atom.relaxed.gpu.shared.add.u64`, unused | allowed, the control | 1,680,216 (1,677,872) | 1,225,133 "
      "(1,225,202) |",
      "unused.cu", "100",
      "- With a used result a load behind it is late too, a store is not (the table above). There the place of the "
      "load "
      "need not be the cause: that code also lacks CCTL.IVALL, which is a fault of its own.\n"
      "- Accesses are moved where the lanes of a warp become one addition, which is where address and operand are the "
      "same for all of them.\n"
      "- 8.11.1 (reductions do not form acquire patterns) is no excuse: it is about `red`. An `atom.acquire` or "
      "`atom.acq_rel` is an acquire operation by itself, also where nobody uses its result, and the same compiler "
      "treats the form with `add.u32` so: it keeps the order, MEMBAR and CCTL.IVALL.\n"
      "- The loop lacks the MEMBAR of a release and the CCTL.IVALL of an acquire too, which stays so when the access "
      "is put behind the loop: [[atomic operations on shared memory that become a loop lose their fences from sm_90 "
      "on]].\n"
      "- The note on `atom` in the ISA, \"Simple reductions may be specified by using the bit bucket destination "
      "operand `_`\", does not apply: the test names a register. With `_` ptxas 13.5.37 makes the same code (sm_90).\n"
      "- `-O2` and `-O3` alone; `-O0` and `-O1` have the accesses behind the loop (12.9.86 and 13.5.37).\n"
      "- sm_80: they stand behind the loop at every level.\n",
      "", "", "", "", "sm_80 is right at every level, and of this fault `-O0` and `-O1` are free"}},
    {packed_sum_of_bit_one,
     "a packed addition of the constant 1 in shared memory becomes one of integers",
     {"NVIDIA H200, driver 580.159.04, nvcc 13.5 (ptxas 13.5.37) and 13.0 (13.0.88) alike. Each of 262,144 threads "
      "adds once to a word of its own that holds two halves of 1.0. Each sum should leave its word as it is, since "
      "2^-24 (`f16`) and 2^-133 (`bf16`) are less than half of the last place of 1.0. A `red` of `bf16x2` was not run: "
      "of `bf16x2` the program has `atom` alone.\n\n"
      "| operation | is | words that changed |\n|---|---|---|\n"
      "| `atom.relaxed.gpu.shared.add.noftz.f16x2` of 1, unused | at fault | 262,144, 0x3c003c00 to 0x3c003c01 |\n"
      "| `red.relaxed.gpu.shared.add.noftz.f16x2` of 1 | at fault | 262,144, 0x3c003c00 to 0x3c003c01 |\n"
      "| `atom.relaxed.gpu.shared.add.noftz.bf16x2` of 1, unused | at fault | 262,144, 0x3f803f80 to 0x3f803f81 |\n"
      "| the same two `atom`, used | compiled right | 0 |\n"
      "| `atom.relaxed.gpu.shared.add.noftz.f16x2` of 2, unused | compiled right | 0 |\n"
      "| `atom.relaxed.gpu.shared.add.u32` of 1, unused | adds an integer, the control | 262,144 |",
      "unused.cu", "1",
      "- What the word holds before decides whether a test sees it: from 0 both the sum and the increment give 1. "
      "Where the low half is 0xffff the "
      "increment carries into the high half as well, which is a number of its own (8.2.5).\n"
      "- The constant 0x1 alone: 0x2 and 0x10001 become a loop of LDS and ATOMS.CAST (sm_80 and sm_90), and so does "
      "`add.f32` of 0x1 on every target.\n"
      "- `-O1` to `-O3`; right at `-O0`. ptxas 12.9.86 and 13.5.37 alike.\n"
      "- `f16x2` is at fault for sm_80, sm_90, sm_100 and sm_120; `bf16x2` for the last three, and refused for "
      "sm_80.\n",
      "",
      "The `.add` of a packed type is two additions of the scalar type, one for each half (8.2.5). By the text of "
      "`red` in chapter 9 (that of `atom` is the same), \"The .add operation rounds to nearest even.\", and `.noftz` "
      "\"preserves subnormal inputs and results, and does not flush them to zero\". The code adds 1 to the word as an "
      "integer."}},
    {generic_loop_loses_acquire,
     "the acquire of generic atomic operations stands before the path for shared memory from sm_90 on",
     {"Tried on an NVIDIA H100 80GB HBM3, driver 580, nvcc 13.5 (ptxas 13.5.37), and not seen. Clusters of two CTAs, "
      "generic addresses of shared memory; other warps of the SM read the line of x all the time. Weak: the flag is "
      "seen, and the data is old. The counts are those of the lines `acquireN` of the program, where one, five or "
      "nine warps poll one word (in its lines `acquire1` each lane of one warp polls a word of its own).\n\n"
      "| instruction | is | weak |\n|---|---|---|\n"
      "| `atom.acquire.gpu.add.u64` | at fault, not seen | 0 of 25,690,112 |\n"
      "| `atom.acquire.gpu.add.f32` | at fault, not seen | 0 of 25,690,112 |\n"
      "| `atom.acquire.gpu.shared::cluster.add.u64` | at fault, not seen | 0 of 25,690,112 |\n"
      "| `atom.acquire.gpu.cas.b64` | compiled right | 0 of 25,690,112 |\n"
      "| `atom.relaxed.gpu.add.u64; fence.acq_rel.gpu` | compiled right | 0 of 25,690,112 |\n"
      "| `atom.relaxed.gpu.add.u64` | allowed, the control | 25,690,080 of 25,690,112 |\n\n"
      "The control has no CCTL.IVALL at all, so the program sees such code. It was not shown that it can see code "
      "whose "
      "CCTL.IVALL stands too early, so the 0 of the forms at fault says nothing. Probably the time between the "
      "CCTL.IVALL of the first attempt and the loop, a few instructions, is too short.",
      "silicon.cu", "40",
      "- `-O0` to `-O3`, sm_90, sm_100 and sm_120, ptxas 12.9.86 and 13.5.37 alike. For sm_80 the CCTL.IVALL stands "
      "behind both paths.\n"
      "- At `-O3`, likewise: the scopes `.cluster` and `.sys`; `.acq_rel`, whose release is there; the operations "
      "`min.u64`, `add.f32` and `add.noftz.f16x2`; an unused result; an address in `.shared::cluster`.\n"
      "- Right: `add.u32`, `exch.b64` and `cas.b64`, which have no loop for shared memory; `.cta`, which needs no "
      "CCTL.IVALL. The path for global memory is right: CCTL.IVALL stands behind ATOM.\n",
      "", "This was read in the machine code. A device that was asked did not show it (below).", "", "",
      "sm_80 is right"}},
    {unused_atom_is_not_awaited,
     "fence.acquire does not wait for an atom whose result nobody uses",
     {"NVIDIA H200, driver 580.159.04, ptxas 13.5.37. Thread A does `x = 1`, a fence and an exchange of y that shows "
      "what "
      "y was; thread B, in another cluster, does the operation on y, which lies in global memory, and the fence, and "
      "then "
      "reads x (or A reads x first, and B writes it). Weak: A's exchange came first, and B has read 0 (A has read what "
      "B wrote). The totals are rounds, whichever came first; each row ran for the same time, so they differ. B's "
      "operation is made late: y is in a page that B has not used, or its place is kept busy.\n\n"
      "| operation of B | is | weak, then a load | weak, then a store |\n|---|---|---|---|\n"
      "| `atom.relaxed.gpu.add.u32`, unused; `fence.acquire.gpu` | at fault | 44,486 of 2,067,456 | 9,590 of 2,158,592 "
      "|\n"
      "| `atom.relaxed.gpu.exch.b32`, unused; the same | at fault | 44,207 of 2,067,456 | 9,548 of 2,158,592 |\n"
      "| `atom.relaxed.gpu.add.u64`, unused; the same | at fault | 40,415 of 2,067,456 | 7,454 of 2,146,304 |\n"
      "| `atom.relaxed.gpu.add.u32`, unused; `fence.acquire.sys` | at fault | 44,657 of 2,067,456 | 9,621 of 2,158,592 "
      "|\n"
      "| `atom.relaxed.gpu.add.u32`, used; `fence.acquire.gpu` | compiled right | 0 of 2,023,424 | 0 of 2,066,432 |\n"
      "| `atom.relaxed.gpu.global.add.u32`, unused; `fence.acquire.gpu` | compiled right | 0 of 2,025,472 | 0 of "
      "2,068,480 |\n"
      "| `atom.acquire.gpu.add.u32`, unused | compiled right | 0 of 2,025,472 | 0 of 2,067,456 |\n"
      "| `atom.relaxed.gpu.add.u32`, unused; `fence.acq_rel.gpu` | compiled right | 0 of 2,011,136 | 0 of 2,043,904 |\n"
      "| `red.relaxed.gpu.add.u32`; `fence.acquire.gpu` | allowed (8.11.1), the control | 44,738 of 2,067,456 | 9,496 "
      "of 2,158,592 |\n\n"
      "With y in shared memory of another CTA of the cluster: 4 of 10,574,848 with a load over four forms at fault, 0 "
      "of "
      "7,871,488 over three forms that are compiled right, 2 of 2,644,992 with the control, which is too few to tell "
      "the forms apart. With y in shared memory of the own CTA, where "
      "the "
      "scoreboard lacks too: 0 of 1,297,072,128 over three forms with a fence and one with `ld.acquire`, and 0 of "
      "328,187,904 with the control, so nothing is "
      "seen there. ptxas 12.9.86 gives the same code, and weak outcomes as often.",
      "awaited.cu", "1.5",
      "- Each operation with `.relaxed` or `.release` on a generic address (tried: `add.u32`, `add.u64`, `add.f32`, "
      "`exch.b32`, `cas.b32`), on `.shared` and `.shared::cluster` (there the wait is missing in the code; what "
      "a device showed is too little to tell the forms apart: the section "
      "above), before `fence.acquire` of each scope. ptxas "
      "12.9.86 and 13.5.37, sm_90, sm_100 and sm_120, `-O1` to `-O3`. At `-O0` (sm_90) the code of "
      "12.9.86 is right: the operation has a scoreboard, and the next instruction waits for it. In that of 13.5.37 no "
      "instruction sets a scoreboard or waits for one, right code or wrong; how it waits was not found out, so it was "
      "not judged.\n"
      "- Right: the same on `.global`, where the operation has a scoreboard though nobody uses its result, and "
      "`atom.acquire` on every address. So the compiler knows the rule.\n"
      "- The fence waits for all scoreboards, but an operation without a result has that of its operands alone (bits "
      "113-115 of its encoding, which `nvdisasm -hex` prints, and no record here).\n"
      "- For sm_80 `fence.acquire` is refused (13.5) or has another fault (12.9): "
      "[[fence.acquire and fence.release become an instruction of zeros for sm_80 with 12.9 and 13.0]].\n"
      "- An `ld.acquire` of the place of the `atom`, behind it, is left out where nobody uses its result, and leaves "
      "CCTL.IVALL, which does not wait either (sm_80 too). Left out or not, the two are an acquire pattern (8.8: \"a "
      "strong read on M followed by an acquire operation on M in program order\"); and the load reads no older value "
      "than the one that the `atom` has written (8.10.5), so that it acquires what the `atom` has observed (8.9.2). An "
      "H200 shows it (another run of `awaited.cu`): `atom.relaxed.gpu.add.u32`, unused, and `ld.acquire.gpu.u32` of y, "
      "unused, 44,701 weak of 2,067,456 with a load behind and 9,756 of 2,154,496 with a store; with a use of the "
      "`ld.acquire` 0 of 2,021,376 and 0 of 2,065,408.\n",
      "",
      "Of an `atom.relaxed.gpu.add.u32` whose result nobody uses, in front of `fence.acquire.gpu` and a load, ptxas "
      "makes the same code, to the letter, as of `red.relaxed.gpu.add.u32` there (12.9.86 and 13.5.37, sm_90). So it "
      "takes an `atom` whose result nobody uses for a `red`, and 8.11.1 tells the "
      "two apart: a `red` forms no acquire pattern with a fence, and an `atom` does. 8.8 has this very pattern as its "
      "example: `atom.relaxed [M]; fence.acquire;`, of \"a strong read on M followed by an acquire memory fence in "
      "program order\", and says of reductions alone: \"this strong read does not form an acquire pattern\". The note "
      "on `atom`, \"Simple reductions may be specified by using "
      "the bit bucket destination operand `_`\", does not apply: the test names a register (with `_` the code is the "
      "same)."}},
    {mmio_read_moves_behind_branch,
     "a read by ld.mmio that nobody uses is moved behind a branch",
     {"NVIDIA H200, driver 580.159.04, ptxas 13.5.37 and 12.9.86. The read is of address 0x1000, where no "
      "memory is mapped, so that a read which is performed ends the kernel with cudaErrorIllegalAddress. This shows "
      "whether the "
      "read is issued, and no more: such an address has no atomicity to require. The machine code is the same for "
      "every address.\n\n"
      "| program | is | the read |\n|---|---|---|\n"
      "| `ld.mmio`, unused; `@false red.relaxed.gpu.global.add.u32` | at fault | was not performed |\n"
      "| `ld.mmio`, unused; `@false atom.acquire.gpu.global.add.u64`, unused | at fault | was not performed |\n"
      "| `ld.mmio`, unused; `@true red.relaxed.gpu.global.add.u32` | the other path | was performed |\n"
      "| `ld.mmio`, used; `@false red.relaxed.gpu.global.add.u32` | compiled right | was performed |\n"
      "| `ld.mmio`, unused; `@false st.weak.global.u32` | compiled right | was performed |\n"
      "| `ld.weak`, unused; `@false red.relaxed.gpu.global.add.u32` | allowed, the control | was not performed |",
      "mmio.cu", "",
      "- For the memory consistency model alone the read is a strong one that nobody uses, and nothing is lost. What "
      "is lost is what 8.4.1 calls \"a few implementation-specific properties, if it meets the *CUDA atomicity "
      "requirements* at the specified scope\", of which one is that \"Reads are always performed\"; by the note in "
      "8.4.2 `.mmio` operations \"strictly preserve the number of operations performed\".\n"
      "- The operation behind it is a `red` of global memory, or an `atom` there whose result nobody uses, behind a "
      "predicate or a branch, of one place for the warp or of one for each lane. With a use of the `atom`'s result the "
      "read stays before the branch (`-O3`, all four targets). The address of the read must differ for each lane: "
      "where "
      "it is the same for all, the read stays too.\n"
      "- ptxas 12.9.86 and 13.5.37, sm_80, sm_90 and sm_100, `-O2` and `-O3`; right at `-O0` and `-O1`, and for "
      "sm_120 (at `-O3`).\n"
      "- `ld.volatile` in place of `ld.mmio` stays before the branch of these, and so does a read whose result is "
      "used. "
      "Before a guarded operation of 16 bits in global memory, which becomes a loop, `ld.volatile` is moved as well: "
      "[[a read by ld.volatile that nobody uses is moved behind a branch]].\n",
      "", "", "", "", "sm_120 is right at `-O3`"}},
    {volatile_read_moves_behind_branch,
     "a read by ld.volatile that nobody uses is moved behind a branch",
     {"NVIDIA H200, driver 580.159.04, nvcc 13.5 (ptxas 13.5.37). The read is of address 0x1000, where no "
      "memory is mapped, so that a read which is executed ends the kernel with cudaErrorIllegalAddress.\n\n"
      "| program | is | the read |\n|---|---|---|\n"
      "| `ld.volatile.u64`, unused; `@false atom.acquire.gpu.global.add.noftz.bf16`, unused | at fault | was not "
      "executed "
      "|\n"
      "| `ld.volatile.u64`, unused; `@true atom.acquire.gpu.global.add.noftz.bf16`, unused | the other path | was "
      "executed "
      "|\n"
      "| `ld.volatile.u64`, used; `@false atom.acquire.gpu.global.add.noftz.bf16`, unused | compiled right | was "
      "executed "
      "|\n"
      "| `ld.volatile.u64`, unused; `@false atom.acquire.gpu.global.add.u32`, unused | compiled right | was executed |",
      "mmio.cu", "",
      "- For the memory consistency model alone the read is a relaxed one that nobody uses, and nothing is lost. What "
      "is "
      "lost is the constraint of 8.4.2 beside it, one of its \"extra implementation-specific constraints\".\n"
      "- The operation behind it is one of 16 bits in global memory, which becomes a loop around a compare-and-swap: a "
      "`red` of `add.noftz.bf16` or `add.noftz.f16`, or an `atom` of `add.noftz.bf16`, `add.noftz.f16` or `cas.b16` "
      "whose result nobody "
      "uses, behind a predicate or a branch. Tried were the orders relaxed, acquire and release. With a use of the "
      "`atom`'s result the read stays before the branch.\n"
      "- The read may have 8, 16, 32 or 64 bits, or be a vector (`.v2.u32`, `.v4.u32`), with one address or one for "
      "each "
      "lane, in global or shared memory, or have a generic address (`-O3`, sm_90, ptxas 12.9.86 and 13.5.37).\n"
      "- ptxas 12.9.86 and 13.5.37, sm_90, sm_100 and sm_120, `-O2` and `-O3`; right at `-O0` and `-O1`. For sm_80 "
      "`add.noftz.bf16` is refused, and the read stays in front of the other two.\n"
      "- Right: the same before `atom.acquire.gpu.global.add.u32`, which becomes one instruction, and a read whose "
      "result "
      "is used. An unused `ld.mmio` with an address for each lane is moved before a loop and before one instruction "
      "alike (8.4.1): "
      "[[a read by ld.mmio that nobody uses is moved behind a branch]].\n"
      "- On a device the code of 13.5.37 was run, that of 12.9.86 was not.\n"}},
    {unused_guarded_acquire_is_lost,
     "an acquiring load behind a guard that nobody uses becomes a fence behind a predicate that nothing sets",
     {"NVIDIA H200, driver 580.159.04, nvcc 13.5 (ptxas 13.5.37); in brackets the same program by ptxas 12.9.86. "
      "Thread A does `x = 1` and `st.release.gpu y, 1`; thread B, in another block, has a line of x in its cache, "
      "reads "
      "y by `ld.relaxed.gpu`, does what the table says, with a guard that is true, and then reads x by `ld.weak`. "
      "8,448,000 rounds for each row. New: B's first read of y has the new value. Weak: so it is, and x is old.\n\n"
      "| between the two reads | is | new | weak |\n|---|---|---|---|\n"
      "| `@p ld.acquire.gpu`, unused | at fault | 1,903,142 (1,865,385) | 307,127 (318,296) |\n"
      "| the same behind a branch | at fault | 1,904,433 (1,867,681) | 307,837 (318,533) |\n"
      "| `@p ld.acquire.gpu`, used | compiled right | 7,678,901 (7,659,547) | 0 (0) |\n"
      "| `ld.acquire.gpu`, unused, without a guard | compiled right | 7,651,611 (7,635,463) | 0 (0) |\n"
      "| `@p fence.acq_rel.gpu` | compiled right | 8,216,971 (8,211,409) | 0 (0) |\n"
      "| `@p ld.relaxed.gpu`, unused | allowed, the control | 1,310,823 (1,269,878) | 259,249 (266,188) |",
      "guarded.cu", "1000",
      "- `ld.acquire` above `.cta`, behind a predicate or a branch, of global, shared and generic addresses; ptxas "
      "12.9.86 "
      "and 13.5.37, sm_90, sm_100 and sm_120, `-O1` to `-O3`. For sm_80 the CCTL.IVALL has no predicate, which is "
      "right.\n"
      "- Right: the same with a use of the result, or without the guard.\n",
      ": its CCTL.IVALL is behind a predicate that is not the guard",
      "That the load itself is left out is allowed: nobody uses what it reads, and it may read the value that this "
      "thread has read of y before. Its acquire is then owed to that earlier read (8.8). What is left of it is "
      "CCTL.IVALL behind a predicate register which is not the guard: no instruction reads the guard, the parameter "
      "`[n+4]`.",
      "", "", "sm_80 is right"}},
    {wide_unused_load_goes_astray,
     "an acquiring load of 256 bits that nobody uses reads an address that nothing sets",
     {"", "", "",
      "- `.v8.b32` and `.v4.b64`, every scope above `.cta`, `-O0` to `-O3` (tried with `.v8.b32` for sm_100); ptxas "
      "12.9.86 and 13.5.37. The address registers are R0 and R1, and R1 is the stack pointer.\n"
      "- Right: `.v4.b32`, of which CCTL.IVALL alone is left, and `ld.relaxed`, which goes.\n",
      "",
      "Nobody uses what the load reads, and it could be left out. It is there, with RZ for its results, but what "
      "computes its address is gone: its address registers have what other code left in them. Such a read may end the "
      "kernel with an error."}},
    {wide_of_cluster_is_left_out,
     "loads and stores of 256 bits with the scope .cluster are left out by 12.9",
     {"", "", "",
      "- `ld.acquire` and `ld.relaxed` alike, `-O0` to `-O3` (tried for sm_100), sm_100 and sm_120: the stores behind "
      "it write registers that no load has set. Some of these hold what was there before, such as the address, and "
      "some were never written.\n"
      "- `st.release` and `st.relaxed` are left out likewise (`-O3`), so that the data is lost.\n"
      "- With `.cta`, `.gpu` and `.sys` ptxas 12.9.86 keeps the access.\n"
      "- ptxas 13.5.37 keeps the access with `.cluster` too (`LDG.E.ENL2.256.STRONG.GPU`). Behind such an `ld.acquire` "
      "it puts no CCTL.IVALL: [[loads and stores of 256 bits lose their order]].\n",
      ", as is every load and store of 256 bits with `.cluster`",
      "ptxas ends with 0 and says nothing. Stores of this scope and width are left out in the same way, so that data "
      "is "
      "lost (`also.ptx`).",
      "", "st.release.cluster.global.v8.b32@p1"}},
    {wide_loses_order,
     "loads and stores of 256 bits lose their order",
     {"", "", "", k_wide_order_limits, "", "", "", "st.weak.global.u32@p3; st.release.gpu.global.v8.b32@p1"}},
    {loads_merged_over_acquire,
     "two weak loads of one place are made one although an acquire stands between them",
     {"NVIDIA H100 80GB HBM3, driver 580, nvcc 13.5 (ptxas 13.5.37), in brackets the same program by nvcc 13.0 (ptxas "
      "13.0.88), in global memory, message passing with a load of the data "
      "before and behind the acquire. Weak: the acquire reads the flag, and the second load the old data.\n\n"
      "| program | is | weak |\n|---|---|---|\n"
      "| `ld.weak r0,x; ld.acquire.gpu r1,y; ld.weak r2,x` | at fault | 5,252 (5,740) of 98,304,000 |\n"
      "| `ld.weak r0,x; ld.acquire.gpu r1,y; ld.relaxed.gpu r2,x` | compiled right | 0 (0) of 98,304,000 |\n"
      "| `ld.weak r0,x; ld.relaxed.gpu r1,y; ld.weak r2,x` | allowed, the control | 5,274 (4,989) of 98,304,000 |",
      "loads.cu", "100",
      "- `-O1` to `-O3`; right at `-O0`.\n"
      "- The same with `ld.acquire` of `.cta` and `.sys`, with `ld.acquire.gpu.shared`, and for two loads of shared "
      "memory "
      "(`-O3`, sm_80, sm_90, sm_100 and sm_120).\n"
      "- With `atom.acquire.gpu.global.add.u32` in place of the `ld.acquire` the second load is there, on the same "
      "four targets. With `atom.acquire.gpu.shared.add.u32` it is not there for sm_90, sm_100 and sm_120.\n"
      "- With a fence between, alone or behind an `ld.relaxed`, nothing is lost.\n"}},
    {strong_loads_change_places,
     "a strong load is moved before an earlier one of the same place",
     {"NVIDIA H100 80GB HBM3, driver 580, nvcc 13.5 (ptxas 13.5.37). The pair that was measured is `ld.volatile` and "
      "then "
      "`ld.relaxed.gpu`, in global memory. Weak: the first reads 1 and the second the older 0.\n\n"
      "| program | is | weak |\n|---|---|---|\n"
      "| `ld.volatile r1,[q]; ld.relaxed.gpu r2,[p]`, p = q | at fault | 2,225,274 of 98,304,000 |\n"
      "| `ld.volatile r1,[p]; ld.relaxed.gpu r2,[p]` | at fault | 2,298,776 of 98,304,000 |\n"
      "| `ld.relaxed.gpu r1,[q]; ld.relaxed.gpu r2,[p]`, p = q | compiled right | 0 of 98,304,000 |\n"
      "| `ld.acquire.sys r1,[q]; ld.relaxed.gpu r2,[p]`, p = q | compiled right | 0 of 98,304,000 |\n"
      "| `ld.weak r1,[q]; ld.weak r2,[p]`, p = q | allowed, and compiled as written | 0 of 98,304,000 |\n\n"
      "By litmus tests of `ld.volatile` and then `ld.relaxed.gpu` of one place, where the second value is needed first "
      "(another run: driver 580.159.04, ptxas 13.0.88, 4 s each): 94,965,131 of 8,645,672,704 with "
      "words of 32 "
      "bits, 423,562 of 5,898,240 with 64 bits, 131,004 of 7,733,248 in shared memory; with two `ld.relaxed.gpu` 0 of "
      "8,702,928,384, "
      "0 of 6,750,208 and 0 of 7,143,424; with a fence between 0 of 8,501,517,056, 0 of 5,308,416 and 0 of 7,602,176; "
      "the control (loads of two places, allowed) 35,040 of 6,748,565,248.",
      "loads.cu", "100",
      "ptxas 12.9.86 and 13.5.37 alike, sm_80, sm_90, sm_100 and sm_120. \"Late\" means that the two values are stored "
      "in "
      "the other order than they are loaded.\n\n"
      "- `ld.volatile` and then `ld.relaxed.gpu` of one pointer, 32 bits, global memory, late: `-O2` and `-O3`, on all "
      "four targets; in order at `-O0` and `-O1`.\n"
      "- So too, late, at `-O3`, on all four: `ld.volatile` and then `ld.relaxed` of `.cta` or `.sys`; `ld.relaxed` of "
      "`.gpu` or `.sys` and then `ld.volatile`; `ld.relaxed` of `.cta` or `.gpu` and then `ld.mmio.relaxed.sys`. "
      "`ld.mmio.relaxed.sys` and then `ld.relaxed.gpu`: all but sm_120.\n"
      "- In order, late, at `-O3`, on all four: `ld.relaxed` of `.cta`, `.gpu` or `.sys` and then `ld.relaxed.gpu`; "
      "two "
      "`ld.volatile`; `ld.volatile` and `ld.mmio` in either order; `ld.volatile` and then `ld.acquire.gpu`.\n"
      "- With the stores in the order of the loads all these are in order (`-O3`), but for `ld.relaxed` of `.cta` or "
      "`.gpu` and then `ld.mmio` for sm_120. For sm_120 the pair that begins with `.cta` is at fault, late, at `-O1` "
      "too.\n"
      "- Other words, `ld.volatile` and then `ld.relaxed.gpu` of one pointer, late, at `-O3`: 8, 16 and 64 bits, "
      "`.v2.u32` "
      "and `.v4.b16` of global memory, generic addresses of 32 and 64 bits, and a variable in shared memory, on all "
      "four; "
      "an address in shared memory from a register with 64 bits on all four, with 32 bits for sm_90 and sm_100.\n"
      "- Through two pointers that may be equal, 32 bits, global memory: `ld.volatile [q+64]; ld.relaxed.gpu [p+64]`, "
      "late "
      "or not, for sm_90 and sm_100 at `-O2` and `-O3`, for sm_120 late alone, for sm_80 never; with the two "
      "parameters "
      "exchanged for sm_120 alone, late. `ld.relaxed.cta` and then `ld.mmio` is at fault on all four, late or not, "
      "with "
      "the parameters either way (`-O3`).\n"
      "- Through addresses of two windows that may be one, not late, at `-O3`: `ld.volatile.shared::cluster` and then "
      "`ld.relaxed.cta.shared`, 64 bits, for sm_90, sm_100 and sm_120; `ld.volatile.shared` of 32 bits and then "
      "`ld.relaxed.gpu.v2.u32` of a generic address for the same three, and in order for sm_80.\n",
      "", "", "", "", "", "late: ld.volatile.global.b32@p1; ld.relaxed.gpu.global.b32@p1"}},
    {fence_of_zeros,
     "fence.acquire and fence.release become an instruction of zeros for sm_80 with 12.9 and 13.0",
     {"", "", "",
      "- `fence.acquire` and `fence.release` with `.cta`, `.gpu` and `.sys`, `-O0` to `-O3`, by ptxas 12.9.86; ptxas "
      "13.0.88 has the zeros too.\n"
      "- ptxas 13.5.37 refuses all of these by name. The first version that does is not known. What a device of sm_80 "
      "does with the zeros was not measured.\n"
      "- `fence.acq_rel.cta` for sm_80 is right by both: MEMBAR.ALL.CTA.\n",
      "",
      "ptxas 12.9.86 ends with 0 and without a message where it should refuse: that is the fault. "
      "ptxas 13.5.37 "
      "ends with 255 and says \"Modifier '.acquire' on 'fence' requires .target sm_90 or higher\" (`.release` "
      "likewise).",
      "ptxas returns 0 and prints nothing. nvdisasm returns 1 and prints no code but\n\n"
      "```\nnvdisasm error   : Illegal instruction found\n```\n\n"
      "so that there is no listing, and no record of it in this folder. The bytes show the instruction, 16 bytes of "
      "zeros; in a kernel of this fence alone they are at offset 0x10 of its text section:\n\n"
      "```\nreadelf -x .text.t0 test.cubin\n"
      "  0x00000000 027a0100 000a0000 000f0000 00e40f00 .z..............\n"
      "  0x00000010 00000000 00000000 00000000 00000000 ................\n```"}},
};

uint32_t number_behind(const std::string& text, const std::string& word) {
  const size_t at = text.find(word);
  return at == std::string::npos ? 0
                                 : static_cast<uint32_t>(std::strtoul(text.c_str() + at + word.size(), nullptr, 10));
}

}  // namespace

std::string known_fault(const std::string& effect, const PtxTest& test, size_t culprit,
                        const std::string& configuration) {
  const Case c{effect, test, culprit, number_behind(configuration, "ptxas-"), number_behind(configuration, " sm_")};
  for (const Rule& r : k_rules)
    if (r.fits(c)) return std::string(r.what) + " (BUGS-FOUND.md)";
  return {};
}

KnownFault facts_of(const std::string& known, const std::string& effect) {
  const bool release = effect == "no-membar" || effect == "weak-membar";
  for (const Rule& r : k_rules)
    if (known == std::string(r.what) + " (BUGS-FOUND.md)")
      return release && *r.of_release.text != 0 ? r.of_release : r.facts;
  return {};
}

}  // namespace fencepost::hunt
