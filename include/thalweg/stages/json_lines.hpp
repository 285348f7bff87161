/// `json_lines`, `to_json_lines`, `parse_json`, `dump_json`: a JSON value on each line of a text file. Not
/// part of <thalweg/stages.hpp>; needs nlohmann/json 3, which has only headers.
#pragma once

#include <thalweg/model/errors.hpp>
#include <thalweg/pattern/map.hpp>
#include <thalweg/stages/building.hpp>
#include <thalweg/stages/file_sink.hpp>
#include <thalweg/stages/lines.hpp>

#include <concepts>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace THALWEG_NAMESPACE {

/// A text that is no JSON, or not of the type that is wanted.
struct json_error : error {
  using error::error;
};

namespace stages {

/// What a stage that reads JSON takes: texts, and lines with their places.
struct json_text {
  std::string_view text;
  const numbered_line* place = nullptr;

  template <text_item T> json_text(const T& whole) : text(whole) {}
  template <std::same_as<numbered_line> T> json_text(const T& line) : text(line.text), place(&line) {}
};

}  // namespace stages
template <> inline constexpr bool model::refers_elsewhere<stages::json_text> = true;
namespace stages {

/// What a JSON value keeps in memory. It may be nested as deeply as a line is long.
template <class Json> std::size_t size_of_json(const Json& value) {
  std::size_t sum = sizeof(Json);
  std::vector<const Json*> open;
  const auto add = [&](const Json& part) {
    if (part.is_string())
      sum += part.template get_ref<const typename Json::string_t&>().size();
    else if (part.is_structured())
      open.push_back(&part);
  };
  add(value);
  while (!open.empty()) {
    const auto& whole = *open.back();
    open.pop_back();
    sum += whole.size() * sizeof(Json);
    for (auto part = whole.begin(); part != whole.end(); ++part) {
      if (whole.is_object()) sum += sizeof(typename Json::string_t) + part.key().size();
      add(*part);
    }
  }
  return sum;
}

template <class T> struct parse_json_text {
  static constexpr auto pattern = "parse_json";

  T operator()(json_text item) const {
    try {
      auto value = nlohmann::json::parse(item.text);
      if constexpr (std::is_same_v<T, nlohmann::json>) {
        return value;
      } else {
        return value.template get<T>();
      }
    } catch (const nlohmann::json::exception& e) {
      throw json_error(where(item) + e.what());
    }
  }

 private:
  static std::string where(const json_text& item) {
    return item.place != nullptr ? item.place->file + ":" + std::to_string(item.place->number) + ": "
                                 : std::string();
  }
};

struct dump_json_text {
  static constexpr auto pattern = "dump_json";

  template <class T>
    requires std::constructible_from<nlohmann::json, const T&>
  std::string operator()(const T& value) const {
    if constexpr (std::is_same_v<T, nlohmann::json>) {
      return value.dump();
    } else {
      return nlohmann::json(value).dump();
    }
  }
};

}  // namespace stages

/// From a text, or a `numbered_line`, to the JSON value in it, as a `T`: `nlohmann::json`, or what nlohmann's
/// `get` can make: numbers, strings, containers, and any type with a `from_json`.
///
/// Order: deterministic; in a farm, too, where values are read in parallel.
///
/// Errors: a text that is no JSON value, is empty, or is no `T`, is a `json_error` of its item with the
/// parser's message, behind the file and the line if the item is a `numbered_line`. It ends the run, unless
/// `.on_error` says otherwise.
///
/// ```cpp
/// #include <thalweg/stages/json_lines.hpp>
/// std::vector<std::string> texts{"[1, 2]", "[3", "[4]"};
/// int sum = 0;
/// tw::run(tw::source(texts) | tw::farm(tw::parse_json<std::vector<int>>({.on_error = tw::skip})) |
///         tw::sink([&](const std::vector<int>& v) { sum += std::accumulate(v.begin(), v.end(), 0); }));
/// assert(sum == 7);
/// ```
template <class T> auto parse_json(options opts = {}) {
  return stages::make<model::map_stage>(stages::parse_json_text<T>{}, std::move(opts));
}

