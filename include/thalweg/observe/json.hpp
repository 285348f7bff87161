// Writes JSON, piece by piece, into a string.
#pragma once

#include <thalweg/version.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace THALWEG_NAMESPACE::observe {

/// `text` as the inside of a JSON string: quotes, backslashes and control characters escaped. Names and
/// messages come from users, so bytes that are not valid UTF-8 are replaced by U+FFFD: the result is always
/// valid.
std::string json_escaped(std::string_view text);

/// Appends JSON to a string: it adds commas and escapes, the caller matches the ends. It keeps nothing but
/// the string, so a caller may write a large document in parts and take the string away in between.
///
/// ```cpp
/// #include <thalweg/observe/json.hpp>
/// std::string text;
/// tw::observe::json_writer json(text);
/// json.begin_object().member("stage", "compress").key("sizes").begin_array();
/// for (int size : {1, 2}) json.value(size);
/// json.end_array().end_object();
/// assert(text == R"({"stage":"compress","sizes":[1,2]})");
/// ```
class json_writer {
 public:
  /// `out` must outlive the writer.
  explicit json_writer(std::string& out) noexcept : out_(out) {}

  json_writer& begin_object() { return begin('{'); }
  json_writer& end_object() { return end('}'); }
  json_writer& begin_array() { return begin('['); }
  json_writer& end_array() { return end(']'); }

  json_writer& key(std::string_view name);

  json_writer& value(std::string_view text);
  json_writer& value(const char* text) { return value(std::string_view(text)); }
  /// The shortest text that reads back as the same number. JSON has no infinities and no NaN: they become
  /// null.
  json_writer& value(double number);
  template <std::integral Number> json_writer& value(Number number) {
    if constexpr (std::same_as<Number, bool>) {
      return raw(number ? "true" : "false");
    } else if constexpr (std::signed_integral<Number>) {
      return signed_value(number);
    } else {
      return unsigned_value(number);
    }
  }
  json_writer& null() { return raw("null"); }

  /// Text that is already JSON.
  json_writer& raw(std::string_view json);

  template <class Value> json_writer& member(std::string_view name, const Value& v) {
    return key(name).value(v);
  }

 private:
  json_writer& begin(char bracket);
  json_writer& end(char bracket);
  json_writer& signed_value(std::int64_t number);
  json_writer& unsigned_value(std::uint64_t number);
  void separate();

  std::string& out_;
  bool after_value_ = false;
};

}  // namespace THALWEG_NAMESPACE::observe
