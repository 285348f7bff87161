#include "text_lines.hpp"

namespace THALWEG_NAMESPACE::net::web {

std::optional<std::string> text_lines::next() {
  if (too_long_) refuse();
  for (;;) {
    if (after_cr_ && begin_ < text_.size()) {
      after_cr_ = false;
      if (text_[begin_] == '\n') ++begin_;
    }
    const auto end = find_end();
    const bool whole = end != text_.npos;
    auto length = (whole ? end : text_.size()) - begin_;
    if (whole && ends_ == line_ends::lf_or_crlf && length > 0 && text_[end - 1] == '\r') --length;
    // A CR at the end of what there is may be no part of the line.
    const std::size_t may_go = !whole && ends_ == line_ends::lf_or_crlf ? 1 : 0;
    if (!skips_ && length > longest_ + may_go) refuse();
    if (!whole) {
      looked_ = length;
      if (skips_) begin_ = text_.size(), looked_ = 0;
      return {};
    }
    after_cr_ = text_[end] == '\r';
    looked_ = 0;
    const auto at = std::exchange(begin_, end + 1);
    if (!std::exchange(skips_, false)) return text_.substr(at, length);
  }
}

std::optional<std::string> text_lines::last() {
  auto line = next();
  if (line) return line;
  if (text_.size() - begin_ > longest_) refuse();
  line = text_.substr(begin_);
  clear();
  return line->empty() ? std::nullopt : line;
}

bool text_lines::give_up() {
  if (!std::exchange(too_long_, false)) return false;
  return skips_ = true;
}

void text_lines::clear() {
  text_.clear();
  begin_ = looked_ = 0;
  too_long_ = skips_ = after_cr_ = false;
}

std::size_t text_lines::find_end() const {
  const auto from = begin_ + looked_;
  return ends_ == line_ends::any ? text_.find_first_of("\r\n", from) : text_.find('\n', from);
}

void text_lines::refuse() {
  too_long_ = true;
  throw too_long{};
}

}  // namespace THALWEG_NAMESPACE::net::web
