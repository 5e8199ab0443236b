#include "cage/wire.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace fencepost::cage {

bool send_message(int socket, const void* data, size_t size, int file) {
  iovec part{const_cast<void*>(data), size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr m{};
  m.msg_iov = &part;
  m.msg_iovlen = 1;
  if (file >= 0) {
    m.msg_control = control;
    m.msg_controllen = sizeof control;
    cmsghdr* head = CMSG_FIRSTHDR(&m);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(head), &file, sizeof file);
  }
  for (;;) {
    const ssize_t n = ::sendmsg(socket, &m, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    return n == static_cast<ssize_t>(size);
  }
}

bool receive_message(int socket, void* data, size_t size, int& file) {
  file = -1;
  iovec part{data, size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr m{};
  m.msg_iov = &part;
  m.msg_iovlen = 1;
  m.msg_control = control;
  m.msg_controllen = sizeof control;
  for (;;) {
    const ssize_t n = ::recvmsg(socket, &m, MSG_CMSG_CLOEXEC);
    if (n < 0 && errno == EINTR) continue;
    if (n >= 0)
      for (cmsghdr* head = CMSG_FIRSTHDR(&m); head != nullptr; head = CMSG_NXTHDR(&m, head))
        if (head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(sizeof(int)))
          std::memcpy(&file, CMSG_DATA(head), sizeof file);
    if (n == static_cast<ssize_t>(size)) return true;
    if (file >= 0) ::close(file);
    file = -1;
    return false;
  }
}

}  // namespace fencepost::cage
