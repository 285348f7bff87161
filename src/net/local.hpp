// Sockets of this machine, which have a path in its file system and no port.
#pragma once

#include <string>

#include <sys/types.h>

#include "socket.hpp"

namespace THALWEG_NAMESPACE::net {

/// Listens at a path, which only this user can connect to, and which is removed at the end.
class local_listener {
 public:
  /// A socket at which nobody listens any more is replaced. \throws network_error  if somebody does, if there
  /// is something else at the path, or if none can be made
  explicit local_listener(std::string path);
  local_listener(const local_listener&) = delete;
  local_listener& operator=(const local_listener&) = delete;
  ~local_listener();

  [[nodiscard]] const descriptor& door() const noexcept { return door_; }

 private:
  std::string path_;
  descriptor door_;
  dev_t device_ = 0;  // where the socket is, so that no other one of this path is removed
  ino_t inode_ = 0;
};

}  // namespace THALWEG_NAMESPACE::net
