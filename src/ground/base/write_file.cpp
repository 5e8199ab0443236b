#include "base/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace fencepost {

Written write_file(const std::string& path, std::string_view text) {
  const auto failed = [&](int code, int error, const char* hint) {
    Written out;
    out.code = code;
    out.why =
        Diagnostic{.message = fmt::format("'{}' cannot be written: {}", path, std::strerror(error)), .hint = hint};
    return out;
  };
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return failed(2, errno, "is its folder there, and may you write in it?");
  constexpr const char* k_cut = "what is there of it is cut: do not use it";
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int error = n < 0 ? errno : ENOSPC;
      close(fd);
      return failed(4, error, k_cut);
    }
    text.remove_prefix(static_cast<size_t>(n));
  }
  return close(fd) == 0 ? Written{} : failed(4, errno, k_cut);  // a full disk behind a network is told of here
}

}  // namespace fencepost
