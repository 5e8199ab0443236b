#pragma once
// Models that ship with the program, compiled when the program is built. Reading and compiling a model takes half of
// the time of `check` on a small litmus test; the nodes alone take a twentieth of that.
//
// A compiled model stands for its texts: it is used where the files in the models' folder are, byte for byte, those
// that it was made from, and otherwise the files are read as any others. Places in the texts (Span) are kept.
//
// The bytes are for the program that they are linked into, and are no format: numbers of enumerators are in them.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cat/model.h"

namespace fencepost::cat {

// What `pack` has made of the shipped models; empty in the program that makes it. Generated (links.cmake).
std::string_view compiled_models();

// The bytes of all shipped models that consist of their own file and a prelude. For `pack`.
std::string compile_shipped_models();

// The model in the file at `path`, as load_file() would give it, if it is among compiled_models() and its files are
// unchanged. `dialect`: for models whose file names none.
std::optional<Model> compiled_model(const std::string& path, vocab::Dialect dialect);

}  // namespace fencepost::cat
