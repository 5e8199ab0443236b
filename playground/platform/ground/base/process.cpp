// base/process.h where there is one process and no signal: the page drops the files with the instance.
#include "base/process.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

namespace fencepost {
namespace {

int folders = 0;

}  // namespace

void clean_up_at_signals() {}
void give_up_without_memory() {}
void name_scratch() {}
void end_with_parent(pid_t, int) {}
void charge(pid_t, bool) {}
void discharge(pid_t) {}

std::string new_scratch_folder() {
  ::mkdir("/tmp", 0700);
  const std::string path = "/tmp/" + std::to_string(++folders);
  return ::mkdir(path.c_str(), 0700) == 0 ? path : "";
}

bool remove_tree(const char* path) {
  DIR* open = ::opendir(path);
  if (open == nullptr) return ::unlink(path) == 0;
  std::vector<std::string> names;
  while (const dirent* e = ::readdir(open))
    if (const std::string name = e->d_name; name != "." && name != "..") names.push_back(name);
  ::closedir(open);
  for (const std::string& name : names) remove_tree((std::string(path) + "/" + name).c_str());
  return ::rmdir(path) == 0;
}

}  // namespace fencepost
