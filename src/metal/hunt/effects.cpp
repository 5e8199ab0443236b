// The words of the gate: what each effect is called, what it means, and on which clause of the PTX ISA it rests.
// Sections are those of chapter 8 of PTX ISA 9.4, by number and title; older texts lack some (8.4.1, 8.11);
// instructions of chapter 9 move from version to version and are named.
#include "hunt/gate.h"

namespace fencepost::hunt {
namespace {

struct Row {
  Effect effect;
  Level level;
  const char *name, *sentence, *clause;
};

constexpr const char* k_release =
    "8.8 Release and Acquire Patterns; 8.9.4 Memory synchronization; 8.9.5 Causality Order; 8.10.6 Causality";
constexpr const char* k_operations = "8.4 Operation types; 8.5 Scope; 8.7 Morally strong operations";

constexpr Row k_rows[] = {
    {Effect::no_membar, Level::fault, "no-membar",
     "An earlier access reaches the releasing write, or what stands behind the fence, without a MEMBAR between",
     k_release},
    {Effect::weak_membar, Level::fault, "weak-membar",
     "The MEMBAR between two accesses has a narrower scope, or is not SC", k_release},
    {Effect::no_invalidate, Level::fault, "no-invalidate",
     "A later read may take a line from the first-level cache that is older than the acquiring read", k_release},
    {Effect::no_wait, Level::fault, "no-wait", "A later access may begin before the acquiring read has its value",
     k_release},
    {Effect::no_barrier, Level::fault, "no-barrier", "A path goes round the barrier",
     "8.9.4 Memory synchronization: bar.sync, barrier.cluster"},
    {Effect::no_view, Level::fault, "no-view", "A path goes round the fence of the proxy", "8.6 Proxies; fence.proxy"},
    {Effect::absent, Level::fault, "absent", "The access is not in the machine code", k_operations},
    {Effect::skipped, Level::fault, "skipped", "A path of the machine code ends without the access", k_operations},
    {Effect::weaker, Level::fault, "weaker", "The access has a narrower scope than written", k_operations},
    {Effect::reordered, Level::fault, "reordered", "Two accesses stand in another order, which the model forbids",
     "8.7 Morally strong operations; 8.9.5 Causality Order; 8.10.5 Sequential Consistency Per Location"},
    {Effect::overtaken, Level::fault, "overtaken", "A later access stands before the acquiring read", k_release},
    {Effect::split, Level::fault, "split", "One access became several, so it is not single-copy atomic",
     "8.2.4 Memory Operations on Vector Data Types; 8.2.5 Memory Operations on Packed Data Types: a scalar access is "
     "one "
     "operation"},
    {Effect::width, Level::fault, "width", "The access has another width than written", "ld, st: type"},
    {Effect::elsewhere, Level::fault, "elsewhere", "The access is at another place than written", "ld, st: address"},
    {Effect::unguarded, Level::fault, "unguarded", "The access is done although its predicate is false",
     "predicated execution"},
    {Effect::repeated, Level::fault, "repeated", "One path does the access twice", k_operations},
    {Effect::operation, Level::fault, "operation", "The machine does another operation than the one that is written",
     "atom, red: operation and type"},
    {Effect::extended, Level::fault, "extended",
     "A byte that was read fills its register otherwise than the type says: a signed one by its sign, others by zeros",
     "ld: type"},
    {Effect::illegal, Level::fault, "illegal",
     "The disassembler finds an instruction that the architecture does not have",
     "target ISA notes of the instruction"},
    {Effect::moved, Level::allowed, "moved", "Two accesses between which the model has no order stand in another order",
     "8.9.5 Causality Order: program order alone orders no accesses to different locations"},
    {Effect::merged, Level::allowed, "merged",
     "The access is answered by another one of the same thread to the same place, with nothing between that orders; "
     "every outcome is one that the longer program has",
     "8.9.6 Coherence Order; 8.4 Operation types"},
    {Effect::warp_merged, Level::allowed, "warp-merged",
     "The lanes of a warp name one place and become one operation: an outcome of the program in which they follow one "
     "another",
     "8.10.3 Atomicity"},
    {Effect::idle_write, Level::allowed, "idle-write",
     "A loop for an atomic operation that would leave the value as it is ends after its look: who reads the value may "
     "have read the write before, which has the same value",
     "8.10.3 Atomicity; 8.10.1 Coherence"},
    {Effect::one_copy, Level::allowed, "one-copy",
     "An attempt of a compare-and-swap (CAST) in shared memory of the cluster has the scope SM: that memory has one "
     "copy, at its own SM, whatever the scope",
     "5.1 State Spaces; 8.10.3 Atomicity"},
    {Effect::private_window, Level::allowed, "private-window",
     "A plain load and store for an address that the atomic operation refused and that is not shared memory: local "
     "memory, which no other thread sees",
     "5.1 State Spaces; 6.4.1.1 Generic Addressing"},
    {Effect::other_window, Level::allowed, "other-window",
     "A path for shared memory, and the address is one of global memory: it is never taken",
     "6.4.1.1 Generic Addressing; cvta"},
    {Effect::first_look, Level::allowed, "first-look",
     "A loop of compare-and-swap begins with a weaker load, whose value the compare-and-swap confirms",
     "8.10.3 Atomicity"},
    {Effect::no_remote, Level::allowed, "no-remote",
     "Before sm_90 only one CTA sees shared memory, so both sides share a first-level cache and there is nothing to "
     "invalidate",
     "5.1.7 Shared State Space: .shared::cluster needs sm_90"},
    {Effect::vector_split, Level::allowed, "vector-split", "The elements of a vector became several accesses",
     "8.2.4 Memory Operations on Vector Data Types: a set of scalar accesses in no order"},
    {Effect::wider_load, Level::allowed, "wider-load", "A weak load reads more than written",
     "8.4 Operation types: weak"},
    {Effect::local_gone, Level::allowed, "local-gone", "Local memory is kept in registers", "5.1.5 Local State Space"},
    {Effect::unused_load, Level::allowed, "unused-load",
     "A load whose value nobody uses is left out: an outcome of the program in which it reads the oldest value that it "
     "may. What its acquire orders after an earlier read of that place is still ordered",
     "8.4 Operation types; 8.8 Release and Acquire Patterns: an acquire orders what follows after the write that it "
     "reads"},
    {Effect::shared_fence, Level::allowed, "shared-fence",
     "Fewer fences than instructions that ask for one: one serves two of them, or there is nothing to order beside it; "
     "every path that needs one has it",
     "8.9.5 Causality Order: fences order what stands on their two sides"},
    {Effect::cache_operator, Level::allowed, "cache-operator", "A cache operator has no effect here",
     "cache operators are performance hints and change no order"},
    {Effect::unknown_opcode, Level::named, "unknown-opcode", "An instruction that the table of the hunt does not have",
     ""},
    {Effect::stranger, Level::named, "stranger", "A memory access that belongs to no instruction of the test", ""},
    {Effect::not_followed, Level::named, "not-followed", "A path that the gate cannot follow", ""},
};

const Row& row(Effect e) {
  for (const Row& r : k_rows)
    if (r.effect == e) return r;
  return k_rows[0];
}

}  // namespace

Level level_of(Effect e) { return row(e).level; }
const char* name(Effect e) { return row(e).name; }
const char* sentence(Effect e) { return row(e).sentence; }
const char* clause(Effect e) { return row(e).clause; }

}  // namespace fencepost::hunt
