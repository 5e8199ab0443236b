#include "base/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <thread>

#include "base/process.h"

extern char** environ;

namespace fencepost {
namespace {

bool no_programs = false;
namespace fs = std::filesystem;

constexpr size_t k_most_output = size_t{1} << 22;   // bytes of a program's output that are read
constexpr rlim_t k_most_written = rlim_t{1} << 30;  // bytes of one file that it writes
constexpr int k_no_program = 127;                   // the shell's number for a program that cannot be started

// What the children need, made before the fork: between fork and exec nothing may allocate.
struct Words {
  std::vector<std::string> environment;
  std::vector<char*> argv, envp;

  Words(const std::vector<std::string>& arguments, const std::string& folder) {
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    for (char** e = environ; e != nullptr && *e != nullptr; ++e) {
      const std::string_view variable(*e);
      if (variable.starts_with(std::string(k_scratch_variable) + "=")) continue;
      if (!folder.empty() && variable.starts_with("TMPDIR=")) continue;
      environment.emplace_back(variable);
    }
    if (!folder.empty()) environment.push_back("TMPDIR=" + folder);
    for (std::string& e : environment) envp.push_back(e.data());
    envp.push_back(nullptr);
  }
};

[[noreturn]] void become_program(const Words& w, const char* output_file, const sigset_t& mask) {
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  const int in = ::open("/dev/null", O_RDONLY), out = ::open(output_file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (in < 0 || out < 0 || ::dup2(in, 0) < 0 || ::dup2(out, 1) < 0 || ::dup2(out, 2) < 0) ::_exit(k_no_program);
  const rlimit written{k_most_written, k_most_written}, no_core{0, 0};
  ::setrlimit(RLIMIT_FSIZE, &written);
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::close_range(3, ~0u, 0);
  ::execve(w.argv[0], w.argv.data(), w.envp.data());
  ::_exit(k_no_program);
}

// Leads the group of the program, and ends it when the parent ends.
[[noreturn]] void guard(const Words& w, const char* output_file, pid_t parent, const sigset_t& mask) {
  ::setpgid(0, 0);
  sigset_t heard;
  sigemptyset(&heard);
  sigaddset(&heard, SIGCHLD);
  sigaddset(&heard, SIGTERM);
  ::sigprocmask(SIG_SETMASK, &heard, nullptr);  // SIGTERM of the parent's end is waited for below
  end_with_parent(parent, SIGTERM);
  const pid_t self = ::getpid();
  const pid_t program = ::fork();
  if (program == 0) {
    end_with_parent(self, SIGKILL);
    become_program(w, output_file, mask);
  }
  // A pipe or a lock of the parent's must not stay open through this process.
  ::close_range(0, ~0u, 0);
  while (true) {
    int status = 0;
    if (program < 0 || ::waitpid(program, &status, WNOHANG) == program) {
      if (program < 0) ::_exit(k_no_program);
      ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    }
    siginfo_t what;
    if (::sigwaitinfo(&heard, &what) == SIGTERM) ::kill(0, SIGKILL);
  }
}

}  // namespace

ScratchFolder::ScratchFolder() : path_(new_scratch_folder()) {}

ScratchFolder::~ScratchFolder() {
  if (!path_.empty()) remove_tree(path_.c_str());
}

ChildResult run_child(const std::vector<std::string>& arguments, const std::string& output_file,
                      std::chrono::seconds limit) {
  if (no_programs) return {};
  ChildResult out;
  const Words words(arguments, fs::path(output_file).parent_path().string());
  const pid_t parent = ::getpid();
  sigset_t mask;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  const pid_t child = ::fork();
  if (child < 0) return out;
  if (child == 0) guard(words, output_file.c_str(), parent, mask);
  ::setpgid(child, child);  // here and there: whoever comes first
  charge(child, true);
  const auto end = std::chrono::steady_clock::now() + limit;
  int status = 0;
  for (std::chrono::milliseconds pause(1);; pause = std::min(pause * 2, std::chrono::milliseconds(20))) {
    const pid_t done = waitpid(child, &status, WNOHANG);
    if (done == child) break;
    if (done < 0) {  // somebody else has collected it
      discharge(child);
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
  discharge(child);
  kill(-child, SIGKILL);  // what the program left at work
  out.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  out.started = out.status != k_no_program || access(arguments[0].c_str(), X_OK) == 0;
  std::ifstream said(output_file);
  out.output.resize(k_most_output);
  said.read(out.output.data(), static_cast<std::streamsize>(k_most_output));
  out.output.resize(static_cast<size_t>(said.gcount()));
  return out;
}

void start_no_programs() { no_programs = true; }
bool programs_can_be_started() { return !no_programs; }

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
