// The parent's half of the cage (cage.h): it answers the opens of the process that reads the input, and reads no input
// itself. A name is opened first and judged by where the open file lies after all links, so that nothing can be put in
// its place between the look and the open. Why an open failed is told only if nothing on the way leads outside: else
// the difference between "no such file" and "not allowed" would tell what is there.
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "cage/cage.h"
#include "cage/wire.h"

namespace fencepost::cage {
namespace {

namespace fs = std::filesystem;

constexpr size_t k_most_refused = 16;

class File {  // an open one
 public:
  explicit File(int fd) : fd(fd) {}
  ~File() {
    if (fd >= 0) ::close(fd);
  }
  File(File&& o) noexcept : fd(std::exchange(o.fd, -1)) {}
  File& operator=(File&& o) noexcept {
    std::swap(fd, o.fd);
    return *this;
  }
  int fd;
};

// Where an open file lies, after all links; "" where nobody knows.
std::string real_path(int fd) {
  std::array<char, k_longest_path> to{};
  const ssize_t n = ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), to.data(), to.size());
  if (n <= 0 || n == static_cast<ssize_t>(to.size()) || to[0] != '/') return "";
  return {to.data(), static_cast<size_t>(n)};
}

bool at_or_below(const std::string& path, const std::string& place) {
  return !place.empty() && path.starts_with(place) && (path.size() == place.size() || path[place.size()] == '/');
}

std::string lexical(const fs::path& path) {
  std::string out = path.lexically_normal().string();
  while (out.size() > 1 && out.ends_with('/')) out.pop_back();
  return out;
}

}  // namespace

struct Broker::Answer {
  int error = 0;
  File file{-1};
  struct stat status{};
  std::string link;
};

void Broker::add(std::vector<Place>& to, const std::string& path, bool counted) const {
  std::error_code ignored;
  const fs::path named = fs::absolute(path, ignored);
  // Of an output that is not there yet, the folder is.
  fs::path real = fs::canonical(named, ignored);
  if (ignored) real = fs::weakly_canonical(named, ignored);
  if (ignored || named.empty()) return;
  to.push_back({lexical(named), lexical(real), counted});
}

Broker::Broker(const Rules& rules, int socket) : most_input_(rules.most_input), socket_(socket) {
  for (const std::string& p : rules.own) own_.push_back(absolute(AT_FDCWD, p));
  for (const std::string& p : rules.read) add(read_, p, true);
  for (const std::string& p : rules.bundled) add(read_, p, false);
  for (const std::string& p : rules.write) {
    std::error_code ignored;
    const fs::path named = fs::absolute(p, ignored);
    // A link in the place of the output itself is not followed.
    const fs::path folder = fs::weakly_canonical(named.parent_path(), ignored);
    if (!ignored) write_.push_back({lexical(named), lexical(folder / named.filename()), false});
  }
}

const Broker::Place* Broker::below(const std::vector<Place>& places, const std::string& path, bool real) {
  const Place* best = nullptr;  // the bundled ones may lie below an input's folder, or the other way round
  for (const Place& p : places)
    if (at_or_below(path, real ? p.real : p.named) && (best == nullptr || !p.counted)) best = &p;
  return best;
}

// Whether the path is that of a folder on the way to a place: what walks down to one looks at each.
bool Broker::leads_to_a_place(const std::string& path) const {
  const auto leads = [&](const Place& p) {
    return path == "/" || at_or_below(p.named, path) || at_or_below(p.real, path);
  };
  return std::any_of(read_.begin(), read_.end(), leads) || std::any_of(write_.begin(), write_.end(), leads);
}

std::string Broker::absolute(int folder, const std::string& path) const {
  if (path.starts_with('/')) return lexical(path);
  std::error_code ignored;
  const std::string from = folder == AT_FDCWD ? fs::current_path(ignored).string() : real_path(folder);
  return from.empty() ? "" : lexical(fs::path(from) / path);
}

int Broker::outside(int folder, const std::string& path) {
  // Clang looks at the working directory whatever it compiles. No text of an input is asked for by this name.
  if (folder == AT_FDCWD && path == ".") return EACCES;
  const std::string named = absolute(folder, path);
  if (std::any_of(own_.begin(), own_.end(), [&](const std::string& p) { return at_or_below(named, p); })) return EACCES;
  if (refused_.size() < k_most_refused && std::find(refused_.begin(), refused_.end(), path) == refused_.end())
    refused_.push_back(path);
  return EACCES;
}

