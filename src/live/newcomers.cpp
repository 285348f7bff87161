#include "newcomers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "connections.hpp"

namespace THALWEG_NAMESPACE::live {

namespace {

// Tells a connection from one that has the same number later.
ino_t mark_of(int socket) {
  struct stat what {};
  return ::fstat(socket, &what) == 0 ? what.st_ino : 0;
}

// As the library that serves it says it.
std::pair<std::string, int> peer_of(int socket) {
  sockaddr_storage where{};
  socklen_t size = sizeof where;
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&where), &size) != 0 ||
      ::getnameinfo(reinterpret_cast<const sockaddr*>(&where), size, host.data(), host.size(), port.data(),
                    port.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return {};
  int number = 0;
  std::from_chars(port.data(), port.data() + std::strlen(port.data()), number);
  return {host.data(), number};
}

// Whether a whole request lies there, or the head of one, that nobody has read yet.
bool has_a_request(int socket) {
  std::array<char, 8192> some{};
  const auto got = ::recv(socket, some.data(), some.size(), MSG_PEEK | MSG_DONTWAIT);
  return got > 0 && std::string_view(some.data(), static_cast<std::size_t>(got)).find("\r\n\r\n") !=
                        std::string_view::npos;
}

}  // namespace

void newcomers::look(int port, moment now) {
  const std::lock_guard hold(mutex_);
  if (!learn(port, now)) return;
  const auto chosen = chosen_at(now);
  if (chosen.empty()) return;
  (void)each_connection_at(port, [&](int socket) {
    if (std::ranges::find(chosen, mark_of(socket)) != chosen.end()) ::shutdown(socket, SHUT_RDWR);
  });
}

void newcomers::has_asked(const std::string& address, int port) {
  const std::lock_guard hold(mutex_);
  for (auto& one : all_) {
    if (one.port == port && one.address == address) one.asked = true;
  }
}

bool newcomers::any_waits() {
  const std::lock_guard hold(mutex_);
  return std::ranges::any_of(all_, [](const client& one) { return !one.asked && !one.cut; });
}

// False: there may be others.
bool newcomers::learn(int port, moment now) {
  std::vector<client> there;
  const bool all = each_connection_at(port, [&](int socket) {
    const auto mark = mark_of(socket);
    const auto is_it = [mark](const client& one) { return one.connection == mark; };
    if (mark == 0 || std::ranges::any_of(there, is_it)) return;
    if (const auto known = std::ranges::find_if(all_, is_it); known != all_.end()) {
      there.push_back(*known);
    } else {
      auto [address, its_port] = peer_of(socket);
      there.push_back({mark, std::move(address), its_port, now});
    }
    auto& one = there.back();
    one.sent = !one.asked && !one.cut && has_a_request(socket);
  });
  if (!all) return false;
  std::ranges::stable_sort(there, {}, &client::since);
  all_.swap(there);
  return true;
}

// Those that have to go now, and counts them as gone.
std::vector<ino_t> newcomers::chosen_at(moment now) {
  auto open = static_cast<std::size_t>(std::ranges::count(all_, false, &client::cut));
  std::vector<ino_t> chosen;
  for (auto& one : all_) {
    if (one.asked || one.cut || one.sent) continue;
    if (now - one.since <= (open > most_.places ? most_.in_a_crowd : most_.patience)) continue;
    one.cut = true;
    --open;
    chosen.push_back(one.connection);
  }
  return chosen;
}

}  // namespace THALWEG_NAMESPACE::live
