#pragma once
// What the confined process and its parent say to each other: one message for each, of a fixed size, so that nothing
// has to be parsed. Open files travel beside it (SCM_RIGHTS).
#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace fencepost::cage {

inline constexpr size_t k_longest_path = 4096;

enum class Call : uint32_t { open, status, read_link, access, make_folder, remove };

struct Asked {
  Call call;
  int32_t flags;
  uint32_t mode;
  uint32_t has_folder;  // the open folder that the path starts from comes along
  char path[k_longest_path];
};

struct Said {
  int32_t error;      // errno, 0: none
  uint32_t has_file;  // it comes along
  uint32_t size;      // of the link
  struct stat status;
  char link[k_longest_path];
};

// One message with at most one open file. `file` -1: none comes, or came. False: the other side is gone, or said
// something else. Both are safe in a handler of signals.
bool send_message(int socket, const void* data, size_t size, int file);
bool receive_message(int socket, void* data, size_t size, int& file);

}  // namespace fencepost::cage
