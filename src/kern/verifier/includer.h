#pragma once
// The source file beside a file that includes it: what is written to be included has names that stand there.
#include <optional>
#include <string>

namespace fencepost::verifier {

// The path of the only .cu, .cpp, .cc or .cxx file of the same folder that includes `source` with "..."; nothing where
// there is none, or several.
std::optional<std::string> includer_of(const std::string& source);

}  // namespace fencepost::verifier
