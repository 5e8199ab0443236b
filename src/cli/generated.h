#pragma once
// What the verbs gen and suite share: files of a folder of generated tests.
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.h"
#include "base/diagnostic.h"
#include "prog/names.h"

namespace fencepost::cli {

Expected<prog::Syntax> notation_of(std::string_view word);  // "ptx", "gpu_ptx", "vulkan", "opencl"

// A folder that is made when missing; files in it are overwritten.
class Folder {
 public:
  static Expected<Folder> open(const std::string& path);
  Expected<void> write(const std::string& file, std::string_view text) const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace fencepost::cli
