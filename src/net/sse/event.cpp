#include "event.hpp"

namespace THALWEG_NAMESPACE::net::sse {

std::string packed(std::string_view data, std::string_view event, std::string_view id) {
  std::string all;
  if (!id.empty()) all.append("id: ").append(id).append("\n");
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
