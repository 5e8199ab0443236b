#include "base/read_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace fencepost {
namespace {

std::unexpected<Diagnostics> refuse(const std::string& path, const std::string& why, std::string hint) {
  return error_at(Span{make_source(path, ""), 0, 0}, fmt::format("cannot read {}: {}", path, why), std::move(hint));
}
std::unexpected<Diagnostics> refuse(const std::string& path, int error) {
  return refuse(path, std::strerror(error), "check the path and its permissions");
}

class Open {
 public:
  // Without O_NONBLOCK, opening a pipe that nobody writes to waits for ever, before anybody can say that it is a pipe.
  explicit Open(const std::string& path)
      : own_(path != "-"), fd(own_ ? open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : STDIN_FILENO) {}
  ~Open() {
    if (own_ && fd >= 0) close(fd);
  }
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;

 private:
  bool own_;

 public:
  const int fd;
};

Expected<void> is_file(const std::string& path, int fd) {
  struct stat s{};
  if (fd < 0 || fstat(fd, &s) != 0) return refuse(path, errno);
  if (S_ISREG(s.st_mode)) return {};
  if (S_ISDIR(s.st_mode)) return refuse(path, "it is a folder", "name the files in it");
  return refuse(path, S_ISFIFO(s.st_mode) ? "it is a pipe" : "it is a device", "inputs are files; - is standard input");
}

}  // namespace

Expected<SourcePtr> read_file(const std::string& path, uint64_t most) {
  const Open file(path);
  if (path != "-")
    if (auto ok = is_file(path, file.fd); !ok) return std::unexpected(ok.error());
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = read(file.fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return refuse(path, errno);
    if (n == 0) break;
    text.append(buffer, static_cast<size_t>(n));
    if (text.size() > most)
      return refuse(path, fmt::format("it is larger than {} MiB", most >> 20), "no input of this kind is so large");
  }
  return make_source(path, std::move(text));
}

Expected<void> can_be_read(const std::string& path) {
  const Open file(path);
  return is_file(path, file.fd);
}

}  // namespace fencepost
