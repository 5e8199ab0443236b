#pragma once
// The kernel IR as text, for people (`prove --print-ir`) and golden tests. Deterministic: the same module gives the
// same bytes. One instruction a line, its place at the end:
//   kernel @foo(%0 A: ptr -> @foo.A)
//   b0:
//     %3:32 = id local_id.0                       ; kernel.cl:7:11
//     %5:32 = load 4 %4 {foo.A} site 2            ; kernel.cl:8:10
#include <string>

#include "ir/ir.h"

namespace fencepost::ir {

std::string print(const Module& m);
std::string print(const Module& m, const Function& f);
std::string print_value(const Function& f, ValueId v);  // "%7", "0x10", "@A", "null"

}  // namespace fencepost::ir
