#include "device/cuda/assembler.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

extern char** environ;

namespace fencepost::device::cuda {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// Exit status, or -1. Both outputs go to `log`.
int run(const std::vector<std::string>& words, const fs::path& log) {
  std::vector<char*> argv;
  for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  pid_t child = 0;
  const int failed = posix_spawn(&child, argv[0], &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class Folder {
 public:
  Folder() {
    const char* base = std::getenv("TMPDIR");
    std::string name = std::string(base != nullptr && *base != 0 ? base : "/tmp") + "/fencepost-XXXXXX";
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string on_path() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = folder + "/ptxas";
    if (!folder.empty() && access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  const char* usual = "/usr/local/cuda/bin/ptxas";
  return access(usual, X_OK) == 0 ? usual : "";
}

}  // namespace

std::optional<Assembler> find_assembler() {
  Assembler out;
  if (const char* given = std::getenv("FENCEPOST_PTXAS"))
    out.program = given;
  else
    out.program = on_path();
  if (out.program.empty() || access(out.program.c_str(), X_OK) != 0) return std::nullopt;
  const Folder folder;
  if (folder.path().empty() || run({out.program, "--version"}, folder.path() / "log") != 0) return std::nullopt;
  const std::string text = text_of(folder.path() / "log");
  const size_t at = text.find(", V");
  out.version =
      at == std::string::npos ? "unknown version" : text.substr(at + 2, text.find_first_of(" \n", at + 2) - at - 2);
  return out;
}

Assembled assemble(const Assembler& a, const std::string& ptx, uint32_t sm, const std::string& options) {
  const Folder folder;
  if (folder.path().empty()) return {{}, "no temporary folder can be made"};
  const fs::path in = folder.path() / "kernel.ptx", out = folder.path() / "kernel.cubin", log = folder.path() / "log";
  std::ofstream(in, std::ios::binary) << ptx;
  std::vector<std::string> words = {a.program, "-arch=sm_" + std::to_string(sm), "-lineinfo"};
  if (!options.empty()) words.push_back(options);
  words.insert(words.end(), {in.string(), "-o", out.string()});
  const int status = run(words, log);
  Assembled result;
  result.message = text_of(log);
  if (status == 0) result.cubin = text_of(out);
  if (status != 0 && result.message.empty()) result.message = a.program + " failed without a word";
  return result;
}

}  // namespace fencepost::device::cuda
