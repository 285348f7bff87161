#include <thalweg/net/address.hpp>

#include <charconv>

namespace THALWEG_NAMESPACE::net {

address address::parse(std::string_view text) {
  const auto wrong = [&] {
    return network_error("'" + std::string(text) +
                         "' is not an address: write host:port, as in localhost:9000 or [::1]:9000");
  };
  const auto colon = text.rfind(':');
  if (colon == text.npos) throw wrong();
  auto host = text.substr(0, colon);
  const bool bracketed = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  // Colons without brackets leave it open where the port begins.
  if (host.find_first_of("[]/ ") != host.npos || (!bracketed && host.find(':') != host.npos)) throw wrong();

  address made{std::string(host), 0};
  const auto port = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), made.port);
  if (error != std::errc() || end != port.data() + port.size()) throw wrong();
  return made;
}

std::string address::text() const {
  const bool number = host.find(':') != host.npos;
  return (number ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string problem_with(const std::string& where) {
  try {
    const auto to = address::parse(where);
    if (to.host.empty()) return "'" + where + "' names no host to connect to";
    if (to.port == 0) return "'" + where + "' names no port to connect to";
    return {};
  } catch (const network_error& e) {
    return e.what();
  }
}

}  // namespace THALWEG_NAMESPACE::net
