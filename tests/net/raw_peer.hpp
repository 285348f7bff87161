#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/// A socket of this machine (127.0.0.1) that does what a test says, and nothing by itself.
class raw_peer {
 public:
  raw_peer() = default;
  explicit raw_peer(int fd) : fd_(fd) {}
  raw_peer(raw_peer&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  raw_peer& operator=(raw_peer&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~raw_peer() {
    if (fd_ >= 0) ::close(fd_);
  }

  static raw_peer connected_to(std::uint16_t port) {
    raw_peer made(::socket(AF_INET, SOCK_STREAM, 0));
    const auto where = local(port);
    if (::connect(made.fd_, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0)
      throw std::runtime_error("no connection");
    return made;
  }
  /// To a socket that has this path.
  static raw_peer connected_to(const std::string& path) {
    raw_peer made(::socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    path.copy(where.sun_path, sizeof where.sun_path - 1);
    if (::connect(made.fd_, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0)
      throw std::runtime_error("no connection");
    return made;
  }
  static raw_peer listening() {
    raw_peer made(::socket(AF_INET, SOCK_STREAM, 0));
    const auto where = local(0);
    if (::bind(made.fd_, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0 ||
        ::listen(made.fd_, 4) != 0)
      throw std::runtime_error("no listener");
    return made;
  }
  [[nodiscard]] raw_peer accepted() const { return raw_peer(::accept(fd_, nullptr, nullptr)); }
  [[nodiscard]] std::uint16_t port() const {
    sockaddr_in bound{};
    socklen_t size = sizeof bound;
    ::getsockname(fd_, reinterpret_cast<sockaddr*>(&bound), &size);
    return ntohs(bound.sin_port);
  }
  [[nodiscard]] int fd() const { return fd_; }

  bool say(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  /// What comes until so many bytes are there, or the other side closes.
  [[nodiscard]] std::string hear(std::size_t most = std::string::npos) const {
    std::string all;
    char some[4096];
    while (all.size() < most) {
      const auto got = ::recv(fd_, some, std::min(sizeof some, most - all.size()), 0);
      if (got <= 0) break;
      all.append(some, static_cast<std::size_t>(got));
    }
    return all;
  }
  /// Says nothing more, and still hears.
  void hang_up() const { ::shutdown(fd_, SHUT_WR); }
  /// Both sides see that it is over, even one that is in the middle of a call.
  void cut() const { ::shutdown(fd_, SHUT_RDWR); }

 private:
  static sockaddr_in local(std::uint16_t port) {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(port);
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return where;
  }

  int fd_ = -1;
};

/// A number's bytes, the lowest first.
template <class N> std::string bytes_of(N number) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof(N); ++i) bytes += static_cast<char>((number >> (8 * i)) & 0xFFU);
  return bytes;
}

inline std::string text_bytes(std::string_view text) {
  return bytes_of(static_cast<std::uint32_t>(text.size())) + std::string(text);
}

/// What a sender says first. Without a clock it does not tell the time.
inline std::string hello_bytes(std::uint64_t stream, std::string_view tag, std::uint32_t version = 2,
                               std::string_view clock = "") {
  const auto body = bytes_of(stream) + text_bytes(tag) + text_bytes("") + text_bytes(clock);
  return "thalweg\n" + bytes_of(version) + bytes_of(static_cast<std::uint32_t>(body.size())) + body;
}

/// What a receiver answers that wants items from the first one on, and the size of it.
inline std::string answer_bytes(std::uint64_t next = 0, std::string_view refusal = "") {
  const auto body = bytes_of(next) + text_bytes(refusal) + bytes_of(std::uint32_t{0});
  return "thalweg\n" + bytes_of(std::uint32_t{2}) + bytes_of(static_cast<std::uint32_t>(body.size())) + body;
}
