#include "event_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

namespace THALWEG_NAMESPACE::net::web {

event_reader::event_reader(std::size_t longest, std::string last_id)
    : longest_(longest), lines_(line_ends::any, longest), id_(last_id), last_id_(std::move(last_id)) {}

std::optional<http_event> event_reader::next() {
  if (too_long_) throw text_lines::too_long{};
  while (auto line = lines_.next()) {
    std::string_view text = *line;
    constexpr std::string_view mark = "\xEF\xBB\xBF";  // of UTF-8
    if (std::exchange(at_begin_, false) && text.starts_with(mark)) text.remove_prefix(mark.size());
    if (!text.empty()) {
      take(text);
    } else if (auto event = dispatch()) {
      return event;
    }
  }
  return {};
}

bool event_reader::give_up() {
  const bool was_one = std::exchange(too_long_, false) || lines_.give_up();
  // Of an event with a line that is too long the rest goes, too.
  skips_ = skips_ || was_one;
  return was_one;
}

void event_reader::begin_anew() {
  lines_.clear();
  at_begin_ = true;
  too_long_ = skips_ = has_data_ = false;
  id_ = last_id_;
  event_.clear();
  data_.clear();
}

void event_reader::take(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == line.npos) return set(line, {});
  auto value = line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  set(line.substr(0, colon), value);
}

void event_reader::set(std::string_view field, std::string_view value) {
  if (field == "event") {
    event_ = value;
  } else if (field == "id") {
    if (value.find('\0') == value.npos) id_ = value;
  } else if (field == "retry") {
    std::int64_t ms = 0;
    const auto* end = value.data() + value.size();
    const auto [at, error] = std::from_chars(value.data(), end, ms);
    constexpr std::int64_t day = 86'400'000;
    if (error == std::errc{} && at == end && ms >= 0) delay_ = std::chrono::milliseconds(std::min(ms, day));
  } else if (field == "data" && !skips_) {
    if (std::exchange(has_data_, true)) data_ += '\n';
    data_ += value;
    if (data_.size() <= longest_) return;
    too_long_ = true;
    data_.clear();
    throw text_lines::too_long{};
  }
}

// An id counts from the end of its event on, even if there is nothing else in it.
std::optional<http_event> event_reader::dispatch() {
  last_id_ = id_;
  auto event = std::exchange(event_, {});
  auto data = std::exchange(data_, {});
  const bool is_one = std::exchange(has_data_, false) && !std::exchange(skips_, false);
  skips_ = false;
  if (!is_one) return {};
  return http_event{last_id_, event.empty() ? "message" : std::move(event), std::move(data)};
}

}  // namespace THALWEG_NAMESPACE::net::web
