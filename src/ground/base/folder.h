#pragma once
// Folders as inputs. Every file below one is accounted for: a folder that cannot be opened, a name that leads nowhere
// or that is too long is an error, never a shorter list, since "all passed" is said of the list.
#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace fencepost {

// The files below `folder` that have one of the endings (".cl"), sorted by path. Symbolic links are followed, and each
// folder is visited once, by whatever way it is reached first, so that a loop ends. Things with such an ending that are
// neither file nor folder (pipes, devices) are in the list; read_file refuses them by name.
Expected<std::vector<std::string>> files_below(const std::string& folder, const std::vector<std::string>& endings);

// Does `path` lie in `folder` or below, when the symbolic links of both are followed? The end of a path may be missing.
// Relative paths: to the working directory, as for open().
bool is_below(const std::string& path, const std::string& folder);

}  // namespace fencepost
