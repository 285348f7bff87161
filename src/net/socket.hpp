// Sockets: descriptors that close themselves, waits that can be ended, and bytes in and out. Nothing here
// knows of streams.
#pragma once

#include <thalweg/net/address.hpp>
#include <thalweg/net/security.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <poll.h>

namespace THALWEG_NAMESPACE::net {

using moment = std::chrono::steady_clock::time_point;

/// The moment that lies so far ahead.
inline moment from_now(std::chrono::milliseconds time) {
  const auto now = std::chrono::steady_clock::now();
  // Compared in milliseconds: in nanoseconds the longest times are beyond all numbers.
  const bool far = time > std::chrono::floor<std::chrono::milliseconds>(moment::max() - now);
  return far ? moment::max() : now + time;
}

/// A connection that broke: both sides may try again.
struct connection_lost : network_error {
  using network_error::network_error;
};

class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int fd) : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    other.reset();
    return *this;
  }
  ~descriptor() { reset(); }

  [[nodiscard]] int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  void reset() noexcept;

 private:
  int fd_ = -1;
};

/// A connection, whose bytes travel as they are, or through a cipher.
class connection {
 public:
  connection() = default;
  explicit connection(descriptor socket, std::unique_ptr<cipher> secured = {})
      : socket_(std::move(socket)), cipher_(std::move(secured)) {}

  [[nodiscard]] int get() const noexcept { return socket_.get(); }
  explicit operator bool() const noexcept { return static_cast<bool>(socket_); }
  void reset() noexcept { *this = connection(); }

  /// The same, without what makes it secure.
  [[nodiscard]] connection plain() && { return connection(std::move(socket_)); }
  /// None where bytes travel as they are.
  [[nodiscard]] cipher* secured() const noexcept { return cipher_.get(); }
  /// Whether there is something to receive that no wait tells of.
  [[nodiscard]] bool has_more() const noexcept { return cipher_ && cipher_->has_more(); }

 private:
  descriptor socket_;
  std::unique_ptr<cipher> cipher_;
};

/// Wakes whoever waits for it, until it is silenced. Any thread.
class bell {
 public:
  bell();
  void ring() noexcept;
  void silence() noexcept;
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }

 private:
  descriptor fd_;
};

enum class waited : std::uint8_t { ready, given_up, late };

/// How waits are ended before their time: whoever rings the bell has `over` asked, and it says whether.
/// `look`: it is asked every 20 ms, too.
struct patience {
  bell* rung = nullptr;
  std::function<bool()> over;
  bool look = false;

  /// Waits until what `events` names (as `poll` does) can be done with a descriptor; with none (-1), for as
  /// long as it takes. What has gone wrong with it counts as ready. `until_rung`: the bell alone is enough.
  waited wait(int fd, short events, moment until, bool until_rung = false) const;
  waited wait(const connection& link, short events, moment until, bool until_rung = false) const;
  /// The same for any of several, of which each says by its `revents` whether it is ready.
  waited wait(std::vector<pollfd>& any, moment until, bool until_rung = false) const;
};

/// Has a connection wait for nothing more to come before it sends, and notice a machine that is gone within
/// half a minute.
void tune(int fd);
/// Listens at an address; which port it has come to be is put into it. \throws network_error
descriptor listen_at(address& at);
/// Who has connected; `from` becomes where that one is. Empty if it has gone again.
/// \throws network_error  if there can be no more connections
descriptor accept_from(const descriptor& listener, std::string& from);
/// Connects to one of the addresses of a host. Empty if the wait was given up. \throws connection_lost  if
/// that fails, network_error if it always will
descriptor connect_to(const address& to, const patience& patience, moment until);

/// Makes sure of who is at the other side of a connection, if that is asked for. \throws network_error
waited shake_hands(const connection& link, const patience& patience, moment until);
/// Sends what can be sent at once; how much that was. \throws connection_lost
std::size_t send_some(const connection& link, std::span<const std::byte> bytes);
/// Receives what is there, 0 if nothing is. \throws connection_lost  also at the end
std::size_t receive_some(const connection& link, std::span<std::byte> into);
/// Sends all. \throws connection_lost
waited send_all(const connection& link, std::span<const std::byte> bytes, const patience& patience,
                moment until);
/// Receives as many bytes as there is room for. \throws connection_lost
waited receive_all(const connection& link, std::span<std::byte> into, const patience& patience, moment until);
/// Says something last: sends it, and waits until the other side has closed the connection, since what is
/// received and not read could cost it these words. Half a second at most. Nothing that fails matters.
void say_last(connection link, std::span<const std::byte> bytes) noexcept;

}  // namespace THALWEG_NAMESPACE::net
