// Faults of compilers that BUGS-FOUND.md has, and what is known of them beside the program that shows them.
#include <cstdlib>
#include <string>

#include "translation/conduct.h"

namespace fencepost::translation {
namespace {

struct Known {
  const char *name, *note;
  const char* mended;  // the first sentence of a report
};

constexpr const char* k_order_note =
    "## In one line\n\n"
    "Without the headers of CUDA (`order.cu`):\n\n"
    "```\n"
    "__attribute__((global)) void k(unsigned *x) { __scoped_atomic_fetch_add(x, 1u, __ATOMIC_RELEASE, "
    "__MEMORY_SCOPE_DEVICE); }\n"
    "```\n\n"
    "```\n"
    "clang++ -x cuda -nocudainc -nocudalib --cuda-device-only --cuda-gpu-arch=sm_90 -O3 -S order.cu -o -\n"
    "clang++ -x cuda -nocudainc -nocudalib --cuda-device-only --cuda-gpu-arch=sm_90 -O3 -S -emit-llvm order.cu -o -\n"
    "```\n\n"
    "By clang 19.1.7 the first has `atom.global.add.u32`, without an order, and the second `atomicrmw add ptr %0, i32 "
    "1 "
    "release, align 4`. So the back end loses the order, and the front end the scope: no `syncscope` is written for "
    "NVPTX, whichever of the five `__MEMORY_SCOPE_*` is given. The back end alone:\n\n"
    "```\n"
    "echo 'define void @k(ptr %x) { %r = atomicrmw add ptr %x, i32 1 syncscope(\"device\") release ret void }' | llc "
    "-march=nvptx64 -mcpu=sm_90 -o - | grep atom\n"
    "```\n\n"
    "llc 19.1.7 prints `atom.add.u32`, which is `.relaxed` at `.gpu`. LLVM mended `cmpxchg` in "
    "https://github.com/llvm/llvm-project/pull/140812 and `atomicrmw` in "
    "https://github.com/llvm/llvm-project/pull/179553 (merged in February 2026): 22.1.0 has the first alone, 24.0.0git "
    "(b010a18d) both. The front end's part, `__scoped_atomic_*` for NVPTX, is "
    "https://github.com/llvm/llvm-project/pull/184737 (merged, opened in March 2026), which was not compiled "
    "here.\n\n";

constexpr const char* k_signed_note =
    "## In one line\n\n"
    "Without the headers of CUDA, by the builtin for which clang's headers have `atomicMin_block` (`signed.cu`):\n\n"
    "```\n"
    "__attribute__((global)) void k(unsigned *x) { __nvvm_atom_cta_min_gen_ui(x, 1u); }\n"
    "```\n\n"
    "```\n"
    "clang++ -x cuda -nocudainc -nocudalib --cuda-device-only --cuda-gpu-arch=sm_70 -O3 -S signed.cu -o - | grep atom\n"
    "```\n\n"
    "clang 19.1.7 and 15.0.6 print `atom.cta.min.s32`. All eight unsigned forms are so, for sm_70, sm_80 and sm_90: "
    "minimum and maximum, `_block` and `_system`, `unsigned` and `unsigned long long` "
    "(`__nvvm_atom_{cta,sys}_{min,max}_gen_{ui,ull}` become `.s32` and `.s64`); `atomicMin` and `atomicMax` without a "
    "suffix are unsigned. The front end has one intrinsic for signed and unsigned "
    "(`llvm.nvvm.atomic.min.gen.i.cta`).\n\n";

constexpr const char* k_order_mended =
    "LLVM has mended this: the back end in https://github.com/llvm/llvm-project/pull/140812 (`cmpxchg`, in 22.1.0) and "
    "https://github.com/llvm/llvm-project/pull/179553 (`atomicrmw`, in 24.0.0git, not in 22.1.0), the front end in "
    "https://github.com/llvm/llvm-project/pull/184737 (not compiled here).\n\n";
constexpr const char* k_signed_mended =
    "LLVM has mended this in https://github.com/llvm/llvm-project/pull/200735 (merged in June 2026, after release 22; "
    "not compiled here).\n\n";

constexpr Known k_signed = {
    "clang 19 compiles atomicMin and atomicMax of unsigned words with _block and _system as signed (BUGS-FOUND.md)",
    k_signed_note, k_signed_mended};
constexpr Known k_all_relaxed = {
    "LLVM 19 and 20 compile atomicrmw and cmpxchg of every order as relaxed ones for NVPTX (BUGS-FOUND.md)",
    k_order_note, k_order_mended};
constexpr Known k_updates_relaxed = {
    "LLVM up to 22 compiles atomicrmw of every order as a relaxed one of scope .gpu for NVPTX (BUGS-FOUND.md)",
    k_order_note, k_order_mended};

}  // namespace

std::string known_fault(const Configuration& c, const Statement& s) {
  const bool llvm = c.compiler.language == Language::clang || c.compiler.language == Language::llvm;
  const bool of_ir = s.spelling == Spelling::builtin && s.is_update() && s.order > Order::relaxed;
  const long major = std::strtol(c.compiler.version.c_str(), nullptr, 10);
  const bool bound = s.op == Op::min || s.op == Op::max;
  if (c.compiler.language == Language::clang && s.spelling == Spelling::old && bound && s.scope != Scope::device &&
      major == 19)
    return k_signed.name;
  if (!llvm || !of_ir || major < 19) return {};
  if (major <= 20) return k_all_relaxed.name;
  if (major <= 22 && s.op != Op::cas) return k_updates_relaxed.name;
  return {};
}

std::string known_mended(const std::string& known) {
  for (const Known& k : {k_signed, k_all_relaxed, k_updates_relaxed})
    if (known == k.name) return k.mended;
  return {};
}

std::string known_note(const std::string& known) {
  for (const Known& k : {k_signed, k_all_relaxed, k_updates_relaxed})
    if (known == k.name) return k.note;
  return {};
}

}  // namespace fencepost::translation
