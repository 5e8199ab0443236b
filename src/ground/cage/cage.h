#pragma once
// A process that works on a stranger's input and can do nothing but compute: the kernel lets it make the system calls
// of a closed list (filter.cpp), and every other one ends it. Opening a file is not on the list: the call is trapped,
// sent to the parent over a socket, and the parent, which reads no input, answers with an open file or with an error
// (A. Barth, C. Jackson, C. Reis, "The Security Architecture of the Chromium Browser", 2008, has the division; the
// trap is that of Chromium's seccomp-bpf sandbox). So the guard holds also for code that an input has taken over.
//
// Laws. (1) What is opened for reading is, after all links, a file or folder at or below one of `Rules::read` or
// `Rules::bundled`; what is checked is the opened file itself, not its name. (2) What is written is a named output, or
// below one that is a folder; no link is followed there. (3) Different input files have at most `most_input` bytes
// together; bundled ones do not count. (4) Of a place outside nothing is told, not even whether it is there.
// (5) If the filter cannot be put up, `enter` says so, and the caller must not go on.
//
// Tried and lost: Landlock, which needs Linux 5.13 and is off in many containers; user notification of seccomp, which
// has a race between look and open; a chroot, which needs rights.
#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fencepost::cage {

inline constexpr uint64_t k_most_input = uint64_t{1} << 20;

struct Rules {
  std::vector<std::string> read;     // folders, or files: with all that is below them
  std::vector<std::string> bundled;  // the same; their size does not count
  std::vector<std::string> write;    // outputs: files, or folders
  std::vector<std::string> own;      // paths, with all below, that the program itself looks for: refused, not named
  uint64_t most_input = k_most_input;
};

struct Limits {
  uint64_t processor_seconds = 60;
  uint64_t files = 64;           // descriptors
  uint64_t written = 64u << 20;  // bytes of a file
};

// In the process itself, which has one thread and does not come back out of it: only `keep` and `broker` stay open,
// standard input, output and error become /dev/null (input is kept where `standard_input`). Why not, if not.
std::optional<std::string> enter(const Limits& limits, int broker, const std::vector<int>& keep, bool standard_input);

// The parent's side of the socket.
class Broker {
 public:
  Broker(const Rules& rules, int socket);
  // Answers one question that waits. False: the other side is gone.
  bool answer();
  int socket() const { return socket_; }
  // Paths that were asked for and are outside, in order, at most 16; for people.
  const std::vector<std::string>& refused() const { return refused_; }
  bool too_large() const { return too_large_; }

 private:
  struct Place {
    std::string named, real;  // absolute; of `named` no link is resolved
    bool counted = true;
  };
  struct Answer;
  void add(std::vector<Place>& to, const std::string& path, bool counted) const;
  static const Place* below(const std::vector<Place>& places, const std::string& path, bool real);
  bool leads_to_a_place(const std::string& path) const;
  std::string absolute(int folder, const std::string& path) const;
  bool may_be_told(int folder, const std::string& path) const;
  int outside(int folder, const std::string& path);
  Answer open_to_read(int folder, const std::string& path, int flags);
  Answer open_to_write(int folder, const std::string& path, int flags, mode_t mode);
  Answer look(int folder, const std::string& path, int flags, bool link);
  Answer change(int folder, const std::string& path, int flags, mode_t mode, bool make);
  // The folder of an output, opened, and the last part of its name; -1 and an error where it is none.
  int folder_of_output(int folder, const std::string& path, bool below_only, std::string& last, int& error);

  std::vector<Place> read_, write_;
  std::vector<std::string> own_;
  uint64_t most_input_ = 0, input_ = 0;
  int socket_ = -1;
  std::set<std::pair<dev_t, ino_t>> counted_;
  std::vector<std::string> refused_;
  bool too_large_ = false;
};

}  // namespace fencepost::cage
