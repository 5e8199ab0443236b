// The closed list of system calls. What is not on it ends the process (SECCOMP_RET_KILL_PROCESS): an input that makes
// the program want more has found a fault, and the parent says so.
//
// Kinds: allowed; allowed for some arguments; trapped, to be answered by the parent; refused with an error that the C
// library knows as "this kernel does not have it", so that it takes an older call. The list was made by running every
// verb over all bundled files, and each entry was asked for what it could do to others.
//
// Threads are allowed (a shader is compiled on a stack of its own), processes are not: clone only with the flags of a
// thread. Memory that is executable cannot be had.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#ifdef FENCEPOST_HAS_SECCOMP
#include <seccomp.h>
#endif

#include "cage/cage.h"
#include "cage/wire.h"

namespace fencepost::cage {

#if defined(FENCEPOST_HAS_SECCOMP) && (defined(__x86_64__) || defined(__aarch64__))
namespace {

int broker_socket = -1;

// ---- the trap ----------------------------------------------------------------------------------------------------

std::atomic_flag asking = ATOMIC_FLAG_INIT;  // one thread at a time has the two messages and the socket
Asked asked;
Said said;

long result_of(Call call, int folder, const char* path, int flags, uint32_t mode) {
  const size_t n = strnlen(path, k_longest_path);
  if (n == k_longest_path) return -ENAMETOOLONG;
  while (asking.test_and_set(std::memory_order_acquire)) ::sched_yield();
  asked.call = call;
  asked.flags = flags;
  asked.mode = mode;
  asked.has_folder = folder != AT_FDCWD && path[0] != '/';
  std::memcpy(asked.path, path, n + 1);
  int file = -1;
  long out = -EACCES;
  if (send_message(broker_socket, &asked, sizeof asked, asked.has_folder != 0 ? folder : -1) &&
      receive_message(broker_socket, &said, sizeof said, file)) {
    out = said.error != 0 ? -said.error : file >= 0 ? file : said.has_file != 0 ? -EMFILE : 0;
  }
  return out;
}
void end_of_question() { asking.clear(std::memory_order_release); }

long ask(Call call, int folder, const char* path, int flags, uint32_t mode = 0) {
  const long r = result_of(call, folder, path, flags, mode);
  end_of_question();
  return r;
}

long status(int folder, const char* path, void* to, int flags) {
  if ((flags & AT_EMPTY_PATH) != 0 && path[0] == 0) return ::syscall(SYS_fstat, folder, to) == 0 ? 0 : -errno;
  const long r = result_of(Call::status, folder, path, flags, 0);
  if (r == 0) std::memcpy(to, &said.status, sizeof said.status);
  end_of_question();
  return r;
}

long read_link(int folder, const char* path, char* to, size_t size) {
  long r = result_of(Call::read_link, folder, path, 0, 0);
  if (r == 0) {
    r = static_cast<long>(std::min<size_t>(size, std::min<size_t>(said.size, k_longest_path)));
    std::memcpy(to, said.link, static_cast<size_t>(r));
  }
  end_of_question();
  return r;
}

long answer(long call, const long (&a)[6]) {
  const auto path = [&](int i) { return reinterpret_cast<const char*>(a[i]); };
  const auto number = [&](int i) { return static_cast<int>(a[i]); };
  const auto bits = [&](int i) { return static_cast<uint32_t>(a[i]); };
  switch (call) {
#ifdef SYS_open
    case SYS_open:
      return ask(Call::open, AT_FDCWD, path(0), number(1), bits(2));
    case SYS_creat:
      return ask(Call::open, AT_FDCWD, path(0), O_WRONLY | O_CREAT | O_TRUNC, bits(1));
    case SYS_stat:
      return status(AT_FDCWD, path(0), reinterpret_cast<void*>(a[1]), 0);
    case SYS_lstat:
      return status(AT_FDCWD, path(0), reinterpret_cast<void*>(a[1]), AT_SYMLINK_NOFOLLOW);
    case SYS_readlink:
      return read_link(AT_FDCWD, path(0), reinterpret_cast<char*>(a[1]), static_cast<size_t>(a[2]));
    case SYS_access:
      return ask(Call::access, AT_FDCWD, path(0), number(1));
    case SYS_mkdir:
      return ask(Call::make_folder, AT_FDCWD, path(0), 0, bits(1));
    case SYS_unlink:
      return ask(Call::remove, AT_FDCWD, path(0), 0);
    case SYS_rmdir:
      return ask(Call::remove, AT_FDCWD, path(0), AT_REMOVEDIR);
#endif
    case SYS_openat:
      return ask(Call::open, number(0), path(1), number(2), bits(3));
    case SYS_newfstatat:
      return status(number(0), path(1), reinterpret_cast<void*>(a[2]), number(3));
    case SYS_readlinkat:
      return read_link(number(0), path(1), reinterpret_cast<char*>(a[2]), static_cast<size_t>(a[3]));
    case SYS_faccessat:
      return ask(Call::access, number(0), path(1), number(2));
    case SYS_mkdirat:
      return ask(Call::make_folder, number(0), path(1), 0, bits(2));
    case SYS_unlinkat:
      return ask(Call::remove, number(0), path(1), number(2));
    default:
      return -ENOSYS;
  }
}

extern "C" void on_trap(int, siginfo_t* info, void* context) {
  const int before = errno;
  auto& m = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  const long a[6] = {m.gregs[REG_RDI], m.gregs[REG_RSI], m.gregs[REG_RDX],
                     m.gregs[REG_R10], m.gregs[REG_R8],  m.gregs[REG_R9]};
  m.gregs[REG_RAX] = answer(info->si_syscall, a);
#else
  const long a[6] = {static_cast<long>(m.regs[0]), static_cast<long>(m.regs[1]), static_cast<long>(m.regs[2]),
                     static_cast<long>(m.regs[3]), static_cast<long>(m.regs[4]), static_cast<long>(m.regs[5])};
  m.regs[0] = static_cast<uint64_t>(answer(info->si_syscall, a));
#endif
  errno = before;
}

// ---- the filter --------------------------------------------------------------------------------------------------

constexpr int k_allowed[] = {
    // files that are open already
    SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(pwrite64),
    SCMP_SYS(close), SCMP_SYS(lseek), SCMP_SYS(fstat), SCMP_SYS(getdents64), SCMP_SYS(fadvise64), SCMP_SYS(fsync),
    SCMP_SYS(fdatasync), SCMP_SYS(getcwd), SCMP_SYS(poll), SCMP_SYS(ppoll),
    // memory
    SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise),
    // threads and signals of this process
    SCMP_SYS(futex), SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(set_tid_address), SCMP_SYS(sched_yield),
    SCMP_SYS(sched_getaffinity), SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
    SCMP_SYS(sigaltstack), SCMP_SYS(restart_syscall), SCMP_SYS(membarrier), SCMP_SYS(exit), SCMP_SYS(exit_group),
    // what the time is, and who this is
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(times),
    SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep), SCMP_SYS(getrusage), SCMP_SYS(getrandom), SCMP_SYS(getpid),
    SCMP_SYS(gettid), SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(uname),
    SCMP_SYS(sysinfo)};

