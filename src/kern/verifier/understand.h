#pragma once
// Internal to the room: a file as kernels, by the front end. Macros that the text lacks and a makefile beside it gives
// are taken from there, and said. A file that lacks names and that one source file beside it includes is read as a part
// of that, which is said, too.
#include <string>
#include <vector>

#include "clangfe/clangfe.h"
#include "launch/options.h"
#include "verifier/makefile.h"

namespace fencepost::verifier {

struct Beside {
  std::vector<BuildMacro> macros;
  std::string includer;  // "" where the file is read by itself
};

// The file as kernels and what became of each, without those of other files; `o` gets the macros that were taken.
// Errors: there is not even that.
Expected<clangfe::Unit> understand(const SourcePtr& file, launch::Options& o, Beside& taken);
// Why kernels were not read, each reason once.
Diagnostics reasons(const clangfe::Unit& unit);
// Why no kernel was read, where there are some or where none was found behind errors.
Diagnostics nothing_read(const clangfe::Unit& unit);
// A warning, and what a proof assumes.
Diagnostic taken_from_build(const BuildMacro& m);
Diagnostic read_as_part(const std::string& includer);
std::vector<std::string> assumptions(const Beside& taken);
std::string assumption(const BuildMacro& m);

}  // namespace fencepost::verifier
