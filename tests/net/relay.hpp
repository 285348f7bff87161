#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <poll.h>

#include "net/raw_peer.hpp"

/// Takes one connection, and passes bytes on in both directions. It keeps what went to the receiver.
class relay {
 public:
  explicit relay(std::uint16_t to) : thread_([this, to](const std::stop_token& stop) { carry(stop, to); }) {}

  [[nodiscard]] std::string where() const { return "127.0.0.1:" + std::to_string(door_.port()); }
  /// What has gone to the receiver so far.
  [[nodiscard]] std::string sent() const {
    const std::lock_guard held(mutex_);
    return sent_;
  }
  /// Breaks the connection that there is. The next one is taken.
  void cut() {
    const std::lock_guard held(mutex_);
    from_.cut();
    to_.cut();
  }

 private:
  void carry(const std::stop_token& stop, std::uint16_t to) {
    const std::stop_callback closes(stop, [this] {
      door_.cut();
      cut();
    });
    while (!stop.stop_requested()) {
      auto from = door_.accepted();
      if (from.fd() < 0) return;
      auto link = raw_peer::connected_to(to);
      {
        const std::lock_guard held(mutex_);
        from_ = std::move(from);
        to_ = std::move(link);
      }
      if (stop.stop_requested()) return;
      while (pass()) {
      }
      cut();
    }
  }
  bool pass() {
    std::array<pollfd, 2> both{{{from_.fd(), POLLIN, 0}, {to_.fd(), POLLIN, 0}}};
    if (::poll(both.data(), both.size(), -1) < 0) return false;
    return (both[0].revents == 0 || pass(from_, to_, true)) &&
           (both[1].revents == 0 || pass(to_, from_, false));
  }
  bool pass(const raw_peer& from, const raw_peer& to, bool keep) {
    std::array<char, 4096> some{};
    const auto got = ::recv(from.fd(), some.data(), some.size(), 0);
    if (got <= 0) return false;
    const std::string_view bytes(some.data(), static_cast<std::size_t>(got));
    if (keep) {
      const std::lock_guard held(mutex_);
      sent_ += bytes;
    }
    return to.say(bytes);
  }

  raw_peer door_ = raw_peer::listening();
  mutable std::mutex mutex_;
  raw_peer from_, to_;
  std::string sent_;
  std::jthread thread_;
};