constexpr int k_trapped[] = {SCMP_SYS(open),      SCMP_SYS(creat),   SCMP_SYS(stat),       SCMP_SYS(lstat),
                             SCMP_SYS(readlink),  SCMP_SYS(access),  SCMP_SYS(mkdir),      SCMP_SYS(unlink),
                             SCMP_SYS(rmdir),     SCMP_SYS(openat),  SCMP_SYS(newfstatat), SCMP_SYS(readlinkat),
                             SCMP_SYS(faccessat), SCMP_SYS(mkdirat), SCMP_SYS(unlinkat)};

struct Refused {
  int call, error;
};
constexpr Refused k_refused[] = {
    {SCMP_SYS(clone3), ENOSYS}, {SCMP_SYS(openat2), ENOSYS}, {SCMP_SYS(statx), ENOSYS},  {SCMP_SYS(faccessat2), ENOSYS},
    {SCMP_SYS(ioctl), ENOTTY},  {SCMP_SYS(prctl), EINVAL},   {SCMP_SYS(statfs), EACCES}, {SCMP_SYS(fstatfs), EACCES},
};

constexpr int k_commands[] = {F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC, F_GETLK, F_SETLK};

constexpr uint64_t k_of_a_thread = CLONE_VM | CLONE_THREAD | CLONE_SIGHAND | CLONE_FILES | CLONE_FS;
constexpr uint64_t k_of_no_thread = CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
                                    CLONE_NEWUTS | CLONE_NEWCGROUP | CLONE_PTRACE | CLONE_PARENT | CLONE_VFORK;

