#pragma once
// PTX modules -> prog::Test: the text that nvcc and clang write (`.ptx`) and that cuobjdump takes out of a program,
// with what the instruction set says of each instruction (PTX ISA, chapters 9 "Instruction Set" and 8 "Memory
// Consistency Model"). What is read, and what is refused by name: docs/ptx-modules.md.
//
// A module says nothing of the launch, the initial memory and the question. They come from its comments
//   // @Config: T, S, W     // @Input: x = value     // @Output: exists|not exists|forall C     // @Filter: C
// or from LaunchOptions, as for the other languages of kernels (spirv/header.h). T threads of a warp, S warps of a CTA,
// W CTAs. Every thread gets a template of its own, in which %tid and its like are constants; equal ones are shared.
#include <string_view>

#include "base/diagnostic.h"
#include "base/source.h"
#include "prog/test.h"
#include "spirv/spirv.h"

namespace fencepost::ptxmod {

// Does the text begin, behind blanks and comments, as a module does: with ".version"?
bool is_ptx_module(std::string_view text);

Expected<prog::Test> parse_ptx_module(const SourcePtr& source, const spirv::LaunchOptions& options = {});

// Is a text that begins as a PTX litmus test one whose columns are written as modules are: with registers "%r1" or with
// types ("ld.weak.u32")?
bool is_ptx_litmus(std::string_view text);
Expected<prog::Test> parse_ptx_litmus(const SourcePtr& source);

}  // namespace fencepost::ptxmod
