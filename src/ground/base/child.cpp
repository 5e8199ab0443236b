#include "base/child.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

extern char** environ;

namespace fencepost {
namespace {
namespace fs = std::filesystem;
}  // namespace

ScratchFolder::ScratchFolder() {
  const char* tmp = std::getenv("TMPDIR");
  std::string pattern = std::string(tmp != nullptr && *tmp != 0 ? tmp : "/tmp") + "/fencepost-XXXXXX";
  if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

ChildResult run_child(const std::vector<std::string>& arguments, const std::string& output_file, std::chrono::seconds limit) {
  ChildResult out;
  std::vector<char*> argv;
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, output_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  posix_spawnattr_t attributes;  // a process group of its own, to be killed as a whole
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t child = 0;
  out.started = posix_spawn(&child, argv[0], &files, &attributes, argv.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (!out.started) return out;
  const auto end = std::chrono::steady_clock::now() + limit;
  int status = 0;
  for (std::chrono::milliseconds pause(1);; pause = std::min(pause * 2, std::chrono::milliseconds(20))) {
    const pid_t done = waitpid(child, &status, WNOHANG);
    if (done == child) break;
    if (done < 0) {  // somebody else has collected it
      out.started = false;
      return out;
    }
    if (std::chrono::steady_clock::now() > end) {
      kill(-child, SIGKILL);
      waitpid(child, &status, 0);
      out.timed_out = true;
      break;
    }
    std::this_thread::sleep_for(pause);
  }
  out.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::ifstream said(output_file);
  std::ostringstream text;
  text << said.rdbuf();
  out.output = text.str();
  return out;
}

std::string find_program(const std::string& name, const std::vector<std::string>& folders) {
  std::vector<std::string> all;
  const char* path = std::getenv("PATH");
  std::istringstream parts(path != nullptr ? path : "");
  for (std::string folder; std::getline(parts, folder, ':');)
    if (!folder.empty()) all.push_back(folder);
  all.insert(all.end(), folders.begin(), folders.end());
  for (const std::string& folder : all) {
    const std::string file = folder + "/" + name;
    std::error_code failed;
    if (fs::is_regular_file(file, failed) && access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

}  // namespace fencepost
