#include "saved_page.hpp"

#include <thalweg/observe/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <unistd.h>

#include "assets.hpp"

namespace THALWEG_NAMESPACE::live {

namespace {

constexpr std::string_view first = "<meta charset=\"utf-8\">\n";
constexpr std::string_view start = "<script type=\"module\" src=\"assets/main.js\"></script>\n";
// Parts that have places, so that they are not among those that are unpacked.
constexpr std::array<std::string_view, 3> apart{"index.html", "saved.html", "unpack.js"};

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

// What the page refers to is set by its script: the browser looks for nothing beside the page.
std::string without_addresses(std::string_view html) {
  std::string text(html);
  replace_all(text, " href=\"assets/", " data-href=\"assets/");
  replace_all(text, " src=\"assets/", " data-src=\"assets/");
  return text;
}

// A script ends at the first `</script>`, wherever it stands.
std::string data(std::string_view name, std::string json) {
  replace_all(json, "<", "\\u003c");
  return "<script type=\"application/json\" id=\"" + std::string(name) + "\">" + json + "</script>\n";
}

std::string all_parts() {
  std::string text;
  observe::json_writer json(text);
  json.begin_object();
  for (const auto& [path, bytes] : all_assets())
    if (std::ranges::find(apart, path) == apart.end()) json.member(path, bytes);
  json.end_object();
  return text;
}

std::string_view text_of(std::string_view part) {
  return asset_at(part).value().bytes;
}

std::string cause(int error) {
  return std::generic_category().message(error);
}

}  // namespace

std::string saved_page(std::string_view state) {
  const auto html = text_of("index.html");
  const auto at = html.find(start);
  auto page = without_addresses(html.substr(0, at));
  page.insert(page.find(first) + first.size(), text_of("saved.html"));
  page += data("parts", all_parts()) + data("saved", std::string(state));
  page.append("<script>\n").append(text_of("unpack.js")).append("</script>\n");
  return page + without_addresses(html.substr(at + start.size()));
}

std::string unwritable(const std::string& file) {
  namespace fs = std::filesystem;
  const fs::path path(file);
  std::error_code unknown;
  if (fs::is_directory(path, unknown)) return cause(EISDIR);
  const auto folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const auto& written = fs::exists(path, unknown) ? path : folder;
  return ::access(written.c_str(), W_OK) == 0 ? std::string() : cause(errno);
}

std::string save_page(const std::string& file, std::string_view state) {
  errno = 0;
  std::ofstream to(file, std::ios::binary | std::ios::trunc);
  to << saved_page(state);
  to.close();
  return to ? std::string() : cause(errno);
}

}  // namespace THALWEG_NAMESPACE::live
