#include "base/read_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace fencepost {

Expected<SourcePtr> read_file(const std::string& path) {
  const bool standard_input = path == "-";
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(standard_input ? stdin : std::fopen(path.c_str(), "rb"),
                                                       standard_input ? [](std::FILE*) { return 0; } : std::fclose);
  const auto refuse = [&](int error) {
    return error_at(Span{make_source(path, ""), 0, 0}, fmt::format("cannot read {}: {}", path, std::strerror(error)),
                    "check the path and its permissions");
  };
  if (file == nullptr) return refuse(errno);
  std::string text;
  char buffer[1 << 16];
  while (const size_t n = std::fread(buffer, 1, sizeof buffer, file.get())) text.append(buffer, n);
  if (std::ferror(file.get()) != 0) return refuse(errno);
  return make_source(path, std::move(text));
}

}  // namespace fencepost
