#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "net/raw_peer.hpp"

/// A web server of this machine that says what a test has written, byte by byte, and keeps what it was asked.
/// One connection after the other, each for one request, has the next of its scripts; the last one is for all
/// that follow.
class web_server {
 public:
  /// Says what there is to say, then the connection is closed.
  using script = std::function<void(const raw_peer& link, const std::string& request)>;

  explicit web_server(std::vector<script> scripts)
      : scripts_(std::move(scripts)), thread_([this](const std::stop_token& stop) { serve(stop); }) {}

  [[nodiscard]] std::uint16_t port() const { return door_.port(); }
  [[nodiscard]] std::string where() const { return "127.0.0.1:" + std::to_string(door_.port()); }
  [[nodiscard]] std::string url(std::string_view path = "/stream") const {
    return "http://" + where() + std::string(path);
  }
  [[nodiscard]] std::vector<std::string> requests() const {
    const std::lock_guard held(mutex_);
    return requests_;
  }

 private:
  void serve(const std::stop_token& stop) {
    const std::stop_callback closes(stop, [this] {
      door_.cut();
      const std::lock_guard held(mutex_);
      link_.cut();
    });
    for (std::size_t i = 0; !stop.stop_requested(); ++i) {
      auto link = door_.accepted();
      if (link.fd() < 0) return;
      {
        const std::lock_guard held(mutex_);
        link_ = std::move(link);
      }
      if (stop.stop_requested()) return;
      const auto request = heard(link_);
      {
        const std::lock_guard held(mutex_);
        requests_.push_back(request);
      }
      scripts_[std::min(i, scripts_.size() - 1)](link_, request);
      const std::lock_guard held(mutex_);
      link_ = {};
    }
  }
  static std::string heard(const raw_peer& link) {
    std::string all;
    while (all.find("\r\n\r\n") == all.npos) {
      const auto one = link.hear(1);
      if (one.empty()) return all;
      all += one;
    }
    constexpr std::string_view length = "Content-Length: ";
    if (const auto at = all.find(length); at != all.npos)
      all += link.hear(std::stoul(all.substr(at + length.size())));
    return all;
  }

  raw_peer door_ = raw_peer::listening();
  std::vector<script> scripts_;
  mutable std::mutex mutex_;
  raw_peer link_;
  std::vector<std::string> requests_;
  std::jthread thread_;
};

/// An answer that says at its beginning how long it is.
inline std::string answer_of(std::string_view body, std::string_view headers = "",
                             std::string_view status = "200 OK") {
  return "HTTP/1.1 " + std::string(status) + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(headers) + "\r\n" + std::string(body);
}
/// The beginning of one that comes in chunks, and a chunk. The last chunk is empty.
inline std::string chunked(std::string_view headers = "") {
  return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + std::string(headers) + "\r\n";
}
inline std::string chunk(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string size;
  for (auto left = bytes.size(); left > 0 || size.empty(); left /= 16) size.insert(0, 1, digits[left % 16]);
  return size + "\r\n" + std::string(bytes) + "\r\n";
}

/// Says all of these, one after the other.
inline web_server::script saying(std::vector<std::string> parts) {
  return [parts = std::move(parts)](const raw_peer& link, const std::string&) {
    for (const auto& part : parts)
      if (!link.say(part)) return;
  };
}
/// Says this, and then nothing, until the other side has closed the connection.
inline web_server::script staying(std::string part) {
  return [part = std::move(part)](const raw_peer& link, const std::string&) {
    link.say(part);
    (void)link.hear();
  };
}
