// The cage bites: a process that has gone in tries what an attacker would try, with system calls of its own and not by
// way of the library, and is ended, or is told no.
#include "cage/cage.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

namespace fencepost::cage {
namespace {

namespace fs = std::filesystem;

// Exit statuses of the confined process: 0..99 are errno's or what the test says.
constexpr int k_no_cage = 200;

struct Cage : testing::Test {
  std::string home;
  Rules rules;
  std::vector<std::string> refused;
  bool too_large = false;

  void SetUp() override {
    char name[] = "/tmp/cage-test-XXXXXX";
    home = ::mkdtemp(name);
    fs::create_directories(home + "/in/deep");
    fs::create_directories(home + "/out");
    fs::create_directories(home + "/elsewhere");
    write("in/a", "inside");
    write("in/deep/b", "deeper");
    write("elsewhere/secret", "secret");
    fs::create_symlink("../elsewhere/secret", home + "/in/link");
    fs::create_symlink("../elsewhere", home + "/in/folder");
    fs::create_symlink("../elsewhere/nothing", home + "/in/dangling");
    fs::create_symlink("a", home + "/in/near");
    rules.read = {home + "/in"};
    rules.write = {home + "/out", home + "/file"};
  }
  void TearDown() override { fs::remove_all(home); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(home + "/" + name) << text; }
  std::string read(const std::string& name) const {
    std::ifstream in(home + "/" + name);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  // How a confined process ends that does this: its exit status, or minus the signal.
  int end_of(const std::function<int()>& deed, const Limits& limits = {}) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return 250;
    Broker broker(rules, ends[0]);
    const pid_t child = ::fork();
    if (child == 0) {
      if (const auto why = enter(limits, ends[1], {}, false)) ::_exit(k_no_cage);
      ::_exit(deed());
    }
    ::close(ends[1]);
    while (broker.answer()) {
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(ends[0]);
    refused = broker.refused();
    too_large = broker.too_large();
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  }
  // 0, or errno of opening; with the text compared.
  int opening(const std::string& path, int flags = O_RDONLY) {
    return end_of([path, flags] { return ::open(path.c_str(), flags, 0644) >= 0 ? 0 : errno; });
  }
};

int failed(long result) { return result < 0 ? errno : 0; }

TEST_F(Cage, ThereIsOne) {
  ASSERT_EQ(end_of([] { return 7; }), 7);
}

TEST_F(Cage, EndsWhoStartsOrConnectsAnything) {
  const std::string program = "/bin/true";
  const std::vector<std::pair<const char*, std::function<int()>>> deeds = {
      {"execve",
       [&] {
         char* const none[] = {nullptr};
         return failed(::execve(program.c_str(), none, none));
       }},
      {"execveat",
       [&] {
         char* const none[] = {nullptr};
         return failed(::syscall(SYS_execveat, AT_FDCWD, program.c_str(), none, none, 0));
       }},
      {"socket", [] { return failed(::socket(AF_INET, SOCK_STREAM, 0)); }},
      {"socket unix", [] { return failed(::socket(AF_UNIX, SOCK_STREAM, 0)); }},
      {"socketpair",
       [] {
         int ends[2];
         return failed(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
       }},
      {"fork by clone", [] { return failed(::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); }},
#ifdef SYS_fork
      {"fork", [] { return failed(::syscall(SYS_fork)); }},
      {"vfork", [] { return failed(::syscall(SYS_vfork)); }},
#endif
      {"new user namespace", [] { return failed(::syscall(SYS_unshare, 0x10000000)); }},
      {"ptrace", [] { return failed(::ptrace(PTRACE_ATTACH, ::getppid(), 0, 0)); }},
      {"kill", [] { return failed(::kill(::getppid(), SIGTERM)); }},
      {"tgkill of another", [] { return failed(::syscall(SYS_tgkill, ::getppid(), ::getppid(), SIGTERM)); }},
      {"process_vm_writev", [] { return failed(::syscall(SYS_process_vm_writev, ::getppid(), 0, 0, 0, 0, 0)); }},
      {"memfd_create", [] { return failed(::syscall(SYS_memfd_create, "x", 0)); }},
      {"symlink", [&] { return failed(::symlink("/etc/passwd", (home + "/in/new").c_str())); }},
      {"link", [&] { return failed(::link((home + "/in/a").c_str(), (home + "/out/new").c_str())); }},
      {"rename", [&] { return failed(::rename((home + "/in/a").c_str(), (home + "/out/new").c_str())); }},
      {"chmod", [&] { return failed(::chmod((home + "/in/a").c_str(), 0777)); }},
      {"chdir", [] { return failed(::chdir("/")); }},
      {"chroot", [] { return failed(::chroot("/")); }},
      {"mount", [] { return failed(::syscall(SYS_mount, "x", "/", "tmpfs", 0, 0)); }},
      {"open_by_handle_at", [] { return failed(::syscall(SYS_open_by_handle_at, 0, 0, 0)); }},
      {"io_uring_setup", [] { return failed(::syscall(425, 1, 0)); }},
      {"bpf", [] { return failed(::syscall(SYS_bpf, 0, 0, 0)); }},
      {"setrlimit",
       [] {
         const rlimit r{1000, 1000};
         return failed(::setrlimit(RLIMIT_NOFILE, &r));
       }},
      {"memory that is executable",
       [] { return ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED; }},
      {"memory made executable",
       [] {
         void* at = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
         return failed(::mprotect(at, 4096, PROT_READ | PROT_EXEC));
       }},
      {"a message to another socket",
       [] {
         msghdr m{};
         return failed(::sendmsg(0, &m, 0));
       }},
      {"32-bit calls", [] {
#ifdef __x86_64__
         int r = 20;  // getpid there
         asm volatile("int $0x80" : "+a"(r) : : "memory");
         return r > 0 ? 0 : 1;
#else
         ::raise(SIGSYS);
         return 0;
#endif
       }}};
  for (const auto& [name, deed] : deeds) EXPECT_EQ(end_of(deed), -SIGSYS) << name;
  EXPECT_FALSE(fs::exists(home + "/out/new"));
}

TEST_F(Cage, ComputesAndHasThreads) {
  EXPECT_EQ(end_of([] {
              int sum = 0;
              std::thread t([&] { sum = 5; });
              t.join();
              const std::vector<char> memory(100 << 20, 1);
              return sum + memory[99 << 20];
            }),
            6);
}

TEST_F(Cage, OpensWhatIsBelowItsFolder) {
  for (const char* name : {"/in/a", "/in/deep/b", "/in/near", "/in/deep/../a"})
    EXPECT_EQ(opening(home + name), 0) << name;
  EXPECT_EQ(end_of([&] {
              const int fd = ::open((home + "/in/a").c_str(), O_RDONLY);
              char text[16] = {};
              return ::read(fd, text, sizeof text) == 6 && std::string(text) == "inside" ? 1 : 0;
            }),
            1);
  EXPECT_EQ(end_of([&] {  // from an open folder
              const int folder = ::open((home + "/in").c_str(), O_RDONLY | O_DIRECTORY);
              return ::openat(folder, "deep/b", O_RDONLY) >= 0 ? 1 : errno;
            }),
            1);
  EXPECT_EQ(end_of([&] { return fs::is_directory(home + "/in/deep") && fs::exists(home + "/in/a") ? 1 : 0; }), 1);
}

TEST_F(Cage, OpensNothingElse) {
  for (const std::string& path :
       {home + "/elsewhere/secret", home + "/in/../elsewhere/secret", home + "/in/link", home + "/in/folder/secret",
        std::string("/etc/passwd"), std::string("/proc/self/environ"), std::string("/proc/self/mem"),
        std::string("/dev/fd/0"), std::string("/dev/null"), std::string("/proc/self/fd/0"), std::string("/"),
        std::string("/proc/1/root/etc/passwd"), home, home + "x"}) {
    EXPECT_EQ(opening(path), EACCES) << path;
    EXPECT_EQ(refused, std::vector<std::string>{path});
  }
  EXPECT_EQ(end_of([&] {
              const int folder = ::open((home + "/in").c_str(), O_RDONLY | O_DIRECTORY);
              return ::openat(folder, "../elsewhere/secret", O_RDONLY) >= 0 ? 0 : errno;
            }),
            EACCES);
  ::mkfifo((home + "/in/pipe").c_str(), 0600);
  EXPECT_EQ(opening(home + "/in/pipe"), ENXIO);
}

// What is outside cannot be told from what is not.
TEST_F(Cage, TellsNothingOfOtherPlaces) {
  const auto both = [&](const std::string& path) {
    return end_of([path] {
      struct stat s{};
      char text[64];
      const int a = ::open(path.c_str(), O_RDONLY) < 0 ? errno : 0, b = ::stat(path.c_str(), &s) != 0 ? errno : 0,
                c = ::access(path.c_str(), R_OK) != 0 ? errno : 0,
                d = ::readlink(path.c_str(), text, sizeof text) < 0 ? errno : 0;
      return a == EACCES && b == ENOENT && c == ENOENT && d == ENOENT ? 1 : 100;
    });
  };
  for (const char* there : {"/elsewhere/secret", "/in/folder/secret"}) EXPECT_EQ(both(home + there), 1) << there;
  for (const char* missing : {"/elsewhere/nothing", "/elsewhere/no/thing", "/in/folder/nothing", "/in/folder/no/thing"})
    EXPECT_EQ(both(home + missing), 1) << missing;
  // A link that leads outside is seen as a link; where it leads to is not.
  for (const char* link : {"/in/link", "/in/dangling"})
    EXPECT_EQ(end_of([&] {
                struct stat s{};
                return ::open((home + link).c_str(), O_RDONLY) < 0 && errno == EACCES &&
                               ::stat((home + link).c_str(), &s) != 0 && errno == ENOENT
                           ? 1
                           : 0;
              }),
              1)
        << link;
}

TEST_F(Cage, WritesOutputsOnly) {
  const int create = O_WRONLY | O_CREAT | O_TRUNC;
  EXPECT_EQ(opening(home + "/file", create), 0);
  EXPECT_EQ(opening(home + "/out/x", create), 0);
  EXPECT_TRUE(fs::exists(home + "/file") && fs::exists(home + "/out/x"));
  for (const char* name :
       {"/in/a", "/in/new", "/elsewhere/secret", "/out/../elsewhere/new", "/file/x", "/out/..", "/out/."})
    EXPECT_NE(opening(home + name, create), 0) << name;
  EXPECT_EQ(opening("/dev/full", O_WRONLY), EACCES);
  fs::create_symlink("../elsewhere/secret", home + "/out/link");
  fs::create_symlink("../elsewhere", home + "/out/folder");
  fs::remove(home + "/file");
  fs::create_symlink("elsewhere/secret", home + "/file");
  EXPECT_EQ(opening(home + "/out/link", create), ELOOP);
  EXPECT_EQ(opening(home + "/out/folder/new", create), EACCES);
  EXPECT_EQ(opening(home + "/file", create), ELOOP);
  EXPECT_EQ(read("elsewhere/secret"), "secret");
  EXPECT_EQ(read("in/a"), "inside");
  EXPECT_EQ(end_of([&] { return ::mkdir((home + "/out/sub").c_str(), 0700) == 0 ? 1 : errno; }), 1);
  EXPECT_EQ(end_of([&] { return ::mkdir((home + "/in/sub").c_str(), 0700) == 0 ? 1 : errno; }), EACCES);
  EXPECT_EQ(end_of([&] { return ::unlink((home + "/out/x").c_str()) == 0 ? 1 : errno; }), 1);
  EXPECT_EQ(end_of([&] { return ::unlink((home + "/in/a").c_str()) == 0 ? 1 : errno; }), EACCES);
  EXPECT_EQ(end_of([&] { return ::rmdir((home + "/out").c_str()) == 0 ? 1 : errno; }), EACCES);
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(home + "/elsewhere")) left.push_back(entry.path().filename());
  EXPECT_EQ(left, std::vector<std::string>{"secret"});
}

TEST_F(Cage, CountsWhatItReads) {
  write("in/large", std::string(k_most_input, 'x'));
  write("in/one", "x");
  EXPECT_EQ(opening(home + "/in/large"), 0);
  EXPECT_FALSE(too_large);
  EXPECT_EQ(end_of([&] {
              for (int i = 0; i < 5; ++i)  // one file counts once
                if (::open((home + "/in/large").c_str(), O_RDONLY) < 0) return 1;
              return ::open((home + "/in/one").c_str(), O_RDONLY) < 0 ? errno : 0;
            }),
            EFBIG);
  EXPECT_TRUE(too_large);
  rules.read.clear();
  rules.bundled = {home + "/in"};
  EXPECT_EQ(end_of([&] {
              const bool both = ::open((home + "/in/large").c_str(), O_RDONLY) >= 0 &&
                                ::open((home + "/in/one").c_str(), O_RDONLY) >= 0;
              return both ? 1 : 0;
            }),
            1);
}

TEST_F(Cage, HasLimits) {
  EXPECT_EQ(end_of(
                [&] {  // descriptors
                  int n = 0;
                  while (::open((home + "/in/a").c_str(), O_RDONLY) >= 0 && n < 200) ++n;
                  return n;
                },
                {.files = 20}),
            16);
  EXPECT_EQ(end_of(
                [&] {  // bytes of a file
                  std::signal(SIGXFSZ, SIG_IGN);
                  const int fd = ::open((home + "/out/long").c_str(), O_WRONLY | O_CREAT, 0600);
                  const std::string block(1 << 16, 'x');
                  for (int i = 0; i < 100; ++i)
                    if (::write(fd, block.data(), block.size()) < 0) return errno;
                  return 0;
                },
                {.written = 1u << 20}),
            EFBIG);
  EXPECT_EQ(end_of(
                [] {  // time of the processor
                  while (::getpid() > 0) {
                  }
                  return 0;
                },
                {.processor_seconds = 1}),
            -SIGKILL);
}

// Where the system takes no filter, the process must not go on.
TEST_F(Cage, SaysWhereThereIsNoFilter) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit none{0, 0};  // a limit that cannot be set stands for whatever may fail: no descriptor can be had
    ::setrlimit(RLIMIT_NOFILE, &none);
    ::_exit(enter({}, 0, {}, false).has_value() ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

}  // namespace
}  // namespace fencepost::cage
