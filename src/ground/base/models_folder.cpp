#include "base/models_folder.h"

#include <cstdlib>
#include <filesystem>

namespace fencepost {

std::string models_folder() {
  namespace fs = std::filesystem;
  if (const char* set = std::getenv("FENCEPOST_MODELS"); set != nullptr && *set != '\0') return set;
  std::error_code ec;
  const fs::path program = fs::read_symlink("/proc/self/exe", ec);
  if (ec) return "models";
  const fs::path installed = program.parent_path().parent_path() / "share" / "fencepost" / "models";
  if (fs::is_directory(installed, ec)) return installed.string();
  // The program lies in the build folder, and tests up to two folders below it.
  fs::path folder = program.parent_path();
  for (int up = 0; up < 3; ++up, folder = folder.parent_path()) {
    const fs::path source = (folder / FENCEPOST_MODELS_FROM_BUILD).lexically_normal();
    if (fs::is_regular_file(source / "prelude-ptx.cat", ec)) return source.string();
  }
  return installed.string();
}

}  // namespace fencepost
