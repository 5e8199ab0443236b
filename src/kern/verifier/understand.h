#pragma once
// Internal to the room: a file as kernels, by the front end. Macros that the text lacks and a makefile beside it gives
// are taken from there, and said.
#include <vector>

#include "clangfe/clangfe.h"
#include "launch/options.h"
#include "verifier/makefile.h"

namespace fencepost::verifier {

// The file as kernels and what became of each; `o` gets the macros that were taken. Errors: there is not even that.
Expected<clangfe::Unit> understand(const SourcePtr& file, launch::Options& o, std::vector<BuildMacro>& taken);
// Why no kernel was read, where there are some or where none was found behind errors.
Diagnostics nothing_read(const clangfe::Unit& unit);
// A warning, and what a proof assumes.
Diagnostic taken_from_build(const BuildMacro& m);
std::string assumption(const BuildMacro& m);

}  // namespace fencepost::verifier
