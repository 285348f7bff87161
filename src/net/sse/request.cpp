#include "request.hpp"

#include <algorithm>

namespace THALWEG_NAMESPACE::net::sse {

namespace {

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "Bad Request";
  }
}

}  // namespace

std::optional<int> status_for(std::string_view said, std::string_view path) {
  const auto end = said.find("\r\n\r\n");
  if (end == said.npos) return said.size() > longest_head ? std::optional(431) : std::nullopt;
  const auto line = said.substr(0, said.find("\r\n"));
  const auto first = line.find(' '), second = line.find(' ', std::min(first, line.size() - 1) + 1);
  if (first == line.npos || second == line.npos || !line.substr(second + 1).starts_with("HTTP/1."))
    return 400;
  if (line.substr(0, first) != "GET") return 405;
  const auto target = line.substr(first + 1, second - first - 1);
  return target.substr(0, target.find('?')) == path ? 200 : 404;
}

std::string answer(int status, std::string_view allow_origin) {
  std::string all = "HTTP/1.1 " + std::to_string(status) + " " + std::string(reason(status)) + "\r\n";
  if (!allow_origin.empty()) all.append("Access-Control-Allow-Origin: ").append(allow_origin).append("\r\n");
  if (status == 200)
    all += "Content-Type: text/event-stream\r\nCache-Control: no-cache\r\nConnection: keep-alive\r\n";
  else
    all += "Content-Length: 0\r\nConnection: close\r\n";
  if (status == 405) all += "Allow: GET\r\n";
  return all + "\r\n";
}

std::string packed(std::string_view data, std::string_view event) {
  std::string all;
  // The type is one line, or it could pretend to be data.
  if (!event.empty()) all.append("event: ").append(event.substr(0, event.find_first_of("\r\n"))).append("\n");
  for (;;) {
    const auto end = data.find_first_of("\r\n");
    all.append("data: ").append(data.substr(0, end)).append("\n");
    if (end == data.npos) break;
    const bool two = data.substr(end, 2) == "\r\n";
    data.remove_prefix(end + (two ? 2 : 1));
  }
  return all + "\n";
}

}  // namespace THALWEG_NAMESPACE::net::sse
