#include "connections.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace THALWEG_NAMESPACE::live {

namespace {

int local_port_of(int socket) {
  sockaddr_storage where{};
  socklen_t size = sizeof where;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&where), &size) != 0) return -1;
  if (where.ss_family == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in&>(where).sin_port);
  if (where.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(where).sin6_port);
  return -1;
}

bool is_listening(int socket) {
  int listens = 0;
  socklen_t size = sizeof listens;
  return ::getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens != 0;
}

}  // namespace

bool each_connection_at(int port, const std::function<void(int socket)>& with) {
  std::error_code none_left;
  std::filesystem::directory_iterator entry("/proc/self/fd", none_left);
  for (; !none_left && entry != std::filesystem::directory_iterator(); entry.increment(none_left)) {
    const auto name = entry->path().filename().string();
    int number = -1;
    std::from_chars(name.data(), name.data() + name.size(), number);
    if (local_port_of(number) != port) continue;
    // A copy stays the same file, also if the number becomes another one's meanwhile.
    const int copy = ::fcntl(number, F_DUPFD_CLOEXEC, 0);
    if (copy < 0 && errno == EMFILE) return false;
    if (copy < 0) continue;
    if (local_port_of(copy) == port && !is_listening(copy)) with(copy);
    ::close(copy);
  }
  return !none_left;
}

void cut_connections_at(int port) {
  (void)each_connection_at(port, [](int socket) { ::shutdown(socket, SHUT_RDWR); });
}

void say_to(int listening, std::string_view request) {
  sockaddr_storage where{};
  socklen_t size = sizeof where;
  if (::getsockname(listening, reinterpret_cast<sockaddr*>(&where), &size) != 0) return;
  const int one = ::socket(where.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (one < 0) return;
  const timeval most{.tv_sec = 5, .tv_usec = 0};
  ::setsockopt(one, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
  std::array<char, 4096> answer{};
  if (::connect(one, reinterpret_cast<const sockaddr*>(&where), size) == 0 &&
      ::send(one, request.data(), request.size(), MSG_NOSIGNAL) > 0) {
    while (::recv(one, answer.data(), answer.size(), 0) > 0) {
    }
  }
  ::close(one);
}

}  // namespace THALWEG_NAMESPACE::live
