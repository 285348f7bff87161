#pragma once

#include <thalweg/adapt/window.hpp>
#include <thalweg/net/address.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "../net/local.hpp"
#include "../net/socket.hpp"

namespace THALWEG_NAMESPACE::adaptation {

/// Where a run listens for controllers.
struct controller_address {
  std::string path{};  ///< of a local socket; empty: `host` counts
  net::address host{};

  /// `unix:/path` or `tcp:host:port`. \throws network_error  if it is none
  static controller_address parse(std::string_view text);
  [[nodiscard]] std::string text() const;
};

/// The programs that watch a run and control it, over sockets, with one thread. Nothing that they do holds up
/// the run or makes it grow: what waits for each of them, and what is read of each, has a limit.
class controllers {
 public:
  /// Listens. `run` says which run it is of. \throws network_error  if it cannot listen there
  controllers(controller_address at, std::string run);
  controllers(const controllers&) = delete;
  controllers& operator=(const controllers&) = delete;
  ~controllers();

  /// Where it has come to listen.
  [[nodiscard]] const controller_address& where() const noexcept { return at_; }

  /// Shows them a window; returns what was asked for since the last one. It waits for nobody. One thread at a
  /// time. \throws std::exception  what the thread has ended with
  [[nodiscard]] changes show(const window& w);

 private:
  struct client {
    net::connection link;
    std::string said{};                         // what is not read yet
    std::string queue{};                        // what waits to be sent, whole lines
    std::size_t sent = 0;                       // of the queue
    std::shared_ptr<const std::string> next{};  // the newest window that is not in the queue
    int documents = 0;                          // that are still read before the next window
    bool speaks = true;
    bool gone = false;

    [[nodiscard]] std::size_t waiting() const noexcept { return queue.size() - sent; }
    [[nodiscard]] bool may_speak() const noexcept;
  };

  void live();
  void turn();
  void let_in();
  void pass_on_window();
  void hear(client& one);
  void read_lines(client& one);
  void read(client& one, std::string_view line);
  void say(client& one);
  void leave(const client& one);

  controller_address at_;
  const std::string run_;
  std::optional<net::local_listener> local_{};
  net::descriptor remote_{};
  net::bell rung_{};
  std::atomic<bool> over_{false};

  std::mutex mutex_{};
  std::shared_ptr<const window> shown_{};      // without its latencies
  std::shared_ptr<const std::string> line_{};  // the same, for clients that have not got it
  changes asked_for_{};
  std::exception_ptr failed_{};

  // Of the thread alone.
  std::list<client> clients_{};
  const client* decides_ = nullptr;
  std::uint64_t last_seq_ = 0;  // of the one that decides
  int lets_in_;                 // how many more before the next window

  std::jthread thread_{};  // last: it uses the others
};

}  // namespace THALWEG_NAMESPACE::adaptation
