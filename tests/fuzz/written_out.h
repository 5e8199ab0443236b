#pragma once
// A looped litmus test written out by hand: text in, text without loops out. Nothing of the program is used, neither
// its parser nor its idea of loops beyond docs/semantics.md: an instruction is copied once for every way its loops may
// be counted, jumps back become jumps on to the next copy, and a thread that would go round once too often sets r99 and
// leaves. So `enumerate` can decide the result without ever meeting a loop.
#include <functional>
#include <string>

namespace fencepost::fuzz {

// The bound of the loop with this label in this thread.
using BoundOf = std::function<uint32_t(uint32_t thread, const std::string& label)>;

// `text` is a PTX or VULKAN test as litmus_of makes it, or an OPENCL one of random_opencl, of whose loops `while.N` is
// the N-th `if` or `while` of its thread. The question asks besides that no thread has left: exists (C) becomes exists
// (C and no r99), forall (C) forall (C or some r99).
std::string written_out(const std::string& text, const BoundOf& bound);

}  // namespace fencepost::fuzz
