#include "socket.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <system_error>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace THALWEG_NAMESPACE::net {

namespace {

using namespace std::chrono_literals;

std::string reason(int error) {
  return std::generic_category().message(error);
}

void set(int fd, int level, int option, int value) {
  ::setsockopt(fd, level, option, &value, sizeof value);
}

using found = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

found look_up(const address& of, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* first = nullptr;
  const auto* host = of.host.empty() ? nullptr : of.host.c_str();
  const int failed = ::getaddrinfo(host, std::to_string(of.port).c_str(), &hints, &first);
  if (failed == 0) return {first, &::freeaddrinfo};
  const auto says = of.text() + ": " + (failed == EAI_SYSTEM ? reason(errno) : ::gai_strerror(failed));
  if (failed == EAI_AGAIN) throw connection_lost(says);
  throw network_error(says);
}

std::string text_of(const sockaddr_storage& from, socklen_t size) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (::getnameinfo(reinterpret_cast<const sockaddr*>(&from), size, host.data(), host.size(), port.data(),
                    port.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return "somebody";
  const std::string name = host.data();
  return (name.find(':') == name.npos ? name : "[" + name + "]") + ":" + port.data();
}

int port_of(int fd) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size) != 0) return 0;
  return ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(bound).sin6_port
                                           : reinterpret_cast<const sockaddr_in&>(bound).sin_port);
}

// Waits for what a patience cannot be asked about.
const patience none{};

}  // namespace

void descriptor::reset() noexcept {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

bell::bell() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!fd_) throw network_error("cannot create an event that ends a wait: " + reason(errno));
}

void bell::ring() noexcept {
  (void)::eventfd_write(fd_.get(), 1);
}

void bell::silence() noexcept {
  eventfd_t rung = 0;
  (void)::eventfd_read(fd_.get(), &rung);
}

waited patience::wait(int fd, short events, moment until, bool until_rung) const {
  std::vector<pollfd> one{{fd, events, 0}};
  return wait(one, until, until_rung);
}

waited patience::wait(const connection& link, short events, moment until, bool until_rung) const {
  if ((events & POLLIN) != 0 && link.has_more()) return waited::ready;
  return wait(link.get(), events, until, until_rung);
}

waited patience::wait(std::vector<pollfd>& any, moment until, bool until_rung) const {
  constexpr auto look_every = 20ms, longest = std::chrono::milliseconds(1h);
  const auto bell_at = any.size();
  any.push_back({rung != nullptr ? rung->fd() : -1, POLLIN, 0});
  const auto waits = [&] {
    for (;;) {
      if (over && over()) return waited::given_up;
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
      const auto most = std::clamp(left, 0ms, look ? look_every : longest);
      const int ready = ::poll(any.data(), any.size(), static_cast<int>(most.count()));
      const bool rings = ready > 0 && any[bell_at].revents != 0;
      if (rings) {
        if (over && over()) return waited::given_up;
        if (until_rung) return waited::ready;
        rung->silence();
      }
      if (ready > (rings ? 1 : 0)) return waited::ready;
      if (ready == 0 && left <= 0ms) return waited::late;
    }
  };
  const auto how = waits();
  any.pop_back();
  return how;
}

