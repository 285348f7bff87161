// Text in pieces, cut into lines.
#pragma once

#include <thalweg/version.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace THALWEG_NAMESPACE::net::web {

/// Where lines end.
enum class line_ends : std::uint8_t { lf, lf_or_crlf, any };

class text_lines {
 public:
  text_lines(line_ends ends, std::size_t longest) : ends_(ends), longest_(longest) {}

  /// Where more is appended, when `next` has none.
  std::string& more() {
    text_.erase(0, std::exchange(begin_, 0));
    return text_;
  }
  /// The next whole line, without its end. \throws too_long  until `give_up`
  std::optional<std::string> next();
  /// The last line, which has no end. Then nothing is left.
  std::optional<std::string> last();
  /// Leaves out the line that is too long. False if none is.
  bool give_up();
  /// Forgets what is there.
  void clear();

  struct too_long {};

 private:
  std::size_t find_end() const;
  [[noreturn]] void refuse();

  line_ends ends_;
  std::size_t longest_;
  std::string text_{};
  std::size_t begin_ = 0;   // of the line
  std::size_t looked_ = 0;  // so many bytes of it have no end
  bool too_long_ = false;   // it is refused
  bool skips_ = false;      // it is left out
  bool after_cr_ = false;   // an LF that follows belongs to the end of the line before
};

}  // namespace THALWEG_NAMESPACE::net::web