// 0, or a negative errno.
int put_up_filter() {
  const scmp_filter_ctx f = seccomp_init(SCMP_ACT_KILL_PROCESS);
  if (f == nullptr) return -ENOMEM;
  int bad = 0;
  // A call that this processor does not have is no fault: libseccomp gives it a number below 0.
  const auto rule = [&](uint32_t action, int call, std::initializer_list<scmp_arg_cmp> arguments = {}) {
    if (bad != 0 || call < 0) return;
    bad = seccomp_rule_add_array(f, action, call, static_cast<unsigned>(arguments.size()), arguments.begin());
  };
  for (const int call : k_allowed) rule(SCMP_ACT_ALLOW, call);
  for (const int call : k_trapped) rule(SCMP_ACT_TRAP, call);
  for (const Refused& r : k_refused) rule(SCMP_ACT_ERRNO(static_cast<uint32_t>(r.error)), r.call);
  for (const int call : {SCMP_SYS(mmap), SCMP_SYS(mprotect)})
    rule(SCMP_ACT_ALLOW, call, {SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)});
  for (const int command : k_commands)
    rule(SCMP_ACT_ALLOW, SCMP_SYS(fcntl), {SCMP_A1(SCMP_CMP_EQ, static_cast<scmp_datum_t>(command))});
  for (const int call : {SCMP_SYS(sendmsg), SCMP_SYS(recvmsg)})
    rule(SCMP_ACT_ALLOW, call, {SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(broker_socket))});
  rule(SCMP_ACT_ALLOW, SCMP_SYS(clone), {SCMP_A0(SCMP_CMP_MASKED_EQ, k_of_a_thread | k_of_no_thread, k_of_a_thread)});
  // abort(), and reading limits, of this process alone.
  rule(SCMP_ACT_ALLOW, SCMP_SYS(tgkill), {SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(::getpid()))});
  rule(SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), {SCMP_A0(SCMP_CMP_EQ, 0), SCMP_A2(SCMP_CMP_EQ, 0)});
  if (bad == 0) bad = seccomp_load(f);
  seccomp_release(f);
  return bad;
}

// Of the process and not of one user's processes together (RLIMIT_NPROC counts those): the filter refuses new ones.
bool limit(int what, rlim_t most) {
  rlimit now{};
  if (::getrlimit(what, &now) != 0) return false;
  now.rlim_max = std::min(now.rlim_max, most);
  now.rlim_cur = std::min(now.rlim_cur, now.rlim_max);
  return ::setrlimit(what, &now) == 0;
}

void close_all_but(std::vector<int> keep) {
  std::sort(keep.begin(), keep.end());
  unsigned next = 3;
  for (const int fd : keep) {
    if (fd < 3) continue;
    if (static_cast<unsigned>(fd) > next) ::syscall(SYS_close_range, next, static_cast<unsigned>(fd) - 1, 0);
    next = static_cast<unsigned>(fd) + 1;
  }
  ::syscall(SYS_close_range, next, ~0u, 0);
}

}  // namespace

std::optional<std::string> enter(const Limits& limits, int broker, const std::vector<int>& keep, bool standard_input) {
  const auto failed = [](const char* what, int error) { return std::string(what) + ": " + std::strerror(error); };
  broker_socket = broker;
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0) return failed("/dev/null", errno);
  for (const int fd : {0, 1, 2})
    if (!(fd == 0 && standard_input) && ::dup2(nothing, fd) < 0) return failed("standard streams", errno);
  std::vector<int> all = keep;
  all.push_back(broker);
  close_all_but(all);
  for (const auto& [what, most] : {std::pair(RLIMIT_CPU, limits.processor_seconds),
                                   {RLIMIT_NOFILE, limits.files},
                                   {RLIMIT_FSIZE, limits.written},
                                   {RLIMIT_CORE, uint64_t{0}},
                                   {RLIMIT_MEMLOCK, uint64_t{0}},
                                   {RLIMIT_MSGQUEUE, uint64_t{0}}})
    if (!limit(static_cast<int>(what), most)) return failed("a limit", errno);
  struct sigaction action{};
  action.sa_sigaction = on_trap;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  if (::sigaction(SIGSYS, &action, nullptr) != 0) return failed("sigaction", errno);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("no_new_privs", errno);
  if (const int bad = put_up_filter(); bad != 0) return failed("seccomp", -bad);
  // The kernel has taken it: a process without a filter would be told 0 here.
  return std::nullopt;
}

#else

std::optional<std::string> enter(const Limits&, int, const std::vector<int>&, bool) {
  return "this build has no libseccomp, or the processor is not known to it";
}

#endif

}  // namespace fencepost::cage