void tune(int fd) {
  set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(fd, IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set(fd, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

descriptor listen_at(address& at) {
  const auto all = look_up(at, AI_PASSIVE);
  int error = 0;
  // Where there are both kinds of addresses, one of the newer kind takes connections of both.
  for (const int wanted : {AF_INET6, AF_INET}) {
    for (const auto* one = all.get(); one != nullptr; one = one->ai_next) {
      if (one->ai_family != wanted) continue;
      descriptor made(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, one->ai_protocol));
      if (!made) {
        error = errno;
        continue;
      }
      set(made.get(), SOL_SOCKET, SO_REUSEADDR, 1);
      if (one->ai_family == AF_INET6) set(made.get(), IPPROTO_IPV6, IPV6_V6ONLY, at.host.empty() ? 0 : 1);
      constexpr int may_wait = 8;
      if (::bind(made.get(), one->ai_addr, one->ai_addrlen) == 0 && ::listen(made.get(), may_wait) == 0) {
        at.port = static_cast<std::uint16_t>(port_of(made.get()));
        return made;
      }
      error = errno;
    }
  }
  throw network_error("cannot listen at " + at.text() + ": " + reason(error));
}

descriptor accept_from(const descriptor& listener, std::string& from) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  descriptor made(
      ::accept4(listener.get(), reinterpret_cast<sockaddr*>(&peer), &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (made) {
    from = text_of(peer, size);
    tune(made.get());
  } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
    throw network_error("cannot accept a connection: " + reason(errno));
  }
  return made;
}

descriptor connect_to(const address& to, const patience& patience, moment until) {
  const auto all = look_up(to, 0);
  int error = 0;
  for (const auto* one = all.get(); one != nullptr; one = one->ai_next) {
    descriptor made(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, one->ai_protocol));
    if (!made) {
      error = errno;
      continue;
    }
    tune(made.get());
    if (::connect(made.get(), one->ai_addr, one->ai_addrlen) == 0) return made;
    error = errno;
    if (error != EINPROGRESS) continue;
    switch (patience.wait(made.get(), POLLOUT, until)) {
      case waited::given_up:
        return {};
      case waited::late:
        error = ETIMEDOUT;
        continue;
      case waited::ready:
        break;
    }
    socklen_t size = sizeof error;
    if (::getsockopt(made.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0) return made;
  }
  throw connection_lost(reason(error));
}

waited shake_hands(const connection& link, const patience& patience, moment until) {
  if (link.secured() == nullptr) return waited::ready;
  while (const auto events = link.secured()->shake_hands())
    if (const auto how = patience.wait(link.get(), events, until); how != waited::ready) return how;
  return waited::ready;
}

std::size_t send_some(const connection& link, std::span<const std::byte> bytes) {
  if (auto* cipher = link.secured()) return cipher->send_some(bytes);
  for (;;) {
    const auto sent = ::send(link.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) return static_cast<std::size_t>(sent);
    if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
    if (errno != EINTR) throw connection_lost(reason(errno));
  }
}

std::size_t receive_some(const connection& link, std::span<std::byte> into) {
  if (auto* cipher = link.secured()) return cipher->receive_some(into);
  for (;;) {
    const auto got = ::recv(link.get(), into.data(), into.size(), 0);
    if (got > 0) return static_cast<std::size_t>(got);
    if (got == 0) throw connection_lost("the other side has closed the connection");
    if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
    if (errno != EINTR) throw connection_lost(reason(errno));
  }
}

waited send_all(const connection& link, std::span<const std::byte> bytes, const patience& patience,
                moment until) {
  for (;;) {
    bytes = bytes.subspan(send_some(link, bytes));
    if (bytes.empty()) return waited::ready;
    if (const auto how = patience.wait(link, POLLOUT, until); how != waited::ready) return how;
  }
}

waited receive_all(const connection& link, std::span<std::byte> into, const patience& patience,
                   moment until) {
  while (!into.empty()) {
    if (const auto how = patience.wait(link, POLLIN, until); how != waited::ready) return how;
    into = into.subspan(receive_some(link, into));
  }
  return waited::ready;
}

void say_last(connection link, std::span<const std::byte> bytes) noexcept {
  try {
    const auto until = from_now(500ms);
    if (send_all(link, bytes, none, until) != waited::ready) return;
    ::shutdown(link.get(), SHUT_WR);
    std::array<std::byte, 4096> ignored{};
    while (none.wait(link, POLLIN, until) == waited::ready) (void)receive_some(link, ignored);
  } catch (const std::exception&) {
    return;  // it is closed already
  }
}

}  // namespace THALWEG_NAMESPACE::net
