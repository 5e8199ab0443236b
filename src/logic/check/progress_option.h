#pragma once
// What a scheduler promises, as a person writes it: one model for every level ("HSA_OBE", a .progress file), or a model
// per level, "QF=OBE,SG=HSA": the name of a scope level stands for the choice among the children of a group of that
// level (SG: among the threads of a subgroup), ROOT for the choice among the widest groups, DEFAULT for all that are
// not named. Levels that nobody names are FAIR.
#include <string>

#include "base/diagnostic.h"
#include "reference/progress.h"
#include "vocab/vocab.h"

namespace fencepost::check {

// Errors: an unknown model or level (with the nearest one), a model with variables of its own (unsupported here).
Expected<reference::Progress> parse_progress(const std::string& text, vocab::Dialect dialect);

}  // namespace fencepost::check
