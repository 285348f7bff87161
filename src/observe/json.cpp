#include <thalweg/observe/json.hpp>
#include <thalweg/observe/text.hpp>

#include <charconv>
#include <cmath>
#include <cstddef>

namespace THALWEG_NAMESPACE::observe {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

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
