#pragma once
// Files as outputs. An answer that did not reach its file whole is no answer: opening, every write and closing are
// checked.
#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace fencepost {

struct Written {
  int code = 0;     // of the process: 0 it is there, 2 the path cannot be opened for writing, 4 the text is lost or cut
  Diagnostics why;  // empty if it is there
  explicit operator bool() const { return code == 0; }
};

// An older file of this name is replaced.
Written write_file(const std::string& path, std::string_view text);

}  // namespace fencepost
