#include "launch/toolkit.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "base/read_file.h"

namespace fencepost::launch {
namespace {

// With the headers of 13 clang 19 stops in math_functions.hpp; before 9.0 launches are made in another way.
constexpr uint32_t k_oldest = 9000, k_newest = 12090;

std::unexpected<Diagnostics> wrong(std::string message, std::string hint) {
  return error_at({}, "--cuda-path: " + std::move(message), std::move(hint));
}

Expected<std::string> from(const Environment& environment) {
  std::string folder, name;
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"}) {
    std::string value = environment(variable);
    while (value.size() > 1 && value.ends_with('/')) value.pop_back();
    if (value.empty()) continue;
    if (!folder.empty() && folder != value)
      return wrong(fmt::format("{} is '{}', and {} is '{}'", name, folder, variable, value),
                   "give the folder itself: --cuda-path=DIR");
    if (folder.empty()) {
      folder = value;
      name = variable;
    }
  }
  if (folder.empty())
    return wrong("none of CUDA_PATH, CUDA_HOME and CUDA_ROOT is set", "give the folder itself: --cuda-path=DIR");
  return folder;
}

// The number in `#define CUDA_VERSION 12090`; 0: there is none.
uint32_t version_in(const std::string& text) {
  constexpr std::string_view words = "#define CUDA_VERSION ";
  const size_t at = text.find(words);
  if (at == std::string::npos) return 0;
  const size_t digits = text.find_first_not_of(' ', at + words.size());
  uint32_t version = 0;
  if (digits != std::string::npos) std::from_chars(text.data() + digits, text.data() + text.size(), version);
  return version;
}

}  // namespace

Environment process_environment() {
  return [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
}

std::string version_name(uint32_t version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

Expected<Toolkit> find_toolkit(const std::string& given, const Environment& environment) {
  Toolkit out{.folder = given};
  if (given == "env") {
    auto folder = from(environment);
    if (!folder) return std::unexpected(std::move(folder.error()));
    out.folder = std::move(*folder);
  }
  namespace fs = std::filesystem;
  std::error_code failed;
  if (!fs::is_directory(out.folder, failed))
    return wrong(fmt::format("'{}' is not a folder", out.folder),
                 "the folder of a CUDA toolkit, as /usr/local/cuda-12.9; it holds include/cuda_runtime.h");
  for (const char* header : {"cuda.h", "cuda_runtime.h"})
    if (const fs::path path = fs::path(out.folder) / "include" / header; !fs::is_regular_file(path, failed))
      return wrong(fmt::format("'{}' holds no include/{}", out.folder, header),
                   out.folder.ends_with("/include") ? "give the folder that holds 'include'"
                                                    : "the folder of a CUDA toolkit, as /usr/local/cuda-12.9");
  const auto text = read_file((fs::path(out.folder) / "include" / "cuda.h").string());
  if (!text) return std::unexpected(text.error());
  out.version = version_in((*text)->text);
  if (out.version == 0)
    return wrong(fmt::format("'{}/include/cuda.h' does not say its CUDA_VERSION", out.folder),
                 "is this the header of a CUDA toolkit?");
  if (out.version < k_oldest || out.version > k_newest)
    return wrong(fmt::format("the headers in '{}' are those of CUDA {}", out.folder, version_name(out.version)),
                 fmt::format("clang 19 takes those of {} to {}", version_name(k_oldest), version_name(k_newest)));
  return out;
}

}  // namespace fencepost::launch
