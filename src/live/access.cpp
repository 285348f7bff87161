#include "access.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <arpa/inet.h>
#include <unistd.h>

namespace THALWEG_NAMESPACE::live {

namespace {

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

// Without the port, and without what is written around a number of IPv6; empty: it is no host.
std::string_view name_in(std::string_view host) {
  const bool bracketed = host.starts_with('[');
  const auto end = bracketed ? host.find(']') : host.find(':');
  const auto port = end == host.npos ? std::string_view() : host.substr(end + (bracketed ? 1 : 0));
  if ((bracketed && end == host.npos) || (!port.empty() && port.front() != ':')) return {};
  return host.substr(bracketed ? 1 : 0, end - (bracketed ? 1 : 0));
}

bool is_number(std::string_view name) {
  std::array<unsigned char, sizeof(in6_addr)> number{};
  const std::string text(name);
  return inet_pton(AF_INET, text.c_str(), number.data()) == 1 ||
         inet_pton(AF_INET6, text.c_str(), number.data()) == 1;
}

bool is_this_machine(std::string_view name) {
  std::array<char, 256> own{};
  return ::gethostname(own.data(), own.size() - 1) == 0 && same_name(name, own.data());
}

// Does not tell by its time how much of it is right.
bool same_secret(std::string_view a, std::string_view b) {
  unsigned different = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i)
    different |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i % b.size()]);
  return different == 0;
}

}  // namespace

bool is_our_host(std::string_view host, std::string_view address) {
  const auto name = name_in(host);
  if (name.empty()) return false;
  if (same_name(name, "localhost") || name == "127.0.0.1" || name == "::1" || same_name(name, address))
    return true;
  // Every interface: nobody can make a number lead elsewhere.
  const bool everywhere = address == "0.0.0.0" || address == "::";
  return everywhere && (is_number(name) || is_this_machine(name));
}

permission permission_by(std::string_view authorization, const std::string& token) {
  if (token.empty()) return permission::none;
  constexpr std::string_view scheme = "Bearer ";
  if (!same_name(authorization.substr(0, scheme.size()), scheme)) return permission::wrong_token;
  return same_secret(authorization.substr(scheme.size()), token) ? permission::given
                                                                 : permission::wrong_token;
}

}  // namespace THALWEG_NAMESPACE::live
