#include "base/folder.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

namespace fencepost {
namespace {

namespace fs = std::filesystem;

// std::filesystem's walk either stops at the first folder that it may not open or passes over it without a word, and
// goes around loops of links until a path is too long; hence our own.
class Walk {
 public:
  explicit Walk(const std::vector<std::string>& endings) : endings_(endings) {}

  void folder(const std::string& path) {
    std::vector<std::string> names;
    {
      const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(path.c_str()), closedir);
      struct stat s{};
      if (open == nullptr || fstat(dirfd(open.get()), &s) != 0) return refuse("the folder", path);
      if (!visited_.emplace(s.st_dev, s.st_ino).second) return;
      for (;;) {
        errno = 0;
        const dirent* entry = readdir(open.get());
        if (entry == nullptr) break;
        if (const std::string name = entry->d_name; name != "." && name != "..") names.push_back(name);
      }
      if (errno != 0) return refuse("the folder", path);
    }
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) entry((fs::path(path) / name).string(), name);
  }

  std::vector<std::string> found;
  Diagnostics faults;

 private:
  void entry(const std::string& path, const std::string& name) {
    const std::string ending = fs::path(name).extension().string();
    const bool wanted = std::find(endings_.begin(), endings_.end(), ending) != endings_.end();
    struct stat s{};
    if (stat(path.c_str(), &s) != 0) {
      // A link that leads nowhere, or in a circle, matters only where its name promises an input. Of other failures one
      // cannot know that no folder of inputs is behind them.
      const int why = errno;
      struct stat own{};
      const bool there = lstat(path.c_str(), &own) == 0;
      const bool nothing = why == ENOENT ? !there || S_ISLNK(own.st_mode) : why == ELOOP && there;
      errno = why;
      if (wanted || !nothing) refuse("the file", path);
    } else if (S_ISDIR(s.st_mode)) {
      folder(path);
    } else if (wanted) {
      found.push_back(path);
    }
  }
  void refuse(const char* what, const std::string& path) {
    faults.add({.message = fmt::format("{} '{}' cannot be read: {}", what, path, std::strerror(errno)),
                .hint = "nothing was decided: name the files, or a folder that can be read as a whole"});
  }

  const std::vector<std::string>& endings_;
  std::set<std::pair<dev_t, ino_t>> visited_;
};

}  // namespace

Expected<std::vector<std::string>> files_below(const std::string& folder, const std::vector<std::string>& endings) {
  Walk walk(endings);
  walk.folder(folder);
  if (!walk.faults.list.empty()) return std::unexpected(std::move(walk.faults));
  std::sort(walk.found.begin(), walk.found.end());
  return std::move(walk.found);
}

bool is_below(const std::string& path, const std::string& folder) {
  const auto whole = [](const std::string& p) {
    std::error_code failed;
    fs::path at = fs::weakly_canonical(fs::absolute(p, failed), failed);
    if (failed) return fs::path();
    return at.has_filename() ? at : at.parent_path();
  };
  const fs::path at = whole(path), home = whole(folder);
  return !at.empty() && !home.empty() &&
         std::mismatch(home.begin(), home.end(), at.begin(), at.end()).first == home.end();
}

}  // namespace fencepost