// Why an open failed may be told if nothing on the way to the name leads outside: what is behind a link of the input's
// would otherwise be told by the difference.
bool Broker::may_be_told(int folder, const std::string& path) const {
  std::string at = path;
  for (bool whole = true;; whole = false) {
    const File found(::openat(folder, at.c_str(), O_PATH | O_CLOEXEC | (whole ? O_NOFOLLOW : 0)));
    if (found.fd >= 0) {
      struct stat s{};
      if (::fstat(found.fd, &s) != 0 || S_ISLNK(s.st_mode)) return false;
      const std::string real = real_path(found.fd);
      return below(read_, real, true) != nullptr || below(write_, real, true) != nullptr;
    }
    while (at.size() > 1 && at.ends_with('/')) at.pop_back();
    const size_t slash = at.rfind('/');
    if (at == "." || at == "/") return false;
    at = slash == std::string::npos ? "." : slash == 0 ? "/" : at.substr(0, slash);
  }
}

Broker::Answer Broker::open_to_read(int folder, const std::string& path, int flags) {
  Answer out;
  File found(::openat(folder, path.c_str(), O_PATH | O_CLOEXEC | (flags & (O_NOFOLLOW | O_DIRECTORY))));
  if (found.fd < 0) {
    out.error = errno;
    if (!may_be_told(folder, path)) out.error = outside(folder, path);
    return out;
  }
  const std::string real = real_path(found.fd);
  const Place* place = below(read_, real, true);
  const bool own = below(write_, real, true) != nullptr;
  struct stat s{};
  if ((place == nullptr && !own) || ::fstat(found.fd, &s) != 0) {
    out.error = outside(folder, path);
    return out;
  }
  if (!S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode)) {
    out.error = ENXIO;
    return out;
  }
  if (S_ISREG(s.st_mode) && place != nullptr && place->counted && counted_.emplace(s.st_dev, s.st_ino).second) {
    input_ += static_cast<uint64_t>(s.st_size);
    if (input_ > most_input_) {
      too_large_ = true;
      counted_.erase({s.st_dev, s.st_ino});
      input_ -= static_cast<uint64_t>(s.st_size);
      out.error = EFBIG;
      return out;
    }
  }
  out.file = File(::open(("/proc/self/fd/" + std::to_string(found.fd)).c_str(),
                         O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (flags & O_DIRECTORY)));
  if (out.file.fd < 0) out.error = errno;
  return out;
}

