#pragma once
// Input files as sources; the one place where inputs are opened.
#include <cstdint>
#include <string>

#include "base/diagnostic.h"

namespace fencepost {

// No input of ours is larger; a machine's memory may be.
inline constexpr uint64_t k_most_input = uint64_t{64} << 20;

// The text of a file, whole; "-" is standard input, whatever that is. The error says what is wrong and is placed at the
// path. Refused: folders, pipes and devices (which may never end, or do something when they are read), and more than
// `most` bytes.
Expected<SourcePtr> read_file(const std::string& path, uint64_t most = k_most_input);

// For inputs that a library reads by its name, as SQLite does: the same refusals, without a limit of size.
Expected<void> can_be_read(const std::string& path);

}  // namespace fencepost
