#pragma once
// Members as the compiled text counts them. A compiler may put members of its own between those of a structure, to fill
// up what alignment leaves open; the text says at which byte each of its members stands.
#include <optional>
#include <string>

#include "spirv/header.h"
#include "spirv/layout.h"

namespace fencepost::spirv {

// The type behind a list, or behind a pointer; null: not known.
const SourceType* element(const SourceType* list);
const SourceType* member(const SourceType* structure, uint64_t k);

// The member of the module's structure that is the text's member `k`; the number itself where nothing is known. Throws
// ParseError at `where`.
uint64_t module_member(const Types& types, Id structure, const SourceType* source, uint64_t k, const Instruction& user,
                       const Span& where);

// The text's number of the member of that name. Throws ParseError at `where`.
uint64_t member_named(const Module& module, Id structure, const SourceType* source, const std::string& name,
                      const Span& where);

// What the text calls a member of the module's structure: its number, and ".name" or "[number]"; of a union, the member
// that has the type which the module gives it. Nothing: the text has no word for it.
struct MemberName {
  uint64_t number = 0;
  std::string text;
};
std::optional<MemberName> name_of_member(const Types& types, Id structure, const SourceType* source, uint64_t member,
                                         const Instruction& user);

// An input, written as the text counts, as the module counts.
void arrange(const Types& types, Id type, const SourceType* source, InputValue& v, const Instruction& user);

}  // namespace fencepost::spirv