int Broker::folder_of_output(int folder, const std::string& path, bool below_only, std::string& last, int& error) {
  error = 0;
  std::string text = path;
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  const size_t slash = text.rfind('/');
  last = slash == std::string::npos ? text : text.substr(slash + 1);
  const std::string parent = slash == std::string::npos ? "." : slash == 0 ? "/" : text.substr(0, slash);
  if (last.empty() || last == "." || last == "..") {
    error = outside(folder, path);
    return -1;
  }
  File at(::openat(folder, parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const std::string real = at.fd < 0 ? "" : real_path(at.fd);
  const std::string whole = real == "/" ? "/" + last : real + "/" + last;
  const Place* place = real.empty() ? nullptr : below(write_, whole, true);
  if (place == nullptr || (below_only && place->real == whole)) {
    error = outside(folder, path);
    return -1;
  }
  return std::exchange(at.fd, -1);
}

Broker::Answer Broker::open_to_write(int folder, const std::string& path, int flags, mode_t mode) {
  Answer out;
  std::string last;
  const File at(folder_of_output(folder, path, false, last, out.error));
  if (at.fd < 0) return out;
  constexpr int k_flags = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | O_EXCL;
  File made(::openat(at.fd, last.c_str(), (flags & k_flags & ~O_TRUNC) | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
                     mode & 0666));
  struct stat s{};
  if (made.fd < 0 || ::fstat(made.fd, &s) != 0) {
    out.error = errno;
  } else if (!S_ISREG(s.st_mode)) {
    out.error = ENXIO;
  } else if ((flags & O_TRUNC) != 0 && ::ftruncate(made.fd, 0) != 0) {
    out.error = errno;
  } else {
    out.file = std::move(made);
  }
  return out;
}

Broker::Answer Broker::look(int folder, const std::string& path, int flags, bool link) {
  Answer out;
  const std::string named = absolute(folder, path);
  const bool on_the_way = leads_to_a_place(named);
  const File found(::openat(folder, path.c_str(), O_PATH | O_CLOEXEC | (flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0)));
  if (found.fd < 0) {
    out.error = errno;
    if (!on_the_way && !may_be_told(folder, path)) {
      outside(folder, path);
      out.error = ENOENT;
    }
    return out;
  }
  const std::string real = real_path(found.fd);
  if ((below(read_, real, true) == nullptr && below(write_, real, true) == nullptr && !on_the_way &&
       !leads_to_a_place(real)) ||
      ::fstat(found.fd, &out.status) != 0) {
    outside(folder, path);
    out.error = ENOENT;
    return out;
  }
  if (!link) return out;
  if (!S_ISLNK(out.status.st_mode)) {
    out.error = EINVAL;
    return out;
  }
  std::array<char, k_longest_path> to{};
  const ssize_t n = ::readlinkat(found.fd, "", to.data(), to.size());
  if (n < 0)
    out.error = errno;
  else
    out.link.assign(to.data(), static_cast<size_t>(n));
  return out;
}

Broker::Answer Broker::change(int folder, const std::string& path, int flags, mode_t mode, bool make) {
  Answer out;
  std::string last;
  if (make)  // folders on the way are there: what makes them asks for each
    if (Answer there = look(folder, path, 0, false); there.error == 0) {
      out.error = EEXIST;
      return out;
    }
  const File at(folder_of_output(folder, path, !make, last, out.error));
  if (at.fd < 0) return out;
  const int done =
      make ? ::mkdirat(at.fd, last.c_str(), mode & 0777) : ::unlinkat(at.fd, last.c_str(), flags & AT_REMOVEDIR);
  if (done != 0) out.error = errno;
  return out;
}

bool Broker::answer() {
  const auto asked = std::make_unique<Asked>();
  int came = -1;
  if (!receive_message(socket_, asked.get(), sizeof *asked, came)) return false;
  const File start(came);
  const std::string path(asked->path, strnlen(asked->path, k_longest_path));
  const int folder = asked->has_folder != 0 && came >= 0 ? came : AT_FDCWD;
  Answer a;
  if (path.empty()) {
    a.error = ENOENT;
  } else {
    switch (asked->call) {
      case Call::open:
        // O_TMPFILE and O_PATH are no ways around the rules.
        if ((asked->flags & O_ACCMODE) == O_RDONLY && (asked->flags & (O_CREAT | O_TRUNC)) == 0)
          a = open_to_read(folder, path, asked->flags);
        else if ((asked->flags & O_TMPFILE) == O_TMPFILE)
          a.error = EOPNOTSUPP;
        else
          a = open_to_write(folder, path, asked->flags, asked->mode);
        break;
      case Call::status:
        a = look(folder, path, asked->flags, false);
        break;
      case Call::read_link:
        a = look(folder, path, AT_SYMLINK_NOFOLLOW, true);
        break;
      case Call::access:
        a = look(folder, path, 0, false);
        if (a.error == 0 && (asked->flags & (W_OK | X_OK)) != 0) a.error = EACCES;
        break;
      case Call::make_folder:
        a = change(folder, path, 0, asked->mode, true);
        break;
      case Call::remove:
        a = change(folder, path, asked->flags, 0, false);
        break;
      default:
        a.error = ENOSYS;
    }
  }
  const auto said = std::make_unique<Said>();
  std::memset(said.get(), 0, sizeof *said);
  said->error = a.error;
  said->has_file = a.file.fd >= 0 ? 1 : 0;
  said->status = a.status;
  said->size = static_cast<uint32_t>(a.link.size());
  std::memcpy(said->link, a.link.data(), a.link.size());
  return send_message(socket_, said.get(), sizeof *said, a.file.fd);
}

}  // namespace fencepost::cage
