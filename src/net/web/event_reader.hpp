// Server-sent events, as HTML's section 9.2.6 reads them.
#pragma once

#include <thalweg/net/http.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "text_lines.hpp"

namespace THALWEG_NAMESPACE::net::web {

class event_reader {
 public:
  event_reader(std::size_t longest, std::string last_id);

  /// Where more is appended, when `next` has none.
  std::string& more() { return lines_.more(); }
  /// The next whole event. \throws text_lines::too_long  until `give_up`
  std::optional<http_event> next();
  /// Leaves out the event that is too long. False if none is.
  bool give_up();
  /// Another answer begins.
  void begin_anew();

  [[nodiscard]] const std::string& last_id() const noexcept { return last_id_; }
  /// What the server wants as the time before a reconnect, since it was last asked for.
  std::optional<std::chrono::milliseconds> take_delay() { return std::exchange(delay_, std::nullopt); }

 private:
  void take(std::string_view line);
  void set(std::string_view field, std::string_view value);
  std::optional<http_event> dispatch();

  std::size_t longest_;
  text_lines lines_;
  bool at_begin_ = true;
  bool too_long_ = false;  // the event is refused
  bool skips_ = false;     // it is left out
  std::string id_, last_id_, event_{}, data_{};
  bool has_data_ = false;
  std::optional<std::chrono::milliseconds> delay_{};
};

}  // namespace THALWEG_NAMESPACE::net::web
