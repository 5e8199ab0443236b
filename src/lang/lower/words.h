#pragma once
// Which words the patterns and forms of a table may have.
#include <string>
#include <vector>

#include "lower/lower.h"

namespace fencepost::lower {

// First words of a language's forms.
std::vector<std::string> heads(prog::Syntax s);
// The first word of the form that the language does not have; empty: it has them all.
std::string unknown_word(prog::Syntax s, const Words& form);

}  // namespace fencepost::lower
