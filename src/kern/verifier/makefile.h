#pragma once
// Macros that a file needs and the build gives: what `-DNAME=VALUE` of a makefile beside the file says, or of one in
// the folder above. A makefile is read as text: variables with one value, no conditions, no functions. Where it says
// several values of a name, or one that is no plain word, it says none here; nor where a file that it includes has the
// name, or cannot be read.
#include <optional>
#include <string>
#include <vector>

namespace fencepost::verifier {

struct BuildMacro {
  std::string name, value;
  std::string place;  // "Makefile:21", with the folder as the file's name has it
  friend bool operator==(const BuildMacro&, const BuildMacro&) = default;
};

// Of the text of a makefile.
std::optional<BuildMacro> macro_of(const std::string& text, const std::string& path, const std::string& name);
// Of the makefiles of a source file.
std::optional<BuildMacro> macro_beside(const std::string& source, const std::string& name);

}  // namespace fencepost::verifier
