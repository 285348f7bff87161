#include "request.hpp"

#include <algorithm>

namespace THALWEG_NAMESPACE::net::sse {

namespace {

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "Bad Request";
  }
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// The value of a field; `name` is in small letters.
std::string_view field(std::string_view lines, std::string_view name) {
  const auto same = [](char said, char wanted) { return lower(said) == wanted; };
  while (!lines.empty()) {
    const auto line = lines.substr(0, lines.find("\r\n"));
    lines.remove_prefix(std::min(line.size() + 2, lines.size()));
    const auto colon = std::min(line.find(':'), line.size());
    if (!std::equal(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(colon), name.begin(), name.end(),
                    same))
      continue;
    const auto value = line.substr(std::min(colon + 1, line.size()));
    const auto first = value.find_first_not_of(" \t");
    return first == value.npos ? "" : value.substr(first, value.find_last_not_of(" \t") + 1 - first);
  }
  return {};
}

int status_of(std::string_view line, std::string_view path, bool others_may) {
  const auto first = line.find(' ');
  const auto second = first == line.npos ? first : line.find(' ', first + 1);
  if (second == line.npos || !line.substr(second + 1).starts_with("HTTP/1.")) return 400;
  const auto method = line.substr(0, first), target = line.substr(first + 1, second - first - 1);
  // A page of another origin asks whether it may say more than others do.
  const bool asks_first = method == "OPTIONS" && others_may;
  if (method != "GET" && !asks_first) return 405;
  if (target.substr(0, target.find('?')) != path) return 404;
  return asks_first ? 204 : 200;
}

}  // namespace

std::optional<request> asked(std::string_view said, std::string_view path, bool others_may) {
  const auto end = said.substr(0, longest_head).find("\r\n\r\n");
  if (end == said.npos)
    return said.size() < longest_head ? std::nullopt : std::optional(request{.status = 431});
  const auto line = said.substr(0, said.find("\r\n"));
  const auto fields = said.substr(line.size(), end - line.size());
  return request{.status = status_of(line, path, others_may),
                 .last_id = std::string(field(fields, "last-event-id"))};
}

std::string answer(int status, std::string_view allow_origin) {
  std::string all = "HTTP/1.1 " + std::to_string(status) + " " + std::string(reason(status)) + "\r\n";
  if (!allow_origin.empty()) all.append("Access-Control-Allow-Origin: ").append(allow_origin).append("\r\n");
  if (status == 204)
    all +=
        "Access-Control-Allow-Methods: GET\r\nAccess-Control-Allow-Headers: Cache-Control, Last-Event-ID\r\n";
  if (status == 200)
    // nginx keeps events back unless it is told not to.
    all +=
        "Content-Type: text/event-stream\r\nCache-Control: no-cache\r\nConnection: keep-alive\r\n"
        "X-Accel-Buffering: no\r\n";
  else
    all += status == 204 ? "Connection: close\r\n" : "Content-Length: 0\r\nConnection: close\r\n";
  if (status == 405) all += "Allow: GET\r\n";
  return all + "\r\n";
}

}  // namespace THALWEG_NAMESPACE::net::sse