/// From a value to its JSON text, on one line: of a `nlohmann::json`, or of any type with a `to_json`.
///
/// Order: deterministic, in a farm too. Errors: a string that is not UTF-8 is a `nlohmann::json::type_error`.
/// What JSON has no number for (infinity, NaN) becomes `null`.
///
/// Example: `to_json_lines`.
inline auto dump_json(options opts = {}) {
  return stages::make<model::map_stage>(stages::dump_json_text{}, std::move(opts));
}

/// A source of the JSON values in the lines of one file or of several: `numbered_lines(paths, how) |
/// parse_json<T>(opts)`. To read values in parallel, write this with a `farm` around the second stage.
///
/// Order: deterministic. Errors: of files as `numbered_lines`; of lines as `parse_json`, to which `opts`
/// belongs. A line with nothing on it is an error, too.
///
/// ```cpp
/// #include <thalweg/stages/json_lines.hpp>
/// #include <filesystem>
/// #include <fstream>
/// const auto* const three = R"({"user": "ada", "ms": 12}
/// {
/// {"user": "max", "ms": 30})";
/// std::ofstream("json-lines-example") << three;
/// std::string wrong;
/// int total = 0;
/// auto note = tw::dead_letter(
///     [&](const tw::numbered_line& line, std::exception_ptr) { wrong = line.text; });
/// tw::run(tw::json_lines<nlohmann::json>("json-lines-example", {}, {.on_error = note}) |
///         tw::sink([&](const nlohmann::json& entry) { total += entry["ms"].get<int>(); }));
/// assert(total == 42 && wrong == "{");
/// std::filesystem::remove("json-lines-example");
/// ```
template <class T> auto json_lines(std::filesystem::path path, lines_options how = {}, options opts = {}) {
  return numbered_lines(std::move(path), std::move(how)) | parse_json<T>(std::move(opts));
}
template <class T, stages::paths R> auto json_lines(R&& paths, lines_options how = {}, options opts = {}) {
  return numbered_lines(std::forward<R>(paths), std::move(how)) | parse_json<T>(std::move(opts));
}
template <class T>
auto json_lines(std::initializer_list<std::filesystem::path> paths, lines_options how = {},
                options opts = {}) {
  return numbered_lines(paths, std::move(how)) | parse_json<T>(std::move(opts));
}

/// Writes a file with a JSON value on each line: `dump_json(opts) | file_sink(path, how)`. To make the texts
/// in parallel, write this with a `farm` around the first stage.
///
/// Order: deterministic; it is serial, and refused in a farm. Errors: of values as `dump_json`, to which
/// `opts` belongs; of the file as `file_sink`.
///
/// ```cpp
/// #include <thalweg/stages/json_lines.hpp>
/// #include <filesystem>
/// #include <fstream>
/// using entry = std::map<std::string, int>;
/// const std::vector<entry> entries{{{"a", 1}}, {{"b", 2}, {"c", 3}}};
/// tw::run(tw::source(entries) | tw::to_json_lines("json-sink-example"));
/// std::stringstream text;
/// text << std::ifstream("json-sink-example").rdbuf();
/// assert(text.str() == "{\"a\":1}\n{\"b\":2,\"c\":3}\n");
/// std::filesystem::remove("json-sink-example");
/// ```
inline auto to_json_lines(std::filesystem::path path, file_sink_options how = {}, options opts = {}) {
  return dump_json(std::move(opts)) | file_sink(std::move(path), std::move(how));
}

}  // namespace THALWEG_NAMESPACE

// For `size_of`: to a loop, a number in a nlohmann::json looks like a container with itself in it.
namespace nlohmann {
inline std::size_t thalweg_size_of(const json& value) {
  return thalweg::stages::size_of_json(value);
}
inline std::size_t thalweg_size_of(const ordered_json& value) {
  return thalweg::stages::size_of_json(value);
}
}  // namespace nlohmann
