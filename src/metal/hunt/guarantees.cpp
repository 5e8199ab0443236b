#include "hunt/guarantees.h"

#include <algorithm>
#include <set>

namespace fencepost::hunt {
namespace {

constexpr Meaning k_memory[] = {
    {"LD", Role::read,
     "Loads from a generic address; STRONG.SM, STRONG.GPU and STRONG.SYS say down to which cache it "
     "may be served.",
     "siblings: ld.relaxed with scopes cta, gpu, sys; sm_75 writes STRONG.CTA for STRONG.SM"},
    {"LDG", Role::read, "Loads from global memory, as LD; CONSTANT reads through the read-only path.",
     "siblings: ld.global with orders and scopes, ld.global.nc"},
    {"LDS", Role::read, "Loads from shared memory of the CTA; it has no scope.", "sibling: ld.shared"},
    {"LDL", Role::read, "Loads from local memory, which no other thread sees.", "sibling: ld.local"},
    {"ST", Role::write, "Stores to a generic address, as LD.", "siblings: st with orders and scopes"},
    {"STG", Role::write, "Stores to global memory, as LD.", "siblings: st.global with orders and scopes"},
    {"STS", Role::write, "Stores to shared memory of the CTA.", "sibling: st.shared"},
    {"STL", Role::write, "Stores to local memory.", "sibling: st.local"},
    {"ATOM", Role::both,
     "An atomic operation on a generic address. Where its first result is false it has done "
     "nothing: the address is shared memory and the operation has no form there, or it is local memory.",
     "sibling: atom on generic addresses; the code behind asks QSPC.E.S and goes on with ATOMS or with LD and ST"},
    {"ATOMG", Role::both, "An atomic operation on global memory.", "sibling: atom.global"},
    {"ATOMS", Role::both, "An atomic operation on shared memory; CAST is one attempt of a compare-and-swap in a loop.",
     "sibling: atom.shared"},
    {"RED", Role::both, "ATOM without a result.", "sibling: red"},
    {"REDG", Role::both, "ATOMG without a result.", "sibling: red.global"},
    {"REDS", Role::both, "ATOMS without a result.", "sibling: red.shared"},
    {"MEMBAR", Role::membar,
     "All earlier accesses of the thread are seen by others in the scope before all later "
     "ones; SC also orders it among all of its kind.",
     "siblings: fence.acq_rel and fence.sc; without it an H100 shows "
     "releases that do not release"},
    {"ERRBAR", Role::control, "Reports errors of earlier accesses.", "sibling: stands behind each MEMBAR above CTA"},
    {"CGAERRBAR", Role::control, "As ERRBAR, for clusters.", "sibling: as ERRBAR, from sm_90 on"},
    {"CCTL", Role::invalidate,
     "IVALL: lines of the first-level cache are not used by later loads. Others prefetch or "
     "evict.",
     "siblings: acquire above CTA; without it an H100 shows stale loads"},
    {"CCTLL", Role::control, "As CCTL, for local memory.", "sibling: none in these tests"},
    {"FENCE", Role::view,
     "VIEW.ASYNC: accesses of the generic proxy come before later ones of the async proxy, S for "
     "shared, G for global memory.",
     "siblings: fence.proxy.async and its spaces"},
    {"UTMACCTL", Role::view, "IV: a descriptor of a tensor is read anew.",
     "sibling: fence.proxy.tensormap::generic.acquire"},
    {"UTMACMDFLUSH", Role::control, "Waits for commands of the tensor unit.",
     "sibling: stands at the end of kernels with fence.proxy.tensormap"},
    {"BAR", Role::barrier, "A barrier of the CTA: SYNC and RED wait, ARV does not.",
     "siblings: bar.sync, bar.red, bar.arrive"},
    {"UCGABAR_ARV", Role::barrier, "Arrives at the barrier of the cluster; orders nothing itself.",
     "siblings: barrier.cluster.arrive.release has a MEMBAR before it, .relaxed has none"},
    {"UCGABAR_WAIT", Role::barrier, "Waits for the barrier of the cluster.", "sibling: barrier.cluster.wait"},
    {"DEPBAR", Role::control, "Waits for scoreboards.", "sibling: fence.proxy.tensormap"},
    {"QSPC", Role::control, "Asks to which memory a generic address belongs.", "sibling: isspacep"},
};

// Registers, predicates, constants, control and what a warp computes together.
const std::set<std::string>& arithmetic() {
  static const std::set<std::string> all = {
      "LDC",        "ULDC",       "LDCU",     "MOV",     "UMOV",    "IADD",        "IADD3",         "UIADD3",
      "IADD2",      "VIADD",      "IMAD",     "UIMAD",   "LEA",     "ULEA",        "LOP3",          "ULOP3",
      "PLOP3",      "UPLOP3",     "SHF",      "USHF",    "SHL",     "SHR",         "PRMT",          "UPRMT",
      "SEL",        "USEL",       "ISETP",    "UISETP",  "FSETP",   "DSETP",       "HSETP2",        "IMNMX",
      "VIMNMX",     "UIMNMX",     "FMNMX",    "VIMNMX3", "FADD",    "FMUL",        "FFMA",          "DADD",
      "DMUL",       "DFMA",       "HADD2",    "HMUL2",   "HFMA2",   "HMNMX2",      "I2F",           "F2F",
      "F2FP",       "I2I",        "S2R",      "S2UR",    "CS2R",    "R2UR",        "UR2R",          "UF2FP",
      "R2P",        "P2R",        "UP2UR",    "R2UP",    "UR2UP",   "POPC",        "UPOPC",         "FLO",
      "UFLO",       "BREV",       "UBREV",    "VOTE",    "VOTEU",   "MATCH",       "REDUX",         "CREDUX",
      "SHFL",       "SGXT",       "USGXT",    "BMSK",    "UBMSK",   "IABS",        "NOP",           "BRA",
      "EXIT",       "RET",        "BSSY",     "BSYNC",   "BREAK",   "BMOV",        "WARPSYNC",      "NANOSLEEP",
      "YIELD",      "ELECT",      "UIADD3X",  "UVIMNMX", "UVIADD",  "UIADD",       "ENDCOLLECTIVE", "VABSDIFF",
      "DMNMX",      "HADD2_32",   "HMUL2_32", "UMOV64",  "ACQBULK", "BPT",         "PREEXIT",       "CALL",
      "UVIRTCOUNT", "USETMAXREG", "UCLEA",    "LEPC",    "UFSETP",  "UCGABAR_GET", "USETSHMSZ"};
  return all;
}

const Meaning* find(const std::string& opcode) {
  const auto* const at =
      std::find_if(std::begin(k_memory), std::end(k_memory), [&](const Meaning& m) { return opcode == m.opcode; });
  return at == std::end(k_memory) ? nullptr : at;
}

}  // namespace

std::span<const Meaning> memory_table() { return k_memory; }

std::optional<Role> role_of(const MachineInstruction& i) {
  const std::string base = i.base();
  if (const Meaning* m = find(base)) {
    if (m->role == Role::invalidate && !i.has("IVALL")) return Role::control;
    return m->role;
  }
  return arithmetic().contains(base) ? std::optional(Role::arithmetic) : std::nullopt;
}

uint32_t reach_of(const MachineInstruction& i) {
  if (i.has("MMIO.SYS")) return 4;
  if (i.base() == "MEMBAR") return i.has("SYS") ? 3 : i.has("GPU") || i.has("VC") ? 2 : 1;
  if (i.has("STRONG.SYS")) return 3;
  if (i.has("STRONG.GPU")) return 2;
  return i.has("STRONG.SM") || i.has("STRONG.CTA") ? 1 : 0;
}

bool is_sequential(const MachineInstruction& membar) { return membar.has("SC"); }

uint32_t width_of(const MachineInstruction& i) {
  if (i.has("U8") || i.has("S8")) return 8;
  if (i.has("U16") || i.has("S16")) return 16;
  if (i.has("256") || i.has("ENL2.256")) return 256;
  if (i.has("128")) return 128;
  return i.has("64") || i.has("S64") || i.has("U64") || i.has("F64") ? 64 : 32;
}

}  // namespace fencepost::hunt
