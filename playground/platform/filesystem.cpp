// The operations of std::filesystem that Debian's C++ library for WebAssembly leaves out (its paths are there), over
// the files that the page gives to the program. Links are not followed, as there are none.
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <vector>

_LIBCPP_BEGIN_NAMESPACE_FILESYSTEM

namespace {

// Sets `ec` where somebody looks at it, or throws.
template <class Result>
Result told(error_code* ec, int error, const char* what, const path& p, Result result) {
  const error_code found(error, generic_category());
  if (ec == nullptr && error != 0) throw filesystem_error(what, p, found);
  if (ec != nullptr) *ec = found;
  return result;
}

}  // namespace

file_status __status(const path& p, error_code* ec) {
  struct stat s{};
  if (::stat(p.c_str(), &s) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) {
      if (ec != nullptr) *ec = error_code(errno, generic_category());
      return file_status(file_type::not_found);
    }
    return told(ec, errno, "status", p, file_status(file_type::none));
  }
  if (ec != nullptr) ec->clear();
  const file_type type = S_ISDIR(s.st_mode)   ? file_type::directory
                         : S_ISREG(s.st_mode) ? file_type::regular
                         : S_ISCHR(s.st_mode) ? file_type::character
                                              : file_type::unknown;
  return file_status(type, perms::all);
}
file_status __symlink_status(const path& p, error_code* ec) { return __status(p, ec); }

path __current_path(error_code* ec) {
  char buffer[4096];
  if (::getcwd(buffer, sizeof buffer) == nullptr) return told(ec, errno, "current_path", {}, path());
  return told(ec, 0, "", {}, path(buffer));
}
path __absolute(const path& p, error_code* ec) {
  if (p.is_absolute()) return told(ec, 0, "", p, p);
  return __current_path(ec) / p;
}
path __weakly_canonical(const path& p, error_code* ec) { return __absolute(p, ec).lexically_normal(); }
path __canonical(const path& p, error_code* ec) {
  struct stat s{};
  if (::stat(p.c_str(), &s) != 0) return told(ec, errno, "canonical", p, path());
  return __weakly_canonical(p, ec);
}
path __read_symlink(const path& p, error_code* ec) { return told(ec, EINVAL, "read_symlink", p, path()); }

uintmax_t __file_size(const path& p, error_code* ec) {
  struct stat s{};
  if (::stat(p.c_str(), &s) != 0) return told(ec, errno, "file_size", p, static_cast<uintmax_t>(-1));
  return told(ec, 0, "", p, static_cast<uintmax_t>(s.st_size));
}

bool __create_directory(const path& p, error_code* ec) {
  if (::mkdir(p.c_str(), 0777) == 0) return told(ec, 0, "", p, true);
  const int error = errno;
  return told(ec, error == EEXIST && is_directory(__status(p, ec)) ? 0 : error, "create_directory", p, false);
}
bool __create_directories(const path& p, error_code* ec) {
  bool made = false;
  path so_far;
  for (const path& part : p) {
    so_far /= part;
    if (part.empty() || is_directory(__status(so_far, ec))) continue;
    made = __create_directory(so_far, ec);
    if (!made) return false;
  }
  return told(ec, 0, "", p, made);
}
bool __remove(const path& p, error_code* ec) {
  if (::remove(p.c_str()) == 0) return told(ec, 0, "", p, true);
  return told(ec, errno == ENOENT ? 0 : errno, "remove", p, false);
}
void __rename(const path& from, const path& to, error_code* ec) {
  told(ec, ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno, "rename", from, 0);
}
bool __equivalent(const path& a, const path& b, error_code* ec) {
  struct stat first{}, second{};
  if (::stat(a.c_str(), &first) != 0) return told(ec, errno, "equivalent", a, false);
  if (::stat(b.c_str(), &second) != 0) return told(ec, errno, "equivalent", b, false);
  return told(ec, 0, "", a, first.st_dev == second.st_dev && first.st_ino == second.st_ino);
}

error_code directory_entry::__do_refresh() noexcept {
  error_code failed;
  __data_.__reset();
  __status(__p_, &failed);
  return failed;
}

// The names of a folder, read at once.
class __dir_stream {
 public:
  vector<directory_entry> entries;
  size_t at = 0;
};

directory_iterator::directory_iterator(const path& p, error_code* ec, directory_options) {
  DIR* open = ::opendir(p.c_str());
  if (open == nullptr) {
    told(ec, errno, "directory_iterator", p, 0);
    return;
  }
  auto stream = make_shared<__dir_stream>();
  while (const dirent* e = ::readdir(open))
    if (const string name = e->d_name; name != "." && name != "..") stream->entries.emplace_back(p / name);
  ::closedir(open);
  told(ec, 0, "", p, 0);
  if (!stream->entries.empty()) __imp_ = stream;
}
directory_iterator& directory_iterator::__increment(error_code* ec) {
  if (ec != nullptr) ec->clear();
  if (++__imp_->at == __imp_->entries.size()) __imp_.reset();
  return *this;
}
const directory_entry& directory_iterator::__dereference() const { return __imp_->entries[__imp_->at]; }

_LIBCPP_END_NAMESPACE_FILESYSTEM

// Streams of files, which that library leaves out too.
_LIBCPP_BEGIN_NAMESPACE_STD
template class basic_filebuf<char>;
template class basic_ifstream<char>;
template class basic_ofstream<char>;
_LIBCPP_END_NAMESPACE_STD
