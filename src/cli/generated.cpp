#include "cli/generated.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/output.h"
#include "prog/syntax.h"

namespace fencepost::cli {

namespace fs = std::filesystem;

Expected<prog::Syntax> notation_of(std::string_view word) {
  for (prog::Syntax s : {prog::Syntax::ptx, prog::Syntax::gpu_ptx, prog::Syntax::vulkan, prog::Syntax::opencl})
    if (word == prog::name(s)) return s;
  return error_at({}, fmt::format("no tests are made in '{}'", word), "use PTX, GPU_PTX, VULKAN or OPENCL");
}

Expected<Folder> Folder::open(const std::string& path) {
  std::error_code ec;
  fs::create_directories(path, ec);
  if (ec || !fs::is_directory(path, ec))
    return error_at({}, fmt::format("'{}' is not a folder and cannot be made one", path),
                    "name a folder, or one that is not there yet");
  Folder f;
  f.path_ = path;
  return f;
}

Expected<void> Folder::write(const std::string& file, std::string_view text) const {
  return write_output((fs::path(path_) / file).string(), text);
}

}  // namespace fencepost::cli
