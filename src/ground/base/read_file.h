#pragma once
// Input files as sources.
#include <string>

#include "base/diagnostic.h"

namespace fencepost {

// The text of a file, whole; "-" is standard input. The error says what the system said and is placed at the path.
Expected<SourcePtr> read_file(const std::string& path);

}  // namespace fencepost
