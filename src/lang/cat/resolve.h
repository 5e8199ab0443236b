#pragma once
// Private to the room: from a main text to one list of statements. Preludes and the sibling stdlib.cat come
// first, includes are replaced by what they include, and every name is resolved to what it stands for.
#include <expected>

#include "cat/syntax.h"

namespace fencepost::cat {

// The text of a file, or a sentence that says why it cannot be read.
std::expected<SourcePtr, std::string> read_source(const std::string& path);

// Fills `program`. `sibling`: options.sibling_stdlib applies and the main text lies in `folder`.
void resolve(Program& program, SourcePtr main, const LoadOptions& options, bool sibling, Findings& findings);

}  // namespace fencepost::cat
