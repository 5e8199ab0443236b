// Only calls that are safe in a handler of signals (signal-safety(7)) below `on_end`: a folder is read with getdents64,
// as readdir allocates.
//
// Tried and lost: removing the folder alone, without waiting for the children's end: a compiler that was still at work
// made its file again behind the removal in 9 of 40 kills. A lock alone to tell a stale folder: it is not there yet for
// a moment after the folder was made; the number of the process alone: another container with the same /tmp numbers its
// own.
#include "base/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <new>

namespace fencepost {
namespace {

constexpr const char* k_prefix = "fencepost-scratch-";
constexpr const char* k_lock = "lock";
constexpr int k_deepest = 12;  // folders within folders

struct Slot {
  std::atomic<pid_t> pid = 0;  // negative: its process group; 0: free
  std::atomic<pid_t> owner = 0;
};
std::array<Slot, 4096> slots;
char scratch[4096] = "";  // "": nobody has named it
std::atomic<pid_t> scratch_owner = 0;
int lock_held = -1;
std::atomic<pid_t> lock_holder = 0;
std::atomic<uint64_t> next_folder = 0;
std::mutex naming;

// ---- in handlers of signals --------------------------------------------------------------------------------

void wait_milliseconds(int n) {
  timespec t{0, n * 1000000L};
  ::nanosleep(&t, nullptr);
}

bool remove_below(int folder, int depth) {
  struct Entry {  // linux_dirent64, getdents64(2)
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[1];
  };
  bool all = true;
  alignas(8) char buffer[4096];
  // Reading goes on while something is removed: names may be left out, so the folder is read until nothing is there.
  for (int rounds = 0; rounds < 64; ++rounds) {
    ::lseek(folder, 0, SEEK_SET);
    int removed = 0;
    all = true;
    for (long n; (n = ::syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;)
      for (long at = 0; at < n;) {
        const auto* e = reinterpret_cast<const Entry*>(buffer + at);
        at += e->length;
        const char* name = reinterpret_cast<const char*>(e) + offsetof(Entry, name);
        if (std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0) continue;
        bool gone = ::unlinkat(folder, name, 0) == 0 || errno == ENOENT;
        if (!gone && (errno == EISDIR || errno == EPERM) && depth < k_deepest) {
          const int below = ::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
          if (below >= 0) {
            remove_below(below, depth + 1);
            ::close(below);
            gone = ::unlinkat(folder, name, AT_REMOVEDIR) == 0;
          }
        }
        removed += gone;
        all = all && gone;
      }
    if (removed == 0) break;
  }
  return all;
}

void end_children() {
  const pid_t self = ::getpid();
  for (Slot& s : slots)
    if (s.owner == self && s.pid != 0) ::kill(s.pid, SIGKILL);
  for (Slot& s : slots) {
    if (s.owner != self || s.pid == 0) continue;
    const pid_t pid = s.pid < 0 ? -s.pid : s.pid.load();
    for (int tries = 0; tries < 200; ++tries) {
      const pid_t done = ::waitpid(pid, nullptr, WNOHANG);
      if (done != 0) break;
      wait_milliseconds(2);
    }
  }
}

void remove_scratch() {
  if (scratch[0] == 0 || scratch_owner != ::getpid()) return;
  // Programs that a child had started hear of its end a little later, and may write until then.
  for (int tries = 0; tries < 200 && !remove_tree(scratch); ++tries) wait_milliseconds(5);
}

extern "C" void on_end(int signal) {
  end_children();
  remove_scratch();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void on_no_memory() {
  constexpr char k_said[] = "fencepost: error: gave up: there is no memory left\n";
  end_children();
  remove_scratch();
  // A reader who is gone changes nothing.
  if (::write(STDERR_FILENO, k_said, sizeof k_said - 1) < 0) ::_exit(3);
  ::_exit(3);
}

// ---- sweeping ----------------------------------------------------------------------------------------------

bool is_stale(int parent, const char* name) {
  char* end = nullptr;
  const long pid = std::strtol(name + std::strlen(k_prefix), &end, 10);
  if (pid <= 0 || *end != '-' || (::kill(static_cast<pid_t>(pid), 0) == 0 || errno != ESRCH)) return false;
  struct stat at{};
  if (::fstatat(parent, name, &at, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(at.st_mode) || at.st_uid != ::geteuid())
    return false;
  const int folder = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return false;
  const int lock = ::openat(folder, k_lock, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  ::close(folder);
  if (lock < 0) return ::time(nullptr) - at.st_mtime > 60;  // its maker was killed before the lock was there
  const bool free = ::flock(lock, LOCK_EX | LOCK_NB) == 0;
  ::close(lock);
  return free;
}

void sweep(const std::string& tmp) {
  DIR* all = ::opendir(tmp.c_str());
  if (all == nullptr) return;
  while (const dirent* e = ::readdir(all))
    if (std::strncmp(e->d_name, k_prefix, std::strlen(k_prefix)) == 0 && is_stale(::dirfd(all), e->d_name))
      remove_tree((tmp + "/" + e->d_name).c_str());
  ::closedir(all);
}

std::string temporary() {
  const char* tmp = std::getenv("TMPDIR");
  return tmp != nullptr && *tmp != 0 ? tmp : "/tmp";
}

// The kernel verifier is a library with a copy of this room of its own: it finds the name here, as "PID:PATH". Programs
// of others never see it (child.cpp).
bool take_name() {
  const char* named = std::getenv(k_scratch_variable);
  if (named == nullptr) return false;
  char* end = nullptr;
  const long pid = std::strtol(named, &end, 10);
  if (*end != ':' || pid <= 0 || ::kill(static_cast<pid_t>(pid), 0) != 0 || std::strlen(end + 1) >= sizeof scratch)
    return false;
  const char* last = std::strrchr(end, '/');
  if (last == nullptr || std::strncmp(last + 1, k_prefix, std::strlen(k_prefix)) != 0) return false;
  std::strcpy(scratch, end + 1);
  scratch_owner = 0;  // the program's own copy removes it
  return true;
}

void name_it() {
  if (scratch[0] != 0 || take_name()) return;
  uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != sizeof random) random = static_cast<uint64_t>(::time(nullptr));
  scratch_owner = ::getpid();
  const int n = std::snprintf(scratch, sizeof scratch, "%s/%s%ld-%016llx", temporary().c_str(), k_prefix,
                              static_cast<long>(::getpid()), static_cast<unsigned long long>(random));
  if (n < 0 || static_cast<size_t>(n) >= sizeof scratch) {
    scratch[0] = 0;
    return;
  }
  ::setenv(k_scratch_variable, (std::to_string(::getpid()) + ":" + scratch).c_str(), 1);
  std::atexit(remove_scratch);
}

// The folder is there, and this process holds its lock (shared with the rest of the run).
bool make_scratch() {
  name_it();
  if (scratch[0] == 0) return false;
  if (lock_holder == ::getpid()) return true;
  if (::mkdir(scratch, 0700) == 0)
    sweep(temporary());
  else if (errno != EEXIST)
    return false;
  // One that another process of the run had open is not this one's: a lock belongs to whoever opened the file.
  if (lock_held >= 0) ::close(lock_held);
  lock_held = ::open((std::string(scratch) + "/" + k_lock).c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (lock_held < 0 || ::flock(lock_held, LOCK_SH) != 0) return false;
  lock_holder = ::getpid();
  return true;
}

}  // namespace

bool remove_tree(const char* path) {
  const int folder = ::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return errno == ENOENT;
  remove_below(folder, 0);
  ::close(folder);
  return ::rmdir(path) == 0 || errno == ENOENT;
}

void clean_up_at_signals() {
  struct sigaction action{};
  action.sa_handler = on_end;
  for (const int s : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&action.sa_mask, s);
  for (const int s : {SIGTERM, SIGINT, SIGHUP}) {
    struct sigaction old{};
    if (::sigaction(s, nullptr, &old) == 0 && old.sa_handler != SIG_IGN) ::sigaction(s, &action, nullptr);
  }
}

void give_up_without_memory() { std::set_new_handler(on_no_memory); }

void name_scratch() {
  const std::lock_guard lock(naming);
  name_it();
}

void end_with_parent(pid_t parent, int signal) {
  ::prctl(PR_SET_PDEATHSIG, signal);
  if (::getppid() != parent) ::_exit(3);
}

std::string new_scratch_folder() {
  const std::lock_guard lock(naming);
  if (!make_scratch()) return "";
  // The kernel verifier is a library with a copy of this room, and so with a counter of its own: numbers may be taken.
  for (;;) {
    const std::string path =
        std::string(scratch) + "/" + std::to_string(::getpid()) + "." + std::to_string(next_folder++);
    if (::mkdir(path.c_str(), 0700) == 0) return path;
    if (errno != EEXIST) return "";
  }
}

void charge(pid_t child, bool group) {
  constexpr pid_t k_in_between = -1;
  const pid_t self = ::getpid();
  for (Slot& s : slots) {
    pid_t owner = s.owner;
    // A slot that the parent held before the fork is free here.
    if (owner == self || owner == k_in_between || !s.owner.compare_exchange_strong(owner, k_in_between)) continue;
    s.pid = group ? -child : child;
    s.owner = self;
    return;
  }
}

void discharge(pid_t child) {
  const pid_t self = ::getpid();  // a call of the system
  for (Slot& s : slots)
    if (s.owner == self && (s.pid == child || s.pid == -child)) {
      s.pid = 0;
      s.owner = 0;
    }
}

}  // namespace fencepost
