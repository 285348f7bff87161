#include "listener.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <string_view>
#include <system_error>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace micro {
namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

int connected_to(int port) {
  const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) fail("socket");
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<std::uint16_t>(port));
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  constexpr std::string_view asks = "GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
  if (::connect(made, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0 ||
      ::send(made, asks.data(), asks.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(asks.size())) {
    const int why = errno;
    ::close(made);
    errno = why;
    fail("nothing answers at the page");
  }
  return made;
}

}  // namespace

listener::listener(int port) : connection_(connected_to(port)) {
  thread_ = std::thread([this] {
    std::array<char, 1U << 16U> bytes;
    for (;;) {
      const auto got = ::recv(connection_, bytes.data(), bytes.size(), 0);
      if (got <= 0) return;
      heard_ += static_cast<std::size_t>(got);
    }
  });
}

listener::~listener() {
  ::shutdown(connection_, SHUT_RDWR);
  thread_.join();
  ::close(connection_);
}

}  // namespace micro
