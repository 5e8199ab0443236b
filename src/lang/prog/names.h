#pragma once
// The names of prog/test.h without what they hold: for headers that pass a test on, and for sources that never look
// into one. A change of test.h does not compile them again.
#include <cstdint>

namespace fencepost::prog {

struct Test;
struct Template;
struct Instr;
struct Thread;
struct Object;
struct Symbol;
struct Register;
struct Address;
struct Barrier;
struct Cond;
struct CondValue;
enum class Syntax : uint8_t;  // prog/syntax.h
enum class Quantifier : uint8_t { none, exists, not_exists, forall };
const char* name(Quantifier q);

using RegId = uint32_t;     // index into Template::registers
using SymbolId = uint32_t;  // index into Test::symbols
using ObjectId = uint32_t;  // index into Test::objects
using LabelId = uint32_t;   // index into Template::labels
inline constexpr uint32_t k_none = 0xffffffffu;

}  // namespace fencepost::prog
