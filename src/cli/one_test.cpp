#include "cli/one_test.h"

#include <fmt/format.h>

#include <filesystem>

#include "front/litmus.h"

namespace fencepost::cli {

Expected<std::vector<prog::Test>> tests_of(const std::string& path) {
  std::error_code failed;
  if (path != "-" && std::filesystem::is_directory(path, failed))
    return error_at({}, fmt::format("'{}' is a folder, and this verb takes one test", path), "name a file in it");
  return front::parse_file(path);
}

Expected<prog::Test> one_test(const std::string& path) {
  auto tests = tests_of(path);
  if (!tests) return std::unexpected(tests.error());
  if (tests->size() != 1)
    return error_at({}, fmt::format("'{}' holds {} tests, and this verb takes one", path, tests->size()));
  return std::move(tests->front());
}

}  // namespace fencepost::cli
