#include <thalweg/observe/json.hpp>

#include <charconv>
#include <cmath>
#include <cstddef>

namespace THALWEG_NAMESPACE::observe {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

bool is_continuation(unsigned char c) noexcept {
  return (c & 0xC0) == 0x80;
}

// The length of the valid UTF-8 sequence at the start of `text`, or 0: no overlong forms, no surrogates,
// nothing above U+10FFFF (The Unicode Standard, table 3-7).
std::size_t utf8_length(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : lead >= 0xE0 && lead <= 0xEF ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i != length; ++i) {
    if (!is_continuation(byte(i))) return 0;
  }
  const unsigned char second = byte(1);
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F)) return 0;
  if ((lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) return 0;
  return length;
}

void append_escaped(std::string& out, std::string_view text) {
  constexpr char hex[] = "0123456789abcdef";
  while (!text.empty()) {
    const char c = text.front();
    std::size_t length = 1;
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += "\\u00";
          out += hex[static_cast<unsigned char>(c) >> 4];
          out += hex[static_cast<unsigned char>(c) & 15];
        } else if (const std::size_t valid = utf8_length(text); valid != 0) {
          length = valid;
          out += text.substr(0, length);
        } else {
          out += replacement;
        }
    }
    text.remove_prefix(length);
  }
}

}  // namespace

std::string json_escaped(std::string_view text) {
  std::string out;
  append_escaped(out, text);
  return out;
}

void json_writer::separate() {
  if (after_value_) out_ += ',';
  after_value_ = true;
}

json_writer& json_writer::begin(char bracket) {
  separate();
  out_ += bracket;
  after_value_ = false;
  return *this;
}

json_writer& json_writer::end(char bracket) {
  out_ += bracket;
  after_value_ = true;
  return *this;
}

json_writer& json_writer::key(std::string_view name) {
  value(name);
  out_ += ':';
  after_value_ = false;
  return *this;
}

json_writer& json_writer::value(std::string_view text) {
  separate();
  out_ += '"';
  append_escaped(out_, text);
  out_ += '"';
  return *this;
}

json_writer& json_writer::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

json_writer& json_writer::value(double number) {
  if (!std::isfinite(number)) return null();
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  return raw({text, static_cast<std::size_t>(end - text)});
}

json_writer& json_writer::signed_value(std::int64_t number) {
  char text[24];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  return raw({text, static_cast<std::size_t>(end - text)});
}

json_writer& json_writer::unsigned_value(std::uint64_t number) {
  char text[24];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  return raw({text, static_cast<std::size_t>(end - text)});
}

}  // namespace THALWEG_NAMESPACE::observe
