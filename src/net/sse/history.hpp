#pragma once

#include <thalweg/version.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace THALWEG_NAMESPACE::net::sse {

/// Numbers events, and keeps the latest ones for clients that come back.
class history {
 public:
  /// `capacity`: bytes of the events that are kept, at most.
  explicit history(std::size_t capacity);

  /// Of the next event. No other server has it, nor one that was here before.
  [[nodiscard]] std::string next_id() const;
  /// The next event, as it is on the wire.
  void add(const std::string& text);

  /// What a client has missed.
  struct rest {
    std::uint64_t gone = 0;  // events that are not kept
    std::size_t first = 0;   // of `kept()` that follows them
  };
  /// What has followed an event; nothing if this server has had no event of that id.
  [[nodiscard]] std::optional<rest> after(std::string_view id) const;
  [[nodiscard]] const std::deque<std::string>& kept() const { return kept_; }

 private:
  std::size_t capacity_;
  std::string name_;
  std::deque<std::string> kept_{};
  std::size_t size_ = 0;     // of those, in bytes
  std::uint64_t count_ = 0;  // of all events
};

}  // namespace THALWEG_NAMESPACE::net::sse
