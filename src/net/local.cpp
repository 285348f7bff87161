#include "local.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace THALWEG_NAMESPACE::net {

namespace {

sockaddr_un address_of(const std::string& path) {
  sockaddr_un made{};
  made.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof made.sun_path)
    throw network_error("'" + path + "' cannot be the path of a socket: it must have 1 to " +
                        std::to_string(sizeof made.sun_path - 1) + " bytes");
  std::memcpy(made.sun_path, path.data(), path.size());
  return made;
}

const sockaddr* plain(const sockaddr_un& of) {
  return reinterpret_cast<const sockaddr*>(&of);
}

descriptor new_socket() {
  return descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

// A socket that was left behind: a program that is killed does not remove it.
bool is_abandoned(const std::string& path, const sockaddr_un& at) {
  struct stat its {};
  if (::lstat(path.c_str(), &its) != 0 || !S_ISSOCK(its.st_mode)) return false;
  const auto tries = new_socket();
  return tries && ::connect(tries.get(), plain(at), sizeof at) != 0 && errno == ECONNREFUSED;
}

}  // namespace

local_listener::local_listener(std::string path) : path_(std::move(path)) {
  const auto at = address_of(path_);
  const auto fail = [this](int why) {
    throw network_error("cannot listen at " + path_ + ": " + std::generic_category().message(why));
  };
  door_ = new_socket();
  if (!door_) fail(errno);
  // Before it has a path: so it never is there for others.
  if (::fchmod(door_.get(), S_IRUSR | S_IWUSR) != 0) fail(errno);
  if (::bind(door_.get(), plain(at), sizeof at) != 0) {
    const int why = errno;
    if (why != EADDRINUSE || !is_abandoned(path_, at)) fail(why);
    ::unlink(path_.c_str());
    if (::bind(door_.get(), plain(at), sizeof at) != 0) fail(errno);
  }
  struct stat its {};
  if (::lstat(path_.c_str(), &its) == 0) {
    device_ = its.st_dev;
    inode_ = its.st_ino;
  }
  constexpr int may_wait = 8;
  if (::listen(door_.get(), may_wait) != 0) {
    const int why = errno;
    ::unlink(path_.c_str());
    fail(why);
  }
}

local_listener::~local_listener() {
  struct stat its {};
  if (::lstat(path_.c_str(), &its) == 0 && its.st_dev == device_ && its.st_ino == inode_)
    ::unlink(path_.c_str());
}

}  // namespace THALWEG_NAMESPACE::net
