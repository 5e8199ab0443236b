#pragma once
// A child process that talks through a pipe: what keeps a hanging or dying driver from taking the program with it. A
// message is a length, a hash of the text, and the text; what that says is the caller's.
//
// Precondition of start_child: no other thread holds a lock (fork). The child ends with its parent, and by _exit after
// `body`: destructors of a driver whose kernel hangs may hang too.
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>

namespace fencepost::campaign {

struct Child {
  pid_t pid = -1;
  int from = -1;  // the parent's end of the pipe
};

// `body` gets the child's end of the pipe.
Child start_child(const std::function<void(int)>& body);
// Waits for its end, after SIGKILL where `kill`. A sentence on how it ended.
std::string stop_child(const Child& c, bool kill);
// What goes over the pipe for a text.
std::string frame(const std::string& text);
// From the child. A parent that is gone ends the child.
void send(int to, const std::string& text);

enum class ReadStatus : uint8_t {
  text,
  silence,
  end,
  garbled
};  // garbled: not what was sent, and all after it is lost

// Reads messages off a pipe, however they arrive.
class MessageReader {
 public:
  explicit MessageReader(int from) : from_(from) {}
  ReadStatus next(std::string& text, double seconds);

 private:
  int from_;
  std::string held_;
};

}  // namespace fencepost::campaign
