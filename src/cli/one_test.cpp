#include "cli/one_test.h"

#include <fmt/format.h>

#include <filesystem>

#include "prog/test.h"
#include "read/read.h"

namespace fencepost::cli {

Expected<std::vector<prog::Test>> tests_of(const std::string& path, const spirv::LaunchOptions& launch) {
  std::error_code failed;
  if (path != "-" && std::filesystem::is_directory(path, failed))
    return error_at({}, fmt::format("'{}' is a folder, and this verb takes one test", path), "name a file in it");
  return read::parse_file(path, launch);
}

Expected<prog::Test> one_test(const std::string& path, const spirv::LaunchOptions& launch) {
  auto tests = tests_of(path, launch);
  if (!tests) return std::unexpected(tests.error());
  if (tests->size() != 1)
    return error_at({}, fmt::format("'{}' holds {} tests, and this verb takes one", path, tests->size()));
  return std::move(tests->front());
}

}  // namespace fencepost::cli
